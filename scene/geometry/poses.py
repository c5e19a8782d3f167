# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's 4x4 matrices taken apart into what is rigid and what is not.

A world matrix M is [R A | p]: R is a proper rotation, p the position, and A = R^T M3 the *residual*: scale, shear and
mirror. R is the polar factor of M3 (for a mirrored object, the one that puts the mirror into A, as Blender's own
`Matrix.decompose` does), so that a body whose A is constant moves rigidly: M(t) = [R(t) | p(t)] A. All arrays are
float64 and may have leading axes; quaternions are [w, x, y, z].
"""

from typing import NamedTuple

import numpy as np

CONJUGATE = np.array([1.0, -1.0, -1.0, -1.0])
"""A unit quaternion times this is the reverse rotation."""


class Pose(NamedTuple):
    """Position (..., 3), orientation (..., 4) and residual (..., 3, 3) of one or more world matrices."""

    position: np.ndarray
    orientation: np.ndarray
    residual: np.ndarray


def rotation_part(matrices: np.ndarray) -> np.ndarray:
    """The proper rotation (..., 3, 3) in the polar decomposition of matrices (..., 3, 3), scaled or mirrored.

    None, the identity, in what are no numbers: who needs them says so.
    """
    is_number = np.isfinite(matrices).all(axis=(-2, -1))[..., None, None]
    left, _, right = np.linalg.svd(np.where(is_number, matrices, np.eye(3)))
    rotation = left @ right
    return rotation * np.sign(np.linalg.det(rotation))[..., None, None]


def split(matrices: np.ndarray) -> Pose:
    """Take world matrices (..., 4, 4) apart."""
    matrices = np.asarray(matrices, dtype=np.float64)
    linear = matrices[..., :3, :3]
    rotation = rotation_part(linear)
    residual = np.swapaxes(rotation, -1, -2) @ linear
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
    """Unit quaternions (..., 4) of rotation matrices (..., 3, 3), after Bar-Itzhack (2000), w >= 0.

    The quaternion is the dominant eigenvector of a symmetric 4x4 matrix, so that no rotation is a special case.
    """
    m = np.asarray(rotation, dtype=np.float64)
    k = np.empty((*m.shape[:-2], 4, 4))
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    k[..., 0, 0] = xx + yy + zz
    k[..., 1, 1] = xx - yy - zz
    k[..., 2, 2] = yy - xx - zz
    k[..., 3, 3] = zz - xx - yy
    k[..., 0, 1] = k[..., 1, 0] = m[..., 2, 1] - m[..., 1, 2]
    k[..., 0, 2] = k[..., 2, 0] = m[..., 0, 2] - m[..., 2, 0]
    k[..., 0, 3] = k[..., 3, 0] = m[..., 1, 0] - m[..., 0, 1]
    k[..., 1, 2] = k[..., 2, 1] = m[..., 0, 1] + m[..., 1, 0]
    k[..., 1, 3] = k[..., 3, 1] = m[..., 0, 2] + m[..., 2, 0]
    k[..., 2, 3] = k[..., 3, 2] = m[..., 1, 2] + m[..., 2, 1]
    quaternion = np.linalg.eigh(k)[1][..., :, 3]
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
