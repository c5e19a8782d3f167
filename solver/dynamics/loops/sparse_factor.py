# SPDX-License-Identifier: GPL-3.0-or-later
"""S = L D L^T for the sparse, symmetric, positive semidefinite response of rows, panel by panel, and its solutions.

A panel is factored, block by block, then what it does to later ones is subtracted from them, at places found once
(`model.elimination`): supernodal, right-looking between panels and left-looking within (Ng, Peyton 1993). Columns go in
threes, since most joints hold three travels; three by four numbers stay in registers while all columns of a panel are
subtracted from them. A row whose pivot vanishes depends on rows before it; in a semidefinite matrix nothing of its
column is left either, so it is skipped.

Without pivoting, what is left of a pivot that should vanish may be rounding, much enlarged by the factors. So a small
one is found anew, without cancellation: it is n.S n = |M^-1/2 G^T n|^2 with n = L^-T e, the energy of the motion that
the rows' combination n gives the bodies.
"""

from numpy import uint64

from ...kernel import inlined_kernel, kernel
from ...spatial import add_scaled, apply_symmetric, dot, load6, load_angular, load_linear, store_spatial

_RANK = 1e-11  # of a row's own response: the square of the sine of its angle to the rows before it
_DOUBTFUL = 1e-5  # a pivot that may be rounding
_ZERO = (0.0, 0.0, 0.0)


@kernel
def factor(elimination, maximal):
    """Replaces the response in maximal.panels by L; fills pivot, inverse and redundant. `own` is its diagonal.

    Returns the smallest pivot, as a part of its row's own response.
    """
    maximal.count[0], maximal.weights[0], smallest = 0, 0, 1.0
    for number in range(len(elimination.panels)):
        panel = elimination.panels[number]
        done = 0
        for k in range(panel.block_start, panel.block_end):
            width = elimination.blocks[k].width
            if done > 0:
                _subtract(elimination, maximal, panel, done, done, width, 0, panel.start, panel.height)
            smallest = min(smallest, _factor_block(elimination, k, maximal))
            done += width
        for e in range(panel.edge_start, panel.edge_end):
            edge = elimination.edges[e]
            shift = edge.places - edge.row
            _subtract(elimination, maximal, panel, panel.width, edge.row, edge.width, shift, edge.start, edge.height)
    return smallest


@kernel
def _factor_block(elimination, number, maximal):
    block = elimination.blocks[number]
    V, width, height, stride, smallest = maximal.panels, block.width, block.height, block.stride, 1.0
    for k in range(width):
        column, row = block.start + k * stride, block.first + k
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
            part, target = V[column + c] * inverse, block.start + c * stride
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
def _subtract(elimination, maximal, panel, columns, row, width, shift, start, stride):
    """Subtracts what a panel's first `columns` do to that at `start`, in those columns that are its rows from `row`.

    `width` is how many these are; shift: of a row of this panel, where its place in the other is in `places`.
    """
    V, x, place = maximal.panels, maximal.scaled, elimination.places
    end = row + width
    while row + 3 <= end:
        _scale_rows(maximal, panel, columns, row, 3)
        here = row + shift
        one, two, three = (
            start + place[here] * stride,
            start + place[here + 1] * stride,
            start + place[here + 2] * stride,
        )
        p, height, source = row, panel.height, panel.start
        while p + 4 <= height:
            at = p + shift
            a, b, c, d = place[at], place[at + 1], place[at + 2], place[at + 3]
            ta = V[uint64(one + a)], V[uint64(two + a)], V[uint64(three + a)]
            tb = V[uint64(one + b)], V[uint64(two + b)], V[uint64(three + b)]
            tc = V[uint64(one + c)], V[uint64(two + c)], V[uint64(three + c)]
            td = V[uint64(one + d)], V[uint64(two + d)], V[uint64(three + d)]
            k, i = 0, source + p
            while k + 3 <= columns:
                j, s = i + height, uint64(3 * k)
                h = j + height
                ta = _less_three(ta, V, uint64(i), uint64(j), uint64(h), x, s)
                tb = _less_three(tb, V, uint64(i + 1), uint64(j + 1), uint64(h + 1), x, s)
                tc = _less_three(tc, V, uint64(i + 2), uint64(j + 2), uint64(h + 2), x, s)
                td = _less_three(td, V, uint64(i + 3), uint64(j + 3), uint64(h + 3), x, s)
                k, i = k + 3, h + height
            while k < columns:
                s = uint64(3 * k)
                ta = _less_one(ta, V[uint64(i)], x, s)
                tb = _less_one(tb, V[uint64(i + 1)], x, s)
                tc = _less_one(tc, V[uint64(i + 2)], x, s)
                td = _less_one(td, V[uint64(i + 3)], x, s)
                k, i = k + 1, i + height
            V[uint64(one + a)], V[uint64(two + a)], V[uint64(three + a)] = ta
            V[uint64(one + b)], V[uint64(two + b)], V[uint64(three + b)] = tb
            V[uint64(one + c)], V[uint64(two + c)], V[uint64(three + c)] = tc
            V[uint64(one + d)], V[uint64(two + d)], V[uint64(three + d)] = td
            p += 4
        while p < height:
            a = place[p + shift]
            ta = V[uint64(one + a)], V[uint64(two + a)], V[uint64(three + a)]
            k, i = 0, source + p
            while k + 3 <= columns:
                j = i + height
                h = j + height
                ta = _less_three(ta, V, uint64(i), uint64(j), uint64(h), x, uint64(3 * k))
                k, i = k + 3, h + height
            while k < columns:
                ta = _less_one(ta, V[uint64(i)], x, uint64(3 * k))
                k, i = k + 1, i + height
            V[uint64(one + a)], V[uint64(two + a)], V[uint64(three + a)] = ta
            p += 1
        row += 3
    while row < end:
        _scale_rows(maximal, panel, columns, row, 1)
        one, height = start + place[row + shift] * stride, panel.height
        for p in range(row, height):
            target, k, i = one + place[p + shift], 0, panel.start + p
            t = V[uint64(target)]
            while k + 3 <= columns:
                j = i + height
                h = j + height
                t -= x[k] * V[uint64(i)] + x[k + 1] * V[uint64(j)] + x[k + 2] * V[uint64(h)]
                k, i = k + 3, h + height
            while k < columns:
                t -= x[k] * V[uint64(i)]
                k, i = k + 1, i + height
            V[uint64(target)] = t
        row += 1


@kernel
def _scale_rows(maximal, panel, columns, row, rows):
    """Fills `scaled` with so many rows of a panel from `row` on, times the pivots, column by column."""
    V, D, x, i, s = maximal.panels, maximal.pivot, maximal.scaled, panel.start + row, 0
    for k in range(columns):
        d = D[panel.first + k]
        for r in range(rows):
            x[s] = V[i + r] * d
            s += 1
        i += panel.height


@inlined_kernel
def _less_three(t, V, i, j, h, x, s):
    a, b, c = V[i], V[j], V[h]
    return (
        t[0] - (x[s] * a + x[s + uint64(3)] * b + x[s + uint64(6)] * c),
        t[1] - (x[s + uint64(1)] * a + x[s + uint64(4)] * b + x[s + uint64(7)] * c),
        t[2] - (x[s + uint64(2)] * a + x[s + uint64(5)] * b + x[s + uint64(8)] * c),
    )


@inlined_kernel
def _less_one(t, a, x, s):
    return t[0] - x[s] * a, t[1] - x[s + uint64(1)] * a, t[2] - x[s + uint64(2)] * a


@kernel
def solve_lower(elimination, maximal, x):
    """x <- L^-1 x"""
    V, index = maximal.panels, elimination.index
    for number in range(len(elimination.blocks)):
        block = elimination.blocks[number]
        width, height, stride, first = block.width, block.height, block.stride, block.first
        below = block.below - width
        for k in range(width):
            column, part = block.start + k * stride, x[first + k]
            for p in range(k + 1, width):
                x[first + p] -= V[column + p] * part
        k = 0
        while k + 3 <= width:
            i = block.start + k * stride
            j = i + stride
            h = j + stride
            a, b, c = x[first + k], x[first + k + 1], x[first + k + 2]
            for p in range(width, height):
                x[index[below + p]] -= V[i + p] * a + V[j + p] * b + V[h + p] * c
            k += 3
        while k < width:
            i, a = block.start + k * stride, x[first + k]
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
        width, height, stride, first = block.width, block.height, block.stride, block.first
        below = block.below - width
        k = 0
        while k + 3 <= width:
            i = block.start + k * stride
            j = i + stride
            h = j + stride
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
            i, a = block.start + k * stride, 0.0
            for p in range(width, height):
                a += V[i + p] * x[index[below + p]]
            x[first + k] -= a
            k += 1
        for k in range(width - 1, -1, -1):
            column, total = block.start + k * stride, x[first + k]
            for p in range(k + 1, width):
                total -= V[column + p] * x[first + p]
            x[first + k] = total


@kernel
def solve_diagonal_and_upper(elimination, maximal, x):
    """x <- L^-T D^-1 x, zero for redundant rows"""
    for p in range(len(x)):
        x[p] *= maximal.inverse[p]
    solve_upper(elimination, maximal, x)
