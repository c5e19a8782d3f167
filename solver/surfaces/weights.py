# SPDX-License-Identifier: GPL-3.0-or-later
"""The weight of an error of a surface's parameters for what rides there, as error control asks of all coordinates.

A change du of a parameter moves the point over the surface by up to |p_u| du, and turns its normal by up to |n_u| du.
"""

import math

import numpy as np

from .surface import Pieces, SurfaceKind, frame_of

_IN_PATCH = (0.0, 0.25, 0.5, 0.75, 1.0 - 1e-9)  # of a patch, in each direction
_MOST_FANS, _BESIDE = 400, (0.05, 0.3, 0.6)
_BESIDE_SHARP = (0.05, 0.1, 0.2, 0.3, 0.6)  # along semi-sharp edges, which bend most on themselves


def parameter_weights(surface: np.record, pieces: Pieces, size: float) -> np.ndarray:
    """(2,): parts of `size` (m), or rad, whichever is more, by which a unit of u, or v, moves or turns at most."""
    moves, turns = _rates(surface, pieces)
    return np.maximum(np.array(moves) / size, turns)


def _rates(surface: np.record, pieces: Pieces) -> tuple[np.ndarray, np.ndarray]:
    """(m per unit (2,), rad per unit (2,)), at most."""
    a, b, c = surface.lengths
    if surface.kind == SurfaceKind.PLANE:
        return np.ones(2), np.zeros(2)
    if surface.kind == SurfaceKind.CYLINDER:
        return np.array([a, 1.0]), np.array([1.0, 0.0])
    if surface.kind == SurfaceKind.TORUS:
        return np.array([a + b, b]), np.ones(2)
    if surface.kind == SurfaceKind.ELLIPSOID:
        return np.full(2, max(a, b, c)), np.full(2, max(a, b, c) / min(a, b, c))
    if surface.kind == SurfaceKind.SUBDIVISION:
        places = _around_vertices(surface, pieces)
    else:
        places = [(0, u, v) for u in _along(surface, 0) for v in _along(surface, 1)]
    each = np.array([_rates_at(surface, pieces, *place) for place in places])
    each = each[np.isfinite(each).all(axis=(1, 2))]
    return each.max(axis=0, initial=0.0)


def _along(surface: np.record, k: int) -> list[float]:
    return [i + part for i in range(surface.counts[k]) for part in _IN_PATCH]


def _around_vertices(surface: np.record, pieces: Pieces) -> list[tuple[int, float, float]]:
    """(chart, x, y) of places in the sectors of fans; curvature has no bounds at some vertices, and is taken beside."""
    found, is_smooth = [], len(pieces.cells) == 0
    for k in np.unique(np.linspace(0, surface.charts - 2, _MOST_FANS).astype(int)):
        fan = pieces.fans[surface.fan + k]
        angles = (np.arange(2 * fan.count) + 0.5) * 0.5 * fan.sector
        if not is_smooth:
            angles = np.append(angles, np.arange(fan.count) * fan.sector)
        radii = _BESIDE if is_smooth else _BESIDE_SHARP
        found += [(k + 1, r * math.cos(angle), r * math.sin(angle)) for r in radii for angle in angles]
    return found


def _rates_at(surface: np.record, pieces: Pieces, chart: int, u: float, v: float) -> np.ndarray:
    """(2, 2): m per unit, and rad per unit, of u and v; not finite where the surface has no normal."""
    try:
        _, _, J, K, _ = frame_of(surface, pieces, chart, u, v)
    except ZeroDivisionError:
        return np.full((2, 2), np.inf)
    ways = np.array([[J[0], J[1]], [0.0, J[2]]])
    turns = np.array([[K[0], K[1]], [K[1], K[2]]]) @ ways
    return np.array([np.linalg.norm(ways, axis=0), np.linalg.norm(turns, axis=0)])
