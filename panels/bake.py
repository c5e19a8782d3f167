# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel with the button that everything is about: frame range, accuracy, Bake and its progress."""

import bpy

from ..operators.bake import VES_OT_bake
from ..operators.modal import under_way
from ..scene.animation.kept import is_baked
from ..scene.properties.scene import frame_range
from .sidebar import ORDER, Sidebar, draw_cure, draw_text, settings_column

MOST_CURES = 2


class VES_PT_bake(Sidebar, bpy.types.Panel):
    """Turn the mechanism's motion into keyframes."""

    bl_label = "Bake"
    bl_order = ORDER["BAKE"]

    def draw(self, context: bpy.types.Context) -> None:
        """Settings and the button, or the progress while a bake is under way."""
        layout, settings = self.layout, context.scene.ves
        if under_way() == VES_OT_bake.bl_label:
            row = layout.row(align=True)
            row.progress(factor=settings.progress, text=f"{settings.progress:.0%}")
            row.operator("ves.cancel_bake", text="", icon="CANCEL")
            draw_text(layout, context, settings.status)
            return
        column = settings_column(layout)
        column.prop(settings, "frame_source")
        if settings.frame_source == "CUSTOM":
            column.prop(settings, "frame_start")
            column.prop(settings, "frame_end")
        column.prop(settings, "accuracy")
        column.prop(settings, "integrator")
        first, last = frame_range(context.scene)
        row = layout.row()
        row.scale_y = 1.5
        row.operator("ves.bake", text=f"Bake {first} to {last}", icon="REC")
        if any(is_baked(ob) for ob in context.scene.objects):
            layout.operator("ves.clear_bake", icon="TRASH")
        if settings.status:
            draw_text(layout, context, settings.status)
            _draw_cures(layout, context)


def _draw_cures(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Buttons for what a click puts right, without the way down to Check."""
    for finding in [each for each in context.scene.ves.findings if each.cure][:MOST_CURES]:
        box = layout.box()
        draw_text(box, context, finding.text)
        draw_cure(box, finding)


class VES_PT_bake_details(Sidebar, bpy.types.Panel):
    """Settings that few people need to change."""

    bl_label = "Details"
    bl_parent_id = "VES_PT_bake"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Draws where keys may be, how animation is sampled, and how many steps of fixed length a frame has."""
        column, settings = settings_column(self.layout), context.scene.ves
        column.prop(settings, "keys_between")
        column.prop(settings, "samples_per_frame")
        if settings.integrator == "PERPETUAL":
            column.prop(settings, "substeps")


CLASSES = (VES_PT_bake, VES_PT_bake_details)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
