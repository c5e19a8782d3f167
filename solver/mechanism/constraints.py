# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: what holds a body, or two, apart from the joints."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from .bodies import Quaternion, Vector
from .record import Record, key, law
from .rules import Place, body_name, flag, list_of, number, quaternion, text, vector
from .table import check_over_time


@dataclass
class Constraint(Record):
    """Something that holds apart from the joints."""

    kind: ClassVar[str] = "constraint"
    name: str = key(text)
    _: KW_ONLY
    enabled: bool = key(flag, True, changeable=True)


@dataclass(kw_only=True)
class Nail(Constraint):
    """The body's point stays where it is (3 rows)."""

    type: ClassVar[str] = "nail"
    body: str = key(body_name)
    point: Vector = key(vector)


@dataclass(kw_only=True)
class Orientation(Constraint):
    """The body's orientation stays what it is (3 rows)."""

    type: ClassVar[str] = "orientation"
    body: str = key(body_name)


@dataclass(kw_only=True)
class PointToPoint(Constraint):
    """The two points stay together (3 rows). Without `body_b`, or with null, its side is the world."""

    type: ClassVar[str] = "point_to_point"
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Vector = key(vector)
    point_b: Vector = key(vector)

    @law("body_a", "body_b")
    def check_bodies(self, place: Place) -> None:
        check_different(self, place)


@dataclass(kw_only=True)
class Distance(Constraint):
    """The two points keep their distance: `distance`, or the present one (1 row)."""

    type: ClassVar[str] = "distance"
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Vector = key(vector)
    point_b: Vector = key(vector)
    distance: float | None = key(number(above=0), None, changeable=True)

    @law("body_a", "body_b")
    def check_bodies(self, place: Place) -> None:
        check_different(self, place)

    @law("distance", "point_a", "point_b")
    def check_distance(self, place: Place) -> None:
        if self.distance is None and self.point_a == self.point_b:
            (place / "distance").say("must be greater than 0, but point_a and point_b are the same point")


@dataclass(kw_only=True)
class Path(Constraint):
    """The body's point, and with `orientations` the body, moves as told, twice continuously differentiable."""

    type: ClassVar[str] = "path"
    body: str = key(body_name)
    point: Vector = key(vector)
    times: tuple[float, ...] = key(list_of(number(), at_least=1))
    positions: tuple[Vector, ...] = key(list_of(vector))
    orientations: tuple[Quaternion, ...] | None = key(list_of(quaternion), None)

    @law("times", "positions", "orientations")
    def check_times(self, place: Place) -> None:
        check_over_time(self, ("positions", "orientations"), place)


@dataclass(kw_only=True)
class Curve(Constraint):
    """The body's point is a bead that slides along the curve through `points` (2 rows)."""

    type: ClassVar[str] = "curve"
    body: str = key(body_name)
    point: Vector = key(vector)
    points: tuple[Vector, ...] = key(list_of(vector, at_least=2))
    closed: bool = key(flag, False)


def check_different(part: Any, place: Place) -> None:
    if part.body_a == part.body_b:
        place.say("joins a body to itself: body_a and body_b are the same")
