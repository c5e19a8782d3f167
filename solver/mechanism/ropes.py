# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes over wheels, from point to point, and on drums."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

import math
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
from .value_rules import Place, bodies_or_world, body_name, joint_names, list_of, number, one_of, vector


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
        return float(ways @ self.weights[len(self.weights) - 1 - len(ways) : -1])


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
    winds up its radius times what the hinge has turned since the start. `drum_ends` says at which end of the rope it
    is, otherwise the nearer one. A length that changes does so at the last point.

    `friction` has the coefficient at each of `points`, zero at both ends, and `turns` how often the rope goes round
    there besides. `slips` says how it does so while a motion goes on, over each of its `grips`: 1 towards the last
    point, -1 towards the first, 0 not; None: as if nothing rubbed. `beyond` is the length (m) from each of these to the
    last point, with what drums have there.
    """

    type: ClassVar[str] = "rope"
    MOST_POINTS: ClassVar[int] = 8
    MOST_DRUMS: ClassVar[int] = 2
    bodies: tuple[str | None, ...] = key(bodies_or_world)
    points: tuple[Vector, ...] = key(list_of(vector, at_least=2))
    drums: tuple[str, ...] = key(joint_names, ())
    radii: tuple[float, ...] = key(list_of(number()), ())
    drum_ends: tuple[str, ...] = key(list_of(one_of("first", "last")), ())
    friction: tuple[float, ...] = key(list_of(number(at_least=0)), ())
    turns: tuple[float, ...] = key(list_of(number(at_least=0)), ())
    slips: tuple[float, ...] | None = key(list_of(number()), None, in_file=False)
    beyond: tuple[float, ...] = key(list_of(number()), (), in_file=False)

    @property
    def grips(self) -> list[list[int]]:
        """The points at which it rubs: those that follow each other on one body are one grip, since it slips on all."""
        found: list[list[int]] = []
        for k, each in enumerate(self.friction):
            if each == 0.0:
                continue
            if found and set(self.bodies[found[-1][-1] : k + 1]) == {self.bodies[k]}:
                found[-1].append(k)
            else:
                found.append([k])
        return found

    def wrapped(self, point: int) -> float:
        """rad: how far it goes round at a point, besides the angle between its spans there."""
        return 2.0 * math.pi * self.turns[point] if self.turns else 0.0

    def lengths_beyond(self, places: Sequence[ArrayLike]) -> list[float]:
        """m: from each grip to the last point, of points at these places, without what is wound on drums."""
        return [self.length_between(*places[points[0] :]) for points in self.grips]

    def winds_at_last(self, hinges: Sequence[Vector]) -> list[bool]:
        """Of each drum, if it winds at the last point; `hinges` are where these are."""
        if self.drum_ends:
            return [end == "last" for end in self.drum_ends]
        places = np.reshape(hinges, (-1, 3))
        first, last = (np.linalg.norm(places - self.points[end], axis=1) for end in (0, -1))
        return (last < first).tolist()

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

    @law("drums", "radii", "drum_ends")
    def check_drums(self, place: Place) -> None:
        if len(self.drums) > self.MOST_DRUMS:
            (place / "drums").say(f"are {len(self.drums)}, and a rope winds on {self.MOST_DRUMS} at most")
        if len(self.radii) != len(self.drums):
            (place / "radii").say(f"must have one entry for each of {len(self.drums)} drums, has {len(self.radii)}")
        if len(set(self.drums)) != len(self.drums):
            (place / "drums").say("name a hinge twice")
        if 0.0 in self.radii:
            (place / "radii").say("must not be 0: the drum would wind nothing")
        if self.drum_ends and len(self.drum_ends) != len(self.drums):
            given = len(self.drum_ends)
            (place / "drum_ends").say(f"must have one entry for each of {len(self.drums)} drums, has {given}")

    @law("points", "friction", "turns", "slack", "tau")
    def check_friction(self, place: Place) -> None:
        for name in ("friction", "turns"):
            given = getattr(self, name)
            if given and len(given) != len(self.points):
                (place / name).say(f"must have one entry for each of {len(self.points)} points, has {len(given)}")
            elif given and (given[0] != 0.0 or given[-1] != 0.0):
                (place / name).say("must be 0 at the first and at the last point, where the rope is fastened")
        if self.grips and not self.slack:
            (place / "friction").say("needs slack: a rope rubs by its pull, and one that pushes has none")
        if self.grips and self.tau is not None:
            (place / "tau").say("has no meaning with friction: the rope would be drawn over its wheels")
