# SPDX-License-Identifier: GPL-3.0-or-later
"""Knobs: what is changed in the panels and in the view while Play runs acts at once, is recorded, and comes back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.linkages import body, chain, joint, keys_of, part, scene_state
from tests.blender.playing import FRAME, Driver, force


@pytest.fixture
def swinging() -> list[bpy.types.Object]:
    """Two rods that hang from the world by balls, and a spring from the second one to the world."""
    rods = chain(2, 40)
    spring = force("spring", "SPRING", rods[1], to_world=True, point_b=(1.0, 0.0, 1.5), spring_stiffness=20.0)
    spring.parent = rods[1]
    spring.matrix_parent_inverse = rods[1].matrix_world.inverted()
    return rods


def positions(rods: list[bpy.types.Object]) -> np.ndarray:
    return np.array([rod.matrix_world.translation for rod in rods])


def replayed(rods: list[bpy.types.Object], driver: Driver) -> None:
    """The run is kept; a bake with the recorded actions makes the very same keys."""
    driver.keep()
    kept = [keys_of(rod) for rod in rods]
    assert bpy.context.scene.ves.recorded_actions
    bpy.context.scene.frame_end = driver.play._reading.first + driver.play._run.frame
    bpy.ops.ves.clear_bake()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    assert [keys_of(rod) for rod in rods] == kept


KNOBS = [
    ("spring", "spring_stiffness", 80.0, "stiffness"),
    ("spring", "spring_damping", 4.0, "damping"),
    ("spring", "point_b", (0.0, 0.5, 2.0), "point_b"),
    ("joint 0", "stiffness", (3.0, 0.0, 0.0), "stiffness"),
    ("joint 1", "damping", (0.5, 0.5, 0.5), "damping"),
    ("joint 1", "friction", (0.1, 0.1, 0.1), "friction"),
    ("joint 1", "static_friction", (0.2, 0.2, 0.2), "static_friction"),
    ("joint 0", "motor_mode", "FORCE", "motor"),
    ("joint 0", "motor_value", (1.0, 2.0, 0.0), "motor"),
    ("rod 1", "density", 3000.0, "mass"),
]


def sliding_ball() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A ball on a line along X in the world, and the constraint that holds it there."""
    ball, line = body("ball", size=(0.2, 0.2, 0.2)), part("line", "GENERIC")
    line.ves.body_a, line.ves.lock_travel = ball, (False, True, True)
    bpy.context.scene.gravity = (1.0, -2.0, -9.81)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 40
    return ball, line


def test_axes_of_a_generic_constraint_are_freed_and_locked_while_it_plays():
    ball, line = sliding_ball()
    driver = Driver()
    driver.go_on(5)
    assert abs(ball.matrix_world.translation.y) < 1e-6
    line.ves.lock_travel = False, False, True
    driver.go_on(6)
    assert ball.matrix_world.translation.y < -0.02
    assert abs(ball.matrix_world.translation.z) < 1e-6
    line.ves.lock_travel = False, False, False
    driver.go_on(2)
    assert "keeps the axes that were locked last" in driver.play.message
    line.ves.lock_travel = False, True, True
    driver.go_on(20)
    assert abs(ball.matrix_world.translation.y) < 0.01
    assert driver.play.message == ""
    replayed([ball], driver)


def test_a_moved_generic_frame_takes_its_body_along():
    ball, line = sliding_ball()
    driver = Driver()
    driver.go_on(3)
    line.location.z = 0.5
    driver.go_on(25)
    assert abs(ball.matrix_world.translation.z - 0.5) < 0.01
    assert abs(ball.matrix_world.translation.y) < 1e-6
    assert driver.play.message == ""


def test_an_empty_that_leads_a_generic_frame_is_moved():
    ball, line = sliding_ball()
    leader = bpy.data.objects.new("leader", None)
    bpy.context.scene.collection.objects.link(leader)
    line.ves.path_object = leader
    driver = Driver()
    driver.go_on(3)
    leader.location.z = 0.5
    driver.go_on(25)
    assert abs(ball.matrix_world.translation.z - 0.5) < 0.01
    replayed([ball], driver)


def test_knobs_act_at_once_and_play_again(swinging):
    scene = bpy.context.scene
    driver = Driver()
    for frame, (name, setting, value, key) in enumerate(KNOBS, start=1):
        driver.go_on(1)
        setattr(bpy.data.objects[name].ves, setting, value)
        driver.go_on(0.5)
        driver.go_on(0.5)
        assert driver.play.message == ""
        assert len(driver.done) == frame
        at, target, settings = driver.done[-1]
        assert (at, target) == (2 * frame - 1, name)
        assert key in settings
    scene.gravity.z = -1.6
    driver.go_on(4)
    assert driver.done[-1] == (2 * len(KNOBS), None, {"gravity": [0.0, 0.0, pytest.approx(-1.6)]})
    replayed(swinging, driver)
    assert scene.gravity.z == pytest.approx(-9.81)
    for name, setting, value, _ in KNOBS:
        now = getattr(bpy.data.objects[name].ves, setting)
        assert now != value
        assert type(value) is not tuple or tuple(now) != value


def test_esc_puts_all_knobs_back(swinging):
    spring = bpy.data.objects["spring"]
    before = scene_state()
    place, stiffness = spring.matrix_basis.copy(), spring.ves.spring_stiffness
    driver = Driver()
    driver.go_on(2)
    spring.ves.spring_stiffness, bpy.context.scene.use_gravity = 1.0, False
    spring.location.x += 0.3
    driver.go_on(2)
    assert len(driver.done) == 2
    driver.end()
    assert scene_state() == before
    assert spring.ves.spring_stiffness == stiffness
    assert spring.matrix_basis == place
    assert bpy.context.scene.use_gravity
    assert spring.ves.before_play == ""


def test_values_are_kept_without_the_motion(swinging):
    spring = bpy.data.objects["spring"]
    before = positions(swinging)
    driver = Driver()
    driver.go_on(2)
    spring.ves.spring_stiffness = 77.0
    driver.go_on(2)
    result = driver.keep("VALUES")
    assert result.summary == "Kept 1 setting as they were turned"
    bpy.context.view_layer.update()
    np.testing.assert_array_equal(positions(swinging), before)
    assert spring.ves.spring_stiffness == 77.0
    assert not bpy.context.scene.ves.recorded_actions


def test_a_pause_takes_knobs_too(swinging):
    driver = Driver()
    driver.go_on(3)
    driver.play.toggle_pause()
    bpy.data.objects["spring"].ves.spring_stiffness = 50.0
    driver.go_on(3)
    assert [(frame, target) for frame, target, _ in driver.done] == [(3, "spring")]
    bpy.data.objects["spring"].ves.enabled = False
    driver.go_on(1)
    assert driver.done[-1] == (3, "spring", {"enabled": False})


def test_what_a_driver_gives_acts_too(swinging):
    spring = bpy.data.objects["spring"]
    scene = bpy.context.scene
    scene["pull"] = 20.0
    curve = spring.driver_add("ves.spring_stiffness")
    curve.driver.expression = "pull"
    variable = curve.driver.variables.new()
    variable.name, variable.type = "pull", "SINGLE_PROP"
    variable.targets[0].id_type = "SCENE"
    variable.targets[0].id, variable.targets[0].data_path = scene, '["pull"]'
    bpy.context.view_layer.update()
    driver = Driver()
    driver.go_on(3)
    scene["pull"] = 60.0
    scene.update_tag()
    driver.go_on(3)
    assert [(target, settings) for _, target, settings in driver.done] == [("spring", {"stiffness": 60.0})]


def test_what_is_keyed_goes_on_by_its_keys(swinging):
    spring = bpy.data.objects["spring"]
    for frame, value in ((1, 5.0), (30, 50.0)):
        spring.ves.spring_stiffness = value
        spring.keyframe_insert("ves.spring_stiffness", frame=frame)
    driver = Driver()
    driver.go_on(6)
    assert driver.done == []
    spring.ves.spring_damping = 3.0
    driver.go_on(2)
    assert [settings for *_, settings in driver.done] == [{"damping": 3.0}]


def test_an_empty_that_is_moved_takes_its_end_along(swinging):
    spring = bpy.data.objects["spring"]
    driver = Driver()
    driver.go_on(3)
    spring.location.x += 0.25
    driver.go_on(3)
    ((_, target, settings),) = driver.done
    assert target == "spring"
    assert settings["point_a"] == pytest.approx([1.75, 0.0, 0.0], abs=1e-6)
    replayed(swinging, driver)


def test_a_nail_that_is_moved_pulls_what_hangs_on_it():
    rods = chain(2, 40)
    bpy.data.objects.remove(bpy.data.objects["joint 0"])
    nail = part("nail", "NAIL", (0, 0, 0))
    nail.ves.body_a, nail.ves.catch_time = rods[0], 0.04
    driver = Driver()
    driver.go_on(3)
    nail.location.y += 0.4
    driver.go_on(20)
    ((_, _, settings),) = driver.done
    assert settings == {"place": pytest.approx([0.0, 0.4, 0.0])}
    rod = rods[0].matrix_world
    end = rod.translation - 0.5 * rod.to_3x3().col[0].normalized()
    assert tuple(end) == pytest.approx((0.0, 0.4, 0.0), abs=1e-3)
    replayed(rods, driver)


def test_a_nail_that_hangs_on_its_body_goes_where_it_is_moved_to():
    """As the button makes one. Beside a body that had turned it led elsewhere: it counted as at the start."""
    rods = chain(2, 40)
    bpy.data.objects.remove(bpy.data.objects["joint 0"])
    nail = part("nail", "NAIL", (0, 0, 0))
    nail.ves.body_a, nail.ves.catch_time, nail.parent = rods[0], 0.04, rods[0]
    nail.matrix_parent_inverse = rods[0].matrix_world.inverted()
    before = scene_state()
    driver = Driver()
    driver.go_on(8)
    assert rods[0].matrix_world.to_3x3().col[0].z < -0.3, "it has turned"
    nail.matrix_world = Matrix.Translation((0.2, 0.0, 0.3))
    driver.go_on(20)
    ((_, _, settings),) = driver.done
    assert settings == {"place": pytest.approx([0.2, 0.0, 0.3], abs=1e-6)}
    rod = rods[0].matrix_world
    end = rod.translation - 0.5 * rod.to_3x3().col[0].normalized()
    assert tuple(end) == pytest.approx((0.2, 0.0, 0.3), abs=1e-3)
    assert tuple(nail.matrix_world.translation) == pytest.approx((0.2, 0.0, 0.3), abs=1e-6)
    driver.end()
    assert nail.parent == rods[0]
    assert scene_state() == before
    again = Driver()
    again.go_on(8)
    nail.matrix_world = Matrix.Translation((0.2, 0.0, 0.3))
    again.go_on(20)
    replayed(rods, again)


def test_what_leads_a_point_is_moved():
    rods = chain(1, 40)
    bpy.data.objects.remove(bpy.data.objects["joint 0"])
    leader = bpy.data.objects.new("leader", None)
    bpy.context.scene.collection.objects.link(leader)
    path = part("path", "PATH", (0, 0, 0))
    path.ves.body_a, path.ves.path_object = rods[0], leader
    driver = Driver()
    driver.go_on(3)
    leader.location = (0.0, 0.0, 0.5)
    driver.go_on(24)
    rod = rods[0].matrix_world
    end = rod.translation - 0.5 * rod.to_3x3().col[0].normalized()
    assert end.z == pytest.approx(0.5, abs=2e-3)
    replayed(rods, driver)
    assert tuple(leader.location) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("name", "setting", "value", "words"),
    [
        ("joint 0", "joint_type", "REVOLUTE", "joint 0 has another type only when Play begins anew"),
        ("rod 0", "motion", "FIXED", "rod 0 becomes what it is to be only when Play begins anew"),
    ],
)
def test_what_cannot_change_on_the_way_is_said_by_name(swinging, name, setting, value, words):
    driver = Driver()
    driver.go_on(3)
    setattr(bpy.data.objects[name].ves, setting, value)
    driver.go_on(2)
    assert words in driver.play.message
    assert driver.done == []
    driver.go_on(2)
    assert driver.play.frame == 8


def test_limits_that_cross_are_named_and_the_run_goes_on():
    rod = body("rod", (0.5, 0, 0), (0.9, 0.1, 0.1))
    hinge = joint("hinge", (0, 0, 0), None, rod, "REVOLUTE")
    hinge.rotation_euler.x = -0.5 * np.pi
    bpy.context.view_layer.update()
    driver = Driver()
    driver.go_on(2)
    hinge.ves.use_lower_limit[0] = hinge.ves.use_upper_limit[0] = True
    hinge.ves.lower_limit[0], hinge.ves.upper_limit[0] = 1.0, -1.0
    driver.go_on(2)
    assert "lower limit that is not below the upper one" in driver.play.message
    assert driver.done == []
    hinge.ves.lower_limit[0], hinge.ves.upper_limit[0] = -1.0, 1.0
    driver.go_on(2)
    ((_, _, settings),) = driver.done
    assert settings["limits"] == [[-1.0, 1.0]]
    assert driver.now == pytest.approx(6 * FRAME)


def test_keyed_gravity_goes_on_by_its_keys(swinging):
    scene = bpy.context.scene
    for frame, pull in ((1, -9.81), (20, 9.81)):
        scene.gravity.z = pull
        scene.keyframe_insert("gravity", frame=frame)
    driver = Driver()
    driver.go_on(6)
    assert driver.done == []
    bpy.data.objects["spring"].ves.spring_stiffness = 60.0
    driver.go_on(3)
    assert [target for _, target, _ in driver.done] == ["spring"]
    replayed(swinging, driver)


def test_reset_begins_again_with_what_was_turned_and_with_nothing_else_that_was_done(swinging):
    """The run after a reset is that of a scene which had these numbers from the start, to the bit."""
    bar, hinge = swinging[1], bpy.context.scene.objects["joint 0"]
    driver = Driver()
    driver.go_on(6)
    hinge.ves.damping[0], bpy.context.scene.gravity = 2.0, (0.0, 0.0, -5.0)
    driver.go_on(6)
    assert driver.play.grab(bar, bar.matrix_world.translation)
    driver.play.drag((0.0, 0.0, 3.0))
    driver.go_on(3)
    driver.play.reset()
    driver.go_on(0.5)
    assert driver.play._run.frame <= 1
    assert driver.play.hand is None
    driver.go_on(11.5)
    driver.play.toggle_pause()
    assert 12 <= driver.play._run.frame <= 13
    found = driver.play._run.motion().position[:13]
    assert {(frame, target) for frame, target, _ in driver.done} == {(0, "joint 0"), (0, None)}
    driver.keep("VALUES")
    bpy.context.scene.gravity = (0.0, 0.0, -5.0)
    again = Driver()
    again.go_on(12)
    assert (again.play._run.motion().position[:13] == found).all()


def test_a_run_that_has_failed_is_reset_too_and_one_with_new_parts_says_why_it_is_not(swinging):
    bar = swinging[1]
    driver = Driver()
    driver.go_on(4)
    driver.play._failure = "It stopped at frame 4.5: it ran away"
    driver.play.reset()
    driver.go_on(3)
    assert driver.play._run.frame == 3
    driver.play.take_out([bar])
    driver.play.reset()
    assert driver.play.message.startswith("What was put in or taken out on the way cannot go back")
    driver.go_on(2)
    assert driver.play._run.frame == 5
