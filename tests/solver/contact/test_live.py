# SPDX-License-Identifier: GPL-3.0-or-later
"""Live runs with contact: a ball dragged through a stack, and the same again from the list of what was done."""

from __future__ import annotations

import numpy as np

from solver import simulate
from solver.live import LiveRun
from solver.mechanism import Box, Sphere
from tests.solver.contact.scenes import FRAME_RATE, meets_bodies, on_ground
from tests.solver.contact.solids import solid

CUBE = Box(half_size=(0.2, 0.2, 0.2))


@meets_bodies
def test_a_ball_dragged_through_a_stack_does_it_again():
    bodies = [solid(f"cube {k}", CUBE, (0, 0, 0.2 + 0.4 * k)) for k in range(3)]
    live = LiveRun(on_ground([*bodies, solid("ball", Sphere(radius=0.1), (1, 0, 0.1))], 0.5), FRAME_RATE)
    live.advance(6, 60.0)
    hand = live.grab("ball", (1, 0, 0.1), 200.0, 5.0)
    for frame in range(6, 30):
        live.drag(hand, (1.0 - 0.06 * (frame - 5), 0.0, 0.3))
        live.advance(frame + 1, 60.0)
    live.let_go(hand)
    live.advance(48, 60.0)
    recording, again = live.recording(), simulate(live.mechanism, 48 / FRAME_RATE, FRAME_RATE)
    assert recording.notes[0] == "integrator: impulse"
    assert np.abs(recording.position[-1, :3, 0]).max() > 0.1, "cubes were pushed"
    assert np.array_equal(again.position, recording.position)
    assert np.array_equal(again.joint_force, recording.joint_force)
