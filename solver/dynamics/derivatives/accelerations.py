# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of the forward dynamics: the change of accelerations along a direction, exact and in O(n).

With the inverse dynamics tau = ID(q, u, a), a direction (dq, du, dtau) changes the accelerations by
    da = M^-1 (dtau - dID(q, u, a; dq, du)),
accelerations kept in dID (Carpentier and Mansard 2018, section IV; the spatial operators of Jain and Rodriguez 1993).
dID along a direction is one sweep outward (`kinematics`), and, with M^-1 by the factors U, D of the articulated body
method (Featherstone 2008, table 7.1), one inward and one outward: O(n) for trees. Forces change by their own laws
(`dynamics.forces`), rows by `closures`, their multipliers by `multipliers`: O(M^2 + n M) more for M rows.

The contract. Right after an evaluation (`evaluation.forward_dynamics.update_rates`) of a model in its scratch space:
1. `prepare_changes` factors the inertias and rows, once for all directions;
2. `acceleration_change` is the product by a vector, of axes A: accelerations (m/s2, rad/s2) by coordinates (m, rad),
   speeds (m/s, rad/s) and efforts (N, N m). Coordinates are the state's own: in a chart the rotation vector's;
   `kinematics.change_rates` has the changes of the coordinates' rates;
3. `fill_matrices` writes all of them, one direction for each axis, that sweeps over no more bodies than the axis moves.
They read the scratch space and write none of it. A pose of a keyed body, the time, and the parameters are kept.

Everything that has a mode keeps it: what is held stays held, what is open or slips does so; at a kink the law's own
change says which side is meant. Contacts by impulses are no part of an evaluation. Of contact joints, soft contacts,
balances and closures that give way there are no derivatives: `changes.new_changes` refuses them.

Symbols, d before each for its change: S motion subspace, f, n force and moment about a centre of mass, p bias force, U
= IA S, D = S.U, u the effort that is left, r outer centre from the inner one.
"""

from ...kernel import kernel, kernel_by_class
from ...model.arrays import RowKind
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    apply_symmetric,
    cross,
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
from ..forces.joint_forces import change_efforts
from ..forces.laws import add_force_change
from ..loops.methods import has_closures
from ..tree.articulated_body import eliminate_inward
from ..tree.inverse_dynamics import update_joint_wrenches
from .closures import change_rows
from .kinematics import change_kinematics
from .multipliers import EXACT, SOLUTIONS, add_multiplier_changes, factor_rows, fill_rest

_COUPLING, _LED = int(RowKind.COUPLING), int(RowKind.LED)
_ZERO = (0.0, 0.0, 0.0)


@kernel
def prepare_changes(model, scratch, changes):
    """Factors the inertias and the rows of what has just been evaluated in `scratch`."""
    factors = changes.factors
    for k in range(len(scratch.axes)):
        axis, own = scratch.axes[k], factors.axes[k]
        store_spatial(own.S, load_angular(axis.S), load_linear(axis.S))
        own.held, own.pace = axis.held, axis.pace
    eliminate_inward(model, factors)
    update_joint_wrenches(model, factors)
    for i in range(model.driven, len(model.bodies)):
        I = rotate_symmetric(load9(scratch.bodies[i].rotation), load6(model.bodies[i].inertia))
        for k in range(6):
            changes.bodies[i].inertia[k] = I[k]
    _prepare_rows(model, factors)


@kernel
def _factor_closures(model, factors):
    """And takes couplings, and what leads coordinates, out of the joint wrenches: they are efforts in them."""
    for number in range(len(model.closures)):
        closure = model.closures[number]
        if closure.row_start >= model.closing:
            continue
        kind = model.rows[closure.row_start].kind
        if kind != _COUPLING and kind != _LED:
            continue
        row = factors.rows[closure.row_start]
        for side in range(closure.ends // 2):
            i = closure.coupled[side]
            for end in range(2 * side, 2 * side + 2):
                if closure.body[end] == i:
                    W, f = row.wrench[end], row.multiplier
                    wrench = factors.loads[i].joint_wrench
                    add_to_spatial(wrench, scale(f, load_angular(W)), scale(f, load_linear(W)))
    factor_rows(model, factors)


@kernel
def _do_nothing(model, factors):
    pass


_prepare_rows = kernel_by_class(lambda model: _factor_closures if has_closures(model) else _do_nothing)


@kernel
def acceleration_change(model, state, scratch, changes, coordinates, speeds, efforts, out):
    """Fills `out` (A,) with the change of the axes' accelerations for changes (A,) of these three, to first order.

    After `prepare_changes`. The bodies' own changes are left in `changes.bodies`: their poses and velocities in `turn`,
    `shift`, `angular` and `linear`, their accelerations in `acceleration` plus `response`; the multipliers' in
    `changes.rows`.
    """
    change_kinematics(model, state, scratch, changes, coordinates, speeds)
    for number in range(len(model.forces)):
        force = model.forces[number]
        if changes.bodies[force.body[0]].moved or changes.bodies[force.body[1]].moved:
            add_force_change(model, scratch, changes.bodies, number)
    change_efforts(model, state, scratch, changes.motion, speeds, changes.efforts)
    _change_rows(model, scratch, changes)
    _sweep_inward(model, scratch, changes, efforts)
    _sweep_outward(model, scratch, changes, out)
    _meet_rows(model, scratch, changes, out)


@kernel
def _no_rows(model, scratch, changes):
    pass


@kernel
def _no_multipliers(model, scratch, changes, out):
    pass


@kernel
def _add_multipliers(model, scratch, changes, out):
    for r in range(model.closing):
        changes.rows[r].multiplier = 0.0
    asked = 0.0
    for solution in range(SOLUTIONS):
        rest = fill_rest(model, changes)
        if solution == 0:
            asked = rest
        elif rest <= EXACT * asked:
            break
        add_multiplier_changes(model, changes)
        _sweep_outward(model, scratch, changes, out)


_change_rows = kernel_by_class(lambda model: change_rows if has_closures(model) else _no_rows)
_meet_rows = kernel_by_class(lambda model: _add_multipliers if has_closures(model) else _no_multipliers)


@kernel
def _sweep_inward(model, scratch, changes, efforts):
    """Fills the axes' u: what is left of the changes of efforts by those of the bodies' forces."""
    factors = changes.factors
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        body, moving, change = model.bodies[i], scratch.bodies[i], changes.bodies[i]
        pn, pf = load_angular(change.load), load_linear(change.load)
        if change.moved:
            n, f = _own_force(body.mass, moving, change)
            pn, pf = add(pn, n), add(pf, f)
        pn, pf = subtract(pn, load_angular(change.wrench)), subtract(pf, load_linear(change.wrench))
        F = factors.loads[i].joint_wrench
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            axis = factors.axes[k]
            u = efforts[k] + changes.efforts[k] - _along(axis.S, pn, pf)
            if change.moved:
                u -= _along(changes.S[k], load_angular(F), load_linear(F))
            axis.u = u
            pn = add_scaled(pn, u / axis.D, load_angular(axis.U))
            pf = add_scaled(pf, u / axis.D, load_linear(axis.U))
        if body.inner >= model.driven:
            r = subtract(load3(moving.center), load3(scratch.bodies[body.inner].center))
            pn = add(pn, cross(r, pf))
            if change.moved:
                dr = subtract(load3(change.shift), load3(changes.bodies[body.inner].shift))
                pn = add(pn, cross(dr, load_linear(F)))
            add_to_spatial(changes.bodies[body.inner].load, pn, pf)


@kernel
def _own_force(mass, moving, change):
    """The change of what moves a body: of I w' + w x I w and of m a."""
    I, turn = load6(change.inertia), load3(change.turn)
    w, dw = load3(moving.angular), load3(change.angular)
    Iw = apply_symmetric(I, w)
    n = _turned(I, turn, load_angular(moving.acceleration), load_angular(change.acceleration))
    n = add(n, add(cross(dw, Iw), cross(w, _turned(I, turn, w, dw))))
    return n, scale(mass, load_linear(change.acceleration))


@kernel
def _turned(I, turn, x, dx):
    """The change of I x, with I that turns."""
    return add(cross(turn, apply_symmetric(I, x)), apply_symmetric(I, subtract(dx, cross(turn, x))))


@kernel
def _along(motion, n, f):
    return dot(load_angular(motion), n) + dot(load_linear(motion), f)


@kernel
def _sweep_outward(model, scratch, changes, out):
    """Solves the axes from their U, D and u, and fills the bodies' responses."""
    for i in range(model.driven, len(model.bodies)):
        body = model.bodies[i]
        angular, linear = _ZERO, _ZERO
        if body.inner >= model.driven:
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
            inner = changes.bodies[body.inner].response
            angular = load_angular(inner)
            linear = add(load_linear(inner), cross(angular, r))
        for k in range(body.axis_start, body.axis_end):
            axis = changes.factors.axes[k]
            second = (axis.u - _along(axis.U, angular, linear)) / axis.D
            out[k] = second
            angular = add_scaled(angular, second, load_angular(axis.S))
            linear = add_scaled(linear, second, load_linear(axis.S))
        store_spatial(changes.bodies[i].response, angular, linear)


@kernel
def fill_matrices(model, state, scratch, changes, by_coordinates, by_speeds, by_efforts):
    """Fills three matrices (A, A), transposed: row k has the changes of all accelerations by number k of each kind.

    After `prepare_changes`. by_efforts is symmetric: of a tree it is the inverse of its mass matrix.
    """
    axes, direction = len(scratch.axes), changes.direction
    for kind in range(3):
        for k in range(axes):
            direction[kind, k] = 0.0
    for k in range(axes):
        for kind in range(3):
            into = by_coordinates[k] if kind == 0 else (by_speeds[k] if kind == 1 else by_efforts[k])
            direction[kind, k] = 1.0
            acceleration_change(model, state, scratch, changes, direction[0], direction[1], direction[2], into)
            direction[kind, k] = 0.0
