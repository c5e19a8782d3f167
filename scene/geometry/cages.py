# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as cages of Catmull-Clark surfaces, as Blender's modifier Subdivision Surface takes them.

A crease c between 0 and 1 is a sharpness of 10 c² there, by OpenSubdiv's uniform rule; a vertex of two edges only adds
the lesser of theirs to its own (blender/intern/opensubdiv, assignComponentTags).
"""

import math

import bpy
import numpy as np

from ...solver.mechanism import SmoothSubdivision
from ...solver.model.poses import turned
from ...solver.subdivision.cage import ENDLESS, CageError
from .nurbs import SurfaceError

_LEAST = 1e-6  # sharpness that is none


def subdivision_modifier(ob: bpy.types.Object) -> bpy.types.Modifier | None:
    """The modifier Subdivision Surface of an object, as the viewport shows it; of several the last."""
    return next((each for each in reversed(_shown(ob)) if each.type == "SUBSURF"), None)


def cage_of(ob: bpy.types.Object, linear: np.ndarray) -> SmoothSubdivision:
    """The surface of a mesh object, its local axes (3, 3) turned and scaled by `linear`. Raises SurfaceError."""
    if ob.type != "MESH":
        raise SurfaceError("is no mesh, and has no subdivision surface: choose another Shape")
    modifier = subdivision_modifier(ob)
    _check_modifiers(ob, modifier)
    mesh = ob.data
    if mesh.shape_keys is not None:
        raise SurfaceError("has shape keys, which its cage does not follow: apply them")
    if not mesh.polygons:
        raise SurfaceError("has no faces: choose another object")
    has_creases = modifier is None or modifier.use_creases
    creases, corners = _sharpness(mesh) if has_creases else ({}, {})
    used = np.unique([k for face in mesh.polygons for k in face.vertices])
    number = {int(k): n for n, k in enumerate(used)}
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    surface = SmoothSubdivision(
        points=turned(np.asarray(linear), points.reshape(-1, 3)[used]).tolist(),
        faces=[[number[k] for k in face.vertices] for face in mesh.polygons],
        creases=[
            (*(number[k] for k in pair), s) if s < ENDLESS else tuple(number[k] for k in pair)
            for pair, s in creases.items()
            if all(k in number for k in pair)
        ],
        corners=[(number[k], s) if s < ENDLESS else number[k] for k, s in corners.items() if k in number],
        keep_corners=modifier is None or modifier.boundary_smooth == "PRESERVE_CORNERS",
    )
    if np.linalg.det(linear) < 0.0:
        surface.faces = [face[::-1] for face in surface.faces]
    try:
        surface.prepared()
    except CageError as error:
        raise SurfaceError(f"{error}: mend its mesh") from error
    return surface


def _shown(ob: bpy.types.Object) -> list[bpy.types.Modifier]:
    return [each for each in ob.modifiers if each.show_viewport]


def _check_modifiers(ob: bpy.types.Object, modifier: bpy.types.Modifier | None) -> None:
    shown = _shown(ob)
    for other in shown:
        if other != modifier:
            k, own = shown.index(other), len(shown) if modifier is None else shown.index(modifier)
            where = "before" if k < own else "after"
            remedy = "apply it" if k < own else "move it before that one and apply it, or turn it off"
            raise SurfaceError(f"has the modifier {other.name} {where} its subdivision: {remedy}")
    if modifier is not None and modifier.subdivision_type == "SIMPLE":
        raise SurfaceError(f"has Simple subdivision, which leaves its edges: set {modifier.name} to Catmull-Clark")


def crease_of(sharpness: float) -> float:
    """The crease that stands for a sharpness in Blender."""
    return math.sqrt(min(sharpness, ENDLESS) / ENDLESS)


def _sharpness(mesh: bpy.types.Mesh) -> tuple[dict[tuple[int, int], float], dict[int, float]]:
    """Of edges and of vertices that have one."""
    of_edges = ENDLESS * _attribute(mesh, "crease_edge", len(mesh.edges)) ** 2
    of_vertices = ENDLESS * _attribute(mesh, "crease_vert", len(mesh.vertices)) ** 2
    pairs = np.empty(2 * len(mesh.edges), int)
    mesh.edges.foreach_get("vertices", pairs)
    is_loose = np.empty(len(mesh.edges), bool)
    mesh.edges.foreach_get("is_loose", is_loose)
    pairs, of_edges = pairs.reshape(-1, 2)[~is_loose], of_edges[~is_loose]
    least = np.full(len(mesh.vertices), np.inf)
    np.minimum.at(least, pairs, of_edges[:, None])
    has_two = np.bincount(pairs.ravel(), minlength=len(least)) == 2
    of_vertices[has_two] += least[has_two]
    return (
        {tuple(pairs[e].tolist()): float(of_edges[e]) for e in np.flatnonzero(of_edges > _LEAST)},
        {int(k): float(of_vertices[k]) for k in np.flatnonzero(of_vertices > _LEAST)},
    )


def _attribute(mesh: bpy.types.Mesh, name: str, count: int) -> np.ndarray:
    found, values = mesh.attributes.get(name), np.zeros(count)
    if found is not None:
        found.data.foreach_get("value", values)
    return values
