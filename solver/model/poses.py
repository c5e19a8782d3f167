# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of bodies at zero coordinates, and rotations as matrices and quaternions, many at a time."""

import numpy as np

from ..mechanism.bodies import Body
from ..mechanism.keyed_motion import sample

ZERO, IDENTITY = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of unit quaternions (n, 4)."""
    w, x, y, z = np.asarray(quaternions, float).reshape(-1, 4).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def rotation_vector_quaternion(theta: tuple[float, float, float]) -> np.ndarray:
    """(4,): the turn by |theta| (rad) about theta."""
    angle = np.linalg.norm(theta)
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * np.array(theta)])


def body_pose(body: Body) -> tuple[tuple, tuple]:
    """(position, orientation) at zero coordinates; a keyed body without a pose stands where its keys put it at 0 s."""
    position, orientation = body.position or ZERO, body.orientation or IDENTITY
    if body.motion == "keyed" and (body.position is None or body.orientation is None):
        positions, orientations, _, _ = sample(body.keys, np.zeros(1))
        position = tuple(positions[0]) if body.position is None else position
        orientation = tuple(orientations[0]) if body.orientation is None else orientation
    return position, orientation
