# SPDX-License-Identifier: GPL-3.0-or-later
"""A .blend as a version of the extension saves it, and its mechanism: what later versions must still open.

usage: python -m tests.blender.saved.make NAME      writes NAME.blend and NAME.json beside this file

To be run in the clone of that version, in the oldest Blender, whose files all others read. Only properties and
operators are used, so that it runs in any version.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import bpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def load_extension() -> ModuleType:
    """As in `conftest`."""
    spec = importlib.util.spec_from_file_location(
        "virtual_erector_set", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["virtual_erector_set"] = module
    spec.loader.exec_module(module)
    module.register()
    return module


def box(name: str, position: tuple, size: tuple, motion: str) -> bpy.types.Object:
    """A box that is a body."""
    x, y, z = (0.5 * side for side in size)
    corners = [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    ob = bpy.data.objects.new(name, mesh)
    ob.location = position
    bpy.context.scene.collection.objects.link(ob)
    ob.ves.role, ob.ves.motion = "BODY", motion
    return ob


def part(name: str, role: str, position: tuple, a=None, b=None, turn: tuple = (0, 0, 0), **settings) -> None:
    """An Empty that plays a part between two bodies."""
    empty = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location, empty.rotation_euler = position, turn
    empty.ves.role, empty.ves.body_a, empty.ves.body_b = role, a, b
    for key, value in settings.items():
        setattr(empty.ves, key, value)


def build() -> None:
    """A four-bar with a keyed crank and a pendulum on it, a spring, a nail, and a ball that falls on a floor."""
    flat = (-1.5707963, 0.0, 0.0)  # hinges about Y
    post = box("post", (0, 0, 2), (0.1, 0.3, 0.1), "FIXED")
    crank = box("crank", (0.2, 0, 2), (0.4, 0.05, 0.05), "KEYED")
    crank.rotation_mode = "XYZ"
    for frame, x, z, angle in ((1, 0.2, 2.0, 0.0), (25, 0.1732, 1.9, 0.5236)):
        crank.location, crank.rotation_euler = (x, 0, z), (0, angle, 0)
        crank.keyframe_insert("location", frame=frame)
        crank.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    rod = box("rod", (0.9, 0.1, 2), (1.0, 0.05, 0.05), "DYNAMIC")
    rocker = box("rocker", (1.4, 0.2, 2.4), (0.05, 0.05, 0.8), "DYNAMIC")
    rocker.rotation_mode = "QUATERNION"
    bob = box("bob", (0.9, 0.4, 1.5), (0.1, 0.1, 1.0), "DYNAMIC")
    bob.ves.mass_source, bob.ves.mass = "GIVEN", 2.5
    joints = {"joint_type": "REVOLUTE"}
    part("crank pin", "JOINT", (0.4, 0.05, 2), crank, rod, flat, **joints)
    part("rod pin", "JOINT", (1.4, 0.15, 2), rod, rocker, flat, **joints)
    part("rocker axle", "JOINT", (1.4, 0.2, 2.8), None, rocker, flat, to_world=True, **joints)
    part("hinge of the bob", "JOINT", (0.9, 0.25, 2), rod, bob, flat, **joints)
    part("spring", "FORCE", (0.9, 0.4, 1.0), bob, post, force_type="SPRING")
    part("swing", "NAIL", (3, 0, 2), box("lamp", (3, 0, 1.5), (0.2, 0.2, 1.0), "DYNAMIC"), None)
    ball = box("ball", (5, 0, 1), (0.4, 0.4, 0.4), "DYNAMIC")
    floor = box("floor", (5, 0, -0.1), (2, 2, 0.2), "FIXED")
    for ob in (ball, floor):
        ob.ves.collide = True
    bpy.context.scene.ves.use_contact = True
    bpy.context.scene.frame_end = 13
    bpy.context.view_layer.update()


def main(name: str) -> None:
    extension = load_extension()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build()
    bpy.ops.ves.export_mechanism(filepath=str(HERE / f"{name}.json"))
    bpy.ops.ves.bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(HERE / f"{name}.blend"), compress=True)
    extension.unregister()


if __name__ == "__main__":
    main(sys.argv[1])
