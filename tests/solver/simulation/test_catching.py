# SPDX-License-Identifier: GPL-3.0-or-later
"""What is enabled while its ends are apart is drawn together on a critically damped course, and then holds exactly."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from solver import Mechanism, MechanismError, SimulationFailed, simulate
from solver.mechanism import (
    Action,
    Body,
    Box,
    Contact,
    Curve,
    Distance,
    Ground,
    Joint,
    JointMotor,
    Nail,
    Orientation,
    PointToPoint,
    Spring,
)
from solver.simulation.live import LiveRun
from tests.solver.simulation.hurrying import assert_plays_again, count_pieces, go_on, work_in_small_pieces
from tests.truths.critical_damping import gap as critically_damped

NONE = (0.0, 0.0, 0.0)
UPRIGHT = (1.0, 0.0, 0.0, 0.0)
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y
ASLANT = tuple(Rotation.from_rotvec((0.5, -0.3, 0.4)).as_quat()[[3, 0, 1, 2]])
START = 0.5  # s, when something is enabled: a frame at 24, 48 and 96 a second
JOINTS = ("spherical", "revolute", "prismatic", "cylindrical", "universal", "planar", "fixed")
HELD = {  # travels along and turns about axes of the joint's frame that it holds
    "spherical": ([0, 1, 2], []),
    "revolute": ([0, 1, 2], [0, 1]),
    "prismatic": ([0, 1], [0, 1, 2]),
    "cylindrical": ([0, 1], [0, 1]),
    "planar": ([2], [0, 1]),
    "fixed": ([0, 1, 2], [0, 1, 2]),
}


def act(mechanism: Mechanism, *actions: tuple) -> Mechanism:
    mechanism.actions = [Action(time, target, settings) for time, target, settings in actions]
    return mechanism


def matrix(quaternion) -> np.ndarray:
    return Rotation.from_quat(np.asarray(quaternion)[[1, 2, 3, 0]]).as_matrix()


def seen_from_parent(mechanism: Mechanism, recording, joint: Joint):
    """((F, 3) m, (F, 3, 3), (F, 3) m/s, (F, 3) rad/s): the child's joint frame as the parent's sees it."""
    names, count = list(recording.body_names), len(recording.times)
    origin, axes, velocity, angular = [], [], [], []
    for name in (joint.parent, joint.child):
        R = np.tile(np.eye(3), (count, 1, 1))
        x, v, w = (np.zeros((count, 3)) for _ in range(3))
        arm = np.array(joint.position)
        if name is not None:
            body, i = mechanism.bodies[names.index(name)], names.index(name)
            R = np.array([matrix(q) for q in recording.orientation[:, i]]) @ matrix(body.orientation or UPRIGHT).T
            x, v, w = recording.position[:, i], recording.linear_velocity[:, i], recording.angular_velocity[:, i]
            arm = arm - np.array(body.position)
        turned = np.einsum("fij,j->fi", R, arm)
        origin.append(x + turned)
        axes.append(R @ matrix(joint.orientation))
        velocity.append(v + np.cross(w, turned))
        angular.append(w)
    A, B = axes
    away = origin[1] - origin[0]
    rate = velocity[1] - velocity[0] - np.cross(angular[0], away)
    return (
        np.einsum("fji,fj->fi", A, away),
        np.einsum("fji,fjk->fik", A, B),
        np.einsum("fji,fj->fi", A, rate),
        np.einsum("fji,fj->fi", A, angular[1] - angular[0]),
    )


def lean(relative: np.ndarray) -> np.ndarray:
    """(F, 2): the angle between the two Z axes, along the parent's X and Y."""
    across, along = relative[:, :2, 2], relative[:, 2, 2]
    size = np.linalg.norm(across, axis=1)
    return across * (np.arctan2(size, along) / np.where(size > 0.0, size, 1.0))[:, None]


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


def hung(gap: float, tau: float | None = 0.1, **given) -> Mechanism:
    """A body that is at rest under gravity's pull on a nail of no weight, and is to be drawn along by a gap."""
    body = Body("bob", mass=1.5, inertia=(0.1, 0.2, 0.3), position=NONE, **given)
    hook = PointToPoint(
        "hook", body_a="bob", point_a=(0, 0, 0.3), point_b=tuple(gap * np.array((0.6, 0, 0.8)) + (0, 0, 0.3)),
        enabled=False, tau=tau,
    )  # fmt: skip
    return act(Mechanism(bodies=[body], constraints=[hook]), (START, "hook", {"enabled": True}))


def apart(recording, point=(0, 0, 0.3), goal=(0, 0, 0.3)) -> np.ndarray:
    """(F, 3): from the hook to the first body's point."""
    return np.array(
        [
            x + matrix(q) @ point - goal
            for x, q in zip(recording.position[:, 0], recording.orientation[:, 0], strict=True)
        ]
    )


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
    joints[0].speeds = (0.5,)
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


def falling_past() -> tuple[Mechanism, float]:
    """What falls past a hook that catches within 0.2 m, and when (s) it comes so near."""
    body = Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.0), linear_velocity=(0.2, 0, 0))
    hook = PointToPoint("hook", body_a="bob", point_a=(0, 0, 1.0), point_b=(0.1, 0, 0), within=0.2, tau=0.05)
    when = brentq(lambda t: np.hypot(0.2 * t - 0.1, 1.0 - 0.5 * 9.81 * t * t) - 0.2, 0.1, 0.44, xtol=1e-14)
    return Mechanism(bodies=[body], constraints=[hook]), when


@pytest.mark.parametrize(("integrator", "close"), [("adams", 1e-8), ("runge-kutta", 1e-8), ("impulse", 1e-5)])
def test_what_waits_takes_hold_when_its_ends_come_near(integrator, close):
    """No step goes over it, though free fall lets Adams take long ones; from then on it follows the course."""
    mechanism, when = falling_past()
    recording = simulate(mechanism, 1.5, 48.0, integrator=integrator)
    later = recording.times > when
    found = recording.position[later, 0] - (0.1, 0, 0)
    start, rate = (0.2 * when - 0.1, 0.0, 1.0 - 0.5 * 9.81 * when**2), (0.2, 0.0, -9.81 * when)
    expected = critically_damped(recording.times[later] - when, np.array(start), np.array(rate), 0.05)
    assert found == pytest.approx(expected, abs=close)
    before = recording.times[~later]
    assert recording.position[~later, 0, 2] == pytest.approx(1.0 - 0.5 * 9.81 * before**2, abs=1e-9)


def test_two_bodies_that_nothing_ties_yet_wait_for_each_other():
    """An action lets a hand wait for a tool; one that never comes near is never held."""
    hand = Body("hand", mass=1.0, inertia=(0.1, 0.1, 0.1), position=NONE, linear_velocity=(1.0, 0, 0))
    tool = Body("tool", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    grip = PointToPoint("grip", body_a="hand", point_a=NONE, body_b="tool", point_b=(1, 0.1, 0), enabled=False)
    mechanism = Mechanism(gravity=NONE, bodies=[hand, tool], constraints=[grip])
    act(mechanism, (0.25, "grip", {"enabled": True, "within": 0.3}))
    recording = simulate(mechanism, 5.0, 24.0)
    when = 1.0 - np.sqrt(0.3**2 - 0.1**2)
    assert any(f"from {when:.6g} s on" in note for note in recording.notes)
    assert recording.linear_velocity.sum(axis=1) == pytest.approx(np.tile((1.0, 0, 0), (121, 1)), abs=1e-9)
    act(mechanism, (0.25, "grip", {"enabled": True, "within": 0.09}))
    assert simulate(mechanism, 2.0, 24.0).linear_velocity[-1, 1] == pytest.approx(NONE, abs=1e-12)


@pytest.mark.parametrize("tau", [None, 0.1])
def test_a_tool_is_picked_up_as_it_is_found(tau):
    """A nail and an orientation to the hand hold the pose that the tool has then, and the momenta stay."""
    hand = Body("hand", mass=2.0, inertia=(0.1, 0.1, 0.1), position=NONE, linear_velocity=(0.5, 0, 0))
    tool = Body("tool", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0), angular_velocity=(0, 0.5, 1.0))
    mechanism = Mechanism(gravity=NONE, bodies=[hand, tool])
    mechanism.constraints = [
        Nail("grip", body="tool", point=(1, 0, 0), to="hand", enabled=False, tau=tau),
        Orientation("grip's turn", body="tool", to="hand", enabled=False, tau=tau),
    ]
    act(mechanism, (START, "grip", {"enabled": True}), (START, "grip's turn", {"enabled": True}))
    recording = simulate(mechanism, 6.0, 24.0)
    hands, tools = (np.array([matrix(q) for q in recording.orientation[:, i]]) for i in (0, 1))
    relative = np.einsum("fji,fjk->fik", hands, tools)
    place = np.einsum("fji,fj->fi", hands, recording.position[:, 1] - recording.position[:, 0])
    late = slice(13, None) if tau is None else slice(12 + 96, None)
    assert relative[late] == pytest.approx(np.broadcast_to(relative[12], relative[late].shape), abs=1e-9)
    assert place[late] == pytest.approx(np.broadcast_to(place[12], place[late].shape), abs=1e-9)
    assert np.abs(relative[12] - np.eye(3)).max() > 0.1
    momentum = 2.0 * recording.linear_velocity[:, 0] + recording.linear_velocity[:, 1]
    assert momentum == pytest.approx(np.tile((1.0, 0, 0), (len(momentum), 1)), abs=1e-9)
    assert any("velocities changed" in note for note in recording.notes) == (tau is None)


def test_a_thing_that_is_there_but_moves_is_stopped_evenly_if_it_says_how():
    """A nail without a time constant stops its point as an impact does; with one, evenly, and leads it back."""
    body = Body("block", mass=2.0, inertia=(0.3, 0.4, 0.5), linear_velocity=(1.0, 0, 0))
    mechanism = Mechanism(gravity=NONE, bodies=[body])
    mechanism.constraints = [Nail("nail", body="block", point=(0, 0.5, 0), enabled=False, tau=0.1)]
    act(mechanism, (START, "nail", {"enabled": True}))
    recording = simulate(mechanism, 5.0, 48.0)
    found = apart(recording, (0, 0.5, 0), (0.5, 0.5, 0))
    first = round(START * 48)
    expected = critically_damped(recording.times[first:] - START, NONE, (1.0, 0, 0), 0.1)
    assert found[first:] == pytest.approx(expected, abs=1e-9)
    assert not any("velocities changed" in note for note in recording.notes)


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


def drawn_by(force: float | None, tau: float = 0.1, gap: float = 1.0) -> Mechanism:
    """A ball of 2 kg at rest without gravity, which a hook draws along X from the start."""
    ball = Body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    hook = PointToPoint("hook", body_a="ball", point_a=NONE, point_b=(gap, 0, 0), tau=tau, force=force)
    return Mechanism(bodies=[ball], constraints=[hook], gravity=NONE)


@pytest.mark.fallback
@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_largest_force_is_kept_and_it_goes_on_from_where_it_is(integrator):
    """Evenly accelerated by 40 N / 2 kg, until the course takes less: from there critically damped."""
    tau, pace = 0.1, 20.0
    recording = simulate(drawn_by(40.0), 2.5, 24.0, integrator=integrator, substeps=10)
    # 1 - a t^2 / 2 - 2 tau a t = a tau^2, for a gap that opens by -a t
    switch = -2.0 * tau + np.sqrt(2.0 * tau * tau + 2.0 / pace)
    left = 1.0 - recording.position[:, 0, 0]
    early, late = recording.times < switch, recording.times > switch
    assert early.sum() >= 4
    close = 1e-6 if integrator == "adams" else 5e-3
    assert left[early] == pytest.approx(1.0 - 0.5 * pace * recording.times[early] ** 2, abs=close)
    gap, rate, s = 1.0 - 0.5 * pace * switch**2, -pace * switch, (recording.times[late] - switch) / tau
    assert left[late] == pytest.approx((gap + (gap + tau * rate) * s) * np.exp(-s), abs=close)
    pull = recording.constraint_force[:, 0, :3]
    assert np.linalg.norm(pull, axis=1).max() <= 40.0 * (1 + 1e-12)
    assert pull[early][:, 0] == pytest.approx(40.0)
    assert np.abs(left[-1]) < 1e-6
    assert sum("have met" in note for note in recording.notes) == 1


def test_a_force_that_is_large_enough_changes_nothing():
    free, bound = (simulate(drawn_by(force), 2.5, 24.0, relative=1e-8) for force in (None, 1e3))
    assert bound.position == pytest.approx(free.position, abs=1e-6)


def test_once_met_it_holds_what_its_force_could_not():
    """A ball of 20 N is drawn up by 30 N and holds; then a spring pulls by 200 N."""
    mechanism = drawn_by(30.0, gap=0.2)
    mechanism.gravity = (0.0, 0.0, -10.0)
    mechanism.forces = [
        Spring("pull", body_a="ball", point_a=NONE, point_b=(0, 0, -1.0), stiffness=200.0, rest_length=0.1,
               enabled=False)
    ]  # fmt: skip
    recording = simulate(act(mechanism, (3.0, "pull", {"enabled": True})), 4.0, 24.0)
    assert np.abs(recording.position[80:, 0] - (0.2, 0, 0)).max() < 1e-9
    assert np.linalg.norm(recording.constraint_force[-1, 0, :3]) > 150.0


@pytest.mark.fallback
def test_a_force_that_is_too_small_is_said():
    mechanism = drawn_by(10.0)
    mechanism.gravity = (0.0, 0.0, -10.0)
    recording = simulate(mechanism, 1.0, 24.0)
    assert recording.position[-1, 0, 2] < -2.0
    assert any("drawn together by 10 N at most, are still" in note for note in recording.notes)


@pytest.mark.fallback
def test_what_stands_in_the_way_holds_up_a_limited_catch():
    """A box that is to be drawn through the ground lies on it, pressed by no more than the largest force."""
    shape = Box(half_size=(0.1, 0.1, 0.1))
    box = Body("box", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.2), shape=shape)
    hook = PointToPoint("hook", body_a="box", point_a=(0, 0, 0.2), point_b=(0, 0, -0.3), tau=0.1, force=25.0)
    mechanism = Mechanism(bodies=[box], constraints=[hook], contact=Contact(ground=Ground(friction=0.5)))
    recording = simulate(mechanism, 0.75, 24.0, substeps=4)
    assert recording.position[:, 0, 2].min() > 0.0995
    assert recording.position[-1, 0] == pytest.approx((0, 0, 0.1), abs=2e-4)
    assert recording.contact_force[-1, 0, 2] == pytest.approx(9.81 + 25.0, rel=1e-3)
    assert any("are still 0.4 m apart" in note for note in recording.notes)


def test_turns_have_a_largest_torque_of_the_same_number():
    mechanism = pair("fixed", force=0.8)
    mechanism.joints[0].tau = 0.1
    recording = simulate(mechanism, 6.0, 48.0)
    on_the_way = recording.times > START
    pull = recording.joint_force[on_the_way, 0]
    drawn = np.linalg.norm(pull[:10, :3], axis=1)
    assert drawn.max() <= 0.8 * (1 + 1e-9)
    away, relative, *_ = seen_from_parent(mechanism, recording, mechanism.joints[0])
    assert np.abs(away[-1]).max() < 1e-9
    assert relative[-1] == pytest.approx(np.eye(3), abs=1e-9)


@pytest.mark.parametrize("integrator", ["auto", "impulse"])
def test_a_live_run_with_limited_catches_plays_again_to_the_last_bit(monkeypatch, integrator):
    with monkeypatch.context() as hurried:
        count_pieces(hurried)
        work_in_small_pieces(hurried)
        live = LiveRun(live_things(), 24.0, integrator=integrator)
        go_on(live, 8, 3)
        live.act("hook", enabled=True, tau=0.05, force=20.0)
        go_on(live, 20, 3)
        live.act("joint 2", enabled=False)
        go_on(live, 24, 3)
        live.act("joint 2", enabled=True, tau=0.04, force=15.0)
        go_on(live, 70, 3)
        live.act("hook", enabled=False)
        go_on(live, 100, 3)
    assert_plays_again(live, live_things, integrator=integrator)
    assert sum("at most; the catch" in note for note in live.recording().notes) == 2


@pytest.mark.parametrize("force", [0.0, -1.0, np.inf, np.nan])
def test_a_largest_force_that_is_none_is_refused(force):
    with pytest.raises(MechanismError, match="force"):
        simulate(drawn_by(force), 0.1, 24.0)


def test_a_bead_has_no_largest_force():
    bead = Curve("bead", body="ball", point=NONE, points=(NONE, (1, 0, 0)), force=3.0)
    with pytest.raises(MechanismError, match="has no meaning for a curve"):
        simulate(Mechanism(bodies=[Body("ball", mass=1.0, inertia=(1, 1, 1))], constraints=[bead]), 0.1, 24.0)
