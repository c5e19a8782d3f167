# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of bodies at zero coordinates, and rotations as matrices and quaternions, many at a time."""

import numpy as np

from ..mechanism.bodies import Body
from ..mechanism.keyed_motion import sample

ZERO, IDENTITY = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(..., 3, 3): products of matrices; their sums have one order, while that of `@` hangs on the processor."""
    whole = left[..., :, 0, None] * right[..., None, 0, :]
    for k in (1, 2):
        whole += left[..., :, k, None] * right[..., None, k, :]
    whole += 0.0  # no zeros below zero
    return whole


def turned(rotations: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(..., 3): vectors in the axes that the columns of (..., 3, 3) are given in; summed in one order, as `product`."""
    whole = rotations[..., 0] * vectors[..., 0, None]
    for k in (1, 2):
        whole += rotations[..., k] * vectors[..., k, None]
    whole += 0.0
    return whole


def transposed(rotations: np.ndarray) -> np.ndarray:
    """(..., 3, 3)."""
    return np.swapaxes(rotations, -2, -1)


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of quaternions (n, 4) that are of unit length, or nearly so; orthogonal to rounding."""
    q = np.asarray(quaternions, float).reshape(-1, 4)
    w, x, y, z = q.T
    squares = np.square(q).sum(axis=1)
    k = 2.0 / np.where(squares > 0.0, squares, 1.0)  # none, of what is not there, is no turn
    turns = np.array(
        [
            [1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y)],
            [k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x)],
            [k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y)],
        ]
    )
    return orthogonal(np.moveaxis(turns, 2, 0))


def quaternions(rotations: np.ndarray) -> np.ndarray:
    """(n, 4), of either sign, of rotations (n, 3, 3): the row of 4 q q^T with the largest q_k (Shepperd, 1978)."""
    R = np.asarray(rotations, float)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = R.reshape(-1, 9).T
    rows = np.array(
        [
            [1.0 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, 1.0 + yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, 1.0 + zz - xx - yy],
        ]
    )
    w, x, y, z = rows[np.argmax(np.diagonal(rows), axis=1), :, np.arange(len(R))].T
    return np.array([w, x, y, z]).T / np.sqrt(w * w + x * x + y * y + z * z)[:, None]


def orthogonal(rotations: np.ndarray) -> np.ndarray:
    """(n, 3, 3): the nearest orthogonal matrices to such as are orthogonal but for rounding (Newton's method once).

    A chain of a hundred equal joints multiplies their errors a hundred times, all in one direction.
    """
    correction = product(transposed(rotations), rotations)
    correction *= -0.5
    correction += 1.5 * np.eye(3)
    return product(rotations, correction)


def rotation_vector_quaternion(theta: tuple[float, float, float]) -> np.ndarray:
    """(4,): the turn by |theta| (rad) about theta."""
    angle = np.linalg.norm(theta)
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * np.array(theta)])


def cardan_angles(R: np.ndarray, i: int, j: int) -> tuple[np.ndarray, np.ndarray]:
    """(n,) rad, two: of the turns R (n, 3, 3) about axis i and then about the new axis j, of x, y, z as 0, 1, 2."""
    k = 3 - i - j
    way = 1.0 if (j - i) % 3 == 1 else -1.0
    return np.arctan2(way * R[:, k, j], R[:, j, j]), np.arctan2(way * R[:, i, k], R[:, i, i])


def body_pose(body: Body) -> tuple[tuple, tuple]:
    """(position, orientation) at zero coordinates; a keyed body without a pose stands where its keys put it at 0 s."""
    position, orientation = body.position or ZERO, body.orientation or IDENTITY
    if body.motion == "keyed" and (body.position is None or body.orientation is None):
        positions, orientations, _, _ = sample(body.keys, np.zeros(1))
        position = tuple(positions[0]) if body.position is None else position
        orientation = tuple(orientations[0]) if body.orientation is None else orientation
    return position, orientation
