# SPDX-License-Identifier: GPL-3.0-or-later
"""A passenger stands in a bus that brakes, and holds on to nothing: a Balance on the trunk does all of it.

Each leg has six axes, as in Wendlandt and Sastry (1996): a ball joint at the hip, a hinge at the knee, a universal
joint at the ankle. Head and arms hang on joints with springs, and swing as they like.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Vector

from .by_hand import add_bodies, hang, join, key, select
from .camera import add_camera
from .course import lay_out
from .landscape import make_landscape
from .shapes import Shape, joined, lathe, make_object, moved, rod, slab, superellipsoid
from .workbench import set_frames

FRAMES = 120
SPEED, BRAKING = 4.0, 1.5  # m/s, and m/s2 while the bus brakes
BEGIN, EASE = 1.0, 0.35  # s: when it begins to, and how long the driver takes to press the pedal; he lets go at once
FLOOR = 0.85  # m: height of the bus's floor above the road
HALF_LENGTH, HALF_WIDTH, HEIGHT = 3.2, 1.15, 2.15  # of the bus inside
# the passenger stands across the bus at x = y = z = 0 and looks along -Y: (half width, forward, up) of joints
HIP, KNEE, ANKLE = (0.10, 0.0, 0.898), (0.173, -0.112, 0.479), (0.24, 0.0, 0.08)
NECK, SHOULDER, ELBOW, HAND = (0.0, 0.01, 1.46), (0.21, 0.01, 1.38), (0.26, 0.02, 1.09), (0.28, -0.04, 0.82)
FREQUENCY, TORQUE = 1.2, 200.0  # Hz of place and upright; N m


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    bus = make_bus()
    parts = make_passenger()
    connect(parts)
    for part in parts.values():
        part.ves.linear_velocity = SPEED, 0.0, 0.0
    select(parts["Trunk"], parts["Left Foot"], parts["Right Foot"])
    bpy.ops.ves.add_force(type="BALANCE")
    settings = bpy.context.active_object.ves
    settings.balance_frequency = settings.balance_turn_frequency = FREQUENCY
    settings.balance_max_torque = TORQUE
    scene = bpy.context.scene
    scene.ves.use_contact, scene.ves.use_ground = True, False
    make_landscape(lay_out(30.0, ()), seed=11)
    for name in ("Road", "Grass", "Trees", "Far Away"):
        bpy.data.objects[name].location.z = -FLOOR
    camera = add_camera((0.5, -5.6, 1.45), (0.0, 0.0, 0.98), 38.0)
    hang(camera, bus)
    drive(bus, frames)
    select(parts["Trunk"])


def drive(bus: bpy.types.Object, frames: int) -> None:
    """Keyframes of the bus: it goes steadily, brakes, and stands with a jerk.

    Curves between keys, since straight lines would change its speed by leaps, and shake the feet off their places.
    """
    fps = bpy.context.scene.render.fps
    times = np.arange(0.0, frames / fps + 1.0, 1e-3)
    braking = BRAKING * np.clip((times - BEGIN) / EASE, 0.0, 1.0)
    speed = np.maximum(0.0, SPEED - np.concatenate([[0.0], np.cumsum(1e-3 * braking)[:-1]]))
    way = np.concatenate([[0.0], np.cumsum(1e-3 * speed)[:-1]])
    places = {f: float(np.interp((f - 1) / fps, times, way)) for f in range(1, frames + 1)}
    curve = key(bus, "location", places, "BEZIER", 0)
    curve.extrapolation = "LINEAR"  # or else it would set off from rest
    curve.update()
    bpy.context.scene.frame_set(1)


def make_bus() -> bpy.types.Object:
    """Its floor is the body that is touched; the other parts go along with it. The side to the camera is open."""
    bus = make_object("Bus", slab((-HALF_LENGTH, -HALF_WIDTH, -0.1), (HALF_LENGTH, HALF_WIDTH, 0.0), "slate"), False)
    shell = make_object("Bus Shell", _shell(), smooth=False)
    fittings = make_object("Bus Fittings", _fittings())
    add_bodies([bus], "STEEL", "KEYED")
    bus.ves.contact_friction, bus.ves.contact_restitution = 0.9, 0.0
    for part in (shell, fittings, _lamp()):
        hang(part, bus)
    return bus


def _lamp() -> bpy.types.Object:
    """A strip of light under the roof's edge, since the roof keeps the sun off heads and shoulders."""
    light = bpy.data.lights.new("Bus Lamp", "AREA")
    light.shape, light.size, light.size_y, light.energy = "RECTANGLE", 5.0, 0.5, 110.0
    lamp = bpy.data.objects.new("Bus Lamp", light)
    lamp.location, lamp.rotation_euler = (0.0, -1.7, HEIGHT), (math.radians(50.0), 0.0, 0.0)
    bpy.context.scene.collection.objects.link(lamp)
    return lamp


def _shell() -> Shape:
    """The far side with its windows, both ends, the roof, and the sill on the near side."""
    y, wall = HALF_WIDTH, 0.05
    low, high = 0.85, 1.75  # of the windows
    pieces = [
        slab((-HALF_LENGTH, y, -0.35), (HALF_LENGTH, y + wall, low), "car"),
        slab((-HALF_LENGTH, y, high), (HALF_LENGTH, y + wall, HEIGHT), "cream"),
        slab((-HALF_LENGTH, -y, HEIGHT), (HALF_LENGTH, y + wall, HEIGHT + wall), "cream"),
        slab((-HALF_LENGTH, -y - wall, -0.35), (HALF_LENGTH, -y, 0.0), "car"),
    ]
    pieces += [
        slab((x - 0.05, y, low), (x + 0.05, y + wall, high), "cream") for x in np.linspace(-HALF_LENGTH + 0.05, 3.15, 5)
    ]
    for x in (-HALF_LENGTH - wall, HALF_LENGTH):
        pieces.append(slab((x, -y - wall, -0.35), (x + wall, y + wall, low), "car"))
        pieces.append(slab((x, -y - wall, high), (x + wall, y + wall, HEIGHT + wall), "cream"))
    return joined(*pieces)


def _fittings() -> Shape:
    """Seats along the far side, poles, and wheels below."""
    parts = []
    for x in (-2.5, -1.55, 1.35, 2.3):
        parts.append(slab((x, 0.35, 0.36), (x + 0.48, 1.1, 0.46), "label blue"))
        parts.append(slab((x - 0.06, 0.35, 0.36), (x + 0.02, 1.1, 1.05), "label blue"))
        parts.append(slab((x + 0.1, 0.65, 0.0), (x + 0.3, 0.8, 0.36), "iron"))
    parts += [rod((x, 0.3, 0.0), (x, 0.3, HEIGHT), 0.018, "label yellow") for x in (-0.85, 0.95)]
    parts.append(rod((-HALF_LENGTH, 0.3, 1.98), (HALF_LENGTH, 0.3, 1.98), 0.016, "label yellow"))
    for x in (-2.2, 2.2):
        for y in (-HALF_WIDTH + 0.1, HALF_WIDTH - 0.1):
            wheel = lathe([(0.2, -0.12), (0.42, -0.12), (0.45, -0.08), (0.45, 0.08), (0.42, 0.12), (0.2, 0.12)], "tyre")
            points = wheel.points[:, [0, 2, 1]] + (x, y, 0.45 - FLOOR)
            parts.append(Shape(points, [face[::-1] for face in wheel.faces], wheel.paints))
    return joined(*parts)


def make_passenger() -> dict[str, bpy.types.Object]:
    """Its parts by name. Only the feet touch anything."""
    parts = {
        "Trunk": (_trunk(), 38.0),
        "Head": (_head(), 5.0),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        hip, knee, ankle, shoulder, elbow, hand = (
            _beside(place, sign) for place in (HIP, KNEE, ANKLE, SHOULDER, ELBOW, HAND)
        )
        parts[f"{side} Thigh"] = _limb(hip, knee, 0.085, 0.062, "label blue"), 8.0
        parts[f"{side} Shin"] = _limb(knee, ankle, 0.058, 0.042, "label blue"), 3.6
        parts[f"{side} Foot"] = _shoe(ankle), 1.2
        parts[f"{side} Upper Arm"] = _limb(shoulder, elbow, 0.055, 0.045, "label red"), 2.0
        parts[f"{side} Forearm"] = _limb(elbow, hand, 0.042, 0.036, "label red", "pine"), 1.6
    objects = {name: make_object(name, shape) for name, (shape, _) in parts.items()}
    add_bodies(list(objects.values()), "CUSTOM")
    for name, ob in objects.items():
        ob.ves.mass_source, ob.ves.mass = "GIVEN", parts[name][1]
        ob.ves.collide = name.endswith("Foot")
        ob.ves.contact_friction, ob.ves.contact_restitution = 0.9, 0.0
    return objects


def connect(parts: dict[str, bpy.types.Object]) -> None:
    """Ball joints at hips, shoulders and neck, hinges at knees and elbows, universal joints at the ankles."""
    neck = join("SPHERICAL", parts["Trunk"], parts["Head"], NECK, "Z")
    _soften(neck, 25.0, 2.5)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        thigh, shin, foot = (parts[f"{side} {name}"] for name in ("Thigh", "Shin", "Foot"))
        upper, lower = parts[f"{side} Upper Arm"], parts[f"{side} Forearm"]
        _soften(join("SPHERICAL", parts["Trunk"], thigh, _beside(HIP, sign), "Z"), 0.0, 1.0)
        _soften(join("REVOLUTE", thigh, shin, _beside(KNEE, sign), "X"), 0.0, 1.0)
        _soften(join("UNIVERSAL", shin, foot, _beside(ANKLE, sign), "Z"), 0.0, 0.5)
        _soften(join("SPHERICAL", parts["Trunk"], upper, _beside(SHOULDER, sign), "Z"), 1.5, 0.6)
        _soften(join("REVOLUTE", upper, lower, _beside(ELBOW, sign), "X"), 3.0, 0.4)


def _soften(joint: bpy.types.Object, stiffness: float, damping: float) -> None:
    joint.ves.stiffness, joint.ves.damping = (stiffness,) * 3, (damping,) * 3


def _beside(place: tuple[float, float, float], sign: float) -> Vector:
    return Vector((place[0] * sign, place[1], place[2]))


def _limb(start: Vector, end: Vector, first: float, last: float, paint: str, tip: str | None = None) -> Shape:
    """Round, from a thick end to a thinner one."""
    length = (end - start).length
    around = np.linspace(0.0, 0.5 * math.pi, 5)[:-1]
    low = [(first * math.sin(a) + 1e-3, -first * math.cos(a)) for a in around]
    high = [(last * math.sin(a) + 1e-3, length + last * math.cos(a)) for a in around[::-1]]
    shape = lathe([*low, (first, 0.0), (last, length), *high], paint, 24)
    if tip is not None:
        count = len(low) + 1 + len(high)
        rings = [paint] * (len(low) + 1) + [tip] * (count - len(low) - 1)
        shape = lathe([*low, (first, 0.0), (last, length), *high], rings, 24)
    turn = (end - start).to_track_quat("Z", "Y").to_matrix().to_4x4()
    turn.translation = start
    return moved(shape, turn)


def _trunk() -> Shape:
    """A jumper above, trousers below."""
    chest = moved(superellipsoid((0.205, 0.125, 0.31), "label red", 3.0), (0.0, 0.0, 1.17))
    hips = moved(superellipsoid((0.175, 0.12, 0.13), "label blue", 3.0), (0.0, 0.0, 0.92))
    return joined(chest, hips)


def _head() -> Shape:
    """With a cap, and a nose that shows where it looks."""
    face = moved(superellipsoid((0.085, 0.10, 0.125), "pine", 2.2), (0.0, -0.005, 1.62))
    cap = moved(superellipsoid((0.09, 0.105, 0.075), "label yellow", 2.2), (0.0, 0.0, 1.685))
    peak = moved(superellipsoid((0.07, 0.08, 0.012), "label yellow", 2.2), (0.0, -0.11, 1.675))
    nose = moved(superellipsoid((0.016, 0.025, 0.02), "pine", 2.0), (0.0, -0.105, 1.61))
    throat = lathe([(0.045, 1.43), (0.045, 1.54)], "pine", 16)
    return joined(face, cap, peak, nose, throat)


def _shoe(ankle: Vector) -> Shape:
    """Flat below, so that it stands."""
    return slab((ankle.x - 0.05, -0.19, 0.0), (ankle.x + 0.05, 0.075, 0.075), "wire")
