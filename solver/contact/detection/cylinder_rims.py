# SPDX-License-Identifier: GPL-3.0-or-later
"""The exact lowest point of a cylinder's rim on a face, which a collision engine may leave out.

MuJoCo takes a cylinder's ends for polygons of 16 corners, and of those on a face it keeps four: a can that rocks on a
box would sink in by up to half its tilt between two of them. So the lowest point is added where it lies on the face,
which is where corners on both sides of it do, or, on another cylinder's end, where that is wide enough. As in `ground`
it lies along u = (m - (m.a) a) / |m - (m.a) a| from the rim's centre; a is the axis, m the direction towards the face.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, entry, kernel
from ...spatial import add_scaled, axis_z, cross, dot, load3, load9, scale, store3, subtract
from .ground import UPRIGHT

STANDING = 0.99  # cosine between axis and normal; less steep cylinders touch with a single point, which is exact
ON_RIM = 1e-4  # of the radius
SAME_FACE = 1e-9  # 1 - cosine between normals
THERE = 1.0 - 1e-6  # cosine between u and the way to a corner: the point is there already


@by_reference
class Rims(NamedTuple):
    """Cylinders among the parts."""

    shape: np.ndarray  # (P,) int64: number among MuJoCo's shapes, -1 for what is no cylinder
    radius: np.ndarray  # (P,) m
    half_length: np.ndarray  # (P,) m


@entry
def add_lowest(rims, position, rotation, unit, points, first, count):
    """Adds the lowest points of rims that stand on a face; position, rotation: of MuJoCo's shapes, in its unit.

    Returns the number of points now, or len(points) + 1 where they are more.
    """
    found = count
    for number in range(first, found):
        for side in range(2):
            if rims.shape[points[number].part[side]] >= 0 and not _is_known(points, first, number):
                count = _add(rims, position, rotation, unit, points, number, side, found, count)
    return count


@kernel
def _on_one_face(points, number, other):
    """True if two points belong to the same parts with the same normal."""
    a, b = points[number], points[other]
    return a.part[0] == b.part[0] and a.part[1] == b.part[1] and dot(load3(a.normal), load3(b.normal)) > 1.0 - SAME_FACE


@kernel
def _is_known(points, first, number):
    """True if an earlier point stands for this one's face."""
    known = False
    for earlier in range(first, number):
        known = known or _on_one_face(points, earlier, number)
    return known


@kernel
def _add(rims, position, rotation, unit, points, number, side, found, count):
    """Adds the lowest point of the cylinder on this side of a point, on the face where the point is."""
    source = points[number]
    own, other = source.part[side], source.part[1 - side]
    axis = axis_z(load9(rotation[rims.shape[own]]))
    normal = load3(source.normal)
    towards = scale(1.0 if side == 0 else -1.0, normal)
    if abs(dot(towards, axis)) < STANDING:
        return count
    face = add_scaled(load3(source.position), 0.5 * source.gap, towards)
    on_end = False
    if rims.shape[other] >= 0:
        other_axis = axis_z(load9(rotation[rims.shape[other]]))
        along = dot(towards, other_axis)
        on_end = abs(along) > STANDING
        if on_end:
            towards = scale(1.0 if along > 0.0 else -1.0, other_axis)
            normal = scale(1.0 if side == 0 else -1.0, towards)
            face = add_scaled(scale(unit, load3(position[rims.shape[other]])), -rims.half_length[other], towards)
    upright = dot(towards, axis)
    level = add_scaled(towards, -upright, axis)
    tilt = math.sqrt(dot(level, level))
    if tilt < UPRIGHT:
        return count
    u = scale(1.0 / tilt, level)
    half_length = rims.half_length[own] if upright > 0.0 else -rims.half_length[own]
    rim = add_scaled(scale(unit, load3(position[rims.shape[own]])), half_length, axis)
    lowest = add_scaled(rim, rims.radius[own], u)
    if on_end:
        way = subtract(lowest, face)
        if dot(way, way) - dot(way, towards) ** 2 > rims.radius[other] ** 2:
            return count
    elif not _is_between(points, number, found, towards, rim, rims.radius[own], u, cross(axis, u)):
        return count
    if count >= len(points):
        return len(points) + 1
    point = points[count]
    for end in range(2):
        point.body[end] = source.body[end]
        point.part[end] = source.part[end]
    point.feature = -1
    point.gap = dot(subtract(face, lowest), towards)
    store3(point.position, add_scaled(lowest, 0.5 * point.gap, towards))
    store3(point.normal, normal)
    return count + 1


@kernel
def _is_between(points, number, found, towards, rim, radius, u, beside):
    """True if corners of the rim touch the face on both sides of its lowest point, less than half a turn apart."""
    left, right = -1.0, -1.0  # cosines from u to the nearest ones
    for other in range(number, found):
        if _on_one_face(points, number, other):
            point = points[other]
            way = subtract(add_scaled(load3(point.position), -0.5 * point.gap, towards), rim)
            x, y = dot(way, u), dot(way, beside)
            size = math.sqrt(x * x + y * y)
            if size > radius * (1.0 - ON_RIM):
                if x > THERE * size:
                    return False
                if y > 0.0:
                    left = max(left, x / size)
                else:
                    right = max(right, x / size)
    return left > -1.0 and right > -1.0 and left + right > 0.0
