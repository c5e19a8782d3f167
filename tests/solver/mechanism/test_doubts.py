# SPDX-License-Identifier: GPL-3.0-or-later
"""What runs as it is described and is perhaps not meant is said, with its parts; what is meant is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Mechanism, simulate
from solver.mechanism import Action, Body, Follow, Gear, Joint, Keys, Path
from solver.mechanism.doubts import doubts_about
from tests.truths.transmissions import carrier_of_planetary

SUN, PLANET, TURNED = 18.0, 24.0, 0.5  # teeth, rad


def planetary(sun_on: str | None, motion: str = "dynamic") -> Mechanism:
    """A sun and a planet that rolls around it, on a carrier; the sun is hinged to a body, or to the world."""
    bodies = [
        Body(name, mass=1.0, inertia=(0.1,) * 3, position=position, angular_velocity=(0.0, 0.0, 1.0))
        for name, position in (("carrier", (0, 0, 0)), ("sun", (0, 0, 0)), ("planet", (1, 0, 0)))
    ]
    bodies.append(Body("frame", mass=1.0, inertia=(0.1,) * 3, position=(0, 0, -1), motion=motion))
    joints = [
        Joint(name=child, type="revolute", parent=parent, child=child, position=place)
        for parent, child, place in (
            ("frame", "carrier", (0, 0, 0)),
            (sun_on, "sun", (0, 0, 0)),
            ("carrier", "planet", (1, 0, 0)),
        )
    ]
    mesh = Gear("mesh", joint_a="sun", joint_b="planet", ratio=-SUN / PLANET)
    return Mechanism(gravity=(0.0, 0.0, 0.0), bodies=bodies, joints=joints, constraints=[mesh])


@pytest.mark.parametrize("sun_on", [None, "frame"])
def test_a_sun_that_is_not_hinged_to_its_planets_carrier_is_named(sun_on):
    (doubt,) = doubts_about(planetary(sun_on))
    assert (doubt.code, doubt.parts) == ("gear-without-carrier", (("constraint", "mesh"),))
    assert (doubt.values["joint_a"], doubt.values["joint_b"]) == ("sun", "planet")
    assert "carrier" in doubt


def test_wheels_on_one_carrier_or_on_what_stands_still_are_not():
    assert doubts_about(planetary("carrier")) == []
    standing = planetary(None, "fixed")
    standing.joints[2].parent = "frame"
    assert doubts_about(standing) == []


@pytest.mark.fallback
def test_the_recording_says_it_and_what_is_named_would_turn_otherwise():
    """On the carrier, the ring that an epicyclic train would have is the planet's outer side (Willis)."""
    good, doubtful = (simulate(planetary(sun_on, "fixed"), 0.25, 8.0) for sun_on in ("carrier", None))
    assert "gear-without-carrier" in [note.code for note in doubtful.notes]
    assert "gear-without-carrier" not in [note.code for note in good.notes]
    turned = np.diff(good.joint_coordinates, axis=0)[0]
    sun, carrier, planet = turned[1] + turned[0], turned[0], turned[2] + turned[0]
    ring = carrier + (planet - carrier) * PLANET / (SUN + 2.0 * PLANET)
    assert carrier == pytest.approx(carrier_of_planetary(sun, ring, SUN, SUN + 2.0 * PLANET), abs=1e-9)


SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 0)]


def on_path(points: list, times: list | None = None) -> Mechanism:
    times = list(map(float, range(len(points)))) if times is None else times
    body = Body("led", mass=1.0, inertia=(0.1,) * 3, position=points[0])
    path = Path("way", body="led", point=points[0], times=times, positions=points)
    return Mechanism(gravity=(0.0, 0.0, 0.0), bodies=[body], constraints=[path])


def test_a_path_over_the_corners_of_a_square_says_how_wide_it_goes():
    mechanism = on_path(SQUARE)
    (doubt,) = doubts_about(mechanism)
    assert (doubt.code, doubt.parts, doubt.values["angle"]) == ("path-corner", (("constraint", "way"),), "90")
    x, y = simulate(mechanism, 4.0, 100.0).position[:, 0, :2].T
    # how far each place is from the nearest side
    wide = np.maximum(np.maximum(-x, x - 1.0), np.maximum(-y, y - 1.0))
    assert float(doubt.values["gap"]) == pytest.approx(wide.max(), rel=0.1)


def test_so_does_a_body_that_is_keyed_over_them():
    turn = [(1.0, 0.0, 0.0, 0.0)] * 5
    body = Body("led", motion="keyed", position=SQUARE[0], keys=Keys([0.0, 1.0, 2.0, 3.0, 4.0], SQUARE, turn))
    (doubt,) = doubts_about(Mechanism(bodies=[body]))
    assert (doubt.code, doubt.parts, doubt.values["angle"]) == ("path-corner", (("body", "led"),), "90")
    assert float(doubt.values["gap"]) == pytest.approx(0.283, abs=0.002)
    times = np.linspace(0.0, 4.0, 41)  # as a scene is sampled
    close = np.array([np.interp(times, range(5), column) for column in np.array(SQUARE, float).T]).T
    body.keys = Keys(times.tolist(), close.tolist(), [(1.0, 0.0, 0.0, 0.0)] * 41)
    assert doubts_about(Mechanism(bodies=[body])) == []


def test_round_paths_and_corners_with_points_beside_them_do_not():
    turn = np.linspace(0.0, 2.0 * np.pi, 13)
    circle = np.column_stack([np.cos(turn), np.sin(turn), 0.0 * turn]).tolist()
    assert doubts_about(on_path(circle)) == []
    close = np.array([np.interp(np.linspace(0, 4, 161), range(5), column) for column in np.array(SQUARE, float).T]).T
    assert doubts_about(on_path(close.tolist(), np.linspace(0.0, 4.0, 161).tolist())) == []


TIMES = np.linspace(0.0, 1.0, 25)


def follower(kind: str, axes, turns=None, places=None, limits=None, base=None) -> Mechanism:
    """A body that follows keys, in a joint with limits to the world or to a base with keys of its own."""
    turns = Rotation.identity(len(TIMES)) if turns is None else turns
    places = np.zeros((len(TIMES), 3)) if places is None else places
    keys = Keys(TIMES, places, turns.as_quat(scalar_first=True))
    bodies = [Body("arm", mass=1.0, inertia=(0.1,) * 3, position=(0, 0, 0), keys=keys, follow=Follow())]
    if base is not None:
        bodies.append(Body("base", motion="keyed", position=(0, 0, 0), keys=base))
    joint = Joint("j", kind, None if base is None else "base", "arm", (0.0, 0.0, 0.0), orientation=axes, limits=limits)
    return Mechanism(bodies=bodies, joints=[joint])


ALONG_X = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # a joint's Z along the world's X
SWING = 1.2 * np.sin(np.pi * TIMES)


@pytest.mark.parametrize("limit", [1.0, 1.3])
def test_an_animation_past_the_limit_of_a_hinge_is_named_with_the_worst_moment(limit):
    turns = Rotation.from_rotvec(np.outer(SWING, (1.0, 0.0, 0.0)))
    doubts = doubts_about(follower("revolute", ALONG_X, turns, limits=[(-0.1, limit)]))
    if limit > 1.2:
        assert doubts == []
        return
    assert (doubts[0].code, doubts[0].parts) == ("follow-past-limit", (("body", "arm"),))
    assert doubts[0].values == {"joint": "j", "gap": "0.2 rad", "time": "0.5"}
    assert "past the limit of joint 'j' by up to 0.2 rad" in str(doubts[0])


def test_it_counts_beside_what_the_body_hangs_on():
    """A base that turns along by 1 rad leaves 0.2; the hinge starts unturned where both are placed."""
    turns = Rotation.from_rotvec(np.outer(SWING, (1.0, 0.0, 0.0)))
    base = Keys(
        TIMES, np.zeros((25, 3)), Rotation.from_rotvec(np.outer(SWING / 1.2, (1, 0, 0))).as_quat(scalar_first=True)
    )
    assert doubts_about(follower("revolute", ALONG_X, turns, limits=[(-0.3, 0.3)], base=base)) == []
    (doubt,) = doubts_about(follower("revolute", ALONG_X, turns, limits=[(-0.3, 0.1)], base=base))
    assert doubt.values["gap"] == "0.1 rad"


def test_sliders_and_balls_too():
    places = np.outer(SWING, (1.0, 0.0, 0.0))
    (doubt,) = doubts_about(follower("prismatic", ALONG_X, places=places, limits=[(0.0, 1.0)]))
    assert doubt.values["gap"] == "0.2 m"
    turns = Rotation.from_rotvec(np.outer(SWING, (0.6, 0.0, -0.8)))
    limits = [(-1.0, 1.0), None, (-0.5, 0.5)]
    (doubt,) = doubts_about(follower("spherical", (1.0, 0.0, 0.0, 0.0), turns, limits=limits))
    assert doubt.values["gap"] == "0.46 rad"


def test_an_animation_about_an_axis_that_a_hinge_lacks_is_named():
    turns = Rotation.from_rotvec(np.outer(0.5 * SWING, (0.8, 0.6, 0.0)))
    (doubt,) = doubts_about(follower("revolute", ALONG_X, turns))
    assert (doubt.code, doubt.parts) == ("follow-off-joint", (("body", "arm"),))
    lean = np.arccos(1.0 - (1.0 - np.cos(0.6)) * 0.36)  # of X, turned by 0.6 rad about an axis 0.6 aside
    assert doubt.values == {"joint": "j", "gap": f"{lean:.3g} rad", "time": "0.5"}
    assert "goes where joint 'j' cannot, by up to 0.357 rad" in str(doubt)
    assert doubts_about(follower("spherical", ALONG_X, turns)) == []
    few = Rotation.from_rotvec(np.outer(0.05 * SWING, (0.0, 1.0, 0.0)))
    assert doubts_about(follower("revolute", ALONG_X, few)) == [], "less than is to be seen"


@pytest.mark.parametrize("kind", ["revolute", "spherical", "prismatic"])
def test_an_animation_that_draws_a_joint_apart_is_named(kind):
    places = np.outer(0.1 * SWING, (0.0, 1.0, 0.0))
    (doubt,) = doubts_about(follower(kind, ALONG_X, places=places))
    assert (doubt.code, doubt.values["gap"]) == ("follow-off-joint", "0.12 m")


def test_an_animation_within_limits_is_not_named_for_the_sign_of_its_quaternions():
    turns = Rotation.from_quat(-Rotation.from_rotvec(np.outer(0.5 * SWING, (1.0, 0.0, 0.0))).as_quat())
    assert turns.as_quat()[0, 3] < 0.0
    assert doubts_about(follower("revolute", ALONG_X, turns, limits=[(-1.0, 1.0)])) == []


def test_a_slider_that_stands_at_its_limit_is_not_named_for_rounding():
    places = np.tile((np.float32(0.7), 0.0, 0.0), (len(TIMES), 1))
    assert places[0, 0] != 0.7
    assert doubts_about(follower("prismatic", ALONG_X, places=places, limits=[(0.7, 0.7)])) == []
    (doubt,) = doubts_about(follower("prismatic", ALONG_X, places=places, limits=[(0.0, 0.69)]))
    assert doubt.values["gap"] == "0.01 m"


def test_a_released_body_is_named_only_if_it_is_pulled_again():
    turns = Rotation.from_rotvec(np.outer(SWING, (1.0, 0.0, 0.0)))
    mechanism = follower("revolute", ALONG_X, turns, limits=[(-0.1, 1.0)])
    mechanism.bodies[0].released = True
    assert doubts_about(mechanism) == []
    mechanism.actions.append(Action(0.5, "arm", {"released": False}))
    assert [doubt.code for doubt in doubts_about(mechanism)] == ["follow-past-limit"]


@pytest.mark.fallback
def test_the_run_stays_behind_there():
    turns = Rotation.from_rotvec(np.outer(SWING, (1.0, 0.0, 0.0)))
    recording = simulate(follower("revolute", ALONG_X, turns, limits=[(-0.1, 1.0)]), 1.0)
    assert recording.joint_coordinates.max() < 1.0 + 1e-6
    assert "follow-past-limit" in [note.code for note in recording.notes]
