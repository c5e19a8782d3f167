# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of recorded actions: moving them in time, and removing them."""

import bpy
from bpy.props import BoolProperty, FloatProperty

from .polls import needs
from .selection import count


class OnRecorded:
    """Mixed into operators on the active entry of the list, or on all."""

    whole_list: BoolProperty(name="All", description="All entries instead of the active one", default=False)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be entries."""
        return needs(cls, len(context.scene.ves.recorded_actions), "Nothing is recorded")


class VES_OT_move_recorded_action(OnRecorded, bpy.types.Operator):
    """Let the active recorded action, or all of them, happen some frames later or earlier"""

    bl_idname = "ves.move_recorded_action"
    bl_label = "Move Recorded Action"
    bl_options = {"REGISTER", "UNDO"}

    frames: FloatProperty(
        name="Frames", description="How many frames later; negative is earlier", default=1.0, step=100, precision=2
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A drag goes as a whole."""
        settings = context.scene.ves
        active = settings.active_recorded_action
        for place, entry in enumerate(settings.recorded_actions):
            if self.whole_list or place == active:
                entry.frame += self.frames
        return {"FINISHED"}


class VES_OT_remove_recorded_action(OnRecorded, bpy.types.Operator):
    """Remove the active recorded action, or all of them, from the list"""

    bl_idname = "ves.remove_recorded_action"
    bl_label = "Remove Recorded Action"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The one before it becomes active."""
        settings = context.scene.ves
        if self.whole_list:
            removed = len(settings.recorded_actions)
            settings.recorded_actions.clear()
            settings.active_recorded_action = 0
            self.report({"INFO"}, f"Removed {count(removed, 'recorded action')}")
            return {"FINISHED"}
        if not 0 <= settings.active_recorded_action < len(settings.recorded_actions):
            return {"CANCELLED"}
        settings.recorded_actions.remove(settings.active_recorded_action)
        settings.active_recorded_action = max(0, settings.active_recorded_action - 1)
        return {"FINISHED"}


CLASSES = (VES_OT_move_recorded_action, VES_OT_remove_recorded_action)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
