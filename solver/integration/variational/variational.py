# SPDX-License-Identifier: GPL-3.0-or-later
"""The variational integrator: steps of fixed length that keep momentum to the last digits and energy within bounds.

Not the equations of motion are made discrete but Hamilton's principle (Wendlandt, Marsden 1997; Wendlandt 1997,
chapters 2 and 5). In a step from x0 to x1 the discrete Lagrangian takes the kinetic energy by the midpoint rule,
rotations by quaternions (`dynamics.tree.increments`), and the potential energy at both ends; for weight that is the
midpoint too. With the joints' and closures' conditions g, the discrete Euler-Lagrange equations at a node between two
steps are
    D2 L(x-1, x0) + D1 L(x0, x1) + forces + G(x0)^T lambda = 0,   g(x1) = 0,
of second order, symmetric in time, and symplectic. Forces without a potential enter as half an impulse at either end of
each step (the discrete principle of d'Alembert; Marsden and West 2001, section 3.2): at the velocities of its node, but
for dampers of joints, which act at the mean rate of the step and so may be stiff.

Conditions of the trees' joints are met by their coordinates, and their multipliers drop out by J^T, J(x0) the motion of
the bodies along the axes at a node (Lee, Liu, Park, Srinivasa 2016). From coordinates q and speeds u at a node, with K
the momenta that leave it and P(w) those of a step in which the axes change at the mean rates w:
    K = M u + h/2 forces,   J(q)^T (K - P(w)) + G(q)^T lambda = 0,   g(q + h w) = 0;
at its end, J'^T (P(w) + h/2 forces' - M' u') + G'^T mu = 0 and G' u' = 0 give the speeds of the next node, by which it
is drawn, and velocity-dependent forces act.
"""

import math

import numpy as np

from ...dynamics.forces.parameters import update_parameters
from ...dynamics.loops.ropes import OUT, reaches_wheel
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.increments import update_driven_increments
from ...evaluation.forward_dynamics import update_rates
from ...kernel import entry, kernel
from ...model.arrays import Hold, Model, Scratch
from ..motion.between import sample_state
from ..motion.motion import Status, Tolerance, copy_anchors, fastest_speed, recenter
from ..motion.observation import Frames, new_frames, write_frame
from .equations import add_motors, arrive, clear, evaluate_forces, find_rates, leaps, leave, predict, total
from .memory import VariationalMemory

_DONE, _PAUSED, _NOT_FINITE = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE)
_STEP_TOO_LONG, _ROPE_OUT = int(Status.STEP_TOO_LONG), int(Status.ROPE_OUT)
_FOLDED = int(Status.FOLDED)
_BY_MOTOR = int(Hold.MOTOR)
_SAME = 1e-6  # of a step: times that are one
_GRAVITY = 9.81  # m/s2: what starts from rest is as fast as it falls in a step
_UNBOUNDED = 1 << 40  # evaluations


@entry
def advance_variational(
    model: Model,
    scratch: Scratch,
    memory: VariationalMemory,
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
    limit = counts.evaluations + evaluations
    jumps = False
    if begin:
        counts.known, clock.fall = 0, 1.0
        jumps = _hold_by_motors(model, scratch)
    while True:
        while not jumps and frame < len(frame_times) and frame_times[frame] <= min(clock.time, until):
            clear(model, scratch)
            update_rates(model, clock.time, state, scratch, memory.trial.y)
            write_frame(model, state, scratch, frames, frame)
            counts.evaluations += 1
            frame += 1
        if not jumps and clock.time >= min(stop, until):
            return _DONE, frame
        if not jumps and counts.evaluations >= limit:
            return _PAUSED, frame
        end, h = _plan(clock.time, memory.interval, stop if frame >= len(frame_times) else frame_times[frame], stop)
        if jumps:
            end, h, jumps = clock.time, 0.0, False
        status = _step(model, scratch, memory, tolerance, end, h)
        if status != _DONE:
            return status, frame
        sample_state(model, scratch, state, frame_times, frame, frames, clock.time)


@kernel
def _plan(t, interval, frame_time, stop):
    """(end, length) of the next step (s): to the next multiple of the interval, or to what comes before."""
    end, h, goal = (math.floor(t / interval + _SAME) + 1.0) * interval, interval, min(frame_time, stop)
    if goal < end + _SAME * interval:
        end = goal
    return end, h if abs(end - t - h) <= _SAME * h else end - t


@kernel
def _hold_by_motors(model, scratch):
    """Motors that keep a speed take hold of their axes; True if there are such."""
    is_held = False
    for number in range(len(model.switched)):
        if model.switched[number].motor:
            scratch.switches[number].hold, is_held = _BY_MOTOR, True
    return is_held


@kernel
def _step(model, scratch, memory, tolerance, end, h):
    """One step of h (s) to the time `end`; with h = 0 only the speeds jump to what holds now. Returns a Status."""
    clock, state, trial = memory.clock[0], memory.motion.state, memory.trial.state
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    for c in range(len(memory.motion.y)):
        memory.began.y[c] = memory.motion.y[c]
    copy_anchors(state, memory.began.state)
    copy_anchors(state, trial)
    clear(model, scratch)
    evaluate_forces(model, clock.time, state, scratch)
    reaches = reaches_wheel(model, scratch, h)
    if reaches != 0:
        return _ROPE_OUT if reaches == OUT else _STEP_TOO_LONG
    leave(model, scratch, memory, state, h)
    slowest = max(clock.fastest, h * _GRAVITY / model.size)
    if h == 0.0:
        _stay(model, memory, state, trial)
    else:
        update_driven_bodies(model, end, memory.after)
        update_driven_increments(model, scratch, memory.after, memory.increments)
        predict(model, scratch, memory, state)
        add_motors(model, scratch, memory, 0.5)
        update_parameters(model, end, scratch)
        add_motors(model, scratch, memory, 0.5)
        for k in range(len(memory.rate)):
            memory.guess[k] = memory.rate[k]
        if not find_rates(model, scratch, memory, tolerance, h, slowest):
            if memory.counts[0].coasted > 0:
                return _FOLDED
            return _STEP_TOO_LONG if math.isfinite(total(memory.rate)) else _NOT_FINITE
    if not arrive(model, scratch, memory, tolerance, end, h, slowest):
        return _STEP_TOO_LONG if math.isfinite(total(trial.speeds)) else _NOT_FINITE
    if h > 0.0 and leaps(model, scratch, memory, tolerance, slowest):
        return _FOLDED
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    clock.fastest = max(clock.fastest, fastest_speed(state.speeds, tolerance.per_scale))
    if h > 0.0:
        _remember(memory)
        clock.began, clock.time = clock.time, end
        memory.counts[0].steps += 1
    return _DONE


@kernel
def _stay(model, memory, state, trial):
    """Carries nothing: what leaves a node arrives at the same."""
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.arriving[i, k] = memory.leaving[i, k]
    for k in range(len(memory.rate)):
        memory.rate[k], trial.coordinates[k] = state.speeds[k], state.coordinates[k]


@kernel
def _remember(memory):
    before = memory.before
    for k in range(len(memory.rate)):
        for past in range(len(before) - 1, 0, -1):
            before[past, k] = before[past - 1, k]
        before[0, k] = memory.rate[k]
    memory.counts[0].known += 1


def go_to_variational(
    model: Model, scratch: Scratch, memory: VariationalMemory, tolerance: Tolerance, time: float
) -> None:
    """Goes back to a time (s) that `advance_variational` has just passed: the last step is taken anew, up to there."""
    clock = memory.clock[0]
    if time >= clock.time:
        return
    memory.motion.y[:], memory.motion.state.anchor[:] = memory.began.y, memory.began.state.anchor
    clock.time, memory.counts[0].known, clock.fall = clock.began, 0, 1.0
    if time > clock.time:
        none, frames = np.zeros(0), new_frames(model, 0)
        advance_variational(model, scratch, memory, tolerance, False, time, time, math.inf, none, 0, frames, _UNBOUNDED)
