# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing of one linkage whose bodies do not go through each other, nor through what stands still around them.

As in `loop_engine`, a step is the least motion that brings the points nearer, now with inequalities beside the rows of
closures: no gap may close by more than is left of it, and no limit be passed (speculative contacts). In the null space
of the closures, in the metric of the mass matrix, that is a least distance problem, solved by non-negative least
squares (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23). What then is met, gaps and limits, is
held while Newton's method takes back what bends away; gaps are measured between the points that met. A step after
which two bodies are deeper in each other than before, and than nothing at all, is taken back and halved. Bodies keep
MARGIN apart, and no step leads one farther than `_REACH`, as far as gaps are looked for.
"""

from typing import NamedTuple

import numpy as np

from ..model.linkage.compilation import Compiled
from .loop_engine import BEYOND, CUT, GROWTH, SMALLEST, LoopEngine, Response
from .surroundings import Gaps, Surroundings

MARGIN = 2e-4  # of the size: so far apart bodies are kept
_REACH = 0.03  # of the size
_STILL = 1e-10  # of the fastest motion of the null space: less moves no point and no gap
_PUSHED = 0.5  # of the margin: so much of what is lacking of it is made up for in a step
_FELT = 1e-9  # of the largest multiplier: less does not hold
_GAIN = 1e-7  # of the weighted squares of the ways left: a step that promises less is none
_DEEPER = 1e-9  # of the size: rounding of a gap


class _Problem(NamedTuple):
    """The problem of a step in the null space of the closures (A, F): |E z - f|^2 and damping |z|^2 least."""

    free: np.ndarray
    E: np.ndarray
    f: np.ndarray
    response: Response
    closing: np.ndarray  # as `_null_space` fills it


class _Held(NamedTuple):
    """Gaps that are held, the points on the bodies between which they are (m, 2, 3), and what they are to be (m,) m."""

    gaps: Gaps
    on: np.ndarray
    wanted: np.ndarray


class ContactEngine(LoopEngine):
    """A linkage among its surroundings. The same methods as `LoopEngine`."""

    def __init__(
        self,
        compiled: Compiled,
        surroundings: Surroundings,
        lower: np.ndarray | None = None,
        upper: np.ndarray | None = None,
    ) -> None:
        self.surroundings = surroundings
        self.met: list[tuple[str, str]] = []  # names of what the last step has kept apart, last what stands still
        self._held_gaps: _Held | None = None
        super().__init__(compiled, lower, upper)

    def _step(self, largest: float) -> bool:
        """One step, bodies and rows up to date before and after; False if nothing is gained by any."""
        self._fill_points()
        before, begin, reach = self._cost(), self._in_units(), _REACH * self.model.size
        gaps = self.surroundings.gaps(self._scratch, reach)
        rates = self.surroundings.rates(self._scratch, gaps) * self._plan.unit
        problem, deepest = self._problem(), _deepest(gaps)
        may_pass = max(float(self._beyond(begin).max(initial=0.0)), BEYOND)
        while self._trust > SMALLEST:
            change, self.held, met = self._best(problem, begin, gaps, rates)
            names = self.surroundings.names
            self.met = list(dict.fromkeys((names[max(pair)], names[min(pair)]) for pair in gaps.bodies[met].tolist()))
            size = float(np.abs(change).max(initial=0.0))
            if not (size > 0.0 and self._cost_after(change) < (1.0 - _GAIN) * before):
                break
            way = self.surroundings.largest_way(self._scratch, change * self._plan.unit)
            share = min(1.0, self._trust / size, reach / max(way, 1e-300))
            kept = self.coordinates()
            if self.held or len(met):
                is_closed = self._moved_along(share * change, share * size, begin, gaps, rates, met)
            else:
                self._closing, self._kept_axes = problem.closing, []
                is_closed = self._moved(share * change, share * size)
            is_within = is_closed and (self._beyond(self._in_units()) <= may_pass).all()
            if is_within and self._cost() < before and not self._is_deeper(deepest):
                self._cut = self._cut + 1 if share < 1.0 and share * size < CUT * largest else 0
                self._trust = min(largest, max(self._trust, GROWTH * share * size))
                return True
            self.set_coordinates(kept)
            self._fill_points()
            self._trust = 0.5 * share * size
        self._trust = largest
        return False

    def _cost_after(self, change: np.ndarray) -> float:
        """The cost that is left after a change, to first order."""
        return float(self._weights @ (self._left() - self._H @ change) ** 2)

    def _may_try_aside(self) -> bool:
        """Not where something is in the way, which no way aside would lead through."""
        return not self.met and super()._may_try_aside()

    def _problem(self) -> _Problem:
        free, root = self._null_space([]), np.sqrt(self._weights)
        moves = self._H @ free
        moves[np.abs(moves) < _STILL * self._fastest] = 0.0
        E, f = root[:, None] * moves, root * self._left()
        U, sizes, V = np.linalg.svd(E, full_matrices=False)
        return _Problem(free, E, f, Response(free @ V.T, sizes, U.T @ f), self._closing)

    def _best(
        self, problem: _Problem, begin: np.ndarray, gaps: Gaps, rates: np.ndarray
    ) -> tuple[np.ndarray, list[int], np.ndarray]:
        """The change (A,), the axes that it leaves at a limit, and the numbers of the gaps that hold it back."""
        free, E, f, response, _ = problem
        damping = response.damping_for(self._trust) * response.total
        count = free.shape[1]
        if not response.sizes.max(initial=0.0) > 0.0:
            return np.zeros(len(begin)), [], np.zeros(0, np.int64)
        R = np.linalg.qr(np.vstack([E, np.sqrt(damping) * np.eye(count)]), mode="r")
        c = np.linalg.solve(R.T, E.T @ f)
        axes, moving, C, bounds = self._bounds(free, begin, gaps, rates)
        CR = np.linalg.solve(R.T, C.T).T
        u, y = _least_distance(CR, bounds - CR @ c)
        if u is None:  # what overlaps in more than one place can't be led apart everywhere
            bounds = np.minimum(bounds, 0.0)
            u, y = _least_distance(CR, bounds - CR @ c)
        if u is None:
            return np.zeros(len(begin)), [], np.zeros(0, np.int64)
        holds = y > _FELT * y.max(initial=0.0)
        change = free @ np.linalg.solve(R, u + c)
        return change, sorted(set(axes[holds[: len(axes)]].tolist())), moving[holds[len(axes) :]]

    def _bounds(
        self, free: np.ndarray, begin: np.ndarray, gaps: Gaps, rates: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Limited axes, numbers of gaps, and rows (n, F) with what they are to be at least (n,), limits first."""
        near = 2.0 * max(self._trust, 1e-3)
        above, below = self._upper - begin, begin - self._lower
        upper, lower = np.flatnonzero(above < near), np.flatnonzero(below < near)
        margin = MARGIN * self.model.size
        opening = rates @ free
        speed = np.linalg.norm(opening, axis=1)
        moving = np.flatnonzero(speed > _STILL * self._fastest)
        left = gaps.gap[moving] - margin
        asked = np.where(left >= 0.0, -left, np.where(left > -2.0 * margin, np.minimum(-left, _PUSHED * margin), 0.0))
        rows = np.vstack([-free[upper], free[lower], opening[moving] / speed[moving, None]])
        bounds = np.concatenate([-np.maximum(above[upper], 0.0), -np.maximum(below[lower], 0.0), asked / speed[moving]])
        return np.concatenate([upper, lower]), moving, rows, bounds

    def _moved_along(
        self, change: np.ndarray, way: float, begin: np.ndarray, gaps: Gaps, rates: np.ndarray, met: np.ndarray
    ) -> bool:
        """`_moved`, while limits and gaps that hold stay what the change makes of them."""
        chosen = Gaps(*(values[met] for values in gaps))
        self._more_rows = rates[met] / self.model.size
        self._null_space(self.held)
        self._kept_values = begin + change
        on = self.surroundings.on_bodies(self._scratch, chosen)
        self._held_gaps = _Held(chosen, on, chosen.gap + rates[met] @ change)
        try:
            return self._moved(change, way)
        finally:
            self._more_rows, self._held_gaps = rates[:0], None

    def _open(self) -> np.ndarray:
        errors = super()._open()
        if self._held_gaps is None:
            return errors
        gaps, on, wanted = self._held_gaps
        return np.append(errors, (self.surroundings.gap_of_points(self._scratch, gaps, on) - wanted) / self.model.size)

    def _moved_aside(self, directions: np.random.Generator, way: float) -> bool:
        """Also what overlaps more than before is no pose."""
        deepest = _deepest(self.surroundings.gaps(self._scratch, _REACH * self.model.size))
        return super()._moved_aside(directions, way) and not self._is_deeper(deepest)

    def _is_deeper(self, before: dict[tuple[int, int], float]) -> bool:
        """True if two bodies are deeper in each other than before, and than nothing."""
        now, rounding = _deepest(self.surroundings.gaps(self._scratch, 0.0)), _DEEPER * self.model.size
        return any(gap < min(0.0, before.get(pair, 0.0)) - rounding for pair, gap in now.items())


def _deepest(gaps: Gaps) -> dict[tuple[int, int], float]:
    """m: the smallest gap of each two bodies."""
    found: dict[tuple[int, int], float] = {}
    for pair, gap in zip(map(tuple, gaps.bodies.tolist()), gaps.gap.tolist(), strict=True):
        found[pair] = min(gap, found.get(pair, np.inf))
    return found


def _least_distance(C: np.ndarray, least: np.ndarray) -> tuple[np.ndarray | None, np.ndarray]:
    """The shortest u (F,) with C u >= least (n,), and the multipliers (n,) of the rows; None if there is none."""
    from scipy.optimize import nnls

    if not (least > 0.0).any():
        return np.zeros(C.shape[1]), np.zeros(len(least))
    rows = np.vstack([C.T, least])
    asked = np.zeros(len(rows))
    asked[-1] = 1.0
    try:
        y, _ = nnls(rows, asked)
    except RuntimeError:  # it has come to no end
        return None, np.zeros(len(least))
    rest = rows @ y - asked
    if not rest[-1] < -1e-12:
        return None, y
    return -rest[:-1] / rest[-1], y
