# SPDX-License-Identifier: GPL-3.0-or-later
"""A person's rig that holds up an arm, made a ragdoll; the arm's bones are selected, to go limp from frame 10 to 50.

Runs inside Blender, as the beginning of a question to a window.
"""

import bpy
from mathutils import Euler, Quaternion, Vector

FIRST, LAST, MIDDLE = 10, 50, 26
ARM = "upper_arm.R", "forearm.R", "hand.R"


def build() -> None:
    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.delete()
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    rig = armature()
    for bone in rig.pose.bones:
        if bone.name == "upper_arm.R":
            rest = bone.bone.matrix_local.to_quaternion()
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = rest.inverted() @ Quaternion((0.0, 1.0, 0.0), 1.3) @ rest
            for frame in (1, 60):
                bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.ops.ves.ragdoll()
    settings = bpy.context.scene.ves
    settings.frame_source, settings.frame_start, settings.frame_end = "CUSTOM", FIRST, LAST
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name in ARM


def armature() -> bpy.types.Object:
    return next(ob for ob in bpy.context.scene.objects if ob.type == "ARMATURE")


def show() -> None:
    """A figure of solid shapes, without its bones, in the middle of the range."""
    bpy.ops.object.mode_set(mode="OBJECT")
    for ob in bpy.context.scene.objects:
        ob.select_set(False)
        if ob.ves.role == "BODY":
            ob.display_type, ob.show_in_front = "SOLID", False
        else:
            ob.hide_set(True)
    bpy.context.scene.ves.use_contact = False  # its ground would be drawn
    bpy.context.scene.frame_set(MIDDLE)
    view = bpy.context.area.spaces.active.region_3d
    view.view_perspective, view.view_rotation = "PERSP", Euler((1.4, 0.0, -0.35)).to_quaternion()
    view.view_location, view.view_distance = Vector((0.0, 0.0, 1.0)), 3.6


def hand() -> list:
    """The world's place of the right hand as it is shown."""
    bpy.context.view_layer.update()
    return list((armature().matrix_world @ armature().pose.bones["hand.R"].matrix).translation)
