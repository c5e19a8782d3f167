# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixed steps with impulses: for linkages that touch things.

A step from t to t + h:
    1. moves as smooth forces will have it (`smooth_phase`), by Runge-Kutta of order 4; what contacts, limits, friction
       and motors exerted in the step before goes on, evenly (`push`, `kept_forces`);
    2. finds the points of contact there (`contact.detection.ground`, `contact.detection.collision`), in the reach that
       `look_ahead` has set;
    3. takes those impulses back and asks anew what they must be (`contact_phase`): impacts first
       (`contact.impulses.impacts`), which jump; then what pushes from now on (`sweep_until_balanced`, by
       `contact.impulses.gauss_seidel`), which changes the pose by h/2 times the speeds that it gives, as even forces
       would;
    4. shifts the pose so (`move_on`) and leads overlaps that are left apart (`position_correction`), which gives no
       speed; what was gained is taken back (`energy_bound`).
`step_control` has a step taken anew, shorter, where it was too long for what it met.
Closures are held after each of these, before the next one looks at speeds or gaps.
At rest the impulses of the step before are the right ones: nothing moves, whatever h. Where something is about to
bounce, the step ends there: heights of bounces do not depend on h.

Stiff springs and dampers of joints act with what they will be at the step's end (`implicit`), so that no h is too long
for them.
"""

import math

from ...contact.detection.ground import touch_ground
from ...contact.impulses.approach import leave_out_behind
from ...contact.impulses.blocks import build_blocks
from ...contact.impulses.propagation import update_omega
from ...contact.impulses.stiff_choice import choose_stiff_forces
from ...contact.impulses.totals import hand_over, has_room, note_overlaps
from ...contact.impulses.workspace import TOUCH
from ...control.balance import write_wrenches
from ...kernel import call_back, entry, kernel
from ...model.arrays import Model, Scratch
from ..motion.between import sample_step
from ..motion.motion import Status, Tolerance, copy_anchors, is_finite
from ..motion.observation import Frames, write_frame
from .contact_phase import finish_step
from .detachment import is_over
from .energy_bound import note_gains
from .evaluate import FRAME, evaluate, look_at_rides
from .look_ahead import SLOW, look_ahead, mark_speculative
from .memory import AHEAD, MOVED, NEAR, READY, START, ImpulseArrays
from .smooth_phase import move_smoothly
from .step_control import goes_back_for_shorter, goes_back_to_arrival

_DONE, _PAUSED, _NOT_FINITE = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE)
_STOPPED, _NEEDS_ROOM, _OPEN = int(Status.STOPPED), int(Status.NEEDS_ROOM), int(Status.OPEN)
_SWITCHED, _ROPE_OUT = int(Status.SWITCHED), int(Status.ROPE_OUT)
_WAITS = 4  # steps in which closures may stay open: what a blow has pulled apart comes together again


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
    clock, counts = memory.clock[0], memory.counts[0]
    while True:
        if counts.phase == START:
            evaluate(model, scratch, memory, clock.time, memory.motion.state, memory.stages[0], FRAME)
            look_ahead(model, scratch, memory)
        if counts.phase != READY:
            status = _find_points(scratch, memory, find)
            if status != _DONE:
                return status, frame
            if counts.phase == START:
                _begin(model, scratch, memory)
            else:
                status = _end_step(model, scratch, memory, tolerance)
                if status != _DONE:
                    return status, frame
                if counts.phase == MOVED:
                    continue  # anew, to an end that came sooner
                if counts.steps == 1 and frame > 0 and frame_times[0] == clock.began:
                    _write_start(model, scratch, memory, frames)
                sample_step(model, scratch, memory, frame_times, frame, frames)
            counts.phase = READY
        frame = _write_frames(model, scratch, memory, frame_times, frame, frames, until)
        if clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit or not has_room(memory.contact):
            return _PAUSED, frame
        goal = stop if frame >= len(frame_times) else min(stop, frame_times[frame])
        move_smoothly(model, scratch, memory, tolerance, goal)
        counts.phase = MOVED


@kernel
def _find_points(scratch, memory, find):
    """Points of contact at the poses in scratch.bodies, those between bodies and those on the ground; a status."""
    counts, points = memory.counts[0], memory.contact.points
    found = call_back(find, 0) if memory.has_pairs else 0
    if found < 0:
        return _STOPPED
    if memory.has_ground and found <= len(points):
        found = touch_ground(memory.shapes, scratch.bodies, memory.height, memory.reach, points, found)
    if found > len(points):
        return _NEEDS_ROOM
    memory.contact.counts[0].points = found
    if counts.phase == MOVED:
        leave_out_behind(scratch, memory.contact, memory.began.velocity, memory.clock[0].h)
    return _DONE


@kernel
def _end_step(model, scratch, memory, tolerance):
    """The contact phase, and whether its end holds; a status.

    Where it does not, the step's smooth motion is taken anew, to an end that comes sooner, and the phase stays MOVED.
    """
    clock, counts = memory.clock[0], memory.counts[0]
    if goes_back_to_arrival(model, scratch, memory):
        move_smoothly(model, scratch, memory, tolerance, clock.arrival)
        return _DONE
    is_balanced, unpaid = finish_step(model, scratch, memory, tolerance)
    if not is_finite(memory.motion.y):
        unpaid = math.inf
    end = clock.time
    if goes_back_for_shorter(memory, is_balanced, unpaid):
        move_smoothly(model, scratch, memory, tolerance, end)
        counts.phase = MOVED
        return _DONE
    note_overlaps(memory.contact, end)
    note_gains(memory.islands, end)
    if not is_finite(memory.motion.y):
        return _NOT_FINITE
    if counts.lost > _WAITS:
        return _OPEN
    counts.phase = READY
    if not clock.at_wheels > 0.0:
        return _ROPE_OUT
    look_at_rides(model, scratch, memory, 0.0)
    return _SWITCHED if is_over(model.rides, memory.parting) else _DONE


@kernel
def _write_frames(model, scratch, memory, frame_times, frame, frames, until):
    """Writes the frames that the step's end has reached; returns the number of the next one."""
    clock, state = memory.clock[0], memory.motion.state
    while frame < len(frame_times) and frame_times[frame] <= min(clock.time, until):
        evaluate(model, scratch, memory, clock.time, state, memory.stages[0], FRAME)
        write_frame(model, state, scratch, frames, frame)
        write_wrenches(memory.contact, memory.steering, frames.balance[frame])
        hand_over(memory.contact, frames, frame)
        frame += 1
    return frame


@kernel
def _write_start(model, scratch, memory, frames):
    """Writes the first frame anew: what contacts and axes exert there is not known before the first step."""
    trial = memory.trial
    for c in range(len(trial.y)):
        trial.y[c] = memory.began.y[c]
    copy_anchors(memory.began, trial.state)
    evaluate(model, scratch, memory, memory.clock[0].began, trial.state, memory.stages[0], FRAME)
    write_frame(model, trial.state, scratch, frames, 0)


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
        if each.gap <= TOUCH * each.extent and each.rate < -SLOW * memory.clock[0].gravity * h:
            each.is_speculative = 1  # and arrives at once
