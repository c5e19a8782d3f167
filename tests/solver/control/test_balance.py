# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures that keep their balance: closed forms of statics, and what a person would expect of them.

A biped of the paper's kind (Wendlandt and Sastry 1996) with two legs of six hinges, and a quadruped on round feet.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.control.bearings import BEARING, share_wrench
from solver.mechanism import Action, Balance, Body, Box, Joint, Keys, Material, Motor, Table
from solver.model.arrays import records
from solver.model.poses import rotation_matrices
from solver.simulation.inspection import inspect
from solver.simulation.live import LiveRun
from solver.simulation.simulation import Simulation
from tests.solver.control.figures import FRICTION, SOLE, biped, quadruped

FRAME_RATE = 24.0
G = 9.81
TORQUE = 250.0  # N m: about what a strong person's knees and hips have


def body_of(mechanism: Mechanism, name: str) -> Body:
    return next(body for body in mechanism.bodies if body.name == name)


def pushed(mechanism: Mechanism, force, start: float = 0.3, duration: float = 0.1) -> Mechanism:
    """A force (N) along the trunk's axes for a while."""
    times = (0.0, start, start + 1e-6, start + duration, start + duration + 1e-6)
    parts = [Table(times, (0.0, 0.0, part, part, 0.0)) if part else 0.0 for part in force]
    mechanism.forces.append(Motor("push", body="trunk", point=body_of(mechanism, "trunk").position, force=parts))
    return mechanism


def on_platform(mechanism: Mechanism, duration: float) -> Mechanism:
    """A plate under the feet that shifts by 10 cm and tilts by 6 degrees about both level axes."""
    times = np.linspace(0.0, duration, int(4 * duration) + 1)
    grow = np.minimum(1.0, times)
    shift = np.column_stack([0.1 * np.sin(2 * times), 0.06 * np.sin(1.5 * times), 0.04 * np.sin(2.5 * times)])
    tilt = 0.1 * grow[:, None] * np.column_stack([np.sin(1.7 * times), np.sin(1.3 * times)])
    half = 0.5 * tilt
    turns = [(np.sqrt(1 - a * a - b * b), a, b, 0.0) for a, b in half]
    keys = Keys(times=times, positions=grow[:, None] * shift - (0.0, 0.0, 0.1), orientations=turns)
    surface = Material(friction=FRICTION, restitution=0.0)
    plate = Body("plate", motion="keyed", keys=keys, shape=Box(half_size=(1.0, 1.0, 0.1)), material=surface)
    return dataclasses.replace(mechanism, bodies=[*mechanism.bodies, plate])


def in_braking_bus(mechanism: Mechanism, duration: float) -> Mechanism:
    """A floor under the feet that goes along Y at 4 m/s, like the figure, and brakes by 1 m/s2 from 1 s on."""
    times = np.linspace(0.0, duration, int(24 * duration) + 1)
    braked = np.maximum(0.0, times - 1.0)
    way = 4.0 * times - 0.5 * braked**2
    positions = np.column_stack([np.zeros_like(way), way, np.full_like(way, -0.1)])
    for body in mechanism.bodies:
        body.linear_velocity = (0.0, 4.0, 0.0)
    surface = Material(friction=FRICTION, restitution=0.0)
    keys = Keys(times=times, positions=positions, orientations=[(1.0, 0.0, 0.0, 0.0)] * len(times))
    plate = Body("plate", motion="keyed", keys=keys, shape=Box(half_size=(1.0, 1.0, 0.1)), material=surface)
    return dataclasses.replace(mechanism, bodies=[*mechanism.bodies, plate])


def slip_of(recording, foot: str, floor: str = "plate") -> np.ndarray:
    """(F,) m: how far a foot has moved along with its floor's axes since the start."""
    axes = rotation_matrices(recording.orientation[:, list(recording.body_names).index(floor)])
    places = np.einsum("fji,fj->fi", axes, place_of(recording, foot) - place_of(recording, floor))
    return np.linalg.norm(places - places[0], axis=1)


def tilt_of(recording, name: str = "trunk") -> np.ndarray:
    """(F,) rad: between the body's Z and the vertical."""
    turns = rotation_matrices(recording.orientation[:, list(recording.body_names).index(name)])
    return np.arccos(np.clip(turns[:, 2, 2], -1.0, 1.0))


def place_of(recording, name: str = "trunk") -> np.ndarray:
    return recording.position[:, list(recording.body_names).index(name)]


def run_to(mechanism: Mechanism, time: float):
    """The only linkage's run, at a time (s)."""
    simulation = Simulation(mechanism, time + 1.0)
    for _ in simulation.warm_up():
        pass
    (run,) = simulation.start().runs
    for _ in run.advance(time):
        pass
    return run


def without_damping(mechanism: Mechanism) -> Mechanism:
    """Nothing but the balance drives the joints of its legs, and nothing slows them down."""
    for joint in mechanism.joints:
        joint.damping, joint.armature = None, None
    return mechanism


@pytest.mark.parametrize(
    "mechanism",
    [biped(), quadruped(), without_damping(biped()), without_damping(quadruped())],
    ids=["biped", "quadruped", "biped without damping", "quadruped without damping"],
)
def test_standing_still_is_statics(mechanism):
    """Feet bear the weight, and torques are J^T times what the ground exerts, less the weights of what lies between."""
    run = run_to(mechanism, 2.0)
    arrays, model = run.memory.arrays, run.compiled.model
    contacts = arrays.contact.contacts[: arrays.contact.counts[0].contacts]
    weight = G * sum(body.mass for body in mechanism.bodies)
    assert np.allclose(contacts.force.sum(axis=0), (0.0, 0.0, weight), atol=1e-4 * weight)
    assert np.abs(arrays.motion.state.speeds).max() < 1e-4
    names = [mechanism.bodies[i].name for i in run.compiled.linkage.bodies]
    center = {name: run.scratch.bodies[model.driven + k].center.copy() for k, name in enumerate(names)}
    torques = {}
    for k, j in enumerate(run.compiled.linkage.joint):
        if j is not None:
            torques[mechanism.joints[j].name] = arrays.steering.torque[model.bodies[model.driven + k].axis_start]
    scale = weight * 0.3
    for joint in mechanism.joints:
        outer = outward_of(mechanism, joint)
        axis = rotation_matrices(np.array(joint.orientation))[0][:, 2]
        moment = np.zeros(3)
        for name in outer:
            moment += np.cross(center[name] - joint.position, (0.0, 0.0, -G * body_of(mechanism, name).mass))
        for contact in contacts:
            if names[contact.body[1] - model.driven] in outer:
                moment += np.cross(contact.position - joint.position, contact.force)
        assert torques[joint.name] == pytest.approx(-axis @ moment, abs=2e-3 * scale), joint.name


def outward_of(mechanism: Mechanism, joint: Joint) -> set[str]:
    """The names of all bodies that a joint carries."""
    found = {joint.child}
    for other in mechanism.joints:
        if other.parent in found:
            found.add(other.child)
    return found


@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange"])
def test_what_drives_joints_without_damping_reaches_them_by_every_method(method):
    """It is set anew at each evaluation, and not left out either: the figure stands as with dampers."""
    recording = simulate(without_damping(biped()), 0.5, method=method)
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() < 1e-5


@pytest.mark.parametrize("force", [(250.0, 0.0, 0.0), (0.0, 150.0, 0.0)])
def test_legs_need_no_damping_when_it_is_pushed(force):
    """What moves its trunk moves its legs: with six axes each these have no motion of their own on which to tremble."""
    recording = simulate(pushed(without_damping(biped(max_torque=TORQUE)), force), 5.0)
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() > 0.015, "it was moved"
    assert np.abs(place_of(recording)[-1] - place_of(recording)[0]).max() < 0.01
    assert np.abs(recording.joint_speeds[-1]).max() < 1e-4


def test_stands_where_it_began():
    recording = simulate(biped(), 3.0)
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() < 1e-4
    assert tilt_of(recording).max() < 1e-3
    assert recording.notes[0] == "integrator: impulse"


@pytest.mark.parametrize("force", [(250.0, 0.0, 0.0), (0.0, 150.0, 0.0), (-150.0, 0.0, 0.0)])
def test_keeps_standing_when_it_is_pushed(force):
    recording = simulate(pushed(biped(max_torque=TORQUE), force), 5.0)
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() > 0.015, "it was moved"
    assert tilt_of(recording)[-1] < 0.1
    assert place_of(recording)[-1, 2] == pytest.approx(place_of(recording)[0, 2], abs=0.03)


def test_falls_when_it_is_pushed_too_hard():
    recording = simulate(pushed(biped(max_torque=TORQUE), (1500.0, 0.0, 0.0)), 3.0)
    assert place_of(recording)[-1, 2] < 0.6 * place_of(recording)[0, 2]
    assert np.isfinite(recording.position).all()
    energy = recording.kinetic_energy + recording.potential_energy
    late = recording.times > 1.5
    assert energy[late].max() < energy[recording.times > 0.4][0], "what lies does not struggle"


def lowest_of(recording, foot: str) -> np.ndarray:
    """(F,) m: height of a sole's lowest corner."""
    turns = rotation_matrices(recording.orientation[:, list(recording.body_names).index(foot)])
    return place_of(recording, foot)[:, 2] - np.abs(turns[:, 2]) @ (0.13, 0.05, SOLE / 2)


@pytest.mark.parametrize(("angle", "size"), [(0.0, 450.0), (60.0, 600.0), (90.0, 450.0), (180.0, 800.0)])
def test_what_is_thrown_over_falls_and_does_not_leap(angle, size):
    """Its trunk never gets higher than it stood, and its feet leave the ground by no more than a foot that tips."""
    force = size * np.cos(np.radians(angle)), size * np.sin(np.radians(angle)), 0.0
    recording = simulate(pushed(biped(max_torque=TORQUE), force), 2.5, 60.0)
    fallen = int(np.argmax(tilt_of(recording) > 1.39))
    assert fallen > 0
    height = place_of(recording)[:, 2]
    assert height.max() < height[0] + 0.005
    feet = np.minimum(lowest_of(recording, "left foot"), lowest_of(recording, "right foot"))
    assert feet[: fallen + 1].max() < 0.12


def test_keeps_standing_on_a_platform_that_shifts_and_tilts():
    recording = simulate(on_platform(biped(ground=False, max_torque=TORQUE), 6.0), 6.0)
    assert place_of(recording, "plate")[:, 0].std() > 0.03, "it shifts"
    assert tilt_of(recording, "plate").max() > 0.1, "and tilts"
    assert tilt_of(recording).max() < 0.25
    feet = 0.5 * (place_of(recording, "left foot") + place_of(recording, "right foot"))
    assert np.abs((place_of(recording) - feet)[:, 2] - (place_of(recording) - feet)[0, 2]).max() < 0.1


@pytest.mark.parametrize("lay", [on_platform, in_braking_bus])
def test_feet_neither_slip_nor_creep_where_they_should_stick(lay):
    """At few substeps too. What is left comes of the first steps, in which the floor sets off with a jerk."""
    recording = simulate(lay(biped(ground=False, max_torque=TORQUE), 4.0), 4.0, substeps=10)
    assert tilt_of(recording).max() < 0.25
    for foot in ("left foot", "right foot"):
        assert slip_of(recording, foot).max() < 3e-4


def test_gets_up_from_a_crouch_as_its_target_rises():
    crouching = biped(bend=1.0, max_torque=TORQUE)
    x, y, z = body_of(crouching, "trunk").position
    crouching.forces[0].position = (x, y, Table((0.5, 1.5), (z, z + 0.2)))
    recording = simulate(crouching, 4.0)
    height = place_of(recording)[:, 2]
    assert height[recording.times < 0.5] == pytest.approx(z, abs=1e-3)
    assert height[-1] == pytest.approx(z + 0.2, abs=0.01)
    assert tilt_of(recording).max() < 0.05


def test_turns_its_trunk_as_its_target_does():
    turning = biped(max_torque=TORQUE)
    half = 0.15
    turning.forces[0].orientation = (
        Table((0.5, 1.0), (1.0, np.cos(half))),
        0,
        0,
        Table((0.5, 1.0), (0.0, np.sin(half))),
    )
    recording = simulate(turning, 4.0)
    turn = rotation_matrices(recording.orientation[:, list(recording.body_names).index("trunk")])[-1]
    assert np.arctan2(turn[1, 0], turn[0, 0]) == pytest.approx(2 * half, abs=0.02)


@pytest.mark.parametrize("force", [(0.0, 100.0, 0.0), (150.0, 0.0, 0.0)])
def test_a_quadruped_keeps_standing_when_it_is_pushed(force):
    recording = simulate(pushed(quadruped(max_torque=80.0), force), 4.0)
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() > 0.01
    assert np.abs(place_of(recording)[-1] - place_of(recording)[0]).max() < 0.02
    assert tilt_of(recording)[-1] < 0.02


def test_torques_keep_within_their_limits():
    limits = {"max_torque": 45.0, "joint_max_torque": [("left knee", 35.0), ("right knee", 30.0)]}
    mechanism = pushed(biped(**limits), (200.0, 0.0, 0.0), start=0.05)
    run = run_to(mechanism, 0.0)
    largest = np.zeros(len(run.compiled.model.armature))
    for step in range(1, 300):
        for _ in run.advance(step / 480.0):
            pass
        largest = np.maximum(largest, np.abs(run.memory.arrays.steering.torque))
    names = [None if j is None else mechanism.joints[j].name for j in run.compiled.linkage.joint]
    axis = {name: run.compiled.model.bodies[run.compiled.model.driven + k].axis_start for k, name in enumerate(names)}
    assert largest[axis["left knee"]] == 35.0
    assert largest[axis["right knee"]] == 30.0
    assert largest.max() == 45.0
    assert largest[:6].max() == 0.0, "nothing but joints drives it"


def test_without_ground_it_falls_freely():
    """No foot stands on anything, so no joint is driven, and momentum is kept."""
    recording = simulate(biped(ground=False), 0.5, integrator="impulse")
    mass = np.array([body.mass for body in biped().bodies])
    center = (mass[:, None] * recording.position).sum(axis=1) / mass.sum()  # all frames are at centres of mass
    fall = center[0] + np.outer(recording.times**2, (0.0, 0.0, -G / 2))
    assert np.abs(center - fall).max() < 1e-9
    energy = recording.kinetic_energy + recording.potential_energy
    assert np.abs(energy - energy[0]).max() < 1e-9 * mass.sum() * G


def test_a_live_run_plays_again():
    live = LiveRun(biped(max_torque=TORQUE), FRAME_RATE)
    live.advance(6, 60.0)
    x, y, z = body_of(live.mechanism, "trunk").position
    hand = live.grab("trunk", (x, y, z), 400.0, 20.0)
    for frame in range(6, 14):
        live.drag(hand, (x + 0.01 * (frame - 5), y, z))
        live.advance(frame + 1, 60.0)
    live.let_go(hand)
    live.advance(24, 60.0)
    recording, again = live.recording(), simulate(live.mechanism, 24 / FRAME_RATE, FRAME_RATE)
    assert np.abs(place_of(recording) - place_of(recording)[0]).max() > 0.003
    assert np.array_equal(again.position, recording.position)
    assert np.array_equal(again.joint_force, recording.joint_force)


def test_it_collapses_when_it_is_switched_off():
    mechanism = biped(bend=1.0)
    mechanism.actions.append(Action(time=0.5, target="balance", set={"enabled": False}))
    recording = simulate(mechanism, 1.5)
    height = place_of(recording)[:, 2]
    assert height[recording.times <= 0.5] == pytest.approx(height[0], abs=1e-3)
    assert height[-1] < 0.7 * height[0]


def test_a_leg_that_is_cut_off_is_no_leg_any_more():
    mechanism = biped()
    mechanism.actions.append(Action(time=0.25, target="left knee", set={"enabled": False}))
    recording = simulate(mechanism, 0.75)
    assert np.isfinite(recording.position).all()


def test_inspection_knows_what_drives_joints():
    mechanism = biped()
    recording = simulate(mechanism, 1.0)
    effort = inspect(mechanism, recording).joint_effort
    knee = recording.joint_offsets[[joint.name for joint in mechanism.joints].index("left knee")]
    run = run_to(mechanism, 1.0)
    k = [None if j is None else mechanism.joints[j].name for j in run.compiled.linkage.joint].index("left knee")
    torque = run.memory.arrays.steering.torque[run.compiled.model.bodies[run.compiled.model.driven + k].axis_start]
    assert effort[-1, knee] == pytest.approx(torque, abs=0.05)
    assert abs(torque) > 20.0


def momentum_about(mechanism: Mechanism, recording, center: np.ndarray, g: int) -> np.ndarray:
    """(F, 3) N m s: the figure's moment of momentum about its centre of mass (F, 3)."""
    total = np.zeros_like(center)
    for i, body in enumerate(mechanism.bodies[:g]):
        R = rotation_matrices(recording.orientation[:, i])
        I = R * np.array(body.inertia) @ np.swapaxes(R, 1, 2)
        total += np.einsum("fij,fj->fi", I, recording.angular_velocity[:, i])
        total += body.mass * np.cross(recording.position[:, i] - center, recording.linear_velocity[:, i])
    return total


def test_what_the_ground_exerts_is_recorded_beside_what_is_asked_of_it():
    """Momentum tells it by a second route; and most of the time the figure gets what is asked."""
    mechanism = on_platform(biped(ground=False, max_torque=TORQUE), 2.0)
    recording = simulate(mechanism, 2.0, frame_rate=240.0)
    assert recording.balance_names.tolist() == ["balance"]
    asked, got = recording.balance_asked[:, 0], recording.balance_force[:, 0]
    bodies = mechanism.bodies[:-1]
    mass = np.array([body.mass for body in bodies])
    center = np.einsum("b,fbi->fi", mass, recording.position[:, :-1]) / mass.sum()
    momentum = np.einsum("b,fbi->fi", mass, recording.linear_velocity[:, :-1])
    exerted = np.diff(momentum, axis=0) * 240.0 + (0.0, 0.0, G * mass.sum())
    turned = np.diff(momentum_about(mechanism, recording, center, len(bodies)), axis=0) * 240.0
    weight = G * mass.sum()
    # a frame is two steps: what acted in them on the mean, against what acted in the last one
    assert np.abs(got[1:, :3] - exerted).mean() < 0.01 * weight
    assert np.abs(got[1:, 3:] - turned).mean() < 0.01 * weight
    assert np.abs(asked[1:, :3] - got[1:, :3]).mean() < 0.03 * weight
    assert np.abs(asked[1:, 3:] - got[1:, 3:]).mean() < 0.03 * weight
    assert np.ptp(got[1:, :2], axis=0).min() > 0.05 * weight, "it had something to do"


def test_nothing_is_asked_in_the_air_and_after_a_fall():
    recording = simulate(biped(ground=False), 0.2, integrator="impulse")
    assert np.abs(recording.balance_asked).max() == np.abs(recording.balance_force).max() == 0.0
    recording = simulate(pushed(biped(max_torque=TORQUE), (1500.0, 0.0, 0.0)), 3.0)
    assert np.abs(recording.balance_asked[recording.times > 2.5]).max() == 0.0
    assert recording.balance_asked[3, 0, 2] == pytest.approx(recording.balance_force[3, 0, 2], rel=1e-3)


def test_a_result_has_arrays_of_balances_only_if_there_are_any(tmp_path):
    recording = simulate(biped(), 0.1)
    recording.save(tmp_path / "with.npz")
    simulate(dataclasses.replace(biped(), forces=[]), 0.1).save(tmp_path / "without.npz")
    with np.load(tmp_path / "with.npz") as found:
        assert found["balance_asked"].shape == found["balance_force"].shape == (3, 1, 6)
        assert found["notes"].tolist() == recording.notes
    with np.load(tmp_path / "without.npz") as found:
        assert not [name for name in found if name.startswith("balance")]


def corners(x: float = 0.1, y: float = 0.2, friction: float = 0.5) -> np.recarray:
    """Four points on level ground."""
    bearings = records(4, BEARING)
    bearings.position = [(x, y, 0.0), (x, -y, 0.0), (-x, y, 0.0), (-x, -y, 0.0)]
    bearings.normal, bearings.friction = (0.0, 0.0, 1.0), friction
    return bearings


def wrench_of(bearings: np.recarray, c) -> tuple[np.ndarray, np.ndarray]:
    return bearings.force.sum(axis=0), np.cross(bearings.position - c, bearings.force).sum(axis=0)


@pytest.mark.fallback
def test_feet_share_what_they_can_bear():
    bearings, c = corners(), (0.01, 0.02, 0.9)
    share_wrench(bearings, 4, c, (20.0, 10.0, 700.0), (5.0, -8.0, 3.0))
    force, moment = wrench_of(bearings, c)
    assert force == pytest.approx((20.0, 10.0, 700.0), abs=1e-6)
    assert moment == pytest.approx((5.0, -8.0, 3.0), abs=1e-6)
    rows = np.vstack([np.hstack([np.eye(3)] * 4), np.hstack([_skew(p - c) for p in bearings.position])])
    least = np.linalg.lstsq(rows, np.concatenate([force, moment]), rcond=None)[0].reshape(4, 3)
    assert bearings.force == pytest.approx(least, abs=1e-5)


@pytest.mark.fallback
@pytest.mark.parametrize("F", [(300.0, 0.0, 700.0), (0.0, -250.0, 700.0), (900.0, 0.0, 700.0), (0.0, 0.0, -100.0)])
def test_feet_exert_only_what_they_can(F):
    bearings = corners()
    share_wrench(bearings, 4, (0.0, 0.0, 0.9), F, (0.0, 0.0, 0.0))
    normal = bearings.force[:, 2]
    assert normal.min() >= -1e-12
    assert (np.hypot(bearings.force[:, 0], bearings.force[:, 1]) <= 0.5 * normal + 1e-9).all()
    if F[2] < 0.0:
        assert np.abs(bearings.force).max() < 1e-6 * abs(F[2])


@pytest.mark.fallback
def test_what_soles_are_too_short_for_is_asked_less_of():
    """With the whole weight at an edge x away, the ground pushes back by about m g x / h without tipping the body."""
    bearings, h = corners(), 0.9
    share_wrench(bearings, 4, (0.0, 0.0, h), (-300.0, 0.0, 700.0), (0.0, 0.0, 0.0))
    force, moment = wrench_of(bearings, (0.0, 0.0, h))
    assert force[2] == pytest.approx(700.0, rel=0.1)
    assert force[0] == pytest.approx(-700.0 * 0.1 / h, rel=0.25)
    assert abs(moment[1]) < 0.1 * 300.0 * h, "little is left to tip it"


def _skew(r) -> np.ndarray:
    x, y, z = r
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def test_what_cannot_be_is_refused_by_name(tmp_path):
    for integrator in ("adams", "runge-kutta", "variational"):
        alone = dataclasses.replace(biped(), contact=None)
        with pytest.raises(MechanismError, match=f"'balance': integrator {integrator} cannot keep balance"):
            simulate(alone, 0.1, integrator=integrator)
    loose = biped()
    loose.joints = [joint for joint in loose.joints if joint.name != "left knee"]
    with pytest.raises(MechanismError, match="no joints lead from 'trunk' to the foot 'left foot'"):
        simulate(loose, 0.1)
    with pytest.raises(MechanismError, match="joint 'elbow', which is not between"):
        simulate(biped(joint_max_torque=[("elbow", 1.0)]), 0.1)
    still = biped()
    body_of(still, "trunk").motion = "fixed"
    with pytest.raises(MechanismError, match="'trunk' is fixed, so it cannot keep its balance"):
        simulate(still, 0.1)


def test_wrong_keys_are_named():
    def problems(**keys) -> str:
        mechanism = biped()
        mechanism.forces = [Balance("balance", **{"body": "trunk", "feet": ("left foot",), **keys})]
        return "\n".join(mechanism.problems())

    assert problems() == ""
    assert "feet[0] names the body 'left fot', which there is not; is 'left foot' meant?" in problems(
        feet=("left fot",)
    )
    assert "feet must have at least 1 entry" in problems(feet=())
    assert "feet[0] must not be the body that they carry" in problems(feet=("trunk",))
    assert "is 'left foot' again" in problems(feet=("left foot", "left foot"))
    assert "max_torque must be at least 0" in problems(max_torque=-1.0)
    assert "joint_max_torque[0] must be a pair [joint, number], is 'left knee'" in problems(
        joint_max_torque=["left knee"]
    )
    assert "frequency must be a number" in problems(frequency="fast")


def test_a_file_keeps_it(tmp_path):
    mechanism = biped(max_torque=Table((0, 1), (100, 200)), joint_max_torque=[("left knee", 90.0)], frequency=1.5)
    mechanism.forces[0].position = (0.0, 0.0, Table((0.0, 1.0), (1.1, 1.0)))
    mechanism.save(tmp_path / "biped.json")
    again = Mechanism.load(tmp_path / "biped.json")
    assert again.forces == mechanism.forces
    assert again.to_dict() == mechanism.to_dict()
