# SPDX-License-Identifier: GPL-3.0-or-later
"""Bowling: a ball slides over the oil with a lot of spin, hooks where the lane is dry, and strikes.

Lane, pins and ball have the sizes and weights of the game; the lane is shorter than a real one by what nobody would
see. Pins are compounds of two hulls, so that their necks are not filled.
"""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np

from .by_hand import add_bodies, select
from .camera import add_camera
from .landscape import add_sky, add_sun
from .shapes import Shape, joined, lathe, make_object, slab, superellipsoid
from .workbench import set_frames

FRAMES = 96
HALF_WIDTH, GUTTER = 0.525, 0.235
OIL, DRY, END = -9.0, -4.2, 1.05  # X of the lane's start, of where the oil ends, and of its end; the head pin is at 0
OIL_FRICTION, DRY_FRICTION = 0.01, 0.30  # of the lane
BALL, BALL_MASS = 0.1085, 6.8
SPEED, AIM = 8.0, math.radians(0.3)  # to the left of straight ahead
SPIN = (-20.0, 22.0, 0.0)  # rad/s: sideways, and less forwards than it rolls
RELEASE = (-8.6, -0.25)
PIN_MASS = 1.53
PIN_SPACING = 0.3048
PIN = (  # (height, radius)
    (0.0, 0.0258), (0.019, 0.0359), (0.057, 0.0497), (0.086, 0.0565), (0.114, 0.0605), (0.149, 0.0578), (0.184, 0.0470),
    (0.220, 0.0318), (0.238, 0.0262), (0.254, 0.0229), (0.276, 0.0239), (0.300, 0.0284), (0.330, 0.0322),
    (0.343, 0.0323), (0.360, 0.0280), (0.372, 0.0190), (0.381, 0.0060),
)  # fmt: skip
NECK = 9  # where the lower hull ends and the upper one begins


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    oil, dry, room = make_lane()
    pins = [make_pin(i, place) for i, place in enumerate(pin_places())]
    ball = make_ball()

    add_bodies([oil, dry, room], "OAK", "FIXED")
    oil.ves.contact_friction, dry.ves.contact_friction = OIL_FRICTION, DRY_FRICTION
    room.ves.contact_shape, room.ves.contact_restitution = "COMPOUND", 0.05
    add_bodies(pins, "BOWLING_PIN")
    add_bodies([ball], "BOWLING_BALL")
    for body, mass in ((ball, BALL_MASS), *((pin, PIN_MASS) for pin in pins)):
        body.ves.mass_source, body.ves.mass = "GIVEN", mass
    for pin in pins:
        pin.ves.contact_shape = "COMPOUND"
    ball.ves.contact_friction = 0.30
    ball.ves.linear_velocity = SPEED * math.cos(AIM), SPEED * math.sin(AIM), 0.0
    ball.ves.angular_velocity = SPIN
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.ground_height = True, -0.30
    watch()
    select(ball)


def pin_places() -> list[tuple[float, float]]:
    """Four rows of a triangle, the head pin at the origin, as they are numbered."""
    return [
        (row * PIN_SPACING * math.sqrt(0.75), (i - 0.5 * row) * PIN_SPACING) for row in range(4) for i in range(row + 1)
    ]


def make_pin(i: int, place: tuple[float, float]) -> bpy.types.Object:
    """Two solids that meet at the neck: one below, one above."""
    lower, upper = PIN[: NECK + 1], PIN[NECK:]
    red = {10, 12}
    body = lathe([(r, z) for z, r in lower], "white", 24)
    head = lathe(
        [(r, z) for z, r in upper], ["label red" if NECK + k in red else "white" for k in range(len(upper) - 1)], 24
    )
    pin = make_object(f"Pin {i + 1}", joined(body, head))
    pin.location = (*place, 0.0)
    return pin


def make_ball() -> bpy.types.Object:
    """With holes for three fingers, painted on, so that its spin can be seen."""
    ball = superellipsoid((BALL, BALL, BALL), "car", 2.0, 64)
    paints = []
    for face, paint in zip(ball.faces, ball.paints, strict=True):
        x, y, z = np.mean(ball.points[list(face)], axis=0) / BALL
        stripe = abs(z) < 0.09
        paints.append("cream" if stripe else paint)
    made = make_object("Ball", ball._replace(paints=paints))
    made.location = (*RELEASE, BALL)
    return made


def make_lane() -> tuple[bpy.types.Object, ...]:
    """The oiled part, the dry part, and what is around: gutters, walls, a cushion behind the pit."""
    oil = make_object("Oiled Lane", _boards(OIL, DRY), smooth=False)
    dry = make_object("Dry Lane", _boards(DRY, END), smooth=False)
    outer = HALF_WIDTH + GUTTER
    parts = []
    for side in (-1.0, 1.0):
        low, high = sorted((side * HALF_WIDTH, side * outer))
        parts.append(slab((OIL, low, -0.12), (END, high, -0.09), "iron"))
        low, high = sorted((side * outer, side * (outer + 0.10)))
        parts.append(slab((OIL, low, -0.12), (END + 0.9, high, 0.0), "oak"))
        parts.append(slab((-0.25, low, 0.0), (END + 0.9, high, 0.5 if side > 0.0 else 0.16), "label blue"))
        low, high = sorted((side * (outer + 0.10), side * (outer + 4.0)))
        parts.append(slab((OIL, low, -0.12), (END + 0.9, high, -0.02), "tiles"))
        parts.append(slab((END + 0.8, low, -0.02), (END + 0.9, high, 2.0), "plaster"))
    parts.append(slab((END + 0.8, -outer - 0.1, -0.30), (END + 0.9, outer + 0.1, 0.62), "tyre"))
    parts.append(slab((END + 0.7, -outer - 0.1, 0.62), (END + 0.9, outer + 0.1, 2.0), "label red"))
    parts.append(slab((END, -outer, -0.34), (END + 0.8, outer, -0.30), "tyre"))
    parts.append(slab((END - 0.05, -outer, -0.34), (END, outer, -0.12), "tyre"))
    return oil, dry, make_object("Room", joined(*parts), smooth=False)


def _boards(start: float, end: float) -> Shape:
    """The lane is of narrow boards, but what is touched is the block that they make."""
    edges = np.linspace(-HALF_WIDTH, HALF_WIDTH, 14)
    paints = ("pine", "oak")
    return joined(
        *(slab((start, low, -0.04), (end, high, 0.0), paints[i % 2]) for i, (low, high) in enumerate(pairwise(edges)))
    )


def watch() -> None:
    """From the side, a little above."""
    add_camera((-4.0, -1.25, 1.05), (-0.30, 0.0, 0.12), 48.0)
    add_sun(-70.0)
    add_sky()
