# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffness and damping on the axes of joints: springs, dampers, stops, motors that keep a position."""

from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    DAMPING,
    LOWER,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    STIFFNESS,
    UPPER,
    MotorMode,
)
from ...rotation import chart_rate
from ...spatial import dot
from ..forces.curves import axis_curve_tangent, has_axis_curves
from ..forces.drives import is_within
from ..forces.joint_forces import rotation_coordinates, stop_tangent
from ..tree.joints import has_rotation_vector

_POSITION = int(MotorMode.POSITION)


@kernel
def resist_on_axes(model, state, scratch, work, h):
    """Fills the gain h c + h^2 k of all axes, and the efforts with which they resist the explicit step of h (s)."""
    q, u, second = state.coordinates, state.speeds, scratch.accelerations
    for k in range(len(work.axis_gain)):
        work.axis_gain[k] = work.effort[k] = 0.0
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        stiffness, damping = _tangent(model, scratch, axis, q[axis], u[axis])
        _resist(work, axis, stiffness, work.damps[0] * damping, u[axis], second[axis], h)
    for c in range(len(model.charted)):
        body = model.bodies[model.charted[c]]
        if has_rotation_vector(body.kind) and len(model.sprung) > 0:
            _resist_turning(model, state, scratch, work, body, h)
    for f in range(len(model.followed)):
        body = model.bodies[model.followed[f].body]
        for axis in range(body.axis_start, body.axis_end):
            if is_within(scratch.drives[axis]):
                _resist_by_drive(work, axis, scratch.drives[axis], u[axis], second[axis], h)


@kernel
def _resist_by_drive(work, axis, drive, speed, second, h):
    """Adds what a drive resists with, whose target's own motion is left to `implicit_change`."""
    change = h * second
    work.axis_gain[axis] += h * (drive.damping + h * drive.stiffness)
    work.effort[axis] -= drive.damping * change + drive.stiffness * h * (speed + change)


@kernel
def _resist(work, axis, stiffness, damping, speed, second, h):
    change = h * second
    work.axis_gain[axis] = h * (damping + h * stiffness)
    work.effort[axis] = -damping * change - stiffness * h * (speed + change)


@kernel
def _tangent(model, scratch, axis, q, speed):
    """(stiffness, damping) of an axis; a motor at its maximum has none."""
    p, k = scratch.parameters, axis * AXIS_PARAMETERS
    stiffness, damping = p[k + STIFFNESS], p[k + DAMPING]
    if model.motor_mode[axis] == _POSITION:
        asked = p[k + MOTOR_STIFFNESS] * (p[k + MOTOR_VALUE] - q) - p[k + MOTOR_DAMPING] * speed
        if abs(asked) <= p[k + MOTOR_LIMIT]:
            stiffness, damping = stiffness + p[k + MOTOR_STIFFNESS], damping + p[k + MOTOR_DAMPING]
    if has_axis_curves(model):
        _, more, drag = axis_curve_tangent(model, p, axis, q, speed)
        stiffness, damping = stiffness + more, damping + drag
    return stiffness, damping


@kernel
def _resist_turning(model, state, scratch, work, body, h):
    """Springs of a ball joint act on its rotation vector: T^T k T along its axes, T its rate by their speeds."""
    p, u, second, first = scratch.parameters, state.speeds, scratch.accelerations, body.axis_end - 3
    theta = rotation_coordinates(body, state.coordinates, state.anchor)
    rate = chart_rate(theta, (u[first], u[first + 1], u[first + 2]))
    x, y, z = chart_rate(theta, (1.0, 0.0, 0.0)), chart_rate(theta, (0.0, 1.0, 0.0)), chart_rate(theta, (0.0, 0.0, 1.0))
    for c in range(3):
        _, damping = _tangent(model, scratch, first + c, theta[c], u[first + c])
        _resist(work, first + c, 0.0, work.damps[0] * damping, u[first + c], second[first + c], h)
        work.cross_gain[first + c, 0] = work.cross_gain[first + c, 1] = 0.0
    change = (h * second[first], h * second[first + 1], h * second[first + 2])
    shift = (h * (u[first] + change[0]), h * (u[first + 1] + change[1]), h * (u[first + 2] + change[2]))
    for c in range(3):
        k = (first + c) * AXIS_PARAMETERS
        stiffness, damping = p[k + STIFFNESS], 0.0
        if model.motor_mode[first + c] == _POSITION:
            stiffness, _ = _tangent(model, scratch, first + c, theta[c], u[first + c])
        for side in range(2):
            gap = theta[c] - p[k + LOWER] if side == 0 else p[k + UPPER] - theta[c]
            of_stop = stop_tangent(model.stop_stiffness, gap, rate[c] if side == 0 else -rate[c])
            stiffness, damping = stiffness + of_stop[0], damping + work.damps[0] * of_stop[1]
        t = (x[c], y[c], z[c])
        push = -stiffness * dot(t, shift) - damping * dot(t, change)
        gain = h * (damping + h * stiffness)
        for axis in range(3):
            work.effort[first + axis] += push * t[axis]
            work.axis_gain[first + axis] += gain * t[axis] * t[axis]
        work.cross_gain[first + 1, 0] += gain * t[0] * t[1]
        work.cross_gain[first + 2, 0] += gain * t[1] * t[2]
        work.cross_gain[first + 2, 1] += gain * t[0] * t[2]
