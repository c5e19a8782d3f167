# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of force: making them, ready-made ones, and their rows."""

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ...scene.parts.tables import (
    SHAPES,
    add_row,
    kind_of,
    make_table,
    remove_row,
    shaped,
    table_of,
    toggle_curve,
)
from ..polls import cancelled, needs

_found: list[tuple[str, str, str]] = []  # items of a dynamic choice, which Blender does not keep


def _shapes(self: bpy.types.Operator, _context: bpy.types.Context) -> list[tuple[str, str, str]]:
    """The ready-made tables that fit."""
    kind = kind_of(self.table or "PULL")
    _found[:] = [(name, shape.label, shape.text) for name, shape in SHAPES.items() if kind in shape.of]
    return _found


class OnTable:
    """Mixed into operators on a table of the active force or joint."""

    table: StringProperty(
        name="Table",
        description="PULL, DAMPER or PUSH of a force; of a joint PULL, DAMPER or STOP and the number of a coordinate",
        default="PULL",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a part with tables as the active object."""
        active = context.active_object
        has_tables = active is not None and (
            active.ves.role == "JOINT"
            or (active.ves.role == "FORCE" and active.ves.force_type in {"SPRING", "RUBBER", "SUPPORT"})
        )
        return needs(cls, has_tables, "The active object must be a spring, a rubber, a support or a joint")


class VES_OT_shape_table(OnTable, bpy.types.Operator):
    """Let the force follow a table, which begins ready-made, of the size that the present numbers say"""

    bl_idname = "ves.shape_table"
    bl_label = "By Table"
    bl_options = {"REGISTER", "UNDO"}

    shape: EnumProperty(name="Shape", description="What the table begins as", items=_shapes)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The table counts from then on."""
        settings = context.active_object.ves
        make_table(settings, self.table, shaped(settings, self.table, self.shape))
        return {"FINISHED"}


class VES_OT_remove_table(OnTable, bpy.types.Operator):
    """Go by the plain number again; the table is gone"""

    bl_idname = "ves.remove_table"
    bl_label = "Remove Table"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """With its rows and its curve."""
        settings = context.active_object.ves
        if table_of(settings, self.table) is None:
            return cancelled(self, f"There is no table {self.table}", "WARNING")
        table_of(settings, self.table).as_curve = False
        for k in reversed(range(len(settings.table_rows))):
            if settings.table_rows[k].table == self.table:
                settings.table_rows.remove(k)
        settings.tables.remove([table.name for table in settings.tables].index(self.table))
        if self.table == "PULL":
            settings.use_pull_table = False
            settings.pull_table.clear()
        return {"FINISHED"}


class VES_OT_show_table_curve(OnTable, bpy.types.Operator):
    """Show the table as a curve whose points can be dragged, added and removed, or as rows again"""

    bl_idname = "ves.show_table_curve"
    bl_label = "As Curve"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Its points are the rows."""
        toggle_curve(context.active_object.ves, self.table)
        return {"FINISHED"}


class VES_OT_add_pull_row(OnTable, bpy.types.Operator):
    """Add a row to the table behind the last; an empty one begins as the plain numbers say"""

    bl_idname = "ves.add_pull_row"
    bl_label = "Add Row"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The table counts from then on."""
        add_row(context.active_object.ves, self.table)
        return {"FINISHED"}


class VES_OT_remove_pull_row(OnTable, bpy.types.Operator):
    """Remove this row from the table"""

    bl_idname = "ves.remove_pull_row"
    bl_label = "Remove Row"
    bl_options = {"REGISTER", "UNDO"}

    row: IntProperty(name="Row", description="Its number in the list, from 0", default=0, min=0)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A row that there is not cannot go."""
        if not remove_row(context.active_object.ves, self.table, self.row):
            return cancelled(self, f"There is no row {self.row} in the table", "WARNING")
        return {"FINISHED"}


CLASSES = (
    VES_OT_shape_table,
    VES_OT_remove_table,
    VES_OT_show_table_curve,
    VES_OT_add_pull_row,
    VES_OT_remove_pull_row,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
