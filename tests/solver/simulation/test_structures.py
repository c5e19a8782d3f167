# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on closed linkages of which nothing can move, by design or since they were drawn off."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from solver import simulate
from tests.solver.kinematics.planar import Planar


def notes_on_rest(planar: Planar) -> tuple[str, float]:
    """Notes on half a second under a weight along -y, and how far (m) anything has moved."""
    recording = simulate(replace(planar.mechanism, gravity=(0.0, -9.81, 0.0)), 0.5)
    return " ".join(map(str, recording.notes)), float(np.ptp(recording.position, axis=0).max())


def wheels_and_rod(off: float) -> Planar:
    """Four equal cranks on one rod, each with its pin off along the rod by another part of `off` (m)."""
    points = {"A": (0, 0), "B": (1, 0), "C": (2, 0), "D": (3, 0)}
    pins = {f"{name}'": (x + 0.3 + off * (k % 3 - 0.7), 1.0) for k, (name, (x, _)) in enumerate(points.items())}
    bars = {f"crank {name}": (name, f"{name}'") for name in points}
    return Planar(points | pins, bars | {"rod": tuple(pins)}, tuple(points))


def test_a_truss_is_a_structure() -> None:
    notes, moved = notes_on_rest(Planar({"A": (0, 0), "B": (1, 1), "C": (2, 0)}, {"one": "AB", "two": "BC"}, "AC"))
    assert moved < 1e-12
    assert "a structure, of which nothing can move" in notes
    assert "the motion is determined" not in notes


@pytest.mark.parametrize("off", [1e-2, 3e-2])
def test_cranks_that_are_drawn_off_and_lock_each_other_are_named(off: float) -> None:
    """Of them nothing moved, and the note said that their motion is determined."""
    notes, moved = notes_on_rest(wheels_and_rod(off))
    assert moved < 1e-12
    assert "nothing can move" in notes or "nothing in it moves" in notes


def test_cranks_that_are_drawn_right_are_redundant_only() -> None:
    notes, moved = notes_on_rest(wheels_and_rod(0.0))
    assert moved > 0.1
    assert "redundant" in notes
    assert "structure" not in notes
