# SPDX-License-Identifier: GPL-3.0-or-later
"""Viscous damping of a body: against its velocity and its angular velocity."""

import math

from ...kernel import kernel
from ...mechanism.forces import DampingNumbers
from ...spatial import add_to_spatial, load3, scale
from .resistance import LINEAR, Resistance


@kernel
def damping_numbers(p, first):
    """Its law's numbers."""
    return DampingNumbers(p[first + 1], p[first + 2])


@kernel
def add_damping(body, p, first):
    """Adds its wrench to its body's."""
    damping = damping_numbers(p, first)
    n, f = scale(-damping.angular, load3(body.angular)), scale(-damping.linear, load3(body.linear))
    add_to_spatial(body.wrench, n, f)


@kernel
def damping_resistance(p, first):
    """As rows for impulses have it."""
    damping = damping_numbers(p, first)
    linear = damping.linear
    return Resistance(LINEAR, 6, linear, linear, linear, damping.angular, math.inf, 0.0, 0.0, 0.0)


@kernel
def damping_undone(p, first, h, along, about):
    """The part of its body's speed that it undoes in h (s), by mobilities along three axes and about them."""
    damping = damping_numbers(p, first)
    pushed = max(0.0, max(along[0], max(along[1], along[2])))
    turned = max(0.0, max(about[0], max(about[1], about[2])))
    return h * max(damping.linear * pushed, damping.angular * turned)


@kernel
def damping_tangent(p, first):
    """Damping along any line (N s/m) and about it (N m s/rad)."""
    damping = damping_numbers(p, first)
    return damping.linear, damping.angular


@kernel
def damping_change(change, p, first):
    """Adds the change of its wrench along a motion of its body, a BODY_CHANGE."""
    damping = damping_numbers(p, first)
    n, f = scale(-damping.angular, load3(change.angular)), scale(-damping.linear, load3(change.linear))
    add_to_spatial(change.wrench, n, f)
