# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints: what holds a body, or two, apart from the joints; `model.closures` chooses their rows."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from .bodies import IDENTITY, Keys, Quaternion, Vector, check_different
from .joint_types import AXES, TRAVELS, TURNS
from .keyed_motion import course, sample_led
from .record import Record, key, law
from .table import Number, Table, check_over_time, over_time
from .value_rules import Place, body_name, flag, joint_name, list_of, number, one_of, quaternion, text, vector

Frame = tuple[Vector, Quaternion]
ALIGN = "tangent", "up"
SIDES = "outside", "inside", "left", "right"
_NO_AREA = 1e-9  # of the square of a profile's size


@dataclass
class Constraint(Record):
    """Something that holds apart from the joints."""

    kind: ClassVar[str] = "constraint"
    GEOMETRY: ClassVar[tuple[str, ...]] = ()  # keys that move what it holds when an action sets them
    ENDS: ClassVar[tuple[tuple[str, str | None], ...]] = ()  # keys of each body that is held, and of its point
    MAY_WAIT: ClassVar[bool] = False  # its two ends may come near each other
    name: str = key(text)
    _: KW_ONLY
    enabled: bool = key(flag, True, changeable=True)
    tau: float | None = key(number(above=0), None, changeable=True)
    within: float | None = key(number(above=0), None, changeable=True)
    force: float | None = key(number(above=0), None, changeable=True)

    @law("within")
    def check_within(self, place: Place) -> None:
        if self.within is not None and not self.MAY_WAIT:
            (place / "within").say(f"has no meaning for a {self.type}, which has no two points that may come near")

    @property
    def end_bodies(self) -> list[str | None]:
        """Names of the bodies at its ends; None is the world."""
        return [getattr(self, body) for body, _ in self.ENDS]

    @property
    def end_points(self) -> list[Vector]:
        """The points at its ends that have one, as drawn (m)."""
        return [getattr(self, point) for _, point in self.ENDS if point is not None]

    def with_end_points(self, places: Sequence[ArrayLike]) -> Self:
        """The same with the points of its ends elsewhere (m)."""
        return replace(self, **dict(zip((point for _, point in self.ENDS if point), places, strict=True)))

    @property
    def guide(self) -> Keys | None:
        """The motion of the frame that leads it; None if nothing does."""
        return None


@dataclass(kw_only=True)
class Span(Constraint):
    """A constraint that keeps a length, which is the present one if it is not given; a slack one does not push."""

    LENGTH: ClassVar[str]  # its key
    slack: bool = key(flag, False)

    @law("slack", "within")
    def check_slack(self, place: Place) -> None:
        if self.slack and self.within is not None:
            (place / "within").say("has no meaning for what may hang slack: it takes hold where its length is reached")

    @property
    def given_length(self) -> Number | None:
        """m, or None."""
        return getattr(self, self.LENGTH)

    @property
    def drawn_length(self) -> float:
        """The length (m) that it has at the start: its own, or that between its points as drawn."""
        if self.given_length is None:
            return self.length_between(*self.end_points)
        return self.length_at(0.0)[0]

    def length_at(self, time: float) -> tuple[float, float]:
        """The given length (m) at a time (s), and its rate (m/s)."""
        if not isinstance(self.given_length, Table):
            return float(self.given_length), 0.0
        length, rate, *_ = sample_led(self.given_length, np.full(1, time))
        return float(np.ravel(length)[0]), float(np.ravel(rate)[0])

    def check_length(self, place: Place) -> None:
        """Say where the curve through a length's table is no length."""
        if not isinstance(self.given_length, Table):
            return
        found = course(self.given_length)
        if found is None:
            (place / self.LENGTH).say("has points that are too close together for a smooth curve")
        elif not found[1].min() > 0.0:
            k = int(np.argmin(found[1]))
            where = f"{found[1][k]:g} at {found[0][k]:g} s"
            (place / self.LENGTH).say(f"must stay above 0, but as a smooth curve it is {where}")

    @abstractmethod
    def length_between(self, *points: ArrayLike) -> float:
        """The length (m) between points in the order of `end_points`."""


@dataclass(kw_only=True)
class PointPair(Constraint):
    """A constraint of one row between a point of a body and one of another, or of the world: it tells its kind itself.

    The law of the row is in `dynamics.loops.point_rows`, and for Snap Together in `assembly.rows.BETWEEN_POINTS`; all
    else is derived.
    """

    ROW: ClassVar[str]  # the name of the kind, a `model.arrays.RowKind`
    GEOMETRY: ClassVar = ("point_a", "point_b")
    ENDS: ClassVar = (("body_a", "point_a"), ("body_b", "point_b"))
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Vector = key(vector, changeable=True)
    point_b: Vector = key(vector, changeable=True)

    @property
    def row_number(self) -> float:
        """The number that its row has at the start, such as a length (m)."""
        return 0.0


@dataclass(kw_only=True)
class FrameConstraint(Constraint):
    """A constraint between a frame on a body and one on another, or in the world: it tells itself what it holds.

    A travel is held along an axis of the frame that it is held to, a turn is free about one; axes x, y, z as 0, 1, 2.
    Of two free turns the first is about that frame's axis, the second about one of the body's own, in an order such
    that the locked axis comes third. Its rows, its part in Snap Together and the way it follows bodies are derived.
    """

    locked_travels: ClassVar[tuple[int, ...]] = ()
    free_turns: ClassVar[tuple[int, ...]] = (0, 1, 2)

    @property
    @abstractmethod
    def sides(self) -> tuple[Frame, Frame]:
        """Point (m) and orientation of the frame that it is held to (the last of ENDS), and of its body's, as drawn."""

    @property
    def held_bodies(self) -> list[str | None]:
        """Names of the bodies that have these frames; None is the world."""
        return self.end_bodies[::-1]

    @abstractmethod
    def with_sides(self, held_to: Frame, held: Frame) -> Self:
        """The same constraint between frames elsewhere."""


@dataclass(kw_only=True)
class Nail(Constraint):
    """The body's point stays where it is (3 rows), in the world or on another body.

    An action that sets `place` moves it there, in the world at that time.
    """

    type: ClassVar[str] = "nail"
    GEOMETRY: ClassVar = ("place",)
    ENDS: ClassVar = (("body", "point"),)
    body: str = key(body_name)
    point: Vector = key(vector)
    to: str | None = key(body_name, None, null=True)
    place: Vector | None = key(vector, None, only_by_action=True)

    @property
    def end_bodies(self) -> list[str | None]:
        return _with_other(self)

    @law("body", "to")
    def check_other(self, place: Place) -> None:
        _check_other(self, place)


@dataclass(kw_only=True)
class Orientation(Constraint):
    """The body's orientation stays what it is (3 rows), in the world or to another body."""

    type: ClassVar[str] = "orientation"
    ENDS: ClassVar = (("body", None),)
    body: str = key(body_name)
    to: str | None = key(body_name, None, null=True)

    @property
    def end_bodies(self) -> list[str | None]:
        return _with_other(self)

    @law("body", "to")
    def check_other(self, place: Place) -> None:
        _check_other(self, place)


@dataclass(kw_only=True)
class PointToPoint(FrameConstraint):
    """The two points stay together (3 rows). Without `body_b`, or with null, its side is the world."""

    type: ClassVar[str] = "point_to_point"
    MAY_WAIT: ClassVar[bool] = True
    GEOMETRY: ClassVar = ("point_a", "point_b")
    ENDS: ClassVar = (("body_a", "point_a"), ("body_b", "point_b"))
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Vector = key(vector, changeable=True)
    point_b: Vector = key(vector, changeable=True)
    locked_travels = (0, 1, 2)

    @property
    def sides(self) -> tuple[Frame, Frame]:
        return (self.point_b, IDENTITY), (self.point_a, IDENTITY)

    def with_sides(self, held_to: Frame, held: Frame) -> Self:
        return replace(self, point_a=held[0], point_b=held_to[0])

    @law("body_a", "body_b")
    def check_bodies(self, place: Place) -> None:
        check_different(self, place)


@dataclass(kw_only=True)
class Distance(PointPair, Span):
    """The two points keep their distance: `distance`, or the present one (1 row)."""

    type: ClassVar[str] = "distance"
    ROW: ClassVar[str] = "DISTANCE"
    MAY_WAIT: ClassVar[bool] = True
    LENGTH: ClassVar[str] = "distance"
    GEOMETRY: ClassVar = ("point_a", "point_b", "distance")
    distance: Number | None = key(over_time(number(above=0)), None, changeable=True)

    @law("body_a", "body_b")
    def check_bodies(self, place: Place) -> None:
        check_different(self, place)

    @law("distance", "point_a", "point_b")
    def check_distance(self, place: Place) -> None:
        if self.distance is None and self.point_a == self.point_b:
            (place / "distance").say("must be greater than 0, but point_a and point_b are the same point")

    @law("distance")
    def check_course(self, place: Place) -> None:
        self.check_length(place)

    @property
    def row_number(self) -> float:
        return self.drawn_length

    def length_between(self, a: ArrayLike, b: ArrayLike) -> float:
        return float(np.linalg.norm(np.subtract(b, a)))


@dataclass(kw_only=True)
class Path(Constraint):
    """The body's point, and with `orientations` the body, moves as told, twice continuously differentiable."""

    type: ClassVar[str] = "path"
    GEOMETRY: ClassVar = ("times", "positions", "orientations")
    ENDS: ClassVar = (("body", "point"),)
    body: str = key(body_name)
    point: Vector = key(vector)
    times: tuple[float, ...] = key(list_of(number(), at_least=1), changeable=True)
    positions: tuple[Vector, ...] = key(list_of(vector), changeable=True)
    orientations: tuple[Quaternion, ...] | None = key(list_of(quaternion), None, changeable=True)

    @property
    def guide(self) -> Keys:
        return Keys(self.times, self.positions, self.orientations or (IDENTITY,) * len(self.times))

    @law("times", "positions", "orientations")
    def check_times(self, place: Place) -> None:
        check_over_time(self, ("positions", "orientations"), place)


@dataclass(kw_only=True)
class Generic(FrameConstraint):
    """A frame on `body_a` keeps to one on `body_b` along, and about, the axes that are `locked` (1 row each).

    Without `body_b`, or with null, its frame is the world's, or moves there as `times` tell. The axes are those of its
    frame; of a single locked turn the others are those of a universal joint. Its sides are both one frame, as drawn,
    where nothing else is given.
    """

    type: ClassVar[str] = "generic"
    GEOMETRY: ClassVar = (
        "point_a", "point_b", "orientation_a", "orientation_b", "locked", "times", "positions", "orientations",
    )  # fmt: skip
    ENDS: ClassVar = (("body_a", "point_a"), ("body_b", "point_b"))
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Vector = key(vector, changeable=True)
    point_b: Vector | None = key(vector, None, changeable=True)
    orientation_a: Quaternion | None = key(quaternion, None, changeable=True)
    orientation_b: Quaternion = key(quaternion, IDENTITY, changeable=True)
    locked: tuple[str, ...] = key(list_of(one_of(*AXES)), changeable=True)
    times: tuple[float, ...] | None = key(list_of(number(), at_least=1), None, changeable=True)
    positions: tuple[Vector, ...] | None = key(list_of(vector), None, changeable=True)
    orientations: tuple[Quaternion, ...] | None = key(list_of(quaternion), None, changeable=True)

    @property
    def locked_travels(self) -> tuple[int, ...]:
        """Along which axes of body_b's frame, x, y, z as 0, 1, 2, it holds."""
        return tuple(k for k, name in enumerate(TRAVELS) if name in self.locked)

    @property
    def free_turns(self) -> tuple[int, ...]:
        """About which of them it does not: of two y and z, z and x, or x and y."""
        free = [name not in self.locked for name in TURNS]
        if sum(free) == 2:
            locked = free.index(False)
            return (locked + 1) % 3, (locked + 2) % 3
        return tuple(k for k in range(3) if free[k])

    @property
    def sides(self) -> tuple[Frame, Frame]:
        own = self.orientation_b if self.orientation_a is None else self.orientation_a
        return (self.point_a if self.point_b is None else self.point_b, self.orientation_b), (self.point_a, own)

    def with_sides(self, held_to: Frame, held: Frame) -> Self:
        own = {"point_a": held[0], "orientation_a": held[1]}
        return replace(self, **own, point_b=held_to[0], orientation_b=held_to[1])

    @property
    def end_points(self) -> list[Vector]:
        return [place for place, _ in reversed(self.sides)]

    @property
    def guide(self) -> Keys | None:
        if self.times is None:
            return None
        (place, turn), _ = self.sides
        count = len(self.times)
        return Keys(self.times, self.positions or (place,) * count, self.orientations or (turn,) * count)

    @law("body_a", "body_b")
    def check_bodies(self, place: Place) -> None:
        check_different(self, place)

    @law("locked")
    def check_locked(self, place: Place) -> None:
        if not self.locked:
            (place / "locked").say(f"must name an axis: with all six free it holds nothing; they are {', '.join(AXES)}")
        for i, name in enumerate(self.locked):
            if name in self.locked[:i]:
                (place / "locked" / i).say(f"repeats {name}")

    @law("times", "positions", "orientations", "body_b")
    def check_times(self, place: Place) -> None:
        if self.times is None:
            for name in ("positions", "orientations"):
                if getattr(self, name) is not None:
                    (place / name).say("needs times, one for each entry")
            return
        if self.positions is None and self.orientations is None:
            (place / "times").say("needs positions or orientations, one for each time")
        if self.body_b is not None:
            (place / "times").say("leads the frame in the world: leave out body_b")
        check_over_time(self, ("positions", "orientations"), place)


@dataclass(kw_only=True)
class Curve(Constraint):
    """The body's point is a bead that slides along the curve through `points` (2 rows), fixed in the world or on `to`.

    With `align` the body turns with the curve: the x axis of its frame, which `orientation` tells as drawn, keeps along
    the curve (2 rows more), and with "up" its z axis is as near to the up direction as that lets it (1 more). There is
    one of these, in the axes of the drawing, or one at each point; between the points it is a spline too.

    With `one_sided` the curve is the profile of a cam (1 row): it pushes the body's point, the centre of a roller of
    this `radius`, to one side, and never pulls. It is flat, seen along `axis`, and the point may go along that. Of a
    closed one the side is its outside or its inside, of an open one left or right of its way, seen against the axis.
    It strikes with this `restitution`.
    """

    type: ClassVar[str] = "curve"
    ENDS: ClassVar = (("body", "point"),)
    body: str = key(body_name)
    point: Vector = key(vector)
    to: str | None = key(body_name, None, null=True)
    points: tuple[Vector, ...] = key(list_of(vector, at_least=2))
    closed: bool = key(flag, False)
    align: str | None = key(one_of(*ALIGN), None)
    orientation: Quaternion = key(quaternion, IDENTITY)
    up: tuple[Vector, ...] = key(list_of(vector, at_least=1), ((0.0, 0.0, 1.0),))
    one_sided: str | None = key(one_of(*SIDES), None)
    radius: float = key(number(at_least=0), 0.0)
    axis: Vector | None = key(vector, None)
    restitution: float = key(number(at_least=0, at_most=1), 0.0, changeable=True)

    @property
    def end_bodies(self) -> list[str | None]:
        return _with_other(self)

    def is_along(self, direction: Vector) -> bool:
        """True if the curve is a straight line in this direction."""
        ways = np.subtract(self.points[1:], self.points[0])
        across = np.linalg.norm(np.cross(ways, direction), axis=1).max()
        return bool(across <= 1e-9 * np.linalg.norm(direction) * np.linalg.norm(ways, axis=1).max())

    @property
    def profile(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of a cam: origin (3,), axes (3, 3) as columns, as drawn, and points (n, 3) in them, where z is 0.

        (tangent) x z is the normal on the side that pushes.
        """
        points = np.array(self.points, float)
        origin = np.zeros(3) if self.to is None else points.mean(axis=0)
        area = _enclosed(points)
        z = area if self.axis is None else np.array(self.axis, float)
        is_right = self.one_sided == "right"
        if self.closed:
            is_right = (self.one_sided == "outside") == bool(area @ z > 0.0)
        z = (1.0 if is_right else -1.0) * z / np.linalg.norm(z)
        x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
        x /= np.linalg.norm(x)
        axes = np.stack([x, np.cross(z, x), z], axis=1)
        flat = (points - origin) @ axes
        flat[:, 2] = 0.0
        return origin, axes, flat

    def carried(self, place: Callable, turn: Callable) -> Self:
        """The same after its bodies have moved: place(name, point), turn(name, orientation) go with a body."""
        to, zero = self.to, (0.0, 0.0, 0.0)
        changes = {"point": tuple(place(self.body, self.point))}
        if self.align is not None:
            changes["orientation"] = tuple(turn(self.body, self.orientation))
        if to is not None:
            changes["points"] = tuple(tuple(place(to, point)) for point in self.points)
            changes["up"] = tuple(tuple(np.subtract(place(to, each), place(to, zero))) for each in self.up)
            if self.axis is not None:
                changes["axis"] = tuple(np.subtract(place(to, self.axis), place(to, zero)))
        return replace(self, **changes)

    @law("body", "to")
    def check_other(self, place: Place) -> None:
        if self.to == self.body:
            place.say("slides along a curve of the body itself: body and to are the same")

    @law("points", "closed")
    def check_points(self, place: Place) -> None:
        places = len(set(self.points))
        if places == 1:
            (place / "points").say("are all the same place: the curve has no length")
        elif self.closed and places == 2:
            (place / "points").say("are two places only: a closed curve needs three, or leave out closed")

    @law("points", "up", "align")
    def check_up(self, place: Place) -> None:
        if len(self.up) not in (1, len(self.points)):
            (place / "up").say(f"must be 1 direction, or {len(self.points)}, one for each of points")
        for i, each in enumerate(self.up):
            if not any(each):
                (place / "up" / i).say("must not be 0: it is a direction")
        if self.align == "up" and len(self.up) == 1 and any(self.up[0]) and self.is_along(self.up[0]):
            (place / "up").say("is along the curve all the way: choose a direction across it, or align tangent")

    @law("one_sided", "radius", "axis", "restitution", "align")
    def check_one_sided(self, place: Place) -> None:
        """Keys of a cam need one, and a cam turns nothing."""
        if self.one_sided is None:
            for name in ("radius", "axis", "restitution"):
                if getattr(self, name):
                    (place / name).say("needs one_sided: it is that of a cam, which pushes to one side")
        elif self.align is not None:
            (place / "align").say(
                "has no meaning with one_sided: a cam's profile pushes its follower, and turns nothing"
            )

    @law("one_sided", "closed", "points", "axis")
    def check_profile(self, place: Place) -> None:
        """A profile needs a side that its curve has, and an axis across it where it encloses nothing."""
        if self.one_sided is None:
            return
        sides = SIDES[:2] if self.closed else SIDES[2:]
        if self.one_sided not in sides:
            kind = "closed" if self.closed else "open"
            (place / "one_sided").say(f"of a {kind} curve must be {' or '.join(sides)}, is {self.one_sided}")
        area = np.array(_enclosed(np.array(self.points, float)))
        size = float(np.ptp(np.array(self.points, float), axis=0).max())
        if self.axis is not None and not any(self.axis):
            (place / "axis").say("must not be 0: it is a direction")
        elif self.axis is None and not self.closed:
            (place / "axis").say("is needed for an open curve: its left is where it goes left, seen against the axis")
        elif self.closed and np.linalg.norm(area) <= _NO_AREA * size * size:
            (place / "points").say("enclose no area: of such a curve nothing is outside or inside")
        elif self.closed and self.axis is not None:
            axis = np.array(self.axis, float)
            if abs(area @ axis) <= _NO_AREA * size * size * np.linalg.norm(axis):
                (place / "axis").say("lies in the plane of the curve, which encloses nothing when seen along it")
        elif self.axis is not None and self.is_along(self.axis):
            (place / "axis").say("is along the curve: choose a direction across it")

    @law("tau", "force")
    def check_drawing(self, place: Place) -> None:
        for name in ("tau", "force"):
            if getattr(self, name) is not None:
                (place / name).say("has no meaning for a curve, onto which no bead is drawn")


@dataclass(kw_only=True)
class Coupling(Constraint):
    """A tie between the coordinates of two joints; it acts as long as both joints are there.

    Where an action sets another transmission, that holds for changes from then on, and nothing jumps. With `backlash`
    (m or rad), the way that joint_b has while joint_a stands still, it holds at either end of that alone, and begins in
    the middle; what meets there bounces off by `restitution`. `side` is the end at which it holds while a motion goes
    on, 1 or -1, and 0 within; None: as drawn.
    """

    joint_a: str = key(joint_name)
    joint_b: str = key(joint_name)
    backlash: float = key(number(at_least=0), 0.0, changeable=True)
    restitution: float = key(number(at_least=0, at_most=1), 0.0, changeable=True)
    side: float | None = key(number(), None, in_file=False)

    @law("joint_a", "joint_b")
    def check_joints(self, place: Place) -> None:
        if self.joint_a == self.joint_b:
            place.say("couples a joint to itself: joint_a and joint_b are the same")

    @law("backlash", "tau", "force")
    def check_backlash(self, place: Place) -> None:
        """Teeth are not drawn together."""
        for name in ("tau", "force"):
            if self.backlash > 0.0 and getattr(self, name) is not None:
                (place / name).say("has no meaning with a backlash: teeth that meet strike each other")

    @property
    def is_within_backlash(self) -> bool:
        """True if it holds nothing at present, between the ends of its backlash."""
        return self.backlash > 0.0 and self.side == 0.0

    @property
    @abstractmethod
    def transmission(self) -> float:
        """Change of joint_b's coordinate for a unit of joint_a's."""


@dataclass(kw_only=True)
class Gear(Coupling):
    """The coordinate of `joint_b` less `ratio` times that of `joint_a` keeps its value (1 row)."""

    type: ClassVar[str] = "gear"
    JOINTS_A: ClassVar[tuple[str, ...]] = ("revolute", "prismatic", "screw")
    JOINTS_B: ClassVar[tuple[str, ...]] = JOINTS_A
    ratio: float = key(number(), changeable=True)

    @law("ratio")
    def check_ratio(self, place: Place) -> None:
        if self.ratio == 0.0:
            (place / "ratio").say("must not be 0: joint_b would stand still")

    @property
    def transmission(self) -> float:
        return self.ratio


@dataclass(kw_only=True)
class Rack(Coupling):
    """Rack and pinion: the travel of `joint_b` less `radius` times the angle of `joint_a` keeps its value (1 row)."""

    type: ClassVar[str] = "rack"
    JOINTS_A: ClassVar[tuple[str, ...]] = ("revolute",)
    JOINTS_B: ClassVar[tuple[str, ...]] = ("prismatic",)
    radius: float = key(number(), changeable=True)

    @law("radius")
    def check_radius(self, place: Place) -> None:
        if self.radius == 0.0:
            (place / "radius").say("must not be 0: the rack would stand still")

    @property
    def transmission(self) -> float:
        return self.radius


def _enclosed(points: np.ndarray) -> np.ndarray:
    """(3,) m2: the area vector of a polygon, which it goes round anticlockwise."""
    ways = points - points[0]
    return 0.5 * np.cross(ways[:-1], ways[1:]).sum(axis=0)


def _with_other(part: Nail | Orientation | Curve) -> list[str | None]:
    return [part.body] if part.to is None else [part.body, part.to]


def _check_other(part: Nail | Orientation, place: Place) -> None:
    if part.to == part.body:
        place.say("holds a body to itself: body and to are the same")
