# SPDX-License-Identifier: GPL-3.0-or-later
"""Coins and tops that spin on a rough floor without slip."""

from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81


@dataclass(frozen=True)
class SpinningCoin:
    """A uniform cylinder that rolls on its rim around a centre at rest, as a coin does while it comes down.

    `tilt` rad of its faces from the level. Its angular velocity points along the line from the centre to the floor, so
    both stand still, and the moment of the weight turns the angular momentum: with A, C the moments across and along
    the axis, r the radius, h half the thickness and W the precession,

        W^2 sin(tilt) (A cos(tilt) - C (h / r) sin(tilt)) = m g (r cos(tilt) - h sin(tilt)),

    which for a thin coin is Moffatt's W^2 sin(tilt) = 4 g / r (Nature 404, 2000).
    """

    radius: float
    half_thickness: float
    tilt: float
    gravity: float = GRAVITY

    @property
    def moments(self) -> tuple[float, float]:
        """(A, C) per mass, m2."""
        return 0.25 * self.radius**2 + self.half_thickness**2 / 3.0, 0.5 * self.radius**2

    @property
    def precession(self) -> float:
        """rad/s"""
        (A, C), s, c = self.moments, np.sin(self.tilt), np.cos(self.tilt)
        thin = self.half_thickness / self.radius
        return np.sqrt(self.gravity * self.radius * (c - thin * s) / (s * (A * c - C * thin * s)))

    @property
    def height(self) -> float:
        """m of the centre above the floor."""
        return self.radius * np.sin(self.tilt) + self.half_thickness * np.cos(self.tilt)

    def axis(self, time: float) -> np.ndarray:
        """(3,): unit vector along the coin's axis, upward."""
        phase = self.precession * time
        return np.array([np.sin(self.tilt) * np.cos(phase), np.sin(self.tilt) * np.sin(phase), np.cos(self.tilt)])

    def rim(self, time: float) -> np.ndarray:
        """(3,) m: from the centre to where it touches the floor."""
        phase, s, c = self.precession * time, np.sin(self.tilt), np.cos(self.tilt)
        downhill = np.array([c * np.cos(phase), c * np.sin(phase), -s])
        return self.radius * downhill - self.half_thickness * self.axis(time)

    def angular_velocity(self, time: float) -> np.ndarray:
        """(3,) rad/s, world axes."""
        return -self.precession * np.sin(self.tilt) / self.radius * self.rim(time)

    def angular_momentum(self, time: float) -> np.ndarray:
        """(3,) per mass, m2/s, about the centre."""
        (A, C), w, n = self.moments, self.angular_velocity(time), self.axis(time)
        return A * w + (C - A) * (w @ n) * n


def jellett(angular_momentum, arm) -> float:
    """The constant of a ball with its centre of mass out of the middle on any floor, slip or not (Jellett 1872).

    angular_momentum (3,) about the centre of mass, arm (3,) from there to the point that touches. The moment of the
    floor's force is square to the arm, and the arm changes along the vertical and square to the angular momentum only.
    """
    return float(np.dot(angular_momentum, arm))


@dataclass(frozen=True)
class TippeTop:
    """A ball of equal moments of inertia (`moment` per mass, m2), its centre of mass `offset` m out of the middle.

    `lean` is the angle of the line from the centre of mass to the middle from the upright: 0 with the weight below.
    """

    radius: float
    offset: float
    moment: float
    gravity: float = GRAVITY

    def least_energy(self, constant: float, lean) -> np.ndarray:
        """J per mass: no motion with this Jellett constant (per mass) has less at this lean.

        It is that of a turn about the arm. Sliding takes energy as long as there is any to take.
        """
        arm = self.radius**2 + self.offset**2 - 2.0 * self.radius * self.offset * np.cos(lean)
        return 0.5 * constant**2 / (self.moment * arm) - self.gravity * self.offset * np.cos(lean)

    @property
    def enough_spin(self) -> float:
        """rad/s upright at the start, above which `least_energy` falls all the way until the ball is on its head."""
        needed = self.gravity * self.moment * (self.radius + self.offset) ** 4 / self.radius
        return np.sqrt(needed) / (self.moment * (self.radius - self.offset))
