# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of the independent engine, and their least-norm solution where ties are redundant.

A tie is a joint or a constraint: unit wrenches between two points. Unknowns: acceleration a (angular, linear of the
centre of mass) of each dynamic body, second derivative s of each joint coordinate, size m of each unit wrench.
    M a - G^T m = applied and gyroscopic forces       Newton and Euler
    armature s + S m = effort                         the joint's force along each coordinate
    G a - S^T s = wanted                              ties hold
Redundant ties are vectors N with G^T N = 0 and S N = 0. They border the system: N^T m = 0 picks the least norm, and in
return the ties need hold only as far as they can, which is a least-squares solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tests.solver.dynamics.loops.maximal_ties import TieState
from tests.solver.dynamics.tree.long_doubles import ONE, REAL, ZERO, blocks, cross, real, refined_solution, skew

if TYPE_CHECKING:
    from tests.solver.dynamics.loops.maximal import MaximalState

REDUNDANT = 1e-8  # smallest singular value of unit rows that counts as a tie of its own


@dataclass
class Solution:
    """As FORMAT's `evaluate`."""

    linear_acceleration: np.ndarray
    angular_acceleration: np.ndarray
    joint_acceleration: np.ndarray
    joint_force: np.ndarray
    constraint_force: np.ndarray
    redundant: int  # how many independent forces the equations leave open


def solution(state: MaximalState, sizes: dict[str, float]) -> Solution:
    """Accelerations and forces of a mechanism at one moment."""
    system = _System(state, sizes)
    return system.solve()


class _System:
    def __init__(self, state: MaximalState, sizes: dict[str, float]) -> None:
        self.state, mechanism = state, state.mechanism
        dynamic = [i for i, body in enumerate(mechanism.bodies) if body.motion == "dynamic"]
        self.body = {i: slice(6 * k, 6 * k + 6) for k, i in enumerate(dynamic)}
        joints = [self._joint_tie(j) for j in range(len(mechanism.joints))]
        self.ties = [self._scaled(tie, sizes) for tie in (*joints, *state.ties)]
        self.second = 6 * len(dynamic) + np.cumsum([0, *(len(q) for q in state.coordinates)])
        self.tie = self.second[-1] + np.cumsum([0, *(len(tie.rows) for tie in self.ties)])
        size = int(self.tie[-1])
        self.A, self.b = np.zeros((size, size), REAL), np.zeros(size, REAL)

    def solve(self) -> Solution:
        self._balance_bodies()
        for k, tie in enumerate(self.ties):
            self._hold(tie, slice(self.tie[k], self.tie[k + 1]))
        for j in range(len(self.state.joints)):
            self._release(j)
        open_forces = self._open_forces()
        A = np.block([[self.A, open_forces], [open_forces.T, np.zeros((open_forces.shape[1],) * 2, REAL)]])
        b = np.concatenate([self.b, np.zeros(open_forces.shape[1], REAL)])
        return self._solution(refined_solution(A, b) if len(b) else b, open_forces.shape[1])

    def _joint_tie(self, j: int) -> TieState:
        """All six relative accelerations of a joint's child at its origin; `_release` takes out the coordinates'."""
        joint, now = self.state.mechanism.joints[j], self.state.joints[j]
        parent, speeds = self.state.state_of(joint.parent), self.state.speeds[j]
        linear = 2 * cross(parent.angular, speeds @ now.travels)
        angular = cross(parent.angular, speeds @ now.turns) + now.angular_bias
        rows = np.eye(6, dtype=REAL)
        return TieState((joint.child, joint.parent), (now.origin,) * 2, rows, real([*linear, *angular]), 0.0, 0.0)

    def _scaled(self, tie: TieState, sizes: dict[str, float]) -> TieState:
        """Moments in units of a force at the linkage's size."""
        size = next((REAL(sizes[name]) for name in tie.bodies if name in sizes), REAL(1))
        scale = np.where(np.abs(tie.rows[:, :3]).max(axis=1, initial=0) == 0, size, REAL(1))
        return TieState(tie.bodies, tie.points, tie.rows * scale[:, None], tie.wanted * scale, tie.gap, tie.slip)

    def _rows_of(self, name: str | None) -> slice | None:
        return None if name is None else self.body.get(self.state.number[name])

    def _balance_bodies(self) -> None:
        wrenches = self.state.wrenches()
        for i, rows in self.body.items():
            body, now = self.state.mechanism.bodies[i], self.state.bodies[i]
            own = np.diag(real(body.inertia)) if np.ndim(body.inertia) == 1 else real(body.inertia)
            inertia = now.rotation @ own @ now.rotation.T
            self.A[rows, rows] = blocks(inertia, ZERO, ZERO, body.mass * ONE)
            self.b[rows] = wrenches[i]
            self.b[rows][:3] -= cross(now.angular, inertia @ now.angular)

    def _hold(self, tie: TieState, rows: slice) -> None:
        """A tie's force on its bodies, and what it asks of their accelerations."""
        if not len(tie.rows):
            return
        self.b[rows] = tie.wanted
        for name, point, sign in zip(tie.bodies, tie.points, (1, -1), strict=True):
            body = self.state.state_of(name)
            rho = point - body.center
            G = sign * tie.rows @ blocks(-skew(rho), ONE, ONE, ZERO)
            columns = self._rows_of(name)
            if columns is not None:
                self.A[rows, columns] = G
                self.A[columns, rows] = -G.T
            else:
                self.b[rows] -= G @ body.acceleration
            self.b[rows] -= sign * tie.rows[:, :3] @ cross(body.angular, cross(body.angular, rho))

    def _release(self, j: int) -> None:
        """Along its coordinates a joint is free, but for its efforts and armatures."""
        joint, now = self.state.mechanism.joints[j], self.state.joints[j]
        seconds, rows = slice(self.second[j], self.second[j + 1]), slice(self.tie[j], self.tie[j + 1])
        S = np.hstack([now.travels, now.turns]) @ self.ties[j].rows.T
        self.A[seconds, rows], self.A[rows, seconds] = S, -S.T
        self.A[seconds, seconds] = np.diag(real(joint.armature or (0,) * len(S)))
        self.b[seconds] = self.state.efforts(j)

    def _open_forces(self) -> np.ndarray:
        """(size, r): sizes of the ties' unit wrenches that together do nothing, as columns of the whole system."""
        forces = self.second[-1]
        effects = self.A[:forces, forces:].astype(float)
        effects /= np.maximum(np.abs(effects).max(axis=1, initial=0.0), 1e-300)[:, None]
        _, values, right = np.linalg.svd(effects)
        rank = int(np.sum(values > REDUNDANT * values.max(initial=0.0)))
        return np.vstack([np.zeros((forces, len(right) - rank), REAL), real(right[rank:].T)])

    def _solution(self, x: np.ndarray, redundant: int) -> Solution:
        bodies = self.state.bodies
        linear, angular = (np.zeros((len(bodies), 3), REAL) for _ in range(2))
        for i, now in enumerate(bodies):
            both = x[self.body[i]] if i in self.body else now.acceleration
            arm = now.origin - now.center
            angular[i] = both[:3]
            linear[i] = both[3:] + cross(both[:3], arm) + cross(now.angular, cross(now.angular, arm))
        wrenches = [x[self.tie[k] : self.tie[k + 1]] @ tie.rows for k, tie in enumerate(self.ties)]
        joints = len(self.state.joints)
        forces = [real(part).reshape(-1, 6) for part in (wrenches[:joints], wrenches[joints:])]
        return Solution(linear, angular, x[self.second[0] : self.second[-1]], *forces, redundant)
