# SPDX-License-Identifier: GPL-3.0-or-later
"""A description that is made of parts is that which would be made at once."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from solver.contact.detection import collision as adapter
from solver.contact.detection import joined_specs
from solver.contact.detection.collision import Collision
from solver.mechanism.bodies import Box, Capsule, Cylinder, Hull, Sphere
from solver.model.collision_shapes import Part
from tests.solver.contact.detection.placing import part

pytestmark = [
    pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable())),
    pytest.mark.fallback,
]
BODIES, DRIVEN = 300, 3
SHAPES = (
    Sphere(radius=0.1),
    Box(half_size=(0.1, 0.2, 0.3)),
    Capsule(radius=0.1, half_length=0.2),
    Cylinder(radius=0.1, half_length=0.3),
    Hull(points=((0, 0, 0), (0.3, 0, 0), (0, 0.2, 0), (0, 0, 0.1), (0.2, 0.2, 0.2))),
)


def parts() -> list[Part]:
    """Each body has one shape, every seventh two."""
    rng = np.random.default_rng(5)
    bodies = [number for number in range(BODIES) for _ in range(1 + (number % 7 == 0))]
    return [part(body, SHAPES[k % len(SHAPES)], tuple(rng.normal(size=3))) for k, body in enumerate(bodies)]


def test_a_model_of_parts_is_that_of_the_whole(monkeypatch):
    excluded = {(0, 200), (5, 6), (31, 33), (40, 299)}
    joined = Collision(parts(), DRIVEN, excluded)._model
    monkeypatch.setattr(joined_specs, "_TOGETHER", BODIES)
    whole = Collision(parts(), DRIVEN, excluded)._model
    compared = 0
    for name in dir(mujoco.MjModel):
        value = None if name.startswith("_") or "name" in name else getattr(whole, name)
        if isinstance(value, np.ndarray) and "path" not in name:
            assert np.array_equal(getattr(joined, name), value), name
            compared += value.size > 0
    assert compared > 50
    assert (joined.nbody, joined.ngeom, joined.nexclude) == (whole.nbody, whole.ngeom, 4)


def test_the_work_for_a_body_does_not_grow_with_their_number(monkeypatch):
    """Bodies that a description has already when one is added."""
    most = 0

    def add(spec: mujoco.MjSpec, body: int) -> None:
        nonlocal most
        most = max(most, len(spec.worldbody.bodies))
        spec.worldbody.add_body(name=str(body))

    spec, names = joined_specs.spec_of(range(1000), add)
    assert most < 32
    assert [body.name for body in spec.bodies[1:]] == [names[body] for body in range(1000)]
