# SPDX-License-Identifier: GPL-3.0-or-later
"""The pose of a live linkage in any frame: its way from the pose that is stored, frame by frame along its drives.

So it is on the branch on which playing through comes to that frame, whatever was shown before. States at whole frames
are kept, so that the next frame costs one lead; they are only a memory, which gives the same bits as none.
"""

from __future__ import annotations

import math

import bpy
import numpy as np

from ...solver.kinematics import Kinematics, Led
from ..findings import refuse_all
from .course import Course, Place

MOST_KEPT = 5000  # frames whose states are kept
MOST_WALKED = 20000  # frames from the stored pose; beyond, the way is straight


Posed = tuple[Led, np.ndarray, np.ndarray]
"""The result of a lead, and positions (B, 3) m and orientations (B, 4) of all bodies."""


class Chart:
    """One mechanism, and its states at frames that were asked for."""

    def __init__(self, kinematics: Kinematics, course: Course, frame: float) -> None:
        self.kinematics, self.course, self._start = kinematics, course, frame
        self._first = kinematics.state()
        self._states: dict[int, list] = {}
        self._walked: tuple | None = None
        self._foreseen: tuple[float, Place, Posed] | None = None

    def pose(self, frame: float, depsgraph: bpy.types.Depsgraph) -> Posed:
        """At a frame that is evaluated. Raises SceneError for drives and leaders that are nowhere."""
        now, foreseen = self.course.now(depsgraph), self._foreseen
        self._foreseen = None
        refuse_all(self.course.astray(now))
        if foreseen is not None and foreseen[0] == frame and _are_same(foreseen[1], now):
            return foreseen[2]
        self.course.look()
        return self._posed(frame, now)

    def foresee(self, frame: float) -> Posed | None:
        """At a frame that is about to be evaluated, by keyframes alone; None if these do not tell.

        If it comes as foreseen, `pose` gives this once more.
        """
        self.course.look()
        if not self.course.is_known:
            return None
        place = self.course.ahead(frame)
        if self.course.astray(place):
            return None
        self._foreseen = frame, place, self._posed(frame, place)
        return self._foreseen[2]

    def _posed(self, frame: float, now: Place) -> Posed:
        self.kinematics.restore(self._state_near(frame, now))
        led = self.kinematics.lead(*now)
        return led, *self.kinematics.poses()

    def _state_near(self, frame: float, now: Place) -> list:
        """The state at the last whole frame on the way to a frame."""
        onward = frame >= self._start
        whole, step = (math.floor(frame), 1) if onward else (math.ceil(frame), -1)
        begin = math.floor(self._start) + 1 if onward else math.ceil(self._start) - 1
        count = (whole - begin) * step + 1
        if not self.course.is_known or not 0 < count <= MOST_WALKED:
            return self._first
        walked = self.course.key, self._rest(now)
        if walked != self._walked:
            self._states.clear()
            self._walked = walked
        at = whole
        while at != begin - step and at not in self._states:
            at -= step
        state = self._first if at == begin - step else self._states[at]
        for number in range(at + step, whole + step, step):
            self.kinematics.restore(state)
            place = self.course.at(number, now)
            if not self.course.astray(place):
                self.kinematics.lead(*place)
            state = self.kinematics.state()
            self._keep(number, state)
        return state

    def _rest(self, now: Place) -> bytes:
        """Values of what has no keyframes: it is at all frames where it is now."""
        fixed = self.course.at(self._start, now)
        return b"".join(part.tobytes() for part in fixed)

    def _keep(self, number: int, state: list) -> None:
        if len(self._states) >= MOST_KEPT:
            self._states.clear()
        self._states[number] = state


def _are_same(one: Place, other: Place) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))
