# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules and cylinders that lie along each other, or on an end of a cylinder: points at both ends of what they share.

A collision engine names the one place where two of them are nearest, and two only if they are parallel to the last
digits; the free end comes down unseen. So the points of an axis between which both lie beside each other get one each,
    n = (Q - P) / |Q - P|,  gap = |Q - P| - r_P - r_Q,
with P on one axis and Q the point of the other that is nearest to P; r is the radius, of a cylinder
r sqrt(1 - (n . axis)^2), as its cross-section is a disc. These gaps are those of places that exist, so none is smaller
than the distance of the two, and they change with the pose as it does: where two rods cross at an angle their ends
are too far apart to be near. Rods that stand end on end share a length too, of rounding; what is deeper than the
points of their ends is no way out of there.
"""

from __future__ import annotations

import math

from ...kernel import entry, kernel
from ...spatial import add_scaled, axis_z, dot, load3, load9, scale, subtract
from .corrections import DOUBT, write_point
from .edge_normals import APART, is_rod

BESIDE = 0.1  # cosine between a cylinder's axis and the normal: more, and its end is nearer than its side
LYING = 0.5  # cosine between a rod's axis and the end of a cylinder that it lies on: more, and it stands there
FACING = 0.99  # cosine between that end and the normal: less, and it is met at its rim
_NO_LENGTH = 1e-6  # of the radius


@entry
def add_ends(placement, outlines, poses, named, more, added):
    """Writes points at the ends of what two rods share to `more`, as number `added` and on; returns how many there are.

    poses: of MuJoCo's shapes, in its unit.
    """
    geom, start = named.geom, 0
    while start < len(geom):
        end = start + 1
        while end < len(geom) and geom[end, 0] == geom[start, 0] and geom[end, 1] == geom[start, 1]:
            end += 1
        a, b = geom[start, 0], geom[start, 1]
        if a >= 0 and is_rod(placement, outlines, a) and is_rod(placement, outlines, b):
            added = _add(outlines, poses, named, start, end, more, added)
            for side in range(2):
                added = _add_on_end(outlines, poses, named, start, end, side, more, added)
        start = end
    return added


@kernel
def _add(outlines, poses, named, start, end, more, added):
    """Those of the pair whose points are numbers `start` to `end`."""
    a, b = named.geom[start, 0], named.geom[start, 1]
    x, along = load3(poses.position[a]), axis_z(load9(poses.rotation[a]))
    y, axis = load3(poses.position[b]), axis_z(load9(poses.rotation[b]))
    half, other_half = outlines.half_length[a], outlines.half_length[b]
    middle, spread = dot(subtract(y, x), along), other_half * abs(dot(axis, along))
    low, high = max(-half, middle - spread), min(half, middle + spread)
    near, before = poses.gap[a] + poses.gap[b], added
    least = math.inf
    for k in range(start, end):
        least = min(least, named.distance[k])
    least -= DOUBT[0] * min(outlines.radius[a], outlines.radius[b])
    apart = APART * min(half, other_half)
    for side in range(2 if low < high else 0):
        t = low if side == 0 else high
        place = add_scaled(x, t, along)
        s = min(max(dot(subtract(place, y), axis), -other_half), other_half)
        way = subtract(add_scaled(y, s, axis), place)
        size = math.sqrt(dot(way, way))
        if size < _NO_LENGTH * outlines.radius[a] or added >= len(more.distance):
            continue
        n = scale(1.0 / size, way)
        r, is_beside = _cross_section(outlines, a, dot(n, along))
        r_other, is_other_beside = _cross_section(outlines, b, dot(n, axis))
        gap = size - r - r_other
        if not (is_beside and is_other_beside) or not least <= gap < near:
            continue
        on = add_scaled(place, r + 0.5 * gap, n)
        if not (_has_near(named, start, end, on, apart) or _has_near(more, before, added, on, apart)):
            more.geom[added, 0], more.geom[added, 1] = a, b
            write_point(more, added, gap, n, on)
            added += 1
    return added


@kernel
def _add_on_end(outlines, poses, named, start, end, side, more, added):
    """Points of a rod's two ends over the flat end of a cylinder, the pair's shape on one `side`, that faces it."""
    disc, rod = named.geom[start, side], named.geom[start, 1 - side]
    x, axis = load3(poses.position[disc]), axis_z(load9(poses.rotation[disc]))
    y, along = load3(poses.position[rod]), axis_z(load9(poses.rotation[rod]))
    out = axis if dot(subtract(y, x), axis) >= 0.0 else scale(-1.0, axis)
    cosine, deepest = dot(along, out), start
    for k in range(start, end):
        deepest = k if named.distance[k] < named.distance[deepest] else deepest
    towards = out if side == 0 else scale(-1.0, out)
    if not outlines.is_flat[disc] or abs(cosine) > LYING or dot(load3(named.frame[deepest]), towards) < FACING:
        return added
    least = named.distance[deepest] - DOUBT[0] * min(outlines.radius[disc], outlines.radius[rod])
    near, before = poses.gap[disc] + poses.gap[rod], added
    down = scale(-outlines.radius[rod], out)
    if outlines.is_flat[rod]:
        across = subtract(out, scale(cosine, along))
        down = scale(-outlines.radius[rod] / math.sqrt(dot(across, across)), across)
    for turn in range(2):
        t = -outlines.half_length[rod] if turn == 0 else outlines.half_length[rod]
        low = add_scaled(add_scaled(y, t, along), 1.0, down)
        way = subtract(low, x)
        height = dot(way, out)
        gap, aside = height - outlines.half_length[disc], dot(way, way) - height * height
        on = add_scaled(low, -0.5 * gap, out)
        apart = APART * outlines.half_length[rod]
        if aside > outlines.radius[disc] ** 2 or not least <= gap < near or added >= len(more.distance):
            continue
        if not (_has_near(named, start, end, on, apart) or _has_near(more, before, added, on, apart)):
            more.geom[added, 0], more.geom[added, 1] = named.geom[start, 0], named.geom[start, 1]
            write_point(more, added, gap, towards, on)
            added += 1
    return added


@kernel
def _cross_section(outlines, shape, cosine):
    """(how far a rod reaches from its axis, whether that is its side); cosine: between axis and normal."""
    if not outlines.is_flat[shape]:
        return outlines.radius[shape], True
    return outlines.radius[shape] * math.sqrt(max(0.0, 1.0 - cosine * cosine)), abs(cosine) < BESIDE


@kernel
def _has_near(named, start, end, place, apart):
    """True if one of these points is there already."""
    for k in range(start, end):
        way = subtract(load3(named.position[k]), place)
        if dot(way, way) < apart * apart:
            return True
    return False
