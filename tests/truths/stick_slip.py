# SPDX-License-Identifier: GPL-3.0-or-later
"""A block on a belt, held back by a spring: it sticks, tears off, slides back, and sticks again.

Friction falls from static to kinetic along Stribeck's curve, F = K + (S - K) exp(-(u/v)^2). Symbols: m mass, k
stiffness, V speed of the belt, x stretch of the spring, u = x' - V, w^2 = k/m.
"""

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class StickSlip:
    """SI units."""

    mass: float
    stiffness: float
    static: float
    kinetic: float
    belt: float

    @property
    def period_at_once(self) -> float:
        """s: where friction falls as soon as the block slides.

        It swings about K/k, from x = S/k and x' = V until x' = V again, at 2 K/k - S/k, and rides back on the belt.
        """
        reach, w = (self.static - self.kinetic) / self.stiffness, np.sqrt(self.stiffness / self.mass)
        return 2.0 * reach / self.belt + 2.0 * (np.pi - np.arctan(reach * w / self.belt)) / w

    def period(self, stribeck: float) -> float:
        """s: along the curve, by SciPy, from where it has torn off by rounding to where it sticks, and the ride."""

        def rates(_: float, y: np.ndarray) -> list[float]:
            u = y[1] - self.belt
            friction = self.kinetic + (self.static - self.kinetic) * np.exp(-((u / stribeck) ** 2))
            return [y[1], (friction - self.stiffness * y[0]) / self.mass]

        def sticks(t: float, y: np.ndarray) -> float:
            return y[1] - self.belt if t > 1e-3 else -1.0

        sticks.terminal, sticks.direction = True, 1.0
        start = [self.static / self.stiffness, self.belt * (1.0 - 1e-13)]
        found = solve_ivp(rates, (0.0, 10.0), start, "DOP853", events=sticks, rtol=1e-12, atol=1e-14)
        return float(found.t[-1] + (start[0] - found.y[0, -1]) / self.belt)
