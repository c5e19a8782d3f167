# SPDX-License-Identifier: GPL-3.0-or-later
"""Three marbles in a skate pool: a kidney of a few dozen faces with a Subdivision Surface modifier, which they Ride On.

What is modelled are rings of twelve corners, and a floor of quads and triangles between them, so that some corners have
three faces around and some have five. The marbles roll over them as over any other place: what they ride on is the
smooth surface that more and more levels of the modifier come to.
"""

from __future__ import annotations

import math

import bpy
import numpy as np

from .by_hand import add_bodies, select
from .camera import add_camera
from .landscape import make_meadow
from .shapes import Shape, grid, make_object, superellipsoid
from .workbench import set_frames

FRAMES = 144
CORNERS = 12  # of a ring
RINGS = ((1.0, 0.0), (1.0, -0.10), (0.97, -0.34), (0.82, -0.60), (0.55, -0.72))  # its size and its height, m
LENGTH, WIDTH, WAIST = 1.7, 1.15, 0.42  # m: half axes of the kidney, and how far it is drawn in
ANGLES = np.linspace(0.0, 2.0 * math.pi, CORNERS, endpoint=False)
COPING, DECK, GROUND = 0.03, 0.45, -0.85  # m: radius of the tube at the edge; width of what lies around; the meadow
MARBLE = 0.11  # m: radius
START = 0.84  # of the pool's size: where they start, so near to the edge
STARTS = {"label red": 0.0, "label blue": 84.0, "label green": 240.0}  # degrees around the pool


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    pool = make_pool()
    marbles = [make_marble(paint, math.radians(angle)) for paint, angle in STARTS.items()]
    add_bodies([pool], "CUSTOM", motion="FIXED")
    add_bodies(marbles, "GLASS")
    for marble in marbles:
        select(pool, marble)
        bpy.ops.ves.add_joint(type="CONTACT")
        select(marble)
        bpy.ops.ves.snap_together()
    make_edge()
    make_meadow(seed=3, height=GROUND)
    add_camera((0.4, -4.6, 3.1), (0.0, 0.05, -0.35), 46.0)
    select(marbles[0])


def outline(size: float, angles: np.ndarray = ANGLES) -> np.ndarray:
    """(n, 2) m: x and y around the pool, drawn in at one of its long sides."""
    x, y = LENGTH * np.cos(angles), WIDTH * np.sin(angles)
    waist = np.where(y < 0.0, WAIST * np.exp(-((x / 0.8) ** 2)), 0.0)
    return size * np.column_stack([x, y + waist])


def edge(steps: int = 8) -> np.ndarray:
    """(n, 2) m: the edge of the pool's smooth surface, the cubic B-spline of the uppermost ring."""
    corners, t = outline(RINGS[0][0]), np.linspace(0.0, 1.0, steps, endpoint=False)
    shares = np.array([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, 1 + 3 * t + 3 * t**2 - 3 * t**3, t**3]) / 6.0
    around = np.stack([np.roll(corners, shift, axis=0) for shift in (1, 0, -1, -2)])
    return np.einsum("ks,kcx->csx", shares, around).reshape(-1, 2)


def make_pool() -> bpy.types.Object:
    """Rings of quads, and a floor that closes the last one: four quads in a row with two triangles at either end."""
    points = [(x, y, z) for size, z in RINGS for x, y in outline(size)]
    count, last = CORNERS, CORNERS * (len(RINGS) - 1)
    faces = [
        (first + (k + 1) % count, first + k, first + count + k, first + count + (k + 1) % count)
        for first in range(0, last, count)
        for k in range(count)
    ]
    floor = [(0, 1, 11), (1, 2, 10, 11), (2, 3, 9, 10), (3, 4, 8, 9), (4, 5, 7, 8), (5, 6, 7)]
    faces += [tuple(last + k for k in face[::-1]) for face in floor]
    pool = make_object("Pool", Shape(np.array(points), faces, ["pale blue"] * len(faces)))
    modifier = pool.modifiers.new("Subdivision", "SUBSURF")
    modifier.levels = modifier.render_levels = 4
    return pool


def make_marble(paint: str, angle: float) -> bpy.types.Object:
    """Striped, so that one sees it roll; near the surface, onto which it is snapped."""
    shape = superellipsoid((MARBLE, MARBLE, MARBLE), paint, 2.0, 32)
    stripes = ["cream" if k % 32 // 4 % 2 else paint for k in range(len(shape.faces))]
    marble = make_object(f"{paint.split()[-1].title()} Marble", shape._replace(paints=stripes))
    marble.location = *outline(START, np.array([angle]))[0], -0.25
    return marble


def make_edge() -> None:
    """A coping along the edge, and a deck around it with a wall below."""
    ring = edge()
    way = np.roll(ring, -1, axis=0) - np.roll(ring, 1, axis=0)
    out = np.column_stack([way[:, 1], -way[:, 0]]) / np.linalg.norm(way, axis=1)[:, None]
    around = np.linspace(0.0, 2.0 * math.pi, 12, endpoint=False)
    tube = [
        np.column_stack([ring + out * COPING * (1.0 + math.cos(a)), np.full(len(ring), COPING * math.sin(a))])
        for a in around
    ]
    outer = ring + out * DECK
    deck, wall = ((ring + out * COPING, 0.0), (outer, 0.0)), ((outer, 0.0), (outer, GROUND))
    make_object("Coping", grid(np.stack([*tube, tube[0]]), "chrome"))
    for name, rows, paint in (("Deck", deck, "plaster"), ("Wall", wall, "oak")):
        rows = [np.column_stack([places, np.full(len(places), height)]) for places, height in rows]
        make_object(name, grid(np.stack(rows), paint))
