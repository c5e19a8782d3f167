# SPDX-License-Identifier: GPL-3.0-or-later
"""Nearest points of two meshes, however they lie and whatever they are made of."""

from __future__ import annotations

import math

import bpy
import pytest
from mathutils import Vector
from virtual_erector_set.scene.parts.placement import Outline, nearest_points, nearest_to, outline

from tests.blender.making import box, mesh_object


def outlines(*objects: bpy.types.Object) -> list[Outline]:
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return [outline(ob, depsgraph) for ob in objects]


def assert_near(a: Vector, b: tuple[float, float, float], tolerance: float = 1e-5) -> None:
    assert (a - Vector(b)).length < tolerance, (tuple(a), b)


def test_faces_opposite_each_other_meet_in_their_middle() -> None:
    p, q = nearest_points(*outlines(box("A", (0, 0, 0), (1, 2, 2)), box("B", (2, 0.5, 0), (1, 1, 1))))
    assert_near(p, (0.5, 0.5, 0.0))
    assert_near(q, (1.5, 0.5, 0.0))


def test_edges_that_cross_at_a_distance() -> None:
    """The nearest points of two long rods across each other are far from all vertices."""
    a, b = box("A", (0, 0, 0), (10, 0.1, 0.1)), box("B", (1, -2, 1), (0.1, 10, 0.1))
    a.rotation_euler.x = b.rotation_euler.y = math.radians(45)
    p, q = nearest_points(*outlines(a, b))
    corner = 0.05 * math.sqrt(2)
    assert_near(p, (1.0, 0.0, corner), 1e-3)
    assert_near(q, (1.0, 0.0, 1.0 - corner), 1e-3)


def test_meshes_that_cross_meet_in_the_middle_of_the_crossing() -> None:
    p, q = nearest_points(*outlines(box("A"), box("B", (0.9, 0.1, 0.2))))
    assert p == q
    assert_near(p, (0.45, 0.05, 0.1), 0.05)


def test_scale_mirror_and_parents_count() -> None:
    a, b, carrier = box("A"), box("B", (1, 0, 0)), box("Carrier")
    carrier.location = (10, 0, 0)
    a.scale = (-2, 1, 1)
    b.parent = carrier
    p, q = nearest_points(*outlines(a, b))
    assert_near(p, (1, 0, 0))
    assert_near(q, (10.5, 0, 0))


def test_modifiers_count() -> None:
    a, b = box("A"), box("B", (10, 0, 0))
    array = a.modifiers.new("Array", "ARRAY")
    array.count = 3
    assert_near(nearest_points(*outlines(a, b))[0], (2.5, 0, 0))


def test_wires_points_and_nothing_at_all() -> None:
    wire = mesh_object("Wire", [(0, 0, 0), (0, 0, 10)], edges=[(0, 1)])
    point = mesh_object("Point", [(0, 0, 0)], position=(3, 0, 4))
    nothing = mesh_object("Nothing", [], position=(0, -5, 5))
    on_wire, on_point = nearest_points(*outlines(wire, point))
    assert_near(on_wire, (0, 0, 4))
    assert_near(on_point, (3, 0, 4))
    on_wire, on_nothing = nearest_points(*outlines(wire, nothing))
    assert_near(on_wire, (0, 0, 5))
    assert_near(on_nothing, (0, -5, 5))


def test_the_same_place_twice() -> None:
    """A duplicate that was not moved yet: all of both surfaces touch."""
    p, q = nearest_points(*outlines(box("A", (1, 2, 3)), box("B", (1, 2, 3))))
    assert_near(p, (1, 2, 3))
    assert_near(q, (1, 2, 3))


@pytest.mark.parametrize("offset", [0.0, 1e-6, -1e-6])
def test_faces_that_touch_meet_in_the_middle_of_the_contact(offset: float) -> None:
    for p in nearest_points(*outlines(box("A"), box("B", (1 + offset, 0.25, 0.5)))):
        assert_near(p, (0.5, 0.125, 0.25))


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_at_any_scale(scale: float) -> None:
    a, b = box("A", (0, 0, 0), (scale, scale, scale)), box("B", (3 * scale, 0, 0), (scale, scale, scale))
    p, q = nearest_points(*outlines(a, b))
    assert_near(p, (0.5 * scale, 0, 0), 1e-5 * scale)
    assert_near(q, (2.5 * scale, 0, 0), 1e-5 * scale)


@pytest.mark.parametrize("place", [math.nan, 1e25])
def test_what_is_at_no_place_has_its_middle(place: float) -> None:
    (shape,) = outlines(box("A"))
    assert_near(nearest_to(shape, Vector((place, 0.0, 0.0))), (0.0, 0.0, 0.0))
