# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism becomes objects: the reverse of `read`, for mechanism files. What the scene has no place for is said."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ..solver.mechanism import COORDINATES, Joint, Mechanism
from . import poses
from .build_animation import put_numbers
from .build_bodies import build_body, build_contact
from .build_constraints import build_constraint
from .build_forces import build_force
from .build_rides import build_ride
from .empties import add_empty
from .joint_properties import COORDINATE_KINDS, DISPLAY, set_coordinate_values, set_limits
from .recorded_actions import add_actions


class Builder:
    """Makes the objects of a mechanism in a collection: `objects` are its bodies by name, `ties` the Empties, `joints`
    of these those of joints.

    `left_out` says what has no place in a scene.
    """

    def __init__(self, context: bpy.types.Context, mechanism: Mechanism) -> None:
        self.scene, self.view_layer = context.scene, context.view_layer
        self.mechanism = mechanism
        self.collection = bpy.data.collections.new(mechanism.name or "Mechanism")
        self.objects: dict[str, bpy.types.Object] = {}
        self.ties: dict[str, bpy.types.Object] = {}
        self.joints: dict[str, bpy.types.Object] = {}
        self.left_out: list[str] = []
        self.size = _overall_size(mechanism)

    def build(self) -> None:
        """Make everything; time 0 is the scene's first frame."""
        self.scene.collection.children.link(self.collection)
        self.scene.gravity = self.mechanism.gravity
        self.scene.use_gravity = any(self.mechanism.gravity)
        for body in self.mechanism.bodies:
            self.objects[body.name] = build_body(self, body)
        self.scene.frame_set(self.scene.frame_start)
        for joint in self.mechanism.joints:
            self._joint(joint)
        self.view_layer.update()
        for constraint in self.mechanism.constraints:
            build_constraint(self, constraint)
        for force in self.mechanism.forces:
            build_force(self, force)
        self.left_out += add_actions(self.scene, self.mechanism.actions, self.ties)
        if self.mechanism.contact:
            build_contact(self, self.mechanism.contact)

    def _joint(self, joint: Joint) -> None:
        ends = (self.objects[joint.parent] if joint.parent else None, self.objects[joint.child])
        empty = self.empty(joint.name, "JOINT", joint.position, joint.orientation, ends)
        self.joints[joint.name] = empty
        settings, count = empty.ves, COORDINATES[joint.type]
        settings.joint_type = joint.type.upper()
        settings.to_world = joint.parent is None
        empty.empty_display_type = DISPLAY[settings.joint_type]
        if joint.type == "contact":
            build_ride(self, joint, empty)
            return
        if joint.pitch is not None:
            settings.pitch = joint.pitch
        for name in ("coordinates", "rest", "speeds"):
            set_coordinate_values(settings, name, list(getattr(joint, name) or [0.0] * count))
        settings.use_speeds = joint.speeds is not None
        for name in ("stiffness", "damping", "friction", "armature"):
            for i, value in enumerate(getattr(joint, name) or ()):
                getattr(settings, name)[i] = value
        set_limits(settings, joint.limits or [])
        if joint.motor:
            self._joint_motor(empty, joint)

    def _joint_motor(self, empty: bpy.types.Object, joint: Joint) -> None:
        motor, count = joint.motor, COORDINATES[joint.type]
        empty.ves.motor_mode = motor.mode.upper()
        for name in ("value", "stiffness", "damping", "max_force"):
            if getattr(motor, name) is not None:
                put_numbers(empty, f"motor_{name}", motor.per_coordinate(name, count), self.scene)
        empty.ves.use_motor_max_force = motor.max_force is not None
        if motor.target is not None:
            target = "motor_speed" if motor.mode == "speed" else "motor_target"
            for i, number in enumerate(motor.per_coordinate("target", count)):
                kind = COORDINATE_KINDS[empty.ves.joint_type][i]
                path = target if kind == "ANGLE" else f"{target}_travel"
                put_numbers(empty, path, [number], self.scene, first_index=i)

    def empty(self, name: str, role: str, position, orientation, bodies) -> bpy.types.Object:
        """An Empty that plays a part in the mechanism; `bodies` are a and b."""
        matrix = Matrix(poses.join(position, orientation, np.eye(3)).tolist())
        self.ties[name] = add_empty(name, role, matrix, bodies, 0.15 * self.size, self.collection)
        return self.ties[name]


def _overall_size(mechanism: Mechanism) -> float:
    """Length of a typical body, for the look of what has no size of its own."""
    radii = [
        np.sqrt(
            np.trace(np.diag(body.inertia) if len(np.shape(body.inertia)) == 1 else np.array(body.inertia)) / body.mass
        )
        for body in mechanism.bodies
        if body.mass and body.inertia is not None
    ]
    return 2.0 * float(np.median(radii)) if radii else 1.0
