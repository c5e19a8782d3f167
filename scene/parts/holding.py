# SPDX-License-Identifier: GPL-3.0-or-later
"""The things that hold a body or hang on it: its joints, constraints and forces, its neighbours and its loops.

All of it follows from the pointers of the objects, so panels and the 3D View can ask at every drawing.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import bpy
from mathutils import Vector

from ..owner import Owner
from ..properties.force_types import FORCES
from ..properties.roles import CONSTRAINTS, COUPLINGS, POINTING_ROLES
from .empties import LABELS
from .linkages import TIES, Linkage, ends_of


class Holder(NamedTuple):
    """A joint, constraint or force of a body, its type, the other bodies at its ends, and whether it lies in a loop."""

    owner: bpy.types.Object
    label: str
    others: tuple[bpy.types.Object, ...]
    in_loop: bool


def holders_of(body: bpy.types.Object, scene: bpy.types.Scene) -> list[Holder]:
    """All that is fastened to a body, joints and constraints first."""
    parts = [ob for ob in scene.objects if ob.ves.role in POINTING_ROLES and ob.ves.enabled and body in ends_of(ob)]
    parts.sort(key=lambda ob: (ob.ves.role == "FORCE", ob.ves.role != "JOINT", ob.name))
    looped = in_loops(scene)
    return [
        Holder(part, label_of(part), tuple(end for end in ends_of(part) if end != body), part in looped)
        for part in parts
    ]


def label_of(part: bpy.types.Object) -> str:
    """The type of a joint, constraint or force, as buttons call it."""
    settings = part.ves
    if settings.role == "JOINT":
        return LABELS[settings.joint_type]
    return FORCES[settings.force_type].label if settings.role == "FORCE" else CONSTRAINTS[settings.role].label


def in_loops(scene: bpy.types.Scene) -> set[bpy.types.Object]:
    """Joints and constraints without which what hangs together would still hang together.

    All bodies that are not dynamic are one, the ground. Bridges of the graph are found by one depth-first search
    (Tarjan 1974); everything else lies in a loop. Couplings hold joints, not bodies, and count in none.
    """
    edges = list(_edges(scene))
    at: dict[object, list[tuple[object, int]]] = defaultdict(list)
    for k, (_, a, b) in enumerate(edges):
        at[a].append((b, k))
        at[b].append((a, k))
    bridges = _bridges(at)
    return {tie for k, (tie, _, _) in enumerate(edges) if k not in bridges}


def loops_of(linkage: Linkage, scene: bpy.types.Scene) -> int:
    """Number of independent loops of a linkage, the ground included."""
    ties = set(linkage.ties)
    edges = [(a, b) for tie, a, b in _edges(scene) if tie in ties]
    vertices = {end for edge in edges for end in edge} | linkage.bodies
    return len(edges) - len(vertices) + 1


def _edges(scene: bpy.types.Scene) -> Iterable[tuple[bpy.types.Object, object, object]]:
    """(tie, one end, other end); the ground is None. A tie between more than two bodies is a chain of edges."""
    for tie in scene.objects:
        if tie.ves.role not in TIES or tie.ves.role in COUPLINGS or not tie.ves.enabled:
            continue
        ends = [body if Owner(body).is_dynamic else None for body in ends_of(tie)]
        if len(ends) == 1:
            ends.append(None)
        for a, b in pairwise(ends):
            if a is not b:
                yield tie, a, b


def _bridges(at: dict[object, list[tuple[object, int]]]) -> set[int]:
    """Numbers of the edges that lie in no loop; `at`: neighbours and edges of each vertex."""
    order: dict[object, int] = {}
    low: dict[object, int] = {}
    found: set[int] = set()
    for root in list(at):
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack = [(root, -1, iter(at[root]))]
        while stack:
            vertex, via, ways = stack[-1]
            for other, edge in ways:
                if edge == via:
                    continue
                if other in order:
                    low[vertex] = min(low[vertex], order[other])
                    continue
                order[other] = low[other] = len(order)
                stack.append((other, edge, iter(at[other])))
                break
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    low[above] = min(low[above], low[vertex])
                    if low[vertex] > order[above]:
                        found.add(via)
    return found


def partner_lines(chosen: Iterable[bpy.types.Object], scene: bpy.types.Scene) -> list[tuple]:
    """Ends, one after the other, of lines from joints, constraints and forces to the bodies that they are fastened to.

    Those of the chosen parts, and those at the chosen bodies. Of a rope they go along it.
    """
    chosen = set(chosen)
    lines: list[tuple] = []
    for part in scene.objects:
        if part.ves.role not in POINTING_ROLES:
            continue
        ends = ends_of(part)
        if (part in chosen or not chosen.isdisjoint(ends)) and part.visible_get():
            place = part.matrix_world.translation
            if part.ves.role == "ROPE":
                for a, b in pairwise(points_of_rope(part)):
                    lines += [tuple(a), tuple(b)]
                continue
            for body in ends:
                lines += [tuple(place), tuple(_middle(body))]
    return lines


def points_of_rope(rope: bpy.types.Object) -> list[Vector]:
    """m: what it runs over from its Empty to its other side."""
    marks = [*(entry.object for entry in rope.ves.rope_points), rope.ves.anchor_b]
    return [ob.matrix_world.translation for ob in (rope, *marks) if ob is not None]


def _middle(body: bpy.types.Object) -> Vector:
    corners = [body.matrix_world @ Vector(corner) for corner in body.bound_box]
    return sum(corners, start=Vector((0.0, 0.0, 0.0))) / len(corners)
