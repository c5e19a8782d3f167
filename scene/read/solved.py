# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses by the names of their bodies, as keyframes need them."""

import functools
from collections.abc import Iterator, Sequence

import numpy as np

from ...solver import Recording
from ...solver.simulation.recording import Between
from .track import Track, merged

_TRACKS = 64  # that are kept: those of bodies that hang on one ask for it again and again
_MIDDLE = 0.13  # frames: how far from the middle between two frames a sample may be that stands for it


class Solved:
    """Solved poses of the bodies over the frames: position (F, B, 3) and orientation (F, B, 4), by body name.

    With the `recording` that they come from and its frames per second, velocities are known as well; `ties` are the
    times (s) at which something may be tied, and speeds jump.
    """

    def __init__(
        self,
        names: list[str],
        position: np.ndarray,
        orientation: np.ndarray,
        recording: Recording | None = None,
        frame_rate: float = 1.0,
        ties: Sequence[float] = (),
    ) -> None:
        self.position, self.orientation = np.asarray(position), np.asarray(orientation)
        self.index = {name: i for i, name in enumerate(names)}
        self._recording, self._rate = recording, frame_rate
        self._tracks: dict[int, Track] = {}
        self._middles_of: dict[int, tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
        self._jumps: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._ties = np.round(np.array(ties, dtype=np.float64) * frame_rate)

    @classmethod
    def of_recording(cls, recording: Recording, frame_rate: float, ties: Sequence[float] = ()) -> "Solved":
        """All that a recording knows of the motion."""
        return cls(recording.body_names, recording.position, recording.orientation, recording, frame_rate, ties)

    def of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Position (F, 3) and orientation (F, 4) of one body."""
        i = self.index[name]
        return self.position[:, i], self.orientation[:, i]

    def of_all(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Position (B, F, 3) and orientation (B, F, 4) of some bodies: copies."""
        columns = [self.index[name] for name in names]
        return self.position[:, columns].swapaxes(0, 1).copy(), self.orientation[:, columns].swapaxes(0, 1).copy()

    def track(self, name: str) -> Track | None:
        """The motion of one body through and between the frames; None if no velocities are known."""
        if self._recording is None or len(self.position) < 2:
            return None
        i = self.index[name]
        if i not in self._tracks:
            samples, jumps = (self._joined(pieces) for pieces in zip(*self._between(i), strict=True))
            if len(self._tracks) >= _TRACKS:
                self._tracks.pop(next(iter(self._tracks)))
            self._tracks[i] = merged(self._frames(i), samples, jumps).begun_anew(self._ties)
        return self._tracks[i]

    def glimpsed(self, name: str) -> Track | None:
        """The same with only one instant between two frames, near their middle, and much quicker.

        None where that is not enough: speeds jump, or no velocities are known.
        """
        i, recording = self.index[name], self._recording
        if recording is None or len(self.position) < 2 or len(self._ties) or i in self._jumping:
            return None
        homes = self._homes.get(i, [])
        if len(homes) != 1:
            return None
        part, column = homes[0]
        chosen, times, order = self._middles(part)
        frames = self._frames(i)
        turn = part.orientation[chosen, column].astype(np.float64)
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        velocity = np.concatenate([frames.after, part.velocity[chosen, column] / self._rate])[order]
        position = np.concatenate([frames.position, part.position[chosen, column]])[order]
        return Track(times, position, np.concatenate([frames.orientation, turn])[order], velocity, velocity)

    @functools.cached_property
    def _jumping(self) -> set[int]:
        """Bodies whose speeds jump somewhere."""
        return {int(i) for part in self._recording.between for i in np.unique(part.jump_bodies)}

    @functools.cached_property
    def _homes(self) -> dict[int, list[tuple[Between, int]]]:
        """Samples of bodies: their linkages, and their columns there."""
        homes: dict[int, list[tuple[Between, int]]] = {}
        for part in self._recording.between:
            for column, i in enumerate(part.bodies.tolist()):
                homes.setdefault(i, []).append((part, column))
        return homes

    def _middles(self, part: Between) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The samples of a linkage near the middle between two frames; the times of these and frames, and their order.

        Of all bodies in the linkage, so they are found but once.
        """
        known = self._middles_of.get(id(part))
        if known is None:
            count, sampled = len(self.position), part.times * self._rate
            chosen = np.flatnonzero((np.abs(sampled % 1.0 - 0.5) < _MIDDLE) & (sampled < count - 1))
            chosen = chosen[np.unique(np.floor(sampled[chosen]), return_index=True)[1]]
            times = np.concatenate([np.arange(float(count)), sampled[chosen]])
            order = np.argsort(times)
            known = self._middles_of[id(part)] = chosen, times[order], order
        return known

    def _frames(self, i: int) -> Track:
        recording = self._recording
        velocity = np.hstack([recording.linear_velocity[:, i], recording.angular_velocity[:, i]]) / self._rate
        position, orientation = self.position[:, i], self.orientation[:, i]
        return Track(np.arange(float(len(position))), position, orientation, velocity, velocity)

    def _between(self, i: int) -> Iterator[tuple[Track, Track]]:
        """Samples and jumps of a body, by the linkages that it has belonged to."""
        nothing = [np.zeros((0, *shape)) for shape in ((), (3,), (4,), (6,), (6,))]
        yield Track(*nothing), Track(*nothing)
        for part, column in self._homes.get(i, []):
            velocity, of_body = part.velocity[:, column], self._jumps_of(part, i)
            jumps = part.jump_times, part.jump_position, part.jump_orientation
            jumps += part.velocity_before, part.velocity_after
            yield (
                self._track(part.times, part.position[:, column], part.orientation[:, column], velocity, velocity),
                self._track(*(array[of_body] for array in jumps)),
            )

    def _jumps_of(self, part: Between, i: int) -> np.ndarray:
        """Numbers of the jumps of a body in the samples of its linkage, in their order."""
        known = self._jumps.get(id(part))
        if known is None:
            order = np.argsort(part.jump_bodies, kind="stable")
            known = self._jumps[id(part)] = order, part.jump_bodies[order]
        order, bodies = known
        return order[slice(*np.searchsorted(bodies, [i, i + 1]))]

    def _track(self, seconds: np.ndarray, position, orientation, before, after) -> Track:
        known = seconds * self._rate <= len(self.position) - 1
        arrays = (np.array(each[known], dtype=np.float64) for each in (seconds, position, orientation, before, after))
        times, place, turn, *velocities = arrays
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        return Track(times * self._rate, place, turn, *(each / self._rate for each in velocities))

    @staticmethod
    def _joined(pieces: tuple[Track, ...]) -> Track:
        return Track(*(np.concatenate(arrays) for arrays in zip(*pieces, strict=True)))
