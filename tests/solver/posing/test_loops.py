# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages with loops that are pulled: closed in every step, on their branch, and as near to the hand as can be."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, Posing
from solver.mechanism import Body, Joint, Nail
from tests.solver.kinematics.planar import Planar, four_bar, jansen_leg
from tests.solver.posing.drags import drag
from tests.truths.planar_linkages import freudenstein

EXACT = 1e-9  # of the size
LENGTHS = (1.0, 3.5, 2.5, 4.0)


def pulled(posing: Posing, steps: int = 200) -> float:
    """m: by what the pulled points miss their places, after so many steps."""
    posing.approach(steps)
    return posing.distance()


def turned(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def test_a_four_bar_that_is_led_round_by_its_crank_pin() -> None:
    planar = four_bar(LENGTHS, 0.7, 1)
    posing = Posing(planar.mechanism)
    pull = posing.pull("crank", (1.0, 0.0, 0.0) @ turn(-0.7), (*turned(0.7), 0.0))
    for crank in np.linspace(0.7, 0.7 + 4.0 * np.pi, 121):
        posing.lead(pull, (*turned(crank), 0.0))
        assert pulled(posing) < 1e-6
        expected = np.array([4.0, 0.0]) + 2.5 * turned(freudenstein(LENGTHS, crank, 1))
        assert np.abs(planar.points(posing)["C"] - expected).max() < 1e-5


def turn(angle: float) -> np.ndarray:
    """(3, 3): rows that turn a row vector about z by -angle."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def test_what_is_out_of_reach_is_come_as_near_to_as_can_be() -> None:
    """The rocker's pin goes on a circle, so the nearest point of it to the hand is in the hand's direction."""
    planar = four_bar(LENGTHS, 0.7, 1)
    posing = Posing(planar.mechanism)
    way = turned(2.0)  # between the rocker's dead centres, at 1.67 and 2.5 rad
    target = (4.0, 0.0) + 9.0 * way
    posing.pull("rocker", (0.0, 0.0, 0.0), (*target, 0.0))
    posing.approach(300)
    pin = planar.points(posing)["C"]
    assert np.linalg.norm(pin - (4.0, 0.0)) == pytest.approx(2.5, abs=EXACT)
    assert np.linalg.norm(pin - (4.0, 0.0) - 2.5 * way) < 1e-4


@pytest.mark.parametrize("seed", range(5))
def test_drags_at_random_leave_every_bar_of_a_leg_as_long_as_it_is(seed: int) -> None:
    planar = jansen_leg()
    posing = Posing(planar.mechanism)
    rng = np.random.default_rng(seed)
    names = list(planar.bars)
    for _ in range(12):
        name = names[rng.integers(len(names))]
        posing.release()
        positions, _ = posing.poses()
        start = positions[names.index(name)]
        pull = posing.pull(name, (0.0, 0.0, 0.0), start)
        way = rng.normal(scale=0.1, size=3) * (1.0, 1.0, 0.0)
        before = planar.points(posing)
        for share in np.linspace(0.1, 1.0, 10):
            posing.lead(pull, start + share * way)
            posing.approach(10)
            after = planar.points(posing)  # which fails where bars come apart
            largest = max(np.linalg.norm(after[p] - before[p]) for p in after)
            assert largest < 0.6  # m, of a leg of 1.4 m: no flip in a tenth of the way
            before = after


def test_the_least_motion_moves_what_is_light() -> None:
    """Of the three freedoms of six bars a point takes two; with the third a heavy crank stays nearly where it is."""
    points = {"A": (0, 0), "B": (-1, 2), "E": (1, 4), "F": (3, 4), "C": (4, 2), "D": (3, 0)}
    bars = {"light": "AB", "left": "BE", "top": "EF", "right": "FC", "heavy": "CD"}
    moved = {}
    for mass in (1.0, 1e4):
        planar = Planar(points, bars, "AD")
        heavy = planar.mechanism.bodies[4]
        heavy.mass, heavy.inertia = mass, (mass, mass, mass)
        posing = Posing(planar.mechanism)
        posing.largest_turn = 0.01
        posing.pull("left", (2.0, 2.0, 0.0), (1.3, 3.7, 0.0))
        assert pulled(posing) < 1e-6
        moved[mass] = np.linalg.norm(planar.points(posing)["C"] - (4.0, 2.0))
    assert moved[1e4] < 0.25 * moved[1.0]  # what steps of 0.01 rad leave to their second order


def test_a_nail_is_a_loop_too() -> None:
    planar = Planar({"A": (0, 0), "B": (1, 1), "C": (2, 0)}, {"one": "AB", "two": "BC"}, "A")
    planar.mechanism.constraints = [Nail("nail", body="two", point=(2.0, 0.0, 0.0))]
    posing = Posing(planar.mechanism)
    posing.pull("one", (1.0, 1.0, 0.0), (5.0, 5.0, 0.0))
    posing.approach(50)
    points = planar.points(posing)
    np.testing.assert_allclose(points["C"], (2.0, 0.0), atol=1e-8)
    np.testing.assert_allclose(points["B"], (1.0, 1.0), atol=1e-6)  # nothing can move


def test_state_and_restore_and_taken_poses() -> None:
    planar = four_bar(LENGTHS, 0.7, 1)
    posing = Posing(planar.mechanism)
    posing.pull("rocker", (0.0, 0.0, 0.0), (3.0, 9.0, 0.0))
    start = posing.state()
    posing.approach(50)
    moved = posing.poses()
    posing.restore(start)
    np.testing.assert_allclose(posing.poses()[0], Posing(planar.mechanism).poses()[0], atol=EXACT)
    posing.take(*moved)
    np.testing.assert_allclose(posing.poses()[0], moved[0], atol=1e-8)


def test_a_push_on_a_loop_is_refused_by_name() -> None:
    posing = Posing(four_bar(LENGTHS, 0.7, 1).mechanism)
    with pytest.raises(MechanismError, match="coupler"):
        posing.push("coupler", (1.0, 0.0, 0.0))


def slider_crank(crank: float) -> Mechanism:
    """A crank of 1 m and a rod of 2 m in line, and a slider at x = 2 + crank; crank: 1, or -1 where it points back."""
    bodies = [
        Body("crank", mass=1.0, inertia=(0.1,) * 3, center_of_mass=(0.5 * crank, 0.0, 0.0), position=(0.0, 0.0, 0.0)),
        Body("rod", mass=1.0, inertia=(0.4,) * 3, center_of_mass=(1.0, 0.0, 0.0), position=(crank, 0.0, 0.0)),
        Body("slider", mass=1.0, inertia=(0.1,) * 3, position=(2.0 + crank, 0.0, 0.0)),
    ]
    along_x = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
    joints = [
        Joint("bearing", "revolute", None, "crank", position=(0.0, 0.0, 0.0)),
        Joint("pin", "revolute", "crank", "rod", position=bodies[1].position),
        Joint("knuckle", "revolute", "rod", "slider", position=bodies[2].position),
        Joint("guide", "prismatic", None, "slider", position=bodies[2].position, orientation=along_x),
    ]
    return Mechanism(bodies=bodies, joints=joints)


@pytest.mark.parametrize("crank", [1.0, -1.0])
@pytest.mark.parametrize("way", [0.5, 1e-3])
def test_a_slider_leaves_its_dead_centre(crank: float, way: float) -> None:
    """No motion of first order moves it, and it stood there for ever; the way of a crank goes with the root of its."""
    mechanism = slider_crank(crank)
    posing = Posing(mechanism)
    posing.largest_turn = 0.1
    before = posing.poses()[0]
    posing.pull("slider", (0.0, 0.0, 0.0), (2.0 + crank - crank * way, 0.0, 0.0))
    assert posing.forks() == 0
    assert pulled(posing, 60) < 1e-6
    assert posing.forks() == 1
    assert np.abs(posing.poses()[0] - before).max() < 2.0 * np.sqrt(way)


@pytest.mark.parametrize("crank", [1.0, -1.0])
def test_a_slider_at_its_dead_centre_is_not_shaken_by_a_place_beyond(crank: float) -> None:
    """What was tried is taken back to the last bit."""
    posing = Posing(slider_crank(crank))
    start = posing.poses()
    posing.pull("slider", (0.0, 0.0, 0.0), (2.0 + crank + 0.3 * crank, 0.0, 0.0))
    posing.approach(5)
    assert posing.forks() == 0
    assert all(np.array_equal(now, before) for now, before in zip(posing.poses(), start, strict=True))


@pytest.mark.parametrize("count", [4, 6, 12])
def test_a_ring_that_lies_flat_can_be_pushed_together(count: int) -> None:
    """All bars in one line: rows lose rank there, and most of what they allow to first order is no motion."""
    half = count // 2
    along = [*range(half + 1), *range(half - 1, 0, -1)]
    points = {f"p{k}": (float(x), 0.0) for k, x in enumerate(along)}
    bars = {f"b{k}": (f"p{k}", f"p{(k + 1) % count}") for k in range(count)}
    planar = Planar(points, bars, ("p0",))
    posing = Posing(planar.mechanism)
    posing.pull(f"b{half - 1}", (1.0, 0.0, 0.0), (half - 0.5, 0.0, 0.0))
    assert pulled(posing, 60) < 1e-6
    assert np.abs(planar.points(posing)[f"p{half}"] - (half - 0.5, 0.0)).max() < 1e-6


@pytest.mark.parametrize("start", [0.0, 0.7])
def test_a_parallelogram_is_led_through_its_flat_poses(start: float) -> None:
    """Its two branches meet there; drawn flat, its pin was up to 0.14 m behind the hand, which is as far again."""
    pin = turned(start)
    points = {"A": (0.0, 0.0), "B": pin, "C": pin + (2.0, 0.0), "D": (2.0, 0.0)}
    planar = Planar(points, {"crank": "AB", "coupler": "BC", "rocker": "CD"}, "AD")
    posing = Posing(planar.mechanism)
    posing.largest_turn = 0.1
    pull = posing.pull("coupler", (0.0, 0.0, 0.0), (*pin, 0.0))
    for crank in np.arange(start, start + 4.0 * np.pi, 0.05):
        posing.lead(pull, (*turned(crank), 0.0))
        assert pulled(posing, 5) < 1e-6
        assert np.abs(planar.points(posing)["C"] - (2.0, 0.0) - turned(crank)).max() < 1e-5


def test_lazy_tongs_that_are_nearly_flat_are_swung_round_and_opened() -> None:
    """Steps were shortened for the sake of the opening, so that nothing was left of the swing."""

    def tongs(half: float) -> dict[str, tuple[float, float]]:
        c, s = np.cos(half), np.sin(half)
        sides = {f"{side}{k}": (x, 2.0 * k * s) for side, x in (("l", 0.0), ("r", 2.0 * c)) for k in range(4)}
        return sides | {f"m{k}": (c, (2 * k + 1) * s) for k in range(3)}

    up = {f"a{k}": (f"l{k}", f"m{k}", f"r{k + 1}") for k in range(3)}
    down = {f"b{k}": (f"r{k}", f"m{k}", f"l{k + 1}") for k in range(3)}
    points = tongs(1e-3)
    planar = Planar(points, up | down, ("l0",))
    posing = Posing(planar.mechanism)
    posing.largest_turn = 0.1
    place = np.array(tongs(0.3)["r2"]) @ np.array([[np.cos(3.0), np.sin(3.0)], [-np.sin(3.0), np.cos(3.0)]])
    posing.pull("a1", (*(np.subtract(points["r2"], points["l1"])), 0.0), (*place, 0.0))
    assert pulled(posing, 100) < 1e-6


def test_a_pin_that_the_world_holds_moves_nothing_when_it_is_pulled() -> None:
    """Rounding, as if it were a motion, was made as large as a step may be: the linkage jumped by 0.1 rad."""
    planar = four_bar(LENGTHS, 0.7, 1)
    posing = Posing(planar.mechanism)
    before = posing.poses()[0]
    posing.pull("rocker", (*(planar.drawn["D"] - planar.drawn["C"]), 0.0), (4.1, 0.1, 0.0))
    posing.approach(50)
    assert np.abs(posing.poses()[0] - before).max() < 1e-9


@pytest.mark.parametrize("seed", [0, 3, 6, 7])
def test_drags_at_random_do_not_flip_tear_jump_or_pass_a_limit(seed: int) -> None:
    tally = drag(seed, 12)
    assert tally.moves == 48
    assert (tally.flips, tally.tears, tally.jumps, tally.passed) == (0, 0, 0, 0), tally
