# SPDX-License-Identifier: GPL-3.0-or-later
"""The same scene from a centimetre to a hundred metres: lengths scale, times as their square roots."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, Recording
from solver.mechanism import Box, Capsule, Cylinder, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.scenes import FRAME_RATE, meets_bodies, on_ground, run, stack, turned
from tests.solver.contact.solids import solid

SIZES = (0.01, 0.1, 10.0, 100.0)


def thrown(size: float, restitution: float) -> Mechanism:
    """A box that lands on a corner, a ball that bounces off, a capsule and a can that tumble; far apart."""
    s, v, w = size, np.sqrt(size), 1.0 / np.sqrt(size)
    askew = turned((0.6, 0.64, 0.48), 0.7)
    bodies = [
        solid("box", Box(half_size=(0.3 * s, 0.2 * s, 0.1 * s)), (0, 0, 0.8 * s), s**3, orientation=askew),
        solid("ball", Sphere(radius=0.2 * s), (5 * s, 0, s), s**3, linear_velocity=(2 * v, 0, 0)),
        solid("rod", Capsule(radius=0.1 * s, half_length=0.3 * s), (0, 5 * s, 0.8 * s), s**3, orientation=askew),
        solid("can", Cylinder(radius=0.2 * s, half_length=0.3 * s), (5 * s, 5 * s, 0.8 * s), s**3, orientation=askew),
    ]
    bodies[2].angular_velocity = (0.0, 3.0 * w, 0.0)
    return on_ground(bodies, 0.5, restitution)


def run_scaled(mechanism: Mechanism, size: float, duration: float, rate: float = FRAME_RATE) -> Recording:
    return run(mechanism, duration * np.sqrt(size), rate / np.sqrt(size), substeps=20)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_the_same_motion_at_any_size(size, restitution):
    """Until errors have grown: bodies that tumble are not followed for ever."""
    unit, other = (run_scaled(thrown(s, restitution), s, 0.8) for s in (1.0, size))
    assert other.position / size == pytest.approx(unit.position, abs=5e-3)


@pytest.mark.parametrize("size", SIZES)
def test_all_come_to_rest_at_any_size(size):
    mechanism = thrown(size, 0.2)
    mechanism.bodies[1].linear_velocity = (0.0, 0.0, 0.0)
    recording = run_scaled(mechanism, size, 6.0)
    assert gauges.sinking(mechanism, recording) < 3e-3 * size
    heights = recording.position[recording.times > 5.0 * np.sqrt(size), :, 2]
    assert np.ptp(heights, axis=0).max() < 1e-3 * size


@meets_bodies
@pytest.mark.parametrize("size", [0.01, 0.1, 1.0, 10.0, 100.0])
def test_a_stack_stands_at_any_size(size):
    cube = Box(half_size=(0.5 * size,) * 3)
    mechanism = on_ground(stack([cube] * 5, [1000.0 * size**3] * 5), 0.5)
    recording = run_scaled(mechanism, size, 3.0)
    assert gauges.strayed(recording) < 2e-3 * size
    assert gauges.fastest(recording, since=2.0 * np.sqrt(size)) < 1e-3 * np.sqrt(size)
    assert max(gauges.overlap(mechanism, recording, frame) for frame in (0, 36, 72)) < 5e-3 * size


@meets_bodies
@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_pile_settles_at_any_size(size):
    cube, bodies = Box(half_size=(0.2 * size,) * 3), []
    for k in range(4):
        place = (0.1 * size * (k % 2), 0.0, size * (0.25 + 0.45 * k))
        bodies.append(solid(f"cube {k}", cube, place, size**3, orientation=turned((0, 0, 1), 0.3 * k)))
    mechanism = on_ground(bodies, 0.6)
    recording = run_scaled(mechanism, size, 4.0)
    assert gauges.fastest(recording, since=3.5 * np.sqrt(size)) < 1e-3 * np.sqrt(size)
    assert max(gauges.overlap(mechanism, recording, frame) for frame in range(0, 96, 6)) < 2e-3 * size
    assert gauges.sinking(mechanism, recording) < 2e-3 * size
