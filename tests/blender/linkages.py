# SPDX-License-Identifier: GPL-3.0-or-later
"""Small mechanisms that several tests bake: a pendulum, a chain, a car that drags cans."""

from __future__ import annotations

import bpy
import numpy as np
from virtual_erector_set.scene.bake.bake import BakeResult, bake, run_to_end

from tests.blender.making import box


def body(name: str, position=(0, 0, 0), size=(1, 1, 1), motion: str = "DYNAMIC") -> bpy.types.Object:
    """A box that is a body."""
    ob = box(name, position, size)
    ob.ves.role, ob.ves.motion = "BODY", motion
    return ob


def joint(
    name: str, position, parent: bpy.types.Object | None, child: bpy.types.Object, kind: str = "SPHERICAL"
) -> bpy.types.Object:
    """A joint at a point; no parent means the world."""
    empty = part(name, "JOINT", position)
    empty.ves.joint_type = kind
    empty.ves.body_a, empty.ves.body_b = parent, child
    empty.ves.to_world = parent is None
    return empty


def part(name: str, role: str, position=(0, 0, 0)) -> bpy.types.Object:
    """An Empty that plays a part in the mechanism."""
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = position
    empty.ves.role = role
    bpy.context.view_layer.update()
    return empty


def wheels(second: str = "REVOLUTE", offset: float = 0.6) -> list[bpy.types.Object]:
    """Two wheels (boxes) that turn on the world, about Z, 0.4 m and 0.8 m across their corners; or a slider along Y."""
    sizes = [0.4 / np.sqrt(2.0), 0.8 / np.sqrt(2.0)]
    made = [body(f"wheel {i}", (offset * i, 0, 0), (size, size, 0.1)) for i, size in enumerate(sizes)]
    joint("axle 0", (0, 0, 0), None, made[0], "REVOLUTE")
    axle = joint("axle 1", (offset, 0, 0), None, made[1], second)
    if second == "PRISMATIC":
        axle.rotation_euler.x = -0.5 * np.pi
    bpy.context.view_layer.update()
    return made


def chain(links: int = 3, frames: int = 24) -> list[bpy.types.Object]:
    """A chain of rods along X with its first end on the world's origin, 1 m a link."""
    rods = [body(f"rod {i}", (i + 0.5, 0, 0), (0.9, 0.1, 0.1)) for i in range(links)]
    for i, rod in enumerate(rods):
        joint(f"joint {i}", (i, 0, 0), rods[i - 1] if i else None, rod)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    return rods


def car_with_cans(cans: int = 2, frames: int = 24) -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """A keyed car on an animated course and cans on ball joints behind it."""
    car = body("car", (0, 0, 0), (2, 1, 0.5), "KEYED")
    for frame, place, turn in ((1, (0, 0, 0), 0.0), (frames // 2, (4, 1, 0), 0.8), (frames, (6, 5, 0), 1.6)):
        car.location, car.rotation_euler.z = place, turn
        car.keyframe_insert("location", frame=frame)
        car.keyframe_insert("rotation_euler", frame=frame)
    trail = [body(f"can {i}", (-1.5 - i, 0, 0), (0.5, 0.3, 0.3)) for i in range(cans)]
    for i, can in enumerate(trail):
        joint(f"wire {i}", (-1.0 - i, 0, 0), trail[i - 1] if i else car, can)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.frame_set(1)
    return car, trail


def world_matrices(ob: bpy.types.Object, frames: range | list[float]) -> np.ndarray:
    """The object's world matrix at each frame (T, 4, 4)."""
    scene = bpy.context.scene
    matrices = []
    for frame in frames:
        scene.frame_set(int(np.floor(frame)), subframe=float(frame % 1))
        matrices.append(np.array(ob.matrix_world))
    return np.array(matrices)


def keys_of(ob: bpy.types.Object) -> dict[tuple[str, int], bytes]:
    """All keyframes of the object, bit by bit."""
    animation = ob.animation_data
    bag = animation.action.layers[0].strips[0].channelbag(animation.action_slot)
    keys = {}
    for curve in bag.fcurves:
        points = np.empty(6 * len(curve.keyframe_points), dtype=np.float32)
        for i, name in enumerate(("co", "handle_left", "handle_right")):
            curve.keyframe_points.foreach_get(name, points[2 * i * len(points) // 6 : 2 * (i + 1) * len(points) // 6])
        keys[curve.data_path, curve.array_index] = points.tobytes()
    return keys


def baked_result(frames=None) -> BakeResult:
    """Bake without the operator."""
    return run_to_end(bake(bpy.context.scene, bpy.context.view_layer, frames))


def scene_state() -> tuple:
    """The state that Esc and errors must not change."""
    scene = bpy.context.scene
    return (
        scene.frame_current,
        scene.frame_subframe,
        sorted(action.name for action in bpy.data.actions),
        [
            (
                ob.name,
                ob.select_get(),
                ob.animation_data.action if ob.animation_data else None,
                tuple(ob.location),
                tuple(ob.rotation_euler),
                ob.rotation_mode,
                ob.ves.is_baked,
                ob.ves.kept_action,
            )
            for ob in scene.objects
        ],
        len(bpy.data.objects),
        len(bpy.data.meshes),
        len(bpy.data.curves),
    )
