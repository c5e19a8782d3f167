# SPDX-License-Identifier: GPL-3.0-or-later
"""A Strandbeest walks on its feet: a motor turns the crankshaft, twelve feet touch the ground, and all else follows.

Six pairs of Theo Jansen's legs on a frame, as in `strandbeest`, but dynamic. Hinges that close a loop would hold the
same things many times over, since all axes are parallel: those are Generic constraints, which hold a point in the plane
of the legs and nothing else, and steps with contact take a fraction of the time.
"""

from __future__ import annotations

import math
from collections import deque

import bpy

from .by_hand import add_bodies, hang, select
from .camera import add_camera
from .landscape import make_meadow
from .strandbeest import PAIRS, make_frame
from .workbench import set_frames

FRAMES, STARTING = 120, 16
TURNS = 0.4  # of the crankshaft, a second
GRIP = 0.9


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    bpy.ops.ves.add_example(kind="STRANDBEEST", links=PAIRS)
    scene = bpy.context.scene
    legs = [ob for ob in scene.objects if ob.ves.role == "BODY"]
    joints = [ob for ob in scene.objects if ob.ves.role == "JOINT"]
    frame = make_frame()
    add_bodies([frame], "PINE")
    for joint in joints:
        if joint.ves.to_world:
            joint.ves.to_world, joint.ves.body_a = False, frame
            hang(joint, frame)
    close_loosely(joints, frame)
    crank = next(joint for joint in joints if joint.ves.is_drive)
    crank.ves.is_drive = False
    start(crank)
    feet = [leg for leg in legs if "Foot" in leg.name]
    stand(scene, feet, [*legs, frame])
    make_meadow(seed=11, height=0.0)
    add_camera((2.4, -6.4, 1.2), (1.3, 0.6, 0.6), 42.0)
    select(frame)


def close_loosely(joints: list[bpy.types.Object], root: bpy.types.Object) -> None:
    """Make hinges that close loops hold their point in the plane across their axis only: the others hold the rest."""
    beside: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for joint in joints:
        for body in (joint.ves.body_a, joint.ves.body_b):
            beside.setdefault(body, []).append(joint)
    reached, needed, waiting = {root}, set(), deque([root])
    while waiting:
        body = waiting.popleft()
        for joint in beside[body]:
            other = joint.ves.body_b if joint.ves.body_a == body else joint.ves.body_a
            if other not in reached:
                reached.add(other)
                needed.add(joint)
                waiting.append(other)
    for joint in joints:
        if joint not in needed:
            joint.ves.role = "GENERIC"
            joint.ves.lock_travel, joint.ves.lock_turn = (True, True, False), (False, False, False)


def start(crank: bpy.types.Object) -> None:
    """The motor comes to its speed in the first frames."""
    settings = crank.ves
    settings.motor_mode = "SPEED"
    for frame, speed in ((1, 0.0), (STARTING, -2.0 * math.pi * TURNS)):
        settings.motor_speed[0] = speed
        crank.keyframe_insert("ves.motor_speed", index=0, frame=frame)
    bpy.context.scene.frame_set(1)


def stand(scene: bpy.types.Scene, feet: list[bpy.types.Object], bodies: list[bpy.types.Object]) -> None:
    """On the ground at height zero, which nothing but feet touches."""
    bpy.context.view_layer.update()
    low = min((foot.matrix_world @ vertex.co).z for foot in feet for vertex in foot.data.vertices)
    for ob in scene.objects:
        if ob.parent is None:
            ob.location.z -= low
    for body in bodies:
        body.ves.collide = body in feet
        body.ves.contact_friction, body.ves.contact_restitution = GRIP, 0.0
    settings = scene.ves
    settings.use_contact, settings.ground_height = True, 0.0
    settings.ground_friction, settings.ground_restitution = GRIP, 0.0
    bpy.context.view_layer.update()
