# SPDX-License-Identifier: GPL-3.0-or-later
"""The time at which ends come near that wait for it, and what is one-sided closes, as a rope that is drawn taut."""

from collections.abc import Iterable

import numpy as np

from ...mechanism import Mechanism
from ...mechanism.bodies import Vector
from ...mechanism.forces import Approach
from ...mechanism.messages import Message
from ...mechanism.table import largest_norm
from ...model.arrays import Scratch
from ...model.linkage.compilation import Compiled
from .ends import Ends, moving
from .gaps import CamGap, gap_of, is_one_sided
from .one_sided import INSIDE_AT_START, LOOSENS

_OF_THE_WAY, _OF_THE_REACH = 0.5, 0.25  # parts that a step may take ends on their way to each other


class Waiting:
    """The parts of a linkage that wait for their ends to come near, and one-sided ones that are open, while it moves.

    `begins`: as the whole motion begins, when it is not known yet which of those that touch leave each other.
    """

    def __init__(self, mechanism: Mechanism, compiled: Compiled, begins: bool = False) -> None:
        forces = (mechanism.forces[i] for i in compiled.linkage.forces)
        self._fall = largest_norm(mechanism.gravity)
        approaches = {force.name: force for force in forces if isinstance(force, Approach) and force.enabled}
        self._approaches = list(approaches.values())
        self._gaps = {each.name: gap_of(each) for each in mechanism.constraints if is_one_sided(each)}
        self._begins = begins
        self._ends = [Ends(mechanism, compiled, self._points(each)) for each in self._approaches]
        self._leaving: set[str] | None = None  # what has just let go
        self._most = 0.0  # m: that counts as near
        self._since = -np.inf  # s: when it was last looked at
        self._before: tuple[float, np.ndarray] | None = None  # s, m: by how much ends were too far apart, and when

    def __bool__(self) -> bool:
        return bool(self._approaches)

    @property
    def is_one_sided(self) -> bool:
        """True if something one-sided is open."""
        return any(each.name in self._gaps for each in self._approaches)

    @property
    def names(self) -> list[str]:
        """Of joints and constraints."""
        return [each.name for each in self._approaches]

    def near(self, scratch: Scratch, time: float, most: float) -> list[str]:
        """The names of what is no more than `most` (m) farther apart than it may be at a time (s)."""
        found, self._most, self._since = self._too_far(scratch, time), most, time
        self._note_leaving(found, scratch, time)
        return [each.name for each, far, _ in found if far <= (-most if each.name in self._leaving else most)]

    def inside(self, scratch: Scratch, time: float) -> list[Message]:
        """Problems: followers of cams that are inside the profiles, or on the side that does not push."""
        cams = {name: gap.size for name, gap in self._gaps.items() if isinstance(gap, CamGap)}
        found = [(each.name, -far) for each, far, _ in self._too_far(scratch, time) if each.name in cams]
        return [
            Message("cam-inside", ("constraint", name), depth=f"{depth:.3g}")
            for name, depth in found
            if depth > INSIDE_AT_START * cams[name]
        ]

    def longest_step(self, scratch: Scratch, time: float) -> float:
        """s: of a step from there that passes nothing which waits."""
        return min(longest for *_, longest in self._too_far(scratch, time))

    def forget_step(self) -> None:
        """Forgets where the last step ended, which has been taken back."""
        self._before = None

    def met(self, scratch: Scratch, time: float) -> tuple[float, list[str]] | None:
        """(s, names): when something has come near since it was last asked, as if evenly.

        What has just gone slack and is stretched would have held all the time: that is when it was last asked.
        """
        before, found = self._before, self._too_far(scratch, time)
        self._note_leaving(found, scratch, time)
        since, self._since = self._since, time
        stretched = [
            each.name
            for (each, far, _), ends in zip(found, self._ends, strict=True)
            if far < -self._most and each.name in self._leaving and self._closes(each.name, ends, scratch, time)
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

    def _points(self, approach: Approach) -> Iterable[tuple[str | None, Vector]]:
        if approach.name in self._gaps:
            return self._gaps[approach.name].ends
        return (approach.body_a, approach.point_a), (approach.body_b, approach.point_b)

    def _closes(self, name: str, ends: Ends, scratch: Scratch, time: float) -> bool:
        return self._gaps[name].now(moving(ends, scratch), time, self._fall).closing > 0.0

    def _note_leaving(self, found: list[tuple[Approach, float, float]], scratch: Scratch, time: float) -> None:
        """Marks gaps as leaving that touch as it begins: they have just let go, until they are clearly open.

        Not so a cam that strikes its follower elsewhere; and as the whole motion begins, only what has the speed for it
        leaves.
        """
        near = {each.name for each, far, _ in found if each.name in self._gaps and far <= self._most}
        if self._leaving is not None:
            self._leaving &= near
            return
        self._leaving = set()
        for each, ends in zip(self._approaches, self._ends, strict=True):
            if each.name in near:
                gap = self._gaps[each.name]
                closing = gap.now(moving(ends, scratch), time, self._fall).closing
                stays = closing > -LOOSENS if self._begins else closing > LOOSENS and isinstance(gap, CamGap)
                self._leaving |= set() if stays else {each.name}

    def _too_far(self, scratch: Scratch, time: float) -> list[tuple[Approach, float, float]]:
        """Of each, by how much (m) its ends are too far apart, and how long (s) they stay so at least."""
        found = []
        for each, ends in zip(self._approaches, self._ends, strict=True):
            if each.name in self._gaps:
                gap = self._gaps[each.name].now(moving(ends, scratch), time, self._fall)
                found.append((each, gap.gap, gap.longest))
            else:
                found.append((each, *_too_far(each.rest_length, *ends.now(scratch), self._fall)))
        return found


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
