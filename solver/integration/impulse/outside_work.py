# SPDX-License-Identifier: GPL-3.0-or-later
"""Work that is done on bodies from outside in a step: by keyed bodies that move, and by motors of joints.

What may push as long and as hard as it likes gives energy; contact may not. To tell the two apart, the work of whatever
drives is counted, for `energy_bound`:
    a contact with a keyed body, or friction, a motor or a limit of a joint with it
                                 ->  its impulse times the way of the keyed body's point where it acts
    joints with a keyed body     ->  the wrench of all of them, which is what the momentum of the piece that hangs there
                                     has changed by beyond the impulses of forces and contacts, times the body's way
    a motor                      ->  its effort times the way of its axis, by Simpson's rule
Impulses act all along a step, so the way is that of the whole step, and the place where they act is that of its
middle; impacts act at its end. Where what drives is not counted, as wind, or a piece between two keyed bodies, the
bodies are marked as driven, and nothing is asked of them; of none, where tables lead anything but motors. What is a
spring (a position motor without a maximum, whose target stays) stores energy, and does no work.

Symbols: l, p angular momentum about the world's origin and momentum; n, f moment about it and force.
"""

import math
from typing import NamedTuple

import numpy as np

from ...contact.impulses.rows import block_swing, block_wrench
from ...dynamics.forces.joint_forces import motor_effort
from ...dynamics.forces.laws import Form, form_of, resistance_of
from ...dynamics.forces.points import first_parameter, is_enabled
from ...dynamics.tree.driven import driven_bodies_move, moves
from ...dynamics.tree.joints import has_rotation_vector
from ...kernel import kernel
from ...model.arrays import AXIS_PARAMETERS, MOTOR_LIMIT, MOTOR_VALUE, Hold, Kind, Model, MotorMode
from ...spatial import add, add_scaled, cross, dot, load3, load_angular, load_linear, scale, subtract
from .momentum import add_momenta, add_to_sums, anchors, pieces, way_from_middle

_NO_MOTOR, _MODE_FORCE, _MODE_POSITION = int(MotorMode.NONE), int(MotorMode.FORCE), int(MotorMode.POSITION)
_BY_MOTOR, _FREE = int(Hold.MOTOR), int(Kind.FREE)
_ZERO = (0.0, 0.0, 0.0)
_GIVEN, _RESISTANCE, _FIELD = int(Form.GIVEN), int(Form.RESISTANCE), int(Form.FIELD)


class OutsideWork(NamedTuple):
    """By body; of a piece that hangs on one keyed body, at the number of its first body."""

    piece: np.ndarray  # (B,) int64: the first body of each body's piece that hangs on one keyed body, -1 of others
    anchor: np.ndarray  # (B,) int64: that keyed body; -2 where a piece hangs on several, one of them keyed
    before: np.ndarray  # (B, 6): l and p of pieces at the step's start
    given: np.ndarray  # (B, 6): n and f over time, of forces and impulses on them in the step
    given_freely: np.ndarray  # (B, 6): and without what pushes and rubs
    travel: np.ndarray  # (B, 3) N m s: what l gains as impulses act along the step, not at its end
    done: np.ndarray  # (B,) J: in the step
    power: np.ndarray  # (B,) W: of contact forces of the step before, by driven bodies; work
    is_driven: np.ndarray  # (B,) int64: 1 where the work is not known
    target: np.ndarray  # (A,): of motors at the step's start
    is_led: np.ndarray  # (A,) int64: 1 where a table leads an axis's motor


def new_outside_work(model: Model) -> OutsideWork:
    """Zeroed room, and what hangs on keyed bodies."""
    bodies, driven = len(model.bodies), model.driven
    keyed = {i for i in range(driven) if model.driven_bodies[i].key_start >= 0}
    first, _ = pieces(model)
    piece, anchor = np.full(bodies, -1), np.full(bodies, -1)
    held_by = {}
    for body, end in anchors(model):
        held_by.setdefault(int(first[body]), set()).add(end)
    for i in range(driven, bodies):
        ends = held_by.get(int(first[i]), set())
        if ends & keyed:
            anchor[i] = min(ends) if len(ends) == 1 else -2
            piece[i] = first[i] if len(ends) == 1 else -1
    axes = len(model.armature)
    led = model.tables.target[np.isin(model.tables.target, np.arange(axes) * AXIS_PARAMETERS + MOTOR_VALUE)]
    return OutsideWork(
        piece,
        anchor,
        *np.zeros((3, bodies, 6)),
        np.zeros((bodies, 3)),
        *np.zeros((2, bodies)),
        np.zeros(bodies, np.int64),
        np.zeros(axes),
        np.isin(np.arange(axes), led // AXIS_PARAMETERS).astype(np.int64),
    )


@kernel
def begin_outside_work(model, scratch, outside):
    """Notes momenta and what motors are told at a step's start; kinematics must be up to date."""
    for axis in range(len(outside.target)):
        outside.target[axis] = scratch.parameters[axis * AXIS_PARAMETERS + MOTOR_VALUE]
    for i in range(len(model.bodies)):
        for k in range(6):
            outside.before[i, k] = 0.0
    add_momenta(model, scratch, outside.piece, outside.before, 1.0)


@kernel
def forget_given(outside):
    """No forces have acted in this step yet."""
    for i in range(len(outside.given)):
        outside.done[i] = 0.0
        for k in range(6):
            outside.given[i, k] = 0.0
        for k in range(3):
            outside.travel[i, k] = 0.0


@kernel
def note_kept_work(outside, time):
    """Adds what driven bodies do in a `time` (s) by the contact forces that go on from the step before."""
    for i in range(len(outside.done)):
        outside.done[i] += time * outside.power[i]


@kernel
def note_forces_given(model, scratch, outside, time):
    """Adds what the applied forces of now give in a `time` (s)."""
    for i in range(model.driven, len(model.bodies)):
        if outside.piece[i] >= 0:
            moving = scratch.bodies[i]
            n, f = load_angular(moving.wrench), load_linear(moving.wrench)
            add_to_sums(outside.given, outside.piece[i], add(n, cross(load3(moving.center), f)), f, time)


@kernel
def note_impulses_given(model, scratch, outside, impulse):
    """Adds impulses (B, 6) on bodies, about their centres of mass."""
    for i in range(model.driven, len(model.bodies)):
        if outside.piece[i] >= 0:
            n, f = load_angular(impulse[i]), load_linear(impulse[i])
            add_to_sums(outside.given, outside.piece[i], add(n, cross(load3(scratch.bodies[i].center), f)), f, 1.0)


@kernel
def keep_given(outside, keeps):
    """Keeps what has been given before anything pushes and rubs, or goes back to it."""
    for i in range(len(outside.given)):
        for k in range(6):
            if keeps:
                outside.given_freely[i, k] = outside.given[i, k]
            else:
                outside.given[i, k] = outside.given_freely[i, k]


@kernel
def note_work(model, scratch, memory, h):
    """Counts the work of impulses and motors in a step of `h` (s), and marks bodies whose work is not known.

    To be called once the step's impulses are known, and before overlaps are led apart: `memory.shift` is how they shift
    the axes, `memory.trial` where the smooth motion has led, and kinematics are those of that pose.
    """
    outside, contact = memory.outside, memory.contact
    for i in range(len(model.bodies)):
        outside.is_driven[i] = 0
    _mark_driven(model, scratch, memory)
    _note_motors(model, scratch, memory, h)
    may_drive = driven_bodies_move(model, scratch)
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            _note_block(model, scratch, memory, block, h, may_drive)
        elif block.row_last > block.row_first and may_drive and block.body[0] < model.driven:
            _note_axes(model, scratch, memory, block, h)


@kernel
def note_work_of_joints(model, scratch, outside, began):
    """Counts what keyed bodies have done through joints, at a step's end; kinematics must be up to date."""
    given = outside.given
    for i in range(model.driven, len(model.bodies)):
        for k in range(3):
            given[i, k] += outside.travel[i, k]
        for k in range(6):
            given[i, k] = -outside.before[i, k] - given[i, k]
    add_momenta(model, scratch, outside.piece, given, 1.0)
    for i in range(model.driven, len(model.bodies)):
        if outside.piece[i] == i:
            w, v = mean_twist(scratch, began, outside.anchor[i])
            outside.done[i] += dot(w, load_angular(given[i])) + dot(v, load_linear(given[i]))


@kernel
def mean_twist(scratch, began, driven):
    """(w, v) of a driven body in the step, v about the world's origin."""
    moving, before = scratch.bodies[driven], began.velocity[driven]
    w = scale(0.5, add(load3(moving.angular), load_angular(before)))
    v = scale(0.5, add(load3(moving.linear), load_linear(before)))
    c = scale(0.5, add(load3(moving.center), load3(began.center[driven])))
    return w, subtract(v, cross(w, c))


@kernel
def _note_block(model, scratch, memory, block, h, may_drive):
    """The work of a block's contacts, if one of its bodies is driven and moves; and where else they act."""
    outside, contact, p = memory.outside, memory.contact, memory.contact.impulse
    a, b = block.body[0], block.body[1]
    if not may_drive and outside.piece[b] < 0 and (a < model.driven or outside.piece[a] < 0):
        return
    total, center = block_wrench(contact, block, p), load3(block.center)
    f, n = (total[3], total[4], total[5]), (total[0], total[1], total[2])
    swing = block_swing(contact, block)
    note_even_impulse(model, scratch, memory, block.body, n, center, f, swing, h)
    if may_drive and a < model.driven:
        struck, moving = block.struck, scratch.bodies[a]
        f, n, arm = load_linear(struck), load_angular(struck), subtract(center, load3(moving.center))
        outside.done[b] += dot(load3(moving.linear), f) + dot(load3(moving.angular), add(n, cross(arm, f)))


@kernel
def _note_axes(model, scratch, memory, block, h):
    """The work of a driven body by what friction, motors and limits of a joint with it exert, beside that of motors."""
    contact, center, moving = memory.contact, load3(block.center), scratch.bodies[block.body[0]]
    total = block_wrench(contact, block, contact.impulse)
    f, n = (total[3], total[4], total[5]), (total[0], total[1], total[2])
    note_even_impulse(model, scratch, memory, block.body, n, center, f, _ZERO, h)
    total = block_wrench(contact, block, contact.event)
    f, n, arm = (total[3], total[4], total[5]), (total[0], total[1], total[2]), subtract(center, load3(moving.center))
    done = dot(load3(moving.linear), f) + dot(load3(moving.angular), add(n, cross(arm, f)))
    memory.outside.done[block.body[1]] += done


@kernel
def note_even_impulse(model, scratch, memory, body, n, center, f, swing, h):
    """Counts the work of an even impulse in a step of `h` (s), if the first of its bodies is driven; and where it acts.

    n, f: N m s and N s, about a centre (m), on the second body at the step's end; swing (N m): how fast n changes.
    """
    outside, began = memory.outside, memory.began
    a, b = body[0], body[1]
    way = way_from_middle(model, scratch, began, body, h)
    travel = add_scaled(cross(f, way), -0.5 * h, swing)
    for end in range(2):
        i = body[end]
        if i >= model.driven and outside.piece[i] >= 0:
            for k in range(3):
                outside.travel[outside.piece[i], k] += travel[k] if end == 1 else -travel[k]
    if a < model.driven:
        w, v = mean_twist(scratch, began, a)
        outside.done[b] += dot(v, f) + dot(w, add(add(n, cross(center, f)), travel))


@kernel
def _note_motors(model, scratch, memory, h):
    """The work of motors whose axes have a coordinate each; those that are springs store it (`energy_bound`)."""
    outside, contact = memory.outside, memory.contact
    began, trial, axes = memory.began.y, memory.trial.state, len(model.armature)
    p = scratch.parameters
    for i in range(model.driven, len(model.bodies)):
        for axis in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            mode, way = model.motor_mode[axis], trial.coordinates[axis] + memory.shift[axis] - began[axis]
            if mode == _MODE_FORCE:
                told = p[axis * AXIS_PARAMETERS + MOTOR_VALUE]
                outside.done[i] += 0.5 * (outside.target[axis] + told) * way
            elif mode == _MODE_POSITION and not _is_counted(model, memory, p, axis):
                speed, end = began[axes + axis], trial.speeds[axis]
                outside.done[i] += _work_of_motor(p, outside.target[axis], axis, began[axis], speed, way, end, h)
    for x in range(contact.counts[0].axis_rows):
        row = contact.axis_rows[x]
        if row.kind == _BY_MOTOR:
            rate = (trial.coordinates[row.axis] + memory.shift[row.axis] - began[row.axis]) / h
            i = _body_of_axis(model, row.axis)
            outside.done[i] += contact.impulse[row.row] * rate + contact.event[row.row] * trial.speeds[row.axis]


@kernel
def _work_of_motor(p, target, axis, q, speed, way, speed_after, h):
    """J: of a motor that keeps a position, in a step of `h` (s); by Simpson's rule along the cubic.

    target: at the step's start, where p has that of its end; q, speed: there; way: of the axis in the step.
    """
    k, work = axis * AXIS_PARAMETERS, 0.0
    ahead = p[k + MOTOR_VALUE] - target
    middle = 0.5 * way + 0.125 * h * (speed - speed_after)
    speed_between = 1.5 * way / h - 0.25 * (speed + speed_after)
    for weight, lag, gone, u in (
        (1.0, ahead, 0.0, speed),
        (4.0, 0.5 * ahead, middle, speed_between),
        (1.0, 0.0, way, speed_after),
    ):
        pull, push = motor_effort(p, _MODE_POSITION, k, q + gone + lag, u)
        work += weight * (pull + push) * u
    return work * h / 6.0


@kernel
def _is_counted(model, memory, p, axis):
    """True if what an axis's motor does is counted elsewhere: by its rows, or as the energy of a spring."""
    if memory.contact.servo[axis] or p[axis * AXIS_PARAMETERS + MOTOR_LIMIT] < math.inf:
        return memory.contact.servo[axis] != 0
    is_stiff = memory.implicit.is_stiff[axis] and not memory.implicit.in_chart[axis]
    return is_stiff or not memory.outside.is_led[axis]


@kernel
def is_spring_of_motor(model, outside, p, axis):
    """True if an axis's motor is a spring to a target that stays, and its force has no maximum."""
    is_spring = model.motor_mode[axis] == _MODE_POSITION and p[axis * AXIS_PARAMETERS + MOTOR_LIMIT] == math.inf
    return is_spring and not outside.is_led[axis]


@kernel
def _body_of_axis(model, axis):
    low, high = model.driven, len(model.bodies) - 1
    while low < high:
        middle = (low + high) // 2
        if model.bodies[middle].axis_end <= axis:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def can_be_counted(model, outside, time):
    """True if tables lead nothing but motors, and no closure pulls at this time (s), together or as it gives way."""
    pulling, led = 0, 0
    for axis in range(len(outside.is_led)):
        led += outside.is_led[axis]
    for number in range(len(model.closures)):
        closure = model.closures[number]
        pulling += 1 if closure.gives_way or (closure.tau > 0.0 and time < closure.settled) else 0
    return len(model.tables) == led and pulling == 0


@kernel
def _mark_driven(model, scratch, memory):
    """Marks bodies to which something else may give energy, which nobody counts."""
    outside = memory.outside
    may_drive = driven_bodies_move(model, scratch)
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        outside.is_driven[i] = 1 if may_drive and outside.anchor[i] == -2 else 0
        for axis in range(body.axis_start, body.axis_end):
            if model.motor_mode[axis] != _NO_MOTOR and (has_rotation_vector(body.kind) or body.kind == _FREE):
                outside.is_driven[i] = 1
    for f in range(len(model.followed)):
        outside.is_driven[model.followed[f].body] = 1
    for r in range(model.closing):
        closure, allowed = model.closures[model.rows[r].closure], scratch.rows[r].allowed
        if closure.curve_start >= 0 and (allowed[1] != 0.0 or allowed[2] != 0.0):
            for end in range(closure.ends):
                outside.is_driven[closure.body[end]] = 1
    for number in range(len(model.forces)):
        if _may_drive(model, scratch, number):
            for i in model.forces[number].body:
                outside.is_driven[i] = 1


@kernel
def _may_drive(model, scratch, number):
    """True if a force may give energy that is not its own."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    form, body = form_of(force.kind), force.body
    if not is_enabled(p, first):
        return False
    if form == _RESISTANCE:
        resistance = resistance_of(force.kind, p, first)
        return resistance.wind_x != 0.0 or resistance.wind_y != 0.0 or resistance.wind_z != 0.0
    if form == _GIVEN or form == _FIELD:
        return True
    return (body[0] < model.driven and moves(scratch, body[0])) or (body[1] < model.driven and moves(scratch, body[1]))
