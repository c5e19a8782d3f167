# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the active joint: its bodies, spring, motor and start."""

import bpy

from ..scene.animation.animated import is_animated
from ..scene.live.live import moved_by
from ..scene.parts.tables import of_coordinate
from ..scene.properties.joint import (
    AXES,
    can_drive,
    coordinate_kinds,
    coordinate_labels,
    coordinate_values,
    drive_path,
    free_axes,
    has_motor_maximum,
    motor_mode,
    motor_mode_of,
    slot,
    stopping_coordinates,
    type_of,
)
from .constraints import draw_catching
from .ride import draw_ride
from .sidebar import (
    ORDER,
    Sidebar,
    active_with_role,
    draw_copy,
    draw_name,
    draw_text,
    kept_while_playing,
    settings_column,
)
from .tables import draw_table

MOVED = 8  # bodies that a drive moves, by name


def shown_coordinates(settings: bpy.types.PropertyGroup) -> list[int]:
    """The numbers of the coordinates whose fields are drawn: all, or of a generic joint that of the axis chosen."""
    if settings.joint_type != "GENERIC":
        return list(range(len(coordinate_kinds(settings))))
    return [c for c, axis in enumerate(free_axes(settings)) if identifier(axis) == settings.shown_axis]


def identifier(axis: str) -> str:
    """That of an axis in `shown_axis`."""
    return axis.upper().replace(" ", "_")


def draw_values(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """One field per coordinate of a setting that is an angle or a travel, in its own unit."""
    _draw_fields(layout, settings, name, title, coordinate_labels(type_of(settings)))


def draw_rates(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """The same of a setting that is a spin or a speed."""
    _draw_fields(layout, settings, name, title, coordinate_labels(type_of(settings), "Spin", "Speed"))


def _draw_fields(
    layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str, labels: tuple[str, ...]
) -> None:
    column = layout.column(align=True)
    for place, i in enumerate(shown_coordinates(settings)):
        path, index = slot(settings, name, i)
        column.prop(settings, path, index=index, text=f"{title} {labels[i]}" if place == 0 else labels[i])


def draw_numbers(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """One field per coordinate of a setting without a unit of its own, under a heading if there are several."""
    column = layout.column(align=True)
    labels, shown = coordinate_labels(type_of(settings)), shown_coordinates(settings)
    if len(shown) > 1:
        column.label(text=title)
    for i in shown:
        path, index = slot(settings, name, i)
        column.prop(settings, path, index=index, text=labels[i] if len(shown) > 1 else title)


def draw_limits(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Two fields per coordinate, each with its own switch, as Blender's own limits have them."""
    labels, stops = coordinate_labels(type_of(settings)), stopping_coordinates(settings)
    for i in shown_coordinates(settings):
        column, is_used = layout.column(align=True), False
        for side in ("lower", "upper"):
            row = column.row(align=True, heading=f"{labels[i]} {'Min' if side == 'lower' else 'Max'}")
            path, index = slot(settings, f"use_{side}_limit", i)
            row.prop(settings, path, index=index, text="")
            value = row.row(align=True)
            has_limit = value.active = getattr(settings, path)[index]
            is_used |= has_limit
            path, index = slot(settings, f"{side}_limit", i)
            value.prop(settings, path, index=index, text="")
        if i in stops:
            bounciness = column.row(align=True)
            bounciness.active = is_used
            path, index = slot(settings, "bounciness", i)
            bounciness.prop(settings, path, index=index)
            if is_used:
                draw_table(column, settings, of_coordinate("STOP", settings, i), "Soft Limit")


def draw_axes(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """A row for each axis of a generic joint: locked or free, what acts on it, and a button that shows its numbers."""
    column = layout.column(align=True)
    for k, axis in enumerate(AXES):
        name, index = ("lock_travel", k) if k < 3 else ("lock_turn", k - 3)
        is_locked = getattr(settings, name)[index]
        row = column.row(align=True)
        row.prop(
            settings, name, index=index, text=axis.title(), toggle=True, icon="LOCKED" if is_locked else "UNLOCKED"
        )
        rest = row.row(align=True)
        rest.enabled = not is_locked
        rest.label(text="" if is_locked else what_acts(settings, axis))
        rest.prop_enum(settings, "shown_axis", identifier(axis), text="", icon="PREFERENCES")


def what_acts(settings: bpy.types.PropertyGroup, axis: str) -> str:
    """The forces and limits on a free axis of a generic joint, in a few words."""
    c = free_axes(settings).index(axis)

    def has(name: str) -> bool:
        path, index = slot(settings, name, c)
        return bool(getattr(settings, path)[index])

    words = [word for word, name in (("Spring", "stiffness"), ("Damper", "damping")) if has(name)]
    words += ["Friction"] if has("friction") or has("static_friction") else []
    words += ["Limits"] if has("use_lower_limit") or has("use_upper_limit") else []
    mode = motor_mode(settings, c)
    words += {"NONE": [], "KEYED": ["Keyed"]}.get(mode, [f"{mode.title()} Motor"])
    return ", ".join(words) or "Free"


class JointPanel(Sidebar):
    """Mixed into the panels below that of the joint; a weld has no coordinates and so nothing to set there."""

    bl_parent_id = "VES_PT_joint"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for joints that can move."""
        joint = active_with_role(context, "JOINT")
        return joint is not None and bool(shown_coordinates(joint.ves))


class VES_PT_joint(Sidebar, bpy.types.Panel):
    """The active joint."""

    bl_label = "Joint"
    bl_order = ORDER["JOINT"]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a joint."""
        return active_with_role(context, "JOINT") is not None

    def draw(self, context: bpy.types.Context) -> None:
        """The joint's bodies and its type."""
        joint = context.active_object
        settings = joint.ves
        draw_name(self.layout, joint, "EMPTY_AXIS")
        column = settings_column(self.layout)
        column.active = settings.enabled
        kept = kept_while_playing(column)
        kept.prop(settings, "joint_type")
        if settings.joint_type == "SCREW":
            kept.prop(settings, "pitch", text="Pitch per Radian")
        kept.prop(settings, "body_a", text="Parent")
        if settings.body_a is None:
            kept.prop(settings, "to_world")
        kept.prop(settings, "body_b", text="Child")
        if settings.joint_type == "GENERIC":
            draw_axes(kept, settings)
        if settings.joint_type == "CONTACT":
            draw_ride(kept, settings)
        else:
            kept.prop(settings, "anchor_b")
        draw_copy(self.layout, context)


class VES_PT_joint_catch(Sidebar, bpy.types.Panel):
    """The joint's ends, when it is switched on while they are apart."""

    bl_label = "Catch"
    bl_parent_id = "VES_PT_joint"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for joints that draw their ends together; welds do too."""
        joint = active_with_role(context, "JOINT")
        return joint is not None and joint.ves.joint_type not in {"CONTACT", "SCREW"}

    def draw(self, context: bpy.types.Context) -> None:
        """The fields of catching."""
        column = settings_column(self.layout)
        column.active = context.active_object.ves.enabled
        draw_catching(column, context.active_object.ves)


class VES_PT_joint_spring(JointPanel, bpy.types.Panel):
    """Spring, damper, dry friction and inertia at the joint."""

    bl_label = "Spring and Damper"

    def draw(self, context: bpy.types.Context) -> None:
        """The rest value matters only to a spring; all of it can be animated."""
        settings = context.active_object.ves
        column = settings_column(self.layout, decorate=True)
        draw_numbers(column, settings, "stiffness", "Stiffness")
        paths = {slot(settings, "stiffness", c) for c in shown_coordinates(settings)}
        if any(
            getattr(settings, path)[index] or is_animated(context.active_object, f"ves.{path}") for path, index in paths
        ):
            draw_values(column, settings, "rest", "Rest")
        draw_numbers(column, settings, "damping", "Damping")
        draw_numbers(column, settings, "friction", "Friction")
        draw_numbers(column, settings, "static_friction", "Static Friction")
        if any(coordinate_values(settings, "static_friction")):
            draw_numbers(settings_column(self.layout), settings, "stribeck_speed", "Stribeck Speed")
        draw_numbers(column, settings, "armature", "Armature")
        labels, stops = coordinate_labels(type_of(settings)), stopping_coordinates(settings)
        for c in shown_coordinates(settings):
            if c in stops:
                draw_table(self.layout, settings, of_coordinate("PULL", settings, c), f"Spring of {labels[c]} by Table")
            draw_table(self.layout, settings, of_coordinate("DAMPER", settings, c), f"Damper of {labels[c]} by Table")


class VES_PT_joint_limits(JointPanel, bpy.types.Panel):
    """Limits of the joint."""

    bl_label = "Limits"

    def draw(self, context: bpy.types.Context) -> None:
        """A lower and an upper limit of each coordinate."""
        draw_limits(settings_column(self.layout, decorate=True), context.active_object.ves)
        column = settings_column(self.layout)
        column.prop(context.scene.ves, "show_limits")
        if context.scene.ves.show_limits:
            column.prop(context.scene.ves, "pose_mirror")


class VES_PT_joint_motor(JointPanel, bpy.types.Panel):
    """Motor of the joint."""

    bl_label = "Motor"

    def draw(self, context: bpy.types.Context) -> None:
        """Only what the chosen mode uses; all of it can be animated."""
        settings = context.active_object.ves
        shown = shown_coordinates(settings)[0]
        is_generic = settings.joint_type == "GENERIC"
        name = motor_mode_of(free_axes(settings)[shown]) if is_generic else "motor_mode"
        settings_column(self.layout).prop(settings, name, text="Drive")
        column, mode = settings_column(self.layout, decorate=True), motor_mode(settings, shown)
        if mode == "FORCE":
            draw_numbers(column, settings, "motor_value", "Force")
        elif mode == "SPEED":
            draw_rates(column, settings, "motor_speed", "Motor")
        elif mode == "POSITION":
            draw_values(column, settings, "motor_target", "Target")
            draw_numbers(column, settings, "motor_stiffness", "Stiffness")
            draw_numbers(column, settings, "motor_damping", "Damping")
        elif mode == "KEYED":
            draw_values(column, settings, "motor_target", "Keyed")
        if mode in {"SPEED", "POSITION"}:
            if is_generic:
                column.prop(
                    settings, "use_motor_max_axes", index=AXES.index(free_axes(settings)[shown]), text="Limit Force"
                )
            else:
                column.prop(settings, "use_motor_max_force")
            if has_motor_maximum(settings, shown):
                draw_numbers(column, settings, "motor_max_force", "Max Force")


class VES_PT_joint_drive(JointPanel, bpy.types.Panel):
    """The drive by which the joint leads a live linkage."""

    bl_label = "Live Drive"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for joints with one coordinate."""
        joint = active_with_role(context, "JOINT")
        return joint is not None and can_drive(joint.ves)

    def draw(self, context: bpy.types.Context) -> None:
        """The switch, and the angle or the travel, which can be animated."""
        settings = context.active_object.ves
        switch = self.layout.operator("ves.set_drive", icon="DRIVER", depress=settings.is_drive)
        switch.clear = settings.is_drive
        if settings.is_drive:
            column = settings_column(self.layout, decorate=True)
            column.prop(settings, drive_path(settings).removeprefix("ves."))
            moved = moved_by(context.scene, context.active_object)
            if moved:
                more = f" and {len(moved) - MOVED} more" if len(moved) > MOVED else ""
                draw_text(self.layout, context, f"Moves {', '.join(moved[:MOVED])}{more}")


class VES_PT_joint_start(JointPanel, bpy.types.Panel):
    """Coordinates and speeds of the joint at the start."""

    bl_label = "Start"

    def draw(self, context: bpy.types.Context) -> None:
        """Speeds only where the person wants them to rule over the bodies' velocities."""
        settings = context.active_object.ves
        column = settings_column(self.layout)
        draw_values(column, settings, "placed", "As Placed")
        shown = shown_coordinates(settings)
        if motor_mode(settings, shown[0]) == "KEYED":
            column.label(text="Where its motor is keyed", icon="INFO")
            return
        draw_values(column, settings, "coordinates", "Start")
        column.prop(settings, "use_speeds")
        if settings.use_speeds:
            draw_rates(column, settings, "speeds", "Start")


CLASSES = (
    VES_PT_joint,
    VES_PT_joint_drive,
    VES_PT_joint_motor,
    VES_PT_joint_spring,
    VES_PT_joint_limits,
    VES_PT_joint_start,
    VES_PT_joint_catch,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
