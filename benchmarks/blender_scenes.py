# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that are timed inside Blender: `python -m benchmarks.blender_scenes TASK` prints one line of JSON.

A chain of boxes hangs level from a fixed one, hinged about parallel axes, and falls for 120 frames: once through this
extension's operators, once as Blender's own rigid bodies. Bodies, masses and hinges are the same, nothing collides.
"""

import importlib.util
import itertools
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "virtual_erector_set"
LINK, SIDES, MASS, FRAMES = 0.5, (0.45, 0.05, 0.05), 1.0, 120
REPEATS, SLOW_REPEATS = 5, 2
AXIS_Y = Matrix.Rotation(-np.pi / 2, 4, "X")  # a hinge's Z axis along the world's Y


def load_extension():
    """The clone as a package of its real name, as Blender would load it."""
    spec = importlib.util.spec_from_file_location(PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    module = importlib.util.module_from_spec(spec)
    sys.modules[PACKAGE] = module
    spec.loader.exec_module(module)
    return module


def new_scene(links: int) -> list[bpy.types.Object]:
    """An empty file with a fixed box and this many more in a row along X."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.mesh.primitive_cube_add(size=1.0, scale=SIDES)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    boxes = [bpy.context.object]
    for i in range(1, links + 1):
        boxes.append(boxes[0].copy())
        boxes[-1].data = boxes[0].data.copy()
        boxes[-1].location.x = i * LINK
        scene.collection.objects.link(boxes[-1])
    bpy.context.view_layer.update()
    return boxes


def hinge_points(links: int) -> list[Vector]:
    return [Vector(((i + 0.5) * LINK, 0.0, 0.0)) for i in range(links)]


def build_ours(boxes: list[bpy.types.Object], tip_mass: float) -> None:
    """Bodies and hinges by the operators that a person uses."""
    for box in boxes:
        box.select_set(True)
    bpy.context.view_layer.objects.active = boxes[0]
    bpy.ops.ves.add_body()
    for box in boxes:
        box.ves.mass_source, box.ves.mass = "GIVEN", MASS
    boxes[0].ves.motion, boxes[-1].ves.mass = "FIXED", tip_mass
    bpy.ops.ves.chain(type="REVOLUTE")
    joints = [ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT"]
    place = dict(zip(boxes[1:], hinge_points(len(boxes) - 1), strict=True))
    for joint in joints:
        joint.matrix_world = Matrix.Translation(place[joint.ves.body_b]) @ AXIS_Y
    bpy.context.view_layer.update()


def build_built_in(boxes: list[bpy.types.Object], tip_mass: float, quality: int | None) -> None:
    """The same as Blender's rigid bodies; `quality`: substeps per frame and solver iterations, None: the defaults."""
    scene = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    if quality is not None:
        world.substeps_per_frame = world.solver_iterations = quality
    world.point_cache.frame_start, world.point_cache.frame_end = 1, FRAMES
    for i, box in enumerate(boxes):
        bpy.context.view_layer.objects.active = box
        bpy.ops.rigidbody.object_add()
        body = box.rigid_body
        body.type, body.mass = ("PASSIVE" if i == 0 else "ACTIVE"), (tip_mass if box is boxes[-1] else MASS)
        body.linear_damping = body.angular_damping = 0.0
        body.use_deactivation = False
        body.collision_collections = [layer == i % 20 for layer in range(20)]
    for i, point in enumerate(hinge_points(len(boxes) - 1)):
        empty = bpy.data.objects.new(f"hinge {i}", None)
        scene.collection.objects.link(empty)
        empty.matrix_world = Matrix.Translation(point) @ AXIS_Y
        bpy.context.view_layer.objects.active = empty
        bpy.ops.rigidbody.constraint_add(type="HINGE")
        hinge = empty.rigid_body_constraint
        hinge.object1, hinge.object2, hinge.disable_collisions = boxes[i], boxes[i + 1], True
    bpy.context.view_layer.update()


def play() -> float:
    """Seconds of stepping through all frames, which makes the built-in simulate them."""
    begun = time.perf_counter()
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
    return time.perf_counter() - begun


def shown_gap(boxes: list[bpy.types.Object]) -> float:
    """The largest distance (m) of two links' hinge points over all frames, by the world matrices that Blender shows."""
    half, worst = Vector((0.5 * LINK, 0.0, 0.0)), 0.0
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        matrices = [box.evaluated_get(depsgraph).matrix_world for box in boxes]
        worst = max(worst, *(((a @ half) - (b @ -half)).length for a, b in itertools.pairwise(matrices)))
    return worst


def solved_gap(boxes: list[bpy.types.Object]) -> float:
    """The same in double precision: the scene is read and solved again, which gives the same bits as its bake."""
    from virtual_erector_set.scene.bake.bake import run_to_end
    from virtual_erector_set.scene.geometry.poses import rotations
    from virtual_erector_set.scene.read.scene import read_over_time
    from virtual_erector_set.solver import simulate

    bpy.ops.ves.clear_bake()
    reading = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer))
    recording = simulate(reading.mechanism, reading.duration, reading.frame_rate)
    number = {name: i for i, name in enumerate(recording.body_names)}
    position, turn = recording.position, rotations(recording.orientation)
    worst = 0.0
    for joint in reading.mechanism.joints:
        ends = []
        for i in (number[joint.parent], number[joint.child]):
            start = turn[0, i].T @ (np.array(joint.position) - position[0, i])
            ends.append(position[:, i] + turn[:, i] @ start)
        worst = max(worst, np.linalg.norm(ends[0] - ends[1], axis=1).max())
    return float(worst)


def chain(links: int, tip_mass: float) -> dict:
    """Seconds and gaps (m) of one chain; ours and theirs take turns, each from a fresh file; the finest fewer times."""
    times: dict[str, list[float]] = {"ours": [], "default": [], "fine": []}
    gaps: dict[str, float] = {}
    for repeat in range(REPEATS):
        boxes = new_scene(links)
        build_ours(boxes, tip_mass)
        begun = time.perf_counter()
        bpy.ops.ves.bake()
        times["ours"].append(time.perf_counter() - begun)
        if repeat == 0:
            gaps["ours"] = shown_gap(boxes)
            gaps["solved"] = solved_gap(boxes)
        for name, quality in (("default", None), ("fine", 50)):
            if name == "fine" and repeat >= SLOW_REPEATS:
                continue
            boxes = new_scene(links)
            build_built_in(boxes, tip_mass, quality)
            times[name].append(play())
            if repeat == 0:
                gaps[name] = shown_gap(boxes)
    return {"times": times, "gaps": gaps}


def keyframes(objects: int, frames: int, mode: str) -> dict:
    """Seconds of writing the solved poses of tumbling boxes as actions, in this rotation mode."""
    from virtual_erector_set.scene.bake.bake import run_to_end
    from virtual_erector_set.scene.bake.write_keyframes import assign_actions, build_actions
    from virtual_erector_set.scene.read.scene import read_over_time
    from virtual_erector_set.scene.read.solved import Solved

    times = []
    for _ in range(REPEATS):
        for box in new_scene(objects - 1):
            box.ves.role, box.rotation_mode = "BODY", mode
        reading = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer, (1, frames)))
        solved = Solved([read.body.name for read in reading.bodies], *tumbling(objects, frames))
        begun, made = time.perf_counter(), []
        run_to_end(build_actions(reading.bodies, solved, reading.first, made))
        assign_actions(made)
        times.append(time.perf_counter() - begun)
    return {"times": times}


def tumbling(objects: int, frames: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions (F, B, 3) that wander and orientations (F, B, 4) that turn several times."""
    rng = np.random.default_rng(3)
    angle = np.linspace(0.0, 20.0, frames)[:, None] * rng.uniform(0.5, 1.0, objects)
    axes = rng.normal(size=(objects, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    orientation = np.concatenate([np.cos(angle)[..., None], np.sin(angle)[..., None] * axes], axis=2)
    return np.cumsum(rng.normal(0.0, 0.1, (frames, objects, 3)), axis=0), orientation


def print_answer(task: Callable[..., dict], *numbers) -> None:
    """Run a task with the extension registered and its kernels compiled; what it has found is a line of JSON."""
    extension = load_extension()
    from virtual_erector_set.solver import use_cache, warm_up

    use_cache(ROOT / ".cache" / "numba")
    for _ in warm_up():
        pass
    extension.register()
    try:
        answer = task(*numbers)
    finally:
        extension.unregister()
    print("\n" + json.dumps({"version": bpy.app.version_string, **answer}))


def main() -> None:
    task, *numbers = sys.argv[1:]
    if task == "chain":
        print_answer(chain, int(numbers[0]), float(numbers[1]))
    else:
        print_answer(keyframes, int(numbers[0]), int(numbers[1]), numbers[2])


if __name__ == "__main__":
    main()
