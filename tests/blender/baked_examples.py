# SPDX-License-Identifier: GPL-3.0-or-later
"""Common to tests of the examples: baking them, and where their objects are shown."""

import importlib

import bpy
import numpy as np
from mathutils import Vector

from examples import scenarios

DEEP = 1e-3  # metres: the farthest that anything may sink into what it lies on
ROUNDING = 5e-6  # metres: single precision, in what Blender shows of places about a metre away


def build(name: str, frames: int | None = None) -> bpy.types.Scene:
    """Fill the empty file with a scene of so many frames, or of all that are its own."""
    if name in scenarios.SCENES:
        scenarios.build(name, frames)
    else:
        scenes = importlib.import_module(f"examples.{name}")
        scenes.build(frames or scenes.FRAMES)
    return bpy.context.scene


def bake(name: str) -> bpy.types.Scene:
    """Build a scene and bake all of it."""
    scene = build(name)
    assert bpy.ops.ves.bake() == {"FINISHED"}
    return scene


def shown(scene: bpy.types.Scene, frame: int, name: str, point: tuple[float, ...] = (0.0, 0.0, 0.0)) -> Vector:
    """The place of an object's point at a frame."""
    scene.frame_set(frame)
    return scene.objects[name].matrix_world @ Vector(point)


def corners(scene: bpy.types.Scene, name: str) -> np.ndarray:
    """The places of an object's vertices (N, 3) at the frame that is shown."""
    ob = scene.objects[name]
    points = np.empty(3 * len(ob.data.vertices), np.float32)
    ob.data.vertices.foreach_get("co", points)
    matrix = np.array(ob.matrix_world)
    return points.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def heights_of_up(scene: bpy.types.Scene, names: list[str], frame: int) -> np.ndarray:
    """World Z of each object's own Z axis: 1 for what stands upright."""
    scene.frame_set(frame)
    return np.array([scene.objects[name].matrix_world[2][2] for name in names])
