# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of the active thing, and of all, at this frame of the last bake, or of the run while Play runs."""

import bpy

from ..scene.quantities.impacts import hardest_hits, name_of
from ..scene.quantities.plots import PREFIX, plotted
from ..scene.quantities.quantities import at_frame, quantities_of, shown
from ..scene.quantities.recorded import Owner, is_running, record_of
from .sidebar import ORDER, Sidebar, draw_text

NAME_SHARE = 0.54  # of the width of a line
MOST_IMPACTS = 12  # that are listed


class VES_PT_inspect(Sidebar, bpy.types.Panel):
    """Look at numbers: enquire state."""

    bl_label = "Inspect"
    bl_order = ORDER["INSPECT"]
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """The numbers of the active thing, and where to take them."""
        active = context.active_object
        if active is None or active.ves.role == "NONE":
            draw_text(self.layout, context, "Select a body, a joint, a constraint or a force")
        else:
            _draw_quantities(self.layout, context, active)
        row = self.layout.row()
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("ves.export_table", icon="EXPORT")
        if context.scene.ves.use_contact:
            row.operator("ves.export_impacts", icon="EXPORT")
            row = self.layout.row(align=True)
            row.operator("ves.mark_impacts", icon="MARKER_HLT")
            row.operator("ves.remove_marks", text="", icon="X")


class VES_PT_inspect_impacts(Sidebar, bpy.types.Panel):
    """Who hit the active body, when and how hard: to be read whatever the height of the timeline."""

    bl_label = "Impacts"
    bl_parent_id = "VES_PT_inspect"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only while bodies touch each other."""
        active = context.active_object
        return context.scene.ves.use_contact and active is not None and active.ves.role == "BODY"

    def draw(self, context: bpy.types.Context) -> None:
        """A line for each of the hardest; the present frame's is pressed."""
        body, frame = context.active_object, context.scene.frame_current
        hits, count = hardest_hits(body, context.scene, MOST_IMPACTS)
        if not hits:
            draw_text(self.layout, context, f"Nothing hits {body.name} in the last bake")
            return
        if count > len(hits):
            self.layout.label(text=f"The hardest {len(hits)} of {count}")
        column = self.layout.column(align=True)
        for impact, other in hits:
            line, near = column.row(align=True), round(impact.frame)
            button = line.operator("ves.show_impact", text="", icon="TIME", depress=near == frame)
            button.frame = near
            for text in (f"{impact.frame:.1f}", f"{impact.size:.3g} N s", name_of(other)):
                line.label(text=text)


class VES_PT_inspect_integration(Sidebar, bpy.types.Panel):
    """By which method the active part's linkage was integrated, why, and what that took."""

    bl_label = "How It Was Computed"
    bl_parent_id = "VES_PT_inspect"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only for what took part in the last bake, or takes part in the run."""
        return bool(_integration_of(context))

    def draw(self, context: bpy.types.Context) -> None:
        """Method and reason, its cost, and when it changed."""
        column = self.layout.column(align=True)
        for line in _integration_of(context).splitlines():
            draw_text(column, context, line)


class VES_PT_inspect_scene(Sidebar, bpy.types.Panel):
    """The energy of the whole scene."""

    bl_label = "Energy of All"
    bl_parent_id = "VES_PT_inspect"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Kinetic, potential and their sum."""
        _draw_quantities(self.layout, context, context.scene)


class VES_PT_inspect_view_plots(Sidebar, bpy.types.Panel):
    """The plots in the 3D View."""

    bl_label = "Plots in the View"
    bl_parent_id = "VES_PT_inspect"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Only if there are some."""
        return len(context.scene.ves.view_plots) > 0

    def draw_header(self, context: bpy.types.Context) -> None:
        """True if they are drawn."""
        self.layout.prop(context.scene.ves, "show_view_plots", text="")

    def draw(self, context: bpy.types.Context) -> None:
        """The plotted quantity, and the one that it is over."""
        self.layout.operator_context = "INVOKE_DEFAULT"
        for number, plot in enumerate(context.scene.ves.view_plots):
            column = self.layout.column(align=True)
            row = column.row(align=True)
            name = plot.owner.name if plot.owner is not None else "All"
            row.label(text=f"{name}: {plot.quantity}")
            row.operator("ves.remove_view_plot", text="", icon="X", emboss=False).index = number
            button = column.operator("ves.plot_over", text=f"Over {plot.against or 'Time'}", icon="DOWNARROW_HLT")
            button.index = number


def _integration_of(context: bpy.types.Context) -> str:
    active = context.active_object
    record = record_of(active, context.scene) if active is not None and active.ves.role != "NONE" else None
    return record.constant("integration") if record is not None and "integration" in record else ""


def _draw_quantities(layout: bpy.types.UILayout, context: bpy.types.Context, owner: Owner) -> None:
    """A line for each quantity, with a button that plots it; components stand below the size."""
    scene = context.scene
    record, found = quantities_of(owner, scene, around=_looked_at(owner, scene))
    if record is None:
        draw_text(layout, context, _why_nothing(owner, scene))
        return
    frame = scene.frame_current_final
    if is_running(scene):
        frame = min(frame, record.first + record.frames - 1)
        layout.label(text=f"Live, at frame {frame:.0f} of the run", icon="PLAY")
    if not record.first <= frame <= record.first + record.frames - 1:
        last = record.first + record.frames - 1
        draw_text(layout, context, f"Frame {frame:g} is outside the bake ({record.first} to {last})")
        return
    plots, of_scene = plotted(owner), owner == scene
    in_view = {(plot.owner, plot.quantity) for plot in scene.ves.view_plots}
    column = layout.column(align=True)
    for quantity in found:
        numbers = shown(at_frame(quantity, record, frame), quantity.rounding)
        if quantity.parts and not quantity.is_detail:
            column.label(text=quantity.title)
        row = column.row(align=True)
        if quantity.parts:
            line = row.row(align=True)
            line.active = not quantity.is_detail
            for part, number in zip(quantity.parts, numbers, strict=True):
                line.label(text=f"{part} {number}")
        else:
            line = row.split(factor=NAME_SHARE)
            line.label(text=quantity.label)
            line.label(text=f"{numbers[0]} {quantity.unit}")
        is_plotted = PREFIX + quantity.title in plots
        button = row.operator("ves.plot", text="", icon="GRAPH", emboss=is_plotted, depress=is_plotted)
        button.quantity, button.of_scene = quantity.label, of_scene
        is_seen = (None if of_scene else owner, quantity.label) in in_view
        button = row.operator("ves.plot_in_view", text="", icon="FCURVE", emboss=is_seen, depress=is_seen)
        button.quantity, button.of_scene = quantity.label, of_scene
    if plots:
        layout.operator("ves.remove_plots", icon="X").of_scene = of_scene


def _looked_at(owner: Owner, scene: bpy.types.Scene) -> int:
    """The present frame; of a run the last one that is known, if that is before it."""
    record = record_of(owner, scene) if is_running(scene) else None
    return scene.frame_current if record is None else min(scene.frame_current, record.first + record.frames - 1)


def _why_nothing(owner: Owner, scene: bpy.types.Scene) -> str:
    is_fixed = isinstance(owner, bpy.types.Object) and owner.ves.role == "BODY" and owner.ves.motion == "FIXED"
    if is_fixed and not (scene.ves.use_contact and owner.ves.collide):
        return f"{owner.name} is fixed: it does not move"
    if is_running(scene):
        return f"{owner.name} takes no part in this run"
    return "Bake first, or press Play: these are the numbers of the last bake, or of the run"


CLASSES = (
    VES_PT_inspect,
    VES_PT_inspect_impacts,
    VES_PT_inspect_integration,
    VES_PT_inspect_scene,
    VES_PT_inspect_view_plots,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
