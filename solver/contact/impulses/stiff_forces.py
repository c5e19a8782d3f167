# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces that are too stiff for a step become rows for impulses: they act with what they will be at its end.

A spring, a support or a damper that undid a good part of its body's speed within a step would throw it about if it
were only evaluated on the way. Instead, what it exerted in the step before goes on, along the line between its ends as
that turns, while all other forces move the linkage by Runge-Kutta. With stretch s, shrinking at a rate v, where that
has led, a change d of the rate shifts the stretch by -h d / 2, and the force is that of a step on from there (Baraff
and Witkin 1998; the same law as for joints, `integration.impulse.implicit`),
    f = k (s - h d / 2 - h (v + d)) - c (v + d).
So its impulse h f is asked - gain (v + d), as for soft constraints (Catto 2011), with
    gain = h (c + 3/2 h k),  asked = h k (s + h v / 2),
and at rest f is what it has to be: k s, and nothing else. It is solved together with contacts (`stiff_rows`).

A support or a rubber exerts nothing while its gap stays open: a damper that comes with it may stop what arrives, but
not before. A tense spring is stiff across itself too, with k s / l. One that is short, or tied to what stands still,
gets two rows more for it; because of all others steps are shorter (`stiff_choice`), in proportion to the root of the
tension, but not of the stiffness.

Symbols: h step, k stiffness, c damping, l length.
"""

import math

from ...dynamics.forces.curves import damper_of, has_damper
from ...dynamics.forces.laws import Form, acts_at_center, form_of, resistance_axes, resistance_of
from ...dynamics.forces.points import first_parameter, force_point, is_enabled
from ...dynamics.forces.resistance import CONE, LINEAR, SLIP
from ...dynamics.forces.spring import band_of, has_table, spring_length, spring_numbers, spring_tangent, table_pull
from ...dynamics.forces.support import (
    FALL,
    creep_of,
    elastic_push,
    has_push,
    push_gains,
    push_of,
    support_numbers,
)
from ...dynamics.forces.terrain import ground_below
from ...dynamics.forces.tyre import touching_now, tyre_numbers
from ...kernel import kernel
from ...model.arrays import Taken
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
    store3,
    subtract,
    tangents,
)
from .rows import fill_row
from .stiff_choice import STIFF, unit
from .stiff_fields import soften_field

_PULL, _GROUND, _RESISTANCE, _FIELD = int(Form.PULL), int(Form.GROUND), int(Form.RESISTANCE), int(Form.FIELD)
_ROLLING = int(Form.ROLLING)
_NOTHING, _FRICTION, _ALL = int(Taken.NOTHING), int(Taken.FRICTION), int(Taken.ALL)
_TURN = 0.2  # rad: of its bodies, that a force may lead to in a step,
_SHORTENING = 0.2  # and of its length
_TINY = 1e-300
_SHORT = 0.1  # of the mobility across a spring: what its length adds to it, at most, if it is short
_AHEAD = 3.0  # steps in which a gap may close
_ZERO, _UP = (0.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@kernel
def foresee_pulls(model, scratch, memory, h):
    """Notes how far stiff springs may draw bodies in a step of `h` (s), by their stretch alone."""
    for i in range(len(memory.drawn)):
        memory.drawn[i] = 0.0
    for number in range(len(memory.stiff)):
        force, first = model.forces[number], first_parameter(model, number)
        each, p = memory.stiff[number], scratch.parameters
        if each.taken == _NOTHING or not is_enabled(p, first):
            continue
        if form_of(force.kind) != _PULL:
            continue
        spring = spring_numbers(p, first)
        _, _, _, length, _ = spring_length(force, scratch.bodies, p, first)
        way = h * h * each.lateral * spring.stiffness * abs(length - spring.rest)
        if has_table(force):
            way = h * h * each.lateral * abs(table_pull(model, force, length)[0])
        way = min(way, _SHORTENING * length)
        for i in force.body:
            if i >= model.driven:
                memory.drawn[i] = max(memory.drawn[i], way)


@kernel
def leave_out_stiff_forces(scratch, memory, is_frame):
    """Before the wrenches of an evaluation: what impulses stand for is not among them.

    Of a frame only what impulses have been found for; else its own law says what it exerts.
    """
    for number in range(len(memory.stiff)):
        each = memory.stiff[number]
        scratch.taken[number] = _NOTHING if is_frame and not each.known else each.taken


@kernel
def exert_stiff_forces(model, scratch, memory, is_frame):
    """And after them: what stiff forces exerted in the last step goes on."""
    for number in range(len(memory.stiff)):
        if scratch.taken[number] != _NOTHING:
            force = model.forces[number]
            for end in range(2):
                if force.body[end] >= model.driven:
                    n, f = _exerted(model, scratch, memory.stiff[number], number, end)
                    share = 1.0 if is_frame else memory.stiff[number].carried
                    add_to_spatial(scratch.bodies[force.body[end]].wrench, scale(share, n), scale(share, f))
            scratch.taken[number] = _NOTHING


@kernel
def negate_stiff_forces(model, scratch, memory, walk, h):
    """Notes the opposite of what stiff forces have given in a step of h (s)."""
    for number in range(len(memory.stiff)):
        if memory.stiff[number].taken != _NOTHING:
            force = model.forces[number]
            for end in range(2):
                if force.body[end] >= model.driven:
                    n, f = _exerted(model, scratch, memory.stiff[number], number, end)
                    given = -h * memory.stiff[number].carried
                    add_to_spatial(walk.impulse[force.body[end]], scale(given, n), scale(given, f))


@kernel
def _exerted(model, scratch, each, number, end):
    """(moment, force) of a stiff force, as of the last step, on the body of one of its ends."""
    force, bodies, p, first = model.forces[number], scratch.bodies, scratch.parameters, first_parameter(model, number)
    if form_of(force.kind) == _PULL:
        arm_a, arm_b, direction, _, _ = spring_length(force, bodies, p, first)
        if each.turns:
            f = scale(each.pull if end == 0 else -each.pull, direction)
            return cross(arm_a if end == 0 else arm_b, f), f
        f = scale(1.0 if end == _second(force) else -1.0, load3(each.force))
        center = _center(model, scratch, number)
        return cross(subtract(center, load3(bodies[force.body[end]].center)), f), f
    if end == 1:
        return _ZERO, _ZERO
    f = load3(each.force)
    if acts_at_center(force.kind):
        return load3(each.moment), f
    arm, _, _ = force_point(force, bodies, p, first, 0)
    if form_of(force.kind) == _ROLLING:
        arm = add(arm, touching_now(model, scratch, number, first)[0].arm)
    return cross(arm, f), f


@kernel
def _second(force):
    """The end on the body with the larger number, the second one of a block."""
    return 1 if force.body[1] > force.body[0] else 0


@kernel
def _center(model, scratch, number):
    """A point of a spring's line where it acts on both bodies: its end on one that moves, where the other does not."""
    force, bodies, p, first = model.forces[number], scratch.bodies, scratch.parameters, first_parameter(model, number)
    _, a, _ = force_point(force, bodies, p, first, 0)
    _, b, _ = force_point(force, bodies, p, first, 1)
    if force.body[0] < model.driven:
        return b
    return a if force.body[1] < model.driven else scale(0.5, add(a, b))


@kernel
def keep_stiff_force(each, kept):
    """Copies what a stiff force remembers from step to step."""
    kept.taken, kept.known, kept.turns = each.taken, each.known, each.turns
    kept.carried, kept.pull = each.carried, each.pull
    for k in range(3):
        kept.force[k], kept.moment[k] = each.force[k], each.moment[k]


@kernel
def add_stiff_forces(model, scratch, memory, i, at, h):
    """Blocks of the stiff forces with i as second body, number `at` of the order and on; returns the next one."""
    while at < len(memory.order):
        number = memory.order[at]
        force, each = model.forces[number], memory.stiff[number]
        second = force.body[_second(force)]
        if second > i:
            break
        at += 1
        each.rows, each.pulls = 0, 0
        if second == i and each.taken != _NOTHING and is_enabled(scratch.parameters, first_parameter(model, number)):
            _count_rows(model, scratch, each, number, h)
            if each.rows > 0:
                _add_block(model, scratch, memory, each, number)
    return at


@kernel
def _count_rows(model, scratch, each, number, h):
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    each.form = form_of(force.kind)
    if each.form == _PULL:
        spring = spring_numbers(p, first)
        _, _, _, length, rate = spring_length(force, scratch.bodies, p, first)
        if not force.one_sided or _may_close(spring.rest - length, -rate, h):
            _, _, across = spring_tangent(model, scratch, number, length, rate)
            sideways = h * h * each.lateral * across
            is_short = 0.25 * length * length * each.spin < _SHORT * each.lateral
            is_tied = min(force.body[0], force.body[1]) < model.driven
            each.pulls, each.rows = 1, 3 if sideways > STIFF and (is_short or is_tied) else 1
    elif each.form == _GROUND:
        _, x, u = force_point(force, scratch.bodies, p, first, 0)
        support = support_numbers(p, first)
        depth, n = ground_below(model, force, support.height, x)
        if _may_close(-depth, dot(u, n), h):
            each.pulls = 1 if each.taken == _ALL else 0
            each.rows = each.pulls + (2 if _rubs(support) else 0)
    elif each.form == _ROLLING:
        t, _, _ = touching_now(model, scratch, number, first)
        if _may_close(-t.depth, _rise(model, scratch, number, t), h):
            each.pulls = 1 if each.taken == _ALL else 0
            each.rows = each.pulls + 2
    elif each.form == _FIELD:
        each.rows = 3
    else:
        each.rows = resistance_of(force.kind, p, first).rows


@kernel
def _rise(model, scratch, number, t):
    """m/s: how fast a tyre leaves the ground."""
    force, body = model.forces[number], scratch.bodies[model.forces[number].body[0]]
    _, _, u = force_point(force, scratch.bodies, scratch.parameters, first_parameter(model, number), 0)
    return -dot(t.gradient, u) - dot(t.turning, load3(body.angular))


@kernel
def _rubs(support):
    return support.static > 0.0 or (support.friction > 0.0 and support.slope != 0.0)


@kernel
def _may_close(gap, rate, h):
    return gap <= _AHEAD * h * (max(0.0, -rate) + _AHEAD * FALL * h)


@kernel
def _add_block(model, scratch, memory, each, number):
    counts, force, bodies = memory.counts[0], model.forces[number], scratch.bodies
    p, first, second = scratch.parameters, first_parameter(model, number), _second(force)
    block = memory.blocks[counts.blocks]
    block.body[0], block.body[1] = force.body[1 - second], force.body[second]
    block.first, block.last, block.row_first, block.row_last, block.stiff = 0, 0, 0, 0, number
    if each.form == _PULL:
        store3(block.center, _center(model, scratch, number))
    elif acts_at_center(force.kind):
        store3(block.center, load3(bodies[force.body[0]].center))
    else:
        _, x, _ = force_point(force, bodies, p, first, 0)
        if each.form == _ROLLING:
            x = add(x, touching_now(model, scratch, number, first)[0].arm)
        store3(block.center, x)
    each.row = block.start = counts.rows
    counts.rows += each.rows
    block.end = counts.rows
    counts.blocks += 1


@kernel
def fill_stiff_rows(model, scratch, memory, b):
    """Wrenches and responses of a block's stiff force; all go through the block's centre."""
    number = memory.blocks[b].stiff
    each = memory.stiff[number]
    for k in range(each.rows):
        if k >= 3:
            fill_row(memory, b, each.row + k, unit(k - 3), _ZERO)
        else:
            fill_row(memory, b, each.row + k, _ZERO, _direction(model, scratch, each, number, k))


@kernel
def _direction(model, scratch, each, number, k):
    """Of a row's force on the block's second body."""
    force, bodies, p, first = model.forces[number], scratch.bodies, scratch.parameters, first_parameter(model, number)
    if each.form == _PULL:
        _, _, n, length, _ = spring_length(force, bodies, p, first)
        n = n if length > 0.0 else _UP
        n = scale(-1.0, n) if _second(force) == 1 else n
        t1, t2 = tangents(n)
        return n if k == 0 else (t1 if k == 1 else t2)
    if each.form == _RESISTANCE or each.form == _FIELD:
        axes = resistance_axes(force, bodies, p, first)
        return axis_x(axes) if k == 0 else (axis_y(axes) if k == 1 else axis_z(axes))
    if each.form == _ROLLING:
        t, _, _ = touching_now(model, scratch, number, first)
        n, t1, t2 = t.normal, t.along, t.across
    else:
        _, x, _ = force_point(force, bodies, p, first, 0)
        _, n = ground_below(model, force, support_numbers(p, first).height, x)
        t1, t2 = tangents(n)
    side = k - each.pulls
    return n if side < 0 else (t1 if side == 0 else t2)


@kernel
def warm_start_compliant(memory, number, h):
    """The impulses of a stiff force over `h` (s) become the first guess of its rows."""
    each, p, wrench = memory.stiff[number], memory.impulse, memory.rows.wrench
    force, moment = load3(each.force), load3(each.moment)
    for row in range(each.row, each.row + each.rows):
        if each.turns:
            p[row] = h * each.pull if row == each.row else 0.0
        else:
            p[row] = h * (dot(load_linear(wrench[row]), force) + dot(load_angular(wrench[row]), moment))
        if row == each.row and each.pulls and each.one_sided:
            p[row] = max(0.0, p[row])


@kernel
def soften(model, scratch, memory, h, ahead):
    """Asked impulses and gains of the rows of stiff forces; h (s): the step that ends here, ahead (s): the next one."""
    for b in range(memory.counts[0].blocks):
        number = memory.blocks[b].stiff
        if number >= 0:
            each, p, first = memory.stiff[number], scratch.parameters, first_parameter(model, number)
            for k in range(6):
                each.asked[k], each.gain[k] = 0.0, 0.0
            each.one_sided, each.restitution, each.friction, each.way, each.sticks = 0, 1.0, math.inf, LINEAR, 0
            if each.form == _PULL:
                _soften_spring(model, scratch, memory, each, number, h, ahead)
            elif each.form == _GROUND:
                _soften_support(model, scratch, memory, each, number, h, ahead)
            elif each.form == _ROLLING:
                _soften_tyre(model, scratch, memory, each, number, h, ahead)
            elif each.form == _FIELD:
                soften_field(model, scratch, memory.rows, each, number, h, ahead)
            else:
                _soften_resistance(each, resistance_of(model.forces[number].kind, p, first), h)


@kernel
def _soften_resistance(each, resistance, h):
    each.way, each.largest = resistance.way, h * resistance.largest
    each.gain[0], each.gain[1], each.gain[2] = h * resistance.x, h * resistance.y, h * resistance.z
    each.gain[3] = each.gain[4] = each.gain[5] = h * resistance.about
    store3(each.wind, (resistance.wind_x, resistance.wind_y, resistance.wind_z))


@kernel
def _soften_pull(each, stiffness, damping, stretch, rate, h, ahead):
    """rate: m/s, at which the stretch shrinks."""
    reach = ahead + 0.5 * h
    each.gain[0] = h * (damping + reach * stiffness)
    each.asked[0] = h * stiffness * (stretch + 0.5 * h * rate)
    each.touch = (stretch + 0.5 * h * rate) / reach


@kernel
def _add_drag(model, each, force, gain, rate, h):
    """Adds what a damper by a table gives at a rate (m/s) beside its gain (N s/m) times that."""
    if has_damper(force):
        each.asked[0] += h * (damper_of(model, force, 0.0, rate)[0] - gain * rate)


@kernel
def _fastest(rows, row, length, h):
    """m/s: a row's rate at which bodies turn, and a spring shortens, no more in a step than its direction allows."""
    turn = load_angular(rows.response[row])
    lever = rows.own[row] / max(math.sqrt(dot(turn, turn)), _TINY)
    return min(_SHORTENING * length, _TURN * lever) / h


@kernel
def _soften_spring(model, scratch, memory, each, number, h, ahead):
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    arm_a, arm_b, n, length, rate = spring_length(force, scratch.bodies, p, first)
    spring = spring_numbers(p, first)
    stiffness, damping, across = spring_tangent(model, scratch, number, length, rate)
    _soften_pull(each, stiffness, damping, length - spring.rest, -rate, h, ahead)
    if has_table(force):
        each.asked[0] = h * (table_pull(model, force, length)[0] - 0.5 * h * stiffness * rate)
    _add_drag(model, each, force, damping, rate, h)
    each.fastest = _fastest(memory.rows, each.row, max(length, force.reach), ahead)
    if force.one_sided:
        each.one_sided = 1
        if spring.stiffness > 0.0:
            each.restitution, each.band = spring.restitution, band_of(force, spring.stiffness)
    if each.rows > 1:
        _, _, u_a = force_point(force, scratch.bodies, p, first, 0)
        _, _, u_b = force_point(force, scratch.bodies, p, first, 1)
        u = subtract(u_b, u_a) if _second(force) == 1 else subtract(u_a, u_b)
        for k in range(1, 3):
            rate = dot(u, load_linear(memory.rows.wrench[each.row + k]))
            each.gain[k] = h * (ahead + 0.5 * h) * across
            each.asked[k] = h * across * 0.5 * h * rate


@kernel
def _soften_support(model, scratch, memory, each, number, h, ahead):
    force, p, first = model.forces[number], scratch.parameters, first_parameter(model, number)
    _, x, u = force_point(force, scratch.bodies, p, first, 0)
    support = support_numbers(p, first)
    depth, n = ground_below(model, force, support.height, x)
    rise = dot(u, n)
    if each.pulls:
        each.one_sided, each.fastest = 1, _fastest(memory.rows, each.row, math.inf, ahead)
        stiffness, damping = push_gains(model, force, support, depth, rise)
        _soften_pull(each, stiffness, damping, depth, rise, h, ahead)
        if has_push(force):
            each.asked[0] = h * (elastic_push(model, force, support, depth)[0] + 0.5 * h * stiffness * rise)
        _add_drag(model, each, force, damping, -rise, h)
    each.friction, slope = support.friction, support.slope
    each.creep, each.steep, each.sticks = creep_of(model), h * slope, 1 if support.static >= 0.0 else 0
    if each.friction == math.inf:
        for k in range(each.pulls, each.rows):
            each.gain[k] = h * slope if depth > 0.0 else 0.0
        return
    each.way = CONE
    if not each.pulls:
        push = push_of(model, force, support, depth, rise) if depth > 0.0 else 0.0
        each.pressed = h * max(0.0, push)
        each.largest = each.friction * h * max(0.0, push)


@kernel
def _soften_tyre(model, scratch, memory, each, number, h, ahead):
    tyre = tyre_numbers(scratch.parameters, first_parameter(model, number))
    t, _, _ = touching_now(model, scratch, number, first_parameter(model, number))
    if each.pulls:
        each.one_sided, each.fastest = 1, _fastest(memory.rows, each.row, math.inf, ahead)
        _soften_pull(each, tyre.stiffness, tyre.damping, t.depth, _rise(model, scratch, number, t), h, ahead)
    else:
        each.pressed = h * t.load if t.depth > 0.0 else 0.0
        each.largest = tyre.friction * each.pressed
    each.way, each.friction = SLIP, tyre.friction
    each.gain[each.pulls] = h * tyre.slip_stiffness / t.pace
    each.gain[each.pulls + 1] = h * tyre.cornering_stiffness / t.pace


@kernel
def write_stiff_forces(memory, h, interval, carried):
    """Keeps what impulses over `h` (s) come to; of a shorter step than `interval`, only in its proportion.

    carried: the share of it that shall go on.
    """
    kept = 1.0 - h / interval
    for number in range(len(memory.stiff)):
        each = memory.stiff[number]
        if each.taken == _NOTHING:
            continue
        # along a line that turns, only the pull along it is kept
        force = scale(kept, load3(each.force))
        moment = scale(kept, load3(each.moment))
        each.pull *= kept
        for row in range(each.row, each.row + each.rows):
            share = memory.impulse[row] / interval
            force = add_scaled(force, share, load_linear(memory.rows.wrench[row]))
            moment = add_scaled(moment, share, load_angular(memory.rows.wrench[row]))
            if row == each.row:
                each.pull += share
        store3(each.force, force)
        store3(each.moment, moment)
        each.turns = 1 if each.pulls and each.rows == 1 and each.form == _PULL else 0
        each.known, each.carried = 1, carried
