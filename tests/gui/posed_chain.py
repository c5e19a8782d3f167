# SPDX-License-Identifier: GPL-3.0-or-later
"""A millipede of a hundred links, seen from above.

Runs inside Blender, as the beginning of a question to a window.
"""

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

HEAD = "Segment 1"


def build() -> None:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.context.scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.ops.ves.add_example(kind="MILLIPEDE", links=104)


def show() -> None:
    """Look at the head from above, in the colours of the materials."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    space = bpy.context.area.spaces.active
    space.shading.color_type = "MATERIAL"
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = Matrix.Rotation(0.5, 4, "X").to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = head().copy(), 1.2


def head() -> Vector:
    """The place of the head now."""
    return bpy.data.objects[HEAD].matrix_world.translation


def on_screen(point: Vector, height: int) -> list[float]:
    """The place of a point on the screen, in pixels from the upper left."""
    region = bpy.context.region
    x, y = location_3d_to_region_2d(region, region.data, point)
    return [region.x + x, height - region.y - y]


def largest_gap() -> float:
    """Between a joint and the place in its child where it was when all was built: the origin of a leg's link."""
    bpy.context.view_layer.update()
    hinges = [ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT" and ob.ves.body_b.name.startswith("Leg")]
    return max((tie.matrix_world.translation - tie.ves.body_b.matrix_world.translation).length for tie in hinges)


def state() -> dict:
    """All that a session may have left."""
    scene = bpy.context.scene
    return {
        "status": scene.ves.pose_status,
        "keyed": sum(ob.animation_data is not None for ob in scene.objects),
        "head": list(head()),
        "poses": [[x for row in ob.matrix_world for x in row] for ob in scene.objects],
    }
