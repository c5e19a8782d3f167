# SPDX-License-Identifier: GPL-3.0-or-later
"""The articulated body method with what springs and dampers add to it in an implicit step, O(n).

A joint's spring and damper add h c + h^2 k to the pivot of their axis, and a force that holds a body to what is driven
adds its own such matrix to the body's inertia; so stiffness costs nothing. Symbols as in `tree.articulated_body`;
the factors (U, D) stay for any number of right-hand sides.

The axes of a ball joint with springs resist each other's turning too: with g_kj what axis k resists axis j with, and j
behind it, eliminated before,
    V = -sum g_kj U_j / D_j,  U_k = IA S_k + V,  D_k = S_k.IA S_k + 2 S_k.V + gain - sum g_kj^2 / D_j,
    u_k = tau_k - S_k.pA - sum g_kj u_j / D_j.
"""

from ...kernel import kernel
from ...spatial import (
    add,
    add_scaled,
    add_symmetric,
    add_to_inertia,
    add_to_spatial,
    apply_inertia,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_angular,
    load_inertia,
    load_linear,
    rotate_symmetric,
    scale,
    shift_inertia,
    store_spatial,
    subtract,
    subtract_projection,
)

_ZERO = (0.0, 0.0, 0.0)


@kernel
def factor_softened(model, scratch, work):
    """Fills U and D of all axes from the kinematics and the gains of axes and bodies."""
    for i in range(model.driven, len(model.bodies)):
        for k in range(21):
            work.inertia[i, k] = work.body_gain[i, k]
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body, moving = model.bodies[i], scratch.bodies[i]
        m, I = body.mass, rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        IA = load_inertia(work.inertia[i])
        IA = (add_symmetric(IA[0], I), IA[1], add_symmetric(IA[2], (m, 0.0, 0.0, m, 0.0, m)))
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            axis = scratch.axes[k]
            a, b = load_angular(axis.S), load_linear(axis.S)
            Un, Uf = apply_inertia(IA, a, b)
            D = dot(a, Un) + dot(b, Uf) + (model.armature[k] + axis.held + work.axis_gain[k])
            work.cross[k, 0], work.cross[k, 1] = work.cross_gain[k, 0], work.cross_gain[k, 1]
            for j in range(k + 1, min(k + 3, body.axis_end)):
                g = work.cross[j, j - k - 1]
                if g != 0.0:
                    D += _couple_axis(work, j, k, g, a, b)
                    share = -g / work.D[j]
                    Un = add_scaled(Un, share, load_angular(work.U[j]))
                    Uf = add_scaled(Uf, share, load_linear(work.U[j]))
            IA = subtract_projection(IA, Un, Uf, D)
            store_spatial(work.U[k], Un, Uf)
            work.D[k] = D
        if body.inner >= model.driven:
            r = subtract(load3(moving.center), load3(scratch.bodies[body.inner].center))
            add_to_inertia(work.inertia[body.inner], shift_inertia(IA, r))


@kernel
def _couple_axis(work, j, k, g, a, b):
    """What resisting an eliminated axis j of the same joint, with g, adds to the pivot of k, along (a, b).

    Brings what k resists the axis before it with up to date.
    """
    across = dot(a, load_angular(work.U[j])) + dot(b, load_linear(work.U[j]))
    if j == k + 1:
        work.cross[k, 0] -= work.cross[j, 1] * (across + g) / work.D[j]
    return -g * (2.0 * across + g) / work.D[j]


@kernel
def solve_softened(model, scratch, work):
    """Fills solution (A,) and acceleration (B, 6) for the wrenches and efforts of `work`, by its factors."""
    bodies = scratch.bodies
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            work.bias[i, k] = -work.wrench[i, k]
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body = model.bodies[i]
        pn, pf = load_angular(work.bias[i]), load_linear(work.bias[i])
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            S = scratch.axes[k].S
            u = work.effort[k] - (dot(load_angular(S), pn) + dot(load_linear(S), pf))
            for j in range(k + 1, min(k + 3, body.axis_end)):
                u -= work.cross[j, j - k - 1] * work.u[j] / work.D[j]
            share = u / work.D[k]
            pn = add_scaled(pn, share, load_angular(work.U[k]))
            pf = add_scaled(pf, share, load_linear(work.U[k]))
            work.u[k] = u
        if body.inner >= model.driven:
            r = subtract(load3(bodies[i].center), load3(bodies[body.inner].center))
            add_to_spatial(work.bias[body.inner], add(pn, cross(r, pf)), pf)
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        angular, linear = _carried(model, bodies, work.acceleration, i)
        for k in range(body.axis_start, body.axis_end):
            U, S = work.U[k], scratch.axes[k].S
            rest = work.u[k] - (dot(load_angular(U), angular) + dot(load_linear(U), linear))
            for j in range(max(body.axis_start, k - 2), k):
                rest -= work.cross[k, k - j - 1] * work.solution[j]
            second = rest / work.D[k]
            work.solution[k] = second
            angular = add_scaled(angular, second, load_angular(S))
            linear = add_scaled(linear, second, load_linear(S))
        store_spatial(work.acceleration[i], angular, linear)


@kernel
def _carried(model, bodies, motion, i):
    """The motion (six numbers of each body) that a body has by its inner body's; what is driven has none."""
    inner = model.bodies[i].inner
    if inner < model.driven:
        return _ZERO, _ZERO
    r = subtract(load3(bodies[i].center), load3(bodies[inner].center))
    angular = load_angular(motion[inner])
    return angular, add(load_linear(motion[inner]), cross(angular, r))


@kernel
def move_ahead(model, scratch, work, h):
    """Fills the explicit change of each body's pose and velocity in a step of h (s), after an evaluation.

    Velocities change by what accelerations of axes and of driven bodies give; the turning of axes is left out.
    """
    bodies = scratch.bodies
    for i in range(model.driven):
        moving = bodies[i]
        _store_ahead(work, i, moving, load_angular(moving.acceleration), load_linear(moving.acceleration), h)
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], bodies[i]
        r = subtract(load3(moving.center), load3(bodies[body.inner].center))
        angular = load_angular(work.acceleration[body.inner])
        linear = add(load_linear(work.acceleration[body.inner]), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            S, second = scratch.axes[k].S, scratch.accelerations[k]
            angular = add_scaled(angular, second, load_angular(S))
            linear = add_scaled(linear, second, load_linear(S))
        _store_ahead(work, i, moving, angular, linear, h)


@kernel
def _store_ahead(work, i, moving, angular, linear, h):
    w, v = scale(h, angular), scale(h, linear)
    store_spatial(work.acceleration[i], angular, linear)
    store_spatial(work.change[i], w, v)
    turn, way = scale(h, add(load3(moving.angular), w)), scale(h, add(load3(moving.linear), v))
    store_spatial(work.displacement[i], turn, way)


@kernel
def add_wrench_square(inertia, gain, moment, force):
    """Adds gain w w^T, with w = (moment, force), to an articulated inertia of 21 numbers."""
    n, f = scale(gain, moment), scale(gain, force)
    square = (
        (n[0] * moment[0], n[0] * moment[1], n[0] * moment[2], n[1] * moment[1], n[1] * moment[2], n[2] * moment[2]),
        (
            n[0] * force[0],
            n[0] * force[1],
            n[0] * force[2],
            n[1] * force[0],
            n[1] * force[1],
            n[1] * force[2],
            n[2] * force[0],
            n[2] * force[1],
            n[2] * force[2],
        ),
        (f[0] * force[0], f[0] * force[1], f[0] * force[2], f[1] * force[1], f[1] * force[2], f[2] * force[2]),
    )
    add_to_inertia(inertia, square)
