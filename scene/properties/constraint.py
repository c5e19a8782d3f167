# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `Object.ves` that make an Empty a path, a bead, a rod that keeps a distance, a gear or a rope."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty

from .body import OVERRIDABLE


def _is_curve(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.type == "CURVE"


def _is_other(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate != self.id_data


class PathProperties:
    """Mixed into the property group of `Object.ves`."""

    path_curve: PointerProperty(
        name="Curve",
        description="Curve that the point of the body follows, or along which the bead slides",
        type=bpy.types.Object,
        poll=_is_curve,
        options=set(),
        override=OVERRIDABLE,
    )
    path_object: PointerProperty(
        name="Object",
        description="Object whose animation the point of the body follows, instead of a curve",
        type=bpy.types.Object,
        poll=_is_other,
        options=set(),
        override=OVERRIDABLE,
    )
    path_orientation: BoolProperty(
        name="Turn Along",
        description="The body also turns as the object turns; otherwise it can turn freely about its point",
        default=False,
        options=set(),
        override=OVERRIDABLE,
    )
    path_frame_start: IntProperty(
        name="Start",
        description="Frame at which the point leaves the start of the curve, unless Path Time is animated",
        default=1,
        options=set(),
        override=OVERRIDABLE,
    )
    path_frame_end: IntProperty(
        name="End",
        description="Frame at which the point arrives at the end of the curve, unless Path Time is animated",
        default=250,
        options=set(),
        override=OVERRIDABLE,
    )
    path_time: FloatProperty(
        name="Path Time",
        description="How far along the curve the point is, by length: 0 at its start, 1 at its end. "
        "Once this has keyframes or a driver, it rules over the frame range",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"ANIMATABLE"},
        override=OVERRIDABLE,
    )
    path_keep_offset: BoolProperty(
        name="Keep Offset",
        description="Move as the curve or the object says, but from where the point is now; "
        "otherwise the point must lie where they begin",
        default=True,
        options=set(),
        override=OVERRIDABLE,
    )


def _is_joint(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.ves.role == "JOINT" and candidate != self.id_data


class DistanceProperties:
    """Mixed into the property group of `Object.ves`."""

    use_distance: BoolProperty(
        name="Own Length",
        description="Keep the length given here; otherwise that which the rod or the rope has at the first frame",
        default=False,
        options=set(),
        override=OVERRIDABLE,
    )
    distance: FloatProperty(
        name="Length",
        description="Distance that the two ends of a rod keep, or length of a rope: of its first side, "
        "and Ratio times that of its second",
        default=1.0,
        min=1e-6,
        soft_min=0.001,
        soft_max=100.0,
        unit="LENGTH",
        options=set(),
        override=OVERRIDABLE,
    )


class CouplingProperties:
    """Mixed into the property group of `Object.ves`."""

    joint_a: PointerProperty(
        name="First Joint",
        description="Joint whose turns or travel are passed on: of the driving wheel, or of the pinion",
        type=bpy.types.Object,
        poll=_is_joint,
        options=set(),
        override=OVERRIDABLE,
    )
    joint_b: PointerProperty(
        name="Second Joint",
        description="Joint that goes along: of the driven wheel, or of the rack",
        type=bpy.types.Object,
        poll=_is_joint,
        options=set(),
        override=OVERRIDABLE,
    )
    gear_ratio: FloatProperty(
        name="Ratio",
        description="Turns of the second joint for one of the first: the first wheel's radius over the second one's, "
        "negative for wheels that mesh on their outer sides. For a slider metres in the place of radians",
        default=-1.0,
        soft_min=-10.0,
        soft_max=10.0,
        precision=4,
        options=set(),
        override=OVERRIDABLE,
    )
    pinion_radius: FloatProperty(
        name="Radius",
        description="Radius of the pinion, which is how far the rack goes when it turns by a radian; "
        "negative if the rack goes the other way",
        default=0.1,
        soft_min=-10.0,
        soft_max=10.0,
        precision=4,
        unit="LENGTH",
        options=set(),
        override=OVERRIDABLE,
    )
    wheel_a: PointerProperty(
        name="First Wheel",
        description="Object that marks where the rope leaves the first body's wheel or hook; "
        "a body, or a child of one, carries the wheel along",
        type=bpy.types.Object,
        poll=_is_other,
        options=set(),
        override=OVERRIDABLE,
    )
    wheel_b: PointerProperty(
        name="Second Wheel",
        description="Object that marks where the rope leaves the second body's wheel or hook; "
        "a body, or a child of one, carries the wheel along",
        type=bpy.types.Object,
        poll=_is_other,
        options=set(),
        override=OVERRIDABLE,
    )
    rope_ratio: FloatProperty(
        name="Ratio",
        description="Strands of rope that the second body hangs on for one of the first body's: "
        "with 2 it goes half as far, and is pulled twice as hard",
        default=1.0,
        min=1e-3,
        soft_min=0.1,
        soft_max=10.0,
        options=set(),
        override=OVERRIDABLE,
    )
