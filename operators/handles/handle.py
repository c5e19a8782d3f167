# SPDX-License-Identifier: GPL-3.0-or-later
"""A handle in the 3D View, and a group of them: each has a grip, a setting that stands somewhere in the world.

With Ctrl a drag goes in steps, with Shift finely; Esc or the right mouse button puts back what was. A drag is one step
of undo.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any, ClassVar

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d, region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Matrix, Vector

from ..viewport import push_undo_soon, say_in_headers

SIZE = 0.09
"""Of a handle, in those of Blender's own."""
SMALLEST = 40.0
"""Pixels: of what looks smaller no handles are shown, which would cover it."""
FINE = 0.1
"""Share of the mouse's way that counts with Shift."""
CORNERS = ((1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0))
BALL = [corner for k in range(4) for tip in ((0, 0, 1), (0, 0, -1)) for corner in (CORNERS[k], CORNERS[k - 1], tip)]
KEYS = "    Ctrl: Steps    Shift: Fine    Esc: Back"

Value = float | Vector
"""A number that is dragged, or a place."""


class Grip(ABC):
    """Something that a handle drags."""

    undo: ClassVar[str]
    """Name of the step of undo."""

    @property
    @abstractmethod
    def key(self) -> Hashable:
        """Itself among others, from one drawing to the next."""

    @abstractmethod
    def place(self) -> Vector:
        """Its place in the world."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """m: of what is drawn around it, all of whose handles would lie on each other where that looks small."""

    @abstractmethod
    def kept(self) -> Any:
        """All settings that a drag may change, as they are."""

    @abstractmethod
    def put_back(self, kept: Any) -> None:
        """Make the settings what they were."""

    @abstractmethod
    def begin(self) -> Value:
        """The value from which a drag goes on."""

    @abstractmethod
    def meant(self, value: Value, begin: Vector, sight: Vector) -> Value:
        """The value under a line of sight; `value`: what it was under the mouse last."""

    @abstractmethod
    def drag(self, value: Value, in_steps: bool) -> str:
        """Set it; returns it as a person reads it."""


class VES_GT_handle(bpy.types.Gizmo):
    """A ball to drag."""

    bl_idname = "VES_GT_handle"
    __slots__ = ("grip", "kept", "shape", "under_mouse", "value")

    def setup(self) -> None:
        """Called by Blender as it makes the handle."""
        self.shape = self.new_custom_shape("TRIS", BALL)
        self.grip = None

    def draw(self, _context: bpy.types.Context) -> None:
        """Called by Blender while it draws."""
        self.draw_custom_shape(self.shape)

    def draw_select(self, _context: bpy.types.Context, select_id: int) -> None:
        """Called by Blender to find what is under the mouse."""
        self.draw_custom_shape(self.shape, select_id=select_id)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """A drag begins."""
        self.kept = self.grip.kept()
        self.value = self.grip.begin()
        self.under_mouse = self._meant(context, event, self.value)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event, tweak: set[str]) -> set[str]:
        """The mouse has moved."""
        meant = self._meant(context, event, self.under_mouse)
        is_fine = "PRECISE" in tweak or event.shift  # a key that was down before the drag is not in `tweak`
        self.value += (FINE if is_fine else 1.0) * (meant - self.under_mouse)
        self.under_mouse = meant
        said = self.grip.drag(self.value, "SNAP" in tweak or event.ctrl)
        say_in_headers(context.window_manager, said + KEYS)
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool) -> None:
        """The drag has ended, or shall not have been."""
        say_in_headers(context.window_manager, None)
        if cancel:
            self.grip.put_back(self.kept)
        elif self.grip.kept() != self.kept:
            push_undo_soon(context.window, self.grip.undo)

    def _meant(self, context: bpy.types.Context, event: bpy.types.Event, value: Value) -> Value:
        mouse = event.mouse_region_x, event.mouse_region_y
        begin = region_2d_to_origin_3d(context.region, context.region_data, mouse)
        sight = region_2d_to_vector_3d(context.region, context.region_data, mouse)
        return self.grip.meant(value, begin, sight)


class HandleGroup:
    """Mixed into a group of gizmos: a handle for each grip."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options: ClassVar = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}
    color = highlight = (1.0, 1.0, 1.0)

    @staticmethod
    def grips(_context: bpy.types.Context) -> Sequence[Grip]:
        """The grips that have handles now: each group knows its own."""
        return ()

    def setup(self, context: bpy.types.Context) -> None:
        """Begin without handles."""
        self._shown: list[Hashable] = []
        self.refresh(context)

    def refresh(self, context: bpy.types.Context) -> None:
        """Give each grip a handle. Blender does not call this each time that they change."""
        if any(gizmo.is_modal for gizmo in self.gizmos):
            return
        found = self.grips(context)
        shown = [grip.key for grip in found]
        if shown != self._shown:
            self.gizmos.clear()
            for _ in shown:
                self._add()
            self._shown = shown
        for gizmo, grip in zip(self.gizmos, found, strict=True):
            gizmo.grip = grip

    def draw_prepare(self, context: bpy.types.Context) -> None:
        """Put handles where their grips are now."""
        self.refresh(context)
        for gizmo in self.gizmos:
            place = gizmo.grip.place()
            gizmo.matrix_basis = Matrix.Translation(place)
            gizmo.hide = not gizmo.is_modal and _pixels(context, place, gizmo.grip.reach) < SMALLEST

    def _add(self) -> None:
        gizmo: Any = self.gizmos.new(VES_GT_handle.bl_idname)
        gizmo.color, gizmo.alpha = self.color, 0.9
        gizmo.color_highlight, gizmo.alpha_highlight = self.highlight, 1.0
        gizmo.use_draw_modal, gizmo.scale_basis = True, SIZE


def _pixels(context: bpy.types.Context, place: Vector, length: float) -> float:
    """The length across the view as it is drawn there, in the interface's own pixels; 0 behind the eye."""
    right = context.region_data.view_rotation @ Vector((length, 0.0, 0.0))
    ends = [location_3d_to_region_2d(context.region, context.region_data, each) for each in (place, place + right)]
    return 0.0 if None in ends else (ends[1] - ends[0]).length / context.preferences.system.ui_scale


CLASSES = (VES_GT_handle,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
