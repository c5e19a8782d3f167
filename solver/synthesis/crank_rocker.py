# SPDX-License-Identifier: GPL-3.0-or-later
"""Coupler curves of crank-rockers, many at once: plane vectors are complex numbers, arrays have a row for each linkage.

The ground goes from 0 to 1, the crank (a) from 0, the coupler (b) from its pin, the rocker (c) from 1. The coupler
point is `point` from the crank's pin, along the coupler. The crank is the shortest bar and can go round (Grashof 1883):
then the curve is one circuit, the linkage never leaves its branch, and it comes to all points in order in one turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

MARGIN = 0.02  # of the ground's length: how far the lengths keep from Grashof's limit, where a branch could change


class CrankRocker(NamedTuple):
    """Lengths and coupler points (...); the ground's length is 1."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    point: np.ndarray  # complex

    @property
    def slack(self) -> np.ndarray:
        """(...): by how much the crank is short enough to go round; negative where it is not."""
        others = np.stack(np.broadcast_arrays(self.b, self.c, np.ones_like(self.b)))
        longest, total = others.max(axis=0), others.sum(axis=0)
        return np.minimum(total - 2.0 * longest - self.a, others.min(axis=0) - self.a)

    def pins(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(..., T) complex: the crank's pin, the rocker's pin and the coupler point at angles (T,) rad of the crank.

        Where the bars do not reach each other they are taken to be in line.
        """
        a, b, c, point = (np.asarray(each)[..., None] for each in self)
        crank = a * np.exp(1j * angles)
        across = 1.0 - crank
        apart = np.abs(across)
        cosine = (b * b + apart * apart - c * c) / (2.0 * b * np.maximum(apart, 1e-12))
        along = across / np.maximum(apart, 1e-12) * np.exp(1j * np.arccos(np.clip(cosine, -1.0, 1.0)))
        return crank, crank + b * along, crank + point * along

    def transmission(self) -> np.ndarray:
        """(...) rad: the smallest angle between coupler and rocker, or between their lines; 90 degrees is best."""
        a, b, c, _ = self
        return np.minimum(*(angle_from_line(b, c, apart) for apart in (np.abs(1.0 - a), 1.0 + a)))


def angle_from_line(first: np.ndarray, second: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """(...) rad: between two bars whose far ends are so far apart, or between their lines."""
    cosine = (first * first + second * second - apart * apart) / (2.0 * first * second)
    angle = np.arccos(np.clip(cosine, -1.0, 1.0))
    return np.minimum(angle, np.pi - angle)


def closed_curve(points: np.ndarray, count: int) -> np.ndarray:
    """(count,) complex: points of a closed curve, given as (n,) complex, at equal lengths along it."""
    around = np.append(points, points[:1])
    length = np.append(0.0, np.cumsum(np.abs(np.diff(around))))
    wanted = np.arange(count) * (length[-1] / count)
    return np.interp(wanted, length, around.real) + 1j * np.interp(wanted, length, around.imag)
