# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the bake; its button and its state stand at the top of the tab."""

import bpy

from ..scene.bake.ghost import has_ghost, is_result_shown
from ..scene.properties.scene import frame_range
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


class VES_PT_bake_part(Sidebar, bpy.types.Panel):
    """A part of the figure within a range, and its result beside the animation."""

    bl_label = "Part"
    bl_parent_id = "VES_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Blends and button; of a result what becomes of it."""
        settings, (first, last) = context.scene.ves, frame_range(context.scene)
        column = settings_column(self.layout)
        column.prop(settings, "part_blend_in")
        column.prop(settings, "part_blend_out")
        row = self.layout.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("ves.bake_part", text=f"Bake Selected, {first} to {last}", icon="REC")
        if not has_ghost(context.scene):
            return
        is_shown = is_result_shown(context.scene)
        row = self.layout.row(align=True)
        row.operator("ves.ghost_command", text="Compare", icon="ARROW_LEFTRIGHT", depress=is_shown).command = "COMPARE"
        row.operator("ves.ghost_command", text="Accept", icon="CHECKMARK").command = "ACCEPT"
        row.operator("ves.ghost_command", text="Discard", icon="X").command = "DISCARD"
        self.layout.prop(settings, "show_ghost", text="Draw Animation" if is_shown else "Draw Result")


class VES_PT_bake_details(Sidebar, bpy.types.Panel):
    """Settings that few people need to change."""

    bl_label = "Details"
    bl_parent_id = "VES_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """The integrator and its steps, where keys may be, and how animation is sampled."""
        column, settings = settings_column(self.layout), context.scene.ves
        column.prop(settings, "integrator")
        if settings.integrator == "QUASI_STATIC":
            column.prop(settings, "settling")
        if settings.integrator == "ADAPTIVE":
            column.prop(settings, "error_bound")
        if settings.integrator != "STANDARD":
            column.prop(settings, "substeps")
        column.prop(settings, "keys_between")
        column.prop(settings, "samples_per_frame")


CLASSES = (VES_PT_bake, VES_PT_bake_part, VES_PT_bake_details)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
