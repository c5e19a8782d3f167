# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Play: how it is run live, the action buttons, and what was recorded of a run."""

import bpy

from ..operators.modal import under_way
from ..scene.bake.program import is_allowed
from ..scene.play.action_buttons import KEYS, labels, numbers_of
from ..scene.properties.action_words import Number, number_of, numbers_in, parsed
from ..scene.properties.play import CHANGES
from ..scene.read.recorded_actions import described
from .sidebar import ORDER, Sidebar, draw_text, settings_column

ICONS = {item[0]: item[3] for item in CHANGES}
AXES = "XYZ"


class VES_PT_play(Sidebar, bpy.types.Panel):
    """Settings of the live run; its button stands at the top."""

    bl_label = "Play"
    bl_order = ORDER["PLAY"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Speed and grip."""
        layout, settings = self.layout, context.scene.ves
        column = settings_column(layout)
        column.row().prop(settings, "play_speed", expand=True)
        if settings.play_speed == "CUSTOM":
            column.prop(settings, "play_factor")
        column.prop(settings, "play_grip")
        row = column.row(align=True)
        row.prop(settings, "control_program")
        if settings.control_program is None:
            row.operator("ves.new_program", text="", icon="ADD")
        elif not is_allowed(settings.control_program):
            column.operator("ves.allow_program", icon="ERROR")
        if settings.control_program is not None:
            column.prop(settings, "use_program_in_bake")
        if settings.play_status and not under_way():
            draw_text(layout, context, settings.play_status)


class VES_UL_action_buttons(bpy.types.UIList):
    """One line per entry, with the key of its button."""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: bpy.types.PropertyGroup,
        item: bpy.types.PropertyGroup,
        _icon: int,
        _active_data: bpy.types.PropertyGroup,
        _active_property: str,
        _index: int,
    ) -> None:
        """Key, label and target."""
        row = layout.row(align=True)
        place = labels(data.id_data).index(item.label)
        row.label(text=f"{place + 1}" if place < KEYS else "", icon=ICONS[item.change])
        row.prop(item, "label", text="", emboss=False)
        row.label(text=item.target.name if item.target is not None else "no target")


class VES_PT_action_buttons(Sidebar, bpy.types.Panel):
    """Buttons for actions during Play."""

    bl_label = "Action Buttons"
    bl_parent_id = "VES_PT_play"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Their list, and the active entry."""
        layout, settings = self.layout, context.scene.ves
        row = layout.row()
        row.template_list("VES_UL_action_buttons", "", settings, "action_buttons", settings, "active_action_button",
                          rows=3)  # fmt: skip
        column = row.column(align=True)
        column.operator_menu_enum("ves.add_action_button", "preset", text="", icon="ADD")
        column.operator("ves.remove_action_button", text="", icon="REMOVE")
        column.operator("ves.move_action_button", text="", icon="TRIA_UP").direction = "UP"
        column.operator("ves.move_action_button", text="", icon="TRIA_DOWN").direction = "DOWN"
        if 0 <= settings.active_action_button < len(settings.action_buttons):
            _draw_button(settings_column(layout), settings.action_buttons[settings.active_action_button])


def _draw_button(column: bpy.types.UILayout, button: bpy.types.PropertyGroup) -> None:
    """Only what the change uses."""
    column.prop(button, "target")
    column.prop(button, "change")
    if button.change == "RELEASE":
        return
    column.row().prop(button, "mode", expand=True)
    if button.change == "ENABLED":
        if button.mode != "TOGGLE":
            column.prop(button, "turn_on")
    elif button.change == "STEER":
        column.prop(button, "angle")
        column.prop(button, "axis")
    else:
        column.prop(button, "number")
        if numbers_of(button):
            _draw_numbers(column, button, number_of(button.target, button.key))


def _draw_numbers(column: bpy.types.UILayout, owner: bpy.types.PropertyGroup, number: Number) -> None:
    """A field for each component with its unit, and what it is now."""
    values, count = column.column(align=True), len(number.units)
    for i, unit in enumerate(number.units):
        is_angle = unit.startswith("°")
        label = number.label if i == 0 else ""
        label += f" {AXES[i]}" if count > 1 else ""
        label += f" ({unit})" if unit and not is_angle else ""
        values.prop(owner, "value_angle" if is_angle else "value", index=i, text=label.strip())
    if number.present:
        now = column.row()
        now.active = False
        now.label(text=f"Now: {number.in_words(number.present)}")


class VES_UL_recorded_actions(bpy.types.UIList):
    """One line per action: whether Bake does it, when, and what."""

    def draw_item(
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _data: bpy.types.PropertyGroup,
        item: bpy.types.PropertyGroup,
        _icon: int,
        _active_data: bpy.types.PropertyGroup,
        _active_property: str,
        _index: int,
    ) -> None:
        """In a sentence."""
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        row.prop(item, "frame", text="", emboss=False)
        row.label(text=described(item), icon="VIEW_PAN" if item.drag else "NONE")


class VES_PT_recorded_actions(Sidebar, bpy.types.Panel):
    """Actions that were done during Play."""

    bl_label = "Recorded Actions"
    bl_parent_id = "VES_PT_play"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        """True if Bake does what is in the list."""
        self.layout.prop(context.scene.ves, "use_recorded_actions", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """The list, and the active entry."""
        layout, settings = self.layout, context.scene.ves
        if not settings.recorded_actions:
            draw_text(layout, context, "Nothing yet. What you do during Play is kept with it, and Bake does it again.")
            return
        layout.active = settings.use_recorded_actions
        row = layout.row()
        row.template_list("VES_UL_recorded_actions", "", settings, "recorded_actions", settings,
                          "active_recorded_action", rows=4)  # fmt: skip
        column = row.column(align=True)
        column.operator("ves.remove_recorded_action", text="", icon="REMOVE").whole_list = False
        column.operator("ves.remove_recorded_action", text="", icon="TRASH").whole_list = True
        _draw_moves(layout.row(align=True))
        if 0 <= settings.active_recorded_action < len(settings.recorded_actions):
            _draw_action(settings_column(layout), settings.recorded_actions[settings.active_recorded_action])


def _draw_moves(row: bpy.types.UILayout) -> None:
    for frames in (-1.0, 1.0):
        operator = row.operator("ves.move_recorded_action", text=f"{frames:+g} Frame")
        operator.frames, operator.whole_list = frames, False
    for frames in (-1.0, 1.0):
        operator = row.operator("ves.move_recorded_action", text=f"All {frames:+g}")
        operator.frames, operator.whole_list = frames, True


def _draw_action(column: bpy.types.UILayout, action: bpy.types.PropertyGroup) -> None:
    column.prop(action, "target")
    column.prop(action, "frame")
    if action.drag:
        return
    found = numbers_in(action.settings, action.target)
    if found is not None:
        _draw_numbers(column, action, number_of(action.target, found[0]))
    elif set(parsed(action.settings) or ()) == {"enabled"}:
        column.prop(action, "turn_on", text="Switched On")
    else:
        column.prop(action, "settings")


CLASSES = (
    VES_UL_action_buttons,
    VES_UL_recorded_actions,
    VES_PT_play,
    VES_PT_action_buttons,
    VES_PT_recorded_actions,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
