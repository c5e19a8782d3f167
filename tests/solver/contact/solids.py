# SPDX-License-Identifier: GPL-3.0-or-later
"""Solid bodies for scenes of contact: a shape, filled evenly, as a body."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from solver.mechanism import Body, Box, Capsule, Cylinder, Hull, Material, Shape, Sphere

SURFACE = Material(friction=0.5, restitution=0.0)


def solid(name: str, shape: Shape, position=(0.0, 0.0, 0.0), mass: float = 1.0, **given) -> Body:
    """A dynamic body that fills its shape, which lies unturned and unmoved in the body's frame."""
    moments, center = moments_per_mass(shape)
    given = {"material": SURFACE, "center_of_mass": center, "inertia": (mass * moments).tolist()} | given
    return Body(name, mass=mass, position=position, shape=shape, **given)


def fixed(name: str, shape: Shape, position=(0.0, 0.0, 0.0), **given) -> Body:
    """A body that does not move, or is keyed: its `motion` may be given."""
    return Body(name, position=position, shape=shape, **({"motion": "fixed", "material": SURFACE} | given))


def moments_per_mass(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """((3, 3) m2 about the centre of mass, centre of mass (3,) m)."""
    if isinstance(shape, Sphere):
        return 0.4 * shape.radius**2 * np.eye(3), np.zeros(3)
    if isinstance(shape, Box):
        squares = np.square(shape.half_size)
        return np.diag(squares.sum() - squares) / 3.0, np.zeros(3)
    if isinstance(shape, Cylinder):
        r, h = shape.radius, shape.half_length
        return np.diag([r**2 / 4 + h**2 / 3, r**2 / 4 + h**2 / 3, r**2 / 2]), np.zeros(3)
    if isinstance(shape, Capsule):
        return _capsule(shape.radius, shape.half_length), np.zeros(3)
    return _hull(shape)


def _capsule(r: float, h: float) -> np.ndarray:
    """A cylinder between two half balls, whose own centres lie 3/8 r beyond the cylinder's ends."""
    middle, ends = 2.0 * h, 4.0 / 3.0 * r  # volumes over pi r^2
    across = middle * (r**2 / 4 + h**2 / 3) + ends * (0.4 * r**2 + h**2 + 0.75 * h * r)
    along = middle * r**2 / 2 + ends * 0.4 * r**2
    return np.diag([across, across, along]) / (middle + ends)


def _hull(shape: Hull) -> tuple[np.ndarray, np.ndarray]:
    """Summed over tetrahedra from the mean of the points to each face."""
    points = np.array(shape.points)
    hull, inside = ConvexHull(points), points.mean(axis=0)
    corners = points[hull.simplices] - inside
    volumes = np.abs(np.linalg.det(corners)) / 6.0
    total = volumes.sum()
    center = (volumes[:, None] * corners.sum(axis=1)).sum(axis=0) / (4.0 * total)
    # over a tetrahedron from the origin, the mean of x x^T is (sum of c c^T + s s^T) / 20, s the sum of the corners c
    sums = corners.sum(axis=1)
    squares = np.einsum("tki,tkj->tij", corners, corners) + np.einsum("ti,tj->tij", sums, sums)
    second = np.einsum("t,tij->ij", volumes, squares) / (20.0 * total) - np.outer(center, center)
    return np.trace(second) * np.eye(3) - second, inside + center
