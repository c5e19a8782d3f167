# SPDX-License-Identifier: GPL-3.0-or-later
"""Pendulums in a plane: the large swing in elliptic functions, and the double pendulum's accelerations by Lagrange.

Sources: Landau and Lifshitz, Mechanics, section 11 (problem 1) for the period; the equations of the double pendulum
are those of Goldstein with bodies instead of points.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj, ellipk


@dataclass(frozen=True)
class Pendulum:
    """Released at rest at `amplitude`, rad from hanging; `rate`^2 = m g l / (I + m l^2), rad/s."""

    amplitude: float
    rate: float

    @property
    def period(self) -> float:
        """s"""
        return 4.0 * ellipk(np.sin(0.5 * self.amplitude) ** 2) / self.rate

    def angle(self, times: np.ndarray) -> np.ndarray:
        k = np.sin(0.5 * self.amplitude)
        sn, _, _, _ = ellipj(ellipk(k * k) - self.rate * np.asarray(times), k * k)
        return 2.0 * np.arcsin(k * sn)

    def speed(self, times: np.ndarray) -> np.ndarray:
        k = np.sin(0.5 * self.amplitude)
        _, cn, _, _ = ellipj(ellipk(k * k) - self.rate * np.asarray(times), k * k)
        return -2.0 * k * self.rate * cn


@dataclass(frozen=True)
class DoublePendulum:
    """Two bars on hinges in the upright plane; angles from hanging, both against the vertical.

    masses (2,) kg; inertias (2,) kg m2 about the centres; centers (2,) m from the upper hinge of each; length m from
    the first hinge to the second.
    """

    masses: tuple[float, float]
    inertias: tuple[float, float]
    centers: tuple[float, float]
    length: float
    gravity: float = 9.81

    def accelerations(self, angles: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """(2,) rad/s2 of both angles."""
        (m1, m2), (I1, I2), (c1, c2) = self.masses, self.inertias, self.centers
        coupling, difference = m2 * self.length * c2, angles[0] - angles[1]
        c, s = np.cos(difference), np.sin(difference)
        inertia = np.array(
            [[I1 + m1 * c1**2 + m2 * self.length**2, coupling * c], [coupling * c, I2 + m2 * c2**2]],
        )
        first = -coupling * s * speeds[1] ** 2 - (m1 * c1 + m2 * self.length) * self.gravity * np.sin(angles[0])
        second = coupling * s * speeds[0] ** 2 - m2 * c2 * self.gravity * np.sin(angles[1])
        return np.linalg.solve(inertia, [first, second])

    def energy(self, angles: np.ndarray, speeds: np.ndarray) -> float:
        """Joule, from the velocities of the centres of mass; zero height at the first hinge."""
        (m1, m2), (I1, I2), (c1, c2) = self.masses, self.inertias, self.centers
        downward = np.stack([np.sin(angles), -np.cos(angles)], axis=-1)
        along = np.stack([np.cos(angles), np.sin(angles)], axis=-1) * np.asarray(speeds)[:, None]
        v1, v2 = c1 * along[0], self.length * along[0] + c2 * along[1]
        h1, h2 = c1 * downward[0, 1], self.length * downward[0, 1] + c2 * downward[1, 1]
        kinetic = 0.5 * (m1 * v1 @ v1 + m2 * v2 @ v2 + I1 * speeds[0] ** 2 + I2 * speeds[1] ** 2)
        return float(kinetic + self.gravity * (m1 * h1 + m2 * h2))
