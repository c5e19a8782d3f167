# SPDX-License-Identifier: GPL-3.0-or-later
"""The linear problem of one step: rows over the bodies that move, in the metric of mass and inertia, as sparse matrix.

Unknowns y are motions times the root of mass or inertia, divided by those of a typical body, so that |y| is small when
little mass moves little; rows are divided by the same typical length, so that m and rad can be weighed together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..model.poses import rotation_matrices
from . import rotations
from .connections import Connections, Evaluated, Sight, jacobian_blocks
from .placement import Bodies, Poses

if TYPE_CHECKING:
    from scipy import sparse  # half a second to import, so only where a matrix is made


class Scales(NamedTuple):
    """Units that numbers are measured by."""

    size: float  # m: the extent of all
    length: float  # m: a typical body's
    mass: float  # kg: a typical body's


class Linkage:
    """Some connections, the bodies that they can move, and the matrices of both."""

    def __init__(self, connections: Connections, bodies: Bodies, poses: Poses) -> None:
        self.connections, self.bodies = connections, bodies
        self.moved = np.unique(connections.ends.ravel())
        self.moved = self.moved[bodies.moves[self.moved]]
        self._column = np.full(len(bodies), -1)
        self._column[self.moved] = np.arange(len(self.moved))
        self.scales = self._measure(poses)
        mass = bodies.mass[self.moved, None]
        metric = np.hstack([bodies.moments[self.moved], np.repeat(mass, 3, axis=1)])
        self._unit = np.sqrt(self.scales.mass / metric) * self.scales.length  # (n, 6): motion per unit of y

    def anew(self, poses: Poses) -> Linkage:
        """The same linkage with no turns made yet."""
        return Linkage(self.connections.some(np.arange(len(self.connections.parts))), self.bodies, poses)

    def _measure(self, poses: Poses) -> Scales:
        bodies, moved = self.bodies, self.moved
        center = poses.position + rotations.rotate(poses.orientation, bodies.center)
        frames = self.connections.frames(poses)
        places = np.vstack([center[moved], *(place for place, _ in frames)])
        arms = [
            np.linalg.norm(place - center[end], axis=1)[bodies.moves[end]]
            for (place, _), end in zip(frames, self.connections.ends, strict=True)
        ]
        gyration = np.sqrt(bodies.moments[moved].sum(axis=1) / np.maximum(bodies.mass[moved], 1e-300))
        length = np.sqrt(np.mean(np.concatenate([*arms, gyration]) ** 2)) if len(moved) else 1.0
        mass = np.exp(np.mean(np.log(bodies.mass[moved]))) if len(moved) else 1.0
        size = max(float(np.linalg.norm(np.ptp(places, axis=0))), float(length))
        return Scales(size, float(length), float(mass))

    def scaled(self, residual: np.ndarray) -> np.ndarray:
        """Residuals (m,) as parts of a typical length, or rad."""
        return np.where(self.connections.is_length, residual / self.scales.length, residual)

    def matrix(self, evaluated: Evaluated, sight: Sight, poses: Poses) -> sparse.csr_matrix:
        """(m, 6 n): derivatives of the scaled rows by y."""
        from scipy import sparse

        connections, connection = self.connections, self.connections.owner
        axes = rotation_matrices(poses.orientation[self.moved]) @ self.bodies.axes[self.moved]
        row_scale = np.where(connections.is_length, 1.0 / self.scales.length, 1.0)[:, None]
        rows, columns, entries = [], [], []
        for end, block in zip(connections.ends, jacobian_blocks(evaluated, sight, connection), strict=True):
            column = self._column[end[connection]]
            here = np.flatnonzero(column >= 0)
            k = column[here]
            turned = np.einsum("mi,mij->mj", block[here, :3], axes[k])
            entries.append((np.hstack([turned, block[here, 3:]]) * self._unit[k] * row_scale[here]).ravel())
            rows.append(np.repeat(connections.row[here], 6))
            columns.append((6 * k[:, None] + np.arange(6)).ravel())
        shape = (len(connection), 6 * len(self.moved))
        return sparse.csr_matrix((np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns))), shape)

    def stiffness(self, evaluated: Evaluated, sight: Sight, weights: np.ndarray, poses: Poses) -> sparse.csr_matrix:
        """(6 n, 6 n): what the pull of open connections adds to their second derivatives; the part that holds still.

        A pull f at an arm r of a body resists the rotation phi by f . (phi x (phi x r)) = phi . K phi with
        K = (f r^T + r f^T) / 2 - (f . r) 1. Without it, chains that are pulled straight never come to rest.
        """
        from scipy import sparse

        connections, connection, count = self.connections, self.connections.owner, len(self.moved)
        scale = (
            np.where(connections.is_length, (weights / self.scales.length) ** 2, 0.0)
            * evaluated.residual[connections.row]
        )
        pull = np.zeros((len(connections.parts), 3))
        np.add.at(pull, connection, scale[:, None] * evaluated.force)
        span = np.einsum("tij,tj->ti", sight.axes, sight.d)
        K = np.zeros((count, 3, 3))
        for end, arm, sign in (
            (connections.ends[0], sight.arms[0] - span, -1.0),
            (connections.ends[1], sight.arms[1], 1.0),
        ):
            column = self._column[end]
            here = column >= 0
            f, r = sign * pull[here], arm[here]
            outer = f[:, :, None] * r[:, None, :]
            block = 0.5 * (outer + np.swapaxes(outer, 1, 2)) - np.sum(f * r, axis=1)[:, None, None] * np.eye(3)
            np.add.at(K, column[here], block)
        axes = rotation_matrices(poses.orientation[self.moved]) @ self.bodies.axes[self.moved]
        unit = self._unit[:, :3]
        K = unit[:, :, None] * (np.swapaxes(axes, 1, 2) @ K @ axes) * unit[:, None, :]
        size, across = np.linalg.eigh(K)
        K = (across * np.maximum(size, 0.0)[:, None, :]) @ np.swapaxes(across, 1, 2)
        row = 6 * np.arange(count)[:, None, None] + np.arange(3)[None, :, None] + np.zeros((1, 1, 3), int)
        return sparse.csr_matrix((K.ravel(), (row.ravel(), np.swapaxes(row, 1, 2).ravel())), (6 * count, 6 * count))

    def motion(self, y: np.ndarray, poses: Poses) -> np.ndarray:
        """(n, 6): small rotations and travels of the centres of mass, world axes, that y stands for."""
        motion = y.reshape(-1, 6) * self._unit
        axes = rotation_matrices(poses.orientation[self.moved]) @ self.bodies.axes[self.moved]
        motion[:, :3] = np.einsum("nij,nj->ni", axes, motion[:, :3])
        return motion

    def way(self, start: Poses, end: Poses) -> np.ndarray:
        """(n, 6): the motion that takes `start` to `end`, to be given to `moved_by`."""
        moved, center = self.moved, self.bodies.center[self.moved]
        places = [poses.to_world(moved, center) for poses in (start, end)]
        turn = rotations.multiply(end.orientation[moved], rotations.conjugate(start.orientation[moved]))
        return np.hstack([rotations.logarithm(turn), places[1] - places[0]])

    def moved_by(self, poses: Poses, motion: np.ndarray) -> Poses:
        """The poses after rotations about the centres of mass and their travels (n, 6)."""
        moved, center = self.moved, self.bodies.center[self.moved]
        turn = rotations.exponential(motion[:, :3])
        position, orientation = poses.position.copy(), poses.orientation.copy()
        place = position[moved] + rotations.rotate(orientation[moved], center) + motion[:, 3:]
        orientation[moved] = rotations.normalized(rotations.multiply(turn, orientation[moved]))
        position[moved] = place - rotations.rotate(orientation[moved], center)
        return Poses(position, orientation)


class LinearProblem(NamedTuple):
    """To find y with matrix y = wanted, in the sense of least squares; `stiffness` resists motions further."""

    matrix: sparse.csr_matrix  # (m, 6 n)
    wanted: np.ndarray  # (m,)
    stiffness: sparse.csr_matrix | None = None  # (6 n, 6 n)

    def step(self, damping: float) -> np.ndarray:
        """y with the least |matrix y - wanted|^2 + damping^2 |y|^2 + y . stiffness y, for any rank of the matrix.

        The augmented system [damping 1, A; A^T, -damping 1] is solved rather than the normal equations: its condition
        is that of A, not its square, so that redundant rows cost no digits. Where a negative stiffness makes it
        singular to the last digit, that is left out.
        """
        from scipy import sparse
        from scipy.sparse.linalg import splu

        rows, columns = self.matrix.shape
        corner = -damping * sparse.identity(columns)
        if self.stiffness is not None:
            corner = corner - self.stiffness / damping
        blocks = [[damping * sparse.identity(rows), self.matrix], [self.matrix.T, corner]]
        right = np.concatenate([self.wanted, np.zeros(columns)])
        try:
            return splu(sparse.bmat(blocks, format="csc")).solve(right)[rows:]
        except RuntimeError:  # "Factor is exactly singular"
            if self.stiffness is None:
                raise
            return self._replace(stiffness=None).step(damping)

    def slope(self) -> float:
        """The length of the gradient at y = 0."""
        return float(np.linalg.norm(self.matrix.T @ self.wanted))

    def promise(self, y: np.ndarray) -> float:
        """By how much y lowers half the sum of squares."""
        kept = self.wanted - self.matrix @ y
        resisted = 0.0 if self.stiffness is None else y @ (self.stiffness @ y)
        return 0.5 * float(self.wanted @ self.wanted - kept @ kept - resisted)
