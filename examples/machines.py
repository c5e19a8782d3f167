# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines of Add > Erector Set > Examples, live, in four poses each, on one contact sheet in artefacts/demo.

usage: python -m examples.machines [KIND ...]      in an environment that has bpy; only these are rendered anew
"""

from __future__ import annotations

import shutil
import sys

import bpy
import numpy as np
from mathutils import Vector

from .camera import add_camera
from .extension import ROOT, extension
from .pictures import contact_sheet, render_frames
from .render import quietly

FOLDER = ROOT / "artefacts" / "demo" / "machines"
QUALITY = (480, 270, 12)
HINGE, SLIDE = "ves.drive_angle", "ves.drive_travel"
MOVES = {
    "LOCOMOTIVE": ((-0.25, -1.0, 0.14), (0.0, 2.1, 4.2, 5.6), {"Reversing": (0.0, 0.3, 0.3, -0.3)}, 1.0),
    "LANDING_GEAR": ((0.55, -1.0, 0.22), (0.0, 0.075, 0.125, 0.25), {}, 1.0),
    "UMBRELLA": ((0.5, -1.0, 0.18), (-0.20, -0.12, 0.0, 0.12), {}, 1.0),
    "CAR": ((0.0, 0.0, 0.0), (1, 70, 120, 190), {}, 1.0),
    "DRAWING": ((0.1, -0.55, 0.9), (0.0, 1.3, 2.6, 4.4), {}, 0.95),
    "KLANN": ((0.35, -1.0, 0.16), (0.0, 1.57, 3.14, 4.71), {}, 1.0),
    "IRIS": ((0.2, -1.0, 0.1), (-0.105, -0.03, 0.04, 0.105), {}, 1.0),
    "HAND": (
        (-0.5, -1.0, 0.25),
        (0.2, -0.45, -0.9, -1.35),
        {"Thumb": (0.2, 0.1, -0.3, -0.7), "Index": (0.2, 0.1, 0.0, -1.3)},
        1.0,
    ),
}
"""From where each is seen, its drives' values in four poses, those of drives with a word in their names, how near."""


def main() -> None:
    asked, pictures = sys.argv[1:] or list(MOVES), []
    with extension():
        for kind in MOVES:
            if kind in asked:
                with quietly():
                    _render(kind)
            pictures += sorted((FOLDER / kind.lower()).glob("*.png"))
    target = FOLDER.parent / "machines.jpg"
    contact_sheet(pictures, 4, target)
    print(f"Contact sheet: {target.relative_to(ROOT)}")


def _render(kind: str) -> None:
    """Four pictures of one machine."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene, (way, values, others, near) = bpy.context.scene, MOVES[kind]
    bpy.ops.ves.add_example(kind=kind)
    bodies = [ob for ob in scene.objects if ob.ves.role == "BODY"]
    if kind == "CAR":
        frames = list(values)
    else:
        frames = [1, 2, 3, 4]
        for joint in (ob for ob in scene.objects if ob.ves.is_drive):
            own = next((each for word, each in others.items() if word in joint.name), values)
            path = HINGE if joint.ves.joint_type == "REVOLUTE" else SLIDE
            for frame, value in zip(frames, own, strict=True):
                setattr(joint.ves, path.removeprefix("ves."), value)
                joint.keyframe_insert(path, frame=frame)
        scene.frame_set(1)
    bpy.ops.object.select_all(action="DESELECT")
    scene.frame_set(1)
    bpy.ops.ves.make_live()
    corners = []
    for frame in frames:
        scene.frame_set(frame)
        corners += [ob.matrix_world @ Vector(corner) for ob in bodies for corner in ob.bound_box]
    places = np.array(corners)
    if kind == "CAR":
        _chase(scene)
    else:
        middle, size = 0.5 * (places.min(axis=0) + places.max(axis=0)), np.ptp(places, axis=0)
        away = 2.05 * near * max(float(np.hypot(size[0], size[1])), 1.75 * float(size[2]))
        place = middle + away * np.array(way) / np.linalg.norm(way)
        add_camera(place, middle, 62.0)
    _light(scene, places)
    for ob in scene.objects:
        if ob.type == "EMPTY":
            ob.hide_render = True
    shutil.rmtree(FOLDER / kind.lower(), ignore_errors=True)
    render_frames(scene, FOLDER / kind.lower(), frames, QUALITY, lambda done: None)


def _chase(scene: bpy.types.Scene) -> None:
    """A camera that goes along with the car."""
    chassis = next(ob for ob in scene.objects if ob.ves.motion == "KEYED")
    camera = add_camera((6.2, -3.6, 2.3), (1.1, 0.0, 0.25), 55.0)
    camera.parent = chassis


def _light(scene: bpy.types.Scene, places: np.ndarray) -> None:
    """A sun, a bright sky, and a floor below everything."""
    world = bpy.data.worlds.new("Sky")
    if world.node_tree is None:
        world.use_nodes = True
    world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.85, 1.0, 1.0)
    world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.7
    scene.world = world
    sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    sun.data.energy, sun.data.angle = 3.0, 0.1
    sun.rotation_euler = (0.75, 0.25, 0.5)
    scene.collection.objects.link(sun)
    size, low = 60.0 * float(np.ptp(places, axis=0).max()), float(places[:, 2].min())
    mesh = bpy.data.meshes.new("Floor")
    mesh.from_pydata(
        [(x * size, y * size, low - 0.004) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))], [], [(0, 1, 2, 3)]
    )
    paint = bpy.data.materials.new("Floor")
    paint.diffuse_color = (0.5, 0.5, 0.5, 1.0)
    if paint.node_tree is None:
        paint.use_nodes = True
    paint.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.32, 0.31, 0.29, 1.0)
    mesh.materials.append(paint)
    scene.collection.objects.link(bpy.data.objects.new("Floor", mesh))


if __name__ == "__main__":
    main()
