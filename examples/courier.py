# SPDX-License-Identifier: GPL-3.0-or-later
"""A courier with a rig and a skin rides the city bicycle over a raised crossing, and looks round on the way.

One button makes a ragdoll of the rig. Two hinges hold its feet on the pedals, two balls its hands on the handlebar, so
that bones and the bicycle's parts are one linkage with loops: the cranks turn the legs, the kerb shakes the rest. Back,
head and arms follow the rig's animation, in which the courier looks aside and nods. What is baked is on the bones.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Matrix, Vector

from . import bicycle, cyclist
from . import city_bike as bike
from .by_hand import hang, join, select
from .course import lay_out
from .doll import make_doll, on_both_sides
from .landscape import make_landscape
from .shapes import joined, make_object, moved, superellipsoid
from .workbench import set_frames

FRAMES = 96
LEAN = cyclist.LEAN
SEAT = Vector((cyclist.HIP[0], 0.0, cyclist.HIP[2]))  # of the hips' bone
HALF = bike.PEDAL  # m: half the width of the hips, so that legs turn in planes
SOLE, THIGH, SHIN = 0.085, cyclist.THIGH, cyclist.SHANK
HIP, NECK = SOLE + THIGH + SHIN, 0.06
SHOULDER, WIDE = HIP + cyclist.BACK, cyclist.SHOULDER[1]
UPPER, FORE, FIST = cyclist.UPPER_ARM, cyclist.FOREARM - 0.08, 0.08
BEND = 0.02  # m: of knees and elbows as drawn, which tells which way they go
ANKLES = 100.0, 1.0  # N m/rad, N m s/rad
TOE = cyclist.HEEL  # m: from the ankle ahead to where the pedal is

BONES = {
    "Hips": ("", (0.0, 0.0, HIP), (0.0, 0.0, HIP + 0.11), (0.115, 0.115), "label blue"),
    "Spine": ("Hips", (0.0, 0.0, HIP + 0.11), (0.0, 0.0, HIP + 0.26), (0.11, 0.12), "label yellow"),
    "Chest": ("Spine", (0.0, 0.0, HIP + 0.26), (0.0, 0.0, SHOULDER), (0.135, 0.125), "label yellow"),
    "Neck": ("Chest", (0.0, 0.0, SHOULDER), (0.0, -0.02, SHOULDER + 0.13), (0.055, 0.05), "pine"),
    "Head": ("Neck", (0.0, -0.02, SHOULDER + 0.13), (0.0, -0.03, SHOULDER + 0.33), (0.09, 0.085), "pine"),
}
SLEEVE = SHOULDER - 0.02
ELBOW, WRIST = SLEEVE - UPPER, SLEEVE - UPPER - FORE
LEFT = {
    "Upper Arm": ("Chest", (WIDE, 0.0, SLEEVE), (WIDE, BEND, ELBOW), (0.055, 0.043), "label yellow"),
    "Forearm": ("Upper Arm", (WIDE, BEND, ELBOW), (WIDE, 0.0, WRIST), (0.042, 0.033), "pine"),
    "Hand": ("Forearm", (WIDE, 0.0, WRIST), (WIDE, 0.0, WRIST - FIST), (0.035, 0.038), "pine"),
    "Thigh": ("Hips", (HALF, 0.0, HIP), (HALF, -BEND, SOLE + SHIN), (0.085, 0.062), "label blue"),
    "Shin": ("Thigh", (HALF, -BEND, SOLE + SHIN), (HALF, 0.0, SOLE), (0.058, 0.042), "label blue"),
    "Foot": ("Shin", (HALF, 0.0, SOLE), (HALF, -TOE, 0.012), (0.045, 0.036), "black"),
}
TENSE, ALIVE = ("Spine", "Chest", "Neck"), ("Head", "Upper Arm", "Forearm")
ASIDE = -0.7  # rad: to the right
LOOK = {
    1: (0.0, 0.0),
    20: (0.0, 0.0),
    32: (ASIDE, 0.0),
    44: (ASIDE, 0.0),
    50: (ASIDE, 0.25),
    56: (ASIDE, 0.0),
    70: (0.0, 0.0),
}
"""Frames at which the courier looks so far to the left and down, in rad."""


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    parts = bicycle.make_bicycle()
    rig = make_courier()
    sit(rig)
    look_round(rig)
    bicycle.make_raised_crossing()
    bicycle.connect_bicycle(parts)
    bicycle.keep_upright(parts["Frame"])
    bodies = make_ragdoll(rig)
    connect(bodies, parts)
    put_on_helmet(rig, bodies["Head"])
    bicycle.set_off(parts | bodies)
    settings = bpy.context.scene.ves
    settings.use_contact, settings.substeps = True, bicycle.SUBSTEPS
    settings.ground_friction, settings.ground_restitution = bicycle.GRIP, 0.0
    make_landscape(lay_out(24.0, ()), seed=9)
    bicycle.go_along(frames)
    select(rig)


def make_courier() -> bpy.types.Object:
    """The rig as it is drawn, upright; it looks ahead, along X."""
    rig = make_doll("Courier", on_both_sides(BONES, LEFT))
    rig.matrix_world = Matrix.Translation(SEAT - Vector((0.0, 0.0, HIP))) @ Matrix.Rotation(0.5 * math.pi, 4, "Z")
    return rig


def sit(rig: bpy.types.Object) -> None:
    """Pose the bones, as an animator would, from the hips out: on the saddle, feet on the pedals, hands on the bar."""
    back = Matrix.Rotation(LEAN, 3, "Y")
    for name in ("Hips", "Spine", "Chest"):
        _turn(rig, name, back)
    for name in ("Neck", "Head"):
        _turn(rig, name, Matrix.Rotation(0.3 * LEAN, 3, "Y"))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        shoulder, hand = _head(rig, f"Upper Arm.{side}"), Vector(bike.GRIP) * Vector((1.0, sign, 1.0))
        _limb(rig, side, ("Upper Arm", "Forearm"), shoulder, hand, Vector((0.0, 0.55 * sign, -1.0)), FORE + FIST)
        _aim(rig, f"Hand.{side}", hand - _head(rig, f"Hand.{side}"))
        pedal = Vector((bike.BRACKET[0] + bike.CRANK * sign, HALF * sign, bike.BRACKET[2]))
        hip, foot = _head(rig, f"Thigh.{side}"), math.hypot(TOE, SOLE - 0.012)
        lower = math.sqrt(SHIN**2 + foot**2 - 2.0 * SHIN * foot * math.cos(cyclist.ANKLE))
        knee = _corner(hip, pedal, _long(rig, f"Thigh.{side}"), lower, Vector((1.0, 0.0, 0.3)))
        ankle = _corner(knee, pedal, _long(rig, f"Shin.{side}"), foot, Vector((-1.0, 0.0, 0.0)))
        _bent(rig, side, ("Thigh", "Shin"), hip, knee, ankle)
        _aim(rig, f"Foot.{side}", pedal - ankle)
    for bone in rig.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=1)


def look_round(rig: bpy.types.Object) -> None:
    """Keys of the head: aside, a nod, and back to the road."""
    head = rig.pose.bones["Head"]
    ahead = head.rotation_quaternion.copy()
    for frame, (aside, down) in LOOK.items():
        turn = Matrix.Rotation(aside, 3, "Y") @ Matrix.Rotation(down, 3, "X")
        head.rotation_quaternion = ahead @ turn.to_quaternion()
        head.keyframe_insert("rotation_quaternion", frame=frame)
    bpy.context.scene.frame_set(1)


def make_ragdoll(rig: bpy.types.Object) -> dict[str, bpy.types.Object]:
    """Bodies by their bones. Only the seat bones touch anything, and what follows, follows beside its parent."""
    select(rig)
    bpy.ops.ves.ragdoll()
    bodies = {ob.parent_bone: ob for ob in rig.children if ob.ves.role == "BODY"}
    for bone, body in bodies.items():
        name, body.ves.collide = bone.split(".")[0], False
        if name in TENSE + ALIVE:
            body.ves.follows, body.ves.follow_preset = True, "TENSE" if name in TENSE else "ALIVE"
    stiffen_ankles([bodies["Foot.L"], bodies["Foot.R"]])
    hips = bodies["Hips"].ves
    hips.collide, hips.contact_shape = True, "COMPOUND"
    hips.contact_friction, hips.contact_restitution = bicycle.GRIP, 0.0
    x, y, z = cyclist.SEAT_BONES
    for sign in (1.0, -1.0):
        bone = make_object(
            "Seat Bone", moved(superellipsoid((cyclist.BONE,) * 3, "label blue", 2.0, 32), (x, sign * y, z))
        )
        bone.display_type, bone.hide_render = "WIRE", True
        hang(bone, bodies["Hips"])
    return bodies


def stiffen_ankles(feet: list[bpy.types.Object]) -> None:
    """Springs of their joints, which rest as the bones are posed."""
    for joint in bpy.context.scene.objects:
        if joint.ves.role == "JOINT" and joint.ves.body_b in feet:
            joint.ves.stiffness, joint.ves.damping = ((number,) * 3 for number in ANKLES)
            joint.ves.rest = joint.ves.placed


def connect(bodies: dict[str, bpy.types.Object], parts: dict[str, bpy.types.Object]) -> None:
    """Feet to the cranks, hands to the handlebar."""
    for side, sign in (("L", 1.0), ("R", -1.0)):
        pedal = (bike.BRACKET[0] + bike.CRANK * sign, HALF * sign, bike.BRACKET[2])
        join("REVOLUTE", parts["Cranks"], bodies[f"Foot.{side}"], pedal, "Y").name = f"Pedal.{side}"
        grip = (bike.GRIP[0], bike.GRIP[1] * sign, bike.GRIP[2])
        hold = join("SPHERICAL", parts["Fork"], bodies[f"Forearm.{side}"], grip, "Z")
        hold.name, hold.ves.damping = f"Grip.{side}", (bicycle.WRISTS,) * 3


def put_on_helmet(rig: bpy.types.Object, body: bpy.types.Object) -> None:
    """A helmet, a nose and eyes, which show where the courier looks, on the body of the head."""
    bone = rig.pose.bones["Head"]
    middle = rig.matrix_world @ (0.5 * (bone.head + bone.tail))
    shell = moved(superellipsoid((0.132, 0.105, 0.085), "label red", 2.2, 48), middle + Vector((-0.005, 0.0, 0.085)))
    nose = moved(superellipsoid((0.026, 0.014, 0.020), "pine", 2.0, 16), middle + Vector((0.095, 0.0, -0.015)))
    eyes = [
        moved(superellipsoid((0.010, 0.013, 0.013), "wire", 2.0, 12), middle + Vector((0.083, 0.034 * sign, 0.018)))
        for sign in (1.0, -1.0)
    ]
    hang(make_object("Helmet", joined(shell, nose, *eyes)), body)


def _head(rig: bpy.types.Object, name: str) -> Vector:
    bpy.context.view_layer.update()
    return rig.matrix_world @ rig.pose.bones[name].head


def _long(rig: bpy.types.Object, name: str) -> float:
    return rig.data.bones[name].length


def _turn(rig: bpy.types.Object, name: str, rotation: Matrix) -> None:
    """Turn a bone from where it is drawn, by a rotation of the world."""
    bone = rig.pose.bones[name]
    bone.rotation_mode = "QUATERNION"
    place = _head(rig, name)
    drawn = rig.matrix_world.to_3x3() @ rig.data.bones[name].matrix_local.to_3x3()
    matrix = (rotation @ drawn).to_4x4()
    matrix.translation = place
    bone.matrix = rig.matrix_world.inverted() @ matrix
    bpy.context.view_layer.update()


def _aim(rig: bpy.types.Object, name: str, way: Vector) -> None:
    """Turn a bone from where its parent leaves it, on the shortest way."""
    bone = rig.pose.bones[name]
    bone.rotation_mode = "QUATERNION"
    bpy.context.view_layer.update()
    now = (rig.matrix_world @ bone.matrix).to_3x3()
    turn = now.col[1].rotation_difference(way).to_matrix()
    matrix = (turn @ now).to_4x4()
    matrix.translation = _head(rig, name)
    bone.matrix = rig.matrix_world.inverted() @ matrix
    bpy.context.view_layer.update()


def _limb(
    rig: bpy.types.Object, side: str, names: tuple[str, str], start: Vector, end: Vector, aside: Vector, lower: float
) -> None:
    """Pose an arm whose corner goes aside."""
    corner = _corner(start, end, _long(rig, f"{names[0]}.{side}"), lower, aside)
    _bent(rig, side, names, start, corner, end)


def _bent(rig: bpy.types.Object, side: str, names: tuple[str, str], start: Vector, corner: Vector, end: Vector) -> None:
    """Pose two bones so that their hinge, which is drawn a little bent, is bent in the plane of three points."""
    first, second = (f"{name}.{side}" for name in names)
    drawn = [
        rig.matrix_world.to_3x3() @ (rig.data.bones[name].tail_local - rig.data.bones[name].head_local)
        for name in (first, second)
    ]
    axis, normal = drawn[0].cross(drawn[1]), (corner - start).cross(end - corner)
    for name, before, after in zip((first, second), drawn, (corner - start, end - corner), strict=True):
        _turn(rig, name, _frame(after, normal) @ _frame(before, axis).transposed())


def _frame(along: Vector, normal: Vector) -> Matrix:
    """A rotation whose columns are a direction, a normal to it, and the third."""
    x, z = along.normalized(), normal.normalized()
    return Matrix((x, z.cross(x), z)).transposed()


def _corner(start: Vector, end: Vector, first: float, second: float, aside: Vector) -> Vector:
    """The place at which two limbs meet, on the side that is named."""
    way = end - start
    along = (way.length_squared + first**2 - second**2) / (2.0 * way.length)
    across = aside - way * aside.dot(way) / way.length_squared
    return start + way.normalized() * along + across.normalized() * math.sqrt(first**2 - along**2)
