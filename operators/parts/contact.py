# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of the selected bodies touch each other."""

import bpy

from ...scene.parts.bodies import is_body
from ...scene.parts.ignored_pairs import ignore, ignored_with, pairs_among, touch_again
from ..polls import cancelled
from ..selection import count, selected_meshes


class OnBodies:
    """Mixed into operators that need selected bodies in Object Mode."""

    least = 2

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Says in the tooltip of a greyed button what is missing."""
        if context.mode != "OBJECT":
            cls.poll_message_set("Only in Object Mode")
            return False
        if sum(map(is_body, context.selected_objects)) < cls.least:
            cls.poll_message_set("Select two or more bodies" if cls.least > 1 else "Select one or more bodies")
            return False
        return True


class VES_OT_dont_collide(OnBodies, bpy.types.Operator):
    """Let the selected bodies pass through each other; what is connected by a joint does so anyway"""

    bl_idname = "ves.dont_collide"
    bl_label = "Don't Collide"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Every pair of them."""
        bodies = [ob for ob in selected_meshes(context, self) if is_body(ob)]
        done = sum(ignore(one, other) for one, other in pairs_among(bodies))
        self.report({"INFO"}, f"{count(done, 'pair')} no longer {_touch(done)} each other")
        return {"FINISHED"}


class VES_OT_collide_again(OnBodies, bpy.types.Operator):
    """Let the selected bodies touch each other again; a single one touches all others again"""

    bl_idname = "ves.collide_again"
    bl_label = "Collide Again"
    bl_options = {"REGISTER", "UNDO"}

    least = 1

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Every pair of them; of a single one, all pairs that it is in."""
        bodies = [ob for ob in selected_meshes(context, self) if is_body(ob)]
        pairs = pairs_among(bodies)
        if len(bodies) == 1:
            pairs = [(bodies[0], other) for other in ignored_with(bodies[0], bpy.data.objects)]
        done = sum(touch_again(one, other) for one, other in pairs)
        if not done:
            return cancelled(self, "None of these was told not to collide", "WARNING")
        self.report({"INFO"}, f"{count(done, 'pair')} {_touch(done)} each other again")
        return {"FINISHED"}


def _touch(number: int) -> str:
    return "touches" if number == 1 else "touch"


CLASSES = (VES_OT_dont_collide, VES_OT_collide_again)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
