# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands that reach while their figure keeps its balance: statics of arm and figure, limits, what is out of reach."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Action, Expression, Reach, Table
from tests.solver.control.figures import FOREARM, UPPER_ARM, biped, hand_of, with_arm
from tests.solver.control.test_balance import TORQUE, G, place_of, run_to, tilt_of

TARGET = (0.42, -0.25, 1.25)  # m: ahead of the chest
FELT = 2.0 * 0.25**2 + 1.5 * 0.75**2  # kg: of the arm at the hand, with both parts' centres in their middles
STIFFNESS = FELT * (2.0 * np.pi * 2.0) ** 2  # N/m: at 2 Hz


def reaching(target=TARGET, **reach) -> Mechanism:
    return with_arm(biped(max_torque=TORQUE), target, **reach)


def loaded(mechanism: Mechanism, force) -> Mechanism:
    """A force (N, world) at the hand that grows within a second."""
    texts = tuple(f"{part}*min(t, 1)" for part in force)
    mechanism.forces.append(Expression("load", body="forearm", point=mechanism.forces[1].point, force=texts))
    return mechanism


def center_of(mechanism: Mechanism, recording) -> np.ndarray:
    """(F, 3) m: centres of mass; all frames are at those of their bodies."""
    mass = np.array([body.mass for body in mechanism.bodies])
    return np.einsum("b,fbi->fi", mass, recording.position) / mass.sum()


def test_the_hand_rests_at_its_target_and_the_figure_stands():
    mechanism = reaching()
    recording = simulate(mechanism, 4.0)
    assert np.linalg.norm(hand_of(mechanism, recording)[0] - TARGET) > 0.1, "it had a way to go"
    assert hand_of(mechanism, recording)[-1] == pytest.approx(TARGET, abs=1e-3)
    assert tilt_of(recording).max() < 0.1
    assert center_of(mechanism, recording)[-1, :2] == pytest.approx(center_of(mechanism, recording)[0, :2], abs=1e-3)
    assert np.abs(recording.joint_speeds[-1]).max() < 0.01
    assert not [note for note in recording.notes if "reach" in note]


def test_its_arm_holds_its_own_weight():
    """At rest the elbow bears the forearm: m g times the level lever of its centre, about its axis."""
    mechanism = reaching()
    run = run_to(mechanism, 5.0)
    names = [mechanism.bodies[i].name for i in run.compiled.linkage.bodies]
    i = run.compiled.model.driven + names.index("forearm")
    axis = run.compiled.model.bodies[i].axis_start
    S = run.scratch.axes[axis].S[:3]
    recording = simulate(mechanism, 5.0)
    k = list(recording.body_names).index("forearm")
    lever = 0.5 * (hand_of(mechanism, recording)[-1] - recording.position[-1, k]) * 2.0
    torque = -S @ np.cross(lever, (0.0, 0.0, -1.5 * G))
    assert run.memory.arrays.steering.torque[axis] == pytest.approx(torque, abs=0.02)
    assert abs(torque) > 1.0


@pytest.mark.parametrize("force", [(0.0, 0.0, -4.0), (0.0, 3.0, 0.0), (-3.0, 0.0, 0.0)])
def test_a_load_in_the_hand_leads_it_off_by_its_spring(force):
    """By F / k; and since the ground is asked for that force too, the figure stays where it is."""
    mechanism = loaded(reaching(), force)
    recording = simulate(mechanism, 6.0)
    offset = hand_of(mechanism, recording)[-1] - TARGET
    assert offset == pytest.approx(np.array(force) / STIFFNESS, abs=0.06 * np.linalg.norm(force) / STIFFNESS)
    mass = sum(body.mass for body in mechanism.bodies)
    untold = np.linalg.norm(force) / (mass * (2.0 * np.pi) ** 2)
    moved = center_of(mechanism, recording)[-1, :2] - center_of(mechanism, recording)[0, :2]
    assert np.linalg.norm(moved) < 0.2 * untold


def test_torques_of_the_arm_keep_within_their_limit():
    mechanism = reaching(max_torque=2.5)
    run = run_to(mechanism, 0.0)
    i = run.compiled.model.driven + len(mechanism.bodies) - 2
    axes = slice(run.compiled.model.bodies[i].axis_start, run.compiled.model.bodies[i + 1].axis_end)
    largest = 0.0
    for step in range(1, 240):
        for _ in run.advance(step / 240.0):
            pass
        largest = max(largest, np.abs(run.memory.arrays.steering.torque[axes]).max())
    assert largest == 2.5
    recording = simulate(reaching(max_torque=2.5), 3.0)
    assert tilt_of(recording).max() < 0.15, "the figure stands all the same"


def test_what_is_out_of_reach_is_told_and_the_hand_goes_as_near_as_it_can():
    target = (1.6, -0.22, 1.3)
    mechanism = reaching(target)
    recording = simulate(mechanism, 4.0)
    shoulder = place_of(recording)[-1] + (0.0, -0.22, 0.22)  # as good as upright
    near = np.linalg.norm(np.array(target) - shoulder) - UPPER_ARM - FOREARM
    assert np.linalg.norm(hand_of(mechanism, recording)[-1] - target) < near + 0.05
    assert tilt_of(recording).max() < 0.4
    assert np.linalg.norm(place_of(recording, "left foot")[-1] - place_of(recording, "left foot")[0]) < 2e-3
    (note,) = [note for note in recording.notes if "out of reach" in note]
    at_start = np.linalg.norm(np.array(target) - place_of(recording)[0] - (0.0, -0.22, 0.22)) - UPPER_ARM - FOREARM
    assert note.startswith(f"force 'reach': its target is out of reach all the time, by up to {at_start:.2g} m")


def test_it_follows_a_target_that_moves():
    """Behind one that goes at a steady speed it does not lag."""
    target = (0.42, Table((0.0, 1.0, 3.0), (-0.45, -0.45, -0.05)), 1.25)
    mechanism = reaching(target)
    recording = simulate(mechanism, 3.0)
    wanted = np.interp(recording.times, *((0.0, 1.0, 3.0), (-0.45, -0.45, -0.05)))
    late = recording.times > 2.0
    assert np.abs(hand_of(mechanism, recording)[late, 1] - wanted[late]).max() < 0.01


@pytest.mark.parametrize("frequency", [0.0, 1000.0])
def test_any_gains_will_do(frequency):
    mechanism = reaching(frequency=frequency)
    recording = simulate(mechanism, 2.0)
    assert tilt_of(recording).max() < 0.1
    if frequency:
        assert np.linalg.norm(hand_of(mechanism, recording)[-1] - TARGET) < 2e-3
        late = recording.times > 1.8  # when it has come to its target
        assert np.abs(np.diff(hand_of(mechanism, recording)[late], axis=0)).max() < 1e-3, "it does not jitter"


def test_it_lets_go_when_it_is_switched_off():
    mechanism = reaching()
    mechanism.actions.append(Action(time=1.5, target="reach", set={"enabled": False}))
    recording = simulate(mechanism, 3.0)
    assert hand_of(mechanism, recording)[-1, 2] < TARGET[2] - 0.1
    assert tilt_of(recording).max() < 0.1


def test_what_cannot_be_is_refused_by_name():
    lonely = reaching()
    lonely.forces = lonely.forces[1:]
    with pytest.raises(MechanismError, match="'reach': no joints lead from 'forearm' to a body that keeps its balance"):
        simulate(lonely, 0.1)
    footed = biped()
    footed.forces.append(Reach("reach", body="left foot", point=(0, 0, 0), target=(0, 0, 1)))
    with pytest.raises(MechanismError, match="'left foot' is on a leg of 'balance'"):
        simulate(footed, 0.1)
    trunk = biped()
    trunk.forces.append(Reach("reach", body="trunk", point=(0, 0, 1), target=(0, 0, 1)))
    with pytest.raises(MechanismError, match="'trunk' is what 'balance' holds"):
        simulate(trunk, 0.1)


def test_a_file_keeps_it(tmp_path):
    mechanism = reaching(max_torque=40.0, max_force=30.0)
    mechanism.save(tmp_path / "reaching.json")
    assert Mechanism.load(tmp_path / "reaching.json").forces == mechanism.forces
