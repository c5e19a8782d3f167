# SPDX-License-Identifier: GPL-3.0-or-later
"""Two streets that cross in a small town: asphalt, kerbs, zebra crossings, houses, trees. Only to be looked at."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from mathutils import Matrix

from .course import lay_out
from .landscape import add_sky, add_sun, disc, far_away, tree
from .shapes import Shape, joined, make_object, moved, slab

HALF_WIDTH = 4.0
REACH = 75.0  # from the middle of the crossing to the ends of the streets
PAVEMENT, KERB = 2.6, 0.12
WALLS = ("cream", "brick", "stone", "plaster", "pale blue")


def make_crossing(middle: tuple[float, float], seed: int = 3) -> None:
    """A street along X and one along Y through the middle; it is their surface that is z = 0."""
    place = (*middle, 0.0)
    course = lay_out(0.1, ())
    random = np.random.default_rng(seed)
    parts = {
        "Streets": _streets(),
        "Pavements": _on_corners(_pavement()),
        "Houses": _houses(random),
        "Trees": _trees(random),
        "Grass": disc(course, 160.0, "grass"),
        "Far Away": far_away(course, random),
    }
    for name, shape in parts.items():
        make_object(name, moved(shape, place), smooth=name in {"Trees", "Far Away"})
    add_sun(110.0)
    add_sky()


def _streets() -> Shape:
    """Asphalt and what is painted on it: dashes in the middle, a stop line and a zebra crossing on each side."""
    w = HALF_WIDTH
    ground = [_patch(-REACH, -w, REACH, w, "tarmac", 0.0)]
    ground += [_patch(-w, sign * w, w, sign * REACH, "tarmac", 0.0) for sign in (-1.0, 1.0)]
    arm = [_patch(start, -0.07, start + 1.8, 0.07, "line") for start in np.arange(w + 7.0, REACH, 4.5)]
    arm += [_patch(w + 1.0, y, w + 4.0, y + 0.5, "line") for y in np.arange(0.25 - w, w - 0.3, 1.0)]
    arm.append(_patch(w + 5.0, 0.1, w + 5.4, w - 0.2, "line"))
    painted = joined(*arm)
    return joined(*ground, *(moved(painted, Matrix.Rotation(0.5 * math.pi * i, 4, "Z")) for i in range(4)))


def _patch(x: float, y: float, to_x: float, to_y: float, paint: str, height: float = 0.006) -> Shape:
    (x, to_x), (y, to_y) = sorted((x, to_x)), sorted((y, to_y))
    corners = np.array([(x, y, height), (to_x, y, height), (to_x, to_y, height), (x, to_y, height)])
    return Shape(corners, [(0, 1, 2, 3)], [paint])


def _on_corners(shape: Shape) -> Shape:
    return joined(*(moved(shape, Matrix.Rotation(0.5 * math.pi * i, 4, "Z")) for i in range(4)))


def _pavement() -> Shape:
    """Along both streets at one of the four corners."""
    w, end = HALF_WIDTH, HALF_WIDTH + PAVEMENT
    along = slab((w, w, -0.1), (REACH, end, KERB), "pavement")
    across = slab((w, end, -0.1), (end, REACH, KERB), "pavement")
    kerbs = [
        slab((w - 0.02, w - 0.02, -0.1), (REACH, w + 0.16, KERB + 0.01), "stone"),
        slab((w - 0.02, w + 0.16, -0.1), (w + 0.16, REACH, KERB + 0.01), "stone"),
    ]
    return joined(along, across, *kerbs)


def _houses(random: np.random.Generator) -> Shape:
    """Rows of houses with a front garden, along the street that runs along X and at its corners."""
    houses = []
    for side in (-1.0, 1.0):
        edges = np.arange(HALF_WIDTH + PAVEMENT + 3.5, 62.0, 12.5)
        for direction in (-1.0, 1.0):
            for start, end in pairwise(edges):
                width, depth = random.uniform(8.0, 10.0), random.uniform(7.0, 9.0)
                house = _house(width, depth, random.uniform(3.2, 5.8), WALLS[random.integers(len(WALLS))])
                turn = Matrix.Rotation(0.0 if side > 0 else math.pi, 4, "Z")
                place = (direction * 0.5 * (start + end), side * (HALF_WIDTH + PAVEMENT + 3.0), 0.0)
                houses.append(moved(house, Matrix.Translation(place) @ turn))
    return joined(*houses)


def _house(width: float, depth: float, height: float, wall: str) -> Shape:
    """Its front is the plane Y = 0 and faces -Y."""
    half, ridge = 0.5 * width, height + 0.36 * depth
    walls = slab((-half, 0.0, 0.0), (half, depth, height), wall)
    over = 0.4
    profile = [(-over, height - 0.25), (0.5 * depth, ridge), (depth + over, height - 0.25)]
    points = [(x, y, z) for x in (-half - over, half + over) for y, z in profile]
    roof = Shape(np.array(points), [(0, 3, 4, 1), (1, 4, 5, 2), (0, 2, 5, 3), (0, 1, 2), (3, 5, 4)], ["tiles"] * 5)
    parts = [walls, roof, slab((-0.5, -0.05, 0.0), (0.5, 0.02, 2.1), "oak")]
    floors = [1.0] if height < 4.5 else [1.0, 3.4]
    for floor in floors:
        for x in (-0.62 * half, 0.62 * half, *([] if floor == 1.0 else [0.0])):
            parts.append(slab((x - 0.62, -0.05, floor - 0.08), (x + 0.62, 0.02, floor + 1.38), "line"))
            parts.append(slab((x - 0.52, -0.07, floor), (x + 0.52, 0.02, floor + 1.28), "glass"))
    parts.append(slab((0.4 * half, 0.6 * depth, height), (0.4 * half + 0.7, 0.6 * depth + 0.7, ridge + 0.5), "brick"))
    return joined(*parts)


def _trees(random: np.random.Generator) -> Shape:
    """Between the houses, along the other street, and behind."""
    behind = HALF_WIDTH + PAVEMENT
    places = [(x, side * (behind + 1.3)) for side in (-1.0, 1.0) for x in np.arange(-60.0, 61.0, 12.5) if abs(x) > 9.0]
    places += [(side * (behind + 1.5), y) for side in (-1.0, 1.0) for y in (-70, -58, -46, -34, 34, 46, 58, 70)]
    places += [tuple(random.uniform((-70.0, 22.0), (70.0, 60.0)) * (1.0, side)) for side in (-1, 1) for _ in range(14)]
    clear = [place for place in places if abs(place[0]) > behind + 1.0]
    return joined(*(moved(tree(random), Matrix.Translation((*place, 0.0)) @ Matrix.Scale(1.6, 4)) for place in clear))
