# SPDX-License-Identifier: GPL-3.0-or-later
"""`python -m benchmarks [SECTION ...]`: measures, prints one table and keeps it in artefacts/benchmarks."""

import argparse
import importlib
import sys
import time
from pathlib import Path

from solver import use_cache
from solver.kernel import compiles

from .machine import Machine
from .table import Section, aligned, markdown, verdict_of

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = (
    "articulated_body",
    "linearity",
    "derivatives",
    "necklaces",
    "loop_methods",
    "many_loops",
    "nets",
    "necklace_motion",
    "compile_time",
    "library",
    "first_use",
    "blender_chain",
    "keyframes",
    "large_scenes",
    "simulation",
    "perpetual",
    "papers",
    "forces",
    "stiff",
    "contact",
    "thrown",
    "balance",
    "posing",
    "adaptive",
    "kinematics",
    "rides",
    "jitter",
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Timings beside other engines.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"some of {', '.join(SECTIONS)}; all without")
    chosen = parser.parse_args().sections or SECTIONS
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section {', '.join(unknown)}; sections are {', '.join(SECTIONS)}")
    if not compiles():
        parser.error(
            "numba is missing, switched off, or left out for a library of kernels, which has none of the benchmarks' "
            "own loops: timings of plain Python would mean nothing (VES_KERNELS=none leaves the library out)"
        )
    use_cache(ROOT / ".cache" / "numba")
    machine, sections = Machine(), []
    for name in chosen:
        begun = time.perf_counter()
        section: Section = importlib.import_module(f"benchmarks.{name}").measure(machine)
        sections.append(section)
        print(f"{name}: {time.perf_counter() - begun:.0f} s", file=sys.stderr)
    closing = [*machine.description(), verdict_of(sections)]
    print(aligned(sections, closing))
    folder = ROOT / "artefacts" / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.md").write_text(markdown(sections, closing), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
