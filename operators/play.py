# SPDX-License-Identifier: GPL-3.0-or-later
"""Play in a window, what its panel's buttons do, and ending it before anything could get lost."""

from collections.abc import Iterator

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ..scene.bake import Progress
from ..scene.bodies import is_body
from ..scene.hand import draw_line
from ..scene.play import ACTIONS, MOTION, Play, PlayResult
from ..scene.scene_properties import frame_range
from ..scene.stage import put_back_leftovers
from .modal import InSteps, running, under_way
from .motion_report import report_motion
from .play_controls import HELP, PlayControls
from .viewport import say_in_headers, viewport_under

COMMANDS = [
    ("PAUSE", "Pause", "Stop the clock, or let it go on (Space)"),
    (MOTION, "Keep", "End the run and make keyframes and a list of actions of it (Enter)"),
    (ACTIONS, "Keep Actions Only", "End the run and keep only the list of what was done (Shift Enter)"),
    ("END", "End", "End the run and put everything back as it was (Esc)"),
]


class VES_OT_play(InSteps, bpy.types.Operator):
    """Run the mechanism live: pull bodies with the mouse, push the action buttons, keep the run or not"""

    bl_idname = "ves.play"
    bl_label = "Play"
    bl_options = {"UNDO"}

    status_name = "play_status"

    frames: IntProperty(
        name="Frames",
        description="For scripts and in background: how many frames are run and kept; 0 is the frame range of Bake",
        default=0,
        min=0,
    )

    _length: int | None = None
    _controls: PlayControls | None = None
    _line = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be bodies."""
        if not super().poll(context):
            return False
        if not any(map(is_body, context.scene.objects)):
            cls.poll_message_set("There are no bodies yet: select objects and choose Add Body")
            return False
        return True

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, run, keep."""
        self.play = Play(context.scene, context.view_layer, self._length)
        return self.play.steps()

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Run for a fixed time and keep it: for scripts and in background."""
        first, last = frame_range(context.scene)
        self._length = self.frames or max(1, last - first)
        return InSteps.execute(self, context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Run in the window."""
        answer = InSteps.invoke(self, context, event)
        if answer == {"RUNNING_MODAL"}:
            self._controls = PlayControls(
                self.play, context.view_layer, lambda event: viewport_under(self._window, event)
            )
        return answer

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Keys and mouse act on the run; ticks let it go on."""
        if running(self.bl_label) is self and event.type != "TIMER" and self.play.is_running:
            return {"RUNNING_MODAL"} if self._handle(context, event) else {"PASS_THROUGH"}
        return InSteps.modal(self, context, event)

    def finish(self, context: bpy.types.Context, result: PlayResult) -> set[str]:
        """Say what was kept."""
        return report_motion(self, context, self._scene, result)

    def _handle(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        try:
            is_used = self._controls.handle(event)
        except BaseException:
            self._stop(context)
            raise
        if self._controls.wants_end:
            self.request_cancel()
        return is_used

    def _work(self) -> Progress:
        """One step at a tick while the clock runs."""
        return next(self._steps) if self.play.is_running else InSteps._work(self)

    def _show(self, context: bpy.types.Context, progress: Progress) -> None:
        if not self.play.is_running:
            InSteps._show(self, context, progress)
            return
        if self._line is None:
            context.window_manager.progress_end()
            self._line = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")
        text = f"{progress.text}    {self.play.message}"
        self._scene.ves.play_status = text
        self._workspace.status_text_set(HELP)
        say_in_headers(context, text)

    def _draw(self) -> None:
        hand = self.play.hand
        if hand is not None:
            draw_line(*hand)

    def _stop(self, context: bpy.types.Context) -> None:
        if self._line is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._line, "WINDOW")
            self._line = None
            say_in_headers(context, None)
        InSteps._stop(self, context)


class DuringPlay:
    """Mixed into operators that act on the run in the window."""

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """There must be a run."""
        operator = running(VES_OT_play.bl_label)
        if operator is None or not operator.play.is_running:
            cls.poll_message_set("Only during Play")
            return False
        return True


class VES_OT_play_command(DuringPlay, bpy.types.Operator):
    """Pause the run, keep it or end it"""

    bl_idname = "ves.play_command"
    bl_label = "Play Command"

    command: EnumProperty(name="Command", description="What is to be done with the run", items=COMMANDS)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells about its own command."""
        return next(item[2] for item in COMMANDS if item[0] == properties.command)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It is done at the next tick."""
        operator = running(VES_OT_play.bl_label)
        if self.command == "PAUSE":
            operator.play.toggle_pause()
        elif self.command == "END":
            operator.request_cancel()
        else:
            operator.play.keep(self.command)
        return {"FINISHED"}


class VES_OT_press_action_button(DuringPlay, bpy.types.Operator):
    """Push this action button; one that is held stays down until it is pushed again"""

    bl_idname = "ves.press_action_button"
    bl_label = "Push Action Button"

    label: StringProperty(name="Label", description="Which button")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It takes effect at the frame that is shown."""
        running(VES_OT_play.bl_label).play.press(self.label)
        return {"FINISHED"}


CLASSES = (VES_OT_play, VES_OT_play_command, VES_OT_press_action_button)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


@bpy.app.handlers.persistent
def _end_play(*_: object) -> None:
    """Before a file is saved or another opened, and before undo: what counts is the scene without the run."""
    if under_way() == VES_OT_play.bl_label:
        running(VES_OT_play.bl_label).stop(bpy.context)


@bpy.app.handlers.persistent
def _put_back(*_: object) -> None:
    """A file or an undo step may come from the midst of a run."""
    if under_way() != VES_OT_play.bl_label:
        put_back_leftovers()


HANDLERS = {
    "save_pre": _end_play,
    "load_pre": _end_play,
    "undo_pre": _end_play,
    "redo_pre": _end_play,
    "load_post": _put_back,
    "undo_post": _put_back,
    "redo_post": _put_back,
}


def register() -> None:
    """Register the operators, and be told when a run must end."""
    _register_classes()
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Take them away."""
    for name, handler in HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
    _unregister_classes()
