# SPDX-License-Identifier: GPL-3.0-or-later
"""Dominoes: a marble rolls down a chute, seventy stones fall, over a bridge and round two bends, and a ball takes off.

The last stones are larger and larger, and the largest falls on a seesaw: a plank on a hinge, with a ball in its cup.
What is touched of table, bridge and plank are their loose parts; all else is boxes and balls.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, select
from .camera import add_camera
from .course import Bend, Course, lay_out
from .shapes import Shape, joined, make_object, moved, rod, slab, superellipsoid
from .workbench import TABLE_HEIGHT, make_table, set_frames

FRAMES = 96
SIZE = (0.0075, 0.024, 0.048)  # of a stone: along the row, across, upwards
SPACING = 0.021
EQUAL, LARGER, GROWTH = 64, 6, 1.2  # stones of one size, those that grow, and by how much each does
START = (-0.36, 0.20)  # of the course
BENDS = (Bend(0.56, 0.98, -math.pi),)  # a half turn to the right
STEPS, STEP, TREAD = 4, 0.008, 2 * SPACING  # of the bridge, up and down
BRIDGE = 4.5 * SPACING  # where it begins, along the course
PAINTS = ("label red", "label yellow", "label green", "label blue")
MARBLE = 0.009
CHUTE, RISE, LIP = 0.16, math.radians(20.0), 0.028  # of the chute: length, slope, and the height of its lower end
PLANK, PIVOT = 0.30, 0.035  # of the seesaw: length, and the height of its hinge
BALL = 0.014


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    course = lay_out(EQUAL * SPACING + 1.0, BENDS, 0.001)
    table = make_table(seed=9)
    stones = [make_stone(i, course) for i in range(EQUAL + LARGER)]
    bridge, chute, marble = make_bridge(), make_chute(), make_marble()
    end, size = distance(EQUAL + LARGER - 1), scale(EQUAL + LARGER - 1)
    plank, stand, ball = make_seesaw(course, end + 0.5 * SIZE[0] * size, SIZE[2] * size)

    add_bodies([table, bridge, chute, stand], "OAK", "FIXED")
    add_bodies(stones, "PLASTIC")
    add_bodies([marble], "GLASS")
    add_bodies([plank], "PINE")
    add_bodies([ball], "RUBBER")
    for body in (table, bridge, stand, plank):
        body.ves.contact_shape = "COMPOUND"
    place, heading = course.at(end)
    hinge = join("REVOLUTE", stand, plank, plank.matrix_world.translation, "Y")
    hinge.rotation_euler.z += heading
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.ground_height = True, -TABLE_HEIGHT
    add_camera((-0.02, -0.98, 0.46), (-0.185, 0.10, 0.075), 33.0)
    select(stones[0])


def scale(i: int) -> float:
    """The size of stone i."""
    return GROWTH ** max(0, i - EQUAL + 1)


def distance(i: int) -> float:
    """The place of stone i along the course: large ones are as far apart as they are large."""
    return SPACING * (min(i, EQUAL - 1) + sum(scale(j) for j in range(EQUAL, i + 1)))


def height_of_bridge(along: float) -> float:
    """Of its treads, from one step up to one step down again."""
    tread = math.floor((along - BRIDGE) / TREAD)
    return STEP * max(0, min(tread + 1, 2 * STEPS - 1 - tread))


def make_stone(i: int, course: Course) -> bpy.types.Object:
    half = 0.5 * scale(i) * np.array(SIZE)
    stone = make_object(f"Stone {i + 1}", slab(-half, half, PAINTS[i // 4 % 4] if i < EQUAL else "cream"), smooth=False)
    place, heading = course.at(distance(i))
    stone.location = (*(np.array(START) + place), half[2] + height_of_bridge(distance(i)))
    stone.rotation_euler.z = heading
    return stone


def make_bridge() -> bpy.types.Object:
    """Stairs up and down over an opening, in one straight line."""
    parts = []
    for tread in range(2 * STEPS - 1):
        low = BRIDGE + tread * TREAD
        top = height_of_bridge(low + 0.5 * TREAD)
        bottom = 0.0 if abs(tread - STEPS + 1) > 1 else top - 0.006
        parts.append(
            slab((START[0] + low, START[1] - 0.022, bottom), (START[0] + low + TREAD, START[1] + 0.022, top), "pine")
        )
    return make_object("Bridge", joined(*parts), smooth=False)


def make_chute() -> bpy.types.Object:
    """A board that slopes down to the first stone, between two ledges, on a block."""
    board = slab((-CHUTE, -0.014, -0.004), (0.0, 0.014, 0.0), "pine")
    ledges = [slab((-CHUTE, y - 0.0015, -0.004), (0.0, y + 0.0015, 0.006), "brass") for y in (-0.0125, 0.0125)]
    sloping = moved(joined(board, *ledges), Matrix.Rotation(RISE, 4, "Y"))
    block = slab((-0.85 * CHUTE, -0.01, -LIP), (-0.75 * CHUTE, 0.01, 0.8 * CHUTE * math.sin(RISE) - 0.004), "oak")
    chute = make_object("Chute", joined(sloping, block), smooth=False)
    chute.location = START[0] - 0.012, START[1], LIP
    return chute


def make_marble() -> bpy.types.Object:
    marble = make_object("Marble", superellipsoid((MARBLE, MARBLE, MARBLE), "blue light", 2.0, 32))
    up = Vector((-math.cos(RISE), 0.0, math.sin(RISE)))
    away = Vector((math.sin(RISE), 0.0, math.cos(RISE)))
    marble.location = Vector((START[0] - 0.012, START[1], LIP)) + 0.9 * CHUTE * up + MARBLE * away
    return marble


def make_seesaw(
    course: Course, end: float, height: float
) -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """A plank that rests on its far end, where a ball lies in a cup; its stand; the ball."""
    half, thick, wide = 0.5 * PLANK, 0.006, 0.03
    tilt = math.asin((PIVOT - 0.5 * thick) / half) - 0.5 * thick / half
    cup_at, rim = half - 0.025, 0.012
    cup = [
        slab((cup_at - 0.018, -0.018, 0.003), (cup_at - 0.015, 0.018, rim), "brass"),
        slab((cup_at + 0.015, -0.018, 0.003), (cup_at + 0.018, 0.018, rim), "brass"),
        slab((cup_at - 0.015, -0.018, 0.003), (cup_at + 0.015, -0.015, rim), "brass"),
        slab((cup_at - 0.015, 0.015, 0.003), (cup_at + 0.015, 0.018, rim), "brass"),
    ]
    board = slab((-half, -wide, -0.5 * thick), (half, wide, 0.5 * thick), "girder")
    plank = make_object("Plank", joined(board, *cup), smooth=False)
    where = end + 0.55 * height + half  # the largest stone's upper part falls on its near half
    place, heading = course.at(where)
    pivot = Vector((START[0] + place[0], START[1] + place[1], PIVOT))
    turn = Matrix.Rotation(heading, 4, "Z")
    plank.matrix_world = Matrix.Translation(pivot) @ turn @ Matrix.Rotation(tilt, 4, "Y")
    stand = make_object("Stand", _stand(wide), smooth=False)
    stand.matrix_world = Matrix.Translation((pivot.x, pivot.y, 0.0)) @ turn
    ball = make_object("Ball", superellipsoid((BALL, BALL, BALL), "car", 2.0, 32))
    bpy.context.view_layer.update()
    ball.location = plank.matrix_world @ Vector((cup_at, 0.0, 0.5 * thick + BALL))
    return plank, stand, ball


def _stand(wide: float) -> Shape:
    cheeks = [
        slab((-0.012, y - 0.003, 0.0), (0.012, y + 0.003, PIVOT + 0.008), "brass")
        for y in (-wide - 0.005, wide + 0.005)
    ]
    return joined(*cheeks, rod((0.0, -wide - 0.01, PIVOT), (0.0, wide + 0.01, PIVOT), 0.003, "chrome"))
