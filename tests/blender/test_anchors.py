# SPDX-License-Identifier: GPL-3.0-or-later
"""Nails, kept orientations, paths and beads: what they hold, and where."""

from __future__ import annotations

import bpy
import pytest
from mathutils import Vector
from virtual_erector_set.scene.animation.animated import is_animated

from tests.blender.making import animate, box, curve_object, empty, reports, select, with_role


def place_of(ob: bpy.types.Object) -> Vector:
    bpy.context.view_layer.update()
    return ob.matrix_world.translation


@pytest.mark.parametrize(
    ("location", "expected"), [("CURSOR", (0.2, 0.1, 3.0)), ("ORIGIN", (0, 0, 0)), ("NEAREST", (0.2, 0.1, 0.5))]
)
def test_a_nail_holds_a_point(location: str, expected: tuple[float, float, float]) -> None:
    body = box("A")
    bpy.context.scene.cursor.location = (0.2, 0.1, 3.0)
    select(body)
    assert bpy.ops.ves.add_nail(location=location) == {"FINISHED"}
    (nail,) = with_role("NAIL")
    assert (nail.name, nail.ves.body_a, nail.parent) == ("Nail A", body, body)
    assert body.ves.role == "BODY"
    assert (place_of(nail) - Vector(expected)).length < 1e-6


def test_a_nail_for_each_body() -> None:
    bodies = [box(f"B{k}", (2 * k, 0, 0)) for k in range(3)]
    select(*bodies)
    bpy.ops.ves.add_nail(location="ORIGIN")
    assert [nail.ves.body_a for nail in with_role("NAIL")] == bodies


@pytest.mark.parametrize("active", ["body", "curve"])
def test_a_path_needs_a_body_and_a_curve(active: str) -> None:
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 11, 77
    body, curve = box("Car"), curve_object("Road", [(2, 0.2, 0), (9, 0, 0)])
    curve.location = (1, 0, 0)
    select(*((body, curve) if active == "body" else (curve, body)))
    assert bpy.ops.ves.add_path() == {"FINISHED"}
    (path,) = with_role("PATH")
    assert path.name == "Path Car-Road"
    assert (path.ves.body_a, path.ves.path_curve, path.parent) == (body, curve, body)
    assert (path.ves.path_frame_start, path.ves.path_frame_end) == (11, 77)
    assert (place_of(path) - Vector((0.5, 0.2, 0))).length < 1e-6, "the body's point nearest to the curve's start"
    assert curve.ves.role == "NONE"


def test_a_path_at_the_origin() -> None:
    body, curve = box("Car", (1, 2, 3)), curve_object("Road", [(2, 0, 0), (9, 0, 0)])
    select(body, curve)
    bpy.ops.ves.add_path(point="ORIGIN")
    assert (place_of(with_role("PATH")[0]) - Vector((1, 2, 3))).length < 1e-6


def test_a_path_without_a_curve_is_grey() -> None:
    select(box("Car"))
    assert not bpy.ops.ves.add_path.poll()


def test_path_time_can_be_animated() -> None:
    body, curve = box("Car"), curve_object("Road", [(2, 0, 0), (9, 0, 0)])
    select(body, curve)
    bpy.ops.ves.add_path()
    (path,) = with_role("PATH")
    assert not is_animated(path, "ves.path_time")
    path.keyframe_insert("ves.path_time", frame=1)
    assert is_animated(path, "ves.path_time")
    path.animation_data_clear()
    path.driver_add("ves.path_time")
    assert is_animated(path, "ves.path_time")


def test_an_empty_curve_is_refused_without_a_trace() -> None:
    body, curve = box("Car"), curve_object("Road", [(2, 0, 0), (9, 0, 0)])
    curve.data.splines.clear()
    select(body, curve)
    assert bpy.ops.ves.add_path() == {"CANCELLED"}
    assert with_role("PATH") == []
    assert body.ves.role == "NONE"


def test_a_path_follows_the_only_object_that_is_no_mesh() -> None:
    body, hand = box("Car"), empty("Hand")
    hand.location = (3, 0.2, 0)
    animate(hand)
    select(body, hand)
    assert bpy.ops.ves.add_path() == {"FINISHED"}
    (path,) = with_role("PATH")
    assert path.name == "Path Car-Hand"
    assert (path.ves.path_object, path.ves.path_curve) == (hand, None)
    assert (place_of(path) - Vector((0.5, 0.2, 0))).length < 1e-6, "the body's point nearest to where the object is"
    select(body, hand, empty("Other"))
    assert not bpy.ops.ves.add_path.poll()


def test_an_orientation_for_each_body_along_its_axes() -> None:
    bodies = [box(f"B{k}", (2 * k, 0, 0)) for k in range(2)]
    bodies[0].rotation_euler, bodies[0].scale = (0.3, 0.2, 0.1), (2, 1, 1)
    select(*bodies)
    assert bpy.ops.ves.add_orientation() == {"FINISHED"}
    keepers = with_role("ORIENTATION")
    assert [keeper.ves.body_a for keeper in keepers] == bodies
    bpy.context.view_layer.update()
    assert keepers[0].matrix_world.to_euler()[:] == pytest.approx((0.3, 0.2, 0.1), abs=1e-6)
    assert keepers[0].empty_display_type == "ARROWS"


@pytest.mark.parametrize(("point", "expected"), [("ORIGIN", (1, 0, 0)), ("CURSOR", (4, 0, 0))])
def test_a_bead_is_where_the_curve_is_nearest(point: str, expected: tuple[float, float, float]) -> None:
    body, wire = box("Pearl", (1, 0.7, 0)), curve_object("Wire", [(0, 0, 0), (9, 0, 0)])
    bpy.context.scene.cursor.location = (4, 3, 0)
    select(body, wire)
    assert bpy.ops.ves.add_bead(point=point) == {"FINISHED"}
    (bead,) = with_role("BEAD")
    assert (bead.name, bead.ves.body_a, bead.ves.path_curve) == ("Bead Pearl-Wire", body, wire)
    assert (place_of(bead) - Vector(expected)).length < 1e-5
    assert abs((bead.matrix_world.to_3x3() @ Vector((0, 1, 0))).x) > 0.999, "the ring stands across the wire"


def test_a_bead_needs_a_curve_with_a_length(capfd: pytest.CaptureFixture) -> None:
    body, wire = box("Pearl"), curve_object("Wire", [(0, 0, 0), (0, 0, 0)])
    select(body)
    assert not bpy.ops.ves.add_bead.poll()
    select(body, wire)
    assert bpy.ops.ves.add_bead() == {"CANCELLED"}
    assert "Wire has no length" in reports(capfd)
    assert body.ves.role == "NONE"
