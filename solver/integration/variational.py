# SPDX-License-Identifier: GPL-3.0-or-later
"""The variational integrator: steps of fixed length that keep momentum to the last digits and energy within bounds.

Not the equations of motion are made discrete but Hamilton's principle (Wendlandt, Marsden 1997; Wendlandt 1997,
chapters 2 and 5). In a step from x0 to x1 the discrete Lagrangian takes the kinetic energy by the midpoint rule,
rotations by quaternions (`dynamics.increments`), and the potential energy at both ends; for weight that is the midpoint
too. With the joints' and closures' conditions g, the discrete Euler-Lagrange equations at a node between two steps are
    D2 L(x-1, x0) + D1 L(x0, x1) + forces + G(x0)^T lambda = 0,   g(x1) = 0,
of second order, symmetric in time, and symplectic. Forces without a potential enter as half an impulse at either end of
each step (the discrete principle of d'Alembert; Marsden and West 2001, section 3.2).

Conditions of the trees' joints are met by their coordinates, and their multipliers drop out by J^T, J(x0) the motion of
the bodies along the axes at a node (Lee, Liu, Park, Srinivasa 2016). From coordinates q and speeds u at a node, with K
the momenta that leave it and P(w) those of a step in which the axes change at the mean rates w:
    K = M u + h/2 forces,   J(q)^T (K - P(w)) + G(q)^T lambda = 0,   g(q + h w) = 0;
at its end, J'^T (P(w) + h/2 forces' - M' u') + G'^T mu = 0 and G' u' = 0 give the speeds of the next node, by which it
is drawn, and velocity-dependent forces act.

Both are solved by the recursions that otherwise find accelerations from forces: here they find changes of speeds from
momenta. So any of the four methods does, each step is O(n) on trees, and loops are held by rows as ever. The first is
not linear: it is a Newton iteration with M(q) for its matrix, which is right but for terms of the size of what turns in
a step. It goes on until nothing changes but rounding, and so does what keeps the momentum.
"""

import math

import numpy as np

from ..dynamics.acceleration import update_rates
from ..dynamics.closures import update_rows
from ..dynamics.driven import update_driven_bodies
from ..dynamics.efforts import update_efforts
from ..dynamics.forces import first_parameter, gap_of, update_wrenches
from ..dynamics.increments import discrete_momentum, update_driven_increments, update_increments
from ..dynamics.kinematics import update_kinematics
from ..dynamics.methods import has_closures, solve_accelerations, update_closures
from ..dynamics.parameters import update_parameters
from ..dynamics.regularity import compare_with_usual
from ..kernel import entry, kernel, kernel_by_class
from ..mechanism.model import (
    AXIS_PARAMETERS,
    DAMPING,
    LAGRANGE,
    MOTOR_DAMPING,
    MOTOR_VALUE,
    ForceKind,
    Hold,
    Kind,
    Model,
    MotorMode,
    Scratch,
)
from ..spatial import (
    add_scaled,
    apply_symmetric,
    load3,
    load6,
    load9,
    load_angular,
    load_linear,
    rotate_symmetric,
    scale,
    store3,
    store_spatial,
    subtract,
)
from .motion import Status, Tolerance, copy_anchors, fastest_speed, recenter
from .observation import Frames, new_frames, write_frame
from .variational_memory import BEGAN, COASTED, EVALUATIONS, FALL, FASTEST, KNOWN, STEPS, TIME, VariationalMemory

_DONE, _PAUSED, _NOT_FINITE = int(Status.DONE), int(Status.PAUSED), int(Status.NOT_FINITE)
_STEP_TOO_LONG = int(Status.STEP_TOO_LONG)
_MOTOR, _SPRING, _POSITION, _SPHERICAL = (
    int(ForceKind.MOTOR),
    int(ForceKind.SPRING),
    int(MotorMode.POSITION),
    int(Kind.SPHERICAL),
)
_BY_MOTOR = int(Hold.MOTOR)
_SAME = 1e-6  # of a step: times that are one
_ATTEMPTS = 60  # at the equations of a step
_EXACT = 4e-16  # of the fastest speed: a change that is none
_ROUNDING = 1e-9  # of the same: changes below may be rounding, if they do not become less,
_NEARLY, _FALLING = 1e-13, 0.5  # or, where they are this small, hardly less
_MOST_COASTED = 8  # steps in a row
_MARGIN = 2.0  # for the change that would follow the last one, judged by how fast they became less lately
_GRAVITY = 9.81  # m/s2: what starts from rest is as fast as it falls in a step
_ZERO = (0.0, 0.0, 0.0)
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
    clock, counts, state = memory.clock, memory.counts, memory.motion.state
    limit = counts[EVALUATIONS] + evaluations
    jumps = False
    if begin:
        counts[KNOWN], clock[FALL] = 0, 1.0
        jumps = _hold_by_motors(model, scratch)
    while True:
        while not jumps and frame < len(frame_times) and frame_times[frame] <= min(clock[TIME], until):
            _clear(model, scratch)
            update_rates(model, clock[TIME], state, scratch, memory.trial.y)
            write_frame(model, state, scratch, frames, frame)
            counts[EVALUATIONS] += 1
            frame += 1
        if not jumps and clock[TIME] >= min(stop, until):
            return _DONE, frame
        if not jumps and counts[EVALUATIONS] >= limit:
            return _PAUSED, frame
        end, h = _plan(clock[TIME], memory.interval, stop if frame >= len(frame_times) else frame_times[frame], stop)
        if jumps:
            end, h, jumps = clock[TIME], 0.0, False
        status = _step(model, scratch, memory, tolerance, end, h)
        if status != _DONE:
            return status, frame


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
    clock, state, trial = memory.clock, memory.motion.state, memory.trial.state
    for chart in range(len(model.charted)):
        recenter(state, chart, model.bodies[model.charted[chart]].axis_end - 3)
    for c in range(len(memory.motion.y)):
        memory.began.y[c] = memory.motion.y[c]
    copy_anchors(state, memory.began.state)
    copy_anchors(state, trial)
    _clear(model, scratch)
    _evaluate_forces(model, clock[TIME], state, scratch)
    _leave(model, scratch, memory, state, h)
    slowest = max(clock[FASTEST], h * _GRAVITY / model.size)
    if h == 0.0:
        _stay(model, memory, state, trial)
    else:
        update_driven_bodies(model, end, memory.after)
        update_driven_increments(model, scratch, memory.after, memory.increments)
        _predict(model, scratch, memory, state)
        _add_motors(model, scratch, memory, 0.5)
        update_parameters(model, end, scratch)
        _add_motors(model, scratch, memory, 0.5)
        for k in range(len(memory.rate)):
            memory.guess[k] = memory.rate[k]
        if not _find_rates(model, scratch, memory, tolerance, h, slowest):
            return _STEP_TOO_LONG if math.isfinite(_total(memory.rate)) else _NOT_FINITE
    if not _arrive(model, scratch, memory, tolerance, end, h, slowest):
        return _STEP_TOO_LONG if math.isfinite(_total(trial.speeds)) else _NOT_FINITE
    for c in range(len(memory.motion.y)):
        memory.motion.y[c] = memory.trial.y[c]
    clock[FASTEST] = max(clock[FASTEST], fastest_speed(state.speeds, tolerance.per_scale))
    if h > 0.0:
        _remember(memory)
        clock[BEGAN], clock[TIME] = clock[TIME], end
        memory.counts[STEPS] += 1
    return _DONE


@kernel
def _stay(model, memory, state, trial):
    """What leaves a node arrives at the same."""
    for i in range(model.driven, len(model.bodies)):
        for k in range(6):
            memory.arriving[i, k] = memory.leaving[i, k]
    for k in range(len(memory.rate)):
        memory.rate[k], trial.coordinates[k] = state.speeds[k], state.coordinates[k]


@kernel
def _clear(model, scratch):
    """No efforts on any axis, and only motors hold any: the recursions here write more than forces leave."""
    for k in range(len(scratch.efforts)):
        scratch.efforts[k] = 0.0
        scratch.axes[k].held, scratch.axes[k].pace = 0.0, 0.0


@kernel
def _evaluate_forces(model, time, state, scratch):
    """Poses, velocities, rows, wrenches and efforts for this time (s) and state."""
    update_parameters(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    update_closures(model, scratch)
    for number in range(len(model.forces)):
        if model.forces[number].switches:
            scratch.closed[number] = 1 if gap_of(model, scratch, number) <= 0.0 else 0
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)


@kernel
def _leave(model, scratch, memory, state, h):
    """Notes the momenta that leave a node, and makes `scratch` ready to take momenta for forces."""
    for i in range(model.driven, len(model.bodies)):
        moving, m = scratch.bodies[i], model.bodies[i].mass
        I = rotate_symmetric(load9(moving.rotation), load6(model.bodies[i].inertia))
        L = add_scaled(apply_symmetric(I, load3(moving.angular)), 0.5 * h, load_angular(moving.wrench))
        store_spatial(
            memory.leaving[i], L, add_scaled(scale(m, load3(moving.linear)), 0.5 * h, load_linear(moving.wrench))
        )
    for k in range(len(memory.effort)):
        memory.effort[k] = 0.5 * h * scratch.efforts[k] + model.armature[k] * state.speeds[k]
    _take_momenta_for_forces(model, scratch)
    for i in range(model.driven):
        store_spatial(scratch.bodies[i].acceleration, _ZERO, _ZERO)


@kernel
def _take_momenta_for_forces(model, scratch):
    for i in range(model.driven, len(model.bodies)):
        store3(scratch.bodies[i].angular, _ZERO)  # no gyroscopic moments among momenta
        store_spatial(scratch.bodies[i].bias, _ZERO, _ZERO)
    for r in range(len(scratch.rows)):
        scratch.rows[r].bias = 0.0


@kernel
def _predict(model, scratch, memory, state):
    """Guesses the rates of a step by the polynomial through those of the last ones."""
    rate, before, known = memory.rate, memory.before, memory.counts[KNOWN]
    for k in range(len(rate)):
        if known == 0:
            rate[k] = state.speeds[k]
        elif known == 1:
            rate[k] = 2.0 * state.speeds[k] - before[0, k]
        elif known < 4:
            rate[k] = 2.0 * before[0, k] - before[1, k]
        else:
            rate[k] = 4.0 * (before[0, k] + before[2, k]) - 6.0 * before[1, k] - before[3, k]
    for number in range(len(model.switched)):
        if scratch.switches[number].hold == _BY_MOTOR:
            rate[model.switched[number].axis] = 0.0


@kernel
def _add_motors(model, scratch, memory, share):
    for number in range(len(model.switched)):
        if scratch.switches[number].hold == _BY_MOTOR:
            axis = model.switched[number].axis
            memory.rate[axis] += share * scratch.parameters[axis * AXIS_PARAMETERS + MOTOR_VALUE]


@kernel
def _remember(memory):
    before = memory.before
    for k in range(len(memory.rate)):
        for past in range(len(before) - 1, 0, -1):
            before[past, k] = before[past - 1, k]
        before[0, k] = memory.rate[k]
    memory.counts[KNOWN] += 1


@kernel
def _find_rates(model, scratch, memory, tolerance, h, slowest):
    """Solves a step's equations for memory.rate; fills the trial's coordinates and the momenta that arrive.

    False if they have no solution that can be found: the step is too long for what moves, or is moved, so fast. In a
    nearly singular pose of loops, where they have two or none, the step coasts: it goes on at the rates that were
    guessed.
    """
    rate, state, trial, counts = memory.rate, memory.motion.state, memory.trial.state, memory.counts
    size, fall, is_singular, coasts = math.inf, 0.0, False, False
    for attempt in range(_ATTEMPTS):
        for k in range(len(rate)):
            trial.speeds[k] = h * rate[k]
            trial.coordinates[k] = state.coordinates[k] + h * rate[k]
        update_increments(model, scratch, trial.speeds, memory.increments)
        for i in range(model.driven, len(model.bodies)):
            L, p = discrete_momentum(model, scratch, memory.increments, i, h)
            store_spatial(memory.arriving[i], L, p)
            left = memory.leaving[i]
            store_spatial(scratch.bodies[i].wrench, subtract(load_angular(left), L), subtract(load_linear(left), p))
        if size == 0.0:
            counts[COASTED] = counts[COASTED] + 1 if coasts else 0
            return counts[COASTED] <= _MOST_COASTED
        for k in range(len(rate)):
            scratch.efforts[k] = memory.effort[k] - model.armature[k] * rate[k]
        _ask_to_close(model, scratch, memory, h)
        solve_accelerations(model, scratch)
        counts[EVALUATIONS] += 1
        before, size = size, fastest_speed(scratch.accelerations, tolerance.per_scale)
        for k in range(len(rate)):
            rate[k] += scratch.accelerations[k]
        fastest = max(slowest, fastest_speed(rate, tolerance.per_scale))
        is_found = _is_found(attempt, size, before, fastest)
        if attempt == 0:
            is_singular = _in_singular_pose(model, scratch) and counts[KNOWN] >= len(memory.before)
        elif size > _NEARLY * fastest:
            fall = max(fall, size / before)
            memory.clock[FALL] = fall
        is_found = is_found or _MARGIN * memory.clock[FALL] * size <= _EXACT * fastest
        if is_singular and (_is_lost(memory, tolerance, fastest) or (not is_found and attempt > 1 and size > before)):
            coasts, is_found = True, True
            for k in range(len(rate)):
                rate[k] = memory.guess[k]
        elif not size < math.inf:
            return False
        if is_found:
            size = 0.0  # but for the momenta and the trial, which follow
    return False


@kernel
def _is_lost(memory, tolerance, fastest):
    """Whether the rates have gone further from what was guessed than they change from step to step."""
    changed, usual = 0.0, 0.0
    for k in range(len(memory.rate)):
        changed = max(changed, tolerance.per_scale[k] * abs(memory.rate[k] - memory.guess[k]))
        usual = max(usual, tolerance.per_scale[k] * abs(memory.before[0, k] - memory.before[1, k]))
    return not changed <= usual + _ROUNDING * fastest


@kernel
def _compare(model, scratch):
    compare_with_usual(scratch)
    return scratch.pivots[0].is_singular == 1


@kernel
def _never(model, scratch):
    return False


# Whether the last solution was in a pose in which rows become dependent.
_in_singular_pose = kernel_by_class(lambda model: _compare if has_closures(model) else _never)


@kernel
def _fill_openings(model, scratch, memory, h):
    update_kinematics(model, memory.trial.state, memory.after)
    update_rows(model, memory.after)
    for r in range(model.closing):
        scratch.rows[r].bias = memory.after.rows[r].error / h


@kernel
def _ask_nothing(model, scratch, memory, h):
    pass


# Asks of the closures' rows that they be met at the next node.
_ask_to_close = kernel_by_class(lambda model: _fill_openings if has_closures(model) else _ask_nothing)


@kernel
def _arrive(model, scratch, memory, tolerance, end, h, slowest):
    """Finds the speeds at the next node, for the trial; False if its forces change too much with them.

    A damper of a joint counts by h/2 times its damping as inertia of its axis, so that it may be stiff.
    """
    u, state, trial = memory.trial.state.speeds, memory.motion.state, memory.trial.state
    for k in range(len(u)):
        u[k] = 2.0 * memory.rate[k] - state.speeds[k]
    size = math.inf
    for attempt in range(_ATTEMPTS):
        _clear(model, scratch)
        _evaluate_forces(model, end, trial, scratch)
        resists = h > 0.0 and _resists(model, scratch)
        _hold_axes(model, scratch, u, h)
        for i in range(model.driven, len(model.bodies)):
            arriving, wrench = memory.arriving[i], scratch.bodies[i].wrench
            for k in range(6):
                wrench[k] = arriving[k] + 0.5 * h * wrench[k]
        for k in range(len(u)):
            scratch.efforts[k] = 0.5 * h * scratch.efforts[k] + model.armature[k] * memory.rate[k]
        _take_momenta_for_forces(model, scratch)
        for i in range(model.driven):
            driven = scratch.bodies[i]
            store_spatial(driven.acceleration, load3(driven.angular), load3(driven.linear))
        solve_accelerations(model, scratch)
        memory.counts[EVALUATIONS] += 1
        before, size = size, 0.0
        for k in range(len(u)):
            size = max(size, tolerance.per_scale[k] * abs(scratch.accelerations[k] - u[k]))
            u[k] = scratch.accelerations[k]
        if not math.isfinite(_total(u)):
            return False
        if not resists or _is_found(attempt, size, before, max(slowest, fastest_speed(u, tolerance.per_scale))):
            return True
    return False


@kernel
def _is_found(attempt, size, before, fastest):
    """Whether the last change of a solution was none, or one that rounding makes again and again."""
    if size <= _EXACT * fastest:
        return True
    return (
        attempt > 1
        and size <= _ROUNDING * fastest
        and size >= (_FALLING if size <= _NEARLY * fastest else 1.0) * before
    )


@kernel
def _resists(model, scratch):
    """Whether some force depends on velocities."""
    p = scratch.parameters
    for number in range(len(model.forces)):
        first, kind = first_parameter(model, number), model.forces[number].kind
        if p[first] != 0.0 and kind != _MOTOR and (kind != _SPRING or p[first + 3] != 0.0):
            return True
    for number in range(len(model.sprung)):
        k = model.sprung[number] * AXIS_PARAMETERS
        if p[k + DAMPING] != 0.0 or p[k + MOTOR_DAMPING] != 0.0:
            return True
    for c in range(len(model.charted)):
        if model.bodies[model.charted[c]].kind == _SPHERICAL and len(model.sprung) > 0:
            return True  # its stops lose energy
    return False


@kernel
def _hold_axes(model, scratch, u, h):
    """Takes dampers of joints at the speeds that are sought, and axes that motors hold at theirs."""
    p, axes = scratch.parameters, scratch.axes
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        k = axis * AXIS_PARAMETERS
        if axes[axis].held > 0.0:
            axes[axis].pace = p[k + MOTOR_VALUE]
        elif model.method != LAGRANGE:  # which knows no inertia of axes but reflected ones and those that may be held
            motor = p[k + MOTOR_DAMPING] if model.motor_mode[axis] == _POSITION else 0.0
            axes[axis].held, axes[axis].pace = 0.5 * h * (p[k + DAMPING] + motor), u[axis]


@kernel
def _total(values):
    total = 0.0
    for k in range(len(values)):
        total += values[k]
    return total


def go_to_variational(
    model: Model, scratch: Scratch, memory: VariationalMemory, tolerance: Tolerance, time: float
) -> None:
    """Goes back to a time (s) that `advance_variational` has just passed: the last step is taken anew, up to there."""
    clock = memory.clock
    if time >= clock[TIME]:
        return
    memory.motion.y[:], memory.motion.state.anchor[:] = memory.began.y, memory.began.state.anchor
    clock[TIME], memory.counts[KNOWN], clock[FALL] = clock[BEGAN], 0, 1.0
    if time > clock[TIME]:
        none, frames = np.zeros(0), new_frames(model, 0)
        advance_variational(model, scratch, memory, tolerance, False, time, time, math.inf, none, 0, frames, _UNBOUNDED)
