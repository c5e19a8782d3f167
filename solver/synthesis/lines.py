# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of points in the plane, closed or open, as complex numbers: their lengths, and how far apart they are."""

from __future__ import annotations

import numpy as np

_SAMPLES = 200  # of lines whose distance is told


def evenly(points: np.ndarray, count: int, is_open: bool = False) -> np.ndarray:
    """(count,): at equal lengths along a line through points (n,); an open one has both of its ends."""
    around = points if is_open else np.append(points, points[:1])
    length = np.append(0.0, np.cumsum(np.abs(np.diff(around))))
    wanted = np.arange(count) * (length[-1] / (count - is_open))
    return np.interp(wanted, length, around.real) + 1j * np.interp(wanted, length, around.imag)


def chamfer(first: np.ndarray, second: np.ndarray, is_open: bool = False) -> float:
    """The mean distance of lines (n,) and (m,): of points of either to the other, both ways."""
    first, second = evenly(first, _SAMPLES, is_open), evenly(second, _SAMPLES, is_open)
    return 0.5 * float(_apart(first, second, is_open).mean() + _apart(second, first, is_open).mean())


def _apart(points: np.ndarray, line: np.ndarray, is_open: bool) -> np.ndarray:
    """(n,): from the nearest place of a line (m,) to each of `points` (n,)."""
    start = line[: len(line) - is_open]
    along = np.roll(line, -1)[: len(start)] - start
    away = points[:, None] - start
    square = np.maximum(along.real**2 + along.imag**2, 1e-30)
    share = np.clip((away * along.conj()).real / square, 0.0, 1.0)
    return np.abs(away - share * along).min(axis=1)
