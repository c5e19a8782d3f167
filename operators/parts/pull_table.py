# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a spring's table of force over length."""

import bpy
from bpy.props import IntProperty

from ...scene.parts.pull_table import add_row
from ..polls import cancelled, needs


class OnSpring:
    """Mixed into operators on the table of the active spring."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a spring as the active object."""
        active = context.active_object
        return needs(
            cls,
            active is not None and active.ves.role == "FORCE" and active.ves.force_type == "SPRING",
            "The active object must be a spring",
        )


class VES_OT_add_pull_row(OnSpring, bpy.types.Operator):
    """Add a row to the table behind the longest; an empty one begins as the spring's stiffness and rest length say"""

    bl_idname = "ves.add_pull_row"
    bl_label = "Add Row"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The table counts from then on."""
        settings = context.active_object.ves
        add_row(settings)
        settings.use_pull_table = True
        return {"FINISHED"}


class VES_OT_remove_pull_row(OnSpring, bpy.types.Operator):
    """Remove this row from the table"""

    bl_idname = "ves.remove_pull_row"
    bl_label = "Remove Row"
    bl_options = {"REGISTER", "UNDO"}

    row: IntProperty(name="Row", description="Its number in the list, from 0", default=0, min=0)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A row that there is not cannot go."""
        table = context.active_object.ves.pull_table
        if self.row >= len(table):
            return cancelled(self, f"There is no row {self.row}: the table has {len(table)}", "WARNING")
        table.remove(self.row)
        return {"FINISHED"}


CLASSES = (VES_OT_add_pull_row, VES_OT_remove_pull_row)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
