# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of role JOINT become joints: hinges, sliders, balls, ..."""

import math
from collections.abc import Callable, Iterable, Sequence

import bpy
import numpy as np

from ...solver.assembly.rebase import counted_from, shifted
from ...solver.mechanism import Joint, JointMotor
from ...solver.mechanism.joint_types import AXES
from ...solver.mechanism.keyed_motion import sample_led
from ...solver.mechanism.record import plain
from ...solver.mechanism.table import Table
from ..geometry.rounding import as_typed
from ..parts.tables import of_coordinate
from ..properties.joint import (
    ANGLE,
    MOTOR_MODES,
    coordinate_kinds,
    coordinate_values,
    free_axes,
    has_motor_maximum,
    motor_mode,
    slot,
)
from .bodies import is_animated_bone
from .open_ties import closeness, joint_gap
from .placed import limits_from_placed, placed_at
from .reading import Reading
from .rides import read_ride
from .stepped import settings_now, watch_joint, watch_modes, watched_modes

NUMBERS_OF_MODE = {
    "force": (("motor_value", "value"),),
    "speed": (("motor_speed", "target"),),
    "position": (("motor_target", "target"), ("motor_stiffness", "stiffness"), ("motor_damping", "damping")),
    "keyed": (("motor_target", "target"),),
}
"""Of each mode of a motor: the setting, and the key that it becomes."""
Kind = tuple[str, bool]
"""The mode of a motor, and whether it has a maximum."""
ALL_KINDS = [(mode, has_maximum) for mode, *_ in MOTOR_MODES for has_maximum in (False, True)]
AT_LIMIT = 1e-6  # rad or m: what single precision makes of a joint that starts at its limit


def read_joint(reading: Reading, owner: bpy.types.Object) -> None:
    """Add an Empty of role JOINT to the mechanism, or say what is wrong with it.

    One between two bones that their animation moves holds nothing, and is left out.
    """
    if all(end is not None and is_animated_bone(end) for end in (owner.ves.body_a, owner.ves.body_b)):
        return
    ends = _joint_ends(reading, owner)
    if ends is None:
        return
    settings = owner.ves
    if settings.joint_type == "CONTACT":
        read_ride(reading, owner, ends)
        return
    kind, free = settings.joint_type.lower(), free_axes(settings) if settings.joint_type == "GENERIC" else None
    if free is not None and not _has_sound_axes(reading, owner, free):
        return
    pose = reading.poses[owner]
    joint = Joint(
        name=owner.name_full,
        type=kind,
        free=free,
        parent=ends[0],
        child=ends[1],
        position=pose.position,
        orientation=pose.orientation,
        pitch=settings.pitch if kind == "screw" else None,
        speeds=coordinate_values(settings, "speeds") if settings.use_speeds and coordinate_kinds(settings) else None,
        **(reading.catching(owner) if kind != "screw" else {}),
    )
    keyed = [motor_mode(settings_now(reading, owner, watched_modes(owner)), c) == "KEYED" for c in range(joint.count)]
    if not any(keyed):
        joint.coordinates = _given(coordinate_values(settings, "coordinates"))
    elif free is not None:
        starts = coordinate_values(settings, "coordinates")
        joint.coordinates = (
            None if all(keyed) else _given([0.0 if k else q for k, q in zip(keyed, starts, strict=True)])
        )
    joint.armature = _given(coordinate_values(settings, "armature"))
    placed = placed_at(owner)
    joint.limits = limits_from_placed(joint, placed, _limits(reading, owner))
    _read_tables(reading, owner, joint, placed)
    _read_efforts(reading, owner, joint, placed)
    if joint.limits and kind != "spherical":
        joint.bounciness = _given(_without(joint.stops, _bounces(joint, coordinate_values(settings, "bounciness"))))
    reading.mechanism.joints.append(joint)
    watch_joint(reading, owner, joint)
    if settings.anchor_b is not None:
        _read_mark(reading, owner, joint)
    if joint.count:
        _read_motor(reading, owner, joint, placed)


def _has_sound_axes(reading: Reading, owner: bpy.types.Object, free: tuple[str, ...]) -> bool:
    """False, once it is said, for a generic joint all of whose axes are locked, or free."""
    if not free:
        reading.error(owner, "has all six axes locked: free one, or make it a Weld")
    elif len(free) == len(AXES):
        reading.error(owner, "has all six axes free, so it holds nothing: lock one, or use springs between the bodies")
    return 0 < len(free) < len(AXES)


def _bounces(joint: Joint, values: list[float]) -> list[float]:
    """Those of each coordinate; a rotation vector's limits do not bounce."""
    return [0.0 if c in joint.chart_coordinates else value for c, value in enumerate(values)]


def read_child_frames(reading: Reading) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Frames of the child's sides of joints that have a mark: position (3,) and orientation (4,) by the joint's name.

    The mechanism's joint frames are those of the parents' sides. This is the `child_frames` of the solver's assembly.
    """
    return {owner.name_full: (mark.position, mark.orientation) for owner, mark in reading.marks.items()}


def _read_mark(reading: Reading, owner: bpy.types.Object, joint: Joint) -> None:
    """Note where the child's side is, and whether the joint is still open."""
    settings = owner.ves
    child = settings.body_b or settings.body_a
    mark = reading.other_side(owner, child)
    if mark is not None:
        reading.marks[owner] = mark
        gap = joint_gap(joint, mark, closeness(mark.position, child, settings.body_a))
        if gap and not reading.is_on(owner):
            reading.warn(
                owner,
                f"is off at first, and its two sides are {gap} apart: once on, it holds its bodies as they are drawn; "
                "to draw two points together use Point to Point",
            )
        elif gap:
            reading.leave_open(owner, f"its two sides are {gap} apart")


def _joint_ends(reading: Reading, owner: bpy.types.Object) -> tuple[str | None, str] | None:
    """Names of parent (None: the world) and child, or None after saying what is missing."""
    settings = owner.ves
    given = [body for body in (settings.body_a, settings.body_b) if body]
    if not given:
        reading.error(owner, "connects nothing: choose its bodies")
        return None
    if len(given) == 1 and not settings.to_world:
        reading.error(owner, f"has only one end, {given[0].name}: choose the other body, or turn on To World")
        return None
    if len(given) == 2 and given[0] == given[1]:
        reading.error(owner, f"connects {given[0].name} to itself: choose another body")
        return None
    names = [reading.end(owner, body) for body in given]
    if None in names:
        return None
    return (names[0], names[1]) if len(names) == 2 else (None, names[0])


def _limits(reading: Reading, owner: bpy.types.Object) -> list[tuple[float | None, float | None] | None] | None:
    """[lower, upper] per coordinate, None where there is none; says what is wrong with them."""
    settings = owner.ves
    kinds = coordinate_kinds(settings)
    moved, placed = coordinate_values(settings, "coordinates"), coordinate_values(settings, "placed")
    starts = [start + zero for start, zero in zip(moved, placed, strict=True)]
    bounds = zip(coordinate_values(settings, "lower_limit"), coordinate_values(settings, "upper_limit"), strict=True)
    use_lower, use_upper = (coordinate_values(settings, f"use_{side}_limit") for side in ("lower", "upper"))
    limits = []
    for i, (lowest, highest) in enumerate(bounds):
        lower, upper = lowest if use_lower[i] else None, highest if use_upper[i] else None
        limits.append(None if lower is None and upper is None else (lower, upper))
        if lower is not None and upper is not None and not lower < upper:
            shown = f"{_shown(lower, kinds[i])}, {_shown(upper, kinds[i])}"
            reading.error(owner, f"has a lower limit that is not below the upper one ({shown}): change one of them")
        elif (lower is not None and starts[i] < lower - AT_LIMIT) or (
            upper is not None and starts[i] > upper + AT_LIMIT
        ):
            within = " and ".join(
                f"{word} {_shown(bound, kinds[i])}"
                for word, bound in (("at least", lower), ("at most", upper))
                if bound is not None
            )
            reading.warn(
                owner,
                f"starts at {_shown(starts[i], kinds[i])}, but its limits are {within}, "
                "so it jumps back at once: change the limits, the start or the pose",
            )
    return limits if any(limits) else None


def _shown(value: float, kind: str) -> str:
    return f"{math.degrees(value):.4g}°" if kind == ANGLE else f"{value:.4g} m"


def _read_efforts(reading: Reading, owner: bpy.types.Object, joint: Joint, placed: tuple[float, ...]) -> None:
    """Give the joint its spring, damper and dry friction; whatever is animated becomes a table."""

    def put(name: str):
        table = {"stiffness": "pull", "damping": "damper"}.get(name, "")
        return lambda values: setattr(joint, name, _given(_without(getattr(joint, table, None), values)))

    def put_rest(values: list) -> None:
        values = counted_from(joint, placed, values) if placed else values
        joint.rest = _given(_without(joint.pull, values))

    reading.over_time(owner, lambda settings: coordinate_values(settings, "rest"), put_rest, ("rest", "rest_travel"))
    for name in ("stiffness", "damping", "friction"):
        names = (name, f"{name}_travel")
        reading.over_time(owner, lambda settings, name=name: coordinate_values(settings, name), put(name), names)

    def put_static(values: list) -> None:
        """A coordinate without one of its own is held by its friction."""
        if any(values):
            kinetic = joint.friction or (0.0,) * len(values)
            joint.static_friction = [k if s == 0.0 else s for s, k in zip(values, kinetic, strict=True)]
            joint.stribeck_speed = [as_typed(speed) for speed in coordinate_values(owner.ves, "stribeck_speed")]

    names = ("static_friction", "static_friction_travel")
    reading.over_time(owner, lambda settings: coordinate_values(settings, "static_friction"), put_static, names)


def _read_tables(reading: Reading, owner: bpy.types.Object, joint: Joint, placed: tuple[float, ...]) -> None:
    """Give the joint what goes by tables, in the place of its numbers."""

    def read(kind: str, coordinates: Iterable[int]) -> tuple | None:
        found = {c: reading.table(owner, of_coordinate(kind, owner.ves, c)) for c in coordinates}
        return tuple(found.get(c) for c in range(joint.count)) if any(found.values()) else None

    others = [c for c in range(joint.count) if c not in joint.chart_coordinates]
    limited = [c for c in others if joint.limits is not None and joint.limits[c] not in (None, (None, None))]
    joint.pull, joint.damper = read("PULL", others), read("DAMPER", range(joint.count))
    joint.stops = read("STOP", limited)
    if placed and joint.pull:
        joint.pull = shifted(joint, placed, {"pull": joint.pull})["pull"]


def _without(tables: tuple | None, values: list) -> list:
    """The numbers of coordinates, 0 where a table stands for them."""
    return [0.0 if table else value for table, value in zip(tables or (None,) * len(values), values, strict=True)]


def _read_motor(reading: Reading, owner: bpy.types.Object, joint: Joint, placed: tuple[float, ...]) -> None:
    """Give the joint its motor, of a generic joint one to each axis; what is animated becomes a table.

    Where the kind of a motor is keyed, those of all kinds are read, and each key puts one of them in.
    """
    is_generic, count = joint.free is not None, joint.count
    watched = watched_modes(owner)
    made: dict[tuple[int, Kind], JointMotor | None] = {}

    def kinds_in(settings: bpy.types.PropertyGroup) -> list[Kind]:
        coordinates = range(count if is_generic else 1)
        return [(motor_mode(settings, c), has_motor_maximum(settings, c)) for c in coordinates]

    def motor_of(kinds: Sequence[Kind]) -> JointMotor | tuple[JointMotor | None, ...] | None:
        motors = tuple(made[c, kind] for c, kind in enumerate(kinds))
        return (motors if any(motors) else None) if is_generic else motors[0]

    def is_possible(kinds: Sequence[Kind]) -> bool:
        for c, (mode, _) in enumerate(kinds):
            if mode == "KEYED" and not is_generic and joint.type == "spherical":
                text = "is a Ball, which has no angle that could be keyed exactly: lead its child by Follow Path"
            elif mode == "KEYED" and is_generic and c in joint.chart_coordinates:
                text = f"has three free turns, of which none can be keyed exactly: lock one, or key no {joint.free[c]}"
            else:
                continue
            reading.error(owner, text)
            return False
        return True

    def put() -> None:
        """Give the joint the motors of its start, as far as they have been read."""
        joint.motor = motor_of(at_first)
        for c, motor in enumerate(joint.motor if is_generic and joint.motor is not None else ()):
            is_led = motor is not None and motor.mode == "keyed" and motor.target is not None
            if is_led and joint.coordinates is not None:
                start = float(sample_led(motor.target, np.zeros(1))[0, 0])
                joint.coordinates = (*joint.coordinates[:c], start, *joint.coordinates[c + 1 :])

    def counted(coordinate: int | None, values: list) -> list:
        if not placed or coordinate is None:
            return counted_from(joint, placed, values) if placed else values
        (value,), zero = values, placed[coordinate]
        return [Table(value.times, tuple(x - zero for x in value.values)) if isinstance(value, Table) else value - zero]

    at_first = kinds_in(settings_now(reading, owner, watched))
    if not is_possible(at_first):
        return
    for c, kind in enumerate(at_first):
        for each in ALL_KINDS if watched else (kind,):
            made[c, each] = JointMotor(mode=each[0].lower()) if each[0] != "NONE" else None
    put()
    for (c, (_, has_maximum)), motor in made.items():
        if motor is not None:
            _read_numbers(reading, owner, motor, has_maximum, counted, c if is_generic else None, put)
    if watched:
        watch_modes(
            reading,
            owner,
            watched,
            lambda settings: [ALL_KINDS.index(kind) for kind in kinds_in(settings)],
            lambda numbers: [ALL_KINDS[number] for number in numbers],
            lambda kinds: {"motor": plain(motor_of(kinds))} if is_possible(kinds) else None,
        )


def _read_numbers(
    reading: Reading,
    owner: bpy.types.Object,
    motor: JointMotor,
    has_maximum: bool,
    counted: Callable[[int | None, list], list],
    coordinate: int | None,
    then: Callable[[], None],
) -> None:
    """Give the motor of a coordinate, or the one for all of them, its numbers; what is animated becomes a table.

    `counted`: targets of a coordinate, counted from where the bodies are placed.
    """
    numbers = list(NUMBERS_OF_MODE[motor.mode])
    if has_maximum and motor.mode in ("speed", "position"):
        numbers.append(("motor_max_force", "max_force"))

    def put(name: str, key: str) -> Callable[[list], None]:
        def use(values: list) -> None:
            values = counted(coordinate, values) if name == "motor_target" else values
            setattr(motor, key, tuple(values) if coordinate is None else values[0])
            then()

        return use

    for name, key in numbers:
        if coordinate is None:
            reading.over_time(owner, lambda settings, name=name: coordinate_values(settings, name), put(name, key))
        else:
            path, index = slot(owner.ves, name, coordinate)
            reading.over_time(owner, _entry(path, index), put(name, key), (path,))


def _entry(path: str, index: int) -> Callable[[bpy.types.PropertyGroup], list[float]]:
    return lambda settings: [getattr(settings, path)[index]]


def _given(values: list[float]) -> list[float] | None:
    """None for values that are all zero, which is what leaving them out means."""
    return list(values) if any(values) else None
