# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing among things that touch: nothing goes through anything, and what is dragged comes as near as it can."""

from __future__ import annotations

import math

import numpy as np
import pytest

from solver import Posing
from solver.mechanism import Body, Joint, Mechanism, Nail
from solver.mechanism.bodies import Box, Capsule, Cylinder, Sphere
from solver.mechanism.description import Contact, Ground
from solver.posing.contact_engine import MARGIN, ContactEngine
from solver.posing.posing import MOST_WITH_LIMITS
from solver.posing.surroundings import GROUND

ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)
RADIUS, HALF = 0.1, 0.35


def rods(count: int, kind: str = "spherical", ground: bool = True) -> Mechanism:
    """A chain of capsules along X, 1 m from joint to joint, half a metre over the ground."""
    bodies = [
        Body(
            f"rod {i}",
            mass=1.0,
            inertia=(0.01, 0.1, 0.1),
            position=(0.5 + i, 0.0, 0.5),
            shape=Capsule(radius=RADIUS, half_length=HALF, orientation=ALONG_X),
        )
        for i in range(count)
    ]
    joints = [
        Joint(
            f"joint {i}",
            kind,
            f"rod {i - 1}" if i else None,
            f"rod {i}",
            position=(float(i), 0.0, 0.5),
            orientation=(0.5**0.5, 0.5**0.5, 0.0, 0.0),
        )
        for i in range(count)
    ]
    return Mechanism(bodies=bodies, joints=joints, contact=Contact(ground=Ground(height=0.0) if ground else None))


def posed(mechanism: Mechanism) -> Posing:
    """As Pose in Blender has it."""
    posing = Posing(mechanism, stiffness=3.0, with_limits=True, with_contact=True)
    posing.largest_turn = 0.1
    return posing


def engines(posing: Posing) -> list[ContactEngine]:
    """Those of the linkages that were pulled so far."""
    return [each for each in posing._engines.values() if isinstance(each, ContactEngine)]


def deepest(posing: Posing) -> float:
    """m: the smallest gap of all."""
    found = (each.surroundings.gaps(each._scratch, 0.05).gap.min(initial=1.0) for each in engines(posing))
    return float(min(found))


def lead(posing: Posing, pull, way: np.ndarray, steps: int = 10) -> float:
    """Leads the hand along places (n, 3); returns the smallest gap on the way."""
    smallest = 1.0
    for place in way:
        posing.lead(pull, place)
        posing.approach(steps)
        smallest = min(smallest, deepest(posing))
    return smallest


def test_a_rod_that_is_pulled_into_the_ground_lies_on_it() -> None:
    """Its end stands a radius over it, at the angle that follows; the hand goes on down, and along."""
    posing = posed(rods(1, "revolute"))
    pull = posing.pull("rod 0", (0.5, 0.0, 0.0), (1.0, 0.0, 0.5))
    smallest = lead(posing, pull, np.linspace((1.0, 0.0, 0.5), (0.6, 0.0, -0.8), 20), 30)
    margin = MARGIN * engines(posing)[0].model.size
    assert -1e-9 < smallest < 2.0 * margin
    angle = math.asin((0.5 - RADIUS - deepest(posing)) / (0.5 + HALF))
    along = posing.poses()[1][0]
    assert 2.0 * math.acos(abs(along[0])) == pytest.approx(angle, abs=1e-6)
    assert posing.meeting() == [("rod 0", GROUND)]
    posing.lead(pull, (0.9, 0.0, 0.9))
    posing.approach(50)
    assert posing.meeting() == []
    assert posing.poses()[0][0][2] > 0.5, "it comes off again"


@pytest.mark.parametrize("thickness", [0.2, 0.01])
def test_a_chain_does_not_go_through_a_wall(thickness: float) -> None:
    """Nor one much thinner than a step is long."""
    mechanism = rods(4)
    mechanism.bodies.append(
        Body("wall", motion="fixed", position=(3.0, 0.6, 0.5), shape=Box(half_size=(2.0, 0.5 * thickness, 2.0)))
    )
    posing = posed(mechanism)
    pull = posing.pull("rod 3", (0.5, 0.0, 0.0), (4.0, 0.0, 0.5))
    smallest = lead(posing, pull, np.linspace((4.0, 0.0, 0.5), (3.0, 2.0, 0.7), 6))
    assert smallest > -1e-9
    assert ("rod 3", "wall") in posing.meeting()
    end = posing.poses()[0][3]
    assert end[1] < 0.6 - 0.5 * thickness - RADIUS + 1e-6
    assert posing.distance() < 2.0 - 0.6 + 0.5 * thickness + 2.0 * RADIUS, "as near as it can be"


def test_bodies_of_one_linkage_do_not_go_through_each_other() -> None:
    """The end of a chain is led round into its own beginning; without contact it goes through."""
    for with_contact in (True, False):
        mechanism = rods(4, ground=False)
        mechanism.joints[0].type = "fixed"
        posing = Posing(mechanism, stiffness=3.0, with_limits=True, with_contact=with_contact)
        posing.largest_turn = 0.1
        pull = posing.pull("rod 3", (0.0, 0.0, 0.0), (3.5, 0.0, 0.5))
        way = np.array([(3.0, 1.5, 0.5), (2.0, 1.8, 0.5), (0.5, 1.5, 0.5), (0.5, 0.8, 0.5), (0.5, 0.0, 0.5)])
        for goal in way:
            for place in np.linspace(posing.poses()[0][3], goal, 8):
                posing.lead(pull, place)
                posing.approach(10)
                assert not with_contact or deepest(posing) > -1e-9
        apart = np.linalg.norm(posing.poses()[0][3] - (0.5, 0.0, 0.5))
        assert (apart > RADIUS) == with_contact


def test_other_linkages_stand_in_the_way_and_stay() -> None:
    mechanism = rods(2, ground=False)
    mechanism.bodies.append(
        Body("ball", mass=1.0, inertia=(0.1,) * 3, position=(1.5, 0.8, 0.5), shape=Sphere(radius=0.3))
    )
    posing = posed(mechanism)
    before = posing.poses()[0][2].copy()
    pull = posing.pull("rod 1", (0.0, 0.0, 0.0), (1.5, 0.0, 0.5))
    assert lead(posing, pull, np.linspace((1.5, 0.0, 0.5), (1.5, 1.6, 0.5), 10)) > -1e-9
    assert (posing.poses()[0][2] == before).all()
    posing.release()
    ball = posing.pull("ball", (0.0, 0.0, 0.0), (1.5, 0.8, 0.5))
    posing.lead(ball, (1.5, 3.0, 0.5))
    posing.approach(100)
    posing.release()
    pull = posing.pull("rod 1", (0.0, 0.0, 0.0), tuple(posing.poses()[0][1]))
    lead(posing, pull, np.linspace(posing.poses()[0][1], (0.8, 1.1, 0.5), 10))
    assert posing.distance() < 1e-6, "where it stood there is room now"


def test_gaps_open_as_fast_as_differences_say() -> None:
    """All shapes, on the ground and beside each other, along all axes of a chain with a nail."""
    mechanism = rods(3)
    shapes = (Box(half_size=(0.4, 0.1, 0.15)), Cylinder(radius=0.2, half_length=0.3), Sphere(radius=0.3))
    for body, shape in zip(mechanism.bodies, shapes, strict=True):
        body.shape = shape
    for i, x in enumerate((0.45, 1.4, 2.6)):
        mechanism.bodies.append(Body(f"stone {i}", motion="fixed", position=(x, 0.75, 0.45), shape=Sphere(radius=0.3)))
    posing = posed(mechanism)
    posing.pull("rod 2", (0.0, 0.0, 0.0), (2.2, 0.1, 0.6))
    posing.approach(20)
    (engine,) = engines(posing)
    surroundings, scratch = engine.surroundings, engine._scratch
    gaps = surroundings.gaps(scratch, 0.5)
    rates, on = surroundings.rates(scratch, gaps), surroundings.on_bodies(scratch, gaps)
    assert len(gaps.gap) > 8
    assert {tuple(pair) for pair in gaps.bodies.tolist()} >= {(0, 4), (0, 5), (0, 6)}
    begin, step = engine.coordinates(), 1e-6
    for axis in range(rates.shape[1]):
        found = []
        for side in (1.0, -1.0):
            engine._work.tangent[:] = 0.0
            engine._work.tangent[axis] = side * step
            engine._move_by()
            found.append(surroundings.gap_of_points(scratch, gaps, on))
            engine.set_coordinates(begin)
        assert (found[0] - found[1]) / (2.0 * step) == pytest.approx(rates[:, axis], abs=1e-8)


def test_a_four_bar_over_the_ground_stays_closed() -> None:
    """Its coupler is dragged into the ground, on which a rod's end comes to lie."""
    mechanism = rods(3, "revolute")
    mechanism.constraints = [Nail("nail", body="rod 2", point=(3.0, 0.0, 0.5))]
    for body, (x, z, angle) in zip(
        mechanism.bodies, ((0.35, 0.85, -0.8), (1.2, 1.2, 0.0), (2.05, 0.85, 0.8)), strict=True
    ):
        body.position, body.orientation = (x, 0.0, z), (math.cos(0.5 * angle), 0.0, math.sin(0.5 * angle), 0.0)
    ends = [
        np.array(body.position) + 0.5 * np.array((math.cos(a), 0.0, -math.sin(a)))
        for body, a in zip(mechanism.bodies, (-0.8, 0.0, 0.8), strict=True)
    ]
    starts = [2.0 * np.array(body.position) - end for body, end in zip(mechanism.bodies, ends, strict=True)]
    shift = [ends[0] - starts[1], ends[0] - starts[1] + ends[1] - starts[2]]
    for body, way in zip(mechanism.bodies[1:], shift, strict=True):
        body.position = tuple(np.array(body.position) + way)
    for joint, place in zip(mechanism.joints, (starts[0], ends[0], ends[1] + shift[0]), strict=True):
        joint.position = tuple(place)
    mechanism.constraints[0].point = tuple(ends[2] + shift[1])
    posing = posed(mechanism)
    first = np.array(mechanism.bodies[1].position)
    pull = posing.pull("rod 1", (0.0, 0.0, 0.0), tuple(first))
    assert lead(posing, pull, np.linspace(first, first - (0.5, 0.0, 1.5), 25)) > -1e-9
    positions, orientations = posing.poses()
    q = orientations[2]
    end = positions[2] + 0.5 * np.array(
        (1.0 - 2.0 * (q[2] ** 2 + q[3] ** 2), 2.0 * (q[1] * q[2] + q[0] * q[3]), 2.0 * (q[1] * q[3] - q[0] * q[2]))
    )
    assert np.abs(end - mechanism.constraints[0].point).max() < 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_random_drags_lead_nothing_through_anything(seed: int) -> None:
    """Among stones and over the ground, with limits and a pin; the hand's way is as rough as it may be."""
    rng = np.random.default_rng(seed)
    mechanism = rods(4)
    for i in range(6):
        place = (rng.uniform(0.5, 4.0), rng.choice((-1.0, 1.0)) * rng.uniform(0.7, 1.5), rng.uniform(0.2, 1.5))
        shape = (Sphere(radius=0.3), Box(half_size=(0.3, 0.2, 0.1)), Cylinder(radius=0.2, half_length=0.3))[i % 3]
        mechanism.bodies.append(Body(f"stone {i}", motion="fixed", position=place, shape=shape))
    posing = posed(mechanism)
    for _ in range(12):
        posing.release()
        body = int(rng.integers(4))
        start = posing.poses()[0][body]
        if rng.random() < 0.5:
            posing.pull("rod 1", (0.0, 0.0, 0.0), tuple(posing.poses()[0][1]), 10.0)
        pull = posing.pull(f"rod {body}", (0.0, 0.0, 0.0), tuple(start))
        assert lead(posing, pull, np.linspace(start, start + rng.normal(size=3), 5), 8) > -1e-9


def test_what_overlaps_at_first_does_not_get_deeper() -> None:
    mechanism = rods(2)
    mechanism.contact.ground.height = 0.42  # two centimetres over the lowest points
    posing = posed(mechanism)
    pull = posing.pull("rod 1", (0.5, 0.0, 0.0), (2.0, 0.0, 0.5))
    first = deepest(posing)
    assert first == pytest.approx(-0.02, abs=1e-9)
    assert lead(posing, pull, np.linspace((2.0, 0.0, 0.5), (1.8, 0.3, -0.5), 10)) > first - 1e-6
    posing.lead(pull, (1.8, 0.0, 1.2))
    posing.approach(60)
    assert posing.distance() < 1e-6


def test_a_linkage_that_is_too_large_goes_through_and_it_is_known() -> None:
    count = MOST_WITH_LIMITS // 3 + 1
    posing = posed(rods(count))
    assert posing.goes_through("rod 0")
    assert not posed(rods(3)).goes_through("rod 0")
    assert not Posing(rods(count), with_limits=True).goes_through("rod 0"), "nobody asked for it"
