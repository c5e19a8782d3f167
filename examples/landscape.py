# SPDX-License-Identifier: GPL-3.0-or-later
"""A road along a course, grass, trees, hills, clouds and a low sun: only there to be looked at."""

from __future__ import annotations

import math

import bpy
import numpy as np

from .course import Course, lay_out
from .shapes import Shape, grid, joined, lathe, make_object, moved, superellipsoid

ROAD_HALF_WIDTH = 1.9
RUN_OUT = 40.0  # how far the road goes on beyond the course


def make_landscape(course: Course, seed: int = 4) -> None:
    """Everything around the course."""
    make_object("Road", _road(course))
    _make_meadow(course, seed, 0.0)


def make_meadow(seed: int, height: float = 0.0) -> None:
    """The same without a road, around the origin; `height` is where the ground is."""
    _make_meadow(lay_out(0.1, ()), seed, height)


def _make_meadow(course: Course, seed: int, height: float) -> None:
    parts = {
        "Grass": disc(course, 160.0, "grass"),
        "Trees": _trees(course, np.random.default_rng(seed)),
        "Far Away": far_away(course, np.random.default_rng(seed)),
    }
    for name, shape in parts.items():
        make_object(name, moved(shape, (0.0, 0.0, height)), smooth=name != "Grass")
    add_sun()
    add_sky()


def _ribbon(course: Course, distances: np.ndarray, left: float, right: float, height: float, paint: str) -> Shape:
    """A strip beside the middle of the road, between two offsets to its left."""
    places, headings = course.at(distances)
    normal = np.stack([-np.sin(headings), np.cos(headings)], axis=1)
    rows = [np.column_stack([places + offset * normal, np.full(len(places), height)]) for offset in (left, right)]
    return grid(np.stack(rows[::-1]), paint, closed=False)


def _road(course: Course) -> Shape:
    whole = np.arange(-RUN_OUT, course.distance[-1] + RUN_OUT, 0.25)
    edge = ROAD_HALF_WIDTH - 0.12
    parts = [
        _ribbon(course, whole, ROAD_HALF_WIDTH, -ROAD_HALF_WIDTH, 0.0, "asphalt"),
        _ribbon(course, whole, edge, edge - 0.08, 0.004, "line"),
        _ribbon(course, whole, -edge + 0.08, -edge, 0.004, "line"),
    ]
    dash = np.linspace(0.0, 0.9, 6)
    parts += [
        _ribbon(course, start + dash, 0.05, -0.05, 0.004, "line") for start in np.arange(whole[0], whole[-1], 2.0)
    ]
    return joined(*parts)


def disc(course: Course, radius: float, paint: str) -> Shape:
    angles = np.arange(64) * 2.0 * math.pi / 64
    middle = course.at(0.5 * course.distance[-1])[0]
    points = np.column_stack([middle + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1), np.full(64, -0.02)])
    return Shape(points, [tuple(range(64))], [paint])


def _trees(course: Course, random: np.random.Generator) -> Shape:
    """Trees at random beside the road, none nearer to it than the camera goes."""
    road = course.at(np.arange(-RUN_OUT, course.distance[-1] + RUN_OUT, 1.0))[0]
    trees, places = [], []
    while len(trees) < 80:
        place = road[random.integers(len(road))] + random.uniform(-26.0, 26.0, 2)
        clear = np.min(np.linalg.norm(road - place, axis=1))
        if clear < 7.5 or any(np.linalg.norm(place - other) < 2.0 for other in places):
            continue
        places.append(place)
        trees.append(moved(tree(random), (*place, 0.0)))
    return joined(*trees)


def tree(random: np.random.Generator) -> Shape:
    """A round one or a fir."""
    size = random.uniform(0.8, 1.35)
    if random.random() < 0.6:
        crown = superellipsoid((0.85 * size, 0.85 * size, 1.0 * size), "light leaves", 2.2, 20)
        crown = moved(crown, (0.0, 0.0, 1.9 * size))
        return joined(lathe([(0.12 * size, 0.0), (0.09 * size, 1.2 * size)], "trunk", 10), crown)
    fir = [lathe([(0.12 * size, 0.0), (0.10 * size, 0.7 * size)], "trunk", 10)]
    for base, radius, top in ((0.5, 0.95, 1.8), (1.2, 0.75, 2.5), (1.9, 0.52, 3.1)):
        fir.append(lathe([(radius * size, base * size), (0.01, top * size)], "leaves", 16))
    return joined(*fir)


def far_away(course: Course, random: np.random.Generator) -> Shape:
    """Hills around, and clouds above them."""
    middle = course.at(0.5 * course.distance[-1])[0]
    parts = []
    for angle in np.arange(22) * 2.0 * math.pi / 22 + random.uniform(-0.1, 0.1, 22):
        place = middle + random.uniform(95.0, 125.0) * np.array([math.cos(angle), math.sin(angle)])
        hill = superellipsoid((random.uniform(18, 30), random.uniform(18, 30), random.uniform(6, 13)), "hill", 2.0, 40)
        parts.append(moved(hill, (*place, -1.0)))
    for angle in np.arange(14) * 2.0 * math.pi / 14 + random.uniform(-0.15, 0.15, 14):
        place = middle + random.uniform(115.0, 140.0) * np.array([math.cos(angle), math.sin(angle)])
        height = random.uniform(17.0, 30.0)
        for _ in range(4):
            puff = superellipsoid(random.uniform((4.0, 4.0, 2.0), (8.0, 8.0, 3.2)), "cloud", 2.2, 24)
            parts.append(moved(puff, (*(place + random.uniform(-7.0, 7.0, 2)), height + random.uniform(-1.0, 1.0))))
    return joined(*parts)


def add_sun(heading: float = -35.0) -> None:
    """A low sun; its shadows fall along +Y, turned by `heading` degrees."""
    light = bpy.data.lights.new("Sun", "SUN")
    light.energy, light.angle = 4.2, math.radians(1.5)
    light.color = (1.0, 0.90, 0.74)
    sun = bpy.data.objects.new("Sun", light)
    sun.rotation_euler = math.radians(52.0), 0.0, math.radians(heading)
    bpy.context.scene.collection.objects.link(sun)


def add_sky() -> None:
    """Light at the horizon, blue above."""
    world = bpy.data.worlds.new("Sky")
    if world.node_tree is None:  # before Blender 5.0
        world.use_nodes = True
    bpy.context.scene.world = world
    tree = world.node_tree
    background = next(node for node in tree.nodes if node.type == "BACKGROUND")
    place = tree.nodes.new("ShaderNodeTexCoord")
    split = tree.nodes.new("ShaderNodeSeparateXYZ")
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    colors = ramp.color_ramp.elements
    colors[0].position, colors[0].color = 0.02, (0.50, 0.76, 1.0, 1.0)
    colors[1].position, colors[1].color = 0.5, (0.06, 0.24, 0.72, 1.0)
    tree.links.new(place.outputs["Generated"], split.inputs["Vector"])
    tree.links.new(split.outputs["Z"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], background.inputs["Color"])
    background.inputs["Strength"].default_value = 1.0
