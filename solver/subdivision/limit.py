# SPDX-License-Identifier: GPL-3.0-or-later
"""The limit surface of a cage as bicubic patches, exactly, and the charts in which a point runs over them.

A face whose corners are all regular (four faces around, or two on a crease, or one in a corner) is one B-spline patch;
at a crease, the points beyond are those that mirror it. Any other face has its irregular corner first, and is refined
there again and again: at each level three of its four children are regular, and the fourth is the next level. Refining
is a matrix that is the same from level to level (J. Stam, Exact evaluation of Catmull-Clark subdivision surfaces at
arbitrary parameter values, SIGGRAPH 1998). Stored are the patches of enough levels instead of its eigenvectors, of
which it may have too few at creases.

Where something is semi-sharp at a face, the face is refined as a tree of cells, each split into four, down to those
whose corners and edges have spent their sharpness. They are as regular as the face, and so is the surface over a
semi-sharp edge in its parameters: it bends the more sharply, but has no crease.

A chart is a fan: the faces around a vertex between two sharp edges, or all. Its sectors are mapped to the plane by
    z = zeta^(1 / g) |zeta|^(alpha - 1 / g)
where zeta is a quadrant of the face and alpha such that |z| shrinks from level to level as the surface does: so the
surface has bounded tangents in it, and a body can run over the vertex. There the surface has a normal, but its
curvature is bounded for four faces only.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

from .cage import Cage, CageError, edge, refined

NEAREST = 1e-7  # of a face: how near to a vertex levels go
MOST_FACES = 30000
MOST_CELLS = 30000
LEVELS = -1  # code of a cell: it has the patches of its face, or levels of them
_FARTHEST = 8  # faces that a chart reaches
_BEYOND = 0.75  # of a face: where another chart is the better one
_ENOUGH = 60  # levels after which what is left is rounding
_DART = 1.5 * math.pi  # rad: of the plane, for the fan around the end of a crease; the rest is the crease
_SPLINE = np.array([[1.0, 4.0, 1.0, 0.0], [-3.0, 0.0, 3.0, 0.0], [3.0, -6.0, 3.0, 0.0], [-1.0, 3.0, -3.0, 1.0]]) / 6.0
_CHILDREN = ((1, 3), (2, 2), (3, 1))  # (child of a corner, place of the irregular corner's side in it)

FAN = np.dtype(
    [
        ("first", "i8"),  # sector
        ("count", "i8"),  # of sectors
        ("is_plain", "i8"),  # 1 if z is zeta turned by quarters
        ("reach", "f8"),  # parameters up to which the chart is good
        ("sector", "f8"),  # rad of the plane
        ("power", "f8"),  # 1 / alpha
        ("middle", "f8"),  # rad: opposite of it the angle jumps
    ],
    align=True,
)


class Limit(NamedTuple):
    """patches (., 16, 3): powers; faces (F, 11): first patch, levels, across each edge 4 * face + place or -1, fans of
    the corners, cell; fans FAN; sectors (.,): 4 * face + place; cells (C, 4): the cells that each is split into, v
    after u. A cell is its number, LEVELS, or -2 - its patch.
    """

    patches: np.ndarray
    faces: np.ndarray
    fans: np.recarray
    sectors: np.ndarray
    cells: np.ndarray

    def moved(self, patch: int, sector: int, cell: int) -> Limit:
        """Behind so many patches, sectors and cells of others."""
        faces, fans, cells = self.faces.copy(), self.fans.copy(), self.cells.copy()
        faces[:, 0] += patch
        fans.first += sector
        for codes in (faces[:, 10], cells):
            codes[codes >= 0] += cell
            codes[codes < LEVELS] -= patch
        return self._replace(faces=faces, fans=fans, cells=cells)


class _Fan(NamedTuple):
    around: list[tuple[int, int]]
    is_closed: bool
    is_corner: bool
    is_dart: bool

    @property
    def is_regular(self) -> bool:
        if self.is_closed:
            return len(self.around) == 4
        return not self.is_dart and len(self.around) == (1 if self.is_corner else 2)


def prepared(cage: Cage, points: np.ndarray) -> tuple[Cage, np.ndarray]:
    """(cage, points) refined until all faces have four corners, of which no more than one is irregular.

    Raises CageError of a mesh that has too many faces then.
    """
    while True:
        if len(cage.faces) <= MOST_FACES and all(len(face) == 4 for face in cage.faces):
            irregular = [sum(not fan.is_regular for fan in fans) for fans in _fans_of_corners(cage)]
            if max(irregular) <= 1:
                _check_cells(cage)
                return cage, points
        if 4 * len(cage.faces) > MOST_FACES:
            raise CageError(f"has too many faces: {len(cage.faces)}, and after refining more than {MOST_FACES}")
        cage, points = refined(cage, points)


def limit(cage: Cage, points: np.ndarray) -> Limit:
    """Of a cage that is `prepared`, of points (V, 3) m."""
    turned = []
    for face, fans in zip(cage.faces, _fans_of_corners(cage), strict=True):
        k = next((k for k, fan in enumerate(fans) if not fan.is_regular), 0)
        turned.append(face[k:] + face[:k])
    sharp = dict.fromkeys(cage.sharp - cage.border, math.inf) | cage.semi_sharp
    corners = dict.fromkeys(cage.corners, math.inf) | cage.semi_corners
    cage = Cage(turned, sharp, corners, keeps_corners=False)
    fans, of_corner = _fans(cage)
    faces, built = np.zeros((len(cage.faces), 11), np.int64), _Built()
    for f in range(len(cage.faces)):
        across = [cage.cut_across(f, k) for k in range(4)]
        faces[f, 2:6] = [-1 if there is None else 4 * there[0] + there[1] for there in across]
        faces[f, 6:10] = of_corner[f]
        first = fans[of_corner[f][0]]
        if not first.is_regular:
            faces[f, 1] = math.ceil(-math.log2(NEAREST) * _power(first))
        faces[f, 0], faces[f, 10] = built.add_face(cage, f, points, faces[f, 1], first.is_closed)
    reaches = _reaches(fans, of_corner)
    records = np.zeros(len(fans), FAN).view(np.recarray)
    first = 0
    for record, fan, reach in zip(records, fans, reaches, strict=True):
        record.first, record.count, first = first, len(fan.around), first + len(fan.around)
        record.is_plain, record.reach = fan.is_regular, reach
        record.sector, record.power = _sector(fan), _power(fan)
        record.middle = 0.5 * record.sector * record.count
    sectors = np.array([4 * f + k for fan in fans for f, k in fan.around], np.int64)
    return Limit(np.concatenate(built.patches), faces, records, sectors, np.array(built.cells, np.int64).reshape(-1, 4))


def _fans(cage: Cage) -> tuple[list[_Fan], list[list[int]]]:
    """(fans, those of each face's corners)."""
    found, of_corner = [], [[-1] * 4 for _ in cage.faces]
    for f, face in enumerate(cage.faces):
        for k, a in enumerate(face):
            if of_corner[f][k] >= 0:
                continue
            ends = cage.sharp_at.get(a, ())
            around = cage.around(f, k, cage.cut_across)
            last = around[-1]
            is_closed = cage.cut_across(last[0], (last[1] - 1) % 4) == around[0]
            for g, j in around:
                of_corner[g][j] = len(found)
            found.append(_Fan(around, is_closed and not cage.is_corner(a), cage.is_corner(a), len(ends) == 1))
    return found, of_corner


def _fans_of_corners(cage: Cage) -> list[list[_Fan]]:
    fans, of_corner = _fans(cage)
    return [[fans[k] for k in each] for each in of_corner]


def _sector(fan: _Fan) -> float:
    if fan.is_regular:
        return 0.5 * math.pi
    if fan.is_closed:
        return 2.0 * math.pi / len(fan.around)
    is_wide = fan.is_dart or (fan.is_corner and len(fan.around) > 3)
    return (_DART if is_wide else math.pi) / len(fan.around)


def _power(fan: _Fan) -> float:
    """1 / log2(1 / lambda), of the subdominant eigenvalue (Stam 1998, appendix A)."""
    if not fan.is_closed:
        return 1.0
    c = math.cos(2.0 * math.pi / len(fan.around))
    return -1.0 / math.log2((5.0 + c + math.sqrt((c + 9.0) * (c + 1.0))) / 16.0)


def _reaches(fans: list[_Fan], of_corner: list[list[int]]) -> list[float]:
    """Of each fan, how far its parameters may go: to the irregular ones that are the nearest."""
    rings = [_FARTHEST if fan.is_regular else 0 for fan in fans]
    fringe = [k for k, fan in enumerate(fans) if not fan.is_regular]
    while fringe:
        then = []
        for k in fringe:
            for f, _ in fans[k].around:
                for other in of_corner[f]:
                    if rings[other] > rings[k] + 1:
                        rings[other] = rings[k] + 1
                        then.append(other)
        fringe = then
    return [max(ring, 1) - 1 + _BEYOND for ring in rings]


def _control_points(cage: Cage, f: int, values: np.ndarray) -> np.ndarray:
    """(4, 4, .): B-spline points of a regular face, u along its first edge and v along its last."""
    faces = cage.faces
    G = np.zeros((4, 4, values.shape[1]))
    for place, a in zip(((1, 1), (2, 1), (2, 2), (1, 2)), faces[f], strict=True):
        G[place] = values[a]
    sides = [cage.cut_across(f, k) for k in range(4)]
    # beyond an edge: places of the two points past its first and its second end
    beyond = (((1, 0), (2, 0)), ((3, 1), (3, 2)), ((2, 3), (1, 3)), ((0, 2), (0, 1)))
    for side, places in zip(sides, beyond, strict=True):
        if side is not None:
            g, j = side
            G[places[0]], G[places[1]] = values[faces[g][(j + 2) % 4]], values[faces[g][(j + 3) % 4]]
    for k, place in enumerate(((0, 0), (3, 0), (3, 3), (0, 3))):  # past the corner k
        left = sides[k - 1]  # the edge that comes to it
        if left is not None and sides[k] is not None:
            there = cage.cut_across(left[0], (left[1] - 1) % 4)
            if there is not None:
                G[place] = values[faces[there[0]][(there[1] + 2) % 4]]
    for k, (row, one, two) in enumerate(((0, 1, 2), (3, 2, 1))):
        if sides[(3, 1)[k]] is None:
            G[row] = 2.0 * G[one] - G[two]
    for k, (row, one, two) in enumerate(((0, 1, 2), (3, 2, 1))):
        if sides[(0, 2)[k]] is None:
            G[:, row] = 2.0 * G[:, one] - G[:, two]
    return G


def _powers(G: np.ndarray) -> np.ndarray:
    """(16, .): powers of a B-spline patch."""
    return np.einsum("ai,ijc,bj->abc", _SPLINE, G, _SPLINE).reshape(16, -1)


def _ring(cage: Cage, f: int, first: int = 0) -> tuple[tuple, list[int]]:
    """(faces, sharpness of edges, of corners) of a face, from a corner on, and all that touch it; its old vertices."""
    touching, vertices = {f: cage.faces[f][first:] + cage.faces[f][:first]}, {}
    for k in (first, (first + 1) % 4, (first + 2) % 4, (first + 3) % 4):
        for g, j in _from(cage.around(f, k), f):
            touching.setdefault(g, cage.faces[g][j:] + cage.faces[g][:j])
    faces = list(touching.values())
    for face in faces:
        for a in face:
            vertices.setdefault(a, len(vertices))
    own = [tuple(vertices[a] for a in face) for face in faces]
    sharp = {
        edge(vertices[a], vertices[b]): math.inf
        for face in faces
        for a, b in zip(face, face[1:] + face[:1], strict=True)
        if edge(a, b) in cage.sharp
    }
    corners = {vertices[a]: math.inf for a in vertices if cage.is_corner(a)}
    for a in cage.faces[f]:  # what is semi-sharp elsewhere has no part in the face
        sharp |= {edge(vertices[a], vertices[b]): s for b, s in cage.semi_sharp_at.get(a, {}).items()}
        if a in cage.semi_corners:
            corners[vertices[a]] = cage.semi_corners[a]
    return (tuple(own), tuple(sorted(sharp.items())), tuple(sorted(corners.items()))), list(vertices)


@functools.lru_cache(maxsize=1024)
def _cage(ring: tuple) -> Cage:
    faces, sharp, corners = ring
    return Cage(faces, dict(sharp), dict(corners), keeps_corners=False, is_part=True)


def _refined(ring: tuple) -> tuple[Cage, np.ndarray]:
    """(cage, its points as sums of the ring's)"""
    return refined(_cage(ring), np.eye(1 + max(map(max, ring[0]))))


def _from(around: list[tuple[int, int]], f: int) -> list[tuple[int, int]]:
    """The same, from a face on if they go all around."""
    k = next(k for k, (g, _) in enumerate(around) if g == f)
    return around[k:] + around[:k]


class _System(NamedTuple):
    """The matrix from a ring's points to those of the next level's, and those to the patches (3, 16, .) between."""

    next: np.ndarray
    patches: np.ndarray
    ring: tuple


@functools.lru_cache(maxsize=1024)
def _system(ring: tuple) -> _System:
    """Of a ring, and the next one."""
    finer, values = _refined(ring)
    patches = np.array([_turned_powers(finer, child, turn, values) for child, turn in _CHILDREN])
    after, vertices = _ring(finer, 0)
    return _System(values[vertices], patches, after)


def _turned_powers(cage: Cage, f: int, turn: int, values: np.ndarray) -> np.ndarray:
    """Powers of a child, whose first corner is an old vertex, along the old face's u and v."""
    G = _control_points(cage, f, values)  # in the child's own directions
    for _ in range(turn):  # a quarter at a time
        G = np.swapaxes(G, 0, 1)[:, ::-1]
    return _powers(G)


def _is_split(ring: tuple) -> bool:
    cage = _cage(ring)
    return any(map(cage.is_semi_sharp, cage.faces[0]))


@functools.lru_cache(maxsize=1024)
def _split(ring: tuple) -> list[tuple[tuple, np.ndarray]]:
    """The rings of the four faces within one, along u and then along v, and the matrices to their points."""
    finer, values = _refined(ring)
    found = []
    for k in (0, 1, 3, 2):
        within, vertices = _ring(finer, k, -k % 4)  # so turned that its first edge runs along u
        found.append((within, values[vertices]))
    return found


@functools.lru_cache(maxsize=1024)
def _count(ring: tuple) -> int:
    """Cells that are split, of a face and of those within."""
    return 1 + sum(_count(within) for within, _ in _split(ring)) if _is_split(ring) else 0


def _check_cells(cage: Cage) -> None:
    count = sum(_count(_ring(cage, f)[0]) for f, face in enumerate(cage.faces) if any(map(cage.is_semi_sharp, face)))
    if count > MOST_CELLS:
        raise CageError(f"takes too many pieces at its semi-sharp edges: {count}, where {MOST_CELLS} are allowed")


class _Built:
    """Patches and cells of all faces so far."""

    def __init__(self) -> None:
        self.patches, self.cells, self._count = [], [], 0

    def add_face(self, cage: Cage, f: int, points: np.ndarray, depth: int, is_closed: bool) -> tuple[int, int]:
        """(patch of its first level, cell) of a face whose first corner has so many levels, 0 where it is regular."""
        face = cage.faces[f]
        if depth == 0 and not any(map(cage.is_semi_sharp, face)):
            return self._add(_powers(_control_points(cage, f, points))[None]), LEVELS
        ring, vertices = _ring(cage, f)
        return self._add_cell(ring, points[vertices], depth, 0, is_closed)

    def _add(self, patches: np.ndarray) -> int:
        """Number of the first one."""
        self.patches.append(patches)
        self._count += len(patches)
        return self._count - len(patches)

    def _add_cell(self, ring: tuple, points: np.ndarray, depth: int, level: int, is_closed: bool) -> tuple[int, int]:
        """(patch of the face's first level, code) of a cell at a level of its face, with the points of its ring."""
        if _is_split(ring):
            number, first = len(self.cells), 0
            self.cells.append([])
            for k, (within, matrix) in enumerate(_split(ring)):
                found, code = self._add_cell(within, matrix @ points, depth if k == 0 else 0, level + 1, is_closed)
                self.cells[number].append(code)
                first = found if k == 0 else first
            return first, number
        if depth == 0:
            return 0, LEVELS - 1 - self._add(_powers(_control_points(_cage(ring), 0, points))[None])
        return self._add(_levels(ring, points, depth - level, is_closed)) - 3 * level, LEVELS


def _levels(ring: tuple, points: np.ndarray, depth: int, is_closed: bool) -> np.ndarray:
    """(3 depth + 1, 16, 3): the patches of all levels of an irregular face; the last has the point in its corner first.

    Then comes the normal there, 0 unless faces are all around (`is_closed`).
    """
    now, steps = points, []
    for _ in range(depth):
        system = _system(ring)
        steps.append((system, now))
        now, ring = system.next @ now, system.ring
    middle = _limit_point(now, ring)
    found = np.zeros((3 * depth + 1, 16, points.shape[1]))
    now = points - middle
    for level, (system, _) in enumerate(steps):
        found[3 * level : 3 * level + 3] = system.patches @ now
        now = system.next @ now
    found[:, 0] += middle
    if is_closed:
        found[-1, 1] = _normal(now, system)
    return found


def _limit_point(now: np.ndarray, ring: tuple) -> np.ndarray:
    for _ in range(_ENOUGH):
        system = _system(ring)
        now, ring = system.next @ now, system.ring
    return now[0]


def _normal(ways: np.ndarray, system: _System) -> np.ndarray:
    """That of the plane in which the ways from the point where all levels meet come to lie."""
    for _ in range(_ENOUGH):
        ways = system.next @ ways
        ways -= ways[0]
        ways /= max(np.abs(ways).max(), 1e-300)
    return np.linalg.svd(ways)[2][-1]
