# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipliers of least norm, where redundant joints and constraints leave them open."""

from ...kernel import kernel
from .redundancy import name_redundant_rows, take_least_norm


@kernel
def take_least_norm_multipliers(model, scratch):
    """Replaces the multipliers of an evaluation by the method of Lagrange; marks the closures' rows in `redundant`.

    Of all multipliers that do the same to every body they have the least sum of squares, moments counted by the
    linkage's size.
    """
    elimination, maximal = model.elimination, scratch.maximal
    for p in range(len(elimination.row)):
        if elimination.row[p] >= 0:
            maximal.multiplier[p] = scratch.rows[elimination.row[p]].multiplier
    take_least_norm(elimination, maximal)
    name_redundant_rows(elimination, maximal, scratch.redundant)
    for p in range(len(elimination.row)):
        if elimination.row[p] >= 0:
            scratch.rows[elimination.row[p]].multiplier = maximal.multiplier[p]
