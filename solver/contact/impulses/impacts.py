# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts: blow by blow, one block after the other.

A block that is met too fast is solved twice (Newton's law with the energy kept in check): so that nothing approaches,
and so that each point leaves with its restitution times the speed that it came with. The first solution always takes
energy. Of the second as much is taken as leaves none gained. Since blocks follow each other, an impact runs along a row
of balls as it does in Newton's cradle.
"""

import math

from ...kernel import kernel
from .friction_cone import solve_friction
from .rows import (
    added_row,
    along_row,
    block_wrench,
    gather_relative_velocity,
    scatter_impulse,
)
from .totals import note_blow
from .workspace import TOUCH

DRIVEN = 2.0  # times what smooth forces have brought of an approach in the step: that is no impact either
_TURNING = 2.0  # times the acceleration of a point at a shape's size that turns as fast
_IMPACT_ROUNDS, _MOST_BLOWS = 20, 4000  # over all blocks; blows, where they bounce
_IMPACT_SWEEPS = 60
_IMPACT_EXACT = 1e-12  # of the speed of an impact
_TINY = 1e-300
BESIDE = 3e-4  # of the smaller shape's size: a gap that takes part in an impact of the same two bodies


@kernel
def solve_impacts(model, scratch, walk, memory, slow, soon, h):
    """Impacts of contacts that touch, or will within `soon` (s), and approach faster than `slow` (m/s), in turn.

    What forces drive together, springs or motors, meets as fast as they drive it in a step or two. What has touched
    before may approach faster, as fast as surfaces that turn on each other do within `h` (s). A foot
    that stood before is driven down by its motors, which is no impact.

    False if some are left after many rounds: those of a heavy body on light ones come to an end slowly. Blows that do
    not bounce may as well be ended at once; those that do run to and fro as often as they like, up to a bound.
    """
    counts, turn = memory.counts[0], 0
    counts.impacts = counts.bounces = 0
    while turn < _IMPACT_ROUNDS or (counts.bounces and counts.impacts < _MOST_BLOWS):
        found, bounces = False, False
        for k in range(counts.blocks):
            b = k if turn % 2 == 0 else counts.blocks - 1 - k
            block = memory.blocks[b]
            if block.last > block.first:
                t = gather_relative_velocity(model, scratch, walk, block)
                if _is_struck(memory, block, t, slow, soon, h):
                    bounces = bounces or _bounces(memory, block)
                    blow = _strike(memory, block, b, t)
                    scatter_impulse(model, scratch, walk, block, blow)
                    note_blow(memory, block, blow)
                    counts.impacts += 1
                    found = True
        if not found:
            return True
        counts.bounces = 1 if bounces else 0
        turn += 1
    return False


@kernel
def _is_struck(memory, block, t, slow, soon, h):
    """True if a contact is met too fast; notes the rate that each is to leave with."""
    struck, turning = False, _TURNING * h * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        slowest = max(slow, DRIVEN * contact.driven)
        if contact.known:
            slowest += turning * contact.extent
        if contact.known and contact.steered:
            slowest = math.inf
        rate = along_row(memory.rows.wrench, contact.row, t)
        contact.asked = -math.inf  # not a part of it
        meets = contact.gap + soon * min(0.0, rate) <= TOUCH * contact.extent
        if meets or contact.gap <= BESIDE * contact.extent:
            contact.asked = -max(0.0, contact.gap) / soon if soon > 0.0 else 0.0
            if rate < min(-slowest, contact.asked):
                struck = struck or meets
                if meets:
                    block.approach = max(block.approach, -rate)
                if -contact.restitution * rate > slowest:
                    contact.asked = -contact.restitution * rate
    return struck


@kernel
def _bounces(memory, block):
    """True if a contact of a block that is struck is to leave again."""
    bounces = False
    for c in range(block.first, block.last):
        bounces = bounces or memory.contacts[c].asked > 0.0
    return bounces


@kernel
def _strike(memory, block, b, before):
    """The wrench of an impact: without restitution, then with as much of it as energy allows."""
    for c in range(block.first, block.last):
        for k in range(3):
            memory.event[memory.contacts[c].row + k] = 0.0
    t, dead = _sweep_impact(memory, block, 0.0, before)
    if not _bounces(memory, block):
        return dead
    loss = _gain(dead, before, t)
    t, total = _sweep_impact(memory, block, 1.0, t)
    if _gain(total, before, t) > 0.0:
        return _share_out(memory.block_response[b], before, loss, dead, total)
    return total


@kernel
def _gain(total, before, after):
    """J: energy gained by a wrench, total . (motion before + after) / 2."""
    gain = 0.0
    for k in range(6):
        gain += 0.5 * total[k] * (before[k] + after[k])
    return gain


@kernel
def _sweep_impact(memory, block, restitution, t):
    """(relative motion, wrench) once the rows of an impact obey Coulomb's law, from the impulses at hand."""
    event, own = memory.event, memory.rows.own
    fastest = 0.0
    for _ in range(_IMPACT_SWEEPS):
        change = 0.0
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            if contact.asked == -math.inf:
                continue
            row = contact.row
            target = contact.asked if contact.asked < 0.0 else restitution * contact.asked
            rate = along_row(memory.rows.wrench, row, t)
            p = max(0.0, event[row] + (target - rate) / own[row])
            d = p - event[row]
            change = max(change, abs(d) * own[row])
            fastest = max(fastest, abs(rate))
            t = added_row(memory.rows.response, row, d, t)
            event[row] = p
            t, rubbed = solve_friction(memory, contact, contact.friction * p, event, t)
            change = max(change, rubbed)
        if change <= _IMPACT_EXACT * fastest:
            break
    return t, block_wrench(memory, block, event)


@kernel
def _share_out(W, before, loss, dead, total):
    """Between the impact without and with restitution, the last one that gains no energy."""
    # the gain of dead + s d, with d = total - dead, is -|loss| + s d . (motion after dead) + s^2 d W d / 2
    linear, square = 0.0, 0.0
    for r in range(6):
        after, along = before[r], 0.0
        for c in range(6):
            after += W[r, c] * dead[c]
            along += W[r, c] * (total[c] - dead[c])
        linear += (total[r] - dead[r]) * after
        square += 0.5 * (total[r] - dead[r]) * along
    s = 0.0
    if square > _TINY:
        root = linear * linear - 4.0 * square * min(0.0, loss)
        s = min(1.0, max(0.0, (-linear + math.sqrt(max(0.0, root))) / (2.0 * square)))
    return (
        dead[0] + s * (total[0] - dead[0]),
        dead[1] + s * (total[1] - dead[1]),
        dead[2] + s * (total[2] - dead[2]),
        dead[3] + s * (total[3] - dead[3]),
        dead[4] + s * (total[4] - dead[4]),
        dead[5] + s * (total[5] - dead[5]),
    )
