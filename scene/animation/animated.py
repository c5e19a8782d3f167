# SPDX-License-Identifier: GPL-3.0-or-later
"""The animation of an object: keyframes, drivers and NLA strips, constraints and parents."""

from collections.abc import Iterator

import bpy

from ..curves.fcurves import animated_paths, own_curves

PLOT = "Plot: "
"""Custom properties that Inspect has plotted begin so; their curves move nothing."""

TRANSFORMS = ("location", "rotation_", "scale", "delta_")


def drivers_by_motion(ob: bpy.types.Object) -> Iterator[tuple[str, bpy.types.Object]]:
    """(data path that a driver sets, object whose place or turn it reads), of each such driver of an object."""
    for curve in ob.animation_data.drivers if ob.animation_data is not None else ():
        for variable in curve.driver.variables:
            for target in variable.targets:
                reads_motion = variable.type != "SINGLE_PROP" or target.data_path.startswith((*TRANSFORMS, "matrix_"))
                if isinstance(target.id, bpy.types.Object) and reads_motion and variable.type != "CONTEXT_PROP":
                    yield curve.data_path, target.id


def broken_drivers(ob: bpy.types.Object) -> list[str]:
    """Data paths that drivers of an object set, if Blender could: their expressions fail, or may not run."""
    drivers = ob.animation_data.drivers if ob.animation_data is not None else ()
    return [curve.data_path for curve in drivers if not (curve.mute or curve.driver.is_valid)]


def key_frames(ob: bpy.types.Object, data_path: str) -> list[float]:
    """The frames at which the object's own action has keys of the property."""
    return [key.co.x for curve in own_curves(ob) if curve.data_path == data_path for key in curve.keyframe_points]


def shift_keys(ob: bpy.types.Object, data_path: str, index: int, by: float) -> None:
    """Raise the keys of a property, with their handles, in the object's own action."""
    for curve in own_curves(ob):
        if curve.data_path == data_path and curve.array_index == index:
            for key in curve.keyframe_points:
                key.handle_left.y, key.handle_right.y = key.handle_left.y + by, key.handle_right.y + by
                key.co.y += by
            curve.update()


def is_animated(ob: bpy.types.Object, data_path: str) -> bool:
    """True if the property has keyframes or a driver of its own, e.g. "ves.path_time"."""
    return data_path in animated_paths(ob)


def has_moving_transform(ob: bpy.types.Object) -> bool:
    """True if the object's own location, rotation or scale is animated."""
    return any(path.startswith(TRANSFORMS) for path in animated_paths(ob))


def _is_carried(ob: bpy.types.Object) -> bool:
    """True if the way of parenting moves the object even where the parent's own transform stands still."""
    follows_curve = ob.parent.type == "CURVE" and ob.parent.data.use_path and ob.parent_type == "OBJECT"
    return follows_curve or ob.parent_type in {"BONE", "ARMATURE", "VERTEX", "VERTEX_3"}


def moves_by_itself(ob: bpy.types.Object, up_to: bpy.types.Object | None = None) -> bool:
    """True if keyframes, drivers, constraints or an animated parent move the object.

    With `up_to`, one of its parents, whether it moves relative to that.
    """
    while ob is not None and ob != up_to:
        if has_moving_transform(ob) or any(not constraint.mute for constraint in ob.constraints):
            return True
        if ob.parent is not None and _is_carried(ob):
            return True
        ob = ob.parent
    return False
