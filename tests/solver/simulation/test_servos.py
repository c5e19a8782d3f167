# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on position motors at their maximum: by name, from which frame, and how far off."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import LiveRun, Mechanism, simulate
from solver.mechanism import Action, Body, Joint, JointMotor, Table

ALONG_Y = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)
WEIGHT = 9.81 * 0.5  # N m: of the arm when it is level


def arm(motor: JointMotor | None, actions: tuple[Action, ...] = ()) -> Mechanism:
    """A level arm, held by a hinge."""
    bodies = [Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0.0, 0.0))]
    joints = [Joint("hinge", "revolute", None, "arm", (0.0, 0.0, 0.0), ALONG_Y, motor=motor)]
    return Mechanism(gravity=(0.0, 0.0, -9.81), bodies=bodies, joints=joints, actions=list(actions))


def servo(max_force: float | None, target: float | Table = 0.0) -> JointMotor:
    return JointMotor(mode="position", target=target, stiffness=2000.0, damping=60.0, max_force=max_force)


def told(notes: list) -> list:
    return [note for note in notes if note.code == "at-maximum"]


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_a_servo_that_is_too_weak_is_named(integrator):
    recording = simulate(arm(servo(0.8 * WEIGHT)), 1.0, integrator=integrator)
    [note] = told(recording.notes)
    assert note.parts == (("joint", "hinge"),)
    assert note.values["maximum"] == f"{0.8 * WEIGHT:.4g} N m"
    frames = note.values["frame"] + np.arange(note.values["count"])
    assert frames[0] == 1  # at the start nothing is off yet
    off = np.abs(recording.joint_coordinates[frames, 0])
    assert off.max() > 0.1
    assert note.values["gap"] == f"{off.max():.3g} rad"


@pytest.mark.parametrize("max_force", [1.5 * WEIGHT, None])
def test_one_that_holds_is_not(max_force):
    recording = simulate(arm(servo(max_force)), 1.0)
    assert np.abs(recording.joint_coordinates).max() < 0.01
    assert not told(recording.notes)


def test_one_that_is_led_too_fast_lags_from_there_on():
    """From half a second on its target turns by 30 rad a second."""
    target = Table((0.0, 0.5, 0.6), (0.0, 0.0, 3.0))
    [note] = told(simulate(arm(servo(2.0 * WEIGHT, target)), 1.0, 100.0).notes)
    assert note.values["frame"] in (51, 52)


def test_what_an_action_sets_counts_from_then_on():
    weaker = Action(0.5, "hinge", {"motor": dataclasses.asdict(servo(0.5 * WEIGHT))})
    weaker.set["motor"].pop("value")
    [note] = told(simulate(arm(servo(None), (weaker,)), 1.0).notes)
    assert note.values["frame"] in (13, 14)
    cut = Action(0.5, "hinge", {"enabled": False})
    assert not told(simulate(arm(servo(1.5 * WEIGHT), (cut,)), 1.0).notes)


def test_a_live_run_says_what_its_replay_says():
    live = LiveRun(arm(servo(2.0 * WEIGHT)), 24.0)
    while not live.advance(6, 0.01):
        pass
    live.act("hinge", motor={"mode": "position", "target": 1.0, "stiffness": 2000.0, "damping": 60.0, "max_force": 3.0})
    while not live.advance(20, 0.01):
        pass
    notes = live.recording().notes
    assert told(notes)[0].values["frame"] == 7
    assert notes == simulate(live.mechanism, live.time, 24.0).notes


@pytest.mark.parametrize("axis", [0, 1], ids=["slide", "turn"])
def test_the_servo_of_one_axis_of_a_generic_joint_is_named_with_its_unit(axis):
    """A block that may slide up and turn on a level axis; the other axis has a servo that holds."""
    enough, weak = servo(None), servo(0.8 * (WEIGHT if axis else 9.81))
    joint = Joint("joint", "generic", None, "arm", (0.0, 0.0, 0.0), free=("z", "turn y"))
    joint.motor = (weak, enough) if axis == 0 else (enough, weak)
    mechanism = arm(None)
    mechanism.joints = [joint]
    recording = simulate(mechanism, 0.5)
    [note] = told(recording.notes)
    frames = note.values["frame"] + np.arange(note.values["count"])
    off = np.abs(recording.joint_coordinates[frames, axis]).max()
    assert note.values["gap"] == f"{off:.3g} {'rad' if axis else 'm'}"
    assert note.values["maximum"].endswith(" N m" if axis else " N")
    assert np.abs(recording.joint_coordinates[:, 1 - axis]).max() < 0.05
