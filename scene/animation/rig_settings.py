# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a rig, custom properties of its bones or itself, that a bake or Play holds at a value.

A switch from IK to FK, or whether a head follows the body: drivers of the rig's constraints read them. Also whether IK
stretches, of a constraint. Which ones, and at which values, is kept with the armature (`Object.ves.held_settings`), by
data paths.
"""

import json
import re

import bpy

Value = bool | int | float
_CUSTOM = re.compile(r'^(?:(?P<holder>.+))?\["(?P<name>(?:[^"\\]|\\.)*)"\]$')
STRETCH = "use_stretch"


def held_settings(armature: bpy.types.Object) -> dict[str, Value]:
    """Values by data paths; only of what is there and is a number."""
    held = from_text(armature.original.ves.held_settings)
    return {path: value for path, value in held.items() if value_of(armature, path) is not None}


def hold_settings(armature: bpy.types.Object, held: dict[str, Value]) -> None:
    """Note what is to be held from now on."""
    armature.ves.held_settings = as_text(held)


def as_text(values: dict[str, Value]) -> str:
    """Values by data paths as a text: custom properties can't have names as long as these."""
    return json.dumps(values) if values else ""


def from_text(text: object) -> dict[str, Value]:
    """The value that `as_text` was given; of anything else the numbers, if there are any."""
    try:
        values = json.loads(text) if text else {}
    except (TypeError, ValueError):
        return {}
    return {path: value for path, value in values.items() if _is_number(value)} if isinstance(values, dict) else {}


def value_of(armature: bpy.types.Object, path: str) -> Value | None:
    """The present value of a setting; None if there is no such number."""
    holder, name = _found(armature, path)
    if name == STRETCH and isinstance(holder, bpy.types.KinematicConstraint):
        return holder.use_stretch
    value = None if holder is None else holder.get(name)
    return value if _is_number(value) else None


def set_value(armature: bpy.types.Object, path: str, value: Value) -> None:
    """Give a setting a value, of its own type; drivers act on it with the next update."""
    holder, name = _found(armature, path)
    if name == STRETCH and isinstance(holder, bpy.types.KinematicConstraint):
        holder.use_stretch = bool(value)
    elif holder is not None and _is_number(holder.get(name)):
        holder[name] = type(holder[name])(value)
        armature.update_tag()


def drivers_of_influence(armature: bpy.types.Object) -> dict[str, list[str]]:
    """Data paths of the settings that drive each influence of a constraint of a bone, by that influence's path."""
    found: dict[str, list[str]] = {}
    animation = armature.animation_data
    for curve in animation.drivers if animation else ():
        if curve.mute or not curve.data_path.endswith(".influence"):
            continue
        targets = [target for variable in curve.driver.variables for target in variable.targets]
        paths = [each.data_path for each in targets if each.id == armature]
        paths = [path for path in paths if value_of(armature, path) is not None]
        if paths:
            found[curve.data_path] = paths
    return found


def _found(armature: bpy.types.Object, path: str) -> tuple[bpy.types.bpy_struct | None, str]:
    """The holder of a custom property, and its name."""
    parts = _CUSTOM.match(path)
    if parts is None and not path.endswith(f".{STRETCH}"):
        return None, ""
    try:
        if parts is None:
            holder = armature.path_resolve(path.removesuffix(f".{STRETCH}"))
            return (holder if isinstance(holder, bpy.types.KinematicConstraint) else None), STRETCH
        holder = armature.path_resolve(parts["holder"]) if parts["holder"] else armature
    except ValueError:
        return None, ""
    return (holder if hasattr(holder, "keys") else None), bpy.utils.unescape_identifier(parts["name"])


def _is_number(value: object) -> bool:
    return isinstance(value, bool | int | float)
