# SPDX-License-Identifier: GPL-3.0-or-later
"""From poses of bodies to coordinates of joints: what joints cannot follow is left out.

Symbols: R, t rotation and travel of a joint's child's frame in its parent's frame, as `dynamics.tree.joints` makes them
of coordinates.
"""

import numpy as np

from ..mechanism.joint_types import LENGTH
from ..model.arrays import TYPES, Kind, Model, State
from ..model.poses import cardan_angles, rotation_matrices

_TURN = 2.0 * np.pi


def take_poses(model: Model, state: State, rotation: np.ndarray, center: np.ndarray) -> None:
    """Fills the coordinates of `state` and puts its charts' anchors there.

    rotation (B, 3, 3), center (B, 3): the kernels' axes and centres of mass (m) of all bodies, driven ones included.
    Angles that may turn more than once are taken as near as can be to what they are.
    """
    bodies, first = model.bodies[model.driven :], model.driven
    inner, outer = bodies.inner, np.arange(first, len(model.bodies))
    J = rotation[inner] @ bodies.joint_rotation.reshape(-1, 3, 3)
    at_inner = center[inner] + np.einsum("bij,bj->bi", rotation[inner], bodies.joint_point)
    at_outer = center[outer] - np.einsum("bij,bj->bi", rotation[outer], bodies.center_offset)
    is_child = bodies.direction > 0.0
    parent = np.where(is_child[:, None, None], J, rotation[outer])
    child = np.where(is_child[:, None, None], rotation[outer], J)
    back = np.swapaxes(parent, 1, 2)
    R = back @ child
    t = np.einsum("bij,bj->bi", back, np.where(is_child[:, None], at_outer - at_inner, at_inner - at_outer))
    for kind in Kind:
        of_kind = np.flatnonzero(bodies.kind == kind)
        if len(of_kind):
            _take(kind, bodies[of_kind], R[of_kind], t[of_kind], state)


def _take(kind: Kind, bodies: np.recarray, R: np.ndarray, t: np.ndarray, state: State) -> None:
    q, first = state.coordinates, bodies.axis_start
    if kind == Kind.SCREW:
        has_pitch = bodies.pitch != 0.0
        by_travel = np.divide(t[:, 2], bodies.pitch, out=q[first].copy(), where=has_pitch)
        q[first] = _nearest(_angle(R, 2), by_travel)
    elif kind == Kind.UNIVERSAL:
        q[first] = _nearest(np.arctan2(R[:, 2, 1], R[:, 1, 1]), q[first])
        q[first + 1] = _nearest(np.arctan2(R[:, 0, 2], R[:, 0, 0]), q[first + 1])
    elif kind in (Kind.SPHERICAL, Kind.FREE):
        turns = first if kind == Kind.SPHERICAL else first + 3
        if kind == Kind.FREE:
            q[first], q[first + 1], q[first + 2] = t.T
        for k in range(3):
            q[turns + k] = 0.0
        state.anchor[bodies.chart] = quaternions(R)
    elif TYPES[kind].is_charted:
        travels = TYPES[kind].travels
        for k, axis in enumerate(travels):
            q[first + k] = t[:, axis]
        for k in range(3):
            q[first + len(travels) + k] = 0.0
        state.anchor[bodies.chart] = quaternions(R)
    elif len(TYPES[kind].turns) == 2:
        for k, axis in enumerate(TYPES[kind].travels):
            q[first + k] = t[:, axis]
        for k, angle in enumerate(cardan_angles(R, *(turn.axis for turn in TYPES[kind].turns))):
            at = first + len(TYPES[kind].travels) + k
            q[at] = _nearest(angle, q[at])
    elif not TYPES[kind].rides:  # all along and about the parent's axes
        for k, axis in enumerate(TYPES[kind].axes):
            q[first + k] = t[:, axis.axis] if axis.kind == LENGTH else _nearest(_angle(R, axis.axis), q[first + k])


def _angle(R: np.ndarray, axis: int) -> np.ndarray:
    """rad: of the turns R (n, 3, 3) about an axis, 0 to 2."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    return np.arctan2(R[:, b, a] - R[:, a, b], R[:, a, a] + R[:, b, b])


def _nearest(angle: np.ndarray, before: np.ndarray) -> np.ndarray:
    return angle + _TURN * np.round((before - angle) / _TURN)


def quaternions(R: np.ndarray) -> np.ndarray:
    """(n, 4) unit quaternions of rotation matrices (n, 3, 3), by the largest of the four components (Shepperd 1978)."""
    x, y, z = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    squares = np.stack([1 + x + y + z, 1 + x - y - z, 1 - x + y - z, 1 - x - y + z], axis=1)
    a, b, c = R[:, 2, 1], R[:, 0, 2], R[:, 1, 0]
    d, e, f = R[:, 1, 2], R[:, 2, 0], R[:, 0, 1]
    rows = np.stack(
        [
            np.stack([squares[:, 0], a - d, b - e, c - f], axis=1),
            np.stack([a - d, squares[:, 1], c + f, b + e], axis=1),
            np.stack([b - e, c + f, squares[:, 2], a + d], axis=1),
            np.stack([c - f, b + e, a + d, squares[:, 3]], axis=1),
        ],
        axis=1,
    )
    largest = rows[np.arange(len(R)), np.argmax(squares, axis=1)]
    return largest / np.linalg.norm(largest, axis=1, keepdims=True)


def kernel_poses(
    own: np.ndarray, center_of_mass: np.ndarray, position: np.ndarray, orientation: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(rotation, center) for `take_poses` of bodies' frames; own (n, 3, 3): those frames in the kernels' axes."""
    R = rotation_matrices(orientation)
    return R @ np.swapaxes(own, 1, 2), position + np.einsum("nij,nj->ni", R, center_of_mass)
