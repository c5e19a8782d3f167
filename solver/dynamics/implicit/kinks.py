# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinks of forces: where one begins to act, ends, or comes to its largest, each with a margin that is zero there.

A step over such a moment is not smooth. What jumps has modes besides (`forces.switching`), whose margins are looked at
where steps end; here it is seen on the way, so that no long step goes into a limit and out again.
"""

import math

import numpy as np

from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    LOWER,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    UPPER,
    Hold,
    Model,
    MotorMode,
)
from ...spatial import unrotate
from ..forces.curves import has_axis_curves
from ..forces.expression import note_kinks
from ..forces.joint_forces import rotation_coordinates
from ..forces.laws import Form, form_of, gap_of, is_one_sided, resistance_axes, resistance_of
from ..forces.points import first_parameter, force_point, is_enabled
from ..forces.resistance import BOUNDED
from ..tree.joints import has_rotation_vector

_POSITION = int(MotorMode.POSITION)
_RESISTANCE, _NOTHING = int(Form.RESISTANCE), int(Hold.NOTHING)
_SIDES = 6  # of a ball joint's limits
NO_KINK = 1e300  # margin of what has none


def count_kinks(model: Model) -> int:
    """The number of margins: of forces, ball joints' limits, motors or stops, what switches in joints, expressions."""
    forces = model.forces
    may = any(is_one_sided(kind) or form_of(kind) == Form.RESISTANCE for kind in forces.kind)
    numbers = model.parameters[: AXIS_PARAMETERS * len(model.armature)].reshape(-1, AXIS_PARAMETERS)
    may = may or bool(np.any(numbers[:, MOTOR_LIMIT] < np.inf))
    balls = np.array([has_rotation_vector(kind) for kind in model.bodies.kind[model.charted]], bool)
    may = may or bool(balls.any() and len(model.sprung))
    may = may or len(model.switched) > 0 or len(model.followed) > 0 or len(model.axis_curves) > 0
    of_expressions = int(forces.kinks.sum())
    own = len(forces) + _SIDES * len(model.charted) + len(model.armature) + 2 * len(model.switched)
    return own + of_expressions if may or of_expressions else 0


@kernel
def note_margins(model, state, scratch, margins):
    """Fills the margins of a state that has just been evaluated, as parts of the size, rad, or of the largest force."""
    if len(margins) == 0:
        return
    forces, charts = len(model.forces), len(model.charted)
    for number in range(forces):
        margins[number] = _of_force(model, scratch, number)
    for c in range(charts):
        first = forces + _SIDES * c
        for side in range(_SIDES):
            margins[first + side] = NO_KINK
        body = model.bodies[model.charted[c]]
        if has_rotation_vector(body.kind) and len(model.sprung) > 0:
            theta = rotation_coordinates(body, state.coordinates, state.anchor)
            for axis in range(3):
                k = (body.axis_end - 3 + axis) * AXIS_PARAMETERS
                margins[first + 2 * axis] = theta[axis] - scratch.parameters[k + LOWER]
                margins[first + 2 * axis + 1] = scratch.parameters[k + UPPER] - theta[axis]
    first = forces + _SIDES * charts
    for axis in range(len(model.armature)):
        margin = _of_motor(model, state, scratch, axis)
        margins[first + axis] = margin if margin < NO_KINK else _of_stops(model, state, scratch, axis)
    first += len(model.armature)
    for number in range(len(model.switched)):
        margins[first + 2 * number] = _of_limits(model, state, scratch, number)
        margins[first + 2 * number + 1] = _of_friction(model, state, scratch, number)
    first += 2 * len(model.switched)
    for number in range(forces):
        first = note_kinks(model, scratch, number, first_parameter(model, number), margins, first)


@kernel
def _of_force(model, scratch, number):
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if not is_enabled(p, first) or (force.switches and scratch.closed[number]):
        return NO_KINK
    if is_one_sided(force.kind):
        return gap_of(model, scratch, number) / model.size
    if form_of(force.kind) != _RESISTANCE:
        return NO_KINK
    law = resistance_of(force.kind, p, first)
    if law.way != BOUNDED or not law.largest < math.inf or not law.largest > 0.0:
        return NO_KINK
    _, _, velocity = force_point(force, scratch.bodies, p, first, 0)
    u = unrotate(resistance_axes(force, scratch.bodies, p, first), velocity)
    size = math.sqrt((law.x * u[0]) ** 2 + (law.y * u[1]) ** 2 + (law.z * u[2]) ** 2)
    return 1.0 - size / law.largest


@kernel
def _of_motor(model, state, scratch, axis):
    p, k = scratch.parameters, axis * AXIS_PARAMETERS
    if len(scratch.drives) > 0 and 0.0 < scratch.drives[axis].limit < math.inf:
        return 1.0 - abs(scratch.drives[axis].asked) / scratch.drives[axis].limit
    largest = p[k + MOTOR_LIMIT]
    if model.motor_mode[axis] != _POSITION or not largest < math.inf or not largest > 0.0:
        return NO_KINK
    pull = p[k + MOTOR_STIFFNESS] * (p[k + MOTOR_VALUE] - state.coordinates[axis])
    return 1.0 - abs(pull - p[k + MOTOR_DAMPING] * state.speeds[axis]) / largest


@kernel
def _of_stops(model, state, scratch, axis):
    """Of limits that give way: how far the axis is from both."""
    if not has_axis_curves(model) or model.axis_curves[axis].stops[1] == model.axis_curves[axis].stops[0]:
        return NO_KINK
    k, q, p = axis * AXIS_PARAMETERS, state.coordinates[axis], scratch.parameters
    unit = 1.0 / model.size if model.is_length[axis] else 1.0
    return unit * min(q - p[k + LOWER], p[k + UPPER] - q)


@kernel
def _of_limits(model, state, scratch, number):
    switch, p = model.switched[number], scratch.parameters
    if scratch.switches[number].hold != _NOTHING or not switch.bounded:
        return NO_KINK
    k, q = switch.axis * AXIS_PARAMETERS, state.coordinates[switch.axis]
    unit = 1.0 / model.size if model.is_length[switch.axis] else 1.0
    return unit * min(q - p[k + LOWER], p[k + UPPER] - q)


@kernel
def _of_friction(model, state, scratch, number):
    """Its margin while it slides: the speed, in units of the size."""
    switch, moving = model.switched[number], scratch.switches[number]
    if moving.hold != _NOTHING or moving.friction == 0.0:
        return NO_KINK
    unit = 1.0 / model.size if model.is_length[switch.axis] else 1.0
    return -unit * moving.friction * state.speeds[switch.axis]


@kernel
def share_before_kink(before, now, near):
    """The part of a way after which the first margin vanishes, a little behind that; 1 if none does."""
    least = 1.0
    for k in range(len(before)):
        a, b = before[k], now[k]
        if max(abs(a), abs(b)) < NO_KINK and min(abs(a), abs(b)) > near and (a < 0.0) != (b < 0.0):
            least = min(least, (abs(a) + 0.5 * near) / (abs(a) + abs(b)))
    return least
