# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Scene.ves` that tells which quantities are plotted in the 3D View, over time or over each other."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, PointerProperty, StringProperty


class VES_PG_view_plot(bpy.types.PropertyGroup):
    """A quantity of Inspect that is drawn in the 3D View."""

    owner: PointerProperty(
        name="Owner",
        description="The body, joint, constraint or force that it belongs to; none is the whole scene",
        type=bpy.types.Object,
        options=set(),
    )
    quantity: StringProperty(name="Quantity", description="What is plotted, as Inspect calls it", options=set())
    against: StringProperty(
        name="Over",
        description="Another quantity of the same, along the horizontal axis; empty is time",
        options=set(),
    )


class ViewPlotProperties:
    """Mixed into the property group of `Scene.ves`."""

    view_plots: CollectionProperty(
        name="Plots in the View",
        description="Quantities that are drawn in the 3D View, of the run while Play runs, else of the last bake",
        type=VES_PG_view_plot,
        options=set(),
    )
    show_view_plots: BoolProperty(
        name="Plots in the View", description="Draw the plots in the 3D View", default=True, options=set()
    )
