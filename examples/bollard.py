# SPDX-License-Identifier: GPL-3.0-or-later
"""A crate let down by hand, round a log: a turn and a half carries it, and the hand only says when the rope may slip.

The rope rubs with a coefficient of 1/3, so at the crate it pulls exp(pi) = 23 times as hard as at the handle. A Motor
is the hand: it pulls the handle down, and slackens three times for less than half a second.
"""

from __future__ import annotations

import bpy
from mathutils import Vector

from .by_hand import act, add_bodies, hang, key, select
from .camera import add_camera
from .shapes import joined, make_object, rod
from .workbench import crate, make_table, set_frames

FRAMES = 144
LOG, HIGH, LONG = 0.04, 0.60, 0.13  # m: the log's radius, how high it lies, and half of its length
FRICTION, TURNS = 1.0 / 3.0, 1.5
CRATE, MASS = 0.09, 1.0  # m, kg
HANDLE = 0.02  # kg
HOLDS, SLACKENS = 0.6, 0.15  # N: the hand
HAND = {1: HOLDS, 18: SLACKENS, 27: HOLDS, 54: SLACKENS, 64: HOLDS, 92: SLACKENS, 102: HOLDS, 144: HOLDS}


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    make_table(seed=7)
    stand, load, handle = make_stand(), make_crate(), make_handle()
    add_bodies([stand], "OAK", "FIXED")
    add_bodies([load, handle], "PINE")
    for body, mass in ((load, MASS), (handle, HANDLE)):
        body.ves.mass_source, body.ves.mass = "GIVEN", mass
    rope = string(load, handle, stand)
    for wheel in rope.ves.rope_points:
        wheel.friction = FRICTION
    rope.ves.rope_points[0].turns = TURNS - 0.5  # the bends at both edges of the log are the half of a turn
    hand = act("MOTOR", handle, handle.location)
    hand.name = "Hand"
    hand.ves.force = hand.ves.torque = (0.0, 0.0, 0.0)
    key(hand, "ves.force", {frame: -force for frame, force in HAND.items()}, "CONSTANT", 2)
    add_camera((0.62, -1.45, 0.58), (0.0, 0.0, 0.34), 50.0)
    select(load)


def string(load: bpy.types.Object, handle: bpy.types.Object, stand: bpy.types.Object) -> bpy.types.Object:
    """The rope from the crate over both edges of the log to the handle."""
    marks = []
    for x in (-LOG, LOG):
        mark = bpy.data.objects.new("Edge of Log", None)
        bpy.context.collection.objects.link(mark)
        mark.location, mark.empty_display_size = (x, 0.0, HIGH), 0.02
        hang(mark, stand)
        marks.append(mark)
    select(load, handle)
    bpy.ops.ves.add_rope(strands=1)
    rope = bpy.context.active_object
    rope.name = "Rope"
    rope.ves.rope_points.clear()
    rope.matrix_world.translation = load.location + Vector((0.0, 0.0, CRATE + 0.02))
    rope.ves.anchor_b.matrix_world.translation = handle.location + Vector((0.0, 0.0, 0.03))
    select(rope, *marks)
    bpy.ops.ves.add_rope_point()
    select(rope)
    bpy.ops.ves.make_visible(thickness=0.005)
    return rope


def make_stand() -> bpy.types.Object:
    """A log on two trestles, with the turns of the rope around it."""
    parts = [rod((0.0, -LONG, HIGH), (0.0, LONG, HIGH), LOG - 0.004, "pine", 48)]
    for y in (0.04 - LONG, LONG - 0.04):
        parts += [rod((x, y, 0.002), (0.25 * x, y, HIGH - 0.03), 0.011, "oak", 16) for x in (-0.16, 0.16)]
        parts.append(rod((-0.1, y, 0.24), (0.1, y, 0.24), 0.007, "oak", 16))
    stand = make_object("Trestle", joined(*parts), smooth=False)
    bpy.ops.mesh.primitive_torus_add(
        major_radius=LOG - 0.0015, minor_radius=0.0025, major_segments=64, minor_segments=12,
        location=(0.0, 0.006, HIGH), rotation=(1.5708, 0.0, 0.0),
    )  # fmt: skip
    turn = bpy.context.active_object
    turn.name = "Turn of the Rope"
    hang(turn, stand)
    return stand


def make_crate() -> bpy.types.Object:
    """The crate, hung by its eye."""
    made = make_object("Crate", crate(CRATE), smooth=False)
    made.location = (-LOG, 0.0, HIGH - 0.19)
    return made


def make_handle() -> bpy.types.Object:
    """A bar of wood that a hand would hold."""
    parts = [rod((0.0, -0.04, 0.0), (0.0, 0.04, 0.0), 0.008, "label yellow", 24)]
    parts.append(rod((0.0, 0.0, 0.0), (0.0, 0.0, 0.03), 0.003, "iron"))
    handle = make_object("Handle", joined(*parts), smooth=False)
    handle.location = (LOG, 0.0, 0.10)
    return handle
