# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses between frames: true ones, jumps of velocity where they are, and the same motion as if nobody looked."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Action, Body, Contact, Ground, Joint, Material, Motor, Sphere
from solver.simulation import recording_assembly
from solver.simulation.live import LiveRun
from solver.simulation.recording import Recording
from solver.simulation.recording_assembly import cross
from tests.solver.simulation.hurrying import assert_same_bits

RATE = 24.0
LYING = (0.5**0.5, -(0.5**0.5), 0.0, 0.0)  # turns local Z into world Y


def ball(**given) -> Mechanism:
    given = {"position": (0.0, 0.0, 1.0), "linear_velocity": (0.3, 0.0, 0.0), **given}
    bouncy = Material(friction=0.0, restitution=0.8)
    body = Body("ball", mass=1.0, inertia=(0.004,) * 3, shape=Sphere(radius=0.1), material=bouncy, **given)
    return Mechanism(bodies=[body], contact=Contact(ground=Ground(friction=0.0, restitution=0.8)))


def swinging(**joint) -> Mechanism:
    """A rod that hangs on a hinge, and is let go level."""
    hinge = Joint("hinge", type="revolute", parent=None, child="rod", position=(0, 0, 0), orientation=LYING, **joint)
    rod = Body("rod", mass=1.0, inertia=(0.001, 0.09, 0.09), position=(0.5, 0.0, 0.0))
    return Mechanism(bodies=[rod], joints=[hinge])


def assert_same_motion(alone: Recording, watched: Recording) -> None:
    assert_same_bits(alone, dataclasses.replace(watched, between=[]))


@pytest.mark.parametrize(
    "integrator", [pytest.param("adams", marks=pytest.mark.fallback), "runge-kutta", "implicit", "variational"]
)
def test_samples_are_the_motion_and_do_not_change_it(integrator):
    mechanism = swinging()
    alone = simulate(mechanism, 1.0, RATE, integrator=integrator)
    watched = simulate(mechanism, 1.0, RATE, integrator=integrator, between=3)
    if integrator != "runge-kutta":  # which ends its steps at frames, and takes them as they come
        assert_same_motion(alone, watched)
    (between,) = watched.between
    finely = simulate(mechanism, 1.0, 64.0 * RATE, relative=1e-9)
    place, speed = (
        np.stack([np.interp(between.times, finely.times, each[:, 0, k]) for k in range(3)], axis=1)
        for each in (finely.position, finely.linear_velocity)
    )
    assert between.position[:, 0] == pytest.approx(place, abs=2e-4)
    assert between.velocity[:, 0, :3] == pytest.approx(speed, abs=2e-3)
    if integrator == "adams":
        assert between.times == pytest.approx(np.setdiff1d(np.arange(96), np.arange(0, 96, 4)) / (4 * RATE))
        assert len(between.jump_times) == 0


def test_a_bounce_is_told_where_and_when_it_is_with_the_speeds_of_both_sides():
    mechanism = ball()
    watched = simulate(mechanism, 0.7, RATE, between=3)
    assert_same_motion(simulate(mechanism, 0.7, RATE), watched)
    (between,) = watched.between
    fall = np.sqrt(2.0 * 0.9 / 9.81)
    assert between.jump_times[0] == pytest.approx(fall, abs=1e-4)
    assert between.jump_position[0] == pytest.approx((0.3 * fall, 0.0, 0.1), abs=1e-3)
    assert between.velocity_before[0, :3] == pytest.approx((0.3, 0.0, -9.81 * fall), abs=2e-3)
    bounce = -watched.linear_velocity[0, 0, 2] + between.velocity_after[0, 2]
    after = between.times > fall
    flight = between.times[after] - fall
    height = 0.1 + bounce * flight - 0.5 * 9.81 * flight**2
    assert between.position[after, 0, 2] == pytest.approx(height, abs=2e-3)


@pytest.mark.fallback
def test_a_rod_that_meets_its_limit_jumps_there():
    mechanism = swinging(limits=[(-3.0, 1.0)])
    watched = simulate(mechanism, 0.6, RATE, integrator="adams", between=3)
    assert_same_motion(simulate(mechanism, 0.6, RATE, integrator="adams"), watched)
    (between,) = watched.between
    angle = watched.joint_coordinates[:, 0]
    stopped = watched.times[np.flatnonzero(angle > 1.0 - 1e-6)[0]]
    assert len(between.jump_times) == 1
    assert stopped - 1.0 / RATE <= between.jump_times[0] <= stopped
    energy = 0.5 * (0.09 + 0.25) * between.velocity_before[0, 4] ** 2
    assert energy == pytest.approx(9.81 * 0.5 * np.sin(1.0), rel=1e-4), "all that it has fallen"
    assert between.velocity_after[0] == pytest.approx(np.zeros(6), abs=1e-6)


def test_nothing_stays_of_steps_that_an_action_has_cut():
    """A jet is switched on far within a step of Adams: samples behind it must not be those of gliding on."""
    mechanism = Mechanism(gravity=(0, 0, 0), bodies=[Body("block", mass=2.0, inertia=(0.3, 0.4, 0.5))])
    mechanism.forces = [Motor("jet", body="block", point=(0, 0, 0), force=(400.0, 0, 0), enabled=False)]
    mechanism.actions = [Action(0.51, "jet", {"enabled": True})]
    (between,) = simulate(mechanism, 1.0, RATE, between=3).between
    pushed = np.maximum(between.times - 0.51, 0.0)
    assert between.position[:, 0, 0] == pytest.approx(100.0 * pushed**2, abs=1e-5)


def test_a_live_run_tells_the_same():
    mechanism = ball()
    live = LiveRun(mechanism, RATE, between=3)
    live.advance(14, np.inf)
    run, again = live.recording().between[0], simulate(mechanism, 14 / RATE, RATE, between=3).between[0]
    count = len(again.times)
    assert (run.times[:count] == again.times).all()
    assert (run.position[:count] == again.position).all()
    assert (run.velocity_before[: len(again.jump_times)] == again.velocity_before).all()


@pytest.mark.parametrize("kinds", [(np.float32, np.float32), (np.float32, np.float64), (np.float64, np.float64)])
def test_cross_products_are_those_of_numpy_to_the_bit(kinds):
    first, second = (np.random.default_rng(5).normal(size=(50, 4, 3)).astype(kind) for kind in kinds)
    np.testing.assert_array_equal(cross(first, second[::-1]), np.cross(first, second[::-1]))
    assert cross(first, second).dtype == np.cross(first, second).dtype


def test_many_linkages_have_their_samples_worked_out_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one they took a quarter of the solver's time for 5,000 loose bodies."""
    bodies = [
        Body(name=f"body {i}", mass=1.0, inertia=(1.0, 1.1, 1.2), position=(i, 0, 0), angular_velocity=(i, 1, 2))
        for i in range(12)
    ]
    calls, own_samples = [], recording_assembly._own_samples

    def counted(*arrays):
        calls.append(arrays)
        return own_samples(*arrays)

    monkeypatch.setattr(recording_assembly, "_own_samples", counted)
    together = simulate(Mechanism(bodies=bodies), 0.5, RATE, between=3).between
    assert len(calls) == 1
    monkeypatch.setattr(recording_assembly, "_AT_ONCE", 1)
    alone = simulate(Mechanism(bodies=bodies), 0.5, RATE, between=3).between
    assert len(calls) == 1 + len(bodies)
    for one, other in zip(together, alone, strict=True):
        assert len(one.times)
        for name, values in vars(one).items():
            assert values.shape == getattr(other, name).shape
            assert values.tobytes() == getattr(other, name).tobytes()
