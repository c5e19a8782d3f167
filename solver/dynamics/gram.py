# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that may be redundant or contradict each other, solved densely in the sense of least squares and least norm.

With Y (M, A) the rows' parts along the axes, weighted so that the kinetic energy of axis rates z is z.z / 2, the rows
ask Y z = b of the change z of rates, and z = Y^T lambda. The response Y Y^T is factored as L L^T by Cholesky with
pivoting; M - r rows whose pivots vanish are redundant. With P = L (L^T L)^-1 L^T, the projection onto the r columns of
L, the multipliers P basic(P b) are those of least norm for the b nearest to what was asked, where `basic` solves for
the r rows with pivots and leaves the other multipliers zero (Golub, Van Loan 2013, section 5.5). Rows are scaled to
radians, lengths by the size of the linkage.
"""

import math

from ..kernel import kernel

_RANK = 1e-11  # of a row's own response: the square of the sine of its angle to the rows before it
_ROUNDING = 1e-24  # of what the row would get from its bodies alone: a response that is nothing but rounding


@kernel
def factor_gram(gram):
    """Fills factor, order and rank from gram.rows; returns the smallest pivot, by what free bodies would make of it."""
    L, Y, order, rest, own = gram.factor, gram.rows, gram.order, gram.work, gram.values
    count, axes = Y.shape
    for r in range(count):
        order[r] = r
        own[r] = gram.compliance[r]
        for k in range(axes):
            own[r] += Y[r, k] * Y[r, k]
        rest[r] = own[r]
    rank, smallest = 0, 1.0
    while rank < count:
        best, share = rank, 0.0
        for i in range(rank, count):
            r = order[i]
            if rest[r] > _ROUNDING * gram.loose[r] and rest[r] > share * own[r]:
                best, share = i, rest[r] / own[r]
        if not share > _RANK:
            break
        order[rank], order[best] = order[best], order[rank]
        p = order[rank]
        smallest = min(smallest, rest[p] / gram.loose[p])
        pivot = math.sqrt(rest[p])
        L[p, rank] = pivot
        for i in range(rank + 1, count):
            r = order[i]
            product = 0.0
            for k in range(axes):
                product += Y[r, k] * Y[p, k]
            for j in range(rank):
                product -= L[r, j] * L[p, j]
            L[r, rank] = product / pivot
            rest[r] -= L[r, rank] * L[r, rank]
        rank += 1
    gram.rank[0] = rank
    if rank < count:
        _factor_normal(gram, rank, count)
    return smallest


@kernel
def solve_gram(gram):
    """Replaces what is asked of the (scaled) rows, in gram.values, by the (scaled) multipliers."""
    L, order, x, rank, count = gram.factor, gram.order, gram.values, gram.rank[0], len(gram.values)
    if rank < count:
        _project(gram, rank, count)
    for i in range(rank):
        p = order[i]
        for j in range(i):
            x[p] -= L[p, j] * x[order[j]]
        x[p] /= L[p, i]
    for i in range(rank - 1, -1, -1):
        p = order[i]
        for j in range(i + 1, rank):
            x[p] -= L[order[j], i] * x[order[j]]
        x[p] /= L[p, i]
    for i in range(rank, count):
        x[order[i]] = 0.0
    if rank < count:
        _project(gram, rank, count)


@kernel
def _factor_normal(gram, rank, count):
    """Cholesky factor of L^T L."""
    L, N, order = gram.factor, gram.normal, gram.order
    for i in range(rank):
        for j in range(i + 1):
            total = 0.0
            for r in range(i, count):
                total += L[order[r], i] * L[order[r], j]
            for k in range(j):
                total -= N[i, k] * N[j, k]
            N[i, j] = math.sqrt(total) if i == j else total / N[j, j]


@kernel
def _project(gram, rank, count):
    """values <- P values"""
    L, N, order, x, y = gram.factor, gram.normal, gram.order, gram.values, gram.work
    for i in range(rank):
        y[i] = 0.0
        for r in range(i, count):
            y[i] += L[order[r], i] * x[order[r]]
        for k in range(i):
            y[i] -= N[i, k] * y[k]
        y[i] /= N[i, i]
    for i in range(rank - 1, -1, -1):
        for k in range(i + 1, rank):
            y[i] -= N[k, i] * y[k]
        y[i] /= N[i, i]
    for r in range(count):
        x[order[r]] = 0.0
        for i in range(min(r + 1, rank)):
            x[order[r]] += L[order[r], i] * y[i]
