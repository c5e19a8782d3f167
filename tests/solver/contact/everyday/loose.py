# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of scenes of loose bodies: thrown, dropped, stacked, rolled. Each fills a `Scene`."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from solver.mechanism import Box, Capsule, Cylinder, Hull, Material, Sphere
from tests.solver.contact.detection.placing import terrain
from tests.solver.contact.everyday.building import UNTURNED, Scene, X, Y, Z, along, revolved
from tests.solver.contact.scenes import card_house as cards_that_lean

UPRIGHT_Y = along(Y)  # turns local Z into world Y


def ball_at_wall(s: Scene) -> None:
    half = s.rng.uniform(0.1, 0.3, 3)
    s.wall("brick", (0.0, 0.0, 0.0), s.count(1, 4), s.count(1, 4), half, s.gap())
    radius = s.number(0.1, 0.4)
    start = (-1.5 - s.number(0.0, 2.0), s.number(0.0, 0.5), radius + s.number(0.0, 1.0))
    ball = s.body("ball", Sphere(radius=radius), start, s.mass(3.0))
    s.throw(ball, (s.speed(2.0, 15.0), 0.0, s.number(0.0, 2.0)), s.rng.normal(0.0, 5.0, 3))


def things_at_things(s: Scene) -> None:
    s.heap("lying", (0.0, 0.0, 0.0), (s.count(1, 3), s.count(1, 3), s.count(1, 2)), 0.25)
    for k in range(s.count(1, 3)):
        size = s.number(0.15, 0.4)
        start = (-2.0 - 1.2 * k, s.number(0.2, 1.0), size + s.number(0.0, 0.8))
        thing = s.body(f"thrown {k}", s.shape(size), start, s.mass(2.0), s.turn())
        s.throw(thing, (s.speed(2.0, 12.0), s.number(-1.0, 1.0), s.number(0.0, 3.0)), s.rng.normal(0.0, 5.0, 3))


def _dropped(s: Scene, kinds) -> None:
    size = s.number(0.08, 0.3)
    s.heap("thing", (0.0, 0.0, s.number(0.0, 1.0)), (s.count(1, 3), s.count(1, 2), s.count(1, 4)), size, kinds)


def dropped_boxes(s: Scene) -> None:
    _dropped(s, ("box",))


def dropped_balls(s: Scene) -> None:
    _dropped(s, ("sphere",))


def rocks(s: Scene) -> None:
    _dropped(s, ("hull",))


def dropped_cylinders(s: Scene) -> None:
    _dropped(s, ("cylinder", "capsule"))


def dropped_mixed(s: Scene) -> None:
    _dropped(s, ("box", "sphere", "capsule", "cylinder", "hull"))


def stacks(s: Scene) -> None:
    for k in range(s.count(1, 3)):
        s.stack(
            f"stack {k}", (1.5 * k, 0.0, 0.0), s.count(2, 8), s.number(0.08, 0.3), s.gap() if s.chance(0.5) else 0.0
        )


def heavy_on_light(s: Scene) -> None:
    """Up to a thousand times as heavy as what bears it, on boxes or on rows of balls."""
    size, top, ratio = s.number(0.1, 0.3), 0.0, 10.0 ** s.number(0.5, 3.0)
    for k in range(s.count(1, 4)):
        half = np.array([size, size, s.number(0.3, 1.0) * size])
        s.body(f"light {k}", Box(half_size=half), (0.0, 0.0, top + half[2]), 1.0)
        top += 2.0 * half[2]
    half = s.number(0.5, 1.5) * size
    heavy = Box(half_size=(half, half, half)) if s.chance(0.7) else Cylinder(radius=half, half_length=half)
    s.body("heavy", heavy, (0.0, 0.0, top + half + s.gap()), ratio, s.slight_turn())


def row_is_hit(s: Scene) -> None:
    half, place = s.rng.uniform(0.08, 0.25, 3), 0.0
    for k in range(s.count(2, 8)):
        s.body(f"box {k}", Box(half_size=half), (place, 0.0, half[2]), s.mass())
        place += 2.0 * half[0] + s.gap()
    radius = s.number(0.6, 1.5) * half[2]
    start = (-half[0] - radius - s.number(0.1, 1.5), s.number(-0.5, 0.5) * half[1], radius)
    s.throw(s.body("ball", Sphere(radius=radius), start, s.mass(2.0)), (s.speed(1.0, 10.0), 0.0, 0.0))


def logs(s: Scene) -> None:
    """A heap of capsules and cylinders, often between posts."""
    long, thick = s.number(0.3, 0.7), s.number(0.05, 0.12)
    wide, high = s.count(2, 4), s.count(2, 5)
    step = 2.0 * thick + 0.02
    for layer in range(high):
        for k in range(wide - layer % 2):
            radius = thick * s.number(0.8, 1.0)
            shape = (Capsule if s.chance(0.5) else Cylinder)(radius=radius, half_length=long)
            place = ((k + 0.5 * (layer % 2)) * step, s.number(-0.02, 0.02), thick + layer * (step + 0.01))
            s.body(f"log {layer} {k}", shape, place, s.mass(5.0), s.slight_turn(0.01) * UPRIGHT_Y)
    if s.chance(0.6):
        for side in (-step - 0.05, wide * step + 0.05):
            for y in (-0.6 * long, 0.6 * long):
                post = Box(half_size=(0.04, 0.04, 0.6))
                s.fixed(f"post {side:.2f} {y:.2f}", post, (side, y, 0.6))


def capsule_pyramid(s: Scene) -> None:
    radius, long, count = s.number(0.05, 0.15), s.number(0.2, 0.8), s.count(2, 4)
    wide = 2.0 * radius + s.number(0.0, 0.3) * radius
    height = (4.0 * radius**2 - 0.25 * wide**2) ** 0.5 + 1e-3
    for layer in range(count):
        for k in range(count - layer):
            place = ((k + 0.5 * layer) * wide, 0.0, radius + layer * height)
            mass = s.mass() * (20.0 if layer == count - 1 and s.chance(0.5) else 1.0)
            s.body(f"log {layer} {k}", Capsule(radius=radius, half_length=long), place, mass, UPRIGHT_Y)
    for side, at in ((-1, 0.0), (1, (count - 1) * wide)):
        place = (at + side * (radius + 0.1), 0.0, 0.3)
        s.fixed(f"side {side}", Box(half_size=(0.1, long + radius, 0.3)), place)


def springs(s: Scene) -> None:
    """Boxes that springs pull together, and down, and a ball that comes at them."""
    half, mass = s.number(0.08, 0.2), s.mass(3.0)
    stiffness = mass * (2.0 * np.pi * s.number(0.5, 8.0)) ** 2
    if s.chance(0.6):
        s.fixed("wall", Box(half_size=(0.1, 1.0, 1.0)), (-half - 0.11, 0.0, 1.0))
    boxes, place = [], 0.0
    for k in range(s.count(2, 6)):
        at = (place, s.number(-0.02, 0.02), half + s.gap())
        boxes.append(s.body(f"box {k}", Box(half_size=(half, half, half)), at, s.mass(3.0)))
        place += 2.0 * half + 1e-3 + s.gap()
    damping = s.number(0.0, 3.0) if s.chance(0.5) else 0.0
    for one, other in itertools.pairwise(boxes):
        s.spring(one, other, one.position, other.position, stiffness, s.number(0.0, 1.5) * half, damping)
        if s.chance(0.5):
            foot = np.array(other.position) - Z
            s.spring(other, None, other.position, foot, s.number(0.02, 0.5) * stiffness, s.number(0.2, 1.0), damping)
    ball = s.body("ball", Sphere(radius=half), (place + 1.5, 0.0, 2.0 * half), s.mass(3.0))
    s.throw(ball, (-s.speed(1.0, 8.0), 0.0, 1.0))


def spinning_boxes(s: Scene) -> None:
    for k in range(s.count(1, 4)):
        size = s.number(0.1, 0.3)
        box = s.body(
            f"box {k}", s.shape(size, ("box",)), (0.0, 0.0, size + 0.7 * k + s.number(0.0, 0.1)), None, s.turn()
        )
        s.throw(box, (0.0, 0.0, -s.speed(0.0, 4.0)), s.rng.normal(0.0, s.number(5.0, 40.0), 3))


def adrift(s: Scene) -> None:
    """Things that fly at each other in space: nothing outside acts."""
    for thing in s.heap("thing", (-0.6, -0.6, -0.6), (2, 2, s.count(1, 2)), 0.25):
        toward = -np.array(thing.position) * s.number(0.0, 4.0)
        s.throw(thing, toward + s.rng.normal(0.0, 0.5, 3), s.rng.normal(0.0, 4.0, 3))
    s.duration = 1.5


def bowling(s: Scene) -> None:
    radius, high, spacing = 0.03, 0.18, s.number(0.15, 0.3)
    for row in range(s.count(2, 4)):
        for k in range(row + 1):
            place = (spacing * row * 0.87, spacing * (k - 0.5 * row), high)
            s.body(f"pin {row} {k}", Cylinder(radius=radius, half_length=high), place, s.mass(1.5))
    ball = s.body("ball", Sphere(radius=0.11), (-s.number(0.3, 2.0), s.number(-0.05, 0.05), 0.11), s.mass(6.0))
    speed = s.speed(2.0, 9.0)
    s.throw(ball, (speed, 0.0, 0.0), (0.0, s.number(0.0, 1.0) * speed / 0.11, s.number(-10.0, 10.0)))


def billiards(s: Scene) -> None:
    radius, gap = 0.03, s.gap() * 0.1
    wide = 2.0 * radius + gap
    surface = Material(s.friction(), s.number(0.8, 1.0) if s.chance(0.7) else s.restitution())
    for row in range(s.count(2, 5)):
        for k in range(row + 1):
            place = (row * (wide + 1e-4) * 3.0**0.5 / 2.0, (k - 0.5 * row) * (wide + 1e-4), radius)
            s.body(f"ball {row} {k}", Sphere(radius=radius), place, 0.17, material=surface)
    cue = s.body(
        "cue", Sphere(radius=radius), (-s.number(0.1, 0.6), s.number(-0.01, 0.01), radius), 0.17, material=surface
    )
    s.throw(cue, (s.speed(0.5, 10.0), 0.0, 0.0), s.rng.normal(0.0, 20.0, 3))
    if s.chance(0.5):
        for side in (-1.0, 1.0):
            s.fixed(f"cushion {side}", Box(half_size=(1.0, 0.05, 0.05)), (0.0, 0.45 * side, 0.05), material=surface)


def dominoes(s: Scene) -> None:
    half = np.array([s.number(0.01, 0.03), s.number(0.04, 0.1), s.number(0.1, 0.2)])
    step, surface = 2.0 * half[0] + s.number(0.3, 1.2) * half[2], s.surface()
    for k in range(s.count(3, 10)):
        place = (k * step, 0.0, half[2])
        s.body(f"domino {k}", Box(half_size=half), place, s.mass(0.5), s.slight_turn(0.1), material=surface)
    ball = s.body("ball", Sphere(radius=0.05), (-half[0] - 0.06 - s.number(0.0, 0.3), 0.0, 1.5 * half[2]), s.mass(0.5))
    s.throw(ball, (s.speed(0.5, 4.0), 0.0, 0.0))


def card_house(s: Scene) -> None:
    size = (s.number(0.005, 0.02), s.number(0.1, 0.3), s.number(0.25, 0.45))
    surface = Material(s.number(0.2, 1.5), s.restitution())
    cards = cards_that_lean(size, s.number(0.2, 0.5))
    for card in cards:
        mass = s.mass()
        card.inertia = [[mass / card.mass * each for each in row] for row in card.inertia]
        card.mass, card.material = mass, surface
    s.bodies += cards
    if s.chance(0.4):
        ball = s.body("ball", Sphere(radius=0.05), (-2.0, 0.0, 0.3), s.mass(0.5))
        s.throw(ball, (s.speed(1.0, 8.0), 0.0, 1.0))


def stools(s: Scene) -> None:
    """A seat and legs in one body each, stacked or dropped."""
    wide, high = s.number(0.15, 0.35), s.number(0.15, 0.3)
    thick = 0.1 * wide
    legs = [(i, j) for i in (-1, 1) for j in (-1, 1)][: s.count(3, 4)]
    shapes = [Box(half_size=(wide, wide, thick), position=(0.0, 0.0, high))]
    for i, j in legs:
        at = (0.8 * i * wide, 0.8 * j * wide, 0.0)
        shapes.append(Box(half_size=(thick, thick, high - thick), position=at))
    bottom = 0.0
    for k in range(s.count(1, 4)):
        at = (s.number(-0.1, 0.1) * wide, s.number(-0.1, 0.1) * wide, bottom + high - thick + s.gap())
        s.body(f"stool {k}", shapes, at, s.mass(3.0), s.slight_turn())
        bottom = at[2] + high + thick
    if s.chance(0.5):
        ball = s.body("ball", Sphere(radius=0.1), (-1.5, 0.0, s.number(0.2, 0.8)), s.mass(2.0))
        s.throw(ball, (s.speed(1.0, 8.0), 0.0, 1.0))


def spinning_top(s: Scene) -> None:
    """A cone that spins on its tip, or a cylinder with one; sometimes among other things."""
    radius, high, angles = s.number(0.1, 0.3), s.number(0.1, 0.3), np.arange(12) * np.pi / 6.0
    rim = [(radius * np.cos(a), radius * np.sin(a), high) for a in angles]
    lean = s.turn() if s.chance(0.1) else Rotation.from_rotvec(s.number(0.0, 0.3) * X)
    points = np.array([(0.0, 0.0, 0.0), *rim])
    shape = Hull(points=points)
    above = s.gap() - lean.apply(points)[:, 2].min()
    top = s.body("top", shape, (0.0, 0.0, above), s.mass(), lean)
    s.throw(top, (0.0, 0.0, 0.0), lean.apply(s.number(10.0, 80.0) * Z))
    if s.chance(0.5):
        s.heap("thing", (0.5, -0.3, 0.0), (1, 2, 1), 0.15)


def marbles_in_bowl(s: Scene) -> None:
    wide = s.number(0.5, 1.0)
    profile = [(wide * k / 6.0, 0.6 * wide * (k / 6.0) ** 2) for k in range(7)]
    s.fixed("bowl", revolved(profile, s.count(8, 24)), (0.0, 0.0, 0.05))
    _marbles(s, 0.65 * wide + 0.1, 0.3 * wide)


def marbles_in_funnel(s: Scene) -> None:
    wide, hole = s.number(0.5, 0.8), s.number(0.08, 0.2)
    profile = [(hole, 0.0), (0.5 * (hole + wide), 0.3 * wide), (wide, 0.6 * wide), (1.05 * wide, 1.5 * wide)]
    s.fixed("funnel", revolved(profile, s.count(8, 20)), (0.0, 0.0, 0.6))
    _marbles(s, 0.65 * wide + 0.7, 0.35 * wide)


def _marbles(s: Scene, height: float, room: float) -> None:
    size, places = s.number(0.04, 0.1), []
    kinds = ("sphere",) if s.chance(0.6) else ("sphere", "capsule", "box", "hull")
    for k in range(s.count(3, 14)):
        places.append((s.number(-room, room), s.number(-room, room), height + size * (1.0 + 2.1 * k)))
    for k, place in enumerate(places):
        s.body(f"marble {k}", s.shape(size, kinds), place, s.mass(0.2), s.turn())


def things_on_terrain(s: Scene) -> None:
    """Thrown and dropped on a mesh of hills."""
    waves, high = s.rng.uniform(0.5, 2.0, 2), s.number(0.05, 0.3)

    def height(x: float, y: float) -> float:
        return high * (2.0 + np.sin(waves[0] * x) + np.cos(waves[1] * y))

    s.fixed("hills", terrain(height, s.count(6, 10), 0.6), (-2.0, -2.0, 0.0))
    kinds = ("sphere", "capsule") if s.chance(0.4) else ("box", "sphere", "capsule", "cylinder", "hull")
    for thing in s.heap("thing", (-0.5, -0.5, 4.0 * high), (2, 2, s.count(1, 2)), 0.2, kinds):
        s.throw(thing, (s.number(-3.0, 3.0), s.number(-3.0, 3.0), -s.speed(0.0, 6.0)), s.rng.normal(0.0, 5.0, 3))
    s.ground = None


def galton_board(s: Scene) -> None:
    pitch, radius = s.number(0.15, 0.25), s.number(0.02, 0.045)
    rows, pin = s.count(3, 6), Cylinder(radius=0.02, half_length=0.1)
    for row in range(rows):
        for k in range(5):
            place = (pitch * (k - 2.0 + 0.5 * (row % 2)), 0.0, 0.3 + pitch * row)
            s.fixed(f"pin {row} {k}", pin, place, UPRIGHT_Y)
    for side in (-1, 1):
        place = (0.0, side * 0.12, 1.0)
        s.fixed(f"pane {side}", Box(half_size=(1.0, 0.02, 1.0)), place, material=Material(0.1, 0.1))
    for k in range(s.count(3, 9)):
        place = (s.number(-0.1, 0.1), s.number(-0.02, 0.02), 0.5 + pitch * rows + 0.15 * k)
        shape = Sphere(radius=radius) if s.chance(0.8) else s.shape(radius)
        s.body(f"ball {k}", shape, place, s.mass(0.1))


def corner_slide(s: Scene) -> None:
    """Things on a steep plane that slide into a corner of walls."""
    slope = s.number(0.1, 0.7)
    turn = Rotation.from_rotvec(slope * Y)
    s.fixed("slide", Box(half_size=(1.5, 1.0, 0.1)), turn.apply((0.0, 0.0, 0.0)) + 1.5 * Z, turn)
    s.fixed("stop", Box(half_size=(0.1, 1.0, 0.5)), turn.apply((1.6, 0.0, 0.0)) + 1.5 * Z, turn)
    size = s.number(0.1, 0.2)
    for k in range(s.count(2, 6)):
        place = turn.apply((-1.2 + 2.2 * size * k, s.number(-0.5, 0.5), 0.1 + size + s.gap())) + 1.5 * Z
        thing = s.body(f"thing {k}", s.shape(size), place, None, turn)
        s.throw(thing, turn.apply((s.speed(0.0, 4.0) if k == 0 else 0.0, 0.0, 0.0)))


def newtons_row(s: Scene) -> None:
    """A row of balls on the ground, hit by one or several."""
    radius, place = s.number(0.05, 0.2), 0.0
    surface = Material(s.friction(), 1.0 if s.chance(0.5) else s.restitution())
    for k in range(s.count(2, 6)):
        s.body(f"ball {k}", Sphere(radius=radius), (place, 0.0, radius), s.mass(), material=surface)
        place += 2.0 * radius + s.gap()
    place, speed = 0.0, s.speed(0.5, 8.0)
    for k in range(s.count(1, 2)):
        place -= 2.1 * radius + s.number(0.0, 0.05)
        ball = s.body(f"thrown {k}", Sphere(radius=radius), (place, 0.0, radius), s.mass(), material=surface)
        s.throw(ball, (speed, 0.0, 0.0))


def plates(s: Scene) -> None:
    """Thin plates and planks across each other, dropped from little height, with a weight on top."""
    thick, top = s.number(0.005, 0.03), 0.0
    for k in range(s.count(2, 7)):
        half = (s.number(0.2, 0.6), s.number(0.05, 0.3), thick)
        turn = Rotation.from_rotvec((0.5 * np.pi * (k % 2) + s.number(-0.2, 0.2)) * Z)
        top += 2.0 * thick + s.gap()
        s.body(f"plate {k}", Box(half_size=half), (0.0, 0.0, top - thick), s.mass(), turn)
    size = s.number(0.05, 0.2)
    s.body(
        "weight", s.shape(size), (0.0, 0.0, top + size + s.gap()), s.mass(5.0), s.turn() if s.chance(0.5) else UNTURNED
    )


KINDS = (
    ball_at_wall,
    things_at_things,
    dropped_boxes,
    dropped_balls,
    rocks,
    dropped_cylinders,
    dropped_mixed,
    stacks,
    heavy_on_light,
    row_is_hit,
    logs,
    capsule_pyramid,
    springs,
    spinning_boxes,
    adrift,
    bowling,
    billiards,
    dominoes,
    card_house,
    stools,
    spinning_top,
    marbles_in_bowl,
    marbles_in_funnel,
    things_on_terrain,
    galton_board,
    corner_slide,
    newtons_row,
    plates,
)
WITHOUT_GROUND = {adrift}
