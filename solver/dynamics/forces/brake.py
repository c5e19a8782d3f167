# SPDX-License-Identifier: GPL-3.0-or-later
"""A brake: viscous at its point along its frame's axes, held within a largest force where one is given."""

import math

from ...kernel import kernel
from ...mechanism.forces import BrakeNumbers
from ...spatial import add, add_scaled, add_to_spatial, cross, dot, load3, rotate, scale, subtract, unrotate
from .points import force_point, frame_axes, point_change
from .resistance import BOUNDED, Resistance


@kernel
def brake_numbers(p, first):
    """Its law's numbers."""
    return BrakeNumbers(p[first + 1], p[first + 2], p[first + 3], p[first + 4])


@kernel
def add_brake(force, bodies, p, first):
    """Adds its wrench to its body's."""
    brake = brake_numbers(p, first)
    body, frame = bodies[force.body[0]], frame_axes(force, bodies, p, first)
    arm, _, velocity = force_point(force, bodies, p, first, 0)
    u = unrotate(frame, velocity)
    f = rotate(frame, (-brake.x * u[0], -brake.y * u[1], -brake.z * u[2]))
    size = math.sqrt(dot(f, f))
    if size > brake.largest:
        f = scale(brake.largest / size, f)
    add_to_spatial(body.wrench, cross(arm, f), f)


@kernel
def brake_resistance(p, first):
    """As rows for impulses have it."""
    brake = brake_numbers(p, first)
    return Resistance(BOUNDED, 3, brake.x, brake.y, brake.z, 0.0, brake.largest, 0.0, 0.0, 0.0)


@kernel
def brake_undone(p, first, h, along):
    """The part of its point's speed that it undoes in h (s), by mobilities along the axes of its frame."""
    brake = brake_numbers(p, first)
    return h * (brake.x * along[0] + brake.y * along[1] + brake.z * along[2])


@kernel
def brake_tangent(p, first):
    """Damping along the axes of its frame (N s/m), while it is not held within its largest force."""
    brake = brake_numbers(p, first)
    return brake.x, brake.y, brake.z


@kernel
def brake_change(force, bodies, changes, p, first):
    """Adds the change of its wrench along a motion. At its largest force only the direction changes."""
    brake, change = brake_numbers(p, first), changes[force.body[0]]
    frame, turn = frame_axes(force, bodies, p, first), load3(change.turn)
    arm, _, velocity = force_point(force, bodies, p, first, 0)
    arm_change, _, velocity_change = point_change(force, bodies, changes, p, first, 0)
    u = unrotate(frame, velocity)
    u_change = unrotate(frame, subtract(velocity_change, cross(turn, velocity)))
    f = rotate(frame, (-brake.x * u[0], -brake.y * u[1], -brake.z * u[2]))
    f_change = rotate(frame, (-brake.x * u_change[0], -brake.y * u_change[1], -brake.z * u_change[2]))
    f_change = add(f_change, cross(turn, f))
    size = math.sqrt(dot(f, f))
    if size > brake.largest:
        share = brake.largest / size
        f_change = scale(share, add_scaled(f_change, -dot(f, f_change) / (size * size), f))
        f = scale(share, f)
    add_to_spatial(change.wrench, add(cross(arm_change, f), cross(arm, f_change)), f_change)
