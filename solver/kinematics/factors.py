# SPDX-License-Identifier: GPL-3.0-or-later
"""The shortest change that meets the rows of a block, by reflections with pivoting on rows.

With J (m, n) the rows, J^T P = Q R (Householder, with column pivoting: Businger and Golub 1965). Rows whose pivot is
rounding follow from those before them and are left out. For the r that are left, x = Q (R^T)^-1 b is the solution of
J x = b of least norm (Golub, Van Loan 2013, section 5.6).
"""

import math

from ..kernel import kernel

_RANK = 1e-9  # of the largest row: what is left of a row that says nothing new


@kernel
def factor_rows(J, order, rest, reflector, m, n):
    """Replaces the rows J[:m, :n] by R and the reflections; returns (rank, smallest pivot over the largest)."""
    largest = 0.0
    for j in range(m):
        order[j] = j
    rank, first, last = 0, 1.0, 1.0
    while rank < min(m, n):
        best, square = rank, 0.0
        for j in range(rank, m):
            rest[j] = 0.0
            for i in range(rank, n):
                rest[j] += J[j, i] * J[j, i]
            if rest[j] > square:
                best, square = j, rest[j]
        if rank == 0:
            largest = square
        if not square > _RANK * _RANK * largest:
            break
        order[rank], order[best] = order[best], order[rank]
        for i in range(n):
            J[rank, i], J[best, i] = J[best, i], J[rank, i]
        pivot = -math.copysign(math.sqrt(square), J[rank, rank])
        reflector[rank] = (pivot - J[rank, rank]) / pivot
        scale = 1.0 / (J[rank, rank] - pivot)
        for i in range(rank + 1, n):
            J[rank, i] *= scale
        J[rank, rank] = pivot
        for j in range(rank + 1, m):
            along = J[j, rank]
            for i in range(rank + 1, n):
                along += J[rank, i] * J[j, i]
            along *= reflector[rank]
            J[j, rank] -= along
            for i in range(rank + 1, n):
                J[j, i] -= along * J[rank, i]
        if rank == 0:
            first = abs(pivot)
        last = abs(pivot)
        rank += 1
    return rank, last / first


@kernel
def solve_rows(J, order, reflector, asked, found, rank, n):
    """Fills found (n,) with the shortest x for which the rows that count give what is `asked` (m,) of them."""
    for k in range(rank):
        value = asked[order[k]]
        for i in range(k):
            value -= J[k, i] * found[i]
        found[k] = value / J[k, k]
    for i in range(rank, n):
        found[i] = 0.0
    for k in range(rank - 1, -1, -1):
        along = found[k]
        for i in range(k + 1, n):
            along += J[k, i] * found[i]
        along *= reflector[k]
        found[k] -= along
        for i in range(k + 1, n):
            found[i] -= along * J[k, i]
