# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces of contacts that go on from one step to the next turn with what they press together."""

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Box, Contact, Cylinder, Keys, Material, Spring

HALF, STEPS = 0.17, 120  # m; steps of a 480th of a second,
FIRST = 10  # in which the forces are found


def pressed_pair(turning, friction, foot):
    """Two boxes of 0.1 and 1.6 kg in space that turn as one, and a spring that presses them together with 3.2 kN."""
    masses, places = (0.1, 1.6), (-HALF, HALF + 1e-6)
    middle = np.dot(masses, places) / sum(masses)
    bodies, ends = [], []
    for name, mass, x in zip(("light", "heavy"), masses, places, strict=True):
        at = np.array([x - middle, 0.0, 0.0])
        body = Body(name, "dynamic", mass, shape=Box(half_size=(HALF, HALF, HALF)), position=tuple(at))
        body.inertia = (np.eye(3) * mass * (2.0 * HALF) ** 2 / 6.0).tolist()
        body.material = Material(friction, 0.0)
        body.linear_velocity, body.angular_velocity = tuple(np.cross(turning, at)), tuple(turning)
        bodies.append(body)
        ends.append(tuple(at + np.array([0.0, *foot])))
    pull = {"stiffness": 17000.0, "rest_length": 2.0 * HALF - 3200.0 / 17000.0, "damping": 0.0}
    spring = Spring(name="spring", body_a="light", body_b="heavy", point_a=ends[0], point_b=ends[1], **pull)
    return Mechanism("pair", (0.0, 0.0, 0.0), bodies, forces=[spring], contact=Contact())


@pytest.mark.parametrize("foot", [(0.0, 0.0), (0.05, 0.02)])
@pytest.mark.parametrize("turning", [(0.0, 0.0, 2.0), (0.0, 0.0, 6.0), (3.0, 2.0, 6.0), (6.0, 0.0, 0.0)])
def test_a_pair_that_turns_as_one_stays_one(turning, foot):
    recording = simulate(pressed_pair(turning, 0.5, foot), STEPS / 480.0, 480.0, integrator="impulse", substeps=1)
    apart = np.linalg.norm(recording.position[:, 1] - recording.position[:, 0], axis=1)
    assert apart.min() > apart[0] - 1e-4
    assert apart[FIRST:].min() > apart[FIRST] - 5e-6  # with forces that keep their direction 6e-6 to 1e-3


def test_a_pair_without_friction_stays_one():
    pair = pressed_pair((0.0, 0.0, 6.0), 0.0, (0.0, 0.0))
    recording = simulate(pair, STEPS / 480.0, 480.0, integrator="impulse", substeps=1)
    apart = np.linalg.norm(recording.position[:, 1] - recording.position[:, 0], axis=1)
    assert apart[FIRST:].min() > apart[FIRST] - 5e-6


def test_what_slides_on_a_turning_disc_is_not_driven():
    """The disc turns, the roller on it rolls: the force between them stays upright."""
    times = np.linspace(0.0, 2.0, 17)
    turns = [(np.cos(0.5 * t), 0.0, 0.0, np.sin(0.5 * t)) for t in times]
    shape = Cylinder(radius=1.0, half_length=0.05)
    keys = Keys(tuple(times), [(0.0, 0.0, 0.0)] * len(times), turns)
    disc = Body("disc", "keyed", keys=keys, shape=shape, material=Material(0.0, 0.0))
    roller = Body("roller", "dynamic", 1.0, position=(-0.4, 0.0, 0.1), orientation=(0.5**0.5, 0.0, 0.5**0.5, 0.0))
    roller.shape, roller.material = Cylinder(radius=0.05, half_length=0.08), Material(0.0, 0.0)
    across, along = 1.0 * (3.0 * 0.05**2 + 0.16**2) / 12.0, 0.5 * 0.05**2
    roller.inertia = np.diag([across, across, along]).tolist()
    roller.linear_velocity, roller.angular_velocity = (0.1, 0.15, 0.0), (0.4, 0.0, 0.0)
    mechanism = Mechanism("disc", (0.0, 0.0, -9.81), [disc, roller], contact=Contact())
    recording = simulate(mechanism, 2.0, 480.0, integrator="impulse", substeps=1)
    moving = recording.kinetic_energy[200:]
    assert np.ptp(moving) < 1e-4 * moving[0]
