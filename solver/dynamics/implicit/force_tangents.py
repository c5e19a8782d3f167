# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiffness and damping of forces on bodies: each is a sum of lines along which a force resists motion.

A line has the wrenches w of a unit force on its one or two bodies, and with k and c of its law the force changes by
    -k w.x - c w.v
for small changes of poses (x) and velocities (v). Where at most one body moves, it goes into the recursion
(`linearised_tree`); a spring between two bodies, or one that damps along a line that turns, is a row (`coupling`).
"""

import math

from ...kernel import kernel
from ...spatial import (
    add,
    add_scaled,
    add_to_spatial,
    axis_x,
    axis_y,
    axis_z,
    cross,
    dot,
    load3,
    load_angular,
    load_linear,
    scale,
    subtract,
    tangents,
    unrotate,
)
from ..forces.closing import is_closed
from ..forces.expression import expression_tangent
from ..forces.laws import Form, acts_at_center, form_of, resistance_axes, resistance_of
from ..forces.points import first_parameter, force_point, is_enabled
from ..forces.resistance import BOUNDED, SQUARE
from ..forces.spring import pull_of, pull_tangent, spring_length, spring_numbers
from ..forces.support import friction_tangent, push_gains, push_of, support_numbers
from ..forces.terrain import ground_below
from ..forces.tyre import slip_gains, touching_now, tyre_numbers
from .linearised_tree import add_wrench_square

_PULL, _GROUND, _RESISTANCE, _FIELD = int(Form.PULL), int(Form.GROUND), int(Form.RESISTANCE), int(Form.FIELD)
_ROLLING = int(Form.ROLLING)
_ZERO = (0.0, 0.0, 0.0)
_SLIGHT = 1e-3  # part of the speed along a line that its force undoes in a step: less is left to the explicit part


@kernel
def resist_by_forces(model, scratch, work, h):
    """Fills the gains of bodies and adds to their wrenches with what forces resist the explicit step of h (s)."""
    for i in range(model.driven, len(model.bodies)):
        for k in range(21):
            work.body_gain[i, k] = 0.0
    for number in range(len(model.forces)):
        force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
        if not is_enabled(p, first):
            continue
        form = form_of(force.kind)
        if form == _RESISTANCE:
            _resist_motion(model, scratch, work, number, first, h)
        elif form == _GROUND:
            _resist_support(model, scratch, work, number, first, h)
        elif form == _ROLLING:
            _resist_tyre(model, scratch, work, number, first, h)
        elif form == _FIELD:
            _resist_field(model, scratch, work, number, first, h)
    for pair in range(len(work.pairs)):
        if not work.pairs[pair].is_row:
            _resist_pull(model, scratch, work, work.pairs[pair], h)


@kernel
def _resist(work, i, moment, force, stiffness, damping, h):
    """Along one line, on one body that moves."""
    x, v = work.displacement[i], work.change[i]
    shift = dot(moment, load_angular(x)) + dot(force, load_linear(x))
    change = dot(moment, load_angular(v)) + dot(force, load_linear(v))
    damping *= work.damps[0]
    push = -stiffness * shift - damping * change
    add_wrench_square(work.body_gain[i], h * (damping + h * stiffness), moment, force)
    add_to_spatial(work.wrench[i], scale(push, moment), scale(push, force))


@kernel
def _resist_motion(model, scratch, work, number, first, h):
    """Adds the lines of a resistance along three axes, and perhaps about them."""
    force, p, bodies = model.forces[number], scratch.parameters, scratch.bodies
    i, law, axes = force.body[0], resistance_of(force.kind, p, first), resistance_axes(force, bodies, p, first)
    arm, u = _ZERO, load3(bodies[i].linear)
    if not acts_at_center(force.kind):
        arm, _, u = force_point(force, bodies, p, first, 0)
    along, share, extra = unrotate(axes, u), 1.0, 0.0
    if law.way == BOUNDED:
        size = math.sqrt((law.x * along[0]) ** 2 + (law.y * along[1]) ** 2 + (law.z * along[2]) ** 2)
        share = law.largest / size if size > law.largest else 1.0
    elif law.way == SQUARE:  # twice as much along the way as across it
        u = subtract(u, (law.wind_x, law.wind_y, law.wind_z))
        share = math.sqrt(dot(u, u))
        extra = law.x / share if share > 0.0 else 0.0
    for k in range(3):
        axis = axis_x(axes) if k == 0 else (axis_y(axes) if k == 1 else axis_z(axes))
        c = law.x if k == 0 else (law.y if k == 1 else law.z)
        _resist(work, i, cross(arm, axis), axis, 0.0, share * c, h)
        if law.rows == 6:
            _resist(work, i, axis, _ZERO, 0.0, law.about, h)
    if extra > 0.0:
        _resist(work, i, cross(arm, u), u, 0.0, extra, h)


@kernel
def _resist_support(model, scratch, work, number, first, h):
    force, p = model.forces[number], scratch.parameters
    support = support_numbers(p, first)
    arm, x, u = force_point(force, scratch.bodies, p, first, 0)
    depth, n = ground_below(model, force, support.height, x)
    rise = dot(u, n)
    push = push_of(model, force, support, depth, rise)
    if not is_closed(force, scratch, number, depth) or not push > 0.0:
        return
    stiffness, damping = push_gains(model, force, support, depth, rise)
    _resist(work, force.body[0], cross(arm, n), n, stiffness, damping, h)
    along, across, way = friction_tangent(model, support, push, add_scaled(u, -rise, n), n)
    if across > 0.0:
        side = cross(n, way)
        _resist(work, force.body[0], cross(arm, way), way, 0.0, along, h)
        _resist(work, force.body[0], cross(arm, side), side, 0.0, across, h)


@kernel
def _resist_tyre(model, scratch, work, number, first, h):
    """Along the normal and both ways of its slip, as if its axle and the ground stayed."""
    force, p = model.forces[number], scratch.parameters
    tyre = tyre_numbers(p, first)
    t, arm, _ = touching_now(model, scratch, number, first)
    if not is_closed(force, scratch, number, t.depth) or not t.push > 0.0:
        return
    i, at = force.body[0], add(arm, t.arm)
    _resist(work, i, add(cross(arm, t.gradient), t.turning), t.gradient, tyre.stiffness, tyre.damping, h)
    along, across = slip_gains(tyre, t)
    _resist(work, i, cross(at, t.along), t.along, 0.0, along, h)
    _resist(work, i, cross(at, t.across), t.across, 0.0, across, h)


@kernel
def _resist_field(model, scratch, work, number, first, h):
    """Along each of its axes by itself; how one component goes with the others is left to the explicit part."""
    for k in range(3):
        arm, axis, stiffness, damping = expression_tangent(model, scratch, number, first, k)
        if stiffness > 0.0 or damping > 0.0:
            _resist(work, model.forces[number].body[0], cross(arm, axis), axis, stiffness, damping, h)


@kernel
def _resist_pull(model, scratch, work, pair, h):
    """A spring or a rubber that is held on one side."""
    number = pair.force
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if not is_enabled(p, first) or not (pair.is_along or pair.is_across):
        return
    end = 0 if force.body[0] >= model.driven else 1
    arm_a, arm_b, n, length, rate = spring_length(force, scratch.bodies, p, first)
    stiffness, damping, across = pull_tangent(model, scratch, number, length, rate)
    i, other, arm, far = force.body[end], force.body[1 - end], arm_a, arm_b
    if end == 1:
        arm, far, n = arm_b, arm_a, scale(-1.0, n)
    t1, t2 = tangents(n)
    for k in range(3):
        line = n if k == 0 else (t1 if k == 1 else t2)
        k_line, c_line = (stiffness, damping) if k == 0 else (across, 0.0)
        if (k_line > 0.0 or c_line > 0.0) and (pair.is_along if k == 0 else pair.is_across):
            _resist(work, i, cross(arm, line), line, k_line, c_line, h)
            _carry(work, i, other, cross(arm, line), line, cross(far, line), k_line, work.damps[0] * c_line)


@kernel
def _carry(work, i, other, moment, force, moment_there, stiffness, damping):
    """Adds the motion of the far end, on a body that is driven, in the meantime."""
    x, v = work.displacement[other], work.change[other]
    shift = dot(moment_there, load_angular(x)) + dot(force, load_linear(x))
    change = dot(moment_there, load_angular(v)) + dot(force, load_linear(v))
    push = stiffness * shift + damping * change
    add_to_spatial(work.wrench[i], scale(push, moment), scale(push, force))


@kernel
def choose_pairs(model, scratch, work, h):
    """Notes which springs and rubbers are stiff in a step of h (s), along and across, and which are rows then."""
    for number in range(len(work.pairs)):
        pair = work.pairs[number]
        force, first = model.forces[pair.force], first_parameter(model, pair.force)
        pair.is_along, pair.is_across, pair.is_row = 0, 0, 0
        if not is_enabled(scratch.parameters, first):
            continue
        _, _, _, length, rate = spring_length(force, scratch.bodies, scratch.parameters, first)
        spring = spring_numbers(scratch.parameters, first)
        least = _SLIGHT / (h * force.mobility)
        pair.is_along = 1 if spring.damping + h * spring.stiffness > least else 0
        pull = abs(pull_of(model, scratch, pair.force, length, 0.0))
        pair.is_across = 1 if length > 0.0 and h * pull / length > least else 0
        turning = turning_of(model, scratch, pair.force, length, rate)
        turns = h * spring.damping * math.sqrt(dot(turning, turning)) > least
        pair.is_row = 1 if turns or min(force.body[0], force.body[1]) >= model.driven else 0


@kernel
def turning_of(model, scratch, number, length, rate):
    """1/s: by what the rate of a spring's length grows as its ends part across it: their velocity there, over it."""
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    if not length > 0.0:
        return _ZERO
    _, a, u_a = force_point(force, scratch.bodies, p, first, 0)
    _, b, u_b = force_point(force, scratch.bodies, p, first, 1)
    across = add_scaled(subtract(u_b, u_a), -rate / length, subtract(b, a))
    return scale(1.0 / length, across)
