# SPDX-License-Identifier: GPL-3.0-or-later
"""A body that floats by itself is compiled from shared arrays to the same numbers as by itself."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import simulate
from solver.mechanism import Body, Damping, Joint, Mechanism
from solver.model.arrays import COMPOSITE, LAGRANGE, RECURSIVE
from solver.model.linkage import loose_bodies
from solver.model.linkage.compilation import Compiled, compile_linkage
from solver.model.linkage.loose_bodies import compile_quickly
from solver.model.topology import find_linkages

GRAVITY = (0.3, 0.0, -9.81)
MATRIX = ((2.0, 0.1, 0.0), (0.1, 3.0, -0.2), (0.0, -0.2, 2.5))


def loose(number: int = 0) -> Body:
    """Of odd numbers; each differs from the others."""
    turn = np.array([0.3, -0.5, 0.7 + 0.1 * number, 0.2])
    return Body(
        name=f"body {number}",
        mass=3.5 + number,
        inertia=MATRIX if number % 2 else (1.0, 2.0, 2.5),
        center_of_mass=(0.1, -0.2, 0.3),
        position=(1.0, 2.0 * number, 3.0),
        orientation=tuple(turn / np.linalg.norm(turn)),
        linear_velocity=(1.0, 0.0, 2.0),
        angular_velocity=(1.0, -2.0, 3.0),
    )


def assert_same(found: object, expected: object, name: str) -> None:
    """Equal to the last digit, all arrays and numbers; stops aside, which a loose body has none of."""
    if isinstance(expected, Compiled):
        for field in dataclasses.fields(expected):
            assert_same(getattr(found, field.name), getattr(expected, field.name), f"{name}.{field.name}")
    elif isinstance(expected, tuple) and hasattr(expected, "_fields"):
        assert type(found) is type(expected)
        for field in set(expected._fields) - {"stop_stiffness"}:
            assert_same(getattr(found, field), getattr(expected, field), f"{name}.{field}")
    elif isinstance(expected, np.ndarray):
        assert (type(found), found.dtype, found.shape) == (type(expected), expected.dtype, expected.shape), name
        assert found.tobytes() == expected.tobytes(), name
    else:
        assert found == expected, name


@pytest.mark.fallback
@pytest.mark.parametrize("method", [RECURSIVE, COMPOSITE])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_all_numbers_are_the_same(method: int, number: int) -> None:
    mechanism = Mechanism(bodies=[loose(i) for i in range(3)], gravity=GRAVITY)
    linkages = find_linkages(mechanism)
    found = compile_quickly(mechanism, linkages, method)
    assert found[number].model.charted is found[0].model.charted
    assert_same(found[number], compile_linkage(mechanism, linkages[number], method), "compiled")


@pytest.mark.fallback
def test_loose_ones_stay_in_their_order_among_others() -> None:
    joint = Joint(name="joint", type="spherical", parent=None, child="body 1", position=(0.0, 0.0, 0.0))
    mechanism = Mechanism(bodies=[loose(i) for i in range(3)], joints=[joint], gravity=GRAVITY)
    linkages = find_linkages(mechanism)
    for linkage, found in zip(linkages, compile_quickly(mechanism, linkages, RECURSIVE), strict=True):
        assert found.linkage is linkage
        assert_same(found, compile_linkage(mechanism, linkage, RECURSIVE), "compiled")


@pytest.mark.fallback
def test_a_method_that_keeps_the_inertia_elsewhere_shares_nothing() -> None:
    mechanism = Mechanism(bodies=[loose(i) for i in range(3)], gravity=GRAVITY)
    linkages = find_linkages(mechanism)
    for linkage, found in zip(linkages, compile_quickly(mechanism, linkages, LAGRANGE), strict=True):
        assert_same(found, compile_linkage(mechanism, linkage, LAGRANGE), "compiled")


@pytest.mark.fallback
@pytest.mark.parametrize("what", ["held", "damped", "thin"])
def test_others_are_compiled_by_themselves(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = loose()
    mechanism = Mechanism(bodies=[body], gravity=GRAVITY)
    if what == "held":
        mechanism.joints.append(
            Joint(name="joint", type="spherical", parent=None, child="body 0", position=(0.0, 0.0, 0.0))
        )
    elif what == "damped":
        mechanism.forces.append(Damping(name="air", body="body 0", linear=1.0))
    else:
        mechanism.bodies[0] = dataclasses.replace(body, inertia=(1e-9, 1.0, 1.0))
    monkeypatch.setattr(loose_bodies, "_loose_bodies", lambda *_: pytest.fail("taken for a loose one"))
    (linkage,) = find_linkages(mechanism)
    (found,) = compile_quickly(mechanism, [linkage], RECURSIVE)
    assert_same(found, compile_linkage(mechanism, linkage, RECURSIVE), "compiled")


@pytest.mark.fallback
def test_what_is_shared_is_not_written_to() -> None:
    mechanism = Mechanism(bodies=[loose(0), loose(1)], gravity=GRAVITY)
    both = simulate(mechanism, 0.2)
    alone = simulate(dataclasses.replace(mechanism, bodies=[loose(1)]), 0.2)
    np.testing.assert_array_equal(both.position[:, 1], alone.position[:, 0])
    np.testing.assert_array_equal(both.orientation[:, 1], alone.orientation[:, 0])
