# SPDX-License-Identifier: GPL-3.0-or-later
"""Impulses of what pushes and rubs all along a step, in sweeps over blocks.

A block is solved by itself for the relative motion about its centre, a twist of six numbers; then both bodies are told,
and the next block finds them as they are. This is the block Gauss-Seidel method for Coulomb's law (Jourdan, Alart and
Jean 1998), whose fixed point is exact: neither is the friction cone a pyramid nor are contacts soft.

Symbols: p impulse of a row, v its rate, W response of a block, mu friction.
"""

import math

from ...kernel import inlined_kernel, kernel
from ...spatial import dot, load3, load_linear
from .friction_cone import clip_to_friction_cone, solve_friction
from .rows import (
    NOTHING,
    added_row,
    along_row,
    block_wrench,
    gather_relative_velocity,
    note_wrench,
    scatter_impulse,
)
from .sticking import solve_sticking_block
from .stiff_forces import warm_start_compliant
from .stiff_rows import solve_compliant_rows

_DEEP = 0.005  # thicknesses: overlap of which nothing is left beyond that
_AT_ONCE = 0.05  # thicknesses: of which no more goes out in a step
_REGROUPINGS = 40  # sweeps over a block's rows
_INNER, _INNER_OF_MANY = 20, 3  # sweeps over the rows of one block, at most, where blocks are few, or many;
_FEW = 50
_INNER_ENOUGH = 1e-3  # or than what is enough
_FARTHEST = 1e9  # times the latest change: where nothing balances; taken back, it would leave its rounding behind
_DAMPING, _DEPENDENT = 1e-12, 1e-10  # of a column's square; what is left of one that depends on those before
_INNER_EXACT, _INNER_EXACT_OF_MANY = 0.01, 0.1  # until one changes so much less than the first,


@kernel
def warm_start(model, scratch, walk, memory, h):
    """Gives all rows the impulses of their forces over `h` (s), within their bounds; notes what they come to.

    The bodies' impulses wait for `settle_impulses`.
    """
    p = memory.impulse
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        if block.regrouped:
            _redistribute_warm_start(memory, block, b)
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            row, force = contact.row, load3(contact.force)
            for k in range(3):
                p[row + k] = h * dot(load_linear(memory.rows.wrench[row + k]), force)
            p[row] = max(0.0, p[row])
            clip_to_friction_cone(p, row, contact.friction * p[row])
        for x in range(block.row_first, block.row_last):
            axis_row = memory.axis_rows[x]
            row, force = axis_row.row, memory.axis_force[axis_row.axis, axis_row.kind - 1]
            p[row] = min(axis_row.high, max(axis_row.low, h * force))
        if block.stiff >= 0:
            warm_start_compliant(memory, block.stiff, h)
        note_wrench(model, scratch, walk, block, block_wrench(memory, block, p))


@kernel
def _redistribute_warm_start(memory, block, b):
    """Shares out the wrench that a block had before among contacts that are elsewhere now, as well as they can bear it.

    Their forces are those that would keep the block at rest against that wrench.
    """
    rows, p, W = memory.rows, memory.event, memory.block_response[b]
    n, f = load3(block.moment), load3(block.force)
    before = (-n[0], -n[1], -n[2], -f[0], -f[1], -f[2])
    t = NOTHING
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
    for _ in range(_REGROUPINGS):
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            row = contact.row
            now = max(0.0, p[row] - along_row(rows.wrench, row, t) / rows.own[row])
            t = added_row(rows.response, row, now - p[row], t)
            p[row] = now
            t, _rubbed = solve_friction(memory, contact, contact.friction * now, p, t)
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        for k in range(3):
            contact.force[k] = 0.0
            for r in range(3):
                contact.force[k] += p[contact.row + r] * rows.wrench[contact.row + r, 3 + k]


@kernel
def sweep(model, scratch, walk, memory, p, enough, is_backward):
    """One sweep over all blocks: contacts do not overlap, friction resists, axes keep to their bounds.

    p (R,) N s or N m s: the impulses, memory.impulse or memory.event. Changes of rates that are below `enough` (m/s or
    rad/s) are none. Returns the largest change of a rate (m/s or rad/s).
    """
    counts, change = memory.counts[0], 0.0
    inner, exact = (_INNER, _INNER_EXACT) if counts.blocks <= _FEW else (_INNER_OF_MANY, _INNER_EXACT_OF_MANY)
    for k in range(counts.blocks):
        b = counts.blocks - 1 - k if is_backward else k
        block = memory.blocks[b]
        _begin_changes(memory, block, p)
        t = gather_relative_velocity(model, scratch, walk, block)
        t, first = solve_sticking_block(memory, p, block, b, t, _INNER_ENOUGH * enough)
        number = block.last - block.first + block.row_last - block.row_first
        for _ in range(inner):
            step = 0.0
            for c in range(block.first, block.last):
                t, changed = _solve_contact(memory, p, memory.contacts[c], t)
                step = max(step, changed)
            for x in range(block.row_first, block.row_last):
                if has_a_say(counts, memory.axis_rows[x]):
                    t, changed = _solve_axis_row(memory, p, memory.axis_rows[x], t)
                    step = max(step, changed)
            if block.stiff >= 0 and not counts.silent:
                t, step = solve_compliant_rows(memory, p, memory.stiff[block.stiff], t)
            first = max(first, step)
            if step <= max(exact * first, _INNER_ENOUGH * enough) or number <= 1:
                break
        change, block.change = max(change, first), first
        _end_changes(memory, block, p)
        scatter_impulse(model, scratch, walk, block, block_wrench(memory, block, memory.changed))
    counts.sweeps += 1
    return change


@kernel
def _begin_changes(memory, block, p):
    for row in range(block.start, block.end):
        memory.changed[row] = -p[row]


@kernel
def _end_changes(memory, block, p):
    for row in range(block.start, block.end):
        memory.changed[row] += p[row]


@inlined_kernel
def _solve_contact(memory, p, contact, t):
    if contact.is_speculative:  # what it exerted, it did before
        return t, 0.0
    rows, row = memory.rows, contact.row
    before, own = p[row], rows.own[row]
    now = max(0.0, before - (along_row(rows.wrench, row, t) + contact.closing) / own)
    d = now - before
    if d != 0.0:
        p[row] = now
        t = added_row(rows.response, row, d, t)
    t, rubbed = solve_friction(memory, contact, contact.friction * now, p, t)
    return t, max(abs(d) * own, rubbed)


@inlined_kernel
def _solve_axis_row(memory, p, axis_row, t):
    rows, row = memory.rows, axis_row.row
    before, own = p[row], rows.own[row] + axis_row.softness
    wanted = before - (along_row(rows.wrench, row, t) + axis_row.bias + axis_row.softness * before) / own
    p[row] = min(axis_row.high, max(axis_row.low, wanted))
    d = p[row] - before
    return added_row(rows.response, row, d, t), abs(d) * own


@kernel
def sweep_positions(model, scratch, walk, memory, slack, share):
    """One sweep of shifts that lead out of overlaps, by `asked_correction`.

    Works on memory.event. Returns the largest change of a shift (m or rad).
    """
    counts, change = memory.counts[0], 0.0
    for b in range(counts.blocks):
        block, largest = memory.blocks[b], 0.0
        _begin_changes(memory, block, memory.event)
        t = gather_relative_velocity(model, scratch, walk, block)
        for c in range(block.first, block.last):
            contact = memory.contacts[c]
            t, changed = _lift(memory, contact.row, asked_correction(memory, block, contact, slack, share), t)
            largest = max(largest, changed)
        for x in range(block.row_first, block.row_last):
            axis_row = memory.axis_rows[x]
            if is_limit(axis_row):
                t, changed = _lift(memory, axis_row.row, asked_of_limit(axis_row, share), t)
                largest = max(largest, changed)
        change, block.change = max(change, largest), largest
        _end_changes(memory, block, memory.event)
        scatter_impulse(model, scratch, walk, block, block_wrench(memory, block, memory.changed))
    return change


@kernel
def asked_correction(memory, block, contact, slack, share):
    """m: how far a contact is to be led apart, a `share` of what it overlaps by beyond `slack` sizes.

    What has come in within the step itself, unseen before it, goes out as a whole: nothing goes farther than it came.
    So does what is deep, as where faces turn into each other step by step; not between driven bodies that close, where
    there may be no room. A gap may close: below zero, by so much.
    """
    if contact.gap > 0.0:
        return -contact.gap
    thickness = min(memory.thickness[contact.part[0]], memory.thickness[contact.part[1]])
    overlap = max(0.0, -contact.gap - slack * contact.extent)
    deep = 0.0 if block.pressed_in else min(overlap - _DEEP * thickness, _AT_ONCE * thickness)
    return max(max(share * overlap, deep), min(contact.closed, overlap))


@kernel
def asked_of_limit(axis_row, share):
    """Likewise, of a limit that is overstepped, m or rad."""
    return -axis_row.opening * (1.0 if axis_row.opening > 0.0 else share)


@inlined_kernel
def has_a_say(counts, axis_row):
    """True but of motors and friction with a maximum where only impacts have: in no time these give nothing."""
    return counts.silent == 0 or axis_row.high == math.inf


@kernel
def is_limit(axis_row):
    """True if a row of an axis is that of a limit, which pushes one way."""
    return axis_row.high == math.inf and axis_row.low == 0.0


@inlined_kernel
def _lift(memory, row, asked, t):
    p = memory.event
    before = p[row]
    p[row] = max(0.0, before + (asked - along_row(memory.rows.wrench, row, t)) / memory.rows.own[row])
    d = p[row] - before
    return added_row(memory.rows.response, row, d, t), abs(d) * memory.rows.own[row]


@kernel
def begin_sweeps(memory, p):
    """Before the first sweep; notes where they start from."""
    for row in range(memory.counts[0].rows):
        memory.started[row] = p[row]
    memory.mixed[0] = -1


@kernel
def anderson_accelerate(model, scratch, walk, memory, p):
    """Carries the impulses on to where the latest sweeps lead; notes what that comes to for `settle_impulses`.

    With g(p) a sweep and f = g(p) - p this is p = g - G y, where y makes |f - F y| least (Anderson 1965; Walker, Ni
    2011); the columns of F and G are the differences of f and g between the latest sweeps, and the length is that of
    `rows.own`. What it oversteps the next sweep takes back. Were all rows linear, that would be GMRES.
    """
    _remember_sweep(memory, p)
    columns = min(memory.mixed[0], len(memory.changes))
    _fit(memory, columns)
    for row in range(memory.counts[0].rows):
        memory.changed[row] = 0.0
    for k in range(columns):
        share, result = memory.fit[k, -1], memory.results[k]
        for row in range(memory.counts[0].rows):
            memory.changed[row] -= share * result[row]
    if _largest(memory, memory.changed) > _FARTHEST * _largest(memory, memory.change_before):
        memory.mixed[0] = -1
        return
    for row in range(memory.counts[0].rows):
        p[row] += memory.changed[row]
    note_changes(model, scratch, walk, memory)


@kernel
def _largest(memory, change):
    """m/s or rad/s: the largest change of a row's own rate by changes (R,) of impulses."""
    largest = 0.0
    for row in range(memory.counts[0].rows):
        largest = max(largest, memory.rows.own[row] * abs(change[row]))
    return largest


@kernel
def undo_acceleration(model, scratch, walk, memory, p):
    """Goes back to where the latest sweep had come to before `anderson_accelerate` led it astray."""
    _go_to(model, scratch, walk, memory, memory.result_before, p)


@kernel
def restart(model, scratch, walk, memory, p):
    """Goes back to where the sweeps started."""
    _go_to(model, scratch, walk, memory, memory.started, p)


@kernel
def _go_to(model, scratch, walk, memory, place, p):
    for row in range(memory.counts[0].rows):
        memory.changed[row] = place[row] - p[row]
        p[row] = place[row]
    note_changes(model, scratch, walk, memory)
    memory.mixed[0] = -1


@kernel
def shorten_impulses(model, scratch, walk, memory, p, share):
    """Leaves only a share of the impulses p; notes what that comes to for `settle_impulses`."""
    for row in range(memory.counts[0].rows):
        memory.changed[row] = (share - 1.0) * p[row]
        p[row] *= share
    note_changes(model, scratch, walk, memory)


@kernel
def note_changes(model, scratch, walk, memory):
    """Notes what changes of the impulses, in `changed`, do to the bodies."""
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        note_wrench(model, scratch, walk, block, block_wrench(memory, block, memory.changed))


@kernel
def _remember_sweep(memory, p):
    """Puts the latest sweep's differences from the one before in place of the oldest ones."""
    number = memory.mixed[0]
    slot = number % len(memory.changes)
    for row in range(memory.counts[0].rows):
        change = memory.changed[row]
        if number >= 0:
            memory.changes[slot, row] = change - memory.change_before[row]
            memory.results[slot, row] = p[row] - memory.result_before[row]
        memory.change_before[row], memory.result_before[row] = change, p[row]
    memory.mixed[0] = number + 1
    if number >= 0:
        _weigh(memory, memory.changes[slot])
        for k in range(min(number + 1, len(memory.changes))):
            square = _product(memory.changes[k], memory.changed, memory.counts[0].rows)
            memory.squares[slot, k] = memory.squares[k, slot] = square


@kernel
def _weigh(memory, change):
    """Writes changes of impulses, as what each changes of its own rate, to `changed`, which is work here."""
    for row in range(memory.counts[0].rows):
        memory.changed[row] = memory.rows.own[row] * change[row]


@kernel
def _product(a, b, count):
    """The scalar product of the first numbers of two arrays; in four sums, which do not wait for each other."""
    one, two, three, four = 0.0, 0.0, 0.0, 0.0
    whole = count - count % 4
    for k in range(0, whole, 4):
        one += a[k] * b[k]
        two += a[k + 1] * b[k + 1]
        three += a[k + 2] * b[k + 2]
        four += a[k + 3] * b[k + 3]
    for k in range(whole, count):
        one += a[k] * b[k]
    return (one + two) + (three + four)


@kernel
def _fit(memory, columns):
    """Makes |f - F y| least: normal equations, a little damped, by Cholesky; y is the last column of `fit`."""
    fit, n = memory.fit, columns
    _weigh(memory, memory.change_before)
    for r in range(n):
        fit[r, -1] = _product(memory.changes[r], memory.changed, memory.counts[0].rows)
        for c in range(r + 1):
            fit[r, c] = memory.squares[r, c]
        fit[r, r] += _DAMPING * memory.squares[r, r]
    for r in range(n):
        for c in range(r + 1):
            total = fit[r, c]
            for k in range(c):
                total -= fit[r, k] * fit[c, k]
            if c < r:
                fit[r, c] = total / fit[c, c] if fit[c, c] > 0.0 else 0.0
            else:
                fit[r, r] = math.sqrt(total) if total > _DEPENDENT * memory.squares[r, r] else 0.0
        total = fit[r, -1]
        for k in range(r):
            total -= fit[r, k] * fit[k, -1]
        fit[r, -1] = total / fit[r, r] if fit[r, r] > 0.0 else 0.0
    for r in range(n - 1, -1, -1):
        total = fit[r, -1]
        for k in range(r + 1, n):
            total -= fit[k, r] * fit[k, -1]
        fit[r, -1] = total / fit[r, r] if fit[r, r] > 0.0 else 0.0


@kernel
def write_forces(memory, h, interval, share, was_balanced):
    """Keeps a share of the forces that impulses over `h` (s) come to.

    Of a step shorter than `interval` (s) they count in proportion, beside those from before if these were in balance:
    what it has to put right is no force that lasts.
    """
    p, wrench, lasts = memory.impulse, memory.rows.wrench, share / interval
    kept = 1.0 - h / interval if was_balanced else 0.0
    for c in range(memory.counts[0].contacts):
        contact = memory.contacts[c]
        row = contact.row
        for k in range(3):
            j = p[row] * wrench[row, 3 + k] + p[row + 1] * wrench[row + 1, 3 + k] + p[row + 2] * wrench[row + 2, 3 + k]
            contact.force[k] = kept * contact.force[k] + lasts * j
    for axis in range(len(memory.axis_force)):
        for k in range(4):
            memory.axis_force[axis, k] *= kept
    for x in range(memory.counts[0].axis_rows):
        row = memory.axis_rows[x]
        memory.axis_force[row.axis, row.kind - 1] += lasts * p[row.row]
