# SPDX-License-Identifier: GPL-3.0-or-later
"""What keyed bodies push into a place where it has no room: no forces can balance, and nothing may come of that."""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import Body, Box, Joint, JointMotor, Keys, Sphere
from tests.solver.contact.scenes import meets_bodies, on_ground, run
from tests.solver.contact.solids import fixed, solid

SQUEEZED = {
    "a box": [(Box(half_size=(0.08, 0.08, 0.08)), (0.0, 0.0, 0.085))],
    "two boxes": [(Box(half_size=(0.045, 0.08, 0.08)), (side * 0.05, 0.02 * (side > 0), 0.085)) for side in (-1, 1)],
    "balls": [(Sphere(radius=0.04), place) for place in ((-0.05, 0, 0.045), (0.05, 0, 0.045), (0, 0, 0.13))],
}


@meets_bodies
@pytest.mark.parametrize("substeps", [5, 20])
@pytest.mark.parametrize("what", SQUEEZED)
@pytest.mark.parametrize("seed", range(2))
def test_what_has_no_room_between_plates_does_not_fly_away(seed, what, substeps):
    """Plates close to less than what is between them is wide: nothing can balance, and nothing must explode."""
    rng, times, bodies = np.random.default_rng(seed), np.linspace(0.0, 1.0, 11), []
    for side in (-1, 1):
        places = [(side * (0.16 - 0.06 * min(t, 0.6)), 0.0, 0.5) for t in times]
        keys = Keys(times, places, [(1.0, 0.0, 0.0, 0.0)] * 11)
        bodies.append(fixed(f"plate {side}", Box(half_size=(0.05, 0.4, 0.5)), motion="keyed", keys=keys))
    for k, (shape, place) in enumerate(SQUEEZED[what]):
        turn = np.array([1.0, 0.0, 0.0, 0.0]) + 0.02 * rng.normal(size=4)
        bodies.append(solid(f"{k}", shape, place, orientation=turn / np.linalg.norm(turn)))
    recording = run(on_ground(bodies, 0.6), 1.0, substeps=substeps)
    squeezed = [k for k, name in enumerate(recording.body_names) if "plate" not in name]
    assert np.linalg.norm(recording.linear_velocity[:, squeezed], axis=-1).max() < 4.0
    assert np.abs(recording.position[-1, squeezed]).max() < 0.3
    (note,) = (note for note in recording.notes if "overlap by up to" in note)
    assert any(f"'{name}'" in note for name in recording.body_names)


@meets_bodies
@pytest.mark.parametrize("substeps", [5, 10, 20])
def test_what_a_motor_without_maximum_presses_on_the_ground_does_not_fly_away(substeps):
    """It keeps its speed whatever that takes, though nothing moves that is driven."""
    box = Box(half_size=(0.2, 0.2, 0.1))
    bodies = [
        Body(name, mass=1.0, inertia=(0.02, 0.02, 0.03), position=(0.0, 0.0, height), shape=box)
        for name, height in (("lower", 0.1), ("upper", 0.3), ("ram", 0.75))
    ]
    motor = JointMotor("speed", target=-0.5)
    slide = Joint("slide", "prismatic", None, "ram", (0.0, 0.0, 0.75), motor=motor)
    recording = run(on_ground(bodies, 0.5, joints=[slide]), 2.0, substeps=substeps)
    assert np.linalg.norm(recording.linear_velocity[:, :2], axis=2).max() < 5.0
