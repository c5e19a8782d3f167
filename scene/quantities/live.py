# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a run while it runs, for Inspect and the plots in the 3D View.

They are worked out when somebody asks, and then kept for a while, so that they never take more than a SHARE of the time
that goes by, however long the run and however many its bodies.
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...solver.simulation.inspection import inspect
from ...solver.simulation.live import LiveRun
from ..read.reading import Reading
from .recorded import Owner, Record, values_of

SHARE = 0.2  # of the time, at most


class LiveRecords:
    """The records of one run. Called with an object or the scene, it gives its record; None of what takes no part."""

    def __init__(self, reading: Reading, run: LiveRun, clock: Callable[[], float] = time.perf_counter) -> None:
        self._reading, self._run, self._clock = reading, run, clock
        self._values: dict[Owner, dict] = {}
        self._frame, self._rests_until = -1, 0.0

    def __call__(self, owner: Owner) -> Record | None:
        """Of all frames so far, or so far as they were when it was last looked at."""
        now = self._clock()
        if self._frame != self._run.frame and now >= self._rests_until:
            self._look()
            self._rests_until = self._clock() + (self._clock() - now) * (1.0 - SHARE) / SHARE
        values = self._values.get(owner)
        if values is None:
            return None
        frames = self._frame + 1
        return Record(self._reading.first, self._reading.frame_rate, values, frames, 0, frames)

    def begin_again(self, run: LiveRun) -> None:
        """The records of another run of the same parts from now on."""
        self._run, self._frame, self._rests_until = run, -1, 0.0
        self._values.clear()

    def _look(self) -> None:
        mechanism, recording = self._run.mechanism, self._run.motion()
        reading = replace(self._reading, mechanism=mechanism)
        found = inspect(mechanism, recording)
        self._values = {
            owner: {name: np.ravel(value) if isinstance(value, np.ndarray) else value for name, value in values.items()}
            for owner, values in values_of(reading, recording, found)
        }
        self._frame = len(recording.times) - 1
