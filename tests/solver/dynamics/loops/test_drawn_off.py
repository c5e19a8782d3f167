# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops drawn a little off swing, by all methods alike, as those drawn without error do; what is too far off says so.

An error of e changes a motion by some e: 300 e in 3 s for what swings freely. Methods agree to 1e-6 in 10 s, at
tolerances of 1e-9.
"""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.model.linkage.nearly_redundant import ALLOWED
from tests.solver.dynamics.loops.test_loops import linkage_of
from tests.solver.dynamics.loops.test_methods_agree import METHODS
from tests.solver.model.linkage.test_nearly_redundant import FOUR_BAR, PARALLELOGRAM, doubled_elbow, drawn_off, four_bar
from tests.truths.closed_loops import bennett

GRAVITY = (0.3, 0.0, -9.81)
BALL = four_bar(*FOUR_BAR)
BALL.joints[-1].type = "spherical"
EXACT = {
    "ball": BALL,
    "four-bar": four_bar(*FOUR_BAR),
    "parallelogram": four_bar(*PARALLELOGRAM),
    "bennett": linkage_of(bennett(0.8, 0.6, 1.1, 1.0), 1.0),
    "doubled elbow": doubled_elbow(),
}


def motion(mechanism: Mechanism, method: str, duration: float = 10.0):
    mechanism = dataclasses.replace(mechanism, gravity=GRAVITY)
    return simulate(mechanism, duration, 24.0, relative=1e-9, method=method)


@functools.cache
def exact(name: str) -> np.ndarray:
    return motion(EXACT[name], "propagation").position


def codes(recording) -> list[str]:
    return [getattr(note, "code", "") for note in recording.notes]


@pytest.mark.parametrize("error", [1e-10, 1e-7, 1e-6, 1e-4])
@pytest.mark.parametrize("name", EXACT)
def test_all_methods_swing_alike(name, error):
    mechanism = drawn_off(EXACT[name], error, 1)
    runs = {method: motion(mechanism, method) for method in (*METHODS, "auto")}
    first = runs["recursive"]
    assert np.abs(first.position - first.position[0]).max() > 0.3
    for method, run in runs.items():
        assert np.abs(run.position - first.position).max() < 1e-6, method
        assert run.constraint_error.max() < 1e-8, method
        assert ("lined-up" in codes(run)) == (error > 2e-6) or error == pytest.approx(1e-6), method
        assert "off-line" not in codes(run), method
    assert np.abs(first.position - exact(name))[:73].max() < 300.0 * error + 1e-7


@pytest.mark.parametrize("method", [*METHODS, "auto"])
def test_what_is_too_far_off_stands_and_names_its_joints(method):
    run = motion(drawn_off(EXACT["four-bar"], 10.0 * ALLOWED, 1), method, 2.0)
    assert np.abs(run.position - run.position[0]).max() < 1e-6
    (note,) = (note for note in run.notes if getattr(note, "code", "") == "off-line")
    assert {kind for kind, _ in note.parts} == {"joint"}
    assert {name for _, name in note.parts} <= {f"hinge {k}" for k in range(4)}
    assert ALLOWED < float(note.values["angle"]) < 30.0 * ALLOWED
    assert "nothing in it moves" in note
