# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd of twenty falls down a grandstand, and a ball rolls after it: one press of Ragdoll makes all bodies.

Each has a rig and a skin of its own. They fall on the steps and on each other; some 380 bodies may touch.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from .by_hand import add_bodies, select
from .camera import add_camera
from .doll import make_doll, on_both_sides
from .landscape import make_meadow
from .shapes import joined, make_object, slab, superellipsoid
from .stuntman import BONES, LEFT
from .workbench import set_frames

FRAMES = 60
ROWS, IN_ROW = 5, 4
RISE, TREAD, ASIDE, HALF_WIDTH = 0.45, 0.9, 1.5, 3.2  # of the stand (m), and between neighbours
PUSH, LEAN = 1.3, math.radians(11.0)  # m/s, forwards
BALL, HEAVY, ROLLS = 0.55, 60.0, 4.5  # m, kg, m/s
SHIRTS = ("label red", "label blue", "label yellow", "label green", "oak")


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    stand, rolling, crowd = make_stand(), make_ball(), make_crowd()
    add_bodies([stand], "STONE", "FIXED")
    stand.ves.contact_shape = "COMPOUND"
    select(*crowd)
    bpy.ops.ves.ragdoll()
    for number, rig in enumerate(crowd):
        push = PUSH * (0.7 + 0.15 * (number // IN_ROW))
        for body in (ob for ob in rig.children if ob.ves.role == "BODY"):
            body.ves.linear_velocity = push, 0.0, 0.0
    add_bodies([rolling], "RUBBER")
    settings = rolling.ves
    settings.contact_shape, settings.mass_source, settings.mass = "SPHERE", "GIVEN", HEAVY
    settings.linear_velocity, settings.angular_velocity = (ROLLS, 0.0, 0.0), (0.0, ROLLS / BALL, 0.0)
    make_meadow(seed=6)
    add_camera((8.6, -6.2, 3.4), (0.9, 0.0, 0.9), 46.0)
    select(crowd[0])


def height(row: int) -> float:
    """Height (m) of a step, counted from the lowest."""
    return (row + 1) * RISE


def make_stand() -> bpy.types.Object:
    """A block for each row, and a landing behind the last one; the rows climb along -X."""
    blocks = [
        slab((-(row + 1) * TREAD, -HALF_WIDTH, 0.0), (-row * TREAD, HALF_WIDTH, height(row)), "stone")
        for row in range(ROWS)
    ]
    back = slab((-ROWS * TREAD - 3.2, -HALF_WIDTH, 0.0), (-ROWS * TREAD, HALF_WIDTH, height(ROWS)), "stone")
    return make_object("Stand", joined(*blocks, back), smooth=False)


def make_ball() -> bpy.types.Object:
    """It begins on the landing."""
    rolling = make_object("Ball", superellipsoid((BALL, BALL, BALL), "car", 2.0, 48))
    rolling.location = -ROWS * TREAD - 2.4, 0.2, height(ROWS) + BALL
    return rolling


def make_crowd() -> list[bpy.types.Object]:
    """Their rigs and skins; they look down the stand, and lean."""
    crowd, random = [], np.random.default_rng(20)
    for number in range(ROWS * IN_ROW):
        row, place = divmod(number, IN_ROW)
        shirt = {"label red": SHIRTS[int(random.integers(len(SHIRTS)))]}
        middle, left = (
            {name: (*bone[:4], shirt.get(bone[4], bone[4])) for name, bone in part.items()} for part in (BONES, LEFT)
        )
        rig = make_doll(f"Spectator {number + 1}", on_both_sides(middle, left))
        x, y = -(row + 0.35) * TREAD, (place - 0.5 * (IN_ROW - 1)) * ASIDE + random.uniform(-0.06, 0.06)
        size, turn = random.uniform(0.92, 1.06), random.uniform(-0.3, 0.3)
        stands = Matrix.Translation((x, y, height(row) + 0.045)) @ Matrix.Rotation(LEAN, 4, "Y")
        rig.matrix_world = stands @ Matrix.Rotation(0.5 * math.pi + turn, 4, "Z") @ Matrix.Scale(size, 4)
        crowd.append(rig)
    return crowd
