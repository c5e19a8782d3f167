# SPDX-License-Identifier: GPL-3.0-or-later
"""Each type of constraint against closed forms (tests/truths), the laws of mechanics, and its own words.

Motions are computed at relative 1e-9 unless a tolerance says otherwise; errors of a run are that times the number of
radians that it turns through, a few dozen, and are held to 1e-7.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.integrate import solve_ivp

from solver import Mechanism, MechanismError, evaluate, simulate
from solver.mechanism import (
    Body,
    Curve,
    Distance,
    Joint,
    Keys,
    Motor,
    Nail,
    Orientation,
    Path,
    PointToPoint,
)
from tests.solver.assembly.random_ties import tied_mechanisms
from tests.solver.comparison import turned_apart
from tests.solver.dynamics.loops.maximal import MaximalState
from tests.solver.dynamics.loops.test_methods_agree import METHODS, some
from tests.solver.dynamics.tree.long_doubles import matrix
from tests.truths.hanging_chain import HangingChain
from tests.truths.heavy_top import SteadyTop
from tests.truths.pendulums import Pendulum
from tests.truths.straight_motion import parabola
from tests.truths.wires import Cycloid, Helix

G = 9.81
FINE = 1e-9
HELD = 1e-8  # m or rad: the most that a constraint may be open
MOVES = 1e-7
all_methods = pytest.mark.parametrize("method", [*METHODS, "auto"])


def bead(**given) -> Body:
    """A body of 2 kg whose origin is its centre of mass."""
    return Body("bead", mass=2.0, inertia=(0.02, 0.03, 0.04), **given)


def bar(name: str = "bar", **given) -> Body:
    """1.5 kg; its centre of mass 0.4 m along its own x axis."""
    return Body(name, mass=1.5, inertia=(0.01, 0.08, 0.09), center_of_mass=(0.4, 0.0, 0.0), **given)


def run(mechanism: Mechanism, duration: float, method: str = "auto", frame_rate: float = 20.0, relative: float = FINE):
    recording = simulate(mechanism, duration, frame_rate, relative=relative, method=method)
    assert recording.constraint_error.max() <= HELD
    return recording


@all_methods
def test_curve_bead_slides_down_a_helix(method):
    """The wire is a spline through 0.01 rad apart points: off by 1e-10 of a radius, its curvature by 1e-5."""
    helix = Helix(radius=0.5, rise=0.2)
    wire = helix.point(np.arange(-900, 101) * 0.01)
    start = helix.point(0.0)
    curve = Curve("wire", body="bead", point=start, points=wire.tolist())
    recording = run(Mechanism(bodies=[bead(position=start)], constraints=[curve]), 1.4, method)
    times = recording.times
    assert np.abs(recording.position[:, 0] - helix.point(helix.angle(times))).max() < MOVES
    push = helix.push(2.0, times)
    assert np.abs(recording.constraint_force[:, 0, :3] - push).max() < 1e-4 * np.abs(push).max()
    assert np.abs(recording.constraint_force[:, 0, 3:]).max() == 0.0


@pytest.mark.parametrize("start", [0.5, 1.5, 2.4])
def test_curve_bead_on_a_cycloid_swings_alike_from_anywhere(start):
    cycloid = Cycloid(radius=0.4)
    wire = cycloid.point(np.linspace(-2.8, 2.8, 561))
    place = cycloid.point(start)
    curve = Curve("wire", body="bead", point=place, points=wire.tolist())
    recording = run(Mechanism(bodies=[bead(position=place)], constraints=[curve]), 2 * cycloid.period)
    wheel = cycloid.wheel(start, recording.times)
    assert np.abs(recording.position[:, 0] - cycloid.point(wheel)).max() < 10 * MOVES
    push = cycloid.push(2.0, start, recording.times)
    force = np.linalg.norm(recording.constraint_force[:, 0, :3], axis=1)
    assert np.abs(force - push).max() < 1e-4 * push.max()


@all_methods
def test_curve_closed_ring_is_a_pendulum(method):
    """A bead on an upright ring of 1 m: from its side down, through the seam of the closed curve and up again."""
    angles = np.linspace(0.0, 2 * np.pi, 400, endpoint=False) - 0.5 * np.pi
    ring = np.stack([np.cos(angles), 0 * angles, np.sin(angles)], axis=1)
    curve = Curve("ring", body="bead", point=(1.0, 0.0, 0.0), points=ring.tolist(), closed=True)
    mechanism = Mechanism(bodies=[bead(position=(1.0, 0.0, 0.0))], constraints=[curve])
    recording = run(mechanism, 3.0, method)
    angle = Pendulum(amplitude=0.5 * np.pi, rate=np.sqrt(G)).angle(recording.times)
    expected = np.stack([np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    assert np.abs(recording.position[:, 0] - expected).max() < MOVES


def test_curve_open_ends_go_straight_on():
    curve = Curve("wire", body="bead", point=(0, 0, 0), points=[(-1, 0, 0.0), (0, 0, 0), (1, 0, 0.5), (2, 0, 0.5)])
    body = bead(linear_velocity=(3.0, 0.0, 0.0))
    recording = run(Mechanism(gravity=(0, 0, 0), bodies=[body], constraints=[curve]), 2.0)
    late = recording.position[:, 0, 0] > 2.05
    assert np.sum(late) > 5
    velocity = recording.linear_velocity[late, 0]
    assert velocity == pytest.approx(np.broadcast_to(velocity[0], velocity.shape), abs=1e-7)
    assert np.abs(recording.constraint_force[late]).max() < 1e-6
    assert np.linalg.norm(velocity[0]) == pytest.approx(np.linalg.norm(recording.linear_velocity[0, 0]), rel=1e-7)


@all_methods
@pytest.mark.parametrize("by_file", [True, False])
def test_distance_rod_is_a_pendulum(method, by_file):
    """A free body on a rod at its centre: the centre swings, the body does not turn."""
    amplitude, span = 2.0, 0.7
    place = span * np.array([np.sin(amplitude), 0.0, -np.cos(amplitude)]) + (0.3, 0.1, 0.2)
    points = {"point_a": place, "point_b": (0.3, 0.1, 0.2), "distance": span if by_file else None}
    rod = Distance("rod", body_a="bead", **points)
    recording = run(Mechanism(bodies=[bead(position=place)], constraints=[rod]), 4.0, method)
    pendulum = Pendulum(amplitude, np.sqrt(G / span))
    angle, speed = pendulum.angle(recording.times), pendulum.speed(recording.times)
    outward = np.stack([np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    assert np.abs(recording.position[:, 0] - (0.3, 0.1, 0.2) - span * outward).max() < 3 * MOVES
    assert turned_apart(recording.orientation, recording.orientation[:1]).max() < 1e-12
    tension = 2.0 * (G * np.cos(angle) + span * speed**2)
    assert recording.constraint_force[:, 0, :3] == pytest.approx(-tension[:, None] * outward, abs=1e-5 * tension.max())


@all_methods
def test_distance_between_two_free_bodies_turns_about_their_middle(method):
    """A dumbbell thrown: the centre of mass flies a parabola, the rod turns steadily, its pull is m v^2 / r."""
    left, right = (bead(position=(x, 0, 0), linear_velocity=(1, 3 * x, 2)) for x in (-0.5, 0.5))
    right.name = "other"
    rod = Distance("rod", body_a="bead", body_b="other", point_a=(-0.5, 0, 0), point_b=(0.5, 0, 0))
    recording = run(Mechanism(bodies=[left, right], constraints=[rod]), 2.0, method)
    middle = recording.position.mean(axis=1)
    assert np.abs(middle - parabola((0, 0, 0), (1, 0, 2), (0, 0, -G), recording.times)).max() < MOVES
    turn = 3.0 * recording.times
    arm = 0.5 * np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    assert np.abs(recording.position[:, 1] - middle - arm).max() < MOVES
    pull = 2.0 * 9.0 * arm
    assert recording.constraint_force[:, 0, :3] == pytest.approx(pull, abs=1e-5)


@all_methods
def test_nail_holds_like_a_spherical_joint(method):
    bodies = [bar(angular_velocity=(1.0, -2.0, 3.0)), bar("second", position=(0.8, 0, 0))]
    hinge = Joint("hinge", "revolute", "bar", "second", (0.8, 0, 0), (0.9, 0.3, 0.3, 0.1), speeds=[1.5])
    hinge.orientation = np.array(hinge.orientation) / np.linalg.norm(hinge.orientation)
    nailed = Mechanism(bodies=bodies, joints=[hinge], constraints=[Nail("nail", body="bar", point=(0, 0, 0))])
    ball = Joint("ball", "spherical", None, "bar", (0, 0, 0), speeds=(1.0, -2.0, 3.0))
    jointed = Mechanism(bodies=bodies, joints=[hinge, ball])
    got, expected = run(nailed, 2.0, method), run(jointed, 2.0)
    assert np.abs(got.position - expected.position).max() < MOVES
    assert turned_apart(got.orientation, expected.orientation).max() < 3 * MOVES
    strongest = np.abs(expected.joint_force).max()
    assert np.abs(got.constraint_force[:, 0] - expected.joint_force[:, 1]).max() < 1e-5 * strongest
    assert np.abs(got.joint_force[:, 0] - expected.joint_force[:, 0]).max() < 1e-5 * strongest


@all_methods
def test_nailed_top_precesses_steadily(method):
    top = SteadyTop(mass=1.3, across=0.05, along=0.02, distance=0.15, tilt=0.7, precession=1.9)
    across = top.across - top.mass * top.distance**2
    c, s = np.cos(0.5 * top.tilt), np.sin(0.5 * top.tilt)
    body = Body(
        "top",
        mass=top.mass,
        inertia=(across, across, top.along),
        center_of_mass=(0, 0, top.distance),
        orientation=(c, 0, s, 0),
        angular_velocity=top.angular_velocity(0.0),
    )
    recording = run(Mechanism(bodies=[body], constraints=[Nail("tip", body="top", point=(0, 0, 0))]), 1.5, method)
    for frame, time in enumerate(recording.times):
        R = np.array(matrix(recording.orientation[frame, 0]), float)
        assert np.abs(R - top.orientation(time)).max() < 10 * MOVES
        assert recording.constraint_force[frame, 0, :3] == pytest.approx(top.support(time), abs=1e-4)


@all_methods
def test_held_orientation_makes_a_body_a_particle(method):
    """Thrown with a thruster off its centre: the centre flies as a particle, the constraint bears the moment."""
    thrust, arm = np.array([1.0, -2.0, 0.5]), np.array([0.1, 0.3, -0.2])
    center = np.array([0.4, 0.0, 0.0])
    body = bar(linear_velocity=(1.0, 0.0, 4.0))
    motor = Motor("jet", body="bar", point=center + arm, force=thrust, torque=(0.2, 0.0, 0.0))
    hold = Orientation("hold", body="bar")
    recording = run(Mechanism(bodies=[body], constraints=[hold], forces=[motor]), 2.0, method)
    acceleration = thrust / 1.5 + (0, 0, -G)
    expected = parabola((0, 0, 0), (1, 0, 4), acceleration, recording.times)
    assert np.abs(recording.position[:, 0] - expected).max() < MOVES
    assert turned_apart(recording.orientation, recording.orientation[:1]).max() < HELD
    moment = -np.cross(arm, thrust) - (0.2, 0.0, 0.0)
    assert recording.constraint_force[:, 0, 3:] == pytest.approx(np.broadcast_to(moment, (41, 3)), abs=1e-7)
    assert np.abs(recording.constraint_force[:, 0, :3]).max() == 0.0


def told_support(times: np.ndarray) -> np.ndarray:
    """(T, 3) m: a support that is shaken in the upright plane."""
    return np.stack([0.2 * np.sin(2.0 * times), 0.0 * times, 0.1 * np.cos(3.0 * times)], axis=1)


@all_methods
def test_path_moves_the_support_of_a_pendulum(method):
    """I a'' = -m l ((g + z'') sin a + x'' cos a) about the support; keys 100 times a second tell the path to 1e-10."""
    m, l, I = 1.5, 0.4, 0.08 + 1.5 * 0.4**2
    keys = np.arange(0, 301) / 100
    start = told_support(np.zeros(1))[0]
    c = np.sqrt(0.5)  # the bar's x axis hangs down
    body = bar(position=start, orientation=(c, 0, c, 0), angular_velocity=(0, -1.0, 0), linear_velocity=(0.4, 0, 0))
    path = Path("hand", body="bar", point=start, times=keys, positions=told_support(keys).tolist())
    recording = run(Mechanism(bodies=[body], constraints=[path]), 3.0, method)

    def rates(t, y):
        across, up = -0.8 * np.sin(2.0 * t), -0.9 * np.cos(3.0 * t)
        return [y[1], -m * l / I * ((G + up) * np.sin(y[0]) + across * np.cos(y[0]))]

    angle, _ = solve_ivp(rates, (0, 3), [0.0, 1.0], "DOP853", recording.times, rtol=1e-12, atol=1e-12).y
    arm = np.stack([np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    R = np.array([matrix(q) for q in recording.orientation[:, 0]], float)
    assert np.abs(R[:, :, 0] - arm).max() < 10 * MOVES
    assert np.abs(recording.position[:, 0] - told_support(recording.times)).max() < 1e-8
    t = recording.times
    first = [rates(ti, y)[1] for ti, y in zip(t, np.stack([angle, _], axis=1), strict=True)]
    swing = l * (np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1) * np.array(first)[:, None])
    turn = -l * arm * (_**2)[:, None]
    shake = np.stack([-0.8 * np.sin(2 * t), 0 * t, -0.9 * np.cos(3 * t)], axis=1)
    force = m * (swing + turn + shake + (0, 0, G))
    assert np.abs(recording.constraint_force[:, 0, :3] - force).max() < 1e-5 * np.abs(force).max()


@all_methods
def test_path_with_orientations_needs_what_newton_and_euler_say(method):
    """A bar carried on a level circle by its end, turning with it: a steady pull inward, its weight, and moments."""
    keys, rate = np.arange(0, 151) / 100, 1.3
    angle = rate * keys
    positions = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    half = 0.5 * angle
    tilt = np.array([np.cos(0.2), np.sin(0.2), 0, 0])
    spin = np.stack([np.cos(half), 0 * half, 0 * half, np.sin(half)], axis=1)
    w0, x0, y0, z0 = spin.T
    w1, x1, _, _ = tilt
    orientations = np.stack([w0 * w1, w0 * x1, z0 * x1, z0 * w1], axis=1)
    body = bar(position=(1, 0, 0), orientation=orientations[0], linear_velocity=(0, rate, 0))
    body.angular_velocity = (0, 0, rate)
    path = Path("hand", body="bar", point=(1, 0, 0), times=keys, positions=positions.tolist())
    path.orientations = orientations.tolist()
    recording = run(Mechanism(bodies=[body], constraints=[path]), 1.4, method)
    for frame, time in enumerate(recording.times):
        c, s = np.cos(rate * time), np.sin(rate * time)
        turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        R = turned @ np.array(matrix(orientations[0]), float)
        arm = R @ (0.4, 0, 0)
        center = (c, s, 0) + arm
        force = 1.5 * (np.array([-(rate**2) * center[0], -(rate**2) * center[1], G]))
        w = np.array([0, 0, rate])
        moment = np.cross(w, R @ np.diag(body.inertia) @ R.T @ w) + np.cross(arm, force)
        assert recording.position[frame, 0] == pytest.approx([c, s, 0], abs=1e-8)
        got = recording.constraint_force[frame, 0]
        assert got == pytest.approx([*force, *moment], abs=1e-5 * np.linalg.norm(force))


def test_path_ends_and_the_point_stays_where_it_is():
    """Held after the last key: the keys are told to end at rest."""
    keys = np.linspace(0.0, 1.0, 51)
    positions = [(0.5 * t**4 * (35 - 84 * t + 70 * t**2 - 20 * t**3), 0.0, 0.0) for t in keys]
    path = Path("hand", body="bead", point=(0, 0, 0), times=keys, positions=positions)
    recording = run(Mechanism(bodies=[bead()], constraints=[path]), 2.0)
    assert recording.position[recording.times >= 1.0, 0] == pytest.approx(np.tile([0.5, 0, 0], (21, 1)), abs=1e-7)
    assert recording.constraint_force[-1, 0, :3] == pytest.approx([0, 0, 2.0 * G], abs=1e-6)


@pytest.mark.parametrize("method", ["recursive", "propagation"])
def test_kicked_and_damped_chain_comes_back_to_a_catenary(method):
    rods, length, weight = 8, 0.25, 0.4 * G
    chain = HangingChain(rods, length, weight, span=(1.4, 0.3))
    angles, places = chain.angles(), chain.joints()
    bodies, joints = [], []
    for k in range(rods):
        c, s = np.cos(-0.5 * angles[k]), np.sin(-0.5 * angles[k])
        middle = 0.5 * (places[k] + places[k + 1])
        position = (middle[0], 0.0, middle[1])
        bodies.append(Body(f"rod {k}", mass=0.4, inertia=(1e-4, 0.4 * length**2 / 12, 0.4 * length**2 / 12),
                           position=position, orientation=(c, 0, s, 0)))  # fmt: skip
    hinge = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)  # z to the world's y
    for k in range(1, rods):
        place = (places[k][0], 0.0, places[k][1])
        joints.append(Joint(f"pin {k}", "revolute", f"rod {k - 1}", f"rod {k}", place, hinge, damping=[0.05]))
    nails = [Nail("left", body="rod 0", point=(0, 0, 0)), Nail("right", body=f"rod {rods - 1}", point=(1.4, 0, 0.3))]
    bodies[3].angular_velocity, bodies[5].linear_velocity = (0, 18.0, 0), (3.0, 0.0, 6.0)
    mechanism = Mechanism(bodies=bodies, joints=joints, constraints=nails)
    recording = run(mechanism, 40.0, method, frame_rate=2.0, relative=1e-7)
    assert recording.kinetic_energy[0] > 0.5
    middles = 0.5 * (places[1:] + places[:-1])
    assert np.abs(recording.position[-1][:, [0, 2]] - middles).max() < 1e-6
    pulls = chain.pulls()
    assert recording.joint_force[-1][:, [0, 2]] == pytest.approx(pulls[1:-1], abs=1e-5 * np.abs(pulls).max())
    held = recording.constraint_force[-1][:, [0, 2]]
    assert held == pytest.approx(np.array([pulls[0], -pulls[-1]]), abs=1e-5 * np.abs(pulls).max())


@some(20)
@given(tied_mechanisms(most=8, ties=5))
def test_forces_on_every_body_change_its_momentum(mechanism):
    """Newton and Euler from the reported forces and accelerations alone, with all joints and constraints."""
    got = evaluate(mechanism)
    state = MaximalState(mechanism, simulate(mechanism, 0.0))
    total = np.array(state.wrenches(), float)  # about the centres: moment, force

    def push(name, point, wrench, sign):
        if name in state.number:
            i = state.number[name]
            arm = np.array(point - state.bodies[i].center, float)
            total[i, 3:] += sign * wrench[:3]
            total[i, :3] += sign * (wrench[3:] + np.cross(arm, wrench[:3]))

    for joint, now, wrench in zip(mechanism.joints, state.joints, got.joint_force, strict=True):
        push(joint.child, now.origin, wrench, 1)
        push(joint.parent, now.origin, wrench, -1)
    for tie, wrench in zip(state.ties, got.constraint_force, strict=True):
        push(tie.bodies[0], tie.points[0], wrench, 1)
        push(tie.bodies[1], tie.points[1], wrench, -1)
    strongest = max(1.0, np.abs(got.joint_force).max(initial=0.0), np.abs(got.constraint_force).max(initial=0.0))
    for i, (body, now) in enumerate(zip(mechanism.bodies, state.bodies, strict=True)):
        if body.motion == "dynamic":
            R, w = np.array(now.rotation, float), np.array(now.angular, float)
            own = np.diag(body.inertia) if np.ndim(body.inertia) == 1 else np.array(body.inertia)
            I, arm = R @ own @ R.T, np.array(now.center - now.origin, float)
            turn = got.angular_acceleration[i]
            center = got.linear_acceleration[i] + np.cross(turn, arm) + np.cross(w, np.cross(w, arm))
            assert total[i, 3:] == pytest.approx(body.mass * center, abs=1e-9 * strongest)
            assert total[i, :3] == pytest.approx(I @ turn + np.cross(w, I @ w), abs=1e-9 * strongest)


@some(10)
@given(tied_mechanisms(most=5, ties=4))
def test_accelerations_are_the_slopes_of_the_velocities(mechanism):
    """Five frames from the start at 8 kHz: the one-sided difference errs by step^4 / 5 of the fifth derivative."""
    rate = 8000.0
    recording = simulate(mechanism, 4 / rate, rate, relative=1e-11)
    weights = np.array([-25, 48, -36, 16, -3]) / 12.0 * rate
    got = evaluate(mechanism)
    for velocity, acceleration in (
        (recording.linear_velocity, got.linear_acceleration),
        (recording.angular_velocity, got.angular_acceleration),
        (recording.joint_speeds, got.joint_acceleration),
    ):
        slope = np.tensordot(weights, velocity, axes=1)
        assert np.abs(slope - acceleration).max(initial=0.0) < 1e-5 * max(1.0, np.abs(acceleration).max(initial=0.0))


def test_constraints_that_are_switched_off_do_nothing():
    nail = Nail("nail", body="bead", point=(5, 5, 5), enabled=False)
    wire = Curve("wire", body="bead", point=(0, 0, 0), points=[(7, 7, 7), (8, 8, 8)], enabled=False)
    recording = run(Mechanism(bodies=[bead()], constraints=[nail, wire]), 1.0)
    assert recording.position[-1, 0] == pytest.approx([0, 0, -0.5 * G], abs=1e-7)
    assert recording.constraint_force.shape == (21, 2, 6)
    assert np.abs(recording.constraint_force).max() == 0.0


@all_methods
def test_two_paths_that_contradict_each_other_are_named(method):
    times = (0.0, 1.0)
    left = Path("left", body="bead", point=(0, 0, 0), times=times, positions=[(0, 0, 0), (-1, 0, 0)])
    right = Path("right", body="bead", point=(0, 0, 0), times=times, positions=[(0, 0, 0), (1, 0, 0)])
    recording = simulate(Mechanism(bodies=[bead()], constraints=[left, right]), 0.5, method=method)
    assert np.all(np.isfinite(recording.position))
    said = " ".join(note for note in recording.notes if "could not be met" in note)
    assert "'left'" in said or "'right'" in said
    assert recording.constraint_error[-1] == pytest.approx(0.5, abs=0.01)


@all_methods
def test_a_path_out_of_reach_is_named_and_does_not_stop_the_motion(method):
    """A hand on a one metre rod is led out to two metres."""
    keys = np.linspace(0.0, 1.0, 21)
    positions = [(0.6 + 1.4 * t**2, 0.0, 0.0) for t in keys]
    bodies = [bar(orientation=(1, 0, 0, 0)), bar("second", position=(0.8, 0, 0))]
    angle = np.arccos(0.3 / 0.8)
    for body, turn, place in zip(bodies, (-angle, angle), ((0, 0, 0), (0.3, 0, 0.8 * np.sin(angle))), strict=True):
        body.orientation, body.position = (np.cos(0.5 * turn), 0, np.sin(0.5 * turn), 0), place
    y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
    joints = [Joint("shoulder", "revolute", None, "bar", (0, 0, 0), y)]
    joints.append(Joint("elbow", "revolute", "bar", "second", bodies[1].position, y))
    path = Path("hand", body="second", point=(0.6, 0, 0), times=keys, positions=positions)
    recording = simulate(Mechanism(bodies=bodies, joints=joints, constraints=[path]), 1.0, method=method)
    assert np.all(np.isfinite(recording.position))
    assert len(recording.times) == 25
    assert [note for note in recording.notes if "'hand'" in note and "could not be met" in note]
    assert recording.constraint_error.max() == pytest.approx(0.4, abs=0.05)
    assert recording.constraint_error[:12].max() < HELD
    reached = recording.position[-1, 1] + np.array(matrix(recording.orientation[-1, 1]), float) @ (0.8, 0, 0)
    assert np.linalg.norm(reached) == pytest.approx(1.6, abs=0.05)


def arm_of_a_carriage() -> Mechanism:
    """Two rods of a metre between a nail and a carriage that drives away to three metres."""
    keys = Keys(times=(0.0, 1.0), positions=[(1.2, 0, 0), (3.0, 0, 0)], orientations=[(1, 0, 0, 0)] * 2)
    rods = [bar("near"), bar("far")]
    angle = np.arccos(0.6)
    for rod, turn, place in zip(rods, (-angle, angle), ((0, 0, 0), (0.6, 0, 0.8)), strict=True):
        rod.orientation, rod.position = (np.cos(0.5 * turn), 0, np.sin(0.5 * turn), 0), place
    y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
    joints = [Joint("elbow", "revolute", "near", "far", (0.6, 0, 0.8), y)]
    joints.append(Joint("hitch", "revolute", "carriage", "far", (1.2, 0, 0), y))
    nail = Nail("nail", body="near", point=(0, 0, 0))
    carriage = Body("carriage", motion="keyed", keys=keys)
    return Mechanism(bodies=[carriage, *rods], joints=joints, constraints=[nail])


@all_methods
def test_a_keyed_body_that_pulls_an_arm_beyond_its_reach_does_not_stop_the_motion(method):
    recording = simulate(arm_of_a_carriage(), 1.0, method=method)
    assert np.all(np.isfinite(recording.position))
    assert len(recording.times) == 25
    assert [note for note in recording.notes if "constraint 'nail': could not be met" in note]
    assert recording.constraint_error.max() == pytest.approx(1.0, abs=0.05)
    assert not [note for note in recording.notes if "the accuracy that was asked for" in note]


def test_a_tolerance_that_cannot_be_kept_near_a_singular_pose_is_told():
    recording = simulate(arm_of_a_carriage(), 1.0, relative=1e-8)
    assert [note for note in recording.notes if "relative 1e-06" in note and "the accuracy that was asked for" in note]
    assert [note for note in recording.notes if "constraint 'nail': could not be met" in note]


@all_methods
def test_point_to_point_is_a_ball_joint_between_bodies(method):
    bodies = [bar(angular_velocity=(0, -2.0, 1.0)), bar("second", position=(0.8, 0.1, 0), angular_velocity=(3, 0, 1))]
    root = Joint("root", "universal", None, "bar", (0, 0, 0), speeds=(0.5, 1.0))
    ball = Joint("ball", "spherical", "second", "bar", (0.8, 0, 0))
    ends = {"body_a": "bar", "body_b": "second", "point_a": (0.8, 0, 0), "point_b": (0.8, 0, 0)}
    got = run(Mechanism(bodies=bodies, joints=[root], constraints=[PointToPoint("pin", **ends)]), 1.5, method)
    for body, linear, angular in zip(bodies, got.linear_velocity[0], got.angular_velocity[0], strict=True):
        body.linear_velocity, body.angular_velocity = linear, angular
    expected = run(Mechanism(bodies=bodies, joints=[root, ball]), 1.5)
    assert np.abs(got.position - expected.position).max() < MOVES
    strongest = np.abs(expected.joint_force).max()
    assert np.abs(got.constraint_force[:, 0] - expected.joint_force[:, 1]).max() < 1e-5 * strongest


@pytest.mark.parametrize(
    ("constraint", "gap"),
    [
        (PointToPoint("pin", body_a="bead", body_b="other", point_a=(0, 0, 0), point_b=(0.25, 0, 0)), "0.25 m"),
        (Distance("rod", body_a="bead", body_b="other", point_a=(0, 0, 0), point_b=(1, 0, 0), distance=1.5), "0.5 m"),
        (Path("hand", body="bead", point=(0, 0, 0), times=(0, 1), positions=[(0, 0.125, 0), (0, 1, 0)]), "0.125 m"),
        (Curve("wire", body="bead", point=(0, 0, 0), points=[(-1, 0, 0.5), (0, 0, 0.5), (1, 0, 0.5)]), "0.5 m"),
    ],
)
def test_an_open_constraint_is_refused_with_its_gap(constraint, gap):
    other = Body("other", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0))
    mechanism = Mechanism(bodies=[bead(), other], constraints=[constraint])
    for attempt in (lambda: simulate(mechanism, 1.0), lambda: evaluate(mechanism)):
        with pytest.raises(MechanismError) as error:
            attempt()
        (problem,) = error.value.problems
        assert f"constraint '{constraint.name}'" in problem
        assert gap in problem
        assert "assemble" in problem


def test_an_open_loop_is_refused_with_its_gap():
    """A square of four hinges whose first is drawn turned by a right angle: the last corner comes apart."""
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    bodies = [Body(f"side {k}", mass=1.0, inertia=(1, 1, 1), position=corners[k]) for k in range(3)]
    ends = [None, "side 0", "side 1", "side 2", None]
    joints = [Joint(f"corner {k}", "revolute", ends[k], ends[k + 1], corners[k]) for k in range(3)]
    joints.append(Joint("corner 3", "revolute", None, "side 2", corners[3]))
    Mechanism(bodies=bodies, joints=joints)
    assert simulate(Mechanism(bodies=bodies, joints=joints), 0.0).constraint_error[0] < 1e-12
    joints[0].coordinates = [0.5 * np.pi]
    with pytest.raises(MechanismError) as error:
        evaluate(Mechanism(bodies=bodies, joints=joints))
    (problem,) = error.value.problems
    assert "'corner " in problem
    assert "1.41" in problem
    assert "assemble" in problem


def test_a_tiny_gap_is_closed_at_the_start():
    rod = Distance("rod", body_a="bead", point_a=(0, 0, 0), point_b=(0, 0, 1.0), distance=1.0 + 1e-7)
    recording = run(Mechanism(bodies=[bead()], constraints=[rod]), 0.5)
    assert recording.constraint_error[0] < 1e-12
