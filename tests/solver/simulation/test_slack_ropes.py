# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes that pull and never push: when they are taut, what the jerk takes, and where they go slack."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Body, Box, Contact, Distance, Ground, Pulley, Sphere, Table

G = 9.81
INERTIA = (0.01, 0.01, 0.01)
CLOSE = {"adams": 1e-7, "runge-kutta": 1e-7, "implicit": 1e-6, "impulse": 1e-4, "variational": 2e-4}


def on_rope(place: tuple, velocity: tuple, **rope: object) -> Mechanism:
    """A ball of 2 kg on a rope to the origin."""
    ball = Body("ball", mass=2.0, inertia=INERTIA, position=place, linear_velocity=velocity)
    return Mechanism(
        bodies=[ball],
        constraints=[
            Distance(
                "rope",
                body_a="ball",
                point_a=place,
                point_b=(0, 0, 0),
                slack=True,
                **rope,
            )
        ],
    )


@pytest.mark.parametrize(("integrator", "close"), CLOSE.items())
def test_a_thrown_ball_flies_until_its_rope_is_taut(integrator, close):
    """Up to the jerk it is on its parabola; the jerk takes the speed along the rope, and its energy, and no more."""
    place, velocity = np.array((0.3, 0.0, -0.2)), np.array((0.5, 0.0, 2.0))

    def flight(t: float) -> np.ndarray:
        return place + velocity * t - (0, 0, 0.5 * G * t * t)

    taut = brentq(lambda t: np.linalg.norm(flight(t)) - 1.0, 0.5, 0.7)
    lost = ((velocity - (0, 0, G * taut)) @ flight(taut)) ** 2  # 1/2 m v^2
    found = simulate(on_rope(tuple(place), tuple(velocity), distance=1.0), 1.2, 48.0, integrator=integrator)
    before, energy = found.times < taut, found.kinetic_energy + found.potential_energy
    assert found.position[before, 0] == pytest.approx(np.array([flight(t) for t in found.times[before]]), abs=1e-9)
    assert energy[before] == pytest.approx(energy[0], abs=1e-6)
    assert energy[~before] == pytest.approx(energy[0] - lost, abs=10.0 * close)
    assert np.linalg.norm(found.position[:, 0], axis=1).max() < 1.0 + 1e-6


@pytest.mark.parametrize(("integrator", "close"), CLOSE.items())
def test_a_pendulum_on_a_rope_leaves_the_circle_where_it_no_longer_pulls(integrator, close):
    """With v^2 = 3.5 g L at the bottom that is at half its length above the pivot; from there it is on a parabola."""
    found = simulate(on_rope((0, 0, -1), (np.sqrt(3.5 * G), 0, 0)), 1.2, 48.0, integrator=integrator)
    away, across = np.linalg.norm(found.position[:, 0], axis=1), -np.sqrt(0.5 * G) * 0.5
    flying = away < 1.0 - 1e-6
    assert found.position[np.argmax(flying), 0, 2] == pytest.approx(0.5, abs=0.05)
    assert found.linear_velocity[flying, 0, 0] == pytest.approx(across, abs=close)
    assert np.abs(found.constraint_force[flying, 0]).max() == 0.0
    assert flying.sum() > 30


def lifted() -> Mechanism:
    """A box that a winch sets down on the ground, with more rope than it takes, and lifts again."""
    shape = {"type": "box", "half_size": [0.2, 0.2, 0.2]}
    data = {"name": "box", "mass": 3.0, "inertia": [0.1, 0.1, 0.1], "position": [0, 0, 1.0], "shape": shape}
    box = Mechanism.from_dict({"format": "ves-mechanism", "version": 1, "bodies": [data]}).bodies[0]
    length = Table((0.0, 1.0, 2.0, 3.0, 4.0), (2.0, 2.9, 3.2, 2.9, 2.0))
    rope = Distance("rope", body_a="box", point_a=(0, 0, 1.2), point_b=(0, 0, 3.2), distance=length, slack=True)
    return Mechanism(bodies=[box], constraints=[rope], contact=Contact(enabled=True, ground=Ground(height=0.0)))


def found_length(time: float) -> float:
    """m: of the winch's rope at a time (s)."""
    return lifted().constraints[0].length_at(time)[0]


def test_a_load_that_is_set_down_lets_the_rope_go_slack_and_is_lifted_again():
    found = simulate(lifted(), 3.5, 240.0, substeps=8)
    height, lying = found.position[:, 0, 2], (found.times > 1.2) & (found.times < 2.8)
    assert height[lying] == pytest.approx(0.2, abs=1e-3)
    assert np.abs(found.constraint_force[lying, 0]).max() == 0.0
    length = [found_length(t) for t in found.times[found.times > 3.2]]
    assert height[found.times > 3.2] == pytest.approx(3.0 - np.array(length), abs=1e-4)
    assert found.constraint_force[100, 0, 2] > 3.0 * G


@pytest.mark.parametrize("frame_rate", [24.0, 60.0])
def test_a_load_is_set_down_upright(frame_rate):
    """At usual steps too: nothing presses it on the ground or aside."""
    found = simulate(lifted(), 3.0, frame_rate)
    assert np.abs(found.position[:, 0, :2]).max() < 1e-6
    assert np.abs(found.orientation[:, 0, 1:]).max() < 1e-6
    assert found.position[:, 0, 2].min() > 0.199


def box(name: str, mass: float, place: tuple, size: float = 0.15) -> Body:
    inertia = (2.0 / 3.0 * mass * size * size,) * 3
    return Body(name, mass=mass, inertia=inertia, position=place, shape=Box(half_size=(size,) * 3))


def test_a_bucket_flies_on_when_its_counterweight_lands():
    """Up by v^2 / 2 g with the speed of the landing; then both share what momentum it has along the rope."""
    bodies = [box("bucket", 1.0, (-0.5, 0, 2.0)), box("weight", 3.0, (0.5, 0, 1.5))]
    rope = Pulley(
        "rope",
        body_a="bucket",
        point_a=(-0.5, 0, 2.15),
        wheel_a=(-0.5, 0, 5),
        body_b="weight",
        point_b=(0.5, 0, 1.65),
        wheel_b=(0.5, 0, 5),
        slack=True,
    )
    found = simulate(
        Mechanism(bodies=bodies, constraints=[rope], contact=Contact(ground=Ground(restitution=0.0))), 2.0, 96.0
    )
    speed = np.sqrt(2.0 * 0.5 * G * 1.35)  # Atwood's: (3 - 1) / (3 + 1) g
    assert found.position[:, 0, 2].max() == pytest.approx(3.35 + speed * speed / (2.0 * G), abs=5e-3)
    jerk = np.sqrt(2.0 * 1.35 / (0.5 * G)) + 2.0 * speed / G
    rising = (found.times > jerk) & (found.times < jerk + 0.1)
    expected = speed / 4.0 - 0.5 * G * (found.times[rising] - jerk)  # the momentum of 1 kg, shared by 4
    assert found.linear_velocity[rising, 1, 2] == pytest.approx(expected, abs=0.02)


def test_a_hanging_load_that_is_struck_from_above_hangs_on():
    """The rope takes the blow: it is drawn, and would have to be let go for the load to fall."""
    load = box("load", 2.0, (0, 0, 1.0))
    ball = Body("ball", mass=1.0, inertia=(0.004,) * 3, position=(0, 0, 1.6), shape=Sphere(radius=0.1))
    rope = Distance("rope", body_a="load", point_a=(0, 0, 1.15), point_b=(0, 0, 3.0), slack=True)
    found = simulate(Mechanism(bodies=[load, ball], constraints=[rope], contact=Contact(ground=Ground())), 1.0, 96.0)
    assert np.abs(found.position[:, 0, 2] - 1.0).max() < 1e-4
    assert found.position[:, 1, 2].min() > 1.249


@pytest.mark.parametrize(("integrator", "close"), CLOSE.items())
def test_over_two_wheels_a_weight_flies_up_until_the_other_has_fallen_as_far(integrator, close):
    """The rope is slack at first, since one flies up faster than the other falls, and taut once both have fallen."""
    bodies = [
        Body("a", mass=1.0, inertia=INERTIA, position=(0, 0, -1.0), linear_velocity=(0, 0, -1.0)),
        Body("b", mass=2.0, inertia=INERTIA, position=(1, 0, -1.0), linear_velocity=(0, 0, 1.5)),
    ]
    rope = Pulley(
        "rope",
        body_a="a",
        point_a=(0, 0, -1),
        wheel_a=(0, 0, 1),
        body_b="b",
        point_b=(1, 0, -1),
        wheel_b=(1, 0, 1),
        slack=True,
    )
    found = simulate(Mechanism(bodies=bodies, constraints=[rope]), 0.5, 48.0, integrator=integrator)
    taut = 0.5 / G  # spans are 4 - 0.5 t + g t^2
    shared = (2.0 * (1.5 - G * taut) - (-1.0 - G * taut)) / 3.0  # of b, upwards, behind the jerk
    later = found.times > taut
    expected = shared - G / 3.0 * (found.times[later] - taut)
    assert found.linear_velocity[later, 1, 2] == pytest.approx(expected, abs=10.0 * close)
    assert found.linear_velocity[later, 0, 2] == pytest.approx(-expected, abs=10.0 * close)


def test_a_rope_that_is_shorter_than_its_ends_are_apart_is_refused_by_name():
    with pytest.raises(MechanismError, match="rope"):
        simulate(on_rope((0, 0, -1), (0, 0, 0), distance=0.5), 0.1)
