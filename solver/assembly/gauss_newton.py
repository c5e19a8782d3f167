# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings a linkage together: damped Gauss-Newton steps (Levenberg 1944, Marquardt 1963) in the metric of mass.

The thesis (Schroeder 1990, chapter 8) recommends root finding over Barzel's critically damped forces for this. Each
step is the shortest one in the metric, so little is moved, and what is heavy least. Where not all can be met, the
joints hold first and the constraints share what is left in the sense of least squares.
"""

from collections.abc import Iterator

import numpy as np

from .connections import Evaluated
from .placement import Poses
from .system import LinearProblem, Linkage

EXACT = 1e-14  # residual, as a part of the linkage's size or in rad, below which nothing is gained
TOGETHER = 1e-9  # residual that only rounding or a contradiction leaves
_ROUNDING = 1e-11  # residual that may be rounding alone
_FLAT = 1e-11  # slope, against the residual, at which a linkage stands still
_NOTHING = 1e-14  # part of the cost that is not worth a step
_SLOW = (0.02, 1e-6)  # part of the cost by which a step of the first and the second kind is slow
_PATIENCE = 6  # slow steps
_LEAST_DAMPING = 1e-8  # of a unit step
_LARGEST_TURN = 2.0  # rad of a body in one step
_MOST_ITERATIONS = 300
_JOINTS_FIRST = 1e3  # weight of joints against constraints once it is clear that not all can be met
_NUDGES = (1e-3, 3e-2, 0.3)  # rad, and parts of a body's length, that free a linkage from a dead point


class Solver:
    """One linkage on its way together; `poses` are the best so far.

    together: residual, as a part of the linkage's size or in rad, below which it is not tried by other means.
    """

    def __init__(self, linkage: Linkage, poses: Poses, together: float = TOGETHER) -> None:
        self.linkage, self.poses, self._together = linkage, poses, together
        self.iterations = 0
        self._weights = np.ones(len(linkage.connections.owner))
        self._look(poses)

    def _look(self, poses: Poses) -> None:
        self._sight = self.linkage.connections.sight(poses)
        self._evaluated = self.linkage.connections.evaluate(self._sight)

    @property
    def error(self) -> float:
        """The largest residual of the rows that count, as a part of the linkage's size or in rad."""
        rows = self._weights > 0.0
        parts = np.where(self.linkage.connections.is_length, 1.0 / self.linkage.scales.size, 1.0)
        return float(np.abs(self._evaluated.residual * parts)[rows].max(initial=0.0))

    @property
    def is_open(self) -> bool:
        """True if there is anything to bring together, and anything that can be moved."""
        return self.error > 100.0 * EXACT and len(self.linkage.moved) > 0

    def run(self) -> Iterator[float]:
        """Yields the error after each step."""
        yield from self._settle()
        if self.error < self._together:
            return
        yield from self._leave_dead_points()
        connections = self.linkage.connections
        if self.error < self._together or connections.is_joint.all() or not connections.is_joint.any():
            return
        for joints, constraints in ((_JOINTS_FIRST, 1.0), (1.0, 0.0)):
            self._weights = np.where(connections.is_joint, joints, constraints)
            yield from self._settle()
        self._weights = np.ones(len(connections.owner))

    def _settle(self) -> Iterator[float]:
        yield from self._descend()
        if self.error > self._together:
            yield from self._descend(heeds_pull=True)

    def _leave_dead_points(self) -> Iterator[float]:
        """Pushes a linkage that stands still without being together, such as a straight chain that is too long."""
        random = np.random.default_rng(1)
        for size in _NUDGES:
            before, cost = self.poses, self._cost(self._evaluated.residual)
            nudge = size * random.normal(size=(len(self.linkage.moved), 6))
            nudge[:, 3:] *= self.linkage.scales.length
            self.poses = self.linkage.moved_by(before, nudge)
            self._look(self.poses)
            yield from self._settle()
            if self._cost(self._evaluated.residual) < (1.0 - 1e-6) * cost:
                if self.error < self._together:
                    return
            else:
                self.poses = before
                self._look(before)

    def _cost(self, residual: np.ndarray) -> float:
        return 0.5 * float(np.sum((self._weights * self.linkage.scaled(residual)) ** 2))

    def _descend(self, heeds_pull: bool = False) -> Iterator[float]:
        """Steps until all is met, or until nothing is gained any more.

        heeds_pull: take into account how connections that can't be closed pull on their bodies, which first derivatives
            miss.
        """
        damper, slow = _Damper(), 0
        cost, problem, held = self._cost(self._evaluated.residual), None, {}
        for _ in range(_MOST_ITERATIONS):
            if self.error < EXACT or damper.is_hopeless:
                return
            problem = problem or self._linear_problem(heeds_pull, held)
            if problem.slope() <= _FLAT * np.sqrt(2.0 * cost):
                return
            y = problem.step(damper.damping(cost))
            motion = self.linkage.motion(y, self.poses)
            self.iterations += 1
            if not np.abs(motion[:, :3]).max(initial=0.0) <= _LARGEST_TURN:
                damper.raise_it()
                continue
            poses = self.linkage.moved_by(self.poses, motion)
            sight = self.linkage.connections.sight(poses)
            evaluated = self.linkage.connections.evaluate(sight)
            new, promised = self._cost(evaluated.residual), problem.promise(y)
            if not new < cost:
                if self._hold(evaluated, held):
                    problem = None
                    continue
                if self.error < _ROUNDING or promised <= _NOTHING * cost:
                    return
                damper.raise_it()
                yield self.error
                continue
            damper.follow((cost - new) / max(promised, 1e-300))
            slow = slow + 1 if new > (1.0 - _SLOW[heeds_pull]) * cost else 0
            self.poses, self._sight, self._evaluated, cost, problem = poses, sight, evaluated, new, None
            held = {}
            self.linkage.connections.follow(sight)
            yield self.error
            if slow >= _PATIENCE:
                return

    def _hold(self, trial: Evaluated, held: dict[int, float]) -> bool:
        """Adds limits that a step would pass to those held, with the way (m or rad) that is left to them."""
        passed = np.flatnonzero(trial.is_active & ~self._evaluated.is_active)
        passed = [row for row in passed if row not in held]
        if passed:
            room = self.linkage.connections.room(self._sight)
            held.update({row: room[row, int(trial.residual[row] > 0.0)] for row in passed})
        return bool(passed)

    def _linear_problem(self, heeds_pull: bool, held: dict[int, float]) -> LinearProblem:
        """The rows that act here: those of limits where they are passed, or `held` since a step would pass them."""
        acts, residual = self._evaluated.is_active.copy(), self._evaluated.residual.copy()
        rows = list(held)
        acts[rows], residual[rows] = True, [held[row] for row in rows]
        weights = np.where(acts, self._weights, 0.0)
        matrix = self.linkage.matrix(self._evaluated, self._sight, self.poses).multiply(weights[:, None]).tocsr()
        wanted = -weights * self.linkage.scaled(residual)
        stiffness = self.linkage.stiffness(self._evaluated, self._sight, weights, self.poses) if heeds_pull else None
        return LinearProblem(matrix, wanted, stiffness)


class _Damper:
    """The damping of steps: less where the last one did what it promised, more where it failed.

    Nielsen (1999), with the damping proportional to the cost, so that it fades as the linkage closes.
    """

    def __init__(self) -> None:
        self._factor, self._growth = 1e-6, 2.0

    def damping(self, cost: float) -> float:
        return max(_LEAST_DAMPING, float(np.sqrt(self._factor * min(1.0, 2.0 * cost))))

    @property
    def is_hopeless(self) -> bool:
        return self._factor > 1e10

    def raise_it(self) -> None:
        self._factor, self._growth = self._factor * self._growth, 2.0 * self._growth

    def follow(self, gain: float) -> None:
        self._factor = max(1e-12, self._factor * max(0.1, 1.0 - (2.0 * min(gain, 1.0) - 1.0) ** 3))
        self._growth = 2.0
