# SPDX-License-Identifier: GPL-3.0-or-later
"""Straight edges that press all along with d^(3/2), d being their depth at each place, as single points.

The integrals are exact: one point stands in the middle of the push, and its gap is that of an even push.
"""

from __future__ import annotations

import math

import numpy as np

from ...kernel import kernel
from ...spatial import add, add_scaled, dot, scale, store3, subtract

CORNERS = 4.0  # that a whole patch counts as
SEEN = -2  # stands for the feature of a point meanwhile
_STEEP = 0.5  # above it integrals are taken in closed form, below by quadrature of Gauss
_GAUSS = np.polynomial.legendre.leggauss(12)
_NODES, _WEIGHTS = tuple(map(float, _GAUSS[0])), tuple(map(float, 0.5 * _GAUSS[1]))


@kernel
def press_along(origin, here, there, a, b, per_length, n, side, source, points, end, share, deep):
    """Writes, as point `end`, the push all along a straight edge; returns the number of points then.

    here, there: its ends, from `origin`, with depths a and b (m) along n, which points out of what is pressed.
    per_length (1/m): share of the stiffness; side: 1 if n points from the first body of `source`
    to the second, else -1.
    """
    way = subtract(there, here)
    first, last = 0.0, 1.0
    if min(a, b) < 0.0 < max(a, b):
        if a < 0.0:
            first, a = a / (a - b), 0.0
        else:
            last, b = a / (a - b), 0.0
    part = per_length * (last - first) * math.sqrt(dot(way, way))
    if not (a > 0.0 or b > 0.0):
        return press_at(origin, here, max(a, b), 0.0, part, n, side, source, points, end, share, deep)
    middle = 0.5 * (a + b)
    push, moment, work = _along((b - a) / (a + b))
    place = add_scaled(here, first + 0.5 * (last - first) * (1.0 + moment / push), way)
    depth, worked = middle * push ** (2.0 / 3.0), middle * work / push
    return press_at(origin, place, depth, worked, part, n, side, source, points, end, share, deep)


@kernel
def press_at(origin, place, depth, worked, part, n, side, source, points, end, share, deep):
    """Writes, as point `end`, a push at one place, with this part of the stiffness; returns the number of points then.

    worked (m): 2/5 of it times the push is the work in it. The rest is as in `press_along`.
    """
    if end >= len(points):
        return len(points) + 1
    point = points[end]
    share[end], deep[end], point.gap, point.feature = part, worked, -depth, SEEN
    for k in range(2):
        point.body[k] = source.body[k]
        point.part[k] = source.part[k]
    store3(point.position, add_scaled(add(origin, place), 0.5 * depth, n))
    store3(point.normal, scale(side, n))
    return end + 1


@kernel
def _along(d):
    """Means over s from -1 to 1 of (1 + d s)^(3/2), of s times that, and of (1 + d s)^(5/2)."""
    if abs(d) > _STEEP:
        p, q = 1.0 + d, max(0.0, 1.0 - d)
        fifth = p * p * math.sqrt(p) - q * q * math.sqrt(q)
        seventh = p * p * p * math.sqrt(p) - q * q * q * math.sqrt(q)
        return fifth / (5.0 * d), (seventh / 7.0 - fifth / 5.0) / (d * d), seventh / (7.0 * d)
    push = moment = work = 0.0
    for k in range(len(_NODES)):
        w = 1.0 + d * _NODES[k]
        part = _WEIGHTS[k] * w * math.sqrt(w)
        push, moment, work = push + part, moment + part * _NODES[k], work + part * w
    return push, moment, work
