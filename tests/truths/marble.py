# SPDX-License-Identifier: GPL-3.0-or-later
"""A ball on a curved surface, by its centre: a particle on the parallel surface, with or without rolling.

Symbols: x centre, v its velocity, w angular velocity, r radius, n normal of the parallel surface (towards the ball), K
the normal's change along it, n' = K v. Sliding, m v' = m g + N n. Rolling, v = r w x n (the point of contact rests);
with F the surface's force and I = k m r^2,
    m v' = m g + F,   I w' = -r n x F,   v' = r (w' x n + w x n'),
so F_t (1/m + r^2/I) = (r w x n')_t - g_t and F_n / m = (r w x n') . n - g . n. Neither contact coordinates nor joints
appear here. Source: L. D. Landau, E. M. Lifshitz, Mechanics, section 38 (rigid bodies in contact).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

Normal = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]  # place -> (n (3,), its derivative (3, 3))


def torus_normal(ring: float) -> Normal:
    """Of all tubes around a ring about Z."""

    def normal(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        far = np.hypot(x[0], x[1])
        out = np.array([x[0], x[1], 0.0]) / far
        d = x - ring * out
        size = np.linalg.norm(d)
        n = d / size
        along = np.array([-out[1], out[0], 0.0])
        slope = np.eye(3) - ring / far * np.outer(along, along)
        return n, (np.eye(3) - np.outer(n, n)) @ slope / size

    return normal


@dataclass(frozen=True)
class Marble:
    """A uniform ball of a radius (m) outside a surface whose parallel surfaces have this normal."""

    radius: float
    normal: Normal
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    gyration: float = 0.4  # I / (m r^2)

    def slide(self, x: np.ndarray, v: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(F, 6): centre and velocity."""

        def rates(_t: float, y: np.ndarray) -> np.ndarray:
            n, K = self.normal(y[:3])
            g, speed = np.array(self.gravity), y[3:]
            push = -(g @ n) - speed @ (K @ speed)
            return np.concatenate([speed, g + push * n])

        return self._solve(rates, np.concatenate([x, v]), times)

    def roll(self, x: np.ndarray, w: np.ndarray, times: np.ndarray) -> np.ndarray:
        """(F, 9): centre, velocity and angular velocity."""
        n, _ = self.normal(x)
        start = np.concatenate([x, self.radius * np.cross(w, n), w])

        def rates(_t: float, y: np.ndarray) -> np.ndarray:
            n, K = self.normal(y[:3])
            g, v, w = np.array(self.gravity), y[3:6], y[6:]
            bend = self.radius * np.cross(w, K @ v)
            across = bend - g
            push = (across @ n) * n
            tangential = (across - push) / (1.0 + 1.0 / self.gyration)
            force = push + tangential  # over the mass
            turning = -np.cross(n, force) / (self.gyration * self.radius)
            return np.concatenate([v, g + force, turning])

        return self._solve(rates, start, times)

    @staticmethod
    def _solve(rates, start: np.ndarray, times: np.ndarray) -> np.ndarray:
        found = solve_ivp(rates, (times[0], times[-1]), start, "DOP853", times, rtol=1e-12, atol=1e-12)
        return found.y.T
