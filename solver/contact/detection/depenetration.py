# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out of a triangle mesh for a shape that is so deep in it that prisms know none.

The shortest way out of a prism may lead through its walls or its bottom, which are inside the mesh: then its points
are ghosts, and where no other is left the shape would sink on. So the point of the mesh that is nearest to the shape's
middle is asked: if the middle lies behind its triangle, out is towards it, else away from it. A mesh is a surface with
an outer side: where it ends, nothing is inside.

Before a shape whose middle is in front is led that way, corners of it are looked for that have sunk into triangles
which name ghosts or another normal than their own, since in a hollow the shape may be clear of the mesh where its
middle is nearest. So are they while other triangles bear the shape: a stone that slid down a bowl, flat on one facet,
lowered a corner into the next, and went through. Behind a crease a corner has sunk into both triangles though neither
is right above it; it is led out of both.

Behind a mesh that is not closed there is room to come from, and what comes from there falls through, as the manual
says: a shape that was near no triangle's outer side in the step before, and overlaps prisms now, but lies behind the
surface as a whole, has no points until it overlaps them no more. A ball that fell through a funnel, and bounced to its
underside, was led out by two and a half times its radius in one step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, entry, kernel
from ...mechanism.bodies import Capsule, Cylinder, Sphere
from ...spatial import add_scaled, cross, dot, load3, load9, rotate, scale, store3, subtract, unrotate

_SAME = 1e-9  # of the unit: distances that are one
_IN_PLANE = 1e-6  # of a distance: height above a triangle that is none
_SAME_WAY = 1e-6  # cosines of ways out that are one differ by less
_SAME_PLACE = 1e-3  # of the unit: points are one that are nearer
_MOST_HIDDEN = 1000  # pairs of shapes and triangles that are remembered
UNKNOWN, IN_FRONT, BEHIND = range(3)  # where a shape has come from


@by_reference
class Outlines(NamedTuple):
    """The convex shapes along their own axes, in the collision engine's unit. G shapes."""

    radius: np.ndarray  # (G,): of balls, capsules and cylinders
    half_length: np.ndarray  # (G,)
    is_flat: np.ndarray  # (G,) bool: cylinders
    start: np.ndarray  # (G + 1,) int64: where corners of each start
    corners: np.ndarray  # (., 3): of boxes and hulls


@by_reference
class Sides(NamedTuple):
    """On which side of meshes the shapes are. G shapes, M meshes."""

    lost: np.ndarray  # (G, M) int64: 1 for pairs that overlap by ghosts only, 2 for others that overlap
    seen: np.ndarray  # (G, M) int64: 1 for pairs that have points
    side: np.ndarray  # (G, M) int64: UNKNOWN, IN_FRONT or BEHIND
    hidden: np.ndarray  # (N, 2) int64: shapes and triangles that overlap along another normal than the triangle's
    count: np.ndarray  # (1,) int64: how many of these there are
    is_open: np.ndarray  # (M,) bool


def new_sides(meshes, shapes: int) -> Sides:
    """At the very start all are in front."""
    count = len(meshes.body)
    is_open = np.array([bool((meshes.across[meshes.mesh == mesh] < 0).any()) for mesh in range(count)], bool)
    lost, seen = (np.zeros((shapes, count), np.int64) for _ in range(2))
    hidden = np.zeros((_MOST_HIDDEN, 2), np.int64)
    return Sides(lost, seen, np.full((shapes, count), IN_FRONT), hidden, np.zeros(1, np.int64), is_open)


def outlines_of(model, shapes: list, unit: float) -> Outlines:
    """shapes: of the first geoms of MuJoCo's model."""
    count = len(shapes)
    radius, half_length, is_flat = np.zeros(count), np.zeros(count), np.zeros(count, bool)
    start, corners = np.zeros(count + 1, np.int64), [np.empty((0, 3))]
    for number, shape in enumerate(shapes):
        start[number + 1] = start[number]
        if isinstance(shape, Sphere | Capsule | Cylinder):
            radius[number] = shape.radius / unit
            half_length[number] = getattr(shape, "half_length", 0.0) / unit
            is_flat[number] = isinstance(shape, Cylinder)
        else:
            mesh = model.geom_dataid[number]
            first, length = model.mesh_vertadr[mesh], model.mesh_vertnum[mesh]
            corners.append(model.mesh_vert[first : first + length].astype(float))
            start[number + 1] += length
    return Outlines(radius, half_length, is_flat, start, np.concatenate(corners))


@entry
def add_ways_out(meshes, outlines, placement, poses, rotation, center, unit, sides, points, count):
    """Adds points for shapes that overlap a mesh by ghosts only, and for corners that sink in unseen.

    Returns the number of points, more than len(points) if there is no room, and notes on which side the shapes are.
    poses: of the shapes, in MuJoCo's unit. rotation, center: of our bodies.
    """
    side = sides.side
    for shape in range(side.shape[0]):
        for mesh in range(side.shape[1]):
            if sides.lost[shape, mesh] != 1:
                is_near = sides.lost[shape, mesh] == 2 or sides.seen[shape, mesh] == 1
                side[shape, mesh] = IN_FRONT if is_near else UNKNOWN
                continue
            if side[shape, mesh] == BEHIND:
                continue
            if count >= len(points):
                return len(points) + 1
            body = meshes.body[mesh]
            R, origin = load9(rotation[body]), scale(1.0 / unit, load3(center[body]))
            x, turned = load3(poses.position[shape]), load9(poses.rotation[shape])
            near, out = _nearest(meshes, mesh, unrotate(R, subtract(x, origin)))
            if dot(out, out) == 0.0:
                continue
            near, out = add_scaled(origin, 1.0, rotate(R, near)), rotate(R, out)
            top = dot(subtract(farthest(outlines, shape, x, turned, out), near), out)
            if side[shape, mesh] == UNKNOWN and sides.is_open[mesh] and top < 0.0:
                side[shape, mesh] = BEHIND
                continue
            side[shape, mesh] = IN_FRONT
            if dot(subtract(x, near), out) >= 0.0:
                before = count
                count = _add_all_sunk(
                    meshes, mesh, outlines, placement, poses, rotation, center, unit, sides, shape, points, count
                )
                if count > before:
                    continue
            deepest = farthest(outlines, shape, x, turned, scale(-1.0, out))
            gap = dot(subtract(deepest, near), out)
            if gap >= 0.0:
                deepest, out, gap = _sunk_corner(meshes, mesh, outlines, shape, x, turned, R, origin)
            if gap < 0.0:
                _write(meshes, placement, points[count], shape, mesh, deepest, out, gap, unit)
                count += 1
    for shape in range(side.shape[0]):
        for mesh in range(side.shape[1]):
            if sides.lost[shape, mesh] == 2:
                count = _add_all_sunk(
                    meshes, mesh, outlines, placement, poses, rotation, center, unit, sides, shape, points, count
                )
    return count


@kernel
def _add_all_sunk(meshes, mesh, outlines, placement, poses, rotation, center, unit, sides, shape, points, count):
    """Adds points for what has sunk of a shape into triangles of a mesh that did not name it."""
    for number in range(sides.count[0]):
        triangle = sides.hidden[number, 1]
        if count <= len(points) and sides.hidden[number, 0] == shape and meshes.mesh[triangle] == mesh:
            count = _add_sunk(
                meshes, triangle, outlines, placement, poses, rotation, center, unit, shape, points, count
            )
    return count


@kernel
def _add_sunk(meshes, triangle, outlines, placement, poses, rotation, center, unit, shape, points, count):
    """Adds points for corners, or the one round end, of a shape that have sunk into a triangle."""
    mesh = meshes.mesh[triangle]
    body, n = meshes.body[mesh], load3(meshes.normal[triangle])
    R, origin = load9(rotation[body]), scale(1.0 / unit, load3(center[body]))
    x, turned, out = load3(poses.position[shape]), load9(poses.rotation[shape]), rotate(R, n)
    on_triangle = load3(meshes.places[meshes.corners[triangle, 0]])
    first, corners = outlines.start[shape], outlines.start[shape + 1] - outlines.start[shape]
    for k in range(max(1, corners)):
        if corners > 0:
            place = add_scaled(x, 1.0, rotate(turned, load3(outlines.corners[first + k])))
        else:
            place = farthest(outlines, shape, x, turned, scale(-1.0, out))
        inside = unrotate(R, subtract(place, origin))
        height = dot(subtract(inside, on_triangle), n)
        if height >= 0.0:
            continue
        if not _is_behind(meshes, mesh, triangle, inside):
            continue
        if _is_named(points, count, scale(unit, place), out, _SAME_PLACE * unit):
            continue
        if count >= len(points):
            return len(points) + 1
        _write(meshes, placement, points[count], shape, mesh, place, out, height, unit)
        count += 1
    return count


@kernel
def _is_behind(meshes, mesh, triangle, place):
    """True if the place of a mesh that is nearest to this one, which is inside, is on this triangle.

    Behind a crease it is on the edge of both triangles, and the place is behind both.
    """
    on_top, is_end = nearest_of_triangle(meshes, triangle, place)
    near, out = _nearest(meshes, mesh, place)
    way, least = subtract(on_top, place), subtract(near, place)
    return not is_end and dot(out, least) > 0.0 and math.sqrt(dot(way, way)) <= math.sqrt(dot(least, least)) + _SAME


@kernel
def _is_named(points, count, place, out, slack):
    """True if a point at this place (m) has this normal already."""
    for k in range(count):
        away = subtract(load3(points[k].position), place)
        sunk = dot(away, out)
        beside = dot(away, away) - sunk * sunk
        if abs(dot(load3(points[k].normal), out)) > 1.0 - _SAME_WAY and beside < slack * slack:
            return True
    return False


@kernel
def _sunk_corner(meshes, mesh, outlines, shape, x, turned, R, origin):
    """(the point of a shape that has sunk deepest of its corners, or of its round ends; the way out; the gap there).

    The gap is 0 where none has sunk.
    """
    deepest, normal, gap = x, (0.0, 0.0, 0.0), 0.0
    first, corners = outlines.start[shape], outlines.start[shape + 1] - outlines.start[shape]
    for k in range(corners if corners > 0 else 2):
        own = (0.0, 0.0, (2.0 * k - 1.0) * outlines.half_length[shape])
        if corners > 0:
            own = load3(outlines.corners[first + k])
        place = add_scaled(x, 1.0, rotate(turned, own))
        near, out = _nearest(meshes, mesh, unrotate(R, subtract(place, origin)))
        near, out = add_scaled(origin, 1.0, rotate(R, near)), rotate(R, out)
        if corners == 0:
            place = farthest(outlines, shape, x, turned, scale(-1.0, out))
        height = dot(subtract(place, near), out)
        if height < gap:
            deepest, normal, gap = place, out, height
    return deepest, normal, gap


@kernel
def _write(meshes, placement, point, shape, mesh, deepest, out, gap, unit):
    body, other = placement.body[shape], meshes.body[mesh]
    point.body[0], point.body[1] = other, body
    point.part[0], point.part[1] = meshes.part[mesh], placement.part[shape]
    point.feature = -1
    point.gap = unit * gap
    store3(point.normal, out)
    store3(point.position, scale(unit, add_scaled(deepest, -0.5 * gap, out)))


@kernel
def farthest(outlines, shape, x, turned, way):
    """The point of a shape that is farthest along a way."""
    along = unrotate(turned, way)
    start, end = outlines.start[shape], outlines.start[shape + 1]
    if end > start:
        best, most = start, -math.inf
        for k in range(start, end):
            reach = dot(load3(outlines.corners[k]), along)
            if reach > most:
                best, most = k, reach
        return add_scaled(x, 1.0, rotate(turned, load3(outlines.corners[best])))
    r, h = outlines.radius[shape], outlines.half_length[shape]
    top = h if along[2] > _IN_PLANE else (-h if along[2] < -_IN_PLANE else 0.0)
    if outlines.is_flat[shape]:
        size = math.sqrt(along[0] ** 2 + along[1] ** 2)
        r = r / size if size > _IN_PLANE else 0.0
        return add_scaled(x, 1.0, rotate(turned, (r * along[0], r * along[1], top)))
    return add_scaled(x, 1.0, rotate(turned, (r * along[0], r * along[1], r * along[2] + top)))


@kernel
def _nearest(meshes, mesh, place):
    """(point of a mesh nearest to a place, unit vector out of the mesh there, zero where none is known)."""
    least, height = math.inf, 0.0
    found, out = place, (0.0, 0.0, 0.0)
    box, end = meshes.boxes[mesh], meshes.boxes[mesh + 1]
    while box < end:
        if _distance_to_box(meshes.low[box], meshes.high[box], place) > least + _SAME:
            box = meshes.skip[box]
            continue
        for triangle in range(meshes.start[box], meshes.end[box]):
            near, is_end = nearest_of_triangle(meshes, triangle, place)
            way = subtract(place, near)
            distance = math.sqrt(dot(way, way))
            above = dot(way, load3(meshes.normal[triangle]))
            # of triangles that share the nearest edge, the one that is seen at the steepest angle knows the side
            if distance < least - _SAME or (distance < least + _SAME and abs(above) > abs(height)):
                least, height, found = min(least, distance), above, near
                if distance <= _SAME or abs(above) > (1.0 - _IN_PLANE) * distance:
                    out = load3(meshes.normal[triangle])
                elif is_end and above < 0.0:
                    out = (0.0, 0.0, 0.0)
                else:
                    out = scale((1.0 if above > 0.0 else -1.0) / distance, way)
        box += 1
    return found, out


@kernel
def _distance_to_box(low, high, place):
    total = 0.0
    for k in range(3):
        beyond = max(0.0, max(low[k] - place[k], place[k] - high[k]))
        total += beyond * beyond
    return math.sqrt(total)


@kernel
def nearest_of_triangle(meshes, triangle, place):
    """(its nearest point, whether the mesh ends there)."""
    corners, normal = meshes.corners[triangle], load3(meshes.normal[triangle])
    first = load3(meshes.places[corners[0]])
    inside = add_scaled(place, -dot(subtract(place, first), normal), normal)
    least, nearest, is_end, is_inside = math.inf, inside, False, True
    for k in range(3):
        a = load3(meshes.places[corners[k]])
        side, way = subtract(load3(meshes.places[corners[(k + 1) % 3]]), a), subtract(inside, a)
        if dot(cross(normal, side), way) < 0.0:
            is_inside = False
        on_side = add_scaled(a, min(1.0, max(0.0, dot(way, side) / dot(side, side))), side)
        far = subtract(on_side, inside)
        if dot(far, far) < least:
            least, nearest, is_end = dot(far, far), on_side, meshes.across[triangle, k] < 0
    if is_inside:
        return inside, False
    return nearest, is_end
