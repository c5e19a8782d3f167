# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of figures that would fall: where a foot comes down, by the linear inverted pendulum, and who still stands."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from solver import Mechanism, simulate
from solver.control.bearings import BEARING, KEPT
from solver.control.stepping import beyond
from solver.mechanism import Action
from solver.model.arrays import records
from tests.solver.control.figures import HIP, biped, quadruped
from tests.solver.control.test_balance import (
    TORQUE,
    on_platform,
    place_of,
    pushed,
    tilt_of,
    without_damping,
)

G = 9.81
STEP, SOLE = 0.25, 0.13  # s, m: half the length of a sole
FEET = "left foot", "right foot"
SIDES = np.radians(np.arange(0.0, 360.0, 30.0))


def shoved(angle: float, size: float, **balance) -> Mechanism:
    """A biped that is pushed for a tenth of a second with so many newtons."""
    return pushed(biped(max_torque=TORQUE, **balance), (size * np.cos(angle), size * np.sin(angle), 0.0))


def stands(recording) -> bool:
    """True if the trunk is up, and as good as at rest."""
    height = place_of(recording)[:, 2]
    way = np.linalg.norm(np.diff(place_of(recording)[-12:], axis=0), axis=1).max()
    return bool(height[-1] > 0.8 * height[0] and tilt_of(recording)[-12:].max() < 0.4 and way < 0.005)


def capture_point(recording, mechanism: Mechanism) -> np.ndarray:
    """(F, 2) m."""
    mass = np.array([body.mass for body in mechanism.bodies])
    c = np.einsum("b,fbi->fi", mass, recording.position) / mass.sum()
    v = np.einsum("b,fbi->fi", mass, recording.linear_velocity) / mass.sum()
    pace = np.sqrt(G / (c[:, 2:] - 0.04))
    return (c + v / pace)[:, :2]


def in_the_air(recording, foot: str) -> np.ndarray:
    """(F,) bool."""
    return recording.contact_force[:, list(recording.body_names).index(foot), 2] == 0.0


def first_flight(recording) -> tuple[str, int, int]:
    """The foot that is first in the air for long, and the frames from which and up to which it is."""
    found = []
    for foot in FEET:
        there = np.concatenate([[False], in_the_air(recording, foot), [False]])
        for up, down in zip(
            *(np.flatnonzero(there[1:] & ~there[:-1]), np.flatnonzero(~there[1:] & there[:-1])), strict=True
        ):
            if recording.times[min(down, len(recording.times) - 1)] - recording.times[up] > 0.1:
                found.append((int(up), int(down), foot))
    up, down, foot = min(found)
    return foot, up, down


@pytest.mark.parametrize("seed", range(5))
def test_how_far_a_point_is_outside_the_soles_is_its_distance_to_their_hull(seed):
    """Drawn in by what each point keeps of the load; by supporting lines in 32 directions, so a little less."""
    random = np.random.default_rng(seed)
    bearings = records(8, BEARING)
    bearings.foot, bearings.position = np.repeat([3, 5], 4), random.uniform(-0.2, 0.2, (8, 3))
    for without in (-1, 3):
        points = bearings.position[bearings.foot != without][:, :2]
        points = points.mean(axis=0) + (1.0 - KEPT) * (points - points.mean(axis=0))
        for x in random.uniform(-0.6, 0.6, (20, 2)):
            planes = ConvexHull(points).equations
            off, *way = beyond(bearings, 8, without, (*x, 0.0))
            if (planes[:, :2] @ x + planes[:, 2]).max() <= 0.0:
                assert off <= 0.0
                continue
            ends = np.vstack([points[ConvexHull(points).vertices]] * 2)
            a, b = ends[: len(ends) // 2], ends[1 : len(ends) // 2 + 1]
            share = np.clip(((x - a) * (b - a)).sum(axis=1) / ((b - a) ** 2).sum(axis=1), 0.0, 1.0)
            nearest = np.linalg.norm(a + share[:, None] * (b - a) - x, axis=1).min()
            half = np.pi / 32
            assert nearest * np.cos(half) - np.ptp(points) * np.sin(half) <= off <= nearest + 1e-12
            assert np.hypot(*way) == pytest.approx(1.0)


def test_what_leaning_is_enough_for_takes_no_step():
    recording = simulate(shoved(0.0, 150.0, step_time=STEP), 2.0)
    assert stands(recording)
    for foot in FEET:
        assert np.abs(place_of(recording, foot) - place_of(recording, foot)[0]).max() < 1e-3


@pytest.mark.parametrize("angle", SIDES)
def test_it_stands_again_after_a_push_that_throws_it_over_otherwise(angle):
    size = 450.0
    falls, steps = (simulate(shoved(angle, size, step_time=time), 4.0) for time in (0.0, STEP))
    assert not stands(falls)
    assert stands(steps)


def test_the_foot_comes_down_where_the_capture_point_is():
    mechanism = shoved(0.0, 350.0, step_time=STEP)
    recording = simulate(mechanism, 1.5, 480.0)
    xi = capture_point(recording, mechanism)
    foot, up, down = first_flight(recording)
    assert recording.times[down] - recording.times[up] == pytest.approx(STEP, abs=0.2 * STEP)
    assert np.abs(place_of(recording, foot)[down, 0] - xi[down, 0]) < SOLE, "that point is above the sole"
    assert place_of(recording, foot)[down, 0] > place_of(recording, foot)[up, 0] + 0.1


@pytest.mark.parametrize("height", [0.04, 0.10])
def test_a_foot_is_lifted_as_high_as_it_is_told(height):
    recording = simulate(shoved(0.0, 350.0, step_time=STEP, step_height=height), 1.0, 240.0)
    lifted = max(place_of(recording, foot)[:, 2].max() - place_of(recording, foot)[0, 2] for foot in FEET)
    assert lifted == pytest.approx(height, rel=0.35)


def test_feet_do_not_cross():
    for angle in SIDES[:7]:
        recording = simulate(shoved(angle, 300.0, step_time=STEP), 3.0)
        apart = (place_of(recording, "left foot") - place_of(recording, "right foot"))[:, 1]
        assert apart.min() > HIP


def test_legs_need_no_damping_for_a_step():
    assert stands(simulate(without_damping(shoved(0.0, 300.0, step_time=STEP)), 4.0))


def test_it_steps_on_ground_that_shifts_and_tilts():
    mechanism = on_platform(biped(ground=False, max_torque=TORQUE, step_time=STEP), 6.0)
    recording = simulate(pushed(mechanism, (300.0, 0.0, 0.0), start=1.6), 6.0)
    assert tilt_of(recording)[-12:].max() < 0.4
    assert np.abs(place_of(recording, "plate")[-1] - place_of(recording)[-1])[:2].max() < 1.0


def test_a_quadruped_that_may_step_stands_as_well():
    mechanism = quadruped(max_torque=80.0, step_time=0.2, step_height=0.05)
    assert stands(simulate(pushed(mechanism, (0.0, 100.0, 0.0)), 4.0))


def test_an_action_lets_it_step():
    mechanism = shoved(0.0, 300.0)
    mechanism.actions = [Action(time=0.2, target="balance", set={"step_time": STEP})]
    assert stands(simulate(mechanism, 4.0))


def test_a_foot_in_the_air_comes_down_when_its_linkage_begins_anew():
    mechanism = shoved(0.0, 300.0, step_time=STEP)
    plain = simulate(mechanism, 1.5, 240.0)
    foot, up, _ = first_flight(plain)
    mechanism.actions = [Action(time=float(plain.times[up] + 0.4 * STEP), target="trunk", set={"mass": 40.5})]
    assert stands(simulate(mechanism, 4.0))
