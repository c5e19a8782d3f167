# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `Object.ves` that make an Empty a path, a bead or a rod that keeps a distance."""

import bpy
from bpy.props import BoolProperty, FloatProperty, IntProperty, PointerProperty

from .body_properties import OVERRIDABLE


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


class DistanceProperties:
    """Mixed into the property group of `Object.ves`."""

    use_distance: BoolProperty(
        name="Own Length",
        description="Keep the length given here; otherwise that which the rod has at the first frame",
        default=False,
        options=set(),
        override=OVERRIDABLE,
    )
    distance: FloatProperty(
        name="Length",
        description="Distance that the two ends keep",
        default=1.0,
        min=1e-6,
        soft_min=0.001,
        soft_max=100.0,
        unit="LENGTH",
        options=set(),
        override=OVERRIDABLE,
    )
