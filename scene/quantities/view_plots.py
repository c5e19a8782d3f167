# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities as curves for the 3D View: over time, or one over another."""

from dataclasses import dataclass

import bpy
import numpy as np

from .quantities import Quantity, quantities_of
from .recorded import Record, is_running

MOST = 600  # points of a curve
TIME = "Time (s)"


@dataclass(frozen=True)
class Curve:
    """One plot: `x` (F,), `y` (F, C), what they are, and the row that is now (None: not known at this frame)."""

    title: str
    along: str
    x: np.ndarray
    y: np.ndarray
    parts: tuple[str, ...]
    now: int | None


def toggled(scene: bpy.types.Scene, owner: bpy.types.Object | None, quantity: str) -> bool:
    """Add a plot over time, or take away those of the same quantity; whether there is one now."""
    plots = scene.ves.view_plots
    same = [i for i, plot in enumerate(plots) if plot.owner == owner and plot.quantity == quantity]
    for i in reversed(same):
        plots.remove(i)
    if not same:
        plot = plots.add()
        plot.owner, plot.quantity = owner, quantity
    return not same


def curve_of(plot: bpy.types.PropertyGroup, scene: bpy.types.Scene) -> Curve | None:
    """The curve of a plot, of the run or of the last bake; None where nothing is known of it."""
    record, found = quantities_of(plot.owner or scene, scene)
    by_label = {quantity.label: quantity for quantity in found}
    quantity, against = by_label.get(plot.quantity), by_label.get(plot.against)
    if record is None or quantity is None or (plot.against and against is None):
        return None
    whole = quantity.values if against is None else np.column_stack([quantity.values, _along(against)])
    kept = np.isfinite(whole).all(axis=1)
    if not kept.any():
        return None
    x = np.arange(record.frames) / record.rate if against is None else _along(against)
    name = plot.owner.name if plot.owner is not None else scene.name
    rows = np.flatnonzero(kept)
    rows = rows[np.unique(np.linspace(0, len(rows) - 1, min(MOST, len(rows))).astype(int))]
    now = _row_now(record, scene)
    return Curve(
        title=f"{name}: {quantity.title}{'' if is_running(scene) else '  (last bake)'}",
        along=TIME if against is None else against.title + _part(against),
        x=x[rows],
        y=quantity.values[rows],
        parts=quantity.parts,
        now=None if now is None else int(np.argmin(np.abs(rows - now))),
    )


def _along(quantity: Quantity) -> np.ndarray:
    """(F,): of several components the first."""
    return quantity.values[:, 0]


def _part(quantity: Quantity) -> str:
    return f" {quantity.parts[0]}" if quantity.parts else ""


def _row_now(record: Record, scene: bpy.types.Scene) -> int | None:
    """The row of the present frame; of a run the last one, if it is not known so far."""
    row = scene.frame_current - record.first
    if is_running(scene):
        return min(max(row, 0), record.frames - 1)
    return row if 0 <= row < record.frames else None
