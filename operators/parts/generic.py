# SPDX-License-Identifier: GPL-3.0-or-later
"""Generic constraints: a body held along and about some of the six axes of a frame."""

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ...scene.geometry.places import AXES
from ...scene.owner import Owner, is_dynamic
from ...scene.parts.empties import add_empty, display_size, home_of
from ...scene.parts.placement import Outline, nearest_points, nearest_to, turned_to
from ..selection import OnMeshes, adjustable, chosen_bodies, select_only

PRESETS = {
    "PLANE": ("Point in Plane", "A point stays in the plane of X and Y", (0, 0, 1), (0, 0, 0)),
    "LINE": ("Point on Line", "A point stays on the line along Z, as a pin in a slot", (1, 1, 0), (0, 0, 0)),
    "PARALLEL": ("Parallel Axes", "The Z axes stay parallel, wherever the body goes", (0, 0, 0), (1, 1, 0)),
    "ORIENTATION": ("Orientation", "The body turns as the frame does, wherever it goes", (0, 0, 0), (1, 1, 1)),
    "SPIN": ("Spin about One Axis", "A point stays, and the body only spins about Z", (1, 1, 1), (1, 1, 0)),
}
"""Label, description, locked axes of place and of turn."""


@adjustable
class VES_OT_add_generic(OnMeshes, bpy.types.Operator):
    """Hold each selected body to the active one along and about some of six axes, a single one to the world, or let \
    the selected Empty lead it"""

    bl_idname = "ves.add_generic"
    bl_label = "Generic"
    bl_options = {"REGISTER", "UNDO"}

    preset: EnumProperty(
        name="Holds",
        description="Which axes are locked at first; each can be locked and freed in the panel Constraint",
        items=[(name, label, text) for name, (label, text, *_) in PRESETS.items()],
        default="PLANE",
    )
    location: EnumProperty(
        name="Place",
        description="Where the frame is",
        items=[
            ("ORIGIN", "Origin", "At the origin of the body that is held"),
            ("NEAREST", "Nearest Points", "Halfway between the nearest points of the bodies, or nearest to the cursor"),
            ("CURSOR", "3D Cursor", "At the 3D cursor"),
        ],
        default="ORIGIN",
    )
    axis: EnumProperty(name="Axis", description="Where the frame's Z axis points", items=AXES, default="Z")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One Empty for each body; it is a child of what that is held to, whose frame it shows."""
        leader = _leader(context)
        shapes = chosen_bodies(context, self, name_others=leader is None)
        if not shapes:
            return {"CANCELLED"}
        bodies = list(shapes)
        pairs = [(body, None) for body in bodies]
        if leader is None and len(bodies) > 1:
            pairs = [self._held_first(body, bodies[0]) for body in bodies[1:]]
        made = [self._hold(context, held, to, shapes, leader) for held, to in pairs]
        select_only(context, made)
        return {"FINISHED"}

    @staticmethod
    def _held_first(body: bpy.types.Object, active: bpy.types.Object) -> tuple[bpy.types.Object, bpy.types.Object]:
        """Only a dynamic body can be held: to the active one, unless that is the only dynamic one."""
        return (active, body) if not is_dynamic(body) and is_dynamic(active) else (body, active)

    def _hold(
        self,
        context: bpy.types.Context,
        held: bpy.types.Object,
        to: bpy.types.Object | None,
        shapes: dict[bpy.types.Object, Outline],
        leader: bpy.types.Object | None,
    ) -> bpy.types.Object:
        place = Owner(held).place
        if self.location == "CURSOR":
            place = context.scene.cursor.location
        elif self.location == "NEAREST" and to is not None:
            place = sum(nearest_points(shapes[held], shapes[to]), Vector()) * 0.5
        elif self.location == "NEAREST":
            place = nearest_to(shapes[held], context.scene.cursor.location)
        middles = None if to is None else tuple(Owner(each).place for each in (held, to))
        matrix = Matrix.Translation(place) @ turned_to(self.axis, context, middles).to_4x4()
        label, _, travel, turn = PRESETS[self.preset]
        name = f"{label} {held.name}-{(to or leader).name if to or leader else 'World'}"
        empty = add_empty(name, "GENERIC", matrix, (held, to), display_size(shapes[held]), home_of(held, context), True)
        empty.empty_display_type = "ARROWS"
        settings = empty.ves
        settings.lock_travel, settings.lock_turn = tuple(map(bool, travel)), tuple(map(bool, turn))
        settings.path_object = leader
        return empty


def _leader(context: bpy.types.Context) -> bpy.types.Object | None:
    """The one selected Empty that is no part of the mechanism."""
    found = [ob for ob in context.selected_objects if ob.type == "EMPTY" and ob.ves.role == "NONE"]
    return found[0] if len(found) == 1 else None


CLASSES = (VES_OT_add_generic,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
