# SPDX-License-Identifier: GPL-3.0-or-later
"""Gauges of a recording of contact, from poses and velocities alone: depths, momentum, energy, slip."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from solver import Mechanism, Recording
from solver.mechanism import Body, Box, Capsule, Cylinder, Hull, Shape, Sphere

DOWN = np.array([0.0, 0.0, -1.0])


def number_of(recording: Recording, name: str) -> int:
    return list(recording.body_names).index(name)


def turns(recording: Recording, body: int) -> np.ndarray:
    """(F, 3, 3): body axes in the world."""
    return _matrices(recording.orientation[:, body])


def _matrices(quaternions: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(np.roll(quaternions, -1, axis=-1)).as_matrix()


def lowest(mechanism: Mechanism, recording: Recording, name: str) -> np.ndarray:
    """(F,) m: height of a body's lowest point."""
    k = number_of(recording, name)
    body, turn = mechanism.bodies[k], turns(recording, k)
    reach = [_reach(shape, turn, DOWN) for shape in body.shapes]
    return recording.position[:, k, 2] - np.max(reach, axis=0)


def _reach(shape: Shape, turn: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """(F,) m: how far a shape reaches from its body's origin along a direction of the world."""
    d = np.einsum("fji,j->fi", turn, direction)
    place = d @ np.array(shape.position)
    d = d @ _matrices(np.array(shape.orientation))
    if isinstance(shape, Sphere):
        return place + shape.radius
    if isinstance(shape, Box):
        return place + np.abs(d) @ np.array(shape.half_size)
    if isinstance(shape, Capsule):
        return place + shape.radius + shape.half_length * np.abs(d[:, 2])
    if isinstance(shape, Cylinder):
        return place + shape.radius * np.hypot(d[:, 0], d[:, 1]) + shape.half_length * np.abs(d[:, 2])
    return place + (d @ np.array(shape.points).T).max(axis=1)


def sinking(mechanism: Mechanism, recording: Recording, height: float = 0.0) -> float:
    """m: the deepest that any dynamic body is below the ground in any frame."""
    names = [body.name for body in mechanism.bodies if body.motion == "dynamic"]
    return max(0.0, *(height - lowest(mechanism, recording, name).min() for name in names))


def overlap(mechanism: Mechanism, recording: Recording, frame: int) -> float:
    """m: the deepest overlap of two balls, boxes or hulls that are no compounds, over all pairs of a frame."""
    solids = [_Solid(body, recording, k, frame) for k, body in enumerate(mechanism.bodies) if body.shapes]
    near = ((a, b) for a, b in combinations(solids, 2) if np.linalg.norm(a.place - b.place) < a.radius + b.radius)
    return max((_depth(a, b) for a, b in near if not (a.is_still and b.is_still)), default=0.0)


def overlap_of(mechanism: Mechanism, recording: Recording, frame: int, one: str, other: str) -> float:
    """m: the same of one pair."""
    numbers = [number_of(recording, name) for name in (one, other)]
    return _depth(*(_Solid(mechanism.bodies[k], recording, k, frame) for k in numbers))


class _Solid:
    """A convex body as points and a radius around them, with the directions that can part it from another."""

    def __init__(self, body: Body, recording: Recording, k: int, frame: int) -> None:
        (shape,) = body.shapes
        turn = turns(recording, k)[frame]
        self.is_still = body.motion != "dynamic"
        self.place, self.rounding = recording.position[frame, k], 0.0
        points, normals, edges = np.zeros((1, 3)), np.zeros((0, 3)), np.zeros((0, 3))
        if isinstance(shape, Sphere):
            self.rounding = shape.radius
        elif isinstance(shape, Box):
            points = np.array(list(product((-1.0, 1.0), repeat=3))) * shape.half_size
            normals = edges = np.eye(3)
        elif isinstance(shape, Hull):
            points = np.array(shape.points)
            hull = ConvexHull(points)
            normals = np.unique(hull.equations[:, :3].round(12), axis=0)
            edges = np.concatenate(
                [np.diff(points[hull.simplices[:, [i, j]]], axis=1)[:, 0] for i, j in ((0, 1), (1, 2), (2, 0))]
            )
        else:
            raise TypeError(f"no overlap is measured for a {shape.type}")
        self.points, self.normals, self.edges = self.place + points @ turn.T, normals @ turn.T, edges @ turn.T
        self.radius = np.linalg.norm(self.points - self.place, axis=1).max() + self.rounding


def _depth(a: _Solid, b: _Solid) -> float:
    """m, by the theorem of the separating axis; for a ball its nearest corner counts too."""
    crossed = np.cross(a.edges[:, None], b.edges[None]).reshape(-1, 3)
    directions = np.concatenate([a.normals, b.normals, crossed, _towards(a, b), _towards(b, a)])
    lengths = np.linalg.norm(directions, axis=1)
    directions = directions[lengths > 1e-9] / lengths[lengths > 1e-9, None]
    first, second = a.points @ directions.T, b.points @ directions.T
    reach = np.minimum(first.max(axis=0) - second.min(axis=0), second.max(axis=0) - first.min(axis=0))
    return float(max(0.0, (reach + a.rounding + b.rounding).min()))


def _towards(ball: _Solid, other: _Solid) -> np.ndarray:
    """From a ball's middle to the corners, and square onto the edges, of another."""
    if len(ball.points) > 1:
        return np.zeros((0, 3))
    arms = other.points - ball.points
    if not len(other.edges):
        return arms
    along = other.edges / np.linalg.norm(other.edges, axis=1, keepdims=True)
    square = arms[:, None] - (arms @ along.T)[..., None] * along[None]
    return np.concatenate([arms, square.reshape(-1, 3)])


def momentum(mechanism: Mechanism, recording: Recording) -> tuple[np.ndarray, np.ndarray]:
    """((F, 3) kg m/s, (F, 3) kg m2/s about the world's origin) of all dynamic bodies."""
    linear, angular = np.zeros((2, len(recording.times), 3))
    for k, body in enumerate(mechanism.bodies):
        if body.motion != "dynamic":
            continue
        center, velocity, spin = _center(body, recording, k)
        p = body.mass * velocity
        linear += p
        angular += np.cross(center, p) + spin
    return linear, angular


def energy(mechanism: Mechanism, recording: Recording) -> np.ndarray:
    """(F,) J: motion and weight of all dynamic bodies, zero height at the world's origin."""
    total, gravity = np.zeros(len(recording.times)), np.array(mechanism.gravity)
    for k, body in enumerate(mechanism.bodies):
        if body.motion != "dynamic":
            continue
        center, velocity, spin = _center(body, recording, k)
        total += 0.5 * body.mass * (velocity**2).sum(axis=1) - body.mass * center @ gravity
        total += 0.5 * (spin * recording.angular_velocity[:, k]).sum(axis=1)
    return total


def _center(body: Body, recording: Recording, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(F, 3) each: centre of mass, its velocity, angular momentum about it."""
    turn, w = turns(recording, k), recording.angular_velocity[:, k]
    arm = turn @ np.array(body.center_of_mass)
    inertia = np.array(body.inertia)
    inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
    spin = np.einsum("fij,jk,flk,fl->fi", turn, inertia, turn, w)
    return recording.position[:, k] + arm, recording.linear_velocity[:, k] + np.cross(w, arm), spin


def strayed(recording: Recording, names: list[str] | None = None) -> float:
    """m: the largest distance of a body's origin, in any frame, from where it was at the start."""
    chosen = range(len(recording.body_names)) if names is None else [number_of(recording, name) for name in names]
    return float(np.linalg.norm(recording.position[:, chosen] - recording.position[:1, chosen], axis=-1).max())


def fastest(recording: Recording, since: float = 0.0) -> float:
    """m/s: the largest speed of a body's origin from then on."""
    return float(np.linalg.norm(recording.linear_velocity[recording.times >= since], axis=-1).max())
