# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs mechanisms that are drawn in haste: each must end, or say why, soon, and what it says must be true.

python -m tests.solver.simulation.hard --count 1000 [--first SEED] [--kind KIND]
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict

from tests.solver.simulation.hard.generator import KINDS, hard_mechanism
from tests.solver.simulation.hard.judge import run

ENOUGH = 5.0  # s of the processor, in a warm process


def main() -> None:
    """Run many and print what ended how."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--kind", choices=KINDS)
    asked = parser.parse_args()
    said, slowest, most, bad = defaultdict(Counter), defaultdict(float), defaultdict(int), 0
    for seed in range(asked.first, asked.first + asked.count):
        kind, mechanism = hard_mechanism(seed, asked.kind)
        is_warm = bool(said[kind])
        outcome = run(mechanism)
        said[kind][outcome.said or "fine"] += 1
        most[kind] = max(most[kind], outcome.evaluations)
        if is_warm:
            slowest[kind] = max(slowest[kind], outcome.seconds)
        if outcome.trouble or (is_warm and outcome.seconds > ENOUGH):
            bad += 1
            print(f"seed {seed} {kind}: {outcome.seconds:.1f} s, {outcome.evaluations}, {outcome.said}: "
                  f"{outcome.trouble}", flush=True)  # fmt: skip
    for kind, endings in said.items():
        print(f"{kind}: slowest {slowest[kind]:.2f} s, most evaluations {most[kind]}")
        for ending, count in endings.most_common():
            print(f"    {count:4d}  {ending}")
    print(f"{bad} of {asked.count} in trouble")


if __name__ == "__main__":
    main()
