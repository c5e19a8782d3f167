# SPDX-License-Identifier: GPL-3.0-or-later
"""Play in a window and for scripts, and what its panel's buttons do."""

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ..scene import add_handlers, remove_handlers
from ..scene.play.play import ACTIONS, MOTION, Play, PlayResult
from ..scene.preview.stage import put_back_leftovers
from ..scene.properties.scene import frame_range
from .modal import under_way
from .motion_report import report_motion
from .play_controls import PlayControls
from .session import DuringSession, Session, SessionCommand

COMMANDS = [
    ("PAUSE", "Pause", "Stop the clock, or let it go on (Space)"),
    (MOTION, "Keep", "End the run and make keyframes and a list of actions of it (Enter)"),
    (ACTIONS, "Keep Actions Only", "End the run and keep only the list of what was done (Shift Enter)"),
    ("END", "End", "End the run and put everything back as it was (Esc)"),
]


class VES_OT_play(Session, bpy.types.Operator):
    """Run the mechanism live: pull bodies with the mouse, push the action buttons, keep the run or not"""

    bl_idname = "ves.play"
    bl_label = "Play"
    bl_options = {"UNDO"}

    status_name = "play_status"
    controls = PlayControls

    frames: IntProperty(
        name="Frames",
        description="For scripts and in background: how many frames are run and kept; 0 is the frame range of Bake",
        default=0,
        min=0,
    )

    _length: int | None = None

    def open(self, context: bpy.types.Context) -> Play:
        """A run of the scene."""
        return Play(context.scene, context.view_layer, self._length)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run for a fixed time and keep it: for scripts and in background."""
        first, last = frame_range(context.scene)
        self._length = self.frames or max(1, last - first)
        return super().execute(context)

    def finish(self, context: bpy.types.Context, result: PlayResult) -> set[str]:
        """Say what was kept."""
        return report_motion(self, context, self._scene, result)


class VES_OT_play_command(SessionCommand, bpy.types.Operator):
    """Pause the run, keep it or end it"""

    bl_idname = "ves.play_command"
    bl_label = "Play Command"

    session_label = VES_OT_play.bl_label
    commands = COMMANDS

    command: EnumProperty(name="Command", description="What is to be done with the run", items=COMMANDS)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It is done at the next tick."""
        operator = self.operator()
        if self.command == "PAUSE":
            operator.session.toggle_pause()
        elif self.command == "END":
            operator.request_cancel()
        else:
            operator.session.keep(self.command)
        return {"FINISHED"}


class VES_OT_press_action_button(DuringSession, bpy.types.Operator):
    """Push this action button; one that is held stays down until it is pushed again"""

    bl_idname = "ves.press_action_button"
    bl_label = "Push Action Button"

    session_label = VES_OT_play.bl_label

    label: StringProperty(name="Label", description="Which button")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It takes effect at the frame that is shown."""
        self.operator().session.press(self.label)
        return {"FINISHED"}


CLASSES = (VES_OT_play, VES_OT_play_command, VES_OT_press_action_button)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


@bpy.app.handlers.persistent
def _put_back(*_: object) -> None:
    """A file or an undo step may come from the midst of a run."""
    if under_way() != VES_OT_play.bl_label:
        put_back_leftovers()


HANDLERS = dict.fromkeys(("load_post", "undo_post", "redo_post"), _put_back)


def register() -> None:
    """Register the operators, and put back what a file or an undo step brings from the midst of a run."""
    _register_classes()
    add_handlers(HANDLERS)


def unregister() -> None:
    """Take them away."""
    remove_handlers(HANDLERS)
    _unregister_classes()
