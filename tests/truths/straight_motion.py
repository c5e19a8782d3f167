# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions along one line, as every first course derives them: a thrown body, a damped fall, an oscillator, a screw."""

from dataclasses import dataclass

import numpy as np


def parabola(start, velocity, gravity, times: np.ndarray) -> np.ndarray:
    """(T, 3) m: the centre of mass of a thrown body."""
    t = np.asarray(times)[:, None]
    return np.asarray(start) + np.asarray(velocity) * t + 0.5 * np.asarray(gravity) * t**2


def damped_fall(start, velocity, gravity, rate: float, times: np.ndarray) -> np.ndarray:
    """(T, 3) m: the same against a resistance of `rate` (1/s) times the velocity."""
    t = np.asarray(times)[:, None]
    limit = np.asarray(gravity) / rate
    return np.asarray(start) + limit * t - (np.asarray(velocity) - limit) * np.expm1(-rate * t) / rate


@dataclass(frozen=True)
class Oscillator:
    """m x'' = -stiffness x - damping x' + force, weakly damped (damping^2 < 4 m stiffness)."""

    mass: float
    stiffness: float
    damping: float
    force: float
    start: float
    speed: float

    def position(self, times: np.ndarray) -> np.ndarray:
        t, decay, rate, rest = self._terms(times)
        sine = (self.speed + decay * (self.start - rest)) / rate
        return rest + np.exp(-decay * t) * ((self.start - rest) * np.cos(rate * t) + sine * np.sin(rate * t))

    def velocity(self, times: np.ndarray) -> np.ndarray:
        t, decay, rate, rest = self._terms(times)
        c, s = self.start - rest, (self.speed + decay * (self.start - rest)) / rate
        cosine, sine = s * rate - decay * c, -c * rate - decay * s
        return np.exp(-decay * t) * (cosine * np.cos(rate * t) + sine * np.sin(rate * t))

    def _terms(self, times: np.ndarray):
        decay = 0.5 * self.damping / self.mass
        return np.asarray(times), decay, np.sqrt(self.stiffness / self.mass - decay**2), self.force / self.stiffness


def screw_acceleration(mass: float, inertia: float, pitch: float, pull: float) -> float:
    """rad/s2 of a nut on a screw, its centre on the axis; `pull` (m/s2) is gravity along the axis, pitch in m/rad."""
    return mass * pitch * pull / (inertia + mass * pitch**2)
