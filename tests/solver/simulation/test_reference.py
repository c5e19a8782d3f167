# SPDX-License-Identifier: GPL-3.0-or-later
"""The open reference solutions of tests/reference, made by other engines (see the README there).

At the default tolerances the error may be the tolerance times the growth of disturbances that the README states for
each case, and never more than 1e-4. At relative 1e-10 it must be within 10 times the stored accuracy, which is the
largest disagreement of the engines that made the reference.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism, evaluate, simulate
from tests.solver.comparison import motion_errors, scaled, wrench_error

FOLDER = Path(__file__).resolve().parents[2] / "reference"
# The README's column "growth": by how much a disturbance of the initial speeds grows until the end.
GROWTH = {
    "car_drop": 1,
    "chain_100": 16,
    "four_bar": 250,
    "heavy_top": 190,
    "heavy_top_steady": 11,
    "initial_coordinates": 9,
    "keyed_base": 17,
    "pendulum_double_3d": 16,
    "position_motor": 2,
    "spring_net": 20,
    "three_bar_a": 5,
    "three_bar_b": 4,
    "three_bar_c": 4,
    "three_bar_d": 4,
    "torque_free_top": 69,
    "tree_fixed_20": 62,
    "tree_floating_12": 39,
    "two_link_motors": 2,
}
# keyed_base gives samples of its base's motion. The README's table says how far a cubic spline through 100 keys a
# second is from the exact motion; two more orders at (rate x interval)^2 < 0.01 make ours ten times closer at least.
SAMPLED = {"position": 2e-10, "orientation": 6e-10, "linear_velocity": 1e-8, "angular_velocity": 1e-8}
SAMPLED_FORCE = 1e-6
METHODS = ("recursive", "composite", "propagation", "lagrange")
LOOPS = ("four_bar",)
ROUNDING = 1e-9  # of the largest force: what methods may differ by
ROUNDING_OF_LAGRANGE = 1e-10
WAYS = [(method, "adams") for method in (*METHODS, "divide")] + [(method, "runge-kutta") for method in METHODS[:2]]


def reference(name: str) -> tuple[Mechanism, dict]:
    with np.load(FOLDER / f"{name}.npz", allow_pickle=False) as file:
        return Mechanism.load(FOLDER / f"{name}.json"), dict(file)


def errors_of(name: str, method: str, integrator: str, relative: float) -> tuple[dict[str, float], float]:
    """(each kind of error, the reference's accuracy)"""
    mechanism, expected = reference(name)
    recording = simulate(
        mechanism,
        float(expected["duration"]),
        float(expected["frame_rate"]),
        relative=relative,
        method=method,
        integrator=integrator,
    )
    assert recording.body_names.tolist() == expected["body_names"].tolist()
    assert recording.times == pytest.approx(expected["times"], abs=1e-12)
    assert np.all(np.isfinite(recording.joint_force))
    return motion_errors(recording, expected, float(expected["size"])), float(expected["accuracy"])


def skip_loops(name: str, method: str) -> None:
    if name in LOOPS and method == "divide":
        pytest.skip("method divide takes trees only")


def test_no_open_case_is_left_out():
    others = {"n_four_bar_40", "evaluate_tree", "two_link_motors_evaluate"}
    assert {path.stem for path in FOLDER.glob("*.npz")} == set(GROWTH) | others


@pytest.mark.parametrize(("method", "integrator"), [*WAYS, ("recursive", "implicit")])
@pytest.mark.parametrize("name", GROWTH)
def test_default_tolerances_hold_over_the_whole_motion(name, method, integrator):
    skip_loops(name, method)
    errors, _ = errors_of(name, method, integrator, 1e-6)
    limit = min(1e-4, 1e-6 * GROWTH[name])
    assert {kind: error for kind, error in errors.items() if not error < limit} == {}


@pytest.mark.parametrize(("method", "integrator"), WAYS)
@pytest.mark.parametrize("name", GROWTH)
def test_fine_tolerances_reach_the_references_own_accuracy(name, method, integrator):
    skip_loops(name, method)
    if name == "chain_100" and method == "composite":
        pytest.skip("a dense 100 x 100 solution rounds more than 1e-10 lets a step err, so its steps grow tiny")
    errors, accuracy = errors_of(name, method, integrator, 1e-10)
    limits = dict.fromkeys(SAMPLED, 10 * accuracy)
    limits["joint_force"] = 10 * accuracy
    if name == "keyed_base":
        limits = SAMPLED | {"joint_force": SAMPLED_FORCE}
    if method == "divide":  # inverses of inverse inertias round more (Featherstone 1999, part 2, section 5)
        limits["joint_force"] = max(limits["joint_force"], ROUNDING)
    if method == "lagrange":  # so does one matrix of all rows: by 1e-11 to 2.3e-11 here, as processors sum
        limits["joint_force"] = max(limits["joint_force"], ROUNDING_OF_LAGRANGE)
    wrong = {kind: error for kind, error in errors.items() if kind in limits and not error < limits[kind]}
    assert wrong == {}


@pytest.mark.parametrize("name", GROWTH)
def test_implicit_steps_keep_a_fine_tolerance(name):
    """Which is not to the last digit, as above: they are for what is stiff."""
    errors, accuracy = errors_of(name, "recursive", "implicit", 1e-9)
    limit = max(1e-9 * GROWTH[name], 10 * accuracy)
    limits = dict.fromkeys(errors, limit) | ({"joint_force": SAMPLED_FORCE} if name == "keyed_base" else {})
    assert {kind: error for kind, error in errors.items() if not error < limits[kind]} == {}


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_forty_four_bars_pass_the_poses_in_which_they_could_part(method):
    mechanism, expected = reference("n_four_bar_40")
    recording = simulate(mechanism, float(expected["duration"]), float(expected["frame_rate"]), method=method)
    errors = motion_errors(recording, expected, float(expected["size"]))
    assert {kind: error for kind, error in errors.items() if not error < 1e-5} == {}
    assert recording.constraint_error.max() <= 1e-8


@pytest.mark.parametrize("method", ["propagation", "lagrange"])
def test_forty_four_bars_pass_them_at_a_fine_tolerance(method):
    """What a chain of eighty joints makes of rounding opens loops, and leads them off behind such a pose."""
    mechanism, expected = reference("n_four_bar_40")
    recording = simulate(mechanism, float(expected["duration"]), 24.0, relative=1e-10, method=method)
    errors = motion_errors(recording, expected, float(expected["size"]))
    assert {kind: error for kind, error in errors.items() if not error < 1e-6} == {}


@pytest.mark.parametrize("absolute", [1e-11, 1.1e-11])
def test_forty_four_bars_go_on_coarser_where_rounding_takes_the_steps(absolute):
    """Just before such a pose accelerations are noise there: steps became ever shorter, and no frame came.

    Where it began anew only 9 ms before the pose, the coarser steps did the same.
    """
    mechanism, expected = reference("n_four_bar_40")
    recording = simulate(mechanism, 5.5, 24.0, relative=1e-10, absolute=absolute)
    assert recording.evaluations < 20_000
    errors = np.abs(recording.position - expected["position"][: len(recording.position)])
    assert errors.max() < 1e-5 * float(expected["size"])


@pytest.mark.fallback
@pytest.mark.parametrize("method", [*METHODS, "divide"])
@pytest.mark.parametrize("name", ["evaluate_tree", "two_link_motors_evaluate"])
def test_accelerations_and_joint_forces(name, method):
    mechanism, expected = reference(name)
    got = evaluate(mechanism, method)
    for kind in ("linear_acceleration", "angular_acceleration"):
        assert scaled(getattr(got, kind) - expected[kind], expected[kind]) < 1e-9
    assert wrench_error(got.joint_force, expected["joint_force"], float(expected["size"])) < 1e-9


@pytest.mark.fallback
def test_a_short_motion_at_default_tolerances():
    """The first half second of the double pendulum, short enough for plain Python."""
    mechanism, expected = reference("pendulum_double_3d")
    recording = simulate(mechanism, 0.5, float(expected["frame_rate"]))
    assert np.abs(recording.position - expected["position"][: len(recording.times)]).max() < 1e-6
    assert np.abs(recording.joint_force - expected["joint_force"][: len(recording.times)]).max() < 1e-4
