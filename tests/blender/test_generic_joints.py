# SPDX-License-Identifier: GPL-3.0-or-later
"""Generic joints in Blender: made, read, baked, keyed, turned in Play, snapped, opened from files, checked, drawn."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.panels.joint import shown_coordinates, what_acts
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.build.scene import build
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.overlay import generic_lines
from virtual_erector_set.scene.quantities.quantities import quantities_of
from virtual_erector_set.scene.read.scene import read_over_time

from tests.blender.linkages import body, joint
from tests.blender.making import box, empty, select, with_role
from tests.blender.playing import Driver
from tests.blender.test_generic import NAMES


def over_time():
    return run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism


def generic(child, parent=None, free=("z",), position=(0, 0, 0), name="joint") -> bpy.types.Object:
    made = joint(name, position, parent, child, "GENERIC")
    made.ves.lock_travel, made.ves.lock_turn = ([axis not in free for axis in names] for names in NAMES)
    return made


def frames(last: int) -> bpy.types.Scene:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, last
    return scene


def test_the_button_makes_one_that_bakes_at_once():
    select(box("A"))
    assert bpy.ops.ves.add_joint(type="GENERIC") == {"FINISHED"}
    (made,) = with_role("JOINT")
    assert (made.ves.joint_type, made.empty_display_type) == ("GENERIC", "ARROWS")
    (found,) = over_time().joints
    assert found.free == ("z", "turn z")
    frames(5)
    assert bpy.ops.ves.bake() == {"FINISHED"}


def test_each_number_goes_to_its_axis():
    made = generic(body("a"), free=("y", "turn x", "turn z"))
    settings = made.ves
    settings.stiffness_travel[1], settings.stiffness[0], settings.stiffness[2] = 30.0, 4.0, 5.0
    settings.stiffness_travel[0] = 99.0  # of a locked axis
    settings.rest_travel[1], settings.damping[2], settings.friction_travel[1] = 0.2, 0.5, 1.5
    settings.use_upper_limit_travel[1], settings.upper_limit_travel[1] = True, 0.4
    settings.use_lower_limit[2], settings.lower_limit[2] = True, -0.3
    settings.bounciness_travel[1] = 0.5
    settings.motor_mode_turn_x, settings.motor_value[0] = "FORCE", 7.0
    settings.motor_mode_turn_z, settings.motor_speed[2] = "SPEED", 2.0
    settings.use_motor_max_axes[5], settings.motor_max_force[2] = True, 9.0
    (found,) = over_time().joints
    assert found.stiffness == (30.0, 4.0, 5.0)
    assert found.rest == pytest.approx((0.2, 0.0, 0.0))
    assert found.damping == (0.0, 0.0, 0.5)
    assert found.friction == (1.5, 0.0, 0.0)
    assert found.limits[0] == pytest.approx((None, 0.4))
    assert found.limits[1:] == (None, pytest.approx((-0.3, None)))
    assert found.bounciness == (0.5, 0.0, 0.0)
    assert [motor and (motor.mode, motor.value, motor.target, motor.max_force) for motor in found.motor] == [
        None, ("force", 7.0, None, None), ("speed", None, 2.0, 9.0),
    ]  # fmt: skip


def test_keyed_along_one_axis_it_falls_along_another_and_inspect_has_both():
    scene = frames(25)
    block = body("block", size=(0.4, 0.4, 0.4))
    made = generic(block, free=("x", "z"))
    made.ves.motor_mode_x = "KEYED"
    for frame, x in ((1, 0.0), (25, 1.0)):
        made.ves.motor_target_travel[0] = x
        made.ves.keyframe_insert("motor_target_travel", index=0, frame=frame)
    made.ves.use_lower_limit_travel[2], made.ves.lower_limit_travel[2] = True, -2.0
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene.frame_set(13)
    assert (block.matrix_world.translation - Vector((0.5, 0, -9.81 / 8))).length < 1e-3
    scene.frame_set(25)
    assert (block.matrix_world.translation - Vector((1.0, 0, -2.0))).length < 1e-3
    _, found = quantities_of(made, scene)
    told = {quantity.label: quantity for quantity in found}
    assert told["Travel"].parts == ("X", "Z")
    weight = 9.81 * over_time().bodies[0].mass
    assert told["Reaction Force XYZ"].values[-1][2] == pytest.approx(weight, rel=1e-3)
    assert told["Axis Force"].values[5][1] == pytest.approx(0.0, abs=1e-6)


def test_a_keyed_stiffness_of_a_travel_is_a_table():
    made = generic(body("a"))
    for frame, k in ((1, 0.0), (25, 50.0)):
        made.ves.stiffness_travel[2] = k
        made.ves.keyframe_insert("stiffness_travel", index=2, frame=frame)
    frames(25)
    (found,) = over_time().joints
    assert found.stiffness[0].values[-1] == pytest.approx(50.0)


def test_keyed_limits_act_at_their_frames():
    made = generic(body("a"))
    made.ves.use_lower_limit_travel[2] = True
    for frame, low in ((1, -2.0), (13, -3.0)):
        made.ves.lower_limit_travel[2] = low
        made.ves.keyframe_insert("lower_limit_travel", index=2, frame=frame)
    for curve in made.animation_data.action.layers[0].strips[0].channelbags[0].fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"
    frames(25)
    actions = [action for action in over_time().actions if "limits" in action.set]
    assert [action.set["limits"][0][0] for action in actions] == pytest.approx([-3.0])


def test_all_locked_or_all_free_is_said_by_name():
    made = generic(body("a"), free=())
    with pytest.raises(SceneError, match="joint: has all six axes locked: free one, or make it a Weld"):
        over_time()
    made.ves.lock_travel = made.ves.lock_turn = (False,) * 3
    with pytest.raises(SceneError, match="joint: has all six axes free, so it holds nothing: lock one"):
        over_time()
    made.ves.lock_travel[0], made.ves.motor_mode_turn_y = True, "KEYED"
    with pytest.raises(SceneError, match="three free turns, of which none can be keyed exactly"):
        over_time()


def test_check_names_a_motor_that_does_nothing():
    made = generic(body("a"), free=("x", "turn z"))
    made.ves.motor_mode_turn_z = "FORCE"
    bpy.ops.ves.check()
    said = [finding.text for finding in bpy.context.scene.ves.findings]
    assert any("has a motor along turn z that does nothing" in text for text in said)


@pytest.mark.parametrize("free", [("x", "turn y"), ("turn x", "turn z"), ("x", "y", "turn x", "turn y", "turn z")])
def test_loose_sides_are_snapped_and_stay_together(free):
    a, b = body("a", motion="FIXED"), body("b", (3, 0, 0))
    made = generic(b, a, free, (0.5, 0.2, 0.1))
    mark = empty("mark")
    mark.parent, mark.matrix_parent_inverse = b, b.matrix_world.inverted()
    mark.matrix_world = Matrix.Translation((2.5, 0.4, 0.3)) @ Matrix.Rotation(0.4, 4, (0.6, 0.0, 0.8))
    made.ves.anchor_b = mark
    if free[-3:] != NAMES[1]:
        with pytest.raises(SceneError, match="its two sides are"):
            over_time()
    assert bpy.ops.ves.snap_together() == {"FINISHED"}
    over_time()
    bpy.context.view_layer.update()
    axes = made.matrix_world.to_3x3()
    way = axes.transposed() @ (mark.matrix_world.translation - made.matrix_world.translation)
    assert max(abs(way["xyz".index(name)]) for name in "xyz" if name not in free) < 1e-5
    frames(3)
    assert bpy.ops.ves.bake() == {"FINISHED"}


def test_turned_in_play_it_acts_at_once_and_comes_back():
    block = body("block", size=(0.4, 0.4, 0.4))
    made = generic(block, free=("z", "turn z"))
    frames(40)
    driver = Driver()
    driver.go_on(5)
    made.ves.motor_mode_z = "FORCE"
    made.ves.motor_value_travel[2] = 2.0 * 9.81 * 64.0
    driver.go_on(2)
    made.ves.damping_travel[2] = 50.0
    driver.go_on(3)
    made.ves.lock_travel[0] = False
    driver.go_on(2)
    assert {name for _, _, settings in driver.done for name in settings} == {"motor", "damping"}
    made.ves.lock_travel[0] = True
    driver.keep()
    kept = [np.array(block.matrix_world)]
    scene = bpy.context.scene
    last = scene.frame_end = driver.play._reading.first + driver.play._run.frame
    scene.frame_set(last)
    kept = np.array(block.matrix_world)
    bpy.ops.ves.clear_bake()
    assert bpy.ops.ves.bake() == {"FINISHED"}
    scene.frame_set(last)
    assert np.array_equal(kept, np.array(block.matrix_world))


def test_written_to_a_file_and_back():
    a, b = body("a"), body("b", (3, 0, 0))
    made = generic(b, a, ("x", "z", "turn y"))
    settings = made.ves
    settings.stiffness_travel[2], settings.rest_travel[2], settings.friction[1] = 20.0, 0.1, 0.4
    settings.use_upper_limit[1], settings.upper_limit[1] = True, 0.7
    settings.motor_mode_x, settings.motor_mode_turn_y = "KEYED", "POSITION"
    settings.motor_stiffness[1], settings.motor_damping[1], settings.motor_target[1] = 9.0, 1.0, 0.3
    for frame, x in ((1, 0.0), (10, 0.2)):
        settings.motor_target_travel[0] = x
        settings.keyframe_insert("motor_target_travel", index=0, frame=frame)
    frames(10)
    first = over_time()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    build(bpy.context, first)
    frames(10)
    (again,) = over_time().joints
    (joint_before,) = first.joints
    assert again.free == joint_before.free == ("x", "z", "turn y")
    for name in ("stiffness", "rest", "friction"):
        assert getattr(again, name) == pytest.approx(getattr(joint_before, name))
    assert again.limits[2][1] == pytest.approx(0.7)
    assert [motor and motor.mode for motor in again.motor] == ["keyed", None, "position"]
    assert again.motor[2].target == pytest.approx(0.3)
    assert again.motor[0].target.values == pytest.approx(joint_before.motor[0].target.values, abs=1e-6)


def test_a_row_says_what_acts_and_the_panels_show_one_axis():
    made = generic(body("a"), free=("x", "turn z"))
    settings = made.ves
    assert (what_acts(settings, "x"), what_acts(settings, "turn z")) == ("Free", "Free")
    settings.stiffness_travel[0], settings.use_lower_limit[2], settings.motor_mode_turn_z = 3.0, True, "SPEED"
    assert (what_acts(settings, "x"), what_acts(settings, "turn z")) == ("Spring", "Limits, Speed Motor")
    settings.shown_axis = "TURN_Z"
    assert shown_coordinates(settings) == [1]
    settings.shown_axis = "Y"
    assert shown_coordinates(settings) == []


def test_free_axes_of_a_selected_one_are_drawn():
    made = generic(body("a"), free=("x", "y"))
    select(made)
    assert len(generic_lines(bpy.context)) == 4
    made.ves.joint_type = "REVOLUTE"
    assert generic_lines(bpy.context) == []


def test_settings_are_copied_with_the_axes():
    one, other = generic(body("a"), free=("x",), name="one"), generic(body("b", (3, 0, 0)), name="other")
    one.ves.stiffness_travel[0], one.ves.motor_mode_x = 12.0, "FORCE"
    select(one, other)
    assert bpy.ops.ves.copy_settings() == {"FINISHED"}
    assert tuple(other.ves.lock_travel) == (False, True, True)
    assert (other.ves.stiffness_travel[0], other.ves.motor_mode_x) == (12.0, "FORCE")
