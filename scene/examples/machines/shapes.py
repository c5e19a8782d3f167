# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes that machines are made of: bars, rings, wheels and plates in a plane, and rods and balls in space.

All are closed, so that they have a mass: (points (n, 3) in the world, faces).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from ...links.bars import rounded_outline
from ..linkages import ball, together

Shape = tuple[np.ndarray, list[tuple[int, ...]]]
Flat = Sequence[float]

PALETTE = {
    "steel": ((0.42, 0.43, 0.45), 0.28, 0.9),
    "iron": ((0.03, 0.03, 0.035), 0.45, 0.3),
    "brass": ((0.68, 0.42, 0.10), 0.25, 0.9),
    "red": ((0.52, 0.02, 0.015), 0.35, 0.0),
    "green": ((0.02, 0.14, 0.06), 0.35, 0.0),
    "blue": ((0.02, 0.10, 0.36), 0.3, 0.0),
    "orange": ((0.80, 0.21, 0.05), 0.4, 0.0),
    "yellow": ((0.75, 0.50, 0.04), 0.4, 0.0),
    "rubber": ((0.012, 0.012, 0.014), 0.8, 0.0),
    "white": ((0.72, 0.72, 0.70), 0.4, 0.0),
    "wood": ((0.30, 0.13, 0.045), 0.5, 0.0),
}
"""Linear red, green and blue, roughness and metallic of each paint."""


class Plane:
    """A drawing plane: places in it are (u, v), and heights above it are along its normal u x v."""

    def __init__(self, origin: Flat = (0, 0, 0), u: Flat = (1, 0, 0), v: Flat = (0, 0, 1)) -> None:
        self.origin, self.u, self.v = (np.array(each, float) for each in (origin, u, v))
        self.normal = np.cross(self.u, self.v)

    def at(self, place: Flat, height: float = 0.0) -> np.ndarray:
        """(3,): in the world."""
        return self.origin + place[0] * self.u + place[1] * self.v + height * self.normal

    def along(self, direction: Flat) -> np.ndarray:
        """(3,): a direction in the world."""
        return direction[0] * self.u + direction[1] * self.v

    def prism(self, outline: Sequence[Flat], low: float, high: float) -> Shape:
        """A plate of an outline, counterclockwise, from one height to another."""
        count = len(outline)
        points = np.array([self.at(place, height) for height in (low, high) for place in outline])
        sides = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
        return points, [*sides, tuple(range(count))[::-1], tuple(range(count, 2 * count))]

    def bar(self, places: Sequence[Flat], radius: float, low: float, high: float) -> Shape:
        """A plate with round corners about places."""
        return self.prism(rounded_outline(np.array(places, float), radius), low, high)

    def disc(self, middle: Flat, radius: float, low: float, high: float, segments: int = 40) -> Shape:
        """A cylinder."""
        return self.prism(_circle(middle, radius, segments), low, high)

    def ring(self, middle: Flat, outer: float, inner: float, low: float, high: float, segments: int = 64) -> Shape:
        """A flat ring."""
        return self.band(_circle(middle, outer, segments), _circle(middle, inner, segments), low, high, True)

    def arc(self, middle: Flat, outer: float, inner: float, ends: Flat, low: float, high: float) -> Shape:
        """A part of a ring between two angles."""
        angles = np.linspace(*ends, 40)
        round_ = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        return self.band(np.array(middle) + outer * round_, np.array(middle) + inner * round_, low, high, False)

    def band(self, outer: Sequence[Flat], inner: Sequence[Flat], low: float, high: float, comes_round: bool) -> Shape:
        """A plate between two lines of as many places, counterclockwise."""
        count = len(outer)
        points = np.array([self.at(place, h) for h in (low, high) for line in (outer, inner) for place in line])
        faces = []
        for i in range(count if comes_round else count - 1):
            j = (i + 1) % count
            a, b, c, d = (k * count for k in range(4))  # outer and inner below, outer and inner above
            faces += [(a + i, a + j, c + j, c + i), (b + j, b + i, d + i, d + j)]
            faces += [(b + i, b + j, a + j, a + i), (c + i, c + j, d + j, d + i)]
        if not comes_round:
            for i, turn in ((0, 1), (count - 1, -1)):
                faces.append((i, 2 * count + i, 3 * count + i, count + i)[::turn])
        return points, faces

    def wheel(self, middle: Flat, radius: float, width: float, spokes: int, tread: float = 0.12) -> Shape:
        """A spoked wheel whose middle plane is this one: a rim, a hub and spokes."""
        half, rim = 0.5 * width, (1.0 - tread) * radius
        parts = [self.ring(middle, radius, rim, -half, half), self.disc(middle, 0.22 * radius, -1.1 * half, 1.1 * half)]
        for k in range(spokes):
            way = np.array([math.cos(2.0 * math.pi * k / spokes), math.sin(2.0 * math.pi * k / spokes)])
            ends = [np.array(middle) + share * radius * way for share in (0.15, 0.99 - tread)]
            parts.append(self.bar(ends, 0.035 * radius, -0.35 * half, 0.35 * half))
        return together(*parts)

    def gear(self, middle: Flat, radius: float, teeth: int, turned: float, low: float, high: float) -> Shape:
        """A toothed disc of that pitch radius; one of its teeth is at the angle `turned` (rad)."""
        depth, outline = 2.0 * radius / teeth, []
        for k in range(teeth):
            for share, out in ((-0.32, -1.0), (-0.14, 0.85), (0.14, 0.85), (0.32, -1.0)):
                angle, reach = turned + 2.0 * math.pi * (k + share) / teeth, radius + out * depth
                outline.append((middle[0] + reach * math.cos(angle), middle[1] + reach * math.sin(angle)))
        return self.prism(outline, low, high)


def rod(start: Flat, end: Flat, radius: float, other: float | None = None, segments: int = 20) -> Shape:
    """A cylinder from place to place, or a cone with another radius at its end."""
    start, end = np.array(start, float), np.array(end, float)
    z = (end - start) / np.linalg.norm(end - start)
    x = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    circle = _circle((0.0, 0.0), 1.0, segments) @ np.stack([x, np.cross(z, x)])
    points = np.concatenate([start + radius * circle, end + (radius if other is None else other) * circle])
    sides = [(j, (j + 1) % segments, segments + (j + 1) % segments, segments + j) for j in range(segments)]
    return points, [*sides, tuple(range(segments))[::-1], tuple(range(segments, 2 * segments))]


def pipe(places: Sequence[Flat], radius: float, segments: int = 14) -> Shape:
    """Rods from place to place, with balls where they meet."""
    places = [np.array(place, float) for place in places]
    rods = [rod(a, b, radius, segments=segments) for a, b in itertools.pairwise(places)]
    return together(*rods, *(knob(place, radius, segments=segments) for place in places[1:-1]))


def knob(middle: Flat, radius: float | Flat, segments: int = 20) -> Shape:
    """A ball, or an ellipsoid with three radii."""
    radii = (radius,) * 3 if isinstance(radius, (int, float)) else tuple(radius)
    points, faces = ball(radii, segments=segments)
    return points + np.array(middle, float), faces


def box(low: Flat, high: Flat) -> Shape:
    """A block between two corners."""
    low, high = np.array(low, float), np.array(high, float)
    plane = Plane((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    outline = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
    return plane.prism(outline, low[2], high[2])


def _circle(middle: Flat, radius: float, segments: int) -> np.ndarray:
    angle = np.arange(segments) * 2.0 * math.pi / segments
    return np.array(middle) + radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


__all__ = ["PALETTE", "Plane", "Shape", "box", "knob", "pipe", "rod", "together"]
