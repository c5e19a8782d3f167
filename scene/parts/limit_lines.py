# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines that show the limits of a joint: of a turn an arc with a spoke at each limit, of a travel a bar with ends.

They stand in the frame of the joint's Empty, which is the parent's. A turn counts from its short line on, which points
to the child where that is placed, the way its arrow goes.
"""

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...solver.mechanism.joint_types import ALL_TYPES
from ..properties.joint import ANGLE, coordinate_kinds, coordinate_values, type_of

RADIUS = 1.3  # of an arc, by the Empty's size
STEP = math.radians(6.0)  # between corners of an arc
ROUND = 2.0 * math.pi
OPEN = math.radians(60.0)  # of an arc whose other end has no limit
ALONG = 0.1  # of the way to the child: what is less beside an axis tells no side
TICK = 0.15  # of a mark, by the Empty's size


def way_to_child(joint: bpy.types.Object) -> Vector:
    """From a joint to the middle of its child, along the axes of the joint's Empty."""
    child = joint.ves.body_b
    if child is None:
        return Vector()
    middle = sum(map(Vector, child.bound_box), Vector()) / 8.0
    return joint.matrix_world.inverted_safe() @ child.matrix_world @ middle


class Stops(NamedTuple):
    """The limits of one coordinate of a joint, rad or m from where its bodies are placed: None at a side without one.

    A turn counts about `along` from `across`, to `beside`; a travel along `along`. All in the world.
    """

    coordinate: int
    kind: str
    lower: float | None
    upper: float | None
    place: Vector
    along: Vector
    across: Vector
    beside: Vector
    size: float  # m: of the Empty

    def point(self, value: float) -> Vector:
        """The place of a value on the arc, or on the bar."""
        if self.kind == ANGLE:
            return self.place + RADIUS * self.size * (math.cos(value) * self.across + math.sin(value) * self.beside)
        return self.place + value * self.along


def limit_lines(joint: bpy.types.Object, zero: Vector | None = None) -> list[Vector]:
    """Ends of lines in the world; none of a joint without limits.

    zero: `way_to_child` where the bodies are placed; None if that is not known.
    """
    ends = []
    for stops in stops_of(joint, zero):
        if stops.kind == ANGLE:
            arc = _arc(stops.lower, stops.upper, stops.across, stops.beside)
            ends += [stops.place + stops.size * end for end in arc]
        else:
            bar = _bar(stops.lower, stops.upper, stops.along, stops.across, stops.size)
            ends += [stops.place + end for end in bar]
    return ends


def stops_of(joint: bpy.types.Object, zero: Vector | None = None) -> Iterator[Stops]:
    """Of each coordinate with a limit."""
    settings = joint.ves
    kinds = coordinate_kinds(settings)
    if not kinds:
        return
    place, axes = joint.matrix_world.translation, _axes(joint)
    directions = [axis.axis for axis in ALL_TYPES[type_of(settings).lower()].axes]
    bounds = _bounds(settings)
    for c, (kind, k, (lower, upper)) in enumerate(zip(kinds, directions, bounds, strict=True)):
        if lower is None and upper is None:
            continue
        z, x, y = axes[k], axes[(k + 1) % 3], axes[(k + 2) % 3]
        way = Vector() if zero is None else sum((part * axis for part, axis in zip(zero, axes, strict=True)), Vector())
        beside = way - way.dot(z) * z
        if beside.length > ALONG * way.length:
            x = beside.normalized()
            y = z.cross(x)
        yield Stops(c, kind, lower, upper, place, z, x, y, joint.empty_display_size)


def limit_axes(joint: bpy.types.Object) -> list[Vector]:
    """Of each coordinate the direction in the world along or about which it counts."""
    axes = _axes(joint)
    return [axes[axis.axis] for axis in ALL_TYPES[type_of(joint.ves).lower()].axes]


def _axes(joint: bpy.types.Object) -> list[Vector]:
    return [column.to_3d().normalized() for column in joint.matrix_world.to_3x3().col]


def has_limits(settings: bpy.types.PropertyGroup) -> bool:
    """True if a joint stops somewhere."""
    return any(pair != (None, None) for pair in _bounds(settings))


def _bounds(settings: bpy.types.PropertyGroup) -> list[tuple[float | None, float | None]]:
    """Of each coordinate, counted from where its bodies are placed."""
    placed = coordinate_values(settings, "placed")
    sides = []
    for side in ("lower", "upper"):
        used, values = (coordinate_values(settings, name) for name in (f"use_{side}_limit", f"{side}_limit"))
        sides.append([v - at if use else None for use, v, at in zip(used, values, placed, strict=True)])
    return list(zip(*sides, strict=True))


def _arc(lower: float | None, upper: float | None, x: Vector, y: Vector) -> list[Vector]:
    """About the origin, in parts of the Empty's size."""
    low = upper - OPEN if lower is None else lower
    high = lower + OPEN if upper is None else upper
    high = min(high, low + ROUND)
    angles = np.linspace(low, high, max(2, math.ceil((high - low) / STEP) + 1)).tolist()

    def at(angle: float, radius: float = RADIUS) -> Vector:
        return radius * (math.cos(angle) * x + math.sin(angle) * y)

    ends = [point for pair in pairwise([at(angle) for angle in angles]) for point in pair]
    for bound in (lower, upper):
        if bound is not None:
            ends += [Vector(), at(bound)]
    ends += [at(0.0, RADIUS - TICK), at(0.0, RADIUS + TICK)]  # where it is zero
    tip, back = at(high), high - 1.5 * TICK / RADIUS
    return ends + [tip, at(back, RADIUS - 0.5 * TICK), tip, at(back, RADIUS + 0.5 * TICK)]


def _bar(lower: float | None, upper: float | None, along: Vector, across: Vector, size: float) -> list[Vector]:
    """About the origin, in m."""
    low = upper - RADIUS * size if lower is None else lower
    high = lower + RADIUS * size if upper is None else upper
    ends, mark = [low * along, high * along], TICK * size * across
    for bound in (lower, upper):
        if bound is not None:
            ends += [bound * along - mark, bound * along + mark]
    tip, back = high * along, (high - TICK * size) * along
    return ends + [tip, back - 0.5 * mark, tip, back + 0.5 * mark]
