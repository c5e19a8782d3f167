# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes as cages of Catmull-Clark surfaces, as Blender's modifier Subdivision Surface takes them."""

import bpy
import numpy as np

from ...solver.mechanism import SmoothSubdivision
from ...solver.model.poses import turned
from ...solver.subdivision.cage import CageError
from .nurbs import SurfaceError

_SHARP = 1.0 - 1e-6  # Mean Crease of an edge that stays sharp


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
    sharpness = _attribute(mesh, "crease_edge", len(mesh.edges)) if has_creases else np.zeros(len(mesh.edges))
    at_points = _attribute(mesh, "crease_vert", len(mesh.vertices)) if has_creases else np.zeros(len(mesh.vertices))
    for values, what in ((sharpness, "edges"), (at_points, "vertices")):
        if ((values > 1e-6) & (values < _SHARP)).any():
            raise SurfaceError(f"has {what} that are creased by half: set their Crease to 0 or to 1")
    used = np.unique([k for face in mesh.polygons for k in face.vertices])
    number = {int(k): n for n, k in enumerate(used)}
    points = np.empty(3 * len(mesh.vertices))
    mesh.vertices.foreach_get("co", points)
    surface = SmoothSubdivision(
        points=turned(np.asarray(linear), points.reshape(-1, 3)[used]).tolist(),
        faces=[[number[k] for k in face.vertices] for face in mesh.polygons],
        creases=[
            [number[k] for k in mesh.edges[int(e)].vertices]
            for e in np.flatnonzero(sharpness >= _SHARP)
            if all(k in number for k in mesh.edges[int(e)].vertices)
        ],
        corners=[number[int(k)] for k in np.flatnonzero(at_points >= _SHARP) if int(k) in number],
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


def _attribute(mesh: bpy.types.Mesh, name: str, count: int) -> np.ndarray:
    found, values = mesh.attributes.get(name), np.zeros(count)
    if found is not None:
        found.data.foreach_get("value", values)
    return values
