# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of the independent engine, each as unit wrenches between a point of one body and one of another.

A tie's rows are wrenches (force, moment) that body a gets at its point and body b, reversed, at its own. Held are the
accelerations (of the point, of the body's turn) along them: rows . (a's - b's) = wanted.
"""

from dataclasses import dataclass

import numpy as np

from solver.mechanism import Curve, Distance, Nail, Orientation, Path, PointToPoint
from tests.solver.dynamics.tree.long_doubles import NONE, ONE, REAL, ZERO, length, real
from tests.solver.simulation.told_motion import ToldCurve, normals, told_motion

PUSHES, TURNS = np.hstack([ONE, ZERO]), np.hstack([ZERO, ONE])


@dataclass
class TieState:
    """A constraint at one moment."""

    bodies: tuple[str, str | None]
    points: tuple[np.ndarray, np.ndarray]
    rows: np.ndarray  # (n, 6)
    wanted: np.ndarray  # (n,)
    gap: float  # m or rad
    slip: float  # m/s or rad/s


def tie_state(constraint, state) -> TieState:
    """`state`: the MaximalState with its bodies at this moment."""
    if isinstance(constraint, Nail):
        return _told(constraint, state, real(constraint.point), NONE, NONE)
    if isinstance(constraint, Orientation):
        body = state.state_of(constraint.body)
        start, _ = state.start(constraint.body)
        gap, slip = np.abs(body.rotation - start).max(), length(body.angular)
        return TieState((constraint.body, None), (body.center,) * 2, TURNS, NONE, float(gap), float(slip))
    if isinstance(constraint, Path):
        return _path(constraint, state)
    if isinstance(constraint, Curve):
        return _bead(constraint, state)
    return _pair(constraint, state)


def _told(constraint, state, place, velocity, acceleration) -> TieState:
    """A point that goes where the world says."""
    point = state.carried(constraint.body, constraint.point)
    slip = length(state.velocity(constraint.body, point) - velocity)
    gap = length(point - place)
    return TieState((constraint.body, None), (point, point), PUSHES, acceleration, float(gap), float(slip))


def _path(constraint: Path, state) -> TieState:
    turns = constraint.orientations is not None
    orientations = constraint.orientations if turns else ((1.0, 0.0, 0.0, 0.0),) * len(constraint.times)
    told = told_motion(np.array(constraint.times), constraint.positions, orientations, state.time)
    tie = _told(constraint, state, told.position, told.linear, told.linear_acceleration)
    if turns:
        body = state.state_of(constraint.body)
        tie.rows = np.vstack([PUSHES, TURNS])
        tie.wanted = np.concatenate([told.linear_acceleration, told.angular_acceleration])
        tie.gap = max(tie.gap, float(np.abs(body.rotation - told.rotation).max()))
        tie.slip = max(tie.slip, float(length(body.angular - told.angular)))
    return tie


def _bead(constraint: Curve, state) -> TieState:
    curve = ToldCurve(constraint.points, constraint.closed)
    point = state.carried(constraint.body, constraint.point)
    s = curve.nearest(point.astype(float))
    tangent, across = real(curve.at(s, 1)), normals(curve.at(s, 1))
    velocity = state.velocity(constraint.body, point)
    rate = velocity @ tangent / (tangent @ tangent)
    wanted = across @ real(curve.at(s, 2)) * rate**2
    rows = np.hstack([across, np.zeros((2, 3), REAL)])
    gap, slip = length(point - real(curve.at(s))), length(across @ velocity)
    return TieState((constraint.body, None), (point, point), rows, wanted, float(gap), float(slip))


def _pair(constraint: PointToPoint | Distance, state) -> TieState:
    names = constraint.body_a, constraint.body_b
    a, b = state.carried(names[0], constraint.point_a), state.carried(names[1], constraint.point_b)
    apart, velocity = a - b, state.velocity(names[0], a) - state.velocity(names[1], b)
    if isinstance(constraint, PointToPoint):
        return TieState(names, (a, b), PUSHES, NONE, float(length(apart)), float(length(velocity)))
    span = length(apart)
    present = length(real(constraint.point_a) - real(constraint.point_b))
    asked = present if constraint.distance is None else REAL(constraint.distance)
    line = apart / span
    rate = line @ velocity
    wanted = -(velocity @ velocity - rate**2) / span
    rows = np.concatenate([line, NONE])[None]
    return TieState(names, (a, b), rows, real([wanted]), float(abs(span - asked)), float(abs(rate)))


def nowhere() -> TieState:
    """A constraint that is not enabled."""
    return TieState((None, None), (NONE, NONE), np.zeros((0, 6), REAL), np.zeros(0, REAL), 0.0, 0.0)
