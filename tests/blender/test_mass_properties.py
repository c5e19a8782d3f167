# SPDX-License-Identifier: GPL-3.0-or-later
"""Volume, centre of mass and inertia of meshes, against closed forms."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Matrix
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.geometry.mass_properties import NoVolumeError, Solid, solid_of_object, solid_of_triangles

from tests.blender.making import box, mesh_object


def weigh(ob: bpy.types.Object) -> Solid:
    bpy.context.view_layer.update()
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return solid_of_object(evaluated, poses.split(np.array(evaluated.matrix_world)).residual, {})


def box_inertia(size: tuple[float, float, float]) -> np.ndarray:
    """About the middle, for density 1."""
    x, y, z = size
    return x * y * z / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])


def cube_triangles(low: float, high: float, inward: bool = False) -> tuple[np.ndarray, np.ndarray]:
    points = np.array([[x, y, z] for x in (low, high) for y in (low, high) for z in (low, high)], dtype=float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])
    return points, triangles[:, ::-1] if inward else triangles


def together(*parts: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.cumsum([0] + [len(points) for points, _ in parts])
    triangles = [triangles + offset for (_, triangles), offset in zip(parts, offsets, strict=False)]
    return np.vstack([points for points, _ in parts]), np.vstack(triangles)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 3), (-1, 1, 1), (-2, -0.5, 3), (-1, -2, -3)])
def test_a_scaled_or_mirrored_box_is_exact(scale):
    ob = box("box", size=(1.0, 2.0, 0.25))
    ob.scale, ob.rotation_euler = scale, (0.3, -0.7, 1.1)
    solid = weigh(ob)
    size = tuple(abs(s) * side for s, side in zip(scale, (1.0, 2.0, 0.25), strict=True))
    assert solid.is_closed
    assert solid.volume == pytest.approx(np.prod(size), rel=1e-6)
    np.testing.assert_allclose(solid.inertia, box_inertia(size), rtol=1e-6, atol=1e-6 * solid.volume)
    np.testing.assert_allclose(solid.center_of_mass, 0.0, atol=1e-6)


def test_an_origin_off_centre_moves_the_centre_of_mass_but_not_the_inertia():
    corners = [(x + 7.0, y - 3.0, z) for x in (-0.5, 0.5) for y in (-1, 1) for z in (-0.125, 0.125)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    solid = weigh(mesh_object("box", corners, faces=faces))
    np.testing.assert_allclose(solid.center_of_mass, (7.0, -3.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(solid.inertia, box_inertia((1.0, 2.0, 0.25)), atol=1e-7)


def test_a_tetrahedron_has_the_textbook_inertia():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    solid = solid_of_triangles(points, triangles)
    assert solid.volume == pytest.approx(1.0 / 6.0, rel=1e-14)
    np.testing.assert_allclose(solid.center_of_mass, 0.25, rtol=1e-14)
    # Corner tetrahedron: 1/80 on the diagonal, 1/480 off it, about the centre of mass, per unit density.
    expected = np.full((3, 3), 1.0 / 480.0) + (1.0 / 80.0 - 1.0 / 480.0) * np.eye(3)
    np.testing.assert_allclose(solid.inertia, expected, rtol=1e-12)


def test_normals_turned_inwards_change_nothing():
    outward, inward = (solid_of_triangles(*cube_triangles(0.0, 2.0, flipped)) for flipped in (False, True))
    assert inward.volume == pytest.approx(8.0)
    np.testing.assert_allclose(inward.inertia, outward.inertia)


def test_a_closed_mesh_with_one_face_turned_over_is_still_closed():
    ob = box("box", size=(1.0, 2.0, 0.25))
    work = bmesh.new()
    work.from_mesh(ob.data)
    bmesh.ops.reverse_faces(work, faces=[face for face in work.faces if face.index == 0])
    work.to_mesh(ob.data)
    work.free()
    solid = weigh(ob)
    assert solid.is_closed
    assert solid.volume == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("outer_inward", [False, True])
def test_a_cavity_is_subtracted_whichever_way_the_normals_point(outer_inward):
    shell = together(cube_triangles(-1.0, 1.0, outer_inward), cube_triangles(-0.5, 0.5, not outer_inward))
    solid = solid_of_triangles(*shell)
    assert solid.volume == pytest.approx(8.0 - 1.0)
    np.testing.assert_allclose(solid.inertia, box_inertia((2, 2, 2)) - box_inertia((1, 1, 1)), atol=1e-12)


def test_separate_pieces_add_up_also_if_one_is_inside_out():
    solid = solid_of_triangles(*together(cube_triangles(0.0, 1.0), cube_triangles(4.0, 6.0, inward=True)))
    assert solid.volume == pytest.approx(9.0)
    np.testing.assert_allclose(solid.center_of_mass, (0.5 + 8 * 5.0) / 9.0)


def test_a_piece_in_the_notch_of_another_is_no_cavity():
    """Inside the bounding box of a U, but outside of the U itself."""
    u = together(*(cube_triangles(0.0, 1.0) for _ in range(3)))
    points = u[0].reshape(3, 8, 3)
    points[0] *= (5.0, 1.0, 1.0)
    points[1] = points[1] * (1.0, 1.0, 3.0)
    points[2] = points[2] * (1.0, 1.0, 3.0) + (4.0, 0.0, 0.0)
    notch = cube_triangles(0.3, 0.6, inward=True)
    solid = solid_of_triangles(*together((points.reshape(-1, 3), u[1]), (notch[0] + (2.0, 0.0, 1.5), notch[1])))
    assert solid.volume == pytest.approx(5.0 + 3.0 + 3.0 + 0.3**3)


def test_an_open_mesh_is_weighed_by_its_hull():
    ob = box("box")
    work = bmesh.new()
    work.from_mesh(ob.data)
    bmesh.ops.delete(work, geom=list(work.faces)[:1], context="FACES")
    work.to_mesh(ob.data)
    work.free()
    solid = weigh(ob)
    assert not solid.is_closed
    assert solid.volume == pytest.approx(1.0, rel=1e-6)
    np.testing.assert_allclose(solid.inertia, box_inertia((1, 1, 1)), atol=1e-6)


def test_equal_meshes_are_summed_up_once_and_each_has_its_own_scale():
    known = {}
    for name, scale in (("first", (1.0, 1.0, 1.0)), ("second", (2.0, 0.5, 3.0)), ("mirrored", (-1.0, 1.0, 2.0))):
        ob = box(name, size=(1.0, 2.0, 0.25))
        ob.scale = scale
        bpy.context.view_layer.update()
        evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
        linear = poses.split(np.array(evaluated.matrix_world)).residual
        shared, alone = solid_of_object(evaluated, linear, known), solid_of_object(evaluated, linear, {})
        for one, other in zip(shared, alone, strict=True):
            np.testing.assert_array_equal(one, other)
    assert len(known) == 1
    solid_of_object(evaluated_box("other", (1.0, 2.0, 0.3)), np.eye(3), known)
    assert len(known) == 2


def evaluated_box(name: str, size: tuple[float, float, float]) -> bpy.types.Object:
    ob = box(name, size=size)
    bpy.context.view_layer.update()
    return ob.evaluated_get(bpy.context.evaluated_depsgraph_get())


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_solid_of_many_pieces_in_any_order_of_points(shuffled):
    cubes = [cube_triangles(3.0 * i, 3.0 * i + 1.0, inward=bool(i % 2)) for i in range(30)]
    points, triangles = together(*cubes)
    if shuffled:
        order = np.random.default_rng(1).permutation(len(points))
        points, triangles = points[order], np.argsort(order)[triangles]
    assert solid_of_triangles(points, triangles).volume == pytest.approx(30.0)


def test_a_mesh_scaled_flat_has_no_volume():
    with pytest.raises(NoVolumeError, match="flat"):
        solid_of_object(evaluated_box("box", (1.0, 1.0, 1.0)), np.diag([1.0, 1.0, 0.0]), {})


def test_modifiers_count():
    ob = mesh_object("plate", [(0, 0, 0), (2, 0, 0), (2, 1, 0), (0, 1, 0)], faces=[(0, 1, 2, 3)])
    with pytest.raises(NoVolumeError, match="flat"):
        weigh(ob)
    ob.modifiers.new("Solidify", "SOLIDIFY").thickness = 0.1
    solid = weigh(ob)
    assert solid.is_closed
    assert solid.volume == pytest.approx(0.2, rel=1e-5)


def test_what_has_no_volume_is_said():
    with pytest.raises(NoVolumeError, match="no faces"):
        weigh(mesh_object("edge", [(0, 0, 0), (1, 0, 0)], edges=[(0, 1)]))
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    with pytest.raises(NoVolumeError, match="no mesh"):
        weigh(empty)


def test_a_dense_ball_approaches_the_sphere():
    mesh = bpy.data.meshes.new("ball")
    work = bmesh.new()
    bmesh.ops.create_icosphere(work, subdivisions=6, radius=1.0)
    work.to_mesh(mesh)
    work.free()
    ob = bpy.data.objects.new("ball", mesh)
    bpy.context.scene.collection.objects.link(ob)
    solid = weigh(ob)
    assert solid.volume == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-3)
    np.testing.assert_allclose(solid.inertia, 0.4 * solid.volume * np.eye(3), atol=2e-3)


@pytest.mark.parametrize("mirror", [1.0, -1.0])
def test_split_and_join_are_inverse_and_the_rotation_is_proper(mirror):
    shear = Matrix(((mirror, 0.4, 0, 0), (0, 2, -0.3, 0), (0, 0, 0.5, 0), (0, 0, 0, 1)))
    matrix = np.array(Matrix.Translation((3, -2, 1)) @ Matrix.Rotation(1.0, 4, (1, 2, 3)) @ shear)
    pose = poses.split(matrix)
    np.testing.assert_allclose(poses.join(*pose), matrix, atol=1e-12)
    assert np.linalg.det(poses.rotations(pose.orientation)) == pytest.approx(1.0)
    np.testing.assert_allclose(pose.residual, pose.residual.T, atol=1e-12)  # a polar decomposition
