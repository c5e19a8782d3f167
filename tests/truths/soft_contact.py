# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts that give way as F = k d^(3/2) (1 + c d' / v): how deep, how long, and with what speed bodies part.

Hertz (1882) for c = 0; Hunt and Crossley (1975) otherwise, v being the speed of the impact.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gamma


@dataclass(frozen=True)
class HertzImpact:
    """A mass that hits such a contact without damping and weight, or two of them: then with their reduced mass."""

    mass: float
    stiffness: float  # N/m^(3/2)
    speed: float

    @property
    def depth(self) -> float:
        """m: where m v^2 / 2 = 2/5 k d^(5/2)."""
        return (1.25 * self.mass * self.speed**2 / self.stiffness) ** 0.4

    @property
    def duration(self) -> float:
        """s: 2 d / v times the integral of (1 - x^(5/2))^(-1/2) from 0 to 1; about 2.943 d / v."""
        integral = np.sqrt(np.pi) * gamma(1.4) / gamma(0.9)
        return 2.0 * self.depth / self.speed * integral


def sinking(weight: float, stiffness: float, points: int = 1) -> float:
    """m: depth at which so many equal contacts carry a weight (N)."""
    return (weight / (points * stiffness)) ** (2.0 / 3.0)


def restitution(damping: float) -> float:
    """The e with (1 + e) c = log((1 + c) / (1 - e c)), by bisection: what a c throws back."""
    low, high = 0.0, min(1.0, 1.0 / damping)
    for _ in range(200):
        e = 0.5 * (low + high)
        loses = (1.0 + e) * damping < np.log1p(damping) - np.log1p(-e * damping)
        low, high = (low, e) if loses else (e, high)
    return low
