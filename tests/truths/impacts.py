# SPDX-License-Identifier: GPL-3.0-or-later
"""Impacts of rigid bodies: bounces, balls that meet, a ball that hits a rough floor, a rod that lands on one end.

`restitution` is Newton's: the part of the speed of approach with which the points of contact part again. With one
point and no friction it is the same as Poisson's and as that of energies (Stronge, Impact Mechanics, chapter 3).
"""

from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81


@dataclass(frozen=True)
class Bounces:
    """A body dropped from rest, its lowest point `height` m above the floor, that never turns."""

    height: float
    restitution: float
    gravity: float = GRAVITY

    @property
    def fall(self) -> float:
        """s: time of the first landing."""
        return np.sqrt(2.0 * self.height / self.gravity)

    def peak(self, number: int) -> float:
        """m: the height after so many bounces."""
        return self.restitution ** (2 * number) * self.height

    def landing(self, number: int) -> float:
        """s: when it lands for the 1st, 2nd, ... time."""
        return self.fall * (1.0 + 2.0 * sum(self.restitution**k for k in range(1, number)))

    def top(self, number: int) -> float:
        """s: when it is highest after so many bounces."""
        return self.landing(number) + self.restitution**number * self.fall if number else 0.0

    @property
    def end(self) -> float:
        """s: when the last of infinitely many bounces is over."""
        return self.fall * (1.0 + self.restitution) / (1.0 - self.restitution) if self.restitution < 1.0 else np.inf

    def at(self, times: np.ndarray) -> np.ndarray:
        """(T,) m: height of the lowest point."""
        result = np.zeros(np.shape(times))
        for k, time in enumerate(np.asarray(times, float)):
            if time >= self.end:
                continue
            number = 0
            while self.landing(number + 1) <= time:
                number += 1
            result[k] = self.peak(number) - 0.5 * self.gravity * (time - self.top(number)) ** 2
        return result


def meet(masses, velocities, normal, restitution: float) -> np.ndarray:
    """(2, 3) m/s: two smooth balls after they have met; `normal` is the unit vector from the first to the second."""
    (m1, m2), (v1, v2), n = masses, np.asarray(velocities, float), np.asarray(normal, float)
    approach = max(0.0, (v1 - v2) @ n)
    impulse = (1.0 + restitution) * approach * m1 * m2 / (m1 + m2) * n
    return np.array([v1 - impulse / m1, v2 + impulse / m2])


def cradle(speeds, restitution: float = 1.0) -> np.ndarray:
    """(N,) m/s: equal balls in a row, a hair apart, after all of them have met; `speeds` along the row at the start.

    Neighbours meet one pair after the other, the first possible pair first, until none approach.
    """
    v = np.array(speeds, float)
    while True:
        approach = v[:-1] - v[1:]
        pairs = np.flatnonzero(approach > 1e-12 * np.abs(v).max())
        if len(pairs) == 0:
            return v
        k = pairs[0]
        impulse = 0.5 * (1.0 + restitution) * approach[k]
        v[k] -= impulse
        v[k + 1] += impulse


@dataclass(frozen=True)
class RoughBounce:
    """A ball that hits a rough floor (normal +Z): Coulomb's friction in one instant.

    `gyration`: moment of inertia over m r^2, 2/5 if solid. The direction of slip does not change during the impact, so
    the friction either stops the slip (sticks) or is `friction` times the normal impulse to the end.
    """

    radius: float
    gyration: float
    restitution: float
    friction: float

    def slip(self, velocity, spin) -> np.ndarray:
        """(3,) m/s of the lowest point, along the floor."""
        velocity = np.asarray(velocity, float)
        return velocity * (1.0, 1.0, 0.0) + np.cross(spin, [0.0, 0.0, -self.radius]) * (1.0, 1.0, 0.0)

    def sticks(self, velocity, spin) -> bool:
        needed = np.linalg.norm(self.slip(velocity, spin)) / (1.0 + 1.0 / self.gyration)
        return bool(needed <= self.friction * (1.0 + self.restitution) * -velocity[2])

    def after(self, velocity, spin) -> tuple[np.ndarray, np.ndarray]:
        """(velocity, spin) (3,) m/s and rad/s; `velocity[2]` is below zero before."""
        u = self.slip(velocity, spin)
        normal = -(1.0 + self.restitution) * velocity[2]
        along = -u / (1.0 + 1.0 / self.gyration)
        if not self.sticks(velocity, spin):
            along = -self.friction * normal * u / np.linalg.norm(u)
        per_mass = along + [0.0, 0.0, normal]
        turn = np.cross([0.0, 0.0, -self.radius], per_mass) / (self.gyration * self.radius**2)
        return np.asarray(velocity, float) + per_mass, np.asarray(spin, float) + turn


@dataclass(frozen=True)
class LandingRod:
    """A uniform rod in the upright plane XZ that lands with one end on a smooth floor; `lean` rad above the level."""

    half_length: float
    lean: float
    restitution: float

    def after(self, fall: float, spin: float = 0.0) -> tuple[float, float]:
        """(vertical speed of the centre, turn) m/s and rad/s, upward and such that the lower end goes up.

        `fall` is the speed of the centre downward, `spin` the turn before, counted the same way.
        """
        arm = self.half_length * np.cos(self.lean)
        approach = fall - spin * arm
        impulse = (1.0 + self.restitution) * approach / (1.0 + 3.0 * np.cos(self.lean) ** 2)  # per mass, I = m l^2 / 3
        return -fall + impulse, spin + impulse * arm / (self.half_length**2 / 3.0)
