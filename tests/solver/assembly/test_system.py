# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear problems of an assembly, beside dense least squares, and one that a negative stiffness makes singular."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from solver.assembly.system import LinearProblem


def test_a_step_is_that_of_damped_least_squares() -> None:
    rng = np.random.default_rng(3)
    matrix, wanted, damping = rng.normal(size=(5, 12)), rng.normal(size=5), 0.1
    above = np.vstack([matrix, damping * np.eye(12)])
    expected = np.linalg.lstsq(above, np.concatenate([wanted, np.zeros(12)]), rcond=None)[0]
    found = LinearProblem(sparse.csr_matrix(matrix), wanted).step(damping)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_a_stiffness_that_makes_it_singular_is_left_out() -> None:
    """Snap Together ended with "Factor is exactly singular"."""
    matrix, wanted, damping = sparse.csr_matrix(np.eye(2, 6)), np.array([1.0, 2.0]), 0.5
    stiffness = sparse.csr_matrix(-(damping**2) * np.diag([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
    found = LinearProblem(matrix, wanted, stiffness).step(damping)
    np.testing.assert_allclose(found, LinearProblem(matrix, wanted).step(damping), atol=1e-14)
