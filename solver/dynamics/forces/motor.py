# SPDX-License-Identifier: GPL-3.0-or-later
"""A motor on a body: a force and a torque along its frame, at its point."""

from ...kernel import kernel
from ...mechanism.forces import MotorNumbers
from ...spatial import add, add_to_spatial, cross, load3, rotate
from .points import force_point, frame_axes, point_change


@kernel
def motor_numbers(p, first):
    """Its law's numbers."""
    k = first + 1
    return MotorNumbers(p[k], p[k + 1], p[k + 2], p[k + 3], p[k + 4], p[k + 5])


@kernel
def add_motor(force, bodies, p, first):
    """Adds its wrench to its body's."""
    motor = motor_numbers(p, first)
    body, frame = bodies[force.body[0]], frame_axes(force, bodies, p, first)
    arm, _, _ = force_point(force, bodies, p, first, 0)
    f = rotate(frame, (motor.force_x, motor.force_y, motor.force_z))
    n = rotate(frame, (motor.torque_x, motor.torque_y, motor.torque_z))
    add_to_spatial(body.wrench, add(n, cross(arm, f)), f)


@kernel
def motor_change(force, bodies, changes, p, first):
    """Adds the change of its wrench along a motion: its force and torque turn with the body."""
    motor = motor_numbers(p, first)
    change, frame = changes[force.body[0]], frame_axes(force, bodies, p, first)
    arm, _, _ = force_point(force, bodies, p, first, 0)
    arm_change, _, _ = point_change(force, bodies, changes, p, first, 0)
    turn = load3(change.turn)
    f = rotate(frame, (motor.force_x, motor.force_y, motor.force_z))
    n = rotate(frame, (motor.torque_x, motor.torque_y, motor.torque_z))
    f_change = cross(turn, f)
    n_change = add(cross(turn, n), add(cross(arm_change, f), cross(arm, f_change)))
    add_to_spatial(change.wrench, n_change, f_change)
