# SPDX-License-Identifier: GPL-3.0-or-later
"""The solid that a body's mesh encloses, for panels and new numbers: kept until the mesh or its scale changes.

Panels draw again and again, so nothing is evaluated here: what counts is the present state of the dependency graph.
"""

from __future__ import annotations

import bpy
import numpy as np

from . import poses
from .mass_properties import WITH_MESH, NoVolumeError, Solid, solid_of_object

MOST_POLYGONS = 200_000
"""Of a larger mesh nothing is computed beforehand; Bake does."""

_kept: dict[int, tuple[bytes, Solid | None]] = {}


def solid_now(ob: bpy.types.Object, context: bpy.types.Context) -> Solid | None:
    """The solid in the body's frame (m); None if the mesh has no volume, is very large, or is not evaluated."""
    depsgraph = context.view_layer.depsgraph if context.view_layer is not None else None
    evaluated = ob.evaluated_get(depsgraph) if depsgraph is not None else ob
    if not evaluated.is_evaluated or evaluated.type not in WITH_MESH:
        return None
    residual = poses.split(np.array(evaluated.matrix_world)).residual
    size = float(np.abs(residual).max()) or 1.0
    key = f"{size:.5g}".encode() + (np.round(residual / size, 5) + 0.0).tobytes()
    kept = _kept.get(ob.session_uid)
    if kept is None or kept[0] != key:
        kept = _kept[ob.session_uid] = key, _solid(evaluated, residual)
    return kept[1]


def _solid(evaluated: bpy.types.Object, residual: np.ndarray) -> Solid | None:
    if len(getattr(evaluated.data, "polygons", ())) > MOST_POLYGONS:
        return None
    try:
        return solid_of_object(evaluated, residual, {})
    except NoVolumeError:
        return None


@bpy.app.handlers.persistent
def _forget_changed(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    if _kept:
        for update in depsgraph.updates:
            if update.is_updated_geometry:
                _kept.pop(update.id.original.session_uid, None)


@bpy.app.handlers.persistent
def forget_all(*_: object) -> None:
    """All that was computed is computed anew when it is asked for."""
    _kept.clear()


HANDLERS = {
    "depsgraph_update_post": _forget_changed,
    "frame_change_post": _forget_changed,
    "load_pre": forget_all,
    "undo_post": forget_all,
    "redo_post": forget_all,
}
