# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of contacts and axes between steps: kept for the next one, and taken back where it finds them anew."""

from ...contact.impulses.gauss_seidel import note_forces
from ...kernel import kernel
from ...model.arrays import Hold
from ...spatial import add, cross, load3, scale, store3, subtract
from .momentum import note_travel, slide_moments

_BY_UPPER = int(Hold.UPPER)
_FAR = 0.05  # rad, or of the linkage's size: what stiff forces may move by in a step without wavering


@kernel
def keep_forces(model, scratch, memory, are_right):
    """Keeps the forces of contacts and axes on bodies and axes, for the next step, if it balances, and for frames."""
    contact, walk = memory.contact, memory.walk
    memory.counts[0].balanced = 1 if are_right else 0
    for i in range(len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = 0.0
    note_forces(model, scratch, walk, contact)
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.push[i, k] = walk.impulse[i, k]
            walk.impulse[i, k] = 0.0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        force, moment, swing, center = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), load3(block.center)
        for c in range(block.first, block.last):
            each = contact.contacts[c]
            force = add(force, load3(each.force))
            moment = add(moment, cross(subtract(load3(each.position), center), load3(each.force)))
            swing = add(swing, cross(load3(each.drift), load3(each.force)))
        store3(block.force, force)
        store3(block.moment, moment)
        store3(block.swing, swing)
    for axis in range(len(memory.effort)):
        memory.effort[axis] = 0.0
    for x in range(contact.counts[0].axis_rows):
        row = contact.axis_rows[x]
        force = contact.axis_force[row.axis, row.kind - 1]
        if row.kind == _BY_UPPER:
            force = -force
        if row.component >= 0:
            for k in range(3):
                memory.effort[row.axis - row.component + k] += force * row.gradient[k]
        else:
            memory.effort[row.axis] += force


@kernel
def carried_share(model, memory, state):
    """The share of stiff forces that goes on: less than all where they turn bodies far in one step."""
    farthest, axes = 0.0, len(state.speeds)
    for k in range(axes):
        scale = 1.0 / model.size if model.is_length[k] else 1.0
        farthest = max(farthest, scale * abs(state.speeds[k] - memory.began.y[axes + k]))
    return min(1.0, _FAR / max(memory.clock[0].interval * farthest, _FAR))


@kernel
def take_back_forces(model, scratch, memory, h):
    """Notes the opposite of what contacts and axes have given in the step."""
    contact, walk = memory.contact, memory.walk
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = -h * memory.push[i, k]
    for axis in range(len(memory.effort)):
        walk.effort[axis] = -h * memory.effort[axis]
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        impulse, turned = scale(-h, load3(block.force)), scale(-h * h, load3(block.swing))
        note_travel(model, scratch, memory.began, memory.momenta, block.body, impulse, turned, h)
        moments = slide_moments(model, scratch, memory.began.center, block, h)
        for end in range(2):
            if block.body[end] >= model.driven:
                for k in range(3):
                    walk.impulse[block.body[end], k] -= h * moments[end][k]
