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
    MotorMode,
)
from ...rotation import (
    chart_rate,
    chart_rate_change,
    chart_torque,
    chart_torque_change,
    exponential,
    logarithm,
    multiply_quaternions,
)
from ...spatial import add, add_scaled
from ..tree.joints import has_rotation_vector
from .curves import axis_curve_change, axis_drag, axis_pull, has_axis_curves
from .drives import add_drives
from .switching import add_switched_efforts, friction_change

_NO_MOTOR, _MODE_FORCE, _MODE_SPEED = int(MotorMode.NONE), int(MotorMode.FORCE), int(MotorMode.SPEED)
_ZERO = (0.0, 0.0, 0.0)
_LOSS = 20.0  # s/rad: a stop gives back a part of about one over this times the speed that it was met with


@kernel
def rotation_coordinates(body, q, anchor):
    """The rotation vector from the pose at zero coordinates: a joint's coordinates where its turns are a chart."""
    k, c = body.axis_end - 3, body.chart
    start = (anchor[c, 0], anchor[c, 1], anchor[c, 2], anchor[c, 3])
    return logarithm(multiply_quaternions(start, exponential((q[k], q[k + 1], q[k + 2]))))


@kernel
def update_efforts(model, state, scratch):
    """Fills the effort on each axis: -stiffness (q - rest) - damping q' + motor, tables, `drives`, and `switching`."""
    p, q, speeds, mode, efforts = scratch.parameters, state.coordinates, state.speeds, model.motor_mode, scratch.efforts
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        k = axis * AXIS_PARAMETERS
        efforts[axis] = p[k + STIFFNESS] * (p[k + REST] - q[axis]) - p[k + DAMPING] * speeds[axis]
        if mode[axis] != _NO_MOTOR:
            pull, push = motor_effort(p, mode[axis], k, q[axis], speeds[axis])
            efforts[axis] += pull + push
        if has_axis_curves(model):
            efforts[axis] += (
                axis_pull(model, p, axis, q[axis], speeds[axis])[0] + axis_drag(model, axis, speeds[axis])[0]
            )
    for c in range(len(model.charted)):
        body = model.bodies[model.charted[c]]
        if has_rotation_vector(body.kind) and len(model.sprung) > 0:
            theta = rotation_coordinates(body, q, state.anchor)
            _spherical_effort(model, theta, body.axis_end - 3, p, speeds, efforts)
    add_drives(model, state, scratch)
    add_switched_efforts(model, speeds, scratch)


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
        if has_axis_curves(model):
            push += axis_drag(model, first + c, speeds[first + c])[0]
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


@kernel
def change_efforts(model, state, scratch, motion, speeds_change, change):
    """Fills the change (A,) of the efforts along a motion (A,) of the axes and a change (A,) of their speeds.

    In a chart the motion is along the child's axes. A motor at its largest effort changes nothing; stops have the slope
    of the side that they are on. Motors that keep a speed push with all they have or hold, and do not change while
    their mode lasts; neither does what friction holds, and what slides changes along Stribeck's curve.
    """
    p, mode = scratch.parameters, model.motor_mode
    for k in range(len(change)):
        change[k] = 0.0
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        k, moved, faster = axis * AXIS_PARAMETERS, motion[axis], speeds_change[axis]
        change[axis] = -p[k + STIFFNESS] * moved - p[k + DAMPING] * faster
        if mode[axis] != _NO_MOTOR:
            pull, push = _motor_change(p, mode[axis], k, state.coordinates[axis], state.speeds[axis], moved, faster)
            change[axis] += pull + push
        if has_axis_curves(model):
            q, u = state.coordinates[axis], state.speeds[axis]
            pull, push = axis_curve_change(model, p, axis, q, u, moved, faster)
            change[axis] += pull + push
    for c in range(len(model.charted)):
        body = model.bodies[model.charted[c]]
        if has_rotation_vector(body.kind) and len(model.sprung) > 0:
            theta = rotation_coordinates(body, state.coordinates, state.anchor)
            first = body.axis_end - 3
            moved = (motion[first], motion[first + 1], motion[first + 2])
            _spherical_change(model, theta, first, p, state.speeds, moved, speeds_change, change)
    for number in range(len(model.switched)):
        axis, way = model.switched[number].axis, scratch.switches[number].friction
        if way != 0.0:
            change[axis] += way * friction_change(p, axis * AXIS_PARAMETERS, state.speeds[axis], speeds_change[axis])


@kernel
def _motor_change(p, mode, k, q, speed, moved, faster):
    """The change of `motor_effort`."""
    if mode == _MODE_FORCE or mode == _MODE_SPEED:
        return 0.0, 0.0
    pull, drag = p[k + MOTOR_STIFFNESS] * (p[k + MOTOR_VALUE] - q), -p[k + MOTOR_DAMPING] * speed
    pull_change, drag_change = -p[k + MOTOR_STIFFNESS] * moved, -p[k + MOTOR_DAMPING] * faster
    total, largest = pull + drag, p[k + MOTOR_LIMIT]
    if abs(total) <= largest:
        return pull_change, drag_change
    share = largest / abs(total)
    less = -share * (pull_change + drag_change) / total
    return share * pull_change + less * pull, share * drag_change + less * drag


@kernel
def _spherical_change(model, theta, first, p, speeds, moved, speeds_change, change):
    """Writes the change of `_spherical_effort`."""
    gradient, gradient_change, torque_change, mode = _ZERO, _ZERO, _ZERO, model.motor_mode
    omega = (speeds[first], speeds[first + 1], speeds[first + 2])
    omega_change = (speeds_change[first], speeds_change[first + 1], speeds_change[first + 2])
    theta_change, rate = chart_rate(theta, moved), chart_rate(theta, omega)
    rate_change = chart_rate_change(theta, omega, theta_change, omega_change)
    for c in range(3):
        k = (first + c) * AXIS_PARAMETERS
        pull, pull_change = p[k + STIFFNESS] * (p[k + REST] - theta[c]), -p[k + STIFFNESS] * theta_change[c]
        push_change = -p[k + DAMPING] * omega_change[c]
        if mode[first + c] != _NO_MOTOR:
            kind, at, moving = mode[first + c], theta[c], omega[c]
            pull += motor_effort(p, kind, k, at, moving)[0]
            more, drag = _motor_change(p, kind, k, at, moving, theta_change[c], omega_change[c])
            pull_change, push_change = pull_change + more, push_change + drag
        if has_axis_curves(model):
            push_change += axis_drag(model, first + c, omega[c])[1] * omega_change[c]
        stiffness, low, high = model.stop_stiffness, theta[c] - p[k + LOWER], p[k + UPPER] - theta[c]
        pull += _stop(stiffness, low, rate[c]) - _stop(stiffness, high, -rate[c])
        pull_change += _stop_change(stiffness, low, rate[c], theta_change[c], rate_change[c])
        pull_change -= _stop_change(stiffness, high, -rate[c], -theta_change[c], -rate_change[c])
        unit = (1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0)
        gradient, gradient_change = add_scaled(gradient, pull, unit), add_scaled(gradient_change, pull_change, unit)
        torque_change = add_scaled(torque_change, push_change, unit)
    torque_change = add(torque_change, chart_torque_change(theta, gradient, theta_change, gradient_change))
    for c in range(3):
        change[first + c] = torque_change[c]


@kernel
def _stop_change(stiffness, gap, rate, gap_change, rate_change):
    """The change of `_stop`."""
    share = 1.0 - _LOSS * rate
    if not gap < 0.0 or not share > 0.0:
        return 0.0
    return stiffness * (-gap_change * share + gap * _LOSS * rate_change)


@kernel
def stop_tangent(stiffness, gap, rate):
    """Stiffness (N m/rad) and damping (N m s/rad) of a stop, as long as it pushes."""
    return -_stop_change(stiffness, gap, rate, 1.0, 0.0), -_stop_change(stiffness, gap, rate, 0.0, 1.0)
