# SPDX-License-Identifier: GPL-3.0-or-later
"""A mechanism becomes objects: the reverse of `read`, for mechanism files.

The file knows no meshes, so each body is shown as the box of the same mass that has its inertia. What the scene has no
place for (contact, ...) is left out and said.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix

from ..solver.mechanism import COORDINATES, Body, Joint, Mechanism
from . import poses
from .build_animation import key_motion, put_numbers
from .build_constraints import build_constraint
from .build_forces import build_force
from .empties import add_empty
from .joint_properties import COORDINATE_KINDS, DISPLAY, set_coordinate_values, set_limits
from .recorded_actions import add_actions

THINNEST = 1e-3
"""Smallest side of a box, as a part of its largest: a rod without thickness gets some, so that it can be seen."""


class Builder:
    """Makes the objects of a mechanism in a collection: `objects` are its bodies by name, `ties` the Empties.

    `left_out` says what has no place in a scene.
    """

    def __init__(self, context: bpy.types.Context, mechanism: Mechanism) -> None:
        self.scene, self.view_layer = context.scene, context.view_layer
        self.mechanism = mechanism
        self.collection = bpy.data.collections.new(mechanism.name or "Mechanism")
        self.objects: dict[str, bpy.types.Object] = {}
        self.ties: dict[str, bpy.types.Object] = {}
        self.left_out: list[str] = []
        self.size = _overall_size(mechanism)

    def build(self) -> None:
        """Make everything; time 0 is the scene's first frame."""
        self.scene.collection.children.link(self.collection)
        self.scene.gravity = self.mechanism.gravity
        self.scene.use_gravity = any(self.mechanism.gravity)
        for body in self.mechanism.bodies:
            self.objects[body.name] = self._body(body)
        self.scene.frame_set(self.scene.frame_start)
        for joint in self.mechanism.joints:
            self._joint(joint)
        for constraint in self.mechanism.constraints:
            build_constraint(self, constraint)
        for force in self.mechanism.forces:
            build_force(self, force)
        self.left_out += add_actions(self.scene, self.mechanism.actions, self.ties)
        if self.mechanism.contact:
            self.left_out.append("contact")

    def _body(self, body: Body) -> bpy.types.Object:
        corners = _box_corners(body, 0.1 * self.size)
        mesh = bpy.data.meshes.new(body.name)
        mesh.from_pydata(corners.tolist(), [], BOX_FACES)
        owner = bpy.data.objects.new(body.name, mesh)
        self.collection.objects.link(owner)
        owner.rotation_mode = "QUATERNION"
        position, orientation = body.position, body.orientation
        if body.keys:
            position, orientation = position or body.keys.positions[0], orientation or body.keys.orientations[0]
        owner.location = position or (0.0, 0.0, 0.0)
        owner.rotation_quaternion = orientation or (1.0, 0.0, 0.0, 0.0)
        settings = owner.ves
        settings.role, settings.motion = "BODY", body.motion.upper()
        if body.mass is not None:
            settings.mass_source, settings.mass = "GIVEN", body.mass
        settings.linear_velocity = body.linear_velocity or (0.0, 0.0, 0.0)
        settings.angular_velocity = body.angular_velocity or (0.0, 0.0, 0.0)
        if body.keys:
            key_motion(owner, body.keys, self.scene)
        if body.shape is not None:
            self.left_out.append(f"shape of body '{body.name}'")
        return owner

    def _joint(self, joint: Joint) -> None:
        ends = (self.objects[joint.parent] if joint.parent else None, self.objects[joint.child])
        empty = self.empty(joint.name, "JOINT", joint.position, joint.orientation, ends)
        settings, count = empty.ves, COORDINATES[joint.type]
        settings.joint_type = joint.type.upper()
        settings.to_world = joint.parent is None
        empty.empty_display_type = DISPLAY[settings.joint_type]
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


BOX_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def _box_corners(body: Body, fallback: float) -> np.ndarray:
    """Corners (8, 3) in the body frame of the box with the body's mass and inertia; a cube if it has none."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
    center = np.array(body.center_of_mass, dtype=np.float64)
    if body.mass is None or body.inertia is None:
        return center + 0.5 * fallback * signs
    inertia = np.array(body.inertia, dtype=np.float64)
    moments, axes = np.linalg.eigh(np.diag(inertia) if inertia.ndim == 1 else inertia)
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    squares = 6.0 * (moments.sum() - 2.0 * moments) / body.mass
    sides = np.sqrt(np.maximum(squares, 0.0))
    sides = np.maximum(sides, THINNEST * sides.max())
    return center + (0.5 * sides * signs) @ axes.T


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
