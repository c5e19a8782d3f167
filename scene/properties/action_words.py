# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that actions set, as the panels have them: their names, units and present values. Angles are in degrees.

In an action itself they stand as in the mechanism file: under its keys, in SI units and radians.
"""

import json
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy

from ...solver.mechanism import JointMotor
from .action_targets import MOTOR, changeable_numbers
from .force_types import FORCES
from .joint import ANGLE, coordinate_kinds, coordinate_values
from .roles import backlash_of

SETTINGS = {
    "JOINT": {f"{MOTOR}{name}": f"motor_{name}" for name in ("value", "target", "stiffness", "damping", "max_force")},
    "PULLEY": {"length": "distance", "ratio": "rope_ratio"},
    "ROPE": {"length": "distance"},
    "GEAR": {"ratio": "gear_ratio", "restitution": "tooth_bounciness"},
    "RACK": {"radius": "pinion_radius", "restitution": "tooth_bounciness"},
}
"""Settings of `Object.ves` that have another name than the file's key, by role; those of forces are in `FORCES`."""
UNITS = {
    "force": "N", "torque": "N m", "linear": "N s/m", "angular": "N m s/rad", "damping": "N s/m", "max_force": "N",
    "stiffness": "N/m", "height": "m", "slope": "N s/m", "rest_length": "m", "area": "m²", "coefficient": "N s²/m²",
    "wind": "m/s", "acceleration": "m/s²", "position": "m", "frequency": "Hz", "orientation_frequency": "Hz",
    "max_torque": "N m", "distance": "m", "length": "m", "radius": "m", "backlash": "°", "backlash_travel": "m",
    "lifts": "m", "heading": "°", "max_lean": "°", "heading_time": "s",
}  # fmt: skip
OWN_UNITS = {"STEERING": {"stiffness": "N m/rad", "damping": "N m s/rad"}}
"""Of forces that turn."""
JOINT_UNITS = {
    "stiffness": ("N m/rad", "N/m"), "rest": ("°", "m"), "damping": ("N m s/rad", "N s/m"), "friction": ("N m", "N"),
    "static_friction": ("N m", "N"),
    "armature": ("kg m²", "kg"), "value": ("N m", "N"), "target": ("°", "m"), "max_force": ("N m", "N"),
}  # fmt: skip
"""Of an angle, and of a travel."""


class Number(NamedTuple):
    """A number of a target: its name and tooltip in the panels, a unit per component, and its present value in SI."""

    label: str
    text: str
    units: tuple[str, ...]
    present: tuple[float, ...]

    def in_words(self, values: Sequence[float]) -> str:
        """`Force 0, 0, 500 N`, `Target 30°`."""
        shown = [f"{shown_value(value, unit):.4g}" for value, unit in zip(values, self.units, strict=False)]
        units = set(self.units)
        if len(units) > 1:
            return f"{self.label} " + ", ".join(map(_with_unit, shown, self.units))
        return f"{self.label} " + _with_unit(", ".join(shown), *units)


def number_of(target: bpy.types.Object, key: str) -> Number:
    """A number of the target, as the panels know it."""
    settings = target.ves
    kind = settings.force_type if settings.role == "FORCE" else settings.role
    name = (FORCES[kind].values if kind in FORCES else SETTINGS.get(kind, {})).get(key, key)
    is_speed = kind == "JOINT" and key == f"{MOTOR}target" and settings.motor_mode == "SPEED"
    name = "motor_speed" if is_speed else name
    name = backlash_of(settings) if key == "backlash" else name
    prop = settings.bl_rna.properties.get(name)
    count = changeable_numbers(target)[key]
    unit = OWN_UNITS.get(kind, {}).get(key) or UNITS.get(name if key == "backlash" else key, "")
    units = (unit,) * count if kind != "JOINT" else _units_of_joint(settings, key, is_speed)
    present = () if prop is None else _present(settings, name, units)
    label = key.replace("_", " ").title() if prop is None else prop.name
    return Number(label, "" if prop is None else prop.description, units, present)


def shown_value(value: float, unit: str) -> float:
    """In degrees if it is an angle."""
    return math.degrees(value) if unit.startswith("°") else value


def in_words(settings: dict[str, Any], target: bpy.types.Object | None) -> str:
    """Settings of an action as a person reads them: `on`, `Force 0, 0, 500 N`."""
    return ", ".join(_one_in_words(name, value, target) for name, value in settings.items())


def numbers_in(text: str, target: bpy.types.Object | None) -> tuple[str, list[float]] | None:
    """Key and components of the one number that the settings of an action give its target; None if it is not one."""
    settings = parsed(text)
    if settings is None or len(settings) != 1:
        return None
    ((key, value),) = settings.items()
    if key == "motor" and isinstance(value, dict) and str(value.get("mode")) in JointMotor.KEYS_OF_MODE:
        name = JointMotor.KEYS_OF_MODE[value["mode"]][0][0]
        key, value = MOTOR + name, value.get(name)
    values = value if isinstance(value, list) else [value]
    count = changeable_numbers(target).get(key)
    is_plain = all(isinstance(number, int | float) and not isinstance(number, bool) for number in values)
    return (key, values) if is_plain and len(values) == count else None


def with_numbers(text: str, target: bpy.types.Object, values: Sequence[float]) -> str:
    """The settings of an action with other components of its number; of those that it has."""
    found = numbers_in(text, target)
    if found is None:
        return text
    settings, (key, before) = parsed(text), found
    after = [float(value) for value in values][: len(before)]
    if key.startswith(MOTOR):
        settings["motor"][key.removeprefix(MOTOR)] = after
    else:
        settings[key] = after if isinstance(settings[key], list) else after[0]
    return json.dumps(settings)


def parsed(text: str) -> dict[str, Any] | None:
    """The settings in a text; None if that is none."""
    try:
        settings = json.loads(text)
    except ValueError:
        return None
    return settings if isinstance(settings, dict) else None


def _units_of_joint(settings: bpy.types.PropertyGroup, key: str, is_speed: bool) -> tuple[str, ...]:
    pair = JOINT_UNITS.get(key.removeprefix(MOTOR), ("", ""))
    pair = tuple(f"{unit}/s" for unit in pair) if is_speed else pair
    return tuple(pair[kind != ANGLE] for kind in coordinate_kinds(settings))


def _present(settings: bpy.types.PropertyGroup, name: str, units: tuple[str, ...]) -> tuple[float, ...]:
    """Of coordinates that are travels the values stand in a setting beside that of the angles.

    Nothing of three numbers that are set as one, as those of a brake, unless they are equal.
    """
    if settings.role == "JOINT":
        return tuple(float(number) for number in coordinate_values(settings, name))
    beside = getattr(settings, f"{name}_travel", None) if settings.role == "FORCE" else None
    value = getattr(settings, name)
    values = list(value) if hasattr(value, "__len__") else [value]
    if beside is not None:
        values = [
            other if unit.startswith("m") else own for own, other, unit in zip(values, beside, units, strict=False)
        ]
    if len(units) == 1 and len(set(values)) > 1 and beside is None and settings.role == "FORCE":
        return ()
    return tuple(float(number) for number in values[: len(units)])


def _one_in_words(name: str, value: Any, target: bpy.types.Object | None) -> str:
    if name == "enabled":
        return "on" if value else "off"
    if name == "released":
        return "let go" if value else "taken back"
    if name == "orientation":
        return "steer"
    found = numbers_in(json.dumps({name: value}), target)
    if found is not None:
        return number_of(target, found[0]).in_words(found[1])
    if isinstance(value, dict):
        entries = ((key, entry) for key, entry in value.items() if key != "mode")
        return f"{name} " + ", ".join(_one_in_words(key, entry, None) for key, entry in entries)
    if isinstance(value, list):
        return f"{name} " + ", ".join(map(_entry_in_words, value))
    return f"{name} {value:g}" if isinstance(value, int | float) else f"{name} {value}"


def _entry_in_words(entry: Any) -> str:
    """An entry of a list; a component of an expression is as it was written."""
    if isinstance(entry, int | float):
        return f"{entry:g}"
    return entry if isinstance(entry, str) else "..."


def _with_unit(number: str, unit: str) -> str:
    return number + unit if unit.startswith("°") else f"{number} {unit}".rstrip()
