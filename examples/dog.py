# SPDX-License-Identifier: GPL-3.0-or-later
"""A dog trots on a lead: its tail and ears swing after the keyed trot, and the lead hangs between collar and hand.

The trot has keys as an animator would set them. *Secondary Motion* on the bones of tail and ears does the rest; the
lead is a chain of small bodies from the neck's body to a hand.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Vector

from .by_hand import add_bodies, hang, key, select
from .camera import add_camera
from .doll import make_doll, on_both_sides
from .landscape import make_meadow
from .shapes import make_object, rod
from .workbench import set_frames

FRAMES = 96
STRIDE, STOPS = 14, 66  # frames of a stride, and the one at which the dog stands still
SPEED, SWING, BOB = 1.05, 0.36, 0.012  # m/s, rad, m
COLLAR, HAND = (0.0, -0.40, 0.64), (0.55, -0.25, 1.02)
LINKS, SLACK = 16, 1.25  # of the lead, and how much longer than the way it is

COAT, DARK = "oak", "trunk"
BONES = {
    "Hips": ("", (0.0, 0.24, 0.52), (0.0, 0.06, 0.54), (0.085, 0.09), COAT),
    "Spine": ("Hips", (0.0, 0.06, 0.54), (0.0, -0.14, 0.54), (0.09, 0.10), COAT),
    "Chest": ("Spine", (0.0, -0.14, 0.54), (0.0, -0.32, 0.56), (0.11, 0.095), COAT),
    "Neck": ("Chest", (0.0, -0.32, 0.60), (0.0, -0.44, 0.75), (0.065, 0.055), COAT),
    "Head": ("Neck", (0.0, -0.43, 0.78), (0.0, -0.54, 0.75), (0.082, 0.06), COAT),
    "Snout": ("Head", (0.0, -0.54, 0.74), (0.0, -0.66, 0.715), (0.042, 0.03), DARK),
} | {
    f"Tail {k}": (
        f"Tail {k - 1}" if k else "Hips",
        (0.0, 0.25 + 0.062 * k, 0.56 + 0.045 * k),
        (0.0, 0.25 + 0.062 * (k + 1), 0.56 + 0.045 * (k + 1)),
        (0.026 - 0.003 * k, 0.023 - 0.003 * k),
        COAT if k < 4 else "cream",
    )
    for k in range(6)
}
LEFT = {
    "Ear 0": ("Head", (0.055, -0.44, 0.84), (0.088, -0.43, 0.79), (0.022, 0.028), DARK),
    "Ear 1": ("Ear 0", (0.088, -0.43, 0.79), (0.100, -0.43, 0.72), (0.028, 0.026), DARK),
    "Ear 2": ("Ear 1", (0.100, -0.43, 0.72), (0.102, -0.43, 0.66), (0.026, 0.014), DARK),
    "Front Upper": ("Chest", (0.075, -0.28, 0.50), (0.08, -0.24, 0.28), (0.05, 0.034), COAT),
    "Front Lower": ("Front Upper", (0.08, -0.24, 0.28), (0.08, -0.27, 0.06), (0.032, 0.024), COAT),
    "Front Paw": ("Front Lower", (0.08, -0.27, 0.06), (0.08, -0.33, 0.025), (0.027, 0.025), "cream"),
    "Hind Upper": ("Hips", (0.08, 0.22, 0.50), (0.085, 0.17, 0.29), (0.062, 0.04), COAT),
    "Hind Lower": ("Hind Upper", (0.085, 0.17, 0.29), (0.085, 0.26, 0.07), (0.036, 0.024), COAT),
    "Hind Paw": ("Hind Lower", (0.085, 0.26, 0.07), (0.085, 0.19, 0.025), (0.027, 0.025), "cream"),
}
SWINGS = [name for name in BONES if name.startswith("Tail")]
EARS = [f"Ear {k}.{side}" for k in range(3) for side in "LR"]


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    dog = make_doll("Dog", on_both_sides(BONES, LEFT))
    trot(dog)
    let_swing(dog, SWINGS, 0.65, 0.25)
    let_swing(dog, EARS, 0.65, 0.3)
    hand = make_hand()
    put_on_lead(dog, hand)
    make_meadow(seed=11, height=0.018)
    camera = add_camera((2.6, -2.7, 0.95), (0.1, -1.2, 0.45), 42.0)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.subtarget, pan.track_axis, pan.up_axis = dog, "Spine", "TRACK_NEGATIVE_Z", "UP_Y"
    select(dog)


def trot(dog: bpy.types.Object) -> None:
    """Keys for a trot of diagonal legs, which ends within a stride."""
    pose = dog.pose.bones
    for bone in pose:
        bone.rotation_mode = "XYZ"
    for frame in range(1, FRAMES + 1):
        way, ease = run_at(frame)
        dog.location = (0.0, -way, BOB * ease * math.cos(2.0 * phase(way)))
        dog.keyframe_insert("location", frame=frame)
        for place, side, shift in (("Front", "L", 0.0), ("Front", "R", 0.5), ("Hind", "L", 0.5), ("Hind", "R", 0.0)):
            turn = phase(way) + math.tau * shift
            bend = 0.5 * (1.0 + math.sin(turn)) * ease
            set_turn(pose[f"{place} Upper.{side}"], SWING * ease * math.cos(turn), frame)
            set_turn(pose[f"{place} Lower.{side}"], (0.9 if place == "Front" else -0.7) * bend, frame)
        set_turn(pose["Neck"], 0.05 * ease * math.cos(2.0 * phase(way) + 0.8), frame)
    bpy.context.scene.frame_set(1)


def run_at(frame: int) -> tuple[float, float]:
    """The way of the dog (m), and its trot, from 1 to 0 where it stands."""
    stopping = min(max((frame - STOPS + STRIDE) / STRIDE, 0.0), 1.0)
    time = (min(frame, STOPS - STRIDE) - 1) / 24.0
    return SPEED * (time + STRIDE / 24.0 * (stopping - 0.5 * stopping**2)), 1.0 - stopping**2 * (3.0 - 2.0 * stopping)


def phase(way: float) -> float:
    """Of the stride, rad."""
    return math.tau * way / (SPEED * STRIDE / 24.0)


def set_turn(bone: bpy.types.PoseBone, angle: float, frame: int) -> None:
    """A key of a turn about the bone's X axis."""
    bone.rotation_euler.x = angle
    bone.keyframe_insert("rotation_euler", index=0, frame=frame)


def let_swing(dog: bpy.types.Object, names: list[str], softness: float, damping_ratio: float) -> None:
    """Select bones in Pose Mode, and press Secondary Motion."""
    select(dog)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in dog.pose.bones:
        (bone if bpy.app.version >= (5, 0) else bone.bone).select = bone.name in names
    bpy.ops.ves.secondary_motion(softness=softness, damping_ratio=damping_ratio)
    bpy.ops.object.mode_set(mode="OBJECT")


def make_hand() -> bpy.types.Object:
    """The hand that holds the lead, which goes along and stops a little later."""
    hand = make_object("Hand", rod((-0.05, 0.0, 0.0), (0.05, 0.0, 0.0), 0.014, "label red"))
    hand.location = HAND
    later = {frame: HAND[1] - run_at(max(1, frame - 3))[0] for frame in range(1, FRAMES + 1)}
    add_bodies([hand], "FLESH", "KEYED")
    key(hand, "location", later, "LINEAR", 1)
    bpy.context.scene.frame_set(1)
    return hand


def put_on_lead(dog: bpy.types.Object, hand: bpy.types.Object) -> None:
    """Links in a row that hangs, from the collar to the hand."""
    start, end = Vector(COLLAR), Vector(HAND)
    sag = 0.5 * (end - start).length * math.sqrt(SLACK**2 - 1.0) * 1.1
    places = [
        start.lerp(end, k / LINKS) - Vector((0.0, 0.0, sag * 4.0 * k / LINKS * (1.0 - k / LINKS)))
        for k in range(LINKS + 1)
    ]
    links = []
    for k in range(LINKS):
        middle = 0.5 * (places[k] + places[k + 1])
        link = make_object(f"Lead {k}", rod(places[k] - middle, places[k + 1] - middle, 0.007, "label red"))
        link.location = middle
        links.append(link)
    add_bodies(links, "LEATHER")
    neck = next(ob for ob in dog.children if ob.ves.role == "BODY" and ob.parent_bone == "Neck")
    for k, (one, other) in enumerate(zip([neck, *links], [*links, hand], strict=True)):
        bpy.context.scene.cursor.location = places[k]
        select(one, other)
        bpy.ops.ves.add_joint(type="SPHERICAL", location="CURSOR")
        bpy.context.active_object.ves.damping = (2e-5,) * 3
    collar = make_object("Collar", rod((0.0, -0.375, 0.66), (0.0, -0.39, 0.685), 0.072, "label red", 32))
    hang(collar, neck)
