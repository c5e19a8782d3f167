# SPDX-License-Identifier: GPL-3.0-or-later
"""A car as one rigid body on four spring-dampers (Schroeder 1990, 7.3), by Newton, Euler and scipy's integrator.

The ground pushes each wheel up by max(0, stiffness depth + damping depth rate); the front wheels drive by a force of
their own, turned by the steering; brakes resist each wheel's velocity.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation


@dataclass(frozen=True)
class Car:
    """mass kg; inertia (3,) kg m2; wheels (4, 3) m from the centre of mass, front ones first; each: N/m, N s/m."""

    mass: float
    inertia: np.ndarray
    wheels: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray
    brakes: np.ndarray

    def drive(
        self, height: float, ends: list[float], pedals: Callable[[int], tuple[float, float, bool]]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(position (3,), orientation (4,) as x y z w, velocity (3,)) at the last of the times `ends`, from rest.

        `pedals(stage)`: (N on each front wheel, rad of steering, whether the brakes act) up to `ends[stage]`.
        """
        state = np.r_[0, 0, height, 0, 0, 0, 1, np.zeros(6)]
        for stage, (begin, end) in enumerate(zip([0.0, *ends[:-1]], ends, strict=True)):
            force, steering, is_braked = pedals(stage)
            push = force * np.array([np.cos(steering), np.sin(steering), 0.0])
            done = solve_ivp(self._rate, (begin, end), state, "DOP853", rtol=1e-9, atol=1e-10, args=(push, is_braked))
            state = done.y[:, -1]
        return state[:3], state[3:7] / np.linalg.norm(state[3:7]), state[7:10]

    def _rate(self, _time: float, state: np.ndarray, push: np.ndarray, is_braked: bool) -> np.ndarray:
        turn = Rotation.from_quat(state[3:7])
        v, w = state[7:10], state[10:]
        arms = turn.apply(self.wheels)
        places = state[:3] + arms
        speeds = v + turn.apply(np.cross(w, self.wheels))
        depth = -places[:, 2]
        forces = np.zeros((4, 3))
        forces[:, 2] = np.where(depth > 0, np.maximum(0, self.stiffness * depth - self.damping * speeds[:, 2]), 0)
        if is_braked:
            forces -= self.brakes[:, None] * speeds
        forces[:2] += turn.apply(push)
        torque = turn.inv().apply(np.cross(arms, forces).sum(axis=0))
        x, y, z, r = state[3:7]
        spin = 0.5 * np.array(
            [
                r * w[0] + y * w[2] - z * w[1],
                r * w[1] + z * w[0] - x * w[2],
                r * w[2] + x * w[1] - y * w[0],
                -x * w[0] - y * w[1] - z * w[2],
            ]
        )
        linear = forces.sum(axis=0) / self.mass - [0, 0, 9.81]
        return np.r_[v, spin, linear, (torque - np.cross(w, self.inertia * w)) / self.inertia]
