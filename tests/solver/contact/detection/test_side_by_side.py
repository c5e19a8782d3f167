# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules and cylinders that lie along each other: points at both ends, however exactly they are parallel."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection.collision import Collision
from solver.contact.detection.face_manifold import faces_of
from solver.mechanism.bodies import Capsule, Cylinder
from tests.solver.contact.detection.placing import AT_ORIGIN, UP, bodies_at, deepest, found, halved, part
from tests.solver.contact.scenes import meets_bodies

pytestmark = meets_bodies

R, H = 0.1, 0.5
RODS = {"capsule": Capsule(radius=R, half_length=H), "cylinder": Cylinder(radius=R, half_length=H)}
LYING = Rotation.from_rotvec((0.0, np.pi / 2, 0.0))  # the axis along X


def _points(kinds, center, turn: Rotation):
    parts = [part(k + 1, RODS[kind]) for k, kind in enumerate(kinds)]
    search = Collision(parts, 1, set(), faces_of(parts))
    bodies = bodies_at(AT_ORIGIN, ((0.0, 0.0, 0.0), LYING), (center, turn * LYING))
    return found(lambda room, first: search.find(bodies, halved(0.03, bodies), room, first), 2)


def _gap(place, axis) -> float:
    """m: of a ball of radius R around a place, to a rod of the same radius about a segment through the origin."""
    t = np.clip(place @ axis, -H, H)
    return float(np.linalg.norm(place - t * axis)) - 2.0 * R


@pytest.mark.parametrize("angle", [0.0, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.03])
@pytest.mark.parametrize("about", ["up", "across"])
@pytest.mark.parametrize("kinds", [(a, b) for a in RODS for b in RODS], ids="-".join)
def test_both_ends_of_the_shared_length_have_a_point(kinds, about, angle):
    """With the gap that is there. The upper rod is shifted by 0.3 along, so they share 0.7 of their length of 1."""
    axis = UP if about == "up" else np.array((0.0, 1.0, 0.0))
    turn = Rotation.from_rotvec(angle * axis)
    center = np.array((0.3, 0.0, 2.0 * R - 1e-4))
    points = _points(kinds, center, turn)
    along = turn.apply((1.0, 0.0, 0.0))
    for end in (-0.2, 0.5):
        place = center + (end - 0.3) / along[0] * along
        gap = _gap(place, np.array((1.0, 0.0, 0.0)))
        near = [point for point in points if abs(point.position[0] - end) < 0.06]
        if gap < 0.025:
            assert min(abs(point.gap - gap) for point in near) < 1e-3 * R + 0.06 * angle
    if about == "up":
        best = -1e-4
    else:
        best = min(_gap(center + t * along, np.array((1.0, 0.0, 0.0))) for t in np.linspace(-H, H, 2001))
    assert deepest(points).gap == pytest.approx(best, abs=2e-3 * R)
    for point in points:
        assert point.gap > best - 2e-3 * R


@pytest.mark.parametrize("kinds", [(a, b) for a in RODS for b in RODS], ids="-".join)
def test_points_move_on_as_rods_turn(kinds):
    """From parallel to crossed, ends go up without a jump until they are out of reach."""
    gaps = []
    for angle in np.linspace(0.0, 0.2, 41):
        points = _points(kinds, np.array((0.0, 0.0, 2.0 * R - 1e-4)), Rotation.from_rotvec(angle * UP))
        assert deepest(points).gap == pytest.approx(-1e-4, abs=1e-3 * R)
        gaps.append(max(point.gap for point in points if abs(point.position[0]) > 0.4 or len(points) == 1))
    near = np.array([gap for gap in gaps if gap > -0.9e-4])
    assert len(near) > 10
    assert np.diff(near).min() > -1e-9 or near.argmax() == len(near) - 1
    assert np.abs(np.diff(near[: near.argmax() + 1])).max() < 0.01


@pytest.mark.parametrize("kind", RODS)
def test_crossed_rods_have_one_point(kind):
    points = _points((kind, kind), np.array((0.1, 0.05, 2.0 * R - 1e-4)), Rotation.from_rotvec((0.0, 0.0, 1.2)))
    assert len(points) == 1
    assert points[0].gap == pytest.approx(-1e-4, abs=1e-3 * R)


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9, -1e-9])
@pytest.mark.parametrize("aside", [0.0, 0.014, 0.03])
def test_cylinders_end_on_end_have_no_point_of_their_sides(depth, aside):
    """They overlap by next to nothing, and share that much of their length: a hammer's head that meets a peg."""
    head, peg = Cylinder(radius=0.07, half_length=0.1), Cylinder(radius=0.03, half_length=0.15)
    parts = [part(1, head), part(2, peg)]
    search = Collision(parts, 1, set(), faces_of(parts))
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, ((aside, 0.0, 0.25 - depth), (0.0, 0.0, 0.0)))
    points = found(lambda room, first: search.find(bodies, halved(0.03, bodies), room, first), 2)
    assert points
    for point in points:
        assert point.gap == pytest.approx(-depth, abs=1e-6)
        assert point.normal[2] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("kind", RODS)
@pytest.mark.parametrize("tilt", [0.0, 1e-6, 1e-3, 0.02])
@pytest.mark.parametrize("is_second", [False, True])
def test_both_ends_of_a_rod_on_a_disc_have_a_point(kind, tilt, is_second):
    """It comes down on one end; the other is there as well, with the gap that it has."""
    disc = Cylinder(radius=1.0, half_length=0.05)
    shapes = [RODS[kind], disc] if is_second else [disc, RODS[kind]]
    parts = [part(k + 1, shape) for k, shape in enumerate(shapes)]
    turn = Rotation.from_rotvec((0.0, tilt, 0.0)) * LYING
    lift = H * np.sin(tilt) + (R if kind == "capsule" else R * np.cos(tilt))
    poses = [((0.2, 0.1, 0.05 + lift), turn), AT_ORIGIN]
    bodies = bodies_at(AT_ORIGIN, *(poses if is_second else poses[::-1]))
    search = Collision(parts, 1, set(), faces_of(parts))
    points = found(lambda room, first: search.find(bodies, halved(0.03, bodies), room, first), 2)
    for end in (0.5, -0.5):
        gap = H * np.sin(tilt) * (1.0 - np.sign(end))
        near = [point for point in points if abs(point.position[0] - 0.2 - end) < 0.06]
        assert len(near) == 1
        assert near[0].gap == pytest.approx(gap, abs=1e-4)
        assert abs(near[0].normal[2]) == pytest.approx(1.0, abs=3e-3)
