# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that stick: which contacts can hold a body, and which only seem to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.impulses.sticking import invert_symmetric
from solver.spatial import tangents


def squares_of(places: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(6, 6): J^T J of contacts at places about the origin, each along a normal and two tangents."""
    rows = [
        np.concatenate((np.cross(place, way), way))
        for place in places
        for way in (normal, *map(np.array, tangents(normal)))
    ]
    return np.transpose(rows) @ rows


@pytest.mark.fallback
@pytest.mark.parametrize("tilt", [0.0, 1e-7, 1e-6, 3e-5, 1e-3, 0.3])
def test_two_contacts_hold_no_body_that_turns_about_their_line(tilt):
    """However nearly their line lies along an axis: its pivot is the last, and nothing but rounding."""
    turn = Rotation.from_rotvec((tilt, 0.7 * tilt, -0.4 * tilt))
    places = turn.apply([(0.0, 0.0, -0.5), (3e-5, 0.5, -0.5)])
    assert not invert_symmetric(squares_of(places, turn.apply((1.0, 0.0, 0.0))), np.zeros((6, 6)), 1e-6)


@pytest.mark.fallback
@pytest.mark.parametrize("seed", range(10))
def test_three_contacts_hold_it(seed):
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=3)
    squares = squares_of(rng.normal(size=(3, 3)), normal / np.linalg.norm(normal))
    inverse = np.zeros((6, 6))
    assert invert_symmetric(squares, inverse, 1e-6)
    np.testing.assert_allclose(inverse @ squares, np.eye(6), atol=1e-9)
