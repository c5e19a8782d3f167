# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdolls that are timed inside Blender: `python -m benchmarks.blender_ragdolls [COUNT ... | rest]` prints a table.

Rigs of sixteen bones, alike but for their heights and turned all ways, stand in rows and fall on the ground for
FRAMES frames: once baked, once as Play shows them. Processor time; what is compiled or loaded once is so before.
With `rest`: the accelerations of one that falls, lies and comes to rest, from step to step at 240 a second.
"""

import math
import sys
import time

import bpy
import numpy as np
from mathutils import Matrix

from .blender_scenes import load_extension

FRAMES, APART = 48, 2.5  # m
SECONDS, LOOKS = 10, 240.0  # of one that comes to rest; looks a second
COUNTS = (1, 5, 20, 100)
SPINE = {
    "hips": (None, (0, 0, 1.0), (0, 0, 1.15)),
    "belly": ("hips", (0, 0, 1.15), (0, 0, 1.3)),
    "chest": ("belly", (0, 0, 1.3), (0, 0, 1.5)),
    "head": ("chest", (0, 0, 1.55), (0, 0, 1.8)),
}
SIDE = {
    "upper arm": ("chest", (0.2, 0, 1.45), (0.46, 0, 1.45)),
    "forearm": ("upper arm", (0.46, 0, 1.45), (0.72, 0, 1.45)),
    "hand": ("forearm", (0.72, 0, 1.45), (0.82, 0, 1.45)),
    "thigh": ("hips", (0.1, 0, 0.98), (0.1, 0, 0.53)),
    "shin": ("thigh", (0.1, 0, 0.53), (0.1, 0, 0.1)),
    "foot": ("shin", (0.1, 0, 0.1), (0.1, -0.16, 0.03)),
}


def add_model() -> bpy.types.Object:
    """A human of sixteen bones."""
    data = bpy.data.armatures.new("Rig 0")
    rig = bpy.data.objects.new(data.name, data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bones = dict(SPINE)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for name, (above, *ends) in SIDE.items():
            above = above if above in SPINE else f"{above}.{side}"
            bones[f"{name}.{side}"] = (above, *((sign * x, y, z) for x, y, z in ends))
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (above, head, tail) in bones.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[above] if above else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def build(count: int) -> float:
    """So many ragdolls in an empty file; returns the seconds that the button took, pressed once for all of them."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    rows, model = math.ceil(math.sqrt(count)), add_model()
    for number in range(count):
        row, column = divmod(number, rows)
        lift = Matrix.Translation((APART * column, APART * row, 0.3 + 0.05 * (number % 7)))
        rig = model if number == 0 else bpy.data.objects.new(f"Rig {number}", model.data.copy())
        rig.matrix_world = lift @ Matrix.Rotation(0.7 * number, 4, "Z")
        if number:
            scene.collection.objects.link(rig)
        rig.select_set(True)
    bpy.context.view_layer.update()
    begun = time.process_time()
    bpy.ops.ves.ragdoll()
    return time.process_time() - begun


def baked() -> tuple[float, float]:
    """(all of a bake, its simulation alone) in seconds."""
    from virtual_erector_set.scene.bake.bake import bake

    steps, simulating, begun, what = bake(bpy.context.scene, bpy.context.view_layer), 0.0, time.process_time(), ""
    before = begun
    for progress in steps:
        now = time.process_time()
        simulating += now - before if what == "Simulating" else 0.0
        what, before = progress.text.split()[0], now
    return time.process_time() - begun, simulating


def played() -> tuple[float, float]:
    """(median, longest) seconds of a frame of Play."""
    from virtual_erector_set.scene.play.play import Play

    now = [0.0]
    play = Play(bpy.context.scene, bpy.context.view_layer, clock=lambda: now[0], budget=math.inf)
    steps, found = play.steps(), []
    while not play.is_running:
        next(steps)
    for _ in range(FRAMES - 1):
        begun = time.process_time()
        for _ in range(2):
            now[0] += 0.5 / 24.0
            next(steps)
        found.append(time.process_time() - begun)
    steps.close()
    return float(np.median(found)), max(found)


def print_rest() -> None:
    """Largest accelerations of all bodies, second by second."""
    from virtual_erector_set.scene.bake.bake import options_of, read_scene, run_to_end
    from virtual_erector_set.solver import simulate

    build(1)
    scene = bpy.context.scene
    scene.frame_end = 24 * SECONDS
    reading = run_to_end(read_scene(scene, bpy.context.view_layer))
    options = options_of(scene) | {"between": 0}
    recording = simulate(reading.mechanism, float(SECONDS), LOOKS, **options)
    acceleration = np.linalg.norm(np.diff(recording.linear_velocity, axis=0) * LOOKS, axis=2)
    speed = np.linalg.norm(recording.linear_velocity, axis=2)
    print("second  largest acceleration, m/s2  largest speed, m/s")
    for second in range(SECONDS):
        part = slice(int(LOOKS * second), int(LOOKS * (second + 1)))
        print(f"{second + 1}  {acceleration[part].max():.2g}  {speed[part].max():.2g}")


def main() -> None:
    load_extension().register()
    if sys.argv[1:] == ["rest"]:
        print_rest()
        return
    build(1)
    played()
    baked()
    print("ragdolls  bodies  button, s  bake, ms a frame  simulation, ms a frame  Play, ms a frame  longest, ms")
    for count in map(int, sys.argv[1:] or COUNTS):
        button = build(count)
        bodies = sum(ob.ves.role == "BODY" for ob in bpy.context.scene.objects)
        (frame, longest), (whole, simulation) = played(), baked()
        numbers = 1e3 * whole / FRAMES, 1e3 * simulation / FRAMES, 1e3 * frame, 1e3 * longest
        shown = "  ".join(f"{number:.3g}" for number in numbers)
        print(f"{count}  {bodies}  {button:.2g}  {shown}", flush=True)


if __name__ == "__main__":
    main()
