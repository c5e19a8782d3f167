# SPDX-License-Identifier: GPL-3.0-or-later
"""The torque-free asymmetric top, in Jacobi's elliptic functions.

With principal moments A < B < C and 2 E B > L^2 (the angular momentum circles the axis of A) or 2 E B < L^2 (that of
C), the components of the angular velocity along the body's axes are dn, sn and cn of a time scaled by tau' (Landau and
Lifshitz, Mechanics, section 37). With L along the space-fixed z axis, two Euler angles follow from the components of L
in the body, and the third, the precession about L, by quadrature of
    phi' = |L| (A w1^2 + B w2^2) / (A^2 w1^2 + B^2 w2^2).
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj, ellipkinc

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
_PANELS_PER_RADIAN = 1.0  # of the fastest turn; twenty nodes on each make the quadrature exact to rounding


@dataclass(frozen=True)
class FreeTop:
    """A top with principal moments (3,), kg m2, all different, and its angular velocity (3,) at time 0, rad/s."""

    inertia: np.ndarray
    start: np.ndarray

    def angular_velocity(self, times: np.ndarray) -> np.ndarray:
        """(T, 3) rad/s along the body's axes."""
        order, sign = self._axes()
        A, B, C = np.asarray(self.inertia, float)[order]
        w = sign * np.asarray(self.start, float)[order]
        double_energy, square = A * w[0] ** 2 + B * w[1] ** 2 + C * w[2] ** 2, np.sum((np.array([A, B, C]) * w) ** 2)
        # Landau and Lifshitz, eq. 37.8 to 37.10, for 2 E B < L^2; `order` makes C the axis that L circles
        scale = np.sqrt((C - B) * (square - double_energy * A) / (A * B * C))
        m = (B - A) * (double_energy * C - square) / ((C - B) * (square - double_energy * A))
        amplitude = np.sqrt(
            np.array(
                [
                    (double_energy * C - square) / (A * (C - A)),
                    (double_energy * C - square) / (B * (C - B)),
                    (square - double_energy * A) / (C * (C - A)),
                ]
            )
        )
        amplitude[2] *= np.sign(w[2])
        begin = ellipkinc(np.arctan2(w[1] / amplitude[1], w[0] / amplitude[0]), m)
        # w1' = (B - C) / A w2 w3 sets the direction in which the argument runs
        direction = np.sign(C - B) * np.sign(w[2])
        sn, cn, dn, _ = ellipj(begin + direction * scale * np.asarray(times, float), m)
        result = np.empty((len(times), 3))
        result[:, order] = (amplitude * np.stack([cn, sn, dn], axis=1)) * sign
        return result

    def orientation(self, times: np.ndarray, first: np.ndarray) -> np.ndarray:
        """(T, 3, 3): body axes in the world, from those at time 0 (3, 3); `times` (T,) must not fall."""
        return np.array([first @ self._turn(0.0).T @ self._turn(time) for time in times])

    def _turn(self, time: float) -> np.ndarray:
        """(3, 3): body axes in a frame whose z axis is the angular momentum."""
        momentum = np.asarray(self.inertia) * self.angular_velocity(np.array([time]))[0]
        unit = momentum / np.linalg.norm(momentum)
        theta, psi = np.arccos(np.clip(unit[2], -1.0, 1.0)), np.arctan2(unit[0], unit[1])
        phi = self._precession(time, np.linalg.norm(momentum))
        return _about(2, phi) @ _about(0, theta) @ _about(2, psi)

    def _precession(self, time: float, momentum: float) -> float:
        fastest = momentum / np.min(self.inertia)
        panels = max(1, int(np.ceil(abs(time) * fastest * _PANELS_PER_RADIAN)))
        edges = np.linspace(0.0, time, panels + 1)
        half = 0.5 * np.diff(edges)[:, None]
        points = edges[:-1, None] + half * (1.0 + _NODES)
        w = self.angular_velocity(points.ravel()).reshape(*points.shape, 3)
        A, B, _ = self.inertia
        a, b = A * w[..., 0] ** 2, B * w[..., 1] ** 2
        return float(np.sum(half * _WEIGHTS * momentum * (a + b) / (A * a + B * b)))

    def _axes(self) -> tuple[np.ndarray, np.ndarray]:
        """(order of the axes so that the last is the one that L circles, signs that keep the order right-handed)."""
        inertia, w = np.asarray(self.inertia, float), np.asarray(self.start, float)
        order = np.argsort(inertia)
        if np.sum(inertia * w**2) * inertia[order[1]] > np.sum((inertia * w) ** 2):
            order = order[::-1]
        permutation = np.eye(3)[order]
        return order, np.array([np.linalg.det(permutation), 1.0, 1.0])


def _about(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = np.eye(3)
    result[i, i], result[i, j], result[j, i], result[j, j] = c, -s, s, c
    return result
