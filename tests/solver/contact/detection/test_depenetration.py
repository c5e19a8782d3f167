# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes deep in a mesh that is no solid: a kerb of two faces, without a bottom."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Mechanism, simulate
from solver.contact.detection import collision as adapter
from solver.contact.detection.collision import Collision
from solver.mechanism import Box, Capsule, Contact, Cylinder, Ground, Hull, Sphere
from solver.mechanism.bodies import Mesh
from tests.solver.contact.detection.placing import AT_ORIGIN, Point, bodies_at, deepest, found, halved, part
from tests.solver.contact.solids import fixed, solid

pytestmark = pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable()))

HEIGHT, DEPTH = 0.12, 1.0
RADIUS = 0.033
ACROSS = Rotation.from_rotvec((0.5 * np.pi, 0.0, 0.0))  # turns local Z along the kerb
CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
SHAPES = {
    "ball": Sphere(radius=RADIUS),
    "can": Cylinder(radius=RADIUS, half_length=0.05),
    "long can": Cylinder(radius=RADIUS, half_length=0.1),
    "capsule": Capsule(radius=RADIUS, half_length=0.05),
    "box": Box(half_size=(RADIUS, RADIUS, 0.05)),
    "hull": Hull(points=tuple(map(tuple, CUBE * (RADIUS, RADIUS, 0.05)))),
}


def kerb(pieces: int) -> Mesh:
    """A front at X = 0 that looks along -X, and a top."""
    points = [(x, y, z) for y in np.linspace(-2.0, 2.0, pieces + 1) for x, z in ((0, 0), (0, HEIGHT), (DEPTH, HEIGHT))]
    triangles = []
    for a in range(0, 3 * pieces, 3):
        triangles += [(a, a + 1, a + 4), (a, a + 4, a + 3), (a + 1, a + 2, a + 5), (a + 1, a + 5, a + 4)]
    return Mesh(points=tuple(points), triangles=tuple(triangles))


def in_kerb(shape, pieces: int, center) -> list[Point]:
    search = Collision([part(1, kerb(pieces)), part(2, shape)], 2, set())
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, (center, ACROSS))
    return found(lambda points, first: search.find(bodies, halved(0.01, bodies), points, first), 2)


@pytest.mark.parametrize("pieces", [1, 8, 40])
@pytest.mark.parametrize("name", SHAPES)
def test_what_is_deep_inside_knows_the_shortest_way_out(name, pieces):
    """Behind the front or below the top, farther than a half of itself: straight out, by the exact depth."""
    for depth in (0.005, 0.02, 0.035, 0.045):
        for center, way, gap in (
            ((depth, 0.13, 0.055), (-1, 0, 0), -depth - RADIUS),
            ((0.31, 0.13, HEIGHT - depth), (0, 0, 1), -depth - RADIUS),
        ):
            point = deepest(in_kerb(SHAPES[name], pieces, center))
            assert point.normal == pytest.approx(way, abs=1e-3)
            assert point.gap == pytest.approx(gap, abs=1e-4)


def test_in_front_of_where_a_mesh_ends_nothing_is_inside():
    """Below the open side of the kerb, beyond its end."""
    assert in_kerb(SHAPES["ball"], 1, (DEPTH + 0.005, 0.0, HEIGHT - 0.04)) == []


@pytest.mark.parametrize("pieces", [1, 40])
def test_a_can_that_starts_behind_the_front_of_a_kerb_is_led_out(pieces):
    can = solid("can", SHAPES["can"], (0.02, 0.1, 0.034), 0.05, orientation=np.roll(ACROSS.as_quat(), 1))
    mechanism = Mechanism(bodies=[fixed("kerb", kerb(pieces)), can], contact=Contact(ground=Ground()))
    recording = simulate(mechanism, 0.25, 24.0, integrator="impulse")
    assert recording.position[-1, 1, 0] == pytest.approx(-RADIUS, abs=1e-3)
    assert recording.position[-1, 1, 2] == pytest.approx(RADIUS, abs=1e-3)


@pytest.mark.parametrize("name", SHAPES)
def test_what_comes_from_behind_falls_through_and_is_met_when_it_is_out(name):
    """A level square, passed upward and then approached from above."""
    square = Mesh(points=((-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)), triangles=((0, 1, 2), (0, 2, 3)))
    search = Collision([part(1, square), part(2, SHAPES[name])], 2, set())

    def points(height: float) -> list[Point]:
        bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0.1, 0.2, height), ACROSS))
        return found(lambda points, first: search.find(bodies, halved(0.01, bodies), points, first), 2)

    points(-2.0)
    for height in np.arange(-1.0, 0.9 * RADIUS, 0.002):
        assert points(height) == []
    points(1.1 * RADIUS)
    for depth in (-0.003, 0.003, 0.02):
        assert deepest(points(RADIUS - depth)).gap == pytest.approx(-depth, abs=1e-5)
        assert deepest(points(RADIUS - depth)).normal == pytest.approx((0, 0, 1), abs=1e-5)


def test_a_ball_that_is_thrown_up_from_behind_gains_nothing():
    square = Mesh(points=((-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)), triangles=((0, 1, 2), (0, 2, 3)))
    ball = solid("ball", Sphere(radius=RADIUS), (0.1, 0.2, -0.9), linear_velocity=(0.0, 0.0, 5.0))
    bodies = [fixed("square", square), ball]
    recording = simulate(Mechanism(bodies=bodies, contact=Contact(enabled=True)), 1.0, 48.0, integrator="impulse")
    heights, rise = recording.position[:, 1, 2], 5.0**2 / (2.0 * 9.81)
    assert heights.max() == pytest.approx(rise - 0.9, abs=1e-2)
    assert heights[-1] == pytest.approx(RADIUS, abs=1e-3)


def test_a_corner_in_a_crease_is_led_out_of_both_faces():
    """While another corner of the stone bears it: no face is right above the one that has sunk into the crease."""
    groove = Mesh(
        points=tuple((x, y, abs(y)) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0)),
        triangles=((0, 3, 4), (0, 4, 1), (1, 4, 5), (1, 5, 2), (3, 6, 7), (3, 7, 4), (4, 7, 8), (4, 8, 5)),
    )
    sunk, bears, slope = 0.003, 0.0001, np.sqrt(0.5)
    corners = ((0.3, 0.0, -sunk), (-0.4, 0.1, 0.1 - bears), (0.3, 0.03, 0.3), (0.3, -0.03, 0.3), (-0.4, 0.0, 0.3))
    search = Collision([part(1, groove), part(2, Hull(points=corners))], 2, set())
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, AT_ORIGIN)
    points = found(lambda points, first: search.find(bodies, halved(0.01, bodies), points, first), 2)
    for way in (-slope, slope):
        of_face = [point for point in points if point.normal == pytest.approx((0.0, way, slope), abs=1e-6)]
        assert min(point.gap for point in of_face) == pytest.approx(-slope * sunk, rel=0.02)


def ridge_points(tilt: float) -> list[Point]:
    """Of a box that leans against a long sharp ridge with a face that is turned along it by so much (rad)."""
    ridge = Mesh(
        points=(
            (-0.2, -1.0, 0.0),
            (-0.2, 1.0, 0.0),
            (0.0, -1.0, 0.2),
            (0.0, 1.0, 0.2),
            (0.05, -1.0, 0.0),
            (0.05, 1.0, 0.0),
        ),
        triangles=((0, 2, 3), (0, 3, 1), (2, 4, 5), (2, 5, 3)),
    )
    search = Collision([part(1, ridge), part(2, Box(half_size=(0.03, 0.03, 0.03)))], 2, set())
    turned = Rotation.from_rotvec((tilt, 0.0, 0.0))
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0.0, 0.1, 0.2298), turned))
    return found(lambda points, first: search.find(bodies, halved(0.01, bodies), points, first), 2)


@pytest.mark.parametrize("tilt", [0.0, 1e-4, -1e-3, 1e-3])
def test_what_leans_on_a_ridge_is_borne_at_both_ends(tilt):
    places = [point.position[1] for point in ridge_points(tilt)]
    assert min(places) == pytest.approx(0.07, abs=1e-3)
    assert max(places) == pytest.approx(0.13, abs=1e-3)
