# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that stick, at once: what presses in three points or more and does not slide moves as one with what it is on.

Of such a block the wrench is known without sweeps: with W its response and t the relative motion, -W^-1 t stops it. The
contacts share it as the least change of their impulses, d = J^T (J J^T)^-1 w with J their rows. That is the solution
where no contact would have to pull or to exceed its friction; where one would, sweeps over the rows go on. Swept row by
row, four corners of a box never agree quite, and a stack of them bends like a beam until sweeps have wrung that out.
"""

from ...kernel import kernel
from .rows import NOTHING, added_row, along_row

LEAST_CONTACTS, MOST_CONTACTS = 3, 60
_SINGULAR = 1e-9  # of a diagonal entry: a pivot that is none, of a response
_NARROW = 1e-6  # likewise, of contacts: so near to one line they cannot hold a body that turns about it


@kernel
def prepare_to_stick(memory, block, b):
    """Inverts the response of a block with contacts enough."""
    block.pressing, block.sticks, block.stops = 0, 0, 0
    if LEAST_CONTACTS <= block.last - block.first <= MOST_CONTACTS:
        block.stops = invert_symmetric(memory.block_response[b], memory.block_stop[b], _SINGULAR)


@kernel
def solve_sticking_block(memory, p, block, b, t, enough):
    """(relative motion, largest change of a rate): as if all contacts that press stuck, if they can.

    t: the block's relative motion; p (R,): the impulses of rows; enough (m/s): rates that differ by less agree.
    """
    if not block.stops:
        return t, 0.0
    pressing = 0
    for c in range(block.first, block.last):
        if p[memory.contacts[c].row] > 0.0:
            pressing |= 1 << (c - block.first)
    if pressing != block.pressing:
        block.pressing = pressing
        block.sticks = _prepare_sharing(memory, block, b)
    if not block.sticks:
        return t, 0.0
    rows, share = memory.rows, memory.block_share[b]
    asked = NOTHING
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        if contact.closing > 0.0 and pressing >> (c - block.first) & 1:
            asked = added_row(rows.wrench, contact.row, -contact.closing, asked)
    if asked != NOTHING:
        asked = _times(share, asked)
        if not _agree(memory, block, asked, enough):
            return t, 0.0
    change = _minus(asked, t)
    wrench = _times(memory.block_stop[b], change)
    s = _times(share, wrench)
    largest = 0.0
    for c in range(block.first, block.last):
        if pressing >> (c - block.first) & 1:
            contact = memory.contacts[c]
            row = contact.row
            normal = p[row] + along_row(rows.wrench, row, s)
            p1, p2 = p[row + 1] + along_row(rows.wrench, row + 1, s), p[row + 2] + along_row(rows.wrench, row + 2, s)
            if contact.is_speculative or normal < 0.0 or p1 * p1 + p2 * p2 > (contact.friction * normal) ** 2:
                return t, 0.0
            largest = max(largest, abs(along_row(rows.wrench, row, change)))
    for c in range(block.first, block.last):
        if pressing >> (c - block.first) & 1:
            row = memory.contacts[c].row
            for k in range(row, row + 3):
                d = along_row(rows.wrench, k, s)
                p[k] += d
                t = added_row(rows.response, k, d, t)
    return t, largest


@kernel
def _agree(memory, block, asked, enough):
    """True if a motion of the block closes all gaps of contacts that press, and slides none of them."""
    wrench = memory.rows.wrench
    for c in range(block.first, block.last):
        if block.pressing >> (c - block.first) & 1:
            contact = memory.contacts[c]
            row = contact.row
            if (
                abs(along_row(wrench, row, asked) + contact.closing) > enough
                or abs(along_row(wrench, row + 1, asked)) > enough
                or abs(along_row(wrench, row + 2, asked)) > enough
            ):
                return False
    return True


@kernel
def _prepare_sharing(memory, block, b):
    """Inverts J J^T of the contacts that press; False if these cannot hold a body against every wrench."""
    squares, wrench = memory.block_share[b], memory.rows.wrench
    for r in range(6):
        for c in range(6):
            squares[r, c] = 0.0
    for c in range(block.first, block.last):
        if block.pressing >> (c - block.first) & 1:
            row = memory.contacts[c].row
            for k in range(row, row + 3):
                for i in range(6):
                    for j in range(6):
                        squares[i, j] += wrench[k, i] * wrench[k, j]
    return invert_symmetric(squares, squares, _NARROW)


@kernel
def invert_symmetric(matrix, inverse, least):
    """Inverts a symmetric positive definite matrix (6, 6), in place if `inverse` is the same array; False if singular.

    Gauss and Jordan, the largest pivot first, each as a part of its diagonal entry: a pivot not above `least` is none.
    In a fixed order the pivots of a singular matrix may all look fair: contacts along a line that lies nearly, not
    quite, along an axis leave two pivots of some 1e-8 where there should be one of rounding.
    """
    scale = (matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[3, 3], matrix[4, 4], matrix[5, 5])
    for r in range(6):
        for c in range(6):
            inverse[r, c] = matrix[r, c]
    is_left = 63
    for _ in range(6):
        k, largest = -1, least
        for r in range(6):
            if is_left >> r & 1 and inverse[r, r] > largest * scale[r]:
                k, largest = r, inverse[r, r] / scale[r]
        if k < 0:
            return False
        is_left -= 1 << k
        pivot = 1.0 / inverse[k, k]
        for r in range(6):
            if r != k:
                factor = inverse[r, k] * pivot
                for c in range(6):
                    if c != k:
                        inverse[r, c] -= factor * inverse[k, c]
                inverse[r, k] = -factor
        for c in range(6):
            if c != k:
                inverse[k, c] *= pivot
        inverse[k, k] = pivot
    return True


@kernel
def _times(matrix, v):
    return (
        along_row(matrix, 0, v),
        along_row(matrix, 1, v),
        along_row(matrix, 2, v),
        along_row(matrix, 3, v),
        along_row(matrix, 4, v),
        along_row(matrix, 5, v),
    )


@kernel
def _minus(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5])
