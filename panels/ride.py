# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of a joint by which surfaces ride on each other, within the panel Joint."""

import bpy


def draw_ride(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Rolling or sliding, then each of the surfaces."""
    layout.prop(settings, "ride_rolling")
    for side in "ab":
        column = layout.column(align=True)
        column.prop(settings, f"ride_object_{side}")
        column.prop(settings, f"ride_kind_{side}")
        column.prop(settings, f"ride_inside_{side}")
