# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages are made live, become keyframes, and are as they were again; joints become drives."""

from collections.abc import Iterator

import bpy
from bpy.props import BoolProperty

from ...scene.bake.bake import Progress, run_to_end
from ...scene.findings import Finding, SceneError
from ...scene.live.live import end_live, is_live, live_to_keys, make_live
from ...scene.properties.joint import can_drive
from ...scene.properties.scene import frame_range
from ..modal import InObjectMode, InSteps, cancel_running, running_now
from ..polls import cancelled, needs
from ..selection import count


class VES_OT_make_live(InSteps, bpy.types.Operator):
    """Let the selected linkages (all, if none is selected) follow their drives in every frame, with their loops closed,
    without a bake and without keyframes. Drives are joints with Drive on, and bodies that are Fixed or Keyed"""

    bl_idname = "ves.make_live"
    bl_label = "Make Live"
    bl_options = {"REGISTER", "UNDO"}

    status_name = "live_status"

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """From the present pose, which is where their drives are zero."""
        return make_live(context.scene, context.view_layer, context.selected_objects)

    def finish(self, _context: bpy.types.Context, found: list[Finding]) -> set[str]:
        """Say how many drives they need and have."""
        for finding in found:
            self.report({"WARNING"}, str(finding))
        self.report({"INFO"}, self._scene.ves.live_mobility)
        return {"FINISHED"}


class VES_OT_end_live(InObjectMode, bpy.types.Operator):
    """Let live linkages follow no more, and put their bodies back where they were placed"""

    bl_idname = "ves.end_live"
    bl_label = "End Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something must be live."""
        return super().poll(context) and _is_anything_live(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Of all live linkages of the scene."""
        bodies = end_live(context.scene, context.view_layer)
        self.report({"INFO"}, f"{count(bodies, 'body')} back where they were placed")
        return {"FINISHED"}


class VES_OT_live_to_keys(InSteps, bpy.types.Operator):
    """Make keyframes of what live linkages show at each frame of the range of Bake, and end Live; Clear Bake takes the
    keyframes away again"""

    bl_idname = "ves.live_to_keys"
    bl_label = "Live to Keys"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something must be live."""
        return super().poll(context) and _is_anything_live(cls, context)

    status_name = "live_status"

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Look at all frames, then write."""
        self._frames = frame_range(context.scene)
        return live_to_keys(context.scene, context.view_layer, self._frames)

    def finish(self, _context: bpy.types.Context, bodies: int) -> set[str]:
        """Say what was keyed."""
        self.report({"INFO"}, f"Keyed {count(bodies, 'body')} at frames {self._frames[0]} to {self._frames[1]}")
        return {"FINISHED"}


class VES_OT_cancel_live(bpy.types.Operator):
    """Stop, and leave everything as it was"""

    bl_idname = "ves.cancel_live"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """It must be under way."""
        operator = running_now()
        return operator is not None and operator.status_name == "live_status"

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It ends at its next tick."""
        cancel_running()
        return {"FINISHED"}


class VES_OT_set_drive(InObjectMode, bpy.types.Operator):
    """Make the selected hinges, sliders and screws lead their live linkages, or lead no more"""

    bl_idname = "ves.set_drive"
    bl_label = "Drive by Joint"
    bl_options = {"REGISTER", "UNDO"}

    clear: BoolProperty(name="Clear", description="Let the joints lead no more", default=False)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Live linkages are made live again, as what leads them is another."""
        scene, joints = context.scene, [ob for ob in context.selected_objects if can_drive(ob.ves)]
        if not joints:
            return cancelled(self, "No hinge, slider or screw is selected: these can lead a linkage", "WARNING")
        was_live = [ob for ob in scene.objects if ob.ves.is_live]
        for joint in joints:
            joint.ves.is_drive = not self.clear
        if was_live:
            try:
                run_to_end(make_live(scene, context.view_layer, was_live))
            except SceneError as error:
                self.report({"WARNING"}, f"No longer live: {error}")
        self.report({"INFO"}, f"{count(len(joints), 'joint')} {'no longer lead' if self.clear else 'lead'}")
        return {"FINISHED"}


def _is_anything_live(cls: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    return needs(cls, is_live(context.scene), "No linkage is live")


CLASSES = (VES_OT_make_live, VES_OT_end_live, VES_OT_live_to_keys, VES_OT_cancel_live, VES_OT_set_drive)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
