# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of implicit steps that follow from each other, by rounding or aslant, against what numpy makes of them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from solver.dynamics.implicit.coupling import solve_rows

pytestmark = pytest.mark.fallback


def solved(J: np.ndarray, asked: np.ndarray, K: np.ndarray, softness: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """(change J K^-1 J^T y of the coordinates that the multipliers y make, y), for rows J (R, A) and stiffness K."""
    moved = np.linalg.solve(K, J.T)
    count = len(J)
    work = SimpleNamespace(
        factor=J @ moved,
        softness=np.full(count, softness),
        most=np.linalg.norm(J, axis=1) * np.linalg.norm(moved, axis=0),
        order=np.zeros(count, np.int64),
        multiplier=asked.copy(),
    )
    solve_rows(work, count)
    return moved @ work.multiplier, work.multiplier


def stiffness(axes: int, seed: int) -> np.ndarray:
    A = np.random.default_rng(seed).normal(size=(axes, axes))
    return A @ A.T + np.eye(axes)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("angle", [0.0, 1e-16, 1e-7, 1e-4])
def test_a_row_that_follows_from_others_changes_nothing(angle, place):
    """Aslant to what can move by an angle, wherever it stands among them: as if it were not there."""
    rng, K = np.random.default_rng(place), stiffness(6, 3)
    K[:, 5] = K[5, :] = 0.0
    K[5, 5] = 1e24  # nothing moves along the last axis
    rows = np.hstack([rng.normal(size=(2, 5)), np.zeros((2, 1))])
    across = np.eye(6)[5] + angle * np.array([1.0, 2.0]) @ rows
    asked = rng.normal(size=2)
    asked_across = angle * np.array([1.0, 2.0]) @ asked
    change, _ = solved(np.insert(rows, place, across, axis=0), np.insert(asked, place, asked_across), K)
    np.testing.assert_allclose(change[:5], solved(rows, asked, K)[0][:5], atol=1e-7)


def test_rows_that_hold_each_for_itself_are_all_met():
    """Whatever their order, stiff and soft beside each other: by numpy's solution of the whole."""
    rng = np.random.default_rng(1)
    K = stiffness(9, 2) + np.diag(np.logspace(0.0, 9.0, 9))
    J, asked = rng.normal(size=(5, 9)), rng.normal(size=5)
    change, y = solved(J, asked, K)
    np.testing.assert_allclose(J @ change, asked, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(y, np.linalg.solve(J @ np.linalg.solve(K, J.T), asked), rtol=1e-6)


def test_rows_of_either_sign_are_met():
    """Steps of seconds let a tree that closures alone keep from falling respond against what pushes it."""
    rng = np.random.default_rng(4)
    K = np.diag([-1.0, 2.0, -3.0, 4.0, 5.0])
    J, asked = rng.normal(size=(3, 5)), rng.normal(size=3)
    np.testing.assert_allclose(J @ solved(J, asked, K)[0], asked, rtol=1e-9)


def test_soft_rows_share_what_one_would_bear():
    K = np.eye(3)
    J, asked = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]), np.array([1.0, 1.0])
    _, y = solved(J, asked, K, softness=0.5)
    np.testing.assert_allclose(y, [0.4, 0.4], rtol=1e-12)
