# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed forms of tests/truths against the equations that they claim to solve, integrated or differentiated here.

DOP853 at relative 1e-12 leaves errors below 1e-10 of each quantity over these short times.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.truths.free_top import FreeTop
from tests.truths.heavy_top import SteadyTop
from tests.truths.pendulums import DoublePendulum, Pendulum
from tests.truths.straight_motion import Oscillator, damped_fall, parabola, screw_acceleration
from tests.truths.turning_base import BeadOnRod, carousel_tilt

TIMES = np.linspace(0.0, 5.0, 26)
INTEGRATED = 1e-10


def integrated(rates, start) -> np.ndarray:
    """(T, n): the solution of y' = rates(t, y) at TIMES."""
    return solve_ivp(rates, (0.0, TIMES[-1]), start, "DOP853", TIMES, rtol=1e-12, atol=1e-13).y.T


@pytest.mark.parametrize(
    ("inertia", "start"),
    [
        ((1.0, 2.0, 3.0), (0.3, 2.0, 0.4)),
        ((1.0, 2.0, 3.0), (0.3, -2.0, -0.4)),
        ((3.0, 1.0, 2.5), (0.7, -0.2, 1.1)),
        ((2.0, 3.0, 1.5), (0.2, -0.3, 1.9)),
        ((2.0, 1.5, 3.0), (-1.2, 0.5, -0.9)),
        ((1.0, 1.9, 2.2), (2.0, 0.1, -0.3)),
    ],
)
def test_free_top_solves_eulers_equations(inertia, start):
    I = np.array(inertia)

    def rates(_, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([np.cross(I * w, w) / I, (R @ cross).ravel()])

    first = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.2, -1.0, 1.0], [0.7, 0.1, 2.0]]))[0]
    first *= np.linalg.det(first)
    expected = integrated(rates, [*start, *first.ravel()])
    top = FreeTop(I, np.array(start))
    assert top.angular_velocity(TIMES) == pytest.approx(expected[:, :3], abs=INTEGRATED)
    assert top.orientation(TIMES, first).reshape(-1, 9) == pytest.approx(expected[:, 3:], abs=INTEGRATED)


def test_steady_top_keeps_the_balance_of_moments():
    top = SteadyTop(mass=1.3, across=0.05, along=0.02, distance=0.15, tilt=0.7, precession=1.9)
    step = 1e-4

    def momentum(time):
        R = top.orientation(time)
        return R @ np.diag([top.across, top.across, top.along]) @ R.T @ top.angular_velocity(time)

    for time in (0.0, 0.4, 1.7):
        center = top.distance * top.orientation(time)[:, 2]
        change = (momentum(time + step) - momentum(time - step)) / (2 * step)
        weight = np.cross(center, [0.0, 0.0, -top.mass * top.gravity])
        # central differences err by step^2 p^2 / 6 of the value
        assert change == pytest.approx(weight, abs=1e-7 * np.linalg.norm(weight))
        turning = (top.orientation(time + step) - top.orientation(time - step)) / (2 * step) @ top.orientation(time).T
        rate = [turning[2, 1], turning[0, 2], turning[1, 0]]
        assert rate == pytest.approx(top.angular_velocity(time), abs=step**2 * np.linalg.norm(rate) ** 3)
        acceleration = sum(
            weight * top.distance * top.orientation(time + k * step)[:, 2]
            for k, weight in ((-1, 1 / step**2), (0, -2 / step**2), (1, 1 / step**2))
        )
        force = top.mass * (acceleration + [0.0, 0.0, top.gravity])
        assert force == pytest.approx(top.support(time), abs=1e-5)  # rounding: 1e-16 / step^2


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.1])
def test_pendulum_solves_its_equation(amplitude):
    pendulum = Pendulum(amplitude, rate=3.0)
    expected = integrated(lambda _, y: [y[1], -9.0 * np.sin(y[0])], [amplitude, 0.0])
    assert pendulum.angle(TIMES) == pytest.approx(expected[:, 0], abs=10 * INTEGRATED)
    assert pendulum.speed(TIMES) == pytest.approx(expected[:, 1], abs=30 * INTEGRATED)
    after = pendulum.angle(np.array([0.5, 1.0, 2.0]) * pendulum.period)
    assert after == pytest.approx([-amplitude, amplitude, amplitude], abs=1e-9)
    # two terms of the series for small amplitudes, the third is below amplitude^4 / 100
    if amplitude < 0.5:
        assert pendulum.period == pytest.approx(2 * np.pi / 3.0 * (1 + amplitude**2 / 16), rel=amplitude**4 / 100)


def test_double_pendulum_keeps_its_energy_and_has_the_right_limits():
    pair = DoublePendulum((1.0, 0.7), (0.02, 0.03), (0.3, 0.2), 0.5)
    motion = integrated(lambda _, y: [*y[2:], *pair.accelerations(y[:2], y[2:])], [1.0, -2.0, 0.5, 3.0])
    energies = [pair.energy(y[:2], y[2:]) for y in motion]
    assert energies == pytest.approx([energies[0]] * len(energies), abs=1e-9)
    alone = DoublePendulum((1.0, 1e-12), (0.02, 1e-12), (0.3, 0.0), 0.5)
    second = alone.accelerations(np.array([0.8, 0.1]), np.array([1.0, 2.0]))
    assert second[0] == pytest.approx(-9.81 * 0.3 * np.sin(0.8) / (0.02 + 0.09), rel=1e-10)


def test_oscillator_solves_its_equation():
    oscillator = Oscillator(mass=2.0, stiffness=50.0, damping=1.5, force=-7.0, start=0.3, speed=-1.0)
    expected = integrated(lambda _, y: [y[1], (-50.0 * y[0] - 1.5 * y[1] - 7.0) / 2.0], [0.3, -1.0])
    assert oscillator.position(TIMES) == pytest.approx(expected[:, 0], abs=INTEGRATED)
    assert oscillator.velocity(TIMES) == pytest.approx(expected[:, 1], abs=10 * INTEGRATED)


def test_thrown_and_falling_bodies_solve_their_equations():
    start, velocity, gravity = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 8.0]), np.array([0.3, 0.0, -9.81])
    y = np.concatenate([start, velocity])
    free = integrated(lambda _, y: [*y[3:], *gravity], y)
    assert parabola(start, velocity, gravity, TIMES) == pytest.approx(free[:, :3], abs=100 * INTEGRATED)
    slowed = integrated(lambda _, y: [*y[3:], *(gravity - 0.4 * y[3:])], y)
    assert damped_fall(start, velocity, gravity, 0.4, TIMES) == pytest.approx(slowed[:, :3], abs=100 * INTEGRATED)


def test_screw_gains_what_gravity_gives():
    acceleration = screw_acceleration(mass=2.0, inertia=0.1, pitch=0.05, pull=4.0)
    angle, speed = 0.5 * acceleration, acceleration  # after one second from rest
    kinetic = 0.5 * 0.1 * speed**2 + 0.5 * 2.0 * (0.05 * speed) ** 2
    assert kinetic == pytest.approx(2.0 * 4.0 * 0.05 * angle, rel=1e-14)


def test_bead_on_a_rod_seen_from_outside():
    """In the resting frame nothing pulls along the rod, and the rod's push is all of the acceleration."""
    bead, step = BeadOnRod(mass=2.0, turn=1.3, start=0.2, speed=0.1), 1e-4

    def place(time):
        return bead.radius(time) * np.array([np.cos(bead.turn * time), np.sin(bead.turn * time)])

    for time in (0.0, 0.9, 2.0):
        acceleration = (place(time + step) - 2 * place(time) + place(time - step)) / step**2
        outward = np.array([np.cos(bead.turn * time), np.sin(bead.turn * time)])
        forward = np.array([-outward[1], outward[0]])
        assert acceleration @ outward == pytest.approx(0.0, abs=1e-6)
        assert 2.0 * acceleration @ forward == pytest.approx(bead.sideways_push(time), abs=1e-6)
        assert bead.outward_speed(time) == pytest.approx(
            (bead.radius(time + step) - bead.radius(time - step)) / (2 * step), rel=1e-7
        )


def test_carousel_balances_weight_against_the_turn():
    tilt = carousel_tilt(turn=2.0, radius=1.5, length=0.8)
    assert np.tan(tilt) == pytest.approx(4.0 * (1.5 + 0.8 * np.sin(tilt)) / 9.81, rel=1e-12)
    assert carousel_tilt(turn=1e-9, radius=1.5, length=0.8) == pytest.approx(1e-18 * 1.5 / 9.81, abs=1e-15)
