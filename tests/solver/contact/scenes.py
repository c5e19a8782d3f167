# SPDX-License-Identifier: GPL-3.0-or-later
"""Building and running of scenes of contact: levels, inclines, stacks, chains of links, houses, arches."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from solver import Mechanism, Recording, simulate
from solver.mechanism import Body, Box, Contact, Ground, Hull, Joint, Material, Shape
from tests.solver.contact.solids import fixed, solid

GRAVITY = 9.81
WEIGHTLESS = (0.0, 0.0, 0.0)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
FRAME_RATE = 24.0


def without_collision_library() -> str | None:
    """Why bodies cannot meet bodies here, if they cannot."""
    if importlib.util.find_spec("solver.contact.detection.collision") is None:
        return "collision detection is not there"
    from solver.contact.detection.collision import unavailable

    return unavailable()


meets_bodies = pytest.mark.skipif(
    without_collision_library() is not None, reason=f"bodies meet only the ground: {without_collision_library()}"
)


def run(
    mechanism: Mechanism, duration: float, frame_rate: float = FRAME_RATE, substeps: int | None = None
) -> Recording:
    """By impulses, at the default substeps if none are given."""
    return simulate(mechanism, duration, frame_rate, integrator="impulse", substeps=substeps)


def at_once(mechanism: Mechanism) -> Recording:
    """Two frames with one impulse between them, in so short a time that nothing else happens."""
    return simulate(mechanism, 1e-9, 1e9, integrator="impulse", substeps=1)


def on_ground(bodies: list[Body], friction: float = 0.5, restitution: float = 0.0, **given) -> Mechanism:
    """All bodies of one surface, on the level ground of the same."""
    for body in bodies:
        body.material = Material(friction, restitution)
    return Mechanism(bodies=bodies, contact=Contact(ground=Ground(0.0, friction, restitution)), **given)


def in_space(bodies: list[Body], friction: float = 0.0, restitution: float = 1.0, **given) -> Mechanism:
    """All bodies of one surface, without ground and weight."""
    for body in bodies:
        body.material = Material(friction, restitution)
    return Mechanism(gravity=WEIGHTLESS, bodies=bodies, contact=Contact(), **given)


def sloping(slope: float) -> tuple[float, float, float]:
    """Gravity over level ground that acts as on an incline: downhill is +X."""
    return GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)


def turned(axis, angle: float) -> tuple[float, ...]:
    """The quaternion of a turn about a unit axis."""
    return np.cos(0.5 * angle), *(np.sin(0.5 * angle) * np.asarray(axis, float))


def stack(shapes: list[Shape], masses: list[float]) -> list[Body]:
    """Boxes on each other, the first on the ground."""
    bodies, top = [], 0.0
    for k, (shape, mass) in enumerate(zip(shapes, masses, strict=True)):
        half = shape.half_size[2]
        bodies.append(solid(f"box {k}", shape, (0.0, 0.0, top + half), mass))
        top += 2.0 * half
    return bodies


def row_of_links(name: str, count: int, start, step, shape: Shape, kind: str = "spherical", **given):
    """(bodies, joints): links in a row from `start` on, `step` from centre to centre, with a joint between two."""
    start, step = np.array(start, float), np.array(step, float)
    bodies = [solid(f"{name} {k}", shape, start + k * step, **given) for k in range(count)]
    joints = [
        Joint(f"{name} joint {k}", kind, f"{name} {k - 1}", f"{name} {k}", start + (k - 0.5) * step)
        for k in range(1, count)
    ]
    return bodies, joints


def leaning_pair(name: str, foot: float, floor: float, size, lean: float) -> list[Body]:
    """Two cards that lean on each other, `lean` rad from the upright, their upper edges at X = foot.

    size: half sizes (thickness, width, length).
    """
    t, _, length = size
    s, c = np.sin(lean), np.cos(lean)
    out, up = length * s + t * c, floor + length * c + t * s
    card = Box(half_size=size)
    return [
        solid(f"{name} {'left' if side < 0 else 'right'}", card, (foot + side * out, 0.0, up),
              orientation=turned((0, 1, 0), -side * lean))
        for side in (-1.0, 1.0)
    ]  # fmt: skip


def card_house(size=(0.01, 0.3, 0.45), lean: float = 0.35) -> list[Body]:
    """Two pairs of cards, a card across them and a pair on top."""
    t, _, length = size
    foot = 2.0 * (length * np.sin(lean) + t * np.cos(lean)) + t  # so that the pairs stand clear of each other
    height = 2.0 * (length * np.cos(lean) + t * np.sin(lean))
    bodies = leaning_pair("west", -foot, 0.0, size, lean) + leaning_pair("east", foot, 0.0, size, lean)
    roof = Box(half_size=(foot + 4.0 * t, size[1], t))
    bodies.append(solid("roof", roof, (0.0, 0.0, height + t)))
    return bodies + leaning_pair("top", 0.0, height + 2.0 * t, size, lean)


def arch(count: int = 7, inner: float = 1.0, outer: float = 1.4, half_depth: float = 0.3) -> list[Body]:
    """A half circle of wedges that stands on the ground on its two ends."""
    edges, bodies = np.linspace(np.pi, 0.0, count + 1), []
    for k in range(count):
        ring = [(r, a) for a in edges[k : k + 2] for r in (inner, outer)]
        flat = np.array([[r * np.cos(a), 0.0, r * np.sin(a)] for r, a in ring])
        middle = flat.mean(axis=0)
        corners = [point - middle + [0.0, y, 0.0] for point in flat for y in (-half_depth, half_depth)]
        bodies.append(solid(f"stone {k}", Hull(points=corners), middle))
    return bodies


def wall(name: str, half_size, position, **given) -> Body:
    return fixed(name, Box(half_size=half_size), position, **given)
