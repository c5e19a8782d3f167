# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of linkages that follow their drives in every frame."""

import bpy

from .sidebar import ORDER, Sidebar, draw_text, settings_column


class VES_PT_live(Sidebar, bpy.types.Panel):
    """Linkages that follow their drives without a bake."""

    bl_label = "Live"
    bl_order = ORDER["LIVE"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        """The button, which is there while the panel is closed, too."""
        self.layout.operator("ves.make_live", text="", icon="LINKED", emboss=False)

    def draw(self, context: bpy.types.Context) -> None:
        """The buttons, what is live, and what stops."""
        layout, settings = self.layout, context.scene.ves
        row = layout.row()
        row.scale_y = 1.5
        row.operator("ves.make_live", icon="LINKED")
        if settings.live_stamp:
            _draw_live(layout, context)
        layout.operator("ves.draw_path", icon="CURVE_DATA")
        active = context.active_object
        if active is not None and active.ves.path_findings:
            settings_column(layout).prop(settings, "show_path_plots")
            for part in active.ves.path_findings.split("; "):
                draw_text(layout, context, part)


def _draw_live(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    settings = context.scene.ves
    row = layout.row(align=True)
    row.operator("ves.live_to_keys", icon="KEY_HLT")
    row.operator("ves.end_live", icon="X")
    settings_column(layout).prop(settings, "live_follows")
    draw_text(layout, context, settings.live_mobility)
    if settings.live_status:
        draw_text(layout, context, settings.live_status)


CLASSES = (VES_PT_live,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
