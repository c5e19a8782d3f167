# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake Part, and what becomes of its result: Compare, Accept, Discard."""

from collections.abc import Iterator

import bpy
from bpy.props import EnumProperty

from ...scene.animation.kept import is_baked
from ...scene.bake.bake import BakeResult, Progress
from ...scene.bake.bake_part import bake_part
from ...scene.bake.ghost import accept, compare, discard, has_ghost, is_result_shown
from ...scene.bake.part import Part
from ...scene.bake.state import KEY as BAKE
from ...scene.bake.state import note
from ..modal import InSteps, WhenIdle, animation_shown
from ..motion_report import report_motion
from ..polls import needs
from ..selection import count
from .hand_over import selected_bodies

COMMANDS = [
    ("COMPARE", "Compare", "Show the result and draw the animation, or the other way round"),
    ("ACCEPT", "Accept", "Take the result, as a bake: Clear Bake brings back the animation from before all bakes"),
    ("DISCARD", "Discard", "Throw the result away; the animation is as it was"),
]


class VES_OT_bake_part(InSteps, bpy.types.Operator):
    """Bake the selected Dynamic bodies, in Pose Mode those of the selected bones, within Frames: physics moves them \
from their animation and back to it. All others keep to theirs. The result is drawn beside the animation"""

    bl_idname = "ves.bake_part"
    bl_label = "Bake Part"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Also in Pose Mode, where the bones are chosen."""
        if not WhenIdle.poll.__func__(cls, context):
            return False
        if not needs(cls, context.mode in {"OBJECT", "POSE"}, "Only in Object Mode and Pose Mode"):
            return False
        if not animation_shown(cls, context):
            return False
        return needs(cls, _dynamic(context), "Select Dynamic bodies, or an armature or bones that have some")

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, simulate, and keep the result beside the animation."""
        settings = context.scene.ves
        part = Part(_dynamic(context), settings.part_blend_in, settings.part_blend_out)
        return bake_part(context.scene, context.view_layer, part)

    def finish(self, context: bpy.types.Context, result: BakeResult) -> set[str]:
        """Say what was baked."""
        return report_motion(self, context, self._scene, result)


def _dynamic(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [body for body in selected_bodies(context) if body.ves.motion == "DYNAMIC"]


class VES_OT_ghost_command(WhenIdle, bpy.types.Operator):
    """Do something with the result of Bake Part"""

    bl_idname = "ves.ghost_command"
    bl_label = "Result of a Part"
    bl_options = {"REGISTER", "UNDO"}

    command: EnumProperty(name="Command", description="What becomes of the result", items=COMMANDS, options=set())

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be a result."""
        return super().poll(context) and needs(cls, has_ghost(context.scene), "Bake Part first")

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of its command."""
        return next(told for name, _, told in COMMANDS if name == properties.command)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Exchange, keep or remove."""
        scene = context.scene
        if self.command == "COMPARE":
            compare(scene)
            shown = "The result is shown" if is_result_shown(scene) else "The animation is shown"
            self.report({"INFO"}, shown)
        elif self.command == "DISCARD":
            discard(scene)
            self.report({"INFO"}, "Discarded; the animation is as it was")
        else:
            earlier = scene.ves.get(BAKE)
            first, last, taken = accept(scene)
            if earlier is not None:
                first, last = min(first, earlier["first"]), max(last, earlier["last"])
            note(scene, first, last, "", taken)
            self.report({"INFO"}, f"Accepted: {count(sum(map(is_baked, scene.objects)), 'object')} with baked keys")
        scene.ves.status = ""
        return {"FINISHED"}


CLASSES = (VES_OT_bake_part, VES_OT_ghost_command)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
