# SPDX-License-Identifier: GPL-3.0-or-later
"""Cylinders that stand, lie, lean and roll on flat sides under soft contact."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Body, Box, Cylinder, Hull, Shape
from tests.solver.contact.scenes import GRAVITY, LYING, in_space, meets_bodies, sloping, turned
from tests.solver.contact.soft.test_soft import SINKING
from tests.solver.contact.solids import fixed, solid
from tests.truths.soft_contact import sinking

pytestmark = meets_bodies
RADIUS, HALF = 0.1, 0.15
CAN = Cylinder(radius=RADIUS, half_length=HALF)
BASE = Box(half_size=(1.0, 1.0, 0.5))
FLOORS = {
    "box": BASE,
    "hull": Hull(points=[(x, y, z) for z in (-0.5, 0.5) for x, y in ((-2, -1), (2, -1), (0, 3))]),
    "cylinder": Cylinder(radius=1.0, half_length=0.5),
    "narrow": Box(half_size=(0.06, 1.0, 0.5)),
}


def on_floor(
    bodies: list[Body], floor: Shape = BASE, friction: float = 0.5, restitution: float = 0.2, slope: float = 0.0
) -> Mechanism:
    """The floor's upper side is z = 0."""
    mechanism = in_space([fixed("floor", floor, (0, 0, -0.5)), *bodies], friction, restitution)
    mechanism.gravity = sloping(slope)
    return mechanism


def soft(mechanism: Mechanism, duration: float, integrator: str = "adams"):
    return simulate(mechanism, duration, 48.0, integrator=integrator)


def growth(recording) -> float:
    """The most that energy grew between two frames, over what it was at first."""
    energy = recording.kinetic_energy + recording.potential_energy
    return np.diff(energy).max() / energy[0]


def depth(corners: int, mass: float, size: float) -> float:
    return sinking(mass * GRAVITY, mass * GRAVITY / (SINKING * size) ** 1.5, corners)


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta"])
@pytest.mark.parametrize("floor", FLOORS)
def test_it_stands_as_deep_as_four_corners_do(floor, integrator):
    recording = soft(on_floor([solid("can", CAN, (0.01, 0.02, HALF), 2.0)], FLOORS[floor]), 1.0, integrator)
    size = min(RADIUS, 0.06) if floor == "narrow" else RADIUS
    assert HALF - recording.position[-1, 1, 2] == pytest.approx(
        depth(4, 2.0, size), rel=0.02 if floor == "narrow" else 1e-3
    )
    assert np.abs(recording.linear_velocity[-1, 1]).max() < 1e-6
    assert recording.contact_force[-1, 1, :3] == pytest.approx((0.0, 0.0, 2.0 * GRAVITY), abs=1e-3)
    assert growth(recording) < 1e-9


def test_what_is_smaller_stands_on_its_end():
    box = Box(half_size=(0.02, 0.03, 0.04))
    bodies = [solid("can", CAN, (0, 0, HALF), 2.0), solid("box", box, (0.05, 0.01, 2 * HALF + 0.04), 0.2)]
    recording = soft(on_floor(bodies), 0.6)
    assert recording.position[-1, 1:, 2] == pytest.approx((HALF, 2 * HALF + 0.04), abs=2e-4)
    assert np.abs(recording.linear_velocity[-1]).max() < 1e-5
    assert recording.contact_force[-1, 2, 2] == pytest.approx(0.2 * GRAVITY, rel=1e-4)


def test_cans_stand_on_each_other():
    cans = [solid(f"can {k}", CAN, (0.01 * k, 0, HALF + 2 * HALF * k), 2.0) for k in range(3)]
    recording = soft(on_floor(cans), 1.0)
    start = np.array([can.position for can in cans])
    assert recording.position[-1, 1:] == pytest.approx(start, abs=1e-3)
    assert growth(recording) < 1e-9


@pytest.mark.parametrize("floor", ["box", "hull"])
def test_it_rolls_down_on_its_side_as_it_should(floor):
    can = solid("can", CAN, (-0.6, 0, RADIUS), 2.0, orientation=LYING)
    recording = soft(on_floor([can], FLOORS[floor], slope=0.3), 0.5)
    speed = 2.0 / 3.0 * GRAVITY * np.sin(0.3) * recording.times
    assert recording.linear_velocity[:, 1, 0] == pytest.approx(speed, abs=3e-3)
    assert recording.angular_velocity[:, 1, 1] * RADIUS == pytest.approx(speed, abs=3e-3)
    assert growth(recording) < 1e-9


@pytest.mark.parametrize("off", [-0.03, 0.03])
def test_it_falls_over_where_its_middle_passes_the_rim(off):
    lean = np.arctan(RADIUS / HALF) + off
    height = HALF * np.cos(lean) + RADIUS * np.sin(lean)
    can = solid("can", CAN, (0, 0, height), 2.0, orientation=turned((0, 1, 0), lean))
    recording = soft(on_floor([can], friction=0.9, restitution=0.1), 1.5)
    assert recording.position[-1, 1, 2] == pytest.approx(HALF if off < 0.0 else RADIUS, abs=1e-3)
    assert growth(recording) < 1e-5


@pytest.mark.parametrize("off", [-0.03, 0.03])
def test_it_falls_over_where_the_slope_is_too_steep(off):
    can = solid("can", CAN, (-0.5, 0, HALF), 2.0)
    recording = soft(on_floor([can], friction=2.0, restitution=0.1, slope=np.arctan(RADIUS / HALF) + off), 1.0)
    upright = 1.0 - 2.0 * (recording.orientation[-1, 1, 1:3] ** 2).sum()
    assert (upright > 0.999) == (off < 0.0)
    assert growth(recording) < 1e-4


@pytest.mark.parametrize("over", [-0.02, 0.02])
def test_it_stands_over_the_border_as_far_as_its_middle_does(over):
    recording = soft(on_floor([solid("can", CAN, (1.0 + over, 0.02, HALF), 2.0)]), 0.5)
    if over < 0.0:
        assert recording.position[-1, 1] == pytest.approx((1.0 + over, 0.02, HALF), abs=1e-3)
    else:
        assert recording.position[-1, 1, 2] < HALF - 0.05
    assert growth(recording) < 1e-3


@pytest.mark.parametrize("lean", [0.02, 0.1, 0.3, 0.7, 1.2, 1.5])
def test_it_lands_without_gaining_energy(lean):
    can = solid("can", CAN, (0.01, 0.02, 0.35), 2.0, orientation=turned((0.6, 0.8, 0.0), lean))
    recording = soft(on_floor([can], restitution=0.4), 0.8)
    assert growth(recording) < 1e-5
    assert recording.position[-1, 1, 2] > 0.09


def test_a_coin_wobbles_down_without_gaining_energy():
    coin = Cylinder(radius=RADIUS, half_length=0.005)
    height = RADIUS * np.sin(0.25) + 0.006
    body = solid("coin", coin, (0, 0, height), 0.2, orientation=turned((1, 0, 0), 0.25), angular_velocity=(0, 0, 12))
    recording = soft(on_floor([body], restitution=0.5), 1.0)
    assert growth(recording) < 1e-5
    assert recording.position[-1, 1, 2] < 0.02
