# SPDX-License-Identifier: GPL-3.0-or-later
"""The symmetric heavy top in steady precession, its point fixed (Goldstein, Classical Mechanics, section 5.7).

Symbols: A moment of inertia across the axis, about the fixed point; C along it; theta tilt from the vertical; p rate
of precession; n angular velocity along the axis; l distance of the centre of mass from the fixed point. It stays at
this tilt if  C n p - A p^2 cos(theta) = m g l.
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SteadyTop:
    mass: float  # kg
    across: float  # kg m2, about the fixed point
    along: float  # kg m2
    distance: float  # m
    tilt: float  # rad
    precession: float  # rad/s
    gravity: float = 9.81  # m/s2, downwards

    @property
    def axial_speed(self) -> float:
        """n, rad/s: the part of the angular velocity along the top's axis."""
        weight = self.mass * self.gravity * self.distance
        return (weight + self.across * self.precession**2 * np.cos(self.tilt)) / (self.along * self.precession)

    @property
    def spin(self) -> float:
        """rad/s: how fast the top turns about its axis against the precessing frame."""
        return self.axial_speed - self.precession * np.cos(self.tilt)

    def orientation(self, time: float) -> np.ndarray:
        """(3, 3): the top's axes in the world, its own axis the last; it leans towards x at time 0."""
        return _about_z(self.precession * time) @ _about_y(self.tilt) @ _about_z(self.spin * time)

    def angular_velocity(self, time: float) -> np.ndarray:
        """(3,) rad/s, world axes."""
        return np.array([0.0, 0.0, self.precession]) + self.spin * self.orientation(time)[:, 2]

    def support(self, time: float) -> np.ndarray:
        """(3,) N: the force of the ground on the fixed point, from the circle that the centre of mass runs along."""
        radius = self.distance * np.sin(self.tilt)
        angle = self.precession * time
        inward = -self.mass * radius * self.precession**2
        return np.array([inward * np.cos(angle), inward * np.sin(angle), self.mass * self.gravity])


def _about_z(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _about_y(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
