# SPDX-License-Identifier: GPL-3.0-or-later
"""Explicit Runge-Kutta of order 8 with error control by orders 5 and 3: the second integrator, a check on the first.

Method and coefficients: DOP853 of Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993), section
II.10, as scipy publishes them. Each step starts its charts anew, and frames are met by shortening steps.
"""

import math
from typing import NamedTuple

import numpy as np

from ...contact.soft.soft_contact import longest_step
from ...contact.soft.totals import add_to_tally, begin_tally, hand_over
from ...dynamics.forces.switching import BEHIND, SLIGHT
from ...dynamics.loops.drift import settle
from ...dynamics.loops.ropes import longest_at_wheels
from ...dynamics.tree.surface_joints import leave_poles
from ...evaluation.forward_dynamics import update_rates
from ...kernel import by_reference, entry, kernel
from ...model.arrays import Model, Scratch, State, records
from ..motion.between import sample_state
from ..motion.motion import (
    Motion,
    Status,
    Tolerance,
    copy_anchors,
    fastest_speed,
    keep_gaps,
    new_motion,
    next_guess,
    recenter,
    spare,
    weighted_norm,
)
from ..motion.observation import Frames, write_frame
from ..motion.release import SEARCH, begin_search, looks_within, margin_of_holds, note_margin

_STAGES = 12
_SHORTEST = 4.0 * np.finfo(float).eps
_HOPELESS = 100  # failures in a row
_DONE, _PAUSED = int(Status.DONE), int(Status.PAUSED)
_NOT_FINITE, _STEP_TOO_SHORT = int(Status.NOT_FINITE), int(Status.STEP_TOO_SHORT)
_SWITCHED, _ROPE_OUT = int(Status.SWITCHED), int(Status.ROPE_OUT)
_AT_ONCE = 1e-14  # of the time: steps that tell no moments apart

CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("step", "f8"),  # s: the next one's length
        ("fastest", "f8"),  # 1/s: largest speed so far
        ("attempt", "f8"),  # s: the last attempt's step
        ("spare", "f8"),  # the margin of the modes
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),
        ("steps", "i8"),
        ("failures", "i8"),  # in a row
        ("rejected", "i8"),
        ("begins", "i8"),  # 1 if the next step begins anew
    ],
    align=True,
)


@by_reference
class RungeKuttaMemory(NamedTuple):
    """All that a linkage's integration remembers between calls, and the method's coefficients."""

    motion: Motion
    trial: Motion
    closed: np.ndarray  # (F,) int64: gaps, as the step began
    stages: np.ndarray  # (_STAGES + 1, 2 A)
    error: np.ndarray  # (2, 2 A)
    after: np.ndarray  # (2 A,): the state at the end of an attempt
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS
    search: np.recarray  # (1,) SEARCH
    matrix: np.ndarray  # (_STAGES, _STAGES)
    weights: np.ndarray  # (_STAGES,)
    nodes: np.ndarray  # (_STAGES,)
    fifth: np.ndarray  # (_STAGES + 1,): error weights of order 5
    third: np.ndarray  # (_STAGES + 1,): of order 3


def new_runge_kutta_memory(model: Model, state: State) -> RungeKuttaMemory:
    """Memory for a linkage that starts in this state, which is copied."""
    from scipy.integrate import DOP853

    axes = len(model.armature)
    return RungeKuttaMemory(
        motion=new_motion(state),
        trial=new_motion(state),
        closed=np.zeros(len(model.forces), np.int64),
        stages=np.zeros((_STAGES + 1, 2 * axes)),
        error=np.zeros((2, 2 * axes)),
        after=np.zeros(2 * axes),
        clock=records(1, CLOCK),
        counts=records(1, COUNTS),
        search=records(1, SEARCH),
        matrix=np.array(DOP853.A[:_STAGES, :_STAGES]),
        weights=np.array(DOP853.B[:_STAGES]),
        nodes=np.array(DOP853.C[:_STAGES]),
        fifth=np.array(DOP853.E5),
        third=np.array(DOP853.E3),
    )


@kernel
def _write_now(model, scratch, memory, tolerance, frames, frame):
    """Writes a frame of where it is."""
    clock, state = memory.clock[0], memory.motion.state
    settle(model, clock.time, state, scratch, tolerance.drift, clock.fastest)
    update_rates(model, clock.time, state, scratch, memory.stages[0])
    write_frame(model, state, scratch, frames, frame)
    hand_over(scratch, model, clock.time, frames, frame)


@kernel
def _reject(scratch, memory, step):
    """Goes back to where the step began, to try one of length `step` (s)."""
    memory.clock[0].step = step
    memory.counts[0].rejected += 1
    keep_gaps(scratch.closed, memory.closed)


@entry
def advance_runge_kutta(
    model: Model,
    scratch: Scratch,
    memory: RungeKuttaMemory,
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
    clock, counts, stages = memory.clock[0], memory.counts[0], memory.stages
    state, trial = memory.motion.state, memory.trial.state
    limit = counts.evaluations + evaluations
    if begin:
        counts.begins = 1  # not in this call if it ends here
    while True:
        sample_state(model, scratch, state, frame_times, frame, frames, clock.time)
        while frame < len(frame_times) and frame_times[frame] <= clock.time:
            _write_now(model, scratch, memory, tolerance, frames, frame)
            frame += 1
        if clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit:
            return _PAUSED, frame
        settle(model, clock.time, state, scratch, tolerance.drift, clock.fastest)
        goal = min(stop, until)
        if frame < len(frame_times):
            goal = min(goal, frame_times[frame])
        for stage in range(_STAGES + 1):
            node = _prepare_stage(model, memory, stage)
            update_rates(model, clock.time + node, trial, scratch, stages[stage])
            if stage == 0:
                if counts.begins:
                    begin_tally(scratch, model, clock.time)
                    clock.fastest = max(clock.fastest, fastest_speed(trial.speeds, tolerance.per_scale))
                    clock.spare = spare(model, trial, scratch, tolerance, clock.fastest)
                most = min(longest_step(scratch), longest_at_wheels(model, scratch))
                if not most > 0.0:
                    return _ROPE_OUT, frame
                if not _plan(memory, tolerance, goal, min(longest, most)):
                    return _STEP_TOO_SHORT, frame
        counts.begins = 0
        counts.evaluations += _STAGES + 1
        keep_gaps(memory.closed, scratch.closed)
        now, h = spare(model, trial, scratch, tolerance, clock.fastest), clock.attempt
        is_left = now < 0.0 and clock.spare >= 0.0
        at_once = _AT_ONCE * max(1.0, abs(clock.time))
        if is_left and now < -SLIGHT and h > at_once:
            _reject(scratch, memory, max(at_once, next_guess(0.0, clock.spare, h, now)))
            continue
        error, share = _error(memory, tolerance, h), 1.0
        if error <= 1.0 and not is_left and clock.spare >= 0.0:
            share = _share_before_release(model, scratch, memory, tolerance)
        if share < 1.0:
            _reject(scratch, memory, max(at_once, share * h))
            continue
        _judge(memory, tolerance, goal, error)
        if counts.failures == 0:
            add_to_tally(scratch, model, clock.time)
            clock.spare = now
            if is_left:
                return _SWITCHED, frame
        else:
            keep_gaps(scratch.closed, memory.closed)
        if counts.failures > _HOPELESS:
            return _NOT_FINITE, frame


def go_to_runge_kutta(model: Model, scratch: Scratch, memory: RungeKuttaMemory, tolerance: Tolerance, time):
    """Nothing to do: steps end at the time that they were told."""


@kernel
def _prepare_stage(model, memory, stage):
    """Fills `trial` with the state of a stage; the first re-centres the charts. Returns its time from the step's start.

    Stage 12 is the new state itself.
    """
    y, p, stages, h = memory.motion.y, memory.trial.y, memory.stages, memory.clock[0].attempt
    if stage == 0:
        for chart in range(len(model.charted)):
            recenter(memory.motion.state, chart, model.bodies[model.charted[chart]].axis_end - 3)
        leave_poles(model.rides, model, memory.motion.state)
        copy_anchors(memory.motion.state, memory.trial.state)
        for c in range(len(y)):
            p[c] = y[c]
        # just behind the time, where tables and keys already go on
        return BEHIND * max(1.0, abs(memory.clock[0].time))
    for c in range(len(y)):
        p[c] = 0.0
    for other in range(stage):
        weight = memory.weights[other] if stage == _STAGES else memory.matrix[stage, other]
        if weight != 0.0:
            for c in range(len(y)):
                p[c] += weight * stages[other, c]
    for c in range(len(y)):
        p[c] = y[c] + h * p[c]
    return h if stage == _STAGES else h * memory.nodes[stage]


@kernel
def _share_before_release(model, scratch, memory, tolerance):
    """The share of the attempted step at which what holds lets go in its midst (`motion.release`); 1 if it does not.

    Between the ends a cubic is near enough, as the step is taken again up to that share. Otherwise the end stands
    evaluated as before.
    """
    clock, search, trial, h = memory.clock[0], memory.search[0], memory.trial, memory.clock[0].attempt
    pace = max(
        fastest_speed(memory.motion.state.speeds, tolerance.per_scale),
        fastest_speed(trial.state.speeds, tolerance.per_scale),
    )
    looks = looks_within(model, scratch, h * pace)
    if looks == 0:
        return 1.0
    y, first, last, after = memory.motion.y, memory.stages[0], memory.stages[_STAGES], memory.after
    for c in range(len(y)):
        after[c] = trial.y[c]
    begin_search(search, looks, clock.spare, margin_of_holds(model, scratch), SLIGHT)
    while search.share >= 0.0:
        s = search.share
        for c in range(len(y)):
            change, begin = after[c] - y[c], h * (1.0 - s) * first[c] - h * s * last[c]
            trial.y[c] = y[c] + s * (change + (1.0 - s) * (begin + (2.0 * s - 1.0) * change))
        update_rates(model, clock.time + s * h, trial.state, scratch, memory.error[0])
        memory.counts[0].evaluations += 1
        note_margin(search, margin_of_holds(model, scratch))
    for c in range(len(y)):
        trial.y[c] = after[c]
    update_rates(model, clock.time + h, trial.state, scratch, memory.error[0])
    memory.counts[0].evaluations += 1
    return search.high


@kernel
def _plan(memory, tolerance, goal, longest):
    """Sets the step to attempt; False if it would be too short to tell the times apart."""
    clock = memory.clock[0]
    if memory.counts[0].begins:
        size = weighted_norm(memory.stages[0], tolerance, clock.fastest)
        # at a fine tolerance, one late in the motion might not change the time
        shortest = BEHIND * max(1.0, abs(clock.time))
        clock.step = max(shortest, 1.0 / size) if size * longest > 1.0 else longest
        memory.counts[0].failures = 0
    left = goal - clock.time
    h = min(clock.step, longest)
    if h >= left * (1.0 - 1e-9):
        h = left
    clock.attempt = h
    return h >= _SHORTEST * abs(clock.time) or h == left


@kernel
def _judge(memory, tolerance, goal, error):
    """Takes the attempt over as the new state (`failures` becomes 0), or shortens the step."""
    clock, counts = memory.clock[0], memory.counts[0]
    h = clock.attempt
    if error <= 1.0:
        for c in range(len(memory.motion.y)):
            memory.motion.y[c] = memory.trial.y[c]
        ends = h == goal - clock.time
        clock.time = goal if ends else clock.time + h
        clock.fastest = max(clock.fastest, fastest_speed(memory.motion.state.speeds, tolerance.per_scale))
        growth = 5.0 if error == 0.0 else min(5.0, 0.9 * error ** (-1.0 / 8.0))
        if counts.failures:
            growth = min(1.0, growth)
        clock.step = max(clock.step, h * growth) if ends else h * growth
        counts.steps += 1
        counts.failures = 0
        return
    counts.failures += 1
    counts.rejected += 1
    if math.isfinite(error):
        clock.step = h * max(0.2, 0.9 * error ** (-1.0 / 8.0))
    else:
        clock.step = 0.1 * h
        if h < 1e-12 * max(1.0, abs(clock.time)):
            counts.failures = _HOPELESS + 1


@kernel
def _error(memory, tolerance, h):
    """The blend of both error estimates (Hairer, Norsett, Wanner, eq. II.10.17), weighted."""
    fifth, third = memory.error[0], memory.error[1]
    for c in range(len(fifth)):
        fifth[c], third[c] = 0.0, 0.0
        for stage in range(_STAGES + 1):
            fifth[c] += h * memory.fifth[stage] * memory.stages[stage, c]
            third[c] += h * memory.third[stage] * memory.stages[stage, c]
    a = weighted_norm(fifth, tolerance, memory.clock[0].fastest)
    b = weighted_norm(third, tolerance, memory.clock[0].fastest)
    size = math.sqrt(a * a + 0.01 * b * b)
    return 0.0 if size == 0.0 else a * a / size
