# SPDX-License-Identifier: GPL-3.0-or-later
"""The last phase of a step: the pose is shifted by what impulses have changed, and overlaps are led apart."""

import math

from ...contact.impulses.propagation import fill_velocities
from ...contact.impulses.rows import block_wrench
from ...contact.impulses.workspace import SLACK
from ...dynamics.loops.velocity_transport import note_velocities
from ...dynamics.tree.kinematics import update_kinematics
from ...dynamics.tree.surface_joints import carry_ride_speeds, put_ride_changes
from ...kernel import kernel
from ...model.arrays import Hold
from ...spatial import dot, load_angular, load_linear
from ..motion.motion import copy_anchors, fastest_speed, recenter
from .energy_bound import forget_gains, remove_energy_gain
from .loop_steps import settle_firmly
from .memory import PLAIN
from .momentum import add_travel, note_led_apart, note_momenta
from .outside_work import can_be_counted, note_work, note_work_of_joints
from .position_correction import correct_positions

_BY_UPPER = int(Hold.UPPER)
_NO_SHIFT = 1e-14  # m or rad: rounding


@kernel
def move_on(model, scratch, memory, tolerance):
    """Takes the step's end over: shifts it by what impulses have changed, and leads overlaps apart.

    Returns what has been gained and cannot be paid.
    """
    contact, h, deepest = memory.contact, memory.clock[0].h, 0.0
    state, trial = memory.motion.state, memory.trial.state
    for k in range(len(memory.shift)):
        memory.shift[k] *= 0.5 * h
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        deepest = max(deepest, -each.gap - SLACK * each.extent)
    for x in range(contact.counts[0].axis_rows):
        row = contact.axis_rows[x]
        row.opening += _opened(memory.shift, row)
        deepest = max(deepest, -row.opening - SLACK)
    note_work(model, scratch, memory, h)
    memory.clock[0].shifted = _farthest_shift(model, scratch, memory)
    forget_gains(memory.islands)
    if deepest > 0.0 and memory.counts[0].plain != PLAIN:
        correct_positions(model, scratch, memory, deepest)
        for b in range(contact.counts[0].blocks):
            block = contact.blocks[b]
            led = load_linear(block_wrench(contact, block, contact.event))
            note_led_apart(model, scratch, memory.momenta, block.body, led)
    note_velocities(model, scratch, memory.apart)
    for chart in range(len(model.charted)):
        recenter(trial, chart, model.bodies[model.charted[chart]].axis_end - 3)
    copy_anchors(trial, state)
    farthest = 0.0
    for k in range(len(trial.speeds)):
        farthest = max(farthest, abs(memory.shift[k]))
    carry_ride_speeds(model.rides, model, trial, memory.shift)
    put_ride_changes(model.rides, model, trial, memory.shift)
    for k in range(len(trial.speeds)):
        state.coordinates[k] = trial.coordinates[k] + memory.shift[k]
        state.speeds[k] = trial.speeds[k]
    if farthest > _NO_SHIFT:
        note_momenta(model, scratch, memory.momenta)
        add_travel(model, memory.momenta)
        update_kinematics(model, state, scratch)
    memory.clock[0].fastest = max(memory.clock[0].fastest, fastest_speed(state.speeds, tolerance.per_scale))
    settle_firmly(model, scratch, memory, tolerance, farthest > _NO_SHIFT)
    can_count = can_be_counted(model, memory.outside, memory.clock[0].time)
    if can_count and (contact.counts[0].blocks > 0 or farthest > _NO_SHIFT):
        update_kinematics(model, state, scratch)
        note_work_of_joints(model, scratch, memory.outside, memory.began)
        return remove_energy_gain(model, state, scratch, memory)
    return 0.0


@kernel
def _farthest_shift(model, scratch, memory):
    """The largest shift of a body by impulses, as a part of the thinnest of its shapes."""
    walk, farthest = memory.walk, 0.0
    for k in range(len(memory.shift)):
        scratch.accelerations[k] = memory.shift[k]
    fill_velocities(model, scratch, walk)
    for i in range(model.driven, len(model.bodies)):
        turn, way = load_angular(walk.velocity[i]), load_linear(walk.velocity[i])
        moved = math.sqrt(dot(way, way)) + memory.contact.reach[i] * math.sqrt(dot(turn, turn))
        farthest = max(farthest, moved / memory.contact.thinnest[i])
    return farthest


@kernel
def _opened(shift, row):
    """m or rad: by how much a shift of the axes opens a limit."""
    opened = shift[row.axis]
    if row.component >= 0:
        first = row.axis - row.component
        opened = 0.0
        for k in range(3):
            opened += row.gradient[k] * shift[first + k]
    return -opened if row.kind == _BY_UPPER else opened
