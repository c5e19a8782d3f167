# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps of what holds on one side only: of a rope its slack, of a cam the way from its follower to its profile, of a
gear with backlash the way to the nearer end of that.

Each is the same to those who watch it (`watch`): a gap, how fast it closes, and for how long it stays open at least.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...assembly.curve import CamProfile
from ...mechanism import Mechanism
from ...mechanism.bodies import Vector
from ...mechanism.constraints import Constraint, Coupling, Curve, Span
from ...mechanism.ropes import Rope
from ...model.closures import Backlash, Drums, start_coordinate
from ...model.linkage.compilation import Compiled
from .ends import Ends, Now, Points, moving

_OF_THE_WAY = 0.5  # that is left: as far as a step may go
_LEAVES = 1e-9  # of a rope's length, of a profile's size: the least way that a step may go
_SOON = 1e-7  # s: for how fast a rope is drawn out
_QUICKENS = 2.0  # times what is now: an acceleration within a step
_AT_LEAST = 0.1  # of gravity, of what may quicken it
_NEARLY = 1e6  # backlashes, of which a part counts as near, where they are small
_LONGEST_WITHIN = 0.02  # s: of steps within a backlash, where what drives may begin to do so


Wound = tuple[float, float, float]  # m, m/s, m/s2: on drums since the start


class Gap(NamedTuple):
    """A gap (m or rad), how fast it closes, a time (s) for which it stays open, and about how it quickens (per s2)."""

    gap: float
    closing: float
    longest: float
    quickens: float


def is_one_sided(constraint: Constraint) -> bool:
    """True of what holds on one side only: ropes that pull, cams that push, gears and racks at an end of backlash."""
    if isinstance(constraint, Span):
        return constraint.slack
    if isinstance(constraint, Curve):
        return constraint.one_sided is not None
    return isinstance(constraint, Coupling) and constraint.backlash > 0.0


class RopeGap:
    """A rod or a rope that pulls and never pushes: its slack."""

    def __init__(self, rope: Span) -> None:
        self.rope = rope
        self.ends: list[tuple[str | None, Vector]] = list(zip(rope.end_bodies, rope.end_points, strict=True))

    def is_open(self, places: Sequence, time: float, nearer: float, wound: float = 0.0) -> bool:
        """True if it is slack by more than a part of its length; wound (m): on its drums since the start."""
        if self.rope.given_length is None:
            return False
        length = self.rope.length_at(time)[0] - wound
        return self.rope.length_between(*places) < length * (1.0 - nearer)

    def now(self, points: Points, time: float, fall: float, wound: Wound = (0.0, 0.0, 0.0)) -> Gap:
        """Its slack; half of that stays for `longest`, under gravity (`fall`, m/s2) and by the speed of its ends."""
        places, velocities, _ = points
        length, grows = self.rope.length_at(time)
        length, grows = length - wound[0], grows - wound[1]
        way = self.rope.length_between(*places)
        loss = (self.rope.length_between(*(places + _SOON * velocities)) - way) / _SOON - grows
        speed = max(float(np.linalg.norm(a - b)) for a in velocities for b in velocities)
        slack, quickens = length - way, 4.0 * fall + 2.0 * speed * speed / length + _QUICKENS * abs(wound[2])
        left = max(_OF_THE_WAY * slack, _LEAVES * length)
        return Gap(slack, loss, float(_time_for(left, max(0.0, loss), quickens)), quickens)


class CamGap:
    """A cam that pushes its follower and never pulls it: the way between both."""

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


class BacklashGap:
    """A gear or a rack within its backlash: the way of joint_b's coordinate to the nearer end of that."""

    def __init__(self, backlash: Backlash, size: float) -> None:
        self.backlash, self.size = backlash, 2.0 * backlash.half
        self.unit = min(size, _NEARLY * self.size)  # m or rad, of which a part counts as near

    def end(self, now: Now) -> float:
        """The nearer end, 1 or -1."""
        return 1.0 if self.backlash.off(now.state.coordinates) > 0.0 else -1.0

    def now(self, now: Now, _fall: float) -> Gap:
        """The gap; half of that, and of the way to the other end, stays for `longest`."""
        d, rate = self.backlash.off(now.state.coordinates), self.backlash.difference(now.state.speeds)
        quick, half = self.backlash.difference(now.scratch.accelerations), self.backlash.half
        ways = np.maximum(_OF_THE_WAY * np.array((half - d, half + d)), _LEAVES * min(half, self.unit))
        longest = _time_for(ways, np.maximum(0.0, (rate, -rate)), np.full(2, _QUICKENS * abs(quick)))
        end = self.end(now)
        return Gap(half - abs(d), end * rate, min(float(longest.min()), _LONGEST_WITHIN), end * quick)


class PointGap:
    """A rope's or a cam's gap, by the points of bodies that it knows."""

    def __init__(self, gap: RopeGap | CamGap, ends: Ends, unit: float, drums: Drums | None = None) -> None:
        self.gap, self._ends, self.unit = gap, ends, unit  # m, of which a part counts as near
        self._drums = drums

    def points(self, now: Now) -> Points:
        """Its points at present."""
        return moving(self._ends, now.scratch)

    def now(self, now: Now, fall: float) -> Gap:
        """The gap, with gravity (m/s2)."""
        if self._drums is None:
            return self.gap.now(self.points(now), now.time, fall)
        rate, quick = (self._drums.winding(each) for each in (now.state.speeds, now.scratch.accelerations))
        return self.gap.now(self.points(now), now.time, fall, (self._drums.wound(now.state.coordinates), rate, quick))


def gap_of(part: Span | Curve) -> RopeGap | CamGap:
    """That of a rope or a cam."""
    return CamGap(part) if isinstance(part, Curve) else RopeGap(part)


def watch(mechanism: Mechanism, compiled: Compiled, part: Constraint) -> PointGap | BacklashGap:
    """The gap of something one-sided in a linkage."""
    if isinstance(part, Coupling):
        backlash = compiled.backlashes[part.name]
        return BacklashGap(backlash, 1.0 if backlash.is_angle else compiled.model.size)
    gap = gap_of(part)
    return PointGap(gap, Ends(mechanism, compiled, gap.ends), compiled.model.size, compiled.drums.get(part.name))


def wound_up(mechanism: Mechanism, part: Constraint, coordinates: np.ndarray, offsets: np.ndarray) -> float:
    """m: of a rope on its drums since the start, by the coordinates (D,) of all joints, which begin at offsets (J,)."""
    if not isinstance(part, Rope):
        return 0.0
    numbers = {joint.name: j for j, joint in enumerate(mechanism.joints)}
    angles = (
        coordinates[offsets[numbers[name]]] - start_coordinate(mechanism.joints[numbers[name]]) for name in part.drums
    )
    return float(sum(radius * angle for radius, angle in zip(part.radii, angles, strict=True)))


def _time_for(way: np.ndarray, speed: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """s: in which a way (m) is gone, from a speed on (m/s) and with an acceleration (m/s2)."""
    return 2.0 * way / np.maximum(speed + np.sqrt(speed * speed + 2.0 * acceleration * way), 1e-300)
