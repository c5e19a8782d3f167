# SPDX-License-Identifier: GPL-3.0-or-later
"""A four-bar linkage made by hand: a motor turns the crank, the rocker swings, and a pen on the coupler draws.

Its lengths are Hoecken's: ground, crank, coupler, rocker as 2 : 1 : 2.5 : 2.5, the pen as far beyond the rocker as the
crank is before it. Half of each turn the pen then goes along a line that is nearly straight. The curve on the board
is drawn beforehand from the closed form, so that one can see whether the pen stays on it.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from .by_hand import add_bodies, join, select
from .camera import add_camera
from .paints import material
from .shapes import joined, lathe, make_object, moved, rod, slab
from .workbench import PITCH, blackboard, bolt, make_table, place_between, set_frames, strip

FRAMES, TURNS = 120, 2
UNIT = 4 * PITCH
GROUND, CRANK, ARM = 2.0 * UNIT, UNIT, 2.5 * UNIT  # the rocker and both halves of the coupler are ARM long
PIVOTS = np.array([-0.5 * GROUND - 0.7 * UNIT, 0.20]), np.array([0.5 * GROUND - 0.7 * UNIT, 0.20])
START = math.radians(60.0)  # of the crank, from X towards Z
NEAR, FAR = -0.020, -0.030  # Y of the strips beside the board, whose face is Y = 0, and of those in front of them
STIFFNESS, DAMPING = 60.0, 2.0  # of the motor, N m/rad and N m s/rad


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    board = make_board()
    crank, coupler, rocker = make_bars()
    motor = connect(board, crank, coupler, rocker)
    turn(motor)
    draw_curve()
    make_table(seed=6)
    add_camera((-0.30, -1.60, 0.52), (-0.01, 0.0, 0.36), 41.0, f_stop=1.0)
    select(board)


def places(angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(x, z) of the crank's end, the rocker's end and the pen, for an angle of the crank."""
    end = PIVOTS[0] + CRANK * np.array([math.cos(angle), math.sin(angle)])
    to_rocker = PIVOTS[1] - end
    distance = np.linalg.norm(to_rocker)
    up = np.array([-to_rocker[1], to_rocker[0]]) / distance
    middle = end + 0.5 * to_rocker + up * math.sqrt(ARM**2 - 0.25 * distance**2)
    return end, middle, 2.0 * middle - end


def make_board() -> bpy.types.Object:
    """A drawing board on two feet, with a drum for the motor and a spacer under the rocker."""
    board = blackboard(0.33, 0.05, 0.74)
    feet = [slab((x - 0.02, -0.08, 0.0), (x + 0.02, 0.12, 0.029), "pine") for x in (-0.24, 0.24)]
    (x, z), (rocker_x, rocker_z) = PIVOTS
    drum = rod((x, -0.014, z), (x, -0.0005, z), 0.034, "brass", 32)
    spacer = rod((rocker_x, -0.0165, rocker_z), (rocker_x, -0.0005, rocker_z), 0.014, "iron", 24)
    return make_object("Board", joined(board, *feet, drum, spacer))


def make_bars() -> list[bpy.types.Object]:
    """Crank, coupler and rocker, each with the origin in its first hole, where they are at the start."""
    end, middle, pen = places(START)
    crank = joined(strip(4, "car", NEAR), bolt(0.0, 0.0, NEAR - 0.003, -0.012))
    tip = [(0.0006, 0.0), (0.004, 0.012), (0.0055, 0.013), (0.0055, 0.05)]
    point = lathe(tip, ["chalk", "chalk", "line"], 20)
    point = moved(point, Matrix.Translation((2.0 * ARM, -0.003, 0.0)) @ Matrix.Rotation(math.pi / 2.0, 4, "X"))
    bolts = [bolt(x, 0.0, FAR - 0.003, NEAR + 0.003) for x in (0.0, ARM)]
    coupler = joined(strip(20, "label yellow", FAR), *bolts, point)
    rocker = joined(strip(10, "cream", NEAR), bolt(0.0, 0.0, NEAR - 0.003, -0.012))
    bars = []
    for name, shape, start, aim in (
        ("Crank", crank, PIVOTS[0], end),
        ("Coupler", coupler, end, pen),
        ("Rocker", rocker, PIVOTS[1], middle),
    ):
        bars.append(make_object(name, shape))
        place_between(bars[-1], start, aim)
    return bars


def connect(
    board: bpy.types.Object, crank: bpy.types.Object, coupler: bpy.types.Object, rocker: bpy.types.Object
) -> bpy.types.Object:
    """A person's work in the sidebar: four hinges. Returns the crank's, which gets the motor."""
    add_bodies([board], "OAK", "FIXED")
    add_bodies([crank, coupler, rocker], "STEEL")
    end, middle, _ = places(START)
    hinges = [
        join("REVOLUTE", parent, child, (x, NEAR, z))
        for parent, child, (x, z) in (
            (board, crank, PIVOTS[0]),
            (crank, coupler, end),
            (coupler, rocker, middle),
            (board, rocker, PIVOTS[1]),
        )
    ]
    return hinges[0]


def turn(motor: bpy.types.Object) -> None:
    """Two keyframes of the angle that the motor drives to; it eases in and out."""
    settings = motor.ves
    settings.motor_mode = "POSITION"
    settings.motor_stiffness[0], settings.motor_damping[0] = STIFFNESS, DAMPING
    for frame, turns in ((1, 0), (FRAMES - 8, TURNS)):
        settings.motor_target[0] = 2.0 * math.pi * turns
        motor.keyframe_insert("ves.motor_target", index=0, frame=frame)


def draw_curve() -> None:
    """The line of the pen over a whole turn, on the board."""
    data = bpy.data.curves.new("Coupler Curve", "CURVE")
    data.dimensions = "3D"
    data.bevel_depth = 0.002
    data.materials.append(material("chalk"))
    angles = np.linspace(0.0, 2.0 * math.pi, 180, endpoint=False)
    spline = data.splines.new("POLY")
    spline.use_cyclic_u = True
    spline.points.add(len(angles) - 1)
    for point, angle in zip(spline.points, angles, strict=True):
        x, z = places(angle)[2]
        point.co = x, -0.0005, z, 1.0
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Coupler Curve", data))
