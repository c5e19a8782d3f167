# SPDX-License-Identifier: GPL-3.0-or-later
"""A wooden doll tumbles down a flight of stairs: thirteen parts on ball joints and hinges, each of which has limits.

Here linkages meet contact: every part strikes the steps, the joints pass the blows on, and none of them opens.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, join, select
from .camera import add_camera
from .landscape import make_meadow
from .shapes import Shape, joined, lathe, make_object, slab
from .workbench import set_frames

FRAMES = 72
STEPS, RISE, TREAD, HALF_WIDTH = 11, 0.17, 0.27, 1.0  # of the stairs
LANDING = 1.3  # length of what is above them
START = (-0.16, 0.0)  # of the feet on the landing, before the first step
PUSH = (1.8, 0.0, 0.0)  # m/s
FRICTION = 0.25  # polished wood
DAMPING = 0.1  # N m s/rad of all joints
LEAN = math.radians(18.0)

# name, start and end (y is to the left, z upwards, in a doll that stands at z = 0), radius
LIMBS = (
    ("Pelvis", (0.0, 0.0, 0.83), (0.0, 0.0, 1.05), 0.105),
    ("Chest", (0.0, 0.0, 1.02), (0.0, 0.0, 1.43), 0.125),
    ("Head", (0.0, 0.0, 1.415), (0.0, 0.0, 1.65), 0.095),
    ("Upper Arm", (0.0, 0.19, 1.38), (0.0, 0.19, 1.05), 0.045),
    ("Forearm", (0.0, 0.20, 1.08), (0.0, 0.20, 0.76), 0.038),
    ("Thigh", (0.0, 0.085, 0.92), (0.0, 0.085, 0.45), 0.064),
    ("Shin", (0.0, 0.085, 0.50), (0.0, 0.085, 0.04), 0.050),
    ("Foot", (-0.02, 0.085, 0.035), (0.15, 0.085, 0.035), 0.035),
)
PAIRED = ("Upper Arm", "Forearm", "Thigh", "Shin", "Foot")
# child, parent, type, place, limits in degrees: (low, high) about X, Y and Z, or about the hinge's axis, to the left
JOINTS = (
    ("Chest", "Pelvis", "SPHERICAL", (0.0, 0.0, 1.03), ((-25, 25), (-30, 60), (-30, 30))),
    ("Head", "Chest", "SPHERICAL", (0.0, 0.0, 1.44), ((-30, 30), (-40, 45), (-50, 50))),
    ("Upper Arm", "Chest", "SPHERICAL", (0.0, 0.17, 1.34), ((-100, 100), (-130, 60), (-60, 60))),
    ("Forearm", "Upper Arm", "REVOLUTE", (0.0, 0.20, 1.06), ((-135, 0),)),
    ("Thigh", "Pelvis", "SPHERICAL", (0.0, 0.085, 0.86), ((-45, 45), (-100, 30), (-30, 30))),
    ("Shin", "Thigh", "REVOLUTE", (0.0, 0.085, 0.47), ((0, 135),)),
    ("Foot", "Shin", "REVOLUTE", (0.0, 0.085, 0.07), ((-30, 40),)),
)


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    stairs = make_stairs()
    parts = make_doll()
    add_bodies([stairs], "STONE", "FIXED")
    stairs.ves.contact_shape = "COMPOUND"
    add_bodies(list(parts.values()), "PINE")
    for part in parts.values():
        part.ves.contact_shape, part.ves.contact_friction, part.ves.contact_restitution = "CAPSULE", FRICTION, 0.15
        part.ves.linear_velocity = PUSH
    for child, parent, kind, place, limits in JOINTS:
        for side, sign in (("", 0.0),) if child not in PAIRED else ((" Left", 1.0), (" Right", -1.0)):
            holder = parts.get(parent + side) or parts[parent]
            where = parts_frame() @ Vector((place[0], place[1] * sign, place[2]))
            joint = join(kind, holder, parts[child + side], where, "Y" if kind == "REVOLUTE" else "Z")
            _limit(joint, limits)
            joint.ves.damping = (DAMPING,) * 3
    scene = bpy.context.scene
    scene.ves.use_contact = True
    make_meadow(seed=6)
    camera = add_camera((6.0, -4.4, 1.7), (0.0, 0.0, 2.6), 44.0)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.track_axis, pan.up_axis = parts["Pelvis"], "TRACK_NEGATIVE_Z", "UP_Y"
    select(parts["Chest"])


def _limit(joint: bpy.types.Object, limits: tuple[tuple[float, float], ...]) -> None:
    settings = joint.ves
    for i, (low, high) in enumerate(limits):
        settings.use_lower_limit[i] = settings.use_upper_limit[i] = True
        settings.lower_limit[i], settings.upper_limit[i] = math.radians(low), math.radians(high)


def top() -> float:
    """Height of the landing."""
    return STEPS * RISE


def parts_frame() -> Matrix:
    """The doll's stand, leaning towards the stairs."""
    return Matrix.Translation((START[0], START[1], top() + 0.065)) @ Matrix.Rotation(LEAN, 4, "Y")


def make_doll() -> dict[str, bpy.types.Object]:
    """Its parts by name; the origin of each is where it begins."""
    parts = {}
    for name, start, end, radius in LIMBS:
        for side, sign in (("", 1.0),) if name not in PAIRED else ((" Left", 1.0), (" Right", -1.0)):
            low, high = (Vector((point[0], point[1] * sign, point[2])) for point in (start, end))
            part = make_object(name + side, _limb((high - low).length, radius, name))
            turn = (high - low).to_track_quat("Z", "Y").to_matrix().to_4x4()
            part.matrix_world = parts_frame() @ Matrix.Translation(low) @ turn
            parts[name + side] = part
    return parts


def _limb(length: float, radius: float, name: str) -> Shape:
    """A capsule along Z whose ends stand over by less than its radius, with a band of paint around it."""
    over = min(radius, 0.5 * length)
    angles = np.linspace(0.0, 0.5 * math.pi, 7)[1:]
    cap = [(radius * math.sin(a), over - over * math.cos(a)) for a in angles]
    profile = [(0.02 * radius, 0.0), *cap, *((r, length - z) for r, z in reversed(cap)), (0.02 * radius, length)]
    middle = len(profile) // 2 - 1
    band = {"Chest": "label red", "Pelvis": "label blue", "Head": "pine"}.get(name, "label yellow")
    return lathe(profile, [band if i == middle else "pine" for i in range(len(profile) - 1)], 32)


def make_stairs() -> bpy.types.Object:
    """A block for each step, and the landing."""
    blocks = [slab((-LANDING, -HALF_WIDTH, 0.0), (0.0, HALF_WIDTH, top()), "stone")]
    for i in range(STEPS - 1):
        low, high = (i * TREAD, -HALF_WIDTH, 0.0), ((i + 1) * TREAD, HALF_WIDTH, top() - (i + 1) * RISE)
        blocks.append(slab(low, high, "stone"))
    return make_object("Stairs", joined(*blocks), smooth=False)
