# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact joints: their kinematics by differences, methods against each other, what is refused, and assembly."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, Posing, Simulation, assemble, evaluate
from solver.evaluation.forward_dynamics import update_rates
from solver.mechanism import (
    Body,
    Distance,
    Joint,
    PointToPoint,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothTorus,
)
from solver.model.arrays import RECURSIVE, new_scratch
from solver.model.linkage.compilation import compile_linkages
from solver.simulation.inspection import inspect
from tests.solver.surfaces.parts import ball, in_bowl, on_dome

METHODS = ("recursive", "composite", "propagation", "lagrange")
RNG = np.random.default_rng(1)
WAVES = np.array([[[i, j, 0.08 * np.sin(i) * np.cos(0.7 * j)] for j in range(7)] for i in range(7)], float)
WEIGHTS = 1.0 + 0.2 * RNG.random((7, 7))


def pair(rolling: bool, is_reversed: bool, child, moving: bool = True) -> Mechanism:
    """An arm on a ball joint whose end carries another body on a wavy surface of patches."""
    parent = SmoothPatches(points=WAVES.tolist(), weights=WEIGHTS.tolist())
    ride = Joint(
        name="ride", type="contact", parent="a", child="b", position=(3.4, 1.7, 0.0), surface_parent=parent,
        surface_child=child, rolling=rolling,
    )  # fmt: skip
    velocities = RNG.normal(size=(4, 3)) if moving else np.zeros((4, 3))
    return assemble(
        Mechanism(
            bodies=[
                Body(
                    name="a", mass=2.0, inertia=(1.0, 1.2, 1.5), center_of_mass=(0.1, 0.2, 0.3),
                    linear_velocity=velocities[0], angular_velocity=velocities[1],
                ),
                Body(
                    name="b", mass=1.0, inertia=(1.0, 0.8, 0.7), center_of_mass=(0.01, -0.02, 0.03),
                    position=(3.4, 1.7, 0.5), orientation=(0.5, 0.5, 0.5, 0.5), linear_velocity=velocities[2],
                    angular_velocity=velocities[3],
                ),
            ],
            joints=[
                Joint(name="pin", type="spherical", parent=None, child="b" if is_reversed else "a", position=(1, 2, 3)),
                ride,
            ],
        )
    )  # fmt: skip


CHILDREN = [
    SmoothEllipsoid(half_axes=(0.1, 0.12, 0.15), position=(0.05, 0.02, 0.01)),
    SmoothTorus(ring_radius=0.2, tube_radius=0.1, orientation=(0.6, 0.8, 0.0, 0.0)),
]


@pytest.mark.parametrize("child", CHILDREN, ids=lambda child: child.type)
@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("rolling", [False, True])
def test_velocities_and_accelerations_are_those_of_the_pose(rolling, is_reversed, child):
    """Differences along the motion that the rates describe, for moving bodies on both sides."""
    (compiled,) = compile_linkages(pair(rolling, is_reversed, child), RECURSIVE)
    model, state = compiled.model, compiled.state
    scratch, n, outer = new_scratch(model), len(model.armature), len(model.bodies) - 1
    assert model.bodies.direction[outer] == (-1.0 if is_reversed else 1.0)
    state.speeds[:] = RNG.normal(size=n)
    if rolling:
        state.speeds[model.bodies.axis_start[outer] :][:2] = 0.0
    rates = np.zeros(2 * n)

    def at(q, u):
        state.coordinates[:], state.speeds[:] = q, u
        update_rates(model, 0.0, state, scratch, rates)
        body = scratch.bodies[outer]
        velocity = np.concatenate([body.angular, body.linear])
        return velocity, body.center.copy(), body.rotation.reshape(3, 3).copy(), body.acceleration.copy()

    q, u = state.coordinates.copy(), state.speeds.copy()
    velocity, _, R, acceleration = at(q, u)
    now, h = rates.copy(), 1e-5
    ends = [at(q + s * h * now[:n], u + s * h * now[n:]) for s in (-1, 1)]
    moved, turned, changed = ((b - a) / (2 * h) for a, b in zip(*((e[1], e[2], e[0]) for e in ends), strict=True))
    spin = turned @ R.T
    assert velocity[3:] == pytest.approx(moved, abs=1e-7)
    assert velocity[:3] == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-7)
    assert acceleration == pytest.approx(changed, abs=1e-6 * np.abs(acceleration).max())


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("rolling", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_methods_agree(rolling, is_reversed, tied):
    mechanism = pair(rolling, is_reversed, CHILDREN[0])
    if tied:
        b = next(body for body in mechanism.bodies if body.name == ("a" if is_reversed else "b"))
        rod = Distance(name="rod", body_a=b.name, point_a=b.position, point_b=(4.0, 5.0, 2.0))
        mechanism.constraints.append(rod)
    first, *others = (evaluate(mechanism, method=method) for method in METHODS)
    size = np.abs(first.linear_acceleration).max()
    for other in others:
        assert other.linear_acceleration == pytest.approx(first.linear_acceleration, abs=1e-9 * size)
        assert other.angular_acceleration == pytest.approx(first.angular_acceleration, abs=1e-9 * size)
        assert other.joint_acceleration == pytest.approx(first.joint_acceleration, abs=1e-8 * size)
        assert other.joint_force == pytest.approx(first.joint_force, abs=1e-8 * size)


@pytest.mark.parametrize("rolling", [False, True])
def test_a_ride_that_closes_a_loop_is_the_same_by_all_methods(rolling):
    """A rod that hangs on a pin by one end and lies with the ball at its other end on a plane."""
    rod = Body(name="rod", mass=1.0, inertia=(0.1, 0.1, 0.02), position=(0.5, 0.0, 0.0))
    pin = Joint(name="pin", type="spherical", parent=None, child="rod", position=(0, 0, 0))
    slope = SmoothPlane(position=(1.0, 0.0, -0.1), orientation=(np.cos(0.2), np.sin(0.2), 0.0, 0.0))
    end = SmoothSphere(radius=0.1 * np.cos(0.4), position=(0.5, 0.0, 0.0))
    ride = Joint(
        name="ride", type="contact", parent=None, child="rod", position=(1.0, 0.0, -0.1), surface_parent=slope,
        surface_child=end, rolling=rolling,
    )  # fmt: skip
    mechanism = Mechanism(bodies=[rod], joints=[pin, ride])
    results = [evaluate(mechanism, method=method) for method in METHODS]
    for other in results[1:]:
        assert other.linear_acceleration == pytest.approx(results[0].linear_acceleration, abs=1e-9)
        assert other.angular_acceleration == pytest.approx(results[0].angular_acceleration, abs=1e-8)
    # the ball's centre stays on its plane
    across = np.array([0.0, -np.sin(0.4), np.cos(0.4)])
    of_end = results[0].linear_acceleration[0] + np.cross(results[0].angular_acceleration[0], (0.5, 0.0, 0.0))
    assert across @ of_end == pytest.approx(0.0, abs=1e-10)


def test_surfaces_apart_are_named_with_the_gap_and_assembly_brings_them_together():
    mechanism = on_dome(0.1, False)
    mechanism.bodies[0].position = tuple(1.05 * np.array(mechanism.bodies[0].position))
    with pytest.raises(
        MechanismError, match=r"joint 'ride': its surfaces are 0\.06 m apart at the start; use assemble"
    ):
        Simulation(mechanism, 1.0)
    together = assemble(mechanism)
    assert np.linalg.norm(together.bodies[0].position) == pytest.approx(1.2, abs=1e-9)
    Simulation(together, 1.0)


def test_surfaces_that_would_touch_in_more_than_one_point_are_refused():
    with pytest.raises(MechanismError, match="would touch in more than one point"):
        Simulation(in_bowl(0.3, False, R=1.0, r=1.0 - 1e-9), 1.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"integrator": "variational"}, "integrator variational cannot follow where surfaces touch"),
        ({"method": "divide"}, "method divide cannot follow where surfaces touch"),
    ],
)
def test_what_cannot_follow_says_so(options, words):
    with pytest.raises(MechanismError, match=f"joint 'ride': {words}"):
        Simulation(on_dome(0.1, False), 1.0, **options)


def test_posing_says_that_it_cannot():
    posing = Posing(on_dome(0.1, False))
    with pytest.raises(MechanismError, match="joint 'ride': posing cannot follow where surfaces touch"):
        posing.pull("ball", (0.0, 0.0, 1.2), (0.0, 0.0, 2.0))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"surface_child": None}, "surface_child is missing; a contact joint needs it"),
        ({"limits": [None] * 5}, "limits must not be given: a contact joint's limits have no place there"),
        ({"coordinates": [0.0] * 5}, "a contact joint's coordinates follow from where its bodies are"),
        ({"speeds": [1.0] * 5, "rolling": True}, "speeds must begin with 0, 0: a joint that rolls does not slide"),
        ({"type": "spherical"}, "surface_parent belongs to a contact joint, but type is spherical"),
        ({"damping": [1.0]}, "damping must have 5 entries, one per coordinate of a contact joint, has 1"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    mechanism = on_dome(0.1, False)
    for name, value in settings.items():
        setattr(mechanism.joints[0], name, value)
    assert any(words in problem for problem in mechanism.problems())


def test_wrong_surfaces_are_named():
    grid = [[(i, j, 0) for j in range(4)] for i in range(5)]
    mechanism = ball((0, 0, 1), 1.0, SmoothPatches(points=grid), (0, 0, 0))
    assert any("3 m + 1 rows of 3 n + 1 points (4, 7, 10, ...), has 5 of 4" in text for text in mechanism.problems())
    mechanism.joints[0].surface_parent = SmoothPatches(points=grid[:4], closed=(True, False))
    assert any("closed along u, but its points differ" in text for text in mechanism.problems())
    for flat in ([[(1, 2, 3)] * 4] * 4, [[(i + j, 0.5 * (i + j), 0) for j in range(4)] for i in range(4)]):
        mechanism.joints[0].surface_parent = SmoothPatches(points=flat)
        assert any("points must span an area" in text for text in mechanism.problems())
    mechanism.joints[0].surface_parent = SmoothPatches(points=grid, degree=(4, 2))
    assert any("4 m + 1 rows of 2 n + 1 points, has 5 of 4" in text for text in mechanism.problems())
    mechanism.joints[0].surface_parent = SmoothPatches(points=grid, degree=(0, 10))
    assert any("degree[0] must be from 1 to 9, is 0" in text for text in mechanism.problems())
    assert any("degree[1] must be from 1 to 9, is 10" in text for text in mechanism.problems())
    mechanism.joints[0].surface_parent = SmoothTorus(ring_radius=0.1, tube_radius=0.2)
    assert any("tube_radius must be smaller than ring_radius" in text for text in mechanism.problems())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("place", [-1.5, 1.5])
def test_a_patch_that_is_one_point_is_no_place_to_touch(place):
    rows = [-1.5, -1.5, -1.5, -1.5, 0.0, 1.5, 3.0]
    points = [[(x, y if i > 3 else 0.0, 0.0) for y in (-1.5, -0.5, 0.5, 1.5)] for i, x in enumerate(rows)]
    mechanism = ball((place, 0.0, 0.1), 0.1, SmoothPatches(points=points), (place, 0.0, 0.0))
    if place > 0.0:
        Simulation(mechanism, 1.0)
    else:
        with pytest.raises(MechanismError, match="joint 'ride': found no point near its position"):
            Simulation(mechanism, 1.0)


def test_file_keeps_it(tmp_path):
    mechanism = pair(True, False, CHILDREN[0], moving=False)
    mechanism.save(tmp_path / "ride.json")
    again = Mechanism.load(tmp_path / "ride.json")
    assert again.joints[1].to_dict() == mechanism.joints[1].to_dict()
    assert evaluate(again).linear_acceleration == pytest.approx(evaluate(mechanism).linear_acceleration)


def test_inspection_balances_a_ride():
    mechanism = in_bowl(0.6, True)
    simulation = Simulation(mechanism, 0.5)
    for _ in simulation.run():
        pass
    found = inspect(mechanism, simulation.recording)
    recorded = simulation.recording.kinetic_energy + simulation.recording.potential_energy
    assert found.kinetic_energy[:, 0] + found.potential_energy[:, 0] == pytest.approx(recorded, abs=1e-9)


def test_two_bodies_pinned_together_ride_as_one():
    """A ball on a plane with a second body fixed to it by a point to point: all methods, momentum kept across."""
    mechanism = ball((0, 0, 0.2), 0.2, SmoothPlane(), (0, 0, 0), rolling=True, speed=(1.0, 0.0, 0.0), spin=(0, 5.0, 0))
    mechanism.bodies.append(Body(name="tail", mass=0.5, inertia=(0.01,) * 3, position=(0.0, 0.0, 0.7)))
    mechanism.constraints.append(
        PointToPoint(name="tie", body_a="ball", body_b="tail", point_a=(0, 0, 0.5), point_b=(0, 0, 0.5))
    )
    results = [evaluate(mechanism, method=method) for method in METHODS]
    for other in results[1:]:
        assert other.linear_acceleration == pytest.approx(results[0].linear_acceleration, abs=1e-9)
