# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb friction on a plane: blocks that slide or hold, balls and rolls that slide, roll, or do both in turn.

`gyration` is the moment of inertia over m r^2: 2/5 solid ball, 2/3 shell, 1/2 cylinder, 1 hoop.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

GRAVITY = 9.81


def stopping_distance(speed: float, friction: float, gravity: float = GRAVITY) -> float:
    """m"""
    return speed**2 / (2.0 * friction * gravity)


def stopping_time(speed: float, friction: float, gravity: float = GRAVITY) -> float:
    """s"""
    return speed / (friction * gravity)


def slide(speed: float, friction: float, times: np.ndarray, gravity: float = GRAVITY) -> np.ndarray:
    """(T,) m: way of a block that slides on the level until it rests."""
    t = np.minimum(times, stopping_time(speed, friction, gravity))
    return speed * t - 0.5 * friction * gravity * t**2


@dataclass(frozen=True)
class Incline:
    """A plane that rises by `slope` rad, and what stands or rolls on it; accelerations downhill, m/s2."""

    slope: float
    friction: float
    gravity: float = GRAVITY

    @property
    def holds(self) -> bool:
        """True if a block that cannot tip stays."""
        return np.tan(self.slope) <= self.friction

    @property
    def block(self) -> float:
        """Acceleration of a block that slides down or starts from rest."""
        pull = np.sin(self.slope) - self.friction * np.cos(self.slope)
        return 0.0 if self.holds else self.gravity * pull

    def grips(self, gyration: float) -> bool:
        """True if what rolls does so without slip: tan(slope) <= friction (1 + 1 / gyration)."""
        return np.tan(self.slope) <= self.friction * (1.0 + 1.0 / gyration)

    def roll(self, gyration: float) -> float:
        """Acceleration of the centre of what rolls, from rest."""
        if self.grips(gyration):
            return self.gravity * np.sin(self.slope) / (1.0 + gyration)
        return self.block

    def turn(self, gyration: float, radius: float) -> float:
        """rad/s2 of the roll."""
        if self.grips(gyration):
            return self.roll(gyration) / radius
        return self.friction * self.gravity * np.cos(self.slope) / (gyration * radius)

    def box(self, half_width: float, half_height: float) -> str:
        """The motion of a box that is put down at rest: "stands", "slides" or "tips".

        It tips if its weight passes its lower edge and friction is enough to stop it there.
        """
        lean = half_width / half_height
        if np.tan(self.slope) > lean and self.friction > lean:
            return "tips"
        return "stands" if self.holds else "slides"


@dataclass(frozen=True)
class BowlingBall:
    """Thrown along the level at `speed` (m/s) with `spin` (rad/s, above zero as if it rolled): slides, then rolls."""

    speed: float
    spin: float
    radius: float
    friction: float
    gyration: float = 0.4
    gravity: float = GRAVITY

    @property
    def rolls_from(self) -> float:
        """s: when the slip ends, 2 v / (7 friction g) for a solid ball without spin."""
        slip = abs(self.speed - self.radius * self.spin)
        return slip / (self.friction * self.gravity * (1.0 + 1.0 / self.gyration))

    @property
    def rolling_speed(self) -> float:
        """m/s at the end: 5/7 of the throw for a solid ball without spin. It is what keeps L about the floor."""
        return (self.speed + self.gyration * self.radius * self.spin) / (1.0 + self.gyration)

    def velocity(self, times: np.ndarray) -> np.ndarray:
        """(T,) m/s"""
        return self.speed - self._push * np.minimum(times, self.rolls_from)

    def turn(self, times: np.ndarray) -> np.ndarray:
        """(T,) rad/s"""
        gain = self._push / (self.gyration * self.radius)
        return self.spin + gain * np.minimum(times, self.rolls_from)

    def place(self, times: np.ndarray) -> np.ndarray:
        """(T,) m"""
        t = np.minimum(times, self.rolls_from)
        return self.speed * t - 0.5 * self._push * t**2 + self.rolling_speed * (np.asarray(times) - t)

    @property
    def _push(self) -> float:
        """m/s2 of friction against the throw."""
        return self.friction * self.gravity * np.sign(self.speed - self.radius * self.spin)


@dataclass(frozen=True)
class RollOff:
    """A body that rolls about an edge, along its own axis, from rest and without slip, until nothing presses it on.

    `start`: rad, by which its axis is past where it is above the edge. With k the gyration,
    (1 + k) radius spin^2 = 2 gravity (cos(start) - cos(angle)), and it leaves where radius spin^2 = gravity cos(angle).
    """

    radius: float
    gyration: float
    start: float
    gravity: float = GRAVITY

    @property
    def leaves_at(self) -> float:
        """rad"""
        return float(np.arccos(2.0 * np.cos(self.start) / (3.0 + self.gyration)))

    @property
    def spin(self) -> float:
        """rad/s, from there on"""
        return float(np.sqrt(self.gravity * np.cos(self.leaves_at) / self.radius))

    @property
    def speed(self) -> float:
        """m/s on the level, from there on"""
        return float(self.radius * self.spin * np.cos(self.leaves_at))


@dataclass(frozen=True)
class Ladder:
    """A rod with round ends that leans against a smooth wall; friction is the floor's alone."""

    half_length: float
    radius: float

    def needed_friction(self, lean: float) -> float:
        """The least that holds it, `lean` rad above the level: 1 / (2 tan(lean)) for a thin one."""
        lever = 2.0 * self.half_length * np.sin(lean) + self.radius
        return self.half_length * np.cos(lean) / lever

    def least_lean(self, friction: float) -> float:
        """rad: it slips below that."""
        return float(brentq(lambda lean: self.needed_friction(lean) - friction, 1e-9, 0.5 * np.pi))
