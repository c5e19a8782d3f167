# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and the motors in them."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .bodies import IDENTITY, Quaternion, Vector
from .joint_types import COORDINATES
from .keyed_motion import course, sample_led
from .record import Record, fields_of, key, law, record
from .surfaces import Smooth, surface
from .table import Number, Numbers, any_number, not_negative
from .value_rules import (
    Place,
    body_name,
    counted,
    either,
    entries_of,
    flag,
    limits,
    list_of,
    number,
    one_of,
    per_coordinate,
    quaternion,
    shown,
    text,
    vector,
)

_NOT_OF_CONTACT = "coordinates", "stiffness", "rest", "friction", "armature", "limits", "bounciness", "motor"
_OF_STATE, _OF_FORCES = ("coordinates", "speeds"), ("stiffness", "rest", "damping", "friction", "armature")
_EXERTED = "limits", "bounciness", "motor", "speeds"
_PER_COORDINATE = (*_OF_STATE, *_OF_FORCES, "limits", "bounciness")

_SAME_START = 1e-9  # of a coordinate

PerCoordinate = tuple[float, ...]
Frame = tuple[Vector, Quaternion]
MotorValue = Number | tuple[Number, ...]


def _frame(value: Any, place: Place) -> Any:
    entries = entries_of(value)
    if entries is None or len(entries) != 2:
        place.say(f"must be a position and an orientation, is {shown(value)}")
        return value
    return vector(entries[0], place / 0), quaternion(entries[1], place / 1)


any_numbers = either(any_number, list_of(any_number))
not_negatives = either(not_negative, list_of(not_negative))


@dataclass
class JointMotor(Record):
    """A motor in a joint. Each value is a number or a table, or on joints with several coordinates a list of such.

    `force`: exerts `value`. `speed`: drives the speed to `target`. `position`: exerts
    `stiffness (target - coordinate) - damping speed`. The last two are held within `max_force` if it is given. `keyed`:
    the coordinate is `target` (rad, m) whatever it takes; the points of a table are joined as keys of a body are.
    """

    kind: ClassVar[str] = "joint motor"
    VALUES: ClassVar[tuple[str, ...]] = ("value", "target", "stiffness", "damping", "max_force")
    KEYS_OF_MODE: ClassVar[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
        "force": (("value",), ()),
        "speed": (("target",), ("max_force",)),
        "position": (("target", "stiffness", "damping"), ("max_force",)),
        "keyed": (("target",), ()),
    }
    mode: str = key(one_of(*KEYS_OF_MODE))
    value: MotorValue | None = key(any_numbers, None)
    target: MotorValue | None = key(any_numbers, None)
    stiffness: MotorValue | None = key(not_negatives, None)
    damping: MotorValue | None = key(not_negatives, None)
    max_force: MotorValue | None = key(not_negatives, None)

    def per_coordinate(self, name: str, count: int) -> list[Number | None]:
        """The value `name` ("target", "stiffness", ...) for each of the joint's `count` coordinates."""
        value = getattr(self, name)
        return list(value) if isinstance(value, tuple) else [value] * count

    @law("mode", *VALUES)
    def check_values(self, place: Place) -> None:
        needed, optional = self.KEYS_OF_MODE[self.mode]
        for name in self.VALUES:
            given = getattr(self, name) is not None
            if name in needed and not given:
                (place / name).say(f"is missing; a motor of mode {self.mode} needs it")
            if given and name not in needed + optional:
                (place / name).say(f"has no meaning for a motor of mode {self.mode}")


@dataclass
class Joint(Record):
    """A joint between `parent` (None: the world) and `child`; the axis of a one-axis joint is its frame's local Z.

    An action that sets `enabled` to false cuts it.
    """

    kind: ClassVar[str] = "joint"
    name: str = key(text)
    type: str = key(one_of(*COORDINATES))
    parent: str | None = key(body_name, null=True)
    child: str = key(body_name)
    position: Vector = key(vector)
    orientation: Quaternion = key(quaternion, IDENTITY)
    pitch: float | None = key(number(), None)
    surface_parent: Smooth | None = key(surface, None)
    surface_child: Smooth | None = key(surface, None)
    rolling: bool = key(flag, False)
    coordinates: PerCoordinate | None = key(per_coordinate(number()), None)
    speeds: PerCoordinate | None = key(per_coordinate(number()), None)
    stiffness: Numbers | None = key(per_coordinate(not_negative), None, changeable=True)
    rest: Numbers | None = key(per_coordinate(any_number), None, changeable=True)
    damping: Numbers | None = key(per_coordinate(not_negative), None, changeable=True)
    friction: Numbers | None = key(per_coordinate(not_negative), None, changeable=True)
    armature: PerCoordinate | None = key(per_coordinate(number(at_least=0)), None, changeable=True)
    limits: tuple[tuple[float | None, float | None] | None, ...] | None = key(limits, None, null=True, changeable=True)
    bounciness: PerCoordinate | None = key(per_coordinate(number(at_least=0, at_most=1)), None, changeable=True)
    motor: JointMotor | None = key(record(JointMotor), None, changeable=True)
    tau: float | None = key(number(above=0), None, changeable=True)
    within: float | None = key(number(above=0), None, changeable=True)
    force: float | None = key(number(above=0), None, changeable=True)
    enabled: bool = key(flag, True, only_by_action=True)
    child_side: Frame | None = key(_frame, None, in_file=False)
    is_caught: ClassVar[bool] = False  # true while it is drawn together

    @property
    def sides(self) -> tuple[Frame, Frame]:
        """Position (m) and orientation of its frame on parent and child, as drawn.

        They differ in a joint that was put in on the way, between bodies that had moved: `child_side` is the second.
        """
        own = self.position, self.orientation
        return own, own if self.child_side is None else self.child_side

    @law("type", "tau", "within", "force")
    def check_drawing(self, place: Place) -> None:
        for name in ("tau", "within", "force"):
            if getattr(self, name) is not None and self.type in ("screw", "contact"):
                (place / name).say(f"has no meaning for a {self.type} joint, which is not drawn together")

    @law("type")
    def check_counts(self, place: Place) -> None:
        for name in _PER_COORDINATE:
            value = getattr(self, name)
            if isinstance(value, tuple):
                self._check_count(len(value), place / name)

    @law("type", "bounciness")
    def check_bounciness(self, place: Place) -> None:
        if self.type == "spherical" and any(self.bounciness or ()):
            (place / "bounciness").say(
                "must be 0: limits of a spherical joint are stops that give way, and do not bounce"
            )

    @law("type", "motor")
    def check_motor_counts(self, place: Place) -> None:
        for name in JointMotor.VALUES:
            value = getattr(self.motor, name, None)
            if value is not None:
                self._check_count(len(value) if isinstance(value, tuple) else 1, place / "motor" / name)

    @property
    def led(self) -> list[Number] | None:
        """Targets of each coordinate by a motor of mode `keyed` (rad, m); None without such a motor."""
        is_led = self.motor is not None and self.motor.mode == "keyed"
        return self.motor.per_coordinate("target", COORDINATES[self.type]) if is_led else None

    @property
    def start_coordinates(self) -> PerCoordinate | None:
        """The coordinates at the start: those given, or those of a keyed motor at 0 s; None where all are 0."""
        if self.coordinates is not None or self.led is None:
            return self.coordinates
        return tuple(float(sample_led(target, np.zeros(1))[0, 0]) for target in self.led)

    @law("type", "coordinates", "limits", "motor")
    def check_led(self, place: Place) -> None:
        """Say where a keyed motor leads that cannot be: from another start, or past a limit."""
        if self.motor is None or self.motor.mode != "keyed" or self.type == "contact":
            return
        where = place / "motor" / "mode"
        if self.type == "spherical":
            where.say("must not be keyed: a spherical joint's rotation vector jumps; lead its child by a path instead")
            return
        targets, count = self.led or [], COORDINATES[self.type]
        if any(given is not None and len(given) != count for given in (targets, self.coordinates, self.limits)):
            return  # which is said elsewhere
        for c, target in enumerate(targets):
            found = course(target)
            if found is None:
                where.say("must not be keyed: the points of its target are too close together for a smooth curve")
                continue
            times, values = found
            start = float(sample_led(target, np.zeros(1))[0, 0])
            if self.coordinates is not None and not abs(self.coordinates[c] - start) <= _SAME_START * (1 + abs(start)):
                (place / "coordinates" / c).say(f"must be {start:g}, where its keyed motor is at 0 s, or be left out")
            lower, upper = (self.limits[c] if self.limits else None) or (None, None)
            past = (values < (-np.inf if lower is None else lower)) | (values > (np.inf if upper is None else upper))
            if past.any():
                k = int(np.argmax(past))
                where.say(f"leads past a limit: to {values[k]:g} at {times[k]:g} s; change its target or the limits")

    def _check_count(self, given: int, place: Place) -> None:
        count = COORDINATES[self.type]
        if given != count:
            place.say(f"must have {counted(count)}, one per coordinate of a {self.type} joint, has {given}")

    @law("type", "pitch")
    def check_pitch(self, place: Place) -> None:
        if self.type == "screw" and self.pitch is None:
            (place / "pitch").say("is missing; a screw joint needs it")
        if self.type != "screw" and self.pitch is not None:
            (place / "pitch").say(f"belongs to a screw joint, but type is {self.type}")

    @law("type", "surface_parent", "surface_child", "rolling")
    def check_surfaces(self, place: Place) -> None:
        """Say which surfaces a contact joint misses, and what has no place there or at other joints."""
        names = ("surface_parent", "surface_child")
        if self.type != "contact":
            for name in (*names, "rolling"):
                if getattr(self, name) not in (None, False):
                    (place / name).say(f"belongs to a contact joint, but type is {self.type}")
            return
        for name in names:
            if getattr(self, name) is None:
                (place / name).say("is missing; a contact joint needs it")
        for name in _NOT_OF_CONTACT:
            if getattr(self, name) is not None:
                why = "follow from where its bodies are" if name == "coordinates" else "have no place there"
                (place / name).say(f"must not be given: a contact joint's {name} {why}")

    @law("type", "rolling", "speeds")
    def check_rolling(self, place: Place) -> None:
        if self.type == "contact" and self.rolling and self.speeds and any(self.speeds[:2]):
            (place / "speeds").say("must begin with 0, 0: a joint that rolls does not slide")

    @law("parent", "child")
    def check_ends(self, place: Place) -> None:
        if self.parent == self.child:
            place.say("joins a body to itself: parent and child are the same")


class CaughtJoint(Joint):
    """A joint whose ends are on their way together: it only draws, and in no tree has coordinates yet."""

    is_caught: ClassVar[bool] = True

    @classmethod
    def of(cls, joint: Joint) -> CaughtJoint:
        """The same joint on its way, without what it exerts."""
        given = {name: getattr(joint, name) for name in fields_of(Joint) if name not in (*_OF_FORCES, *_EXERTED)}
        return cls(**given)
