# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that meet bodies: pool, Newton's cradle, impulses that go through joints."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism
from solver.mechanism import Box, Contact, Joint, Material, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.scenes import LYING, at_once, in_space, meets_bodies, on_ground, run
from tests.solver.contact.solids import fixed, moments_per_mass, solid
from tests.truths.impacts import cradle, meet
from tests.truths.tied_impact import TiedBodies

pytestmark = meets_bodies

R = 0.1
BALL = Sphere(radius=R)
ROD = Box(half_size=(0.5, 0.05, 0.05))
LYING_ALONG = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X


def pool(angle: float, restitution: float, masses, time: float):
    """(mechanism, velocities, normal): two balls that will meet after so long, the second one then at this angle."""
    normal = np.array([np.cos(angle), np.sin(angle), 0.0])
    velocities = np.array([[2.0, 0.0, 0.0], [-0.5, 0.3, 0.0]])
    places = np.array([-R * normal, R * normal]) - velocities * time
    bodies = [solid(f"ball {k}", BALL, places[k], masses[k], linear_velocity=velocities[k]) for k in (0, 1)]
    return in_space(bodies, restitution=restitution), velocities, normal


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, 3.0), (100.0, 1.0)])
@pytest.mark.parametrize("angle", [0.0, 0.5, 1.2])
def test_pool_balls_part_as_they_should(masses, angle, restitution):
    mechanism, velocities, normal = pool(angle, restitution, masses, time=0.1)
    recording = run(mechanism, 0.5)
    expected = meet(masses, velocities, normal, restitution)
    # they meet within a substep of the right moment, and so a little beside the right point
    assert recording.linear_velocity[-1] == pytest.approx(expected, abs=0.05)
    assert gauges.momentum(mechanism, recording)[0][-1] == pytest.approx(np.array(masses) @ velocities, rel=1e-10)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("angle", [0.0, 0.5, 1.2])
def test_pool_balls_in_touch_part_at_once(angle, restitution):
    mechanism, velocities, normal = pool(angle, restitution, (1.0, 2.0), time=0.0)
    recording = at_once(mechanism)
    expected = meet((1.0, 2.0), velocities, normal, restitution)
    assert recording.linear_velocity[1] == pytest.approx(expected, abs=1e-6)
    assert np.abs(recording.angular_velocity).max() < 1e-9


@pytest.mark.parametrize("thrown", [1, 2])
def test_newtons_cradle_hands_on(thrown):
    """Five balls on rods, the first ones coming; they hang a hair apart, as in truth they are."""
    bodies, joints, hair, start = [], [], 1e-3, 0.6
    for k in range(5):
        x, drawn = k * (2.0 * R + hair), start if k < thrown else 0.0
        bodies.append(solid(f"ball {k}", BALL, (x - np.sin(drawn), 0, 1.0 - np.cos(drawn))))
        bodies[-1].material = Material(0.0, 1.0)
        joints.append(Joint(f"hinge {k}", "revolute", None, f"ball {k}", (x, 0, 1.0), LYING))
    mechanism = Mechanism(bodies=bodies, joints=joints, contact=Contact())
    # about half a swing later as many are as far out on the other side
    recording = run(mechanism, 2.5)
    swing = recording.position[:, :, 0] - [k * (2.0 * R + hair) for k in range(5)]
    highest = np.abs(swing).max()
    assert highest == pytest.approx(np.sin(start), rel=0.01)
    half = np.argmax(np.where(recording.times < 1.4, swing[:, 4], 0.0))
    expected = cradle([1.0] * thrown + [0.0] * (5 - thrown)) * np.sin(start)
    assert swing[half] == pytest.approx(expected, abs=0.05)
    back = np.argmin(np.where(recording.times > 1.6, swing[:, 0], 0.0))
    assert swing[back] == pytest.approx(-expected[::-1], abs=0.08)
    assert gauges.energy(mechanism, recording) == pytest.approx(gauges.energy(mechanism, recording)[0], rel=0.02)


def test_a_cradle_on_a_line_hands_on_to_the_last():
    bodies = [solid(f"ball {k}", BALL, (k * (2.0 * R + 1e-3), 0, 0)) for k in range(5)]
    bodies[0].position, bodies[0].linear_velocity = (-0.3, 0, 0), (2.0, 0, 0)
    recording = run(in_space(bodies), 1.0)
    assert recording.linear_velocity[-1, :, 0] == pytest.approx(cradle([2.0, 0, 0, 0, 0]), abs=1e-3)


def pair_and_ball(kind: str, at: float, restitution: float):
    """(mechanism, the same as TiedBodies, point of contact): two rods in line on a joint at the origin, and a ball."""
    bodies = [solid(f"rod {k}", ROD, (k - 0.5, 0, 0), 1.0 + k) for k in (0, 1)]
    ball = solid("ball", BALL, (at, 0, 0.05 + R), 0.7, linear_velocity=(0, 0, -3.0))
    joint = Joint("joint", kind, "rod 0", "rod 1", (0, 0, 0), LYING)
    mechanism = in_space([*bodies, ball], restitution=restitution, joints=[joint])
    masses = np.array([1.0, 2.0, 0.7])
    inertias = np.stack([m * moments_per_mass(b.shape)[0] for m, b in zip(masses, mechanism.bodies, strict=True)])
    tied = TiedBodies(masses, inertias, np.array([b.position for b in mechanism.bodies]))
    tied.tie_points(0, 1, np.zeros(3))
    if kind in ("revolute", "fixed"):
        tied.tie_turns(0, 1, (0, 1, 0))
    if kind == "fixed":
        tied.rows.append(tied.turn_row(1, (0, 1, 0)) - tied.turn_row(0, (0, 1, 0)))
    return mechanism, tied, np.array([at, 0, 0.05])


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("at", [0.1, 0.8])
@pytest.mark.parametrize("kind", ["spherical", "revolute", "fixed"])
def test_an_impulse_goes_through_a_joint(kind, at, restitution):
    mechanism, tied, point = pair_and_ball(kind, at, restitution)
    before = np.zeros((3, 6))
    before[2, 5] = -3.0
    expected = tied.after(before, 2, 1, point, (0, 0, -1), restitution)
    recording = at_once(mechanism)
    got = np.concatenate([recording.angular_velocity[1], recording.linear_velocity[1]], axis=1)
    assert got == pytest.approx(expected, abs=1e-5)
    assert np.abs(expected[0]).max() > 0.1  # the far rod feels it


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_an_impulse_goes_through_a_long_chain_on_a_wall(restitution):
    """Ten links on ball joints, the first one on the world, hit at the last one."""
    count, half = 10, 0.25
    bodies = [solid(f"link {k}", Box(half_size=(half, 0.04, 0.04)), ((2 * k + 1) * half, 0, 0)) for k in range(count)]
    ball = solid("ball", BALL, ((2 * count - 0.6) * half, 0.0, 0.04 + R), 5.0, linear_velocity=(0, 0, -3.0))
    joints = [
        Joint(f"joint {k}", "spherical", f"link {k - 1}" if k else None, f"link {k}", (2 * k * half, 0, 0))
        for k in range(count)
    ]
    mechanism = in_space([*bodies, ball], restitution=restitution, joints=joints)
    masses = np.array([body.mass for body in mechanism.bodies])
    inertias = np.array([body.inertia for body in mechanism.bodies])
    tied = TiedBodies(masses, inertias, np.array([body.position for body in mechanism.bodies]))
    for k in range(count):
        tied.tie_points(k - 1 if k else None, k, (2 * k * half, 0, 0))
    before = np.zeros((count + 1, 6))
    before[-1, 5] = -3.0
    point = np.array([(2 * count - 0.6) * half, 0, 0.04])
    expected = tied.after(before, count, count - 1, point, (0, 0, -1), restitution)
    recording = at_once(mechanism)
    got = np.concatenate([recording.angular_velocity[1], recording.linear_velocity[1]], axis=1)
    assert got == pytest.approx(expected, abs=1e-5)


def galperin(ratio: float, small_at: float = 1.0):
    """A heavy ball drives a light one at a wall, both on rails: blows count the digits of pi (Galperin 2003)."""
    bodies = [
        fixed("wall", Box(half_size=(1.0, 1.0, 1.0)), (-1.0, 0.0, 0.0)),
        solid("small", BALL, (small_at, 0.0, 0.0)),
        solid("large", BALL, (2.0, 0.0, 0.0), ratio, linear_velocity=(-1.0, 0.0, 0.0)),
    ]
    joints = [
        Joint(name, "prismatic", None, name, (0.0, 0.0, 0.0), orientation=LYING_ALONG) for name in ("small", "large")
    ]
    return in_space(bodies, joints=joints)


@pytest.mark.parametrize("substeps", [1, 2, 8, 60])
@pytest.mark.parametrize(("ratio", "blows"), [(1.0, 3), (100.0, 31), (400.0, 62), (10000.0, 314)])
def test_blows_of_a_heavy_ball_on_a_light_one_count_digits_of_pi(ratio, blows, substeps):
    recording = run(galperin(ratio), 8.0, substeps=substeps)
    assert len(recording.impact_time) == blows
    energy = recording.kinetic_energy
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)


@pytest.mark.parametrize("ratio", [400.0, 10000.0])
def test_blows_between_what_touches_run_to_and_fro_at_once(ratio):
    """The light ball lies at the wall: all blows fall on one moment, and the heavy ball comes back as fast."""
    recording = run(galperin(ratio, small_at=R), 4.0, substeps=2)
    energy = recording.kinetic_energy
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)
    assert recording.linear_velocity[-1, 2, 0] == pytest.approx(1.0, abs=2.0 / np.sqrt(ratio))
    assert not any("impacts" in note for note in recording.notes)


def test_blows_that_are_too_many_are_ended_and_that_is_said():
    recording = run(galperin(1e8, small_at=R), 4.0, substeps=2)
    (note,) = (note for note in recording.notes if "impacts" in note)
    lost = recording.kinetic_energy[0] - recording.kinetic_energy[-1]
    assert "from 1.7" in note
    assert f"took {lost:.2g} J" in note


def test_a_smooth_ball_gives_its_speed_and_keeps_its_spin():
    cue = solid("cue", BALL, (-0.5, 0, R), linear_velocity=(2.0, 0, 0), angular_velocity=(0, 2.0 / R, 0))
    recording = run(on_ground([cue, solid("object", BALL, (0.0, 0, R))], 0.0, 1.0), 1.0)
    assert recording.linear_velocity[-1, :, 0] == pytest.approx([0.0, 2.0], abs=0.01)
    assert recording.angular_velocity[-1, :, 1] == pytest.approx([2.0 / R, 0.0], abs=0.05)
