# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of the accelerations of random trees against extrapolated differences and the mass matrix."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from solver.dynamics.derivatives.kinematics import change_rates
from solver.mechanism import Body, Joint, Keys, Mechanism
from solver.model.arrays import COMPOSITE, DIVIDE, LAGRANGE, RECURSIVE
from solver.model.linkage.compilation import compile_linkages
from solver.rotation import chart_rate, chart_rate_change, chart_torque, chart_torque_change, chart_turn
from tests.solver.dynamics.derivatives.differences import (
    Differentiated,
    differentiated,
    extrapolated,
    without_kinks,
    worst_error,
)
from tests.solver.random_mechanisms import TYPES, mechanisms, random_body, random_joint

EXACT = 1e-9  # of the largest entry; differences themselves reach about 1e-11


def some(count: int):
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=checks)


def chain(kinds: tuple[str, ...], reverse: bool = False) -> Mechanism:
    """Bodies in a row, joined in this order by joints with springs, dampers and motors."""
    rng = np.random.default_rng(3)
    bodies = [random_body(rng, f"b{k}") for k in range(len(kinds))]
    joints = []
    for k, kind in enumerate(kinds):
        ends = [f"b{k - 1}" if k else None, f"b{k}"]
        if reverse and k:
            ends.reverse()
        joints.append(random_joint(rng, f"j{k}", kind, *ends, efforts=True))
    return Mechanism(bodies=bodies, joints=joints)


@some(80)
@given(mechanisms())
def test_random_trees(mechanism):
    for linkage in differentiated(without_kinks(mechanism), aside=0.3):
        assert worst_error(linkage) < EXACT


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("kind", TYPES)
def test_every_type_of_joint_in_the_middle(kind, reverse):
    (linkage,) = differentiated(chain(("universal", kind, "spherical", "revolute"), reverse), aside=0.3)
    assert worst_error(linkage) < EXACT


@pytest.mark.parametrize("method", [RECURSIVE, COMPOSITE, DIVIDE, LAGRANGE])
def test_the_answer_does_not_depend_on_the_method(method):
    mechanism = chain(("spherical", "screw", "cylindrical", "planar"))
    (expected,), (got,) = differentiated(mechanism), differentiated(mechanism, method)
    for name in ("by_coordinates", "by_speeds", "by_efforts"):
        a, b = getattr(expected, name), getattr(got, name)
        assert np.abs(a - b).max() < 1e-11 * np.abs(a).max()


@some(40)
@given(mechanisms())
def test_by_efforts_is_the_inverse_of_the_mass_matrix(mechanism):
    for compiled in compile_linkages(mechanism, COMPOSITE):
        axes = len(compiled.model.armature)
        if axes == 0:
            continue
        linkage = Differentiated(compiled)
        L = np.tril(linkage.scratch.dense)
        identity = linkage.by_efforts @ L @ L.T
        assert np.abs(linkage.by_efforts - linkage.by_efforts.T).max() < EXACT * np.abs(linkage.by_efforts).max()
        assert np.abs(identity - np.eye(axes)).max() < 1e-7  # by the condition of the mass matrix


@some(30)
@given(mechanisms())
def test_the_product_is_that_of_the_matrices(mechanism):
    rng = np.random.default_rng(5)
    for linkage in differentiated(mechanism, aside=0.2):
        dq, du, deffort = rng.normal(size=(3, linkage.axes))
        expected = linkage.by_coordinates @ dq + linkage.by_speeds @ du + linkage.by_efforts @ deffort
        got = linkage.product(dq, du, deffort)
        assert np.abs(got - expected).max() < 1e-10 * max(1.0, np.abs(expected).max())


def test_a_direction_leaves_nothing_behind_for_the_next():
    (linkage,) = differentiated(chain(("revolute", "spherical", "planar")), aside=0.2)
    unit, none = np.eye(linkage.axes), np.zeros(linkage.axes)
    linkage.product(unit[0], unit[1], unit[2])
    last = linkage.axes - 1
    got = linkage.product(unit[last], none, none)
    assert np.array_equal(got, linkage.by_coordinates[:, last])


def test_bodies_change_as_their_velocities_tell():
    """Along the motion itself, dq = q' and du = q'', the changes of poses and velocities are their rates."""
    (linkage,) = differentiated(chain(("universal", "screw", "spherical", "planar"), reverse=True), aside=0.2)
    linkage.accelerations()
    rates = linkage.rates.copy()
    linkage.product(rates[: linkage.axes], rates[linkage.axes :], np.zeros(linkage.axes))
    first = linkage.model.driven
    moving, change = linkage.scratch.bodies[first:], linkage.changes.bodies[first:]
    assert np.abs(change.turn - moving.angular).max() < 1e-12
    assert np.abs(change.shift - moving.linear).max() < 1e-12
    assert np.abs(change.angular - moving.acceleration[:, :3]).max() < 1e-11 * np.abs(moving.acceleration).max()
    assert np.abs(change.linear - moving.acceleration[:, 3:]).max() < 1e-11 * np.abs(moving.acceleration).max()


@pytest.mark.parametrize("size", [0.0, 1e-4, 0.05, 0.3, 0.6, 2.0, 3.5])
def test_the_charts_of_rotations(size):
    rng = np.random.default_rng(11)
    theta, omega, turned, faster = rng.normal(size=(4, 3))
    theta *= size / np.linalg.norm(theta)
    assert np.abs(np.subtract(chart_turn(theta, chart_rate(theta, omega)), omega)).max() < 1e-13
    for function, change in ((chart_rate, chart_rate_change), (chart_torque, chart_torque_change)):
        slope = extrapolated(lambda h, f=function: np.array(f(theta + h * turned, omega + h * faster)))
        assert np.abs(change(theta, omega, turned, faster) - slope).max() < 1e-10


def test_the_rates_of_coordinates():
    (linkage,) = differentiated(chain(("spherical", "revolute", "spherical")), aside=0.5)
    dq, du = np.random.default_rng(2).normal(size=(2, linkage.axes))
    out = np.zeros(linkage.axes)
    linkage.accelerations()
    change_rates(linkage.model, linkage.state, dq, du, out)

    def rates(h: float) -> np.ndarray:
        linkage.accelerations(linkage.q + h * dq, linkage.u + h * du)
        return linkage.rates[: linkage.axes].copy()

    assert np.abs(out - extrapolated(rates)).max() < EXACT


def test_a_keyed_ground_does_not_change():
    """Only what hangs on it does, in the ground's own acceleration too."""
    upright = (1.0, 0.0, 0.0, 0.0)
    keys = Keys((0.0, 0.1, 0.2), ((0.0, 0.0, 0.0), (0.1, 0.3, 0.0), (0.0, 0.5, 0.2)), (upright,) * 3)
    bodies = [Body("ground", "keyed", keys=keys), Body("arm", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(0.3, 0, 0))]
    joint = Joint("hinge", "revolute", "ground", "arm", (0.0, 0.0, 0.0), (0.8, 0.6, 0.0, 0.0))
    (linkage,) = differentiated(Mechanism(bodies=bodies, joints=[joint]), aside=0.4)
    assert worst_error(linkage) < EXACT
    assert np.abs(linkage.by_coordinates).max() > 0.1  # gravity, and how the ground speeds up
