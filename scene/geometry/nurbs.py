# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's NURBS surfaces as Bezier patches, exactly: knots by knots, and lower orders raised to cubic ones.

Along one direction a spline of degree d with the knots t has, between t_i and t_(i+1), the Bezier points that its polar
form takes at t_i (d - j times) and t_(i+1) (j times). Source: L. Ramshaw, Blossoms are polar forms, CAGD 6 (1989).
Control points are (x w, y w, z w, w).
"""

import math
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.mechanism.surfaces import HIGHEST_DEGREE
from ...solver.model.poses import turned

HIGHEST_ORDER = HIGHEST_DEGREE + 1
_SMOOTH = 1e-3  # rad: a crease that is none
_ALONG = np.linspace(0.0, 1.0, 5)  # places on an edge between two patches


class Direction(NamedTuple):
    """A spline along u or along v."""

    order: int
    cyclic: bool
    endpoint: bool
    bezier: bool


class Patches(NamedTuple):
    """points (p m + 1, q n + 1, 3), weights (p m + 1, q n + 1), closed along (u, v), degree (p, q)."""

    points: np.ndarray
    weights: np.ndarray
    closed: tuple[bool, bool]
    degree: tuple[int, int]


class SurfaceError(ValueError):
    """A surface that cannot be taken; the text says why and what to do, as the end of a sentence about the object."""


def patches_of(ob: bpy.types.Object, linear: np.ndarray) -> list[Patches]:
    """Of each surface of an object, its local axes (3, 3) turned and scaled by `linear`. Raises SurfaceError."""
    splines = [spline for spline in ob.data.splines if spline.point_count_v > 1]
    if not splines:
        raise SurfaceError("has no surface, only curves: extrude them, or take another object")
    return [_patches_of(spline, np.asarray(linear)) for spline in splines]


def _patches_of(spline: bpy.types.Spline, linear: np.ndarray) -> Patches:
    u = Direction(spline.order_u, spline.use_cyclic_u, spline.use_endpoint_u, spline.use_bezier_u)
    v = Direction(spline.order_v, spline.use_cyclic_v, spline.use_endpoint_v, spline.use_bezier_v)
    if max(u.order, v.order) > HIGHEST_ORDER:
        raise SurfaceError(f"has order {max(u.order, v.order)}: set Order U and V to {HIGHEST_ORDER} or less")
    flat = np.empty(4 * len(spline.points))
    spline.points.foreach_get("co", flat)
    grid = np.swapaxes(flat.reshape(spline.point_count_v, spline.point_count_u, 4), 0, 1)
    points = turned(linear, grid[..., :3])
    return patches(np.concatenate([points * grid[..., 3:], grid[..., 3:]], axis=2), u, v)


def patches(grid: np.ndarray, u: Direction, v: Direction) -> Patches:
    """Those of control points (m, n, 4) along u and v. Raises SurfaceError."""
    along_u = bezier_points(grid, u)
    both = np.swapaxes(bezier_points(np.swapaxes(along_u, 0, 1), v), 0, 1)
    weights = both[..., 3]
    if not (weights > 0.0).all():
        raise SurfaceError("has weights that are not above 0: set W of its points to 1")
    found = Patches(both[..., :3] / weights[..., None], weights, (u.cyclic, v.cyclic), (degree(u), degree(v)))
    for k, (name, direction) in enumerate(zip("UV", (u, v), strict=True)):
        if _has_crease(both, found, k):
            raise SurfaceError(_crease(name, direction))
    return found


def degree(direction: Direction) -> int:
    """That of the patches: lower orders become cubic."""
    return max(direction.order - 1, 3)


def _crease(name: str, direction: Direction) -> str:
    if direction.bezier:
        return f"has a crease, since Bezier {name} is on and handles are not in line: turn it off, or put them in line"
    return f"has a crease, since Order {name} is {direction.order}: set it to 3 or more, to 4 for smooth accelerations"


def _has_crease(both: np.ndarray, found: Patches, k: int) -> bool:
    """True if the normal turns from one patch to the next along u (k = 0) or v (1). both: points times weights."""
    homogeneous, (p, q) = np.swapaxes(both, 0, k), (found.degree[k], found.degree[1 - k])
    last, count = len(homogeneous) - 1, homogeneous.shape[1] - 1
    joins = [(i, i) for i in range(p, last, p)] + ([(last, 0)] if found.closed[k] else [])
    for before, after in joins:
        for j in range(0, count, q):
            point, before_it, after_it = (
                _bernstein(q) @ homogeneous[i, j : j + q + 1] for i in (before, before - 1, after + 1)
            )
            along = _bernstein_slope(q) @ homogeneous[before, j : j + q + 1]
            ways = [_projected(point, way) for way in (along, point - before_it, after_it - point)]
            sides = [np.cross(ways[0], way) for way in ways[1:]]
            lengths = np.prod([np.linalg.norm(side, axis=1) for side in sides], axis=0)
            turned = np.linalg.norm(np.cross(*sides), axis=1) > _SMOOTH * lengths
            if (turned | (np.sum(sides[0] * sides[1], axis=1) < 0.0)).any():
                return True
    return False


def _projected(point: np.ndarray, way: np.ndarray) -> np.ndarray:
    """The way (., 3) along a surface of a way (., 4) from points (., 4) times their weights."""
    return way[:, :3] * point[:, 3:] - point[:, :3] * way[:, 3:]


def _bernstein(degree: int) -> np.ndarray:
    """(5, degree + 1): shares of Bezier points at places along an edge."""
    i, t = np.arange(degree + 1), _ALONG[:, None]
    return np.array([math.comb(degree, k) for k in i]) * t**i * (1.0 - t) ** (degree - i)


def _bernstein_slope(degree: int) -> np.ndarray:
    lower, none = degree * _bernstein(degree - 1), np.zeros((len(_ALONG), 1))
    return np.hstack([none, lower]) - np.hstack([lower, none])


def knots(count: int, direction: Direction) -> np.ndarray:
    """Blender's knots for so many points, those that are repeated to close a spline included."""
    order, degree = direction.order, direction.order - 1
    if direction.cyclic:
        return np.arange(count + order, dtype=float)
    if direction.bezier and order > 2:
        inner = np.repeat(np.arange(1, count + order), degree).astype(float)
        head = order if direction.endpoint else 2
        return np.concatenate([np.zeros(head), inner])[: count + order]
    if direction.endpoint:
        return np.clip(np.arange(count + order) - degree, 0, count - degree).astype(float)
    return np.arange(count + order, dtype=float)


def bezier_points(points: np.ndarray, direction: Direction) -> np.ndarray:
    """(p m + 1, ...): Bezier points of control points (n, ...) along the first axis. Raises SurfaceError."""
    degree = direction.order - 1
    if direction.cyclic and degree > 1 and (direction.endpoint or direction.bezier):
        raise SurfaceError("is Cyclic and has Endpoint or Bezier on in the same direction: turn these off")
    if direction.cyclic:
        points = np.concatenate([points, points[:degree]])
    count = len(points)
    if count < direction.order:
        raise SurfaceError(f"has {count} points in a direction of order {direction.order}: lower the order")
    t = knots(count, direction)
    spans = [i for i in range(degree, count) if t[i + 1] > t[i]]
    pieces = [_raised(_polar_points(points, t, i, degree)) for i in spans]
    return np.concatenate([pieces[0][:1], *(piece[1:] for piece in pieces)])


def _polar_points(points: np.ndarray, t: np.ndarray, i: int, degree: int) -> np.ndarray:
    """(degree + 1, ...): the Bezier points between knots i and i + 1."""
    result = []
    for j in range(degree + 1):
        at = [t[i]] * (degree - j) + [t[i + 1]] * j
        d = [points[i - degree + p] for p in range(degree + 1)]
        for r in range(1, degree + 1):
            for p in range(degree, r - 1, -1):
                low, high = t[i - degree + p], t[p + 1 + i - r]
                share = (at[r - 1] - low) / (high - low)
                d[p] = (1.0 - share) * d[p - 1] + share * d[p]
        result.append(d[degree])
    return np.array(result)


def _raised(points: np.ndarray) -> np.ndarray:
    """The same Bezier curve as a cubic one, if its degree is lower."""
    while len(points) < 4:
        n = len(points)
        share = (np.arange(1, n) / n).reshape(-1, *[1] * (points.ndim - 1))
        points = np.concatenate([points[:1], share * points[:-1] + (1.0 - share) * points[1:], points[-1:]])
    return points
