# SPDX-License-Identifier: GPL-3.0-or-later
"""Points between bodies, found by mujoco-core behind its adapter: against closed forms."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection import collision as adapter
from solver.contact.detection.collision import Collision
from solver.contact.detection.hulls import fewer_corners
from solver.contact.detection.points import POINT
from solver.mechanism import MechanismError
from solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Shape, Sphere
from solver.model.arrays import records
from solver.model.collision_shapes import Part
from tests.solver.contact.detection.placing import AT_ORIGIN, UP, Point, bodies_at, deepest, found, halved, holds, part
from tests.solver.contact.scenes import meets_bodies

ROOT = Path(__file__).resolve().parents[4]
CUBE = tuple((x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5))
# Each reaches 0.5 m up and down.
SHAPES = {
    "sphere": Sphere(radius=0.5),
    "box": Box(half_size=(0.5, 0.5, 0.5)),
    "capsule": Capsule(radius=0.25, half_length=0.25),
    "cylinder": Cylinder(radius=0.5, half_length=0.5),
    "hull": Hull(points=CUBE),
}
FLAT = {"box", "cylinder", "hull"}
SINGLE = 1e-6  # MuJoCo's tolerance for curved shapes, and the precision of its corners, in parts of the size

pytestmark = pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable()))


def between(
    parts: list[Part], bodies: np.recarray, body: int, reach: float = 0.02, driven: int = 1, excluded=()
) -> list[Point]:
    search = Collision(parts, driven, set(excluded))
    return found(lambda points, first: search.find(bodies, halved(reach, bodies), points, first), body)


def scaled(shape: Shape, k: float) -> Shape:
    match shape:
        case Sphere(radius=r):
            return Sphere(radius=k * r)
        case Box(half_size=half):
            return Box(half_size=tuple(k * x for x in half))
        case Capsule(radius=r, half_length=h) | Cylinder(radius=r, half_length=h):
            return type(shape)(radius=k * r, half_length=k * h)
    return Hull(points=tuple(tuple(k * x for x in point) for point in shape.points))


@pytest.mark.parametrize("gap", [-1e-3, 1e-3])
@pytest.mark.parametrize("upper", SHAPES)
@pytest.mark.parametrize("lower", SHAPES)
def test_one_shape_over_another(lower, upper, gap):
    """However the two are turned together: the gap, the normal, and the place midway between the surfaces."""
    random = np.random.default_rng(5)
    for _ in range(5):
        turn, origin = Rotation.random(random_state=random), random.normal(size=3)
        bodies = bodies_at(AT_ORIGIN, (origin, turn), (origin + turn.apply((0.0, 0.0, 1.0 + gap)), turn))
        points = between([part(1, SHAPES[lower]), part(2, SHAPES[upper])], bodies, 2)
        assert {point.body for point in points} == {1}
        for point in points:
            place = turn.inv().apply(point.position - origin)
            assert point.gap == pytest.approx(gap, abs=SINGLE)
            assert turn.inv().apply(point.normal) == pytest.approx(UP, abs=2e-5)
            assert place[2] == pytest.approx(0.5 + 0.5 * gap, abs=SINGLE)
            assert np.abs(place[:2]).max() < 0.5 + SINGLE
        if {lower, upper} <= FLAT:
            own = [Point(1, 0, turn.inv().apply(point.position - origin), UP, 0.0, (0, 0)) for point in points]
            assert holds(own, np.zeros(2))
            assert max(math.hypot(*point.position[:2]) for point in own) > 0.49
        if "sphere" in (lower, upper):
            assert len(points) == 1


@pytest.mark.parametrize("k", [1e-3, 1e-2, 1.0, 100.0])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_any_size(shape, k):
    """A shape of 1 mm to 100 m, far from the origin, on a slab a hundred times wider."""
    slab = Box(half_size=(100.0 * k, 100.0 * k, 10.0 * k))
    place = np.array((30.0 * k, -20.0 * k, 0.0))
    center = 1000.0 * k * UP
    bodies = bodies_at(AT_ORIGIN, (center - 10.0 * k * UP, (0, 0, 0)), (center + place + 0.499 * k * UP, (0, 0, 0.3)))
    points = between([part(1, slab), part(2, scaled(shape, k))], bodies, 2, 0.02 * k, driven=2)
    assert points
    for point in points:
        assert point.gap == pytest.approx(-1e-3 * k, abs=2e-5 * k)
        assert point.normal == pytest.approx(UP, abs=1e-5)


def test_only_what_may_touch_touches():
    ball = Sphere(radius=1.0)
    parts = [part(body, ball) for body in (0, 1, 2, 3, 4)]
    bodies = bodies_at(*[((0.1 * k, 0.0, 0.0), (0, 0, 0)) for k in range(5)])
    points = records(20, POINT)
    search = Collision([*parts, part(4, ball, position=(0.2, 0.0, 0.0))], 2, {(3, 2), (4, 0)})
    count = search.find(bodies, halved(0.1, bodies), points, 3)
    pairs = {tuple(sorted(point.body.tolist())) for point in points[3:count]}
    assert pairs == {(0, 2), (0, 3), (1, 2), (1, 3), (1, 4), (2, 4), (3, 4)}
    assert count == 3 + 4 + 2 * 3  # body 4 has two parts
    assert {tuple(point.part.tolist()) for point in points[3:count] if sorted(point.body) == [1, 4]} == {(1, 4), (1, 5)}
    assert search.find(bodies, halved(0.1, bodies), points[: count - 1].view(np.recarray), 3) == count
    bodies.center *= 100.0
    assert search.find(bodies, halved(0.1, bodies), points, 3) == 3


def test_parts_sit_where_they_are_placed():
    """A dumbbell, whose balls are out of the middle, over a turned box that is part of a compound."""
    dumbbell = [part(2, Sphere(radius=0.2), position=(x, 0.0, -0.3)) for x in (-1.0, 1.0)]
    table = part(1, Box(half_size=(0.4, 0.1, 0.3)), turned=(0.0, 0.0, math.pi / 2), position=(0.0, 1.0, 0.0))
    bodies = bodies_at(AT_ORIGIN, ((5.0, 0.0, 0.0), (0, 0, 0)), ((5.0, 0.0, 0.8), (0.0, 0.0, math.pi / 2)))
    points = between([part(1, Sphere(radius=0.1)), table, *dumbbell], bodies, 2)
    assert [point.parts for point in points] == [(1, 3)]
    assert points[0].position == pytest.approx((5.0, 1.0, 0.3), abs=1e-6)
    assert points[0].gap == pytest.approx(0.0, abs=1e-6)


def pile(count: int) -> tuple[list[Part], np.recarray]:
    random, shapes = np.random.default_rng(6), list(SHAPES.values())
    poses = [(1.5 * random.uniform(-1, 1, 3), Rotation.random(random_state=random)) for _ in range(count)]
    return [part(k + 1, shapes[k % len(shapes)]) for k in range(count)], bodies_at(AT_ORIGIN, *poses)


def all_points(search: Collision, bodies: np.recarray) -> bytes:
    points = records(5000, POINT)
    count = search.find(bodies, halved(0.05, bodies), points, 0)
    assert 20 < count <= len(points)
    return points[:count].tobytes()


def test_the_same_input_gives_the_same_points_to_the_last_bit():
    parts, bodies = pile(20)
    search = Collision(parts, 1, set())
    first = all_points(search, bodies)
    moved = bodies.copy().view(np.recarray)
    moved.center[:, ::-1] += 0.1 * bodies.center
    assert all_points(search, moved) != first
    assert all_points(search, bodies) == first
    assert all_points(Collision(parts, 1, set()), bodies) == first


def test_memory_grows_as_it_takes(monkeypatch, tmp_path):
    """With little memory MuJoCo stops; with some more it leaves points out and writes a log file. Neither happens."""
    parts, bodies = pile(60)
    enough = all_points(Collision(parts, 1, set()), bodies)
    monkeypatch.chdir(tmp_path)
    for memory in (120_000, 140_000, 160_000, 180_000, 200_000, 220_000):
        monkeypatch.setattr(adapter, "MEMORY", memory)
        assert all_points(Collision(parts, 1, set()), bodies) == enough
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tilt", [1e-4, 1e-3, 1e-2, 0.05, 0.2, 1.0])
@pytest.mark.parametrize("lower", ["box", "cylinder"])
def test_a_can_that_rocks_has_the_exact_lowest_point(lower, tilt):
    """As on the ground, it must not sink in between the corners of a polygon."""
    table = {"box": Box(half_size=(2.0, 2.0, 0.5)), "cylinder": Cylinder(radius=2.0, half_length=0.5)}[lower]
    can = Cylinder(radius=0.5, half_length=0.5)
    search = Collision([part(1, table), part(2, can)], 1, set())
    for direction, spin in np.random.default_rng(7).uniform(0.0, 2.0 * np.pi, (30, 2)):
        lean = Rotation.from_rotvec((0, 0, direction)) * Rotation.from_rotvec((0, tilt, 0))
        height = 1.0 - 0.5 + 0.5 * math.cos(tilt) + 0.5 * math.sin(tilt) - 1e-3
        bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0, 0, height), lean * Rotation.from_rotvec((0, 0, spin))))
        points = found(lambda points, first, at=bodies: search.find(at, halved(0.05, at), points, first), 2)
        point = deepest(points)
        assert point.gap == pytest.approx(-1e-3, abs=2e-6)
        far = 0.5 * math.cos(tilt) - 0.5 * math.sin(tilt)
        assert point.position[:2] == pytest.approx((far * math.cos(direction), far * math.sin(direction)), abs=2e-3)


def test_a_can_as_wide_as_its_box_is_held_all_around():
    """Corners of the can's polygon would lie just on the box's edges."""
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0.0, 0.0, 0.9999), (0, 0, 0)))
    for lower, upper in (("box", "cylinder"), ("cylinder", "box"), ("cylinder", "cylinder")):
        points = between([part(1, SHAPES[lower]), part(2, SHAPES[upper])], bodies, 2)
        assert holds(points, np.zeros(2))
        ways = np.array([point.position[:2] for point in points])
        assert np.linalg.norm(ways.mean(axis=0)) < 0.1


def test_a_can_that_lies_on_the_end_of_a_drum_is_not_thrown_out_sideways():
    search = Collision([part(1, Cylinder(radius=2.0, half_length=0.5)), part(2, SHAPES["cylinder"])], 1, set())
    random = np.random.default_rng(8)
    for _ in range(300):
        lean = math.pi / 2 + 10.0 ** random.uniform(-7, -2)
        turn = Rotation.from_rotvec((0, 0, random.uniform(0, 7))) * Rotation.from_rotvec((0, lean, 0))
        axis = turn.apply(UP)
        gap = random.uniform(-2e-3, 2e-3)
        height = 0.5 + 0.5 * abs(axis[2]) + 0.5 * math.hypot(axis[0], axis[1]) + gap
        bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0, 0, height), turn))
        points = found(lambda points, first, at=bodies: search.find(at, halved(0.02, at), points, first), 2)
        assert deepest(points).gap == pytest.approx(gap, abs=1e-5)
        assert deepest(points).normal == pytest.approx(UP, abs=1e-4)


def test_points_of_a_sliding_box_slide_along():
    """Impulses are warm-started by their points: each has one of the step before at the same place of the upper box."""
    search = Collision([part(1, Box(half_size=(2.0, 2.0, 0.5))), part(2, SHAPES["box"])], 2, set())
    before = None
    for step in range(50):
        center = np.array((0.01 * step, 0.005 * step, 0.9999))
        bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, (center, (0.0, 0.0, 0.3)))
        points = found(lambda points, first, at=bodies: search.find(at, halved(0.02, at), points, first), 2)
        places = np.array([point.position - center for point in points])
        assert len(places) == 4
        if before is not None:
            apart = np.linalg.norm(places[:, None] - before[None], axis=2).min(axis=1)
            assert apart.max() < 1e-6
        before = places


def test_a_hull_of_many_points_keeps_its_form():
    """Of 500 points on an ellipsoid, 64 corners: nowhere is it thinner by much."""
    ways = np.random.default_rng(9).normal(size=(500, 3))
    points = ways / np.linalg.norm(ways, axis=1, keepdims=True) * (1.0, 0.6, 0.3)
    few = fewer_corners(points, 64)
    assert len(few) == 64
    along = Rotation.random(200, random_state=10).apply(UP)
    lost = (points @ along.T).max(axis=0) - (few @ along.T).max(axis=0)
    assert lost.min() > -1e-15
    assert lost.max() < 0.03
    bodies = bodies_at(AT_ORIGIN, ((0.0, 0.0, -1.0), (0, 0, 0)), ((0.0, 0.0, 0.29), (0, 0, 0)))
    table, egg = part(1, Box(half_size=(2.0, 2.0, 1.0))), part(2, Hull(points=tuple(map(tuple, points))))
    assert deepest(between([table, egg], bodies, 2, 0.1)).gap == pytest.approx(-0.01, abs=0.02)


def test_flat_hulls_are_cards_and_lines_are_refused():
    card = Hull(points=((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)))
    bodies = bodies_at(AT_ORIGIN, ((0.0, 0.0, -0.5), (0, 0, 0)), ((-0.5, -0.5, 0.0), (0, 0, 0)))
    points = between([part(1, Box(half_size=(2.0, 2.0, 0.5))), part(2, card)], bodies, 2)
    assert len(points) == 4
    assert deepest(points).gap == pytest.approx(-0.5e-3, abs=1e-6)
    with pytest.raises(MechanismError, match=r"^body 'body 2': the points of its hull lie on a line"):
        between([part(2, Hull(points=((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0))))], bodies, 2)


def test_without_the_package_the_reason_is_told():
    program = """
import sys
sys.modules["mujoco"] = None
from solver.contact.detection.collision import unavailable
print(unavailable())
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=os.environ, check=True, capture_output=True, text=True
    )
    assert answer.stdout.startswith("the package mujoco-core is needed and cannot be imported (")


@meets_bodies
def test_the_package_is_loaded_where_bodies_may_touch_and_not_before():
    program = """
import sys
from solver import Mechanism, simulate
from solver.mechanism import Body, Contact, Ground, Sphere
def fall(count, **contact):
    ball = dict(mass=1.0, inertia=(0.1, 0.1, 0.1), shape=Sphere(radius=0.1))
    balls = [Body(str(k), position=(k, 0, 1), **ball) for k in range(count)]
    simulate(Mechanism("balls", bodies=balls, **contact), 0.1, 10.0)
    print("mujoco" in sys.modules)
fall(2)
fall(1, contact=Contact(ground=Ground()))
fall(2, contact=Contact(ground=Ground()))
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=os.environ, check=True, capture_output=True, text=True
    )
    assert answer.stdout.split() == ["False", "False", "True"]


@pytest.mark.parametrize("depth", [-0.0002, 0.0002, 0.0004, 0.0008])
def test_a_hull_that_leans_over_a_rim_touches_it_there(depth):
    """MuJoCo names points two centimetres further in, which are still apart."""
    points = [(-64, -75, 21), (-38, -72, 51), (-59, -80, -19), (-54, -76, -35), (-47, -35, 69), (82, 9, 47)]
    hull = Hull(points=tuple(map(tuple, 1e-3 * np.array(points))))
    parts = [part(1, Cylinder(radius=1.0, half_length=0.05)), part(2, hull)]
    pose = (-0.5016, -0.9354, 0.08 - depth), (-0.562, 1.71, 1.972)
    lowest = deepest(between(parts, bodies_at(AT_ORIGIN, AT_ORIGIN, pose), 2))
    assert np.hypot(*lowest.position[:2]) == pytest.approx(1.0, abs=1e-3)
    assert lowest.position[2] == pytest.approx(0.05, abs=depth + 1e-3)
