# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose in a window and for scripts, keys of what was posed, and pins."""

from collections.abc import Iterator

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, StringProperty

from ..scene.bake import Progress
from ..scene.bodies import is_body
from ..scene.findings import refuse
from ..scene.hand import draw_line, draw_pins
from ..scene.pose import Given, Pose, PoseResult
from ..scene.pose_keys import PoseKeys, forget_unkeyed, unkeyed
from .modal import InSteps, running, under_way
from .pose_controls import HELP, PoseControls
from .selection import count
from .viewport import say_in_headers, viewport_under

COMMANDS = [
    ("KEY", "Key", "Key the bodies that have moved, at the present frame (I)"),
    ("KEEP", "Keep", "End, and keep the pose (Enter)"),
    ("END", "End", "End, and put everything back as it was, keys included (Esc)"),
]


class VES_OT_pose(InSteps, bpy.types.Operator):
    """Drag a body with the mouse: its linkage follows at once, as its joints and masses let it, without any motion"""

    bl_idname = "ves.pose"
    bl_label = "Pose"
    bl_options = {"UNDO"}

    status_name = "pose_status"

    body: StringProperty(name="Body", description="For scripts: the body that is pulled; empty: the active object")
    point: FloatVectorProperty(
        name="Point",
        description="For scripts: the point that is pulled, from the body's origin along its axes",
        size=3,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )
    target: FloatVectorProperty(
        name="Target",
        description="For scripts: where in the world the point is pulled to",
        size=3,
        subtype="TRANSLATION",
        options={"SKIP_SAVE"},
    )

    _given: Given | None = None
    _controls: PoseControls | None = None
    _drawing = None

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
        """Read, follow the mouse or pull as given, keep."""
        self.pose = Pose(context.scene, context.view_layer, self._given)
        return self.pose.steps()

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Pull one point to one place and keep the pose: for scripts and in background."""
        owner = context.scene.objects.get(self.body) if self.body else context.view_layer.objects.active
        if owner is None or not self.properties.is_property_set("target"):
            self.report({"ERROR"}, str(refuse(None, "give the name of a body and the target that it is pulled to")))
            return {"CANCELLED"}
        self._given = Given(owner, tuple(self.point), tuple(self.target))
        return InSteps.execute(self, context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Follow the mouse in the window."""
        answer = InSteps.invoke(self, context, event)
        if answer == {"RUNNING_MODAL"}:
            self._controls = PoseControls(
                self.pose, context.view_layer, lambda event: viewport_under(self._window, event)
            )
        return answer

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Keys and mouse act; at each tick the linkage follows."""
        if running(self.bl_label) is self and event.type != "TIMER" and self.pose.is_running:
            return {"RUNNING_MODAL"} if self._handle(context, event) else {"PASS_THROUGH"}
        return InSteps.modal(self, context, event)

    def finish(self, _context: bpy.types.Context, result: PoseResult) -> set[str]:
        """Say what was posed."""
        self._scene.ves.pose_status = result.summary
        for finding in result.warnings:
            self.report({"WARNING"}, str(finding))
        self.report({"INFO"}, result.summary)
        return {"FINISHED"}

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
        """One step at a tick while bodies are dragged."""
        return next(self._steps) if self.pose.is_running else InSteps._work(self)

    def _show(self, context: bpy.types.Context, progress: Progress) -> None:
        if not self.pose.is_running:
            InSteps._show(self, context, progress)
            return
        if self._drawing is None:
            context.window_manager.progress_end()
            self._drawing = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")
        text = f"{progress.text}    {self.pose.message}"
        if text != self._scene.ves.pose_status:
            self._scene.ves.pose_status = text
            say_in_headers(context, text)
        self._workspace.status_text_set(HELP)

    def _draw(self) -> None:
        if self.pose.pins:
            draw_pins(self.pose.pins)
        hand = self.pose.hand
        if hand is not None:
            draw_line(*hand)

    def _stop(self, context: bpy.types.Context) -> None:
        if self._drawing is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._drawing, "WINDOW")
            self._drawing = None
            say_in_headers(context, None)
        InSteps._stop(self, context)


class VES_OT_pose_command(bpy.types.Operator):
    """Key the pose, keep it, or put everything back"""

    bl_idname = "ves.pose_command"
    bl_label = "Pose Command"

    command: EnumProperty(name="Command", description="What is to be done with the pose", items=COMMANDS)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells about its own command."""
        return next(item[2] for item in COMMANDS if item[0] == properties.command)

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """It must be under way."""
        operator = running(VES_OT_pose.bl_label)
        if operator is None or not operator.pose.is_running:
            cls.poll_message_set("Only during Pose")
            return False
        return True

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Keys are made at once; it ends at the next tick."""
        operator = running(VES_OT_pose.bl_label)
        if self.command == "KEY":
            operator.pose.key()
        elif self.command == "KEEP":
            operator.pose.keep()
        else:
            operator.request_cancel()
        return {"FINISHED"}


class VES_OT_key_pose(bpy.types.Operator):
    """Key location and rotation of the bodies that Pose has moved, at the present frame"""

    bl_idname = "ves.key_pose"
    bl_label = "Key Pose"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Pose must have moved something."""
        if under_way():
            cls.poll_message_set(f"{under_way()} is under way")
            return False
        if not context.scene.ves.pose_has_unkeyed:
            cls.poll_message_set("Pose has moved nothing that is not keyed yet")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """In the bodies' own actions."""
        scene = context.scene
        moved = unkeyed(scene)
        frame = scene.frame_current + scene.frame_subframe
        PoseKeys().key(moved, frame)
        forget_unkeyed(scene)
        scene.ves.pose_status = f"Keyed {count(len(moved), 'body')} at frame {frame:g}"
        self.report({"INFO"}, scene.ves.pose_status)
        return {"FINISHED"}


class VES_OT_pin_bodies(bpy.types.Operator):
    """Pin the selected bodies at their origins while others are posed, or let go of pinned ones"""

    bl_idname = "ves.pin_bodies"
    bl_label = "Pin Bodies"
    bl_options = {"REGISTER", "UNDO"}

    unpin: BoolProperty(name="Unpin", description="Let go of all pinned bodies instead", default=False)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells what it does."""
        if properties.unpin:
            return "Let go of all pinned bodies of the scene"
        return "Hold the origins of the selected bodies where they are while others are posed"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """Not in the midst of something: there Shift Click pins."""
        if under_way():
            cls.poll_message_set(f"{under_way()} is under way")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Pins are kept in the bodies."""
        bodies = context.scene.objects if self.unpin else context.selected_objects
        chosen = [ob for ob in bodies if is_body(ob) and ob.ves.motion == "DYNAMIC" and ob.is_editable]
        if not chosen:
            self.report({"WARNING"}, "No dynamic body is selected: select those that are to be held")
            return {"CANCELLED"}
        for ob in chosen:
            if not self.unpin:
                ob.ves.pin_point = (0.0, 0.0, 0.0)
            ob.ves.is_pinned = not self.unpin
        self.report({"INFO"}, f"{'Let go of' if self.unpin else 'Pinned'} {count(len(chosen), 'body')}")
        return {"FINISHED"}


CLASSES = (VES_OT_pose, VES_OT_pose_command, VES_OT_key_pose, VES_OT_pin_bodies)
_register_classes, _unregister_classes = bpy.utils.register_classes_factory(CLASSES)


@bpy.app.handlers.persistent
def _end_pose(*_: object) -> None:
    """Before a file is saved or another opened, and before undo: what counts is the scene without what is not kept."""
    if under_way() == VES_OT_pose.bl_label:
        running(VES_OT_pose.bl_label).stop(bpy.context)


HANDLERS = ("save_pre", "load_pre", "undo_pre", "redo_pre")


def register() -> None:
    """Register the operators, and be told when a session must end."""
    _register_classes()
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(_end_pose)


def unregister() -> None:
    """Take them away."""
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(_end_pose)
    _unregister_classes()
