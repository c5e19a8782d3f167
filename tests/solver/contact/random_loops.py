# SPDX-License-Identifier: GPL-3.0-or-later
"""Random closed linkages that are thrown on the ground, each from one number: rings, with a tail or a chain across."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from solver import Mechanism
from solver.mechanism import Body, Box, Capsule, Contact, Ground, Joint, Material, Shape, Sphere
from tests.solver.contact.solids import solid

KINDS = ("universal", "universal", "spherical", "revolute", "mixed")  # of a ring's joints
NEXT = 0.12  # m: about half a link
GAP = 0.25  # m: at least, from the ground to the middle of the lowest link


def random_loops(seed: int) -> Mechanism:
    """A ring of 3 to 12 links of one surface, undamped; every third has a tail, of those from 6 on many a second loop.

    Hinges stand across the plane of their ring, so that it can move; all other joints, and rings, are askew.
    """
    rng = np.random.default_rng(seed)
    kind, count = KINDS[int(rng.integers(len(KINDS)))], int(rng.integers(3, 13))
    if kind == "revolute":
        count = max(count, 4)
    surface = Material(0.0 if rng.random() < 0.15 else rng.uniform(0.0, 1.0), _restitution(rng))
    corners = _corners(rng, count, kind == "revolute" or rng.random() < 0.3)
    middles = 0.5 * (corners + np.roll(corners, -1, axis=0))
    linkage = _Linkage(rng, kind, surface)
    for k in range(count):
        linkage.add_link(f"link {k}", corners[k], corners[(k + 1) % count])
    for k in range(count):
        linkage.add_joint(f"link {k}", f"link {(k + 1) % count}", corners[(k + 1) % count])
    more = rng.random()
    if more < 0.33:
        outward = middles[0] / np.linalg.norm(middles[0])
        ways = [middles[0] + 2.0 * NEXT * k * outward for k in range(int(rng.integers(2, 5)))]
        linkage.add_chain("tail", ["link 0"], ways)
    elif more < 0.66 and count >= 6:
        away = (0.0, 0.1, 0.0) if kind == "revolute" else (0.0, 0.0, 0.1)
        elbow = 0.5 * (middles[0] + middles[count // 2]) + away
        linkage.add_chain("cross", ["link 0", f"link {count // 2}"], [middles[0], elbow, middles[count // 2]])
    linkage.throw()
    ground = Ground(0.0, float(rng.uniform(0.0, 1.0)), surface.restitution)
    return Mechanism(f"loops {seed}", (0, 0, -9.81), linkage.bodies, linkage.joints, contact=Contact(ground=ground))


def _restitution(rng) -> float:
    return float(rng.choice([0.0, 1.0, rng.uniform(0.0, 1.0)]))


def _corners(rng, count: int, is_flat: bool) -> np.ndarray:
    """(count, 3) m: a polygon about the origin that does not cross itself."""
    angles = 2.0 * np.pi * (np.arange(count) + rng.uniform(-0.15, 0.15, count)) / count
    far = (NEXT * count / np.pi + 0.05) * rng.uniform(0.8, 1.2, count)
    height = np.zeros(count) if is_flat else 0.05 * rng.normal(size=count)
    return np.stack([far * np.cos(angles), far * np.sin(angles), height], axis=1)


class _Linkage:
    def __init__(self, rng, kind: str, surface: Material) -> None:
        self._rng, self._kind, self._surface = rng, kind, surface
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []

    def add_link(self, name: str, start: np.ndarray, end: np.ndarray) -> None:
        """A solid along local Z that ends a little before the two points."""
        length, mass = np.linalg.norm(end - start), float(np.exp(self._rng.uniform(-1.5, 1.5)))
        shape, turn = self._shape(length), _along(self._rng, end - start)
        middle = 0.5 * (start + end)
        self.bodies.append(solid(name, shape, middle, mass, orientation=turn, material=self._surface))

    def _shape(self, length: float) -> Shape:
        kind, thick = self._rng.integers(3), min(0.18 * length, self._rng.uniform(0.01, 0.04))
        if kind == 0:
            return Box(half_size=(thick, self._rng.uniform(0.5, 1.0) * thick, 0.42 * length))
        if kind == 1:
            return Capsule(radius=thick, half_length=0.42 * length - thick)
        return Sphere(radius=0.3 * length)

    def add_joint(self, parent: str, child: str, place: np.ndarray) -> None:
        kinds = ("universal", "spherical", "revolute")
        kind = kinds[int(self._rng.integers(3))] if self._kind == "mixed" else self._kind
        turn = np.array([1.0, 0.0, 0.0, 0.0]) if self._kind == "revolute" else self._rng.normal(size=4)
        turn /= np.linalg.norm(turn)
        self.joints.append(Joint(f"joint {len(self.joints)}", kind, parent, child, place, turn))

    def add_chain(self, name: str, ends: list[str], points: list[np.ndarray]) -> None:
        """Links from point to point, the first one on the first of the ends; the last one on the second, if any."""
        before = ends[0]
        for k, (start, end) in enumerate(itertools.pairwise(points)):
            self.add_link(f"{name} {k}", start, end)
            self.add_joint(before, f"{name} {k}", start)
            before = f"{name} {k}"
        if len(ends) > 1:
            self.add_joint(before, ends[1], points[-1])

    def throw(self) -> None:
        """Turns all somehow, lifts it above the ground, and lets it fall and spin as one."""
        turn, spin = Rotation.random(random_state=int(self._rng.integers(2**31))), self._rng.normal(0.0, 3.0, 3)
        velocity = np.array([*self._rng.normal(0.0, 1.0, 2), -abs(self._rng.normal(0.0, 2.0))])
        lowest = min(turn.apply(body.position)[2] for body in self.bodies)
        for part in (*self.bodies, *self.joints):
            own = Rotation.from_quat(np.roll(part.orientation, -1))
            part.position = turn.apply(part.position)
            part.orientation = np.roll((turn * own).as_quat(), 1)
        for body in self.bodies:
            body.linear_velocity, body.angular_velocity = velocity + np.cross(spin, body.position), spin
        for part in (*self.bodies, *self.joints):
            part.position = part.position + np.array([0.0, 0.0, GAP - lowest])


def _along(rng, direction: np.ndarray) -> np.ndarray:
    """A quaternion that turns local Z this way, X anywhere."""
    z = direction / np.linalg.norm(direction)
    x = np.cross(z, rng.normal(size=3))
    x /= np.linalg.norm(x)
    return np.roll(Rotation.from_matrix(np.stack([x, np.cross(z, x), z], axis=1)).as_quat(), 1)
