# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that makes an Empty a force."""

import bpy
from bpy.props import (
    BoolProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    StringProperty,
)

from ...solver.mechanism.stiction import STRIBECK
from ..visible.visible import follow
from .contact import STRIBECK_TEXT
from .force_types import FORCE_TYPES, FORCES
from .setting import animatable, list_setting, object_setting, setting

DRAG_MEASURES = [
    ("AREA", "Area", "Half the density of air (1.225 kg/m³) times this area"),
    ("COEFFICIENT", "Coefficient", "The number itself, for other fluids than air"),
]

EXPRESSION_AXES = [
    ("WORLD", "World", "Force and velocity are along the axes of the world"),
    ("OWN", "Own", "Force and velocity are along the Empty's own axes, which turn with the body"),
]


def _component(axis: str) -> object:
    """The text of one component of an expression."""
    return setting(
        StringProperty,
        name=f"Force {axis}",
        description=f"Force along {axis} in N, as arithmetic of x y z (place of the Empty in the world, m), vx vy vz "
        "(its velocity, m/s), t (time since the first frame, s), m (mass of the body, kg), and the numbers a b c "
        "below: -2*vx + 0.5*sin(3*t). It is read as arithmetic alone, and never run as Python",
        default="0",
    )


def _given(letter: str) -> object:
    """A number that expressions name."""
    return animatable(
        FloatProperty,
        name=letter.upper(),
        description=f"What {letter} stands for in the expressions; it takes keyframes, and acts at once during Play",
        default=0.0,
        soft_min=-1000.0,
        soft_max=1000.0,
        precision=3,
    )


def _type_chosen(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The Empty looks like its force."""
    if self.role == "FORCE" and self.id_data.type == "EMPTY":
        self.id_data.empty_display_type = FORCES[self.force_type].display


def _rest_length_chosen(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """A strap that is seen is slack from there on."""
    follow(self.id_data)


def _radius_chosen(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The Empty's ring is the tyre."""
    ob = self.id_data
    if self.role == "FORCE" and self.force_type == "TYRE" and ob.type == "EMPTY":
        ob.empty_display_size = self.tyre_radius / max(1e-9, *map(abs, ob.matrix_world.to_scale()))


def _can_be_terrain(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.type == "MESH"


class VES_PG_pull_row(bpy.types.PropertyGroup):
    """A row of a spring's table."""

    length: setting(
        FloatProperty,
        name="Length",
        description="Distance between the two ends of the spring",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        precision=4,
        unit="LENGTH",
    )
    force: setting(
        FloatProperty,
        name="Force",
        description="How hard the spring draws its ends together at this length, in N; below 0 it pushes them apart",
        default=0.0,
        soft_min=-10000.0,
        soft_max=10000.0,
        precision=2,
    )


class ForceProperties:
    """Mixed into the property group of `Object.ves`."""

    force_type: setting(
        EnumProperty,
        name="Type",
        description="What kind of force it is",
        items=FORCE_TYPES,
        default="MOTOR",
        update=_type_chosen,
    )
    acceleration: animatable(
        FloatVectorProperty,
        name="Acceleration",
        description="Gravity of this body, along the world axes",
        size=3,
        default=(0.0, 0.0, -9.81),
        subtype="ACCELERATION",
        unit="ACCELERATION",
        soft_min=-100.0,
        soft_max=100.0,
    )
    linear: animatable(
        FloatProperty,
        name="Linear Damping",
        description="Force against the velocity of the centre of mass, in N s/m",
        default=0.1,
        min=0.0,
        soft_max=100.0,
        precision=3,
    )
    angular: animatable(
        FloatProperty,
        name="Angular Damping",
        description="Torque against the spin, in N m s/rad",
        default=0.01,
        min=0.0,
        soft_max=100.0,
        precision=3,
    )
    force: animatable(
        FloatVectorProperty,
        name="Force",
        description="Force at the Empty along its own axes, which turn with the body, in N",
        size=3,
        subtype="XYZ",
        soft_min=-1000.0,
        soft_max=1000.0,
    )
    torque: animatable(
        FloatVectorProperty,
        name="Torque",
        description="Torque about the Empty's own axes, which turn with the body, in N m",
        size=3,
        subtype="XYZ",
        soft_min=-1000.0,
        soft_max=1000.0,
    )
    point_b: setting(
        FloatVectorProperty,
        name="Second End",
        description="Where the spring or rubber is fastened to Body B, in that object's local coordinates "
        "(world coordinates if there is no Body B). The first end is the Empty itself",
        size=3,
        subtype="XYZ",
        unit="LENGTH",
        precision=4,
    )
    spring_stiffness: animatable(
        FloatProperty,
        name="Stiffness",
        description="Force per length stretched, in N/m",
        default=100.0,
        min=0.0,
        soft_max=10000.0,
        precision=2,
    )
    spring_damping: animatable(
        FloatProperty,
        name="Damping",
        description="Force against the rate of stretching, in N s/m",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        precision=3,
    )
    use_rest_length: setting(
        BoolProperty,
        name="Own Rest Length",
        description="Use the rest length given here; otherwise it is that of the first frame",
        default=False,
        update=_rest_length_chosen,
    )
    rest_length: animatable(
        FloatProperty,
        name="Rest Length",
        description="Length at which the spring is relaxed and the rubber slack",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        unit="LENGTH",
    )
    use_pull_table: setting(
        BoolProperty,
        name="By Table",
        description="Give the spring's force at single lengths instead of a stiffness and a rest length: soft at first "
        "and then hard, loose up to a length, a click. In between it follows a smooth curve without waves, and beyond "
        "the table it goes straight on. That of a rubber begins at its slack length, with a force of 0",
        default=False,
    )
    pull_table: list_setting(
        name="Table",
        description="The spring's force at single lengths, in any order",
        type=VES_PG_pull_row,
    )
    restitution: animatable(
        FloatProperty,
        name="Restitution",
        description="Share of its pull that the rubber keeps while its ends come nearer to each other: 1 snaps "
        "back with all its force, 0 not at all",
        default=0.5,
        min=0.0,
        soft_max=1.0,
        precision=3,
    )
    brake_damping: animatable(
        FloatVectorProperty,
        name="Damping",
        description="Force against the velocity of the Empty's point along each of the Empty's own axes, in N s/m",
        size=3,
        default=(10.0, 10.0, 10.0),
        min=0.0,
        soft_max=10000.0,
        precision=2,
        subtype="XYZ",
    )
    use_max_force: setting(
        BoolProperty,
        name="Limit Force",
        description="The brake never pulls harder than the force given here; otherwise the faster, the harder",
        default=False,
    )
    max_force: animatable(
        FloatProperty,
        name="Maximum",
        description="Largest force of the brake, in N",
        default=100.0,
        min=0.0,
        soft_max=10000.0,
        precision=2,
    )
    support_stiffness: animatable(
        FloatProperty,
        name="Stiffness",
        description="Upward force per depth of the point below the ground, in N/m",
        default=1000.0,
        min=0.0,
        soft_max=100000.0,
        precision=2,
    )
    support_damping: animatable(
        FloatProperty,
        name="Damping",
        description="Force against the rate of sinking, in N s/m; it takes away bouncing",
        default=50.0,
        min=0.0,
        soft_max=10000.0,
        precision=2,
    )
    support_height: animatable(
        FloatProperty,
        name="Ground Height",
        description="World Z below which the point is held up",
        default=0.0,
        soft_min=-100.0,
        soft_max=100.0,
        unit="LENGTH",
    )
    support_friction: animatable(
        FloatProperty,
        name="Friction",
        description="Grip on the ground: the point slides once it takes more than this share of the upward "
        "force; 0 is ice, 0.8 a tyre on dry asphalt",
        default=0.8,
        min=0.0,
        soft_max=2.0,
        precision=3,
    )
    support_static_friction: animatable(
        FloatProperty,
        name="Static Friction",
        description="Grip of a point that stands still, until it slips: it then does not creep at all, and moves in "
        "steps as contact does. At least Friction; 0 for none, so that Friction is rounded off at small speeds",
        default=0.0,
        min=0.0,
        soft_max=2.0,
        precision=3,
    )
    support_stribeck_speed: setting(
        FloatProperty,
        name="Stribeck Speed",
        description=STRIBECK_TEXT,
        default=STRIBECK,
        min=1e-6,
        soft_max=1.0,
        precision=4,
        step=0.1,
        unit="VELOCITY",
    )
    terrain: object_setting(
        name="Terrain",
        description="A mesh that a support or a tyre stands on, seen from above: hills, a road, steps, kerbs. "
        "It must stand still. Without one the ground is level",
        poll=_can_be_terrain,
    )
    terrain_spacing: setting(
        FloatProperty,
        name="Grid",
        description="Distance of the points in which the terrain is looked at from above; a kerb becomes a slope about "
        "two of these wide. 0: a 200th of the terrain's longer side",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=3,
        unit="LENGTH",
    )
    tyre_radius: setting(
        FloatProperty,
        name="Radius",
        description="Radius of the tyre where nothing presses it",
        default=0.3,
        min=1e-4,
        soft_max=10.0,
        precision=3,
        unit="LENGTH",
        update=_radius_chosen,
    )
    tyre_width: setting(
        FloatProperty,
        name="Width",
        description="Width of its tread: it meets the ground in the middle and at both edges. 0: in one plane, as the "
        "thin tyre of a bicycle",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=3,
        unit="LENGTH",
    )
    tyre_stiffness: animatable(
        FloatProperty,
        name="Stiffness",
        description="Radial stiffness of the tyre: force per depth that the ground presses it in, in N/m",
        default=100000.0,
        min=0.0,
        soft_max=1000000.0,
        precision=1,
    )
    tyre_damping: animatable(
        FloatProperty,
        name="Damping",
        description="Radial damping: force against the rate at which it is pressed in, in N s/m",
        default=500.0,
        min=0.0,
        soft_max=10000.0,
        precision=1,
    )
    tyre_friction: animatable(
        FloatProperty,
        name="Friction",
        description="Grip: the most that the tyre pushes along the ground, as a part of its load. "
        "About 1 on dry road, 0.5 on wet road, 0.1 on ice",
        default=1.0,
        min=0.0,
        soft_max=2.0,
        precision=3,
    )
    slip_stiffness: animatable(
        FloatProperty,
        name="Slip Stiffness",
        description="Force along the way of rolling per slip, in N: at a slip of 0.01 a hundredth of it. "
        "A tyre of a car has about 20 times its load",
        default=60000.0,
        min=0.0,
        soft_max=1000000.0,
        precision=1,
    )
    cornering_stiffness: animatable(
        FloatProperty,
        name="Cornering Stiffness",
        description="Force across the way of rolling per slip angle, in N/rad. "
        "A tyre of a car has about 15 times its load",
        default=45000.0,
        min=0.0,
        soft_max=1000000.0,
        precision=1,
    )
    rolling_resistance: animatable(
        FloatProperty,
        name="Rolling Resistance",
        description="What brakes a wheel that rolls, as a part of its load. About 0.01 on a road, 0.3 in sand",
        default=0.01,
        min=0.0,
        soft_max=0.5,
        precision=4,
    )
    slip_speed: setting(
        FloatProperty,
        name="Slip Speed",
        description="Slip is measured by the speed of rolling, but not by less than about this. "
        "Smaller: what stands on a slope creeps less, and takes longer to compute",
        default=0.5,
        min=1e-3,
        soft_max=10.0,
        precision=3,
        unit="VELOCITY",
    )
    use_slope: setting(
        BoolProperty,
        name="Own Slope",
        description="Let the point creep a little before it slides, as a tyre does, by the slope given here; "
        "otherwise it grips at once",
        default=False,
    )
    slope: animatable(
        FloatProperty,
        name="Slope",
        description="How steeply the friction rises with the sliding speed until the point slides, in N s/m; "
        "small for a soft tyre",
        default=1000.0,
        min=0.0,
        soft_max=100000.0,
        precision=2,
    )
    drag_measure: setting(
        EnumProperty,
        name="Measure",
        description="What tells how much air resists",
        items=DRAG_MEASURES,
        default="AREA",
    )
    drag_area: animatable(
        FloatProperty,
        name="Area",
        description="Silhouette of the body times its drag coefficient: about 1 for a plate across the wind, 0.3 "
        "for a car",
        default=1.0,
        min=0.0,
        soft_max=100.0,
        precision=4,
        unit="AREA",
    )
    drag_coefficient: animatable(
        FloatProperty,
        name="Coefficient",
        description="Force per square of the speed through the air, in N s²/m²",
        default=0.6,
        min=0.0,
        soft_max=100.0,
        precision=4,
    )
    wind: animatable(
        FloatVectorProperty,
        name="Wind",
        description="Velocity of the air along the world axes",
        size=3,
        soft_min=-50.0,
        soft_max=50.0,
        subtype="VELOCITY",
        unit="VELOCITY",
    )
    expression_x: _component("X")
    expression_y: _component("Y")
    expression_z: _component("Z")
    expression_axes: setting(
        EnumProperty,
        name="Axes",
        description="What the components of force and velocity are along; the place is always in the world",
        items=EXPRESSION_AXES,
        default="WORLD",
    )
    expression_a: _given("a")
    expression_b: _given("b")
    expression_c: _given("c")
