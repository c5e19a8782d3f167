# SPDX-License-Identifier: GPL-3.0-or-later
"""Turning the selected mesh objects into bodies, and back."""

import bpy
from bpy.props import BoolProperty, EnumProperty

from ...scene.parts.bodies import fastened_to, is_body, make_body, marks_of
from ...scene.properties import materials
from ...scene.properties.body import MOTIONS
from ..polls import cancelled
from ..selection import OnMeshes, count, names, selected_meshes, skip_others

UNCHANGED = ("KEEP", "As It Is", "Keep the material of those that have been bodies before", "NONE", -1)


class VES_OT_add_body(OnMeshes, bpy.types.Operator):
    """Make the selected mesh objects bodies of the mechanism"""

    bl_idname = "ves.add_body"
    bl_label = "Add Body"
    bl_options = {"REGISTER", "UNDO"}

    motion: EnumProperty(name="Motion", description="What moves the bodies", items=MOTIONS, default="DYNAMIC")
    material: EnumProperty(
        name="Material",
        description="What the bodies are made of",
        items=[UNCHANGED, *materials.enum_items()],
        default="KEEP",
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Acts on every selected mesh object that can be edited."""
        skip_others(context, self)
        objects = selected_meshes(context, self)
        for ob in objects:
            make_body(ob, self.motion, None if self.material == "KEEP" else self.material)
        return {"FINISHED"} if objects else {"CANCELLED"}


class VES_OT_remove_body(OnMeshes, bpy.types.Operator):
    """Take the selected objects out of the mechanism; the objects themselves stay"""

    bl_idname = "ves.remove_body"
    bl_label = "Remove Body"
    bl_options = {"REGISTER", "UNDO"}

    remove_joints: BoolProperty(
        name="Remove Joints",
        description="Also delete the joints, constraints and forces that are fastened to the bodies",
        default=False,
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Names what is left hanging, unless it is deleted as well."""
        bodies = [ob for ob in selected_meshes(context, self) if is_body(ob)]
        if not bodies:
            return cancelled(self, "None of the selected objects is a body", "WARNING")
        hanging = fastened_to(bodies, context.scene)
        for ob in bodies:
            ob.ves.role = "NONE"
        if self.remove_joints:
            for ob in {*hanging, *marks_of(hanging)}:
                bpy.data.objects.remove(ob)
        elif hanging:
            self.report({"WARNING"}, f"No longer fastened to a body: {names(hanging)}")
        self.report({"INFO"}, f"Removed {count(len(bodies), 'body')} from the mechanism")
        return {"FINISHED"}


CLASSES = (VES_OT_add_body, VES_OT_remove_body)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
