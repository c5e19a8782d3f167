# SPDX-License-Identifier: GPL-3.0-or-later
"""Gears, racks and pulleys in Blender: the operators, what the solver gets, what is said about wrong ones, bakes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.findings import SceneError
from virtual_erector_set.scene.parts.linkages import find_linkages
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time

from tests.blender.linkages import baked_result, body, joint, part, wheels, world_matrices
from tests.blender.making import box, empty, reports, select, with_role


def now():
    bpy.context.view_layer.update()
    return read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get())


def assert_refused(*words: str) -> None:
    with pytest.raises(SceneError) as raised:
        run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer))
    text = str(raised.value)
    assert all(word in text for word in words), text


def test_two_wheels_are_geared_by_their_sizes():
    a, b = wheels()
    select(a, b)
    assert bpy.ops.ves.add_gear() == {"FINISHED"}
    (gear,) = with_role("GEAR")
    axles = bpy.data.objects["axle 0"], bpy.data.objects["axle 1"]
    assert (gear.name, gear.ves.joint_a, gear.ves.joint_b, gear.parent) == ("Gear wheel 0-wheel 1", *axles, axles[0])
    assert gear.ves.gear_ratio == pytest.approx(-0.5, abs=1e-3)
    (found,) = now().mechanism.constraints
    assert (found.type, found.joint_a, found.joint_b) == ("gear", "axle 0", "axle 1")
    assert found.ratio == pytest.approx(-0.5, abs=1e-3)
    bpy.ops.ed.undo_push()
    assert bpy.context.active_object == gear


@pytest.mark.parametrize(("offset", "turned", "ratio"), [(0.2, 0.0, 0.5), (0.0, 0.0, 1.0), (0.6, np.pi, 0.5)])
def test_the_sign_of_a_ratio_follows_from_where_the_wheels_are(offset, turned, ratio):
    a, b = wheels(offset=offset)
    bpy.data.objects["axle 1"].rotation_euler.x = turned
    select(a, b)
    bpy.ops.ves.add_gear()
    assert bpy.context.active_object.ves.gear_ratio == pytest.approx(ratio, abs=1e-3)


def test_joints_are_selected_where_a_wheel_is_on_several(capfd):
    a, b = wheels()
    joint("other", (1, 1, 0), a, b, "REVOLUTE")
    select(a, b)
    with pytest.raises(RuntimeError, match="wheel 1 is on several joints: select the one that is meant, of axle 1, ot"):
        bpy.ops.ves.add_gear()
    select(bpy.data.objects["axle 0"], bpy.data.objects["axle 1"])
    assert bpy.ops.ves.add_gear() == {"FINISHED"}
    assert with_role("GEAR")[0].ves.joint_b == bpy.data.objects["axle 1"]


def test_what_turns_on_nothing_cannot_be_geared():
    a, _ = wheels()
    select(a, body("loose", (3, 0, 0)))
    with pytest.raises(RuntimeError, match="loose is on no Hinge or Slider or Screw: add one first"):
        bpy.ops.ves.add_gear()
    select(bpy.data.objects["axle 0"], joint("ball", (3, 0, 0), None, bpy.data.objects["loose"]))
    with pytest.raises(RuntimeError, match="ball is a Ball: it must be a Hinge or Slider or Screw"):
        bpy.ops.ves.add_gear()
    select(a)
    assert not bpy.ops.ves.add_gear.poll()
    assert with_role("GEAR") == []


def test_a_rack_goes_the_way_of_the_pinions_side():
    a, bar = wheels("PRISMATIC")
    select(bar, a)
    assert bpy.ops.ves.add_rack() == {"FINISHED"}
    (rack,) = with_role("RACK")
    assert (rack.ves.joint_a.name, rack.ves.joint_b.name) == ("axle 0", "axle 1")
    assert rack.ves.pinion_radius == pytest.approx(0.2, abs=1e-4), "the bar is at +X and slides along +Y"
    (found,) = now().mechanism.constraints
    assert (found.type, found.joint_a, found.joint_b) == ("rack", "axle 0", "axle 1")
    bpy.data.objects["axle 1"].rotation_euler.x *= -1.0
    select(bar, a)
    bpy.ops.ves.add_rack()
    assert bpy.context.active_object.ves.pinion_radius == pytest.approx(-0.2, abs=1e-4)
    first, second = wheels()
    select(first, second)
    with pytest.raises(RuntimeError, match="select one wheel on a Hinge, and one or more bars on Sliders"):
        bpy.ops.ves.add_rack()


def test_a_rope_hangs_from_two_wheels_above_its_bodies():
    a, b = box("A"), box("B", (2, 0, -1))
    select(a, b)
    assert bpy.ops.ves.add_pulley() == {"FINISHED"}
    (rope,) = with_role("PULLEY")
    assert (rope.name, rope.ves.body_a, rope.ves.body_b, rope.parent) == ("Pulley A-B", a, b, a)
    (found,) = now().mechanism.constraints
    assert (found.type, found.body_a, found.body_b, found.ratio, found.length) == ("pulley", "A", "B", 1.0, None)
    assert (found.wheel_body_a, found.wheel_body_b) == (None, None)
    assert found.point_a == pytest.approx((0, 0, 0.5))
    assert found.wheel_a == pytest.approx((0, 0, 2.5))
    assert found.point_b == pytest.approx((2, 0, -0.5))
    assert found.wheel_b == pytest.approx((2, 0, 2.5))
    rope.ves.wheel_b.parent = body("crane", (0, 0, 4), motion="FIXED")
    rope.ves.wheel_b.matrix_parent_inverse.identity()
    rope.ves.use_distance, rope.ves.distance = True, 9.0
    reading = now()
    assert reading.mechanism.constraints[0].wheel_body_b == "crane"
    assert reading.mechanism.constraints[0].wheel_b == pytest.approx((2, 0, 6.5))
    assert reading.open == []
    rope.ves.distance = 8.5
    assert_refused("Pulley A-B", "9 m long", "8.5 m", "Snap Together")


def test_wheels_follow_the_cursor_and_a_rope_needs_two_bodies():
    a, b = box("A"), box("B", (2, 0, 0))
    bpy.context.scene.cursor.location = (0, 0, 7)
    select(a, b)
    bpy.ops.ves.add_pulley(location="ORIGIN")
    assert bpy.context.active_object.ves.wheel_a.location.z == pytest.approx(7.0)
    assert bpy.context.active_object.location.z == pytest.approx(0.0)
    select(a)
    with pytest.raises(RuntimeError, match="Select two bodies, one for each end of the rope"):
        bpy.ops.ves.add_pulley()


def gear(**settings) -> bpy.types.Object:
    made = part("gear", settings.pop("role", "GEAR"))
    for name, value in settings.items():
        setattr(made.ves, name, value)
    return made


def test_wrong_gears_are_named_with_a_remedy():
    wheels("PRISMATIC")
    first, second = bpy.data.objects["axle 0"], bpy.data.objects["axle 1"]
    made = gear()
    assert_refused("gear", "has no first joint: choose a Hinge or Slider or Screw")
    made.ves.joint_a = made.ves.joint_b = first
    assert_refused("gear", "couples axle 0 to itself: choose another joint")
    made.ves.joint_b, made.ves.gear_ratio = second, 0.0
    assert_refused("gear", "ratio of 0")
    made.ves.gear_ratio = 1.0
    second.ves.joint_type = "SPHERICAL"
    assert_refused("gear", "its second joint, axle 1, is a Ball: it must be a Hinge or Slider or Screw")
    second.ves.joint_type, second.ves.enabled = "PRISMATIC", False
    assert_refused("gear", "its second joint, axle 1, takes no part: enable it, or disable this as well")
    made.ves.role, second.ves.enabled, second.ves.joint_type = "RACK", True, "REVOLUTE"
    assert_refused("gear", "its second joint, axle 1, is a Hinge: it must be a Slider")
    made.ves.enabled = False
    assert now().mechanism.constraints == []


def test_wrong_ropes_are_named_with_a_remedy():
    a, b = body("a"), body("b", (2, 0, 0))
    rope = part("rope", "PULLEY", (0, 0, 0.5))
    assert_refused("rope", "a rope needs a body at each of its ends: choose both")
    rope.ves.body_a, rope.ves.body_b = a, b
    assert_refused("rope", "has no first wheel: choose an object where it is", "has no second wheel")
    over, other = empty("over"), empty("other")
    over.location, other.location = (0, 0, 0.5), (2, 0, 2)
    rope.ves.wheel_a, rope.ves.wheel_b = over, other
    assert_refused("rope", "its first end is at its wheel")
    over.location.z, over.parent = 2.0, a
    assert_refused("rope", "its first wheel is on a, which hangs there itself")
    over.parent = None
    over.keyframe_insert("location", frame=1)
    assert_refused("rope", "its first wheel, over, moves but is on no body: make it a child of a keyed body")


def test_what_is_geared_hangs_together_and_goes_with_its_bodies():
    a, b = wheels()
    select(a, b)
    assert len(find_linkages(bpy.context.scene)) == 2
    bpy.ops.ves.add_gear()
    (linkage,) = find_linkages(bpy.context.scene)
    assert linkage.bodies == {a, b}
    select(a)
    bpy.ops.ves.remove_body(remove_joints=True)
    assert with_role("GEAR") == []


def test_settings_are_copied():
    a, b = wheels()
    for _ in range(2):
        select(a, b)
        bpy.ops.ves.add_gear()
    first, second = with_role("GEAR")
    first.ves.gear_ratio = -7.0
    select(first, second)
    bpy.ops.ves.copy_settings()
    assert second.ves.gear_ratio == -7.0


def angles(ob: bpy.types.Object, frames) -> np.ndarray:
    """(F,) rad about Z."""
    matrices = world_matrices(ob, frames)
    return np.unwrap(np.arctan2(matrices[:, 1, 0], matrices[:, 0, 0]))


def test_a_bake_keeps_the_ratio_and_a_clutch_lets_go():
    """The first wheel's motor drives the second one, until a keyframe takes the gear out."""
    a, b = wheels()
    motor = bpy.data.objects["axle 0"].ves
    motor.motor_mode = "SPEED"
    motor.motor_speed[0], motor.use_motor_max_force = 6.0, False
    select(a, b)
    bpy.ops.ves.add_gear()
    (made,) = with_role("GEAR")
    made.ves.gear_ratio = -0.5
    made.keyframe_insert("ves.enabled", frame=1)
    made.ves.enabled = False
    made.keyframe_insert("ves.enabled", frame=13)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 25
    scene.use_gravity = False
    scene.frame_set(1)
    motor.motor_speed[0] = 6.0
    baked_result()
    frames = range(1, 26)
    first, second = angles(a, frames), angles(b, frames)
    seconds = (np.array(frames) - 1) / 24.0
    assert first == pytest.approx(6.0 * seconds, abs=1e-5)
    assert second == pytest.approx(-3.0 * seconds, abs=1e-5), "it turns on by itself"


def test_a_bake_of_a_rope_is_atwoods_machine(capfd):
    a, b = body("a", (0, 0, 0)), body("b", (2, 0, 0))
    a.ves.mass_source = b.ves.mass_source = "GIVEN"
    a.ves.mass, b.ves.mass = 3.0, 1.0
    select(a, b)
    bpy.ops.ves.add_pulley()
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 13
    baked_result()
    fall = world_matrices(a, [1, 13])[:, 2, 3]
    assert fall[1] - fall[0] == pytest.approx(-0.5 * 9.81 * (3.0 - 1.0) / 4.0 * 0.25, abs=1e-4)
    assert "rope" not in reports(capfd)


def test_snap_together_gives_a_rope_its_length():
    a, b = body("a", (0, 0, 0)), body("b", (2, 0, 0))
    select(a, b)
    bpy.ops.ves.add_pulley(location="ORIGIN")
    rope = bpy.context.active_object
    rope.ves.use_distance, rope.ves.distance = True, 4.0
    present = 2.0 * rope.ves.wheel_a.location.z
    assert present > 4.1
    assert bpy.ops.ves.snap_together(mode="INSTANT") == {"FINISHED"}
    bpy.context.view_layer.update()
    ends = (a, rope.ves.wheel_a), (b, rope.ves.wheel_b)
    spans = [(wheel.location - ob.matrix_world.translation).length for ob, wheel in ends]
    assert sum(spans) == pytest.approx(4.0, abs=1e-4)
