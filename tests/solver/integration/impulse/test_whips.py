# SPDX-License-Identifier: GPL-3.0-or-later
"""Light links that a hand swings with a heavy ball at their end: they snap, within less than a step."""

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Box, Sphere
from tests.solver.contact.everyday.building import Scene, Y
from tests.solver.contact.everyday.judge import SUNK
from tests.solver.contact.everyday.overlaps import Overlaps
from tests.solver.contact.scenes import meets_bodies

LINK, LIGHT, HEAVY = 0.25, 0.03, 30.0  # m, kg, kg
WAY = 0.8  # m: of the hand, to each side


def whip(links: int, rate: float) -> Mechanism:
    scene = Scene(np.random.default_rng(1), ground=False)
    last = scene.swaying("hand", Box(half_size=(0.1, 0.1, 0.1)), (0.0, 0.0, 3.0), (WAY, 0.0, 0.0), rate)
    at, way = np.array((0.0, 0.0, 2.9)), np.array((0.3, 0.0, -1.0)) / np.hypot(0.3, 1.0)
    for k in range(links):
        link = scene.rod(f"link {k}", at, at + LINK * way, 0.03, LIGHT, short=0.03)
        scene.joint("spherical", last, link, at, Y, damping=(1e-3,) * 3)
        last, at = link, at + LINK * way
    ball = scene.body("ball", Sphere(radius=0.25), at + 0.25 * way, HEAVY)
    scene.joint("spherical", last, ball, at, Y)
    return scene.mechanism("whip")


@pytest.mark.parametrize(
    ("links", "rate", "substeps", "duration"), [(8, 6.0, 20, 1.4), (6, 8.0, 8, 0.5), (6, 8.0, 20, 1.6)]
)
def test_the_run_goes_on_where_a_whip_snaps(links, rate, substeps, duration):
    recording = simulate(whip(links, rate), duration, 24.0 * substeps, integrator="impulse", substeps=1)
    assert np.isfinite(recording.angular_velocity).all()
    assert recording.times[-1] == pytest.approx(duration, abs=1.0 / (24.0 * substeps))


@meets_bodies
@pytest.mark.parametrize(("links", "rate", "substeps"), [(8, 6.0, 8), (8, 6.0, 20), (6, 8.0, 8)])
def test_links_do_not_run_through_the_ball(links, rate, substeps):
    """By up to two thirds of their thickness, if steps are a sixteenth of an interval at least."""
    mechanism = whip(links, rate)
    recording = simulate(mechanism, 2.0, 24.0 * substeps, integrator="impulse", substeps=1)
    deepest, _ = Overlaps(mechanism).over(recording)
    assert deepest.part < SUNK
