# SPDX-License-Identifier: GPL-3.0-or-later
"""The trailing cans: a car drives through two bends and drags eight cans on two strings, four on each.

After Schroeder (1990), section 1.5.2. The car is a keyed body that follows a Bezier curve; cans and wires are dynamic
bodies, joined by ball joints. Bodies do not touch each other yet, so the strings hang from a boom that is higher than
they are long: no can can reach the road.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy

from .by_hand import select
from .camera import add_chase_camera
from .course import Bend, Course, Drive, animate_drive, follow, lay_out, make_curve
from .landscape import make_landscape
from .shapes import Shape, lathe, make_object
from .toy_car import HOOKS, WHEEL_RADIUS, make_car

FRAMES = 120
BENDS = (Bend(2.8, 8.1, math.radians(45.0)), Bend(8.3, 13.9, math.radians(-55.0)))
LENGTH = 16.6
DRIVE = Drive(start=1, fast=40, brake=84, stop=116)
CANS_PER_STRING = 4
CAN_RADIUS, CAN_HEIGHT, WIRE_LENGTH, WIRE_RADIUS = 0.11, 0.26, 0.21, 0.006
CAN_RIM = 0.012  # how far a lid lies below its rim
CAN_MASS = 0.35  # kg: large, but empty
AIR_DRAG = 0.5  # N s/m: at full speed nearly as strong as gravity
BENDING = 0.01  # N m s/rad, with which a wire resists being bent at its ends; it turns freely about itself
LABELS = ("label red", "label blue", "label yellow", "label green")


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.fps = 24
    course = lay_out(LENGTH, BENDS)
    car = make_driving_car(course)
    strings = [hang_string(hook, side) for hook, side in zip(HOOKS, ("Left", "Right"), strict=True)]
    scene.frame_set(1)
    connect(car, strings)
    make_landscape(course)
    add_chase_camera(course, DRIVE, frames)
    select(car)


def make_driving_car(course: Course) -> bpy.types.Object:
    """The car on its curve, with wheels that roll as far as it drives."""
    car = make_car()
    follow(car, make_curve("Course", course, 20), DRIVE, LENGTH)
    for wheel in car.children:
        animate_drive(wheel, "rotation_euler", 1, DRIVE, 1.0 / WHEEL_RADIUS, LENGTH)
    return car


def hang_string(hook: Sequence[float], side: str) -> tuple[list[bpy.types.Object], list[bpy.types.Object]]:
    """Wires and cans by turns, straight down from the hook; each object's origin is where it hangs."""
    wires, cans = [], []
    x, y, z = hook
    for i in range(CANS_PER_STRING):
        wires.append(make_object(f"Wire {side} {i + 1}", wire()))
        cans.append(make_object(f"Can {side} {i + 1}", can(LABELS[(i + (side == "Right") * 2) % len(LABELS)])))
        wires[-1].location = x, y, z
        cans[-1].location = x, y, z - WIRE_LENGTH
        z -= WIRE_LENGTH + CAN_HEIGHT - 2.0 * CAN_RIM
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


def connect(car: bpy.types.Object, strings: list[tuple[list[bpy.types.Object], list[bpy.types.Object]]]) -> None:
    """What a person does in the sidebar: bodies, a ball chain for each string, and the drag of the air."""
    all_cans = [can for _, cans in strings for can in cans]
    select(car)
    bpy.ops.ves.add_body(motion="KEYED")
    select(*(wire for wires, _ in strings for wire in wires))
    bpy.ops.ves.add_body(material="NYLON")
    select(*all_cans)
    bpy.ops.ves.add_body(material="STEEL")
    for can in all_cans:
        can.ves.mass_source, can.ves.mass = "GIVEN", CAN_MASS
    for wires, cans in strings:
        select(car, *wires, *cans)
        bpy.ops.ves.chain(type="SPHERICAL")
        for joint in bpy.context.selected_objects:
            joint.ves.damping = BENDING, BENDING, 0.0
    select(*all_cans)
    bpy.ops.ves.add_force(type="DAMPING")
    for force in bpy.context.selected_objects:
        force.ves.linear = AIR_DRAG
