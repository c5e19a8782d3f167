# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside the Blender under test: what is modelled and animated before a walk begins, and what is seen
afterwards: a car with wires and cans, a door and its post, planks between two posts."""

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector


def new(frames):
    """An empty scene."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.batch_remove(bpy.data.objects[:])
    bpy.context.scene.ves.findings.clear()
    bpy.context.scene.ves.pop("ves_bake", None)
    bpy.context.scene.ves.use_contact = False
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, frames
    bpy.context.scene.frame_set(1)


def _box(name, place, size):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
    made = bpy.context.active_object
    made.name, made.scale = name, size
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    return made


def build_cans():
    """A car that drives on; behind it wires and cans by turns, end to end."""
    new(30)
    car = _box("Car", (0.0, 0.0, 0.5), (2.0, 1.0, 0.5))
    for frame, x in ((1, 0.0), (30, 3.0)):
        car.location.x = x
        car.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    for i in range(2):
        _box(f"Wire {i}", (-1.3 - 1.1 * i, 0.0, 0.4), (0.5, 0.05, 0.05))
        _box(f"Can {i}", (-1.85 - 1.1 * i, 0.0, 0.4), (0.5, 0.3, 0.3))
    _look((-1.0, 0.0, 0.5), 7.0)


def build_door():
    """A door beside its post, which is the thicker one."""
    new(30)
    _box("Post", (-0.7, 0.0, 1.1), (0.3, 0.3, 2.4))
    _box("Door", (0.0, 0.0, 1.0), (1.0, 0.05, 1.9))
    _look((0.0, 0.0, 1.0), 7.0)


def build_bridge():
    """Five planks that hang through between two posts, a little apart."""
    new(30)
    _box("Left Post", (-2.1, 0.0, 0.5), (0.3, 0.8, 1.6))
    _box("Right Post", (2.1, 0.0, 0.5), (0.3, 0.8, 1.6))
    for i in range(5):
        _box(f"Plank {i}", (-1.5 + 0.75 * i, 0.0, 0.4 + 0.06 * (i - 2) ** 2), (0.65, 0.7, 0.1))
    _look((0.0, 0.0, 0.5), 8.0)


def _look(place, distance):
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    region = bpy.context.area.spaces.active.region_3d
    region.view_perspective, region.view_location, region.view_distance = "PERSP", place, distance
    region.view_rotation = Matrix.Rotation(1.3, 4, "X").to_quaternion()
    bpy.ops.ed.undo_push(message="Model")


def on_screen(name, height):
    """A place low on an object, where no joint lies before it, in pixels from the upper left."""
    region, ob = bpy.context.region, bpy.data.objects[name]
    middle, low = sum(map(Vector, ob.bound_box), Vector()) / 8.0, min(corner[2] for corner in ob.bound_box)
    middle.z = 0.6 * low + 0.4 * middle.z
    x, y = location_3d_to_region_2d(region, region.data, ob.matrix_world @ middle)
    return [region.x + x, height - region.y - y]


def seen():
    """What there is now: parts, motions, findings, and where bodies are at the last frame."""
    scene, bodies = bpy.context.scene, [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY"]
    scene.frame_set(scene.frame_end)
    places = {ob.name: list(ob.matrix_world.translation) for ob in bodies}
    turns = {ob.name: list(ob.matrix_world.to_euler()) for ob in bodies}
    scene.frame_set(1)
    return {
        "joints": sorted(ob.name for ob in scene.objects if ob.ves.role == "JOINT"),
        "forces": sorted(ob.name for ob in scene.objects if ob.ves.role == "FORCE"),
        "motions": {ob.name: ob.ves.motion for ob in bodies},
        "baked": sorted(ob.name for ob in bodies if ob.ves.is_baked),
        "findings": [finding.text for finding in scene.ves.findings],
        "places": places,
        "turns": turns,
    }


def choose(*names):
    """Select just these; the last one is active."""
    bpy.context.view_layer.update()
    for ob in bpy.context.scene.objects:
        ob.select_set(ob.name in names)
    bpy.context.view_layer.objects.active = bpy.data.objects[names[-1]]


def tie_to_car():
    """A tie between the first wire and the car, whose ends are drawn together."""
    choose("Wire 0", "Car")
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    bpy.context.object.ves.catch_time = 0.1


def gap():
    """m: between the ends of the tie, or where there is none between wire and car."""
    ties = [ob for ob in bpy.context.scene.objects if ob.ves.role == "POINT_TO_POINT"]
    if ties:
        return (ties[0].matrix_world.translation - ties[0].ves.anchor_b.matrix_world.translation).length
    rear = bpy.data.objects["Car"].matrix_world @ Vector((-1.0, 0.0, 0.0))
    return (rear - bpy.data.objects["Wire 0"].matrix_world @ Vector((0.25, 0.0, 0.0))).length
