# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes for contact around a mesh: the chosen kind as small as it can be, and a margin that is added or taken away."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Mesh, Shape, Sphere
from .convex import Convex, convex
from .mass_properties import NoVolumeError, boundary_is_empty
from .rounding import settled, settled_turn
from .shape_recognition import ROUNDING, axis_candidates, frame_about, placed, recognise

SHORTEST = 1e-3
"""Half length, as a part of the radius, of a capsule around something that is no longer than thick."""
PREFERENCE = 1.02
"""How much better an axis must fit than the object's own ones."""

Corners = np.ndarray
Fit = Callable[[Convex], Shape]


class ShrunkAwayError(ValueError):
    """A negative margin leaves nothing of a shape."""


def smallest(kind: str, points: np.ndarray) -> Shape:
    """The BOX, SPHERE, CAPSULE, CYLINDER or HULL around points (N, 3).

    If the points make such a shape, it is that one. Otherwise a box keeps to the axes, the rest stands about the
    middle, and a capsule is as long and as thick as the points, its round ends within. Raises NoVolumeError if they
    lie in a plane.
    """
    hull = convex(points)
    if kind == "HULL":
        return Hull(points=hull.corners)
    wanted, fit = SMALLEST[kind]
    found = recognise(hull)
    return found if isinstance(found, wanted) else fit(hull)


def automatic(points: np.ndarray, triangles: np.ndarray, may_be_mesh: bool) -> Shape:
    """The shape that a mesh is; otherwise its hull. With `may_be_mesh` one that is not its own hull stays a mesh.

    Raises NoVolumeError if it is flat and may not be a mesh.
    """
    try:
        hull = convex(points[np.unique(triangles)])
    except NoVolumeError:
        if may_be_mesh:
            return mesh(points, triangles)
        raise
    if may_be_mesh and not hull.holds_surface(points, triangles, 1e-3 * hull.size):
        return mesh(points, triangles)
    return recognise(hull) or Hull(points=hull.corners)


def mesh(points: np.ndarray, triangles: np.ndarray) -> Mesh:
    """The triangles themselves, without those that have no area. Raises NoVolumeError if there are none."""
    triangles = with_area(points, triangles)
    if len(triangles) == 0:
        raise NoVolumeError("has no faces")
    used, numbers = np.unique(triangles, return_inverse=True)
    return Mesh(points=points[used].tolist(), triangles=numbers.reshape(-1, 3).tolist())


def with_area(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Those of the triangles (T, 3) that have an area."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    doubled = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    longest = np.max([np.linalg.norm(x - y, axis=1) for x, y in ((a, b), (b, c), (c, a))], axis=0, initial=0.0)
    return triangles[doubled > ROUNDING * longest**2]


def _box(hull: Convex) -> Box:
    low, high = hull.corners.min(axis=0), hull.corners.max(axis=0)
    return Box(half_size=0.5 * (high - low), **placed(0.5 * (low + high), np.eye(3), hull.size))


def _sphere(hull: Convex) -> Sphere:
    middle = 0.5 * (hull.corners.min(axis=0) + hull.corners.max(axis=0))
    radius = np.linalg.norm(hull.corners - middle, axis=1).max()
    return Sphere(radius=float(radius), **placed(middle, np.eye(3), hull.size))


def _about(hull: Convex, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Frame (rows) about an axis, middle in it, and the corners' radius and height from there."""
    axes = frame_about(axis)
    along = hull.corners @ axes.T
    middle = 0.5 * (along.min(axis=0) + along.max(axis=0))
    return axes, middle @ axes, np.linalg.norm(along[:, :2] - middle[:2], axis=1), along[:, 2] - middle[2]


def _cylinder(hull: Convex) -> Cylinder:
    def about(axis: np.ndarray) -> tuple[float, Cylinder]:
        axes, middle, radial, height = _about(hull, axis)
        radius, half = float(radial.max()), float(height.max())
        return radius**2 * half, Cylinder(radius=radius, half_length=half, **placed(middle, axes, hull.size))

    return _tightest(hull, about)


def _capsule(hull: Convex) -> Capsule:
    def about(axis: np.ndarray) -> tuple[float, Capsule]:
        axes, middle, radial, height = _about(hull, axis)
        radius = float(radial.max())
        half = max(float(height.max()) - radius, SHORTEST * radius)
        volume = radius**2 * (half + 2.0 / 3.0 * radius)
        return volume, Capsule(radius=radius, half_length=half, **placed(middle, axes, hull.size))

    return _tightest(hull, about)


def _tightest(hull: Convex, about: Callable[[np.ndarray], tuple[float, Shape]]) -> Shape:
    """The one with the least volume among those about the axes, upright rather than lying if it makes no difference."""
    found = [about(axis) for axis in np.eye(3)[::-1]]
    found += [(PREFERENCE * volume, shape) for volume, shape in map(about, axis_candidates(hull))]
    least = min(volume for volume, _ in found)
    return next(shape for volume, shape in found if volume <= least * (1.0 + 1e-6))


SIZES = "radius", "half_length", "half_size", "points"
SMALLEST: dict[str, tuple[type[Shape], Fit]] = {
    "BOX": (Box, _box),
    "SPHERE": (Sphere, _sphere),
    "CYLINDER": (Cylinder, _cylinder),
    "CAPSULE": (Capsule, _capsule),
}


def grown(shape: Shape, margin: float) -> Shape:
    """The shape whose surface stands that much farther out, or in if it is negative. Raises ShrunkAwayError."""
    if margin == 0.0:
        return shape
    place = {"position": shape.position, "orientation": shape.orientation}
    match shape:
        case Box():
            return Box(half_size=tuple(_left(half + margin) for half in shape.half_size), **place)
        case Sphere():
            return Sphere(radius=_left(shape.radius + margin), **place)
        case Capsule():
            return Capsule(radius=_left(shape.radius + margin), half_length=shape.half_length, **place)
        case Cylinder():
            radius, half = _left(shape.radius + margin), _left(shape.half_length + margin)
            return Cylinder(radius=radius, half_length=half, **place)
        case Hull():
            return Hull(points=_moved_facets(np.array(shape.points), margin), **place)
        case _:
            points, triangles = np.array(shape.points), np.array(shape.triangles)
            moved = points + margin * _normals(points, triangles)
            is_closed = boundary_is_empty(triangles)
            if is_closed and _volume(points, triangles) * _volume(moved, triangles) < 0.0:  # turned inside out
                raise ShrunkAwayError
            return Mesh(points=moved.tolist(), triangles=shape.triangles)


def _volume(points: np.ndarray, triangles: np.ndarray) -> float:
    """The volume that triangles enclose; below zero if they look inwards."""
    a, b, c = (points[triangles[:, i]] - points[0] for i in range(3))
    return float(np.sum(a * np.cross(b, c))) / 6.0


def _left(length: float) -> float:
    if length <= 0.0:
        raise ShrunkAwayError
    return length


def _moved_facets(points: np.ndarray, margin: float) -> list[list[float]]:
    """Corners of a hull whose facets have been moved outwards."""
    from scipy.spatial import HalfspaceIntersection

    hull = convex(points)
    middle = hull.solid.center_of_mass
    planes = np.column_stack([hull.normals, -hull.offsets - margin])
    if not (planes @ [*middle, 1.0] < -ROUNDING * hull.size).all():
        raise ShrunkAwayError
    corners = convex(HalfspaceIntersection(planes, middle).intersections).corners
    return _without_twins(corners, ROUNDING * hull.size).tolist()


def _without_twins(points: np.ndarray, tolerance: float) -> np.ndarray:
    """The points without those that repeat an earlier one."""
    _, first = np.unique(np.round(points / (4.0 * tolerance)), axis=0, return_index=True)
    return points[np.sort(first)]


def _normals(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Unit normals (N, 3) at the points, the mean of the faces around, weighted by their areas."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    doubled = np.cross(b - a, c - a)
    sums = np.zeros_like(points)
    for i in range(3):
        np.add.at(sums, triangles[:, i], doubled)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return sums / np.where(length > 0.0, length, 1.0)


def corners_of_box(half_size: np.ndarray) -> np.ndarray:
    """The eight corners (8, 3) about the origin, Z running fastest."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * np.asarray(half_size)


def in_settled_numbers(shape: Shape) -> Shape:
    """The shape to 1e-10 of its size, whatever library's sums it has come from."""
    sizes = {name: value for name in SIZES if (value := getattr(shape, name, None)) is not None}
    size = max(float(np.abs(value).max()) for value in (*sizes.values(), np.array(shape.position)))
    told = {name: settled(value, size).tolist() for name, value in sizes.items()}
    told = {name: _as_tuples(value) for name, value in told.items()}
    place = {"position": tuple(settled(shape.position, size).tolist()), "orientation": settled_turn(shape.orientation)}
    return replace(shape, **told, **place)


def _as_tuples(value: float | list) -> float | tuple:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
