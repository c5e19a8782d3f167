# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes of bones: a capsule along the bone, or a box, around most of its skin; without a skin, by the bone's length.

Everything here is in the bone's own frame at rest: origin at its head, Y along it.
"""

from itertools import pairwise
from typing import NamedTuple

import bmesh
import bpy
import numpy as np

SHAPES = [
    ("AUTOMATIC", "Automatic", "Capsules for limbs, boxes for what is wider than long, or flat"),
    ("CAPSULE", "Capsules", "A capsule along each bone"),
    ("BOX", "Boxes", "A box along each bone"),
    ("HULL", "Hulls", "The convex hull of the skin that the bone holds most; a capsule where there is none"),
]
MOST = (4.0, 96.0)  # percentiles of the skin's points across the bone that a shape encloses
FLAT = 1.5  # times as wide as thick: a box
THIN, SLIM, STOUT = 0.008, 0.16, 0.06  # of the rig's size, the bone's length, the rig's size: radii without a skin
TRUNK, HEAD = 0.06, 0.4  # of the rig's size, of the bone's length: those of a trunk and of a head
SIDES, RINGS = 16, 4


class Extent(NamedTuple):
    """Lowest and highest corner (3,) of what a shape encloses."""

    low: np.ndarray
    high: np.ndarray


def extent_of(points: np.ndarray | None, length: float, size: float, part: str) -> Extent:
    """The extent of most of a bone's points (N, 3), or without any of a bone that is that part of a body.

    `size`: of the rig.
    """
    if points is None:
        radius = {"spine": TRUNK * size, "head": HEAD * length}.get(part, min(SLIM * length, STOUT * size))
        radius = max(THIN * size, radius)
        return Extent(np.array((-radius, 0.0, -radius)), np.array((radius, length, radius)))
    low, high = np.percentile(points, MOST, axis=0)
    least = 2.0 * THIN * size
    more = 0.5 * np.maximum(least - (high - low), 0.0)
    return Extent(low - more, high + more)


def kind_of(extent: Extent, chosen: str, has_skin: bool) -> str:
    """CAPSULE, BOX or HULL."""
    if chosen in ("CAPSULE", "BOX") or (chosen == "HULL" and has_skin):
        return chosen
    across = np.delete(extent.high - extent.low, 1)
    is_limb = across.max() < FLAT * across.min() and extent.high[1] - extent.low[1] > across.max()
    return "CAPSULE" if is_limb else "BOX"


def mesh_of(name: str, kind: str, extent: Extent, points: np.ndarray | None) -> bpy.types.Mesh:
    """A closed mesh of the kind."""
    mesh, made = bpy.data.meshes.new(name), bmesh.new()
    if kind == "HULL":
        for point in points:
            made.verts.new(point)
        found = bmesh.ops.convex_hull(made, input=made.verts)
        inside = {
            each for each in found["geom_interior"] + found["geom_unused"] if isinstance(each, bmesh.types.BMVert)
        }
        bmesh.ops.delete(made, geom=list(inside), context="VERTS")
    elif kind == "BOX":
        bmesh.ops.create_cube(made, size=1.0)
        _fit(made, extent)
    else:
        _capsule(made, extent)
    bmesh.ops.recalc_face_normals(made, faces=made.faces)
    made.to_mesh(mesh)
    made.free()
    return mesh


def _fit(made: bmesh.types.BMesh, extent: Extent) -> None:
    middle, sides = 0.5 * (extent.low + extent.high), extent.high - extent.low
    for vertex in made.verts:
        vertex.co = middle + sides * np.array(vertex.co)


def _capsule(made: bmesh.types.BMesh, extent: Extent) -> None:
    """Rings of a capsule along Y whose cross-section is as large as that of the extent."""
    across = np.delete(extent.high - extent.low, 1)
    length = extent.high[1] - extent.low[1]
    radius = min(0.5 * float(np.sqrt(across.prod())), 0.499 * length)
    middle = 0.5 * (extent.low + extent.high)
    angles = np.linspace(0.0, 0.5 * np.pi, RINGS + 1)[1:]
    cap = [(radius * np.sin(a), extent.low[1] + radius * (1.0 - np.cos(a))) for a in angles]
    profile = [*cap, *((r, extent.low[1] + extent.high[1] - y) for r, y in reversed(cap))]
    turns = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    rings = [
        [made.verts.new((middle[0] + r * np.cos(a), y, middle[2] + r * np.sin(a))) for a in turns] for r, y in profile
    ]
    ends = [made.verts.new((middle[0], y, middle[2])) for y in (extent.low[1], extent.high[1])]
    for i in range(SIDES):
        j = (i + 1) % SIDES
        for one, other in pairwise(rings):
            made.faces.new((one[i], one[j], other[j], other[i]))
        made.faces.new((ends[0], rings[0][j], rings[0][i]))
        made.faces.new((ends[1], rings[-1][i], rings[-1][j]))
