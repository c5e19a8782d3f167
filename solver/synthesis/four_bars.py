# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose point draws a closed curve: the nearest of a table of each family, refined by least squares.

    for found in four_bars(curve):
        found.points, found.chamfer

Only those whose crank goes round, so that none has a defect of branch, circuit or order (`crank_rocker`,
`stephenson`). Two more bars must be worth `_WORTH`, else the simpler linkage comes first. Each of the most alike
curves of the table is fitted twice by `scipy.optimize.least_squares`: points at equal lengths along the curves to
each other, then points of either to the nearest of the other one.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import NamedTuple

import numpy as np

from .crank_rocker import MARGIN, closed_curve
from .families import FAMILIES, FOUR_BAR, Family, Linkage
from .table import POINTS, Likeness, most_alike, table

TRIED, FITS, KEPT = 300, 20, 6  # of the table that are looked at, that are refined, and that are given
_ALIKE = 0.05  # of their logarithm: so near are the lengths of linkages that count as the same
_SAMPLES = 200  # of curves whose distance is told
_WORTH = 0.001  # chamfer: by which each bar beyond four must better it, to come first
_PENALTY = 10.0  # of lengths that go beyond Grashof's limit
_ANGLES, _FINE = (np.arange(count) * (2.0 * np.pi / count) for count in (128, 512))  # to fit, and to be told


class Found(NamedTuple):
    """A linkage that was found.

    points (n, 2): those that the family's links name, in the units of the curve: of a four-bar the crank's pivot
    and pin, the rocker's pin and pivot, and the coupler point; the last one draws. curve (n, 2): what the point
    draws; chamfer: the mean distance between the curves, in parts of the longer side of the wanted one's box;
    transmission: the smallest angle (rad) between two bars that lead on.
    """

    family: Family
    points: np.ndarray
    curve: np.ndarray
    chamfer: float
    transmission: float


def four_bars(curve: np.ndarray, count: int = KEPT) -> list[Found]:
    """Up to `count` four-bars that are not alike, the best first, for a closed curve (n, 2) whose points are in order.

    Raises ValueError for a curve of fewer than three points, of no size, or with numbers that are not finite.
    """
    steps = search(curve, count, (FOUR_BAR,))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def search(
    curve: np.ndarray, count: int = KEPT, families: Sequence[Family] = FAMILIES
) -> Generator[float, None, list[Found]]:
    """The same over several families, as a generator that yields the share that is done, and returns what was found."""
    curve = np.asarray(curve, float)
    if curve.ndim != 2 or curve.shape[1] != 2 or len(curve) < 3 or not np.isfinite(curve).all():
        raise ValueError("curve must be at least three points (n, 2) of finite numbers")
    size = float(np.ptp(curve, axis=0).max())
    if not size > 0.0:
        raise ValueError("curve must have a size")
    middle = curve.mean(axis=0)
    wanted = closed_curve(((curve - middle) / size) @ (1.0, 1.0j), POINTS)
    fitted: list[tuple[float, Family, Linkage, tuple]] = []
    yield 0.0
    starts = [each for family in families for each in _different(most_alike(wanted, TRIED, family))]
    for number, start in enumerate(starts):
        yield (1.0 + number) / (1.0 + len(starts))
        linkage, corners, drawn = _refined(wanted, start)
        fitted.append((chamfer(drawn, wanted), start.family, linkage, (corners, drawn)))
    fitted.sort(key=lambda each: each[0] + _WORTH * (len(each[1].links) - 3))
    found: list[Found] = []
    taken: list[tuple[Family, Linkage]] = []
    for distance, family, linkage, places in fitted:
        if any(family is of and _same(linkage, other) for of, other in taken):
            continue
        taken.append((family, linkage))
        at = [np.stack([each.real, each.imag], axis=-1) * size + middle for each in places]
        found.append(Found(family, *at, distance, float(linkage.transmission())))
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
    found: list[tuple[Likeness, Linkage]] = []
    for each in alike:
        own = _row(each)
        if not any(_same(own, other, 0.15) for _, other in found):
            found.append((each, own))
        if len(found) == FITS:
            break
    return [each for each, _ in found]


def _row(of: Likeness) -> Linkage:
    linkages, _ = table(of.family)
    return type(linkages)(*(values[of.row] for values in linkages))


def _same(first: Linkage, second: Linkage, within: float = _ALIKE) -> bool:
    """True for lengths and points that are alike."""
    for one, other in zip(first, second, strict=True):
        is_point = np.iscomplexobj(one)
        if not (abs(one - other) if is_point else abs(np.log(one / other))) < within:
            return False
    return True


def _refined(wanted: np.ndarray, start: Likeness) -> tuple[Linkage, np.ndarray, np.ndarray]:
    """The linkage that fits best near a row of its table, and where it stands: its points and its curve, complex."""
    from scipy.optimize import least_squares

    family, linkage = start.family, _row(start)
    target = np.conj(wanted) if start.is_mirrored else wanted
    target = target[::-1] if start.is_reversed else target
    drawn = closed_curve(linkage.pins(_ANGLES)[-1], POINTS)
    shifted = np.roll(drawn, -start.first)
    away, of_target = shifted - shifted.mean(), target - target.mean()
    turn = np.vdot(away, of_target) / np.vdot(away, away).real
    shift = target.mean() - turn * shifted.mean()
    x = np.array([*family.numbers(linkage), turn.real, turn.imag, shift.real, shift.imag])

    def placed(x: np.ndarray) -> tuple[Linkage, np.ndarray]:
        linkage = family.of_numbers(x[:-4])
        return linkage, linkage.pins(_ANGLES)[-1] * (x[-4] + 1j * x[-3]) + x[-2] + 1j * x[-1]

    def by_length(x: np.ndarray) -> np.ndarray:
        linkage, curve = placed(x)
        return _numbers(np.roll(closed_curve(curve, POINTS), -start.first) - target, linkage)

    def by_distance(x: np.ndarray) -> np.ndarray:
        linkage, curve = placed(x)
        curve = closed_curve(curve, POINTS)
        return _numbers(np.append(_apart(curve, target), _apart(target, curve)), linkage)

    for residual in (by_length, by_distance):
        better = least_squares(residual, x, max_nfev=25, x_scale="jac").x
        if not placed(better)[0].slack > 0.5 * MARGIN:
            break
        x = better
    linkage, _ = placed(x)
    corners = family.points(linkage, [pin[0] for pin in linkage.pins(_ANGLES)])
    corners = np.array(corners, complex) * (x[-4] + 1j * x[-3]) + x[-2] + 1j * x[-1]
    curve = linkage.pins(_FINE)[-1] * (x[-4] + 1j * x[-3]) + x[-2] + 1j * x[-1]
    return linkage, *(np.conj(each) if start.is_mirrored else each for each in (corners, curve))


def _numbers(off: np.ndarray, linkage: Linkage) -> np.ndarray:
    """Residuals of complex distances, and what a crank is too long to go round."""
    return np.concatenate([off.real, off.imag, [_PENALTY * max(0.0, MARGIN - float(linkage.slack))]])
