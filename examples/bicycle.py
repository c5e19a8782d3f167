# SPDX-License-Identifier: GPL-3.0-or-later
"""A rider on a city bicycle goes over a raised crossing: up its kerb, across, and down the other one.

After Tasora (2001), section 6, which asks what a step in the road does to a rider: seventeen bodies, whose legs close
loops through the cranks and whose arms close one more through the handlebar, on deformable tyres. A chain joins cranks
and rear wheel, so the legs go round as the bicycle rolls. The rider sits on the saddle and is not tied to it.

Each tyre is a ring, stiff in itself, on springs around its rim, as in the rigid ring model of Zegelaar and Pacejka. So
it meets the edge of the kerb wherever the edge is, which a Support, that stands on level ground, does not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import bpy
import numpy as np
from mathutils import Vector

from . import city_bike as bike
from . import cyclist
from .by_hand import add_bodies, hang, join, key, select
from .camera import add_camera
from .course import lay_out
from .landscape import ROAD_HALF_WIDTH, make_landscape
from .shapes import Shape, joined, lathe, make_object, moved, rod, slab, superellipsoid
from .workbench import set_frames

FRAMES = 96
SPEED, ON_AVERAGE = 4.2, 3.93  # m/s: at the start, and over all, which is as fast as the camera goes
CADENCE = SPEED / bike.WHEEL_RADIUS * bike.SPROCKET / bike.CHAINRING  # rad/s
TORQUE = 40.0  # N m, at most, of the rider at the cranks
MASSES = {"Frame": 9.0, "Fork": 4.5, "Wheel": 1.2, "Tyre": 1.0, "Cranks": 1.2}  # kg
TYRES = (8e4, 400.0, 4000.0, 1.0)  # across: N/m and N s/m; around, between tread and rim: N m/rad and N m s/rad
TREAD = 0.02  # m: half of the breadth on which a tyre stands
GRIP = 0.9  # friction: of tyres on the road, for which Tasora measured 0.86 to 0.97, and of trousers on the saddle
KERB, EDGE, CROSSING = 0.05, 0.015, (5.0, 10.6)  # m: height, radius of its edge, where it begins and ends
NECK, SHOULDERS, ELBOWS, ANKLES = (60.0, 4.0), (100.0, 6.0), (250.0, 10.0), (250.0, 6.0)  # N m/rad, N m s/rad
HIPS, KNEES, WRISTS = 4.0, 0.2, 0.3  # N m s/rad
SUBSTEPS = 60  # a tread is light, and comes fast at the kerb
STRAIGHT = math.radians(8.0)  # how far a knee is bent at the least


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    parts = make_bicycle() | make_rider()
    make_raised_crossing()
    connect_bicycle(parts)
    keep_upright(parts["Frame"])
    connect_rider(parts)
    set_off(parts)
    settings = bpy.context.scene.ves
    settings.use_contact, settings.substeps = True, SUBSTEPS
    settings.ground_friction, settings.ground_restitution = GRIP, 0.0
    make_landscape(lay_out(24.0, ()), seed=9)
    go_along(frames)
    select(parts["Trunk"])


def make_bicycle() -> dict[str, bpy.types.Object]:
    """Its seven bodies by name. Only the treads and the saddle touch anything."""
    hubs = {"Rear": (0.0, 0.0, bike.WHEEL_RADIUS), "Front": (bike.WHEELBASE, 0.0, bike.WHEEL_RADIUS)}
    parts = {
        "Frame": _body("Frame", bike.frame(), bike.BRACKET, MASSES["Frame"]),
        "Fork": _body("Fork", bike.fork(), bike.on_axis(0.9), MASSES["Fork"]),
        "Cranks": _body("Cranks", moved(bike.cranks(), bike.BRACKET), bike.BRACKET, MASSES["Cranks"]),
    }
    upright = lathe([(bike.WHEEL_RADIUS, -TREAD), (bike.WHEEL_RADIUS, TREAD)], "tyre", 64)
    tread = Shape(upright.points[:, [0, 2, 1]], [face[::-1] for face in upright.faces], upright.paints)
    for end, hub in hubs.items():
        parts[f"{end} Wheel"] = _body(f"{end} Wheel", moved(bike.wheel(), hub), hub, MASSES["Wheel"])
        parts[f"{end} Tyre"] = _body(f"{end} Tyre", moved(bike.tyre(), hub), hub, MASSES["Tyre"])
        _touch(parts[f"{end} Tyre"], moved(tread, hub))
    _touch(parts["Frame"], moved(slab((-0.115, -0.10, -0.05), (0.12, 0.10, 0.0), "trunk"), bike.SEAT))
    return parts


def make_rider() -> dict[str, bpy.types.Object]:
    """Twelve bodies by name; the pedals are screwed to the feet. Only the seat bones touch anything."""
    middle = (cyclist.HIP[0], 0.0, cyclist.HIP[2])
    parts = {
        "Trunk": _body("Trunk", cyclist.trunk(), middle, cyclist.MASSES["Trunk"]),
        "Head": _body("Head", cyclist.head(), cyclist.NECK, cyclist.MASSES["Head"]),
    }
    bone = superellipsoid((cyclist.BONE,) * 3, "label blue", 2.0, 32)
    x, y, z = cyclist.SEAT_BONES
    _touch(parts["Trunk"], moved(bone, (x, y, z)), moved(bone, (x, -y, z)))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        hip, knee, ankle, pedal = cyclist.leg(sign)
        shoulder, elbow, hand = cyclist.arm(sign)
        foot = joined(cyclist.shoe(ankle, pedal), moved(bike.pedal(), pedal))
        for name, shape, place in (
            ("Thigh", cyclist.thigh(hip, knee), hip),
            ("Shin", cyclist.shin(knee, ankle), knee),
            ("Foot", foot, ankle),
            ("Upper Arm", cyclist.upper_arm(shoulder, elbow), shoulder),
            ("Forearm", cyclist.forearm(elbow, hand), elbow),
        ):
            parts[f"{side} {name}"] = _body(f"{side} {name}", shape, place, cyclist.MASSES[name])
    return parts


def _body(name: str, shape: Shape, place: Sequence[float], mass: float) -> bpy.types.Object:
    """A body whose shape is where it belongs in the world, with its origin at `place`. It touches nothing."""
    ob = make_object(name, moved(shape, -Vector(place)))
    ob.location = place
    add_bodies([ob], "CUSTOM")
    ob.ves.mass_source, ob.ves.mass, ob.ves.collide = "GIVEN", mass, False
    return ob


def _touch(body: bpy.types.Object, *shapes: Shape) -> None:
    """Hidden children that are touched in place of the body's mesh."""
    settings = body.ves
    settings.collide, settings.contact_shape = True, "COMPOUND"
    settings.contact_friction, settings.contact_restitution = GRIP, 0.0
    for shape in shapes:
        part = make_object(f"{body.name} Touch", shape)
        part.display_type, part.hide_render = "WIRE", True
        hang(part, body)


def connect_bicycle(parts: dict[str, bpy.types.Object]) -> None:
    """Hinges of steering, hubs and cranks, tyres on their rims, the chain, and the strength at the cranks."""
    frame, fork, cranks = parts["Frame"], parts["Fork"], parts["Cranks"]
    steering = join("REVOLUTE", frame, fork, bike.on_axis(0.9), "Z")
    steering.name, steering.rotation_euler.y = "Steering", bike.HEAD_ANGLE - 0.5 * math.pi
    hubs = {}
    for end, holder in (("Front", fork), ("Rear", frame)):
        wheel, tyre = parts[f"{end} Wheel"], parts[f"{end} Tyre"]
        hubs[end] = join("REVOLUTE", holder, wheel, wheel.location, "Y")
        hubs[end].name = f"{end} Hub"
        casing = join("PLANAR", wheel, tyre, wheel.location, "Y")
        across, damper, around, damper_around = TYRES
        casing.name, casing.ves.stiffness = f"{end} Casing", (across, across, around)
        casing.ves.damping = damper, damper, damper_around
    bearing = join("REVOLUTE", frame, cranks, bike.BRACKET, "Y")
    bearing.name, settings = "Bottom Bracket", bearing.ves
    settings.motor_mode, settings.motor_speed[0] = "SPEED", CADENCE
    settings.use_motor_max_force, settings.motor_max_force[0] = True, TORQUE
    select(bearing, hubs["Rear"])
    bpy.ops.ves.add_gear()
    chain = bpy.context.active_object
    chain.name, chain.ves.gear_ratio = "Chain", bike.CHAINRING / bike.SPROCKET


def keep_upright(frame: bpy.types.Object) -> None:
    """The frame stays in the plane y = 0: no spring in an arm balances a bicycle, a rider does."""
    bpy.context.scene.cursor.location = bike.BRACKET
    select(frame)
    bpy.ops.ves.add_joint(type="PLANAR", location="CURSOR", axis="Y")
    bpy.context.active_object.name = "Sense of Balance"


def connect_rider(parts: dict[str, bpy.types.Object]) -> None:
    """Legs from the hips to the cranks, arms from the shoulders to the handlebar, and a neck."""
    trunk = parts["Trunk"]
    _soften(join("SPHERICAL", trunk, parts["Head"], cyclist.NECK, "Z"), *NECK)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        hip, knee, ankle, pedal = cyclist.leg(sign)
        shoulder, elbow, hand = cyclist.arm(sign)
        thigh, shin, foot, upper, fore = (
            parts[f"{side} {name}"] for name in ("Thigh", "Shin", "Foot", "Upper Arm", "Forearm")
        )
        _soften(join("SPHERICAL", trunk, thigh, hip, "Z"), 0.0, HIPS)
        knees = join("REVOLUTE", thigh, shin, knee, "Y")
        _soften(knees, 0.0, KNEES)
        knees.ves.use_lower_limit[0] = True
        knees.ves.lower_limit[0] = STRAIGHT - (knee - hip).angle(ankle - knee)
        _soften(join("UNIVERSAL", shin, foot, ankle, "Z"), *ANKLES)
        join("REVOLUTE", parts["Cranks"], foot, pedal, "Y").name = f"{side} Pedal"
        _soften(join("SPHERICAL", trunk, upper, shoulder, "Z"), *SHOULDERS)
        hinge = join("REVOLUTE", upper, fore, elbow, "Y")
        hinge.rotation_mode = "QUATERNION"
        hinge.rotation_quaternion = (elbow - shoulder).cross(hand - elbow).to_track_quat("Z", "Y")
        _soften(hinge, *ELBOWS)
        _soften(join("SPHERICAL", parts["Fork"], fore, hand, "Z"), 0.0, WRISTS)


def _soften(joint: bpy.types.Object, stiffness: float, damping: float) -> None:
    joint.ves.stiffness, joint.ves.damping = (stiffness,) * 3, (damping,) * 3


def set_off(parts: dict[str, bpy.types.Object]) -> None:
    """Everything goes at the same speed, wheels and cranks turn, and the legs find theirs."""
    for part in parts.values():
        part.ves.linear_velocity = SPEED, 0.0, 0.0
    for end in ("Front", "Rear"):
        for name in ("Wheel", "Tyre"):
            parts[f"{end} {name}"].ves.angular_velocity = 0.0, SPEED / bike.WHEEL_RADIUS, 0.0
    parts["Cranks"].ves.angular_velocity = 0.0, CADENCE, 0.0


def make_raised_crossing() -> None:
    """A block across the road with kerbs, which is touched, and what is painted and stands on it."""
    start, end = CROSSING
    half = ROAD_HALF_WIDTH + 0.7
    angles = np.linspace(0.0, 0.5 * math.pi, 6)
    edge = [(start + EDGE * (1.0 - math.cos(a)), KERB - EDGE * (1.0 - math.sin(a))) for a in angles]
    side = [(start, -0.1), *edge, (start + 0.15, KERB)]
    outline = side + [(start + end - x, z) for x, z in reversed(side)]
    n, top = len(outline), len(side) - 1
    points = np.array([(x, y, z) for y in (-half, half) for x, z in outline])
    faces = [(i, i + n, (i + 1) % n + n, (i + 1) % n) for i in range(n)]
    paints = ["brick" if i == top else "stone" for i in range(n)]
    ends = [tuple(range(n)), tuple(range(n, 2 * n))[::-1]]
    block = make_object("Raised Crossing", Shape(points, [*faces, *ends], [*paints, "stone", "stone"]))
    add_bodies([block], "STONE", "FIXED")
    block.ves.contact_friction = GRIP

    zebra = [
        slab((start + 1.1, y - 0.22, KERB), (end - 1.1, y + 0.22, KERB + 0.001), "line")
        for y in np.arange(-1.6, 2, 0.8)
    ]
    seams = [
        slab((x, y - 0.004, KERB), (x + 0.15, y + 0.004, KERB + 0.0012), "iron")
        for x in (start + 0.01, end - 0.16)
        for y in np.arange(-half + 0.5, half, 0.8)
    ]
    make_object("Markings", joined(*zebra, *seams), smooth=False)
    posts = []
    for x in (start + 0.4, end - 0.4):
        y = half - 0.25
        posts += [rod((x, y, 0.0), (x, y, 0.85), 0.05, "black", 20)]
        posts += [rod((x, y, z), (x, y, z + 0.09), 0.052, "white", 20) for z in (0.45, 0.68)]
        posts.append(moved(superellipsoid((0.05, 0.05, 0.03), "black", 2.0, 20), (x, y, 0.85)))
    make_object("Bollards", joined(*posts))


def go_along(frames: int) -> None:
    """A camera on the right that moves as the bicycle does on the whole, and lets it bounce."""
    camera = add_camera((1.4, -4.7, 0.97), (0.62, 0.0, 0.92), 45.0)
    way = ON_AVERAGE * (frames - 1) / bpy.context.scene.render.fps
    key(camera, "location", {1: camera.location.x, frames: camera.location.x + way}, "LINEAR", 0)
