# SPDX-License-Identifier: GPL-3.0-or-later
"""A Curve object by arc length: where is the point that has gone a given share of the way?

The control points are evaluated here (Bezier, poly and NURBS) instead of taking Blender's polyline, whose corners would
shake whatever follows it: a keyed motion is differentiated twice.
"""

from __future__ import annotations

import itertools
from typing import Self

import bpy
import numpy as np

STEPS = 64
"""Pieces per segment in which arc length is integrated (Simpson; error of the order 1/STEPS^4 of the length)."""


class CurveError(ValueError):
    """The curve can't be followed; the text is the end of a sentence about it ("has no spline")."""


class CurveLength:
    """A curve in its object's local coordinates."""

    def __init__(
        self,
        spans: list[np.ndarray],
        weights: list[np.ndarray],
        is_closed: bool = False,
        tilts: list[tuple[float, float]] | None = None,
    ) -> None:
        """`spans`: Bezier control points (degree + 1, 3) of each polynomial piece; `weights` (degree + 1,).

        `tilts` (rad): at the two ends of each piece.
        """
        self.tilts = np.zeros((len(spans), 2)) if tilts is None else np.array(tilts, float)
        points, shares = np.array(spans), np.array(weights)[:, :, None]
        self.pieces, self.is_closed = np.concatenate([points * shares, shares], axis=2), is_closed
        parameter = np.arange(len(spans) * STEPS + 1) / STEPS
        speed = np.linalg.norm(self._derivative(parameter), axis=1)
        middle = np.linalg.norm(self._derivative(parameter[:-1] + 0.5 / STEPS), axis=1)
        steps = (speed[:-1] + 4.0 * middle + speed[1:]) / (6.0 * STEPS)
        self.parameter, self.arc = parameter, np.concatenate([[0.0], np.cumsum(steps)])

    @property
    def length(self) -> float:
        """Arc length in local units."""
        return float(self.arc[-1])

    @property
    def has_corners(self) -> bool:
        """True if the direction jumps where one piece goes over into the next."""
        knots = np.arange(0 if self.is_closed else 1, len(self.pieces), dtype=np.float64)
        before = np.where(knots == 0.0, len(self.pieces), knots)
        arriving, leaving = self._derivative(before, before - 1.0), self._derivative(knots)
        lengths = np.linalg.norm(arriving, axis=1) * np.linalg.norm(leaving, axis=1)
        cosines = np.sum(arriving * leaving, axis=1) / np.maximum(lengths, 1e-300)
        return bool((cosines < CORNER).any())

    def points(self, factors: np.ndarray) -> np.ndarray:
        """Points (T, 3) at shares of the length (T,) between 0 and 1."""
        return self._evaluate(self._parameters(factors))

    def tangents(self, factors: np.ndarray) -> np.ndarray:
        """Unit vectors (T, 3) along the curve there."""
        along = self._derivative(self._parameters(factors))
        return along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)

    def tilt(self, factors: np.ndarray) -> np.ndarray:
        """(T,) rad: the tilt there, evenly from each control point to the next."""
        parameter = self._parameters(factors)
        piece = np.clip(parameter.astype(int), 0, len(self.pieces) - 1)
        first, last = self.tilts[piece].T
        return first + (parameter - piece) * (last - first)

    def _parameters(self, factors: np.ndarray) -> np.ndarray:
        arc = np.clip(factors, 0.0, 1.0) * self.length
        index = np.clip(np.searchsorted(self.arc, arc, side="right") - 1, 0, len(self.arc) - 2)
        parameter = self.parameter[index].copy()
        low, high = self.parameter[index], self.parameter[index + 1]
        for _ in range(NEWTON_STEPS):
            gone = self.arc[index] + self._arc_between(low, parameter)
            speed = np.maximum(np.linalg.norm(self._derivative(parameter), axis=1), 1e-12)
            parameter = np.clip(parameter + (arc - gone) / speed, low, high)
        return parameter

    def _arc_between(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        half = 0.5 * (high - low)
        total = np.zeros_like(low)
        for node, weight in GAUSS:
            total += weight * np.linalg.norm(self._derivative(low + half * (1.0 + node), low), axis=1)
        return half * total

    def _evaluate(self, parameter: np.ndarray) -> np.ndarray:
        return self._each(parameter, parameter, 0)

    def _derivative(self, parameter: np.ndarray, inside: np.ndarray | None = None) -> np.ndarray:
        return self._each(parameter, parameter if inside is None else inside, 1)

    def _each(self, parameter: np.ndarray, inside: np.ndarray, order: int) -> np.ndarray:
        """Value or derivative at each parameter; `inside` decides which piece a parameter between two belongs to."""
        piece = np.clip(inside.astype(int), 0, len(self.pieces) - 1)
        return _rational_bezier(self.pieces[piece], (parameter - piece)[:, None], order)

    @classmethod
    def of_object(cls, owner: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Self:
        """The first spline of a Curve object, its deforming modifiers included. Raises CurveError."""
        if owner.type != "CURVE":
            raise CurveError("is not a curve")
        evaluated = owner.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise CurveError("is disabled in viewports or excluded: enable it")
        try:
            curve = evaluated.to_curve(depsgraph, apply_modifiers=True)
            if len(curve.splines) == 0:
                raise CurveError("has no spline")
            pieces, is_closed = _pieces(curve.splines[0]), curve.splines[0].use_cyclic_u
        finally:
            evaluated.to_curve_clear()
        pieces = [piece for piece in pieces if np.ptp(piece[0], axis=0).any()]
        if not pieces:
            raise CurveError("has no length")
        points, weights, tilts = map(list, zip(*pieces, strict=True))
        return cls(points, weights, is_closed, tilts)


NEWTON_STEPS = 6
GAUSS = list(zip(*np.polynomial.legendre.leggauss(4), strict=True))
"""Nodes and weights of the quadrature between two of the STEPS."""
CORNER = np.cos(np.radians(1.0))


def _rational_bezier(homogeneous: np.ndarray, t: np.ndarray, order: int) -> np.ndarray:
    """Values (T, 3), or first derivatives, at t (T, 1), each of its own rational Bezier piece (T, degree + 1, 4)."""
    value = _bezier(homogeneous, t)
    if order == 0:
        return value[:, :3] / value[:, 3:]
    slope = _bezier((homogeneous.shape[1] - 1) * np.diff(homogeneous, axis=1), t)
    return (slope[:, :3] - value[:, :3] / value[:, 3:] * slope[:, 3:]) / value[:, 3:]


def _bezier(points: np.ndarray, t: np.ndarray) -> np.ndarray:
    """After de Casteljau."""
    t = t[:, :, None]
    while points.shape[1] > 1:
        points = (1.0 - t) * points[:, :-1] + t * points[:, 1:]
    return points[:, 0]


Piece = tuple[np.ndarray, np.ndarray, tuple[float, float]]


def _pieces(spline: bpy.types.Spline) -> list[Piece]:
    """Bezier pieces of a spline: control points, weights, and the tilts at both ends."""
    cyclic = spline.use_cyclic_u
    if spline.type == "BEZIER":
        knots = list(spline.bezier_points)
        pairs = list(zip(knots, knots[1:] + knots[:1] if cyclic else knots[1:], strict=False))
        return [
            (np.array([a.co, a.handle_right, b.handle_left, b.co], dtype=np.float64), np.ones(4), (a.tilt, b.tilt))
            for a, b in pairs
        ]
    points = np.array([(*point.co, point.tilt) for point in spline.points], dtype=np.float64)
    if spline.type == "POLY":
        corners = np.vstack([points, points[:1]]) if cyclic else points
        return [(np.array([a[:3], b[:3]]), np.ones(2), (a[4], b[4])) for a, b in itertools.pairwise(corners)]
    return _nurbs_pieces(points, spline)


def _nurbs_pieces(points: np.ndarray, spline: bpy.types.Spline) -> list[Piece]:
    """Bezier pieces of a NURBS spline, by its blossom: control point i of a piece is the blossom at its knots."""
    order = min(spline.order_u, len(points))
    degree = order - 1
    if degree < 1:
        return []
    if spline.use_cyclic_u:
        points = np.vstack([points, points[:degree]])
    knots = _knots(len(points), order, spline)
    homogeneous = np.column_stack([points[:, :3] * points[:, 3:4], points[:, 3], points[:, 4] * points[:, 3]])
    pieces = []
    for span in range(degree, len(points)):
        a, b = knots[span], knots[span + 1]
        if b > a:
            corners = np.array([_blossom(homogeneous, knots, span, [a] * (degree - i) + [b] * i) for i in range(order)])
            tilts = corners[:, 4] / corners[:, 3]
            pieces.append((corners[:, :3] / corners[:, 3:4], corners[:, 3], (tilts[0], tilts[-1])))
    return pieces


def _knots(count: int, order: int, spline: bpy.types.Spline) -> np.ndarray:
    """Blender's knot vector: uniform, with full ends (Endpoint) or in steps of the degree (Bezier)."""
    if spline.use_cyclic_u:
        return np.arange(count + order, dtype=np.float64)
    if spline.use_bezier_u:
        degree = order - 1
        lead = order if spline.use_endpoint_u else min(2, degree)
        knots = np.maximum((np.arange(count + order) - lead) // degree + 1, 0).astype(np.float64)
        return np.minimum(knots, knots[count]) if spline.use_endpoint_u else knots
    knots = np.arange(count + order, dtype=np.float64)
    if spline.use_endpoint_u:
        knots = np.clip(knots, order - 1, count)
    return knots


def _blossom(points: np.ndarray, knots: np.ndarray, span: int, arguments: list[float]) -> np.ndarray:
    """De Boor's recursion with a different argument on each level (Ramshaw 1989)."""
    degree = len(arguments)
    level = [points[span - degree + i] for i in range(degree + 1)]
    for depth, argument in enumerate(arguments, start=1):
        for i in range(degree, depth - 1, -1):
            low = knots[span - degree + i]
            high = knots[span + 1 + i - depth]
            share = (argument - low) / (high - low)
            level[i] = (1.0 - share) * level[i - 1] + share * level[i]
    return level[degree]
