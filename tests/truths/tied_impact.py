# SPDX-License-Identifier: GPL-3.0-or-later
"""An impact on bodies that are tied together, in absolute coordinates: one dense system of equations.

Each body has its own six velocities (angular first, then linear, of the centre of mass, world axes). With M their
inertia, J the rows of the ties and n the row of the contact, impulses lambda and p,

    M (v+ - v) = J^T lambda + n^T p,   J v+ = 0,   n v+ = -restitution n v.
"""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class TiedBodies:
    """masses (B,) kg; inertias (B, 3, 3) kg m2 about the centres, world axes; centers (B, 3) m."""

    masses: np.ndarray
    inertias: np.ndarray
    centers: np.ndarray
    rows: list[np.ndarray] = field(default_factory=list)

    def velocity_row(self, body: int | None, point, direction) -> np.ndarray:
        """(6 B,): the velocity along `direction` of the point of a body (None: the world)."""
        row = np.zeros((len(self.masses), 6))
        if body is not None:
            row[body] = [*np.cross(np.asarray(point) - self.centers[body], direction), *direction]
        return row.ravel()

    def turn_row(self, body: int | None, direction) -> np.ndarray:
        """(6 B,): the angular velocity of a body about `direction`."""
        row = np.zeros((len(self.masses), 6))
        if body is not None:
            row[body, :3] = direction
        return row.ravel()

    def tie_points(self, a: int | None, b: int | None, point) -> None:
        """A ball joint."""
        self.rows += [self.velocity_row(b, point, e) - self.velocity_row(a, point, e) for e in np.eye(3)]

    def tie_turns(self, a: int | None, b: int | None, axis) -> None:
        """Lets two bodies turn against each other about the axis only; with `tie_points`, a hinge."""
        across = np.linalg.svd(np.asarray(axis, float)[None])[2][1:]
        self.rows += [self.turn_row(b, e) - self.turn_row(a, e) for e in across]

    def inertia(self) -> np.ndarray:
        """(6 B, 6 B)"""
        result = np.zeros((6 * len(self.masses),) * 2)
        for k, (m, I) in enumerate(zip(self.masses, self.inertias, strict=True)):
            result[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = I
            result[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = m * np.eye(3)
        return result

    def after(self, velocities, a: int | None, b: int | None, point, normal, restitution: float) -> np.ndarray:
        """(B, 6): after `a` and `b` have met at the point; `normal` is the unit vector from `a` to `b`; no friction."""
        v = np.asarray(velocities, float).ravel()
        contact = self.velocity_row(b, point, normal) - self.velocity_row(a, point, normal)
        if contact @ v >= 0.0:
            return v.reshape(-1, 6)
        rows = np.array([*self.rows, contact])
        size, count = len(v), len(rows)
        system = np.block([[self.inertia(), -rows.T], [rows, np.zeros((count, count))]])
        wanted = np.zeros(count)
        wanted[-1] = -restitution * (contact @ v)
        return np.linalg.solve(system, [*(self.inertia() @ v), *wanted])[:size].reshape(-1, 6)

    def momentum(self, velocities) -> np.ndarray:
        """(6,): angular about the origin, then linear."""
        v = np.asarray(velocities, float).reshape(-1, 6)
        linear = self.masses[:, None] * v[:, 3:]
        angular = np.einsum("bij,bj->bi", self.inertias, v[:, :3]) + np.cross(self.centers, linear)
        return np.concatenate([angular.sum(axis=0), linear.sum(axis=0)])

    def energy(self, velocities) -> float:
        v = np.asarray(velocities, float).ravel()
        return float(0.5 * v @ self.inertia() @ v)
