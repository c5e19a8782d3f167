# SPDX-License-Identifier: GPL-3.0-or-later
"""Coins and tops on the ground."""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import Cylinder, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.scenes import on_ground, run, turned
from tests.solver.contact.solids import solid
from tests.truths.coins import SpinningCoin, TippeTop, jellett


def coin_at(truth: SpinningCoin):
    shape = Cylinder(radius=truth.radius, half_length=truth.half_thickness)
    return solid("coin", shape, (0, 0, truth.height), orientation=turned((0, 1, 0), truth.tilt),
                 angular_velocity=truth.angular_velocity(0.0))  # fmt: skip


@pytest.mark.parametrize("truth", [SpinningCoin(0.1, 0.01, 0.5), SpinningCoin(0.1, 0.01, 0.9)])
def test_a_coin_rolls_around_as_fast_as_it_should(truth):
    mechanism = on_ground([coin_at(truth)], 0.8)
    round_trip = 2.0 * np.pi / truth.precession
    recording = run(mechanism, 2.0 * round_trip, frame_rate=240.0, substeps=10)
    axis = gauges.turns(recording, 0)[:, :, 2]
    phase = np.unwrap(np.arctan2(axis[:, 1], axis[:, 0]))
    assert phase[-1] == pytest.approx(4.0 * np.pi * recording.times[-1] / (2.0 * round_trip), rel=0.03)
    assert np.arccos(axis[:, 2]) == pytest.approx(truth.tilt, abs=0.05)
    assert np.abs(recording.position[:, 0, :2]).max() < 0.1 * truth.radius
    assert gauges.sinking(mechanism, recording) < 1e-3


def test_a_coin_that_was_spun_upright_goes_on_spinning():
    """Nothing brakes a spin about the point that touches; the fast spin holds the coin up."""
    lean = 1.5
    coin = solid("coin", Cylinder(radius=0.1, half_length=0.01),
                 (0.0, 0.0, 0.1 * np.sin(lean) + 0.01 * np.cos(lean)), orientation=turned((0, 1, 0), lean),
                 angular_velocity=(0.0, 0.0, 20.0))  # fmt: skip
    mechanism = on_ground([coin], 0.5)
    recording = run(mechanism, 4.0)
    assert np.abs(gauges.turns(recording, 0)[:, 2, 2]).max() < 0.3
    assert recording.angular_velocity[-1, 0, 2] > 18.0
    assert gauges.sinking(mechanism, recording) < 1e-3
    energy = gauges.energy(mechanism, recording)
    assert energy.max() < 1.001 * energy[0]


def test_a_coin_that_is_let_go_askew_lies_flat_in_the_end():
    coin = solid("coin", Cylinder(radius=0.1, half_length=0.01), (0, 0, 0.15), orientation=turned((0.6, 0.8, 0), 0.5))
    mechanism = on_ground([coin], 0.5)
    recording = run(mechanism, 4.0)
    assert abs(gauges.turns(recording, 0)[-1, 2, 2]) > np.cos(0.01)
    assert gauges.fastest(recording, since=3.0) < 1e-3
    assert recording.position[-1, 0, 2] == pytest.approx(0.01, abs=1e-3)


TOP = TippeTop(0.1, 0.02, 0.004)


def spun(spin: float, lean: float = 0.1):
    """The top of 1 kg with its weight down, its middle at rest."""
    direction = np.array([np.sin(lean), 0.0, np.cos(lean)])
    turn = np.array([0.0, 0.0, spin])
    shape = Sphere(radius=TOP.radius, position=(0, 0, TOP.offset))
    ball = solid("top", Sphere(radius=TOP.radius), np.array([0.0, 0.0, TOP.radius]) - TOP.offset * direction,
                 orientation=turned((0, 1, 0), lean), angular_velocity=turn,
                 linear_velocity=np.cross(turn, -TOP.offset * direction))  # fmt: skip
    ball.shape, ball.inertia = shape, (TOP.moment,) * 3
    return on_ground([ball], 0.5)


def test_a_tippe_top_turns_over():
    mechanism = spun(3.0 * TOP.enough_spin)
    recording = run(mechanism, 3.0, frame_rate=48.0, substeps=40)
    axis = gauges.turns(recording, 0)[:, :, 2]
    lean = np.arccos(np.clip(axis[:, 2], -1.0, 1.0))
    assert lean[0] == pytest.approx(0.1, abs=1e-6)
    assert lean[-1] > 2.6  # on its head, but for a little nodding
    w = recording.angular_velocity[:, 0]
    arms = TOP.offset * axis - [0.0, 0.0, TOP.radius]
    constant = np.array([jellett(TOP.moment * w[k], arms[k]) for k in range(len(w))])
    assert constant == pytest.approx(constant[0], rel=0.05)
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-3 * energy[0]


def test_a_slow_tippe_top_does_not():
    recording = run(spun(0.3 * TOP.enough_spin), 3.0, frame_rate=48.0, substeps=40)
    lean = np.arccos(gauges.turns(recording, 0)[:, 2, 2])
    assert lean.max() < 0.3
