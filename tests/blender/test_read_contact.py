# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of a scene whose Contact is on: shapes, surfaces, the ground, and the pairs that ignore each other."""

from __future__ import annotations

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector
from virtual_erector_set.scene.findings import SceneError, of_solver
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.parts.ignored_pairs import ignore
from virtual_erector_set.solver.mechanism import Box, Capsule, Contact, Cylinder, Ground, Hull, Mesh, Sphere

from tests.blender.linkages import body, joint
from tests.blender.making import box, curve_object, mesh_object
from tests.blender.shapes import ball, capsule, cylinder, icosphere, read_bodies, reading, shaped


def scene() -> bpy.types.PropertyGroup:
    return bpy.context.scene.ves


def errors() -> list[str]:
    with pytest.raises(SceneError) as caught:
        reading()
    return [str(finding) for finding in caught.value.findings]


def warnings() -> list[str]:
    return [str(finding) for finding in reading().warnings]


def test_a_scene_without_contact_is_read_as_ever() -> None:
    body("a")
    found = reading().mechanism
    assert (found.contact, found.bodies[0].shape, found.bodies[0].material) == (None, None, None)


def test_contact_is_one_switch() -> None:
    body("a", (0, 0, 3))
    scene().use_contact = True
    found = reading().mechanism
    assert found.contact == Contact(ground=Ground(0.0, *map(pytest.approx, (0.8, 0.5))))
    assert found.bodies[0].shape == Box(half_size=(0.5, 0.5, 0.5))
    assert found.bodies[0].material.friction == pytest.approx(0.35)
    assert found.problems() == []


def test_the_ground_can_be_elsewhere_other_or_off() -> None:
    body("a", (0, 0, 3))
    settings = scene()
    settings.use_contact = True
    settings.ground_height, settings.ground_friction, settings.ground_restitution = -2.0, 0.25, 0.5
    assert reading().mechanism.contact.ground == Ground(-2.0, 0.25, 0.5)
    settings.use_ground = False
    assert reading().mechanism.contact.ground is None


def test_a_body_that_does_not_collide_has_no_shape() -> None:
    body("a", (0, 0, 3)).ves.collide = False
    scene().use_contact = True
    assert read_bodies()["a"].shape is None


@pytest.mark.parametrize(
    ("geometry", "kind"),
    [(ball(), Sphere), (icosphere(3), Sphere), (cylinder(), Cylinder), (capsule(), Capsule),
     (cylinder(top=0.5), Hull), (cylinder(6), Hull)],
    ids=["ball", "icosphere", "cylinder", "capsule", "cone", "nut"],
)  # fmt: skip
def test_automatic_recognises_meshes_as_they_are_scaled(geometry, kind) -> None:
    ob = shaped("a", geometry)
    ob.scale, ob.rotation_euler = (0.5, 0.5, 0.5), (0.4, 1.0, -2.0)
    found = read_bodies()["a"].shape
    assert isinstance(found, kind)
    if kind is not Hull:
        assert found.radius == pytest.approx(0.5, rel=2e-3)
        np.testing.assert_allclose(found.orientation, (1, 0, 0, 0), atol=1e-5)
    else:
        np.testing.assert_allclose(np.array(found.points).max(axis=0)[2], 0.5, atol=1e-6)


def test_a_ball_that_is_scaled_unevenly_is_a_hull_and_a_box_stays_one() -> None:
    shaped("egg", ball()).scale = (1.0, 1.0, 1.5)
    shaped("pill", cylinder(), (9, 0, 5)).scale = (2.0, 2.0, 0.5)
    shaped("oval", cylinder(), (5, 0, 5)).scale = (2.0, 1.0, 0.5)
    brick = body("brick", (20, 0, 5), (1, 2, 3))
    brick.scale, brick.rotation_euler = (-2.0, 0.5, 1.0), (0.3, 0.2, 0.1)
    found = read_bodies()
    assert isinstance(found["egg"].shape, Hull)
    assert isinstance(found["oval"].shape, Hull)
    assert (found["pill"].shape.radius, found["pill"].shape.half_length) == pytest.approx((2.0, 0.5))
    assert found["brick"].shape.half_size == pytest.approx((1.0, 0.5, 1.5))


def test_shapes_stand_in_the_body_frame() -> None:
    """The body frame has the object's origin and rotation, not its scale; the mesh may lie anywhere in the object."""
    corners, faces = cylinder(24, 0.5, 4.0)
    lying = [(z + 3.0, x, y - 1.0) for x, y, z in corners]
    ob = shaped("a", (lying, faces), (1, 2, 9))
    ob.scale, ob.rotation_euler = (2.0, 2.0, 2.0), (0.3, -0.7, 1.1)
    found = read_bodies()["a"]
    shape = found.shape
    np.testing.assert_allclose(shape.position, (6.0, 0.0, -2.0), atol=1e-5)
    turn = poses.rotations(np.array(found.orientation))
    middle = turn @ shape.position + np.array(found.position)
    np.testing.assert_allclose(middle, ob.matrix_world @ Vector((3.0, 0.0, -1.0)), atol=1e-5)
    axis = turn @ poses.rotations(np.array(shape.orientation))[:, 2]
    assert abs(axis @ np.array(ob.matrix_world.to_3x3().normalized())[:, 0]) == pytest.approx(1.0, abs=1e-6)


def test_modifiers_count() -> None:
    body("a", (0, 0, 5)).modifiers.new("Bevel", "BEVEL").width = 0.1
    scene().use_contact = True
    assert isinstance(read_bodies()["a"].shape, Hull)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("BOX", Box), ("SPHERE", Sphere), ("CAPSULE", Capsule), ("CYLINDER", Cylinder), ("HULL", Hull)],
)
def test_a_shape_that_is_chosen(kind: str, expected: type) -> None:
    shaped("a", cylinder(32, 0.5, 3.0)).ves.contact_shape = kind
    found = read_bodies()["a"].shape
    assert isinstance(found, expected)
    if kind == "BOX":
        assert found.half_size == pytest.approx((0.5, 0.5, 1.5))
    if kind == "CAPSULE":
        assert (found.radius, found.half_length) == pytest.approx((0.5, 1.0))
    if kind == "HULL":
        assert len(found.points) == 64


def test_margins_grow_and_shrink() -> None:
    ob = body("a", (0, 0, 5))
    scene().use_contact = True
    ob.ves.contact_margin = -0.1
    assert read_bodies()["a"].shape.half_size == pytest.approx((0.4, 0.4, 0.4))
    ob.ves.contact_margin = -0.6
    assert errors() == ["a: has a margin of -0.6 m, which leaves nothing of its shape: make it larger"]


def test_materials_bring_friction_and_bounciness() -> None:
    ob = body("a", (0, 0, 5))
    scene().use_contact = True
    ob.ves.material = "ICE"
    found = read_bodies()["a"].material
    assert (found.friction, found.restitution) == pytest.approx((0.03, 0.3))
    ob.ves.contact_friction = 0.5
    assert ob.ves.material == "ICE", "wet ice, rough ice: it is still ice"
    assert read_bodies()["a"].material.friction == 0.5


def terrain(name: str = "ground", motion: str = "FIXED") -> bpy.types.Object:
    corners = [(x, y, 0.3 * math.sin(x + 2 * y)) for x in range(5) for y in range(5)]
    faces = [(5 * i + j, 5 * i + j + 5, 5 * i + j + 6, 5 * i + j + 1) for i in range(4) for j in range(4)]
    return shaped(name, (corners, faces), (0, 0, 0), motion)


def test_uneven_ground_is_a_mesh_and_a_crate_that_stands_still_a_box() -> None:
    terrain()
    body("crate", (8, 0, 2), motion="FIXED")
    found = read_bodies()
    assert isinstance(found["ground"].shape, Mesh)
    assert (len(found["ground"].shape.points), len(found["ground"].shape.triangles)) == (25, 32)
    assert isinstance(found["crate"].shape, Box)


@pytest.mark.parametrize("scale", [(1, 1, 2), (-1, 1, 2)])
def test_the_faces_of_a_mesh_look_outwards_also_of_a_mirrored_object(scale) -> None:
    ground = terrain()
    ground.scale = scale
    found = read_bodies()["ground"]
    shape, turn = found.shape, poses.rotations(np.array(found.orientation))
    points = np.array(shape.points) @ turn.T
    a, b, c = (points[np.array(shape.triangles)[:, i]] for i in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()
    assert points[:, 2].max() == pytest.approx(0.6, abs=0.02)


def test_a_floor_without_thickness_is_a_mesh() -> None:
    shaped("floor", ([(-5, -5, 0), (5, -5, 0), (5, 5, 0), (-5, 5, 0)], [(0, 1, 2, 3)]), (0, 0, 0), "FIXED")
    assert len(read_bodies()["floor"].shape.triangles) == 2
    bpy.data.objects["floor"].ves.contact_shape = "BOX"
    (error,) = errors()
    assert "floor: is flat" in error
    assert "choose the shape Mesh" in error


def test_a_keyed_body_brings_its_mesh_along() -> None:
    car = terrain("car", "KEYED")
    for frame, x in ((1, 0.0), (20, 5.0)):
        car.location.x = x
        car.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    assert isinstance(read_bodies()["car"].shape, Mesh)


def test_a_dynamic_body_can_not_be_a_mesh() -> None:
    shaped("a", ball()).ves.contact_shape = "MESH"
    assert errors() == ["a: can't touch others as a Mesh, because it is dynamic: choose Convex Hull or Compound"]


def test_a_body_without_a_mesh_can_not_be_touched() -> None:
    body("a", (0, 0, 5))
    scene().use_contact = True
    marker = bpy.data.objects.new("marker", None)
    bpy.context.scene.collection.objects.link(marker)
    marker.ves.role, marker.ves.motion = "BODY", "FIXED"
    assert "marker: has no mesh that others could touch" in errors()[0]
    marker.ves.collide = False
    assert reading().mechanism.bodies[1].shape is None


def test_a_curve_with_thickness_can_be_touched() -> None:
    body("a", (0, 0, 5))
    scene().use_contact = True
    rail = curve_object("rail", [(0, 0, 0), (4, 0, 0), (4, 4, 0)])
    rail.data.bevel_depth = 0.1
    rail.ves.role, rail.ves.motion = "BODY", "FIXED"
    assert isinstance(read_bodies()["rail"].shape, Mesh)


def hammer() -> bpy.types.Object:
    """A handle and a head in one mesh, that have no vertex in common."""
    handle, head = cylinder(16, 0.1, 2.0), cylinder(24, 0.3, 0.8)
    corners = [*handle[0], *((z, y, x + 1.2) for x, y, z in head[0])]
    faces = [*handle[1], *(tuple(i + len(handle[0]) for i in face) for face in head[1])]
    return shaped("hammer", (corners, faces))


def test_a_compound_has_a_shape_for_each_loose_part() -> None:
    hammer().ves.contact_shape = "COMPOUND"
    handle, head = read_bodies()["hammer"].shape
    assert (handle.radius, handle.half_length) == pytest.approx((0.1, 1.0))
    assert (head.radius, head.half_length) == pytest.approx((0.3, 0.4))
    np.testing.assert_allclose(head.position, (0, 0, 1.2), atol=1e-6)


def test_a_compound_of_children_takes_these_and_not_the_mesh() -> None:
    chair = body("chair", (1, 2, 5), (2, 2, 2))
    chair.rotation_euler, chair.scale = (0.2, 0.3, 0.4), (0.5, 0.5, 0.5)
    chair.ves.contact_shape = "COMPOUND"
    scene().use_contact = True
    seat, leg = box("seat", size=(1, 1, 0.2)), mesh_object("leg", *_edgeless(cylinder(12, 0.1, 1.0)))
    other = body("rider", (9, 9, 9))
    for child, place in ((seat, (0, 0, 0.5)), (leg, (0.4, 0.4, -0.5)), (other, (5, 5, 5))):
        child.parent = chair
        child.location = place
    part = box("sticker", size=(0.1, 0.1, 0.1))
    part.parent = other
    leg.hide_set(True)
    found = read_bodies()["chair"].shape
    assert [type(shape) for shape in found] == [Cylinder, Box]
    np.testing.assert_allclose(found[0].position, (0.2, 0.2, -0.25), atol=1e-6)
    assert found[0].radius == pytest.approx(0.05, rel=1e-5)
    assert found[1].half_size == pytest.approx((0.25, 0.25, 0.05), rel=1e-5)


def _edgeless(geometry):
    return [tuple(map(float, corner)) for corner in geometry[0]], (), geometry[1]


def test_flat_parts_of_a_compound_are_left_out() -> None:
    corners, faces = cylinder(16)
    flag = [(3, 0, 0), (4, 0, 0), (4, 1, 0)]
    ob = shaped("a", ([*corners, *flag], [*faces, tuple(len(corners) + i for i in range(3))]))
    ob.ves.contact_shape, ob.ves.mass_source = "COMPOUND", "GIVEN"
    assert isinstance(read_bodies()["a"].shape, Cylinder)


def test_equal_parts_share_their_shape() -> None:
    first = shaped("a", icosphere(5))
    for i in range(3):
        copy = first.copy()
        copy.location.x = 4 * i + 4
        copy.rotation_euler = (0.3 * i, 0.2, 0.1 * i)
        bpy.context.scene.collection.objects.link(copy)
    found = reading()
    assert len(found.shapes) == 1
    assert len({id(body.shape) for body in found.mechanism.bodies}) == 1


def pairs() -> list[tuple[str, str]]:
    return list(reading().mechanism.contact.ignore)


def test_layers_become_pairs() -> None:
    bodies = [body(name, (3 * i, 0, 5)) for i, name in enumerate("abcd")]
    scene().use_contact = True
    assert pairs() == []
    a, b, c, d = bodies
    layers = [[i == k for i in range(20)] for k in range(2)]
    a.ves.contact_layers, b.ves.contact_layers = layers
    c.ves.contact_layers = [True, True] + [False] * 18
    d.ves.contact_layers, d.ves.motion = layers[1], "FIXED"
    assert pairs() == [("a", "b"), ("a", "d")]
    a.ves.motion = "FIXED"
    assert pairs() == [("a", "b")], "two that do not move can't touch"


def test_pairs_that_ignore_each_other() -> None:
    a, b, c = (body(name, (3 * i, 0, 5)) for i, name in enumerate("abc"))
    scene().use_contact = True
    ignore(c, a)
    assert pairs() == [("a", "c")]
    a.name = "renamed"
    assert pairs() == [("renamed", "c")]
    b.ves.collide = c.ves.collide = False
    assert pairs() == [], "what has no shape needs no pair"


def test_a_body_below_the_ground_is_told_of() -> None:
    a = body("a", (0, 0, 0.499))
    scene().use_contact = True
    assert warnings() == []
    a.location.z = -0.3
    (warning,) = warnings()
    assert "a: starts 0.8 m below the ground" in warning
    scene().ground_height = -1.0
    assert warnings() == []
    scene().ground_height, scene().use_ground = 5.0, False
    assert warnings() == []


@pytest.mark.parametrize(
    ("geometry", "lowest"),
    [(ball(32, 16, 0.5), 0.5), (cylinder(64, 0.5, 2.0), 0.5 * math.sin(0.5) + math.cos(0.5)),
     (capsule(0.5, 1.0), 0.5 + math.cos(0.5)), (cylinder(6, 0.5, 2.0), None)],
)  # fmt: skip
def test_how_deep_a_shape_is(geometry, lowest) -> None:
    ob = shaped("a", geometry, (0, 0, 0))
    ob.rotation_euler.x = 0.5
    if lowest is None:
        bpy.context.view_layer.update()
        lowest = -min((ob.matrix_world @ vertex.co).z for vertex in ob.data.vertices)
    (warning,) = warnings()
    assert f"starts {lowest:.2g} m below" in warning


def test_bodies_inside_each_other_are_told_of() -> None:
    a, b = body("a", (0, 0, 5)), body("b", (0.4, 0, 5))
    scene().use_contact = True
    (warning,) = warnings()
    assert warning.startswith("a: starts inside b")
    a.ves.motion = "FIXED"
    assert warnings()[0].startswith("b: starts inside a")
    ignore(a, b)
    assert warnings() == []


@pytest.mark.parametrize(("deep", "is_told"), [(0.08, True), (0.06, True), (0.04, False), (0.0, False)])
@pytest.mark.parametrize("kind", ["cubes", "corner", "plate", "balls"])
def test_an_overlap_is_told_of_from_a_twentieth_of_the_thickness_on(kind, deep, is_told) -> None:
    """As in the notes of a bake; Check told of one from a tenth on, and of boxes only along their longest side."""
    scene().use_contact, scene().use_ground = True, False
    if kind == "balls":
        shaped("a", ball(), (0, 0, 0)), shaped("b", ball(), (0, 0, 2.0 * (1.0 - deep)))
    elif kind == "corner":
        body("a", (0, 0, 0), (1, 1, 1))
        upper = body("b", (0.3, 0.2, 0.5 - deep + 0.5 * math.sqrt(3.0)), (1, 1, 1))
        upper.rotation_mode = "QUATERNION"
        upper.rotation_quaternion = Vector((1, 1, 1)).rotation_difference(Vector((0, 0, 1)))
    else:
        body("a", (0, 0, 0), (1, 1, 1) if kind == "cubes" else (9, 8, 1))
        body("b", (0.1, 0.0, 1.0 - deep) if kind == "cubes" else (3.9, 3.4, 1.0 - deep), (1, 1, 1))
    bpy.context.view_layer.update()
    assert len(warnings()) == is_told


def test_a_long_rod_through_a_ball_is_told_of_and_neighbours_are_not() -> None:
    body("rod", (0, 0, 5), (6, 0.4, 0.4))
    shaped("ball", ball(), (2, 0, 5))
    for i in range(3):
        body(f"brick {i}", (20, 0, 0.5 + i), (1, 1, 1))
    (warning,) = warnings()
    assert "rod" in warning
    assert "ball" in warning


def test_jointed_bodies_may_be_inside_each_other() -> None:
    a, b = body("a", (0, 0, 5)), body("b", (0.4, 0, 5))
    scene().use_contact = True
    joint("hinge", (0.2, 0, 5), a, b, "REVOLUTE")
    assert warnings() == []


def test_own_inertia_replaces_that_of_the_mesh() -> None:
    can = body("can", (0, 0, 5))
    settings = can.ves
    settings.mass_source, settings.mass, settings.use_inertia = "GIVEN", 0.5, True
    settings.center_of_mass, settings.inertia_moments = (0.1, 0.2, 0.3), (0.25, 0.5, 0.625)
    settings.inertia_products = (0.125, 0.0625, 0.03125)
    can.scale = (2, 2, 2)
    found = read_bodies()["can"]
    assert (found.mass, found.center_of_mass) == (0.5, pytest.approx((0.1, 0.2, 0.3)))
    np.testing.assert_allclose(found.inertia, [[0.25, 0.125, 0.0625], [0.125, 0.5, 0.03125], [0.0625, 0.03125, 0.625]])
    settings.inertia_products, settings.inertia_moments = (0, 0, 0), (0.1, 0.2, 0.3)
    assert reading().mechanism.problems() == [], "a flat plate, though single precision makes 0.3 more than 0.1 + 0.2"
    settings.inertia_moments = (0.1, 0.1, 0.3)
    (problem,) = reading().mechanism.problems()
    assert "impossible" in problem
    said = str(of_solver(problem, bpy.context.scene))
    assert said.startswith("can: its inertia is impossible: the moment 0.3 is above the sum of the others, 0.1 and 0.1")
    assert "Moments [0.13333333" in said
    assert said.endswith("and Products [0, 0, 0]: type these, or switch Own Inertia off")
