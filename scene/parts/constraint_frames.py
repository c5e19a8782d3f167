# SPDX-License-Identifier: GPL-3.0-or-later
"""Empties that show the frame of a constraint: its free axes, and where it goes when the two sides have moved."""

import math
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Vector

from ...solver.mechanism.constraints import AXES, Generic
from ..properties.roles import CONSTRAINTS, locked_axes

CORNERS = 32
"""Of the circle about an axis that is free to turn."""
REACH = 2.0
"""Of the lines along free axes, by the Empty's size, to each side."""


def frame_between(settings: bpy.types.PropertyGroup, held: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """World matrix (4, 4) of an Empty that shows both sides in one: `held` where its body has taken it, and the other.

    Its axes are such that the two sides, both there, are held as they were: of a single locked turn one axis of each.
    """
    locked = CONSTRAINTS[settings.role].locked(settings)
    free = Generic("", body_a="", point_a=(0, 0, 0), locked=locked).free_turns
    if len(free) < 2:
        return held
    result = held.copy()
    result[:3, :3] = reference[:3, :3]
    if len(free) == 2:
        scales = np.linalg.norm(held[:3, :3], axis=0)
        first, second = reference[:3, free[0]], held[:3, free[1]]
        axes = [np.zeros(3)] * 3
        axes[free[0]] = first / np.linalg.norm(first)
        axes[free[1]] = second / np.linalg.norm(second)
        third = 3 - sum(free)
        axes[third] = np.cross(axes[(third + 1) % 3], axes[(third + 2) % 3])
        result[:3, :3] = np.column_stack(axes) * scales
    return result


def free_lines(empty: bpy.types.Object) -> list[Vector]:
    """Ends of lines that show what a constraint or generic joint leaves free: along axes, and circles about them."""
    is_joint = empty.ves.role == "JOINT"
    locked = locked_axes(empty.ves) if is_joint else CONSTRAINTS[empty.ves.role].locked(empty.ves)
    matrix = (empty if is_joint or empty.ves.anchor_b is None else empty.ves.anchor_b).matrix_world
    locked_travel, locked_turn = ([name in locked for name in AXES[k : k + 3]] for k in (0, 3))
    place, axes = matrix.translation, [column.to_3d().normalized() for column in matrix.to_3x3().col]
    size, ends = empty.empty_display_size, []
    for k in range(3):
        if not locked_travel[k]:
            ends += [place - REACH * size * axes[k], place + REACH * size * axes[k]]
        if not locked_turn[k]:
            a, b = axes[(k + 1) % 3], axes[(k + 2) % 3]
            angles = [2.0 * math.pi * n / CORNERS for n in range(CORNERS + 1)]
            ring = [place + 0.7 * size * (math.cos(angle) * a + math.sin(angle) * b) for angle in angles]
            ends += [point for pair in pairwise(ring) for point in pair]
    return ends
