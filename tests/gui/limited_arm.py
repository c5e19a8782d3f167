# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's rig made a ragdoll, its left forearm selected in Pose Mode, seen from where the elbow's arc is open.

Runs inside Blender, as the beginning of a question to a window.
"""

import bpy
from bl_ext.user_default.virtual_erector_set.operators.handles.limit_handles import handles
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector


def build() -> None:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.ves.ragdoll()
    rig = next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE")
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="DESELECT")
    bone = rig.pose.bones["forearm.L"]
    (bone if hasattr(bone, "select") else bone.bone).select = True
    rig.data.bones.active = bone.bone
    bpy.context.scene.ves.pose_mirror = True


def show() -> None:
    """Look along the elbow's axis."""
    bpy.context.preferences.system.viewport_aa = "OFF"  # a software renderer draws several times as fast
    joint, stops, _ = handles(bpy.context)[0]
    view = bpy.context.area.spaces.active.region_3d
    view.view_perspective = "ORTHO"
    view.view_rotation = stops.along.to_track_quat("Z", "Y")
    view.view_location, view.view_distance = Vector(joint.matrix_world.translation), 1.2


def limits() -> dict:
    """Values and places on the screen, in pixels from the upper left; those of the right elbow too."""
    area, region = bpy.context.area, next(r for r in bpy.context.area.regions if r.type == "WINDOW")
    height, found = bpy.context.window.height, {}
    for _, stops, side in handles(bpy.context):
        spot = location_3d_to_region_2d(region, area.spaces.active.region_3d, stops.point(getattr(stops, side)))
        found[side] = {"value": getattr(stops, side), "at": [region.x + spot.x, height - region.y - spot.y]}
    other = next(ob for ob in bpy.context.scene.objects if ob.ves.role == "JOINT" and "forearm.R" in ob.ves.body_b.name)
    return {**found, "right": [other.ves.lower_limit[0], other.ves.upper_limit[0]]}
