# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that follow are released and come back: against free bodies and the quintic that they come back by."""

import dataclasses
import json

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Action, Body, Follow, Joint, Keys, Motor, Sphere
from solver.simulation.live import LiveRun

RATE = 96.0
OFF, ON, BLEND = 0.25, 0.75, 0.5  # s: released, pulled again, and how long it takes to come back
KEYS = np.arange(0.0, 2.001, 1.0 / 48.0)


def wave(t, amplitude=0.5):
    """Angle (rad), its rate and its second derivative."""
    w = 3.0 * np.pi
    return amplitude * np.sin(w * t), amplitude * w * np.cos(w * t), -amplitude * w * w * np.sin(w * t)


def least_jerk(x, v, duration, t):
    """The rest (and its second derivative) of an offset x and a rate v after t (s), as is written in the solver."""
    duration = 0.98 * duration
    s = np.clip(t / duration, 0.0, 1.0)
    place = x * (1 - 10 * s**3 + 15 * s**4 - 6 * s**5) + v * duration * (s - 6 * s**3 + 8 * s**4 - 3 * s**5)
    bend = x * (-60 * s + 180 * s**2 - 120 * s**3) + v * duration * (-36 * s + 96 * s**2 - 60 * s**3)
    return place, bend / duration**2


def hand_over(*names: str) -> list[Action]:
    return [Action(time, name, {"released": time == OFF}) for time in (OFF, ON) for name in names]


def pendulum(kind="revolute", touches=False, amplitude=0.5) -> Mechanism:
    """A bone of 0.45 m and 9 kg that hangs on the world by its end, straight out along X, and waves about Y."""
    half = 0.5 * wave(KEYS, amplitude)[0]
    turns = np.column_stack([np.cos(half), 0.0 * half, np.sin(half), 0.0 * half])
    body = Body(
        name="bone", mass=9.0, inertia=(0.003, 0.15, 0.15), center_of_mass=(0.225, 0.0, 0.0),
        keys=Keys(KEYS.tolist(), np.zeros((len(KEYS), 3)), turns), follow=Follow(weight=1.0, blend_time=BLEND),
    )  # fmt: skip
    joint = Joint(name="joint", type=kind, parent=None, child="bone", position=(0.0, 0.0, 0.0))
    if kind == "revolute":
        joint.orientation = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)
    mechanism = Mechanism(bodies=[body], joints=[joint])
    if touches:
        body.shape = Sphere(radius=0.05)
        mechanism.contact = {"enabled": True, "ground": {"height": -9.0}}
    return mechanism


def turned(recording) -> np.ndarray:
    """Angles about Y of a single body that only turns about it."""
    w, _, y, _ = recording.orientation[:, 0].T
    return np.unwrap(2.0 * np.arctan2(y, w))


@pytest.mark.parametrize("touches", [False, True], ids=["smooth", "impulses"])
@pytest.mark.parametrize("kind", ["revolute", "spherical"])
def test_speeds_go_on_and_it_comes_back_by_the_quintic(kind, touches):
    mechanism = pendulum(kind, touches)
    mechanism.actions = hand_over("bone")
    recording = simulate(mechanism, 1.5, RATE)
    t, angle, speed = recording.times, turned(recording), recording.angular_velocity[:, 0, 1]
    before, free, back = t <= OFF, (t >= OFF) & (t <= ON), t >= ON
    assert np.abs(angle - wave(t)[0])[before].max() < 1e-6

    loose = pendulum(kind, touches)  # from where the animation is then, as fast as it is
    (x,), (v,) = (part[before][-1:] for part in wave(t)[:2])
    loose.bodies[0].keys = loose.bodies[0].follow = None
    coordinates = ((x,), (v,)) if kind == "revolute" else ((0.0, x, 0.0), (0.0, v, 0.0))
    loose.joints[0].coordinates, loose.joints[0].speeds = coordinates
    falling = simulate(loose, ON - OFF, RATE)
    assert np.abs(turned(falling) - angle[free]).max() < 2e-6
    assert np.abs(falling.angular_velocity[:, 0, 1] - speed[free]).max() < 2e-5

    x, v = angle[free][-1] - wave(ON)[0], speed[free][-1] - wave(ON)[1]
    assert abs(x) > 0.3
    left, bend = least_jerk(x, v, BLEND, t - ON)
    assert np.abs(angle - wave(t)[0] - left)[back].max() < 2e-6
    assert np.abs(angle - wave(t)[0])[t >= ON + BLEND].max() < 1e-6
    felt = np.diff(angle, 2) * RATE**2
    closed = np.diff(wave(t)[0] + left, 2) * RATE**2
    within = back[:-2]
    assert np.abs(felt - closed)[within].max() < 1e-2 * np.abs(bend).max()


def test_it_returns_from_many_turns_by_the_shortest_way():
    mechanism = pendulum(touches=False, amplitude=0.1)
    mechanism.gravity = (0.0, 0.0, 0.0)
    mechanism.forces = [Motor(name="push", body="bone", point=(0.0, 0.0, 0.0), torque=(0.0, 150.0, 0.0), enabled=False)]
    mechanism.actions = [
        *hand_over("bone"), Action(OFF, "push", {"enabled": True}), Action(ON, "push", {"enabled": False})
    ]  # fmt: skip
    recording = simulate(mechanism, 1.5, RATE)
    t, angle = recording.times, turned(recording)
    assert angle[t <= ON][-1] > 2.5 * np.pi
    off = angle - wave(t, 0.1)[0]
    assert np.abs(off - 2.0 * np.pi * np.round(off / (2.0 * np.pi)))[t >= ON + BLEND].max() < 1e-6


def arm(relative_to="parent", touches=True) -> Mechanism:
    """Three rods of 0.3 m in a row by balls, one metre over the ground, all of which wave and drift; none is held."""
    bodies, joints, half = [], [], 0.5 * wave(KEYS, 0.3)[0]
    place = np.column_stack([0.2 * KEYS, 0.0 * KEYS, 1.0 + 0.0 * KEYS])
    turn = np.tile((1.0, 0.0, 0.0, 0.0), (len(KEYS), 1))
    for k in range(3):
        if k:
            angle = 2.0 * np.arctan2(turn[:, 3], turn[:, 0])
            place = place + 0.3 * np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
            angle = angle + 2.0 * half
            turn = np.column_stack([np.cos(0.5 * angle), 0.0 * angle, 0.0 * angle, np.sin(0.5 * angle)])
            joints.append(
                Joint(name=f"J{k}", type="spherical", parent=f"B{k - 1}", child=f"B{k}", position=tuple(place[0]))
            )
        body = Body(
            name=f"B{k}", mass=1.0, inertia=(0.001, 0.01, 0.01), center_of_mass=(0.15, 0.0, 0.0),
            position=tuple(place[0]), keys=Keys(KEYS.tolist(), place, turn),
            follow=Follow(weight=1.0, blend_time=BLEND, relative_to=relative_to),
        )  # fmt: skip
        if touches:
            body.shape = [Sphere(radius=0.04, position=(0.15, 0.0, 0.0))]
        bodies.append(body)
    mechanism = Mechanism(bodies=bodies, joints=joints)
    if touches:
        mechanism.contact = {"enabled": True, "ground": {"height": 0.3}}
    return mechanism


def off_keys(recording, mechanism: Mechanism) -> np.ndarray:
    """(F, B) m: how far the origins are off their keys, or their orientations in rad."""
    off = []
    for k, body in enumerate(mechanism.bodies):
        frames = np.searchsorted(KEYS, recording.times - 1e-9)
        place = np.linalg.norm(recording.position[:, k] - np.array(body.keys.positions)[frames], axis=1)
        along = np.abs(np.sum(recording.orientation[:, k] * np.array(body.keys.orientations)[frames], axis=1))
        off.append(np.maximum(place, 2.0 * np.sqrt(np.maximum(0.0, 2.0 - 2.0 * along))))
    return np.array(off).T


@pytest.mark.parametrize("relative_to", ["parent", "world"])
def test_an_arm_falls_to_the_ground_and_comes_back_whole(relative_to):
    mechanism = arm(relative_to)
    mechanism.actions = hand_over("B0", "B1", "B2")
    mechanism.actions = [dataclasses.replace(a, time=a.time if a.time == OFF else 1.0) for a in mechanism.actions]
    recording = simulate(mechanism, 1.75, 48.0)
    t, off = recording.times, off_keys(recording, mechanism)
    assert off[t <= OFF].max() < 1e-6
    assert recording.position[t <= 1.0][-1, 0, 2] < 0.5  # it lies
    assert recording.contact_blow.max() > 0.0
    assert off[t >= 1.0 + BLEND].max() < 1e-6
    if relative_to == "parent":
        pulled = np.abs(np.diff(recording.linear_velocity[t > 1.0], axis=0)).max() * 48.0
        assert pulled < 60.0  # m/s2; 5.8 * 0.9 m / BLEND**2 = 21 are the least jerk's of a single point over that way


def test_only_one_is_let_go_and_the_others_stay_on_their_keys():
    mechanism = arm(touches=False)
    mechanism.actions = hand_over("B2")
    recording = simulate(mechanism, 1.5, 48.0)
    t, off = recording.times, off_keys(recording, mechanism)
    assert off[:, :2].max() < 1e-4  # pulled by what flies about, at 2 kHz
    assert off[t <= ON].max() > 0.3
    assert off[t >= ON + BLEND].max() < 1e-6


def test_what_is_changed_on_the_way_back_does_not_disturb_it():
    mechanism = arm(touches=False)
    mechanism.actions = hand_over("B0", "B1", "B2")
    plain = simulate(mechanism, 1.5, 48.0)
    mechanism.actions.append(Action(1.0, None, {"gravity": (0.0, 0.0, -9.0)}))
    lighter = simulate(mechanism, 1.5, 48.0)
    assert np.abs(lighter.position - plain.position).max() < 1e-5
    mechanism.actions.append(Action(1.1, "B1", {"mass": 1.01}))  # its linkage ends, and the new one comes back anew
    heavier = simulate(mechanism, 1.5, 48.0)
    soon = (heavier.times > 1.09) & (heavier.times < 1.12)
    assert np.abs(heavier.linear_velocity - plain.linear_velocity)[soon].max() < 0.3  # within a frame, at 20 m/s2
    assert off_keys(heavier, mechanism)[heavier.times >= ON + BLEND].max() < 1e-6


def test_released_from_the_start_it_is_as_fast_as_its_keys():
    mechanism = pendulum()
    mechanism.bodies[0].released = True
    recording = simulate(mechanism, 0.5, RATE)
    assert abs(recording.angular_velocity[0, 0, 1] - wave(0.0)[1]) < 1e-3  # of a spline's end
    assert not any("velocity" in str(note) for note in recording.notes)


def test_a_live_run_plays_again_to_the_bit():
    mechanism = arm()
    run = LiveRun(mechanism, 48.0)
    for frame, released in ((12, True), (36, False)):
        run.advance(frame, np.inf)
        for name in ("B0", "B1", "B2"):
            run.act(name, released=released)
    run.advance(60, np.inf)
    again = simulate(run.mechanism, 60 / 48.0, 48.0)
    np.testing.assert_array_equal(run.recording().position, again.position)


def test_what_is_refused_and_kept(tmp_path):
    mechanism = pendulum()
    mechanism.bodies[0].follow = mechanism.bodies[0].keys = None
    mechanism.actions = [Action(OFF, "bone", {"released": True})]
    assert "belongs to a body that follows" in str(mechanism.problems())
    mechanism = pendulum()
    mechanism.bodies[0].released = True
    mechanism.save(tmp_path / "bone.json")
    assert json.loads((tmp_path / "bone.json").read_text())["bodies"][0]["released"] is True
    assert Mechanism.load(tmp_path / "bone.json").bodies[0].follow.blend_time == BLEND
