# SPDX-License-Identifier: GPL-3.0-or-later
"""Adams predictor-corrector in local frames: order 1 to 12, variable step, dense output (Schroeder 1990, chapter 4).

The method is the PECE form of Shampine and Gordon, Computer Solution of Ordinary Differential Equations (1975),
chapters 5 and 6, here with all coefficients computed afresh at each step: their cost vanishes beside one evaluation
of a linkage. Symbols as there: phi_1 = f, phi_i = psi_1 ... psi_{i-1} f[t_n, ..., t_{n-i+1}] modified divided
differences with psi_i = t_n - t_{n-i}; k order, h step, g weights of the predictor, beta ratios that carry phi to the
next step.

Rotations live in charts R = R0 exp(theta). Where the thesis pushes the past derivatives down into each new frame, we
keep past rotations and angular velocities: in whatever chart, theta = log(R0^T R) and theta' follow from them
exactly, so a chart that has turned far is anchored anew and its differences are rebuilt without loss of order.
"""

import math

import numpy as np

from ...contact.soft.soft_contact import longest_step
from ...contact.soft.totals import add_to_tally, begin_tally, forget_after, hand_over
from ...dynamics.forces.switching import SLIGHT
from ...dynamics.loops.drift import settle
from ...dynamics.loops.ropes import longest_at_wheels
from ...dynamics.loops.singularity import acceleration_noise
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.kinematics import update_kinematics
from ...dynamics.tree.surface_joints import leave_poles
from ...evaluation.forward_dynamics import update_rates
from ...kernel import entry, kernel
from ...model.arrays import Model, Scratch
from ..motion.between import is_sampled, slot_time, write_sample
from ..motion.motion import Status, Tolerance, copy_anchors, fastest_speed, is_finite, next_guess, spare, weighted_norm
from ..motion.observation import Frames, write_frame
from ..motion.release import begin_search, looks_within, margin_of_holds, note_margin
from .formulas import (
    choose_order_and_step,
    correct,
    estimate_errors,
    interpolate,
    move_on,
    predict,
    recenter_all,
    recenter_far_charts,
    remember_charts,
)
from .memory import HIGHEST_ORDER, AdamsMemory
from .stiffness import is_stiff, note_stiffness

_SHORTEST = 4.0 * np.finfo(float).eps  # of the time, as a step
_HOPELESS = 100  # failures in a row
_ORDER_TO_COAST, _MOST_COASTED = 3, 4  # lowest order that can be extrapolated, and steps in a row
_LEAP = 0.01  # rad, or part of the linkage's size: farther than any prediction of a step that is short enough is off
_MOST_GUESSES, _AT_ONCE = 60, 1e-14  # for the moment at which a mode is left; as a part of the time
_DONE, _PAUSED = int(Status.DONE), int(Status.PAUSED)
_NOT_FINITE, _STEP_TOO_SHORT = int(Status.NOT_FINITE), int(Status.STEP_TOO_SHORT)
_SWITCHED, _ROPE_OUT, _STIFF = int(Status.SWITCHED), int(Status.ROPE_OUT), int(Status.STIFF)


@entry
def advance_adams(
    model: Model,
    scratch: Scratch,
    memory: AdamsMemory,
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
    """Steps up to `stop` (s), never over it, and writes the frames that fall on the way, from number `frame` on.

    With `begin`, starts at its time, or starts anew there after a jump. Steps are at most `longest` (s). It pauses
    after `evaluations`, and is done once it has passed the time `until`: `go_to` leads back there. Returns (status,
    number of the next frame to write).
    """
    clock, counts, state, trial = memory.clock[0], memory.counts[0], memory.motion.state, memory.trial.state
    limit = counts.evaluations + evaluations
    if begin:
        recenter_all(model, memory)
        # just behind the time, where tables and keys already go on
        update_rates(model, clock.time + 1e-12 * max(1.0, abs(clock.time)), state, scratch, memory.rates)
        clock.longest = min(longest_step(scratch), longest_at_wheels(model, scratch))
        begin_tally(scratch, model, clock.time)
        _begin(model, memory, tolerance, longest)
        clock.spare = spare(model, state, scratch, tolerance, clock.fastest)
    while True:
        while frame < len(frame_times) and frame_times[frame] <= min(min(clock.time, clock.switch), until):
            if counts.evaluations >= limit:
                return _PAUSED, frame
            _sample(model, scratch, memory, frame_times, frame, frames, frame_times[frame])
            _write_frame(model, scratch, memory, tolerance, frame_times[frame], frames, frame)
            if not is_finite(memory.rates):
                return _NOT_FINITE, frame
            frame += 1
        _sample(model, scratch, memory, frame_times, frame, frames, min(min(clock.time, clock.switch), until))
        if clock.switch <= until:
            _evaluate_within(model, scratch, memory, tolerance, clock.switch)
            forget_after(scratch, model, clock.switch)
            _take_up(memory, clock.switch)
            return _SWITCHED, frame
        if clock.time >= min(stop, until):
            return _DONE, frame
        if not clock.longest > 0.0:
            return _ROPE_OUT, frame
        if counts.watched and is_stiff(memory):
            return _STIFF, frame
        recenter_far_charts(model, memory)
        if counts.evaluations >= limit:
            return _PAUSED, frame
        if leave_poles(model.rides, model, state):
            update_rates(model, clock.time, state, scratch, memory.rates)
            _begin(model, memory, tolerance, longest)
        if not _plan(memory, stop, min(longest, clock.longest)):
            return _STEP_TOO_SHORT, frame
        after = clock.time + clock.attempt
        predict(memory)
        leap = settle(model, after, trial, scratch, tolerance.drift, clock.fastest)
        update_rates(model, after, trial, scratch, memory.rates)
        _judge(memory, tolerance, acceleration_noise(scratch, fastest_speed(trial.speeds, tolerance.per_scale)), leap)
        if counts.failures == 0:
            if not _take_step(model, scratch, memory, tolerance, stop):
                return _NOT_FINITE, frame
        elif counts.failures > _HOPELESS:
            return _NOT_FINITE, frame


@kernel
def _take_step(model, scratch, memory, tolerance, stop):
    """Makes an accepted attempt a step, with the modes at its end; False if rates are not finite there."""
    clock, counts, state = memory.clock[0], memory.counts[0], memory.motion.state
    after, pace = clock.time + clock.attempt, fastest_speed(state.speeds, tolerance.per_scale)
    correct(memory)
    settle(model, after, state, scratch, tolerance.drift, clock.fastest)
    update_rates(model, after, state, scratch, memory.rates)
    if not is_finite(memory.rates):
        return False
    clock.longest = min(longest_step(scratch), longest_at_wheels(model, scratch))
    if counts.watched:
        note_stiffness(memory, tolerance)
    noise = acceleration_noise(scratch, fastest_speed(state.speeds, tolerance.per_scale))
    _keep_first_accelerations(memory, tolerance, noise)
    before, clock.spare = clock.spare, spare(model, state, scratch, tolerance, clock.fastest)
    _finish(model, memory, tolerance, stop)
    add_to_tally(scratch, model, clock.time)
    if clock.spare < 0.0 and before >= 0.0:
        clock.switch = _moment_of_switching(model, scratch, memory, tolerance, before)
    elif before >= 0.0:
        pace = max(pace, fastest_speed(state.speeds, tolerance.per_scale))
        looks = looks_within(model, scratch, pace * clock.attempt)
        if looks > 0:
            clock.switch = _moment_of_release(model, scratch, memory, tolerance, before, looks)
    return True


@entry
def go_to_adams(model: Model, scratch: Scratch, memory: AdamsMemory, tolerance: Tolerance, time):
    """Goes back to a time (s) within the last step, to begin anew there."""
    if time < memory.clock[0].time:
        _evaluate_within(model, scratch, memory, tolerance, time)
        forget_after(scratch, model, time)
        _take_up(memory, time)


@kernel
def _take_up(memory, time):
    """The interpolated state becomes that of the motion."""
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    copy_anchors(memory.trial.state, memory.motion.state)
    memory.clock[0].time, memory.clock[0].switch = time, math.inf


@kernel
def _evaluate_within(model, scratch, memory, tolerance, time):
    """Fills `trial`, and all that follows from it, at a time within the last step."""
    trial = memory.trial.state
    interpolate(memory, time)
    settle(model, time, trial, scratch, tolerance.drift, memory.clock[0].fastest)
    update_rates(model, time, trial, scratch, memory.rates)
    memory.counts[0].evaluations += 1


@kernel
def _write_frame(model, scratch, memory, tolerance, time, frames, frame):
    _evaluate_within(model, scratch, memory, tolerance, time)
    write_frame(model, memory.trial.state, scratch, frames, frame)
    hand_over(scratch, model, time, frames, frame)


@kernel
def _sample(model, scratch, memory, frame_times, frame, frames, until):
    """Writes the samples on the way to a frame that are due up to a time (s) and lie within the last step."""
    if memory.counts[0].points < 2 or not is_sampled(frames, frame):
        return
    trial = memory.trial.state
    for slot in range(frames.between_time.shape[1]):
        time = slot_time(frame_times, frame, frames, slot)
        if frames.between_time[frame, slot] == 0.0 and memory.times[1] <= time <= until:
            interpolate(memory, time)
            update_driven_bodies(model, time, scratch)
            update_kinematics(model, trial, scratch)
            write_sample(model, scratch, frames, frame, slot, time)


@kernel
def _moment_of_switching(model, scratch, memory, tolerance, low_spare):
    """The time in the last step at which a mode was left, by regula falsi (Illinois)."""
    low, high, high_spare = memory.times[1], memory.times[0], memory.clock[0].spare
    side = 0
    for _ in range(_MOST_GUESSES):
        if high_spare > -SLIGHT or high - low < _AT_ONCE * max(1.0, abs(high)):
            break
        time = next_guess(low, low_spare, high, high_spare)
        _evaluate_within(model, scratch, memory, tolerance, time)
        now = spare(model, memory.trial.state, scratch, tolerance, memory.clock[0].fastest)
        if now < 0.0:
            if side < 0:
                low_spare *= 0.5
            high, high_spare, side = time, now, -1
        else:
            if side > 0:
                high_spare *= 0.5
            low, low_spare, side = time, now, 1
    return high


@kernel
def _moment_of_release(model, scratch, memory, tolerance, before, looks):
    """The time in the last step at which what holds lets go, to hold again at its end; infinite if it does not."""
    search, low, length = memory.search[0], memory.times[1], memory.times[0] - memory.times[1]
    begin_search(search, looks, before, margin_of_holds(model, scratch), SLIGHT)
    while search.share >= 0.0:
        _evaluate_within(model, scratch, memory, tolerance, low + search.share * length)
        note_margin(search, margin_of_holds(model, scratch))
    return low + search.high * length if search.high < 1.0 else math.inf


@kernel
def _begin(model, memory, tolerance, longest):
    """Order 1, and a first step from the size of the rates."""
    clock, counts = memory.clock[0], memory.counts[0]
    for c in range(len(memory.rates)):
        memory.carry[c] = 0.0
        memory.phi[0, c] = memory.rates[c]
    clock.fastest = max(clock.fastest, fastest_speed(memory.motion.state.speeds, tolerance.per_scale))
    size = weighted_norm(memory.rates, tolerance, clock.fastest)
    clock.step = longest
    if size * longest * longest > 0.0625:
        clock.step = min(longest, 0.25 / math.sqrt(size))
    counts.order, counts.equal_steps, counts.points, counts.starting, counts.failures = 1, 0, 1, 1, 0
    counts.coasted = 0
    counts.stiff = min(counts.stiff, 0)
    counts.evaluations += 1
    clock.switch = math.inf
    memory.times[0] = clock.time
    remember_charts(model, memory)


@kernel
def _plan(memory, stop, longest):
    """Sets the step to attempt; False if it would be too short to tell the times apart."""
    clock, counts = memory.clock[0], memory.counts[0]
    left = stop - clock.time
    h = min(clock.step, longest)
    if h >= left * (1.0 - 1e-9):
        h = left
    elif 2.0 * h > left:  # two even steps instead of a long and a tiny one
        h = 0.5 * left
    counts.equal_steps = counts.equal_steps + 1 if h == clock.step and counts.failures == 0 else 0
    clock.attempt = h
    return h >= _SHORTEST * abs(clock.time) or h == left


@kernel
def _keep_first_accelerations(memory, tolerance, noise):
    """Takes the accelerations of the step's first evaluation for those of its second, if both differ by noise only."""
    k, rates, guess, axes = memory.counts[0].order, memory.rates, memory.guess, len(memory.rates) // 2
    if noise == 0.0 and memory.counts[0].coasted == 0:
        return
    difference = guess[k + 1]
    for c in range(len(rates)):
        difference[c] = rates[c] - (guess[0, c] + guess[k, c]) if c >= axes else 0.0
    if memory.counts[0].coasted > 0 or _is_noise(memory, tolerance, difference, noise):
        for c in range(axes, len(rates)):
            rates[c] -= difference[c]


@kernel
def _is_noise(memory, tolerance, change, noise):
    """True if a change of rates is no larger than the noise of accelerations."""
    allowed = tolerance.relative * memory.clock[0].fastest + tolerance.absolute
    return weighted_norm(change, tolerance, memory.clock[0].fastest) * allowed <= noise


@kernel
def _judge(memory, tolerance, noise, leap):
    """Accepts the attempt (`failures` becomes 0), or shortens the step and may lower the order.

    A nearly singular pose (`dynamics.loops.singularity`), where the error is but noise of accelerations, is passed by
    extrapolation. leap: how far closures have moved the prediction, rad or parts of the linkage's size. What is led far
    beyond a pulley's wheel comes back to somewhere else, and may look as smooth there.
    """
    clock, counts = memory.clock[0], memory.counts[0]
    h = clock.attempt
    error = estimate_errors(memory, tolerance, h, counts.order)
    counts.evaluations += 1
    if error <= 1.0 and leap <= _LEAP:
        counts.failures = counts.coasted = 0
        return
    change, may_coast = memory.guess[counts.order], counts.order >= _ORDER_TO_COAST
    if may_coast and leap <= _LEAP and counts.coasted < _MOST_COASTED and _is_noise(memory, tolerance, change, noise):
        counts.coasted += 1
        counts.failures = 0
        for c in range(len(change)):
            change[c] = 0.0
        return
    counts.failures += 1
    counts.rejected += 1
    counts.starting = 0
    clock.step = 0.5 * h
    if not math.isfinite(error):
        if h < 1e-12 * max(1.0, abs(clock.time)):
            counts.failures = _HOPELESS + 1
        return
    if counts.lower:
        counts.order -= 1
    if counts.failures > 2:
        counts.order = 1
        if clock.error > 0.5:
            clock.step = h * min(0.5, math.sqrt(0.5 / clock.error))


@kernel
def _finish(model, memory, tolerance, stop):
    """After the evaluation at the corrected state: moves histories on and chooses order and step."""
    clock, counts = memory.clock[0], memory.counts[0]
    h = clock.attempt
    move_on(memory, counts.order)
    clock.time = stop if h == stop - clock.time else clock.time + h
    clock.step = h
    clock.fastest = max(clock.fastest, fastest_speed(memory.motion.state.speeds, tolerance.per_scale))
    memory.times[0] = clock.time
    counts.steps += 1
    counts.evaluations += 1
    counts.points = min(counts.points + 1, HIGHEST_ORDER + 1)
    if counts.coasted == 0:
        choose_order_and_step(memory, tolerance, h, counts.order)
    remember_charts(model, memory)
