# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a hand that reaches: `Object.ves` of an Empty whose force is a reach."""

import bpy
from bpy.props import BoolProperty, FloatProperty

from ..setting import animatable, object_setting, setting


def _can_be_target(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate not in {self.id_data, self.body_a}


class ReachProperties:
    """Mixed into the property group of `Object.ves`."""

    reach_target: object_setting(
        name="Target",
        description="Object that the hand follows: an Empty or a keyed body. Animate it, and the hand goes along",
        poll=_can_be_target,
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
