# SPDX-License-Identifier: GPL-3.0-or-later
"""Snap Together, and cancelling it."""

from collections.abc import Iterator

import bpy
from bpy.props import EnumProperty, IntProperty

from ..scene.bake.bake import Progress
from ..scene.check.check import Problem, find_problems
from ..scene.parts.bodies import is_body
from ..scene.parts.linkages import TIES
from ..scene.properties.scene import SNAP_MODES
from ..scene.snap.result import SnapResult
from ..scene.snap.snap import snap_together
from .check import list_findings
from .modal import InSteps, cancel_running, under_way
from .selection import select_visible


class VES_OT_snap_together(InSteps, bpy.types.Operator):
    """Bring the joints and constraints of the selected linkages together, or of all if nothing is selected"""

    bl_idname = "ves.snap_together"
    bl_label = "Snap Together"
    bl_options = {"REGISTER", "UNDO"}

    status_name = "snap_status"

    mode: EnumProperty(name="Mode", description="How the bodies get to their places", items=SNAP_MODES)
    frames: IntProperty(
        name="Frames",
        description="How many frames the flight takes, from the present one on",
        default=24,
        min=2,
        soft_max=250,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be bodies, and something that connects them."""
        if not super().poll(context):
            return False
        objects = context.scene.objects
        if not any(map(is_body, objects)):
            cls.poll_message_set("There are no bodies yet: select objects and choose Add Body")
            return False
        if not any(ob.ves.role in TIES and ob.ves.enabled for ob in objects):
            cls.poll_message_set("Nothing is connected yet: add a joint or a constraint first")
            return False
        return True

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, assemble, move or write keyframes."""
        frames = self.frames if self.mode == "ANIMATED" else None
        return snap_together(context.scene, context.view_layer, list(context.selected_objects), frames)

    def finish(self, context: bpy.types.Context, result: SnapResult) -> set[str]:
        """Say what was done; list in Check, and select, what can't meet."""
        self._scene.ves.snap_status = result.summary
        for finding in result.warnings:
            self.report({"WARNING"}, str(finding))
        if result.open or self._scene.ves.was_checked:
            culprits = {still_open.owner for still_open in result.open}
            problems = [Problem("ERROR", each.owner, each.text) for each in result.open]
            problems += [problem for problem in find_problems(context) if problem.culprit not in culprits]
            list_findings(self._scene, problems)
        for each in result.open:
            self.report({"WARNING"}, each.text[:1].upper() + each.text[1:])
        select_visible(context, [still_open.owner for still_open in result.open])
        self.report({"WARNING"} if result.open else {"INFO"}, result.summary)
        return {"FINISHED"}


class VES_OT_cancel_snap(bpy.types.Operator):
    """Stop bringing bodies together and leave everything as it was"""

    bl_idname = "ves.cancel_snap"
    bl_label = "Cancel Snap Together"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """It must be under way."""
        return under_way() == VES_OT_snap_together.bl_label

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It ends at its next tick."""
        cancel_running()
        return {"FINISHED"}


CLASSES = (VES_OT_snap_together, VES_OT_cancel_snap)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
