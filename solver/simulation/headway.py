# SPDX-License-Identifier: GPL-3.0-or-later
"""The evaluations that a linkage may take: for a frame, and without getting on among contacts whose points jump.

Counted, not timed, so that the same motion ends in the same place on every machine.
"""

import numpy as np

from ..integration.adams.memory import AdamsMemory
from ..model.arrays import Scratch

# evaluations in a frame: when rounding is looked for that takes the steps, when what is stretched is; at most
SOON, LOOK, MOST_IN_FRAME = 1000, 20_000, 400_000
_NEARLY_SINGULAR, _LOW = 1e-3, 5  # squared sine between rows, and order of a step
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

    def most(self, frame_times: np.ndarray, evaluations: int) -> float:
        """The evaluations by which the next frame is to be done, if a 24th of a second may take so many."""
        count = len(frame_times) - 1
        frames = 24.0 * (frame_times[-1] - frame_times[0]) / count if count > 0 else 1.0  # of a 24th of a second
        return self._frame[1] + max(1.0, frames) * evaluations


def is_lost_in_rounding(scratch: Scratch, memory: AdamsMemory) -> bool:
    """True if closures are near a singular pose and steps of low order: what is smooth would be taken by high ones.

    With closures open by d and s the sine of the angle between dependent rows, accelerations are off by d / s^3.
    """
    return scratch.pivots[0].smallest < _NEARLY_SINGULAR and memory.counts[0].order <= _LOW
