# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a mechanism become Empties: part of `build`."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...solver.mechanism import Joint, JointMotor
from ...solver.mechanism.joint_types import AXES, GENERIC
from ...solver.mechanism.table import Number
from ..animation.keys_of_mechanism import put_numbers
from ..parts.tables import of_coordinate, put_table
from ..properties.joint import DISPLAY, motor_mode_of, set_coordinate_values, set_limits, slot
from .builder import Builder
from .rides import build_ride


def build_joint(builder: Builder, joint: Joint) -> None:
    """The Empty of one joint, with its motor."""
    ends = (builder.objects[joint.parent] if joint.parent else None, builder.objects[joint.child])
    empty = builder.empty(joint.name, "JOINT", joint.position, joint.orientation, ends)
    builder.joints[joint.name] = empty
    settings, count = empty.ves, joint.count
    settings.joint_type = joint.type.upper()
    if joint.type == GENERIC:
        locked = [axis not in joint.free for axis in AXES]
        settings.lock_travel, settings.lock_turn = locked[:3], locked[3:]
    settings.to_world = joint.parent is None
    settings.catch_time, settings.catch_within = joint.tau or 0.0, joint.within or 0.0
    settings.catch_force = joint.force or 0.0
    empty.empty_display_type = DISPLAY[settings.joint_type]
    if joint.type == "contact":
        build_ride(builder, joint, empty)
        return
    if joint.pitch is not None:
        settings.pitch = joint.pitch
    for name in ("coordinates", "speeds"):
        set_coordinate_values(settings, name, list(getattr(joint, name) or [0.0] * count))
    settings.use_speeds = joint.speeds is not None
    for name in ("stiffness", "damping", "friction", "armature", "bounciness"):
        _put_coordinates(builder, empty, name, getattr(joint, name) or ())
    _put_coordinates(builder, empty, "static_friction", joint.static_friction or ())
    if joint.stribeck_speed is not None:
        set_coordinate_values(settings, "stribeck_speed", list(joint.stribeck_speed))
    _put_coordinates(builder, empty, "rest", joint.rest or ())
    set_limits(settings, joint.limits or [])
    for kind, tables in (("PULL", joint.pull), ("DAMPER", joint.damper), ("STOP", joint.stops)):
        for c, table in enumerate(tables or ()):
            put_table(settings, of_coordinate(kind, settings, c), table)
    if joint.type == GENERIC and joint.motor:
        for c, motor in enumerate(joint.motors):
            if motor is not None:
                _axis_motor(builder, empty, joint, c, motor)
    elif joint.motor:
        _motor(builder, empty, joint)


def _axis_motor(builder: Builder, empty: bpy.types.Object, joint: Joint, coordinate: int, motor: JointMotor) -> None:
    """The motor on one axis of a generic joint."""
    axis = joint.free[coordinate]
    setattr(empty.ves, motor_mode_of(axis), motor.mode.upper())
    empty.ves.use_motor_max_axes[AXES.index(axis)] = motor.max_force is not None
    target = "motor_speed" if motor.mode == "speed" else "motor_target"
    values = {"motor_value": motor.value, target: motor.target, "motor_stiffness": motor.stiffness}
    values |= {"motor_damping": motor.damping, "motor_max_force": motor.max_force}
    for name, number in values.items():
        if number is not None:
            is_smooth = motor.mode == "keyed" and name == target
            _put_coordinates(builder, empty, name, (number,), is_smooth, coordinate)


def _motor(builder: Builder, empty: bpy.types.Object, joint: Joint) -> None:
    motor, count = joint.motor, joint.count
    empty.ves.motor_mode = motor.mode.upper()
    for name in ("value", "stiffness", "damping", "max_force"):
        if getattr(motor, name) is not None:
            _put_coordinates(builder, empty, f"motor_{name}", motor.per_coordinate(name, count))
    empty.ves.use_motor_max_force = motor.max_force is not None
    if motor.target is not None:
        target = "motor_speed" if motor.mode == "speed" else "motor_target"
        _put_coordinates(builder, empty, target, motor.per_coordinate("target", count), motor.mode == "keyed")


def _put_coordinates(
    builder: Builder,
    empty: bpy.types.Object,
    name: str,
    numbers: Sequence[Number],
    is_smooth: bool = False,
    first: int = 0,
) -> None:
    """Put numbers per coordinate, from the `first` on, where each belongs."""
    for i, number in enumerate(numbers, start=first):
        path, index = slot(empty.ves, name, i)
        put_numbers(empty, path, [number], builder.scene, index, is_smooth)
