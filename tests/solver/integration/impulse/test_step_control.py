# SPDX-License-Identifier: GPL-3.0-or-later
"""Which steps are taken anew in shorter ones, where a step's harm follows from its length alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from solver.contact.impulses import workspace
from solver.integration.impulse import step_control
from solver.integration.impulse.memory import AS_IT_IS, CLOCK, COUNTS, NOT_PLAIN, PLAIN
from solver.integration.impulse.step_control import goes_back_for_shorter
from solver.model.arrays import records

INTERVALS = 30
WORSE = 2.6, 3.0, 30.0  # shifts by steps of a sixteenth, in 256ths, that are better than longer ones', but not good


class Contact(NamedTuple):
    counts: np.recarray
    blocks: np.recarray
    contacts: np.recarray


class Memory:
    """Of a linkage whose impulses shift it by so much (thicknesses) in a whole step, which grows with its square."""

    interval = 1.0

    def __init__(self, shift: float, shortest_balanced: float, is_pressed: bool = False) -> None:
        """shortest_balanced: steps no longer than that are in balance; is_pressed: driven bodies may leave no room."""
        self.shift, self.shortest_balanced = shift, shortest_balanced
        self.clock, self.counts = records(1, CLOCK), records(1, COUNTS)
        self.contact = Contact(records(1, workspace.COUNTS), records(1, workspace.BLOCK), records(0, workspace.CONTACT))
        self.contact.counts[0].blocks, self.contact.blocks[0].pressed_in = 1, is_pressed
        self.clock[0].interval = 1.0

    def lengths(self, gained: float = 0.0) -> list[float]:
        """Of the steps that are kept; each gains so much that nothing pays, however long it is and however it is taken.

        A part of the energy.
        """
        kept, clock = [], self.clock[0]
        while clock.time < INTERVALS:
            length = self.interval / max(1, self.counts[0].pieces)
            clock.began, clock.h, clock.time = clock.time, length, clock.time + length
            clock.shifted = self.shift * length**2
            if not goes_back_for_shorter(self, length <= self.shortest_balanced, gained):
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


@pytest.mark.parametrize("shift", WORSE)
@pytest.mark.parametrize("balanced", [1.0, 0.0])
@pytest.mark.parametrize("is_pressed", [False, True])
def test_where_the_shortest_do_better_but_not_well_no_whole_step_follows(shift, balanced, is_pressed):
    """Nor where none is in balance. Between driven bodies that leave no room a sixteenth is the shortest."""
    shortest = 1.0 / 16.0 if is_pressed else 1.0 / 64.0
    memory = Memory(shift / (16.0 * shortest) ** 2, balanced, is_pressed)
    assert max(memory.lengths()) == pytest.approx(shortest)


def test_after_the_shortest_did_no_better_none_follows_that_does_much_worse():
    """Where motion is not resolved, however short, a whole step is far off."""
    memory = Memory(0.0, 1.0)
    counts, clock = memory.counts[0], memory.clock[0]
    counts.unhelped, clock.forgiven, clock.h = 3, 2.0, 1.0
    clock.unresolved = 100.0
    assert goes_back_for_shorter(memory, True, 0.0)
    counts.unhelped, counts.pieces, clock.unresolved = 3, 0, 0.5
    assert not goes_back_for_shorter(memory, True, 0.0)


def test_where_the_shortest_do_no_better_most_are_whole():
    lengths = Memory(0.0, 0.0).lengths()
    assert sum(length == 1.0 for length in lengths) > 0.75 * INTERVALS


@pytest.mark.parametrize("length", [1.0, 1e-3])
@pytest.mark.parametrize(("gained_plainly", "is_kept"), [(0.5, True), (1.0, False), (2.0, False), (np.nan, False)])
def test_what_gains_however_short_is_taken_anew_plainly_and_once(length, gained_plainly, is_kept):
    """A step that is cut so short that no pieces of the interval are shorter, too; as it was, if that gained less."""
    memory, lengths, how = Memory(0.0, 1.0), [], []
    memory.clock[0].h, memory.counts[0].balanced = length, 1
    while goes_back_for_shorter(memory, True, gained_plainly if PLAIN in how[-1:] else 1.0):
        lengths.append(memory.clock[0].interval)
        how.append(int(memory.counts[0].plain))
        if how[-1] == NOT_PLAIN:
            memory.clock[0].h = memory.clock[0].interval
    again = [PLAIN] if is_kept else [PLAIN, AS_IT_IS]
    assert how == [NOT_PLAIN] * (len(lengths) - len(again)) + again
    assert memory.counts[0].plain == NOT_PLAIN
    assert memory.counts[0].balanced == 0


@pytest.mark.parametrize("gained", [1e-6, 1e-4])
def test_a_blow_does_not_make_the_steps_a_64th_that_come_after_it(gained):
    """No length mends a gain so small that it is let pass, nor one so large that each step is taken plainly."""
    memory = Memory(0.0, 1.0)
    memory.counts[0].pieces, memory.clock[0].worst = 64, 1e3 * gained / step_control._UNPAID
    assert sum(length < 1.0 / 16.0 for length in memory.lengths(gained)) <= 1
