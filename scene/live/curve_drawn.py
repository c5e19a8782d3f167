# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose point draws a curve object, as plans of linkages."""

from __future__ import annotations

from collections.abc import Generator

import bpy
import numpy as np

from ...solver.synthesis import Found, search
from ..bake.bake import Progress
from ..bake.thread import beside
from ..findings import need_scipy, refuse
from ..geometry.bead_curve import placed
from ..geometry.curve_length import CurveError, CurveLength
from ..links.plan import Plan, best_normal

POINTS = 256
FLAT = 0.02  # of a curve's size: how far it may leave its plane
_last: dict[bytes, list[Found]] = {}  # what the last curve gave, so that another choice needs no other search


def plans_of_curve(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph
) -> Generator[Progress, None, list[tuple[Plan, Found]]]:
    """Plans in the world, the best first, with what was found. Raises SceneError naming the curve."""
    need_scipy()
    points = _points(ob, depsgraph)
    normal, middle = best_normal(points), points.mean(axis=0)
    size = float(np.ptp(points, axis=0).max())
    if np.abs((points - middle) @ normal).max() > FLAT * size:
        refuse(ob, "is not flat: a linkage draws in a plane. Set its Shape to 2D, or scale it flat")
    x = points[np.argmax(np.linalg.norm(points - middle, axis=1))] - middle
    x -= (x @ normal) * normal
    axes = np.array([x / np.linalg.norm(x), np.cross(normal, x / np.linalg.norm(x))])
    flat = (points - middle) @ axes.T
    found = _last.get(flat.tobytes())
    if found is None:
        steps = beside(search(flat))
        while True:
            try:
                yield Progress(next(steps) or 0.0, "Looking for linkages", is_elsewhere=True)
            except StopIteration as end:
                found = end.value
                break
        _last.clear()
        _last[flat.tobytes()] = found
    if not found:
        refuse(ob, "is like no curve of a linkage: draw it rounder and without sharp corners")
    return [(_plan(each, middle, axes, normal), each) for each in found]


def _points(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    try:
        curve = CurveLength.of_object(ob, depsgraph)
    except CurveError as error:
        refuse(ob, f"{error}: draw a closed curve first")
    if not curve.is_closed:
        refuse(ob, "is open: close it (Alt C in Edit Mode), since a crank comes round to where it began")
    return placed(curve, np.array(ob.matrix_world, float), np.arange(POINTS) / POINTS)


def _plan(found: Found, middle: np.ndarray, axes: np.ndarray, normal: np.ndarray) -> Plan:
    """Its bars, with the point that draws; the crank drives."""
    points, family = middle + found.points @ axes, found.family
    free = {len(points) - 1}
    return Plan(points, list(family.links), normal, family.ground, free, {(0, 0)}, names=family.labels)
