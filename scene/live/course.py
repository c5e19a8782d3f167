# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of what leads a live linkage: now, as Blender has evaluated it, and at other frames, by its own keyframes.

Other frames are looked at without setting them, so this may be asked in the midst of a frame change or a render. That
works for drives of joints, and for bodies that stand or have keys of their own and nothing else that moves them. What
is moved by parents, constraints or drivers is known only now.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion, Vector

from ..animation.animated import has_moving_transform, moves_by_itself
from ..findings import Finding
from ..geometry import poses
from ..owner import TRANSFORMS, Owner, rotation_path
from ..properties.joint import drive_path

FARTHEST = 1e9  # rad or m, of a drive: beyond, the last digit is more than a linkage may be open
Curves = dict[tuple[str, int], bpy.types.FCurve]


class Place(NamedTuple):
    """Values (D,) of drives in rad or m, and poses of bodies (B, 3) in m, (B, 4), where only leaders' count."""

    values: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray


class Course:
    """The leaders of one mechanism. drives: joints' Empties; leaders: {row of the mechanism's bodies: object}."""

    def __init__(
        self, drives: Sequence[bpy.types.Object], leaders: dict[int, bpy.types.Object], positions, orientations
    ) -> None:
        self._drives, self._leaders = drives, leaders
        self._drawn = np.array(positions, float), np.array(orientations, float)
        self.look()

    def look(self) -> None:
        """Look for keyframes anew: Python is not told that Blender has freed a curve."""
        drives, leaders = self._drives, self._leaders
        paths = (*TRANSFORMS, "scale")
        self._curves = {ob: _curves_of(ob, (drive_path(ob.ves),)) for ob in drives}
        self._curves |= {ob: _curves_of(ob, paths) for ob in leaders.values()}
        self.is_known = all(map(_is_known, leaders.values())) and not any(map(_is_driven, drives))

    def now(self, depsgraph: bpy.types.Depsgraph) -> Place:
        """As it is evaluated."""
        values = [drive_value(ob.evaluated_get(depsgraph) if ob.animation_data else ob) for ob in self._drives]
        return self._place(values, {row: Owner(ob).world(depsgraph) for row, ob in self._leaders.items()})

    def ahead(self, frame: float) -> Place:
        """At a frame that is not evaluated yet: by keyframes; what has none is where it was shown last."""
        shown = {row: np.array(Owner(ob).matrix, dtype=np.float64) for row, ob in self._leaders.items()}
        return self.at(frame, self._place([drive_value(ob) for ob in self._drives], shown))

    def at(self, frame: float, now: Place) -> Place:
        """By keyframes; what has none is where it is now."""
        values = now.values.copy()
        for i, ob in enumerate(self._drives):
            curve = self._curves[ob].get((drive_path(ob.ves), 0))
            if curve is not None:
                values[i] = np.float32(curve.evaluate(frame))
        place = Place(values, now.positions.copy(), now.orientations.copy())
        for row, ob in self._leaders.items():
            if self._curves[ob]:
                pose = poses.split(np.array(_matrix_at(ob, self._curves[ob], frame), dtype=np.float64))
                place.positions[row], place.orientations[row] = pose.position, pose.orientation
        return place

    def astray(self, place: Place) -> list[Finding]:
        """Findings on drives and leaders whose values are no numbers, or no sensible ones."""
        found = [
            Finding(ob, "its drive is no number, or far too large, so its linkage stays where it was: give it another")
            for ob, value in zip(self._drives, place.values, strict=True)
            if not abs(value) < FARTHEST
        ]
        return found + [
            Finding(ob, "is nowhere (its place is no number), so its linkage stays where it was: give it a place")
            for row, ob in self._leaders.items()
            if not np.isfinite([*place.positions[row], *place.orientations[row]]).all()
        ]

    @property
    def key(self) -> tuple:
        """Different if any of the keyframes is."""
        found = []
        for ob, curves in self._curves.items():
            for (path, index), curve in curves.items():
                numbers = np.empty(6 * len(curve.keyframe_points), np.float32)
                for k, name in enumerate(("co", "handle_left", "handle_right")):
                    part = numbers[2 * k * len(curve.keyframe_points) : 2 * (k + 1) * len(curve.keyframe_points)]
                    curve.keyframe_points.foreach_get(name, part)
                found.append((ob.session_uid, path, index, numbers.tobytes()))
        return tuple(found)

    def _place(self, values: list[float], matrices: dict[int, np.ndarray]) -> Place:
        positions, orientations = self._drawn[0].copy(), self._drawn[1].copy()
        for row, matrix in matrices.items():
            pose = poses.split(matrix)
            positions[row], orientations[row] = pose.position, pose.orientation
        return Place(np.array(values, float), positions, orientations)


def drive_value(joint: bpy.types.Object) -> float:
    """rad or m: of a joint's Empty."""
    return float(joint.ves.path_resolve(drive_path(joint.ves).removeprefix("ves.")))


def _is_known(ob: bpy.types.Object) -> bool:
    """True if a body's place at other frames follows from its own keyframes, or does not change."""
    if not moves_by_itself(ob):
        return True
    data = ob.animation_data
    tied = ob.parent is not None or any(not constraint.mute for constraint in ob.constraints)
    return not tied and has_moving_transform(ob) and not data.drivers and not data.nla_tracks


def _is_driven(joint: bpy.types.Object) -> bool:
    data = joint.animation_data
    return data is not None and bool(len(data.drivers) or len(data.nla_tracks))


def _curves_of(ob: bpy.types.Object, wanted: Sequence[str]) -> Curves:
    data = ob.animation_data
    if data is None or data.action is None or data.action_slot is None:
        return {}
    strips = [strip for layer in data.action.layers for strip in layer.strips]
    bags = [bag for bag in (strip.channelbag(data.action_slot) for strip in strips) if bag is not None]
    return {
        (curve.data_path, curve.array_index): curve
        for bag in bags
        for curve in bag.fcurves
        if curve.data_path in wanted and not curve.mute
    }


def _matrix_at(ob: bpy.types.Object, curves: Curves, frame: float) -> Matrix:
    """The world matrix of an object without a parent, by its curves."""

    def values(path: str) -> list[float]:
        shown = getattr(ob, path)
        return [
            curves[path, i].evaluate(frame) if (path, i) in curves else float(number) for i, number in enumerate(shown)
        ]

    mode = ob.rotation_mode
    numbers = values(rotation_path(mode))
    if mode == "QUATERNION":
        turn = ob.delta_rotation_quaternion @ Quaternion(numbers).normalized()
    elif mode == "AXIS_ANGLE":
        turn = Quaternion(Vector(numbers[1:]), numbers[0])
    else:
        turn = ob.delta_rotation_euler.to_quaternion() @ Euler(numbers, mode).to_quaternion()
    scale = Vector(a * b for a, b in zip(values("scale"), ob.delta_scale, strict=True))
    return Matrix.LocRotScale(Vector(values("location")) + ob.delta_location, turn, scale)
