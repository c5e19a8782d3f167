# SPDX-License-Identifier: GPL-3.0-or-later
"""A constraint between two frames needs no more than its record: rows, Snap Together and re-basing follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from solver import Assembly, simulate
from solver.assembly import rotations
from solver.mechanism import Body, Mechanism, PointToPoint

TILT = (np.cos(0.3), np.sin(0.3), 0.0, 0.0)
NORMAL = np.array([0.0, -np.sin(0.6), np.cos(0.6)])
POINT = (0.2, 0.0, 0.0)


@dataclass(kw_only=True)
class InPlane(PointToPoint):
    """The point of body_a stays in the plane through point_b across NORMAL."""

    locked_travels: ClassVar = (2,)

    @property
    def sides(self):
        return (self.point_b, TILT), (self.point_a, TILT)


def held(gap: float = 0.0) -> Mechanism:
    body = Body(name="a", mass=1.0, inertia=(1.0, 1.2, 0.9))
    there = tuple(np.array(POINT) + gap * NORMAL)
    part = InPlane(name="plane", body_a="a", point_a=POINT, point_b=there)
    return Mechanism(bodies=[body], constraints=[part])


def off(position: np.ndarray, orientation: np.ndarray) -> float:
    return (position + rotations.rotate(orientation, np.array(POINT)) - np.array(POINT)) @ NORMAL


@pytest.mark.fallback
@pytest.mark.parametrize("method", ["recursive", "lagrange", "composite"])
def test_its_rows_hold(method):
    recording = simulate(held(), duration=0.2, method=method)
    position, orientation = recording.position[-1, 0], recording.orientation[-1, 0]
    assert np.linalg.norm(position) > 0.05
    assert abs(off(position, orientation)) < 1e-9


@pytest.mark.fallback
def test_snap_together_closes_it_and_goes_no_other_way():
    assembly = Assembly(held(0.1))
    for _ in assembly.run():
        pass
    assert assembly.open == []
    assert off(*assembly.poses["a"]) == pytest.approx(0.1, abs=1e-9)
    (part,) = assembly.mechanism.constraints
    assert (np.subtract(part.point_a, part.point_b) @ NORMAL) == pytest.approx(0.0, abs=1e-9)
    assert np.linalg.norm(np.subtract(part.point_b, np.array(POINT) + 0.1 * NORMAL)) < 1e-12, "the world's side stays"
