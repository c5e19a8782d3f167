# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact as a force: shapes that sink into each other a little push each other apart, by Hunt and Crossley's law.

At a point where they overlap by d (m), with k from `contact.soft.parameters`,
    F = k d^(3/2) (1 + c d' / v),  U = 2/5 k d^(5/2),
after Hunt and Crossley (1975), "Coefficient of restitution interpreted as damping in vibroimpact", with the exponent of
Hertz; v is the speed with which the impact began, and c follows from the restitution (`contact.soft.parameters`).
Nothing has to remember v. For a mass m the law itself says where on its way through an impact it is: with
h(x) = x - log(1 + x),
    m (v / c)^2 (h(c) - h(c d' / v)) = U,
so that x = c d' / v solves x^2 V^2 = 2 d'^2 (h(c) - h(x)) with V^2 = 2 U / m. It lies between -e c and c, hence F never
pulls; d' x >= 0, hence F takes energy and never gives any; and a body that lies still is damped as an impact is.

All points of two bodies share V: U is that of them all, and 1 / m what the articulated bodies give way to their push.

Friction is Coulomb's, rounded off where sliding begins, as that of a support: f = -friction F u / sqrt(u^2 + s^2), with
s = CREEP sqrt(g a), a the size. What is held by friction creeps by less than that.

Points come from `contact.detection.ground`, and from the collision engine by a Callback.
"""

import math

from ...dynamics.loops.closed_tree import project_wrench
from ...dynamics.tree.articulated_body import eliminate_inward
from ...kernel import call_back, kernel, kernel_by_class
from ...model.arrays import TouchingScratch
from ...spatial import add, add_scaled, add_to_spatial, cross, dot, load3, scale, subtract
from ..detection.ground import touch_ground
from .parameters import GRAVITY

CREEP = 1e-3  # of the speed of a fall through the size: sliding speed at which friction is nearly all there
_STRIDE = 0.05  # of the size: how far what is near may come in one step
_SERIES = 1e-2  # below it h is summed
_FAR = 1e150  # rate over V: beyond it x is at its bound
_MOST_GUESSES = 60
_ROUNDING = 4e-16
_ZERO = (0.0, 0.0, 0.0)


@kernel
def _no_forces(scratch, model):
    pass


@kernel
def _no_energy(scratch):
    return 0.0


@kernel
def _any_step(scratch):
    return math.inf


@kernel
def _touch(scratch, model):
    soft, bodies = scratch.soft, scratch.bodies
    soft.clock[0].energy = 0.0
    for i in range(len(soft.wrench)):
        for k in range(6):
            soft.wrench[i, k] = 0.0
    found = 0
    if soft.has_pairs:
        found = -1 if soft.failed[0] else call_back(soft.find, 0)
        if found < 0:
            soft.failed[0], found = 1, 0
            bodies[model.driven].wrench[0] = math.nan
    soft.clock[0].longest = _bound_step(soft, bodies, found)
    if soft.has_ground:
        between = found
        found = touch_ground(soft.shapes, bodies, soft.height, soft.level, soft.points, between)
        if found > len(soft.points):
            soft.failed[0], found = 1, 0
            bodies[model.driven].wrench[0] = math.nan
        for number in range(between, found):
            soft.share[number], soft.deep[number] = 1.0, -soft.points[number].gap
    is_touched = False
    for number in range(found):
        overlaps = soft.points[number].gap < 0.0
        soft.group[number] = 0 if overlaps else 1
        is_touched = is_touched or overlaps
    if not is_touched:
        return
    eliminate_inward(model, scratch)
    for number in range(found):
        if soft.group[number] == 0:
            _push_apart(model, scratch, number, found)


@kernel
def _energy(scratch):
    return scratch.soft.clock[0].energy


@kernel
def _longest_step(scratch):
    return scratch.soft.clock[0].longest


def _chosen(soft, other):
    return kernel_by_class(lambda scratch: soft if issubclass(scratch, TouchingScratch) else other)


# (scratch, model): adds the wrenches of contacts to those of the bodies, from kinematics and efforts.
add_contacts = _chosen(_touch, _no_forces)
# (scratch): J in compressed contacts, as the last evaluation left it.
contact_energy = _chosen(_energy, _no_energy)
# (scratch): s that a step may last from the last evaluation on, so that nothing passes through anything unseen.
longest_step = _chosen(_longest_step, _any_step)


@kernel
def _bound_step(soft, bodies, found):
    """s: no gap closes by more than itself, or by _STRIDE of a size where it is smaller or closed."""
    longest, fastest, second = math.inf, 0.0, 0.0
    for i in range(len(bodies)):
        v = _fastest(soft, bodies, i)
        if v > fastest:
            fastest, second = v, fastest
        elif v > second:
            second = v
    if soft.has_pairs:
        longest = _over(soft.ahead, fastest + second)
        for number in range(found):
            point = soft.points[number]
            size = min(soft.thickness[point.part[0]], soft.thickness[point.part[1]])
            v = _fastest(soft, bodies, point.body[0]) + _fastest(soft, bodies, point.body[1])
            longest = min(longest, _over(max(point.gap, _STRIDE * size), v))
    for number in range(len(soft.shapes.shapes) if soft.has_ground else 0):
        shape = soft.shapes.shapes[number]
        gap = bodies[shape.body].center[2] - soft.reach[shape.body] - soft.height
        v = _fastest(soft, bodies, shape.body)
        longest = min(longest, _over(max(gap, _STRIDE * soft.radius[shape.part]), v))
    return longest


@kernel
def _over(way, speed):
    return way / speed if speed > 0.0 else math.inf


@kernel
def _fastest(soft, bodies, i):
    """m/s: nothing of a body is faster."""
    w, v = load3(bodies[i].angular), load3(bodies[i].linear)
    return math.sqrt(dot(v, v)) + soft.reach[i] * math.sqrt(dot(w, w))


@kernel
def _push_apart(model, scratch, first, found):
    """Adds what the bodies of this point exert on each other at all their points."""
    soft, bodies = scratch.soft, scratch.bodies
    a, b = soft.points[first].body[0], soft.points[first].body[1]
    total, energy, f, n = 0.0, 0.0, _ZERO, _ZERO
    for number in range(first, found):
        point = soft.points[number]
        side = _side(point, a, b) if soft.group[number] == 0 else 0.0
        if side != 0.0:
            depth, k = -point.gap, soft.share[number] * _stiffness(soft, point)
            push = k * depth * math.sqrt(depth)
            soft.push[number] = push
            total, energy = total + push, energy + 0.4 * push * soft.deep[number]
            along = scale(side * push, load3(point.normal))
            f = add(f, along)
            n = add(n, cross(subtract(load3(point.position), load3(bodies[b].center)), along))
    soft.clock[0].energy += energy
    V = math.sqrt(2.0 * energy * _inverse_mass(model, scratch, a, b, scale(1.0 / total, n), scale(1.0 / total, f)))
    for number in range(first, found):
        point = soft.points[number]
        side = _side(point, a, b) if soft.group[number] == 0 else 0.0
        if side != 0.0:
            soft.group[number] = 1
            force = _force(scratch, number, a, b, scale(side, load3(point.normal)), V)
            x = load3(point.position)
            _exert(soft, bodies, b, x, force, b >= model.driven)
            _exert(soft, bodies, a, x, scale(-1.0, force), a >= model.driven)


@kernel
def _exert(soft, bodies, i, x, force, moves):
    moment = cross(subtract(x, load3(bodies[i].center)), force)
    add_to_spatial(soft.wrench[i], moment, force)
    if moves:
        add_to_spatial(bodies[i].wrench, moment, force)


@kernel
def _side(point, a, b):
    """1 if a point lies between these bodies in this order, -1 in the other, 0 if it does not."""
    if point.body[0] == a and point.body[1] == b:
        return 1.0
    return -1.0 if point.body[0] == b and point.body[1] == a else 0.0


@kernel
def _size(soft, point):
    if point.part[0] < 0:
        return soft.radius[point.part[1]]
    return min(soft.thickness[point.part[0]], soft.thickness[point.part[1]])


@kernel
def _stiffness(soft, point):
    """N/m^(3/2)"""
    one, other = soft.weight[point.part[0]], soft.weight[point.part[1]]
    weight = math.sqrt(one * other)
    if one == math.inf or other == math.inf:
        weight = min(one, other)
    sunk = soft.sinking[soft.surface[point.part[0]], soft.surface[point.part[1]]] * _size(soft, point)
    return weight * GRAVITY / (sunk * math.sqrt(sunk))


@kernel
def _inverse_mass(model, scratch, a, b, n, f):
    """1/kg: how fast the bodies part for a push of one; n, f: its moment about the centre of b, and its force, on b.

    Where pushes oppose each other, so that f is shorter than one, what is left counts as on free bodies.
    """
    work, axes = scratch.work, scratch.axes
    for k in range(len(work)):
        work[k] = 0.0
    left = 1.0 - dot(f, f)
    inverse = 0.0
    if b >= model.driven:
        project_wrench(model, scratch, work, b, n, f, True)
        inverse += left / model.bodies[b].mass
    if a >= model.driven:
        r = subtract(load3(scratch.bodies[b].center), load3(scratch.bodies[a].center))
        project_wrench(model, scratch, work, a, scale(-1.0, add(n, cross(r, f))), scale(-1.0, f), True)
        inverse += left / model.bodies[a].mass
    inverse = max(0.0, inverse)
    for k in range(len(work)):
        inverse += work[k] * work[k] / axes[k].D
    return inverse


@kernel
def _force(scratch, number, a, b, normal, V):
    """N: on the second body."""
    soft, bodies = scratch.soft, scratch.bodies
    point = soft.points[number]
    x, one, other = load3(point.position), soft.surface[point.part[0]], soft.surface[point.part[1]]
    u = subtract(_velocity_at(bodies[b], x), _velocity_at(bodies[a], x))
    rate = -dot(u, normal)
    c = soft.damping[one, other]
    push = soft.push[number] * (1.0 + damping_share(rate, V, c, soft.restitution[one, other]))
    sliding = add_scaled(u, rate, normal)
    creep = CREEP * CREEP * GRAVITY * _size(soft, point)
    drag = soft.friction[one, other] * push / math.sqrt(dot(sliding, sliding) + creep)
    return add_scaled(scale(push, normal), -drag, sliding)


@kernel
def _velocity_at(body, x):
    return add(load3(body.linear), cross(load3(body.angular), subtract(x, load3(body.center))))


@kernel
def damping_share(rate, V, c, e):
    """x = c rate / v of Hunt and Crossley's law at this rate (m/s) of depth, with V (m/s) from the energy in it.

    Newton's method on a convex function, from the far side of the root: it cannot fail.
    """
    if c == 0.0 or rate == 0.0:
        return 0.0
    bound = c if rate > 0.0 else e * c
    if not abs(rate) < _FAR * V:
        return math.copysign(bound, rate)
    square, hc = (rate / V) ** 2, _h(c)
    x = math.copysign(min(bound, abs(rate / V) * math.sqrt(2.0 * hc)), rate)
    for _ in range(_MOST_GUESSES):
        q = x * x - 2.0 * square * (hc - _h(x))
        change = q / (2.0 * x * (1.0 + square / (1.0 + x)))
        x -= change
        if not abs(change) > _ROUNDING * abs(x):
            break
    return x


@kernel
def _h(x):
    """x - log(1 + x)"""
    if abs(x) > _SERIES:
        return x - math.log1p(x)
    total, power = 0.0, x
    for k in range(2, 11):
        power *= -x
        total -= power / k
    return total
