# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes of contact that all engines are given alike: boxes, balls and cans, loose or on ball joints, on level ground.

Nothing has a speed at the start, because Blender's rigid bodies cannot be given one; what is to skid is under a gravity
that leans. All surfaces of a scene are alike, because each engine mixes two unlike ones in its own way.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from solver.mechanism import Body, Box, Contact, Cylinder, Ground, Joint, Material, Mechanism, Shape

FRAME_RATE, SUBSTEPS = 24, 10
UNTURNED = (1.0, 0.0, 0.0, 0.0)
GRAVITY = 9.81


class Scene(NamedTuple):
    """A mechanism, how long it runs, and its one surface."""

    title: str
    mechanism: Mechanism
    duration: float  # s
    surface: Material


def cans(count: int = 8) -> Scene:
    """Linked cans that fall askew on the road and skid along it as if it sloped by 20 degrees."""
    shape = Cylinder(radius=0.033, half_length=0.06)
    step = np.array([0.16, 0.0, 0.03])
    bodies, joints = _chain(count, shape, (0.0, 0.0, 0.4), step, 0.05, _toward(step))
    leaning = (GRAVITY * np.sin(0.35), 0.0, -GRAVITY * np.cos(0.35))
    return _scene(f"{count} linked cans on the road", bodies, joints, 4.0, Material(0.5, 0.3), leaning)


def pile(count: int = 200) -> Scene:
    """Loose boxes of many sizes, let fall in five by five columns."""
    rng, bodies = np.random.default_rng(5), []
    for k in range(count):
        layer, cell = divmod(k, 25)
        place = np.array([*divmod(cell, 5), 0.0]) * 0.3 + (0.0, 0.0, 0.2 + 0.3 * layer)
        place[:2] += rng.uniform(-0.03, 0.03, 2)
        turn = rng.normal(size=4)
        bodies.append(_filled(f"box {k}", Box(half_size=rng.uniform(0.05, 0.085, 3)), place, turn=turn))
    return _scene(f"{count} loose boxes in a pile", bodies, [], 4.0, Material(0.5, 0.1))


def stack(count: int = 10) -> Scene:
    """Boxes of half a metre on each other."""
    shape = Box(half_size=(0.25, 0.25, 0.25))
    bodies = [_filled(f"box {k}", shape, (0.0, 0.0, 0.25 + 0.5 * k)) for k in range(count)]
    return _scene(f"stack of {count} boxes", bodies, [], 10.0, Material(0.5, 0.0))


def heavy_on_light(ratio: int = 100) -> Scene:
    """Two boxes of half a metre, the upper one so many times as heavy."""
    shape = Box(half_size=(0.25, 0.25, 0.25))
    bodies = [_filled("light", shape, (0, 0, 0.25)), _filled("heavy", shape, (0, 0, 0.75), mass=float(ratio))]
    return _scene(f"{ratio} kg on 1 kg", bodies, [], 5.0, Material(0.5, 0.0))


def chain(count: int) -> Scene:
    """Links that fall level, a little bent, and lie on the ground."""
    shape = Box(half_size=(0.08, 0.03, 0.03))
    bodies, joints = _chain(count, shape, (0.0, 0.0, 0.2), (0.2, 0.0, 0.0), 1.0, UNTURNED)
    for k, body in enumerate(bodies):
        body.position = np.array(body.position) + (0.0, 0.0, 0.002 * (k % 3))
    return _scene(f"chain of {count} links", bodies, joints, 1.5, Material(0.5, 0.0))


def dominoes(count: int = 50) -> Scene:
    """A row of which the first one is put down past its balance."""
    half, bodies, lean = np.array([0.03, 0.12, 0.24]), [], 0.2
    s, c = np.sin(lean), np.cos(lean)
    for k in range(count):
        bodies.append(_filled(f"domino {k}", Box(half_size=half), (0.22 * k, 0.0, half[2])))
    bodies[0].orientation = (np.cos(0.5 * lean), 0.0, np.sin(0.5 * lean), 0.0)
    bodies[0].position = (half[0] - half[0] * c + half[2] * s - 0.02, 0.0, half[0] * s + half[2] * c)
    return _scene(f"row of {count} dominoes", bodies, [], 6.0, Material(0.4, 0.0))


BUILDERS: dict[str, Callable[[int], Scene]] = {
    build.__name__: build for build in (cans, pile, stack, heavy_on_light, chain, dominoes)
}


def _scene(title: str, bodies, joints, duration: float, surface: Material, gravity=(0.0, 0.0, -GRAVITY)) -> Scene:
    for body in bodies:
        body.material = surface
    contact = Contact(ground=Ground(0.0, surface.friction, surface.restitution))
    return Scene(title, Mechanism(title, gravity, bodies, joints, contact=contact), duration, surface)


def _chain(count: int, shape: Shape, start, step, mass: float, turn):
    """(bodies, joints): links in a row, turned alike, with a ball joint half way between two."""
    start, step = np.array(start), np.array(step)
    bodies = [_filled(f"link {k}", shape, start + k * step, mass, turn) for k in range(count)]
    joints = [
        Joint(f"joint {k}", "spherical", f"link {k - 1}", f"link {k}", start + (k - 0.5) * step)
        for k in range(1, count)
    ]
    return bodies, joints


def _toward(direction: np.ndarray) -> np.ndarray:
    """The quaternion that turns local Z this way."""
    unit = direction / np.linalg.norm(direction)
    return np.array([1.0 + unit[2], -unit[1], unit[0], 0.0])


def _filled(name: str, shape: Shape, position, mass: float = 1.0, turn=UNTURNED) -> Body:
    """A body that fills its shape evenly."""
    if isinstance(shape, Box):
        squares = np.square(shape.half_size)
        moments = (squares.sum() - squares) / 3.0
    else:
        across = shape.radius**2 / 4.0 + shape.half_length**2 / 3.0
        moments = np.array([across, across, shape.radius**2 / 2.0])
    turn = np.asarray(turn, float) / np.linalg.norm(turn)
    return Body(name, mass=mass, inertia=mass * moments, position=position, orientation=turn, shape=shape)
