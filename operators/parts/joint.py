# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints between the selected bodies: one at a time, or a whole chain."""

from itertools import pairwise

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ...scene.geometry.places import AXES, LOCATIONS
from ...scene.owner import Owner
from ...scene.parts.bar_ends import loose_ends
from ...scene.parts.bodies import rough_mass
from ...scene.parts.empties import LABELS, add_empty, add_mark, display_size, home_of, set_up_joint
from ...scene.parts.placement import Outline, chain_order, nearest_points, outline, turned_to
from ...scene.properties.joint import JOINT_TYPES
from ..polls import cancelled, needs
from ..selection import OnMeshes, adjustable, chosen_bodies, count, outlined, select_only, selected_meshes, skip_others


def connect(
    context: bpy.types.Context,
    joint_type: str,
    ends: tuple[bpy.types.Object | None, bpy.types.Object],
    shapes: dict[bpy.types.Object, Outline],
    position: Vector,
    axis: str,
    loose_end: Vector | None = None,
) -> bpy.types.Object:
    """A joint of the parent (None: the world) and the child at a point of the world.

    With `loose_end` that point is only the parent's side, and the child's is there.
    """
    parent, child = ends
    middles = None if parent is None else (Vector(shapes[parent].middle), Vector(shapes[child].middle))
    matrix = Matrix.Translation(position) @ turned_to(axis, context, middles).to_4x4()
    name = f"{LABELS[joint_type]} {parent.name if parent else 'World'}-{child.name}"
    size = display_size(*(shapes[ob] for ob in ends if ob is not None))
    empty = add_empty(name, "JOINT", matrix, ends, size, home_of(context.active_object or child, context))
    empty.ves.to_world = parent is None
    shape = shapes[child]
    set_up_joint(empty, joint_type, rough_mass(child, shape), shape.size)
    if loose_end is not None:
        turn = matrix.to_3x3().to_4x4()
        empty.ves.anchor_b = add_mark(empty, Matrix.Translation(loose_end) @ turn, child)
    return empty


def take_from_panel(operator: bpy.types.Operator, context: bpy.types.Context, **settings: str) -> None:
    """Give each option of the operator that nobody has set the value of a setting of the Add panel."""
    for option, setting in settings.items():
        if not operator.properties.is_property_set(option):
            setattr(operator, option, getattr(context.scene.ves, setting))


@adjustable
class VES_OT_add_joint(OnMeshes, bpy.types.Operator):
    """Join each selected body to the active one, or a single one to the world"""

    bl_idname = "ves.add_joint"
    bl_label = "Add Joint"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(
        name="Type", description="How the bodies can move against each other", items=JOINT_TYPES, default="REVOLUTE"
    )
    location: EnumProperty(
        name="Place",
        description="Where the joint goes; by itself as the panel Add says",
        items=LOCATIONS,
        default="NEAREST",
        options={"SKIP_SAVE"},
    )
    axis: EnumProperty(
        name="Axis",
        description="Where the joint's Z axis points; by itself as the panel Add says",
        items=AXES,
        default="Z",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip of a button tells about its own type."""
        text = next(item[2] for item in JOINT_TYPES if item[0] == properties.type)
        return f"{text}. Joins each selected body to the active one, or a single one to the world"

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The active body becomes the parent, as in Blender's own parenting."""
        take_from_panel(self, context, location="connect_at", axis="connect_axis")
        surface = self._surface(context)
        shapes = chosen_bodies(context, self, name_others=surface is None)
        if not shapes:
            return {"CANCELLED"}
        bodies = list(shapes)
        parent, children = (bodies[0], bodies[1:]) if len(bodies) > 1 and surface is None else (None, bodies)
        joints = [self._join(context, (parent, child), shapes) for child in children]
        for joint in joints if surface is not None else ():
            joint.ves.ride_object_a = surface
            ground = outline(surface, context.evaluated_depsgraph_get())
            joint.matrix_basis.translation = nearest_points(ground, shapes[joint.ves.body_b])[0]
        select_only(context, joints)
        return {"FINISHED"}

    def _surface(self, context: bpy.types.Context) -> bpy.types.Object | None:
        """The NURBS surface of the world that the selected bodies shall ride on, if one is selected with them."""
        surfaces = [ob for ob in context.selected_objects if ob.type == "SURFACE"]
        return surfaces[0] if self.type == "CONTACT" and len(surfaces) == 1 else None

    def _join(
        self,
        context: bpy.types.Context,
        ends: tuple[bpy.types.Object | None, bpy.types.Object],
        shapes: dict[bpy.types.Object, Outline],
    ) -> bpy.types.Object:
        if self.location != "LOOSE" or self.type == "CONTACT":
            return connect(context, self.type, ends, shapes, self._place(context, *ends, shapes), self.axis)
        parent, child = ends
        context.view_layer.update()  # where the joints are that this has made already
        q, p = loose_ends(child, parent, shapes, context.scene)
        return connect(context, self.type, ends, shapes, p, self.axis, loose_end=q)

    def _place(
        self,
        context: bpy.types.Context,
        parent: bpy.types.Object | None,
        child: bpy.types.Object,
        shapes: dict[bpy.types.Object, Outline],
    ) -> Vector:
        if self.location == "CURSOR" and (self.type != "CONTACT" or parent is None):
            return context.scene.cursor.location.copy()
        if (self.location == "NEAREST" or self.type == "CONTACT") and parent is not None:
            p, q = nearest_points(shapes[parent], shapes[child])
            return 0.5 * (p + q)
        return Owner(parent or child).place


@adjustable
class VES_OT_chain(OnMeshes, bpy.types.Operator):
    """Join the selected bodies one after the other, starting with the active one and always going on to the nearest"""

    bl_idname = "ves.chain"
    bl_label = "Chain"
    bl_options = {"REGISTER", "UNDO"}

    type: EnumProperty(
        name="Type",
        description="Type of the joints",
        items=[item for item in JOINT_TYPES if item[0] != "CONTACT"],
        default="SPHERICAL",
    )
    at: EnumProperty(
        name="Place",
        description="Where the joints go",
        items=[
            ("NEAREST", "Nearest Points", "Halfway between the nearest points of two neighbours"),
            ("ORIGIN", "Origins", "At the origin of the body that comes later in the chain"),
        ],
        default="NEAREST",
    )
    axis: EnumProperty(
        name="Axis",
        description="Where the Z axes of the joints point; by itself as the panel Add says",
        items=AXES,
        default="Z",
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """A chain has two ends."""
        return super().poll(context) and needs(
            cls,
            sum(ob.type == "MESH" for ob in context.selected_objects) >= 2,
            "Select two or more mesh objects; the chain starts with the active one",
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """If something animates the active object, it leads the chain as a keyed body."""
        take_from_panel(self, context, axis="connect_axis")
        skip_others(context, self)
        bodies = selected_meshes(context, self)
        if len(bodies) < 2:
            return cancelled(self, "A chain needs two or more mesh objects that can be edited", "WARNING")
        shapes = outlined(bodies, context, self, leader=bodies[0])
        order = chain_order(bodies[0], shapes)
        joints = []
        for parent, child in pairwise(order):
            position = Owner(child).place
            if self.at == "NEAREST":
                p, q = nearest_points(shapes[parent], shapes[child])
                position = 0.5 * (p + q)
            joints.append(connect(context, self.type, (parent, child), shapes, position, self.axis))
        self.report({"INFO"}, f"Joined {order[0].name} to {order[-1].name} with {count(len(joints), 'joint')}")
        select_only(context, joints)
        return {"FINISHED"}


CLASSES = (VES_OT_add_joint, VES_OT_chain)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
