# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Scene.ves` that Find Torques needs: which motion is asked about, and which joints have drives."""

from bpy.props import EnumProperty

MOTIONS = [
    (
        "KEYED",
        "As Keyed",
        "Keyed bodies, and those that follow, move as they are animated; all others go along as a bake moves them",
        0,
    ),
    ("SHOWN", "As Shown", "All bodies move as the scene shows them now: animated by hand, or as they were baked", 1),
]
DRIVES = [
    ("MOTORS", "With a Motor", "The joints that have a motor; if none has one, all", 0),
    ("ALL", "All", "All joints that can move", 1),
    ("SELECTED", "Selected", "The joints that are selected", 2),
]


class TorqueProperties:
    """Mixed into the property group of `Scene.ves`."""

    torque_motion: EnumProperty(
        name="Motion",
        description="The motion whose torques Find Torques looks for",
        items=MOTIONS,
        default="KEYED",
        options=set(),
    )
    torque_drives: EnumProperty(
        name="Drives",
        description="The joints whose motors are to make that motion; in closed loops they share it, by the least sum "
        "of squares",
        items=DRIVES,
        default="MOTORS",
        options=set(),
    )
