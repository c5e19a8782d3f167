# SPDX-License-Identifier: GPL-3.0-or-later
"""The quasi-static integrator: each step begins at rest, so that inertia does not count (Redon and Lin 2006).

With mass matrix M and the gradient f of what forces do, at zero speed, it goes along
    M dq/dt = s f(q),
s (s) the settling time: what falls freely sinks at s g, and what would swing at w rad/s comes to rest as exp(-s w^2 t).
A linearly implicit step of dt, with K = -df/dq and h^2 = s dt, is
    (M + h^2 K) dq = h^2 f:
that of a step of h seconds with inertia that begins at rest (`dynamics.implicit`), O(n) over trees, with the stiffness
of tensions (Baraff and Witkin 1998), so that neither stiff springs nor tense chains bound it. For s = 0 it goes on to
equilibrium at the end of each step: h grows, and as it does the step becomes Newton's (pseudo-transient continuation,
Kelley and Keyes 1998). A step is taken if the pivots say that it goes downhill, and forces still do not oppose it by
much at its end: else h is made smaller, down to the steepest descent. So it finds no equilibrium that is not stable,
and energy rises only by the work of what is keyed.

Keyed bodies and lengths lead: they are at their places of a step's end before it begins. Axes at limits are an active
set. Symbols: h as above, a = M^-1 f.
"""

import math

import numpy as np

from ...dynamics.implicit.force_tangents import choose_pairs
from ...dynamics.implicit.implicit_change import change_from_rest
from ...dynamics.loops.drift import worst_error
from ...dynamics.loops.methods import has_closures
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import entry, kernel, kernel_by_class
from ...model.arrays import Model, Scratch
from ...rotation import conjugate, logarithm, multiply_quaternions, normalized
from ..motion.between import sample_state
from ..motion.motion import Status, Tolerance, chart_quaternion, copy_anchors, is_finite
from ..motion.observation import Frames, new_frames, write_frame
from .closing import close_by_response, keep_response
from .memory import FARTHEST, QuasiStaticMemory
from .rest import (
    evaluate_at_rest,
    hold_at_limits,
    is_convex,
    keep_within_limits,
    largest_change,
    largest_turn,
    place_driven,
    work_along,
    work_within,
)
from .turns import correct_turns, recenter_all, shorten_turns, spread_turns, want_turns

_DONE, _PAUSED, _NOT_FINITE, _OPEN = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE), int(Status.OPEN)
_SAME = 1e-6  # of a step: times that are one
_NEAR = 0.5  # rad, or part of the size: a change after which the stiffness itself is tried
_PATIENCE = 8.0  # attempts with its convex stand-in until it is tried again, at most
_LIFTS = 4.0  # by what the lift of the stiffness grows where that is not convex
_TOO_FAR = 100.0  # times the next: a change that is not worth cutting
_LONGEST, _SHORTEST = 1e3, 1e-9  # s: of h; with longer ones rounding would move what nothing holds
_FIRM = 1.0  # s: h with which tensions decide what gives way, and hardly masses
_SURE = 10.0  # s: h with which a step is Newton's, but for what hardly anything holds
_GROWS, _SHRINKS = 3.0, 0.3
_TURNED = 0.5  # of the force along a change: as much against it at its end is too much,
_WELL = 0.2  # and less than this is well
_MOST = 400  # attempts to equilibrium in one step
_CORRECTIONS = 2  # of turns, in each attempt
_STILL = 1e-5  # rad/s, or sizes a second: what is slower is at rest
_ROUNDING = 1e3  # tolerances: a change that is not worth another attempt if it does not lead downhill
_CLOSINGS = 10  # systems to close what is keyed
_SMALL = 1e-3  # rad, or part of the size: a change before which closures are closed to the last digits,
_NEARLY_CLOSED = 1e-7  # rad, or part of the size: and how far they may be open after others
_HARDLY = 0.5  # of the change before it: one that is so large, and slight, is rounding
_PROBE = 1e-3  # rad, or part of the size: a way along which forces still act as at its start if nothing is at rest
_AJAR = 1e-6  # rad, or part of the size: what is farther open is not closed
_UNBOUNDED = 1 << 40  # evaluations


@entry
def advance_quasi_static(
    model: Model,
    scratch: Scratch,
    memory: QuasiStaticMemory,
    tolerance: Tolerance,
    begin,
    stop,
    until,
    longest,
    frame_times,
    frame,
    frames: Frames,
    evaluations,
):
    """Steps up to `stop` (s) and writes the frames on the way; same contract as `advance_adams`.

    Steps have a length of their own: `longest` is not asked. They are cut only at `stop`, and at frames that do not
    fall on their ends.
    """
    clock, counts, state = memory.clock[0], memory.counts[0], memory.motion.state
    if begin:
        counts.under_way, clock.rests = 0, math.inf
    _evaluate(model, scratch, memory, state, clock.end if counts.under_way else clock.time)
    if begin:
        for r in range(model.closing):
            memory.work.pull[r] = scratch.rows[r].multiplier
    if memory.settling == 0.0 and not counts.is_placed:
        counts.is_placed = 1
        _begin_step(model, scratch, memory, tolerance, clock.time)
    limit = counts.evaluations + evaluations
    while True:
        while not counts.under_way and frame < len(frame_times) and frame_times[frame] <= min(clock.time, until):
            _write(model, scratch, memory, frames, frame)
            frame += 1
        if not counts.under_way and clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit:
            return _PAUSED, frame
        if not counts.under_way:
            goal = stop if frame >= len(frame_times) else frame_times[frame]
            _begin_step(model, scratch, memory, tolerance, _plan(memory, goal, stop))
        if not is_finite(memory.rates):
            return _NOT_FINITE, frame
        if _approach(model, scratch, memory, tolerance):
            if _gap(model, scratch) > _AJAR:
                return _OPEN, frame
            _end_step(model, memory, tolerance)
            sample_state(model, scratch, _as_moving(memory), frame_times, frame, frames, clock.time)


@kernel
def _plan(memory, frame_time, stop):
    """The end of the next step (s): the next multiple of the interval, or what comes before; of what rests, a frame."""
    time, interval = memory.clock[0].time, memory.interval
    end, goal = (math.floor(time / interval + _SAME) + 1.0) * interval, min(frame_time, stop)
    return goal if goal < end + _SAME * interval or (memory.clock[0].rests <= time and goal < math.inf) else end


@kernel
def _evaluate(model, scratch, memory, state, time):
    evaluate_at_rest(model, time, state, scratch, memory.rates)
    memory.counts[0].evaluations += 1


@kernel
def _begin_step(model, scratch, memory, tolerance, end):
    """Sets out for a time (s), where what is keyed is from now on."""
    clock, counts, state = memory.clock[0], memory.counts[0], memory.motion.state
    for c in range(len(memory.motion.y)):
        memory.began.y[c] = memory.motion.y[c]
    copy_anchors(state, memory.began.state)
    clock.began, clock.end = clock.time, end
    clock.left = memory.settling * (end - clock.time) if memory.settling > 0.0 else math.inf
    counts.under_way, counts.attempts = 1, 0
    place_driven(model, end, scratch)
    _evaluate(model, scratch, memory, state, end)
    _close_first(model, scratch, memory, tolerance)


@kernel
def _approach(model, scratch, memory, tolerance):
    """One attempt to come nearer, from a state that has just been evaluated; True if the step is done."""
    clock, counts, state, work = memory.clock[0], memory.counts[0], memory.motion.state, memory.work
    counts.attempts += 1
    counts.is_found = 0
    is_changed = hold_at_limits(model, state, scratch, tolerance.per_scale)
    if is_changed:
        _evaluate(model, scratch, memory, state, clock.end)
    h = min(clock.h, math.sqrt(clock.left))
    _find_change(model, scratch, memory, state, h)
    before = work_along(model, scratch, work, memory.change)
    far = max(largest_change(memory.change, tolerance.per_scale), largest_turn(model, work))
    is_last = counts.attempts >= _MOST
    is_near = clock.lift < 1.0
    if is_near and (not is_convex(model, work, counts.rows) or not far < FARTHEST):
        _lift(clock)
        counts.rejected += 1
        return is_last
    if not far < _TOO_FAR * FARTHEST:
        clock.h = max(_SHORTEST, _SHRINKS * h)
        counts.rejected += 1
        return is_last
    share = min(1.0, clock.reach / far) if far > 0.0 else 1.0
    for k in range(len(memory.change)):
        memory.change[k] *= share if memory.is_turned[k] == 0 or model.closing > 0 else 1.0
    if share < 1.0 and model.closing == 0:
        shorten_turns(model, scratch, work, clock.reach, memory.turn, memory.is_turned, memory.change)
    is_cut = keep_within_limits(model, state, scratch, memory.change)
    if is_cut or share < 1.0:
        before = work_along(model, scratch, work, memory.change)
    want_turns(model, scratch, work, memory.wanted, memory.turn)
    _try(model, scratch, memory, tolerance, tolerance.drift if far < _SMALL else max(tolerance.drift, _NEARLY_CLOSED))
    spread_turns(model, scratch, memory.turn, memory.is_turned, memory.after)
    after = work_along(model, scratch, work, memory.after)
    gap = _gap(model, scratch)
    is_torn = gap > _AJAR and not gap < clock.gap
    is_slight = far <= _ROUNDING * tolerance.relative
    if is_torn or not (before > 0.0 and after >= -_TURNED * before):
        _evaluate(model, scratch, memory, state, clock.end)
        if is_slight and not is_torn and is_at_rest(model, scratch, memory, tolerance):
            counts.is_found = 1
            return True
        if model.closing > 0 and memory.settling == 0.0 and (is_torn or h >= _FIRM) and not is_near:
            _reach_less(clock, h, share * far)
        elif is_near:
            _lift(clock)
        else:
            clock.h = max(_SHORTEST, _SHRINKS * h)
        counts.rejected += 1
        return is_last
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    copy_anchors(memory.trial.state, state)
    _lower(clock, far)
    clock.gap = gap
    if after >= -_WELL * before:
        clock.reach = min(FARTHEST, max(clock.reach, _GROWS * share * far))
        clock.h = min(_LONGEST if model.closing == 0 else _SURE, max(clock.h, _GROWS * h))
    if memory.settling > 0.0:
        clock.left -= share * h * h
        counts.is_found = 1 if clock.left <= 1e-9 * memory.settling * (clock.end - clock.began) else 0
        return counts.is_found == 1 or is_last
    is_rounding = is_near and is_slight and far >= _HARDLY * clock.far
    clock.far = far
    if (far <= tolerance.relative or is_rounding) and h >= _SURE and not is_cut and not is_changed:
        counts.is_found = 1 if is_at_rest(model, scratch, memory, tolerance) else 0
    return counts.is_found == 1 or is_last


@kernel
def is_at_rest(model, scratch, memory, tolerance):
    """True if forces lead nowhere from the state that has just been evaluated, which is evaluated again.

    A system whose rows hold what nothing holds has no change for that either. So it is not asked: accelerations have
    other factors (`dynamics.loops`), and a way along them must end against the forces, but for what would not move in
    h seconds if nothing stood against it.
    """
    state, trial, change = memory.motion.state, memory.trial.state, memory.change
    for k in range(len(change)):
        change[k] = scratch.accelerations[k]
    before = work_within(model, scratch, memory.work, change)
    far = max(largest_change(change, tolerance.per_scale), largest_turn(model, memory.work))
    if far * _SURE * _SURE <= tolerance.relative:
        return True
    for c in range(len(memory.motion.y)):
        memory.trial.y[c] = memory.motion.y[c]
    copy_anchors(state, trial)
    recenter_all(model, trial)
    for k in range(len(change)):
        change[k] *= _PROBE / far
        trial.coordinates[k] += change[k]
    _evaluate(model, scratch, memory, trial, memory.clock[0].end)
    after = work_within(model, scratch, memory.work, change)
    _evaluate(model, scratch, memory, state, memory.clock[0].end)
    return not after > _TURNED * _PROBE / far * before


@kernel
def _lift(clock):
    """Lifts a stiffness that was not convex, or led too far."""
    clock.lift, clock.least_lift = clock.lift * _LIFTS, 1.0 / _LIFTS
    if clock.lift >= 1.0:
        clock.waits = clock.patience
        clock.patience = min(2.0 * clock.patience, _PATIENCE)


@kernel
def _reach_less(clock, h, far):
    """After a change that closures did not follow: with a longer h all give way, not what is lightest; then less."""
    if h < _FIRM:
        clock.h = min(_FIRM, h / _SHRINKS)
    else:
        clock.reach = max(_SHORTEST, _SHRINKS * far)


@kernel
def _lower(clock, far):
    """Lifts the stiffness less after a change that was taken, by as much as it was: in the end Newton's method."""
    if clock.lift < 1.0:
        clock.lift, clock.least_lift = min(far, clock.lift / _LIFTS), 0.0
        clock.patience = 1.0
    elif clock.waits > 0.0:
        clock.waits -= 1.0
    else:
        clock.lift = max(far, clock.least_lift) if far < _NEAR else 1.0


@kernel
def _try(model, scratch, memory, tolerance, limit):
    """Fills `trial` with the state after the change, closed up to a limit (rad, parts of the size), and evaluated."""
    state, trial, axes = memory.motion.state, memory.trial.state, len(memory.change)
    for c in range(len(memory.motion.y)):
        memory.trial.y[c] = memory.motion.y[c]
    copy_anchors(state, trial)
    recenter_all(model, trial)
    for k in range(axes):
        trial.coordinates[k] += memory.change[k]
        memory.after[k] = memory.change[k]
    for _ in range(_CORRECTIONS):
        update_kinematics(model, trial, scratch)
        correct_turns(model, trial, scratch, memory.work, memory.wanted, memory.is_turned)
    _close(model, trial, scratch, memory, tolerance, limit)
    _evaluate(model, scratch, memory, trial, memory.clock[0].end)


@kernel
def _find_change(model, scratch, memory, state, h):
    """Solves the linear system of a step of h (s), from a state that has just been evaluated."""
    counts, work = memory.counts[0], memory.work
    choose_pairs(model, scratch, work, h)
    counts.rows = change_from_rest(model, state, scratch, work, h, memory.clock[0].lift)
    counts.systems += 1
    for k in range(len(memory.change)):
        is_free = scratch.axes[k].held == 0.0
        memory.change[k] = h * h * work.solution[k] if is_free else 0.0
    if model.closing > 0:
        keep_response(model, scratch, work, counts.rows, memory.response)


@kernel
def _close(model, state, scratch, memory, tolerance, limit):
    if model.closing > 0:
        close_by_response(
            model,
            state,
            scratch,
            memory.work,
            memory.counts[0].rows,
            memory.response,
            memory.wanted_closed,
            memory.turn_closed,
            memory.is_turned,
            tolerance.per_scale,
            limit,
        )


@kernel
def _close_first(model, scratch, memory, tolerance):
    """Closes what keyed bodies and lengths have opened, from a state that has just been evaluated."""
    state, before = memory.motion.state, math.inf
    for _ in range(_CLOSINGS):
        now = _gap(model, scratch)
        memory.clock[0].gap = now
        if not now > tolerance.drift or not now < before:
            return
        before = now
        memory.clock[0].lift = 1.0
        _find_change(model, scratch, memory, state, max(memory.clock[0].h, 1.0))
        _close(model, state, scratch, memory, tolerance, tolerance.drift)
        _evaluate(model, scratch, memory, state, memory.clock[0].end)


@kernel
def _end_step(model, memory, tolerance):
    """Takes the time over, and how fast the linkage has come there."""
    clock, counts, state, began = memory.clock[0], memory.counts[0], memory.motion.state, memory.began.state
    length = clock.end - clock.began
    if length > 0.0:
        for k in range(len(memory.pace)):
            memory.pace[k] = (state.coordinates[k] - began.coordinates[k]) / length
        for c in range(len(model.charted)):
            k = model.bodies[model.charted[c]].axis_end - 3
            turn = multiply_quaternions(conjugate(chart_quaternion(began, c, k)), chart_quaternion(state, c, k))
            w = logarithm(normalized(turn))
            memory.pace[k], memory.pace[k + 1], memory.pace[k + 2] = w[0] / length, w[1] / length, w[2] / length
        counts.steps += 1
    clock.pace = largest_change(memory.pace, tolerance.per_scale)
    if memory.settling == 0.0 and not counts.is_found:
        clock.missed = min(clock.missed, clock.end)
    if not clock.pace < _STILL or not counts.is_found:
        clock.rests = math.inf
    elif clock.rests == math.inf:
        clock.rests = clock.end
    clock.time, counts.under_way = clock.end, 0


@kernel
def _as_moving(memory):
    """The state with the speeds of the last step, for a look at it: whoever evaluates it sets them to zero again."""
    for k in range(len(memory.pace)):
        memory.motion.state.speeds[k] = memory.pace[k]
    return memory.motion.state


@kernel
def _write(model, scratch, memory, frames, frame):
    """Writes a frame: forces at rest, and velocities of the last step."""
    state, time = memory.motion.state, memory.clock[0].time
    _evaluate(model, scratch, memory, state, time)
    write_frame(model, state, scratch, frames, frame)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, _as_moving(memory), scratch)
    for i in range(model.driven, len(model.bodies)):
        for c in range(3):
            frames.angular[frame, i - model.driven, c] = scratch.bodies[i].angular[c]
            frames.linear[frame, i - model.driven, c] = scratch.bodies[i].linear[c]


@kernel
def _none(model, scratch):
    return 0.0


# By how much closures are open that should not be: rad, parts of the size.
_gap = kernel_by_class(lambda model: worst_error if has_closures(model) else _none)


def go_to_quasi_static(
    model: Model, scratch: Scratch, memory: QuasiStaticMemory, tolerance: Tolerance, time: float
) -> None:
    """Goes back to a time (s) that `advance_quasi_static` has just passed: the last step is taken anew, up to there."""
    clock = memory.clock[0]
    if time >= clock.time:
        return
    memory.motion.y[:], memory.motion.state.anchor[:] = memory.began.y, memory.began.state.anchor
    clock.time, memory.counts[0].under_way = clock.began, 0
    if time > clock.time:
        none, frames = np.zeros(0), new_frames(model, 0)
        advance_quasi_static(
            model, scratch, memory, tolerance, False, time, time, math.inf, none, 0, frames, _UNBOUNDED
        )
