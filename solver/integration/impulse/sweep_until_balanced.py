# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps over all that pushes in a step, until they change nothing.

In between, closures take back what sweeps have done to them. Where sweeps are slow they are led on; where nothing can
balance, as between plates that close, impulses would grow with each of them, and led on without end.
"""

import math

from ...contact.impulses.gauss_seidel import anderson_accelerate, begin_sweeps, restart, sweep, undo_acceleration
from ...contact.impulses.propagation import begin_propagation, settle_impulses
from ...dynamics.loops.drift import hold_closed
from ...dynamics.loops.methods import has_closures, update_closures
from ...dynamics.tree.driven import driven_bodies_move
from ...kernel import kernel, kernel_by_class
from ...model.arrays import Hold
from .balancing import balance_at_once
from .detachment import note_blows, note_closing
from .outside_work import note_impulses_given

_BY_MOTOR = int(Hold.MOTOR)
MOST_VISITS = 4000  # of blocks, in the sweeps of a step
_EXACT = 1e-5  # of what gravity does to a speed in a step: a change that ends the sweeps,
_EXACT_AT_REST = 1e-7  # likewise, where sweeps are not led on: what bends slowly shows so little in a single one
_EXACT_IN_MOTION = 1e-5  # of the largest speed of a body, which also does
_EXACT_BLOWS = 1e-3  # times as much: of impacts, which no later step puts right
_LEAST_SWEEPS, _MOST_SWEEPS = 10, 200
_SIMPLE_SWEEPS = 2  # before they are led on,
_LAST_SWEEPS = 4  # and at the end of what finds no balance
_BEFORE_AT_ONCE = 30  # sweeps, after which islands that are not in balance are solved at once
_ASTRAY = 1.5  # times the least change so far
_LED = 0.01  # of what is enough, where sweeps were led on: what hardly changes may still be far from balance
_PROGRESS = 0.8  # of it: a change that counts as less
_PATIENCE = 60  # sweeps without one, after which more would not help,
_PATIENCE_IN_JAMS = 20  # or would do harm, where there may be nothing that balances
_ENOUGH_TO_LEAD = 20  # sweeps: where visits allow fewer, leading them on costs more than it saves
_NEARLY = 0.03  # of what gravity does to a speed in a step: a change with which forces are better than none
_JAMMED = 0.1  # of what gravity does to a speed in a step: changes that grow no smaller
_SWEEPS_IN_JAMS = 10


@kernel
def may_balance(contact):
    """True if so few blocks touch that sweeps may go on until they balance; else the next steps do what is left."""
    return _ENOUGH_TO_LEAD * contact.counts[0].blocks <= MOST_VISITS


@kernel
def jump(model, state, scratch, memory, share):
    """Changes all speeds by the impulses so far; `share` of it has shifted the pose."""
    if share == 0.0:
        note_blows(model.rides, model, memory)
    note_impulses_given(model, scratch, memory.outside, memory.walk.impulse)
    settle_impulses(model, scratch, memory.walk)
    for k in range(len(state.speeds)):
        state.speeds[k] += scratch.accelerations[k]
        memory.shift[k] += share * scratch.accelerations[k]
    for i in range(model.driven, len(model.bodies)):
        moving, change = scratch.bodies[i], memory.walk.velocity[i]
        for k in range(3):
            moving.angular[k] += change[k]
            moving.linear[k] += change[3 + k]


@kernel
def sweep_out(model, scratch, memory, p, state, tolerance, share, may_lead):
    """Sweeps over the impulses p until they change nothing, those of closures in between.

    share: 1 for what acts all along the step, 0 for what jumps; may_lead: whether slow sweeps are led on. Returns
    whether they have come to that, and whether they come no nearer to it, since nothing can balance: between plates
    that close, say.
    """
    contact, walk, clock, is_done = memory.contact, memory.walk, memory.clock[0], False
    interval = clock.interval
    if contact.counts[0].blocks == 0:
        return True, False
    falling, moving = clock.gravity * interval, _EXACT_IN_MOTION * clock.speed
    enough, at_once = _EXACT * falling + moving, _EXACT_AT_REST * falling + moving
    if share == 0.0:
        enough, at_once = _EXACT_BLOWS * enough, _EXACT_BLOWS * at_once
    begin_propagation(model, scratch, walk)
    begin_sweeps(contact, p)
    least, latest, turn, simple, is_led, was_led = math.inf, 0, 0, _SIMPLE_SWEEPS, False, False
    may_jam = _may_jam(model, scratch, contact)
    patience = _PATIENCE_IN_JAMS if may_jam else _PATIENCE
    most = max(_LEAST_SWEEPS, min(_MOST_SWEEPS, MOST_VISITS // contact.counts[0].blocks))
    leads = may_lead and may_balance(contact)
    while turn < most:
        change = sweep(model, scratch, walk, contact, p, enough, turn % 2 == 1 and turn < _SIMPLE_SWEEPS)
        if meet_closures(model, scratch, memory, state, tolerance, share):
            begin_propagation(model, scratch, walk)
        if change <= (_LED * enough if was_led else at_once):
            is_done = True
            break
        if change < _PROGRESS * least:
            least, latest = change, turn
        is_done = is_done or change <= enough
        if turn == latest + patience:
            most = min(most, turn + 1 + _LAST_SWEEPS)
        is_astray, is_led = is_led and change > _ASTRAY * least, False
        if is_astray:
            undo_acceleration(model, scratch, walk, contact, p)
            simple = turn + _SIMPLE_SWEEPS
        elif turn == _BEFORE_AT_ONCE and may_lead:
            jump(model, state, scratch, memory, share)
            balance_at_once(model, scratch, memory, p, enough, may_jam)
            jump(model, state, scratch, memory, share)
            meet_closures(model, scratch, memory, state, tolerance, share)
            begin_propagation(model, scratch, walk)
            memory.contact.mixed[0] = -1
            simple, least, latest, was_led = turn + _SIMPLE_SWEEPS, math.inf, turn, False
        elif simple <= turn < most - _LAST_SWEEPS and leads:
            anderson_accelerate(model, scratch, walk, contact, p)
            is_led = was_led = True
        if is_astray or is_led:
            jump(model, state, scratch, memory, share)
            begin_propagation(model, scratch, walk)
        turn += 1
    jump(model, state, scratch, memory, share)
    is_jammed = may_jam and was_led and not is_done and least > _JAMMED * clock.gravity * interval
    if is_jammed:
        _sweep_anew(model, scratch, memory, p, state, tolerance, share, enough)
    return is_done or least <= _NEARLY * clock.gravity * interval, is_jammed


@kernel
def _sweep_anew(model, scratch, memory, p, state, tolerance, share, enough):
    """A few sweeps from the start, where nothing can balance: each adds to the impulses, leading on multiplies them."""
    contact, walk = memory.contact, memory.walk
    begin_propagation(model, scratch, walk)
    restart(model, scratch, walk, contact, p)
    jump(model, state, scratch, memory, share)
    begin_propagation(model, scratch, walk)
    for turn in range(_SWEEPS_IN_JAMS):
        sweep(model, scratch, walk, contact, p, enough, turn % 2 == 1)
        if meet_closures(model, scratch, memory, state, tolerance, share):
            begin_propagation(model, scratch, walk)
    jump(model, state, scratch, memory, share)


@kernel
def _may_if_driven(model, scratch, contact):
    """Only if a driven body moves, or a motor without maximum: else to stand still is a balance, however far off."""
    for x in range(contact.counts[0].axis_rows):
        if contact.axis_rows[x].kind == _BY_MOTOR and contact.axis_rows[x].high == math.inf:
            return True
    return driven_bodies_move(model, scratch)


@kernel
def _may_by_closures(model, scratch, contact):
    """True: bodies that closures lead along may move too."""
    return True


_may_jam = kernel_by_class(lambda model: _may_by_closures if has_closures(model) else _may_if_driven)


@kernel
def _meet(model, scratch, memory, state, tolerance, share):
    """Puts right, by impulses of closures, what a sweep has done to them; True: the walk must begin anew."""
    jump(model, state, scratch, memory, share)
    for k in range(len(state.speeds)):
        memory.shift[k] -= share * state.speeds[k]
    update_closures(model, state, scratch)
    if share == 0.0:
        note_closing(model.rides, model, scratch, memory)
    hold_closed(model, state, scratch, tolerance.drift)
    for k in range(len(state.speeds)):
        memory.shift[k] += share * state.speeds[k]
    return True


@kernel
def _need_not(model, scratch, memory, state, tolerance, share):
    return False


meet_closures = kernel_by_class(lambda model: _meet if has_closures(model) else _need_not)
