# SPDX-License-Identifier: GPL-3.0-or-later
"""Random scenes of contact, each from one number: loose and jointed bodies of all shapes, thrown at each other."""

from __future__ import annotations

import numpy as np

from solver import Mechanism
from solver.mechanism import Body, Box, Capsule, Contact, Cylinder, Ground, Hull, Joint, Material, Shape, Sphere
from tests.solver.contact.solids import fixed, solid
from tests.solver.random_mechanisms import unit_quaternion

SPACING = 0.65  # m: no shape reaches further than half of it from its middle
KINDS = ("spherical", "revolute", "universal", "fixed", "prismatic")


def random_scene(seed: int, bodies_meet: bool = True) -> Mechanism:
    """Two to seven bodies with surfaces of their own; every other scene has ground and weight.

    `bodies_meet`: without, all bodies are far apart and there is always ground.
    """
    rng = np.random.default_rng(seed)
    count, friction = int(rng.integers(2, 8)), rng.uniform(0.0, 2.0)
    weight = bool(rng.random() < 0.5) or not bodies_meet
    spacing = SPACING if bodies_meet else 8.0
    places = _places(rng, count, spacing)
    bodies = [_body(rng, f"body {k}", place) for k, place in enumerate(places)]
    joints = _joints(rng, bodies) if bodies_meet else _joints_alone(rng, bodies)
    if bodies_meet and rng.random() < 0.4:
        slab = Box(half_size=(1.0, 1.0, 0.1))
        bodies.append(fixed("slab", slab, (0, 0, -0.6), orientation=_tilted(rng), material=_surface(rng)))
    ground = Ground(-1.2, friction, rng.uniform(0.0, 1.0)) if weight else None
    gravity = (0.0, 0.0, -9.81) if weight else (0.0, 0.0, 0.0)
    return Mechanism(f"scene {seed}", gravity, bodies, joints, contact=Contact(ground=ground))


def _places(rng, count: int, spacing: float) -> np.ndarray:
    """On a grid above the slab, neighbours before others."""
    grid = np.array([(x, y, z) for z in range(2) for y in range(2) for x in range(2)], float) - (0.5, 0.5, 0.0)
    return spacing * grid[rng.permutation(8)[:count]] + (0.0, 0.0, 0.2)


def _body(rng, name: str, place: np.ndarray) -> Body:
    toward = -2.0 * place * rng.uniform(0.0, 1.0)
    mass = float(np.exp(rng.uniform(-2.0, 2.0)))
    return solid(
        name, _shape(rng), place, mass, orientation=unit_quaternion(rng), material=_surface(rng),
        linear_velocity=toward + rng.normal(0.0, 0.5, 3), angular_velocity=rng.normal(0.0, 2.0, 3),
    )  # fmt: skip


def _shape(rng) -> Shape:
    """Within 0.3 m of its middle."""
    kind = rng.integers(5)
    if kind == 0:
        return Sphere(radius=rng.uniform(0.1, 0.3))
    if kind == 1:
        return Box(half_size=rng.uniform(0.04, 0.17, 3))
    if kind == 2:
        return Capsule(radius=rng.uniform(0.04, 0.12), half_length=rng.uniform(0.03, 0.17))
    if kind == 3:
        return Cylinder(radius=rng.uniform(0.05, 0.2), half_length=rng.uniform(0.04, 0.2))
    points = rng.normal(size=(int(rng.integers(6, 14)), 3))
    return Hull(points=0.29 * points / np.linalg.norm(points, axis=1, keepdims=True))


def _surface(rng) -> Material:
    friction = 0.0 if rng.random() < 0.15 else rng.uniform(0.0, 2.0)
    restitution = rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0)])
    return Material(float(friction), float(restitution))


def _tilted(rng) -> np.ndarray:
    q = np.array([1.0, *rng.uniform(-0.15, 0.15, 2), 0.0])
    return q / np.linalg.norm(q)


def _joints(rng, bodies: list[Body]) -> list[Joint]:
    """Some bodies on one inside them, as a tree, some on the world; their speeds are as their joints let them."""
    joints = []
    for k, body in enumerate(bodies[1:], 1):
        if rng.random() < 0.5:
            parent = bodies[int(rng.integers(k))]
            joints.append(_joint(rng, parent.name, body, 0.5 * (np.array(parent.position) + body.position)))
    if rng.random() < 0.2:
        joints.append(_joint(rng, None, bodies[0], np.array(bodies[0].position) + (0.0, 0.0, 0.3)))
    return joints


def _joints_alone(rng, bodies: list[Body]) -> list[Joint]:
    """Some pairs of bodies put near each other, jointed: they ignore each other and meet the ground alone."""
    joints = []
    for k in range(1, len(bodies), 2):
        if rng.random() < 0.6:
            bodies[k].position = np.array(bodies[k - 1].position) + (0.3, 0.1, 0.2)
            joints.append(_joint(rng, bodies[k - 1].name, bodies[k], np.array(bodies[k].position) - (0.15, 0, 0.1)))
    return joints


def _joint(rng, parent: str | None, body: Body, place: np.ndarray) -> Joint:
    kind = KINDS[int(rng.integers(len(KINDS)))]
    return Joint(f"joint of {body.name}", kind, parent, body.name, place, unit_quaternion(rng))
