# SPDX-License-Identifier: GPL-3.0-or-later
"""A smooth ball hits a ball that rides on a level plane, which pushes it and never pulls.

The plane's impulse P >= 0 is along its normal, and the rider's own speed along that, u, is 0 before. Either P = 0, or u
remains 0 (Moreau's law of an inelastic contact). A rider that rolls is heavier along the plane by I / r^2, since the
plane holds its lowest point.
"""

from dataclasses import dataclass

import numpy as np

UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class RidingImpact:
    """`masses` of the rider and of the other ball; `gyration`: the rider's I / (m r^2) if it rolls, else 0."""

    masses: tuple[float, float]
    restitution: float
    gyration: float = 0.0

    def lifts(self, normal) -> bool:
        """True if the other ball, which is at -`normal` from the rider, throws it off the plane."""
        return normal[2] > 0.0

    def after(self, velocities, normal) -> tuple[np.ndarray, np.ndarray]:
        """((2, 3) m/s, the plane's impulse on the rider (3,) N s); `normal` from the other ball to the rider."""
        (m, other), v, n = self.masses, np.array(velocities, float), np.asarray(normal, float)
        approach = max(0.0, (v[1] - v[0]) @ n)
        if self.lifts(n):
            impulse = (1.0 + self.restitution) * approach / (1.0 / m + 1.0 / other)
            return v + [impulse * n / m, -impulse * n / other], np.zeros(3)
        along = n - n[2] * UP
        impulse = (1.0 + self.restitution) * approach / (along @ along / (m * (1.0 + self.gyration)) + 1.0 / other)
        changed = v + [impulse * along / (m * (1.0 + self.gyration)), -impulse * n / other]
        return changed, m * (changed[0] - v[0]) - impulse * n
