# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends that are apart are drawn together on a critically damped course, and then held exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import (
    Body,
    Box,
    Contact,
    Distance,
    Ground,
    Joint,
    Nail,
    PointToPoint,
    Spring,
)
from tests.solver.simulation.catches import NONE, START, act, apart, hung, lean, matrix, seen_from_parent
from tests.truths.critical_damping import gap as critically_damped

ASLANT = tuple(Rotation.from_rotvec((0.5, -0.3, 0.4)).as_quat()[[3, 0, 1, 2]])
JOINTS = ("spherical", "revolute", "prismatic", "cylindrical", "universal", "planar", "fixed")
HELD = {  # travels along and turns about axes of the joint's frame that it holds
    "spherical": ([0, 1, 2], []),
    "revolute": ([0, 1, 2], [0, 1]),
    "prismatic": ([0, 1], [0, 1, 2]),
    "cylindrical": ([0, 1], [0, 1]),
    "planar": ([2], [0, 1]),
    "fixed": ([0, 1, 2], [0, 1, 2]),
}


def pair(kind: str, spin=(0.8, 0.7, 2.1), **given) -> Mechanism:
    """Two bodies in flight, pulled on by a spring; their joint is cut at once and put back at START."""
    a = Body("a", mass=2.0, inertia=(0.3, 0.2, 0.1), position=NONE, angular_velocity=(0.1, -0.2, 0.3))
    b = Body("b", mass=1.0, inertia=(0.1, 0.15, 0.12), position=(1, 0, 0), orientation=ASLANT)
    b.linear_velocity, b.angular_velocity = (0.3, 1.0, 0.4), spin
    joint = Joint("joint", kind, "a", "b", (0.4, 0.2, 0.0), ASLANT, **given)
    mechanism = Mechanism(bodies=[a, b], joints=[joint])
    mechanism.forces = [
        Spring(
            "spring", body_a="a", point_a=(0, 0, 0.2), body_b="b", point_b=(1, 0.2, 0), stiffness=5.0, rest_length=1.0
        )
    ]
    return act(mechanism, (0.001, "joint", {"enabled": False}), (START, "joint", {"enabled": True}))


@pytest.mark.parametrize("tau", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("gap", [1e-6, 1e-4, 0.03, 2.0])
def test_a_gap_closes_with_its_time_constant_and_not_beyond(gap, tau):
    """From rest, with no gravity: nothing of the gap changes its sign, and tau, as two gaps give it, is right."""
    mechanism = hung(gap, tau)
    mechanism.gravity = NONE
    recording = simulate(mechanism, START + 40.0 * tau, 24.0 / tau * 0.1)
    goal = np.array(mechanism.constraints[0].point_b)
    found, t = apart(recording, goal=goal), recording.times - START
    held = t >= 0.0
    along = found[held] @ (goal - (0, 0, 0.3)) / gap
    expected = critically_damped(t[held], -gap, 0.0, tau)
    assert along == pytest.approx(expected, abs=max(1e-9 * gap, 1e-12))
    assert along.max() < 1e-12
    middle = int(np.argmin(np.abs(t - 3.0 * tau)))
    slow, fast = (critically_damped(t[middle : middle + 1], -gap, 0.0, factor * tau)[0] for factor in (1.01, 0.99))
    assert slow < along[middle - int(np.argmax(held))] < fast
    assert np.abs(found[-1]).max() < 1e-9 * gap + 1e-12
    assert not any("velocities changed" in note for note in recording.notes)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_it_does_so_in_flight_under_all_forces(integrator):
    """It falls, spins and is blown at; the hook's force is what is missing to the course's acceleration."""
    mechanism = hung(0.7, 0.15, linear_velocity=(1.0, 0.5, 0.0), angular_velocity=(2.0, -1.0, 0.5))
    recording = simulate(mechanism, 2.0, 96.0, integrator=integrator)
    goal = np.array(mechanism.constraints[0].point_b)
    found, first = apart(recording, goal=goal), 48
    arm = matrix(recording.orientation[first, 0]) @ (0, 0, 0.3)
    rate = recording.linear_velocity[first, 0] + np.cross(recording.angular_velocity[first, 0], arm)
    expected = critically_damped(recording.times[first:] - START, found[first], rate, 0.15)
    assert found[first:] == pytest.approx(expected, abs=1e-9)
    step = 1.0 / 96.0
    pushed = 1.5 * (np.diff(recording.linear_velocity[:, 0], axis=0) / step + (0, 0, 9.81))
    force = 0.5 * (recording.constraint_force[1:, 0, :3] + recording.constraint_force[:-1, 0, :3])
    late = slice(first + 1, None)
    assert pushed[late] == pytest.approx(force[late], abs=2e-2 * np.abs(force).max())
    assert np.all(recording.constraint_force[:first, 0] == 0.0)


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_that_is_put_back_draws_together_what_it_holds(kind):
    mechanism = pair(kind)
    recording = simulate(mechanism, 5.0, 48.0)
    away, relative, rate, spin = seen_from_parent(mechanism, recording, mechanism.joints[0])
    first = round(START * 48)
    t = recording.times[first:] - START
    travels, turns = HELD.get(kind, ([0, 1, 2], []))
    assert away[first:, travels] == pytest.approx(
        critically_damped(t, away[first, travels], rate[first, travels], 0.1), abs=1e-9
    )
    if len(turns) == 3:
        vector = Rotation.from_matrix(relative).as_rotvec()
        # of the rotation vector's rate only what the turn itself is about is the spin
        step = np.linalg.norm(vector[first])
        assert np.linalg.norm(vector[first:], axis=1).max() < step + 0.1 * np.linalg.norm(spin[first])
        assert np.linalg.norm(vector[-1]) < 1e-9
    if len(turns) == 2:
        assert np.linalg.norm(lean(relative)[-1]) < 1e-9
    if kind == "universal":
        assert abs(relative[-1, 0, 1]) < 1e-9
    closed = recording.times > START + 3.5
    assert np.abs(away[closed][:, travels]).max() < 1e-9
    assert any("joint 'joint': its ends" in note and "drawn together from 0.5 s" in note for note in recording.notes)


@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange"])
def test_all_methods_draw_alike(method):
    mechanism = pair("revolute")
    one, other = simulate(mechanism, 2.0, 24.0), simulate(mechanism, 2.0, 24.0, method=method)
    assert other.position == pytest.approx(one.position, abs=2e-6)
    assert other.joint_force == pytest.approx(one.joint_force, abs=2e-3)


@pytest.mark.parametrize("kind", ["spherical", "fixed"])
def test_what_draws_two_bodies_together_leaves_their_momenta(kind):
    mechanism = pair(kind)
    recording = simulate(mechanism, 3.0, 24.0, relative=1e-9)
    mass = np.array([2.0, 1.0])
    linear = np.einsum("b,fbk->fk", mass, recording.linear_velocity)
    assert linear - np.outer(recording.times, (0, 0, -9.81 * 3.0)) == pytest.approx(
        np.tile(linear[0], (len(linear), 1)), abs=1e-7
    )
    center = np.einsum("b,fbk->fk", mass, recording.position) / 3.0
    momentum = np.zeros_like(linear)
    for i, body in enumerate(mechanism.bodies):
        R = np.array([matrix(q) for q in recording.orientation[:, i]])
        spin = np.einsum("fij,j,fkj,fk->fi", R, body.inertia, R, recording.angular_velocity[:, i])
        momentum += spin + mass[i] * np.cross(recording.position[:, i] - center, recording.linear_velocity[:, i])
    first = 1
    assert momentum[first:] == pytest.approx(np.tile(momentum[first], (len(linear) - first, 1)), abs=1e-7)


@pytest.mark.parametrize(
    ("kind", "turn"), [("fixed", 0.5), ("fixed", 1.6), ("fixed", 3.1), ("revolute", 1.6), ("revolute", 3.05)]
)
def test_it_turns_back_from_far(kind, turn):
    """Turned about an axis that the joint holds, it follows the course as an angle, a weld past half a turn too."""
    axis = np.array((0.6, -0.8, 0.0)) if kind == "revolute" else np.array((2.0, -1.0, 2.0)) / 3.0
    body = Body("b", mass=1.0, inertia=(0.2, 0.2, 0.2), position=NONE, angular_velocity=tuple(2.0 * turn * axis))
    mechanism = Mechanism(gravity=NONE, bodies=[body], joints=[Joint("joint", kind, None, "b", NONE)])
    act(mechanism, (0.0, "joint", {"enabled": False}), (START, "joint", {"enabled": True}))
    recording = simulate(mechanism, 5.0, 48.0)
    vector = np.array([Rotation.from_matrix(matrix(q)).as_rotvec() for q in recording.orientation[:, 0]])
    first = round(START * 48)
    angle = critically_damped(recording.times[first:] - START, turn, 2.0 * turn, 0.1)
    expected = np.array([Rotation.from_rotvec(x * axis).as_matrix() for x in angle])
    found = np.array([matrix(q) for q in recording.orientation[first:, 0]])
    assert found == pytest.approx(expected, abs=1e-8)
    assert np.linalg.norm(vector[-1]) < 1e-9


def test_it_keeps_its_course_while_it_slides_on_the_ground():
    """A box on the ground, with friction, is drawn along it by a hook."""
    box = Body("box", mass=2.0, inertia=(0.05, 0.05, 0.05), position=(0, 0, 0.1), shape=Box(half_size=(0.2, 0.2, 0.1)))
    hook = PointToPoint("hook", body_a="box", point_a=(0, 0, 0.02), point_b=(0.9, 0.2, 0.02), enabled=False, tau=0.1)
    mechanism = Mechanism(bodies=[box], constraints=[hook], contact=Contact(ground=Ground(friction=0.6)))
    act(mechanism, (0.25, "hook", {"enabled": True}))
    recording = simulate(mechanism, 1.25, 48.0, substeps=4)
    assert recording.notes[0] == "integrator: impulse"
    found = apart(recording, (0, 0, -0.08), (0.9, 0.2, 0.02))[12:]
    expected = critically_damped(recording.times[12:] - 0.25, found[0], NONE, 0.1)
    assert found == pytest.approx(expected, abs=1e-9)
    assert recording.position[:, 0, 2].min() > 0.0999
    pushed = recording.contact_force[13:, 0]
    assert pushed[:, 2].min() > 0.0  # the hook bears some of the weight, or presses
    assert np.all(np.linalg.norm(pushed[:, :2], axis=1) <= 0.6 * pushed[:, 2] * (1.0 + 1e-6))


def test_a_blow_on_the_way_does_not_lead_off_the_course():
    """A tool on its way to a hand is struck by a heavy brick that comes from above."""
    tool = Body(
        "tool", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0, 0, 1.0), shape=Box(half_size=(0.2, 0.1, 0.05))
    )
    brick = Body("brick", mass=3.0, inertia=(0.05, 0.05, 0.05), position=(0, 0, 1.35), shape=Box(half_size=(0.1,) * 3))
    brick.linear_velocity = (0.0, 0.0, -1.5)
    grip = Joint("grip", "fixed", None, "tool", (0, 0, 1.0))
    mechanism = Mechanism(bodies=[tool, brick], joints=[grip], contact=Contact())
    act(mechanism, (0.0, "grip", {"enabled": False}), (0.1, "grip", {"enabled": True, "tau": 0.2}))
    recording = simulate(mechanism, 0.5, 48.0, substeps=5)
    assert recording.contact_blow[6:, 0].max() > 0.5
    away, _, rate, _ = seen_from_parent(mechanism, recording, grip)
    first = int(np.argmax(recording.times > 0.1 + 1e-9))
    t = recording.times[first:] - recording.times[first]
    assert away[first:] == pytest.approx(critically_damped(t, away[first], rate[first], 0.2), abs=1e-9)


def test_a_rod_is_drawn_to_its_length():
    body = Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0, 0), linear_velocity=(0, 0.5, 0))
    rod = Distance("rod", body_a="bob", point_a=(1, 0, 0), point_b=NONE, distance=0.4, enabled=False)
    mechanism = act(Mechanism(bodies=[body], constraints=[rod]), (START, "rod", {"enabled": True}))
    recording = simulate(mechanism, 5.0, 48.0)
    length = np.linalg.norm(recording.position[:, 0], axis=1)
    first = round(START * 48)
    rate = recording.position[first, 0] @ recording.linear_velocity[first, 0] / length[first]
    expected = 0.4 + critically_damped(recording.times[first:] - START, length[first] - 0.4, rate, 0.1)
    assert length[first:] == pytest.approx(expected, abs=1e-9)


def test_what_says_how_may_be_apart_at_the_start():
    mechanism = hung(0.5, 0.1)
    mechanism.constraints[0].enabled, mechanism.actions = True, []
    recording = simulate(mechanism, 5.0, 48.0)
    goal = np.array(mechanism.constraints[0].point_b)
    found = apart(recording, goal=goal)
    assert found == pytest.approx(critically_damped(recording.times, found[0], np.zeros(3), 0.1), abs=1e-9)
    mechanism.constraints[0].tau = None
    with pytest.raises(MechanismError, match=r"hook.*0.5 m apart at the start; use assemble"):
        simulate(mechanism, 1.0)


def test_another_action_on_the_way_leaves_the_course():
    mechanism = hung(0.5, 0.1)
    mechanism.constraints.append(Nail("nail", body="bob", point=(0.1, 0, 0), enabled=False))
    mechanism.forces = [Spring("pull", body_a="bob", point_a=NONE, point_b=(0, 1, 0), stiffness=9.0, rest_length=0.1)]
    one = simulate(mechanism, 2.0, 48.0)
    act(mechanism, (START, "hook", {"enabled": True}), (0.6, "pull", {"stiffness": 20.0}))
    other = simulate(mechanism, 2.0, 48.0)
    goal = np.array(mechanism.constraints[0].point_b)
    assert apart(other, goal=goal) == pytest.approx(apart(one, goal=goal), abs=1e-9)
