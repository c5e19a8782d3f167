# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints between selected bodies: what they join, where they are, and that they go along with their bodies."""

from __future__ import annotations

import math

import bpy
import pytest
from mathutils import Matrix, Vector
from virtual_erector_set.scene.bake.bake import run_to_end
from virtual_erector_set.scene.parts.bodies import rough_mass
from virtual_erector_set.scene.parts.placement import outline
from virtual_erector_set.scene.properties.joint import (
    COORDINATE_KINDS,
    DISPLAY,
    JOINT_TYPES,
    coordinate_values,
    set_coordinate_values,
)
from virtual_erector_set.scene.read.scene import read_mechanism, read_over_time
from virtual_erector_set.solver.mechanism import Joint

from tests.blender.making import box, reports, select, with_role


def z_axis(ob: bpy.types.Object) -> Vector:
    bpy.context.view_layer.update()
    return ob.matrix_world.to_3x3().col[2].normalized()


def near(a: Vector, b: tuple[float, float, float], tolerance: float = 1e-6) -> bool:
    return (Vector(a) - Vector(b)).length < tolerance


def test_the_active_body_is_the_parent() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    select(a, b)
    assert bpy.ops.ves.add_joint(type="REVOLUTE") == {"FINISHED"}
    joint = bpy.context.active_object
    assert joint.name == "Hinge A-B"
    assert (joint.ves.role, joint.ves.joint_type) == ("JOINT", "REVOLUTE")
    assert (joint.ves.body_a, joint.ves.body_b, joint.ves.to_world) == (a, b, False)
    assert joint.type == "EMPTY"
    assert joint.parent == a
    assert bpy.context.selected_objects == [joint]


def test_plain_meshes_become_bodies_and_are_named(capfd: pytest.CaptureFixture) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    select(a)
    bpy.ops.ves.add_body(motion="FIXED")
    select(a, b)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    assert (a.ves.motion, b.ves.role, b.ves.motion) == ("FIXED", "BODY", "DYNAMIC")
    said = reports(capfd)
    assert "Made bodies of B\n" in said


def test_a_single_body_is_joined_to_the_world() -> None:
    a = box("A")
    select(a)
    bpy.ops.ves.add_joint(type="PRISMATIC")
    joint = bpy.context.active_object
    assert joint.name == "Slider World-A"
    assert (joint.ves.body_a, joint.ves.body_b, joint.ves.to_world) == (None, a, True)
    assert joint.parent == a


def test_each_further_body_is_joined_to_the_active_one() -> None:
    hub, arms = box("Hub"), [box("Arm", (2 * math.cos(k), 2 * math.sin(k), 0)) for k in range(3)]
    select(hub, *arms)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="NEAREST")
    joints = with_role("JOINT")
    assert {joint.ves.body_a for joint in joints} == {hub}
    assert {joint.ves.body_b for joint in joints} == set(arms)


@pytest.mark.parametrize("joint_type", [each[0] for each in JOINT_TYPES])
def test_every_type(joint_type: str) -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_joint(type=joint_type)
    joint = bpy.context.active_object
    assert joint.ves.joint_type == joint_type
    assert joint.empty_display_type == DISPLAY[joint_type]
    gains = coordinate_values(joint.ves, "motor_stiffness")
    assert len(gains) == (2 if joint_type == "GENERIC" else len(COORDINATE_KINDS[joint_type]))
    assert all(gain > 0.0 for gain in gains), "a servo switched on later does something"
    assert joint.ves.motor_mode == "NONE"


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_new_joint_has_speeds_and_limits_of_its_bodies_size(size: float) -> None:
    select(box("A", size=(size, size, size)), box("B", (2 * size, 0, 0), (size, size, size)))
    bpy.ops.ves.add_joint(type="CYLINDRICAL")
    settings = bpy.context.active_object.ves
    assert coordinate_values(settings, "motor_speed") == pytest.approx([math.pi, size], rel=0.06)
    assert coordinate_values(settings, "lower_limit") == pytest.approx([-math.pi / 4, -0.5 * size], rel=0.06)
    assert coordinate_values(settings, "upper_limit") == pytest.approx([math.pi / 4, 0.5 * size], rel=0.06)
    assert not any((*settings.use_lower_limit, *settings.use_upper_limit, settings.use_motor_max_force))
    weight = rough_mass(settings.body_b, outline(settings.body_b, bpy.context.evaluated_depsgraph_get())) * 9.81
    assert list(settings.motor_max_force)[:2] == pytest.approx([weight * size, weight], rel=0.06)


def read_joint() -> Joint:
    (joint,) = read_mechanism(bpy.context.scene, bpy.context.evaluated_depsgraph_get()).mechanism.joints
    return joint


def test_limits_friction_and_a_speed_motor_are_read() -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_joint(type="PLANAR")
    settings = bpy.context.active_object.ves
    assert (read_joint().limits, read_joint().friction, read_joint().motor) == (None, None, None)
    settings.use_lower_limit, settings.use_upper_limit = (False, False, True), (True, False, True)
    set_coordinate_values(settings, "lower_limit", [-1.0, -2.0, -3.0])
    set_coordinate_values(settings, "upper_limit", [1.0, 2.0, 3.0])
    settings.friction = (0.5, 0.25, 0.125)
    settings.motor_mode = "SPEED"
    set_coordinate_values(settings, "motor_speed", [4.0, 5.0, 6.0])
    joint = read_joint()
    assert joint.limits == ((None, 1.0), None, (-3.0, 3.0))
    assert joint.friction == (0.5, 0.25, 0.125)
    assert (joint.motor.mode, joint.motor.target, joint.motor.max_force) == ("speed", (4.0, 5.0, 6.0), None)
    settings.use_motor_max_force, settings.motor_max_force = True, (7, 8, 0)
    assert read_joint().motor.max_force == (7, 8, 0)


@pytest.mark.parametrize("by", ["keyframes", "driver"])
def test_speeds_and_maxima_of_a_motor_may_be_animated(by: str) -> None:
    bpy.context.scene.frame_end = 11
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_joint(type="CYLINDRICAL")
    hinge = bpy.context.active_object
    hinge.ves.motor_mode, hinge.ves.use_motor_max_force = "SPEED", True
    for path, index in (("motor_speed", 0), ("motor_speed_travel", 1), ("motor_max_force", 1)):
        if by == "driver":
            hinge.driver_add(f"ves.{path}", index).driver.expression = "frame - 1"
            continue
        for frame in (1, 11):
            getattr(hinge.ves, path)[index] = frame - 1
            hinge.keyframe_insert(f"ves.{path}", index=index, frame=frame)
    (joint,) = run_to_end(read_over_time(bpy.context.scene, bpy.context.view_layer)).mechanism.joints
    for table in (*joint.motor.target, joint.motor.max_force[1]):
        assert (table.values[0], table.values[-1]) == (0.0, 10.0)
    assert isinstance(joint.motor.max_force[0], float)


def test_places() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    bpy.context.scene.cursor.location = (1, 2, 3)
    for location, expected in (("CURSOR", (1, 2, 3)), ("ACTIVE", (0, 0, 0)), ("NEAREST", (1, 0, 0))):
        select(a, b)
        bpy.ops.ves.add_joint(type="FIXED", location=location)
        assert near(bpy.context.active_object.matrix_world.translation, expected), location


@pytest.mark.parametrize("call", ["EXEC_DEFAULT", "INVOKE_DEFAULT"])
@pytest.mark.parametrize(
    ("place", "axis", "expected"), [("CURSOR", "X", (3, 2, 1)), ("NEAREST", "Y", (1, 0, 0)), ("ACTIVE", "Z", (0, 0, 0))]
)
def test_a_script_without_arguments_does_what_a_click_does(
    call: str, place: str, axis: str, expected: tuple[float, float, float]
) -> None:
    settings, a, b = bpy.context.scene.ves, box("A"), box("B", (2, 0, 0))
    settings.connect_at, settings.connect_axis = place, axis
    bpy.context.scene.cursor.location = (3, 2, 1)
    select(a, b)
    assert bpy.ops.ves.add_joint(call) == {"FINISHED"}
    joint = bpy.context.active_object
    assert near(z_axis(joint), tuple(float(axis == each) for each in "XYZ"))
    assert near(joint.matrix_world.translation, expected)


def test_what_a_script_says_goes_before_the_panel() -> None:
    settings = bpy.context.scene.ves
    settings.connect_at, settings.connect_axis = "ACTIVE", "X"
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_joint(location="NEAREST", axis="Z")
    assert near(z_axis(bpy.context.active_object), (0, 0, 1))
    assert near(bpy.context.active_object.matrix_world.translation, (1, 0, 0))


def test_a_chain_without_arguments_takes_the_axis_of_the_panel() -> None:
    bpy.context.scene.ves.connect_axis = "Y"
    select(*(box(f"Link {k}", (2 * k, 0, 0)) for k in range(3)))
    bpy.ops.ves.chain(type="REVOLUTE")
    for joint in with_role("JOINT"):
        assert near(z_axis(joint), (0, 1, 0))
    bpy.ops.object.delete()
    select(*with_role("BODY"))
    bpy.ops.ves.chain(type="REVOLUTE", axis="X")
    for joint in with_role("JOINT"):
        assert near(z_axis(joint), (1, 0, 0))


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        ("X", (1, 0, 0)),
        ("Y", (0, 1, 0)),
        ("Z", (0, 0, 1)),
        ("CURSOR", (0, -1, 0)),
        ("ACTIVE", (1, 0, 0)),
        ("LINE", (0.6, 0, 0.8)),
    ],
)
def test_axes(axis: str, expected: tuple[float, float, float]) -> None:
    a, b = box("A"), box("B", (3, 0, 4))
    a.rotation_euler = (0, math.pi / 2, 0)
    a.scale = (1, 2, 3)
    bpy.context.scene.cursor.rotation_euler = (math.pi / 2, 0, 0)
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE", axis=axis)
    joint = bpy.context.active_object
    assert near(z_axis(joint), expected)
    assert joint.matrix_world.to_3x3().determinant() == pytest.approx(1.0, abs=1e-5), "no scale, no mirror"


def test_a_mirrored_active_object_gives_a_right_handed_frame() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    a.scale = (-1, 2, 1)
    select(a, b)
    bpy.ops.ves.add_joint(type="UNIVERSAL", axis="ACTIVE")
    bpy.context.view_layer.update()
    assert bpy.context.active_object.matrix_world.to_3x3().determinant() == pytest.approx(1.0, abs=1e-5)


def test_the_joint_goes_along_with_its_parent_body() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    a.rotation_euler = (0.3, -0.2, 0.5)
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="NEAREST")
    joint = bpy.context.active_object
    bpy.context.view_layer.update()
    before = joint.matrix_world.copy()
    move = Matrix.Translation((5, 6, 7)) @ Matrix.Rotation(1.0, 4, "Y")
    a.matrix_world = move @ a.matrix_world
    bpy.context.view_layer.update()
    difference = joint.matrix_world - move @ before
    assert max(abs(x) for row in difference for x in row) < 1e-5
    b.location.z = 9.0
    bpy.context.view_layer.update()
    assert near(joint.matrix_world.translation, tuple(move @ before.translation), 1e-5)


def test_the_empty_is_sized_to_the_bodies_and_lies_in_their_collection() -> None:
    home = bpy.data.collections.new("Machine")
    bpy.context.scene.collection.children.link(home)
    a, b = box("A", size=(0.01, 0.01, 0.02)), box("B", (0.1, 0, 0), (0.01, 0.01, 0.02))
    home.objects.link(a)
    bpy.context.scene.collection.objects.unlink(a)
    select(a, b)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    joint = bpy.context.active_object
    assert joint.users_collection == (home,)
    assert 0.001 < joint.empty_display_size < 0.02


@pytest.mark.parametrize("deleted", [False, True])
def test_another_parent_body_carries_the_joint_from_then_on(deleted: bool) -> None:
    a, b, c = box("A", (1, 0, 0)), box("B", (2, 0, 0)), box("C", (0, 5, 0))
    c.rotation_euler.z = 1.0
    select(c)
    bpy.ops.ves.add_body()
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="NEAREST", axis="X")
    joint = bpy.context.active_object
    if deleted:
        select(a)
        bpy.ops.object.delete()
    joint.ves.body_a = c
    bpy.context.view_layer.update()
    assert joint.parent == c
    assert near(joint.matrix_world.translation, (1.5, 0, 0), 1e-5)
    assert near(z_axis(joint), (1, 0, 0))


def test_a_joint_that_a_person_has_parented_stays_where_it_is() -> None:
    a, b, rig = box("A"), box("B", (2, 0, 0)), box("Rig")
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    joint = bpy.context.active_object
    joint.parent = rig
    joint.ves.body_a, joint.ves.body_b = b, a
    assert joint.parent == rig
    joint.parent = None
    joint.ves.body_a, joint.ves.body_b = a, b
    assert joint.parent is None


def test_a_joint_with_two_bodies_is_none_to_the_world() -> None:
    """Or a body that is deleted later would turn into the world."""
    a, b = box("A"), box("B", (2, 0, 0))
    select(b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    joint = bpy.context.active_object
    joint.ves.body_a = a
    assert not joint.ves.to_world


def test_changing_the_type_changes_the_picture() -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ves.add_joint(type="REVOLUTE")
    joint = bpy.context.active_object
    joint.ves.joint_type = "SPHERICAL"
    assert joint.empty_display_type == "SPHERE"


def test_coordinates_go_by_their_kinds() -> None:
    settings = box("A").ves
    settings.joint_type = "PLANAR"
    set_coordinate_values(settings, "rest", [1.0, 2.0, 3.0])
    assert coordinate_values(settings, "rest") == [1.0, 2.0, 3.0]
    assert tuple(settings.rest) == (0.0, 0.0, 3.0)
    assert tuple(settings.rest_travel) == (1.0, 2.0, 0.0)
    settings.joint_type = "FIXED"
    assert coordinate_values(settings, "rest") == []


@pytest.mark.parametrize("linked", [False, True], ids=["duplicate", "linked duplicate"])
def test_copies_of_bodies_with_their_joints_stand_on_their_own(linked: bool) -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b, c)
    bpy.ops.ves.chain(type="SPHERICAL")
    joints = with_role("JOINT")
    originals = {a, b, c, *joints}
    select(a, b, c, *joints)
    bpy.ops.object.duplicate(linked=linked)
    copies = [joint for joint in with_role("JOINT") if joint not in originals]
    assert len(copies) == 2
    for copy in copies:
        assert {copy.ves.body_a, copy.ves.body_b, copy.parent}.isdisjoint(originals)
        assert copy.parent == copy.ves.body_a
    assert [(joint.ves.body_a, joint.ves.body_b) for joint in joints] == [(a, b), (b, c)]


def test_undo_takes_back_a_joint_and_what_became_a_body() -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.ves.add_joint("EXEC_DEFAULT", True, type="REVOLUTE")
    bpy.ops.ed.undo()
    assert with_role("JOINT") == []
    assert with_role("BODY") == []
    bpy.ops.ed.redo()
    (joint,) = with_role("JOINT")
    assert joint.ves.body_a == bpy.data.objects["A"]
