# SPDX-License-Identifier: GPL-3.0-or-later
"""Our accelerations as a right-hand side for scipy's integrators, which counts how often it is asked."""

import time
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from solver import Mechanism
from solver.integration.motion.observation import new_frames, write_now
from solver.model.arrays import State, new_scratch
from solver.model.linkage.compilation import Compiled, compile_linkages
from solver.simulation.initial_conditions import set_start

_STEP = np.finfo(float).eps ** 0.5  # of a difference quotient


class Solved(NamedTuple):
    """The cost of one of scipy's integrators for all linkages of a mechanism.

    Evaluations are nan where it failed and infinite where it was given up.
    """

    evaluations: float  # those for Jacobians included
    seconds: float  # of processor time
    centers: np.ndarray  # (n, 3) m: of the bodies at the end, linkage by linkage
    coordinates: np.ndarray  # (A,) at the end


class _TooManyError(Exception):
    """More evaluations than are allowed."""


class Rates:
    """The rates of one linkage without modes: forces act as its state says, so they may jump."""

    def __init__(self, mechanism: Mechanism, compiled: Compiled, most: float) -> None:
        set_start(mechanism, compiled)
        self.model = compiled.model._replace(forces=compiled.model.forces.copy())
        self.model.forces.switches[:] = 0
        self.start = np.concatenate([compiled.state.coordinates, compiled.state.speeds])
        self.evaluations, self._most = 0, most
        self._anchor, self._axes = compiled.state.anchor, len(self.model.armature)
        self._scratch, self.frames = new_scratch(self.model), new_frames(self.model, 1)
        self._rates = np.zeros(2 * self._axes)

    def __call__(self, at: float, y: np.ndarray) -> np.ndarray:
        if self.evaluations >= self._most:
            raise _TooManyError
        self.evaluations += 1
        axes = self._axes
        state = State(y[:axes].copy(), y[axes:].copy(), self._anchor)
        write_now(self.model, self._scratch, state, at, self._rates, self.frames)
        return self._rates.copy()

    def jacobian(self, at: float, y: np.ndarray) -> np.ndarray:
        """By forward differences; scipy's own take steps without bound where a body's turn moves nothing."""
        now, matrix = self(at, y), np.empty((len(y), len(y)))
        for k in range(len(y)):
            moved = y.copy()
            moved[k] += _STEP * max(1.0, abs(y[k]))
            matrix[:, k] = (self(at, moved) - now) / (moved[k] - y[k])
        return matrix

    def centers(self, at: float, y: np.ndarray) -> np.ndarray:
        """(n, 3) m: of the bodies."""
        self(at, y)
        return self.frames.center[0].copy()


def solve(mechanism: Mechanism, duration: float, method: str, relative: float = 1e-6, most: float = np.inf) -> Solved:
    """All linkages by a method of scipy's, from their starts; the absolute tolerance is a tenth of the relative one.

    most: evaluations, after which it is given up.
    """
    evaluations, centers, coordinates, begun = 0.0, [], [], time.thread_time()
    for compiled in compile_linkages(mechanism):
        rates = Rates(mechanism, compiled, most)
        jacobian = {"jac": rates.jacobian} if method == "Radau" else {}
        given = {"rtol": relative, "atol": 0.1 * relative, **jacobian}
        try:
            solution = solve_ivp(rates, (0.0, duration), rates.start, method, **given)
        except _TooManyError:
            return Solved(np.inf, time.thread_time() - begun, np.full(3, np.nan), np.full(1, np.nan))
        rates.evaluations, taken = 0, rates.evaluations
        evaluations += taken if solution.success else np.nan
        centers.append(rates.centers(duration, solution.y[:, -1]))
        coordinates.append(solution.y[: len(rates.start) // 2, -1])
    return Solved(evaluations, time.thread_time() - begun, np.concatenate(centers), np.concatenate(coordinates))
