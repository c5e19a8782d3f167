# SPDX-License-Identifier: GPL-3.0-or-later
"""A house of cards: four storeys of thirty-two cards stand for two seconds, until a ball on a chain is let go.

Pairs of cards lean against each other and stand by friction alone. A nail, which is switched off at a keyframe, holds
the ball; its chain is of bars on hinges.
"""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, nail, select, switch
from .camera import add_camera
from .shapes import Shape, joined, lathe, make_object, moved, rod, slab, superellipsoid
from .workbench import TABLE_HEIGHT, make_table, set_frames

FRAMES = 120
RELEASE = 49  # the frame at which the ball is let go
HIGH, DEEP, THICK = 0.088, 0.058, 0.0015  # of a card
LEAN = math.radians(12.5)
PITCH = 0.045  # between the pairs of a storey
STOREYS = (6, 4, 2, 1)  # pairs on each
HOOK = (-0.12, 0.0, 0.62)  # what the chain hangs from
LENGTH, BARS, PULLED = 0.42, 7, math.radians(65.0)  # of the chain, and how far it is drawn aside
SLACK = math.radians(50.0)  # by how much the chain bends on its way down
BALL = 0.035


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    table = make_table(seed=9)
    cards = make_house()
    gallows = make_gallows()
    bars, ball = make_pendulum()

    add_bodies([table, gallows], "OAK", "FIXED")
    add_bodies(cards, "PAPER")
    add_bodies(bars, "STEEL")
    add_bodies([ball], "OAK")
    table.ves.contact_shape = "COMPOUND"
    for body in (gallows, *bars):
        body.ves.collide = False
    links = [gallows, *bars, ball]
    for parent, child in pairwise(links):
        join("REVOLUTE", parent, child, child.matrix_world.translation, "Y")
    bpy.context.view_layer.update()
    switch(nail(ball, ball.matrix_world @ Vector((0.0, 0.0, -BALL))), {1: True, RELEASE: False})
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.ground_height = True, -TABLE_HEIGHT
    add_camera((0.62, -1.15, 0.34), (-0.06, 0.0, 0.235), 40.0)
    select(cards[0])


def make_house() -> list[bpy.types.Object]:
    """Storey by storey: pairs that lean against each other, and cards that lie on two pairs each."""
    cards: list[bpy.types.Object] = []
    floor = 0.0
    for pairs in STOREYS:
        for i in range(pairs):
            middle = (i - 0.5 * (pairs - 1)) * PITCH
            for side in (-1.0, 1.0):
                cards.append(_stand_card(len(cards), middle, side, floor))
        floor += HIGH * math.cos(LEAN) + THICK * math.sin(LEAN)
        for i in range(pairs // 2):
            lying = make_object(f"Card {len(cards) + 1}", _card(len(cards)), smooth=False)
            lying.matrix_world = Matrix.Translation(
                ((2 * i - 0.5 * pairs + 1) * PITCH, 0.0, floor + 0.5 * THICK)
            ) @ Matrix.Rotation(0.5 * math.pi, 4, "Y")
            cards.append(lying)
        floor += THICK if pairs > 1 else 0.0
    return cards


def _stand_card(number: int, middle: float, side: float, floor: float) -> bpy.types.Object:
    """The card on one side of a pair: its inner top edge is in the middle, its inner bottom edge on the floor."""
    card = make_object(f"Card {number + 1}", _card(number), smooth=False)
    away = 0.5 * (HIGH * math.sin(LEAN) + THICK * math.cos(LEAN))
    up = 0.5 * (HIGH * math.cos(LEAN) + THICK * math.sin(LEAN))
    card.location = middle + side * away, 0.0, floor + up
    card.rotation_euler.y = -side * LEAN
    return card


def _card(number: int) -> Shape:
    """A card upright, its faces across X; its back is red or blue."""
    return slab(
        (-0.5 * THICK, -0.5 * DEEP, -0.5 * HIGH),
        (0.5 * THICK, 0.5 * DEEP, 0.5 * HIGH),
        "label red" if number % 2 else "label blue",
    )


def make_gallows() -> bpy.types.Object:
    """A post behind the house, and an arm that holds a hook above it."""
    x, y, z = HOOK
    foot = slab((x - 0.07, 0.16, 0.0), (x + 0.07, 0.30, 0.02), "girder")
    post = rod((x, 0.23, 0.0), (x, 0.23, z + 0.05), 0.012, "girder")
    arm = rod((x, 0.26, z + 0.03), (x, y - 0.02, z + 0.03), 0.010, "brass")
    hook = rod((x, y, z), (x, y, z + 0.03), 0.004, "chrome")
    return make_object("Gallows", joined(foot, post, arm, hook))


def make_pendulum() -> tuple[list[bpy.types.Object], bpy.types.Object]:
    """Bars end to end, drawn aside in a slack arc, and the ball at their end; origins are where they hang."""
    bar = LENGTH / BARS
    shape = lathe([(0.002, -bar), (0.0035, 0.004 - bar), (0.0035, -0.004), (0.002, 0.0)], "chrome", 10)
    bars = [make_object(f"Bar {i + 1}", shape) for i in range(BARS)]
    ball = make_object("Ball", moved(superellipsoid((BALL, BALL, BALL), "iron", 2.0, 40), (0.0, 0.0, -BALL)))
    place = Vector(HOOK)
    for i, ob in enumerate([*bars, ball]):
        turn = Matrix.Rotation(PULLED + (i / BARS - 0.5) * SLACK, 4, "Y")
        ob.matrix_world = Matrix.Translation(place) @ turn
        place += turn @ Vector((0.0, 0.0, -bar))
    return bars, ball
