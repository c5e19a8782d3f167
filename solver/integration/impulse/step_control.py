# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths of steps with impulses, and steps that are taken anew since a shorter one does better.

They are shorter from the start where tense springs swing, where what touches turns, and where what is near spins. What
else a step was too long for shows at its end only:
    something has met deep inside that nobody saw coming  ->  anew, up to its arrival
    two bodies have sunk into each other, or                   \\
    impulses have shifted one to where nobody has looked, or    \\
    sweeps of few blocks have found no balance, or              >  anew, in pieces half as long
    bodies have gained energy that none of them can pay, or    /
    the smooth motion is not resolved, as that of a whip      /
Steps grow again by twice from one interval to the next. One that cannot be shorter and still gains is taken anew as
plainly as there is: from no forces, by sweeps that are not led on, with nothing led apart; and once more as it was, if
that gains more. Where the shortest ones do no better, as between plates that close, they are what there is, and for a
while no others are tried. Where they do better, but not well, all are that short: where a light seat whips a heavy
rider, a whole step would shift it by twice its thickness.
"""

import math

from ...contact.impulses.approach import fastest_passing, fastest_sinking, first_unseen
from ...contact.impulses.blocks import restore_contacts
from ...contact.impulses.stiff_choice import choose_stiff_forces, fastest_swing
from ...contact.impulses.stiff_forces import keep_stiff_force
from ...dynamics.forces.parameters import update_parameters
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import kernel
from ..motion.motion import copy_anchors
from .look_ahead import may_cut
from .memory import AS_IT_IS, NO_RIDE, NOT_PLAIN, PLAIN, READY
from .sweep_until_balanced import may_balance

_SAME = 1e-6  # of a step: times that are one
_SWING = 1.0  # rad: of a tense spring's swing across itself, in a step
_TURNED_IN = 0.005  # thicknesses: that turning may let a contact sink in a step
_LEAST_SHARE = 0.05  # of a step that is taken anew, up to where something met
_MOST_PIECES, _MOST_OF_REST = 64, 16  # of an interval, where bodies move too far; and where something else is wrong
_MOST_FORESEEN = 16  # likewise, before anything has shown that so many are needed
_SHORTER = 0.6  # of a step that is taken anew: what is no longer than that is shorter
_SUNK = 0.005  # thicknesses: by how much two bodies may sink into each other in a step
_SHIFTED = 0.01  # thicknesses: by how much impulses may shift a body in a step, to where nobody has looked
_UNPAID = 2e-7  # of an island's energy: what it may gain in a step, and cannot pay
_MUCH = 1e-5  # of an island's energy: such a gain in a step that cannot be shorter
_BETTER = 0.5  # times the worst excess of longer steps: what shorter ones must come below to do better
_UNRESOLVED = 0.1  # of a speed: how far its change in the finest pieces may be from a parabola
_UNBALANCED = 2.0  # the excess of a step without balance, if it does no other harm
_SIMILAR = 4.0  # times what the shortest steps did wrong: what is let pass after they did no better
_LONGEST_WAIT = 7  # steps that are not taken anew after the shortest ones did no better


@kernel
def choose_pieces(model, scratch, memory, time):
    """Which forces are stiff in the step from this time (s) on; how long steps are."""
    clock, counts = memory.clock[0], memory.counts[0]
    update_parameters(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, memory.motion.state, scratch)  # an action may have brought new room
    choose_stiff_forces(model, scratch, memory.contact, memory.walk, memory.interval)
    swing = memory.interval * fastest_swing(model, scratch, memory.contact) / _SWING
    turned_in = memory.interval * math.sqrt(0.5 * fastest_sinking(scratch, memory.contact) / _TURNED_IN)
    passing = memory.interval * fastest_passing(scratch, memory.contact)
    foreseen = min(_MOST_FORESEEN, math.ceil(max(swing, turned_in, passing)))
    clock.interval = memory.interval / max(1.0, max(counts.pieces, foreseen))


@kernel
def keep_beginning(memory):
    """Notes where a step begins."""
    began, state, contact = memory.began, memory.motion.state, memory.contact
    for c in range(len(began.y)):
        began.y[c] = memory.motion.y[c]
    copy_anchors(state, began)
    for i in range(len(memory.held)):
        for k in range(6):
            began.given[i, k] = contact.given[i, k]
        for k in range(3):
            began.held[i, k] = memory.held[i, k]
        began.hardest[i] = contact.hardest[i]
    began.balanced[0], began.lost[0] = memory.counts[0].balanced, memory.counts[0].lost
    began.interval[0], began.fastest[0] = memory.clock[0].interval, memory.clock[0].fastest
    began.pieces[0] = memory.clock[0].pieces
    for axis in range(len(began.is_stiff)):
        began.effort[axis] = memory.effort[axis]
        began.is_stiff[axis] = memory.implicit.is_stiff[axis]
        began.servo[axis] = contact.servo[axis]
        for kind in range(4):
            began.axis_force[axis, kind] = contact.axis_force[axis, kind]
    for number in range(len(began.stiff)):
        keep_stiff_force(contact.stiff[number], began.stiff[number])


@kernel
def restore_start(memory):
    """Goes back to the pose and the speeds with which the step began."""
    for c in range(len(memory.began.y)):
        memory.motion.y[c] = memory.began.y[c]
    copy_anchors(memory.began, memory.motion.state)
    copy_anchors(memory.began, memory.trial.state)
    memory.clock[0].pieces = memory.began.pieces[0]


@kernel
def go_back(memory):
    """Goes back to where the step began, with all that was known there, as if it had not been taken."""
    clock, counts, began, contact = memory.clock[0], memory.counts[0], memory.began, memory.contact
    restore_start(memory)
    for i in range(len(memory.held)):
        for k in range(6):
            contact.given[i, k] = began.given[i, k]
        for k in range(3):
            memory.held[i, k] = began.held[i, k]
        contact.hardest[i] = began.hardest[i]
    counts.balanced, counts.lost = began.balanced[0], began.lost[0]
    clock.interval, clock.fastest, clock.time = began.interval[0], began.fastest[0], clock.began
    for axis in range(len(began.is_stiff)):
        memory.effort[axis] = began.effort[axis]
        memory.implicit.is_stiff[axis] = began.is_stiff[axis]
        contact.servo[axis] = began.servo[axis]
        for kind in range(4):
            contact.axis_force[axis, kind] = began.axis_force[axis, kind]
    for number in range(len(began.stiff)):
        keep_stiff_force(began.stiff[number], contact.stiff[number])
    restore_contacts(contact)
    while contact.counts[0].noted > 0 and contact.noted[contact.counts[0].noted - 1].time > clock.began:
        contact.counts[0].noted -= 1
    parting = memory.parting
    parting.margin[1], parting.nearest[0], parting.nearest[1] = parting.margin[0], NO_RIDE[0], NO_RIDE[1]
    counts.chosen, counts.phase = 1, READY
    counts.steps -= 1


@kernel
def goes_back_to_arrival(model, scratch, memory):
    """Goes back to the step's start where a point has met deep inside that nobody saw coming; notes when it arrived."""
    clock, counts = memory.clock[0], memory.counts[0]
    if not may_cut(model, memory):
        return False
    share = first_unseen(scratch, memory.contact, memory.began.velocity, clock.h)
    if not share < 1.0:
        return False
    restore_start(memory)
    clock.arrival = clock.began + max(share, _LEAST_SHARE) * clock.h
    clock.time, counts.chosen = clock.began, 1
    counts.steps -= 1
    return True


@kernel
def goes_back_for_shorter(memory, is_balanced, unpaid):
    """Goes back to the step's start where shorter steps are to be tried.

    unpaid: what an island has gained and cannot pay, as a part of its energy.
    """
    clock, counts, interval = memory.clock[0], memory.counts[0], memory.interval
    if counts.plain == AS_IT_IS or (counts.plain == PLAIN and unpaid < clock.gained):
        counts.plain = NOT_PLAIN
        return False
    if counts.plain == PLAIN:
        _take_anew(memory, AS_IT_IS)
        return True
    moved = _moved(memory)
    excess, is_pressed = _excess(memory, moved, is_balanced, unpaid), _is_pressed_in(memory.contact)
    if counts.unhelped > 0 and excess < math.inf and (is_pressed or excess <= _SIMILAR * clock.forgiven):
        if _goes_back_to_be_plain(memory, unpaid):
            return True
        counts.unhelped -= 1
        return False
    if excess <= 1.0:
        _grow(clock, counts, interval)
        return False
    is_motion = excess == math.inf or not moved <= 1.0
    pieces, most = max(2, 2 * counts.pieces), _MOST_PIECES if is_motion and not is_pressed else _MOST_OF_REST
    while interval > _SHORTER * pieces * clock.h and pieces <= most:
        pieces *= 2
    if pieces > most:
        counts.pieces = min(counts.pieces, most)
        if _goes_back_to_be_plain(memory, unpaid):
            return True
        if counts.pieces == most and not excess < _BETTER * clock.worst:
            counts.wait = min(_LONGEST_WAIT, 2 * counts.wait + 1)
            counts.unhelped, counts.pieces, clock.worst, clock.forgiven = counts.wait, 0, 0.0, excess
        return False
    go_back(memory)
    counts.retaken += 1
    counts.pieces, clock.interval, clock.worst = pieces, interval / pieces, max(clock.worst, excess)
    return True


@kernel
def _is_pressed_in(contact):
    """True where driven bodies may leave something no room, which no step is short enough for."""
    found = False
    for b in range(contact.counts[0].blocks):
        found = found or contact.blocks[b].pressed_in == 1
    return found


@kernel
def _goes_back_to_be_plain(memory, unpaid):
    """Goes back to the step's start if it has gained too much to let pass, however short it is."""
    if unpaid <= _MUCH:
        return False
    memory.clock[0].gained = unpaid
    _take_anew(memory, PLAIN)
    memory.counts[0].balanced = 0
    return True


@kernel
def _take_anew(memory, plain):
    go_back(memory)
    memory.counts[0].retaken += 1
    memory.counts[0].plain = plain


@kernel
def _moved(memory):
    """The excess of the motion in a step, of bodies by impulses and into each other, and as it is resolved."""
    clock = memory.clock[0]
    return max(clock.shifted / _SHIFTED, _sunk(memory.contact) / _SUNK, clock.unresolved / _UNRESOLVED)


@kernel
def _excess(memory, moved, is_balanced, unpaid):
    """The excess of a step over what is let pass, as a ratio; infinite where that is no number."""
    if not unpaid < math.inf:
        return math.inf
    unbalanced = 0.0 if is_balanced or not may_balance(memory.contact) else _UNBALANCED
    return max(unbalanced, max(unpaid / _UNPAID, moved))


@kernel
def _grow(clock, counts, interval):
    """Lets steps grow by twice from the next interval on, if this is the end of one."""
    end = (math.floor(clock.began / interval + _SAME) + 1.0) * interval
    if clock.time >= end - _SAME * interval:
        counts.pieces //= 2
        counts.wait //= 2
        if counts.pieces == 0:
            clock.worst = 0.0


@kernel
def _sunk(contact):
    """By how much, at most, two bodies have sunk into each other in the step, as a part of a thickness."""
    most = 0.0
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        deepest = _deepest(contact, contact.contacts, block)
        if deepest > most + _SUNK:
            most = max(most, deepest - _deepest_before(contact, block))
    return most


@kernel
def _deepest(contact, contacts, block):
    deepest = 0.0
    for c in range(block.first, block.last):
        each = contacts[c]
        thickness = min(contact.thickness[each.part[0]], contact.thickness[each.part[1]])
        deepest = max(deepest, -each.gap / thickness)
    return deepest


@kernel
def _deepest_before(contact, block):
    deepest = 0.0
    for b in range(contact.counts[0].blocks_before):
        before = contact.blocks_before[b]
        if before.body[0] == block.body[0] and before.body[1] == block.body[1] and before.last > before.first:
            deepest = max(deepest, _deepest(contact, contact.before, before))
    return deepest
