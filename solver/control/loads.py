# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads that a figure takes up without being told: estimated from its momenta, and met by the ground's force.

What changes a figure's linear momentum p and its angular momentum L about its centre of mass, other than its weight
and what the ground exerts on its feet, acts on it from outside (a momentum observer: De Luca and Mattone 2003):

    F_load = dp/dt - F_ground - m g,  N_load = dL/dt - N_ground

It is followed with a time constant T, so that a blow is not taken for a load.
"""

import math

import numpy as np

from ..kernel import kernel
from ..model.arrays import records
from ..spatial import (
    add,
    add_scaled,
    apply_symmetric,
    cross,
    dot,
    load3,
    load6,
    load9,
    rotate_symmetric,
    scale,
    store3,
    subtract,
)

_MOST = 1.0  # times its weight: as much a figure thinks it carries, and that times its height as a moment
_ZERO = (0.0, 0.0, 0.0)

LOAD = np.dtype(
    [
        ("is_observed", "i8"),  # whether momenta are those of the step before
        ("time", "f8"),  # s: of which they are
        ("momentum", "f8", 3),  # kg m/s
        ("spin", "f8", 3),  # kg m2/s: about the centre of mass
        ("force", "f8", 3),  # N: thought to act on the figure,
        ("moment", "f8", 3),  # N m: and about its centre of mass
    ],
    align=True,
)


def new_loads(count: int) -> np.recarray:
    """Of figures that have not been looked at yet."""
    return records(count, LOAD)


@kernel
def ground_on_feet(contact, figures, g, center):
    """(F, N): what contacts exert on a figure's feet, and its moment about a point."""
    force, moment = _ZERO, _ZERO
    for k in range(contact.counts[0].contacts):
        each = contact.contacts[k]
        f = scale(_side_of_feet(figures, g, each), load3(each.force))
        force = add(force, f)
        moment = add(moment, cross(subtract(load3(each.position), center), f))
    return force, moment


@kernel
def _side_of_feet(figures, g, contact):
    """1.0 if the second body of a contact is a foot, -1.0 if the first one is, 0.0 if neither is or both."""
    side, figure = 0.0, figures.figures[g]
    for x in range(figure.foot_start, figure.foot_end):
        foot = figures.feet[x].body
        side += (1.0 if contact.body[1] == foot else 0.0) - (1.0 if contact.body[0] == foot else 0.0)
    return side


@kernel
def observe_load(model, scratch, contact, figures, g, load, time, span):
    """Goes on at the start of a step with the estimate of a figure's load, with a time constant (s)."""
    m, c, p, weight, parameters = 0.0, _ZERO, _ZERO, _ZERO, scratch.parameters
    gravity = len(parameters) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        if figures.part[g, i]:
            own, k = model.bodies[i].mass, gravity + 3 * i
            m = m + own
            c = add_scaled(c, own, load3(scratch.bodies[i].center))
            p = add_scaled(p, own, load3(scratch.bodies[i].linear))
            weight = add_scaled(weight, own, (parameters[k], parameters[k + 1], parameters[k + 2]))
    c, v, spin, size = scale(1.0 / m, c), scale(1.0 / m, p), _ZERO, 0.0
    for i in range(model.driven, len(model.bodies)):
        if figures.part[g, i]:
            moving, own = scratch.bodies[i], model.bodies[i].mass
            arm, angular = subtract(load3(moving.center), c), load3(moving.angular)
            J = rotate_symmetric(load9(moving.rotation), load6(model.bodies[i].inertia))
            spin = add(spin, apply_symmetric(J, angular))
            spin = add(spin, scale(own, cross(arm, subtract(load3(moving.linear), v))))
            size = max(size, math.sqrt(dot(arm, arm)))
    passed = time - load.time
    if load.is_observed and passed > 0.0:
        F, N = ground_on_feet(contact, figures, g, c)
        share, most = passed / (passed + span), _MOST * math.sqrt(dot(weight, weight))
        force = scale(1.0 / passed, subtract(p, load3(load.momentum)))
        force = subtract(subtract(force, F), weight)
        moment = subtract(scale(1.0 / passed, subtract(spin, load3(load.spin))), N)
        force = add_scaled(load3(load.force), share, subtract(force, load3(load.force)))
        moment = add_scaled(load3(load.moment), share, subtract(moment, load3(load.moment)))
        store3(load.force, _within(force, most))
        store3(load.moment, _within(moment, most * size))
    load.is_observed, load.time = 1, time
    store3(load.momentum, p)
    store3(load.spin, spin)


@kernel
def forget_load(load):
    """Begins anew."""
    load.is_observed = 0
    store3(load.force, _ZERO)
    store3(load.moment, _ZERO)


@kernel
def _within(x, most):
    """A vector, cut to a length."""
    length = math.sqrt(dot(x, x))
    return scale(most / length, x) if length > most else x
