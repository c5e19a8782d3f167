# SPDX-License-Identifier: GPL-3.0-or-later
"""A drummer: arms follow their keys, and sticks, cymbal and drum go as contact lets them.

Secondary Motion makes Dynamic bodies of arms and hands, which follow their animation, and a Keyed one of the chest. A
stick turns between thumb and fingers against a spring, so it bounces. The cymbal tilts on a ball joint with a weak
spring, the drum on one with a stiff one.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix, Quaternion

from .by_hand import add_bodies, join, select
from .camera import add_camera
from .dog import let_swing
from .doll import make_doll, on_both_sides
from .landscape import make_meadow
from .shapes import joined, lathe, make_object, rod
from .workbench import set_frames

FRAMES = 72
BEAT = {"L": 16, "R": 8}  # frames from stroke to stroke
FIRST = {"L": 12, "R": 8}  # the frame of the first one
LIFT = {"Upper Arm": 0.12, "Forearm": 0.34, "Hand": 0.38}  # rad, between strokes
DEEPER = 0.09  # rad: how far an animator lets the hand go on, so that the stick arrives
FREQUENCY, DAMPING_RATIO = 9.0, 1.0  # Hz, of what follows
GRIP, GRIP_DAMPING = 1.2, 0.012  # N m/rad, N m s/rad
HEAD = 0.695  # m: height of drum head and cymbal
DRUM, CYMBAL = (0.20, -0.76), (-0.27, -0.82)
DRUM_RADIUS, DRUM_DEPTH, CYMBAL_RADIUS, THIN = 0.15, 0.20, 0.19, 0.008
STICK, TIP, GRIPPED = 0.012, -0.755, -0.385  # radius, and y of tip and of thumb

BONES = {
    "Hips": ("", (0.0, 0.0, 0.55), (0.0, 0.0, 0.68), (0.13, 0.12), "label blue"),
    "Spine": ("Hips", (0.0, 0.0, 0.68), (0.0, 0.01, 0.82), (0.12, 0.125), "label yellow"),
    "Chest": ("Spine", (0.0, 0.01, 0.82), (0.0, 0.02, 1.06), (0.14, 0.11), "label yellow"),
    "Neck": ("Chest", (0.0, 0.02, 1.06), (0.0, 0.0, 1.15), (0.055, 0.05), "cream"),
    "Head": ("Neck", (0.0, 0.0, 1.15), (0.0, -0.01, 1.40), (0.09, 0.085), "cream"),
}
LEFT = {
    "Collar": ("Chest", (0.03, 0.0, 1.01), (0.17, 0.02, 1.02), (0.06, 0.065), "label yellow"),
    "Upper Arm": ("Collar", (0.17, 0.02, 1.02), (0.22, -0.04, 0.76), (0.055, 0.045), "label yellow"),
    "Forearm": ("Upper Arm", (0.22, -0.04, 0.76), (0.17, -0.29, 0.75), (0.043, 0.034), "cream"),
    "Hand": ("Forearm", (0.17, -0.29, 0.75), (0.16, -0.39, 0.74), (0.036, 0.03), "cream"),
    "Thigh": ("Hips", (0.095, 0.0, 0.53), (0.27, -0.38, 0.50), (0.088, 0.062), "label blue"),
    "Shin": ("Thigh", (0.27, -0.38, 0.50), (0.28, -0.36, 0.09), (0.06, 0.042), "label blue"),
    "Foot": ("Shin", (0.28, -0.36, 0.09), (0.30, -0.50, 0.035), (0.045, 0.038), "black"),
}


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    drummer = make_doll("Drummer", on_both_sides(BONES, LEFT))
    drum_on(drummer)
    let_swing(drummer, [f"{name}.{side}" for name in LIFT for side in "LR"], 0.0, DAMPING_RATIO)
    bodies = {ob.parent_bone: ob for ob in drummer.children if ob.ves.role == "BODY"}
    for body in bodies.values():
        body.ves.collide = False
        if body.ves.motion == "DYNAMIC":
            let_follow(body)
    for side, x in (("L", 0.16), ("R", -0.16)):
        give_stick(side, x, bodies[f"Hand.{side}"])
    add_drum()
    add_cymbal()
    make_object(
        "Stool", joined(rod((0, 0, 0.40), (0, 0, 0.44), 0.17, "black", 32), rod((0, 0, 0), (0, 0, 0.4), 0.03, "chrome"))
    )
    make_meadow(seed=9)
    add_camera((-1.9, -2.3, 1.35), (0.0, -0.36, 0.74), 38.0)
    select(drummer)


def drum_on(drummer: bpy.types.Object) -> None:
    """Keys at each frame: arms rise and fall about the sideways axis, and come down at speed."""
    for bone in drummer.pose.bones:
        name, _, side = bone.name.partition(".")
        if name not in LIFT:
            continue
        rest = bone.bone.matrix_local.to_quaternion()
        for frame in range(1, FRAMES + 1):
            angle = LIFT[name] * raised(frame, side) - DEEPER * (name == "Hand")
            turn = Quaternion((1.0, 0.0, 0.0), -angle)
            bone.rotation_quaternion = rest.inverted() @ turn @ rest
            bone.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)


def raised(frame: int, side: str) -> float:
    """The height of a stick, from 0 at a stroke to 1 half-way to the next one."""
    return abs(math.sin(math.pi * (frame - FIRST[side]) / BEAT[side]))


def let_follow(body: bpy.types.Object) -> None:
    """Follow without lagging behind: arms know their strokes."""
    settings = body.ves
    settings.follow_frequency, settings.follow_damping_ratio = FREQUENCY, DAMPING_RATIO
    settings.follow_gravity_only = False


def give_stick(side: str, x: float, hand: bpy.types.Object) -> None:
    """A stick as the hand holds it at a stroke, on a hinge; it goes to where the hand is at the first frame."""
    shape = rod((0.0, 0.06, 0.0), (0.0, TIP - GRIPPED, 0.0), STICK, "pine", 16)
    stick = make_object(f"Stick.{side}", shape)
    rig, name = hand.parent, hand.parent_bone
    slope = math.atan2(0.743 - HEAD - STICK, GRIPPED - TIP)
    at_rest = Matrix.Translation((x, GRIPPED, 0.743)) @ Matrix.Rotation(slope, 4, "X")
    now = rig.matrix_world @ rig.pose.bones[name].matrix @ rig.data.bones[name].matrix_local.inverted()
    stick.matrix_world = now @ at_rest
    add_bodies([stick], "OAK")
    stick.ves.contact_shape, stick.ves.contact_restitution = "CAPSULE", 0.5
    grip = join("REVOLUTE", hand, stick, stick.matrix_world.translation, "X").ves
    grip.stiffness[0], grip.damping[0] = GRIP, GRIP_DAMPING


def add_drum() -> None:
    """A drum on a post that gives way a little."""
    x, y = DRUM
    profile = [(0.02, -DRUM_DEPTH), (DRUM_RADIUS, -DRUM_DEPTH), (DRUM_RADIUS, -0.012), (DRUM_RADIUS, 0.0), (0.02, 0.0)]
    drum = make_object("Drum", lathe(profile, ["car", "car", "chrome", "white"], 48), smooth=False)
    drum.location = x, y, HEAD
    post = make_object("Drum Post", rod((x, y, 0.0), (x, y, HEAD - DRUM_DEPTH), 0.02, "chrome"))
    _stand("Drum", drum, 2.5, post, (x, y, HEAD - DRUM_DEPTH), (60.0, 0.5))
    drum.ves.contact_shape = "CYLINDER"


def add_cymbal() -> None:
    """A cymbal that tilts on its stand."""
    x, y = CYMBAL
    profile = [(0.004, -THIN), (CYMBAL_RADIUS, -THIN), (CYMBAL_RADIUS, 0.0), (0.05, 0.0), (0.004, 0.0)]
    cymbal = make_object("Cymbal", lathe(profile, "brass", 48), smooth=False)
    cymbal.location = x, y, HEAD
    post = make_object("Cymbal Post", rod((x, y, 0.0), (x, y, HEAD + 0.04), 0.01, "chrome"))
    _stand("Cymbal", cymbal, 1.2, post, (x, y, HEAD), (1.0, 0.012))
    cymbal.ves.contact_shape = "CYLINDER"


def _stand(
    name: str,
    struck: bpy.types.Object,
    mass: float,
    post: bpy.types.Object,
    place: tuple[float, float, float],
    spring: tuple[float, float],
) -> None:
    """Put what is struck on its post, by a ball joint with a spring and a damper."""
    add_bodies([post], "STEEL", "FIXED")
    post.ves.collide = False
    add_bodies([struck], "CUSTOM")
    struck.ves.mass_source, struck.ves.mass = "GIVEN", mass
    joint = join("SPHERICAL", post, struck, place, "Z")
    joint.name = f"{name} Joint"
    joint.ves.stiffness, joint.ves.damping = (spring[0],) * 3, (spring[1],) * 3
