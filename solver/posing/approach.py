# SPDX-License-Identifier: GPL-3.0-or-later
"""The way of pulled points to their places: which forces act in each step, and how far joints may turn.

A force f on the points accelerates them by A f, and A f = d takes them the way d that is left, in one step and to first
order. Its inverse H is learnt from the steps: H d is the force, and what it did, joints left alone included, corrects H
(the formula of Broyden, Fletcher, Goldfarb and Shanno; A is symmetric and positive). How far joints may turn follows
from how much of what was expected of a step it has brought (trust region: Nocedal, Wright, Numerical Optimization,
algorithm 4.1).

Near a singular pose, a chain in line, say, a force along it accelerates next to nothing, and by another part of it
after each step: what was learnt is wrong, and the inverse asks for wide turns that bring little. Where steps bring
little, A is computed instead, by a force of 1 N along each axis, and the inverse is damped, H = (A + mu W^-1)^-1 with
the weights W of the pulls: of all steps the one with the least of |d - A f|^2 W + mu f.A f (damped least squares:
Nakamura, Hanafusa, 1986; Wampler, 1986), mu by Levenberg's and Marquardt's rule.

At a singular pose itself no force that the points' ways give moves anything: a chain in line that is pushed together
is a saddle. The bodies are turned a little to some side then, by moments; if the points come nearer from there, it goes
on from there, and if not, all goes back.
"""

from typing import NamedTuple

import numpy as np

from .arrays import TARGET

_ROUNDING = 1e-12  # of places, by which they may err
_LEAST_DAMPING, _FIRST_DAMPING, _MOST_DAMPING = 1e-10, 1e-3, 10.0  # of the mean of A's diagonal
_SLOW = 0.25  # of the weighted squares of the ways left: steps after which more than that is left bring little
_NOTHING = 1e-6  # of them: steps of which less is expected lead nowhere
_ASIDE = 0.05  # rad, or parts of the linkage's size: turn by which it leaves a saddle
_STEPS_ASIDE = 20  # after which the points must be nearer
_NEARER = 0.999  # of the squares
_SIDES = np.array(((0.36, 0.48, 0.8), (0.8, -0.36, 0.48)))  # N m: along no axes that anybody draws


class Accuracy(NamedTuple):
    """`measure` and `error` of the accelerations, and the largest turn of a joint in a step."""

    measure: int
    error: float
    largest_turn: float


class Approach:
    """The pulls of one engine, and what steps have learnt of the linkage so far. `engine` knows the pulls already."""

    def __init__(self, engine) -> None:
        self._engine = engine
        self._targets = np.flatnonzero(engine.pulls.kind == TARGET)
        self._acting = engine.pulls.copy()
        self._acting.force = self._acting.moment = 0.0
        self._weight = np.repeat(engine.pulls.strength[self._targets], 3)
        self._response, self._is_measured = np.diag(self._weight), False
        self._damping, self._turn = _FIRST_DAMPING, np.inf
        self._in_vain: np.ndarray | None = None  # places to which no way aside has led
        self._stalls, self._patience = 0, 1

    def steps(self, accuracy: Accuracy, count: int) -> int:
        """Steps towards the places that the engine's pulls have now; returns how many joints were computed."""
        if not len(self._targets):
            return 0
        self._acting.target = self._engine.pulls.target
        solved = 0
        for _ in range(count):
            joints, goes_on = self._step(accuracy)
            solved += joints
            if not goes_on:
                if self._is_there() or not self._may_try_aside():
                    break
                joints, goes_on = self._step_aside(accuracy)
                solved += joints
                if not goes_on:
                    break
        return solved

    def _step(self, accuracy: Accuracy) -> tuple[int, bool]:
        """One step; returns how many joints were computed, and whether steps lead on."""
        if self._is_measured:
            self._measure()
        before, left = self._places(), self._left()
        force = self._response @ left
        self._acting.force[self._targets] = force.reshape(-1, 3)
        self._turn = min(self._turn, accuracy.largest_turn)
        joints = self._engine.step(self._acting, accuracy, self._turn)
        last = self._engine.queue.last[0]
        gain, expected, turn = float(last.gain), float(last.expected), float(last.turn)
        squares = self._weight @ left**2
        rounding = _ROUNDING * (self._weight @ np.abs(left)) * np.abs(before).max()
        if gain > 0.0 and expected <= rounding:
            return joints, False  # nothing can be learnt from what may be rounding
        has_moved = not np.array_equal(self._places(), before)  # by accelerations that are rounding nothing does
        leads_on = gain > 0.0 and has_moved and (turn > 0.99 * self._turn or expected > _NOTHING * squares)
        if not leads_on and self._is_measured:
            return joints, False
        if leads_on:
            self._judge(squares, expected, turn, force, (self._places() - before) / gain)
        else:
            self._is_measured = True
        return joints, True

    def _judge(self, squares: float, expected: float, turn: float, force: np.ndarray, answer: np.ndarray) -> None:
        """Chooses how far joints may turn from now on, and by which response."""
        left = self._weight @ self._left() ** 2
        kept, wide = (squares - left) / expected, turn > 0.99 * self._turn
        if kept < 0.25:
            self._turn = 0.25 * turn
        elif kept > 0.75 and wide:
            self._turn *= 2.0
        if self._is_measured and (wide or kept < 0.5):
            self._damping = min(4.0 * self._damping, _MOST_DAMPING)
        elif self._is_measured and kept > 0.75:
            self._damping = max(0.25 * self._damping, _LEAST_DAMPING)
        self._is_measured = left > _SLOW * squares and not (wide and kept > 0.75)
        if not self._is_measured:
            self._learn(force, answer)

    def _learn(self, force: np.ndarray, answer: np.ndarray) -> None:
        work = force @ answer
        if work > 1e-6 * np.linalg.norm(force) * np.linalg.norm(answer):
            change = np.eye(len(force)) - np.outer(force, answer) / work
            self._response = change @ self._response @ change.T + np.outer(force, force) / work

    def _measure(self) -> None:
        """Computes the accelerations by single forces, and from them the damped response."""
        A = self._engine.answers(self._acting, self._targets)
        mean = np.mean(self._weight * np.diag(A))
        if mean > 0.0:
            self._response = np.linalg.inv(A + self._damping * mean * np.diag(1.0 / self._weight))

    def _step_aside(self, accuracy: Accuracy) -> tuple[int, bool]:
        """Leaves a saddle; returns how many joints were computed, and whether the points came nearer by that."""
        before, squares, solved = self._engine.coordinates(), self._weight @ self._left() ** 2, 0
        for side in _SIDES:
            solved += self._turn_aside(side, accuracy)
            for _ in range(_STEPS_ASIDE):
                joints, leads_on = self._step(accuracy)
                solved += joints
                if not leads_on:
                    break
            if self._weight @ self._left() ** 2 < _NEARER * squares:
                self._in_vain, self._patience = None, 1
                return solved, True
            self._engine.set_coordinates(before)
        self._in_vain, self._patience = self._acting.target.copy(), 2 * self._patience
        return solved, False

    def _turn_aside(self, side: np.ndarray, accuracy: Accuracy) -> int:
        """Turns bodies by moments to one side and the other; returns how many joints were computed."""
        acting = self._acting.copy()
        acting.force, signs = 0.0, np.where(np.arange(len(acting)) % 2, -1.0, 1.0)
        acting.moment = signs[:, None] * side
        self._turn, self._damping, self._is_measured = np.inf, _FIRST_DAMPING, True
        return self._engine.turn_by(acting, accuracy, min(_ASIDE, accuracy.largest_turn))

    def _may_try_aside(self) -> bool:
        """A way aside is sought once for each place, and the less often the more often it was in vain."""
        if self._in_vain is not None and np.array_equal(self._in_vain, self._acting.target):
            return False
        self._stalls += 1
        return self._stalls % self._patience == 0

    def _places(self) -> np.ndarray:
        return self._engine.place_pulled()[self._targets].ravel()

    def _left(self) -> np.ndarray:
        """(3 n,) m: the ways left."""
        return self._acting.target[self._targets].ravel() - self._places()

    def _is_there(self) -> bool:
        """True if what is left may be rounding."""
        return bool(np.abs(self._left()).max() <= _ROUNDING * np.abs(self._places()).max())
