# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles of drives: coupler curves, ranges of joints, where they end, and what the drive takes against gravity."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism
from solver.kinematics import Kinematics
from solver.kinematics.cycle import cycle_of
from solver.mechanism import Body, Gear, Joint
from tests.solver.kinematics.planar import four_bar
from tests.truths.planar_linkages import freudenstein

CRANK_ROCKER, START = (1.0, 3.5, 2.5, 4.0), 0.7
EXACT = 1e-8


@pytest.fixture
def led():
    planar = four_bar(CRANK_ROCKER, START, 1)
    return planar.mechanism, Kinematics(planar.mechanism, ["A crank"])


@pytest.mark.fallback
def test_the_coupler_curve_is_that_of_freudenstein(led) -> None:
    _, kinematics = led
    before = kinematics.poses()[0].copy()
    cycle = cycle_of(kinematics, "A crank", 48)
    assert cycle.comes_round
    np.testing.assert_allclose(cycle.values, np.linspace(0.0, 2.0 * np.pi, 49), atol=1e-12)
    a, b, c, d = CRANK_ROCKER
    rest = cycle.path("coupler", (0.0, 0.0, 0.0))[0]
    end = _pin(START) - rest[:2]
    along, across = end / b, np.array([-end[1], end[0]]) / b
    local = 0.4 * b * along + 0.3 * across  # the body's frame is drawn unturned
    path = cycle.path("coupler", (*local, 0.0))
    for crank, place in zip(START + cycle.values, path, strict=True):
        B, C = a * np.array([np.cos(crank), np.sin(crank)]), _pin(crank)
        u = (C - B) / b
        expected = B + 0.4 * b * u + 0.3 * np.array([-u[1], u[0]])
        assert place == pytest.approx((*expected, 0.0), abs=EXACT)
    np.testing.assert_allclose(kinematics.poses()[0], before, atol=1e-12)


def _pin(crank: float) -> np.ndarray:
    _, _, c, d = CRANK_ROCKER
    rocker = freudenstein(CRANK_ROCKER, crank, 1)
    return np.array([d + c * np.cos(rocker), c * np.sin(rocker)])


@pytest.mark.fallback
def test_ranges_of_joints(led) -> None:
    _, kinematics = led
    cycle = cycle_of(kinematics, "A crank", 120)
    angles = np.unwrap([freudenstein(CRANK_ROCKER, START + q, 1) for q in cycle.values])
    low, high = cycle.joint_range("D rocker")
    assert (low, high) == pytest.approx((angles.min() - angles[0], angles.max() - angles[0]), abs=EXACT)
    assert cycle.joint_range("A crank") == pytest.approx((0.0, 2.0 * np.pi), abs=EXACT)


@pytest.mark.fallback
def test_a_rocker_goes_as_far_as_the_bars_let_it(led) -> None:
    mechanism, _ = led
    cycle = cycle_of(Kinematics(mechanism, ["D rocker"]), "D rocker", 90)
    assert not cycle.comes_round
    assert all(stop.code == "led-to-dead-centre" for stop in cycle.stops)
    a, b, c, d = CRANK_ROCKER
    limits = [np.pi - np.arccos((c * c + d * d - r * r) / (2.0 * c * d)) for r in (a + b, b - a)]
    angles = freudenstein(CRANK_ROCKER, START, 1) + cycle.values
    angles = angles + 2.0 * np.pi * (angles.max() < 0.0)
    assert sorted((angles.min(), angles.max())) == pytest.approx(sorted(limits), abs=1e-4)
    assert cycle.pivots[0] < 1e-3
    assert cycle.pivots[-1] < 1e-3
    assert cycle.pivots.max() > 0.05


def test_the_effort_is_the_slope_of_the_potential_energy(led) -> None:
    mechanism, kinematics = led
    cycle = cycle_of(kinematics, "A crank", 360)
    efforts, h = cycle.efforts((0.0, -9.81, 0.0)), 1e-4
    for number in (10, 100, 275):
        energies = []
        for value in cycle.values[number] + h * np.array([-1.0, 1.0]):
            kinematics.lead([value])
            positions, orientations = kinematics.poses()
            energies.append(_energy(mechanism, positions, orientations))
        expected = (energies[1] - energies[0]) / (2.0 * h)
        assert efforts[number] == pytest.approx(expected, rel=1e-5, abs=1e-5)
    assert abs((0.5 * (efforts[1:] + efforts[:-1])) @ np.diff(cycle.values)) < 1e-4  # round and back takes no work


def _energy(mechanism, positions, orientations) -> float:
    energy = 0.0
    for body, place, q in zip(mechanism.bodies, positions, orientations, strict=True):
        angle = 2.0 * np.arctan2(q[3], q[0])
        x, y, _ = body.center_of_mass
        energy += 9.81 * body.mass * (place[1] + np.sin(angle) * x + np.cos(angle) * y)
    return energy


def test_transmission_angles_are_those_of_the_law_of_cosines(led) -> None:
    """Of a four-bar: the diagonal from the crank's end to the rocker's pivot, by both triangles on it."""
    _, kinematics = led
    cycle = cycle_of(kinematics, "A crank", 72)
    a, b, c, d = CRANK_ROCKER
    square = a * a + d * d - 2.0 * a * d * np.cos(START + cycle.values)
    expected = np.arccos(np.abs(b * b + c * c - square) / (2.0 * b * c))
    (angle,) = cycle.transmission_angles("A crank").values()
    assert angle == pytest.approx(expected, abs=1e-8)


def test_a_rod_passes_nothing_across_a_slide() -> None:
    """Crank and slider: the angle between the rod and the normal of the slide, whose sine is crank over rod at most."""
    body = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}
    bodies = [Body(name, position=place, **body) for name, place in (("crank", (0, 0.5, 0)), ("rod", (1, 0.5, 0)))]
    bodies.append(Body("piston", position=(np.sqrt(8.0), 0.0, 0.0), **body))
    along_x = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # Z to X
    joints = [
        Joint("A", "revolute", None, "crank", (0, 0, 0)),
        Joint("B", "revolute", "crank", "rod", (0, 1, 0)),
        Joint("C", "revolute", "rod", "piston", (np.sqrt(8.0), 0, 0)),
        Joint("slide", "prismatic", None, "piston", (np.sqrt(8.0), 0, 0), orientation=along_x),
    ]
    cycle = cycle_of(Kinematics(Mechanism(bodies=bodies, joints=joints), ["A"]), "A", 72)
    angle = cycle.transmission_angles("A")["C"]
    assert angle == pytest.approx(np.arccos(np.abs(np.cos(cycle.values)) / 3.0), abs=1e-8)


def test_a_body_that_a_gear_leads_is_no_bar(led) -> None:
    """The rocker's arm is geared to a wheel: what it passes on is not told by the angle between bars."""
    mechanism, kinematics = led
    assert cycle_of(kinematics, "A crank", 12).transmission_angles("A crank")
    wheel = Body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(9.0, 0.0, 0.0))
    joints = [*mechanism.joints, Joint("wheel", "revolute", None, "wheel", (9.0, 0.0, 0.0))]
    gear = Gear("mesh", joint_a="D rocker", joint_b="wheel", ratio=-2.0)
    geared = Mechanism(bodies=[*mechanism.bodies, wheel], joints=joints, constraints=[gear])
    cycle = cycle_of(Kinematics(geared, ["A crank"]), "A crank", 12)
    assert cycle.transmission_angles("A crank") == {}
