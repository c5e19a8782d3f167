# SPDX-License-Identifier: GPL-3.0-or-later
"""Linkages that are led, against closed forms: each pose to rounding, each branch kept."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism
from solver.kinematics import Kinematics
from solver.mechanism import Body, Gear, Joint
from tests.solver.kinematics.planar import Planar, four_bar, jansen_leg
from tests.truths.closed_loops import SliderCrank, bennett, bennett_follower, bennett_ratio
from tests.truths.planar_linkages import freudenstein, jansen

EXACT = 1e-9  # of the size


def turned(angle) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


@pytest.mark.fallback
@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("lengths", [(1.0, 3.5, 2.5, 4.0), (0.2, 1.0, 0.9, 1.1), (2.0, 2.2, 2.5, 1.0)])
def test_four_bars_are_those_of_freudenstein(lengths, side: int) -> None:
    planar = four_bar(lengths, 0.7, side)
    kinematics = Kinematics(planar.mechanism, ["A crank"])
    for crank in [*np.linspace(0.7, 7.7, 15), -3.0, 0.7]:
        led = kinematics.lead({"A crank": crank - 0.7})
        assert led.reached == 1.0
        assert led.error < EXACT
        assert not led.notes
        expected = np.array([lengths[3], 0.0]) + lengths[2] * turned(freudenstein(lengths, crank, side))
        assert np.abs(planar.points(kinematics)["C"] - expected).max() < EXACT * planar.size


@pytest.mark.fallback
def test_a_slider_crank_goes_through_its_dead_centres() -> None:
    truth = SliderCrank((1.0, 1.0, 1.0), (0.1, 0.1), 0.5, 1.2)
    kinematics = Kinematics(slider_crank(truth, 0.4), ["main"])
    for angle in np.linspace(0.4, 13.0, 29):
        led = kinematics.lead([angle - 0.4])
        assert led.reached == 1.0
        assert led.error < EXACT
        position = kinematics.poses()[0][2]
        np.testing.assert_allclose(position, (truth.slider(angle), 0.0, 0.0), atol=EXACT)


def slider_crank(truth: SliderCrank, angle: float) -> Mechanism:
    pin = truth.crank * turned(angle)
    slider = np.array([truth.slider(angle), 0.0])
    along_x = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
    bodies = [
        Body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), position=(*place, 0.0))
        for name, place in (("crank", (0.0, 0.0)), ("rod", pin), ("slider", slider))
    ]
    joints = [
        Joint("main", "revolute", None, "crank", position=(0.0, 0.0, 0.0)),
        Joint("big end", "revolute", "crank", "rod", position=(*pin, 0.0)),
        Joint("small end", "revolute", "rod", "slider", position=(*slider, 0.0)),
        Joint("guide", "prismatic", None, "slider", position=(*slider, 0.0), orientation=along_x),
    ]
    return Mechanism(bodies=bodies, joints=joints)


def test_a_piston_drives_a_crank_up_to_its_dead_centre() -> None:
    truth = SliderCrank((1.0, 1.0, 1.0), (0.1, 0.1), 0.5, 1.2)
    kinematics = Kinematics(slider_crank(truth, 0.9), ["guide"])
    start = truth.slider(0.9)
    assert kinematics.lead([1.6 - start]).reached == 1.0
    led = kinematics.lead([1.8 - start])  # the crank and the rod are in line at 1.7 m
    reached = kinematics.poses()[0][2, 0]
    assert led.reached < 1.0
    assert abs(reached - 1.7) < 1e-4
    assert led.error < EXACT
    assert [note.code for note in led.notes] == ["led-to-dead-centre"]
    assert kinematics.lead([1.0 - start]).reached == 1.0
    crank_pin = kinematics.poses()[0][1, :2]
    assert crank_pin[1] > 0.0  # on the side that it came from
    assert np.linalg.norm(crank_pin - (1.0, 0.0)) == pytest.approx(truth.rod, abs=EXACT)


def test_a_leg_of_jansen_of_eleven_bars() -> None:
    planar = jansen_leg(0.3)
    kinematics = Kinematics(planar.mechanism, ["O m"])
    for crank in [*np.linspace(0.3, 0.3 + 2.0 * np.pi, 25), 2.0, -4.0, 0.3]:
        led = kinematics.lead([crank - 0.3])
        assert led.reached == 1.0
        assert led.error < EXACT
        found, expected = planar.points(kinematics), jansen(crank)
        for name, place in found.items():
            assert np.abs(place - 0.01 * expected[name]).max() < EXACT * planar.size, name


def test_a_parallelogram_passes_its_change_points_and_stays_one() -> None:
    """In line, it could go on as an antiparallelogram as well."""
    points = {"A": (0, 0), "B": (0.6, 0.8), "C": (3.6, 0.8), "D": (3, 0)}
    planar = Planar(points, {"crank": "AB", "coupler": "BC", "rocker": "CD"}, "AD")
    kinematics = Kinematics(planar.mechanism, ["A crank"])
    start = np.arctan2(0.8, 0.6)
    angles = [*np.linspace(start, 20.0, 101), np.pi, 3.2, 2.0 * np.pi, 3.0 * np.pi, -np.pi, -9.0, start]
    for angle in angles:
        led = kinematics.lead([angle - start])
        assert led.reached == 1.0
        assert led.error < EXACT
        found = planar.points(kinematics)
        at_change_point = abs(np.sin(angle)) < 1e-9  # there what closes to 1e-9 leaves 1e-5 to the angles
        assert np.abs(found["C"] - found["B"] - (3.0, 0.0)).max() < (1e-4 if at_change_point else EXACT)


def test_a_loop_of_bennett_moves_though_no_count_says_so() -> None:
    twists, angle = (0.7, 1.1), 0.9
    loop = bennett(1.0, *twists, angle)
    frames = loop.frames()
    bodies, joints = [], []
    names = [None, "b1", "b2", "b3"]
    for k in (1, 2, 3):
        bodies.append(Body(names[k], mass=1.0, inertia=(0.1, 0.1, 0.1), position=tuple(frames[k][:3, 3])))
    for k in range(4):  # hinge k, about the z of its frame, between link k - 1 and link k; link 0 is the world's
        joints.append(
            Joint(
                f"h{k}",
                "revolute",
                names[k - 1] if k else names[3],
                names[k] or "b3",
                position=tuple(frames[k][:3, 3]),
                orientation=quaternion(frames[k][:3, :3]),
            )
        )
    joints[0].parent, joints[0].child = None, "b3"
    kinematics = Kinematics(Mechanism(bodies=bodies, joints=joints), ["h1"])
    (mobility,) = kinematics.mobility()
    assert (mobility.freedoms, mobility.count, mobility.undecided) == (1, -2, 0)
    ratio = bennett_ratio(*twists)
    start = kinematics.linkages[0].joint_of_axis.index(("h2", 0))
    for turn in (0.2, 0.6, -0.5):
        assert kinematics.lead([turn]).error < EXACT
        follower = kinematics.linkages[0].state.coordinates[start]
        # angle of h1 is the loop's second, that of h2 its third; the third goes with minus the first of the next pair
        second = bennett_follower(angle, ratio) + turn
        third = -bennett_first(second, ratio)
        assert follower == pytest.approx(third - -angle, abs=1e-8)


def bennett_first(following: float, ratio: float) -> float:
    """tan(a / 2) tan(b / 2) = ratio, solved for a."""
    return 2.0 * np.arctan2(ratio * np.cos(0.5 * following), np.sin(0.5 * following))


def quaternion(R: np.ndarray) -> tuple:
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_matrix(R).as_quat()
    return (w, x, y, z)


def test_a_ball_jointed_rod_keeps_its_length_between_two_cranks() -> None:
    """RSSR: the rod may spin about itself, which nobody drives, and it is said."""
    pin, end = np.array([0.5, 0.0, 0.0]), np.array([2.0, 0.8, 0.6])
    bodies = [
        Body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.0)),
        Body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), position=tuple(0.5 * (pin + end))),
        Body("rocker", mass=1.0, inertia=(0.1, 0.1, 0.1), position=tuple(end)),
    ]
    joints = [
        Joint("a", "revolute", None, "crank", position=(0.0, 0.0, 0.0)),
        Joint("ball a", "spherical", "crank", "rod", position=tuple(pin)),
        Joint("ball b", "spherical", "rod", "rocker", position=tuple(end)),
        Joint(
            "b", "revolute", None, "rocker", position=(2.0, 0.8, -0.6), orientation=(np.sqrt(0.5), np.sqrt(0.5), 0, 0)
        ),
    ]
    kinematics = Kinematics(Mechanism(bodies=bodies, joints=joints), ["a"])
    (mobility,) = kinematics.mobility()
    assert (mobility.freedoms, mobility.undecided, mobility.moving) == (2, 1, ["rod"])
    length = np.linalg.norm(end - pin)
    for turn in np.linspace(0.0, 2.0 * np.pi, 13):
        assert kinematics.lead([turn]).error < EXACT
        position = kinematics.poses()[0]
        at = np.array([0.5 * np.cos(turn), 0.5 * np.sin(turn), 0.0])
        assert np.linalg.norm(position[2] - at) == pytest.approx(length, abs=EXACT)


def test_gears_lead_what_hangs_on_them() -> None:
    bodies = [Body(name, mass=1.0, inertia=(1, 1, 1), position=(x, 0, 0)) for name, x in (("a", 0.0), ("b", 1.0))]
    joints = [
        Joint("axle a", "revolute", None, "a", position=(0.0, 0.0, 0.0)),
        Joint("axle b", "revolute", None, "b", position=(1.0, 0.0, 0.0)),
    ]
    gear = Gear("teeth", joint_a="axle a", joint_b="axle b", ratio=-0.5)
    kinematics = Kinematics(Mechanism(bodies=bodies, joints=joints, constraints=[gear]), ["axle a"])
    kinematics.lead([9.0])
    q = kinematics.poses()[1][1]
    assert 2.0 * np.arctan2(q[3], q[0]) == pytest.approx(-4.5 + 2.0 * np.pi, abs=1e-9) or 2.0 * np.arctan2(
        q[3], q[0]
    ) == pytest.approx(-4.5, abs=1e-9)


def test_a_keyed_body_leads_too() -> None:
    """The crank is no joint's drive, but moved by hand; the other two follow."""
    lengths = (1.0, 3.5, 2.5, 4.0)
    planar = four_bar(lengths, 0.7, 1)
    planar.mechanism.bodies[0].motion = "fixed"
    del planar.mechanism.joints[0]
    kinematics = Kinematics(planar.mechanism)
    positions, orientations = kinematics.poses()
    for crank in (1.5, 2.9, 4.0, 0.7):
        orientations[0] = (np.cos(0.5 * (crank - 0.7)), 0.0, 0.0, np.sin(0.5 * (crank - 0.7)))
        assert kinematics.lead((), positions, orientations).error < EXACT
        expected = np.array([4.0, 0.0]) + 2.5 * turned(freudenstein(lengths, crank, 1))
        assert np.abs(planar.points(kinematics)["C"] - expected).max() < EXACT * planar.size
