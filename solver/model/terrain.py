# SPDX-License-Identifier: GPL-3.0-or-later
"""The terrains of a mechanism as arrays: control points of bicubic B-splines (`dynamics.forces.terrain`)."""

from collections.abc import Sequence

import numpy as np

from ..mechanism.surfaces import Terrain
from .arrays import TERRAIN, records


def terrain_arrays(terrains: Sequence[Terrain]) -> dict[str, np.ndarray]:
    """(., TERRAIN), and the heights (m) of all, each with one row more around it."""
    rows, heights = records(len(terrains), TERRAIN), [np.zeros(0)]
    for row, terrain in zip(rows, terrains, strict=True):
        padded = _padded(np.array(terrain.heights, float))
        row.start = sum(map(len, heights))
        row.along_y, row.along_x = np.array(padded.shape) - 2
        row.origin[:], row.spacing[:] = terrain.origin, terrain.spacing
        heights.append(padded.ravel() + terrain.origin[2])
    return {"terrains": rows, "heights": np.concatenate(heights)}


def _padded(heights: np.ndarray) -> np.ndarray:
    """Rows that go on straight, so that the spline ends at the outermost heights."""
    for _ in range(2):
        first, last = 2.0 * heights[0] - heights[1], 2.0 * heights[-1] - heights[-2]
        heights = np.vstack([first, heights, last]).T
    return heights
