# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces in joints and constraints where redundant ones leave them open: the least that do what has to be done.

Accelerations are known, by whatever method. The rows of all joints and constraints must make up what is missing in the
balance of each body; of all multipliers that do, those with the smallest sum of squares are taken, moments counted by
the linkage's size. They follow from the factorisation of `lagrange`: first any that give the accelerations, then
without the part that does nothing (`redundancy`).
"""

from ..kernel import kernel
from ..mechanism.model import LAGRANGE
from .closures import row_acceleration
from .lagrange import ask_soft_rows, factor_response, fill_free_motion, solve_rows
from .redundancy import name_redundant_rows, take_least_norm


@kernel
def least_norm_reactions(model, scratch):
    """Fills the multipliers of all rows and scratch.redundant; needs a model with the trees' own joints among its rows.

    The scratch space must hold an evaluation.
    """
    elimination, maximal = model.elimination, scratch.maximal
    if model.method == LAGRANGE:
        for p in range(len(elimination.row)):
            if elimination.row[p] >= 0:
                maximal.multiplier[p] = scratch.rows[elimination.row[p]].multiplier
    else:
        factor_response(model, scratch)
        fill_free_motion(model, scratch)
        for p in range(len(elimination.row)):
            if elimination.row[p] >= 0:
                maximal.asked[p] = row_acceleration(model, scratch, elimination.row[p])
        ask_soft_rows(model, scratch)
        solve_rows(elimination, maximal)
    take_least_norm(elimination, maximal)
    name_redundant_rows(elimination, maximal, scratch.redundant)
    for p in range(len(elimination.row)):
        if elimination.row[p] >= 0:
            scratch.rows[elimination.row[p]].multiplier = maximal.multiplier[p]
