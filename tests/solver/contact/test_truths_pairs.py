# SPDX-License-Identifier: GPL-3.0-or-later
"""Who meets whom: jointed bodies, pairs to be ignored, keyed bodies that push, bullets and thin walls."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism
from solver.mechanism import Box, Contact, Cylinder, Joint, Keys, Material, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.scenes import LYING, in_space, meets_bodies, on_ground, row_of_links, run, stack, wall
from tests.solver.contact.solids import fixed, solid

pytestmark = meets_bodies

CUBE = Box(half_size=(0.25, 0.25, 0.25))


def overlapping_pendulum(contact: bool) -> Mechanism:
    """Three bars that overlap at their hinges, swinging from the world."""
    bar = Box(half_size=(0.3, 0.05, 0.05))
    bodies, joints = row_of_links("bar", 3, (0.25, 0, 2.0), (0.5, 0, 0), bar, "revolute")
    for joint in joints:
        joint.orientation = LYING
    joints.append(Joint("nail", "revolute", None, "bar 0", (0, 0, 2.0), LYING))
    post = fixed("post", Box(half_size=(0.1, 0.1, 0.1)), (0, 0, 2.0))
    bodies.append(post)
    joints[-1].parent = "post"
    return Mechanism(bodies=bodies, joints=joints, contact=Contact(enabled=contact))


def test_bodies_joined_by_a_joint_do_not_touch():
    free, other = (run(overlapping_pendulum(contact), 0.5) for contact in (True, False))
    assert free.position == pytest.approx(other.position, abs=1e-6)


def test_bodies_two_joints_apart_do_touch():
    """A chain of cubes that is bent back on itself cannot pass through itself."""
    bodies, joints = row_of_links("cube", 3, (0, 0, 0), (0.6, 0, 0), CUBE, "revolute")
    bodies[2].position, bodies[2].linear_velocity = (0.3, 0, 0.55), (0.0, 0.0, -1.0)
    joints[1].position = (0.6, 0, 0.275)
    joints[0].orientation = joints[1].orientation = LYING
    mechanism = in_space(bodies, 0.3, 0.0, joints=joints)
    recording = run(mechanism, 1.0)
    last = [gauges.overlap_of(mechanism, recording, frame, "cube 0", "cube 2") for frame in range(24)]
    assert max(last) < 2.5e-3


def test_pairs_to_be_ignored_do_not_touch():
    slab = fixed("slab", Box(half_size=(1, 1, 0.1)), (0, 0, 0.9))
    bodies = [slab, solid("ghost", CUBE, (-0.4, 0, 1.5)), solid("cube", CUBE, (0.4, 0, 1.5))]
    mechanism = on_ground(bodies, 0.5)
    mechanism.contact.ignore = (("slab", "ghost"),)
    recording = run(mechanism, 2.0)
    assert recording.position[-1, :, 2] == pytest.approx([0.9, 0.25, 1.25], abs=1e-3)


def test_contact_that_is_off_is_off():
    mechanism = on_ground([solid("cube", CUBE, (0, 0, 0.3))], 0.5)
    mechanism.contact.enabled = False
    assert run(mechanism, 1.0).position[-1, 0, 2] == pytest.approx(0.3 - 0.5 * 9.81, abs=0.02)


def test_surfaces_mix_by_the_geometric_mean():
    """A block of friction 0.2 on a slab of 0.8 slides as on 0.4; balls of restitution 0.4 and 0.9 part with 0.6."""
    slab = fixed("slab", Box(half_size=(4, 1, 0.1)), (0, 0, -0.1), material=Material(0.8, 0.0))
    block = solid("block", Box(half_size=(0.3, 0.2, 0.05)), (-2, 0, 0.05), material=Material(0.2, 0.0),
                  linear_velocity=(3.0, 0, 0))  # fmt: skip
    recording = run(Mechanism(bodies=[slab, block], contact=Contact()), 1.5)
    assert recording.position[-1, 1, 0] + 2.0 == pytest.approx(9.0 / (2 * 0.4 * 9.81), rel=0.01)
    balls = [solid(f"ball {k}", Sphere(radius=0.1), (0.3 * k, 0, 0)) for k in range(2)]
    mechanism = in_space(balls)
    balls[0].material, balls[1].material = Material(0.0, 0.4), Material(0.0, 0.9)
    balls[0].linear_velocity = (1.0, 0, 0)
    assert run(mechanism, 0.5).linear_velocity[-1, :, 0] == pytest.approx([0.2, 0.8], abs=1e-3)


def pushed(times, xs, **given):
    """A keyed box along X at these times."""
    keys = Keys(times, [(x, 0.0, 0.25) for x in xs], [(1.0, 0.0, 0.0, 0.0)] * len(times))
    return fixed("pusher", Box(half_size=(0.5, 0.8, 0.25)), (xs[0], 0.0, 0.25), motion="keyed", keys=keys, **given)


def test_a_keyed_body_ploughs_through_blocks():
    """A car at 3 m/s through a wall of blocks."""
    times = np.linspace(0.0, 2.0, 49)
    car = pushed(times, -2.0 + 3.0 * times)
    blocks = [
        solid(f"block {i} {k}", Box(half_size=(0.1, 0.1, 0.1)), (0.0, 0.2 * i - 0.4, 0.1 + 0.2 * k))
        for i in range(5) for k in range(3)
    ]  # fmt: skip
    mechanism = on_ground([car, *blocks], 0.4)
    recording = run(mechanism, 2.0)
    assert recording.position[:, 0, 0] == pytest.approx(-2.0 + 3.0 * recording.times, abs=1e-6)
    front = recording.position[-1, 0, 0] + 0.5
    low = [k for k, body in enumerate(mechanism.bodies) if body.name.endswith(" 0")]
    assert np.all(recording.position[-1, low, 0] > front)  # those in its way are before it, none inside
    assert max(gauges.overlap(mechanism, recording, frame) for frame in range(0, 49, 2)) < 1e-3
    assert gauges.sinking(mechanism, recording) < 1e-3


def test_a_keyed_body_carries_by_friction_and_drops_what_it_tips_off():
    times = np.linspace(0.0, 2.0, 49)
    tray = pushed(times, 0.2 * times**2)  # 0.4 m/s2, which friction of 0.5 holds
    cup = solid("cup", Cylinder(radius=0.1, half_length=0.1), (0, 0, 0.6))
    recording = run(on_ground([tray, cup], 0.5), 2.0)
    ride = recording.position[:, 1] - recording.position[:, 0]
    assert np.abs(ride[:, 0]).max() < 2e-3
    assert np.ptp(ride[:, 2]) < 1e-3


@pytest.mark.parametrize("speed", [50.0, 500.0])
def test_a_bullet_does_not_pass_a_thin_wall(speed):
    bullet = solid("bullet", Sphere(radius=0.01), (-3.0, 0.03, 0.02), 0.01, linear_velocity=(speed, 0, 0))
    mechanism = in_space([wall("wall", (0.005, 1.0, 1.0), (0, 0, 0)), bullet], 0.3, 0.0)
    recording = run(mechanism, 0.25)
    assert recording.position[:, 1, 0].max() < -0.005
    assert recording.position[-1, 1, 0] > -0.1  # it did get there
    assert abs(recording.linear_velocity[-1, 1, 0]) < 0.01 * speed


def test_a_bullet_passes_beside_the_wall():
    """What might be met but is not, does not slow anything down."""
    bullet = solid("bullet", Sphere(radius=0.01), (-3.0, 0.0, 1.05), 0.01, linear_velocity=(500.0, 0, 0))
    mechanism = in_space([wall("wall", (0.005, 1.0, 1.0), (0, 0, 0)), bullet], 0.3, 0.0)
    recording = run(mechanism, 0.25)
    assert recording.linear_velocity[-1, 1] == pytest.approx([500.0, 0.0, 0.0], abs=1e-6)


def test_a_bullet_does_not_pass_a_swinging_door():
    door = solid("door", Box(half_size=(0.01, 0.5, 1.0)), (0, 0.5, 0), 5.0)
    hinge = Joint("hinge", "revolute", None, "door", (0, 0, 0))
    bullet = solid("bullet", Sphere(radius=0.02), (-5.0, 0.8, 0.1), 0.02, linear_velocity=(200.0, 0, 0))
    mechanism = in_space([door, bullet], 0.0, 0.5, joints=[hinge])
    recording = run(mechanism, 0.2)
    assert recording.linear_velocity[-1, 1, 0] < 0.0
    spin = 5.0 * (0.02**2 + 1.0**2) / 12.0 + 5.0 * 0.25
    kept = spin * -recording.angular_velocity[-1, 0, 2] + 0.02 * 0.8 * recording.linear_velocity[-1, 1, 0]
    assert kept == pytest.approx(0.02 * 0.8 * 200.0, rel=1e-3)


def test_fast_things_do_not_pass_the_ground():
    ball = solid("ball", Sphere(radius=0.01), (0, 0, 5.0), linear_velocity=(30.0, 0, -500.0))
    mechanism = on_ground([ball], 0.0)
    recording = run(mechanism, 0.5)
    assert gauges.sinking(mechanism, recording) < 1e-3
    assert recording.position[-1, 0, 2] == pytest.approx(0.01, abs=1e-3)
    assert recording.linear_velocity[-1, 0, 0] == pytest.approx(30.0)


def test_a_stack_on_a_fixed_slab_stands_as_on_the_ground():
    slab = fixed("slab", Box(half_size=(1, 1, 0.1)), (0, 0, -0.1))
    mechanism = in_space([slab, *stack([CUBE] * 4, [1.0] * 4)], 0.5, 0.0)
    mechanism.gravity = (0.0, 0.0, -9.81)
    recording = run(mechanism, 2.0)
    assert gauges.strayed(recording) < 1e-3
    assert gauges.fastest(recording, since=1.0) < 1e-3
