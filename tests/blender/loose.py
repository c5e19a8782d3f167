# SPDX-License-Identifier: GPL-3.0-or-later
"""Loose linkages, whose joints and ties have two sides apart, and how far apart these are."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from tests.blender.linkages import body, joint, part
from tests.blender.making import empty

CLOSE = 3e-6  # m: what single precision leaves of bodies a few metres from the origin


def mark(name: str, position, carrier: bpy.types.Object | None = None) -> bpy.types.Object:
    """A plain Empty at a place of the world that goes along with a body."""
    ob = empty(name)
    hang(ob, carrier)
    ob.matrix_world = Matrix.Translation(position)
    bpy.context.view_layer.update()
    return ob


def hang(ob: bpy.types.Object, carrier: bpy.types.Object | None) -> None:
    """Make an object a child, where it is."""
    bpy.context.view_layer.update()
    world = ob.matrix_world.copy()
    ob.parent = carrier
    ob.matrix_parent_inverse = carrier.matrix_world.inverted() if carrier else Matrix()
    ob.matrix_world = world
    bpy.context.view_layer.update()


def loose_joint(name, here, there, parent, child, kind="REVOLUTE") -> bpy.types.Object:
    """A joint about Y at `here` on its parent, and at `there`, about its own Y, on its child."""
    empty_ = joint(name, here, parent, child, kind)
    empty_.rotation_euler.x = math.pi / 2.0
    bpy.context.view_layer.update()
    if parent is not None:
        hang(empty_, parent)
    other = mark(f"{name} End", there, child)
    turn = child.matrix_world.to_quaternion().to_matrix().to_4x4()
    other.matrix_world = Matrix.Translation(there) @ turn @ Matrix.Rotation(math.pi / 2.0, 4, "X")
    empty_.ves.anchor_b = other
    bpy.context.view_layer.update()
    return empty_


def tie(name, role, position, body_a, body_b=None, there=None) -> bpy.types.Object:
    """A constraint at a point of its first body, whose child it is; `there` is its other side."""
    ob = part(name, role, position)
    ob.ves.body_a, ob.ves.body_b = body_a, body_b
    ob.ves.to_world = body_b is None
    hang(ob, body_a)
    if there is not None:
        ob.ves.anchor_b = mark(f"{name} End", there, body_b)
    return ob


def four_bar() -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Crank, coupler and rocker in the XZ plane between (0, 0, 0) and (3, 0, 0); the coupler lies about elsewhere."""
    crank = body("crank", (0, 0, 0.5), (0.1, 0.1, 1))
    coupler = body("coupler", (1.7, 0.4, 2.1), (3, 0.1, 0.1))
    rocker = body("rocker", (3, 0, 0.5), (0.1, 0.1, 1))
    coupler.rotation_euler = 0.1, -0.2, 0.3
    bpy.context.view_layer.update()
    left, right = (tuple(coupler.matrix_world @ Matrix.Translation((x, 0, 0)).translation) for x in (-1.5, 1.5))
    joints = [
        joint("A", (0, 0, 0), None, crank, "REVOLUTE"),
        loose_joint("B", (0, 0, 1), left, crank, coupler),
        loose_joint("C", (3, 0, 1), right, rocker, coupler),
        joint("D", (3, 0, 0), None, rocker, "REVOLUTE"),
    ]
    for one in (joints[0], joints[3]):
        one.rotation_euler.x = math.pi / 2.0
        bpy.context.view_layer.update()
        hang(one, one.ves.body_b)
    return [crank, coupler, rocker], joints


def snap(**options) -> set[str]:
    bpy.context.view_layer.update()
    return bpy.ops.ves.snap_together(**options)


def place(ob: bpy.types.Object) -> np.ndarray:
    bpy.context.view_layer.update()
    return np.array(ob.matrix_world.translation)


def gap(ob: bpy.types.Object) -> float:
    """Distance of the two sides of a joint or tie."""
    return float(np.linalg.norm(place(ob) - place(ob.ves.anchor_b)))


def axis_angle(ob: bpy.types.Object) -> float:
    """Angle (rad) between the Z axes of the two sides of a joint."""
    a, b = (np.array(side.matrix_world.col[2][:3]) for side in (ob, ob.ves.anchor_b))
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def state(*objects: bpy.types.Object) -> list[tuple]:
    """Everything of an object that Snap Together could change, bit for bit."""
    objects = objects or tuple(bpy.context.scene.objects)
    return [
        (ob.name, *ob.location, *ob.rotation_euler, *ob.rotation_quaternion, *ob.rotation_axis_angle, *ob.scale,
         *(number for row in ob.matrix_parent_inverse for number in row), *ob.ves.coordinates)
        for ob in objects
    ]  # fmt: skip


def findings() -> list[tuple[str, str | None, str]]:
    listed = bpy.context.scene.ves.findings
    return [(entry.severity, entry.culprit.name if entry.culprit else None, entry.text) for entry in listed]


def short_chain() -> list[bpy.types.Object]:
    """A rod of 2 m that is to reach from the origin to (2.31, 0, 0)."""
    rod = body("rod", (1, 0, 0), (2, 0.1, 0.1))
    joint_ = joint("pin", (0, 0, 0), None, rod)
    hang(joint_, rod)
    return [rod, joint_, tie("Hook", "POINT_TO_POINT", (2, 0, 0), rod, None, (2.31, 0, 0))]
