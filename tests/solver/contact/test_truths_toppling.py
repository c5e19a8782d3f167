# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks that tip over an edge on the ground, and a row of dominoes."""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import Box
from tests.solver.contact import gauges
from tests.solver.contact.scenes import at_once, meets_bodies, on_ground, run, turned
from tests.solver.contact.solids import solid
from tests.truths.toppling import TippingBlock

TRUTH = TippingBlock(0.05, 0.3)
SHAPE = Box(half_size=(0.05, 0.15, 0.3))


def leaning(lean: float, **given):
    """A block on the edge at the origin, leaning toward +X."""
    s, c = np.sin(lean), np.cos(lean)
    place = (-0.05 * c + 0.3 * s, 0.0, 0.05 * s + 0.3 * c)
    return solid("block", SHAPE, place, orientation=turned((0, 1, 0), lean), **given)


def leans(recording) -> np.ndarray:
    """(F,) rad toward +X."""
    up = gauges.turns(recording, 0)[:, :, 2]
    return np.arctan2(up[:, 0], up[:, 2])


@pytest.mark.parametrize("start", [0.25, 0.5])
def test_a_block_past_its_balance_falls_as_fast_as_it_should(start):
    end = 0.85
    assert max(TRUTH.needed_friction(lean, start) for lean in np.linspace(start, end, 50)) < 1.0
    recording = run(on_ground([leaning(start)], 1.0), TRUTH.time(start, end) + 0.05, frame_rate=96.0, substeps=5)
    angle = leans(recording)
    for lean in np.linspace(start + 0.1, end, 5):
        time = np.interp(lean, angle, recording.times)
        assert time == pytest.approx(TRUTH.time(start, lean), rel=0.02)
    # the lower edge stays where it is
    turn = gauges.turns(recording, 0)
    edge = recording.position[:, 0] + turn @ [0.05, 0.0, -0.3]
    assert np.abs(edge[angle < end]).max() < 2e-3


def test_a_block_short_of_its_balance_falls_back():
    start = 0.9 * TRUTH.balance
    recording = run(on_ground([leaning(start)], 1.0), 4.0)
    angle = leans(recording)
    assert np.abs(angle).max() < start + 1e-3
    assert angle.min() < -0.1 * start  # it rocks over its other edge
    assert np.abs(angle[recording.times > 3.0]).max() < 0.7 * start


@pytest.mark.parametrize("half_width", [0.05, 0.15, 0.3])
def test_a_block_that_lands_flat_rocks_on_over_its_other_edge(half_width):
    """Turning back about its right edge, it meets the ground with its left one, and the right one lifts."""
    truth = TippingBlock(half_width, 0.3)
    turn = np.array([0.0, -1.0, 0.0])
    block = solid("block", Box(half_size=(half_width, 0.15, 0.3)), (0, 0, 0.3), angular_velocity=turn,
                  linear_velocity=np.cross(turn, [-half_width, 0.0, 0.3]))  # fmt: skip
    recording = at_once(on_ground([block], 2.0))
    after = truth.kept_at_landing * turn
    assert recording.angular_velocity[1, 0] == pytest.approx(after, abs=1e-4)
    assert recording.linear_velocity[1, 0] == pytest.approx(np.cross(after, [half_width, 0.0, 0.3]), abs=1e-4)


@pytest.mark.parametrize("part", [0.95, 1.05])
def test_a_push_is_enough_to_tip_it_or_not(part):
    """A turn about the edge with that much of the speed that just reaches balance."""
    rate = part * TRUTH.needed_speed
    velocity = np.cross([0.0, rate, 0.0], [-0.05, 0.0, 0.3])
    block = leaning(0.0, linear_velocity=velocity, angular_velocity=(0.0, rate, 0.0))
    recording = run(on_ground([block], 1.0), 3.0, substeps=40)
    assert (leans(recording)[-1] > 1.0) == (part > 1.0)


@meets_bodies
@pytest.mark.parametrize("substeps", [10, None])
def test_a_row_of_dominoes_falls_to_the_last(substeps):
    count, gap = 12, 0.2
    shape = Box(half_size=(0.03, 0.12, 0.24))
    bodies = [solid(f"domino {k}", shape, (gap * k, 0, 0.24)) for k in range(count)]
    bodies[0].angular_velocity, bodies[0].linear_velocity = (0.0, 2.0, 0.0), (0.48, 0.0, 0.06)
    mechanism = on_ground(bodies, 0.4)
    recording = run(mechanism, 4.0, substeps=substeps)
    upright = np.array([gauges.turns(recording, k)[:, 2, 2] for k in range(count)])
    assert np.all(upright[:, -1] < 0.7)
    fell = [recording.times[np.argmax(row < 0.9)] for row in upright]
    assert np.all(np.diff(fell) > 0.0)  # one after the other
    steady = np.diff(fell)[4:]
    assert np.ptp(steady) < 0.5 * steady.mean() + 1 / 24  # as a wave of even speed
    half_a_percent = 0.005 * 0.48
    assert gauges.sinking(mechanism, recording) < half_a_percent
    assert max(gauges.overlap(mechanism, recording, frame) for frame in range(0, 96, 4)) < half_a_percent
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-3 * energy[0]
