# SPDX-License-Identifier: GPL-3.0-or-later
"""Tying points of two bodies, or of a body and the world, to each other: together, or at a distance."""

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ...scene.geometry.places import LOOSE
from ...scene.owner import Owner
from ...scene.parts.bar_ends import loose_ends
from ...scene.parts.empties import add_empty, add_mark, display_size, home_of
from ...scene.parts.placement import Outline, nearest_points, nearest_to, two_ends
from ..selection import OnMeshes, adjustable, chosen_bodies, select_only

Shapes = dict[bpy.types.Object, Outline]


class TieBodies(OnMeshes):
    """Mixed into operators that tie each selected body to the active one, or a single one to the world."""

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One Empty for each pair; it is a child of the active body."""
        shapes = chosen_bodies(context, self)
        if not shapes:
            return {"CANCELLED"}
        bodies = list(shapes)
        ties = [self._tie(context, bodies[0], other, shapes) for other in bodies[1:] or [None]]
        select_only(context, ties)
        return {"FINISHED"}


@adjustable
class VES_OT_add_point_to_point(TieBodies, bpy.types.Operator):
    """Keep a point of each selected body together with one of the active body, or of a single one with the world"""

    bl_idname = "ves.add_point_to_point"
    bl_label = "Point to Point"
    bl_options = {"REGISTER", "UNDO"}

    location: EnumProperty(
        name="Place",
        description="Where the two points are",
        items=[
            ("NEAREST", "Nearest Points", "Halfway between the nearest points of the two bodies"),
            ("CURSOR", "3D Cursor", "At the 3D cursor"),
            ("ORIGIN", "Origin", "At the origin of the active body"),
            LOOSE,
        ],
        default="NEAREST",
    )

    def _tie(
        self, context: bpy.types.Context, body: bpy.types.Object, other: bpy.types.Object | None, shapes: Shapes
    ) -> bpy.types.Object:
        start, end = self._points(context, body, other, shapes)
        size = 0.5 * display_size(*(shapes[ob] for ob in (body, other) if ob is not None))
        name = f"Tie {body.name}-{other.name if other else 'World'}"
        home = home_of(body, context)
        tie = add_empty(name, "POINT_TO_POINT", Matrix.Translation(start), (body, other), size, home)
        tie.empty_display_type = "PLAIN_AXES"
        tie.ves.to_world = other is None
        if self.location == "LOOSE":
            tie.ves.anchor_b = add_mark(tie, Matrix.Translation(end), other)
        return tie

    def _points(
        self, context: bpy.types.Context, body: bpy.types.Object, other: bpy.types.Object | None, shapes: Shapes
    ) -> tuple[Vector, Vector]:
        cursor = context.scene.cursor.location.copy()
        if self.location == "LOOSE":
            context.view_layer.update()  # where the ties are that this has made already
            return loose_ends(body, other, shapes, context.scene)
        if self.location == "CURSOR":
            return cursor, cursor
        if self.location == "NEAREST":
            p, q = nearest_points(shapes[body], shapes[other]) if other else [nearest_to(shapes[body], cursor)] * 2
            return (p + q) * 0.5, (p + q) * 0.5
        origin = Owner(body).place
        return origin, origin


@adjustable
class VES_OT_add_distance(TieBodies, bpy.types.Operator):
    """Keep the distance between a point of each selected body and one of the active body, or of the world"""

    bl_idname = "ves.add_distance"
    bl_label = "Distance"
    bl_options = {"REGISTER", "UNDO"}

    location: EnumProperty(
        name="Place",
        description="Where the two ends are; that of a single body goes from there to the 3D cursor",
        items=[
            ("ORIGIN", "Origin", "At the origins of the bodies"),
            (
                "NEAREST",
                "Nearest Points",
                "At the nearest points of the two bodies, or the one nearest to the 3D cursor",
            ),
            ("CURSOR", "3D Cursor", "At the 3D cursor; the other end is the nearest point of the other body"),
        ],
        default="ORIGIN",
    )

    def _tie(
        self, context: bpy.types.Context, body: bpy.types.Object, other: bpy.types.Object | None, shapes: Shapes
    ) -> bpy.types.Object:
        start, end, is_moved = two_ends(self.location, body, other, shapes, context.scene.cursor.location.copy())
        if is_moved:
            self.report({"WARNING"}, f"The ends on {body.name} would coincide: the rod starts in the middle instead")
        turn = (end - start).to_track_quat("Z", "Y").to_matrix().to_4x4()
        name = f"Distance {body.name}-{other.name if other else 'World'}"
        length = (end - start).length
        home = home_of(body, context)
        rod = add_empty(name, "DISTANCE", Matrix.Translation(start) @ turn, (body, other), length, home)
        rod.empty_display_type = "SINGLE_ARROW"
        settings = rod.ves
        settings.to_world = other is None
        settings.distance = length
        size = 0.5 * display_size(*(shapes[ob] for ob in (body, other) if ob is not None))
        settings.anchor_b = add_mark(rod, Matrix.Translation(end), other, size)
        return rod


CLASSES = (VES_OT_add_point_to_point, VES_OT_add_distance)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
