# SPDX-License-Identifier: GPL-3.0-or-later
"""A police car speeds towards a crossing, turns in, brakes, and slides to rest across its course.

After Schroeder (1990), 7.3: a parallelepiped of 2000 kg on four supports, driven by motors where the front wheels touch
the road, slowed down by brakes at all four. His brakes resist sliding in all directions alike, and his wheels roll any
way, so his car drifts like a puck when it is steered. Here each wheel has a second brake, the tyre: it rolls along the
wheel and grips across it, until a wheel that is locked only scrapes.

An Empty, the driver's place, has a custom property for each pedal and for the steering. Only these have keyframes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from .by_hand import act, add_bodies, drive, hang, key, select
from .camera import add_camera
from .crossing import make_crossing
from .paints import material
from .patrol_car import FRONT, REAR, TRACK, WHEEL_RADIUS, make_lettering, make_shell, make_wheel
from .shapes import make_object, slab
from .workbench import set_frames

FRAMES = 144
MASS, SIDES = 2000.0, (4.9, 1.8, 0.8)  # of the parallelepiped
HEIGHT = 0.57  # of the centre of mass above the road, as the car stands on its springs
STIFFNESS = 50000.0
POWER = 4500.0  # N of each front wheel
GRIP = 1.0  # largest force of a tyre across it, as a share of the weight that rests on it
LOCKED, SCRAPING = 0.75, 0.35  # shares of that weight: largest force of a locked brake, and the friction that stays
ACROSS, ROLLING = 8000.0, 30.0  # N s/m of a tyre, across and along it

TURN, TURNED, HANDBRAKE, BRAKE = 73, 79, 80, 91  # frames
STEERING = math.radians(26.0)
CROSSING = (32.5, 2.0)


class Wheel(NamedTuple):
    """A wheel: its name, its place on the road, its damper and brake (N s/m), what locks it, and when."""

    name: str
    x: float
    y: float
    damper: float
    brake: float
    pedal: str
    locks: int

    @property
    def load(self) -> float:
        """The weight that rests on it, in newtons."""
        other = REAR if self.x == FRONT else FRONT
        return 0.5 * MASS * 9.81 * abs(other) / (FRONT - REAR)


WHEELS = (
    Wheel("Front Left", FRONT, TRACK, 2500.0, 1000.0, "brake", BRAKE),
    Wheel("Front Right", FRONT, -TRACK, 2500.0, 1000.0, "brake", BRAKE),
    Wheel("Rear Left", REAR, TRACK, 3500.0, 500.0, "handbrake", HANDBRAKE),
    Wheel("Rear Right", REAR, -TRACK, 3500.0, 500.0, "handbrake", HANDBRAKE),
)


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    set_frames(frames)
    car = make_car()
    driver = take_a_drive()
    add_bodies([car], "CUSTOM")
    car.ves.mass_source, car.ves.mass = "GIVEN", MASS
    for wheel in WHEELS:
        mount(wheel, car, driver)
    make_crossing(CROSSING)
    watch(car)
    bpy.context.scene.frame_set(1)
    select(car)


def make_car() -> bpy.types.Object:
    """The parallelepiped, which is not rendered, and the shell that goes along with it."""
    half = [0.5 * side for side in SIDES]
    car = make_object("Police Car", slab([-side for side in half], half, "wire"), smooth=False)
    car.location.z = HEIGHT
    car.display_type, car.hide_render = "WIRE", True
    for part in (make_shell("Shell"), make_lettering("POLICE", 1.0), make_lettering("POLICE", -1.0)):
        hang(part, car)
    return car


def take_a_drive() -> bpy.types.Object:
    """The pedals and the steering, from 0 to 1, over time: the script of the stunt."""
    driver = bpy.data.objects.new("Driver", None)
    bpy.context.scene.collection.objects.link(driver)
    driver.location, driver.empty_display_size = (-1.0, -5.0, 1.0), 0.4
    key(driver, '["gas"]', {1: 1.0, HANDBRAKE: 0.0}, "CONSTANT")
    key(driver, '["steering"]', {TURN: 0.0, TURNED: 1.0}, "LINEAR")
    key(driver, '["handbrake"]', {1: 0.0, HANDBRAKE: 1.0}, "CONSTANT")
    key(driver, '["brake"]', {1: 0.0, BRAKE: 1.0}, "CONSTANT")
    bpy.context.scene.frame_set(1)
    return driver


def mount(wheel: Wheel, car: bpy.types.Object, driver: bpy.types.Object) -> None:
    """The forces of a wheel, on a hub that the steering turns, and the wheel itself, which rests on the road."""
    ground = (wheel.x, wheel.y, -wheel.load / STIFFNESS)  # as deep as the spring gives way at rest
    hub = bpy.data.objects.new(f"Hub {wheel.name}", None)
    bpy.context.scene.collection.objects.link(hub)
    hub.location, hub.empty_display_size = ground, 0.3
    hang(hub, car)

    support = act("SUPPORT", car, ground)
    support.name = f"Support {wheel.name}"
    support.ves.support_stiffness, support.ves.support_damping = STIFFNESS, wheel.damper
    drive(support, "ves.support_friction", f"{SCRAPING} * x", driver, f'["{wheel.pedal}"]')

    tyre = act("BRAKE", car, ground)
    tyre.name = f"Tyre {wheel.name}"
    tyre.ves.brake_damping = ROLLING, ACROSS, 0.0
    tyre.ves.use_max_force, tyre.ves.max_force = True, GRIP * wheel.load
    drive(tyre, "ves.enabled", "x < 0.5", driver, f'["{wheel.pedal}"]')
    hang(tyre, hub)

    brake = act("BRAKE", car, ground)
    brake.name = f"Brake {wheel.name}"
    brake.ves.brake_damping = wheel.brake, wheel.brake, 0.0
    brake.ves.use_max_force, brake.ves.max_force = True, LOCKED * wheel.load
    drive(brake, "ves.enabled", "x > 0.5", driver, f'["{wheel.pedal}"]')

    if wheel.x == FRONT:
        motor = act("MOTOR", car, ground, axis="X")
        motor.name = f"Motor {wheel.name}"
        drive(motor, "ves.force", f"{POWER} * x", driver, '["gas"]', 2)
        hang(motor, hub)
        drive(hub, "rotation_euler", f"{STEERING} * x", driver, '["steering"]', 2)

    rim = make_wheel(f"Wheel {wheel.name}", math.copysign(1.0, wheel.y))
    rim.parent, rim.location.z = hub, WHEEL_RADIUS
    road = rim.constraints.new("LIMIT_LOCATION")
    road.use_min_z, road.min_z = True, WHEEL_RADIUS


def watch(car: bpy.types.Object) -> None:
    """A camera beyond the crossing that pans with the car, and zooms out as it comes."""
    camera = add_camera((CROSSING[0] + 6.6, CROSSING[1] + 8.4, 2.5), (0.0, 0.0, 1.0), 70.0)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.track_axis, pan.up_axis = car, "TRACK_NEGATIVE_Z", "UP_Y"
    key(camera.data, "lens", {1: 85.0, 60: 66.0, 96: 38.0, 126: 31.0}, "BEZIER")


def finish() -> None:
    """After the bake: wheels that roll until they are locked, and the marks that they leave from then on."""
    scene = bpy.context.scene
    frames = range(scene.frame_start, scene.frame_end + 1)
    hubs = [scene.objects[f"Hub {wheel.name}"] for wheel in WHEELS]
    places, ahead = np.empty((len(hubs), len(frames), 3)), np.empty((len(hubs), len(frames), 3))
    for j, frame in enumerate(frames):
        scene.frame_set(frame)
        for i, hub in enumerate(hubs):
            places[i, j], ahead[i, j] = (
                hub.matrix_world.translation,
                hub.matrix_world.to_3x3() @ Vector((1.0, 0.0, 0.0)),
            )
    steps = np.diff(places, axis=1, prepend=places[:, :1])
    rolled = np.cumsum(np.einsum("ijk,ijk->ij", steps, ahead), axis=1) / WHEEL_RADIUS
    for i, wheel in enumerate(WHEELS):
        rim = scene.objects[f"Wheel {wheel.name}"]
        turned = {frame: rolled[i, j] for j, frame in enumerate(frames) if frame <= wheel.locks}
        key(rim, "rotation_euler", turned, "LINEAR", 1)
        if wheel.locks < scene.frame_end:
            _leave_a_mark(wheel, places[i, wheel.locks - scene.frame_start :], wheel.locks)
    scene.frame_set(scene.frame_start)


def _leave_a_mark(wheel: Wheel, places: np.ndarray, start: int) -> None:
    """A black band that grows by a point with each frame."""
    data = bpy.data.curves.new(f"Mark {wheel.name}", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(places) - 1)
    for point, (x, y, _) in zip(spline.points, places, strict=True):
        point.co = x, y, 0.0, 1.0
    data.bevel_depth, data.bevel_resolution, data.bevel_factor_mapping_end = 0.10, 2, "RESOLUTION"
    data.materials.append(material("skid"))
    key(data, "bevel_factor_end", {start: 0.0, start + len(places) - 1: 1.0}, "LINEAR")
    mark = bpy.data.objects.new(data.name, data)
    mark.scale.z = 0.1  # flat
    bpy.context.scene.collection.objects.link(mark)
