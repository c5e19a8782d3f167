# SPDX-License-Identifier: GPL-3.0-or-later
"""Letting go of bodies at a frame, and taking them back: keys on Let Go of all that are selected."""

import bpy
from bpy.props import BoolProperty

from ...scene.animation.animated import key_frames
from ...scene.properties.scene import frame_range
from ...scene.rig.selected import bodies_meant
from ..polls import needs
from ..selection import count, names, warn

PATH = "ves.follow_let_go"


def selected_bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    """Those that can move; in Pose Mode of the selected bones."""
    bones = context.selected_pose_bones if context.mode == "POSE" else None
    return [ob for ob in bodies_meant(context.selected_objects, bones) if ob.ves.motion != "FIXED"]


class VES_OT_hand_over(bpy.types.Operator):
    """Key Let Go of the selected bodies or bones at this frame. Those that do not follow their animation yet then \
follow it exactly"""

    bl_idname = "ves.hand_over"
    bl_label = "Let Go or Take Back Here"
    bl_options = {"REGISTER", "UNDO"}

    let_go: BoolProperty(
        name="Let Go",
        description="On: physics alone moves the bodies from this frame on. Off: they come back to their animation",
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs bodies that can move."""
        return needs(
            cls, selected_bodies(context), "Select bodies that are not Fixed, or an armature or bones that have some"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A first key of the other kind goes to the first frame, where there is none before."""
        frame, (first, last) = context.scene.frame_current, frame_range(context.scene)
        bodies = [ob for ob in selected_bodies(context) if ob.is_editable]
        linked = [ob for ob in selected_bodies(context) if not ob.is_editable]
        if linked:
            warn(self, f"Linked from another file, make a library override first: {names(linked)}")
        fresh = [ob for ob in bodies if ob.ves.motion != "DYNAMIC" or not ob.ves.follows]
        for ob in fresh:
            ob.ves.motion, ob.ves.follows, ob.ves.follow_preset = "DYNAMIC", True, "EXACT"
        for ob in bodies:
            if first < frame and not any(key < frame for key in key_frames(ob, PATH)):
                ob.ves.follow_let_go = not self.let_go
                ob.keyframe_insert(PATH, frame=first)
            ob.ves.follow_let_go = self.let_go
            ob.keyframe_insert(PATH, frame=frame)
        if fresh:
            self.report({"INFO"}, f"Now Dynamic, and following their animation exactly: {names(fresh)}")
        ends = max((frame + ob.ves.follow_blend_back for ob in bodies), default=frame)
        if not self.let_go and ends > last:
            warn(self, f"Back at frame {ends:g}, after the last one that is baked: take back sooner, or in less")
        done = "let go" if self.let_go else "taken back"
        self.report({"INFO"}, f"Keyed at frame {frame}: {count(len(bodies), 'body')} {done}")
        return {"FINISHED"} if bodies else {"CANCELLED"}


CLASSES = (VES_OT_hand_over,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
