# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest point of a bead's curve and the frame there: a cubic spline by chord length, straight beyond its ends.

A cam's profile is such a curve in a plane, with a side that pushes.
"""

import functools

import numpy as np

from ..mechanism import Curve
from ..model.closures import curve_pieces

_SAMPLES = 8  # per piece, among which the search for the nearest point begins
_ITERATIONS = 50
_STEP = 1e-6  # of the curve's length, for differences along it
_KEPT = 64  # curves of profiles
_WATCHED = 512  # points of a profile that are watched, about
_LOOKED_AT, _DEEPER = 1024, 1e-4  # points of a profile at which a roller is tried, and part of its radius that counts
_NO_UP = 1e-9  # part of an up direction across the curve that is none


class BeadCurve:
    """The spline of a curve constraint, its point nearest to a given one, and what keeps to it there."""

    def __init__(self, curve: Curve) -> None:
        self._up = curve.up if curve.align == "up" else None
        starts, powers, self._end = curve_pieces(np.array(curve.points, float), curve.closed, self._up)
        self._starts, self._powers, self._closed = starts, powers[:, :4, :6], curve.closed
        ends = np.append(starts[1:], self._end)
        shares = np.arange(_SAMPLES) / _SAMPLES
        self._samples = np.append((starts[:, None] + (ends - starts)[:, None] * shares).ravel(), self._end)
        self.samples = np.array([self.at(u)[0] for u in self._samples])  # points (S, 3) all along it

    def at(self, u: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(point, first, second derivative), each (3,), at the parameter u (m)."""
        (c0, c1, c2, c3), s, beyond = self._piece(u)
        first = (c1 + s * (2.0 * c2 + s * 3.0 * c3))[:3]
        point = (c0 + s * (c1 + s * (c2 + s * c3)))[:3]
        if beyond != 0.0:
            return point + beyond * first, first, np.zeros(3)
        return point, first, (2.0 * c2 + s * 6.0 * c3)[:3]

    def _piece(self, u: float) -> tuple[np.ndarray, float, float]:
        """(powers (4, 6), parameter since the piece's start, how far beyond the ends of an open curve)"""
        if self._closed:
            u = u % self._end
        held = min(max(u, 0.0), self._end)
        piece = max(int(np.searchsorted(self._starts, held, side="right")) - 1, 0)
        return self._powers[piece], held - self._starts[piece], u - held

    def frame(self, u: float) -> np.ndarray:
        """Axes (3, 3), as columns, of what keeps to the curve there: x along it, z up, or anywhere without an up."""
        (c0, c1, c2, c3), s, _ = self._piece(u)
        x = self.at(u)[1]
        x = x / np.linalg.norm(x)
        z = np.zeros(3) if self._up is None else (c0 + s * (c1 + s * (c2 + s * c3)))[3:]
        z = z - (z @ x) * x
        if np.linalg.norm(z) < _NO_UP:
            z = np.eye(3)[2 if abs(x[2]) < 0.9 else 0]
            z = z - (z @ x) * x
        z /= np.linalg.norm(z)
        return np.stack([x, np.cross(z, x), z], axis=1)

    def evenly(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Points (count, 3), evenly by the parameter, and first derivatives there."""
        found = [self.at(u) for u in np.linspace(0.0, self._end, count, endpoint=not self._closed)]
        return np.array([each[0] for each in found]), np.array([each[1] for each in found])

    def bend(self, u: float) -> np.ndarray:
        """(3,) rad/m: how that frame turns along the curve, by differences."""
        step = _STEP * self._end
        turned = self.frame(u + step) @ self.frame(u - step).T
        axial = turned[2, 1] - turned[1, 2], turned[0, 2] - turned[2, 0], turned[1, 0] - turned[0, 1]
        return np.array(axial) / (4.0 * step)

    def nearest(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`at` the curve's point nearest to `place` (3,)."""
        return self.at(self.parameter_near(place))

    def parameter_near(self, place: np.ndarray) -> float:
        """The parameter (m) of the curve's point nearest to `place` (3,)."""
        k = int(np.argmin(np.sum((self.samples - place) ** 2, axis=1)))
        low, high = self._around(k, place)
        u = self._samples[k]
        for _ in range(_ITERATIONS):
            point, first, second = self.at(u)
            slope = first @ (point - place)  # half the derivative of the square of the distance
            bend = first @ first + second @ (point - place)
            low, high = (low, u) if slope > 0.0 else (u, high)
            new = u - slope / bend if bend > 0.0 else np.inf
            if not low <= new <= high:
                new = 0.5 * (low + high)
            if abs(new - u) <= 1e-15 * self._end:
                break
            u = new
        return u

    def _around(self, k: int, place: np.ndarray) -> tuple[float, float]:
        """Parameters between which the nearest point lies, around the nearest sample."""
        last = len(self._samples) - 1
        if self._closed:
            low = self._samples[k - 1] if k > 0 else self._samples[-2] - self._end
            return low, self._samples[k + 1] if k < last else self._end + self._samples[1]
        far = float(np.linalg.norm(self.samples[k] - place)) * 2.0 + self._end
        return (self._samples[k - 1] if k > 0 else -far), (self._samples[k + 1] if k < last else self._end + far)


class CamProfile:
    """A cam's profile in the axes of `Curve.profile`, z across its plane: the gap between it and a roller.

    c is the profile's point next to the roller's centre p, n the normal there on the side that pushes;
    gap = n . (p - c) - radius.
    """

    def __init__(self, cam: Curve) -> None:
        self.origin, self.axes, points = cam.profile
        self.radius, self._curve = cam.radius, _flat(tuple(map(tuple, points)), cam.closed)
        self.points = self._curve.samples[:: 1 + len(self._curve.samples) // _WATCHED]
        self.size = float(np.ptp(points, axis=0).max()) + cam.radius

    def gap(self, p: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """(gap in m, c (3,), n (3,)) at a place (3,); c is as far along the axis as that."""
        flat = np.array((p[0], p[1], 0.0))
        c, tangent, _ = self._curve.at(self._curve.parameter_near(flat))
        n = _normals(tangent)
        return float(n @ (flat - c)) - self.radius, np.array((c[0], c[1], p[2])), n

    def undercut(self) -> np.ndarray | None:
        """A point (3,) of the profile, as drawn, in a hollow that is too narrow for the roller; None if there is none.

        There the roller, touching, would reach beyond the profile somewhere else.
        """
        c, tangents = self._curve.evenly(_LOOKED_AT)
        centres = c + self.radius * _normals(tangents)
        depth = self.radius - np.sqrt(((centres[:, None, :2] - c[None, :, :2]) ** 2).sum(axis=2).min(axis=1))
        deepest = int(np.argmax(depth))
        return self.origin + self.axes @ c[deepest] if depth[deepest] > _DEEPER * self.radius else None


def _normals(tangents: np.ndarray) -> np.ndarray:
    """(..., 3): tangent x z, of length one."""
    n = np.stack([tangents[..., 1], -tangents[..., 0], np.zeros(tangents.shape[:-1])], axis=-1)
    return n / np.linalg.norm(n, axis=-1, keepdims=True)


@functools.lru_cache(maxsize=_KEPT)
def _flat(points: tuple, closed: bool) -> BeadCurve:
    return BeadCurve(Curve("profile", body="", point=(0.0, 0.0, 0.0), points=points, closed=closed))
