# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that makes an Empty a joint: its type, springs and dampers, limits, start and motor.

A joint has one number per coordinate, in the order of COORDINATE_KINDS. Angles and travels have different units, so
rest, coordinates, speeds, limits and the motor's targets and speeds are stored twice: `rest[i]` holds coordinate i if
that is an angle (rad), `rest_travel[i]` if it is a length (m). Of a generic joint all numbers are, and `i` is the axis:
`slot` tells where a number is, `coordinate_values` puts them together.
"""

import math
from collections.abc import Sequence

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatProperty, FloatVectorProperty

from ...solver.mechanism.joint_types import ALL_TYPES, AXES, LENGTH, generic_type
from ...solver.mechanism.stiction import STRIBECK
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
    (
        "GENERIC",
        "Generic",
        "Each of the six axes of its frame is locked or free, and a free one has limits, a spring and a motor of its "
        "own (generic or six-degrees-of-freedom joint)",
        "EMPTY_AXIS",
        9,
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
    "GENERIC": "ARROWS",
}

ANGLE, TRAVEL = "ANGLE", "TRAVEL"
IN_BOTH_UNITS = frozenset(
    ("rest", "coordinates", "placed", "speeds", "lower_limit", "upper_limit", "motor_target", "motor_speed")
)
"""Numbers of any joint that stand in two properties, `rest` and `rest_travel`, and so on; see the top."""

# Of a contact joint none: there are five, which nothing of a joint's own settings acts on.
COORDINATE_KINDS = {
    name.upper(): () if kind.rides else tuple(TRAVEL if axis.kind == LENGTH else ANGLE for axis in kind.axes)
    for name, kind in ALL_TYPES.items()
}


def free_axes(settings: bpy.types.PropertyGroup) -> tuple[str, ...]:
    """The axes of a generic joint that are not locked, by their names in the mechanism file."""
    flags = (*settings.lock_travel, *settings.lock_turn)
    return tuple(name for name, flag in zip(AXES, flags, strict=True) if not flag)


def type_of(settings: bpy.types.PropertyGroup) -> str:
    """The joint's type, which tells its coordinates: of a generic joint that with its free axes."""
    if settings.joint_type != "GENERIC":
        return settings.joint_type
    free = free_axes(settings)
    return generic_type(free).name.upper() if free else "FIXED"


def coordinate_kinds(settings: bpy.types.PropertyGroup) -> tuple[str, ...]:
    """ANGLE or TRAVEL, of each of a joint's coordinates."""
    return COORDINATE_KINDS[type_of(settings)]


def slot(settings: bpy.types.PropertyGroup, name: str, coordinate: int) -> tuple[str, int]:
    """The property that holds `name` of a coordinate, and its index there.

    A generic joint's numbers stand at their axis, X, Y or Z, those of its travels in the properties for lengths.
    """
    kind = coordinate_kinds(settings)[coordinate]
    if settings.joint_type == "GENERIC":
        axis = AXES.index(free_axes(settings)[coordinate])
        return (f"{name}_travel" if kind == TRAVEL else name), axis % 3
    return (f"{name}_travel" if kind == TRAVEL and name in IN_BOTH_UNITS else name), coordinate


def stopping_coordinates(settings: bpy.types.PropertyGroup) -> range:
    """Those whose limits can bounce; three turns are a rotation vector, whose limits give way."""
    kind = ALL_TYPES[type_of(settings).lower()]
    return range(len(kind.axes) - 3 if kind.is_charted else len(kind.axes))


def motor_mode(settings: bpy.types.PropertyGroup, coordinate: int) -> str:
    """The mode of the motor on a coordinate: of a generic joint that of its axis."""
    if settings.joint_type != "GENERIC":
        return settings.motor_mode
    return getattr(settings, motor_mode_of(free_axes(settings)[coordinate]))


def motor_mode_of(axis: str) -> str:
    """The property with the motor's mode of one axis of a generic joint."""
    return f"motor_mode_{axis.replace(' ', '_')}"


def has_motor_maximum(settings: bpy.types.PropertyGroup, coordinate: int) -> bool:
    """True if the motor on a coordinate has a maximum."""
    if settings.joint_type != "GENERIC":
        return settings.use_motor_max_force
    return settings.use_motor_max_axes[AXES.index(free_axes(settings)[coordinate])]


def coordinate_labels(joint_type: str, angle: str = "Angle", travel: str = "Travel") -> tuple[str, ...]:
    """Labels of a joint's coordinates; where there are two alike, all name their axes."""
    if not COORDINATE_KINDS[joint_type]:
        return ()
    axes = ALL_TYPES[joint_type.lower()].axes
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
    """The numbers of `rest`, `stiffness`, `lower_limit`, `motor_target`, ..., one per coordinate, in SI units."""
    places = (slot(settings, name, i) for i in range(len(coordinate_kinds(settings))))
    return [getattr(settings, path)[index] for path, index in places]


def can_drive(settings: bpy.types.PropertyGroup) -> bool:
    """True for a joint with one coordinate, which may lead a live linkage."""
    return settings.role == "JOINT" and len(coordinate_kinds(settings)) == 1


def drive_path(settings: bpy.types.PropertyGroup) -> str:
    """The data path from the object to a joint's drive: an angle or a travel."""
    is_angle = coordinate_kinds(settings)[:1] == (ANGLE,)
    return "ves.drive_angle" if is_angle else "ves.drive_travel"


def _drive_moved(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Blender evaluates nothing anew for a property of ours, so it is told to."""
    self.id_data.update_tag()


def set_coordinate_values(settings: bpy.types.PropertyGroup, name: str, values: list[float]) -> None:
    """The reverse of `coordinate_values`; the joint type must be set first."""
    for i, value in enumerate(values):
        path, index = slot(settings, name, i)
        getattr(settings, path)[index] = value


def set_limits(settings: bpy.types.PropertyGroup, limits: Sequence[tuple[float | None, float | None] | None]) -> None:
    """Set [lower, upper] per coordinate, in SI units; None is no limit. The joint type must be set first."""
    for i, pair in enumerate(limits):
        for side, bound in zip(("lower", "upper"), pair or (None, None), strict=True):
            path, index = slot(settings, f"use_{side}_limit", i)
            getattr(settings, path)[index] = bound is not None
            if bound is not None:
                path, index = slot(settings, f"{side}_limit", i)
                getattr(settings, path)[index] = bound


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


def _stribeck_speeds(unit: str) -> FloatVectorProperty:
    return FloatVectorProperty(
        name="Stribeck Speed",
        description=f"Speed ({unit}) by which most of the fall from Static Friction to Friction is over",
        size=3,
        default=(STRIBECK,) * 3,
        min=1e-6,
        soft_max=1.0,
        precision=4,
        step=0.1,
        options=set(),
        override=OVERRIDABLE,
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
    static_friction: _numbers(
        "Static Friction",
        "What it takes to move a coordinate that stands still; once it moves, that falls to Friction. At least "
        "Friction, or 0 for the same",
        0.0,
        ANIMATABLE,
    )
    stribeck_speed: _stribeck_speeds("rad/s or m/s")
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
    motor_mode: animatable(
        EnumProperty,
        name="Motor",
        description="What drives the joint. Keyframes put another motor in, or none, exactly at their frames",
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
    use_motor_max_force: animatable(
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
    use_motor_max_axes: animatable(
        BoolVectorProperty,
        name="Limit Force",
        description="The motor of this axis never drives harder than its maximum; of generic joints",
        size=6,
    )
    shown_axis: setting(
        EnumProperty,
        name="Axis",
        description="The axis of a generic joint whose numbers the panels below show",
        items=[
            (name.upper().replace(" ", "_"), name.title(), f"Show the spring, limits, start and motor of {name}", k)
            for k, name in enumerate(AXES)
        ],
        default="TURN_Z",
    )


def _of_travels() -> dict:
    """The settings of a generic joint for each of its travels along X, Y and Z; other joints have it by coordinate."""
    numbers = {
        "stiffness": ("Stiffness", "Spring that pulls the travel to its rest value, in N/m"),
        "damping": ("Damping", "Viscous damper on the travel, in N s/m"),
        "friction": ("Friction", "Dry friction: force (N) that it takes to move the travel at all"),
        "static_friction": (
            "Static Friction",
            "Force (N) that it takes to move the travel where it stands still; at least Friction, or 0 for the same",
        ),
        "armature": ("Armature", "Inertia of the drive as felt along the axis, in kg"),
        "motor_value": ("Motor Force", "Force (N) of the motor along the axis"),
        "motor_stiffness": ("Motor Stiffness", "How hard the motor pulls to its target, in N/m"),
        "motor_damping": ("Motor Damping", "How hard the motor resists speed, in N s/m"),
        "motor_max_force": ("Maximum", "Largest force (N) of the motor; 0 leaves the travel free"),
    }
    found = {}
    for name, (label, text) in numbers.items():
        least = None if name == "motor_value" else 0.0
        found[f"{name}_travel"] = _numbers(label, f"{text}; of generic joints", least, ANIMATABLE)
    found["stribeck_speed_travel"] = _stribeck_speeds("m/s, of generic joints")
    for side, label in (("lower", "Lower"), ("upper", "Upper")):
        text = f"Stop this travel at its {side} limit; of generic joints"
        found[f"use_{side}_limit_travel"] = _switches(f"Use {label} Limit", text)
    found["bounciness_travel"] = animatable(
        FloatVectorProperty,
        name="Bounciness",
        description="Share of its speed that each travel bounces back with where it meets a limit; of generic joints",
        size=3,
        min=0.0,
        max=1.0,
        subtype="NONE",
    )
    for axis in AXES:
        found[motor_mode_of(axis)] = animatable(
            EnumProperty,
            name="Motor",
            description=f"What drives {axis} of a generic joint",
            items=MOTOR_MODES,
            default="NONE",
        )
    return found


JointProperties.__annotations__.update(_of_travels())
