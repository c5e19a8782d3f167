# SPDX-License-Identifier: GPL-3.0-or-later
"""A cyclist rides along a winding lane over low hills and a hump, free to fall: nothing but her steering keeps her up.

After Tasora (2001), section 6, whose bicycle is free to fall too. Its two wheels have tyres on the mesh of the ground;
a rider who steers turns the handlebar into each fall, and leans into the bends after an Empty that goes ahead along the
lane. Somewhere on the way a gust hits her from the side. Her arms are bodies of their own, which close a loop through
the handlebar; the rest of her is one with the frame.
"""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Vector

from . import city_bike as bike
from . import cyclist
from .by_hand import act, add_bodies, hang, join, key, select
from .camera import add_camera
from .course import Bend, Course, lay_out
from .landscape import make_meadow
from .shapes import Shape, grid, joined, make_object, moved
from .workbench import set_frames

FRAMES, RATE = 192, 24
SPEED, TORQUE = 4.5, 40.0  # m/s, and N m at the rear hub, at most, to keep it
AHEAD, HEADING_TIME, FREQUENCY = 7.0, 0.8, 0.9  # m: how far the Empty is ahead; s; Hz: how firmly she stays upright
MASSES = {"Rider": 82.0, "Fork": 4.5, "Wheel": 2.2}  # kg, the rider with the frame
STIFFNESS, DAMPING, LOAD = 9e4, 300.0, 470.0  # of a tyre, N/m and N s/m; N
GUST, GUST_FRAMES = 200.0, (108, 113)  # N to the left, from and to
HEIGHT, LENGTH = 0.25, 13.0  # m: of the hills
HUMP, HUMP_AT, HUMP_LENGTH = 0.06, 9.0, 1.2  # m
LANE = 1.1  # m: half its width
SIDES = ("Left", 1.0), ("Right", -1.0)


def way() -> Course:
    """A bend to the left, and a longer one to the right."""
    return lay_out(60.0, (Bend(4.0, 16.0, 0.8), Bend(17.0, 33.0, -1.2)))


def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of the ground."""
    hills = 0.25 * HEIGHT * (1.0 - np.cos(2.0 * math.pi * x / LENGTH)) * (1.0 + np.sin(0.35 * y + 0.2 * x))
    off = np.clip(np.abs(x - HUMP_AT) / (0.5 * HUMP_LENGTH), 0.0, 1.0)
    return hills * (x > 0.0) + 0.5 * HUMP * (1.0 + np.cos(math.pi * off))


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    course, parts = way(), make_parts()
    hubs = connect(parts)
    set_off(parts, hubs)
    stand_on(make_ground(course), parts)
    steer(parts, lead(course, frames))
    blow(parts["Rider"])
    go_along(course, parts["Rider"], frames)
    select(parts["Rider"])


def make_parts() -> dict[str, bpy.types.Object]:
    """The bodies by name: rider and frame, fork, wheels, and arms."""
    shapes = [bike.frame(), moved(bike.cranks(), bike.BRACKET), cyclist.trunk(), cyclist.head()]
    for _, side in SIDES:
        hip, knee, ankle, pedal = cyclist.leg(side)
        shapes += [cyclist.thigh(hip, knee), cyclist.shin(knee, ankle), cyclist.shoe(ankle, pedal)]
        shapes.append(moved(bike.pedal(), pedal))
    parts = {
        "Rider": _body("Rider", joined(*shapes), bike.BRACKET, MASSES["Rider"]),
        "Fork": _body("Fork", bike.fork(), bike.on_axis(0.9), MASSES["Fork"]),
    }
    for end, x in (("Rear", 0.0), ("Front", bike.WHEELBASE)):
        hub, shape = (x, 0.0, bike.WHEEL_RADIUS), joined(bike.wheel(), bike.tyre())
        parts[f"{end} Wheel"] = _body(f"{end} Wheel", moved(shape, hub), hub, MASSES["Wheel"])
    for name, side in SIDES:
        shoulder, elbow, hand = cyclist.arm(side)
        for part, shape, place in (
            ("Upper Arm", cyclist.upper_arm(shoulder, elbow), shoulder),
            ("Forearm", cyclist.forearm(elbow, hand), elbow),
        ):
            parts[f"{name} {part}"] = _body(f"{name} {part}", shape, place, cyclist.MASSES[part])
    return parts


def _body(name: str, shape: Shape, place: tuple, mass: float) -> bpy.types.Object:
    """A body whose shape is where it belongs in the world, with its origin at `place`."""
    ob = make_object(name, moved(shape, -Vector(place)))
    ob.location = place
    add_bodies([ob], "CUSTOM")
    ob.ves.mass_source, ob.ves.mass = "GIVEN", mass
    return ob


def connect(parts: dict[str, bpy.types.Object]) -> dict[str, bpy.types.Object]:
    """Steering, hubs, and arms that only hold on; returns the hubs."""
    rider, fork = parts["Rider"], parts["Fork"]
    steering = join("REVOLUTE", rider, fork, bike.on_axis(0.9), "Z")
    steering.name, steering.rotation_euler.y = "Steering", bike.HEAD_ANGLE - 0.5 * math.pi
    hubs = {}
    for end, holder in (("Front", fork), ("Rear", rider)):
        wheel = parts[f"{end} Wheel"]
        hubs[end] = join("REVOLUTE", holder, wheel, wheel.location, "Y")
        hubs[end].name = f"{end} Hub"
    for name, side in SIDES:
        shoulder, elbow, hand = cyclist.arm(side)
        upper, fore = parts[f"{name} Upper Arm"], parts[f"{name} Forearm"]
        joints = [join("SPHERICAL", rider, upper, shoulder, "Z"), join("REVOLUTE", upper, fore, elbow, "Y")]
        joints[1].rotation_mode = "QUATERNION"
        joints[1].rotation_quaternion = (elbow - shoulder).cross(hand - elbow).to_track_quat("Z", "Y")
        joints.append(join("SPHERICAL", fork, fore, hand, "Z"))
        for joint in joints:
            joint.ves.damping = (0.5,) * 3
        joints[0].ves.stiffness = (4.0,) * 3  # elbows do not swing out
    return hubs


def set_off(parts: dict[str, bpy.types.Object], hubs: dict[str, bpy.types.Object]) -> None:
    """Everything goes at the same speed, and the rear hub keeps it."""
    for part in parts.values():
        part.ves.linear_velocity = SPEED, 0.0, 0.0
        part.location.z -= LOAD / STIFFNESS  # as far as the weight presses the tyres in
    for end in hubs:
        parts[f"{end} Wheel"].ves.angular_velocity = 0.0, SPEED / bike.WHEEL_RADIUS, 0.0
    settings = hubs["Rear"].ves
    settings.motor_mode, settings.motor_speed[0] = "SPEED", SPEED / bike.WHEEL_RADIUS
    settings.use_motor_max_force, settings.motor_max_force[0] = True, TORQUE


def stand_on(ground: bpy.types.Object, parts: dict[str, bpy.types.Object]) -> None:
    """Tyres of both wheels on the ground."""
    select(ground, parts["Rear Wheel"], parts["Front Wheel"])
    bpy.ops.ves.add_force(type="TYRE")
    for tyre in bpy.context.selected_objects:
        settings = tyre.ves
        settings.terrain_spacing = 0.1
        settings.tyre_radius, settings.tyre_width = bike.WHEEL_RADIUS, 0.0
        settings.tyre_stiffness, settings.tyre_damping = STIFFNESS, DAMPING
        settings.slip_stiffness, settings.cornering_stiffness = 30.0 * LOAD, 20.0 * LOAD


def lead(course: Course, frames: int) -> bpy.types.Object:
    """An Empty that goes ahead along the lane."""
    empty = bpy.data.objects.new("Way", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.empty_display_size = 0.3
    for axis in range(2):
        places = {f: float(course.at(AHEAD + SPEED * (f - 1) / RATE)[0][axis]) for f in range(1, frames + 6, 6)}
        key(empty, "location", places, "LINEAR", axis)
    return empty


def steer(parts: dict[str, bpy.types.Object], target: bpy.types.Object) -> None:
    """Fork and frame selected, Steering; and where to ride."""
    select(parts["Rider"], parts["Fork"])
    bpy.ops.ves.add_force(type="STEERING")
    settings = bpy.context.active_object.ves
    settings.way, settings.ride_target = "TARGET", target
    settings.heading_time, settings.lean_frequency = HEADING_TIME, FREQUENCY


def blow(rider: bpy.types.Object) -> None:
    """A gust from the right at the chest."""
    gust = act("MOTOR", rider, (0.3, 0.0, 1.25))
    gust.name = "Gust"
    gust.ves.force = gust.ves.torque = (0.0, 0.0, 0.0)
    start, end = GUST_FRAMES
    key(gust, "ves.force", {1: 0.0, start: GUST, end: 0.0}, "CONSTANT", 1)


def make_ground(course: Course) -> bpy.types.Object:
    """A meadow, fixed, on which tyres stand, and a lane that is painted on it."""
    xs, ys = np.arange(-6.0, 46.1, 0.25), np.arange(-16.0, 16.1, 0.25)
    points = np.array([[(x, y, 0.0) for x in xs] for y in ys])
    points[..., 2] = height(points[..., 0], points[..., 1])
    ground = make_object("Ground", grid(points, "grass", closed=False), smooth=False)
    add_bodies([ground], "ASPHALT", "FIXED")
    places, headings = course.at(np.arange(-5.0, 48.0, 0.2))
    across = np.column_stack([-np.sin(headings), np.cos(headings)])
    stripes = ((-LANE, LANE, "asphalt"), (LANE, LANE + 0.12, "cream"), (-LANE - 0.12, -LANE, "cream"))
    make_object("Lane", joined(*(_stripe(places, across, *stripe) for stripe in stripes)), smooth=False)
    return ground


def _stripe(places: np.ndarray, across: np.ndarray, right: float, left: float, paint: str) -> Shape:
    """Along the lane, 1 cm above the ground, which has flat faces."""
    flat = np.stack([places + side * across for side in np.linspace(right, left, 7)])
    points = np.concatenate([flat, 0.01 + height(flat[..., :1], flat[..., 1:])], axis=-1)
    return grid(points, paint, closed=False)


def go_along(course: Course, rider: bpy.types.Object, frames: int) -> None:
    """A camera that goes along on the left, a little ahead, and looks at the rider."""
    make_meadow(4, -1.0)
    trees = bpy.data.objects["Trees"]
    trees.hide_render = trees.hide_viewport = True  # they would stand in the way
    middle = bpy.data.objects.new("Middle", None)
    bpy.context.scene.collection.objects.link(middle)
    middle.location = 0.4, 0.0, 0.85
    hang(middle, rider)
    camera = add_camera((0.0, 0.0, 1.5), (0.0, 0.0, 1.0), 32.0)
    for axis in range(2):
        places = {}
        for frame in range(1, frames + 12, 12):
            place, heading = course.at(3.2 + SPEED * (frame - 1) / RATE)
            places[frame] = float(place[axis] + 3.8 * (-math.sin(heading), math.cos(heading))[axis])
        key(camera, "location", places, "BEZIER", axis)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.track_axis, pan.up_axis = middle, "TRACK_NEGATIVE_Z", "UP_Y"
