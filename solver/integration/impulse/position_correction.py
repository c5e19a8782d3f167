# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlaps that are led apart at a step's end: shifts of the pose, which give no speed.

By sweeps over what each contact and limit asks for, then all rows of an island at once where sweeps are slow; closures
are led along. What is asked for is small, and so must its answer be: between two faces that leave no room, rows ask for
opposite shifts, and what fulfils them both is a turn by thousands of radians about the little that they are apart. An
island that would move many times as far as all of its overlaps together goes a part of that way only.
"""

from ...contact.impulses.gauss_seidel import asked_correction, asked_of_limit, is_limit, sweep_positions
from ...contact.impulses.propagation import begin_walk_with, fill_velocities, settle_impulses
from ...contact.impulses.workspace import SLACK
from ...dynamics.loops.drift import respond_to
from ...dynamics.loops.methods import has_closures
from ...kernel import kernel, kernel_by_class
from .balancing import lead_apart_at_once
from .energy_bound import find_moved, note_lifts
from .sweep_until_balanced import MOST_VISITS

_MOST_SWEEPS, _LEAST_SWEEPS = 40, 10
_EXACT = 0.01  # of the deepest overlap
_UNDONE = 0.2  # of an overlap in a whole step
_FARTHEST = 30.0  # times all that an island's overlaps ask for: long levers move far, but not without end


@kernel
def correct_positions(model, scratch, memory, deepest):
    """Adds to the shift what undoes a part of all overlaps."""
    contact, walk, before = memory.contact, memory.walk, memory.free[1]
    for k in range(len(memory.shift)):
        before[k] = memory.shift[k]
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0
    for i in range(len(memory.apart)):
        for k in range(6):
            memory.apart[i, k] = 0.0
    begin_walk_with(model, walk, memory.apart)
    share = 1.0 - (1.0 - _UNDONE) ** (memory.clock[0].h / memory.interval)
    enough = _EXACT * deepest
    for _ in range(max(_LEAST_SWEEPS, min(_MOST_SWEEPS, MOST_VISITS // contact.counts[0].blocks))):
        change = sweep_positions(model, scratch, walk, contact, SLACK, share)
        if _lead_closures(model, scratch, memory):
            begin_walk_with(model, walk, memory.apart)
        if change <= enough:
            break
    settle_impulses(model, scratch, walk)
    _add_shift(model, scratch, memory)
    if change > enough:
        lead_apart_at_once(model, scratch, memory, share, enough)
        settle_impulses(model, scratch, walk)
        _add_shift(model, scratch, memory)
        _lead_closures(model, scratch, memory)
    _keep_small(model, memory, before, share)
    note_lifts(model, scratch, contact, memory.apart, memory.clock[0].h, memory.islands)


@kernel
def _keep_small(model, memory, before, share):
    """Shortens the shifts of islands that would go too far; `before` (A,): the shift without them."""
    contact, islands = memory.contact, memory.islands
    island, asked, kept = islands.island, islands.had, islands.share
    for i in range(len(model.bodies)):
        asked[i] = 0.0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        asked[island[block.body[1]]] += _asked(model, contact, block, share)
    find_moved(model, contact, memory.apart, islands)
    is_small = True
    for i in range(model.driven, len(model.bodies)):
        if island[i] == i:
            kept[i] = min(1.0, _FARTHEST * asked[i] / islands.moved[i]) if islands.moved[i] > 0.0 else 1.0
            is_small = is_small and kept[i] == 1.0
    if is_small:
        return
    for i in range(model.driven, len(model.bodies)):
        part = kept[island[i]]
        for k in range(6):
            memory.apart[i, k] *= part
        for k in range(model.bodies[i].axis_start, model.bodies[i].axis_end):
            memory.shift[k] = before[k] + part * (memory.shift[k] - before[k])
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        part = kept[island[block.body[1]]]
        for c in range(block.first, block.last):
            contact.event[contact.contacts[c].row] *= part
        for x in range(block.row_first, block.row_last):
            contact.event[contact.axis_rows[x].row] *= part


@kernel
def _asked(model, contact, block, share):
    """m: what a block asks for, turns at the linkage's size."""
    most = 0.0
    for c in range(block.first, block.last):
        most = max(most, asked_correction(contact, block, contact.contacts[c], SLACK, share))
    for x in range(block.row_first, block.row_last):
        each = contact.axis_rows[x]
        if is_limit(each):
            most = max(most, asked_of_limit(each, share) * (1.0 if model.is_length[each.axis] else model.size))
    return most


@kernel
def _lead_with_closures(model, scratch, memory):
    """Adds to the shift what a sweep has led apart, and what keeps closures closed meanwhile; True."""
    settle_impulses(model, scratch, memory.walk)
    _add_shift(model, scratch, memory)
    respond_to(model, scratch, memory.apart)
    fill_velocities(model, scratch, memory.walk)
    _add_shift(model, scratch, memory)
    return True


@kernel
def _add_shift(model, scratch, memory):
    for k in range(len(memory.shift)):
        memory.shift[k] += scratch.accelerations[k]
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.apart[i, k] += memory.walk.velocity[i, k]


@kernel
def _lead_freely(model, scratch, memory):
    return False


_lead_closures = kernel_by_class(lambda model: _lead_with_closures if has_closures(model) else _lead_freely)
