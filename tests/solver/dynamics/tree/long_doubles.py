# SPDX-License-Identifier: GPL-3.0-or-later
"""Vectors, rotations and linear systems in long doubles, for yardsticks of the solver's doubles."""

import numpy as np

REAL = np.longdouble
ONE, ZERO = np.eye(3, dtype=REAL), np.zeros((3, 3), REAL)
NONE = np.zeros(3, REAL)
X, Y, Z = ONE


def real(values) -> np.ndarray:
    return np.array(values, dtype=REAL)


def cross(a, b) -> np.ndarray:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], dtype=REAL)


def length(a) -> REAL:
    return np.sqrt(np.sum(a * a))


def skew(a) -> np.ndarray:
    """The matrix of a x."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]], dtype=REAL)


def blocks(a, b, c, d) -> np.ndarray:
    """The (6, 6) matrix of four (3, 3) ones."""
    return np.vstack([np.hstack([a, b]), np.hstack([c, d])])


def matrix(quaternion) -> np.ndarray:
    """(3, 3) of [w, x, y, z], normalised."""
    q = real(quaternion)
    q = q / length(q)
    v = skew(q[1:])
    return np.eye(3, dtype=REAL) + 2 * q[0] * v + 2 * v @ v


def turn(theta) -> np.ndarray:
    """(3, 3): the rotation by the rotation vector theta (Rodrigues)."""
    theta = real(theta)
    angle = length(theta)
    if angle == 0:
        return np.eye(3, dtype=REAL)
    v = skew(theta / angle)
    return np.eye(3, dtype=REAL) + np.sin(angle) * v + (1 - np.cos(angle)) * v @ v


def rotation_vector_rate(theta) -> np.ndarray:
    """(3, 3): theta' per angular velocity along the body's axes, as the inverse of the exponential's differential."""
    angle = length(theta)
    v = skew(theta)
    if angle < 1e-6:
        return np.eye(3, dtype=REAL) + v / 2 + v @ v / 12
    forward = np.eye(3) - (1 - np.cos(angle)) / angle**2 * v + (angle - np.sin(angle)) / angle**3 * v @ v
    return np.stack([refined_solution(forward, column) for column in np.eye(3, dtype=REAL)], axis=1)


def refined_solution(A, b) -> np.ndarray:
    """Solves A x = b in long doubles: by doubles, then corrected from the residual (Wilkinson 1963)."""
    rows = 1 / np.abs(A).max(axis=1)
    A, b = A * rows[:, None], b * rows
    columns = 1 / np.abs(A).max(axis=0)
    A = A * columns
    inverse = np.linalg.inv(A.astype(float))
    x = np.zeros(len(b), REAL)
    for _ in range(6):
        x = x + inverse @ (b - A @ x)
    return x * columns
