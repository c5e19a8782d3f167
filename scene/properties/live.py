# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Scene.ves` that live linkages need: whether they follow, and what they were when they were made live."""

import bpy
from bpy.props import BoolProperty, StringProperty


def _switched(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Show at once what has changed while they did not follow."""
    for ob in self.id_data.objects:
        if ob.ves.is_live or ob.ves.is_drive:
            ob.update_tag()


class LiveProperties:
    """Mixed into the property group of `Scene.ves`."""

    live_follows: BoolProperty(
        name="Follow",
        description="Live linkages follow their drives; off, they stay as they are",
        default=True,
        options=set(),
        update=_switched,
    )
    live_linkages: StringProperty(
        name="Live Linkages",
        description="What the live linkages were when they were made live",
        options={"HIDDEN"},
    )
    live_stamp: StringProperty(
        name="Live Stamp",
        description="A short text that differs when Live Linkages does, which is long to look at; empty if it is",
        options={"HIDDEN"},
    )
    live_mobility: StringProperty(
        name="Mobility", description="How many drives the live linkages need and have, in words", options=set()
    )
    live_moves: StringProperty(
        name="Moves", description="Which bodies each drive of the live linkages moves, as text", options={"HIDDEN"}
    )
    live_status: StringProperty(
        name="Live Status", description="How the live linkages follow, in words", options={"SKIP_SAVE"}
    )
    show_path_plots: BoolProperty(
        name="Plots",
        description="Draw in the 3D View, while the path of a point is active, what changes over the way of its drive",
        default=True,
        options=set(),
    )
