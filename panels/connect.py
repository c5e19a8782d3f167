# SPDX-License-Identifier: GPL-3.0-or-later
"""The second panel: joints, chains, nails and paths, and the settings of a nail or a path."""

import bpy

from ..scene.animation import is_animated
from ..scene.joint_properties import JOINT_TYPES
from .sidebar import ORDER, Sidebar, active_with_role, draw_copy, draw_name, settings_column


class VES_PT_connect(Sidebar, bpy.types.Panel):
    """Fasten the selected bodies to each other, to the world or to a curve."""

    bl_label = "Connect"
    bl_order = ORDER["CONNECT"]

    def draw(self, context: bpy.types.Context) -> None:
        """Where a new joint goes, then a button for each type."""
        layout, settings = self.layout, context.scene.ves
        column = settings_column(layout)
        column.prop(settings, "connect_at")
        column.prop(settings, "connect_axis")
        grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for identifier, label, _, icon, _ in JOINT_TYPES:
            grid.operator("ves.add_joint", text=label, icon=icon).type = identifier
        row = layout.row(align=True)
        for identifier, label in (("SPHERICAL", "Ball Chain"), ("REVOLUTE", "Hinge Chain")):
            operator = row.operator("ves.chain", text=label, icon="LINKED")
            operator.type, operator.axis = identifier, settings.connect_axis
        row = layout.row(align=True)
        row.operator("ves.add_nail", icon="PINNED")
        row.operator("ves.add_path", icon="CURVE_PATH")


class VES_PT_nail(Sidebar, bpy.types.Panel):
    """The active nail."""

    bl_label = "Nail"
    bl_parent_id = "VES_PT_connect"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a nail."""
        return active_with_role(context, "NAIL") is not None

    def draw(self, context: bpy.types.Context) -> None:
        """A nail has nothing but its body and its place."""
        nail = context.active_object
        draw_name(self.layout, nail, "PINNED")
        column = settings_column(self.layout)
        column.active = nail.ves.enabled
        column.prop(nail.ves, "body_a", text="Body")


class VES_PT_path(Sidebar, bpy.types.Panel):
    """The active path."""

    bl_label = "Path"
    bl_parent_id = "VES_PT_connect"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a path."""
        return active_with_role(context, "PATH") is not None

    def draw(self, context: bpy.types.Context) -> None:
        """The frame range is greyed out once Path Time is animated."""
        path = context.active_object
        draw_name(self.layout, path, "CURVE_PATH")
        column = settings_column(self.layout)
        column.active = path.ves.enabled
        column.prop(path.ves, "body_a", text="Body")
        column.prop(path.ves, "path_curve")
        column.prop(path.ves, "path_keep_offset")
        frames = column.column(align=True)
        frames.active = not is_animated(path, "ves.path_time")
        frames.prop(path.ves, "path_frame_start", text="Frame Start")
        frames.prop(path.ves, "path_frame_end", text="End")
        time = column.column()
        time.use_property_decorate = True
        time.prop(path.ves, "path_time")
        draw_copy(self.layout, context)


CLASSES = (VES_PT_connect, VES_PT_nail, VES_PT_path)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
