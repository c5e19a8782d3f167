# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages on the ground: impulses from below that go through joints, chains that fall and lie, cans on a string."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from solver.mechanism import Box, Capsule, Cylinder, Joint, Keys
from tests.solver.contact import gauges
from tests.solver.contact.scenes import LYING, at_once, meets_bodies, on_ground, row_of_links, run
from tests.solver.contact.solids import fixed, solid
from tests.truths.tied_impact import TiedBodies

ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X


def open_joints(mechanism, recording) -> float:
    """m: the largest distance of a joint's two points over all frames and joints."""
    worst = 0.0
    for joint in mechanism.joints:
        ends = []
        for name in (joint.parent, joint.child):
            k = gauges.number_of(recording, name)
            turn = gauges.turns(recording, k)
            arm = turn[0].T @ (np.array(joint.position) - recording.position[0, k])
            ends.append(recording.position[:, k] + turn @ arm)
        worst = max(worst, float(np.linalg.norm(ends[0] - ends[1], axis=1).max()))
    return worst


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_a_pair_lands_on_one_end(kind, restitution):
    """An elbow falls with the foot of one rod on a smooth floor; the other rod hangs on it and feels the impulse."""
    lean, rod = 1.0, Capsule(radius=1e-6, half_length=0.5)
    c, s = np.cos(lean), np.sin(lean)
    turn = (np.cos(0.5 * (0.5 * np.pi - lean)), 0.0, np.sin(0.5 * (0.5 * np.pi - lean)), 0.0)
    moments = np.diag([1 / 12.0, 1 / 12.0, 1e-2])
    lower = solid("lower", rod, (0.5 * c, 0.0, 0.5 * s + 1e-6), orientation=turn)
    upper = solid("upper", rod, (c + 0.5, 0.0, s + 1e-6), 2.0, orientation=ALONG_X)
    lower.inertia, upper.inertia = moments.tolist(), (2.0 * moments).tolist()
    lower.linear_velocity = upper.linear_velocity = (0.0, 0.0, -3.0)
    joint = Joint("elbow", kind, "lower", "upper", (c, 0, s + 1e-6), LYING)
    recording = at_once(on_ground([lower, upper], 0.0, restitution, joints=[joint]))
    axes = gauges.turns(recording, 0)[0], gauges.turns(recording, 1)[0]
    inertias = np.stack([m * axis @ moments @ axis.T for m, axis in zip((1.0, 2.0), axes, strict=True)])
    tied = TiedBodies(np.array([1.0, 2.0]), inertias, recording.position[0])
    tied.tie_points(0, 1, joint.position)
    if kind == "revolute":
        tied.tie_turns(0, 1, (0, 1, 0))
    before = np.tile([0, 0, 0, 0, 0, -3.0], (2, 1))
    expected = tied.after(before, None, 0, (0, 0, 0), (0, 0, 1), restitution)
    got = np.concatenate([recording.angular_velocity[1], recording.linear_velocity[1]], axis=1)
    assert got == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_a_pair_of_links_falls_and_lies(kind):
    bodies, joints = row_of_links("link", 2, (0, 0, 0.5), (0.4, 0, 0.2), Box(half_size=(0.15, 0.05, 0.05)), kind)
    joints[0].orientation = LYING
    mechanism = on_ground(bodies, 0.5, 0.3, joints=joints)
    recording = run(mechanism, 4.0)
    assert gauges.sinking(mechanism, recording) < 1e-3
    assert open_joints(mechanism, recording) < 1e-9
    assert gauges.fastest(recording, since=3.5) < 1e-3
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-3 * energy[0]


@meets_bodies
@pytest.mark.parametrize("kind", ["spherical", "revolute"])
def test_a_chain_falls_in_a_heap_and_rests(kind):
    bodies, joints = row_of_links("link", 12, (0, 0, 0.6), (0, 0, 0.3), Box(half_size=(0.04, 0.04, 0.12)), kind)
    for joint, turn in zip(joints, itertools.cycle((LYING, ALONG_X)), strict=False):
        joint.orientation = turn
    bodies[0].linear_velocity = (0.3, 0.1, 0.0)
    mechanism = on_ground(bodies, 0.5, 0.1, joints=joints)
    recording = run(mechanism, 6.0)
    assert gauges.sinking(mechanism, recording) < 1e-3
    assert open_joints(mechanism, recording) < 1e-9
    assert gauges.fastest(recording, since=5.5) < 5e-3
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-3 * energy[0]


@meets_bodies
@pytest.mark.parametrize("substeps", [10, None])
@pytest.mark.parametrize("count", [10, 50])
def test_a_level_chain_falls_and_lies(count, substeps):
    """All links land at nearly the same time, which couples all their contacts."""
    shape = Box(half_size=(0.08, 0.03, 0.03))
    bodies, joints = row_of_links("link", count, (0, 0, 0.2), (0.2, 0, 0), shape)
    for k, body in enumerate(bodies):
        body.position = np.array(body.position) + (0.0, 0.0, 0.002 * (k % 3))
    mechanism = on_ground(bodies, 0.5, joints=joints)
    recording = run(mechanism, 1.5, substeps=substeps)
    assert recording.position[-1, :, 2] == pytest.approx(0.03, abs=5e-3)  # bent links lie a little askew
    assert gauges.sinking(mechanism, recording) < 1e-3
    energy = gauges.energy(mechanism, recording)
    assert np.diff(energy).max() < 1e-3 * energy[0]


@meets_bodies
def test_cans_on_a_string_bounce_behind_a_car():
    """Eight cans on ball joints, pulled at up to 5 m/s: they stay above the road and together."""
    times = np.linspace(0.0, 4.0, 97)
    place = np.where(times < 2.0, 1.25 * times**2, 5.0 * (times - 1.0))
    keys = Keys(times, [(x, 0.0, 0.3) for x in place], [(1.0, 0.0, 0.0, 0.0)] * len(times))
    car = fixed("car", Box(half_size=(0.2, 0.2, 0.1)), (0, 0, 0.3), motion="keyed", keys=keys)
    can = Cylinder(radius=0.033, half_length=0.06)
    cans, joints = row_of_links("can", 8, (-0.4, 0, 0.034), (-0.16, 0, 0), can, orientation=ALONG_X, mass=0.05)
    joints.append(Joint("hook", "spherical", "car", "can 0", (-0.32, 0, 0.034)))
    mechanism = on_ground([car, *cans], 0.5, 0.3, joints=joints)
    recording = run(mechanism, 4.0)
    assert gauges.sinking(mechanism, recording) < 1e-3
    assert open_joints(mechanism, recording) < 1e-8
    follows = recording.position[-1, 1:, 0] - recording.position[-1, 0, 0]
    assert follows.max() < -0.2
    assert np.all(np.diff(follows) < 0.0)
    assert recording.linear_velocity[-24:, 1:, 0].mean() == pytest.approx(5.0, rel=0.1)
