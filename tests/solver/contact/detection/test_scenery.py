# SPDX-License-Identifier: GPL-3.0-or-later
"""Points on triangle meshes: no bumps at inner edges, and nearest triangles found by looking at all of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection import collision as adapter
from solver.contact.detection.collision import PRISMS, Collision
from solver.contact.detection.manifold_reduction import MOST
from solver.contact.detection.points import POINT
from solver.contact.detection.scenery import DEPTH, scenery
from solver.mechanism import MechanismError
from solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Mesh, Shape, Sphere
from solver.model.arrays import records
from tests.solver.contact.detection.placing import (
    AT_ORIGIN,
    UP,
    Point,
    bodies_at,
    deepest,
    found,
    halved,
    holds,
    part,
    terrain,
)

pytestmark = pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable()))

FLAT = terrain(lambda x, y: 0.0, 20, 0.3)
LYING = Rotation.from_rotvec((math.pi / 2, 0.0, 0.0))
# Shapes, how they are turned, and how high their middles are when they lie on level ground.
RESTING = {
    "ball": (Sphere(radius=0.5), Rotation.identity(), 0.5, 1),
    "box": (Box(half_size=(0.5, 0.4, 0.3)), Rotation.identity(), 0.3, 4),
    "standing can": (Cylinder(radius=0.5, half_length=0.2), Rotation.identity(), 0.2, 4),
    "lying can": (Cylinder(radius=0.3, half_length=0.5), LYING, 0.3, 2),
    "lying capsule": (Capsule(radius=0.2, half_length=0.5), LYING, 0.2, 2),
    "tilted box": (Box(half_size=(0.5, 0.4, 0.3)), Rotation.from_rotvec((0, math.atan(0.75), 0)), 0.54, 2),
}


def on_mesh(mesh: Mesh, shape: Shape, reach: float = 0.02):
    search = Collision([part(1, mesh), part(2, shape)], 2, set())

    def at(center, turned=(0.0, 0.0, 0.0), mesh_at=AT_ORIGIN) -> list[Point]:
        bodies = bodies_at(AT_ORIGIN, mesh_at, (center, turned))
        return found(lambda points, first: search.find(bodies, halved(reach, bodies), points, first), 2)

    return at


@pytest.mark.parametrize("name", RESTING)
def test_level_triangles_are_as_good_as_a_plane(name):
    """Wherever a shape lies, and however deep: straight normals, exact gaps, a few points around its middle."""
    shape, turned, height, least = RESTING[name]
    at, random = on_mesh(FLAT, shape), np.random.default_rng(11)
    for _ in range(60):
        gap = random.uniform(-0.01, 0.01)
        center = np.array((*random.uniform(1.5, 4.5, 2), height + gap))
        points = at(center, Rotation.from_rotvec((0, 0, random.uniform(0, 6))) * turned)
        assert least <= len(points) <= MOST + 1
        assert deepest(points).gap == pytest.approx(gap, abs=2e-6)
        for point in points:
            assert point.normal == pytest.approx(UP, abs=2e-4)
            assert point.position[2] == pytest.approx(0.5 * point.gap, abs=1e-5)
        assert least < 4 or holds(points, center)


@pytest.mark.parametrize("name", RESTING)
def test_nothing_bumps_where_shapes_move_over_edges(name):
    """Step by step across the terrain: never a normal that brakes, nor a gap that jumps."""
    shape, turned, height, _ = RESTING[name]
    at = on_mesh(FLAT, shape)
    for step in range(150):
        points = at((1.5 + 0.0131 * step, 2.0 + 0.0057 * step, height - 1e-4), turned)
        assert deepest(points).gap == pytest.approx(-1e-4, abs=2e-6)
        assert max(abs(point.normal[:2]).max() for point in points) < 2e-4
        if isinstance(shape, Sphere):
            assert len(points) == 1


def nearest(mesh: Mesh, place: np.ndarray) -> tuple[float, np.ndarray]:
    """Distance from a place to a mesh and the nearest point of it, among all triangles and all their edges."""
    corners = np.array(mesh.points)[np.array(mesh.triangles)]
    ahead = np.roll(corners, -1, axis=1) - corners
    way = place - corners
    share = np.clip(np.sum(way * ahead, axis=2) / np.sum(ahead * ahead, axis=2), 0.0, 1.0)
    on_edges = (corners + share[..., None] * ahead).reshape(-1, 3)
    normal = np.cross(ahead[:, 0], ahead[:, 1])
    height = np.sum(way[:, 0] * normal, axis=1) / np.sum(normal * normal, axis=1)
    inside = place - height[:, None] * normal
    turns = np.cross(ahead, inside[:, None] - corners)
    is_inside = (np.sum(turns * normal[:, None], axis=2) >= 0.0).all(axis=1)
    candidates = np.concatenate((on_edges, inside[is_inside]))
    distances = np.linalg.norm(candidates - place, axis=1)
    return float(distances.min()), candidates[distances.argmin()]


def test_a_ball_on_rough_terrain_touches_the_nearest_point():
    """Ridges, valleys, tips: the nearest point of all triangles is among those found, and no false one is deeper."""
    random = np.random.default_rng(12)
    rough = terrain(lambda x, y: float(random.uniform(0.0, 0.25)), 8, 0.5)
    at = on_mesh(rough, Sphere(radius=0.3), 0.05)
    kinds = set()
    for _ in range(150):
        place = np.array((*random.uniform(0.5, 3.5, 2), 0.6))
        for _ in range(40):  # down until it nearly touches
            far, where = nearest(rough, place)
            if abs(far - 0.3) < 0.01:
                break
            place[2] -= far - 0.3
        points = at(place)
        point = deepest(points)
        assert point.gap == pytest.approx(far - 0.3, abs=1e-6)
        assert point.normal == pytest.approx((place - where) / far, abs=1e-5)
        assert point.position == pytest.approx(0.5 * (where + place + 0.3 * (where - place) / far), abs=1e-5)
        kinds.add(len(points))
    assert len(kinds) > 1  # some lie in valleys


@pytest.mark.parametrize("slope", [0.2, 1.0])
def test_a_ball_over_a_ridge_and_in_a_valley(slope):
    ball, root = Sphere(radius=0.5), math.hypot(1.0, slope)
    ridge = on_mesh(terrain(lambda x, y: -slope * abs(x - 3.0), 20, 0.3), ball)
    for angle in np.linspace(-0.9, 0.9, 7) * math.atan(slope):
        way = np.array((math.sin(angle), 0.0, math.cos(angle)))
        (point,) = ridge(np.array((3.0, 2.77, 0.0)) + 0.499 * way)
        assert point.normal == pytest.approx(way, abs=1e-6)
        assert point.gap == pytest.approx(-1e-3, abs=1e-6)
    valley = on_mesh(terrain(lambda x, y: slope * abs(x - 3.0), 20, 0.3), ball)
    points = valley((3.0, 2.77, 0.499 * root))
    assert sorted(point.normal[0] for point in points) == pytest.approx([-slope / root, slope / root], abs=1e-6)
    assert [point.gap for point in points] == pytest.approx([-1e-3, -1e-3], abs=1e-6)


def closed_box(half: tuple[float, float, float]) -> Mesh:
    corners = [(x, y, z) for x in (-half[0], half[0]) for y in (-half[1], half[1]) for z in (-half[2], half[2])]
    squares = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in squares for t in ((a, b, c), (a, c, d))]
    return Mesh(points=tuple(corners), triangles=tuple(triangles))


@pytest.mark.parametrize("thickness", [0.02, 1.0])
def test_a_ball_around_a_closed_mesh(thickness):
    """A wall and a block, from all sides, edges and corners included: as the closed form of a box."""
    half = np.array((1.0, 1.0, 0.5 * thickness))
    at, random = on_mesh(closed_box(tuple(half)), Sphere(radius=0.3)), np.random.default_rng(13)
    for _ in range(300):
        way = random.normal(size=3)
        way[random.integers(3)] *= 3.0
        inside = np.clip(2.0 * way, -half, half)
        surface = np.where(np.abs(way) / half == (np.abs(way) / half).max(), np.sign(way) * half, inside)
        out = np.where(np.abs(surface) >= half, way, 0.0)
        out /= np.linalg.norm(out)
        point = deepest(at(surface + 0.299 * out))
        assert point.gap == pytest.approx(-1e-3, abs=1e-6)
        assert point.normal == pytest.approx(out, abs=1e-5)


def test_a_mesh_moves_with_its_body():
    """A ramp that is keyed: turned and carried together with the box on it, it touches alike."""
    at = on_mesh(FLAT, RESTING["box"][0])
    center = np.array((2.2, 3.1, 0.299))
    corners = [center + (x, y, -0.2995) for x in (-0.5, 0.5) for y in (-0.4, 0.4)]
    for turn, way in (
        (Rotation.identity(), np.zeros(3)),
        (Rotation.from_rotvec((0.3, -1.2, 2.0)), np.array((5.0, -3.0, 7.0))),
    ):
        points = at(way + turn.apply(center), turn, (way, turn))
        for point in points:
            assert point.gap == pytest.approx(-1e-3, abs=1e-6)
            assert turn.inv().apply(point.normal) == pytest.approx(UP, abs=1e-6)
        places = turn.inv().apply(np.array([point.position for point in points]) - way)
        for corner in corners:
            assert np.linalg.norm(places - corner, axis=1).min() < 1e-5


def test_a_prism_is_what_mujoco_would_have_compiled():
    """The arrays that are overwritten are all that it reads: the same points as from a hull of the same corners."""
    mesh = Mesh(points=((0, 0, 0), (1, 0, 0.1), (0.2, 0.8, 0)), triangles=((0, 1, 2),))
    meshes = scenery([(0, part(1, mesh))], 0.5)
    corners = 0.5 * (meshes.middle[0] + meshes.prism[0].astype(float))
    random = np.random.default_rng(14)
    for shape in (
        Box(half_size=(0.5, 0.4, 0.3)),
        Cylinder(radius=0.5, half_length=0.2),
        Capsule(radius=0.3, half_length=0.4),
    ):
        on_prism = on_mesh(mesh, shape)
        hull = Collision([part(1, Hull(points=tuple(map(tuple, corners)))), part(2, shape)], 2, set())
        for _ in range(30):
            turned = Rotation.random(random_state=random)
            center = np.array((*random.uniform(0.1, 0.5, 2), random.uniform(0.3, 0.6)))
            bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, (center, turned))
            real = found(lambda points, first, at=bodies, hull=hull: hull.find(at, halved(0.02, at), points, first), 2)
            ours = on_prism(center, turned)
            assert bool(real) >= bool(ours)
            # neither ghosts nor coinciding points, nor corners that have sunk straight below the triangle
            sunk = [point for point in ours if math.dist(point.normal, meshes.normal[0]) < 1e-9 and point.gap < 0.0]
            named = [point for point in ours if not any(point is other for other in sunk)]
            if named:
                point = deepest(named)
                twin = min(real, key=lambda other, at=point.position: math.dist(other.position, at))
                assert point.gap == pytest.approx(twin.gap, abs=1e-5)
                assert point.normal == pytest.approx(twin.normal, abs=2e-3)
                assert point.position == pytest.approx(twin.position, abs=1e-3)


def test_prisms_share_their_walls_and_stay_inside():
    meshes = scenery([(0, part(1, closed_box((1.0, 1.0, 0.2))))], 1.0)
    solid = meshes.middle[:, None] + meshes.prism
    assert np.abs(solid).max(axis=(0, 1)) == pytest.approx((1.0, 1.0, 0.2), abs=1e-6)
    depth = np.linalg.norm(solid[:, 3:] - solid[:, :3], axis=2)
    assert depth.max() <= DEPTH * 1.0 + 1e-6
    below = {
        tuple(np.round(top, 5)): tuple(np.round(low, 5))
        for tops in solid
        for top, low in zip(tops[:3], tops[3:], strict=True)
    }
    assert len(below) == len(set(below.values())) == 8


def test_more_triangles_than_prisms():
    """A large box on fine triangles: all of them are met, and few points are left."""
    fine = terrain(lambda x, y: 0.0, 20, 0.05)
    at = on_mesh(fine, Box(half_size=(0.4, 0.4, 0.1)))
    points = at((0.5, 0.5, 0.0999))
    assert PRISMS < 2 * 16 * 16
    assert 4 <= len(points) <= MOST
    corners = {(round(point.position[0], 3), round(point.position[1], 3)) for point in points}
    assert {(0.1, 0.1), (0.1, 0.9), (0.9, 0.1), (0.9, 0.9)} <= corners


def test_only_what_may_touch_touches():
    ball = Sphere(radius=0.5)
    parts = [part(0, FLAT), part(1, FLAT), part(1, ball), part(2, ball), part(3, ball)]
    search = Collision(parts, 2, {(1, 3)})
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((2.0, 2.0, 0.499), (0, 0, 0)), ((4.0, 4.0, 0.499), (0, 0, 0)))
    points = records(20, POINT)
    count = search.find(bodies, halved(0.02, bodies), points, 0)
    pairs = sorted((tuple(sorted(point.body.tolist())), tuple(sorted(point.part.tolist()))) for point in points[:count])
    assert pairs == [((0, 2), (0, 3)), ((0, 3), (0, 4)), ((1, 2), (1, 3))]
    bodies.center[2:, 2] += 1.0
    assert search.find(bodies, halved(0.02, bodies), points, 0) == 0


def test_meshes_may_be_split_or_have_triangles_without_area():
    """Blender's modifiers leave both behind. Points that coincide are one, so that inner edges stay inner ones."""
    points = np.array(FLAT.points)[np.array(FLAT.triangles).ravel()]
    triangles = np.arange(len(points)).reshape(-1, 3)
    split = Mesh(points=tuple(map(tuple, points)), triangles=(*map(tuple, triangles.tolist()), (0, 0, 1), (0, 1, 1)))
    at = on_mesh(split, Sphere(radius=0.5))
    for step in range(50):
        (point,) = at((1.5 + 0.0131 * step, 2.0, 0.499))
        assert point.normal == pytest.approx(UP, abs=1e-5)
    line = Mesh(points=((0, 0, 0), (1, 0, 0), (2, 0, 0)), triangles=((0, 1, 2),))
    with pytest.raises(MechanismError, match=r"^body 'body 1': no triangle of its mesh has an area; give it"):
        on_mesh(line, Sphere(radius=0.5))
