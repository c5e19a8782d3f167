# SPDX-License-Identifier: GPL-3.0-or-later
"""Motors that lead a joint as keyed: the coordinate is met exactly, and the effort is that of inverse dynamics."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, MechanismError, evaluate, simulate
from solver.assembly import assemble
from solver.mechanism import COORDINATES, Action, Body, Box, Contact, Distance, Gear, Ground, Joint, JointMotor, Table
from solver.mechanism.keyed_motion import sample_led
from solver.simulation.inspection import inspect
from solver.simulation.live import LiveRun

ABOUT_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
MASS, LENGTH = 2.0, 0.7
EXACT, OF_TORQUE = 1e-9, 1e-6
INTEGRATORS = "adams", "runge-kutta", "implicit", "impulse", "variational"


def table(function, end: float = 1.0, count: int = 49) -> Table:
    times = np.linspace(0.0, end, count)
    return Table(tuple(times), tuple(function(times)))


def keyed(*targets) -> JointMotor:
    return JointMotor(mode="keyed", target=targets if len(targets) > 1 else targets[0])


def rod(name: str, start, end, mass: float = 1.0) -> Body:
    """A thin rod from one point to another one, in the plane of X and Z."""
    start, end = np.array(start, float), np.array(end, float)
    length, angle = np.linalg.norm(end - start), np.arctan2(end[2] - start[2], end[0] - start[0])
    moments = (1e-3 * mass * length**2, mass * length**2 / 12.0, mass * length**2 / 12.0)
    turn = (np.cos(0.5 * angle), 0.0, -np.sin(0.5 * angle), 0.0)
    return Body(name, mass=mass, inertia=moments, position=0.5 * (start + end), orientation=turn)


def hinge(name: str, parent: str | None, child: str, at, **more) -> Joint:
    return Joint(name, "revolute", parent, child, at, ABOUT_Y, **more)


def pendulum(target, **more) -> Mechanism:
    """A rod that is level at the angle 0 and hinged at its end; the angle turns it down."""
    return Mechanism(
        bodies=[rod("rod", (0, 0, 0), (LENGTH, 0, 0), MASS)],
        joints=[hinge("hinge", None, "rod", (0, 0, 0), motor=keyed(target), **more)],
    )


def torque_of_pendulum(q: np.ndarray, second: np.ndarray) -> np.ndarray:
    """N m: m l^2 / 3 q'' - m g l / 2 cos q."""
    return MASS * LENGTH**2 / 3.0 * second - 0.5 * MASS * 9.81 * LENGTH * np.cos(q)


def errors(mechanism: Mechanism, recording) -> tuple[float, float]:
    """(rad or m, per s): how far coordinates and speeds are off what leads them."""
    off, slow = [], []
    for j, joint in enumerate(mechanism.joints):
        for c, target in enumerate(joint.led or (), start=recording.joint_offsets[j]):
            value, rate, _ = sample_led(target, recording.times)
            off.append(np.abs(recording.joint_coordinates[:, c] - value).max())
            slow.append(np.abs(recording.joint_speeds[:, c] - rate).max())
    return max(off), max(slow)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_pendulum_is_led_and_its_torque_is_the_closed_form(integrator: str) -> None:
    target = table(lambda t: 0.5 + np.sin(3.0 * t))
    mechanism = pendulum(target)
    recording = simulate(mechanism, 1.0, 24.0, integrator=integrator)
    assert max(errors(mechanism, recording)) < EXACT
    q, _, second = sample_led(target, recording.times)
    torque = torque_of_pendulum(q, second)
    effort = inspect(mechanism, recording).joint_effort[:, 0]
    assert np.abs(effort - torque).max() < OF_TORQUE * np.abs(torque).max()
    assert recording.joint_force[:, 0, 4] == pytest.approx(torque, abs=OF_TORQUE * np.abs(torque).max())


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_the_angle_is_exact_between_frames_too(integrator: str) -> None:
    """Frames of a seventh of the length fall between the points of the table, and on no end of a step."""
    mechanism = pendulum(table(lambda t: 0.5 + np.sin(3.0 * t)))
    recording = simulate(mechanism, 1.0, 24.0 * 7.3, integrator=integrator)
    assert max(errors(mechanism, recording)) < EXACT


def random_chain(types: list[str], led: set[int], turned: set[int]) -> Mechanism:
    """Joints of these types in a row, some of them led, some with the child nearer to the root, every other geared."""
    rng = np.random.default_rng(7)
    bodies, joints, inner = [], [], None
    for k, kind in enumerate(types):
        place = rng.normal(size=3) + (k, 0.0, 0.0)
        turns = [q / np.linalg.norm(q) for q in rng.normal(size=(2, 4))]
        offset = tuple(0.2 * rng.normal(size=3))
        bodies.append(Body(f"b{k}", mass=1.0 + rng.random(), inertia=(0.3, 0.4, 0.35), position=place))
        bodies[-1].orientation, bodies[-1].center_of_mass = turns[0], offset
        waves = [(0.7 * rng.normal(), 2.0 + rng.random(), rng.random()) for _ in range(COORDINATES[kind])]
        targets = [table(lambda t, w=w: w[0] * np.sin(w[1] * t + w[2])) for w in waves]
        ends = (f"b{k}", inner) if k in turned else (inner, f"b{k}")
        joints.append(Joint(f"j{k}", kind, *ends, place + 0.5 * rng.normal(size=3), turns[1]))
        joints[-1].pitch = 0.1 if kind == "screw" else None
        joints[-1].armature = (0.05,) * len(waves) if k % 2 else None
        joints[-1].motor = keyed(*targets) if k in led else None
        inner = f"b{k}"
    return Mechanism(bodies=bodies, joints=joints)


CHAINS = {
    "free first": (["revolute", "cylindrical", "universal", "planar"], {1, 2, 3}, set()),
    "turned round": (["revolute", "cylindrical", "universal", "planar"], {1, 2, 3}, {1, 2, 3}),
    "free between": (["screw", "prismatic", "spherical", "revolute"], {0, 1, 3}, {2, 3}),
}


@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange"])
@pytest.mark.parametrize("chain", CHAINS)
def test_hybrid_dynamics_agrees_with_inverse_dynamics(chain: str, method: str) -> None:
    """What some joints are led by, and others do by themselves, comes about by the efforts that are found, too."""
    mechanism = random_chain(*CHAINS[chain])
    found = evaluate(mechanism, method=method)
    recording = simulate(mechanism, 0.1, 24.0, method=method)
    assert max(errors(mechanism, recording)) < EXACT
    efforts, o = inspect(mechanism, recording).joint_effort[0], recording.joint_offsets
    for j, joint in enumerate(mechanism.joints):
        for c, target in enumerate(joint.led or (), start=o[j]):
            assert found.joint_acceleration[c] == pytest.approx(sample_led(target, np.zeros(1))[2, 0], abs=1e-9)
    pushed = []
    for j, joint in enumerate(mechanism.joints):
        own = slice(o[j], o[j + 1])
        given = {"coordinates": recording.joint_coordinates[0, own], "speeds": recording.joint_speeds[0, own]}
        motor = JointMotor(mode="force", value=tuple(efforts[own])) if joint.led else None
        pushed.append(dataclasses.replace(joint, motor=motor, **given))
    by_efforts = evaluate(dataclasses.replace(mechanism, joints=pushed), method="recursive")
    assert by_efforts.joint_acceleration == pytest.approx(found.joint_acceleration, rel=OF_TORQUE, abs=1e-9)
    assert by_efforts.linear_acceleration == pytest.approx(found.linear_acceleration, rel=OF_TORQUE, abs=1e-9)


def four_bar(target) -> Mechanism:
    a, b, c, d = (0, 0, 0), (0, 0, 0.3), (1.0, 0, 0.8), (1.0, 0, 0)
    return Mechanism(
        bodies=[rod("crank", a, b), rod("coupler", b, c), rod("rocker", d, c)],
        joints=[
            hinge("drive", None, "crank", a, motor=keyed(target)),
            hinge("crank pin", "crank", "coupler", b),
            hinge("rocker pin", "coupler", "rocker", c),
            hinge("pivot", None, "rocker", d),
        ],
    )


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_four_bar_is_led(integrator: str) -> None:
    mechanism = four_bar(table(lambda t: 2.0 * np.pi * t**2 * (3.0 - 2.0 * t)))
    recording = simulate(mechanism, 0.25, 24.0, integrator=integrator)
    assert max(errors(mechanism, recording)) < EXACT
    assert recording.constraint_error.max() < EXACT


def test_the_work_of_what_leads_a_four_bar_is_its_energy() -> None:
    mechanism = four_bar(table(lambda t: 2.0 * np.pi * t**2 * (3.0 - 2.0 * t)))
    recording = simulate(mechanism, 1.0, 240.0, integrator="adams", relative=1e-8)
    power = inspect(mechanism, recording).joint_effort[:, 0] * recording.joint_speeds[:, 0]
    energy = recording.kinetic_energy + recording.potential_energy
    pairs = power[:-2:2] + 4.0 * power[1:-1:2] + power[2::2]  # Simpson's rule
    work = np.cumsum(pairs) / (3.0 * 240.0)
    assert np.abs(work - (energy[2::2] - energy[0])).max() < 1e-5 * np.ptp(energy)


def test_a_motor_that_leads_out_of_reach_gives_way_and_is_named() -> None:
    """A crank that is longer than the linkage lets it turn."""
    mechanism = four_bar(table(lambda t: 6.0 * t))
    mechanism.bodies[0], mechanism.joints[0].position = rod("crank", (0, 0, -1.0), (0, 0, 0.3)), (0, 0, -1.0)
    recording = simulate(mechanism, 1.0, 24.0)
    assert any(note.code == "not-met" and ("joint", "drive") in note.parts for note in recording.notes)
    assert np.isfinite(recording.position).all()


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_the_motor_takes_dry_friction_and_dampers_with_it(integrator: str) -> None:
    target = table(lambda t: 0.5 * np.sin(6.0 * t))
    mechanism = pendulum(target, friction=(2.0,), damping=(0.3,), stiffness=(1.5,))
    recording = simulate(mechanism, 1.0, 24.0, integrator=integrator)
    assert max(errors(mechanism, recording)) < EXACT
    q, rate, second = sample_led(target, recording.times)
    effort = inspect(mechanism, recording).joint_effort[:, 0]  # spring, damper and friction are in it
    assert effort == pytest.approx(torque_of_pendulum(q, second), abs=1e-5)


def test_what_is_geared_goes_along() -> None:
    mechanism = pendulum(table(lambda t: 0.3 + 0.5 * np.sin(6.0 * t)))
    mechanism.bodies.append(rod("other", (2, 0, 0), (2.5, 0, 0)))
    mechanism.joints.append(hinge("second", None, "other", (2, 0, 0)))
    mechanism.constraints = [Gear("gear", joint_a="hinge", joint_b="second", ratio=-2.0)]
    q = simulate(mechanism, 1.0, 24.0).joint_coordinates
    assert q[:, 1] == pytest.approx(-2.0 * (q[:, 0] - q[0, 0]), abs=EXACT)


def test_contact_by_impulses_does_not_lead_it_off() -> None:
    """An arm that sweeps a block along the ground, by whatever torque that takes."""
    mechanism = pendulum(table(lambda t: t))
    mechanism.bodies[0].shape, mechanism.joints[0].orientation = Box(half_size=(0.5 * LENGTH, 0.02, 0.02)), (1, 0, 0, 0)
    block = Body("block", mass=5.0, inertia=(0.03,) * 3, position=(0.4, 0.3, 0.0), shape=Box(half_size=(0.1,) * 3))
    mechanism.bodies.append(block)
    mechanism.contact = Contact(ground=Ground(height=-0.1))
    recording = simulate(mechanism, 1.0, 24.0)
    assert max(errors(mechanism, recording)) < EXACT
    assert recording.position[-1, 1, 1] > 0.4, "it was pushed"
    assert inspect(mechanism, recording).joint_effort[:, 0].max() > 5.0, "against its friction"
    assert not any(note.code in ("gain", "overlap") for note in recording.notes)


@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_motor_that_begins_on_the_way_draws_its_joint_there_without_a_jump(integrator: str) -> None:
    """The gap is on the critically damped course of what is caught, and falls to a thousandth after nine of tau."""
    mechanism = pendulum(0.0)
    mechanism.joints[0].motor, mechanism.joints[0].tau = None, 0.02
    led = {"mode": "keyed", "target": {"times": [0.0, 0.5, 1.0, 1.5], "values": [1.0, 1.2, 1.1, 1.0]}}
    mechanism.actions = [Action(0.25, "hinge", {"motor": led})]
    recording = simulate(mechanism, 1.5, 200.0, integrator=integrator)
    before = recording.joint_coordinates[50, 0], recording.joint_speeds[50, 0]
    value, rate, _ = sample_led(mechanism.actions[0].values_for(mechanism.joints[0])["motor"].target, recording.times)
    gap, opening = before[0] - value[50], before[1] - rate[50]
    s = (recording.times[50:] - 0.25) / 0.02
    course = (gap + (gap + 0.02 * opening) * s) * np.exp(-s)
    assert recording.joint_coordinates[50:, 0] - value[50:] == pytest.approx(course, abs=EXACT)
    assert any(note.code == "led" for note in recording.notes)


def test_a_live_run_begins_and_ends_it_and_plays_again() -> None:
    mechanism = pendulum(0.0)
    mechanism.joints[0].motor = None
    run = LiveRun(mechanism, 24.0)
    run.advance(6, 100.0)
    run.act("hinge", motor={"mode": "keyed", "target": 0.8})
    run.advance(18, 100.0)
    run.act("hinge", motor=None)
    run.advance(24, 100.0)
    again = simulate(run.mechanism, 1.0, 24.0)
    assert np.array_equal(again.position, run.recording().position)


def test_the_joint_begins_where_it_is_keyed() -> None:
    mechanism = pendulum(table(lambda t: 0.3 + t))
    assert mechanism.joints[0].start_coordinates == pytest.approx((0.3,))
    assert simulate(mechanism, 0.1, 24.0).joint_coordinates[0, 0] == pytest.approx(0.3, abs=EXACT)
    mechanism.joints[0].coordinates = (0.3,)
    simulate(mechanism, 0.1, 24.0)
    mechanism.joints[0].coordinates = (0.2,)
    with pytest.raises(MechanismError, match=r"must be 0\.3, where its keyed motor is at 0 s, or be left out"):
        simulate(mechanism, 0.1, 24.0)


def test_assembly_closes_a_loop_with_the_joint_where_it_is_keyed() -> None:
    mechanism = four_bar(table(lambda t: 0.4 + t))
    with pytest.raises(MechanismError, match="use assemble"):
        simulate(mechanism, 0.1, 24.0)
    recording = simulate(assemble(mechanism), 0.2, 24.0)
    turned = 0.15 * np.sin(0.4), 0.0, 0.15 * np.cos(0.4)  # the middle of the crank
    assert recording.position[0, 0] == pytest.approx(turned, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"limits": ((-1.0, 0.9),)}, "leads past a limit: to 0.9"),
        (
            {"type": "spherical", "motor": keyed(0.0, 0.0, 0.0)},
            "must not be keyed: a spherical joint's rotation vector",
        ),
    ],
)
def test_what_cannot_be_is_named(change: dict, said: str) -> None:
    mechanism = pendulum(table(lambda t: np.sin(3.0 * t)))
    mechanism.joints[0] = dataclasses.replace(mechanism.joints[0], **change)
    with pytest.raises(MechanismError, match=said) as refusal:
        simulate(mechanism, 0.1, 24.0)
    assert "hinge" in str(refusal.value)


def test_method_divide_refuses_it_by_name() -> None:
    with pytest.raises(MechanismError, match="its motor leads it as keyed"):
        evaluate(pendulum(table(np.sin)), method="divide")


def test_the_file_keeps_it() -> None:
    mechanism = pendulum(table(lambda t: np.sin(3.0 * t)))
    assert Mechanism.from_dict(mechanism.to_dict()) == mechanism


def test_derivatives_hold_it_where_it_is_led() -> None:
    """Accelerations of what is led change with nothing, those of others with efforts as by differences."""
    mechanism = random_chain(*CHAINS["free between"])
    found = evaluate(mechanism, derivatives=True).derivatives
    led = [k for k, name in enumerate(found.axis_names) if name in ("j0", "j1", "j3")]
    assert len(led) == 3
    for array in (found.acceleration_by_coordinates, found.acceleration_by_speeds, found.acceleration_by_efforts):
        assert np.abs(array[led]).max() < 1e-9 * max(np.abs(array).max(), 1.0)
    free = [k for k, name in enumerate(found.axis_names) if name == "j2"]
    pushed = []
    for push in (0.0, 1.0):
        mechanism.joints[2].motor = JointMotor(mode="force", value=(push, 0.0, 0.0))
        pushed.append(evaluate(mechanism, method="recursive").joint_acceleration[2:5])  # linear in efforts
    assert found.acceleration_by_efforts[free, free[0]] == pytest.approx(pushed[1] - pushed[0], abs=1e-9)


@pytest.mark.parametrize(
    "change",
    [
        {"type": "universal", "limits": ((-1.0, 1.0),)},
        {"coordinates": (0.0, 0.0)},
        {"motor": keyed(0.0, 0.0)},
        {"motor": keyed(Table((0.0, 1e-300, 1.0), (0.0, 1e30, 0.0)))},
        {"motor": keyed(Table((0.0, 1.0, 1e30), (0.0, -1e30, 1e30)))},
        {"type": "fixed"},
    ],
)
def test_nonsense_is_told_and_nothing_raises(change: dict) -> None:
    mechanism = pendulum(0.0)
    mechanism.joints[0] = dataclasses.replace(mechanism.joints[0], **change)
    mechanism.constraints = [
        Distance("rod", body_a="rod", point_a=(0, 0, 0), point_b=(1, 0, 0), distance=Table((0, 1, 2), (1.0, 1e-3, 2.0)))
    ]
    problems = mechanism.problems()
    assert any("hinge" in problem for problem in problems) or "1e+30" in str(change)
    assert any("rod" in problem and "must stay above 0" in problem for problem in problems)
