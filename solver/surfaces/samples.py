# SPDX-License-Identifier: GPL-3.0-or-later
"""Many points of a surface of pieces at once, with their normals: where searches for nearest points begin."""

import numpy as np

from ..spatial import add, cross, dot, rotate, scale
from ..subdivision.limit import LEVELS
from .patch import point_in_patch
from .surface import Pieces, SurfaceKind

OF_PIECES = (SurfaceKind.PATCHES, SurfaceKind.SUBDIVISION)
_MOST = 40000  # samples of a surface


def in_each_piece(surface, count: int) -> np.ndarray:
    """(N, 2): parameters of `count` places in each direction of each patch or face, fewer where those are many."""
    while count > 1 and count * count * int(np.prod(surface.counts)) > _MOST:
        count -= 1
    u, v = ((np.arange(count * n) + 0.5) / count for n in surface.counts)
    return np.stack(np.meshgrid(u, v, indexing="ij"), axis=-1).reshape(-1, 2)


@np.errstate(divide="ignore", invalid="ignore")  # where the surface has no normal
def sampled(surface, pieces: Pieces, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(points (N, 3) m, normals (N, 3)) at parameters (N, 2), along the body's axes: those of `surface.frame_of`.

    Infinite where the surface has no normal.
    """
    (i, s), (j, t) = (_cells(surface, parameters[:, k], k) for k in range(2))
    number = surface.patch + i * surface.counts[1] + j
    if surface.kind == SurfaceKind.SUBDIVISION:
        number, s, t = _in_cells(pieces, pieces.faces[number], s, t)
    coefficients = np.moveaxis(pieces.patches[number], 0, -1)
    p, p_u, p_v, *_ = point_in_patch(coefficients, surface.order, surface.is_rational, s, t)
    normal = cross(p_u, p_v)
    normal = scale(surface.side / np.sqrt(dot(normal, normal)), normal)
    axes, origin = tuple(surface.rotation.ravel()), tuple(surface.origin)
    found = np.column_stack(add(origin, rotate(axes, p))), np.column_stack(rotate(axes, normal))
    has_none = ~np.isfinite(found[1]).all(axis=1)
    for values in found:
        values[has_none] = np.inf
    return found


def _in_cells(pieces: Pieces, faces: np.ndarray, s, t) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(numbers of the patches, parameters in them) at places in faces (N, 11) of subdivision surfaces."""
    number, at_level, of_level = _in_levels(faces, s, t)
    code, a, b = faces[:, 10].copy(), s, t
    while (is_split := code >= 0).any():
        right, up = 2.0 * a >= 1.0, 2.0 * b >= 1.0
        code[is_split] = pieces.cells[code[is_split], (right + 2 * up)[is_split]]
        a, b = np.where(is_split, 2.0 * a - right, a), np.where(is_split, 2.0 * b - up, b)
    is_patch = code < LEVELS
    number = np.where(is_patch, LEVELS - 1 - code, number)
    return number, np.where(is_patch, a, at_level), np.where(is_patch, b, of_level)


def _in_levels(faces: np.ndarray, s: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same, as if there were levels only."""
    first, levels = faces[:, 0], faces[:, 1]
    farther = np.clip(np.maximum(s, t), 1e-300, 1.0)
    level = np.clip(np.ceil(-1.0 - np.log2(farther)), 0, np.maximum(levels - 1, 0)).astype(int)
    factor = np.where(levels > 0, 2.0 ** (level + 1), 1.0)
    s, t = factor * s, factor * t
    place = np.where((t < 1.0) & (s >= t), 0, np.where(s < 1.0, 2, 1))
    is_deep = levels > 0
    number = first + np.where(is_deep, 3 * level + place, 0)
    return number, s - (is_deep & (place != 2)), t - (is_deep & (place != 0))


def _cells(surface, u: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(numbers of the patches, parameters in them) along one direction, each (N,)."""
    period, count = surface.period[k], surface.counts[k]
    if period > 0.0:
        u = u - period * np.floor(u / period)
    i = np.clip(np.floor(u), 0.0, count - 1.0).astype(int)
    return i, u - i
