# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that drags linkages into poses."""

import bpy

from ..scene.rig.selected import active_body
from .sidebar import ORDER, Sidebar, draw_text, settings_column


class VES_PT_pose(Sidebar, bpy.types.Panel):
    """Drag a body, and its linkage follows."""

    bl_label = "Pose"
    bl_order = ORDER["POSE"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header_preset(self, _context: bpy.types.Context) -> None:
        """The button, which is there while the panel is closed, too."""
        self.layout.operator("ves.pose", text="", icon="VIEW_PAN", emboss=False)

    def draw(self, context: bpy.types.Context) -> None:
        """The button, pins and keys."""
        layout, settings = self.layout, context.scene.ves
        row = layout.row()
        row.scale_y = 1.5
        row.operator("ves.pose", icon="VIEW_PAN")
        row = layout.row(align=True)
        row.operator("ves.pin_bodies", text="Pin Selected", icon="PINNED").unpin = False
        row.operator("ves.pin_bodies", text="Unpin All", icon="UNPINNED").unpin = True
        body = active_body(context)
        if body is not None and body.ves.motion == "DYNAMIC":
            column = settings_column(layout)
            column.prop(body.ves, "is_pinned", text=f"Pin {body.name}")
            if body.ves.is_pinned:
                column.prop(body.ves, "pin_turn")
                column.prop(body.ves, "pin_point")
        layout.operator("ves.key_pose", icon="KEY_HLT")
        column = settings_column(layout)
        column.prop(settings, "pose_auto_key")
        column.prop(settings, "pose_contact")
        column.prop(settings, "pose_mirror")
        column.prop(settings, "pose_tense", slider=True)
        if settings.pose_status:
            draw_text(layout, context, settings.pose_status)


class VES_PT_pose_details(Sidebar, bpy.types.Panel):
    """Exactness, the measure of errors, and time."""

    bl_label = "Details"
    bl_parent_id = "VES_PT_pose"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Settings that are nearly always right."""
        column, settings = settings_column(self.layout), context.scene.ves
        column.prop(settings, "pose_digits", slider=True)
        column.prop(settings, "pose_measure")
        column.prop(settings, "pose_time")


CLASSES = (VES_PT_pose, VES_PT_pose_details)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
