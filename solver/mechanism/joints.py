# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints and the motors in them."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from .bodies import IDENTITY, Quaternion, Vector
from .curves import AxisPull, Damper, Stop
from .joint_types import AXES, GENERIC, JOINT_TYPES, TYPE_NAMES, JointType, generic_type
from .keyed_motion import course, sample_led
from .record import Record, fields_of, key, law, record
from .stiction import check_static
from .surfaces import Smooth, surface
from .table import Number, Numbers, any_number, not_negative
from .value_rules import (
    Place,
    Rule,
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

_OF_STATE, _OF_STICTION = ("coordinates", "speeds"), ("static_friction", "stribeck_speed")
_OF_FORCES = "stiffness", "rest", "damping", "friction", *_OF_STICTION, "armature"
_NOT_OF_CONTACT = (
    *("coordinates", "stiffness", "rest", "friction", *_OF_STICTION, "armature", "limits", "bounciness", "motor"),
    *("pull", "damper", "stops"),
)
_EXERTED = "limits", "bounciness", "motor", "speeds"
_OF_CURVES = "pull", "damper", "stops"
_PER_COORDINATE = (*_OF_STATE, *_OF_FORCES, "limits", "bounciness", *_OF_CURVES)

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

    def on(self, coordinate: int) -> JointMotor:
        """That of one coordinate, which has single values."""
        values = {name: getattr(self, name) for name in self.VALUES}
        if any(isinstance(value, tuple) for value in values.values()):
            values = {n: value[coordinate] if isinstance(value, tuple) else value for n, value in values.items()}
            return JointMotor(self.mode, **values)
        return self

    @law("mode", *VALUES)
    def check_values(self, place: Place) -> None:
        needed, optional = self.KEYS_OF_MODE[self.mode]
        for name in self.VALUES:
            given = getattr(self, name) is not None
            if name in needed and not given:
                (place / name).say(f"is missing; a motor of mode {self.mode} needs it")
            if given and name not in needed + optional:
                (place / name).say(f"has no meaning for a motor of mode {self.mode}")


_one_motor = record(JointMotor)
_motors = list_of(lambda value, place: None if value is None else _one_motor(value, place))
_motor = either(_one_motor, _motors)


def _tables(cls: type[Record]) -> Rule:
    """A table of force, or null, per coordinate."""
    table = record(cls)
    return per_coordinate(lambda value, place: None if value is None else table(value, place))


@dataclass
class Joint(Record):
    """A joint between `parent` (None: the world) and `child`; the axis of a one-axis joint is its frame's local Z.

    An action that sets `enabled` to false cuts it. Tables of force, `pull` over a coordinate and `damper` over its
    rate, stand for `stiffness` and `damping`; `stops` over how far it is past its limits make these give way.
    """

    kind: ClassVar[str] = "joint"
    name: str = key(text)
    type: str = key(one_of(*TYPE_NAMES))
    parent: str | None = key(body_name, null=True)
    child: str = key(body_name)
    position: Vector = key(vector)
    orientation: Quaternion = key(quaternion, IDENTITY)
    free: tuple[str, ...] | None = key(list_of(one_of(*AXES)), None)
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
    static_friction: Numbers | None = key(per_coordinate(not_negative), None, null=True, changeable=True)
    stribeck_speed: PerCoordinate | None = key(per_coordinate(number(above=0)), None, null=True, changeable=True)
    armature: PerCoordinate | None = key(per_coordinate(number(at_least=0)), None, changeable=True)
    limits: tuple[tuple[float | None, float | None] | None, ...] | None = key(limits, None, null=True, changeable=True)
    bounciness: PerCoordinate | None = key(per_coordinate(number(at_least=0, at_most=1)), None, changeable=True)
    pull: tuple[AxisPull | None, ...] | None = key(_tables(AxisPull), None, null=True, changeable=True)
    damper: tuple[Damper | None, ...] | None = key(_tables(Damper), None, null=True, changeable=True)
    stops: tuple[Stop | None, ...] | None = key(_tables(Stop), None, null=True, changeable=True)
    motor: JointMotor | tuple[JointMotor | None, ...] | None = key(_motor, None, changeable=True)
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

    @property
    def joint_type(self) -> JointType:
        """Its axes; the joint must be one that has its type and, if that is generic, its free axes right."""
        return generic_type(self.free) if self.type == GENERIC else JOINT_TYPES[self.type]

    @property
    def count(self) -> int:
        """The number of its coordinates."""
        return len(self.joint_type.axes)

    @property
    def chart_coordinates(self) -> range:
        """The numbers of those coordinates that are a rotation vector."""
        return range(self.count - 3, self.count) if self.joint_type.is_charted else range(0)

    @property
    def motors(self) -> tuple[JointMotor | None, ...]:
        """The motor of each coordinate, its values single numbers."""
        if self.motor is None or isinstance(self.motor, tuple):
            return self.motor or (None,) * self.count
        return tuple(self.motor.on(c) for c in range(self.count))

    @law("type", "free")
    def check_free(self, place: Place) -> None:
        """Say what is wrong with the axes of a generic joint, or that others have theirs by their type."""
        if self.type != GENERIC:
            if self.free is not None:
                (place / "free").say(f"belongs to a generic joint, but type is {self.type}")
            return
        where, axes = place / "free", ", ".join(AXES)
        if self.free is None:
            where.say(f"is missing; a generic joint needs it: those of its axes that are not locked, of {axes}")
        elif not self.free:
            where.say(f"must name an axis of {axes}: with all six locked it is a fixed joint")
        elif list(self.free) != sorted(set(self.free), key=AXES.index):
            where.say(f"must name each axis once, in the order {axes}")
        elif len(self.free) == len(AXES):
            where.say("must leave an axis locked: with all six free it holds nothing, which springs between bodies do")

    @law("type", "tau", "within", "force")
    def check_drawing(self, place: Place) -> None:
        for name in ("tau", "within", "force"):
            if getattr(self, name) is not None and self.type in ("screw", "contact"):
                (place / name).say(f"has no meaning for a {self.type} joint, which is not drawn together")

    @property
    def _has_axes(self) -> bool:
        return self.type != GENERIC or bool(self.free)

    @law("type", "free")
    def check_counts(self, place: Place) -> None:
        for name in _PER_COORDINATE if self._has_axes else ():
            value = getattr(self, name)
            if isinstance(value, tuple):
                self._check_count(len(value), place / name)

    @law("friction", "static_friction")
    def check_friction(self, place: Place) -> None:
        """Say where an axis that stands would be held by less than one that slides."""
        kinetic = self.friction or ()
        for c, static in enumerate(self.static_friction or ()):
            check_static(static, kinetic[c] if c < len(kinetic) else 0.0, place / "static_friction" / c)

    @law("type", "free", "bounciness")
    def check_bounciness(self, place: Place) -> None:
        if not self._has_axes or not self.bounciness or len(self.bounciness) != self.count:
            return
        if any(self.bounciness[c] for c in self.chart_coordinates):
            which = "a spherical joint" if self.type == "spherical" else "three free turns"
            (place / "bounciness").say(f"must be 0: limits of {which} are stops that give way, and do not bounce")

    @property
    def has_curves(self) -> bool:
        """True if a spring, damper or stop of its has its force by a table."""
        return any(table is not None for name in _OF_CURVES for table in getattr(self, name) or ())

    @law("type", "free", *_OF_CURVES, "stiffness", "rest", "damping", "limits", "bounciness")
    def check_curves(self, place: Place) -> None:
        """Say where a table and a number tell the same force, and which stops have no limit."""
        if not self.has_curves or not self._has_axes:
            return
        told = ("pull", "stiffness", "force"), ("pull", "rest", "force"), ("damper", "damping", "force")
        for table, name, what in (*told, ("stops", "bounciness", "rebound")):
            tables, numbers = getattr(self, table) or (), getattr(self, name) or ()
            for c, (given, value) in enumerate(zip(tables, numbers, strict=False)):
                if given is not None and value != 0.0:
                    (place / name / c).say(f"must be 0, since {table} tells the {what} of this coordinate")
        which = "a spherical joint" if self.type == "spherical" else "three free turns"
        for c in self.chart_coordinates:
            if self.pull and c < len(self.pull) and self.pull[c] is not None:
                (place / "pull" / c).say(f"must be null: turns of {which} are a rotation vector; give it a stiffness")
            if self.stops and c < len(self.stops) and self.stops[c] is not None:
                (place / "stops" / c).say(f"must be null: limits of {which} are stops of their own")
        for c, stop in enumerate(self.stops or ()):
            limits = self.limits[c] if self.limits and c < len(self.limits) else None
            if c in self.chart_coordinates:
                continue
            if stop is not None and (limits is None or limits == (None, None)):
                (place / "stops" / c).say("must be null without limits of this coordinate, past which it would push")

    @law("type", "free", "motor")
    def check_motor_counts(self, place: Place) -> None:
        if not self._has_axes:
            return
        if isinstance(self.motor, tuple):
            self._check_count(len(self.motor), place / "motor")
        for name in JointMotor.VALUES:
            value = getattr(self.motor, name, None)
            if value is not None:
                self._check_count(len(value) if isinstance(value, tuple) else 1, place / "motor" / name)
            for c, motor in enumerate(self.motor if isinstance(self.motor, tuple) else ()):
                if isinstance(getattr(motor, name, None), tuple):
                    (place / "motor" / c / name).say("must be one number or table: the motor is that of one coordinate")

    @property
    def led(self) -> list[Number | None] | None:
        """Target of each coordinate that a motor of mode `keyed` leads (rad, m); None without such a motor."""
        if self.motor is None:
            return None
        targets = [motor.target if motor is not None and motor.mode == "keyed" else None for motor in self.motors]
        return targets if any(target is not None for target in targets) else None

    @property
    def start_coordinates(self) -> PerCoordinate | None:
        """The coordinates at the start: those given, or those of a keyed motor at 0 s; None where all are 0."""
        led = self.led
        if led is None:
            return self.coordinates
        given = self.coordinates or (0.0,) * len(led)
        starts = zip(led, given, strict=True)
        return tuple(q if target is None else float(sample_led(target, np.zeros(1))[0, 0]) for target, q in starts)

    def without_leads(self) -> Joint:
        """The same joint where it is, without the motors that lead coordinates."""
        others = tuple(None if motor is None or motor.mode == "keyed" else motor for motor in self.motors)
        return replace(self, motor=others if any(others) else None, coordinates=self.start_coordinates)

    @law("type", "free", "coordinates", "limits", "motor")
    def check_led(self, place: Place) -> None:
        """Say where a keyed motor leads that cannot be: from another start, or past a limit."""
        if self.motor is None or self.type == "contact" or not self._has_axes:
            return
        given = self.motor if isinstance(self.motor, tuple) else (), self.coordinates, self.limits
        if any(values and len(values) != self.count for values in given) or not self._counts_motor():
            return  # which is said elsewhere
        for c, target in enumerate(self.led or ()):
            if target is None or isinstance(target, tuple):
                continue
            where = place / "motor" / c / "mode" if isinstance(self.motor, tuple) else place / "motor" / "mode"
            if c in self.chart_coordinates:
                which = (
                    "a spherical joint's rotation vector" if self.type == "spherical" else "that of three free turns"
                )
                where.say(f"must not be keyed: {which} jumps; lead its child by a path instead")
                return
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

    def _counts_motor(self) -> bool:
        """True if each list of a motor has one value per coordinate."""
        values = (getattr(self.motor, name, None) for name in JointMotor.VALUES)
        return all(not isinstance(value, tuple) or len(value) == self.count for value in values)

    def _check_count(self, given: int, place: Place) -> None:
        count = self.count
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
        others = (*_OF_FORCES, *_OF_CURVES, *_EXERTED)
        return cls(**{name: getattr(joint, name) for name in fields_of(Joint) if name not in others})
