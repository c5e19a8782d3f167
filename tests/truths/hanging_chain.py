# SPDX-License-Identifier: GPL-3.0-or-later
"""A chain of equal rods at rest between two points: the catenary of stiff links.

With H the horizontal pull, V the upward force of the left end on the first rod and w the weight of a rod, moments about
a rod's end give the k-th rod (k = 0, 1, ...) the slope  tan(a_k) = -(V - (k + 1/2) w) / H.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import root


@dataclass(frozen=True)
class HangingChain:
    """rods of length (m) and weight (N) each; the right end lies at span (2,) m from the left one: across and up."""

    rods: int
    length: float
    weight: float
    span: tuple[float, float]

    def ends(self) -> tuple[float, float]:
        """(H, V) N: the pull sideways in the whole chain, and the upward force at the left end."""
        level = np.hypot(*self.span) / (self.rods * self.length)
        start = [0.5 * self.rods * self.weight * level, 0.5 * self.rods * self.weight]
        found = root(lambda x: self._reach(*x) - self.span, start, tol=1e-14)
        if np.abs(self._reach(*found.x) - self.span).max() > 1e-10 * self.length:
            raise ArithmeticError("no equilibrium found")
        return float(found.x[0]), float(found.x[1])

    def angles(self) -> np.ndarray:
        """(rods,) rad above the level, from left to right."""
        return self._angles(*self.ends())

    def joints(self) -> np.ndarray:
        """(rods + 1, 2) m: all ends of rods, across and up, the first at the origin."""
        angles = self.angles()
        steps = self.length * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])

    def pulls(self) -> np.ndarray:
        """(rods + 1, 2) N: what each joint's left side exerts on its right one."""
        H, V = self.ends()
        return np.stack([np.full(self.rods + 1, -H), V - self.weight * np.arange(self.rods + 1)], axis=1)

    def _angles(self, H: float, V: float) -> np.ndarray:
        return np.arctan2(-(V - (np.arange(self.rods) + 0.5) * self.weight), H)

    def _reach(self, H: float, V: float) -> np.ndarray:
        angles = self._angles(H, V)
        return self.length * np.array([np.cos(angles).sum(), np.sin(angles).sum()])
