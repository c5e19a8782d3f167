# SPDX-License-Identifier: GPL-3.0-or-later
"""The settling chain: 5,000 links between two masts, drawn up in folds, sink without inertia to a catenary."""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import nail
from .camera import add_camera
from .landscape import make_meadow
from .posed import add
from .shapes import joined, make_object, rod
from .workbench import set_frames

FRAMES = 96
LINKS, SCALE = 5000, 0.07
PITCH = 0.0127 * SCALE  # of the bicycle chain of Add > Examples
SPAN, HEIGHT, FOLDS = 2.4, 4.8, 3
SETTLING = 0.3  # s: what falls freely sinks by 3 m a second


def build(frames: int = FRAMES, links: int = LINKS) -> None:
    """Fill the empty file with the scene, ready to be baked; fewer links for a shorter chain."""
    set_frames(frames)
    pitch = PITCH * LINKS / links
    points = drawn_up(links, pitch)
    bodies = add("BICYCLE_CHAIN", links, (0.0, 0.0, 0.0), SCALE * LINKS / links)
    lay(bodies, points, pitch)
    nail(bodies[0], points[0])
    nail(bodies[-1], points[-1])
    settings = bpy.context.scene.ves
    settings.integrator, settings.settling = "QUASI_STATIC", SETTLING
    for side in (-1.0, 1.0):
        make_mast(side)
    make_meadow(seed=1)
    add_camera((0.6, -11.5, 2.2), (0.0, 0.0, 3.0), 35.0, f_stop=8.0)


def make_mast(side: float) -> bpy.types.Object:
    """It holds an end of the chain at its arm."""
    x, y = 0.5 * side * SPAN, 0.2
    mast = rod((x, y, 0.0), (x, y, HEIGHT + 0.1), 0.05, "iron")
    return make_object("Mast", joined(mast, rod((x, y, HEIGHT), (x, 0.0, HEIGHT), 0.03, "iron")))


def drawn_up(links: int, pitch: float) -> np.ndarray:
    """The ends of the links (links + 1, 3): folds as high as takes a chain so long, in one plane."""
    share = np.linspace(0.0, 1.0, 200 * FOLDS + 1)

    def along(height: float) -> tuple[np.ndarray, np.ndarray]:
        x = SPAN * (share - 0.5)
        z = HEIGHT + height * np.sin(math.pi * FOLDS * share) ** 2
        way = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(z)))])
        return np.stack([x, np.zeros_like(x), z], axis=1), way

    low, high = 0.0, links * pitch
    for _ in range(60):
        height = 0.5 * (low + high)
        low, high = (height, high) if along(height)[1][-1] < links * pitch else (low, height)
    curve, way = along(height)
    points = np.stack([np.interp(np.linspace(0.0, way[-1], links + 1), way, curve[:, c]) for c in range(3)], axis=1)
    ends = [points[0]]
    for before, after in pairwise(points):  # chords at corners are shorter than links
        ends.append(ends[-1] + pitch * (after - before) / np.linalg.norm(after - before))
    return np.array(ends)


def lay(bodies: list[bpy.types.Object], points: np.ndarray, pitch: float) -> None:
    """Turns links and their hinges, which lie along X, to where they belong."""
    joints = {ob.ves.body_b: ob for ob in bpy.data.objects if ob.ves.role == "JOINT"}
    for k, body in enumerate(bodies):
        way = points[k + 1] - points[k]
        turn = Matrix.Rotation(-math.atan2(way[2], way[0]), 4, "Y")
        moved = Matrix.Translation(Vector(points[k])) @ turn @ Matrix.Translation(Vector((-k * pitch, 0.0, 0.0)))
        for ob in (body, joints.get(body)):
            if ob is not None and ob.parent is None:
                ob.matrix_world = moved @ ob.matrix_world
    bpy.context.view_layer.update()
