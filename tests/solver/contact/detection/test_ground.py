# SPDX-License-Identifier: GPL-3.0-or-later
"""Points on level ground: against closed forms, and against another engine's plane."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection.ground import MOST, UPRIGHT, ground_shapes, touch_ground
from solver.contact.detection.points import POINT
from solver.mechanism import MechanismError
from solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Shape, Sphere
from solver.model.arrays import records
from tests.solver.contact.detection.placing import AT_ORIGIN, UP, Point, bodies_at, deepest, found, holds, part

needs_mujoco = pytest.mark.skipif(importlib.util.find_spec("mujoco") is None, reason="mujoco-core is not installed")
HEIGHT = 0.25
CAN = Cylinder(radius=0.3, half_length=0.5)
SHAPES = {
    "sphere": Sphere(radius=0.4),
    "box": Box(half_size=(0.5, 0.25, 0.125)),
    "capsule": Capsule(radius=0.2, half_length=0.5),
    "cylinder": CAN,
    "hull": Hull(points=tuple(map(tuple, np.random.default_rng(1).normal(size=(40, 3)).round(2)))),
}


def on_ground(shape: Shape, center, turned=(0.0, 0.0, 0.0), reach: float = 0.05) -> list[Point]:
    ground = ground_shapes([part(1, shape)], 1)
    bodies = bodies_at(AT_ORIGIN, (center, turned))
    return found(
        lambda points, first: touch_ground(ground, bodies, HEIGHT, np.full(len(bodies), reach), points, first), 1
    )


def support(shape: Shape, along: np.ndarray) -> float:
    """The reach of a shape from its middle in a direction along its axes."""
    match shape:
        case Sphere(radius=r):
            return r
        case Box(half_size=half):
            return float(np.abs(along) @ half)
        case Capsule(radius=r, half_length=half):
            return r + half * abs(along[2])
        case Cylinder(radius=r, half_length=half):
            return r * math.hypot(along[0], along[1]) + half * abs(along[2])
        case Hull(points=points):
            return float((np.array(points) @ along).max())
    raise TypeError(shape)


@pytest.mark.fallback
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_lowest_point_is_that_of_the_support_function(shape):
    random = np.random.default_rng(2)
    for _ in range(50):
        rotation = Rotation.random(random_state=random)
        gap = random.uniform(-0.04, 0.04)
        center = np.array([*random.normal(size=2), HEIGHT + gap + support(shape, rotation.inv().apply(-UP))])
        points = on_ground(shape, center, rotation)
        assert deepest(points).gap == pytest.approx(gap, abs=1e-14)
        for point in points:
            assert point.gap < 0.05
            assert point.normal == pytest.approx(UP)
            assert point.position[2] == pytest.approx(HEIGHT + 0.5 * point.gap, abs=1e-14)
            surface = rotation.inv().apply(point.position + 0.5 * point.gap * UP - center)
            for along in Rotation.random(20, random_state=3).apply(UP):
                assert surface @ along <= support(shape, along) + 1e-9


@needs_mujoco
@pytest.mark.parametrize("shape", [shape for name, shape in SHAPES.items() if name != "hull"], ids=lambda s: s.type)
def test_the_gap_is_that_of_mujoco(shape):
    """To 1e-9 of the size. A hull's corners are of single precision there, so it is left to the support function."""
    import mujoco

    kinds = mujoco.mjtGeom
    kind, size = {
        "sphere": lambda s: (kinds.mjGEOM_SPHERE, [s.radius, 0, 0]),
        "box": lambda s: (kinds.mjGEOM_BOX, list(s.half_size)),
        "capsule": lambda s: (kinds.mjGEOM_CAPSULE, [s.radius, s.half_length, 0]),
        "cylinder": lambda s: (kinds.mjGEOM_CYLINDER, [s.radius, s.half_length, 0]),
    }[shape.type](shape)
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=kinds.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, HEIGHT], gap=1.0)
    body = spec.worldbody.add_body()
    body.add_freejoint()
    body.add_geom(type=kind, size=size, gap=1.0)
    model = spec.compile()
    data = mujoco.MjData(model)
    random = np.random.default_rng(4)
    for _ in range(100):
        rotation = Rotation.random(random_state=random)
        center = np.array([*random.normal(size=2), HEIGHT + random.uniform(0.2, 0.8)])
        data.qpos[:] = [*center, *rotation.as_quat()[[3, 0, 1, 2]]]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_collision(model, data)
        assert deepest(on_ground(shape, center, rotation, 1.0)).gap == pytest.approx(data.contact.dist.min(), abs=5e-10)


@pytest.mark.fallback
def test_a_standing_box_has_its_four_corners():
    points = on_ground(SHAPES["box"], (1.0, 2.0, HEIGHT + 0.125))
    assert sorted(point.position[:2].tolist() for point in points) == [
        [0.5, 1.75], [0.5, 2.25], [1.5, 1.75], [1.5, 2.25],
    ]  # fmt: skip
    assert len({point.feature for point in points}) == 4
    turned = on_ground(SHAPES["box"], (1.0, 2.0, HEIGHT + 0.125), (0.0, 0.0, 0.4))
    assert {point.feature for point in turned} == {point.feature for point in points}


@pytest.mark.fallback
def test_a_standing_cylinder_has_four_points_that_stay_on_it():
    places = {}
    for angle in (0.0, 0.3, 2.0):
        points = on_ground(CAN, (0.0, 0.0, HEIGHT + 0.5), (0.0, 0.0, angle))
        assert len(points) == 4
        assert holds(points, np.zeros(2))
        for point in points:
            own = Rotation.from_rotvec((0.0, 0.0, -angle)).apply(point.position)
            assert own == pytest.approx(places.setdefault(point.feature, own), abs=1e-14)
    assert len(places) == 4


@pytest.mark.fallback
@pytest.mark.parametrize("roll", [0.0, 0.1, 1.0, 2.5])
def test_a_rolling_cylinder_has_the_two_lowest_points_of_its_rims(roll):
    """However far it has rolled: no corners pass by."""
    points = on_ground(
        CAN,
        (0.0, 0.0, HEIGHT + 0.3),
        Rotation.from_rotvec((0.0, math.pi / 2, 0.0)) * Rotation.from_rotvec((0.0, 0.0, roll)),
    )
    assert [point.gap for point in points] == pytest.approx([0.0, 0.0], abs=1e-15)
    assert sorted(point.position[0] for point in points) == pytest.approx([-0.5, 0.5])
    assert [point.position[1] for point in points] == pytest.approx([0.0, 0.0], abs=1e-15)
    assert sorted(point.feature for point in points) == [0, 4]


@pytest.mark.fallback
def test_a_wobbling_coin_has_its_lowest_point_all_around():
    """Its rim rolls on: the lowest point keeps its feature and moves as smoothly as the tilt turns."""
    coin, tilt, before = Cylinder(radius=0.02, half_length=0.001), 0.2, None
    height = HEIGHT + 0.02 * math.sin(tilt) + 0.001 * math.cos(tilt)
    for turn in np.linspace(0.0, 2.0 * math.pi, 100):
        lean = Rotation.from_rotvec((0.0, 0.0, turn)) * Rotation.from_rotvec((0.0, tilt, 0.0))
        points = on_ground(coin, (0.0, 0.0, height), lean * Rotation.from_rotvec((0.0, 0.0, -0.9 * turn)), 1e-3)
        point = deepest(points)
        assert point.gap == pytest.approx(0.0, abs=1e-16)
        assert point.feature == 4
        far = 0.02 * math.cos(tilt) - 0.001 * math.sin(tilt)
        assert point.position[:2] == pytest.approx([far * math.cos(turn), far * math.sin(turn)], abs=1e-12)
        assert before is None or math.dist(point.position, before) < 0.02 * 0.07
        before = point.position


@pytest.mark.fallback
@pytest.mark.parametrize("direction", [0.0, 0.4, math.pi / 4])
def test_nothing_jumps_where_a_cylinder_stands_upright(direction):
    def gap(tilt):
        axis = (tilt * math.cos(direction), tilt * math.sin(direction), 0.0)
        return deepest(on_ground(CAN, (0.0, 0.0, HEIGHT + 0.5), axis)).gap

    assert abs(gap(UPRIGHT * 1.001) - gap(UPRIGHT * 0.999)) < 0.3 * UPRIGHT * CAN.radius


@pytest.mark.fallback
def test_a_capsule_that_lies_touches_with_both_ends():
    points = on_ground(SHAPES["capsule"], (0.0, 0.0, HEIGHT + 0.2), (math.pi / 2, 0.0, 0.0))
    assert sorted(point.position[1] for point in points) == pytest.approx([-0.5, 0.5])
    assert {point.feature for point in points} == {0, 1}


@pytest.mark.fallback
def test_of_many_corners_a_few_well_spread_ones_touch():
    angles = np.linspace(0.0, 2.0 * np.pi, 65)[:-1]
    can = Hull(points=tuple((math.cos(a), math.sin(a), z) for a in angles for z in (-0.5, 0.5)))
    first = on_ground(can, (0.0, 0.0, HEIGHT + 0.5))
    assert 4 <= len(first) <= MOST
    assert len({point.feature for point in first}) == len(first)
    angle = np.sort([math.atan2(point.position[1], point.position[0]) for point in first])
    assert np.diff(np.append(angle, angle[0] + 2.0 * np.pi)).max() < 1.1
    for spin in (0.1, 1.0, 3.0):  # the same ones while it spins
        spun = on_ground(can, (0.0, 0.0, HEIGHT + 0.5), (0.0, 0.0, spin))
        assert {point.feature for point in spun} == {point.feature for point in first}


@pytest.mark.fallback
def test_parts_of_a_compound_touch_each_by_itself_where_they_sit():
    ball, box = Sphere(radius=0.1), Box(half_size=(0.1, 0.1, 0.1))
    parts = [
        part(1, ball),
        part(2, ball, position=(1.0, 0.0, 0.0)),
        part(2, box, turned=(0.0, math.pi / 4, 0.0), position=(-1.0, 0.0, 0.1)),
    ]
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((0.0, 0.0, 0.1), (0.0, 0.0, math.pi / 2)))
    ground = ground_shapes(parts, 2)  # body 1 is driven
    points = found(
        lambda points, first: touch_ground(ground, bodies, 0.0, np.full(len(bodies), 1e-9), points, first), 2
    )
    assert [point.parts for point in points] == [(-1, 1)]
    assert points[0].position == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)
    points = found(lambda points, first: touch_ground(ground, bodies, 0.0, np.full(len(bodies), 0.1), points, first), 2)
    edge = [point for point in points if point.parts == (-1, 2)]
    assert [point.gap for point in edge] == pytest.approx([0.2 - 0.1 * math.sqrt(2.0)] * 2)
    assert [point.position[:2].tolist() for point in edge] == [
        pytest.approx([0.1, -1.0]), pytest.approx([-0.1, -1.0]),
    ]  # fmt: skip


@pytest.mark.fallback
def test_points_are_appended_and_missing_room_is_told():
    ground = ground_shapes([part(1, SHAPES["box"])], 1)
    bodies = bodies_at(AT_ORIGIN, ((0.0, 0.0, 0.125), (0.0, 0.0, 0.0)))
    points = records(5, POINT)
    points.gap = 7.0
    assert touch_ground(ground, bodies, 0.0, np.full(len(bodies), 0.05), points, 1) == 5
    assert points[0].gap == 7.0
    assert (points.gap[1:] == 0.0).all()
    assert touch_ground(ground, bodies, 0.0, np.full(len(bodies), 0.05), points, 2) == 6
    assert touch_ground(ground, bodies, 0.0, np.full(len(bodies), 0.05), points, 5) == 6
    assert touch_ground(ground, bodies, -1.0, np.full(len(bodies), 0.05), points, 5) == 5


@pytest.mark.fallback
def test_a_flat_hull_gets_a_thickness_and_a_line_is_refused():
    card = Hull(points=((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 0)))
    points = on_ground(card, (0.0, 0.0, HEIGHT), reach=1e-6)
    assert len(points) == 4
    assert deepest(points).gap == pytest.approx(-0.5e-3)
    with pytest.raises(MechanismError, match=r"^body 'body 1': the points of its hull lie on a line; give it"):
        on_ground(Hull(points=((0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3))), (0.0, 0.0, 0.0))
