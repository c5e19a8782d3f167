# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Scene.ves` that Pose needs: how exact it is, and when it makes keyframes."""

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

MEASURES = [
    (
        "RELATIVE_LINKAGE",
        "All, Relative",
        "The error is that of all joints together, as a part of their motion. Right for most linkages",
        0,
    ),
    (
        "RELATIVE_JOINT",
        "Each, Relative",
        "The error is that of each joint, as a part of the motion of all. Quicker, but many small errors add up: "
        "ends that are far away may swing",
        1,
    ),
    (
        "ABSOLUTE_LINKAGE",
        "All, Absolute",
        "The error is that of all joints together, as an acceleration (rad/s²) under the pull of the hand: "
        "a gentle pull moves fewer joints",
        2,
    ),
    ("ABSOLUTE_JOINT", "Each, Absolute", "The error is that of each joint, as an acceleration (rad/s²)", 3),
]


class PoseProperties:
    """Mixed into the property group of `Scene.ves`."""

    pose_digits: FloatProperty(
        name="Digits",
        description="How exact each step of Pose is: 4 leaves an error of 1e-4. More digits move more joints and take "
        "longer in linkages of thousands of bodies; fewer leave joints stiff that move little, and far ends swing. May "
        "be changed while posing",
        default=4.0,
        min=0.0,
        max=12.0,
        soft_min=1.0,
        soft_max=8.0,
        step=10,
        precision=1,
        options=set(),
    )
    pose_measure: EnumProperty(
        name="Error Of",
        description="What the error is measured by",
        items=MEASURES,
        default="RELATIVE_LINKAGE",
        options=set(),
    )
    pose_time: FloatProperty(
        name="Time Budget",
        description="Milliseconds that a step of Pose may take of the solver, in trees without limits of joints or "
        "contact, and in large ones: it is then as exact as they allow, what moves most first, and the header says how "
        "exact that is. 0: as long as Digits asks for. May be changed while posing",
        default=0.0,
        min=0.0,
        soft_max=20.0,
        step=10,
        precision=1,
        options=set(),
    )
    pose_auto_key: BoolProperty(
        name="Key at Release",
        description="Whenever the mouse lets a body go, key all bodies that have moved, at the present frame",
        default=False,
        options=set(),
    )
    pose_contact: BoolProperty(
        name="Keep Apart",
        description="Posed bodies do not go through each other, the ground and other bodies, if Contact is on. Of "
        "linkages of more than 120 coordinates they do",
        default=True,
        options=set(),
    )
    pose_mirror: BoolProperty(
        name="X Mirror",
        description="The body of the other side, by its name (.L and .R, Left and Right), is pulled by the hand's "
        "mirror image, and the limit of its joint goes along with one that is dragged: of bones about the X of their "
        "rig, of objects about that of the world",
        default=False,
        options=set(),
    )
    pose_tense: FloatProperty(
        name="Limp to Tense",
        description="0, limp: joints give way as masses let them, the light ones near the hand first. 1, tense: all "
        "joints bend alike and as little as they can, so that a figure moves as a whole. Counts from the next drag on",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options=set(),
    )
    pose_has_unkeyed: BoolProperty(
        name="Not Keyed Yet", description="Pose has moved bodies that were not keyed since", options={"HIDDEN"}
    )
    pose_status: StringProperty(
        name="Pose Status", description="What Pose is doing or has done, in words", options={"SKIP_SAVE"}
    )


def pose_error(scene: bpy.types.Scene) -> tuple[float, str]:
    """The error of a step, and the solver's name of its measure."""
    return 10.0**-scene.ves.pose_digits, scene.ves.pose_measure.lower().replace("_", " ")
