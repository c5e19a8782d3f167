# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that makes an Empty a force."""

from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty

from .body_properties import OVERRIDABLE

FORCE_TYPES = [
    ("GRAVITY", "Gravity", "Replaces the scene's gravity for one body", "FORCE_FORCE", 0),
    ("DAMPING", "Damping", "Slows a body down, as thick air or water would", "FORCE_DRAG", 1),
    ("MOTOR", "Motor", "Pushes and twists a body at the Empty: a jet, a propeller, a hand", "FORCE_TURBULENCE", 2),
    ("SPRING", "Spring", "Pulls and pushes two bodies towards a rest length", "FORCE_HARMONIC", 3),
]


class ForceProperties:
    """Mixed into the property group of `Object.ves`."""

    force_type: EnumProperty(
        name="Type",
        description="What kind of force it is",
        items=FORCE_TYPES,
        default="MOTOR",
        options=set(),
        override=OVERRIDABLE,
    )
    acceleration: FloatVectorProperty(
        name="Acceleration",
        description="Gravity of this body, along the world axes",
        size=3,
        default=(0.0, 0.0, -9.81),
        subtype="ACCELERATION",
        unit="ACCELERATION",
        soft_min=-100.0,
        soft_max=100.0,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    linear: FloatProperty(
        name="Linear Damping",
        description="Force against the velocity of the centre of mass, in N s/m",
        default=0.1,
        min=0.0,
        soft_max=100.0,
        precision=3,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    angular: FloatProperty(
        name="Angular Damping",
        description="Torque against the spin, in N m s/rad",
        default=0.01,
        min=0.0,
        soft_max=100.0,
        precision=3,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    force: FloatVectorProperty(
        name="Force",
        description="Force at the Empty along its own axes, which turn with the body, in N",
        size=3,
        subtype="XYZ",
        soft_min=-1000.0,
        soft_max=1000.0,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    torque: FloatVectorProperty(
        name="Torque",
        description="Torque about the Empty's own axes, which turn with the body, in N m",
        size=3,
        subtype="XYZ",
        soft_min=-1000.0,
        soft_max=1000.0,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    point_b: FloatVectorProperty(
        name="Second End",
        description="Where the spring is fastened to Body B, in that object's local coordinates "
        "(world coordinates if there is no Body B). The first end is the Empty itself",
        size=3,
        subtype="XYZ",
        unit="LENGTH",
        precision=4,
        options=set(),
        override=OVERRIDABLE,
    )
    spring_stiffness: FloatProperty(
        name="Stiffness",
        description="Force per length stretched, in N/m",
        default=100.0,
        min=0.0,
        soft_max=10000.0,
        precision=2,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    spring_damping: FloatProperty(
        name="Damping",
        description="Force against the rate of stretching, in N s/m",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        precision=3,
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    use_rest_length: BoolProperty(
        name="Own Rest Length",
        description="Use the rest length given here; otherwise the spring is relaxed at the first frame",
        default=False,
        options=set(),
        override=OVERRIDABLE,
    )
    rest_length: FloatProperty(
        name="Rest Length",
        description="Length at which the spring is relaxed",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        unit="LENGTH",
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
