# SPDX-License-Identifier: GPL-3.0-or-later
"""The signed distance of two convex shapes: how far apart they are, or how deep they overlap, and along which normal.

Of shapes A and B let C be the set of all differences a - b, with the support function h(n) = max of n . c. Along a
unit vector n the gap is -h(n), and the signed distance is the largest gap. Where the shapes overlap, the origin is in
C, and the expanding polytope algorithm (van den Bergen 2001) closes in on the plane of C that is nearest to it: a
polytope of points of C bounds the depth from below, each h(n) that has been looked at from above. It begins with any
tetrahedron in C, and the face that it expands is the one with the least height over the origin, which may be below
zero at first. Shapes that are apart overlap once one of them is inflated by a margin, and their distance follows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, kernel
from ...spatial import add, add_scaled, cross, dot, load3, load9, rotate, scale, store3, subtract, unrotate
from .depenetration import farthest

EXACT = 1e-9  # of the size: what bounds of a depth may differ by
_STEPS = 240  # points of C at most
_VISIBLE = 1e-13  # of the size: height of a point over a face that it sees


@by_reference
class Polytope(NamedTuple):
    """Work of one query. V corners, F faces."""

    corner: np.ndarray  # (V, 3) points of C
    on_first: np.ndarray  # (V, 3) those of A that they belong to
    face: np.ndarray  # (F, 3) int64: corners, against the clock seen from outside
    normal: np.ndarray  # (F, 3)
    height: np.ndarray  # (F,): over the origin; infinite for a face that has no area
    edge: np.ndarray  # (F, 2) int64: of the border of what a new corner sees


def new_polytope() -> Polytope:
    """Room for one query."""
    corners, faces = _STEPS + 4, 2 * _STEPS + 8
    return Polytope(
        np.zeros((corners, 3)),
        np.zeros((corners, 3)),
        np.zeros((faces, 3), np.int64),
        np.zeros((faces, 3)),
        np.zeros(faces),
        np.zeros((faces, 2), np.int64),
    )


@kernel
def farthest_of(outlines, poses, prisms, shape, way):
    """The point of one of the collision engine's shapes, prisms included, that is farthest along a unit vector."""
    shapes = len(outlines.radius)
    if shape < shapes:
        return farthest(outlines, shape, load3(poses.position[shape]), load9(poses.rotation[shape]), way)
    slot = shape - shapes
    R = load9(prisms.rotation[slot])
    along = unrotate(R, way)
    best, reach = 0, -math.inf
    for k in range(len(prisms.corners[slot])):
        height = dot(load3(prisms.corners[slot, k]), along)
        if height > reach:
            best, reach = k, height
    return add(load3(prisms.position[slot]), rotate(R, load3(prisms.corners[slot, best])))


@kernel
def gap_along(outlines, poses, prisms, a, b, n):
    """The gap between shapes a and b along a unit vector from a to b."""
    on_a = farthest_of(outlines, poses, prisms, a, n)
    return dot(n, subtract(farthest_of(outlines, poses, prisms, b, scale(-1.0, n)), on_a))


@kernel
def signed_distance(outlines, poses, prisms, a, b, size, margin, work):
    """(gap, normal from shape a to b, the point of a where they are nearest).

    size: of the smaller shape. Gaps above the margin come out as infinite.
    """
    gap, n, place = _expand(outlines, poses, prisms, a, b, size, 0.0, work)
    if gap > 0.0:
        return _expand(outlines, poses, prisms, a, b, size, margin, work)
    return gap, n, place


@kernel
def _expand(outlines, poses, prisms, a, b, size, margin, work):
    """As `signed_distance`, for shapes that overlap once the first is inflated by a margin; else the gap is positive.

    With a margin it is infinite then, without one it is a gap along the normal that tells them apart.
    """
    count, faces, middle = _begin(outlines, poses, prisms, a, b, margin, work)
    least, best = math.inf, load3(work.normal[0])
    nearest = 0
    while True:
        nearest = 0
        for k in range(1, faces):
            nearest = k if work.height[k] < work.height[nearest] else nearest
        n, height = load3(work.normal[nearest]), work.height[nearest]
        if count == len(work.corner) or height == math.inf:
            break
        w = _support(outlines, poses, prisms, a, b, margin, n, work, count)
        reach = dot(n, w)
        if reach < least:
            least, best = reach, n
        if reach < 0.0:
            return (-reach if margin == 0.0 else math.inf), n, w
        if least - height < EXACT * size:
            break
        grown = _add_corner(work, faces, count, w, middle, size)
        if grown == faces:
            break
        count, faces = count + 1, grown
    return margin - least, best, _on_first(work, _under_origin(work, faces, nearest, size))


@kernel
def _support(outlines, poses, prisms, a, b, margin, n, work, slot):
    """Writes the farthest point of C as a corner, and returns it."""
    on_a = farthest_of(outlines, poses, prisms, a, n)
    on_b = farthest_of(outlines, poses, prisms, b, scale(-1.0, n))
    w = add_scaled(subtract(on_a, on_b), margin, n)
    store3(work.corner[slot], w)
    store3(work.on_first[slot], on_a)
    return w


@kernel
def _begin(outlines, poses, prisms, a, b, margin, work):
    """Four corners of C that are not in one plane: (how many corners and faces there are, a point inside)."""
    p = _support(outlines, poses, prisms, a, b, margin, (1.0, 0.0, 0.0), work, 0)
    q = _support(outlines, poses, prisms, a, b, margin, (-1.0, 0.0, 0.0), work, 1)
    way = subtract(q, p)
    across = cross(way, (0.0, 1.0, 0.0) if abs(way[1]) < abs(way[2]) else (0.0, 0.0, 1.0))
    r = _farther(outlines, poses, prisms, a, b, margin, p, across, work, 2)
    s = _farther(outlines, poses, prisms, a, b, margin, p, cross(way, subtract(r, p)), work, 3)
    middle = scale(0.25, add(add(p, q), add(r, s)))
    for k in range(4):
        _write_face(work, k, k, (k + 1) % 4, (k + 2) % 4, middle)
    return 4, 4, middle


@kernel
def _farther(outlines, poses, prisms, a, b, margin, start, way, work, slot):
    """Writes the farthest corner along a way or back, whichever is farther from a start, and returns it."""
    n = scale(1.0 / math.sqrt(dot(way, way)), way)
    back = _support(outlines, poses, prisms, a, b, margin, scale(-1.0, n), work, slot)
    ahead = farthest_of(outlines, poses, prisms, a, n)
    beyond = subtract(ahead, farthest_of(outlines, poses, prisms, b, scale(-1.0, n)))
    if dot(n, subtract(beyond, start)) + margin < -dot(n, subtract(back, start)):
        return back
    return _support(outlines, poses, prisms, a, b, margin, n, work, slot)


@kernel
def _write_face(work, slot, i, j, k, middle):
    """Through three corners, with its normal away from a point inside."""
    x = load3(work.corner[i])
    n = cross(subtract(load3(work.corner[j]), x), subtract(load3(work.corner[k]), x))
    area = math.sqrt(dot(n, n))
    n = scale(1.0 / area if area > 0.0 else 0.0, n)
    if dot(n, subtract(middle, x)) > 0.0:
        n, j, k = scale(-1.0, n), k, j
    work.face[slot, 0], work.face[slot, 1], work.face[slot, 2] = i, j, k
    store3(work.normal[slot], n)
    work.height[slot] = dot(n, x) if area > 0.0 else math.inf


@kernel
def _add_corner(work, faces, corner, w, middle, size):
    """Replaces the faces that a new corner sees; returns how many there are then, as before if it sees none."""
    edges, k, before = 0, 0, faces
    while k < faces:
        if not dot(load3(work.normal[k]), w) - work.height[k] > _VISIBLE * size:
            k += 1
            continue
        for side in range(3):
            i, j = work.face[k, side], work.face[k, (side + 1) % 3]
            edges = _toggle(work, edges, i, j)
        faces -= 1
        for side in range(3):
            work.face[k, side] = work.face[faces, side]
            work.normal[k, side] = work.normal[faces, side]
        work.height[k] = work.height[faces]
    if faces == before or faces + edges > len(work.face):
        return before
    for k in range(edges):
        _write_face(work, faces + k, work.edge[k, 0], work.edge[k, 1], corner, middle)
    return faces + edges


@kernel
def _toggle(work, edges, i, j):
    """Adds an edge of a face that is seen, or removes it where the face beyond it is seen too."""
    for k in range(edges):
        if work.edge[k, 0] == j and work.edge[k, 1] == i:
            work.edge[k, 0], work.edge[k, 1] = work.edge[edges - 1, 0], work.edge[edges - 1, 1]
            return edges - 1
    work.edge[edges, 0], work.edge[edges, 1] = i, j
    return edges + 1


@kernel
def _under_origin(work, faces, nearest, size):
    """Of the triangles in the plane of the nearest one, that which the origin is over."""
    best, chosen = -math.inf, nearest
    n, most = load3(work.normal[nearest]), work.height[nearest] + EXACT * size
    for face in range(faces):
        if work.height[face] <= most and dot(load3(work.normal[face]), n) > 1.0 - EXACT:
            u, v, w = _shares(work, face)
            inside = min(u, min(v, w)) / (abs(u) + abs(v) + abs(w))
            if inside > best:
                best, chosen = inside, face
    return chosen


@kernel
def _shares(work, face):
    """Areas of a triangle opposite each corner, seen from the place that is nearest to the origin, times two."""
    i, j, k = work.face[face, 0], work.face[face, 1], work.face[face, 2]
    x, y, z = load3(work.corner[i]), load3(work.corner[j]), load3(work.corner[k])
    n = load3(work.normal[face])
    return dot(n, cross(y, z)), dot(n, cross(z, x)), dot(n, cross(x, y))


@kernel
def _on_first(work, face):
    """The point of the first shape that belongs to the place of a face which is nearest to the origin."""
    i, j, k = work.face[face, 0], work.face[face, 1], work.face[face, 2]
    u, v, w = _shares(work, face)
    u, v, w = max(0.0, u), max(0.0, v), max(0.0, w)
    total = u + v + w
    if not total > 0.0:
        return load3(work.on_first[i])
    place = scale(u / total, load3(work.on_first[i]))
    place = add_scaled(place, v / total, load3(work.on_first[j]))
    return add_scaled(place, w / total, load3(work.on_first[k]))
