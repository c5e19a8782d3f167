# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations and joint forces of random mechanisms by independent routes.

The yardstick is the dense engine of tests.solver.maximal. Rounding (1e-16) grows by the conditioning of the drawn
masses, arms and armatures, at most about 1e5: hence 1e-9 of the largest value.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings

from solver import evaluate, simulate
from tests.solver.comparison import scaled, wrench_error
from tests.solver.maximal import MaximalState
from tests.solver.random_mechanisms import mechanisms

ROUNDING = 1e-9
many = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_same(got, expected, tolerance=ROUNDING):
    acceleration = max(np.abs(expected.linear_acceleration).max(), np.abs(expected.angular_acceleration).max(), 1.0)
    for name in ("linear_acceleration", "angular_acceleration", "joint_acceleration"):
        a, b = getattr(got, name), getattr(expected, name)
        assert np.abs(a - b).max(initial=0.0) <= tolerance * max(acceleration, np.abs(b).max(initial=0.0)), name
    assert wrench_error(got.joint_force, expected.joint_force, 1.0) <= tolerance


@many
@given(mechanisms())
def test_recursion_equals_mass_matrix_equals_dense_newton_euler(mechanism):
    state = MaximalState(mechanism, simulate(mechanism, 0.0))
    for joint in state.joints:
        assert joint.gap <= 1e-13
        assert joint.slip <= 1e-12
    expected = state.solve()
    assert_same(evaluate(mechanism, "recursive"), expected)
    assert_same(evaluate(mechanism, "composite"), expected)
