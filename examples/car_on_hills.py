# SPDX-License-Identifier: GPL-3.0-or-later
"""The police car on tyres drives over kerbs, one with its left wheels alone, and on through hills.

The car is that of `speed_bumps`, but nothing touches: each wheel has a tyre that stands on the mesh of the road, a
terrain. Tasora (2001), section 6, shows a bicycle on uneven ground by the displacement over time; `graph` draws that of
the car and of its wheels.
"""

from __future__ import annotations

import math
from pathlib import Path

import bpy
import numpy as np

from .by_hand import add_bodies, select
from .camera import add_camera
from .extension import ROOT
from .landscape import make_meadow
from .patrol_car import FRONT, REAR, TRACK, WHEEL_RADIUS
from .shapes import Shape, grid, joined, make_object
from .speed_bumps import MASS, SPEED, WHEEL_MASS, make_car, mount

FRAMES = 144
KERB = 0.12  # m
KERBS = ((5.0, 8.0, 0.0, 3.0), (12.0, 15.0, -3.0, 3.0))  # along X from and to, and along Y
HILLS, HEIGHT, LENGTH = 19.0, 0.7, 11.0  # where they begin, how high and long they are, m
FIELDS = (  # along X from and to, and along Y: meadows around the ground
    (-30.0, 80.0, -45.0, -9.0), (-30.0, 80.0, 9.0, 45.0), (-30.0, -6.0, -9.0, 9.0), (60.0, 80.0, -9.0, 9.0),
)  # fmt: skip
LOAD = (MASS + 4 * WHEEL_MASS) * 9.81 / 4.0  # N on each tyre, about
STIFFNESS, DAMPING = 180000.0, 400.0  # of a tyre, N/m and N s/m


def height(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Of the ground."""
    hills = 0.5 * HEIGHT * (1.0 - np.cos(2.0 * math.pi * (x - HILLS) / LENGTH)) * (x > HILLS)
    hills = hills * (1.0 + 0.25 * np.sin(0.4 * y + 0.3 * x))
    kerbs = sum(KERB * ((x > a) & (x < b) & (y > c) & (y < d)) for a, b, c, d in KERBS)
    return hills + kerbs


def build(frames: int = FRAMES) -> None:
    """Fill the empty file with the scene, ready to be baked; `frames` shortens it from its end."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.render.fps = 1, frames, 24
    scene.frame_set(1)
    car = make_car()
    wheels = [mount(car, x, y) for x in (FRONT, REAR) for y in (TRACK, -TRACK)]
    for body in [ob for ob in scene.objects if ob.ves.role == "BODY"]:
        body.ves.linear_velocity = SPEED, 0.0, 0.0
        body.location.z -= LOAD / STIFFNESS  # as far as the weight presses the tyres in
    for wheel in wheels:
        wheel.ves.angular_velocity = 0.0, SPEED / WHEEL_RADIUS, 0.0
    ground = make_object("Ground", _ground(), smooth=False)
    add_bodies([ground], "ASPHALT", "FIXED")
    select(ground, *wheels)
    bpy.ops.ves.add_force(type="TYRE")
    for tyre in bpy.context.selected_objects:
        settings = tyre.ves
        settings.terrain_spacing = 0.1
        settings.tyre_radius, settings.tyre_width = WHEEL_RADIUS, 0.18
        settings.tyre_stiffness, settings.tyre_damping = STIFFNESS, DAMPING
        settings.slip_stiffness, settings.cornering_stiffness = 20.0 * LOAD, 15.0 * LOAD
    make_object("Fields", joined(*(_field(*sides) for sides in FIELDS)), smooth=False)
    make_meadow(4, -1.0)
    bpy.data.objects["Trees"].hide_render = bpy.data.objects["Trees"].hide_viewport = (
        True  # they would stand in the way
    )
    camera = add_camera((17.0, -12.0, 3.6), (0.0, 0.0, 1.0), 32.0)
    pan = camera.constraints.new("TRACK_TO")
    pan.target, pan.track_axis, pan.up_axis = car, "TRACK_NEGATIVE_Z", "UP_Y"
    select(car)


def _field(x_low: float, x_high: float, y_low: float, y_high: float) -> Shape:
    """A meadow beside the ground, which no wheel comes to."""
    xs, ys = np.arange(x_low, x_high + 0.1, 1.0), np.linspace(y_low, y_high, 10)
    points = np.array([[(x, y, 0.0) for x in xs] for y in ys])
    points[..., 2] = height(points[..., 0], points[..., 1])
    return grid(points, "grass", closed=False)


def _ground() -> Shape:
    """Asphalt between meadows, as far as the car goes; each kerb is as steep as 2 cm of its length allow."""
    edges = [edge + side for a, b, _, _ in KERBS for edge in (a, b) for side in (-0.01, 0.01)]
    xs = np.unique(np.round([*np.arange(-6.0, 60.1, 0.25), *edges], 4))
    across = [c + side for *_, c, d in KERBS for edge in (c, d) for side in (-0.01, 0.01)]
    ys = np.unique(np.round([*np.arange(-9.0, 9.01, 0.5), -2.2, 2.2, *across, 3.0 - 0.01, 3.0 + 0.01], 4))
    points = np.array([[(x, y, 0.0) for x in xs] for y in ys])
    points[..., 2] = height(points[..., 0], points[..., 1])
    shape = grid(points, "grass", closed=False)
    paints = []
    for face in shape.faces:
        x, y, _ = np.mean(shape.points[list(face)], axis=0)
        is_kerb = any(a - 0.02 < x < b + 0.02 and c - 0.02 < y < d + 0.02 for a, b, c, d in KERBS)
        stripe = "cream" if math.floor(x / 0.5) % 2 else "black"
        paints.append("asphalt" if abs(y) < 2.2 and not is_kerb else stripe if is_kerb and abs(y) > 2.2 else "grass")
        if is_kerb and abs(y) <= 2.2:
            paints[-1] = "slate"
    return Shape(shape.points, shape.faces, paints)


def finish() -> None:
    """Draw the displacement of the baked car beside its pictures."""
    folder = ROOT / "artefacts" / "demo"
    folder.mkdir(parents=True, exist_ok=True)
    graph(folder / "car_on_hills.svg")


def graph(path: Path) -> None:
    """Draw height over way: of the car's body and of its front wheels, above the ground below the left ones."""
    scene = bpy.context.scene
    names = "Police Car", "Wheel Front Left", "Wheel Front Right"
    rows = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        rows.append([scene.objects[name].matrix_world.translation[:] for name in names])
    places = np.array(rows)
    width, tall, left = 760.0, 260.0, 46.0
    x_low, x_high, z_high = 0.0, float(places[:, 1, 0].max()), float(places[..., 2].max()) + 0.15

    def at(x: float, z: float) -> str:
        across, up = (x - x_low) / (x_high - x_low) * (width - left - 8), z / z_high * (tall - 40)
        return f"{left + across:.1f},{tall - 28 - up:.1f}"

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 260" font-family="sans-serif" font-size="11">']
    lines.append('<rect width="760" height="260" fill="#ffffff"/>')
    xs = np.linspace(x_low, x_high, 1500)
    road = [(x_low, 0.0), *zip(xs, height(xs, np.full_like(xs, TRACK)), strict=True), (x_high, 0.0)]
    lines.append(f'<polygon points="{" ".join(at(*point) for point in road)}" fill="#d9d2c5"/>')
    for k, (colour, what) in enumerate((("#1f4e79", "body"), ("#c0392b", "front left wheel"), ("#2e8b57", "right"))):
        curve = " ".join(at(x, z) for x, _, z in places[:, k] if x >= x_low)
        lines.append(f'<polyline points="{curve}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        lines.append(f'<text x="{left + 12 + 120 * k}" y="16" fill="{colour}">{what}</text>')
    for x in range(0, int(x_high) + 1, 5):
        place = at(x, 0.0).split(",")[0]
        lines.append(f'<text x="{place}" y="250" text-anchor="middle" fill="#444">{x} m</text>')
    for step in range(int(z_high / 0.5) + 1):
        height_text = at(0.0, 0.5 * step).split(",")[1]
        lines.append(f'<text x="6" y="{float(height_text) + 4:.1f}" fill="#444">{0.5 * step:g} m</text>')
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")
