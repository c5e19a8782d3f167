# SPDX-License-Identifier: GPL-3.0-or-later
"""The feet of a figure that keeps its balance."""

import bpy

from ...scene.parts.bodies import is_body
from ...scene.parts.feet import set_feet
from ..selection import names


class VES_OT_set_feet(bpy.types.Operator):
    """Let the figure stand on the selected bodies, and on no others"""

    bl_idname = "ves.set_feet"
    bl_label = "Feet from Selection"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a balance as the active object, and bodies beside it."""
        active = context.active_object
        if active is None or active.ves.role != "FORCE" or active.ves.force_type != "BALANCE":
            cls.poll_message_set("The active object must be a balance")
            return False
        if not any(is_body(ob) and ob != active.ves.body_a for ob in context.selected_objects):
            cls.poll_message_set("Select the feet, then the balance")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The body that they carry is none of them."""
        settings = context.active_object.ves
        feet = [ob for ob in context.selected_objects if is_body(ob) and ob != settings.body_a]
        set_feet(settings, feet)
        self.report({"INFO"}, f"Stands on {names(feet)}")
        return {"FINISHED"}


CLASSES = (VES_OT_set_feet,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
