# SPDX-License-Identifier: GPL-3.0-or-later
"""The 3D View under the mouse: rays into the scene, and places that the mouse means."""

from __future__ import annotations

import functools

import bpy
from bpy_extras.view3d_utils import region_2d_to_location_3d, region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector


class Viewport:
    """The region of a 3D View and the mouse in it."""

    def __init__(self, region: bpy.types.Region, view: bpy.types.RegionView3D, mouse: tuple[float, float]) -> None:
        self._region, self._view, self._mouse = region, view, mouse

    def ray(self) -> tuple[Vector, Vector]:
        """The line of sight through the mouse: where it begins, and its direction."""
        direction = region_2d_to_vector_3d(self._region, self._view, self._mouse)
        return region_2d_to_origin_3d(self._region, self._view, self._mouse), direction

    def beside(self, point: Vector) -> Vector:
        """The place that the mouse means in the plane through `point` that faces the view."""
        return region_2d_to_location_3d(self._region, self._view, self._mouse, point)

    def nearer(self, point: Vector, steps: float) -> Vector:
        """The place that many tenths of the distance nearer to the eye, on the same line of sight."""
        if self._view.is_perspective:
            eye = self._view.view_matrix.inverted().translation
            return eye + (point - eye) * 1.1**-steps
        direction = self._view.view_rotation @ Vector((0.0, 0.0, 1.0))
        return point + 0.1 * steps * self._view.view_distance * direction

    def pushed(self, push: Vector) -> Vector:
        """The way (m) in the world of a push along the view's axes, in distances of the view's middle."""
        return self._view.view_rotation @ (self._view.view_distance * push)


def viewport_under(window: bpy.types.Window, event: bpy.types.Event) -> Viewport | None:
    """The 3D View that the mouse is in; None over panels, headers and other editors."""
    for area in window.screen.areas:
        if area.type != "VIEW_3D":
            continue
        inside = [region for region in area.regions if _is_inside(region, event)]
        if inside and all(region.type == "WINDOW" for region in inside):
            region = inside[0]
            return Viewport(region, region.data, (event.mouse_x - region.x, event.mouse_y - region.y))
    return None


def say_in_headers(manager: bpy.types.WindowManager, text: str | None) -> None:
    """Show a text in the headers of all 3D Views, or again what is there otherwise, and draw them anew."""
    for window in manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.header_text_set(text)
                area.tag_redraw()


def push_undo_soon(window: bpy.types.Window, message: str) -> None:
    """Make an undo step by a timer, since Blender allows none while it draws, or under a handle."""
    bpy.app.timers.register(functools.partial(_push_undo, window, message), first_interval=0.0)


def _push_undo(window: bpy.types.Window, message: str) -> None:
    with bpy.context.temp_override(window=window):
        bpy.ops.ed.undo_push(message=message)


def _is_inside(region: bpy.types.Region, event: bpy.types.Event) -> bool:
    """Regions that are not shown are a pixel wide."""
    x, y = event.mouse_x - region.x, event.mouse_y - region.y
    return region.width > 1 and region.height > 1 and 0 <= x < region.width and 0 <= y < region.height
