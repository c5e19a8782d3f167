# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on bodies. Any of their numbers may be a table over time.

Beside each stands the record of the numbers that its law takes (`dynamics.forces`), in their order among a model's
parameters, where one before them says if the force is enabled. `FORCES` lists all types.
"""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from enum import IntEnum
from math import inf
from typing import Any, ClassVar, NamedTuple

from .arithmetic import Program, arithmetic, program_of
from .bodies import IDENTITY, ZERO, check_different
from .curves import Damper, Pull, Push, check_slack
from .record import Record, described, key, law, record
from .stiction import STRIBECK, check_static
from .table import Number, Numbers, Table, any_number, not_negative, over_time, quaternion_over_time, vector_over_time
from .value_rules import (
    Place,
    a,
    body_name,
    body_names,
    either,
    flag,
    list_of,
    number,
    one_of,
    shown,
    terrain_name,
    text,
)

_NOT_GIVEN = -1.0
_AIR = 1.225  # kg/m3: density of the standard atmosphere at sea level (ISO 2533)


@dataclass
class Force(Record):
    """A force on one body or between two."""

    kind: ClassVar[str] = "force"
    name: str = key(text)
    _: KW_ONLY
    enabled: bool = key(flag, True, changeable=True)

    @property
    def may_carry(self) -> bool:
        """True if it may keep its body from falling, now or later; a force of one body pushes it off the world."""
        return False


@dataclass
class ForceWithLaw(Force, ABC):
    """A force by a law of its own; any other only changes a body's gravity."""

    ONE_SIDED: ClassVar[bool] = False  # it acts only while a gap is closed

    @property
    @abstractmethod
    def numbers(self) -> tuple[Number, ...]:
        """The record of its law's numbers, some of which may be tables."""


class MotorNumbers(NamedTuple):
    """Force (N) and torque (N m) along the motor's frame."""

    force_x: float
    force_y: float
    force_z: float
    torque_x: float
    torque_y: float
    torque_z: float


@dataclass(kw_only=True)
class Motor(ForceWithLaw):
    """`force` and `torque` in a frame that is fixed to the body, acting at `point`."""

    type: ClassVar[str] = "motor"
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    force: Numbers = key(vector_over_time, ZERO, changeable=True)
    torque: Numbers = key(vector_over_time, ZERO, changeable=True)

    @property
    def numbers(self) -> MotorNumbers:
        """Force, then torque."""
        return MotorNumbers(*self.force, *self.torque)

    @property
    def may_carry(self) -> bool:
        """True for a jet that drives."""
        return any(isinstance(x, Table) or x for x in self.force)


class DampingNumbers(NamedTuple):
    """N s/m, and N m s/rad."""

    linear: float
    angular: float


@dataclass(kw_only=True)
class Damping(ForceWithLaw):
    """Viscous resistance at the centre of mass."""

    type: ClassVar[str] = "damping"
    body: str = key(body_name)
    linear: Number = key(not_negative, 0.0, changeable=True)
    angular: Number = key(not_negative, 0.0, changeable=True)

    @property
    def numbers(self) -> DampingNumbers:
        """As they are."""
        return DampingNumbers(self.linear, self.angular)


class BrakeNumbers(NamedTuple):
    """N s/m along the brake's frame, and the largest force (N)."""

    x: float
    y: float
    z: float
    largest: float


@dataclass(kw_only=True)
class Brake(ForceWithLaw):
    """Viscous resistance at a point: one number, or three along the axes of a frame fixed to the body."""

    type: ClassVar[str] = "brake"
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    damping: Number | Numbers = key(
        either(not_negative, list_of(not_negative, count=3, what="a number or a list of 3 numbers")), changeable=True
    )
    max_force: Number | None = key(not_negative, None, changeable=True)

    @property
    def numbers(self) -> BrakeNumbers:
        """One number counts along all three axes."""
        damping = self.damping if isinstance(self.damping, tuple) else (self.damping,) * 3
        return BrakeNumbers(*damping, inf if self.max_force is None else self.max_force)


class SupportNumbers(NamedTuple):
    """N/m, N s/m, the ground's height (m), friction, its slope (N s/m; below zero: not given), static friction, m/s.

    By tables: the steepest of each.
    """

    stiffness: float
    damping: float
    height: float
    friction: float
    slope: float
    static: float
    stribeck: float


@dataclass(kw_only=True)
class Support(ForceWithLaw):
    """A spring-damper that keeps the point from going below the ground; it never pulls.

    `friction`: the level force against sliding is at most so many times the upward one. `slope` (N s/m): how steeply it
    rises with the sliding speed; left out, so steeply that what stands hardly creeps. With `static_friction` what
    stands does not creep at all, until more than that pulls; it falls to `friction` with the sliding speed. `push`, a
    table of force over depth, stands for `stiffness`, and `damper`, one over the rate of sinking, for `damping`. On a
    `terrain` it pushes along the normal below the point, and `height` raises that ground.
    """

    type: ClassVar[str] = "support"
    ONE_SIDED: ClassVar[bool] = True
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    stiffness: Number | None = key(not_negative, None, null=True, changeable=True)
    damping: Number | None = key(not_negative, None, null=True, changeable=True)
    push: Push | None = key(record(Push), None, null=True, changeable=True)
    damper: Damper | None = key(record(Damper), None, null=True, changeable=True)
    height: Number = key(any_number, 0.0, changeable=True)
    terrain: str | None = key(terrain_name, None)
    friction: Number | None = key(not_negative, None, changeable=True)
    slope: Number | None = key(not_negative, None, changeable=True)
    static_friction: Number | None = key(not_negative, None, null=True, changeable=True)
    stribeck_speed: float = key(number(above=0), STRIBECK, changeable=True)

    @property
    def numbers(self) -> SupportNumbers:
        """With a slope alone, friction has no bound."""
        friction, slope = self.friction, self.slope
        if friction is None:
            friction = 0.0 if slope is None else inf
        return SupportNumbers(
            0.0 if self.stiffness is None else self.stiffness,
            0.0 if self.damping is None else self.damping,
            self.height,
            friction,
            _NOT_GIVEN if slope is None else slope,
            _NOT_GIVEN if self.static_friction is None else self.static_friction,
            self.stribeck_speed,
        )

    @property
    def sticks(self) -> bool:
        """True if what stands on it does not creep at all."""
        return self.static_friction is not None

    @law("stiffness", "damping", "push", "damper")
    def check_tables(self, place: Place) -> None:
        _check_either(self, "stiffness", "push", place)
        _check_either(self, "damping", "damper", place)

    @law("friction", "slope", "static_friction")
    def check_friction(self, place: Place) -> None:
        where = place / "static_friction"
        if self.static_friction is not None and self.slope is not None:
            where.say("must be left out with a slope, which rounds friction off, so that nothing sticks")
        else:
            check_static(self.static_friction, self.friction, where)

    @property
    def may_carry(self) -> bool:
        """Always."""
        return True


class TyreNumbers(NamedTuple):
    """N/m, N s/m, the ground's height (m), friction, N per slip along, N/rad across, and rolling resistance."""

    stiffness: float
    damping: float
    height: float
    friction: float
    slip_stiffness: float
    cornering_stiffness: float
    rolling_resistance: float


@dataclass(kw_only=True)
class Tyre(ForceWithLaw):
    """A tyre on a wheel about Y of `orientation` through `point`, on level ground or a `terrain`.

    `radius` and `width` (m; 0 for a thin disc) unloaded. `stiffness`, `damping`: radial. `slip_stiffness` (N per unit
    of slip) along the way of rolling, `cornering_stiffness` (N/rad) across it, up to `friction` times the load.
    `rolling_resistance`: its moment by load times radius. Slip is by the speed of rolling, but not below about
    `slip_speed` (m/s): what stands resists sliding like a damper of stiffness by slip_speed. The force follows slip at
    once, there is no relaxation length. `height` is that of level ground, or raises the terrain.
    """

    type: ClassVar[str] = "tyre"
    ONE_SIDED: ClassVar[bool] = True
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    radius: float = key(number(above=0))
    width: float = key(number(at_least=0), 0.0)
    stiffness: Number = key(not_negative, changeable=True)
    damping: Number = key(not_negative, 0.0, changeable=True)
    height: Number = key(any_number, 0.0, changeable=True)
    terrain: str | None = key(terrain_name, None)
    friction: Number = key(not_negative, 1.0, changeable=True)
    slip_stiffness: Number = key(not_negative, changeable=True)
    cornering_stiffness: Number = key(not_negative, changeable=True)
    rolling_resistance: Number = key(not_negative, 0.0, changeable=True)
    slip_speed: float = key(number(above=0), 0.5)

    @property
    def numbers(self) -> TyreNumbers:
        """As they are."""
        return TyreNumbers(
            self.stiffness,
            self.damping,
            self.height,
            self.friction,
            self.slip_stiffness,
            self.cornering_stiffness,
            self.rolling_resistance,
        )

    @property
    def may_carry(self) -> bool:
        """Always."""
        return True


class SpringNumbers(NamedTuple):
    """N/m, length at rest (m), N s/m, and of a rubber the restitution. By a table: its steepest, and where it is 0."""

    stiffness: float
    rest: float
    damping: float
    restitution: float


@dataclass(kw_only=True)
class Spring(ForceWithLaw):
    """A spring and damper between two points. Without `body_b`, or with null, its side is the world.

    With `pull`, a table of force over length, it has neither `stiffness` nor `rest_length`, and with `damper`, one of
    force over rate, no `damping`.
    """

    type: ClassVar[str] = "spring"
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Numbers = key(vector_over_time, changeable=True)
    point_b: Numbers = key(vector_over_time, changeable=True)
    stiffness: Number | None = key(not_negative, None, null=True, changeable=True)
    rest_length: Number | None = key(not_negative, None, null=True, changeable=True)
    damping: Number = key(not_negative, 0.0, changeable=True)
    pull: Pull | None = key(record(Pull), None, null=True, changeable=True)
    damper: Damper | None = key(record(Damper), None, null=True, changeable=True)

    @property
    def numbers(self) -> SpringNumbers:
        """By tables, stiffness, rest and damping are the curves' (`model.curves`), and 0 here."""
        if self.pull is not None:
            return SpringNumbers(0.0, 0.0, self.damping, 0.0)
        return SpringNumbers(self.stiffness, self.rest_length, self.damping, 0.0)

    @property
    def may_carry(self) -> bool:
        """Always, where one of its ends is held."""
        return True

    @law("body_a", "body_b")
    def check_bodies(self, place: Place) -> None:
        check_different(self, place)

    @law("stiffness", "rest_length", "pull")
    def check_pull(self, place: Place) -> None:
        for name in ("stiffness", "rest_length"):
            if self.pull is None and getattr(self, name) is None:
                (place / name).say(f"is missing; {a(described(type(self)))} needs it")
            elif self.pull is not None and getattr(self, name) is not None:
                (place / name).say("must be left out, since pull tells the force at each length")

    @law("damping", "damper")
    def check_damper(self, place: Place) -> None:
        if self.damper is not None and self.damping != 0.0:
            (place / "damping").say("must be left out, since damper tells the force at each rate")


class Approach(Spring):
    """A spring without stiffness, which only tells when its ends have come as near as its `rest_length`.

    It stands for what waits until then, and is no type of force in a file.
    """


@dataclass(kw_only=True)
class Rubber(Spring):
    """As a spring, but pulls only when stretched; `restitution` scales the force while the ends approach.

    Of a table its first length is that at which it is slack.
    """

    type: ClassVar[str] = "rubber"
    ONE_SIDED: ClassVar[bool] = True
    restitution: Number = key(not_negative, 1.0, changeable=True)

    @property
    def numbers(self) -> SpringNumbers:
        """A spring's, with its own restitution."""
        return super().numbers._replace(restitution=self.restitution)

    @law("pull")
    def check_slack(self, place: Place) -> None:
        if self.pull is not None:
            check_slack(self.pull, place / "pull")


def _check_either(force: Force, number: str, table: str, place: Place) -> None:
    """Says if neither a number nor the table in its place is given, or both are."""
    if getattr(force, table) is None and getattr(force, number) is None:
        (place / number).say(f"is missing; {a(described(type(force)))} needs it")
    elif getattr(force, table) is not None and getattr(force, number) is not None:
        (place / number).say(f"must be left out, since {table} tells the force")


class DragNumbers(NamedTuple):
    """N s2/m2, and the wind (m/s)."""

    coefficient: float
    wind_x: float
    wind_y: float
    wind_z: float


@dataclass(kw_only=True)
class Drag(ForceWithLaw):
    """Quadratic resistance of the air, in `wind` (m/s), at the centre of mass.

    `coefficient` (N s2/m2), or the `area` (m2) of a body with a drag coefficient of one in air of 1.225 kg/m3.
    """

    type: ClassVar[str] = "drag"
    body: str = key(body_name)
    area: Number | None = key(not_negative, None, changeable=True)
    coefficient: Number | None = key(not_negative, None, changeable=True)
    wind: Numbers = key(vector_over_time, ZERO, changeable=True)

    @property
    def numbers(self) -> DragNumbers:
        """An area is one of a drag coefficient of one, in air."""
        given = _times(0.5 * _AIR, self.area) if self.coefficient is None else self.coefficient
        return DragNumbers(given, *self.wind)

    @property
    def may_carry(self) -> bool:
        """True in wind."""
        return any(isinstance(x, Table) or x for x in self.wind)

    @law("area", "coefficient")
    def check_resistance(self, place: Place) -> None:
        if (self.area is None) == (self.coefficient is None):
            place.say("needs either area or coefficient, " + ("not both" if self.area is not None else "has neither"))


def _times(factor: float, number: Number) -> Number:
    if isinstance(number, Table):
        return Table(number.times, tuple(factor * value for value in number.values))
    return factor * number


_torque = number(at_least=0)


def _joint_torque(value: Any, place: Place) -> Any:
    """A pair of a joint's name and a number."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        place.say(f"must be a pair [joint, number], is {shown(value)}")
        return value
    return text(value[0], place / 0), _torque(value[1], place / 1)


_gains = either(not_negative, list_of(not_negative, count=3, what="a number or a list of 3 numbers"))


class BalanceNumbers(NamedTuple):
    """Hz and damping ratio of the central body's place and of its orientation, the largest torque (N m), and more.

    The first are along and about the target's three axes. Steps take `step_time` (s), and lift the foot by
    `step_height` (m); loads are taken up within `load_time` (s).
    """

    frequency_x: float
    frequency_y: float
    frequency_z: float
    ratio_x: float
    ratio_y: float
    ratio_z: float
    turn_frequency_x: float
    turn_frequency_y: float
    turn_frequency_z: float
    turn_ratio_x: float
    turn_ratio_y: float
    turn_ratio_z: float
    largest: float
    step_time: float
    step_height: float
    load_time: float


@dataclass(kw_only=True)
class Balance(ForceWithLaw):
    """Motors in the joints between a central body and the feet of its figure, which hold it where it shall be.

    `position` (m) and `orientation` of the body's frame, in the world at the start; left out, those that it has. They
    go along with the feet. `frequency` (Hz) and `damping_ratio`: how the body comes back to the position,
    `orientation_...`: and to the orientation, each one number or three along and about the axes of `orientation`.
    `weights`: which shares of the weight the feet carry; `lifts` (m): how high those are lifted that carry none.
    `max_torque` (N m; N along straight axes): of every axis;
    `joint_max_torque`: of those of single joints instead. With a `step_time` (s) above 0 it puts a foot elsewhere where
    it would fall, in steps that take so long and lift the foot by `step_height` (m). With a `load_time` (s) above 0 it
    takes up what acts on it from outside, as a load that it carries, with that time constant.
    """

    type: ClassVar[str] = "balance"
    body: str = key(body_name)
    feet: tuple[str, ...] = key(body_names)
    position: Numbers | None = key(vector_over_time, None, changeable=True)
    orientation: Numbers | None = key(quaternion_over_time, None, changeable=True)
    frequency: Number | Numbers = key(_gains, 1.0, changeable=True)
    damping_ratio: Number | Numbers = key(_gains, 1.0, changeable=True)
    orientation_frequency: Number | Numbers = key(_gains, 1.0, changeable=True)
    orientation_damping_ratio: Number | Numbers = key(_gains, 1.0, changeable=True)
    weights: Numbers | None = key(list_of(not_negative), None, changeable=True)
    lifts: Numbers | None = key(list_of(not_negative), None, changeable=True)
    max_torque: Number | None = key(not_negative, None, changeable=True)
    joint_max_torque: tuple[tuple[str, float], ...] = key(list_of(_joint_torque), ())
    step_time: Number = key(not_negative, 0.0, changeable=True)
    step_height: Number = key(not_negative, 0.06, changeable=True)
    load_time: Number = key(not_negative, 0.0, changeable=True)

    @property
    def numbers(self) -> BalanceNumbers:
        """One number counts for all three directions; without a largest torque it has no bound."""
        gains = self.frequency, self.damping_ratio, self.orientation_frequency, self.orientation_damping_ratio
        return BalanceNumbers(
            *(number for gain in gains for number in (gain if isinstance(gain, tuple) else (gain,) * 3)),
            inf if self.max_torque is None else self.max_torque,
            self.step_time,
            self.step_height,
            self.load_time,
        )

    @property
    def foot_numbers(self) -> list[Number]:
        """Of each foot its weight, below 0 where the feet share it as they stand, and how high it is lifted (m)."""
        count = len(self.feet)
        weights = self.weights or ((1.0,) * count if self.lifts else (-1.0,) * count)
        return [number for pair in zip(weights, self.lifts or (0.0,) * count, strict=True) for number in pair]

    @law("feet", "weights", "lifts")
    def check_weights(self, place: Place) -> None:
        for name, numbers in (("weights", self.weights), ("lifts", self.lifts)):
            if numbers is not None and len(numbers) != len(self.feet):
                (place / name).say(f"must have a number for each of the {len(self.feet)} feet, has {len(numbers)}")
        if self.weights is not None and not any(isinstance(each, Table) or each > 0.0 for each in self.weights):
            (place / "weights").say("must not all be 0: some foot has to carry the figure")

    @law("body", "feet")
    def check_feet(self, place: Place) -> None:
        for i, name in enumerate(self.feet):
            if name == self.body:
                (place / "feet" / i).say(f"must not be the body that they carry, is {shown(name)}")
            elif name in self.feet[:i]:
                (place / "feet" / i).say(f"must be another one than before, is {shown(name)} again")

    @law("joint_max_torque")
    def check_joint_names(self, place: Place) -> None:
        names = [name for name, _ in self.joint_max_torque]
        for i, name in enumerate(names):
            if name in names[:i]:
                (place / "joint_max_torque" / i).say(f"must name another joint than before, is {shown(name)} again")


class ReachNumbers(NamedTuple):
    """Hz and damping ratio of the hand on its way, the largest force at it (N) and torque of its arm's axes (N m)."""

    frequency: float
    ratio: float
    largest: float
    largest_torque: float


@dataclass(kw_only=True)
class Reach(ForceWithLaw):
    """A hand of a figure that keeps its `balance`, led to a target by motors in the joints of its arm.

    `point` (m) of the `body` follows `target` (m), both in the world, the point at the start. `frequency` (Hz) and
    `damping_ratio`: how it comes there; `max_force` (N) draws it at most, and `max_torque` (N m; N along straight axes)
    is what each axis between the hand and the body of the balance may exert.
    """

    type: ClassVar[str] = "reach"
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    target: Numbers = key(vector_over_time, changeable=True)
    frequency: Number = key(not_negative, 2.0, changeable=True)
    damping_ratio: Number = key(not_negative, 1.0, changeable=True)
    max_force: Number | None = key(not_negative, None, changeable=True)
    max_torque: Number | None = key(not_negative, None, changeable=True)

    @property
    def numbers(self) -> ReachNumbers:
        """Without a largest force or torque there is no bound."""
        most = [inf if number is None else number for number in (self.max_force, self.max_torque)]
        return ReachNumbers(self.frequency, self.damping_ratio, *most)


class Sought(IntEnum):
    """The way that a rider takes."""

    UPRIGHT = 0  # whichever it is
    HEADING = 1
    TARGET = 2


class SteeringNumbers(NamedTuple):
    """Hz and damping ratio of the lean, N m/rad and N m s/rad of the arms, the largest torque (N m) and lean (rad).

    The way ahead is at `heading` (rad), which is come round to within `heading_time` (s).
    """

    frequency: float
    ratio: float
    stiffness: float
    damping: float
    largest: float
    most_lean: float
    heading: float
    heading_time: float


@dataclass(kw_only=True)
class Steering(ForceWithLaw):
    """A rider who steers a bicycle into its fall: a torque between its frame, `body`, and its `fork`.

    Z of `orientation` is the steering axis and X points ahead; as drawn, the front wheel goes straight on. `wheelbase`
    (m): between the points in which the wheels touch, `center_height` (m): of the centre of mass above them.
    `frequency` (Hz) and `damping_ratio`: how the lean shall come back. `stiffness` (N m/rad), `damping` (N m s/rad) and
    `max_torque` (N m): of the arms, which turn the fork to the angle that does it. With a `heading` (rad from the
    world's X) or a `target` (m, a point in the world) it leans into bends, by no more than `max_lean` (rad), and comes
    round to it with the time constant `heading_time` (s); without, upright is all that it seeks.
    """

    type: ClassVar[str] = "steering"
    body: str = key(body_name)
    fork: str = key(body_name)
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    wheelbase: float = key(number(above=0))
    center_height: float = key(number(above=0))
    frequency: Number = key(not_negative, 0.6, changeable=True)
    damping_ratio: Number = key(not_negative, 1.0, changeable=True)
    stiffness: Number = key(not_negative, changeable=True)
    damping: Number = key(not_negative, 0.0, changeable=True)
    max_torque: Number | None = key(not_negative, None, changeable=True)
    max_lean: Number = key(not_negative, 0.5, changeable=True)
    heading: Number | None = key(any_number, None, null=True, changeable=True)
    target: Numbers | None = key(vector_over_time, None, null=True, changeable=True)
    heading_time: Number = key(over_time(number(above=0)), 1.0, changeable=True)

    @property
    def numbers(self) -> SteeringNumbers:
        """Without a largest torque it has no bound."""
        return SteeringNumbers(
            self.frequency,
            self.damping_ratio,
            self.stiffness,
            self.damping,
            inf if self.max_torque is None else self.max_torque,
            self.max_lean,
            0.0 if self.heading is None else self.heading,
            self.heading_time,
        )

    @property
    def seeks(self) -> Sought:
        """The way that it takes."""
        if self.target is not None:
            return Sought.TARGET
        return Sought.UPRIGHT if self.heading is None else Sought.HEADING

    @law("body", "fork")
    def check_fork(self, place: Place) -> None:
        if self.body == self.fork:
            (place / "fork").say(f"must not be the frame that it turns in, is {shown(self.fork)}")

    @law("heading", "target")
    def check_way(self, place: Place) -> None:
        if self.heading is not None and self.target is not None:
            (place / "heading").say("must be left out with a target, which tells the way")


@dataclass(kw_only=True)
class Gravity(Force):
    """Replaces the mechanism's gravity for this body."""

    type: ClassVar[str] = "gravity"
    body: str = key(body_name)
    acceleration: Numbers = key(vector_over_time, changeable=True)


class ExpressionNumbers(NamedTuple):
    """Time (s), and three that mean what a person wants."""

    time: Number
    a: float
    b: float
    c: float


@dataclass(kw_only=True)
class Expression(ForceWithLaw):
    """A force whose components are arithmetic of place, velocity and time (`arithmetic`), at a point of its body.

    Without `point` it acts at the centre of mass. The components, and the velocities in them, are along the axes of the
    world, or, with `axes` "own", along those of `orientation`, a frame that is fixed to the body. `a`, `b` and `c`:
    numbers that the texts may name.
    """

    type: ClassVar[str] = "expression"
    body: str = key(body_name)
    force: tuple[str, str, str] = key(list_of(arithmetic, count=3, what="a list of 3 texts"), changeable=True)
    point: Numbers | None = key(vector_over_time, None, changeable=True)
    axes: str = key(one_of("world", "own"), "world")
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    a: Number = key(any_number, 0.0, changeable=True)
    b: Number = key(any_number, 0.0, changeable=True)
    c: Number = key(any_number, 0.0, changeable=True)

    @property
    def programs(self) -> list[Program]:
        """Of its three components, which must be right."""
        return [program_of(component) for component in self.force]

    @property
    def names(self) -> set[str]:
        """Those that its components ask for."""
        return set().union(*(program.names for program in self.programs))

    @property
    def numbers(self) -> ExpressionNumbers:
        """Time is a table like others, which rises by a second each second."""
        return ExpressionNumbers(_TIME if "t" in self.names else 0.0, self.a, self.b, self.c)

    @property
    def may_carry(self) -> bool:
        """Always."""
        return True


_LAST = 2.0**100  # s: later than all; a power of two, so that a share of it has all digits
_TIME = Table((0.0, _LAST), (0.0, _LAST))
FORCES: tuple[type[Force], ...] = (
    Motor, Damping, Brake, Support, Spring, Rubber, Drag, Gravity, Balance, Expression, Tyre, Steering, Reach
)  # fmt: skip
__all__ = ["FORCES", "Damper", "Force", "Pull", "Push", *(force.__name__ for force in FORCES)]
