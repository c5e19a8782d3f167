# SPDX-License-Identifier: GPL-3.0-or-later
"""Time per joint of long chains: it should not depend on their length."""

from .chains import loaded, random_chain
from .machine import Contestant, Machine
from .table import Row, Section

COUNTS = (100, 1_000, 10_000, 50_000)
SPREAD = 0.25


def measure(machine: Machine) -> Section:
    """All lengths take turns, so that a slow phase of the machine meets all of them."""
    section = Section("Linearity: time per joint of revolute chains")
    timings = machine.race(*(Contestant(loaded(random_chain(count)).run) for count in COUNTS), turn=0.03)
    least = [timing.least / count for timing, count in zip(timings, COUNTS, strict=True)]
    for count, timing in zip(COUNTS, timings, strict=True):
        section.rows.append(
            Row(
                f"{count} joints",
                f"{1e9 * timing.least / count:.1f} / {1e9 * timing.median / count:.1f} ns/joint",
                target="<= 120 ns/joint",
                met=timing.least / count <= 120e-9,
            )
        )
    spread = max(least) / min(least) - 1.0
    section.rows.append(
        Row("slowest over quickest", f"+{100 * spread:.0f} %", target="within 25 %", met=spread <= SPREAD)
    )
    section.remarks = ["least / median of alternating rounds"]
    return section
