# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that roll on the ground: bowling balls, balls and rolls on inclines, rolls that go on for ever."""

from __future__ import annotations

import numpy as np
import pytest

from solver.mechanism import Capsule, Cylinder, Sphere
from tests.solver.contact import gauges
from tests.solver.contact.scenes import LYING, on_ground, run, sloping
from tests.solver.contact.solids import solid
from tests.truths.sliding import BowlingBall, Incline

R = 0.2
# name: (shape, orientation, gyration); a hoop is a cylinder whose mass is all on its rim
ROUND = {
    "ball": (Sphere(radius=R), (1, 0, 0, 0), 0.4),
    "cylinder": (Cylinder(radius=R, half_length=0.3), LYING, 0.5),
    "hoop": (Cylinder(radius=R, half_length=0.3), LYING, 1.0),
    "capsule": (Capsule(radius=R, half_length=0.3), LYING, None),
}


def roll(kind: str, **given):
    """(body, gyration): it rolls along X, about the world's Y."""
    shape, orientation, gyration = ROUND[kind]
    body = solid("roll", shape, (0, 0, R), orientation=orientation, **given)
    if kind == "hoop":
        body.inertia = (0.1, 0.1, body.mass * R**2)
    if kind == "capsule":
        gyration = np.array(body.inertia)[2, 2] / (body.mass * R**2)
    return body, gyration


@pytest.mark.parametrize(("speed", "spin"), [(5.0, 0.0), (2.0, -40.0), (1.0, 30.0)])
def test_a_bowling_ball_slides_and_then_rolls(speed, spin):
    truth = BowlingBall(speed, spin, R, 0.3)
    ball, _ = roll("ball", linear_velocity=(speed, 0, 0), angular_velocity=(0, spin, 0))
    recording = run(on_ground([ball], 0.3), truth.rolls_from + 1.0)
    t = recording.times
    assert recording.linear_velocity[:, 0, 0] == pytest.approx(truth.velocity(t), abs=0.02 * abs(speed))
    assert R * recording.angular_velocity[:, 0, 1] == pytest.approx(R * truth.turn(t), abs=0.02 * abs(R * spin - speed))
    rolls = t > truth.rolls_from + 0.05
    assert recording.linear_velocity[rolls, 0, 0] == pytest.approx(truth.rolling_speed, abs=0.005 * abs(speed))
    assert recording.position[-1, 0, 0] == pytest.approx(truth.place(t[-1]), abs=0.02 * abs(speed))


@pytest.mark.parametrize("kind", ROUND)
def test_what_rolls_goes_on_rolling(kind):
    body, _ = roll(kind, linear_velocity=(2.0, 0, 0), angular_velocity=(0, 2.0 / R, 0))
    recording = run(on_ground([body], 0.5), 5.0)
    v, w = recording.linear_velocity[:, 0], recording.angular_velocity[:, 0]
    assert v[:, 0] == pytest.approx(2.0, rel=1e-3)
    assert v[:, 0] == pytest.approx(R * w[:, 1], abs=2e-3)
    assert np.abs(v[:, 1:]).max() < 2e-3
    assert recording.position[-1, 0, 0] == pytest.approx(10.0, rel=1e-3)


@pytest.mark.parametrize("kind", ROUND)
@pytest.mark.parametrize("slope", [0.2, 0.6])
def test_it_rolls_down_without_slip(kind, slope):
    body, gyration = roll(kind)
    plane = Incline(slope, 0.6)
    assert plane.grips(gyration)
    recording = run(on_ground([body], 0.6, gravity=sloping(slope)), 1.5)
    v, w = recording.linear_velocity[:, 0], recording.angular_velocity[:, 0]
    assert v[:, 0] == pytest.approx(plane.roll(gyration) * recording.times, abs=0.02)
    assert v[:, 0] == pytest.approx(R * w[:, 1], abs=0.01)


@pytest.mark.parametrize("kind", ["ball", "cylinder", "hoop"])
@pytest.mark.parametrize("part", [0.9, 1.1])
def test_it_slips_on_the_right_side_of_its_angle(kind, part):
    body, gyration = roll(kind)
    plane = Incline(np.arctan(part * 0.3 * (1.0 + 1.0 / gyration)), 0.3)
    recording = run(on_ground([body], 0.3, gravity=sloping(plane.slope)), 1.0)
    speed, turn = recording.linear_velocity[-1, 0, 0], recording.angular_velocity[-1, 0, 1]
    slip = speed - R * turn
    assert speed == pytest.approx(plane.roll(gyration), rel=0.01)
    assert turn == pytest.approx(plane.turn(gyration, R), rel=0.02)
    assert slip == pytest.approx(plane.roll(gyration) - R * plane.turn(gyration, R), abs=0.01 * speed)


def test_a_ball_that_rolls_neither_sinks_nor_lifts():
    ball, _ = roll("ball", linear_velocity=(2.0, 0, 0), angular_velocity=(0, 2.0 / R, 0))
    mechanism = on_ground([ball], 0.5)
    heights = gauges.lowest(mechanism, run(mechanism, 3.0), "roll")
    assert np.abs(heights).max() < 1e-3
