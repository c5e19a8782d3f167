# SPDX-License-Identifier: GPL-3.0-or-later
"""Redundant rows: multipliers of least norm, and the nearest that contradictory rows can come to.

With S = L D L^T and vanishing pivots at the rows e, the multipliers that do nothing are N y with N = L^-T at e; what is
asked of the rows can be met if N^T b = 0. Both questions lead to small systems with N^T W N for a diagonal W:
    least norm      lambda + N y,  (N^T W N) y = -N^T W lambda,  W counts forces, and moments by the linkage's size
    contradictions  b - W N y,     (N^T W N) y = N^T b,          W spreads the misfit over the closures, not the trees
Conjugate gradients solve them (Hestenes, Stiefel 1952); N and N^T are one sparse solution each, so that the number of
redundant rows does not enter as a square.
"""

from ...kernel import kernel
from .row_response import add_multipliers, fill_rest
from .sparse_factor import solve_diagonal_and_upper, solve_lower, solve_upper

_CONTRADICTION = 1e-10  # of what the rows asked for: above the rounding of poses
_SOLVED = 1e-14
_PASSES = 4  # towards the least norm: N is not exact


@kernel
def meet_as_closely_as_can_be(elimination, maximal, asked):
    """Changes maximal.asked to what can be met, where it cannot; True if it did.

    maximal.rest is L^-1 of what is asked of each row; `asked` its largest, scaled.
    """
    worst = 0.0
    for k in range(maximal.count[0]):
        r = maximal.redundant[k]
        worst = max(worst, abs(maximal.rest[r]) * elimination.scale[r])
    if worst <= _CONTRADICTION * asked:
        return False
    for k in range(maximal.count[0]):
        maximal.search[1, k] = maximal.rest[maximal.redundant[k]]
    _solve_among_idle(elimination, maximal, elimination.freedom)
    x = maximal.rest
    _fill_idle(elimination, maximal, maximal.search[0])
    for p in range(len(x)):
        maximal.asked[p] -= elimination.freedom[p] * x[p]
    return True


@kernel
def take_least_norm(elimination, maximal):
    """Changes maximal.multiplier to the one of least norm that does the same. Overwrites motion and asked.

    N is as exact as the factors, and its entries may be large. So it is taken as (1 - S^-1 S) N, with S by way of the
    bodies, where it is applied to the multipliers.
    """
    if maximal.count[0] == 0:
        return
    kept, x = maximal.search[3], maximal.rest
    for p in range(len(x)):
        kept[p] = maximal.multiplier[p]
    for _ in range(_PASSES):
        for p in range(len(x)):
            maximal.asked[p] = x[p] = elimination.norm[p] * kept[p]
        solve_lower(elimination, maximal, x)
        solve_diagonal_and_upper(elimination, maximal, x)
        _start_over(maximal)
        add_multipliers(elimination, maximal)
        fill_rest(elimination, maximal)
        solve_lower(elimination, maximal, x)
        for k in range(maximal.count[0]):
            maximal.search[1, k] = -x[maximal.redundant[k]]
        _solve_among_idle(elimination, maximal, elimination.norm)
        _fill_idle(elimination, maximal, maximal.search[0])
        _start_over(maximal)
        for p in range(len(x)):
            maximal.asked[p] = 0.0
        add_multipliers(elimination, maximal)
        fill_rest(elimination, maximal)
        solve_lower(elimination, maximal, x)
        solve_diagonal_and_upper(elimination, maximal, x)
        for p in range(len(x)):
            kept[p] += maximal.multiplier[p] + x[p]
    for p in range(len(x)):
        maximal.multiplier[p] = kept[p]


@kernel
def _start_over(maximal):
    for p in range(len(maximal.multiplier)):
        maximal.multiplier[p] = 0.0
    for i in range(len(maximal.motion)):
        for k in range(6):
            maximal.motion[i, k] = 0.0


@kernel
def name_redundant_rows(elimination, maximal, redundant):
    """Marks as many closures' rows in `redundant` (M,) as are redundant: the pivots' own, else what they lean on most.

    A row of a tree is never redundant by itself, but may be the last of a loop in the order of elimination.
    """
    for r in range(len(redundant)):
        redundant[r] = 0
    for k in range(maximal.count[0]):
        p = maximal.redundant[k]
        if elimination.freedom[p] > 0.0:
            redundant[elimination.row[p]] = 1
    x = maximal.rest
    for k in range(maximal.count[0]):
        if elimination.freedom[maximal.redundant[k]] > 0.0:
            continue
        for p in range(len(x)):
            x[p] = 0.0
        x[maximal.redundant[k]] = 1.0
        solve_upper(elimination, maximal, x)
        most, share = -1, 0.0
        for p in range(len(x)):
            part = x[p] * x[p] * elimination.freedom[p]
            if part > share and redundant[elimination.row[p]] == 0:
                most, share = elimination.row[p], part
        if most >= 0:
            redundant[most] = 1


@kernel
def _fill_idle(elimination, maximal, y):
    """maximal.rest <- N y"""
    x = maximal.rest
    for p in range(len(x)):
        x[p] = 0.0
    for k in range(maximal.count[0]):
        x[maximal.redundant[k]] = y[k]
    solve_upper(elimination, maximal, x)


@kernel
def _solve_among_idle(elimination, maximal, weight):
    """(N^T W N) y = b with b in search[1], which is overwritten; y in search[0]."""
    y, rest, direction = maximal.search[0], maximal.search[1], maximal.search[2]
    x, count = maximal.rest, maximal.count[0]
    square = 0.0
    for k in range(count):
        y[k], direction[k] = 0.0, rest[k]
        square += rest[k] * rest[k]
    first = square
    for _ in range(2 * count + 10):
        if square <= _SOLVED * _SOLVED * first:
            break
        _fill_idle(elimination, maximal, direction)
        curvature = 0.0
        for p in range(len(x)):
            curvature += weight[p] * x[p] * x[p]
            x[p] *= weight[p]
        solve_lower(elimination, maximal, x)
        step, before = square / curvature, square
        square = 0.0
        for k in range(count):
            y[k] += step * direction[k]
            rest[k] -= step * x[maximal.redundant[k]]
            square += rest[k] * rest[k]
        for k in range(count):
            direction[k] = rest[k] + square / before * direction[k]
