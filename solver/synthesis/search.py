# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose point draws a curve: the most similar rows of the tables of all families, fitted in rounds.

    for found in run(search(curve)):
        found.points, found.chamfer

Many are fitted a little, the best of them more (`_ROUNDS`). So that there is a choice, linkages of four, six and
eight bars have places of their own in each round. More bars, sliders and larger linkages must be worth it (`_WORTH`),
else the simpler linkage comes first. Of all that are given the crank goes round, or through its part of a turn, on
one branch (`dyads`), so there is no defect of branch, circuit or order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from .dyads import draw
from .families import FAMILIES, Family, moved
from .fit import LENGTH, MEAN, MOST, NEAREST, Work, fit, new_work
from .lines import chamfer, evenly
from .table import POINTS, Likeness, make_all, most_alike

T = TypeVar("T")
KEPT = 6  # that are given
_TRIED = 1000  # rows of the tables
_SHARES = {4: 0.08, 6: 0.27, 8: 0.65}  # of bars: of the places in each round
_FARTHEST = 8.0  # of the curve's size: so far from its middle a linkage's points are at most
_WORTH, _SLIDE = 0.001, 0.0005  # chamfer: by which each bar beyond four, and each slider, must better it to come first
_LARGE = 0.0001  # chamfer: by which each size of the curve must better it that a linkage is larger
_ALIKE = 0.02  # of the curve's size: so near to each other are the points of linkages that count as the same
_FINE = 512  # directions of the crank at which what is found is told


class _Round(NamedTuple):
    how: int
    most: int  # rounds of a fit
    directions: int
    points: int
    keeps: int


_ROUNDS = (
    _Round(LENGTH, 10, 48, POINTS, 400),
    _Round(NEAREST, 15, 64, POINTS, 100),
    _Round(MEAN, 40, 96, 128, 24),
    _Round(MEAN, 120, 128, 128, 24),
)


class Found(NamedTuple):
    """A linkage that was found.

    points (n, 2): those that the family's links name, in the units of the curve, where the drawing begins; the last
    one draws. rails (slides, 2): of a block on the ground its way to one side, of one on a rod that from the rod's
    hinge to where it is farthest from there. curve (n, 2): what is drawn; chamfer: the mean distance between the
    curves, in parts of the longer side of the wanted one's box; transmission: the smallest angle (rad) between two
    bars that lead on (`dyads`). turn: rad, so far the crank turns to the left; a whole turn for closed curves.
    """

    family: Family
    points: np.ndarray
    rails: np.ndarray
    curve: np.ndarray
    chamfer: float
    transmission: float
    turn: float

    @property
    def bars(self) -> int:
        """Of the linkage, with the ground; blocks count."""
        return _bars(self.family)

    @property
    def is_open(self) -> bool:
        """True if the crank goes to and fro."""
        return self.turn < 2.0 * math.pi - 1e-9


class Start(NamedTuple):
    family: Family
    x: np.ndarray
    signs: np.ndarray
    is_reversed: bool  # the wanted curve
    first: float  # share of its length at which what is drawn begins


def run(steps: Generator[float, None, list[Found]]) -> list[Found]:
    """The linkages that a search finds, at once."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def search(
    curve: np.ndarray, count: int = KEPT, families: Sequence[Family] = FAMILIES, is_open: bool = False
) -> Generator[float, None, list[Found]]:
    """Up to `count` linkages that are not alike, the best first, for a curve (n, 2) whose points are in order.

    Yields the share that is done. Raises ValueError for a curve of fewer than three points, of no size, or with
    numbers that are not finite.
    """
    curve = np.asarray(curve, float)
    if curve.ndim != 2 or curve.shape[1] != 2 or len(curve) < 3 or not np.isfinite(curve).all():
        raise ValueError("curve must be at least three points (n, 2) of finite numbers")
    size = float(np.ptp(curve, axis=0).max())
    if not size > 0.0:
        raise ValueError("curve must have a size")
    middle = curve.mean(axis=0)
    wanted = ((curve - middle) / size) @ (1.0, 1.0j)
    yield 0.0
    for done in make_all(is_open):
        yield 0.2 * done
    alike: list[tuple[float, Likeness]] = []
    for number, family in enumerate(families):
        alike += [(each.error, each) for each in most_alike(wanted, _TRIED, family, is_open)]
        yield 0.2 + 0.2 * (number + 1.0) / len(families)
    starts = [_start(each, wanted, is_open) for each in _best(alike, _TRIED, lambda each: each.table.family)]
    for number, each in enumerate(_ROUNDS):
        fits, fitted = _Fits(wanted, each, is_open), []
        for done, start in enumerate(starts):
            x = start.x.copy()
            cost = fits.better(start, x)
            if cost < 1e300 and _extent(start._replace(x=x), is_open) < _FARTHEST:
                fitted.append((cost, start._replace(x=x)))
            yield 0.4 + 0.6 * (number + done / len(starts)) / len(_ROUNDS)
        starts = _best(fitted, each.keeps, lambda start: start.family)
    return _different([told_of(start, wanted, size, middle, is_open) for start in starts], size, count)


class _Fits:
    """Fits of one round, with a place to work for each family."""

    def __init__(self, wanted: np.ndarray, by: _Round, is_open: bool) -> None:
        self._by, self._is_open = by, is_open
        self._wanted = evenly(wanted, by.points, is_open)
        self._works: dict[int, Work] = {}

    def better(self, start: Start, x: np.ndarray) -> float:
        """Fits the numbers x in place; returns the cost."""
        family, wanted = start.family, self._wanted
        if id(family) not in self._works:
            self._works[id(family)] = new_work(len(x), len(family.steps), self._by.directions, wanted, self._is_open)
        work = self._works[id(family)]
        wanted = wanted[::-1] if start.is_reversed else wanted
        work.target[:] = np.roll(wanted, -round(start.first * len(wanted)))
        return fit(family.steps, start.signs, x, self._by.how, self._by.most, work)


def _start(alike: Likeness, wanted: np.ndarray, is_open: bool) -> Start:
    """A row of a table where its curve lies on the wanted one as well as it can."""
    family, points = alike.table.family, alike.table.curves.shape[1]
    x, signs = alike.table.x[alike.row], alike.table.signs[alike.row]
    wanted = evenly(wanted, points, is_open)
    target = np.roll(wanted[::-1] if alike.is_reversed else wanted, alike.first)
    drawn = evenly(_drawn(family, x, signs, 64, is_open)[0][:, -1], points, is_open)
    drawn = np.conj(drawn) if alike.is_mirrored else drawn
    away = drawn - drawn.mean()
    turn = np.vdot(away, target) / max(np.vdot(away, away).real, 1e-30)
    x, signs = moved(family, x, signs, turn, target.mean() - turn * drawn.mean(), alike.is_mirrored)
    if is_open:
        first, last = x[-2:] if not alike.is_mirrored else -x[-2:][::-1]
        x[-2:] = np.array([first, last]) + np.angle(turn)
        return Start(family, x, signs, alike.is_reversed != alike.is_mirrored, 0.0)
    drawn = evenly(_drawn(family, x, signs, 64, is_open)[0][:, -1], points, is_open)
    near = [np.fft.ifft(np.fft.fft(drawn).conj() * np.fft.fft(each)).real for each in (wanted, wanted[::-1])]
    is_reversed = bool(near[1].max() > near[0].max())
    return Start(family, x, signs, is_reversed, float(near[is_reversed].argmax()) / points)


def _drawn(
    family: Family, x: np.ndarray, signs: np.ndarray, directions: int, is_open: bool
) -> tuple[np.ndarray, float]:
    """(T, K) complex: nodes of a linkage while it draws, and its largest cosine of transmission."""
    if is_open:
        units = np.exp(1j * np.linspace(x[-2], x[-1], directions))
    else:
        units = np.exp(2j * np.pi * np.arange(directions) / directions)
    steps = len(family.steps)
    nodes = np.zeros((directions, steps + 2), complex)
    values, worst, where = np.zeros(len(x), complex), np.zeros(steps), np.zeros(steps, np.int64)
    return nodes, float(draw(family.steps, signs, x, units, values, nodes, worst, where))


def _best(judged: list[tuple[float, T]], keeps: int, family_of: Callable[[T], Family]) -> list[T]:
    """The best of each number of bars, and of the others where there are too few of them."""
    room = {bars: max(1, round(share * keeps)) for bars, share in _SHARES.items()}
    kept, others = [], []
    for _, each in sorted(judged, key=lambda pair: pair[0]):
        bars = _bars(family_of(each))
        room[bars] -= 1
        (kept if room[bars] >= 0 else others).append(each)
    return kept + others[: max(0, keeps - len(kept))]


def _extent(start: Start, is_open: bool) -> float:
    """The largest distance of its points from the middle of the curve, at some directions of the crank."""
    return float(np.abs(_drawn(start.family, start.x, start.signs, 12, is_open)[0]).max())


def _bars(family: Family) -> int:
    return len(family.links) + 1


def told_of(start: Start, wanted: np.ndarray, size: float, middle: np.ndarray, is_open: bool) -> Found | None:
    """A fitted linkage in the units of the curve; None where it proves to be at a dead centre."""
    nodes, cosine = _drawn(start.family, start.x, start.signs, _FINE, is_open)
    if not cosine < math.cos(0.9 * math.acos(MOST)):
        return None
    flat = lambda z: np.stack([z.real, z.imag], axis=-1)  # noqa: E731
    return Found(
        start.family,
        flat(nodes[0]) * size + middle,
        flat(_rails(start, nodes)) * size,
        flat(nodes[:, -1]) * size + middle,
        chamfer(nodes[:, -1], wanted, is_open),
        math.acos(cosine),
        float(start.x[-1] - start.x[-2]) if is_open else 2.0 * math.pi,
    )


def _rails(start: Start, nodes: np.ndarray) -> np.ndarray:
    """(slides,) complex: the way of each block, from nodes (T, K)."""
    found = []
    for each in start.family.slides:
        _, u, v, p = start.family.steps[each.step]
        if each.on < 0:
            found.append(
                np.exp(1j * start.x[p + 1]) * np.ptp((nodes[:, each.point] * np.exp(-1j * start.x[p + 1])).real)
            )
        else:
            apart = nodes[:, v] - nodes[:, u]
            found.append(apart[0] / abs(apart[0]) * np.abs(apart).max())
    return np.array(found, complex)


def _different(told: list[Found | None], size: float, count: int) -> list[Found]:
    """The best that are not alike, at least one of each number of bars, those first that are worth their bars."""

    def worth(each: Found) -> float:
        large = float(np.ptp(each.points, axis=0).max()) / size
        return each.chamfer + _WORTH * (each.bars - 4) + _SLIDE * len(each.family.slides) + _LARGE * large

    found: list[Found] = []
    for each in sorted((each for each in told if each is not None), key=worth):
        if not any(
            each.family is other.family and np.abs(each.points - other.points).max() < _ALIKE * size for other in found
        ):
            found.append(each)
    first = {_bars(each.family): each for each in reversed(found)}
    chosen = list(first.values())[:count]
    for each in found:
        if len(chosen) < count and not any(each is other for other in chosen):
            chosen.append(each)
    return sorted(chosen, key=worth)
