# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Object.ves` of a link that is drawn as a bar, and of a curve that is the path of a point."""

from bpy.props import FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from .setting import object_setting, setting


class LinkProperties:
    """Mixed into the property group of `Object.ves`."""

    link_radius: setting(
        FloatProperty,
        name="Bar Radius",
        description="Half the width of the bar that the link is drawn as; 0 for a body with a mesh of its own",
        default=0.0,
        min=0.0,
        unit="LENGTH",
    )
    link_layer: setting(
        IntProperty,
        name="Layer",
        description="How many thicknesses of a bar the link is drawn above the plane of its hinges",
        default=0,
    )
    link_points: StringProperty(
        name="Points",
        description="Points of a link that was drawn as a bar, in the plane of its hinges; empty for any other body",
        options={"HIDDEN"},
        override={"LIBRARY_OVERRIDABLE"},
    )
    path_of: object_setting(
        name="Path Of",
        description="The body whose point this curve is the path of",
    )
    path_point: setting(
        FloatVectorProperty,
        name="Path Point",
        description="The point whose path this is, along the axes of its body",
        size=3,
        subtype="XYZ_LENGTH",
    )
    path_findings: StringProperty(
        name="Findings",
        description="How far the drive goes, how near it comes to a dead centre, and what it takes, in words",
        options={"HIDDEN"},
    )
    path_plots: StringProperty(
        name="Plots",
        description="What changes over the way of the drive, as text",
        options={"HIDDEN"},
    )
