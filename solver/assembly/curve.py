# SPDX-License-Identifier: GPL-3.0-or-later
"""The nearest point of a bead's curve: a cubic spline by chord length that goes on straight beyond open ends."""

import numpy as np

from ..mechanism import Curve
from ..model.closures import curve_pieces

_SAMPLES = 8  # per piece, among which the search for the nearest point begins
_ITERATIONS = 50


class BeadCurve:
    """The spline of a curve constraint, and its point nearest to a given one."""

    def __init__(self, curve: Curve) -> None:
        starts, powers, self._end = curve_pieces(np.array(curve.points, float), curve.closed)
        self._starts, self._powers, self._closed = starts, powers[:, :4, :3], curve.closed
        ends = np.append(starts[1:], self._end)
        shares = np.arange(_SAMPLES) / _SAMPLES
        self._samples = np.append((starts[:, None] + (ends - starts)[:, None] * shares).ravel(), self._end)
        self._points = np.array([self.at(u)[0] for u in self._samples])

    def at(self, u: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(point, first, second derivative), each (3,), at the parameter u (m)."""
        if self._closed:
            u = u % self._end
        held = min(max(u, 0.0), self._end)
        piece = max(int(np.searchsorted(self._starts, held, side="right")) - 1, 0)
        c0, c1, c2, c3 = self._powers[piece]
        s = held - self._starts[piece]
        first = c1 + s * (2.0 * c2 + s * 3.0 * c3)
        point = c0 + s * (c1 + s * (c2 + s * c3))
        if held != u:
            return point + (u - held) * first, first, np.zeros(3)
        return point, first, 2.0 * c2 + s * 6.0 * c3

    def nearest(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """`at` the curve's point nearest to `place` (3,)."""
        k = int(np.argmin(np.sum((self._points - place) ** 2, axis=1)))
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
        return self.at(u)

    def _around(self, k: int, place: np.ndarray) -> tuple[float, float]:
        """Parameters between which the nearest point lies, around the nearest sample."""
        last = len(self._samples) - 1
        if self._closed:
            low = self._samples[k - 1] if k > 0 else self._samples[-2] - self._end
            return low, self._samples[k + 1] if k < last else self._end + self._samples[1]
        far = float(np.linalg.norm(self._points[k] - place)) * 2.0 + self._end
        return (self._samples[k - 1] if k > 0 else -far), (self._samples[k + 1] if k < last else self._end + far)
