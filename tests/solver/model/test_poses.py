# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations of bodies and joints at zero coordinates: orthogonal, however many follow each other."""

import functools

import numpy as np
import pytest

from solver.mechanism import Mechanism
from solver.model.arrays import PROPAGATION
from solver.model.linkage.compilation import compile_linkage
from solver.model.poses import orthogonal, rotation_matrices
from solver.model.topology import find_linkages

ABOUT_Y = [0.7071067811865475, -0.7071067811865475, 0.0, 0.0]  # as written with sixteen digits, short by 4e-16
SECOND = 0.1  # rad


def off(rotations: np.ndarray) -> float:
    """The farthest that matrices are from being orthogonal."""
    return np.abs(rotations @ np.swapaxes(rotations, -2, -1) - np.eye(3)).max()


def chain(links: int) -> Mechanism:
    """Links of one metre along X, all hinges about Y."""
    return Mechanism.from_dict(
        {
            "format": "ves-mechanism",
            "version": 1,
            "bodies": [
                {"name": f"link {k}", "mass": 1.0, "inertia": [0.1, 0.1, 0.1], "position": [k + 0.5, 0.0, 0.0]}
                for k in range(links)
            ],
            "joints": [
                {
                    "name": f"hinge {k}",
                    "type": "revolute",
                    "parent": f"link {k - 1}" if k else None,
                    "child": f"link {k}",
                    "position": [float(k), 0.0, 0.0],
                    "orientation": ABOUT_Y,
                }
                for k in range(links)
            ],
        }
    )


def test_the_joints_of_a_long_chain_do_not_shrink_it():
    mechanism = chain(200)
    model = compile_linkage(mechanism, find_linkages(mechanism)[0], PROPAGATION).model
    turns = model.bodies.joint_rotation[model.driven + 1 :].reshape(-1, 3, 3)
    assert off(functools.reduce(np.matmul, turns)) < 1e-14


def test_rotations_of_quaternions_are_orthogonal_to_rounding():
    quaternions = np.random.default_rng(1).normal(size=(2000, 4))
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    assert off(rotation_matrices(quaternions)) < 8e-16
    assert rotation_matrices(np.array([ABOUT_Y]))[0] == pytest.approx(
        np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]), abs=2e-16
    )


def test_what_is_nearly_orthogonal_becomes_so_without_a_turn():
    turn = rotation_matrices(np.array([[np.cos(0.5 * SECOND), np.sin(0.5 * SECOND), 0.0, 0.0]]))
    assert orthogonal(turn * (1.0 + 1e-9)) == pytest.approx(turn, abs=5e-16)
