# SPDX-License-Identifier: GPL-3.0-or-later
"""The bodies that a person means by selected objects, an armature among them, or by selected bones."""

from collections.abc import Iterable

import bpy

from ..owner import bone_shapes, is_armature


def active_body(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object if it is a body; in Pose Mode the body of the active bone."""
    if context.mode == "POSE" and context.active_pose_bone is not None:
        return bone_shapes(context.active_object).get(context.active_pose_bone.name)
    active = context.active_object
    return active if active is not None and active.ves.role == "BODY" else None


def bodies_meant(
    objects: Iterable[bpy.types.Object], bones: Iterable[bpy.types.PoseBone] | None
) -> list[bpy.types.Object]:
    """Bodies of the bones, or if these are None of the objects; of an armature those of all its bones."""
    if bones is not None:
        pairs = [(bone, bone_shapes(bone.id_data)) for bone in bones]
        return [shapes[bone.name] for bone, shapes in pairs if bone.name in shapes]
    found = []
    for ob in objects:
        found += bone_shapes(ob).values() if is_armature(ob) else [ob] if ob.ves.role == "BODY" else []
    return list(dict.fromkeys(found))
