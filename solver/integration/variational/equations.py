# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of a variational step, and how they are solved; what they are, `variational` says.

They are solved by the recursions that otherwise find accelerations from forces: here they find changes of speeds from
momenta. So any of the four methods does, each step is O(n) on trees, and loops are held by rows as ever. Those of a
step are not linear: a Newton iteration takes M(q) for its matrix, which is right but for terms of the size of what
turns in a step, and begins at the polynomial through the rates of the last steps. It goes on until nothing changes but
rounding, and so does what keeps the momentum.
"""

import math

from ...dynamics.forces.applied import update_wrenches
from ...dynamics.forces.curves import axis_drag, damper_gain, has_axis_curves
from ...dynamics.forces.drives import is_within
from ...dynamics.forces.joint_forces import update_efforts
from ...dynamics.forces.laws import depends_on_speed, gap_of
from ...dynamics.forces.parameters import update_parameters
from ...dynamics.forces.points import first_parameter, is_enabled
from ...dynamics.loops.closures import update_rows
from ...dynamics.loops.methods import has_closures, solve_accelerations, update_closures
from ...dynamics.loops.singularity import compare_with_usual
from ...dynamics.tree.driven import update_driven_bodies
from ...dynamics.tree.increments import discrete_momentum, update_increments
from ...dynamics.tree.joints import has_rotation_vector
from ...dynamics.tree.kinematics import update_kinematics
from ...kernel import kernel, kernel_by_class
from ...model.arrays import (
    AXIS_PARAMETERS,
    DAMPING,
    LAGRANGE,
    MOTOR_DAMPING,
    MotorMode,
)
from ...spatial import (
    add,
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
from ..motion.motion import fastest_speed
from .set_valued import (
    change_modes,
    clear_modes,
    hold_rates,
    keeps_its_speed,
    most_rounds,
    push_at_node,
    push_in_step,
)

_POSITION = int(MotorMode.POSITION)
_ATTEMPTS = 60  # at the equations of a step
_EXACT = 4e-16  # of the fastest speed: a change that is none
_ROUNDING = 1e-9  # of the same: changes below may be rounding, if they do not become less,
_OF_POSES = 1e-14  # of the size, or rad: rounding of poses, which a short step makes more of than slow motion is,
_NEARLY, _FALLING = 1e-13, 0.5  # or, where they are this small, hardly less
_MARGIN = 4.0  # for the change that would follow the last one, judged by how fast they became less lately
_FORGETS = 0.95  # in a step: that judgement
_MOST_COASTED = 8  # steps in a row
_FOLD = 0.1  # of the usual: the squared sine below which a fold of the linkage is near
_LEAP = 0.5  # of the fastest speed so far: a change in one step
_RUNS_AWAY = 10.0  # times the fastest speed: a change that leads nowhere
_ZERO = (0.0, 0.0, 0.0)


@kernel
def clear(model, scratch):
    """No efforts on any axis, and nothing holds any: the recursions here write more than forces leave."""
    for k in range(len(scratch.efforts)):
        scratch.efforts[k] = 0.0
        scratch.axes[k].held, scratch.axes[k].pace = 0.0, 0.0
    clear_modes(scratch)


@kernel
def evaluate_forces(model, time, state, scratch):
    """Poses, velocities, rows, wrenches and efforts for this time (s) and state."""
    update_parameters(model, time, scratch)
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)
    update_closures(model, state, scratch)
    for number in range(len(model.forces)):
        if model.forces[number].switches:
            scratch.closed[number] = 1 if gap_of(model, scratch, number) <= 0.0 else 0
    update_wrenches(model, scratch)
    update_efforts(model, state, scratch)


@kernel
def leave(model, scratch, memory, state, h):
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
        memory.damper[k] = 0.0
    for number in range(len(model.sprung)):
        k = model.sprung[number]
        memory.damper[k] = 0.5 * h * scratch.parameters[k * AXIS_PARAMETERS + DAMPING]
        memory.effort[k] += memory.damper[k] * state.speeds[k]
        if scratch.axes[k].held == 0.0 and model.method != LAGRANGE:
            scratch.axes[k].held = memory.damper[k]  # the method of Lagrange knows no inertia of axes but its own
    _take_momenta_for_forces(model, scratch)
    for i in range(model.driven):
        store_spatial(scratch.bodies[i].acceleration, _ZERO, _ZERO)


@kernel
def _take_momenta_for_forces(model, scratch):
    for i in range(model.driven, len(model.bodies)):
        store3(scratch.bodies[i].angular, _ZERO)  # no gyroscopic moments among momenta
        store_spatial(scratch.bodies[i].bias, _ZERO, _ZERO)
    for r in range(len(scratch.rows)):
        scratch.rows[r].bias = -scratch.rows[r].allowed[1]  # what is led has a speed of its own


@kernel
def predict(model, scratch, memory, state):
    """Guesses the rates of a step by the polynomial through those of the last ones."""
    rate, before, known = memory.rate, memory.before, memory.counts[0].known
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
        if keeps_its_speed(model, scratch, number):
            rate[model.switched[number].axis] = memory.graphs[number].target


@kernel
def find_rates(model, scratch, memory, tolerance, h, slowest):
    """Solves a step's equations for memory.rate; fills the trial's coordinates and the momenta that arrive.

    Modes of what is set-valued change until they fit (`set_valued`). False if there is no solution that can be found.
    """
    counts = memory.counts[0]
    for turn in range(most_rounds(model)):
        hold_rates(model, memory, memory.rate)
        for k in range(len(memory.rate)):
            memory.guess[k] = memory.rate[k]
        if not _solve_step(model, scratch, memory, tolerance, h, slowest):
            return False
        fastest = max(slowest, fastest_speed(memory.rate, tolerance.per_scale))
        if counts.coasted > 0 or not change_modes(
            model, scratch, memory, memory.rate, tolerance.per_scale, fastest, turn
        ):
            return True
        counts.known = 0
    return True


@kernel
def _solve_step(model, scratch, memory, tolerance, h, slowest):
    """Solves a step's equations in the modes that are.

    False if they have no solution that can be found: the step is too long for what moves, or is moved, so fast. In a
    nearly singular pose of loops, where they have two or none, the step coasts: it goes on at the rates that were
    guessed.
    """
    rate, state, trial, counts, clock = (
        memory.rate,
        memory.motion.state,
        memory.trial.state,
        memory.counts[0],
        memory.clock[0],
    )
    size, is_singular, coasts = math.inf, False, False
    may_coast = _may_coast(model) and counts.known >= len(memory.before)
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
        if coasts:
            counts.coasted += 1
            return counts.coasted <= _MOST_COASTED
        for k in range(len(rate)):
            scratch.efforts[k] = memory.effort[k] - (model.armature[k] + memory.damper[k]) * rate[k]
        push_in_step(model, scratch, memory)
        _ask_to_close(model, scratch, memory, h)
        solve_accelerations(model, scratch)
        counts.evaluations += 1
        before, size = size, fastest_speed(scratch.accelerations, tolerance.per_scale)
        for k in range(len(rate)):
            rate[k] += scratch.accelerations[k]
        fastest = max(slowest, fastest_speed(rate, tolerance.per_scale))
        if attempt == 0:
            is_singular = may_coast and _in_singular_pose(model, scratch)
            clock.pivot = _pivot(scratch)
        elif size > _NEARLY * fastest:
            clock.fall = max(_FORGETS * clock.fall, size / before)
        is_found = _is_found(attempt, size, before, fastest, h)
        is_found = is_found or (attempt > 0 and _MARGIN * clock.fall * size <= _EXACT * fastest)
        runs_away = not is_found and (size > _RUNS_AWAY * fastest or attempt == _ATTEMPTS - 2 or not size < math.inf)
        if (is_singular and _is_lost(memory, tolerance, fastest)) or (may_coast and runs_away):
            coasts = True
            for k in range(len(rate)):
                rate[k] = memory.guess[k]
        elif not size < math.inf:
            return False
        elif is_found:
            _take_last_change(model, scratch, memory, h)
            counts.coasted = 0
            return True
    return False


@kernel
def _take_last_change(model, scratch, memory, h):
    """The last change counts in the momenta as the equations have it that it solved.

    So these are met to rounding, and nothing of the momentum is lost, though the rates may be off by what one more
    change would make of them.
    """
    state, trial = memory.motion.state, memory.trial.state
    hold_rates(model, memory, memory.rate)
    for k in range(len(memory.rate)):
        trial.coordinates[k] = state.coordinates[k] + h * memory.rate[k]
    for i in range(model.driven, len(model.bodies)):
        moving, arriving = scratch.bodies[i], memory.arriving[i]
        I = rotate_symmetric(load9(moving.rotation), load6(model.bodies[i].inertia))
        n, f = apply_symmetric(I, load_angular(moving.acceleration)), load_linear(moving.acceleration)
        store_spatial(
            arriving, add(load_angular(arriving), n), add_scaled(load_linear(arriving), model.bodies[i].mass, f)
        )


@kernel
def _is_lost(memory, tolerance, fastest):
    """True if the rates have gone further from what was guessed than they change from step to step."""
    changed, usual = 0.0, 0.0
    for k in range(len(memory.rate)):
        changed = max(changed, tolerance.per_scale[k] * abs(memory.rate[k] - memory.guess[k]))
        usual = max(usual, tolerance.per_scale[k] * abs(memory.before[0, k] - memory.before[1, k]))
    return not changed <= usual + _ROUNDING * fastest


@kernel
def _in_singular_pose(model, scratch):
    """True if the last solution was in a pose in which rows become dependent."""
    compare_with_usual(scratch)
    return scratch.pivots[0].is_singular == 1


@kernel
def _pivot(scratch):
    pivots = scratch.pivots[0]
    return pivots.smallest / pivots.usual if pivots.usual > 0.0 else 1.0


@kernel
def _leaps(model, scratch, memory, tolerance, slowest):
    if min(memory.clock[0].pivot, _pivot(scratch)) > _FOLD:
        return False
    leap, now, before = 0.0, memory.trial.state.speeds, memory.motion.state.speeds
    for k in range(len(now)):
        leap = max(leap, tolerance.per_scale[k] * abs(now[k] - before[k]))
    return leap > _LEAP * slowest


@kernel
def _never_leaps(model, scratch, memory, tolerance, slowest):
    return False


# Whether speeds change in a step through the fold of a linkage, where it could go on in two ways, as no motion that
# steps of this length follow makes them: the equations have led over to another way, with whatever energy.
leaps = kernel_by_class(lambda model: _leaps if has_closures(model) else _never_leaps)


@kernel
def _always(model):
    return True


@kernel
def _never(model):
    return False


# Only loops have poses in which they could go on in two ways.
_may_coast = kernel_by_class(lambda model: _always if has_closures(model) else _never)


@kernel
def _fill_openings(model, scratch, memory, h):
    update_kinematics(model, memory.trial.state, memory.after)
    update_rows(model, memory.trial.state, memory.after)
    for r in range(model.closing):
        scratch.rows[r].bias = memory.after.rows[r].error / h


@kernel
def _ask_nothing(model, scratch, memory, h):
    pass


# Asks of the closures' rows that they be met at the next node.
_ask_to_close = kernel_by_class(lambda model: _fill_openings if has_closures(model) else _ask_nothing)


@kernel
def arrive(model, scratch, memory, tolerance, end, h, slowest):
    """Finds the speeds at the next node, for the trial; False if its forces change too much with them."""
    u, state = memory.trial.state.speeds, memory.motion.state
    for k in range(len(u)):
        u[k] = 2.0 * memory.rate[k] - state.speeds[k]
    for turn in range(most_rounds(model)):
        if not _solve_arrival(model, scratch, memory, tolerance, end, h, slowest):
            return False
        fastest = max(slowest, fastest_speed(u, tolerance.per_scale))
        if not change_modes(model, scratch, memory, u, tolerance.per_scale, fastest, turn):
            break
    hold_rates(model, memory, u)
    return True


@kernel
def arrive_as_it_slides(model, scratch, memory, tolerance, end, h, slowest):
    """The same with no change of modes, so that speeds change evenly with the length of the step."""
    u, state = memory.trial.state.speeds, memory.motion.state
    for k in range(len(u)):
        u[k] = 2.0 * memory.rate[k] - state.speeds[k]
    return _solve_arrival(model, scratch, memory, tolerance, end, h, slowest)


@kernel
def _solve_arrival(model, scratch, memory, tolerance, end, h, slowest):
    """The same in the modes that are."""
    u, trial = memory.trial.state.speeds, memory.trial.state
    size = math.inf
    for attempt in range(_ATTEMPTS):
        clear(model, scratch)
        evaluate_forces(model, end, trial, scratch)
        resists = h > 0.0 and _resists(model, scratch)
        _hold_dampers(model, scratch, u, h)
        for i in range(model.driven, len(model.bodies)):
            arriving, wrench = memory.arriving[i], scratch.bodies[i].wrench
            for k in range(6):
                wrench[k] = arriving[k] + 0.5 * h * wrench[k]
        for k in range(len(u)):
            scratch.efforts[k] = 0.5 * h * scratch.efforts[k] + model.armature[k] * memory.rate[k]
        for number in range(len(model.sprung)):
            k = model.sprung[number]
            damping = scratch.parameters[k * AXIS_PARAMETERS + DAMPING]
            scratch.efforts[k] += 0.5 * h * damping * (u[k] - memory.rate[k])
        push_at_node(model, scratch, memory)
        _take_momenta_for_forces(model, scratch)
        for i in range(model.driven):
            driven = scratch.bodies[i]
            store_spatial(driven.acceleration, load3(driven.angular), load3(driven.linear))
        solve_accelerations(model, scratch)
        memory.counts[0].evaluations += 1
        before, size = size, 0.0
        for k in range(len(u)):
            size = max(size, tolerance.per_scale[k] * abs(scratch.accelerations[k] - u[k]))
            u[k] = scratch.accelerations[k]
        if not math.isfinite(total(u)):
            return False
        fastest = max(slowest, fastest_speed(u, tolerance.per_scale))
        if not resists or _is_found(attempt, size, before, fastest, h):
            return True
    return False


@kernel
def _is_found(attempt, size, before, fastest, h):
    """True if the last change of a solution was none, or one that rounding makes again and again."""
    if size <= _EXACT * fastest:
        return True
    rounding = _ROUNDING * fastest
    if h > 0.0:
        rounding += _OF_POSES / h
    return attempt > 1 and size <= rounding and size >= (_FALLING if size <= _NEARLY * fastest else 1.0) * before


@kernel
def _resists(model, scratch):
    """True if some force depends on the velocities at a node, which dampers of joints do not."""
    p = scratch.parameters
    for number in range(len(model.forces)):
        first, kind = first_parameter(model, number), model.forces[number].kind
        if is_enabled(p, first) and depends_on_speed(kind, p, first):
            return True
    for number in range(len(model.sprung)):
        k = model.sprung[number] * AXIS_PARAMETERS
        if p[k + MOTOR_DAMPING] != 0.0:
            return True
        if has_axis_curves(model):
            row = model.axis_curves[model.sprung[number]]
            if row.damping > 0.0 or row.dissipation > 0.0:
                return True
    for c in range(len(model.charted)):
        if has_rotation_vector(model.bodies[model.charted[c]].kind) and len(model.sprung) > 0:
            return True  # its stops lose energy
    return len(model.followed) > 0


@kernel
def _hold_dampers(model, scratch, u, h):
    """Takes dampers of motors and drives, and those by tables, at the speeds that are sought."""
    p, axes = scratch.parameters, scratch.axes
    for number in range(len(model.sprung)):
        axis = model.sprung[number]
        k = axis * AXIS_PARAMETERS
        if model.method != LAGRANGE and model.motor_mode[axis] == _POSITION:
            axes[axis].held, axes[axis].pace = 0.5 * h * p[k + MOTOR_DAMPING], u[axis]
        if model.method != LAGRANGE and has_axis_curves(model) and not axes[axis].held > 0.0:
            drag, slope = axis_drag(model, axis, u[axis])
            axes[axis].held, axes[axis].pace = 0.5 * h * damper_gain(-drag, -slope, u[axis]), u[axis]
    for axis in range(len(scratch.drives)):
        if model.method != LAGRANGE and is_within(scratch.drives[axis]) and not axes[axis].held > 0.0:
            axes[axis].held, axes[axis].pace = 0.5 * h * scratch.drives[axis].damping, u[axis]


@kernel
def total(values):
    """The sum of an array."""
    total = 0.0
    for k in range(len(values)):
        total += values[k]
    return total
