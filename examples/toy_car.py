# SPDX-License-Identifier: GPL-3.0-or-later
"""A small round car with a boom of perforated strips at its back. Forward is +X, and the road is z = 0."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from .shapes import (
    Shape,
    along,
    joined,
    lathe,
    make_object,
    moved,
    on_both_sides,
    perforated_strip,
    rod,
    superellipsoid,
)

WHEEL_RADIUS = 0.30
WHEELS = {"Front": 0.82, "Rear": -0.82}  # where the axles are along X
TRACK = 0.57  # half the distance between left and right wheels
BOOM_FOOT, BOOM_TIP = (-0.95, 0.84), (-2.399, 1.0955)  # (x, z) of the first and last holes of the boom
STRUT_FOOT = tuple(0.45 * a + 0.55 * b for a, b in zip(BOOM_FOOT, BOOM_TIP, strict=True))  # (x, z): on the boom
STRUT_HEAD = (-0.30, 1.36)  # on the roof
STRIPS_APART, STRUTS_APART = 0.17, 0.148  # half the distance between left and right strips of the boom, and struts
PITCH = 0.1226  # between two holes
CABIN = np.array([0.80, 0.545, 0.55])  # half of its length, width and height
HOOKS = tuple((BOOM_TIP[0], side * 6 * PITCH, BOOM_TIP[1] - 0.10) for side in (1.0, -1.0))  # where strings are tied


def make_car() -> bpy.types.Object:
    """The car at the origin: one mesh, and its wheels as children, each turning about its Y axis."""
    car = make_object("Car", joined(_body(), _cabin(), _trim(), _boom()))
    for end, x in WHEELS.items():
        for side, y in (("Left", TRACK), ("Right", -TRACK)):
            wheel = make_object(f"Wheel {end} {side}", _wheel())
            wheel.parent = car
            wheel.location = (x, y, WHEEL_RADIUS)
    return car


def _body() -> Shape:
    hull = moved(superellipsoid((1.38, 0.60, 0.30), "car", 3.2, 64), (0.0, 0.0, 0.56))
    bonnet = moved(superellipsoid((0.62, 0.46, 0.22), "car", 2.4), (0.72, 0.0, 0.76))
    fender = superellipsoid((0.46, 0.17, 0.30), "car", 2.6)
    fenders = joined(*(moved(fender, (x, 0.55, 0.44)) for x in WHEELS.values()))
    board = moved(superellipsoid((0.62, 0.11, 0.05), "cream", 4.0), (0.0, 0.60, 0.27))
    return joined(hull, bonnet, on_both_sides(joined(fenders, board)))


def _cabin() -> Shape:
    """One shell whose faces are glass or paint, depending on where they are; it gets narrower towards the roof."""
    round_shell = superellipsoid(CABIN, "cream", 2.7, 96)
    paints = []
    for face in round_shell.faces:
        x, y, z = np.mean(round_shell.points[list(face)], axis=0) / CABIN
        around = abs(math.degrees(math.atan2(y, x)))
        is_pillar = min(abs(around - pillar) for pillar in (43.0, 88.0, 137.0)) < 5.0
        paints.append(
            "glass" if 0.22 < z < 0.80 and not is_pillar and len(face) == 4 else "cream" if z >= 0.80 else "car"
        )
    return _narrower_towards_the_roof(Shape(round_shell.points, round_shell.faces, paints))


def cabin_outline(paint: str) -> Shape:
    """The cabin's form, of fewer faces and a little larger, so that it holds the cabin."""
    return _narrower_towards_the_roof(superellipsoid(1.02 * CABIN, paint, 2.7, 40))


def _narrower_towards_the_roof(shell: Shape) -> Shape:
    points = shell.points.copy()
    points[:, :2] *= 1.0 - 0.22 * np.clip(points[:, 2:] / CABIN[2], 0.0, 1.0)
    return moved(Shape(points, shell.faces, shell.paints), (-0.22, 0.0, 0.83))


def _trim() -> Shape:
    bumper = superellipsoid((0.055, 0.60, 0.055), "chrome", 3.0)
    bumpers = joined(moved(bumper, (1.42, 0.0, 0.36)), moved(bumper, (-1.42, 0.0, 0.36)))
    lamp = joined(
        moved(superellipsoid((0.10, 0.125, 0.125), "chrome", 2.0, 32), (1.18, 0.42, 0.70)),
        moved(superellipsoid((0.09, 0.10, 0.10), "lamp", 2.0, 32), (1.22, 0.42, 0.70)),
        moved(superellipsoid((0.05, 0.07, 0.07), "tail lamp", 2.0, 32), (-1.345, 0.44, 0.60)),
    )
    plate = moved(superellipsoid((0.02, 0.22, 0.07), "cream", 8.0), (-1.39, 0.0, 0.56))
    grille = moved(superellipsoid((0.04, 0.20, 0.10), "chrome", 2.6), (1.355, 0.0, 0.60))
    return joined(bumpers, on_both_sides(lamp), plate, grille)


def _boom() -> Shape:
    """Two strips side by side that rise from the boot, a cross strip at their tip, struts, and two hooks."""
    foot, tip, middle, base = ((x, STRIPS_APART, z) for x, z in (BOOM_FOOT, BOOM_TIP, STRUT_FOOT, STRUT_HEAD))
    upright = Matrix.Rotation(math.pi / 2.0, 4, "X")  # the strip stands on its edge
    holes = 1 + round(math.dist(foot, tip) / PITCH)
    rail = moved(perforated_strip(holes, PITCH, 0.02, "girder"), along(foot, tip) @ upright)
    strut_holes = 1 + round(math.dist(base, middle) / PITCH)
    strut = moved(perforated_strip(strut_holes, PITCH, 0.02, "brass"), along(base, middle) @ upright)
    strut = moved(strut, (0.0, STRUTS_APART - STRIPS_APART, 0.0))
    cross = moved(
        perforated_strip(13, PITCH, 0.02, "brass"),
        along((BOOM_TIP[0], -6 * PITCH, BOOM_TIP[1]), (BOOM_TIP[0], 1.0, BOOM_TIP[1])),
    )
    bolts = [
        rod((x, -0.215, z), (x, 0.215, z), 0.022, "chrome")
        for x, z in ((foot[0], foot[2]), (middle[0], middle[2]), (base[0], base[2]), (tip[0], tip[2] - 0.012))
    ]
    hooks = [rod((x, y, z), (x, y, z + 0.10), 0.012, "chrome") for x, y, z in HOOKS]
    return joined(on_both_sides(joined(rail, strut)), cross, *bolts, *hooks)


def _wheel() -> Shape:
    """Tyre with a white wall, rim and hub cap, turned about Y."""
    radius = WHEEL_RADIUS
    side = [(0.05, 0.092), (0.10, 0.080), (0.17, 0.072), (0.20, 0.090), (0.245, 0.094), (0.28, 0.082), (radius, 0.045)]
    paints = ["chrome", "car", "chrome", "cream", "tyre", "tyre"]
    profile = [(r, -z) for r, z in side] + [(r, z) for r, z in reversed(side)]
    solid = lathe(profile, [*paints, "tyre", *reversed(paints)], 40)
    bolts = [
        rod(
            (0.13 * math.cos(a), 0.13 * math.sin(a), -0.084),
            (0.13 * math.cos(a), 0.13 * math.sin(a), 0.084),
            0.018,
            "chrome",
            8,
        )
        for a in np.arange(5) * 0.4 * math.pi
    ]
    return moved(joined(solid, *bolts), Matrix.Rotation(math.pi / 2.0, 4, "X"))
