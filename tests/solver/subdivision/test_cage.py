# SPDX-License-Identifier: GPL-3.0-or-later
"""One refinement of semi-sharp edges and vertices, by masks worked out by hand (DeRose, Kass and Truong 1998)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver.subdivision.cage import Cage, refined
from tests.solver.surfaces.cages import net

NET = net()
POINTS = np.array(NET.points)
MIDDLE, SOUTH, EAST, NORTH, WEST = 12, 11, 17, 13, 7  # a vertex of four faces, and those around it
SMOOTH = 9 / 16 * POINTS[12] + 3 / 32 * POINTS[[11, 17, 13, 7]].sum(axis=0) + POINTS[[6, 16, 18, 8]].sum(axis=0) / 64
EDGE = 3 / 8 * (POINTS[12] + POINTS[13]) + POINTS[[7, 8, 17, 18]].sum(axis=0) / 16


def crease(a: int, b: int) -> np.ndarray:
    return 0.75 * POINTS[MIDDLE] + 0.125 * (POINTS[a] + POINTS[b])


@pytest.mark.parametrize(
    ("sharp", "corners", "expected"),
    [
        ({}, {}, SMOOTH),
        ({(SOUTH, MIDDLE): 5.0}, {}, SMOOTH),  # a single one ends there
        ({(SOUTH, MIDDLE): 1.5, (MIDDLE, NORTH): 3.0}, {}, crease(SOUTH, NORTH)),
        ({(SOUTH, MIDDLE): 0.5, (MIDDLE, NORTH): 0.5}, {}, 0.5 * crease(SOUTH, NORTH) + 0.5 * SMOOTH),
        ({(SOUTH, MIDDLE): 0.2, (MIDDLE, NORTH): 0.8}, {}, 0.5 * crease(SOUTH, NORTH) + 0.5 * SMOOTH),
        ({(SOUTH, MIDDLE): 0.2, (MIDDLE, NORTH): 3.0}, {}, 0.2 * crease(SOUTH, NORTH) + 0.8 * SMOOTH),
        ({(SOUTH, MIDDLE): 0.2, (MIDDLE, NORTH): 3.0, (MIDDLE, EAST): 2.0}, {},
         0.2 * POINTS[MIDDLE] + 0.8 * crease(EAST, NORTH)),
        ({}, {MIDDLE: 0.3}, 0.3 * POINTS[MIDDLE] + 0.7 * SMOOTH),
        ({(SOUTH, MIDDLE): math.inf, (MIDDLE, NORTH): 10.0}, {MIDDLE: 0.3},
         0.3 * POINTS[MIDDLE] + 0.7 * crease(SOUTH, NORTH)),
        ({}, {MIDDLE: 1.3}, POINTS[MIDDLE]),
    ],
)  # fmt: skip
def test_a_vertex_goes_by_its_rule_and_the_next_one(sharp, corners, expected):
    cage, points = refined(Cage(NET.faces, sharp, corners), POINTS)
    assert np.allclose(points[MIDDLE], expected, rtol=0, atol=1e-15)


@pytest.mark.parametrize("sharpness", [0.0, 0.25, 1.0, 3.0, 10.0])
def test_an_edge_is_sharp_in_part(sharpness):
    cage, points = refined(Cage(NET.faces, {(MIDDLE, NORTH): sharpness}), POINTS)
    part = min(sharpness, 1.0)
    expected = part * 0.5 * (POINTS[MIDDLE] + POINTS[NORTH]) + (1.0 - part) * EDGE
    assert np.allclose(points[_child(cage)], expected, rtol=0, atol=1e-15)


def test_sharpness_is_spent_until_none_is_left():
    cage, points = Cage(NET.faces, {(MIDDLE, NORTH): 2.3, (SOUTH, MIDDLE): 10.0}, {EAST: 1.2}), POINTS
    left = []
    for _ in range(3):
        cage, points = refined(cage, points)
        left.append((sorted(set(cage.semi_sharp.values())), list(cage.semi_corners.values())))
    assert [edges for edges, _ in left] == [[pytest.approx(1.3)], [pytest.approx(0.3)], []]
    assert [corners for _, corners in left] == [[pytest.approx(0.2)], [], []]
    assert len(cage.sharp - cage.border) == 8, "what is sharp for ever stays so"


def _child(cage: Cage) -> int:
    """The vertex in the middle of the edge from MIDDLE to NORTH."""
    (found,) = {b for a, b in cage.face_of if a == MIDDLE} & {b for a, b in cage.face_of if a == NORTH}
    return found
