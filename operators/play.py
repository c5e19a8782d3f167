# SPDX-License-Identifier: GPL-3.0-or-later
"""Play in a window and for scripts, and what its panel's buttons do."""

from collections.abc import Iterator

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ..scene import add_handlers, remove_handlers
from ..scene.bake.bake import Progress
from ..scene.play.play import Play
from ..scene.play.result import ACTIONS, MOTION, POSE, START, VALUES, PlayResult
from ..scene.preview.stage import put_back_leftovers
from ..scene.properties.scene import frame_range
from ..scene.start.begin import BeginResult, begin_at
from ..scene.start.moment import moment_of_recording
from .modal import under_way
from .motion_report import report_motion
from .play_controls import PlayControls
from .session import DuringSession, Session, SessionCommand
from .start import report_start

COMMANDS = [
    ("PAUSE", "Pause", "Stop the clock, or let it go on (Space)"),
    ("RESET", "Reset", "Begin again at the first frame, with all numbers as they are turned now (Backspace)"),
    (MOTION, "Keep", "End the run and make keyframes and a list of actions of it (Enter)"),
    (ACTIONS, "Keep Actions Only", "End the run and keep only the list of what was done (Shift Enter)"),
    (START, "Start from Here", "End the run and let Bake and Play start from where all is now, as fast as it is (S)"),
    (POSE, "Keep as Pose", "End the run and let everything stand where it is now, at rest (P)"),
    (VALUES, "Keep Values", "End the run, put the motion back, and keep the numbers as they were turned"),
    ("END", "End", "End the run and put everything back as it was (Esc)"),
]


class VES_OT_play(Session, bpy.types.Operator):
    """Run the mechanism live: pull bodies with the mouse, push the action buttons, keep the run or not"""

    bl_idname = "ves.play"
    bl_label = "Play"
    bl_options = {"UNDO"}
    acts_in_pose_mode = True

    status_name = "play_status"
    controls = PlayControls

    frames: IntProperty(
        name="Frames",
        description="For scripts and in background: how many frames are run and kept; 0 is the frame range of Bake",
        default=0,
        min=0,
    )

    keep: EnumProperty(
        name="Keep",
        description="For scripts and in background: what is kept of the run",
        items=[
            (MOTION, "Motion", "Keyframes and the list of actions"),
            (START, "Start", "Its last moment, as the start of the next run"),
            (POSE, "Pose", "Where all is at its last moment, at rest"),
        ],
        default=MOTION,
    )

    _length: int | None = None
    _kept_as = MOTION

    def open(self, context: bpy.types.Context) -> Play:
        """A run of the scene."""
        return Play(context.scene, context.view_layer, self._length, kept_as=self._kept_as)

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, run until it is ended, keep."""
        return _and_begin(Session.steps(self, context), context.scene, context.view_layer)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run for a fixed time and keep it: for scripts and in background."""
        first, last = frame_range(context.scene)
        self._length, self._kept_as = self.frames or max(1, last - first), self.keep
        return super().execute(context)

    def finish(self, context: bpy.types.Context, result: PlayResult | BeginResult) -> set[str]:
        """Say what was kept."""
        if isinstance(result, BeginResult):
            return report_start(self, self._scene, result)
        return report_motion(self, context, self._scene, result)


def _and_begin(steps: Iterator, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> Iterator[Progress]:
    """The steps of a run; where its last moment is kept, that becomes the start, and the BeginResult is returned."""
    result = yield from steps
    if result.ended is None:
        return result
    reading, mechanism, recording, is_pose = result.ended
    begun = begin_at(scene, view_layer, moment_of_recording(reading, mechanism, recording), is_pose)
    if scene.ves.recorded_actions:
        scene.ves.use_recorded_actions = True
    return begun


class VES_OT_play_command(SessionCommand, bpy.types.Operator):
    """Pause the run, begin it again, keep it or end it"""

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
        elif self.command == "RESET":
            operator.session.reset()
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


class VES_OT_take_out(DuringSession, bpy.types.Operator):
    """Take the selected bodies, joints, constraints and forces out of the run, for good; their objects stay"""

    bl_idname = "ves.take_out"
    bl_label = "Take Out"

    session_label = VES_OT_play.bl_label

    def execute(self, context: bpy.types.Context) -> set[str]:
        """It takes effect at the frame that is shown, and is recorded."""
        self.operator().session.take_out(context.selected_objects)
        return {"FINISHED"}


CLASSES = (VES_OT_play, VES_OT_play_command, VES_OT_press_action_button, VES_OT_take_out)
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
