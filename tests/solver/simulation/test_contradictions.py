# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors that keep a speed against limits, loops and each other: what they can they do, what they cannot is said."""

from __future__ import annotations

import numpy as np
import pytest

from solver import LiveRun, Mechanism, MechanismError, SimulationFailed, evaluate, simulate
from solver.mechanism import Body, Gear, Joint, Rack
from solver.simulation.contradictions import contradictions
from tests.solver.dynamics.forces.test_bounciness import four_bar

NONE = (0.0, 0.0, 0.0)
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X
INTEGRATORS = ("adams", "runge-kutta", "implicit", "impulse")
ALL = (*INTEGRATORS, "variational")
STEP = 1.0 / 480.0  # s: of impulse, by which a motor may be late that is to give a speed at once


def speed(target, max_force: float | None = None) -> dict:
    return {"mode": "speed", "target": target} | ({} if max_force is None else {"max_force": max_force})


def arm(**given) -> Mechanism:
    """An arm on a hinge about Z that may turn 1 rad to either side."""
    body = Body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    hinge = Joint("hinge", "revolute", None, "arm", NONE, limits=((-1.0, 1.0),), **given)
    return Mechanism(gravity=NONE, bodies=[body], joints=[hinge])


def rack(motor: dict, limit: float = 0.3) -> Mechanism:
    """A pinion of 0.2 m that drives a rack up to its end."""
    bodies = [Body("pinion", mass=1.0, inertia=(0.1, 0.1, 0.1)), Body("rack", mass=1.0, inertia=(0.1, 0.1, 0.1))]
    joints = [
        Joint("axle", "revolute", None, "pinion", NONE, motor=motor),
        Joint("rail", "prismatic", None, "rack", (0, 0.2, 0), ALONG_X, limits=((None, limit),)),
    ]
    teeth = Rack("teeth", joint_a="axle", joint_b="rail", radius=0.2)
    return Mechanism(gravity=NONE, bodies=bodies, joints=joints, constraints=[teeth])


def gears(*targets, ratio: float = -1.0) -> Mechanism:
    """Two wheels that mesh, each with a motor of its own."""
    bodies = [Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k, 0, 0)) for k, name in enumerate("ab")]
    joints = [
        Joint(f"axle {name}", "revolute", None, name, (k, 0, 0), motor=speed(targets[k])) for k, name in enumerate("ab")
    ]
    gear = Gear("gear", joint_a="axle a", joint_b="axle b", ratio=ratio)
    return Mechanism(bodies=bodies, joints=joints, constraints=[gear])


def refusal(mechanism: Mechanism, integrator: str, duration: float = 2.0) -> SimulationFailed:
    with pytest.raises(SimulationFailed) as caught:
        simulate(mechanism, duration, 24.0, integrator=integrator)
    return caught.value


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_limit_holds_against_a_motor_with_a_maximum(integrator):
    recording = simulate(arm(motor=speed(2.0, 5.0)), 1.5, 24.0, integrator=integrator)
    q = recording.joint_coordinates[:, 0]
    assert q.max() <= 1.0 + 1e-6
    assert q[-1] == pytest.approx(1.0, abs=1e-6)
    assert abs(recording.joint_speeds[-1, 0]) < 1e-9


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_motor_pushes_against_a_limit_with_its_maximum(integrator):
    """The teeth carry on to the rack what the motor gives: its maximum over the pinion's radius."""
    recording = simulate(rack(speed(1.5, 3.0)), 2.0, 24.0, integrator=integrator)
    assert recording.joint_coordinates[-1] == pytest.approx([1.5, 0.3], abs=1e-6)
    assert np.abs(recording.joint_speeds[-1]).max() < 1e-9
    assert recording.constraint_force[-1, 0, :3] @ [1, 0, 0] == pytest.approx(3.0 / 0.2, rel=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_motor_that_turns_round_leaves_its_limit(integrator):
    table = {"times": [0, 1, 2], "values": [2, 2, -2]}
    recording = simulate(arm(motor=speed(table, 500.0)), 2.0, 24.0, integrator=integrator)
    t, q = recording.times, recording.joint_coordinates[:, 0]
    leaves = 1.5
    expected = np.where(t < leaves, np.minimum(2.0 * t, 1.0), 1.0 - 2.0 * (t - leaves) ** 2)
    late = 2.0 * STEP if integrator == "impulse" else 1.4e-3  # s: what 500 N m need to bring the arm to its speed
    assert q == pytest.approx(expected, abs=2.0 * late)
    assert q.max() < 1.0 + 1e-6


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta"])
def test_a_motor_that_begins_to_push_at_its_limit_pushes(integrator):
    table = {"times": [0, 1, 2], "values": [0, 0, 1]}
    mechanism = rack(speed(table, 3.0), limit=0.0)
    recording = simulate(mechanism, 2.0, 24.0, integrator=integrator)
    force = recording.constraint_force[:, 0, 0]
    assert np.abs(recording.joint_coordinates).max() < 1e-9
    assert np.abs(force[recording.times < 1.0]).max() < 1e-9
    assert force[recording.times > 1.05] == pytest.approx(3.0 / 0.2, rel=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_motor_without_a_maximum_at_its_limit_is_named(integrator):
    failure = refusal(arm(motor=speed(2.0)), integrator)
    assert failure.time == pytest.approx(0.5, abs=1.0 / 24.0 + 1e-5)
    for words in ("joint 'hinge': its motor", "no maximum", "2 rad/s", "limit of 1 rad", "max_force"):
        assert words in str(failure)
    assert failure.body_names == ["arm"]
    late = 2.0 * STEP if integrator == "impulse" else 0.0
    assert failure.recording.joint_coordinates[-1, 0] == pytest.approx(1.0, abs=2.0 * late + 1e-6)


def test_it_is_found_beforehand_to_the_same_moment():
    mechanism = arm(motor=speed({"times": [0, 0.2, 1.0], "values": [0, 2, 4]}))
    (found,) = contradictions(mechanism)
    failure = refusal(mechanism, "adams")
    assert (found.code, found.parts) == ("motor-at-limit", (("joint", "hinge"),))
    assert float(found.values["time"]) == pytest.approx(failure.time, abs=1e-5)
    assert contradictions(mechanism, failure.time - 0.01) == []
    (found,) = contradictions(rack(speed(1.5)))
    assert (found.code, float(found.values["time"])) == ("motors-at-limit", pytest.approx(1.0, abs=1e-5))
    assert contradictions(rack(speed(-1.5))) == []
    assert contradictions(arm(motor=speed(2.0, 5.0))) == contradictions(arm()) == []
    assert contradictions(arm(motor=speed({"times": [0, 1], "values": [1, 0]}))) == []  # it stops half-way


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_motor_that_drives_a_rack_against_its_end_is_named(integrator):
    failure = refusal(rack(speed(1.5)), integrator)
    assert failure.time == pytest.approx(1.0, abs=1.0 / 24.0 + 1e-6)
    for name in ("joint 'axle'", "joint 'rail'", "constraint 'teeth'", "max_force"):
        assert name in str(failure)


@pytest.mark.parametrize("integrator", ALL)
def test_motors_that_contradict_each_other_are_named_at_once(integrator):
    """By the same words, whatever integrates."""
    with pytest.raises(MechanismError) as caught:
        simulate(gears(2.0, 2.0), 2.0, integrator=integrator)
    assert caught.value.problems == contradictions(gears(2.0, 2.0))
    (message,) = caught.value.problems
    assert message.code == "motors-contradict"
    assert message.parts == (("joint", "axle a"), ("joint", "axle b"))
    assert "constraint 'gear'" in message
    with pytest.raises(MechanismError, match="axle b"):
        evaluate(gears(2.0, 2.0))
    with pytest.raises(MechanismError, match="axle b"):
        LiveRun(gears(2.0, 2.0), 24.0, integrator=integrator)


@pytest.mark.parametrize("integrator", ALL)
def test_motors_that_agree_may(integrator):
    recording = simulate(gears(2.0, -3.0, ratio=-1.5), 1.0, 24.0, integrator=integrator)
    late = 2.0 * STEP if integrator == "impulse" else 0.0
    assert recording.joint_coordinates[-1] == pytest.approx([2.0, -3.0], abs=3.0 * late + 1e-6)


@pytest.mark.parametrize("integrator", ALL)
@pytest.mark.parametrize("off", [1e-7, 1e-12])
def test_motors_that_agree_but_for_rounding_may(integrator, off):
    """Accelerations grew beyond all bounds."""
    recording = simulate(gears(2.0, -3.0 * (1.0 + off), ratio=-1.5), 1.0, 24.0, integrator=integrator)
    late = 2.0 * STEP if integrator == "impulse" else 0.0
    assert recording.joint_coordinates[-1] == pytest.approx([2.0, -3.0], abs=3.0 * late + 1e-6)


@pytest.mark.parametrize("integrator", ALL)
def test_motors_that_are_keyed_alike_may_start_at_speed(integrator):
    """What rounding leaves of their speeds at the very start is no difference, though nothing has moved yet."""
    first, second = ({"times": [0.0, 1.0], "values": [0.1 * value, value]} for value in (0.3, -0.45))
    recording = simulate(gears(first, second, ratio=-1.5), 1.0, 24.0, integrator=integrator)
    late = 2.0 * STEP if integrator == "impulse" else 0.0
    assert recording.joint_coordinates[-1] == pytest.approx([0.165, -0.2475], abs=late + 1e-6)


@pytest.mark.parametrize("integrator", ALL)
def test_motors_that_fall_out_later_are_named_then(integrator):
    table = {"times": [0, 0.5, 0.6], "values": [-2, -2, -1]}
    failure = refusal(gears(2.0, table), integrator)
    assert 0.5 < failure.time <= 0.5 + 1.0 / 24.0 + 1e-6
    assert "joint 'axle a', joint 'axle b'" in str(failure)


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_motors_that_only_one_pose_of_a_loop_allows_are_named(integrator):
    """Crank and rocker of a four-bar at the speeds that they have to each other at the start."""
    mechanism = four_bar(0.0)
    mechanism.joints[3].limits = mechanism.joints[0].speeds = None
    mechanism.joints[0].motor, mechanism.joints[3].motor = speed(1.0), speed(1.0 / 1.5)
    assert contradictions(mechanism) == []
    failure = refusal(mechanism, integrator)
    assert failure.time < 0.1
    assert "joint '0', joint '3'" in str(failure)


def test_no_reason_is_false():
    """Hinges that are a little off parallel, and poses in which a loop is stretched, do not contradict a motor."""
    for off in (0.0, 1e-11, 1e-7, 1e-4):
        mechanism = four_bar(0.0)
        mechanism.joints[3].limits = mechanism.joints[0].speeds = None
        mechanism.joints[0].motor = speed(1.0)
        w, x, y, z = mechanism.joints[1].orientation
        mechanism.joints[1].orientation = tuple(np.array((w, x, y + off, z)) / np.sqrt(1.0 + off**2))
        assert contradictions(mechanism) == []
