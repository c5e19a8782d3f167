# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that makes an Empty a joint: its type, springs and dampers, limits, start and motor.

A joint has one number per coordinate, in the order of COORDINATE_KINDS. Angles and travels have different units, so
rest, coordinates, speeds, limits and the motor's targets and speeds are stored twice: `rest[i]` holds coordinate i if
that is an angle (rad), `rest_travel[i]` if it is a length (m). `coordinate_values` puts them together.
"""

import math
from collections.abc import Sequence

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatProperty, FloatVectorProperty

from ...solver.mechanism.joint_types import JOINT_TYPES as SOLVER_TYPES
from ...solver.mechanism.joint_types import LENGTH
from .setting import OVERRIDABLE, animatable, setting

JOINT_TYPES = [
    ("REVOLUTE", "Hinge", "Turns about its Z axis (revolute joint)", "FILE_REFRESH", 0),
    ("PRISMATIC", "Slider", "Slides along its Z axis (prismatic joint)", "EMPTY_SINGLE_ARROW", 1),
    ("SCREW", "Screw", "Turns about its Z axis and moves along it at the same time (screw joint)", "MOD_SCREW", 2),
    ("CYLINDRICAL", "Cylinder", "Turns about its Z axis and slides along it (cylindrical joint)", "MESH_CYLINDER", 3),
    (
        "UNIVERSAL",
        "Universal",
        "Turns about the parent's X and the child's Y axis (universal or Cardan joint)",
        "ORIENTATION_GIMBAL",
        4,
    ),
    ("SPHERICAL", "Ball", "Turns freely about its point (spherical joint)", "SPHERE", 5),
    ("PLANAR", "Planar", "Slides in its XY plane and turns about its Z axis (planar joint)", "MESH_PLANE", 6),
    ("FIXED", "Weld", "Holds the two bodies together (fixed joint)", "LINKED", 7),
    (
        "CONTACT",
        "Rides On",
        "A smooth surface of the child rolls or slides on one of the parent and stays on it until nothing presses the "
        "two together any more, or a blow knocks it off (contact joint)",
        "MOD_SMOOTH",
        8,
    ),
]

DISPLAY = {
    "REVOLUTE": "SINGLE_ARROW",
    "PRISMATIC": "SINGLE_ARROW",
    "SCREW": "SINGLE_ARROW",
    "CYLINDRICAL": "SINGLE_ARROW",
    "UNIVERSAL": "ARROWS",
    "SPHERICAL": "SPHERE",
    "PLANAR": "ARROWS",
    "FIXED": "CUBE",
    "CONTACT": "CIRCLE",
}

ANGLE, TRAVEL = "ANGLE", "TRAVEL"

# Of a contact joint none: there are five, which nothing of a joint's own settings acts on.
COORDINATE_KINDS = {
    name.upper(): () if kind.rides else tuple(TRAVEL if axis.kind == LENGTH else ANGLE for axis in kind.axes)
    for name, kind in SOLVER_TYPES.items()
}


def coordinate_labels(joint_type: str, angle: str = "Angle", travel: str = "Travel") -> tuple[str, ...]:
    """Labels of a joint's coordinates; where there are two alike, all name their axes."""
    if not COORDINATE_KINDS[joint_type]:
        return ()
    axes = SOLVER_TYPES[joint_type.lower()].axes
    words = [travel if axis.kind == LENGTH else angle for axis in axes]
    if len(set(words)) == len(words):
        return tuple(words)
    return tuple(f"{word} {'XYZ'[axis.axis]}" for word, axis in zip(words, axes, strict=True))


MOTOR_MODES = [
    ("NONE", "None", "No motor", 0),
    ("FORCE", "Force", "Drives the joint with a given torque or force", 1),
    ("SPEED", "Speed", "Keeps the joint at a given speed, as far as its maximum allows", 3),
    ("POSITION", "Position", "Drives the joint towards a target with a spring and a damper (a servo)", 2),
    (
        "KEYED",
        "Keyed Exactly",
        "The joint has the angle or travel that is keyed at each moment, whatever it takes; Inspect shows the torque",
        4,
    ),
]


def _type_chosen(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The Empty looks like its joint."""
    if self.role == "JOINT" and self.id_data.type == "EMPTY":
        self.id_data.empty_display_type = DISPLAY[self.joint_type]


def coordinate_values(settings: bpy.types.PropertyGroup, name: str) -> list[float]:
    """The numbers of `rest`, `speeds`, `lower_limit`, `motor_target`, ..., one per coordinate, in SI units."""
    angles, travels = getattr(settings, name), getattr(settings, f"{name}_travel")
    kinds = COORDINATE_KINDS[settings.joint_type]
    return [angles[i] if kind == ANGLE else travels[i] for i, kind in enumerate(kinds)]


def can_drive(settings: bpy.types.PropertyGroup) -> bool:
    """True for a joint with one coordinate, which may lead a live linkage."""
    return settings.role == "JOINT" and len(COORDINATE_KINDS[settings.joint_type]) == 1


def drive_path(settings: bpy.types.PropertyGroup) -> str:
    """The data path from the object to a joint's drive: an angle or a travel."""
    is_angle = COORDINATE_KINDS[settings.joint_type][:1] == (ANGLE,)
    return "ves.drive_angle" if is_angle else "ves.drive_travel"


def _drive_moved(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Blender evaluates nothing anew for a property of ours, so it is told to."""
    self.id_data.update_tag()


def set_coordinate_values(settings: bpy.types.PropertyGroup, name: str, values: list[float]) -> None:
    """The reverse of `coordinate_values`; the joint type must be set first."""
    for i, (kind, value) in enumerate(zip(COORDINATE_KINDS[settings.joint_type], values, strict=True)):
        getattr(settings, name if kind == ANGLE else f"{name}_travel")[i] = value


def set_limits(settings: bpy.types.PropertyGroup, limits: Sequence[tuple[float | None, float | None] | None]) -> None:
    """Set [lower, upper] per coordinate, in SI units; None is no limit. The joint type must be set first."""
    for i, (kind, pair) in enumerate(zip(COORDINATE_KINDS[settings.joint_type], limits, strict=False)):
        for side, bound in zip(("lower", "upper"), pair or (None, None), strict=True):
            getattr(settings, f"use_{side}_limit")[i] = bound is not None
            if bound is not None:
                getattr(settings, f"{side}_limit" if kind == ANGLE else f"{side}_limit_travel")[i] = bound


def _angles(
    name: str, description: str, options: frozenset[str] = frozenset(), default: float = 0.0
) -> FloatVectorProperty:
    return FloatVectorProperty(
        name=name,
        description=description,
        size=3,
        default=(default,) * 3,
        unit="ROTATION",
        soft_min=-100.0,
        soft_max=100.0,
        options=set(options),
        override=OVERRIDABLE,
    )


def _travels(
    name: str,
    description: str,
    options: frozenset[str] = frozenset(),
    default: float = 0.0,
    unit: str = "LENGTH",
) -> FloatVectorProperty:
    return FloatVectorProperty(
        name=name,
        description=description,
        size=3,
        default=(default,) * 3,
        unit=unit,
        soft_min=-100.0,
        soft_max=100.0,
        options=set(options),
        override=OVERRIDABLE,
    )


def _numbers(
    name: str, description: str, low: float | None, options: frozenset[str] = frozenset()
) -> FloatVectorProperty:
    limits = {"soft_min": -1000.0} if low is None else {"min": low}
    return FloatVectorProperty(
        name=name,
        description=description,
        size=3,
        precision=2,
        soft_max=1000.0,
        options=set(options),
        override=OVERRIDABLE,
        **limits,
    )


def _switches(name: str, description: str) -> BoolVectorProperty:
    return animatable(BoolVectorProperty, name=name, description=description, size=3)


ANIMATABLE = frozenset({"ANIMATABLE"})


class JointProperties:
    """Mixed into the property group of `Object.ves`."""

    joint_type: setting(
        EnumProperty,
        name="Type",
        description="How the two bodies can move against each other",
        items=JOINT_TYPES,
        default="REVOLUTE",
        update=_type_chosen,
    )
    pitch: setting(
        FloatProperty,
        name="Pitch",
        description="Travel along the axis per radian turned",
        default=0.01,
        soft_min=-1.0,
        soft_max=1.0,
        precision=4,
        unit="LENGTH",
    )
    stiffness: _numbers(
        "Stiffness", "Spring that pulls each coordinate to its rest value, in N m/rad or N/m", 0.0, ANIMATABLE
    )
    damping: _numbers("Damping", "Viscous damper on each coordinate, in N m s/rad or N s/m", 0.0, ANIMATABLE)
    friction: _numbers(
        "Friction",
        "Dry friction: torque (N m) or force (N) that it takes to move each coordinate at all",
        0.0,
        ANIMATABLE,
    )
    armature: _numbers("Armature", "Inertia of the drive as felt at the joint, in kg m² or kg", 0.0, ANIMATABLE)
    rest: _angles("Rest Angle", "Angle at which the joint's spring is relaxed", ANIMATABLE)
    rest_travel: _travels("Rest Travel", "Travel at which the joint's spring is relaxed", ANIMATABLE)
    coordinates: _angles("Start Angle", "Turns the child by this angle before the first frame")
    coordinates_travel: _travels("Start Travel", "Moves the child by this length before the first frame")
    placed: _angles(
        "Angle as Placed",
        "The joint's angle as its bodies are placed at the first frame: its rest, limits and targets count with it, "
        "whole turns included. Start from This Frame sets it",
    )
    placed_travel: _travels(
        "Travel as Placed",
        "The joint's travel as its bodies are placed at the first frame: its rest, limits and targets count with it. "
        "Start from This Frame sets it",
    )
    use_speeds: setting(
        BoolProperty,
        name="Start Speeds",
        description="Start with the speeds given here; otherwise they follow from the velocities of the bodies",
        default=False,
    )
    speeds: _angles("Start Spin", "Angle turned per second at the first frame")
    speeds_travel: _travels("Start Speed", "Sliding speed at the first frame", unit="VELOCITY")
    use_lower_limit: _switches("Use Lower Limit", "Stop this coordinate at its lower limit")
    lower_limit: _angles(
        "Lower Limit",
        "Smallest angle; 0 is where the bodies are placed at the first frame, unless Angle as Placed says otherwise",
        ANIMATABLE,
        default=-math.pi / 4.0,
    )
    lower_limit_travel: _travels(
        "Lower Limit",
        "Smallest travel; 0 is where the bodies are placed at the first frame, unless Travel as Placed says otherwise",
        ANIMATABLE,
        default=-0.5,
    )
    use_upper_limit: _switches("Use Upper Limit", "Stop this coordinate at its upper limit")
    upper_limit: _angles(
        "Upper Limit",
        "Largest angle; 0 is where the bodies are placed at the first frame, unless Angle as Placed says otherwise",
        ANIMATABLE,
        default=math.pi / 4.0,
    )
    upper_limit_travel: _travels(
        "Upper Limit",
        "Largest travel; 0 is where the bodies are placed at the first frame, unless Travel as Placed says otherwise",
        ANIMATABLE,
        default=0.5,
    )
    bounciness: animatable(
        FloatVectorProperty,
        name="Bounciness",
        description="Share of its speed that each coordinate bounces back with where it meets a limit: 0 stops it, as "
        "a soft stop does, 0.5 lets a door rebound, 1 loses nothing. Limits of a ball joint do not bounce",
        size=3,
        default=(0.0, 0.0, 0.0),
        min=0.0,
        max=1.0,
        subtype="NONE",
    )
    is_drive: setting(
        BoolProperty,
        name="Drive",
        description="Lead a live linkage by this joint: its angle or travel is set or keyed, and all else follows",
        default=False,
        update=_drive_moved,
    )
    drive_angle: animatable(
        FloatProperty,
        name="Drive Angle",
        description="Angle of the joint while its linkage is live; 0 is where the bodies were placed",
        unit="ROTATION",
        soft_min=-100.0,
        soft_max=100.0,
        update=_drive_moved,
    )
    drive_travel: animatable(
        FloatProperty,
        name="Drive Travel",
        description="Travel of the joint while its linkage is live; 0 is where the bodies were placed",
        unit="LENGTH",
        soft_min=-100.0,
        soft_max=100.0,
        update=_drive_moved,
    )
    motor_mode: setting(
        EnumProperty,
        name="Motor",
        description="What drives the joint",
        items=MOTOR_MODES,
        default="NONE",
    )
    motor_value: _numbers("Motor Force", "Torque (N m) or force (N) of the motor on each coordinate", None, ANIMATABLE)
    motor_target: _angles(
        "Target Angle", "Angle that the motor drives the joint to; 0 is where the bodies are placed", ANIMATABLE
    )
    motor_target_travel: _travels(
        "Target Travel", "Travel that the motor drives the joint to; 0 is where the bodies are placed", ANIMATABLE
    )
    motor_speed: _angles("Motor Spin", "Angle per second that the motor keeps", ANIMATABLE)
    motor_speed_travel: _travels("Motor Speed", "Sliding speed that the motor keeps", ANIMATABLE, unit="VELOCITY")
    motor_stiffness: _numbers(
        "Motor Stiffness", "How hard the motor pulls to its target, in N m/rad or N/m", 0.0, ANIMATABLE
    )
    motor_damping: _numbers("Motor Damping", "How hard the motor resists speed, in N m s/rad or N s/m", 0.0, ANIMATABLE)
    use_motor_max_force: setting(
        BoolProperty,
        name="Limit Force",
        description="The motor never drives harder than the maximum given here",
        default=False,
    )
    motor_max_force: _numbers(
        "Maximum",
        "Largest torque (N m) or force (N) of the motor on each coordinate; 0 leaves the coordinate free",
        0.0,
        ANIMATABLE,
    )
