# SPDX-License-Identifier: GPL-3.0-or-later
"""A table of coupler curves, and those of it that are most like a wanted one, whatever their place, size and turn.

Curves are complex, centred, of root mean square 1, and known at points that are equally far apart along them. How well
two of them fit after the best turn follows from the largest correlation over all first points, by Fourier transform.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from .crank_rocker import MARGIN, closed_curve
from .families import FOUR_BAR, Family, Linkage

CURVES, POINTS, ANGLES = 24_000, 64, 96
_SEED = 5


class Likeness(NamedTuple):
    """A curve of a table: family and row, first point that fits best, if the wanted one was mirrored or reversed."""

    family: Family
    row: int
    first: int
    is_mirrored: bool
    is_reversed: bool
    error: float  # mean square after the best fit, of curves of size 1


@functools.cache
def table(family: Family = FOUR_BAR) -> tuple[Linkage, np.ndarray]:
    """Linkages (CURVES,) that go round, and the Fourier transforms (CURVES, POINTS) of their curves."""
    rng = np.random.default_rng(_SEED)
    found: list[Linkage] = []
    while sum(len(each.a) for each in found) < CURVES:
        some = family.random(rng, 4 * CURVES)
        goes_round = some.slack > MARGIN
        found.append(type(some)(*(each[goes_round] for each in some)))
    linkages = type(found[0])(*(np.concatenate(each)[:CURVES] for each in zip(*found, strict=True)))
    angles = np.arange(ANGLES) * (2.0 * np.pi / ANGLES)
    curves = np.empty((CURVES, POINTS), np.complex64)
    for begin in range(0, CURVES, 2000):
        some = type(linkages)(*(each[begin : begin + 2000] for each in linkages))
        for row, curve in enumerate(some.pins(angles)[-1], start=begin):
            curves[row] = standard(closed_curve(curve, POINTS))
    return linkages, np.fft.fft(curves, axis=1).astype(np.complex64)


def standard(curve: np.ndarray) -> np.ndarray:
    """The curve (n,) complex, centred and of root mean square 1."""
    curve = curve - curve.mean()
    return curve / max(float(np.sqrt(np.mean(np.abs(curve) ** 2))), 1e-30)


def most_alike(curve: np.ndarray, count: int, family: Family = FOUR_BAR) -> list[Likeness]:
    """The `count` curves of a family's table that are most like a closed one, (n,) complex, the best first."""
    _, spectra = table(family)
    wanted = standard(closed_curve(curve, POINTS))
    found: list[Likeness] = []
    for is_mirrored in (False, True):
        for is_reversed in (False, True):
            each = np.conj(wanted) if is_mirrored else wanted
            each = each[::-1] if is_reversed else each
            alike = np.abs(np.fft.ifft(np.fft.fft(each).conj() * spectra, axis=1)) / POINTS
            first = alike.argmax(axis=1)
            best = alike[np.arange(len(first)), first]
            for row in np.argsort(-best)[:count].tolist():
                error = max(0.0, 2.0 - 2.0 * float(best[row]))
                found.append(Likeness(family, row, int(first[row]), is_mirrored, is_reversed, error))
    return sorted(found, key=lambda each: each.error)[:count]
