# SPDX-License-Identifier: GPL-3.0-or-later
"""The weight of an error of a surface's parameters for what rides there, as error control asks of all coordinates.

A change du of a parameter moves the point over the surface by up to |p_u| du, and turns its normal by up to |n_u| du.
"""

import numpy as np

from .surface import SurfaceKind, frame_of

_IN_PATCH = (0.0, 0.25, 0.5, 0.75, 1.0 - 1e-9)  # of a patch, in each direction


def parameter_weights(surface: np.record, patches: np.ndarray, size: float) -> np.ndarray:
    """(2,): parts of `size` (m), or rad, whichever is more, by which a unit of u, or v, moves or turns at most."""
    moves, turns = _rates(surface, patches)
    return np.maximum(np.array(moves) / size, turns)


def _rates(surface: np.record, patches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
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
    each = np.array([_rates_at(surface, patches, u, v) for u in _along(surface, 0) for v in _along(surface, 1)])
    each = each[np.isfinite(each).all(axis=(1, 2))]
    return each.max(axis=0, initial=0.0)


def _along(surface: np.record, k: int) -> list[float]:
    return [i + part for i in range(surface.counts[k]) for part in _IN_PATCH]


def _rates_at(surface: np.record, patches: np.ndarray, u: float, v: float) -> np.ndarray:
    """(2, 2): m per unit, and rad per unit, of u and v; not finite where the surface has no normal."""
    try:
        _, _, J, K, _ = frame_of(surface, patches, 0, u, v)
    except ZeroDivisionError:
        return np.full((2, 2), np.inf)
    ways = np.array([[J[0], J[1]], [0.0, J[2]]])
    turns = np.array([[K[0], K[1]], [K[1], K[2]]]) @ ways
    return np.array([np.linalg.norm(ways, axis=0), np.linalg.norm(turns, axis=0)])
