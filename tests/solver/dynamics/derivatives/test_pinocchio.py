# SPDX-License-Identifier: GPL-3.0-or-later
"""The three matrices against those of another engine: Carpentier and Mansard's own, in Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

pinocchio = pytest.importorskip("pinocchio")

from benchmarks.chains import loaded, random_chain  # noqa: E402
from benchmarks.derivatives import random_tree  # noqa: E402
from benchmarks.pinocchio_model import pinocchio_coordinates, pinocchio_model  # noqa: E402
from solver.dynamics.derivatives.changes import new_changes  # noqa: E402
from solver.evaluation.derivatives import evaluate_for_derivatives, fill_derivatives  # noqa: E402
from solver.mechanism import Mechanism  # noqa: E402
from tests.solver.dynamics.derivatives.differences import extrapolated  # noqa: E402

CASES = {
    "hinges": random_chain(20),
    "hinges and slides": random_chain(20, ("revolute", "prismatic")),
    "a tree": random_tree(30),
}


def both(mechanism: Mechanism) -> tuple[np.ndarray, pinocchio.Model, np.ndarray, np.ndarray]:
    """(our three matrices, Pinocchio's model, its coordinates, speeds)"""
    linkage = loaded(mechanism)
    model, state, axes = linkage.compiled.model, linkage.compiled.state, len(linkage.compiled.state.speeds)
    matrices, changes = np.zeros((3, axes, axes)), new_changes(model, linkage.scratch)
    evaluate_for_derivatives(model, 0.0, state, linkage.scratch, linkage.rates, changes)
    fill_derivatives(model, state, linkage.scratch, changes, matrices)
    other = pinocchio_model(linkage.mechanism, linkage.compiled)
    return matrices.transpose(0, 2, 1), other, pinocchio_coordinates(other, linkage.compiled), state.speeds


def apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    return float(np.abs(ours - theirs).max() / np.abs(theirs).max())


@pytest.mark.parametrize("name", CASES)
def test_its_analytical_derivatives(name):
    ours, model, q, u = both(CASES[name])
    data = model.createData()
    pinocchio.computeABADerivatives(model, data, q, u, np.zeros(model.nv))
    inverse = np.triu(data.Minv) + np.triu(data.Minv, 1).T
    for matrix, theirs in zip(ours, (data.ddq_dq, data.ddq_dv, inverse), strict=True):
        assert apart(matrix, theirs) < 1e-11


def test_its_analytical_derivatives_of_ball_joints():
    """Its own are 1.5e-7 off the differences of its own accelerations here, and ours 3e-8, with its quaternions."""
    ours, model, q, u = both(random_chain(12, ("spherical",)))
    data = model.createData()
    pinocchio.computeABADerivatives(model, data, q, u, np.zeros(model.nv))
    assert apart(ours[0], data.ddq_dq) < 1e-6
    assert apart(ours[1], data.ddq_dv) < 1e-7


def test_differences_of_its_accelerations():
    """Its analytical derivatives leave out that the second axis of a universal joint moves in the joint."""
    ours, model, q, u = both(random_chain(20, ("revolute", "universal", "prismatic")))
    data, none, unit = model.createData(), np.zeros(model.nv), np.eye(model.nv)

    def moved(h: float, e: np.ndarray) -> np.ndarray:
        return pinocchio.aba(model, data, pinocchio.integrate(model, q, h * e), u, none).copy()

    def faster(h: float, e: np.ndarray) -> np.ndarray:
        return pinocchio.aba(model, data, q, u + h * e, none).copy()

    for matrix, function in zip(ours, (moved, faster), strict=False):
        slopes = np.array([extrapolated(lambda h, e=e, f=function: f(h, e)) for e in unit]).T
        known = np.isfinite(slopes).all(axis=0)
        assert known.mean() > 0.8
        assert apart(matrix[:, known], slopes[:, known]) < 1e-9
