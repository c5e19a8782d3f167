# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` that gives springs, dampers and stops their force by tables; see `parts.tables`."""

import bpy
from bpy.props import BoolProperty, FloatProperty, PointerProperty

from .setting import OVERRIDABLE, hidden_text, list_setting, setting


def _changed(self: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Blender tells nobody of a property of ours, by which rows follow a curve that is drawn out, so it is told to."""
    self.id_data.update_tag()


def _seen_as(name: str, description: str, unit: str, precision: int = 3) -> FloatProperty:
    """The place of a row in a unit of its own."""
    return FloatProperty(
        name=name,
        description=description,
        precision=precision,
        unit=unit,
        options=set(),
        get=lambda self: self.at,
        set=lambda self, value: setattr(self, "at", value),
    )


class VES_PG_table_row(bpy.types.PropertyGroup):
    """A row of one of an object's tables."""

    table: hidden_text(name="Table", description="The table that the row belongs to")
    at: setting(
        FloatProperty,
        name="Place",
        description="What the force is over: length, depth, angle or rate, in SI units",
        precision=4,
    )
    force: setting(
        FloatProperty,
        name="Force",
        description="Force (N) or torque (N m) there; above 0 against what it is over: a spring pulls back, "
        "a damper resists",
        soft_min=-10000.0,
        soft_max=10000.0,
        precision=2,
    )
    length: _seen_as("Length", "Travel, or how deep", "LENGTH", 4)
    angle: _seen_as("Angle", "Angle of the joint, or how far past its limit", "ROTATION")
    speed: _seen_as("Rate", "How fast it gets longer, sinks or slides, per second; below 0 the other way", "VELOCITY")
    spin: _seen_as("Rate", "Angle turned per second; below 0 the other way", "ROTATION")


class VES_PG_table(bpy.types.PropertyGroup):
    """A table of force, beside its rows."""

    use: setting(
        BoolProperty,
        name="By Table",
        description="Give the force at single places or rates instead of one number. In between it follows a smooth "
        "curve without waves, and beyond the table it goes straight on",
        default=True,
    )
    as_curve: setting(
        BoolProperty,
        name="As Curve",
        description="Show the table as a curve whose points can be dragged, added and removed; they are its rows",
        default=False,
    )
    curve: PointerProperty(
        name="Curve",
        description="The node group that holds the curve",
        type=bpy.types.NodeTree,
        options=set(),
        override=OVERRIDABLE,
    )
    width: setting(
        FloatProperty,
        name="Width",
        description="What 1 along the curve's level axis stands for, in m, rad, m/s or rad/s",
        default=1.0,
        min=1e-6,
        soft_max=100.0,
        precision=4,
        update=_changed,
    )
    height: setting(
        FloatProperty,
        name="Height",
        description="The force (N) or torque (N m) that 1 along the curve's upright axis stands for: it makes all of "
        "it weaker or stronger",
        default=100.0,
        min=1e-6,
        soft_max=100000.0,
        precision=2,
        update=_changed,
    )
    dissipation: setting(
        FloatProperty,
        name="Dissipation",
        description="Of a soft limit, in s/m or s/rad: going in at a rate u it pushes 1 + dissipation u times as hard, "
        "and so many times less on its way out (Hunt and Crossley). 0 gives all back",
        default=0.0,
        min=0.0,
        soft_max=10.0,
        precision=3,
    )


class TableProperties:
    """Mixed into the property group of `Object.ves`."""

    tables: list_setting(
        name="Tables",
        description="Springs, dampers and soft limits that have their force by a table: its name is DAMPER or PUSH of "
        "a force, PULL of a spring, or of a joint PULL, DAMPER or STOP and the number of the coordinate",
        type=VES_PG_table,
    )
    table_rows: list_setting(
        name="Rows of Tables",
        description="The force at single places or rates, in any order",
        type=VES_PG_table_row,
    )
