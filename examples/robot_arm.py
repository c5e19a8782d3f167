# SPDX-License-Identifier: GPL-3.0-or-later
"""A robot arm that draws: its base is nailed to a pedestal, its hand follows a curve, its elbow goes where it likes.

Four hinges leave the arm one freedom more than the three that a point on a curve takes. Springs and dampers in the
joints, and gravity, decide about that one: nobody animates shoulder, elbow or wrist.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, lead, nail, select
from .camera import add_camera
from .course import Course, make_curve
from .paints import material
from .shapes import Shape, joined, lathe, make_object, moved, on_both_sides, rod, slab
from .workbench import PITCH, blackboard, bolt, make_table, place_between, set_frames, strip

FRAMES = 120
UPPER, FORE, PALM, PEN = 12 * PITCH, 10 * PITCH, 4 * PITCH, 0.06  # lengths
SHOULDER = (0.0, 0.235)  # (x, z)
ARM_OUT, ARM_IN = 0.017, 0.009  # how far the strips of the upper arm and of the forearm are from the middle plane
BOARD = 0.42  # x of the board's face
FIGURE, CENTRE = (0.17, 0.09), 0.36  # half width and height of the figure of eight, and where its middle is
LIFT = math.radians(70.0)  # of the upper arm at the start
PLATE_TOP, NAILS = 0.128, 0.05  # height of the base's top, and how far its nails are from its middle, along X and Y
JOINTS = {"Turn": (0.0, 0.3), "Shoulder": (25.0, 1.0), "Elbow": (10.0, 0.4), "Wrist": (4.0, 0.1)}
"""Stiffness (N m/rad) and damping (N m s/rad) of each hinge."""


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    pedestal, base, turntable = make_pedestal(), make_base(), make_turntable()
    arm = make_arm()
    figure = draw_figure()
    connect([pedestal, base, turntable, *arm], figure)
    make_easel()
    make_table(seed=6)
    add_camera((-0.90, -1.20, 0.52), (0.18, 0.0, 0.275), 44.0, f_stop=1.0)
    select(base)


def pose() -> list[tuple[float, float]]:
    """(x, z) of shoulder, elbow, wrist and pen at the start: the wrist hangs below the line from elbow to pen."""
    shoulder, pen = np.array(SHOULDER), np.array([BOARD - 0.002, CENTRE])
    elbow = shoulder + UPPER * np.array([math.cos(LIFT), math.sin(LIFT)])
    x, z = pen - elbow
    reach, hand = math.hypot(x, z), PALM + PEN
    angle = math.atan2(z, x) - math.acos((FORE**2 + reach**2 - hand**2) / (2.0 * FORE * reach))
    wrist = elbow + FORE * np.array([math.cos(angle), math.sin(angle)])
    return [tuple(place) for place in (shoulder, elbow, wrist, pen)]


def make_pedestal() -> bpy.types.Object:
    """A turned block of stone."""
    profile = [(0.125, 0.0), (0.125, 0.02), (0.105, 0.03), (0.095, 0.10), (0.10, 0.105), (0.10, 0.1195)]
    return make_object("Pedestal", lathe(profile, "stone", 48))


def make_base() -> bpy.types.Object:
    """A square plate with four nails driven through its corners."""
    plate = slab((-0.065, -0.065, 0.12), (0.065, 0.065, PLATE_TOP), "iron")
    top = PLATE_TOP
    head = lathe([(0.004, 0.121), (0.004, top + 0.001), (0.009, top + 0.002), (0.006, top + 0.004)], "brass")
    heads = [moved(head, (x, y, 0.0)) for x in (-NAILS, NAILS) for y in (-NAILS, NAILS)]
    return make_object("Base", joined(plate, *heads))


def make_turntable() -> bpy.types.Object:
    """A drum, and the two cheeks between which the upper arm turns."""
    low = PLATE_TOP + 0.0005
    drum = lathe([(0.042, low), (0.042, low + 0.03), (0.036, low + 0.038)], ["car", "car"], 48)
    cheek = slab((-0.022, 0.0215, low + 0.03), (0.022, 0.0275, SHOULDER[1] + 0.02), "car")
    return make_object("Turntable", joined(drum, on_both_sides(cheek)))


def make_arm() -> list[bpy.types.Object]:
    """Upper arm, forearm and hand, each with its origin in its first hole."""
    upper = joined(
        on_both_sides(strip(12, "car", ARM_OUT)),
        bolt(0.0, 0.0, -0.031, 0.031),
        _elbow(UPPER, ARM_OUT),
        rod((6 * PITCH, -ARM_OUT, 0.0), (6 * PITCH, ARM_OUT, 0.0), 0.0075, "brass"),
    )
    fore = joined(
        on_both_sides(strip(10, "girder", ARM_IN)),
        _elbow(FORE, ARM_IN),
        rod((5 * PITCH, -ARM_IN, 0.0), (5 * PITCH, ARM_IN, 0.0), 0.0075, "brass"),
    )
    profile = [(0.0055, 0.0), (0.0055, PEN), (0.005, PEN + 0.004), (0.0006, PEN + 0.022)]
    pen = lathe(profile, ["line", "chalk", "chalk"], 20)
    hand = joined(
        strip(4, "label blue"),
        moved(pen, Matrix.Translation((PALM - 0.022, 0.0, 0.0)) @ Matrix.Rotation(math.pi / 2.0, 4, "Y")),
    )
    places, parts = pose(), []
    for i, (name, shape) in enumerate((("Upper Arm", upper), ("Forearm", fore), ("Hand", hand))):
        parts.append(make_object(name, shape))
        place_between(parts[-1], places[i], places[i + 1])
    return parts


def _elbow(x: float, y: float) -> Shape:
    """A bolt across, with a round cap on either side."""
    caps = on_both_sides(rod((x, y + 0.0025, 0.0), (x, y + 0.009, 0.0), 0.015, "brass", 24))
    return joined(rod((x, -y - 0.004, 0.0), (x, y + 0.004, 0.0), 0.005, "brass", 16), caps)


def make_easel() -> None:
    """The board that the pen draws on."""
    board = moved(
        blackboard(0.26, 0.14, 0.54),
        Matrix.Translation((BOARD, 0.0, 0.0)) @ Matrix.Rotation(-math.pi / 2.0, 4, "Z"),
    )
    legs = [slab((BOARD + 0.017, y - 0.012, 0.0), (BOARD + 0.039, y + 0.012, 0.60), "pine") for y in (-0.18, 0.18)]
    feet = [slab((BOARD - 0.08, y - 0.015, 0.0), (BOARD + 0.16, y + 0.015, 0.025), "pine") for y in (-0.18, 0.18)]
    make_object("Easel", joined(board, *legs, *feet), smooth=False)


def draw_figure() -> bpy.types.Object:
    """A figure of eight that begins in its middle: a Bezier curve, of which one sees what is drawn already."""
    t = np.linspace(0.0, 2.0 * math.pi, 4001)
    position = np.stack([FIGURE[0] * np.sin(t), FIGURE[1] * np.sin(2.0 * t)], axis=1)
    slope = np.stack([FIGURE[0] * np.cos(t), 2.0 * FIGURE[1] * np.cos(2.0 * t)], axis=1)
    distance = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(position, axis=0), axis=1))])
    heading = np.unwrap(np.arctan2(slope[:, 1], slope[:, 0]))
    curve = make_curve("Figure", Course(distance, position, heading), 49)
    curve.data.bevel_depth, curve.data.bevel_factor_mapping_end = 0.002, "SPLINE"
    curve.data.materials.append(material("chalk"))
    board = Matrix(((0, 0, 1), (1, 0, 0), (0, 1, 0))).to_4x4()  # the curve's X and Y are Y and Z of the world
    curve.matrix_world = Matrix.Translation((BOARD - 0.002, 0.0, CENTRE)) @ board
    return curve


def connect(bodies: list[bpy.types.Object], figure: bpy.types.Object) -> None:
    """A person's work in the sidebar: four nails, four hinges with springs, and a path."""
    pedestal, base, turntable, upper, fore, hand = bodies
    add_bodies([pedestal], "STONE", "FIXED")
    add_bodies([base, turntable], "STEEL")
    add_bodies([upper, fore, hand], "ALUMINIUM")
    for x in (-NAILS, NAILS):
        for y in (-NAILS, NAILS):
            nail(base, (x, y, PLATE_TOP))
    shoulder, elbow, wrist, pen = (Vector((x, 0.0, z)) for x, z in pose())
    hinges = (
        join("REVOLUTE", base, turntable, (0.0, 0.0, PLATE_TOP), axis="Z"),
        join("REVOLUTE", turntable, upper, shoulder),
        join("REVOLUTE", upper, fore, elbow),
        join("REVOLUTE", fore, hand, wrist),
    )
    for hinge, (name, (stiffness, damping)) in zip(hinges, JOINTS.items(), strict=True):
        hinge.name = name
        hinge.ves.stiffness[0], hinge.ves.damping[0] = stiffness, damping
    path = lead(hand, figure, pen)
    for frame, share in ((1, 0.0), (FRAMES - 8, 1.0)):
        path.ves.path_time = figure.data.bevel_factor_end = share
        path.keyframe_insert("ves.path_time", frame=frame)
        figure.data.keyframe_insert("bevel_factor_end", frame=frame)
    bpy.context.scene.frame_set(1)
