# SPDX-License-Identifier: GPL-3.0-or-later
"""Efforts on the axes of joints: springs, dampers, motors. Forces for straight axes (N), torques for others (N m)."""

from ..kernel import kernel
from ..mechanism.model import (
    AXIS_PARAMETERS,
    DAMPING,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    REST,
    STIFFNESS,
    Kind,
    MotorMode,
)
from ..rotation import chart_torque, exponential, logarithm, multiply_quaternions
from ..spatial import add, add_scaled
from .switching import add_switched_efforts

_NO_MOTOR, _MODE_FORCE, _MODE_SPEED = int(MotorMode.NONE), int(MotorMode.FORCE), int(MotorMode.SPEED)
_SPHERICAL = int(Kind.SPHERICAL)


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
            pull, push = _motor_effort(p, mode[axis], k, q[axis], speeds[axis])
            efforts[axis] += pull + push
    for c in range(len(model.charted)):
        body = model.bodies[model.charted[c]]
        if body.kind == _SPHERICAL and len(model.sprung) > 0:
            theta = rotation_coordinates(body, q, state.anchor)
            _spherical_effort(theta, body.axis_start, mode, p, speeds, efforts)
    add_switched_efforts(model, scratch)


@kernel
def _motor_effort(p, mode, k, q, speed):
    """What a joint's motor exerts on one axis: (towards its target coordinate, the rest)."""
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
def _spherical_effort(theta, first, mode, p, speeds, efforts):
    """Springs and motor targets act on the rotation vector, dampers and motor forces along the child's axes."""
    gradient, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for c in range(3):
        k = (first + c) * AXIS_PARAMETERS
        pull, push = p[k + STIFFNESS] * (p[k + REST] - theta[c]), -p[k + DAMPING] * speeds[first + c]
        if mode[first + c] != _NO_MOTOR:
            motor_pull, motor_push = _motor_effort(p, mode[first + c], k, theta[c], speeds[first + c])
            pull, push = pull + motor_pull, push + motor_push
        unit = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        gradient, torque = add_scaled(gradient, pull, unit), add_scaled(torque, push, unit)
    torque = add(torque, chart_torque(theta, gradient))
    for c in range(3):
        efforts[first + c] = torque[c]
