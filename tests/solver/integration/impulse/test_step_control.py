# SPDX-License-Identifier: GPL-3.0-or-later
"""Which steps are taken anew in shorter ones, where a step's harm follows from its length alone."""

from __future__ import annotations

import numpy as np
import pytest

from solver.contact.impulses import workspace
from solver.integration.impulse import step_control
from solver.integration.impulse.memory import CLOCK, COUNTS
from solver.integration.impulse.step_control import goes_back_for_shorter
from solver.model.arrays import records

INTERVALS = 30


class Memory:
    """Of a linkage whose impulses shift it by so much (thicknesses) in a whole step, which grows with its square."""

    interval = 1.0

    def __init__(self, shift: float, shortest_balanced: float) -> None:
        """shortest_balanced: steps that are no longer than that are in balance."""
        self.shift, self.shortest_balanced = shift, shortest_balanced
        self.clock, self.counts = records(1, CLOCK), records(1, COUNTS)
        self.contact = type("Contact", (), {"counts": records(1, workspace.COUNTS)})
        self.clock[0].interval = 1.0

    def lengths(self) -> list[float]:
        """Of the steps that are kept."""
        kept, clock = [], self.clock[0]
        while clock.time < INTERVALS:
            length = self.interval / max(1, self.counts[0].pieces)
            clock.began, clock.h, clock.time = clock.time, length, clock.time + length
            clock.shifted = self.shift * length**2
            if not goes_back_for_shorter(self, length <= self.shortest_balanced, 0.0):
                kept.append(length)
        return kept


@pytest.fixture(autouse=True)
def only_the_clock_goes_back(monkeypatch):
    def go_back(memory: Memory) -> None:
        memory.clock[0].time = memory.clock[0].began

    monkeypatch.setattr(step_control, "go_back", go_back)


def test_steps_that_do_no_harm_are_whole():
    assert Memory(0.005, 1.0).lengths() == [1.0] * INTERVALS


def test_steps_are_as_short_as_it_takes():
    assert max(Memory(0.1, 1.0).lengths()) < np.sqrt(0.1)


@pytest.mark.parametrize("shift", [2.6, 3.0, 30.0])
@pytest.mark.parametrize("balanced", [1.0, 0.0])
def test_where_the_shortest_do_better_but_not_well_no_whole_step_follows(shift, balanced):
    """Nor where none is in balance."""
    assert max(Memory(shift, balanced).lengths()) == pytest.approx(1.0 / 16.0)


def test_where_the_shortest_do_no_better_most_are_whole():
    lengths = Memory(0.0, 0.0).lengths()
    assert sum(length == 1.0 for length in lengths) > 0.75 * INTERVALS


@pytest.mark.parametrize("length", [1.0, 1e-3])
def test_what_gains_however_short_is_taken_anew_plainly_and_once(length):
    """A step that is cut so short that no pieces of the interval are shorter, too."""
    memory, lengths, was_plain = Memory(0.0, 1.0), [], []
    memory.clock[0].h, memory.counts[0].balanced = length, 1
    while goes_back_for_shorter(memory, True, 1.0):
        lengths.append(memory.clock[0].interval)
        was_plain.append(int(memory.counts[0].plain))
        if not was_plain[-1]:
            memory.clock[0].h = memory.clock[0].interval
    assert was_plain == [0] * (len(lengths) - 1) + [1]
    assert memory.counts[0].plain == 0
    assert memory.counts[0].balanced == 0
