# SPDX-License-Identifier: GPL-3.0-or-later
"""Making bodies of objects and taking them out again, through the operators."""

from __future__ import annotations

import bpy
import pytest

from tests.blender.making import box, empty, reports, select, with_role


def test_selected_meshes_become_bodies() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b)
    assert bpy.ops.ves.add_body(motion="FIXED", material="STEEL") == {"FINISHED"}
    assert [ob.ves.role for ob in (a, b, c)] == ["BODY", "BODY", "NONE"]
    assert (a.ves.motion, a.ves.material) == ("FIXED", "STEEL")
    assert b.ves.density == pytest.approx(7850.0)


def test_objects_that_are_no_meshes_are_left_alone_and_named(capfd: pytest.CaptureFixture) -> None:
    a, lamp = box("A"), empty("Marker")
    select(a, lamp)
    assert bpy.ops.ves.add_body() == {"FINISHED"}
    assert lamp.ves.role == "NONE"
    assert "Marker" in reports(capfd)


def test_without_a_mesh_the_button_is_grey() -> None:
    select(empty("Marker"))
    assert not bpy.ops.ves.add_body.poll()
    with pytest.raises(RuntimeError, match="Select one or more mesh objects"):
        bpy.ops.ves.add_body()


def test_adding_again_keeps_the_material() -> None:
    a = box("A")
    select(a)
    bpy.ops.ves.add_body(material="LEAD")
    bpy.ops.ves.add_body(motion="KEYED")
    assert (a.ves.motion, a.ves.material) == ("KEYED", "LEAD")


def test_material_and_density_agree() -> None:
    settings = box("A").ves
    settings.material = "CORK"
    assert settings.density == pytest.approx(200.0)
    settings.density = 123.0
    assert settings.material == "CUSTOM"
    assert settings.density == pytest.approx(123.0)
    settings.material = "ICE"
    assert settings.density == pytest.approx(917.0)


def test_removed_bodies_leave_their_joints_and_say_so(capfd: pytest.CaptureFixture) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    select(b)
    assert bpy.ops.ves.remove_body() == {"FINISHED"}
    assert b.ves.role == "NONE"
    assert [joint.name for joint in with_role("JOINT")] == ["Hinge A-B"]
    assert "Hinge A-B" in reports(capfd)


def test_removed_bodies_can_take_their_joints_along() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    select(b, c)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    select(a)
    bpy.ops.ves.remove_body(remove_joints=True)
    assert [joint.name for joint in with_role("JOINT")] == ["Ball B-C"]


def test_settings_of_the_active_body_are_copied_but_not_its_bake() -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    select(a)
    bpy.ops.ves.add_body(motion="DYNAMIC", material="BRASS")
    a.ves.linear_velocity = (1.0, 2.0, 3.0)
    a.ves.is_baked = True
    select(a, b)
    assert bpy.ops.ves.copy_settings() == {"FINISHED"}
    assert b.ves.role == "BODY"
    assert b.ves.material == "BRASS"
    assert tuple(b.ves.linear_velocity) == (1.0, 2.0, 3.0)
    assert not b.ves.is_baked


def test_settings_of_a_joint_are_copied_but_not_what_it_joins() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (4, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE")
    first = bpy.context.active_object
    select(b, c)
    bpy.ops.ves.add_joint(type="SPHERICAL")
    second = bpy.context.active_object
    first.ves.stiffness[0] = 12.0
    select(first, second)
    bpy.ops.ves.copy_settings()
    assert (second.ves.joint_type, second.ves.stiffness[0]) == ("REVOLUTE", 12.0)
    assert second.empty_display_type == "SINGLE_ARROW"
    assert (second.ves.body_a, second.ves.body_b) == (b, c)


def test_undo_takes_back_a_body() -> None:
    select(box("A"))
    bpy.ops.ed.undo_push(message="start")
    bpy.ops.ves.add_body("EXEC_DEFAULT", True)
    assert bpy.data.objects["A"].ves.role == "BODY"
    bpy.ops.ed.undo()
    assert bpy.data.objects["A"].ves.role == "NONE"
    bpy.ops.ed.redo()
    assert bpy.data.objects["A"].ves.role == "BODY"
