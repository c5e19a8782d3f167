# SPDX-License-Identifier: GPL-3.0-or-later
"""The rest of a chain of bars whose middles are pulled to places that they cannot all reach.

Bars of 1 m hang on the origin, end to end, in the plane X Z. They settle where the sum of the weighted squares of the
ways left is least.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares


class Wanted(NamedTuple):
    """A bar's number, the place (x, z) in m that its middle is pulled to, and the weight of that."""

    bar: int
    place: tuple[float, float]
    weight: float


def settled_middles(count: int, wanted: Sequence[Wanted], starts: int = 20) -> np.ndarray:
    """(count, 2) m: the middles of the bars, at the least of the minima that are found from random angles."""
    bars = [want.bar for want in wanted]
    places, roots = np.array([want.place for want in wanted]), np.sqrt([want.weight for want in wanted])

    def left(angles: np.ndarray) -> np.ndarray:
        return (roots[:, None] * (_middles(angles)[bars] - places)).ravel()

    rng = np.random.default_rng(0)
    exact = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    found = [least_squares(left, rng.normal(0.0, 0.5, count), **exact) for _ in range(starts)]
    return _middles(min(found, key=lambda one: one.cost).x)


def cost(middles: np.ndarray, wanted: Sequence[Wanted]) -> float:
    """m2: the sum of the weighted squares of the ways left."""
    return float(sum(want.weight * np.sum((middles[want.bar] - want.place) ** 2) for want in wanted))


def _middles(angles: np.ndarray) -> np.ndarray:
    bars = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.cumsum(bars, axis=0) - 0.5 * bars
