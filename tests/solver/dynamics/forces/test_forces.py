# SPDX-License-Identifier: GPL-3.0-or-later
"""Each force and joint effort against a closed form of tests.truths, or Newton's law on one body.

Motions run at relative 1e-9, so that errors stay below 1e-8 of the quantities, which are all of the order of one.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, evaluate, simulate
from solver.mechanism import Body, Brake, Damping, Gravity, Joint, JointMotor, Keys, Motor, Spring, Table
from tests.truths.heavy_top import SteadyTop
from tests.truths.pendulums import DoublePendulum, Pendulum
from tests.truths.straight_motion import Oscillator, damped_fall, parabola, screw_acceleration

CLOSE = 1e-8
NONE, DOWN = (0.0, 0.0, 0.0), (0.0, 0.0, -9.81)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X


def block(**given) -> Body:
    return Body("block", mass=2.0, inertia=(0.3, 0.4, 0.5), **given)


def run(mechanism: Mechanism, duration: float = 2.0, **options):
    return simulate(mechanism, duration, 24.0, relative=1e-9, **options)


def test_a_thrown_body_flies_a_parabola_about_its_centre_of_mass():
    body = block(center_of_mass=(0.1, -0.2, 0.3), linear_velocity=(1, 2, 3), angular_velocity=(1, -2, 3))
    recording = run(Mechanism(bodies=[body]))
    center = np.array(body.center_of_mass)
    velocity = np.array([1, 2, 3]) + np.cross([1, -2, 3], center)
    expected = parabola(center, velocity, DOWN, recording.times)
    w, *v = np.moveaxis(recording.orientation[:, 0], 1, 0)
    v = np.array(v).T
    turned = center + 2 * w[:, None] * np.cross(v, center) + 2 * np.cross(v, np.cross(v, center))
    assert recording.position[:, 0] + turned == pytest.approx(expected, abs=CLOSE)


@pytest.mark.fallback
def test_gravity_of_one_body_replaces_the_mechanisms():
    forces = [Gravity("moon", body="block", acceleration=(0.0, 1.0, -1.62))]
    mechanism = Mechanism(bodies=[block(), Body("other", mass=1.0, inertia=(1, 1, 1))], forces=forces)
    assert evaluate(mechanism).linear_acceleration == pytest.approx(np.array([(0, 1, -1.62), DOWN]), abs=1e-12)
    forces[0].enabled = False
    assert evaluate(mechanism).linear_acceleration == pytest.approx(np.array([DOWN, DOWN]), abs=1e-12)


def test_damping_slows_a_fall_and_a_spin():
    body = block(linear_velocity=(1, 2, 3), angular_velocity=(0, 0, 4))
    mechanism = Mechanism(bodies=[body], forces=[Damping("air", body="block", linear=0.8, angular=0.25)])
    recording = run(mechanism)
    assert recording.position[:, 0] == pytest.approx(
        damped_fall(NONE, (1, 2, 3), DOWN, 0.8 / 2.0, recording.times), abs=CLOSE
    )
    assert recording.angular_velocity[:, 0, 2] == pytest.approx(4 * np.exp(-0.25 / 0.5 * recording.times), abs=CLOSE)


@pytest.mark.parametrize("motion", ["world", "fixed", "keyed", "dynamic"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_spring_and_damper_between_two_things(motion, swapped):
    """A block on a vertical spring; towards another dynamic body the reduced mass swings."""
    bodies, ends, mass = [block(position=(0, 0, 1), linear_velocity=(0, 0, -0.5))], ["block", None], 2.0
    if motion == "fixed":
        bodies.append(Body("anchor", "fixed", position=(1, 2, 3)))
    elif motion == "keyed":
        keys = Keys(times=(0, 1), positions=[(1, 2, 3)] * 2, orientations=[(1, 0, 0, 0)] * 2)
        bodies.append(Body("anchor", "keyed", keys=keys))
    elif motion == "dynamic":
        bodies.append(Body("anchor", mass=3.0, inertia=(1, 1, 1), position=(0, 0, 2.2)))
        mass = 2.0 * 3.0 / 5.0
    if motion != "world":
        ends[1] = "anchor"
    points = [(0, 0, 1.2), (0, 0, 2.2)]
    if swapped and ends[1] is not None:
        ends, points = ends[::-1], points[::-1]
    spring = Spring(
        "s", body_a=ends[0], body_b=ends[1], point_a=points[0], point_b=points[1],
        stiffness=40.0, rest_length=0.7, damping=1.5,
    )  # fmt: skip
    recording = run(Mechanism(gravity=NONE if motion == "dynamic" else DOWN, bodies=bodies, forces=[spring]))
    pull = 0.0 if motion == "dynamic" else 2.0 * 9.81
    truth = Oscillator(mass, 40.0, 1.5, force=pull, start=0.3, speed=0.5)  # of the spring's stretch
    anchor = recording.position[:, 1, 2] if motion == "dynamic" else 2.2
    stretch = anchor - recording.position[:, 0, 2] - 0.2 - 0.7
    assert stretch == pytest.approx(truth.position(recording.times), abs=CLOSE)
    assert np.ptp(recording.kinetic_energy) > 0.1


def test_a_motor_pushes_along_the_axes_of_its_body():
    """Force 3 N along the body's turned axis at an arm, torque beside it; Euler's law at rest."""
    body = block(position=(1, 0, 0), orientation=LYING)
    motor = Motor("m", body="block", point=(1, 0.5, 0), orientation=LYING, force=(0, 0, 3.0), torque=(0.2, 0.0, 0.0))
    got = evaluate(Mechanism(gravity=NONE, bodies=[body], forces=[motor]))
    force, torque = np.array([0, 3.0, 0]), np.array([0.2, 0, 0])
    R = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    inertia = R @ np.diag([0.3, 0.4, 0.5]) @ R.T
    moment = torque + np.cross([0, 0.5, 0], force)
    assert got.linear_acceleration[0] == pytest.approx(force / 2.0, abs=1e-12)
    assert got.angular_acceleration[0] == pytest.approx(np.linalg.solve(inertia, moment), abs=1e-12)
    motor.enabled = False
    assert np.abs(evaluate(Mechanism(gravity=NONE, bodies=[body], forces=[motor])).linear_acceleration).max() == 0.0


@pytest.mark.parametrize(("largest", "expected"), [(None, (-0.5, -2.0, -4.5)), (1.0, None)])
def test_a_brake_slows_its_point_along_its_own_axes(largest, expected):
    body = block(linear_velocity=(1, 2, 3))
    brake = Brake("b", body="block", point=NONE, damping=(1.0, 2.0, 3.0), max_force=largest)
    got = evaluate(Mechanism(gravity=NONE, bodies=[body], forces=[brake])).linear_acceleration[0]
    full = np.array([-0.5, -2.0, -4.5])
    assert got == pytest.approx(expected or full / np.linalg.norm(full) * 1.0 / 2.0, abs=1e-12)
    brake.orientation = LYING  # its third axis is now along Y, its second along -Z
    brake.max_force = None
    got = evaluate(Mechanism(gravity=NONE, bodies=[body], forces=[brake])).linear_acceleration[0]
    assert got == pytest.approx((-0.5, -3.0, -3.0), abs=1e-12)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_a_table_bends_without_costing_accuracy(integrator):
    """A force that rises, stays and jumps almost at once: the impulse is the area below the table, exactly."""
    table = Table(times=(0.1, 0.35, 0.7, 0.7000001, 1.1), values=(1.0, 4.0, 4.0, -3.0, 0.5))
    motor = Motor("m", body="block", point=NONE, force=(table, 0.0, 0.0))
    recording = run(Mechanism(gravity=NONE, bodies=[block()], forces=[motor]), 1.5, integrator=integrator)
    times = np.unique(np.concatenate([[0.0, 1.5], table.times, recording.times]))
    values = np.interp(times, table.times, table.values)
    impulse = np.concatenate([[0.0], np.cumsum(0.5 * np.diff(times) * (values[1:] + values[:-1]))])
    expected = np.interp(recording.times, times, impulse) / 2.0
    assert recording.linear_velocity[:, 0, 0] == pytest.approx(expected, abs=1e-11)
    assert recording.steps < 400  # it stops at the kinks instead of creeping over them


def test_a_table_before_its_first_and_after_its_last_time():
    motor = Motor("m", body="block", point=NONE, force=(Table((-2.0, -1.0), (5.0, 3.0)), Table((9.0,), (7.0,)), 0.0))
    got = evaluate(Mechanism(gravity=NONE, bodies=[block()], forces=[motor]))
    assert got.linear_acceleration[0] == pytest.approx((1.5, 3.5, 0.0), abs=1e-12)


def slider(**given) -> Mechanism:
    """The block on a rail that falls by 30 degrees along +X."""
    half = np.radians(120.0) / 2
    joint = Joint("rail", "prismatic", None, "block", NONE, (np.cos(half), 0.0, np.sin(half), 0.0), **given)
    return Mechanism(bodies=[block()], joints=[joint])


def test_a_sliding_block_with_joint_spring_damper_and_reflected_mass():
    mechanism = slider(stiffness=30.0, rest=0.2, damping=0.9, armature=0.5, coordinates=-0.1, speeds=0.4)
    recording = run(mechanism)
    truth = Oscillator(2.5, 30.0, 0.9, force=2.0 * 9.81 / 2, start=-0.3, speed=0.4)  # of travel - rest
    assert recording.joint_coordinates[:, 0] - 0.2 == pytest.approx(truth.position(recording.times), abs=CLOSE)
    assert recording.joint_speeds[:, 0] == pytest.approx(truth.velocity(recording.times), abs=CLOSE)
    # all that the rail exerts along itself is what spring and damper give, less what turns the armature
    along = recording.joint_force[:, 0, :3] @ (np.cos(np.radians(30)), 0, -np.sin(np.radians(30)))
    second = np.gradient(recording.joint_speeds[:, 0], recording.times, edge_order=2)
    effort = -30.0 * (recording.joint_coordinates[:, 0] - 0.2) - 0.9 * recording.joint_speeds[:, 0] - 0.5 * second
    assert along[2:-2] == pytest.approx(effort[2:-2], abs=0.5 * 140.0 * (1 / 24) ** 2)  # differences: x'''' step^2 / 6


def test_a_screw_on_an_incline():
    mechanism = slider()
    mechanism.joints[0] = Joint("rail", "screw", None, "block", NONE, mechanism.joints[0].orientation, pitch=0.05)
    mechanism.bodies[0].inertia = (0.3, 0.3, 0.3)
    recording = run(mechanism)
    expected = 0.5 * screw_acceleration(2.0, 0.3, 0.05, 9.81 / 2) * recording.times**2
    assert recording.joint_coordinates[:, 0] == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("limit", [None, 3.0])
def test_a_position_motor_with_and_without_a_limit(limit):
    motor = JointMotor("position", target=0.5, stiffness=20.0, damping=1.0, max_force=limit)
    mechanism = slider(motor=motor, speeds=-0.2)
    effort = 20.0 * 0.5 + 1.0 * 0.2
    expected = (min(effort, limit or np.inf) + 2.0 * 9.81 / 2) / 2.0
    assert evaluate(mechanism).joint_acceleration[0] == pytest.approx(expected, abs=1e-12)
    motor.mode, motor.value = "force", Table((0.0, 1.0), (4.0, 8.0))
    motor.target = motor.stiffness = motor.damping = motor.max_force = None
    assert evaluate(mechanism).joint_acceleration[0] == pytest.approx((4.0 + 9.81) / 2.0, abs=1e-12)


@pytest.mark.fallback
def test_a_large_swing_takes_the_time_of_the_elliptic_integral():
    body = Body("bob", mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0.0, 0.0, -0.5))
    joint = Joint("hinge", "revolute", None, "bob", NONE, LYING, coordinates=3.0)
    truth = Pendulum(3.0, rate=np.sqrt(2.0 * 9.81 * 0.5 / (0.2 + 2.0 * 0.25)))
    recording = simulate(Mechanism(bodies=[body], joints=[joint]), truth.period, 8.0 / truth.period, relative=1e-8)
    # near the top a disturbance grows by e^(rate t) over a quarter period, twice
    assert recording.joint_coordinates[:, 0] == pytest.approx(truth.angle(recording.times), abs=1e-6)
    assert recording.joint_coordinates[4, 0] == pytest.approx(-3.0, abs=1e-6)


@pytest.mark.parametrize("reversed_second", [False, True])
def test_double_pendulum_by_lagrange(reversed_second):
    truth = DoublePendulum((1.0, 0.7), (0.02, 0.03), (0.3, 0.2), 0.5)
    angles, speeds = np.array([0.8, -1.7]), np.array([1.5, -2.5])
    bodies = [
        Body("upper", mass=1.0, inertia=(1.0, 0.02, 1.0), position=(0, 0, -0.3)),
        Body("lower", mass=0.7, inertia=(1.0, 0.03, 1.0), position=(0, 0, -0.7)),
    ]
    # about +Y a body that hangs swings towards -X: the truth's angles count the other way
    relative = -np.array([angles[0], angles[1] - angles[0]]), -np.array([speeds[0], speeds[1] - speeds[0]])
    sign = -1.0 if reversed_second else 1.0
    ends = ("lower", "upper") if reversed_second else ("upper", "lower")
    joints = [
        Joint("first", "revolute", None, "upper", NONE, LYING, coordinates=relative[0][0], speeds=relative[1][0]),
        Joint(
            "second",
            "revolute",
            *ends,
            (0, 0, -0.5),
            LYING,
            coordinates=sign * relative[0][1],
            speeds=sign * relative[1][1],
        ),
    ]
    got = evaluate(Mechanism(bodies=bodies, joints=joints))
    expected = truth.accelerations(angles, speeds)
    assert -got.angular_acceleration[:, 1] == pytest.approx(expected, rel=1e-12)
    assert got.joint_acceleration == pytest.approx((-expected[0], -sign * (expected[1] - expected[0])), rel=1e-12)


def test_steady_precession_of_a_heavy_top():
    top = SteadyTop(mass=1.3, across=0.05, along=0.02, distance=0.15, tilt=0.7, precession=1.9)
    R = top.orientation(0.0)
    half = 0.5 * top.tilt
    center = top.distance * R[:, 2]
    body = Body(
        "top",
        mass=top.mass,
        inertia=(top.across - top.mass * top.distance**2,) * 2 + (top.along,),
        position=center,
        orientation=(np.cos(half), 0.0, np.sin(half), 0.0),
        angular_velocity=top.angular_velocity(0.0),
        linear_velocity=np.cross(top.angular_velocity(0.0), center),
    )
    mechanism = Mechanism(bodies=[body], joints=[Joint("tip", "spherical", None, "top", NONE)])
    recording = run(mechanism, 3.0)
    expected = np.array([top.distance * top.orientation(time)[:, 2] for time in recording.times])
    assert recording.position[:, 0] == pytest.approx(expected, abs=CLOSE)
    force = np.array([top.support(time) for time in recording.times])
    assert recording.joint_force[:, 0, :3] == pytest.approx(force, abs=100 * CLOSE)
    assert np.abs(recording.joint_force[:, 0, 3:]).max() < 100 * CLOSE  # a ball joint holds no moment
