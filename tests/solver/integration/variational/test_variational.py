# SPDX-License-Identifier: GPL-3.0-or-later
"""The variational integrator: of second order, reversible, momentum to the last digits, energy without drift."""

from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest

from benchmarks.perpetual import kept, perpetual
from benchmarks.perpetual_systems import systems
from solver import Mechanism, MechanismError, Simulation, SimulationFailed, simulate
from solver.mechanism import (
    Action,
    Body,
    Contact,
    Damping,
    Drag,
    Expression,
    Ground,
    Joint,
    JointMotor,
    Nail,
    PointToPoint,
    Sphere,
    Spring,
    Support,
    Table,
    Tyre,
)
from solver.simulation.live import LiveRun
from tests.solver.comparison import motion_errors, turned_apart
from tests.solver.integration.test_order import orientation_error, slopes, spherical_tree, top_and_truth
from tests.solver.simulation.test_conservation import totals, tree
from tests.solver.simulation.test_reference import reference
from tests.truths.pendulums import Pendulum

HINGE = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # its axis lies along -Y


def run(mechanism: Mechanism, duration: float, rate: float, substeps: int | None = None, **options):
    return simulate(mechanism, duration, rate, integrator="variational", substeps=substeps, **options)


def energy_of(recording) -> np.ndarray:
    return recording.kinetic_energy + recording.potential_energy


# --- order ---


# what takes part, and substeps of a frame at which the error is that of the order, below 1e-2 and above rounding
CASES = {
    "chain_100": 128,
    "four_bar": 64,
    "heavy_top_steady": 16,
    "initial_coordinates": 8,
    "keyed_base": 16,
    "pendulum_double_3d": 8,
    "position_motor": 8,
    "spring_net": 16,
    "three_bar_a": 4,
    "torque_free_top": 16,
    "tree_fixed_20": 16,
    "tree_floating_12": 16,
    "two_link_motors": 16,
}


@pytest.mark.parametrize("name", CASES)
def test_errors_of_the_reference_cases_fall_with_the_square_of_the_step(name):
    """Springs, dampers, motors, tables, a keyed base, coordinates at the start, a loop: half the step, a quarter."""
    mechanism, expected = reference(name)
    duration, rate, size = (float(expected[key]) for key in ("duration", "frame_rate", "size"))
    coarse, fine = (
        motion_errors(run(mechanism, duration, rate, count), expected, size) for count in (CASES[name], 2 * CASES[name])
    )
    kinds = [kind for kind in coarse if not (kind == "energy" and fine[kind] < 1e-11)]  # a free top's is exact
    assert len(kinds) >= 4
    assert {kind: coarse[kind] / fine[kind] for kind in kinds} == pytest.approx(dict.fromkeys(kinds, 4.0), rel=0.06)


def test_second_order_on_the_free_top():
    mechanism, truth = top_and_truth((0.3, 2.0, 0.4), np.array([0.0, 4.8]))
    counts = np.array([200, 400, 800])
    errors = [orientation_error(run(mechanism, 4.8, 1.0 / 4.8, int(count)), truth) for count in counts]
    assert slopes(errors, 1.0 / counts) == pytest.approx([2.0, 2.0], abs=0.02)


@pytest.mark.fallback
def test_second_order_on_a_large_swing():
    truth = Pendulum(amplitude=2.5, rate=np.sqrt(9.81 * 0.5 / (0.02 + 0.25)))
    body = Body("bob", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.5, 0.0, 0.0))
    joint = Joint("hinge", "revolute", None, "bob", (0, 0, 0), HINGE, coordinates=(2.5 - np.pi / 2,))
    mechanism = Mechanism(bodies=[body], joints=[joint])
    errors = []
    for count in (8, 16):
        recording = run(mechanism, 1.0, 10.0, count)
        errors.append(np.abs(recording.joint_coordinates[:, 0] + np.pi / 2 - truth.angle(recording.times)).max())
    assert errors[0] < 4e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.02)


@pytest.mark.parametrize("method", ["recursive", "propagation", "lagrange"])
def test_nails_rods_and_loops_approach_adams(method):
    mechanism = hanging_loop(6)
    mechanism.joints[0].damping = (0.02, 0.03, 0.01)
    mechanism.forces = [Drag("air", body="b3", area=0.5), Damping("oil", body="b2", linear=0.1, angular=0.01)]
    truth = simulate(mechanism, 1.0, 10.0, relative=1e-11)
    errors = []
    for count in (32, 64):
        recording = run(mechanism, 1.0, 10.0, count, method=method)
        errors.append(np.abs(recording.position - truth.position).max())
        assert recording.constraint_error.max() < 1e-13
    assert errors[1] < 2e-4
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.06)


@pytest.mark.parametrize(("damping", "off"), [(1.0, 0.04), (20.0, 0.25), (1000.0, 1.0)])
def test_dampers_of_joints_may_act_within_a_step(damping, off):
    """A wheel that spins down within 1/damping s, by the midpoint rule, which never gains speed."""
    wheel = Body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0), angular_velocity=(0.0, 0.0, 1e-3))
    joint = Joint("axle", "revolute", None, "wheel", (0, 0, 0), damping=(damping,))
    recording = run(Mechanism(bodies=[wheel], joints=[joint]), 2.0, 10.0, 1)
    speeds = recording.joint_speeds[:, 0]
    assert np.abs(speeds).max() == speeds[0]
    assert np.all(np.diff(np.abs(speeds)) <= 0.0)
    share = (1.0 - 0.05 * damping) / (1.0 + 0.05 * damping)
    assert speeds == pytest.approx(1e-3 * share ** np.arange(21), abs=1e-11)
    assert np.abs(speeds - 1e-3 * np.exp(-damping * recording.times)).max() < off * 2e-3


# --- what is kept ---


def hanging_loop(links: int, gravity=(0.0, 0.0, -9.81)) -> Mechanism:
    """A chain on ball joints that hangs on the world, its last half bent back into a loop, moving in all directions."""
    radius, half = 0.5, links // 2
    straight = [np.array([0.3 * k, 0.0, 0.0]) for k in range(half + 1)]
    turns = 2.0 * np.pi * np.arange(links - half + 1) / (links - half)
    center = straight[-1] + [radius, 0.0, 0.0]
    loop = [center - radius * np.array([np.cos(a), np.sin(a), 0.0]) for a in turns]
    places = straight + loop[1:]
    bodies, joints = [], []
    for k in range(links):
        start, end = places[k], places[k + 1]
        bodies.append(Body(f"b{k}", mass=0.5, inertia=(0.004, 0.005, 0.006), position=0.5 * (start + end)))
        joints.append(Joint(f"j{k}", "spherical", f"b{k - 1}" if k else None, f"b{k}", start))
    bodies[1].angular_velocity, bodies[-2].linear_velocity = (0.5, 0.3, 2.0), (0.2, 0.5, 1.0)
    ties = [PointToPoint("tie", body_a=f"b{links - 1}", body_b=f"b{half}", point_a=places[-1], point_b=places[-1])]
    return Mechanism(gravity=gravity, bodies=bodies, joints=joints, constraints=ties)


def floating_loop() -> Mechanism:
    """A ring of hinged, sliding and ball-jointed bodies in empty space, with a spring across it."""
    turns = 2.0 * np.pi * np.arange(8) / 8
    places = [np.array([np.cos(a), np.sin(a), 0.1 * np.sin(3 * a)]) for a in turns]
    bodies = [Body(f"b{k}", mass=1.0 + 0.2 * k, inertia=(0.02, 0.03, 0.04), position=places[k]) for k in range(8)]
    joints = []
    for k in range(8):
        kind = "universal" if k % 3 == 1 else "spherical"
        middle = 0.5 * (places[k] + places[(k + 1) % 8])
        joints.append(Joint(f"j{k}", kind, f"b{k}", f"b{(k + 1) % 8}", middle))
    bodies[0].angular_velocity, bodies[3].linear_velocity = (0.3, 2.0, 0.5), (0.5, -0.2, 0.8)
    spring = Spring(
        "across", body_a="b1", body_b="b5", point_a=(0.8, 0.7, 0.2), point_b=(-0.7, -0.6, 0.1), stiffness=20.0,
        rest_length=1.0, damping=0.5,
    )  # fmt: skip
    return Mechanism(gravity=(0, 0, 0), bodies=bodies, joints=joints, forces=[spring])


@pytest.mark.parametrize("mechanism", [tree(1, "floating", True), tree(2, "floating", True), floating_loop()])
def test_momentum_and_angular_momentum_stay_to_the_last_digits(mechanism):
    """All eight joints in both directions, springs and dampers between bodies, and a closed loop; coarse steps."""
    recording = run(mechanism, 20.0, 5.0, 40)
    momentum, angular, _ = totals(mechanism, recording)
    mass = sum(body.mass for body in mechanism.bodies)
    scale = mass * max(1e-2, np.abs(recording.linear_velocity).max())
    assert np.abs(momentum - momentum[0]).max() < 2e-13 * scale
    assert np.abs(angular - angular[0]).max() < 2e-13 * scale * 5.0
    assert np.ptp(recording.kinetic_energy) > 0.01 * recording.kinetic_energy.max()  # something happened


def test_a_hanging_loop_keeps_its_angular_momentum_about_the_vertical():
    mechanism = hanging_loop(8)
    recording = run(mechanism, 10.0, 10.0, 40)
    upright = about_vertical(mechanism, recording)
    assert np.abs(upright - upright[0]).max() < 1e-12 * np.abs(recording.linear_velocity).max()
    assert recording.constraint_error.max() < 1e-13


def about_vertical(mechanism: Mechanism, recording) -> np.ndarray:
    """kg m2/s about the world's Z axis; bodies with their frames at their centres of mass."""
    mass = np.array([body.mass for body in mechanism.bodies])
    x, v = recording.position, recording.linear_velocity
    return totals_about_centers(mechanism, recording) + np.sum(
        mass * (x[..., 0] * v[..., 1] - x[..., 1] * v[..., 0]), axis=1
    )


def totals_about_centers(mechanism: Mechanism, recording) -> np.ndarray:
    total = np.zeros(len(recording.times))
    for k, body in enumerate(mechanism.bodies):
        w, x, y, z = recording.orientation[:, k].T
        upright = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1)
        R = np.array([_matrix(q) for q in recording.orientation[:, k]])
        own = np.einsum("fji,fj->fi", R, recording.angular_velocity[:, k])
        total += np.sum(upright * np.array(body.inertia) * own, axis=1)
    return total


def _matrix(quaternion) -> np.ndarray:
    w, *v = quaternion
    x = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * x + 2 * x @ x


def test_a_free_body_keeps_its_energy_for_a_million_steps():
    """The midpoint rule is exact in a free body's energy and momentum, up to rounding that adds up by chance."""
    mechanism, _ = top_and_truth((0.3, 2.0, 0.4), np.array([0.0]))
    recording = run(mechanism, 10_000.0, 0.01, 10_000)
    assert recording.steps == 1_000_000
    momentum, angular, kinetic = totals(mechanism, recording)
    assert np.abs(angular - angular[0]).max() < 3e-11 * np.linalg.norm(angular[0])
    assert np.abs(kinetic - kinetic[0]).max() < 1e-10 * kinetic[0]
    assert np.abs(momentum).max() < 1e-13


@pytest.mark.slow
@pytest.mark.parametrize("system", systems(), ids=[system.name for system in systems()])
def test_a_million_steps_keep_energy_and_momentum(system):
    """Long steps, a tenth of a radian: the energy errs in the second half of the motion no more than in the first.

    Not in the last hundredth as in the first: the chain is calm until, after a sixth of the time, it is not.
    """
    recording = perpetual(system)
    assert recording.steps == 1_000_000
    error = kept(system.mechanism, recording)
    half = len(error.energy) // 2
    early, late = error.energy[:half].max(), error.energy[half:].max()
    assert late < max(1.5 * early, 1e-10)  # a drift would double it; rounding, where the method itself is exact
    assert late < 0.05
    assert error.momentum.max() < 1e6 * 2.0**-53  # less than one rounding a step, even if all go one way


def test_energy_swings_and_does_not_drift():
    """200,000 steps of a hanging loop, coarse ones: the swing of the last tenth is that of the first."""
    mechanism = hanging_loop(4)
    recording = run(mechanism, 500.0, 20.0, 20)
    error = energy_of(recording) - energy_of(recording)[0]
    early, late = error[: len(error) // 10], error[-len(error) // 10 :]
    assert np.abs(error).max() < 0.01 * np.ptp(recording.kinetic_energy)
    assert abs(late.mean() - early.mean()) < early.std()
    assert late.std() < 2.0 * early.std()


def test_time_runs_backwards_as_it_ran_forwards():
    mechanism = spherical_tree()
    there = run(mechanism, 1.0, 10.0, 20)
    back, offsets = dataclasses.replace(mechanism), there.joint_offsets
    back.joints = [
        dataclasses.replace(
            joint,
            coordinates=tuple(there.joint_coordinates[-1, offsets[k] : offsets[k + 1]]),
            speeds=tuple(-there.joint_speeds[-1, offsets[k] : offsets[k + 1]]),
        )
        for k, joint in enumerate(mechanism.joints)
    ]
    returned = run(back, 1.0, 10.0, 20)
    assert np.abs(returned.position[::-1] - there.position).max() < 1e-11
    assert turned_apart(returned.orientation[::-1], there.orientation).max() < 1e-11


# --- motors, actions, and runs that play again ---


def two_links() -> Mechanism:
    bodies = [Body(f"b{k}", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.5 + k, 0.0, 0.0)) for k in range(2)]
    joints = [Joint(f"j{k}", "revolute", "b0" if k else None, f"b{k}", (float(k), 0, 0), HINGE) for k in range(2)]
    return Mechanism(bodies=bodies, joints=joints)


def test_a_motor_without_a_maximum_keeps_its_speed():
    """From rest the axis jumps to its speed, then follows its table; the link that it carries moves as by Adams."""
    mechanism = two_links()
    table = Table((0.0, 0.5, 2.0), (1.0, 3.0, 3.0))
    mechanism.joints[0].motor = JointMotor(mode="speed", target=(table,))
    truth = simulate(mechanism, 1.0, 20.0, relative=1e-10)
    errors = []
    for count in (10, 20):
        recording = run(mechanism, 1.0, 20.0, count)
        driven = recording.joint_offsets[list(recording.joint_names).index("j0")]
        assert recording.joint_speeds[:, driven] == pytest.approx(truth.joint_speeds[:, driven], abs=1e-9)
        assert recording.joint_coordinates[:, driven] == pytest.approx(truth.joint_coordinates[:, driven], abs=1e-9)
        errors.append(np.abs(recording.position - truth.position).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.06)


def test_an_action_between_two_steps_acts_when_it_should():
    mechanism = two_links()
    mechanism.forces = [Damping("oil", body="b1", linear=0.0, angular=0.0)]
    mechanism.constraints = [Nail("nail", body="b1", point=(2.0, 0.0, 0.0), enabled=False)]
    mechanism.actions = [Action(0.333, "oil", {"angular": 0.5}), Action(0.617, "nail", {"enabled": True})]
    truth = simulate(mechanism, 1.0, 10.0, relative=1e-10)
    errors = [np.abs(run(mechanism, 1.0, 10.0, count).position - truth.position).max() for count in (20, 40)]
    assert errors[0] < 1e-2
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.3)  # steps that actions cut are shorter


def test_a_live_run_plays_again_to_the_last_bit():
    live = LiveRun(two_links(), 24.0, relative=1e-4, integrator="variational")
    assert live.advance(10, np.inf)
    hand = live.grab("b1", (1.5, 0.0, -0.5), stiffness=50.0, damping=1.0)
    live.drag(hand, (1.0, 0.2, 0.5))
    assert live.advance(20, np.inf)
    live.let_go(hand)
    assert live.advance(30, np.inf)
    before, again = live.recording(), simulate(live.mechanism, 30 / 24.0, 24.0, relative=1e-4, integrator="variational")
    assert np.array_equal(before.position, again.position)
    assert np.array_equal(before.orientation, again.orientation)


def test_frames_do_not_change_the_motion():
    mechanism = two_links()
    coarse, fine = run(mechanism, 1.0, 10.0, 40), run(mechanism, 1.0, 20.0, 20)
    assert np.abs(coarse.position - fine.position[::2]).max() < 1e-12


# --- steps ---


def test_steps_follow_from_the_tolerance_and_from_what_turns():
    slow, fast = (
        Mechanism(gravity=(0, 0, 0), bodies=[Body("b", mass=1.0, inertia=(1, 2, 3), angular_velocity=(w, w, w))])
        for w in (1.0, 100.0)
    )
    assert run(fast, 1.0, 24.0).steps > 30 * run(slow, 1.0, 24.0).steps
    mechanism, expected = reference("pendulum_double_3d")
    size, counts, errors = float(expected["size"]), [], []
    for relative in (1e-4, 1e-6):
        recording = run(mechanism, float(expected["duration"]), float(expected["frame_rate"]), relative=relative)
        errors.append(max(motion_errors(recording, expected, size).values()))
        counts.append(recording.steps)
    assert counts[1] / counts[0] == pytest.approx(10.0, rel=0.2)
    assert errors[0] < 100 * 1e-4
    assert errors[1] < 100 * 1e-6


def test_steps_that_are_too_long_are_said():
    body = Body("wheel", mass=1.0, inertia=(0.1, 0.2, 0.25), angular_velocity=(50.0, 10.0, 80.0))
    with pytest.raises(SimulationFailed, match="ask for more substeps at 'wheel'"):
        run(Mechanism(bodies=[body]), 1.0, 24.0, 1)


def test_windows_pass_the_poses_in_which_they_could_part():
    """Bars in line: the rows of the loops become dependent there, and the step coasts."""
    mechanism, expected = reference("n_four_bar_40")
    recording = run(mechanism, 5.0, float(expected["frame_rate"]), 32)
    cut = {key: value[: len(recording.times)] if np.ndim(value) > 1 else value for key, value in expected.items()}
    assert np.abs(recording.position - cut["position"]).max() < 1e-2
    assert recording.constraint_error.max() < 1e-8
    energy = energy_of(recording)
    assert np.abs(energy - energy[0]).max() < 1e-3 * np.ptp(recording.kinetic_energy)


# --- what it cannot do ---


def refused(mechanism: Mechanism) -> str:
    with pytest.raises(MechanismError) as caught:
        Simulation(mechanism, 1.0, integrator="variational")
    (problem,) = caught.value.problems
    return problem


@pytest.mark.parametrize(
    ("force", "word"),
    [
        (
            Tyre(
                "force",
                body="b1",
                point=(1.5, 0, 0),
                radius=0.1,
                stiffness=1e3,
                slip_stiffness=20.0,
                cornering_stiffness=20.0,
            ),
            "the slip of a tyre",
        ),
        (Expression("force", body="b1", force=("-sign(vx)", "0", "0")), "by place or speed"),
    ],
)
def test_what_jumps_is_refused_by_name(force, word):
    mechanism = two_links()
    mechanism.forces = [force]
    assert "force 'force'" in refused(mechanism)
    assert word in refused(mechanism)


@pytest.mark.parametrize("over_time", [False, True])
def test_a_support_that_sticks_is_refused_by_name_and_one_with_a_slope_is_not(over_time):
    """Its friction turns round within a creep that no step of fixed length resolves."""
    mechanism = sliding(slope=None)
    if over_time:
        mechanism.forces[0].friction = Table((0.0, 1.0), (0.0, 0.3))
    problem = refused(mechanism)
    assert (problem.code, problem.parts) == ("jumps-by-variational", (("force", "foot"),))
    assert "slope" in problem.values["remedy"]
    run_through = [
        simulate(sliding(slope=200.0), 0.5, integrator=name, substeps=20) for name in ("adams", "variational")
    ]
    assert run_through[1].position == pytest.approx(run_through[0].position, abs=2e-5)


def sliding(slope: float | None) -> Mechanism:
    body = Body("block", mass=1.0, inertia=(0.1,) * 3, position=(0.0, 0.0, 0.0), linear_velocity=(1.0, 0.0, 0.0))
    foot = Support("foot", body="block", point=(0, 0, 0), stiffness=1e3, damping=10.0, friction=0.3, slope=slope)
    return Mechanism(bodies=[body], forces=[foot])


@pytest.mark.parametrize("substeps", [4, 20])
def test_a_fold_is_passed_with_the_energy_that_there_is_or_the_run_ends_there(substeps):
    """A parallelogram, off by a part in two millions: where its bars come in line it could go on in two ways."""
    recording, failure = recorded(parallelogram(), 0.75, substeps)
    if failure is not None:
        assert "a loop folds" in failure.reason
        assert failure.time == pytest.approx(0.515, abs=0.02)
    energy = recording.kinetic_energy + recording.potential_energy
    assert energy == pytest.approx(energy[0], abs=0.05)
    assert recording.constraint_error.max() < 1e-9


@pytest.mark.parametrize("substeps", [10, 20, 30])
def test_energy_that_a_fold_takes_is_said(substeps):
    """0.03 to 0.6 J of 63 J, unsaid; a damper takes energy too, and then nobody can tell."""
    recording, failure = recorded(parallelogram(), 3.0, substeps)
    assert failure is None
    energy, most = recording.kinetic_energy + recording.potential_energy, recording.kinetic_energy.max()
    said = [note for note in recording.notes if note.code == "fold-energy"]
    assert np.abs(energy - energy[0]).max() > 3e-4 * most
    assert [float(note.values["energy"]) for note in said] == [
        pytest.approx(np.abs(energy - energy[0]).max(), rel=0.05)
    ]
    mechanism = parallelogram()
    mechanism.forces = [Damping("air", body="b1", linear=0.01, angular=0.0)]
    assert "fold-energy" not in [note.code for note in recorded(mechanism, 0.4, substeps)[0].notes]


@pytest.mark.fallback
@pytest.mark.parametrize("rate", [4800.0, 24000.0])
def test_what_hardly_moves_may_go_by_short_steps(rate):
    """A step makes rates of what poses are rounded to: 2e-12 rad/s at 1e-3 rad/s, which was too much to be solved."""
    mechanism = parallelogram()
    for body in mechanism.bodies:
        body.linear_velocity = body.angular_velocity = None
    recording = run(mechanism, 12 / rate, rate, 1)
    assert np.abs(recording.position - recording.position[0]).max() < 1e-6, "upright"


def recorded(mechanism: Mechanism, duration: float, substeps: int):
    """(recording, None), or as far as it went, and why."""
    try:
        return simulate(mechanism, duration, integrator="variational", substeps=substeps), None
    except SimulationFailed as failure:
        return failure.recording, failure


def parallelogram() -> Mechanism:
    """Upright, and turning at 2 rad/s."""
    corners = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (2.0 + 1e-6, 0.0, 1.0), (2.0, 0.0, 0.0)])
    along_y, speeds = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0), ((0.0, 2.0, 0.0), (0.0, 0.0, 0.0), (0.0, 2.0, 0.0))
    bodies, joints = [], []
    for k, (a, b) in enumerate(itertools.pairwise(corners)):
        mass = float(np.linalg.norm(b - a))
        middle = 0.5 * (a + b)
        motion = {"linear_velocity": (2.0 * middle[2], 0.0, 0.0), "angular_velocity": speeds[k]}
        inertia = (mass**3 / 12.0,) * 3
        bodies.append(Body(f"b{k}", mass=mass, inertia=inertia, position=middle.tolist(), **motion))
    ends = [(None, "b0"), ("b0", "b1"), ("b1", "b2"), (None, "b2")]
    for k, ((parent, child), corner) in enumerate(zip(ends, corners, strict=True)):
        place = {"position": corner.tolist(), "orientation": along_y}
        joints.append(Joint(name=f"j{k}", type="revolute", parent=parent, child=child, **place))
    return Mechanism(bodies=bodies, joints=joints)


def test_contact_is_refused():
    mechanism = two_links()
    mechanism.bodies[1].shape, mechanism.contact = Sphere(radius=0.1), Contact(ground=Ground())
    assert "integrator variational" in refused(mechanism)


def test_an_action_cannot_bring_in_what_jumps():
    mechanism = two_links()
    mechanism.forces = [Expression("force", body=mechanism.bodies[1].name, force=("0", "0", "0"))]
    mechanism.actions = [Action(0.5, "force", {"force": ("sign(x)", "0", "0")})]
    with pytest.raises((SimulationFailed, MechanismError), match="by place or speed"):
        run(mechanism, 1.0, 24.0)
