# SPDX-License-Identifier: GPL-3.0-or-later
"""The trailing cans: a car drives through two bends and drags eight cans on two strings, four on each.

After Schroeder (1990), section 1.5.2: "all the while their collisions with the ground will make them bounce wildly".
The car is a keyed body that follows a Bezier curve; cans and wires are dynamic bodies, joined by ball joints. They fall
on the road, are dragged along, swing out in the bends, and go over the kerb where the pavement narrows the road.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import add_bodies, select
from .camera import add_chase_camera
from .course import Bend, Course, Drive, animate_drive, follow, lay_out, make_curve
from .landscape import make_landscape
from .shapes import Shape, joined, lathe, make_object, moved, slab, superellipsoid
from .toy_car import (
    BOOM_FOOT,
    BOOM_TIP,
    HOOKS,
    PITCH,
    STRUT_FOOT,
    STRUT_HEAD,
    STRUTS_APART,
    WHEEL_RADIUS,
    cabin_outline,
    make_car,
)

FRAMES = 144
BENDS = (Bend(2.8, 8.1, math.radians(45.0)), Bend(8.3, 13.9, math.radians(-55.0)))
LENGTH = 16.6
DRIVE = Drive(start=16, fast=44, brake=98, stop=124)
CANS_PER_STRING = 4
CAN_RADIUS, CAN_HEIGHT, WIRE_LENGTH, WIRE_RADIUS = 0.11, 0.26, 0.21, 0.006
CAN_RIM = 0.012  # how far a lid lies below its rim
CAN_MASS = 0.35  # kg: large, but empty
AIR_DRAG = 0.2  # N s/m
WIRE_MASS = 0.025
WIRE_INERTIA = (1.2e-4, 1.2e-4, 3e-5)  # kg m2: lengthwise that of a thicker one, which a blow does not whirl around
BENDING = 0.008  # N m s/rad, with which a wire resists being bent or twisted at its ends
SLOPE = math.radians(26.0)  # of the strings, before they fall
KERB, BLOCK = 0.10, 0.4  # height of the kerb, and how long the blocks of the pavement are
WIDE_KERB, NARROW_KERB, PAVED = 1.75, 0.95, 4.6  # to the right of the middle of the road
NARROW = (3.0, 4.6, 8.6, 10.4)  # along the road: it gets narrow, is narrow, gets wide
SIDES = ("Left", "Right")
LABELS = ("label red", "label blue", "label yellow", "label green")


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps = 24
    course = lay_out(LENGTH, BENDS)
    car = make_driving_car(course)
    strings = [hang_string(hook, side) for hook, side in zip(HOOKS, SIDES, strict=True)]
    scene.frame_set(1)
    connect(car, strings)
    make_landscape(course)
    lay_pavement(course)
    add_chase_camera(course, DRIVE, frames)
    select(car)


def make_driving_car(course: Course) -> bpy.types.Object:
    """The car on its curve, with wheels that roll as far as it drives."""
    car = make_car()
    follow(car, make_curve("Course", course, 20), DRIVE, LENGTH)
    for wheel in car.children:
        animate_drive(wheel, "rotation_euler", 1, DRIVE, 1.0 / WHEEL_RADIUS, LENGTH)
    hooks = {
        f"Outline Hook {side}": moved(slab((-0.02, -0.02, -0.01), (0.02, 0.02, 0.10), "car"), hook)
        for side, hook in zip(SIDES, HOOKS, strict=True)
    }
    struts = {
        f"Outline Strut {side}": beam(STRUT_HEAD, STRUT_FOOT, y, 0.07)
        for side, y in zip(SIDES, (STRUTS_APART, -STRUTS_APART), strict=True)
    }
    outlines = {
        "Outline": moved(superellipsoid((1.53, 0.80, 0.47), "car", 8.0, 24), (0.0, 0.0, 0.58)),
        "Outline Cabin": cabin_outline("car"),
        "Outline Boom": beam(BOOM_FOOT, BOOM_TIP, 0.0, 0.22),
        "Outline Cross": moved(
            slab((-0.065, -0.81, -0.03), (0.065, 0.81, 0.02), "car"), (BOOM_TIP[0], 0.0, BOOM_TIP[1])
        ),
    }
    for name, shape in (outlines | struts | hooks).items():
        outline = make_object(name, shape)
        outline.parent, outline.display_type, outline.hide_render = car, "WIRE", True
    return car


def beam(head: tuple[float, float], foot: tuple[float, float], y: float, half_width: float) -> Shape:
    """The outline of strips on their edges whose first and last holes are at these points (x, z), around `y`."""
    middle, tilt = 0.5 * (Vector(head) + Vector(foot)), math.atan2(*(Vector(head) - Vector(foot)).yx)
    place = Matrix.Translation((middle.x, y, middle.y)) @ Matrix.Rotation(-tilt, 4, "Y")
    reach, half_high = 0.5 * math.dist(head, foot) + 0.55 * PITCH, 0.55 * PITCH
    return moved(slab((-reach, -half_width, -half_high), (reach, half_width, half_high), "car"), place)


def hang_string(hook: Sequence[float], side: str) -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Wires and cans by turns, down from the hook and backwards; each object's origin is where it hangs."""
    wires, cans = [], []
    place, down = Vector(hook), Vector((-math.cos(SLOPE), 0.0, -math.sin(SLOPE)))
    for i in range(CANS_PER_STRING):
        wires.append(make_object(f"Wire {side} {i + 1}", wire()))
        cans.append(make_object(f"Can {side} {i + 1}", can(LABELS[(i + (side == "Right") * 2) % len(LABELS)])))
        wires[-1].location = place
        cans[-1].location = place + WIRE_LENGTH * down
        for part in (wires[-1], cans[-1]):
            part.rotation_euler.y = 0.5 * math.pi - SLOPE
        place += (WIRE_LENGTH + CAN_HEIGHT - 2.0 * CAN_RIM) * down
    return wires, cans


def wire() -> Shape:
    """A thin rod."""
    return lathe([(WIRE_RADIUS, -WIRE_LENGTH), (WIRE_RADIUS, 0.0)], "wire", 8)


def can(label: str) -> Shape:
    """A tin can with beaded ends, ribs above and below its label, and a light band around the label."""
    r, h = CAN_RADIUS, CAN_HEIGHT
    half = [(0.86 * r, CAN_RIM, "tin"), (0.92 * r, 0.0, "tin"), (r, 0.004, "tin"), (r, 0.016, "tin")]
    half += [(0.955 * r, 0.024, "tin"), (0.985 * r, 0.036, "tin"), (0.955 * r, 0.048, "tin"), (0.99 * r, 0.058, label)]
    half += [(0.99 * r, 0.36 * h, "label band")]
    lower = [(radius, z + CAN_RIM - h) for radius, z, _ in half]
    upper = [(radius, CAN_RIM - z) for radius, z, _ in reversed(half)]
    rings = [paint for _, _, paint in half]
    return lathe([*lower, *upper], [*rings, *rings[-2::-1]], 40)


def lay_pavement(course: Course) -> None:
    """A pavement on the right, whose kerb comes near the car in the first bend and leaves it again after that.

    It is laid of blocks from the kerb to the grass, each of them convex.
    """
    along = np.arange(-10.0, LENGTH + 10.0, BLOCK)
    nearness = np.interp(along, NARROW, (0.0, 1.0, 1.0, 0.0))
    edge = WIDE_KERB + (NARROW_KERB - WIDE_KERB) * nearness * nearness * (3.0 - 2.0 * nearness)
    places, headings = course.at(along)
    right = np.stack([np.sin(headings), -np.cos(headings)], axis=1)

    def line(out: np.ndarray | float, z: float) -> np.ndarray:
        return np.column_stack([places + (0.0 * edge + out)[:, None] * right, np.full(len(along), z)])

    profile = [(edge, 0.0), (edge, KERB - 0.02), (edge + 0.02, KERB), (edge + 0.18, KERB), (PAVED, KERB), (PAVED, 0.0)]
    lines = [line(out, z) for out, z in profile]
    blocks = [_block([points[i : i + 2] for points in lines]) for i in range(len(along) - 1)]
    pavement = make_object("Pavement", joined(*blocks), smooth=False)
    add_bodies([pavement], "STONE", "FIXED")
    pavement.ves.contact_shape = "COMPOUND"


def _block(lines: list[np.ndarray]) -> Shape:
    """A solid between lines (2, 3) that go around it; its kerb is of another stone than what is behind that."""
    count = len(lines)
    points = np.concatenate([[line[0] for line in lines], [line[1] for line in lines]])
    sides = [(i, i + count, (i + 1) % count + count, (i + 1) % count) for i in range(count)]
    ends = [tuple(range(count)), tuple(range(count, 2 * count))[::-1]]
    return Shape(points, [*sides, *ends], ["stone"] * 3 + ["pavement"] * (count - 3) + ["stone", "stone"])


def connect(car: bpy.types.Object, strings: list[tuple[list[bpy.types.Object], list[bpy.types.Object]]]) -> None:
    """A person's work in the sidebar: bodies, what others touch of them, a ball chain for each string, contact."""
    all_cans = [can for _, cans in strings for can in cans]
    add_bodies([car], "STEEL", "KEYED")
    car.ves.contact_shape = "COMPOUND"  # of its children: outlines and wheels
    all_wires = [wire for wires, _ in strings for wire in wires]
    add_bodies(all_wires, "NYLON")
    for wire in all_wires:
        wire.ves.collide = False
        wire.ves.mass_source, wire.ves.mass, wire.ves.use_inertia = "GIVEN", WIRE_MASS, True
        wire.ves.center_of_mass, wire.ves.inertia_moments = (0.0, 0.0, -0.5 * WIRE_LENGTH), WIRE_INERTIA
    add_bodies(all_cans, "EMPTY_CAN")
    for can in all_cans:
        can.ves.mass_source, can.ves.mass = "GIVEN", CAN_MASS
        can.ves.contact_shape = "CYLINDER"
    for wires, cans in strings:
        select(car, *wires, *cans)
        bpy.ops.ves.chain(type="SPHERICAL", at="ORIGIN")
        for joint in bpy.context.selected_objects:
            joint.ves.damping = BENDING, BENDING, BENDING
    select(*all_cans)
    bpy.ops.ves.add_force(type="DAMPING")
    for force in bpy.context.selected_objects:
        force.ves.linear = AIR_DRAG
    bpy.context.scene.ves.use_contact = True
