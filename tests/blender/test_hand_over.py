# SPDX-License-Identifier: GPL-3.0-or-later
"""Hand-over: bodies and bones are let go at a frame and come back to their animation, by buttons and by keys."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import bake

from benchmarks.blender_ragdolls import add_model
from tests.blender import rigs
from tests.blender.making import box, select, with_role
from tests.blender.playing import Driver

FRAMES, OFF, ON, BLEND = 36, 6, 16, 12


def hand_over(*selected: bpy.types.Object) -> None:
    """By the buttons, at both frames."""
    select(*selected)
    for frame, let_go in ((OFF, True), (ON, False)):
        bpy.context.scene.frame_set(frame)
        assert bpy.ops.ves.hand_over(let_go=let_go) == {"FINISHED"}
    bpy.context.scene.frame_set(1)


def test_bones_are_let_go_fall_and_come_back():
    rig = rigs.waving(FRAMES)
    before, described = rigs.poses(rig), rigs.described(rig)
    hand_over(*(ob for ob in with_role("BODY") if ob.parent_bone != "B0"))
    assert all(ob.ves.follows and ob.ves.follow_preset == "EXACT" for ob in with_role("BODY") if ob.parent_bone != "B0")
    bpy.ops.ves.bake()
    off = np.abs(rigs.poses(rig) - before).max(axis=(1, 2, 3))
    assert off[:OFF].max() < 1e-5  # bones are single precision
    assert off[ON - 1] > 0.2
    assert off[ON + BLEND - 1 :].max() < 1e-5
    assert not any("velocity" in text for text in bpy.context.scene.ves.status.splitlines())
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == described


def test_a_whole_armature_and_single_bones_of_it():
    rig = rigs.waving(FRAMES)
    hand_over(rig)  # the first bone is Keyed, and becomes Dynamic
    assert all(ob.ves.motion == "DYNAMIC" and ob.animation_data is not None for ob in with_role("BODY"))
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if bpy.app.version >= (5, 0) else bone.bone).select = bone.name == "B3"
    bpy.context.scene.frame_set(20)
    bpy.ops.ves.hand_over(let_go=True)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.frame_set(21)
    assert {ob.parent_bone for ob in with_role("BODY") if ob.ves.follow_let_go} == {"B3"}


def test_an_object_goes_on_as_fast_as_it_is_and_lands():
    bpy.context.scene.frame_end = FRAMES
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    for frame in (1, FRAMES):
        ball.location.x = 0.1 * frame
        ball.keyframe_insert("location", frame=frame)
    for curve in ball.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    select(ball)
    bpy.ops.ves.add_body()
    hand_over(ball)
    ball.ves.follow_blend_back = 8.0
    bpy.ops.ves.bake()
    place = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        place.append(tuple(ball.matrix_world.translation))
    place, frames = np.array(place), np.arange(1, FRAMES + 1)
    assert np.abs(place[:, 0] - 0.1 * frames).max() < 2e-5
    fallen = 0.5 * 9.81 * ((ON - OFF) / 24.0) ** 2
    assert abs(place[ON - 1, 2] - 5.0 + fallen) < 2e-5
    assert np.abs(place[[*range(OFF), *range(ON + 8 - 1, FRAMES)], 2] - 5.0).max() < 2e-5


def test_what_was_pressed_on_its_limits_is_let_go_calmly():
    rig = add_model()
    select(rig)
    bpy.context.scene.frame_end = ON
    for frame in range(1, 25, 4):
        swing = np.sin(2.0 * np.pi * frame / 24.0)
        for side, sign in (("L", 1.0), ("R", -1.0)):
            for part, axis, angle in (("thigh", 0, 0.5), ("shin", 0, 0.3), ("upper arm", 2, 0.4)):
                bone = rig.pose.bones[f"{part}.{side}"]
                bone.rotation_mode = "XYZ"
                bone.rotation_euler[axis] = sign * angle * swing  # knees and elbows go the wrong way
                bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    select(rig)
    bpy.ops.ves.ragdoll()
    select(rig)
    bpy.context.scene.frame_set(OFF)
    bpy.ops.ves.hand_over(let_go=True)
    bpy.context.scene.frame_set(1)
    bpy.ops.ves.bake()
    hands = []
    for frame in range(OFF, ON + 1):
        bpy.context.scene.frame_set(frame)
        hands.append(np.array([bone.head for bone in rig.pose.bones]))
    speed = np.linalg.norm(np.diff(hands, axis=0), axis=2).max() * 24.0
    assert speed < 10.0  # m/s


def test_play_shows_what_bake_makes():
    rig = rigs.waving(FRAMES)
    hand_over(*(ob for ob in with_role("BODY") if ob.parent_bone != "B0"))
    described, driver, seen = rigs.described(rig), Driver(), []
    for _ in range(FRAMES - 1):
        driver.go_on()
        seen.append([np.array(bone.matrix) for bone in rig.pose.bones])
    driver.end()
    assert rigs.described(rig) == described
    bpy.ops.ves.bake()
    np.testing.assert_allclose(seen, rigs.poses(rig)[1:], atol=2e-5)


@pytest.mark.parametrize("steps", [1, 20])
def test_a_cancelled_bake_and_undo_leave_the_rig_as_it_was(steps):
    rig = rigs.waving(FRAMES)
    hand_over(*(ob for ob in with_role("BODY") if ob.parent_bone != "B0"))
    described = rigs.described(rig)
    running = bake(bpy.context.scene, bpy.context.view_layer)
    for _ in range(steps):
        next(running)
    running.close()
    assert rigs.described(rig) == described
    bpy.ops.ed.undo_push(message="keyed")
    bpy.ops.ves.bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.ed.undo()
    assert rigs.described(bpy.data.objects["Rig"]) == described


def test_a_moved_key_makes_the_bake_out_of_date_and_a_file_brings_it_back(tmp_path):
    bpy.context.scene.frame_end = FRAMES
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    select(ball)
    bpy.ops.ves.add_body()
    hand_over(ball)
    bpy.ops.ves.export_mechanism(filepath=str(tmp_path / "ball.json"))
    bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "ball.json"))
    again = next(ob for ob in with_role("BODY") if ob != ball)
    assert again.ves.follow_blend_back == 12.0
    entries = [(entry.frame, entry.target.name) for entry in bpy.context.scene.ves.recorded_actions]
    assert entries == [(OFF, again.name), (ON, again.name)]


def test_a_way_back_beyond_the_last_frame_is_told(capfd):
    hand_over(rigs.waving(FRAMES))
    assert "after the last one" not in capfd.readouterr().out
    for body in with_role("BODY"):
        body.ves.follow_blend_back = FRAMES
    hand_over(*with_role("BODY"))
    assert f"Back at frame {ON + FRAMES}, after the last one that is baked" in capfd.readouterr().out
