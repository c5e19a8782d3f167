# SPDX-License-Identifier: GPL-3.0-or-later
"""Cylinders that stand and rock on flat sides of boxes, hulls and other cylinders, for soft contact.

The collision engine takes their ends for polygons and keeps a few corners, others from time to time. Here, with n the
face's normal and a the axis, the end that looks to the face is nearest to it, from its middle, along
    u = (d - (d.a) a) / |d - (d.a) a|,  d = -n.
What borders the overlap of the end and the face presses all along, as the sides of a patch do (`face_patches`): that
holds what stands over the face's border, or on a face that is smaller than the end. Where the whole end is over the
face, its point along u and three more at quarter turns from there take half of that, as on the ground (`ground`), so
that a can on its rim does not sink in. Altogether an end counts as four corners. The more it leans, from LEANS on, the
more is left to its lowest point alone, which from LIES on is what the collision engine finds, without polygons. The rim
is a polygon with a corner along u, so that it rolls without bumps.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...kernel import by_reference, kernel
from ...mechanism.bodies import Cylinder
from ...model.collision_shapes import Part
from ...spatial import (
    add,
    add_scaled,
    axis_x,
    axis_z,
    cross,
    dot,
    load3,
    load9,
    multiply,
    rotate,
    scale,
    store3,
    subtract,
)
from ..detection.face_manifold import cut, facing, has_faces
from ..detection.ground import UPRIGHT
from .edge_pressure import press_along, press_at

SIDES = 32  # of a rim
END = 4.0  # corners that an end counts as,
QUARTERS = 0.5  # and the part of it that four points take
INSIDE = 0.9  # of the radius: farther from the face's border, these begin to press
LEANS, LIES = 0.05, 0.3  # sine of the angle between axis and normal
ON_FACE = 0.98  # cosine between the collision engine's normal and the face's
_NO_LENGTH = 1e-9  # of the radius
_TURNS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


@by_reference
class Cylinders(NamedTuple):
    """Cylinders among the parts; radius 0 for what is none."""

    radius: np.ndarray  # (P,) m
    half_length: np.ndarray  # (P,) m
    rotation: np.ndarray  # (P, 9) of the shape's axes in the body's
    position: np.ndarray  # (P, 3) m: of its middle


def cylinders_of(parts: list[Part]) -> Cylinders:
    """The cylinders among parts."""
    found = [part.shape if isinstance(part.shape, Cylinder) else None for part in parts]
    return Cylinders(
        radius=np.array([shape.radius if shape else 0.0 for shape in found]),
        half_length=np.array([shape.half_length if shape else 0.0 for shape in found]),
        rotation=np.array([part.rotation.ravel() for part in parts], float).reshape(-1, 9),
        position=np.array([part.position for part in parts], float).reshape(-1, 3),
    )


@kernel
def press_cylinder(faces, cylinders, rotation, center, points, number, end, share, deep):
    """Writes behind `end` how a cylinder presses on a face, if that is what the point's parts do; returns the new end.

    rotation, center: of the bodies. Where nothing overlaps here, as where a cylinder rolls over the border of a
    face, nothing is written, and the collision engine's points are left to stand.
    """
    source = points[number]
    for k in range(2):
        own, other = source.part[k], source.part[1 - k]
        if cylinders.radius[own] > 0.0 and has_faces(faces, other):
            is_larger = cylinders.radius[own] > cylinders.radius[other] > 0.0
            side = 1.0 if k == 1 else -1.0
            R = load9(rotation[source.body[1 - k]])
            face, cosine = facing(faces, other, R, scale(side, load3(source.normal)))
            if cosine > ON_FACE and not is_larger:
                return _press(faces, cylinders, rotation, center, points, number, k, face, end, share, deep)
    return end


@kernel
def _press(faces, cylinders, rotation, center, points, number, k, face, end, share, deep):
    """The cylinder of body k of a point, on a face of the other."""
    source = points[number]
    own, body, side = source.part[k], source.body[k], 1.0 if k == 1 else -1.0
    S, origin = load9(rotation[source.body[1 - k]]), load3(center[source.body[1 - k]])
    n, on_face = rotate(S, load3(faces.normal[face])), rotate(S, load3(faces.corners[faces.start[face]]))
    R = load9(rotation[body])
    middle = add(subtract(load3(center[body]), origin), rotate(R, load3(cylinders.position[own])))
    R = multiply(R, load9(cylinders.rotation[own]))
    radius, half, axis = cylinders.radius[own], cylinders.half_length[own], axis_z(R)
    level = add_scaled(scale(-1.0, n), dot(n, axis), axis)
    tilt = math.sqrt(dot(level, level))
    if tilt > LIES:
        return end
    u = axis_x(R) if tilt < UPRIGHT else scale(1.0 / tilt, level)
    v = cross(axis, u)
    leans = _smooth((tilt - LEANS) / (LIES - LEANS))
    rim = add_scaled(middle, -half if dot(n, axis) > 0.0 else half, axis)
    inside = QUARTERS * (1.0 - leans) * _smooth((_room(faces, face, S, n, rim) / radius - INSIDE) / (1.0 - INSIDE))
    for corner in range(SIDES):
        angle = 2.0 * math.pi * corner / SIDES
        place = add_scaled(add_scaled(rim, radius * math.cos(angle), u), radius * math.sin(angle), v)
        store3(faces.polygon[0, corner], place)
    slot, count = cut(faces, face, S, n, SIDES, 0.0)
    polygon, around = faces.polygon[slot], 0.0
    for corner in range(count):
        way = subtract(load3(polygon[corner + 1 if corner + 1 < count else 0]), load3(polygon[corner]))
        around += math.sqrt(dot(way, way))
    all_along = END * (1.0 - leans - inside)
    for corner in range(count if around > _NO_LENGTH * radius else 0):
        here, there = load3(polygon[corner]), load3(polygon[corner + 1 if corner + 1 < count else 0])
        a, b = dot(n, subtract(on_face, here)), dot(n, subtract(on_face, there))
        if a > 0.0 or b > 0.0:
            end = press_along(origin, here, there, a, b, all_along / around, n, side, source, points, end, share, deep)
    for cosine, sine in _TURNS:
        way = add_scaled(scale(radius * cosine, u), radius * sine, v)
        first, last = _over(faces, face, S, n, rim, way)
        place = add_scaled(rim, last, way)
        depth = dot(n, subtract(on_face, place))
        part = (0.25 * END * inside + (leans if cosine > 0.0 else 0.0)) * (last - first)
        if part > 0.0 and depth > 0.0:
            end = press_at(origin, place, depth, depth, part, n, side, source, points, end, share, deep)
    return end


@kernel
def _smooth(x):
    """0 below 0, 1 above 1, and between them as a cubic that is level there."""
    x = min(max(x, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


@kernel
def _room(faces, face, S, n, place):
    """m: from a place to the border of a face, seen along n; below zero outside."""
    room = math.inf
    first, last = faces.start[face], faces.start[face + 1]
    for k in range(first, last):
        a = rotate(S, load3(faces.corners[k]))
        inward = cross(n, subtract(rotate(S, load3(faces.corners[k + 1 if k + 1 < last else first])), a))
        room = min(room, dot(subtract(place, a), inward) / math.sqrt(dot(inward, inward)))
    return room


@kernel
def _over(faces, face, S, n, start, way):
    """(first, last): from where to where, in parts of it, a way is over a face, seen along n."""
    low, high = 0.0, 1.0
    first, last = faces.start[face], faces.start[face + 1]
    for k in range(first, last):
        a = rotate(S, load3(faces.corners[k]))
        b = rotate(S, load3(faces.corners[k + 1 if k + 1 < last else first]))
        inward = cross(n, subtract(b, a))
        here, gain = dot(subtract(start, a), inward), dot(way, inward)
        if gain > 0.0:
            low = max(low, -here / gain)
        elif gain < 0.0:
            high = min(high, -here / gain)
        elif here < 0.0:
            high = 0.0
    return low, high
