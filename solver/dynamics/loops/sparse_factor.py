# SPDX-License-Identifier: GPL-3.0-or-later
"""S = L D L^T for the sparse, symmetric, positive semidefinite response of rows, panel by panel, and its solutions.

Right-looking: a panel is factored, then what it does to later ones is subtracted from them, at places found once
(`model.elimination`). Columns go in threes, since most joints hold three travels. A row whose pivot vanishes
depends on rows before it; in a semidefinite matrix nothing of its column is left either, so it is skipped.

Without pivoting, what is left of a pivot that should vanish may be rounding, much enlarged by the factors. So a small
one is found anew, without cancellation: it is n.S n = |M^-1/2 G^T n|^2 with n = L^-T e, the energy of the motion that
the rows' combination n gives the bodies.
"""

from ...kernel import kernel
from ...spatial import add_scaled, apply_symmetric, dot, load6, load_angular, load_linear, store_spatial

_RANK = 1e-11  # of a row's own response: the square of the sine of its angle to the rows before it
_DOUBTFUL = 1e-5  # a pivot that may be rounding
_ZERO = (0.0, 0.0, 0.0)


@kernel
def factor(elimination, maximal):
    """Replaces the response in maximal.panels by L; fills pivot, inverse and redundant. `own` is its diagonal.

    Returns the smallest pivot, as a part of its row's own response.
    """
    maximal.count[0], smallest = 0, 1.0
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        smallest = min(smallest, _factor_panel(elimination, number, maximal))
        for e in range(block.edge_start, block.edge_end):
            _subtract_panel(block, elimination.edges[e], elimination.runs, maximal)
    return smallest


@kernel
def _factor_panel(elimination, number, maximal):
    block = elimination.blocks[number]
    V, width, height, smallest = maximal.panels, block.width, block.height, 1.0
    for k in range(width):
        column, row = block.start + k * height, block.first + k
        pivot = V[column + k]
        if _RANK * maximal.own[row] < pivot < _DOUBTFUL * maximal.own[row]:
            pivot = _true_pivot(elimination, number, row, maximal)
        if not pivot > _RANK * maximal.own[row]:
            maximal.pivot[row] = maximal.inverse[row] = 0.0
            maximal.redundant[maximal.count[0]] = row
            maximal.count[0] += 1
            for p in range(k + 1, height):
                V[column + p] = 0.0
            continue
        inverse, smallest = 1.0 / pivot, min(smallest, pivot / maximal.own[row])
        maximal.pivot[row], maximal.inverse[row] = pivot, inverse
        for c in range(k + 1, width):
            part, target = V[column + c] * inverse, block.start + c * height
            for p in range(c, height):
                V[target + p] -= part * V[column + p]
        for p in range(k + 1, height):
            V[column + p] *= inverse
    return smallest


@kernel
def _true_pivot(elimination, last, row, maximal):
    """The pivot of a row of the block `last`; columns of rows before it are factored. Overwrites rest and motion."""
    x, motion, pivot = maximal.rest, maximal.motion, 0.0
    for p in range(len(x)):
        x[p] = 0.0
    x[row] = 1.0
    _solve_upper_from(elimination, maximal, x, last)
    for i in range(len(motion)):
        store_spatial(motion[i], _ZERO, _ZERO)
    for number in range(last + 1):
        block = elimination.blocks[number]
        for p in range(block.first, min(block.first + block.width, row + 1)):
            pivot += maximal.compliance[p] * x[p] * x[p]
            for end in range(block.ends):
                wrench, k = motion[block.body[end]], 6 * end
                W = maximal.wrench[p]
                n = add_scaled(load_angular(wrench), x[p], (W[k], W[k + 1], W[k + 2]))
                f = add_scaled(load_linear(wrench), x[p], (W[k + 3], W[k + 4], W[k + 5]))
                store_spatial(wrench, n, f)
    for i in range(len(motion)):
        n, f = load_angular(motion[i]), load_linear(motion[i])
        turning = apply_symmetric(load6(maximal.inverse_inertia[i]), n)
        pivot += dot(n, turning) + elimination.inverse_mass[i] * dot(f, f)
    return pivot


@kernel
def _subtract_panel(block, edge, runs, maximal):
    """From one later panel, whose rows begin at edge.row of this one."""
    V, D, height, width = maximal.panels, maximal.pivot, block.height, block.width
    for q in range(edge.width):
        k = 0
        while k + 3 <= width:
            i = block.start + k * height
            j = i + height
            h = j + height
            at, row = edge.row + q, block.first + k
            x, y, z = V[i + at] * D[row], V[j + at] * D[row + 1], V[h + at] * D[row + 2]
            for r in range(edge.run_start, edge.run_end):
                run = runs[r]
                target, source = run.target + q * edge.height, run.row
                for p in range(run.length):
                    V[target + p] -= x * V[i + source + p] + y * V[j + source + p] + z * V[h + source + p]
            k += 3
        while k < width:
            i = block.start + k * height
            x = V[i + edge.row + q] * D[block.first + k]
            for r in range(edge.run_start, edge.run_end):
                run = runs[r]
                target, source = run.target + q * edge.height, i + run.row
                for p in range(run.length):
                    V[target + p] -= x * V[source + p]
            k += 1


@kernel
def solve_lower(elimination, maximal, x):
    """x <- L^-1 x"""
    V, index = maximal.panels, elimination.index
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        width, height, first = block.width, block.height, block.first
        below = block.below - width
        for k in range(width):
            column, part = block.start + k * height, x[first + k]
            for p in range(k + 1, width):
                x[first + p] -= V[column + p] * part
        k = 0
        while k + 3 <= width:
            i = block.start + k * height
            j = i + height
            h = j + height
            a, b, c = x[first + k], x[first + k + 1], x[first + k + 2]
            for p in range(width, height):
                x[index[below + p]] -= V[i + p] * a + V[j + p] * b + V[h + p] * c
            k += 3
        while k < width:
            i, a = block.start + k * height, x[first + k]
            for p in range(width, height):
                x[index[below + p]] -= V[i + p] * a
            k += 1


@kernel
def solve_upper(elimination, maximal, x):
    """x <- L^-T x"""
    _solve_upper_from(elimination, maximal, x, len(elimination.blocks) - 1)


@kernel
def _solve_upper_from(elimination, maximal, x, last):
    """The same for an x that is zero behind the block `last`."""
    V, index = maximal.panels, elimination.index
    for number in range(last, -1, -1):
        block = elimination.blocks[number]
        width, height, first = block.width, block.height, block.first
        below = block.below - width
        k = 0
        while k + 3 <= width:
            i = block.start + k * height
            j = i + height
            h = j + height
            a = b = c = 0.0
            for p in range(width, height):
                y = x[index[below + p]]
                a += V[i + p] * y
                b += V[j + p] * y
                c += V[h + p] * y
            x[first + k] -= a
            x[first + k + 1] -= b
            x[first + k + 2] -= c
            k += 3
        while k < width:
            i, a = block.start + k * height, 0.0
            for p in range(width, height):
                a += V[i + p] * x[index[below + p]]
            x[first + k] -= a
            k += 1
        for k in range(width - 1, -1, -1):
            column, total = block.start + k * height, x[first + k]
            for p in range(k + 1, width):
                total -= V[column + p] * x[first + p]
            x[first + k] = total


@kernel
def solve_diagonal_and_upper(elimination, maximal, x):
    """x <- L^-T D^-1 x, zero for redundant rows"""
    for p in range(len(x)):
        x[p] *= maximal.inverse[p]
    solve_upper(elimination, maximal, x)
