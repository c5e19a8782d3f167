# SPDX-License-Identifier: GPL-3.0-or-later
"""Redundant rows: multipliers of least norm, and the nearest that contradictory rows can come to.

With S = L D L^T and vanishing pivots at the rows e, the multipliers that do nothing are N y with N = L^-T at e; what is
asked of the rows can be met if N^T b = 0. Both questions lead to small systems with N^T W N for a diagonal W:
    least norm      lambda + N y,  (N^T W N) y = -N^T W lambda,  W counts forces, and moments by the linkage's size
    contradictions  b - W N y,     (N^T W N) y = N^T b,          W spreads the misfit over the closures, not the trees
N and N^T are one sparse solution each. Where there are few, the small matrix is factored (Cholesky) and kept as long as
the factors of S are: what one step asks of its rows, some twenty times, is contradictory wherever loops are open by
rounding. Of many, conjugate gradients solve it (Hestenes, Stiefel 1952), so that their number does not enter as a
square.
"""

import math

from ...kernel import kernel
from .row_response import add_multipliers, fill_rest
from .sparse_factor import solve_diagonal_and_upper, solve_lower, solve_upper

_CONTRADICTION = 1e-10  # of what the rows asked for: above the rounding of poses
_FREEDOM, _NORM = 1, 2  # which weights the small matrix has
_DEPENDENT = 1e-14  # of a combination's own: a pivot of the small matrix that is rounding
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
    _solve_among_idle(elimination, maximal, _FREEDOM, elimination.freedom)
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
        _solve_among_idle(elimination, maximal, _NORM, elimination.norm)
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
def _solve_among_idle(elimination, maximal, kind, weight):
    """(N^T W N) y = b with b in search[1], which is overwritten; y in search[0]. Overwrites rest."""
    if maximal.count[0] > len(maximal.among_idle):
        _iterate_among_idle(elimination, maximal, weight)
        return
    if maximal.weights[0] != kind:
        _factor_among_idle(elimination, maximal, weight)
        maximal.weights[0] = kind
    y, b, L, count = maximal.search[0], maximal.search[1], maximal.among_idle, maximal.count[0]
    for k in range(count):
        total = b[k]
        for j in range(k):
            total -= L[k, j] * y[j]
        y[k] = total * L[k, k]
    for k in range(count - 1, -1, -1):
        total = y[k]
        for j in range(k + 1, count):
            total -= L[j, k] * y[j]
        y[k] = total * L[k, k]


@kernel
def _factor_among_idle(elimination, maximal, weight):
    """among_idle <- the Cholesky factor of N^T W N, with inverse pivots; 0 for those that are rounding."""
    x, L, count = maximal.rest, maximal.among_idle, maximal.count[0]
    for k in range(count):
        for p in range(len(x)):
            x[p] = 0.0
        x[maximal.redundant[k]] = 1.0
        solve_upper(elimination, maximal, x)
        for p in range(len(x)):
            x[p] *= weight[p]
        solve_lower(elimination, maximal, x)
        for j in range(k, count):
            L[j, k] = x[maximal.redundant[j]]
    for k in range(count):
        own = pivot = L[k, k]
        for j in range(k):
            pivot -= L[k, j] * L[k, j]
        inverse = 1.0 / math.sqrt(pivot) if pivot > _DEPENDENT * own else 0.0
        L[k, k] = inverse
        for i in range(k + 1, count):
            total = L[i, k]
            for j in range(k):
                total -= L[i, j] * L[k, j]
            L[i, k] = total * inverse


@kernel
def _iterate_among_idle(elimination, maximal, weight):
    """The same by conjugate gradients."""
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
