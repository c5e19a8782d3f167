# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs inside the Blender under test: a chain of links, a door and its post, and what selects among them."""

import bpy


def build():
    """Plain meshes: five links in a row, a door and its post."""
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.batch_remove(bpy.data.objects[:])
    bpy.context.scene.ves.findings.clear()
    bpy.context.scene.ves.was_checked = False
    bpy.context.scene.ves.pop("ves_bake", None)
    for i in range(5):
        _box(f"Link {i + 1}", (0.5 * i - 2.0, 0.0, 3.0), (0.45, 0.1, 0.1))
    _box("Post", (-1.0, 2.0, 1.0), (0.1, 0.1, 2.0))
    _box("Door", (-0.4, 2.0, 1.0), (1.0, 0.05, 1.9))
    bpy.context.scene.frame_end = 60


def _box(name, place, size):
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
    made = bpy.context.active_object
    made.name, made.scale = name, size
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)


def select(*names):
    """Select these; the last one is active."""
    bpy.ops.object.select_all(action="DESELECT")
    for name in names:
        bpy.data.objects[name].select_set(True)
        bpy.context.view_layer.objects.active = bpy.data.objects[name]
    if not names:
        bpy.context.view_layer.objects.active = None
    bpy.ops.ed.undo_push(message="Select")


def links():
    return [f"Link {i + 1}" for i in range(5)][::-1]


def part(role):
    """The name of the first part of a role."""
    return next(ob.name for ob in bpy.context.scene.objects if ob.ves.role == role)


def chained():
    """The links are a chain that hangs on its first."""
    build()
    select(*links())
    bpy.ops.ves.chain()
    bpy.data.objects["Link 1"].ves.motion = "FIXED"


def move(name):
    bpy.data.objects[name].location.z += 0.1
