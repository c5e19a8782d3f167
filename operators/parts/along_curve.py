# SPDX-License-Identifier: GPL-3.0-or-later
"""Leading a point of a body along a curve or as another object moves, and beads that slide along a curve."""

import bpy
import numpy as np
from bpy.props import BoolProperty, EnumProperty
from mathutils import Matrix, Vector

from ...scene.geometry.bead_curve import directions_up, nearest_factor, placed
from ...scene.geometry.curve_length import CurveError, CurveLength
from ...scene.owner import Owner
from ...scene.parts.bodies import body_under
from ...scene.parts.empties import add_empty, display_size, home_of
from ...scene.parts.placement import nearest_to, outline
from ..polls import cancelled, needs
from ..selection import OnMeshes, adjustable, become_bodies, names, select_only, selected_meshes, warn

_SHARES = np.linspace(0.0, 1.0, 65)  # of a curve's length, at which its plane is looked for


@adjustable
class VES_OT_add_path(OnMeshes, bpy.types.Operator):
    """Lead a point of the selected body along the selected curve, or as the selected Empty moves"""

    bl_idname = "ves.add_path"
    bl_label = "Follow Path"
    bl_options = {"REGISTER", "UNDO"}

    point: EnumProperty(
        name="Point",
        description="Which point of the body is led",
        items=[
            ("NEAREST", "Nearest", "The point of the body's surface nearest to where the path begins"),
            ("ORIGIN", "Origin", "The origin of the body"),
            ("CURSOR", "3D Cursor", "The point at the 3D cursor"),
        ],
        default="NEAREST",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs one curve, or one object that is no mesh, beside the bodies."""
        return super().poll(context) and needs(
            cls,
            _leader(context) is not None,
            "Select the body and one curve, or the body and one Empty that it shall follow",
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Over the whole frame range of the scene at first."""
        leader = _leader(context)
        bodies = selected_meshes(context, self)
        skip_all_but_meshes_and(leader, context, self)
        context.view_layer.update()
        start = start_of(leader) if leader.type == "CURVE" else Owner(leader).place
        if start is None:
            return cancelled(self, f"{leader.name} has no points: draw the curve first", "WARNING")
        become_bodies(bodies, self)
        paths = [self._lead(context, body, leader, start) for body in bodies]
        select_only(context, paths)
        return {"FINISHED"} if paths else {"CANCELLED"}

    def _lead(
        self, context: bpy.types.Context, body: bpy.types.Object, leader: bpy.types.Object, start: Vector
    ) -> bpy.types.Object:
        shape = outline(body, context.evaluated_depsgraph_get())
        point = {
            "NEAREST": lambda: nearest_to(shape, start),
            "ORIGIN": lambda: Owner(body).place,
            "CURSOR": lambda: context.scene.cursor.location,
        }[self.point]()
        name, size = f"Path {body.name}-{leader.name}", 0.25 * display_size(shape)
        empty = add_empty(name, "PATH", Matrix.Translation(point), (body, None), size, home_of(body, context))
        empty.empty_display_type = "SPHERE"
        settings = empty.ves
        if leader.type == "CURVE":
            settings.path_curve = leader
        else:
            settings.path_object = leader
        settings.path_frame_start, settings.path_frame_end = context.scene.frame_start, context.scene.frame_end
        return empty


@adjustable
class VES_OT_add_bead(OnMeshes, bpy.types.Operator):
    """Let a point of each selected body slide along the selected curve, as a bead on a wire, or follow it as a cam.

    A curve that is the child of a body, such as a slot, a groove or a cam's profile, goes with that
    """

    bl_idname = "ves.add_bead"
    bl_label = "Bead on Curve"
    bl_options = {"REGISTER", "UNDO"}

    point: EnumProperty(
        name="Point",
        description="Which point of the body slides along the curve",
        items=[
            ("ORIGIN", "Nearest to Origin", "The point of the curve that is nearest to the origin of the body"),
            ("CURSOR", "Nearest to Cursor", "The point of the curve that is nearest to the 3D cursor"),
        ],
        default="ORIGIN",
    )
    align: EnumProperty(
        name="Align to Curve",
        description="How the body turns as its point slides along the curve",
        items=[
            ("NONE", "Off", "It turns freely about its point"),
            ("TANGENT", "Tangent", "What of it is along the curve now stays so, and it can roll about the curve"),
            ("UP", "Tangent and Tilt", "It turns as the curve does, its tilt included"),
        ],
        default="NONE",
    )
    one_sided: EnumProperty(
        name="One-Sided",
        description="The curve is the profile of a cam, which pushes and never pulls",
        items=[
            ("NONE", "Off", "A bead, which the curve holds on both sides"),
            ("OUTSIDE", "Outside", "A closed curve pushes outwards, an open one to its left"),
            ("INSIDE", "Inside", "A closed curve pushes inwards, an open one to its right"),
        ],
        default="NONE",
    )
    roller: BoolProperty(
        name="Roller",
        description="The follower of a cam is a roller about the origin of the body, or about the 3D cursor, that "
        "reaches to the curve; otherwise the point itself slides on it",
        default=True,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs one curve beside the bodies."""
        return super().poll(context) and needs(cls, len(_curves(context)) == 1, "Select the body and one curve")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The bead is where the curve is nearest, so that nothing has to move."""
        (wire,) = _curves(context)
        carrier = body_under(wire)
        bodies = [body for body in selected_meshes(context, self) if body != carrier]
        skip_all_but_meshes_and(wire, context, self)
        context.view_layer.update()
        try:
            curve = CurveLength.of_object(wire, context.evaluated_depsgraph_get())
        except CurveError as error:
            return cancelled(self, f"{wire.name} {error}", "WARNING")
        become_bodies(bodies, self)
        beads = [self._thread(context, body, wire, curve, carrier) for body in bodies]
        select_only(context, beads)
        return {"FINISHED"} if beads else {"CANCELLED"}

    def _thread(
        self,
        context: bpy.types.Context,
        body: bpy.types.Object,
        wire: bpy.types.Object,
        curve: CurveLength,
        carrier: bpy.types.Object | None,
    ) -> bpy.types.Object:
        near = Owner(body).place if self.point == "ORIGIN" else context.scene.cursor.location
        matrix = np.array(wire.matrix_world, dtype=np.float64)
        factor = nearest_factor(curve, matrix, np.array(near, dtype=np.float64))
        at = np.array([factor])
        place, along = placed(curve, matrix, at)[0], matrix[:3, :3] @ curve.tangents(at)[0]
        up = directions_up(curve, matrix, at, wire.data.twist_mode == "MINIMUM")[0]
        y = along / np.linalg.norm(along)  # a circle's axis is Y
        z = up - (up @ y) * y
        z /= np.linalg.norm(z)
        ring = Matrix(np.stack([np.cross(y, z), y, z], axis=1).tolist()).to_4x4()
        size = 0.5 * display_size(outline(body, context.evaluated_depsgraph_get()))
        radius, is_cam = 0.0, self.one_sided != "NONE"
        if is_cam:
            z = _across_plane(placed(curve, matrix, _SHARES), up)
            way = np.array(near, dtype=np.float64) - place
            if self.roller:
                radius, place = float(np.linalg.norm(way - (way @ z) * z)), np.array(near, dtype=np.float64)
            x = np.cross(y, z) / np.linalg.norm(np.cross(y, z))
            ring = Matrix(np.stack([x, np.cross(z, x), z], axis=1).tolist()).to_4x4()
        name = f"Bead {body.name}-{wire.name}"
        ends = body, carrier
        empty = add_empty(name, "BEAD", Matrix.Translation(place) @ ring, ends, size, home_of(body, context))
        empty.empty_display_type = "CIRCLE"
        empty.ves.path_curve, empty.ves.curve_align = wire, "NONE" if is_cam else self.align
        empty.ves.one_sided, empty.ves.roller_radius = self.one_sided, radius
        return empty


def _across_plane(points: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Unit vector across the plane in which points (n, 3) lie; across them and `up` if they are in line."""
    ways = points - points[0]
    area = np.cross(ways[:-1], ways[1:]).sum(axis=0)
    if np.linalg.norm(area) < 1e-9 * np.linalg.norm(ways, axis=1).max() ** 2:
        area = np.cross(ways[-1], up)
    return area / np.linalg.norm(area)


def start_of(curve: bpy.types.Object) -> Vector | None:
    """First control point of a curve in the world, where the curve begins or near to it; None if it has no points."""
    for spline in curve.data.splines:
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        if points:
            return curve.matrix_world @ points[0].co.to_3d()
    return None


def skip_all_but_meshes_and(leader: bpy.types.Object, context: bpy.types.Context, operator: bpy.types.Operator) -> None:
    """Name the selected objects that can neither be bodies nor lead them."""
    others = [ob for ob in context.selected_objects if ob.type != "MESH" and ob != leader]
    if others:
        warn(operator, f"Neither body nor curve, skipped: {names(others)}")


def _curves(context: bpy.types.Context) -> list[bpy.types.Object]:
    return [ob for ob in context.selected_objects if ob.type == "CURVE"]


def _leader(context: bpy.types.Context) -> bpy.types.Object | None:
    """The only selected curve, else the only selected object that is no mesh."""
    curves = _curves(context)
    candidates = curves or [ob for ob in context.selected_objects if ob.type != "MESH"]
    return candidates[0] if len(candidates) == 1 else None


CLASSES = (VES_OT_add_path, VES_OT_add_bead)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
