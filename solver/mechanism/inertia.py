# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that no rigid body has, and the nearest one that some has.

The principal moments of a real distribution of mass are positive, and none is above the sum of the other two (which a
flat plate reaches). Such triples are a cone with the edges (0, 1, 1), (1, 0, 1), (1, 1, 0). The nearest inertia in the
Frobenius norm (the root of the sum of squares of all nine entries) keeps the principal axes, and its moments are the
projection of the triple onto the cone (Hoffman and Wielandt 1953: eigenvalues are no farther apart than matrices).
"""

from __future__ import annotations

import numpy as np

POSITIVE = 1e-6  # of the largest moment: the least that a mended inertia has about an axis


def nearest_moments(ascending: np.ndarray) -> np.ndarray:
    """The possible triple of principal moments (3,), in ascending order, that is nearest to a given one.

    Onto the face c = a + b, which is broken first; if that leads beyond a = 0, onto the edge (0, t, t) of the cone, and
    from behind its tip to the tip.
    """
    a, b, c = ascending
    if c <= a + b and a >= 0.0:
        return np.array([a, b, c])
    third = (c - a - b) / 3.0
    if a + third >= 0.0:
        return np.array([a + third, b + third, c - third])
    t = max(0.0, 0.5 * (b + c))
    return np.array([0.0, t, t])


def nearest_inertia(matrix: np.ndarray) -> np.ndarray:
    """The possible inertia (3, 3) that is nearest to a symmetric matrix, and positive about each axis.

    A needle's, of no moment about itself, gets POSITIVE of its largest moment everywhere; zero stays zero.
    """
    moments, axes = np.linalg.eigh(matrix)
    moments = nearest_moments(moments)
    if moments[0] < POSITIVE * moments[2]:
        moments = moments + POSITIVE * moments[2]
    if np.count_nonzero(matrix - np.diag(np.diag(matrix))) == 0:  # moments in their own order, to the last digit
        result = np.zeros(3)
        result[np.argsort(np.diag(matrix), kind="stable")] = moments
        return np.diag(result)
    turned = (axes * moments) @ axes.T
    return 0.5 * (turned + turned.T)


def as_text(inertia: np.ndarray) -> str:
    """An inertia (3,) or (3, 3) as a file has it, to ten digits: what is possible remains so."""
    if inertia.ndim > 1:
        return "[" + ", ".join(map(as_text, inertia)) + "]"
    return "[" + ", ".join(f"{number:.10g}" for number in inertia) + "]"
