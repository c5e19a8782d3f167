# SPDX-License-Identifier: GPL-3.0-or-later
"""The touch, or nearest points, of two surfaces at a given pose: their contact coordinates and the gap.

Near a given point, the nearest points of the two are sought by Newton's method: normals opposite, and the way from one
to the other along them. Symbols as in `surface` and `meeting`.
"""

import math
from dataclasses import dataclass

import numpy as np

from .meeting import smallest_curvature, turned_curvature
from .samples import OF_PIECES, in_each_piece, sampled
from .surface import Pieces, SurfaceKind, frame_of, in_first_chart, in_other_chart, is_far, room

_SAMPLES = 24  # along each parameter of a closed surface
_IN_PATCH = 3  # and in each direction of a patch
_STEPS, _MET = 60, 1e-13
_FACING = 1e-9  # how far normals, and the way along them by the narrowest bend, may be off
_SHARPEST = 1e-9  # of where the points are: a bend by which lengths can still be measured
_ROUNDING = 64.0 * np.finfo(float).eps  # of where the points are: a way beside the normal that rounding makes
_TRIED = 6  # points of B where the search begins
_SHORTEST = 1.0 / 64.0
_DIFFERENCE = 1e-7
_NO_FRAME = tuple((math.inf,) * count for count in (3, 9, 3, 3, 2))


@dataclass(frozen=True)
class Touch:
    """A touch of surfaces A and B, seen from A, as `find_touch` finds it."""

    coordinates: tuple[float, float, float, float, float]  # u_A, v_A, u_B, v_B, psi
    charts: tuple[int, int]
    point: np.ndarray  # (3,) m: on A, in A's axes
    normal: np.ndarray  # (3,): of A
    gap: float  # m: along the normal, below zero where they overlap
    curvature: float  # 1/m: the smallest relative one


def _frame_of(surface, pieces: Pieces, chart: int, u: float, v: float) -> tuple:
    """The frame of a surface (`frame_of`); not finite where the surface has no normal."""
    try:
        return frame_of(surface, pieces, chart, u, v)
    except ZeroDivisionError:
        return _NO_FRAME


class _Side:
    """One of the surfaces, in the chart that is best near the point."""

    def __init__(self, surface, pieces: Pieces) -> None:
        self.surface, self.pieces, self.chart = surface, pieces, 0

    def frame(self, u: float, v: float) -> tuple[np.ndarray, np.ndarray]:
        """(p (3,), C (3, 3))."""
        p, C, *_ = _frame_of(self.surface, self.pieces, self.chart, u, v)
        return np.array(p), np.array(C).reshape(3, 3)

    def samples(self, parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(points (n, 3), normals (n, 3)) at parameters (n, 2)."""
        if self.surface.kind in OF_PIECES:
            return sampled(self.surface, self.pieces, parameters)
        frames = [self.frame(*q) for q in parameters]
        return np.array([p for p, _ in frames]), np.array([C[:, 2] for _, C in frames])

    def radius(self, u: float, v: float) -> float:
        """m: that of the narrowest bend there, by which lengths are measured; infinite where it is flat."""
        _, _, _, K, _ = _frame_of(self.surface, self.pieces, self.chart, u, v)
        bend = max(abs(K[0]), abs(K[2]))
        return 1.0 / bend if bend > 0.0 else math.inf

    def own(self, point: np.ndarray) -> np.ndarray:
        """A point of the body in the surface's frame."""
        return np.reshape(self.surface.rotation, (3, 3)).T @ (point - self.surface.origin)

    def parameters(self, near: np.ndarray) -> np.ndarray:
        """(n, 2): where to begin."""
        kind, size, x = self.surface.kind, self.surface.lengths, self.own(near)
        turns = np.linspace(-math.pi, math.pi, _SAMPLES, endpoint=False)
        if kind == SurfaceKind.PLANE:
            return np.array([x[:2]])
        if kind == SurfaceKind.CYLINDER:
            return np.column_stack([turns, np.full(len(turns), x[2])])
        if kind == SurfaceKind.ELLIPSOID:
            own = math.atan2(x[1] / size[1], x[0] / size[0]), math.atan2(x[2] / size[2], np.hypot(*(x / size)[:2]))
            return np.vstack([_grid(turns, np.linspace(-1.5, 1.5, _SAMPLES // 2)), own])
        if kind == SurfaceKind.TORUS:
            return _grid(turns, turns)
        return in_each_piece(self.surface, _IN_PATCH)

    @property
    def farthest(self) -> np.ndarray:
        """(2,): how far the parameters may go in one step; as far as they like where they are straight."""
        kind = self.surface.kind
        return np.where([kind == SurfaceKind.PLANE, kind in (SurfaceKind.PLANE, SurfaceKind.CYLINDER)], np.inf, 0.7)

    def held(self, u: float, v: float) -> tuple[float, float]:
        """The parameters within the surface's edges, but for those of subdivision surfaces."""
        low, high = self.surface.low, self.surface.high
        return float(np.clip(u, low[0], high[0])), float(np.clip(v, low[1], high[1]))

    def go_to_best_chart(self, u: float, v: float) -> tuple[float, float]:
        if is_far(self.surface, self.pieces, self.chart, u, v):
            self.chart, u, v, _ = in_other_chart(self.surface, self.pieces, self.chart, u, v)
        return u, v

    def holds(self, u: float, v: float) -> bool:
        """True if the parameters are within the surface's edges, but for rounding."""
        return room(self.surface, self.pieces, self.chart, u, v) > -_ROUNDING


def _grid(us: np.ndarray, vs: np.ndarray) -> np.ndarray:
    return np.stack(np.meshgrid(us, vs, indexing="ij"), axis=-1).reshape(-1, 2)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # where a surface has no normal
def find_touch(a, b, pieces: Pieces, turn: np.ndarray, travel: np.ndarray, near: np.ndarray) -> Touch | None:
    """The touch of surfaces a and b (records of SURFACE); None if no such place is found.

    turn (3, 3), travel (3,) m: pose of b's axes in a's; near (3,) m: a point close to the place, in a's axes.
    """
    starts = _Side(a, pieces), _Side(b, pieces)
    parameters = starts[0].parameters(near)
    from_a = parameters[np.argmin([np.linalg.norm(point - near) for point in starts[0].samples(parameters)[0]])]
    p, C = starts[0].frame(*from_a)
    choices = starts[1].parameters(turn.T @ (p - travel))
    length = min(starts[0].radius(*from_a), starts[1].radius(*choices[len(choices) // 2]))
    length = max(length, _SHARPEST * (np.linalg.norm(p) + np.linalg.norm(travel))) if math.isfinite(length) else 1.0
    samples = zip(*starts[1].samples(choices), strict=True)
    misfits = [_misfit(*sample, p, C, turn, travel, length) for sample in samples]
    found = []
    for from_b in choices[np.argsort(misfits, kind="stable")[:_TRIED]]:
        sides = _Side(a, pieces), _Side(b, pieces)
        touch = _search(sides, [*from_a, *from_b], turn, travel, length)
        if touch is not None:
            found.append(touch)
    return min(found, key=lambda t: abs(t.gap) + np.linalg.norm(t.point - near), default=None)


def _misfit(other, normal, p, C, turn, travel, length) -> float:
    misfit = np.linalg.norm(travel + turn @ other - p) / length + np.linalg.norm(turn @ normal + C[:, 2])
    return float(misfit) if math.isfinite(misfit) else math.inf


def _residual(sides, q, turn, travel, length) -> np.ndarray:
    """(4,): what the normals and the way between the points have along A's tangents."""
    p, C = sides[0].frame(q[0], q[1])
    other, frame = sides[1].frame(q[2], q[3])
    way, normal = (travel + turn @ other - p) / length, turn @ frame[:, 2]
    residual = C[:, :2].T @ np.column_stack([normal, way])
    if normal @ C[:, 2] > 0.0:  # the same way round: as far off as can be
        residual[:, 0] += np.sign(residual[:, 0] + 1e-300)
    return residual.ravel(order="F")


def _search(sides, q: list, turn: np.ndarray, travel: np.ndarray, length: float) -> Touch | None:
    farthest = np.concatenate([side.farthest for side in sides])
    for _ in range(_STEPS):
        q[0], q[1] = sides[0].go_to_best_chart(q[0], q[1])
        q[2], q[3] = sides[1].go_to_best_chart(q[2], q[3])
        f = _residual(sides, q, turn, travel, length)
        if not np.isfinite(f).all():
            return None
        if np.abs(f).max() < _MET:
            break
        slope = np.zeros((4, 4))
        for k in range(4):
            plus, minus = list(q), list(q)
            plus[k] += _DIFFERENCE
            minus[k] -= _DIFFERENCE
            slope[:, k] = _residual(sides, plus, turn, travel, length) - _residual(sides, minus, turn, travel, length)
        if not np.isfinite(slope).all():
            return None
        step = np.linalg.lstsq(slope / (2.0 * _DIFFERENCE), -f, rcond=1e-12)[0]
        share = min(1.0, 1.0 / max((np.abs(step) / farthest).max(), 1e-300))
        before, size = list(q), np.linalg.norm(f)
        while True:
            moved = [old + share * new for old, new in zip(before, step, strict=True)]
            q[:] = [*sides[0].held(*moved[:2]), *sides[1].held(*moved[2:])]
            if np.linalg.norm(_residual(sides, q, turn, travel, length)) < size or share < _SHORTEST:
                break
            share *= 0.5
        if np.abs(np.subtract(q, before)).max() < 1e-15 * max(1.0, np.abs(q).max()):
            break
    return _touch(sides, q, turn, travel, length)


def _touch(sides, q: list, turn: np.ndarray, travel: np.ndarray, length: float) -> Touch | None:
    f = np.abs(_residual(sides, q, turn, travel, length))
    points = sides[0].frame(q[0], q[1])[0], sides[1].frame(q[2], q[3])[0], travel
    beside = _FACING * length + _ROUNDING * sum(map(np.linalg.norm, points))
    is_there = sides[0].holds(q[0], q[1]) and sides[1].holds(q[2], q[3])
    if not (is_there and f[:2].max() < _FACING and length * f[2:].max() < beside):
        return None
    A = _frame_of(sides[0].surface, sides[0].pieces, sides[0].chart, q[0], q[1])
    B = _frame_of(sides[1].surface, sides[1].pieces, sides[1].chart, q[2], q[3])
    p, C, frame = np.array(A[0]), np.array(A[1]).reshape(3, 3), np.array(B[1]).reshape(3, 3)
    M = C.T @ turn @ frame
    psi = math.atan2(-M[0, 1], M[0, 0])
    gap = float(C[:, 2] @ (travel + turn @ np.array(B[0]) - p))
    curvature = smallest_curvature(A[3], turned_curvature(B[3], psi))
    charts = sides[0].chart, sides[1].chart
    return Touch((*map(float, q), psi), charts, p, C[:, 2], gap, float(curvature))


def in_first_charts(surfaces, pieces: Pieces, charts, coordinates, speeds) -> tuple[np.ndarray, np.ndarray]:
    """(coordinates (5,), speeds (5,)) by the first charts (`in_first_chart`), from those by `charts`."""
    q, u = np.array(coordinates, float), np.array(speeds, float)
    for end, (surface, chart) in enumerate(zip(surfaces, charts, strict=True)):
        if chart == 0:
            continue
        k = 2 * end
        q[k], q[k + 1], angle = in_first_chart(surface, pieces, chart, q[k], q[k + 1])
        q[4] += angle
        if end == 0:
            c, s = math.cos(angle), math.sin(angle)
            u[:4] = c * u[0] + s * u[1], c * u[1] - s * u[0], c * u[2] + s * u[3], c * u[3] - s * u[2]
    return q, u
