# SPDX-License-Identifier: GPL-3.0-or-later
"""A pendulum wave: twelve clocks without works, that swing 9, 10, ... 20 times in twelve seconds, and begin anew.

They start in line, fall out of step, and make snakes, two rows and three rows, until all of them are back where they
were let go: a shot that can be played in a loop. That only works if none of them loses anything on the way, which is
what the integrator Perpetual is for. Each ball hangs on two wires that meet in its middle, a closed loop that keeps it
in its plane. The lengths are tuned by the closed form of the large swing.
"""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, select
from .camera import add_camera
from .shapes import Shape, joined, make_object, moved, rod, slab, superellipsoid
from .workbench import make_table, set_frames

ROUND = 288  # frames after which all are back
FRAMES = ROUND + 1  # the last frame is the first one again: play all but one of them in a loop
SWINGS = range(9, 21)  # of each pendulum in a round
GRAVITY = 9.81
BALL, WIRE, SPREAD = 0.019, 0.0007, 0.014  # radii, and half of how far apart the wires of a ball are at the rail
SPACING = 0.05  # from ball to ball
DRAWN = 0.055  # how far all are drawn aside when they are let go
LEVEL = 0.06  # of the hanging balls above the table
RAIL, POST = 0.005, 0.009


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    lengths = [tuned_length(24.0 * count / ROUND) for count in SWINGS]
    table, stand = make_table(seed=5), make_stand(lengths)
    swings = [make_pendulum(i, length) for i, length in enumerate(lengths)]

    add_bodies([table, stand], "OAK", "FIXED")
    add_bodies([part for swing in swings for part in swing], "BRASS")
    for i, (length, (ball, stay)) in enumerate(zip(lengths, swings, strict=True)):
        hang_up(stand, ball, stay, (0.0, along(i), LEVEL + length))
    settings = bpy.context.scene.ves
    settings.integrator, settings.accuracy = "PERPETUAL", "DRAFT"
    add_camera((-0.84, -0.70, 0.50), (0.0, 0.01, 0.21), 36.0)
    select(swings[0][0])


def along(i: int) -> float:
    """Y of pendulum i: the longest is the farthest from the camera."""
    return SPACING * (0.5 * (len(SWINGS) - 1) - i)


def hang_up(stand: bpy.types.Object, ball: bpy.types.Object, stay: bpy.types.Object, pivot: tuple[float, ...]) -> None:
    """Both wires on universal joints under the rail, and the second one's ball joint, which closes the loop."""
    x, y, z = pivot
    join("UNIVERSAL", stand, ball, (x, y - SPREAD, z), "Z")
    join("UNIVERSAL", stand, stay, (x, y + SPREAD, z), "Z")
    bpy.context.view_layer.update()
    join("SPHERICAL", ball, stay, ball.matrix_world @ Vector((0.0, 0.0, LEVEL - z)), "Z")


def tuned_length(rate: float) -> float:
    """From the rail to the ball's middle, so that the pendulum swings at this rate, 1/s, when drawn aside by DRAWN."""
    length = GRAVITY / (2.0 * math.pi * rate) ** 2
    for _ in range(8):
        # Gauss: the period is 2 pi / (rate of small swings) over the mean of 1 and the cosine of half the amplitude
        slow = _arithmetic_geometric_mean(math.cos(0.5 * math.asin(DRAWN / length)))
        length *= GRAVITY * (slow / (2.0 * math.pi * rate)) ** 2 / reduced_length(length)
    return length


def _arithmetic_geometric_mean(b: float) -> float:
    a = 1.0
    for _ in range(8):
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def reduced_length(length: float) -> float:
    """Of the simple pendulum that swings alike: the moment of inertia about Y through the first moment of the mass."""
    shape = joined(ball_on_wire(length, "cream"), stay_wire(length))
    fans = [(face[0], b, c) for face in shape.faces for b, c in pairwise(face[1:])]
    corners = shape.points[np.array(fans)]  # of tetrahedra with a fourth corner in the origin
    volumes, total = np.linalg.det(corners) / 6.0, corners.sum(axis=1)
    squares = volumes @ (np.sum(corners**2, axis=1) + total**2) / 20.0
    return (squares[0] + squares[2]) / (-volumes @ total[:, 2] / 4.0)


def ball_on_wire(length: float, paint: str) -> Shape:
    """A ball at -Z, and its wire to where it hangs; the pivot of both wires is the line Y through the origin."""
    ball = moved(superellipsoid((BALL, BALL, BALL), paint, 2.0, 32), (0.0, 0.0, -length))
    return joined(ball, _wire(length, -SPREAD))


def stay_wire(length: float) -> Shape:
    return _wire(length, SPREAD)


def _wire(length: float, aside: float) -> Shape:
    """From the rail to the ball's surface."""
    top, middle = Vector((0.0, aside, 0.0)), Vector((0.0, 0.0, -length))
    return rod(top, middle + BALL * (top - middle).normalized(), WIRE, "wire", 8)


def make_pendulum(i: int, length: float) -> tuple[bpy.types.Object, bpy.types.Object]:
    """The ball with its wire, and the other wire, drawn aside."""
    place = Matrix.Translation((0.0, along(i), LEVEL + length)) @ Matrix.Rotation(-math.asin(DRAWN / length), 4, "Y")
    ball = ball_on_wire(length, "cream" if i % 2 else "car")
    parts = make_object(f"Pendulum {i + 1}", ball), make_object(f"Stay {i + 1}", stay_wire(length))
    for part in parts:
        part.matrix_world = place
    return parts


def make_stand(lengths: list[float]) -> bpy.types.Object:
    """A rail bent so that all balls hang at one level, on a post at either end of a board."""
    points = []
    for i, length in enumerate(lengths):
        points += [(0.0, along(i) + side * 0.36 * SPACING, LEVEL + length + RAIL) for side in (1.0, -1.0)]
    front, back = along(len(lengths) - 1) - SPACING, along(0) + SPACING
    points = [(0.0, back, points[0][2]), *points, (0.0, front, points[-1][2])]
    rail = [rod(a, b, RAIL, "girder") for a, b in pairwise(points)]
    knees = [moved(superellipsoid((RAIL, RAIL, RAIL), "girder", 2.0, 12), point) for point in points[1:-1]]
    posts = [rod((0.0, y, 0.01), (0.0, y, z + RAIL), POST, "girder") for _, y, z in (points[0], points[-1])]
    board = slab((-0.06, front - 0.03, 0.0005), (0.06, back + 0.03, 0.012), "pine")
    return make_object("Stand", joined(board, *posts, *rail, *knees))
