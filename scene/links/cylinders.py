# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins and holes of meshes: faces that lie on a cylinder, found by how they turn from edge to edge.

Flat neighbours are one facet. Facets that turn by the same small angle over parallel edges, as wide each as the next,
are a round; a circle through its corners across the mean axis gives radius and place. Rounds whose faces look away from
the axis are pins, the others are holes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

FLAT = np.radians(0.5)  # between faces of one facet
BENT = np.radians(61.0)  # at most, between two facets of a round: a prism of six sides is one
EVEN = 0.03  # of a width or an angle: facets of one round are as alike as that
STRAIGHT = 2e-3  # sine between an edge and the axis
ROUND = 0.02  # of the radius: corners are as near to the circle
LEAST = np.radians(100.0)  # of a turn, that a round must have
SMOOTH = np.radians(40.0)  # over the rim of a round: it goes on, as a strip of a ball or a torus does


class Cylinder(NamedTuple):
    """A round: a place (3,) in the middle of its axis (3,), radius and length (m), how far it goes round (rad)."""

    place: np.ndarray
    axis: np.ndarray
    radius: float
    length: float
    turn: float
    is_hole: bool


def find_cylinders(points: np.ndarray, faces: list[tuple[int, ...]]) -> list[Cylinder]:
    """All rounds of a mesh: points (n, 3), faces that look outwards; the farthest round first."""
    normals = np.array([_normal(points[list(face)]) for face in faces]).reshape(-1, 3)
    edges: dict[tuple[int, int], list[int]] = {}
    for number, face in enumerate(faces):
        for a, b in zip(face, (*face[1:], face[0]), strict=True):
            edges.setdefault((min(a, b), max(a, b)), []).append(number)
    shared = [(edge, on) for edge, on in edges.items() if len(on) == 2]
    facet = _merged(len(faces), [on for _, on in shared if _angle(*normals[on]) < FLAT])
    corners: dict[int, set[int]] = {}
    for number, face in enumerate(faces):
        corners.setdefault(facet[number], set()).update(face)
    bends, rims = [], {}
    for (a, b), (f, g) in shared:
        if facet[f] == facet[g]:
            continue
        along, angle = points[b] - points[a], _angle(normals[f], normals[g])
        if angle < SMOOTH:
            for h in (f, g):
                rims.setdefault(facet[h], []).append(along)
        length = float(np.linalg.norm(along))
        if length == 0.0 or angle > BENT:
            continue
        along = along / length
        widths = [_width(points[list(corners[facet[h]])], points[a], np.cross(along, normals[h])) for h in (f, g)]
        if abs(widths[0] - widths[1]) < EVEN * max(widths):
            is_hollow = float(np.cross(normals[f], normals[g]) @ along) * _sense(faces[f], a, b) < 0.0
            bends.append((facet[f], facet[g], angle, along, is_hollow))
    return sorted(_rounds(points, corners, rims, bends), key=lambda each: -each.turn)


def _rounds(points, corners, rims, bends) -> list[Cylinder]:
    found = []
    for is_hollow in (False, True):
        own, near = [bend for bend in bends if bend[4] == is_hollow], {}
        for bend in own:
            for name in bend[:2]:
                near.setdefault(name, []).append(bend)
        names = sorted({name for bend in own for name in bend[:2]})
        number = {name: i for i, name in enumerate(names)}
        chain: dict[int, list] = {}
        alike = [
            [number[one[0]], number[one[1]]]
            for one in own
            if _continues(one, [each for name in one[:2] for each in near[name] if each is not one])
        ]
        for name, head in zip(names, _merged(len(names), alike), strict=True):
            chain.setdefault(head, []).append(name)
        for members in map(set, chain.values()):
            inside = {id(bend): bend for name in members for bend in near[name] if set(bend[:2]) <= members}
            cylinder = _fitted(points, members, corners, list(inside.values()), is_hollow)
            if cylinder is not None and not _goes_on(cylinder, members, rims):
                found.append(cylinder)
    return found


def _goes_on(cylinder: Cylinder, members: set[int], rims: dict[int, list[np.ndarray]]) -> bool:
    """True for a short round that is smooth over its rims, too: a strip of something that is no cylinder."""
    across = [
        any(abs(float(edge @ cylinder.axis)) < 0.5 * np.linalg.norm(edge) for edge in rims.get(name, ()))
        for name in members
    ]
    return cylinder.length < cylinder.radius and sum(across) > 0.5 * len(members)


def _continues(bend, others) -> bool:
    """True if a neighbouring bend turns as far, about the same direction."""
    _, _, angle, along, _ = bend
    return any(
        abs(each[2] - angle) < EVEN * angle and np.linalg.norm(np.cross(each[3], along)) < STRAIGHT for each in others
    )


def _fitted(points, members, corners, bends, is_hole: bool) -> Cylinder | None:
    """The cylinder of a chain of facets; None if they are on no circle, or go not far enough round."""
    if len(bends) < 2:
        return None
    directions = np.array([bend[3] for bend in bends])
    directions *= np.where(directions @ directions[0] < 0.0, -1.0, 1.0)[:, None]
    axis = directions.mean(axis=0)
    axis /= np.linalg.norm(axis)
    if np.linalg.norm(np.cross(directions, axis), axis=1).max() > STRAIGHT:
        return None
    turn = float(sum(bend[2] for bend in bends)) + float(np.mean([bend[2] for bend in bends]))
    on = points[sorted({i for name in members for i in corners[name]})]
    x = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    x /= np.linalg.norm(x)
    flat = on @ np.stack([x, np.cross(axis, x)], axis=1)
    middle = flat.mean(axis=0)
    system = np.column_stack([flat - middle, np.ones(len(flat))])
    a, b, c = np.linalg.lstsq(system, np.sum((flat - middle) ** 2, axis=1), rcond=None)[0]
    centre, square = np.array([a, b]) / 2.0, c + (a * a + b * b) / 4.0
    if square <= 0.0 or turn < LEAST:
        return None
    radius = float(np.sqrt(square))
    if np.abs(np.linalg.norm(flat - middle - centre, axis=1) - radius).max() > ROUND * radius:
        return None
    heights = on @ axis
    centre = middle + centre
    place = centre[0] * x + centre[1] * np.cross(axis, x) + 0.5 * (heights.min() + heights.max()) * axis
    return Cylinder(place, axis, radius, float(np.ptp(heights)), min(turn, 2.0 * np.pi), is_hole)


def _normal(corners: np.ndarray) -> np.ndarray:
    """(3,): of a polygon, after Newell."""
    away = corners - corners[0]
    normal = np.cross(away, np.roll(away, -1, axis=0)).sum(axis=0)
    return normal / max(float(np.linalg.norm(normal)), 1e-300)


def _angle(first: np.ndarray, second: np.ndarray) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(first, second)), first @ second))


def _width(corners: np.ndarray, edge: np.ndarray, across: np.ndarray) -> float:
    """m: how far a facet goes from one of its edges."""
    return float(np.abs((corners - edge) @ across).max())


def _sense(face: tuple[int, ...], a: int, b: int) -> float:
    """1 if a face goes along an edge from a to b, else -1."""
    return 1.0 if face[(face.index(a) + 1) % len(face)] == b else -1.0


def _merged(count: int, pairs) -> list[int]:
    """The head of each of `count` things that pairs join."""
    head = list(range(count))

    def find(i: int) -> int:
        while head[i] != i:
            head[i] = head[head[i]]
            i = head[i]
        return i

    for a, b in pairs:
        head[find(a)] = find(b)
    return [find(i) for i in range(count)]
