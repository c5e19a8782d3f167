# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends of loose ties: a bar is held at the middle of one of its two ends, first at one, then at the other."""

from itertools import product

import bpy
import numpy as np
from mathutils import Vector

from .linkages import TIES
from .placement import Outline, nearest_points, nearest_to

SLENDER = 2.5  # length of a bar over its largest width, at least
AT_THE_END = 0.02  # of the length: points so near to the last one are of the end
TAKEN = 0.25  # of the length: an end is taken that has a tie so near


def bar_ends(shape: Outline) -> list[Vector]:
    """The middles of the two ends of a bar; none of what is not slender."""
    offsets = shape.points - shape.points.mean(axis=0)
    _, axes = np.linalg.eigh(offsets.T @ offsets)
    along = offsets @ axes
    sides = np.ptp(along, axis=0)
    if len(shape.points) < 2 or sides[2] < SLENDER * max(sides[0], sides[1]) or sides[2] == 0.0:
        return []
    reach = AT_THE_END * sides[2]
    lowest, highest = along[:, 2].min(), along[:, 2].max()
    caps = shape.points[along[:, 2] <= lowest + reach], shape.points[along[:, 2] >= highest - reach]
    return [Vector(0.5 * (cap.min(axis=0) + cap.max(axis=0))) for cap in caps]


def free_ends(body: bpy.types.Object, shape: Outline, scene: bpy.types.Scene) -> list[Vector]:
    """The ends of a bar that nothing is fastened to yet; both if something is fastened to both."""
    ends = bar_ends(shape)
    if not ends:
        return []
    near = TAKEN * (ends[1] - ends[0]).length
    held = [place for tie in scene.objects if tie.ves.role in TIES for place in _places_on(body, tie)]
    return [end for end in ends if all((end - place).length > near for place in held)] or ends


def _places_on(body: bpy.types.Object, tie: bpy.types.Object) -> list[Vector]:
    """The places at which a tie holds a body."""
    settings = tie.ves
    sides = ((settings.body_a, tie), (settings.body_b, settings.anchor_b or tie))
    return [mark.matrix_world.translation for held, mark in sides if held == body]


def loose_ends(
    body: bpy.types.Object,
    other: bpy.types.Object | None,
    shapes: dict[bpy.types.Object, Outline],
    scene: bpy.types.Scene,
) -> tuple[Vector, Vector]:
    """A point of the body and one of the other (None: the 3D cursor) for the two sides of a loose tie.

    Of bars free ends, the two that are nearest to each other; else the nearest points.
    """
    ends = free_ends(body, shapes[body], scene)
    if other is None:
        cursor = scene.cursor.location.copy()
        return min(ends, key=lambda end: (end - cursor).length, default=nearest_to(shapes[body], cursor)), cursor
    others = free_ends(other, shapes[other], scene)
    if not ends and not others:
        return nearest_points(shapes[body], shapes[other])
    if not others:
        pairs = [(end, nearest_to(shapes[other], end)) for end in ends]
    elif not ends:
        pairs = [(nearest_to(shapes[body], end), end) for end in others]
    else:
        pairs = list(product(ends, others))
    return min(pairs, key=lambda pair: (pair[0] - pair[1]).length)
