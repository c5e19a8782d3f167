# SPDX-License-Identifier: GPL-3.0-or-later
"""Many points of a surface of patches at once, with their normals: where searches for nearest points begin."""

import numpy as np

from ..spatial import add, cross, dot, rotate, scale
from .surface import point_in_patch


@np.errstate(divide="ignore", invalid="ignore")  # where the surface has no normal
def sampled(surface, patches: np.ndarray, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(points (N, 3) m, normals (N, 3)) at parameters (N, 2), along the body's axes: those of `surface.frame_of`.

    Infinite where the surface has no normal.
    """
    (i, s), (j, t) = (_cells(surface, parameters[:, k], k) for k in range(2))
    coefficients = np.moveaxis(patches[surface.patch + i * surface.counts[1] + j], 0, -1)
    p, p_u, p_v, *_ = point_in_patch(coefficients, surface.order, surface.is_rational, s, t)
    normal = cross(p_u, p_v)
    normal = scale(surface.side / np.sqrt(dot(normal, normal)), normal)
    axes, origin = tuple(surface.rotation.ravel()), tuple(surface.origin)
    found = np.column_stack(add(origin, rotate(axes, p))), np.column_stack(rotate(axes, normal))
    has_none = ~np.isfinite(found[1]).all(axis=1)
    for values in found:
        values[has_none] = np.inf
    return found


def _cells(surface, u: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(numbers of the patches, parameters in them) along one direction, each (N,)."""
    period, count = surface.period[k], surface.counts[k]
    if period > 0.0:
        u = u - period * np.floor(u / period)
    i = np.clip(np.floor(u), 0.0, count - 1.0).astype(int)
    return i, u - i
