# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages of subdivision surfaces for tests: closed, open, with creases that go through, end and meet."""

from __future__ import annotations

import numpy as np

from solver.mechanism import SmoothSubdivision

CUBE = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def cube(uneven: float = 0.0, **how) -> SmoothSubdivision:
    """Two metres wide: valences 3, after a refinement."""
    points = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    points += uneven * np.random.default_rng(4).normal(size=points.shape)
    return SmoothSubdivision(points=points.tolist(), faces=CUBE, **how)


def net(count: int = 4, uneven: float = 0.1, size: float = 2.0, bend: float = 0.0, **how) -> SmoothSubdivision:
    """A square in X and Y of count x count faces, whose points are off its height at random, or hollow by `bend`."""
    steps, rng = size * np.linspace(-0.5, 0.5, count + 1), np.random.default_rng(4)
    points = [(x, y, bend * (x * x + y * y) + uneven * rng.normal()) for x in steps for y in steps]
    row = count + 1
    faces = [
        (row * i + j, row * (i + 1) + j, row * (i + 1) + j + 1, row * i + j + 1)
        for i in range(count)
        for j in range(count)
    ]
    return SmoothSubdivision(points=points, faces=faces, **how)


def star(valence: int = 5, uneven: float = 0.1, bend: float = 0.0, **how) -> SmoothSubdivision:
    """Three rings of four-cornered faces around a point of some valence, about two metres wide."""
    rng, points, numbers = np.random.default_rng(4), [], {}

    def number(k: int, i: int, j: int) -> int:
        """The point i steps along spoke k and j along the next one."""
        place = (0, 0, 0) if i == j == 0 else ((k + 1) % valence, j, 0) if i == 0 else (k, i, j)
        if place not in numbers:
            k, i, j = place
            a, b = (2.0 * np.pi * turn / valence for turn in (k, k + 1))
            x, y = 0.35 * (i * np.array([np.cos(a), np.sin(a)]) + j * np.array([np.cos(b), np.sin(b)]))
            numbers[place] = len(points)
            points.append((x, y, bend * (x * x + y * y) + uneven * rng.normal()))
        return numbers[place]

    faces = [
        tuple(number(k, i + a, j + b) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)))
        for k in range(valence)
        for i in range(3)
        for j in range(3)
    ]
    return SmoothSubdivision(points=points, faces=faces, **how)
