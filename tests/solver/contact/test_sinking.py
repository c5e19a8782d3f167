# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds at which contacts would sink in as bodies turn, beside the second difference of their gaps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection.points import POINT
from solver.contact.impulses.approach import fastest_sinking, first_unseen
from solver.contact.impulses.workspace import CONTACT, COUNTS
from solver.model.arrays import MOVING_BODY, records


class Pair:
    """Two bodies, 0.1 m thick, and one contact between them at the origin, its normal the first one's face."""

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.bodies = records(2, MOVING_BODY)
        for body in self.bodies:
            body.center, body.angular, body.linear = rng.normal(size=(3, 3))
        self.contacts, self.points = records(1, CONTACT), records(1, POINT)
        self.normal = Rotation.random(random_state=seed).apply([0.0, 0.0, 1.0])
        for each in (self.contacts[0], self.points[0]):
            each.body, each.part, each.normal = (0, 1), (0, 1), self.normal
        self.counts = records(1, COUNTS)
        self.counts[0].contacts = self.counts[0].points = 1
        self.thickness, self.is_round = np.full(2, 0.1), np.zeros(2, bool)

    def gap(self, time: float, face: int) -> float:
        """m: of a corner of one body above a face of the other, both of which move evenly and meet at time 0."""
        turned = [Rotation.from_rotvec(time * body.angular) for body in self.bodies]
        now = [
            body.center + time * body.linear + turn.apply(-body.center)
            for body, turn in zip(self.bodies, turned, strict=True)
        ]
        return turned[face].apply(self.normal) @ (now[1] - now[0])


def sinking(pair: Pair) -> float:
    scratch = type("Scratch", (), {"bodies": pair.bodies})
    return 0.1 * fastest_sinking(scratch, pair)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_the_second_derivative_of_the_gap(seed):
    pair, h = Pair(seed), 1e-3
    seconds = [(pair.gap(h, face) + pair.gap(-h, face) - 2.0 * pair.gap(0.0, face)) / h**2 for face in range(2)]
    assert sinking(pair) == pytest.approx(max(0.0, -min(seconds)), abs=1e-4)


def test_what_is_round_does_not_sink_by_rolling():
    pair = Pair(0)
    pair.is_round[:] = True
    assert sinking(pair) == 0.0


def test_what_is_apart_does_not_sink():
    pair = Pair(0)
    pair.contacts[0].gap = 0.01
    assert sinking(pair) == 0.0


@pytest.mark.parametrize("speed", [1.0, 30.0])
def test_what_came_unseen_arrives_when_its_gap_was_none(speed):
    pair, h = Pair(0), 0.1 / speed
    for body in pair.bodies:
        body.angular, body.linear = 0.0, 0.0
    pair.bodies[1].linear = -speed * pair.normal
    pair.points[0].gap = -0.025
    scratch = type("Scratch", (), {"bodies": pair.bodies})
    began = np.zeros((2, 6))
    began[1, 3:] = pair.bodies[1].linear
    assert first_unseen(scratch, pair, began, h) == pytest.approx(0.75)
    pair.points[0].gap = -0.1  # touched when the step began
    assert first_unseen(scratch, pair, began, h) == 1.0
