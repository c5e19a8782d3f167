# SPDX-License-Identifier: GPL-3.0-or-later
"""The change of integrators on the way: what one hands on to the next, and what Adams is asked to look out for."""

from ..model.compilation import Compiled
from .integrator_choice import IntegratorChoice, may_be_stiff

_COUNTS, _CLOCK = {"evaluations", "steps", "systems"}, ("time", "fastest")


def new_choice(compiled: Compiled, memory: tuple) -> IntegratorChoice | None:
    """The choice of the integrator for a linkage that may be worth a thought; its memory is told to watch."""
    if not may_be_stiff(compiled):
        return None
    memory.counts[0].watched = 1
    return IntegratorChoice()


def hand_on(before: tuple, after: tuple) -> None:
    """Writes into the memory of the integrator that goes on what is counted, and when it is."""
    for kept in _COUNTS & set(before.counts.dtype.names) & set(after.counts.dtype.names):
        after.counts[kept] = before.counts[kept]
    for kept in _CLOCK:
        after.clock[kept] = before.clock[kept]


def watch(choice: IntegratorChoice | None, integrator: str, memory: tuple, begins_anew: bool) -> None:
    """Asks Adams to tell when the motion is stiff, if something could be done about it."""
    if choice is not None and integrator == "adams":
        memory.counts[0].watched = choice.watches("adams")
        if begins_anew:
            memory.counts[0].stiff = -choice.deaf_steps()
