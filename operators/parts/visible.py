# SPDX-License-Identifier: GPL-3.0-or-later
"""Making springs, rubbers, rods and ropes visible, as coils, straps, bars and ropes that can be rendered."""

from __future__ import annotations

import itertools

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty
from mathutils import Vector

from ...scene.geometry.rounding import round_number
from ...scene.parts.holding import points_of_rope
from ...scene.properties.force_types import TWO_ENDED
from ...scene.visible.visible import hide, shape_of, show
from ..polls import needs, needs_selected
from ..selection import count

SHAPES = {"SPRING": "COIL", "RUBBER": "STRAP", "DISTANCE": "BAR", "PULLEY": "ROPE", "ROPE": "TACKLE"}
TURNS = 10.0
OVER_WHEELS = "PULLEY", "ROPE"
SHARES = {"radius": 0.06, "thickness": 0.012, "width": 0.04}
"""Of the length, for what is chosen automatically."""


def kind_of(ob: bpy.types.Object) -> str | None:
    """A key of SHAPES; None for what has no two ends."""
    settings = ob.ves
    if settings.role == "FORCE":
        return settings.force_type if settings.force_type in TWO_ENDED else None
    return settings.role if settings.role in SHAPES else None


def places_of(part: bpy.types.Object) -> list[Vector]:
    """m: its first end, the wheels of a rope, and its second end."""
    settings = part.ves
    if settings.role == "ROPE":
        return points_of_rope(part)
    places = [part.matrix_world.translation]
    if settings.role == "PULLEY":
        places += [wheel.matrix_world.translation for wheel in (settings.wheel_a, settings.wheel_b) if wheel]
    if settings.role == "FORCE":
        end = Vector(settings.point_b)
        places.append(settings.body_b.matrix_world @ end if settings.body_b else end)
    elif settings.anchor_b:
        places.append(settings.anchor_b.matrix_world.translation)
    return places


def length_of(part: bpy.types.Object) -> float:
    """m: from the first end to the second, over the wheels of a rope."""
    return sum((b - a).length for a, b in itertools.pairwise(places_of(part)))


def _drawn_length(part: bpy.types.Object) -> float:
    """m: what its Length means, as drawn: of a rope the first side, and Ratio times the second."""
    places = places_of(part)
    if part.ves.role != "PULLEY" or len(places) < 4:
        return length_of(part)
    return (places[1] - places[0]).length + part.ves.rope_ratio * (places[3] - places[2]).length


class OnEnds:
    """Mixed into operators on springs, rubbers, rods and ropes."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs one of them selected."""
        return needs_selected(
            cls, context, kind_of, "Select the Empties of springs, rubbers, distances, pulleys or ropes"
        )


class VES_OT_make_visible(OnEnds, bpy.types.Operator):
    """Show the selected springs, rubbers, distances, pulleys and ropes by shapes that follow them and are rendered"""

    bl_idname = "ves.make_visible"
    bl_label = "Make Visible"
    bl_options = {"REGISTER", "UNDO"}

    shape: EnumProperty(
        name="Shape",
        description="How a spring, a rubber or a distance looks; pulleys and ropes are always ropes",
        items=[
            ("AUTO", "Automatic", "A spring is a coil, a rubber a strap, a distance a bar, or a cord with Slack"),
            ("COIL", "Coil", "A wire that is wound, whose turns open as it is stretched"),
            ("STRAP", "Strap", "A flat band, narrower where it is stretched, and sagging where it is slack"),
            ("BAR", "Bar", "A round bar"),
            ("CORD", "Cord", "A round cord, which sags where it is slack"),
        ],
        default="AUTO",
        options={"SKIP_SAVE"},
    )
    turns: FloatProperty(
        name="Turns",
        description="Turns of a coil",
        default=TURNS,
        min=0.5,
        max=200.0,
        soft_max=40.0,
        options={"SKIP_SAVE"},
    )
    radius: FloatProperty(
        name="Radius",
        description="Radius of a coil, or of the wheels of a rope. With 0 it follows from the length",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    width: FloatProperty(
        name="Width",
        description="Width of a strap when it is slack. With 0 it follows from the length",
        default=0.0,
        min=0.0,
        soft_max=1.0,
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    thickness: FloatProperty(
        name="Thickness",
        description="Thickness of the wire, strap, bar or rope. With 0 it follows from the length",
        default=0.0,
        min=0.0,
        soft_max=0.2,
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    show_wheels: BoolProperty(
        name="Wheels",
        description="Show the wheels of a rope as well",
        default=True,
        options={"SKIP_SAVE"},
    )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """The Empties stay selected, so that it can be adjusted."""
        context.view_layer.update()
        parts = [ob for ob in context.selected_objects if kind_of(ob)]
        lacking = [part for part in parts if length_of(part) == 0.0]
        for part in parts:
            if part not in lacking:
                show(part, self._shape(part), self._numbers(part))
        if lacking:
            self.report({"WARNING"}, f"{lacking[0].name}: its two ends are at the same place")
        if len(lacking) == len(parts):
            return {"CANCELLED"}
        self.report({"INFO"}, f"Made {count(len(parts) - len(lacking), 'part')} visible")
        return {"FINISHED"}

    def _shape(self, part: bpy.types.Object) -> str:
        kind = kind_of(part)
        if self.shape != "AUTO" and kind not in OVER_WHEELS:
            return self.shape
        return "CORD" if kind == "DISTANCE" and part.ves.slack else SHAPES[kind]

    def _numbers(self, part: bpy.types.Object) -> dict[str, float | bool]:
        length = length_of(part)
        chosen = {name: getattr(self, name) or round_number(share * length) for name, share in SHARES.items()}
        rest = part.ves.rest_length if part.ves.use_rest_length else _drawn_length(part)
        return {
            "Turns": self.turns,
            "Radius": chosen["radius"],
            "Width": chosen["width"],
            "Thickness": chosen["thickness"],
            "Rest Length": rest,
            "Wheels": self.show_wheels,
        }

    def draw(self, context: bpy.types.Context) -> None:
        """Only what the shapes use."""
        layout = self.layout
        layout.use_property_split = True
        parts = [ob for ob in context.selected_objects if kind_of(ob)]
        shapes = {self._shape(part) for part in parts}
        if any(kind_of(part) not in OVER_WHEELS for part in parts):
            layout.prop(self, "shape")
        if "COIL" in shapes:
            layout.prop(self, "turns")
        if shapes & {"COIL", "ROPE"}:
            layout.prop(self, "radius")
        if "STRAP" in shapes:
            layout.prop(self, "width")
        layout.prop(self, "thickness")
        if "ROPE" in shapes:
            layout.prop(self, "show_wheels")


class VES_OT_remove_visible(OnEnds, bpy.types.Operator):
    """Remove the shapes that show the selected springs, rubbers, distances, pulleys and ropes"""

    bl_idname = "ves.remove_visible"
    bl_label = "Remove Shape"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Needs one that is shown."""
        return super().poll(context) and needs(
            cls, any(shape_of(ob) for ob in context.selected_objects if kind_of(ob)), "None of them has a shape"
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Springs and rubbers themselves stay."""
        removed = sum(hide(ob) for ob in context.selected_objects if kind_of(ob))
        self.report({"INFO"}, f"Removed {count(removed, 'shape')}")
        return {"FINISHED"}


CLASSES = (VES_OT_make_visible, VES_OT_remove_visible)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
