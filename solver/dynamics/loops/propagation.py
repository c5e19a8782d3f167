# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint propagation: rows travel with the articulated bodies from the tips to the ground, O(n).

Walking inward, each body carries besides its articulated inertia IA and bias pA the rows that are pending there,
    f = IA a + pA - K^T lambda,    K a + L lambda = k,
where f is the force of the inner body on it, a its acceleration, lambda the rows' multipliers. L is what compliance the
axes outside have left to the rows: it is symmetric and positive semidefinite.
    A row's end on the body:    K += its wrench, k += its target; L = 0.
    An axis, q'' = (u - U.a + y.lambda) / D with y = K s:    IA -= U U^T / D, pA += U u / D,
        K -= y U^T / D, L += y y^T / D, k -= y u / D.
    A row r that is resolved (`model.propagation_plan`), if L_rr allows, lambda_r = (k_r - K_r a - L_ro lambda_o)
        / L_rr:    IA += K_r^T K_r / L_rr, pA -= K_r^T k_r / L_rr, K_o -= L_or K_r / L_rr, L_oo -= L_or L_ro / L_rr,
        k_o -= L_or k_r / L_rr.
At the ground a is known, and the rest is solved for lambda. Then the same equations give axes and multipliers from the
root to the tips.

This is the propagation of Lathrop (Constrained (closed-loop) robot simulation by local constraint propagation, 1986)
as chapter 5 of the thesis builds it. Its abstract degrees of freedom Omega are (a, lambda) here, so that M^a = (1 0),
M^f = (IA -K^T), and the exchange of one of Omega's numbers for q'' (5.27) is the elimination of the axis. Its arbitrary
pivots are gone: D and L_rr are pivots of symmetric positive definite matrices. The degrees of freedom that the two arms
of a loop share (5.8.1) are the multipliers of open rows, which both arms carry to the body where they meet. Where
branches meet, more rows than six may be pending; reflections turn their K into a trapezoid (5.7.1 takes singular
values for that), which leaves combinations of rows with K = 0. These are eliminated by their L; if that is zero too,
the combination is redundant: its multiplier is zero, and what it asks beyond the others cannot be met.

Pivots small against the body's own response to the row wait until more axes have been crossed. Rows are scaled to
radians, lengths by the size of the linkage.
"""

import math

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
from ..tree.inverse_dynamics import propagate_accelerations
from .closures import row_acceleration, update_targets
from .propagated_rows import (
    add_end,
    along_axis,
    clear_pending,
    cross_axis,
    cross_axis_again,
    eliminate_again,
    eliminate_rows,
    hand_inward,
    hand_sides_inward,
    let_wait,
    meet_motion,
    recover_rows,
    take_multipliers,
)

_NOTHING = (
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)
_ZERO = (0.0, 0.0, 0.0)
_ENDLESS = math.inf  # the ground's inertia and mass
_EXACT = 1e-13  # of what the rows asked for: a residual that calls for another solution


@kernel
def solve_propagation(model, scratch):
    """Fills the accelerations of axes and bodies, and the multipliers of the rows."""
    update_targets(model, scratch)
    rows, seconds, unit = scratch.rows, scratch.accelerations, model.propagation.unit
    _inward(model, scratch)
    _meet_ground(model.propagation, scratch.propagation, scratch.redundant, len(model.bodies))
    pivots = scratch.pivots[0]
    pivots.smallest, pivots.rank = scratch.propagation.smallest[0], model.closing
    for r in range(model.closing):
        pivots.rank -= scratch.redundant[r]
    _outward(model, scratch, True)
    _take_row_multipliers(rows, unit, scratch.propagation, 0.0)
    asked, missing = 0.0, 0.0
    for r in range(model.closing):
        asked = max(asked, unit[r] * abs(rows[r].target))
        rows[r].target -= row_acceleration(model, scratch, r) + rows[r].compliance * rows[r].multiplier
        missing = max(missing, unit[r] * abs(rows[r].target))
    if missing > _EXACT * asked:
        for k in range(len(seconds)):
            scratch.work[k] = seconds[k]
        respond_propagation(model, scratch)
        _take_row_multipliers(rows, unit, scratch.propagation, 1.0)
        for k in range(len(seconds)):
            seconds[k] += scratch.work[k]
        propagate_accelerations(model, scratch)


@kernel
def respond_propagation(model, scratch):
    """The smallest change of rates, by kinetic energy, that gives the rows their targets: fills the accelerations.

    Uses the factors of the last solution.
    """
    _inward_again(model, scratch)
    _outward(model, scratch, False)


@kernel
def _take_row_multipliers(rows, unit, work, keep):
    """Adds the multipliers that were found to `keep` times the rows' own."""
    for s in range(len(work.slots)):
        r = work.slots[s].row
        if r >= 0:
            rows[r].multiplier = keep * rows[r].multiplier + unit[r] * work.multiplier[s]


@kernel
def _inward(model, scratch):
    """Eliminates axes and rows from the tips to the ground; see `articulated_body` for the bodies' part."""
    driven, bodies, moving_bodies, loads = model.driven, model.bodies, scratch.bodies, scratch.loads
    plan, work = model.propagation, scratch.propagation
    clear_pending(work)
    for r in range(model.closing):
        scratch.redundant[r] = 0
    handed, handed_n, handed_f = _NOTHING, _ZERO, _ZERO
    for i in range(driven, len(bodies)):
        if bodies[i].branches:
            clear(loads[i].inertia, loads[i].bias)
    for i in range(len(bodies) - 1, driven - 1, -1):
        body, moving, node, count = bodies[i], moving_bodies[i], plan.nodes[i], work.counts[i]
        remainder, pn, pf = handed, handed_n, handed_f
        if body.branches:
            remainder = add_inertia(remainder, load_inertia(loads[i].inertia))
            pn, pf = add(pn, load_angular(loads[i].bias)), add(pf, load_linear(loads[i].bias))
        m, I = body.mass, rotate_symmetric(load9(moving.rotation), load6(body.inertia))
        w = load3(moving.angular)
        c_angular, c_linear = load_angular(moving.bias), load_linear(moving.bias)
        if node.slots > 0:
            remainder, pn, pf = _meet_rows(
                plan, work, node, count, scratch.rows, scratch.redundant, I, m, remainder, pn, pf
            )
            meet_motion(work, node, count, c_angular, c_linear)
        cn, cf = apply_inertia(remainder, c_angular, c_linear)
        pn = add(pn, add(cn, add(apply_symmetric(I, c_angular), cross(w, apply_symmetric(I, w)))))
        pf = add(pf, add_scaled(cf, m, c_linear))
        pn, pf = subtract(pn, load_angular(moving.wrench)), subtract(pf, load_linear(moving.wrench))
        pending = node.slots > 0 and node.open + count.stuck > 0
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
            if pending:
                cross_axis(work, node, count, node.along + (k - body.axis_start) * node.reach, axis)
        handed, handed_n, handed_f = _NOTHING, _ZERO, _ZERO
        inner = moving_bodies[body.inner]
        r = subtract(load3(moving.center), load3(inner.center))
        if pending:
            if body.inner < driven:
                angular = load_angular(inner.acceleration)
                meet_motion(work, node, count, angular, add(load_linear(inner.acceleration), cross(angular, r)))
            hand_inward(work, node, count, plan.nodes[node.target], work.counts[node.target], r)
        if body.inner >= driven:
            IA = (add_symmetric(remainder[0], I), remainder[1], add_symmetric(remainder[2], (m, 0.0, 0.0, m, 0.0, m)))
            handed, handed_n, handed_f = shift_inertia(IA, r), add(pn, cross(r, pf)), pf
            if body.inner != i - 1:
                add_to_inertia(loads[body.inner].inertia, handed)
                add_to_spatial(loads[body.inner].bias, handed_n, handed_f)
                handed, handed_n, handed_f = _NOTHING, _ZERO, _ZERO


@kernel
def _meet_rows(plan, work, node, count, rows, redundant, I, m, remainder, pn, pf):
    """Collects a body's rows and eliminates those that are resolved; returns what is added to its inertia and bias."""
    if node.end_end == node.end_start and node.resolved == 0 and count.stuck == 0:
        return remainder, pn, pf
    J = (I[0] + I[3] + I[5] + remainder[0][0] + remainder[0][3] + remainder[0][5]) / 3.0
    M = m + (remainder[2][0] + remainder[2][3] + remainder[2][5]) / 3.0
    for e in range(node.end_start, node.end_end):
        end = plan.ends[e]
        add_end(work, node, end, rows[end.row], plan.unit[end.row], J, M)
    let_wait(work.slots, node, count)
    return eliminate_rows(work, node, count, redundant, remainder, pn, pf, J, M)


@kernel
def _meet_ground(plan, work, redundant, bodies):
    """Eliminates what has come to the ground."""
    for n in range(bodies, len(plan.nodes)):
        node = plan.nodes[n]
        if node.slots > 0:
            let_wait(work.slots, node, work.counts[n])
            eliminate_rows(work, node, work.counts[n], redundant, _NOTHING, _ZERO, _ZERO, _ENDLESS, _ENDLESS)


@kernel
def _inward_again(model, scratch):
    """The same with the stored factors, without forces and bias, for the rows' present targets."""
    driven, bodies, moving_bodies, loads = model.driven, model.bodies, scratch.bodies, scratch.loads
    plan, work = model.propagation, scratch.propagation
    for s in range(len(work.k)):
        work.k[s] = 0.0
    for i in range(driven, len(bodies)):
        store_spatial(loads[i].bias, _ZERO, _ZERO)
    for i in range(len(bodies) - 1, driven - 1, -1):
        body, node, count = bodies[i], plan.nodes[i], work.counts[i]
        pn, pf = load_angular(loads[i].bias), load_linear(loads[i].bias)
        if node.slots > 0:
            for e in range(node.end_start, node.end_end):
                end = plan.ends[e]
                if end.counts:
                    work.k[node.first + end.slot] += plan.unit[end.row] * scratch.rows[end.row].target
            pn, pf = eliminate_again(work, node, count, pn, pf)
        pending = node.slots > 0 and node.open + count.stuck > 0
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            axis = scratch.axes[k]
            u = -(dot(load_angular(axis.S), pn) + dot(load_linear(axis.S), pf))
            pn = add_scaled(pn, u / axis.D, load_angular(axis.U))
            pf = add_scaled(pf, u / axis.D, load_linear(axis.U))
            axis.u = u
            if pending:
                cross_axis_again(work, node, count, node.along + (k - body.axis_start) * node.reach, axis)
        if pending:
            hand_sides_inward(work, node, count, plan.nodes[node.target].first)
        if body.inner >= driven:
            r = subtract(load3(moving_bodies[i].center), load3(moving_bodies[body.inner].center))
            add_to_spatial(loads[body.inner].bias, add(pn, cross(r, pf)), pf)
    for n in range(len(bodies), len(plan.nodes)):
        if plan.nodes[n].slots > 0:
            eliminate_again(work, plan.nodes[n], work.counts[n], _ZERO, _ZERO)


@kernel
def _outward(model, scratch, moving_by_itself):
    """Solves axes and rows from the ground to the tips, with the accelerations that are there without them or not."""
    driven, bodies = model.driven, scratch.bodies
    plan, work = model.propagation, scratch.propagation
    for n in range(len(bodies), len(plan.nodes)):
        if plan.nodes[n].slots > 0:
            recover_rows(work, plan.nodes[n], work.counts[n], _ZERO, _ZERO)
    for i in range(driven, len(bodies)):
        body, moving, node, count = model.bodies[i], bodies[i], plan.nodes[i], work.counts[i]
        angular, linear = _ZERO, _ZERO
        if moving_by_itself or body.inner >= driven:
            inner = bodies[body.inner]
            r = subtract(load3(moving.center), load3(inner.center))
            angular = load_angular(inner.acceleration)
            linear = add(load_linear(inner.acceleration), cross(angular, r))
        pending = node.slots > 0 and node.open + count.stuck > 0
        if pending:
            take_multipliers(work, node, count, plan.nodes[node.target].first)
        for k in range(body.axis_start, body.axis_end):
            axis = scratch.axes[k]
            rest = axis.u - (dot(load_angular(axis.U), angular) + dot(load_linear(axis.U), linear))
            if pending:
                rest += along_axis(work, node, count, node.along + (k - body.axis_start) * node.reach)
            second = rest / axis.D
            scratch.accelerations[k] = second
            angular = add_scaled(angular, second, load_angular(axis.S))
            linear = add_scaled(linear, second, load_linear(axis.S))
        if moving_by_itself:
            angular, linear = add(angular, load_angular(moving.bias)), add(linear, load_linear(moving.bias))
        store_spatial(moving.acceleration, angular, linear)
        if node.slots > 0:
            recover_rows(work, node, count, angular, linear)
