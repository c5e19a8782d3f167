# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops drawn a little off are put where they can move, by closed forms of when they can.

Four hinges turn if they are parallel, or meet in one point, be it far away, or are Bennett's. Drawings are off by a
known error, in axes and in positions; what they become must be exact to rounding and as near as the error.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism
from solver.mechanism import Body, Joint, Keys, Nail
from solver.model.linkage.nearly_redundant import ALLOWED, lined_up
from solver.model.poses import rotation_matrices, rotation_vector_quaternion
from solver.model.topology import find_linkages
from tests.solver.dynamics.loops.test_loops import linkage_of, quaternion
from tests.truths.closed_loops import bennett

pytestmark = pytest.mark.fallback
ERRORS = (1e-11, 1e-9, 1e-7, 1e-5, 1e-4)
ROUNDING = 5e-11  # conditions are met to 1e-13 over a walk, and follow from its poses with a condition of about 100
DOWN = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # z to -y: hinges of a linkage in the plane of x and z


def turned(axes: np.ndarray, theta: np.ndarray) -> tuple[float, ...]:
    return tuple(quaternion(rotation_matrices(rotation_vector_quaternion(theta))[0] @ axes))


def drawn_off(mechanism: Mechanism, error: float, seed: int) -> Mechanism:
    """The axes of all joints off by an angle (rad), their positions by up to as many m along each axis."""
    random, joints = np.random.default_rng(seed), []
    for joint in mechanism.joints:
        way = random.normal(size=3)
        axes = rotation_matrices(np.array(joint.orientation))[0]
        orientation = turned(axes, error * way / np.linalg.norm(way))
        position = tuple(np.array(joint.position) + error * random.uniform(-1.0, 1.0, 3))
        joints.append(dataclasses.replace(joint, position=position, orientation=orientation))
    return dataclasses.replace(mechanism, joints=joints)


def four_bar(*points: tuple[float, float]) -> Mechanism:
    """Three bars between four points (x, z), on hinges about -y."""
    places = [np.array([x, 0.0, z]) for x, z in points]
    bodies = [
        Body(f"bar {k}", mass=1.0 + 0.5 * k, inertia=(0.1, 0.1, 0.1), position=0.5 * (places[k] + places[k + 1]))
        for k in range(3)
    ]
    ends = [(None, "bar 0"), ("bar 0", "bar 1"), ("bar 1", "bar 2"), (None, "bar 2")]
    joints = [Joint(f"hinge {k}", "revolute", *ends[k], places[k], quaternion(DOWN)) for k in range(4)]
    return Mechanism(bodies=bodies, joints=joints)


def doubled_elbow() -> Mechanism:
    """An arm on the world whose elbow has two hinges on one axis."""
    parts = [("upper", (0, 0, -0.5)), ("fore", (0.3, 0, -1.3))]
    bodies = [Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=place) for name, place in parts]
    places = [(None, "upper", (0, 0, 0)), ("upper", "fore", (0, 0, -1)), ("upper", "fore", (0, 0.2, -1))]
    joints = [Joint(f"hinge {k}", "revolute", *place, quaternion(DOWN)) for k, place in enumerate(places)]
    return Mechanism(bodies=bodies, joints=joints)


FOUR_BAR = (0, 0), (0, 1), (2, 1.6), (1.5, 0)
PARALLELOGRAM = (0, 0), (0.5, -0.8), (1.7, -0.8), (1.2, 0)  # hangs, and does not fold
IN_LINE = (0, 0), (0.5, 0), (1.7, 0), (1.2, 0)


def placed(mechanism: Mechanism) -> tuple[np.ndarray, np.ndarray, list]:
    """(positions (J, 3), axes (J, 3), offsets) of its joints after lining up."""
    (linkage,) = find_linkages(mechanism)
    after, offsets = lined_up(mechanism, linkage)
    axes = rotation_matrices(np.array([joint.orientation for joint in after.joints]))[:, :, 2]
    return np.array([joint.position for joint in after.joints]), axes, offsets


def apart(positions: np.ndarray, axes: np.ndarray) -> float:
    """The distance of hinges from meeting in a point or being parallel (m): then any two of them are in one plane."""
    count = len(axes)
    pairs = [(positions[j] - positions[i]) @ np.cross(axes[i], axes[j]) for i in range(count) for j in range(i)]
    return float(np.abs(pairs).max())


def moved(mechanism: Mechanism) -> float:
    """The farthest that lining up puts a joint (m) or turns its axis (rad)."""
    positions, axes, _ = placed(mechanism)
    before = rotation_matrices(np.array([joint.orientation for joint in mechanism.joints]))[:, :, 2]
    drawn = np.array([joint.position for joint in mechanism.joints])
    return max(np.abs(positions - drawn).max(), np.abs(axes - before).max())


def foot(error: float) -> Mechanism:
    """A parallelogram 0.02 rad off the pose in which its bars are in line, with a ball at one corner.

    The hinge of its crank is off parallel by an error (rad). So is the drawing of Cassie's right foot.
    """
    mechanism = four_bar((0, 0), (0.5, 0), (1.7, 0.02), (1.2, 0.02))
    tilted = turned(DOWN, error * np.array([0.6, 0.0, 0.8]))
    joints = [dataclasses.replace(joint) for joint in mechanism.joints]
    joints[0] = dataclasses.replace(joints[0], orientation=tilted)
    joints[2] = dataclasses.replace(joints[2], type="spherical")
    return dataclasses.replace(mechanism, joints=joints)


@pytest.mark.parametrize("error", [1e-9, 1e-7, 1e-5])
def test_hinges_become_parallel_beside_a_pose_in_line(error):
    _, axes, (offset,) = placed(foot(error))
    hinges = axes[[0, 1, 3]]
    assert np.abs(np.cross(hinges, hinges[0])).max() < 1e-15
    assert offset.is_mended
    assert offset.angle == pytest.approx(error, rel=0.5)


def test_a_pose_in_line_alone_is_no_error():
    assert placed(foot(0.0))[2] == []


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("points", [FOUR_BAR, PARALLELOGRAM])
def test_hinges_of_a_flat_linkage_become_parallel(points, error):
    for seed in range(2):
        mechanism = drawn_off(four_bar(*points), error, seed)
        _, axes, (offset,) = placed(mechanism)
        assert np.abs(np.cross(axes, axes[0])).max() < 1e-15
        assert 0.1 * error < moved(mechanism) < 2.0 * error
        assert offset.is_mended
        assert offset.stands
        assert 0.1 * error < offset.angle < 2.0 * error


@pytest.mark.parametrize("error", ERRORS)
def test_hinges_of_a_spherical_linkage_meet_in_a_point(error):
    tips = np.array([[0, 0, 1], [0.6, 0, 0.8], [0.5, 0.7, 0.5], [-0.2, 0.6, 0.77]])
    tips /= np.linalg.norm(tips, axis=1, keepdims=True)
    mechanism = four_bar(*FOUR_BAR)
    for joint, tip in zip(mechanism.joints, tips, strict=True):
        across = np.cross(tip, [0.6, 0.0, -0.8])
        across /= np.linalg.norm(across)
        joint.position, joint.orientation = tuple(tip), quaternion(np.array([across, np.cross(tip, across), tip]).T)
    for k, body in enumerate(mechanism.bodies):
        body.position = tuple(0.5 * (tips[k] + tips[k + 1]))
    positions, axes, _ = placed(drawn_off(mechanism, error, 3))
    across = np.eye(3) - axes[:, :, None] * axes[:, None, :]
    point = np.linalg.solve(across.sum(axis=0), np.einsum("kij,kj->i", across, positions))
    assert np.linalg.norm(np.einsum("kij,kj->ki", across, positions - point), axis=1).max() < ROUNDING


@pytest.mark.parametrize("error", ERRORS)
def test_bennett_linkages_become_bennett_linkages(error):
    positions, axes, _ = placed(drawn_off(linkage_of(bennett(0.8, 0.6, 1.1, 1.0), 1.0), error, 5))
    lengths, twists = [], []
    for k in range(4):
        a, b, way = axes[k], axes[(k + 1) % 4], positions[(k + 1) % 4] - positions[k]
        normal = np.cross(a, b)
        lengths.append(abs(way @ normal) / np.linalg.norm(normal))
        twists.append(np.linalg.norm(normal))
    assert lengths[0] == pytest.approx(lengths[2], abs=ROUNDING)
    assert lengths[1] == pytest.approx(lengths[3], abs=ROUNDING)
    assert twists[0] == pytest.approx(twists[2], abs=ROUNDING)
    assert lengths[0] * twists[1] == pytest.approx(lengths[1] * twists[0], abs=ROUNDING)


@pytest.mark.parametrize("error", ERRORS)
def test_a_hinge_and_its_double_get_one_axis(error):
    mechanism = drawn_off(doubled_elbow(), error, 1)
    positions, axes, _ = placed(mechanism)
    assert np.abs(np.cross(axes[1], axes[2])).max() < ROUNDING
    assert np.abs(np.cross(axes[1], positions[2] - positions[1])).max() < ROUNDING
    assert (positions[0] == mechanism.joints[0].position).all()  # it is in no loop


@pytest.mark.parametrize("error", ERRORS)
def test_loops_on_keyed_bodies_follow_them(error):
    angles, times = np.linspace(0.0, 2.0, 9), np.linspace(0.0, 1.0, 9)
    mechanism = four_bar(*FOUR_BAR)
    turns = [turned(np.eye(3), np.array([0.0, -angle, 0.0])) for angle in angles]
    centers = [tuple(rotation_matrices(np.array(q))[0] @ np.array([0, 0, 0.5])) for q in turns]
    mechanism.bodies[0] = Body("bar 0", "keyed", keys=Keys(tuple(times), tuple(centers), tuple(turns)))
    del mechanism.joints[0]
    positions, axes, _ = placed(drawn_off(mechanism, error, 2))
    hub = np.append(positions, [[0.0, 0.0, 0.0]], axis=0)  # that of the keys, which is not to be changed
    assert apart(hub, np.append(axes, [[0.0, -1.0, 0.0]], axis=0)) < ROUNDING
    assert np.abs(axes[:, [0, 2]]).max() < 3.0 * error


@pytest.mark.parametrize("points", [FOUR_BAR, PARALLELOGRAM, IN_LINE])
def test_exact_drawings_stay_as_they_are(points):
    mechanism = four_bar(*points)
    (linkage,) = find_linkages(mechanism)
    assert lined_up(mechanism, linkage) == (mechanism, [])


def test_a_singular_pose_is_no_error_of_a_drawing():
    """Bars nearly in line: the singular value is as small as an error's, and grows on the way."""
    mechanism = four_bar((0, 0), (1, 0), (2, 1e-5), (3, 0))
    (linkage,) = find_linkages(mechanism)
    assert lined_up(mechanism, linkage) == (mechanism, [])


def test_loops_without_a_condition_too_many_stay_as_they_are():
    """Between a keyed body and the world, by two balls and a hinge: eleven conditions on two bodies."""
    mechanism = four_bar(*FOUR_BAR)
    keys = Keys((0.0, 1.0), ((0, 0, 0.5), (0.1, 0, 0.5)), ((1, 0, 0, 0), (1, 0, 0, 0)))
    mechanism.bodies[0] = Body("bar 0", "keyed", keys=keys)
    del mechanism.joints[0]
    mechanism.joints[0].type = mechanism.joints[2].type = "spherical"
    (linkage,) = find_linkages(mechanism)
    assert lined_up(mechanism, linkage) == (mechanism, [])


@pytest.mark.parametrize("ends", [1, 2])
def test_a_long_chain_of_hinges_that_ends_in_a_point_is_flat(ends):
    """With one nail it has a condition too many; with two, its first joint missing, it swings about them."""
    bodies = [Body(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k + 0.5, 0.0, 0.0)) for k in range(40)]
    pairs = [(f"link {k - 1}" if k else None, f"link {k}") for k in range(ends - 1, 40)]
    joints = [Joint(f"hinge {c}", "revolute", p, c, (float(c[5:]), 0.0, 0.0), quaternion(DOWN)) for p, c in pairs]
    nails = [Nail(f"nail {k}", body=f"link {39 * k}", point=(40.0 * k, 0.0, 0.0)) for k in range(2 - ends, 2)]
    mechanism = drawn_off(Mechanism(bodies=bodies, joints=joints, constraints=nails), 1e-7, 1)
    (linkage,) = find_linkages(mechanism)
    after, offsets = lined_up(mechanism, linkage)
    z = np.array([rotation_matrices(np.array(joint.orientation))[0][:, 2] for joint in after.joints])
    assert len(offsets) == 2 - ends
    assert np.abs(np.cross(z, z[0])).max() < 1e-15 if ends == 1 else np.abs(np.cross(z, z[0])).max() > 1e-8


def test_what_is_farther_off_stays_and_is_named():
    mechanism = drawn_off(four_bar(*FOUR_BAR), 20.0 * ALLOWED, 0)
    (linkage,) = find_linkages(mechanism)
    after, (offset,) = lined_up(mechanism, linkage)
    assert after is mechanism
    assert not offset.is_mended
    assert offset.stands
    assert 5.0 * ALLOWED < offset.angle < 40.0 * ALLOWED
    assert {mechanism.joints[j].name for j in offset.joints} <= {f"hinge {k}" for k in range(4)}
