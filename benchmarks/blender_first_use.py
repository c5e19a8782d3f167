# SPDX-License-Identifier: GPL-3.0-or-later
"""First and second use of a feature in a new Blender: `python -m benchmarks.blender_first_use FEATURE` prints JSON."""

import json
import sys
import time
from collections.abc import Callable

import bpy

from . import blender_ragdolls
from .blender_scenes import build_ours, load_extension, new_scene

LINKS, STIFF, CAN = 20, 1e6, (0.033, 0.12)  # N m/rad; m: radius and length


def chain() -> None:
    build_ours(new_scene(LINKS), 1.0)


def stiff() -> None:
    chain()
    for ob in bpy.context.scene.objects:
        if ob.ves.role == "JOINT":
            ob.ves.stiffness[0], ob.ves.damping[0] = STIFF, 1e-3 * STIFF


def loop() -> None:
    """The last link is nailed where it is."""
    boxes = new_scene(LINKS)
    build_ours(boxes, 1.0)
    bpy.ops.object.select_all(action="DESELECT")
    boxes[-1].select_set(True)
    bpy.context.view_layer.objects.active = boxes[-1]
    bpy.ops.ves.add_nail()
    boxes[-1].location.x -= 0.01


def cans() -> None:
    """Eight linked cans that fall on the ground."""
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    for k in range(8):
        bpy.ops.mesh.primitive_cylinder_add(radius=CAN[0], depth=CAN[1], location=(0.16 * k, 0.0, 0.4 + 0.03 * k))
        bpy.context.object.rotation_euler = 0.3, 0.5 * k, 0.2
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.ves.chain()
    bpy.context.scene.ves.use_contact, bpy.context.scene.frame_end = True, 96


def bake() -> None:
    bpy.ops.ves.bake()


def check() -> None:
    bpy.ops.ves.check()


FEATURES: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
    "bake": (chain, bake),
    "stiff": (stiff, bake),
    "loop": (loop, bake),
    "contact": (cans, bake),
    "check": (chain, check),
    "ragdoll": (lambda: blender_ragdolls.build(1), bake),
    "play": (lambda: blender_ragdolls.build(1), blender_ragdolls.played),
}
"""What is built, and what is timed."""


def _use(feature: str) -> dict[str, float]:
    begun = time.perf_counter()
    load_extension().register()
    times = {"enabled": time.perf_counter() - begun}
    build, use = FEATURES[feature]
    for name in ("first", "second"):
        build()
        begun = time.perf_counter()
        use()
        times[name] = time.perf_counter() - begun
    return times


if __name__ == "__main__":
    print(json.dumps(_use(sys.argv[1])))
