# SPDX-License-Identifier: GPL-3.0-or-later
"""Worn gears: a crank turns to and fro, and the last wheel of four waits until all the play between them is crossed.

Their teeth are thinner than the gaps between them; *Backlash* of each gear is what that leaves, so that they touch
where they strike. The axles rub, which holds a wheel where its teeth have left it.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix

from .by_hand import add_bodies, join, key, select
from .camera import add_camera
from .gears import spur_gear
from .shapes import Shape, joined, make_object, moved, rod, slab
from .workbench import make_table, set_frames

FRAMES = 144
TURNS = {1: 0.0, 12: 0.0, 48: 0.4, 60: 0.4, 84: 0.1, 92: 0.1, 100: 0.125, 108: 0.1, 116: 0.125, 124: 0.1, 140: 0.0}
"""Frame: turns of the crank."""
TEETH, MODULE, PLAY = (18, 12, 12, 24), 0.009, 0.25  # of each wheel; m; share by which its teeth are thinner
THICK, HEIGHT, PLANE = 0.014, 0.16, -0.030  # m: of a wheel, of the axles, and of the wheels' faces behind
RUB = (0.05, 0.05, 0.05, 0.2)  # N m: friction of each axle
PAINTS = ("brass", "label blue", "label green", "brass")
CRANK, BOARD = 0.055, 0.016  # m: how far out the handle is, and how thick the board
UPRIGHT = Matrix.Rotation(0.5 * math.pi, 4, "X")  # Z to -Y, towards the camera


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    make_table(seed=4)
    board, wheels = make_board(), [make_wheel(i) for i in range(len(TEETH))]
    add_bodies([board], "OAK", "FIXED")
    add_bodies(wheels, "BRASS")
    axles = [join("REVOLUTE", board, wheel, wheel.location, "Y") for wheel in wheels]
    for axle, rub in zip(axles, RUB, strict=True):
        axle.ves.friction[0] = rub
    for i in range(len(TEETH) - 1):
        select(axles[i], axles[i + 1])
        bpy.ops.ves.add_gear()
        gear = bpy.context.active_object.ves
        gear.gear_ratio, gear.backlash = -TEETH[i] / TEETH[i + 1], backlash(i)
    axles[0].ves.motor_mode = "KEYED"
    key(axles[0], "ves.motor_target", {frame: math.tau * turns for frame, turns in TURNS.items()}, "BEZIER", 0)
    bpy.context.scene.frame_set(1)
    add_camera((0.12, -1.05, 0.42), (0.01, 0.0, 0.14), 51.0)
    select(axles[0])


def backlash(i: int) -> float:
    """rad: how far wheel i + 1 can turn while wheel i stands, by how thick their teeth are."""
    return math.tau * PLAY / TEETH[i + 1]


def places() -> list[float]:
    """m: x of the axles, so that the pitch circles touch, and their middle is 0."""
    x = [0.0]
    for i in range(len(TEETH) - 1):
        x.append(x[-1] + 0.5 * MODULE * (TEETH[i] + TEETH[i + 1]))
    return [each - 0.5 * x[-1] for each in x]


def phase(i: int) -> float:
    """rad from X: the angle of a tooth of wheel i that stands in a gap of the wheel before it, in its middle."""
    if i == 0:
        return 0.0
    pitch = math.tau / TEETH[i - 1]
    beyond = -phase(i - 1) % pitch / pitch  # how far the direction to wheel i is beyond a tooth, in pitches
    return math.pi + math.tau / TEETH[i] * (beyond + 0.5)


def make_board() -> bpy.types.Object:
    """An upright board on two feet, with a pin for each wheel."""
    high = places()[-1] + 0.5 * MODULE * TEETH[-1] + 0.03
    low = places()[0] - 0.5 * MODULE * TEETH[0] - 0.03
    boards = [slab((low, 0.0, 0.02), (high, BOARD, HEIGHT + 0.13), "pine")]
    boards += [slab((x, -0.07, 0.001), (x + 0.03, 0.09, 0.03), "oak") for x in (low + 0.02, high - 0.05)]
    pins = [rod((x, 0.0, HEIGHT), (x, PLANE + 0.005, HEIGHT), 0.0065, "iron", 24) for x in places()]
    return make_object("Board", joined(*boards, *pins), smooth=False)


def make_wheel(i: int) -> bpy.types.Object:
    """A toothed wheel with its origin on its axis; the first one has a crank."""
    parts = [spur_gear(TEETH[i], MODULE, 0.0, THICK, phase(i), PAINTS[i], 0.014, PLAY)]
    parts += [rod((0.0, 0.0, -0.004), (0.0, 0.0, THICK + 0.006), 0.011, "iron", 24)]
    if i == 0:
        parts += crank()
    wheel = make_object(f"Wheel {i + 1}", moved(joined(*parts), UPRIGHT), smooth=False)
    wheel.location = (places()[i], PLANE, HEIGHT)
    return wheel


def crank() -> list[Shape]:
    """An arm in front of the wheel, and its handle."""
    arm = slab((-0.008, -0.008, THICK + 0.004), (CRANK + 0.008, 0.008, THICK + 0.011), "iron")
    return [arm, rod((CRANK, 0.0, THICK + 0.008), (CRANK, 0.0, THICK + 0.055), 0.009, "trunk", 24)]
