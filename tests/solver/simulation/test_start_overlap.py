# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that start in each other are named with the depth, by soft contact as by impulses."""

from __future__ import annotations

import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Contact, Ground, Sphere

RADIUS = 0.2


def two_balls(gap: float, height: float = 1.0) -> Mechanism:
    """One above the other, their surfaces so far apart (m); the lower one's middle at a height (m)."""
    places = (0.0, 0.0, height), (0.0, 0.0, height + 2.0 * RADIUS + gap)
    bodies = [
        Body(name, mass=1.0, inertia=(0.016,) * 3, position=place, shape=Sphere(radius=RADIUS))
        for name, place in zip(("low", "high"), places, strict=True)
    ]
    return Mechanism(bodies=bodies, contact=Contact(ground=Ground()))


def notes(mechanism: Mechanism, integrator: str) -> list[str]:
    recording = simulate(mechanism, 0.02, 100.0, integrator=integrator)
    return [str(note) for note in recording.notes if "overlap" in str(note)]


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_balls_that_start_in_each_other_are_named(integrator):
    (said,) = notes(two_balls(-0.1), integrator)
    assert "'low' and 'high'" in said or "'high' and 'low'" in said
    assert "by 0.1 m at the start, 25 % of the thinner one" in said
    assert "move one of them" in said


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_so_is_the_ground(integrator):
    (said,) = notes(two_balls(1.0, height=0.1), integrator)
    assert "'low'" in said
    assert "the ground" in said
    assert "by 0.1 m at the start" in said


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
@pytest.mark.parametrize("gap", [0.1, 0.0, -0.001])
def test_what_touches_is_not(gap, integrator):
    assert notes(two_balls(gap), integrator) == []
