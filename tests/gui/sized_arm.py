# SPDX-License-Identifier: GPL-3.0-or-later
"""The left forearm of the rig in limited_arm.py, seen from the front, its shape with handles.

Runs inside Blender, after limited_arm.py, as the beginning of a question to a window.
"""

import bpy
from bl_ext.user_default.virtual_erector_set.operators.handles.size_handles import VES_GGT_sizes
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Euler, Vector

PARTS = "size_source", "shape_radius", "shape_length"


def arms() -> list:
    bodies = [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY"]
    return [next(ob for ob in bodies if ob.parent_bone == f"forearm.{side}") for side in "LR"]


def show_arm() -> None:
    """From before and above, with the panel Collide."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    settings = bpy.context.scene.ves
    settings.show_sizes, settings.use_contact, settings.show_limits = True, True, False
    view = bpy.context.area.spaces.active.region_3d
    view.view_perspective, view.view_rotation = "ORTHO", Euler((1.1, 0.0, 0.35)).to_quaternion()
    view.view_location, view.view_distance = Vector(arms()[0].matrix_world.translation), 1.0


def sizes() -> dict:
    """Of both arms, and where the handles are on the screen, in pixels from the upper left."""
    bpy.context.view_layer.update()
    area, region = bpy.context.area, next(r for r in bpy.context.area.regions if r.type == "WINDOW")
    height, found = bpy.context.window.height, {}
    for grip in VES_GGT_sizes.grips(bpy.context):
        spots = [grip.place()]
        if grip.at.along is not None:
            spots.append(spots[0] + 0.05 * Vector(grip.of.turn @ grip.at.along))
        spots = [location_3d_to_region_2d(region, area.spaces.active.region_3d, spot) for spot in spots]
        found[grip.at.name] = [[region.x + spot.x, height - region.y - spot.y] for spot in spots]
    return {"arms": [[getattr(arm.ves, name) for name in PARTS] for arm in arms()], "at": found}
