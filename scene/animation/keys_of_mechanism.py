# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and tables of a mechanism become keyframes of the objects that `build` makes."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ...solver.mechanism import Keys, Table
from ...solver.mechanism.keyed_motion import sample_led
from ..geometry import poses

KEYFRAME = bpy.types.Keyframe.bl_rna.properties
INTERPOLATION = {kind: KEYFRAME["interpolation"].enum_items[kind].value for kind in ("LINEAR", "BEZIER")}
FREE = KEYFRAME["handle_left_type"].enum_items["FREE"].value


def key_motion(owner: bpy.types.Object, keys: Keys, scene: bpy.types.Scene) -> None:
    """Keyframes on location and quaternion; the curves between are the cubic spline through the keys."""
    from scipy.interpolate import CubicSpline

    frames = _frames(keys.times, scene)
    if len(frames) < 2:
        return
    positions = np.array(keys.positions, dtype=np.float64)
    rotations = poses.continuous(np.array(keys.orientations, dtype=np.float64))
    for path, values in (("location", positions), ("rotation_quaternion", rotations)):
        slopes = CubicSpline(frames, values)(frames, 1)
        for i in range(values.shape[1]):
            _add_curve(owner, path, i, frames, values[:, i], slopes[:, i])


def key_force_empty(
    owner: bpy.types.Object, point: list[float | Table], orientation: list[float | Table], scene: bpy.types.Scene
) -> None:
    """Keyframes where an Empty moves on its body. Its own location is that in the initial configuration."""
    if any(isinstance(number, Table) for number in orientation):
        owner.rotation_mode = "QUATERNION"
    for path, numbers in (("location", point), ("rotation_quaternion", orientation)):
        for i, number in enumerate(numbers):
            if isinstance(number, Table):
                _add_curve(owner, path, i, _frames(number.times, scene), np.array(number.values), None)


def at_start(numbers: Sequence[float | Table]) -> list[float]:
    """Each number at the time 0."""
    return [float(np.interp(0.0, n.times, n.values)) if isinstance(n, Table) else n for n in numbers]


def put_numbers(
    owner: bpy.types.Object,
    name: str,
    numbers: Sequence[float | Table],
    scene: bpy.types.Scene,
    first_index: int = 0,
    is_smooth: bool = False,
) -> None:
    """Set `owner.ves.<name>`, a number or a vector; key what is a table, by lines or as one that is met exactly."""
    is_vector = hasattr(getattr(owner.ves, name), "__len__")
    for index, number in enumerate(numbers, start=first_index):
        (start,) = at_start([number])
        if is_vector:
            getattr(owner.ves, name)[index] = start
        else:
            setattr(owner.ves, name, start)
        if isinstance(number, Table):
            frames, values = _frames(number.times, scene), np.array(number.values, dtype=np.float64)
            slopes = _slopes(number, scene) if is_smooth else None
            _add_curve(owner, f"ves.{name}", index if is_vector else 0, frames, values, slopes)


def put_gravity(scene: bpy.types.Scene, numbers: Sequence[float | Table]) -> None:
    """Set the scene's gravity, and key what is a table."""
    scene.gravity = at_start(numbers)
    for index, number in enumerate(numbers):
        if isinstance(number, Table):
            values = np.array(number.values, dtype=np.float64)
            _add_curve(scene, "gravity", index, _frames(number.times, scene), values, None)


def _slopes(table: Table, scene: bpy.types.Scene) -> np.ndarray:
    """Per frame: of the curve through a table that is met exactly."""
    return sample_led(table, np.array(table.times))[1] * scene.render.fps_base / scene.render.fps


def _frames(times: tuple[float, ...], scene: bpy.types.Scene) -> np.ndarray:
    return scene.frame_start + np.array(times, dtype=np.float64) * scene.render.fps / scene.render.fps_base


def _add_curve(
    owner: bpy.types.Object | bpy.types.Scene,
    path: str,
    index: int,
    frames: np.ndarray,
    values: np.ndarray,
    slopes: np.ndarray | None,
) -> None:
    """Add an F-curve to the owner's action: straight lines, or cubics with the given slopes (per frame)."""
    bag = _channelbag(owner)
    curve = bag.fcurves.new(path, index=index)
    points = curve.keyframe_points
    points.add(len(frames))
    points.foreach_set("co", np.stack([frames, values], axis=1).astype(np.float32).ravel())
    interpolation = INTERPOLATION["LINEAR" if slopes is None else "BEZIER"]
    points.foreach_set("interpolation", np.full(len(frames), interpolation, dtype=np.int32))
    if slopes is not None:
        for side, gaps in (
            ("left", np.diff(frames, prepend=frames[0] - 1.0)),
            ("right", np.diff(frames, append=frames[-1] + 1.0)),
        ):
            step = gaps / (-3.0 if side == "left" else 3.0)
            handle = np.stack([frames + step, values + slopes * step], axis=1)
            points.foreach_set(f"handle_{side}", handle.astype(np.float32).ravel())
            points.foreach_set(f"handle_{side}_type", np.full(len(frames), FREE, dtype=np.int32))
    curve.update()


def _channelbag(owner: bpy.types.Object | bpy.types.Scene) -> bpy.types.ActionChannelbag:
    animation = owner.animation_data or owner.animation_data_create()
    if animation.action is None:
        action = bpy.data.actions.new(owner.name)
        slot = action.slots.new(id_type=owner.id_type, name=owner.name)
        action.layers.new("Layer").strips.new(type="KEYFRAME")
        animation.action, animation.action_slot = action, slot
    strip = animation.action.layers[0].strips[0]
    return strip.channelbag(animation.action_slot, ensure=True)
