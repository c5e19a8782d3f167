# SPDX-License-Identifier: GPL-3.0-or-later
"""From one smooth piece of a motion to the next: which forces act from now on, and by how much speeds jump.

In three stages: gaps are open or closed; axes that meet a limit, or whose motor keeps a speed whatever it takes, jump;
and where an axis is at the speed at which something may hold it, the forces decide. For this all that may hold do so at
first. What would have to give more than it can lets go, the worst first; an axis that is pushed back at once to where
it was held is held again.

An impulse has the form of the forward dynamics with changes of speeds in the place of accelerations and no forces but
those that hold. No limit pulls: an axis that rests at one and is knocked off it goes. One that meets a limit at the
speed u leaves it at -e u (Newton's law), e the limit's bounciness, and of several that strike at once the least: one
number for all of them never adds energy. Rebounds that grow less for ever would take for ever: one that would carry the
axis less far than a slight part of the linkage's size is none.

A motor without a maximum has its speed whatever it takes. Limits that it cannot keep are not decided here:
`simulation.contradictions` ends such a motion.

Symbols: u speed of an axis, w that of its motor, e bounciness of a limit.
"""

import math

from ..dynamics.forces.laws import gap_of
from ..dynamics.forces.parameters import table_slope, update_parameters
from ..dynamics.forces.points import first_parameter, is_enabled
from ..dynamics.forces.switching import BEHIND, SLIGHT, SLIGHT_FORCE, add_switched_efforts, needed_force, spare_force
from ..dynamics.loops.methods import solve_accelerations, update_closures
from ..dynamics.tree.driven import update_driven_bodies
from ..dynamics.tree.inverse_dynamics import update_joint_wrenches
from ..dynamics.tree.kinematics import update_kinematics
from ..kernel import entry, kernel
from ..model.arrays import AXIS_PARAMETERS, BOUNCINESS, LOWER, MOTOR_LIMIT, MOTOR_VALUE, STATIC_FRICTION, UPPER, Hold
from ..spatial import dot, load3, store3, store_spatial
from .forward_dynamics import update_rates

_NOTHING, _BY_FRICTION, _BY_MOTOR, _BY_LOWER, _BY_UPPER = (
    int(Hold.NOTHING),
    int(Hold.FRICTION),
    int(Hold.MOTOR),
    int(Hold.LOWER),
    int(Hold.UPPER),
)
_NEAR = 10.0 * SLIGHT  # how near to a speed or a bound something may hold
_MOST_JUMPS = 20
_MOST_ENDED = 20  # times that rebounds are found to be too small, at one moment
_NO_REBOUND = 100.0 * SLIGHT  # how far, in parts of the size or radian, a rebound goes that is none
_ROUNDS = 4  # per switched axis, in which something lets go or is held again
_ZERO = (0.0, 0.0, 0.0)


@entry
def enter_modes(model, scratch, time, state, rates, near, per_scale, fastest):
    """Chooses the modes of all forces that switch, for the motion from this time (s) on; speeds may jump.

    per_scale (A,): 1 / size of the linkage for lengths, 1 for angles. fastest: speed (scale/s) of the motion so far.
    rates (2 A,) and near (A,) are filled: how near (scale/s) to a speed each axis may be held at it.
    """
    behind = time + BEHIND * max(1.0, abs(time))
    update_parameters(model, behind, scratch)
    update_driven_bodies(model, behind, scratch)
    update_kinematics(model, state, scratch)
    for number in range(len(model.forces)):
        if model.forces[number].switches:
            acts = is_enabled(scratch.parameters, first_parameter(model, number))
            scratch.closed[number] = 1 if acts and gap_of(model, scratch, number) <= 0.0 else 0
    if len(model.switched) == 0:
        return
    update_rates(model, behind, state, scratch, rates)
    _choose_near(rates, near, per_scale, max(fastest, _fastest_driven(model, scratch)), behind - time)
    for _ in range(_MOST_ENDED):
        for _ in range(_MOST_JUMPS):
            if not _must_jump(model, state, scratch, per_scale, near):
                break
            _jump(model, behind, state, scratch, per_scale, near)
        _hold_what_may(model, behind, state, scratch, per_scale, near)
        for _ in range(_ROUNDS * len(model.switched)):
            update_rates(model, behind, state, scratch, rates)
            update_joint_wrenches(model, scratch)
            if not _let_go(model, scratch) and not _hold_again(model, behind, state, scratch, rates, per_scale, near):
                break
        if not _end_rebounds(model, state, scratch, rates, per_scale, near):
            break
        _jump(model, behind, state, scratch, per_scale, near)
    _keep_pace(model, state, scratch)
    _step_inside(model, state, scratch, per_scale)


@kernel
def _fastest_driven(model, scratch):
    """1/s or rad/s, in the linkage's scale: speeds relative to bodies that are driven are rounded as theirs are."""
    fastest = 0.0
    for i in range(1, model.driven):
        w, v = load3(scratch.bodies[i].angular), load3(scratch.bodies[i].linear)
        fastest = max(fastest, math.sqrt(dot(w, w)), math.sqrt(dot(v, v)) / model.size)
    return fastest


@kernel
def _choose_near(rates, near, per_scale, fastest, moment):
    """Fills near: a slight part of the fastest speed, or what an axis gains or loses in a moment (s).

    rates: as the modes that end have them. Their end is found to a part of a moment, so that an axis which brakes hard
    after a slow motion may be past rest by more than a part of its speed.
    """
    for a in range(len(near)):
        near[a] = _NEAR * max(fastest, _NEAR)
        gained = moment * per_scale[a] * abs(rates[len(near) + a])
        if near[a] < gained < math.inf:
            near[a] = gained


@kernel
def _must_jump(model, state, scratch, per_scale, near):
    """Holds the axes that cannot go on at their speeds; False if none has to change it."""
    found, away = False, 1.0 + _least_bounciness(model, state, scratch, per_scale, near)
    for number in range(len(model.switched)):
        switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
        a = switch.axis
        k, scale, u = a * AXIS_PARAMETERS, per_scale[a], state.speeds[a]
        hold, change = moving.hold, 0.0
        met = _met_limit(model, state, scratch, number, scale, near)
        if _has_no_maximum(model, scratch, number):
            hold = _BY_MOTOR
            if scale * abs(p[k + MOTOR_VALUE] - u) > near[a]:
                change = p[k + MOTOR_VALUE] - u
        elif met != _NOTHING:
            hold, change = met, -away * u
        elif moving.hold == _BY_FRICTION or moving.hold == _BY_MOTOR:
            hold = _NOTHING  # what can give only so much gives nothing worth speaking of in no time
        moving.hold, moving.friction, moving.motor = hold, 0.0, 0.0
        scratch.axes[a].pace = change
        found = found or change != 0.0
    return found


@kernel
def _met_limit(model, state, scratch, number, scale, near):
    """The limit, as a hold, that an axis is at and moves into faster than `near`."""
    a = model.switched[number].axis
    u = scale * state.speeds[a]
    if _is_below(model, state, scratch, number, scale) and u < -near[a]:
        return _BY_LOWER
    if _is_above(model, state, scratch, number, scale) and u > near[a]:
        return _BY_UPPER
    return _NOTHING


@kernel
def _has_no_maximum(model, scratch, number):
    """True if a motor keeps the axis' speed, whatever it takes."""
    switch = model.switched[number]
    return switch.motor == 1 and scratch.parameters[switch.axis * AXIS_PARAMETERS + MOTOR_LIMIT] == math.inf


@kernel
def _least_bounciness(model, state, scratch, per_scale, near):
    """That of the limits which axes meet now."""
    least = 1.0
    for number in range(len(model.switched)):
        a = model.switched[number].axis
        if _met_limit(model, state, scratch, number, per_scale[a], near) != _NOTHING:
            least = min(least, scratch.parameters[a * AXIS_PARAMETERS + BOUNCINESS])
    return least


@kernel
def _end_rebounds(model, state, scratch, rates, per_scale, near):
    """Asks of axes whose rebound is none that they stay at their limit, in a jump; False if there are none such."""
    found = False
    for number in range(len(model.switched)):
        found = found or _ended_rebound(model, state, scratch, rates, number, per_scale, near) != _NOTHING
    if not found:
        return False
    for number in range(len(model.switched)):
        moving, a = scratch.switches[number], model.switched[number].axis
        hold = _ended_rebound(model, state, scratch, rates, number, per_scale, near)
        scratch.axes[a].pace = -state.speeds[a] if hold != _NOTHING else 0.0
        if hold == _NOTHING and not (moving.hold == _BY_FRICTION or moving.hold == _BY_MOTOR):
            hold = moving.hold
        elif hold == _NOTHING and _has_no_maximum(model, scratch, number):
            hold = _BY_MOTOR
        moving.hold, moving.friction, moving.motor = hold, 0.0, 0.0
    return True


@kernel
def _ended_rebound(model, state, scratch, rates, number, per_scale, near):
    """The limit, as a hold, that an axis would leave and come back to before it has gone anywhere."""
    a = model.switched[number].axis
    scale = per_scale[a]
    u, second = scale * state.speeds[a], scale * rates[len(state.speeds) + a]
    is_bouncy = scratch.parameters[a * AXIS_PARAMETERS + BOUNCINESS] > 0.0
    if scratch.switches[number].hold != _NOTHING or not is_bouncy or u * u >= 2.0 * _NO_REBOUND * abs(second):
        return _NOTHING
    if _is_below(model, state, scratch, number, scale) and u > near[a] and second < 0.0:
        return _BY_LOWER
    if _is_above(model, state, scratch, number, scale) and u < -near[a] and second > 0.0:
        return _BY_UPPER
    return _NOTHING


@kernel
def _is_below(model, state, scratch, number, scale):
    a = model.switched[number].axis
    gap = scale * (state.coordinates[a] - scratch.parameters[a * AXIS_PARAMETERS + LOWER])
    return model.switched[number].bounded and gap <= _NEAR


@kernel
def _is_above(model, state, scratch, number, scale):
    a = model.switched[number].axis
    gap = scale * (scratch.parameters[a * AXIS_PARAMETERS + UPPER] - state.coordinates[a])
    return model.switched[number].bounded and gap <= _NEAR


@kernel
def _jump(model, time, state, scratch, per_scale, near):
    """Changes the speeds of all axes by the impulses of those that are held: each by the pace that is asked of it.

    Limits push and do not pull: those that would have to let go, the worst first.
    """
    for k in range(len(state.speeds)):
        scratch.speeds[k], state.speeds[k] = state.speeds[k], 0.0
    for i in range(model.driven):
        moving = scratch.bodies[i]
        store3(moving.angular, _ZERO)
        store3(moving.linear, _ZERO)
        store_spatial(moving.acceleration, _ZERO, _ZERO)
    update_kinematics(model, state, scratch)
    update_closures(model, state, scratch)
    for r in range(len(scratch.rows)):
        scratch.rows[r].error, scratch.rows[r].rate, scratch.rows[r].bias = 0.0, 0.0, 0.0
    for i in range(model.driven, len(model.bodies)):
        store_spatial(scratch.bodies[i].wrench, _ZERO, _ZERO)
    for _ in range(len(model.switched)):
        for k in range(len(state.speeds)):
            scratch.efforts[k] = 0.0
        add_switched_efforts(model, state.speeds, scratch)
        solve_accelerations(model, scratch)
        if not _let_go_in_jump(model, scratch, per_scale, near):
            break
    for k in range(len(state.speeds)):
        state.speeds[k] = scratch.speeds[k] + scratch.accelerations[k]
    update_driven_bodies(model, time, scratch)
    update_kinematics(model, state, scratch)


@kernel
def _let_go_in_jump(model, scratch, per_scale, near):
    """Frees the axis whose limit would have to pull most; False if none would."""
    update_joint_wrenches(model, scratch)
    worst, least = -1, 0.0
    for number in range(len(model.switched)):
        hold = scratch.switches[number].hold
        if hold == _BY_LOWER or hold == _BY_UPPER:
            push, a = needed_force(model, scratch, number), model.switched[number].axis
            change = per_scale[a] * push / model.switched[number].inertia
            change = change if hold == _BY_LOWER else -change
            if change < min(least, -near[a]):
                worst, least = number, change
    if worst < 0:
        return False
    scratch.switches[worst].hold = _NOTHING
    scratch.axes[model.switched[worst].axis].pace = 0.0
    return True


@kernel
def _hold_what_may(model, time, state, scratch, per_scale, near):
    """Each axis that is where something may hold it is held, by a limit rather than by a motor or by friction."""
    for number in range(len(model.switched)):
        switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
        a = switch.axis
        k, scale, u = a * AXIS_PARAMETERS, per_scale[a], state.speeds[a]
        w, is_still = p[k + MOTOR_VALUE], scale * abs(state.speeds[a]) <= near[a]
        moving.hold = _NOTHING
        if _has_no_maximum(model, scratch, number) and scale * abs(u - w) <= near[a]:
            moving.hold = _BY_MOTOR
        elif is_still and _is_below(model, state, scratch, number, scale):
            moving.hold = _BY_LOWER
        elif is_still and _is_above(model, state, scratch, number, scale):
            moving.hold = _BY_UPPER
        elif switch.motor and scale * abs(u - w) <= near[a]:
            moving.hold = _BY_MOTOR
        elif is_still and p[k + STATIC_FRICTION] > 0.0:
            moving.hold = _BY_FRICTION
        _push(model, time, state, scratch, number, per_scale, near)


@kernel
def _push(model, time, state, scratch, number, per_scale, near):
    """Which way friction and motor push on an axis that is held, or moves, as it does."""
    switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
    a = switch.axis
    k, scale, u = a * AXIS_PARAMETERS, per_scale[a], state.speeds[a]
    w = p[k + MOTOR_VALUE]
    is_still = scale * abs(u) <= near[a]
    moving.friction, moving.motor = 0.0, 0.0
    scratch.axes[a].pace = 0.0
    if p[k + STATIC_FRICTION] > 0.0 and moving.hold != _BY_FRICTION:
        if not is_still:
            moving.friction = -_sign(u)
        elif moving.hold == _BY_MOTOR:
            moving.friction = -_sign(table_slope(model, switch.table, time)) if switch.table >= 0 else 0.0
    if switch.motor and moving.hold != _BY_MOTOR:
        moving.motor = _sign(w - u) if scale * abs(w - u) > near[a] else 0.0
    if moving.hold == _BY_MOTOR and switch.table >= 0:
        scratch.axes[a].pace = table_slope(model, switch.table, time)


@kernel
def _let_go(model, scratch):
    """Frees the axis whose hold would have to exceed its force by most; False if all can hold."""
    worst, least = -1, -0.5 * SLIGHT_FORCE
    for number in range(len(model.switched)):
        if scratch.switches[number].hold != _NOTHING:
            spare = spare_force(model, scratch, number)
            if not spare >= least:
                worst, least = number, spare
    if worst < 0:
        return False
    switch, moving, p = model.switched[worst], scratch.switches[worst], scratch.parameters
    needed = _sign(needed_force(model, scratch, worst))
    before, moving.hold = moving.hold, _NOTHING
    k = switch.axis * AXIS_PARAMETERS
    scratch.axes[switch.axis].pace = 0.0
    if before == _BY_LOWER or before == _BY_UPPER:
        way = 1.0 if before == _BY_LOWER else -1.0
        moving.friction = -way if p[k + STATIC_FRICTION] > 0.0 else 0.0
        if switch.motor and moving.motor == 0.0:
            moving.motor = -way
    elif before == _BY_FRICTION:
        moving.friction = needed
    else:
        moving.motor = needed
        if moving.friction == 0.0 and p[k + STATIC_FRICTION] > 0.0:
            moving.friction = needed
    return True


@kernel
def _hold_again(model, time, state, scratch, rates, per_scale, near):
    """Holds an axis again that was let go but would move against what then pushes it; False if there is none."""
    for number in range(len(model.switched)):
        switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
        if moving.hold != _NOTHING:
            continue
        a = switch.axis
        k, scale, u = a * AXIS_PARAMETERS, per_scale[a], state.speeds[a]
        second, w = rates[len(state.speeds) + a], p[k + MOTOR_VALUE]
        hold = _NOTHING
        if scale * abs(u) <= near[a]:
            if _is_below(model, state, scratch, number, scale) and second < 0.0:
                hold = _BY_LOWER
            elif _is_above(model, state, scratch, number, scale) and second > 0.0:
                hold = _BY_UPPER
            elif moving.friction * second > 0.0:
                hold = _BY_FRICTION
        if hold == _NOTHING and switch.motor and scale * abs(u - w) <= near[a]:
            slope = table_slope(model, switch.table, time) if switch.table >= 0 else 0.0
            if moving.motor * (second - slope) > 0.0:
                hold = _BY_MOTOR
        if hold != _NOTHING:
            moving.hold = hold
            _push(model, time, state, scratch, number, per_scale, near)
            return True
    return False


@kernel
def _keep_pace(model, state, scratch):
    """Speeds of axes that are held become exactly what they are held at."""
    for number in range(len(model.switched)):
        switch, hold = model.switched[number], scratch.switches[number].hold
        if hold == _BY_MOTOR:
            state.speeds[switch.axis] = scratch.parameters[switch.axis * AXIS_PARAMETERS + MOTOR_VALUE]
        elif hold != _NOTHING:
            state.speeds[switch.axis] = 0.0


@kernel
def _step_inside(model, state, scratch, per_scale):
    """Free axes that are a little beyond a limit, as one is met, are put inside: else what they meet next is not seen.

    The next margin would begin below zero, and only one that falls below zero ends a mode.
    """
    for number in range(len(model.switched)):
        switch, p = model.switched[number], scratch.parameters
        a = switch.axis
        k, slight = a * AXIS_PARAMETERS, SLIGHT / per_scale[a]
        if scratch.switches[number].hold == _NOTHING and switch.bounded:
            q, near = state.coordinates[a], _NEAR / per_scale[a]
            if 0.0 < p[k + LOWER] - q < near:
                state.coordinates[a] = p[k + LOWER] + slight
            elif 0.0 < q - p[k + UPPER] < near:
                state.coordinates[a] = p[k + UPPER] - slight


@kernel
def _sign(x):
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)
