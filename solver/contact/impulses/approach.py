# SPDX-License-Identifier: GPL-3.0-or-later
"""Approach of bodies: rates of gaps, and how far blows carry what they hit."""

import math

from ...kernel import kernel
from ...rotation import exponential, matrix_of_quaternion
from ...spatial import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load_angular,
    load_linear,
    rotate,
    scale,
    store3,
    store_spatial,
    subtract,
)
from .workspace import SLACK, TOUCH

_ZERO = (0.0, 0.0, 0.0)
_DRIFT = 1.5  # times as far as surfaces move: a place that was farther away was another one
_ALIKE = 0.2  # of that: how near to a body's own a place's way is that goes with it
_STEADY = 0.01  # sizes: what a load may move its bodies by in a step, alone, without halving the drift that counts
_FIRM = 2.0  # sizes: likewise, where it is known how they move
_HANDED_ON = 2  # times that a blow is handed on from body to body
_SUNK = 0.003  # thicknesses: how deep what nobody has seen coming may be inside
_BEHIND, _FARTHER = 0.02, 2.0  # thicknesses, and times the way in a step: deeper in a mesh, and it was behind it
_CLOSE = 0.05  # thicknesses: a gap that turning may close
_THROUGH = 0.25  # thicknesses: how far into what is beside it an end may swing unseen


@kernel
def point_rate(scratch, point):
    """m/s: how fast the gap opens at a point of contact."""
    a, b, x = scratch.bodies[point.body[0]], scratch.bodies[point.body[1]], load3(point.position)
    v_a = add(load3(a.linear), cross(load3(a.angular), subtract(x, load3(a.center))))
    v_b = add(load3(b.linear), cross(load3(b.angular), subtract(x, load3(b.center))))
    return dot(load3(point.normal), subtract(v_b, v_a))


@kernel
def is_near(scratch, memory, point, near, ahead):
    """True if a point touches, or may within the time `ahead` (s), or after a blow."""
    size = min(memory.size[point.part[0]], memory.size[point.part[1]])
    reached = near * size + max(memory.blow[point.body[0]], memory.blow[point.body[1]])
    return point.gap <= reached or point.gap + ahead * point_rate(scratch, point) <= 0.0


@kernel
def predict_impacts(model, scratch, memory, points, count, h):
    """Predicts how far impacts may carry bodies in a step of `h` (s), so that they hit others in the same one.

    points: POINT or CONTACT, of which the first `count` are looked at.
    """
    blow = memory.blow
    _foresee_stops(model, scratch, memory, h)
    for c in range(count):
        point = points[c]
        carried = max(0.0, -point.gap) + h * max(0.0, -point_rate(scratch, point))
        for i in point.body:
            if i >= model.driven:
                blow[i] = max(blow[i], carried)
    for _ in range(_HANDED_ON):
        for c in range(count):
            point = points[c]
            for side in range(2):
                hit = point.body[1 - side]
                if hit >= model.driven:
                    blow[hit] = max(blow[hit], blow[point.body[side]] - max(0.0, point.gap))


@kernel
def note_drive(scratch, contact, velocity, share):
    """Notes what forces have added to approaches since bodies had a velocity (B, 6), times `share`: the most so far."""
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        n, x = load3(each.normal), load3(each.position)
        before = dot(n, subtract(_carried(scratch, velocity, each, 1, x), _carried(scratch, velocity, each, 0, x)))
        each.driven = max(each.driven, share * (before - point_rate(scratch, each)))


@kernel
def _carried(scratch, velocity, point, side, x):
    i = point.body[side]
    w = (velocity[i, 0], velocity[i, 1], velocity[i, 2])
    v = (velocity[i, 3], velocity[i, 4], velocity[i, 5])
    return add(v, cross(w, subtract(x, load3(scratch.bodies[i].center))))


@kernel
def _foresee_stops(model, scratch, memory, h):
    """The same for what stiff springs draw, and what limits, dry friction or motors of joints stop, or further in."""
    blow, switch = memory.blow, 0
    for i in range(len(blow)):
        blow[i] = memory.drawn[i]
        while switch < len(model.switched) and model.switched[switch].body < i:
            switch += 1
        if i < model.driven:
            continue
        inner = model.bodies[i].inner
        is_stopped = switch < len(model.switched) and model.switched[switch].body == i
        if is_stopped or (inner >= model.driven and blow[inner] > 0.0):
            moving = scratch.bodies[i]
            spin, v = load3(moving.angular), load3(moving.linear)
            blow[i] += h * (math.sqrt(dot(v, v)) + memory.reach[i] * math.sqrt(dot(spin, spin)))


@kernel
def note_drift(model, scratch, contact, began, h):
    """Notes how places of earlier contacts move on beside the bodies' centres, as they did in a step of `h` (s).

    A corner's place goes with its body, a ball's stays at its centre; where two rods cross it is neither. began (B, 3)
    m: centres of mass where the earlier contacts were found. Velocities are those at the step's end.
    """
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        way = subtract(load3(each.position), load3(each.place))
        drift = _ZERO
        if dot(way, way) > 0.0:
            way = subtract(way, mean_way(model, scratch, began, each.body))
            far, least = h * _spread(scratch, each), (_ALIKE * h * _spread(scratch, each)) ** 2
            if dot(way, way) <= (_DRIFT * far) ** 2:
                drift = scale(_share_of_drift(contact, each, h) / h, way)
            for i in each.body:
                off = subtract(way, _way_with(model, scratch, began, each, i, h))
                if dot(off, off) < least:
                    each.follows, least = i, dot(off, off)
            if dot(way, way) < least:
                each.follows = 0
        each.share = _share_of_way(contact, each, h)
        if each.follows > 0:
            drift = scale(each.share, drift_with(model, scratch, each.body, each.follows, load3(each.position)))
        store3(each.drift, drift)


@kernel
def note_turning_normals(scratch, contact, h):
    """Notes how the normals of earlier contacts turn, as they did in a step of `h` (s).

    Where a wheel runs over an edge, it is with neither body. Forces weigh them. One that turned faster than surfaces
    let it was another one. Velocities are those at the step's end.
    """
    for b in range(contact.counts[0].blocks):
        block, before, now, fastest = contact.blocks[b], _ZERO, _ZERO, 0.0
        for c in range(block.first, block.last):
            each = contact.contacts[c]
            n, pressed = load3(each.normal), dot(load3(each.force), load3(each.normal))
            if pressed > 0.0:
                before, now = add_scaled(before, pressed, load3(each.faced)), add_scaled(now, pressed, n)
                fastest = max(fastest, _fastest_turning(scratch, contact, each))
        turn, size = cross(before, now), math.sqrt(dot(before, before) * dot(now, now))
        if size > 0.0 and dot(turn, turn) <= (_DRIFT * h * fastest * size) ** 2:
            store3(block.turning, scale(1.0 / (h * size), turn))


@kernel
def _fastest_turning(scratch, contact, each):
    """rad/s: how fast a contact's normal may turn, at most: with both bodies, and as their surfaces slide."""
    a, b = load3(scratch.bodies[each.body[0]].angular), load3(scratch.bodies[each.body[1]].angular)
    thickness = min(contact.thickness[each.part[0]], contact.thickness[each.part[1]])
    return math.sqrt(dot(a, a)) + math.sqrt(dot(b, b)) + 2.0 * _spread(scratch, each) / thickness


@kernel
def _way_with(model, scratch, began, each, i, h):
    """m: how far a contact's place has come in a step of `h` (s) beside the bodies' centres, if it goes with body i."""
    moving = scratch.bodies[i]
    r, back = subtract(load3(each.position), load3(moving.center)), scale(-h, load3(moving.angular))
    turned = subtract(r, rotate(matrix_of_quaternion(exponential(back)), r))
    came = subtract(load3(moving.center), load3(began[i]))
    return add(turned, subtract(came, mean_way(model, scratch, began, each.body)))


@kernel
def drift_with(model, scratch, body, i, x):
    """m/s: how a place x (m) that goes with body i, one of two, moves beside the mean of their centres."""
    moving, mean, number = scratch.bodies[i], _ZERO, 0
    for k in body:
        if k >= model.driven:
            mean, number = add(mean, load3(scratch.bodies[k].linear)), number + 1
    v = add(load3(moving.linear), cross(load3(moving.angular), subtract(x, load3(moving.center))))
    return add_scaled(v, -1.0 / max(1, number), mean)


@kernel
def _spread(scratch, each):
    """m/s: how fast the surfaces at a contact move beside the centres of the bodies, and these beside each other."""
    a, b, x = scratch.bodies[each.body[0]], scratch.bodies[each.body[1]], load3(each.position)
    turn_a = cross(load3(a.angular), subtract(x, load3(a.center)))
    turn_b = cross(load3(b.angular), subtract(x, load3(b.center)))
    apart = subtract(load3(b.linear), load3(a.linear))
    return math.sqrt(dot(turn_a, turn_a)) + math.sqrt(dot(turn_b, turn_b)) + 0.5 * math.sqrt(dot(apart, apart))


@kernel
def _share_of_drift(contact, each, h):
    """Less than all where a load drives its bodies far in a step: the drift is that of the step before."""
    driven = _driven(contact, each, h) / _STEADY
    return 1.0 / (1.0 + driven * driven)


@kernel
def _share_of_way(contact, each, h):
    """Likewise of a way that is known: a heavy load would answer a small error in it by a larger one."""
    return min(1.0, max(0.0, 2.0 - _driven(contact, each, h) / _FIRM))


@kernel
def _driven(contact, each, h):
    """The way, in sizes, that a contact's load alone would move its bodies in a step of `h` (s)."""
    force = load3(each.force)
    return h * h * contact.rows.own[each.row] * math.sqrt(dot(force, force)) / each.extent


@kernel
def mean_way(model, scratch, began, body):
    """m: how far the centres of two bodies have come since `began` (B, 3), in the mean of those that are dynamic."""
    way, moving = _ZERO, 0
    for i in body:
        if i >= model.driven:
            way, moving = add(way, subtract(load3(scratch.bodies[i].center), load3(began[i]))), moving + 1
    return scale(1.0 / max(1, moving), way)


@kernel
def fastest_sinking(scratch, contact):
    """1/s2: how fast contacts would sink in by turning alone, at most, as a part of the thinner shape's thickness.

    Impulses end the rate of a gap; its second derivative, from places that circle and from normals that turn with one
    of the two bodies, is left to the next step. Round shapes keep their curvature under a contact, and have none.
    """
    fastest = 0.0
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        thickness = min(contact.thickness[each.part[0]], contact.thickness[each.part[1]])
        if each.gap <= _CLOSE * thickness:
            fastest = max(fastest, _sinking(scratch, contact, each) / thickness)
    return fastest


@kernel
def _sinking(scratch, contact, each):
    """m/s2: the larger one of what it is if the normal turns with either body."""
    a, b, n, x = scratch.bodies[each.body[0]], scratch.bodies[each.body[1]], load3(each.normal), load3(each.position)
    at_a, at_b = subtract(x, load3(a.center)), subtract(x, load3(b.center))
    slip = subtract(
        add(load3(b.linear), cross(load3(b.angular), at_b)), add(load3(a.linear), cross(load3(a.angular), at_a))
    )
    circling, turning = 0.0, -math.inf
    if not contact.is_round[each.part[0]]:
        turn = cross(load3(a.angular), n)
        circling += dot(turn, cross(load3(a.angular), at_a))
        turning = max(turning, -2.0 * dot(turn, slip))
    if not contact.is_round[each.part[1]]:
        turn = cross(load3(b.angular), n)
        circling -= dot(turn, cross(load3(b.angular), at_b))
        turning = max(turning, -2.0 * dot(turn, slip))
    return max(0.0, turning - circling)


@kernel
def fastest_passing(scratch, contact):
    """1/s: how many steps it takes, at least, that no end of a body swings through what is beside it within one.

    Where a body turns, its other ends leave the straight ways on which points come together. A ball inside it does not.
    """
    fastest = 0.0
    for c in range(contact.counts[0].points):
        point = contact.points[c]
        thickness = min(contact.thickness[point.part[0]], contact.thickness[point.part[1]])
        if min(point.part[0], point.part[1]) < 0 or thickness == math.inf:
            continue
        bending = 0.0
        for end in range(2):
            i, part = point.body[end], point.part[end]
            spin = load3(scratch.bodies[i].angular)
            if not contact.is_round[part]:
                bending += dot(spin, spin) * max(0.0, contact.reach[i] - 0.5 * contact.thickness[part])
        fastest = max(fastest, 0.5 * bending / (max(0.0, point.gap) + _THROUGH * thickness))
    return math.sqrt(fastest)


@kernel
def first_unseen(scratch, contact, began, h):
    """The part of a step of `h` (s) after which the first point met that was apart before and is deep inside now, or 1.

    began (B, 6): velocities at the step's start. What comes within a step in which nobody looks, as another blow or a
    corner that swings round has sent it there, would be stopped where it has come to.
    """
    first = 1.0
    for c in range(contact.counts[0].points):
        point = contact.points[c]
        far = _SUNK * min(contact.thickness[point.part[0]], contact.thickness[point.part[1]])
        if point.gap < -far:
            n, x = load3(point.normal), load3(point.position)
            rate = dot(n, subtract(_carried(scratch, began, point, 1, x), _carried(scratch, began, point, 0, x)))
            before = point.gap - 0.5 * h * (rate + point_rate(scratch, point))
            if before > far:
                first = min(first, before / (before - point.gap))
    return first


@kernel
def leave_out_behind(scratch, contact, began, h):
    """Leaves out points of meshes that lie deeper than anything can have come in a step of `h` (s) from where the two
    shapes were before: what comes up behind an open mesh, or tips over its border, has not come through it, and is not
    led there.

    began (B, 6): velocities at the step's start.
    """
    for c in range(contact.counts[0].points):
        point = contact.points[c]
        a, b = contact.thickness[point.part[0]], contact.thickness[point.part[1]]
        is_mesh = (point.part[0] >= 0 and a == math.inf) or (point.part[1] >= 0 and b == math.inf)
        if is_mesh and point.gap < -_BEHIND * min(a, b):
            n, x = load3(point.normal), load3(point.position)
            rate = dot(n, subtract(_carried(scratch, began, point, 1, x), _carried(scratch, began, point, 0, x)))
            came = h * max(0.0, max(-rate, -point_rate(scratch, point)))
            if point.gap < _deepest_before(contact, point) - _BEHIND * min(a, b) - _FARTHER * came:
                point.gap = math.inf


@kernel
def _deepest_before(contact, point):
    """m: the least gap of two shapes in the step before, or zero."""
    deepest = 0.0
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        is_same = each.part[0] == point.part[0] and each.part[1] == point.part[1]
        if is_same or (each.part[0] == point.part[1] and each.part[1] == point.part[0]):
            deepest = min(deepest, each.gap)
    return deepest


@kernel
def note_approach(scratch, contact, h):
    """By how much gaps have closed in a step of `h` (s) that nothing has resisted yet, of contacts that are new."""
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        each.closed = 0.0 if each.known else max(0.0, -h * point_rate(scratch, each))


@kernel
def shift_gaps(scratch, points, count, time):
    """Before and after a change of speeds, with opposite times (s): gaps as that change shifts the pose.

    points: POINT or CONTACT, the first `count`.
    """
    for c in range(count):
        points[c].gap += time * point_rate(scratch, points[c])


@kernel
def exchange_velocities(scratch, other, keeps):
    """Gives bodies other velocities (B, 6), which become theirs; `keeps`: only these."""
    for i in range(len(other)):
        moving = scratch.bodies[i]
        angular, linear = load3(moving.angular), load3(moving.linear)
        if not keeps:
            store3(moving.angular, load_angular(other[i]))
            store3(moving.linear, load_linear(other[i]))
        store_spatial(other[i], angular, linear)


@kernel
def let_close(contact, time):
    """Sets rates at which gaps may close to have just met a `time` (s) later; those that are none must not close.

    What pressed in the step before rests with a little gap too: corners of a rigid sole must not be asked for motions
    that do not agree, since no forces would.
    """
    for c in range(contact.counts[0].contacts):
        each = contact.contacts[c]
        slack = SLACK if dot(load3(each.force), load3(each.normal)) > 0.0 else TOUCH
        each.closing = each.gap / time if each.gap > slack * each.extent else 0.0
