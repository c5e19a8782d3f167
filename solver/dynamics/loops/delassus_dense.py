# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that may be redundant or contradict each other, solved densely in the sense of least squares and least norm.

With Y (M, A) the rows' parts along the axes, weighted so that the kinetic energy of axis rates z is z.z / 2, the rows
ask Y z = b of the change z of rates, and z = Y^T lambda. The response Y Y^T is factored as L L^T by Cholesky with
pivoting; M - r rows whose pivots vanish are redundant. With P = Q Q^T, where Q is an orthonormal basis of the r columns
of L, the multipliers P basic(P b) are those of least norm for the b nearest to what was asked, where `basic` solves for
the r rows with pivots and leaves the other multipliers zero (Golub, Van Loan 2013, section 5.5). Rows are scaled to
radians, lengths by the size of the linkage.
"""

import math

from ...kernel import kernel

_RANK = 1e-11  # of a row's own response: the square of the sine of its angle to the rows before it
_WEAK = 1e-6  # of what the row would get from its bodies alone: a response that only rows aslant have
_NOTHING = 1e-18  # of what the row would get from its bodies alone: the square of an angle that is rounding


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
            weight = own[r] if own[r] > _WEAK * gram.loose[r] else own[r] / _WEAK  # weak ones come last
            if rest[r] > _NOTHING * gram.loose[r] and rest[r] > _RANK * own[r] and rest[r] > share * weight:
                best, share = i, rest[r] / weight
        if share == 0.0:
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
        _span(gram, rank, count)
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
def _span(gram, rank, count):
    """Fills basis with Q: Gram and Schmidt's method, each column twice, after which it is orthogonal (Parlett 1998).

    L^T L would square how near pivots are to zero, and rounding may leave it no root.
    """
    L, Q, order = gram.factor, gram.basis, gram.order
    for i in range(rank):
        for r in range(count):
            Q[r, i] = 0.0
        for r in range(i, count):
            Q[order[r], i] = L[order[r], i]
        for _ in range(2):
            for j in range(i):
                along = 0.0
                for r in range(count):
                    along += Q[r, j] * Q[r, i]
                for r in range(count):
                    Q[r, i] -= along * Q[r, j]
            square = 0.0
            for r in range(count):
                square += Q[r, i] * Q[r, i]
            length = math.sqrt(square)
            for r in range(count):
                Q[r, i] = Q[r, i] / length if length > 0.0 else 0.0


@kernel
def _project(gram, rank, count):
    """values <- P values"""
    Q, x, y = gram.basis, gram.values, gram.work
    for i in range(rank):
        y[i] = 0.0
        for r in range(count):
            y[i] += Q[r, i] * x[r]
    for r in range(count):
        x[r] = 0.0
        for i in range(rank):
            x[r] += Q[r, i] * y[i]
