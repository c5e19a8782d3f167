# SPDX-License-Identifier: GPL-3.0-or-later
"""The normals of capsules and of lying cylinders at the borders of flat sides.

Of what lies about along an edge the collision engine names two points with the normal of a face beside it and the
height over that face's plane, also where the axis is past the border and the edge is nearest: what rolls over it would
sink in. So, of a capsule, with each point stays its place P on the axis, and the ball there says what is near:
    n = (P - q) / |P - q|,  gap = |P - q| - radius,
q being the point of the other shape that is nearest to P. |P - q| is convex along the axis, with the slope n . axis:
the deepest point of two shapes goes to where that vanishes, or to an end. The same place is the deepest one of
a cylinder, unless that touches with its rim: of two normals the one with the larger gap along it is right. Where the
engine has but one point, the ends of the part that is level may get one too, so that what lies along an edge does not
rock. Where the axis is inside, the engine's way out is kept.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, entry, kernel
from ...spatial import add_scaled, axis_z, cross, dot, load3, load9, rotate, scale, store3, subtract, unrotate
from .depenetration import nearest_of_triangle
from .scenery import is_ghost
from .signed_distance import gap_along

SAME_NORMAL = 1e-7  # 1 - cosine: the engine is right
SAME_DEPTH = 1e-4  # of the radius
LYING = 0.5  # cosine between a cylinder's axis and the normal, below it
SQUARE = 1e-3  # cosine between them: more, and a cylinder touches with its rim
LEVEL = 0.02  # cosine up to which what a rod lies along still bears it
APART = 0.1  # of half the length: points that are two
_ON_AXIS = 1e-6  # of the radius
_HALVINGS = 20  # of the axis


@by_reference
class Named(NamedTuple):
    """Points as MuJoCo names them. C points."""

    geom: np.ndarray  # (C, 2) int32
    position: np.ndarray  # (C, 3)
    frame: np.ndarray  # (C, 9): the normal first
    distance: np.ndarray  # (C,)


def room_for(count: int) -> Named:
    """For so many points."""
    return Named(np.zeros((count, 2), np.int32), np.zeros((count, 3)), np.zeros((count, 9)), np.zeros(count))


@entry
def correct_normals(faces, meshes, prisms, placement, outlines, poses, rotation, center, to_unit, named, more, added):
    """Overwrites those points that MuJoCo names wrongly, and writes some that it lacks to `more`, as number `added`
    and on; returns how many there are then.

    faces: of boxes and hulls (m); poses: of MuJoCo's shapes, in its unit; rotation, center: of our bodies.
    """
    geom, position, frame, distance = named.geom, named.position, named.frame, named.distance
    start = 0
    while start < len(geom):
        end = start + 1
        while end < len(geom) and geom[end, 0] == geom[start, 0] and geom[end, 1] == geom[start, 1]:
            end += 1
        for side in range(2 if geom[start, 0] >= 0 else 0):
            own, other = geom[start, side], geom[start, 1 - side]
            if not (is_rod(placement, outlines, own) and _is_flat(placement, outlines, other)):
                continue
            body, is_prism = placement.body[other], other >= len(placement.turned)
            number = prisms.triangle[other - len(placement.turned)] if is_prism else placement.part[other]
            R, origin = load9(rotation[body]), scale(to_unit, load3(center[body]))
            middle = unrotate(R, subtract(load3(poses.position[own]), origin))
            axis = unrotate(R, axis_z(load9(poses.rotation[own])))
            rod = middle, axis, outlines.half_length[own], outlines.radius[own]
            if not outlines.is_flat[own]:
                for k in range(start, end):
                    t = _along(rod, unrotate(R, subtract(load3(position[k]), origin)))
                    size, out = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, t, axis))
                    _correct(rod, R, origin, side, t, size, out, named, k)
            deepest = start
            for k in range(start + 1, end):
                deepest = k if distance[k] < distance[deepest] else deepest
            along = dot(unrotate(R, load3(frame[deepest])), axis)
            if outlines.is_flat[own] and abs(along) > LYING:
                continue
            t = _along(rod, unrotate(R, subtract(load3(position[deepest]), origin)))
            t, size, out = _lowest(faces, meshes, is_prism, number, to_unit, rod, t)
            is_rim = False
            if outlines.is_flat[own]:
                named_gap = gap_along(outlines, poses, prisms, geom[start, 0], geom[start, 1], load3(frame[deepest]))
                is_rim = abs(dot(out, axis)) > SQUARE or size - rod[3] < named_gap - SAME_DEPTH * rod[3]
            if not is_rim and not (is_prism and is_ghost(meshes, number, out)):
                _correct(rod, R, origin, side, t, size, out, named, deepest)
            if end == start + 1 and len(more.distance) > 0 and distance[start] > -outlines.radius[own]:
                for way in (-1.0, 1.0):
                    far, size, out = _level(faces, meshes, is_prism, number, to_unit, rod, t, way)
                    if abs(far - t) > APART * outlines.half_length[own] and added < len(more.distance):
                        more.geom[added, 0], more.geom[added, 1] = geom[start, 0], geom[start, 1]
                        _write(rod, R, origin, side, far, size, out, more, added)
                        added += 1
        start = end
    return added


@kernel
def is_rod(placement, outlines, shape):
    """True if a shape is a capsule or a cylinder."""
    return shape < len(placement.turned) and outlines.half_length[shape] > 0.0


@kernel
def _is_flat(placement, outlines, shape):
    """True if a shape is a box, a hull or a prism."""
    return shape >= len(placement.turned) or outlines.start[shape] < outlines.start[shape + 1]


@kernel
def _along(rod, place):
    """The coordinate of a place along a rod."""
    middle, axis, half, _ = rod
    return min(max(dot(subtract(place, middle), axis), -half), half)


@kernel
def _correct(rod, R, origin, side, t, size, out, named, k):
    """Overwrites a point by that of the ball around a place of a rod's axis, if that is another one."""
    radius, sign = rod[3], 1.0 if side == 1 else -1.0
    if named.distance[k] <= -radius or size < _ON_AXIS * radius:
        return
    is_deep = size - radius < named.distance[k] - SAME_DEPTH * radius
    if is_deep or sign * dot(rotate(R, out), load3(named.frame[k])) < 1.0 - SAME_NORMAL:
        _write(rod, R, origin, side, t, size, out, named, k)


@kernel
def _write(rod, R, origin, side, t, size, out, named, k):
    middle, axis, _, radius = rod
    n = rotate(R, out)
    place = add_scaled(origin, 1.0, rotate(R, add_scaled(middle, t, axis)))
    named.distance[k] = size - radius
    store3(named.frame[k], scale(1.0 if side == 1 else -1.0, n))
    store3(named.position[k], add_scaled(place, -0.5 * (size + radius), n))


@kernel
def _level(faces, meshes, is_prism, number, to_unit, rod, t, way):
    """(t, distance there, way out there): how far a rod is level, from a place on, along its axis or back; or t."""
    middle, axis, half, _ = rod
    level, end = t, way * half
    size, out = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, end, axis))
    if size > 0.0 and abs(dot(out, axis)) < LEVEL:
        return end, size, out
    while abs(end - level) > APART * half:
        between = 0.5 * (level + end)
        size, out = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, between, axis))
        if size > 0.0 and abs(dot(out, axis)) < LEVEL:
            level = between
        else:
            end = between
    size, out = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, level, axis))
    return level, size, out


@kernel
def _lowest(faces, meshes, is_prism, number, to_unit, rod, t):
    """(t, distance there, way out there): where a rod's axis is nearest to the other shape, from a place near it on."""
    middle, axis, half, radius = rod
    size, out = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, t, axis))
    slope = dot(out, axis)
    end = half if slope < 0.0 else -half
    if abs(slope * (end - t)) < SAME_DEPTH * radius:
        return t, size, out
    there, out_there = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, end, axis))
    if slope * dot(out_there, axis) > 0.0:
        return end, there, out_there
    for _ in range(_HALVINGS):
        between = 0.5 * (t + end)
        size, out = _away(faces, meshes, is_prism, number, to_unit, add_scaled(middle, between, axis))
        if slope * dot(out, axis) > 0.0:
            t = between
        else:
            end = between
    return 0.5 * (t + end), size, out


@kernel
def _away(faces, meshes, is_prism, number, to_unit, place):
    """(how far away a place is, unit vector from what is nearest to it), along the axes of the other's body.

    number: of a part, or of a triangle. Zeros if it is inside.
    """
    near = _nearest_of_triangle(meshes, number, place) if is_prism else _nearest(faces, number, to_unit, place)
    way = subtract(place, near)
    size = math.sqrt(dot(way, way))
    return size, scale(1.0 / size if size > 0.0 else 0.0, way)


@kernel
def _nearest(faces, part, to_unit, place):
    """The point of a box or hull that is nearest to a place outside of it; of one inside, the place itself."""
    seen = scale(1.0 / to_unit, place)
    least, found = math.inf, seen
    for face in range(faces.of_part[part], faces.of_part[part + 1]):
        n, first, last = load3(faces.normal[face]), faces.start[face], faces.start[face + 1]
        height = dot(subtract(seen, load3(faces.corners[first])), n)
        if height <= 0.0 or height * height >= least:
            continue
        is_over = True
        for k in range(first, last):
            a = load3(faces.corners[k])
            edge, way = subtract(load3(faces.corners[k + 1 if k + 1 < last else first]), a), subtract(seen, a)
            if dot(cross(n, edge), way) < 0.0:
                is_over = False
                on_edge = add_scaled(a, min(1.0, max(0.0, dot(way, edge) / dot(edge, edge))), edge)
                far = subtract(on_edge, seen)
                if dot(far, far) < least:
                    least, found = dot(far, far), on_edge
        if is_over:
            least, found = height * height, add_scaled(seen, -height, n)
    return scale(to_unit, found)


@kernel
def _nearest_of_triangle(meshes, triangle, place):
    """The point of a triangle that is nearest to a place over its plane; of one under it, the place itself."""
    over = subtract(place, load3(meshes.places[meshes.corners[triangle, 0]]))
    if dot(over, load3(meshes.normal[triangle])) <= 0.0:
        return place
    near, _ = nearest_of_triangle(meshes, triangle, place)
    return near
