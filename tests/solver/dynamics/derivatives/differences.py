# SPDX-License-Identifier: GPL-3.0-or-later
"""One linkage with its accelerations as a function of coordinates and speeds, and that function's slopes.

Slopes are central differences, extrapolated to no step (Richardson 1911), from as many steps as leave the least doubt:
how far an extrapolation is from those before it (Ridders 1982). Near singular poses that may be much; what is not known
to GOOD does not count.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from solver.dynamics.derivatives.changes import new_changes
from solver.dynamics.loops.closures import seek_beads
from solver.evaluation.derivatives import evaluate_for_derivatives, fill_derivatives, fill_product
from solver.mechanism import Brake, Mechanism
from solver.model.arrays import AUTO, new_scratch
from solver.model.linkage.compilation import Compiled, compile_linkages

STEP = 1e-2  # m, rad, or their rates
LEVELS = 7
GOOD = 2e-10  # of the largest entry: doubt that is none


def extrapolated(function: Callable[[float], np.ndarray], step: float = STEP) -> np.ndarray:
    """The slope of a function of one number at zero; nan where it is not known well enough to judge by."""
    before, best, least = [], np.array(np.nan), np.inf
    for level in range(LEVELS):
        h = step / 2**level
        row = [(function(h) - function(-h)) / (2.0 * h)]
        for k, coarser in enumerate(before):
            row.append(row[k] + (row[k] - coarser) / (4.0 ** (k + 1) - 1.0))
            doubt = max(np.abs(row[-1] - row[-2]).max(initial=0.0), np.abs(row[-1] - coarser).max(initial=0.0))
            if doubt < least:
                best, least = row[-1], doubt
        before = row
    return best if least <= GOOD * np.abs(best).max(initial=1.0) else np.full(best.shape, np.nan)


class Differentiated:
    """A linkage at its start, moved on by `aside` along random coordinates, at random speeds; its derivatives there."""

    def __init__(self, compiled: Compiled, aside: float = 0.0, closed: int | None = None) -> None:
        self.model, self.state, self.time = compiled.model, compiled.state, 0.05
        self.scratch = new_scratch(self.model)
        self.axes = len(self.model.armature)
        rng = np.random.default_rng(7)
        self.q = self.state.coordinates + aside * rng.normal(size=self.axes)
        self.u = rng.normal(size=self.axes)
        if closed is not None:
            self.scratch.closed[:] = closed
        self.changes = new_changes(self.model, self.scratch)
        self.rates = np.zeros(2 * self.axes)
        self._evaluate(self.q, self.u)
        seek_beads(self.model, self.scratch)
        self.differentiate()

    def differentiate(self) -> None:
        """Fills the matrices (A, A), in the modes that the scratch space has."""
        matrices = np.zeros((3, self.axes, self.axes))
        self._evaluate(self.q, self.u)
        self.rank = self.scratch.pivots[0].rank
        fill_derivatives(self.model, self.state, self.scratch, self.changes, matrices)
        self.by_coordinates, self.by_speeds, self.by_efforts = matrices.transpose(0, 2, 1)

    def meet_rows(self) -> None:
        """Takes from the speeds what breaks the closures' rows."""
        rates = []
        for unit in np.eye(self.axes):
            self.accelerations(u=unit)
            rates.append(self.scratch.rows.rate[: self.model.closing].copy())
        jacobian = np.array(rates).T
        self.u = self.u - np.linalg.lstsq(jacobian, jacobian @ self.u, rcond=1e-9)[0]
        self.differentiate()

    def _evaluate(self, q: np.ndarray, u: np.ndarray) -> None:
        self.state.coordinates[:], self.state.speeds[:] = q, u
        evaluate_for_derivatives(self.model, self.time, self.state, self.scratch, self.rates, self.changes)

    def accelerations(self, q: np.ndarray | None = None, u: np.ndarray | None = None) -> np.ndarray:
        """(A,) at other coordinates or speeds, nan where the rank of the closures' rows is another one."""
        self._evaluate(self.q if q is None else q, self.u if u is None else u)
        same = self.scratch.pivots[0].rank == self.rank
        return self.scratch.accelerations.copy() if same else np.full(self.axes, np.nan)

    def product(self, dq: np.ndarray, du: np.ndarray, deffort: np.ndarray) -> np.ndarray:
        """(A,) along a direction, at the point itself."""
        self.accelerations()
        out = np.zeros(self.axes)
        direction = np.array([dq, du, deffort])
        fill_product(self.model, self.state, self.scratch, self.changes, direction, out)
        return out

    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """Matrices (A, A) by coordinates and by speeds, from differences."""
        unit = np.eye(self.axes)
        by_q = [extrapolated(lambda h, e=e: self.accelerations(q=self.q + h * e)) for e in unit]
        by_u = [extrapolated(lambda h, e=e: self.accelerations(u=self.u + h * e)) for e in unit]
        self.accelerations()
        return np.array(by_q).T, np.array(by_u).T


def without_kinks(mechanism: Mechanism) -> Mechanism:
    """Without the largest force of brakes, which may begin to slip within a step; `test_forces` has both sides."""
    for force in mechanism.forces:
        if isinstance(force, Brake):
            force.max_force = None
    return mechanism


def differentiated(mechanism: Mechanism, method: int = AUTO, aside: float = 0.0, **more) -> list[Differentiated]:
    """Of all linkages that can move."""
    compiled = compile_linkages(mechanism, method)
    return [Differentiated(each, aside, **more) for each in compiled if len(each.model.armature)]


def worst_error(linkage: Differentiated) -> float:
    """The largest difference from the slopes, in parts of the largest of its matrix; at least one column must count."""
    errors = [0.0]
    for got, expected in zip((linkage.by_coordinates, linkage.by_speeds), linkage.slopes(), strict=True):
        columns = np.isfinite(expected).all(axis=0)
        assert columns.any()
        apart = np.abs(got - expected)[:, columns].max(initial=0.0)
        errors.append(apart / max(1.0, np.abs(expected[:, columns]).max(initial=0.0)))
    return max(errors)
