# SPDX-License-Identifier: GPL-3.0-or-later
"""Sticks held by rubbers: their energy and the forces on them, straight from Hooke's law, and the least energy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation


@dataclass
class Sticks:
    """Rubbers between points of bodies: `ends` (R, 2) bodies, `points` (R, 2, 3) in their frames."""

    ends: np.ndarray
    points: np.ndarray
    stiffness: float
    rest: float

    def places(self, position: np.ndarray, turn: Rotation) -> np.ndarray:
        """(R, 2, 3): where the rubbers' ends are, of bodies at `position` (B, 3), turned by `turn`."""
        return np.stack([position[b] + turn[b].apply(self.points[:, e]) for e, b in enumerate(self.ends.T)], axis=1)

    def energy(self, position: np.ndarray, turn: Rotation) -> float:
        a, b = np.moveaxis(self.places(position, turn), 1, 0)
        stretch = np.maximum(np.linalg.norm(b - a, axis=1) - self.rest, 0.0)
        return float(0.5 * self.stiffness * np.sum(stretch**2))

    def forces(self, position: np.ndarray, turn: Rotation) -> tuple[np.ndarray, np.ndarray]:
        """(force (B, 3), moment about each body's origin (B, 3))."""
        places = self.places(position, turn)
        span = places[:, 1] - places[:, 0]
        length = np.linalg.norm(span, axis=1, keepdims=True)
        pull = self.stiffness * np.maximum(length - self.rest, 0.0) * span / length
        force, moment = np.zeros_like(position), np.zeros_like(position)
        for e, sign in ((0, 1.0), (1, -1.0)):
            np.add.at(force, self.ends[:, e], sign * pull)
            np.add.at(moment, self.ends[:, e], np.cross(places[:, e] - position[self.ends[:, e]], sign * pull))
        return force, moment

    def nearest_balance(self, position: np.ndarray, turn: Rotation) -> tuple[np.ndarray, Rotation]:
        """The pose of least energy that downhill steps lead to from this one."""
        count = len(position)

        def pose(x: np.ndarray) -> tuple[np.ndarray, Rotation]:
            return position + x[: 3 * count].reshape(-1, 3), Rotation.from_rotvec(x[3 * count :].reshape(-1, 3)) * turn

        def slope(x: np.ndarray) -> np.ndarray:
            h = 1e-6 * np.eye(len(x))
            return np.array([self.energy(*pose(x + step)) - self.energy(*pose(x - step)) for step in h]) / 2e-6

        found = minimize(lambda x: self.energy(*pose(x)), np.zeros(6 * count), jac=slope, method="BFGS", tol=1e-8)
        return pose(found.x)
