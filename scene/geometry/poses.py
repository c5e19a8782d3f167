# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's 4x4 matrices taken apart into what is rigid and what is not.

A world matrix M is [R A | p]: R is a proper rotation, p the position, and A = R^T M3 the *residual*: scale, shear and
mirror. R is the polar factor of M3 (for a mirrored object, the one that puts the mirror into A, as Blender's own
`Matrix.decompose` does), so that a body whose A is constant moves rigidly: M(t) = [R(t) | p(t)] A. All arrays are
float64 and may have leading axes; quaternions are [w, x, y, z].
"""

from typing import NamedTuple

import numpy as np

from ...solver.model.poses import product as linear_product
from ...solver.model.poses import quaternions as of_rotations
from ...solver.model.poses import transposed

STEPS = 10
"""Of Newton's iteration: with scaling nine do whatever the matrix is."""
FLAT = 1e-12
"""A determinant, of a largest element of one, that is none."""

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
"""A unit quaternion times this is the reverse rotation."""


class Pose(NamedTuple):
    """Position (..., 3), orientation (..., 4) and residual (..., 3, 3) of one or more world matrices."""

    position: np.ndarray
    orientation: np.ndarray
    residual: np.ndarray


def rotation_part(matrices: np.ndarray) -> np.ndarray:
    """The proper rotation (..., 3, 3) in the polar decomposition of matrices (..., 3, 3), scaled or mirrored.

    By Newton's iteration with Higham's scaling (1986), in operations that every processor rounds alike. What is flat
    goes by singular values. None, the identity, in what are no numbers: who needs them says so.
    """
    is_number = np.isfinite(matrices).all(axis=(-2, -1))[..., None, None]
    matrices = np.where(is_number, matrices, np.eye(3))
    largest = np.abs(matrices).max(axis=(-2, -1))[..., None, None]
    rotation = matrices / np.where(largest > 0.0, largest, 1.0)
    is_flat = np.abs(_determinant(rotation)) < FLAT
    rotation = np.where(is_flat, np.eye(3), rotation)
    for _ in range(STEPS):
        inverse = _cofactors(rotation) / _determinant(rotation)
        scale = np.sqrt(_size(inverse) / _size(rotation))
        rotation = 0.5 * (scale * rotation + inverse / scale)
    if is_flat.any():
        left, _, right = np.linalg.svd(matrices)
        rotation = np.where(is_flat, left @ right, rotation)
    return rotation * np.sign(_determinant(rotation))


def _cofactors(m: np.ndarray) -> np.ndarray:
    rows = [np.cross(m[..., (i + 1) % 3, :], m[..., (i + 2) % 3, :]) for i in range(3)]
    return np.stack(rows, axis=-2)


def _determinant(m: np.ndarray) -> np.ndarray:
    (a, b, c), (d, e, f) = np.moveaxis(m[..., 0, :], -1, 0), np.moveaxis(_cofactors(m)[..., 0, :], -1, 0)
    return (a * d + b * e + c * f)[..., None, None]


def _size(m: np.ndarray) -> np.ndarray:
    """The root of the sum of squares (..., 1, 1)."""
    total = sum(m[..., i, k] * m[..., i, k] for i in range(3) for k in range(3))
    return np.sqrt(total)[..., None, None]


def split(matrices: np.ndarray) -> Pose:
    """Take world matrices (..., 4, 4) apart."""
    matrices = np.asarray(matrices, dtype=np.float64)
    linear = matrices[..., :3, :3]
    rotation = rotation_part(linear)
    residual = linear_product(transposed(rotation), linear)
    return Pose(matrices[..., :3, 3].copy(), quaternions(rotation), residual)


def join(position: np.ndarray, orientation: np.ndarray, residual: np.ndarray) -> np.ndarray:
    """The reverse of `split`: matrices (..., 4, 4)."""
    position = np.asarray(position, dtype=np.float64)
    matrices = np.zeros((*position.shape[:-1], 4, 4))
    matrices[..., :3, :3] = rotations(orientation) @ residual
    matrices[..., :3, 3] = position
    matrices[..., 3, 3] = 1.0
    return matrices


def quaternions(rotation: np.ndarray) -> np.ndarray:
    """Unit quaternions (..., 4) of rotation matrices (..., 3, 3), w >= 0."""
    m = np.asarray(rotation, dtype=np.float64)
    quaternion = of_rotations(m.reshape(-1, 3, 3)).reshape(*m.shape[:-2], 4)
    return np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)


def rotations(quaternion: np.ndarray) -> np.ndarray:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4)."""
    w, x, y, z = np.moveaxis(np.asarray(quaternion, dtype=np.float64), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def product(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Hamilton's product of quaternions (..., 4): the rotation `first` after `second`."""
    w, x, y, z = (first[..., i] for i in range(4))
    a, b, c, d = (second[..., i] for i in range(4))
    rows = [
        w * a - x * b - y * c - z * d,
        w * b + x * a + y * d - z * c,
        w * c - x * d + y * a + z * b,
        w * d + x * c - y * b + z * a,
    ]
    return np.stack(rows, axis=-1)


def continuous(quaternion: np.ndarray) -> np.ndarray:
    """The same rotations (..., T, 4) with signs chosen so that each quaternion is the nearer one to that before it."""
    quaternion = np.array(quaternion, dtype=np.float64)
    turns = np.einsum("...ti,...ti->...t", quaternion[..., 1:, :], quaternion[..., :-1, :]) < 0.0
    quaternion[..., 1:, :] *= np.where(np.cumsum(turns, axis=-1) % 2 == 1, -1.0, 1.0)[..., None]
    return quaternion


def rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """Axis times angle (..., 3) of rotation matrices (..., 3, 3)."""
    quaternion = quaternions(rotation)
    sine = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quaternion[..., :1])
    small = sine < 1e-12
    return quaternion[..., 1:] * np.where(small, 2.0, angle / np.where(small, 1.0, sine))
