# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs of makers' structures as ragdolls, inside Blender: `python -m benchmarks.blender_rigs [FRAMES [KEYS]]`.

A table is printed. Each falls on the ground. Told are clock times of the button and the bake, and the largest errors of
all frames between the poses that the rig shows and those of the physics: of the bones that bodies move, and of those
that deform there, by place and direction (a rig of controls shares their twist out itself). KEYS is what *Keys On*
says: FK (without it), IK, STANDS or NONE.
"""

import sys
import time

import bpy

from tests.blender.conftest import load_extension

FRAMES = 250


def main() -> None:
    load_extension().register()
    from tests.blender import rigs
    from tests.blender.making import select

    print(
        "| rig | bones | bodies | **Ragdoll**, s | bake, s | moved bones, mm / degrees | deforming ones, mm / degrees |"
    )
    print("|---|---|---|---|---|---|---|")
    for name, make in rigs.STRUCTURES.items():
        bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, int(sys.argv[1]) if len(sys.argv) > 1 else FRAMES
        rig = make()
        rig.matrix_world.translation.z += 0.5
        bpy.context.view_layer.update()
        select(rig)
        times = [time.perf_counter()]
        bpy.ops.ves.ragdoll(keyed_on=sys.argv[2] if len(sys.argv) > 2 else "FK")
        times.append(time.perf_counter())
        solved = rigs.solved_poses(scene, bpy.context.view_layer)
        times.append(time.perf_counter())
        place, turn, deformed, twisted = rigs.largest_errors(solved)
        errors = f"{1e3 * place:.2g} / {turn:.2g} | {1e3 * deformed:.2g} / {twisted:.2g}"
        took = f"{times[1] - times[0]:.2g} | {times[2] - times[1]:.3g}"
        print(f"| {name} | {len(rig.data.bones)} | {len(solved[0])} | {took} | {errors} |", flush=True)


if __name__ == "__main__":
    main()
