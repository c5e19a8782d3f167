# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel that lets things touch: the scene's switch, the ground, who ignores whom; and what is touched of a body."""

import bpy

from ..scene.geometry.given_sizes import KINDS
from ..scene.parts.bodies import is_body
from ..scene.parts.ignored_pairs import ignored_with
from ..scene.rig.selected import active_body
from .sidebar import ORDER, Sidebar, draw_text, kept_while_playing, settings_column

MOST_NAMED = 4


class VES_PT_contact(Sidebar, bpy.types.Panel):
    """Contact of the scene, and its ground."""

    bl_label = "Contact"
    bl_order = ORDER["CONTACT"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw_header(self, context: bpy.types.Context) -> None:
        """The switch for all of it."""
        self.layout.prop(context.scene.ves, "use_contact", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """The ground, the pairs, and what helps to see it."""
        layout, settings = self.layout, context.scene.ves
        layout.active = settings.use_contact
        kept_while_playing(layout).row(align=True).prop(settings, "contact_kind", expand=True)
        _draw_ground(kept_while_playing(layout), settings)
        row = layout.row(align=True)
        row.operator("ves.dont_collide", icon="UNLINKED")
        row.operator("ves.collide_again", text="", icon="LOOP_BACK")
        layout.label(text="Show Shapes")
        layout.row(align=True).prop(settings, "show_shapes", expand=True)
        if settings.contact_kind == "RIGID":
            settings_column(layout).prop(settings, "substeps")


def _draw_ground(layout: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    row = layout.row(align=True)
    row.prop(settings, "use_ground")
    icon = "HIDE_OFF" if settings.show_ground else "HIDE_ON"
    row.prop(settings, "show_ground", text="", icon=icon, emboss=False)
    if settings.use_ground:
        column = settings_column(layout, decorate=True)
        column.prop(settings, "ground_height")
        column.prop(settings, "ground_friction")
        column.prop(settings, "ground_static_friction")
        if settings.ground_static_friction > 0.0:
            column.prop(settings, "ground_stribeck_speed")
        column.prop(settings, "ground_restitution")
        if settings.contact_kind == "SOFT":
            column.prop(settings, "ground_softness")


class VES_PT_body_contact(Sidebar, bpy.types.Panel):
    """Shape and surface of the active body, as others touch it."""

    bl_label = "Collide"
    bl_parent_id = "VES_PT_body"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a body."""
        return active_body(context) is not None

    def draw_header(self, context: bpy.types.Context) -> None:
        """True if it does."""
        self.layout.prop(active_body(context).ves, "collide", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """Shape and surface."""
        layout, body = self.layout, active_body(context)
        settings = body.ves
        if not context.scene.ves.use_contact:
            layout.prop(context.scene.ves, "use_contact", text="Contact is off in this scene", toggle=True)
            return
        column = settings_column(layout)
        column.active = settings.collide
        column.prop(settings, "contact_shape")
        if settings.contact_shape == "MESH" and settings.motion == "DYNAMIC":
            draw_text(layout, context, "A dynamic body can't be a Mesh: choose Convex Hull or Compound.")
        _draw_sizes(column, settings)
        column.prop(context.scene.ves, "show_sizes")
        if context.scene.ves.show_sizes:
            column.prop(context.scene.ves, "pose_mirror")
        surface = settings_column(layout, decorate=True)
        surface.active = settings.collide
        surface.prop(settings, "contact_friction")
        surface.prop(settings, "contact_static_friction")
        if settings.contact_static_friction > 0.0:
            surface.prop(settings, "contact_stribeck_speed")
        surface.prop(settings, "contact_restitution")
        if context.scene.ves.contact_kind == "SOFT":
            surface.prop(settings, "contact_softness")
        column = settings_column(layout)
        column.active = settings.collide
        column.prop(settings, "contact_margin")
        _draw_ignored(layout, context, body)


class VES_PT_body_layers(Sidebar, bpy.types.Panel):
    """On which layers the active body collides."""

    bl_label = "Layers"
    bl_parent_id = "VES_PT_body_contact"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Shown for a body, while Contact is on."""
        return active_body(context) is not None and context.scene.ves.use_contact

    def draw(self, context: bpy.types.Context) -> None:
        """As Blender's own rigid bodies have them."""
        settings = active_body(context).ves
        self.layout.active = settings.collide
        self.layout.prop(settings, "contact_layers", text="")


def _draw_sizes(column: bpy.types.UILayout, settings: bpy.types.PropertyGroup) -> None:
    """Source of the size of a shape, and the size if it is given."""
    kind = settings.contact_shape
    if kind not in KINDS:
        return
    column.row().prop(settings, "size_source", expand=True)
    if settings.size_source == "MESH":
        return
    if kind == "BOX":
        column.prop(settings, "shape_sides")
    else:
        column.prop(settings, "shape_radius")
    if kind in ("CAPSULE", "CYLINDER"):
        column.prop(settings, "shape_length")
    column.prop(settings, "shape_middle")
    if kind != "SPHERE":
        column.prop(settings, "shape_turn")


def _draw_ignored(layout: bpy.types.UILayout, context: bpy.types.Context, body: bpy.types.Object) -> None:
    ignored = [other.name for other in ignored_with(body, filter(is_body, context.scene.objects))]
    if ignored:
        more = len(ignored) - MOST_NAMED
        names = ", ".join(ignored[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        draw_text(layout, context, f"Does not touch {names}")


CLASSES = (VES_PT_contact, VES_PT_body_contact, VES_PT_body_layers)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
