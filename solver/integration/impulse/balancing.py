# SPDX-License-Identifier: GPL-3.0-or-later
"""Islands that sweeps do not balance, all rows at once: impulses, and shifts that lead out of overlaps.

Sweeps hand on what one contact asks of the next, and are slow where something heavy stands on something light: each
tells little to the other. Such an island is solved as a whole, by its Delassus operator.
"""

from ...contact.impulses.delassus import fill_delassus, island_rows, overlap_rows, scale_rows
from ...contact.impulses.gauss_seidel import note_changes
from ...contact.impulses.newton import solve_at_once
from ...contact.impulses.rows import along_row, relative_change, relative_motion
from ...kernel import kernel

_EXACT = 0.1  # of what is enough: what is asked for,
_NEARLY = 10.0  # and what is taken; sweeps go on from there


@kernel
def balance_at_once(model, scratch, memory, p, enough, may_jam):
    """Solves each island at once that the latest sweep has changed by more than is `enough`, if it has few rows.

    Notes what that comes to for `settle_impulses`; no impulses may wait. Where there may be no balance, only one that
    is met is taken.
    """
    contact, islands, delassus = memory.contact, memory.islands, memory.delassus
    for row in range(contact.counts[0].rows):
        contact.changed[row] = 0.0
    for i in range(model.driven, len(model.bodies)):
        if islands.island[i] == i and _is_unbalanced(contact, islands.island, i, enough):
            count = island_rows(contact, delassus, islands.island, i)
            for n in range(count):
                motion = relative_motion(scratch, contact.blocks[delassus.block[n]])
                delassus.free[n] = delassus.bias[n] + along_row(contact.rows.wrench, delassus.row[n], motion)
            _solve_island(model, scratch, memory, p, count, enough, 1.0 if may_jam else _NEARLY)
    note_changes(model, scratch, memory.walk, contact)


@kernel
def lead_apart_at_once(model, scratch, memory, share, enough):
    """Likewise, of shifts that lead a `share` of overlaps apart, each to `enough` (m or rad); those so far are in
    memory.event and, of bodies, in memory.apart."""
    contact, islands, delassus = memory.contact, memory.islands, memory.delassus
    for row in range(contact.counts[0].rows):
        contact.changed[row] = 0.0
    for i in range(model.driven, len(model.bodies)):
        if islands.island[i] == i and _is_unbalanced(contact, islands.island, i, enough):
            count = overlap_rows(contact, delassus, islands.island, i, share)
            for n in range(count):
                shift = relative_change(scratch, memory.apart, contact.blocks[delassus.block[n]])
                delassus.free[n] = delassus.bias[n] + along_row(contact.rows.wrench, delassus.row[n], shift)
            _solve_island(model, scratch, memory, contact.event, count, enough, 1.0)
    note_changes(model, scratch, memory.walk, contact)


@kernel
def _is_unbalanced(contact, island, first, enough):
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if island[block.body[1]] == first and block.change > enough:
            return True
    return False


@kernel
def _solve_island(model, scratch, memory, p, count, enough, nearly):
    """From p on, which has led to the rates in `free`; notes the changes of p, if that comes to an end."""
    d, contact = memory.delassus, memory.contact
    if count == 0:
        return
    fill_delassus(model, scratch, memory.walk, contact, d, count)
    for n in range(count):
        for m in range(count):
            d.free[n] -= d.matrix[n, m] * p[d.row[m]]
    scale_rows(contact, d, count)
    for n in range(count):
        d.x[n] = p[d.row[n]] / d.scale[n]
    off = solve_at_once(d, count, _EXACT * enough)
    if off <= nearly * enough:
        for n in range(count):
            row = d.row[n]
            contact.changed[row] = d.scale[n] * d.x[n] - p[row]
            p[row] = d.scale[n] * d.x[n]
