# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs of ball joints jump at a half turn; that is said, with the joint and the time."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, Recording, SimulationFailed, simulate
from solver.mechanism import Body, Joint

pytestmark = pytest.mark.fallback


def spun(speed: float, stiffness: float) -> Mechanism:
    """A body on a ball joint with a spring, which turns about x (rad/s)."""
    joint = Joint("ball", "spherical", None, "body", (0, 0, 0), stiffness=(stiffness,) * 3, speeds=(speed, 0, 0))
    return Mechanism(gravity=(0.0, 0.0, 0.0), bodies=[Body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))], joints=[joint])


def motion(mechanism: Mechanism, integrator: str) -> Recording:
    """Up to its end, or to where it stops."""
    try:
        return simulate(mechanism, 1.0, 50.0, integrator=integrator)
    except SimulationFailed as failed:
        return failed.recording


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_spring_that_passes_a_half_turn_is_named(integrator):
    """At 8 rad/s the energy is 3.2 J, and at a half turn the spring has 0.49 J: 2.99 J are left to turn by."""
    recording = motion(spun(8.0, 0.1), integrator)
    (note,) = [note for note in recording.notes if note.code == "half-turn"]
    assert note.parts == (("joint", "ball"),)
    # between the time without the spring and that at the speed which is left
    assert np.pi / 8.0 < float(note.values["time"]) < np.pi / np.sqrt(2.0 * 2.7 / 0.1) + 0.02


@pytest.mark.parametrize(("speed", "stiffness"), [(8.0, 0.0), (2.0, 0.1)])
def test_what_has_no_spring_or_stays_below_is_not(speed, stiffness):
    notes = motion(spun(speed, stiffness), "adams").notes
    assert not [note for note in notes if note.code == "half-turn"]
