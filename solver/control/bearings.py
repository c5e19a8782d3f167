# SPDX-License-Identifier: GPL-3.0-or-later
"""Bearings: the points in which feet stand, and how they share the wrench that the ground shall exert.

Symbols: F, N the wrench asked for about c; n points x_k, their weights w_k, o their weighted mean, f_k forces there; mu
friction.
"""

import math

import numpy as np

from ..kernel import kernel
from ..spatial import (
    add,
    add_scaled,
    add_symmetric,
    cross,
    dot,
    load3,
    scale,
    store3,
    subtract,
)

KEPT = 0.2  # of its fair share of the load: what each point bears at least
_ROUNDS = 20  # of the search for forces that feet can exert
_WIDE = 3.0  # times the radius of the points of contact: the lever by which moments are compared with forces
_SINGULAR = 1e-9  # of the trace: points on one line bear no moment about it
_ZERO = (0.0, 0.0, 0.0)

BEARING = np.dtype(
    [
        ("foot", "i8"),  # body
        ("position", "f8", 3),  # m
        ("normal", "f8", 3),  # out of the ground
        ("friction", "f8"),
        ("weight", "f8"),  # beside those of the others: how much of the load it is to bear
        ("least", "f8"),  # N: along the normal
        ("force", "f8", 3),  # N: on the foot
        ("trial", "f8", 3),  # N
    ],
    align=True,
)


@kernel
def share_wrench(bearings, count, c, F, N):
    """Fills the forces of the points in which feet stand, so that they make up the wrench F, N about c.

    f_k = w_k (F / W + y x (x_k - o)), W the sum of the weights, is the one with the least sum of squares over weights:
    a point without weight bears nothing, and where the load acts at o all bear in proportion to theirs. Where a point
    would have to pull or to hold by more than its friction, the nearest forces are looked for that it can exert. The
    moment about o that is then missing, since soles are only so large, is saved by pushing less sideways: the body
    comes back more slowly, but upright. No point gives up the last of its load, so that soles do not tip.
    """
    W = _level_weights(bearings, count)
    o = _ZERO
    for k in range(count):
        o = add_scaled(o, bearings[k].weight / W, load3(bearings[k].position))
    A = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for k in range(count):
        A = add_symmetric(A, point_inertia(bearings[k].weight, subtract(load3(bearings[k].position), o)))
    arm = subtract(c, o)
    square = 0.5 * _WIDE * _WIDE * (A[0] + A[3] + A[5]) / W
    about = add(N, cross(arm, F))
    for k in range(count):
        bearings[k].least = KEPT * bearings[k].weight / W * max(0.0, dot(F, load3(bearings[k].normal)))
    if _share_least(bearings, count, A, o, F, about, W):
        return
    missing = _search(bearings, count, o, F, about, square)
    if arm[2] > 0.0:
        F = add(F, (-missing[1] / arm[2], missing[0] / arm[2], 0.0))
        _search(bearings, count, o, F, add(N, cross(arm, F)), square)


@kernel
def _level_weights(bearings, count):
    """The sum of the points' weights; where all that stand are to bear nothing, they bear alike."""
    total = 0.0
    for k in range(count):
        total += bearings[k].weight
    if total > 0.0:
        return total
    for k in range(count):
        bearings[k].weight = 1.0
    return float(count)


@kernel
def _share_least(bearings, count, A, o, F, about, W):
    """The least forces, or of each the nearest that its point can exert; whether all points can."""
    slight = _SINGULAR * (A[0] + A[3] + A[5])
    y = _solve(add_symmetric(A, (slight, 0.0, 0.0, slight, 0.0, slight)), about)
    can = True
    for k in range(count):
        bearing = bearings[k]
        f = add_scaled(cross(y, subtract(load3(bearing.position), o)), 1.0 / W, F)
        f = scale(bearing.weight, f)
        held = _held(f, bearing)
        can = can and dot(subtract(held, f), subtract(held, f)) <= 1e-20 * dot(F, F)
        store3(bearing.force, held)
    return can


@kernel
def _search(bearings, count, o, F, about, square):
    """Goes on from forces that feet can exert to those whose wrench is nearest; returns the moment that is missing.

    By the fast projected gradient method (Nesterov 1983; Beck and Teboulle 2009), among round friction cones; square
    (m2): of the lever by which moments about o are compared with forces.
    """
    momentum = 1.0
    per = 1.0 / square if square > 0.0 else 0.0
    for k in range(count):
        store3(bearings[k].trial, load3(bearings[k].force))
    for _ in range(_ROUNDS):
        f, n = scale(-1.0, F), scale(-1.0, about)
        for k in range(count):
            trial = load3(bearings[k].trial)
            f = add(f, trial)
            n = add(n, cross(subtract(load3(bearings[k].position), o), trial))
        n = scale(per, n)
        after = 0.5 * (1.0 + math.sqrt(1.0 + 4.0 * momentum * momentum))
        ahead = (momentum - 1.0) / after
        momentum = after
        for k in range(count):
            bearing = bearings[k]
            slope = add(f, cross(n, subtract(load3(bearing.position), o)))
            before = load3(bearing.force)
            now = add_scaled(load3(bearing.trial), -1.0 / count, slope)
            now = _held(now, bearing)
            store3(bearing.force, now)
            store3(bearing.trial, add_scaled(now, ahead, subtract(now, before)))
    for k in range(count):
        about = subtract(about, cross(subtract(load3(bearings[k].position), o), load3(bearings[k].force)))
    return about


@kernel
def _held(f, bearing):
    """The force nearest to f that a point can exert beyond its least load."""
    n, friction = load3(bearing.normal), bearing.friction
    along = dot(f, n)
    across = add_scaled(f, -along, n)
    along -= bearing.least
    size = math.sqrt(dot(across, across))
    if size <= friction * along:
        return f
    if friction * size <= -along:
        return scale(bearing.least, n)
    normal = (along + friction * size) / (1.0 + friction * friction)
    return add_scaled(scale(normal + bearing.least, n), friction * normal / size if size > 0.0 else 0.0, across)


@kernel
def point_inertia(m, r):
    """m (|r|^2 - r r^T): inertia of a mass at r."""
    x, y, z = r
    return (
        m * (y * y + z * z),
        -m * x * y,
        -m * x * z,
        m * (x * x + z * z),
        -m * y * z,
        m * (x * x + y * y),
    )


@kernel
def _solve(A, b):
    """A^-1 b for a symmetric A, by Cramer's rule; zero where A is singular."""
    x, y, z = (A[0], A[1], A[2]), (A[1], A[3], A[4]), (A[2], A[4], A[5])
    yz = cross(y, z)
    determinant = dot(x, yz)
    if not math.isfinite(1.0 / determinant):
        return _ZERO
    found = add_scaled(add_scaled(scale(b[0], yz), b[1], cross(z, x)), b[2], cross(x, y))
    return scale(1.0 / determinant, found)
