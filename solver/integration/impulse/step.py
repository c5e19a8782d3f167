# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed steps with impulses: for linkages that touch things.

A step from t to t + h:
    1. moves as smooth forces will have it, by Runge-Kutta of order 4; what contacts, limits, friction and motors
       exerted in the step before goes on, evenly (`push`);
    2. finds the points of contact there (`contact.detection.ground`, `contact.detection.collision`);
    3. takes those impulses back and asks anew what they must be: impacts first (`contact.impulses.impacts`), which
       jump; then what pushes from now on (`contact.impulses.impulses`), which changes the pose by h/2 times the speeds
       that it gives, as even forces would;
    4. leads overlaps that are left apart, which gives no speed.
Closures are held after each of these, before the next one looks at speeds or gaps.
At rest the impulses of the step before are the right ones: nothing moves, whatever h. Where something is about to
bounce, the step ends there: heights of bounces do not depend on h.

Stiff springs and dampers of joints act with what they will be at the step's end (`implicit`), so that no h is too long
for them.
"""

import math

from ...contact.detection.ground import touch_ground
from ...contact.impulses.approach import leave_out_behind, point_rate, predict_impacts
from ...contact.impulses.blocks import build_blocks
from ...contact.impulses.propagation import update_omega
from ...contact.impulses.stiff_choice import choose_stiff_forces
from ...contact.impulses.stiff_forces import exert_stiff_forces, foresee_pulls, leave_out_stiff_forces
from ...contact.impulses.totals import hand_over, has_room, note_overlaps
from ...contact.impulses.workspace import TOUCH
from ...control.balance import add_torques, steer, write_wrenches
from ...dynamics.tree.surface_joints import KNOCKED_OFF, fastest_turning, has_rides, leave_poles, put_ride_changes
from ...evaluation.energy import kinetic_energy
from ...evaluation.forward_dynamics import solve_rates, update_forces
from ...kernel import call_back, entry, kernel
from ...model.arrays import Model, Scratch
from ...spatial import add, cross, dot, load3, load_angular, load_linear, subtract
from ..motion.motion import Status, Tolerance, copy_anchors, is_finite, recenter
from ..motion.observation import Frames, write_frame
from .detachment import is_over, note_margin
from .energy_bound import note_energy, note_gains
from .implicit import choose_stiff, hold_stiff, leave_out_stiff
from .loop_steps import CREEPS, FINER, FINEST, end_creeping, is_rough, leave_out_bends
from .memory import AHEAD, DEAD_CUT, MOVED, NEAR, READY, START, ImpulseArrays
from .momentum import add_impulses, note_momenta, restore_momenta, slide_moments
from .outside_work import begin_outside_work, forget_given, note_forces_given
from .step_control import begin_anew, choose_pieces, goes_back_for_shorter, goes_back_to_arrival, keep_beginning
from .step_ending import SLOW, finish_step, mark_speculative

_DONE, _PAUSED, _NOT_FINITE = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE)
_STOPPED, _NEEDS_ROOM, _OPEN = int(Status.STOPPED), int(Status.NEEDS_ROOM), int(Status.OPEN)
_SWITCHED = int(Status.SWITCHED)
_BEHIND = 1e-12
_SAME = 1e-6  # of a step: times that are one
_TURN = 0.1  # rad: that Runge-Kutta takes at once, or free spin gains or loses energy, with its fifth power
_MOST_PIECES = 48.0
_DRIVEN_OFF = 10.0  # times the energy of motion and of falling in a step: what forces that balance do not lead to
_BEND = 3e-3  # of a speed: what its change in a piece may differ by from that of a parabola
_STILL = 1e-5  # of what gravity does to a speed in a piece: a speed that is none, whose changes are rounding
_SMOOTH, _ROUGH, _COARSE = range(3)  # Runge-Kutta steps
_WAITS = 4  # steps in which closures may stay open: what a blow has pulled apart comes together again
_LEAST_GRAVITY = 1e-3  # m/s2

_FRAME, _START_OF_STEP, _ON_THE_WAY, _CREEPING = range(4)  # purposes of an evaluation


@entry
def advance_steps(
    model: Model,
    scratch: Scratch,
    memory: ImpulseArrays,
    find,
    tolerance: Tolerance,
    stop,
    until,
    frame_times,
    frame,
    frames: Frames,
    limit,
):
    """Steps on, up to a number of evaluations in all; returns (status, number of the next frame).

    find: the handle of a Callback that writes the points between bodies, at the poses in scratch.bodies and with gaps
    below memory.reach, as the first ones of memory.contact.points, and returns their number. Status NEEDS_ROOM asks for
    a longer array, STOPPED tells that `find` has failed, SWITCHED that a ride has ended within the last step.
    """
    clock, counts, points = memory.clock[0], memory.counts[0], memory.contact.points
    while True:
        if counts.phase == START:
            _evaluate(model, scratch, memory, clock.time, memory.motion.state, memory.stages[0], _FRAME)
            _look_ahead(model, scratch, memory)
        if counts.phase != READY:
            found = call_back(find, 0) if memory.has_pairs else 0
            if found < 0:
                return _STOPPED, frame
            if memory.has_ground and found <= len(points):
                found = touch_ground(memory.shapes, scratch.bodies, memory.height, memory.reach, points, found)
            if found > len(points):
                return _NEEDS_ROOM, frame
            memory.contact.counts[0].points = found
            if counts.phase == MOVED:
                leave_out_behind(scratch, memory.contact, memory.began.velocity, clock.h)
            if counts.phase == START:
                _begin(model, scratch, memory)
            elif goes_back_to_arrival(model, scratch, memory):
                _flow(model, scratch, memory, tolerance, clock.arrival)
                continue
            else:
                is_balanced, unpaid = finish_step(model, scratch, memory, tolerance)
                end = clock.time
                if goes_back_for_shorter(memory, is_balanced, unpaid):
                    _flow(model, scratch, memory, tolerance, end)
                    counts.phase = MOVED
                    continue
                note_overlaps(memory.contact, end)
                note_gains(memory.islands, end)
                if not is_finite(memory.motion.y):
                    return _NOT_FINITE, frame
                if counts.lost > _WAITS:
                    return _OPEN, frame
                counts.phase = READY
                look_at_rides(model, scratch, memory, 0.0)
                if is_over(model.rides, memory.parting):
                    return _SWITCHED, frame
                if counts.steps == 1 and frame > 0 and frame_times[0] == clock.began:
                    _write_start(model, scratch, memory, frames)
            counts.phase = READY
        while frame < len(frame_times) and frame_times[frame] <= min(clock.time, until):
            _evaluate(model, scratch, memory, clock.time, memory.motion.state, memory.stages[0], _FRAME)
            write_frame(model, memory.motion.state, scratch, frames, frame)
            write_wrenches(memory.contact, memory.steering, frames.balance[frame])
            hand_over(memory.contact, frames, frame)
            frame += 1
        if clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit or not has_room(memory.contact):
            return _PAUSED, frame
        goal = stop if frame >= len(frame_times) else min(stop, frame_times[frame])
        _flow(model, scratch, memory, tolerance, goal)
        counts.phase = MOVED


@kernel
def _write_start(model, scratch, memory, frames):
    """Writes the first frame anew: what contacts and axes exert there is not known before the first step."""
    trial = memory.trial
    for c in range(len(trial.y)):
        trial.y[c] = memory.began.y[c]
    copy_anchors(memory.began, trial.state)
    _evaluate(model, scratch, memory, memory.clock[0].began, trial.state, memory.stages[0], _FRAME)
    write_frame(model, trial.state, scratch, frames, 0)


@kernel
def look_at_rides(model, scratch, memory, behind):
    """Notes how far the rides are from their ends, just `behind` (s) the time; a blow has ended one already."""
    if has_rides(model.rides) and memory.parting.nearest[1] != KNOCKED_OFF:
        state, time = memory.motion.state, memory.clock[0].time + behind
        _evaluate(model, scratch, memory, time, state, memory.stages[0], _FRAME)
        note_margin(model.rides, model, state, scratch, memory.parting)


@kernel
def _evaluate(model, scratch, memory, time, state, rates, purpose):
    """One evaluation of the motion, with the forces of contacts and axes from the last step.

    purpose: for a FRAME, with all efforts as they are there; for the START of a step; or ON_THE_WAY, where bodies that
    slide on each other still meet in one point; or CREEPING, straight along the closures. A step starts from no forces
    that do not balance yet.
    """
    contact = memory.contact
    leave_out_stiff_forces(scratch, contact, purpose == _FRAME)
    update_forces(model, time, state, scratch)
    exert_stiff_forces(model, scratch, contact, purpose == _FRAME)
    leave_out_stiff(model, scratch, memory.implicit, contact, state, purpose == _FRAME)
    if purpose == _FRAME or purpose == _START_OF_STEP:
        steer(model, scratch, contact, memory.steering)
    add_torques(scratch, memory.steering)
    if purpose == _FRAME or memory.counts[0].balanced:
        for i in range(model.driven, len(model.bodies)):
            for k in range(6):
                scratch.bodies[i].wrench[k] += memory.push[i, k]
        for axis in range(len(memory.effort)):
            if memory.effort[axis] != 0.0:
                scratch.efforts[axis] += memory.effort[axis]
        if purpose == _ON_THE_WAY or purpose == _CREEPING:
            _add_slides(model, scratch, memory, time - memory.clock[0].time)
    if purpose == _CREEPING:
        leave_out_bends(model, scratch)
    solve_rates(model, state, scratch, rates)
    memory.counts[0].evaluations += 1


@kernel
def _add_slides(model, scratch, memory, time):
    for b in range(memory.contact.counts[0].blocks):
        block = memory.contact.blocks[b]
        moments = slide_moments(model, scratch, memory.began.center, block, time)
        for end in range(2):
            if block.body[end] >= model.driven:
                for k in range(3):
                    scratch.bodies[block.body[end]].wrench[k] += moments[end][k]


@kernel
def _begin(model, scratch, memory):
    """Looks for what is about to be met at the very start, for the first step."""
    memory.clock[0].h = memory.clock[0].interval = memory.interval
    update_omega(model, scratch, memory.walk)
    choose_stiff_forces(model, scratch, memory.contact, memory.walk, memory.interval)
    h = memory.interval
    for k in range(len(memory.shift)):
        memory.shift[k] = 0.0
    state, contact = memory.motion.state, memory.contact
    build_blocks(model, state, scratch, memory.walk, contact, memory.shift, h, h, NEAR, AHEAD * h)
    mark_speculative(model, scratch, memory)
    for c in range(memory.contact.counts[0].contacts):
        each = memory.contact.contacts[c]
        if each.gap <= TOUCH * each.size and each.rate < -SLOW * memory.clock[0].gravity * h:
            each.is_speculative = 1  # and arrives at once


@kernel
def _look_ahead(model, scratch, memory):
    """Reaches in which to look for points: as far as each body may come in the next steps."""
    fastest, gravity, small, h = 0.0, 0.0, math.inf, memory.interval
    p, first = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies)
    for k in range(len(memory.contact.size)):
        small = min(small, memory.contact.size[k])
    foresee_pulls(model, scratch, memory.contact, h)
    predict_impacts(model, scratch, memory.contact, memory.contact.contacts, memory.contact.counts[0].contacts, h)
    for i in range(len(model.bodies)):
        moving, k = scratch.bodies[i], first + 3 * i
        spin, v = load3(moving.angular), load3(moving.linear)
        speed = math.sqrt(dot(v, v)) + memory.contact.reach[i] * math.sqrt(dot(spin, spin))
        falling = math.sqrt(p[k] ** 2 + p[k + 1] ** 2 + p[k + 2] ** 2)
        gained = max(falling * h, _change_of_speed(memory, i, spin, v))
        memory.reach[i] = AHEAD * h * (speed + gained) + NEAR * small + memory.contact.blow[i]
        fastest, gravity = max(fastest, speed), max(gravity, falling)
    memory.clock[0].gravity, memory.clock[0].speed = max(gravity, _LEAST_GRAVITY), fastest


@kernel
def _change_of_speed(memory, i, spin, v):
    """m/s: of any point of a body, since the step began."""
    began = memory.began.velocity[i]
    turn, way = subtract(spin, load_angular(began)), subtract(v, load_linear(began))
    return math.sqrt(dot(way, way)) + memory.contact.reach[i] * math.sqrt(dot(turn, turn))


@kernel
def _flow(model, scratch, memory, tolerance, goal):
    """Moves to the step's end as if nothing were met: classical Runge-Kutta. Kinematics are those of its end."""
    clock, stages, state, trial = memory.clock[0], memory.stages, memory.motion.state, memory.trial.state
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    leave_poles(model.rides, model, state)
    copy_anchors(state, trial)
    t = clock.time
    memory.parting.margin[0] = memory.parting.margin[1]
    behind = _BEHIND * max(1.0, abs(t))
    if not memory.counts[0].chosen:
        choose_pieces(model, scratch, memory, t + behind)
    memory.counts[0].chosen = 0
    keep_beginning(memory)
    _evaluate(model, scratch, memory, t + behind, state, stages[0], _START_OF_STEP)
    note_energy(model, state, scratch, memory.islands)
    begin_outside_work(model, scratch, memory.outside)
    if _find_stiff(model, scratch, memory):
        _evaluate(model, scratch, memory, t + behind, state, stages[0], _START_OF_STEP)
    for i in range(len(model.bodies)):
        for k in range(3):
            memory.began.center[i, k] = scratch.bodies[i].center[k]
            memory.began.velocity[i, k] = scratch.bodies[i].angular[k]
            memory.began.velocity[i, 3 + k] = scratch.bodies[i].linear[k]
    number = math.floor(t / memory.interval + _SAME)
    end = (number + 1.0) * memory.interval
    if clock.interval < memory.interval:
        last = number * memory.interval
        end = last + (math.floor((t - last) / clock.interval + _SAME) + 1.0) * clock.interval
    if goal < end + _SAME * memory.interval:
        end = goal
    end = _end_before_bounce(scratch, memory, len(model.bodies) - model.driven, end)
    before = kinetic_energy(model, state, scratch)
    _move_smoothly(model, scratch, memory, tolerance, t, end)
    most = _DRIVEN_OFF * (before + _energy_of_falling(model, scratch, end - t))
    has_forces = memory.counts[0].balanced and memory.contact.counts[0].blocks > 0
    if has_forces and kinetic_energy(model, trial, scratch) > most:
        memory.counts[0].balanced = 0
        begin_anew(memory)
        _evaluate(model, scratch, memory, t + behind, state, stages[0], _START_OF_STEP)
        _move_smoothly(model, scratch, memory, tolerance, t, end)
    clock.began, clock.h, clock.time = t, end - t, end
    memory.counts[0].steps += 1
    _look_ahead(model, scratch, memory)


@kernel
def _energy_of_falling(model, scratch, h):
    """J: of all bodies, from rest, in a time of `h` (s)."""
    p, first, total = scratch.parameters, len(scratch.parameters) - 3 * len(model.bodies), 0.0
    for i in range(model.driven, len(model.bodies)):
        k = first + 3 * i
        total += 0.5 * model.bodies[i].mass * h * h * (p[k] ** 2 + p[k + 1] ** 2 + p[k + 2] ** 2)
    return total


@kernel
def _move_smoothly(model, scratch, memory, tolerance, t, end):
    """From the step's start, which has been evaluated, to its end, with the forces of the last step where they balance.

    In a jam these may be large and balance each other only in the pose in which they were found: where they drive the
    bodies off, the step is taken without them, by `_flow`.
    """
    stages, state, trial = memory.stages, memory.motion.state, memory.trial.state
    behind = _BEHIND * max(1.0, abs(t))
    pieces = _pieces(model, scratch, end - t)
    while True:
        found = _advance_smoothly(model, scratch, memory, t, end, pieces)
        if found == _SMOOTH or (found == _COARSE and pieces >= FINEST):
            break
        begin_anew(memory)
        pieces *= FINER
        if found == _ROUGH and (pieces > FINEST or scratch.pivots[0].is_singular):  # finer ones meet it more closely
            _creep(model, scratch, memory, tolerance, t, end)
            break
        _evaluate(model, scratch, memory, t + behind, state, stages[0], _START_OF_STEP)
    # what is there at the end, with the inertia of what is stiff; its accelerations are of no use
    hold_stiff(model, scratch, memory.implicit, end - t)
    _evaluate(model, scratch, memory, end, trial, stages[3], _ON_THE_WAY)
    hold_stiff(model, scratch, memory.implicit, 0.0)
    restore_momenta(model, scratch, trial, memory.momenta)


@kernel
def _advance_smoothly(model, scratch, memory, start, end, pieces):
    """Runge-Kutta in so many pieces, where stages[0] is the start's.

    Ends early where closures leave it too ROUGH; else tells whether a piece was too COARSE.
    """
    found = _SMOOTH
    y, p, stages = memory.motion.y, memory.trial.y, memory.stages
    state, trial = memory.motion.state, memory.trial.state
    h = (end - start) / pieces
    note_momenta(model, scratch, memory.momenta)
    forget_given(memory.outside)
    _note_given(model, scratch, memory, h / 6.0)
    for piece in range(pieces):
        now = start + piece * h
        if piece > 0:
            _take_over(model, memory)
            _evaluate(model, scratch, memory, now, state, stages[0], _ON_THE_WAY)
            _note_given(model, scratch, memory, h / 6.0)
        for stage in range(1, 4):
            share = h if stage == 3 else 0.5 * h
            for c in range(len(y)):
                p[c] = y[c] + share * stages[stage - 1, c]
            _evaluate(model, scratch, memory, now + share, trial, stages[stage], _ON_THE_WAY)
            _note_given(model, scratch, memory, h / 6.0 if stage == 3 else h / 3.0)
        if is_rough(model, memory, h):
            return _ROUGH
        if _is_coarse(model, memory, h):
            found = _COARSE
            if pieces < FINEST:
                return found
        for c in range(len(y)):
            p[c] = y[c] + h / 6.0 * (stages[0, c] + 2.0 * (stages[1, c] + stages[2, c]) + stages[3, c])
    return found


@kernel
def _note_given(model, scratch, memory, time):
    """Notes the impulses of the present applied forces in a `time` (s)."""
    add_impulses(model, scratch, memory.momenta, time)
    note_forces_given(model, scratch, memory.outside, time)


@kernel
def _is_coarse(model, memory, h):
    """True if a Runge-Kutta step of h (s) is too long for its accelerations, by k1 - k2 - k3 + k4, of third order."""
    stages, speeds, axes = memory.stages, memory.motion.state.speeds, len(model.armature)
    speed, bend = _STILL * memory.clock[0].gravity * h / model.size, 0.0
    for k in range(axes):
        share, a = (1.0 / model.size if model.is_length[k] else 1.0), axes + k
        speed = max(speed, share * (abs(speeds[k]) + h * abs(stages[0, a])))
        bend = max(bend, share * h * abs(stages[0, a] - stages[1, a] - stages[2, a] + stages[3, a]))
    return bend > _BEND * speed


@kernel
def _find_stiff(model, scratch, memory):
    """Which springs are stiff, by the pivots of a motion that none of them holds; True if they are more than before."""
    if len(model.sprung) == 0:
        return False
    update_omega(model, scratch, memory.walk)
    return choose_stiff(model, scratch, memory.implicit, memory.contact, memory.walk, memory.interval)


@kernel
def _take_over(model, memory):
    """Goes on from the trial state."""
    state, y, p = memory.motion.state, memory.motion.y, memory.trial.y
    for c in range(len(y)):
        y[c] = p[c]
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    leave_poles(model.rides, model, state)
    copy_anchors(state, memory.trial.state)


@kernel
def _creep(model, scratch, memory, tolerance, start, end):
    """The same step along the closures."""
    y, p, rates, axes = memory.motion.y, memory.trial.y, memory.stages[0], len(model.armature)
    h = (end - start) / CREEPS
    for piece in range(CREEPS):
        if piece > 0:
            _take_over(model, memory)
        _evaluate(model, scratch, memory, start + piece * h, memory.motion.state, rates, _CREEPING)
        if piece == 0:
            note_momenta(model, scratch, memory.momenta)
            forget_given(memory.outside)
        _note_given(model, scratch, memory, h)
        for k in range(axes):
            p[axes + k] = y[axes + k] + h * rates[axes + k]
            memory.shift[k] = h * p[axes + k]  # symplectic: what swings fast gains no energy
        put_ride_changes(model.rides, model, memory.motion.state, memory.shift)
        for k in range(axes):
            p[k] = y[k] + memory.shift[k]
        end_creeping(model, scratch, memory, tolerance, start + (piece + 1) * h, h)


@kernel
def _pieces(model, scratch, h):
    """Into how many Runge-Kutta steps a step of h (s) is cut, where something spins fast, or runs over a surface."""
    fastest = 0.0
    for i in range(model.driven, len(model.bodies)):
        w = load3(scratch.bodies[i].angular)
        fastest = max(fastest, dot(w, w))
    fastest = max(math.sqrt(fastest), fastest_turning(model.rides, model, scratch))
    return int(min(_MOST_PIECES, max(1.0, math.ceil(h * fastest / _TURN))))


@kernel
def _end_before_bounce(scratch, memory, moving, end):
    """Cuts a step short where something that bounces arrives; by accelerations, and the speeds at its start.

    moving: how many bodies do.
    """
    contact, t, price = memory.contact, memory.clock[0].time, moving
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        if each.is_speculative:
            rate, second = point_rate(scratch, each), _gap_acceleration(scratch, contact, each)
            root = rate * rate - 2.0 * second * each.gap
            if rate < 0.0 and root >= 0.0:
                arrival = t + 2.0 * each.gap / (-rate + math.sqrt(root))
                if arrival < end:
                    end = max(arrival, t + 1e-9 * memory.interval)
                    price = moving if each.restitution > 0.0 else DEAD_CUT
    memory.counts[0].cuts = memory.counts[0].cuts + price if end < t + (1.0 - _SAME) * memory.clock[0].interval else 0
    return end


@kernel
def _gap_acceleration(scratch, memory, each):
    """m/s2: second derivative of a contact's gap, the normal standing still; a round shape's place does not circle."""
    x, is_round = load3(each.position), memory.is_round
    a = _acceleration_at(scratch.bodies[each.body[0]], x, is_round[each.part[0]])
    b = _acceleration_at(scratch.bodies[each.body[1]], x, is_round[each.part[1]])
    return dot(load3(each.normal), subtract(b, a))


@kernel
def _acceleration_at(body, x, is_round):
    w, r = load3(body.angular), subtract(x, load3(body.center))
    there = add(load_linear(body.acceleration), cross(load_angular(body.acceleration), r))
    return there if is_round else add(there, cross(w, cross(w, r)))
