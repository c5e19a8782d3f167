# SPDX-License-Identifier: GPL-3.0-or-later
"""The tensegrity of the thesis (Schroeder 1990, 7.2): five sticks that fifteen rubbers draw together, as printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Script, simulate
from solver.mechanism import Rubber
from tests.truths.tensegrity import Sticks

LISTING = Path(__file__).resolve().parents[3] / "examples" / "tensegrity.ves"
THESIS_EVALUATIONS = 23337  # for 8 s, relative 1e-6, absolute 1e-7


def in_body(mechanism, name: str, point) -> np.ndarray:
    body = next(body for body in mechanism.bodies if body.name == name)
    return turn_of(np.array([body.orientation])).inv().apply(np.array(point) - body.position)[0]


def turn_of(quaternions: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.roll(quaternions, -1, axis=-1))


@pytest.fixture(scope="module")
def mechanism():
    return Script.load(LISTING).mechanism


@pytest.fixture(scope="module")
def sticks(mechanism) -> Sticks:
    names = [body.name for body in mechanism.bodies]
    rubbers = [force for force in mechanism.forces if isinstance(force, Rubber)]
    assert len(rubbers) == 15
    return Sticks(
        ends=np.array([(names.index(r.body_a), names.index(r.body_b)) for r in rubbers]),
        points=np.array([
            (in_body(mechanism, r.body_a, r.point_a), in_body(mechanism, r.body_b, r.point_b)) for r in rubbers
        ]),
        stiffness=20.0,
        rest=4.0,
    )  # fmt: skip


def test_it_takes_fewer_evaluations_than_the_thesis(mechanism):
    recording = simulate(mechanism, 8.0, 24.0, relative=1e-6, absolute=1e-7)
    assert recording.evaluations < THESIS_EVALUATIONS
    assert np.abs(recording.linear_velocity[-1]).max() < 0.05


def test_it_comes_to_rest_where_forces_balance_and_energy_is_least(mechanism, sticks):
    recording = simulate(mechanism, 60.0, 1.0, relative=1e-6, absolute=1e-7)
    position, turn = recording.position[-1], turn_of(recording.orientation[-1])
    force, moment = sticks.forces(position, turn)
    assert np.abs(force).max() < 1e-6
    assert np.abs(moment).max() < 1e-6
    assert recording.potential_energy[-1] == pytest.approx(sticks.energy(position, turn), rel=1e-9)
    best, best_turn = sticks.nearest_balance(position, turn)
    assert np.abs(best - position).max() < 1e-3
    assert np.abs((best_turn * turn.inv()).as_rotvec()).max() < 1e-3
    # and it is a balance that holds: shaken, it has more energy everywhere but along motions as a whole
    rng = np.random.default_rng(1)
    for _ in range(20):
        shaken = position + 0.01 * rng.standard_normal(position.shape)
        assert sticks.energy(shaken, turn) >= sticks.energy(best, best_turn) - 1e-9


def test_the_structure_stands_at_the_same_place_whatever_the_tolerance(mechanism):
    coarse, fine = (simulate(mechanism, 60.0, 1.0, relative=r).position[-1] for r in (1e-6, 1e-9))
    assert coarse == pytest.approx(fine, abs=1e-3)
