# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of contacts and axes between steps: kept for the next one, and taken back where it finds them anew.

What springs press together turns, and the force between turns along: with the body that tilts it less, since that of a
ball on a turning disc stays upright. One that kept its direction while a spring of kilonewtons turned by a hundredth
would drive light bodies into each other. What bears a weight stays upright even if it sways. What hangs together by
springs and joints is taken for the first until the step before tells which it is. Where friction does not hold, the
normal says which way it is: on a wheel that slides over an edge a force that stayed as it was would act beside the
axle, and drive it. Where a force acts goes with a body too (`contact.impulses.approach.note_drift`).
"""

from ...contact.impulses.approach import drift_with, mean_way
from ...kernel import kernel
from ...model.arrays import Hold
from ...rotation import exponential, matrix_of_quaternion
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    cross,
    dot,
    load3,
    load_angular,
    rotate,
    scale,
    store3,
    subtract,
)
from .momentum import note_travel
from .outside_work import note_even_impulse, note_kept_work

_BY_UPPER = int(Hold.UPPER)
_ZERO = (0.0, 0.0, 0.0)
_SLIGHT = 1e-4  # of a force: what it turns by in a step, at least, for it to be seen whether it does
_CLEARLY = 0.3  # of that way: how near to one of both it has to be
_SLIDES = 0.999  # of what friction can exert: all of it
_FAR = 0.05  # rad, or of the linkage's size: what stiff forces may move by in a step without wavering


@kernel
def keep_forces(model, scratch, memory, are_right):
    """Keeps the forces of contacts and axes for the next step, if it balances, and for frames."""
    contact = memory.contact
    memory.counts[0].balanced = 1 if are_right else 0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        force, moment, center = _ZERO, _ZERO, load3(block.center)
        for c in range(block.first, block.last):
            each = contact.contacts[c]
            force = add(force, load3(each.force))
            moment = add(moment, cross(subtract(load3(each.position), center), load3(each.force)))
        store3(block.force, force)
        store3(block.moment, moment)
        _note_whether_it_turned(block, memory.clock[0].h)
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
def _note_whether_it_turned(block, h):
    """Notes whether a block's force has turned in a step of `h` (s) as springs do, or kept its direction, as weight."""
    force, kept = load3(block.force), load3(block.found)
    turned = rotate(_turned(load3(block.spin), h), kept)
    way, off, off_if_turned = subtract(turned, kept), subtract(force, kept), subtract(force, turned)
    enough = _CLEARLY**2 * dot(way, way)
    if dot(way, way) > _SLIGHT**2 * dot(kept, kept) and min(dot(off, off), dot(off_if_turned, off_if_turned)) < enough:
        block.turns = 1 if dot(off_if_turned, off_if_turned) < dot(off, off) else 0


@kernel
def carried_share(model, memory, state):
    """The share of stiff forces that goes on: less than all where they turn bodies far in one step."""
    farthest, axes = 0.0, len(state.speeds)
    for k in range(axes):
        scale = 1.0 / model.size if model.is_length[k] else 1.0
        farthest = max(farthest, scale * abs(state.speeds[k] - memory.began.y[axes + k]))
    return min(1.0, _FAR / max(memory.clock[0].interval * farthest, _FAR))


@kernel
def note_turning(memory):
    """Notes how the forces of contacts turn with one of their bodies in the step that begins."""
    contact, velocity, always = memory.contact, memory.began.velocity, memory.islands.always
    for b in range(contact.counts[0].blocks):
        block, normal, share, slides = contact.blocks[b], _ZERO, 1.0, True
        for c in range(block.first, block.last):
            each = contact.contacts[c]
            n = load3(each.normal)
            normal = add_scaled(normal, dot(n, load3(each.force)), n)
            share, slides = min(share, each.share), slides and _slides(each)
        one, other = load_angular(velocity[block.body[0]]), load_angular(velocity[block.body[1]])
        tilt, tilt_of_other = cross(one, normal), cross(other, normal)
        if block.turns < 0:
            block.turns = 1 if always[block.body[0]] == always[block.body[1]] else 0
        store3(block.spin, one if dot(tilt, tilt) < dot(tilt_of_other, tilt_of_other) else other)
        if slides:
            store3(block.turn, scale(share, load3(block.turning)))
        else:
            store3(block.turn, scale(share if block.turns else 0.0, load3(block.spin)))


@kernel
def _slides(each):
    """True if friction has exerted all that it can at a contact, or nothing presses there."""
    n, force = load3(each.normal), load3(each.force)
    pressed = dot(n, force)
    rubbed = add_scaled(force, -pressed, n)
    return dot(rubbed, rubbed) >= (_SLIDES * each.friction * pressed) ** 2


@kernel
def forget_kept_forces(memory):
    """They have given nothing yet in this step."""
    for i in range(len(memory.kept)):
        for k in range(6):
            memory.kept[i, k] = 0.0


@kernel
def note_kept_forces(memory, time):
    """Adds what they give in a `time` (s)."""
    for i in range(len(memory.kept)):
        for k in range(6):
            memory.kept[i, k] += time * memory.push[i, k]
    note_kept_work(memory.outside, time)


@kernel
def leave_out_kept_forces(memory):
    """They exert nothing now."""
    for i in range(len(memory.push)):
        for k in range(6):
            memory.push[i, k] = 0.0
        memory.outside.power[i] = 0.0


@kernel
def exert_kept_forces(model, scratch, memory, time):
    """Adds the forces of contacts and axes in the step before to the wrenches and efforts of now.

    time: s, since this step's start; 0 there, and at its end once the pose has been shifted.
    """
    leave_out_kept_forces(memory)
    contact = memory.contact
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            n, f = _wrench(model, scratch, memory, block, time)
            center = _center(model, scratch, memory, block)
            for end in range(2):
                i, sign = block.body[end], -1.0 if end == 0 else 1.0
                moment = add(n, cross(subtract(center, load3(scratch.bodies[i].center)), f))
                add_to_spatial(memory.push[i], scale(sign, moment), scale(sign, f))
                if end == 0 and i < model.driven:
                    moving = scratch.bodies[i]
                    power = dot(load3(moving.angular), moment) + dot(load3(moving.linear), f)
                    memory.outside.power[block.body[1]] += power
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            scratch.bodies[i].wrench[k] += memory.push[i, k]
    for axis in range(len(memory.effort)):
        if memory.effort[axis] != 0.0:
            scratch.efforts[axis] += memory.effort[axis]


@kernel
def _wrench(model, scratch, memory, block, time):
    """(moment about its centre, force) of a block's contacts on its second body, so long (s) after the step's start."""
    contact, center, velocity = memory.contact, load3(block.center), memory.began.velocity
    turned = _turned(load3(block.turn), time)
    turned_a = _turned(load_angular(velocity[block.body[0]]), time)
    turned_b = _turned(load_angular(velocity[block.body[1]]), time)
    moment, force = _ZERO, _ZERO
    for c in range(block.first, block.last):
        each = contact.contacts[c]
        x, f, i = load3(each.position), rotate(turned, load3(each.force)), each.follows
        if i > 0:
            r = subtract(x, load3(memory.held[i]))
            way = subtract(rotate(turned_a if i == block.body[0] else turned_b, r), r)
            way = scale(each.share, add(way, _beside(model, scratch, memory, block, i)))
        else:
            way = scale(time, load3(each.drift))
        moment = add(moment, cross(add(subtract(x, center), way), f))
        force = add(force, f)
    return moment, force


@kernel
def _turned(turn, time):
    return matrix_of_quaternion(exponential(scale(time, turn)))


@kernel
def _beside(model, scratch, memory, block, i):
    """m: how far the centre of body i has come beside the mean of a block's two, since the forces were found."""
    came = subtract(load3(scratch.bodies[i].center), load3(memory.held[i]))
    return subtract(came, mean_way(model, scratch, memory.held, block.body))


@kernel
def _swing(model, scratch, memory, block, h):
    """W: how fast the moment of a block's forces changes at the end of a step of `h` (s), as their places drift."""
    swing, turned = _ZERO, _turned(load3(block.turn), h)
    for c in range(block.first, block.last):
        each = memory.contact.contacts[c]
        drift, i = load3(each.drift), each.follows
        if i > 0:
            r = subtract(load3(each.position), load3(memory.held[i]))
            r = rotate(_turned(load_angular(memory.began.velocity[i]), h), r)
            drift = drift_with(model, scratch, block.body, i, add(load3(scratch.bodies[i].center), r))
            drift = scale(each.share, drift)
        swing = add(swing, cross(drift, rotate(turned, load3(each.force))))
    return swing


@kernel
def _center(model, scratch, memory, block):
    """m: a block's centre, which moves on with the mean of both bodies."""
    return add(load3(block.center), mean_way(model, scratch, memory.held, block.body))


@kernel
def negate_forces(model, scratch, memory, h):
    """Notes the opposite of what contacts and axes have given in the step, as it is at its end."""
    contact, walk = memory.contact, memory.walk
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            walk.impulse[i, k] = -h * memory.push[i, k]
    for axis in range(len(memory.effort)):
        walk.effort[axis] = -h * memory.effort[axis]
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            n, f = _wrench(model, scratch, memory, block, h)
            swing = scale(-h, _swing(model, scratch, memory, block, h))
            impulse, turned = scale(-h, f), scale(h, swing)
            note_travel(model, scratch, memory.began, memory.momenta, block.body, impulse, turned, h)
            center = _center(model, scratch, memory, block)
            note_even_impulse(model, scratch, memory, block.body, scale(-h, n), center, impulse, swing, h)
    for i in range(len(memory.kept)):
        for k in range(6):
            contact.given[i, k] += memory.kept[i, k] - h * memory.push[i, k]


@kernel
def note_turned(contact, h):
    """Notes how far the forces of contacts have turned in a step of `h` (s)."""
    for b in range(contact.counts[0].blocks):
        store3(contact.blocks[b].turned, scale(h, load3(contact.blocks[b].turn)))
