# SPDX-License-Identifier: GPL-3.0-or-later
"""Loop: the last baked frame flows into the first, of objects and bones."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.read import fingerprint

from tests.blender import rigs
from tests.blender.making import select, with_role

FRAMES = 25


def tail(last: float = FRAMES) -> bpy.types.Object:
    """A rig whose first bone wags once in the frames, and whose others follow softly."""
    rig = rigs.make_rig("Rig", rigs.row(0.2, 0.04), with_skin=False)
    bpy.context.scene.frame_end = FRAMES
    bone = rig.pose.bones["B0"]
    bone.rotation_mode = "XYZ"
    for frame in range(1, FRAMES + 1):
        bone.rotation_euler.z = 0.4 * np.sin(2.0 * np.pi * (frame - 1) / (last - 1))
        bone.keyframe_insert("rotation_euler", frame=frame)
    for curve in rig.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        curve.modifiers.new("CYCLES")  # without it the curves' ends are level, and the bone halts there
        curve.update()
    bpy.context.scene.frame_set(1)
    select(rig)
    bpy.ops.ves.ragdoll(use_contact=False, with_limits=False)
    for body in with_role("BODY"):
        body.ves.motion = "KEYED" if body.parent_bone == "B0" else "DYNAMIC"
        body.ves.follows, body.ves.follow_frequency, body.ves.follow_damping_ratio = True, 3.0, 1.0
        body.ves.follow_feed_forward = 0.5
    bpy.context.scene.ves.use_cycle = True
    return rig


def test_a_tail_wags_for_ever():
    rig = tail()
    described = rigs.described(rig)
    bpy.ops.ves.bake()
    all_frames = rigs.poses(rig)
    assert np.abs(all_frames[8] - all_frames[0]).max() > 0.05
    assert np.abs(all_frames[-1] - all_frames[0]).max() < 1e-4
    once_more = np.concatenate([all_frames[:-1], all_frames[:5]])  # a jump of speed would stand out at the seam
    rough = np.abs(np.diff(once_more, 4, axis=0)).max(axis=(1, 2, 3))
    assert rough[-6:].max() < 1.2 * rough[:-6].max()
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == described


def test_switched_off_it_makes_the_bake_out_of_date():
    tail()
    before = fingerprint.of_scene(bpy.context.scene)
    bpy.context.scene.ves.use_cycle = False
    assert fingerprint.of_scene(bpy.context.scene)["Frames"] != before["Frames"]


def test_what_is_no_loop_is_refused_by_name():
    tail(last=30)
    with pytest.raises(RuntimeError, match=r"B0.*is not where it is at frame 1"):
        bpy.ops.ves.bake()
