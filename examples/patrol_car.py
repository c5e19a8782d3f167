# SPDX-License-Identifier: GPL-3.0-or-later
"""A police car to be looked at: shell, cabin, lights, wheels. Forward is +X, left is +Y, and the road is z = 0."""

from __future__ import annotations

import math

import bpy
import numpy as np
from mathutils import Matrix

from .paints import material
from .shapes import Shape, grid, joined, lathe, make_object, moved, on_both_sides, rod, slab, superellipsoid

FRONT, REAR, TRACK = 1.95, -1.521, 0.897  # axles ahead of the centre of mass, and half the distance of the wheels
WHEEL_RADIUS = 0.36
DOORS = (-1.02, 0.98)  # where the white part of the sides begins and ends
SIGN = (-0.18, 0.66)  # (x, z) of the middle of the lettering

# (x, half width, lowest, highest) of the shell's cross sections, from the rear to the front
SECTIONS = (
    (-2.60, 0.74, 0.40, 0.86),
    (-2.54, 0.86, 0.32, 0.95),
    (-2.20, 0.93, 0.27, 0.99),
    (-1.20, 0.95, 0.25, 0.99),
    (DOORS[0], 0.95, 0.24, 0.98),
    (DOORS[1], 0.95, 0.24, 0.96),
    (1.20, 0.95, 0.25, 0.95),
    (2.30, 0.92, 0.27, 0.87),
    (2.66, 0.86, 0.31, 0.79),
    (2.76, 0.74, 0.38, 0.72),
)


def make_shell(name: str) -> bpy.types.Object:
    """Everything but the wheels."""
    return make_object(name, joined(_hull(), _cabin(), _arches(), _trim(), _beacons()))


def make_wheel(name: str, side: float) -> bpy.types.Object:
    """A wheel that turns about its Y axis; its hub cap is on the left (`side` 1) or on the right (-1)."""
    r = WHEEL_RADIUS
    tyre = [(0.22, -0.10), (0.30, -0.115), (r, -0.085), (r, 0.085), (0.30, 0.115), (0.22, 0.10), (0.21, 0.0)]
    rim = [(0.215, 0.02), (0.225, 0.098), (0.20, 0.09), (0.18, 0.045), (0.07, 0.07), (0.05, 0.095), (0.01, 0.10)]
    holes = [
        rod((0.135 * math.cos(a), 0.135 * math.sin(a), 0.03), (0.135 * math.cos(a), 0.135 * math.sin(a), 0.066), 0.032,
            "tyre", 12)
        for a in np.arange(5) * 0.4 * math.pi
    ]  # fmt: skip
    shape = joined(lathe(tyre, "tyre", 48), lathe(rim, "chrome", 48), *holes)
    return make_object(name, moved(shape, Matrix.Rotation(-side * math.pi / 2.0, 4, "X")))


def make_lettering(text: str, side: float) -> bpy.types.Object:
    """The name on the doors of one side."""
    data = bpy.data.curves.new(f"{text} {'Left' if side > 0 else 'Right'}", "FONT")
    data.body, data.size, data.extrude, data.offset = text, 0.34, 0.004, 0.008
    data.align_x = data.align_y = "CENTER"
    data.materials.append(material("black"))
    ob = bpy.data.objects.new(data.name, data)
    ob.matrix_world = (
        Matrix.Translation((SIGN[0], side * 0.953, SIGN[1]))
        @ Matrix.Rotation(math.pi if side > 0 else 0.0, 4, "Z")
        @ Matrix.Rotation(math.pi / 2.0, 4, "X")
    )
    bpy.context.scene.collection.objects.link(ob)
    return ob


def _hull() -> Shape:
    """A skin through the cross sections, each a rounded rectangle; white between the ends of the doors."""
    around = np.arange(48) * 2.0 * math.pi / 48
    unit = np.stack([np.cos(around), np.sin(around)], axis=1)
    unit /= np.sum(np.abs(unit) ** 5, axis=1, keepdims=True) ** 0.2
    rows = [
        np.column_stack([np.full(48, x), half * unit[:, 0], 0.5 * (low + high) + 0.5 * (high - low) * unit[:, 1]])
        for x, half, low, high in SECTIONS
    ]
    skin = grid(np.stack(rows), "black")
    last = len(skin.points) - 48
    paints = []
    for face in skin.faces:
        x, _, z = np.mean(skin.points[list(face)], axis=0)
        paints.append("white" if DOORS[0] < x < DOORS[1] and z > 0.33 else "black")
    ends = [tuple(range(48))[::-1], tuple(range(last, last + 48))]
    return Shape(skin.points, skin.faces + ends, [*paints, "black", "black"])


def _cabin() -> Shape:
    """One shell with windows between pillars, narrower and shorter at the roof, and its windscreen more slanted."""
    radii = np.array([1.50, 0.86, 0.60])
    shell = superellipsoid(radii, "white", 3.4, 96)
    paints = []
    for face in shell.faces:
        x, y, z = np.mean(shell.points[list(face)], axis=0) / radii
        around = abs(math.degrees(math.atan2(y * radii[1], x * radii[0])))
        is_pillar = min(abs(around - pillar) for pillar in (31.0, 93.0, 149.0)) < 4.0
        paints.append("glass" if 0.16 < z < 0.78 and not is_pillar and len(face) == 4 else "white")
    points = shell.points.copy()
    high = np.clip(points[:, 2:] / radii[2], 0.0, 1.0)
    points[:, :2] *= 1.0 - np.array([0.36, 0.24]) * high
    points[:, 0] -= 0.10 * high[:, 0]
    return moved(Shape(points, shell.faces, paints), (-0.42, 0.0, 0.87))


def _arches() -> Shape:
    """Dark half discs above the wheels, as deep as the wheels turn."""
    angles = np.linspace(0.0, math.pi, 25)
    outline = [(0.44 * math.cos(a), 0.05 + 0.44 * math.sin(a)) for a in angles]
    n = len(outline)
    points = [(x, y, WHEEL_RADIUS + z) for y in (0.55, 0.957) for x, z in outline]
    sides = [(i, (i + 1) % n, n + (i + 1) % n, n + i) for i in range(n)]
    arch = Shape(np.array(points), [*sides, tuple(range(n))[::-1], tuple(range(n, 2 * n))], ["tyre"] * (n + 2))
    return on_both_sides(joined(*(moved(arch, (x, 0.0, 0.0)) for x in (FRONT, REAR))))


def _trim() -> Shape:
    bumper = superellipsoid((0.08, 0.88, 0.085), "chrome", 4.0)
    grille = slab((2.70, -0.50, 0.50), (2.79, 0.50, 0.68), "tyre")
    bars = [rod((2.79, -0.48, z), (2.79, 0.48, z), 0.012, "chrome", 8) for z in (0.54, 0.59, 0.64)]
    plate = slab((-2.64, -0.26, 0.56), (-2.60, 0.26, 0.68), "cream")
    pair = joined(
        moved(superellipsoid((0.07, 0.14, 0.095), "lamp", 4.0, 32), (2.715, 0.66, 0.60)),
        moved(superellipsoid((0.06, 0.20, 0.075), "tail lamp", 4.0, 32), (-2.575, 0.60, 0.77)),
        moved(superellipsoid((0.06, 0.10, 0.07), "black", 3.0, 24), (0.62, 0.98, 1.02)),  # mirror
        slab((DOORS[0] + 0.14, 0.94, 0.80), (DOORS[0] + 0.32, 0.965, 0.825), "chrome"),  # handles
        slab((0.06, 0.94, 0.80), (0.24, 0.965, 0.825), "chrome"),
        slab((-0.02, 0.93, 0.34), (-0.005, 0.953, 0.92), "tyre"),  # the gap between the doors
    )
    return joined(
        moved(bumper, (2.74, 0.0, 0.42)), moved(bumper, (-2.60, 0.0, 0.44)), grille, *bars, plate, on_both_sides(pair)
    )


def _beacons() -> Shape:
    """The bar on the roof: blue on the left, red on the right."""
    x, z = -0.50, 1.50
    bar = moved(superellipsoid((0.13, 0.62, 0.035), "tyre", 6.0), (x, 0.0, z))
    feet = [rod((x, y, z - 0.08), (x, y, z), 0.03, "tyre", 8) for y in (-0.4, 0.4)]
    lights = [
        moved(superellipsoid((0.12, 0.21, 0.075), paint, 3.5, 32), (x, y, z + 0.09))
        for paint, y in (("blue light", 0.39), ("red light", -0.39))
    ]
    middle = moved(superellipsoid((0.10, 0.14, 0.06), "chrome", 4.0, 32), (x, 0.0, z + 0.08))
    return joined(bar, *feet, *lights, middle)
