# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of many bodies at once: unit quaternions (n, 4) as [w, x, y, z] and rotation vectors (n, 3) in radians."""

import numpy as np


def multiply(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Quaternion products over leading dimensions."""
    pw, pv, qw, qv = p[..., :1], p[..., 1:], q[..., :1], q[..., 1:]
    real = pw * qw - np.sum(pv * qv, axis=-1, keepdims=True)
    return np.concatenate([real, pw * qv + qw * pv + np.cross(pv, qv)], axis=-1)


def conjugate(q: np.ndarray) -> np.ndarray:
    """The rotations back."""
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def normalized(q: np.ndarray) -> np.ndarray:
    """Quaternions of unit length."""
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def rotate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) turned by quaternions (..., 4)."""
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def exponential(theta: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors of any length."""
    angle = np.linalg.norm(theta, axis=-1, keepdims=True)
    return np.concatenate([np.cos(0.5 * angle), 0.5 * np.sinc(angle / (2.0 * np.pi)) * theta], axis=-1)


def logarithm(q: np.ndarray) -> np.ndarray:
    """Rotation vectors of length at most pi."""
    q = np.where(q[..., :1] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        k = np.where(sine < 1e-12, 2.0, 2.0 * np.arctan2(sine, q[..., :1]) / sine)
    return k * q[..., 1:]


def logarithm_rate(theta: np.ndarray) -> np.ndarray:
    """(n, 3, 3): d theta = matrix @ phi where exp(theta) becomes exp(phi) exp(theta) for a small phi.

    1 - theta x / 2 + c(|theta|) (theta x)^2 with c(p) = (1 - p/2 cot(p/2)) / p^2.
    """
    angle = np.linalg.norm(theta, axis=-1)
    near = angle < 1e-2
    p = np.where(near, 1.0, angle)
    c = np.where(near, 1.0 / 12.0 + angle**2 / 720.0 + angle**4 / 30240.0, (1.0 - 0.5 * p / np.tan(0.5 * p)) / p**2)
    cross = skew(theta)
    return np.eye(3) - 0.5 * cross + c[:, None, None] * (cross @ cross)


def skew(v: np.ndarray) -> np.ndarray:
    """(n, 3, 3): the matrices of v x."""
    result = np.zeros((*v.shape[:-1], 3, 3))
    result[..., 0, 1], result[..., 0, 2], result[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return result - np.swapaxes(result, -1, -2)
