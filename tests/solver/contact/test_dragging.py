# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand that drags a light ball through twelve boxes, slowly and fast: no run stops, and all stays finite."""

from __future__ import annotations

import numpy as np
import pytest

from solver import LiveRun, Mechanism
from solver.mechanism import Box, Sphere
from tests.solver.contact.scenes import FRAME_RATE, meets_bodies, on_ground
from tests.solver.contact.solids import solid

SIZE, SPACING, WEIGHT = 0.5, 0.52, 10.0  # m, m and kg: of boxes, and from column to column
RADIUS, MASS, START = 0.2, 1.0, 1.6  # m, kg and m: of the ball, in front of the boxes
SAG = 0.05  # of the ball's diameter, by which it hangs below the hand: the grip of Play
SPEEDS = (0.5, 1.0, 2.0, 4.0, 6.0, 10.0, 15.0, 20.0)  # m/s
TURN, HEIGHT = 4.0, 0.3  # m: where the hand turns back, and how high it is
GRABBED, LET_GO, END = 3, 60, 66  # frames


def twelve_boxes(seed: int) -> Mechanism:
    """Three columns of four boxes, one behind the other, as well piled up as by hand, and the ball in front of them."""
    rng, bodies = np.random.default_rng(seed), []
    for column in range(3):
        for k in range(4):
            place = SPACING * (column - 1) + rng.uniform(-0.005, 0.005), rng.uniform(-0.02, 0.02), SIZE * (k + 0.5)
            bodies.append(solid(f"box {column} {k}", Box(half_size=3 * (0.5 * SIZE,)), place, WEIGHT))
    bodies.append(solid("ball", Sphere(radius=RADIUS), (START, rng.uniform(-0.3, 0.3), RADIUS), MASS))
    return on_ground(bodies, 0.5, float(rng.choice([0.0, 0.3])))


@meets_bodies
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("speed", SPEEDS)
def test_a_ball_is_dragged_through_twelve_boxes_and_no_run_stops(speed, seed):
    """To and fro at a constant speed, on a critically damped spring."""
    live = LiveRun(twelve_boxes(seed), FRAME_RATE)
    assert live.advance(GRABBED, np.inf)
    rate, start = np.sqrt(9.81 / (SAG * 2.0 * RADIUS)), live.pose()[0][-1]
    hand = live.grab("ball", tuple(start), MASS * rate**2, 2.0 * MASS * rate)
    for frame in range(GRABBED, LET_GO):
        way = speed * (frame + 1 - GRABBED) / FRAME_RATE % (2.0 * TURN)
        way = min(way, 2.0 * TURN - way)
        live.drag(hand, (start[0] - way, start[1] + 0.3 * np.sin(way), HEIGHT))
        assert live.advance(frame + 1, np.inf)
    live.let_go(hand)
    assert live.advance(END, np.inf)
    recording = live.recording()
    assert len(recording.times) == END + 1
    for name in ("position", "orientation", "linear_velocity", "angular_velocity", "kinetic_energy", "contact_force"):
        assert np.isfinite(getattr(recording, name)).all(), name
    assert recording.position[:, -1, 0].min() < SPACING + 0.5 * SIZE + RADIUS + 0.01, "the ball reaches them"
