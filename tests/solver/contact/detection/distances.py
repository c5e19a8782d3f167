# SPDX-License-Identifier: GPL-3.0-or-later
"""Signed distances of convex shapes by another route: the convex hull of all differences of their corners.

Round ends are polygons of CORNERS corners; balls and capsules are points and segments with a radius.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Shape, Sphere

CORNERS = 128  # of a cylinder's end: half of them lie inside of it and half outside, by 1.5e-4 of the radius
_HEAVY = 10.0  # weight of the one equation that says that shares add up to one


def corners(shape: Shape) -> tuple[np.ndarray, float]:
    """(V, 3) corners along the shape's own axes (m), and the radius of a ball that goes around them."""
    match shape:
        case Sphere(radius=radius):
            return np.zeros((1, 3)), radius
        case Capsule(radius=radius, half_length=half):
            return np.array([(0.0, 0.0, half), (0.0, 0.0, -half)]), radius
        case Box(half_size=half):
            return np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half, 0.0
        case Cylinder(radius=radius, half_length=half):
            turns = 2.0 * np.pi * np.arange(CORNERS) / CORNERS
            middling = radius / np.sqrt(np.cos(np.pi / CORNERS))
            ring = middling * np.column_stack([np.cos(turns), np.sin(turns)])
            return np.concatenate([np.column_stack([ring, np.full(CORNERS, z)]) for z in (half, -half)]), 0.0
        case Hull(points=points):
            return np.array(points, float), 0.0
    raise TypeError(shape)


def signed_distance(lower: Shape, upper: Shape, poses: list[tuple[np.ndarray, Rotation]]) -> float:
    """m: below zero the least way that leads them apart. poses: (center, rotation) of both."""
    (own, radius), (other, other_radius) = corners(lower), corners(upper)
    own, other = (turn.apply(points) + x for points, (x, turn) in zip((own, other), poses, strict=True))
    differences = (other[None] - own[:, None]).reshape(-1, 3)
    if np.linalg.matrix_rank(differences - differences[0], tol=1e-9) == 3:
        hull = ConvexHull(differences)
        if hull.equations[:, 3].max() < 0.0:
            return hull.equations[:, 3].max() - radius - other_radius
        differences = differences[hull.vertices]
    equations = np.vstack([differences.T, np.full(len(differences), _HEAVY)])
    share, _ = nnls(equations, np.array((0.0, 0.0, 0.0, _HEAVY)), maxiter=2000)
    return float(np.linalg.norm(share @ differences / share.sum())) - radius - other_radius


def gap_along(normal: np.ndarray, lower: Shape, upper: Shape, poses: list[tuple[np.ndarray, Rotation]]) -> float:
    """m: between the planes at right angles to a normal that hold both shapes apart, in closed form."""
    (x, turn), (y, other_turn) = poses
    return normal @ (y - x) - _extent(lower, turn.inv().apply(normal)) - _extent(upper, other_turn.inv().apply(normal))


def height(place: np.ndarray, shape: Box | Hull, pose: tuple[np.ndarray, Rotation]) -> float:
    """m: of a place over the plane of a box's or hull's face that it is farthest above; on the surface it is zero."""
    center, turn = pose
    equations = ConvexHull(corners(shape)[0]).equations
    return float((equations[:, :3] @ turn.inv().apply(place - center) + equations[:, 3]).max())


def _extent(shape: Shape, n: np.ndarray) -> float:
    """The reach along n (m) of a shape that is its own mirror image about its middle."""
    match shape:
        case Cylinder(radius=radius, half_length=half):
            return radius * np.hypot(n[0], n[1]) + half * abs(n[2])
        case _:
            points, radius = corners(shape)
            return np.abs(points @ n).max() + radius
