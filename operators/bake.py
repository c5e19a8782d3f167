# SPDX-License-Identifier: GPL-3.0-or-later
"""Bake, cancelling it, and Clear Bake."""

from collections.abc import Iterator

import bpy
from bpy.props import BoolProperty

from ..scene.animation.kept import clear_bakes, is_baked
from ..scene.bake.bake import BakeResult, Progress, bake
from ..scene.bake.state import compare_now, forget_state
from ..scene.owner import Owner, held_bodies
from ..scene.quantities.impact_marks import remove_stale_marks
from ..scene.quantities.plots import remove_stale_plots
from ..scene.quantities.recorded import forget
from ..scene.read.moved import take_along
from ..scene.read.sampling import show_frame, shown_frame
from .modal import InSteps, WhenIdle, animation_shown, cancel_running, under_way
from .motion_report import report_motion
from .polls import needs
from .selection import count, names


class VES_OT_bake(InSteps, bpy.types.Operator):
    """Compute the motion of all bodies and write it to keyframes"""

    bl_idname = "ves.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}
    acts_in_pose_mode = True

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Read, simulate, write."""
        return bake(context.scene, context.view_layer)

    def finish(self, context: bpy.types.Context, result: BakeResult) -> set[str]:
        """Say what was baked."""
        return report_motion(self, context, self._scene, result)


class VES_OT_cancel_bake(bpy.types.Operator):
    """Stop the bake and leave everything as it was"""

    bl_idname = "ves.cancel_bake"
    bl_label = "Cancel Bake"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        """There must be a bake under way."""
        return under_way() in (VES_OT_bake.bl_label, "Bake Part")

    def execute(self, _context: bpy.types.Context) -> set[str]:
        """It ends at its next tick."""
        cancel_running()
        return {"FINISHED"}


class VES_OT_clear_bake(WhenIdle, bpy.types.Operator):
    """Take the baked keyframes away and bring back the animation and the pose from before"""

    bl_idname = "ves.clear_bake"
    bl_label = "Clear Bake"
    bl_options = {"REGISTER", "UNDO"}

    selected_only: BoolProperty(
        name="Selected Only", description="Clear only the selected bodies instead of all", default=False
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be something to clear."""
        return (
            super().poll(context)
            and animation_shown(cls, context)
            and needs(cls, any(ob.ves.is_baked for ob in context.scene.objects), "Nothing is baked")
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The kept actions come back."""
        scene = context.scene
        take_along(scene)
        objects = context.selected_objects if self.selected_only else scene.objects
        chosen = dict.fromkeys(Owner(ob).holder for ob in objects)  # each holder once, in the objects' order
        baked = [ob for ob in chosen if ob.ves.is_baked and ob.is_editable]
        linked = [ob for ob in chosen if is_baked(ob) and not ob.is_editable]
        if linked:
            text = f"Linked from another file, make a library override first: {names(linked)}"
            self.report({"WARNING"} if baked else {"ERROR"}, text)
            if not baked:
                return {"CANCELLED"}
        cleared = [count(sum(len(held_bodies(ob)) for ob in baked if is_baked(ob)), "body")]
        clear_bakes(baked)
        forget(scene)
        if not any(is_baked(ob) for ob in scene.objects):
            forget_state(scene)
        else:
            compare_now(scene)
        taken = (remove_stale_plots(scene), "plot"), (remove_stale_marks(scene), "marker")
        cleared += [count(number, noun) for number, noun in taken if number]
        show_frame(scene, shown_frame(scene))
        scene.ves.status = ""
        *rest, last = cleared
        self.report({"INFO"}, f"Cleared {', '.join(rest)} and {last}" if rest else f"Cleared {last}")
        return {"FINISHED"}


CLASSES = (VES_OT_bake, VES_OT_cancel_bake, VES_OT_clear_bake)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
