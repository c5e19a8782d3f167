# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that are switched off and on again: nothing jumps, and in the end all is as it was."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, SimulationFailed, simulate
from solver.mechanism import (
    Body,
    Curve,
    Joint,
    JointMotor,
    PointToPoint,
)
from solver.simulation.live import LiveRun
from tests.solver.simulation.catches import NONE, START, act, hung, lean, seen_from_parent
from tests.solver.simulation.hurrying import assert_plays_again, count_pieces, go_on, work_in_small_pieces
from tests.truths.critical_damping import gap as critically_damped

LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y


def pendulum(count: int = 3) -> Mechanism:
    """A chain that hangs on a hinge in the world, level at first."""
    bodies = [
        Body(f"link {k}", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0.5 * k + 0.25, 0, 0)) for k in range(count)
    ]
    joints = [
        Joint(f"joint {k}", "revolute", bodies[k - 1].name if k else None, f"link {k}", (0.5 * k, 0, 0), LYING)
        for k in range(count)
    ]
    return Mechanism(bodies=bodies, joints=joints)


@pytest.mark.parametrize("off", [1e-4, 0.01, 0.2])
@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_off_and_on_again_never_jumps(integrator, off):
    """Places and velocities at the action are what they were; then what it draws with moves all on evenly."""
    mechanism = act(pendulum(), (START, "joint 1", {"enabled": False}), (START + off, "joint 1", {"enabled": True}))
    rate = 480.0
    recording = simulate(mechanism, 1.5, rate, integrator=integrator, relative=1e-6)
    free = simulate(act(pendulum(), (START, "joint 1", {"enabled": False})), 1.5, rate, integrator=integrator)
    before = recording.times <= START + off
    assert recording.position[before] == pytest.approx(free.position[before], abs=1e-7)
    fastest = np.linalg.norm(recording.linear_velocity, axis=2).max()
    moved = np.linalg.norm(np.diff(recording.position, axis=0), axis=2)
    assert moved.max() < 1.02 * fastest / rate
    first = int(np.argmax(recording.times > START + off))
    change = np.linalg.norm(recording.linear_velocity[first] - free.linear_velocity[first], axis=1)
    speed = np.linalg.norm(recording.linear_velocity[first - 1], axis=1).max()
    assert change.max() < 30.0 / 0.1 * (speed + off) / rate  # and no impact
    stops = any("velocities changed" in note for note in recording.notes)
    assert stops == (off == 1e-4)  # after so short a time it still fits, and stops as by a slight blow


def test_once_closed_it_belongs_to_the_tree_again_and_all_that_it_exerts_acts():
    """From then on it moves as one that has never been cut and starts there."""
    mechanism = pendulum(2)
    mechanism.joints[1].stiffness, mechanism.joints[1].rest, mechanism.joints[1].damping = (3.0,), (0.4,), (0.02,)
    act(mechanism, (START, "joint 1", {"enabled": False}), (0.7, "joint 1", {"enabled": True, "tau": 0.05}))
    recording = simulate(mechanism, 5.0, 24.0, relative=1e-9)
    away, *_ = seen_from_parent(mechanism, recording, mechanism.joints[1])
    first = 72
    assert np.abs(away[first:]).max() < 1e-12
    for k, joint in enumerate(mechanism.joints):
        joint.coordinates = (recording.joint_coordinates[first, k],)
        joint.speeds = (recording.joint_speeds[first, k],)
    mechanism.actions = []
    rest = simulate(mechanism, 2.0, 24.0, relative=1e-9)
    assert recording.joint_coordinates[first:] == pytest.approx(rest.joint_coordinates, abs=1e-6)


def four_bar() -> Mechanism:
    ends = [(None, "link 0", 0, 0), ("link 0", "link 1", 0, 1), ("link 1", "link 2", 1, 1), (None, "link 2", 1, 0)]
    places = [(0, 0, 0.5), (0.5, 0, 1), (1, 0, 0.5)]
    bodies = [Body(f"link {k}", mass=1.0, inertia=(0.05, 0.1, 0.1), position=x) for k, x in enumerate(places)]
    joints = [Joint(f"joint {k}", "revolute", a, b, (x, 0, z), LYING) for k, (a, b, x, z) in enumerate(ends)]
    joints[0].speeds = (0.45,)  # from 0.49 on the rhombus passes its change point while it is drawn together
    return Mechanism(bodies=bodies, joints=joints)


@pytest.mark.parametrize("which", [1, 3])
@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_loop_that_was_opened_is_closed_again(integrator, which):
    mechanism = four_bar()
    name = f"joint {which}"
    act(mechanism, (0.1, name, {"enabled": False}), (0.3, name, {"enabled": True, "tau": 0.05}))
    recording = simulate(mechanism, 3.0, 96.0, integrator=integrator)
    away, relative, rate, _ = seen_from_parent(mechanism, recording, mechanism.joints[which])
    first = int(np.argmax(recording.times > 0.3 + 1e-9))
    t = recording.times[first:] - recording.times[first]
    expected = critically_damped(t, away[first], rate[first], 0.05)
    assert np.abs(away[first]).max() > 1e-3
    assert away[first:] == pytest.approx(expected, abs=2e-9)
    assert np.abs(away[-1]).max() < 1e-9
    assert np.linalg.norm(lean(relative)[-1]) < 1e-9


def test_what_cannot_is_refused_by_name():
    flipped = Body("b", mass=1.0, inertia=(0.2, 0.2, 0.2), position=NONE, angular_velocity=(2.0 * np.pi, 0, 0))
    mechanism = Mechanism(gravity=NONE, bodies=[flipped], joints=[Joint("joint", "revolute", None, "b", NONE)])
    act(mechanism, (0.0, "joint", {"enabled": False}), (START, "joint", {"enabled": True}))
    with pytest.raises(SimulationFailed, match=r"joint 'joint': its ends are turned .*180 degrees"):
        simulate(mechanism, 1.0)
    mechanism.bodies[0].angular_velocity = (6.2, 0.0, 0.0)  # and on, past half a turn
    with pytest.raises(SimulationFailed, match=r"joint 'joint': its ends are turned .*178 degrees"):
        simulate(mechanism, 1.0)
    mechanism.bodies[0].angular_velocity = (1.0, 0.0, 0.0)
    mechanism.joints[0] = Joint("joint", "screw", None, "b", NONE, pitch=0.1)
    with pytest.raises(SimulationFailed, match=r"joint 'joint': its thread does not fit"):
        simulate(mechanism, 1.0)
    with pytest.raises(SimulationFailed, match=r"constraint 'hook': .*variational cannot do"):
        simulate(hung(0.5), 1.0, integrator="variational")
    bead = Curve("bead", body="b", point=NONE, points=((0, 1, 0), (1, 1, 0)), enabled=False)
    mechanism.joints, mechanism.constraints = [], [bead]
    with pytest.raises(SimulationFailed, match=r"constraint 'bead': its sides are 1 m apart"):
        simulate(act(mechanism, (START, "bead", {"enabled": True})), 1.0)
    bead.tau = 0.1
    assert any("tau has no meaning for a curve" in problem for problem in mechanism.problems())


def test_ends_that_cannot_meet_are_named_and_nothing_jumps():
    """An arm whose hook is out of its reach: stretched as far as it goes, it gives way."""
    mechanism = Mechanism(bodies=[Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))])
    mechanism.joints = [Joint("shoulder", "spherical", None, "arm", NONE)]
    mechanism.constraints = [PointToPoint("hook", body_a="arm", point_a=(1, 0, 0), point_b=(1.5, 0, 0), enabled=False)]
    act(mechanism, (0.2, "hook", {"enabled": True}))
    recording = simulate(mechanism, 2.0, 96.0)
    assert any("hook" in note and "could not be met" in note for note in recording.notes)
    assert np.linalg.norm(np.diff(recording.position[:, 0], axis=0), axis=1).max() < 0.1


def test_a_motor_works_once_its_joint_is_closed():
    mechanism = pendulum(2)
    mechanism.gravity = NONE
    mechanism.bodies[1].angular_velocity = (0, 0.5, 0)
    mechanism.joints[1].motor = JointMotor(mode="speed", target=1.0)
    act(mechanism, (0.1, "joint 1", {"enabled": False}), (0.4, "joint 1", {"enabled": True}))
    recording = simulate(mechanism, 6.0, 48.0)
    assert recording.joint_speeds[-1, 1] == pytest.approx(1.0, abs=1e-9)
    away, *_ = seen_from_parent(mechanism, recording, mechanism.joints[1])
    assert np.abs(away[-1]).max() < 1e-12


def live_things() -> Mechanism:
    mechanism = pendulum(4)
    mechanism.joints[2].stiffness = (3.0,)
    mechanism.constraints = [
        PointToPoint("hook", body_a="link 3", point_a=(2, 0, 0), point_b=(1.2, 0.0, -1.0), enabled=False)
    ]
    return mechanism


@pytest.mark.parametrize("integrator", ["auto", "impulse"])
def test_a_live_run_with_catches_plays_again_to_the_last_bit(monkeypatch, integrator):
    with monkeypatch.context() as hurried:
        count_pieces(hurried)
        work_in_small_pieces(hurried)
        live = LiveRun(live_things(), 24.0, integrator=integrator)
        go_on(live, 8, 3)
        live.act("joint 2", enabled=False)
        go_on(live, 12, 3)
        live.act("joint 2", enabled=True, tau=0.04)
        go_on(live, 20, 3)
        live.act("hook", enabled=True)
        go_on(live, 60, 3)
        live.act("hook", enabled=False)
        live.act("joint 1", enabled=False)
        live.advance(live.frame + 1, 3)
        live.act("joint 1", enabled=True)
        go_on(live, 160, 3)
    assert_plays_again(live, live_things, integrator=integrator)
    assert sum("drawn together" in note for note in live.recording().notes) == 3
