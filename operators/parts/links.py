# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages from sketches, and links of other lengths."""

import bpy
import numpy as np
from bpy.props import EnumProperty, FloatProperty

from ...scene.bake.bake import run_to_end
from ...scene.findings import SceneError
from ...scene.links.bars import points_of
from ...scene.links.build import add_linkage
from ...scene.links.lengths import has_length, length_of, set_length
from ...scene.links.sketch import plan_of_sketch
from ...scene.live.paths import draw_path, paths_of
from ...scene.parts.bodies import is_body
from ...scene.parts.linkages import find_linkages
from ..modal import InObjectMode
from ..polls import cancelled, needs
from ..selection import count, select_only

GROUNDS = [
    ("AUTO", "Loose Ends", "The world holds the vertices in the group Ground; if there is none, all loose ends"),
    ("SELECTED", "Selected Points", "The world holds the points that are selected in Edit Mode"),
    ("NONE", "Nothing", "The world holds nothing: the linkage floats"),
]
LEAST = 1e-4  # m


class VES_OT_links_from_sketch(InObjectMode, bpy.types.Operator):
    """Make a linkage of the edges of the active mesh or curve: vertices become hinges, edges links, faces rigid links.
    The world holds the vertices in the group Ground, or else all loose ends"""

    bl_idname = "ves.links_from_sketch"
    bl_label = "Links from Sketch"
    bl_options = {"REGISTER", "UNDO"}

    ground: EnumProperty(name="Ground", description="Which points the world holds", items=GROUNDS, default="AUTO")
    width: FloatProperty(
        name="Width",
        description="Width of the bars; 0 is what suits their lengths",
        default=0.0,
        min=0.0,
        unit="LENGTH",
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a mesh or a curve that is no body."""
        return super().poll(context) and needs(
            cls,
            _sketch(context) is not None,
            "Draw the linkage first: select a mesh of edges, or a curve, that is no body",
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The sketch stays, hidden."""
        sketch = _sketch(context)
        context.view_layer.update()
        try:
            plan = plan_of_sketch(sketch, self.ground)
        except SceneError as error:
            return cancelled(self, str(error))
        bodies, joints = add_linkage(plan, context.scene, f"{sketch.name} Linkage", self.width)
        if not plan.ground:
            self.report({"WARNING"}, "The world holds none of it: make a group Ground of vertices, or a link Fixed")
        sketch.hide_set(True)
        select_only(context, bodies)
        made = f"{count(len(bodies), 'link')} and {count(len(joints), 'hinge')}"
        self.report({"INFO"}, f"Made {made}; {sketch.name} is hidden")
        return {"FINISHED"}


class VES_OT_set_link_length(InObjectMode, bpy.types.Operator):
    """Give the active link another length: its linkage moves to where it is closed again"""

    bl_idname = "ves.set_link_length"
    bl_label = "Link Length"
    bl_options = {"REGISTER", "UNDO"}

    length: FloatProperty(
        name="Length",
        description="Distance between the first two points of the link",
        default=1.0,
        min=LEAST,
        unit="LENGTH",
        precision=4,
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a link that is not live."""
        if not super().poll(context):
            return False
        active = context.active_object
        if active is None or not has_length(active):
            cls.poll_message_set("Make a link active that Links from Sketch, or an example, has made")
            return False
        return needs(cls, not active.ves.is_live, "End Live first")

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """A box in which the length can be dragged."""
        self.length = length_of(context.active_object)
        return context.window_manager.invoke_props_popup(self, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Only if all of it closes; paths of its points are drawn anew."""
        scene, view_layer, body = context.scene, context.view_layer, context.active_object
        linkage = next((each.bodies for each in find_linkages(scene) if body in each.bodies), {body})
        curves = paths_of(scene, linkage)
        ends = [curve for curve in curves if _is_of_end(curve, body)]
        try:
            set_length(scene, view_layer, body, self.length)
            for curve in curves:
                point = points_of(body)[-1] if curve in ends else curve.ves.path_point
                run_to_end(draw_path(scene, view_layer, curve.ves.path_of, tuple(map(float, point)), curve))
        except SceneError as error:
            return cancelled(self, str(error), "WARNING")
        return {"FINISHED"}


def _is_of_end(path: bpy.types.Object, body: bpy.types.Object) -> bool:
    """True for the path of a link's last point, which stays its last point."""
    away = np.array(path.ves.path_point) - points_of(body)[-1]
    return path.ves.path_of == body and bool(np.linalg.norm(away) < 1e-5 * length_of(body))


def _sketch(context: bpy.types.Context) -> bpy.types.Object | None:
    active = context.active_object
    suits = active is not None and active.type in {"MESH", "CURVE"} and not is_body(active) and active.select_get()
    return active if suits else None


CLASSES = (VES_OT_links_from_sketch, VES_OT_set_link_length)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
