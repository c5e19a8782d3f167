# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of `Object.ves` that make an Empty a path, a bead, a generic constraint, a rod, a gear or a rope.

And by which it draws its ends together.
"""

import math
from typing import Any

import bpy
from bpy.props import BoolProperty, BoolVectorProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty

from ..visible.visible import follow
from .setting import animatable, list_setting, object_setting, setting


def _is_curve(_self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.type == "CURVE"


def _is_other(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate != self.id_data


def _shape_changed(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """The rope that is seen runs over the new wheel, and is as long as is said."""
    follow(self.id_data)


class PathProperties:
    """Mixed into the property group of `Object.ves`."""

    path_curve: object_setting(
        name="Curve",
        description="Curve that the point of the body follows, or along which the bead slides",
        poll=_is_curve,
    )
    path_object: object_setting(
        name="Object",
        description="Object whose animation the point of the body follows, instead of a curve",
        poll=_is_other,
    )
    path_orientation: setting(
        BoolProperty,
        name="Turn Along",
        description="The body also turns as the object turns; otherwise it can turn freely about its point",
        default=False,
    )
    path_frame_start: setting(
        IntProperty,
        name="Start",
        description="Frame at which the point leaves the start of the curve, unless Path Time is animated",
        default=1,
    )
    path_frame_end: setting(
        IntProperty,
        name="End",
        description="Frame at which the point arrives at the end of the curve, unless Path Time is animated",
        default=250,
    )
    path_time: animatable(
        FloatProperty,
        name="Path Time",
        description="How far along the curve the point is, by length: 0 at its start, 1 at its end. "
        "Once this has keyframes or a driver, it rules over the frame range",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    path_keep_offset: setting(
        BoolProperty,
        name="Keep Offset",
        description="Move as the curve or the object says, but from where the point is now; "
        "otherwise the point must lie where they begin",
        default=True,
    )


def _is_joint(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return candidate.ves.role == "JOINT" and candidate != self.id_data


class DistanceProperties:
    """Mixed into the property group of `Object.ves`."""

    use_distance: setting(
        BoolProperty,
        name="Own Length",
        description="Keep the length given here; otherwise that which the rod or the rope has at the first frame",
        default=False,
        update=_shape_changed,
    )
    distance: animatable(
        FloatProperty,
        name="Length",
        description="Distance that the two ends of a rod keep, or length of a rope: of its first side, "
        "and Ratio times that of its second",
        default=1.0,
        min=1e-6,
        soft_min=0.001,
        soft_max=100.0,
        unit="LENGTH",
    )
    slack: setting(
        BoolProperty,
        name="Slack",
        description="Pull and never push, as a rope or a chain: it hangs slack while its ends are nearer to each other "
        "than it is long, and stops them with a jerk, as by a blow without rebound, where it is taut",
        default=False,
    )


class GenericProperties:
    """Mixed into the property group of `Object.ves`."""

    lock_travel: setting(
        BoolVectorProperty,
        name="Lock Place",
        description="Axes of the frame along which the body's point cannot go: with Z alone it stays in the plane of X "
        "and Y, with X and Y on the line along Z",
        size=3,
        default=(False, False, True),
        subtype="XYZ",
    )
    lock_turn: setting(
        BoolVectorProperty,
        name="Lock Turn",
        description="Axes of the frame about which the body cannot turn: with X and Y their Z axes stay parallel, "
        "and the body can spin about that one; with a single one it turns about the two others as in a universal joint",
        size=3,
        default=(False, False, False),
        subtype="XYZ",
    )


class BeadProperties:
    """Mixed into the property group of `Object.ves`."""

    curve_align: setting(
        EnumProperty,
        name="Align to Curve",
        description="How the body turns as its point slides along the curve",
        items=[
            ("NONE", "Off", "The body turns freely about its point"),
            (
                "TANGENT",
                "Tangent",
                "The Empty's Y axis keeps along the curve, and the body with it; it can still roll about the curve",
            ),
            (
                "UP",
                "Tangent and Tilt",
                "Its Z axis keeps up besides: by the curve's Tilt, from upright, or with the curve's Twist Method "
                "Minimum from what carries on without twist",
            ),
        ],
        default="NONE",
    )
    one_sided: setting(
        EnumProperty,
        name="One-Sided",
        description="The curve is the profile of a cam: it pushes the body's point to one side, and never pulls it. "
        "The point lifts off where it is faster, and is struck where the cam catches up",
        items=[
            ("NONE", "Off", "A bead, which the curve holds on both sides"),
            (
                "OUTSIDE",
                "Outside",
                "A closed curve pushes outwards; an open one to the left of its way, seen against the Empty's Z axis",
            ),
            (
                "INSIDE",
                "Inside",
                "A closed curve pushes inwards; an open one to the right of its way, seen against the Empty's Z axis",
            ),
        ],
        default="NONE",
    )
    roller_radius: setting(
        FloatProperty,
        name="Roller Radius",
        description="Radius of a roller about the body's point, which rolls on the profile. With 0 the point itself "
        "slides on it, as a knife edge",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=4,
        unit="LENGTH",
    )
    cam_bounciness: setting(
        FloatProperty,
        name="Bounciness",
        description="Part of its speed with which the follower bounces off the cam where it strikes: "
        "0 does not bounce, 1 loses nothing",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )


class CatchProperties:
    """Mixed into the property group of `Object.ves`: how joints and constraints draw their ends together."""

    catch_time: setting(
        FloatProperty,
        name="Catch Time",
        description="Time constant with which the two ends are drawn together, without overshoot, where they are apart "
        "as it is switched on: after three of it a fifth of the gap is left, after ten a two-thousandth. With 0, a "
        "tenth of a second where they are apart, and at once, as by a blow, where they are together but move",
        default=0.0,
        min=0.0,
        soft_max=2.0,
        precision=3,
        unit="TIME_ABSOLUTE",
    )
    catch_within: setting(
        FloatProperty,
        name="Catch Within",
        description="Take hold only once the two ends have come so near to each other. With 0, at once",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=3,
        unit="LENGTH",
    )
    catch_force: setting(
        FloatProperty,
        name="Catch Force",
        description="The largest force in N, and for turns the largest torque in N m, by which the two ends are drawn "
        "together. What is stronger holds them up, such as the ground, and they go on from there; once they have met, "
        "any force holds them. With 0, as much as it takes, through whatever stands in the way",
        default=0.0,
        min=0.0,
        soft_max=1e4,
        precision=2,
    )


class CouplingProperties:
    """Mixed into the property group of `Object.ves`."""

    joint_a: object_setting(
        name="First Joint",
        description="Joint whose turns or travel are passed on: of the driving wheel, or of the pinion",
        poll=_is_joint,
    )
    joint_b: object_setting(
        name="Second Joint",
        description="Joint that goes along: of the driven wheel, or of the rack",
        poll=_is_joint,
    )
    gear_ratio: animatable(
        FloatProperty,
        name="Ratio",
        description="Turns of the second joint for one of the first: the first wheel's radius over the second one's, "
        "negative for wheels that mesh on their outer sides. For a slider metres in the place of radians",
        default=-1.0,
        soft_min=-10.0,
        soft_max=10.0,
        precision=4,
    )
    pinion_radius: animatable(
        FloatProperty,
        name="Radius",
        description="Radius of the pinion, which is how far the rack goes when it turns by a radian; "
        "negative if the rack goes the other way",
        default=0.1,
        soft_min=-10.0,
        soft_max=10.0,
        precision=4,
        unit="LENGTH",
    )
    backlash: animatable(
        FloatProperty,
        name="Backlash",
        description="Play between the teeth: how far the second joint turns while the first one stands still, half of "
        "it either way at the start. The teeth strike at its ends. With 0 there is none",
        default=0.0,
        min=0.0,
        soft_max=math.radians(45.0),
        precision=3,
        unit="ROTATION",
    )
    backlash_travel: animatable(
        FloatProperty,
        name="Backlash",
        description="Play between the teeth: how far the second joint slides while the first one stands still, half of "
        "it either way at the start. The teeth strike at its ends. With 0 there is none",
        default=0.0,
        min=0.0,
        soft_max=0.1,
        precision=4,
        unit="LENGTH",
    )
    tooth_bounciness: animatable(
        FloatProperty,
        name="Bounciness",
        description="Part of their speed with which teeth bounce off where they strike: 0 does not bounce, and they "
        "push at once; 1 loses nothing",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )
    wheel_a: object_setting(
        name="First Wheel",
        description="Object that marks where the rope leaves the first body's wheel or hook; "
        "a body, or a child of one, carries the wheel along",
        poll=_is_other,
        update=_shape_changed,
    )
    wheel_b: object_setting(
        name="Second Wheel",
        description="Object that marks where the rope leaves the second body's wheel or hook; "
        "a body, or a child of one, carries the wheel along",
        poll=_is_other,
        update=_shape_changed,
    )
    rope_ratio: animatable(
        FloatProperty,
        name="Ratio",
        description="Strands of rope that the second body hangs on for one of the first body's: "
        "with 2 it goes half as far, and is pulled twice as hard",
        default=1.0,
        min=1e-3,
        soft_min=0.1,
        soft_max=10.0,
    )


class VES_PG_rope_point(bpy.types.PropertyGroup):
    """A wheel, an eye or a hook that a rope runs over."""

    object: PointerProperty(
        name="Wheel",
        description="Object that marks where the rope runs over a wheel, or through an eye; "
        "a body, or a child of one, carries it along",
        type=bpy.types.Object,
        poll=_is_other,
        update=_shape_changed,
        options=set(),
    )
    friction: setting(
        FloatProperty,
        name="Friction",
        description="Coefficient of friction of the rope on this wheel, as on a bollard or an edge that does not turn; "
        "0 where the wheel turns freely. A rope that rubs pulls and never pushes, whatever Slack says. "
        "Counts as it is at the start of a bake or of Play",
        default=0.0,
        min=0.0,
        soft_max=1.0,
    )
    turns: setting(
        FloatProperty,
        name="Turns",
        description="How often the rope goes round besides the bend that it makes there: "
        "with a Friction of 0.3 each turn holds 6.6 times as much. Counts as it is at the start",
        default=0.0,
        min=0.0,
        soft_max=5.0,
    )


def _is_hinge(self: bpy.types.PropertyGroup, candidate: bpy.types.Object) -> bool:
    return _is_joint(self, candidate) and candidate.ves.joint_type == "REVOLUTE"


def _drum_radius(which: str) -> Any:
    return setting(
        FloatProperty,
        name=f"{which} Drum Radius",
        description="What the drum winds up for each radian that its hinge turns; "
        "negative if it winds up the other way round",
        default=0.1,
        soft_min=-10.0,
        soft_max=10.0,
        unit="LENGTH",
    )


class RopeProperties:
    """Mixed into the property group of `Object.ves`."""

    rope_points: list_setting(
        name="Runs Over",
        description="What the rope runs over from its Empty to its Other Side",
        type=VES_PG_rope_point,
    )
    drum_a: object_setting(
        name="First Drum",
        description="Hinge of a drum that winds the rope up at its Empty; the body that holds the hinge is First Body",
        poll=_is_hinge,
    )
    drum_radius_a: _drum_radius("First")
    drum_b: object_setting(
        name="Drum",
        description="Hinge of a drum that winds the rope up at its Other Side; "
        "the body that holds the hinge is Second Body",
        poll=_is_hinge,
    )
    drum_radius_b: _drum_radius("Second")


OF_CONSTRAINTS = (
    PathProperties,
    BeadProperties,
    DistanceProperties,
    GenericProperties,
    CouplingProperties,
    RopeProperties,
)
"""The settings of all constraints but those of catching, which joints have as well."""
