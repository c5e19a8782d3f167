# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluations that a linkage may take: for a frame, and without getting on among contacts whose points jump.

Counted, not timed, so that the same motion ends in the same place on every machine.
"""

import numpy as np

_LOOK, _MOST_IN_FRAME = 20_000, 1_000_000  # evaluations in a frame: when what is stretched is looked for; at most
_PATIENCE, _HARDLY = 20_000, 0.1  # evaluations that get less far than that, in times of contacts: points that jump


class Headway:
    """Progress of one linkage through its frames, and the evaluations that it has taken."""

    def __init__(self, time: float) -> None:
        self._seen = 0, time  # evaluations and time (s) when it was last seen to get on
        self._frame = 0, 0  # frames, and evaluations when the last of them was done

    def jumps(self, evaluations: int, time: float, quickest: float) -> bool:
        """True if it hardly gets on any more, since points of a contact that lasts so long (s) jump to and fro."""
        if evaluations < self.end_of_patience:
            return False
        before, self._seen = self._seen[1], (evaluations, time)
        return time - before < _HARDLY * quickest

    @property
    def end_of_patience(self) -> int:
        """The evaluations at which `jumps` looks next: a pause there must not depend on the clock."""
        return self._seen[0] + _PATIENCE

    def note(self, frames: int, evaluations: int, is_last: bool) -> None:
        """Notes how many frames are done, and whether none is to come."""
        if frames != self._frame[0] or is_last:
            self._frame = frames, evaluations

    def most(self, frame_times: np.ndarray, looks: bool) -> float:
        """The evaluations by which the next frame is to be done, or, with `looks`, what is stretched is looked for."""
        count = len(frame_times) - 1
        frames = 24.0 * (frame_times[-1] - frame_times[0]) / count if count > 0 else 1.0  # of a 24th of a second
        return self._frame[1] + max(1.0, frames) * (_LOOK if looks else _MOST_IN_FRAME)
