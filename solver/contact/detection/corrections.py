# SPDX-License-Identifier: GPL-3.0-or-later
"""Points of cylinders and deep capsules that the collision engine names wrongly, and points found anew instead.

MuJoCo's polytope closes in on a wrong face where a cylinder is nearly aligned with another shape, every fiftieth time
or so: the normal may then be at right angles to the true one, and the depth as large as the shape. The gap along a
normal follows from the support functions. If it is the gap that MuJoCo names, and the shapes are apart or hardly
overlap, both are right, as no gap along any normal is larger than the distance. What is deeper is compared with our
own signed distance (`signed_distance`), and what does not agree with it is replaced; so is a normal at a rim, always.
Where a face leans over a rim the points may lie further in, where it is still apart: then the deepest place replaces
one.
"""

from __future__ import annotations

import math

from ...kernel import entry, kernel
from ...spatial import add, add_scaled, axis_x, axis_z, cross, dot, load3, load9, rotate, scale, store3, subtract
from .face_manifold import facing
from .ground import UPRIGHT
from .signed_distance import gap_along, signed_distance

DOUBT = 1e-3, 1e-2  # of the radius and of half the length: what a point may be wrong by
SMALL = 2e-3  # of the smaller shape's reach: and at most by that, however large the cylinder is
DEEP = 10.0  # doubts: deeper, and a normal may be that of another way out
POLYGON = 0.02  # of the radius and of the sine between normal and axis: what the engine's polygon of a rim errs by
INSIDE = 0.9  # of the radius: deeper, and the axis of a capsule may be in the other shape
PARALLEL = 0.9995  # cosine between two normals, of which the better one may take the points of the other
STANDING = 0.99  # cosine between axis and normal
SLANTED = 0.02  # likewise: below, a cylinder lies
TURNS = 8  # points of a rim
_OUTSIDE = 1e-9  # of the radius


@entry
def check_rods(faces, placement, outlines, poses, prisms, rotation, center, to_unit, named, more, work):
    """Overwrites the points of cylinders and capsules that are wrong; returns how many were added in `more`.

    faces: of boxes and hulls (m); poses: of MuJoCo's shapes, in its unit; rotation, center: of our bodies.
    Points that are left out get a `geom` of -1.
    """
    geom, distance = named.geom, named.distance
    start, added = 0, 0
    while start < len(geom):
        end = start + 1
        while end < len(geom) and geom[end, 0] == geom[start, 0] and geom[end, 1] == geom[start, 1]:
            end += 1
        a, b = geom[start, 0], geom[start, 1]
        deepest = start
        for k in range(start + 1, end):
            deepest = k if distance[k] < distance[deepest] else deepest
        doubt = min(_doubt(outlines, poses, named, deepest, 0), _doubt(outlines, poses, named, deepest, 1))
        if doubt < math.inf and not (_is_ball_beside(outlines, named, deepest)):
            doubt = min(doubt, SMALL * min(placement.bound[a], placement.bound[b]))
            n = load3(named.frame[deepest])
            gap = gap_along(outlines, poses, prisms, a, b, n)
            agrees = abs(gap - distance[deepest]) < doubt
            is_rim = distance[deepest] < doubt and _is_on_rim(outlines, poses, named, deepest)
            if not agrees or is_rim or distance[deepest] < -DEEP * doubt:
                size, reach = min(placement.bound[a], placement.bound[b]), reach_of(poses, prisms, a, b)
                true, out, place = signed_distance(outlines, poses, prisms, a, b, size, reach, work)
                is_near = true < math.inf and dot(n, out) > PARALLEL
                if is_near and (is_rim or _is_flat_on_large(outlines, placement, a, b)):
                    raised = true - distance[deepest]
                    _turn(named, start, end, out, raised if raised > -doubt else 0.0)
                    if raised <= -doubt:  # the engine has missed the deepest place
                        write_point(named, deepest, true, out, add_scaled(place, 0.5 * true, out))
                elif not agrees or true - gap > doubt:
                    for k in range(start + 1, end):
                        geom[k, 0] = geom[k, 1] = -1
                    if true == math.inf:
                        geom[start, 0] = geom[start, 1] = -1
                    else:
                        write_point(named, start, true, out, add_scaled(place, 0.5 * true, out))
                        shapes = faces, placement, outlines, poses, rotation, center
                        added = _add_ends(shapes, to_unit, named, start, place, more, added)
        start = end
    return added


@kernel
def _is_flat_on_large(outlines, placement, a, b):
    """True if the smaller one of two shapes is a box, a hull or a prism: its corners are the points that count."""
    small = a if placement.bound[a] < placement.bound[b] else b
    return small >= len(outlines.radius) or outlines.radius[small] == 0.0


@kernel
def _turn(named, start, end, n, raised):
    """Gives the points of a group a normal close to theirs, and gaps that are larger: they lie where they should."""
    for k in range(start, end):
        store3(named.frame[k], n)
        named.distance[k] += raised


@kernel
def write_point(named, k, gap, n, place):
    """Writes the gap, normal and place of a point."""
    named.distance[k] = gap
    store3(named.frame[k], n)
    store3(named.position[k], place)


@kernel
def _doubt(outlines, poses, named, k, side):
    """By how much a point of a cylinder, or of a capsule whose axis is inside, may be wrong; else infinite."""
    shape = named.geom[k, side]
    if shape >= len(outlines.radius) or outlines.half_length[shape] == 0.0:
        return math.inf
    radius = outlines.radius[shape]
    if not outlines.is_flat[shape]:
        return DOUBT[0] * radius if named.distance[k] < -INSIDE * radius else math.inf
    cosine = abs(dot(axis_z(load9(poses.rotation[shape])), load3(named.frame[k])))
    polygon = POLYGON * radius * math.sqrt(max(0.0, 1.0 - cosine * cosine)) if cosine > STANDING else 0.0
    return min(DOUBT[0] * radius, DOUBT[1] * outlines.half_length[shape]) + polygon


@kernel
def _is_on_rim(outlines, poses, named, k):
    """True if a point lies on the rim of a cylinder, between its side and its end.

    There the gap changes by the square of what the normal is off by, and hardly tells: a box that slid over the rim of
    a turntable at a metre a second sank in by 3 cm in each, for a normal that was off by a degree.
    """
    for side in range(2):
        shape = named.geom[k, side]
        if shape < len(outlines.radius) and outlines.is_flat[shape]:
            cosine = abs(dot(axis_z(load9(poses.rotation[shape])), load3(named.frame[k])))
            if SLANTED < cosine < STANDING:
                return True
    return False


@kernel
def _is_ball_beside(outlines, named, k):
    """True if a point is that of a ball whose middle is outside: it is exact."""
    for side in range(2):
        shape = named.geom[k, side]
        if shape < len(outlines.radius) and outlines.radius[shape] > 0.0 and outlines.half_length[shape] == 0.0:
            return named.distance[k] > -INSIDE * outlines.radius[shape]
    return False


@kernel
def reach_of(poses, prisms, a, b):
    """The distance at which points of two shapes are still found."""
    shapes = len(poses.gap)
    first = poses.gap[a] if a < shapes else prisms.gap[a - shapes]
    return first + (poses.gap[b] if b < shapes else prisms.gap[b - shapes])


@kernel
def _add_ends(shapes, to_unit, named, k, place, more, added):
    """Adds points of the rim of a cylinder that stands on a face or on another cylinder's end, where they are over it,
    and those of the other's border that are over the cylinder's end."""
    faces, placement, outlines, poses, rotation, center = shapes
    n, gap = load3(named.frame[k]), named.distance[k]
    for side in range(2):
        own, other = named.geom[k, side], named.geom[k, 1 - side]
        towards = scale(1.0 if side == 0 else -1.0, n)
        if not _stands(outlines, poses, own, towards) or other >= len(outlines.radius):
            continue
        if outlines.radius[other] > 0.0:
            if not _stands(outlines, poses, other, towards):
                continue
            axis = axis_z(load9(poses.rotation[other]))
            out = scale(-1.0 if dot(axis, towards) > 0.0 else 1.0, axis)
            on_face = add_scaled(load3(poses.position[other]), outlines.half_length[other], out)
            face, radius = -1, outlines.radius[other]
        else:
            R = load9(rotation[placement.body[other]])
            face, cosine = facing(faces, placement.part[other], R, scale(-1.0, towards))
            if cosine < STANDING:
                continue
            origin = scale(to_unit, load3(center[placement.body[other]]))
            corner = scale(to_unit, load3(faces.corners[faces.start[face]]))
            out, on_face, radius = rotate(R, load3(faces.normal[face])), add(origin, rotate(R, corner)), 0.0
        rim, u, v = _rim(outlines, poses, own, towards, out)
        for turn in range(TURNS):
            angle = 2.0 * math.pi * turn / TURNS
            corner = add_scaled(add_scaled(rim, math.cos(angle), u), math.sin(angle), v)
            if face >= 0:
                is_over = _is_over(faces, face, R, origin, to_unit, corner, _OUTSIDE * outlines.radius[own])
            else:
                is_over = _far(subtract(corner, on_face), out) <= (1.0 + _OUTSIDE) * radius
            height = dot(subtract(corner, on_face), out)
            if is_over and added < len(more.distance) and height < -gap:
                _copy_pair(named, k, more, added)
                normal = scale(-1.0 if side == 0 else 1.0, out)
                write_point(more, added, height, normal, add_scaled(corner, -0.5 * height, out))
                added += 1
    return added


@kernel
def _copy_pair(named, k, more, slot):
    more.geom[slot, 0], more.geom[slot, 1] = named.geom[k, 0], named.geom[k, 1]


@kernel
def _stands(outlines, poses, shape, towards):
    """True if a shape is a cylinder whose end looks this way or back."""
    return outlines.is_flat[shape] and abs(dot(axis_z(load9(poses.rotation[shape])), towards)) > STANDING


@kernel
def _rim(outlines, poses, shape, towards, out):
    """(centre of a cylinder's end, the ways from there to its lowest point over a face with this normal and beside)."""
    R, radius, half = load9(poses.rotation[shape]), outlines.radius[shape], outlines.half_length[shape]
    axis = axis_z(R)
    level = add_scaled(scale(-1.0, out), dot(out, axis), axis)
    tilt = math.sqrt(dot(level, level))
    u = scale(radius, axis_x(R)) if tilt < UPRIGHT else scale(radius / tilt, level)
    return (
        add_scaled(load3(poses.position[shape]), half if dot(axis, towards) > 0.0 else -half, axis),
        u,
        cross(axis, u),
    )


@kernel
def _far(way, axis):
    """The distance of a place from an axis through the origin."""
    level = add_scaled(way, -dot(way, axis), axis)
    return math.sqrt(dot(level, level))


@kernel
def _is_over(faces, face, R, origin, to_unit, place, slack):
    """True if a place is over a face, seen along its normal."""
    first, last = faces.start[face], faces.start[face + 1]
    n = rotate(R, load3(faces.normal[face]))
    for k in range(first, last):
        a = add(origin, scale(to_unit, rotate(R, load3(faces.corners[k]))))
        b = add(origin, scale(to_unit, rotate(R, load3(faces.corners[k + 1 if k + 1 < last else first]))))
        inward = cross(n, subtract(b, a))
        if dot(subtract(place, a), inward) < -slack * math.sqrt(dot(inward, inward)):
            return False
    return True
