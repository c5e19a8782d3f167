# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscous damping of a body: against its velocity and its angular velocity."""

from ...kernel import kernel
from ...model.force_numbers import damping_numbers
from ...spatial import add_to_spatial, load3, scale


@kernel
def add_damping(body, p, first):
    """Adds its wrench to its body's."""
    damping = damping_numbers(p, first)
    n, f = scale(-damping.angular, load3(body.angular)), scale(-damping.linear, load3(body.linear))
    add_to_spatial(body.wrench, n, f)


@kernel
def damping_tangent(p, first):
    """Damping along any line (N s/m) and about it (N m s/rad)."""
    damping = damping_numbers(p, first)
    return damping.linear, damping.angular
