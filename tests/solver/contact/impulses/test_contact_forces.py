# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact forces, as recorded: mean wrenches from frame to frame, and the hardest impact in between."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, Recording, simulate
from solver.mechanism import Action, Box, Contact, Cylinder, Joint, Keys, Motor, Sphere
from solver.simulation.live import LiveRun
from tests.solver.contact import gauges
from tests.solver.contact.random_loops import random_loops
from tests.solver.contact.random_scenes import random_scene
from tests.solver.contact.scenes import GRAVITY, in_space, meets_bodies, on_ground, row_of_links, run, sloping, stack
from tests.solver.contact.solids import fixed, solid
from tests.truths.impacts import Bounces, meet

ALL = ("impulse", "adams", "runge-kutta")
CUBE = Box(half_size=(0.25, 0.25, 0.25))
BALL = Sphere(radius=0.1)


def impulses(recording: Recording) -> np.ndarray:
    """(F - 1, B, 6) N s, N m s: what contacts gave from frame to frame."""
    return recording.contact_force[1:] * np.diff(recording.times)[:, None, None]


def missing(mechanism: Mechanism, recording: Recording) -> float:
    """N s: the most by which weight and contacts fail to explain the momentum of all dynamic bodies at a frame."""
    dynamic = [k for k, body in enumerate(mechanism.bodies) if body.motion == "dynamic"]
    momentum, _ = gauges.momentum(mechanism, recording)
    weight = sum(mechanism.bodies[k].mass for k in dynamic) * np.array(mechanism.gravity)
    given = impulses(recording)[:, dynamic, :3].sum(axis=1) + np.diff(recording.times)[:, None] * weight
    return np.abs(np.diff(momentum, axis=0) - given).max()


@pytest.mark.parametrize("integrator", ALL)
def test_at_rest_it_is_the_weight(integrator):
    box = solid("box", Box(half_size=(0.3, 0.2, 0.1)), (0, 0, 0.1), 3.0, center_of_mass=(0.05, 0.0, 0.0))
    settling = 0 if integrator == "impulse" else 40  # forces have to sink in
    recording = simulate(on_ground([box], 0.6), 2.0, integrator=integrator)
    wrench = [0.0, 0.0, 3.0 * GRAVITY, 0.0, 0.0, 0.0]
    exact = 1e-9 if integrator == "impulse" else 1e-4
    np.testing.assert_allclose(
        recording.contact_force[1 + settling :, 0], np.tile(wrench, (48 - settling, 1)), atol=exact
    )
    assert not recording.contact_force[0].any(), "nothing was before"
    assert not recording.contact_blow.any()


@pytest.mark.parametrize("substeps", [1, 3, 20])
@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_a_bouncing_ball_strikes_with_what_turns_its_momentum_round(substeps, restitution):
    truth, mass, rate = Bounces(1.0, restitution), 2.0, 60.0
    ball = solid("ball", BALL, (0, 0, 0.1 + truth.height), mass)
    mechanism = on_ground([ball], 0.5, restitution)
    recording = run(mechanism, 0.99 * truth.landing(4), rate, substeps)
    struck = np.zeros(len(recording.times))
    for number in (1, 2, 3):
        speed = GRAVITY * truth.fall * restitution ** (number - 1)
        struck[int(np.ceil(truth.landing(number) * rate))] = mass * speed * (1.0 + restitution)
    np.testing.assert_allclose(recording.contact_blow[:, 0], struck, atol=1e-6 * struck.max())
    np.testing.assert_allclose(impulses(recording)[:, 0, 2], struck[1:], atol=1e-6 * struck.max())
    assert missing(mechanism, recording) < 1e-12
    falls = np.array([truth.landing(number) for number in (1, 2, 3)])
    speeds = GRAVITY * truth.fall * restitution ** np.arange(3)
    np.testing.assert_allclose(recording.impact_time, falls, atol=1e-5)
    np.testing.assert_allclose(recording.impact_speed, speeds, rtol=1e-5)
    np.testing.assert_allclose(recording.impact_impulse[:, 2], mass * speeds * (1.0 + restitution), rtol=1e-5)
    np.testing.assert_allclose(recording.impact_point, np.zeros((3, 3)), atol=1e-5)
    np.testing.assert_array_equal(recording.impact_bodies, [[-1, 0]] * 3)
    assert len(recording.up_to(int(falls[1] * rate)).impact_time) == 1


@pytest.mark.parametrize(("integrator", "exact"), [("adams", 1e-4), ("runge-kutta", 2e-3)])
def test_a_soft_impact_gives_as_much_momentum_as_it_takes(integrator, exact):
    mechanism = on_ground([solid("ball", BALL, (0, 0, 1.1), 2.0)], 0.5, 0.8)
    recording = simulate(mechanism, 1.3, integrator=integrator)
    assert missing(mechanism, recording) < exact * np.abs(impulses(recording)).max()
    assert not recording.contact_blow.any(), "it has a duration"


@pytest.mark.parametrize("integrator", ALL)
def test_friction_slows_a_block_with_its_part_of_the_weight(integrator):
    friction, mass = 0.4, 2.0
    block = solid("block", Box(half_size=(0.2, 0.2, 0.05)), (0, 0, 0.05), mass, linear_velocity=(3.0, 0.0, 0.0))
    recording = simulate(on_ground([block], friction), 0.5, integrator=integrator)
    sliding = slice(2, None) if integrator == "impulse" else slice(9, None)
    found = recording.contact_force[sliding, 0]
    expected = np.array([-friction * mass * GRAVITY, 0.0, mass * GRAVITY])
    np.testing.assert_allclose(found[:, :3], np.tile(expected, (len(found), 1)), rtol=1e-3, atol=1e-3)
    # the block does not tip: what friction has for a lever, pressure makes up for
    np.testing.assert_allclose(found[:, 3:], 0.0, atol=2e-3)


@pytest.mark.parametrize("integrator", ALL)
def test_on_a_slope_friction_holds_what_pulls_downhill(integrator):
    slope, mass = 0.3, 2.0
    block = solid("block", Box(half_size=(0.2, 0.2, 0.05)), (0, 0, 0.05), mass)
    mechanism = on_ground([block], 0.8, gravity=sloping(slope))
    recording = simulate(mechanism, 1.0, integrator=integrator)
    expected = -mass * np.array(mechanism.gravity)
    np.testing.assert_allclose(
        recording.contact_force[-1, 0, :3], expected, atol=1e-6 if integrator == "impulse" else 0.02
    )


def test_friction_turns_a_ball_that_slides():
    mass, friction = 2.0, 0.2
    ball = solid("ball", BALL, (0, 0, 0.1), mass, linear_velocity=(2.0, 0.0, 0.0))
    recording = run(on_ground([ball], friction), 0.25)  # it slides for 0.29 s
    turning = 0.1 * friction * mass * GRAVITY
    np.testing.assert_allclose(recording.contact_force[2:, 0, 3:], np.tile([0, turning, 0], (5, 1)), atol=1e-9)
    gained = np.diff(recording.angular_velocity[1:, 0], axis=0) * 0.4 * mass * 0.1**2
    np.testing.assert_allclose(impulses(recording)[1:, 0, 3:], gained, atol=1e-12)


@meets_bodies
@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
def test_what_two_balls_give_each_other_is_opposite_and_equal(restitution):
    masses, normal = (1.0, 3.0), np.array([0.8, 0.6, 0.0])
    velocities = np.array([[4.0, 0.0, 1.0], [-1.0, 2.0, 0.0]])
    bodies = [
        solid(f"{k}", BALL, side * 0.1 * normal - 0.1 * velocity, mass, linear_velocity=velocity)  # they meet at 0.1 s
        for k, (side, mass, velocity) in enumerate(zip((-1, 1), masses, velocities, strict=True))
    ]
    recording = run(in_space(bodies, 0.0, restitution), 0.25)
    after = meet(masses, velocities, normal, restitution)
    blow = masses[0] * np.linalg.norm(after[0] - velocities[0])
    np.testing.assert_allclose(recording.contact_blow.max(axis=0), blow, rtol=1e-5)
    np.testing.assert_allclose(recording.impact_time, [0.1], atol=1e-5)
    np.testing.assert_array_equal(np.sort(recording.impact_bodies), [[0, 1]])
    np.testing.assert_allclose(recording.impact_point, np.zeros((1, 3)), atol=1e-5)
    toward = 1.0 if recording.impact_bodies[0, 1] == 1 else -1.0
    np.testing.assert_allclose(recording.impact_impulse[0], toward * blow * normal, atol=1e-4 * blow)
    given = impulses(recording)[:, :, :3]
    np.testing.assert_allclose(given[:, 0], -given[:, 1], atol=1e-12)
    np.testing.assert_allclose(given[:, 1].sum(axis=0), blow * normal, atol=1e-4 * blow)


@meets_bodies
@pytest.mark.parametrize("integrator", ALL)
def test_of_a_stack_each_keeps_its_weight_and_the_plate_has_them_all(integrator):
    masses = [1.0, 2.0, 4.0]
    boxes = stack([CUBE] * 3, masses)
    plate = fixed("plate", Box(half_size=(1.0, 1.0, 0.1)), (0.3, 0, -0.1))
    mechanism = Mechanism(bodies=[*boxes, plate], contact=Contact())
    recording = simulate(mechanism, 2.0, integrator=integrator)
    last, exact = recording.contact_force[-1], 1e-6 if integrator == "impulse" else 0.05
    np.testing.assert_allclose(last[:3, 2], GRAVITY * np.array(masses), atol=exact)
    weight = GRAVITY * sum(masses)
    # about the plate's origin: the stack stands 0.3 m from it along -X
    np.testing.assert_allclose(last[3], [0.0, 0.0, -weight, 0.0, -0.3 * weight, 0.0], atol=exact)


@meets_bodies
def test_a_keyed_piston_feels_what_it_throws():
    times = np.linspace(0.0, 1.0, 11)
    keys = Keys(times, [(0.0, 0.0, 0.05 * (1.0 - np.cos(2.0 * np.pi * t))) for t in times], [(1.0, 0.0, 0.0, 0.0)] * 11)
    piston = fixed("piston", Box(half_size=(0.3, 0.3, 0.1)), motion="keyed", keys=keys)
    load = solid("load", Box(half_size=(0.1, 0.1, 0.1)), (0, 0, 0.2), 3.0)
    mechanism = Mechanism(bodies=[load, piston], contact=Contact())
    recording = run(mechanism, 1.0)
    assert missing(mechanism, recording) < 1e-12
    np.testing.assert_allclose(recording.contact_force[:, 0, :3], -recording.contact_force[:, 1, :3], atol=1e-9)
    speed = 0.05 * 2.0 * np.pi * np.sin(2.0 * np.pi * recording.times)
    expected = 3.0 * (GRAVITY + np.diff(speed) * 24.0)
    np.testing.assert_allclose(recording.contact_force[1:, 0, 2], expected, rtol=0.01)


@meets_bodies
def test_a_linkage_at_rest_is_borne_by_the_ground():
    bodies, joints = row_of_links("link", 6, (0, 0, 0.03), (0.2, 0, 0), Box(half_size=(0.08, 0.03, 0.03)), mass=2.0)
    recording = run(on_ground(bodies, 0.5, joints=joints), 1.0)
    total = recording.contact_force[1:, :, :3].sum(axis=1)
    np.testing.assert_allclose(total, np.tile([0, 0, 12.0 * GRAVITY], (24, 1)), atol=1e-3)


@meets_bodies
def test_the_momentum_of_linked_cans_is_what_the_road_has_given():
    can = Cylinder(radius=0.033, half_length=0.06)
    bodies, joints = row_of_links("can", 6, (0, 0, 0.3), (0.16, 0.0, 0.02), can, orientation=(0.5**0.5, 0, 0.5**0.5, 0))
    mechanism = on_ground(bodies, 0.5, 0.3, joints=joints)
    recording = run(mechanism, 1.5)
    assert missing(mechanism, recording) < 1e-11
    assert recording.contact_blow.max() > 0.1


@meets_bodies
@pytest.mark.parametrize("seed", range(12))
def test_momentum_of_closed_linkages_is_explained(seed):
    """Rings that land: what closes their loops gives nothing from outside."""
    mechanism = random_loops(seed)
    # a triangle of hinges has no motion within, so that it has to pay with that of the whole for being led apart
    exact = 1e-10 if len(mechanism.bodies) > 3 else 2e-3  # N s, of 21
    assert missing(mechanism, run(mechanism, 1.0)) < exact


@meets_bodies
@pytest.mark.parametrize("seed", range(12))
def test_momentum_is_explained_in_every_scene(seed):
    mechanism = random_scene(seed)
    if any(joint.parent is None or joint.child is None for joint in mechanism.joints):
        pytest.skip("something is fixed to the world")
    recording = run(mechanism, 1.0)
    momentum, _ = gauges.momentum(mechanism, recording)
    assert missing(mechanism, recording) < 1e-12 * max(1.0, np.abs(momentum).max())
    # the hardest impact of each body between two frames is one of the list
    size, frame = (
        np.linalg.norm(recording.impact_impulse, axis=1),
        np.searchsorted(recording.times, recording.impact_time),
    )
    hardest = np.zeros_like(recording.contact_blow)
    for side in range(2):
        known = recording.impact_bodies[:, side] >= 0
        np.maximum.at(hardest, (frame[known], recording.impact_bodies[known, side]), size[known])
    np.testing.assert_allclose(hardest, recording.contact_blow, atol=1e-12)
    assert (np.diff(recording.impact_time) >= 0.0).all()


@meets_bodies
def test_a_blow_too_hard_for_rounds_of_impacts_is_counted_too():
    """A ton on ten grams goes to and fro too often: the rest is ended at once."""
    pair = [solid("light", CUBE, (0, 0, 0.25), 0.01), solid("heavy", CUBE, (0, 0, 0.9), 1000.0)]
    mechanism = on_ground(pair, 0.5, 0.5)
    recording = run(mechanism, 0.5)
    assert missing(mechanism, recording) < 1e-9
    fall = np.sqrt(2.0 * GRAVITY * 0.15)
    assert recording.contact_blow[:, 1].max() > (1.0 - 1e-9) * 1000.0 * fall


def cut_mechanism(time: float) -> Mechanism:
    """Two balls on the ground with a joint between them, and a third that falls on one; the joint is cut on the way."""
    shapes = (("a", (0, 0, 0.25), 1.0), ("b", (0.7, 0, 0.25), 1.0), ("c", (0.1, 0, 0.9), 3.0))
    bodies = [solid(name, Sphere(radius=0.25), place, mass) for name, place, mass in shapes]
    joint = Joint("rod", "spherical", "a", "b", (0.35, 0, 0.25))
    cut = [Action(time, "rod", {"enabled": False})]
    return on_ground(bodies, 0.5, 0.2, joints=[joint], actions=cut)


@meets_bodies
@pytest.mark.parametrize("integrator", ALL)
@pytest.mark.parametrize("time", [0.05, 0.26, 0.5])
def test_a_cut_between_frames_loses_nothing(integrator, time):
    mechanism = cut_mechanism(time)
    recording = simulate(mechanism, 1.0, integrator=integrator)
    lost = {"impulse": 1e-11, "adams": 2e-3, "runge-kutta": 2e-2}[integrator]
    assert missing(mechanism, recording) < lost
    if integrator == "impulse":  # what is taken anew strikes but once
        whole = run(on_ground(mechanism.bodies, 0.5, 0.2, joints=mechanism.joints), 1.0)
        before = whole.impact_time < time
        np.testing.assert_array_equal(recording.impact_time[recording.impact_time < time], whole.impact_time[before])


@pytest.mark.parametrize("integrator", ALL)
def test_a_change_of_numbers_between_frames_loses_nothing(integrator):
    ball = solid("ball", BALL, (0, 0, 0.1), 1.0)
    mechanism = on_ground([ball], 0.5, 0.5)
    mechanism.forces = [Motor("press", body="ball", point=(0, 0, 0.1), force=(0.0, 0.0, -5.0))]
    mechanism.actions = [Action(time, "press", {"force": [0.0, 0.0, f]}) for time, f in ((0.51, -9.0), (0.77, -1.0))]
    recording = simulate(mechanism, 1.25, 2.0, integrator=integrator)
    # from 0.5 to 1 s the motor pushes with 5 N for 0.01 s, 9 N for 0.26 s, 1 N for 0.23 s
    pushed = 0.5 * GRAVITY + 5.0 * 0.01 + 9.0 * 0.26 + 1.0 * 0.23
    assert impulses(recording)[1, 0, 2] == pytest.approx(pushed, rel=1e-9 if integrator == "impulse" else 1e-3)


@meets_bodies
def test_a_live_run_records_the_same():
    bodies = [solid(f"cube {k}", CUBE, (0.6 * k, 0, 0.25)) for k in range(2)]
    live = LiveRun(on_ground([*bodies, solid("ball", BALL, (1, 0, 0.8))], 0.5), 24.0)
    live.advance(5, 60.0)
    hand = live.grab("ball", (1, 0, 0.1), 200.0, 5.0)
    live.drag(hand, (0.5, 0.0, 0.3))
    live.advance(15, 60.0)
    live.let_go(hand)
    live.advance(24, 60.0)
    recording, again = live.recording(), simulate(live.mechanism, 1.0)
    assert np.array_equal(again.contact_force, recording.contact_force)
    assert np.array_equal(again.contact_blow, recording.contact_blow)
    assert np.array_equal(again.impact_time, recording.impact_time)
    assert recording.contact_blow.max() > 0.0


def test_a_file_has_them_where_something_may_touch(tmp_path):
    high = on_ground([solid("ball", BALL, (0, 0, 50.0))])
    for mechanism, has_contact in ((high, True), (dataclasses.replace(high, contact=None), False)):
        recording = simulate(mechanism, 0.5)
        assert not recording.contact_force.any()
        assert recording.contact_force.shape == (13, 1, 6)
        assert recording.up_to(3).contact_blow.shape == (3, 1)
        recording.save(tmp_path / "out.npz")
        with np.load(tmp_path / "out.npz") as found:
            names = {name for name in found if name.startswith("contact_")}
            assert names == ({"contact_force", "contact_blow"} if has_contact else set())
            assert ("impact_time" in found) == has_contact
            assert "touches" not in found
