# SPDX-License-Identifier: GPL-3.0-or-later
"""A derrick: one drum hoists a crate on a tackle of two strands, another draws the boom up; all of it hangs on ropes.

Both ropes have *Slack*: they pull, and never push. The drums' hinges have keys on their angle; what they wind up comes
out of the ropes' lengths, and the crate swings from whatever the two do to it.
"""

from __future__ import annotations

import math

import bpy
from mathutils import Vector

from .by_hand import add_bodies, hang, join, key, select
from .camera import add_camera
from .shapes import joined, make_object, rod, slab
from .workbench import crate, make_table, set_frames

FRAMES = 240
FOOT, LENGTH, LUFF = (0.05, 0.0, 0.09), 0.52, math.radians(32.0)  # m: where the boom's hinge is, how long; its slope
HEAD = (0.0, 0.0, 0.60)  # m: of the mast
DRUM, WIDE = 0.035, 0.03  # m: radius of the drums, and half of their width
HOIST_AT, LUFF_AT = (-0.16, 0.045, 0.06), (-0.16, -0.045, 0.06)  # m: the drums' middles
SHEAVE = (0.0, 0.03, 0.16)  # m: at the mast's foot, where the hoist rope comes in
HANGS, CRATE = 0.13, 0.09  # m: the block below the boom's tip, and the crate's side
HOISTED = {1: 0.0, 14: 0.0, 62: 4.0, 150: 4.0, 210: -4.0, 240: -4.0}  # frame: rad of the drum
LUFFED = {1: 0.0, 66: 0.0, 112: 10.5, 240: 10.5}


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    make_table(seed=6, half_length=0.8, half_width=0.6)
    mast, boom, block, load = make_mast(), make_boom(), make_block(), make_crate()
    drums = [make_drum(name, place) for name, place in (("Hoist Drum", HOIST_AT), ("Luff Drum", LUFF_AT))]
    add_bodies([mast], "OAK", "FIXED")
    add_bodies([boom, load], "PINE")
    add_bodies([block, *drums], "BRASS")
    join("REVOLUTE", mast, boom, FOOT, "Y")
    join("SPHERICAL", block, load, tuple(load.location + Vector((0.0, 0.0, CRATE + 0.02))))
    for drum, angles in zip(drums, (HOISTED, LUFFED), strict=True):
        axle = join("REVOLUTE", mast, drum, drum.location, "Y")
        axle.ves.motor_mode = "KEYED"
        key(axle, "ves.motor_target", angles, "BEZIER", 0)
    bpy.context.scene.frame_set(1)
    over = tip(0.014), tip(-0.014)
    hoist = [(over[0], boom), (block.location, block), (over[1], boom), (SHEAVE, mast)]
    string("Hoist Rope", hoist, drums[0])
    string("Luff Rope", [((0.0, 0.02, HEAD[2]), mast), (tip(0.0), boom), ((0.0, -0.02, HEAD[2]), mast)], drums[1])
    add_camera((0.50, -1.40, 0.58), (0.14, 0.0, 0.32), 45.0)
    select(boom)


def tip(aside: float) -> Vector:
    """m: a point at the boom's tip, so far from its middle along Y."""
    return Vector(FOOT) + LENGTH * Vector((math.cos(LUFF), 0.0, math.sin(LUFF))) + Vector((0.0, aside, 0.0))


def string(name: str, points: list[tuple], drum: bpy.types.Object) -> None:
    """A rope over these points, each on a body, to the side of a drum where that winds it up as it turns on."""
    marks = []
    for place, body in points:
        mark = bpy.data.objects.new(f"{name} Sheave", None)
        bpy.context.collection.objects.link(mark)
        mark.location, mark.empty_display_size = place, 0.02
        hang(mark, body)
        marks.append(mark)
    select(points[0][1], drum)
    bpy.ops.ves.add_rope(strands=1)
    rope = bpy.context.active_object
    rope.name = name
    rope.ves.rope_points.clear()
    rope.ves.body_a = points[0][1]
    rope.matrix_world.translation = points[0][0]
    select(rope, *marks[1:])
    bpy.ops.ves.add_rope_point()
    rope.ves.anchor_b.matrix_world.translation = leaves(Vector(points[-1][0]), drum.location)
    rope.ves.drum_radius_b, rope.ves.slack = DRUM, True
    select(rope)
    bpy.ops.ves.make_visible(thickness=0.004)


def leaves(wheel: Vector, middle: Vector) -> Vector:
    """m: the point of a drum about Y that a rope from a wheel touches, on the side that goes down as the drum turns."""
    away = wheel - middle
    away.y = 0.0
    share = DRUM / away.length
    ahead = away.normalized()
    aside = Vector((0.0, 1.0, 0.0)).cross(ahead)
    return middle + DRUM * (share * ahead + math.sqrt(1.0 - share * share) * aside)


def make_mast() -> bpy.types.Object:
    """A post on a plate, two legs behind it, and the bearings of the drums."""
    parts = [slab((-0.24, -0.12, 0.002), (0.12, 0.12, 0.022), "oak")]
    parts.append(rod((0.0, 0.0, 0.02), (0.0, 0.0, HEAD[2] + 0.02), 0.014, "oak", 24))
    parts += [rod((-0.22, y, 0.02), (0.0, 0.3 * y, HEAD[2] - 0.02), 0.008, "oak", 16) for y in (-0.10, 0.10)]
    parts.append(rod((0.0, -0.032, HEAD[2]), (0.0, 0.032, HEAD[2]), 0.012, "iron", 24))
    parts.append(rod((-0.16, -0.095, 0.06), (-0.16, 0.095, 0.06), 0.006, "iron", 16))
    parts += [slab((-0.168, y - 0.005, 0.02), (-0.152, y + 0.005, 0.07), "iron") for y in (-0.09, 0.0, 0.09)]
    parts += [slab((0.04, y - 0.004, 0.02), (0.06, y + 0.004, 0.105), "iron") for y in (-0.03, 0.03)]
    parts.append(rod((0.0, 0.014, SHEAVE[2]), (0.0, 0.036, SHEAVE[2]), 0.010, "iron", 24))
    return make_object("Mast", joined(*parts), smooth=False)


def make_boom() -> bpy.types.Object:
    """Two spars from its hinge to its tip, with rungs."""
    half = 0.022
    parts = [rod((0.0, y, 0.0), (LENGTH, 0.5 * y, 0.0), 0.007, "label yellow", 16) for y in (-half, half)]
    for k in range(1, 9):
        x, wide = LENGTH * k / 9.0, half * (1.0 - 0.5 * k / 9.0)
        parts.append(rod((x, -wide, 0.0), (x, wide, 0.0), 0.004, "label yellow"))
    parts.append(rod((0.0, -0.035, 0.0), (0.0, 0.035, 0.0), 0.006, "iron", 16))
    parts.append(rod((LENGTH, -0.022, 0.0), (LENGTH, 0.022, 0.0), 0.010, "iron", 24))
    boom = make_object("Boom", joined(*parts), smooth=False)
    boom.location, boom.rotation_euler = FOOT, (0.0, -LUFF, 0.0)
    return boom


def make_block() -> bpy.types.Object:
    """The sheave that the crate hangs on."""
    parts = [rod((0.0, -0.008, 0.0), (0.0, 0.008, 0.0), 0.018, "brass", 32)]
    parts += [slab((-0.008, y - 0.002, -0.035), (0.008, y + 0.002, 0.022), "iron") for y in (-0.011, 0.011)]
    parts.append(rod((0.0, 0.0, -0.05), (0.0, 0.0, -0.02), 0.003, "iron"))
    block = make_object("Block", joined(*parts), smooth=False)
    block.location = tip(0.0) - Vector((0.0, 0.0, HANGS))
    return block


def make_crate() -> bpy.types.Object:
    """The crate, below the block."""
    made = make_object("Crate", crate(CRATE), smooth=False)
    made.location = tip(0.0) - Vector((0.0, 0.0, HANGS + 0.05 + CRATE + 0.02))
    return made


def make_drum(name: str, place: tuple[float, float, float]) -> bpy.types.Object:
    """A drum between two flanges, with a crank pin that shows how it turns."""
    parts = [rod((0.0, -WIDE, 0.0), (0.0, WIDE, 0.0), DRUM, "brass", 48)]
    parts += [rod((0.0, y - 0.002, 0.0), (0.0, y + 0.002, 0.0), DRUM + 0.008, "car", 48) for y in (-WIDE, WIDE)]
    parts.append(rod((0.5 * DRUM, -WIDE - 0.010, 0.0), (0.5 * DRUM, -WIDE, 0.0), 0.004, "iron"))
    drum = make_object(name, joined(*parts), smooth=False)
    drum.location = place
    return drum
