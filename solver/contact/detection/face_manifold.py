# SPDX-License-Identifier: GPL-3.0-or-later
"""The polygon that flat sides of two boxes or hulls share, with all its corners.

A collision engine names the points where two shapes are nearest. Of two sides that are not parallel that is one corner
or two, and the others come down in the steps to come, unseen: a box that lands on a corner turns within the same step.
So the face that the points lie on is found from their normal, the other shape's face that looks at it is cut off at its
borders (Sutherland, Hodgman 1974), and corners of that polygon which are near and not among the points join them, each
with its own gap. Where no face lies quite along the normal, as at an edge, only corners that are still apart do, and
where one nearly does, those that are no deeper than the edge: an edge that lies on a face has two ends.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, entry, kernel
from ...mechanism.bodies import Box, Cylinder, Hull
from ...model.collision_shapes import Part
from ...model.poses import turned
from ...spatial import add, add_scaled, cross, dot, load3, load9, rotate, scale, store3, subtract, unrotate
from .hulls import MOST_CORNERS, box_corners, fewer_corners, hull_corners

ON_FACE = 1.0 - 1e-9  # cosine between the points' normal and the face's
NEARLY_ON_FACE = 0.995  # likewise, of an edge that lies on the face
TOWARD = 0.7  # and that from which on a face looks at what is near
LEVEL = 1e-12  # 1 - cosine: of two faces that both look along the normal, rounding must not choose
ON_BORDER = 1e-4  # of the smaller shape's size: what hangs over by less is held by the border
SAME_GAP = 1e-5  # of the smaller shape's size
SAME_PLANE = 1e-6  # 1 - cosine between two triangles' normals: of one face
SAME_POINT = 0.1  # of the smaller shape's size
ROUND = 64  # corners of a cylinder's end


@by_reference
class Faces(NamedTuple):
    """F flat sides of parts, each with its corners around it, along the axes of the bodies."""

    of_part: np.ndarray  # (P + 1,) int64: the first face of each part, which has none unless it is flat somewhere
    normal: np.ndarray  # (F, 3)
    start: np.ndarray  # (F + 1,) int64: its first corner; they follow each other against the clock, seen from outside
    corners: np.ndarray  # (L, 3) m, from the body's reference point
    size: np.ndarray  # (P,) m: radius
    end: np.ndarray  # (P, 3) m: from a cylinder's middle to the middle of its upper end,
    middle: np.ndarray  # (P, 3) m
    round: np.ndarray  # (P,) m: and its radius; 0 of other parts
    polygon: np.ndarray  # (2, M, 3) work


def faces_of(parts: list[Part], ends: bool = False) -> Faces:
    """The faces of boxes and hulls, as the collision engine has them; and if asked for, the ends of cylinders."""
    of_part, normals, rings, size = [0], [], [], np.full(len(parts), np.inf)
    end, middle, radius = np.zeros((len(parts), 3)), np.zeros((len(parts), 3)), np.zeros(len(parts))
    for number, part in enumerate(parts):
        if isinstance(part.shape, Box | Hull):
            is_box = isinstance(part.shape, Box)
            points = box_corners(part.shape) if is_box else fewer_corners(hull_corners(part), MOST_CORNERS)
            size[number] = np.linalg.norm(points - points.mean(axis=0), axis=1).max()
            for normal, ring in _faces_of_box(part.shape) if is_box else _faces(points):
                normals.append(turned(part.rotation, normal))
                rings.append(part.position + turned(part.rotation, ring))
        elif isinstance(part.shape, Cylinder):
            size[number] = np.hypot(part.shape.radius, part.shape.half_length)
            end[number] = part.shape.half_length * part.rotation[:, 2]
            middle[number], radius[number] = part.position, part.shape.radius
            for along in (1.0, -1.0) if ends else ():
                normals.append(along * part.rotation[:, 2])
                rings.append(part.position + turned(part.rotation, _end(part.shape, along)))
        of_part.append(len(rings))
    counts = [len(ring) for ring in rings]
    return Faces(
        of_part=np.array(of_part, np.int64),
        normal=np.array(normals, float).reshape(-1, 3),
        start=np.cumsum([0, *counts]),
        corners=np.concatenate([np.empty((0, 3)), *rings]),
        size=size,
        end=end,
        middle=middle,
        round=radius,
        polygon=np.zeros((2, 2 * max(counts, default=0) + 2, 3)),
    )


def _faces_of_box(box: Box) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(normal, ring * box.half_size) for normal, ring in _faces_of_unit_box()]


@functools.cache
def _faces_of_unit_box() -> list[tuple[np.ndarray, np.ndarray]]:
    return _faces(box_corners(Box(half_size=(1.0, 1.0, 1.0))))


def _end(shape: Cylinder, along: float) -> np.ndarray:
    """(ROUND, 3) the rim at the upper end of the axis, or at the lower one, seen against the clock from outside."""
    turns = along * 2.0 * np.pi * np.arange(ROUND) / ROUND
    round_part = shape.radius * np.column_stack([np.cos(turns), np.sin(turns)])
    return np.column_stack([round_part, np.full(ROUND, along * shape.half_length)])


def _faces(points: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(normal, corners (K, 3) around it) of each face of a convex hull."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    faces, left = [], np.ones(len(hull.simplices), bool)
    for first, normal in enumerate(hull.equations[:, :3]):
        if left[first]:
            of_face = left & (hull.equations[:, :3] @ normal > 1.0 - SAME_PLANE)
            left &= ~of_face
            ring = points[np.unique(hull.simplices[of_face])]
            around = ring - ring.mean(axis=0)
            beside = np.cross(normal, around[0])
            faces.append((normal, ring[np.argsort(np.arctan2(around @ beside, around @ around[0]))]))
    return faces


@entry
def add_corners(faces, rotation, center, reach, points, first, count):
    """Adds what is near of the polygons that the points `first` and on, grouped by their parts, lie on.

    rotation, center: of all bodies; reach (B,) m: of two bodies it adds up to the gap below which a point is near.
    Returns the number of points now, or len(points) + 1 where they are more.
    """
    found, start = count, first
    while start < found:
        end = start + 1
        while end < found and _is_same_pair(points[start].part, points[end].part):
            end += 1
        a, b = points[start].part[0], points[start].part[1]
        if has_faces(faces, a) and has_faces(faces, b):
            count = _add_polygon(faces, rotation, center, reach, points, start, end, count)
        elif has_faces(faces, a) and faces.round[b] > 0.0:
            count = _add_on_end(faces, rotation, center, reach, points, start, end, count, 1)
        elif has_faces(faces, b) and faces.round[a] > 0.0:
            count = _add_on_end(faces, rotation, center, reach, points, start, end, count, 0)
        start = end
    return count


@kernel
def _is_same_pair(a, b):
    return a[0] == b[0] and a[1] == b[1]


@kernel
def has_faces(faces, part):
    """True if a part is a box or a hull, or a cylinder whose ends count."""
    return faces.of_part[part] < faces.of_part[part + 1]


@kernel
def _add_polygon(faces, rotation, center, reach, points, start, end, count):
    """Those of one pair, whose points are numbers `start` to `end`."""
    source = points[start]
    normal = load3(source.normal)
    face_a, along_a = facing(faces, source.part[0], load9(rotation[source.body[0]]), normal)
    face_b, along_b = facing(faces, source.part[1], load9(rotation[source.body[1]]), scale(-1.0, normal))
    side = 0 if along_a >= along_b - LEVEL else 1
    if max(along_a, along_b) < TOWARD:
        return count
    face, other = (face_a, face_b) if side == 0 else (face_b, face_a)
    body, beyond = source.body[side], source.body[1 - side]
    R, origin = load9(rotation[body]), load3(center[body])
    out = rotate(R, load3(faces.normal[face]))
    turn, place = load9(rotation[beyond]), subtract(load3(center[beyond]), origin)
    size = min(faces.size[source.part[0]], faces.size[source.part[1]])
    slot, filled = cut_off(faces, face, R, out, other, turn, place, ON_BORDER * size)
    on_face = rotate(R, load3(faces.corners[faces.start[face]]))
    near = reach[source.body[0]] + reach[source.body[1]]
    along, sign = max(along_a, along_b), 1.0 if side == 0 else -1.0
    is_on_face, most = along >= ON_FACE, _deepest_beside(points, start, end, along)
    least, lowest = _lowest(faces.polygon[slot], filled, on_face, out)
    if is_on_face and end == start + 1 and least < source.gap + SAME_GAP * size:
        _place(source, origin, load3(faces.polygon[slot, lowest]), least, out, sign)
    before = count
    for k in range(filled):
        corner = load3(faces.polygon[slot, k])
        gap = dot(subtract(corner, on_face), out)
        if is_on_face or gap > most:
            count = _join(points, start, end, before, count, origin, corner, gap, out, sign, near, SAME_POINT * size)
    return count


@kernel
def _deepest_beside(points, start, end, along):
    """The gap over a face above which corners may join points whose normal is not quite the face's.

    along: cosine between the two. If those were led apart along their normal, no corner would be inside any more.
    """
    deepest = 0.0
    if along >= NEARLY_ON_FACE:
        for k in range(start, end):
            deepest = min(deepest, points[k].gap)
    return deepest / along


@kernel
def _add_on_end(faces, rotation, center, reach, points, start, end, count, side):
    """Adds the corners of a box or a hull over the end of a cylinder, the pair's body `side`, and points at the rim.

    Where edges cross the rim; a face that covers all of it has none there (`cylinder_rims`).
    """
    source = points[start]
    body, beyond, part, other = source.body[side], source.body[1 - side], source.part[side], source.part[1 - side]
    R, turn, origin = load9(rotation[body]), load9(rotation[beyond]), load3(center[body])
    upward, sign = rotate(R, load3(faces.end[part])), 1.0 if side == 0 else -1.0
    half = math.sqrt(dot(upward, upward))
    along = sign * dot(upward, load3(source.normal)) / half
    if abs(along) < ON_FACE:
        return count
    out = scale(math.copysign(1.0 / half, along), upward)
    middle = add_scaled(rotate(R, load3(faces.middle[part])), half, out)
    face, toward = facing(faces, other, turn, scale(-1.0, out))
    if toward < TOWARD:
        return count
    place = subtract(subtract(load3(center[beyond]), origin), middle)
    near = reach[source.body[0]] + reach[source.body[1]]
    same, before = SAME_POINT * min(faces.size[part], faces.size[other]), count
    first, last = faces.start[face], faces.start[face + 1]
    for k in range(first, last):
        x = add(place, rotate(turn, load3(faces.corners[k])))
        way = subtract(add(place, rotate(turn, load3(faces.corners[k + 1 if k + 1 < last else first]))), x)
        enters, leaves = _within(x, way, out, faces.round[part])
        for share in (enters, leaves):
            if enters < leaves and share < 1.0 and count <= len(points):  # where it ends the next edge begins
                corner = add_scaled(x, share, way)
                gap, corner = dot(corner, out), add(corner, middle)
                count = _join(points, start, end, before, count, origin, corner, gap, out, sign, near, same)
    return count


@kernel
def _within(x, way, out, radius):
    """(first, last) parts of a way from x that lie within a circle about the origin, seen along its axis; or (1, 0)."""
    x, way = subtract(x, scale(dot(x, out), out)), subtract(way, scale(dot(way, out), out))
    square, mixed = dot(way, way), dot(x, way)
    root = mixed * mixed - square * (dot(x, x) - radius * radius)
    if not (square > 0.0 and root > 0.0):
        return 1.0, 0.0
    root = math.sqrt(root)
    return max(0.0, (-mixed - root) / square), min(1.0, (root - mixed) / square)


@kernel
def _join(points, start, end, before, count, origin, corner, gap, out, sign, near, same):
    """Adds a corner as a point of the pair whose points are numbers `start` to `end`, and `before` to `count`.

    Not one that is far, or that is there already. Returns the number of points now, or len(points) + 1.
    """
    place = add(origin, add_scaled(corner, -0.5 * gap, out))
    if count > len(points) or gap >= near or _near(points, start, end, place, same) < end:
        return count
    number = _near(points, before, count, place, same)
    if number >= len(points):
        return len(points) + 1
    point, source = points[number], points[start]
    if number < count and point.gap <= gap:
        return count
    for k in range(2):
        point.body[k], point.part[k] = source.body[k], source.part[k]
    point.feature = -1
    _place(point, origin, corner, gap, out, sign)
    return max(count, number + 1)


@kernel
def _lowest(polygon, filled, on_face, out):
    """(the least gap of a polygon's corners over a face, the number of that corner)."""
    least, lowest = math.inf, 0
    for k in range(filled):
        gap = dot(subtract(load3(polygon[k]), on_face), out)
        if gap < least:
            least, lowest = gap, k
    return least, lowest


@kernel
def _place(point, origin, corner, gap, out, sign):
    """Puts a point between a corner, seen from an origin, and the face that it is over."""
    point.gap = gap
    store3(point.position, add(origin, add_scaled(corner, -0.5 * gap, out)))
    store3(point.normal, scale(sign, out))


@kernel
def facing(faces, part, R, direction):
    """(number of the part's face that looks most this way, cosine). R: of its body."""
    along_body = unrotate(R, direction)
    best, chosen = -2.0, -1
    for face in range(faces.of_part[part], faces.of_part[part + 1]):
        along = dot(load3(faces.normal[face]), along_body)
        if along > best:
            best, chosen = along, face
    return chosen, best


@kernel
def cut_off(faces, face, R, n, other, turn, place, slack):
    """Cuts the face `other` to what lies over a face, seen along n: (number of faces.polygon, how many corners there).

    R: of the face's body; turn and place: of the other one, from the reference point of the face's body. World axes.
    slack (m): how far over the border still counts.
    """
    filled = 0
    for k in range(faces.start[other], faces.start[other + 1]):
        store3(faces.polygon[0, filled], add(place, rotate(turn, load3(faces.corners[k]))))
        filled += 1
    return cut(faces, face, R, n, filled, slack)


@kernel
def cut(faces, face, R, n, filled, slack):
    """As `cut_off`, of the polygon of so many corners that is in faces.polygon[0]."""
    slot = 0
    first, last = faces.start[face], faces.start[face + 1]
    for k in range(first, last):
        a = rotate(R, load3(faces.corners[k]))
        b = rotate(R, load3(faces.corners[k + 1 if k + 1 < last else first]))
        inward = cross(n, subtract(b, a))
        filled = _cut(faces.polygon[slot], filled, a, inward, slack, faces.polygon[1 - slot])
        slot = 1 - slot
    return slot, filled


@kernel
def _cut(polygon, count, start, inward, slack, result):
    """Cuts a polygon to the inner side of a plane, or beyond by `slack`; returns its number of corners."""
    left, slack = 0, slack * math.sqrt(dot(inward, inward))
    for k in range(count):
        x, y = load3(polygon[k]), load3(polygon[k + 1 if k + 1 < count else 0])
        here, there = dot(subtract(x, start), inward) + slack, dot(subtract(y, start), inward) + slack
        if here >= 0.0 and left < len(result):
            store3(result[left], x)
            left += 1
        if min(here, there) < 0.0 < max(here, there) and left < len(result):
            store3(result[left], add_scaled(x, here / (here - there), subtract(y, x)))
            left += 1
    return left


@kernel
def _near(points, start, end, place, same):
    """The number of the first of these points that lies there already, or `end`."""
    for number in range(start, end):
        way = subtract(load3(points[number].position), place)
        if dot(way, way) < same * same:
            return number
    return end
