# SPDX-License-Identifier: GPL-3.0-or-later
"""The time at which ends come near that wait for it, and a slack rope is drawn taut."""

import numpy as np

from ...mechanism import Mechanism
from ...mechanism.constraints import Span
from ...mechanism.forces import Approach
from ...mechanism.table import largest_norm
from ...model.topology import Linkage
from ..recording import Recording
from .ends import moving_ends
from .ropes import is_slack, slack_and_loss

_OF_THE_WAY, _OF_THE_REACH = 0.5, 0.25  # parts that a step may take ends on their way to each other
_LEAVES = 1e-9  # of a rope's length: the least way that a step may go


class Waiting:
    """The parts of a linkage that wait for their ends to come near, and ropes that hang slack, while it moves."""

    def __init__(self, mechanism: Mechanism, linkage: Linkage) -> None:
        forces = (mechanism.forces[i] for i in linkage.forces)
        self._mechanism = mechanism
        approaches = {force.name: force for force in forces if isinstance(force, Approach) and force.enabled}
        self._approaches = list(approaches.values())
        self._ropes = {each.name: each for each in mechanism.constraints if is_slack(each)}
        self._leaving: set[str] | None = None  # ropes that have just gone slack
        self._most = 0.0  # m: that counts as near
        self._since = -np.inf  # s: when it was last looked at
        self._before: tuple[float, np.ndarray] | None = None  # s, m: by how much ends were too far apart, and when

    def __bool__(self) -> bool:
        return bool(self._approaches)

    @property
    def has_ropes(self) -> bool:
        """True if ropes hang slack."""
        return any(each.name in self._ropes for each in self._approaches)

    @property
    def names(self) -> list[str]:
        """Of joints and constraints."""
        return [each.name for each in self._approaches]

    def near(self, now: Recording, most: float) -> list[str]:
        """The names of what is no more than `most` (m) farther apart than it may be at a single frame."""
        found, self._most, self._since = self._too_far(now), most, float(now.times[0])
        self._note_leaving(found)
        return [each.name for each, far, _ in found if far <= (-most if each.name in self._leaving else most)]

    def longest_step(self, now: Recording) -> float:
        """s: of a step from there that passes nothing which waits."""
        return min(longest for *_, longest in self._too_far(now))

    def forget_step(self) -> None:
        """Forgets where the last step ended, which has been taken back."""
        self._before = None

    def met(self, now: Recording) -> tuple[float, list[str]] | None:
        """(s, names): when something has come near since the last frame that was asked about, as if evenly.

        What has just gone slack and is stretched would have held all the time: that is when it was last asked.
        """
        before, found, time = self._before, self._too_far(now), float(now.times[0])
        self._note_leaving(found)
        since, self._since = self._since, time
        stretched = [
            each.name
            for each, far, _ in found
            if far < -self._most and each.name in self._leaving and self._is_drawn_out(each.name, now)
        ]
        if stretched:
            return since, stretched
        found = [each for each in found if each[0].name not in self._leaving]
        far = np.array([each for _, each, _ in found])
        self._before = time, far
        if before is None or len(before[1]) != len(far) or not (far <= 0.0).any():
            return None
        share = np.where(far <= 0.0, before[1] / np.where(far <= 0.0, before[1] - far, 1.0), np.inf)
        share = np.clip(share, 0.0, None)
        first = float(share.min())
        names = [approach.name for (approach, *_), each in zip(found, share, strict=True) if each == first]
        return before[0] + first * (time - before[0]), names

    def _is_drawn_out(self, rope: str, now: Recording) -> bool:
        return slack_and_loss(self._mechanism, self._ropes[rope], now)[1] > 0.0

    def _note_leaving(self, found: list[tuple[Approach, float, float]]) -> None:
        """Ropes that are taut as it begins have just gone slack, and are leaving until they are clearly slack."""
        near = {each.name for each, far, _ in found if each.name in self._ropes and far <= self._most}
        self._leaving = near if self._leaving is None else self._leaving & near

    def _too_far(self, now: Recording) -> list[tuple[Approach, float, float]]:
        return [
            (each, *_slack_of(self._mechanism, self._ropes[each.name], now))
            if each.name in self._ropes
            else (each, *_too_far(self._mechanism, each, now))
            for each in self._approaches
        ]


def _too_far(mechanism: Mechanism, approach: Approach, now: Recording) -> tuple[float, float]:
    """(m, s): how much farther apart than they may be ends are at a single frame, and a time in which they stay apart.

    The time is that of a part of the way at the speed that they have to each other, under gravity: in steps no longer
    than that nothing is passed but what comes nearer by a hundredth than it has to.
    """
    ends = (approach.body_a, approach.point_a), (approach.body_b, approach.point_b)
    places, velocities = moving_ends(mechanism, ends, now)
    far = float(np.linalg.norm(places[1] - places[0])) - approach.rest_length
    way = max(_OF_THE_WAY * far, _OF_THE_REACH * approach.rest_length)
    speed, fall = float(np.linalg.norm(velocities[1] - velocities[0])), largest_norm(mechanism.gravity)
    longest = 2.0 * way / max(speed + np.sqrt(speed * speed + 2.0 * fall * way), 1e-300)
    return far, longest


def _slack_of(mechanism: Mechanism, rope: Span, now: Recording) -> tuple[float, float]:
    """(m, s): by how much a rope is longer than the way between its ends, and a time in which half of that stays."""
    slack, loss, speed = slack_and_loss(mechanism, rope, now)
    length = rope.length_at(float(now.times[0]))[0]
    quickens = 4.0 * largest_norm(mechanism.gravity) + 2.0 * speed * speed / length
    way, loss = max(_OF_THE_WAY * slack, _LEAVES * length), max(0.0, loss)
    return slack, 2.0 * way / max(loss + np.sqrt(loss * loss + 2.0 * quickens * way), 1e-300)
