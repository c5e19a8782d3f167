# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges of parts, where a pin of one and a hole of another share an axis, or two holes, or a pin and a round end."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import bpy
import numpy as np

from ..findings import refuse
from ..parts.placement import Outline
from .cylinders import Cylinder, find_cylinders

MOST_FACES = 10_000
FULL = np.radians(350.0)  # of a turn, that a pin or a hole goes round
PARALLEL = 0.01  # sine between axes that are one
ASIDE = 0.15  # of the smaller radius: distance between axes that are one
APART = 0.5  # of the larger radius: gap along the axis between rounds that are on one
FITS = 1.05  # a pin is at most that many times as wide as its hole
TOUCHES = 0.01  # of the smaller part's size


@dataclass
class Axis:
    """An axis that several parts share: place and direction (3,), and the rounds that lie on it, by part."""

    place: np.ndarray
    direction: np.ndarray
    rounds: dict[int, list[Cylinder]]

    def has_pin(self, part: int) -> bool:
        """True if that part has a whole pin here."""
        return any(not each.is_hole and each.turn > FULL for each in self.rounds[part])


@dataclass
class Joints:
    """Hinges (parent, child, axis) and welds (parent, child, axis) between parts by number, and what has no axis.

    loose: parts without any, with those that they touch; locked: pairs with several axes, which are among the welds.
    """

    hinges: list[tuple[int, int, Axis]] = field(default_factory=list)
    welds: list[tuple[int, int, Axis]] = field(default_factory=list)
    loose: list[tuple[int, list[int]]] = field(default_factory=list)
    locked: list[tuple[int, int]] = field(default_factory=list)


def rounds_of(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> list[Cylinder]:
    """Pins and holes of an object's evaluated mesh, in the world. Raises SceneError for a mesh with too many faces."""
    evaluated = ob.evaluated_get(depsgraph)
    mesh, matrix = evaluated.to_mesh(), np.array(evaluated.matrix_world)
    try:
        if len(mesh.polygons) > MOST_FACES:
            refuse(ob, f"has {len(mesh.polygons)} faces: pins and holes are looked for in up to {MOST_FACES}")
        points = np.empty(3 * len(mesh.vertices))
        mesh.vertices.foreach_get("co", points)
        faces = [tuple(face.vertices) for face in mesh.polygons]
    finally:
        evaluated.to_mesh_clear()
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        faces = [face[::-1] for face in faces]
    return find_cylinders(points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3], faces)


def plan_joints(shapes: Sequence[Outline], rounds: Sequence[list[Cylinder]]) -> Joints:
    """Joints of parts by their outlines and rounds; the first part is nobody's child."""
    axes, plan = _axes(rounds), Joints()
    pairs: dict[tuple[int, int], list[Axis]] = {}
    for axis in axes:
        parts = sorted(axis.rounds, key=lambda part: (part != 0, not axis.has_pin(part), part))
        pins = [p for p in parts if p != 0 and axis.has_pin(p) and _is_plain(rounds[p], axis) and len(parts) > 2]
        parent = next(part for part in parts if part not in pins)
        for child in (part for part in parts if part != parent):
            if child in pins:
                plan.welds.append((parent, child, axis))  # a pin by itself would only spin
            else:
                pairs.setdefault((parent, child), []).append(axis)
    for (parent, child), shared in pairs.items():
        if any(not _are_one(shared[0], other) for other in shared[1:]):
            plan.welds.append((parent, child, shared[0]))
            plan.locked.append((parent, child))
        else:
            plan.hinges.append((parent, child, shared[0]))
    joined = {part for parent, child, _ in plan.hinges + plan.welds for part in (parent, child)}
    for part in range(len(shapes)):
        if part not in joined:
            plan.loose.append((part, [i for i in range(len(shapes)) if i != part and _touch(shapes[part], shapes[i])]))
    return plan


def _axes(rounds: Sequence[list[Cylinder]]) -> list[Axis]:
    """Axes that at least two parts share; rounds that meet one after the other are on one axis."""
    nodes = [(part, each) for part, own in enumerate(rounds) for each in own]
    groups: list[set[int]] = [{i} for i in range(len(nodes))]
    for i, j in itertools.combinations(range(len(nodes)), 2):
        if nodes[i][0] != nodes[j][0] and groups[i] is not groups[j] and _meet(nodes[i][1], nodes[j][1]):
            groups[i] |= groups[j]
            for k in groups[j]:
                groups[k] = groups[i]
    found = []
    for group in {id(each): each for each in groups if len(each) > 1}.values():
        own: dict[int, list[Cylinder]] = {}
        for k in sorted(group):
            own.setdefault(nodes[k][0], []).append(nodes[k][1])
        best = max((nodes[k][1] for k in group), key=lambda each: (each.turn, each.length))
        ends = [float((each.place - best.place) @ best.axis) + s * 0.5 * each.length
                for each in (nodes[k][1] for k in group) for s in (-1.0, 1.0)]  # fmt: skip
        place = best.place + 0.5 * (min(ends) + max(ends)) * best.axis
        found.append(Axis(place, best.axis, own))
    return found


def _meet(a: Cylinder, b: Cylinder) -> bool:
    """True if two rounds of two parts belong on one axis."""
    if max(a.turn, b.turn) < FULL or np.linalg.norm(np.cross(a.axis, b.axis)) > PARALLEL:
        return False
    if a.is_hole != b.is_hole:
        pin, hole = (b, a) if a.is_hole else (a, b)
        if pin.radius > FITS * hole.radius:
            return False
    way = b.place - a.place
    along = float(way @ a.axis)
    gap = abs(along) - 0.5 * (a.length + b.length)
    aside = float(np.linalg.norm(way - along * a.axis))
    return aside < ASIDE * min(a.radius, b.radius) and gap < APART * max(a.radius, b.radius)


def _is_plain(rounds: list[Cylinder], axis: Axis) -> bool:
    """True for a part all of whose rounds are on one axis: a pin by itself."""
    return all(_is_along(axis, each.place, each.axis, each.radius) for each in rounds)


def _are_one(a: Axis, b: Axis) -> bool:
    radius = min(each.radius for own in (*a.rounds.values(), *b.rounds.values()) for each in own)
    return _is_along(a, b.place, b.direction, radius)


def _is_along(axis: Axis, place: np.ndarray, direction: np.ndarray, radius: float) -> bool:
    way = place - axis.place
    aside = np.linalg.norm(way - (way @ axis.direction) * axis.direction)
    return bool(np.linalg.norm(np.cross(axis.direction, direction)) < PARALLEL and aside < ASIDE * radius)


def _touch(a: Outline, b: Outline) -> bool:
    """True if corners of one come close to the other."""
    near = TOUCHES * min(a.size, b.size)
    if (np.maximum(a.low, b.low) > np.minimum(a.high, b.high) + near).any():
        return False
    if a.tree.overlap(b.tree):
        return True
    return any(
        one.tree.find_nearest(point, near)[0] is not None for one, other in ((a, b), (b, a)) for point in other.points
    )
