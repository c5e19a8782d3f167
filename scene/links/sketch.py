# SPDX-License-Identifier: GPL-3.0-or-later
"""A sketch of a linkage, drawn as the edges of a mesh or as curves, becomes a plan.

Vertices are hinges, edges are links; a face, or several that share edges, is one rigid link.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import bpy
import numpy as np

from ..findings import refuse
from .plan import Plan, best_normal

NEAR = 1e-5  # of a sketch's size: points as near as that are one
GROUND = "Ground"  # name of the vertex group of points that the world holds
MOST = 500  # links

Lines = tuple[np.ndarray, list[tuple[int, int]], list[tuple[int, ...]], set[int], set[int]]
"""Points (P, 3) m, edges, faces, points of the group, selected points."""


def plan_of_sketch(ob: bpy.types.Object, ground: str = "AUTO") -> Plan:
    """The plan of a mesh or curve object, in the world.

    ground: points that the world holds: those in the group Ground or else loose ends (AUTO), ENDS, SELECTED or NONE.
    Raises SceneError naming the sketch for one without edges, with too many of them, or with edges of no length.
    """
    points, edges, faces, grouped, selected = _of_mesh(ob) if ob.type == "MESH" else _of_curve(ob)
    points, number = _merged(points)
    edges = list(dict.fromkeys(tuple(sorted((number[a], number[b]))) for a, b in edges))
    if any(a == b for a, b in edges):
        refuse(ob, "has an edge without length: merge its vertices by distance first")
    if not edges:
        refuse(ob, "has no edges: each edge becomes a link")
    links = _links(edges, [tuple(number[i] for i in face) for face in faces])
    if len(links) > MOST:
        refuse(ob, f"has {len(links)} edges, which is more than a sketch of {MOST} links")
    ends = {point for point in range(len(points)) if sum(point in of for of in links) == 1 and _is_end(point, edges)}
    grouped, selected = ({number[i] for i in those} for those in (grouped, selected))
    held = {"AUTO": grouped or ends, "ENDS": ends, "SELECTED": selected, "NONE": set()}[ground]
    return Plan(points, links, best_normal(points), held)


def _of_mesh(ob: bpy.types.Object) -> Lines:
    mesh, matrix = ob.data, np.array(ob.matrix_world)
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    places = points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    group = ob.vertex_groups.get(GROUND)
    grouped = set() if group is None else {v.index for v in mesh.vertices if group.index in {g.group for g in v.groups}}
    edges = [tuple(edge.vertices) for edge in mesh.edges]
    faces = [tuple(face.vertices) for face in mesh.polygons]
    return places, edges, faces, grouped, {v.index for v in mesh.vertices if v.select}


def _of_curve(ob: bpy.types.Object) -> Lines:
    points, edges, selected = [], [], set()
    for spline in ob.data.splines:
        is_bezier = spline.type == "BEZIER"
        own, first = spline.bezier_points if is_bezier else spline.points, len(points)
        points += [ob.matrix_world @ point.co.to_3d() for point in own]
        selected |= {first + i for i, p in enumerate(own) if (p.select_control_point if is_bezier else p.select)}
        edges += [(first + i, first + i + 1) for i in range(len(own) - 1)]
        if spline.use_cyclic_u and len(own) > 2:
            edges.append((first + len(own) - 1, first))
    return np.array(points, float).reshape(-1, 3), edges, [], set(), selected


def _merged(points: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Points without doubles, and the number there of each."""
    near = NEAR * float(np.ptp(points, axis=0).max()) if len(points) else 0.0
    kept: list[np.ndarray] = []
    number = []
    for point in points:
        away = np.linalg.norm(np.array(kept).reshape(-1, 3) - point, axis=1)
        same = int(np.argmin(away)) if len(away) and away.min() <= near else len(kept)
        if same == len(kept):
            kept.append(point)
        number.append(same)
    return np.array(kept).reshape(-1, 3), number


def _links(edges: Sequence[tuple[int, int]], faces: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Points of each link: faces that share an edge are one, then all other edges."""
    plates: list[dict[int, None]] = []
    for face in faces:
        touching = [plate for plate in plates if len(set(face) & set(plate)) > 1]
        plate = dict.fromkeys([point for each in touching for point in each] + list(face))
        plates = [each for each in plates if each not in touching] + [plate]
    return [tuple(plate) for plate in plates] + [
        edge for edge in edges if not any(set(edge) <= set(plate) for plate in plates)
    ]


def _is_end(point: int, edges: Sequence[tuple[int, int]]) -> bool:
    return sum(point in edge for edge in edges) == 1
