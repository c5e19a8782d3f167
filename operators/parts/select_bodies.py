# SPDX-License-Identifier: GPL-3.0-or-later
"""From joints, constraints and forces back to the bodies that they are fastened to."""

import bpy

from ...scene.parts.linkages import ends_of
from ...scene.properties.roles import POINTING_ROLES
from ..selection import select_only


class VES_OT_select_bodies(bpy.types.Operator):
    """Select the bodies that the selected joints, constraints and forces are fastened to, the first one active"""

    bl_idname = "ves.select_bodies"
    bl_label = "Select Its Bodies"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Something that is fastened to bodies must be selected."""
        if context.mode != "OBJECT":
            cls.poll_message_set("Only in Object Mode")
            return False
        if not any(ob.ves.role in POINTING_ROLES for ob in context.selected_objects):
            cls.poll_message_set("Select joints, constraints or forces")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Those that are in the view layer."""
        parts = [ob for ob in context.selected_objects if ob.ves.role in POINTING_ROLES]
        bodies = list(dict.fromkeys(body for part in parts for body in ends_of(part)))
        if not bodies:
            self.report({"WARNING"}, "It is fastened to no body")
            return {"CANCELLED"}
        select_only(context, bodies[::-1])
        return {"FINISHED"}


CLASSES = (VES_OT_select_bodies,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
