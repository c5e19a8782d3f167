# SPDX-License-Identifier: GPL-3.0-or-later
"""A brake: viscous at its point along its frame's axes, held within a largest force where one is given."""

import math

from ...kernel import kernel
from ...model.force_numbers import brake_numbers
from ...spatial import add_to_spatial, cross, dot, rotate, scale, unrotate
from .points import force_point, frame_axes


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
def brake_tangent(p, first):
    """Damping along the axes of its frame (N s/m), while it is not held within its largest force."""
    brake = brake_numbers(p, first)
    return brake.x, brake.y, brake.z
