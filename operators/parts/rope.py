# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes over wheels: pulleys with two, tackles with many, and drums that wind them up."""

from itertools import pairwise
from typing import NamedTuple

import bpy
import numpy as np
from bpy.props import EnumProperty, IntProperty
from mathutils import Matrix, Vector

from ...scene.owner import Owner
from ...scene.parts.bodies import carrier_of
from ...scene.parts.empties import add_empty, add_mark, display_size, home_of
from ...scene.parts.placement import Outline
from ...scene.visible.visible import follow
from ...solver.mechanism import Rope
from ..polls import cancelled, in_object_mode, needs
from ..selection import OnMeshes, adjustable, outlined, select_only, selected_meshes, skip_others
from .transmission import Side, TransmissionError, joint_of

MOST_STRANDS = Rope.MOST_POINTS - 3  # two points at its end, and one more than strands
SPREAD = 0.15  # of the size of what hangs: between one strand and the next


@adjustable
class VES_OT_add_pulley(OnMeshes, bpy.types.Operator):
    """Hang two bodies on the ends of a rope that runs over two wheels, which are marked by Empties above them"""

    bl_idname = "ves.add_pulley"
    bl_label = "Pulley"
    bl_options = {"REGISTER", "UNDO"}

    location: EnumProperty(
        name="Place",
        description="Where the rope is fastened to the bodies",
        items=[
            ("TOP", "Top", "At the middle of each body's upper side"),
            ("ORIGIN", "Origin", "At the origins of the bodies"),
        ],
        default="TOP",
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The rope's Empty is a child of the active body; the wheels are in the world until they get a parent."""
        skip_others(context, self)
        bodies = selected_meshes(context, self)
        if len(bodies) != 2:
            return cancelled(self, "Select two bodies, one for each end of the rope")
        shapes = list(outlined(bodies, context, self).values())
        points = [self._point(ob, shape) for ob, shape in zip(bodies, shapes, strict=True)]
        height, size = wheel_height(shapes, context.scene.cursor.location.z), 0.5 * display_size(*shapes)
        name = f"Pulley {bodies[0].name}-{bodies[1].name}"
        rope = add_empty(
            name, "PULLEY", Matrix.Translation(points[0]), tuple(bodies), size, home_of(bodies[0], context)
        )
        rope.empty_display_type = "PLAIN_AXES"
        wheels = [add_mark(rope, Matrix.Translation((point.x, point.y, height)), None, size) for point in points]
        for wheel in wheels:
            wheel.name, wheel.empty_display_type = f"{name} Wheel", "CIRCLE"
        settings = rope.ves
        settings.anchor_b = add_mark(rope, Matrix.Translation(points[1]), bodies[1], size)
        settings.wheel_a, settings.wheel_b = wheels
        settings.distance = sum(height - point.z for point in points)
        select_only(context, [rope])
        return {"FINISHED"}

    def _point(self, body: bpy.types.Object, shape: Outline) -> Vector:
        if self.location == "ORIGIN":
            return Owner(body).place
        return Vector((*shape.middle[:2], shape.high[2]))


class _Point(NamedTuple):
    """A point of a rope, and the body there or None for the world."""

    place: Vector
    body: bpy.types.Object | None


@adjustable
class VES_OT_add_rope(OnMeshes, bpy.types.Operator):
    """Hang the active body on a rope that runs over wheels above it, which selected Empties may mark. At its other end
    pulls what else is selected: a drum on a Hinge, which winds it up, or another body"""

    bl_idname = "ves.add_rope"
    bl_label = "Rope"
    bl_options = {"REGISTER", "UNDO"}

    strands: IntProperty(
        name="Strands",
        description="Strands that the active body hangs on: with 4 it goes a fourth of the way, "
        "and is pulled four times as hard. With 1 the rope runs over all selected Empties, the nearest first",
        default=2,
        min=1,
        max=MOST_STRANDS,
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The rope's Empty is its first point; the others are marks, children of the bodies that carry them."""
        eyes = [ob for ob in context.selected_objects if ob.type == "EMPTY" and ob.ves.role == "NONE"]
        bodies = selected_meshes(context, self)
        if len(bodies) > 2:
            return cancelled(self, "Select the body that hangs, active, and at most one that pulls at the other end")
        shapes = list(outlined(bodies, context, self).values())
        load, shape = bodies[0], shapes[0]
        top = [_Point(eye.matrix_world.translation.copy(), carrier_of(eye)) for eye in eyes]
        if not top:
            height = wheel_height(shapes, context.scene.cursor.location.z)
            top = [_Point(Vector((*shape.middle[:2], height)), None)]
        points = self._tackle(load, shape, top)
        last, drum = _end(bodies, shapes, points[-1], context)
        if drum is None and last.body is not None:
            points += _above(last, points[-1], shape.size)
        size = 0.5 * display_size(*shapes)
        rope = _strung(f"Rope {load.name}", [*points, last], size, home_of(load, context))
        if drum is not None:
            rope.ves.drum_b, rope.ves.drum_radius_b = drum.joint, drum.radius
        select_only(context, [rope])
        return {"FINISHED"}

    def _tackle(self, load: bpy.types.Object, shape: Outline, top: list[_Point]) -> list[_Point]:
        """Its points but the last: to and fro between the body and the wheels above, of which the last is one."""
        hook = Vector((*shape.middle[:2], shape.high[2]))
        if self.strands == 1:
            points = [_Point(hook, load)]
            while top:
                near = min(top, key=lambda point: (point.place - points[-1].place).length)
                top.remove(near)
                points.append(near)
            return points[:MOST_STRANDS]
        spread, points = SPREAD * display_size(shape), []
        for k in range(self.strands + 1):
            is_above = (self.strands - k) % 2 == 0
            aside = Vector(((k - 0.5 * self.strands) * spread / self.strands, 0.0, 0.0))
            points.append(_Point(top[0].place + aside, top[0].body) if is_above else _Point(hook + aside, load))
        return points


def _end(
    bodies: list[bpy.types.Object], shapes: list[Outline], before: _Point, context: bpy.types.Context
) -> tuple[_Point, Side | None]:
    """The last point of a rope, at the drum that winds it up, the body that pulls at it, or below its last wheel."""
    if len(bodies) == 1:
        return _Point(Vector((*before.place[:2], shapes[0].high[2])) + Vector((shapes[0].size, 0.0, 0.0)), None), None
    other, shape = bodies[1], shapes[1]
    try:
        drum = Side(joint_of(other, context.scene, ("revolute",)), other, context.evaluated_depsgraph_get())
    except TransmissionError:
        return _Point(Vector((*shape.middle[:2], shape.high[2])), other), None
    return _Point(_leaves(drum, np.array(before.place)), drum.joint.ves.body_a), drum


def _above(end: _Point, before: _Point, size: float) -> list[_Point]:
    """A wheel above the rope's last point, as high as the one before, unless that is there already."""
    place = Vector((end.place.x, end.place.y, before.place.z))
    is_there = (place - before.place).length < 0.1 * size or place.z <= end.place.z
    return [] if is_there else [_Point(place, before.body)]


def _leaves(drum: Side, wheel: np.ndarray) -> Vector:
    """The point of a drum that a rope from a wheel touches; the drum winds it up as it turns on about its axis."""
    away = wheel - drum.origin
    away -= (away @ drum.axis) * drum.axis
    distance = float(np.linalg.norm(away))
    share = drum.radius / distance if distance > drum.radius else 1.0
    ahead = away / max(distance, 1e-9)
    aside = np.cross(drum.axis, ahead)
    return Vector(drum.origin + drum.radius * (share * ahead + np.sqrt(1.0 - share * share) * aside))


def _strung(name: str, points: list[_Point], size: float, home: bpy.types.Collection) -> bpy.types.Object:
    """The Empty of a rope through these points, and their marks."""
    first, *over, last = points
    rope = add_empty(name, "ROPE", Matrix.Translation(first.place), (first.body, last.body), size, home)
    rope.empty_display_type = "PLAIN_AXES"
    settings = rope.ves
    settings.to_world = None in (first.body, last.body)
    for point in over:
        mark = add_mark(rope, Matrix.Translation(point.place), point.body, 0.5 * size)
        mark.name, mark.empty_display_type = f"{name} Wheel", "CIRCLE"
        settings.rope_points.add().object = mark
    settings.anchor_b = add_mark(rope, Matrix.Translation(last.place), last.body, size)
    settings.distance = sum((b.place - a.place).length for a, b in pairwise(points))
    return rope


class _OnRope:
    """Mixed into operators on the points of the active rope."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs a rope that can be edited."""
        active = context.active_object
        is_rope = active is not None and active.ves.role == "ROPE" and active.is_editable
        return in_object_mode(cls, context) and needs(cls, is_rope, "The active object must be a rope")


class VES_OT_add_rope_point(_OnRope, bpy.types.Operator):
    """Let the rope run over one more wheel or eye: over each selected Empty, or over one to choose in the list"""

    bl_idname = "ves.add_rope_point"
    bl_label = "Add Wheel"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Behind all others."""
        rope = context.active_object
        known = {entry.object for entry in rope.ves.rope_points} | {rope, rope.ves.anchor_b}
        eyes = [ob for ob in context.selected_objects if ob not in known and ob.ves.role in ("NONE", "BODY")]
        for eye in eyes or [None]:
            rope.ves.rope_points.add().object = eye
        follow(rope)
        return {"FINISHED"}


class VES_OT_remove_rope_point(_OnRope, bpy.types.Operator):
    """Let the rope no longer run over this wheel; the object stays"""

    bl_idname = "ves.remove_rope_point"
    bl_label = "Remove Wheel"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(name="Number", description="Which wheel, from 0", default=0, min=0, options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Numbers that there are not change nothing."""
        points = context.active_object.ves.rope_points
        if self.number >= len(points):
            return cancelled(self, "There is no such wheel")
        points.remove(self.number)
        follow(context.active_object)
        return {"FINISHED"}


class VES_OT_move_rope_point(_OnRope, bpy.types.Operator):
    """Let the rope run over this wheel earlier"""

    bl_idname = "ves.move_rope_point"
    bl_label = "Move Wheel"
    bl_options = {"REGISTER", "UNDO"}

    number: IntProperty(name="Number", description="Which wheel, from 0", default=0, min=0, options={"SKIP_SAVE"})
    way: IntProperty(name="Way", description="-1 is earlier, 1 later", default=-1, min=-1, max=1)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The first one stays the first."""
        points = context.active_object.ves.rope_points
        goal = self.number + self.way
        if self.number >= len(points) or not 0 <= goal < len(points):
            return cancelled(self, "It is at the end already")
        points.move(self.number, goal)
        follow(context.active_object)
        return {"FINISHED"}


def wheel_height(shapes: list[Outline], cursor: float) -> float:
    """m: where the 3D cursor is, if that is above all bodies, else above them by twice their size."""
    top, size = max(shape.high[2] for shape in shapes), max(shape.size for shape in shapes)
    return cursor if cursor > top + 0.1 * size else float(top + 2.0 * size)


CLASSES = (
    VES_OT_add_pulley,
    VES_OT_add_rope,
    VES_OT_add_rope_point,
    VES_OT_remove_rope_point,
    VES_OT_move_rope_point,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
