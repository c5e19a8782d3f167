# SPDX-License-Identifier: GPL-3.0-or-later
"""Drops onto the ground: bounce heights and times, a rough bounce, a rod that lands on one end."""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import Box, Capsule, Cylinder, Hull, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.scenes import GRAVITY, LYING, at_once, on_ground, run, turned
from tests.solver.contact.solids import solid
from tests.truths.impacts import Bounces, LandingRod, RoughBounce

SHAPES = {
    "sphere": (Sphere(radius=0.1), 0.1),
    "box": (Box(half_size=(0.2, 0.15, 0.1)), 0.1),
    "cylinder": (Cylinder(radius=0.15, half_length=0.1), 0.1),
    "capsule": (Capsule(radius=0.1, half_length=0.2), 0.3),
    "hull": (Hull(points=[(x, y, z) for x in (-0.2, 0.2) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]), 0.1),
}
WITHIN = 0.02


def tops(heights: np.ndarray, speeds: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(N, 2): height and time of the top of each flight, from any frame of it that is clear of the ground."""
    flying = np.where(heights > 0.01)[0]
    found = np.stack([heights + 0.5 * speeds**2 / GRAVITY, times + speeds / GRAVITY], axis=1)[flying]
    apart = np.flatnonzero(np.diff(found[:, 1]) > 0.04) + 1
    return np.array([np.median(flight, axis=0) for flight in np.split(found, apart)])


def dropped(shape, height: float, restitution: float, duration: float):
    """(heights of the lowest point, its speeds, times) at 96 frames a second."""
    form, half = SHAPES[shape]
    mechanism = on_ground([solid("body", form, (0.0, 0.0, height + half))], 0.5, restitution)
    recording = run(mechanism, duration, frame_rate=96.0, substeps=5)
    return gauges.lowest(mechanism, recording, "body"), recording.linear_velocity[:, 0, 2], recording.times


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_it_bounces_as_high_and_as_long_as_it_should(shape, restitution):
    truth = Bounces(1.0, restitution)
    count = {0.3: 1, 0.7: 3, 1.0: 3}[restitution]
    heights, speeds, times = dropped(shape, 1.0, restitution, truth.landing(count + 1))
    found = tops(heights, speeds, times)
    expected = [[truth.peak(k), truth.top(k)] for k in range(1, count + 1)]
    assert found[1 : count + 1] == pytest.approx(np.array(expected), rel=WITHIN)


@pytest.mark.parametrize("shape", SHAPES)
def test_without_restitution_it_stays_down(shape):
    heights, speeds, times = dropped(shape, 1.0, 0.0, 1.5)
    landed = times > Bounces(1.0, 0.0).fall + 0.02
    assert heights[landed].max() < 1e-3
    assert np.abs(speeds[times > 1.0]).max() < 1e-3
    assert heights.min() > -1e-3


@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_bounces_come_to_an_end(shape):
    truth = Bounces(0.5, 0.5)
    heights, speeds, times = dropped(shape, 0.5, 0.5, truth.end + 0.5)
    over = times > truth.end + 0.05
    assert np.abs(heights[over]).max() < 1e-3
    assert np.abs(speeds[over]).max() < 1e-3


def test_nothing_leaves_the_path_of_a_free_fall_before_it_lands():
    heights, _, times = dropped("box", 1.0, 0.7, 0.4)
    assert heights == pytest.approx(1.0 - 0.5 * GRAVITY * times**2, abs=0.01)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("friction", [0.1, 0.9])
def test_a_rough_floor_turns_spin_into_speed(friction, restitution):
    truth = RoughBounce(0.1, 0.4, restitution, friction)
    velocity, spin = np.array([1.5, -0.4, -2.0]), np.array([2.0, -10.0, -5.0])
    ball = solid("ball", Sphere(radius=0.1), (0, 0, 0.1), linear_velocity=velocity, angular_velocity=spin)
    recording = at_once(on_ground([ball], friction, restitution))
    after, turned_after = truth.after(velocity, spin)
    assert recording.linear_velocity[1, 0] == pytest.approx(after, abs=1e-4)
    assert recording.angular_velocity[1, 0] == pytest.approx(turned_after, abs=2e-3)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("lean", [0.2, 0.7])
def test_a_rod_lands_on_one_end(lean, restitution):
    """A capsule with thin ends on a smooth floor; its point of contact is below the middle of the round end."""
    shape = Capsule(radius=1e-6, half_length=0.5)
    height = 1e-6 + 0.5 * np.sin(lean)
    rod = solid("rod", shape, (0, 0, height), orientation=turned((0, 1, 0), 0.5 * np.pi - lean), mass=2.0,
                linear_velocity=(0, 0, -3.0))  # fmt: skip
    rod.inertia = (2.0 / 12.0, 2.0 / 12.0, 1e-3)
    speed, spin = LandingRod(0.5, lean, restitution).after(3.0)
    recording = at_once(on_ground([rod], 0.0, restitution))
    assert recording.linear_velocity[1, 0] == pytest.approx((0.0, 0.0, speed), abs=1e-4)
    # its upper end lies toward +X, so a turn that lifts the lower one is about +Y
    assert recording.angular_velocity[1, 0] == pytest.approx((0.0, spin, 0.0), abs=1e-3)


def test_a_box_that_lies_on_its_side_bounces_alike():
    shape = Box(half_size=(0.2, 0.15, 0.1))
    box = solid("box", shape, (0, 0, 1.15), orientation=LYING)
    mechanism = on_ground([box], 0.5, 0.7)
    recording = run(mechanism, 1.2, 96.0, substeps=5)
    heights = gauges.lowest(mechanism, recording, "box")
    found = tops(heights, recording.linear_velocity[:, 0, 2], recording.times)
    assert found[1, 0] == pytest.approx(0.49, rel=WITHIN)


@pytest.mark.parametrize("spin", [0.0, 30.0, 100.0])
def test_a_ball_that_spins_bounces_no_higher(spin):
    """Its surface circles, its gap does not: where it was taken to fall less for it, each bounce came a step late."""
    ball = solid("ball", Sphere(radius=0.1), (0.0, 0.0, 0.108), angular_velocity=(0.0, spin, 0.0))
    recording = run(on_ground([ball], 0.0, 1.0), 3.0)
    energy = recording.kinetic_energy + recording.potential_energy
    assert np.abs(energy - energy[0]).max() < 1e-9 * energy[0]
