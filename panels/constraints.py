# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the active constraint: what holds bodies, or couples joints."""

import bpy

from ..scene.animation.animated import is_animated
from ..scene.properties.roles import CATCHING, CONSTRAINTS, COUPLINGS, RATIOS, WAITING, backlash_of
from .sidebar import ORDER, Sidebar, draw_copy, draw_name, draw_visible, kept_while_playing, settings_column


def draw_buttons(layout: bpy.types.UILayout) -> None:
    """An entry for each type of constraint."""
    for role in CONSTRAINTS.values():
        layout.operator(role.operator, text=role.label, icon=role.icon)


class VES_PT_constraint(Sidebar, bpy.types.Panel):
    """The active constraint."""

    bl_label = "Constraint"
    bl_order = ORDER["CONSTRAINT"]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for whatever holds bodies and is no joint."""
        return context.active_object is not None and context.active_object.ves.role in CONSTRAINTS

    def draw(self, context: bpy.types.Context) -> None:
        """Only what its type uses."""
        owner = context.active_object
        settings, role = owner.ves, CONSTRAINTS[owner.ves.role]
        draw_name(self.layout, owner, role.icon)
        column = settings_column(self.layout)
        column.active = settings.enabled
        kept = kept_while_playing(column)
        ENDS[role.ends](kept, settings)
        for name in role.drawn:
            draw_keyed(column if name in RATIOS else kept, settings, name)
        if settings.role == "PATH":
            _draw_path(kept, owner)
        elif settings.role == "BEAD":
            _draw_bead(kept, settings)
        elif settings.role == "GENERIC":
            _draw_generic(kept, column, settings)
        elif settings.role in COUPLINGS:
            _draw_backlash(column, settings)
        if settings.role == "PULLEY":
            draw_keyed(column, settings, "rope_ratio")
        if "use_distance" in role.copied:
            _draw_length(column, settings)
        draw_visible(self.layout, owner)
        draw_copy(self.layout, context)


def draw_catching(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Draws the fields of catching: time constant, the distance from which on, and the largest force."""
    fields = column.column(align=True)
    fields.prop(settings, "catch_time", text="Time")
    if settings.role in WAITING:
        fields.prop(settings, "catch_within", text="Within")
    fields.prop(settings, "catch_force", text="Force" if settings.catch_force > 0.0 else "Force (0: Any)")


class VES_PT_constraint_catch(Sidebar, bpy.types.Panel):
    """The active constraint's ends, when it is switched on while they are apart."""

    bl_label = "Catch"
    bl_parent_id = "VES_PT_constraint"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for constraints that draw their ends together."""
        active = context.active_object
        return active is not None and active.ves.role in CATCHING & CONSTRAINTS.keys()

    def draw(self, context: bpy.types.Context) -> None:
        """The fields of catching."""
        column = settings_column(self.layout)
        column.active = context.active_object.ves.enabled
        draw_catching(column, context.active_object.ves)


def _draw_path(column: bpy.types.UILayout, owner: bpy.types.Object) -> None:
    """A curve or an object to follow; the frame range of a curve is greyed out once Path Time is animated."""
    settings = owner.ves
    if settings.path_object is None or settings.path_curve is not None:
        column.prop(settings, "path_curve")
    if settings.path_curve is None or settings.path_object is not None:
        column.prop(settings, "path_object")
    column.prop(settings, "path_keep_offset")
    if settings.path_object is not None:
        column.prop(settings, "path_orientation")
    if settings.path_curve is not None:
        frames = column.column(align=True)
        frames.active = not is_animated(owner, "ves.path_time")
        frames.prop(settings, "path_frame_start", text="Frame Start")
        frames.prop(settings, "path_frame_end", text="End")
        time = column.column()
        time.use_property_decorate = True
        time.prop(settings, "path_time")


def _draw_bead(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """A cam turns nothing along: it has a roller instead."""
    column.prop(settings, "one_sided")
    if settings.one_sided == "NONE":
        column.prop(settings, "curve_align")
        return
    column.prop(settings, "roller_radius")
    column.prop(settings, "cam_bounciness")


def _draw_generic(kept: bpy.types.UILayout, column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """The other frame: a body's, a mark's, or that of what leads it; six switches, which act while Play runs, too."""
    if settings.path_object is None:
        kept.prop(settings, "anchor_b")
    if settings.body_b is None:
        kept.prop(settings, "path_object", text="Led By")
    if settings.path_object is not None:
        kept.prop(settings, "path_keep_offset")
    for name in ("lock_travel", "lock_turn"):
        row = column.row(align=True, heading=settings.bl_rna.properties[name].name)
        for k, axis in enumerate("XYZ"):
            row.prop(settings, name, index=k, text=axis, toggle=True)


def _draw_backlash(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Without play nothing bounces."""
    name = backlash_of(settings)
    draw_keyed(column, settings, name)
    bounciness = column.column()
    bounciness.active = getattr(settings, name) > 0.0
    draw_keyed(bounciness, settings, "tooth_bounciness")


def _draw_body(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.prop(settings, "body_a", text="Body")


def _draw_held(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    _draw_body(column, settings)
    column.prop(settings, "body_b", text="Held To")


def _draw_carried(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    _draw_body(column, settings)
    column.prop(settings, "body_b", text="Curve Goes With")


def _draw_joints(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.prop(settings, "joint_a", text="Pinion" if settings.role == "RACK" else None)
    column.prop(settings, "joint_b", text="Rack" if settings.role == "RACK" else None)


def _draw_two(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Two bodies, the second of which may be the world, and what marks the place there."""
    column.prop(settings, "body_a", text="First Body")
    column.prop(settings, "body_b", text="Second Body")
    if settings.body_b is None:
        column.prop(settings, "to_world")
    column.prop(settings, "anchor_b")


def _draw_rope(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Each side's body and wheel."""
    column.prop(settings, "body_a", text="First Body")
    column.prop(settings, "wheel_a")
    column.prop(settings, "body_b", text="Second Body")
    column.prop(settings, "anchor_b")
    column.prop(settings, "wheel_b")


def _draw_strung(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Both ends, and between them in their order what it runs over, each row with what moves and removes it."""
    column.prop(settings, "body_a", text="First Body")
    rows = column.column(align=True)
    for number, entry in enumerate(settings.rope_points):
        row = rows.row(align=True)
        row.prop(entry, "object", text="Over" if number == 0 else " ")
        for operator, icon, way in (("ves.move_rope_point", "TRIA_UP", -1), ("ves.remove_rope_point", "REMOVE", 0)):
            button = row.operator(operator, text="", icon=icon)
            button.number = number
            if way:
                button.way = way
        rows.prop(entry, "friction")
        if entry.friction > 0.0:
            rows.prop(entry, "turns")
    rows.operator("ves.add_rope_point", icon="ADD")
    column.prop(settings, "body_b", text="Second Body")
    column.prop(settings, "anchor_b")
    if settings.body_a is None or settings.body_b is None:
        column.prop(settings, "to_world")
    for drum, radius in (("drum_b", "drum_radius_b"), ("drum_a", "drum_radius_a")):
        column.prop(settings, drum)
        if getattr(settings, drum) is not None:
            column.prop(settings, radius, text="Radius")


def _draw_length(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.prop(settings, "use_distance")
    if settings.use_distance:
        draw_keyed(column, settings, "distance")
    kept_while_playing(column).prop(settings, "slack")


def draw_keyed(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str) -> None:
    """A field, with the dot of what takes keys."""
    row = column.column()
    row.use_property_decorate = True
    row.prop(settings, name)


ENDS = {
    "BODY": _draw_body,
    "HELD": _draw_held,
    "CARRIED": _draw_carried,
    "TWO": _draw_two,
    "JOINTS": _draw_joints,
    "ROPE": _draw_rope,
    "STRUNG": _draw_strung,
}
"""Draws what a constraint has at its ends, as its role tells."""

CLASSES = (VES_PT_constraint, VES_PT_constraint_catch)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
