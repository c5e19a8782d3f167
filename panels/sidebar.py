# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to all panels of the tab: their place, the look of a setting, and text that wraps."""

import textwrap

import bpy

from ..operators.modal import under_way
from ..operators.parts.visible import kind_of

ORDER = {
    name: place
    for place, name in enumerate(
        ("TOP", "FINDINGS", "ADD", "BODY", "JOINT", "CONSTRAINT", "FORCE", "HOLDING")
        + ("CONTACT", "GRAVITY", "SNAP", "POSE", "LIVE", "PLAY", "BAKE", "INSPECT"),
        start=10,  # behind Blender's own, so that the tab is not the first one
    )
}
"""From top to bottom: what is always there, then what is active, then the scene, in closed panels."""

LETTER, MARGIN, DEFAULT_WIDTH = 6.0, 40.0, 300.0  # pixels at a scale of 1: mean letter, what is around text, sidebar
ICON = 24.0  # pixels: an icon and the gap beside it


class Sidebar:
    """Mixed into every panel of the tab "Erector Set"."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Erector Set"


def active_with_role(context: bpy.types.Context, role: str) -> bpy.types.Object | None:
    """The active object if that is its role in the mechanism."""
    active = context.active_object
    return active if active is not None and active.ves.role == role else None


def settings_column(layout: bpy.types.UILayout, decorate: bool = False) -> bpy.types.UILayout:
    """A column whose labels stand on the left; `decorate` adds the dots for keyframes."""
    column = layout.column()
    column.use_property_split = True
    column.use_property_decorate = decorate
    return column


def kept_while_playing(column: bpy.types.UILayout) -> bpy.types.UILayout:
    """A column for what cannot change while Play runs, which says so then."""
    fields = column.column()
    if under_way() == "Play":
        fields.label(text="From the next Play on:", icon="LOCKED")
        fields.active = False
    return fields


def draw_name(layout: bpy.types.UILayout, ob: bpy.types.Object, icon: str) -> bpy.types.UILayout:
    """Name of the object, and its switch unless it is a body; returns their row."""
    row = layout.row(align=True)
    row.prop(ob, "name", text="", icon=icon)
    if ob.ves.role != "BODY":
        row.prop(ob.ves, "enabled", text="", icon="CHECKBOX_HLT" if ob.ves.enabled else "CHECKBOX_DEHLT")
    return row


def draw_copy(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The button that copies settings, when there is something to copy them to."""
    if len(context.selected_objects) > 1:
        layout.operator("ves.copy_settings", icon="PASTEDOWN")


def draw_visible(layout: bpy.types.UILayout, part: bpy.types.Object) -> None:
    """The buttons that show a spring, rubber, distance, pulley or rope, and hide it again."""
    if kind_of(part) is None:
        return
    row = layout.row(align=True)
    row.operator("ves.make_visible", icon="HIDE_OFF")
    row.operator("ves.remove_visible", text="", icon="X")


def draw_cure(layout: bpy.types.UILayout, finding: bpy.types.PropertyGroup) -> None:
    """The button that puts a finding right, if an operator can."""
    if finding.cure:
        button = layout.operator(finding.cure, icon="CHECKMARK")
        if finding.culprit is not None:
            button.body = finding.culprit.name


def wrapped(context: bpy.types.Context, text: str, beside: int = 0) -> list[str]:
    """Text in as many lines as the width of the region asks for; `beside`: icons and small buttons in the same row."""
    scale = context.preferences.system.ui_scale or 1.0  # 0 without a window
    width = context.region.width / scale if context.region is not None else DEFAULT_WIDTH
    return textwrap.wrap(text, max(20, int((width - MARGIN - beside * ICON) / LETTER)))


def draw_text(layout: bpy.types.UILayout, context: bpy.types.Context, text: str, beside: int = 0) -> None:
    """Text in lines that are close to each other, wrapped as by `wrapped`."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in wrapped(context, text, beside):
        column.label(text=line)
