# SPDX-License-Identifier: GPL-3.0-or-later
"""The articulated body method: joint accelerations of a tree in one pass inward and one pass outward, O(n).

Symbols (Featherstone 2008, table 7.1): S motion subspace of an axis, I a rigid body's inertia, IA articulated
inertia, pA articulated bias force, c velocity-dependent acceleration, tau effort, U = IA S, D = S.U + armature, u =
tau - S.pA, r the outer body's centre of mass from the inner one's.

A joint is a list of axes that are eliminated one at a time, the last one first. With c shifted in beforehand (pA +=
IA c),
    IA -= U U^T / D,  pA += U u / D
for each axis; on the way out, in the reverse order, q'' = (u - U.a) / D and a += S q''. This is block elimination done
exactly, whatever the number of axes.

The pivot D is formed as S.(I S) + S.(M S), with the body's own inertia I kept apart from the remainder M that its outer
bodies leave (Pai, Ascher, Kry 2000, section 7). In world axes, as here, that has not been seen to save digits against
S.((I + M) S): what is lost is lost within S.(M S) (tests/solver/dynamics/tree/test_formulation_stiffness.py).
"""

from ...kernel import kernel
from ...spatial import (
    add,
    add_inertia,
    add_scaled,
    add_symmetric,
    add_to_inertia,
    add_to_spatial,
    apply_inertia,
    apply_symmetric,
    clear,
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

_NOTHING = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def solve_articulated_body(model, scratch):
    """Fills the accelerations of axes and bodies from kinematics, wrenches and efforts."""
    eliminate_inward(model, scratch)
    propagate_outward(model, scratch)


@kernel
def eliminate_inward(model, scratch):
    """Eliminates the axes from the tips to the root.

    A body hands what is left of it to its inner body. If that is the next body in turn, it stays in registers; only
    where a tree branches does it go through memory.
    """
    driven, bodies, moving_bodies, loads = model.driven, model.bodies, scratch.bodies, scratch.loads
    handed, handed_n, handed_f = _NOTHING, _ZERO, _ZERO
    for i in range(driven, len(bodies)):
        if bodies[i].branches:
            clear(loads[i].inertia, loads[i].bias)
    for i in range(len(bodies) - 1, driven - 1, -1):
        body, moving = bodies[i], moving_bodies[i]
        remainder, pn, pf = handed, handed_n, handed_f
        if body.branches:
            remainder = add_inertia(remainder, load_inertia(loads[i].inertia))
            pn, pf = add(pn, load_angular(loads[i].bias)), add(pf, load_linear(loads[i].bias))
        m, I = body.mass, rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        w = load3(moving.angular)
        c_angular, c_linear = load_angular(moving.bias), load_linear(moving.bias)
        cn, cf = apply_inertia(remainder, c_angular, c_linear)
        pn = add(pn, add(cn, add(apply_symmetric(I, c_angular), cross(w, apply_symmetric(I, w)))))
        pf = add(pf, add_scaled(cf, m, c_linear))
        pn, pf = subtract(pn, load_angular(moving.wrench)), subtract(pf, load_linear(moving.wrench))
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            axis = scratch.axes[k]
            a, b = load_angular(axis.S), load_linear(axis.S)
            own_n, own_f = apply_symmetric(I, a), scale(m, b)
            rest_n, rest_f = apply_inertia(remainder, a, b)
            D = (dot(a, own_n) + dot(b, own_f)) + (dot(a, rest_n) + dot(b, rest_f)) + (model.armature[k] + axis.held)
            Un, Uf = add(own_n, rest_n), add(own_f, rest_f)
            u = (scratch.efforts[k] + axis.held * axis.pace) - (dot(a, pn) + dot(b, pf))
            remainder = subtract_projection(remainder, Un, Uf, D)
            pn, pf = add_scaled(pn, u / D, Un), add_scaled(pf, u / D, Uf)
            store_spatial(axis.U, Un, Uf)
            axis.D, axis.u = D, u
        handed, handed_n, handed_f = _NOTHING, _ZERO, _ZERO
        if body.inner >= driven:
            inner = moving_bodies[body.inner]
            r = subtract(load3(moving.center), load3(inner.center))
            IA = (add_symmetric(remainder[0], I), remainder[1], add_symmetric(remainder[2], (m, 0.0, 0.0, m, 0.0, m)))
            handed, handed_n, handed_f = shift_inertia(IA, r), add(pn, cross(r, pf)), pf
            if body.inner != i - 1:
                add_to_inertia(loads[body.inner].inertia, handed)
                add_to_spatial(loads[body.inner].bias, handed_n, handed_f)
                handed, handed_n, handed_f = _NOTHING, _ZERO, _ZERO


@kernel
def propagate_outward(model, scratch):
    """Solves the axes from the root to the tips, from their U, D and u."""
    for i in range(model.driven, len(model.bodies)):
        body, moving = model.bodies[i], scratch.bodies[i]
        inner = scratch.bodies[body.inner]
        r = subtract(load3(moving.center), load3(inner.center))
        angular = load_angular(inner.acceleration)
        linear = add(load_linear(inner.acceleration), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            axis = scratch.axes[k]
            second = (axis.u - (dot(load_angular(axis.U), angular) + dot(load_linear(axis.U), linear))) / axis.D
            scratch.accelerations[k] = second
            angular = add_scaled(angular, second, load_angular(axis.S))
            linear = add_scaled(linear, second, load_linear(axis.S))
        store_spatial(
            moving.acceleration, add(angular, load_angular(moving.bias)), add(linear, load_linear(moving.bias))
        )
