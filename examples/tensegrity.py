# SPDX-License-Identifier: GPL-3.0-or-later
"""A tensegrity of five sticks and fifteen rubbers springs up from a flat heap and carries a plate.

After Schroeder (1990), 7.2 and 1.5.3. The sticks and what is tied to what are those of 7.2 at a twentieth of their size
(`tensegrity.ves` is the original, without gravity); they lie on a table here. A knob stiffens all rubbers at once.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .by_hand import act, add_bodies, drive, hang, key, lead, pull, select, switch
from .camera import add_camera
from .shapes import joined, lathe, make_object, moved, rod, slab
from .workbench import make_table, set_frames

FRAMES = 192
STICKS = 5
LENGTH, RADIUS = 0.5, 0.01
REACH, PIN = 0.2, 0.025  # where rubbers are tied: so far from a stick's middle along it, and across it
RING, LOW, LIFT = 0.27, 0.021, 0.08  # at the start: ends' distance from the middle, lower ends' height, upper ones'
STICK_MASS, PLATE_MASS = 0.3, 5.0
REST, GIVES_BACK = 0.15, 0.1
SOFT, TURNS = 125.0, 250.0  # N/m of the rubbers, and how much more for each radian of the knob
KNOB = {1: 0.0, 32: 0.0, 54: -1.5, 134: -1.5, 168: -4.7}  # frame: angle
HOVER, LAID, PRESSED = 40, 73, 106  # frames: the plate starts to come down, touches, and is let go
HEIGHT, PRESS = 0.62, 0.10  # of the plate at first, and how far it is pressed down
PAD = 0.016  # of rubber between the middle of a stick's end and the plate

# what is tied to what: a name and a paint, the end (-1 is the upper one) and the side of the pin on a stick and on the
# next one
RUBBERS = (
    ("Upper", "label red", (-1, -1), (-1, -1)),
    ("Lower", "label blue", (1, 1), (1, 1)),
    ("Across", "label yellow", (1, -1), (-1, 1)),
)


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    sticks = [make_stick(i) for i in range(STICKS)]
    knob = make_knob()
    connect(sticks, knob)
    lay_on_top(make_plate(), sticks)
    set_frames(frames)
    make_table(seed=9)
    add_camera((-0.30, -1.75, 0.52), (0.13, 0.0, 0.205), 57.0, f_stop=1.6)
    select(sticks[0])


def make_stick(i: int) -> bpy.types.Object:
    """A stick along X with two pins, where it lies at the start: its upper end a good third around the ring."""
    tips = [(RADIUS * 0.6, -0.5 * LENGTH), (RADIUS, 0.008 - 0.5 * LENGTH)]
    profile = [
        *tips,
        (RADIUS, 0.04 - 0.5 * LENGTH),
        *((r, -z) for r, z in reversed([*tips, (RADIUS, 0.04 - 0.5 * LENGTH)])),
    ]
    wood = moved(
        lathe(profile, ["brass", "brass", "pine", "brass", "brass"], 24), Matrix.Rotation(math.pi / 2.0, 4, "Y")
    )
    pins = [rod((x, -PIN - 0.004, 0.0), (x, PIN + 0.004, 0.0), 0.0028, "brass") for x in (-REACH, REACH)]
    stick = make_object(f"Stick {i + 1}", joined(wood, *pins))
    level = math.sqrt(LENGTH**2 - LIFT**2)
    angle = 2.0 * math.pi * i / STICKS
    further = angle - 2.0 * math.asin(0.5 * level / RING)
    low = Vector((RING * math.cos(angle), RING * math.sin(angle), LOW))
    high = Vector((RING * math.cos(further), RING * math.sin(further), LOW + LIFT))
    x = (low - high).normalized()
    y = (Vector((0.0, 0.0, -1.0)) + x * x.z).normalized()
    stick.matrix_world = Matrix.Translation((low + high) / 2.0) @ Matrix((x, y, x.cross(y))).transposed().to_4x4()
    return stick


def make_knob() -> bpy.types.Object:
    """A dial beside the structure."""
    box = slab((0.40, -0.33, 0.0), (0.56, -0.17, 0.03), "iron")
    ticks = [
        rod((0.48 + 0.055 * math.sin(a), -0.25 + 0.055 * math.cos(a), 0.025),
            (0.48 + 0.055 * math.sin(a), -0.25 + 0.055 * math.cos(a), 0.0315), 0.004, "chalk")
        for a in np.radians(np.arange(0.0, 300.0, 30.0))
    ]  # fmt: skip
    make_object("Dial", joined(box, *ticks))
    grip = lathe([(0.045, 0.0), (0.045, 0.006), (0.03, 0.01), (0.026, 0.045), (0.02, 0.048)], "tyre", 32)
    pointer = slab((-0.004, 0.0, 0.006), (0.004, 0.044, 0.052), "chalk")
    knob = make_object("Knob", joined(grip, pointer))
    knob.location = 0.48, -0.25, 0.03
    key(knob, "rotation_euler", KNOB, "BEZIER", 2)
    bpy.context.scene.frame_set(1)
    return knob


def make_plate() -> bpy.types.Object:
    """An iron disc with a weight on it; its underside is Z = 0."""
    disc = lathe([(0.29, 0.0), (0.30, 0.003), (0.30, 0.012), (0.29, 0.015)], "iron", 64)
    weight = [
        (0.055, 0.0151),
        (0.06, 0.02),
        (0.06, 0.075),
        (0.055, 0.08),
        (0.018, 0.083),
        (0.016, 0.095),
        (0.026, 0.105),
    ]
    plate = make_object("Plate", joined(disc, lathe([*weight, (0.02, 0.113)], "brass", 48)))
    plate.location.z = HEIGHT
    return plate


def connect(sticks: list[bpy.types.Object], knob: bpy.types.Object) -> None:
    """A person's work in the sidebar: bodies, damping, supports where the sticks rest, and the rubbers."""
    add_bodies(sticks, "PINE")
    for stick in sticks:
        stick.ves.mass_source, stick.ves.mass = "GIVEN", STICK_MASS
        rest_on_table(stick, "Upper End", (-0.5 * LENGTH, 0.0, 0.0), RADIUS)
        rest_on_table(stick, "Lower End", (0.5 * LENGTH, 0.0, 0.0), RADIUS)
        rest_on_table(stick, "Lower Pin", (REACH, PIN, 0.0), 0.004)
    select(*sticks)
    bpy.ops.ves.add_force(type="DAMPING")
    for force in bpy.context.selected_objects:
        force.ves.linear, force.ves.angular = 0.6, 0.0005
    for i, stick in enumerate(sticks):
        following = sticks[(i + 1) % STICKS]
        for name, paint, (end, side), (next_end, next_side) in RUBBERS:
            start = stick.matrix_world @ Vector((end * REACH, side * PIN, 0.0))
            stop = following.matrix_world @ Vector((next_end * REACH, next_side * PIN, 0.0))
            rubber = pull("RUBBER", stick, start, following, stop)
            rubber.name = f"{name} {i + 1}"
            rubber.ves.use_rest_length, rubber.ves.rest_length = True, REST
            rubber.ves.restitution, rubber.ves.spring_damping = GIVES_BACK, 0.0
            drive(rubber, "ves.spring_stiffness", f"{SOFT} - {TURNS} * x", knob, "rotation_euler[2]")
            draw_band(rubber, following, stop, paint)


def rest_on_table(stick: bpy.types.Object, name: str, place: tuple[float, float, float], radius: float) -> None:
    """A support for the thing of that radius around a place of the stick."""
    support = act("SUPPORT", stick, stick.matrix_world @ Vector(place))
    support.name = f"{name} {stick.name}"
    support.ves.support_height, support.ves.support_stiffness = radius, 5000.0
    support.ves.support_damping, support.ves.support_friction = 10.0, 0.5


def draw_band(rubber: bpy.types.Object, other: bpy.types.Object, stop: Vector, paint: str) -> None:
    """A band from end to end, which gets thinner as it is stretched: a Stretch To constraint."""
    eye = bpy.data.objects.new(f"Eye {rubber.name}", None)
    bpy.context.scene.collection.objects.link(eye)
    eye.location, eye.empty_display_size = stop, 0.01
    hang(eye, other)
    band = make_object(f"Band {rubber.name}", rod((0.0, 0.0, 0.0), (0.0, REST, 0.0), 0.006, paint))
    band.parent = rubber
    stretch = band.constraints.new("STRETCH_TO")
    stretch.target, stretch.rest_length, stretch.volume = eye, REST, "VOLUME_XZX"


def lay_on_top(plate: bpy.types.Object, sticks: list[bpy.types.Object]) -> None:
    """A hand brings the plate down to where the ends of the sticks will be, presses it down, and lets go.

    Bodies do not touch: pads, which are springs that are switched on when the plate arrives, hold it. Where they belong
    a first bake tells, up to that frame.
    """
    scene = bpy.context.scene
    scene.frame_end = LAID
    bpy.ops.ves.bake()
    scene.frame_set(LAID)
    ends = [stick.matrix_world @ Vector((-0.5 * LENGTH, 0.0, 0.0)) for stick in sticks]
    bpy.ops.ves.clear_bake()
    scene.frame_set(1)

    top = sum(end.z for end in ends) / STICKS + PAD
    hand = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(hand)
    hand.location = plate.location
    key(hand, "location", {1: HEIGHT, HOVER: HEIGHT, LAID: top, PRESSED: top - PRESS}, "BEZIER", 2)
    scene.frame_set(1)
    add_bodies([plate], "STEEL")
    plate.ves.mass_source, plate.ves.mass = "GIVEN", PLATE_MASS
    held = lead(plate, hand, plate.location)
    held.ves.path_orientation = True
    switch(held, {1: True, PRESSED: False})
    for stick, end in zip(sticks, ends, strict=True):
        start = stick.matrix_world @ Vector((-0.5 * LENGTH, 0.0, 0.0))
        pad = pull("SPRING", stick, start, plate, (end.x, end.y, HEIGHT - PAD))
        pad.name = f"Pad {stick.name}"
        pad.ves.use_rest_length, pad.ves.rest_length = True, 0.0
        pad.ves.spring_stiffness, pad.ves.spring_damping = 3000.0, 20.0
        switch(pad, {1: False, LAID: True})
    select(plate)
    bpy.ops.ves.add_force(type="DAMPING")
    bpy.context.active_object.ves.linear, bpy.context.active_object.ves.angular = 1.0, 0.05
