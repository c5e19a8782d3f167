# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs by a table of force over length: the pieces of their curve, with slope and energy.

Monotone cubic (Fritsch and Butland 1984): through all points, once continuously differentiable, without a wave that the
table does not have; straight on beyond its ends. So the stiffness, which is the slope, does not jump, the energy, which
is the integral, is exact, and a table of a straight line is that line. u (m): length since the start of a piece.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..mechanism.forces import Pull

PIECE = ("length", "force", "slope", "square", "cube", "energy")  # force + slope u + square u2 + cube u3; J at u = 0


class PullCurve(NamedTuple):
    """One spring's pieces (n, PIECE), where it does not pull (m), and its largest slope either way (N/m)."""

    pieces: np.ndarray
    rest: float
    steepest: float


def pull_curve(pull: Pull) -> PullCurve:
    """The curve of a table; its energy is zero at the shortest length at which it neither pulls nor pushes."""
    from scipy.interpolate import PchipInterpolator

    lengths, forces = np.array(pull.lengths), np.array(pull.forces)
    curve = PchipInterpolator(lengths, forces)
    slopes = curve.derivative()
    pieces = np.zeros((len(lengths), len(PIECE)))
    pieces[:, 0], pieces[:, 1], pieces[:, 2] = lengths, forces, slopes(lengths)
    pieces[:-1, 3], pieces[:-1, 4] = curve.c[1], curve.c[0]
    pieces[:, 5] = curve.antiderivative()(lengths)
    rest = _rest(pieces, curve.roots(extrapolate=False))
    pieces[:, 5] -= _energy(pieces, rest)
    bends = slopes.derivative().roots(extrapolate=False)
    steepest = np.abs(slopes(np.concatenate([lengths, bends[np.isfinite(bends)]]))).max()
    return PullCurve(pieces, rest, float(steepest))


def _rest(pieces: np.ndarray, roots: Sequence[float]) -> float:
    """m: the shortest length at which it does not pull, beyond the ends too; else the first of the table."""
    found = [float(root) for root in roots if np.isfinite(root)]
    for (length, force, slope, *_), is_beyond in ((pieces[0], np.less_equal), (pieces[-1], np.greater_equal)):
        if slope != 0.0 and is_beyond(length - force / slope, length):
            found.append(max(0.0, float(length - force / slope)))
    return min(found, default=float(pieces[0, 0]))


def _energy(pieces: np.ndarray, length: float) -> float:
    k = max(0, int(np.searchsorted(pieces[:, 0], length, side="right")) - 1)
    start, force, slope, square, cube, energy = pieces[k]
    u = length - start
    if u < 0.0:
        square = cube = 0.0
    return energy + u * (force + u * (slope / 2.0 + u * (square / 3.0 + u * cube / 4.0)))
