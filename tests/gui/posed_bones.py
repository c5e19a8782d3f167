# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig of five bones in a row over the ground, made a ragdoll, seen from the side.

Runs inside Blender, as the beginning of a question to a window.
"""

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

COUNT, LENGTH, HEIGHT_OF_ROW = 5, 0.4, 0.8


def build() -> None:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    data = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    rig.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for i in range(COUNT):
        bone = data.edit_bones.new(f"Bone {i}")
        bone.head, bone.tail = ((LENGTH * each, 0.0, HEIGHT_OF_ROW) for each in (i, i + 1))
        bone.parent, bone.use_connect = above, above is not None
        above = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.ves.ragdoll(with_limits=False)
    for ob in bpy.context.scene.objects:
        ob.select_set(False)
    shape(0).ves.motion = "FIXED"
    bpy.context.scene.ves.use_contact = bpy.context.scene.ves.use_ground = True


def shape(number: int) -> bpy.types.Object:
    return next(ob for ob in bpy.context.scene.objects if ob.parent_bone == f"Bone {number}")


def show() -> None:
    """Look along Y at the row, shapes solid."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    for ob in bpy.context.scene.objects:
        ob.display_type = "SOLID"
    space = bpy.context.area.spaces.active
    space.region_3d.view_perspective = "ORTHO"
    space.region_3d.view_rotation = Matrix.Rotation(1.5708, 4, "X").to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = Vector((1.0, 0.0, 0.6)), 3.5


def middle(number: int) -> Vector:
    """Of a bone, where it is now."""
    rig = bpy.data.objects["Rig"]
    bone = rig.pose.bones[f"Bone {number}"]
    return rig.matrix_world @ (0.5 * (bone.head + bone.tail))


def on_screen(point: Vector, height: int) -> list[float]:
    """The place of a point on the screen, in pixels from the upper left."""
    region = bpy.context.region
    x, y = location_3d_to_region_2d(region, region.data, point)
    return [region.x + x, height - region.y - y]


def state() -> dict:
    """Places of the bones, and the status."""
    scene = bpy.context.scene
    bpy.context.view_layer.update()
    lowest = min(
        (ob.matrix_world @ corner).z
        for ob in map(shape, range(COUNT))
        for corner in (vertex.co for vertex in ob.data.vertices)
    )
    animation = bpy.data.objects["Rig"].animation_data
    return {
        "status": scene.ves.pose_status,
        "middles": [list(middle(i)) for i in range(COUNT)],
        "lowest": lowest,
        "keyed": animation is not None and animation.action is not None,
    }
