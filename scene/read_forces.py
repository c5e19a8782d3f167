# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties of role FORCE become forces: motors, dampings, springs and a body's own gravity."""

import bpy
import numpy as np

from ..solver.mechanism import Damping, Gravity, Motor, Spring
from . import poses
from .reading import Reading


def read_force(reading: Reading, owner: bpy.types.Object) -> None:
    """Add a force to the mechanism, or say what is wrong with it. Animated numbers become tables."""
    settings = owner.ves
    if settings.body_a is None:
        reading.error(owner, "acts on nothing: choose its body")
        return
    body = reading.end(owner, settings.body_a)
    if body is None:
        return
    READERS[settings.force_type](reading, owner, body, reading.poses[owner])


def _read_gravity(reading: Reading, owner: bpy.types.Object, body: str, _pose: poses.Pose) -> None:
    force = Gravity(name=owner.name_full, body=body, acceleration=(0.0, 0.0, 0.0))
    reading.mechanism.forces.append(force)
    reading.over_time(owner, lambda s: list(s.acceleration), lambda values: setattr(force, "acceleration", values))


def _read_damping(reading: Reading, owner: bpy.types.Object, body: str, _pose: poses.Pose) -> None:
    force = Damping(name=owner.name_full, body=body)
    reading.mechanism.forces.append(force)

    def use(values: list) -> None:
        force.linear, force.angular = values

    reading.over_time(owner, lambda s: [s.linear, s.angular], use)


def _read_motor(reading: Reading, owner: bpy.types.Object, body: str, pose: poses.Pose) -> None:
    force = Motor(name=owner.name_full, body=body, point=pose.position, orientation=pose.orientation)
    reading.mechanism.forces.append(force)

    def use(values: list) -> None:
        force.force, force.torque = values[:3], values[3:]

    reading.over_time(owner, lambda s: [*s.force, *s.torque], use)


def _read_spring(reading: Reading, owner: bpy.types.Object, body: str, pose: poses.Pose) -> None:
    settings = owner.ves
    if settings.body_b is None and not settings.to_world:
        reading.error(owner, "has only one end: choose its second body, or turn on To World")
        return
    other, point_b = None, np.array(settings.point_b, dtype=np.float64)
    if settings.body_b:
        other = reading.end(owner, settings.body_b)
        if other is None:
            return
        matrix = np.array(settings.body_b.evaluated_get(reading.depsgraph).matrix_world, dtype=np.float64)
        point_b = matrix[:3, :3] @ point_b + matrix[:3, 3]
    relaxed = float(np.linalg.norm(pose.position - point_b))
    force = Spring(
        name=owner.name_full,
        body_a=body,
        body_b=other,
        point_a=pose.position,
        point_b=point_b,
        stiffness=0.0,
        rest_length=relaxed,
    )
    reading.mechanism.forces.append(force)

    def use(values: list) -> None:
        force.stiffness, force.damping, length = values
        force.rest_length = length if settings.use_rest_length else relaxed

    reading.over_time(owner, lambda s: [s.spring_stiffness, s.spring_damping, s.rest_length], use)


READERS = {"GRAVITY": _read_gravity, "DAMPING": _read_damping, "MOTOR": _read_motor, "SPRING": _read_spring}
