# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs and dampers of joints that are too stiff for a step: they act with what they will be at its end.

The smooth motion goes on without them; with speed u and coordinate q where it has led, a change d of the speed shifts
the coordinate by h d / 2, and their impulse is that of a step on from there,
    h (k (rest - q - h d / 2 - h (u + d)) - c (u + d)),
so that (M + G) d = h (k (rest - q - h u) - c u), with G = h (c + 3/2 h k) added to the axis's own inertia (Baraff and
Witkin 1998, for one axis). What is at rest has exactly the effort that holds it. A motor with a maximum that is as
stiff becomes a row of its joint's block instead, soft by 1 / G and bounded (`contact.impulses.blocks`). Drives of what
follows its keys are treated alike, in coordinates and speeds beside their target's. What acts by tables does so with
its force there, and with k and c of its tangent.
"""

import math
from typing import NamedTuple

import numpy as np

from ...contact.impulses.propagation import apply_omega
from ...dynamics.forces.curves import axis_curve_tangent, has_axis_curves
from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    DAMPING,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    REST,
    STIFFNESS,
    Kind,
    Model,
    MotorMode,
)
from ...spatial import add, dot, load_angular, load_linear

_POSITION = int(MotorMode.POSITION)
FOLLOWS, STIFFLY = 1, 2
_STIFF = 0.3  # of a speed: what a spring or damper may undo within a step without being stiff


class Implicit(NamedTuple):
    """Axes whose springs are stiff, as of the last step."""

    in_chart: np.ndarray  # (A,) int64: 1 for those of spherical joints; only their dampers are taken here
    is_stiff: np.ndarray  # (A,) int64
    follows: np.ndarray  # (A,) int64: FOLLOWS of those that drives lead, STIFFLY where the drive is stiff


def new_implicit(model: Model) -> Implicit:
    """Nothing is known to be stiff yet."""
    axes = len(model.armature)
    in_chart = np.zeros(axes, np.int64)
    for body in model.bodies[model.charted]:
        in_chart[body.axis_end - 3 : body.axis_end] = body.kind != Kind.FREE
    follows = np.zeros(axes, np.int64)
    for body in model.bodies[model.followed.body]:
        follows[body.axis_start : body.axis_end] = FOLLOWS
    return Implicit(in_chart, np.zeros(axes, np.int64), follows)


@kernel
def linear_spring(model, scratch, implicit, axis):
    """(stiffness, rest, damping) of an axis, a motor that keeps a position and has no maximum included."""
    p, k = scratch.parameters, axis * AXIS_PARAMETERS
    damping = p[k + DAMPING]
    if implicit.in_chart[axis]:
        return 0.0, 0.0, damping
    stiffness, rest = p[k + STIFFNESS], p[k + REST]
    if model.motor_mode[axis] == _POSITION and p[k + MOTOR_LIMIT] == math.inf:
        total = stiffness + p[k + MOTOR_STIFFNESS]
        if total > 0.0:
            rest = (stiffness * rest + p[k + MOTOR_STIFFNESS] * p[k + MOTOR_VALUE]) / total
        return total, rest, damping + p[k + MOTOR_DAMPING]
    return stiffness, rest, damping


@kernel
def leave_out_stiff(model, scratch, implicit, contact, state, only_servos):
    """Leaves what is stiff out of the efforts; `only_servos`: only what rows do."""
    q, u, efforts = state.coordinates, state.speeds, scratch.efforts
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        if implicit.follows[axis]:
            if contact.servo[axis] or (implicit.follows[axis] == STIFFLY and not only_servos):
                efforts[axis] -= scratch.drives[axis].pull
        elif contact.servo[axis]:
            stiffness, rest, damping = linear_spring(model, scratch, implicit, axis)
            efforts[axis] = stiffness * (rest - q[axis]) - damping * u[axis]
            efforts[axis] += _by_tables(model, scratch, axis, q[axis], u[axis])[0]
        if implicit.is_stiff[axis] and not only_servos:
            stiffness, rest, damping = linear_spring(model, scratch, implicit, axis)
            now = stiffness * (rest - q[axis]) - damping * u[axis]
            efforts[axis] -= now + _by_tables(model, scratch, axis, q[axis], u[axis])[0]


@kernel
def hold_stiff(model, scratch, implicit, state, h):
    """Adds G, for a step of h (s) that ends in a state, to the inertia of axes whose springs are stiff; h = 0: none."""
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        stiffness, _, damping = linear_spring(model, scratch, implicit, axis)
        if has_axis_curves(model) and implicit.is_stiff[axis]:
            q, u = state.coordinates[axis], state.speeds[axis]
            _, more, drag = _by_tables(model, scratch, axis, q, u)
            stiffness, damping = stiffness + more, damping + drag
        scratch.axes[axis].held = h * (damping + 1.5 * h * stiffness) if implicit.is_stiff[axis] else 0.0
        if implicit.follows[axis] == STIFFLY:
            drive = scratch.drives[axis]
            scratch.axes[axis].held += h * (drive.damping + 1.5 * h * drive.stiffness)


@kernel
def push_stiff(model, scratch, implicit, walk, state, h):
    """Notes what stiff springs change at the end of a step, for `settle_impulses`."""
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        if implicit.is_stiff[axis]:
            stiffness, rest, damping = linear_spring(model, scratch, implicit, axis)
            u = state.speeds[axis]
            walk.effort[axis] += h * (stiffness * (rest - state.coordinates[axis] - h * u) - damping * u)
            if has_axis_curves(model):
                effort, more, _ = _by_tables(model, scratch, axis, state.coordinates[axis], u)
                walk.effort[axis] += h * (effort - h * more * u)
        if implicit.follows[axis] == STIFFLY:
            drive = scratch.drives[axis]
            lag = drive.rate - state.speeds[axis]
            walk.effort[axis] += h * (drive.stiffness * (drive.error + h * lag) + drive.damping * lag)


@kernel
def choose_stiff(model, scratch, implicit, contact, walk, state, h):
    """Which springs and bounded motors are stiff in steps of h (s) from a state; what was stiff once remains so.

    What acts by tables is so where it is, or will be in two steps. walk.omega: without the inertia of what is stiff, as
    the smooth motion knows it. Returns whether there are more now.
    """
    p, found = scratch.parameters, False
    for i in range(model.driven, len(model.bodies)):
        for axis in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            k = axis * AXIS_PARAMETERS
            mobility = _mobility(walk, model.bodies[i].inner, i, scratch.axes[axis].S)
            is_bounded = model.motor_mode[axis] == _POSITION and p[k + MOTOR_LIMIT] < math.inf
            motor = h * (p[k + MOTOR_DAMPING] + 1.5 * h * p[k + MOTOR_STIFFNESS])
            is_servo = is_bounded and not implicit.in_chart[axis] and motor * mobility > _STIFF
            found = found or (is_servo and not contact.servo[axis])
            contact.servo[axis] = 1 if is_servo or contact.servo[axis] else 0
            stiffness, _, damping = linear_spring(model, scratch, implicit, axis)
            if has_axis_curves(model):
                more, drag = _steepest_ahead(model, scratch, axis, state, h)
                stiffness, damping = stiffness + more, damping + drag
            inertia = h * (damping + 1.5 * h * stiffness)
            is_stiff = inertia * mobility > _STIFF
            found = found or (is_stiff and not implicit.is_stiff[axis])
            implicit.is_stiff[axis] = 1 if is_stiff or implicit.is_stiff[axis] else 0
            if implicit.follows[axis]:
                found = _choose_drive(scratch.drives[axis], implicit, contact, axis, mobility, h) or found
    return found


@kernel
def _by_tables(model, scratch, axis, q, u):
    """(effort, stiffness, damping) of the tables of an axis; in a chart it has no more than its damper's."""
    if not has_axis_curves(model):
        return 0.0, 0.0, 0.0
    return axis_curve_tangent(model, scratch.parameters, axis, q, u)


@kernel
def _steepest_ahead(model, scratch, axis, state, h):
    """(stiffness, damping) of the tables of an axis, the largest now and in the next two steps of h (s)."""
    stiffness = damping = 0.0
    q, u = state.coordinates[axis], state.speeds[axis]
    for step in range(3):
        _, more, drag = _by_tables(model, scratch, axis, q + step * h * u, u)
        stiffness, damping = max(stiffness, more), max(damping, drag)
    return stiffness, damping


@kernel
def _choose_drive(drive, implicit, contact, axis, mobility, h):
    """Tells of a drive whether it is stiff, which one with a limit is as a row; True if that is new."""
    is_stiff = h * (drive.damping + 1.5 * h * drive.stiffness) * mobility > _STIFF
    if drive.limit < math.inf:
        found = is_stiff and not contact.servo[axis]
        contact.servo[axis] = 1 if is_stiff or contact.servo[axis] else 0
        return found
    found = is_stiff and implicit.follows[axis] != STIFFLY
    implicit.follows[axis] = STIFFLY if is_stiff else implicit.follows[axis]
    return found


@kernel
def _mobility(walk, inner, i, S):
    """1/(kg m2) or 1/kg: at most what an effort on an axis makes of it, of both bodies at its joint."""
    turn, travel = load_angular(S), load_linear(S)
    if dot(turn, turn) > 0.0:
        travel = (0.0, 0.0, 0.0)
    angular, linear = apply_omega(walk.omega[inner], turn, travel)
    w, v = apply_omega(walk.omega[i], turn, travel)
    return dot(add(angular, w), turn) + dot(add(linear, v), travel)
