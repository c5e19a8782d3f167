# SPDX-License-Identifier: GPL-3.0-or-later
"""Plotting what Inspect shows in the Graph Editor, writing it to a table, and marking impacts."""

from collections.abc import Sequence
from pathlib import Path

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, StringProperty
from bpy_extras.io_utils import ExportHelper

from ..scene.findings import SceneError
from ..scene.properties.impacts import LeastImpact
from ..scene.quantities.impact_marks import mark_hits, remove_marks
from ..scene.quantities.impacts import write_impacts
from ..scene.quantities.plots import plot, plotted, remove_plots
from ..scene.quantities.quantities import quantities_of
from ..scene.quantities.recorded import Owner, record_of
from ..scene.quantities.table import write_table
from ..scene.quantities.view_plots import toggled
from .modal import WhenIdle
from .polls import cancelled, needs
from .selection import count, names

NOTHING = "There are no values: bake first"


class VES_OT_plot(WhenIdle, bpy.types.Operator):
    """Draw this quantity in the Graph Editor, as a custom property of the object; a new bake draws it anew"""

    bl_idname = "ves.plot"
    bl_label = "Plot"
    bl_options = {"UNDO", "INTERNAL"}

    quantity: StringProperty(name="Quantity", description="Name of what is plotted, as Inspect shows it")
    of_scene: BoolProperty(name="Of All", description="Plot a quantity of the whole scene", default=False)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The custom property and its curves replace an earlier plot of the same."""
        owner = _owner(context, self.of_scene)
        record, found = (None, []) if owner is None else quantities_of(owner, context.scene)
        if record is None:
            return cancelled(self, NOTHING)
        quantity = next((each for each in found if each.label == self.quantity), None)
        if quantity is None:
            known = ", ".join(each.label for each in found)
            return cancelled(self, f"{owner.name} has no quantity '{self.quantity}'; it has {known}")
        try:
            name = plot(owner, quantity, record)
        except SceneError as error:
            return cancelled(self, str(error))
        self.report({"INFO"}, f'{owner.name}: "{name}" is in the Graph Editor now')
        return {"FINISHED"}


class VES_OT_plot_in_view(bpy.types.Operator):
    """Draw this quantity in the corner of the 3D View, over time, or take it away: of the run while Play runs"""

    bl_idname = "ves.plot_in_view"
    bl_label = "Plot in the View"
    bl_options = {"INTERNAL"}

    quantity: StringProperty(name="Quantity", description="Name of what is plotted, as Inspect shows it")
    of_scene: BoolProperty(name="Of All", description="Plot a quantity of the whole scene", default=False)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """It is not undone: during Play that would end the run."""
        owner = None if self.of_scene else context.active_object
        if owner is None and not self.of_scene:
            return cancelled(self, "Select a body, a joint, a constraint or a force")
        if toggled(context.scene, owner, self.quantity):
            context.scene.ves.show_view_plots = True
        return {"FINISHED"}


_over: list[tuple[str, str, str]] = []
"""The texts of the list that is shown: Blender does not keep them."""


def _quantities_over(
    self: bpy.types.OperatorProperties, context: bpy.types.Context | None
) -> list[tuple[str, str, str]]:
    """Time, and what else is known of the owner of the plot."""
    found = []
    if context is not None and self.index < len(context.scene.ves.view_plots):
        plot = context.scene.ves.view_plots[self.index]
        _, found = quantities_of(plot.owner or context.scene, context.scene)
    _over[:] = [("TIME", "Time", "The motion's time"), *((each.label, each.label, each.title) for each in found)]
    return _over


class VES_OT_plot_over(bpy.types.Operator):
    """Draw this plot over another quantity of the same thing, or over time"""

    bl_idname = "ves.plot_over"
    bl_label = "Plot Over"
    bl_options = {"INTERNAL"}
    bl_property = "against"

    index: IntProperty(name="Plot", description="Which one, from 0", min=0)
    against: EnumProperty(name="Over", description="What goes along the horizontal axis", items=_quantities_over)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """Choose from a list."""
        context.window_manager.invoke_search_popup(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """It is not undone: during Play that would end the run."""
        if self.index >= len(context.scene.ves.view_plots):
            return {"CANCELLED"}
        context.scene.ves.view_plots[self.index].against = "" if self.against == "TIME" else self.against
        return {"FINISHED"}


class VES_OT_remove_view_plot(bpy.types.Operator):
    """Take this plot out of the 3D View"""

    bl_idname = "ves.remove_view_plot"
    bl_label = "Remove Plot from the View"
    bl_options = {"INTERNAL"}

    index: IntProperty(name="Plot", description="Which one, from 0", min=0)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The others stay."""
        if self.index >= len(context.scene.ves.view_plots):
            return {"CANCELLED"}
        context.scene.ves.view_plots.remove(self.index)
        return {"FINISHED"}


class VES_OT_remove_plots(bpy.types.Operator):
    """Take the plots of this object, their curves and custom properties, away again"""

    bl_idname = "ves.remove_plots"
    bl_label = "Remove Plots"
    bl_options = {"UNDO", "INTERNAL"}

    of_scene: BoolProperty(name="Of All", description="Remove the plots of the whole scene's energy", default=False)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Not while a bake is under way."""
        return VES_OT_plot.poll.__func__(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The action of the object stays, unless it was made for its plots."""
        owner = _owner(context, self.of_scene)
        plots = plotted(owner) if owner is not None else []
        if not plots:
            return cancelled(self, "There are no plots", "WARNING")
        remove_plots(owner)
        self.report({"INFO"}, f"Removed {count(len(plots), 'plot')} of {owner.name}")
        return {"FINISHED"}


class VES_OT_export_table(WhenIdle, bpy.types.Operator, ExportHelper):
    """Write all quantities of the selected bodies, joints, constraints and forces to a table, one line per frame"""

    bl_idname = "ves.export_table"
    bl_label = "Export CSV"

    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv", options={"HIDDEN"})
    with_scene: BoolProperty(name="Energy of All", description="Also write the energy of the whole scene", default=True)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be values."""
        return super().poll(context) and _has_values(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Names those that have no values."""
        scene, chosen = context.scene, _chosen(context)
        silent = [ob for ob in chosen if record_of(ob, scene) is None]
        path = Path(bpy.path.abspath(self.filepath))
        try:
            lines, columns = write_table(path, scene, [*chosen, scene] if self.with_scene else chosen)
        except SceneError as error:
            return cancelled(self, str(error))
        except OSError as error:
            return cancelled(self, f"{path} can't be written: {error.strerror or error}")
        if silent:
            self.report({"WARNING"}, f"Without values, left out: {names(silent)}")
        self.report({"INFO"}, f"Wrote {count(lines, 'frame')}, {count(columns, 'column')}, to {path.name}")
        return {"FINISHED"}


class VES_OT_export_impacts(WhenIdle, bpy.types.Operator, ExportHelper):
    """Write who hit whom in the last bake to a table: when, also between frames, where, how hard and how fast"""

    bl_idname = "ves.export_impacts"
    bl_label = "Export Impacts"

    filename_ext = ".csv"
    filter_glob: StringProperty(default="*.csv", options={"HIDDEN"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be values."""
        return super().poll(context) and _has_values(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """A line for each impact."""
        path = Path(bpy.path.abspath(self.filepath))
        try:
            lines = write_impacts(path, context.scene)
        except OSError as error:
            return cancelled(self, f"{path} can't be written: {error.strerror or error}")
        self.report({"INFO"}, f"Wrote {count(lines, 'impact')} to {path.name}")
        return {"FINISHED"}


class VES_OT_mark_impacts(WhenIdle, LeastImpact, bpy.types.Operator):
    """Put a marker on the timeline wherever something hits this body, for sounds; a new bake marks anew"""

    bl_idname = "ves.mark_impacts"
    bl_label = "Mark Impacts"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """There must be values."""
        return super().poll(context) and _has_values(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Markers of the same body that are there go."""
        body = context.active_object
        if body is None or body.ves.role != "BODY":
            return cancelled(self, "Select a body")
        marks = mark_hits(body, context.scene, self.share)
        if marks == 0:
            self.report({"WARNING"}, f"Nothing hits {body.name}")
        else:
            self.report({"INFO"}, f"{body.name}: {count(marks, 'marker')}")
        return {"FINISHED"}


class VES_OT_remove_marks(WhenIdle, bpy.types.Operator):
    """Take the markers of impacts away, of all bodies; those that you have renamed, moved or bound to a camera stay"""

    bl_idname = "ves.remove_marks"
    bl_label = "Remove Marks"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Not while a bake is under way, and there must be some."""
        return super().poll(context) and needs(cls, len(context.scene.ves.marked_bodies) != 0, "No impacts are marked")

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Other markers stay."""
        marks = remove_marks(context.scene)
        self.report({"INFO"}, f"Removed {count(marks, 'marker')}")
        return {"FINISHED"}


class VES_OT_show_impact(WhenIdle, bpy.types.Operator):
    """Go to the frame of this impact"""

    bl_idname = "ves.show_impact"
    bl_label = "Show Impact"
    bl_options = {"INTERNAL"}

    frame: IntProperty(name="Frame", description="The frame next to the impact", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Nothing is changed by that."""
        context.scene.frame_set(self.frame)
        return {"FINISHED"}


def _has_values(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    return needs(operator, record_of(context.scene, context.scene) is not None, NOTHING)


def _owner(context: bpy.types.Context, of_scene: bool) -> Owner | None:
    return context.scene if of_scene else context.active_object


def _chosen(context: bpy.types.Context) -> Sequence[bpy.types.Object]:
    """Those of the active and the selected objects that play a part, the active one first."""
    active, selected = context.active_object, context.selected_objects
    both = [*([active] if active is not None else []), *(ob for ob in selected if ob != active)]
    return [ob for ob in both if ob.ves.role != "NONE"]


CLASSES = (
    VES_OT_plot,
    VES_OT_plot_in_view,
    VES_OT_plot_over,
    VES_OT_remove_view_plot,
    VES_OT_remove_plots,
    VES_OT_export_table,
    VES_OT_export_impacts,
    VES_OT_mark_impacts,
    VES_OT_remove_marks,
    VES_OT_show_impact,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
