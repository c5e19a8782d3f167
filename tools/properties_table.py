# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/properties.md: one table of every property under Object.ves and Scene.ves, from what Blender was told.

Run with a Python that has bpy: `python tools/properties_table.py`. A test compares the page with what this makes.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "properties.md"
PACKAGE = "virtual_erector_set"

HEADER = """\
# Properties

Everything that a mechanism needs to know lives in the .blend, under `Object.ves` and `Scene.ves`. Panels, operators,
scripts and drivers all use these same properties: `bpy.context.object.ves.motion = "KEYED"`.

Numbers are in SI units (metre, kilogram, second, radian, newton), vectors along the world axes unless said otherwise.
Where a joint has a number per coordinate, the coordinates are: hinge and screw: angle; slider: travel; cylinder: angle
and travel; universal: angle about the parent's X, angle about the child's Y; ball: a rotation vector; planar: two
travels, angle. Coordinates that are angles stand in `rest`, `coordinates`, `speeds` and `motor_target`, travels in
`rest_travel`, `coordinates_travel`, `speeds_travel` and `motor_target_travel`, each at the index of its coordinate.
A generic joint has all its numbers at the index of their axis (X, Y, Z), those of its travels in the properties that
end in `_travel`, and a motor for each axis: `motor_mode_x`, ..., `motor_mode_turn_z`.

This page is made by `tools/properties_table.py`.

| Property | Name | Type | Default | Animatable | What it is |
|---|---|---|---|---|---|
"""


def page() -> str:
    """The whole page. The extension must be registered."""
    import bpy

    groups = [("Object.ves", bpy.types.Object), ("Scene.ves", bpy.types.Scene)]
    rows = [row for prefix, owner in groups for row in _rows(prefix, owner.bl_rna.properties["ves"].fixed_type)]
    return HEADER + "\n".join(rows) + "\n"


def _rows(prefix: str, group) -> Iterator[str]:
    """One row for each property of a group, in the order of the classes that define them."""
    for name in _defined_names(group):
        prop = group.properties[name]
        path = f"{prefix}.{prop.identifier}"
        cells = (f"`{path}`", prop.name, _type(prop), _default(prop), "yes" if prop.is_animatable else "", _text(prop))
        yield "| " + " | ".join(cells) + " |"
        if prop.type == "COLLECTION":
            yield from _rows(f"{path}[]", prop.fixed_type)


def _defined_names(group) -> list[str]:
    """The group's own properties first, then those of its mix-ins; not what every group has."""
    classes = {cls.__name__: cls for cls in sys.modules[PACKAGE].scene.properties.groups.CLASSES}
    bases = classes[group.identifier].__mro__
    return [name for cls in bases for name in vars(cls).get("__annotations__", {}) if name in group.properties]


def _type(prop) -> str:
    if prop.type == "ENUM":
        return " ".join(f"`{item.identifier}`" for item in prop.enum_items)
    if prop.type == "POINTER":
        return prop.fixed_type.identifier
    words = {"FLOAT": "number", "INT": "whole number", "BOOLEAN": "on/off", "STRING": "text", "COLLECTION": "list"}
    size = f"[{prop.array_length}]" if getattr(prop, "array_length", 0) else ""
    unit = getattr(prop, "unit", "NONE")
    return words[prop.type] + size + (f", {unit.lower()}" if unit != "NONE" else "")


def _default(prop) -> str:
    if prop.type in {"POINTER", "COLLECTION"} or (prop.type == "STRING" and not prop.default):
        return ""
    if prop.type == "ENUM":
        return f"`{prop.default}`"
    if prop.type == "BOOLEAN":
        return "on" if prop.default else "off"
    if getattr(prop, "array_length", 0):
        return ", ".join(f"{value:g}" for value in prop.default_array)
    return f"`{prop.default}`" if prop.type == "STRING" else f"{prop.default:g}"


def _text(prop) -> str:
    """The tooltip; choices of an enum with what they mean."""
    text = prop.description.replace("|", "\\|").replace("*", "\\*")
    if prop.type == "ENUM":
        choices = "; ".join(f"{item.name}: {_lower_first(item.description)}" for item in prop.enum_items)
        text += f". {choices}"
    return text


def _lower_first(text: str) -> str:
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def main() -> None:
    """Load the clone as the extension, write the page, and leave Blender clean."""
    spec = importlib.util.spec_from_file_location(PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    extension = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    extension.register()
    try:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")
    finally:
        extension.unregister()


if __name__ == "__main__":
    main()
