# SPDX-License-Identifier: GPL-3.0-or-later
"""Phases 3 and 4 of a step: what impulses contacts and joints exert where the smooth motion has led, and the shift."""

from ...contact.impulses.approach import (
    exchange_velocities,
    let_close,
    note_approach,
    note_drift,
    note_drive,
    note_turning_normals,
    shift_gaps,
)
from ...contact.impulses.blocks import build_blocks
from ...contact.impulses.gauss_seidel import shorten_impulses, warm_start, write_forces
from ...contact.impulses.impacts import BESIDE, solve_impacts
from ...contact.impulses.propagation import begin_propagation, update_omega
from ...contact.impulses.rows import block_swing, block_wrench
from ...contact.impulses.stiff_forces import negate_stiff_forces, soften, write_stiff_forces
from ...contact.impulses.stribeck import choose_friction, choose_support_friction
from ...contact.impulses.totals import add_to_tally, forget_blows, note_events
from ...contact.impulses.work import begin_from_nothing, best_share, find_work, note_motion
from ...control.balance import mark_feet
from ...dynamics.tree.kinematics import update_kinematics
from ...evaluation.energy import kinetic_energy
from ...kernel import kernel
from ...spatial import load3, load_linear, scale, store3
from .arrival import make_ready
from .detachment import begin_blows, is_lifted
from .energy_bound import note_room
from .implicit import push_stiff
from .kept_forces import carried_share, keep_forces, negate_forces, note_turned
from .look_ahead import SLOW, mark_speculative, may_cut
from .memory import AHEAD, NEAR, PLAIN
from .momentum import forget_travel, note_travel
from .move_on import move_on
from .outside_work import keep_given
from .rebounds import mark_speculative_limits, rebound
from .sweep_until_balanced import jump, meet_closures, sweep_out

_ROUNDS_OF_LOOPS = 20  # of impacts, in each of which loops are closed
_KEPT_IN_JAMS = 0.5  # of forces that grow with each sweep


@kernel
def finish_step(model, scratch, memory, tolerance):
    """From the smooth motion to the real one: impulses, the pose that they shift, and overlaps.

    Returns whether what acts all along the step is in balance, and what an island has gained and cannot pay, as a part
    of its energy; how far impulses have shifted a body is in `memory.clock`.
    """
    contact, clock, state = memory.contact, memory.clock[0], memory.trial.state
    h, interval = clock.h, clock.interval
    make_ready(model, scratch, memory)
    _free_from_kept_forces(model, scratch, memory, state, tolerance)
    _build_rows(model, scratch, memory, state)
    goes_on, is_balanced, is_jammed = _solve(model, scratch, memory, state, tolerance)
    add_to_tally(scratch, contact, clock.time)
    _note_travel_of_impulses(model, scratch, memory, h)
    if goes_on:
        write_forces(contact, h, interval, _KEPT_IN_JAMS if is_jammed else 1.0, memory.counts[0].balanced)
        write_stiff_forces(contact, h, interval, carried_share(model, memory, state))
        keep_forces(model, scratch, memory, is_balanced)
    unpaid = move_on(model, scratch, memory, tolerance)
    return is_balanced or not goes_on, unpaid


@kernel
def _free_from_kept_forces(model, scratch, memory, state, tolerance):
    """Takes back what the forces of the step before have given in this one, where the points are of its end."""
    contact, walk, h = memory.contact, memory.walk, memory.clock[0].h
    begin_propagation(model, scratch, walk)
    forget_travel(memory.momenta)
    if memory.counts[0].balanced:
        negate_forces(model, scratch, memory, h)
    note_turned(contact, h)
    negate_stiff_forces(model, scratch, contact, walk, h)
    update_omega(model, scratch, walk)
    for k in range(len(memory.shift)):
        memory.shift[k] = 0.0
    push_stiff(model, scratch, memory.implicit, walk, state, h)
    shift_gaps(scratch, contact.points, contact.counts[0].points, -0.5 * h)
    exchange_velocities(scratch, memory.pushed, True)
    jump(model, state, scratch, memory, 1.0)
    meet_closures(model, scratch, memory, state, tolerance, 1.0)
    shift_gaps(scratch, contact.points, contact.counts[0].points, 0.5 * h)


@kernel
def _build_rows(model, scratch, memory, state):
    """Contacts, blocks and rows from the points, with what drives them together."""
    contact, clock = memory.contact, memory.clock[0]
    h, interval = clock.h, clock.interval
    for i in range(len(model.bodies)):
        store3(memory.held[i], load3(scratch.bodies[i].center))
    build_blocks(model, state, scratch, memory.walk, contact, memory.shift, h, interval, NEAR, AHEAD * interval)
    choose_friction(scratch, contact, memory.began.velocity, memory.began.y[len(memory.shift) :], h)
    note_room(model, scratch, contact, memory.islands)
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0
    note_approach(scratch, contact, h)
    exchange_velocities(scratch, memory.pushed, False)
    note_drift(model, scratch, contact, memory.began.held, h)
    note_turning_normals(scratch, contact, h)
    soften(model, scratch, contact, h, interval)
    choose_support_friction(model, scratch, contact, memory.began.velocity)
    exchange_velocities(scratch, memory.pushed, False)
    mark_feet(model, scratch, contact, memory.steering)
    note_drive(scratch, contact, memory.began.velocity, interval / h)


@kernel
def _solve(model, scratch, memory, state, tolerance):
    """Impulses by a warm start; by none where these would add energy, or where the step is to be plain.

    Returns as `_find_impulses` does.
    """
    contact, h = memory.contact, memory.clock[0].h
    _keep_free_motion(memory, state)
    is_plain, goes_on, is_balanced, is_jammed = memory.counts[0].plain == PLAIN, True, False, False
    if not is_plain:
        goes_on, is_balanced, is_jammed = _find_impulses(model, scratch, memory, state, tolerance, True)
    if is_plain or (goes_on and find_work(scratch, contact, contact.impulse)[0] > 0.0):
        if not is_plain:
            _return_to_free_motion(model, scratch, memory, state)
        goes_on, _balanced, is_jammed = _find_impulses(model, scratch, memory, state, tolerance, False)
        is_balanced = False
        if goes_on:
            shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, -0.5 * h)
            _take_best_share(model, scratch, memory, state, tolerance, contact.impulse, 1.0)
            shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, 0.5 * h)
    return goes_on, is_balanced, is_jammed


@kernel
def _note_travel_of_impulses(model, scratch, memory, h):
    contact = memory.contact
    for b in range(contact.counts[0].blocks):
        block = contact.blocks[b]
        if block.last > block.first:
            impulse = load_linear(block_wrench(contact, block, contact.impulse))
            turned = scale(h, block_swing(contact, block))
            note_travel(model, scratch, memory.began, memory.momenta, block.body, impulse, turned, h)


@kernel
def _find_impulses(model, scratch, memory, state, tolerance, is_warm):
    """Impacts, then what acts all along the step, from the impulses of the step before or from none.

    Returns whether the step goes on, or a blow lifts a rider off; whether all is in balance; whether nothing can be.
    """
    contact, clock = memory.contact, memory.clock[0]
    h, interval, p = clock.h, clock.interval, contact.impulse
    note_motion(scratch, contact, contact.block_given, -1.0, True)
    if is_warm:
        shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, -0.5 * h)
        warm_start(model, scratch, memory.walk, contact, h)
        jump(model, state, scratch, memory, 1.0)
        meet_closures(model, scratch, memory, state, tolerance, 1.0)
        note_motion(scratch, contact, contact.block_given, 1.0, False)
        let_close(contact, interval + 0.5 * h)
        _take_best_share(model, scratch, memory, state, tolerance, p, 1.0)
        note_drive(scratch, contact, memory.began.velocity, interval / h)
        shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, 0.5 * h)
    else:
        begin_from_nothing(contact, p)
        note_motion(scratch, contact, contact.block_given, 1.0, False)
    slow = SLOW * clock.gravity * interval
    soon = 0.0 if may_cut(model, memory) else interval
    begin_blows(model.rides, model, scratch, memory, state)
    rebound(model, scratch, memory, state, tolerance, slow, soon)
    if not _bounce(model, scratch, memory, state, tolerance, slow, soon):
        _end_impacts(model, scratch, memory, state, tolerance, soon)
    if is_lifted(model.rides, model, scratch, memory, state):
        forget_blows(contact)
        return False, False, False
    mark_speculative(model, scratch, memory)
    mark_speculative_limits(model, scratch, memory, state)
    note_motion(scratch, contact, contact.block_given, -1.0, False)
    shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, -0.5 * h)  # as they were if nothing moved
    let_close(contact, interval + 0.5 * h)
    is_done, is_jammed = sweep_out(model, scratch, memory, p, state, tolerance, 1.0, is_warm)
    shift_gaps(scratch, contact.contacts, contact.counts[0].contacts, 0.5 * h)
    note_motion(scratch, contact, contact.block_given, 1.0, False)
    return True, is_done, is_jammed


@kernel
def _take_best_share(model, scratch, memory, state, tolerance, p, share):
    """Shortens impulses that would add energy to those that take the most; `share` of them shifts the pose."""
    contact, given = memory.contact, memory.contact.block_given
    best = best_share(*find_work(scratch, contact, p))
    if best < 1.0:
        begin_propagation(model, scratch, memory.walk)
        shorten_impulses(model, scratch, memory.walk, contact, p, best)
        jump(model, state, scratch, memory, share)
        meet_closures(model, scratch, memory, state, tolerance, share)
        for b in range(contact.counts[0].blocks):
            for k in range(6):
                given[b, k] *= best


@kernel
def _keep_free_motion(memory, state):
    for k in range(len(state.speeds)):
        memory.free[0, k], memory.free[1, k] = state.speeds[k], memory.shift[k]
    keep_given(memory.outside, True)


@kernel
def _return_to_free_motion(model, scratch, memory, state):
    """As if no impulses had been found yet."""
    h = memory.clock[0].h
    shift_gaps(scratch, memory.contact.contacts, memory.contact.counts[0].contacts, -0.5 * h)
    for k in range(len(state.speeds)):
        state.speeds[k], memory.shift[k] = memory.free[0, k], memory.free[1, k]
    keep_given(memory.outside, False)
    update_kinematics(model, state, scratch)
    shift_gaps(scratch, memory.contact.contacts, memory.contact.counts[0].contacts, 0.5 * h)
    forget_blows(memory.contact)


@kernel
def _bounce(model, scratch, memory, state, tolerance, slow, soon):
    """Impacts, until none is left; False if some are. Closures hold in between: what they pull on may strike anew."""
    for _ in range(_ROUNDS_OF_LOOPS):
        begin_propagation(model, scratch, memory.walk)
        is_over = solve_impacts(model, scratch, memory.walk, memory.contact, slow, soon, memory.clock[0].interval)
        jump(model, state, scratch, memory, 0.0)
        if memory.contact.counts[0].impacts == 0:
            return True
        is_held = meet_closures(model, scratch, memory, state, tolerance, 0.0)
        if not is_over or not is_held:
            return is_over
    return False


@kernel
def _end_impacts(model, scratch, memory, state, tolerance, soon):
    """All impacts that are left, at once and without restitution; `soon` (s) as in `solve_impacts`."""
    contact, before = memory.contact, kinetic_energy(model, state, scratch)
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        each.closing = max(0.0, each.gap) / memory.clock[0].interval
        if each.gap <= BESIDE * each.extent and soon == 0.0:
            each.closing = 0.0
    for row in range(contact.counts[0].rows):
        contact.event[row] = 0.0
    mark_speculative(model, scratch, memory)
    contact.counts[0].silent = 1
    sweep_out(model, scratch, memory, contact.event, state, tolerance, 0.0, True)
    contact.counts[0].silent = 0
    lost = before - kinetic_energy(model, state, scratch)
    note_events(contact, max(0.0, lost) if contact.counts[0].bounces else 0.0)
