# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits that bounce, against closed forms, by all methods and by the integrators that know limits."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Body, Joint
from tests.truths import jumps

NONE = (0.0, 0.0, 0.0)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
WAYS = [("recursive", "adams"), ("recursive", "runge-kutta"), ("recursive", "implicit"), ("recursive", "impulse")]
METHODS = ("composite", "propagation", "lagrange", "divide")


def dropped(bounciness: float, **given) -> Mechanism:
    """A weight of 2 kg that falls along a rail to a stop 1 m below."""
    joint = Joint("rail", "prismatic", None, "weight", NONE, limits=((-1.0, None),), bounciness=(bounciness,), **given)
    return Mechanism(bodies=[Body("weight", mass=2.0, inertia=(1, 1, 1))], joints=[joint])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("bounciness", [0.3, 0.7])
def test_each_bounce_is_so_much_lower_and_all_of_them_end(way, bounciness):
    """Zeno's: infinitely many bounces in finite time, after which the weight lies still and is carried."""
    end = jumps.end_of_bounces(1.0, bounciness)
    recording = simulate(dropped(bounciness), end + 0.3, 48.0, method=way[0], integrator=way[1])
    height = 1.0 + recording.joint_coordinates[:, 0]
    # by impulse, what is slower than forces make it in two steps does not bounce
    close = 1e-4 if way[1] == "impulse" else 5e-9
    assert height == pytest.approx(jumps.bounced(1.0, bounciness, recording.times), abs=close)
    lies = recording.times > end + 0.1
    assert np.ptp(height[lies]) < 1e-9
    assert np.abs(recording.joint_speeds[lies]).max() < 1e-9
    assert recording.evaluations < 20000


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_what_loses_nothing_comes_back_for_ever(integrator):
    fall = np.sqrt(2.0 / 9.81)
    recording = simulate(dropped(1.0), 8 * fall, 1.0 / (2 * fall), integrator=integrator)
    assert recording.joint_coordinates[:, 0] == pytest.approx(0.0, abs=1e-7 if integrator == "adams" else 1e-3)


def chain(bounciness: float) -> tuple[Mechanism, np.ndarray, np.ndarray, np.ndarray]:
    """Three rods on hinges, of which the middle one runs into its stop at once; what it was, and what a stop makes."""
    lengths, masses, angles = np.array([0.5, 0.4, 0.6]), np.array([1.0, 0.7, 1.3]), np.array([0.4, -0.9, 0.7])
    speeds, heading, place = np.array([0.3, -1.0, 0.2]), np.cumsum(angles), np.zeros(3)
    bodies, joints = [], []
    for k in range(3):
        along, own = np.array([np.cos(heading[k]), np.sin(heading[k]), 0.0]), masses[k] * lengths[k] ** 2 / 12.0
        turn = (np.cos(0.5 * heading[k]), 0.0, 0.0, np.sin(0.5 * heading[k]))
        middle = place + 0.5 * lengths[k] * along
        bodies.append(Body(f"{k}", mass=masses[k], inertia=(0.02 * own, own, own), position=middle, orientation=turn))
        joints.append(Joint(f"{k}", "revolute", f"{k - 1}" if k else None, f"{k}", place.copy(), speeds=(speeds[k],)))
        place += lengths[k] * along
    joints[1].limits, joints[1].bounciness = ((-1e-7, None),), (bounciness,)
    inertia = jumps.chain_inertia(lengths, masses, angles)
    away = np.array([0.0, 1.0, 0.0])
    impulse = np.linalg.solve(inertia, away)
    stopped = speeds - impulse * (speeds[1] / impulse[1])
    return Mechanism(gravity=NONE, bodies=bodies, joints=joints), inertia, speeds, stopped


@pytest.mark.parametrize("way", WAYS + [(method, "adams") for method in METHODS])
def test_a_blow_goes_through_the_linkage(way):
    """All speeds change by 1 + e times what the stop alone would change them by, and so the energy by 1 - e^2."""
    e = 0.6
    mechanism, inertia, speeds, stopped = chain(e)
    substeps = 200 if way[1] == "impulse" else None
    recording = simulate(mechanism, 4e-7, 0.25e7, method=way[0], integrator=way[1], substeps=substeps)
    after = speeds + (1.0 + e) * (stopped - speeds)
    assert recording.joint_speeds[-1] == pytest.approx(after, abs=1e-5)
    energy = [0.5 * u @ inertia @ u for u in (speeds, stopped)]
    assert recording.kinetic_energy[-1] == pytest.approx(energy[1] + e**2 * (energy[0] - energy[1]), rel=1e-5)


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_what_floats_keeps_its_momentum(integrator):
    bodies = [Body(f"rod {k}", mass=1.0 + k, inertia=(0.01, 0.1, 0.1), position=(k - 0.5, 0, 0)) for k in range(2)]
    bodies[1].angular_velocity, bodies[1].linear_velocity = (0.0, 0.0, 1.0), (0.0, 0.5, 0.0)
    hinge = Joint("hinge", "revolute", "rod 0", "rod 1", NONE, limits=((-0.2, 0.3),), bounciness=(0.8,))
    recording = simulate(Mechanism(gravity=NONE, bodies=bodies, joints=[hinge]), 3.0, 24.0, integrator=integrator)
    mass = np.array([1.0, 2.0])
    momentum = np.einsum("b,tbi->ti", mass, recording.linear_velocity)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-9)
    spin = np.einsum("b,tbi->ti", mass, np.cross(recording.position, recording.linear_velocity))[:, 2]
    spin += 0.1 * recording.angular_velocity[:, :, 2].sum(axis=1)
    assert spin == pytest.approx(spin[0], abs=1e-9)
    turns = np.diff(np.sign(recording.joint_speeds[:, 0]))
    assert np.count_nonzero(turns) >= 3
    assert (np.diff(recording.kinetic_energy) < 1e-9).all()


def four_bar(bounciness: float) -> Mechanism:
    """A crank, a rod and a rocker without gravity; the joint that closes the loop may turn 0.2 rad to either side."""
    places = [np.array(p) for p in ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (2.0, 0.0, 1.5), (2.0, 0.0, 0.0))]
    ends = [("crank", 0, 1), ("rod", 1, 2), ("rocker", 3, 2)]
    bodies = [
        Body(name, mass=1.0 + k, inertia=(0.2, 0.2, 0.2), position=0.5 * (places[a] + places[b]))
        for k, (name, a, b) in enumerate(ends)
    ]
    pairs = [(None, "crank"), ("crank", "rod"), ("rod", "rocker"), (None, "rocker")]
    joints = [Joint(f"{k}", "revolute", *pair, places[k], LYING) for k, pair in enumerate(pairs)]
    joints[0].speeds = (1.5,)
    joints[3].limits, joints[3].bounciness = ((-0.2, 0.2),), (bounciness,)
    return Mechanism(gravity=NONE, bodies=bodies, joints=joints)


@pytest.mark.parametrize("way", [("recursive", "adams"), ("propagation", "adams"), ("recursive", "impulse")])
def test_a_blow_goes_round_a_loop(way):
    """A loop with one freedom has after each blow e^2 of the energy that it had before."""
    recording = simulate(four_bar(0.6), 1.0, 96.0, method=way[0], integrator=way[1])
    share = recording.kinetic_energy / recording.kinetic_energy[0]
    blows = np.round(np.log(share) / np.log(0.36))
    assert blows[-1] >= 2
    assert share == pytest.approx(0.36**blows, rel=1e-3 if way[1] == "impulse" else 1e-6)
    assert np.abs(recording.joint_coordinates[:, 3]).max() < 0.2 + (1e-4 if way[1] == "impulse" else 1e-8)
    assert recording.constraint_error.max() < 1e-8


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_motor_that_pushes_comes_to_rest_at_the_limit(integrator):
    motor = {"mode": "speed", "target": -3.0, "max_force": 4.0}
    mechanism = dropped(0.5, motor=motor)
    mechanism.gravity = NONE
    recording = simulate(mechanism, 4.0, 24.0, integrator=integrator)
    assert recording.joint_coordinates[-1, 0] == pytest.approx(-1.0, abs=1e-9 if integrator == "adams" else 1e-5)
    assert abs(recording.joint_speeds[-1, 0]) < 1e-9


def test_of_several_limits_at_once_the_least_bounciness_counts():
    """Two doors of one free frame that strike together: by one number each they could gain energy."""
    bodies = [Body("frame", mass=1.0, inertia=(1, 1, 1))]
    joints = []
    for k, side in enumerate((-1.0, 1.0)):
        bodies.append(Body(f"door {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(2.0 * side, 0, 0)))
        joint = Joint(f"{k}", "revolute", "frame", f"door {k}", (side, 0, 0), speeds=(side,))
        joint.limits, joint.bounciness = ((-1e-7, 1e-7),), ((0.2, 0.9)[k],)
        joints.append(joint)
    recording = simulate(Mechanism(gravity=NONE, bodies=bodies, joints=joints), 1.5e-7, 2e7)
    assert recording.joint_speeds[-1] == pytest.approx(-0.2 * recording.joint_speeds[0], abs=1e-5)
    assert (np.diff(recording.kinetic_energy) < 1e-9).all()


def test_what_cannot_bounce_is_refused():
    mechanism = dropped(1.5)
    with pytest.raises(MechanismError, match=r"joint 'rail': bounciness\[0\] must be at most 1, is 1.5"):
        simulate(mechanism, 1.0)
    ball = Joint("ball", "spherical", None, "weight", NONE, limits=((-1, 1),) * 3, bounciness=(0.5, 0.0, 0.0))
    mechanism.joints = [ball]
    with pytest.raises(MechanismError, match="joint 'ball': bounciness must be 0"):
        simulate(mechanism, 1.0)
