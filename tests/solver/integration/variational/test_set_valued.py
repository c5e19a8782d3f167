# SPDX-License-Identifier: GPL-3.0-or-later
"""Dry friction, motors with a maximum, and limits in steps of one length: closed forms, and energy that never grows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Body, Gear, Joint, JointMotor, Nail, Table
from tests.solver.simulation.test_conservation import tree

G = 9.81
MASS = 2.0
ALONG_X = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
ALONG_Y = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)


def run(mechanism: Mechanism, duration: float, rate: float = 24.0, substeps: int = 4, **options):
    return simulate(mechanism, duration, rate, integrator="variational", substeps=substeps, **options)


def block(speed: float = 0.0, pull: float = 0.0, **joint: object) -> Mechanism:
    """A block of 2 kg on a rail along X, pulled (N) along it."""
    body = Body("block", mass=MASS, inertia=(0.1, 0.1, 0.1), linear_velocity=(speed, 0.0, 0.0))
    rail = Joint("rail", "prismatic", None, "block", (0, 0, 0), ALONG_X, **joint)
    return Mechanism(gravity=(pull / MASS, 0.0, 0.0), bodies=[body], joints=[rail])


def energy_of(found) -> np.ndarray:
    return found.kinetic_energy + found.potential_energy


# --- dry friction ---


@pytest.mark.fallback
@pytest.mark.parametrize("friction", [3.0, 2.9, 17.0])
def test_a_block_slides_to_a_stop_and_then_stands(friction):
    """v t - F t^2 / 2 m up to m v / F; behind it not a bit changes."""
    found = run(block(1.0, friction=(friction,)), 1.0)
    t = np.minimum(found.times, MASS / friction)
    assert found.joint_coordinates[:, 0] == pytest.approx(t - 0.5 * friction / MASS * t * t, abs=1e-9)
    stands = found.times > MASS / friction
    assert np.ptp(found.joint_coordinates[stands]) == 0.0
    assert np.all(found.joint_speeds[stands] == 0.0)


@pytest.mark.fallback
def test_what_stands_stands_up_to_its_static_friction_and_not_beyond():
    """There is no speed at which it would creep."""
    rough = {"friction": (4.0,), "static_friction": (6.0,), "stribeck_speed": (0.1,)}
    held = run(block(0.0, 6.0 * (1.0 - 1e-9), **rough), 1.0, substeps=1)
    assert np.all(held.joint_coordinates == 0.0)
    slips = run(block(0.0, 6.0 * (1.0 + 1e-6), **rough), 1.0, substeps=1)
    assert slips.joint_coordinates[-1, 0] > 1e-6


def coulomb_oscillation(times: np.ndarray, stiffness: float, friction: float) -> np.ndarray:
    """m: a block on a spring, let go at 1 m: half a cosine about friction / stiffness each, until it sticks."""
    half, off = math.pi / math.sqrt(stiffness / MASS), friction / stiffness
    found = []
    for t in times:
        x = 1.0
        while abs(x) > off and t > half:
            x, t = math.copysign(2.0 * off, x) - x, t - half
        middle = math.copysign(off, x)
        found.append(middle + (x - middle) * math.cos(math.pi * t / half) if abs(x) > off else x)
    return np.array(found)


def test_a_spring_with_friction_loses_four_times_its_part_each_turn():
    """The amplitude falls by 4 F / k: it stands at 0.04 m after four turns; errors fall with the square of the step."""
    mechanism, errors = block(friction=(3.0,), stiffness=(50.0,), coordinates=(1.0,)), []
    for substeps in (4, 8):
        found = run(mechanism, 6.0, 50.0, substeps)
        errors.append(np.abs(found.joint_coordinates[:, 0] - coulomb_oscillation(found.times, 50.0, 3.0)).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert found.joint_coordinates[-1, 0] == pytest.approx(0.04, abs=1e-4)
    assert found.joint_speeds[-1, 0] == 0.0


def rough_pendulum(**more: object) -> Mechanism:
    """Two bars of a metre on hinges that rub, the first let go level."""
    bars = [
        Body("one", mass=1.0, inertia=(0.002, 0.084, 0.084), position=(0.5, 0.0, 0.0)),
        Body("two", mass=1.0, inertia=(0.084, 0.084, 0.002), position=(1.0, 0.0, -0.5)),
    ]
    joints = [
        Joint("a", "revolute", None, "one", (0, 0, 0), ALONG_Y, friction=(1.0,)),
        Joint("b", "revolute", "one", "two", (1, 0, 0), ALONG_Y, friction=(0.5,)),
    ]
    return Mechanism(bodies=bars, joints=joints, **more)


def test_errors_fall_with_the_square_of_the_step():
    """Both hinges come to rest and turn round on the way."""
    truth = simulate(rough_pendulum(), 0.8, 24.0, relative=1e-9)
    errors = [np.abs(run(rough_pendulum(), 0.8, 24.0, n).position - truth.position).max() for n in (8, 16, 32)]
    assert errors[2] < 1e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)


def test_what_comes_loose_does_so_where_a_step_begins():
    """Static friction that is more than the kinetic one: errors fall with the step alone."""
    mechanism = rough_pendulum()
    mechanism.joints[1].static_friction = (0.8,)
    truth = simulate(mechanism, 1.0, 24.0, relative=1e-9)
    errors = [np.abs(run(mechanism, 1.0, 24.0, n).position - truth.position).max() for n in (8, 32)]
    assert errors[1] < 5e-5
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("method", ["composite", "lagrange", "divide"])
def test_all_methods_agree(method):
    expected, found = run(rough_pendulum(), 0.4), run(rough_pendulum(), 0.4, method=method)
    assert found.position == pytest.approx(expected.position, abs=1e-9)
    assert found.joint_force == pytest.approx(expected.joint_force, abs=1e-9)


def rough_parallelogram() -> Mechanism:
    mechanism = rough_pendulum(gravity=(4.0, 0.0, -9.81))
    mechanism.bodies.append(Body("three", mass=0.5, inertia=(0.002, 0.04, 0.04), position=(0.5, 0.0, -1.0)))
    tie = Joint("c", "revolute", "two", "three", (1, 0, -1), ALONG_Y, friction=(0.3,))
    mechanism.joints.append(tie)
    mechanism.constraints = [Nail("nail", body="three", point=(0.0, 0.0, -1.0))]
    return mechanism


def test_in_loops_by_lagrange_it_is_refused_by_name():
    with pytest.raises(MechanismError, match=r"'c'.*by method lagrange.*take method recursive"):
        run(rough_parallelogram(), 0.1, method="lagrange")


@pytest.mark.parametrize("method", ["recursive", "propagation"])
def test_in_a_loop_friction_of_each_hinge_counts(method):
    """A parallelogram that swings to rest, against Adams."""
    mechanism = rough_parallelogram()
    truth = simulate(mechanism, 1.0, 24.0)
    found = run(mechanism, 1.0, 24.0, 32, method=method)
    assert np.ptp(truth.position[:, 0], axis=0).max() > 0.01
    assert found.position == pytest.approx(truth.position, abs=1e-3)
    assert found.constraint_error.max() < 1e-12


# --- motors that keep a speed up to a maximum ---


@pytest.mark.fallback
def test_a_motor_pushes_with_all_it_has_until_it_is_at_its_speed():
    """F t / m up to m v / F, then at its speed exactly; its load is the same as long as it can bear it."""
    motor = JointMotor(mode="speed", target=(0.5,), max_force=(3.0,))
    for load, rises in ((0.0, 1.5), (-2.0, 0.5)):
        found = run(block(0.0, load, motor=motor), 1.5, substeps=16)
        assert found.joint_speeds[:, 0] == pytest.approx(np.minimum(rises * found.times, 0.5), abs=1e-12)
        assert found.joint_speeds[-1, 0] == 0.5
    slips = run(block(0.0, -4.0, motor=motor), 1.5)
    assert slips.joint_speeds[:, 0] == pytest.approx(-0.5 * slips.times, abs=1e-12)


@pytest.mark.fallback
def test_a_motor_works_against_friction():
    """Of 3 N 1 N is left; once at its speed it needs no more than friction takes."""
    motor = JointMotor(mode="speed", target=(0.5,), max_force=(3.0,))
    found = run(block(motor=motor, friction=(2.0,)), 1.5)
    assert found.joint_speeds[:, 0] == pytest.approx(np.minimum(0.5 * found.times, 0.5), abs=1e-12)


# --- limits ---


def ball(bounciness: float, **more: object) -> Mechanism:
    """A ball on an upright rail, a metre above its limit."""
    upright = {"limits": ((0.0, None),), "bounciness": (bounciness,), "coordinates": (1.0,), **more}
    body = Body("ball", mass=MASS, inertia=(0.1, 0.1, 0.1))
    return Mechanism(bodies=[body], joints=[Joint("rail", "prismatic", None, "ball", (0, 0, 0), **upright)])


def bounces(times: np.ndarray, e: float) -> np.ndarray:
    """m: heights of a ball that is let go at 1 m."""
    met, speed = math.sqrt(2.0 / G), math.sqrt(2.0 * G)
    heights = np.where(times < met, 1.0 - 0.5 * G * times**2, 0.0)
    while (speed := e * speed) > 1e-6 and met < times[-1]:
        since = times - met
        flies = (since > 0.0) & (since < 2.0 * speed / G)
        heights = np.where(flies, speed * since - 0.5 * G * since**2, heights)
        met += 2.0 * speed / G
    return heights


@pytest.mark.parametrize("e", [0.0, 0.5, 0.9, 1.0])
def test_a_ball_bounces_when_the_equation_says(e):
    """Each step ends at the limit. Bounces that fit into a step are none: those of less than g h^2 / 8."""
    found = run(ball(e), 3.0)
    h = 1.0 / 96.0
    assert found.joint_coordinates[:, 0] == pytest.approx(bounces(found.times, e), abs=1e-9 + G * h * h / 8.0)
    assert np.diff(energy_of(found)).max() < 1e-12
    if e == 1.0:
        assert energy_of(found) == pytest.approx(energy_of(found)[0], rel=1e-12)
    if e <= 0.5:
        assert abs(found.joint_coordinates[-1, 0]) < 1e-9


def test_a_thousand_bounces_keep_the_height():
    """Elastic: no energy is lost or gained in 900 s."""
    found = run(ball(1.0), 900.0, 1.0, 48)
    assert energy_of(found) == pytest.approx(energy_of(found)[0], rel=1e-9)
    assert np.ptp(found.joint_coordinates) > 0.9


@pytest.mark.fallback
def test_a_limit_bears_what_presses_on_it_and_lets_it_go():
    """A ball that lies on its limit under a pull that turns round leaves it at that moment."""
    pull = JointMotor(mode="force", value=(Table((0.0, 1.0), (0.0, 2.0 * MASS * G)),))
    resting = ball(0.5, coordinates=(0.0,), motor=pull)
    found = run(resting, 1.0, 24.0, 16)
    flies = np.maximum(0.0, found.times - 0.5)
    assert found.joint_coordinates[:, 0] == pytest.approx(G / 3.0 * flies**3, abs=1e-4)
    assert np.all(found.joint_coordinates[found.times < 0.5] == 0.0)


@pytest.mark.parametrize("e", [0.0, 0.6, 1.0])
def test_two_limits_of_a_double_pendulum(e):
    """Bars that strike both of their limits, as by Adams up to the third blow; energy falls at blows alone."""
    mechanism = rough_pendulum()
    for joint, limits in zip(mechanism.joints, ((-0.2, 0.7), (-0.5, 0.5)), strict=True):
        joint.friction, joint.static_friction, joint.limits, joint.bounciness = None, None, (limits,), (e,)
    truth = simulate(mechanism, 0.6, 48.0)
    found = run(mechanism, 0.6, 48.0, 32)
    assert found.position == pytest.approx(truth.position, abs=2e-3)
    long = run(mechanism, 10.0, 48.0, 16)
    energy = energy_of(long)
    assert (energy - np.minimum.accumulate(energy)).max() < 2e-3 * np.ptp(energy_of(long) - long.kinetic_energy)
    assert (long.joint_coordinates >= np.array((-0.2, -0.5)) - 1e-8).all()
    assert (long.joint_coordinates <= np.array((0.7, 0.5)) + 1e-8).all()


def test_blows_go_through_gears():
    """Two wheels, geared 1:2; the first meets its limit, and both turn back at e of their speeds."""
    wheels = [Body(name, mass=1.0, inertia=(1.0, 1.0, inertia), position=(x, 0, 0)) for name, inertia, x in (
        ("a", 0.5, 0.0), ("b", 0.2, 1.0))]  # fmt: skip
    joints = [
        Joint("a", "revolute", None, "a", (0, 0, 0), limits=((-1.0, 1.0),), bounciness=(0.5,), speeds=(3.0,)),
        Joint("b", "revolute", None, "b", (1, 0, 0), speeds=(-6.0,)),
    ]
    gear = Gear("gear", joint_a="a", joint_b="b", ratio=-2.0)
    found = run(Mechanism(gravity=(0, 0, 0), bodies=wheels, joints=joints, constraints=[gear]), 0.6, 24.0, 32)
    a = np.where(found.times < 1.0 / 3.0, 3.0 * found.times, 1.0 - 1.5 * (found.times - 1.0 / 3.0))
    assert found.joint_coordinates[:, 0] == pytest.approx(a, abs=5e-5)  # a turn's error is a part of the step's square
    assert found.joint_coordinates[:, 1] == pytest.approx(-2.0 * found.joint_coordinates[:, 0], abs=1e-12)
    assert found.joint_speeds[-1] == pytest.approx((-1.5, 3.0), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_energy_never_grows(seed):
    """Random trees of all types of joint, with friction and limits at random, in free space, for 10 s."""
    rng = np.random.default_rng(seed)
    mechanism = tree(seed, "floating", False)
    mechanism.gravity, mechanism.forces = (0.0, 0.0, 0.0), []
    for joint in mechanism.joints:
        joint.stiffness = joint.damping = joint.motor = None
        joint.friction = tuple(rng.uniform(0.0, 0.05, joint.count))
        if joint.type in ("revolute", "prismatic", "cylindrical", "universal"):
            joint.limits = ((-1.0, 1.0),) * joint.count
            joint.bounciness = (float(rng.uniform(0.0, 1.0)),) * joint.count
    found = run(mechanism, 10.0, 24.0, 32)
    energy = found.kinetic_energy
    assert (energy - np.minimum.accumulate(energy)).max() < 1e-9 * energy[0]
    assert energy[-1] < energy[0]
