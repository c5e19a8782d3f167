# SPDX-License-Identifier: GPL-3.0-or-later
"""A table of force in a panel: its switch, and its rows or its curve."""

import bpy

from ..scene.parts.tables import curve_node, is_used, rows_of_table, shown_as, table_of
from .sidebar import settings_column

PER_SECOND = {"speed": "m/s", "spin": "rad/s"}


def draw_table(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """A menu that makes the table; once there is one, its switch, and beneath it rows or curve.

    Nothing of it takes keys, so it has a column of its own.
    """
    column, table = settings_column(layout).column(align=True), table_of(settings, name)
    head = column.row(align=True)
    if name == "PULL":
        head.prop(settings, "use_pull_table", text=title)
    elif table is None:
        head.operator_menu_enum("ves.shape_table", "shape", text=title, icon="IPO_EASE_IN_OUT").table = name
        return
    else:
        head.prop(table, "use", text=title)
    if not is_used(settings, name):
        return
    is_curve = table is not None and table.as_curve
    head.operator("ves.show_table_curve", text="", icon="FCURVE", depress=is_curve).table = name
    head.operator_menu_enum("ves.shape_table", "shape", text="", icon="PRESET").table = name
    if name != "PULL":
        head.operator("ves.remove_table", text="", icon="X").table = name
    if is_curve and curve_node(table) is not None:
        column.template_curve_mapping(curve_node(table), "mapping")
        column.prop(table, "width", text=f"Width ({_unit(settings, name)})")
        column.prop(table, "height", text="Height (N m)" if shown_as(settings, name) in TURNING else "Height (N)")
    else:
        _draw_rows(column, settings, name)
    if name.startswith("STOP"):
        column.prop(table, "dissipation")


TURNING = {"angle", "spin"}


def _unit(settings: bpy.types.PropertyGroup, name: str) -> str:
    return {"length": "m", "angle": "rad", **PER_SECOND}[shown_as(settings, name)]


def _draw_rows(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str) -> None:
    """A line for each row, with a button that takes it away."""
    place = shown_as(settings, name)
    units = column.row(align=True)
    units.label(text=f"{place.title()} ({_unit(settings, name)})")
    units.label(text="Torque (N m)" if place in TURNING else "Force (N)")
    for number, row in enumerate(rows_of_table(settings, name)):
        line = column.row(align=True)
        line.prop(row, place, text="")
        line.prop(row, "force", text="")
        remove = line.operator("ves.remove_pull_row", text="", icon="REMOVE")
        remove.row, remove.table = number, name
    column.operator("ves.add_pull_row", icon="ADD").table = name
