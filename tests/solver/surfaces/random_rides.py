# SPDX-License-Identifier: GPL-3.0-or-later
"""Random linkages in which something rides, each from one number: on the world, on what floats, swings or is keyed."""

from __future__ import annotations

import numpy as np

from solver import Mechanism, assemble
from solver.mechanism import (
    Body,
    Distance,
    Joint,
    Keys,
    Smooth,
    SmoothCylinder,
    SmoothEllipsoid,
    SmoothPatches,
    SmoothPlane,
    SmoothSphere,
    SmoothTorus,
    Spring,
)
from tests.solver.random_mechanisms import unit_quaternion

HOLDERS = ("world", "floats", "swings", "keyed")


def random_ride(seed: int) -> Mechanism:
    """A body that rides on top of a surface, which something holds; a pendulum may hang on it, or a rod may tie it."""
    rng = np.random.default_rng(seed)
    holder = HOLDERS[int(rng.integers(4))]
    surface, top = _surface(rng)
    child, reach = _child(rng)
    rider = Body(
        name="rider", mass=float(np.exp(rng.uniform(-1.0, 1.0))), position=(top[0], top[1], top[2] + reach),
        center_of_mass=0.1 * reach * rng.normal(size=3), orientation=unit_quaternion(rng),
        linear_velocity=(*rng.normal(size=2), 0.0), angular_velocity=2.0 * rng.normal(size=3),
    )  # fmt: skip
    rider.inertia = (0.4 * rider.mass * reach**2 * rng.uniform(0.8, 1.2, 3)).tolist()
    ride = Joint(
        name="ride", type="contact", parent=None if holder == "world" else "holder", child="rider", position=tuple(top),
        surface_parent=surface, surface_child=child, rolling=bool(rng.random() < 0.5),
        damping=[0.0] * 5 if rng.random() < 0.6 else rng.uniform(0.0, 0.2, 5).tolist(),
    )  # fmt: skip
    bodies, joints, constraints = [rider], [ride], []
    if holder != "world":
        bodies.insert(0, _holder(rng, holder))
    if holder == "swings":
        joints.append(Joint(name="pivot", type="spherical", parent=None, child="holder", position=(0.3, -0.2, 2.0)))
    if rng.random() < 0.4:
        at = np.array(rider.position)
        joints.append(Joint(name="hook", type="universal", parent="rider", child="bob", position=at.tolist()))
        bodies.append(Body(name="bob", mass=0.3, inertia=(2e-3,) * 3, position=(at + (0.0, 0.25, 0.1)).tolist()))
    if rng.random() < 0.3:
        far = np.array(rider.position) + (0.8, 0.3, 1.0)
        constraints.append(
            Distance(name="rod", body_a="rider", body_b=None, point_a=rider.position, point_b=far.tolist())
        )
    forces, weight = [], -9.81
    if holder == "floats":
        weight, low = 0.0, (0.0, 0.0, -1.0)
        pull = Spring(
            name="pull", body_a="holder", body_b="rider", point_a=low, point_b=rider.position, stiffness=30.0,
            rest_length=0.0,
        )  # fmt: skip
        forces.append(pull)
    mechanism = Mechanism(
        f"ride {seed}", (0.0, 0.0, weight), bodies=bodies, joints=joints, constraints=constraints, forces=forces
    )
    return assemble(mechanism)


def _surface(rng) -> tuple[Smooth, np.ndarray]:
    """(surface, its highest point)."""
    size = rng.uniform(0.8, 1.5)
    kind = rng.integers(6)
    if kind == 0:
        return SmoothPlane(), np.zeros(3)
    if kind == 1:
        return SmoothSphere(radius=size), np.array([0.0, 0.0, size])
    if kind == 2:
        axes = size * rng.uniform(0.8, 1.2, 3)
        return SmoothEllipsoid(half_axes=axes.tolist()), np.array([0.0, 0.0, axes[2]])
    if kind == 3:
        return SmoothTorus(ring_radius=size, tube_radius=0.4 * size), np.array([size, 0.0, 0.4 * size])
    if kind == 4:
        lying = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
        return SmoothCylinder(radius=size, orientation=lying), np.array([0.0, 0.0, size])
    steps = 2.0 * size * np.linspace(-1.0, 1.0, 4)
    heights = 0.3 * rng.uniform(-1.0, 1.0, (4, 4))
    points = [[[x, y, heights[i, j]] for j, y in enumerate(steps)] for i, x in enumerate(steps)]
    thirds = np.array([0.125, 0.375, 0.375, 0.125])
    return SmoothPatches(points=points), np.array([0.0, 0.0, thirds @ heights @ thirds])


def _child(rng) -> tuple[Smooth, float]:
    """(surface, about how far its middle is above what it touches)."""
    size = rng.uniform(0.1, 0.2)
    if rng.random() < 0.5:
        return SmoothSphere(radius=size), size
    return SmoothEllipsoid(half_axes=(size * rng.uniform(0.8, 1.2, 3)).tolist()), size


def _holder(rng, holder: str) -> Body:
    if holder == "keyed":
        times = np.linspace(0.0, 1.0, 11)
        places = 0.05 * np.sin(np.outer(times, rng.uniform(1.0, 3.0, 3)))
        turns = np.array([1.0, 0.0, 0.0, 0.0]) + 0.05 * np.sin(np.outer(times, rng.uniform(-3.0, 3.0, 4)))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        keys = Keys(times, places.tolist(), turns.tolist())
        return Body("holder", "keyed", keys=keys, position=places[0], orientation=turns[0])
    return Body(
        name="holder", mass=3.0, inertia=(1.0, 1.2, 1.5), center_of_mass=(0.1, 0.0, -0.2),
        linear_velocity=0.3 * rng.normal(size=3), angular_velocity=0.3 * rng.normal(size=3),
    )  # fmt: skip
