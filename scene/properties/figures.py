# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of figures: `Object.ves` of Empties whose force is a balance, a reach of a hand, or a rider who steers."""

import math

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, FloatVectorProperty, PointerProperty

from .force_types import LOAD_TIME, STEP_HEIGHT, STEP_TIME
from .setting import animatable, list_setting, object_setting, setting

MOST_WEIGHTS = 8  # feet that can have a weight and a lift of their own
WAYS = [
    ("UPRIGHT", "Upright", "Only keeps upright, wherever that leads", 0),
    ("HEADING", "Heading", "Rides in a direction of the compass, which may be keyed", 1),
    ("TARGET", "Target", "Rides towards an object: one that goes ahead along a lane, say", 2),
]


def _can_be_target(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate != self.id_data


def _can_be_foot(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.ves.role == "BODY"


def _per_direction(name: str, where: str, default: float, most: float) -> object:
    """Three numbers of a spring or damper."""
    return animatable(
        FloatVectorProperty,
        name=name,
        description=f"The same {where}, X, Y and Z",
        size=3,
        default=(default,) * 3,
        min=0.0,
        soft_max=most,
        precision=2,
    )


class VES_PG_foot(bpy.types.PropertyGroup):
    """A body that a figure stands on."""

    body: PointerProperty(
        name="Foot",
        description="A body of the figure that stands on the ground",
        type=bpy.types.Object,
        poll=_can_be_foot,
        options=set(),
    )


class BalanceProperties:
    """Mixed into the property group of `Object.ves`."""

    balance_feet: list_setting(
        name="Feet",
        description="The bodies of the figure that stand on the ground",
        type=VES_PG_foot,
    )
    balance_frequency: animatable(
        FloatProperty,
        name="Frequency",
        description="How firmly the body is held in its place over the feet: how often a second it would swing there "
        "without damping. A person who sways is at 0.5, a soldier at 1.5",
        default=1.0,
        min=0.0,
        soft_max=3.0,
        precision=2,
    )
    balance_damping_ratio: animatable(
        FloatProperty,
        name="Damping",
        description="1 comes back without swinging, less sways",
        default=1.0,
        min=0.0,
        soft_max=2.0,
        precision=2,
    )
    balance_turn_frequency: animatable(
        FloatProperty,
        name="Frequency",
        description="How firmly the body is held upright, or as the Empty is turned: how often a second it would swing "
        "about that without damping",
        default=1.0,
        min=0.0,
        soft_max=3.0,
        precision=2,
    )
    balance_turn_damping_ratio: animatable(
        FloatProperty,
        name="Damping",
        description="1 turns back without swinging, less wobbles",
        default=1.0,
        min=0.0,
        soft_max=2.0,
        precision=2,
    )
    use_balance_directions: setting(
        BoolProperty,
        name="Per Direction",
        description="Frequencies and dampings for each axis of the Empty by itself: a soft sway, but a firm height",
        default=False,
    )
    balance_frequencies: _per_direction("Frequency", "along each axis of the Empty", 1.0, 3.0)
    balance_damping_ratios: _per_direction("Damping", "along each axis of the Empty", 1.0, 2.0)
    balance_turn_frequencies: _per_direction("Frequency", "about each axis of the Empty", 1.0, 3.0)
    balance_turn_damping_ratios: _per_direction("Damping", "about each axis of the Empty", 1.0, 2.0)
    use_balance_weights: setting(
        BoolProperty,
        name="Weights",
        description="How the feet share the weight, and how high those are lifted that bear none. "
        "All on one foot, and the other is free",
        default=False,
    )
    balance_weights: animatable(
        FloatVectorProperty,
        name="Weight",
        description="How much of the weight this foot carries beside the others: 1 and 1 is half and half, 1 and 0 is "
        "all on the first. Key it, and the figure shifts",
        size=MOST_WEIGHTS,
        default=(1.0,) * MOST_WEIGHTS,
        min=0.0,
        soft_max=1.0,
        precision=2,
    )
    balance_lifts: animatable(
        FloatVectorProperty,
        name="Lift",
        description="How high this foot is lifted, in m, once its weight is 0 and the figure stands on the others",
        size=MOST_WEIGHTS,
        default=(0.0,) * MOST_WEIGHTS,
        min=0.0,
        soft_max=0.5,
        precision=3,
    )
    use_balance_max_torque: setting(
        BoolProperty,
        name="Limit Torque",
        description="No joint is driven by more than the torque given here: a figure that is pushed too hard falls",
        default=True,
    )
    balance_max_torque: animatable(
        FloatProperty,
        name="Maximum",
        description="Largest torque about each axis of the legs, in N m. Knees and ankles of a person have 100 to 300",
        default=200.0,
        min=0.0,
        soft_max=1000.0,
        precision=1,
    )
    use_balance_steps: setting(
        BoolProperty,
        name="Steps",
        description="Where leaning on its soles is not enough, the figure puts a foot where it can come to rest",
        default=False,
    )
    balance_step_time: animatable(
        FloatProperty,
        name="Step Time",
        description="How long a foot is in the air, in s. Quick steps catch harder pushes",
        default=STEP_TIME,
        min=0.05,
        soft_min=0.15,
        soft_max=1.0,
        max=10.0,
        precision=2,
    )
    balance_step_height: animatable(
        FloatProperty,
        name="Step Height",
        description="How high a foot is lifted in a step, in m",
        default=STEP_HEIGHT,
        min=0.0,
        soft_max=0.3,
        precision=3,
    )
    use_balance_loads: setting(
        BoolProperty,
        name="Takes Up Loads",
        description="Whatever pulls or presses on the figure is met as it is felt, so that it stands where it shall be "
        "under a load that it was never told of",
        default=False,
    )
    balance_load_time: animatable(
        FloatProperty,
        name="Load Time",
        description="How long it takes to feel a load, in s. The shorter, the more a blow is taken for one",
        default=LOAD_TIME,
        min=0.02,
        soft_min=0.1,
        soft_max=2.0,
        max=60.0,
        precision=2,
    )


def _can_be_reached(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate not in {self.id_data, self.body_a}


class ReachProperties:
    """Mixed into the property group of `Object.ves`."""

    reach_target: object_setting(
        name="Target",
        description="Object that the hand follows: an Empty or a keyed body. Animate it, and the hand goes along",
        poll=_can_be_reached,
    )
    reach_frequency: animatable(
        FloatProperty,
        name="Frequency",
        description="How quickly the hand comes to its target: how often a second it would swing there without "
        "damping. 0 lets it float",
        default=2.0,
        min=0.0,
        soft_max=5.0,
        precision=2,
    )
    reach_damping_ratio: animatable(
        FloatProperty,
        name="Damping",
        description="1 comes there without swinging, less overshoots",
        default=1.0,
        min=0.0,
        soft_max=2.0,
        precision=2,
    )
    use_reach_max_force: setting(
        BoolProperty,
        name="Limit Force",
        description="The hand is drawn to its target by no more than the force given here, whatever is in its way",
        default=False,
    )
    reach_max_force: animatable(
        FloatProperty,
        name="Maximum Force",
        description="Largest force of the hand, in N",
        default=50.0,
        min=0.0,
        soft_max=500.0,
        precision=1,
    )
    use_reach_max_torque: setting(
        BoolProperty,
        name="Limit Torque",
        description="No joint of the arm is driven by more than the torque given here",
        default=True,
    )
    reach_max_torque: animatable(
        FloatProperty,
        name="Maximum Torque",
        description="Largest torque about each axis of the arm, in N m. A person's shoulder has 60, an elbow 50",
        default=60.0,
        min=0.0,
        soft_max=300.0,
        precision=1,
    )


class SteeringProperties:
    """Mixed into the property group of `Object.ves`."""

    wheelbase: setting(
        FloatProperty,
        name="Wheelbase",
        description="Distance between the points in which front and rear wheel touch the ground",
        default=1.0,
        min=1e-3,
        soft_max=3.0,
        precision=3,
        unit="LENGTH",
    )
    center_height: setting(
        FloatProperty,
        name="Centre Height",
        description="Height of the centre of mass of all that leans, rider included, above the ground",
        default=1.0,
        min=1e-3,
        soft_max=3.0,
        precision=3,
        unit="LENGTH",
    )
    lean_frequency: animatable(
        FloatProperty,
        name="Frequency",
        description="How firmly it is held upright: how often a second it would swing about that without damping. "
        "A relaxed rider is at 0.4, a nervous one at 1",
        default=0.8,
        min=0.0,
        soft_max=2.0,
        precision=2,
    )
    lean_damping_ratio: animatable(
        FloatProperty,
        name="Damping",
        description="1 comes upright without swinging, less weaves",
        default=1.0,
        min=0.0,
        soft_max=2.0,
        precision=2,
    )
    max_lean: animatable(
        FloatProperty,
        name="Maximum Lean",
        description="How far it leans into bends at most",
        default=0.5,
        min=0.0,
        soft_max=math.radians(45.0),
        max=math.radians(80.0),
        precision=3,
        unit="ROTATION",
    )
    arm_stiffness: animatable(
        FloatProperty,
        name="Arm Stiffness",
        description="How firmly the arms hold the handlebar at the angle that they want, in N m/rad",
        default=100.0,
        min=0.0,
        soft_max=1000.0,
        precision=1,
    )
    arm_damping: animatable(
        FloatProperty,
        name="Arm Damping",
        description="How much the arms resist quick turns of the handlebar, in N m s/rad",
        default=10.0,
        min=0.0,
        soft_max=100.0,
        precision=2,
    )
    use_arm_max_torque: setting(
        BoolProperty,
        name="Limit Torque",
        description="The arms turn the handlebar by no more than the torque given here",
        default=False,
    )
    arm_max_torque: animatable(
        FloatProperty,
        name="Maximum",
        description="Largest torque of the arms about the steering axis, in N m",
        default=50.0,
        min=0.0,
        soft_max=500.0,
        precision=1,
    )
    way: setting(
        EnumProperty,
        name="Way",
        description="Where the rider rides to",
        items=WAYS,
        default="UPRIGHT",
    )
    heading: animatable(
        FloatProperty,
        name="Heading",
        description="The way to go, counterclockwise from the world's X axis, seen from above",
        default=0.0,
        soft_min=-math.pi,
        soft_max=math.pi,
        precision=3,
        unit="ROTATION",
    )
    heading_time: animatable(
        FloatProperty,
        name="Heading Time",
        description="How long it takes to come round, in s. The shorter, the more it leans into bends",
        default=1.0,
        min=0.05,
        soft_min=0.3,
        soft_max=5.0,
        precision=2,
    )
    ride_target: object_setting(
        name="Target",
        description="Object to ride towards. Animate it, so that it goes ahead along the lane",
        poll=_can_be_target,
    )
