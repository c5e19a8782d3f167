# SPDX-License-Identifier: GPL-3.0-or-later
"""Things thrown at things: walls of boxes, and rows of chance. All are filled evenly, with centres at their origins."""

from typing import NamedTuple

import numpy as np

from solver.mechanism import Body, Box, Capsule, Contact, Cylinder, Ground, Material, Mechanism, Shape, Sphere
from tests.solver.contact.solids import moments_per_mass

GRAVITY = (0.0, 0.0, -9.81)
UNTURNED = (1.0, 0.0, 0.0, 0.0)
LYING = (0.5**0.5, 0.5**0.5, 0.0, 0.0)  # local Z along world -Y
SIZE = 0.25  # m: half an edge of a box of a wall
NUDGE, APART = 1e-6, 0.01  # m: by which starts differ where that is enough for chaos, and where it is not


class Scene(NamedTuple):
    """A mechanism; what is thrown in it are the bodies that have a speed."""

    title: str
    mechanism: Mechanism
    apart: float  # m: by which starts differ

    def start(self, seed: int) -> Mechanism:
        """The same with what is thrown moved by up to `apart` each way; with seed 0 as it is."""
        rng, mechanism = np.random.default_rng(seed), Mechanism.from_dict(self.mechanism.to_dict())
        for body in mechanism.bodies:
            if seed and is_thrown(body):
                body.position = np.array(body.position) + rng.uniform(-self.apart, self.apart, 3)
        return mechanism


def is_thrown(body: Body) -> bool:
    return body.linear_velocity is not None and any(body.linear_velocity)


def scenes() -> list[Scene]:
    """Those that are compared."""
    return [wall(6.0, 0.0), wall(10.0, 0.03), heap(2), heap(5)]


def wall(speed: float, beside: float) -> Scene:
    """Twelve boxes in three columns, and a ball six times as heavy as one that comes at their middle or beside it."""
    surface, box = Material(0.35, 0.5), Box(half_size=(SIZE, SIZE, SIZE))
    bodies = [
        _filled(f"box {column} {layer}", box, (0.55 * column - 0.5, 0.0, SIZE * (1 + 2 * layer)), 1.0, surface)
        for column in range(3)
        for layer in range(4)
    ]
    ball = _filled("ball", Sphere(radius=0.4), (-4.0, beside, 1.0), 6.0, surface)
    ball.linear_velocity = (speed, 0.0, 1.0)
    title = f"wall, {speed:g} m/s"
    return Scene(title, _mechanism(title, [*bodies, ball], Ground(0.0, 0.8, 0.5)), NUDGE)


def heap(seed: int) -> Scene:
    """Boxes, balls, capsules and cylinders that rest in rows, no two alike, and three that are thrown at them."""
    rng = np.random.default_rng(seed)
    bodies = []
    for k in range(9):
        shape = _shape(rng, 0.25)
        place = (0.6 * (k // 3), 0.6 * (k % 3 - 1), _half_height(shape))
        turn = LYING if isinstance(shape, Capsule) else UNTURNED
        bodies.append(_filled(f"resting {k}", shape, place, rng.uniform(0.5, 2.0), _surface(rng), turn))
    for k in range(3):
        shape, turn = _shape(rng, 0.35), rng.normal(size=4)
        place = (-2.0 - 1.2 * k, rng.uniform(-0.5, 0.5), rng.uniform(0.5, 1.0))
        thing = _filled(f"thrown {k}", shape, place, rng.uniform(1.0, 4.0), _surface(rng), turn)
        thing.linear_velocity = (rng.uniform(4.0, 10.0), rng.uniform(-0.5, 0.5), rng.uniform(0.0, 2.0))
        thing.angular_velocity = tuple(rng.normal(0.0, 4.0, 3))
        bodies.append(thing)
    ground = Ground(0.0, rng.uniform(0.3, 0.9), rng.uniform(0.1, 0.6))
    return Scene(f"heap {seed}", _mechanism(f"heap {seed}", bodies, ground), APART)


def falling(shape: Shape, height: float) -> Mechanism:
    """One thing, level, that far above the ground; surfaces that give half of the speed back."""
    body = _filled("thing", shape, (0.0, 0.0, _half_height(shape) + height), 1.0, Material(0.5, 0.5))
    return _mechanism("one thing that falls", [body], Ground(0.0, 0.5, 0.5))


def _mechanism(title: str, bodies: list[Body], ground: Ground) -> Mechanism:
    return Mechanism(title, GRAVITY, bodies, contact=Contact(ground=ground))


def _shape(rng: np.random.Generator, size: float) -> Shape:
    kind, half = rng.integers(4), rng.uniform(0.4, 1.0, 3) * size
    if kind == 0:
        return Box(half_size=half)
    if kind == 1:
        return Sphere(radius=half[0])
    return (Capsule if kind == 2 else Cylinder)(radius=0.5 * half[0], half_length=0.5 * half[1])


def _half_height(shape: Shape) -> float:
    """Of a box or a cylinder that stands, of a capsule that lies."""
    if isinstance(shape, Box):
        return shape.half_size[2]
    return shape.half_length if isinstance(shape, Cylinder) else shape.radius


def _surface(rng: np.random.Generator) -> Material:
    return Material(rng.uniform(0.2, 0.8), rng.uniform(0.1, 0.6))


def _filled(name: str, shape: Shape, position, mass: float, surface: Material, turn=UNTURNED) -> Body:
    moments, _ = moments_per_mass(shape)
    turn = np.asarray(turn, float) / np.linalg.norm(turn)
    inertia = mass * np.diag(moments)
    return Body(name, mass=mass, inertia=inertia, position=position, orientation=turn, shape=shape, material=surface)
