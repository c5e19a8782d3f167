# SPDX-License-Identifier: GPL-3.0-or-later
"""Building while Play runs or is paused: parts that are put in and taken out, recorded, and done again by Bake."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from tests.blender.linkages import body, chain, keys_of, part
from tests.blender.making import select
from tests.blender.playing import Driver, force


@pytest.fixture
def loose() -> list[bpy.types.Object]:
    """Two rods that swing, and a ball that is thrown past them."""
    rods = chain(2, 40)
    ball = body("ball", (2.3, 0, -1.0), (0.3, 0.3, 0.3))
    ball.ves.velocity_source, ball.ves.linear_velocity = "GIVEN", (0.0, 0.0, 3.0)
    return [*rods, ball]


def place(ob: bpy.types.Object) -> np.ndarray:
    return np.array(ob.matrix_world.translation)


def replayed(bodies: list[bpy.types.Object], driver: Driver) -> None:
    """The run is kept; a bake with the recorded actions makes the very same keys."""
    driver.keep()
    kept = [keys_of(each) for each in bodies]
    bpy.context.scene.frame_end = driver.play._reading.first + driver.play._run.frame
    bpy.ops.ves.clear_bake()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert [keys_of(each) for each in bodies] == kept


def test_time_is_frozen_two_are_joined_and_it_goes_on(loose):
    rod, ball = loose[1], loose[2]
    driver = Driver()
    driver.go_on(5.5)
    driver.play.toggle_pause()
    driver.go_on(1)
    select(rod, ball)
    bpy.context.view_layer.objects.active = rod
    assert bpy.ops.ves.add_joint(type="FIXED") == {"FINISHED"}
    (weld,) = bpy.context.selected_objects
    driver.go_on(1)
    assert driver.play.message == f"Put in: {weld.name}"
    before = [place(ob) for ob in loose]
    driver.play.toggle_pause()
    driver.go_on(8)
    arm = np.linalg.norm(before[2] - before[1])
    assert np.linalg.norm(place(ball) - place(rod)) == pytest.approx(arm, abs=1e-5)
    assert np.linalg.norm(place(ball) - before[2]) > 0.05
    replayed(loose, driver)
    (entry,) = bpy.context.scene.ves.recorded_actions
    assert entry.target == weld


def test_bodies_nails_and_springs_come_while_it_runs(loose):
    driver = Driver()
    driver.go_on(4)
    new = body("new", (0.0, 1.0, 0.5), (0.2, 0.2, 0.2))
    driver.go_on(3)
    pull = force("pull", "SPRING", new, body_b=loose[0], spring_stiffness=30.0)
    driver.go_on(3)
    nail = part("nail", "NAIL", loose[2].matrix_world.translation)
    nail.ves.body_a = loose[2]
    driver.go_on(3)
    held = place(loose[2])
    pull.ves.spring_stiffness = 5.0
    driver.go_on(6)
    np.testing.assert_allclose(place(loose[2]), held, atol=1e-5)
    kinds = [action.names for action in driver.play._run.actions]
    assert kinds == [["new"], ["pull"], ["nail"], ["pull"]]
    assert place(new)[2] < 0.4
    replayed([*loose, new], driver)
    bpy.context.scene.frame_set(2)
    assert place(new) == pytest.approx([0.0, 1.0, 0.5], abs=1e-6)
    path = f"{bpy.app.tempdir}/built.blend"
    kept = [keys_of(ob) for ob in (*loose, new)]
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    again = [bpy.data.objects[name] for name in ("rod 0", "rod 1", "ball", "new")]
    bpy.ops.ves.clear_bake()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert [keys_of(ob) for ob in again] == kept


def test_what_is_taken_out_stays_and_the_rest_goes_on(loose):
    driver = Driver()
    driver.go_on(4)
    driver.play.take_out([loose[1]])
    assert driver.play.message == "Taken out: rod 1"
    driver.go_on(1)
    left = place(loose[1])
    driver.go_on(5)
    np.testing.assert_allclose(place(loose[1]), left, atol=1e-6)
    assert np.linalg.norm(place(loose[0])) == pytest.approx(0.5, abs=1e-5)
    replayed(loose, driver)


def test_an_object_that_is_deleted_leaves_the_run(loose):
    """Also the one that the hand holds."""
    driver = Driver()
    driver.go_on(4)
    assert driver.play.grab(loose[1], loose[1].matrix_world.translation)
    driver.play.drag((1.5, 0.3, 0.0))
    driver.go_on(1)
    bpy.data.objects.remove(loose[1])
    driver.go_on(2)
    assert "rod 1 is gone" in driver.play.message
    driver.play.let_go()
    driver.go_on(3)
    result = driver.keep()
    assert result.frames == (1, 11)
    assert keys_of(loose[0])


def test_esc_leaves_what_was_built_switched_off(loose):
    driver = Driver()
    driver.go_on(3)
    nail = part("nail", "NAIL", loose[0].matrix_world.translation)
    nail.ves.body_a = loose[0]
    driver.go_on(2)
    assert driver.play.message == "Put in: nail"
    driver.end()
    assert not nail.ves.enabled
    assert not bpy.context.scene.ves.recorded_actions
    assert place(loose[0]) == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)


def test_what_cannot_be_put_in_is_said_and_it_goes_on(loose):
    driver = Driver()
    driver.go_on(3)
    idle = part("idle", "NAIL")
    driver.go_on(2)
    assert "idle" in driver.play.message
    idle.ves.body_a = loose[0]
    idle.location = loose[0].matrix_world.translation
    bpy.context.view_layer.update()
    select(idle)
    driver.go_on(2)
    assert driver.play.message == "Put in: idle"
    child = body("child", (0, 2, 0))
    child.parent = loose[0]
    driver.go_on(2)
    assert "hangs on rod 0: clear its parent" in driver.play.message
    assert driver.play.frame == 10


def test_without_the_list_what_was_built_is_not_there(loose):
    driver = Driver()
    driver.go_on(3)
    new = body("new", (0.0, 1.0, 0.5), (0.2, 0.2, 0.2))
    driver.go_on(4)
    driver.keep("ACTIONS")
    scene = bpy.context.scene
    scene.ves.use_recorded_actions = False
    scene.frame_end = 5
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert not new.ves.is_baked
    again = Driver()
    again.go_on(2)
    assert again.play._names == ["rod 0", "rod 1", "ball"]
    again.end()


def test_what_was_built_is_no_start(loose):
    driver = Driver()
    driver.go_on(3)
    select(loose[1], loose[2])
    bpy.context.view_layer.objects.active = loose[1]
    bpy.ops.ves.add_joint(type="FIXED")
    driver.go_on(3)
    driver.play.keep("START")
    assert "cannot be a start" in driver.play.message
    assert driver.play.is_running
    replayed(loose, driver)
