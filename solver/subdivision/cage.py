# SPDX-License-Identifier: GPL-3.0-or-later
"""Cages of subdivision surfaces: meshes with sharp edges and corners, and one step of Catmull and Clark's refinement.

An edge between two faces is smooth or sharp, one of a single face is sharp. A vertex of no or one sharp edge is smooth,
of two it lies on a crease, of more it is a corner, which stays where it is; so do those named as corners. Sources:
E. Catmull, J. Clark, Computer-Aided Design 10 (1978); H. Hoppe et al., Piecewise smooth surface reconstruction,
SIGGRAPH 1994, for sharp edges.
"""

from __future__ import annotations

import numpy as np

Edge = tuple[int, int]


class CageError(ValueError):
    """A mesh that is no cage; the text says why, as the end of a sentence about it."""


def edge(a: int, b: int) -> Edge:
    """The edge of two vertices, whichever way."""
    return (a, b) if a < b else (b, a)


class Cage:
    """Faces, each a tuple of vertices counterclockwise, with the sharp edges and the corners among them.

    `keeps_corners`: so are vertices of a single face; `is_part`: of a larger one, whose vertices need not be whole.
    Raises CageError where faces do not make a surface.
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
        self.sharp |= {edge(*pair) for pair in sharp if edge(*pair) in self._edges()}
        self.faces_at: dict[int, list[tuple[int, int]]] = {}  # (face, place in it) around each vertex
        for f, face in enumerate(self.faces):
            for k, a in enumerate(face):
                self.faces_at.setdefault(a, []).append((f, k))
        self.sharp_at: dict[int, list[int]] = {}  # the other ends of sharp edges
        for a, b in sorted(self.sharp):
            self.sharp_at.setdefault(a, []).append(b)
            self.sharp_at.setdefault(b, []).append(a)
        alone = {a for a, around in self.faces_at.items() if len(around) == 1} if keeps_corners else set()
        self.corners = {a for a, ends in self.sharp_at.items() if len(ends) > 2} | alone | set(corners)
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

    def is_on_crease(self, a: int) -> bool:
        """True if a vertex moves along two sharp edges only."""
        return len(self.sharp_at.get(a, ())) == 2


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
        if (a, b) not in cage.sharp:
            faces = middles[cage.face_of[a, b][0]] + middles[cage.face_of[b, a][0]]
            of_edges[k] = 0.5 * of_edges[k] + 0.25 * faces
    moved = points.copy()
    for a, around in cage.faces_at.items():
        if cage.is_corner(a):
            continue
        if cage.is_on_crease(a):
            b, c = cage.sharp_at[a]
            moved[a] = 0.75 * points[a] + 0.125 * (points[b] + points[c])
            continue
        n = len(around)
        beside = sum(points[cage.faces[f][(k + 1) % len(cage.faces[f])]] for f, k in around)
        moved[a] = (n - 2) / n * points[a] + (beside + sum(middles[f] for f, _ in around)) / (n * n)
    first = count + len(edges)
    faces = []
    for f, face in enumerate(cage.faces):
        ends = [number[edge(a, face[(k + 1) % len(face)])] for k, a in enumerate(face)]
        faces += [(a, ends[k], first + f, ends[k - 1]) for k, a in enumerate(face)]
    sharp = [half for pair in cage.sharp for half in ((pair[0], number[pair]), (pair[1], number[pair]))]
    finer = Cage(faces, sharp, cage.corners, keeps_corners=False, is_part=cage.is_part)
    return finer, np.concatenate([moved, of_edges, middles])
