# SPDX-License-Identifier: GPL-3.0-or-later
"""Solves the rows of a stiff force: what a spring, a damper, a brake or a support exerts against the motion it meets.

Each row asks for an impulse
    p = asked - gain v,
v being the rate that is left in the end; with W what a unit impulse makes of it and v0 the rate without it,
    p = (asked - gain v0) / (1 + gain W),
which is no more than W lets it undo, however stiff the force (`stiff_forces` says where the numbers come from). What
rubs has gains that depend on how fast it slides; they are taken from the latest rates, so that the sweeps end where the
law is met.
"""

import math

from ...dynamics.forces.resistance import BOUNDED, CONE, SLIP, SQUARE
from ...dynamics.forces.spring import share_of_pull
from ...dynamics.forces.tyre import slip_share
from ...kernel import kernel
from .rows import added_row, along_row

_INNER = 10  # rounds over the rows of one force, at most;
_INNER_EXACT = 0.1  # until one changes so much less than the first
_GUESSES = 30
_EXACT = 1e-12  # of an impulse
_TINY = 1e-300
_SINGULAR = 1e-12  # of the trace squared: a determinant that is none


@kernel
def solve_compliant_rows(memory, p, each, t):
    """One force's rows, with all others as they are: (motion, largest change of a rate)."""
    largest = 0.0
    for _ in range(_INNER):
        step = 0.0
        if each.pulls:
            t, step = _solve_pull(memory, p, each, t)
        if each.rows > each.pulls:
            t, changed = _solve_resistance(memory, p, each, t)
            step = max(step, changed)
        largest = max(largest, step)
        if each.rows <= 1 or step <= _INNER_EXACT * largest:
            break
    return t, largest


@kernel
def _solve_pull(memory, p, each, t):
    """The row of a spring, or of one that acts one way only."""
    rows, row = memory.rows, each.row
    own, without = rows.own[row], along_row(rows.wrench, row, t) - rows.own[row] * p[row]
    now = (each.asked[0] - each.gain[0] * without) / (1.0 + each.gain[0] * own)
    if each.one_sided:
        if now > 0.0 and each.restitution < 1.0 and without + own * now > 0.0:
            now = _weaker_pull(each, own, without, now)
        if own > 0.0:  # a damper that comes with it does not act before its gap is closed
            now = min(now, (each.touch - without) / own)
        now = max(0.0, now)
    if own > 0.0:  # rows are right for small motions: what is stretched far is let come in several steps
        if now > 0.0:
            now = min(now, max(0.0, (each.fastest - without) / own))
        else:
            now = max(now, min(0.0, (-each.fastest - without) / own))
    return _take(memory, p, row, now, t)


@kernel
def _weaker_pull(each, own, without, whole):
    """The impulse of a rubber that pulls less while its ends approach; `whole`: what it would be if it did not."""
    low, high, side = 0.0, whole, 0
    below, above = _excess(each, own, without, low), _excess(each, own, without, high)
    for _ in range(_GUESSES):  # false position, with Illinois' remedy
        if not above > below:
            break
        guess = high - above * (high - low) / (above - below)
        excess = _excess(each, own, without, guess)
        if excess > 0.0:
            high, above, below = guess, excess, 0.5 * below if side > 0 else below
            side = 1
        else:
            low, below, above = guess, excess, 0.5 * above if side < 0 else above
            side = -1
        if abs(excess) <= _EXACT * whole:
            return guess
    return high


@kernel
def _excess(each, own, without, impulse):
    rate = without + own * impulse
    share = share_of_pull(each.restitution, max(0.0, rate) / max(each.band, _TINY))
    return impulse - share * (each.asked[0] - each.gain[0] * rate)


@kernel
def _solve_resistance(memory, p, each, t):
    """The rows that resist motion along them."""
    rows, change = memory.rows, 0.0
    first, last = each.row + each.pulls, each.row + each.rows
    largest = each.friction * p[each.row] if each.pulls else each.largest
    if each.sticks:
        return _stick(rows, p, first, largest, t)
    square = 0.0
    for row in range(first, last):
        rate = along_row(rows.wrench, row, t)
        if each.way == BOUNDED or each.way == SLIP:
            rate *= each.gain[row - each.row]
        elif each.way == SQUARE:
            rate -= each.wind[row - first]
        square += rate * rate
    speed = math.sqrt(square)
    brush = slip_share(speed, largest) if each.way == SLIP else 1.0
    for row in range(first, last):
        k = row - each.row
        asked, gain = each.asked[k], each.gain[k]
        if each.way == BOUNDED and speed > each.largest:
            gain *= each.largest / speed
        elif each.way == SLIP:
            gain *= brush
        elif each.way == SQUARE:  # its tangent at this speed
            u = along_row(rows.wrench, row, t) - each.wind[row - first]
            asked, gain = gain * speed * (2.0 * each.wind[row - first] + u), 2.0 * gain * speed
        elif each.way == CONE:
            creep = largest / each.steep if each.steep > 0.0 else each.creep
            gain = largest / math.sqrt(square + creep * creep) if largest > 0.0 else 0.0
        own, before = rows.own[row], p[row]
        without = along_row(rows.wrench, row, t) - own * before
        t, changed = _take(memory, p, row, (asked - gain * without) / (1.0 + gain * own), t)
        change = max(change, changed)
    return t, change


@kernel
def _stick(rows, p, row, largest, t):
    """Coulomb's law exactly, as `friction_cone` has it for contacts: the two rows stop, or exert `largest` (N s)."""
    xx, yy, xy = rows.own[row], rows.own[row + 1], 0.0
    for k in range(6):
        xy += rows.wrench[row, k] * rows.response[row + 1, k]
    p1, p2 = p[row], p[row + 1]
    v1, v2 = along_row(rows.wrench, row, t), along_row(rows.wrench, row + 1, t)
    determinant, trace = xx * yy - xy * xy, xx + yy
    if not trace > 0.0:
        return t, 0.0
    if determinant > _SINGULAR * trace * trace:
        s1, s2 = p1 - (yy * v1 - xy * v2) / determinant, p2 - (xx * v2 - xy * v1) / determinant
    else:  # it can slide in one direction only
        s1, s2 = p1 - (xx * v1 + xy * v2) / trace**2, p2 - (xy * v1 + yy * v2) / trace**2
    if not s1 * s1 + s2 * s2 <= largest * largest:
        pace = 1.0 / (0.5 * trace + math.sqrt(0.25 * (xx - yy) ** 2 + xy * xy))
        s1, s2 = p1 - pace * v1, p2 - pace * v2
        length = math.sqrt(s1 * s1 + s2 * s2)
        if length > largest:
            s1, s2 = s1 * largest / length, s2 * largest / length
    d1, d2 = s1 - p1, s2 - p2
    p[row], p[row + 1] = s1, s2
    t = added_row(rows.response, row + 1, d2, added_row(rows.response, row, d1, t))
    return t, max(abs(d1) * xx, abs(d2) * yy)


@kernel
def _take(memory, p, row, now, t):
    rows, d = memory.rows, now - p[row]
    p[row] = now
    return added_row(rows.response, row, d, t), abs(d) * rows.own[row]
