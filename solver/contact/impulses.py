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
    load_linear,
    subtract,
)
from .memory import AXIS_ROWS, BLOCKS, CONTACTS, IMPACTS, ROWS, SWEEPS
from .walk import go_to_body, is_there, opposite, push

_TURNING = 2.0  # times the acceleration of a point at a shape's size that turns as fast
_REGROUPINGS = 40  # sweeps over a block's rows
_IMPACT_ROUNDS = 20
_IMPACT_SWEEPS = 60
_INNER = 10  # sweeps over the rows of one block, at most;
_INNER_EXACT = 0.1  # until one changes so much less than the first
_IMPACT_EXACT = 1e-12  # of the speed of an impact
_TINY = 1e-300
_NOTHING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
TOUCH = 1e-5  # of the smaller shape's size: a gap that is none
BESIDE = 3e-4  # and one that takes part in an impact of the same two bodies


@kernel
def solve_impacts(model, scratch, walk, memory, slow, soon, h):
    """Impacts of contacts that touch, or will within `soon` (s), and approach faster than `slow` (m/s), in turn.

    What has touched before may approach faster, as fast as surfaces that turn on each other do within `h` (s).

    False if some are left after many rounds: those of a heavy body on light ones come to an end slowly.
    """
    counts = memory.counts
    counts[IMPACTS] = 0
    for turn in range(_IMPACT_ROUNDS):
        found = False
        for k in range(counts[BLOCKS]):
            b = k if turn % 2 == 0 else counts[BLOCKS] - 1 - k
            block = memory.blocks[b]
            if block.last > block.first:
                t = _enter(model, scratch, walk, block)
                if _is_struck(memory, block, t, slow, soon, h):
                    _leave(model, scratch, walk, block, _strike(memory, block, b, t))
                    counts[IMPACTS] += 1
                    found = True
        if not found:
            return True
    return False


@kernel
def _enter(model, scratch, walk, block):
    """The relative motion of the block's bodies about its centre: six numbers."""
    a, b = block.body[0], block.body[1]
    if not is_there(model, walk, b):
        go_to_body(model, scratch, walk, b)
    outer = _motion_about(scratch.bodies[b], walk.velocity, b, block)
    if not is_there(model, walk, a):
        go_to_body(model, scratch, walk, a)
    return _difference(outer, _motion_about(scratch.bodies[a], walk.velocity, a, block))


@kernel
def _motion_about(body, velocity, i, block):
    w = (velocity[i, 0], velocity[i, 1], velocity[i, 2])
    arm = subtract(load3(block.center), load3(body.center))
    return (*w, *add((velocity[i, 3], velocity[i, 4], velocity[i, 5]), cross(w, arm)))


@kernel
def _difference(s, t):
    return (s[0] - t[0], s[1] - t[1], s[2] - t[2], s[3] - t[3], s[4] - t[4], s[5] - t[5])


@kernel
def _leave(model, scratch, walk, block, total):
    """Hands the block's wrench to its bodies."""
    a, b = block.body[0], block.body[1]
    if a >= model.driven:
        moment, force = _about_body(scratch.bodies[a], block, total)
        push(walk.omega, walk.velocity, walk.pending, walk.impulse, a, opposite(moment), opposite(force))
        if not is_there(model, walk, b):
            go_to_body(model, scratch, walk, b)
    if b >= model.driven:
        moment, force = _about_body(scratch.bodies[b], block, total)
        push(walk.omega, walk.velocity, walk.pending, walk.impulse, b, moment, force)


@kernel
def _about_body(body, block, total):
    """A wrench about the block's centre, about the body's."""
    force = (total[3], total[4], total[5])
    arm = subtract(load3(block.center), load3(body.center))
    return add((total[0], total[1], total[2]), cross(arm, force)), force


@kernel
def _along(w, row, t):
    """The velocity along a row, of a relative motion t."""
    return (
        w[row, 0] * t[0] + w[row, 1] * t[1] + w[row, 2] * t[2] + w[row, 3] * t[3] + w[row, 4] * t[4] + w[row, 5] * t[5]
    )


@kernel
def _added(a, row, change, t):
    """t + change times a row of a."""
    return (
        t[0] + change * a[row, 0],
        t[1] + change * a[row, 1],
        t[2] + change * a[row, 2],
        t[3] + change * a[row, 3],
        t[4] + change * a[row, 4],
        t[5] + change * a[row, 5],
    )


@kernel
def _is_struck(memory, block, t, slow, soon, h):
    """Whether a contact is met too fast; notes the rate that each is to leave with."""
    struck, turning = False, _TURNING * h * (t[0] * t[0] + t[1] * t[1] + t[2] * t[2])
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        slowest = slow + turning * contact.size if contact.known else slow
        rate = _along(memory.rows.wrench, contact.row, t)
        contact.asked = -math.inf  # not a part of it
        meets = contact.gap + soon * min(0.0, rate) <= TOUCH * contact.size
        if meets or contact.gap <= BESIDE * contact.size:
            contact.asked = -max(0.0, contact.gap) / soon if soon > 0.0 else 0.0
            if rate < min(-slowest, contact.asked):
                struck = struck or meets
                if -contact.restitution * rate > slowest:
                    contact.asked = -contact.restitution * rate
    return struck


@kernel
def _strike(memory, block, b, before):
    """The wrench of an impact: without restitution, then with as much of it as energy allows."""
    bounces = False
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        bounces = bounces or contact.asked > 0.0
        for k in range(3):
            memory.event[contact.row + k] = 0.0
    t, dead = _sweep_impact(memory, block, 0.0, before, _NOTHING)
    if not bounces:
        return dead
    loss = _gain(dead, before, t)
    t, total = _sweep_impact(memory, block, 1.0, t, dead)
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
def _sweep_impact(memory, block, restitution, t, total):
    """(relative motion, wrench) once the rows of an impact obey Coulomb's law, from those at hand."""
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
            rate = _along(memory.rows.wrench, row, t)
            p = max(0.0, event[row] + (target - rate) / own[row])
            d = p - event[row]
            change = max(change, abs(d) * own[row])
            fastest = max(fastest, abs(rate))
            t, total = _added(memory.rows.response, row, d, t), _added(memory.rows.wrench, row, d, total)
            event[row] = p
            t, total, rubbed = _rub(memory.rows, contact, contact.friction * p, event, t, total)
            change = max(change, rubbed)
        if change <= _IMPACT_EXACT * fastest:
            break
    return t, total


@kernel
def _rub(rows, contact, largest, p, t, total):
    """Friction: a contact's two tangents stop sliding, or exert what they can against it. (motion, wrench, change)"""
    row = contact.row
    p1, p2 = p[row + 1], p[row + 2]
    if largest == 0.0 and p1 == 0.0 and p2 == 0.0:
        return t, total, 0.0
    v1, v2 = _along(rows.wrench, row + 1, t), _along(rows.wrench, row + 2, t)
    own = rows.own
    s1 = p1 - contact.sticking[0] * v1 - contact.sticking[1] * v2
    s2 = p2 - contact.sticking[1] * v1 - contact.sticking[2] * v2
    if not s1 * s1 + s2 * s2 <= largest * largest:  # slides: impulse and velocity become opposite to each other
        s1, s2 = p1 - contact.sliding * v1, p2 - contact.sliding * v2
        length = math.sqrt(s1 * s1 + s2 * s2)
        if length > largest:
            s1, s2 = s1 * largest / length, s2 * largest / length
    d1, d2 = s1 - p1, s2 - p2
    t, total = _added(rows.response, row + 1, d1, t), _added(rows.wrench, row + 1, d1, total)
    t, total = _added(rows.response, row + 2, d2, t), _added(rows.wrench, row + 2, d2, total)
    p[row + 1], p[row + 2] = s1, s2
    return t, total, max(abs(d1) * own[row + 1], abs(d2) * own[row + 2])


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


@kernel
def take_up_forces(model, scratch, walk, memory, h):
    """Gives all rows the impulses of their forces over `h` (s), within their bounds; notes what they come to.

    The bodies' impulses wait for `settle_impulses`.
    """
    p = memory.impulse
    for b in range(memory.counts[BLOCKS]):
        block, total = memory.blocks[b], _NOTHING
        if block.regrouped:
            _regroup(memory, block, b)
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            row, force = contact.row, load3(contact.force)
            for k in range(3):
                p[row + k] = h * dot(load_linear(memory.rows.wrench[row + k]), force)
            p[row] = max(0.0, p[row])
            _shorten(p, row, contact.friction * p[row])
            for k in range(3):
                total = _added(memory.rows.wrench, row + k, p[row + k], total)
        for x in range(block.row_first, block.row_last):
            axis_row = memory.axis_rows[x]
            row, force = axis_row.row, memory.axis_force[axis_row.axis, axis_row.kind - 1]
            p[row] = min(axis_row.high, max(axis_row.low, h * force))
            total = _added(memory.rows.wrench, row, p[row], total)
        _note(model, scratch, walk, block, total)


@kernel
def _regroup(memory, block, b):
    """Shares out the wrench that a block had before among contacts that are elsewhere now, as well as they can bear it.

    Their forces are those that would keep the block at rest against that wrench.
    """
    rows, p, W = memory.rows, memory.event, memory.block_response[b]
    n, f = load3(block.moment), load3(block.force)
    before = (-n[0], -n[1], -n[2], -f[0], -f[1], -f[2])
    t = _NOTHING
    for k in range(6):
        t = (
            t[0] + W[0, k] * before[k],
            t[1] + W[1, k] * before[k],
            t[2] + W[2, k] * before[k],
            t[3] + W[3, k] * before[k],
            t[4] + W[4, k] * before[k],
            t[5] + W[5, k] * before[k],
        )
    for c in range(block.first, block.last):
        for k in range(3):
            p[memory.contacts[c].row + k] = 0.0
    total = _NOTHING
    for _ in range(_REGROUPINGS):
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            row = contact.row
            now = max(0.0, p[row] - _along(rows.wrench, row, t) / rows.own[row])
            d = now - p[row]
            t, total = _added(rows.response, row, d, t), _added(rows.wrench, row, d, total)
            p[row] = now
            t, total, _rubbed = _rub(rows, contact, contact.friction * now, p, t, total)
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        for k in range(3):
            contact.force[k] = 0.0
            for r in range(3):
                contact.force[k] += p[contact.row + r] * rows.wrench[contact.row + r, 3 + k]


@kernel
def note_forces(model, scratch, walk, memory):
    """Notes what the forces of all contacts come to in a second."""
    for b in range(memory.counts[BLOCKS]):
        block, total = memory.blocks[b], _NOTHING
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            f = load3(contact.force)
            moment = cross(subtract(load3(contact.position), load3(block.center)), f)
            total = _added_wrench(total, moment, f)
        _note(model, scratch, walk, block, total)


@kernel
def _added_wrench(total, n, f):
    return (total[0] + n[0], total[1] + n[1], total[2] + n[2], total[3] + f[0], total[4] + f[1], total[5] + f[2])


@kernel
def _shorten(p, row, largest):
    length = math.sqrt(p[row + 1] ** 2 + p[row + 2] ** 2)
    if length > largest:
        p[row + 1] *= largest / length
        p[row + 2] *= largest / length


@kernel
def _note(model, scratch, walk, block, total):
    center, moment, force = load3(block.center), (total[0], total[1], total[2]), (total[3], total[4], total[5])
    for end in range(2):
        i, sign = block.body[end], -1.0 if end == 0 else 1.0
        if i >= model.driven:
            n = add(moment, cross(subtract(center, load3(scratch.bodies[i].center)), force))
            for k in range(3):
                walk.impulse[i, k] += sign * n[k]
                walk.impulse[i, 3 + k] += sign * force[k]


@kernel
def sweep(model, scratch, walk, memory, p, h, is_backward):
    """One sweep over all blocks: contacts do not overlap, friction resists, axes keep to their bounds.

    p (R,) N s or N m s: the impulses, memory.impulse or memory.event. A contact with a gap may close it within `h` (s).
    Returns the largest change of a rate (m/s or rad/s).
    """
    counts, change = memory.counts, 0.0
    for row in range(counts[ROWS]):
        memory.last[row] = p[row]
    for k in range(counts[BLOCKS]):
        b = counts[BLOCKS] - 1 - k if is_backward else k
        block = memory.blocks[b]
        t, total, first = _enter(model, scratch, walk, block), _NOTHING, 0.0
        for _ in range(_INNER):
            step = 0.0
            for c in range(block.first, block.last):
                t, total, changed = _press(memory.rows, p, memory.contacts[c], h, t, total)
                step = max(step, changed)
            for x in range(block.row_first, block.row_last):
                t, total, changed = _hold(memory.rows, p, memory.axis_rows[x], t, total)
                step = max(step, changed)
            first = max(first, step)
            if step <= _INNER_EXACT * first or block.last - block.first + block.row_last - block.row_first <= 1:
                break
        change = max(change, first)
        _leave(model, scratch, walk, block, total)
    counts[SWEEPS] += 1
    return change


@kernel
def _press(rows, p, contact, h, t, total):
    if contact.waits:
        return t, total, 0.0
    row = contact.row
    before, own = p[row], rows.own[row]
    now = max(0.0, before - (_along(rows.wrench, row, t) + max(0.0, contact.gap) / h) / own)
    d = now - before
    if d != 0.0:
        p[row] = now
        t, total = _added(rows.response, row, d, t), _added(rows.wrench, row, d, total)
    t, total, rubbed = _rub(rows, contact, contact.friction * now, p, t, total)
    return t, total, max(abs(d) * own, rubbed)


@kernel
def _hold(rows, p, axis_row, t, total):
    row = axis_row.row
    before, own = p[row], rows.own[row] + axis_row.softness
    wanted = before - (_along(rows.wrench, row, t) + axis_row.bias + axis_row.softness * before) / own
    p[row] = min(axis_row.high, max(axis_row.low, wanted))
    d = p[row] - before
    return _added(rows.response, row, d, t), _added(rows.wrench, row, d, total), abs(d) * own


@kernel
def sweep_apart(model, scratch, walk, memory, slack, share):
    """One sweep of shifts that lead out of overlaps: a `share` of what is more than `slack` sizes, or beyond a limit.

    Works on memory.event. Returns the largest change of a shift (m or rad).
    """
    counts, change = memory.counts, 0.0
    for row in range(counts[ROWS]):
        memory.last[row] = memory.event[row]
    for b in range(counts[BLOCKS]):
        block = memory.blocks[b]
        t, total = _enter(model, scratch, walk, block), _NOTHING
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            asked = share * max(0.0, -contact.gap - slack * contact.size)
            t, total, changed = _lift(memory, contact.row, asked, t, total)
            change = max(change, changed)
        for x in range(block.row_first, block.row_last):
            axis_row = memory.axis_rows[x]
            if axis_row.high == math.inf and axis_row.low == 0.0:  # a limit
                t, total, changed = _lift(memory, axis_row.row, -share * axis_row.opening, t, total)
                change = max(change, changed)
        _leave(model, scratch, walk, block, total)
    return change


@kernel
def _lift(memory, row, asked, t, total):
    p = memory.event
    before = p[row]
    p[row] = max(0.0, before + (asked - _along(memory.rows.wrench, row, t)) / memory.rows.own[row])
    d = p[row] - before
    t, total = _added(memory.rows.response, row, d, t), _added(memory.rows.wrench, row, d, total)
    return t, total, abs(d) * memory.rows.own[row]


@kernel
def begin_leading_on(memory):
    """Before the first sweep that `lead_on` follows."""
    memory.progress[0] = 0.0
    for row in range(memory.counts[ROWS]):
        memory.direction[row] = 0.0


@kernel
def lead_on(model, scratch, walk, memory, p):
    """Carries the impulses on in the direction of the latest sweeps; notes what that comes to for `settle_impulses`.

    Nonsmooth nonlinear conjugate gradients (Silcowitz, Niebe, Erleben 2010), with a sweep's change as the gradient.
    What it oversteps the next sweep takes back. Stacks of unlike weights need far fewer sweeps.
    """
    square, before = 0.0, memory.progress[0]
    for row in range(memory.counts[ROWS]):
        square += (p[row] - memory.last[row]) ** 2 * memory.rows.own[row]
    memory.progress[0] = square
    share = square / before if 0.0 < square <= before else 0.0
    for row in range(memory.counts[ROWS]):
        further = share * memory.direction[row]
        memory.direction[row] = further + p[row] - memory.last[row]
        memory.last[row] = further
        p[row] += further
    for b in range(memory.counts[BLOCKS]):
        block, total = memory.blocks[b], _NOTHING
        for c in range(block.first, block.last):
            row = memory.contacts[c].row
            for k in range(3):
                total = _added(memory.rows.wrench, row + k, memory.last[row + k], total)
        for x in range(block.row_first, block.row_last):
            row = memory.axis_rows[x].row
            total = _added(memory.rows.wrench, row, memory.last[row], total)
        _note(model, scratch, walk, block, total)


@kernel
def write_forces(memory, h, interval):
    """Keeps the forces that impulses over `h` (s) come to; of a shorter step than `interval`, only in its proportion.

    What such a step has to put right is no force that lasts.
    """
    p, wrench = memory.impulse, memory.rows.wrench
    kept = 1.0 - h / interval
    for c in range(memory.counts[CONTACTS]):
        contact = memory.contacts[c]
        row = contact.row
        for k in range(3):
            j = p[row] * wrench[row, 3 + k] + p[row + 1] * wrench[row + 1, 3 + k] + p[row + 2] * wrench[row + 2, 3 + k]
            contact.force[k] = kept * contact.force[k] + j / interval
    for axis in range(len(memory.axis_force)):
        for k in range(4):
            memory.axis_force[axis, k] *= kept
    for x in range(memory.counts[AXIS_ROWS]):
        row = memory.axis_rows[x]
        memory.axis_force[row.axis, row.kind - 1] += p[row.row] / interval
