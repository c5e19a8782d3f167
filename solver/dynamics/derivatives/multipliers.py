# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes of the rows' multipliers, by the response of `loops.delassus_dense`: O(n M + M^2) a direction, M rows.

Whatever method found the accelerations, their changes are found by this one, so they do not depend on it. Its rank
decides which rows are redundant: these are met as closely as can be, and exactly along directions that keep them so,
from speeds that do not contradict them. Where rows are independent beside the present pose (in a spatial loop that only
just goes round), accelerations jump and have no derivative: the answer is that of the rows that count now.
"""

import math

from ...kernel import kernel
from ...spatial import load_angular, load_linear
from ..loops.closed_tree import project_wrench
from ..loops.closures import along, free_response
from ..loops.delassus_dense import factor_gram, solve_gram

EXACT = 1e-13  # of what the rows asked for: a residual that calls for no further solution
SOLUTIONS = 2


@kernel
def factor_rows(model, factors):
    """Fills the gram of `factors` from the rows and the factored inertias."""
    gram, axes = factors.gram, factors.axes
    for r in range(model.closing):
        row, closure, Y = factors.rows[r], model.closures[model.rows[r].closure], gram.rows[r]
        for k in range(len(Y)):
            Y[k] = 0.0
        loose, scale = 0.0, 1.0 / model.size if model.rows[r].is_length else 1.0
        for end in range(closure.ends):
            i, wrench = closure.body[end], row.wrench[end]
            loose += free_response(model, i, wrench)
            project_wrench(model, factors, Y, i, load_angular(wrench), load_linear(wrench), True)
        for k in range(len(Y)):
            Y[k] *= scale / math.sqrt(axes[k].D)
        gram.scale[r], gram.loose[r], gram.compliance[r] = scale, scale * scale * loose, 0.0
    factor_gram(gram)


@kernel
def fill_rest(model, changes):
    """Fills what is still asked of each row, scaled; returns the largest."""
    gram, largest = changes.factors.gram, 0.0
    for r in range(model.closing):
        row, closure = changes.factors.rows[r], model.closures[model.rows[r].closure]
        rest = changes.rows[r].asked
        for end in range(closure.ends):
            i = closure.body[end]
            if i >= model.driven:
                rest -= along(row.wrench[end], changes.bodies[i].response)
        gram.values[r] = gram.scale[r] * rest
        largest = max(largest, abs(gram.values[r]))
    return largest


@kernel
def add_multiplier_changes(model, changes):
    """Adds the multipliers that give the rows the rest to theirs, and their efforts to the axes' u."""
    gram, axes = changes.factors.gram, changes.factors.axes
    solve_gram(gram)
    for r in range(model.closing):
        changes.rows[r].multiplier += gram.scale[r] * gram.values[r]
    for k in range(len(axes)):
        total = 0.0
        for r in range(model.closing):
            total += gram.rows[r, k] * gram.values[r]
        axes[k].u += total * math.sqrt(axes[k].D)
