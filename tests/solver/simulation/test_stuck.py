# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot go on, or hardly: the work for a frame is bounded, and the reason is true and names its parts."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, SimulationFailed, simulate
from solver.mechanism import Action, Body, Joint, Keys, Nail, Path
from solver.simulation import linkage_run
from solver.simulation.stuck import reason_of_closures
from tests.solver.assembly.test_rigidity import ABOUT_Y, line, polygon

CREST = (0.0, 0.0, 1.0)


def four_bar(turn) -> Mechanism:
    """A keyed crank that turns about y, from upright to 1 rad in 1 s; its hinges have the orientation `turn`."""
    linkage = polygon([(0.0, 0.0, 0.0), CREST, (3.0, 0.0, 2.0), (3.0, 0.0, 0.0)])
    linkage.joints.pop(0)
    times = np.linspace(0.0, 1.0, 13)
    angles = 0.5 * times**2 - 0.25 * np.pi
    turns = np.stack([np.cos(angles), 0.0 * times, np.sin(angles), 0.0 * times], axis=1)
    middles = 0.5 * np.stack([np.sin(times**2), 0.0 * times, np.cos(times**2)], axis=1)
    linkage.bodies[0] = Body("0", "keyed", keys=Keys(times, middles, turns), position=middles[0], orientation=turns[0])
    for joint in linkage.joints:
        joint.orientation = turn
    return linkage


def why_not_followed(mechanism: Mechanism, integrator: str = "auto") -> list:
    """The sentences on what cannot follow, be it as notes or as the reason of a stop."""
    try:
        notes = simulate(mechanism, 1.0, integrator=integrator).notes
    except SimulationFailed as failed:
        notes = [failed.reason]
    return [note for note in notes if note.code == "cannot-follow"]


@pytest.mark.parametrize("integrator", ["auto", "runge-kutta"])
def test_a_taut_chain_sags_by_the_last_digits_at_little_cost(integrator):
    """Thirty million evaluations before, and a reason that was none."""
    recording = simulate(polygon(line(12)), 0.5, integrator=integrator)
    assert recording.evaluations < 50_000
    assert np.abs(recording.position - recording.position[0]).max() < 0.01, "of 12 m"
    assert recording.constraint_error.max() < 1e-4
    (note,) = [note for note in recording.notes if note.code != "integrator"]
    assert note.code == "no-slack"


def test_a_taut_chain_of_ball_joints():
    recording = simulate(polygon(line(5), "spherical"), 0.25)
    assert recording.evaluations < 50_000
    assert "no-slack" in [note.code for note in recording.notes]


def test_steps_of_one_length_stop_at_a_taut_chain_with_the_true_reason():
    """It was said to fold; and of hinges about the wrong axis (below) the same."""
    with pytest.raises(SimulationFailed) as failed:
        simulate(polygon(line(12)), 0.5, integrator="variational")
    assert failed.value.reason.code == "no-slack"


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational"])
def test_hinges_about_the_wrong_axis_are_named_with_the_right_one(integrator):
    (found,) = why_not_followed(four_bar((1.0, 0.0, 0.0, 0.0)), integrator)
    assert "turn the axes of its hinges to Y" in found
    assert {name for _, name in found.parts} == {"j1", "j2", "j3"}


def test_the_reason_does_not_hang_on_how_much_of_what_is_keyed_is_run():
    """Of a tenth of the motion nothing was known but that its evaluations had led nowhere."""
    found = reason_of_closures(four_bar((1.0, 0.0, 0.0, 0.0)), 0.02, 0.1, [])
    assert found.code == "cannot-follow"


def test_the_same_about_the_right_axis_moves():
    recording = simulate(four_bar(ABOUT_Y), 1.0)
    assert recording.constraint_error.max() < 1e-9


def test_what_is_led_out_of_reach_is_said_as_that():
    """The crank drags a chain that is 2 m long to where 3 m would be needed."""
    linkage = polygon([(0.0, 0.0, 0.0), (1.0, 0.0, 0.5), (2.0, 0.0, 0.0)])
    times = np.linspace(0.0, 1.0, 13)
    places = np.stack([2.0 + times, 0.0 * times, 0.0 * times], axis=1)
    still = np.tile((1.0, 0.0, 0.0, 0.0), (13, 1))
    linkage.bodies.append(Body("hand", "keyed", keys=Keys(times, places, still), position=places[0]))
    linkage.joints[-1] = Joint("grip", "revolute", "hand", "1", (2.0, 0.0, 0.0), ABOUT_Y)
    (found,) = why_not_followed(linkage)
    assert 0.2 < float(found.values["time"]) < 0.3, "sqrt(5) = 2.236 m is as far as it reaches"
    assert "lead less far" in found


@pytest.mark.parametrize("pause", [1e-5, 0.004])
def test_a_frame_that_does_not_come_ends_at_the_same_evaluation_however_the_work_is_cut(pause, monkeypatch):
    monkeypatch.setattr(linkage_run, "MOST_IN_FRAME", 2000)
    monkeypatch.setattr(linkage_run, "SLICE", pause)
    pendulum = polygon([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)])
    pendulum.joints.pop()
    pendulum.joints[0].stiffness, pendulum.joints[0].damping = [1e6], [1e6]
    with pytest.raises(SimulationFailed, match="have not led to the next frame; joint 'j0'") as failed:
        simulate(pendulum, 1.0, frame_rate=1.0, integrator="adams")
    assert failed.value.recording.evaluations == 48_103, "24 times as many: a frame is a second here"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("integrator", ["adams", "runge-kutta"])
def test_a_path_gives_way_and_not_the_nail_of_the_arm_that_it_stretches(integrator, order):
    """Both pull alike; rounding chose before, with these numbers by Adams the nail."""
    inertia = (0.0175, 0.88375, 0.88375)
    upper = Body("upper", mass=10.5, inertia=inertia, position=(0.5, 0.0, 0.0))
    lower = Body("lower", mass=10.5, inertia=inertia[::-1], position=(1.0, 0.0, -0.5))
    elbow = Joint("elbow", "spherical", "upper", "lower", (1.0, 0.0, 0.0))
    times = np.linspace(0.0, 1.0, 25)
    way = np.stack([1.0 + 4.0 * times**2 * (3.0 - 2.0 * times), 0.0 * times, -1.0 + 0.0 * times], axis=1)
    path = Path("path", body="lower", point=(1.0, 0.0, -1.0), times=times, positions=way)
    constraints = [Nail("nail", body="upper", point=(0.0, 0.0, 0.0)), path][::order]
    arm = Mechanism(bodies=[upper, lower], joints=[elbow], constraints=constraints)
    (told,) = [note for note in simulate(arm, 1.0, integrator=integrator).notes if note.code == "not-met"]
    assert told.parts == (("constraint", "path"),)


def test_what_is_moved_out_of_reach_again_and_again_is_told_once():
    """A linkage has a run for each stretch between two moves, and each told of the same nail."""
    bar = Body("bar", mass=1.0, inertia=(1e-3, 0.1, 0.1), position=(0.5, 0.0, 0.0))
    moves = [Action(0.1 * k, "nail", {"place": (1.0 + 0.05 * k, 0.0, 0.0)}) for k in range(1, 11)]
    mechanism = Mechanism(
        bodies=[bar],
        joints=[Joint("hinge", "revolute", None, "bar", position=(0.0, 0.0, 0.0), orientation=ABOUT_Y)],
        constraints=[Nail("nail", body="bar", point=(1.0, 0.0, 0.0))],
        actions=moves,
    )
    recording = simulate(mechanism, 1.5)
    (note,) = [note for note in recording.notes if note.code == "not-met"]
    largest = recording.constraint_error.max()
    assert largest > 0.4
    assert float(note.values["gap"].split()[0]) == pytest.approx(largest, rel=1e-2)
    assert len(set(recording.notes)) == len(recording.notes)
