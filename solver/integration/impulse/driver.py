# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps with impulses as Python asks for them: room for points, ways back into the last step, and where rides end."""

import numpy as np

from ...contact.detection.detection_failed import DetectionFailed
from ...dynamics.forces.switching import SLIGHT
from ...dynamics.tree.surface_joints import KNOCKED_OFF
from ...kernel import entry
from ...model.arrays import Model, Scratch
from ..motion.motion import Status, Tolerance, next_guess
from ..motion.observation import Frames, new_frames
from .evaluate import FRAME, evaluate, look_at_rides
from .memory import NO_RIDE, ImpulseMemory
from .step import advance_steps
from .step_control import go_back

_UNBOUNDED = 1 << 40  # evaluations
_MOST_GUESSES, _AT_ONCE = 40, 1e-9  # of where a ride ends in a step; part of the step that tells no moments apart
_JUST_BEHIND = 1e-12  # of the time, where tables already go on


@entry
def begin_rides(model, scratch, memory, behind):
    """Looks at the rides before a step that begins anew, with the forces that are known of contacts."""
    look_at_rides(model, scratch, memory, behind)


@entry
def evaluate_frame(model, scratch, memory):
    """Rows and forces at the present as a frame has them: with what contacts gave on average over the last step."""
    evaluate(model, scratch, memory, memory.clock[0].time, memory.motion.state, memory.stages[0], FRAME)


@entry
def begin_step_anew(memory):
    """Goes back to where the last step began."""
    go_back(memory)


def advance_impulse(
    model: Model,
    scratch: Scratch,
    memory: ImpulseMemory,
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

    Steps have a length of their own: `longest` is not asked, and nothing but rides has to begin anew.
    """
    if memory.ended_ride == NO_RIDE:
        memory.take_over(model)
        if begin and len(model.rides.joints):
            behind = _JUST_BEHIND * max(1.0, abs(memory.clock[0].time))
            begin_rides(model, scratch, memory.arrays, behind)
        limit = memory.counts[0].evaluations + evaluations
        how = stop, until, frame_times, frame, frames, limit
        status, frame = _advance(model, scratch, memory, tolerance, *how)
        if status != Status.SWITCHED:
            return status, frame
        _go_to_end_of_ride(model, scratch, memory, tolerance)
    return Status.SWITCHED if memory.clock[0].time <= until else Status.DONE, frame


def _advance(model, scratch, memory, tolerance, stop, until, frame_times, frame, frames, limit):
    """`advance_steps`, with as much room for points as it takes."""
    memory.bodies, find = scratch.bodies, memory.find.handle
    while True:
        status, frame = advance_steps(
            model, scratch, memory.arrays, find, tolerance, stop, until, frame_times, frame, frames, limit
        )
        memory.take_impacts()
        if status == Status.STOPPED:
            if not isinstance(memory.find.error, DetectionFailed):
                raise memory.find.error
            return status, frame
        if status != Status.NEEDS_ROOM:
            return status, frame
        memory.make_room()


def _take_anew(model, scratch, memory, tolerance, time):
    """Takes the last step anew, up to a time (s) within it."""
    memory.forget_impacts(memory.clock[0].began)
    begin_step_anew(memory.arrays)
    memory.ended_ride = NO_RIDE
    if time <= memory.clock[0].time:
        memory.counts[0].chosen = 0
        return Status.DONE
    frames = new_frames(model, 0)
    status, _ = _advance(model, scratch, memory, tolerance, time, time, np.zeros(0), 0, frames, _UNBOUNDED)
    return status


def _go_to_end_of_ride(model, scratch, memory, tolerance):
    """Goes back to the moment of the last step at which a ride has come to its end; by regula falsi (Illinois).

    A blow has left it just before the blow. A ride that had ended where the step began, ends there: what contacts would
    exert at the very start is known only after a step.
    """
    parting, clock = memory.arrays.parting, memory.clock[0]
    low, high, side = clock.began, clock.time, 0
    (low_spare, high_spare), at_once = parting.margin.copy(), _AT_ONCE * (high - low)
    ended = tuple(map(int, parting.nearest))
    for _ in range(_MOST_GUESSES):
        if ended[1] == KNOCKED_OFF or high - low < at_once or not low_spare > SLIGHT or high_spare > -SLIGHT:
            break
        time = next_guess(low, low_spare, high, high_spare)
        status, now = _take_anew(model, scratch, memory, tolerance, time), parting.margin[1]
        if status == Status.SWITCHED:
            ended = tuple(map(int, parting.nearest))
            low_spare *= 0.5 if side < 0 else 1.0
            high, high_spare, side = time, now, -1
        else:
            high_spare *= 0.5 if side > 0 else 1.0
            low, low_spare, side = time, now, 1
    if ended[1] != KNOCKED_OFF:
        _take_anew(model, scratch, memory, tolerance, high if high_spare > -SLIGHT else low)
    memory.ended_ride = ended


def go_to_impulse(model: Model, scratch: Scratch, memory: ImpulseMemory, tolerance: Tolerance, time: float) -> None:
    """Goes back to a time (s) that `advance_impulse` has just passed: the last step is taken anew, up to there."""
    if time < memory.clock[0].time:
        memory.take_over(model)
        _take_anew(model, scratch, memory, tolerance, time)
