# SPDX-License-Identifier: GPL-3.0-or-later
"""Lengths of the steps by which pulled points come to their places."""

import numpy as np
import pytest

from solver import Posing
from tests.solver.posing.test_posing import chain
from tests.truths.pulled_chain import Wanted, cost, settled_middles


def test_pulls_that_cannot_all_be_followed_settle():
    """A stretched chain whose end is held and whose middle is pulled aside: least squares, and there it stays."""
    posing = Posing(chain(8, "spherical"), error=1e-4)
    posing.largest_turn = 0.1
    end = posing.poses()[0][7]
    posing.pull("link 7", (0.0, 0.0, 0.0), end, 10.0)
    posing.pull("link 3", (0.0, 0.0, 0.0), (3.0, 0.0, 0.8))
    wanted = [Wanted(7, (end[0], end[2]), 10.0), Wanted(3, (3.0, 0.8), 1.0)]
    middles = settled_middles(8, wanted)
    for _ in range(4):
        posing.approach(100)
        places = posing.poses()[0]
        assert cost(places[:, [0, 2]], wanted) == pytest.approx(cost(middles, wanted), rel=1e-5)
    assert places[[3, 7]][:, [0, 2]] == pytest.approx(middles[[3, 7]], abs=1e-3)


def test_a_pull_that_begins_where_it_ends_does_not_spoil_what_follows():
    """The ways left are rounding at first: how far joints may turn must not follow from that."""
    steps = []
    for begins_there in (False, True):
        posing = Posing(chain(10), error=1e-6)
        posing.pull("link 9", (0.0, 0.0, 0.0), (7.5, 1.7, 2.3))
        posing.approach(50)
        posing.release()
        pull = posing.pull("link 9", (0.3, 0.1, 0.2), (0.0, 0.0, 0.0))
        (engine,) = posing._pulled()
        (place,) = engine.place_pulled()
        posing.lead(pull, place + 1e-15)
        if begins_there:
            posing.approach(10)
            assert posing.distance() < 1e-12
        posing.lead(pull, (7.0, 2.5, 1.0))
        count = 0
        while posing.distance() > 1e-6:
            posing.approach()
            count += 1
            assert count < 200
        steps.append(count)
    assert steps[1] <= steps[0] + 1


def test_short_steps_leave_long_arms_where_they_are():
    """Pulled across in its middle, a long loose chain of 400 m bends there; its ends stay, with short steps the more.

    Steps that throw the arms about are followed by shorter ones: without that rule the ends would stray by 15 m.
    """
    strayed = []
    for largest_turn in (0.5, 0.05):
        posing = Posing(chain(400, "spherical"), error=0.0)
        start = posing.poses()[0]
        posing.largest_turn = largest_turn
        posing.pull("link 200", (0.0, 0.0, 0.0), start[200] + (0.0, 0.0, 1.0))
        for _ in range(300):
            posing.approach()
        assert posing.distance() < 0.05
        strayed.append(np.abs(posing.poses()[0] - start)[[0, 399]].max())
    assert strayed[1] < 0.5 * strayed[0] < 1.0


def steps_of_a_drag(stiffness: float) -> int:
    """The number of steps that it takes to draw the end of a chain of 300 links in, aside and out again."""
    posing = Posing(chain(300, "spherical"), error=1e-4, stiffness=stiffness)
    posing.largest_turn = 0.1
    start = posing.poses()[0][299]
    pull, count = posing.pull("link 299", (0.0, 0.0, 0.0), start), 0
    for way in ((-8.0, 3.0, 1.0), (-4.0, 5.0, 2.0), (-1.0, 4.0, 2.0)):
        posing.lead(pull, start + way)
        while posing.distance() > 1e-4:
            posing.approach()
            count += 1
            assert count < 1000
    return count


def test_what_resists_turning_does_not_zigzag():
    assert steps_of_a_drag(3.0) < 0.4 * steps_of_a_drag(0.0)


def test_stiffness_is_a_moment_of_inertia():
    """That of four links, each with a joint half a metre from its centre of mass."""
    mechanism = chain(4, "spherical")
    posing, forces = Posing(mechanism, error=0.0, stiffness=1.5), ("link 3", (0.0, 3.0, 1.0))
    posing.push(*forces)
    posing.advance(0.01)
    for body in mechanism.bodies:
        body.inertia = tuple(value + 1.5 * 2.0 * body.mass * 0.5**2 for value in body.inertia)
    heavier = Posing(mechanism, error=0.0)
    heavier.push(*forces)
    heavier.advance(0.01)
    assert posing.poses()[0] == pytest.approx(heavier.poses()[0], abs=1e-14)
    with pytest.raises(ValueError, match="stiffness must be zero or a positive number, is -1"):
        Posing(mechanism, stiffness=-1.0)


def steps_until_there(posing: Posing, most: int) -> int:
    count = 0
    while posing.distance() > 1e-6 and count < most:
        posing.approach()
        count += 1
    return count


@pytest.mark.parametrize("kind", ["revolute", "spherical"])
@pytest.mark.parametrize("stiffness", [0.0, 3.0])
@pytest.mark.parametrize("way", [1.0, 0.05])
def test_a_chain_in_line_can_be_pushed_together(kind, stiffness, way):
    """A saddle: no force along the line moves anything, and it stood there for ever."""
    posing = Posing(chain(6, kind), error=1e-3, stiffness=stiffness)
    posing.largest_turn = 0.1
    posing.pull("link 5", (0.0, 0.0, 0.0), (5.5 - way, 0.0, 0.0))
    assert steps_until_there(posing, 50) < 50


def test_a_pinned_chain_in_line_can_be_pushed_together():
    posing = Posing(chain(9, "spherical"), error=1e-3, stiffness=3.0)
    posing.largest_turn = 0.1
    posing.pull("link 4", (0.0, 0.0, 0.0), (4.5, 0.0, 0.0), 10.0)
    posing.pull("link 8", (0.0, 0.0, 0.0), (8.0, 0.0, 0.0))
    assert steps_until_there(posing, 50) < 50


def test_a_chain_in_line_is_not_shaken_by_a_place_beyond_its_reach():
    """What was tried beside the line is taken back to the last bit."""
    posing = Posing(chain(6, "spherical"), error=1e-3, stiffness=3.0)
    start = posing.poses()
    posing.pull("link 5", (0.0, 0.0, 0.0), (7.0, 0.0, 0.0))
    posing.approach(3)
    assert all(np.array_equal(now, before) for now, before in zip(posing.poses(), start, strict=True))


@pytest.mark.parametrize("short", [1e-4, 1e-2])
def test_places_at_the_border_of_the_reach_are_come_to(short):
    """From a bent pose to one nearly in line; with 0.1 mm left it did not arrive in 200 steps."""
    posing = Posing(chain(16, "spherical"), error=1e-3, stiffness=3.0)
    posing.largest_turn = 0.1
    pull = posing.pull("link 15", (0.5, 0.0, 0.0), (6.0, 7.0, 5.0))
    steps_until_there(posing, 200)
    posing.lead(pull, (16.0 - short) * np.array([0.6, 0.64, 0.48]))
    steps_until_there(posing, 200)
    assert posing.distance() < 1e-6
