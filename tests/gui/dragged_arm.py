# SPDX-License-Identifier: GPL-3.0-or-later
"""An arm of three bars on a pedestal, which droops; a jet in its hand, and a button for that.

Runs inside Blender, as the beginning of a question to a window.
"""

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

BARS = ("upper arm", "forearm", "hand")
COLOURS = ((0.9, 0.35, 0.1, 1.0), (0.15, 0.5, 0.8, 1.0), (0.3, 0.65, 0.25, 1.0))
LENGTH = 1.0


def build() -> None:
    """Hinges about Y at shoulder, elbow and wrist, all with a little friction."""
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.context.scene.frame_end = 100
    pedestal = add("pedestal", (0.0, 0.0, 1.0), (0.4, 0.4, 2.0), (0.35, 0.35, 0.4, 1.0))
    bars = [
        add(name, (LENGTH * (i + 0.5), 0.0, 2.0), (LENGTH, 0.16, 0.16), colour)
        for i, (name, colour) in enumerate(zip(BARS, COLOURS, strict=True))
    ]
    select(pedestal, *bars)
    bpy.ops.ves.add_body()
    pedestal.ves.motion = "FIXED"
    for i, bar in enumerate(bars):
        bpy.context.scene.cursor.location = (LENGTH * i, 0.0, 2.0)
        select(bar, bars[i - 1] if i else pedestal)
        bpy.ops.ves.add_joint(type="REVOLUTE", location="CURSOR", axis="Y")
        bpy.context.object.ves.damping[0] = 8.0
        bpy.context.object.name = ("shoulder", "elbow", "wrist")[i]
    select(bars[2])
    bpy.ops.ves.add_force(type="MOTOR", axis="Z")
    jet = bpy.context.object
    jet.name, jet.ves.enabled = "jet", False
    bpy.ops.ves.add_action_button(preset="TOGGLE", label="Jet")
    select(bpy.data.objects["wrist"])
    bpy.ops.ves.add_action_button(preset="RELEASE", label="Cut Wrist")
    select()


def add(name: str, place: tuple, size: tuple, colour: tuple) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place, scale=size)
    made = bpy.context.object
    made.name, made.color = name, colour
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    return made


def select(*objects: bpy.types.Object) -> None:
    """The last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for ob in objects:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1] if objects else None


def show(tilt: float = 1.4, place: tuple = (0.8, 0.0, 1.6), distance: float = 8.0) -> None:
    """Look at all of it from the front, in its colours."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    space = bpy.context.area.spaces.active
    space.shading.color_type = "OBJECT"
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_rotation = Matrix.Rotation(tilt, 4, "X").to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = place, distance


def on_screen(point: Vector, height: int) -> list[float]:
    """The place of a point on the screen, in pixels from the upper left."""
    region = bpy.context.region
    x, y = location_3d_to_region_2d(region, region.data, point)
    return [region.x + x, height - region.y - y]


def hand() -> Vector:
    """The place of the hand now."""
    return bpy.data.objects["hand"].matrix_world.translation


def state() -> dict:
    """All that a run may have left."""
    scene = bpy.context.scene
    return {
        "status": scene.ves.play_status,
        "actions": [[entry.frame, entry.target.name, bool(entry.drag)] for entry in scene.ves.recorded_actions],
        "baked": sorted(ob.name for ob in scene.objects if ob.ves.is_baked),
        "poses": [[x for row in ob.matrix_world for x in row] for ob in scene.objects],
        "frame": scene.frame_current,
    }
