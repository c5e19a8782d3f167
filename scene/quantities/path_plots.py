# SPDX-License-Identifier: GPL-3.0-or-later
"""Plots of what changes over the whole way of a drive, which stand in the 3D View while the path of a point is active.

They are kept in the curve's `Object.ves.path_plots`, as text.
"""

import functools
import json
import math
from collections.abc import Sequence
from typing import NamedTuple

import bpy
import numpy as np

from ..properties.joint import can_drive, drive_path
from .view_plots import Curve

DIGITS = 6
ROUND = 360.0  # degrees


class Over(NamedTuple):
    """One plot over a drive: what it shows, and its values (T, C), with the names of their C parts."""

    title: str
    values: np.ndarray
    parts: tuple[str, ...] = ()


def as_text(drive: str, along: str, values: np.ndarray, plots: Sequence[Over]) -> str:
    """The text that a curve keeps. values (T,): those of the drive, which is called `along`."""
    return json.dumps(
        {
            "drive": drive,
            "along": along,
            "values": _rounded(values),
            "plots": [[each.title, list(each.parts), _rounded(each.values)] for each in plots],
        }
    )


def path_curves(ob: bpy.types.Object | None, scene: bpy.types.Scene) -> list[Curve]:
    """The plots of a curve that is the path of a point; none of anything else, or where its text is damaged."""
    kept = _read(ob.ves.path_plots) if ob is not None and ob.type == "CURVE" else None
    if kept is None:
        return []
    now = _row_now(scene.objects.get(kept.drive), kept.values)
    return [Curve(each.title, kept.along, kept.values, each.values, each.parts, now) for each in kept.plots]


class _Kept(NamedTuple):
    """Contents of the text: the drive's name, the name of its values (T,), these, and the plots over them."""

    drive: str
    along: str
    values: np.ndarray
    plots: list[Over]


@functools.lru_cache(maxsize=4)  # views are drawn often, and the text of a large linkage takes 30 ms to read
def _read(text: str) -> _Kept | None:
    """None of an empty text, and of a damaged one."""
    if not text:
        return None
    try:
        kept = json.loads(text)
        values = np.array(kept["values"], float)
        plots = [
            Over(str(title), np.array(y, float).reshape(len(values), -1), tuple(map(str, parts)))
            for title, parts, y in kept["plots"]
        ]
        is_whole = values.ndim == 1 and len(values) > 0 and np.isfinite(values).all()
        return _Kept(str(kept["drive"]), str(kept["along"]), values, plots) if is_whole else None
    except (ValueError, KeyError, TypeError):
        return None


def _row_now(joint: bpy.types.Object | None, values: np.ndarray) -> int | None:
    """The row of where the drive is; a dial that has gone round is where it was."""
    if joint is None or not joint.ves.is_drive or not can_drive(joint.ves):
        return None
    path = drive_path(joint.ves)
    value = joint.path_resolve(path)
    if not math.isfinite(value):
        return None
    if path == "ves.drive_angle":
        value = math.degrees(value)
        value -= ROUND * math.floor((value - values[0]) / ROUND)
    if not values[0] <= value <= values[-1]:
        return None
    return int(np.argmin(np.abs(values - value)))


def _rounded(values: np.ndarray) -> list:
    shown = np.char.mod(f"%.{DIGITS}g", np.asarray(values, float))
    return shown.astype(float).tolist()
