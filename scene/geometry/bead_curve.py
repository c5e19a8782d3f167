# SPDX-License-Identifier: GPL-3.0-or-later
"""A curve as a bead needs it: its nearest place to a point, and points on it that the solver's spline goes through.

The solver knows a curve by points, which it joins by a cubic spline. They are taken as densely as it takes for that
spline to be the curve; one of them is where the bead is, so that the bead is on the spline exactly.
"""

import numpy as np

from ...solver.model.closures import curve_pieces
from .curve_length import CurveLength

FEWEST, MOST = 16, 1024  # points
DEVIATION, OF_CAMS = 1e-6, 3e-5  # of the length, that is allowed between the points: of a bead's curve, and a profile
SEEDS = 512
UPRIGHT = 1.0 - 1e-9  # part of a tangent along Z beyond which a curve is upright there
TWIST_STEPS = 2048  # by which an up direction goes along a curve without twist
ROUNDS = 8  # of the search for the nearest place; each is ten times as fine as the one before


def placed(curve: CurveLength, matrix: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Points (T, 3) in the world at shares of the curve's length (T,); `matrix` (4, 4) is its object's."""
    return curve.points(factors) @ matrix[:3, :3].T + matrix[:3, 3]


def nearest_factor(curve: CurveLength, matrix: np.ndarray, point: np.ndarray) -> float:
    """Share of the curve's length, 0 to 1, at which it is nearest to a point (3,) of the world."""
    factors = np.linspace(0.0, 1.0, SEEDS + 1)
    for _ in range(ROUNDS):
        squares = np.sum((placed(curve, matrix, factors) - point) ** 2, axis=1)
        best, step = factors[np.argmin(squares)], factors[1] - factors[0]
        factors = best + step * np.linspace(-1.0, 1.0, 21)
        factors = factors % 1.0 if curve.is_closed else np.clip(factors, 0.0, 1.0)
    return float(best)


def points_through(
    curve: CurveLength, matrix: np.ndarray, factor: float, deviation: float = DEVIATION
) -> tuple[np.ndarray, int, np.ndarray]:
    """Points (n, 3) of the world along the curve, the index of that at the share `factor` of its length; all shares.

    deviation: of the length, that is allowed between the points.
    """
    count = FEWEST
    while True:
        factors, own = _factors(curve.is_closed, factor, count)
        points = placed(curve, matrix, factors)
        if count >= MOST or _deviation(curve, matrix, factors, points) <= deviation:
            return points, own, factors
        count *= 2


def directions_up(curve: CurveLength, matrix: np.ndarray, factors: np.ndarray, untwisted: bool) -> np.ndarray:
    """(n, 3): directions of the world that are up at shares of the length (n,), of which a closed curve's go round.

    The object's Z axis, across the curve, turned about it by its tilt. `untwisted`: from there, at the start of the
    curve, it goes on without twist (parallel transport); on a closed one what is left over is spread evenly.
    """
    steps = np.linspace(0.0, 1.0, TWIST_STEPS + 1)
    at = np.unique(np.concatenate([steps, factors]))
    along = curve.tangents(at)
    up = np.array([_across(t) for t in along])
    if untwisted:
        for k in range(1, len(at)):
            up[k] = _transported(up[k - 1], along[k - 1], along[k])
        if curve.is_closed:
            back = _transported(up[-1], along[-1], along[0])
            left = np.arctan2(np.cross(back, up[0]) @ along[0], back @ up[0])
            up = _rolled(up, along, left * at)
    up = _rolled(up, along, curve.tilt(at))
    return up[np.searchsorted(at, factors)] @ matrix[:3, :3].T


def tilts_of(along: np.ndarray, ups: np.ndarray) -> np.ndarray:
    """(n,) rad: tilts by which a curve with these tangents (n, 3) has these up directions (n, 3), from upright on."""
    upright = np.array([_across(t) for t in along])
    sine = np.einsum("ij,ij->i", np.cross(upright, ups), along)
    return np.unwrap(np.arctan2(sine, np.einsum("ij,ij->i", upright, ups)))


def _across(along: np.ndarray) -> np.ndarray:
    """Unit vector across a curve that is nearest to Z, or where it is upright to Y."""
    axis = np.array([0.0, 0.0, 1.0]) if abs(along[2]) < UPRIGHT else np.array([0.0, 1.0, 0.0])
    up = axis - (axis @ along) * along
    return up / np.linalg.norm(up)


def _transported(up: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """`up` as it is after the least turn from one tangent to the next."""
    axis, cosine = np.cross(before, after), before @ after
    up = cosine * up + np.cross(axis, up) + axis * (axis @ up) / (1.0 + cosine)
    up -= (up @ after) * after
    return up / np.linalg.norm(up)


def _rolled(up: np.ndarray, along: np.ndarray, angles: np.ndarray) -> np.ndarray:
    return np.cos(angles)[:, None] * up + np.sin(angles)[:, None] * np.cross(along, up)


def _factors(is_closed: bool, factor: float, count: int) -> tuple[np.ndarray, int]:
    """Shares evenly over the curve, one of them moved to where the bead is."""
    if is_closed:
        return (factor + np.arange(count) / count) % 1.0, 0
    factors = np.linspace(0.0, 1.0, count)
    own = round(factor * (count - 1))
    if 0.0 < factor < 1.0:
        own = min(max(own, 1), count - 2)
    factors[own] = factor
    return factors, own


def _deviation(curve: CurveLength, matrix: np.ndarray, factors: np.ndarray, points: np.ndarray) -> float:
    """Largest distance, as a part of the length, from the curve to the spline through its points, half-way between."""
    starts, powers, end = curve_pieces(points, curve.is_closed)
    if len(starts) != len(points) - (not curve.is_closed):
        return 0.0  # a bead next to an end: two points coincide, and the spline has a piece less
    ends = np.append(factors[1:], factors[0] + 1.0) if curve.is_closed else factors[1:]
    middle = factors[: len(ends)] + 0.5 * ((ends - factors[: len(ends)]) % 1.0)
    half = 0.5 * (np.append(starts[1:], end) - starts)[:, None]
    c0, c1, c2, c3 = np.moveaxis(powers[:, :4, :3], 1, 0)
    spline = c0 + half * (c1 + half * (c2 + half * c3))
    along = c1 + half * (2.0 * c2 + half * 3.0 * c3)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    apart = placed(curve, matrix, middle % 1.0 if curve.is_closed else middle) - spline
    apart -= np.sum(apart * along, axis=1, keepdims=True) * along
    return float(np.linalg.norm(apart, axis=1).max()) / end
