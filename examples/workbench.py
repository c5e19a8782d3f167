# SPDX-License-Identifier: GPL-3.0-or-later
"""A table on the meadow, and the large construction set that the linkages on it are made of: strips, bolts, drums.

The table's top is z = 0, and what stands on it moves in planes of constant Y: Z is up, and a camera looks along +Y.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix

from .landscape import make_meadow
from .shapes import Shape, joined, make_object, moved, perforated_strip, rod, slab

PITCH = 0.025  # between two holes of a strip
THICKNESS = 0.004
BOLT = 0.005  # radius: a little less than that of a hole
TABLE_HEIGHT = 0.75


def make_table(seed: int, half_length: float = 0.75, half_width: float = 0.4) -> bpy.types.Object:
    """The table, and the meadow around it; `seed` says where the trees are."""
    legs = [
        slab((x - 0.03, y - 0.03, -TABLE_HEIGHT), (x + 0.03, y + 0.03, -0.03), "oak")
        for x in (0.06 - half_length, half_length - 0.06)
        for y in (0.06 - half_width, half_width - 0.06)
    ]
    boards = np.linspace(-half_width, half_width, 6)
    top = [
        slab((-half_length, low + 0.0015, -0.03), (half_length, high - 0.0015, 0.0), "oak")
        for low, high in pairwise(boards)
    ]
    make_meadow(seed, -TABLE_HEIGHT)
    return make_object("Table", joined(*top, *legs), smooth=False)


def blackboard(half_width: float, low: float, high: float) -> Shape:
    """A slate in a frame of wood, to be drawn on from in front: its face is the plane Y = 0."""
    edge, front, back = 0.02, -0.004, 0.016
    slate = slab((-half_width, 0.0, low), (half_width, 0.012, high), "slate")
    sides = [
        slab((x - edge, front, low - edge), (x, back, high + edge), "pine") for x in (-half_width, half_width + edge)
    ]
    ends = [slab((-half_width, front, z - edge), (half_width, back, z), "pine") for z in (low, high + edge)]
    return joined(slate, *sides, *ends)


def strip(pitches: int, paint: str, y: float = 0.0) -> Shape:
    """A strip of that length along X, from its first hole at the origin; it stands on its edge at Y = y."""
    upright = Matrix.Translation((0.0, y, 0.0)) @ Matrix.Rotation(math.pi / 2.0, 4, "X")
    return moved(perforated_strip(pitches + 1, PITCH, THICKNESS, paint), upright)


def crate(side: float) -> Shape:
    """A crate of that side (m) with boards around it, on its bottom's middle, and an eye on top."""
    half, board, out = 0.5 * side, side / 9.0, 0.0008  # m: posts stand out
    parts = [slab((-half + 0.005, -half + 0.005, 0.005), (half - 0.005, half - 0.005, side - 0.005), "oak")]
    for a in (-half, half - board):
        for b in (-half, half - board):
            parts.append(slab((a - out, b - out, -out), (a + board + out, b + board + out, side + out), "pine"))
            parts.append(slab((a, -half, b + half), (a + board, half, b + half + board), "pine"))
            parts.append(slab((-half, a, b + half), (half, a + board, b + half + board), "pine"))
    return joined(*parts, rod((0.0, 0.0, side), (0.0, 0.0, side + 0.02), 0.003, "iron"))


def bolt(x: float, z: float, start: float, end: float, paint: str = "brass") -> Shape:
    """A bolt along Y with a flat head at both ends."""
    head = 0.003
    return joined(
        rod((x, start, z), (x, end, z), BOLT, paint, 16),
        rod((x, start - head, z), (x, start, z), 0.36 * PITCH, paint, 6),
        rod((x, end, z), (x, end + head, z), 0.36 * PITCH, paint, 6),
    )


def place_between(ob: bpy.types.Object, start: Sequence[float], end: Sequence[float]) -> None:
    """Put the object's origin at `start`, (x, z), and turn its X axis about Y towards `end`."""
    ob.location = start[0], 0.0, start[1]
    ob.rotation_euler = 0.0, -math.atan2(end[1] - start[1], end[0] - start[0]), 0.0


def set_frames(frames: int) -> None:
    """The range of the scene, at 24 frames per second."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps = 24
    scene.frame_set(1)
