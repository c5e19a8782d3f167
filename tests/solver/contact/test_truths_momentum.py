# SPDX-License-Identifier: GPL-3.0-or-later
"""Linear and angular momentum are kept by a collision of free linkages, to rounding; energy it may not gain."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism
from solver.mechanism import Box, Capsule, Contact
from tests.solver.contact import gauges
from tests.solver.contact.random_loops import random_loops
from tests.solver.contact.scenes import LYING, at_once, in_space, meets_bodies, row_of_links, run

pytestmark = meets_bodies

RODS = {"boxes": Box(half_size=(0.2, 0.05, 0.05)), "capsules": Capsule(radius=0.05, half_length=0.15)}
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X
KEPT = 1e-10


def two_chains(shape: str, kind: str, gap: float, restitution: float, friction: float):
    """A chain along X that rests, and one along Y that comes down on it, both loose in space."""
    form = RODS[shape]
    turn = {"orientation": ALONG_X} if shape == "capsules" else {}
    lower, joints = row_of_links("lower", 4, (-0.75, 0, 0), (0.5, 0, 0), form, kind, **turn)
    across = {"orientation": LYING if shape == "capsules" else (0.5**0.5, 0, 0, 0.5**0.5)}
    upper, more = row_of_links("upper", 3, (0.25, -0.45, 0.1 + gap), (0, 0.5, 0), form, kind, **across)
    for body in upper:
        body.linear_velocity, body.mass = (0.3, 0.2, -2.0), 1.5
        body.inertia = (1.5 * np.array(body.inertia)).tolist()
    return in_space(lower + upper, friction, restitution, joints=joints + more)


def kept(mechanism, recording) -> tuple[float, float]:
    """Largest change of linear and of angular momentum, in parts of what is exchanged."""
    linear, angular = gauges.momentum(mechanism, recording)
    size = np.abs(linear[0]).max()
    return np.abs(linear - linear[0]).max() / size, np.abs(angular - angular[0]).max() / size


@pytest.mark.parametrize("restitution", [0.0, 0.7])
@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("kind", ["spherical", "revolute", "universal"])
@pytest.mark.parametrize("shape", RODS)
def test_an_impulse_keeps_momentum(shape, kind, friction, restitution):
    mechanism = two_chains(shape, kind, 0.0, restitution, friction)
    recording = at_once(mechanism)
    hit = list(recording.body_names).index("lower 2")
    assert recording.linear_velocity[1, hit, 2] < -0.1
    assert max(kept(mechanism, recording)) < KEPT
    energy = gauges.energy(mechanism, recording)
    assert energy[1] <= energy[0] * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", ["spherical", "revolute"])
@pytest.mark.parametrize("shape", RODS)
def test_a_collision_keeps_momentum_all_the_way(shape, kind):
    """Before, while and after free linkages meet."""
    mechanism = two_chains(shape, kind, 0.2, 0.5, 0.5)
    recording = run(mechanism, 1.0)
    moved = recording.linear_velocity[-1, list(recording.body_names).index("lower 0")]
    assert np.linalg.norm(moved) > 0.01
    linear, angular = kept(mechanism, recording)
    assert linear < KEPT
    assert angular < KEPT


def test_joints_do_not_open_in_a_collision():
    mechanism = two_chains("boxes", "spherical", 0.2, 0.5, 0.5)
    recording = run(mechanism, 1.0)
    for joint in mechanism.joints:
        ends = []
        for name in (joint.parent, joint.child):
            k = gauges.number_of(recording, name)
            turn = gauges.turns(recording, k)
            arm = turn[0].T @ (np.array(joint.position) - recording.position[0, k])
            ends.append(recording.position[:, k] + turn @ arm)
        assert np.abs(ends[0] - ends[1]).max() < 1e-9


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5, 6, 7])
def test_closed_linkages_keep_momentum_in_a_collision(seed):
    """Of two rings with tails and chains across, one of which is thrown at the other: contact, and loops that close."""
    lower, upper = random_loops(seed), random_loops(seed + 8)
    apart = np.array([0.0, 0.0, 0.1 + np.ptp([body.position[2] for body in lower.bodies])])
    for part in (*upper.bodies, *upper.joints):
        part.name, part.position = f"upper {part.name}", part.position + apart
    for joint in upper.joints:
        joint.parent, joint.child = f"upper {joint.parent}", f"upper {joint.child}"
    for body in upper.bodies:
        body.linear_velocity = body.linear_velocity - np.array([0.0, 0.0, 1.0])
    joints = [*lower.joints, *upper.joints]
    mechanism = Mechanism(bodies=[*lower.bodies, *upper.bodies], joints=joints, contact=Contact(), gravity=(0, 0, 0))
    recording = run(mechanism, 1.0)
    assert len(recording.impact_time)
    assert max(kept(mechanism, recording)) < KEPT
    energy = gauges.energy(mechanism, recording)
    assert np.max(energy - np.minimum.accumulate(energy)) < 1e-4 * energy[0]
