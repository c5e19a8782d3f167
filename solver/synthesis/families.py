# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of linkages that can draw a curve: numbers for least squares, random ones for a table, and which bars they are.

Points of a linkage are its pivots and pins, then the one that draws; `links` names those of each bar.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .crank_rocker import CrankRocker
from .stephenson import Stephenson

Linkage = CrankRocker | Stephenson


class Family(NamedTuple):
    """One kind. The first three numbers of a linkage are logarithms of lengths, so that none becomes negative."""

    name: str
    of_numbers: Callable[[np.ndarray], Linkage]  # (..., N)
    numbers: Callable[[Linkage], np.ndarray]  # (..., N)
    random: Callable[[np.random.Generator, int], Linkage]
    points: Callable[[Linkage, Sequence], list]  # what is fixed, and what `pins` gives, in the order that links name
    links: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...]
    ground: frozenset[int]


def _random_four_bars(rng: np.random.Generator, count: int) -> CrankRocker:
    a, b, c = np.exp(rng.uniform(np.log([0.08, 0.25, 0.25]), np.log([0.95, 3.5, 3.5]), (count, 3))).T
    reach = np.maximum(b, 0.5) * rng.uniform(0.0, 2.5, len(b))
    return CrankRocker(a, b, c, 0.5 * b + reach * np.exp(1j * rng.uniform(0.0, 2.0 * np.pi, len(b))))


def _random_six_bars(rng: np.random.Generator, count: int) -> Stephenson:
    inner = _random_four_bars(rng, count)
    e, f = np.exp(rng.uniform(np.log(0.4), np.log(4.0), (2, count)))
    turns = np.exp(1j * rng.uniform(0.0, 2.0 * np.pi, (2, count)))
    pivot = 0.5 + 3.5 * np.sqrt(rng.uniform(0.0, 1.0, count)) * turns[0]
    return Stephenson(*inner, e, f, pivot, 0.5 * e + np.maximum(e, 0.5) * rng.uniform(0.0, 2.0, count) * turns[1])


def _of_four(x: np.ndarray) -> CrankRocker:
    return CrankRocker(*np.exp(np.moveaxis(x[..., :3], -1, 0)), x[..., 3] + 1j * x[..., 4])


def _four(linkage: Linkage) -> np.ndarray:
    a, b, c, point = linkage[:4]
    return np.stack([np.log(a), np.log(b), np.log(c), np.real(point), np.imag(point)], axis=-1)


def _of_six(x: np.ndarray) -> Stephenson:
    e, f = np.exp(x[..., 5]), np.exp(x[..., 6])
    return Stephenson(*_of_four(x), e, f, x[..., 7] + 1j * x[..., 8], x[..., 9] + 1j * x[..., 10])


def _six(linkage: Stephenson) -> np.ndarray:
    e, f, pivot, tip = linkage[4:]
    more = [np.log(e), np.log(f), np.real(pivot), np.imag(pivot), np.real(tip), np.imag(tip)]
    return np.concatenate([_four(linkage), np.stack(more, axis=-1)], axis=-1)


def _points_of_four(_linkage: Linkage, pins: Sequence) -> list:
    crank, rocker, point = pins
    return [0.0, crank, rocker, 1.0, point]


def _points_of_six(linkage: Stephenson, pins: Sequence) -> list:
    crank, rocker, point, pin, tip = pins
    return [0.0, crank, rocker, 1.0, point, pin, linkage.pivot, tip]


FOUR_BAR = Family(
    "four-bar", _of_four, _four, _random_four_bars, _points_of_four,
    ((0, 1), (1, 2, 4), (3, 2)), ("Crank", "Coupler", "Rocker"), frozenset({0, 3}),
)  # fmt: skip
SIX_BAR = Family(
    "six-bar", _of_six, _six, _random_six_bars, _points_of_six,
    ((0, 1), (1, 2, 4), (3, 2), (4, 5, 7), (6, 5)), ("Crank", "Coupler", "Rocker", "Drawing Link", "Second Rocker"),
    frozenset({0, 3, 6}),
)  # fmt: skip
FAMILIES = (FOUR_BAR, SIX_BAR)
