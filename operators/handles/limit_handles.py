# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles at the limits that are drawn: the end of an arc or of a bar is dragged to where it shall be.

With *X Mirror* the limit of the other side goes along.
"""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

import bpy
from mathutils import Vector

from ...scene.overlay import joints_with_limits
from ...scene.parts.limit_lines import RADIUS, Stops, stops_of
from ...scene.pose.drag_limits import limits_of, mirrored, set_limit, twin_of, value_meant
from ...scene.properties.joint import ANGLE, coordinate_kinds
from .handle import Grip, HandleGroup

MOST = 60
"""Handles at most; where there are more limits, only the arcs are drawn."""
DEGREES, PARTS = 5.0, 0.05
"""In steps a turn goes by so many degrees, a travel by this share of the Empty's size."""

Limit = tuple[bpy.types.PropertyGroup, int, str, float]


@dataclass(frozen=True)
class LimitGrip(Grip):
    """The end of a limit's arc or bar."""

    scene: bpy.types.Scene
    joint: bpy.types.Object
    stops: Stops
    side: str
    undo: ClassVar[str] = "Drag Limit"

    @property
    def key(self) -> Hashable:
        """Joint, coordinate and side."""
        return self.joint, self.stops.coordinate, self.side

    def place(self) -> Vector:
        """At the limit's value."""
        value = limits_of(self.joint.ves, self.stops.coordinate).get(self.side)
        return self.stops.point(0.0 if value is None else value)

    @property
    def reach(self) -> float:
        """The arc's radius."""
        return RADIUS * self.stops.size

    def kept(self) -> list[Limit]:
        """All limits of a joint and of its twin that are on."""
        twin = twin_of(self.joint, self.scene) if self.scene.ves.pose_mirror else None
        found = []
        for settings in (each.ves for each in (self.joint, twin) if each is not None):
            for c in range(len(coordinate_kinds(settings))):
                found += [(settings, c, side, value) for side, value in limits_of(settings, c).items()]
        return found

    def put_back(self, kept: list[Limit]) -> None:
        """Set all of them."""
        for settings, coordinate, side, value in kept:
            set_limit(settings, coordinate, side, value)

    def begin(self) -> float:
        """The limit."""
        return limits_of(self.joint.ves, self.stops.coordinate)[self.side]

    def meant(self, value: float, begin: Vector, sight: Vector) -> float:
        """On the arc or the bar."""
        return value_meant(self.stops, value, begin, sight)

    def drag(self, value: float, in_steps: bool) -> str:
        """Set the limit."""
        value = _in_steps(self.stops, value) if in_steps else value
        drag_limit(self.scene, self.joint, self.stops.coordinate, self.side, value)
        return f"{self.joint.name}: {said(self.stops, self.side, self.begin(), self.scene)}"


class VES_GGT_limits(HandleGroup, bpy.types.GizmoGroup):
    """Drag the limits of joints."""

    bl_label = "Limits of Joints"
    color, highlight = (1.0, 0.35, 0.55), (1.0, 0.85, 0.9)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """True where limits are drawn."""
        overlay = context.space_data.overlay
        is_shown = context.mode in ("OBJECT", "POSE") and context.scene.ves.show_limits and overlay.show_overlays
        return is_shown and bool(joints_with_limits(context))

    @staticmethod
    def grips(context: bpy.types.Context) -> list[LimitGrip]:
        """Of each limit that is drawn."""
        return [LimitGrip(context.scene, *found) for found in handles(context)]


def handles(context: bpy.types.Context) -> list[tuple[bpy.types.Object, Stops, str]]:
    """Joint, coordinate and side of each limit that is drawn; none if they are too many."""
    found = [
        (joint, stops, side)
        for joint, zero in joints_with_limits(context)
        for stops in stops_of(joint, zero)
        for side in ("lower", "upper")
        if getattr(stops, side) is not None
    ]
    return found if len(found) <= MOST else []


def drag_limit(scene: bpy.types.Scene, joint: bpy.types.Object, coordinate: int, side: str, value: float) -> None:
    """Set a limit, and with *X Mirror* its mirror image on the other side."""
    set_limit(joint.ves, coordinate, side, value)
    other = _other(joint, scene, coordinate, side)
    if other is not None:
        twin, across, its_side = other
        now = limits_of(joint.ves, coordinate)[side]
        set_limit(twin.ves, across, its_side, now if its_side == side else -now)


def said(stops: Stops, side: str, value: float, scene: bpy.types.Scene) -> str:
    """A limit in the scene's units."""
    kind, unit = ("ROTATION", "angle") if stops.kind == ANGLE else ("LENGTH", "travel")
    number = bpy.utils.units.to_string(scene.unit_settings.system, kind, value, precision=4)
    return f"{'smallest' if side == 'lower' else 'largest'} {unit} {number}"


def _other(
    joint: bpy.types.Object, scene: bpy.types.Scene, coordinate: int, side: str
) -> tuple[bpy.types.Object, int, str] | None:
    """The mirror image of a limit, if it has one that is on, and *X Mirror* is."""
    twin = twin_of(joint, scene) if scene.ves.pose_mirror else None
    found = None if twin is None else mirrored(joint, twin, coordinate, side)
    return (twin, *found) if found is not None and found[1] in limits_of(twin.ves, found[0]) else None


def _in_steps(stops: Stops, value: float) -> float:
    step = math.radians(DEGREES) if stops.kind == ANGLE else PARTS * stops.size
    return step * round(value / step)


CLASSES = (VES_GGT_limits,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
