# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person does with the mouse: select, place the 3D cursor, press a button of the sidebar."""

from __future__ import annotations

from collections.abc import Sequence

import bpy


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
