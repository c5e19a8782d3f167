# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes whose last frame flows into the first: what must be alike there, and what is not yet."""

from ...solver.cycles.cyclic import CLOSED, MOST, CyclicSimulation, open_keys
from ..findings import Finding, refuse_all
from ..read.reading import Reading


def refuse_open(reading: Reading) -> None:
    """Raises SceneError for bodies whose own animation is at the last frame not where it is at the first."""
    text = (
        f"at frame {reading.last} its animation is not where it is at frame {reading.first}, so this is no loop: key "
        "both frames alike, choose other Frames, or switch off Loop"
    )
    names = open_keys(reading.mechanism)
    refuse_all([Finding(reading.object_of(name), text) for name in names])


def warnings_of(simulation: CyclicSimulation) -> list[Finding]:
    """The note of a loop that has not closed."""
    if simulation.gap <= CLOSED:
        return []
    text = (
        f"The last frame does not flow into the first: they differ by {simulation.gap:.1g} of size, speed or a radian, "
        f"after {MOST} rounds. Something swings on, or is too soft: give it damping, or let it Follow more firmly"
    )
    return [Finding(None, text)]
