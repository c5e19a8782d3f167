# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex hull of a mesh, as what shapes for contact are recognised from: its corners, its facets, its solid."""

from typing import NamedTuple

import numpy as np

from .mass_properties import NoVolumeError, Solid, convex_hull, solid_of_triangles

SAME_DIRECTION = 1e-5
"""1 - cos of the angle, below which facets count as parallel."""
MOST_DIRECTIONS = 16


class Convex(NamedTuple):
    """Corners (N, 3) in the order of the mesh, outward triangles (T, 3), their unit normals (T, 3) and areas (T,).

    A point x is inside if `normals @ x <= offsets`.
    """

    corners: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    offsets: np.ndarray
    areas: np.ndarray
    solid: Solid

    @property
    def size(self) -> float:
        """Largest side of the bounding box."""
        return float(np.ptp(self.corners, axis=0).max())

    @property
    def principal_axes(self) -> np.ndarray:
        """The solid's principal axes, as rows (3, 3)."""
        return np.linalg.eigh(self.solid.second_moment)[1].T

    def facet_directions(self) -> np.ndarray:
        """Unit normals of the largest facets, up to their sign, the largest first (K, 3)."""
        normals, areas = self.normals, self.areas.copy()
        directions, sizes = [], []
        while areas.max(initial=0.0) > 0.0 and len(directions) < MOST_DIRECTIONS:
            cosine = normals @ normals[areas.argmax()]
            same = (np.abs(cosine) > 1.0 - SAME_DIRECTION) & (areas > 0.0)
            mean = (np.sign(cosine[same]) * areas[same]) @ normals[same]
            directions.append(mean / np.linalg.norm(mean))
            sizes.append(areas[same].sum())
            areas[same] = 0.0
        return np.array(directions)[np.argsort(sizes)[::-1]]

    def holds_surface(self, points: np.ndarray, triangles: np.ndarray, tolerance: float) -> bool:
        """True if a mesh is just this hull: all its surface lies on the hull's, and leaves no hole in that."""
        a, b, c = (points[triangles[:, i]] for i in range(3))
        area = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
        if abs(area - self.areas.sum()) > 1e-3 * self.areas.sum():
            return False
        used = points[np.unique(triangles)]
        rows = max(1, MOST_AT_ONCE // len(self.normals))
        return all(
            (self.offsets - used[i : i + rows] @ self.normals.T).min(axis=1).max() <= tolerance
            for i in range(0, len(used), rows)
        )


MOST_AT_ONCE = 4_000_000
"""Distances of points from facets that are computed together."""


def convex(points: np.ndarray) -> Convex:
    """The convex hull of points (N, 3). Raises NoVolumeError if they lie in a plane."""
    points = np.asarray(points, dtype=np.float64)
    if len(points) < 4:
        raise NoVolumeError("is flat or encloses no volume")
    _, triangles = convex_hull(points)
    solid = solid_of_triangles(points, triangles)
    used, numbers = np.unique(triangles, return_inverse=True)
    corners, triangles = points[used], numbers.reshape(-1, 3)
    a, b, c = (corners[triangles[:, i]] for i in range(3))
    doubled = np.cross(b - a, c - a)
    length = np.linalg.norm(doubled, axis=1)
    kept = length > 0.0
    normals = doubled[kept] / length[kept, None]
    offsets = np.einsum("ti,ti->t", normals, a[kept])
    return Convex(corners, triangles[kept], normals, offsets, 0.5 * length[kept], solid)
