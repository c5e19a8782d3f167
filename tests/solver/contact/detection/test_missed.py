# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairs that the collision engine misses: they are found if they touched before."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection import collision as adapter
from solver.contact.detection.collision import Collision
from solver.contact.detection.face_manifold import faces_of
from solver.contact.impulses.workspace import CONTACT
from solver.mechanism.bodies import Box
from solver.model.arrays import records
from tests.solver.contact.detection.placing import AT_ORIGIN, bodies_at, found, halved, part

pytestmark = pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable()))
CUBE = Box(half_size=(0.25, 0.25, 0.25))
# of the seventh and the eighth box of a stack after its second step, which is where this was seen
LOWER = (5.653202814280952e-13, 1.0438434736502292e-12, 3.25), (3.7969610514480972e-13, -2.0490924266554946e-13, 0.0)
UPPER = (6.676911933323235e-13, 1.2335318141259757e-12, 3.75), (3.7959251437853620e-13, -2.0484223638121383e-13, 0.0)


def points_between(lower, upper, touched: int, reach: float = 1e-3):
    bodies = bodies_at(AT_ORIGIN, lower, upper)
    parts = [part(1, CUBE), part(2, CUBE)]
    search, contacts = Collision(parts, 1, set(), faces_of(parts)), records(1, CONTACT)
    contacts.part[0] = 0, 1
    return found(lambda points, first: search.find(bodies, halved(reach, bodies), points, first, contacts, touched), 2)


def test_faces_that_lie_on_each_other_to_the_last_digit_are_found():
    points = points_between(LOWER, UPPER, touched=1)
    assert len(points) == 4
    for point in points:
        assert point.gap == pytest.approx(0.0, abs=1e-12)
        np.testing.assert_allclose(point.normal, (0.0, 0.0, 1.0), atol=1e-12)
        np.testing.assert_allclose(np.abs(point.position[:2]), 0.25, atol=1e-12)


def test_what_has_gone_is_not_found():
    away = (UPPER[0][0], UPPER[0][1], 3.76), UPPER[1]
    assert points_between(LOWER, away, touched=1) == []


@pytest.mark.parametrize("seed", range(3))
def test_what_is_named_is_not_added_again(seed):
    turn = Rotation.from_rotvec(np.random.default_rng(seed).normal(0.0, 1e-4, 3))
    above = (0.01, -0.02, 3.75), turn
    assert len(points_between(LOWER, above, touched=1)) == len(points_between(LOWER, above, touched=0))
