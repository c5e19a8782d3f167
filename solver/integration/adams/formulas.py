# SPDX-License-Identifier: GPL-3.0-or-later
"""The formulas of the Adams method: predictor, corrector, errors, orders and steps, and past points in local frames.

Source and symbols: see `adams`.
"""

import numpy as np

from ...kernel import kernel
from ...rotation import chart_rate, conjugate, logarithm, multiply_quaternions
from ..motion.motion import chart_angle, chart_quaternion, copy_anchors, recenter, weighted_norm
from .memory import HIGHEST_ORDER, ROWS

_CHART_LIMIT = 0.5  # rad; a chart's rate is a smooth function up to 2 pi, and well conditioned up to here
_WORTHWHILE = 1.1  # factor by which a step must be able to grow before even spacing is given up

# error constants of the implicit formulas at constant step, gamma*_k (Shampine and Gordon, table 5.1)
_GAMMA = np.array(
    [1, 1 / 2, 1 / 12, 1 / 24, 19 / 720, 3 / 160, 863 / 60480, 275 / 24192, 33953 / 3628800, 8183 / 1036800]
    + [3250433 / 479001600, 4671 / 788480, 13695779093 / 2615348736000, 2224234463 / 475517952000]
)


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
def predict(memory):
    """Fills trial.y, its change, the predicted differences `guess`, and beta and sigma for this step."""
    h, k = memory.clock[0].attempt, memory.counts[0].order
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
def corrector_weight(memory, h, k):
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
def estimate_errors(memory, tolerance, h, k):
    """The attempt's local error; leaves the estimates at its order and below, and whether the order should fall."""
    rates, guess, sigma, clock, counts = memory.rates, memory.guess, memory.sigma, memory.clock[0], memory.counts[0]
    for c in range(len(rates)):
        guess[k, c] = rates[c] - guess[0, c]  # the corrector's change of f, kept in the free row
    change = weighted_norm(guess[k], tolerance, clock.fastest)
    low = memory.weights[k - 1] / memory.beta[k - 1]
    clock.error = h * _GAMMA[k] * sigma[k] * change
    clock.error_below, counts.lower = 0.0, 0
    if k > 1:
        clock.error_below = h * _GAMMA[k - 1] * sigma[k - 1] * _norm_with_change(memory, tolerance, k - 1, k)
        falls = clock.error_below <= 0.5 * clock.error
        if k > 2:
            two_below = h * _GAMMA[k - 2] * sigma[k - 2] * _norm_with_change(memory, tolerance, k - 2, k)
            falls = max(clock.error_below, two_below) <= clock.error
        counts.lower = 1 if falls else 0
    return h * abs(corrector_weight(memory, h, k) - low) * change


@kernel
def _norm_with_change(memory, tolerance, row, k):
    """Norm of a predicted difference after the evaluation at the new point has entered it."""
    for c in range(len(memory.rates)):
        memory.guess[k + 1, c] = memory.guess[row, c] + memory.guess[k, c]
    return weighted_norm(memory.guess[k + 1], tolerance, memory.clock[0].fastest)


@kernel
def correct(memory):
    """Moves y on by the corrector of order k + 1."""
    h, k = memory.clock[0].attempt, memory.counts[0].order
    y, carry = memory.motion.y, memory.carry
    g = h * corrector_weight(memory, h, k)
    for c in range(len(y)):
        change = memory.change[c] + g * memory.guess[k, c]
        moved = y[c] + change
        carry[c] = change - (moved - y[c])  # compensated summation (Kahan 1965)
        y[c] = moved


@kernel
def move_on(memory, k):
    """All differences and histories, by one point."""
    phi, guess = memory.phi, memory.guess
    for c in range(len(memory.rates)):
        highest = memory.rates[c] - guess[0, c]
        phi[k + 1, c] = highest - phi[k, c]
        phi[k, c] = highest
    for i in range(k):
        for c in range(len(memory.rates)):
            phi[i, c] = guess[i, c] + phi[k, c]
    for row in range(ROWS - 1, 0, -1):
        memory.times[row] = memory.times[row - 1]
        for chart in range(memory.past_angular.shape[1]):
            for c in range(4):
                memory.past_quaternion[row, chart, c] = memory.past_quaternion[row - 1, chart, c]
            for c in range(3):
                memory.past_angular[row, chart, c] = memory.past_angular[row - 1, chart, c]


@kernel
def choose_order_and_step(memory, tolerance, h, k):
    """For the next step (Shampine and Gordon, section 7.3): raise quickly at the start, then by estimates."""
    clock, counts = memory.clock[0], memory.counts[0]
    if counts.lower or k == HIGHEST_ORDER:
        counts.starting = 0
    order, error, error_below = k, clock.error, clock.error_below
    if counts.starting:
        order, error = k + 1, 0.0
    elif counts.lower:
        order, error = k - 1, error_below
    elif counts.equal_steps > k and counts.points > k + 1:
        above = h * _GAMMA[k + 1] * weighted_norm(memory.phi[k + 1], tolerance, clock.fastest)
        if k > 1 and error_below <= min(error, above):
            order, error = k - 1, error_below
        elif k < HIGHEST_ORDER and above < (error if k > 1 else 0.5 * error):
            order, error = k + 1, above
    counts.order = order
    if counts.starting or error * 2.0 ** (order + 1) <= 0.5:
        clock.step = 2.0 * h
        counts.equal_steps = 0
    elif error > 0.5:
        clock.step = h * max(0.5, min(0.9, (0.5 / error) ** (1.0 / (order + 1))))
        counts.equal_steps = 0
    elif counts.equal_steps > k:
        growth = (0.5 / error) ** (1.0 / (order + 1))
        if growth > _WORTHWHILE:
            clock.step = h * growth
            counts.equal_steps = 0


@kernel
def interpolate(memory, time):
    """Fills `trial` at a time within the last step, by the polynomial through the latest evaluations."""
    h = time - memory.times[0]
    count = min(memory.counts[0].order, memory.counts[0].points - 1) + 1
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
def remember_charts(model, memory):
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
def recenter_all(model, memory):
    """Anchors all charts where they stand."""
    for chart in range(len(model.charted)):
        recenter(memory.motion.state, chart, model.bodies[model.charted[chart]].axis_end - 3)


@kernel
def recenter_far_charts(model, memory):
    """Anchors charts that have turned far where they stand, and rebuilds their differences from the past rotations."""
    state, phi = memory.motion.state, memory.phi
    count = min(memory.counts[0].order + 2, memory.counts[0].points)
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
