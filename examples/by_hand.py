# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's work with the mouse: select, place the 3D cursor, press a button of the sidebar."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
from mathutils import Vector


def select(*objects: bpy.types.Object) -> None:
    """Select just these; the first is the active one."""
    bpy.context.view_layer.update()
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[0]


def add_bodies(objects: Sequence[bpy.types.Object], material: str, motion: str = "DYNAMIC") -> None:
    """Make bodies of one material."""
    select(*objects)
    bpy.ops.ves.add_body(motion=motion, material=material)


def join(
    type: str, parent: bpy.types.Object, child: bpy.types.Object, place: Sequence[float], axis: str = "Y"
) -> bpy.types.Object:
    """A joint of two bodies at a place of the world, its Z along an axis of the world."""
    bpy.context.scene.cursor.location = place
    select(parent, child)
    bpy.ops.ves.add_joint(type=type, location="CURSOR", axis=axis)
    return bpy.context.active_object


def nail(body: bpy.types.Object, place: Sequence[float]) -> bpy.types.Object:
    """Nail the point of the body that is at a place of the world."""
    bpy.context.scene.cursor.location = place
    select(body)
    bpy.ops.ves.add_nail(location="CURSOR")
    return bpy.context.active_object


def lead(body: bpy.types.Object, leader: bpy.types.Object, place: Sequence[float]) -> bpy.types.Object:
    """Lead the point of the body that is at a place of the world along a curve, or as an Empty moves."""
    bpy.context.scene.cursor.location = place
    select(body, leader)
    bpy.ops.ves.add_path(point="CURSOR")
    return bpy.context.active_object


def act(type: str, body: bpy.types.Object, place: Sequence[float], axis: str = "Z") -> bpy.types.Object:
    """A force on the point of the body that is at a place of the world, its Z along an axis of the world."""
    bpy.context.scene.cursor.location = place
    select(body)
    bpy.ops.ves.add_force(type=type, location="CURSOR", axis=axis)
    return bpy.context.active_object


def pull(
    type: str,
    first: bpy.types.Object,
    place: Sequence[float],
    second: bpy.types.Object,
    second_place: Sequence[float],
) -> bpy.types.Object:
    """A spring or rubber between points of two bodies that are at these places of the world."""
    bpy.context.scene.cursor.location = place
    select(first, second)
    bpy.ops.ves.add_force(type=type, location="CURSOR")
    force = bpy.context.active_object
    force.ves.point_b = second.matrix_world.inverted() @ Vector(second_place)
    return force


def hang(ob: bpy.types.Object, parent: bpy.types.Object) -> None:
    """Make an object the child of another, where it is."""
    bpy.context.view_layer.update()
    ob.parent, ob.matrix_parent_inverse = parent, parent.matrix_world.inverted()


def key(
    ob: bpy.types.ID, path: str, values: dict[float, float], interpolation: str, index: int = -1
) -> bpy.types.FCurve:
    """Keyframes of one number, all of them with the same interpolation up to the next; returns their curve."""
    for frame, value in values.items():
        _set(ob, path, value, index)
        ob.keyframe_insert(path, index=index, frame=frame)
    animation = ob.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    curve = bag.fcurves.find(path, index=max(index, 0))
    for point in curve.keyframe_points:
        point.interpolation = interpolation
    return curve


def _set(ob: bpy.types.ID, path: str, value: float, index: int) -> None:
    if index >= 0:
        ob.path_resolve(path)[index] = value
    elif path.startswith('["'):
        ob[path[2:-2]] = value
    else:
        group, _, name = path.rpartition(".")
        setattr(ob.path_resolve(group) if group else ob, name, value)


def switch(part: bpy.types.Object, states: dict[float, bool]) -> None:
    """Keyframes on the check mark of a force, joint or constraint."""
    for frame, is_on in states.items():
        part.ves.enabled = is_on
        part.keyframe_insert("ves.enabled", frame=frame)
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)


def drive(
    ob: bpy.types.Object, path: str, expression: str, control: bpy.types.Object, source: str, index: int = -1
) -> None:
    """A driver: the expression gives the value from x, which is the property `source` of another object."""
    driver = ob.driver_add(path, index).driver
    variable = driver.variables.new()
    variable.name = "x"
    variable.targets[0].id, variable.targets[0].data_path = control, source
    driver.type, driver.expression = "SCRIPTED", expression
