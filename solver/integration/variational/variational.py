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
from ...model.arrays import Model, Scratch
from ..motion.between import is_sampled, note_jump, sample_state
from ..motion.motion import Status, Tolerance, copy_anchors, fastest_speed, recenter
from ..motion.observation import Frames, new_frames, write_frame
from .equations import arrive, arrive_as_it_slides, clear, evaluate_forces, find_rates, leaps, leave, predict, total
from .memory import VariationalMemory
from .set_valued import (
    begin_graphs,
    bound_blow,
    end_graphs,
    ends_sliding,
    hold_at_rest,
    is_at,
    keeps_its_speed,
    least_bounciness,
    least_room,
    least_sliding,
    share_targets,
    show_modes,
    slide_on,
)

_DONE, _PAUSED, _NOT_FINITE = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE)
_STEP_TOO_LONG, _ROPE_OUT = int(Status.STEP_TOO_LONG), int(Status.ROPE_OUT)
_FOLDED = int(Status.FOLDED)
_SAME = 1e-6  # of a step: times that are one
_GRAVITY = 9.81  # m/s2: what starts from rest is as fast as it falls in a step
_MOST_CUT = 50  # steps in a row, at limits; after that axes come to their limits, and strike them, where a step ends
_MOST_ENDED = 4  # steps in a row that are cut where sliding ends; after that it does so within a step
_MOST_TRIALS, _MOST_BLOWS = 60, 20  # of a shorter step; at one moment, of which the last does not bounce
_SLOW = 1e-12  # of the fastest speed: that of an axis which does not strike its limit
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
    if begin:
        counts.known, counts.cut, clock.fall = 0, 0, 1.0
        update_parameters(model, clock.time, scratch)
        if not _begin_speeds(model, scratch, memory, tolerance):
            return _NOT_FINITE, frame
        _bounce(model, scratch, memory, tolerance, frames, frame)
        _try_modes(model, scratch, memory, tolerance)
    while True:
        while frame < len(frame_times) and frame_times[frame] <= min(clock.time, until):
            clear(model, scratch)
            show_modes(model, scratch, memory)
            update_rates(model, clock.time, state, scratch, memory.trial.y)
            write_frame(model, state, scratch, frames, frame)
            counts.evaluations += 1
            frame += 1
        if clock.time >= min(stop, until):
            return _DONE, frame
        if counts.evaluations >= limit:
            return _PAUSED, frame
        end, h = _plan(clock.time, memory.interval, stop if frame >= len(frame_times) else frame_times[frame], stop)
        status = _step(model, scratch, memory, tolerance, end, h)
        if status != _DONE:
            return status, frame
        _bounce(model, scratch, memory, tolerance, frames, frame)
        sample_state(model, scratch, state, frame_times, frame, frames, clock.time)


@kernel
def _plan(t, interval, frame_time, stop):
    """(end, length) of the next step (s): to the next multiple of the interval, or to what comes before."""
    end, h, goal = (math.floor(t / interval + _SAME) + 1.0) * interval, interval, min(frame_time, stop)
    if goal < end + _SAME * interval:
        end = goal
    return end, h if abs(end - t - h) <= _SAME * h else end - t


@kernel
def _begin_speeds(model, scratch, memory, tolerance):
    """Motors without a maximum give their axes their speeds at once; False if these are not finite."""
    for number in range(len(model.switched)):
        if keeps_its_speed(model, scratch, number):
            return _step(model, scratch, memory, tolerance, memory.clock[0].time, 0.0) == _DONE
    return True


@kernel
def _try_modes(model, scratch, memory, tolerance):
    """Finds the modes in which a motion begins, for the forces in joints there, by a step that is not taken."""
    for number in range(len(model.switched)):
        if not keeps_its_speed(model, scratch, number):
            time, h = memory.clock[0].time, memory.interval
            copy_anchors(memory.motion.state, memory.trial.state)
            slowest = max(memory.clock[0].fastest, h * _GRAVITY / model.size)
            _carry(model, scratch, memory, tolerance, time + h, h, slowest, False)
            memory.counts[0].coasted = 0
            return


@kernel
def _step(model, scratch, memory, tolerance, end, h):
    """One step of h (s) to the time `end`, or to the limit that is met before it. Returns a Status.

    With h = 0 only the speeds jump to what holds now.
    """
    clock, counts, state, trial = memory.clock[0], memory.counts[0], memory.motion.state, memory.trial.state
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    for c in range(len(memory.motion.y)):
        memory.began.y[c] = memory.motion.y[c]
    copy_anchors(state, memory.began.state)
    copy_anchors(state, trial)
    slowest, cuts = max(clock.fastest, h * _GRAVITY / model.size), counts.cut
    status = _carry(model, scratch, memory, tolerance, end, h, slowest, cuts >= _MOST_CUT)
    is_cut = status == _DONE and h > 0.0 and _is_past(least_room(model, scratch, state, trial, tolerance.per_scale))
    if status == _DONE and not is_cut:
        end_graphs(model, scratch, memory, tolerance.per_scale, h)
        status = _arrive(model, scratch, memory, tolerance, end, h, slowest)
        rests = h > 0.0 and cuts < _MOST_ENDED and ends_sliding(model, memory, trial.speeds)
        is_cut = status == _DONE and rests
    if is_cut:
        status, h = _cut(model, scratch, memory, tolerance, h, slowest, cuts < _MOST_ENDED)
        end = clock.time + h
    if status != _DONE:
        return status
    if h > 0.0 and leaps(model, scratch, memory, tolerance, slowest):
        return _FOLDED
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    clock.fastest = max(clock.fastest, fastest_speed(state.speeds, tolerance.per_scale))
    if h > 0.0:
        _remember(memory)
        clock.began, clock.time = clock.time, end
        counts.steps += 1
        counts.cut = counts.cut + 1 if is_cut else 0
        counts.known = 0 if is_cut else counts.known
    return _DONE


@kernel
def _carry(model, scratch, memory, tolerance, end, h, slowest, lands):
    """Finds the rates that lead from a node to the next one, h (s) later, at the time `end`. Returns a Status."""
    state = memory.motion.state
    clear(model, scratch)
    evaluate_forces(model, memory.clock[0].time, state, scratch)
    reaches = reaches_wheel(model, scratch, h)
    if reaches != 0:
        return _ROPE_OUT if reaches == OUT else _STEP_TOO_LONG
    leave(model, scratch, memory, state, h)
    begin_graphs(model, scratch, memory, state, tolerance.per_scale, h, lands)
    if h == 0.0:
        _stay(model, memory, state, memory.trial.state)
        return _DONE
    update_driven_bodies(model, end, memory.after)
    update_driven_increments(model, scratch, memory.after, memory.increments)
    update_parameters(model, end, scratch)
    share_targets(model, scratch, memory)
    predict(model, scratch, memory, state)
    if not find_rates(model, scratch, memory, tolerance, h, slowest):
        if memory.counts[0].coasted > 0:
            return _FOLDED
        return _STEP_TOO_LONG if math.isfinite(total(memory.rate)) else _NOT_FINITE
    return _DONE


@kernel
def _arrive(model, scratch, memory, tolerance, end, h, slowest):
    """Finds the speeds at the end of a step. Returns a Status."""
    if arrive(model, scratch, memory, tolerance, end, h, slowest):
        return _DONE
    return _STEP_TOO_LONG if math.isfinite(total(memory.trial.state.speeds)) else _NOT_FINITE


@kernel
def _is_past(room):
    """True if an axis that was within its limits has gone past them."""
    return room < 0.0 and not is_at(room)


@kernel
def _cut(model, scratch, memory, tolerance, h, slowest, turns):
    """(Status, s): a shorter step than one of h (s), which ends where the first limit is met, or sliding ends.

    turns: the latter is looked for. Found by the rule of false position, as in Illinois, on steps of their own
    (Fetecau, Marsden, Ortiz, West 2003).
    """
    begun, early, late, side, part = memory.clock[0].time, 0.0, h, 0, h
    status, past = _room_after(model, scratch, memory, tolerance, h, slowest, turns)
    room = least_room(model, scratch, memory.motion.state, memory.motion.state, tolerance.per_scale)
    room = min(room, least_sliding(model, memory, memory.motion.state.speeds, tolerance.per_scale, slowest))
    for _ in range(_MOST_TRIALS):
        if status != _DONE or is_at(past):
            break
        part = early + (late - early) * room / (room - past) if past < 0.0 else 0.5 * (early + late)
        status, found = _room_after(model, scratch, memory, tolerance, part, slowest, turns)
        if is_at(found) or not early < part < late:
            break
        if found > 0.0:
            past = 0.5 * past if side == 1 else past
            early, room, side = part, found, 1
        else:
            room = 0.5 * room if side == -1 else room
            late, past, side = part, found, -1
    if status == _DONE:
        end_graphs(model, scratch, memory, tolerance.per_scale, part)
        if turns:
            hold_at_rest(model, memory, memory.trial.state.speeds, tolerance.per_scale, slowest)
        status = _arrive(model, scratch, memory, tolerance, begun + part, part, slowest)
    return status, part


@kernel
def _room_after(model, scratch, memory, tolerance, h, slowest, turns):
    """(Status, room): how far limits, or the end of sliding, are off after a step of h (s)."""
    end, scale = memory.clock[0].time + h, tolerance.per_scale
    status = _carry(model, scratch, memory, tolerance, end, h, slowest, False)
    if status != _DONE:
        return status, 0.0
    room = least_room(model, scratch, memory.motion.state, memory.trial.state, scale)
    if turns and (room > 0.0 or is_at(room)):
        end_graphs(model, scratch, memory, scale, h)
        slide_on(model, memory)
        if not arrive_as_it_slides(model, scratch, memory, tolerance, end, h, slowest):
            return _STEP_TOO_LONG, 0.0
        room = min(room, least_sliding(model, memory, memory.trial.state.speeds, scale, slowest))
    return status, room


@kernel
def _bounce(model, scratch, memory, tolerance, frames, frame):
    """Blows at the limits that axes move into, with the least bounciness e of them.

    With u before it, and u' those speeds that lead no axis past its limit which are nearest to u by kinetic energy, the
    linkage goes on at u' + e (u' - u). So 1 - e^2 of what the blow stops is lost, whatever hangs together (Kaufman and
    Pai 2012).
    """
    state, trial, time, scale = memory.motion.state, memory.trial.state, memory.clock[0].time, tolerance.per_scale
    slow = _SLOW * memory.clock[0].fastest
    for blow in range(_MOST_BLOWS):
        e = least_bounciness(model, scratch, state, scale, slow)
        if e < 0.0:
            return
        e = e if blow < _MOST_BLOWS - 1 else 0.0
        _carry(model, scratch, memory, tolerance, time, 0.0, slow, False)
        end_graphs(model, scratch, memory, scale, 0.0)
        bound_blow(model, scratch, memory, scale)
        if not arrive(model, scratch, memory, tolerance, time, 0.0, slow):
            return
        for k in range(len(state.speeds)):
            trial.speeds[k] += e * (trial.speeds[k] - state.speeds[k])
        if is_sampled(frames, frame):
            note_jump(model, scratch, state, trial.speeds, time, frames, frame)
        for k in range(len(state.speeds)):
            state.speeds[k] = trial.speeds[k]
        memory.counts[0].known = 0


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
