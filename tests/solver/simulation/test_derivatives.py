# SPDX-License-Identifier: GPL-3.0-or-later
"""Derivatives of a mechanism's accelerations by name, against differences of whole evaluations."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pytest

from solver import Mechanism, MechanismError, evaluate
from solver.__main__ import main
from solver.mechanism import Body, Joint
from tests.solver.random_mechanisms import random_body, random_joint
from tests.solver.surfaces.parts import in_bowl

ROOT = Path(__file__).resolve().parents[3]
STEP = 1e-4  # central differences err by its square times the third derivative, and by rounding over it: 1e-7


def chain() -> Mechanism:
    """Of three joints, named in another order than they hang; a body floats beside it."""
    rng = np.random.default_rng(9)
    bodies = [random_body(rng, name) for name in ("alone", "tip", "middle", "root")]
    joints = [
        random_joint(rng, "third", "revolute", "middle", "tip", efforts=True),
        random_joint(rng, "first", "universal", None, "root", efforts=True),
        random_joint(rng, "second", "prismatic", "middle", "root", efforts=True),
    ]
    return Mechanism(bodies=bodies, joints=joints)


def changed(mechanism: Mechanism, joint: int, key: str, number: int, by: float) -> np.ndarray:
    """(D,) joint accelerations with one number of one joint changed."""
    other = copy.deepcopy(mechanism)
    values = np.array(getattr(other.joints[joint], key), float)
    values[number] += by
    setattr(other.joints[joint], key, values.tolist())
    return evaluate(other).joint_acceleration


def test_by_name_and_in_the_order_of_the_file():
    mechanism = chain()
    found = evaluate(mechanism, derivatives=True).derivatives
    assert found.axis_names.tolist() == ["third", "first", "first", "second"] + ["alone"] * 6
    assert found.axis_numbers.tolist() == [0, 0, 1, 0, 0, 1, 2, 3, 4, 5]
    for key, matrix in (
        ("coordinates", found.acceleration_by_coordinates),
        ("speeds", found.acceleration_by_speeds),
    ):
        assert np.abs(matrix[:4, 4:]).max() == np.abs(matrix[4:, :4]).max() == 0.0
        for column, (joint, number) in enumerate(((0, 0), (1, 0), (1, 1), (2, 0))):
            more, less = (changed(mechanism, joint, key, number, sign * STEP) for sign in (1.0, -1.0))
            slope = (more - less) / (2.0 * STEP)
            assert np.abs(matrix[:4, column] - slope).max() < 1e-5 * max(1.0, np.abs(slope).max())
    masses = np.diag(found.acceleration_by_efforts)[4:7]
    assert masses == pytest.approx(1.0 / mechanism.bodies[0].mass)


def test_an_axis_that_friction_holds_stays_where_it_is():
    body = Body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", None, "bar", (0.0, 0.0, 0.0), friction=(50.0,), speeds=(0.0,))
    turned = np.array([1.0, 1.0, 0.0, 0.0]) / np.sqrt(2.0)
    hinge.orientation = turned.tolist()
    held = evaluate(Mechanism(bodies=[body], joints=[hinge]), derivatives=True)
    assert held.joint_acceleration == pytest.approx(0.0, abs=1e-9)
    assert held.derivatives.acceleration_by_efforts == pytest.approx(0.0, abs=1e-9)
    hinge.friction = None
    free = evaluate(Mechanism(bodies=[body], joints=[hinge]), derivatives=True)
    assert free.derivatives.acceleration_by_efforts == pytest.approx(1.0 / (0.1 + 0.25))


def test_the_command_line_writes_them(tmp_path):
    out = tmp_path / "out.npz"
    file = str(ROOT / "tests" / "reference" / "four_bar.json")
    assert main(["evaluate", file, "-o", str(out), "--derivatives"]) == 0
    with np.load(out, allow_pickle=False) as arrays:
        got = dict(arrays)
    count = len(got["axis_names"])
    assert 0 < count == len(got["axis_numbers"])
    for name in ("coordinates", "speeds", "efforts"):
        assert got[f"acceleration_by_{name}"].shape == (count, count)
    efforts = got["acceleration_by_efforts"]
    assert np.linalg.matrix_rank(efforts, tol=1e-9 * np.abs(efforts).max()) == 1  # of its one freedom
    assert main(["evaluate", file, "-o", str(out)]) == 0
    with np.load(out, allow_pickle=False) as arrays:
        assert not {name for name in arrays if name.startswith(("axis_", "acceleration_"))}


def test_what_has_none_is_refused_by_name():
    with pytest.raises(MechanismError, match=r"joint .ride.: accelerations have no derivatives here.*contact joints"):
        evaluate(in_bowl(0.3, True), derivatives=True)
