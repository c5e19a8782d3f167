# SPDX-License-Identifier: GPL-3.0-or-later
"""Play without a window: what is shown, how time goes by, what is kept, and that all comes back otherwise."""

from __future__ import annotations

import itertools
import math

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.solver import SimulationFailed

from tests.blender.linkages import body, car_with_cans, chain, joint, keys_of, scene_state, world_matrices
from tests.blender.playing import FRAME, Driver, button


def shown(objects: list[bpy.types.Object]) -> np.ndarray:
    depsgraph = bpy.context.view_layer.depsgraph
    return np.array([ob.evaluated_get(depsgraph).matrix_world for ob in objects])


def test_bodies_move_and_come_back():
    rods = chain(3)
    bpy.context.scene.frame_set(7)
    before = scene_state()
    driver = Driver()
    driver.go_on(12)
    assert bpy.context.scene.frame_current == 13
    assert rods[-1].matrix_world.translation.z < -0.3
    assert driver.play.status.startswith("Frame 13    0.50 s")
    driver.end()
    assert scene_state() == before
    assert all(rod.ves.before_play == "" for rod in rods)
    assert bpy.context.scene.ves.before_play == ""


def test_what_is_shown_is_what_bake_makes():
    """Whatever the bodies' rotation modes, parents and constraints are."""
    rods = chain(3)
    rods[0].rotation_mode = "QUATERNION"
    rods[1].rotation_mode = "ZXY"
    rods[2].parent = rods[1]
    rods[2].matrix_parent_inverse = rods[1].matrix_world.inverted()
    rods[1].constraints.new("LIMIT_LOCATION").use_min_z = True
    driver = Driver()
    seen = []
    for _ in range(10):
        driver.go_on()
        seen.append(shown(rods))
    driver.end()
    assert not rods[1].constraints[0].mute
    bpy.ops.ves.bake()
    baked = np.stack([world_matrices(rod, range(2, 12)) for rod in rods], axis=1)
    np.testing.assert_allclose(seen, baked, atol=3e-6)


def test_keyed_bodies_follow_their_animation():
    car, cans = car_with_cans(2, 24)
    driver = Driver()
    for frame in range(2, 12):
        driver.go_on()
        seen = shown([car, *cans])
        assert bpy.context.scene.frame_current == frame
        np.testing.assert_allclose(np.linalg.norm(seen[1, :3, 3] - seen[0, :3, 3]), 1.5, atol=1.6)
    driver.end()
    bpy.ops.ves.bake()
    np.testing.assert_allclose(seen, [world_matrices(ob, [11])[0] for ob in (car, *cans)], atol=3e-6)


def test_it_stops_where_the_animation_is_not_known_any_more():
    car_with_cans(1, 12)
    driver = Driver()
    driver.go_on(40)
    assert bpy.context.scene.frame_current == 12
    assert "frame range ends" in driver.play.status
    assert driver.keep().frames == (1, 12)


def test_without_animation_it_goes_on_beyond_the_frame_range():
    chain(1, 5)
    driver = Driver()
    driver.go_on(20)
    assert driver.keep().frames == (1, 21)


def test_keeping_writes_the_same_keys_as_bake():
    rods = chain(3, 13)
    rods[0].keyframe_insert("location", frame=1)
    own = rods[0].animation_data.action
    driver = Driver()
    driver.go_on(12)
    result = driver.keep()
    assert result.frames == (1, 13)
    assert result.summary == "Kept frames 1 to 13"
    assert rods[0].ves.kept_action == own
    kept = keys_of(rods[2])
    bpy.ops.ves.clear_bake()
    assert rods[0].animation_data.action == own
    bpy.ops.ves.bake()
    assert keys_of(rods[2]) == kept


def test_a_bake_stays_as_it_is():
    rods = chain(3)
    bpy.ops.ves.bake()
    bpy.context.scene.gravity.z = 9.81
    before, keys = scene_state(), keys_of(rods[2])
    driver = Driver()
    driver.go_on(12)
    assert shown(rods)[2, 2, 3] > 0.3
    driver.end()
    assert scene_state() == before
    assert keys_of(rods[2]) == keys


def test_nothing_is_kept_before_something_has_moved():
    chain(1)
    driver = Driver()
    driver.play.keep()
    assert driver.play.is_running
    assert "nothing to keep" in driver.play.message
    driver.end()


@pytest.mark.parametrize(("speed", "frames"), [("REAL", 8), ("HALF", 4), ("QUARTER", 2), ("CUSTOM", 1)])
def test_slow_motion(speed, frames):
    chain(1)
    settings = bpy.context.scene.ves
    settings.play_speed, settings.play_factor = speed, 0.125
    driver = Driver()
    driver.go_on(8)
    assert bpy.context.scene.frame_current == 1 + frames
    assert driver.play.status.endswith(f"{frames / 8:g} x real time")
    driver.end()


def test_a_pause_stops_the_clock():
    chain(1)
    driver = Driver()
    driver.go_on(4)
    driver.play.toggle_pause()
    driver.go_on(10)
    assert driver.play.status.endswith("Paused")
    driver.play.toggle_pause()
    driver.go_on(2)
    assert bpy.context.scene.frame_current == 7
    driver.end()


def test_another_frame_during_a_pause_takes_the_scene_nowhere():
    car, cans = car_with_cans(2, 24)
    before, driver = scene_state(), Driver()
    driver.go_on(6)
    driver.play.toggle_pause()
    driver.go_on(1)
    frame, shown = bpy.context.scene.frame_current, [np.array(ob.matrix_world) for ob in (car, *cans)]
    for other in (20, 1, 7):
        bpy.context.scene.frame_set(other)
        driver.go_on(1)
        assert bpy.context.scene.frame_current == frame
        np.testing.assert_array_equal([np.array(ob.matrix_world) for ob in (car, *cans)], shown)
    cans[0].location.x += 3.0  # by hand
    driver.play.toggle_pause()
    driver.go_on(2)
    driver.end()
    assert scene_state() == before


def test_time_slows_down_when_the_solver_cannot_keep_up(monkeypatch):
    """A solver that needs four ticks for a frame: none is skipped, and the speed is said."""
    chain(1)
    driver = Driver()
    run, real, calls = driver.play._run, driver.play._run.advance, []

    def slow(frame: int, seconds: float) -> bool:
        calls.append(frame)
        if len(calls) % 4 == 0:
            real(run.frame + 1, seconds)
        return run.frame >= frame

    monkeypatch.setattr(run, "advance", slow)
    seen = []
    for _ in range(60):
        driver.go_on(0.5)
        seen.append(bpy.context.scene.frame_current)
    assert set(np.diff(seen)) == {0, 1}
    assert 12 <= seen[-1] <= 18
    speed = float(driver.play.status.split()[-4])
    assert speed == pytest.approx(0.5, abs=0.1)
    driver.end()


def test_slow_motion_is_shown_between_the_frames():
    """A tenth of real time: each tick moves the body on, though twenty of them go to a frame."""
    body = chain(1)[-1]
    bpy.context.scene.ves.play_speed, bpy.context.scene.ves.play_factor = "CUSTOM", 0.1
    driver = Driver()
    driver.go_on(100)  # it falls: ten frames
    heights, places = [], []
    for _ in range(40):
        driver.go_on(0.5)
        heights.append(body.matrix_world.translation.copy())
        places.append(bpy.context.scene.frame_current_final)
    assert np.diff(places) == pytest.approx(0.05, abs=1e-3)
    ways = [(b - a).length for a, b in itertools.pairwise(heights)]
    assert min(ways) > 0.0
    assert max(ways) < 2.0 * min(ways)
    driver.end()


def test_a_long_wait_is_not_made_up_for():
    """As when a menu was open."""
    chain(1)
    driver = Driver()
    driver.now += 60.0
    next(driver.steps)
    assert bpy.context.scene.frame_current == 1 + 0.25 / FRAME
    assert driver.play.status.endswith("0.0042 x real time")
    driver.end()


def test_a_run_that_cannot_go_on_keeps_its_frames(monkeypatch):
    rods = chain(3)
    button("Heavy", bpy.data.objects["joint 1"], "RELEASE")
    driver = Driver()
    driver.go_on(8)
    run = driver.play._run
    driver.play.grab(rods[2], rods[2].matrix_world.translation)

    def fail(frame: int, seconds: float) -> bool:
        raise SimulationFailed(run.time + 0.01, "it flew apart", ["rod 1"], run.recording())

    monkeypatch.setattr(run, "advance", fail)
    driver.go_on(4)
    assert "It stopped at frame 9.2: it flew apart" in driver.play.status
    driver.play.press("Heavy")
    driver.play.let_go()
    assert len(driver.done) == 1
    result = driver.keep()
    assert result.frames == (1, 9)
    assert result.culprits == [rods[1]]
    assert result.summary.startswith("Kept frames 1 to 9 and 1 recorded action. It stopped")


def test_what_cannot_be_simulated_is_refused():
    body("sheet").data.clear_geometry()
    before = scene_state()
    with pytest.raises(SceneError, match="sheet"):
        Driver()
    assert scene_state() == before


def test_a_removed_body_leaves_the_run_and_the_others_come_back():
    rods = chain(3)
    place = tuple(rods[1].location)
    driver = Driver()
    driver.go_on(6)
    bpy.data.objects.remove(rods[2])
    driver.go_on(2)
    assert "rod 2 is gone" in driver.play.message
    assert tuple(rods[1].location) != place
    driver.end()
    assert tuple(rods[1].location) == place


def test_a_file_from_the_midst_of_a_run_is_put_right(tmp_path, monkeypatch):
    """As it is found after a crash, when nothing could clean up."""
    rods = chain(3)
    rods[1].constraints.new("COPY_ROTATION")
    places = {rod.name: tuple(rod.location) for rod in rods}
    driver = Driver()
    driver.go_on(12)
    path = str(tmp_path / "midst.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    assert rods[1].constraints[0].mute
    driver.end()
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    assert {ob.name: tuple(ob.location) for ob in scene.objects if ob.name in places} == places
    assert not scene.objects["rod 1"].constraints[0].mute
    assert scene.frame_current == 1
    assert scene.ves.before_play == ""


def test_in_background_a_fixed_time_is_run_and_kept():
    rods = chain(2, 100)
    assert bpy.ops.ves.play(frames=20) == {"FINISHED"}
    assert all(rod.ves.is_baked for rod in rods)
    assert bpy.context.scene.ves.play_status == "Kept frames 1 to 21"
    assert rods[0].animation_data.action.frame_range[1] == 21.0
    assert bpy.ops.ves.play() == {"FINISHED"}
    assert bpy.context.scene.ves.play_status == "Kept frames 1 to 100"


def stiff_arm() -> None:
    """Five bars of 1 kg in a row, hinged about Y; all hinges but the first are sprung by 1e5 N m/rad, 1e4 N m s/rad."""
    before = None
    for k in range(5):
        bar = body(f"bar {k}", (0.3 * (k + 0.5), 0.0, 2.0), (0.3, 0.08, 0.08))
        bar.ves.mass_source, bar.ves.mass = "GIVEN", 1.0
        hinge = joint(f"hinge {k}", (0.3 * k, 0.0, 2.0), before, bar, "REVOLUTE")
        hinge.rotation_euler.x = -0.5 * math.pi
        if before is not None:
            hinge.ves.stiffness[0], hinge.ves.damping[0] = 1e5, 1e4
        before = bar
    bpy.context.view_layer.update()


def test_a_stiff_run_says_that_it_goes_by_implicit_steps_and_the_kept_motion_since_when():
    stiff_arm()
    driver = Driver()
    driver.go_on(12)
    assert "x real time    Stiff, so by implicit steps: bar 0" in driver.play.status
    result = driver.keep()
    assert any("implicit steps" in str(finding.text) for finding in result.warnings + result.advice)
