# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles in the 3D View at the limits that are drawn: the end of an arc or of a bar is dragged to where it shall be.

With *X Mirror* the limit of the other side goes along. Esc or the right mouse button puts back what was.
"""

import math
from typing import Any

import bpy
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Matrix

from ...scene.overlay import joints_with_limits
from ...scene.parts.limit_lines import Stops, stops_of
from ...scene.pose.drag_limits import limits_of, mirrored, set_limit, twin_of, value_meant
from ...scene.properties.joint import ANGLE, coordinate_kinds
from ..viewport import push_undo_soon, say_in_headers

MOST = 60
"""Handles at most; where there are more limits, only the arcs are drawn."""
COLOR, HIGHLIGHT = (1.0, 0.35, 0.55), (1.0, 0.85, 0.9)
SIZE = 0.09
"""Of a handle, in those of Blender's own."""
DEGREES, PARTS = 5.0, 0.05
"""With Ctrl a turn goes in steps of so many degrees, a travel in those of this share of the Empty's size."""
FINE = 0.1
"""Share of the mouse's way that counts with Shift."""
CORNERS = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))
BALL = [corner for k in range(4) for tip in ((0, 0, 1), (0, 0, -1)) for corner in (CORNERS[k], CORNERS[k - 1], tip)]


class VES_GT_limit(bpy.types.Gizmo):
    """The end of a limit's arc or bar."""

    bl_idname = "VES_GT_limit"
    __slots__ = ("coordinate", "joint", "shape", "side", "start", "stops", "under_mouse", "value")

    def setup(self) -> None:
        """Called by Blender as it makes the handle."""
        self.shape = self.new_custom_shape("TRIS", BALL)
        self.joint, self.start = None, None

    def draw(self, _context: bpy.types.Context) -> None:
        """Called by Blender while it draws."""
        self.draw_custom_shape(self.shape)

    def draw_select(self, _context: bpy.types.Context, select_id: int) -> None:
        """Called by Blender to find what is under the mouse."""
        self.draw_custom_shape(self.shape, select_id=select_id)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """A drag begins."""
        self.start = _limits(self.joint, context.scene)
        self.value = limits_of(self.joint.ves, self.coordinate)[self.side]
        self.under_mouse = self._meant(context, event, self.value)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: set[str]) -> set[str]:
        """The mouse has moved."""
        meant = self._meant(context, event, self.under_mouse)
        self.value += (FINE if "PRECISE" in tweak else 1.0) * (meant - self.under_mouse)
        self.under_mouse = meant
        value = _in_steps(self.stops, self.value) if "SNAP" in tweak else self.value
        drag_limit(context.scene, self.joint, self.coordinate, self.side, value)
        now = limits_of(self.joint.ves, self.coordinate)[self.side]
        say_in_headers(context.window_manager, f"{self.joint.name}: {said(self.stops, self.side, now, context.scene)}")
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool) -> None:
        """The drag has ended, or shall not have been."""
        say_in_headers(context.window_manager, None)
        if cancel:
            for settings, coordinate, side, value in self.start:
                set_limit(settings, coordinate, side, value)
        elif _limits(self.joint, context.scene) != self.start:
            push_undo_soon(context.window, "Drag Limit")
        self.start = None

    def _meant(self, context: bpy.types.Context, event: bpy.types.Event, value: float) -> float:
        mouse = event.mouse_region_x, event.mouse_region_y
        begin = region_2d_to_origin_3d(context.region, context.region_data, mouse)
        return value_meant(self.stops, value, begin, region_2d_to_vector_3d(context.region, context.region_data, mouse))


class VES_GGT_limits(bpy.types.GizmoGroup):
    """Drag the limits of joints."""

    bl_label = "Limits of Joints"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """True where limits are drawn."""
        overlay = context.space_data.overlay
        is_shown = context.mode in ("OBJECT", "POSE") and context.scene.ves.show_limits and overlay.show_overlays
        return is_shown and bool(joints_with_limits(context))

    def setup(self, context: bpy.types.Context) -> None:
        """Begin without handles."""
        self._shown: list[tuple[bpy.types.Object, int, str]] = []
        self.refresh(context)

    def refresh(self, context: bpy.types.Context) -> None:
        """Give each limit that is drawn a handle. Blender does not call this each time that they change."""
        if any(gizmo.is_modal for gizmo in self.gizmos):
            return
        found = handles(context)
        shown = [(joint, stops.coordinate, side) for joint, stops, side in found]
        if shown != self._shown:
            self.gizmos.clear()
            for _ in shown:
                self._add()
            self._shown = shown
        for gizmo, (joint, stops, side) in zip(self.gizmos, found, strict=True):
            gizmo.joint, gizmo.stops, gizmo.coordinate, gizmo.side = joint, stops, stops.coordinate, side

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put handles where their limits are now."""
        self.refresh(context)
        for gizmo in self.gizmos:
            value = limits_of(gizmo.joint.ves, gizmo.coordinate).get(gizmo.side)
            if value is not None:
                gizmo.matrix_basis = Matrix.Translation(gizmo.stops.point(value))

    def _add(self) -> None:
        gizmo: Any = self.gizmos.new(VES_GT_limit.bl_idname)
        gizmo.color, gizmo.alpha = COLOR, 0.9
        gizmo.color_highlight, gizmo.alpha_highlight = HIGHLIGHT, 1.0
        gizmo.use_draw_modal, gizmo.scale_basis = True, SIZE


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
    return f"{'smallest' if side == 'lower' else 'largest'} {unit} {number}    Ctrl: Steps    Shift: Fine    Esc: Back"


def _other(
    joint: bpy.types.Object, scene: bpy.types.Scene, coordinate: int, side: str
) -> tuple[bpy.types.Object, int, str] | None:
    """The mirror image of a limit, if it has one that is on, and *X Mirror* is."""
    twin = twin_of(joint, scene) if scene.ves.pose_mirror else None
    found = None if twin is None else mirrored(joint, twin, coordinate, side)
    return (twin, *found) if found is not None and found[1] in limits_of(twin.ves, found[0]) else None


def _limits(joint: bpy.types.Object, scene: bpy.types.Scene) -> list[tuple[bpy.types.PropertyGroup, int, str, float]]:
    """All limits of a joint and of its twin that are on."""
    twin = twin_of(joint, scene) if scene.ves.pose_mirror else None
    found = []
    for settings in (each.ves for each in (joint, twin) if each is not None):
        for c in range(len(coordinate_kinds(settings))):
            found += [(settings, c, side, value) for side, value in limits_of(settings, c).items()]
    return found


def _in_steps(stops: Stops, value: float) -> float:
    step = math.radians(DEGREES) if stops.kind == ANGLE else PARTS * stops.size
    return step * round(value / step)


CLASSES = (VES_GT_limit, VES_GGT_limits)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
