# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules and cylinders at the borders of boxes, hulls and meshes: depths, and how they roll off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize_scalar
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solver import simulate
from solver.contact.detection.collision import Collision
from solver.mechanism import Box, Capsule, Contact, Cylinder, Hull, Material, Mechanism, Mesh
from tests.solver.contact import gauges
from tests.solver.contact.detection.placing import AT_ORIGIN, bodies_at, deepest, found, halved, part
from tests.solver.contact.scenes import LYING, meets_bodies, run
from tests.solver.contact.solids import fixed, solid
from tests.truths.sliding import RollOff

pytestmark = meets_bodies

R, H = 0.1, 0.15
RODS = {"capsule": Capsule(radius=R, half_length=H), "cylinder": Cylinder(radius=R, half_length=H)}
HALF = np.array((1.0, 1.0, 0.5))  # of the box that is rolled off; its upper side is at height 0
PLACE = np.array((0.0, 0.0, -0.5))
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * HALF


def _mesh() -> Mesh:
    hull = ConvexHull(CORNERS)
    triangles = []
    for (a, b, c), n in zip(hull.simplices.tolist(), hull.equations[:, :3], strict=True):
        is_outside = np.cross(CORNERS[b] - CORNERS[a], CORNERS[c] - CORNERS[a]) @ n > 0.0
        triangles.append((a, b, c) if is_outside else (a, c, b))
    return Mesh(points=tuple(map(tuple, CORNERS)), triangles=tuple(triangles))


BLOCKS = {"box": Box(half_size=tuple(HALF)), "hull": Hull(points=tuple(map(tuple, CORNERS))), "mesh": _mesh()}


def height(center, axis) -> float:
    """m: of a rod of radius R with round ends over the box, if its axis is outside."""

    def distance(t: float) -> float:
        return np.linalg.norm(np.maximum(np.abs(center + t * axis - PLACE) - HALF, 0.0))

    inside = minimize_scalar(distance, bounds=(-H, H), method="bounded", options={"xatol": 1e-10}).fun
    return min(inside, distance(-H), distance(H)) - R


def sinking(recording) -> float:
    """m: the deepest that the second body was in the box."""
    axes = gauges.turns(recording, 1)[:, :, 2]
    return max(0.0, *(-height(x, a) for x, a in zip(recording.position[:, 1], axes, strict=True)))


def rolls_off(kind: str, block: str, center, yaw: float = 0.0, friction: float = 0.5, restitution: float = 0.0):
    """A rod along Y, turned about Z by `yaw`, and what it lies on."""
    turn = Rotation.from_rotvec((0.0, 0.0, yaw)) * Rotation.from_quat(np.roll(LYING, -1))
    rod = solid("rod", RODS[kind], center, orientation=tuple(np.roll(turn.as_quat(), 1)))
    bodies = [fixed("block", BLOCKS[block], tuple(PLACE)), rod]
    for body in bodies:
        body.material = Material(friction, restitution)
    return Mechanism(bodies=bodies, contact=Contact())


@pytest.mark.parametrize("slant", [0.0, 1e-3, 0.1, 1.0])
def test_a_capsule_at_a_border_is_as_near_as_its_axis(slant):
    """Anywhere around an edge, along it or at any angle: the deepest point, against the distance of a segment."""
    random = np.random.default_rng(3)
    search = Collision([part(1, BLOCKS["box"]), part(2, RODS["capsule"])], 2, set())
    seen = 0
    for _ in range(200):
        angle = random.uniform(-0.2, 1.8)
        out = np.array((np.sin(angle), 0.0, np.cos(angle)))
        axis = np.array((0.0, 1.0, 0.0)) + slant * random.normal(size=3)
        axis /= np.linalg.norm(axis)
        center = np.array((1.0, random.uniform(-1.1, 1.1), 0.0)) + random.uniform(-H, H) * axis
        center += (R + random.uniform(-1e-3, 1e-3)) * out
        true = height(center, axis)
        if not -0.5 * R < true < 0.019:
            continue
        across = np.cross(axis, (0.3, 0.5, 0.8))
        across /= np.linalg.norm(across)
        turn = Rotation.from_matrix(np.column_stack([across, np.cross(axis, across), axis]))
        bodies = bodies_at(AT_ORIGIN, (PLACE, (0.0, 0.0, 0.0)), (center, turn))
        points = found(lambda room, first, at=bodies: search.find(at, halved(0.02, at), room, first), 2)
        point = deepest(points)
        assert point.gap == pytest.approx(true, abs=2e-4 * R)
        place = point.position + (R + 0.5 * point.gap) * point.normal
        assert place == pytest.approx(center + np.clip((place - center) @ axis, -H, H) * axis, abs=1e-5 * R)
        seen += 1
    assert seen > 100


@pytest.mark.parametrize("substeps", [5, 10, 20])
@pytest.mark.parametrize("yaw", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", RODS)
def test_what_rolls_over_an_edge_does_not_sink_in(kind, block, yaw, substeps):
    """Nor does it gain energy, but for what a step of the integration takes for granted."""
    mechanism = rolls_off(kind, block, (1.02, 0.02, 0.1 + 0.06 * np.sin(yaw)), yaw, restitution=0.2)
    recording = run(mechanism, 0.6, 120.0, substeps)
    assert recording.position[-1, 1, 2] < -0.3
    assert sinking(recording) < 5e-3 * R
    assert np.diff(gauges.energy(mechanism, recording)).max() < 1e-3 * 9.81 * R


@pytest.mark.parametrize("block", BLOCKS)
def test_in_soft_contact_a_capsule_rolls_over_an_edge_as_smoothly(block):
    """At rest it lies a thousandth of its size deep."""
    mechanism = rolls_off("capsule", block, (1.02, 0.02, 0.1), restitution=0.2)
    recording = simulate(mechanism, 0.5, 60.0, integrator="adams")
    assert recording.position[-1, 1, 2] < -0.2
    assert sinking(recording) < 3e-3 * R
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-3 * 9.81 * R


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", RODS)
def test_what_rolls_about_an_edge_leaves_it_where_nothing_presses_any_more(kind, block):
    start = 0.2
    center = (1.0 + R * np.sin(start), 0.0, R * np.cos(start))
    mechanism = rolls_off(kind, block, center, friction=100.0)
    rod = mechanism.bodies[1]
    truth = RollOff(R, np.array(rod.inertia)[2, 2] / (rod.mass * R**2), start)
    errors = []
    for substeps in (20, 80):
        recording = run(mechanism, 0.6, 24.0, substeps)
        spin, speed = recording.angular_velocity[-1, 1], recording.linear_velocity[-1, 1]
        errors.append(abs(spin[1] / truth.spin - 1.0) + abs(speed[0] / truth.speed - 1.0))
        assert spin[[0, 2]] == pytest.approx(np.zeros(2), abs=1e-3 * truth.spin)
        assert speed[1] == pytest.approx(0.0, abs=1e-3 * truth.speed)
    assert errors[0] < 0.01
    assert errors[1] < 0.003


@pytest.mark.parametrize("gyration", [0.4, 0.5, 1.0])
def test_the_truth_about_what_rolls_off(gyration):
    """By the moment about the edge, and the force that the edge gives."""
    start, truth = 0.3, RollOff(R, gyration, 0.3)

    def rates(_, y):
        return [y[1], 9.81 * np.sin(y[0]) / ((1.0 + gyration) * R)]

    def pressed(_, y):
        return 9.81 * np.cos(y[0]) - R * y[1] ** 2

    pressed.terminal = True
    motion = solve_ivp(rates, (0.0, 10.0), [start, 0.0], "DOP853", rtol=1e-11, atol=1e-12, events=pressed)
    angle, spin = motion.y[:, -1]
    assert angle == pytest.approx(truth.leaves_at, rel=1e-8)
    assert spin == pytest.approx(truth.spin, rel=1e-8)
    assert truth.speed == pytest.approx(R * spin * np.cos(angle), rel=1e-8)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize(
    ("x", "turn"),
    [(0.5, 0.0), (0.95, 0.0), (0.995, 0.0), (0.995, 1e-3), (0.95, 0.5 * np.pi), (0.9, 1.0), (0.9, 0.3)],
    ids=["inside", "near", "along the border", "askew", "across", "aslant across", "hardly across"],
)
def test_a_capsule_on_a_border_stays_at_rest(block, x, turn):
    """Over the border or across it, as long as its middle is over the face."""
    mechanism = rolls_off("capsule", block, (x, 0.0, R), turn)
    recording = run(mechanism, 2.0)
    axis = gauges.turns(recording, 1)[:, :, 2]
    assert gauges.strayed(recording, ["rod"]) < 1e-4
    assert np.abs(axis - axis[0]).max() < 1e-3
    assert sinking(recording) < 1e-3 * R


@pytest.mark.parametrize("block", BLOCKS)
def test_a_capsule_in_a_corner_stays_there(block):
    """Pressed by gravity into the corner between a floor and a wall."""
    mechanism = rolls_off("capsule", block, (0.5, 0.0, R))
    wall = fixed("wall", Box(half_size=(0.2, 1.0, 0.5)), (0.5 + R + 0.2, 0.0, 0.5))
    mechanism.bodies.insert(1, wall)
    mechanism.gravity = (5.0, 0.0, -9.81)
    recording = run(mechanism, 2.0)
    assert gauges.strayed(recording, ["rod"]) < 1e-4
    assert gauges.fastest(recording, 1.0) < 1e-4


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("kind", RODS)
@pytest.mark.parametrize("depth", [0.5, 1.2])
def test_what_starts_deep_at_a_border_is_led_out(kind, block, depth):
    mechanism = rolls_off(kind, block, (0.97, 0.0, R - depth * R), restitution=0.2)
    recording = run(mechanism, 3.0)
    end = height(recording.position[-1, 1], gauges.turns(recording, 1)[-1, :, 2])
    assert end > -5e-3 * R
    assert gauges.fastest(recording) < 12.0 * 9.81 * 0.3
