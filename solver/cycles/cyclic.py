# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion of which the last frame flows into the first: the same time again and again, each from the end of the last.

What is damped forgets how it began, and comes to the motion that repeats itself; that is the fixed point of the map
from a start to the end (Poincare's), and this goes to it by its plain iteration. Keys of bodies are taken round: beyond
each end those of the other go on, so that their splines are as smooth there as anywhere.
"""

import dataclasses
from collections.abc import Iterator

import numpy as np

from ..mechanism import Body, Keys, Mechanism
from ..model.moment import Moment
from ..simulation.recording import Recording
from ..simulation.simulation import Progress, Simulation
from ..simulation.timeline import Timeline

CLOSED = 1e-4  # of size and largest speeds, and rad: what last and first frame may differ by
MOST = 100  # cycles
_AROUND = 16  # keys beyond each end


class CyclicSimulation(Simulation):
    """A simulation whose duration is that of a cycle; parameters and errors are the same.

    Of what is keyed the last key must be where the first is (`open_keys` are not). After `run`: cycles that it took,
    and gap, what the last frame differs from the first by, in parts of size, rad and speeds: above CLOSED the motion
    does not repeat itself.
    """

    def __init__(self, mechanism: Mechanism, duration: float, frame_rate: float = 24.0, **options) -> None:
        around = [_taken_round(body, duration) for body in mechanism.bodies]
        super().__init__(dataclasses.replace(mechanism, bodies=around), duration, frame_rate, **options)
        self.cycles, self.gap = 0, np.inf

    def run(self) -> Iterator[Progress]:
        """Runs cycle after cycle, a few milliseconds between two yields. Raises SimulationFailed."""
        for _ in self.warm_up():
            yield Progress(0.0, 0.0, 0)
        moment = recording = None
        while self.gap > CLOSED and self.cycles < MOST:
            timeline = self.start(moment)
            if moment is not None:
                timeline.notes = [each for each in timeline.notes if getattr(each, "code", "") != "velocities-changed"]
            recording = yield from self._run(timeline)
            self.cycles, self.gap = self.cycles + 1, gap(recording, self.mechanism)
            moment = _end_of(recording, timeline)
        self._recording = recording


def open_keys(mechanism: Mechanism, tolerance: float = 1e-3) -> list[str]:
    """The names of bodies whose last key is not where their first is, by a part of their way or rad."""
    found = []
    for body in mechanism.bodies:
        if body.keys is not None and len(body.keys.times) > 1:
            places, turns = np.array(body.keys.positions, float), np.array(body.keys.orientations, float)
            size = max(float(np.ptp(places, axis=0).max()), 1e-9)
            apart = np.abs(places[-1] - places[0]).max() > tolerance * size
            if apart or _turn(turns[-1], turns[0]) > tolerance:
                found.append(body.name)
    return found


def gap(recording: Recording, mechanism: Mechanism) -> float:
    """The most that the last frame of dynamic bodies differs from the first by."""
    chosen = [k for k, body in enumerate(mechanism.bodies) if body.motion == "dynamic"]
    place = recording.position[:, chosen]
    size = max(float(np.ptp(place.reshape(-1, 3), axis=0).max()), 1e-9)
    worst = np.abs(place[-1] - place[0]).max() / size
    for q, p in zip(recording.orientation[-1, chosen], recording.orientation[0, chosen], strict=True):
        worst = max(worst, _turn(q, p))
    for speeds in (recording.linear_velocity[:, chosen], recording.angular_velocity[:, chosen]):
        most = max(float(np.abs(speeds).max()), 1e-6 * size * len(recording.times))
        worst = max(worst, float(np.abs(speeds[-1] - speeds[0]).max()) / most)
    return float(worst)


def _turn(q: np.ndarray, p: np.ndarray) -> float:
    """rad: from one orientation to another."""
    return 2.0 * float(min(np.linalg.norm(q - p), np.linalg.norm(q + p)))


def _taken_round(body: Body, duration: float) -> Body:
    if body.keys is None or len(body.keys.times) < 2 * _AROUND:
        return body
    times = np.array(body.keys.times, float)
    places, turns = np.array(body.keys.positions, float), np.array(body.keys.orientations, float)
    before, after = slice(-_AROUND - 1, -1), slice(1, _AROUND + 1)
    times = np.concatenate([times[before] - duration, times, times[after] + duration])
    keys = Keys(times, *(np.concatenate([each[before], each, each[after]]) for each in (places, turns)))
    return dataclasses.replace(body, keys=keys)


def _end_of(recording: Recording, timeline: Timeline) -> Moment:
    """The last frame, as a moment at 0 s."""
    names = "position", "orientation", "linear_velocity", "angular_velocity", "joint_coordinates"
    known = {source: gives_way for run in timeline.runs for source, gives_way in run.closures}
    return Moment(0.0, *(getattr(recording, name)[-1] for name in names), recording.joint_offsets, {}, known)
