# SPDX-License-Identifier: GPL-3.0-or-later
"""How bodies come nearer: rates of gaps, and how far blows carry what they hit."""

from ..kernel import kernel
from ..spatial import add, cross, dot, load3, subtract
from .memory import CONTACTS, SLACK, TOUCH

_HANDED_ON = 2  # times that a blow is handed on from body to body


@kernel
def point_rate(scratch, point):
    """m/s: how fast the gap opens at a point of contact."""
    a, b, x = scratch.bodies[point.body[0]], scratch.bodies[point.body[1]], load3(point.position)
    v_a = add(load3(a.linear), cross(load3(a.angular), subtract(x, load3(a.center))))
    v_b = add(load3(b.linear), cross(load3(b.angular), subtract(x, load3(b.center))))
    return dot(load3(point.normal), subtract(v_b, v_a))


@kernel
def is_near(scratch, memory, point, near, ahead):
    """Whether a point touches, or may within the time `ahead` (s), or after a blow."""
    size = min(memory.size[point.part[0]], memory.size[point.part[1]])
    reached = near * size + max(memory.blow[point.body[0]], memory.blow[point.body[1]])
    return point.gap <= reached or point.gap + ahead * point_rate(scratch, point) <= 0.0


@kernel
def foresee_blows(model, scratch, memory, points, count, h):
    """How far what hits a body or overlaps it may carry it in a step of `h` (s): it hits others in the same one.

    points: POINT or CONTACT, of which the first `count` are looked at.
    """
    blow = memory.blow
    for i in range(len(blow)):
        blow[i] = 0.0
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
    """What forces have added to approaches since bodies had a velocity (B, 6), times `share`: the most so far."""
    for c in range(contact.counts[CONTACTS]):
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
def note_approach(scratch, contact, h):
    """By how much gaps have closed in a step of `h` (s) that nothing has resisted yet, of contacts that are new."""
    for c in range(contact.counts[CONTACTS]):
        each = contact.contacts[c]
        each.closed = 0.0 if each.known else max(0.0, -h * point_rate(scratch, each))


@kernel
def shift_gaps(scratch, contact, time):
    """Before and after a change of speeds, with opposite times (s): gaps as that change shifts the pose."""
    for c in range(contact.counts[CONTACTS]):
        contact.contacts[c].gap += time * point_rate(scratch, contact.contacts[c])


@kernel
def let_close(contact, time):
    """How fast gaps may close to have just met a `time` (s) later; those that are none must not close.

    What pressed in the step before rests with a little gap too: corners of a rigid sole must not be asked for motions
    that do not agree, since no forces would.
    """
    for c in range(contact.counts[CONTACTS]):
        each = contact.contacts[c]
        slack = SLACK if dot(load3(each.force), load3(each.normal)) > 0.0 else TOUCH
        each.closing = each.gap / time if each.gap > slack * each.size else 0.0
