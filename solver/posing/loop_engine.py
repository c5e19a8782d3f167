# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing of one linkage by dense steps: each is the least motion that fits, and ends closed and within limits.

With M the mass matrix, J the rows of closures and H those of the pulled points, a step asks for the change q of
coordinates with J q = 0 that makes |W (H q - d)|^2 + mu q.M q least, where d are the ways left (damped least squares:
Nakamura, Hanafusa 1986). It is found in the null space of J, in the metric of M, and Newton's method closes what bends
away (`kinematics.steps`), which refuses a step that could come out on another branch. Steps that do not bring the
points nearer are taken back and halved. Limits of coordinates are an active set: what is at one and would go on counts
as a row of J that keeps it there, and a step ends where the next one is met. Dense, O(n^3) a step.

At a dead centre no motion of the null space brings the points nearer, though one of second order may. Where bars come
in line and branches meet, the rows lose rank, most of the null space is no motion, and steps are halved to nothing.
There the linkage is moved a little along a direction of the null space and closed by Newton's method from there, as
one switches branches at bifurcations (Allgower and Georg, Numerical Continuation Methods, 1990, chapter 8). It goes on
from that pose if the points come nearer, and back to the last bit if not.
"""

from typing import NamedTuple

import numpy as np

from ..kinematics.arrays import axes_of, new_work, plan_of, way_to_root
from ..kinematics.bound import bound
from ..kinematics.reach import close_near, fill_masses, fill_points, fill_rows, look_at, move_by
from ..kinematics.steps import ARRIVED, RESULT, settle, write_poses
from ..model.arrays import new_scratch, records
from ..model.linkage.compilation import Compiled
from .approach import Accuracy
from .arrays import PULL, TARGET
from .joint_coordinates import kernel_poses, take_poses

_ROUNDING = 1e-12  # of places, by which they may err
_RANK = 1e-7  # of the largest singular value: a freedom
_STILL = 1e-10  # of how points move that do: less is none
DAMPING = 1e-6  # of the largest response
_HALVINGS = 12  # by which the damping is found that a trust takes
_BENDS = 3  # moves of a step: along it, and back by what it bends
_BENT = 0.3  # of the way: how much that may be
_AT_LIMIT, BEYOND = 1e-7, 1e-6  # rad, parts of the size: so near is at a limit; so far may one be passed
GROWTH, SMALLEST = 2.0, 1e-7  # of the trust; rad, or parts of the size: steps below lead nowhere
CUT, _PATIENCE = 0.1, 4  # of the largest turn: steps that are shortened to less; after so many, a way aside is sought
_ASIDE = 0.05  # rad, or parts of the size: how far that goes
_DIRECTIONS, _STEPS_ASIDE = 6, 20  # that are tried; steps after which the points must be nearer
_NEARER = 0.999  # of the weighted squares of the ways left
_NEWTON, _EXACT = 20, 1e-12  # corrections at most; rad, parts of the size: closed
_NEAREST, _FARTHEST = 0.25, 3.0  # parts of the way aside, between which the closed pose must be


class LoopEngine:
    """One linkage with loops, nails, other constraints or limits. The same methods as `Engine`, for pulls alone.

    lower, upper (A,): limits of the coordinates, infinite where there are none.
    """

    def __init__(self, compiled: Compiled, lower: np.ndarray | None = None, upper: np.ndarray | None = None) -> None:
        self.compiled, self.model, self.state = compiled, compiled.model, compiled.state
        model, axes = self.model, len(compiled.model.armature)
        self._scratch = new_scratch(model)._replace(dense=np.zeros((axes, axes)))
        free = np.full(axes, np.inf)
        self._plan = plan_of(compiled, [], (-free, free), is_whole=True)
        self._lower, self._upper = (
            np.sign(side) * free if given is None else given / self._plan.unit
            for side, given in ((-1.0, lower), (1.0, upper))
        )
        self.held: list[int] = []  # axes whose limits the last step has met or kept
        self.forks = 0  # dead centres that have been left by one of two ways
        self._tension = np.zeros(axes)  # in the units of the plan, beside the mass matrix
        self._more_rows = np.zeros((0, axes))  # that are kept beside closures and held axes
        self._work, self._result = new_work(model, self._plan, len(self.state.anchor)), records(1, RESULT)
        settle(model, self.state, self._scratch, self._plan, self._work, self._result)
        self._rows = np.zeros((model.closing, axes))
        kinematics = model, self.state, self._scratch
        self._look = bound(look_at, *kinematics)
        self._fill_rows = bound(fill_rows, *kinematics, self._plan, self._rows)
        self._fill_masses = bound(fill_masses, model, self._scratch)
        self._way = np.zeros(1)
        self._move_by = bound(move_by, *kinematics, self._work)
        self._close_near = bound(close_near, *kinematics, self._plan, self._work, self._result, self._way)
        count = len(model.bodies) - model.driven
        self._poses = np.empty((count, 3)), np.empty((count, 4))
        own = np.ascontiguousarray(compiled.own_rotation.reshape(-1, 9))
        self._write = bound(write_poses, self._scratch.bodies, model.driven, own, compiled.center_of_mass, *self._poses)
        self.solved, self.bound = 0, 0.0
        self.set_pulls(np.zeros(0, PULL).view(np.recarray))

    def set_pulls(self, pulls: np.recarray) -> None:
        """PULL records, in place of those before; those of a body are from its centre of mass, along its axes."""
        self.pulls, self._trust = pulls.copy(), np.inf
        self._cut, self._in_vain, self._stalls, self._seldom = 0, None, 0, 1
        ways = [
            (k, axis, body)
            for k, pulled in enumerate(pulls.body.tolist())
            for body in way_to_root(self.model, pulled)
            for axis in axes_of(self.model, body)
        ]
        count, axes = len(pulls), len(self.model.armature)
        self._places, self._H = np.zeros((count, 3)), np.zeros((3 * count, axes))
        given = np.array(pulls.body, np.int64), np.ascontiguousarray(pulls.point, float).reshape(-1, 3)
        ways = np.array(ways, np.int64).reshape(-1, 3)
        points = *given, ways, self._places, self._H
        self._fill_points = bound(fill_points, self.model, self._scratch, self._plan, *points)

    def tense(self, tension: float) -> None:
        """Joints resist, by `tension` times the moment of inertia of a rod as long and as heavy as the linkage."""
        model, linkage = self.model, self.compiled.linkage
        axes = [a for k, j in enumerate(linkage.joint) if j is not None for a in axes_of(model, model.driven + k)]
        mass = float(model.bodies.mass[model.driven :].sum())
        self._tension = np.zeros(len(model.armature))
        self._tension[axes] = tension * mass * np.where(model.is_length, model.size**2, model.size**2 / 12.0)[axes]

    def approach(self, accuracy: Accuracy, count: int) -> int:
        """Steps that bring pulled points to their places; returns how many joints were computed."""
        joints = len(self.model.bodies) - self.model.driven
        self._trust = min(self._trust, accuracy.largest_turn)
        self._look()
        for number in range(count):
            leads_on = self._step(accuracy.largest_turn)
            if leads_on and self._cut < _PATIENCE:
                continue
            if not (self._may_try_aside() and self._step_aside(accuracy.largest_turn)) and not leads_on:
                self.solved = joints
                return (number + 1) * joints
        self.solved = joints
        return count * joints

    def place_pulled(self) -> np.ndarray:
        """(n, 3) m: where the pulled points are."""
        self._look()
        self._fill_points()
        return self._places.copy()

    def poses(self) -> tuple[np.ndarray, np.ndarray]:
        """(n, 3) positions (m) and (n, 4) orientations of all dynamic bodies' frames."""
        self._look()
        self._write()
        return self._poses[0].copy(), self._poses[1].copy()

    def take(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Turns the joints as these poses (n, 3) and (n, 4) of all dynamic bodies' frames have them."""
        driven, bodies = self.model.driven, self._scratch.bodies
        rotation, center = np.array(bodies.rotation).reshape(-1, 3, 3), np.array(bodies.center)
        own, center_of_mass = self.compiled.own_rotation, self.compiled.center_of_mass
        rotation[driven:], center[driven:] = kernel_poses(own, center_of_mass, position, orientation)
        take_poses(self.model, self.state, rotation, center)
        settle(self.model, self.state, self._scratch, self._plan, self._work, self._result)

    def coordinates(self) -> tuple[np.ndarray, np.ndarray]:
        """A copy of the joints' coordinates and of the rotations from which charts count."""
        return self.state.coordinates.copy(), self.state.anchor.copy()

    def set_coordinates(self, coordinates: tuple[np.ndarray, np.ndarray]) -> None:
        """Puts all joints to coordinates that `coordinates` has given."""
        self.state.coordinates[:], self.state.anchor[:] = coordinates
        self._look()

    def _step(self, largest: float) -> bool:
        """One step, bodies and rows up to date before and after; False if nothing is gained by any."""
        self._fill_points()
        before, begin = self._cost(), self._in_units()
        response = self._response_within(begin)
        may_pass = max(float(self._beyond(begin).max(initial=0.0)), BEYOND)
        while self._trust > SMALLEST:
            change, is_cut = _within(response, self._trust)
            more = self._would_pass(begin, change)
            if more:
                self.held += more
                response = self._response(self.held)
                continue
            size = float(np.abs(change).max(initial=0.0))
            if not size > 0.0:
                return False
            share, met = self._up_to_limits(begin, change)
            kept = self.coordinates()
            is_closed = self._moved(share * change, share * size)
            if is_closed and (self._beyond(self._in_units()) <= may_pass).all() and self._cost() < before:
                self._cut = self._cut + 1 if is_cut and size < CUT * largest else 0
                self._trust = min(largest, max(self._trust, GROWTH * share * size))
                self.held = sorted({*self.held, *met})
                return True
            self.set_coordinates(kept)
            self._trust = 0.5 * share * size
        self._trust = largest
        return False

    def _in_units(self) -> np.ndarray:
        return self.state.coordinates / self._plan.unit

    def _beyond(self, values: np.ndarray) -> np.ndarray:
        """(A,): how far coordinates are beyond their limits (rad, parts of the size)."""
        return np.maximum(np.maximum(self._lower - values, values - self._upper), 0.0)

    def _response_within(self, values: np.ndarray) -> "Response":
        """The response that keeps what is at a limit from going on; notes that in `held`.

        Active set: all that would go on is held, then what goes back into its range without being held is let go.
        """
        self.held, response = self._hold(values, [])
        for axis in list(self.held) if len(self.held) > 1 else []:
            others = [each for each in self.held if each != axis]
            without, _ = _within(self._response(others), np.inf)
            if axis not in self._would_pass(values, without):
                self.held, _ = self._hold(values, others)
            response = None
        return self._response(self.held) if response is None else response

    def _hold(self, values: np.ndarray, held: list[int]) -> tuple[list[int], "Response"]:
        """`held`, and all that would go beyond its limit beside it; and the response that is left."""
        while True:
            response = self._response(held)
            more = [axis for axis in self._would_pass(values, _within(response, np.inf)[0]) if axis not in held]
            if not more:
                return held, response
            held = held + more

    def _would_pass(self, values: np.ndarray, change: np.ndarray) -> list[int]:
        """Axes that are at a limit and change beyond it."""
        above = (values >= self._upper - _AT_LIMIT) & (change > 0.0)
        below = (values <= self._lower + _AT_LIMIT) & (change < 0.0)
        counts = np.abs(change) > 1e-9 * np.abs(change).max(initial=0.0)
        return np.flatnonzero((above | below) & counts).tolist()

    def _up_to_limits(self, begin: np.ndarray, change: np.ndarray) -> tuple[float, list[int]]:
        """The share of a change after which the first limit is met, at most all; and the axes that meet theirs."""
        room = np.where(change > 0.0, self._upper - begin, begin - self._lower)
        shares = np.full(len(change), np.inf)
        goes = (np.abs(change) > 1e-12) & (room > 0.0)
        goes[self.held] = False
        shares[goes] = room[goes] / np.abs(change[goes])
        share = float(shares.min(initial=np.inf))
        return (share, np.flatnonzero(shares <= share).tolist()) if share < 1.0 else (1.0, [])

    def _moved(self, change: np.ndarray, way: float) -> bool:
        """Moves and closes again, by the least motion too; False if the closed poses are not as near as befits it."""
        bent = np.zeros_like(change)
        for number in range(_BENDS):
            self._work.tangent[:] = change * self._plan.unit
            self._move_by()
            if number == _BENDS - 1:
                break
            change = -self._closing @ self._open()
            bent += change
        if not np.abs(bent).max() < _BENT * way:
            return False
        self._way[0] = way
        self._close_near()
        self._fill_points()
        return self._result.status[0] == ARRIVED

    def _open(self) -> np.ndarray:
        """Errors of the closures, and of what limits keep where it is."""
        rows = self._scratch.rows.error[: len(self._rows)] * self._plan.row_unit
        return np.append(rows, (self._in_units() - self._kept_values)[self._kept_axes])

    def _cost(self) -> float:
        return float(self._weights @ self._left() ** 2)

    @property
    def _weights(self) -> np.ndarray:
        return np.repeat(np.where(self.pulls.kind == TARGET, self.pulls.strength, 0.0), 3)

    def _left(self) -> np.ndarray:
        return (self.pulls.target - self._places).ravel()

    def _step_aside(self, largest: float) -> bool:
        """Leaves a dead centre, or a pose where branches meet; False if that brings the points no nearer."""
        kept, before, held = self.coordinates(), self._cost(), self.held
        directions, self._cut = np.random.default_rng(0), 0
        way = min(_ASIDE, largest, float(np.abs(self._left()).max(initial=0.0)) / self.model.size)
        for _ in range(_DIRECTIONS):
            if self._moved_aside(directions, way):
                self._trust = largest
                for _ in range(_STEPS_ASIDE):
                    if self._cost() < _NEARER * before:
                        self._in_vain, self._seldom = None, 1
                        self.forks += 1
                        return True
                    if not self._step(largest):
                        break
            self.set_coordinates(kept)
            self._fill_points()
        self.held = held
        self._in_vain, self._seldom = self.pulls.target.copy(), 2 * self._seldom
        return False

    def _moved_aside(self, directions: np.random.Generator, way: float) -> bool:
        """Moves in a direction of the null space and closes; False if no closed pose within the limits is there."""
        free, begin = self._null_space([]), self._in_units()
        change = free @ directions.normal(size=free.shape[1])
        size = float(np.abs(change).max(initial=0.0))
        if not size > 0.0:
            return False
        moved, change = np.zeros_like(change), np.clip(begin + change * (way / size), self._lower, self._upper) - begin
        for _ in range(_NEWTON):
            moved += change
            self._work.tangent[:] = change * self._plan.unit
            self._move_by()
            error = self._scratch.rows.error[: len(self._rows)] * self._plan.row_unit
            if np.abs(error).max(initial=0.0) < _EXACT:
                self._way[0] = way
                self._close_near()
                self._fill_points()
                is_near = _NEAREST * way < np.abs(moved).max() < _FARTHEST * way
                is_within = (self._beyond(self._in_units()) <= BEYOND).all()
                return is_near and is_within and self._result.status[0] == ARRIVED
            self._null_space([])
            change = -self._closing @ error
            if not np.abs(change).max() < way:
                return False
        return False

    def _may_try_aside(self) -> bool:
        """A way aside is sought once for each place, and the less often the more often it was in vain."""
        left = np.abs(self._left()[self._weights > 0.0]).max(initial=0.0)
        if left <= _ROUNDING * np.abs(self._places).max(initial=0.0):
            return False
        if self._in_vain is not None and np.array_equal(self._in_vain, self.pulls.target):
            return False
        self._stalls += 1
        return self._stalls % self._seldom == 0

    def _response(self, held: list[int]) -> "Response":
        """The motions of the null space by which the points answer, in the units of the plan; `held` axes stay."""
        free, root = self._null_space(held), np.sqrt(self._weights)
        moves = self._H @ free
        moves[np.abs(moves) < _STILL * self._fastest] = 0.0  # a point that nothing moves, as one that the world holds
        U, sizes, V = np.linalg.svd(root[:, None] * moves, full_matrices=False)
        return Response(free @ V.T, sizes, U.T @ (root * self._left()))

    def _null_space(self, held: list[int]) -> np.ndarray:
        """(A, F) in the units of the plan, orthonormal in the metric of the mass matrix; also fills what closes."""
        self._fill_rows()
        self._fill_masses()
        dense = self._scratch.dense
        M = np.tril(dense) + np.tril(dense, -1).T
        M = M * self._plan.unit[:, None] * self._plan.unit + np.diag(self._tension)
        root = np.linalg.cholesky(M + 1e-12 * np.trace(M) / len(M) * np.eye(len(M)))
        self._kept_values, self._kept_axes = self._in_units(), list(held)
        rows = np.linalg.solve(root, np.vstack([self._rows, np.eye(len(M))[held], self._more_rows]).T).T
        U, sizes, V = np.linalg.svd(rows)
        rank = int(np.sum(sizes > _RANK * sizes.max(initial=1e-300)))
        self._fastest = self.model.size * np.linalg.norm(np.linalg.inv(root))
        self._closing = np.linalg.solve(root.T, (V[:rank].T / sizes[:rank]) @ U[:, :rank].T)
        return np.linalg.solve(root.T, V[rank:].T)


class Response(NamedTuple):
    """(A, k) motions, (k,) how far the points go by them, and (k,) how far they are asked to."""

    motions: np.ndarray
    sizes: np.ndarray
    asked: np.ndarray

    @property
    def total(self) -> float:
        """The sum of the squares of the sizes, of which a damping is a part."""
        return max(float((self.sizes**2).sum()), 1e-300)

    def change(self, damping: float) -> np.ndarray:
        """(A,) the damped least motion."""
        return self.motions @ (self.sizes * self.asked / (self.sizes**2 + damping * self.total))

    def damping_for(self, trust: float) -> float:
        """The least damping from DAMPING on with which no coordinate changes by more than `trust`, about."""
        if not np.abs(self.change(DAMPING)).max(initial=0.0) > trust:
            return DAMPING
        low, high = np.log(DAMPING), np.log(DAMPING) + 1.0
        while np.abs(self.change(np.exp(high))).max() > trust:
            high += high - low
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if np.abs(self.change(np.exp(middle))).max() > trust else (low, middle)
        return float(np.exp(high))


def _within(response: Response, trust: float) -> tuple[np.ndarray, bool]:
    """(A,) the damped least motion in which no coordinate changes by more than `trust`, and whether that cuts it.

    It is damped for that, not shortened (Levenberg, Marquardt): shortened, it would be all of it the wide motion that a
    nearly singular direction asks for.
    """
    damping = response.damping_for(trust)
    return response.change(damping), damping > DAMPING
