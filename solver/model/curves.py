# SPDX-License-Identifier: GPL-3.0-or-later
"""Nonlinear springs and dampers: the pieces of a table's curve of force, with slope and energy.

Monotone cubic (Fritsch and Butland 1984): through all points, once continuously differentiable, without a wave that the
table does not have; straight on beyond its ends. So the stiffness, which is the slope, does not jump, the energy, which
is the integral, is exact, and a table of a straight line is that line. u: from the start of a piece, in m, rad, m/s or
rad/s, as what the force is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..mechanism.curves import AxisPull, Damper, Pull, Push, Stop
from ..mechanism.forces import ForceWithLaw, Spring, Support
from ..mechanism.joints import Joint
from .arrays import AXIS_CURVES, records

PIECE = ("start", "force", "slope", "square", "cube", "energy")  # force + slope u + square u2 + cube u3; J at u = 0


class Curve(NamedTuple):
    """One curve's pieces (n, PIECE), where it has no force, and its largest slope either way."""

    pieces: np.ndarray
    rest: float
    steepest: float


def curve_of(table: Pull | AxisPull | Damper | Push | Stop) -> Curve:
    """The curve of a table; its energy is zero at the least length, depth or coordinate at which it has no force."""
    if isinstance(table, Damper):
        over, forces = table.points
    elif isinstance(table, AxisPull):
        over, forces = table.coordinates, table.forces
    else:
        over, forces = table.lengths if isinstance(table, Pull) else table.depths, table.forces
    return _through(over, forces, -np.inf if isinstance(table, (AxisPull, Damper)) else 0.0)


def force_at(table: Pull | AxisPull | Damper | Push | Stop, at: np.ndarray) -> np.ndarray:
    """The force of a table at places or rates (N,): N or N m."""
    pieces = curve_of(table).pieces
    k = np.maximum(0, np.searchsorted(pieces[:, 0], at, side="right") - 1)
    u = at - pieces[k, 0]
    square, cube = np.where(u < 0.0, 0.0, pieces[k, 3:5].T)
    return pieces[k, 1] + u * (pieces[k, 2] + u * (square + u * cube))


class Curves:
    """All curves of a linkage, one behind the other."""

    def __init__(self) -> None:
        self._pieces, self._count = [np.zeros((0, len(PIECE)))], 0

    def add(self, curve: Curve | None) -> tuple[int, int]:
        """(first, behind the last) piece of one that is put in; both alike without one."""
        first = self._count
        if curve is not None:
            self._pieces.append(curve.pieces)
            self._count += len(curve.pieces)
        return first, self._count

    @property
    def pieces(self) -> np.ndarray:
        """(., PIECE), of all of them."""
        return np.concatenate(self._pieces)


def elastic_curve(force: ForceWithLaw) -> Curve | None:
    """The curve of a spring, a rubber or a support that has its force by a table."""
    table = force.pull if isinstance(force, Spring) else force.push if isinstance(force, Support) else None
    return None if table is None else curve_of(table)


def damper_curve(force: ForceWithLaw) -> Curve | None:
    """The curve of its damper."""
    table = getattr(force, "damper", None)
    return None if table is None else curve_of(table)


def axis_curves(joints: Sequence[tuple[Joint | None, int]], curves: Curves) -> np.recarray:
    """(A,) AXIS_CURVES of the axes of joints, each with its number of axes; none where no joint has curves."""
    if not any(joint is not None and joint.has_curves for joint, _ in joints):
        return records(0, AXIS_CURVES)
    result, axis = records(sum(count for _, count in joints), AXIS_CURVES), 0
    for joint, count in joints:
        for c in range(count if joint is not None and joint.has_curves else 0):
            row = result[axis + c]
            for name, steep in (("pull", "stiffness"), ("damper", "damping"), ("stops", "stiffness")):
                table = (getattr(joint, name) or (None,) * count)[c]
                curve = None if table is None else curve_of(table)
                getattr(row, name)[:] = curves.add(curve)
                setattr(row, steep, getattr(row, steep) + (0.0 if curve is None else curve.steepest))
                if name == "stops" and table is not None:
                    row.dissipation = table.dissipation
        axis += count
    return result


def _through(over: Sequence[float], forces: Sequence[float], least: float) -> Curve:
    from scipy.interpolate import PchipInterpolator

    over, forces = np.array(over), np.array(forces)
    curve = PchipInterpolator(over, forces)
    slopes = curve.derivative()
    pieces = np.zeros((len(over), len(PIECE)))
    pieces[:, 0], pieces[:, 1], pieces[:, 2] = over, forces, slopes(over)
    pieces[:-1, 3], pieces[:-1, 4] = curve.c[1], curve.c[0]
    pieces[:, 5] = curve.antiderivative()(over)
    rest = _rest(pieces, curve.roots(extrapolate=False), least)
    pieces[:, 5] -= _energy(pieces, rest)
    bends = slopes.derivative().roots(extrapolate=False)
    steepest = np.abs(slopes(np.concatenate([over, bends[np.isfinite(bends)]]))).max()
    return Curve(pieces, rest, float(steepest))


def _rest(pieces: np.ndarray, roots: Sequence[float], least: float) -> float:
    """The least place, not below `least`, without a force, beyond the ends too; else the first of the table."""
    found = [float(root) for root in roots if np.isfinite(root)]
    for (start, force, slope, *_), is_beyond in ((pieces[0], np.less_equal), (pieces[-1], np.greater_equal)):
        if slope != 0.0 and is_beyond(start - force / slope, start):
            found.append(max(least, float(start - force / slope)))
    return min(found, default=float(pieces[0, 0]))


def _energy(pieces: np.ndarray, at: float) -> float:
    k = max(0, int(np.searchsorted(pieces[:, 0], at, side="right")) - 1)
    start, force, slope, square, cube, energy = pieces[k]
    u = at - start
    if u < 0.0:
        square = cube = 0.0
    return energy + u * (force + u * (slope / 2.0 + u * (square / 3.0 + u * cube / 4.0)))
