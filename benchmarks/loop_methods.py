# SPDX-License-Identifier: GPL-3.0-or-later
"""One loop or hundreds: what each method takes for an evaluation, and whether `auto` takes the right one."""

import numpy as np

from solver.simulation.options import METHODS as NUMBERS

from .chains import loaded_at_start
from .loops import four_bars, necklace, net, scissor_lift, solvable
from .machine import Contestant, Machine
from .table import Row, Section

WINDOWS = (5, 10, 40, 160)
CLOSE = 1.25  # times the best
AGREEMENT = 1e-8  # of the largest acceleration


def measure(machine: Machine) -> Section:
    """One row for each mechanism."""
    section = Section("Loops: time of one evaluation by each method")
    mechanisms = [four_bars(windows) for windows in WINDOWS]
    mechanisms += [scissor_lift(5), scissor_lift(20), net(4, 4), net(10, 10), necklace(20, hung=True)]
    section.rows = [_row(machine, mechanism) for mechanism in mechanisms]
    section.remarks = [
        "least / median of alternating rounds, us; ratio: the least time of what auto takes over that of the best",
        f"before the timing all methods agree to {AGREEMENT:.0e} of the largest acceleration",
        "loops: joints beyond a tree of them; those of windows and lifts are planar: 3 of 5 rows each are redundant",
    ]
    return section


def _row(machine: Machine, mechanism) -> Row:
    runs = {method: loaded_at_start(mechanism, method) for method in solvable(mechanism)}
    _agree(mechanism.name, runs)
    auto = loaded_at_start(mechanism, "auto").compiled.model.method
    chosen = next(method for method in runs if NUMBERS[method] == auto)
    timings = dict(zip(runs, machine.race(*(Contestant(run.run) for run in runs.values())), strict=True))
    best = min(timings, key=lambda method: timings[method].least)
    ratio = timings[chosen].least / timings[best].least
    loops = len(mechanism.joints) - len(mechanism.bodies)
    return Row(
        f"{mechanism.name}: {len(mechanism.bodies)} bodies, {loops} loops",
        f"auto takes {chosen}",
        ", ".join(f"{method} {timing.microseconds}" for method, timing in timings.items()),
        f"{ratio:.2f}",
        f"<= {CLOSE} of the best",
        ratio <= CLOSE,
    )


def _agree(name: str, runs: dict) -> None:
    found = {method: run.body_accelerations() for method, run in runs.items()}
    first = next(iter(found.values()))
    for method, accelerations in found.items():
        apart = np.abs(accelerations - first).max() / np.abs(first).max()
        if not apart <= AGREEMENT:
            raise RuntimeError(f"{name}: {method} differs by {apart:.1e} of the largest acceleration: nothing to time")
