# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs everyday scenes and says which of them no nature could have made.

python -m tests.solver.contact.everyday --count 10000 --first 0 [--kind K] [--substeps N] [--jobs 2] [--keep FOLDER]
python -m tests.solver.contact.everyday FILE ... [--duration 3] [--substeps N]

The second form judges mechanism files, recorded step by step and by frames.
--substeps: steps in a 24th of a second. --keep: writes the scenes that fail as mechanism files
KIND_SEED_SYMPTOM.json. --shrink: of a file that fails, leaves out what the failure does not need, and writes the rest
to this folder. Exit status: 1 if any scene fails.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from solver import Mechanism, use_cache
from tests.solver.contact.everyday.fuzz import Finding, fuzz, what_is_wrong
from tests.solver.contact.everyday.generator import KINDS, everyday
from tests.solver.contact.everyday.judge import SUBSTEPS, examine
from tests.solver.contact.everyday.shrinking import shrink

FIGURES = ("gained", "flickers", "sunk", "opened", "untied", "momentum", "fast", "misreported")
SYMPTOMS = (
    "stopped",
    "crashed",
    "not finite",
    "gained",
    "sunk",
    "opened",
    "untied",
    "momentum",
    "fast",
    "misreported",
    "differs",
)
SYMPTOMS += ("invalid",)
CACHE = Path(tempfile.gettempdir()) / "ves-everyday-numba"


def main() -> int:
    options = _options()
    if options.files:
        return _judge_files(options)
    seeds, found = range(options.first, options.first + options.count), []
    for finding in fuzz(seeds, options.kind, options.substeps, options.jobs, options.cache):
        found.append(finding)
        for symptom, words in finding.verdict.symptoms.items():
            print(f"{finding.kind} {finding.seed}: {symptom}: {words}", flush=True)
        if finding.verdict.symptoms and options.keep:
            _keep(finding, options.kind, options.keep)
        if len(found) % 100 == 0:
            bad = sum(bool(each.verdict.symptoms) for each in found)
            print(f"... {len(found)} of {options.count}, {bad} failed", flush=True)
    _print_table(found)
    return int(any(finding.verdict.symptoms for finding in found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.solver.contact.everyday", description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="mechanism files to judge instead")
    parser.add_argument("--count", type=int, default=len(KINDS))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--kind", choices=sorted(KINDS), help="only scenes of this kind (else seeds take them in turn)")
    parser.add_argument("--substeps", type=int, default=SUBSTEPS, help="steps in a 24th of a second")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="folder for the scenes that fail")
    parser.add_argument("--duration", type=float, default=3.0, help="s, of files")
    parser.add_argument("--shrink", type=Path, help="folder for smaller files that fail alike")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder for machine code")
    return parser.parse_args()


def _judge_files(options: argparse.Namespace) -> int:
    use_cache(options.cache)
    failed = False
    for path in options.files:
        for by_steps in (True, False):
            verdict = examine(Mechanism.load(path), options.duration, options.substeps, by_steps)
            failed |= bool(verdict.symptoms)
            figures = ", ".join(f"{name} {figure:.1e}" for name, figure in verdict.figures.items())
            words = f"{path.name} by {'steps' if by_steps else 'frames'}"
            print(f"{words}: {'; '.join(verdict.symptoms.values()) or 'good'} ({figures})", flush=True)
            if verdict.symptoms and options.shrink:
                _shrink(path, next(iter(verdict.symptoms)), options, by_steps)
                break
    return int(failed)


def _shrink(path: Path, symptom: str, options: argparse.Namespace, by_steps: bool) -> None:
    before = examine(Mechanism.load(path), options.duration, options.substeps, by_steps)

    def fails(mechanism: Mechanism) -> bool:
        """As badly, or nearly so."""
        if what_is_wrong(mechanism):
            return False
        verdict = examine(mechanism, options.duration, options.substeps, by_steps)
        is_as_bad = verdict.figures.get(symptom, 1.0) >= 0.5 * before.figures.get(symptom, 1.0)
        return symptom in verdict.symptoms and is_as_bad

    options.shrink.mkdir(parents=True, exist_ok=True)
    small = shrink(Mechanism.load(path), fails)
    small.save(options.shrink / path.name)
    print(f"{path.name}: {len(small.bodies)} bodies still fail ({symptom})", flush=True)


def _keep(finding: Finding, kind: str | None, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    symptom = next(iter(finding.verdict.symptoms)).replace(" ", "_")
    mechanism = everyday(finding.seed, kind).mechanism
    if not mechanism.problems():
        mechanism.save(folder / f"{finding.kind}_{finding.seed}_{symptom}.json")


def _print_table(found: list[Finding]) -> None:
    kinds = defaultdict(list)
    for finding in found:
        kinds[finding.kind].append(finding)
    print(
        f"\n{'kind':20} count failed "
        + " ".join(f"{name:>9}" for name in (*SYMPTOMS[:1], *FIGURES))
        + "  s/scene  (worst figures)"
    )
    for kind, findings in [*sorted(kinds.items()), ("all", found)]:
        counts = [sum(name in each.verdict.symptoms for each in findings) for name in (*SYMPTOMS[:1], *FIGURES)]
        counts[0] += sum("crashed" in each.verdict.symptoms for each in findings)
        bad = sum(bool(each.verdict.symptoms) for each in findings)
        worst = [max((each.verdict.figures.get(name, 0.0) for each in findings), default=0.0) for name in FIGURES]
        seconds = np.median([each.seconds for each in findings]) if findings else 0.0
        words = " ".join(f"{name} {figure:.0e}" for name, figure in zip(FIGURES, worst, strict=True) if figure)
        print(
            f"{kind:20} {len(findings):5} {bad:6} " + " ".join(f"{n:9}" for n in counts) + f"  {seconds:7.2f}  {words}"
        )
    other = {
        name: sum(name in each.verdict.symptoms for each in found) for name in ("not finite", "differs", "invalid")
    }
    print(", ".join(f"{name}: {count}" for name, count in other.items()))
    slowest = sorted(found, key=lambda each: -each.seconds)[:5]
    print("slowest:", ", ".join(f"{each.kind} {each.seed} {each.seconds:.1f} s" for each in slowest))


if __name__ == "__main__":
    sys.exit(main())
