# SPDX-License-Identifier: GPL-3.0-or-later
"""Dolls: a rig, and a skin of one limb for each of its bones."""

from __future__ import annotations

import math
from collections.abc import Mapping

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import select
from .shapes import Shape, joined, lathe, make_object, moved

Bone = tuple[str, tuple[float, float, float], tuple[float, float, float], tuple[float, float], str]
"""The bone above or "", head and tail (m), radii of the limb there (m), and its paint."""


def on_both_sides(middle: Mapping[str, Bone], left: Mapping[str, Bone]) -> dict[str, Bone]:
    """All bones, those of the left side on the right side too."""
    found = dict(middle)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        for name, (above, head, tail, radii, paint) in left.items():
            start, end = ((sign * x, y, z) for x, y, z in (head, tail))
            found[f"{name}.{side}"] = (above if above in middle else f"{above}.{side}", start, end, radii, paint)
    return found


def make_doll(name: str, bones: Mapping[str, Bone]) -> bpy.types.Object:
    """The armature of the bones, where they say, with its skin."""
    data = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(rig)
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for label, (above, head, tail, _, _) in bones.items():
        bone = data.edit_bones.new(label)
        bone.head, bone.tail = head, tail
        bone.parent = data.edit_bones[above] if above else None
        bone.use_connect = bone.parent is not None and (bone.head - bone.parent.tail).length < 1e-6
    bpy.ops.object.mode_set(mode="OBJECT")
    skin = _skin(f"{name}'s Skin", bones)
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    return rig


def _skin(name: str, bones: Mapping[str, Bone]) -> bpy.types.Object:
    """A limb for each bone, with a vertex group."""
    limbs = {label: limb(head, tail, radii, paint) for label, (_, head, tail, radii, paint) in bones.items()}
    skin = make_object(name, joined(*limbs.values()))
    first = 0
    for label, each in limbs.items():
        skin.vertex_groups.new(name=label).add(range(first, first + len(each.points)), 1.0, "REPLACE")
        first += len(each.points)
    return skin


def limb(head: tuple, tail: tuple, radii: tuple[float, float], paint: str) -> Shape:
    """A cone with round ends from head to tail, which stand over a little."""
    along = Vector(tail) - Vector(head)
    start, end = radii
    angles = np.linspace(0.0, 0.5 * math.pi, 7)[1:]
    low = [(start * math.sin(a), -0.4 * start * math.cos(a)) for a in angles]
    high = [(end * math.sin(a), along.length + 0.4 * end * math.cos(a)) for a in reversed(angles)]
    profile = [(0.02 * start, -0.4 * start), *low, *high, (0.02 * end, along.length + 0.4 * end)]
    turn = along.to_track_quat("Z", "Y").to_matrix().to_4x4()
    return moved(lathe(profile, paint, 24), Matrix.Translation(head) @ turn)
