# SPDX-License-Identifier: GPL-3.0-or-later
"""Live bodies are put where they shall be, all at once: a thousand take some milliseconds.

Rotation values are canonical, so that they do not depend on those before. Only what has changed is tagged: what is
tagged Blender evaluates again.
"""

from __future__ import annotations

import bpy
import numpy as np

from ..animation.kept import is_baked
from ..owner import Owner, rotation_path
from ..read.channels import rotation_channels

_ONLY_PLACE = {"OBJECT"}
_MODES = {item.value: item.identifier for item in bpy.types.Object.bl_rna.properties["rotation_mode"].enum_items}


class Writer:
    """Writes the location and rotation of objects that have no parents and no deltas."""

    def __init__(self, objects: list[bpy.types.Object]) -> None:
        self._objects = objects
        self._uids = np.array([ob.session_uid for ob in objects], np.int64)

    def write(self, places: np.ndarray, turns: np.ndarray) -> None:
        """places (n, 3) m, turns (n, 4) of the objects. Raises ReferenceError if one was removed."""
        if not self._objects:
            return
        everything = bpy.data.objects
        rows = self._rows(everything)
        taking = ~np.array([ob.animation_data is not None and is_baked(ob) for ob in self._objects])
        changed = _put(everything, "location", rows, places, taking)
        modes = np.empty(len(everything), np.int32)
        everything.foreach_get("rotation_mode", modes)
        for code in np.unique(modes[rows]).tolist():
            of_mode = np.flatnonzero(taking & (modes[rows] == code))
            values = canonical(turns[of_mode], _MODES[code])
            changed[of_mode] |= self._turn(everything, rows, of_mode, _MODES[code], values)
        for k in np.flatnonzero(changed).tolist():
            self._objects[k].update_tag(refresh=_ONLY_PLACE)

    def _rows(self, everything) -> np.ndarray:
        """Places of the objects among all of the file."""
        uids = np.empty(len(everything), np.int32)
        everything.foreach_get("session_uid", uids)
        order = np.argsort(uids)
        found = order[np.minimum(np.searchsorted(uids, self._uids, sorter=order), len(uids) - 1)] if len(uids) else []
        if not len(uids) or (uids[found] != self._uids).any():
            raise ReferenceError("a live body was removed")
        return found

    def _turn(self, everything, rows: np.ndarray, which: np.ndarray, mode: str, values: np.ndarray) -> np.ndarray:
        """Put rotation values (k, C) of some of the objects; returns which of these have changed."""
        if mode != "AXIS_ANGLE":
            return _put(everything, rotation_path(mode), rows[which], values, np.ones(len(which), bool))
        return np.array([put_rotation(Owner(self._objects[k]), v) for k, v in zip(which, values, strict=True)], bool)


def canonical(turns: np.ndarray, mode: str) -> np.ndarray:
    """(n, C): quaternions (n, 4) as values of a rotation mode; of those that are the same, the ones next to zero."""
    turns = np.where(turns[:, :1] < 0.0, -turns, turns)
    if mode == "QUATERNION":
        return turns
    return rotation_channels(turns[:, None], mode, np.zeros(3 if mode != "AXIS_ANGLE" else 4) + _AT_REST[mode])[:, 0]


_AT_REST = {mode: (0.0, 0.0, 0.0, 1.0) if mode == "AXIS_ANGLE" else 0.0 for mode in _MODES.values()}


def put_location(owner: Owner, place: np.ndarray) -> None:
    """Set the location, unless it is the same."""
    wanted = _single(place)
    if _single(owner.object.location).tobytes() != wanted.tobytes():
        owner.object.location = wanted.tolist()


def put_rotation(owner: Owner, values: np.ndarray) -> bool:
    """Set rotation values, unless they are the same; True if they were others."""
    wanted = _single(values)
    if _single(owner.rotation_values).tobytes() == wanted.tobytes():
        return False
    setattr(owner.object, rotation_path(owner.rotation_mode), wanted.tolist())
    return True


def _put(everything, name: str, rows: np.ndarray, values: np.ndarray, taking: np.ndarray) -> np.ndarray:
    """Set a property of the objects in these rows that take it; returns which of them have changed."""
    shown = np.empty((len(everything), values.shape[1]), np.float32)
    everything.foreach_get(name, shown.ravel())
    wanted = _single(values)
    changed = taking & (shown[rows].view(np.int32) != wanted.view(np.int32)).any(axis=1)
    if changed.any():
        shown[rows[changed]] = wanted[changed]
        everything.foreach_set(name, shown.ravel())
    return changed


def _single(values: np.ndarray) -> np.ndarray:
    """As Blender keeps them; of two zeros always the same."""
    return np.ascontiguousarray(values, np.float32) + np.float32(0.0)
