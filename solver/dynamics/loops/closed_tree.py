# SPDX-License-Identifier: GPL-3.0-or-later
"""Closures on top of a tree method: the tree as if nothing else held it, then the multipliers that hold the rest.

For the recursive method, a row's unit wrench travels inward through the articulated bodies: at each axis y = S.w is
what it does there, and w - U y / D goes on. With the axes scaled by the roots of their pivots these y are the rows Y of
`delassus_dense`: the tree's recursion is a factorisation of its mass matrix (Featherstone 2008, section 8.5; Rodriguez
1987). For the composite method, Y follows from the dense factor. The cost is O(n M + n M^2) and O(n^3), for M rows.
"""

import math

from ...kernel import kernel
from ...model.arrays import RECURSIVE
from ...spatial import add, add_scaled, cross, dot, load3, load_angular, load_linear, store_spatial, subtract
from ..tree.articulated_body import propagate_outward, solve_articulated_body
from ..tree.composite_body import solve_composite_body, solve_lower, solve_transposed
from ..tree.inverse_dynamics import propagate_accelerations
from .closures import free_response, row_acceleration, update_targets
from .delassus_dense import factor_gram, solve_gram

_ZERO = (0.0, 0.0, 0.0)
_EXACT = 1e-13  # of what the rows asked for: a residual that calls for another solution


@kernel
def solve_closed_tree(model, scratch):
    """Fills the accelerations of axes and bodies, and the multipliers of the rows."""
    update_targets(model, scratch)
    for r in range(model.closing):
        scratch.rows[r].multiplier = 0.0
    if model.method == RECURSIVE:
        solve_articulated_body(model, scratch)
    else:
        solve_composite_body(model, scratch)
    _fill_gram_rows(model, scratch)
    scratch.pivots[0].smallest = factor_gram(scratch.gram)
    scratch.pivots[0].rank = scratch.gram.rank[0]
    for i in range(model.closing):
        scratch.redundant[scratch.gram.order[i]] = 1 if i >= scratch.gram.rank[0] else 0
    asked = 0.0
    for attempt in range(2):
        largest = _fill_residuals(model, scratch)
        if attempt == 0:
            asked = largest
        elif largest <= _EXACT * asked:
            break
        solve_gram(scratch.gram)
        for r in range(model.closing):
            scratch.rows[r].multiplier += scratch.gram.scale[r] * scratch.gram.values[r]
        _add_response(model, scratch)


@kernel
def respond_closed_tree(model, scratch):
    """The smallest change of rates, by kinetic energy, that gives the rows their targets: fills the accelerations.

    Uses the factors of the last solution.
    """
    gram, axes = scratch.gram, scratch.axes
    for r in range(model.closing):
        gram.values[r] = gram.scale[r] * scratch.rows[r].target
    solve_gram(gram)
    if model.method != RECURSIVE:
        _fill_dense_response(scratch)
        return
    for k in range(len(axes)):
        total = 0.0
        for r in range(model.closing):
            total += gram.rows[r, k] * gram.values[r]
        axes[k].u = total * math.sqrt(axes[k].D)
        scratch.accelerations[k] = 0.0
    for i in range(len(model.bodies)):
        if i < model.driven:
            store_spatial(scratch.bodies[i].acceleration, _ZERO, _ZERO)
        else:
            store_spatial(scratch.bodies[i].bias, _ZERO, _ZERO)
    propagate_outward(model, scratch)


@kernel
def write_dense_response(model, scratch):
    """Writes the multipliers of the latest response to the rows."""
    for r in range(model.closing):
        scratch.rows[r].multiplier = scratch.gram.scale[r] * scratch.gram.values[r]


@kernel
def _fill_residuals(model, scratch):
    """Fills what is still asked of each row, scaled; returns the largest."""
    largest = 0.0
    for r in range(model.closing):
        row = scratch.rows[r]
        value = row.target - row_acceleration(model, scratch, r) - row.compliance * row.multiplier
        value *= scratch.gram.scale[r]
        scratch.gram.values[r] = value
        largest = max(largest, abs(value))
    return largest


@kernel
def _add_response(model, scratch):
    """Adds what the multipliers in gram.values do to the accelerations."""
    gram, axes = scratch.gram, scratch.axes
    if model.method == RECURSIVE:
        for k in range(len(axes)):
            total = 0.0
            for r in range(model.closing):
                total += gram.rows[r, k] * gram.values[r]
            axes[k].u += total * math.sqrt(axes[k].D)
        propagate_outward(model, scratch)
    else:
        for k in range(len(axes)):
            scratch.work[k] = scratch.accelerations[k]
        _fill_dense_response(scratch)
        for k in range(len(axes)):
            scratch.accelerations[k] += scratch.work[k]
        propagate_accelerations(model, scratch)


@kernel
def _fill_dense_response(scratch):
    gram, accelerations = scratch.gram, scratch.accelerations
    for k in range(len(accelerations)):
        accelerations[k] = 0.0
        for r in range(len(gram.values)):
            accelerations[k] += gram.rows[r, k] * gram.values[r]
    solve_transposed(scratch.dense, accelerations)


@kernel
def _fill_gram_rows(model, scratch):
    gram, Y = scratch.gram, scratch.gram.rows
    recursive = model.method == RECURSIVE
    for r in range(model.closing):
        for k in range(Y.shape[1]):
            Y[r, k] = 0.0
        row, closure = scratch.rows[r], model.closures[model.rows[r].closure]
        gram.scale[r] = 1.0 / model.size if model.rows[r].is_length else 1.0
        loose = 0.0
        for end in range(closure.ends):
            i, wrench = closure.body[end], row.wrench[end]
            loose += free_response(model, i, wrench)
            project_wrench(model, scratch, Y[r], i, load_angular(wrench), load_linear(wrench), recursive)
        gram.loose[r] = gram.scale[r] * gram.scale[r] * loose
        gram.compliance[r] = gram.scale[r] * gram.scale[r] * row.compliance
        if recursive:
            for k in range(Y.shape[1]):
                Y[r, k] *= gram.scale[r] / math.sqrt(scratch.axes[k].D)
        else:
            for k in range(Y.shape[1]):
                Y[r, k] *= gram.scale[r]
            solve_lower(scratch.dense, Y[r])


@kernel
def project_wrench(model, scratch, y, i, n, f, articulated):
    """Adds what a wrench (n, f) on body i does along each axis on the way to the root."""
    bodies = scratch.bodies
    while i >= model.driven:
        body = model.bodies[i]
        for k in range(body.axis_end - 1, body.axis_start - 1, -1):
            axis = scratch.axes[k]
            part = dot(load_angular(axis.S), n) + dot(load_linear(axis.S), f)
            y[k] += part
            if articulated:
                n = add_scaled(n, -part / axis.D, load_angular(axis.U))
                f = add_scaled(f, -part / axis.D, load_linear(axis.U))
        inner = body.inner
        n = add(n, cross(subtract(load3(bodies[i].center), load3(bodies[inner].center)), f))
        i = inner
