# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of curves that random linkages draw, and those of them that are most like a wanted one, wherever that is.

Curves are complex, centred, of root mean square 1, and known at points that are equally far apart along them. How well
two of them fit after the best turn and scale follows from their correlation: of closed ones from the largest over all
first points, by Fourier transform (McGarva and Mullineux 1993).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from .families import FAMILIES, Family
from .lines import evenly
from .sample import FIRST, PER_STEP, sample

ROWS, POINTS, ANGLES = 8000, 64, 64
OPEN_ROWS, OPEN_POINTS = 16_000, 32
_SEED = 5


class Table(NamedTuple):
    """Linkages of a family, R of them, and their curves."""

    family: Family
    x: np.ndarray  # (R, N)
    signs: np.ndarray  # (R, S)
    curves: np.ndarray  # (R, POINTS) complex64: Fourier transforms of closed ones, points of open ones


class Likeness(NamedTuple):
    """A row of a table whose curve is like a wanted one."""

    table: Table
    row: int
    first: int  # point of the row's curve at which the wanted one begins
    is_mirrored: bool  # the wanted one
    is_reversed: bool
    error: float  # mean square after the best fit, of curves of size 1


@functools.cache
def table(family: Family, is_open: bool = False) -> Table:
    """Always the same rows, all of linkages that go round, or of an open one through its part of a turn."""
    rng, rows, points = np.random.default_rng(_SEED), *((OPEN_ROWS, OPEN_POINTS) if is_open else (ROWS, POINTS))
    steps = len(family.steps)
    x, signs = np.zeros((rows, family.numbers + 2 * is_open)), np.zeros((rows, steps))
    curves = np.zeros((rows, points), complex)
    units = np.exp(2j * np.pi * np.arange(ANGLES) / ANGLES)
    values, nodes, filled = np.zeros(x.shape[1], complex), np.zeros((ANGLES, steps + 2), complex), 0
    while filled < rows:
        chances = rng.random((1000, FIRST + PER_STEP * steps))
        filled += sample(
            family.steps, int(is_open), chances, units, x[filled:], signs[filled:], values, nodes, curves[filled:]
        )
    found = curves.astype(np.complex64)
    return Table(family, x, signs, found if is_open else np.fft.fft(found, axis=1).astype(np.complex64))


def most_alike(curve: np.ndarray, count: int, family: Family, is_open: bool = False) -> Iterator[Likeness]:
    """The `count` rows of a family's table whose curves are most like a line (n,) complex, in no order."""
    of = table(family, is_open)
    wanted = evenly(curve, of.curves.shape[1], is_open)
    wanted = wanted - wanted.mean()
    wanted = (wanted / max(float(np.sqrt(np.mean(np.abs(wanted) ** 2))), 1e-30)).astype(np.complex64)
    ways = [(is_mirrored, is_reversed) for is_mirrored in (False, True) for is_reversed in (False, True)]
    alike, firsts = [], []
    for is_mirrored, is_reversed in ways:
        each = np.conj(wanted) if is_mirrored else wanted
        each = each[::-1] if is_reversed else each
        if is_open:
            alike.append(np.abs(of.curves @ np.conj(each)) / len(wanted))
            firsts.append(np.zeros(len(of.x), int))
            continue
        product = _inverse(np.fft.fft(each).conj().astype(np.complex64) * of.curves)
        square = product.real**2 + product.imag**2
        firsts.append(square.argmax(axis=1))
        alike.append(np.sqrt(square[np.arange(len(square)), firsts[-1]]) / len(wanted))
    best = np.concatenate(alike)
    for number in np.argpartition(-best, count)[:count].tolist():
        way, row = divmod(number, len(of.x))
        error = max(0.0, 2.0 - 2.0 * float(best[number]))
        yield Likeness(of, row, int(firsts[way][row]), *ways[way], error)


def _inverse(spectra: np.ndarray) -> np.ndarray:
    """Inverse transforms of rows; scipy's stay in single precision."""
    from scipy.fft import ifft

    return ifft(spectra, axis=1, workers=2, overwrite_x=True)


def make_all(is_open: bool = False) -> Iterator[float]:
    """Makes the tables that are still missing; yields the share that is done."""
    for number, family in enumerate(FAMILIES):
        table(family, is_open)
        yield (number + 1.0) / len(FAMILIES)
