# SPDX-License-Identifier: GPL-3.0-or-later
"""Pose in a window and for scripts, keys of what was posed, and pins."""

import math

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, StringProperty

from ..scene.owner import is_dynamic
from ..scene.parts.bodies import is_body
from ..scene.play.drag import COLOR, draw_line, draw_pins
from ..scene.pose.keys import PoseKeys, forget_unkeyed, unkeyed
from ..scene.pose.pose import Given, Pose, PoseResult
from ..scene.read.sampling import shown_frame
from ..scene.rig.selected import bodies_meant
from .modal import WhenIdle
from .polls import cancelled, needs
from .pose_controls import PoseControls
from .selection import count
from .session import Session, SessionCommand

COMMANDS = [
    ("KEY", "Key", "Key the bodies that have moved, at the present frame (I)"),
    ("KEEP", "Keep", "End, and keep the pose (Enter)"),
    ("END", "End", "End, and put everything back as it was, keys included (Esc)"),
]


class VES_OT_pose(Session, bpy.types.Operator):
    """Drag a body with the mouse: its linkage follows at once, as its joints and masses let it, without any motion"""

    bl_idname = "ves.pose"
    bl_label = "Pose"
    bl_options = {"UNDO"}

    status_name = "pose_status"
    controls = PoseControls
    acts_in_pose_mode = True

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

    def open(self, context: bpy.types.Context) -> Pose:
        """Follow the mouse, or pull as given."""
        return Pose(context.scene, context.view_layer, self._given)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Pull one point to one place and keep the pose: for scripts and in background."""
        owner = context.scene.objects.get(self.body) if self.body else _active_body(context)
        if owner is None or not self.properties.is_property_set("target"):
            return cancelled(self, "give the name of a body and the target that it is pulled to")
        if not all(map(math.isfinite, (*self.point, *self.target))):
            return cancelled(self, "the target, or the point, is no number: nothing was posed")
        self._given = Given(owner, tuple(self.point), tuple(self.target))
        return super().execute(context)

    def finish(self, _context: bpy.types.Context, result: PoseResult) -> set[str]:
        """Say what was posed."""
        self._scene.ves.pose_status = result.summary
        for finding in result.warnings:
            self.report({"WARNING"}, str(finding))
        self.report({"INFO"}, result.summary)
        return {"FINISHED"}

    def draw_in_views(self) -> None:
        """Also the pins and the kept hands."""
        if self.session.pins:
            draw_pins(self.session.pins)
        for line in self.session.hands:
            draw_line(*line)
            draw_pins(line[1:], COLOR)
        super().draw_in_views()


class VES_OT_pose_command(SessionCommand, bpy.types.Operator):
    """Key the pose, keep it, or put everything back"""

    bl_idname = "ves.pose_command"
    bl_label = "Pose Command"

    session_label = VES_OT_pose.bl_label
    commands = COMMANDS

    command: EnumProperty(name="Command", description="What is to be done with the pose", items=COMMANDS)

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """Keys are made at once; it ends at the next tick."""
        operator = self.operator()
        if self.command == "KEY":
            operator.session.key()
        elif self.command == "KEEP":
            operator.session.keep()
        else:
            operator.request_cancel()
        return {"FINISHED"}


class VES_OT_key_pose(WhenIdle, bpy.types.Operator):
    """Key location and rotation of the bodies that Pose has moved, at the present frame"""

    bl_idname = "ves.key_pose"
    bl_label = "Key Pose"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Pose must have moved something."""
        return super().poll(context) and needs(
            cls, context.scene.ves.pose_has_unkeyed, "Pose has moved nothing that is not keyed yet"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """In the bodies' own actions."""
        scene = context.scene
        moved = unkeyed(scene)
        frame = shown_frame(scene)
        PoseKeys().key(moved, frame)
        forget_unkeyed(scene)
        scene.ves.pose_status = f"Keyed {count(len(moved), 'body')} at frame {frame:g}"
        self.report({"INFO"}, scene.ves.pose_status)
        return {"FINISHED"}


class VES_OT_pin_bodies(WhenIdle, bpy.types.Operator):
    """Pin the selected bodies at their origins while others are posed, or let go of pinned ones"""

    bl_idname = "ves.pin_bodies"
    bl_label = "Pin Bodies"
    bl_options = {"REGISTER", "UNDO"}

    unpin: BoolProperty(name="Unpin", description="Let go of all pinned bodies instead", default=False)
    with_turn: BoolProperty(name="Turn Too", description="They may not turn about the pin either", default=False)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells what it does."""
        if properties.unpin:
            return "Let go of all pinned bodies of the scene"
        return "Hold the origins of the selected bodies where they are while others are posed"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Pins are kept in the bodies."""
        bones = context.selected_pose_bones if context.mode == "POSE" else None
        bodies = context.scene.objects if self.unpin else bodies_meant(context.selected_objects, bones)
        chosen = [ob for ob in bodies if is_body(ob) and is_dynamic(ob) and ob.is_editable]
        if not chosen:
            what = "bone with a dynamic body" if bones is not None else "dynamic body"
            return cancelled(self, f"No {what} is selected: select those that are to be held", "WARNING")
        for ob in chosen:
            if not self.unpin:
                ob.ves.pin_point = (0.0, 0.0, 0.0)
            ob.ves.is_pinned = not self.unpin
            ob.ves.pin_turn = self.with_turn and not self.unpin
        self.report({"INFO"}, f"{'Let go of' if self.unpin else 'Pinned'} {count(len(chosen), 'body')}")
        return {"FINISHED"}


def _active_body(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object; in Pose Mode the body of the active bone."""
    active = context.active_pose_bone if context.mode == "POSE" else None
    return context.view_layer.objects.active if active is None else next(iter(bodies_meant((), [active])), None)


CLASSES = (VES_OT_pose, VES_OT_pose_command, VES_OT_key_pose, VES_OT_pin_bodies)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
