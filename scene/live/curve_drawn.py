# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages whose point draws a curve object, as plans of linkages."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import NamedTuple

import bpy
import numpy as np

from ...solver.synthesis import Found, search
from ..bake.bake import Progress
from ..bake.thread import beside
from ..findings import need_scipy, refuse
from ..geometry.bead_curve import placed
from ..geometry.curve_length import CurveError, CurveLength
from ..links.build import WIDTH
from ..links.plan import Plan, Slide, best_normal

POINTS = 256
FLAT = 0.02  # of a curve's size: how far it may leave its plane
BLOCK = 0.6  # length of a block, in mean widths of bars
_last: dict[bytes, list[Found]] = {}  # what the last curve gave, so that another choice needs no other search


class Drawing(NamedTuple):
    """A linkage that draws a curve: its plan, what was found, and the lines that it draws and should draw, in space."""

    plan: Plan
    found: Found
    path: np.ndarray  # (n, 3)
    wanted: np.ndarray  # (m, 3)

    @property
    def drawing_link(self) -> int:
        """The link whose point draws: the last of the found points."""
        return next(i for i, of in enumerate(self.found.family.links) if len(self.found.points) - 1 in of)


def plans_of_curve(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Generator[Progress, None, list[Drawing]]:
    """Linkages in the world, the best first. Raises SceneError naming the curve."""
    need_scipy()
    points, is_open = _points(ob, depsgraph)
    normal, middle = best_normal(points), points.mean(axis=0)
    size = float(np.ptp(points, axis=0).max())
    if not 0.0 < size < math.inf:
        refuse(ob, "has no size: scale it up")
    if np.abs((points - middle) @ normal).max() > FLAT * size:
        refuse(ob, "is not flat: a linkage draws in a plane. Set its Shape to 2D, or scale it flat")
    x = points[np.argmax(np.linalg.norm(points - middle, axis=1))] - middle
    x -= (x @ normal) * normal
    axes = np.array([x / np.linalg.norm(x), np.cross(normal, x / np.linalg.norm(x))])
    flat = (points - middle) @ axes.T
    key = flat.tobytes() + bytes([is_open])
    found = _last.get(key)
    if found is None:
        steps = beside(search(flat, is_open=is_open))
        while True:
            try:
                yield Progress(next(steps) or 0.0, "Looking for linkages", is_elsewhere=True)
            except StopIteration as end:
                found = end.value
                break
        _last.clear()
        _last[key] = found
    if not found:
        refuse(ob, "is like no curve of a linkage: draw it rounder and without sharp corners")
    return [Drawing(_plan(each, middle, axes, normal), each, middle + each.curve @ axes, points) for each in found]


def _points(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> tuple[np.ndarray, bool]:
    """(n, 3): at equal lengths along a curve, and True if it is open."""
    try:
        curve = CurveLength.of_object(ob, depsgraph)
    except CurveError as error:
        refuse(ob, f"{error}: draw a curve first")
    shares = np.arange(POINTS) / (POINTS - (not curve.is_closed))
    return placed(curve, np.array(ob.matrix_world, float), shares), not curve.is_closed


def _plan(found: Found, middle: np.ndarray, axes: np.ndarray, normal: np.ndarray) -> Plan:
    """Its bars, with the point that draws; the crank drives.

    A block is a short bar along its rail. A rod begins with the place where its block is farthest out.
    """
    family = found.family
    points, links = list(found.points), [list(of) for of in family.links]
    free, slides = {len(points) - 1}, []
    spans = [np.linalg.norm(np.ptp(found.points[list(of)], axis=0)) for of in family.links if len(of) > 1]
    for each, rail in zip(family.slides, found.rails, strict=True):
        along = rail / np.linalg.norm(rail)
        free.add(len(points))
        links[each.block].append(len(points))
        points.append(points[each.point] + BLOCK * WIDTH * np.mean(spans) * along)
        if each.on >= 0:
            rod = links[each.on]
            free.add(len(points))
            rod.insert(1, len(points))
            points.append(points[rod[0]] + rail)
        slides.append(Slide(each.on, each.block, each.point, tuple(along @ axes)))
    return Plan(
        middle + np.array(points) @ axes, [tuple(of) for of in links], normal, family.ground, free, {(0, 0)}, slides,
        family.labels,
    )  # fmt: skip
