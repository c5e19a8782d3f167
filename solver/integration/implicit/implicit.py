# SPDX-License-Identifier: GPL-3.0-or-later
"""The implicit integrator: extrapolated Euler steps with control of order and step, for what is stiff.

Stiff springs and dampers bound the step of an explicit method by how fast they would swing, whether they do or not.
Here only what moves bounds it. Frames are met by steps that end there, since the forces of what is stiff are right at
the ends of steps only. Order and step follow Hairer and Wanner (1996), section IV.9; symbols as there: k column of the
table, H step, W work per second of motion.
"""

import math

import numpy as np

from ...contact.soft.soft_contact import longest_step
from ...contact.soft.totals import add_to_tally, begin_tally, hand_over
from ...dynamics.forces.switching import BEHIND, SLIGHT
from ...dynamics.implicit.kinks import note_margins, share_before_kink
from ...dynamics.loops.drift import settle
from ...dynamics.loops.ropes import longest_at_wheels
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...dynamics.tree.surface_joints import has_rides, leave_poles
from ...evaluation.forward_dynamics import update_rates
from ...kernel import entry, kernel
from ...model.arrays import Model, Scratch
from ..motion.between import is_sampled, sample_state, slot_time, write_sample
from ..motion.motion import (
    Status,
    Tolerance,
    copy_anchors,
    fastest_speed,
    is_finite,
    next_guess,
    recenter,
    spare,
    weighted_norm,
)
from ..motion.observation import Frames, write_frame
from .extrapolation import KINK, fill_column, take_first_substeps
from .memory import MOST_COLUMNS, ImplicitMemory

_SHORTEST = 4.0 * np.finfo(float).eps  # of the time, as a step
_HOPELESS = 100  # failures in a row
_FIRST_COLUMN, _LEAST_COLUMN = 3, 2
_SAFE, _AIM = 0.93, 0.6  # step and error that are aimed at, as parts of what is allowed
_LEAST_CHANGE, _MOST_CHANGE = 0.1, 4.0  # of a step
_LOWER, _HIGHER = 0.7, 0.9  # shares of the work at which the order changes
_AT_ONCE = 1e-14  # of the time: steps that tell no moments apart
_MOST_CUTS = 8  # in a row, to the moment of a kink
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
        counts.begins = 1  # not in this call if it ends here
        settle(model, clock.time, state, scratch, tolerance.drift, clock.fastest)
    _evaluate_start(model, scratch, memory)
    while True:
        sample_state(model, scratch, state, frame_times, frame, frames, clock.time)
        while frame < len(frame_times) and frame_times[frame] <= clock.time:
            update_rates(model, clock.time, state, scratch, memory.rates)
            write_frame(model, state, scratch, frames, frame)
            hand_over(scratch, model, clock.time, frames, frame)
            frame += 1
        if clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit:
            return _PAUSED, frame
        if counts.begins:
            _evaluate_start(model, scratch, memory)
            begin_tally(scratch, model, clock.time)
            clock.spare = spare(model, state, scratch, tolerance, clock.fastest)
            note_margins(model, state, scratch, memory.margins)
            counts.evaluations += 1
        most = min(longest_step(scratch), longest_at_wheels(model, scratch))
        if not most > 0.0:
            return _ROPE_OUT, frame
        goal = min(stop, until)
        if frame < len(frame_times):
            goal = min(goal, frame_times[frame])
        if not _plan(memory, tolerance, goal, min(longest, most)):
            return _STEP_TOO_SHORT, frame
        counts.begins = 0
        _recenter_charts(model, memory)
        if not _attempt(model, scratch, memory, tolerance):
            _evaluate_start(model, scratch, memory)
            if counts.failures > _HOPELESS:
                return _NOT_FINITE, frame
            continue
        status = _finish(model, scratch, memory, tolerance, goal)
        if status == _SWITCHED or status == _NOT_FINITE:
            return status, frame
        if status == _PAUSED:  # a step that has gone over an event is taken again
            _evaluate_start(model, scratch, memory)
        elif _sample_within(model, scratch, memory, frame_times, frame, frames) or has_rides(model.rides):
            _evaluate_start(model, scratch, memory)  # not counted: samples change nothing


def go_to_implicit(model: Model, scratch: Scratch, memory: ImplicitMemory, tolerance: Tolerance, time):
    """Nothing to do: steps end at the time that they were told."""


@kernel
def _evaluate_start(model, scratch, memory):
    """Evaluates the state; where it begins, just behind its time, where tables and keys already go on."""
    clock, state = memory.clock[0], memory.motion.state
    leave_poles(model.rides, model, state)
    behind = BEHIND * max(1.0, abs(clock.time)) if memory.counts[0].begins else 0.0
    update_rates(model, clock.time + behind, state, scratch, memory.rates)


@kernel
def _recenter_charts(model, memory):
    """Anchors all charts where they stand; there their rates are the speeds of their axes."""
    state = memory.motion.state
    for chart in range(len(model.charted)):
        k = model.bodies[model.charted[chart]].axis_end - 3
        recenter(state, chart, k)
        for c in range(k, k + 3):
            memory.start_rates[c] = state.speeds[c]


@kernel
def _plan(memory, tolerance, goal, longest):
    """Sets the step to attempt; False if it would be too short to tell the times apart."""
    clock, counts = memory.clock[0], memory.counts[0]
    if counts.begins:
        clock.fastest = max(clock.fastest, fastest_speed(memory.motion.state.speeds, tolerance.per_scale))
        size = weighted_norm(memory.rates, tolerance, clock.fastest)
        shortest = BEHIND * max(1.0, abs(clock.time))
        clock.step = max(shortest, 1.0 / size) if size * longest > 1.0 else longest
        counts.failures, counts.cuts, counts.column = 0, 0, _FIRST_COLUMN
    left = goal - clock.time
    h = min(clock.step, longest)
    if h >= left * (1.0 - 1e-9):
        h = left
    elif 2.0 * h > left:  # two even steps instead of a long and a tiny one
        h = 0.5 * left
    clock.attempt = h
    for c in range(len(memory.rates)):
        memory.start_rates[c] = memory.rates[c]
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
    least = _LEAST_CHANGE**power
    change = _SAFE * (_AIM / max(error, 1e-30)) ** power
    memory.reach[k - 1] = memory.clock[0].attempt * min(_MOST_CHANGE / least, max(least, change))


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
    """Takes the end of the step over: DONE; PAUSED if it is to be taken again, up to an event; or how it ends."""
    clock, counts, state, trial = memory.clock[0], memory.counts[0], memory.motion.state, memory.trial.state
    h = clock.attempt
    ends = h == goal - clock.time
    after = goal if ends else clock.time + h
    for c in range(len(memory.motion.y)):
        memory.trial.y[c] = memory.motion.y[c] + memory.table[0, c]
    copy_anchors(state, trial)
    settle(model, after, trial, scratch, tolerance.drift, clock.fastest)
    update_rates(model, after, trial, scratch, memory.rates)
    counts.evaluations += 1
    if not is_finite(memory.rates):
        return _NOT_FINITE
    for number in range(len(memory.closed)):
        memory.closed[number] = scratch.closed[number]
    now = spare(model, trial, scratch, tolerance, clock.fastest)  # which opens gaps whose force has faded
    is_left = now < 0.0 and clock.spare >= 0.0
    if is_left and now < -SLIGHT and h > _AT_ONCE * max(1.0, abs(clock.time)):
        clock.step = next_guess(0.0, clock.spare, h, now)
        counts.rejected += 1
        _close_again(scratch, memory)
        return _PAUSED
    note_margins(model, trial, scratch, memory.margins_now)
    share = min(clock.kink, share_before_kink(memory.margins, memory.margins_now, KINK))
    if share < 1.0 and counts.cuts < _MOST_CUTS:
        counts.cuts += 1
        counts.rejected += 1
        clock.step = share * h
        _close_again(scratch, memory)
        return _PAUSED
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    copy_anchors(trial, state)
    if ends:
        clock.step = max(clock.step, h)
    clock.time, clock.spare = after, now
    clock.fastest = max(clock.fastest, fastest_speed(state.speeds, tolerance.per_scale))
    counts.steps += 1
    counts.failures = counts.cuts = 0
    add_to_tally(scratch, model, clock.time)
    for k in range(len(memory.margins)):
        memory.margins[k] = memory.margins_now[k]
    if _has_opened(scratch, memory):
        _evaluate_start(model, scratch, memory)
    return _SWITCHED if is_left else _DONE


@kernel
def _close_again(scratch, memory):
    """Gaps are as they were at the start of a step that is taken again."""
    for number in range(len(memory.closed)):
        scratch.closed[number] = memory.closed[number]


@kernel
def _has_opened(scratch, memory):
    opened = False
    for number in range(len(memory.closed)):
        opened = opened or scratch.closed[number] != memory.closed[number]
    return opened


@kernel
def _sample_within(model, scratch, memory, frame_times, frame, frames):
    """Writes the samples that are due within the last step, by cubics; True if there are any."""
    if not is_sampled(frames, frame):
        return False
    clock, table, trial, found = memory.clock[0], memory.table, memory.trial, False
    h, last = clock.attempt, clock.time
    for slot in range(frames.between_time.shape[1]):
        time = slot_time(frame_times, frame, frames, slot)
        if frames.between_time[frame, slot] != 0.0 or not last - h < time < last:
            continue
        s = (time - last) / h + 1.0
        for c in range(len(trial.y)):  # Hermite's, from the step's end: in its charts
            slope = (1.0 - s) * s * ((1.0 - s) * memory.start_rates[c] - s * memory.rates[c]) * h
            trial.y[c] = memory.motion.y[c] - (1.0 - s * s * (3.0 - 2.0 * s)) * table[0, c] + slope
        update_driven_bodies(model, time, scratch)
        update_kinematics(model, trial.state, scratch)
        write_sample(model, scratch, frames, frame, slot, time)
        found = True
    return found
