# SPDX-License-Identifier: GPL-3.0-or-later
"""The police car drives over bumps, first with both wheels of an axle at once, then with one after the other.

Its parallelepiped stands on four wheels: each turns on a hinge in a hub, which slides up and down in the car on a
spring with a damper. Motors at the rear keep the wheels turning. In `police_car` supports carry the car, as in
Schroeder (1990), 7.3, and those know level ground only; here the wheels touch what is there.
"""

from __future__ import annotations

import math
from itertools import pairwise

import bpy
import numpy as np

from .by_hand import add_bodies, hang, join, select
from .camera import add_camera
from .course import lay_out
from .landscape import make_landscape
from .patrol_car import FRONT, REAR, TRACK, WHEEL_RADIUS, make_lettering, make_shell, make_wheel
from .shapes import Shape, joined, make_object, moved, slab
from .workbench import set_frames

FRAMES = 96
MASS, WHEEL_MASS, HUB_MASS = 1700.0, 25.0, 30.0
SIDES, CLEARANCE = (4.9, 1.7, 0.62), 0.26  # of the parallelepiped, and its height above the road
SPEED = 6.5  # m/s
STIFFNESS, DAMPING, TRAVEL = 45000.0, 3200.0, 0.16  # of a spring and its damper, N/m and N s/m; up and down, m
TORQUE = 500.0  # N m, at most, of the motor at each rear wheel
BUMP_HEIGHT, BUMP_LENGTH = 0.11, 1.0
BUMPS = ((5.5, 0.0, 1.7), (10.5, 0.95, 0.7), (13.2, -0.95, 0.7), (15.9, 0.95, 0.7))  # (x, y, half width)


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    car = make_car()
    wheels = [mount(car, x, y) for x in (FRONT, REAR) for y in (TRACK, -TRACK)]
    bumps = make_object("Bumps", joined(*(_bump(*bump) for bump in BUMPS)))
    add_bodies([bumps], "ASPHALT", "FIXED")
    bumps.ves.contact_shape = "COMPOUND"
    select(car, *wheels)
    bpy.ops.ves.dont_collide()
    for body in [ob for ob in bpy.context.scene.objects if ob.ves.role == "BODY" and ob.ves.motion == "DYNAMIC"]:
        body.ves.linear_velocity = SPEED, 0.0, 0.0
    for wheel in wheels:
        wheel.ves.angular_velocity = 0.0, SPEED / WHEEL_RADIUS, 0.0
    bpy.context.scene.ves.use_contact = True
    make_landscape(lay_out(24.0, ()))
    camera = add_camera((17.5, -8.0, 1.5), (0.0, 0.0, 1.0), 40.0)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.track_axis, pan.up_axis = car, "TRACK_NEGATIVE_Z", "UP_Y"
    select(car)


def make_car() -> bpy.types.Object:
    """The parallelepiped, which is not rendered, and the shell that goes along with it."""
    half = [0.5 * side for side in SIDES]
    car = make_object("Police Car", slab([-side for side in half], half, "wire"), smooth=False)
    car.location.z = CLEARANCE + half[2]
    car.display_type, car.hide_render = "WIRE", True
    for part in (make_shell("Shell"), make_lettering("POLICE", 1.0), make_lettering("POLICE", -1.0)):
        hang(part, car)
    add_bodies([car], "CUSTOM")
    car.ves.mass_source, car.ves.mass = "GIVEN", MASS
    return car


def mount(car: bpy.types.Object, x: float, y: float) -> bpy.types.Object:
    """A hub on a slider with a spring, and a wheel on a hinge in it; its tyre is touched as a cylinder."""
    name = f"{'Front' if x > 0.0 else 'Rear'} {'Left' if y > 0.0 else 'Right'}"
    hub = make_object(f"Hub {name}", slab((-0.06, -0.06, -0.06), (0.06, 0.06, 0.06), "iron"), smooth=False)
    wheel = make_wheel(f"Wheel {name}", math.copysign(1.0, y))
    hub.location = wheel.location = x, y, WHEEL_RADIUS
    add_bodies([hub], "STEEL")
    add_bodies([wheel], "RUBBER")
    hub.ves.collide, wheel.ves.contact_shape, wheel.ves.contact_restitution = False, "CYLINDER", 0.05
    for body, mass in ((hub, HUB_MASS), (wheel, WHEEL_MASS)):
        body.ves.mass_source, body.ves.mass = "GIVEN", mass
    slider = join("PRISMATIC", car, hub, hub.location, "Z")
    share = abs(REAR if x > 0.0 else FRONT) / (FRONT - REAR)
    slider.ves.stiffness[0], slider.ves.damping[0] = STIFFNESS, DAMPING
    slider.ves.rest_travel[0] = -0.5 * MASS * 9.81 * share / STIFFNESS  # as far as the weight presses it
    slider.ves.use_lower_limit[0] = slider.ves.use_upper_limit[0] = True
    slider.ves.lower_limit_travel[0], slider.ves.upper_limit_travel[0] = -TRAVEL, TRAVEL
    hinge = join("REVOLUTE", hub, wheel, hub.location, "Y")
    if x < 0.0:
        settings = hinge.ves
        settings.motor_mode, settings.motor_speed[0] = "SPEED", SPEED / WHEEL_RADIUS
        settings.use_motor_max_force, settings.motor_max_force[0] = True, TORQUE
    return wheel


def _bump(x: float, y: float, half_width: float) -> Shape:
    """A hump across the road, round on top, in white and black stripes; each stripe is convex."""
    around = np.linspace(-0.5 * BUMP_LENGTH, 0.5 * BUMP_LENGTH, 13)
    height = BUMP_HEIGHT * np.cos(math.pi * around / BUMP_LENGTH)
    stripes = []
    edges = np.linspace(-half_width, half_width, 1 + round(2.0 * half_width / 0.35))
    for i, (low, high) in enumerate(pairwise(edges)):
        points = np.array([(a, b, h) for b in (low, high) for a, h in zip(around, height, strict=True)])
        count = len(around)
        faces = [(k, k + 1, k + 1 + count, k + count) for k in range(count - 1)]
        faces += [(count - 1, 0, count, 2 * count - 1), tuple(range(count))[::-1], tuple(range(count, 2 * count))]
        stripes.append(moved(Shape(points, faces, ["cream" if i % 2 else "black"] * len(faces)), (x, y, 0.0)))
    return joined(*stripes)
