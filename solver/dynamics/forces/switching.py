# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces that jump: dry friction, motors that keep a speed, limits, and what acts only while a gap is closed.

Between its jumps the motion is smooth. So each of them has a mode, which stays what it is during a step; a margin says
how far the motion is from leaving it. When a step has gone beyond, the integrator looks for the moment at which it
left, and starts anew there with other modes (`mode_transitions`).

An axis is either free, and its friction and motor push with all they have, one against the speed u and the other
towards its own speed w; or something holds it at a given speed: friction at zero, a motor at w, a limit at zero. What
holds has whatever force that takes, up to what it can give: then it slips, or the limit lets go. An axis that its motor
turns into a limit is the limit's: the motor pushes against it with all that it has. In the recursions an
axis is held by a reflected inertia HEAVY times that of the whole linkage, which turns at a given pace: its remaining
acceleration is beyond the last digit.

Friction that holds gives up to its static value S; what slides is resisted by F(u) = K + (S - K) exp(-(u/v)^2), which
falls to the kinetic one K (`mechanism.stiction`).

Symbols: u speed of an axis, w that of its motor, f largest friction, m largest force of the motor.
"""

import math

from ...kernel import kernel
from ...model.arrays import (
    AXIS_PARAMETERS,
    FRICTION,
    LOWER,
    MOTOR_LIMIT,
    MOTOR_VALUE,
    STATIC_FRICTION,
    STRIBECK_SPEED,
    UPPER,
    Hold,
)
from ..tree.inverse_dynamics import axis_effort
from ..tree.surface_joints import has_rides, ride_margin
from .laws import gap_of
from .parameters import table_slope
from .points import first_parameter, is_enabled

_NOTHING, _BY_FRICTION, _BY_MOTOR, _BY_LOWER, _BY_UPPER = (
    int(Hold.NOTHING),
    int(Hold.FRICTION),
    int(Hold.MOTOR),
    int(Hold.LOWER),
    int(Hold.UPPER),
)
HEAVY = 1e14
SLIGHT = 1e-10  # of the linkage's size, radian or fastest speed: how far a mode is left before it changes
OVERRUN = 1e-6  # of the size or radian: how far a motor without a maximum turns its axis past a limit before it is said
SLIGHT_FORCE = 1e-9  # of the largest force of what holds, or of the linkage's weight
_RESTING = 20.0  # times the least speed: that of a motor which begins to push against the limit that its axis is at
BEHIND = 1e-12  # s, and of the time: just behind a moment, where tables and keys already go on
_GRAVITY = 9.81  # m/s2


@kernel
def sliding_friction(kinetic, static, stribeck, u):
    """Friction at a sliding speed: Stribeck's fall from static to kinetic."""
    if not static > kinetic:
        return kinetic
    part = u / stribeck
    return kinetic + (static - kinetic) * math.exp(-part * part)


@kernel
def axis_friction(p, k, u):
    """N or N m: dry friction of the axis with its parameters at k, at a speed."""
    return sliding_friction(p[k + FRICTION], p[k + STATIC_FRICTION], p[k + STRIBECK_SPEED], u)


@kernel
def friction_change(p, k, u, faster):
    """The change of `axis_friction` along one of the speed."""
    kinetic, static = p[k + FRICTION], p[k + STATIC_FRICTION]
    if not static > kinetic:
        return 0.0
    part = u / p[k + STRIBECK_SPEED]
    return -2.0 * part * (static - kinetic) * math.exp(-part * part) * faster / p[k + STRIBECK_SPEED]


@kernel
def add_switched_efforts(model, speeds, scratch):
    """Adds what friction and motors exert on free axes, and keeps the others held."""
    p = scratch.parameters
    for number in range(len(model.switched)):
        switch, moving = model.switched[number], scratch.switches[number]
        k = switch.axis * AXIS_PARAMETERS
        axis = scratch.axes[switch.axis]
        axis.held = 0.0 if moving.hold == _NOTHING else HEAVY * switch.inertia
        if moving.friction != 0.0:
            scratch.efforts[switch.axis] += moving.friction * axis_friction(p, k, speeds[switch.axis])
        if moving.motor != 0.0:
            scratch.efforts[switch.axis] += moving.motor * p[k + MOTOR_LIMIT]


@kernel
def update_pace(model, time, scratch):
    """Axes that a motor holds keep up with its speed; at a bend of its table, as they did before."""
    before = time - 0.5 * BEHIND * max(1.0, abs(time))
    for number in range(len(model.switched)):
        switch = model.switched[number]
        by_motor = scratch.switches[number].hold == _BY_MOTOR and switch.table >= 0
        scratch.axes[switch.axis].pace = table_slope(model, switch.table, before) if by_motor else 0.0


@kernel
def has_switches(model):
    """True if a force, an axis or a ride may enter another mode."""
    for number in range(len(model.forces)):
        if model.forces[number].switches:
            return True
    return len(model.switched) > 0 or has_rides(model.rides)


@kernel
def margin(model, state, scratch, per_scale, fastest):
    """The distance of the state, which has just been evaluated, from the end of its modes; below zero it has left one.

    Opens gaps whose force has faded. The joint wrenches must be up to date (`update_joint_wrenches`).
    """
    least = math.inf
    for number in range(len(model.forces)):
        if not model.forces[number].switches or not is_enabled(scratch.parameters, first_parameter(model, number)):
            continue
        gap = gap_of(model, scratch, number) / model.size
        if scratch.closed[number]:
            if gap > 0.0:
                scratch.closed[number] = 0
        else:
            least = min(least, gap + SLIGHT)
    for number in range(len(model.switched)):
        least = min(least, _axis_margin(model, state, scratch, number, per_scale, fastest))
    of_rides, _, _ = ride_margin(model.rides, model, state, scratch)
    return min(least, of_rides)


@kernel
def _axis_margin(model, state, scratch, number, per_scale, fastest):
    switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
    a = switch.axis
    k, scale = a * AXIS_PARAMETERS, per_scale[a]
    pace = max(fastest, SLIGHT)
    if moving.hold == _NOTHING:
        u = scale * state.speeds[a]
        least = _room(switch, p, k, scale * state.coordinates[a], scale) + SLIGHT
        if moving.friction != 0.0:
            least = min(least, SLIGHT - moving.friction * u / pace)
        if moving.motor != 0.0:
            least = min(least, SLIGHT + moving.motor * (scale * p[k + MOTOR_VALUE] - u) / pace)
        return least
    least, w = math.inf, scale * p[k + MOTOR_VALUE]
    if moving.hold == _BY_MOTOR:
        past = OVERRUN if p[k + MOTOR_LIMIT] == math.inf else SLIGHT
        least = _room(switch, p, k, scale * state.coordinates[a], scale) + past
        if moving.friction != 0.0:
            least = min(least, SLIGHT - moving.friction * w / pace)
    elif switch.motor and moving.hold != _BY_FRICTION:
        least = SLIGHT + moving.motor * w / pace if moving.motor != 0.0 else _RESTING * SLIGHT - abs(w) / pace
    return min(least, spare_force(model, scratch, number) + SLIGHT_FORCE)


@kernel
def _room(switch, p, k, q, scale):
    """The distance of an axis's coordinate q from its limits, if within; all three in units of the linkage's scale."""
    return min(q - scale * p[k + LOWER], scale * p[k + UPPER] - q) if switch.bounded else math.inf


@kernel
def spare_force(model, scratch, number):
    """The rest of the force that holds an axis, as a part of the largest; below zero it lets go."""
    switch, moving, p = model.switched[number], scratch.switches[number], scratch.parameters
    k = switch.axis * AXIS_PARAMETERS
    needed = needed_force(model, scratch, number)
    if moving.hold == _BY_LOWER or moving.hold == _BY_UPPER:
        push = needed if moving.hold == _BY_LOWER else -needed
        braking = p[k + MOTOR_LIMIT] if switch.motor and moving.motor == 0.0 else 0.0
        weight = _GRAVITY * switch.inertia / (1.0 if model.is_length[switch.axis] else model.size)
        return (push + p[k + STATIC_FRICTION] + braking) / weight
    largest = p[k + STATIC_FRICTION]
    if moving.hold == _BY_MOTOR:
        largest = p[k + MOTOR_LIMIT] + (p[k + STATIC_FRICTION] if moving.friction == 0.0 else 0.0)
    return 1.0 if largest == math.inf else 1.0 - abs(needed) / largest


@kernel
def needed_force(model, scratch, number):
    """The effort of what holds an axis: all of the joint's but what is known."""
    switch = model.switched[number]
    return axis_effort(model, scratch, switch.body, switch.axis) - scratch.efforts[switch.axis]
