# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of a step's impulses, and the proof that they add no energy.

With p the impulse of a row, u the rate that it meets, b its bias, r its softness and W the response of all rows, an
exact solution has p (u + b + r p) <= 0 in every row: gaps press or open, friction resists, a motor within its bounds
has the rate that it asks for. With u0 the rates without impulses, u = u0 + W p, what is brought to the bodies is
    Phi(p) = p . (u0 + b) + p . (W + r) p / 2,
the work p . (u0 + u) / 2 with the bias counted as a motion of what presses; for an exact solution that is at most
-p . (W + r) p / 2. Sweeps that end early, or go astray, need not be exact; but where Phi <= 0 they have added nothing
that no motor asked for. Along s p it is a parabola through zero, which tells the best share s of any impulses.
"""

from ...dynamics.forces.resistance import SQUARE
from ...kernel import kernel
from .rows import along_row, block_wrench, relative_motion


@kernel
def note_motion(scratch, memory, given, sign, is_first):
    """Counts in `given` (K, 6) how the relative motion of blocks changes: begun with sign -1, ended with 1."""
    for b in range(memory.counts[0].blocks):
        t = relative_motion(scratch, memory.blocks[b])
        for k in range(6):
            given[b, k] = sign * t[k] + (0.0 if is_first else given[b, k])


@kernel
def find_work(scratch, memory, p):
    """(Phi, p . (W + r) p), J, of impulses p (R,) whose change of motions has been counted."""
    work, square = 0.0, 0.0
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        t, total = relative_motion(scratch, block), block_wrench(memory, block, p)
        for k in range(6):
            square += total[k] * memory.block_given[b, k]
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            row = contact.row
            work += p[row] * (along_row(memory.rows.wrench, row, t) + contact.closing)
            for k in range(row + 1, row + 3):
                work += p[k] * along_row(memory.rows.wrench, k, t)
        for x in range(block.row_first, block.row_last):
            each = memory.axis_rows[x]
            impulse = p[each.row]
            work += impulse * (along_row(memory.rows.wrench, each.row, t) + each.bias + each.softness * impulse)
            square += each.softness * impulse * impulse
        if block.stiff >= 0:
            done, soft = _work_of_stiff(memory, memory.stiff[block.stiff], p, t)
            work, square = work + done, square + soft
    return work - 0.5 * square, square


@kernel
def _work_of_stiff(memory, each, p, t):
    """(work, part of the square) of a stiff force's rows; the wind may drive, and is left out."""
    work, square = 0.0, 0.0
    if each.way == SQUARE:
        return work, square
    for row in range(each.row, each.row + each.rows):
        k = row - each.row
        if each.gain[k] > 0.0:
            soft = p[row] * p[row] / each.gain[k]
            work += p[row] * (along_row(memory.rows.wrench, row, t) - each.asked[k] / each.gain[k]) + soft
            square += soft
    return work, square


@kernel
def best_share(work, square):
    """The share of impulses that takes the most energy, from 0 to 1: all of those that take some."""
    if work <= 0.0:
        return 1.0
    linear = work - 0.5 * square
    return -linear / square if linear < 0.0 else 0.0


@kernel
def begin_from_nothing(memory, p):
    """No impulses yet."""
    for row in range(memory.counts[0].rows):
        p[row] = 0.0
