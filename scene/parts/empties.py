# SPDX-License-Identifier: GPL-3.0-or-later
"""The Empties that stand for joints, constraints and forces, and how strong they are at first.

Each Empty is a child (in Blender's sense) of the body that it belongs to: of the joint's parent, or of the child where
the parent is the world. So it goes along when the body is moved, copied or animated before the simulation starts, and
rides along when the baked motion is played.
"""

import math
from collections.abc import Iterator

import bpy
from mathutils import Matrix

from ..geometry.rounding import round_number
from ..owner import Owner
from ..properties import joint as joint_properties
from ..properties.force_types import FORCES, GRAVITY, Suited
from .placement import Outline

LABELS = {item[0]: item[1] for item in joint_properties.JOINT_TYPES}

MOTOR_SPIN = math.pi  # rad/s, of a new motor that keeps a speed
SERVO_FREQUENCY = 2.0  # Hz, of a new position motor, which is critically damped


def add_empty(
    name: str,
    role: str,
    matrix: Matrix,
    bodies: tuple[bpy.types.Object | None, bpy.types.Object | None],
    size: float,
    collection: bpy.types.Collection,
    on_second: bool = False,
) -> bpy.types.Object:
    """A new Empty at `matrix` (world, rigid) that points at `bodies` (a, b) and is a child of the first of them.

    `on_second`: it is a child of the second, or of nothing.
    """
    empty = bpy.data.objects.new(name, None)
    collection.objects.link(empty)
    carrier = bodies[1] if on_second else bodies[0] or bodies[1]
    if carrier is not None:
        Owner(carrier).hang(empty, matrix)
    else:
        empty.matrix_basis = matrix
    empty.show_in_front = True
    empty.empty_display_size = size
    settings = empty.ves
    settings.role = role
    settings.body_a, settings.body_b = bodies
    return empty


def add_mark(
    tie: bpy.types.Object, matrix: Matrix, body: bpy.types.Object | None, size: float | None = None
) -> bpy.types.Object:
    """A plain Empty at `matrix` (world, rigid) that marks a tie's other side on `body` (None: in the world)."""
    mark = bpy.data.objects.new(f"{tie.name} End", None)
    for home in tie.users_collection:
        home.objects.link(mark)
    if body is not None:
        Owner(body).hang(mark, matrix)
    else:
        mark.matrix_basis = matrix
    mark.show_in_front = True
    mark.empty_display_size = tie.empty_display_size if size is None else size
    return mark


def home_of(ob: bpy.types.Object, context: bpy.types.Context) -> bpy.types.Collection:
    """A collection for an Empty that belongs to `ob`: one of the object's that is shown and can be edited."""
    shown = {layer.collection for layer in _shown_layers(context.view_layer.layer_collection)}
    homes = (*ob.users_collection, context.collection)
    return next((home for home in homes if home in shown and _takes_objects(home)), context.scene.collection)


def _shown_layers(layer: bpy.types.LayerCollection) -> Iterator[bpy.types.LayerCollection]:
    if not layer.exclude:
        yield layer
    for child in layer.children:
        yield from _shown_layers(child)


def _takes_objects(collection: bpy.types.Collection) -> bool:
    return collection.library is None and collection.override_library is None


def display_size(*shapes: Outline) -> float:
    """Size of an Empty that can be seen beside the bodies but does not hide them, in metres."""
    sizes = [shape.size for shape in shapes if shape.size > 0.0]
    return 0.4 * min(sizes) if sizes else 1.0


def set_up_joint(empty: bpy.types.Object, joint_type: str, mass: float, size: float) -> None:
    """Choose the type, and gains, speeds and limits that suit a child of the given mass (kg) and size (m)."""
    settings = empty.ves
    settings.joint_type = joint_type
    empty.empty_display_type = joint_properties.DISPLAY[joint_type]
    pulse = 2.0 * math.pi * SERVO_FREQUENCY
    inertia = {joint_properties.ANGLE: mass * size * size, joint_properties.TRAVEL: mass}
    kinds = joint_properties.COORDINATE_KINDS.get(joint_type)
    if joint_type == "GENERIC":  # a cylinder, until its axes are chosen; each of them has numbers
        settings.lock_travel, settings.lock_turn = (True, True, False), (True, True, False)
        kinds = (joint_properties.ANGLE,) * 3
        for i in range(3):
            _put_gains(settings, "_travel", i, inertia[joint_properties.TRAVEL], pulse, mass * GRAVITY)
    for i, kind in enumerate(kinds):
        lever = size if kind == joint_properties.ANGLE else 1.0
        _put_gains(settings, "", i, inertia[kind], pulse, mass * GRAVITY * lever)
    settings.motor_speed = (MOTOR_SPIN,) * 3
    settings.motor_speed_travel = (round_number(size) or 1.0,) * 3
    reach = round_number(0.5 * size) or 0.5
    settings.lower_limit_travel, settings.upper_limit_travel = (-reach,) * 3, (reach,) * 3
    settings.pitch = round_number(0.1 * size / (2.0 * math.pi)) or settings.pitch


def _put_gains(
    settings: bpy.types.PropertyGroup, unit: str, i: int, inertia: float, pulse: float, force: float
) -> None:
    """A servo of that pace (rad/s) on an inertia (kg m2 or kg), and a largest effort (N m or N)."""
    getattr(settings, f"motor_stiffness{unit}")[i] = round_number(inertia * pulse * pulse)
    getattr(settings, f"motor_damping{unit}")[i] = round_number(2.0 * inertia * pulse)
    for name in ("motor_value", "motor_max_force"):
        getattr(settings, f"{name}{unit}")[i] = round_number(force)


def set_up_force(empty: bpy.types.Object, force_type: str, mass: float, size: float, silhouette: float) -> None:
    """Choose the type, and numbers that do something visible to a body of that mass (kg), size (m) and area (m2)."""
    settings = empty.ves
    settings.force_type = force_type
    FORCES[force_type].set_up(settings, Suited(mass, size, silhouette))
