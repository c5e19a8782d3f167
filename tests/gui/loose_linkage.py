# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a four-bar linkage lying about, with joints whose two sides are apart; and how far apart they are.

Runs inside Blender, as the beginning of a question to a window.
"""

import bpy
from mathutils import Matrix

PARTS = {  # name: length, place, turn about Y, colour
    "crank": (1.0, (-0.6, 0.0, 1.2), -1.0, (0.9, 0.35, 0.1, 1.0)),
    "coupler": (3.0, (1.5, 0.0, 2.9), 0.3, (0.15, 0.5, 0.8, 1.0)),
    "rocker": (1.8, (3.8, 0.0, 1.3), -1.9, (0.3, 0.65, 0.25, 1.0)),
}
GROUND = {"crank": (0.0, 0.0, 0.0), "rocker": (2.6, 0.0, 0.0)}


def build() -> None:
    """Bars with hinges at both ends; the ends of crank and rocker belong to two points of the world."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    for name, (length, place, turn, colour) in PARTS.items():
        bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, rotation=(0.0, turn, 0.0), scale=(length, 0.15, 0.15))
        bar = bpy.context.object
        bar.name, bar.color = name, colour
        bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    bpy.context.view_layer.update()
    connect("A", None, GROUND["crank"], "crank", -0.5)
    connect("B", "crank", 0.5, "coupler", -0.5)
    connect("C", "rocker", 0.5, "coupler", 0.5)
    connect("D", None, GROUND["rocker"], "rocker", -0.5)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.update()


def connect(name: str, parent: str | None, here: float | tuple[float, float, float], child: str, there: float) -> None:
    """A loose hinge about Y; a place on a bar is a share of its length, from its middle."""
    bpy.ops.object.select_all(action="DESELECT")
    bars = [bpy.data.objects[bar] for bar in (child, parent) if bar]
    for bar in bars:
        bar.select_set(True)
    bpy.context.view_layer.objects.active = bars[-1]
    bpy.ops.ves.add_joint(type="REVOLUTE", location="LOOSE", axis="Y")
    joint = bpy.context.object
    joint.name = name
    joint.empty_display_size = joint.ves.anchor_b.empty_display_size = 0.3
    put(joint, end(parent, here) if parent else Matrix.Translation(here))
    put(joint.ves.anchor_b, end(child, there))


def end(bar: str, share: float) -> Matrix:
    """The place that is a share of a bar's length from its middle, turned as the bar is."""
    return bpy.data.objects[bar].matrix_world @ Matrix.Translation((share * PARTS[bar][0], 0.0, 0.0))


def put(ob: bpy.types.Object, matrix: Matrix) -> None:
    """With its Z axis along the given Y axis."""
    bpy.context.view_layer.update()
    ob.matrix_world = matrix @ Matrix.Rotation(-1.5707963267948966, 4, "X")


def gaps() -> list[float]:
    """The distance of each joint's two sides, in metres."""
    joints = [ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT"]
    return [(ob.matrix_world.translation - ob.ves.anchor_b.matrix_world.translation).length for ob in joints]


def poses() -> list[list[float]]:
    """The world matrices of all objects now."""
    return [[x for row in ob.matrix_world for x in row] for ob in bpy.context.scene.objects]


def show() -> None:
    """Look at all of it from the front, in its colours."""
    space = bpy.context.area.spaces.active
    space.shading.color_type = "OBJECT"
    space.region_3d.view_perspective = "ORTHO"
    space.region_3d.view_rotation = Matrix.Rotation(1.45, 4, "X").to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (2.2, 0.0, 1.2), 8.0
