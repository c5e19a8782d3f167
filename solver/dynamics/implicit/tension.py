# SPDX-License-Identifier: GPL-3.0-or-later
"""A convex stand-in for the stiffness of a tree far from equilibrium: of its tensions, clamped body by body.

Where joints pull with forces f at arms r from a body's centre, a turn t of it changes the energy by
    -f.(t x (t x r)) / 2 = t.G t / 2,   G = (f.r) 1 - (f r^T + r f^T) / 2,
summed over its joints: what makes a tense chain stiff across (Baraff and Witkin 1998). A thrust makes it negative; then
as much is added all round as makes it no less than zero (Nocedal and Wright 2006, section 3.4). Forces f are those of
rest: joints bear what is applied further out. For a chain whose tensions are known the system falls apart into that of
one link each, and Newton's method needs no more steps for a long one than for a short one. With these G beside the
bodies' inertias the linearised tree becomes that of the articulated body method, symmetric and definite.
"""

import math

from ...kernel import kernel
from ...spatial import (
    add,
    add_symmetric,
    apply_symmetric,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store_spatial,
    subtract,
)
from ..tree.kinematics import joint_place
from .linearised_tree import apply_now

_ZERO = (0.0, 0.0, 0.0)


@kernel
def linearise_convex(model, scratch, work, h):
    """Fills the arrays that `factor_linearised` needs, and takes what G resists the explicit step with off wrenches."""
    apply_now(model, scratch, work)
    _pull_as_known(model, scratch, work)
    _find_tensions(model, scratch, work)
    for k in range(len(work.effort)):
        S = scratch.axes[k].S
        for c in range(6):
            work.turning[k, 0, c] = work.turning[k, 1, c] = work.block_velocity[k, c] = 0.0
            work.T[k, c] = work.T[k, 6 + c] = 0.0
            work.T[k, 12 + c] = S[c]
    for i in range(model.driven, len(model.bodies)):
        body, moving, F = model.bodies[i], scratch.bodies[i], work.F[i]
        g = work.motion[i]
        G = clamped((g[0], g[1], g[2], g[3], g[4], g[5]))
        G = tuple_scaled(h * h, G)
        I = add_symmetric(rotate_symmetric(load9(moving.rotation), load6(body.inertia)), G)
        for c in range(6):
            for d in range(18):
                F[c, d] = 0.0
        F[0, 12], F[0, 13], F[0, 14], F[1, 13], F[1, 14], F[2, 14] = I
        F[1, 12], F[2, 12], F[2, 13] = I[1], I[2], I[4]
        for c in range(3):
            F[3 + c, 15 + c] = body.mass
        resisted = apply_symmetric(G, load_angular(moving.acceleration))
        for c in range(3):
            work.wrench[i, c] -= resisted[c]
        store_spatial(work.taken[i], _ZERO, _ZERO)


@kernel
def _pull_as_known(model, scratch, work):
    """Closures pull as the latest system has found, not as they do for the bodies' accelerations from rest."""
    for r in range(model.closing):
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        for end in range(closure.ends):
            i = closure.body[end]
            if i >= model.driven:
                for c in range(6):
                    work.applied[i, c] += (work.pull[r] - row.multiplier) * row.wrench[end, c]


@kernel
def _find_tensions(model, scratch, work):
    """Fills the first six numbers of `motion` with each body's G."""
    for i in range(model.driven, len(model.bodies)):
        for c in range(6):
            work.motion[i, c] = 0.0
        store_spatial(work.taken[i], _ZERO, load_linear(work.applied[i]))
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        inner, place = model.bodies[i].inner, joint_place(model, scratch, i)
        outward = load_linear(work.taken[i])
        _add_tension(work.motion[i], scale(-1.0, outward), subtract(place, load3(scratch.bodies[i].center)))
        if inner >= model.driven:
            _add_tension(work.motion[inner], outward, subtract(place, load3(scratch.bodies[inner].center)))
            store_spatial(work.taken[inner], _ZERO, add(load_linear(work.taken[inner]), outward))


@kernel
def _add_tension(target, f, r):
    along = dot(f, r)
    target[0] += along - f[0] * r[0]
    target[1] -= 0.5 * (f[0] * r[1] + f[1] * r[0])
    target[2] -= 0.5 * (f[0] * r[2] + f[2] * r[0])
    target[3] += along - f[1] * r[1]
    target[4] -= 0.5 * (f[1] * r[2] + f[2] * r[1])
    target[5] += along - f[2] * r[2]


@kernel
def tuple_scaled(a, G):
    """A symmetric matrix times a number."""
    return (a * G[0], a * G[1], a * G[2], a * G[3], a * G[4], a * G[5])


@kernel
def clamped(G):
    """A symmetric matrix, with as much added to its diagonal as leaves no eigenvalue below zero."""
    lift = max(0.0, -least_eigenvalue(G))
    return (G[0] + lift, G[1], G[2], G[3] + lift, G[4], G[5] + lift)


@kernel
def least_eigenvalue(G):
    """Of a symmetric 3 x 3 matrix (xx, xy, xz, yy, yz, zz), by the cosines of a third of an angle (Smith 1961)."""
    xx, xy, xz, yy, yz, zz = G
    mean = (xx + yy + zz) / 3.0
    a, b, c = xx - mean, yy - mean, zz - mean
    spread = math.sqrt((a * a + b * b + c * c + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0)
    if not spread > 0.0:
        return mean
    determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    turn = min(1.0, max(-1.0, 0.5 * determinant / spread**3))
    return mean + 2.0 * spread * math.cos(math.acos(turn) / 3.0 + 2.0 * math.pi / 3.0)
