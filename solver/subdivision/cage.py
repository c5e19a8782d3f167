# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages of subdivision surfaces: meshes with sharp edges and corners, and one step of Catmull and Clark's refinement.

An edge between two faces is smooth or sharp, one of a single face is sharp. A vertex of no or one sharp edge is smooth,
of two it lies on a crease, of more it is a corner, which stays where it is; so do those named as corners.

Sharp for ever, or semi-sharp: a sharpness s is how many refinements an edge or a vertex is refined as a sharp one. Each
takes one off it; of the last one a part, where less than one is left. OpenSubdiv (whose uniform creases these are) and
with it Blender's modifier do the same. Sources: E. Catmull, J. Clark, Computer-Aided Design 10 (1978); H. Hoppe et al.,
Piecewise smooth surface reconstruction, SIGGRAPH 1994, for sharp edges; T. DeRose, M. Kass, T. Truong, Subdivision
surfaces in character animation, SIGGRAPH 1998, section 3 and appendix B, for semi-sharp ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

Edge = tuple[int, int]
ENDLESS = 10.0  # a sharpness that lasts for ever, as in OpenSubdiv


class CageError(ValueError):
    """A mesh that is no cage; the text says why, as the end of a sentence about it."""


def edge(a: int, b: int) -> Edge:
    """The edge of two vertices, whichever way."""
    return (a, b) if a < b else (b, a)


class Cage:
    """Faces, each a tuple of vertices counterclockwise, with the sharp edges and the corners among them.

    `sharp` and `corners`: edges and vertices, or the sharpness of each. `keeps_corners`: corners are vertices of a
    single face too; `is_part`: of a larger one, whose vertices need not be whole. Raises CageError where faces do not
    make a surface.
    """

    def __init__(self, faces, sharp=(), corners=(), keeps_corners: bool = True, is_part: bool = False) -> None:
        self.faces, self.is_part = [tuple(map(int, face)) for face in faces], is_part
        self.face_of: dict[Edge, tuple[int, int]] = {}  # (face, place in it) of each way along an edge
        for f, face in enumerate(self.faces):
            if len(set(face)) < 3 or len(set(face)) < len(face):
                raise CageError(f"has a face without area, number {f}")
            for k, a in enumerate(face):
                way = a, face[(k + 1) % len(face)]
                if way in self.face_of:
                    raise CageError(f"is not manifold: faces {self.face_of[way][0]} and {f} are turned against each "
                                    "other, or an edge has more than two faces")  # fmt: skip
                self.face_of[way] = f, k
        self.sharp = {edge(*way) for way in self.face_of if way[::-1] not in self.face_of}
        self.border = set(self.sharp)
        edges = self._edges()
        given = {edge(*pair): s for pair, s in _each_sharpness(sharp).items() if edge(*pair) in edges}
        self.sharp |= {pair for pair, s in given.items() if s >= ENDLESS}
        self.semi_sharp = {pair: s for pair, s in given.items() if s > 0.0 and pair not in self.sharp}
        self.faces_at: dict[int, list[tuple[int, int]]] = {}  # (face, place in it) around each vertex
        for f, face in enumerate(self.faces):
            for k, a in enumerate(face):
                self.faces_at.setdefault(a, []).append((f, k))
        self.sharp_at: dict[int, list[int]] = {}  # the other ends of sharp edges
        for a, b in sorted(self.sharp):
            self.sharp_at.setdefault(a, []).append(b)
            self.sharp_at.setdefault(b, []).append(a)
        self.semi_sharp_at: dict[int, dict[int, float]] = {}  # the other ends of semi-sharp edges, and their sharpness
        for (a, b), s in sorted(self.semi_sharp.items()):
            self.semi_sharp_at.setdefault(a, {})[b] = s
            self.semi_sharp_at.setdefault(b, {})[a] = s
        alone = {a for a, around in self.faces_at.items() if len(around) == 1} if keeps_corners else set()
        given = _each_sharpness(corners)
        self.corners = {a for a, ends in self.sharp_at.items() if len(ends) > 2} | alone
        self.corners |= {a for a, s in given.items() if s >= ENDLESS}
        self.semi_corners = {a: s for a, s in given.items() if s > 0.0 and a not in self.corners}
        if not is_part:
            self._check_fans()

    def _edges(self) -> set[Edge]:
        return {edge(*way) for way in self.face_of}

    def _check_fans(self) -> None:
        for a, around in self.faces_at.items():
            if len(self.around(*around[0])) < len(around):
                raise CageError(f"is not manifold: faces meet in vertex {a} without an edge")
            if a in self.corners and len(self.sharp_at.get(a, ())) < 2:
                raise CageError(f"has a tip, at vertex {a}: a corner of fewer than two sharp edges")

    def across(self, f: int, k: int) -> tuple[int, int] | None:
        """(face, place in it) of the same edge on its other side."""
        face = self.faces[f]
        return self.face_of.get((face[(k + 1) % len(face)], face[k]))

    def cut_across(self, f: int, k: int) -> tuple[int, int] | None:
        """The same, None across a sharp edge too."""
        face = self.faces[f]
        return None if edge(face[k], face[(k + 1) % len(face)]) in self.sharp else self.across(f, k)

    def around(self, f: int, k: int, across=None) -> list[tuple[int, int]]:
        """(face, place in it) of all around a vertex, counterclockwise from one of them, or from where they begin."""
        across = across or self.across
        first = f, k
        while (before := across(*first)) is not None:  # clockwise: across the edge that leaves the vertex
            first = before[0], (before[1] + 1) % len(self.faces[before[0]])
            if first == (f, k):
                break
        found, here = [first], first
        while True:
            count = len(self.faces[here[0]])
            there = across(here[0], (here[1] - 1) % count)  # across the edge that comes to it
            if there is None or there == first:
                return found
            found.append(there)
            here = there

    def is_corner(self, a: int) -> bool:
        """True if a vertex stays where it is."""
        return a in self.corners

    def is_semi_sharp(self, a: int) -> bool:
        """True if a vertex, or an edge at it, is sharp for some refinements only."""
        return a in self.semi_corners or a in self.semi_sharp_at

    def rule(self, a: int, spent: float = 0.0) -> tuple[str, list[int]]:
        """(corner, crease or smooth, the other ends of a crease) of a vertex, once so much sharpness is spent."""
        ends = [*self.sharp_at.get(a, ()), *(b for b, s in self.semi_sharp_at.get(a, {}).items() if s > spent)]
        if self.is_corner(a) or self.semi_corners.get(a, 0.0) > spent or len(ends) > 2:
            return "corner", []
        return ("crease", ends) if len(ends) == 2 else ("smooth", [])

    def last_part(self, a: int) -> float:
        """Part of a vertex's own rule in a refinement that spends the rest of some sharpness there: the mean rest."""
        rests = [self.semi_corners.get(a, 0.0), *self.semi_sharp_at.get(a, {}).values()]
        rests = [s for s in rests if 0.0 < s <= 1.0]
        return sum(rests) / len(rests) if rests else 0.0


def _each_sharpness(given: Iterable | Mapping) -> dict:
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(given, math.inf)


def _spent(sharpness: dict) -> dict:
    """The sharpness that one refinement leaves."""
    return {each: s - 1.0 for each, s in sharpness.items() if s > 1.0}


def refined(cage: Cage, points: np.ndarray) -> tuple[Cage, np.ndarray]:
    """(cage, points) after one step; points (V, .) of all vertices, whatever they are points of.

    The children of a face of n corners are n faces in turn, each with a vertex of the old face first, the face's own
    point third. Vertices: those of before, then of edges, then of faces.
    """
    count = len(points)
    middles = np.array([points[list(face)].mean(axis=0) for face in cage.faces])
    edges = sorted({edge(*way) for way in cage.face_of})
    number = {pair: count + k for k, pair in enumerate(edges)}
    of_edges = np.empty((len(edges), points.shape[1]))
    for k, (a, b) in enumerate(edges):
        of_edges[k] = 0.5 * (points[a] + points[b])
        smooth = 0.0 if (a, b) in cage.sharp else 1.0 - min(cage.semi_sharp.get((a, b), 0.0), 1.0)
        if smooth > 0.0:
            faces = middles[cage.face_of[a, b][0]] + middles[cage.face_of[b, a][0]]
            of_edges[k] += smooth * (0.25 * faces - 0.5 * of_edges[k])
    moved = points.copy()
    for a in cage.faces_at:
        rule, ends = cage.rule(a)
        moved[a] = _moved(cage, points, middles, a, rule, ends)
        if rule != "smooth" and cage.is_semi_sharp(a) and cage.rule(a, 1.0)[0] != rule:
            then = _moved(cage, points, middles, a, *cage.rule(a, 1.0))
            moved[a] = then + cage.last_part(a) * (moved[a] - then)
    first = count + len(edges)
    faces = []
    for f, face in enumerate(cage.faces):
        ends = [number[edge(a, face[(k + 1) % len(face)])] for k, a in enumerate(face)]
        faces += [(a, ends[k], first + f, ends[k - 1]) for k, a in enumerate(face)]
    sharpness = dict.fromkeys(cage.sharp, math.inf) | _spent(cage.semi_sharp)
    sharp = {(a, number[pair]): s for pair, s in sharpness.items() for a in pair}
    corners = dict.fromkeys(cage.corners, math.inf) | _spent(cage.semi_corners)
    finer = Cage(faces, sharp, corners, keeps_corners=False, is_part=cage.is_part)
    return finer, np.concatenate([moved, of_edges, middles])


def _moved(cage: Cage, points: np.ndarray, middles: np.ndarray, a: int, rule: str, ends: list[int]) -> np.ndarray:
    """The place that a vertex goes to by one rule."""
    if rule == "corner":
        return points[a]
    if rule == "crease":
        return 0.75 * points[a] + 0.125 * (points[ends[0]] + points[ends[1]])
    around = cage.faces_at[a]
    n = len(around)
    beside = sum(points[cage.faces[f][(k + 1) % len(cage.faces[f])]] for f, k in around)
    return (n - 2) / n * points[a] + (beside + sum(middles[f] for f, _ in around)) / (n * n)
