# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures of the linkages that were found for a curve, along the upper edge of the 3D View, seen as it sees.

They are there while the search is the last operation and what it has built is still there. Nothing of it is saved.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..quantities.plot_overlay import FONT, FRAME, GAP, LEFT, LINE, SIZE, TEXT, draw_flat, draw_framed
from .curve_drawn import Drawing

SIDE, TOP = 132.0, 130.0  # pixels at a scale of 1: of a picture, and of Blender's words on the view above
EDGE_ON = 0.2  # sine of the angle between view and plane, below which the plane is shown from the front
CHOSEN = (1.0, 0.6, 0.2, 1.0)
WANTED, DRAWN, BAR, PIVOT = (0.65, 0.65, 0.65, 0.9), (1.0, 0.45, 0.1, 1.0), (0.45, 0.7, 1.0, 0.8), (1.0, 1.0, 1.0, 0.9)
DIM = 0.45  # of the opacity, of those that are not chosen

_handle: Any = None
_shown: Shown | None = None


class Shown(NamedTuple):
    """Linkages that were found, the number of the chosen one, and what has to be there: operator and collection."""

    drawings: Sequence[Drawing]
    chosen: int
    operator: str
    collection: int  # session_uid


class Picture(NamedTuple):
    """One of them in pixels: corner and side, lines (n, 2) with their colours, pivots (k, 2), and its text."""

    corner: tuple[float, float]
    side: float
    lines: list[tuple[np.ndarray, tuple[float, ...]]]
    pivots: np.ndarray
    text: str
    is_chosen: bool


def show(drawings: Sequence[Drawing], chosen: int, operator: str, collection: bpy.types.Collection) -> None:
    """Show these until another operation is the last one."""
    global _shown
    _shown = Shown(drawings, chosen, operator, collection.session_uid)


def shown_in(context: bpy.types.Context) -> Shown | None:
    """The linkages to be shown now."""
    if _shown is None:
        return None
    done = context.window_manager.operators
    is_last = len(done) > 0 and done[-1].bl_idname == _shown.operator
    is_there = any(each.session_uid == _shown.collection for each in context.scene.collection.children)
    return _shown if is_last and is_there else None


def pictures(shown: Shown, view: np.ndarray, room: tuple[float, float], scale: float = 1.0) -> list[Picture]:
    """In rows from the upper left, as a view (3, 3: its right, up and back) sees them; room: the region, in pixels."""
    width, height = room
    side, step = SIDE * scale, (SIDE + GAP) * scale
    columns = max(1, int((width - LEFT * scale) // step))
    found = []
    for number, drawing in enumerate(shown.drawings):
        row, column = divmod(number, columns)
        corner = (LEFT * scale + column * step, height - TOP * scale - side - row * (step + LINE * scale))
        if corner[1] < 0.0:
            break
        found.append(_picture(number, drawing, shown.chosen, view, corner, scale))
    return found


def _picture(
    number: int, drawing: Drawing, chosen: int, view: np.ndarray, corner: tuple[float, float], scale: float
) -> Picture:
    plan, found = drawing.plan, drawing.found
    axes = view[:2]
    if abs(view[2] @ plan.normal) < EDGE_ON:
        across = np.cross(plan.normal, view[0] if abs(view[0] @ plan.normal) < 0.9 else view[1])
        axes = np.array([np.cross(across, plan.normal), across]) / np.linalg.norm(across)
    everything = np.concatenate([plan.points, drawing.wanted, drawing.path]) @ axes.T
    low, size = everything.min(axis=0), max(float(np.ptp(everything, axis=0).max()), 1e-30)
    inner = (SIDE - 12.0) * scale
    shift = np.array(corner) + 6.0 * scale + 0.5 * inner * (1.0 - np.ptp(everything, axis=0) / size)

    def pixels(points: np.ndarray, is_closed: bool) -> np.ndarray:
        flat = (points @ axes.T - low) / size * inner + shift
        return np.append(flat, flat[:1], axis=0) if is_closed else flat

    is_closed = not found.is_open
    bars = [plan.points[list(of)] for of in plan.links]
    lines = [(pixels(bar, len(bar) > 2), BAR) for bar in bars]
    lines = [(pixels(drawing.wanted, is_closed), WANTED), *lines, (pixels(drawing.path, is_closed), DRAWN)]
    text = f"{number + 1}  {100.0 * found.chamfer:.2g} %  {math.degrees(found.transmission):.0f}°  {found.bars} bars"
    pivots = pixels(plan.points[sorted(plan.ground)], False)
    return Picture(corner, SIDE * scale, lines, pivots, text, number == chosen)


def draw() -> None:
    """Draw the pictures into the view that is being drawn."""
    context = bpy.context
    space, view = context.space_data, context.region_data
    if _shown is None or view is None or space is None or not space.overlay.show_overlays:
        return
    shown = shown_in(context)
    if shown is None:
        return
    scale = context.preferences.system.ui_scale
    sidebar = sum(each.width for each in context.area.regions if each.type == "UI" and each.width > 1)
    room = (context.region.width - sidebar, context.region.height)
    for picture in pictures(shown, np.array(view.view_matrix)[:3, :3], room, scale):
        _draw_picture(picture, scale)


def _draw_picture(picture: Picture, scale: float) -> None:
    import blf
    import gpu

    (x, y), side = picture.corner, picture.side
    gpu.state.blend_set("ALPHA")
    draw_framed((x, y), (side, side), CHOSEN if picture.is_chosen else FRAME)
    share = 1.0 if picture.is_chosen else DIM
    for line, (*color, opacity) in picture.lines:
        draw_flat("LINE_STRIP", line, (*color, share * opacity))
    gpu.state.point_size_set(5.0 * scale)
    draw_flat("POINTS", picture.pivots, (*PIVOT[:3], share * PIVOT[3]))
    gpu.state.point_size_set(1.0)
    gpu.state.blend_set("NONE")
    blf.size(FONT, SIZE * scale)
    blf.color(FONT, *(CHOSEN if picture.is_chosen else TEXT))
    blf.position(FONT, x, y - 12.0 * scale, 0.0)
    blf.draw(FONT, picture.text)


@bpy.app.handlers.persistent
def forget_all(*_: object) -> None:
    """Show nothing, as after another file was opened."""
    global _shown
    _shown = None


HANDLERS = {"load_pre": forget_all}


def register() -> None:
    """Draw from now on; without a window there is nothing to draw in."""
    global _handle
    if not bpy.app.background:
        _handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", "POST_PIXEL")


def unregister() -> None:
    """Draw no more."""
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
