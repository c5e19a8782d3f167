# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion that a mechanism tells: splines through keys and paths, and curves for beads, straight from their words."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, make_interp_spline
from scipy.optimize import minimize_scalar

from tests.solver.dynamics.tree.long_doubles import REAL, cross, matrix, real


@dataclass
class ToldMotion:
    """A pose with its velocities and accelerations, world axes."""

    position: np.ndarray
    rotation: np.ndarray  # (3, 3)
    linear: np.ndarray
    angular: np.ndarray
    linear_acceleration: np.ndarray
    angular_acceleration: np.ndarray


def told_motion(times, positions, orientations, time: float) -> ToldMotion:
    """By quintic splines through even keys, cubic ones through others, and the quotient rule; still outside them."""
    q = np.array(orientations)
    for k in range(1, len(q)):
        q[k] *= 1.0 if q[k] @ q[k - 1] >= 0 else -1.0
    held = float(np.clip(time, times[0], times[-1]))
    (x, v, a), (q, dq, ddq) = (_derivatives(times, np.array(values), held) for values in (positions, q))
    if held != time:
        v, a, dq, ddq = 0 * v, 0 * a, 0 * dq, 0 * ddq
    n = np.linalg.norm(q)
    dn = q @ dq / n
    ddn = (dq @ dq + q @ ddq - dn**2) / n
    unit = q / n
    first = dq / n - q * dn / n**2
    second = ddq / n - 2 * dq * dn / n**2 - q * ddn / n**2 + 2 * q * dn**2 / n**3
    # w = 2 Im(q' conj(q)), w' = 2 Im(q'' conj(q))
    angular, change = (2 * (unit[0] * d[1:] - d[0] * unit[1:] + cross(unit[1:], d[1:])) for d in (first, second))
    return ToldMotion(real(x), matrix(unit), real(v), real(angular), real(a), real(change))


def _derivatives(times, values, time: float) -> list[np.ndarray]:
    if len(times) == 1:
        return [values[0], 0 * values[0], 0 * values[0]]
    steps = np.diff(times)
    even = len(times) >= 6 and steps.max() <= 4 * steps.min()
    spline = make_interp_spline(times, values, k=5 if even else min(3, len(times) - 1))
    return [spline(time, order) for order in range(3)]


class ToldCurve:
    """The C2 cubic spline through points by chord length; open ones straight at their ends and beyond."""

    def __init__(self, points, closed: bool) -> None:
        points = np.array(points + points[:1] if closed else points, float)
        chords = np.linalg.norm(np.diff(points, axis=0), axis=1)
        self.parameters = np.concatenate([[0.0], np.cumsum(chords)])
        self._spline = CubicSpline(self.parameters, points, bc_type="periodic" if closed else "natural")
        self._closed = closed

    def at(self, s: float, order: int = 0) -> np.ndarray:
        """(3,) the place, or its first or second derivative by the parameter s (m)."""
        held = s if self._closed else float(np.clip(s, 0.0, self.parameters[-1]))
        if held == s:
            return self._spline(s, order)
        return [self._spline(held) + (s - held) * self._spline(held, 1), self._spline(held, 1), np.zeros(3)][order]

    def nearest(self, point) -> float:
        """The parameter of the curve's point nearest to `point` (3,)."""
        end = self.parameters[-1]
        tried = np.linspace(0.0, end, 40 * len(self.parameters)) if self._closed else np.linspace(-end, 2 * end, 1000)
        distances = [np.linalg.norm(self.at(s) - point) for s in tried]
        middle, step = tried[int(np.argmin(distances))], tried[1] - tried[0]
        bounds = (middle - step, middle + step)
        s = minimize_scalar(lambda s: np.sum((self.at(s) - point) ** 2), bounds=bounds, method="bounded").x
        for _ in range(20):  # Newton, to rounding
            apart = self.at(s) - point
            s -= apart @ self.at(s, 1) / (self.at(s, 1) @ self.at(s, 1) + apart @ self.at(s, 2))
        return float(s)


def normals(tangent) -> np.ndarray:
    """(2, 3) unit vectors across a tangent and each other."""
    t = real(tangent)
    t = t / np.sqrt(t @ t)
    first = cross(t, np.eye(3, dtype=REAL)[int(np.argmin(np.abs(t)))])
    first = first / np.sqrt(first @ first)
    return real([first, cross(t, first)])
