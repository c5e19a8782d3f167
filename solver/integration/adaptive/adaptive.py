# SPDX-License-Identifier: GPL-3.0-or-later
"""The adaptive integrator: the active region by Runge-Kutta, from choice to choice (Redon, Galoppo, Lin 2005).

At both ends of each step, which are of one length, all accelerations of the linkage are known. Those of the joints that
are held are left out: together at most half of the bound that was given where the joints are chosen (`region`), and at
most the bound where the step ends; else it is taken anew with more joints. A step is as many steps of Runge-Kutta of a
hybrid linkage (`hybrid`) as its tolerance asks for. Joints that are to be held, and still move, are stopped by a blow
that keeps the momentum of all others (`momentum`).

The paper chooses every so many steps, and looks at the start only: what begins in between is late by so much.
"""

import math
from dataclasses import dataclass

import numpy as np

from ...model.arrays import ASK_GAP, Model, Scratch, State, new_scratch, records
from ..motion.motion import Motion, Status, Tolerance, new_motion
from ..motion.observation import Frames, new_frames, write_now
from ..runge_kutta.runge_kutta import RungeKuttaMemory, advance_runge_kutta, new_runge_kutta_memory
from .hybrid import Hybrid, hybrid_of, rigid_parts
from .region import joints_to_simulate, left_out
from .rigid_parts import speeds_of_momenta

_SAME = 1e-6  # of a step: times that are one
_CHOSEN = 0.5  # of the bound: what is left out where a step begins
_ATTEMPTS = 7  # with more and more joints; the last is with all
_UNBOUNDED = 1 << 40  # evaluations
CLOCK = np.dtype(
    [
        ("time", "f8"),  # s
        ("fastest", "f8"),  # 1/s: largest speed so far
        ("began", "f8"),  # s: where the last step began
        (
            "known",
            "f8",
        ),  # s: the time at which the whole linkage was evaluated last; NaN if its state has changed since
        ("busiest", "f8"),  # s: when most joints were simulated
        ("left_out", "f8"),  # rad/s2, sizes/s2: the most that was left out at the end of a step
    ],
    align=True,
)
COUNTS = np.dtype(
    [
        ("evaluations", "i8"),  # of hybrid linkages and whole ones
        ("steps", "i8"),  # of Runge-Kutta
        ("chosen", "i8"),  # steps of the length that was given
        ("rejected", "i8"),  # attempts at them
        ("simulated", "i8"),  # joints, in all of them together
        ("most", "i8"),  # joints in one of them
    ],
    align=True,
)


@dataclass
class ActiveRegion:
    """A hybrid linkage under way."""

    is_active: np.ndarray  # (B,) bool
    hybrid: Hybrid
    scratch: Scratch
    memory: RungeKuttaMemory
    tolerance: Tolerance
    frames: Frames  # none
    end: float = math.inf  # s: to which it goes on


@dataclass
class Attempt:
    """A step under way."""

    end: float  # s
    start: Motion  # where it begins, before anything is stopped
    more: np.ndarray  # (B,) bool: joints that matter at its end, as attempts before have shown
    number: int = 1


@dataclass
class AdaptiveMemory:
    """A linkage's integration between calls."""

    motion: Motion
    began: Motion  # where the last step began, what is held then already stopped
    bound: float  # rad/s2, or parts of the size per s2: of the accelerations that are left out
    interval: float  # s: steps end at its multiples
    clock: np.recarray  # (1,) CLOCK
    counts: np.recarray  # (1,) COUNTS
    rates: np.ndarray  # (2 A,)
    elsewhere: Frames  # room for one, where no frame is due
    region: ActiveRegion | None = None
    attempt: Attempt | None = None


def new_adaptive_memory(model: Model, state: State, interval: float, bound: float) -> AdaptiveMemory:
    """Memory for a linkage that starts in this state, which is copied; interval (s) of steps, bound (rad/s2)."""
    return AdaptiveMemory(
        motion=new_motion(state),
        began=new_motion(state),
        bound=bound,
        interval=interval,
        clock=records(1, CLOCK),
        counts=records(1, COUNTS),
        rates=np.zeros(2 * len(model.armature)),
        elsewhere=new_frames(model, 1),
    )


def advance_adaptive(
    model: Model,
    scratch: Scratch,
    memory: AdaptiveMemory,
    tolerance: Tolerance,
    begin: bool,
    stop: float,
    until: float,
    longest: float,
    frame_times: np.ndarray,
    frame: int,
    frames: Frames,
    evaluations: int,
) -> tuple[int, int]:
    """Steps up to `stop` (s) and writes the frames on the way; same contract as `advance_adams`.

    Steps have a length of their own, and are cut only at `stop` and at frames that do not fall on their ends.
    """
    clock, counts = memory.clock[0], memory.counts[0]
    limit = counts.evaluations + evaluations
    if begin:
        memory.region, memory.attempt, clock.known = None, None, math.nan
        memory.elsewhere = new_frames(model, 1)
    while True:
        while frame < len(frame_times) and frame_times[frame] <= min(clock.time, until):
            _evaluate(model, scratch, memory, frame_times, frame, frames)
            frame += 1
        if clock.time >= min(stop, until):
            return Status.DONE, frame
        if counts.evaluations >= limit:
            return Status.PAUSED, frame
        if memory.attempt is None:
            end = _end_of_step(clock.time, memory.interval, min(stop, *frame_times[frame : frame + 1]))
            memory.attempt = Attempt(end, new_motion(memory.motion.state), np.zeros(len(model.bodies), bool))
            _begin_attempt(model, scratch, memory, tolerance)
        status = _go_on(memory, longest, limit - counts.evaluations)
        if status == Status.DONE:
            _evaluate(model, scratch, memory, frame_times, frame, frames)
            _judge(model, scratch, memory, tolerance)
        elif status != Status.PAUSED:
            return status, frame


def _end_of_step(time: float, interval: float, goal: float) -> float:
    """s: the next multiple of the interval, or what comes before."""
    end = (math.floor(time / interval + _SAME) + 1.0) * interval
    return goal if goal < end + _SAME * interval else end


def _evaluate(
    model: Model, scratch: Scratch, memory: AdaptiveMemory, frame_times: np.ndarray, frame: int, frames: Frames
) -> None:
    """Evaluates the whole linkage where it is, unless that is known, and writes it if it is where a frame is due."""
    time = memory.clock[0].time
    if memory.clock[0].known == time:
        return
    is_due = frame < len(frame_times) and frame_times[frame] <= time
    one = Frames(*(array[frame : frame + 1] for array in frames)) if is_due else memory.elsewhere
    write_now(model, scratch, memory.motion.state, time, memory.rates, one)
    memory.counts[0].evaluations += 1
    memory.clock[0].known = time


def _begin_attempt(model: Model, scratch: Scratch, memory: AdaptiveMemory, tolerance: Tolerance) -> None:
    """Chooses the joints of an attempt, where its step begins, besides those that are known to matter at its end."""
    attempt = memory.attempt
    _evaluate(model, scratch, memory, np.zeros(0), 0, memory.elsewhere)
    bound = _CHOSEN * memory.bound if attempt.number < _ATTEMPTS else 0.0
    _hold(model, scratch, memory, tolerance, attempt.more | _chosen(model, scratch, memory, tolerance, bound))
    memory.began.y[:], memory.began.state.anchor[:] = memory.motion.y, memory.motion.state.anchor
    _aim(memory, attempt.end)


def _judge(model: Model, scratch: Scratch, memory: AdaptiveMemory, tolerance: Tolerance) -> None:
    """Ends the step, which has just been evaluated at its end, or begins another attempt with more joints."""
    clock, counts, attempt = memory.clock[0], memory.counts[0], memory.attempt
    is_active = memory.region.is_active
    left = left_out(model, scratch.accelerations, tolerance.per_scale, is_active)
    if left > memory.bound:
        counts.rejected += 1
        attempt.more = is_active | _chosen(model, scratch, memory, tolerance, _CHOSEN * memory.bound)
        attempt.number += 1
        memory.motion.y[:], memory.motion.state.anchor[:] = attempt.start.y, attempt.start.state.anchor
        clock.time, clock.known = clock.began, math.nan
        _begin_attempt(model, scratch, memory, tolerance)
        return
    memory.attempt = None
    count = int(np.count_nonzero(is_active)) - model.driven
    counts.chosen, counts.simulated = counts.chosen + 1, counts.simulated + count
    clock.left_out = max(clock.left_out, left)
    if count > counts.most:
        counts.most, clock.busiest = count, clock.began


def _chosen(model: Model, scratch: Scratch, memory: AdaptiveMemory, tolerance: Tolerance, bound: float) -> np.ndarray:
    """(B,) bool: the joints that are active where the whole linkage has just been evaluated."""
    speeds = memory.motion.state.speeds
    return joints_to_simulate(model, scratch.accelerations, speeds, tolerance.per_scale, bound, memory.interval)


def _hold(model: Model, scratch: Scratch, memory: AdaptiveMemory, tolerance: Tolerance, is_active: np.ndarray) -> None:
    """Makes these joints (B,) of a state that has just been evaluated the active ones, and stops all others."""
    state = memory.motion.state
    part, parts = rigid_parts(model, scratch, is_active)
    if memory.region is None or (memory.region.is_active != is_active).any():
        memory.region = _new_region(hybrid_of(model, scratch, part, parts), memory, tolerance, is_active)
    region = memory.region
    hybrid, of_hybrid = region.hybrid, region.memory.motion.state
    is_held = np.ones(len(state.speeds), bool)
    is_held[hybrid.axes] = False
    if state.speeds[is_held].any():
        hybrid.gather(state, of_hybrid)
        along = model.armature[hybrid.axes] * of_hybrid.speeds
        speeds_of_momenta(hybrid.model, memory.clock[0].time, of_hybrid, region.scratch, parts, along)
        hybrid.scatter(of_hybrid, state)


def _new_region(hybrid: Hybrid, memory: AdaptiveMemory, tolerance: Tolerance, is_active: np.ndarray) -> ActiveRegion:
    """The region of these bodies' joints (B,); its first step is as long as the last one was."""
    axes, charts = len(hybrid.axes), len(hybrid.charts)
    made, before = new_runge_kutta_memory(hybrid.model, _empty(axes, charts)), memory.region
    if before is not None:
        made.clock.step, made.clock.fastest = before.memory.clock.step, before.memory.clock.fastest
    else:
        made.counts.begins = 1
    made.clock.spare = math.inf
    room = new_scratch(hybrid.model)
    room.closed[:] = ASK_GAP
    per_axis = {"per_scale": tolerance.per_scale[hybrid.axes], "per_coordinate": tolerance.per_coordinate[hybrid.axes]}
    return ActiveRegion(is_active, hybrid, room, made, tolerance._replace(**per_axis), new_frames(hybrid.model, 0))


def _empty(axes: int, charts: int) -> State:
    return State(np.zeros(axes), np.zeros(axes), np.zeros((charts, 4)))


def _aim(memory: AdaptiveMemory, end: float) -> None:
    """Puts the active region where the linkage is, to go on to a time (s)."""
    memory.region.end = end
    memory.region.memory.clock.time = memory.clock[0].time
    memory.region.hybrid.gather(memory.motion.state, memory.region.memory.motion.state)


def _go_on(memory: AdaptiveMemory, longest: float, evaluations: int) -> int:
    """Lets the active region go on; the linkage takes its state over once it is there. Returns a Status."""
    clock, counts, region = memory.clock[0], memory.counts[0], memory.region
    made = region.memory
    tallies, before = made.counts[0], (made.counts[0].evaluations, made.counts[0].steps)
    status, _ = advance_runge_kutta(
        region.hybrid.model, region.scratch, made, region.tolerance, bool(tallies.begins), region.end, region.end,
        longest, np.zeros(0), 0, region.frames, evaluations,
    )  # fmt: skip
    counts.evaluations += tallies.evaluations - before[0]
    counts.steps += tallies.steps - before[1]
    if status != Status.PAUSED:
        region.hybrid.scatter(made.motion.state, memory.motion.state)
        clock.began, clock.time, clock.known = clock.time, made.clock[0].time, math.nan
        clock.fastest = max(clock.fastest, made.clock[0].fastest)
    return status


def go_to_adaptive(model: Model, scratch: Scratch, memory: AdaptiveMemory, tolerance: Tolerance, time: float) -> None:
    """Goes back to a time (s) that `advance_adaptive` has just passed: the last step is taken anew, up to there."""
    clock = memory.clock[0]
    if time >= clock.time:
        return
    memory.motion.y[:], memory.motion.state.anchor[:] = memory.began.y, memory.began.state.anchor
    clock.time, clock.known, memory.attempt = clock.began, math.nan, None
    if time > clock.time:
        _aim(memory, time)
        _go_on(memory, math.inf, _UNBOUNDED)
