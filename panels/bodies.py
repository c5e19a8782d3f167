# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of the active body."""

import bpy

from ..scene.animation.animated import is_animated
from ..scene.geometry.computed_weight import solid_now
from ..scene.geometry.mass_properties import Solid
from ..scene.links.lengths import has_length, length_of
from ..scene.owner import Owner
from ..scene.rig.selected import active_body
from .sidebar import ORDER, Sidebar, draw_copy, draw_name, kept_while_playing, settings_column

ROUNDING = 1e-4  # of a body's size: less than that off the origin is shown as none


class VES_PT_body(Sidebar, bpy.types.Panel):
    """The active body."""

    bl_label = "Body"
    bl_order = ORDER["BODY"]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a body."""
        return active_body(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Its motion, and its mass."""
        layout, body = self.layout, active_body(context)
        name = draw_name(layout, body, "OBJECT_DATA" if Owner(body).bone is None else "BONE_DATA")
        if body == context.active_object:
            name.operator("ves.remove_body", text="", icon="X")
        if body.parent_type == "BONE":
            kept_while_playing(layout).prop(body.ves, "moves_bone")
            if Owner(body).bone is not None:
                row = kept_while_playing(settings_column(layout))
                row.prop_search(body.ves, "control_bone", body.parent.pose, "bones")
                kept_while_playing(settings_column(layout)).prop(body.ves, "control_leads")
                layout.operator_menu_enum("ves.keys_on", "keyed_on", icon="CON_KINEMATIC")
        kept_while_playing(layout).row().prop(body.ves, "motion", expand=True)
        if is_animated(body, "ves.motion"):
            kept_while_playing(settings_column(layout)).prop(body.ves, "follow_blend_back")
        if body.ves.motion == "DYNAMIC":
            _draw_mass(settings_column(layout), body.ves)
            _draw_computed(layout.column(align=True), body.ves, solid_now(body, context))
        if has_length(body):
            text = f"Length {length_of(body):.4g} m"
            layout.operator("ves.set_link_length", text=text, icon="ARROW_LEFTRIGHT")
        draw_copy(layout, context)


class VES_PT_body_start(Sidebar, bpy.types.Panel):
    """Motion of a dynamic body at the first frame."""

    bl_label = "Initial Velocity"
    bl_parent_id = "VES_PT_body"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only dynamic bodies start with a velocity."""
        body = active_body(context)
        return body is not None and body.ves.motion == "DYNAMIC"

    def draw(self, context: bpy.types.Context) -> None:
        """Given numbers, or those of its animation."""
        settings = active_body(context).ves
        column = kept_while_playing(settings_column(self.layout))
        column.row().prop(settings, "velocity_source", text="From", expand=True)
        if settings.velocity_source == "GIVEN":
            column.prop(settings, "linear_velocity")
            column.prop(settings, "angular_velocity", text="Spin per Second")


class VES_PT_body_follow(Sidebar, bpy.types.Panel):
    """The pull of a dynamic body to its own animation."""

    bl_label = "Follow"
    bl_parent_id = "VES_PT_body"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only dynamic bodies can follow; keyed ones are their animation."""
        body = active_body(context)
        return body is not None and body.ves.motion == "DYNAMIC"

    def draw_header(self, context: bpy.types.Context) -> None:
        """Its switch."""
        self.layout.prop(active_body(context).ves, "follows", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """Its strength, weight and limit."""
        settings = active_body(context).ves
        column = kept_while_playing(settings_column(self.layout, decorate=True))
        column.active = settings.follows
        column.prop(settings, "follow_preset")
        column.prop(settings, "follow_weight")
        column.prop(settings, "follow_let_go")
        column.prop(settings, "follow_blend_back")
        hands = column.row(align=True)
        hands.operator("ves.hand_over", text="Let Go Here").let_go = True
        hands.operator("ves.hand_over", text="Take Back Here").let_go = False
        column.prop(settings, "follow_frequency")
        column.prop(settings, "follow_damping_ratio")
        column.prop(settings, "follow_feed_forward")
        column.prop(settings, "follow_gravity_only")
        column.prop(settings, "follow_space")
        column.prop(settings, "use_follow_max_force")
        limit = column.row()
        limit.active = settings.use_follow_max_force
        limit.prop(settings, "follow_max_force")


def _draw_mass(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    column.row().prop(settings, "mass_source", expand=True)
    if settings.mass_source == "DENSITY":
        column.prop(settings, "material")
        _draw_keyed(column, settings, "density", text="Density (kg/m³)")
    else:
        _draw_keyed(column, settings, "mass")
        column.prop(settings, "use_inertia")
        if settings.use_inertia:
            column.prop(settings, "center_of_mass")
            column.prop(settings, "inertia_moments", text="Inertia (kg m²)")
            column.prop(settings, "inertia_products", text="XY, XZ, YZ")


def _draw_keyed(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup, name: str, **options: str) -> None:
    """A field with the dot for keyframes."""
    row = column.row()
    row.use_property_decorate = True
    row.prop(settings, name, **options)


def _draw_computed(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup, solid: Solid | None) -> None:
    """Mass properties that follow from the mesh and from what was given."""
    if solid is None or (settings.mass_source == "GIVEN" and settings.use_inertia):
        return
    column.active = False
    if settings.mass_source == "DENSITY":
        column.label(text=f"Mass {settings.density * solid.volume:.4g} kg")
    else:
        column.label(text=f"Density {settings.mass / solid.volume:.4g} kg/m³")
    size = solid.volume ** (1.0 / 3.0)
    centre = [0.0 if abs(x) < ROUNDING * size else float(x) for x in solid.center_of_mass]
    column.label(text="Centre " + ", ".join(f"{x:.3g}" for x in centre) + " m from the origin")
    if not solid.is_closed:
        column.label(text="The mesh is open: its convex hull counts", icon="ERROR")


CLASSES = (VES_PT_body, VES_PT_body_start, VES_PT_body_follow)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
