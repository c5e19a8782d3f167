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
from typing import NamedTuple

import numpy as np

from ..dynamics.acceleration import update_rates
from ..dynamics.drift import settle
from ..dynamics.regularity import acceleration_noise
from ..dynamics.switching import SLIGHT
from ..kernel import entry, kernel
from ..mechanism.model import Model, Scratch, State
from ..rotation import chart_rate, conjugate, logarithm, multiply_quaternions
from .motion import (
    Motion,
    Status,
    Tolerance,
    chart_angle,
    chart_quaternion,
    copy_anchors,
    fastest_speed,
    new_motion,
    next_guess,
    recenter,
    spare,
    weighted_norm,
)
from .observation import Frames, write_frame

HIGHEST_ORDER = 12
_ROWS = HIGHEST_ORDER + 3
_CHART_LIMIT = 0.5  # rad; a chart's rate is a smooth function up to 2 pi, and well conditioned up to here
_SHORTEST = 4.0 * np.finfo(float).eps  # of the time, as a step
_HOPELESS = 100  # failures in a row
_ORDER_TO_COAST, _MOST_COASTED = 3, 4  # lowest order that can be extrapolated, and steps in a row
_MOST_GUESSES, _AT_ONCE = 60, 1e-14  # for the moment at which a mode is left; as a part of the time
_WORTHWHILE = 1.1  # factor by which a step must be able to grow before even spacing is given up
_DONE, _PAUSED = int(Status.DONE), int(Status.PAUSED)
_NOT_FINITE, _STEP_TOO_SHORT = int(Status.NOT_FINITE), int(Status.STEP_TOO_SHORT)
_SWITCHED = int(Status.SWITCHED)

# error constants of the implicit formulas at constant step, gamma*_k (Shampine and Gordon, table 5.1)
_GAMMA = np.array(
    [1, 1 / 2, 1 / 12, 1 / 24, 19 / 720, 3 / 160, 863 / 60480, 275 / 24192, 33953 / 3628800, 8183 / 1036800]
    + [3250433 / 479001600, 4671 / 788480, 13695779093 / 2615348736000, 2224234463 / 475517952000]
)

# entries of `clock`: time (s), step (s), largest speed so far (1/s); of the last attempt: its step and error estimates
# SPARE: the margin of the modes; SWITCH: the moment (s) in the last step at which one is left, infinite if none is
TIME, STEP, FASTEST, ATTEMPT, ERROR, ERROR_BELOW, SPARE, SWITCH = range(8)
# entries of `counts`; COASTED: steps in a row by extrapolated accelerations
ORDER, EQUAL_STEPS, POINTS, STARTING, FAILURES, LOWER, EVALUATIONS, STEPS, REJECTED, COASTED = range(10)


class AdamsMemory(NamedTuple):
    """All that a linkage's integration remembers between calls."""

    motion: Motion  # at clock[TIME]
    trial: Motion  # predicted, or interpolated at a frame
    change: np.ndarray  # (2 A,): what the predictor adds to y
    carry: np.ndarray  # (2 A,): what rounding has taken from y so far
    phi: np.ndarray  # (_ROWS, 2 A): phi_1 in row 0
    guess: np.ndarray  # (_ROWS, 2 A): predicted differences
    rates: np.ndarray  # (2 A,)
    times: np.ndarray  # (_ROWS,): this time and the ones before it
    past_quaternion: np.ndarray  # (_ROWS, C, 4)
    past_angular: np.ndarray  # (_ROWS, C, 3)
    weights: np.ndarray  # (_ROWS,): of phi in an integral
    beta: np.ndarray  # (_ROWS,)
    sigma: np.ndarray  # (_ROWS,)
    work: np.ndarray  # (_ROWS,)
    clock: np.ndarray  # (8,)
    counts: np.ndarray  # (10,) int64


def new_adams_memory(model: Model, state: State) -> AdamsMemory:
    """Memory for a linkage that starts in this state, which is copied."""
    axes, charts = len(model.armature), len(model.charted)
    return AdamsMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        change=np.zeros(2 * axes),
        carry=np.zeros(2 * axes),
        phi=np.zeros((_ROWS, 2 * axes)),
        guess=np.zeros((_ROWS, 2 * axes)),
        rates=np.zeros(2 * axes),
        times=np.zeros(_ROWS),
        past_quaternion=np.zeros((_ROWS, charts, 4)),
        past_angular=np.zeros((_ROWS, charts, 3)),
        weights=np.zeros(_ROWS),
        beta=np.zeros(_ROWS),
        sigma=np.zeros(_ROWS),
        work=np.zeros(_ROWS),
        clock=np.zeros(8),
        counts=np.zeros(10, np.int64),
    )


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
    clock, counts, state, trial = memory.clock, memory.counts, memory.motion.state, memory.trial.state
    limit = counts[EVALUATIONS] + evaluations
    if begin:
        _recenter_all(model, memory)
        # just behind the time, where tables and keys already go on
        update_rates(model, clock[TIME] + 1e-12 * max(1.0, abs(clock[TIME])), state, scratch, memory.rates)
        _begin(model, memory, tolerance, longest)
        clock[SPARE] = spare(model, state, scratch, tolerance, clock[FASTEST])
    while True:
        while frame < len(frame_times) and frame_times[frame] <= min(min(clock[TIME], clock[SWITCH]), until):
            if counts[EVALUATIONS] >= limit:
                return _PAUSED, frame
            _write_frame(model, scratch, memory, tolerance, frame_times[frame], frames, frame)
            frame += 1
        if clock[SWITCH] <= until:
            _evaluate_within(model, scratch, memory, tolerance, clock[SWITCH])
            _take_up(memory, clock[SWITCH])
            return _SWITCHED, frame
        if clock[TIME] >= until:
            return _DONE, frame
        _recenter_far_charts(model, memory)
        if clock[TIME] >= stop:
            return _DONE, frame
        if counts[EVALUATIONS] >= limit:
            return _PAUSED, frame
        if not _plan(memory, stop, longest):
            return _STEP_TOO_SHORT, frame
        after = clock[TIME] + clock[ATTEMPT]
        _predict(memory)
        settle(model, after, trial, scratch, tolerance.drift, clock[FASTEST])
        update_rates(model, after, trial, scratch, memory.rates)
        _judge(memory, tolerance, acceleration_noise(scratch, fastest_speed(trial.speeds, tolerance.per_scale)))
        if counts[FAILURES] == 0:
            _correct(memory)
            settle(model, after, state, scratch, tolerance.drift, clock[FASTEST])
            update_rates(model, after, state, scratch, memory.rates)
            noise = acceleration_noise(scratch, fastest_speed(state.speeds, tolerance.per_scale))
            _keep_first_accelerations(memory, tolerance, noise)
            before, clock[SPARE] = clock[SPARE], spare(model, state, scratch, tolerance, clock[FASTEST])
            _finish(model, memory, tolerance, stop)
            if clock[SPARE] < 0.0 and before >= 0.0:
                clock[SWITCH] = _moment_of_switching(model, scratch, memory, tolerance, before)
        elif counts[FAILURES] > _HOPELESS:
            return _NOT_FINITE, frame


@entry
def go_to_adams(model: Model, scratch: Scratch, memory: AdamsMemory, tolerance: Tolerance, time):
    """Goes back to a time (s) within the last step, to begin anew there."""
    if time < memory.clock[TIME]:
        _evaluate_within(model, scratch, memory, tolerance, time)
        _take_up(memory, time)


@kernel
def _take_up(memory, time):
    """The interpolated state becomes that of the motion."""
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    copy_anchors(memory.trial.state, memory.motion.state)
    memory.clock[TIME], memory.clock[SWITCH] = time, math.inf


@kernel
def _evaluate_within(model, scratch, memory, tolerance, time):
    """Fills `trial`, and all that follows from it, at a time within the last step."""
    trial = memory.trial.state
    interpolate(memory, time)
    settle(model, time, trial, scratch, tolerance.drift, memory.clock[FASTEST])
    update_rates(model, time, trial, scratch, memory.rates)
    memory.counts[EVALUATIONS] += 1


@kernel
def _write_frame(model, scratch, memory, tolerance, time, frames, frame):
    _evaluate_within(model, scratch, memory, tolerance, time)
    write_frame(model, memory.trial.state, scratch, frames, frame)


@kernel
def _moment_of_switching(model, scratch, memory, tolerance, low_spare):
    """The time in the last step at which a mode was left, by regula falsi (Illinois)."""
    low, high, high_spare = memory.times[1], memory.times[0], memory.clock[SPARE]
    side = 0
    for _ in range(_MOST_GUESSES):
        if high_spare > -SLIGHT or high - low < _AT_ONCE * max(1.0, abs(high)):
            break
        time = next_guess(low, low_spare, high, high_spare)
        _evaluate_within(model, scratch, memory, tolerance, time)
        now = spare(model, memory.trial.state, scratch, tolerance, memory.clock[FASTEST])
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
def _begin(model, memory, tolerance, longest):
    """Order 1, and a first step from the size of the rates."""
    clock, counts = memory.clock, memory.counts
    for c in range(len(memory.rates)):
        memory.carry[c] = 0.0
        memory.phi[0, c] = memory.rates[c]
    clock[FASTEST] = max(clock[FASTEST], fastest_speed(memory.motion.state.speeds, tolerance.per_scale))
    size = weighted_norm(memory.rates, tolerance, clock[FASTEST])
    clock[STEP] = longest
    if size * longest * longest > 0.0625:
        clock[STEP] = min(longest, 0.25 / math.sqrt(size))
    counts[ORDER], counts[EQUAL_STEPS], counts[POINTS], counts[STARTING], counts[FAILURES] = 1, 0, 1, 1, 0
    counts[COASTED] = 0
    counts[EVALUATIONS] += 1
    clock[SWITCH] = math.inf
    memory.times[0] = clock[TIME]
    _remember_charts(model, memory)


@kernel
def _plan(memory, stop, longest):
    """Sets the step to attempt; False if it would be too short to tell the times apart."""
    clock, counts = memory.clock, memory.counts
    left = stop - clock[TIME]
    h = min(clock[STEP], longest)
    if h >= left * (1.0 - 1e-9):
        h = left
    elif 2.0 * h > left:  # two even steps instead of a long and a tiny one
        h = 0.5 * left
    counts[EQUAL_STEPS] = counts[EQUAL_STEPS] + 1 if h == clock[STEP] and counts[FAILURES] == 0 else 0
    clock[ATTEMPT] = h
    return h >= _SHORTEST * abs(clock[TIME]) or h == left


@kernel
def _keep_first_accelerations(memory, tolerance, noise):
    """Takes the accelerations of the step's first evaluation for those of its second, if both differ by noise only."""
    k, rates, guess, axes = memory.counts[ORDER], memory.rates, memory.guess, len(memory.rates) // 2
    if noise == 0.0 and memory.counts[COASTED] == 0:
        return
    difference = guess[k + 1]
    for c in range(len(rates)):
        difference[c] = rates[c] - (guess[0, c] + guess[k, c]) if c >= axes else 0.0
    if memory.counts[COASTED] > 0 or _is_noise(memory, tolerance, difference, noise):
        for c in range(axes, len(rates)):
            rates[c] -= difference[c]


@kernel
def _is_noise(memory, tolerance, change, noise):
    """Whether a change of rates is no larger than the noise of accelerations."""
    allowed = tolerance.relative * memory.clock[FASTEST] + tolerance.absolute
    return weighted_norm(change, tolerance, memory.clock[FASTEST]) * allowed <= noise


@kernel
def _judge(memory, tolerance, noise):
    """Accepts the attempt (FAILURES becomes 0), or shortens the step and may lower the order.

    A nearly singular pose (`dynamics.regularity`), where the error is but noise of accelerations, is passed by
    extrapolation.
    """
    clock, counts = memory.clock, memory.counts
    h = clock[ATTEMPT]
    error = _estimate_errors(memory, tolerance, h, counts[ORDER])
    counts[EVALUATIONS] += 1
    if error <= 1.0:
        counts[FAILURES] = counts[COASTED] = 0
        return
    change, may_coast = memory.guess[counts[ORDER]], counts[ORDER] >= _ORDER_TO_COAST
    if may_coast and counts[COASTED] < _MOST_COASTED and _is_noise(memory, tolerance, change, noise):
        counts[COASTED] += 1
        counts[FAILURES] = 0
        for c in range(len(change)):
            change[c] = 0.0
        return
    counts[FAILURES] += 1
    counts[REJECTED] += 1
    counts[STARTING] = 0
    clock[STEP] = 0.5 * h
    if not math.isfinite(error):
        if h < 1e-12 * max(1.0, abs(clock[TIME])):
            counts[FAILURES] = _HOPELESS + 1
        return
    if counts[LOWER]:
        counts[ORDER] -= 1
    if counts[FAILURES] > 2:
        counts[ORDER] = 1
        if clock[ERROR] > 0.5:
            clock[STEP] = h * min(0.5, math.sqrt(0.5 / clock[ERROR]))


@kernel
def _finish(model, memory, tolerance, stop):
    """After the evaluation at the corrected state: moves histories on and chooses order and step."""
    clock, counts = memory.clock, memory.counts
    h = clock[ATTEMPT]
    _move_on(memory, counts[ORDER])
    clock[TIME] = stop if h == stop - clock[TIME] else clock[TIME] + h
    clock[STEP] = h
    clock[FASTEST] = max(clock[FASTEST], fastest_speed(memory.motion.state.speeds, tolerance.per_scale))
    memory.times[0] = clock[TIME]
    counts[STEPS] += 1
    counts[EVALUATIONS] += 1
    counts[POINTS] = min(counts[POINTS] + 1, HIGHEST_ORDER + 1)
    if counts[COASTED] == 0:
        _choose_order_and_step(memory, tolerance, h, counts[ORDER])
    _remember_charts(model, memory)


@kernel
def _integral_weights(memory, h, count):
    """weights[i]: integral of phi_{i+1}'s polynomial over a time h from now, divided by h, i < count."""
    times, work, weights = memory.times, memory.work, memory.weights
    for q in range(count):
        work[q] = 1.0 / (q + 1.0)
    weights[0] = 1.0
    for i in range(1, count):
        psi = times[0] - times[i]
        gamma, eta = (h + times[0] - times[i - 1]) / psi, h / psi
        for q in range(count - i):
            work[q] = gamma * work[q] - eta * work[q + 1]
        weights[i] = work[0]


@kernel
def _predict(memory):
    """Fills trial.y, its change, the predicted differences `guess`, and beta and sigma for this step."""
    h, k = memory.clock[ATTEMPT], memory.counts[ORDER]
    times, beta, sigma = memory.times, memory.beta, memory.sigma
    beta[0], sigma[0] = 1.0, 1.0
    for i in range(1, k + 1):
        ahead = h + times[0] - times[i - 1]  # psi_i after the step
        if i < k:
            beta[i] = beta[i - 1] * ahead / (times[0] - times[i])
        sigma[i] = i * (h / ahead) * sigma[i - 1]
    _integral_weights(memory, h, k)
    y, p, phi, guess = memory.motion.y, memory.trial.y, memory.phi, memory.guess
    for c in range(len(y)):
        guess[k, c], p[c] = 0.0, 0.0
    for i in range(k - 1, -1, -1):
        weight, ratio = memory.weights[i], beta[i]
        for c in range(len(y)):
            p[c] += weight * phi[i, c]
            guess[i, c] = guess[i + 1, c] + ratio * phi[i, c]
    for c in range(len(y)):
        memory.change[c] = h * p[c] + memory.carry[c]
        p[c] = y[c] + memory.change[c]
    copy_anchors(memory.motion.state, memory.trial.state)


@kernel
def _corrector_weight(memory, h, k):
    """g_{k+1} of the corrector: the integral over the step of the polynomial that is one at its end, over h."""
    times, work = memory.times, memory.work
    for q in range(k + 1):
        work[q] = 1.0 / (q + 1.0)
    for i in range(1, k + 1):
        alpha = h / (h + times[0] - times[i - 1])
        for q in range(k + 1 - i):
            work[q] -= alpha * work[q + 1]
    return work[0]


@kernel
def _estimate_errors(memory, tolerance, h, k):
    """The attempt's local error; leaves the estimates at its order and below, and whether the order should fall."""
    rates, guess, sigma, clock, counts = memory.rates, memory.guess, memory.sigma, memory.clock, memory.counts
    for c in range(len(rates)):
        guess[k, c] = rates[c] - guess[0, c]  # the corrector's change of f, kept in the free row
    change = weighted_norm(guess[k], tolerance, clock[FASTEST])
    low = memory.weights[k - 1] / memory.beta[k - 1]
    clock[ERROR] = h * _GAMMA[k] * sigma[k] * change
    clock[ERROR_BELOW], counts[LOWER] = 0.0, 0
    if k > 1:
        clock[ERROR_BELOW] = h * _GAMMA[k - 1] * sigma[k - 1] * _norm_with_change(memory, tolerance, k - 1, k)
        falls = clock[ERROR_BELOW] <= 0.5 * clock[ERROR]
        if k > 2:
            two_below = h * _GAMMA[k - 2] * sigma[k - 2] * _norm_with_change(memory, tolerance, k - 2, k)
            falls = max(clock[ERROR_BELOW], two_below) <= clock[ERROR]
        counts[LOWER] = 1 if falls else 0
    return h * abs(_corrector_weight(memory, h, k) - low) * change


@kernel
def _norm_with_change(memory, tolerance, row, k):
    """Norm of a predicted difference after the evaluation at the new point has entered it."""
    for c in range(len(memory.rates)):
        memory.guess[k + 1, c] = memory.guess[row, c] + memory.guess[k, c]
    return weighted_norm(memory.guess[k + 1], tolerance, memory.clock[FASTEST])


@kernel
def _correct(memory):
    """Moves y on by the corrector of order k + 1."""
    h, k = memory.clock[ATTEMPT], memory.counts[ORDER]
    y, carry = memory.motion.y, memory.carry
    g = h * _corrector_weight(memory, h, k)
    for c in range(len(y)):
        change = memory.change[c] + g * memory.guess[k, c]
        moved = y[c] + change
        carry[c] = change - (moved - y[c])  # compensated summation (Kahan 1965)
        y[c] = moved


@kernel
def _move_on(memory, k):
    """All differences and histories, by one point."""
    phi, guess = memory.phi, memory.guess
    for c in range(len(memory.rates)):
        highest = memory.rates[c] - guess[0, c]
        phi[k + 1, c] = highest - phi[k, c]
        phi[k, c] = highest
    for i in range(k):
        for c in range(len(memory.rates)):
            phi[i, c] = guess[i, c] + phi[k, c]
    for row in range(_ROWS - 1, 0, -1):
        memory.times[row] = memory.times[row - 1]
        for chart in range(memory.past_angular.shape[1]):
            for c in range(4):
                memory.past_quaternion[row, chart, c] = memory.past_quaternion[row - 1, chart, c]
            for c in range(3):
                memory.past_angular[row, chart, c] = memory.past_angular[row - 1, chart, c]


@kernel
def _choose_order_and_step(memory, tolerance, h, k):
    """For the next step (Shampine and Gordon, section 7.3): raise quickly at the start, then by estimates."""
    clock, counts = memory.clock, memory.counts
    if counts[LOWER] or k == HIGHEST_ORDER:
        counts[STARTING] = 0
    order, error, error_below = k, clock[ERROR], clock[ERROR_BELOW]
    if counts[STARTING]:
        order, error = k + 1, 0.0
    elif counts[LOWER]:
        order, error = k - 1, error_below
    elif counts[EQUAL_STEPS] > k and counts[POINTS] > k + 1:
        above = h * _GAMMA[k + 1] * weighted_norm(memory.phi[k + 1], tolerance, clock[FASTEST])
        if k > 1 and error_below <= min(error, above):
            order, error = k - 1, error_below
        elif k < HIGHEST_ORDER and above < (error if k > 1 else 0.5 * error):
            order, error = k + 1, above
    counts[ORDER] = order
    if counts[STARTING] or error * 2.0 ** (order + 1) <= 0.5:
        clock[STEP] = 2.0 * h
        counts[EQUAL_STEPS] = 0
    elif error > 0.5:
        clock[STEP] = h * max(0.5, min(0.9, (0.5 / error) ** (1.0 / (order + 1))))
        counts[EQUAL_STEPS] = 0
    elif counts[EQUAL_STEPS] > k:
        growth = (0.5 / error) ** (1.0 / (order + 1))
        if growth > _WORTHWHILE:
            clock[STEP] = h * growth
            counts[EQUAL_STEPS] = 0


@kernel
def interpolate(memory, time):
    """Fills `trial` at a time within the last step, by the polynomial through the latest evaluations."""
    h = time - memory.times[0]
    count = min(memory.counts[ORDER], memory.counts[POINTS] - 1) + 1
    _integral_weights(memory, h, count)
    y, p = memory.motion.y, memory.trial.y
    for c in range(len(y)):
        p[c] = memory.carry[c]
    for i in range(count - 1, -1, -1):
        weight = h * memory.weights[i]
        for c in range(len(y)):
            p[c] += weight * memory.phi[i, c]
    for c in range(len(y)):
        p[c] += y[c]
    copy_anchors(memory.motion.state, memory.trial.state)


@kernel
def _remember_charts(model, memory):
    """Writes this point's rotations and angular velocities into the history."""
    state = memory.motion.state
    for chart in range(len(model.charted)):
        first = model.bodies[model.charted[chart]].axis_end - 3
        q = chart_quaternion(state, chart, first)
        for k in range(4):
            memory.past_quaternion[0, chart, k] = q[k]
        for k in range(3):
            memory.past_angular[0, chart, k] = state.speeds[first + k]


@kernel
def _recenter_all(model, memory):
    for chart in range(len(model.charted)):
        recenter(memory.motion.state, chart, model.bodies[model.charted[chart]].axis_end - 3)


@kernel
def _recenter_far_charts(model, memory):
    """Anchors charts that have turned far where they stand, and rebuilds their differences from the past rotations."""
    state, phi = memory.motion.state, memory.phi
    count = min(memory.counts[ORDER] + 2, memory.counts[POINTS])
    for chart in range(len(model.charted)):
        first = model.bodies[model.charted[chart]].axis_end - 3
        if chart_angle(state, first) < _CHART_LIMIT:
            continue
        recenter(state, chart, first)
        for k in range(3):
            memory.carry[first + k] = 0.0
        back = conjugate(_past_quaternion(memory, 0, chart))
        for row in range(count):
            theta = logarithm(multiply_quaternions(back, _past_quaternion(memory, row, chart)))
            past = memory.past_angular
            rate = chart_rate(theta, (past[row, chart, 0], past[row, chart, 1], past[row, chart, 2]))
            for k in range(3):
                phi[row, first + k] = rate[k]
        for k in range(3):
            _divided_differences(memory.times, phi, first + k, count)


@kernel
def _past_quaternion(memory, row, chart):
    q = memory.past_quaternion
    return (q[row, chart, 0], q[row, chart, 1], q[row, chart, 2], q[row, chart, 3])


@kernel
def _divided_differences(times, phi, column, count):
    """Turns values at times[0:count] into modified divided differences, in place."""
    for level in range(1, count):
        for row in range(count - 1, level - 1, -1):
            phi[row, column] = (phi[row - 1, column] - phi[row, column]) / (times[row - level] - times[row])
    scale = 1.0
    for row in range(1, count):
        scale *= times[0] - times[row]
        phi[row, column] *= scale
