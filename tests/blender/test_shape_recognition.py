# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes for contact are recognised in meshes however these are turned, scaled and cut, and nothing else is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mathutils import Euler
from virtual_erector_set.scene.geometry import poses
from virtual_erector_set.scene.geometry.convex import convex
from virtual_erector_set.scene.geometry.mass_properties import NoVolumeError
from virtual_erector_set.scene.geometry.shape_fitting import (
    ShrunkAwayError,
    automatic,
    corners_of_box,
    grown,
    mesh,
    smallest,
)
from virtual_erector_set.scene.geometry.shape_recognition import recognise
from virtual_erector_set.solver.mechanism import Box, Capsule, Cylinder, Hull, Mesh, Sphere

from tests.blender.shapes import ball, capsule, cylinder, icosphere

TURNS = [(0, 0, 0), (0.3, -0.7, 1.1), (math.pi / 2, 0, 0), (0, math.pi / 2, 0), (2.1, 0.4, -3.0)]


def turned(corners: np.ndarray, angles: tuple[float, float, float], offset=(0.3, -2.0, 0.7)) -> np.ndarray:
    """In the single precision of a mesh."""
    rotation = np.array(Euler(angles).to_matrix())
    return (corners @ rotation.T + offset).astype(np.float32)


def axis_of(shape: Cylinder | Capsule) -> np.ndarray:
    return poses.rotations(np.array(shape.orientation))[:, 2]


@pytest.mark.parametrize("angles", TURNS)
@pytest.mark.parametrize("half", [(0.5, 0.5, 0.5), (1.0, 2.0, 0.3), (3.0, 0.01, 0.01), (1.0, 2.0, 0.001)])
def test_a_box_however_turned(half, angles) -> None:
    found = recognise(convex(turned(corners_of_box(half), angles)))
    assert isinstance(found, Box)
    np.testing.assert_allclose(sorted(found.half_size), sorted(half), atol=1e-6)
    np.testing.assert_allclose(found.position, (0.3, -2.0, 0.7), atol=1e-6)
    rotation = poses.rotations(np.array(found.orientation))
    wanted = turned(corners_of_box(half), angles)
    back = corners_of_box(found.half_size) @ rotation.T + found.position
    apart = np.linalg.norm(wanted[:, None] - back, axis=2).min(axis=1)
    assert apart.max() < 3e-6


def test_a_box_in_line_with_the_axes_has_no_turn() -> None:
    assert recognise(convex(corners_of_box((1, 2, 3)))).orientation == (1.0, 0.0, 0.0, 0.0)
    assert recognise(convex(corners_of_box((1, 2, 3)))).half_size == (1.0, 2.0, 3.0)


def test_a_box_with_many_vertices_on_its_faces() -> None:
    grid = np.linspace(-1, 1, 6)
    points = np.array([p for p in np.stack(np.meshgrid(grid, grid, grid), -1).reshape(-1, 3) if abs(p).max() == 1])
    found = recognise(convex(turned(points, (0.3, -0.7, 1.1))))
    assert isinstance(found, Box)
    np.testing.assert_allclose(found.half_size, 1.0, atol=1e-6)


@pytest.mark.parametrize("bevel", [0.01, 0.05, 0.3])
def test_a_bevelled_box_is_none(bevel: float) -> None:
    inset = 1.0 - bevel
    corners = np.concatenate(
        [corners_of_box(half) for half in ((1, inset, inset), (inset, 1, inset), (inset, inset, 1))]
    )
    assert recognise(convex(corners)) is None
    assert isinstance(automatic(*hull_mesh(corners), False), Hull)


@pytest.mark.parametrize("angles", TURNS)
@pytest.mark.parametrize("geometry", [ball(), ball(8, 6), ball(64, 33), icosphere(2), icosphere(4)], ids=len)
def test_balls(geometry, angles) -> None:
    found = recognise(convex(turned(0.25 * geometry[0], angles)))
    assert isinstance(found, Sphere)
    assert found.radius == pytest.approx(0.25, rel=1e-5)
    np.testing.assert_allclose(found.position, (0.3, -2.0, 0.7), atol=1e-6)


def test_what_only_has_its_corners_on_a_ball_is_none() -> None:
    assert isinstance(recognise(convex(corners_of_box((1, 1, 1)))), Box)
    assert recognise(convex(icosphere(1)[0])) is None
    tetrahedron = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)])
    assert recognise(convex(tetrahedron)) is None


@pytest.mark.parametrize("squeeze", [0.5, 0.98, 1.005])
def test_an_ellipsoid_is_none(squeeze: float) -> None:
    assert recognise(convex(ball()[0] * (1.0, 1.0, squeeze))) is None
    assert recognise(convex(cylinder()[0] * (1.0, squeeze, 1.0))) is None


@pytest.mark.parametrize("angles", TURNS)
@pytest.mark.parametrize("depth", [0.01, 0.6, 1.7320508, 2.0, 50.0])
@pytest.mark.parametrize("segments", [8, 9, 12, 32, 128])
def test_cylinders_about_any_axis(segments: int, depth: float, angles) -> None:
    found = recognise(convex(turned(cylinder(segments, 1.0, depth)[0], angles)))
    assert isinstance(found, Cylinder)
    assert (found.radius, found.half_length) == pytest.approx((1.0, 0.5 * depth), rel=1e-4)
    axis = np.array(Euler(angles).to_matrix())[:, 2]
    assert np.linalg.norm(np.cross(axis_of(found), axis)) < 2e-5
    np.testing.assert_allclose(found.position, (0.3, -2.0, 0.7), atol=5e-6)


@pytest.mark.parametrize("segments", [3, 5, 6, 7])
def test_a_prism_with_few_sides_is_no_cylinder(segments: int) -> None:
    assert recognise(convex(cylinder(segments)[0])) is None


def test_a_cylinder_cut_into_rings_is_one_and_a_cone_is_none() -> None:
    corners = cylinder(16, 1.0, 4.0)[0]
    rings = np.concatenate([corners * (1, 1, share) for share in (1.0, 0.5, 0.25)])
    assert isinstance(recognise(convex(turned(rings, (0.3, -0.7, 1.1)))), Cylinder)
    assert recognise(convex(cylinder(32, 1.0, 2.0, top=0.98)[0])) is None
    assert recognise(convex(cylinder(32, 1.0, 2.0, top=0.0)[0])) is None


@pytest.mark.parametrize("angles", TURNS)
@pytest.mark.parametrize("half_length", [0.1, 1.0, 20.0])
def test_capsules(half_length: float, angles) -> None:
    found = recognise(convex(turned(capsule(1.0, half_length)[0], angles)))
    assert isinstance(found, Capsule)
    assert (found.radius, found.half_length) == pytest.approx((1.0, half_length), rel=2e-3)
    axis = np.array(Euler(angles).to_matrix())[:, 2]
    assert np.linalg.norm(np.cross(axis_of(found), axis)) < 1e-4


def hull_mesh(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    hull = convex(points)
    return hull.corners, hull.triangles


def l_shape() -> tuple[np.ndarray, np.ndarray]:
    """Two boxes side by side, whose hull is more than both."""
    first, second = hull_mesh(corners_of_box((1, 1, 1))), hull_mesh(corners_of_box((1, 1, 0.25)) + (2, 0, -0.75))
    return np.concatenate([first[0], second[0]]), np.concatenate([first[1], second[1] + 8])


def test_what_is_not_its_own_hull_is_a_mesh_only_where_it_may_be() -> None:
    points, triangles = l_shape()
    assert isinstance(automatic(points, triangles, False), Hull)
    found = automatic(points, triangles, True)
    assert isinstance(found, Mesh)
    assert (len(found.points), len(found.triangles)) == (16, 24)
    points, triangles = hull_mesh(corners_of_box((1, 1, 1)))
    assert isinstance(automatic(points, triangles, True), Box)
    assert isinstance(automatic(points, triangles[2:], True), Mesh), "a box without a side"
    room = np.concatenate([points, 0.9 * points])
    walls = np.concatenate([triangles, triangles[:, ::-1] + 8])
    assert isinstance(automatic(room, walls, True), Mesh), "a room"
    assert isinstance(automatic(room, walls, False), Box)


def test_something_flat_is_a_mesh_or_nothing() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
    triangles = np.array([(0, 1, 2), (0, 2, 3), (0, 0, 1)])
    found = automatic(points, triangles, True)
    assert isinstance(found, Mesh)
    assert found.triangles == ((0, 1, 2), (0, 2, 3)), "without the one that has no area"
    with pytest.raises(NoVolumeError):
        automatic(points, triangles, False)
    with pytest.raises(NoVolumeError):
        mesh(points, triangles[2:])


def can_with_rims() -> np.ndarray:
    body, rims = cylinder(32, 0.3, 1.2)[0], cylinder(32, 0.29, 1.22)[0]
    return turned(np.concatenate([body, rims]), (0.3, -0.7, 1.1), (1, 2, 3))


def test_shapes_around_what_they_are_not_quite() -> None:
    points = can_with_rims()
    assert recognise(convex(points)) is None
    found = smallest("CYLINDER", points)
    assert (found.radius, found.half_length) == pytest.approx((0.3, 0.61), rel=1e-4)
    np.testing.assert_allclose(found.position, (1, 2, 3), atol=1e-5)
    found = smallest("CAPSULE", points)
    assert (found.radius, found.half_length) == pytest.approx((0.3, 0.31), rel=1e-4)
    found = smallest("SPHERE", points)
    assert np.linalg.norm(points - found.position, axis=1).max() == pytest.approx(found.radius)
    found = smallest("BOX", points)
    np.testing.assert_allclose(np.abs(points - found.position).max(axis=0), found.half_size)
    assert len(smallest("HULL", points).points) == len(points)


def test_a_box_stays_the_one_that_it_is_and_a_ball_too() -> None:
    corners = turned(corners_of_box((1, 2, 3)), (0.3, -0.7, 1.1))
    assert np.prod(smallest("BOX", corners).half_size) == pytest.approx(6.0, rel=1e-5)
    assert smallest("SPHERE", ball()[0]).radius == pytest.approx(1.0, rel=1e-6)
    assert smallest("CYLINDER", corners_of_box((1, 1, 1))).orientation == (1, 0, 0, 0), "upright"


@pytest.mark.parametrize("margin", [0.1, -0.1])
def test_margins(margin: float) -> None:
    assert grown(Box(half_size=(1, 2, 3)), margin).half_size == pytest.approx((1 + margin, 2 + margin, 3 + margin))
    assert grown(Sphere(radius=1), margin).radius == pytest.approx(1 + margin)
    found = grown(Cylinder(radius=1, half_length=2), margin)
    assert (found.radius, found.half_length) == pytest.approx((1 + margin, 2 + margin))
    found = grown(Capsule(radius=1, half_length=2), margin)
    assert (found.radius, found.half_length) == pytest.approx((1 + margin, 2))
    hull = grown(Hull(points=icosphere(2)[0].tolist()), margin)
    before = convex(icosphere(2)[0])
    after = convex(np.array(hull.points))
    inner, outer = (before, after) if margin > 0 else (after, before)
    assert (outer.offsets - inner.corners @ outer.normals.T).min() == pytest.approx(abs(margin), abs=0.02)
    points, triangles = hull_mesh(corners_of_box((1, 1, 1)))
    moved = np.array(grown(mesh(points, triangles), margin).points)
    assert np.linalg.norm(moved - points, axis=1) == pytest.approx(abs(margin))
    assert (np.linalg.norm(moved, axis=1) > math.sqrt(3)).all() == (margin > 0)


@pytest.mark.parametrize(
    "shape", [Box(half_size=(1, 2, 0.1)), Sphere(radius=0.1), Cylinder(radius=1, half_length=0.1),
              Capsule(radius=0.1, half_length=1), Hull(points=(0.1 * icosphere(1)[0]).tolist())],
)  # fmt: skip
def test_a_margin_that_leaves_nothing(shape) -> None:
    with pytest.raises(ShrunkAwayError):
        grown(shape, -0.15)
