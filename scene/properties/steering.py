# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a rider who steers: `Object.ves` of an Empty whose force is a steering."""

import math

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty

from .setting import animatable, object_setting, setting

WAYS = [
    ("UPRIGHT", "Upright", "Only keeps upright, wherever that leads", 0),
    ("HEADING", "Heading", "Rides in a direction of the compass, which may be keyed", 1),
    ("TARGET", "Target", "Rides towards an object: one that goes ahead along a lane, say", 2),
]


def _can_be_target(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate != self.id_data


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
