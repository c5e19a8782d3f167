# SPDX-License-Identifier: GPL-3.0-or-later
"""Solved poses by the names of their bodies, as keyframes need them."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...solver import Recording
from .track import Track, merged


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
        self._ties = np.round(np.array(ties, dtype=np.float64) * frame_rate)

    @classmethod
    def of_recording(cls, recording: Recording, frame_rate: float, ties: Sequence[float] = ()) -> "Solved":
        """All that a recording knows of the motion."""
        return cls(recording.body_names, recording.position, recording.orientation, recording, frame_rate, ties)

    def of(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Position (F, 3) and orientation (F, 4) of one body."""
        i = self.index[name]
        return self.position[:, i], self.orientation[:, i]

    def track(self, name: str) -> Track | None:
        """The motion of one body through and between the frames; None if no velocities are known."""
        recording, count = self._recording, len(self.position)
        if recording is None or count < 2:
            return None
        i = self.index[name]
        velocity = np.hstack([recording.linear_velocity[:, i], recording.angular_velocity[:, i]])
        position, orientation = (np.array(array, dtype=np.float64) for array in self.of(name))
        frames = Track(np.arange(float(count)), position, orientation, velocity / self._rate, velocity / self._rate)
        samples, jumps = (self._joined(pieces) for pieces in zip(*self._between(i), strict=True))
        return merged(frames, samples, jumps).begun_anew(self._ties)

    def _between(self, i: int) -> Iterator[tuple[Track, Track]]:
        """Samples and jumps of a body, by the linkages that it has belonged to."""
        nothing = [np.zeros((0, *shape)) for shape in ((), (3,), (4,), (6,), (6,))]
        yield Track(*nothing), Track(*nothing)
        for part in self._recording.between:
            for column in np.flatnonzero(part.bodies == i):
                velocity = part.velocity[:, column]
                poses = part.position[:, column], part.orientation[:, column]
                of_body = part.jump_bodies == i
                jumps = part.jump_times, part.jump_position, part.jump_orientation
                jumps += part.velocity_before, part.velocity_after
                yield (
                    self._track(part.times, *poses, velocity, velocity),
                    self._track(*(array[of_body] for array in jumps)),
                )

    def _track(self, seconds: np.ndarray, position, orientation, before, after) -> Track:
        known = seconds * self._rate <= len(self.position) - 1
        arrays = (np.array(each[known], dtype=np.float64) for each in (seconds, position, orientation, before, after))
        times, place, turn, *velocities = arrays
        turn /= np.linalg.norm(turn, axis=1, keepdims=True)
        return Track(times * self._rate, place, turn, *(each / self._rate for each in velocities))

    @staticmethod
    def _joined(pieces: tuple[Track, ...]) -> Track:
        return Track(*(np.concatenate(arrays) for arrays in zip(*pieces, strict=True)))
