# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed forms of tests/truths against the equations that they claim to solve, integrated or differentiated here.

DOP853 at relative 1e-12 leaves errors below 1e-10 of each quantity over these short times.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.truths import tyres
from tests.truths.bicycle import BENCHMARK, coefficients, rates
from tests.truths.car import Car
from tests.truths.closed_loops import (
    HingeLoop,
    SliderCrank,
    bennett,
    hooke_angle,
    kaleidocycle,
)
from tests.truths.critical_damping import gap
from tests.truths.differential_shoulder import GRAVITY, Part, angles_of_hand, efforts, hand_of_angles, motor_torques
from tests.truths.free_top import FreeTop
from tests.truths.hanging_chain import HangingChain
from tests.truths.heavy_top import SteadyTop
from tests.truths.jumps import ShakenBlock
from tests.truths.nonlinear import duffing_period, quadratic_stop, rebound_speed
from tests.truths.pendulums import DoublePendulum, Pendulum
from tests.truths.planar_linkages import JANSEN, freudenstein, jansen
from tests.truths.pulled_chain import Wanted, cost, settled_middles
from tests.truths.straight_motion import Oscillator, damped_fall, parabola, screw_acceleration
from tests.truths.transmissions import (
    atwood,
    carrier_of_differential,
    carrier_of_planetary,
    rack_acceleration,
    swinging_atwood,
    train_acceleration,
)
from tests.truths.turning_base import BeadOnRod, carousel_tilt
from tests.truths.wires import Cycloid, Helix

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


def second_difference(place, time: float, step: float = 1e-3) -> np.ndarray:
    """The acceleration of `place(time)` to the fourth order: it errs by step^4 / 90 of the sixth derivative."""
    weights = np.array([-1, 16, -30, 16, -1]) / (12 * step**2)
    return weights @ np.array([place(time + k * step) for k in range(-2, 3)])


@pytest.mark.parametrize("time", [0.2, 0.9])
def test_beads_on_wires_feel_weight_and_a_push_across_the_wire(time):
    gravity = np.array([0.0, 0.0, -9.81])
    helix = Helix(radius=0.4, rise=0.15)
    push = helix.push(2.0, [time])[0]
    assert 2.0 * second_difference(lambda t: helix.point(helix.angle(t)), time) == pytest.approx(
        2.0 * gravity + push, abs=1e-6
    )
    angle = helix.angle(time)
    tangent = helix.point(angle + 1e-5) - helix.point(angle - 1e-5)
    assert push @ tangent / np.linalg.norm(tangent) == pytest.approx(0.0, abs=1e-8)
    speed = (helix.angle(time + 1e-5) - helix.angle(time - 1e-5)) / 2e-5
    assert helix.angular_speed(time) == pytest.approx(speed, rel=1e-8)

    cycloid, start = Cycloid(radius=0.3), 2.0
    wheel = cycloid.wheel(start, time)
    normal = np.array([-np.sin(0.5 * wheel), 0.0, np.cos(0.5 * wheel)])
    acceleration = second_difference(lambda t: cycloid.point(cycloid.wheel(start, t)), time)
    pushed = gravity + cycloid.push(1.0, start, time) * normal
    assert acceleration == pytest.approx(pushed, abs=1e-6)


def test_hanging_chain_balances_every_rod():
    chain = HangingChain(rods=7, length=0.3, weight=2.0, span=(1.2, 0.25))
    joints, pulls = chain.joints(), chain.pulls()
    assert joints[-1] == pytest.approx([1.2, 0.25], abs=1e-10)
    assert np.linalg.norm(np.diff(joints, axis=0), axis=1) == pytest.approx(0.3)
    for k in range(7):
        left, right = pulls[k], -pulls[k + 1]
        assert left + right == pytest.approx([0.0, 2.0], abs=1e-9)
        arm = joints[k + 1] - joints[k]
        moment = arm[0] * right[1] - arm[1] * right[0] - 0.5 * arm[0] * 2.0
        assert moment == pytest.approx(0.0, abs=1e-9)


def test_slider_crank_moves_with_the_energy_that_it_has():
    linkage, step = SliderCrank((1.0, 2.0, 0.5), (0.02, 0.15), crank=0.5, rod=1.2), 1e-6
    for angle in (0.3, 2.0, 4.0):

        def places(angle):
            """Centres of crank, rod and slider, and the rod's angle."""
            pin = 0.5 * np.array([np.cos(angle), np.sin(angle)])
            slider = np.array([linkage.slider(angle), 0.0])
            return np.array([*(0.5 * pin), *(0.5 * (pin + slider)), *slider, linkage.lean(angle), *pin])

        change = (places(angle + step) - places(angle - step)) / (2 * step)
        assert np.linalg.norm(places(angle)[7:] - places(angle)[4:6]) == pytest.approx(1.2, rel=1e-12)
        energy = 1.0 * change[:2] @ change[:2] + 0.02 + 2.0 * change[2:4] @ change[2:4] + 0.15 * change[6] ** 2
        assert energy + 0.5 * change[4] ** 2 == pytest.approx(linkage.inertia(angle), rel=1e-8)
    assert linkage.speed(0.3, 0.3, 2.0) == pytest.approx(2.0)


def test_hooke_joint_keeps_its_cross_square():
    bend = 0.8
    first, second = np.array([0.0, 0.0, 1.0]), np.array([np.sin(bend), 0.0, np.cos(bend)])
    normal = np.array([0.0, 1.0, 0.0])
    for angle in (0.0, 0.7, 2.0, 5.0, 9.0):
        turned = hooke_angle(angle, bend)
        arm = normal * np.cos(angle) + np.cross(first, normal) * np.sin(angle)
        other = np.cross(second, normal) * np.cos(turned) - normal * np.sin(turned)
        assert arm @ other == pytest.approx(0.0, abs=1e-12)
        assert abs(turned - angle) < 0.5


@pytest.mark.parametrize("angle", [0.7, -1.3, 1.9])
@pytest.mark.parametrize("make", [lambda a: bennett(0.5, 0.6, 1.1, a), lambda a: kaleidocycle(0.4, a)])
def test_loops_of_hinges_close_at_all_angles(make, angle):
    loop = make(angle)
    assert loop.frames()[-1] == pytest.approx(np.eye(4), abs=1e-14)
    wrong = HingeLoop(loop.angles + 0.1, loop.lengths, loop.twists)
    assert np.abs(wrong.frames()[-1] - np.eye(4)).max() > 0.01


def square_car(height: float) -> Car:
    """Four wheels around the centre of mass, as high as that."""
    wheels = np.array([[1.0, 1.0, height], [1.0, -1.0, height], [-1.0, 1.0, height], [-1.0, -1.0, height]])
    return Car(100.0, np.array([50.0, 60.0, 70.0]), wheels, np.full(4, 5000.0), np.full(4, 300.0), np.full(4, 25.0))


def test_a_standing_car_sinks_by_its_weight():
    depth = 100 * 9.81 / (4 * 5000)
    position, orientation, velocity = square_car(-0.5).drive(0.5 - depth, [2.0], lambda stage: (0.0, 0.0, False))
    assert position == pytest.approx([0, 0, 0.5 - depth], abs=1e-9)
    assert orientation == pytest.approx([0, 0, 0, 1], abs=1e-9)
    assert velocity == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_car_in_the_air_turns_by_its_steering_and_brakes_by_an_exponential():
    """Front wheels at 1 m push 2 F across: alpha = 2 F 1 m / Izz; then brakes of 4 b slow fall and turn."""
    car = square_car(0.0)
    _, orientation, velocity = car.drive(1000.0, [0.5], lambda stage: (35.0, np.pi / 2, False))
    angle = 2 * np.arctan2(orientation[2], orientation[3])
    assert angle == pytest.approx(70 / 70 * 0.5**2 / 2, abs=1e-8)
    assert velocity[2] == pytest.approx(-9.81 * 0.5)
    _, _, braked = car.drive(1000.0, [2.0], lambda stage: (0.0, 0.0, True))
    assert braked == pytest.approx([0, 0, -9.81 * (1 - np.exp(-2.0))], abs=1e-8)


def test_what_drives_a_transmission_becomes_its_kinetic_energy():
    """Power, torque times speed, is the rate of sum I w^2 / 2, with all speeds by the ratios."""
    first = train_acceleration(2.0, (0.3, 0.5, 0.7), (-2.0, 0.25))
    speeds = np.array([1.0, -2.0, -0.5])
    assert np.array([0.3, 0.5, 0.7]) @ (speeds * speeds * first) == pytest.approx(2.0)
    angular = rack_acceleration(3.0, 0.2, 4.0, 0.1, weight=5.0)
    assert 0.2 * angular + 4.0 * 0.1 * (0.1 * angular) + 0.1 * 5.0 == pytest.approx(3.0)


@pytest.mark.parametrize("ratio", [1.0, 2.0, 0.5])
def test_atwoods_masses_are_pulled_by_the_rope_that_they_hang_on(ratio):
    down, tension = atwood(2.0, 3.0, ratio)
    assert 2.0 * down == pytest.approx(2.0 * 9.81 - tension)
    assert 3.0 * (-down / ratio) == pytest.approx(3.0 * 9.81 - ratio * tension)


def test_epicyclic_trains_roll_without_slipping():
    """Where planet and wheel meet both are as fast, along the carrier's way round; radii are as the teeth."""
    sun, ring, sun_teeth, ring_teeth = 3.0, -1.0, 24.0, 60.0
    carrier = carrier_of_planetary(sun, ring, sun_teeth, ring_teeth)
    planet_teeth = 0.5 * (ring_teeth - sun_teeth)
    middle = carrier * (sun_teeth + planet_teeth)
    planet = (middle - sun * sun_teeth) / planet_teeth
    assert middle + planet * planet_teeth == pytest.approx(ring * ring_teeth)
    assert carrier_of_planetary(sun, ring, 30.0, 30.0) == carrier_of_differential(sun, ring)


def test_what_the_shoulder_is_given_becomes_its_energy():
    """Power is the rate of the energy, which is found here from the velocities of four points that stand for a part."""
    step = 1e-3
    t = np.arange(0.0, 1.0, step)[:, None]
    angles = np.hstack([0.4 * np.sin(3.0 * t), 0.9 * np.sin(2.0 * t + 0.5), 0.3 * np.cos(4.0 * t)])
    upper, fore, mass = 0.25, 0.27, 0.3
    points = np.array([[0.0, 0.1, 0.02], [0.03, -0.1, 0.0], [-0.05, 0.0, 0.04], [0.02, 0.0, -0.06]])
    points += np.array([0.0, -0.5 * fore, upper]) - points.mean(axis=0)
    arms = points - points.mean(axis=0)
    inertia = 0.25 * mass * sum((arm @ arm) * np.eye(3) - np.outer(arm, arm) for arm in arms)
    places = [hand_of_angles(angles, upper, point) for point in points]
    speeds = [np.gradient(place, step, axis=0) for place in places]
    energy = sum(0.25 * mass * (0.5 * np.sum(v**2, axis=1) - p @ GRAVITY) for p, v in zip(places, speeds, strict=True))
    given = efforts(angles, step, upper, [Part(mass, points.mean(axis=0), inertia, 3)])
    power = np.sum(given * np.gradient(angles, step, axis=0), axis=1)
    inner = slice(4, -4)
    assert power[inner] == pytest.approx(np.gradient(energy, step)[inner], abs=1e-4 * np.abs(power).max())

    motors = motor_torques(given, np.zeros_like(given), (3.0, 3.0), (0.0, 0.0, 0.0))
    rates = np.gradient(angles, step, axis=0)
    turning = 9.0 * np.stack([rates[:, 0] + rates[:, 1], rates[:, 0] - rates[:, 1]], axis=1)
    assert np.sum(motors * turning, axis=1) + given[:, 2] * rates[:, 2] == pytest.approx(power, rel=1e-9, abs=1e-12)

    hand = hand_of_angles(angles, upper, np.array([0.0, -fore, upper]))
    assert angles_of_hand(hand, upper, fore) == pytest.approx(angles, abs=1e-12)


def test_the_bicycle_has_the_published_matrices_and_eigenvalues():
    """Meijaard, Papadopoulos, Ruina, Schwab 2007, section 5 and table 2."""
    found = coefficients(BENCHMARK)
    matrices = {
        "M": [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
        "C1": [[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]],
        "K0": [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
        "K2": [[0.0, 76.59734589573222], [0.0, 2.65431523794604]],
    }
    for name, matrix in matrices.items():
        assert getattr(found, name) == pytest.approx(np.array(matrix), rel=1e-12, abs=1e-12)
    published = {
        0.0: (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393),
        5.0: (-14.07838969279822, -0.77534188219585 - 4.46486771378823j, -0.77534188219585 + 4.46486771378823j,
              -0.32286642900409),
        10.0: (-24.62459635017404, -3.72016840437287 - 10.90681139476287j, -3.72016840437287 + 10.90681139476287j,
               0.16105338653172),
    }  # fmt: skip
    for speed, eigenvalues in published.items():
        assert np.sort_complex(np.linalg.eigvals(rates(found, speed))) == pytest.approx(
            np.array(eigenvalues), abs=1e-11
        )
    for critical in (4.29238253634111, 6.02426201538837):  # the weave begins to die out, the capsizing to grow
        assert np.linalg.eigvals(rates(found, critical)).real.max() == pytest.approx(0.0, abs=1e-11)


def test_a_pulled_chain_settles_where_its_cost_is_least():
    """One bar: on the circle of its middle, towards the place. Two, out of reach: straight. More: no angle helps."""
    (middle,) = settled_middles(1, [Wanted(0, (3.0, 4.0), 2.0)])
    assert middle == pytest.approx((0.3, 0.4), abs=1e-7)
    assert settled_middles(2, [Wanted(1, (0.0, 7.0), 1.0)]) == pytest.approx(np.array([(0, 0.5), (0, 1.5)]), abs=1e-6)
    wanted = [Wanted(7, (7.5, 0.0), 10.0), Wanted(3, (3.0, 0.8), 1.0)]
    middles = settled_middles(8, wanted)
    least, rng = cost(middles, wanted), np.random.default_rng(1)
    ends = np.zeros((9, 2))
    for k in range(8):
        ends[k + 1] = 2.0 * middles[k] - ends[k]
    bars = np.diff(ends, axis=0)
    assert np.linalg.norm(bars, axis=1) == pytest.approx(np.ones(8), abs=1e-12)
    angles = np.arctan2(bars[:, 1], bars[:, 0])
    for _ in range(200):
        turned = angles + rng.normal(0.0, rng.choice([1e-4, 1e-2, 1.0]), 8)
        others = np.stack([np.cos(turned), np.sin(turned)], axis=1)
        assert cost(np.cumsum(others, axis=0) - 0.5 * others, wanted) >= least - 1e-12


def test_a_swinging_atwood_machine_keeps_its_energy_and_falls_straight_without_a_swing():
    times = np.linspace(0.0, 0.6, 13)
    _, z = swinging_atwood(1.0, 3.0, (0.0, -1.0), times)
    down, _ = atwood(1.0, 3.0)
    assert z == pytest.approx(-1.0 - 0.5 * down * times**2, abs=1e-10)
    times = np.linspace(0.0, 2.0, 20001)
    x, z = swinging_atwood(1.0, 3.0, (0.6, -1.0), times)
    r, step = np.hypot(x, z), times[1]
    speeds = np.gradient(x, step), np.gradient(z, step), np.gradient(r, step)
    energy = 0.5 * (speeds[0] ** 2 + speeds[1] ** 2) + 1.5 * speeds[2] ** 2 + 9.81 * (z + 3.0 * r)
    assert energy[5:-5] == pytest.approx(energy[5], rel=1e-4)


@pytest.mark.parametrize("tau", [0.05, 0.7])
def test_a_critically_damped_gap(tau):
    start, rate = np.array([0.3, -1.0]), np.array([2.0, 0.0])
    solution = solve_ivp(
        lambda t, y: np.concatenate([y[2:], -2.0 / tau * y[2:] - y[:2] / tau**2]),
        (0.0, 3.0), np.concatenate([start, rate]), "DOP853", np.linspace(0.0, 3.0, 16), rtol=1e-12, atol=1e-14,
    )  # fmt: skip
    assert gap(solution.t, start, rate, tau) == pytest.approx(solution.y[:2].T, abs=1e-10)


def test_freudenstein_keeps_the_lengths_of_its_bars() -> None:
    a, b, c, d = lengths = (1.0, 3.5, 2.5, 4.0)
    for crank in np.linspace(0.0, 6.0, 7):
        rockers = [freudenstein(lengths, crank, side) for side in (1, -1)]
        for rocker in rockers:
            pin = a * np.array([np.cos(crank), np.sin(crank)])
            end = np.array([d + c * np.cos(rocker), c * np.sin(rocker)])
            assert np.linalg.norm(end - pin) == pytest.approx(b, abs=1e-12)
        assert abs(rockers[0] - rockers[1]) > 0.1
    assert np.isnan(freudenstein((1.0, 1.0, 1.0, 4.0), 0.0, 1))


def test_the_leg_of_jansen_has_his_lengths_and_walks_level() -> None:
    n, feet = JANSEN, []
    for crank in np.linspace(0.0, 2.0 * np.pi, 200):
        p = jansen(crank)
        for (one, other), name in zip(("ZX", "ZC", "BX", "BE", "XE", "BC", "EF", "CF"), "jkbdecfg", strict=True):
            assert np.linalg.norm(p[one] - p[other]) == pytest.approx(n[name], abs=1e-9)
        feet.append(p["foot"])
    feet = np.array(feet)
    on_ground = feet[feet[:, 1] < feet[:, 1].min() + 2.0]  # of 92 units below the crank
    assert len(on_ground) > 60
    assert np.ptp(on_ground[:, 0]) > 40.0


@pytest.mark.parametrize("friction", [9.0, 6.0, 2.0])
def test_a_shaken_block_slides_against_friction_and_is_held_by_less(friction):
    block, step = ShakenBlock(2.0, 10.0, 3.0, friction), 1e-4
    times = np.arange(0.0, 6.0, step)
    place = block.at(times)
    speed, bend = (place[2:] - place[:-2]) / (2 * step), (place[2:] - 2 * place[1:-1] + place[:-2]) / step**2
    times = times[1:-1]
    slides = block.slides(times[-1])
    assert len(slides) > 5
    sliding = np.zeros(len(times), bool)
    near = np.zeros(len(times), bool)
    for begin, end, sign, _ in slides:
        inside = (times > begin + step) & (times < end - step)
        assert (sign * speed[inside] > 0.0).all()
        expected = (10.0 * np.cos(3.0 * times[inside]) - sign * friction) / 2.0
        assert bend[inside] == pytest.approx(expected, abs=1e-6)
        sliding |= inside
        near |= (np.abs(times - begin) <= step) | (np.abs(times - end) <= step)
    held = ~sliding & ~near
    assert np.abs(speed[held]).max(initial=0.0) < 1e-9
    assert (np.abs(10.0 * np.cos(3.0 * times[held])) <= friction + 0.01).all()


def test_stick_slip_along_a_steep_curve_is_that_which_falls_at_once() -> None:
    """The curve adds the time in which it falls, some (m v^2 / (k V (S - K)))^(1/3)."""
    from tests.truths.stick_slip import StickSlip

    block = StickSlip(1.0, 100.0, 6.0, 4.0, 0.1)
    off = [block.period(stribeck) / block.period_at_once - 1.0 for stribeck in (1e-3, 1e-5)]
    assert 0.0 < off[1] < 1e-3
    assert off[0] / off[1] == pytest.approx(100.0 ** (2.0 / 3.0), rel=0.1)


@pytest.mark.parametrize(("stiffness", "cubic"), [(50.0, 0.0), (50.0, 400.0), (0.0, 400.0)])
def test_duffings_spring_is_back_after_its_period(stiffness, cubic):
    def rates(_, y):
        return y[1], -(stiffness * y[0] + cubic * y[0] ** 3) / 2.0

    T = duffing_period(2.0, stiffness, cubic, 0.5)
    end = solve_ivp(rates, (0.0, T), (0.5, 0.0), method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert end == pytest.approx((0.5, 0.0), abs=1e-9)


def test_a_quadratic_damper_slows_down():
    end = solve_ivp(
        lambda _, y: (y[1], -1.5 / 2.0 * y[1] ** 2), (0.0, 2.0), (0.0, 5.0), method="DOP853", rtol=1e-12, atol=1e-13
    ).y[:, -1]
    assert quadratic_stop(2.0, 1.5, 5.0, 2.0) == pytest.approx(tuple(end), rel=1e-10)


@pytest.mark.parametrize("law", [lambda x: 300.0 * x, lambda x: 4e4 * x**1.5, lambda x: 1e6 * x**3])
def test_the_rebound_does_not_ask_for_the_law_of_the_stop(law):
    def rates(_, y):
        return y[1], -law(max(y[0], 0.0)) * (1.0 + 0.3 * y[1]) / 2.0

    def out(_, y):
        return y[0]

    out.terminal, out.direction = True, -1
    end = solve_ivp(rates, (0.0, 5.0), (1e-12, 1.5), method="DOP853", rtol=1e-12, atol=1e-14, events=out).y[:, -1]
    assert end[1] == pytest.approx(-rebound_speed(0.3, 1.5), rel=1e-8)


def test_tyres_on_level_ground_in_a_neutral_turn_and_on_a_plane():
    level = tyres.spline(np.full(8, 0.2), -3.0, 1.0)
    assert tyres.envelope_depth(level, 0.3, 0.5, 0.45) == pytest.approx(0.05, abs=1e-9)
    line = tyres.spline(0.1 * np.arange(8), -3.0, 1.0)
    assert line(np.array([-3.0, 0.5, 4.0]), 0) == pytest.approx([0.0, 0.35, 0.7], abs=1e-12)
    assert tyres.yaw_rate(0.01, 20.0, 1000.0, 1.5, 1.5, 5e4, 5e4) == pytest.approx(20.0 * 0.01 / 3.0)
    assert tyres.yaw_rate(0.01, 20.0, 1000.0, 1.0, 2.0, 5e4, 5e4) < 20.0 * 0.01 / 3.0
    assert tyres.lagging_force(0.1, 1e3, 0.4, 0.4) == pytest.approx(100.0 * (1.0 - np.exp(-1.0)))
    stuck = tyres.rolling_acceleration(0.1, 10.0, 0.45, 0.3, 1e9, 98.0, 1.0)
    assert stuck == pytest.approx(9.81 * np.sin(0.1) / 1.5, rel=1e-6)
    assert tyres.plane_depth(0.0, 10.0, 981.0) == pytest.approx(0.1)
