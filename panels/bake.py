# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the bake; its button and its state stand at the top of the tab."""

import bpy

from .sidebar import ORDER, Sidebar, settings_column


class VES_PT_bake(Sidebar, bpy.types.Panel):
    """Which frames are baked, and how closely."""

    bl_label = "Bake"
    bl_order = ORDER["BAKE"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Frames and accuracy, and other starts."""
        column, settings = settings_column(self.layout), context.scene.ves
        column.prop(settings, "frame_source")
        if settings.frame_source == "CUSTOM":
            column.prop(settings, "frame_start")
            column.prop(settings, "frame_end")
        column.prop(settings, "use_cycle")
        column.prop(settings, "accuracy")
        row = self.layout.row(align=True)
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("ves.start_from_frame", icon="FF")
        row.operator("ves.settle", icon="SORT_ASC")


class VES_PT_bake_details(Sidebar, bpy.types.Panel):
    """Settings that few people need to change."""

    bl_label = "Details"
    bl_parent_id = "VES_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """The integrator and its steps, where keys may be, and how animation is sampled."""
        column, settings = settings_column(self.layout), context.scene.ves
        column.prop(settings, "integrator")
        if settings.integrator == "PERPETUAL":
            column.prop(settings, "substeps")
        column.prop(settings, "keys_between")
        column.prop(settings, "samples_per_frame")


CLASSES = (VES_PT_bake, VES_PT_bake_details)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
