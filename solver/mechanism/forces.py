# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces on bodies. Any of their numbers may be a table over time."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from .bodies import IDENTITY, ZERO
from .constraints import check_different
from .record import Record, described, key, law, record
from .table import Number, Numbers, any_number, not_negative, quaternion_over_time, vector_over_time
from .value_rules import Place, a, body_name, body_names, counted, either, flag, list_of, number, shown, text


@dataclass
class Force(Record):
    """A force on one body or between two."""

    kind: ClassVar[str] = "force"
    name: str = key(text)
    _: KW_ONLY
    enabled: bool = key(flag, True, changeable=True)


@dataclass(kw_only=True)
class Motor(Force):
    """`force` and `torque` in a frame that is fixed to the body, acting at `point`."""

    type: ClassVar[str] = "motor"
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    force: Numbers = key(vector_over_time, ZERO, changeable=True)
    torque: Numbers = key(vector_over_time, ZERO, changeable=True)


@dataclass(kw_only=True)
class Damping(Force):
    """Viscous resistance at the centre of mass."""

    type: ClassVar[str] = "damping"
    body: str = key(body_name)
    linear: Number = key(not_negative, 0.0, changeable=True)
    angular: Number = key(not_negative, 0.0, changeable=True)


@dataclass(kw_only=True)
class Brake(Force):
    """Viscous resistance at a point: one number, or three along the axes of a frame fixed to the body."""

    type: ClassVar[str] = "brake"
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    orientation: Numbers = key(quaternion_over_time, IDENTITY, changeable=True)
    damping: Number | Numbers = key(
        either(not_negative, list_of(not_negative, count=3, what="a number or a list of 3 numbers")), changeable=True
    )
    max_force: Number | None = key(not_negative, None, changeable=True)


@dataclass(kw_only=True)
class Support(Force):
    """A spring-damper that keeps the point from going below the ground; it never pulls.

    `friction`: the level force against sliding is at most so many times the upward one. `slope` (N s/m): how steeply it
    rises with the sliding speed; left out, so steeply that what stands hardly creeps.
    """

    type: ClassVar[str] = "support"
    body: str = key(body_name)
    point: Numbers = key(vector_over_time, changeable=True)
    stiffness: Number = key(not_negative, changeable=True)
    damping: Number = key(not_negative, changeable=True)
    height: Number = key(any_number, 0.0, changeable=True)
    friction: Number | None = key(not_negative, None, changeable=True)
    slope: Number | None = key(not_negative, None, changeable=True)


@dataclass
class Pull(Record):
    """A spring's force (N; it draws the ends together above 0) over its length (m)."""

    kind: ClassVar[str] = "table of force over length"
    lengths: tuple[float, ...] = key(list_of(number(at_least=0), at_least=2))
    forces: tuple[float, ...] = key(list_of(number(), at_least=2))

    @law("lengths", "forces")
    def check_lengths(self, place: Place) -> None:
        lengths, forces = self.lengths, self.forces
        if len(forces) != len(lengths):
            (place / "forces").say(f"must have {counted(len(lengths))}, one per length, has {len(forces)}")
        for i in range(1, len(lengths)):
            if not lengths[i] > lengths[i - 1]:
                before = f"must be more than the one before it, {lengths[i - 1]:g}, is {lengths[i]:g}"
                (place / "lengths" / i).say(before)


@dataclass(kw_only=True)
class Spring(Force):
    """A spring and damper between two points. Without `body_b`, or with null, its side is the world.

    With `pull`, a table of force over length, it has neither `stiffness` nor `rest_length`.
    """

    type: ClassVar[str] = "spring"
    body_a: str = key(body_name)
    body_b: str | None = key(body_name, None, null=True)
    point_a: Numbers = key(vector_over_time, changeable=True)
    point_b: Numbers = key(vector_over_time, changeable=True)
    stiffness: Number | None = key(not_negative, None, changeable=True)
    rest_length: Number | None = key(not_negative, None, changeable=True)
    damping: Number = key(not_negative, 0.0, changeable=True)
    pull: Pull | None = key(record(Pull), None)

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


@dataclass(kw_only=True)
class Rubber(Spring):
    """As a spring, but pulls only when stretched; `restitution` scales the force while the ends approach."""

    type: ClassVar[str] = "rubber"
    restitution: Number = key(not_negative, 1.0, changeable=True)

    @law("pull")
    def check_has_none(self, place: Place) -> None:
        if self.pull is not None:
            (place / "pull").say("belongs to a spring; take one whose forces are 0 while it hangs loose")


@dataclass(kw_only=True)
class Drag(Force):
    """Quadratic resistance of the air, in `wind` (m/s), at the centre of mass.

    `coefficient` (N s2/m2), or the `area` (m2) of a body with a drag coefficient of one in air of 1.225 kg/m3.
    """

    type: ClassVar[str] = "drag"
    body: str = key(body_name)
    area: Number | None = key(not_negative, None, changeable=True)
    coefficient: Number | None = key(not_negative, None, changeable=True)
    wind: Numbers = key(vector_over_time, ZERO, changeable=True)

    @law("area", "coefficient")
    def check_resistance(self, place: Place) -> None:
        if (self.area is None) == (self.coefficient is None):
            place.say("needs either area or coefficient, " + ("not both" if self.area is not None else "has neither"))


_torque = number(at_least=0)


def _joint_torque(value: Any, place: Place) -> Any:
    """A pair of a joint's name and a number."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        place.say(f"must be a pair [joint, number], is {shown(value)}")
        return value
    return text(value[0], place / 0), _torque(value[1], place / 1)


@dataclass(kw_only=True)
class Balance(Force):
    """Motors in the joints between a central body and the feet of its figure, which hold it where it shall be.

    `position` (m) and `orientation` of the body's frame, in the world at the start; left out, those that it has. They
    go along with the feet. `frequency` (Hz) and `damping_ratio`: how the body comes back to the position,
    `orientation_...`: and to the orientation. `max_torque` (N m; N along straight axes): of every axis;
    `joint_max_torque`: of those of single joints instead.
    """

    type: ClassVar[str] = "balance"
    body: str = key(body_name)
    feet: tuple[str, ...] = key(body_names)
    position: Numbers | None = key(vector_over_time, None, changeable=True)
    orientation: Numbers | None = key(quaternion_over_time, None, changeable=True)
    frequency: Number = key(not_negative, 1.0, changeable=True)
    damping_ratio: Number = key(not_negative, 1.0, changeable=True)
    orientation_frequency: Number = key(not_negative, 1.0, changeable=True)
    orientation_damping_ratio: Number = key(not_negative, 1.0, changeable=True)
    max_torque: Number | None = key(not_negative, None, changeable=True)
    joint_max_torque: tuple[tuple[str, float], ...] = key(list_of(_joint_torque), ())

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


@dataclass(kw_only=True)
class Gravity(Force):
    """Replaces the mechanism's gravity for this body."""

    type: ClassVar[str] = "gravity"
    body: str = key(body_name)
    acceleration: Numbers = key(vector_over_time, changeable=True)
