# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the active joint: its bodies, spring, motor and start."""

import bpy

from ..scene.animation.animated import is_animated
from ..scene.properties.joint import COORDINATE_KINDS, TRAVEL, can_drive, coordinate_labels, drive_path
from .constraints import draw_catching
from .ride import draw_ride
from .sidebar import ORDER, Sidebar, active_with_role, draw_copy, draw_name, kept_while_playing, settings_column


def draw_values(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """One field per coordinate of a setting that is an angle or a travel, in its own unit."""
    _draw_fields(layout, settings, name, title, coordinate_labels(settings.joint_type))


def draw_rates(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """The same of a setting that is a spin or a speed."""
    _draw_fields(layout, settings, name, title, coordinate_labels(settings.joint_type, "Spin", "Speed"))


def _draw_fields(
    layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str, labels: tuple[str, ...]
) -> None:
    column = layout.column(align=True)
    for i, (kind, label) in enumerate(zip(COORDINATE_KINDS[settings.joint_type], labels, strict=True)):
        column.prop(
            settings,
            f"{name}_travel" if kind == TRAVEL else name,
            index=i,
            text=f"{title} {label}" if i == 0 else label,
        )


def draw_numbers(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, title: str) -> None:
    """One field per coordinate of a setting without a unit of its own, under a heading if there are several."""
    column = layout.column(align=True)
    labels = coordinate_labels(settings.joint_type)
    if len(labels) > 1:
        column.label(text=title)
    for i, label in enumerate(labels):
        column.prop(settings, name, index=i, text=label if len(labels) > 1 else title)


def draw_limits(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Two fields per coordinate, each with its own switch, as Blender's own limits have them."""
    labels = coordinate_labels(settings.joint_type)
    for i, (kind, label) in enumerate(zip(COORDINATE_KINDS[settings.joint_type], labels, strict=True)):
        column = layout.column(align=True)
        for side in ("lower", "upper"):
            row = column.row(align=True, heading=f"{label} {'Min' if side == 'lower' else 'Max'}")
            row.prop(settings, f"use_{side}_limit", index=i, text="")
            value = row.row(align=True)
            value.active = getattr(settings, f"use_{side}_limit")[i]
            value.prop(settings, f"{side}_limit_travel" if kind == TRAVEL else f"{side}_limit", index=i, text="")
        if settings.joint_type != "SPHERICAL":
            bounciness = column.row(align=True)
            bounciness.active = settings.use_lower_limit[i] or settings.use_upper_limit[i]
            bounciness.prop(settings, "bounciness", index=i)


class JointPanel(Sidebar):
    """Mixed into the panels below that of the joint; a weld has no coordinates and so nothing to set there."""

    bl_parent_id = "VES_PT_joint"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for joints that can move."""
        joint = active_with_role(context, "JOINT")
        return joint is not None and bool(COORDINATE_KINDS[joint.ves.joint_type])


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
        if any(settings.stiffness) or is_animated(context.active_object, "ves.stiffness"):
            draw_values(column, settings, "rest", "Rest")
        draw_numbers(column, settings, "damping", "Damping")
        draw_numbers(column, settings, "friction", "Friction")
        draw_numbers(column, settings, "armature", "Armature")


class VES_PT_joint_limits(JointPanel, bpy.types.Panel):
    """Limits of the joint."""

    bl_label = "Limits"

    def draw(self, context: bpy.types.Context) -> None:
        """A lower and an upper limit of each coordinate."""
        draw_limits(settings_column(self.layout, decorate=True), context.active_object.ves)


class VES_PT_joint_motor(JointPanel, bpy.types.Panel):
    """Motor of the joint."""

    bl_label = "Motor"

    def draw(self, context: bpy.types.Context) -> None:
        """Only what the chosen mode uses; all of it can be animated."""
        settings = context.active_object.ves
        settings_column(self.layout).prop(settings, "motor_mode", text="Drive")
        column = settings_column(self.layout, decorate=True)
        if settings.motor_mode == "FORCE":
            draw_numbers(column, settings, "motor_value", "Force")
        elif settings.motor_mode == "SPEED":
            draw_rates(column, settings, "motor_speed", "Motor")
        elif settings.motor_mode == "POSITION":
            draw_values(column, settings, "motor_target", "Target")
            draw_numbers(column, settings, "motor_stiffness", "Stiffness")
            draw_numbers(column, settings, "motor_damping", "Damping")
        elif settings.motor_mode == "KEYED":
            draw_values(column, settings, "motor_target", "Keyed")
        if settings.motor_mode in {"SPEED", "POSITION"}:
            column.prop(settings, "use_motor_max_force")
            if settings.use_motor_max_force:
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


class VES_PT_joint_start(JointPanel, bpy.types.Panel):
    """Coordinates and speeds of the joint at the start."""

    bl_label = "Start"

    def draw(self, context: bpy.types.Context) -> None:
        """Speeds only where the person wants them to rule over the bodies' velocities."""
        settings = context.active_object.ves
        column = settings_column(self.layout)
        draw_values(column, settings, "placed", "As Placed")
        if settings.motor_mode == "KEYED":
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
