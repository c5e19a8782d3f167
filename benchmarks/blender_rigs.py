# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of makers' structures as ragdolls, inside Blender: `python -m benchmarks.blender_rigs [FRAMES [KEYS [FALLS]]]`.

A table is printed. Each falls on the ground. Told are clock times of the button and the bake, and the largest errors of
all frames between the poses that the rig shows and those of the physics: of the bones that bodies move, and of those
that deform there, by place and direction (a rig of controls shares their twist out itself). KEYS is what *Keys On*
says: FK (without it), IK, STANDS or NONE. With FALLS those that are Rigify's or have IK fall so often instead, from
1.5 m and turned at random, a line for each.
"""

import random
import sys
import time
from collections.abc import Callable

import bpy
from mathutils import Euler, Matrix

from tests.blender.conftest import load_extension

FRAMES = 250


def main() -> None:
    load_extension().register()
    from tests.blender import rigs

    frames = int(sys.argv[1]) if len(sys.argv) > 1 else FRAMES
    keyed_on = sys.argv[2] if len(sys.argv) > 2 else "FK"
    falls = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    print(
        "| rig | bones | bodies | **Ragdoll**, s | bake, s | moved bones, mm / degrees | deforming ones, mm / degrees |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, make in list(rigs.STRUCTURES.items())[: 3 if falls else None]:
        for seed in range(falls) if falls else [None]:
            _fall(name, make, frames, keyed_on, seed)


def _fall(name: str, make: Callable[[], bpy.types.Object], frames: int, keyed_on: str, seed: int | None) -> None:
    """Print the line of a rig that falls from half a metre, or with a seed from 1.5 m and turned at random."""
    from tests.blender import rigs
    from tests.blender.making import select

    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    rig = make()
    if seed is None:
        rig.matrix_world.translation.z += 0.5
    else:
        angles = [random.Random(f"{seed} {axis}").uniform(-3.0, 3.0) for axis in "XYZ"]
        about = Matrix.Translation((0.0, 0.0, 2.0)) @ Euler(angles).to_matrix().to_4x4()
        rig.matrix_world = about @ Matrix.Translation((0.0, 0.0, -1.0)) @ rig.matrix_world
    bpy.context.view_layer.update()
    select(rig)
    times = [time.perf_counter()]
    bpy.ops.ves.ragdoll(keyed_on=keyed_on)
    times.append(time.perf_counter())
    solved = rigs.solved_poses(scene, bpy.context.view_layer)
    times.append(time.perf_counter())
    place, turn, deformed, twisted = rigs.largest_errors(solved)
    errors = f"{1e3 * place:.2g} / {turn:.2g} | {1e3 * deformed:.2g} / {twisted:.2g}"
    took = f"{times[1] - times[0]:.2g} | {times[2] - times[1]:.3g}"
    print(f"| {name} | {len(rig.data.bones)} | {len(solved[0])} | {took} | {errors} |", flush=True)


if __name__ == "__main__":
    main()
