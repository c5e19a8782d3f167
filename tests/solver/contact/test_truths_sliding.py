# SPDX-License-Identifier: GPL-3.0-or-later
"""Coulomb friction on the ground: where blocks stop, and on which incline they hold.

An incline is level ground under a gravity that leans.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import Box, Cylinder, Hull
from tests.solver.contact import gauges
from tests.solver.contact.scenes import meets_bodies, on_ground, run, sloping, turned
from tests.solver.contact.solids import fixed, solid
from tests.truths.sliding import Incline, slide, stopping_distance, stopping_time

FLAT = Box(half_size=(0.3, 0.2, 0.05))
SHAPES = {
    "box": FLAT,
    "cylinder": Cylinder(radius=0.3, half_length=0.05),
    "hull": Hull(points=[(x, y, z) for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.05, 0.05)]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("speed", "friction"), [(3.0, 0.3), (5.0, 0.8)])
def test_a_block_stops_where_friction_has_its_energy(shape, speed, friction):
    block = solid("block", SHAPES[shape], (0, 0, 0.05), mass=2.0, linear_velocity=(speed, 0, 0))
    recording = run(on_ground([block], friction), stopping_time(speed, friction) + 0.5)
    way, distance = recording.position[:, 0, 0], stopping_distance(speed, friction)
    assert way[-1] == pytest.approx(distance, rel=0.01)
    assert way == pytest.approx(slide(speed, friction, recording.times), abs=0.01 * distance)
    assert np.abs(recording.linear_velocity[-1, 0]).max() < 1e-6
    assert np.ptp(recording.position[-6:, 0], axis=0).max() < 1e-6  # it holds


def test_friction_has_no_favourite_direction():
    ways = []
    for angle in (0.0, 0.3, 0.6, 0.25 * np.pi, 1.9):
        heading = np.array([np.cos(angle), np.sin(angle), 0.0])
        block = solid("block", Cylinder(radius=0.3, half_length=0.02), (0, 0, 0.02), linear_velocity=3.0 * heading)
        recording = run(on_ground([block], 0.4), 1.2)
        ways.append(recording.position[-1, 0])
        assert abs(ways[-1] @ np.cross(heading, [0, 0, 1])) < 2e-3
    assert np.linalg.norm(ways, axis=1)[:] == pytest.approx(stopping_distance(3.0, 0.4), rel=0.01)


@pytest.mark.parametrize("friction", [0.2, 0.5, 1.0])
@pytest.mark.parametrize("part", [0.98, 1.02])
def test_a_block_holds_or_slides_on_the_right_side_of_the_angle(friction, part):
    plane = Incline(np.arctan(part * friction), friction)
    block = solid("block", FLAT, (0, 0, 0.05))
    recording = run(on_ground([block], friction, gravity=sloping(plane.slope)), 2.0)
    if plane.holds:
        assert gauges.strayed(recording) < 1e-4
        assert gauges.fastest(recording) < 1e-4
    else:
        expected = 0.5 * plane.block * recording.times**2
        assert recording.position[:, 0, 0] == pytest.approx(expected, abs=0.1 * expected[-1])


@pytest.mark.parametrize(("slope", "friction"), [(0.5, 0.2), (0.8, 0.5), (0.3, 0.0)])
def test_a_block_slides_downhill_as_fast_as_it_should(slope, friction):
    plane = Incline(slope, friction)
    recording = run(on_ground([solid("block", FLAT, (0, 0, 0.05))], friction, gravity=sloping(slope)), 1.5)
    assert recording.linear_velocity[:, 0, 0] == pytest.approx(plane.block * recording.times, abs=0.02)


def test_a_block_that_is_pushed_uphill_comes_to_rest_and_stays():
    plane = Incline(0.3, 0.5)
    block = solid("block", FLAT, (0, 0, 0.05), linear_velocity=(-3.0, 0, 0))
    recording = run(on_ground([block], 0.5, gravity=sloping(0.3)), 2.0)
    braking = 9.81 * (np.sin(0.3) + 0.5 * np.cos(0.3))
    assert plane.holds
    assert recording.position[-1, 0, 0] == pytest.approx(-(3.0**2) / (2 * braking), rel=0.01)
    assert np.ptp(recording.position[-24:, 0], axis=0).max() < 1e-5


@pytest.mark.parametrize(
    ("half_width", "half_height", "slope", "friction"),
    [(0.1, 0.3, 0.25, 0.9), (0.1, 0.3, 0.36, 0.9), (0.1, 0.3, 0.36, 0.3), (0.3, 0.1, 0.6, 0.5), (0.3, 0.1, 0.4, 0.5)],
)
def test_a_box_tips_slides_or_stands(half_width, half_height, slope, friction):
    box = solid("box", Box(half_size=(half_width, 0.2, half_height)), (0, 0, half_height))
    recording = run(on_ground([box], friction, gravity=sloping(slope)), 1.5)
    upright = gauges.turns(recording, 0)[:, 2, 2]
    moved = recording.position[-1, 0, 0]
    outcome = "tips" if upright[-1] < 0.5 else "slides" if moved > 0.05 else "stands"
    assert outcome == Incline(slope, friction).box(half_width, half_height)
    if outcome == "stands":
        assert gauges.strayed(recording) < 1e-3


@meets_bodies
@pytest.mark.parametrize("part", [0.98, 1.02])
def test_a_block_on_a_fixed_ramp_does_what_it_does_on_an_incline(part):
    plane, s = Incline(np.arctan(part * 0.5), 0.5), np.arctan(part * 0.5)
    orientation, up = turned((0, 1, 0), s), np.array([np.sin(s), 0.0, np.cos(s)])
    ramp = fixed("ramp", Box(half_size=(3.0, 1.0, 0.2)), (0, 0, 2.0), orientation=orientation)
    block = solid("block", FLAT, np.array([0, 0, 2.0]) + 0.25 * up, orientation=orientation)
    recording = run(on_ground([ramp, block], 0.5), 2.0)
    if plane.holds:
        assert gauges.strayed(recording) < 1e-3
    else:
        way = (recording.position[:, 1] - recording.position[0, 1]) @ [np.cos(s), 0.0, -np.sin(s)]
        expected = 0.5 * plane.block * recording.times**2
        assert way == pytest.approx(expected, abs=0.1 * expected[-1])
