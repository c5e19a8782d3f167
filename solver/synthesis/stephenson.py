# SPDX-License-Identifier: GPL-3.0-or-later
"""Six-bars of Stephenson's third kind, many at once: a crank-rocker whose coupler point leads two more bars.

As in `crank_rocker`, of which the first four bars are one. Its coupler point P carries a bar (e), which is hinged to
another one (f) on a third pivot, and the point that draws is `tip` from P, along e. Where f reaches e in all positions
of the crank with something to spare, the linkage never leaves its branch either.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .crank_rocker import CrankRocker, angle_from_line

LEAST = 0.15  # rad of transmission: nearer to a dead centre the point races, and what is real would jam
_ANGLES = np.arange(96) * (2.0 * np.pi / 96)


class Stephenson(NamedTuple):
    """Lengths and points (...); the ground of the crank-rocker has length 1."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    point: np.ndarray  # complex: P
    e: np.ndarray
    f: np.ndarray
    pivot: np.ndarray  # complex: that of f
    tip: np.ndarray  # complex

    @property
    def inner(self) -> CrankRocker:
        """The first four bars."""
        return CrankRocker(*self[:4])

    @property
    def slack(self) -> np.ndarray:
        """(...): by how much the crank is short enough, the two bars more than reach, and all are off a dead centre."""
        near, far = self._reach()
        more = np.minimum(self.e + self.f - far, near - np.abs(self.e - self.f))
        return np.minimum.reduce([self.inner.slack, more, self.transmission() - LEAST])

    def pins(self, angles: np.ndarray) -> tuple[np.ndarray, ...]:
        """(..., T) complex: pins of crank and rocker, P, the pin between e and f, and the point that draws."""
        crank, rocker, place = self.inner.pins(angles)
        e, f, pivot, tip = (np.asarray(each)[..., None] for each in self[4:])
        across = pivot - place
        apart = np.maximum(np.abs(across), 1e-12)
        cosine = (e * e + apart * apart - f * f) / (2.0 * e * apart)
        along = across / apart * np.exp(1j * np.arccos(np.clip(cosine, -1.0, 1.0)))
        return crank, rocker, place, place + e * along, place + tip * along

    def transmission(self) -> np.ndarray:
        """(...) rad: the smallest angle between coupler and rocker, or the two other bars; 90 degrees is best."""
        more = [angle_from_line(self.e, self.f, apart) for apart in self._reach()]
        return np.minimum(self.inner.transmission(), np.minimum(*more))

    def _reach(self) -> tuple[np.ndarray, np.ndarray]:
        """(...): the least and the largest distance between P and the third pivot."""
        apart = np.abs(self.inner.pins(_ANGLES)[2] - np.asarray(self.pivot)[..., None])
        return apart.min(axis=-1), apart.max(axis=-1)
