# SPDX-License-Identifier: GPL-3.0-or-later
"""Limp and tense: limp chains give way near the hand, tense ones bend alike everywhere, or move as a whole."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Posing
from solver.mechanism import Body, Joint, Mechanism
from solver.posing.posing import MOST_WITH_LIMITS

UPRIGHT = (0.5**0.5, 0.5**0.5, 0.0, 0.0)  # the axis of a hinge is Y


def rods(count: int, is_held: bool = True) -> Mechanism:
    """Hinged bars 1 m long, a tenth as heavy towards the end; the first on the world, or on nothing."""
    bodies = [
        Body(f"rod {i}", mass=10.0 if i < count // 2 else 1.0, inertia=(0.01, 0.1, 0.1), position=(i + 0.5, 0.0, 0.0))
        for i in range(count)
    ]
    joints = [
        Joint(f"joint {i}", "revolute", f"rod {i - 1}" if i else None, f"rod {i}", position=(float(i), 0.0, 0.0))
        for i in range(0 if is_held else 1, count)
    ]
    for joint in joints:
        joint.orientation = UPRIGHT
    return Mechanism(bodies=bodies, joints=joints)


def angles(posing: Posing) -> np.ndarray:
    """rad: of all bars about Y."""
    orientations = posing.poses()[1]
    return -2.0 * np.arctan2(orientations[:, 2], orientations[:, 0])


def pulled(mechanism: Mechanism, tense: float, by: float, ticks: int = 1) -> np.ndarray:
    """Angles after the last bar's end was pulled up by so much (m)."""
    posing, count = Posing(mechanism, with_limits=True), len(mechanism.bodies)
    posing.set_tense(tense)
    pull = posing.pull(f"rod {count - 1}", (0.5, 0.0, 0.0), (float(count), 0.0, 0.0))
    for share in np.linspace(1.0 / ticks, 1.0, ticks):
        posing.lead(pull, (float(count), 0.0, share * by))
        posing.approach(1 if ticks == 1 else 20)
    assert posing.distance() < 2e-3 * abs(by)
    return angles(posing)


def test_the_tensest_chain_bends_at_each_joint_as_its_lever_is_long() -> None:
    """The least sum of squares of angles that leads the end up by d has them in proportion to their levers."""
    bends = np.diff(pulled(rods(6), 1.0, 1e-3), prepend=0.0)
    levers = np.arange(6, 0, -1.0)
    assert bends == pytest.approx(levers * 1e-3 / (levers @ levers), rel=0.02)


def test_a_limp_chain_bends_where_it_is_light() -> None:
    limp, tense = (np.abs(np.diff(pulled(rods(6), each, 1e-3), prepend=0.0)) for each in (0.0, 1.0))
    assert limp[:3].sum() < 0.2 * limp[3:].sum()
    assert tense[:3].sum() > tense[3:].sum()


def test_what_floats_moves_as_a_whole_when_tense() -> None:
    bent = [float(np.ptp(pulled(rods(6, is_held=False), each, 1.0, 10))) for each in (0.0, 0.5, 0.9, 1.0)]
    assert bent == sorted(bent, reverse=True)
    assert bent[0] > 0.3
    assert bent[-1] < 0.01


def test_it_may_be_changed_on_the_way_and_the_pose_stays() -> None:
    posing = Posing(rods(6))
    posing.pull("rod 5", (0.5, 0.0, 0.0), (4.0, 0.0, 2.0))
    posing.approach(100)
    before = posing.poses()
    for tense in (0.7, 0.2, 0.0, 1.0):
        posing.set_tense(tense)
        for now, then in zip(posing.poses(), before, strict=True):
            assert np.abs(now - then).max() < 1e-12
    posing.pull("rod 5", (0.5, 0.0, 0.0), (4.5, 0.0, 1.0))
    posing.approach(200)
    assert posing.distance() < 1e-3


def test_a_large_tree_stays_limp_and_it_is_known() -> None:
    posing = Posing(rods(MOST_WITH_LIMITS + 1))
    assert not posing.stays_limp("rod 0")
    posing.set_tense(0.5)
    assert posing.stays_limp("rod 0")


@pytest.mark.parametrize("tense", [-0.1, 1.1, float("nan")])
def test_what_is_no_share_is_refused(tense: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        Posing(rods(2)).set_tense(tense)
