# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that assembles loose linkages: at once, or as a flight of keyframes."""

import bpy

from .sidebar import ORDER, Sidebar, draw_text, settings_column


class VES_PT_snap(Sidebar, bpy.types.Panel):
    """Bring loose joints and constraints together."""

    bl_label = "Snap Together"
    bl_order = ORDER["SNAP"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        """The button, which is there while the panel is closed, too."""
        _draw_button(self.layout, context, "")

    def draw(self, context: bpy.types.Context) -> None:
        """At once or as a flight, and the button."""
        layout, settings = self.layout, context.scene.ves
        layout.row(align=True).prop(settings, "snap_mode", expand=True)
        if settings.snap_mode == "ANIMATED":
            settings_column(layout).prop(settings, "snap_frames")
        row = layout.row()
        row.scale_y = 1.5
        _draw_button(row, context, "Snap Selected Together" if context.selected_objects else "Snap All Together")
        if settings.snap_status:
            draw_text(layout, context, settings.snap_status)


def _draw_button(layout: bpy.types.UILayout, context: bpy.types.Context, text: str) -> None:
    settings = context.scene.ves
    operator = layout.operator("ves.snap_together", text=text, icon="SNAP_ON", emboss=bool(text))
    operator.mode, operator.frames = settings.snap_mode, settings.snap_frames


CLASSES = (VES_PT_snap,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
