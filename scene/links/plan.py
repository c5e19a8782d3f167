# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan of a linkage of bars: points, the links that go through them, and what holds these, as plain numbers.

Links that share a point are hinged there about one direction for all of them, the normal.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

WORLD = -1


class Slide(NamedTuple):
    """A slider at a point: link b moves along a direction (3,) on link a, or on the WORLD."""

    a: int
    b: int
    point: int
    direction: tuple[float, float, float]
    drives: bool = False  # it leads


@dataclass
class Plan:
    """A linkage as points and the links through them; not to be changed once it is made.

    points (P, 3) m; links: numbers of the points of each, the first two give its axis X; normal (3,) of all hinges.

    ground: points that the world holds; free: where nothing is hinged; drives: (point, link) of hinges that lead.
    """

    points: np.ndarray
    links: list[tuple[int, ...]]
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    ground: Collection[int] = ()
    free: Collection[int] = ()
    drives: Collection[tuple[int, int]] = ()
    slides: Sequence[Slide] = ()
    names: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.points = np.asarray(self.points, float).reshape(-1, 3)
        self.normal = np.asarray(self.normal, float) / np.linalg.norm(self.normal)
        self.names = list(self.names) or [f"Link {i + 1}" for i in range(len(self.links))]

    def hinges(self) -> list[tuple[int, int, int]]:
        """(point, parent, child): links through a point hang on the world, if it is ground, or on the first of them."""
        found = []
        for point in range(len(self.points)):
            meeting = [i for i, of in enumerate(self.links) if point in of]
            if point in self.free or not meeting:
                continue
            parent = WORLD if point in self.ground else meeting.pop(0)
            found += [(point, parent, child) for child in meeting]
        return found

    def frame(self, link: int) -> np.ndarray:
        """(4, 4): a link's own axes, the origin at its first point, X towards the second, Z the normal."""
        start, end = self.points[list(self.links[link][:2])]
        return frame_along(start, end - start, self.normal)

    @functools.cached_property
    def layers(self) -> list[int]:
        """A layer for each link, so that no two in the same one share a point: they would lie in each other."""
        found: list[int] = []
        for of in self.links:
            taken = {found[i] for i, other in enumerate(self.links[: len(found)]) if set(other) & set(of)}
            found.append(next(layer for layer in range(len(taken) + 1) if layer not in taken))
        return found

    @functools.cached_property
    def size(self) -> float:
        """m: mean length of the links."""
        spans = [np.linalg.norm(np.ptp(self.points[list(of)], axis=0)) for of in self.links]
        return float(np.mean(spans)) if spans else 1.0


def frame_along(start: np.ndarray, along: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """(4, 4): origin at `start`, Z the normal, X along as far as that is across it."""
    x = along - (along @ normal) * normal
    if np.linalg.norm(x) < 1e-9 * max(np.linalg.norm(along), 1e-30):
        x = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    x = x / np.linalg.norm(x)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([x, np.cross(normal, x), normal], axis=1)
    matrix[:3, 3] = start
    return matrix


def best_normal(points: np.ndarray) -> np.ndarray:
    """(3,): normal of the plane that fits points (n, 3) best, upward; where they are in line, across them and level."""
    away = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(away, full_matrices=True)
    if len(sizes) < 2 or sizes[1] < 1e-6 * max(sizes[0], 1e-30):
        normal = np.cross(axes[0], (0.0, 0.0, 1.0))
        normal = normal if np.linalg.norm(normal) > 0.1 else np.array([0.0, -1.0, 0.0])
        return normal / np.linalg.norm(normal)
    normal = axes[2]
    leading = normal[int(np.argmax(np.abs(normal)))]
    return normal if leading > 0.0 else -normal
