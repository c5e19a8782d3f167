# SPDX-License-Identifier: GPL-3.0-or-later
"""Four-bars whose coupler point draws a closed curve: the nearest of a table, refined by least squares.

    for found in four_bars(curve):
        found.points, found.chamfer

Only crank-rockers, so that none has a defect of branch, circuit or order (`crank_rocker`). Each of the most alike
curves of the table is fitted twice by `scipy.optimize.least_squares`: points at equal lengths along the curves to each
other, then points of either to the nearest of the other one.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

import numpy as np

from .crank_rocker import MARGIN, CrankRocker, closed_curve
from .table import POINTS, Likeness, most_alike, table

TRIED, FITS, KEPT = 200, 12, 6  # of the table that are looked at, that are refined, and that are given
_ALIKE = 0.05  # of their logarithm: so near are the lengths of linkages that count as the same
_SAMPLES = 200  # of curves whose distance is told
_PENALTY = 10.0  # of lengths that go beyond Grashof's limit
_ANGLES = np.arange(128) * (2.0 * np.pi / 128)


class FourBar(NamedTuple):
    """A linkage that was found.

    points (5, 2): the crank's pivot and pin, the rocker's pin and pivot, and the coupler point, in the units of the
    curve; curve (n, 2): what the point draws; chamfer: the mean distance between the curves, in parts of the longer
    side of the wanted one's box; transmission: the smallest angle (rad) between coupler and rocker.
    """

    points: np.ndarray
    curve: np.ndarray
    chamfer: float
    transmission: float


def four_bars(curve: np.ndarray, count: int = KEPT) -> list[FourBar]:
    """Up to `count` linkages that are not alike, the best first, for a closed curve (n, 2) whose points are in order.

    Raises ValueError for a curve of fewer than three points, of no size, or with numbers that are not finite.
    """
    steps = search(curve, count)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def search(curve: np.ndarray, count: int = KEPT) -> Generator[float, None, list[FourBar]]:
    """The same as a generator that yields the share that is done, and returns what was found."""
    curve = np.asarray(curve, float)
    if curve.ndim != 2 or curve.shape[1] != 2 or len(curve) < 3 or not np.isfinite(curve).all():
        raise ValueError("curve must be at least three points (n, 2) of finite numbers")
    size = float(np.ptp(curve, axis=0).max())
    if not size > 0.0:
        raise ValueError("curve must have a size")
    middle = curve.mean(axis=0)
    wanted = closed_curve(((curve - middle) / size) @ (1.0, 1.0j), POINTS)
    fitted: list[tuple[float, CrankRocker, np.ndarray]] = []
    yield 0.0
    starts = _different(most_alike(wanted, TRIED))
    for number, start in enumerate(starts):
        yield (1.0 + number) / (1.0 + len(starts))
        linkage, placed = _refined(wanted, start)
        if linkage.slack > 0.5 * MARGIN:
            fitted.append((chamfer(placed[3], wanted), linkage, placed))
    fitted.sort(key=lambda each: each[0])
    found: list[FourBar] = []
    taken: list[CrankRocker] = []
    for distance, linkage, (pivots, crank, rocker, drawn) in fitted:
        if any(_same(linkage, other) for other in taken):
            continue
        taken.append(linkage)
        corners = np.array([pivots[0], crank[0], rocker[0], pivots[1], drawn[0]])
        at = [np.stack([each.real, each.imag], axis=-1) * size + middle for each in (corners, drawn)]
        found.append(FourBar(*at, distance, float(linkage.transmission())))
        if len(found) == count:
            break
    return found


def chamfer(first: np.ndarray, second: np.ndarray) -> float:
    """The mean distance of closed curves (n,) and (m,) complex: of points of either to the other, both ways."""
    first, second = closed_curve(first, _SAMPLES), closed_curve(second, _SAMPLES)
    return 0.5 * float(np.abs(_apart(first, second)).mean() + np.abs(_apart(second, first)).mean())


def _apart(points: np.ndarray, curve: np.ndarray) -> np.ndarray:
    """(n,) complex: from the nearest place of a closed line of points (m,) to each of `points` (n,)."""
    along = np.roll(curve, -1) - curve
    away = points[:, None] - curve
    square = np.maximum(np.abs(along) ** 2, 1e-30)
    share = np.clip((away * along.conj()).real / square, 0.0, 1.0)
    rest = away - share * along
    nearest = np.argmin(rest.real**2 + rest.imag**2, axis=1)
    return rest[np.arange(len(points)), nearest]


def _different(alike: list[Likeness]) -> list[Likeness]:
    """The first of those whose lengths are not alike."""
    linkages, _ = table()
    found: list[Likeness] = []
    for each in alike:
        own = CrankRocker(*(values[each.row] for values in linkages))
        if not any(_same(own, CrankRocker(*(values[other.row] for values in linkages)), 0.15) for other in found):
            found.append(each)
        if len(found) == FITS:
            break
    return found


def _same(first: CrankRocker, second: CrankRocker, within: float = _ALIKE) -> bool:
    lengths = np.log([[each.a, each.b, each.c] for each in (first, second)])
    return bool(np.abs(lengths[0] - lengths[1]).max() < within and abs(first.point - second.point) < within)


def _refined(wanted: np.ndarray, start: Likeness) -> tuple[CrankRocker, np.ndarray]:
    """The linkage that fits best near a row of the table, and where it stands: pivots, pins, curve (each complex)."""
    from scipy.optimize import least_squares

    linkages, _ = table()
    a, b, c, point = (values[start.row] for values in linkages)
    target = np.conj(wanted) if start.is_mirrored else wanted
    target = target[::-1] if start.is_reversed else target
    drawn = closed_curve(CrankRocker(a, b, c, point).pins(_ANGLES)[2], POINTS)
    shifted = np.roll(drawn, -start.first)
    away, of_target = shifted - shifted.mean(), target - target.mean()
    turn = np.vdot(away, of_target) / np.vdot(away, away).real
    shift = target.mean() - turn * shifted.mean()
    x = np.array([*np.log([a, b, c]), point.real, point.imag, turn.real, turn.imag, shift.real, shift.imag])

    def placed(x: np.ndarray) -> tuple[CrankRocker, np.ndarray]:
        linkage = CrankRocker(*np.exp(x[:3]), x[3] + 1j * x[4])
        return linkage, linkage.pins(_ANGLES)[2] * (x[5] + 1j * x[6]) + x[7] + 1j * x[8]

    def by_length(x: np.ndarray) -> np.ndarray:
        linkage, curve = placed(x)
        return _numbers(np.roll(closed_curve(curve, POINTS), -start.first) - target, linkage)

    def by_distance(x: np.ndarray) -> np.ndarray:
        linkage, curve = placed(x)
        curve = closed_curve(curve, POINTS)
        return _numbers(np.append(_apart(curve, target), _apart(target, curve)), linkage)

    for residual in (by_length, by_distance):
        x = least_squares(residual, x, max_nfev=25, x_scale="jac").x
    linkage, _ = placed(x)
    turn, shift = x[5] + 1j * x[6], x[7] + 1j * x[8]
    parts = [np.array([0.0, 1.0], complex), *linkage.pins(_ANGLES)]
    parts = [turn * each + shift for each in parts]
    return linkage, [np.conj(each) if start.is_mirrored else each for each in parts]


def _numbers(off: np.ndarray, linkage: CrankRocker) -> np.ndarray:
    """Residuals of complex distances, and what a crank is too long to go round."""
    return np.concatenate([off.real, off.imag, [_PENALTY * max(0.0, MARGIN - float(linkage.slack))]])
