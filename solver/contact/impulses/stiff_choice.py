# SPDX-License-Identifier: GPL-3.0-or-later
"""Which forces are stiff in a step: those that undo a good part of their bodies' speed in it, alone or all together.

The mobility of a point along a direction is n . Omega n, Omega the motion of its body for a unit impulse
(`propagation`); what two ends have in common through their tree is left out, which makes it at most half of what it may
be.
"""

import math

from ...dynamics.forces.expression import axis_of, component_ahead, put_names
from ...dynamics.forces.laws import (
    Form,
    acts_at_center,
    form_of,
    resistance_axes,
    resistance_of,
    undone_by_resistance,
)
from ...dynamics.forces.points import first_parameter, force_point, is_enabled
from ...dynamics.forces.spring import spring_length, spring_tangent
from ...dynamics.forces.support import support_numbers, support_tangent
from ...dynamics.forces.terrain import ground_below
from ...dynamics.forces.tyre import touching_now, tyre_numbers
from ...kernel import kernel
from ...model.arrays import Taken
from ...spatial import add, axis_x, axis_y, axis_z, cross, dot, tangents
from .propagation import apply_omega

_GIVEN, _PULL, _RESISTANCE, _FIELD = int(Form.GIVEN), int(Form.PULL), int(Form.RESISTANCE), int(Form.FIELD)
_ROLLING = int(Form.ROLLING)
_NOTHING, _FRICTION, _ALL = int(Taken.NOTHING), int(Taken.FRICTION), int(Taken.ALL)
STIFF = 0.5  # of a speed: what a force may undo within a step without being stiff,
_CROWD = 1.0  # and what all forces on a body may,
_SLIGHT = 0.01  # those not counted that undo so little
_ZERO, _X, _Y, _UP = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@kernel
def choose_stiff_forces(model, scratch, memory, walk, h):
    """Which forces are stiff in the next step, of h (s); what was stiff once remains so.

    Poses, parameters and `walk.omega` must be those of now, or nearly so.
    """
    for i in range(len(memory.load)):
        memory.load[i] = 0.0
    for number in range(len(model.forces)):
        force, each = model.forces[number], memory.stiff[number]
        each.undone, each.rubbed = _undone(model, scratch, walk, each, number, h)
        for end in range(2):
            memory.load[force.body[end]] += each.undone + each.rubbed
    for number in range(len(model.forces)):
        force, each = model.forces[number], memory.stiff[number]
        is_crowded = False
        for end in range(2):
            i = force.body[end]
            is_crowded = is_crowded or (i >= model.driven and memory.load[i] > _CROWD)
        least = _SLIGHT if is_crowded else STIFF
        if each.undone > least:
            each.taken = _ALL
        elif each.rubbed > least:
            each.taken = max(each.taken, _FRICTION)


@kernel
def _undone(model, scratch, walk, each, number, h):
    """Which part of its bodies' speed a force undoes in a step, and which its friction or slip on the ground."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    first, i, form = first_parameter(model, number), force.body[0], form_of(force.kind)
    if form == _GIVEN or not is_enabled(p, first):
        return 0.0, 0.0
    if form == _FIELD:
        return _undone_by_field(model, scratch, walk, number, h), 0.0
    if form == _PULL:
        arm_a, arm_b, n, length, rate = spring_length(force, bodies, p, first)
        along = _mobility(model, walk, i, arm_a, n) + _mobility(model, walk, force.body[1], arm_b, n)
        every = _total_mobility(model, walk, i, arm_a) + _total_mobility(model, walk, force.body[1], arm_b)
        each.lateral, each.spin = every - along, 0.0
        for k in range(3):
            each.spin += _spin(model, walk, i, unit(k)) + _spin(model, walk, force.body[1], unit(k))
        stiffness, damping, across = spring_tangent(model, scratch, number, length, rate)
        return max(h * along * (damping + h * stiffness), h * h * each.lateral * across), 0.0
    if form == _RESISTANCE:
        return _undone_by_resistance(model, scratch, walk, number, h), 0.0
    if form == _ROLLING:
        t, arm, _ = touching_now(model, scratch, number, first)
        at, tyre = add(arm, t.arm), tyre_numbers(p, first)
        along, across = _mobility(model, walk, i, at, t.along), _mobility(model, walk, i, at, t.across)
        slip = h / t.pace * (tyre.slip_stiffness * along + tyre.cornering_stiffness * across)
        return h * _mobility(model, walk, i, at, t.normal) * (tyre.damping + h * tyre.stiffness), slip
    arm, x, _ = force_point(force, bodies, p, first, 0)
    _, n = ground_below(model, force, support_numbers(p, first).height, x)
    t1, t2 = tangents(n)
    upward = _mobility(model, walk, i, arm, n)
    stiffness, damping, slope = support_tangent(model, support_numbers(p, first), upward)
    if support_numbers(p, first).static >= 0.0:  # what sticks is held by rows alone
        return h * upward * (damping + h * stiffness), 1.0
    level = _mobility(model, walk, i, arm, t1) + _mobility(model, walk, i, arm, t2)
    return h * upward * (damping + h * stiffness), h * slope * level


@kernel
def _undone_by_field(model, scratch, walk, number, h):
    """Largest part over its components: by the slope now, or by how much smaller the force is after it acted a step."""
    first, undone = first_parameter(model, number), 0.0
    arm, R = put_names(model, scratch, number, first)
    for k in range(3):
        axis = axis_of(R, k)
        mobility = _mobility(model, walk, model.forces[number].body[0], arm, axis)
        f, slope = component_ahead(model, scratch, number, k, axis, 0.0, h)
        if -math.inf < slope < 0.0:
            undone = max(undone, -h * mobility * slope)
        change = h * mobility * f
        if 0.0 < abs(change) < math.inf:
            there, _ = component_ahead(model, scratch, number, k, axis, change, h)
            less = (f - there) / f
            undone = less if less > undone else undone
    return undone


@kernel
def _undone_by_resistance(model, scratch, walk, number, h):
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    first, i = first_parameter(model, number), force.body[0]
    arm, _, _ = force_point(force, bodies, p, first, 0)
    if acts_at_center(force.kind):
        arm = _ZERO
    axes, about = resistance_axes(force, bodies, p, first), _ZERO
    x, y = _mobility(model, walk, i, arm, axis_x(axes)), _mobility(model, walk, i, arm, axis_y(axes))
    along = (x, y, _mobility(model, walk, i, arm, axis_z(axes)))
    if resistance_of(force.kind, p, first).rows > 3:
        about = (_spin(model, walk, i, unit(0)), _spin(model, walk, i, unit(1)), _spin(model, walk, i, unit(2)))
    return undone_by_resistance(force, bodies, p, first, h, along, about)


@kernel
def _mobility(model, walk, i, arm, n):
    """1/kg: what a force along n at an arm from a body's reference point makes of its point."""
    if i < model.driven:
        return 0.0
    angular, linear = apply_omega(walk.omega[i], cross(arm, n), n)
    return dot(n, add(linear, cross(angular, arm)))


@kernel
def _spin(model, walk, i, axis):
    """1/(kg m2): what a moment about an axis makes of a body's turning about it."""
    return dot(axis, apply_omega(walk.omega[i], axis, _ZERO)[0]) if i >= model.driven else 0.0


@kernel
def _total_mobility(model, walk, i, arm):
    """The same along three axes, added up."""
    return _mobility(model, walk, i, arm, _X) + _mobility(model, walk, i, arm, _Y) + _mobility(model, walk, i, arm, _UP)


@kernel
def unit(k):
    """Along the world's axis number k."""
    return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)


@kernel
def fastest_swing(model, scratch, memory):
    """rad/s: how fast tense springs swing across their lines, at most, where that goes on within a step."""
    fastest = 0.0
    for number in range(len(memory.stiff)):
        each, force = memory.stiff[number], model.forces[number]
        if each.taken != _NOTHING and each.turns and each.pull > 0.0:
            _, _, _, length, _ = spring_length(
                force, scratch.bodies, scratch.parameters, first_parameter(model, number)
            )
            if length > 0.0:
                fastest = max(fastest, each.lateral * each.pull / length)
    return math.sqrt(fastest)
