# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that drags linkages into poses."""

import bpy

from ..operators.modal import under_way
from ..operators.pose import VES_OT_pose
from .sidebar import ORDER, Sidebar, active_with_role, draw_text, settings_column


class VES_PT_pose(Sidebar, bpy.types.Panel):
    """Drag a body, and its linkage follows."""

    bl_label = "Pose"
    bl_order = ORDER["POSE"]

    def draw(self, context: bpy.types.Context) -> None:
        """The button, or what can be done meanwhile; how exact it is; pins and keys."""
        layout, settings = self.layout, context.scene.ves
        is_posing = under_way() == VES_OT_pose.bl_label
        if is_posing:
            row = layout.row(align=True)
            row.scale_y = 1.5
            row.operator("ves.pose_command", text="Key", icon="KEY_HLT").command = "KEY"
            row.operator("ves.pose_command", text="Keep", icon="CHECKMARK").command = "KEEP"
            row.operator("ves.pose_command", text="", icon="CANCEL").command = "END"
        else:
            row = layout.row()
            row.scale_y = 1.5
            row.operator("ves.pose", icon="VIEW_PAN")
        column = settings_column(layout)
        column.prop(settings, "pose_digits", slider=True)
        column.prop(settings, "pose_measure")
        column.prop(settings, "pose_auto_key")
        if not is_posing:
            row = layout.row(align=True)
            row.operator("ves.pin_bodies", text="Pin Selected", icon="PINNED").unpin = False
            row.operator("ves.pin_bodies", text="Unpin All", icon="UNPINNED").unpin = True
            body = active_with_role(context, "BODY")
            if body is not None and body.ves.motion == "DYNAMIC":
                column = settings_column(layout)
                column.prop(body.ves, "is_pinned", text=f"Pin {body.name}")
                if body.ves.is_pinned:
                    column.prop(body.ves, "pin_point")
            layout.operator("ves.key_pose", icon="KEY_HLT")
        if settings.pose_status:
            draw_text(layout, context, settings.pose_status)


CLASSES = (VES_PT_pose,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
