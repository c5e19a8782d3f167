# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow: dynamic bones and objects are pulled to their own animation, in bakes and Play."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.blender import rigs
from tests.blender.making import box, select, with_role
from tests.blender.playing import Driver

FRAMES = 12


def waving() -> tuple[bpy.types.Object, list[bpy.types.Object]]:
    """A rig of which the first bone is keyed and the others follow, and its bodies."""
    rig, bodies = rigs.waving(FRAMES), with_role("BODY")
    for body in bodies:
        body.ves.follows = True
    return rig, bodies


def rolling_ball() -> bpy.types.Object:
    """A body that is keyed to go along X."""
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    for frame in (1, 24):
        ball.location.x = 0.1 * frame
        ball.keyframe_insert("location", frame=frame)
    select(ball)
    bpy.ops.ves.add_body()
    return ball


def test_bones_held_to_their_animation_are_baked_as_they_were():
    rig, bodies = waving()
    before = rigs.poses(rig)
    for body in bodies:
        body.ves.follow_preset = "EXACT"
    bpy.ops.ves.bake()
    assert rig.animation_data.action.name != "RigAction"
    assert np.abs(rigs.poses(rig) - before).max() < 1e-5  # bones are single precision


def test_strength_decides_how_near_they_are():
    rig, bodies = waving()
    before, off = rigs.poses(rig), {}
    for preset in ("LIMP", "TIRED", "TENSE"):
        for body in bodies:
            body.ves.follow_preset = preset
        bpy.context.scene.frame_set(1)
        bpy.ops.ves.bake()
        off[preset] = np.abs(rigs.poses(rig) - before).max()
        bpy.ops.ves.clear_bake()
    assert off["LIMP"] > off["TIRED"] > 10.0 * off["TENSE"]


def test_an_object_is_let_go_by_keys_on_its_weight():
    bpy.context.scene.frame_end = 24
    ball = rolling_ball()
    ball.ves.follows = True
    for frame, weight in ((1, 1.0), (10, 1.0), (11, 0.0)):
        ball.ves.follow_weight = weight
        ball.keyframe_insert("ves.follow_weight", frame=frame)
    bpy.context.scene.frame_set(1)
    bpy.ops.ves.bake()
    heights = []
    for frame in (10, 24):
        bpy.context.scene.frame_set(frame)
        heights.append(ball.matrix_world.translation.z)
    assert abs(heights[0] - 5.0) < 1e-5
    assert heights[1] < 4.0


def test_play_shows_what_bake_makes_and_the_rig_is_as_it_was():
    rig, bodies = waving()
    for body in bodies:
        body.ves.follow_preset = "ALIVE"
    described = rigs.described(rig)
    driver, seen = Driver(), []
    for _ in range(6):
        driver.go_on()
        seen.append([np.array(bone.matrix) for bone in rig.pose.bones])
    driver.end()
    assert rigs.described(rig) == described
    bpy.ops.ves.bake()
    np.testing.assert_allclose(seen, rigs.poses(rig)[1:7], atol=2e-5)
    first = rigs.poses(rig)
    bpy.ops.ves.bake()
    np.testing.assert_array_equal(rigs.poses(rig), first)
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(1)
    assert rigs.described(rig) == described


def test_a_file_keeps_it_and_a_changed_strength_makes_the_bake_out_of_date(tmp_path):
    _, bodies = waving()
    for body in bodies:
        body.ves.follow_preset = "TENSE"
    bpy.ops.ves.bake()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "waving.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "waving.blend"))
    body = next(ob for ob in with_role("BODY") if ob.ves.motion == "DYNAMIC")
    assert body.ves.follows
    assert body.ves.follow_preset == "TENSE"
    assert abs(body.ves.follow_frequency - 10.0) < 1e-6
    rig = bpy.data.objects["Rig"]
    first = rigs.poses(rig)
    bpy.context.scene.frame_set(1)
    bpy.ops.ves.bake()
    np.testing.assert_array_equal(rigs.poses(rig), first)


def test_a_mechanism_file_brings_it_back(tmp_path):
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    bpy.context.scene.frame_end = 8
    for frame in (1, 8):
        ball.location.x = 0.1 * frame
        ball.keyframe_insert("location", frame=frame)
    select(ball)
    bpy.ops.ves.add_body()
    ball.ves.follows, ball.ves.follow_frequency, ball.ves.follow_space = True, 7.0, "WORLD"
    bpy.ops.ves.export_mechanism(filepath=str(tmp_path / "ball.json"))
    bpy.ops.ves.import_mechanism(filepath=str(tmp_path / "ball.json"))
    again = next(ob for ob in with_role("BODY") if ob != ball)
    assert again.ves.follows
    assert again.ves.follow_frequency == 7.0
    assert again.ves.follow_space == "WORLD"
    assert again.animation_data.action is not None


@pytest.mark.parametrize(("weights", "is_told"), [((1.0, 0.0, 1.0), True), ((0.2, 1.0), False), ((1.0, 0.0), False)])
def test_a_weight_keyed_up_from_nothing_is_told_before_a_bake_and_after_it(weights, is_told):
    bpy.context.scene.frame_end = 24
    ball = box("Ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    select(ball)
    bpy.ops.ves.add_body()
    ball.ves.follows = True
    for frame, weight in zip((1, 6, 20), weights, strict=False):
        ball.ves.follow_weight = weight
        ball.keyframe_insert("ves.follow_weight", frame=frame)
    bpy.context.scene.frame_set(1)

    def told() -> list[str]:
        return [
            each.text for each in bpy.context.scene.ves.findings if "use Let Go Here and Take Back Here" in each.text
        ]

    bpy.ops.ves.check()
    assert len(told()) == is_told
    assert not is_told or "from 0 at frame 6 to 1 at frame 20" in told()[0]
    bpy.ops.ves.bake()
    assert len(told()) == is_told


def test_what_follows_its_animation_is_not_told_to_be_keyed():
    ball = rolling_ball()
    for follows in (False, True):
        ball.ves.follows = follows
        bpy.ops.ves.check()
        told = [finding.text for finding in bpy.context.scene.ves.findings]
        assert any("must be Keyed" in text for text in told) != follows


def test_check_names_an_animation_past_the_limits_of_its_joint():
    arm = box("Arm", (0.5, 0.0, 2.0), (0.5, 0.1, 0.1))
    bpy.context.scene.frame_end = 24
    select(arm)
    bpy.ops.ves.add_body()
    bpy.context.scene.cursor.location = (0.5, 0.0, 2.0)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="CURSOR", axis="Y")
    hinge = bpy.context.active_object
    for frame, angle in ((1, 0.0), (12, 1.2), (24, 0.0)):
        arm.rotation_euler.y = angle
        arm.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    arm.ves.follows = True
    hinge.ves.use_upper_limit[0], hinge.ves.upper_limit[0] = True, 1.0
    hinge.ves.use_lower_limit[0], hinge.ves.lower_limit[0] = True, -1.0

    def said() -> list[str]:
        bpy.ops.ves.check()
        return [each.text for each in bpy.context.scene.ves.findings if "past the limit" in each.text]

    (text,) = said()
    assert f"the animation that it follows goes past the limit of joint '{hinge.name}'" in text
    assert "most at frame 12" in text
    hinge.ves.upper_limit[0], hinge.ves.lower_limit[0] = 1.3, -1.3
    assert said() == []
