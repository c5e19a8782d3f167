# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that are led by what is keyed: what they can follow is seen in a few steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver import Mechanism
from solver.assembly import reach
from solver.mechanism import Body, Joint, Keys, Path

ALONG_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # turns Z to Y
SINGLE = 2e-8  # rad: what single precision leaves of an axis


def four_bar(turned: float) -> Mechanism:
    """A crank, keyed to turn by `turned` rad in a second, leads a coupler and a rocker; one axis is off by a hair."""
    corners = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 0.3), (0.8, 0.0, 0.6), (1.0, 0.0, 0.0)])
    middles = 0.5 * (corners[1:] + corners[:-1])
    crank, coupler, rocker = (
        Body(name, mass=1.0, inertia=(0.01, 0.01, 0.01), position=place)
        for name, place in zip(("crank", "coupler", "rocker"), middles, strict=True)
    )
    times = np.linspace(0.0, 1.0, 25)
    places = [(0.15 * math.sin(turned * t), 0.0, 0.15 * math.cos(turned * t)) for t in times]
    turns = [(math.cos(0.5 * turned * t), 0.0, math.sin(0.5 * turned * t), 0.0) for t in times]
    crank.motion, crank.keys = "keyed", Keys(times.tolist(), places, turns)
    off = np.add(ALONG_Y, (0.0, 0.0, SINGLE, 0.0))
    hinges = [("crank", "coupler", ALONG_Y), ("coupler", "rocker", off), (None, "rocker", ALONG_Y)]
    joints = [
        Joint(f"hinge {k}", "revolute", a, b, corners[k + 1], turn / np.linalg.norm(turn))
        for k, (a, b, turn) in enumerate(hinges)
    ]
    return Mechanism(bodies=[crank, coupler, rocker], joints=joints)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[reach.Solver]:
    """The solvers that looks along a keyed motion have made."""
    solvers: list[reach.Solver] = []

    class Noted(reach.Solver):
        def __init__(self, *arguments) -> None:
            super().__init__(*arguments)
            solvers.append(self)

    monkeypatch.setattr(reach, "Solver", Noted)
    return solvers


def test_rounding_in_what_is_drawn_costs_no_steps(made: list[reach.Solver]) -> None:
    """It lets nothing close wholly, and hundreds of steps at each look would not find what cannot be had."""
    loops = reach.Loops(four_bar(0.5))
    assert loops.are_led()
    assert loops.unfollowed(1.0) == []
    assert len(made) > 20
    assert max(solver.iterations for solver in made) < 30


def test_what_is_nearly_closed_costs_few_steps(made: list[reach.Solver]) -> None:
    """Hinges about the wrong axis open slowly at first: 24 looks at their first moments took seconds."""
    mechanism = four_bar(0.5)
    for joint in mechanism.joints:
        joint.orientation = (1.0, 0.0, 0.0, 0.0)
    assert reach.Loops(mechanism).unfollowed(0.002) == []
    assert len(made) > 20
    assert sum(solver.iterations for solver in made) < 150


def test_what_cannot_follow_is_told_however_often_it_is_asked() -> None:
    """A goal that has led away is back where it starts when it is looked at again."""
    bar = Body("bar", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", None, "bar", (0.0, 0.0, 0.0), ALONG_Y)
    path = Path(
        "way", body="bar", point=(1.0, 0.0, 0.0), times=[0.0, 1.0], positions=[(1.0, 0.0, 0.0), (1.5, 0.0, 0.0)]
    )
    loops = reach.Loops(Mechanism(bodies=[bar], joints=[hinge], constraints=[path]))
    for _ in range(2):
        (note,) = loops.notes(1.0)
        assert note.code == "cannot-follow"
