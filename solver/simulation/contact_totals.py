# SPDX-License-Identifier: GPL-3.0-or-later
"""Totals of contacts in a linkage's run, wherever its integrator keeps them.

A tally is what they gave since the last frame: (B, 6) N m s and N s, and the hardest impact, (B,) N s.
"""

import numpy as np

from ..contact.impulses.workspace import IMPACT
from ..integration.impulse.memory import ImpulseMemory
from ..model.arrays import Scratch

Tally = tuple[np.ndarray, ...]


def tally_of(scratch: Scratch, memory) -> Tally:
    """The tally of now; nothing where nothing touches."""
    if scratch.soft is not None:
        return scratch.soft.given.copy(), scratch.soft.hardest.copy()
    if isinstance(memory, ImpulseMemory):
        return memory.arrays.contact.given.copy(), memory.arrays.contact.hardest.copy()
    return ()


def go_on_from(tally: Tally, scratch: Scratch, memory) -> None:
    """Puts a tally of the same linkage in the place of that of now."""
    home = scratch.soft if scratch.soft is not None else None
    if isinstance(memory, ImpulseMemory):
        home = memory.arrays.contact
    if tally and home is not None:
        home.given[:], home.hardest[:] = tally


def impacts_of(memory) -> np.recarray:
    """(I,) IMPACT: all impacts so far, in their order."""
    if not isinstance(memory, ImpulseMemory) or not memory.impacts:
        return np.recarray(0, IMPACT)
    return np.concatenate(memory.impacts).view(np.recarray)


def hand_on_impacts(before, after, time: float) -> None:
    """From the memory of a linkage to a new one that goes on from a time (s)."""
    if isinstance(before, ImpulseMemory):
        before.forget_impacts(time)
        after.impacts, after.overlaps, after.gains = before.impacts, before.overlaps, before.gains
        after.overlaps.hand_over(after.arrays.contact.deepest)
        after.gains.hand_over(after.arrays.islands.worst)


def deepest_overlap(memory) -> np.record | None:
    """OVERLAP: the deepest so far, if anything overlapped."""
    return memory.overlaps.latest if isinstance(memory, ImpulseMemory) else None


def largest_gain(memory) -> np.record | None:
    """GAIN: the largest so far that nothing could pay, if there was one."""
    return memory.gains.latest if isinstance(memory, ImpulseMemory) else None
