# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit Runge-Kutta of order 8 with error control by orders 5 and 3: the second integrator, a check on the first.

Method and coefficients: DOP853 of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), section
II.10, as scipy publishes them. Each step starts its charts anew, and frames are met by shortening steps.
"""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.acceleration import update_rates
from ..kernel import entry, kernel
from ..mechanism.model import Model, Scratch, State
from .motion import (
    Motion,
    Status,
    Tolerance,
    coordinate_weight,
    fastest_speed,
    new_motion,
    recenter,
    speed_weight,
    weighted_norm,
)
from .observation import Frames, observe

_STAGES = 12
_SHORTEST = 4.0 * np.finfo(float).eps
_DONE, _PAUSED = int(Status.DONE), int(Status.PAUSED)
_NOT_FINITE, _STEP_TOO_SHORT = int(Status.NOT_FINITE), int(Status.STEP_TOO_SHORT)

# entries of `clock` and of `counts`
TIME, STEP, FASTEST = range(3)
EVALUATIONS, STEPS, REJECTED = range(3)


class RungeKuttaMemory(NamedTuple):
    """All that a linkage's integration remembers between calls, and the method's coefficients."""

    motion: Motion
    trial: Motion
    stages: np.ndarray  # (_STAGES + 1, 2 A)
    error: np.ndarray  # (2, 2 A)
    clock: np.ndarray  # (3,)
    counts: np.ndarray  # (3,) int64
    matrix: np.ndarray  # (_STAGES, _STAGES)
    weights: np.ndarray  # (_STAGES,)
    nodes: np.ndarray  # (_STAGES,)
    fifth: np.ndarray  # (_STAGES + 1,): error weights of order 5
    third: np.ndarray  # (_STAGES + 1,): of order 3


def new_runge_kutta_memory(model: Model, state: State) -> RungeKuttaMemory:
    from scipy.integrate import DOP853

    axes = len(model.armature)
    return RungeKuttaMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        stages=np.zeros((_STAGES + 1, 2 * axes)),
        error=np.zeros((2, 2 * axes)),
        clock=np.zeros(3),
        counts=np.zeros(3, np.int64),
        matrix=np.array(DOP853.A[:_STAGES, :_STAGES]),
        weights=np.array(DOP853.B[:_STAGES]),
        nodes=np.array(DOP853.C[:_STAGES]),
        fifth=np.array(DOP853.E5),
        third=np.array(DOP853.E3),
    )


@entry
def start_runge_kutta(model: Model, scratch: Scratch, memory: RungeKuttaMemory, tolerance: Tolerance, time, longest):
    """Begins, or begins anew after a jump, with a first step from the size of the rates."""
    clock, state = memory.clock, memory.motion.state
    clock[TIME] = time
    clock[FASTEST] = max(clock[FASTEST], fastest_speed(state.speeds, tolerance.scale))
    update_rates(model, time + 1e-12 * max(1.0, abs(time)), state, scratch, memory.stages[0])
    memory.counts[EVALUATIONS] += 1
    parts = coordinate_weight(tolerance), speed_weight(tolerance, clock[FASTEST])
    size = weighted_norm(memory.stages[0], tolerance.scale, parts[0], parts[1])
    clock[STEP] = longest
    if size * longest > 1.0:
        clock[STEP] = 1.0 / size


@entry
def advance_runge_kutta(
    model: Model,
    scratch: Scratch,
    memory: RungeKuttaMemory,
    tolerance: Tolerance,
    stop,
    longest,
    frame_times,
    first_frame,
    frames: Frames,
    evaluations,
):
    """Steps up to `stop` (s) and writes the frames on the way; same contract as `advance_adams`."""
    frame, clock, counts = first_frame, memory.clock, memory.counts
    limit = counts[EVALUATIONS] + evaluations
    while clock[TIME] < stop:
        if counts[EVALUATIONS] >= limit:
            return _PAUSED, frame
        goal = min(stop, frame_times[frame]) if frame < len(frame_times) else stop
        status = _step(model, scratch, memory, tolerance, goal, longest)
        if status != _DONE:
            return status, frame
        while frame < len(frame_times) and frame_times[frame] <= clock[TIME]:
            observe(model, clock[TIME], memory.motion.state, scratch, frames, frame)
            counts[EVALUATIONS] += 1
            frame += 1
    return _DONE, frame


@kernel
def _step(model, scratch, memory, tolerance, goal, longest):
    """One accepted step towards `goal`, however many attempts it takes."""
    clock, counts, stages = memory.clock, memory.counts, memory.stages
    time, failures = clock[TIME], 0
    for chart in range(len(model.chart_axis)):
        recenter(memory.motion.state, chart, model.chart_axis[chart])
    memory.trial.state.anchor[:, :] = memory.motion.state.anchor
    update_rates(model, time + 1e-12 * max(1.0, abs(time)), memory.motion.state, scratch, stages[0])
    counts[EVALUATIONS] += 1
    while True:
        left = goal - time
        h = min(clock[STEP], longest)
        if h >= left * (1.0 - 1e-9):
            h = left
        if h < _SHORTEST * abs(time) and h < left:
            return _STEP_TOO_SHORT
        _run_stages(model, scratch, memory, time, h)
        counts[EVALUATIONS] += _STAGES
        error = _error(memory, tolerance, h)
        if error <= 1.0:
            break
        failures += 1
        counts[REJECTED] += 1
        if not math.isfinite(error):
            if failures > 40 or h < 1e-12 * max(1.0, abs(time)):
                return _NOT_FINITE
            clock[STEP] = 0.1 * h
        else:
            clock[STEP] = h * max(0.2, 0.9 * error ** (-1.0 / 8.0))
    memory.motion.y[:] = memory.trial.y
    clock[TIME] = goal if h == left else time + h
    clock[FASTEST] = max(clock[FASTEST], fastest_speed(memory.motion.state.speeds, tolerance.scale))
    counts[STEPS] += 1
    growth = 5.0 if error == 0.0 else min(5.0, 0.9 * error ** (-1.0 / 8.0))
    if failures:
        growth = min(1.0, growth)
    clock[STEP] = max(clock[STEP], h * growth) if h == left else h * growth
    return _DONE


@kernel
def _run_stages(model, scratch, memory, time, h):
    """Fills the stages after the first, and the new state in `trial`."""
    y, p, stages = memory.motion.y, memory.trial.y, memory.stages
    for stage in range(1, _STAGES + 1):
        for c in range(len(y)):
            p[c] = 0.0
        for other in range(stage):
            weight = memory.weights[other] if stage == _STAGES else memory.matrix[stage, other]
            if weight != 0.0:
                for c in range(len(y)):
                    p[c] += weight * stages[other, c]
        for c in range(len(y)):
            p[c] = y[c] + h * p[c]
        node = 1.0 if stage == _STAGES else memory.nodes[stage]
        update_rates(model, time + node * h, memory.trial.state, scratch, stages[stage])


@kernel
def _error(memory, tolerance, h):
    """The blend of both error estimates (Hairer, Norsett, Wanner, eq. II.10.17), weighted."""
    fifth, third = memory.error[0], memory.error[1]
    for c in range(len(fifth)):
        fifth[c], third[c] = 0.0, 0.0
        for stage in range(_STAGES + 1):
            fifth[c] += h * memory.fifth[stage] * memory.stages[stage, c]
            third[c] += h * memory.third[stage] * memory.stages[stage, c]
    weight_q, weight_u = coordinate_weight(tolerance), speed_weight(tolerance, memory.clock[FASTEST])
    a = weighted_norm(fifth, tolerance.scale, weight_q, weight_u)
    b = weighted_norm(third, tolerance.scale, weight_q, weight_u)
    size = math.sqrt(a * a + 0.01 * b * b)
    return 0.0 if size == 0.0 else a * a / size
