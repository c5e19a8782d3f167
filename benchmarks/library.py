# SPDX-License-Identifier: GPL-3.0-or-later
"""The library of kernels beside numba's code of the same sources: whole simulations, and a process to its first frame.

A process has one or the other, so they take turns as processes. `make kernels` makes the library.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from solver import Mechanism, Posing, use_cache
from solver.kernel import compiles
from solver.library.loader import this_platform

from .chains import random_chain
from .contact_scenes import FRAME_RATE, cans, pile, stack
from .loops import curtain, four_bars, necklace, timed_motion, with_balls
from .machine import Machine, keeping_byte_code
from .stiff_scenes import tensegrity
from .table import Row, Section

ROOT = Path(__file__).resolve().parents[1]
REFERENCES = ROOT / "tests" / "reference"
LIBRARY, CACHE = ROOT / ".cache" / "kernels" / this_platform(), ROOT / ".cache" / "numba"
NUMBA, COMPILED = {"VES_KERNELS": "none"}, {"VES_KERNELS": str(LIBRARY)}
TURNS, REPEATS = 4, 3
LARGEST_RATIO, FIRST_FRAME = 1.03, 0.7  # of numba's time; s of a process to its first frame


def measure(_machine: Machine) -> Section:
    """A row for each scene, one for all, and one for the start of a process."""
    section = Section("The library of kernels: processor time of a second of motion, beside numba's")
    times = [(_ask(NUMBA), _ask(COMPILED)) for _ in range(TURNS)]
    ratios = []
    for scene in times[0][0]:
        numba, ours = (min(turn[k][scene] for turn in times) for k in (0, 1))
        ratios.append(ours / numba)
        section.rows.append(Row(scene, f"{1e3 * ours:.2f} ms", f"{1e3 * numba:.2f} ms", f"{ratios[-1]:.2f}"))
    mean = float(np.exp(np.mean(np.log(ratios))))
    section.rows.append(
        Row("all of them", "", ratio=f"{mean:.3f}", target=f"<= {LARGEST_RATIO:g}", met=mean <= LARGEST_RATIO)
    )
    section.rows.append(_start())
    section.remarks = [
        "others: numba, from its cache; ratio: ours / numba's, of all the geometric mean",
        f"least of {TURNS} processes with {REPEATS} runs each, which take turns; from the mechanism to the recording",
    ]
    return section


def _start() -> Row:
    """From the start of a process to its first frame, by the clock and by the processor."""
    times = [[_first_frame(which) for which in (NUMBA, COMPILED)] for _ in range(TURNS)]
    (numba, numba_cpu), (ours, cpu) = np.min(times, axis=0)
    return Row(
        "a process to its first frame",
        f"{ours:.2f} s, {cpu:.2f} s of processor",
        f"{numba:.2f} s, {numba_cpu:.2f} s",
        f"{ours / numba:.2f}",
        f"<= {FIRST_FRAME:g} s",
        bool(cpu <= FIRST_FRAME),
    )


def _ask(which: dict[str, str]) -> dict[str, float]:
    return json.loads(_run(which, "benchmarks.library"))


def _first_frame(which: dict[str, str]) -> tuple[float, float]:
    """(s by the clock, s of processor)"""
    started = time.time()
    answer = json.loads(_run(which, "benchmarks.first_step", str(CACHE)))
    return answer["finished"] - started, answer["processor"]


def _run(which: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=keeping_byte_code() | which, stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def _motions() -> Iterator[tuple[str, Callable[[], float]]]:
    """Names, and what gives the seconds of a second of motion."""

    def of(mechanism: Mechanism, duration: float, frame_rate: float) -> Callable[[], float]:
        return lambda: timed_motion(mechanism, duration, frame_rate)[0] / duration

    for case in ("heavy_top", "chain_100", "tree_fixed_20"):
        times = np.load(REFERENCES / f"{case}.npz")["times"]
        yield case, of(Mechanism.load(REFERENCES / f"{case}.json"), float(times[-1]), 1.0 / float(times[1] - times[0]))
    yield "necklace of 20", of(necklace(20), 2.0, FRAME_RATE)
    yield "100 windows", of(four_bars(100), 1.0, FRAME_RATE)
    yield "tensegrity, stiff", of(tensegrity(100.0, 1.0), 8.0, FRAME_RATE)
    yield "net of 5 x 5 with contact", of(with_balls(curtain(5, 5), 0.03), 2.0, FRAME_RATE)
    for scene in (cans(), stack(), pile(50)):
        yield scene.title, of(scene.mechanism, scene.duration, FRAME_RATE)
    yield "posing a chain of 1000, 100 steps", _posing()


def _posing() -> Callable[[], float]:
    posing = Posing(random_chain(1000))
    posing.pull(posing.mechanism.bodies[-1].name, (0.0, 0.0, 0.0), (1.0, 2.0, 3.0))

    def run() -> float:
        begun = time.process_time()
        posing.approach(100)
        return time.process_time() - begun

    return run


def _answer() -> None:
    """Measures in a process of its own, and prints."""
    use_cache(CACHE)
    if compiles() != (os.environ["VES_KERNELS"] == NUMBA["VES_KERNELS"]):
        sys.exit("there is no library of kernels that fits these sources: make kernels")
    json.dump({name: min(run() for _ in range(REPEATS)) for name, run in _motions()}, sys.stdout)


if __name__ == "__main__":
    _answer()
