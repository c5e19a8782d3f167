# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads that a figure takes up without being told: what it then stands like, and how soon it feels them."""

from __future__ import annotations

import numpy as np
import pytest

from solver import simulate
from solver.mechanism import Action, Body, Distance
from tests.solver.control.figures import biped, box_inertia
from tests.solver.control.test_balance import TORQUE, G, place_of, pushed, run_to, tilt_of

FORCES = [(0.0, 0.0, -150.0), (40.0, 0.0, 0.0), (20.0, 20.0, -100.0)]  # N: on the trunk
BEGINS = 0.3  # s


def pulled(force, load_time: float):
    """The biped, that a force (N) acts upon from then on."""
    return pushed(biped(max_torque=TORQUE, load_time=load_time), force, start=BEGINS, duration=100.0)


@pytest.mark.parametrize("force", FORCES)
def test_a_figure_that_feels_its_load_stands_where_it_shall_be(force):
    recording = simulate(pulled(force, 0.2), 4.0)
    assert np.abs(place_of(recording)[-1] - place_of(recording)[0]).max() < 1e-4
    assert tilt_of(recording)[-1] < 1e-3
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() > 2e-3, "it had to feel it first"


def test_without_it_sinks_at_least_as_far_as_its_spring_gives_way():
    """By F / (m w^2), and some more, since it tilts."""
    mechanism = pulled((0.0, 0.0, -150.0), 0.0)
    mass = sum(body.mass for body in mechanism.bodies)
    height = place_of(simulate(mechanism, 4.0))[:, 2]
    assert height[0] - height[-1] > 150.0 / (mass * (2.0 * np.pi) ** 2)


@pytest.mark.parametrize("load_time", [0.2, 0.6])
def test_it_is_felt_with_its_time_constant(load_time):
    """1 - exp(-t / T) of a force that acts all at once."""
    force = np.array(FORCES[2])
    for after in (0.5 * load_time, load_time):
        load = run_to(pulled(force, load_time), BEGINS + after).memory.arrays.steering.loads[0]
        assert np.abs(load.force - force * (1.0 - np.exp(-after / load_time))).max() < 0.03 * np.linalg.norm(force)


def test_a_bag_that_hangs_on_it_is_felt_by_its_weight():
    """On a rod from the chest: no part of the figure's tree. What it weighs acts at an arm, which tells the moment."""
    mechanism, mass = biped(max_torque=TORQUE, load_time=0.2), 8.0
    chest = np.array(mechanism.bodies[0].position) + (0.15, 0.0, 0.1)
    low = chest - (0.0, 0.0, 0.5)
    bag = Body("bag", mass=mass, inertia=box_inertia(mass, (0.1, 0.1, 0.1)), position=low)
    rod = Distance("rod", body_a="trunk", body_b="bag", point_a=chest, point_b=low)
    mechanism.bodies.append(bag)
    mechanism.constraints.append(rod)
    run = run_to(mechanism, 4.0)
    load, center = run.memory.arrays.steering.loads[0], run.memory.arrays.steering.decisions[0].center
    assert load.force == pytest.approx((0.0, 0.0, -mass * G), abs=0.05 * mass * G)
    assert load.moment == pytest.approx(np.cross(chest - center, (0.0, 0.0, -mass * G)), abs=0.05 * mass * G)


def test_no_load_counts_for_more_than_the_figures_weight():
    mechanism = pulled((0.0, 0.0, -3000.0), 0.05)
    weight = G * sum(body.mass for body in mechanism.bodies)
    load = run_to(mechanism, BEGINS + 0.3).memory.arrays.steering.loads[0]
    assert np.linalg.norm(load.force) <= weight * (1.0 + 1e-12)


def test_an_action_lets_it_feel():
    mechanism = pulled((0.0, 0.0, -150.0), 0.0)
    mechanism.actions.append(Action(time=2.0, target="balance", set={"load_time": 0.2}))
    height = place_of(simulate(mechanism, 5.0, 24.0))[:, 2]
    assert height[48] < height[0] - 0.05
    assert height[-1] == pytest.approx(height[0], abs=1e-3)
