# SPDX-License-Identifier: GPL-3.0-or-later
"""Patches of soft contact: the sides of the area in which faces of boxes and hulls lie on each other.

The collision engine keeps four of them at most, and where edges run along each other, others from time to time. Here
face B is cut off along the edges of face A, seen along the mean normal n (Sutherland and Hodgman 1974). Each corner of
what is left has a depth of its own, and each side presses with d^(3/2) all along, by its part of the way around. The
integrals are exact: one point stands for each side, in the middle of its push. So a corner that becomes two, or that
lies in the middle of a side, changes nothing, and nothing jumps. A patch counts as four corners on the ground do.
Cylinders on faces are dealt with in `standing_cylinders`.
"""

from __future__ import annotations

import math

from ...kernel import entry, kernel
from ...spatial import add, cross, dot, load3, load9, rotate, scale, store3, subtract
from ..detection.face_manifold import cut_off, facing, has_faces
from .edge_pressure import CORNERS, SEEN, press_along
from .standing_cylinders import press_cylinder

LEVEL = 0.9998  # cosine between the faces' normals, 0.02 rad: more tilted ones touch with single points
_NO_AREA = 1e-18  # squared, of the way around to the fourth power
_ZERO = (0.0, 0.0, 0.0)
_KEPT, _GONE = -1, -3  # as SEEN, what stands for a feature meanwhile


@entry
def spread(faces, cylinders, rotation, center, points, found, share, deep):
    """Replaces points of faces that lie on each other by the sides of their patch; fills share and depth of each point.

    rotation, center: of the bodies. deep (m): 2/5 of it times the push is the work in a point.
    Returns how many points there are then, or len(points) + 1 where they are more.
    """
    end = found
    for number in range(found):
        points[number].feature, share[number], deep[number] = _KEPT, 1.0, -points[number].gap
    for number in range(found):
        if points[number].feature == _KEPT:
            before = end
            end = press_cylinder(faces, cylinders, rotation, center, points, number, end, share, deep)
            if end == before:
                end = _patch(faces, rotation, center, points, number, end, share, deep)
            if end > len(points):
                return end
            for other in range(number, found):
                if points[other].part[0] == points[number].part[0] and points[other].part[1] == points[number].part[1]:
                    points[other].feature = _GONE if end > before else SEEN
    left = 0
    for number in range(end):
        if points[number].feature != _GONE:
            if left != number:
                _copy(points[number], points[left])
                share[left], deep[left] = share[number], deep[number]
            left += 1
    return left


@kernel
def _patch(faces, rotation, center, points, number, end, share, deep):
    """Writes the patch that a point is of behind `end`, if it is one of faces; returns where it ends."""
    source = points[number]
    a, b = source.part[0], source.part[1]
    if not (has_faces(faces, a) and has_faces(faces, b)):
        return end
    R, S = load9(rotation[source.body[0]]), load9(rotation[source.body[1]])
    n = load3(source.normal)
    one, _ = facing(faces, a, R, n)
    other, _ = facing(faces, b, S, scale(-1.0, n))
    up, down = rotate(R, load3(faces.normal[one])), rotate(S, load3(faces.normal[other]))
    if -dot(up, down) < LEVEL:
        return end
    n = subtract(up, down)
    n = scale(1.0 / math.sqrt(dot(n, n)), n)
    origin = load3(center[source.body[0]])
    slot, count = cut_off(faces, one, R, n, other, S, subtract(load3(center[source.body[1]]), origin), 0.0)
    face = rotate(R, load3(faces.corners[faces.start[one]]))
    return _write(faces.polygon[slot], count, origin, face, up, n, source, points, end, share, deep)


@kernel
def _write(polygon, count, origin, face, up, n, source, points, end, share, deep):
    """The sides of a polygon on the face of the second body, seen from `origin`, as points behind `end`."""
    around, area = 0.0, _ZERO
    for k in range(count):
        here, there = load3(polygon[k]), load3(polygon[k + 1 if k + 1 < count else 0])
        way = subtract(there, here)
        around += math.sqrt(dot(way, way))
        area = add(area, cross(subtract(here, load3(polygon[0])), way))
    if not dot(area, area) > _NO_AREA * around**4:
        return end
    for k in range(count):
        here, there = load3(polygon[k]), load3(polygon[k + 1 if k + 1 < count else 0])
        a = dot(up, subtract(face, here)) / dot(up, n)
        b = dot(up, subtract(face, there)) / dot(up, n)
        end = press_along(origin, here, there, a, b, CORNERS / around, n, 1.0, source, points, end, share, deep)
        if end > len(points):
            return end
    return end


@kernel
def _copy(source, target):
    for side in range(2):
        target.body[side] = source.body[side]
        target.part[side] = source.part[side]
    store3(target.position, load3(source.position))
    store3(target.normal, load3(source.normal))
    target.gap, target.feature = source.gap, source.feature
