# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a step with impulses: from where the smooth motion has led to where contacts and joints let it be."""

import math

from ...contact.impulses.approach import (
    exchange_velocities,
    let_close,
    note_approach,
    note_drift,
    note_drive,
    point_rate,
    shift_gaps,
)
from ...contact.impulses.blocks import build_blocks
from ...contact.impulses.impacts import BESIDE, DRIVEN, solve_impacts
from ...contact.impulses.impulses import note_forces, shorten_impulses, warm_start, write_forces
from ...contact.impulses.propagation import begin_propagation, fill_velocities, update_omega
from ...contact.impulses.rows import block_swing, block_wrench
from ...contact.impulses.stiff_forces import soften, take_back_stiff, write_stiff_forces
from ...contact.impulses.totals import add_to_tally, forget_blows, note_events
from ...contact.impulses.work import begin_from_nothing, best_share, find_work, note_motion
from ...contact.impulses.workspace import SLACK, TOUCH
from ...control.balance import mark_feet
from ...dynamics.loops.velocity_transport import note_velocities
from ...dynamics.tree.kinematics import update_kinematics
from ...dynamics.tree.surface_joints import carry_ride_speeds, put_ride_changes
from ...evaluation.energy import kinetic_energy
from ...kernel import kernel
from ...model.arrays import Hold
from ...spatial import add, cross, dot, load3, load_angular, load_linear, scale, store3, subtract
from ..motion.motion import copy_anchors, fastest_speed, recenter
from .detachment import begin_blows, is_lifted
from .energy_bound import forget_gains, note_room, remove_energy_gain
from .implicit import push_stiff
from .loop_steps import settle_firmly
from .memory import AHEAD, MOST_CUTS, NEAR
from .momentum import (
    add_travel,
    forget_travel,
    note_led_apart,
    note_momenta,
    note_travel,
    restore_momenta,
    slide_moments,
)
from .outside_work import can_be_counted, keep_given, note_work, note_work_of_joints
from .position_correction import correct_positions
from .sweeps import jump, meet_closures, sweep_out

_BY_UPPER = int(Hold.UPPER)
_MOST_BODIES_TO_CUT_FOR = 60  # among more of them something bounces nearly always
_ROUNDS_OF_LOOPS = 20  # of impacts, in each of which loops are closed
_FAR = 0.05  # rad, or of the linkage's size: what stiff forces may move by in a step without wavering
_KEPT_IN_JAMS = 0.5  # of forces that grow with each sweep
_NO_SHIFT = 1e-14  # m or rad: rounding
SLOW = 2.0  # times what gravity does in a step: approach that does not bounce


@kernel
def finish_step(model, scratch, memory, tolerance):
    """From the free motion to the real one: impulses, the poses that they shift, and overlaps.

    Returns whether what acts all along the step is in balance, and what an island has gained and cannot pay, as a part
    of its energy; how far impulses have shifted a body is in `memory.clock[0].shifted`.
    """
    contact, walk, clock = memory.contact, memory.walk, memory.clock[0]
    state, h, interval = memory.trial.state, clock.h, clock.interval
    begin_propagation(model, scratch, walk)
    forget_travel(memory.momenta)
    if memory.counts[0].balanced:
        _take_back(model, scratch, memory, h)
    take_back_stiff(model, scratch, contact, walk, h)
    update_omega(model, scratch, walk)
    for k in range(len(memory.shift)):
        memory.shift[k] = 0.0
    push_stiff(model, scratch, memory.implicit, walk, state, h)
    shift_gaps(scratch, contact.points, contact.counts[0].points, -0.5 * h)
    exchange_velocities(scratch, memory.pushed, True)
    jump(model, state, scratch, memory, 1.0)
    meet_closures(model, scratch, memory, state, tolerance, 1.0)
    shift_gaps(scratch, contact.points, contact.counts[0].points, 0.5 * h)
    build_blocks(model, state, scratch, walk, contact, memory.shift, h, interval, NEAR, AHEAD * interval)
    note_room(model, scratch, contact, memory.islands)
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0
    note_approach(scratch, contact, h)
    note_drift(model, scratch, contact, memory.began.center, h)
    exchange_velocities(scratch, memory.pushed, False)
    soften(model, scratch, contact, h, interval)
    exchange_velocities(scratch, memory.pushed, False)
    mark_feet(model, scratch, contact, memory.steering)
    note_drive(scratch, contact, memory.began.velocity, interval / h)
    _keep_free_motion(memory, state)
    is_plain, goes_on, is_balanced, is_jammed = memory.counts[0].plain == 1, True, False, False
    if not is_plain:
        goes_on, is_balanced, is_jammed = _find_impulses(model, scratch, memory, state, tolerance, True)
    if is_plain or (goes_on and find_work(scratch, contact, contact.impulse)[0] > 0.0):
        if not is_plain:
            _return_to_free_motion(model, scratch, memory, state)
        goes_on, _balanced, is_jammed = _find_impulses(model, scratch, memory, state, tolerance, False)
        is_balanced = False
        if goes_on:
            shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, -0.5 * h)
            _take_best_share(model, scratch, memory, state, tolerance, contact.impulse, 1.0)
            shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, 0.5 * h)
    add_to_tally(scratch, contact, clock.time)
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            impulse = load_linear(block_wrench(contact, block, contact.impulse))
            turned = scale(h, block_swing(contact, block))
            note_travel(model, scratch, memory.began, memory.momenta, block.body, impulse, turned, h)
    if goes_on:
        write_forces(contact, h, interval, _KEPT_IN_JAMS if is_jammed else 1.0, memory.counts[0].balanced)
        write_stiff_forces(contact, h, interval, _carried(model, memory, state))
        _keep_forces(model, scratch, memory, is_balanced)
    unpaid = _move_on(model, scratch, memory, tolerance)
    return is_balanced or not goes_on, unpaid


@kernel
def _find_impulses(model, scratch, memory, state, tolerance, is_warm):
    """Impacts, then what acts all along the step, from the impulses of the step before or from none.

    Returns whether the step goes on, or a blow lifts a rider off; whether all is in balance; whether nothing can be.
    """
    contact, clock = memory.contact, memory.clock[0]
    h, interval, p = clock.h, clock.interval, contact.impulse
    note_motion(scratch, contact, contact.block_given, -1.0, True)
    if is_warm:
        shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, -0.5 * h)
        warm_start(model, scratch, memory.walk, contact, h)
        jump(model, state, scratch, memory, 1.0)
        meet_closures(model, scratch, memory, state, tolerance, 1.0)
        note_motion(scratch, contact, contact.block_given, 1.0, False)
        let_close(contact, interval + 0.5 * h)
        _take_best_share(model, scratch, memory, state, tolerance, p, 1.0)
        note_drive(scratch, contact, memory.began.velocity, interval / h)
        shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, 0.5 * h)
    else:
        begin_from_nothing(contact, p)
        note_motion(scratch, contact, contact.block_given, 1.0, False)
    slow = SLOW * clock.gravity * interval
    soon = 0.0 if may_cut(model, memory) else interval
    begin_blows(model.rides, model, scratch, memory, state)
    if not _bounce(model, scratch, memory, state, tolerance, slow, soon):
        _end_impacts(model, scratch, memory, state, tolerance, soon)
    if is_lifted(model.rides, model, scratch, memory, state):
        forget_blows(contact)
        return False, False, False
    mark_speculative(model, scratch, memory)
    note_motion(scratch, contact, contact.block_given, -1.0, False)
    shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, -0.5 * h)  # as they were if nothing moved
    let_close(contact, interval + 0.5 * h)
    is_done, is_jammed = sweep_out(model, scratch, memory, p, state, tolerance, 1.0, is_warm)
    shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, 0.5 * h)
    note_motion(scratch, contact, contact.block_given, 1.0, False)
    return True, is_done, is_jammed


@kernel
def _take_best_share(model, scratch, memory, state, tolerance, p, share):
    """Shortens impulses that would add energy to those that take the most; `share` of them shifts the pose."""
    contact, given = memory.contact, memory.contact.block_given
    best = best_share(*find_work(scratch, contact, p))
    if best < 1.0:
        begin_propagation(model, scratch, memory.walk)
        shorten_impulses(model, scratch, memory.walk, contact, p, best)
        jump(model, state, scratch, memory, share)
        meet_closures(model, scratch, memory, state, tolerance, share)
        for b in range(contact.counts[0].blocks):
            for k in range(6):
                given[b, k] *= best


@kernel
def _keep_free_motion(memory, state):
    for k in range(len(state.speeds)):
        memory.free[0, k], memory.free[1, k] = state.speeds[k], memory.shift[k]
    keep_given(memory.outside, True)


@kernel
def _return_to_free_motion(model, scratch, memory, state):
    """As if no impulses had been found yet."""
    h = memory.clock[0].h
    shift_gaps(scratch, memory.contact.contacts, memory.contact.counts[0].contacts, -0.5 * h)
    for k in range(len(state.speeds)):
        state.speeds[k], memory.shift[k] = memory.free[0, k], memory.free[1, k]
    keep_given(memory.outside, False)
    update_kinematics(model, state, scratch)
    shift_gaps(scratch, memory.contact.contacts, memory.contact.counts[0].contacts, 0.5 * h)
    forget_blows(memory.contact)


@kernel
def _carried(model, memory, state):
    """The share of stiff forces that goes on: less than all where they turn bodies far in one step."""
    farthest, axes = 0.0, len(state.speeds)
    for k in range(axes):
        scale = 1.0 / model.size if model.is_length[k] else 1.0
        farthest = max(farthest, scale * abs(state.speeds[k] - memory.began.y[axes + k]))
    return min(1.0, _FAR / max(memory.clock[0].interval * farthest, _FAR))


@kernel
def _take_back(model, scratch, memory, h):
    """Notes the opposite of what contacts and axes have given in the step."""
    contact, walk = memory.contact, memory.walk
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = -h * memory.push[i, k]
    for axis in range(len(memory.effort)):
        walk.effort[axis] = -h * memory.effort[axis]
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        impulse, turned = scale(-h, load3(block.force)), scale(-h * h, load3(block.swing))
        note_travel(model, scratch, memory.began, memory.momenta, block.body, impulse, turned, h)
        moments = slide_moments(model, scratch, memory.began.center, block, h)
        for end in range(2):
            if block.body[end] >= model.driven:
                for k in range(3):
                    walk.impulse[block.body[end], k] -= h * moments[end][k]


@kernel
def _bounce(model, scratch, memory, state, tolerance, slow, soon):
    """Impacts, until none is left; False if some are. Closures hold in between: what they pull on may strike anew."""
    for _ in range(_ROUNDS_OF_LOOPS):
        begin_propagation(model, scratch, memory.walk)
        is_over = solve_impacts(model, scratch, memory.walk, memory.contact, slow, soon, memory.clock[0].interval)
        jump(model, state, scratch, memory, 0.0)
        if memory.contact.counts[0].impacts == 0:
            return True
        is_held = meet_closures(model, scratch, memory, state, tolerance, 0.0)
        if not is_over or not is_held:
            return is_over
    return False


@kernel
def _end_impacts(model, scratch, memory, state, tolerance, soon):
    """All impacts that are left, at once and without restitution; `soon` (s) as in `solve_impacts`."""
    contact, before = memory.contact, kinetic_energy(model, state, scratch)
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        each.closing = max(0.0, each.gap) / memory.clock[0].interval
        if each.gap <= BESIDE * each.size and soon == 0.0:
            each.closing = 0.0
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0
    mark_speculative(model, scratch, memory)
    contact.counts[0].silent = 1
    sweep_out(model, scratch, memory, contact.event, state, tolerance, 0.0, True)
    contact.counts[0].silent = 0
    lost = before - kinetic_energy(model, state, scratch)
    note_events(contact, max(0.0, lost) if contact.counts[0].bounces else 0.0)


@kernel
def may_cut(model, memory):
    """True if a step may end early, where something arrives."""
    return memory.counts[0].cuts < MOST_CUTS and len(model.bodies) - model.driven <= _MOST_BODIES_TO_CUT_FOR


@kernel
def mark_speculative(model, scratch, memory):
    """Contacts that will bounce are left alone until they arrive."""
    slow, cuts = SLOW * memory.clock[0].gravity * memory.clock[0].interval, may_cut(model, memory)
    for c in range(memory.contact.counts[0].contacts):
        each = memory.contact.contacts[c]
        each.is_speculative = 0
        each.rate = point_rate(scratch, each)
        if cuts and each.gap > TOUCH * each.size and each.rate < -max(slow, DRIVEN * each.driven):
            each.is_speculative = 1


@kernel
def _keep_forces(model, scratch, memory, are_right):
    """Keeps the forces of contacts and axes on bodies and axes, for the next step, if it balances, and for frames."""
    contact, walk = memory.contact, memory.walk
    memory.counts[0].balanced = 1 if are_right else 0
    for i in range(len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = 0.0
    note_forces(model, scratch, walk, contact)
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.push[i, k] = walk.impulse[i, k]
            walk.impulse[i, k] = 0.0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        force, moment, swing, center = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), load3(block.center)
        for c in range(block.first, block.last):
            each = contact.contacts[c]
            force = add(force, load3(each.force))
            moment = add(moment, cross(subtract(load3(each.position), center), load3(each.force)))
            swing = add(swing, cross(load3(each.drift), load3(each.force)))
        store3(block.force, force)
        store3(block.moment, moment)
        store3(block.swing, swing)
    for axis in range(len(memory.effort)):
        memory.effort[axis] = 0.0
    for x in range(contact.counts[0].axis_rows):
        row = contact.axis_rows[x]
        force = contact.axis_force[row.axis, row.kind - 1]
        if row.kind == _BY_UPPER:
            force = -force
        if row.component >= 0:
            for k in range(3):
                memory.effort[row.axis - row.component + k] += force * row.gradient[k]
        else:
            memory.effort[row.axis] += force


@kernel
def _move_on(model, scratch, memory, tolerance):
    """Takes the step's end over: shifts it by what impulses have changed, and leads overlaps apart.

    Returns what has been gained and cannot be paid.
    """
    contact, h, deepest = memory.contact, memory.clock[0].h, 0.0
    state, trial = memory.motion.state, memory.trial.state
    for k in range(len(memory.shift)):
        memory.shift[k] *= 0.5 * h
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        deepest = max(deepest, -each.gap - SLACK * each.size)
    for x in range(contact.counts[0].axis_rows):
        row = contact.axis_rows[x]
        row.opening += _opened(memory.shift, row)
        deepest = max(deepest, -row.opening - SLACK)
    note_work(model, scratch, memory, h)
    memory.clock[0].shifted = _farthest_shift(model, scratch, memory)
    forget_gains(memory.islands)
    if deepest > 0.0 and not memory.counts[0].plain:
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
        restore_momenta(model, scratch, state, memory.momenta)
    memory.clock[0].fastest = max(memory.clock[0].fastest, fastest_speed(state.speeds, tolerance.per_scale))
    settle_firmly(model, scratch, memory, tolerance, farthest > _NO_SHIFT)
    if can_be_counted(model) and (contact.counts[0].blocks > 0 or farthest > _NO_SHIFT):
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
