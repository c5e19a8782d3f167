# SPDX-License-Identifier: GPL-3.0-or-later
"""Fastening a point of a body: nailed where it is, or led along a curve."""

import math

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ..scene.empties import add_empty, display_size, home_of
from ..scene.placement import nearest_to, outline
from .selection import OnMeshes, become_bodies, names, select_only, selected_meshes, skip_others

POINTING_DOWN = Matrix.Rotation(-math.pi / 2.0, 4, "X")  # an Empty's cone points along Y


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
        skip_others(context, self)
        bodies = selected_meshes(context, self)
        become_bodies(bodies, self)
        context.view_layer.update()
        depsgraph = context.evaluated_depsgraph_get()
        nails = []
        for body in bodies:
            shape = outline(body, depsgraph)
            point = context.scene.cursor.location
            if self.location == "ORIGIN":
                point = body.matrix_world.translation
            elif self.location == "NEAREST":
                point = nearest_to(shape, point)
            matrix = Matrix.Translation(point) @ POINTING_DOWN
            size = 0.5 * display_size(shape)
            nail = add_empty(f"Nail {body.name}", "NAIL", matrix, (body, None), size, home_of(body, context))
            nail.empty_display_type = "CONE"
            nails.append(nail)
        select_only(context, nails)
        return {"FINISHED"} if nails else {"CANCELLED"}


class VES_OT_add_path(OnMeshes, bpy.types.Operator):
    """Lead a point of the selected body along the selected curve"""

    bl_idname = "ves.add_path"
    bl_label = "Follow Path"
    bl_options = {"REGISTER", "UNDO"}

    point: EnumProperty(
        name="Point",
        description="Which point of the body follows the curve",
        items=[
            ("NEAREST", "Nearest", "The point of the body's surface nearest to the start of the curve"),
            ("ORIGIN", "Origin", "The origin of the body"),
            ("CURSOR", "3D Cursor", "The point at the 3D cursor"),
        ],
        default="NEAREST",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs one curve beside the bodies."""
        if not super().poll(context):
            return False
        if sum(ob.type == "CURVE" for ob in context.selected_objects) != 1:
            cls.poll_message_set("Select the body and one curve")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Over the whole frame range of the scene at first."""
        curve = next(ob for ob in context.selected_objects if ob.type == "CURVE")
        bodies = selected_meshes(context, self)
        others = [ob for ob in context.selected_objects if ob.type not in {"MESH", "CURVE"}]
        if others:
            self.report({"WARNING"}, f"Neither body nor curve, skipped: {names(others)}")
        context.view_layer.update()
        start = start_of(curve)
        if start is None:
            self.report({"WARNING"}, f"{curve.name} has no points: draw the curve first")
            return {"CANCELLED"}
        become_bodies(bodies, self)
        paths = [self._lead(context, body, curve, start) for body in bodies]
        select_only(context, paths)
        return {"FINISHED"} if paths else {"CANCELLED"}

    def _lead(
        self, context: bpy.types.Context, body: bpy.types.Object, curve: bpy.types.Object, start: Vector
    ) -> bpy.types.Object:
        shape = outline(body, context.evaluated_depsgraph_get())
        point = {
            "NEAREST": lambda: nearest_to(shape, start),
            "ORIGIN": lambda: body.matrix_world.translation,
            "CURSOR": lambda: context.scene.cursor.location,
        }[self.point]()
        name, size = f"Path {body.name}-{curve.name}", 0.25 * display_size(shape)
        empty = add_empty(name, "PATH", Matrix.Translation(point), (body, None), size, home_of(body, context))
        empty.empty_display_type = "SPHERE"
        settings = empty.ves
        settings.path_curve = curve
        settings.path_frame_start, settings.path_frame_end = context.scene.frame_start, context.scene.frame_end
        return empty


def start_of(curve: bpy.types.Object) -> Vector | None:
    """First control point of a curve in the world, where the curve begins or near to it; None if it has no points."""
    for spline in curve.data.splines:
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        if points:
            return curve.matrix_world @ points[0].co.to_3d()
    return None


CLASSES = (VES_OT_add_nail, VES_OT_add_path)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
