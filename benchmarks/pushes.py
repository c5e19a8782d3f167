# SPDX-License-Identifier: GPL-3.0-or-later
"""The hardest push after which a figure stands, in twelve directions: one that leans only, and one that steps.

usage: python -m benchmarks.pushes [--step-time 0.25]

The biped of the tests (61.4 kg) gets a push of 0.1 s at its trunk, harder by 2.5 N s each time. Told is the hardest one
up to which it stood again after all, upright and at rest, 5 s later, and after how many of all.
"""

from __future__ import annotations

import argparse

import numpy as np

from solver import simulate
from tests.solver.control.test_stepping import shoved, stands

BETWEEN, DURATION = 2.5, 0.1  # N s, s
HARDEST = 60.0  # N s
SIDES = range(0, 360, 30)  # degrees from straight ahead, to the left


def endured(angle: float, step_time: float) -> list[bool]:
    """Of pushes, each harder than the one before, whether the figure stands afterwards."""
    sizes = np.arange(BETWEEN, HARDEST + BETWEEN, BETWEEN) / DURATION
    return [stands(simulate(shoved(np.radians(angle), size, step_time=step_time), 5.0)) for size in sizes]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pushes", description=__doc__.splitlines()[0])
    parser.add_argument("--step-time", type=float, default=0.25, help="s")
    options = parser.parse_args()
    print("| direction | leans only, N s | steps, N s | of all up to 60 N s |")
    print("|---|---|---|---|")
    for angle in SIDES:
        lean, step = (endured(angle, time) for time in (0.0, options.step_time))
        print(
            f"| {angle} deg | {_all_up_to(lean):g} | {_all_up_to(step):g} | {sum(lean)}, {sum(step)} of {len(step)} |"
        )


def _all_up_to(stood: list[bool]) -> float:
    """N s: the hardest push up to which it stood after each."""
    return BETWEEN * (stood.index(False) if False in stood else len(stood))


if __name__ == "__main__":
    main()
