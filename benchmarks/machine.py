# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine as a measuring instrument: contestants take turns, and a fixed piece of work tells how steady it is.

All contestants work in one thread, so its processor time is what counts: others on the machine take less from it.
"""

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

SLICE = 0.02  # s: a contestant's turn; long beside the clock's ticks, short beside the machine's moods
ROUNDS = 15
BYTE_CODE = Path(__file__).resolve().parents[1] / ".cache" / "byte_code"


class Contestant(NamedTuple):
    """`run(count)` does the work `count` times; `overhead` (s a time) is left out of the result."""

    run: Callable[[int], object]
    overhead: float = 0.0


class Timing(NamedTuple):
    """Seconds for one time, one for each round."""

    rounds: np.ndarray

    @property
    def least(self) -> float:
        return float(self.rounds.min())

    @property
    def median(self) -> float:
        return float(np.median(self.rounds))

    @property
    def microseconds(self) -> str:
        """Least / median."""
        return f"{1e6 * self.least:.2f} / {1e6 * self.median:.2f}"

    def over(self, other: "Timing") -> float:
        """The median of the ratios of neighbours in time: slow phases of the machine cancel."""
        return float(np.median(self.rounds / other.rounds))


class Machine:
    """Measures, and remembers how long the same work took at different times."""

    def __init__(self) -> None:
        self._work = np.random.default_rng(0).random(200_000)
        self._pulses: list[float] = []

    def race(self, *contestants: Contestant, rounds: int = ROUNDS, turn: float = SLICE) -> list[Timing]:
        """Times of contestants that take turns (A B A B ...), each with about `turn` seconds of work a time."""
        counts = [_count_for(contestant.run, turn) for contestant in contestants]
        seconds = np.empty((len(contestants), rounds))
        for number in range(rounds):
            self._pulse()
            for k, (contestant, count) in enumerate(zip(contestants, counts, strict=True)):
                seconds[k, number] = _time(contestant.run, count) / count - contestant.overhead
        return [Timing(row) for row in seconds]

    def _pulse(self) -> None:
        self._pulses.append(_time(lambda _: np.sort(self._work), 1))

    def description(self) -> list[str]:
        """The machine, and its unsteadiness."""
        system = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
        lines = [f"machine: {_processor()}, {system}"]
        if self._pulses:
            low, median, high = np.percentile(1e3 * np.array(self._pulses), [0, 50, 95])
            lines.append(
                f"noise: the same sorting took {low:.2f} ms at best, {median:.2f} (+{100 * (median / low - 1):.0f} %) "
                f"in the median, {high:.2f} (+{100 * (high / low - 1):.0f} %) at the 95th percentile"
            )
        if hasattr(os, "getloadavg"):
            lines.append(f"load average over the last 15 minutes: {os.getloadavg()[2]:.2f}, of which ours is about 1")
        return lines


def _count_for(run: Callable[[int], object], seconds: float) -> int:
    """The number of times that the work fits into a turn. A first time, which may compile or load, does not count."""
    run(1)
    count, taken = 1, _time(run, 1)
    while taken < 0.2 * seconds:
        count *= 4
        taken = _time(run, count)
    return max(1, round(count * seconds / taken))


def _time(run: Callable[[int], object], count: int) -> float:
    start = time.thread_time()
    run(count)
    return time.thread_time() - start


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def keeping_byte_code() -> dict[str, str]:
    """The environment for processes whose start is timed: Python keeps byte code, as it does unless told not to."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": str(BYTE_CODE)}
