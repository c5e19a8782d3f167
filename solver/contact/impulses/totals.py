# SPDX-License-Identifier: GPL-3.0-or-later
"""Totals of contacts on bodies: added up over the steps from frame to frame, impacts included."""

import math

from ...kernel import kernel
from ...spatial import add, cross, dot, load3, load6, load_linear, scale, store3, subtract
from .rows import block_wrench


@kernel
def begin_tally(block):
    """Nothing has struck in this step yet."""
    block.approach, block.pressed, block.lost = 0.0, 0.0, 0.0
    for k in range(6):
        block.struck[k] = 0.0
    for k in range(3):
        block.where[k] = 0.0


@kernel
def note_blow(memory, block, wrench):
    """Another impact of this step between the two bodies of a block, its rows in memory.event: it adds to the first."""
    for k in range(6):
        block.struck[k] += wrench[k]
    for c in range(block.first, block.last):
        contact = memory.contacts[c]
        block.pressed += memory.event[contact.row]
        for k in range(3):
            block.where[k] += memory.event[contact.row] * contact.position[k]


@kernel
def note_events(memory, lost):
    """The same of all impacts that were solved at once, in memory.event; J: what they lost by that."""
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        if block.last > block.first:
            note_blow(memory, block, block_wrench(memory, block, memory.event))
            if block.pressed > 0.0:
                block.lost, lost = block.lost + lost, 0.0


@kernel
def forget_blows(memory):
    """The impacts of this step have not been: who goes on meets them."""
    for b in range(memory.counts[0].blocks):
        begin_tally(memory.blocks[b])


@kernel
def add_to_tally(scratch, memory, time):
    """Adds what the contacts of a step that ends at a time (s) have given, driven bodies included.

    Kinematics are those for which the impulses were found.
    """
    for b in range(memory.counts[0].blocks):
        block = memory.blocks[b]
        if block.last == block.first:
            continue
        size = math.sqrt(dot(load_linear(block.struck), load_linear(block.struck)))
        moment, force = _sum(load6(block.struck), block_wrench(memory, block, memory.impulse))
        for end in range(2):
            i, sign = block.body[end], -1.0 if end == 0 else 1.0
            arm = subtract(load3(block.center), load3(scratch.bodies[i].center))
            total = add(moment, cross(arm, force))
            for k in range(3):
                memory.given[i, k] += sign * total[k]
                memory.given[i, 3 + k] += sign * force[k]
            memory.hardest[i] = max(memory.hardest[i], size)
        if block.pressed > 0.0:
            _note_impact(memory, block, time)


@kernel
def _note_impact(memory, block, time):
    impact = memory.noted[memory.counts[0].noted]
    memory.counts[0].noted += 1
    impact.time, impact.speed, impact.lost = time, block.approach, block.lost
    impact.body[0], impact.body[1] = block.body[0], block.body[1]
    store3(impact.point, scale(1.0 / block.pressed, load3(block.where)))
    store3(impact.impulse, load_linear(block.struck))


@kernel
def note_overlaps(memory, time):
    """Notes the deepest overlap at a time (s), if there was none so deep."""
    deepest = memory.deepest[0]
    for c in range(memory.counts[0].contacts):
        contact = memory.contacts[c]
        part = -contact.gap / min(memory.thickness[contact.part[0]], memory.thickness[contact.part[1]])
        if part > deepest.part:
            deepest.part, deepest.depth, deepest.time = part, -contact.gap, time
            deepest.body[0], deepest.body[1] = contact.body[0], contact.body[1]


@kernel
def has_room(memory):
    """True if the impacts of another step can be noted."""
    return memory.counts[0].noted + len(memory.points) <= len(memory.noted)


@kernel
def _sum(a, b):
    """(moment, force) of two wrenches."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2]), (a[3] + b[3], a[4] + b[4], a[5] + b[5])


@kernel
def hand_over(memory, frames, frame):
    """Writes what has come together since the last frame to this one, and begins anew."""
    for i in range(frames.contact_impulse.shape[1]):
        for k in range(6):
            frames.contact_impulse[frame, i, k], memory.given[i, k] = memory.given[i, k], 0.0
        frames.contact_blow[frame, i], memory.hardest[i] = memory.hardest[i], 0.0
