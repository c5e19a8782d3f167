# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulse response of linkages: one step along the tree at a time, O(n) for a sweep over all contacts.

With L the motion that an inner body's motion brings to its outer one, S, U and D those of the articulated body method,
    L x = (1 - S U^T / D) ... X x,                               (last axis leftmost, X the shift between the centres)
    Omega_i = L Omega_inner L^T, and for each axis Omega <- (1 - S U^T / D) Omega (1 - U S^T / D) + S S^T / D
is the motion of body i for a unit impulse on it, the rest of its tree included: the diagonal blocks of the inverse
operational space inertia (Rodriguez, Kreutz-Delgado 1992; Featherstone 2008, section 11.3). What an impulse w on body
i does to a body j follows along the path between them,
    V_j += L ... L Omega_k L^T ... L^T w,      k their nearest common inner body.

So one need not carry every impulse to all bodies. A cursor stands on one body of each tree. There the velocity is
right; those of the others are as they were when it last left them. Going inward from c to p it takes along what c's
side has received since it came; going outward, how much p has changed since it left:
    inward   V_p += Omega_p L^T w_c, w_p += L^T w_c, and remembers V_p as seen by c
    outward  V_c += L (V_p - V_p as seen by c)
Contacts taken in the order of the bodies' numbers, depth first, need about two steps for each body in a sweep.
"""

from typing import NamedTuple

import numpy as np

from ...kernel import inlined_kernel, kernel
from ...model.arrays import Model
from ...spatial import add, add_scaled, cross, dot, load3, load_angular, load_linear, scale, store_spatial, subtract

_ZERO = (0.0, 0.0, 0.0)


class ImpulsePropagation(NamedTuple):
    """The trees while impulses are computed. Spatial vectors: angular, then linear, about the centres of mass."""

    root: np.ndarray  # (B,) int64: of each body's tree
    depth: np.ndarray  # (B,) int64: steps from the root
    cursor: np.ndarray  # (B,) int64: by root, the body where the cursor stands
    path: np.ndarray  # (B,) int64: work
    omega: np.ndarray  # (B, 6, 6): a body's motion for a unit impulse on it
    velocity: np.ndarray  # (B, 6)
    seen: np.ndarray  # (B, 6): the inner body's velocity when the cursor last left the body
    pending: np.ndarray  # (B, 6): impulses on a body and beyond since the cursor came to it
    impulse: np.ndarray  # (B, 6): all impulses since `settle_impulses`
    effort: np.ndarray  # (A,): and those on axes


def new_walk(model: Model) -> ImpulsePropagation:
    """The trees of a model, and zeroed room."""
    bodies = len(model.bodies)
    root, depth = np.arange(bodies), np.zeros(bodies, np.int64)
    for i in range(model.driven, bodies):
        inner = model.bodies.inner[i]
        if inner >= model.driven:
            root[i], depth[i] = root[inner], depth[inner] + 1
    vectors = [np.zeros((bodies, 6)) for _ in range(4)]
    return ImpulsePropagation(
        root,
        depth,
        np.arange(bodies),
        np.zeros(bodies, np.int64),
        np.zeros((bodies, 6, 6)),
        *vectors,
        np.zeros(len(model.armature)),
    )


@kernel
def outward(model, scratch, i, angular, linear):
    """L: what a motion of the inner body makes of body i, its joint left to move freely."""
    body = model.bodies[i]
    r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
    linear = add(linear, cross(angular, r))
    for k in range(body.axis_start, body.axis_end):
        axis = scratch.axes[k]
        second = -(dot(load_angular(axis.U), angular) + dot(load_linear(axis.U), linear)) / axis.D
        angular = add_scaled(angular, second, load_angular(axis.S))
        linear = add_scaled(linear, second, load_linear(axis.S))
    return angular, linear


@kernel
def inward(model, scratch, i, moment, force):
    """L transposed: what of an impulse on body i gets through to the inner body."""
    body = model.bodies[i]
    for k in range(body.axis_end - 1, body.axis_start - 1, -1):
        axis = scratch.axes[k]
        taken = -(dot(load_angular(axis.S), moment) + dot(load_linear(axis.S), force)) / axis.D
        moment = add_scaled(moment, taken, load_angular(axis.U))
        force = add_scaled(force, taken, load_linear(axis.U))
    r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
    return add(moment, cross(r, force)), force


@kernel
def update_omega(model, scratch, walk):
    """Fills `omega` from the pivots of the articulated body method."""
    omega = walk.omega
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        if body.inner >= model.driven:
            _carry_outward(model, scratch, omega, i)
        else:
            for r in range(6):
                for c in range(6):
                    omega[i, r, c] = 0.0
        for k in range(body.axis_start, body.axis_end):
            _free_axis(omega[i], scratch.axes[k])


@kernel
def _carry_outward(model, scratch, omega, i):
    """omega[i] = X omega[inner] X^T: about another point of the same rigid piece."""
    inner = model.bodies[i].inner
    r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[inner].center))
    mine, other = omega[i], omega[inner]
    for c in range(6):
        a, b = (other[0, c], other[1, c], other[2, c]), (other[3, c], other[4, c], other[5, c])
        b = add(b, cross(a, r))
        for k in range(3):
            mine[k, c], mine[3 + k, c] = a[k], b[k]
    for k in range(6):
        a, b = (mine[k, 0], mine[k, 1], mine[k, 2]), (mine[k, 3], mine[k, 4], mine[k, 5])
        b = add(b, cross(a, r))
        for c in range(3):
            mine[k, 3 + c] = b[c]


@kernel
def _free_axis(omega, axis):
    """(1 - S U^T / D) omega (1 - U S^T / D) + S S^T / D, with y = omega U / D: rank-two update."""
    y = (
        _row(omega, 0, axis.U) / axis.D,
        _row(omega, 1, axis.U) / axis.D,
        _row(omega, 2, axis.U) / axis.D,
        _row(omega, 3, axis.U) / axis.D,
        _row(omega, 4, axis.U) / axis.D,
        _row(omega, 5, axis.U) / axis.D,
    )
    total = 1.0 / axis.D
    for k in range(6):
        total += axis.U[k] * y[k] / axis.D
    for r in range(6):
        for c in range(6):
            omega[r, c] += total * axis.S[r] * axis.S[c] - axis.S[r] * y[c] - y[r] * axis.S[c]


@kernel
def _row(matrix, k, vector):
    total = 0.0
    for c in range(6):
        total += matrix[k, c] * vector[c]
    return total


@inlined_kernel
def apply_omega(omega, moment, force):
    """(angular, linear) for an impulse."""
    return (
        (_along(omega, 0, moment, force), _along(omega, 1, moment, force), _along(omega, 2, moment, force)),
        (_along(omega, 3, moment, force), _along(omega, 4, moment, force), _along(omega, 5, moment, force)),
    )


@kernel
def _along(omega, k, moment, force):
    m = omega
    return (
        (m[k, 0] * moment[0] + m[k, 1] * moment[1])
        + (m[k, 2] * moment[2] + m[k, 3] * force[0])
        + (m[k, 4] * force[1] + m[k, 5] * force[2])
    )


@kernel
def begin_propagation(model, scratch, walk):
    """Puts the cursors on the roots, with the velocities of the kinematics; no impulses yet."""
    for i in range(len(model.bodies)):
        moving = scratch.bodies[i]
        store_spatial(walk.velocity[i], load3(moving.angular), load3(moving.linear))
    _stand_on_roots(model, walk)


@kernel
def begin_walk_with(model, walk, velocity):
    """The same with velocities (B, 6) that are given."""
    for i in range(len(model.bodies)):
        store_spatial(walk.velocity[i], load_angular(velocity[i]), load_linear(velocity[i]))
    _stand_on_roots(model, walk)


@kernel
def _stand_on_roots(model, walk):
    for i in range(len(model.bodies)):
        walk.cursor[i] = i
        inner = model.bodies[i].inner
        for k in range(6):
            walk.pending[i, k], walk.impulse[i, k] = 0.0, 0.0
            if i >= model.driven and inner >= 0:
                walk.seen[i, k] = walk.velocity[inner, k]
    for k in range(len(walk.effort)):
        walk.effort[k] = 0.0


@kernel
def go_to_body(model, scratch, walk, i):
    """Moves the cursor of a tree to body i, so that its velocity is right."""
    if i < model.driven:
        return
    root, path, length, target = walk.root[i], walk.path, 0, i
    at = walk.cursor[root]
    while at != target:
        if walk.depth[at] > walk.depth[target]:
            at = _step_inward(model, scratch, walk, at)
        elif walk.depth[at] < walk.depth[target]:
            path[length] = target
            length += 1
            target = model.bodies[target].inner
        else:
            at = _step_inward(model, scratch, walk, at)
            path[length] = target
            length += 1
            target = model.bodies[target].inner
    while length > 0:
        length -= 1
        _step_outward(model, scratch, walk, path[length])
    walk.cursor[root] = i


@kernel
def _step_inward(model, scratch, walk, c):
    p = model.bodies[c].inner
    moment, force = load_angular(walk.pending[c]), load_linear(walk.pending[c])
    moment, force = inward(model, scratch, c, moment, force)
    angular, linear = apply_omega(walk.omega[p], moment, force)
    for k in range(3):
        walk.velocity[p, k] += angular[k]
        walk.velocity[p, 3 + k] += linear[k]
        walk.pending[p, k] += moment[k]
        walk.pending[p, 3 + k] += force[k]
    for k in range(6):
        walk.pending[c, k] = 0.0
        walk.seen[c, k] = walk.velocity[p, k]
    return p


@kernel
def _step_outward(model, scratch, walk, c):
    p, v, seen = model.bodies[c].inner, walk.velocity, walk.seen
    angular = (v[p, 0] - seen[c, 0], v[p, 1] - seen[c, 1], v[p, 2] - seen[c, 2])
    linear = (v[p, 3] - seen[c, 3], v[p, 4] - seen[c, 4], v[p, 5] - seen[c, 5])
    angular, linear = outward(model, scratch, c, angular, linear)
    for k in range(3):
        v[c, k] += angular[k]
        v[c, 3 + k] += linear[k]


@kernel
def is_there(model, walk, i):
    """True if body i's velocity is right: the cursor stands there, or nothing moves it."""
    return i < model.driven or walk.cursor[walk.root[i]] == i


@inlined_kernel
def push(omega, velocity, pending, impulse, i, moment, force):
    """An impulse on the dynamic body where its tree's cursor stands. Arguments as in `ImpulsePropagation`."""
    angular, linear = apply_omega(omega[i], moment, force)
    for k in range(3):
        velocity[i, k] += angular[k]
        velocity[i, 3 + k] += linear[k]
        pending[i, k] += moment[k]
        pending[i, 3 + k] += force[k]
        impulse[i, k] += moment[k]
        impulse[i, 3 + k] += force[k]


@kernel
def cross_response(model, scratch, walk, i, j, moment, force):
    """(angular, linear) of body i for an impulse on another body j of the same tree."""
    at, target, path, length = j, i, walk.path, 0
    while at != target:
        deeper = walk.depth[target] >= walk.depth[at]
        if walk.depth[at] >= walk.depth[target]:
            moment, force = inward(model, scratch, at, moment, force)
            at = model.bodies[at].inner
        if deeper:
            path[length] = target
            length += 1
            target = model.bodies[target].inner
    angular, linear = apply_omega(walk.omega[at], moment, force)
    while length > 0:
        length -= 1
        angular, linear = outward(model, scratch, path[length], angular, linear)
    return angular, linear


@kernel
def settle_impulses(model, scratch, walk):
    """Fills scratch.accelerations with the changes of all speeds by the impulses and efforts so far; forgets these.

    The change of each body's velocity goes to walk.velocity.
    """
    pending, velocity = walk.pending, walk.velocity
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            pending[i, k], walk.impulse[i, k] = walk.impulse[i, k], 0.0
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body = model.bodies[i]
        moment, force = load_angular(pending[i]), load_linear(pending[i])
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            axis = scratch.axes[k]
            axis.u = walk.effort[k] + dot(load_angular(axis.S), moment) + dot(load_linear(axis.S), force)
            walk.effort[k] = 0.0
            moment = add_scaled(moment, -axis.u / axis.D, load_angular(axis.U))
            force = add_scaled(force, -axis.u / axis.D, load_linear(axis.U))
        if body.inner >= model.driven:
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
            moment = add(moment, cross(r, force))
            for k in range(3):
                pending[body.inner, k] += moment[k]
                pending[body.inner, 3 + k] += force[k]
    for i in range(model.driven):
        store_spatial(velocity[i], _ZERO, _ZERO)
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
        angular = load_angular(velocity[body.inner])
        linear = add(load_linear(velocity[body.inner]), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            axis = scratch.axes[k]
            change = (axis.u - (dot(load_angular(axis.U), angular) + dot(load_linear(axis.U), linear))) / axis.D
            scratch.accelerations[k] = change
            angular = add_scaled(angular, change, load_angular(axis.S))
            linear = add_scaled(linear, change, load_linear(axis.S))
        store_spatial(velocity[i], angular, linear)
        for k in range(6):
            pending[i, k] = 0.0


@kernel
def fill_velocities(model, scratch, walk):
    """Fills walk.velocity with what the changes of speeds in scratch.accelerations change of the bodies' velocities."""
    velocity = walk.velocity
    for i in range(model.driven):
        store_spatial(velocity[i], _ZERO, _ZERO)
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
        angular = load_angular(velocity[body.inner])
        linear = add(load_linear(velocity[body.inner]), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            angular = add_scaled(angular, scratch.accelerations[k], load_angular(scratch.axes[k].S))
            linear = add_scaled(linear, scratch.accelerations[k], load_linear(scratch.axes[k].S))
        store_spatial(velocity[i], angular, linear)


@kernel
def opposite(v):
    """-v"""
    return scale(-1.0, v)
