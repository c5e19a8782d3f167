# SPDX-License-Identifier: GPL-3.0-or-later
"""Fewer points where a shape lies on many triangles: those that matter for how it is held.

Points of the same two parts with nearly the same normal are one group: a shape is held by the polygon around them. Kept
are the deepest and, in each of seven directions, the one farthest out; depth counts fourfold, as on the ground.
"""

import math

from ...kernel import kernel
from ...spatial import add_scaled, cross, dot, load3, scale, store3, subtract

MOST = 8
SAME_NORMAL = 5e-3  # 1 - cosine: 0.1 rad
# What stands for a feature meanwhile: FREE, no group yet; 2 g, of the group that begins with point g; 2 g + 1, kept.
FREE = -1


@kernel
def reduce_manifold(points, first, count, same):
    """Keeps at most MOST points of each group from number `first` on, none nearer to another than `same` (m).

    Returns how many points there are then.
    """
    for number in range(first, count):
        points[number].feature = FREE
    for number in range(first, count):
        if points[number].feature == FREE:
            _keep_some(points, number, _gather(points, number, count), same)
    left = first
    for number in range(first, count):
        if points[number].feature % 2 == 1:
            if left != number:
                _copy(points[number], points[left])
            points[left].feature = -1
            left += 1
    return left


@kernel
def _gather(points, number, count):
    """Marks the group that begins with this point; returns where it ends."""
    normal, part = load3(points[number].normal), points[number].part
    end = number
    for other in range(number, count):
        point = points[other]
        if (
            point.feature == FREE
            and point.part[0] == part[0]
            and point.part[1] == part[1]
            and dot(load3(point.normal), normal) > 1.0 - SAME_NORMAL
        ):
            point.feature = 2 * number
            end = other + 1
    return end


@kernel
def _keep_some(points, number, end, same):
    normal, middle = load3(points[number].normal), load3(points[number].position)
    ahead = cross(normal, (1.0, 0.0, 0.0) if abs(normal[0]) < 0.7 else (0.0, 1.0, 0.0))
    ahead = scale(1.0 / math.sqrt(dot(ahead, ahead)), ahead)
    beside = cross(normal, ahead)
    for turn in range(MOST):
        angle = turn * (2.0 * math.pi / (MOST - 1))
        share = 0.0 if turn == 0 else 1.0  # the first looks for depth only
        out = add_scaled(scale(share * math.cos(angle), ahead), share * math.sin(angle), beside)
        best, chosen = -math.inf, number
        for other in range(number, end):
            point = points[other]
            if point.feature // 2 == number:
                score = dot(out, subtract(load3(point.position), middle)) - 4.0 * point.gap
                if score > best:
                    best, chosen = score, other
        if points[chosen].feature % 2 == 0 and not _has_near(points, number, end, load3(points[chosen].position), same):
            points[chosen].feature = 2 * number + 1


@kernel
def _has_near(points, number, end, place, same):
    """True if a kept point of the group lies there already."""
    for other in range(number, end):
        if points[other].feature == 2 * number + 1:
            way = subtract(load3(points[other].position), place)
            if dot(way, way) < same * same:
                return True
    return False


@kernel
def _copy(source, target):
    for side in range(2):
        target.body[side] = source.body[side]
        target.part[side] = source.part[side]
    store3(target.position, load3(source.position))
    store3(target.normal, load3(source.normal))
    target.gap = source.gap
