# SPDX-License-Identifier: GPL-3.0-or-later
"""Keyed bodies: how smoothly they move between keys, and what those who ride on them feel."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Joint, Keys
from tests.truths.turning_base import BeadOnRod, carousel_tilt

CLOSE = 1e-7


def about_z(angles) -> np.ndarray:
    """(T, 4)"""
    half = 0.5 * np.asarray(angles)
    return np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)


def keyed(times, positions=None, orientations=None) -> Body:
    count = len(times)
    positions = np.zeros((count, 3)) if positions is None else positions
    orientations = [(1.0, 0.0, 0.0, 0.0)] * count if orientations is None else orientations
    return Body("base", "keyed", keys=Keys(np.asarray(times), np.asarray(positions), np.asarray(orientations)))


def motion(body: Body, duration: float, frame_rate: float):
    """The recording of the keyed body alone."""
    return simulate(Mechanism(bodies=[body]), duration, frame_rate)


UNEVEN = (0.0, 0.05, 0.5, 0.55, 1.3, 2.0)
EVEN = tuple(np.linspace(0.0, 2.0, 11))
FEW = (0.0, 0.7, 1.1, 2.0)


@pytest.mark.parametrize("times", [EVEN, UNEVEN, FEW], ids=["even", "uneven", "few"])
def test_velocity_and_acceleration_are_continuous_across_keys(times):
    """FORMAT: twice continuously differentiable. A jump of the acceleration would show as a kink of the velocity."""
    rng = np.random.default_rng(5)
    turns = np.cumsum(rng.normal(size=(len(times), 4)) * 0.2, axis=0) + (1, 0, 0, 0)
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)
    body = keyed(times, rng.normal(size=(len(times), 3)), turns)
    rate = 20000.0
    recording = motion(body, times[-1], rate)
    velocity = np.hstack([recording.linear_velocity[:, 0], recording.angular_velocity[:, 0]])
    acceleration = np.diff(velocity, axis=0) * rate
    jerk = np.abs(np.diff(acceleration, axis=0)).max(axis=1) * rate
    keys = np.round(np.array(times[1:-1]) * rate).astype(int)
    for key in keys:
        step = np.abs(acceleration[key] - acceleration[key - 2]).max()
        assert step <= 3.0 / rate * max(jerk[key - 10], jerk[key + 10]) + 1e-6 * np.abs(acceleration).max()
    # and velocity is the derivative of position, everywhere (central differences: position''' / 6 rate^2)
    slope = (recording.position[2:, 0] - recording.position[:-2, 0]) * 0.5 * rate
    assert slope == pytest.approx(recording.linear_velocity[1:-1, 0], abs=jerk.max() / rate**2 + 1e-8)


@pytest.mark.parametrize("times", [EVEN, UNEVEN, FEW], ids=["even", "uneven", "few"])
def test_keys_are_met_and_held_outside(times):
    rng = np.random.default_rng(6)
    positions = rng.normal(size=(len(times), 3))
    body = keyed(np.array(times) + 0.5, positions, about_z(0.3 * np.array(times)))
    recording = motion(body, 3.5, 20.0)
    for time, position in zip(times, positions, strict=True):
        frame = round((time + 0.5) * 20)
        if abs(frame / 20 - time - 0.5) < 1e-12:
            assert recording.position[frame, 0] == pytest.approx(position, abs=1e-12)
    assert np.abs(recording.position[:10, 0] - positions[0]).max() < 1e-12
    assert np.abs(recording.position[51:, 0] - positions[-1]).max() < 1e-12
    assert np.abs(recording.linear_velocity[:10, 0]).max() == 0.0
    assert np.abs(recording.angular_velocity[51:, 0]).max() == 0.0
    assert any("body 'base'" in note and "stands still outside" in note for note in recording.notes)


def test_one_key_stands_still():
    recording = motion(keyed([1.0], [(1, 2, 3)], about_z([0.5])), 2.0, 10.0)
    assert np.abs(recording.position[:, 0] - (1, 2, 3)).max() == 0.0
    assert np.abs(recording.linear_velocity).max() == 0.0
    assert recording.orientation[-1, 0] == pytest.approx(about_z([0.5])[0], abs=1e-15)


def test_two_keys_make_a_straight_line():
    recording = motion(keyed([0.0, 2.0], [(0, 0, 0), (2, 4, -6)]), 2.0, 10.0)
    expected = np.outer(recording.times, (1, 2, -3))
    assert recording.position[:, 0] == pytest.approx(expected, abs=1e-13)


def test_quaternions_of_either_sign_are_one_motion():
    turns = about_z(np.linspace(0.0, 9.0, 31))
    flipped = turns * np.where(np.arange(31) % 3 == 1, -1.0, 1.0)[:, None]
    plain, other = (motion(keyed(np.linspace(0, 3, 31), None, q), 3.0, 50.0) for q in (turns, flipped))
    assert other.angular_velocity == pytest.approx(plain.angular_velocity, abs=1e-12)


def turning(rate: float, duration: float) -> Body:
    """A base that turns about the world's z axis at 200 keys a second, so that its splines err by less than 1e-10."""
    times = np.linspace(0.0, duration, round(200 * duration) + 1)
    return keyed(times, None, about_z(rate * times))


def test_a_bead_on_a_turning_rod_flees_outwards():
    bead = BeadOnRod(mass=2.0, turn=1.5, start=0.3, speed=0.2)
    body = Body("bead", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.3, 0.0, 0.0))
    rod = Joint("rod", "prismatic", "base", "bead", (0.3, 0, 0), (0.5**0.5, 0.0, 0.5**0.5, 0.0), speeds=0.2)
    mechanism = Mechanism(gravity=(0, 0, 0), bodies=[turning(1.5, 2.0), body], joints=[rod])
    recording = simulate(mechanism, 2.0, 24.0, relative=1e-9)
    times, angle = recording.times, 1.5 * recording.times
    assert 0.3 + recording.joint_coordinates[:, 0] == pytest.approx(bead.radius(times), abs=CLOSE)
    forward = np.stack([-np.sin(angle), np.cos(angle)], axis=1)
    push = np.sum(recording.joint_force[:, 0, :2] * forward, axis=1)
    assert push == pytest.approx(bead.sideways_push(times), abs=1e-4)  # splines' accelerations: interval^4
    place = bead.radius(times)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    assert recording.position[:, 1, :2] == pytest.approx(place, abs=CLOSE)


@pytest.mark.parametrize("reversed_joint", [False, True])
def test_a_carousel_leans_out_and_stays(reversed_joint):
    rate, radius, length = 2.0, 1.5, 0.8
    tilt = carousel_tilt(rate, radius, length)
    place = np.array([radius + length * np.sin(tilt), 0.0, -length * np.cos(tilt)])
    # the bob's inertia is isotropic and vanishing, so that only its mass counts
    bob = Body("bob", mass=1.0, inertia=(1e-9,) * 3, position=place)
    ends = ("bob", "base") if reversed_joint else ("base", "bob")
    half = np.array([0.5**0.5, -(0.5**0.5), 0.0, 0.0])
    hinge = Joint("hinge", "revolute", *ends, (radius, 0.0, 0.0), half, speeds=0.0)
    mechanism = Mechanism(bodies=[turning(rate, 2.0), bob], joints=[hinge])
    recording = simulate(mechanism, 2.0, 24.0, relative=1e-8)
    assert np.abs(recording.joint_coordinates).max() < CLOSE
    angle = rate * recording.times
    expected = np.stack([place[0] * np.cos(angle), place[0] * np.sin(angle), 0 * angle + place[2]], axis=1)
    assert recording.position[:, 1] == pytest.approx(expected, abs=CLOSE)
