# SPDX-License-Identifier: GPL-3.0-or-later
"""The polygon that faces of two boxes or hulls share: all its corners, with their gaps, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver.contact.detection import collision as adapter
from solver.contact.detection.collision import Collision
from solver.contact.detection.face_manifold import faces_of
from solver.mechanism.bodies import Box, Cylinder, Hull, Sphere
from tests.solver.contact.detection.placing import AT_ORIGIN, bodies_at, found, halved, part

pytestmark = pytest.mark.skipif(adapter.unavailable() is not None, reason=str(adapter.unavailable()))
LOW, HIGH = Box(half_size=(0.5, 0.5, 0.5)), Box(half_size=(0.3, 0.2, 0.1))


def points_of(pose, low=LOW, high=HIGH, reach=0.1):
    bodies = bodies_at(AT_ORIGIN, AT_ORIGIN, pose)
    parts = [part(1, low), part(2, high)]
    search = Collision(parts, 1, set(), faces_of(parts))
    return found(lambda points, first: search.find(bodies, halved(reach, bodies), points, first), 2)


@pytest.mark.parametrize("angle", [0.0, 1e-4, 0.01, 0.1, 0.3])
def test_all_corners_of_a_tilted_face_are_there_if_they_are_near(angle):
    turn = Rotation.from_rotvec((0.0, angle, 0.0))
    points = points_of(((0.0, 0.0, 0.5 + 0.1 + 0.3 * np.sin(angle)), turn), reach=1.0)
    bottom = turn.apply([(x, y, -0.1) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]) + (0, 0, 0.1 + 0.3 * np.sin(angle))
    for corner in bottom:
        nearest = min(points, key=lambda point: np.hypot(*(np.array(point.position) - (*corner[:2], 0.0))[:2]))
        assert np.hypot(*(np.array(nearest.position)[:2] - corner[:2])) < 0.1 * 0.4
        if np.hypot(*(np.array(nearest.position)[:2] - corner[:2])) < 1e-5:
            assert nearest.gap == pytest.approx(corner[2], abs=2e-6)
    assert all(abs(point.normal[2]) == pytest.approx(1.0, abs=1e-4) for point in points)


def test_a_face_that_hangs_over_is_cut_off_at_the_border():
    points = points_of(((0.4, 0.0, 0.601), Rotation.from_rotvec((0.0, 0.001, 0.0))))
    xs = sorted({round(point.position[0], 2) for point in points})
    assert xs == [0.1, 0.5]
    assert {round(point.position[1], 2) for point in points} == {-0.2, 0.2}


@pytest.mark.parametrize("roll", [0.3, 0.6, np.pi / 4])
@pytest.mark.parametrize("pitch", [0.1, 0.15, 0.2])
def test_a_bar_on_the_border_has_the_corner_that_comes_down_next(pitch, roll):
    """Its edge crosses the slab's, so no face lies along the normal; when that stops it, it turns about the border."""
    turn, bar = Rotation.from_rotvec((0.0, pitch, 0.0)) * Rotation.from_rotvec((roll, 0.0, 0.0)), (0.3, 0.05, 0.05)
    inner, outer = turn.apply([(-0.3, -0.05, -0.05), (0.3, -0.05, -0.05)])  # of its lowest edge
    crossing = inner + (0.5 - 0.4 - inner[0]) / (outer[0] - inner[0]) * (outer - inner)
    center = np.array([0.4, 0.0, 0.501 - crossing[2]])
    points = points_of((center, turn), high=Box(half_size=bar))
    (touching,) = (point for point in points if np.abs(point.position[:2] - (0.5, crossing[1])).max() < 1e-3)
    assert touching.normal == pytest.approx((np.sin(pitch), 0.0, np.cos(pitch)), abs=1e-4)
    corner = center + inner
    (coming,) = (point for point in points if np.abs(point.position[:2] - corner[:2]).max() < 1e-6)
    assert coming.gap == pytest.approx(corner[2] - 0.5, abs=1e-9)
    assert coming.normal == pytest.approx((0.0, 0.0, 1.0), abs=1e-9)


def test_an_edge_that_comes_down_is_held_at_both_ends_however_near_the_other_edge_is():
    """A card that leans a little: the corners of its lower edge are points, not those of the upper one, 1 cm beside."""
    random, card = np.random.default_rng(3), np.array((0.005, 0.2, 0.3))
    for _ in range(40):
        lean, yaw = random.uniform(0.02, 0.5), 10.0 ** random.uniform(-7, -4) * random.normal(size=2)
        turn = Rotation.from_rotvec((yaw[0], 0.0, yaw[1])) * Rotation.from_rotvec((0.0, lean, 0.0))
        ends = turn.apply([(0.005, y, -0.3) for y in (-0.2, 0.2)])
        center = np.array((*random.uniform(-0.1, 0.1, 2), 0.5 - ends[:, 2].min() + random.choice((-1e-4, 0.0, 1e-4))))
        points = points_of((center, turn), high=Box(half_size=tuple(card)))
        for end in center + ends:
            nearest = min(points, key=lambda point, at=end: np.linalg.norm(point.position - at))
            assert np.abs(nearest.position - end).max() < 1e-3
            assert nearest.gap == pytest.approx(end[2] - 0.5, abs=5e-5)


@pytest.mark.parametrize("pitch", [0.003, 0.01, 0.03])
def test_an_edge_that_lies_in_a_face_is_held_at_both_ends(pitch):
    """A bar's lowest edge across a slab, deeper at one border: the way out is along that border and the edge."""
    deep, shallow, turn = 0.02, 0.02 - pitch, Rotation.from_rotvec((0.0, pitch, 0.0))
    turn = turn * Rotation.from_rotvec((np.pi / 4, 0.0, 0.0))
    lowest = turn.apply((0.0, -0.1, -0.1))
    center = np.array([0.0, 0.0, 0.5 - 0.5 * (deep + shallow)]) - lowest
    points = points_of((center, turn), high=Box(half_size=(1.0, 0.1, 0.1)))
    ends = {round(float(point.position[0]), 2): point for point in points if abs(point.position[1]) < 1e-2}
    assert ends[0.5].gap == pytest.approx(-deep, rel=2e-2)
    if shallow > 0.0:
        assert ends[-0.5].gap == pytest.approx(-shallow, rel=2e-2)
    assert min(point.gap for point in points) > -1.02 * deep


@pytest.mark.parametrize("aside", [-1e-9, 0.0, 1e-9, 1e-6])
def test_what_lies_on_the_very_border_is_held_at_both_ends(aside):
    points = points_of(((0.5 + 0.3 + aside, 0.0, 0.6), (0.0, 0.0, 0.0)))
    assert sorted(round(point.position[1], 4) for point in points) == [-0.2, 0.2]
    assert all(point.gap == pytest.approx(0.0, abs=2e-6) for point in points)


def test_what_is_too_far_is_left_out():
    near = points_of(((0.0, 0.0, 0.7), Rotation.from_rotvec((0.0, 0.3, 0.0))), reach=0.05)
    assert near
    assert all(point.gap < 0.05 for point in near)
    assert len(near) == 2


def test_a_hull_of_the_same_corners_gives_the_same_points():
    pose = ((0.1, 0.05, 0.61), Rotation.from_rotvec((0.01, 0.02, 0.3)))
    corners = tuple((x, y, z) for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.1, 0.1))
    ours, theirs = points_of(pose), points_of(pose, high=Hull(points=corners))
    key = lambda point: tuple(np.round(point.position, 4))  # noqa: E731
    for a, b in zip(sorted(ours, key=key), sorted(theirs, key=key), strict=True):
        assert np.allclose(a.position, b.position, atol=1e-6)
        assert a.gap == pytest.approx(b.gap, abs=1e-6)


def test_faces_of_a_box_are_six_squares_seen_from_outside():
    faces = faces_of([part(1, LOW), part(2, Sphere(radius=1.0)), part(3, HIGH)])
    assert list(faces.of_part) == [0, 6, 6, 12]
    for face in range(12):
        ring = faces.corners[faces.start[face] : faces.start[face + 1]]
        assert len(ring) == 4
        turned = np.cross(ring[1] - ring[0], ring[2] - ring[1])
        assert turned @ faces.normal[face] == pytest.approx(np.linalg.norm(turned))


def test_rounding_does_not_choose_the_face_that_is_cut():
    """Of two that look at each other to the last digits; what hangs over by a little counts on one of them only."""
    rng, first = np.random.default_rng(1), None
    for _ in range(40):
        poses = [(place, Rotation.from_rotvec(rng.normal(0.0, 2e-8, 3))) for place in ((0, 0, 0), (0.55, 0.0, 1.0))]
        bodies, parts = bodies_at(AT_ORIGIN, *poses), [part(1, LOW), part(2, LOW)]
        search = Collision(parts, 1, set(), faces_of(parts))
        points = found(lambda points, start: search.find(bodies, halved(0.1, bodies), points, start), 2)  # noqa: B023
        corners = np.array(sorted((round(p.position[0], 5), round(p.position[1], 5)) for p in points))
        first = corners if first is None else first
        np.testing.assert_allclose(corners, first, atol=2e-5)


@pytest.mark.parametrize("lean", [0.0, 0.01, 0.1])
def test_a_bar_over_the_end_of_a_cylinder_touches_at_both_ends_of_its_edge(lean):
    """The collision engine names one point of an edge that is not quite level, now one end, now the other."""
    turn = Rotation.from_rotvec((0.0, lean, 0.0)) * Rotation.from_rotvec((0.4, 0.0, 0.0))
    edge = turn.apply([(x, -0.2, -0.1) for x in (-0.3, 0.3)])
    points = points_of(((0.1, 0.0, 0.5 - edge[:, 2].min()), turn), low=Cylinder(radius=1.0, half_length=0.5), reach=0.2)
    for end in edge + (0.1, 0.0, -edge[:, 2].min()):
        (there,) = (point for point in points if np.abs(point.position[:2] - end[:2]).max() < 1e-3)
        assert there.gap == pytest.approx(end[2], abs=1e-5)


def test_a_bar_across_the_end_of_a_cylinder_touches_where_its_edges_cross_the_rim():
    points = points_of(
        ((0.0, 0.0, 0.601), Rotation.from_rotvec((0.0, 1e-4, 0.0))),
        low=Cylinder(radius=0.25, half_length=0.5),
        high=Box(half_size=(0.6, 0.15, 0.1)),
    )
    places = np.array([point.position[:2] for point in points])
    for corner in [(x, y) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]:
        assert np.hypot(*(places - corner).T).min() < 0.01
    assert np.hypot(*places.T).max() < 0.2501


def test_a_slab_on_a_whole_cylinder_gets_no_corners():
    points = points_of(((0.0, 0.0, 0.6), Rotation.identity()), low=Cylinder(radius=0.1, half_length=0.5))
    assert max(np.hypot(*point.position[:2]) for point in points) < 0.1001
