# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside the Blender under test: what is modelled and animated before a walk begins, and what is seen
afterwards: a car with wires and cans, a door and its post, planks between two posts, an engine and an excavator."""

import math

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector


def new(frames):
    """An empty scene."""
    bpy.ops.object.select_all(action="DESELECT")
    if bpy.ops.ves.end_live.poll():
        bpy.ops.ves.end_live()
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


def build_piston():
    """A crank on its block, a rod and a piston, which overlap where their pins are to be."""
    new(48)
    _box("Block", (0.0, 0.4, -0.25), (0.5, 0.6, 1.0))
    _bar("Crank", (0.0, 0.0), (0.3, 0.4), 0.12, 0.3)
    _bar("Rod", (0.3, 0.4), (1.85, 0.0), 0.1, 0.1)
    _box("Piston", (1.85, 0.0, 0.0), (0.4, 0.4, 0.4))
    _look((0.9, 0.0, 0.1), 4.0)


def build_excavator():
    """A cab, boom, stick and bucket, and three cylinders of a barrel and a rod; all overlap where they are joined."""
    new(48)
    _box("Cab", (0.0, 0.0, 0.5), (2.4, 1.2, 1.0))
    _bar("Boom", (0.2, 1.0), (3.6, 3.2), 0.3, 0.3)
    _bar("Stick", (3.0, 3.7), (5.2, 1.4), 0.25, 0.25)
    _bar("Bucket", (5.4, 1.9), (5.0, 0.7), 0.35, 0.6)
    for name, start, end in (
        ("Lift", (1.1, 0.9), (1.9, 2.0)),
        ("Reach", (1.6, 2.1), (3.1, 3.6)),
        ("Curl", (4.0, 2.9), (5.4, 1.85)),
    ):
        there = [0.58 * b + 0.42 * a for a, b in zip(start, end, strict=True)]
        here = [0.42 * b + 0.58 * a for a, b in zip(start, end, strict=True)]
        _bar(f"{name} Barrel", start, there, 0.16, 0.16)
        _bar(f"{name} Rod", here, end, 0.09, 0.09)
    _look((2.6, 0.0, 1.8), 11.0)


def _bar(name, start, end, width, depth):
    """A bar between two points of the plane X Z, which reaches a little beyond both."""
    way = (end[0] - start[0], end[1] - start[1])
    bar = _box(
        name, (0.5 * (start[0] + end[0]), 0.0, 0.5 * (start[1] + end[1])), (math.hypot(*way) + width, depth, width)
    )
    bar.rotation_euler.y = -math.atan2(way[1], way[0])
    bpy.context.view_layer.update()


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


def live():
    """The live linkages as they are told, their drives, and the places of the bodies."""
    scene = bpy.context.scene
    bpy.context.view_layer.update()
    return {
        "mobility": scene.ves.live_mobility,
        "status": scene.ves.live_status,
        "angles": {ob.name: ob.ves.drive_angle for ob in scene.objects if ob.ves.is_drive},
        "travels": {ob.name: ob.ves.drive_travel for ob in scene.objects if ob.ves.is_drive},
        "places": {ob.name: list(ob.matrix_world.translation) for ob in scene.objects if ob.ves.role == "BODY"},
        "joints": {ob.name: list(ob.matrix_world.translation) for ob in scene.objects if ob.ves.role == "JOINT"},
        "selected": [ob.name for ob in bpy.context.selected_objects],
    }


def joint_on_screen(name, height):
    """The place of a joint, and of points a tenth of a metre along its X, Y and Z, in pixels from the upper left."""
    region, ob = bpy.context.region, bpy.data.objects[name]
    points = [ob.matrix_world @ (0.1 * Vector(axis)) for axis in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1))]
    seen = [location_3d_to_region_2d(region, region.data, point) for point in points]
    return [[region.x + x, height - region.y - y] for x, y in seen]
