# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene under construction: bodies with surfaces of chance, joints, walls and rows of bodies, what moves as told.

Lengths in m, masses in kg. `turn` is a scipy Rotation of a body's frame, `Z` the direction of a joint's axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solver import Mechanism
from solver.mechanism import (
    Body,
    Box,
    Capsule,
    Contact,
    Cylinder,
    Ground,
    Hull,
    Joint,
    Keys,
    Material,
    Mesh,
    Shape,
    Sphere,
    Spring,
)
from tests.solver.contact.solids import moments_per_mass

UNTURNED = Rotation.identity()
X, Y, Z = np.eye(3)
FASTEST = 100.0  # m/s
SHAPES = ("box", "sphere", "capsule", "cylinder", "hull")


class Scene:
    """A scene to be filled by its kind; every number of chance comes from `rng`."""

    def __init__(self, rng: np.random.Generator, ground: bool = True, weight: bool = True) -> None:
        self.rng, self.duration = rng, float(rng.uniform(1.5, 3.0))
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.constraints: list = []
        self.forces: list = []
        self.actions: list = []
        self.ignore: list[tuple[str, str]] = []
        self.gravity = (0.0, 0.0, -9.81) if weight else (0.0, 0.0, 0.0)
        self._slippery, self._springy, self._spread = rng.random() < 0.1, rng.random(), self._mass_spread()
        self.ground = Ground(0.0, self.friction(), self.restitution()) if ground else None

    def mechanism(self, name: str) -> Mechanism:
        contact = Contact(ground=self.ground, ignore=self.ignore)
        parts = self.bodies, self.joints, self.constraints, self.forces, self.actions
        return Mechanism(name, self.gravity, *parts, contact=contact)

    # ---- numbers of chance

    def _mass_spread(self) -> float:
        """Decades: alike in most scenes, up to one to a thousand in some."""
        return float(self.rng.choice([0.0, 0.3, 1.0, 3.0], p=[0.3, 0.4, 0.2, 0.1]))

    def number(self, low: float, high: float) -> float:
        return float(self.rng.uniform(low, high))

    def count(self, low: int, high: int) -> int:
        """From low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, part: float) -> bool:
        return bool(self.rng.random() < part)

    def mass(self, usual: float = 1.0) -> float:
        return usual * 10.0 ** self.number(-0.5 * self._spread, 0.5 * self._spread)

    def gap(self) -> float:
        """Between neighbours: often none, or a hair, at most 5 cm."""
        return float(self.rng.choice([0.0, 1e-3, self.number(0.0, 0.05)]))

    def speed(self, low: float, high: float) -> float:
        """Now and then as much as FASTEST."""
        return self.number(high, FASTEST) if self.chance(0.05) else self.number(low, high)

    def friction(self) -> float:
        return 0.0 if self._slippery or self.chance(0.08) else self.number(0.0, 2.0 if self.chance(0.2) else 1.0)

    def restitution(self) -> float:
        """Scenes without any, with some, and with perfect bounces."""
        if self._springy < 0.3:
            return 0.0
        return 1.0 if self._springy > 0.9 else self.number(0.0, 1.0 if self._springy > 0.7 else 0.6)

    def surface(self) -> Material:
        return Material(self.friction(), self.restitution())

    def direction(self) -> np.ndarray:
        way = self.rng.normal(size=3)
        return way / np.linalg.norm(way)

    def turn(self) -> Rotation:
        return Rotation.from_quat(self.rng.normal(size=4))

    def slight_turn(self, most: float = 0.05) -> Rotation:
        """About the vertical."""
        return Rotation.from_rotvec(self.number(-most, most) * Z)

    # ---- shapes

    def shape(self, size: float, kinds: Sequence[str] = SHAPES) -> Shape:
        """Of a kind of chance, within `size` of its middle."""
        kind, thick, long = self.rng.choice(kinds), self.number(0.25, 0.6) * size, self.number(0.5, 1.0)
        if kind == "sphere":
            return Sphere(radius=self.number(0.4, 1.0) * size)
        if kind == "box":
            return Box(half_size=self.rng.uniform(0.2, 1.0, 3) * size / 3.0**0.5)
        if kind == "capsule":
            return Capsule(radius=thick, half_length=long * (size - thick))
        if kind == "cylinder":
            return Cylinder(radius=thick, half_length=long * (size**2 - thick**2) ** 0.5)
        return self.rock(size)

    def rock(self, size: float) -> Hull:
        points = self.rng.normal(size=(self.count(6, 16), 3))
        points *= size / np.linalg.norm(points, axis=1, keepdims=True)
        return Hull(points=points[ConvexHull(points).vertices] * self.rng.uniform(0.6, 1.0, 3))

    # ---- bodies

    def body(self, name: str, shape, position, mass: float | None = None, turn: Rotation = UNTURNED, **given) -> Body:
        """A dynamic body that fills its shape, or shapes, evenly."""
        shapes = [shape] if isinstance(shape, Shape) else list(shape)
        mass = self.mass() if mass is None else mass
        inertia, center = _filled(shapes, mass)
        given = {"material": self.surface(), "center_of_mass": center, "inertia": inertia.tolist()} | given
        pose = {"position": np.asarray(position, float), "orientation": quaternion(turn)}
        self.bodies.append(Body(name, mass=mass, shape=shape, **pose, **given))
        return self.bodies[-1]

    def fixed(self, name: str, shape, position=(0.0, 0.0, 0.0), turn: Rotation = UNTURNED, **given) -> Body:
        given = {"material": self.surface()} | given
        pose = {"position": np.asarray(position, float), "orientation": quaternion(turn)}
        self.bodies.append(Body(name, motion="fixed", shape=shape, **pose, **given))
        return self.bodies[-1]

    def keyed(self, name: str, shape, times, positions, turns: Sequence[Rotation] | None = None, **given) -> Body:
        """A body that moves as told: places and turns at times."""
        turns = [UNTURNED] * len(times) if turns is None else turns
        keys = Keys(tuple(times), [tuple(each) for each in positions], [tuple(quaternion(each)) for each in turns])
        self.bodies.append(Body(name, motion="keyed", keys=keys, shape=shape, **({"material": self.surface()} | given)))
        return self.bodies[-1]

    def gliding(self, name: str, shape, start, velocity, turn: Rotation = UNTURNED, **given) -> Body:
        """A keyed body at constant speed, for longer than any scene lasts."""
        ends = np.asarray(start, float), np.asarray(start, float) + 4.0 * np.asarray(velocity, float)
        return self.keyed(name, shape, (0.0, 4.0), ends, [turn, turn], **given)

    def spinning(self, name: str, shape, place, axis, rate: float, turn: Rotation = UNTURNED, **given) -> Body:
        """A keyed body that turns about its origin at a constant rate (rad/s)."""
        steps = max(8, int(np.ceil(4.0 * abs(rate))))
        times = np.linspace(0.0, 4.0, steps + 1)
        turns = [Rotation.from_rotvec(rate * t * np.asarray(axis, float)) * turn for t in times]
        return self.keyed(name, shape, times, [tuple(place)] * len(times), turns, **given)

    def swaying(self, name: str, shape, place, way, rate: float, **given) -> Body:
        """A keyed body that sways along a vector from one end to the other, `rate` times in a second, from rest."""
        times = np.linspace(0.0, 4.0, 1 + int(np.ceil(4.0 * 16.0 * rate)))
        share = 0.5 - 0.5 * np.cos(2.0 * np.pi * rate * times)
        return self.keyed(name, shape, times, np.asarray(place) + share[:, None] * np.asarray(way, float), **given)

    # ---- joints

    def joint(self, kind: str, parent: Body | None, child: Body, place, axis=Z, **given) -> Joint:
        name = f"{kind} {parent.name if parent else 'world'} {child.name}"
        above = None if parent is None else parent.name
        self.joints.append(Joint(name, kind, above, child.name, np.asarray(place, float), facing(axis), **given))
        return self.joints[-1]

    def spring(self, one: Body, other: Body | None, start, end, stiffness: float, rest: float, damping: float = 0.0):
        name = f"spring {len(self.forces)}"
        ends = {"point_a": tuple(start), "point_b": tuple(end)}
        onto = None if other is None else other.name
        self.forces.append(
            Spring(
                name=name, body_a=one.name, body_b=onto, stiffness=stiffness, rest_length=rest, damping=damping, **ends
            )
        )

    def rod(self, name: str, start, end, thick: float, mass: float | None = None, kind: str = "capsule", short=0.0):
        """A capsule, cylinder or box between two points, shortened by `short` on both ends."""
        start, end = np.asarray(start, float), np.asarray(end, float)
        half = 0.5 * np.linalg.norm(end - start) - short
        if kind == "capsule":
            shape = Capsule(radius=thick, half_length=half - thick)
        elif kind == "cylinder":
            shape = Cylinder(radius=thick, half_length=half)
        else:
            shape = Box(half_size=(thick, thick, half))
        return self.body(name, shape, 0.5 * (start + end), mass, along(end - start))

    def chain(self, name: str, points, thick: float, mass=None, first: Body | None = None, kind="spherical", axis=Y):
        """Rods from point to point, each on the one before, the first on `first` (None: the world)."""
        links, before = [], first
        damping = (1e-3,) * {"spherical": 3, "revolute": 1, "universal": 2}[kind]
        for k in range(len(points) - 1):
            link = self.rod(f"{name} {k}", points[k], points[k + 1], thick, mass, short=0.3 * thick)
            self.joint(kind, before, link, points[k], axis, damping=damping)
            links.append(link)
            before = link
        return links

    # ---- many bodies

    def wall(self, name: str, corner, wide: int, high: int, half, gap: float, mass: float = 1.0, along_y: bool = True):
        """Boxes side by side and on each other; every other layer is shifted by half a box in half of the walls."""
        half, shifted = np.asarray(half, float), self.chance(0.5)
        step = (Y if along_y else X) * (2.0 * half[1 if along_y else 0] + gap)
        boxes = []
        for layer in range(high):
            for k in range(wide):
                place = np.asarray(corner, float) + (k + (0.5 * (layer % 2) if shifted else 0.0)) * step
                place = place + Z * (half[2] + layer * (2.0 * half[2] + min(gap, 2e-3)))
                boxes.append(self.body(f"{name} {layer} {k}", Box(half_size=half), place, self.mass(mass)))
        return boxes

    def stack(self, name: str, place, count: int, size: float, gap: float = 0.0, turned: float = 0.05) -> float:
        """Boxes on each other, slightly turned; returns the height of the top."""
        top = float(place[2])
        for k in range(count):
            half = size * self.rng.uniform(0.6, 1.0, 3)
            top += half[2] + gap
            at = (place[0] + self.number(-0.1, 0.1) * size, place[1] + self.number(-0.1, 0.1) * size, top)
            self.body(f"{name} {k}", Box(half_size=half), at, turn=self.slight_turn(turned))
            top += half[2]
        return top

    def heap(self, name: str, corner, grid: tuple[int, int, int], size: float, kinds=SHAPES, most: int = 99, **given):
        """Things in a grid of places, each within `size` of its own, turned anyhow."""
        places = np.array([(i, j, k) for k in range(grid[2]) for j in range(grid[1]) for i in range(grid[0])], float)
        things = []
        for k, place in enumerate(places[:most]):
            at = np.asarray(corner, float) + size * (1.0 + 2.05 * place)
            spin = self.rng.normal(0.0, 2.0, 3)
            things.append(
                self.body(f"{name} {k}", self.shape(size, kinds), at, turn=self.turn(), angular_velocity=spin, **given)
            )
        return things

    def throw(self, body: Body, velocity, spin=(0.0, 0.0, 0.0)) -> None:
        body.linear_velocity, body.angular_velocity = tuple(velocity), tuple(spin)

    def move(self, bodies: list[Body], joints: list[Joint], turn: Rotation, shift, velocity=(0, 0, 0), spin=(0, 0, 0)):
        """Turns bodies and joints about the origin, shifts them, and sends them off as one rigid piece."""
        shift, velocity, spin = (np.asarray(each, float) for each in (shift, velocity, spin))
        for part in (*bodies, *joints):
            part.position = turn.apply(part.position)
            part.orientation = quaternion(turn * rotation(part.orientation))
        for body in bodies:
            body.linear_velocity, body.angular_velocity = velocity + np.cross(spin, body.position), spin
        for part in (*bodies, *joints):
            part.position = part.position + shift


def quaternion(turn: Rotation) -> np.ndarray:
    return np.roll(turn.as_quat(), 1)


def rotation(orientation) -> Rotation:
    return Rotation.from_quat(np.roll(np.asarray(orientation, float), -1))


def along(direction) -> Rotation:
    """Turns Z this way, by the shortest arc."""
    z = np.asarray(direction, float) / np.linalg.norm(direction)
    axis, cosine = np.cross(Z, z), z[2]
    if np.linalg.norm(axis) < 1e-12:
        return UNTURNED if cosine > 0.0 else Rotation.from_rotvec(np.pi * X)
    return Rotation.from_rotvec(np.arctan2(np.linalg.norm(axis), cosine) * axis / np.linalg.norm(axis))


def facing(axis) -> np.ndarray:
    """The quaternion that turns Z this way."""
    return quaternion(along(axis))


def revolved(profile: Sequence[tuple[float, float]], segments: int = 16) -> Mesh:
    """A mesh about Z from (radius, height) points inside out; its outer side is the upper one."""
    angles = 2.0 * np.pi * np.arange(segments) / segments
    points = [(r * np.cos(a), r * np.sin(a), z) for r, z in profile for a in angles]
    triangles = []
    for ring in range(len(profile) - 1):
        for k in range(segments):
            a, b = ring * segments + k, ring * segments + (k + 1) % segments
            c, d = a + segments, b + segments
            if profile[ring][0] > 0.0:
                triangles.append((a, c, b))
            triangles.append((b, c, d))
    return Mesh(points=points, triangles=triangles)


def _filled(shapes: list[Shape], mass: float) -> tuple[np.ndarray, np.ndarray]:
    """((3, 3) inertia about the centre of mass, centre of mass) of shapes of one density that do not overlap."""
    volumes = np.array([_volume(shape) for shape in shapes])
    parts = [moments_per_mass(shape) for shape in shapes]
    turns = [rotation(shape.orientation) for shape in shapes]
    centers = [t.apply(c) + shape.position for t, (_, c), shape in zip(turns, parts, shapes, strict=True)]
    masses = mass * volumes / volumes.sum()
    center = masses @ np.array(centers) / mass
    inertia = np.zeros((3, 3))
    for m, t, (own, _), c in zip(masses, turns, parts, centers, strict=True):
        arm = c - center
        inertia += m * (t.as_matrix() @ own @ t.as_matrix().T + arm @ arm * np.eye(3) - np.outer(arm, arm))
    return 0.5 * (inertia + inertia.T), center


def _volume(shape: Shape) -> float:
    """m3"""
    if isinstance(shape, Sphere):
        return 4.0 / 3.0 * np.pi * shape.radius**3
    if isinstance(shape, Box):
        return 8.0 * float(np.prod(shape.half_size))
    if isinstance(shape, Cylinder):
        return 2.0 * np.pi * shape.radius**2 * shape.half_length
    if isinstance(shape, Capsule):
        return np.pi * shape.radius**2 * (2.0 * shape.half_length + 4.0 / 3.0 * shape.radius)
    return float(ConvexHull(np.array(shape.points)).volume)
