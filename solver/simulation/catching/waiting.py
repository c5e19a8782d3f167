# SPDX-License-Identifier: GPL-3.0-or-later
"""The time at which ends come near that wait for it, and what is one-sided closes, as a rope that is drawn taut."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...mechanism import Mechanism
from ...mechanism.bodies import Vector
from ...mechanism.forces import Approach
from ...mechanism.messages import Message
from ...mechanism.table import largest_norm
from ...model.linkage.compilation import Compiled
from .ends import Ends, Now
from .gaps import BacklashGap, CamGap, PointGap, is_one_sided, watch
from .one_sided import INSIDE_AT_START, LOOSENS

NEAR = 1e-9  # of the size, or of rad: how much farther apart than it may be what comes near is
_PASSED = 10.0  # times that: behind what a step has passed
_OF_THE_WAY, _OF_THE_REACH = 0.5, 0.25  # parts that a step may take ends on their way to each other


class _TooFar(NamedTuple):
    """By how much (m or rad) the ends of something are too far apart, and how long (s) they stay so at least."""

    name: str
    far: float
    longest: float


class Waiting:
    """The parts of a linkage that wait for their ends to come near, and one-sided ones that are open, while it moves.

    `begins`: as the whole motion begins, when it is not known yet which of those that touch leave each other.
    """

    def __init__(self, mechanism: Mechanism, compiled: Compiled, begins: bool = False) -> None:
        linkage = compiled.linkage
        forces = (mechanism.forces[i] for i in linkage.forces)
        self._fall = largest_norm(mechanism.gravity)
        approaches = {each.name: each for each in forces if isinstance(each, Approach) and each.enabled}
        one_sided = {each.name: each for each in mechanism.constraints if is_one_sided(each)}
        open_now = [one_sided[name] for name in approaches if name in one_sided]
        open_now += [mechanism.constraints[k] for k in linkage.within_backlash]
        self._gaps = {each.name: watch(mechanism, compiled, each) for each in open_now}
        self._approaches = {
            name: (each.rest_length, Ends(mechanism, compiled, _points(each)))
            for name, each in approaches.items()
            if name not in one_sided
        }
        self._near = dict.fromkeys(self._approaches, NEAR * compiled.model.size)
        self._near |= {name: NEAR * gap.unit for name, gap in self._gaps.items()}
        self._begins = begins
        self._leaving: set[str] | None = None  # what has just let go
        self._since = -np.inf  # s: when it was last looked at
        self._before: tuple[float, np.ndarray] | None = None  # s, m or rad: by how much too far apart, and when

    def __bool__(self) -> bool:
        return bool(self._near)

    @property
    def is_one_sided(self) -> bool:
        """True if something one-sided is open."""
        return bool(self._gaps)

    @property
    def names(self) -> list[str]:
        """Of joints and constraints."""
        return list(self._near)

    def near(self, now: Now) -> list[str]:
        """The names of what is farther apart than it may be by rounding at most; of what leaves, what comes back."""
        found, self._since = self._too_far(now), now.time
        self._note_leaving(found, now)
        return [
            each.name
            for each in found
            if (self._comes_back(each, now) if each.name in self._leaving else each.far <= self._near[each.name])
        ]

    def passed(self, now: Now) -> float | None:
        """s: about when something one-sided has closed since it was last asked, if a step has passed that."""
        before, found = self._before, self._too_far(now)
        far = np.array([each.far for each in found])
        self._before = now.time, far
        if before is None or len(before[1]) != len(far):
            return None
        near = np.array([self._near[each.name] for each in found])
        is_one_sided = np.array([each.name in self._gaps for each in found])
        is_past = is_one_sided & (far < -_PASSED * near) & (before[1] > near)
        first = _first(found, before, (now.time, far), is_past)
        return None if first is None else first[0]

    def inside(self, now: Now) -> list[Message]:
        """Problems: followers of cams that are inside the profiles, or on the side that does not push."""
        cams = {name: each.gap.size for name, each in self._gaps.items() if _is_cam(each)}
        return [
            Message("cam-inside", ("constraint", each.name), depth=f"{-each.far:.3g}")
            for each in self._too_far(now)
            if each.name in cams and -each.far > INSIDE_AT_START * cams[each.name]
        ]

    def longest_step(self, now: Now) -> float:
        """s: of a step from there that passes nothing which waits."""
        return min(each.longest for each in self._too_far(now))

    def forget_step(self) -> None:
        """Forgets where the last step ended, which has been taken back."""
        self._before = None

    def met(self, now: Now) -> tuple[float, list[str]] | None:
        """(s, names): when something has come near since it was last asked, as if evenly.

        What has just gone slack and is stretched would have held all the time: that is when it was last asked.
        """
        before, found = self._before, self._too_far(now)
        self._note_leaving(found, now)
        since, self._since = self._since, now.time
        stretched = [each.name for each in found if each.name in self._leaving and self._comes_back(each, now)]
        if stretched:
            return since, stretched
        found = [each for each in found if each.name not in self._leaving]
        far = np.array([each.far for each in found])
        self._before = now.time, far
        if before is None or len(before[1]) != len(far):
            return None
        return _first(found, before, (now.time, far), far <= 0.0)

    def _comes_back(self, each: _TooFar, now: Now) -> bool:
        """True of something one-sided that has let go, if it is stretched, and would be more so."""
        is_stretched = each.far <= -self._near[each.name]
        return is_stretched and self._gaps[each.name].now(now, self._fall).closing > 0.0

    def _note_leaving(self, found: list[_TooFar], now: Now) -> None:
        """Marks gaps as leaving that touch as it begins: they have just let go, until they are clearly open.

        Not so a cam that strikes its follower elsewhere; and as the whole motion begins, only what has the speed for it
        leaves.
        """
        near = {each.name for each in found if each.name in self._gaps and each.far <= self._near[each.name]}
        if self._leaving is not None:
            self._leaving &= near
            return
        self._leaving = set()
        for name in near:
            closing = self._gaps[name].now(now, self._fall).closing
            stays = closing > -LOOSENS if self._begins else closing > LOOSENS and _is_cam(self._gaps[name])
            self._leaving |= set() if stays else {name}

    def _too_far(self, now: Now) -> list[_TooFar]:
        found = []
        for name, (allowed, ends) in self._approaches.items():
            found.append(_TooFar(name, *_too_far(allowed, *ends.now(now.scratch), self._fall)))
        for name, each in self._gaps.items():
            gap = each.now(now, self._fall)
            found.append(_TooFar(name, gap.gap, gap.longest))
        return found


def _points(approach: Approach) -> Iterable[tuple[str | None, Vector]]:
    return (approach.body_a, approach.point_a), (approach.body_b, approach.point_b)


def _is_cam(each: PointGap | BacklashGap) -> bool:
    return isinstance(each, PointGap) and isinstance(each.gap, CamGap)


def _first(
    found: list[_TooFar], before: tuple[float, np.ndarray], now: tuple[float, np.ndarray], closed: np.ndarray
) -> tuple[float, list[str]] | None:
    """(s, names): the first of those that have closed between two looks (s, m or rad), as if evenly."""
    if not closed.any():
        return None
    share = np.where(closed, before[1] / np.where(closed, before[1] - now[1], 1.0), np.inf)
    share = np.clip(share, 0.0, None)
    first = float(share.min())
    names = [each.name for each, s in zip(found, share, strict=True) if s == first]
    return before[0] + first * (now[0] - before[0]), names


def _too_far(allowed: float, places: np.ndarray, velocities: np.ndarray, fall: float) -> tuple[float, float]:
    """(m, s): how much farther apart than they may be two ends (2, 3) are, and a time in which they stay apart.

    The time is that of a part of the way at the speed that they have to each other, under gravity (m/s2): in steps no
    longer than that nothing is passed but what comes nearer by a hundredth than it has to.
    """
    far = float(np.linalg.norm(places[1] - places[0])) - allowed
    way = max(_OF_THE_WAY * far, _OF_THE_REACH * allowed)
    speed = float(np.linalg.norm(velocities[1] - velocities[0]))
    longest = 2.0 * way / max(speed + np.sqrt(speed * speed + 2.0 * fall * way), 1e-300)
    return far, longest
