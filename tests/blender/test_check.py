# SPDX-License-Identifier: GPL-3.0-or-later
"""Check says in words what is wrong, names the object and leads to it."""

from __future__ import annotations

import math

import bpy
import pytest
from virtual_erector_set.scene.properties.force_types import FORCE_TYPES
from virtual_erector_set.scene.properties.joint import set_coordinate_values

from tests.blender.making import animate, box, curve_object, empty, mesh_object, reports, select, with_role


@pytest.fixture(autouse=True)
def weightless() -> None:
    """Few of these bodies are held, and what falls for ever is said too (`test_check_falling`)."""
    bpy.context.scene.use_gravity = False


def findings() -> list[tuple[str, str | None, str]]:
    """(severity, name of the culprit, text) of each, after running Check."""
    assert bpy.ops.ves.check() == {"FINISHED"}
    found = bpy.context.scene.ves.findings
    return [(finding.severity, finding.culprit and finding.culprit.name, finding.text) for finding in found]


def assert_only(severity: str, culprit: str | None, *words: str) -> None:
    """That there is one finding of this severity about this object, with these words, and no other that is as bad."""
    found = findings()
    same = [text for level, name, text in found if (level, name) == (severity, culprit)]
    assert len(same) == 1, found
    assert all(word in same[0] for word in words), same[0]
    assert [level for level, _, _ in found].count(severity) == 1, found


def bodies(*objects: bpy.types.Object, motion: str = "DYNAMIC") -> None:
    select(*objects)
    bpy.ops.ves.add_body(motion=motion)


def joint(parent: bpy.types.Object, child: bpy.types.Object, joint_type: str = "REVOLUTE") -> bpy.types.Object:
    select(parent, child)
    bpy.ops.ves.add_joint(type=joint_type)
    return bpy.context.active_object


def test_nothing_wrong(capfd: pytest.CaptureFixture) -> None:
    joint(box("A"), box("B", (2, 0, 0)))
    assert findings() == []
    assert bpy.context.scene.ves.was_checked
    assert "nothing wrong" in reports(capfd)


def keyed_shape(ob: bpy.types.Object) -> None:
    ob.shape_key_add(name="Basis")
    key = ob.shape_key_add(name="Wide")
    for frame, value in ((1, 0.0), (9, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)


def keyed_array(ob: bpy.types.Object) -> None:
    ob.modifiers.new("Row", "ARRAY").keyframe_insert("count", frame=1)


@pytest.mark.parametrize(
    ("deform", "cause"),
    [(keyed_shape, "Shape Keys"), (keyed_array, "Row"), (lambda ob: ob.modifiers.new("Sea", "WAVE"), "Sea")],
    ids=["shape keys", "keyed modifier", "wave"],
)
def test_a_mesh_that_changes_over_time_is_said_to_stay_as_at_the_first_frame(deform, cause: str) -> None:
    """It was taken as rigid, unsaid. What only touches says so where there is contact."""
    joint(box("A"), box("B", (2, 0, 0)))
    b = bpy.data.objects["B"]
    b.modifiers.new("Round", "BEVEL")
    deform(b)
    words = f"its mesh changes over time ({cause}), but a body is rigid: its mass and shape stay as at the first frame"
    assert findings() == [("INFO", "B", f"B: {words}")]
    b.ves.motion = "FIXED"
    assert not any(words in text for _, _, text in findings())
    bpy.context.scene.ves.use_contact = True
    assert any(words in text for _, _, text in findings())


def test_a_wrong_scene_of_many_bodies_is_not_an_exception(capfd: pytest.CaptureFixture) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    joint(a, b)
    bpy.data.objects.remove(a)
    assert [finding[0] for finding in findings()] == ["ERROR"]
    assert "1 error" in reports(capfd)


def test_no_bodies() -> None:
    assert "no bodies" in findings()[0][2]


def test_an_empty_frame_range() -> None:
    bodies(box("A"))
    bpy.context.scene.ves.frame_source = "CUSTOM"
    bpy.context.scene.ves.frame_start = bpy.context.scene.ves.frame_end = 5
    assert_only("ERROR", None, "5 to 5")


@pytest.mark.parametrize("which", ["parent", "child"])
def test_a_joint_whose_body_was_deleted(which: str) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    joint(a, b)
    bpy.data.objects.remove(a if which == "parent" else b)
    assert_only("ERROR", "Hinge A-B", "one end")


def test_a_joint_to_the_world_is_fine_until_its_body_is_deleted() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    bodies(b)
    select(a)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    assert findings() == []
    bpy.data.objects.remove(a)
    assert_only("ERROR", "Hinge World-A")


def test_both_ends_on_the_same_body() -> None:
    hinge = joint(box("A"), box("B", (2, 0, 0)))
    hinge.ves.body_b = hinge.ves.body_a
    assert_only("ERROR", "Hinge A-B", "itself")


def test_a_joint_to_something_that_is_no_body() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    joint(a, b)
    select(b)
    bpy.ops.ves.remove_body()
    assert_only("ERROR", "Hinge A-B", "B", "not a body")


def test_a_joint_to_a_body_of_another_scene() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    joint(a, b)
    bpy.context.scene.collection.objects.unlink(b)
    assert_only("ERROR", "Hinge A-B", "B", "not in this scene")


def test_a_switched_off_joint_is_no_problem() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    hinge = joint(a, b)
    bpy.data.objects.remove(b)
    hinge.ves.enabled = False
    assert findings() == []


def test_a_body_in_an_excluded_collection() -> None:
    home = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(home)
    a = box("A")
    bodies(a, box("B", (2, 0, 0)))
    home.objects.link(a)
    bpy.context.scene.collection.objects.unlink(a)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    assert_only("WARNING", "A", "excluded")


def test_a_flat_body() -> None:
    bodies(mesh_object("Card", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], faces=[(0, 1, 2, 3)]))
    assert_only("ERROR", "Card", "volume", "Solidify")


def test_an_open_body() -> None:
    bucket = box("Bucket")
    bodies(bucket)
    assert findings() == []
    bucket.modifiers.new("Gone", "BUILD").frame_start = 100
    bpy.context.scene.frame_set(1)
    assert findings()[0][:2] == ("ERROR", "Bucket"), "nothing is left of it"
    bucket.modifiers.clear()
    corners = [tuple(vertex.co) for vertex in bucket.data.vertices]
    faces = [tuple(polygon.vertices) for polygon in bucket.data.polygons][:-1]
    bucket.data.clear_geometry()
    bucket.data.from_pydata(corners, [], faces)
    assert_only("WARNING", "Bucket", "open", "hull")


def test_a_mirrored_body_is_fine() -> None:
    a = box("A")
    a.scale = (-1, 2, 0.5)
    bodies(a)
    assert findings() == []


def test_a_body_below_a_parent_that_is_scaled_unevenly() -> None:
    """A bake says afterwards that the body is not shown as it was solved."""
    parent, child = empty("parent"), box("child", (1, 0, 0))
    bodies(child)
    child.parent = parent
    bpy.context.view_layer.update()
    assert not any("unevenly" in text for _, _, text in findings())
    parent.scale, parent.rotation_euler = (2, 2, 2), (0.3, 0.2, 0.0)
    assert not any("unevenly" in text for _, _, text in findings())
    parent.scale = (1, 3, 1)
    (told,) = (finding for finding in findings() if "unevenly" in finding[2])
    assert told[:2] == ("INFO", "child")
    assert "Apply the parent's scale" in told[2]


def test_a_keyed_child_of_a_dynamic_parent() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    bodies(a)
    bodies(b, motion="KEYED")
    b.parent = a
    animate(b)
    assert_only("ERROR", "B", "A", "dynamic")


def test_a_keyed_body_that_stands_still() -> None:
    bodies(box("A"))
    bodies(box("B", (2, 0, 0)), motion="KEYED")
    assert_only("INFO", "B", "nothing moves it")


def test_a_dynamic_body_with_an_animation() -> None:
    a = box("A")
    animate(a)
    bodies(a)
    assert_only("INFO", "A", "keyframes", "Keyed")


def test_a_body_of_blenders_own_rigid_body_world() -> None:
    a = box("A")
    bodies(a)
    bpy.ops.rigidbody.world_add()
    bpy.ops.rigidbody.object_add()
    assert_only("ERROR", "A", "rigid body")


def test_nothing_dynamic() -> None:
    bodies(box("A"), motion="FIXED")
    assert_only("INFO", None, "nothing will move")


def test_a_closed_loop_is_fine() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (1, 2, 0))
    for parent, child in ((a, b), (b, c), (c, a)):
        joint(parent, child)
    assert findings() == []


def test_a_joint_between_bodies_that_cannot_move() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    bodies(a, b, motion="FIXED")
    bodies(box("C", (4, 0, 0)))
    joint(a, b)
    assert_only("ERROR", "Hinge A-B", "A", "B")


def test_a_path_without_its_curve() -> None:
    body, curve = box("A"), curve_object("Road", [(0, 0, 0), (9, 0, 0)])
    select(body, curve)
    bpy.ops.ves.add_path()
    assert findings() == []
    bpy.data.objects.remove(curve)
    assert_only("ERROR", "Path A-Road", "nothing to follow")


def test_a_path_after_something_that_stands_still() -> None:
    body, hand = box("A"), empty("Hand")
    select(body, hand)
    bpy.ops.ves.add_path()
    assert_only("INFO", "Path A-Hand", "nothing moves")
    animate(hand)
    assert findings() == []


def test_what_is_apart_is_an_error_only_at_the_frame_that_counts() -> None:
    select(box("A"), box("B", (3, 0, 0)))
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    assert_only("ERROR", "Tie A-B", "2 m apart", "Snap Together")
    bpy.context.scene.frame_set(2)
    assert_only("WARNING", "Tie A-B", "what counts is the first")


def test_a_path_that_ends_before_it_starts() -> None:
    body, curve = box("A"), curve_object("Road", [(0, 0, 0), (9, 0, 0)])
    select(body, curve)
    bpy.ops.ves.add_path()
    with_role("PATH")[0].ves.path_frame_end = -5
    assert_only("ERROR", "Path A-Road", "end frame")


@pytest.mark.parametrize(("mode", "word"), [("FORCE", "force"), ("SPEED", "maximum"), ("POSITION", "stiffness")])
def test_an_idle_joint_motor(mode: str, word: str) -> None:
    hinge = joint(box("A"), box("B", (2, 0, 0)))
    hinge.ves.motor_mode, hinge.ves.use_motor_max_force = mode, True
    assert findings() == [], "a new servo has gains that suit its child"
    hinge.ves.motor_value = hinge.ves.motor_stiffness = hinge.ves.motor_damping = (0, 0, 0)
    hinge.ves.motor_max_force = (0, 0, 0)
    assert_only("INFO", "Hinge A-B", word)


def limited(lower: float, upper: float, joint_type: str = "REVOLUTE") -> bpy.types.PropertyGroup:
    settings = joint(box("A"), box("B", (2, 0, 0)), joint_type).ves
    settings.use_lower_limit[0] = settings.use_upper_limit[0] = True
    set_coordinate_values(settings, "lower_limit", [lower])
    set_coordinate_values(settings, "upper_limit", [upper])
    return settings


def test_limits_around_the_starting_pose_are_fine() -> None:
    limited(-0.5, 0.5)
    assert findings() == []


def test_limits_that_exclude_the_starting_pose() -> None:
    settings = limited(math.radians(10), math.radians(45))
    assert_only("WARNING", "Hinge A-B", "starts at 0°", "at least 10° and at most 45°")
    settings.coordinates[0] = math.radians(20)
    assert findings() == [], "it starts within them"
    settings.coordinates[0], settings.use_upper_limit[0] = math.radians(60), False
    assert findings() == []


def test_limits_of_a_slider_are_lengths() -> None:
    limited(-2.0, -1.0, "PRISMATIC")
    assert_only("WARNING", "Slider A-B", "starts at 0 m", "at least -2 m and at most -1 m")


def test_limits_the_wrong_way_round() -> None:
    limited(0.5, -0.5)
    assert_only("ERROR", "Hinge A-B", "not below", "28.65°, -28.65°")


def test_a_motor_that_runs_into_its_limit() -> None:
    settings = limited(-0.5, 0.5)
    settings.motor_mode, settings.motor_speed[0], settings.use_motor_max_force = "SPEED", 2.0, False
    assert_only("ERROR", "Hinge A-B", "2 rad/s", "0.5 rad", "at frame 7", "Limit Force")
    bpy.context.scene.frame_end = 5
    assert findings() == [], "it gets there later than that"
    bpy.context.scene.frame_end, settings.use_motor_max_force = 250, True
    assert findings() == []


def test_motors_on_geared_wheels_that_contradict_each_other() -> None:
    frame = box("Frame", (1, 0, -2))
    wheels = [joint(frame, box(name, (2 * k, 0, 0))) for k, name in enumerate("AB")]
    select(*wheels)
    bpy.ops.ves.add_gear()
    gear = bpy.context.active_object
    gear.ves.gear_ratio = -1.5
    for wheel in wheels:
        wheel.ves.motor_mode, wheel.ves.motor_speed[0], wheel.ves.use_motor_max_force = "SPEED", 2.0, False
    assert_only("ERROR", wheels[0].name, *(each.name for each in (*wheels, gear)), "Limit Force")
    wheels[1].ves.motor_speed[0] = 2.0 * gear.ves.gear_ratio
    assert findings() == []


def force(force_type: str, height: float = 2.0) -> bpy.types.Object:
    """A new force on a cube whose middle is at that height."""
    select(box("A", (0, 0, height)))
    bpy.ops.ves.add_force(type=force_type)
    return bpy.context.active_object


@pytest.mark.parametrize("force_type", sorted({item[0] for item in FORCE_TYPES} - {"BALANCE", "REACH", "STEERING"}))
def test_a_new_force_is_fine(force_type: str) -> None:
    new = force(force_type)
    if force_type == "GRAVITY":
        select(new.ves.body_a)
        bpy.ops.ves.add_nail()
    assert findings() == []


def test_a_balance_of_a_body_without_legs() -> None:
    force("BALANCE")
    assert_only("ERROR", "Balance A", "has no feet", "Feet from Selection")


def test_a_support_that_starts_deep_below_the_ground() -> None:
    foot = force("SUPPORT", 0.45)
    assert findings() == [], "it sinks in a little when it stands"
    foot.parent.location.z = -1.0
    assert_only("WARNING", "Support A", "1.5 m below the ground", "throw A up")
    foot.ves.support_height = -2.0
    assert findings() == []


@pytest.mark.parametrize(
    ("force_type", "name", "word"),
    [("BRAKE", "brake_damping", "damping"), ("SUPPORT", "support_stiffness", "stiffness")],
)
def test_an_idle_force(force_type: str, name: str, word: str) -> None:
    idle = force(force_type)
    value = getattr(idle.ves, name)
    setattr(idle.ves, name, (0, 0, 0) if hasattr(value, "__len__") else 0.0)
    assert_only("INFO", idle.name, word, "does nothing")
    idle.driver_add(f"ves.{name}", 0 if hasattr(value, "__len__") else -1).driver.expression = "frame"
    assert findings() == []


def test_an_idle_force_that_is_switched_on_later_is_told_too() -> None:
    idle = force("MOTOR")
    idle.ves.force, idle.ves.enabled = (0, 0, 0), False
    assert findings() == []
    idle.keyframe_insert("ves.enabled", frame=1)
    assert_only("INFO", "Motor A", "force")


def test_an_idle_motor() -> None:
    body = box("A")
    select(body)
    bpy.ops.ves.add_force(type="MOTOR")
    force = bpy.context.active_object
    force.ves.force = (0, 0, 0)
    assert_only("INFO", "Motor A", "force")
    force.keyframe_insert("ves.force", frame=1)
    assert findings() == []


def test_a_force_on_something_fixed() -> None:
    a = box("A")
    bodies(a, motion="FIXED")
    bodies(box("B", (3, 0, 0)))
    select(a)
    bpy.ops.ves.add_force(type="DAMPING")
    assert_only("INFO", "Damping A", "can't be moved")


def test_the_culprit_is_selected_even_if_hidden() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    hinge = joint(a, b)
    hinge.ves.body_b = a
    hinge.hide_set(True)
    bpy.ops.ves.check()
    assert bpy.ops.ves.select_culprit(index=0) == {"FINISHED"}
    assert bpy.context.active_object == hinge
    assert bpy.context.selected_objects == [hinge]


@pytest.mark.parametrize("how", ["operator", "script"])
def test_a_culprit_that_is_gone(how: str) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    hinge = joint(a, b)
    hinge.ves.body_b = a
    bpy.ops.ves.check()
    select(hinge)
    if how == "operator":
        bpy.ops.object.delete()
    else:
        bpy.data.objects.remove(hinge)
    assert bpy.ops.ves.select_culprit() == {"CANCELLED"}


@pytest.mark.parametrize("how", ["operator", "script"])
def test_a_joint_whose_body_was_deleted_does_not_turn_into_one_to_the_world(how: str) -> None:
    """Delete leaves an object in the file as long as something points at it, a script takes it away at once."""
    a, b = box("A"), box("B", (2, 0, 0))
    joint(a, b)
    select(a)
    if how == "operator":
        bpy.ops.object.delete()
    else:
        bpy.data.objects.remove(a)
    assert_only("ERROR", "Hinge A-B")


def test_checking_changes_neither_selection_nor_frame() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    joint(a, b)
    bpy.context.scene.frame_set(17, subframe=0.5)
    select(b, a)
    bpy.ops.ves.check()
    assert bpy.context.active_object == b
    assert set(bpy.context.selected_objects) == {a, b}
    assert bpy.context.scene.frame_current_final == 17.5
