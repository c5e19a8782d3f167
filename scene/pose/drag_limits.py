# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that a hand drags in the view: which value the mouse means, and the joint of the other side, which follows."""

import math

import bpy
import numpy as np
from mathutils import Vector
from mathutils.geometry import intersect_line_plane

from ..owner import Owner
from ..parts.limit_lines import Stops, limit_axes
from ..properties.joint import ANGLE, coordinate_kinds, coordinate_values, slot, type_of
from .mirror import are_twins, reflection_of
from .sight import along_line

EDGE_ON = 0.15
"""Sine of the angle between the line of sight and the plane of an arc, below which its own points tell the value."""
AROUND = math.radians(100.0)
"""To each side: how far from where it is an arc that is seen from its edge is looked through,"""
STEPS = 400
"""in so many steps."""
ALONG = 0.7
"""Cosine between axes that count as the mirror images of each other."""


def value_meant(stops: Stops, value: float, begin: Vector, sight: Vector) -> float:
    """The value (rad or m, as `Stops` counts) under a line of sight; `value`: what it is now, whose turn it goes on."""
    sight = sight.normalized()
    if stops.kind != ANGLE:
        return along_line(stops.place, stops.along, value, begin, sight)
    if abs(sight.dot(stops.along)) < EDGE_ON:
        return _on_the_edge(stops, value, begin, sight)
    point = intersect_line_plane(begin, begin + sight, stops.place, stops.along)
    arm = point - stops.place
    x, y = arm.dot(stops.across), arm.dot(stops.beside)
    if math.hypot(x, y) < 1e-9 * stops.size:
        return value
    return value + math.remainder(math.atan2(y, x) - value, 2.0 * math.pi)


def _on_the_edge(stops: Stops, value: float, begin: Vector, sight: Vector) -> float:
    """The nearest point of the arc that is seen, on the side where it is."""
    values = np.linspace(value - AROUND, value + AROUND, 2 * STEPS + 1).tolist()

    def beside(each: float) -> float:
        return (stops.point(each) - begin).cross(sight).length

    return min(values, key=beside)


def limits_of(settings: bpy.types.PropertyGroup, coordinate: int) -> dict[str, float]:
    """The limits of a coordinate that are on, from where the bodies are placed."""
    placed = coordinate_values(settings, "placed")[coordinate]
    return {
        side: coordinate_values(settings, f"{side}_limit")[coordinate] - placed
        for side in ("lower", "upper")
        if coordinate_values(settings, f"use_{side}_limit")[coordinate]
    }


def set_limit(settings: bpy.types.PropertyGroup, coordinate: int, side: str, value: float) -> None:
    """Set a limit, from where the bodies are placed; no farther than the other one."""
    found = limits_of(settings, coordinate)
    if side == "lower":
        value = min(value, found.get("upper", value))
    else:
        value = max(value, found.get("lower", value))
    path, index = slot(settings, f"{side}_limit", coordinate)
    getattr(settings, path)[index] = value + coordinate_values(settings, "placed")[coordinate]


def twin_of(joint: bpy.types.Object, scene: bpy.types.Scene) -> bpy.types.Object | None:
    """The joint of the other side: between bodies of the mirrored names, or of one that is in the middle."""
    if joint.ves.body_a is None or joint.ves.body_b is None:
        return None
    parent, child = Owner(joint.ves.body_a), Owner(joint.ves.body_b)
    for other in scene.objects:
        settings = other.ves
        if settings.role != "JOINT" or other == joint or None in (settings.body_a, settings.body_b):
            continue
        is_beside = settings.body_a == joint.ves.body_a or are_twins(parent, Owner(settings.body_a))
        if is_beside and are_twins(child, Owner(settings.body_b)) and type_of(settings) == type_of(joint.ves):
            return other
    return None


def mirrored(joint: bpy.types.Object, twin: bpy.types.Object, coordinate: int, side: str) -> tuple[int, str] | None:
    """The coordinate and the side of the twin's limit that is the mirror image of one; None without any."""
    reflection = reflection_of(Owner(joint.ves.body_b))[:3, :3]
    kinds, own, others = coordinate_kinds(joint.ves), limit_axes(joint), limit_axes(twin)
    turns = -1.0 if kinds[coordinate] == ANGLE else 1.0  # a mirror turns rotations the other way round
    image = turns * Vector(reflection @ np.array(own[coordinate])).normalized()
    alike = [(image.dot(axis), c) for c, axis in enumerate(others) if kinds[c] == kinds[coordinate]]
    share, found = max(alike, key=lambda pair: abs(pair[0]))
    if abs(share) < ALONG:
        return None
    return found, side if share > 0.0 else {"lower": "upper", "upper": "lower"}[side]
