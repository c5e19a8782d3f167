# SPDX-License-Identifier: GPL-3.0-or-later
"""Efforts on the axes of joints: springs, dampers, motors. Forces for straight axes (N), torques for others (N m).

A limit of a spherical joint is one of its rotation vector, which no axis stands for: there it is a stop, stiff enough
that the linkage's whole weight at the end of a lever as long as the linkage presses it in by a milliradian.
"""

from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    DAMPING,
    LOWER,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    REST,
    STIFFNESS,
    UPPER,
    Kind,
    MotorMode,
)
from ...rotation import chart_rate, chart_torque, exponential, logarithm, multiply_quaternions
from ...spatial import add, add_scaled
from .switching import add_switched_efforts

_NO_MOTOR, _MODE_FORCE, _MODE_SPEED = int(MotorMode.NONE), int(MotorMode.FORCE), int(MotorMode.SPEED)
_SPHERICAL = int(Kind.SPHERICAL)
_LOSS = 20.0  # s/rad: a stop gives back a part of about one over this times the speed that it was met with


@kernel
def rotation_coordinates(body, q, anchor):
    """The joint coordinates of a spherical joint: the rotation vector from the pose at zero coordinates."""
    k, c = body.axis_start, body.chart
    start = (anchor[c, 0], anchor[c, 1], anchor[c, 2], anchor[c, 3])
    return logarithm(multiply_quaternions(start, exponential((q[k], q[k + 1], q[k + 2]))))


@kernel
def update_efforts(model, state, scratch):
    """Fills the effort on each axis: -stiffness (q - rest) - damping q' + motor, and what switches (`switching`)."""
    p, q, speeds, mode, efforts = scratch.parameters, state.coordinates, state.speeds, model.motor_mode, scratch.efforts
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        k = axis * AXIS_PARAMETERS
        efforts[axis] = p[k + STIFFNESS] * (p[k + REST] - q[axis]) - p[k + DAMPING] * speeds[axis]
        if mode[axis] != _NO_MOTOR:
            pull, push = motor_effort(p, mode[axis], k, q[axis], speeds[axis])
            efforts[axis] += pull + push
    for c in range(len(model.charted)):
        body = model.bodies[model.charted[c]]
        if body.kind == _SPHERICAL and len(model.sprung) > 0:
            theta = rotation_coordinates(body, q, state.anchor)
            _spherical_effort(model, theta, body.axis_start, p, speeds, efforts)
    add_switched_efforts(model, scratch)


@kernel
def motor_effort(p, mode, k, q, speed):
    """The effort of a joint's motor on one axis: (towards its target coordinate, the rest)."""
    if mode == _MODE_FORCE:
        return 0.0, p[k + MOTOR_VALUE]
    if mode == _MODE_SPEED:
        return 0.0, 0.0
    pull = p[k + MOTOR_STIFFNESS] * (p[k + MOTOR_VALUE] - q)
    drag = -p[k + MOTOR_DAMPING] * speed
    largest = p[k + MOTOR_LIMIT]
    share = largest / abs(pull + drag) if abs(pull + drag) > largest else 1.0
    return share * pull, share * drag


@kernel
def _spherical_effort(model, theta, first, p, speeds, efforts):
    """Springs, motor targets and limits act on the rotation vector, dampers and motor forces along the child's axes."""
    gradient, torque, mode = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), model.motor_mode
    rate = chart_rate(theta, (speeds[first], speeds[first + 1], speeds[first + 2]))
    for c in range(3):
        k = (first + c) * AXIS_PARAMETERS
        pull, push = p[k + STIFFNESS] * (p[k + REST] - theta[c]), -p[k + DAMPING] * speeds[first + c]
        if mode[first + c] != _NO_MOTOR:
            motor_pull, motor_push = motor_effort(p, mode[first + c], k, theta[c], speeds[first + c])
            pull, push = pull + motor_pull, push + motor_push
        pull += _stop(model.stop_stiffness, theta[c] - p[k + LOWER], rate[c])
        pull -= _stop(model.stop_stiffness, p[k + UPPER] - theta[c], -rate[c])
        unit = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        gradient, torque = add_scaled(gradient, pull, unit), add_scaled(torque, push, unit)
    torque = add(torque, chart_torque(theta, gradient))
    for c in range(3):
        efforts[first + c] = torque[c]


@kernel
def _stop(stiffness, gap, rate):
    """Pushes back, and hardly bounces, where a gap (rad) is negative (Hunt and Crossley 1975); it never pulls."""
    return stiffness * -gap * max(0.0, 1.0 - _LOSS * rate) if gap < 0.0 else 0.0
