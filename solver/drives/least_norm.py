# SPDX-License-Identifier: GPL-3.0-or-later
"""Loads along the axes of trees, shared among drives and the forces that close loops: least norm of the drives.

Symbols: A axes, of which D are driven and P are not; R rows of closures, l their multipliers; t load along each axis;
G (R, A) each row along each axis. A closure takes G^T l off the loads, so that
    P^T (t - G^T l) = 0    what no drive can take the closures must, as well as they can,
    u = D^T (t - G^T l)    and the drives do the rest, |u| least of all l that do so.
The least norm of drives in redundant loops is that of Tasora and Righettini (section 6).
"""

import numpy as np

_SMALL = 3e-6  # of the largest row, and of rows of size 1: what is rounding, of a drawing in single precision, too


def shared(loads: np.ndarray, rows: np.ndarray, driven: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, ...]:
    """(efforts of drives (F, A), loads that nothing takes up (F, A), how many drives are more than needed (F,)).

    loads (F, A) N or N m; rows (F, R, A); driven (A,) bool; scale (A,): by which efforts count in the norm (the size of
    the linkage where they are forces), and loads where they cannot all be taken up.
    """
    loads, rows = loads * scale, rows * scale
    sizes = np.linalg.norm(rows, axis=2, keepdims=True)
    large = sizes > _SMALL * sizes.max(axis=1, initial=0.0, keepdims=True)
    rows = np.where(large, rows / np.where(large, sizes, 1.0), 0.0)
    passive = np.swapaxes(rows[:, :, ~driven], 1, 2)
    active = np.swapaxes(rows[:, :, driven], 1, 2)
    inverse, _ = _inverse(passive)
    multipliers = _times(inverse, loads[:, ~driven])
    free = np.eye(rows.shape[1]) - inverse @ passive
    ways, rank = _inverse(active @ free)
    rest = loads[:, driven] - _times(active, multipliers)
    multipliers += _times(free, _times(ways, rest))
    efforts, unmet = np.zeros((2, *loads.shape))
    efforts[:, driven] = loads[:, driven] - _times(active, multipliers)
    unmet[:, ~driven] = loads[:, ~driven] - _times(passive, multipliers)
    return efforts / scale, unmet / scale, rank


def _times(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return (matrices @ vectors[:, :, None])[:, :, 0]


def _inverse(matrices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pseudo-inverses (F, n, m) of matrices (F, m, n) whose entries are about 1, and their ranks (F,)."""
    if 0 in matrices.shape:
        return np.zeros((len(matrices), *matrices.shape[:0:-1])), np.zeros(len(matrices), int)
    left, values, right = np.linalg.svd(matrices, full_matrices=False)
    large = values > _SMALL
    shares = np.where(large, 1.0 / np.where(large, values, 1.0), 0.0)
    return np.swapaxes(right, 1, 2) @ (shares[:, :, None] * np.swapaxes(left, 1, 2)), large.sum(axis=1)
