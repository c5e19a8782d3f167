# SPDX-License-Identifier: GPL-3.0-or-later
"""Holding a single body in the world: a point of it nailed where it is, or its orientation kept."""

import math

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix

from ...scene.owner import Owner
from ...scene.parts.empties import add_empty, display_size, home_of
from ...scene.parts.placement import nearest_to, rigid
from ..selection import OnMeshes, adjustable, chosen_bodies, select_only

POINTING_DOWN = Matrix.Rotation(-math.pi / 2.0, 4, "X")  # an Empty's cone points along Y


@adjustable
class VES_OT_add_nail(OnMeshes, bpy.types.Operator):
    """Nail a point of each selected body to where it is; the body can still turn about it"""

    bl_idname = "ves.add_nail"
    bl_label = "Add Nail"
    bl_options = {"REGISTER", "UNDO"}

    location: EnumProperty(
        name="Place",
        description="Which point of the body is nailed",
        items=[
            ("CURSOR", "3D Cursor", "The point at the 3D cursor"),
            ("ORIGIN", "Origin", "The origin of each body"),
            ("NEAREST", "Nearest to Cursor", "The point of the body's surface nearest to the 3D cursor"),
        ],
        default="CURSOR",
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One nail for each body."""
        nails = []
        for body, shape in chosen_bodies(context, self).items():
            point = context.scene.cursor.location
            if self.location == "ORIGIN":
                point = Owner(body).place
            elif self.location == "NEAREST":
                point = nearest_to(shape, point)
            matrix = Matrix.Translation(point) @ POINTING_DOWN
            size = 0.5 * display_size(shape)
            nail = add_empty(f"Nail {body.name}", "NAIL", matrix, (body, None), size, home_of(body, context))
            nail.empty_display_type = "CONE"
            nails.append(nail)
        select_only(context, nails)
        return {"FINISHED"} if nails else {"CANCELLED"}


@adjustable
class VES_OT_add_orientation(OnMeshes, bpy.types.Operator):
    """Keep each selected body from turning; it can still go anywhere"""

    bl_idname = "ves.add_orientation"
    bl_label = "Keep Orientation"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One for each body, at its origin and along its axes."""
        keepers = []
        for body, shape in chosen_bodies(context, self).items():
            size = display_size(shape)
            matrix = rigid(Owner(body).matrix)
            name = f"Orientation {body.name}"
            keeper = add_empty(name, "ORIENTATION", matrix, (body, None), size, home_of(body, context))
            keeper.empty_display_type = "ARROWS"
            keepers.append(keeper)
        select_only(context, keepers)
        return {"FINISHED"} if keepers else {"CANCELLED"}


CLASSES = (VES_OT_add_nail, VES_OT_add_orientation)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
