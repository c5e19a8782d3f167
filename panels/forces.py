# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the active force or spring, and the gravity of the scene."""

import bpy

from ..scene.parts.feet import foot_places
from ..scene.parts.formulas import AXES, not_understood
from ..scene.parts.tables import is_used
from ..scene.properties.figures import MOST_WEIGHTS
from ..scene.properties.force_types import FORCES, TWO_ENDED
from .sidebar import (
    ORDER,
    Sidebar,
    active_with_role,
    draw_copy,
    draw_name,
    draw_visible,
    kept_while_playing,
    settings_column,
)
from .tables import draw_table


class VES_PT_gravity(Sidebar, bpy.types.Panel):
    """The scene's gravity, which all bodies feel."""

    bl_label = "Gravity"
    bl_order = ORDER["GRAVITY"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        """Blender's own switch."""
        self.layout.prop(context.scene, "use_gravity", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """Blender's own three numbers."""
        column = settings_column(self.layout)
        column.active = context.scene.use_gravity
        column.prop(context.scene, "gravity", text="Gravity")


class VES_PT_force(Sidebar, bpy.types.Panel):
    """The active force."""

    bl_label = "Force"
    bl_order = ORDER["FORCE"]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a force."""
        return active_with_role(context, "FORCE") is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Only what its type uses."""
        force = context.active_object
        settings = force.ves
        draw_name(self.layout, force, FORCES[settings.force_type].icon)
        column = settings_column(self.layout, decorate=True)
        column.active = settings.enabled
        kept = kept_while_playing(column)
        kept.prop(settings, "force_type")
        kept.prop(settings, "body_a", text=FIRST.get(settings.force_type, "Body"))
        OWN.get(settings.force_type, _draw_settings)(column, settings)
        draw_visible(self.layout, force)
        draw_copy(self.layout, context)


FIRST = dict.fromkeys(TWO_ENDED, "First Body") | {"STEERING": "Frame", "REACH": "Hand"}


def _draw_settings(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    for shown in FORCES[settings.force_type].shown(settings):
        if isinstance(shown, str):
            column.prop(settings, shown)
        else:
            column.prop(settings, shown[0], text=shown[1])


def _draw_spring(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.prop(settings, "body_b", text="Second Body")
    if settings.body_a is None or settings.body_b is None:
        column.prop(settings, "to_world")
    is_rubber, has_table = settings.force_type == "RUBBER", is_used(settings, "PULL")
    if not has_table:
        column.prop(settings, "spring_stiffness")
    if not is_used(settings, "DAMPER"):
        column.prop(settings, "spring_damping")
    if is_rubber:
        column.prop(settings, "restitution")
    if not has_table:
        column.prop(settings, "use_rest_length")
        if settings.use_rest_length:
            column.prop(settings, "rest_length")
    draw_table(column, settings, "PULL", "Force by Table")
    draw_table(column, settings, "DAMPER", "Damper by Table")
    column.prop(settings, "point_b")


def _draw_support(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Numbers, or the tables that stand for them."""
    by_table = {"support_stiffness": "PUSH", "support_damping": "DAMPER"}
    for shown in FORCES["SUPPORT"].shown(settings):
        if shown not in by_table or not is_used(settings, by_table[shown]):
            column.prop(settings, shown)
    draw_table(column, settings, "PUSH", "Push by Table")
    draw_table(column, settings, "DAMPER", "Damper by Table")


def _draw_balance(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.operator("ves.set_feet", icon="PINNED")
    for foot in settings.balance_feet:
        column.prop(foot, "body")
    _draw_weights(column, settings)
    column.prop(settings, "use_balance_directions")
    numbers = FORCES["BALANCE"].lists if settings.use_balance_directions else FORCES["BALANCE"].values
    place = column.column(heading="Place")
    place.prop(settings, numbers["frequency"])
    place.prop(settings, numbers["damping_ratio"])
    turn = column.column(heading="Upright")
    turn.prop(settings, numbers["orientation_frequency"])
    turn.prop(settings, numbers["orientation_damping_ratio"])
    column.prop(settings, "use_balance_max_torque")
    if settings.use_balance_max_torque:
        column.prop(settings, "balance_max_torque")
    column.prop(settings, "use_balance_steps")
    if settings.use_balance_steps:
        column.prop(settings, "balance_step_time")
        column.prop(settings, "balance_step_height")
    column.prop(settings, "use_balance_loads")
    if settings.use_balance_loads:
        column.prop(settings, "balance_load_time")


def _draw_weights(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Of each foot its own weight and lift."""
    column.prop(settings, "use_balance_weights")
    if not settings.use_balance_weights:
        return
    for k in (k for k in foot_places(settings) if k < MOST_WEIGHTS):
        own = column.column(align=True)
        own.prop(settings, "balance_weights", index=k, text=f"Weight {settings.balance_feet[k].body.name}")
        own.prop(settings, "balance_lifts", index=k, text="Lift")


def _draw_expression(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Beneath a field that is not understood stands why."""
    wrong = not_understood(settings)
    for axis in AXES:
        column.prop(settings, f"expression_{axis}")
        if axis in wrong:
            column.label(text=wrong[axis][0].upper() + wrong[axis][1:], icon="ERROR")
    column.prop(settings, "expression_axes")
    given = column.column(align=True)
    for letter in "abc":
        given.prop(settings, f"expression_{letter}")


def _draw_steering(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.prop(settings, "body_b", text="Fork")
    for shown in ("wheelbase", "center_height"):
        column.prop(settings, shown)
    lean = column.column(heading="Upright")
    lean.prop(settings, "lean_frequency")
    lean.prop(settings, "lean_damping_ratio")
    for shown in ("arm_stiffness", "arm_damping", "use_arm_max_torque"):
        column.prop(settings, shown)
    if settings.use_arm_max_torque:
        column.prop(settings, "arm_max_torque")
    column.prop(settings, "way")
    if settings.way != "UPRIGHT":
        column.prop(settings, "heading" if settings.way == "HEADING" else "ride_target")
        column.prop(settings, "heading_time")
        column.prop(settings, "max_lean")


OWN = {
    "BALANCE": _draw_balance,
    "EXPRESSION": _draw_expression,
    "SPRING": _draw_spring,
    "RUBBER": _draw_spring,
    "STEERING": _draw_steering,
    "SUPPORT": _draw_support,
}
"""Types whose settings are not a plain list."""

CLASSES = (VES_PT_force, VES_PT_gravity)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
