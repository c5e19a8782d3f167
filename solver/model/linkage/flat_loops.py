# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the trees meet by themselves: of what closes loops of bodies that move along one plane only.

Hinges along a normal u, travels across it and welds move bodies along the plane, by the group G(u) of planar
displacements (Herve 1978), however they move. A closure between two such bodies needs three rows at most: of a hinge
along u two, as the travel along u and the right angles with u stay as drawn. Those would be redundant in each pose, and
finding that out anew costs more than all the rest. The method of Lagrange has no trees, so it keeps all rows; reactions
come from it.
"""

from collections.abc import Callable, Iterable

import numpy as np

from ...mechanism.joint_types import ANGLE
from ..arrays import RowKind
from ..closures import Closure
from .numbering import NumberedLinkage

_IN_LINE = 1e-12  # sine of an angle; part of the linkage's size
_SOURCES = ("joint", "cut")  # whose frames stay where they are
_TRAVEL, _TURN = RowKind.TRAVEL, RowKind.TURN


class FlatPieces:
    """The bodies of a linkage's trees that move along planes only, for each normal that is asked for."""

    def __init__(self, linkage: NumberedLinkage, axes: np.ndarray, size: float) -> None:
        """Axes (B, 3, 3) of the kernels' bodies in the world; size (m): the scale of lengths."""
        self._linkage, self._axes, self._size = linkage, axes, size
        self._pieces: dict[tuple[float, ...], tuple[np.ndarray, list[int]]] = {}

    def implied(self, closure: Closure) -> list[int]:
        """Those of a closure's rows that are met wherever the trees go; none if that would leave no row."""
        if closure.source.kind not in _SOURCES or len(closure.bodies) != 2:
            return []
        if any(kind not in (_TRAVEL, _TURN) for kind, _, _ in closure.rows):
            return []
        for axis in closure.frames[0][1].T:
            if not any(self._is_flat(i, axis) for i in closure.bodies):
                continue
            normal, pieces = self._along(axis)
            if pieces[closure.bodies[0]] == pieces[closure.bodies[1]]:
                found = [k for k, row in enumerate(closure.rows) if self._is_implied(closure, row, normal)]
                if found:
                    return found if len(found) < len(closure.rows) else []
        return []

    def _is_implied(self, closure: Closure, row: tuple[RowKind, int, int], normal: np.ndarray) -> bool:
        (origin_a, frame_a), (origin_b, frame_b) = closure.frames
        kind, a, b = row
        if kind == _TRAVEL:
            return _is_along(frame_a[:, a], normal) and abs((origin_b - origin_a) @ normal) <= _IN_LINE * self._size
        e, f = frame_a[:, a], frame_b[:, b]
        return (_is_along(e, normal) and _is_across(f, normal)) or (_is_across(e, normal) and _is_along(f, normal))

    def _is_flat(self, i: int, normal: np.ndarray) -> bool:
        """True if the joint that body i hangs on moves it along the plane only."""
        k = i - self._linkage.first
        joint = self._linkage.joints[k] if k >= 0 else None
        if joint is None or joint.type == "contact" or joint.joint_type.is_threaded or joint.child_side is not None:
            return False
        frame = self._axes[i]
        return all(
            _is_along(frame[:, axis.axis], normal) if axis.kind == ANGLE else _is_across(frame[:, axis.axis], normal)
            for axis in joint.joint_type.axes
        )

    def _along(self, axis: np.ndarray) -> tuple[np.ndarray, list[int]]:
        """A normal, and of each body the first one of its piece: what moves along a plane from it."""
        key = tuple(np.round(axis if axis[np.argmax(np.abs(axis) > 0.5)] > 0.0 else -axis, 9) + 0.0)
        if key not in self._pieces:
            linkage, pieces = self._linkage, list(range(len(self._axes)))
            for i in range(1, linkage.first):
                if linkage.bodies[i - 1].motion != "keyed":
                    pieces[i] = 0
            for k in range(len(linkage.joints)):
                if self._is_flat(linkage.first + k, axis):
                    pieces[linkage.first + k] = pieces[linkage.index[linkage.linkage.inner[k]]]
            self._pieces[key] = axis, pieces
        return self._pieces[key]


def drop_implied_rows(closures: Iterable[Closure], pieces: FlatPieces, is_drawn: Callable[[int], bool]) -> None:
    """Takes the rows that the trees meet out of closures; leaves those that are drawn together, by their numbers."""
    for number, closure in enumerate(closures):
        implied = [] if is_drawn(number) else pieces.implied(closure)
        closure.rows = [row for k, row in enumerate(closure.rows) if k not in implied]
        closure.implied = len(implied)


def _is_along(e: np.ndarray, normal: np.ndarray) -> bool:
    x, y, z = e
    u, v, w = normal
    return abs(y * w - z * v) + abs(z * u - x * w) + abs(x * v - y * u) <= _IN_LINE


def _is_across(e: np.ndarray, normal: np.ndarray) -> bool:
    return abs(e[0] * normal[0] + e[1] * normal[1] + e[2] * normal[2]) <= _IN_LINE
