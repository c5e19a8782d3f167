# SPDX-License-Identifier: GPL-3.0-or-later
"""Beads that slide without friction along wires: down a helix, and on the cycloid, where all swings take as long."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Helix:
    """A bead released on an upright helix: it slides down at g sin(slope) along the wire.

    radius: m. rise: m per radian.
    """

    radius: float
    rise: float
    gravity: float = 9.81

    def point(self, angle) -> np.ndarray:
        """(..., 3) m: the wire at these angles."""
        angle = np.asarray(angle)
        return np.stack([self.radius * np.cos(angle), self.radius * np.sin(angle), self.rise * angle], axis=-1)

    def angle(self, times) -> np.ndarray:
        """rad, from rest at 0."""
        return -0.5 * self.gravity * self.rise / (self.radius**2 + self.rise**2) * np.asarray(times) ** 2

    def angular_speed(self, times) -> np.ndarray:
        return -self.gravity * self.rise / (self.radius**2 + self.rise**2) * np.asarray(times)

    def push(self, mass: float, times) -> np.ndarray:
        """(T, 3) N: of the wire on the bead; towards the axis for the turn, and across the slope against the weight."""
        times = np.asarray(times)
        angle, speed = self.angle(times), self.angular_speed(times)
        inward = -self.radius * speed**2
        forward = -self.radius * self.gravity * self.rise / (self.radius**2 + self.rise**2)
        up = -self.rise * self.gravity * self.rise / (self.radius**2 + self.rise**2) + self.gravity
        c, s = np.cos(angle), np.sin(angle)
        return mass * np.stack([inward * c - forward * s, inward * s + forward * c, up + 0.0 * angle], axis=-1)


@dataclass(frozen=True)
class Cycloid:
    """A bead on the upside-down cycloid of a wheel of radius `radius` (m): its arc from the bottom is a cosine in time.

    x = r (a + sin a), z = r (1 - cos a), arc s = 4 r sin(a / 2), s'' = -g / (4 r) s (Huygens 1673).
    """

    radius: float
    gravity: float = 9.81

    def point(self, wheel) -> np.ndarray:
        """(..., 3) m: the wire where the wheel has turned by these angles from the bottom."""
        wheel = np.asarray(wheel)
        x, z = self.radius * (wheel + np.sin(wheel)), self.radius * (1.0 - np.cos(wheel))
        return np.stack([x, 0.0 * wheel, z], axis=-1)

    @property
    def period(self) -> float:
        """s, of every swing."""
        return 4.0 * np.pi * np.sqrt(self.radius / self.gravity)

    def wheel(self, start: float, times) -> np.ndarray:
        """rad: the wheel's angle at the bead, released at rest at `start`."""
        arc = np.sin(0.5 * start) * np.cos(2.0 * np.pi * np.asarray(times) / self.period)
        return 2.0 * np.arcsin(arc)

    def push(self, mass: float, start: float, times) -> np.ndarray:
        """(T,) N: of the wire on the bead, along the upper normal: m (g cos(a / 2) + v^2 / (4 r cos(a / 2)))."""
        half = 0.5 * self.wheel(start, times)
        speed_squared = 2.0 * self.gravity * self.radius * (np.cos(2.0 * half) - np.cos(start))
        return mass * (self.gravity * np.cos(half) + speed_squared / (4.0 * self.radius * np.cos(half)))
