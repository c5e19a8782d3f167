# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops that are led by what is keyed: what they can follow is seen in a few steps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.assembly import reach
from solver.mechanism import Body, Joint, JointMotor, Keys, Path, Rack, Table

ALONG_Y = (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)  # turns Z to Y
ALONG_X = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
NAMES_AND_HEIGHTS = (("pinion", 0.0), ("rack", -0.1))
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


def rack_and_pinion(turned: float) -> Mechanism:
    """A pinion of 0.1 m, keyed to turn by `turned` rad in 4 s, drives a rack that ends after 0.2 m."""
    pinion, rack = (Body(name, mass=1.0, inertia=(0.01,) * 3, position=(0.0, 0.0, z)) for name, z in NAMES_AND_HEIGHTS)
    motor = JointMotor(mode="keyed", target=Table((0.0, 4.0), (0.0, turned)))
    joints = [
        Joint("drive", "revolute", None, "pinion", (0.0, 0.0, 0.0), ALONG_Y, motor=motor),
        Joint("slide", "prismatic", None, "rack", (0.0, 0.0, -0.1), ALONG_X, limits=((-0.2, 0.2),)),
    ]
    mesh = Rack("mesh", joint_a="drive", joint_b="slide", radius=0.1)
    return Mechanism(gravity=(0.0, 0.0, 0.0), bodies=[pinion, rack], joints=joints, constraints=[mesh])


@pytest.mark.parametrize("turned", [4.0, -4.0, 40.0])
def test_a_motor_that_leads_a_rack_past_its_end_is_told_by_name(turned: float) -> None:
    loops = reach.Loops(rack_and_pinion(turned))
    assert loops.are_led()
    for _ in range(2):
        (note,) = loops.unfollowed(4.0)
        assert (note.code, note.parts) == ("cannot-follow", (("constraint", "mesh"), ("joint", "slide")))
        assert float(note.values["time"]) == pytest.approx(abs(8.0 / turned), abs=0.2)
        assert "the limits of joint 'slide'" in note
    assert reach.Loops(rack_and_pinion(0.49 * turned if abs(turned) < 5.0 else 1.9)).unfollowed(4.0) == []


def test_a_path_that_leads_a_rod_past_its_limit_blames_that_and_not_the_axis() -> None:
    """The rod could follow about another axis too, which was proposed instead."""
    rod = Body("rod", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", None, "rod", (0.0, 0.0, 0.0), ALONG_Y, limits=((-3.0, 0.5),))
    angles = np.linspace(0.0, 0.9, 25)
    places = [(float(np.cos(angle)), 0.0, -float(np.sin(angle))) for angle in angles]
    way = Path("way", body="rod", point=(1.0, 0.0, 0.0), times=list(angles), positions=places)
    (note,) = reach.Loops(Mechanism(bodies=[rod], joints=[hinge], constraints=[way])).unfollowed(0.9)
    assert ("joint", "hinge") in note.parts
    assert "the limits of joint 'hinge'" in note


def test_a_limit_that_is_not_in_the_way_is_not_blamed() -> None:
    """A hinge stands at its limit all the time, but what leads the bar leads it away from its place."""
    bar = Body("bar", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.5, 0.0, 0.0))
    hinge = Joint("hinge", "revolute", None, "bar", (0.0, 0.0, 0.0), ALONG_Y, limits=((0.0, 1.0),))
    places = [(1.0, 0.0, 0.0), (1.5, 0.0, 0.0)]
    path = Path("way", body="bar", point=(1.0, 0.0, 0.0), times=[0.0, 1.0], positions=places)
    (note,) = reach.Loops(Mechanism(bodies=[bar], joints=[hinge], constraints=[path])).notes(1.0)
    assert (note.code, note.values["how"]) == ("cannot-follow", "lead less far, or give it longer parts")


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_every_integrator_names_the_end_that_a_rack_is_driven_against(integrator: str) -> None:
    """Steps with impulses led it through its end, and nothing said so."""
    recording = simulate(rack_and_pinion(4.0), 4.0, 24.0, integrator=integrator)
    (note,) = (note for note in recording.notes if note.code == "cannot-follow")
    assert ("joint", "slide") in note.parts
    past = recording.joint_coordinates[:, 1].max() > 0.21
    assert past == any(note.code == "past-limit" and note.parts == (("joint", "slide"),) for note in recording.notes)
