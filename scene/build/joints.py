# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints of a mechanism become Empties: part of `build`."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ...solver.mechanism import COORDINATES, Joint
from ...solver.mechanism.table import Number
from ..animation.keys_of_mechanism import put_numbers
from ..properties.joint import COORDINATE_KINDS, DISPLAY, set_coordinate_values, set_limits
from .builder import Builder
from .rides import build_ride


def build_joint(builder: Builder, joint: Joint) -> None:
    """The Empty of one joint, with its motor."""
    ends = (builder.objects[joint.parent] if joint.parent else None, builder.objects[joint.child])
    empty = builder.empty(joint.name, "JOINT", joint.position, joint.orientation, ends)
    builder.joints[joint.name] = empty
    settings, count = empty.ves, COORDINATES[joint.type]
    settings.joint_type = joint.type.upper()
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
        put_numbers(empty, name, getattr(joint, name) or (), builder.scene)
    _put_coordinates(builder, empty, "rest", joint.rest or ())
    set_limits(settings, joint.limits or [])
    if joint.motor:
        _motor(builder, empty, joint)


def _motor(builder: Builder, empty: bpy.types.Object, joint: Joint) -> None:
    motor, count = joint.motor, COORDINATES[joint.type]
    empty.ves.motor_mode = motor.mode.upper()
    for name in ("value", "stiffness", "damping", "max_force"):
        if getattr(motor, name) is not None:
            put_numbers(empty, f"motor_{name}", motor.per_coordinate(name, count), builder.scene)
    empty.ves.use_motor_max_force = motor.max_force is not None
    if motor.target is not None:
        target = "motor_speed" if motor.mode == "speed" else "motor_target"
        _put_coordinates(builder, empty, target, motor.per_coordinate("target", count), motor.mode == "keyed")


def _put_coordinates(
    builder: Builder, empty: bpy.types.Object, name: str, numbers: Sequence[Number], is_smooth: bool = False
) -> None:
    """Put numbers per coordinate where those that are angles, and those that are travels, belong."""
    for i, number in enumerate(numbers):
        kind = COORDINATE_KINDS[empty.ves.joint_type][i]
        path = name if kind == "ANGLE" else f"{name}_travel"
        put_numbers(empty, path, [number], builder.scene, i, is_smooth)
