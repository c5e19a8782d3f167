# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed forms of motions with forces that jump: dry friction, stops, motors with a maximum, springs that only push."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

GRAVITY = 9.81


def sliding_block(mass: float, speed: float, friction: float, t: np.ndarray) -> np.ndarray:
    """Travel of a block that slides to rest against a constant force: it stops after m v / f."""
    t = np.minimum(t, mass * speed / friction)
    return speed * t - 0.5 * friction / mass * t**2


def driven_to_speed(mass: float, force: float, speed: float, t: np.ndarray) -> np.ndarray:
    """Travel from rest: a constant force up to the speed, from then on evenly."""
    ramp = mass * speed / force
    return np.where(t < ramp, 0.5 * force / mass * t**2, speed * (t - 0.5 * ramp))


@dataclass
class StickingOscillator:
    """A mass on a spring with dry friction, let go at rest at `start` from the spring's rest; it stops turn by turn."""

    mass: float
    stiffness: float
    friction: float
    start: float

    def at(self, t: np.ndarray) -> np.ndarray:
        """Each half swing is harmonic about where friction holds the spring, and ends at rest on the other side."""
        omega, x, before = np.sqrt(self.stiffness / self.mass), self.start, 0.0
        reach, place = self.friction / self.stiffness, np.full(np.shape(t), np.nan)
        place[t >= before] = x
        while abs(x) > reach:
            center = np.sign(x) * reach
            swing = t >= before
            place[swing] = center + (x - center) * np.cos(omega * (t[swing] - before))
            x, before = 2.0 * center - x, before + np.pi / omega
            place[t >= before] = x
        return place


@dataclass
class ShakenBlock:
    """A block under a pull P cos(w t) on a rail with dry friction f < P, at rest at first: it jerks to and fro.

    It gives way where P |cos| passes f, and slides on until its speed is zero: at once again, or held for a while.
    """

    mass: float
    pull: float
    pulse: float  # rad/s
    friction: float

    def slides(self, until: float) -> list[tuple[float, float, float, float]]:
        """(Begin, end, sign, place at the begin) of each slide up to a time (s)."""
        held = np.arccos(self.friction / self.pull)  # rad, before and after each peak of the pull: it exceeds friction
        found, begin, sign, place = [], 0.0, 1.0, 0.0
        while begin < until:
            later = begin + np.linspace(1e-3, 2.0 * np.pi, 4000) / self.pulse
            first = int(np.argmax(sign * self._speed(later, begin, sign) < 0.0))
            end = brentq(self._speed, later[first - 1], later[first], (begin, sign), xtol=1e-15)
            found.append((begin, end, sign, place))
            place += self._way(end, begin, sign)
            peak = np.ceil((self.pulse * end - held) / np.pi)
            begin = max(end, (peak * np.pi - held) / self.pulse)
            sign = 1.0 if peak % 2 == 0 else -1.0
        return found

    def at(self, t: np.ndarray) -> np.ndarray:
        place, slides = np.zeros(np.shape(t)), self.slides(np.max(t))
        for begin, end, sign, start in slides:
            behind = t >= begin
            place[behind] = start + self._way(np.minimum(t[behind], end), begin, sign)
        return place

    def _speed(self, t, begin, sign):
        swing = self.pull / self.pulse * (np.sin(self.pulse * t) - np.sin(self.pulse * begin))
        return (swing - sign * self.friction * (t - begin)) / self.mass

    def _way(self, t, begin, sign):
        swing = (np.cos(self.pulse * begin) - np.cos(self.pulse * t)) / self.pulse
        swing -= np.sin(self.pulse * begin) * (t - begin)
        return (self.pull / self.pulse * swing - 0.5 * sign * self.friction * (t - begin) ** 2) / self.mass


@dataclass
class Bouncer:
    """A mass dropped from rest onto a spring that only pushes, without loss: it comes back for ever."""

    mass: float
    stiffness: float
    drop: float

    @property
    def period(self) -> float:
        omega, arrival = np.sqrt(self.stiffness / self.mass), np.sqrt(2.0 * GRAVITY * self.drop)
        touching = 2.0 / omega * (np.pi - np.arctan(arrival * omega / GRAVITY))
        return 2.0 * np.sqrt(2.0 * self.drop / GRAVITY) + touching

    @property
    def lowest(self) -> float:
        """Depth at the turn, where all potential energy is the spring's."""
        sag = self.mass * GRAVITY / self.stiffness
        return sag + np.sqrt(sag**2 + 2.0 * sag * self.drop)


def bounced(drop: float, bounciness: float, t: np.ndarray) -> np.ndarray:
    """Height above the floor of what is let go at rest, and leaves the floor with a share of the speed it came with."""
    fall = np.sqrt(2.0 * drop / GRAVITY)
    height, begins, speed = np.where(t < fall, drop - 0.5 * GRAVITY * t**2, 0.0), fall, bounciness * GRAVITY * fall
    while speed > 1e-12 and begins < np.max(t):
        since = t - begins
        height = np.where(since > 0.0, np.maximum(0.0, speed * since - 0.5 * GRAVITY * since**2), height)
        begins, speed = begins + 2.0 * speed / GRAVITY, bounciness * speed
    return height


def end_of_bounces(drop: float, bounciness: float) -> float:
    """s: when it has come to rest, after infinitely many of them."""
    return np.sqrt(2.0 * drop / GRAVITY) * (1.0 + bounciness) / (1.0 - bounciness)


def fall_in_air(mass: float, coefficient: float, t: np.ndarray) -> np.ndarray:
    """Depth of a fall from rest against a force coefficient v^2: it tends to the speed sqrt(m g / coefficient)."""
    final = np.sqrt(mass * GRAVITY / coefficient)
    return final**2 / GRAVITY * np.log(np.cosh(GRAVITY * t / final))


def snap_back(mass: float, stiffness: float, stretch: float, t: np.ndarray) -> np.ndarray:
    """Way of a mass that a stretched rubber pulls from rest: a quarter of a swing, then evenly on."""
    omega = np.sqrt(stiffness / mass)
    slack = np.pi / 2.0 / omega
    return np.where(t < slack, stretch * (1.0 - np.cos(omega * t)), stretch + stretch * omega * (t - slack))


def chain_inertia(lengths: np.ndarray, masses: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """(n, n) kg m2: of thin rods that hinges join end to end in a plane, by their joint angles."""
    n = len(lengths)
    ends, heading = np.zeros((n + 1, 2)), np.cumsum(angles)
    along = np.stack([np.cos(heading), np.sin(heading)], axis=1)
    ends[1:] = np.cumsum(lengths[:, None] * along, axis=0)
    inertia = np.zeros((n, n))
    for k in range(n):
        middle = ends[k] + 0.5 * lengths[k] * along[k]
        arms = middle - ends[: k + 1]
        inertia[: k + 1, : k + 1] += masses[k] * (arms @ arms.T + lengths[k] ** 2 / 12.0)
    return inertia


def stopped(inertia: np.ndarray, speeds: np.ndarray, side: np.ndarray) -> np.ndarray:
    """Speeds after a plastic impact in which all axes stand at stops, of which some are run into.

    side (n,): +1 at a lower stop, -1 at an upper one. Of all sets of stops that might push, the one whose impulses push
    and from whose other stops axes move away.
    """
    for number in range(2 ** len(speeds)):
        held = np.array([number >> k & 1 for k in range(len(speeds))], bool)
        impulse = np.zeros(len(speeds))
        mobility = np.linalg.inv(inertia)
        impulse[held] = np.linalg.solve(mobility[np.ix_(held, held)], -speeds[held])
        after = speeds + mobility @ impulse
        if (side * impulse > -1e-12).all() and (side * after > -1e-12).all():
            return after
    raise ValueError("no set of stops fits")
