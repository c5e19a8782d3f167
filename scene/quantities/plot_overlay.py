# SPDX-License-Identifier: GPL-3.0-or-later
"""Small plots in the lower left corner of the 3D View: what `Scene.ves.view_plots` names, over time or each other, and
what the path of a point, if that is active, has kept over the way of its drive."""

from itertools import cycle
from typing import Any, NamedTuple

import bpy
import numpy as np

from .path_plots import path_curves
from .view_plots import Curve, curve_of

WIDTH, HEIGHT, GAP, MARGIN, LINE = 260.0, 92.0, 8.0, 14.0, 15.0
"""Of a plot, in pixels at a scale of 1: with the gap between two, what is around all, and the height of a line."""
LEFT = 60.0  # where all begin: right of Blender's toolbar
COLORS = ((0.95, 0.75, 0.2, 1.0), (0.35, 0.8, 1.0, 1.0), (0.6, 1.0, 0.45, 1.0))
GROUND, FRAME, TEXT, NOW = (0.05, 0.05, 0.05, 0.7), (1.0, 1.0, 1.0, 0.25), (0.9, 0.9, 0.9, 1.0), (1.0, 1.0, 1.0, 0.9)
NAMED = 3  # components at most whose present values are written out
FONT, SIZE = 0, 11.0
SMALLEST = 1e-9

_handle: Any = None


class Box(NamedTuple):
    """A plot in pixels: its corner and size, the lines (n, 2) of its components, the points (C, 2) that are now, and
    its texts with their places."""

    corner: tuple[float, float]
    size: tuple[float, float]
    lines: list[np.ndarray]
    now: np.ndarray
    texts: list[tuple[str, float, float]]


def boxes(curves: list[Curve], height: float, scale: float = 1.0) -> list[Box]:
    """Plots one above the other, from below; those that do not fit into the height are left out."""
    found = []
    for k, curve in enumerate(curves):
        y = MARGIN * scale + k * (HEIGHT + GAP) * scale
        if y + HEIGHT * scale > height:
            break
        found.append(_box(curve, (LEFT * scale, y), scale))
    return found


def _box(curve: Curve, corner: tuple[float, float], scale: float) -> Box:
    inner = np.array(corner) + scale * np.array([6.0, 6.0 + LINE])
    room = scale * np.array([WIDTH - 12.0, HEIGHT - 12.0 - 2.0 * LINE])
    (left, right), (low, high) = _range(curve.x), _range(curve.y)

    def pixels(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        share = np.column_stack([(x - left) / (right - left), (y - low) / (high - low)])
        return inner + share * room

    lines = [pixels(curve.x, column) for column in curve.y.T]
    row = curve.now
    now = np.zeros((0, 2)) if row is None else np.array([line[row] for line in lines])
    values = "" if row is None or curve.y.shape[1] > NAMED else ", ".join(f"{value:.4g}" for value in curve.y[row])
    base = corner[1] + 5.0 * scale
    texts = [
        (f"{curve.title}  {values}", inner[0], corner[1] + (HEIGHT - LINE + 3.0) * scale),
        (f"{curve.along}: {left:.3g} to {right:.3g}    {low:.3g} to {high:.3g}", inner[0], base),
    ]
    return Box(corner, (WIDTH * scale, HEIGHT * scale), lines, now, texts)


def _range(values: np.ndarray) -> tuple[float, float]:
    """The least and the largest value, a little apart if they are the same."""
    low, high = float(values.min()), float(values.max())
    apart = max(SMALLEST, 1e-6 * max(abs(low), abs(high)))
    return (low, high) if high - low > apart else (low - 0.5 * apart, low + 0.5 * apart)


def draw() -> None:
    """Draw the plots into the view that is being drawn."""
    context = bpy.context
    settings, space = context.scene.ves, context.space_data
    if space is None or not space.overlay.show_overlays:
        return
    curves = [curve_of(plot, context.scene) for plot in settings.view_plots] if settings.show_view_plots else []
    if settings.show_path_plots:
        curves += path_curves(context.active_object, context.scene)
    scale = context.preferences.system.ui_scale
    for box in boxes([curve for curve in curves if curve is not None], context.region.height, scale):
        _draw_box(box, scale)


def _draw_box(box: Box, scale: float) -> None:
    import blf
    import gpu

    gpu.state.blend_set("ALPHA")
    draw_framed(box.corner, box.size, FRAME)
    for line, color in zip(box.lines, cycle(COLORS), strict=False):
        if len(line) > 1:
            draw_flat("LINE_STRIP", line, color)
    if len(box.now):
        gpu.state.point_size_set(5.0 * scale)
        draw_flat("POINTS", box.now, NOW)
        gpu.state.point_size_set(1.0)
    gpu.state.blend_set("NONE")
    blf.size(FONT, SIZE * scale)
    blf.color(FONT, *TEXT)
    for text, left, base in box.texts:
        blf.position(FONT, left, base, 0.0)
        blf.draw(FONT, text)


def draw_framed(corner: tuple[float, float], size: tuple[float, float], color: tuple[float, ...]) -> None:
    """A dark rectangle (pixels) with a frame of this colour; called by Blender while it draws."""
    (x, y), (width, height) = corner, size
    corners = np.array([(x, y), (x + width, y), (x + width, y + height), (x, y + height)])
    draw_flat("TRIS", corners[[0, 1, 2, 0, 2, 3]], GROUND)
    draw_flat("LINES", corners[[0, 1, 1, 2, 2, 3, 3, 0]], color)


def draw_flat(kind: str, points: np.ndarray, color: tuple[float, ...]) -> None:
    """Points, lines or triangles (n, 2) in pixels, in one colour; called by Blender while it draws."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, kind, {"pos": np.pad(points, ((0, 0), (0, 1))).astype(np.float32)})
    shader.bind()
    shader.uniform_float("color", color)
    batch.draw(shader)


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
