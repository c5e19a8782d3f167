# SPDX-License-Identifier: GPL-3.0-or-later
"""A marble run: down a winding chute of NURBS, over its edge, onto the table, and into a row of dominoes.

In the chute the marble Rides On the surface and rolls without slipping, as smoothly as the surface is. Where that ends
it flies on, and from there on it is bodies that touch: the marble bounces, rolls, and knocks the stones down.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import bpy
import numpy as np

from .by_hand import add_bodies, select
from .camera import add_camera
from .course import Bend, Course, lay_out
from .paints import material
from .shapes import Shape, grid, joined, make_object, rod, slab, superellipsoid
from .workbench import TABLE_HEIGHT, make_table, set_frames

FRAMES = 96
MARBLE = 0.010
GUTTER, WALL, OPENING = 0.020, 0.002, 1.45  # radius of the chute's inside, its thickness; rad: half of its round part
# The chute's way: a coil whose bend begins and ends gently, so that the marble does not swing from wall to wall when it
# comes off; in the middle third of its length the coil has its radius.
RADIUS, TURN, RUN_OUT = 0.11, 2.6 * math.pi, 0.10
COIL = 1.5 * TURN * RADIUS
TOP, LIP, FADES = 0.185, 0.024, 0.75  # heights of its bottom at both ends; the part of the way where the slope fades
ALONG, ACROSS = 64, 7  # control points
END = (-0.24, 0.02)  # of the chute
STONE = (0.0075, 0.024, 0.048)  # along the row, across, upwards
STONES, SPACING, GAP = 34, 0.021, 0.16  # GAP: from the chute to the first
BENDS = (Bend(0.20, 0.62, -math.pi),)  # of the row
PAINTS = ("label red", "label yellow", "label green", "label blue")


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    table = make_table(seed=21)
    chute, marble = make_chute(), make_marble()
    stones = [make_stone(i, row()) for i in range(STONES)]
    make_stand()
    add_bodies([table], "OAK", "FIXED")
    add_bodies([marble], "GLASS")
    add_bodies(stones, "PLASTIC")
    table.ves.contact_shape = "COMPOUND"
    select(chute, marble)
    bpy.ops.ves.add_joint(type="CONTACT")
    select(marble)
    bpy.ops.ves.snap_together()
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.ground_height = True, -TABLE_HEIGHT
    add_camera((-0.02, -0.74, 0.62), (-0.25, 0.01, 0.075), 31.5)
    select(marble)


def way(part: float) -> tuple[np.ndarray, np.ndarray]:
    """(the middle of the chute's bottom, its heading) from 0, the upper end, to 1, where it is level and along X."""
    course = _line()
    place, heading = course.at(part * course.distance[-1])
    end, last = course.at(course.distance[-1])
    turn = np.array([[math.cos(last), math.sin(last)], [-math.sin(last), math.cos(last)]])
    fading = max(0.0, part - FADES)
    drop = (part - fading**2 / (2.0 * (1.0 - FADES))) / (0.5 + 0.5 * FADES)
    ahead = turn @ np.array([math.cos(heading), math.sin(heading)])
    return np.array([*(END + turn @ (place - end)), TOP + (LIP - TOP) * drop]), np.array([*ahead, 0.0])


@cache
def _line() -> Course:
    """The chute's way as it is seen from above."""
    return lay_out(COIL + RUN_OUT, (Bend(0.0, COIL, TURN),), 0.001)


def section(part: float, angle: float, radius: float) -> np.ndarray:
    """The point of the chute at an angle (rad, 0 at its bottom, positive on its right) around its middle line."""
    place, ahead = way(part)
    right = np.array([ahead[1], -ahead[0], 0.0])
    middle = place + np.array([0.0, 0.0, GUTTER])
    return middle + radius * (math.sin(angle) * right - math.cos(angle) * np.array([0.0, 0.0, 1.0]))


def make_chute() -> bpy.types.Object:
    """The surface that is ridden on, and around it a shell of wood. Neither is a body."""
    data = bpy.data.curves.new("Chute", "SURFACE")
    data.dimensions = "3D"
    chute = bpy.data.objects.new("Chute", data)
    bpy.context.scene.collection.objects.link(chute)
    curve = data.splines.new("NURBS")
    curve.points.add(ACROSS - 1)
    for k, point in enumerate(curve.points):
        point.co = 0.0, 0.01 * k, 0.0, 1.0
    curve.order_u, curve.use_endpoint_u = 4, True
    select(chute)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.curve.select_all(action="SELECT")
    for _ in range(ALONG - 1):
        bpy.ops.curve.extrude_move(TRANSFORM_OT_translate={"value": (0.01, 0.0, 0.0)})
    bpy.ops.object.mode_set(mode="OBJECT")
    surface = data.splines[0]
    surface.order_u = surface.order_v = 4
    surface.use_endpoint_u = surface.use_endpoint_v = True
    surface.resolution_u = surface.resolution_v = 6
    surface.use_smooth = True
    # control points lie a little outside the round that they make
    reach = GUTTER * 3.0 / (2.0 + math.cos(2.0 * OPENING / (ACROSS - 1)))
    for k, point in enumerate(surface.points):
        across, along = k % surface.point_count_u, k // surface.point_count_u
        angle = OPENING * (2.0 * across / (ACROSS - 1) - 1.0)
        point.co = (*section(along / (ALONG - 1), angle, reach), 1.0)
    data.materials.append(material("pine"))
    make_object("Chute Shell", _shell())
    return chute


def _shell() -> Shape:
    """The outside of the chute, and its edges."""
    parts, angles = np.linspace(0.0, 1.0, 241), np.linspace(-OPENING, OPENING, 25)
    outside = np.array([[section(p, a, GUTTER + WALL) for a in angles] for p in parts])
    edges = [_strip(lambda p, s=s: [section(p, s * OPENING, GUTTER + k * WALL) for k in (-0.3, 1.0)]) for s in (-1, 1)]
    ends = [np.array([[section(p, a, GUTTER + k * WALL) for k in (0.0, 1.0)] for a in angles]) for p in (0.0, 1.0)]
    return joined(grid(outside, "pine", closed=False), *edges, *(grid(end, "pine", closed=False) for end in ends))


def _strip(line: Callable[[float], list[np.ndarray]]) -> Shape:
    return grid(np.array([line(p) for p in np.linspace(0.0, 1.0, 241)]), "brass", closed=False)


def make_stand() -> None:
    """Posts from the table to the chute, wherever no lower part of it is in the way."""
    parts = np.linspace(0.02, 0.98, 200)
    places = np.array([section(part, 0.0, GUTTER + WALL) for part in parts])
    posts = []
    for i in range(0, len(parts), 9):
        apart = np.hypot(*(places[:, :2] - places[i, :2]).T)
        if apart[places[:, 2] < places[i, 2] - 0.03].min(initial=1.0) > GUTTER + 2.0 * WALL:
            posts.append(rod((*places[i, :2], 0.0), tuple(places[i]), 0.003, "brass"))
    make_object("Stand", joined(*posts))


def make_marble() -> bpy.types.Object:
    """In two colours, so that one sees it roll; a little above the chute, onto which it is snapped."""
    shape = superellipsoid((MARBLE, MARBLE, MARBLE), "white", 2.0, 32)
    middles = np.array([shape.points[list(face)].mean(axis=0) for face in shape.faces])
    stripes = ["blue light" if abs(z) < 0.6 * MARBLE else "white" for z in middles[:, 2]]
    marble = make_object("Marble", shape._replace(paints=stripes))
    place, _ = way(0.02)
    marble.location = place + (0.0, 0.0, MARBLE)
    marble.rotation_euler = 0.5, 0.3, 0.0
    return marble


def row() -> Course:
    """The line on which the stones stand, from the chute's lower end."""
    return lay_out(GAP + STONES * SPACING, BENDS, 0.001)


def make_stone(i: int, course: Course) -> bpy.types.Object:
    half = 0.5 * np.array(STONE)
    stone = make_object(f"Stone {i + 1}", slab(-half, half, PAINTS[i // 4 % 4]), smooth=False)
    end, _ = way(1.0)
    place, heading = course.at(GAP + i * SPACING)
    stone.location = (*(end[:2] + place), half[2])
    stone.rotation_euler.z = heading
    return stone
