# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a figure that keeps its balance: `Object.ves` of an Empty whose force is a balance."""

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, PointerProperty

from ..force_types import LOAD_TIME, STEP_HEIGHT, STEP_TIME
from ..setting import animatable, list_setting, setting

MOST_WEIGHTS = 8  # feet that can have a weight and a lift of their own


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
