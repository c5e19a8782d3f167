# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles at the shapes of bodies: what they drag, what stays, the other side, and the way back to the mesh."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.operators.handles.size_handles import SizeGrip, VES_GGT_sizes
from virtual_erector_set.scene import overlay
from virtual_erector_set.scene.pose.drag_sizes import twin_body
from virtual_erector_set.solver.mechanism.bodies import Box, Capsule, Cylinder, Sphere

from tests.blender import rigs
from tests.blender.making import box, select
from tests.blender.shapes import ball, capsule, cylinder, read_bodies, shaped

MAKERS = {
    "BOX": lambda: box_body((0.4, 0.6, 1.0)),
    "SPHERE": lambda: shaped("a", ball(radius=0.5)),
    "CAPSULE": lambda: shaped("a", capsule(0.3, 0.7)),
    "CYLINDER": lambda: shaped("a", cylinder(32, 0.4, 1.2)),
}
TURNED = (0.4, -0.8, 1.9)


def box_body(size: tuple[float, float, float]) -> bpy.types.Object:
    ob = box("a", (0, 0, 5), size)
    ob.ves.role = "BODY"
    bpy.context.scene.ves.use_contact = True
    return ob


def grips() -> dict[str, SizeGrip]:
    bpy.context.view_layer.update()
    return {grip.at.name: grip for grip in VES_GGT_sizes.grips(bpy.context)}


def pull(name: str, by: float, in_steps: bool = False) -> str:
    """Drag a handle of the selected body outwards, by the mouse."""
    grip = grips()[name]
    place = grip.place()
    if grip.at.along is None:
        return grip.drag(Vector((by, 0.0, 0.0)), in_steps)
    along = Vector(grip.of.turn @ grip.at.along)
    begin = place + 3.0 * along.orthogonal()  # an eye beside the way
    start = grip.meant(0.0, begin, place - begin)
    return grip.drag(grip.meant(0.0, begin, place + by * along - begin) - start, in_steps)


def shape_of(ob: bpy.types.Object):
    return read_bodies()[ob.name].shape


@pytest.mark.parametrize("kind", list(MAKERS))
def test_a_handle_is_at_the_surface_and_comes_out_where_the_mouse_is(kind: str) -> None:
    """However the body is turned and scaled; its mesh stays, and so does its mass."""
    ob = MAKERS[kind]()
    ob.rotation_euler, ob.scale, ob.ves.contact_margin = TURNED, (1.5, 1.5, 1.5), 0.02
    select(ob)
    bpy.context.view_layer.update()
    mass, mesh = read_bodies()[ob.name].mass, [tuple(vertex.co) for vertex in ob.data.vertices]
    for name, grip in grips().items():
        if name == "MIDDLE":
            continue
        place = grip.place()
        surface = world_lines(ob).reshape(-1, 3)
        along = grip.of.turn @ grip.at.along
        assert (surface @ along).max() == pytest.approx(np.array(place) @ along, abs=2e-3)
        pull(name, 0.1)
        assert (grips()[name].place() - place - 0.1 * Vector(along)).length < 5e-6
        assert (world_lines(ob).reshape(-1, 3) @ along).max() == pytest.approx(np.array(place) @ along + 0.1, abs=2e-3)
    assert (ob.ves.contact_shape, ob.ves.size_source) == (kind, "GIVEN")
    assert read_bodies()[ob.name].mass == mass
    assert [tuple(vertex.co) for vertex in ob.data.vertices] == mesh


def test_a_side_of_a_box_leaves_the_opposite_one() -> None:
    ob = box_body((0.4, 0.6, 1.0))
    select(ob)
    pull("+2", 0.3)
    pull("-0", -0.1)
    assert shape_of(ob) == Box(half_size=pytest.approx((0.15, 0.3, 0.65)), position=pytest.approx((0.05, 0.0, 0.15)))
    pull("+1", -5.0)
    assert 0.0 < ob.ves.shape_sides[1] < 0.01


def test_a_capsule_is_as_long_as_its_ends_are_apart_and_stays_so_when_it_gets_thicker() -> None:
    ob = shaped("a", capsule(0.3, 0.7))
    select(ob)
    pull("+2", 0.4)
    assert shape_of(ob) == Capsule(
        radius=pytest.approx(0.3, abs=1e-5),
        half_length=pytest.approx(0.9, abs=1e-5),
        position=pytest.approx((0, 0, 0.2), abs=1e-5),
    )
    pull("R0", 0.1)
    assert (ob.ves.shape_radius, ob.ves.shape_length) == pytest.approx((0.4, 2.4), abs=1e-5)
    assert shape_of(ob).half_length == pytest.approx(0.8, abs=1e-5)
    pull("+2", -9.0)
    assert shape_of(ob).half_length == pytest.approx(1e-3 * 0.4, rel=0.1)
    pull("R1", 0.5)
    assert shape_of(ob).radius == pytest.approx(0.9, abs=1e-5)


def test_balls_and_cylinders() -> None:
    ob = shaped("a", ball(radius=0.5))
    select(ob)
    pull("R2", -0.2)
    assert shape_of(ob) == Sphere(radius=pytest.approx(0.3, abs=1e-5))
    tin = shaped("b", cylinder(32, 0.4, 1.2))
    select(tin)
    pull("-2", 0.2)
    assert shape_of(tin) == Cylinder(
        radius=pytest.approx(0.4, abs=1e-5),
        half_length=pytest.approx(0.7, abs=1e-5),
        position=pytest.approx((0, 0, -0.1), abs=1e-5),
    )


def test_the_middle_goes_with_the_mouse() -> None:
    ob = box_body((1, 1, 1))
    ob.rotation_euler = (0, 0, math.pi / 2)
    select(ob)
    pull("MIDDLE", 0.25)
    assert shape_of(ob).position == pytest.approx((0.0, -0.25, 0.0), abs=1e-6)


def test_steps_make_numbers_that_a_person_would_type() -> None:
    ob = shaped("a", ball(radius=0.437))
    select(ob)
    assert "radius 46 cm" in pull("R0", 0.018, in_steps=True)
    assert ob.ves.shape_radius == pytest.approx(0.46)


def test_a_hull_has_a_margin_that_never_eats_it_up() -> None:
    ob = shaped("a", cylinder(5, 0.4, 1.2))
    select(ob)
    assert list(grips()) == ["MARGIN"]
    pull("MARGIN", 0.05)
    assert ob.ves.contact_margin == pytest.approx(0.05, abs=1e-6)
    pull("MARGIN", -3.0)
    assert ob.ves.contact_margin == pytest.approx(0.05, abs=1e-6)
    assert shape_of(ob) is not None


def test_given_sizes_begin_as_those_of_the_mesh_and_the_mesh_is_the_way_back() -> None:
    ob = shaped("a", cylinder(6, 0.4, 1.2))
    ob.ves.contact_shape = "CAPSULE"
    before = shape_of(ob)
    ob.ves.size_source = "GIVEN"
    assert shape_of(ob).radius == pytest.approx(before.radius, abs=1e-6)
    assert ob.ves.shape_length == pytest.approx(1.2, abs=1e-6)
    ob.ves.shape_radius = 0.2
    ob.ves.size_source = "MESH"
    assert shape_of(ob) == before
    ob.ves.size_source = "GIVEN"
    assert shape_of(ob).radius == pytest.approx(0.2), "what was given comes back"
    ob.ves.contact_shape = "BOX"
    assert tuple(ob.ves.shape_sides) == pytest.approx((0.8 * math.sqrt(0.75), 0.8, 1.2), abs=1e-5), "of another shape"


def test_what_a_drag_has_taken_over_is_put_back() -> None:
    ob = shaped("a", ball(radius=0.5))
    select(ob)
    grip = grips()["R0"]
    kept = grip.kept()
    grip.drag(0.2, False)
    assert grip.kept() != kept
    grip.put_back(kept)
    assert grip.kept() == kept
    assert (ob.ves.contact_shape, ob.ves.size_source) == ("AUTOMATIC", "MESH")


def test_a_shape_without_a_size_is_refused_by_name() -> None:
    ob = box_body((1, 1, 1))
    ob.ves.contact_shape, ob.ves.size_source = "SPHERE", "GIVEN"
    ob.ves.shape_radius = 0.0
    with pytest.raises(Exception, match="has a shape without a size: type it in Collide"):
        read_bodies()[ob.name]


def test_given_sizes_are_copied_and_outlive_a_file(tmp_path) -> None:
    ob, other = shaped("a", capsule(0.3, 0.7)), box("b", (4, 0, 5))
    other.ves.role = "BODY"
    select(ob)
    pull("R0", 0.05)
    pull("MIDDLE", 0.2)
    select(ob, other)
    bpy.ops.ves.copy_settings()
    given = shape_of(ob)
    assert shape_of(other) == given
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "sizes.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "sizes.blend"))
    assert shape_of(bpy.data.objects["b"]) == given


def test_few_bodies_have_handles() -> None:
    bodies = [box(f"b{k}", (2 * k, 0, 0)) for k in range(4)]
    for each in bodies:
        each.ves.role = "BODY"
    select(*bodies[:3])
    assert len(overlay.bodies_with_sizes(bpy.context)) == 3
    select(*bodies)
    assert overlay.bodies_with_sizes(bpy.context) == [bodies[0]]
    select(bodies[0])
    bodies[0].ves.collide = False
    assert overlay.bodies_with_sizes(bpy.context) == []


@pytest.mark.parametrize("pose", [False, True])
def test_with_x_mirror_the_other_arm_has_the_mirror_image(pose: bool) -> None:
    """At rest, and in a pose in which only one arm is bent: the shape is that of the bone, not of the pose."""
    rig = rigs.metarig()
    rig.location, rig.rotation_euler = (1.0, 2.0, 0.0), (0.0, 0.0, 0.7)
    select(rig)
    bpy.ops.ves.ragdoll()
    left = next(ob for ob in bpy.data.objects if ob.ves.role == "BODY" and ob.parent_bone == "forearm.L")
    right = twin_body(left, bpy.context.scene)
    assert right.parent_bone == "forearm.R"
    bpy.context.scene.ves.pose_mirror = True
    if pose:
        bone = rig.pose.bones["upper_arm.L"]
        bone.rotation_mode, bone.rotation_euler = "XYZ", (0.5, 0.3, -0.9)
    select(left)
    for name, by in (("R0", 0.02), ("-2", 0.05), ("MIDDLE", 0.03)):
        pull(name, by)
    rig.data.pose_position = "REST"
    bpy.context.view_layer.update()
    assert right.ves.shape_radius == pytest.approx(left.ves.shape_radius)
    across = rig.matrix_world.inverted()
    mine, other = (points(world_lines(ob), across) for ob in (left, right))
    for point in mine * (-1.0, 1.0, 1.0):
        assert np.linalg.norm(other - point, axis=1).min() < 0.15 * left.ves.shape_radius  # rims are polygons
    assert (mine * (-1, 1, 1)).mean(axis=0) == pytest.approx(other.mean(axis=0), abs=1e-4)


def test_without_x_mirror_the_other_arm_stays() -> None:
    rig = rigs.metarig()
    select(rig)
    bpy.ops.ves.ragdoll()
    left = next(ob for ob in bpy.data.objects if ob.ves.role == "BODY" and ob.parent_bone == "forearm.L")
    select(left)
    pull("R0", 0.02)
    assert twin_body(left, bpy.context.scene).ves.size_source == "MESH"


def points(lines: np.ndarray, matrix) -> np.ndarray:
    return np.array([matrix @ Vector(point) for point in lines.reshape(-1, 3)])


def world_lines(ob: bpy.types.Object) -> np.ndarray:
    """Ends of the lines that show the shape that is read, in the world."""
    bpy.context.view_layer.update()
    return np.array(overlay.sized_lines([ob], bpy.context.evaluated_depsgraph_get()))
