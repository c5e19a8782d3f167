# SPDX-License-Identifier: GPL-3.0-or-later
"""The planar arm of two links on hinges, in a vertical plane: torques of its motors, and its energy.

Angles are the second link's from the first one, the first one's from the level, positive upwards. After M. W. Spong,
S. Hutchinson, M. Vidyasagar, Robot Modeling and Control (2006), section 6.4, equations (6.86) to (6.91).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

G = 9.81


class Arm(NamedTuple):
    """m, kg, kg m^2: first length, distances of the centres of mass, masses, moments about the centres of mass."""

    l1: float
    c1: float
    c2: float
    m1: float
    m2: float
    I1: float
    I2: float


def torques(arm: Arm, q: np.ndarray, u: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(F, 2) N m at angles, speeds and accelerations (F, 2): D(q) a + C(q, u) u + g(q)."""
    (q1, q2), (u1, u2), (a1, a2) = q.T, u.T, a.T
    l1, c1, c2, m1, m2, I1, I2 = arm
    d22 = m2 * c2**2 + I2
    d12 = d22 + m2 * l1 * c2 * np.cos(q2)
    d11 = m1 * c1**2 + I1 + m2 * (l1**2 + c2**2 + 2.0 * l1 * c2 * np.cos(q2)) + I2
    h = -m2 * l1 * c2 * np.sin(q2)
    g2 = m2 * c2 * G * np.cos(q1 + q2)
    g1 = (m1 * c1 + m2 * l1) * G * np.cos(q1) + g2
    first = d11 * a1 + d12 * a2 + 2.0 * h * u1 * u2 + h * u2**2 + g1
    return np.column_stack([first, d12 * a1 + d22 * a2 - h * u1**2 + g2])


def energy(arm: Arm, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """(F,) J: kinetic and potential, from the velocities of the two centres of mass."""
    (q1, q2), (u1, u2) = q.T, u.T
    l1, c1, c2, m1, m2, I1, I2 = arm
    along = np.stack([-np.sin(q1), np.cos(q1)]), np.stack([-np.sin(q1 + q2), np.cos(q1 + q2)])
    v1, v2 = c1 * u1 * along[0], l1 * u1 * along[0] + c2 * (u1 + u2) * along[1]
    kinetic = m1 * (v1**2).sum(axis=0) + I1 * u1**2 + m2 * (v2**2).sum(axis=0) + I2 * (u1 + u2) ** 2
    heights = m1 * c1 * np.sin(q1) + m2 * (l1 * np.sin(q1) + c2 * np.sin(q1 + q2))
    return 0.5 * kinetic + G * heights


def test_work_of_the_torques_is_the_energy() -> None:
    arm, t = Arm(0.6, 0.3, 0.2, 2.0, 1.1, 0.07, 0.02), np.linspace(0.0, 2.0, 20001)
    q = np.column_stack([0.7 * np.sin(2.0 * t), 0.4 + 0.9 * np.sin(3.1 * t)])
    u = np.column_stack([1.4 * np.cos(2.0 * t), 2.79 * np.cos(3.1 * t)])
    a = np.column_stack([-2.8 * np.sin(2.0 * t), -8.649 * np.sin(3.1 * t)])
    power = (torques(arm, q, u, a) * u).sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(t))])
    assert np.abs(work - (energy(arm, q, u) - energy(arm, q, u)[0])).max() < 1e-6
