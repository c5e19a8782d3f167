# SPDX-License-Identifier: GPL-3.0-or-later
"""Four methods, one motion: accelerations and forces of random graphs by all of them and by the independent engine.

The methods share the rows of closures and the kinematics and nothing else; the engine of
tests.solver.dynamics.loops.maximal shares nothing. What rounding (1e-16) does grows with the conditioning of the drawn
masses, arms and ties: hence 1e-9 of the largest value. Redundant ties leave forces open; all take the least ones,
moments divided by the linkage's size.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from solver import Mechanism, evaluate, simulate
from solver.model.linkage.compilation import compile_linkages
from tests.solver.assembly.random_ties import planar_mechanisms, tied_mechanisms
from tests.solver.comparison import turned_apart
from tests.solver.dynamics.loops.maximal import MaximalState

METHODS = ("recursive", "composite", "propagation", "lagrange")
AGREE = 1e-9


def some(count: int):
    """Settings for `count` mechanisms, the same ones in each run."""
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=checks)


def sizes(mechanism: Mechanism) -> dict[str, float]:
    """The size (m) of each dynamic body's linkage, in which moments count as forces."""
    linkages = compile_linkages(mechanism)
    return {mechanism.bodies[i].name: part.model.size for part in linkages for i in part.linkage.bodies}


def disagreement(got, expected) -> dict[str, float]:
    """Each kind of difference between two evaluations, in parts of the largest value of its kind."""
    motion = [expected.linear_acceleration, expected.angular_acceleration, expected.joint_acceleration]
    fastest = max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in motion))
    forces = [expected.joint_force, expected.constraint_force]
    strongest = max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in forces))
    kinds = dict.fromkeys(("linear_acceleration", "angular_acceleration", "joint_acceleration"), fastest)
    kinds |= dict.fromkeys(("joint_force", "constraint_force"), strongest)
    return {
        name: float(np.abs(getattr(got, name) - getattr(expected, name)).max(initial=0.0) / scale)
        for name, scale in kinds.items()
    }


def assert_all_agree(mechanism: Mechanism) -> None:
    state = MaximalState(mechanism, simulate(mechanism, 0.0))
    assert max((part.gap for part in (*state.joints, *state.ties)), default=0.0) < 1e-12
    assert max((part.slip for part in (*state.joints, *state.ties)), default=0.0) < 1e-10
    expected = state.solve(sizes(mechanism))
    for method in (*METHODS, "auto"):
        errors = disagreement(evaluate(mechanism, method), expected)
        assert {kind: error for kind, error in errors.items() if not error <= AGREE} == {}, method


@some(120)
@given(tied_mechanisms())
def test_graphs_with_loops_and_constraints_of_all_types(mechanism):
    assert_all_agree(mechanism)


@some(30)
@given(tied_mechanisms(most=60, ties=20, ratio=100.0))
def test_large_graphs(mechanism):
    assert_all_agree(mechanism)


@some(40)
@given(tied_mechanisms(most=20, ties=6, ratio=1e4))
def test_masses_that_differ_ten_thousand_times(mechanism):
    assert_all_agree(mechanism)


@some(100)
@given(planar_mechanisms())
def test_redundant_loops_take_the_least_forces(mechanism):
    assert_all_agree(mechanism)


@some(4)
@given(planar_mechanisms(most=50, ties=20))
def test_many_redundant_loops(mechanism):
    assert_all_agree(mechanism)


@pytest.mark.parametrize("method", METHODS)
@some(15)
@given(mechanism=tied_mechanisms(most=6, ties=4, told=False))
def test_along_a_motion(method, mechanism):
    """Away from the start loops have coordinates too: forces there are those of the independent engine.

    Recorded poses keep the ties to 1e-8, and forces follow poses by their rate of change, a few per metre.
    """
    recording = simulate(mechanism, 0.06, 50.0, relative=1e-8, method=method)
    for frame in range(1, len(recording.times)):
        state = MaximalState(mechanism, recording, frame)
        for part in (*state.joints, *state.ties):
            assert part.gap < 1e-8
            assert part.slip < 1e-7
        expected = state.solve(sizes(mechanism))
        forces = expected.joint_force, expected.constraint_force
        strongest = max(1.0, *(np.abs(part).max(initial=0.0) for part in forces))
        assert np.abs(recording.joint_force[frame] - expected.joint_force).max(initial=0.0) < 1e-6 * strongest
        assert np.abs(recording.constraint_force[frame] - expected.constraint_force).max(initial=0.0) < 1e-6 * strongest


@some(15)
@given(tied_mechanisms(most=8, ties=5, told=False))
def test_methods_move_alike(mechanism):
    first, *others = (simulate(mechanism, 0.1, 20.0, relative=1e-9, method=method) for method in METHODS)
    for other in others:
        assert np.abs(other.position - first.position).max() < 1e-7
        assert turned_apart(other.orientation, first.orientation).max() < 1e-7
