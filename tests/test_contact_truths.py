# SPDX-License-Identifier: GPL-3.0-or-later
"""The closed forms of contact in tests/truths against laws that they do not use: integrated motion, balances."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.truths.coins import SpinningCoin, TippeTop, jellett
from tests.truths.impacts import Bounces, LandingRod, RoughBounce, cradle, meet
from tests.truths.riding_impact import RidingImpact
from tests.truths.sliding import BowlingBall, Incline, Ladder, slide, stopping_distance, stopping_time
from tests.truths.soft_contact import HertzImpact, restitution, sinking
from tests.truths.tied_impact import TiedBodies
from tests.truths.toppling import TippingBlock

UP = np.array([0.0, 0.0, 1.0])


def solved(rates, start, end: float, events=None):
    return solve_ivp(rates, (0.0, end), start, "DOP853", rtol=1e-11, atol=1e-12, events=events)


@pytest.mark.parametrize("restitution", [0.3, 0.7, 1.0])
def test_bounces_follow_a_fall_that_is_turned_around(restitution):
    bounces, time, height, speed = Bounces(2.0, restitution), 0.0, 2.0, 0.0

    def landing(_, y):
        return y[0]

    landing.terminal, landing.direction = True, -1
    for number in (1, 2, 3):
        fall = solved(lambda _, y: [y[1], -9.81], [height, speed], 10.0, landing)
        time += fall.t[-1]
        assert time == pytest.approx(bounces.landing(number), rel=1e-8)
        height, speed = 1e-14, -restitution * fall.y[1, -1]
        assert speed**2 / (2 * 9.81) == pytest.approx(bounces.peak(number), rel=1e-8)
        assert bounces.at([time + speed / 9.81]) == pytest.approx(bounces.peak(number), rel=1e-8)
        assert bounces.top(number) == pytest.approx(time + speed / 9.81, rel=1e-8)


def test_bounces_come_to_an_end():
    bounces = Bounces(1.0, 0.5)
    assert bounces.landing(40) == pytest.approx(bounces.end, rel=1e-9)
    assert bounces.at([0.0, bounces.end + 1.0]) == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("gyration", [0.0, 0.4])
@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.8, 0.0, -0.6), (0.0, 0.6, 0.8), (0.0, 0.0, -1.0)])
def test_a_plane_that_is_ridden_on_pushes_and_never_pulls(direction, gyration, restitution):
    """By momentum, restitution, energy, and the law of the plane; the rider's spin has gyration times its energy."""
    n, before = np.array(direction), np.array([[0.3, -0.2, 0.0], [0.1, 0.4, 0.2]])
    before[1] += 2.0 * n
    impact = RidingImpact((2.0, 0.7), restitution, gyration)
    after, plane = impact.after(before, n)
    assert (after[0] - after[1]) @ n == pytest.approx(restitution * (before[1] - before[0]) @ n, rel=1e-12)
    assert plane[2] >= 0.0
    assert plane[2] * after[0, 2] == pytest.approx(0.0, abs=1e-14)
    assert after[0, 2] >= 0.0
    given = np.array([2.0, 0.7])[:, None] * (after - before)
    assert given.sum(axis=0) == pytest.approx(plane, abs=1e-14)
    assert np.cross(given[1], n) == pytest.approx(np.zeros(3), abs=1e-14)
    if gyration == 0.0:
        assert plane[:2] == pytest.approx(np.zeros(2), abs=1e-14)
    if restitution == 1.0:
        turning = np.array([0.0 if impact.lifts(n) else gyration * 2.0, 0.0])
        weights = np.array([2.0, 0.7]) + turning
        energy = [0.5 * weights @ (u**2).sum(axis=1) for u in (before, after)]
        assert energy[1] == pytest.approx(energy[0], rel=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_balls_that_meet_keep_momentum_and_part_as_they_should(restitution):
    rng = np.random.default_rng(1)
    masses, v = np.array([1.0, 2.5]), np.array([[3.0, 0.5, 0.0], [-1.0, 0.0, 0.3]])
    normal = np.array([0.8, 0.6, 0.0])
    w = meet(masses, v, normal, restitution)
    assert masses @ w == pytest.approx(masses @ v, rel=1e-14)
    assert (w[1] - w[0]) @ normal == pytest.approx(-restitution * (v[1] - v[0]) @ normal, rel=1e-13)
    across = np.cross(normal, rng.normal(size=3))
    assert w @ across == pytest.approx(v @ across, rel=1e-13)
    energy = [0.5 * masses @ (u**2).sum(axis=1) for u in (v, w)]
    assert energy[1] == pytest.approx(energy[0]) if restitution == 1.0 else energy[1] < energy[0]
    assert meet(masses, -v, normal, restitution) == pytest.approx(-v)  # they part already


def test_equal_balls_part_at_a_right_angle():
    first, second = meet((1.0, 1.0), [[2.0, 0.0, 0.0], np.zeros(3)], (np.sqrt(0.75), 0.5, 0.0), 1.0)
    assert first @ second == pytest.approx(0.0, abs=1e-14)
    assert np.linalg.norm(second) == pytest.approx(2.0 * np.sqrt(0.75))


def test_a_cradle_hands_on():
    assert cradle([1, 0, 0, 0, 0]) == pytest.approx([0, 0, 0, 0, 1])
    assert cradle([1, 1, 0, 0, 0]) == pytest.approx([0, 0, 0, 1, 1])
    assert cradle([2, 0, 0, 0, -1]) == pytest.approx([-1, 0, 0, 0, 2])
    lossy = cradle([1, 0, 0], 0.8)
    assert lossy.sum() == pytest.approx(1.0)
    assert np.all(np.diff(lossy) >= -1e-12)


@pytest.mark.parametrize(("friction", "sticks"), [(0.05, False), (0.15, False), (0.9, True)])
def test_a_rough_bounce_is_that_of_a_stiff_spring_with_friction(friction, sticks):
    """Newton, Euler and Coulomb with a stiff spring below; restitution 1 is a spring without loss."""
    radius, k, stiffness = 0.1, 0.4, 1e9
    velocity, spin = np.array([1.5, -0.4, -2.0]), np.array([2.0, -10.0, -5.0])

    def slip_of(v, w):
        return (v + np.cross(w, -radius * UP)) * (1, 1, 0)

    def rates(_, y):
        v, w = y[1:4], y[4:]
        push = -stiffness * min(y[0], 0.0)
        slip = slip_of(v, w)
        force = push * UP - friction * push * slip / (np.linalg.norm(slip) + 1e-7)
        return [v[2], *force, *(np.cross(-radius * UP, force) / (k * radius**2))]

    def leaves(_, y):
        return y[0]

    leaves.terminal, leaves.direction = True, 1
    truth = RoughBounce(radius, k, 1.0, friction)
    assert truth.sticks(velocity, spin) is sticks
    state = solve_ivp(rates, (0.0, 1.0), [-1e-15, *velocity, *spin], "Radau", rtol=1e-9, atol=1e-11, events=leaves)
    after, turned = truth.after(velocity, spin)
    assert state.y[1:4, -1] == pytest.approx(after, abs=1e-5)
    assert state.y[4:, -1] == pytest.approx(turned, abs=1e-4)


def test_a_sticking_bounce_turns_spin_into_speed_and_keeps_the_moment_about_the_floor():
    truth = RoughBounce(0.1, 0.4, 0.5, 1.0)
    velocity, spin = truth.after([0.3, 0.0, -2.0], [0.0, 1.0, 0.0])
    assert truth.slip(velocity, spin) == pytest.approx(np.zeros(3), abs=1e-15)
    before, after = 0.3 * 0.1 + 0.4 * 0.01 * 1.0, velocity[0] * 0.1 + 0.4 * 0.01 * spin[1]
    assert after == pytest.approx(before, rel=1e-13)


@pytest.mark.parametrize("lean", [0.0, 0.4, 1.2])
def test_a_landing_rod_keeps_its_moment_about_the_end_that_lands(lean):
    rod = LandingRod(0.5, lean, 0.3)
    speed, spin = rod.after(2.0, 0.7)
    arm, I = 0.5 * np.cos(lean), 0.25 / 3.0
    assert I * spin - arm * speed == pytest.approx(I * 0.7 + arm * 2.0, rel=1e-13)
    assert speed + arm * spin == pytest.approx(-0.3 * (-2.0 + arm * 0.7), rel=1e-13)


def test_an_impact_on_one_body_needs_no_ties():
    rod = LandingRod(0.5, 0.4, 0.3)
    body = TiedBodies(np.array([2.0]), 2.0 * np.diag([1.0, 1.0, 1.0])[None] * 0.25 / 3.0, np.zeros((1, 3)))
    end = -0.5 * np.array([np.cos(0.4), 0.0, np.sin(0.4)])
    # a turn about +Y lifts what lies on -X
    after = body.after([[0, 0.7, 0, 0, 0, -2.0]], None, 0, end, UP, 0.3)
    assert after[0, [5, 1]] == pytest.approx(rod.after(2.0, 0.7), rel=1e-12)
    balls = TiedBodies(np.array([1.0, 2.5]), np.stack([np.eye(3)] * 2), np.array([[0.0, 0, 0], [1, 0, 0]]))
    got = balls.after([[0, 0, 0, 3, 1, 0], [0, 0, 0, -1, 0, 0]], 0, 1, [0.5, 0, 0], [1, 0, 0], 0.6)
    assert got[:, 3:] == pytest.approx(meet((1.0, 2.5), [[3, 1, 0], [-1, 0, 0]], (1, 0, 0), 0.6), rel=1e-12)


def test_an_impact_on_a_hinged_pair_is_lagranges():
    """Two rods in line on a hinge, struck square at x: three speeds (centre, two turns) by Lagrange's equations."""
    m, l, x, mu = 1.5, 0.5, 0.8, 0.7
    I = m * l**2 / 3.0
    pair = TiedBodies(np.array([m, m, mu]), np.stack([I * np.eye(3)] * 2 + [np.eye(3)]),
                      np.array([[-l, 0, 0], [l, 0, 0], [x, 0, 0.0]]))  # fmt: skip
    pair.tie_points(0, 1, np.zeros(3))
    pair.tie_turns(0, 1, [0, 1, 0])
    v = np.zeros((3, 6))
    v[2, 5] = -3.0
    after = pair.after(v, 2, 1, [x, 0, 0], [0, 0, -1], 0.5)
    # hinge speed h, turns such that x > 0 goes up: left centre h - l a, right centre h + l b, struck point h + x b
    rows = np.array([[1.0, -l, 0.0], [1.0, 0.0, l]])
    inertia = m * rows.T @ rows + np.diag([0.0, I, I])
    struck = np.array([1.0, 0.0, x])
    response = np.linalg.solve(inertia, struck)
    impulse = -(1.5 * 3.0) / (1.0 / mu + struck @ response)
    h, a, b = impulse * response
    assert after[0, [5, 1]] == pytest.approx([h - l * a, -a], rel=1e-12)
    assert after[1, [5, 1]] == pytest.approx([h + l * b, -b], rel=1e-12)
    assert after[2, 5] == pytest.approx(-3.0 - impulse / mu, rel=1e-12)
    assert pair.momentum(after) == pytest.approx(pair.momentum(v), abs=1e-12)
    assert pair.energy(after) < pair.energy(v)


def test_a_block_slides_until_friction_has_its_energy():
    end, t = stopping_time(3.0, 0.4), np.array([0.2, 5.0])
    assert stopping_distance(3.0, 0.4) == pytest.approx(0.5 * 3.0 * end)
    assert slide(3.0, 0.4, t) == pytest.approx([0.6 - 0.5 * 0.4 * 9.81 * 0.04, stopping_distance(3.0, 0.4)])


@pytest.mark.parametrize("gyration", [0.4, 0.5, 1.0])
@pytest.mark.parametrize("slope", [0.1, 0.9, 1.3])
def test_a_roll_obeys_newton_and_euler_and_coulomb(gyration, slope):
    plane, radius = Incline(slope, 0.3), 0.2
    a, turn = plane.roll(gyration), plane.turn(gyration, radius)
    force = 9.81 * np.sin(slope) - a  # friction uphill, per mass
    assert gyration * radius**2 * turn == pytest.approx(force * radius, rel=1e-12)
    if plane.grips(gyration):
        assert a == pytest.approx(radius * turn, rel=1e-12)
        assert force <= 0.3 * 9.81 * np.cos(slope)
    else:
        assert a > radius * turn
        assert force == pytest.approx(0.3 * 9.81 * np.cos(slope), rel=1e-12)


def test_a_box_on_an_incline_tips_slides_or_stands():
    assert Incline(0.2, 0.5).box(1.0, 1.0) == "stands"
    assert Incline(0.6, 0.5).box(1.0, 1.0) == "slides"
    assert Incline(0.6, 0.9).box(1.0, 2.0) == "tips"
    assert Incline(0.4, 0.9).box(1.0, 2.0) == "stands"
    assert Incline(np.arctan(0.5) - 1e-9, 0.5).holds
    assert Incline(np.arctan(0.5) + 1e-9, 0.5).block == pytest.approx(0.0, abs=1e-7)
    assert Incline(np.arctan(0.5) + 1e-9, 0.5).block > 0.0


@pytest.mark.parametrize(("speed", "spin"), [(5.0, 0.0), (2.0, -60.0), (1.0, 40.0)])
def test_a_bowling_ball_obeys_newton_and_euler_and_coulomb(speed, spin):
    ball = BowlingBall(speed, spin, 0.11, 0.2)

    def rates(_, y):
        push = 0.2 * 9.81 * np.sign(y[1] - 0.11 * y[2])
        return [y[1], -push, push / (0.4 * 0.11)]

    def rolls(_, y):
        return y[1] - 0.11 * y[2]

    rolls.terminal = True
    motion = solved(rates, [0.0, speed, spin], 20.0, rolls)
    t = motion.t[-1]
    assert t == pytest.approx(ball.rolls_from, rel=1e-9)
    assert [ball.place(t), ball.velocity(t), ball.turn(t)] == pytest.approx(motion.y[:, -1], rel=1e-8)
    assert ball.velocity(t + 1.0) == pytest.approx(0.11 * ball.turn(t + 1.0))
    assert ball.place(t + 1.0) - ball.place(t) == pytest.approx(ball.rolling_speed)
    assert BowlingBall(7.0, 0.0, 0.1, 0.1).rolling_speed == pytest.approx(5.0)


def test_a_ladder_balances_forces_and_moments():
    thin = Ladder(2.0, 1e-12)
    assert thin.needed_friction(1.0) == pytest.approx(0.5 / np.tan(1.0))
    ladder = Ladder(2.0, 0.1)
    lean = ladder.least_lean(0.4)
    foot, top = -2.0 * np.array([np.cos(lean), np.sin(lean)]), 2.0 * np.array([np.cos(lean), np.sin(lean)])
    touch, wall = foot - [0.0, 0.1], top + [0.1, 0.0]  # the wall stands at the right
    forces = {tuple(touch): np.array([0.4, 1.0]), tuple(wall): np.array([-0.4, 0.0])}
    moment = sum(p[0] * f[1] - p[1] * f[0] for p, f in forces.items())
    assert moment == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("coin", [SpinningCoin(0.1, 0.005, 0.3), SpinningCoin(0.1, 0.03, 0.8)])
def test_a_spinning_coin_rolls_and_balances_its_moment(coin):
    time, step = 0.37, 1e-5

    def change(quantity):
        return (quantity(time + step) - quantity(time - step)) / (2 * step)

    w, arm = coin.angular_velocity(time), coin.rim(time)
    assert arm[2] == pytest.approx(-coin.height, rel=1e-12)
    assert np.cross(w, arm) == pytest.approx(np.zeros(3), abs=1e-12)  # the point on the floor rests
    assert change(coin.axis) == pytest.approx(np.cross(w, coin.axis(time)), rel=1e-6, abs=1e-6)
    weight = np.cross(arm, 9.81 * UP)
    assert change(coin.angular_momentum) == pytest.approx(weight, abs=1e-7)


def test_a_thin_coin_is_moffatts():
    coin = SpinningCoin(0.1, 1e-9, 0.2)
    assert coin.precession**2 * np.sin(0.2) == pytest.approx(4 * 9.81 / 0.1, rel=1e-6)


def turning_over(top: TippeTop, spin: float, friction: float, end: float):
    """(lean, Jellett's constant, energy) over time, by Newton and Euler on a floor with friction, weight 1 kg."""

    def parts(y):
        middle, v, w = y[:3], y[3:6], y[6:]
        arm = middle - top.radius * UP
        return middle, arm, v, w, v + np.cross(w, arm)

    def rates(_, y):
        middle, arm, v, w, at_floor = parts(y)
        slip = at_floor * (1, 1, 0)
        # the floor's push: the point's vertical speed stays zero; a' = w x middle turns the middle with the ball
        sliding = slip / (np.linalg.norm(slip) + 1e-2)
        unit = UP - friction * sliding

        def vertical(force):
            """Acceleration of the middle's height: from the centre's, and from the turn."""
            turn = np.cross(arm, force) / top.moment
            return (force - top.gravity * UP)[2] + np.cross(turn, middle)[2] + np.cross(w, np.cross(w, middle))[2]

        at_rest, slope = vertical(np.zeros(3)), vertical(unit) - vertical(np.zeros(3))
        force = max(0.0, -at_rest / slope) * unit
        return [*np.cross(w, middle), *(force - top.gravity * UP), *(np.cross(arm, force) / top.moment)]

    start_lean = 0.1
    middle = top.offset * np.array([np.sin(start_lean), 0.0, np.cos(start_lean)])
    w = np.array([0.0, 0.0, spin])
    v = np.cross(w, -middle)  # the middle rests
    motion = solve_ivp(rates, (0.0, end), [*middle, *v, *w], "LSODA", rtol=1e-8, atol=1e-10)
    rows = []
    for y in motion.y.T:
        middle, arm, v, w, _ = parts(y)
        energy = 0.5 * v @ v + 0.5 * top.moment * w @ w - top.gravity * middle[2]
        rows.append([np.arccos(np.clip(middle[2] / top.offset, -1, 1)), jellett(top.moment * w, arm), energy])
    return np.array(rows)


def test_a_tippe_top_turns_over_and_keeps_jelletts_constant():
    top = TippeTop(0.1, 0.02, 0.004)
    rows = turning_over(top, 3.0 * top.enough_spin, 0.5, 2.0)
    lean, constant, energy = rows.T
    assert constant == pytest.approx(constant[0], rel=1e-6)
    assert lean[-1] > 2.7
    assert np.all(np.diff(energy) < 1e-7)
    assert np.all(energy >= top.least_energy(constant[0], lean) - 1e-9)
    slow = turning_over(top, 0.3 * top.enough_spin, 0.5, 2.0)
    assert slow[:, 0].max() < 0.2


def test_enough_spin_lets_the_least_energy_fall_all_the_way():
    top, leans = TippeTop(0.1, 0.02, 0.004), np.linspace(0.0, np.pi, 200)
    for factor, falls in ((1.001, True), (0.9, False)):
        constant = -top.moment * factor * top.enough_spin * (top.radius - top.offset)
        assert np.all(np.diff(top.least_energy(constant, leans)) < 0.0) == falls


@pytest.mark.parametrize(("start", "speed"), [(0.5, 0.0), (0.0, 3.0)])
def test_a_tipping_block_solves_its_equation(start, speed):
    block = TippingBlock(0.1, 0.4)

    def lies(_, y):
        return y[0] - 1.2

    lies.terminal = True
    motion = solved(lambda _, y: [y[1], block.acceleration(y[0])], [start, speed], 10.0, lies)
    assert block.time(start, 1.2, speed) == pytest.approx(motion.t[-1], rel=1e-7)
    assert block.speed(1.2, start, speed) == pytest.approx(motion.y[1, -1], rel=1e-9)


def test_a_rocking_block_keeps_its_moment_about_the_edge_that_lands():
    w, h, turn = 0.1, 0.4, 1.7
    block, I = TippingBlock(w, h), ((2 * w) ** 2 + (2 * h) ** 2) / 12.0
    # per mass, about the left edge: the centre (w, h) moves by (-turn h, -turn w), for it turns about the right one
    before = I * turn + h * turn * h - w * turn * w
    after = (I + w**2 + h**2) * turn * block.kept_at_landing
    assert after == pytest.approx(before, rel=1e-12)


def test_a_tipping_block_turns_by_the_moment_of_its_weight_and_pushes_on_its_edge():
    block, step = TippingBlock(0.1, 0.4), 1e-4
    s, lean = np.hypot(0.1, 0.4), 0.9
    # a block of 1 kg about its edge: I lean'' = moment of the weight
    moment = 9.81 * s * np.sin(lean - block.balance)
    assert (0.2**2 + 0.8**2) / 3.0 * block.acceleration(lean) == pytest.approx(moment, rel=1e-12)
    assert block.speed(block.balance, 0.0, block.needed_speed) == pytest.approx(0.0, abs=1e-7)
    t0 = block.time(0.4, lean)
    motion = solve_ivp(lambda _, y: [y[1], block.acceleration(y[0])], (0.0, t0 + 1.0), [0.4, 0.0], "DOP853",
                       dense_output=True, rtol=1e-12, atol=1e-13).sol  # fmt: skip

    def center(time):
        angle = motion(time)[0] - block.balance
        return s * np.array([np.sin(angle), np.cos(angle)])

    acceleration = (center(t0 + step) - 2 * center(t0) + center(t0 - step)) / step**2
    ratio = abs(acceleration[0]) / (9.81 + acceleration[1])
    assert block.needed_friction(lean, 0.4) == pytest.approx(ratio, rel=1e-5)


def test_an_elastic_impact_is_as_deep_and_long_as_hertz_says():
    impact = HertzImpact(mass=2.0, stiffness=3e6, speed=1.5)

    def over(_, y):
        return y[0]

    over.terminal, over.direction = True, -1
    motion = solved(lambda _, y: [y[1], -3e6 * max(y[0], 0.0) ** 1.5 / 2.0], [0.0, 1.5], 1.0, over)
    assert motion.t[-1] == pytest.approx(impact.duration, rel=1e-6)
    deepest = solved(lambda _, y: [y[1], -3e6 * y[0] ** 1.5 / 2.0], [0.0, 1.5], 0.5 * impact.duration)
    assert deepest.y[0, -1] == pytest.approx(impact.depth, rel=1e-9)
    assert impact.duration * impact.speed / impact.depth == pytest.approx(2.9432, rel=1e-4)
    assert 4 * 3e6 * sinking(9.81, 3e6, 4) ** 1.5 == pytest.approx(9.81)


@pytest.mark.parametrize("damping", [0.05, 0.6, 3.0])
def test_a_damped_impact_throws_back_what_its_equation_says(damping):
    def over(_, y):
        return y[0]

    over.terminal, over.direction = True, -1
    speed = 0.8
    motion = solved(
        lambda _, y: [y[1], -1e4 * max(y[0], 0.0) ** 1.5 * (1.0 + damping * y[1] / speed)], [0.0, speed], 10.0, over
    )
    assert -motion.y[1, -1] / speed == pytest.approx(restitution(damping), rel=1e-6)
