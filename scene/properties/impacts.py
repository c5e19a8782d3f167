# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of `Scene.ves` that remembers which markers on the timeline are Mark Impacts' own, and of which body."""

import bpy
from bpy.props import CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty


class VES_PG_impact_mark(bpy.types.PropertyGroup):
    """A marker, as it was when it was put onto the timeline."""

    label: StringProperty(name="Label", description="What the marker is called", options=set())
    frame: IntProperty(name="Frame", description="Where it stands", options=set())


class LeastImpact:
    """Mixed into what marks impacts, and into what remembers how they were marked."""

    share: FloatProperty(
        name="Least",
        description="Hits that are weaker than this share of the body's hardest one get no marker",
        default=0.1,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options=set(),
    )


class VES_PG_marked_body(LeastImpact, bpy.types.PropertyGroup):
    """A body whose hits are marked."""

    body: PointerProperty(
        name="Body", description="The body whose hits are marked", type=bpy.types.Object, options=set()
    )
    marks: CollectionProperty(name="Marks", description="Its markers", type=VES_PG_impact_mark, options=set())


class ImpactProperties:
    """Mixed into the property group of `Scene.ves`."""

    marked_bodies: CollectionProperty(
        name="Marked Bodies",
        description="The bodies whose hits are marked on the timeline, and the markers that are theirs",
        type=VES_PG_marked_body,
        options=set(),
    )
