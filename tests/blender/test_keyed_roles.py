# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are Dynamic, Fixed or Keyed by turns, as the keys of their Motion say."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import BakeResult

from tests.blender.inspecting import frames
from tests.blender.linkages import baked_result, body, joint, world_matrices
from tests.blender.playing import Driver

G, SPAN, LAST = 9.81, 1.0 / 24.0, 37


def thrown() -> bpy.types.Object:
    """A ball that is keyed to go evenly, by 0.1 m a frame along X and a tenth of a radian about Z."""
    ball = body("ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2), motion="KEYED")
    for frame in (1, LAST):
        ball.location.x, ball.rotation_euler.z = 0.1 * (frame - 1), 0.1 * (frame - 1)
        ball.keyframe_insert("location", frame=frame)
        ball.keyframe_insert("rotation_euler", frame=frame)
    frames(1, LAST)
    return ball


def keyed(ob: bpy.types.Object, at: dict[int, str]) -> None:
    """Keys of its motion; curves of its own animation are straight lines."""
    for frame, motion in at.items():
        ob.ves.motion = motion
        ob.ves.keyframe_insert("motion", frame=frame)
    for curve in ob.animation_data.action.layers[0].strips[0].channelbag(ob.animation_data.action_slot).fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT" if curve.data_path == "ves.motion" else "LINEAR"
    bpy.context.scene.frame_set(1)


def places(ob: bpy.types.Object) -> np.ndarray:
    """(F, 3) m."""
    return world_matrices(ob, range(1, LAST + 1))[:, :3, 3]


def doubts(result: BakeResult) -> list[str]:
    """All that a bake has to say but facts: what is held to its animation with all its weight is stiff."""
    return [str(finding.text) for finding in result.warnings if not finding.is_fact]


FRAMES = np.arange(LAST)
"""Since the first one."""


def since(frame: int) -> np.ndarray:
    """s since a frame, 0 before."""
    return np.maximum(0.0, FRAMES + 1 - frame) * SPAN


def test_a_keyed_body_that_becomes_dynamic_flies_on_as_fast_as_it_is():
    ball = thrown()
    keyed(ball, {1: "KEYED", 13: "DYNAMIC"})
    assert not doubts(baked_result())
    found = places(ball)
    assert found[:, 0] == pytest.approx(0.1 * FRAMES, abs=2e-5)
    assert found[:, 2] == pytest.approx(5.0 - 0.5 * G * since(13) ** 2, abs=2e-5)
    turned = world_matrices(ball, [30])[0]
    assert np.arctan2(turned[1, 0], turned[0, 0]) == pytest.approx(2.9, abs=1e-4)


def test_it_is_its_animation_again_in_the_time_of_blend_back():
    ball = thrown()
    ball.ves.follow_blend_back = 8.0
    keyed(ball, {1: "KEYED", 13: "DYNAMIC", 19: "KEYED"})
    baked_result()
    found = places(ball)
    assert found[18, 2] == pytest.approx(5.0 - 0.5 * G * (6 * SPAN) ** 2, abs=2e-5)
    assert found[27:, 2] == pytest.approx(5.0, abs=2e-5)
    assert found[:, 0] == pytest.approx(0.1 * FRAMES, abs=1e-3)


def test_a_body_that_becomes_fixed_is_stopped_where_it_is_and_that_is_said():
    ball = body("ball", (0.0, 0.0, 5.0), (0.2, 0.2, 0.2))
    ball.ves.linear_velocity, ball.ves.angular_velocity = (2.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    frames(1, LAST)
    keyed(ball, {1: "DYNAMIC", 13: "FIXED", 25: "DYNAMIC"})
    result = baked_result()
    assert any("velocities changed at 0.5 s" in str(note) for note in result.notes)
    found, stopped = places(ball), 5.0 - 0.5 * G * 0.5**2
    assert found[:13, 2] == pytest.approx(5.0 - 0.5 * G * (FRAMES[:13] * SPAN) ** 2, abs=2e-5)
    assert found[12:25] == pytest.approx(np.tile([1.0, 0.0, stopped], (13, 1)), abs=2e-5)
    assert found[25:, 2] == pytest.approx(stopped - 0.5 * G * since(25)[25:] ** 2, abs=2e-5)
    assert found[25:, 0] == pytest.approx(1.0, abs=2e-5), "it begins at rest"
    turned = world_matrices(ball, [LAST])[0]
    assert np.arctan2(turned[1, 0], turned[0, 0]) == pytest.approx(0.5, abs=1e-4)


def test_one_that_is_fixed_at_first_falls_from_its_key_on_and_what_hangs_on_it_swings_until_then():
    post = body("post", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    post.ves.linear_velocity = (5.0, 0.0, 0.0)  # of a Fixed body: nothing
    bar = body("bar", (0.5, 0.0, 0.0), (1.0, 0.1, 0.1))
    joint("pin", (0.0, 0.0, 0.0), post, bar)
    frames(1, LAST)
    keyed(post, {1: "FIXED", 13: "DYNAMIC"})
    assert not doubts(baked_result())
    found = places(post)
    assert found[:13] == pytest.approx(np.zeros((13, 3)), abs=1e-6)
    assert found[-1, 2] < -1.0
    ends = world_matrices(bar, range(1, LAST + 1)) @ np.array([-0.5, 0.0, 0.0, 1.0])
    assert ends[:, :3] == pytest.approx(found, abs=2e-5)


def test_what_hangs_on_a_body_that_becomes_fixed_goes_on_about_it():
    """A pendulum whose pivot is stopped: its lower end keeps the momentum about it."""
    post = body("post", (0.0, 0.0, 0.0), (0.2, 0.2, 0.2))
    bar = body("bar", (0.0, 0.0, -0.5), (0.1, 0.1, 1.0))
    joint("pin", (0.0, 0.0, 0.0), post, bar)
    for each in (post, bar):
        each.ves.linear_velocity = (1.0, 0.0, 0.0)
    frames(1, LAST)
    keyed(post, {1: "DYNAMIC", 13: "FIXED"})
    baked_result()
    found = places(bar)
    share = 0.25 / (0.25 + (1.0 + 0.1**2) / 12.0)  # of the speed of its centre that it keeps
    speed = (found[13, 0] - found[12, 0]) / SPAN
    assert speed == pytest.approx(share, rel=0.02)
    assert np.linalg.norm(found[13:] - places(post)[13:], axis=1) == pytest.approx(0.5, abs=2e-5)


def test_all_three_by_turns():
    ball = thrown()
    keyed(ball, {1: "KEYED", 7: "FIXED", 13: "DYNAMIC", 19: "KEYED"})
    ball.ves.follow_blend_back = 12.0
    baked_result()
    found = places(ball)
    assert found[:7, 0] == pytest.approx(0.1 * FRAMES[:7], abs=2e-5)
    assert found[7:13] == pytest.approx(np.tile(found[6], (6, 1)), abs=2e-5)
    assert found[13:19, 2] == pytest.approx(5.0 - 0.5 * G * since(13)[13:19] ** 2, abs=2e-5)
    assert found[31:, 0] == pytest.approx(0.1 * FRAMES[31:], abs=2e-5)


def test_play_does_what_a_bake_does_to_the_bit_and_keeps_no_key_as_an_action():
    ball = thrown()
    keyed(ball, {1: "KEYED", 7: "FIXED", 13: "DYNAMIC", 19: "KEYED"})
    driver = Driver()
    driver.go_on(LAST - 1)
    driver.keep()
    assert len(bpy.context.scene.ves.recorded_actions) == 0
    played = places(ball)
    bpy.ops.ves.clear_bake()
    assert ball.ves.motion in ("KEYED", "FIXED", "DYNAMIC")
    bpy.ops.ves.bake()
    np.testing.assert_array_equal(places(ball), played)
    bpy.ops.ves.clear_bake()
    bpy.context.scene.frame_set(7)
    assert ball.ves.motion == "FIXED"


def test_follow_beside_keys_of_motion_is_refused_by_name():
    ball = thrown()
    keyed(ball, {1: "KEYED", 13: "DYNAMIC"})
    ball.ves.follows = True
    with pytest.raises(RuntimeError, match="ball: has keys on Motion, and follows its animation besides"):
        bpy.ops.ves.bake()


def test_check_has_nothing_to_say_of_it_at_any_frame():
    ball = thrown()
    bpy.context.scene.ves.use_contact = True
    keyed(ball, {1: "KEYED", 13: "FIXED", 19: "DYNAMIC"})
    for frame in (1, 13, 20):
        bpy.context.scene.frame_set(frame)
        bpy.ops.ves.check()
        found = [finding.text for finding in bpy.context.scene.ves.findings]
        assert not [text for text in found if "dynamic" in text.lower() or "keyed" in text.lower()], found


def test_contact_throws_off_what_lands_on_one_that_is_fixed_by_its_keys():
    """A slab hangs Fixed in the air until frame 25, and carries a box; then both fall."""
    slab, load = body("slab", (0, 0, 2), (2, 2, 0.2)), body("load", (0, 0, 2.6), (1, 1, 1))
    bpy.context.scene.ves.use_contact = True
    frames(1, LAST)
    keyed(slab, {1: "FIXED", 25: "DYNAMIC"})
    baked_result()
    found = places(load)
    assert found[:25, 2] == pytest.approx(2.6, abs=1e-3)
    assert found[30, 2] == pytest.approx(2.6 - 0.5 * G * since(25)[30] ** 2, abs=5e-3)
    assert places(slab)[:25, 2] == pytest.approx(2.0, abs=1e-5)
