# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of bars: round-ended plates through points, with pins where they carry others.

Their points are kept at the body (`Object.ves.link_points`), one row for each: x, y, z (m, along the link's own axes),
and for a pin also its lowest and its highest layer. Points of other z have plates of their own, on one axle.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

SEGMENTS = 16  # of half a round end
PIN = 0.45  # radius of a pin, as a part of that of an end
PLATE = 0.7  # thickness of a plate, as a part of the radius
GAP = 0.08  # between two layers
SIMILAR = 0.02  # of a mesh's size: as near as its sides are to those of its bar, if it is only scaled
UNSCALED = 1e-4


class Pin(NamedTuple):
    """A pin at a point (3,) of the link, from layer to layer."""

    place: np.ndarray
    first: int
    last: int


def draw_bar(body: bpy.types.Object, points: np.ndarray, pins: Sequence[Pin] = ()) -> None:
    """Make a link's mesh of points (n, 3), as wide and high as its settings say, and note the points."""
    rows = [point.tolist() for point in points]
    for pin in pins:
        nearest = int(np.argmin(np.linalg.norm(points - pin.place, axis=1)))
        rows[nearest] = [*rows[nearest][:3], pin.first, pin.last]
    body.ves.link_points = json.dumps(rows)
    _fill(body.data, points, body.ves.link_radius, body.ves.link_layer, pins)


def points_of(body: bpy.types.Object) -> np.ndarray:
    """(n, 3) m: points of a link, along its own axes; its hinges are about Z."""
    return _factor(body) * _noted(body)


def _noted(body: bpy.types.Object) -> np.ndarray:
    return np.array([row[:3] for row in json.loads(body.ves.link_points)], float)


def _factor(body: bpy.types.Object) -> float:
    """Factor by which the link's mesh is larger than its points say: its scale was applied (Ctrl A) since.

    Negative for a mirrored one, whose mesh Blender turns inside out along all axes.
    """
    points, radius = _noted(body)[:, :2], body.ves.link_radius
    corners = np.array(body.bound_box)[:, :2]
    low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
    middle, shown = 0.5 * (low + high), 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    factor = float(shown @ middle / max(float(middle @ middle), 1e-30))
    is_scaled = np.abs(np.ptp(corners, axis=0) - abs(factor) * (high - low)).max() < SIMILAR * np.ptp(corners)
    return factor if is_scaled and abs(factor - 1.0) > UNSCALED else 1.0


def set_point(body: bpy.types.Object, number: int, place: tuple[float, ...]) -> None:
    """Move a point of a link, and its pin, if it has one there, and draw its bar anew."""
    rows, factor = json.loads(body.ves.link_points), _factor(body)
    if factor != 1.0:
        rows = [[*(factor * x for x in row[:3]), *(int(np.sign(factor)) * layer for layer in row[3:])] for row in rows]
        body.ves.link_radius *= abs(factor)
        body.ves.link_layer *= int(np.sign(factor))
    rows[number][:3] = place
    if body.data.users > 1:
        body.data = body.data.copy()
    pins = [Pin(np.array(row[:3]), *row[3:]) for row in rows if len(row) > 3]
    draw_bar(body, np.array([row[:3] for row in rows]), pins)


def _fill(mesh: bpy.types.Mesh, points: np.ndarray, radius: float, layer: int = 0, pins: Sequence[Pin] = ()) -> None:
    """Plates about points (n, 3), across Z and in a layer above them, and pins, instead of what the mesh was."""
    step = radius * (PLATE + GAP)
    low = step * layer - 0.5 * radius * PLATE
    depths = np.round(points[:, 2] / radius, 3)
    parts = []
    for depth in np.unique(depths):
        plate = points[depths == depth]
        z = low + float(plate[0, 2])
        parts.append(_prism(rounded_outline(plate[:, :2], radius), z, z + radius * PLATE))
    if len(parts) > 1:
        axle = rounded_outline(points[:1, :2], PIN * radius)
        parts.append(_prism(axle, low + float(points[:, 2].min()), low + float(points[:, 2].max())))
    for pin in pins:
        lowest, highest = step * min(pin.first, pin.last), step * max(pin.first, pin.last)
        end = 0.5 * radius * PLATE + 0.12 * radius
        z = float(pin.place[2])
        parts.append(_prism(rounded_outline(pin.place[None, :2], PIN * radius), z + lowest - end, z + highest + end))
    mesh.clear_geometry()
    corners, faces = [], []
    for own, polygons in parts:
        faces += [[index + len(corners) for index in polygon] for polygon in polygons]
        corners += own.tolist()
    mesh.from_pydata(corners, [], faces)
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mesh.set_sharp_from_angle(angle=0.7)
    mesh.update()


def rounded_outline(points: np.ndarray, radius: float) -> np.ndarray:
    """(n, 2): hull of circles about points, counterclockwise."""
    angle = np.arange(2 * SEGMENTS) * np.pi / SEGMENTS
    circle = radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return _hull((points[:, None] + circle).reshape(-1, 2))


def _hull(points: np.ndarray) -> np.ndarray:
    """Convex hull by monotone chains (Andrew 1979)."""
    ordered = sorted(map(tuple, points.tolist()))
    small = 1e-12 * float(np.ptp(points, axis=0).max()) ** 2

    def chain(along) -> list:
        found: list = []
        for p in along:
            while len(found) > 1:
                (ax, ay), (bx, by) = found[-2], found[-1]
                if (bx - ax) * (p[1] - ay) - (by - ay) * (p[0] - ax) > small:
                    break
                found.pop()
            found.append(p)
        return found[:-1]

    return np.array(chain(ordered) + chain(reversed(ordered)))


def _prism(outline: np.ndarray, low: float, high: float) -> tuple[np.ndarray, list[list[int]]]:
    count = len(outline)
    corners = np.concatenate([np.column_stack([outline, np.full(count, z)]) for z in (low, high)])
    sides = [[i, (i + 1) % count, count + (i + 1) % count, count + i] for i in range(count)]
    return corners, [*sides, [*range(count)][::-1], [*range(count, 2 * count)]]
