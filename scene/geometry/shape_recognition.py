# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes, balls, cylinders and capsules are recognised in meshes, however these are turned or scaled.

What is looked at is the convex hull: a mesh is a ball if all corners of its hull lie on a sphere and fill it. Corners
may be off by a thousandth, so that a rounded or bevelled box is none. A shape is placed in the axes of the points.
"""

import itertools

import numpy as np

from ...solver.mechanism.bodies import Box, Capsule, Cylinder, Shape, Sphere
from . import poses
from .convex import Convex

EXACT = 1e-3
"""How far corners may be off, as a part of a radius or a half length."""
ROUNDING = 2e-6
"""Of the size: what single precision makes of coordinates."""
FULL = 0.75
"""Part of a ball or capsule that its mesh must fill: what a UV sphere of 8 x 6 does, and no dodecahedron."""
WIDEST_GAP = np.radians(50.0)
"""Between neighbours on a cylinder's rim: a regular octagon has 45 degrees, a heptagon 51."""
SNAP = 1e-5
"""An orientation this near to none is none (rad)."""


def recognise(hull: Convex) -> Shape | None:
    """The shape that the hull is, if it is one of the four."""
    return _box(hull) or _sphere(hull) or _cylinder(hull) or _capsule(hull)


def placed(position: np.ndarray, axes: np.ndarray, size: float) -> dict[str, tuple[float, ...]]:
    """`position` and `orientation` of a shape whose own axes are the rows of `axes`, without what is only rounding."""
    position = np.where(np.abs(position) < ROUNDING * size, 0.0, position)
    orientation = (1.0, 0.0, 0.0, 0.0)
    if np.abs(axes - np.eye(3)).max() > SNAP:
        orientation = poses.quaternions(axes.T)
    return {"position": tuple(map(float, position)), "orientation": tuple(map(float, orientation))}


def frame_about(axis: np.ndarray) -> np.ndarray:
    """Rows (3, 3) of a frame whose Z is the axis, or its reverse, and that is turned as little as can be."""
    axis = axis / np.linalg.norm(axis)
    axis = axis * np.sign(axis[np.abs(axis).argmax()])
    if axis[2] < -0.5:
        axis = -axis
    x, y, z = axis
    k = 1.0 / (1.0 + z)
    rotation = np.array([[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, z]])
    return rotation.T


def nearest_frame(axes: np.ndarray) -> np.ndarray:
    """The same three axes (rows), in the order and with the signs that turn them least from X, Y and Z."""
    best, turned = -np.inf, axes
    for order in itertools.permutations(range(3)):
        signs = np.sign(np.diag(axes[list(order)]))
        candidate = np.where(signs == 0.0, 1.0, signs)[:, None] * axes[list(order)]
        if np.linalg.det(candidate) < 0.0:
            weakest = np.abs(np.diag(candidate)).argmin()
            candidate[weakest] = -candidate[weakest]
        if np.trace(candidate) > best + 1e-9:
            best, turned = np.trace(candidate), candidate
    return turned


def axis_candidates(hull: Convex) -> np.ndarray:
    """Directions (K, 3) among which the axis of a cylinder or a capsule is.

    Where all moments are alike, the principal axes are any; but then a cylinder's ends are among its largest facets.
    """
    return np.concatenate([hull.facet_directions(), hull.principal_axes])


def _box(hull: Convex) -> Box | None:
    directions = hull.facet_directions()
    first = directions[0]
    across = directions[np.abs(directions @ first) < EXACT]
    if len(across) == 0:
        return None
    second = across[0] - (across[0] @ first) * first
    second /= np.linalg.norm(second)
    axes = nearest_frame(np.array([first, second, np.cross(first, second)]))
    along = hull.corners @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    wanted = np.array(list(itertools.product(*zip(low, high, strict=True))))
    apart = np.linalg.norm(wanted[:, None] - along, axis=2).min(axis=1).max()
    shortest = (high - low).min()
    if apart > max(EXACT * shortest, ROUNDING * hull.size):
        return None
    middle = 0.5 * (low + high) @ axes
    return Box(half_size=tuple(map(float, 0.5 * (high - low))), **placed(middle, axes, hull.size))


def _sphere(hull: Convex) -> Sphere | None:
    center, radius = _ball_through(hull.corners)
    off = np.abs(np.linalg.norm(hull.corners - center, axis=1) - radius).max()
    if off > EXACT * radius or hull.solid.volume < FULL * 4.0 / 3.0 * np.pi * radius**3:
        return None
    return Sphere(radius=radius, **placed(center, np.eye(3), hull.size))


def _cylinder(hull: Convex) -> Cylinder | None:
    for axis in axis_candidates(hull):
        axes = frame_about(axis)
        along = hull.corners @ axes.T
        low, high = along[:, 2].min(), along[:, 2].max()
        half, height = 0.5 * (high - low), along[:, 2] - 0.5 * (high + low)
        round_part = along[:, :2]
        start = (axes @ hull.solid.center_of_mass)[:2]
        distance = np.linalg.norm(round_part - start, axis=1)
        outer = distance > 0.9 * distance.max()
        if outer.sum() < 8:
            continue
        center, radius = _ball_through(round_part[outer])
        radial = np.linalg.norm(round_part - center, axis=1)
        room = ROUNDING * hull.size
        on_side = np.abs(radial - radius) <= max(EXACT * radius, room)
        on_end = np.abs(np.abs(height) - half) <= max(EXACT * half, room)
        is_inside = radial <= radius + max(EXACT * radius, room)
        rims = (on_side & on_end & (height > 0), on_side & on_end & (height < 0))
        if (on_side | (on_end & is_inside)).all() and all(_goes_round(round_part[rim] - center) for rim in rims):
            middle = np.array([*center, 0.5 * (high + low)]) @ axes
            return Cylinder(radius=radius, half_length=float(half), **placed(middle, axes, hull.size))
    return None


def _capsule(hull: Convex) -> Capsule | None:
    for axis in axis_candidates(hull):
        axes = frame_about(axis)
        along = (hull.corners - hull.solid.center_of_mass) @ axes.T
        low, high = along[:, 2].min(), along[:, 2].max()
        radius = float(np.linalg.norm(along[:, :2], axis=1).max())
        half = 0.5 * (high - low) - radius
        if half <= EXACT * radius:
            continue
        height = along[:, 2] - 0.5 * (high + low)
        over = np.maximum(np.abs(height) - half, 0.0)
        off = np.abs(np.hypot(np.linalg.norm(along[:, :2], axis=1), over) - radius).max()
        volume = np.pi * radius**2 * (2.0 * half + 4.0 / 3.0 * radius)
        if off <= EXACT * radius and hull.solid.volume >= FULL * volume:
            middle = hull.solid.center_of_mass + 0.5 * (high + low) * axes[2]
            return Capsule(radius=radius, half_length=float(half), **placed(middle, axes, hull.size))
    return None


def _ball_through(points: np.ndarray) -> tuple[np.ndarray, float]:
    """Centre and radius of the circle or sphere that points (N, 2 or 3) lie on, by least squares."""
    middle = points.mean(axis=0)
    around = points - middle
    rows = np.column_stack([2.0 * around, np.ones(len(points))])
    solution = np.linalg.lstsq(rows, (around**2).sum(axis=1), rcond=None)[0]
    center = solution[:-1]
    return middle + center, float(np.sqrt(max(solution[-1] + center @ center, 0.0)))


def _goes_round(points: np.ndarray) -> bool:
    """True if points (N, 2) stand all around the origin without wide gaps."""
    if len(points) < 8:
        return False
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    return bool(np.diff(angles, append=angles[0] + 2.0 * np.pi).max() <= WIDEST_GAP)
