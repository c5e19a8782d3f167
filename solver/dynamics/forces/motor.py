# SPDX-License-Identifier: GPL-3.0-or-later
"""A motor on a body: a force and a torque along its frame, at its point."""

from ...kernel import kernel
from ...mechanism.forces import MotorNumbers
from ...spatial import add, add_to_spatial, cross, rotate
from .points import force_point, frame_axes


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
