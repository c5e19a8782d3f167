# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that assembles loose linkages: at once, or as a flight of keyframes."""

import bpy

from ..operators.modal import under_way
from ..operators.snap import VES_OT_snap_together
from .sidebar import ORDER, Sidebar, draw_text, settings_column


class VES_PT_snap(Sidebar, bpy.types.Panel):
    """Bring loose joints and constraints together."""

    bl_label = "Snap Together"
    bl_order = ORDER["SNAP"]

    def draw(self, context: bpy.types.Context) -> None:
        """How, and the button; or the progress while it is under way."""
        layout, settings = self.layout, context.scene.ves
        if under_way() == VES_OT_snap_together.bl_label:
            row = layout.row(align=True)
            row.progress(factor=settings.progress, text=f"{settings.progress:.0%}")
            row.operator("ves.cancel_snap", text="", icon="CANCEL")
            draw_text(layout, context, settings.snap_status)
            return
        layout.row(align=True).prop(settings, "snap_mode", expand=True)
        if settings.snap_mode == "ANIMATED":
            settings_column(layout).prop(settings, "snap_frames")
        row = layout.row()
        row.scale_y = 1.5
        text = "Snap Selected Together" if context.selected_objects else "Snap All Together"
        operator = row.operator("ves.snap_together", text=text, icon="SNAP_ON")
        operator.mode, operator.frames = settings.snap_mode, settings.snap_frames
        if settings.snap_status:
            draw_text(layout, context, settings.snap_status)


CLASSES = (VES_PT_snap,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
