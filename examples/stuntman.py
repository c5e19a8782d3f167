# SPDX-License-Identifier: GPL-3.0-or-later
"""A stuntman with a rig and a skin falls down a flight of stairs: one button makes a ragdoll of the rig.

The rig has the structure of those that game engines and motion libraries use. What is baked is on its bones.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix

from .by_hand import add_bodies, select
from .camera import add_camera
from .doll import make_doll, on_both_sides
from .landscape import make_meadow
from .ragdoll import make_stairs, top
from .workbench import set_frames

FRAMES = 60
PUSH = (1.2, 0.0, 0.0)  # m/s
LEAN = math.radians(14.0)
START = (-0.22, 0.0)  # of the feet on the landing

# name: bone above, head and tail (x to the left, y backwards, z upwards, standing at z = 0), radii there, paint
BONES = {
    "Hips": ("", (0.0, 0.0, 0.96), (0.0, 0.0, 1.08), (0.13, 0.12), "label blue"),
    "Spine": ("Hips", (0.0, 0.0, 1.08), (0.0, 0.01, 1.22), (0.12, 0.125), "label red"),
    "Chest": ("Spine", (0.0, 0.01, 1.22), (0.0, 0.02, 1.46), (0.14, 0.11), "label red"),
    "Neck": ("Chest", (0.0, 0.02, 1.46), (0.0, 0.0, 1.55), (0.055, 0.05), "cream"),
    "Head": ("Neck", (0.0, 0.0, 1.55), (0.0, -0.01, 1.80), (0.09, 0.085), "cream"),
}
LEFT = {
    "Collar": ("Chest", (0.03, 0.0, 1.41), (0.17, 0.02, 1.42), (0.06, 0.065), "label red"),
    "Upper Arm": ("Collar", (0.17, 0.02, 1.42), (0.36, 0.05, 1.22), (0.055, 0.045), "label red"),
    "Forearm": ("Upper Arm", (0.36, 0.05, 1.22), (0.54, 0.01, 1.06), (0.043, 0.034), "cream"),
    "Hand": ("Forearm", (0.54, 0.01, 1.06), (0.66, -0.02, 0.95), (0.036, 0.024), "cream"),
    "Thigh": ("Hips", (0.095, 0.0, 0.93), (0.11, -0.02, 0.50), (0.088, 0.062), "label blue"),
    "Shin": ("Thigh", (0.11, -0.02, 0.50), (0.115, 0.03, 0.09), (0.06, 0.042), "label blue"),
    "Foot": ("Shin", (0.115, 0.03, 0.09), (0.125, -0.10, 0.035), (0.045, 0.038), "black"),
    "Toe": ("Foot", (0.125, -0.10, 0.035), (0.125, -0.17, 0.033), (0.038, 0.03), "black"),
}


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    stairs = make_stairs()
    rig = make_stuntman()
    add_bodies([stairs], "STONE", "FIXED")
    stairs.ves.contact_shape = "COMPOUND"
    select(rig)
    bpy.ops.ves.ragdoll()
    bodies = [ob for ob in rig.children if ob.ves.role == "BODY"]
    for body in bodies:
        body.ves.linear_velocity = PUSH
    make_meadow(seed=6)
    camera = add_camera((6.0, -4.4, 1.7), (0.0, 0.0, 2.6), 44.0)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.track_axis, pan.up_axis = rig, "TRACK_NEGATIVE_Z", "UP_Y"
    pan.subtarget = "Hips"
    select(rig)


def make_stuntman() -> bpy.types.Object:
    """His rig and his skin; he looks down the stairs, and leans."""
    rig = make_doll("Stuntman", on_both_sides(BONES, LEFT))
    place = Matrix.Translation((START[0], START[1], top() + 0.05))
    rig.matrix_world = place @ Matrix.Rotation(LEAN, 4, "Y") @ Matrix.Rotation(0.5 * math.pi, 4, "Z")
    return rig
