# SPDX-License-Identifier: GPL-3.0-or-later
"""The second panel: a button for each joint, for chains and for each constraint."""

import bpy

from ..scene.properties.joint import JOINT_TYPES
from .constraints import draw_buttons
from .sidebar import ORDER, Sidebar, settings_column


class VES_PT_connect(Sidebar, bpy.types.Panel):
    """Fasten the selected bodies to each other, to the world, to a curve or to what moves."""

    bl_label = "Connect"
    bl_order = ORDER["CONNECT"]

    def draw(self, context: bpy.types.Context) -> None:
        """The place of a new joint, then a button for each type."""
        layout, settings = self.layout, context.scene.ves
        column = settings_column(layout)
        column.prop(settings, "connect_at")
        column.prop(settings, "connect_axis")
        grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for identifier, label, _, icon, _ in JOINT_TYPES:
            grid.operator("ves.add_joint", text=label, icon=icon).type = identifier
        row = layout.row(align=True)
        for identifier, label in (("SPHERICAL", "Ball Chain"), ("REVOLUTE", "Hinge Chain")):
            row.operator("ves.chain", text=label, icon="LINKED").type = identifier
        draw_buttons(layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True))


CLASSES = (VES_PT_connect,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
