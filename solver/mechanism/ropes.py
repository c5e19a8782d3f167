# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes over wheels, from point to point, and on drums."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .bodies import Vector
from .constraints import Span
from .record import key, law
from .table import Number, over_time
from .value_rules import Place, bodies_or_world, body_name, joint_names, list_of, number, vector


@dataclass(kw_only=True)
class OverWheels(Span):
    """A rope over wheels, which are points: its length is the sum of its spans, each with its weight (1 row)."""

    LENGTH: ClassVar[str] = "length"
    GEOMETRY: ClassVar = ("length",)
    length: Number | None = key(over_time(number(above=0)), None, changeable=True)

    @property
    @abstractmethod
    def weights(self) -> tuple[float, ...]:
        """Of the span from each of its points to the next; 0: there is none."""

    @law("length")
    def check_course(self, place: Place) -> None:
        self.check_length(place)

    def length_between(self, *points: ArrayLike) -> float:
        ways = np.linalg.norm(np.diff(np.array(points, float), axis=0), axis=1)
        return float(ways @ self.weights[:-1])


@dataclass(kw_only=True)
class Pulley(OverWheels):
    """A rope over two wheels: |point_a - wheel_a| + ratio |point_b - wheel_b| is `length`, or the present one (1 row).

    A wheel without `wheel_body_a` or `wheel_body_b`, or with null, is fixed in the world.
    """

    type: ClassVar[str] = "pulley"
    ENDS: ClassVar = (
        ("body_a", "point_a"),
        ("wheel_body_a", "wheel_a"),
        ("body_b", "point_b"),
        ("wheel_body_b", "wheel_b"),
    )
    body_a: str = key(body_name)
    point_a: Vector = key(vector)
    wheel_a: Vector = key(vector)
    wheel_body_a: str | None = key(body_name, None, null=True)
    body_b: str = key(body_name)
    point_b: Vector = key(vector)
    wheel_b: Vector = key(vector)
    wheel_body_b: str | None = key(body_name, None, null=True)
    ratio: float = key(number(above=0), 1.0, changeable=True)

    @property
    def weights(self) -> tuple[float, ...]:
        return 1.0, 0.0, self.ratio, 0.0

    @law("body_a", "wheel_body_a")
    def check_side_a(self, place: Place) -> None:
        self._check_side(place, "a")

    @law("body_b", "wheel_body_b")
    def check_side_b(self, place: Place) -> None:
        self._check_side(place, "b")

    def _check_side(self, place: Place, side: str) -> None:
        if getattr(self, f"body_{side}") == getattr(self, f"wheel_body_{side}"):
            place.say(f"ties a body to its own wheel: body_{side} and wheel_body_{side} are the same")

    @law("point_a", "wheel_a")
    def check_span_a(self, place: Place) -> None:
        self._check_span(place, "a")

    @law("point_b", "wheel_b")
    def check_span_b(self, place: Place) -> None:
        self._check_span(place, "b")

    def _check_span(self, place: Place, side: str) -> None:
        if getattr(self, f"point_{side}") == getattr(self, f"wheel_{side}"):
            (place / f"point_{side}").say(f"is the same point as wheel_{side}, so that the rope has no direction there")


@dataclass(kw_only=True)
class Rope(OverWheels):
    """A rope from point to point: the way along them, and what its drums wind up, is `length` or the present one.

    `bodies` has the body of each of `points`, None for one in the world. A drum is the child of a hinge of `drums`: it
    winds up its radius times what the hinge has turned since the start.
    """

    type: ClassVar[str] = "rope"
    MOST_POINTS: ClassVar[int] = 8
    MOST_DRUMS: ClassVar[int] = 2
    bodies: tuple[str | None, ...] = key(bodies_or_world)
    points: tuple[Vector, ...] = key(list_of(vector, at_least=2))
    drums: tuple[str, ...] = key(joint_names, ())
    radii: tuple[float, ...] = key(list_of(number()), ())

    @property
    def end_bodies(self) -> list[str | None]:
        return list(self.bodies)

    @property
    def end_points(self) -> list[Vector]:
        return list(self.points)

    def with_end_points(self, places: Sequence[ArrayLike]) -> Self:
        return replace(self, points=tuple(map(tuple, places)))

    @property
    def weights(self) -> tuple[float, ...]:
        return (*(1.0 for _ in self.points[1:]), 0.0)

    @law("bodies", "points")
    def check_points(self, place: Place) -> None:
        if len(self.points) > self.MOST_POINTS:
            (place / "points").say(f"are {len(self.points)}, and a rope has {self.MOST_POINTS} at most")
        if len(self.bodies) != len(self.points):
            (place / "bodies").say(f"must have one entry for each of {len(self.points)} points, has {len(self.bodies)}")
        elif all(name is None for name in self.bodies):
            (place / "bodies").say("are all the world: a rope holds at least one body")
        for k, (here, there) in enumerate(pairwise(self.points)):
            if here == there:
                (place / "points" / (k + 1)).say(f"is the same as points[{k}], so that the rope has no direction there")

    @law("drums", "radii")
    def check_drums(self, place: Place) -> None:
        if len(self.drums) > self.MOST_DRUMS:
            (place / "drums").say(f"are {len(self.drums)}, and a rope winds on {self.MOST_DRUMS} at most")
        if len(self.radii) != len(self.drums):
            (place / "radii").say(f"must have one entry for each of {len(self.drums)} drums, has {len(self.radii)}")
        if len(set(self.drums)) != len(self.drums):
            (place / "drums").say("name a hinge twice")
        if 0.0 in self.radii:
            (place / "radii").say("must not be 0: the drum would wind nothing")
