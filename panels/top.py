# SPDX-License-Identifier: GPL-3.0-or-later
"""The top of the tab, the same at every selection: Bake, Play and Check, the state of the bake, what Check has found.

While something is under way its buttons stand in the same places: to keep where Bake was, to pause where Play was, to
end where Check was. Its words take the rows of what is known of the scene: else all panels below would slide, which
Blender animates, and a click meanwhile would meet another one.
"""

import bpy

from ..operators.bake import VES_OT_bake
from ..operators.check import in_words
from ..operators.drives.torques import VES_OT_find_torques
from ..operators.kinematics.live import VES_OT_live_to_keys, VES_OT_make_live
from ..operators.kinematics.paths import VES_OT_draw_path
from ..operators.modal import running, under_way
from ..operators.parts.bake_part import VES_OT_bake_part
from ..operators.play import VES_OT_play
from ..operators.pose import VES_OT_pose
from ..operators.snap import VES_OT_snap_together
from ..operators.start import VES_OT_settle
from ..scene.bake.state import BAKED, NOT_BAKED, OUT_OF_DATE, STOPPED, State, state_of
from ..scene.parts.bodies import is_body
from ..scene.play.action_buttons import KEYS, labels
from ..scene.play.play import Play
from ..scene.properties.scene import frame_range
from .add import LIKELY, kind_of_selection
from .sidebar import ORDER, Sidebar, draw_text, settings_column, wrapped

ICONS = {NOT_BAKED: "KEYFRAME", BAKED: "CHECKMARK", OUT_OF_DATE: "FILE_REFRESH", STOPPED: "ERROR"}
BAKE_SHARE = 0.46  # of the width
STATUS_ROWS = 2  # while nothing is under way: the state of the bake, and what was found
HEIGHT = 1.5
CANCELS = {
    VES_OT_bake.bl_label: "ves.cancel_bake",
    VES_OT_bake_part.bl_label: "ves.cancel_bake",
    VES_OT_snap_together.bl_label: "ves.cancel_snap",
    VES_OT_settle.bl_label: "ves.cancel_settle",
    VES_OT_make_live.bl_label: "ves.cancel_live",
    VES_OT_live_to_keys.bl_label: "ves.cancel_live",
    VES_OT_draw_path.bl_label: "ves.cancel_live",
    VES_OT_find_torques.bl_label: "ves.cancel_torques",
}


class VES_PT_top(Sidebar, bpy.types.Panel):
    """The next step, and how things stand."""

    bl_label = "Erector Set"
    bl_order = ORDER["TOP"]
    bl_options = {"HIDE_HEADER"}

    def draw(self, context: bpy.types.Context) -> None:
        """Buttons of what is under way, or else those that begin something, and what is known of the scene."""
        label, layout, settings = under_way(), self.layout, context.scene.ves
        if label == VES_OT_play.bl_label:
            _draw_playing(layout, context, running(label).session)
            _draw_status(layout, context, settings.play_status)
        elif label == VES_OT_pose.bl_label:
            _draw_posing(layout)
            _draw_status(layout, context, settings.pose_status)
        elif label:
            _draw_progress(layout, settings, CANCELS[label])
            _draw_status(layout, context, getattr(settings, running(label).status_name))
        else:
            _draw_beginnings(layout, context.scene)
            rows = _draw_bake(layout, context)
            if settings.findings or rows < STATUS_ROWS:
                _draw_found(layout, settings)


def _draw_beginnings(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    first, last = frame_range(scene)
    row = layout.split(factor=BAKE_SHARE, align=True)
    row.scale_y = HEIGHT
    row.operator("ves.bake", text=f"Bake {first} to {last}", icon="REC")
    row = row.row(align=True)
    row.operator("ves.play", icon="PLAY")
    row.operator("ves.check", icon="VIEWZOOM")


def _draw_bake(layout: bpy.types.UILayout, context: bpy.types.Context) -> int:
    """The state of the bake, in words, and Clear Bake; returns how many rows the words take."""
    state = shown_state(context)
    row = layout.row()
    row.label(text="", icon=ICONS[state.kind])
    draw_text(row, context, state.text, beside=2)
    if state.kind != NOT_BAKED:
        row.operator("ves.clear_bake", text="", icon="TRASH")
    return len(wrapped(context, state.text, beside=2))


def shown_state(context: bpy.types.Context) -> State:
    """The state of the bake; where there is nothing to be baked, the first step: the likely button of the selection."""
    state = state_of(context.scene)
    if state.kind != NOT_BAKED or any(map(is_body, context.scene.objects)):
        return state
    kind = kind_of_selection(context)
    step = "select meshes" if kind in {"NOTHING", "PART"} else LIKELY[kind][0].text
    return State(NOT_BAKED, f"No bodies yet: {step}")


def _draw_found(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """The count of what Check, or the last bake, has found.

    Nothing found is left out where the state of the bake takes both rows, so that what stands below keeps its place
    when something is changed.
    """
    if settings.findings:
        severities = [finding.severity for finding in settings.findings]
        icon = "CANCEL" if "ERROR" in severities else "ERROR" if "WARNING" in severities else "INFO"
        layout.label(text=f"Found {in_words(severities)}", icon=icon)
    elif settings.was_checked:
        layout.label(text="Nothing wrong at the last check", icon="CHECKMARK")
    else:
        layout.label(text="Not checked", icon="BLANK1")


def _draw_status(layout: bpy.types.UILayout, context: bpy.types.Context, text: str) -> None:
    """The words of what is under way, in no fewer rows than stand there before and after it."""
    lines = wrapped(context, text)
    for line in lines + [""] * (STATUS_ROWS - len(lines)):
        layout.label(text=line)


def _draw_progress(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, cancel: str) -> None:
    row = layout.row(align=True)
    row.scale_y = HEIGHT
    row.progress(factor=settings.progress, text=f"{settings.progress:.0%}")
    row.operator(cancel, text="", icon="CANCEL")


def _draw_playing(layout: bpy.types.UILayout, context: bpy.types.Context, play: Play) -> None:
    settings = context.scene.ves
    row = layout.split(factor=BAKE_SHARE, align=True)
    row.scale_y = HEIGHT
    if not play.is_running:
        row.progress(factor=settings.progress, text=f"{settings.progress:.0%}")
        return
    row.operator("ves.play_command", text="Keep", icon="REC").command = "MOTION"
    row = row.row(align=True)
    text, icon = ("Go On", "PLAY") if play.is_paused else ("Pause", "PAUSE")
    row.operator("ves.play_command", text=text, icon=icon).command = "PAUSE"
    row.operator("ves.play_command", text="End", icon="X").command = "END"
    row = layout.row(align=True)
    row.operator("ves.play_command", text="Reset", icon="REW").command = "RESET"
    row.operator("ves.play_command", text="Actions", icon="PRESET").command = "ACTIONS"
    row.operator("ves.play_command", text="Values", icon="OPTIONS").command = "VALUES"
    row = layout.row(align=True)
    row.operator("ves.play_command", text="As Start", icon="FF").command = "START"
    row.operator("ves.play_command", text="As Pose", icon="ARMATURE_DATA").command = "POSE"
    layout.operator("ves.take_out", icon="UNLINKED")
    grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
    for place, label in enumerate(labels(context.scene)):
        text = f"{place + 1}  {label}" if place < KEYS else label
        grid.operator("ves.press_action_button", text=text, depress=play.is_down(label)).label = label
    column = settings_column(layout)
    column.row().prop(settings, "play_speed", expand=True)
    column.prop(settings, "play_grip")


def _draw_posing(layout: bpy.types.UILayout) -> None:
    row = layout.split(factor=BAKE_SHARE, align=True)
    row.scale_y = HEIGHT
    row.operator("ves.pose_command", text="Keep", icon="CHECKMARK").command = "KEEP"
    row = row.row(align=True)
    row.operator("ves.pose_command", text="Key", icon="KEY_HLT").command = "KEY"
    row.operator("ves.pose_command", text="End", icon="X").command = "END"


CLASSES = (VES_PT_top,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
