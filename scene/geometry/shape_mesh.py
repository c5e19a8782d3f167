# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes and lines that show shapes for contact, for objects that are made of a mechanism file and for the overlay."""

import itertools
from typing import NamedTuple

import numpy as np

from ...solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Shape, Sphere
from . import poses
from .convex import convex
from .shape_fitting import corners_of_box

SEGMENTS, RINGS = 32, 16
BOX_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
FLAT_EDGE = 1e-4
"""1 - cos of the angle between two facets of a hull, below which the edge between them is not drawn."""


class Geometry(NamedTuple):
    """Points (N, 3) in the body frame, faces as lists of their indices, and whether they should look smooth."""

    points: np.ndarray
    faces: list[tuple[int, ...]]
    is_smooth: bool


def look_of(shape: Shape) -> Geometry:
    """A closed mesh that looks like the shape, and that is recognised as it. Of a mesh, the triangles themselves."""
    match shape:
        case Box():
            points, faces, is_smooth = corners_of_box(shape.half_size), BOX_FACES, False
        case Sphere():
            points, faces, is_smooth = *_turned(*_arc(shape.radius, 0.0)), True
        case Capsule():
            points, faces, is_smooth = *_turned(*_arc(shape.radius, shape.half_length)), True
        case Cylinder():
            points, faces, is_smooth = *_prism(shape.radius, shape.half_length), True
        case Hull():
            hull = convex(np.array(shape.points))
            points, faces, is_smooth = hull.corners, [tuple(map(int, triangle)) for triangle in hull.triangles], False
        case _:
            points, faces, is_smooth = np.array(shape.points), list(shape.triangles), False
    return Geometry(_placed(shape, points), faces, is_smooth)


def together(parts: list[Geometry]) -> Geometry:
    """All parts as one mesh of loose parts."""
    offsets = np.cumsum([0, *(len(part.points) for part in parts)])
    faces = [tuple(i + int(start) for i in face) for part, start in zip(parts, offsets, strict=False)
             for face in part.faces]  # fmt: skip
    return Geometry(np.concatenate([part.points for part in parts]), faces, all(part.is_smooth for part in parts))


def lines_of(shape: Shape) -> np.ndarray:
    """Ends (L, 2, 3) of the lines that show a shape, in the body frame."""
    match shape:
        case Box():
            corners = corners_of_box(shape.half_size)
            pairs = [(i, j) for i, j in itertools.combinations(range(8), 2) if (i ^ j).bit_count() == 1]
            lines = corners[pairs]
        case Sphere():
            lines = np.concatenate([_circle(shape.radius, axis, 0.0) for axis in range(3)])
        case Capsule():
            rims = [_circle(shape.radius, 2, z * shape.half_length) for z in (-1.0, 1.0)]
            lines = np.concatenate([*rims, *_outlines(shape.radius, shape.half_length)])
        case Cylinder():
            rims = [_circle(shape.radius, 2, z * shape.half_length) for z in (-1.0, 1.0)]
            lines = np.concatenate([*rims, _sides(shape.radius, shape.half_length)])
        case Hull():
            lines = _hull_edges(np.array(shape.points))
        case _:
            lines = np.array(shape.points)[_edges(np.array(shape.triangles))]
    return _placed(shape, lines)


def _placed(shape: Shape, points: np.ndarray) -> np.ndarray:
    return points @ poses.rotations(np.array(shape.orientation)).T + np.array(shape.position)


def _arc(radius: float, half_length: float) -> tuple[np.ndarray, np.ndarray]:
    """Distances from the axis and heights of the rings between the poles, and those of the poles."""
    angles = np.linspace(0.0, np.pi, RINGS + 1)
    if half_length:
        angles = np.insert(angles, RINGS // 2, 0.5 * np.pi)
    heights = radius * np.cos(angles) + half_length * np.where(np.arange(len(angles)) < 0.5 * len(angles), 1.0, -1.0)
    if not half_length:
        heights = radius * np.cos(angles)
    return radius * np.sin(angles), heights


def _turned(distances: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """The mesh of a profile that is turned about Z; the first and the last point of it are poles."""
    around = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    rings = [
        np.column_stack([r * np.cos(around), r * np.sin(around), np.full(SEGMENTS, z)])
        for r, z in zip(distances[1:-1], heights[1:-1], strict=True)
    ]
    points = np.concatenate([*rings, [[0.0, 0.0, heights[0]], [0.0, 0.0, heights[-1]]]])
    faces, last, top = [], len(rings) - 1, len(points) - 2
    for i in range(SEGMENTS):
        j = (i + 1) % SEGMENTS
        faces.append((top, i, j))
        faces += [(k + i, k + SEGMENTS + i, k + SEGMENTS + j, k + j) for k in range(0, last * SEGMENTS, SEGMENTS)]
        faces.append((last * SEGMENTS + i, top + 1, last * SEGMENTS + j))
    return points, faces


def _prism(radius: float, half_length: float) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    around = 2.0 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    rim = np.column_stack([radius * np.cos(around), radius * np.sin(around), np.full(SEGMENTS, half_length)])
    points = np.concatenate([rim, rim * (1.0, 1.0, -1.0)])
    sides = [(i, i + SEGMENTS, (i + 1) % SEGMENTS + SEGMENTS, (i + 1) % SEGMENTS) for i in range(SEGMENTS)]
    ends = [tuple(range(SEGMENTS)), tuple(range(2 * SEGMENTS - 1, SEGMENTS - 1, -1))]
    return points, sides + ends


def _circle(radius: float, axis: int, height: float) -> np.ndarray:
    around = 2.0 * np.pi * np.arange(SEGMENTS + 1) / SEGMENTS
    points = np.full((SEGMENTS + 1, 3), height)
    points[:, axis - 2], points[:, axis - 1] = radius * np.cos(around), radius * np.sin(around)
    return np.stack([points[:-1], points[1:]], axis=1)


def _sides(radius: float, half_length: float) -> np.ndarray:
    places = radius * np.array([(1, 0), (0, 1), (-1, 0), (0, -1)])
    return np.array([[(x, y, -half_length), (x, y, half_length)] for x, y in places])


def _outlines(radius: float, half_length: float) -> list[np.ndarray]:
    """The two outlines of a capsule, seen along X and along Y."""
    half = np.pi * np.arange(SEGMENTS // 2 + 1) / (SEGMENTS // 2)
    across, up = radius * np.cos(half), radius * np.sin(half)
    flat = np.concatenate([np.stack([across, up + half_length]), np.stack([-across, -up - half_length])], axis=1)
    flat = np.concatenate([flat, flat[:, :1]], axis=1)
    zero = np.zeros(flat.shape[1])
    loops = [np.column_stack([flat[0], zero, flat[1]]), np.column_stack([zero, flat[0], flat[1]])]
    return [np.stack([loop[:-1], loop[1:]], axis=1) for loop in loops]


def _hull_edges(points: np.ndarray) -> np.ndarray:
    """The edges of a hull at which it bends."""
    hull = convex(points)
    sides: dict[tuple[int, int], list[int]] = {}
    for number, triangle in enumerate(hull.triangles.tolist()):
        for i in range(3):
            edge = sorted((triangle[i], triangle[i - 1]))
            sides.setdefault(tuple(edge), []).append(number)
    bent = [
        edge
        for edge, faces in sides.items()
        if len(faces) != 2 or hull.normals[faces[0]] @ hull.normals[faces[1]] < 1.0 - FLAT_EDGE
    ]
    return hull.corners[bent]


def _edges(triangles: np.ndarray) -> np.ndarray:
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    return np.unique(np.sort(pairs, axis=1), axis=0)
