# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps of what holds on one side only: of a rope its slack, of a cam the way from its follower to its profile.

Each is the same to those who watch it: places and velocities of some points of bodies go in, and the gap, how fast it
closes, and for how long it stays open at least come out.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...assembly.curve import CamProfile
from ...mechanism.bodies import Vector
from ...mechanism.constraints import Constraint, Curve, Span
from .ends import Points

_OF_THE_WAY = 0.5  # that is left: as far as a step may go
_LEAVES = 1e-9  # of a rope's length, of a profile's size: the least way that a step may go
_SOON = 1e-7  # s: for how fast a rope is drawn out
_QUICKENS = 2.0  # times what is now: an acceleration within a step
_AT_LEAST = 0.1  # of gravity, of what may quicken it


class Gap(NamedTuple):
    """A gap (m), how fast it closes (m/s), a time (s) for which it stays open, and about how it quickens (m/s2)."""

    gap: float
    closing: float
    longest: float
    quickens: float


def is_one_sided(constraint: Constraint) -> bool:
    """True of what holds on one side only: ropes that pull and never push, cams that push and never pull."""
    return (isinstance(constraint, Span) and constraint.slack) or (
        isinstance(constraint, Curve) and constraint.one_sided is not None
    )


class RopeGap:
    """A rod or a rope that pulls and never pushes: its slack."""

    push = -1.0  # of a multiplier that holds

    def __init__(self, rope: Span) -> None:
        self.rope = rope
        self.ends: list[tuple[str | None, Vector]] = list(zip(rope.end_bodies, rope.end_points, strict=True))

    def is_open(self, places: Sequence, time: float, nearer: float) -> bool:
        """True if it is slack by more than a part of its length."""
        if self.rope.given_length is None:
            return False
        length = self.rope.length_at(time)[0]
        return self.rope.length_between(*places) < length * (1.0 - nearer)

    def now(self, points: Points, time: float, fall: float) -> Gap:
        """Its slack; half of that stays for `longest`, under gravity (`fall`, m/s2) and by the speed of its ends."""
        places, velocities, _ = points
        length, grows = self.rope.length_at(time)
        way = self.rope.length_between(*places)
        loss = (self.rope.length_between(*(places + _SOON * velocities)) - way) / _SOON - grows
        speed = max(float(np.linalg.norm(a - b)) for a in velocities for b in velocities)
        slack, quickens = length - way, 4.0 * fall + 2.0 * speed * speed / length
        left = max(_OF_THE_WAY * slack, _LEAVES * length)
        return Gap(slack, loss, float(_time_for(left, max(0.0, loss), quickens)), quickens)


class CamGap:
    """A cam that pushes its follower and never pulls it: the way between both."""

    push = 1.0

    def __init__(self, cam: Curve) -> None:
        self._profile = profile = CamProfile(cam)
        frame = [profile.origin, *(profile.origin + axis for axis in profile.axes.T)]
        self.ends: list[tuple[str | None, Vector]] = [(cam.body, cam.point), *((cam.to, tuple(each)) for each in frame)]

    def is_open(self, places: Sequence, _time: float, nearer: float) -> bool:
        """True if the roller is away from the profile by more than a part of its size."""
        return self.at(np.array(places, float))[0] > nearer * self._profile.size

    @property
    def size(self) -> float:
        """m: of the profile."""
        return self._profile.size

    def held(self, places: np.ndarray, velocities: np.ndarray) -> tuple[float, float, float]:
        """(m, m/s, s): the gap, how fast it closes, and the time in which the profile passes by its own size."""
        gap, c, n = self.at(places)
        passes = velocities[0] - velocities[1] - (velocities[2:] - velocities[1]).T @ c
        closing = -float((places[2:] - places[1]).T @ n @ passes)
        return gap, closing, self._profile.size / max(float(np.linalg.norm(passes)), 1e-300)

    def at(self, places: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """(gap, c, n) as of `CamProfile.gap`; the axes of the profile are there as four points of its body."""
        return self._profile.gap((places[2:] - places[1]) @ (places[0] - places[1]))

    def now(self, points: Points, _time: float, fall: float) -> Gap:
        """The gap; each point of the profile keeps half of its own way to the roller for `longest`."""
        places, velocities, accelerations = points
        gap, c, n = self.at(places)
        axes, fields = (places[2:] - places[1]).T, [(each[2:] - each[1]).T for each in points[1:]]
        watched = np.vstack([self._profile.points + (0.0, 0.0, c[2]), c])
        away = places[0] - places[1] - watched @ axes.T
        speed = velocities[0] - velocities[1] - watched @ fields[0].T
        quick = accelerations[0] - accelerations[1] - watched @ fields[1].T
        distance = np.linalg.norm(away, axis=1)
        closing = -np.einsum("ij,ij->i", away, speed) / np.maximum(distance, 1e-300)
        closing[-1] = -float(axes @ n @ speed[-1])
        left = np.maximum(_OF_THE_WAY * (distance - self._profile.radius), _LEAVES * self._profile.size)
        quickens = _QUICKENS * np.linalg.norm(quick, axis=1) + _AT_LEAST * fall
        longest = _time_for(left, np.maximum(0.0, closing), quickens).min()
        return Gap(gap, float(closing[-1]), float(longest), -float(axes @ n @ quick[-1]))


def gap_of(part: Constraint) -> RopeGap | CamGap:
    """That of something one-sided."""
    return CamGap(part) if isinstance(part, Curve) else RopeGap(part)


def _time_for(way: np.ndarray, speed: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """s: in which a way (m) is gone, from a speed on (m/s) and with an acceleration (m/s2)."""
    return 2.0 * way / np.maximum(speed + np.sqrt(speed * speed + 2.0 * acceleration * way), 1e-300)
