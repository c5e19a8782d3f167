# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of points of a linkage (coupler curves)."""

from collections.abc import Iterator

import bpy
from bpy.props import EnumProperty

from ...scene.bake.bake import Progress
from ...scene.links.bars import points_of
from ...scene.links.lengths import has_length
from ...scene.live.paths import draw_path
from ...scene.parts.bodies import is_body
from ..modal import InSteps
from ..polls import needs
from ..selection import select_only

POINTS = [
    ("END", "End", "The last point of a link that was drawn as a bar; of another body its origin"),
    ("CURSOR", "3D Cursor", "The point of the body that is at the 3D cursor now"),
    ("ORIGIN", "Origin", "The origin of the body"),
]


class VES_OT_draw_path(InSteps, bpy.types.Operator):
    """Draw the path of a point of the active body over the whole way of its linkage's drive, as a curve with time
    marks. It says how far the drive goes, where its dead centres are, and what it takes against gravity"""

    bl_idname = "ves.draw_path"
    bl_label = "Path of a Point"
    bl_options = {"REGISTER", "UNDO"}
    status_name = "live_status"

    point: EnumProperty(name="Point", description="Which point of the body", items=POINTS, default="END")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a body."""
        return super().poll(context) and needs(cls, is_body(context.active_object), "Make a body of a linkage active")

    def steps(self, context: bpy.types.Context) -> Iterator[Progress]:
        """Lead the drive through its way."""
        body = context.active_object
        return draw_path(context.scene, context.view_layer, body, _point(self.point, body, context))

    def finish(self, context: bpy.types.Context, curve: bpy.types.Object) -> set[str]:
        """The curve is selected."""
        select_only(context, [curve])
        self.report({"INFO"}, curve.ves.path_findings)
        return {"FINISHED"}


def _point(kind: str, body: bpy.types.Object, context: bpy.types.Context) -> tuple[float, float, float]:
    if kind == "CURSOR":
        return tuple(body.matrix_world.inverted() @ context.scene.cursor.location)
    if kind == "END" and has_length(body):
        return tuple(points_of(body)[-1].tolist())
    return 0.0, 0.0, 0.0


CLASSES = (VES_OT_draw_path,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
