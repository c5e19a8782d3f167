# SPDX-License-Identifier: GPL-3.0-or-later
"""A linkage from modelled parts: hinges where their pins and holes have one axis."""

import bpy
import numpy as np
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ...scene.findings import SceneError
from ...scene.links.parts import Axis, plan_joints, rounds_of
from ...scene.parts.bodies import make_bodies, rough_mass
from ...scene.parts.empties import LABELS, add_empty, display_size, home_of, set_up_joint
from ...scene.parts.placement import outline
from ..polls import cancelled, needs
from ..selection import OnMeshes, adjustable, count, names, select_only, selected_meshes

GROUNDS = [
    ("ACTIVE", "Active Object", "The active object stands still: it becomes a Fixed body, unless something moves it"),
    ("NONE", "Nothing", "Nothing is held: the linkage floats"),
]


@adjustable
class VES_OT_links_from_parts(OnMeshes, bpy.types.Operator):
    """Make a linkage of the selected meshes: where a pin of one is in a hole of another, or holes of two lie on one
    axis, they get a hinge. Parts without such an axis are named"""

    bl_idname = "ves.links_from_parts"
    bl_label = "Links from Parts"
    bl_options = {"REGISTER", "UNDO"}

    ground: EnumProperty(name="Ground", description="What stands still", items=GROUNDS, default="ACTIVE")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs two meshes."""
        meshes = [ob for ob in context.selected_objects if ob.type == "MESH"]
        return super().poll(context) and needs(cls, len(meshes) > 1, "Select the parts of the linkage: two or more")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Nothing happens if no two parts share an axis."""
        parts = selected_meshes(context, self)
        context.view_layer.update()
        depsgraph = context.evaluated_depsgraph_get()
        try:
            rounds = [rounds_of(part, depsgraph) for part in parts]
        except SceneError as error:
            return cancelled(self, str(error))
        shapes = [outline(part, depsgraph) for part in parts]
        plan = plan_joints(shapes, rounds)
        self._tell(parts, plan)
        if not plan.hinges and not plan.welds:
            return cancelled(self, "No two of the selected parts have a pin and a hole, or two holes, on one axis")
        made = make_bodies(parts, parts[0])
        if self.ground == "ACTIVE" and parts[0] in made and parts[0].ves.motion == "DYNAMIC":
            parts[0].ves.motion = "FIXED"
        joints = []
        for kind, ties in (("REVOLUTE", plan.hinges), ("FIXED", plan.welds)):
            for a, b, axis in ties:
                joints.append(_join(context, kind, parts[a], parts[b], axis, (shapes[a], shapes[b])))
        select_only(context, parts)
        welded = f" and {count(len(plan.welds), 'weld')}" if plan.welds else ""
        self.report({"INFO"}, f"Made {count(len(plan.hinges), 'hinge')}{welded} of {count(len(parts), 'part')}")
        return {"FINISHED"}

    def _tell(self, parts: list[bpy.types.Object], plan) -> None:
        for part, touched in plan.loose:
            what = f"it touches {names([parts[i] for i in touched])}" if touched else "it touches nothing"
            self.report(
                {"WARNING"},
                f"{parts[part].name} has no pin or hole on one axis with another part; {what}: put the 3D cursor on "
                "the axis, select both, and choose Hinge with that place",
            )
        for a, b in plan.locked:
            self.report(
                {"WARNING"},
                f"{parts[a].name} and {parts[b].name} have two axes in common, so neither can turn: they are welded",
            )


def _join(
    context: bpy.types.Context, kind: str, parent: bpy.types.Object, child: bpy.types.Object, axis: Axis, shapes
) -> bpy.types.Object:
    turn = Vector(np.asarray(axis.direction).tolist()).to_track_quat("Z", "Y").to_matrix().to_4x4()
    matrix = Matrix.Translation(Vector(axis.place.tolist())) @ turn
    name = f"{LABELS[kind]} {parent.name}-{child.name}"
    empty = add_empty(name, "JOINT", matrix, (parent, child), display_size(*shapes), home_of(parent, context))
    set_up_joint(empty, kind, rough_mass(child, shapes[1]), shapes[1].size)
    return empty


CLASSES = (VES_OT_links_from_parts,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
