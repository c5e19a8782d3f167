# SPDX-License-Identifier: GPL-3.0-or-later
"""Single forces, efforts and energies of recorded frames: against closed forms, and against Newton's and Euler's laws.

The balance of a body is a second route to every force: accelerations come from the solver's recursions (or from
differences of recorded velocities), forces from the inspection.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given

from solver import Mechanism, evaluate, simulate
from solver.mechanism import (
    Action,
    Body,
    Brake,
    Damping,
    Distance,
    Drag,
    Gravity,
    Joint,
    JointMotor,
    Keys,
    Motor,
    PointToPoint,
    Rubber,
    Spring,
    Support,
    Table,
)
from solver.model.topology import constraint_bodies, find_linkages, force_bodies
from solver.simulation import inspection
from solver.simulation.inspection import Inspection, inspect
from tests.solver.assembly.random_ties import planar_mechanisms, tied_mechanisms
from tests.solver.dynamics.loops.test_methods_agree import some
from tests.solver.dynamics.tree.long_doubles import matrix
from tests.solver.random_mechanisms import mechanisms
from tests.solver.simulation.test_reference import reference
from tests.truths.pendulums import Pendulum
from tests.truths.straight_motion import Oscillator

ROUNDING = 1e-9  # of the largest value of its kind: what the solver's methods agree to
CLOSE = 1e-8  # motions run at relative 1e-9
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y


def block(name: str = "block", **given) -> Body:
    return Body(name, mass=2.0, inertia=(0.3, 0.4, 0.5), **given)


def run(mechanism: Mechanism, duration: float = 2.0, rate: float = 24.0):
    recording = simulate(mechanism, duration, rate, relative=1e-9)
    return recording, inspect(mechanism, recording)


class Balance:
    """Forces and moments about the origin on each body, at one frame of a recording."""

    def __init__(self, mechanism: Mechanism, recording, found: Inspection, frame: int = 0) -> None:
        self.mechanism, self.number = mechanism, {body.name: i for i, body in enumerate(mechanism.bodies)}
        self.x = recording.position[frame]
        self.R = np.array([matrix(q) for q in recording.orientation[frame]], float)
        self.center = self.x + np.array(
            [R @ body.center_of_mass for R, body in zip(self.R, mechanism.bodies, strict=True)]
        )
        count = len(mechanism.bodies)
        self.force, self.moment = np.zeros((count, 3)), np.zeros((count, 3))
        for i, body in enumerate(mechanism.bodies):
            self.act(body.name, self.center[i], found.weight[frame, i], np.zeros(3))
        for j, joint in enumerate(mechanism.joints):
            place = self.point(joint.child, joint.position)
            self.act_between(joint.child, joint.parent, place, recording.joint_force[frame, j])
        for c, constraint in enumerate(mechanism.constraints):
            first, *others = constraint_bodies(mechanism, constraint)
            place = self.x[self.number[first]]
            if hasattr(constraint, "point") or hasattr(constraint, "point_a"):
                given = constraint.point if hasattr(constraint, "point") else constraint.point_a
                place = self.point(first, given)
            self.act_between(first, others[0] if others else None, place, recording.constraint_force[frame, c])
        for k, force in enumerate(mechanism.forces):
            if not isinstance(force, Gravity):
                first, *others = force_bodies(force)
                given = force.point_a if others else getattr(force, "point", None)
                place = self.center[self.number[first]] if given is None else self.point(first, given)
                self.act_between(first, others[0] if others else None, place, found.force[frame, k])

    def point(self, name: str | None, given) -> np.ndarray:
        """The place of a body's point that the file gives in the world at zero coordinates."""
        if name is None:
            return np.array(given)
        i = self.number[name]
        body = self.mechanism.bodies[i]
        at_zero = np.array(matrix(body.orientation or (1, 0, 0, 0)), float)
        return self.x[i] + self.R[i] @ at_zero.T @ (np.array(given) - np.array(body.position or (0, 0, 0)))

    def act_between(self, name: str | None, other: str | None, place: np.ndarray, wrench: np.ndarray) -> None:
        self.act(name, place, wrench[:3], wrench[3:])
        self.act(other, place, -wrench[:3], -wrench[3:])

    def act(self, name: str | None, place: np.ndarray, force: np.ndarray, moment: np.ndarray) -> None:
        if name is not None:
            self.force[self.number[name]] += force
            self.moment[self.number[name]] += moment + np.cross(place, force)

    def unbalanced(self, i: int, linear, angular, spin) -> float:
        """N: what is missing to m a and I alpha + w x I w of a body, moments for arms of a metre.

        linear, angular: accelerations of its origin; spin: its angular velocity.
        """
        body, R, arm = self.mechanism.bodies[i], self.R[i], self.center[i] - self.x[i]
        own = np.diag(body.inertia) if np.ndim(body.inertia) == 1 else np.array(body.inertia)
        I = R @ own @ R.T
        acceleration = linear + np.cross(angular, arm) + np.cross(spin, np.cross(spin, arm))
        moment = self.moment[i] - np.cross(self.center[i], self.force[i])
        of_force = self.force[i] - body.mass * acceleration
        of_moment = moment - (I @ angular + np.cross(spin, I @ spin))
        return float(max(np.abs(of_force).max(), np.abs(of_moment).max()))


def assert_newton_and_euler(mechanism: Mechanism) -> None:
    recording, evaluation = simulate(mechanism, 0.0), evaluate(mechanism)
    found = inspect(mechanism, recording)
    balance = Balance(mechanism, recording, found)
    forces = [recording.joint_force[0], recording.constraint_force[0], found.force[0]]
    scale = max(1.0, *(float(np.abs(part).max(initial=0.0)) for part in forces))
    scale = max(scale, float(np.abs(evaluation.linear_acceleration).max(initial=0.0)))
    for i, body in enumerate(mechanism.bodies):
        if body.motion == "dynamic":
            motion = evaluation.linear_acceleration[i], evaluation.angular_acceleration[i]
            assert balance.unbalanced(i, *motion, recording.angular_velocity[0, i]) < 10 * ROUNDING * scale, body.name


def assert_energies(mechanism: Mechanism, recording, found: Inspection) -> None:
    scale = 1.0 + np.abs(recording.kinetic_energy).max() + np.abs(recording.potential_energy).max()
    kinetic, potential = found.linkage_kinetic_energy.sum(axis=1), found.linkage_potential_energy.sum(axis=1)
    assert np.abs(kinetic - recording.kinetic_energy).max() < ROUNDING * scale
    assert np.abs(potential - recording.potential_energy).max() < ROUNDING * scale
    armature = [n for joint in mechanism.joints for n in joint.armature or (0.0,) * _coordinates(recording, joint)]
    of_bodies = found.kinetic_energy.sum(axis=1) + 0.5 * recording.joint_speeds**2 @ np.array(armature)
    assert np.abs(of_bodies - recording.kinetic_energy).max() < ROUNDING * scale


def _coordinates(recording, joint: Joint) -> int:
    j = list(recording.joint_names).index(joint.name)
    return int(recording.joint_offsets[j + 1] - recording.joint_offsets[j])


@some(80)
@given(mechanisms())
def test_newton_and_euler_hold_for_every_body_of_random_trees(mechanism):
    assert_newton_and_euler(mechanism)


@some(40)
@given(tied_mechanisms())
def test_newton_and_euler_hold_where_loops_are_closed(mechanism):
    assert_newton_and_euler(mechanism)


@some(60)
@given(mechanisms())
def test_what_a_tree_passes_on_along_an_axis_is_the_effort_less_what_turns_the_armature(mechanism):
    recording, evaluation = simulate(mechanism, 0.0), evaluate(mechanism)
    found = inspect(mechanism, recording)
    armature = [n for joint in mechanism.joints for n in joint.armature or (0.0,) * _coordinates(recording, joint)]
    expected = found.joint_effort[0] - np.array(armature) * evaluation.joint_acceleration
    scale = 1.0 + np.abs(recording.joint_force).max(initial=0.0)
    assert np.abs(found.joint_transmitted[0] - expected).max(initial=0.0) < ROUNDING * scale


@some(30)
@given(planar_mechanisms())
def test_joints_that_close_loops_pass_on_no_more_than_their_efforts(mechanism):
    recording = simulate(mechanism, 0.0)
    found = inspect(mechanism, recording)
    assert_energies(mechanism, recording, found)
    still = [
        sum(joint.armature or ()) == 0.0 for joint in mechanism.joints for _ in range(_coordinates(recording, joint))
    ]
    scale = 1.0 + np.abs(recording.joint_force).max(initial=0.0)
    apart = np.abs(found.joint_transmitted[0] - found.joint_effort[0])[still]
    assert apart.max(initial=0.0) < 100 * ROUNDING * scale


@some(10)
@given(mechanisms(most=4))
def test_energies_along_a_motion(mechanism):
    recording = simulate(mechanism, 0.25)
    assert_energies(mechanism, recording, inspect(mechanism, recording))


@pytest.mark.parametrize("name", ["four_bar", "two_link_motors", "spring_net", "keyed_base", "tree_floating_12"])
def test_energies_of_the_reference_cases(name):
    mechanism, _ = reference(name)
    recording = simulate(mechanism, 0.5)
    found = inspect(mechanism, recording)
    assert_energies(mechanism, recording, found)
    assert_energies(mechanism, recording.up_to(3), inspect(mechanism, recording.up_to(3)))


@pytest.mark.fallback
def test_a_spring_between_a_body_and_the_world_pulls_as_hooke_says():
    truth = Oscillator(mass=2.0, stiffness=30.0, damping=1.5, force=-2.0 * 9.81, start=0.3, speed=-0.4)
    body = block(position=(0, 0, 0.3), linear_velocity=(0, 0, -0.4))
    spring = Spring(
        "spring", body_a="block", point_a=(0, 0, 0.3), point_b=(0, 0, 5), stiffness=30.0, rest_length=5.0, damping=1.5
    )
    swapped = copy.copy(spring)
    swapped.body_a, swapped.body_b, swapped.point_a, swapped.point_b = "post", "block", (0, 0, 5), (0, 0, 0.3)
    for force in (spring, swapped):
        mechanism = Mechanism(bodies=[body, Body("post", "fixed")], forces=[force])
        recording, found = run(mechanism, 0.5)
        z, speed = truth.position(recording.times), truth.velocity(recording.times)
        pull = 30.0 * -z - 1.5 * speed
        assert found.length[:, 0] == pytest.approx(5.0 - z, abs=CLOSE)
        assert found.rate[:, 0] == pytest.approx(-speed, abs=10 * CLOSE)
        assert found.tension[:, 0] == pytest.approx(pull, abs=100 * CLOSE)
        upward = pull if force is spring else -pull  # on the first body, which the swapped one has at the post
        assert found.force[:, 0, 2] == pytest.approx(upward, abs=100 * CLOSE)
        assert found.linkage_potential_energy[:, 0] == pytest.approx(2.0 * 9.81 * z + 15.0 * z**2, abs=100 * CLOSE)


def test_the_energies_and_the_pull_of_a_pendulum():
    about_pin = 0.4 + 2.0 * 0.7**2
    truth = Pendulum(amplitude=0.5 * np.pi, rate=np.sqrt(2.0 * 9.81 * 0.7 / about_pin))
    joint = Joint("pin", "revolute", None, "block", (0, 0, 0), LYING)
    mechanism = Mechanism(bodies=[block(position=(0.7, 0, 0))], joints=[joint])
    recording, found = run(mechanism, 1.0, 48.0)
    height = -0.7 * np.cos(truth.angle(recording.times))
    assert found.potential_energy[:, 0] == pytest.approx(2.0 * 9.81 * height, abs=100 * CLOSE)
    assert found.kinetic_energy[:, 0] == pytest.approx(-2.0 * 9.81 * height, abs=100 * CLOSE)
    assert found.joint_effort == pytest.approx(0.0, abs=0.0)
    assert found.joint_transmitted == pytest.approx(0.0, abs=CLOSE)


@pytest.mark.fallback
def test_a_damping_and_a_brake_and_a_motor_exert_what_their_numbers_say():
    body = block(linear_velocity=(1, 2, 3), angular_velocity=(0, 0, 4))
    forces = [
        Damping("air", body="block", linear=0.8, angular=0.25),
        Brake("pad", body="block", point=(1, 0, 0), damping=(0.5, 0.0, 0.0)),
        Brake("slipping", body="block", point=(0, 0, 0), damping=100.0, max_force=0.3),
        Motor("jet", body="block", point=(0, 1, 0), force=(0, 0, 7), torque=(1, 0, 0)),
        Motor("off", body="block", point=(0, 1, 0), force=(0, 0, 7), enabled=False),
        Gravity("moon", body="block", acceleration=(0, 0, -1.62)),
    ]
    mechanism = Mechanism(bodies=[body], forces=forces)
    found = inspect(mechanism, simulate(mechanism, 0.0))
    velocity = np.array([1.0, 2.0, 3.0])
    expected = [
        [*(-0.8 * velocity), 0, 0, -0.25 * 4],
        [-0.5, 0, 0, 0, 0, 0],  # its point moves by (1, 2 + 4, 3)
        [*(-0.3 * velocity / np.linalg.norm(velocity)), 0, 0, 0],
        [0, 0, 7, 1, 0, 0],
        [0] * 6,
        [0, 0, -2.0 * 1.62, 0, 0, 0],
    ]
    assert found.force[0] == pytest.approx(np.array(expected), abs=1e-12)
    assert np.isnan(found.tension).all()


@pytest.mark.parametrize(("limit", "held"), [(None, 40.0 * 0.5 - 3.0 * 0.2), (2.5, 2.5)])
def test_the_effort_of_a_joint_is_its_motor_spring_and_damper(limit, held):
    joint = Joint("pin", "revolute", None, "block", (0, 0, 0), LYING, coordinates=(0.5,), speeds=(0.2,))
    joint.motor = JointMotor("position", target=1.0, stiffness=40.0, damping=3.0, max_force=limit)
    joint.stiffness, joint.rest, joint.damping, joint.armature = (7.0,), (0.1,), (0.6,), (0.9,)
    mechanism = Mechanism(bodies=[block(position=(0.7, 0, 0))], joints=[joint])
    recording = simulate(mechanism, 0.0)
    found = inspect(mechanism, recording)
    assert found.joint_effort[0, 0] == pytest.approx(held - 7.0 * 0.4 - 0.6 * 0.2, abs=1e-12)
    passed_on = found.joint_effort[0, 0] - 0.9 * evaluate(mechanism).joint_acceleration[0]
    assert found.joint_transmitted[0, 0] == pytest.approx(passed_on, abs=1e-10)


def test_momentum_changes_by_the_forces_at_every_frame():
    """The accelerations are differences of fourth order of the recorded velocities, 2000 frames a second apart."""
    rate = 2000.0
    times = np.linspace(0.0, 0.5, 26)
    swing = [(0.3 * np.sin(3 * t), 0.2 * np.cos(2 * t), 1.0) for t in times]
    pose = {"position": swing[0], "orientation": (1, 0, 0, 0)}
    hand = Body("hand", "keyed", keys=Keys(times, swing, [(1, 0, 0, 0)] * len(times)), **pose)
    body = block(center_of_mass=(0.1, -0.05, 0.02), linear_velocity=(1, 2, 3), angular_velocity=(1, -2, 3))
    forces = [
        Motor("jet", body="block", point=(0.2, 0, 0), force=(Table((0.0, 0.5), (1.0, 9.0)), 1, 0), torque=(0, 0.3, 0)),
        Damping("air", body="block", linear=0.8, angular=0.25),
        Brake("pad", body="block", point=(0, 0.3, 0), damping=(0.5, 0.1, 0.9)),
        Spring("cord", body_a="hand", body_b="block", point_a=swing[0], point_b=(0.1, 0.1, 0),
               stiffness=Table((0.0, 0.5), (10.0, 60.0)), rest_length=0.4, damping=0.7),
    ]  # fmt: skip
    mechanism = Mechanism(bodies=[hand, body], forces=forces)
    recording = simulate(mechanism, 0.5, rate, relative=1e-11)
    found = inspect(mechanism, recording)
    stencil = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) * rate / 12.0
    for frame in range(5, len(recording.times) - 5, 97):
        around = slice(frame - 2, frame + 3)
        linear, angular = (
            stencil @ recording.linear_velocity[around, 1],
            stencil @ recording.angular_velocity[around, 1],
        )
        balance = Balance(mechanism, recording, found, frame)
        assert balance.unbalanced(1, linear, angular, recording.angular_velocity[frame, 1]) < 1e-5


def test_newton_and_euler_hold_with_supports_rubber_and_air():
    """At a pose where all of them act: the ground is touched while sliding, the rubber is stretched and shrinks."""
    body = block(center_of_mass=(0.1, -0.05, 0.02), linear_velocity=(1, 2, -0.3), angular_velocity=(1, -2, 3))
    ends = {"body_a": "block", "body_b": "hook", "point_a": (0.2, 0, 0), "point_b": (0.2, 3, 1)}
    forces = [
        Support("foot", body="block", point=(0.1, 0, -0.01), stiffness=900.0, damping=30.0, friction=0.6),
        Rubber("band", **ends, stiffness=40.0, rest_length=1.0, damping=2.0, restitution=0.3),
        Rubber("slack", **ends, stiffness=40.0, rest_length=9.0),
        Drag("air", body="block", coefficient=0.4, wind=(3, 0, 0)),
    ]
    mechanism = Mechanism(bodies=[body, Body("hook", "fixed")], forces=forces)
    assert_newton_and_euler(mechanism)
    found = inspect(mechanism, simulate(mechanism, 0.0))
    assert found.force[0, 0, 2] > 5.0
    assert found.tension[0, 2] == 0.0
    span = np.array([0.0, 3.0, 1.0])
    rate = -span @ (np.array([1.0, 2.0, -0.3]) + np.cross([1, -2, 3], [0.2, 0, 0])) / np.linalg.norm(span)
    whole = 40.0 * (np.linalg.norm(span) - 1.0) + 2.0 * rate
    assert rate < -0.5  # far beyond the band of the blend
    assert found.tension[0, 1] == pytest.approx(0.3 * whole)
    wind = np.array([3.0, 0, 0]) - (np.array([1.0, 2.0, -0.3]) + np.cross([1, -2, 3], body.center_of_mass))
    assert found.force[0, 3, :3] == pytest.approx(0.4 * np.linalg.norm(wind) * wind)
    assert found.force[0, 3, 3:] == pytest.approx(0.0)


def test_friction_that_slides_and_that_holds():
    """A block of 2 kg on a level slider, pushed by 3 N: it sticks, then by 9 N: it slides."""
    joint = Joint("rail", "prismatic", None, "block", (0, 0, 0), ALONG_X, friction=(5.0,), armature=(0.5,))
    push = Motor("push", body="block", point=(0, 0, 0), force=(3.0, 0, 0))
    mechanism = Mechanism(bodies=[block()], joints=[joint], forces=[push])
    mechanism.actions = [Action(0.5, "push", {"force": [9.0, 0.0, 0.0]})]
    recording, found = run(mechanism, 1.0)
    slides = recording.times > 0.5
    assert found.joint_effort[~slides, 0] == pytest.approx(-3.0, abs=CLOSE)
    assert found.joint_effort[slides, 0] == pytest.approx(-5.0, abs=CLOSE)
    assert found.force[slides, 0, 0] == pytest.approx(9.0)
    acceleration = (9.0 - 5.0) / (2.0 + 0.5)
    assert recording.joint_speeds[slides, 0] == pytest.approx(acceleration * (recording.times[slides] - 0.5), abs=CLOSE)
    assert found.joint_transmitted[slides, 0] == pytest.approx(-5.0 - 0.5 * acceleration, abs=CLOSE)


def test_a_motor_that_keeps_a_speed_gives_what_that_takes_and_a_limit_what_stops_it():
    """It lifts 2 kg at an even pace, and hangs on its limit when it has been switched off."""
    joint = Joint("rail", "prismatic", None, "block", (0, 0, 0), speeds=(0.4,), limits=((-0.1, None),))
    joint.motor = JointMotor("speed", target=0.4)
    mechanism = Mechanism(bodies=[block()], joints=[joint])
    mechanism.actions = [Action(0.5, "rail", {"motor": None})]
    recording, found = run(mechanism, 2.0)
    lifts, rests = recording.times <= 0.5, recording.times > 1.5
    assert recording.joint_coordinates[rests, 0] == pytest.approx(-0.1, abs=CLOSE)
    flies = ~lifts & (recording.joint_coordinates[:, 0] > -0.1 + 1e-6)
    assert found.joint_effort[lifts, 0] == pytest.approx(2.0 * 9.81, abs=1e-6)
    assert found.joint_effort[rests, 0] == pytest.approx(2.0 * 9.81, abs=1e-6)
    assert found.joint_effort[flies, 0] == pytest.approx(0.0, abs=1e-6)
    assert flies.sum() > 5


def test_actions_count_behind_their_times():
    joint = Joint("pin", "revolute", None, "block", (0, 0, 0), LYING, damping=(0.5,))
    spring = Spring("cord", body_a="block", point_a=(1, 0, 0), point_b=(1, 0, 2), stiffness=10.0, rest_length=1.0)
    mechanism = Mechanism(bodies=[block(position=(0.7, 0, 0))], joints=[joint], forces=[spring])
    mechanism.actions = [
        Action(0.5, "cord", {"stiffness": 25.0}),
        Action(0.3, "pin", {"damping": [2.0], "motor": {"mode": "force", "value": 4.0}}),
        Action(0.5, "cord", {"rest_length": 0.5}),
        Action(0.8, "cord", {"enabled": False}),
        Action(9.0, "cord", {"enabled": True}),
    ]
    recording = simulate(mechanism, 1.0, 8.0)
    found = inspect(mechanism, recording)
    t, stretched = recording.times, found.length[:, 0]
    early, late = 10.0 * (stretched - 1.0), 25.0 * (stretched - 0.5)
    assert found.tension[:, 0] == pytest.approx(np.where(t <= 0.5, early, np.where(t <= 0.8, late, 0.0)), abs=1e-12)
    speed = recording.joint_speeds[:, 0]
    expected = np.where(t <= 0.3, -0.5 * speed, 4.0 - 2.0 * speed)
    assert found.joint_effort[:, 0] == pytest.approx(expected, abs=1e-12)
    assert found.joint_transmitted == pytest.approx(found.joint_effort, abs=1e-9)
    assert mechanism.forces[0].stiffness == 10.0
    assert_energies(mechanism, recording, found)


def test_what_an_action_cuts_and_what_it_ties():
    """A joint with a spring is cut; two bodies are tied later, and count as one linkage from the start."""
    bodies = [block(position=(1, 0, 0)), block("low", position=(1, 0, -1)), block("far", position=(9, 0, 0))]
    held = {"stiffness": (40.0,), "rest": (0.3,), "damping": (0.5,)}
    joints = [Joint("pin", "revolute", None, "block", (0, 0, 0), LYING, **held)]
    joints.append(Joint("knee", "revolute", "block", "low", (1, 0, -0.5), LYING, **held))
    rod = Distance("rod", body_a="block", body_b="far", point_a=(1, 0, 0), point_b=(9, 0, 0), enabled=False)
    mechanism = Mechanism(bodies=bodies, joints=joints, constraints=[rod])
    mechanism.actions = [Action(0.3, "knee", {"enabled": False}), Action(0.6, "rod", {"enabled": True})]
    recording, found = run(mechanism, 1.0)
    assert list(found.linkage) == [0, 0, 0]
    assert_energies(mechanism, recording, found)
    is_cut = recording.times > 0.3
    assert np.abs(found.joint_effort[~is_cut, 1]).min() > 0.0
    assert found.joint_effort[is_cut, 1] == pytest.approx(0.0, abs=0.0)
    assert found.joint_transmitted == pytest.approx(found.joint_effort, abs=1e-7)


def test_forces_are_looked_up_once_for_all_linkages(monkeypatch):
    """For each linkage anew it would take a time that grows with the square of the bodies."""
    looked_up = []
    monkeypatch.setattr(inspection, "acting", lambda forces: looked_up.append(len(forces)) or [])
    for count in (2, 20):
        loose = [Body(name=f"body {i}", mass=1.0, inertia=(1.0, 1.0, 1.0)) for i in range(count)]
        mechanism = Mechanism(bodies=loose)
        inspect(mechanism, simulate(mechanism, duration=0.1, frame_rate=10.0))
    assert looked_up == [0, 0]


def test_linkages_are_counted_apart():
    bodies = [block(), block("other", position=(0, 0, 5)), Body("wall", "fixed"), block("held", position=(3, 0, 0))]
    ties = [PointToPoint("tie", body_a="other", body_b="held", point_a=(1, 0, 0), point_b=(1, 0, 0))]
    mechanism = Mechanism(bodies=bodies, constraints=ties)
    recording, found = run(mechanism, 0.25)
    assert found.linkage[2] == -1
    assert found.linkage[1] == found.linkage[3] != found.linkage[0]
    assert len(find_linkages(mechanism)) == 2
    alone, tied = found.linkage[0], found.linkage[1]
    assert found.linkage_kinetic_energy[:, alone] == pytest.approx(found.kinetic_energy[:, 0])
    both = found.potential_energy[:, 1] + found.potential_energy[:, 3]
    assert found.linkage_potential_energy[:, tied] == pytest.approx(both)
