# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses: impacts first, one block after the other; then all that pushes and rubs from now on, in sweeps over blocks.

A block is solved by itself for the relative motion about its centre, a twist of six numbers; then both bodies are told,
and the next block finds them as they are. This is the block Gauss-Seidel method for Coulomb's law (Jourdan, Alart and
Jean 1998), whose fixed point is exact: neither is the friction cone a pyramid nor are contacts soft.

Impacts (Newton's law with the energy kept in check). A block that is met too fast is solved twice: so that nothing
approaches, and so that each point leaves with its restitution times the speed that it came with. The first solution
always takes energy. Of the second as much is taken as leaves none gained. Since blocks follow each other, an impact
runs along a row of balls as it does in Newton's cradle.

Symbols: p impulse of a row, v its rate, W response of a block, mu friction.
"""

import math

from ..kernel import kernel
from ..spatial import (
    add,
    cross,
    dot,
    load3,
    load_angular,
    load_linear,
    scale,
    store_spatial,
    subtract,
)
from .memory import AXIS_ROWS, BLOCKS, CONTACTS, IMPACTS, SWEEPS
from .walk import go_to_body, push

_IMPACT_ROUNDS = 60
_IMPACT_SWEEPS = 60
_INNER = 3  # sweeps over the rows of one block
_IMPACT_EXACT = 1e-12  # of the speed of an impact
_NOTHING = 1e-300
TOUCH = 1e-5  # of the smaller shape's size: a gap that is none


@kernel
def solve_impacts(model, scratch, walk, memory, slow, soon):
    """Impacts of contacts that touch, or will within `soon` (s), and approach faster than `slow` (m/s)."""
    counts = memory.counts
    counts[IMPACTS] = 0
    if counts[CONTACTS] == 0:
        return
    for turn in range(_IMPACT_ROUNDS):
        found = False
        for k in range(counts[BLOCKS]):
            b = k if turn % 2 == 0 else counts[BLOCKS] - 1 - k
            block = memory.blocks[b]
            if block.last > block.first:
                _enter(model, scratch, walk, memory, block)
                if _is_struck(memory, block, slow, soon):
                    _strike(memory, block, b)
                    _leave(model, scratch, walk, memory, block)
                    counts[IMPACTS] += 1
                    found = True
        if not found:
            return


@kernel
def _enter(model, scratch, walk, memory, block):
    """Fetches the relative motion of the block's bodies about its centre."""
    a, b, center = block.body[0], block.body[1], load3(block.center)
    go_to_body(model, scratch, walk, b)
    vb = walk.velocity[b]
    angular = load_angular(vb)
    linear = add(load_linear(vb), cross(angular, subtract(center, load3(scratch.bodies[b].center))))
    go_to_body(model, scratch, walk, a)
    va = walk.velocity[a]
    w = load_angular(va)
    v = add(load_linear(va), cross(w, subtract(center, load3(scratch.bodies[a].center))))
    store_spatial(memory.twist, subtract(angular, w), subtract(linear, v))
    for k in range(6):
        memory.total[k] = 0.0


@kernel
def _leave(model, scratch, walk, memory, block):
    """Hands the block's wrench to its bodies."""
    a, b, center = block.body[0], block.body[1], load3(block.center)
    moment, force = load_angular(memory.total), load_linear(memory.total)
    arm = subtract(center, load3(scratch.bodies[a].center))
    push(model, walk, a, scale(-1.0, add(moment, cross(arm, force))), scale(-1.0, force))
    go_to_body(model, scratch, walk, b)
    arm = subtract(center, load3(scratch.bodies[b].center))
    push(model, walk, b, add(moment, cross(arm, force)), force)


@kernel
def rate_of(memory, row):
    """The velocity along a row, of the relative motion at hand."""
    w, t = memory.wrench, memory.twist
    return (
        w[row, 0] * t[0] + w[row, 1] * t[1] + w[row, 2] * t[2] + w[row, 3] * t[3] + w[row, 4] * t[4] + w[row, 5] * t[5]
    )


@kernel
def _add(memory, row, change):
    """One row's impulse changes: so does the relative motion, and the block's wrench."""
    w, v, t, total = memory.wrench, memory.response, memory.twist, memory.total
    for k in range(6):
        t[k] += change * v[row, k]
        total[k] += change * w[row, k]


@kernel
def _is_struck(memory, block, slow, soon):
    """Whether a contact is met too fast; notes the rate that each is to leave with."""
    struck = False
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        rate = rate_of(memory, contact.row)
        contact.asked = -math.inf  # not a part of it
        if contact.gap + soon * min(0.0, rate) <= TOUCH * contact.size:
            contact.asked = -max(0.0, contact.gap) / soon if soon > 0.0 else 0.0
            if rate < min(-slow, contact.asked):
                struck = True
                if -contact.restitution * rate > slow:
                    contact.asked = -contact.restitution * rate
    return struck


@kernel
def _strike(memory, block, b):
    """Meets an impact: without restitution, then with as much of it as energy allows."""
    event, before = memory.event, memory.event_before
    for k in range(6):
        memory.twist_before[k] = memory.twist[k]
    _sweep_impact(memory, block, 0.0)
    bounces = False
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        bounces = bounces or contact.asked > 0.0
        for k in range(3):
            before[contact.row + k] = event[contact.row + k]
    if bounces:
        dead = _gain(memory)
        dead_total = load_angular(memory.total), load_linear(memory.total)
        _sweep_impact(memory, block, 1.0)
        if _gain(memory) > 0.0:
            _share_out(memory, b, dead, dead_total)


@kernel
def _gain(memory):
    """J: energy gained by the block's wrench, total . (twist before + twist after) / 2."""
    gain = 0.0
    for k in range(6):
        gain += 0.5 * memory.total[k] * (memory.twist[k] + memory.twist_before[k])
    return gain


@kernel
def _sweep_impact(memory, block, restitution):
    """Rows of an impact: Coulomb's law over the whole impact. Goes on from the impulses so far if there is bounce."""
    event, own = memory.event, memory.own
    if restitution == 0.0:
        for c in range(block.first, block.last):
            row = memory.contacts[c].row
            event[row], event[row + 1], event[row + 2] = 0.0, 0.0, 0.0
    scale_of_all = 0.0
    for _ in range(_IMPACT_SWEEPS):
        change = 0.0
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            if contact.asked == -math.inf:
                continue
            row = contact.row
            target = contact.asked if contact.asked < 0.0 else restitution * contact.asked
            rate = rate_of(memory, row)
            p = max(0.0, event[row] + (target - rate) / own[row])
            change = max(change, abs(p - event[row]) * own[row])
            scale_of_all = max(scale_of_all, abs(rate))
            _add(memory, row, p - event[row])
            event[row] = p
            change = max(change, _rub(memory, row, contact.friction * p, event))
        if change <= _IMPACT_EXACT * scale_of_all:
            return


@kernel
def _rub(memory, row, largest, p):
    """Friction of a contact: its two tangents stop sliding, or exert what they can against it. Returns the change."""
    p1, p2 = p[row + 1], p[row + 2]
    if largest == 0.0 and p1 == 0.0 and p2 == 0.0:
        return 0.0
    v1, v2 = rate_of(memory, row + 1), rate_of(memory, row + 2)
    k11, k22 = memory.own[row + 1], memory.own[row + 2]
    k12 = 0.0
    for k in range(6):
        k12 += memory.wrench[row + 1, k] * memory.response[row + 2, k]
    determinant = k11 * k22 - k12 * k12
    s1 = p1 - (k22 * v1 - k12 * v2) / determinant
    s2 = p2 - (k11 * v2 - k12 * v1) / determinant
    if not s1 * s1 + s2 * s2 <= largest * largest:  # slides: impulse and velocity become opposite to each other
        stiffest = 0.5 * (k11 + k22) + math.sqrt(0.25 * (k11 - k22) ** 2 + k12 * k12)
        s1, s2 = p1 - v1 / stiffest, p2 - v2 / stiffest
        length = math.sqrt(s1 * s1 + s2 * s2)
        if length > largest:
            s1, s2 = s1 * largest / length, s2 * largest / length
    _add(memory, row + 1, s1 - p1)
    _add(memory, row + 2, s2 - p2)
    p[row + 1], p[row + 2] = s1, s2
    return max(abs(s1 - p1) * k11, abs(s2 - p2) * k22)


@kernel
def _share_out(memory, b, dead, dead_total):
    """Between the impact without and with restitution, the last one that does not gain energy."""
    # gain(s) = gain of dead + s (d . twist of dead) + s^2 d W d / 2 with d = total - dead total
    W, total, before = memory.block_response[b], memory.total, memory.twist_before
    d = (
        total[0] - dead_total[0][0],
        total[1] - dead_total[0][1],
        total[2] - dead_total[0][2],
        total[3] - dead_total[1][0],
        total[4] - dead_total[1][1],
        total[5] - dead_total[1][2],
    )
    linear, square = 0.0, 0.0
    for r in range(6):
        after = before[r]
        for c in range(6):
            other = dead_total[0][c] if c < 3 else dead_total[1][c - 3]
            after += W[r, c] * other
            square += 0.5 * d[r] * W[r, c] * d[c]
        linear += d[r] * after
    s = 0.0
    if square > _NOTHING:
        root = linear * linear - 4.0 * square * min(0.0, dead)
        s = min(1.0, max(0.0, (-linear + math.sqrt(max(0.0, root))) / (2.0 * square)))
    for r in range(6):
        other = dead_total[0][r] if r < 3 else dead_total[1][r - 3]
        total[r] = other + s * d[r]


@kernel
def take_up_impulses(model, scratch, walk, memory, share):
    """Gives all rows the impulses of the step before, `share` times; bounds of friction hold at once."""
    for b in range(memory.counts[BLOCKS]):
        block = memory.blocks[b]
        for k in range(6):
            memory.total[k] = 0.0
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            row, j = contact.row, load3(contact.impulse)
            for k in range(3):
                force = load_linear(memory.wrench[row + k])
                memory.impulse[row + k] = share * dot(force, j)
            memory.impulse[row] = max(0.0, memory.impulse[row])
            _shorten(memory.impulse, row, contact.friction * memory.impulse[row])
            for k in range(3):
                _add(memory, row + k, memory.impulse[row + k])
        for x in range(block.row_first, block.row_last):
            axis_row = memory.axis_rows[x]
            p = share * memory.axis_impulse[axis_row.axis, axis_row.kind - 1]
            p = min(axis_row.high, max(axis_row.low, p))
            memory.impulse[axis_row.row] = p
            _add(memory, axis_row.row, p)
        _leave_quietly(model, scratch, walk, memory, block)


@kernel
def _shorten(p, row, largest):
    length = math.sqrt(p[row + 1] ** 2 + p[row + 2] ** 2)
    if length > largest:
        p[row + 1] *= largest / length
        p[row + 2] *= largest / length


@kernel
def _leave_quietly(model, scratch, walk, memory, block):
    """Notes the block's wrench, for `settle_impulses`, without moving anything yet."""
    center = load3(block.center)
    moment, force = load_angular(memory.total), load_linear(memory.total)
    for end in range(2):
        i, sign = block.body[end], -1.0 if end == 0 else 1.0
        if i >= model.driven:
            n = add(moment, cross(subtract(center, load3(scratch.bodies[i].center)), force))
            for k in range(3):
                walk.impulse[i, k] += sign * n[k]
                walk.impulse[i, 3 + k] += sign * force[k]


@kernel
def sweep(model, scratch, walk, memory, h, is_backward):
    """One sweep over all blocks: contacts do not approach, friction resists, axes keep to their bounds.

    A contact with a gap may close it within `h` (s). Returns the largest change of a rate (m/s or rad/s).
    """
    counts, change = memory.counts, 0.0
    for k in range(counts[BLOCKS]):
        b = counts[BLOCKS] - 1 - k if is_backward else k
        block = memory.blocks[b]
        _enter(model, scratch, walk, memory, block)
        turns = 1 if block.last - block.first + block.row_last - block.row_first <= 1 else _INNER
        for _ in range(turns):
            step = 0.0
            for c in range(block.first, block.last):
                step = max(step, _press(memory, memory.contacts[c], h))
            for x in range(block.row_first, block.row_last):
                step = max(step, _hold(memory, memory.axis_rows[x]))
            change = max(change, step)
            if step == 0.0:
                break
        _leave(model, scratch, walk, memory, block)
    counts[SWEEPS] += 1
    return change


@kernel
def _press(memory, contact, h):
    if contact.waits:
        return 0.0
    row, p = contact.row, memory.impulse
    before = p[row]
    p[row] = max(0.0, before - (rate_of(memory, row) + max(0.0, contact.gap) / h) / memory.own[row])
    change = p[row] - before
    if change != 0.0:
        _add(memory, row, change)
    rubbed = _rub(memory, row, contact.friction * p[row], p)
    return max(abs(change) * memory.own[row], rubbed)


@kernel
def _hold(memory, axis_row):
    row, p = axis_row.row, memory.impulse
    before, own = p[row], memory.own[row] + axis_row.softness
    wanted = before - (rate_of(memory, row) + axis_row.bias + axis_row.softness * before) / own
    p[row] = min(axis_row.high, max(axis_row.low, wanted))
    change = p[row] - before
    if change != 0.0:
        _add(memory, row, change)
    return abs(change) * own


@kernel
def sweep_apart(model, scratch, walk, memory, slack, share):
    """One sweep of shifts that lead out of overlaps: a `share` of what is more than `slack` sizes (or rad)."""
    counts, change = memory.counts, 0.0
    for b in range(counts[BLOCKS]):
        block = memory.blocks[b]
        _enter(model, scratch, walk, memory, block)
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            asked = share * max(0.0, -contact.gap - slack * contact.size)
            change = max(change, _lift(memory, contact.row, asked))
        for x in range(block.row_first, block.row_last):
            axis_row = memory.axis_rows[x]
            if axis_row.high == math.inf and axis_row.low == 0.0:  # a limit
                change = max(change, _lift(memory, axis_row.row, -share * axis_row.opening))
        _leave(model, scratch, walk, memory, block)
    return change


@kernel
def _lift(memory, row, asked):
    p = memory.event
    before = p[row]
    p[row] = max(0.0, before + (asked - rate_of(memory, row)) / memory.own[row])
    if p[row] != before:
        _add(memory, row, p[row] - before)
    return abs(p[row] - before) * memory.own[row]


@kernel
def write_impulses(memory):
    """Keeps the impulses of all rows for the next step."""
    for c in range(memory.counts[CONTACTS]):
        contact = memory.contacts[c]
        for k in range(3):
            contact.impulse[k] = 0.0
        for r in range(3):
            for k in range(3):
                contact.impulse[k] += memory.impulse[contact.row + r] * memory.wrench[contact.row + r, 3 + k]
    for axis in range(len(memory.axis_impulse)):
        for k in range(4):
            memory.axis_impulse[axis, k] = 0.0
    for x in range(memory.counts[AXIS_ROWS]):
        row = memory.axis_rows[x]
        memory.axis_impulse[row.axis, row.kind - 1] = memory.impulse[row.row]
