# SPDX-License-Identifier: GPL-3.0-or-later
"""Balance: a figure holds its central body where it shall be, by pushing against what its feet stand on.

Recursive workspace control (Wendlandt and Sastry 1996; Wendlandt 1997, chapter 4). From the errors of the central
body's position and orientation (`target`) follows the wrench that the ground shall exert on the figure, its weight
included; the feet share it among the points in which they touch; one pass inward through the tree turns that into joint
torques. No Jacobian is inverted, so stretched knees are no singularity. What the tree's masses need to accelerate
together with the central body is in it; that its legs turn on the way is not.

It decides once a step, as a digital controller would: the torques stay what they are until the next one.

Symbols: m, c the figure's mass and centre of mass; a acceleration asked of it, alpha angular acceleration asked of its
upper part, whose inertia is J; F, N the wrench asked of the ground about c; x_k points of contact, o their mean, f_k
forces there, mu friction; S motion subspace of an axis.

    F = sum m_i (a - g_i),  N = J alpha + omega x J omega
"""

import math
from typing import NamedTuple

import numpy as np

from ..dynamics.forces.points import first_parameter, is_enabled
from ..kernel import kernel
from ..model.arrays import ForceKind, Model, records
from ..model.balance import UPPER, Figures
from ..spatial import (
    add,
    add_scaled,
    add_symmetric,
    add_to_spatial,
    apply_symmetric,
    cross,
    dot,
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
from .bearings import BEARING, point_inertia, share_wrench
from .lifting import keep_down, new_rises, plan_lifts, risen, share_weight, weigh_points
from .loads import forget_load, ground_on_feet, new_loads, observe_load
from .reaching import new_grasps, reach_out
from .stepping import beyond, leave_out, new_strides, plan_step, swing
from .target import asked_accelerations, balance_numbers, pendulum_of

_BALANCE = int(ForceKind.BALANCE)
_MOST_POINTS = 48
_NEAR = 1e-3  # of the smaller shape's size: a gap over which a foot is said to stand
_GRIP = 0.95  # of the friction that is there: what a foot counts on
_LOST = 0.77  # cosine of half the angle at which a figure gives up: 80 degrees
_FALLS = 0.1  # of its height: a figure whose capture point is so far beyond its soles falls
_ZERO = (0.0, 0.0, 0.0)


DECISION = np.dtype(
    [
        ("is_made", "i8"),  # 0: it is off, stands on nothing or has fallen, so nothing is asked
        ("force", "f8", 3),  # N: that the ground shall exert on the figure,
        ("moment", "f8", 3),  # N m: and about its centre of mass,
        ("center", "f8", 3),  # m: which is here
    ],
    align=True,
)


class Steering(NamedTuple):
    """The figures of a linkage, and what was decided for them."""

    figures: Figures
    decisions: np.recarray  # (G,) DECISION: until the next step, as are
    torque: np.ndarray  # (A,) N m or N
    bearings: np.recarray  # BEARING: where the feet of the figure at hand stand
    wrench: np.ndarray  # (B, 6): what acts on each body from outside, about its reference point
    strides: np.recarray  # (G,) STRIDE: which foot takes a step
    rises: np.recarray  # RISE, of each foot
    shares: np.ndarray  # of the weight, which each foot is to carry
    aloft: np.ndarray  # int64: 1 for each foot that is led through the air
    grasps: np.recarray  # GRASP, of each hand
    bound: np.ndarray  # (A,) N m or N: what each axis may exert, below 0 where nothing drives it
    loads: np.recarray  # (G,) LOAD: what is thought to act on the figure from outside
    asked: np.ndarray  # (B, 3) m/s2: how each body shall accelerate


def new_steering(model: Model, figures: Figures) -> Steering:
    """Nothing is decided yet."""
    most = _MOST_POINTS if len(figures.figures) else 0
    return Steering(
        figures,
        records(len(figures.figures), DECISION),
        np.zeros(len(model.armature)),
        records(most, BEARING),
        np.zeros((len(model.bodies), 6)),
        new_strides(len(figures.figures)),
        new_rises(len(figures.feet)),
        np.zeros(len(figures.feet)),
        np.zeros(len(figures.feet), np.int64),
        new_grasps(len(figures.hands)),
        np.zeros(len(model.armature)),
        new_loads(len(figures.figures)),
        np.zeros((len(model.bodies), 3)),
    )


@kernel
def steer(model, scratch, contact, steering, time, goes_on):
    """Decides the torques of all figures from poses, velocities and contacts of now, at a time (s).

    Only where it goes on from here a foot is lifted, or comes down.
    """
    if len(steering.figures.figures) == 0:
        return
    for axis in range(len(steering.torque)):
        steering.torque[axis] = 0.0
    g = 0
    for number in range(len(model.forces)):
        if model.forces[number].kind == _BALANCE:
            first = first_parameter(model, number)
            steering.decisions[g].is_made = 0
            if is_enabled(scratch.parameters, first):
                _steer_figure(model, scratch, contact, steering, g, first, time, goes_on)
            g += 1


@kernel
def mark_feet(model, scratch, contact, steering):
    """Tells the contacts of feet that are steered."""
    figures, g = steering.figures, 0
    if len(figures.figures) == 0:
        return
    for number in range(len(model.forces)):
        if model.forces[number].kind == _BALANCE:
            if is_enabled(scratch.parameters, first_parameter(model, number)):
                for k in range(contact.counts[0].contacts):
                    each, figure = contact.contacts[k], figures.figures[g]
                    for x in range(figure.foot_start, figure.foot_end):
                        if each.body[0] == figures.feet[x].body or each.body[1] == figures.feet[x].body:
                            each.steered = 1
            g += 1


@kernel
def add_torques(scratch, steering):
    """Adds what was decided to the efforts."""
    if len(steering.figures.figures) > 0:
        for axis in range(len(steering.torque)):
            scratch.efforts[axis] += steering.torque[axis]


@kernel
def write_wrenches(contact, steering, wrenches):
    """Writes for each figure (G, 12) the wrench asked of the ground, and the one that it exerts on the feet.

    Each as a force (N) and a moment about the figure's centre of mass (N m); all zero where nothing is asked.
    """
    figures = steering.figures
    for g in range(len(figures.figures)):
        decision, force, moment = steering.decisions[g], _ZERO, _ZERO
        if decision.is_made:
            force, moment = ground_on_feet(contact, figures, g, load3(decision.center))
            store3(wrenches[g, :3], load3(decision.force))
            store3(wrenches[g, 3:6], load3(decision.moment))
            store3(wrenches[g, 6:9], force)
            store3(wrenches[g, 9:], moment)


@kernel
def _steer_figure(model, scratch, contact, steering, g, first, time, goes_on):
    figure, stride, p = steering.figures.figures[g], steering.strides[g], scratch.parameters
    count = _find_bearings(scratch, contact, steering, g)
    balance, load = balance_numbers(p, first), steering.loads[g]
    if count == 0 or balance.load_time <= 0.0:
        forget_load(load)
    elif goes_on:
        observe_load(model, scratch, contact, steering.figures, g, load, time, balance.load_time)
    is_told = share_weight(model, p, steering.figures, figure, steering.shares)
    count = _leave_ground(model, scratch, steering, g, count, balance, time, goes_on)
    if count == 0:
        return
    if is_told:
        weigh_points(steering.figures, figure, steering.shares, steering.bearings, count)
    by_center = is_told or figure.hand_end > figure.hand_start
    m, c, F, N = _asked(model, scratch, steering, g, count, first, by_center)
    if m == 0.0:
        stride.foot = 0
        keep_down(steering, figure)
        return
    F, N = subtract(F, load3(load.force)), subtract(N, load3(load.moment))
    F, N = _lead_feet(model, scratch, steering, g, c, F, N, balance, time)
    _bound_legs(steering, g, balance.largest)
    F, N = reach_out(model, scratch, steering, g, c, F, N, time, goes_on)
    if balance.step_time > 0.0:
        F = _lean(model, steering, g, count, m, c, F, N)
    F = _bear(model, scratch, steering, g, count, m, c, F)
    decision = steering.decisions[g]
    decision.is_made = 1
    store3(decision.force, F)
    store3(decision.moment, N)
    store3(decision.center, c)
    share_wrench(steering.bearings, count, c, F, N)
    _load(model, scratch, steering, g, count, m, c, F)
    _turn_into_torques(model, scratch, steering, g)


@kernel
def _bound_legs(steering, g, largest):
    """Fills how much each axis of a leg may exert; all others are driven by nothing."""
    limit = steering.figures.limit
    for axis in range(len(steering.bound)):
        steering.bound[axis] = min(limit[g, axis], largest) if limit[g, axis] == math.inf else limit[g, axis]


@kernel
def _lean(model, steering, g, count, m, c, F, N):
    """The force asked of the ground, with as much less to the side as lets it act upon the soles.

    Where F and N would have to act beyond them, the figure stays upright and comes back more slowly, or not.
    """
    bearings, low = steering.bearings, 0.0
    for k in range(count):
        low += bearings[k].position[2] / count
    height = c[2] - low
    if not height > 0.0 or not F[2] > 0.0:
        return F
    acts = (c[0] - (height * F[0] + N[1]) / F[2], c[1] - (height * F[1] - N[0]) / F[2], 0.0)
    off, along, across = beyond(bearings, count, -1, acts)
    if off <= 0.0:
        return F
    return _ask_more(model, steering, g, m, F, scale(off * F[2] / height, (along, across, 0.0)))


@kernel
def _bear(model, scratch, steering, g, count, m, c, F):
    """The force asked of the ground, where the figure is falling over its soles no more than a stiff strut would bear.

    Legs that pushed harder would only throw it into the air. The strut stands on the soles, nearest to the centre of
    mass: along it m (g cos - v^2 / l).
    """
    bearings = steering.bearings
    c, v, gravity = pendulum_of(model, scratch, steering.figures, g)
    low = _ZERO
    for k in range(count):
        x, foot = load3(bearings[k].position), scratch.bodies[bearings[k].foot]
        there = add(load3(foot.linear), cross(load3(foot.angular), subtract(x, load3(foot.center))))
        low, v = add_scaled(low, 1.0 / count, x), add_scaled(v, -1.0 / count, there)
    height = c[2] - low[2]
    if not height > 0.0 or not gravity > 0.0:
        return F
    off, _, _ = beyond(bearings, count, -1, add_scaled(c, math.sqrt(height / gravity), v))
    if off <= 0.0:
        return F
    out, along, across = beyond(bearings, count, -1, c)
    out = max(0.0, out)
    strut = (out * along, out * across, height)
    length = math.sqrt(dot(strut, strut))
    strut = scale(1.0 / length, strut)
    outward = dot(v, strut)
    borne = m * max(0.0, gravity * strut[2] - (dot(v, v) - outward * outward) / length)
    more = dot(F, strut) - borne
    if more <= 0.0:
        return F
    share = min(1.0, off / (_FALLS * height))
    return _ask_more(model, steering, g, m, F, scale(-share * more, strut))


@kernel
def _ask_more(model, steering, g, m, F, more):
    """F and `more` of it, which accelerates the whole figure."""
    for i in range(model.driven, len(model.bodies)):
        if steering.figures.part[g, i]:
            store3(steering.asked[i], add_scaled(load3(steering.asked[i]), 1.0 / m, more))
    return add(F, more)


@kernel
def _leave_ground(model, scratch, steering, g, count, balance, time, goes_on):
    """Lifts feet, or lets them come down; returns in how many points the others stand."""
    figures, stride = steering.figures, steering.strides[g]
    figure = figures.figures[g]
    if balance.step_time <= 0.0 or figure.foot_end - figure.foot_start < 2:
        stride.foot = 0
    if goes_on:
        pendulum = pendulum_of(model, scratch, figures, g)
        if balance.step_time > 0.0 and figure.foot_end - figure.foot_start > 1:
            plan_step(scratch, steering, figure, stride, count, pendulum, balance, time)
        plan_lifts(model, scratch, steering, figure, stride, count, pendulum, time)
    for number in range(figure.foot_start, figure.foot_end):
        if steering.aloft[number]:
            count = leave_out(steering.bearings, count, figures.feet[number].body)
    return count


@kernel
def _lead_feet(model, scratch, steering, g, c, F, N, balance, time):
    """(F, N): what the ground shall exert when legs are led through the air; feet that turn there hold more."""
    figures, stride = steering.figures, steering.strides[g]
    figure = figures.figures[g]
    for i in range(len(model.bodies)):
        store_spatial(steering.wrench[i], _ZERO, _ZERO)
    for number in range(figure.foot_start, figure.foot_end):
        if not steering.aloft[number]:
            continue
        foot = figures.feet[number]
        if stride.foot == number + 1:
            a, alpha = swing(scratch, figures, figure, steering.aloft, stride, balance, time)
        else:
            a, alpha = risen(scratch, steering, figure, number)
        for i in range(model.driven, len(model.bodies)):
            if figures.leg[g, i] == number + 1:
                more = scale(figures.along[g, i], subtract(a, load3(steering.asked[i])))
                store3(steering.asked[i], add(load3(steering.asked[i]), more))
                f = scale(model.bodies[i].mass, more)
                F, N = add(F, f), add(N, cross(subtract(load3(scratch.bodies[i].center), c), f))
        J = rotate_symmetric(load9(scratch.bodies[foot.body].rotation), load6(model.bodies[foot.body].inertia))
        store_spatial(steering.wrench[foot.body], scale(-1.0, apply_symmetric(J, alpha)), _ZERO)
    return F, N


@kernel
def _find_bearings(scratch, contact, steering, g):
    """Notes where a figure's feet stand on something that bears them; returns in how many points."""
    figure, bearings, count = steering.figures.figures[g], steering.bearings, 0
    for k in range(contact.counts[0].contacts):
        each = contact.contacts[k]
        n, force = load3(each.normal), load3(each.force)
        if each.gap > _NEAR * each.extent and dot(n, force) <= 0.0:
            continue
        for x in range(figure.foot_start, figure.foot_end):
            foot = steering.figures.feet[x].body
            is_second = each.body[1] == foot
            up = n if is_second else scale(-1.0, n)
            if (is_second or each.body[0] == foot) and up[2] > 0.0 and count < len(bearings):
                bearing = bearings[count]
                bearing.foot, bearing.friction, bearing.weight = foot, _GRIP * each.friction, 1.0
                store3(bearing.position, load3(each.position))
                store3(bearing.normal, up)
                count += 1
    return count


@kernel
def _asked(model, scratch, steering, g, count, first, by_center):
    """(m, c, F, N): the figure's mass and centre, and the wrench about that which the ground shall exert on it.

    The mass is zero if the figure has fallen.
    """
    p, figures = scratch.parameters, steering.figures
    figure = figures.figures[g]
    a, alpha, upright = asked_accelerations(model, scratch, steering, g, count, first, by_center)
    if upright < _LOST:
        return 0.0, _ZERO, _ZERO, _ZERO
    m, mass, c, upper, F = 0.0, 0.0, _ZERO, _ZERO, _ZERO
    gravity = len(p) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        if figures.part[g, i]:
            own, x, k = model.bodies[i].mass, load3(scratch.bodies[i].center), gravity + 3 * i
            store3(steering.asked[i], a)
            m, c = m + own, add_scaled(c, own, x)
            F = add_scaled(F, own, subtract(a, (p[k], p[k + 1], p[k + 2])))
            if figures.part[g, i] == UPPER:
                mass, upper = mass + own, add_scaled(upper, own, x)
    c, upper = scale(1.0 / m, c), scale(1.0 / mass, upper)
    J = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(model.driven, len(model.bodies)):
        if figures.part[g, i] == UPPER:
            body, moving = model.bodies[i], scratch.bodies[i]
            r = subtract(load3(moving.center), upper)
            J = add_symmetric(J, rotate_symmetric(load9(moving.rotation), load6(body.inertia)))
            J = add_symmetric(J, point_inertia(body.mass, r))
    spin = load3(scratch.bodies[figure.body].angular)
    return m, c, F, add(apply_symmetric(J, alpha), cross(spin, apply_symmetric(J, spin)))


@kernel
def _load(model, scratch, steering, g, count, m, c, F):
    """Forces from outside on each body: those at the feet, its weight, and d'Alembert's of what is asked of it.

    What the feet cannot give of F all lack alike. What moment is left turns the central body.
    """
    wrench, total, moment = steering.wrench, _ZERO, _ZERO
    for k in range(count):
        f = load3(steering.bearings[k].force)
        total = add(total, f)
        moment = add(moment, cross(subtract(load3(steering.bearings[k].position), c), f))
    lacking, p = scale(1.0 / m, subtract(total, F)), scratch.parameters
    gravity = len(p) - 3 * len(model.bodies)
    for i in range(model.driven, len(model.bodies)):
        k = gravity + 3 * i
        a = add(load3(steering.asked[i]), subtract(lacking, (p[k], p[k + 1], p[k + 2])))
        add_to_spatial(wrench[i], _ZERO, scale(-model.bodies[i].mass, a))
    for k in range(count):
        bearing = steering.bearings[k]
        arm, f = subtract(load3(bearing.position), load3(scratch.bodies[bearing.foot].center)), load3(bearing.force)
        add_to_spatial(wrench[bearing.foot], cross(arm, f), f)
    add_to_spatial(wrench[steering.figures.figures[g].body], scale(-1.0, moment), _ZERO)


@kernel
def _turn_into_torques(model, scratch, steering, g):
    """Inward: each axis of a leg or a led arm holds what acts on all bodies further out, within its limit."""
    wrench, bound = steering.wrench, steering.bound
    for i in range(len(model.bodies) - 1, model.driven - 1, -1):
        if steering.figures.part[g, i] == 0:
            continue
        body = model.bodies[i]
        n, f = load_angular(wrench[i]), load_linear(wrench[i])
        for axis in range(body.axis_start, body.axis_end):
            if bound[axis] >= 0.0:
                S = scratch.axes[axis].S
                torque = -(dot(load_angular(S), n) + dot(load_linear(S), f))
                steering.torque[axis] += max(-bound[axis], min(bound[axis], torque))
        if body.inner >= model.driven:
            r = subtract(load3(scratch.bodies[i].center), load3(scratch.bodies[body.inner].center))
            add_to_spatial(wrench[body.inner], add(n, cross(r, f)), f)
