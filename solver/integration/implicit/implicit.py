# SPDX-License-Identifier: GPL-3.0-or-later
"""The implicit integrator: extrapolated Euler steps with control of order and step, for what is stiff.

Stiff springs and dampers bound the step of an explicit method by how fast they would swing, whether they do or not.
Here only what moves bounds it. Frames within a step are told by its polynomial (`dense_output`); where that is off, as
where something stiff is still coming to rest, steps end at frames. Order and step follow Hairer and Wanner (1996),
section IV.9; symbols as there: k column of the table, H step, W work per second of motion.
"""

import math

import numpy as np

from ...contact.soft.soft_contact import longest_step
from ...contact.soft.totals import add_to_tally, begin_tally, forget_after, hand_over
from ...dynamics.forces.switching import BEHIND, SLIGHT
from ...dynamics.implicit.kinks import note_margins, share_before_kink
from ...dynamics.loops.drift import settle
from ...dynamics.loops.ropes import longest_at_wheels
from ...dynamics.tree.surface_joints import has_rides, leave_poles
from ...evaluation.forward_dynamics import update_rates
from ...kernel import entry, kernel
from ...model.arrays import Model, Scratch
from ..motion.motion import (
    Status,
    Tolerance,
    copy_anchors,
    fastest_speed,
    is_finite,
    keep_gaps,
    next_guess,
    recenter,
    spare,
    weighted_norm,
)
from ..motion.observation import Frames, write_frame
from ..motion.release import begin_search, looks_within, margin_of_holds, note_margin
from .dense_output import evaluate_attempt, evaluate_within, fit_step, sample_within
from .extrapolation import KINK, fill_column, take_first_substeps
from .memory import MOST_COLUMNS, ImplicitMemory

_SHORTEST = 4.0 * np.finfo(float).eps  # of the time, as a step
_HOPELESS = 100  # failures in a row
_FIRST_COLUMN, _LEAST_COLUMN = 3, 2
_SAFE, _AIM = 0.93, 0.6  # step and error that are aimed at, as parts of what is allowed
_FIRST = 0.05  # of the time in which accelerations would lead as far as the linkage's size: the first step
_LEAST_CHANGE, _MOST_CHANGE = 0.02, 4.0  # of a step, the latter times 10^(1/k)
_LOWER, _HIGHER = 0.7, 0.9  # shares of the work at which the order changes
_AT_ONCE = 1e-14  # of the time: steps that tell no moments apart
_MOST_CUTS = 8  # in a row, to the moment of a kink
_ROUGH = 2e3  # local tolerances by which a polynomial of one degree less may be off: what is smooth stays far below
_DONE, _PAUSED = int(Status.DONE), int(Status.PAUSED)
_NOT_FINITE, _STEP_TOO_SHORT = int(Status.NOT_FINITE), int(Status.STEP_TOO_SHORT)
_SWITCHED, _ROPE_OUT = int(Status.SWITCHED), int(Status.ROPE_OUT)


@entry
def advance_implicit(
    model: Model,
    scratch: Scratch,
    memory: ImplicitMemory,
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
    """Steps up to `stop` (s) and writes the frames on the way; same contract as `advance_adams`."""
    clock, counts, state = memory.clock[0], memory.counts[0], memory.motion.state
    limit = counts.evaluations + evaluations
    if begin:
        counts.begins, clock.length, clock.switch = 1, 0.0, math.inf  # not in this call if it ends here
        settle(model, clock.time, state, scratch, tolerance.drift, clock.fastest)
    _evaluate_start(model, scratch, memory)
    while True:
        frame = _write_frames(model, scratch, memory, tolerance, frame_times, frame, frames, until)
        if not is_finite(memory.rates):
            return _NOT_FINITE, frame
        if clock.switch <= until:
            clock.switch = math.inf
            return _SWITCHED, frame
        if clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit:
            return _PAUSED, frame
        if counts.begins:
            _evaluate_start(model, scratch, memory)
            begin_tally(scratch, model, clock.time)
            clock.fastest = max(clock.fastest, fastest_speed(state.speeds, tolerance.per_scale))
            clock.spare = spare(model, state, scratch, tolerance, clock.fastest)
            note_margins(model, state, scratch, memory.margins)
            counts.evaluations += 1
        most = min(longest_step(scratch), longest_at_wheels(model, scratch))
        if not most > 0.0:
            return _ROPE_OUT, frame
        landing = min(stop, until)
        if frame < len(frame_times):
            landing = min(landing, frame_times[frame])
        lands = counts.begins or counts.lands or model.closing > 0 or has_rides(model.rides)
        goal = landing if lands else stop
        if not _plan(memory, tolerance, goal, min(longest, most)):
            return _STEP_TOO_SHORT, frame
        counts.begins = 0
        _recenter_charts(model, memory)
        if not _attempt(model, scratch, memory, tolerance):
            _evaluate_start(model, scratch, memory)
            if counts.failures > _HOPELESS:
                return _NOT_FINITE, frame
            continue
        clock.length = 0.0  # the polynomial is of a step that may not be taken
        counts.lands = fit_step(memory, tolerance, counts.reached) > _ROUGH
        if counts.lands and goal > landing and clock.time + clock.attempt > landing:  # no frame may lie within
            clock.step = clock.attempt
            counts.rejected += 1
            _evaluate_start(model, scratch, memory)
            continue
        status = _finish(model, scratch, memory, tolerance, goal)
        if status == _NOT_FINITE:
            return status, frame
        if status == _PAUSED:  # a step that has gone over an event is taken again
            _evaluate_start(model, scratch, memory)


@entry
def go_to_implicit(model: Model, scratch: Scratch, memory: ImplicitMemory, tolerance: Tolerance, time):
    """Goes back to a time (s) within the last step, to begin anew there."""
    clock = memory.clock[0]
    if time < clock.time:
        evaluate_within(model, scratch, memory, tolerance, time)
        forget_after(scratch, model, time)
        for c in range(len(memory.motion.y)):
            memory.motion.y[c] = memory.trial.y[c]
        copy_anchors(memory.trial.state, memory.motion.state)
        clock.time, clock.length, clock.switch = time, 0.0, math.inf


@kernel
def _write_frames(model, scratch, memory, tolerance, frame_times, frame, frames, until):
    """Writes frames and samples up to the end of the last step, or up to `until` (s); the number of the next frame."""
    clock, state, is_within = memory.clock[0], memory.motion.state, False
    last = min(clock.time, until)
    while frame < len(frame_times) and frame_times[frame] <= last:
        time = frame_times[frame]
        sample_within(model, scratch, memory, frame_times, frame, frames, time)
        if time < clock.time and clock.length > 0.0:
            evaluate_within(model, scratch, memory, tolerance, time)
            if not is_finite(memory.rates):
                return frame
            write_frame(model, memory.trial.state, scratch, frames, frame)
            is_within = True
        else:
            if is_within:
                keep_gaps(scratch.closed, memory.closed_after)
            update_rates(model, clock.time, state, scratch, memory.rates)
            write_frame(model, state, scratch, frames, frame)
        hand_over(scratch, model, time, frames, frame)
        frame += 1
    if sample_within(model, scratch, memory, frame_times, frame, frames, last) or is_within:
        keep_gaps(scratch.closed, memory.closed_after)
        _evaluate_start(model, scratch, memory)  # not counted: what was looked at changes nothing
    return frame


@kernel
def _evaluate_start(model, scratch, memory):
    """Evaluates the state; where it begins, just behind its time, where tables and keys already go on."""
    clock, state = memory.clock[0], memory.motion.state
    leave_poles(model.rides, model, state)
    behind = BEHIND * max(1.0, abs(clock.time)) if memory.counts[0].begins else 0.0
    update_rates(model, clock.time + behind, state, scratch, memory.rates)


@kernel
def _recenter_charts(model, memory):
    """Anchors all charts where they stand."""
    for chart in range(len(model.charted)):
        recenter(memory.motion.state, chart, model.bodies[model.charted[chart]].axis_end - 3)


@kernel
def _plan(memory, tolerance, goal, longest):
    """Sets the step to attempt; False if it would be too short to tell the times apart."""
    clock, counts = memory.clock[0], memory.counts[0]
    if counts.begins:
        pace, axes = 0.0, len(tolerance.per_scale)  # what is stiff may be passed by the first step already
        for k in range(axes):
            pace = max(pace, abs(memory.rates[axes + k]) * tolerance.per_scale[k])
        shortest = BEHIND * max(1.0, abs(clock.time))
        clock.step = max(shortest, _FIRST / math.sqrt(pace)) if pace * longest**2 > _FIRST**2 else longest
        counts.failures, counts.cuts, counts.released, counts.column = 0, 0, 0, _FIRST_COLUMN
    left = goal - clock.time
    h = min(clock.step, longest)
    if h >= left * (1.0 - 1e-9):
        h = left
    elif 2.0 * h > left:  # two even steps instead of a long and a tiny one
        h = 0.5 * left
    clock.attempt = h
    return h >= _SHORTEST * abs(clock.time) or h == left


@kernel
def _attempt(model, scratch, memory, tolerance):
    """Fills the table until its error is small enough: True, or False with a shorter step."""
    clock, counts = memory.clock[0], memory.counts[0]
    last = min(counts.column + 1, MOST_COLUMNS)
    take_first_substeps(model, scratch, memory, last)
    fill_column(model, scratch, memory, 0)
    before = math.inf
    for k in range(2, last + 1):
        fill_column(model, scratch, memory, k - 1)
        error = weighted_norm(memory.error, tolerance, clock.fastest)
        if not error < 1e15 or (k > 2 and error > max(1.0, before)):
            return _reject(memory, counts.column, 0.5 if error < 1e15 else 0.1)
        _note_reach(memory, k, error)
        if k >= counts.column - 1 and error <= 1.0:
            _choose_next(memory, k)
            counts.reached = k
            return True
        if k >= counts.column and error > (k + 1.0) ** 2:
            break
        before = error
    _choose_next(memory, counts.column)
    return _reject(memory, counts.column, min(1.0, 0.9 * clock.step / clock.attempt))


@kernel
def _reject(memory, column, share):
    clock, counts = memory.clock[0], memory.counts[0]
    counts.failures += 1
    counts.rejected += 1
    counts.column = max(_LEAST_COLUMN, column)
    clock.step = share * clock.attempt
    if clock.attempt < 1e-12 * max(1.0, abs(clock.time)):
        counts.failures = _HOPELESS + 1
    return False


@kernel
def _note_reach(memory, k, error):
    """The step with which column k would have had the error that is aimed at."""
    power = 1.0 / k
    change = _SAFE * (_AIM / max(error, 1e-30)) ** power
    memory.reach[k - 1] = memory.clock[0].attempt * min(_MOST_CHANGE * 10.0**power, max(_LEAST_CHANGE, change))


@kernel
def _work(memory, k):
    return memory.price[k - 1] / memory.reach[k - 1]


@kernel
def _choose_next(memory, k):
    """Order and length of the next step, after one that has come to column k."""
    clock, counts, reach = memory.clock[0], memory.counts[0], memory.reach
    expected, best = counts.column, min(k, MOST_COLUMNS - 1)
    if k == _LEAST_COLUMN:
        best = _LEAST_COLUMN if counts.failures else _LEAST_COLUMN + 1
    elif k <= expected:
        if _work(memory, k - 1) < _LOWER * _work(memory, k):
            best = k - 1
        elif _work(memory, k) < _HIGHER * _work(memory, k - 1):
            best = min(k + 1, MOST_COLUMNS - 1)
    else:
        best = k - 1
        if k > 3 and _work(memory, k - 2) < _LOWER * _work(memory, k - 1):
            best = k - 2
        if _work(memory, k) < _HIGHER * _work(memory, best):
            best = min(k, MOST_COLUMNS - 1)
    if counts.failures:
        best = min(best, k)
    clock.step = reach[best - 1] if best <= k else reach[k - 1] * memory.price[best - 1] / memory.price[k - 1]
    if counts.failures:
        clock.step = min(clock.step, clock.attempt)
    counts.column = max(_LEAST_COLUMN, best)


@kernel
def _finish(model, scratch, memory, tolerance, goal):
    """Takes the end of the step over: DONE; PAUSED if it is to be taken again, up to an event; or NOT_FINITE."""
    clock, counts, state, trial = memory.clock[0], memory.counts[0], memory.motion.state, memory.trial.state
    h = clock.attempt
    ends = h == goal - clock.time
    after = goal if ends else clock.time + h
    keep_gaps(memory.closed, scratch.closed)
    now = _evaluate_end(model, scratch, memory, tolerance, after)
    if not is_finite(memory.rates):
        return _NOT_FINITE
    is_left = now < 0.0 and clock.spare >= 0.0
    if is_left and now < (-KINK if counts.released else -SLIGHT) and h > _AT_ONCE * max(1.0, abs(clock.time)):
        clock.step = next_guess(0.0, clock.spare, h, now)
        counts.rejected += 1
        keep_gaps(scratch.closed, memory.closed)
        return _PAUSED
    if not is_left and clock.spare >= 0.0 and _is_released_within(model, scratch, memory, tolerance, after):
        return _PAUSED
    note_margins(model, trial, scratch, memory.margins_now)
    share = min(clock.kink, share_before_kink(memory.margins, memory.margins_now, KINK))
    if share < 1.0 and counts.cuts < _MOST_CUTS:
        counts.cuts += 1
        counts.rejected += 1
        clock.step = share * h
        keep_gaps(scratch.closed, memory.closed)
        return _PAUSED
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    copy_anchors(trial, state)
    if ends:
        clock.step = max(clock.step, h)
    clock.time, clock.spare, clock.length = after, now, h
    clock.switch = after if is_left else math.inf
    clock.fastest = max(clock.fastest, fastest_speed(state.speeds, tolerance.per_scale))
    counts.steps += 1
    counts.failures = counts.cuts = counts.released = 0
    add_to_tally(scratch, model, clock.time)
    for k in range(len(memory.margins)):
        memory.margins[k] = memory.margins_now[k]
    keep_gaps(memory.closed_after, scratch.closed)
    if _has_opened(memory):
        _evaluate_start(model, scratch, memory)
    return _DONE


@kernel
def _evaluate_end(model, scratch, memory, tolerance, after):
    """Fills `trial` with the end of the attempted step, at a time (s); its margin, which opens gaps that have faded."""
    clock, trial = memory.clock[0], memory.trial
    for c in range(len(trial.y)):
        trial.y[c] = memory.motion.y[c] + memory.table[0, c]
    copy_anchors(memory.motion.state, trial.state)
    settle(model, after, trial.state, scratch, tolerance.drift, clock.fastest)
    update_rates(model, after, trial.state, scratch, memory.rates)
    memory.counts[0].evaluations += 1
    return spare(model, trial.state, scratch, tolerance, clock.fastest)


@kernel
def _is_released_within(model, scratch, memory, tolerance, after):
    """True if what holds lets go in the midst of the attempted step (`motion.release`): it is to be taken again, up to
    a moment just behind that. Otherwise its end, at a time (s), stands evaluated as before."""
    clock, counts, search = memory.clock[0], memory.counts[0], memory.search[0]
    pace = max(
        fastest_speed(memory.motion.state.speeds, tolerance.per_scale),
        fastest_speed(memory.trial.state.speeds, tolerance.per_scale),
    )
    looks = looks_within(model, scratch, clock.attempt * pace)
    if looks == 0:
        return False
    begin_search(search, looks, clock.spare, margin_of_holds(model, scratch), KINK)
    while search.share >= 0.0:
        evaluate_attempt(model, scratch, memory, tolerance, search.share)
        note_margin(search, margin_of_holds(model, scratch))
    keep_gaps(scratch.closed, memory.closed)
    if search.high == 1.0:
        _evaluate_end(model, scratch, memory, tolerance, after)
        return False
    clock.step = max(_AT_ONCE * max(1.0, abs(clock.time)), search.high * clock.attempt)
    counts.released = 1
    counts.rejected += 1
    return True


@kernel
def _has_opened(memory):
    opened = False
    for number in range(len(memory.closed)):
        opened = opened or memory.closed_after[number] != memory.closed[number]
    return opened
