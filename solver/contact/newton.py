# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses of all rows at once: Newton's method, where sweeps over blocks would take long.

With W the response of all rows (the Delassus matrix: what a unit impulse of one does to the rate of another), v the
rates and p the impulses of now, each row's law is linear as long as the row goes on to do what it does: to stay open,
to press, to stick, to slide in its direction, to stay at a bound. Its equation for the changes d of the impulses is
    presses or sticks   (W d) = asked - v,
    slides along u      p + d = mu (p_n + d_n) u, and across u as the law of sliding turns (Alart and Curnier 1991),
    at a bound          p + d = bound,
    yields              p + d = asked - gain (v + W d).
A sweep over blocks before each step tells what rows do, and one after it whether that was right. Where rows depend on
each other, four corners of a box say, a damping of W takes the least change.

Sweeps carry a load through a stack from one block to the next, and between a heavy body and a light one the tenth or
hundredth part of what is missing. Here neither matters.
"""

import math

from ..dynamics.drift import respond_to
from ..dynamics.methods import has_closures
from ..kernel import kernel, kernel_by_class
from .impulses import FARTHEST, largest_change, note_changes, note_wrench
from .memory import BLOCKS, ROWS, SILENT
from .rows import NOTHING, added_row, along_row, relative_motion, velocity_about
from .stiff_rows import pulls_by_law, resistance, speed_along
from .walk import fill_velocities, settle_impulses

_SINGULAR = 1e-14  # of the largest entry: a pivot that is none
_REVISIONS = 8  # of what rows do, in a step
_FIXED, _RATE, _ALONG, _ACROSS, _YIELDS = range(5)  # what the equation of an unknown is


@kernel
def newton_step(model, scratch, walk, memory, p, damping, latest):
    """Changes the impulses p (R,) to what all rows ask for at once; notes what that comes to for `settle_impulses`.

    damping: of W, as a part of a row's own response; latest: the change (m/s or rad/s) of the latest sweep. The
    velocities of the kinematics must be those with p. False if there are too many rows, or no solution, or one that is
    so far that rounding of it would stay.
    """
    newton = memory.newton
    n = _find_unknowns(scratch, memory, p)
    if n <= 0:
        return False
    _fill_columns(model, scratch, walk, memory, n)
    for _ in range(_REVISIONS):
        _assemble(memory, n, damping)
        if not _solve(newton.matrix, n):
            return False
        if not _revise(memory, p, n):
            break
    for row in range(memory.counts[ROWS]):
        memory.changed[row] = 0.0
    for k in range(n):
        memory.changed[newton.unknown[k]] = newton.matrix[k, n]
    if largest_change(memory, memory.changed) > FARTHEST * latest:
        return False
    for row in range(memory.counts[ROWS]):
        p[row] += memory.changed[row]
    note_changes(model, scratch, walk, memory)
    return True


@kernel
def _revise(memory, p, n):
    """Lets go of contacts that would have to pull, in each block the worst; if there are none, lets slide what cannot
    stick. False if there is none of either."""
    newton, is_open, worst = memory.newton, False, -1
    for k in range(n):
        row = newton.unknown[k]
        if newton.of_contact[k] and newton.kind[k] == _RATE and p[row] + newton.matrix[k, n] < 0.0:
            if worst >= 0 and newton.block[newton.unknown[worst]] != newton.block[row]:
                _let_go(newton, p, worst)
                worst = -1
            if worst < 0 or p[row] + newton.matrix[k, n] < p[newton.unknown[worst]] + newton.matrix[worst, n]:
                worst = k
            is_open = True
    if worst >= 0:
        _let_go(newton, p, worst)
    if is_open:
        return True
    return _let_slide(memory, p, n)


@kernel
def _let_go(newton, p, k):
    """The contact with that normal's unknown opens."""
    for j in range(k, k + newton.of_contact[k]):
        newton.kind[j], newton.law[j, 0] = _FIXED, -p[newton.unknown[j]]


@kernel
def _let_slide(memory, p, n):
    newton, slides = memory.newton, False
    for k in range(n):
        if newton.of_contact[k] == 3 and newton.kind[k] == _RATE and newton.kind[k + 1] == _RATE:
            row, friction = newton.unknown[k], newton.law[k, 3]
            p1, p2 = p[row + 1] + newton.matrix[k + 1, n], p[row + 2] + newton.matrix[k + 2, n]
            length = math.sqrt(p1 * p1 + p2 * p2)
            if length > friction * (p[row] + newton.matrix[k, n]):
                _ask_to_slide(newton, p, row, k + 1, p1 / length, p2 / length, friction, 1.0, 0.0)
                slides = True
    return slides


@kernel
def _ask_to_slide(newton, p, row, k, u1, u2, friction, sliding, turning):
    """Writes the equations of a contact's two tangents, unknowns k and k + 1, that slide against the unit vector u."""
    p1, p2 = p[row + 1], p[row + 2]
    for j in range(2):
        law = newton.law[k + j]
        law[1], law[2], law[3], law[4] = u1, u2, sliding if j else friction, turning
        newton.unknown[k + j], newton.of_contact[k + j] = row + 1 + j, 0
    newton.kind[k], newton.law[k, 0] = _ALONG, friction * p[row] - (u1 * p1 + u2 * p2)
    newton.kind[k + 1], newton.law[k + 1, 0] = _ACROSS, u2 * p1 - u1 * p2


@kernel
def note_impulses(memory, place, p):
    """Notes impulses in an array (R,), to which `go_to` may return."""
    for row in range(memory.counts[ROWS]):
        place[row] = p[row]


@kernel
def _find_unknowns(scratch, memory, p):
    """Writes the rows whose impulses may change, and their equations; returns how many they are, -1 for too many."""
    n, newton = 0, memory.newton
    for b in range(memory.counts[BLOCKS]):
        block = memory.blocks[b]
        if n + block.end - block.start > len(newton.unknown):
            return -1
        t = relative_motion(scratch, block)
        for c in range(block.first, block.last):
            if not memory.contacts[c].waits:
                n = _ask_contact(memory, p, memory.contacts[c], t, n)
        for x in range(block.row_first, block.row_last):
            n = _ask_axis_row(memory, p, memory.axis_rows[x], t, n)
        if block.stiff >= 0 and not memory.counts[SILENT]:
            n = _ask_stiff_force(memory, p, memory.stiff[block.stiff], t, n)
        for k in range(block.start, block.end):
            newton.block[k] = b
    return n


@kernel
def _ask(newton, n, row, kind, value):
    newton.unknown[n], newton.kind[n], newton.law[n, 0], newton.law[n, 1] = row, kind, value, 0.0
    newton.of_contact[n] = 0
    return n + 1


@kernel
def _ask_contact(memory, p, contact, t, n):
    newton, rows, row = memory.newton, memory.rows, contact.row
    v = along_row(rows.wrench, row, t) + contact.closing
    normal = p[row] - v / rows.own[row]
    if normal <= 0.0:
        for k in range(row, row + 3):
            if p[k] != 0.0:
                n = _ask(newton, n, k, _FIXED, -p[k])
        return n
    n = _ask(newton, n, row, _RATE, -v)
    newton.of_contact[n - 1], newton.law[n - 1, 3] = 3 if contact.friction > 0.0 else 1, contact.friction
    if contact.friction == 0.0:
        return n
    v1, v2 = along_row(rows.wrench, row + 1, t), along_row(rows.wrench, row + 2, t)
    p1, p2, largest = p[row + 1], p[row + 2], contact.friction * max(p[row], normal)
    s1 = p1 - contact.sticking[0] * v1 - contact.sticking[1] * v2
    s2 = p2 - contact.sticking[1] * v1 - contact.sticking[2] * v2
    if s1 * s1 + s2 * s2 <= largest * largest:
        n = _ask(newton, n, row + 1, _RATE, -v1)
        return _ask(newton, n, row + 2, _RATE, -v2)
    s1, s2 = p1 - contact.sliding * v1, p2 - contact.sliding * v2
    length = math.sqrt(s1 * s1 + s2 * s2)
    u1, u2, turning = s1 / length, s2 / length, min(1.0, contact.friction * p[row] / length)
    _ask_to_slide(newton, p, row, n, u1, u2, contact.friction, contact.sliding, turning)
    return n + 2


@kernel
def _ask_axis_row(memory, p, axis_row, t, n):
    newton, row = memory.newton, axis_row.row
    own = memory.rows.own[row] + axis_row.softness
    missing = along_row(memory.rows.wrench, row, t) + axis_row.bias + axis_row.softness * p[row]
    wanted = p[row] - missing / own
    if axis_row.low < wanted < axis_row.high:
        n = _ask(newton, n, row, _RATE, -missing)
        newton.law[n - 1, 1] = axis_row.softness
        return n
    now = min(axis_row.high, max(axis_row.low, wanted))
    return n if now == p[row] else _ask(newton, n, row, _FIXED, now - p[row])


@kernel
def _ask_stiff_force(memory, p, each, t, n):
    newton, wrench = memory.newton, memory.rows.wrench
    if each.pulls:
        row = each.row
        rate, by_law, now = pulls_by_law(memory, p, each, t)
        if by_law:
            n = _ask(newton, n, row, _YIELDS, each.asked[0] - each.gain[0] * rate - p[row])
            newton.law[n - 1, 1] = each.gain[0]
        elif now == 0.0:
            n = _ask(newton, n, row, _FIXED, -p[row])
        else:  # at a rate that it does not go beyond
            n = _ask(newton, n, row, _RATE, memory.rows.own[row] * (now - p[row]))
    if each.rows > each.pulls:
        speed = speed_along(memory, each, t)
        for row in range(each.row + each.pulls, each.row + each.rows):
            asked, gain = resistance(memory, p, each, t, row, speed)
            n = _ask(newton, n, row, _YIELDS, asked - gain * along_row(wrench, row, t) - p[row])
            newton.law[n - 1, 1] = gain
    return n


@kernel
def _fill_columns(model, scratch, walk, memory, n):
    """What a unit impulse of each unknown does to the rates of all rows."""
    newton = memory.newton
    if newton.filled[0] + n > len(newton.column):
        forget_columns(memory)
    for k in range(n):
        row = newton.unknown[k]
        if newton.slot[row] < 0:
            newton.slot[row] = newton.filled[0]
            newton.filled[0] += 1
            _fill_column(model, scratch, walk, memory, row, newton.column[newton.slot[row]])


@kernel
def forget_columns(memory):
    """The pose is another one."""
    memory.newton.filled[0] = 0
    for row in range(len(memory.newton.slot)):
        memory.newton.slot[row] = -1


@kernel
def _fill_column(model, scratch, walk, memory, row, column):
    for i in range(len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = 0.0
    block = memory.blocks[memory.newton.block[row]]
    note_wrench(model, scratch, walk, block, added_row(memory.rows.wrench, row, 1.0, NOTHING))
    settle_impulses(model, scratch, walk)
    keep_closed(model, scratch, walk)
    for b in range(memory.counts[BLOCKS]):
        block = memory.blocks[b]
        t = velocity_about(scratch, walk.velocity, block)
        for r in range(block.start, block.end):
            column[r] = along_row(memory.rows.wrench, r, t)


@kernel
def _keep_closed(model, scratch, walk):
    """Adds what closures make of it."""
    for k in range(len(scratch.accelerations)):
        walk.effort[k] = scratch.accelerations[k]
    respond_to(model, scratch, walk.velocity)
    for k in range(len(scratch.accelerations)):
        scratch.accelerations[k] += walk.effort[k]
        walk.effort[k] = 0.0
    fill_velocities(model, scratch, walk)


@kernel
def _is_open(model, scratch, walk):
    pass


keep_closed = kernel_by_class(lambda model: _keep_closed if has_closures(model) else _is_open)


@kernel
def _assemble(memory, n, damping):
    """Fills the matrix of the unknowns' equations, with what they ask for as its last column."""
    newton, own = memory.newton, memory.rows.own
    for k in range(n):
        row, kind, law = newton.unknown[k], newton.kind[k], newton.law[k]
        for j in range(n):
            other, entry = newton.unknown[j], 0.0
            column = newton.column[newton.slot[other]]
            if kind == _RATE:
                entry = column[row]
            elif kind == _YIELDS:
                entry = law[1] * column[row]
            elif kind == _ACROSS:
                entry = law[4] * (law[1] * column[row] - law[2] * column[row - 1])
            newton.matrix[k, j] = entry
        newton.matrix[k, n] = law[0]
        if kind == _RATE:
            newton.matrix[k, k] += law[1] + damping * own[row]
        elif kind == _FIXED or kind == _YIELDS:
            newton.matrix[k, k] += 1.0
        elif kind == _ALONG:  # the normal's unknown stands before the two tangents'
            newton.matrix[k, k] += law[1]
            newton.matrix[k, k + 1] += law[2]
            newton.matrix[k, k - 1] -= law[3]
        else:
            still = (1.0 - law[4]) / law[3]
            newton.matrix[k, k - 1] -= still * law[2]
            newton.matrix[k, k] += still * law[1]
            newton.matrix[k, n] = law[0] / law[3]


@kernel
def _solve(matrix, n):
    """Replaces the last column of a matrix (n, n + 1) by the solution, the largest pivot first; False if singular."""
    for k in range(n):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(matrix[k, j]))
        if not 0.0 < largest < math.inf:
            return False
        for j in range(n + 1):
            matrix[k, j] /= largest
    for k in range(n):
        best = k
        for r in range(k + 1, n):
            if abs(matrix[r, k]) > abs(matrix[best, k]):
                best = r
        if not abs(matrix[best, k]) > _SINGULAR:
            return False
        if best != k:
            for j in range(k, n + 1):
                matrix[k, j], matrix[best, j] = matrix[best, j], matrix[k, j]
        for r in range(k + 1, n):
            factor = matrix[r, k] / matrix[k, k]
            if factor != 0.0:
                for j in range(k + 1, n + 1):
                    matrix[r, j] -= factor * matrix[k, j]
    for k in range(n - 1, -1, -1):
        total = matrix[k, n]
        for j in range(k + 1, n):
            total -= matrix[k, j] * matrix[j, n]
        matrix[k, n] = total / matrix[k, k]
    return True
