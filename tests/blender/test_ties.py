# SPDX-License-Identifier: GPL-3.0-or-later
"""Ties and rods between two points, and joints whose two sides are still apart: where their Empties and marks go."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector

from tests.blender.making import box, select, with_role


def place_of(ob: bpy.types.Object) -> Vector:
    bpy.context.view_layer.update()
    return ob.matrix_world.translation


def near(ob: bpy.types.Object, expected: tuple[float, float, float]) -> bool:
    return (place_of(ob) - Vector(expected)).length < 1e-5


@pytest.mark.parametrize(
    ("location", "expected"), [("NEAREST", (1, 0, 0)), ("CURSOR", (0.1, 0.2, 0.3)), ("ORIGIN", (0, 0, 0))]
)
def test_two_bodies_are_tied_at_one_point(location: str, expected: tuple[float, float, float]) -> None:
    a, b = box("A"), box("B", (2, 0, 0))
    bpy.context.scene.cursor.location = (0.1, 0.2, 0.3)
    select(a, b)
    assert bpy.ops.ves.add_point_to_point(location=location) == {"FINISHED"}
    (tie,) = with_role("POINT_TO_POINT")
    assert (tie.name, tie.ves.body_a, tie.ves.body_b, tie.parent) == ("Tie A-B", a, b, a)
    assert tie.ves.anchor_b is None
    assert tie.ves.to_world is False
    place = place_of(tie)
    assert abs(place.x - expected[0]) < 1e-5
    assert location == "NEAREST" or near(tie, expected), "which of the points of two flat sides is open"


def test_a_loose_tie_has_an_end_on_each_body() -> None:
    a, b = box("A"), box("B", (3, 0.2, 0))
    select(a, b)
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    (tie,) = with_role("POINT_TO_POINT")
    mark = tie.ves.anchor_b
    assert (mark.name, mark.parent, mark.ves.role) == ("Tie A-B End", b, "NONE")
    assert abs(place_of(tie).x - 0.5) < 1e-5
    assert abs(place_of(mark).x - 2.5) < 1e-5
    assert bpy.context.selected_objects == [tie]


def test_each_body_is_tied_to_the_active_one_and_a_single_one_to_the_world() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (0, 2, 0))
    select(a, b, c)
    bpy.ops.ves.add_point_to_point()
    assert [(tie.ves.body_a, tie.ves.body_b) for tie in with_role("POINT_TO_POINT")] == [(a, b), (a, c)]
    d = box("D", (9, 0, 0))
    bpy.context.scene.cursor.location = (9, 0, 2)
    select(d)
    bpy.ops.ves.add_point_to_point(location="LOOSE")
    tie = bpy.context.active_object
    assert (tie.name, tie.ves.body_b, tie.ves.to_world) == ("Tie D-World", None, True)
    assert near(tie, (9, 0, 0.5))
    assert near(tie.ves.anchor_b, (9, 0, 2))
    assert tie.ves.anchor_b.parent is None


def test_a_rod_goes_from_body_to_body_and_marks_its_other_end() -> None:
    a, b = box("A"), box("B", (0, 3, 4))
    select(a, b)
    assert bpy.ops.ves.add_distance() == {"FINISHED"}
    (rod,) = with_role("DISTANCE")
    assert (rod.name, rod.ves.body_a, rod.ves.body_b) == ("Distance A-B", a, b)
    assert (near(rod, (0, 0, 0)), near(rod.ves.anchor_b, (0, 3, 4)), rod.ves.anchor_b.parent) == (True, True, b)
    assert rod.ves.distance == pytest.approx(5.0)
    assert rod.ves.use_distance is False
    assert rod.empty_display_size == pytest.approx(5.0), "the arrow reaches to the other end"
    assert (rod.matrix_world.to_3x3() @ Vector((0, 0, 1)) - Vector((0, 0.6, 0.8))).length < 1e-5


def test_a_rod_to_the_cursor() -> None:
    a = box("A")
    bpy.context.scene.cursor.location = (0, 0, 3)
    select(a)
    bpy.ops.ves.add_distance(location="NEAREST")
    (rod,) = with_role("DISTANCE")
    assert (rod.ves.body_b, rod.ves.to_world) == (None, True)
    assert near(rod, (0, 0, 0.5))
    assert near(rod.ves.anchor_b, (0, 0, 3))


def test_a_mark_goes_along_when_another_body_is_chosen() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (0, 2, 0))
    for body in (a, b, c):
        body.ves.role = "BODY"
    select(a, b)
    bpy.ops.ves.add_distance()
    (rod,) = with_role("DISTANCE")
    rod.ves.body_b = c
    assert rod.ves.anchor_b.parent == c
    assert near(rod.ves.anchor_b, (2, 0, 0)), "it stays where it is"


def test_a_loose_joint_has_its_childs_side_on_the_child() -> None:
    a, b = box("A"), box("B", (3, 0, 0))
    select(a, b)
    bpy.ops.ves.add_joint(type="REVOLUTE", location="LOOSE", axis="Y")
    (hinge,) = with_role("JOINT")
    mark = hinge.ves.anchor_b
    assert (hinge.parent, mark.parent) == (a, b)
    assert abs(place_of(hinge).x - 0.5) < 1e-5
    assert abs(place_of(mark).x - 2.5) < 1e-5
    assert mark.matrix_world.to_quaternion().rotation_difference(hinge.matrix_world.to_quaternion()).angle < 1e-5


def bar(name: str, position, turn: float = 0.0) -> bpy.types.Object:
    ob = box(name, position, (2.0, 0.1, 0.1))
    ob.rotation_euler.z = turn
    return ob


def test_three_loose_bars_are_joined_at_their_free_ends() -> None:
    """Each end is taken once, so that the three can become a triangle."""
    a, b, c = bar("A", (0, 0, 0)), bar("B", (0.3, 1, 0), 0.4), bar("C", (0.2, 2, 0), -0.3)
    for pair in ((a, b), (b, c), (c, a)):
        select(*pair)
        bpy.ops.ves.add_joint(type="REVOLUTE", location="LOOSE")
        bpy.context.view_layer.update()
    ends: dict[str, list[float]] = {}
    for hinge in with_role("JOINT"):
        for held, mark in ((hinge.ves.body_a, hinge), (hinge.ves.body_b, hinge.ves.anchor_b)):
            local = held.matrix_world.inverted() @ mark.matrix_world.translation
            assert abs(local.y) < 1e-5
            assert abs(local.z) < 1e-5, "the middle of the end, not a corner"
            ends.setdefault(held.name, []).append(round(local.x, 4))
    assert {name: sorted(found) for name, found in ends.items()} == {name: [-1.0, 1.0] for name in "ABC"}
    assert bpy.ops.ves.snap_together() == {"FINISHED"}
    assert bpy.context.scene.ves.snap_status == "Moved 3 bodies: all is together"


def test_bars_that_are_joined_at_once_have_an_end_each() -> None:
    hub = bar("Hub", (0, 0, 0))
    left, right = bar("Left", (-2, 1, 0), 1.0), bar("Right", (2, 1, 0), -1.0)
    select(hub, left, right)
    bpy.ops.ves.add_joint(type="SPHERICAL", location="LOOSE")
    bpy.context.view_layer.update()
    assert sorted(round(place_of(joint).x, 4) for joint in with_role("JOINT")) == [-1.0, 1.0]


def test_settings_of_a_rod_are_copied_but_not_its_ends() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (0, 2, 0))
    select(a, b, c)
    bpy.ops.ves.add_distance()
    first, second = with_role("DISTANCE")
    first.ves.use_distance, first.ves.distance = True, 1.5
    mark = second.ves.anchor_b
    select(first, second)
    bpy.ops.ves.copy_settings()
    assert (second.ves.use_distance, second.ves.distance) == (True, 1.5)
    assert (second.ves.body_b, second.ves.anchor_b) == (c, mark)


@pytest.mark.parametrize("name", ["add_orientation", "add_point_to_point", "add_distance"])
def test_undo_takes_everything_back(name: str) -> None:
    select(box("A"), box("B", (2, 0, 0)))
    bpy.ops.ed.undo_push(message="before")
    getattr(bpy.ops.ves, name)("EXEC_DEFAULT", True)
    assert len(bpy.context.scene.objects) > 2
    bpy.ops.ed.undo()
    assert sorted(ob.name for ob in bpy.context.scene.objects) == ["A", "B"]
    assert bpy.data.objects["A"].ves.role == "NONE"


def test_a_removed_rod_takes_its_mark_along_unless_another_has_it_too() -> None:
    a, b, c = box("A"), box("B", (2, 0, 0)), box("C", (0, 2, 0))
    select(a, b, c)
    bpy.ops.ves.add_distance()
    first, second = with_role("DISTANCE")
    bpy.data.objects.remove(second.ves.anchor_b)
    second.ves.anchor_b = first.ves.anchor_b
    select(b)
    bpy.ops.ves.remove_body(remove_joints=True)
    left = {ob.name for ob in bpy.context.scene.objects if ob.type == "EMPTY"}
    assert left == {"Distance A-C", "Distance A-B End"}
    select(c)
    bpy.ops.ves.remove_body(remove_joints=True)
    assert [ob.name for ob in bpy.context.scene.objects if ob.type == "EMPTY"] == []
