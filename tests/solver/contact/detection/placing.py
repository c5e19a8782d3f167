# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes on bodies in given poses, and the points that are found there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from solver.contact.detection.points import POINT
from solver.mechanism.bodies import Mesh, Shape
from solver.model.arrays import MOVING_BODY, records
from solver.model.collision_shapes import Part

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Point:
    """A point as the second of two bodies sees it."""

    body: int
    feature: int
    position: np.ndarray
    normal: np.ndarray  # towards it
    gap: float
    parts: tuple[int, int]  # of the other, and its own


def part(body: int, shape: Shape, turned=(0.0, 0.0, 0.0), position=(0.0, 0.0, 0.0)) -> Part:
    """turned: a rotation vector (rad)."""
    return Part(body, f"body {body}", shape, Rotation.from_rotvec(turned).as_matrix(), np.array(position, float))


def bodies_at(*poses: tuple) -> np.recarray:
    """Bodies 0, 1, ... with these (center, rotation vector or Rotation)."""
    bodies = records(len(poses), MOVING_BODY)
    for body, (center, turned) in zip(bodies, poses, strict=True):
        rotation = turned if isinstance(turned, Rotation) else Rotation.from_rotvec(turned)
        body.center, body.rotation = center, rotation.as_matrix().ravel()
    return bodies


AT_ORIGIN = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def found(query: Callable[[np.recarray, int], int], body: int) -> list[Point]:
    """The points of a query(points, first) that a body has, normals towards it; room is made as it takes."""
    room = 1
    while (count := query(points := records(room, POINT), 0)) > room:
        room *= 2
    seen = []
    for point in points[:count]:
        if body in point.body:
            side = int(point.body[1] == body)
            sign = 1.0 if side else -1.0
            parts = int(point.part[1 - side]), int(point.part[side])
            normal = sign * point.normal
            place = point.position.copy()
            seen.append(Point(int(point.body[1 - side]), int(point.feature), place, normal, float(point.gap), parts))
    return seen


def deepest(points: list[Point]) -> Point:
    return min(points, key=lambda point: point.gap)


def holds(points: list[Point], center: np.ndarray) -> bool:
    """True if the polygon of the points, seen from above, is around a place."""
    ways = np.array([point.position[:2] - center[:2] for point in points])
    angles = np.sort(np.arctan2(ways[:, 1], ways[:, 0]))
    return len(points) > 2 and np.diff(np.append(angles, angles[0] + 2.0 * np.pi)).max() < np.pi


def terrain(height: Callable[[float, float], float], cells: int, width: float = 1.0) -> Mesh:
    """Two triangles for each cell of a square grid that starts at the origin."""
    lines = range(cells + 1)
    points = [(i * width, j * width, height(i * width, j * width)) for i in lines for j in lines]
    triangles = []
    for i in range(cells):
        for j in range(cells):
            a, b = i * (cells + 1) + j, (i + 1) * (cells + 1) + j
            triangles += [(a, b, b + 1), (a, b + 1, a + 1)]
    return Mesh(points=tuple(points), triangles=tuple(triangles))


def halved(reach: float, bodies: np.recarray) -> np.ndarray:
    """(B,) m: reaches of which those of two bodies add up to this one."""
    return np.full(len(bodies), 0.5 * reach)
