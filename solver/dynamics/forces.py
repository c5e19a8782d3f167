# SPDX-License-Identifier: GPL-3.0-or-later
"""Applied forces: wrenches on bodies (gravity, motors, dampers, brakes, springs) and efforts on joint axes.

All numbers come from one flat `parameters` array (see `mechanism.model`), so that a table over time, and later an
action, can drive any of them alike. Symbols: c centre of mass, x a point of a body, u its velocity, f force, n moment
about c.
"""

import math

from ..kernel import kernel
from ..mechanism.model import (
    AXIS_PARAMETERS,
    DAMPING,
    FORCE_PARAMETERS,
    MOTOR_DAMPING,
    MOTOR_LIMIT,
    MOTOR_STIFFNESS,
    MOTOR_VALUE,
    REST,
    STIFFNESS,
    ForceKind,
    Kind,
    MotorMode,
)
from ..rotation import chart_torque, exponential, logarithm, multiply_quaternions
from ..spatial import (
    add,
    add_scaled,
    add_to_spatial,
    cross,
    dot,
    load3,
    load9,
    multiply,
    rotate,
    scale,
    store_spatial,
    subtract,
    unrotate,
)

_MOTOR, _DAMPING, _BRAKE, _SPRING = (
    int(ForceKind.MOTOR),
    int(ForceKind.DAMPING),
    int(ForceKind.BRAKE),
    int(ForceKind.SPRING),
)
_NO_MOTOR, _MODE_FORCE = int(MotorMode.NONE), int(MotorMode.FORCE)
_SPHERICAL = int(Kind.SPHERICAL)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def update_parameters(model, time, scratch):
    """Writes the values that tables have at this time: linear between their times, constant outside."""
    points = model.points
    for number in range(len(model.tables)):
        table = model.tables[number]
        first, last = table.start, table.end - 1
        if time <= points[first, 0]:
            value = points[first, 1]
        elif time >= points[last, 0]:
            value = points[last, 1]
        else:
            k = first
            while points[k + 1, 0] <= time:
                k += 1
            share = (time - points[k, 0]) / (points[k + 1, 0] - points[k, 0])
            value = points[k, 1] + share * (points[k + 1, 1] - points[k, 1])
        scratch.parameters[table.target] = value


@kernel
def update_wrenches(model, scratch):
    """Fills the wrench of each body; gravity first, then the forces in the file's order."""
    p, bodies = scratch.parameters, scratch.bodies
    gravity = len(p) - 3 * len(bodies)
    for i in range(model.driven, len(bodies)):
        k, m = gravity + 3 * i, model.bodies[i].mass
        store_spatial(bodies[i].wrench, _ZERO, (m * p[k], m * p[k + 1], m * p[k + 2]))
    start = gravity - len(model.forces) * FORCE_PARAMETERS
    for number in range(len(model.forces)):
        force, first = model.forces[number], start + number * FORCE_PARAMETERS
        if p[first] == 0.0:
            continue
        if force.kind == _MOTOR:
            _motor(force, bodies, p, first)
        elif force.kind == _DAMPING:
            _damping(bodies[force.body[0]], p, first)
        elif force.kind == _BRAKE:
            _brake(force, bodies, p, first)
        elif force.kind == _SPRING:
            _spring(model.driven, force, bodies, p, first)


@kernel
def force_point(force, bodies, end):
    """(arm from the body's reference point, position, velocity) of one end of a force."""
    body = bodies[force.body[end]]
    arm = rotate(load9(body.rotation), (force.point[end, 0], force.point[end, 1], force.point[end, 2]))
    velocity = add(load3(body.linear), cross(load3(body.angular), arm))
    return arm, add(load3(body.center), arm), velocity


@kernel
def _motor(force, bodies, p, first):
    body = bodies[force.body[0]]
    frame = multiply(load9(body.rotation), load9(force.rotation))
    arm, _, _ = force_point(force, bodies, 0)
    f = rotate(frame, (p[first + 1], p[first + 2], p[first + 3]))
    n = rotate(frame, (p[first + 4], p[first + 5], p[first + 6]))
    add_to_spatial(body.wrench, add(n, cross(arm, f)), f)


@kernel
def _damping(body, p, first):
    n, f = scale(-p[first + 2], load3(body.angular)), scale(-p[first + 1], load3(body.linear))
    add_to_spatial(body.wrench, n, f)


@kernel
def _brake(force, bodies, p, first):
    """Viscous at its point along its frame's axes; held within the largest force where one is given."""
    body = bodies[force.body[0]]
    frame = multiply(load9(body.rotation), load9(force.rotation))
    arm, _, velocity = force_point(force, bodies, 0)
    u = unrotate(frame, velocity)
    f = rotate(frame, (-p[first + 1] * u[0], -p[first + 2] * u[1], -p[first + 3] * u[2]))
    size, largest = math.sqrt(dot(f, f)), p[first + 4]
    if size > largest:
        f = scale(largest / size, f)
    add_to_spatial(body.wrench, cross(arm, f), f)


@kernel
def spring_length(force, bodies):
    """(arms, direction from the first end to the second, length, rate of length) of a spring."""
    arm_a, a, velocity_a = force_point(force, bodies, 0)
    arm_b, b, velocity_b = force_point(force, bodies, 1)
    span = subtract(b, a)
    length = math.sqrt(dot(span, span))
    # ends that coincide have no direction to pull in
    direction = scale(1.0 / length, span) if length > 0.0 else _ZERO
    return arm_a, arm_b, direction, length, dot(direction, subtract(velocity_b, velocity_a))


@kernel
def _spring(driven, force, bodies, p, first):
    arm_a, arm_b, direction, length, rate = spring_length(force, bodies)
    pull = p[first + 1] * (length - p[first + 2]) + p[first + 3] * rate
    if force.body[0] >= driven:
        f = scale(pull, direction)
        add_to_spatial(bodies[force.body[0]].wrench, cross(arm_a, f), f)
    if force.body[1] >= driven:
        f = scale(-pull, direction)
        add_to_spatial(bodies[force.body[1]].wrench, cross(arm_b, f), f)


@kernel
def rotation_coordinates(body, q, anchor):
    """The joint coordinates of a spherical joint: the rotation vector from the pose at zero coordinates."""
    k, c = body.axis_start, body.chart
    start = (anchor[c, 0], anchor[c, 1], anchor[c, 2], anchor[c, 3])
    return logarithm(multiply_quaternions(start, exponential((q[k], q[k + 1], q[k + 2]))))


@kernel
def update_efforts(model, state, scratch):
    """Fills the effort on each axis: -stiffness (q - rest) - damping q' + motor."""
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


@kernel
def _motor_effort(p, mode, k, q, speed):
    """What a joint's motor exerts on one axis: (towards its target coordinate, the rest)."""
    if mode == _MODE_FORCE:
        return 0.0, p[k + MOTOR_VALUE]
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
