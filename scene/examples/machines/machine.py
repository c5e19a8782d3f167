# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine as plain numbers: parts, and the joints between them, drawn in one pose. Lengths are in metres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..linkages import Solid
from .shapes import PALETTE, Shape

WORLD = -1
Vector = Sequence[float]


class Part(NamedTuple):
    """A body: its meshes and its origin (3,) in the world; its axes are those of the world."""

    name: str
    solids: list[Solid]
    origin: np.ndarray
    motion: str


class Tie(NamedTuple):
    """A joint of a type of Blender's settings at a place (3,), about or along an axis (3,), of part b on part a.

    limits: lowest and highest angle (rad) or travel (m) from where it is drawn.
    """

    kind: str
    a: int
    b: int
    place: np.ndarray
    axis: np.ndarray
    drives: bool = False
    limits: tuple[float | None, float | None] | None = None


@dataclass
class Machine:
    """Parts, ties, and gears (number of a tie, of another, turns of that per turn of the first)."""

    parts: list[Part] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    gears: list[tuple[int, int, float]] = field(default_factory=list)

    def part(self, name: str, origin: Vector, *shapes: tuple[str, Shape], motion: str = "DYNAMIC") -> int:
        """Add a body of shapes, each with the name of its paint; returns its number."""
        solids = [Solid(paint, *shape, *PALETTE[paint]) for paint, shape in shapes]
        self.parts.append(Part(name, solids, np.array(origin, float), motion))
        return len(self.parts) - 1

    def hinge(self, a: int, b: int, place: Vector, axis: Vector, **settings: object) -> int:
        """Add a hinge of part b on part a (or WORLD); returns its number."""
        return self._tie("REVOLUTE", a, b, place, axis, **settings)

    def slide(self, a: int, b: int, place: Vector, axis: Vector, **settings: object) -> int:
        """Add a slider."""
        return self._tie("PRISMATIC", a, b, place, axis, **settings)

    def ball(self, a: int, b: int, place: Vector) -> int:
        """Add a ball joint."""
        return self._tie("SPHERICAL", a, b, place, (0.0, 0.0, 1.0))

    def universal(self, a: int, b: int, place: Vector, along: Vector) -> int:
        """Add a joint that bends both ways across a direction, and does not twist about it."""
        return self._tie("UNIVERSAL", a, b, place, along)

    def _tie(self, kind: str, a: int, b: int, place: Vector, axis: Vector, **settings: object) -> int:
        axis = np.array(axis, float)
        self.ties.append(Tie(kind, a, b, np.array(place, float), axis / np.linalg.norm(axis), **settings))
        return len(self.ties) - 1

    def name_of(self, tie: int) -> str:
        """Words for a joint: what it is, and between whom."""
        label = {"REVOLUTE": "Hinge", "PRISMATIC": "Slider", "SPHERICAL": "Ball", "UNIVERSAL": "Universal"}
        each = self.ties[tie]
        pair = " ".join(self.parts[i].name for i in (each.a, each.b) if i != WORLD)
        return f"{label[each.kind]} {pair}"
