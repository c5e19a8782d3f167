# SPDX-License-Identifier: GPL-3.0-or-later
"""Terrain: uneven ground for supports and tyres, as heights on a regular grid."""

# ruff: noqa: RUF009 (`key` only makes a field)

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .bodies import ZERO, Vector
from .record import Record, key, law
from .value_rules import Place, list_of, number, text, vector

_heights = list_of(list_of(number(), at_least=2), at_least=2)
_spacing = list_of(number(above=0), count=2, what="a list of 2 numbers")


@dataclass(kw_only=True)
class Terrain(Record):
    """Heights (m) over `origin`: rows along X, one after the other along Y, `spacing` (m) apart along X and Y.

    They are the control points of a uniform bicubic B-spline, whose second derivatives are continuous. It stays between
    the heights around it, so that a kerb does not ring, and through a curved row of them it runs inside, by a sixth of
    their second difference. Beyond the edge the ground goes on level across it.
    """

    kind: ClassVar[str] = "terrain"
    name: str = key(text)
    heights: tuple[tuple[float, ...], ...] = key(_heights)
    origin: Vector = key(vector, ZERO)
    spacing: tuple[float, float] = key(_spacing)

    @law("heights")
    def check_grid(self, place: Place) -> None:
        lengths = {len(row) for row in self.heights}
        if len(lengths) > 1:
            (place / "heights").say(f"must have rows of one length, has rows of {min(lengths)} and of {max(lengths)}")
