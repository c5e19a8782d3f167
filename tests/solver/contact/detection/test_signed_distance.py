# SPDX-License-Identifier: GPL-3.0-or-later
"""Distance or depth of two convex shapes, whatever their poses: against hulls of differences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection.collision import Collision
from solver.contact.detection.face_manifold import faces_of
from solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Sphere
from tests.solver.contact.detection.distances import corners, gap_along, height, signed_distance
from tests.solver.contact.detection.placing import AT_ORIGIN, bodies_at, deepest, found, halved, holds, part
from tests.solver.contact.scenes import meets_bodies

pytestmark = meets_bodies

REACH = 0.1
_RANDOM = np.random.default_rng(2).normal(size=(7, 3))
_BALL = 0.5 * _RANDOM / np.linalg.norm(_RANDOM, axis=1)[:, None]
SHAPES = {
    "sphere": Sphere(radius=0.5),
    "box": Box(half_size=(0.5, 0.4, 0.3)),
    "slab": Box(half_size=(1.0, 0.8, 0.15)),
    "hull": Hull(points=tuple(map(tuple, np.concatenate([_BALL, -_BALL])))),
    "capsule": Capsule(radius=0.2, half_length=0.4),
    "coin": Cylinder(radius=0.5, half_length=0.15),
    "can": Cylinder(radius=0.25, half_length=0.4),
}
ROUND = {"sphere", "capsule", "coin", "can"}
PAIRS = list(itertools.combinations_with_replacement(SHAPES, 2))
FLAT_PAIRS = [pair for pair in PAIRS if not ROUND & set(pair)]
SIZE = 0.5


def _turn(random: np.random.Generator, how: str) -> Rotation:
    if how == "any":
        return Rotation.random(random_state=random)
    square = Rotation.create_group("O")[random.integers(24)]
    if how == "square":
        return square
    return Rotation.from_rotvec(10.0 ** random.uniform(-7, -2) * random.normal(size=3)) * square


def _way(random: np.random.Generator, how: str) -> np.ndarray:
    way = random.normal(size=3)
    if how != "any" and random.random() < 0.5:
        way = np.eye(3)[random.integers(3)]
    return way / np.linalg.norm(way)


def _around_touching(random: np.random.Generator, how: str, lower, upper) -> list:
    """Poses of both, apart by up to a twentieth or overlapping by up to half their size."""
    turns = [_turn(random, how) for _ in range(2)]
    way, gap = _way(random, how), random.choice((-0.25, -0.1, -1e-2, -1e-3, 1e-3, 0.02))
    at_origin = [(np.zeros(3), turn) for turn in turns]
    return [(np.zeros(3), turns[0]), ((gap - gap_along(way, lower, upper, at_origin)) * way, turns[1])]


@pytest.mark.parametrize("how", ["any", "nearly square"])
@pytest.mark.parametrize(("lower", "upper"), PAIRS)
def test_gap_and_normal_of_what_touches(lower, upper, how):
    """The gap is the signed distance, and along the normal shapes are as far apart, or as deep in each other."""
    random = np.random.default_rng([3, list(SHAPES).index(lower), list(SHAPES).index(upper)])
    shapes = SHAPES[lower], SHAPES[upper]
    search = Collision([part(1, shapes[0]), part(2, shapes[1])], 1, set())
    for _ in range(40):
        poses = _around_touching(random, how, *shapes)
        true = signed_distance(*shapes, poses)
        if not -0.25 < true < 0.9 * REACH:
            continue
        bodies = bodies_at(AT_ORIGIN, *poses)
        point = deepest(found(lambda room, first, at=bodies: search.find(at, halved(REACH, at), room, first), 2))
        assert point.gap == pytest.approx(true, abs=1e-3 * SIZE)
        assert gap_along(point.normal, *shapes, poses) == pytest.approx(true, abs=2e-3 * SIZE)


@pytest.mark.parametrize("how", ["any", "nearly square", "square"])
@pytest.mark.parametrize(("lower", "upper"), FLAT_PAIRS)
def test_points_of_boxes_and_hulls_are_on_both(lower, upper, how):
    """With all corners of the polygon that they share: none is deeper than the two are, and each is on both surfaces,
    as far apart as it says. The deepest has a normal along which they have its gap."""
    random = np.random.default_rng([4, list(SHAPES).index(lower), list(SHAPES).index(upper)])
    shapes, parts = (SHAPES[lower], SHAPES[upper]), [part(1, SHAPES[lower]), part(2, SHAPES[upper])]
    searches = Collision(parts, 1, set(), faces_of(parts)), Collision(parts, 1, set())
    for k in range(80):
        poses = _around_touching(random, how, *shapes)
        true, search = signed_distance(*shapes, poses), searches[k % 2]
        if not -0.25 < true < 0.9 * REACH:
            continue
        bodies = bodies_at(AT_ORIGIN, *poses)
        points = found(lambda room, first, at=bodies, s=search: s.find(at, halved(REACH, at), room, first), 2)
        first = deepest(points)
        assert first.gap == pytest.approx(true, abs=1e-3 * SIZE)
        assert gap_along(first.normal, *shapes, poses) == pytest.approx(first.gap, abs=1e-3 * SIZE)
        for point in points:
            assert point.gap > true - 1e-3 * SIZE
            for shape, pose, sign in zip(shapes, poses, (-0.5, 0.5), strict=True):
                assert height(point.position + sign * point.gap * point.normal, shape, pose) == pytest.approx(
                    0.0, abs=2e-3 * SIZE
                )


@pytest.mark.parametrize(("lower", "upper"), [("slab", "coin"), ("coin", "coin"), ("box", "can"), ("coin", "can")])
def test_what_stands_nearly_upright_is_held_all_around(lower, upper):
    """However deep, up to half the thickness of the thinner one: points around its middle, with the axis as normal."""
    random, height = np.random.default_rng(1), {"slab": 0.15, "coin": 0.15, "box": 0.3, "can": 0.4}
    parts = [part(1, SHAPES[lower]), part(2, SHAPES[upper])]
    search = Collision(parts, 1, set(), faces_of(parts))
    for _ in range(300):
        gap = -(10.0 ** random.uniform(-5, -1.2))
        turn = Rotation.from_rotvec(10.0 ** random.uniform(-9, -2) * random.normal(size=3))
        turn *= Rotation.from_rotvec((0.0, 0.0, random.uniform(0.0, 7.0)))
        center = np.array((*random.uniform(-0.1, 0.1, 2), height[lower] + height[upper] + gap))
        bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, (center, turn))
        points = found(lambda room, first, at=bodies: search.find(at, halved(0.05, at), room, first), 2)
        assert holds([point for point in points if point.normal[2] > 0.99], center)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_truth_knows_how_deep_a_small_ball_is(shape):
    """Far from the others, a ball of radius r in the middle overlaps by r more than it is from the border."""
    poses = [(np.zeros(3), Rotation.identity()), (np.zeros(3), Rotation.identity())]
    points, radius = corners(SHAPES[shape])
    depth = {"sphere": 0.5, "box": 0.3, "slab": 0.15, "capsule": 0.2, "coin": 0.15, "can": 0.25}
    true = signed_distance(SHAPES[shape], Sphere(radius=0.01), poses)
    if shape in depth:
        assert true == pytest.approx(-depth[shape] - 0.01, abs=1e-3)
    poses[1] = (np.array((3.0, 0.0, 0.0)), Rotation.identity())
    far = 3.0 - points[:, 0].max() - radius
    if shape != "hull":
        assert signed_distance(SHAPES[shape], Sphere(radius=0.01), poses) == pytest.approx(far - 0.01, abs=1e-3)
