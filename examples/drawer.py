# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawer that jerks free: a hand pulls slowly at a spring, and the drawer sticks, lets go, and sticks again.

Its runners hold it by twice as much as they rub with once it slides. The spring is stretched until that lets go; the
drawer catches up with the hand, slides on until the spring is slack, and waits. The hand moves evenly all the time.
"""

from __future__ import annotations

import bpy

from .by_hand import add_bodies, join, key, pull, select
from .camera import add_camera
from .shapes import joined, make_object, rod, slab
from .workbench import make_table, set_frames

FRAMES = 168
FIRST, LAST, SPEED = 12, 156, 0.05  # frames between which the hand moves, and how fast, m/s
STATIC, KINETIC, STRIBECK = 8.0, 4.0, 0.01  # N, N, m/s: of the runners
STIFFNESS = 200.0  # N/m
WIDTH, DEPTH, HEIGHT, BOARD = 0.36, 0.40, 0.14, 0.015  # of the cabinet's inside, and its boards
GAP = 0.002
KNOB, REST = 0.05, 0.16  # how far the knob stands out, and from there to the hand


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    make_table(seed=5)
    cabinet, drawer, hand = make_cabinet(), make_drawer(), make_hand()
    add_bodies([cabinet], "OAK", "FIXED")
    add_bodies([drawer], "PINE")
    add_bodies([hand], "STEEL", "KEYED")
    runners = join("PRISMATIC", cabinet, drawer, (0.0, 0.0, BOARD), "Y").ves
    runners.friction[0], runners.static_friction[0], runners.stribeck_speed[0] = KINETIC, STATIC, STRIBECK
    draw_out(hand)
    spring = pull("SPRING", drawer, (0.0, -KNOB, middle()), hand, (0.0, -KNOB - REST, middle()))
    spring.ves.spring_stiffness, spring.ves.spring_damping = STIFFNESS, 0.0
    bpy.ops.ves.make_visible(shape="COIL", turns=14.0, radius=0.012, thickness=0.003)
    add_camera((0.95, -1.35, 0.62), (0.0, -0.10, 0.06), 40.0)
    select(drawer)


def middle() -> float:
    """Height of the knob."""
    return BOARD + 0.5 * HEIGHT


def make_cabinet() -> bpy.types.Object:
    """An open box on the table; its front is the plane Y = 0."""
    x, top = 0.5 * WIDTH, BOARD + HEIGHT
    floor = slab((-x - BOARD, 0.0, 0.001), (x + BOARD, DEPTH + BOARD, BOARD), "oak")
    lid = slab((-x - BOARD, 0.0, top), (x + BOARD, DEPTH + BOARD, top + BOARD), "oak")
    sides = [slab((low, 0.0, BOARD), (low + BOARD, DEPTH + BOARD, top), "oak") for low in (-x - BOARD, x)]
    back = slab((-x, DEPTH, BOARD), (x, DEPTH + BOARD, top), "oak")
    return make_object("Cabinet", joined(floor, lid, *sides, back), smooth=False)


def make_drawer() -> bpy.types.Object:
    """A box without a lid, and its knob."""
    x, low, high, thin = 0.5 * WIDTH - GAP, BOARD + GAP, BOARD + HEIGHT - GAP, 0.01
    front = slab((-x, 0.0, low), (x, BOARD, high), "pine")
    back = slab((-x, DEPTH - thin - GAP, low + thin), (x, DEPTH - GAP, high - 0.03), "pine")
    sides = [slab((a, BOARD, low + thin), (a + thin, DEPTH - thin - GAP, high - 0.03), "pine") for a in (-x, x - thin)]
    floor = slab((-x, BOARD, low), (x, DEPTH - GAP, low + thin), "pine")
    knob = [rod((0.0, -KNOB, middle()), (0.0, 0.0, middle()), 0.006, "brass")]
    knob.append(rod((0.0, -KNOB, middle()), (0.0, -KNOB + 0.012, middle()), 0.018, "brass", 24))
    return make_object("Drawer", joined(front, back, *sides, floor, *knob), smooth=False)


def make_hand() -> bpy.types.Object:
    """A grip at the spring's other end."""
    end = -KNOB - REST
    bar = rod((-0.05, end, middle()), (0.05, end, middle()), 0.012, "car", 24)
    hook = rod((0.0, end, middle()), (0.0, end + 0.015, middle()), 0.006, "chrome")
    return make_object("Hand", joined(bar, hook), smooth=False)


def draw_out(hand: bpy.types.Object) -> None:
    """The hand stands, moves evenly, and stands."""
    way = SPEED * (LAST - FIRST) / 24.0
    key(hand, "location", {FIRST: 0.0, LAST: -way}, "LINEAR", 1)
