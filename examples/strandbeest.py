# SPDX-License-Identifier: GPL-3.0-or-later
"""A Strandbeest walks: six pairs of Theo Jansen's legs on a crankshaft, live, on a frame that goes with its feet.

It is the example of Add > Erector Set, whose legs hang on the world, with a Keyed frame in the world's place. Live
knows no contact: the frame's keyframes keep the lowest foot where it stands, and the others slide by some millimetres.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Vector

from .by_hand import add_bodies, hang, select
from .camera import add_camera
from .landscape import make_meadow
from .shapes import joined, make_object, rod
from .workbench import set_frames

FRAMES = 96
PAIRS = 6
TURNS = 2.0 / 96.0  # of the crankshaft, a frame
PIVOTS, ENDS = (-0.38, -0.078), (-0.12, 1.87)  # m: of the legs (x, z), and of the frame (y)


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the walk; `frames` shortens it from its end."""
    set_frames(frames)
    scene = bpy.context.scene
    bpy.ops.ves.add_example(kind="STRANDBEEST", links=PAIRS)
    legs = [ob for ob in scene.objects if ob.ves.role == "BODY"]
    joints = [ob for ob in scene.objects if ob.ves.role == "JOINT"]
    frame = make_frame()
    add_bodies([frame], "PINE", "KEYED")
    for joint in joints:
        if joint.ves.to_world:
            joint.ves.to_world, joint.ves.body_a = False, frame
            hang(joint, frame)
    crank = next(joint for joint in joints if joint.ves.is_drive)
    for number, angle in ((1, 0.0), (frames, -2.0 * math.pi * TURNS * (frames - 1))):
        crank.ves.drive_angle = angle
        crank.keyframe_insert("ves.drive_angle", frame=number)
    go_evenly(crank)
    scene.frame_set(1)
    select(frame)
    bpy.ops.ves.make_live()
    walk(frame, [leg for leg in legs if "Foot" in leg.name], frames)
    make_meadow(seed=11, height=0.0)
    add_camera((2.2, -6.2, 1.1), (1.4, 0.6, 0.62), 42.0)
    select(frame)


def go_evenly(ob: bpy.types.Object) -> None:
    """No slowing down at the ends of what is keyed."""
    animation = ob.animation_data
    for curve in animation.action.layers[0].strips[0].channelbag(animation.action_slot).fcurves:
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"


def walk(frame: bpy.types.Object, feet: list[bpy.types.Object], frames: int) -> None:
    """Key the frame so that the lowest foot stays where it stands on the ground, at height zero."""
    tips = np.array([at(feet, number) for number in range(1, frames + 1)])
    x, height = 0.0, -float(tips[0, :, 2].min())
    for number in range(frames):
        if number:
            standing = int(np.argmin(tips[number - 1, :, 2] + tips[number, :, 2]))
            x -= float(tips[number, standing, 0] - tips[number - 1, standing, 0])
        height = -float(tips[number, :, 2].min())
        frame.location = (x, 0.0, height)
        frame.keyframe_insert("location", frame=number + 1)
    bpy.context.scene.frame_set(1)


def at(feet: list[bpy.types.Object], frame: int) -> list[Vector]:
    """Lowest corners of the feet at a frame, in the world."""
    bpy.context.scene.frame_set(frame)
    return [min((foot.matrix_world @ v.co for v in foot.data.vertices), key=lambda place: place.z) for foot in feet]


def make_frame() -> bpy.types.Object:
    """Two long tubes through the pivots, their ends, and posts to the ridge above the crankshaft."""
    (x, z), (near, far) = PIVOTS, ENDS
    tubes = [rod((side * x, near, z), (side * x, far, z), 0.018, "pine") for side in (1.0, -1.0)]
    ends = [rod((x, y, z), (-x, y, z), 0.018, "pine") for y in (near, far)]
    posts = [rod((side * x, y, z), (0.0, y, 0.32), 0.014, "pine") for side in (1.0, -1.0) for y in (near, far)]
    return make_object("Frame", joined(*tubes, *ends, *posts, rod((0.0, near, 0.32), (0.0, far, 0.32), 0.016, "pine")))
