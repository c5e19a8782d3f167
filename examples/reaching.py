# SPDX-License-Identifier: GPL-3.0-or-later
"""A figure follows a ball with its hand, far ahead and up high, and stretches for it on one leg.

The figure is the passenger's. The ball is keyed, and so are the *Weights* and *Lift* of the Balance; all else follows.
"""

from __future__ import annotations

import bpy

from .by_hand import add_bodies, key, select
from .camera import add_camera
from .landscape import add_sky, add_sun
from .passenger import connect, make_passenger
from .shapes import make_object, moved, slab, superellipsoid
from .workbench import set_frames

FRAMES = 168
FREQUENCY, TORQUE = 1.2, 250.0  # Hz of place and upright; N m
BALL = 0.06  # m: its radius
WAY = {
    1: (-0.30, -0.20, 0.85),
    24: (-0.25, -0.45, 1.15),
    48: (-0.05, -0.52, 1.30),
    72: (-0.45, -0.30, 1.45),
    108: (-0.32, -0.20, 1.90),
    132: (-0.32, -0.20, 1.90),
    160: (-0.30, -0.42, 1.20),
}
"""m: where the ball is at a frame; the figure looks along -Y, so its right hand is at -X."""
SHIFT = {48: 1.0, 78: 0.0, 136: 0.0, 160: 1.0}  # the right foot's weight beside the left one's,
LIFT = {84: 0.0, 104: 0.22, 120: 0.22, 134: 0.0}  # and how high it is lifted (m)


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    floor = make_object("Floor", slab((-2.5, -2.5, -0.1), (2.5, 2.5, 0.0), "oak"), False)
    add_bodies([floor], "OAK", "FIXED")
    floor.ves.contact_friction, floor.ves.contact_restitution = 0.9, 0.0
    ball = make_object("Ball", moved(superellipsoid((BALL,) * 3, "label yellow", 2.0), (0.0, 0.0, 0.0)))
    for axis in range(3):
        key(ball, "location", {frame: place[axis] for frame, place in WAY.items()}, "BEZIER", axis)
    parts = make_passenger()
    connect(parts)
    select(parts["Trunk"], parts["Left Foot"], parts["Right Foot"])
    bpy.ops.ves.add_force(type="BALANCE")
    stand(bpy.context.active_object.ves)
    free_arm(parts)
    select(parts["Right Forearm"])
    bpy.ops.ves.add_force(type="REACH")
    reach = bpy.context.active_object.ves
    bpy.data.objects.remove(reach.reach_target)
    reach.reach_target = ball
    scene = bpy.context.scene
    scene.frame_set(1)
    scene.ves.use_contact, scene.ves.use_ground = True, False
    add_sky()
    add_sun()
    add_camera((-2.3, -4.6, 1.45), (0.0, -0.1, 1.0), 38.0)
    select(parts["Trunk"])


def stand(settings: bpy.types.PropertyGroup) -> None:
    """Firm upright, and all weight on the left foot while the right one is in the air."""
    settings.balance_frequency = settings.balance_turn_frequency = FREQUENCY
    settings.balance_max_torque = TORQUE
    settings.use_balance_weights = True
    empty = settings.id_data
    right = next(k for k, foot in enumerate(settings.balance_feet) if foot.body.name == "Right Foot")
    key(empty, "ves.balance_weights", SHIFT, "BEZIER", right)
    key(empty, "ves.balance_lifts", LIFT, "BEZIER", right)


def free_arm(parts: dict[str, bpy.types.Object]) -> None:
    """The springs that hold an idle arm would pull at one that reaches."""
    arm = {parts["Right Upper Arm"], parts["Right Forearm"]}
    for ob in bpy.context.scene.objects:
        if ob.ves.role == "JOINT" and ob.ves.body_b in arm:
            ob.ves.stiffness = (0.0,) * 3
