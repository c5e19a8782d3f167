# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles at the shapes of selected bodies and bones: radius, length, sides and middle are dragged, or the margin.

A drag makes the sizes Given. With *X Mirror* the shape of the other side goes along.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import bpy
import numpy as np
from mathutils import Vector

from ...scene.geometry.given_sizes import NAMES, NUMBERS, given_shape, has_given_sizes
from ...scene.overlay import bodies_with_sizes, sized_now
from ...scene.pose.drag_sizes import (
    Place,
    Sized,
    grips_of,
    has_shape,
    moved,
    resized,
    set_margin,
    set_shape,
    size_of,
    twin_body,
)
from ...scene.pose.sight import along_line, facing
from ..modal import under_way
from .handle import Grip, HandleGroup

KEPT = "contact_shape", "size_source", *NUMBERS, "contact_margin"
PARTS = 0.05
"""A step is about this share of the size, a 1, 2 or 5 of its decimal place."""
DIGITS = 4


@dataclass(frozen=True)
class SizeGrip(Grip):
    """A place of a body's shape, as that was when the drag began."""

    scene: bpy.types.Scene
    of: Sized
    at: Place
    undo: ClassVar[str] = "Drag Size"

    @property
    def key(self) -> Hashable:
        """The body and the place."""
        return self.of.body, self.at.name

    def place(self) -> Vector:
        """Of the shape as it is now."""
        settings, place = self.of.body.ves, self.at.place
        given = given_shape(settings) if has_given_sizes(settings) else None
        if self.of.shape is None:
            place = place + (settings.contact_margin - self.of.margin) * self.at.along
        elif given is not None and type(given) is type(self.of.shape):
            place = next(each.place for each in grips_of(given, settings.contact_margin) if each.name == self.at.name)
        return self.of.in_world(place)

    @property
    def reach(self) -> float:
        """The longest side of what the body touches with."""
        return float(max(np.ptp([each.place for each in self.of.grips], axis=0))) or max(self.of.body.dimensions)

    def kept(self) -> list[tuple[bpy.types.PropertyGroup, list]]:
        """The settings of the shape and of that of the other side."""
        twin = twin_body(self.of.body, self.scene) if self.scene.ves.pose_mirror else None
        bodies = (self.of.body, twin) if twin is not None else (self.of.body,)
        return [(body.ves, [_plain(getattr(body.ves, name)) for name in KEPT]) for body in bodies]

    def put_back(self, kept: list[tuple[bpy.types.PropertyGroup, list]]) -> None:
        """Set all of them: the kind of the shape first, which forgets the sizes of another."""
        for settings, values in kept:
            for name, value in zip(KEPT, values, strict=True):
                setattr(settings, name, value)

    def begin(self) -> float | Vector:
        """No way dragged yet (m)."""
        return 0.0 if self.at.along is not None else Vector()

    def meant(self, value: float | Vector, begin: Vector, sight: Vector) -> float | Vector:
        """The way (m) from where the place was taken: along its direction, or of the middle in the world."""
        place = self.of.in_world(self.at.place)
        if self.at.along is None:
            return facing(place, begin, sight) - place
        return along_line(place, Vector(self.of.turn @ self.at.along), value, begin, sight)

    def drag(self, value: float | Vector, in_steps: bool) -> str:
        """Set the size, the middle or the margin."""
        body = self.of.body
        if self.at.name == "MARGIN":
            return f"{body.name}: margin {self._said(self._drag_margin(value, in_steps))}"
        if self.at.along is None:
            way = self.of.turn.T @ np.array(value)
            start = np.array(self.of.shape.position)
            step = _step(max(np.ptp([each.place for each in self.of.grips], axis=0)))
            way = step * np.round((start + way) / step) - start if in_steps else way
            set_shape(body, moved(self.of.shape, way), self.scene)
            return f"{body.name}: middle " + ", ".join(map(self._said, body.ves.shape_middle))
        size = size_of(self.of.shape, self.at.name)
        by = _step(size) * round((size + value) / _step(size)) - size if in_steps else value
        shape = resized(self.of.shape, self.at.name, by)
        set_shape(body, shape, self.scene)
        what = "radius" if self.at.name.startswith("R") else "side" if NAMES[type(shape)] == "BOX" else "length"
        return f"{body.name}: {what} {self._said(size_of(shape, self.at.name))}"

    def _drag_margin(self, by: float, in_steps: bool) -> float:
        """A margin that leaves something of the shape."""
        body, before = self.of.body, self.of.body.ves.contact_margin
        step = _step(float(max(self.of.body.dimensions)))
        margin = self.of.margin + by
        set_margin(body, step * round(margin / step) if in_steps else margin, self.scene)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        if not has_shape(body, depsgraph):
            set_margin(body, before, self.scene)
        return body.ves.contact_margin

    def _said(self, length: float) -> str:
        return bpy.utils.units.to_string(self.scene.unit_settings.system, "LENGTH", length, precision=DIGITS)


class VES_GGT_sizes(HandleGroup, bpy.types.GizmoGroup):
    """Drag the sizes of shapes."""

    bl_label = "Sizes of Shapes"
    color, highlight = (0.75, 1.0, 0.3), (0.95, 1.0, 0.85)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """True where they are wanted, and can change."""
        is_shown = context.scene.ves.show_sizes and context.space_data.overlay.show_overlays
        is_idle = context.mode in ("OBJECT", "POSE") and not under_way()
        return is_shown and is_idle and bool(bodies_with_sizes(context))

    @staticmethod
    def grips(context: bpy.types.Context) -> list[SizeGrip]:
        """Of each body that is meant."""
        depsgraph = context.evaluated_depsgraph_get()
        found = [sized_now(body, depsgraph) for body in bodies_with_sizes(context)]
        return [SizeGrip(context.scene, of, at) for of in found if of is not None for at in of.grips]


def _step(size: float) -> float:
    """About a twentieth of a size, as a person would type it."""
    rough = PARTS * size
    place = 10.0 ** math.floor(math.log10(rough))
    return max(digit * place for digit in (1, 2, 5) if digit * place <= rough * (1.0 + 1e-6))


def _plain(value: object) -> object:
    return value if isinstance(value, (str, float)) else tuple(value)


CLASSES = (VES_GGT_sizes,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
