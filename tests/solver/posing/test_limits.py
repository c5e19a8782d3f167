# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of joints that are obeyed while bodies are pulled, in loops and in trees, and the joints that are named."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, Posing
from solver.mechanism import Body, Joint
from tests.solver.kinematics.planar import Planar, four_bar

LENGTHS, PASSED = (1.0, 3.5, 2.5, 4.0), 1e-6  # rad
HINGES = {"A crank": "AB", "D rocker": "DC"}


def limited(name: str, lower: float, upper: float) -> Planar:
    planar = four_bar(LENGTHS, 0.7, 1)
    (joint,) = (joint for joint in planar.mechanism.joints if joint.name == name)
    joint.limits = ((lower, upper),)
    return planar


def angle(planar: Planar, posing: Posing, name: str) -> float:
    """rad: of a hinge of the world, from where it is drawn."""
    a, b = HINGES[name]
    now, drawn = planar.points(posing), planar.drawn
    turns = [np.arctan2(*(points[b] - points[a])[::-1]) for points in (now, drawn)]
    return float((turns[0] - turns[1] + np.pi) % (2.0 * np.pi) - np.pi)


@pytest.mark.parametrize("name", HINGES)
@pytest.mark.parametrize("target", [(0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)])
def test_a_loop_stops_at_a_limit_which_is_named_and_comes_back(name: str, target) -> None:
    planar = limited(name, -0.2, 0.25)
    posing = Posing(planar.mechanism, with_limits=True)
    drawn = posing.poses()[0]
    pin = (*planar.drawn["B"], 0.0)
    pull = posing.pull("crank", pin, target)
    posing.approach(200)
    assert min(abs(angle(planar, posing, name) - bound) for bound in (-0.2, 0.25)) < 2.0 * PASSED
    assert posing.stopping() == [name]
    free = Posing(limited(name, -9.0, 9.0).mechanism, with_limits=True)
    free.pull("crank", pin, target)
    free.approach(200)
    assert free.distance() < posing.distance() - 0.05
    assert free.stopping() == []
    posing.lead(pull, pin)
    posing.approach(200)
    assert posing.stopping() == []
    assert np.abs(posing.poses()[0] - drawn).max() < 1e-4


def arm(limits: list) -> Mechanism:
    """Bars of 1 m along x with hinges about z; the first hangs on the world."""
    bodies = [Body(f"bar {i}", mass=1.0, inertia=(0.1,) * 3, position=(i + 0.5, 0, 0)) for i in range(len(limits))]
    joints = [
        Joint(f"hinge {i}", "revolute", bodies[i - 1].name if i else None, bodies[i].name, position=(i, 0, 0))
        for i in range(len(limits))
    ]
    for joint, pair in zip(joints, limits, strict=True):
        joint.limits = None if pair is None else (pair,)
    return Mechanism(bodies=bodies, joints=joints)


def bends(posing: Posing) -> np.ndarray:
    """rad: angles of the hinges."""
    turns = 2.0 * np.arctan2(posing.poses()[1][:, 3], posing.poses()[1][:, 0])
    return (np.diff(turns, prepend=0.0) + np.pi) % (2.0 * np.pi) - np.pi


def test_an_elbow_bends_one_way_only_and_the_others_make_up_for_it() -> None:
    """At its limit the elbow stays, and the shoulder and the wrist still bring the hand as near as they can."""
    posing = Posing(arm([None, (0.0, 2.6), (-0.5, 0.5)]), with_limits=True)
    pull = posing.pull("bar 2", (0.5, 0, 0), (2.3, 1.2, 0))
    posing.approach(100)
    for share in np.linspace(0.0, 1.0, 31):
        posing.lead(pull, (2.3 - 1.8 * share, 1.2 - 2.2 * share, 0.0))
        posing.approach(60)
        assert bends(posing)[1] > -PASSED
        assert np.abs(bends(posing)[2]) < 0.5 + PASSED
        assert posing.distance() < 1e-3


def test_a_straight_arm_that_is_pushed_along_itself_bends_the_way_it_may() -> None:
    posing = Posing(arm([None, (0.0, 2.6)]), with_limits=True)
    posing.pull("bar 1", (0.5, 0, 0), (1.0, 0.0, 0.0))
    posing.approach(200)
    assert posing.distance() < 1e-4
    assert bends(posing)[1] == pytest.approx(2.0 * np.pi / 3.0, abs=1e-3)


def test_what_is_drawn_beyond_its_limit_goes_no_farther_and_may_come_back() -> None:
    posing = Posing(arm([(-0.5, -0.1)]), with_limits=True)
    pull = posing.pull("bar 0", (0.5, 0, 0), (1.0, 1.0, 0.0))
    posing.approach(100)
    assert bends(posing)[0] == pytest.approx(0.0, abs=PASSED)
    assert posing.stopping() == ["hinge 0"]
    posing.lead(pull, (1.0, -0.3, 0.0))
    posing.approach(100)
    assert bends(posing)[0] == pytest.approx(-np.arctan(0.3), abs=1e-4)


def test_limits_count_only_where_they_are_asked_for() -> None:
    posing = Posing(arm([(-0.1, 0.1)]))
    posing.pull("bar 0", (0.5, 0, 0), (0.0, 1.0, 0.0))
    posing.approach(100)
    assert bends(posing)[0] == pytest.approx(0.5 * np.pi, abs=1e-3)
