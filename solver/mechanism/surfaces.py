# SPDX-License-Identifier: GPL-3.0-or-later
"""Smooth surfaces that a contact joint lets ride on each other, placed in the frames of their bodies; and terrain:
uneven ground for supports and tyres, as heights on a regular grid."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..subdivision.cage import Cage, CageError, edge
from ..subdivision.limit import prepared
from .bodies import IDENTITY, ZERO, Quaternion, Vector
from .record import Record, key, law, record_by_type
from .value_rules import (
    SMALLEST,
    Place,
    are_numbers,
    either,
    entries_of,
    flag,
    index,
    list_of,
    number,
    positive_vector,
    quaternion,
    shown,
    text,
    vector,
)

_heights = list_of(list_of(number(), at_least=2), at_least=2)
_spacing = list_of(number(above=0), count=2, what="a list of 2 numbers")

_positive = number(above=0)
_NO_AREA = 1e-9  # of the longest way across: width of a net that is none
_grid_of_vectors = list_of(list_of(vector, at_least=2), at_least=2)
_grid_of_numbers = list_of(list_of(_positive, at_least=2), at_least=2)
_two_points = list_of(index, count=2)


def _crease(value: Any, place: Place) -> Any:
    """Two points, and a sharpness if there is one."""
    entries = entries_of(value)
    if entries is None or len(entries) != 3:
        return _two_points(value, place)
    return *_two_points(entries[:2], place), _positive(entries[2], place / 2)


def _sharp_point(value: Any, place: Place) -> Any:
    """A point and its sharpness."""
    entries = entries_of(value)
    if len(entries) != 2:
        place.say(f"must be a point, or a point and its sharpness, is {shown(value)}")
        return value
    return index(entries[0], place / 0), _positive(entries[1], place / 1)


_corner = either(index, _sharp_point)
HIGHEST_DEGREE = 9  # of patches: in powers of the parameter, rounding grows threefold with each degree
_closed = list_of(flag, count=2, what="[true or false, true or false]")


def _degree(value: Any, place: Place) -> Any:
    """A whole number, from 1 to HIGHEST_DEGREE."""
    before, value = place.count, index(value, place)
    if place.count == before and not (isinstance(value, int) and 1 <= value <= HIGHEST_DEGREE):
        place.say(f"must be from 1 to {HIGHEST_DEGREE}, is {shown(value)}")
    return value


_degrees = list_of(_degree, count=2, what="a list of 2 whole numbers")


@dataclass(kw_only=True)
class Smooth(Record):
    """A smooth surface. The other body is on its outer side; with `inside` it is on the inner one, as in a bowl."""

    kind: ClassVar[str] = "surface"
    position: Vector = key(vector, ZERO)
    orientation: Quaternion = key(quaternion, IDENTITY)
    inside: bool = key(flag, False)


@dataclass(kw_only=True)
class SmoothPlane(Smooth):
    """The plane of local X and Y, with Z as its outer side; `half_size` if it has edges."""

    type: ClassVar[str] = "plane"
    half_size: tuple[float, float] | None = key(list_of(_positive, count=2, what="a list of 2 numbers"), None)


@dataclass(kw_only=True)
class SmoothSphere(Smooth):
    """A ball of `radius` (m)."""

    type: ClassVar[str] = "sphere"
    radius: float = key(_positive)


@dataclass(kw_only=True)
class SmoothEllipsoid(Smooth):
    """An ellipsoid of `half_axes` (m) along its own axes."""

    type: ClassVar[str] = "ellipsoid"
    half_axes: Vector = key(positive_vector)


@dataclass(kw_only=True)
class SmoothTorus(Smooth):
    """A tube of `tube_radius` around a ring of `ring_radius` about local Z."""

    type: ClassVar[str] = "torus"
    ring_radius: float = key(_positive)
    tube_radius: float = key(_positive)

    @law("ring_radius", "tube_radius")
    def check_hole(self, place: Place) -> None:
        if not self.tube_radius < self.ring_radius:
            (place / "tube_radius").say("must be smaller than ring_radius, or the tube meets itself")


@dataclass(kw_only=True)
class SmoothCylinder(Smooth):
    """A cylinder about local Z, endless or of a `half_length`."""

    type: ClassVar[str] = "cylinder"
    radius: float = key(_positive)
    half_length: float | None = key(_positive, None)


@dataclass(kw_only=True)
class SmoothPatches(Smooth):
    """Bezier patches side by side, of `degree` (p along u, q along v), cubic ones without; `weights` if rational.

    There are p m + 1 rows of q n + 1 control points, rows along v. The outer side is that of u x v. A surface that is
    `closed` along u or v has the same points at both of its ends.
    """

    type: ClassVar[str] = "patches"
    points: tuple[tuple[Vector, ...], ...] = key(_grid_of_vectors)
    weights: tuple[tuple[float, ...], ...] | None = key(_grid_of_numbers, None)
    closed: tuple[bool, bool] = key(_closed, (False, False))
    degree: tuple[int, int] = key(_degrees, (3, 3))

    @law("points", "degree")
    def check_grid(self, place: Place) -> None:
        rows, (p, q) = {len(row) for row in self.points}, self.degree
        if len(rows) > 1:
            (place / "points").say(f"must have rows of one length, has rows of {min(rows)} and of {max(rows)}")
        elif (len(self.points) - 1) % p or (min(rows) - 1) % q:
            counts = f" ({p + 1}, {2 * p + 1}, {3 * p + 1}, ...)" if p == q else ""
            (place / "points").say(
                f"must be {p} m + 1 rows of {q} n + 1 points{counts}, has {len(self.points)} of {min(rows)}"
            )
        elif not _has_area(self.points):
            (place / "points").say("must span an area, but they all lie on a line, or are one point")

    @law("points", "weights")
    def check_weights(self, place: Place) -> None:
        if self.weights is not None and [len(row) for row in self.weights] != [len(row) for row in self.points]:
            (place / "weights").say("must be a grid like that of points")

    @law("points", "closed")
    def check_ends(self, place: Place) -> None:
        across = self.points[0], self.points[-1]
        along = [row[0] for row in self.points], [row[-1] for row in self.points]
        for name, is_closed, (first, last) in zip("uv", self.closed, (across, along), strict=True):
            if is_closed and any(not _is_same(a, b) for a, b in zip(first, last, strict=False)):
                (place / "closed").say(f"says that it is closed along {name}, but its points differ at both ends")


@dataclass(kw_only=True)
class SmoothSubdivision(Smooth):
    """The limit surface that Catmull and Clark's subdivision has of a cage: `points` (V, 3) m and `faces` of them.

    The outer side is that from which the points of a face run counterclockwise. `creases`: edges that stay sharp;
    `corners`: points that do, as do, with `keep_corners`, those of a single face. With a sharpness behind the points
    (below `subdivision.cage.ENDLESS`) they are semi-sharp: round in the end.
    """

    type: ClassVar[str] = "subdivision"
    points: tuple[Vector, ...] = key(list_of(vector, at_least=3))
    faces: tuple[tuple[int, ...], ...] = key(list_of(list_of(index, at_least=3), at_least=1))
    creases: tuple[tuple[int, int] | tuple[int, int, float], ...] = key(list_of(_crease), ())
    corners: tuple[int | tuple[int, float], ...] = key(list_of(_corner), ())
    keep_corners: bool = key(flag, True)

    @law("points", "faces", "creases", "corners", "keep_corners")
    def check_cage(self, place: Place) -> None:
        largest = max((*(k for face in self.faces for k in face), *(k for pair in self.creases for k in pair[:2]),
                       *self.sharp_points()))  # fmt: skip
        if largest >= len(self.points):
            (place / "faces").say(f"and creases and corners name point {largest}, but there are {len(self.points)}")
            return
        try:
            self.prepared()
        except CageError as error:
            place.say(str(error))

    def sharp_edges(self) -> dict[tuple[int, int], float]:
        """Sharpness of each crease, infinite where none is given."""
        return {edge(*each[:2]): each[2] if len(each) > 2 else math.inf for each in self.creases}

    def sharp_points(self) -> dict[int, float]:
        """The same of each corner that is named."""
        return dict(each if isinstance(each, tuple) else (each, math.inf) for each in self.corners)

    def prepared(self) -> tuple[Cage, np.ndarray]:
        """(cage, points (V, 3) m) whose limit is the same, refined until `limit` takes it. Raises CageError."""
        sharp, corners = tuple(self.sharp_edges().items()), tuple(self.sharp_points().items())
        return _prepared(self.points, self.faces, sharp, corners, self.keep_corners)


def _has_area(points: tuple[tuple[Vector, ...], ...]) -> bool:
    ways = np.array(points, float).reshape(-1, 3)
    ways -= ways[0]
    lengths = np.linalg.norm(ways, axis=1)
    along = ways[np.argmax(lengths)] / max(lengths.max(), SMALLEST)
    return np.linalg.norm(np.cross(ways, along), axis=1).max() > _NO_AREA * lengths.max()


def _is_same(a: Vector, b: Vector) -> bool:
    if not (are_numbers(a, 3) and are_numbers(b, 3)):
        return True
    size = max(1e-300, *(abs(x) for x in (*a, *b)))
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) <= 1e-6 * size


@functools.lru_cache(maxsize=8)
def _prepared(points, faces, sharp, corners, keep_corners) -> tuple[Cage, np.ndarray]:
    return prepared(Cage(faces, dict(sharp), dict(corners), keep_corners), np.array(points, float))


surface = record_by_type(
    SmoothPlane, SmoothSphere, SmoothEllipsoid, SmoothTorus, SmoothCylinder, SmoothPatches, SmoothSubdivision
)


@dataclass(kw_only=True)
class Terrain(Record):
    """Heights (m) over `origin`: rows along X, one after the other along Y, `spacing` (m) apart along X and Y.

    They are the control points of a uniform bicubic B-spline, whose second derivatives are continuous. It stays between
    the heights around it, so that a kerb does not ring, and through a curved row of them it runs inside, by a sixth of
    their second difference. Beyond the edge the ground goes on level across it.
    """

    kind: ClassVar[str] = "terrain"
    name: str = key(text)
    heights: tuple[tuple[float, ...], ...] = key(_heights)
    origin: Vector = key(vector, ZERO)
    spacing: tuple[float, float] = key(_spacing)

    @law("heights")
    def check_grid(self, place: Place) -> None:
        lengths = {len(row) for row in self.heights}
        if len(lengths) > 1:
            (place / "heights").say(f"must have rows of one length, has rows of {min(lengths)} and of {max(lengths)}")
