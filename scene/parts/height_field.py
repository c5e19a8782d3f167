# SPDX-License-Identifier: GPL-3.0-or-later
"""A mesh seen from above, as heights on a regular grid, for supports and tyres that stand on it.

The solver puts a smooth surface through such heights, as control points of a B-spline: `height_of` is that surface.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .placement import Outline

SIDE = 200  # cells along the longer side of a grid whose spacing nobody gave
MOST = 1_000_000  # points
_ABOVE = 1.0  # m: from where rays go down


class HeightField(NamedTuple):
    """Heights (m), rows along X, over `origin` (x, y in the world), `spacing` (m) apart; `holes`: points without any.

    `off`: how far the smooth surface is from the mesh in the middles of cells, at most (m), and where that is.
    """

    heights: np.ndarray
    origin: tuple[float, float]
    spacing: tuple[float, float]
    holes: int
    off: float
    place: tuple[float, float]


def counts_of(shape: Outline, spacing: float) -> tuple[int, int]:
    """Numbers of points along X and Y over a mesh, at about a spacing (m; 0: by its size)."""
    size = shape.high - shape.low
    step = spacing if spacing > 0.0 else max(size[0], size[1]) / SIDE
    return tuple(max(2, math.ceil(float(length) / step - 1e-6) + 1) if step > 0.0 else 2 for length in size[:2])


def height_field(shape: Outline, spacing: float) -> HeightField | None:
    """The height field of a mesh; None where no ray met it."""
    columns, rows = counts_of(shape, spacing)
    (left, front, _), (right, back, _) = shape.low, shape.high
    steps = (right - left) / (columns - 1), (back - front) / (rows - 1)
    xs, ys = np.linspace(left, right, columns), np.linspace(front, back, rows)
    # rays just inside the edge, or half of them would miss it
    inner = [
        np.clip(v, a + 1e-4 * s, b - 1e-4 * s)
        for v, a, b, s in ((xs, left, right, steps[0]), (ys, front, back, steps[1]))
    ]
    heights = _seen(shape, *inner)
    missed = np.isnan(heights)
    if missed.all():
        return None
    _fill(heights, missed)
    between = _seen(shape, xs[:-1] + 0.5 * steps[0], ys[:-1] + 0.5 * steps[1])
    off = np.nan_to_num(np.abs(between - _in_the_middles(heights)))
    j, i = np.unravel_index(np.argmax(off), off.shape)
    place = float(xs[i] + 0.5 * steps[0]), float(ys[j] + 0.5 * steps[1])
    return HeightField(heights, (float(left), float(front)), steps, int(missed.sum()), float(off[j, i]), place)


def _seen(shape: Outline, xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    top, down = float(shape.high[2]) + _ABOVE, (0.0, 0.0, -1.0)
    heights = np.full((len(ys), len(xs)), np.nan)
    for j, y in enumerate(ys.tolist()):
        for i, x in enumerate(xs.tolist()):
            hit = shape.tree.ray_cast((x, y, top), down)[0]
            if hit is not None:
                heights[j, i] = hit[2]
    return heights


def _fill(heights: np.ndarray, missed: np.ndarray) -> None:
    """Holes get the height that is nearest to them."""
    if missed.any():
        from scipy.ndimage import distance_transform_edt

        nearest = distance_transform_edt(missed, return_distances=False, return_indices=True)
        heights[...] = heights[tuple(nearest)]


def _in_the_middles(heights: np.ndarray) -> np.ndarray:
    """The B-spline's height in the middle of each cell; at its edge it goes on straight."""
    for _ in range(2):
        padded = np.vstack([2.0 * heights[0] - heights[1], heights, 2.0 * heights[-1] - heights[-2]])
        heights = ((padded[:-3] + padded[3:]) + 23.0 * (padded[1:-2] + padded[2:-1])).T / 48.0
    return heights


def height_of(field: HeightField, x: float, y: float) -> float | None:
    """About the height at a place: that of the nearest point; None beyond the edge."""
    i, j = (x - field.origin[0]) / field.spacing[0], (y - field.origin[1]) / field.spacing[1]
    rows, columns = field.heights.shape
    if not (0.0 <= i <= columns - 1 and 0.0 <= j <= rows - 1):
        return None
    return float(field.heights[round(j), round(i)])
