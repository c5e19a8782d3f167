# SPDX-License-Identifier: GPL-3.0-or-later
"""The Delassus operator of an island: how the rates of all its rows answer to unit impulses in each.

G = J M^-1 J^T, closures included: column by column, an impulse through the articulated recursion, what closures answer
to that, and the rates of all rows. Sweeps need no G; what solves all rows at once does (`newton`).
"""

import math
from typing import NamedTuple

import numpy as np

from ...dynamics.loops.drift import respond_to
from ...dynamics.loops.methods import has_closures
from ...kernel import kernel, kernel_by_class
from .gauss_seidel import asked_correction, asked_of_limit, has_a_say, is_limit
from .propagation import fill_velocities, settle_impulses
from .rows import along_row, note_wrench, relative_change
from .workspace import SLACK

DISC, OTHER = -1.0, -2.0
_ROWS_OF_A_BODY = 60
_LEAST = 1e-9  # of a row's own response, without closures: what is less is held by these
MOST_ROWS = 240  # of an island: with more, G costs more than the sweeps that it saves


class Delassus(NamedTuple):
    """Rows of one island that are solved at once, N of them, and what `newton` works on. Scaled: see there."""

    row: np.ndarray  # (N,) int64: numbers of the contact memory's rows
    block: np.ndarray  # (N,) int64: and of the block that each belongs to
    cone: np.ndarray  # (N,): friction of a contact's normal, before its two tangents; DISC of these; else OTHER
    low: np.ndarray  # (N,) bounds of other rows
    high: np.ndarray  # (N,)
    bias: np.ndarray  # (N,) rates that are asked for, with the opposite sign
    soft: np.ndarray  # (N,)
    scale: np.ndarray  # (N,): impulse = scale x unknown
    matrix: np.ndarray  # (N, N): G, softness of rows on its diagonal, scaled
    jacobian: np.ndarray  # (N, N)
    free: np.ndarray  # (N,): rates without impulses
    x: np.ndarray  # (N,): unknowns
    centre: np.ndarray  # (N,): of the proximal method
    trial: np.ndarray  # (N,)
    rate: np.ndarray  # (N,)
    residual: np.ndarray  # (N,)
    step: np.ndarray  # (N,)
    answer: np.ndarray  # (B, 6): velocities of bodies; work


def new_delassus(bodies: int) -> Delassus:
    """Zeroed room for a linkage of so many bodies."""
    most = min(_ROWS_OF_A_BODY * bodies, MOST_ROWS)
    return Delassus(
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        *np.zeros((6, most)),
        *np.zeros((2, most, most)),
        *np.zeros((7, most)),
        np.zeros((bodies, 6)),
    )


@kernel
def fill_delassus(model, scratch, walk, memory, delassus, count):
    """Fills the unscaled operator of the first `count` rows that `delassus` names.

    No impulses may wait in `propagation`; velocities there are lost.
    """
    rows, answer = memory.rows, delassus.answer
    for j in range(count):
        block, row = memory.blocks[delassus.block[j]], delassus.row[j]
        w = rows.wrench[row]
        note_wrench(model, scratch, walk, block, (w[0], w[1], w[2], w[3], w[4], w[5]))
        settle_impulses(model, scratch, walk)
        for i in range(len(answer)):
            for k in range(6):
                answer[i, k] = walk.velocity[i, k]
        _answer_of_closures(model, scratch, walk, answer)
        before = -1
        t = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for i in range(count):
            if delassus.block[i] != before:
                before = delassus.block[i]
                t = relative_change(scratch, answer, memory.blocks[before])
            delassus.matrix[i, j] = along_row(rows.wrench, delassus.row[i], t)
    for i in range(count):
        for j in range(i):
            mean = 0.5 * (delassus.matrix[i, j] + delassus.matrix[j, i])
            delassus.matrix[i, j] = delassus.matrix[j, i] = mean


@kernel
def _add_closures(model, scratch, walk, answer):
    respond_to(model, scratch, answer)
    fill_velocities(model, scratch, walk)
    for i in range(len(answer)):
        for k in range(6):
            answer[i, k] += walk.velocity[i, k]


@kernel
def _have_none(model, scratch, walk, answer):
    return


_answer_of_closures = kernel_by_class(lambda model: _add_closures if has_closures(model) else _have_none)


@kernel
def scale_rows(memory, delassus, count):
    """Adds the softness of rows, and scales the operator and the free rates to a unit diagonal, contacts as a whole."""
    d, own = delassus, memory.rows.own
    n = 0
    while n < count:
        if d.cone[n] == OTHER:
            d.matrix[n, n] += d.soft[n]
            d.scale[n] = 1.0 / math.sqrt(max(d.matrix[n, n], _LEAST * own[d.row[n]]))
            d.low[n], d.high[n] = d.low[n] / d.scale[n], d.high[n] / d.scale[n]
            n += 1
        else:
            largest = max(d.matrix[n, n], d.matrix[n + 1, n + 1], d.matrix[n + 2, n + 2])
            for k in range(3):
                d.scale[n + k] = 1.0 / math.sqrt(max(largest, _LEAST * own[d.row[n]]))
            n += 3
    for r in range(count):
        d.free[r] *= d.scale[r]
        for c in range(count):
            d.matrix[r, c] *= d.scale[r] * d.scale[c]


@kernel
def island_rows(memory, delassus, island, first):
    """Names the blocks' rows of one island, of (B,) first bodies: their number, or 0 where they are too many, or where
    there may be no room: what rigid bodies would do there, leave at any speed, is not wanted.

    Rows of stiff forces are left as they are.
    """
    count, most = 0, len(delassus.row)
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        if island[block.body[1]] != first or block.stiff >= 0:
            continue
        if block.pressed_in:
            return 0
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            if contact.is_speculative:
                continue
            if count + 3 > most:
                return 0
            for k in range(3):
                delassus.row[count + k], delassus.block[count + k] = contact.row + k, b
                delassus.cone[count + k], delassus.bias[count + k] = DISC, 0.0
            delassus.cone[count], delassus.bias[count] = contact.friction, contact.closing
            count += 3
        for x in range(block.row_first, block.row_last):
            each = memory.axis_rows[x]
            if not has_a_say(memory.counts[0], each):
                continue
            if count + 1 > most:
                return 0
            delassus.row[count], delassus.block[count], delassus.cone[count] = each.row, b, OTHER
            delassus.low[count], delassus.high[count] = each.low, each.high
            delassus.bias[count], delassus.soft[count] = each.bias, each.softness
            count += 1
    return count


@kernel
def overlap_rows(memory, delassus, island, first, share):
    """Names the rows along which blocks of one island are led apart: their number, or 0 where they are too many."""
    count, most = 0, len(delassus.row)
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        if island[block.body[1]] != first or block.stiff >= 0:
            continue
        if block.pressed_in:
            return 0
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            if count + 1 > most:
                return 0
            _name_overlap(delassus, count, contact.row, b, asked_correction(memory, block, contact, SLACK, share))
            count += 1
        for x in range(block.row_first, block.row_last):
            each = memory.axis_rows[x]
            if is_limit(each):
                if count + 1 > most:
                    return 0
                _name_overlap(delassus, count, each.row, b, asked_of_limit(each, share))
                count += 1
    return count


@kernel
def _name_overlap(delassus, n, row, b, asked):
    delassus.row[n], delassus.block[n], delassus.cone[n] = row, b, OTHER
    delassus.low[n], delassus.high[n] = 0.0, math.inf
    delassus.bias[n], delassus.soft[n] = -asked, 0.0
