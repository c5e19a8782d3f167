# SPDX-License-Identifier: GPL-3.0-or-later
"""A rider who steers, on the benchmark bicycle, against its linear equations with his arms added to them."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest
from scipy.linalg import expm

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Action, Motor, Steering, Table
from solver.simulation.inspection import inspect
from tests.solver.surfaces.test_bicycle import bicycle, lean_and_steer
from tests.truths.bicycle import BENCHMARK, coefficients, rates

G = 9.81
HEAD = (math.cos(0.5 * BENCHMARK.lam), 0.0, -math.sin(0.5 * BENCHMARK.lam), 0.0)
ARMS = {"stiffness": 100.0, "damping": 10.0}
LEAN = {"frequency": 0.6, "damping_ratio": 0.8, "center_height": 0.9}
SLOW = 0.5  # m/s: the law's floor
LITTLE = 1e-5


def ridden(speed: float, lean_rate: float, **more: object) -> Mechanism:
    made = bicycle(speed, lean_rate)
    settings = {"orientation": HEAD, "wheelbase": BENCHMARK.w, **ARMS, **LEAN, **more}
    made.forces = [Steering(name="rider", body="frame", fork="fork", **settings)]
    return made


def with_rider(speed: float, heading_time: float | None = None) -> np.ndarray:
    """The matrix (5, 5) of (lean, steer, their rates, heading), all to the right; the heading sought is 0."""
    p, c, w = BENCHMARK, coefficients(BENCHMARK), 2.0 * math.pi * LEAN["frequency"]
    gain = p.w / ((speed**2 + SLOW**2) * math.cos(p.lam))
    h = LEAN["center_height"]
    by_lean, by_rate = gain * (G + h * w**2), gain * h * 2.0 * LEAN["damping_ratio"] * w
    by_heading = 0.0 if heading_time is None else gain * h * w**2 * speed / (G * heading_time)
    torque = ARMS["stiffness"] * np.array([by_lean, -1.0, by_rate, 0.0, by_heading])
    torque[3] -= ARMS["damping"]
    matrix = np.zeros((5, 5))
    matrix[:4, :4] = rates(c, speed)
    matrix[2:4] += np.linalg.solve(c.M, np.vstack([np.zeros(5), torque]))
    matrix[4, [1, 3]] = np.array([speed, p.c]) * math.cos(p.lam) / p.w
    return matrix


def heading_of(recording) -> np.ndarray:
    """(F,) rad, to the right, of the frame."""
    w, x, y, z = recording.orientation[:, list(recording.body_names).index("frame")].T
    return -np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


@pytest.mark.parametrize("speed", [1.5, 3.0, 5.0, 8.0])
def test_the_rider_keeps_upright_what_falls_as_the_linear_equations_say(speed):
    """At all of these; by itself the benchmark rides at 5 m/s alone."""
    recording = simulate(ridden(speed, LITTLE), 2.0, 50.0, relative=1e-10, absolute=1e-12)
    matrix = with_rider(speed)[:4, :4]
    assert np.linalg.eigvals(matrix).real.max() < -0.5
    alone = np.linalg.eigvals(rates(coefficients(BENCHMARK), speed)).real.max()
    assert bool(alone < 0.0) is (speed == 5.0)
    expected = np.array([(expm(matrix * t) @ (0.0, 0.0, LITTLE, 0.0))[:2] for t in recording.times])
    off = np.abs(lean_and_steer(recording) - expected).max(axis=0)
    assert (off < 5e-5 * np.abs(expected).max(axis=0)).all()


def test_the_rider_comes_round_to_a_heading_as_the_linear_equations_say():
    speed, time = 4.0, 0.8
    made = ridden(speed, 0.0, heading=LITTLE, heading_time=time)
    recording = simulate(made, 3.0, 50.0, relative=1e-10, absolute=1e-12)
    matrix = with_rider(speed, time)
    assert np.linalg.eigvals(matrix).real.max() < -0.5
    expected = np.array([expm(matrix * t) @ (0.0, 0.0, 0.0, 0.0, LITTLE) for t in recording.times])
    found = np.column_stack([lean_and_steer(recording), heading_of(recording) + LITTLE])
    off = np.abs(found - expected[:, [0, 1, 4]]).max(axis=0)
    assert (off < 1e-4 * np.abs(expected[:, [0, 1, 4]]).max(axis=0)).all()
    assert expected[:, 1].max() > 0.1 * -expected[:, 1].min()  # it countersteers


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse"])
def test_hit_at_a_speed_at_which_it_falls_it_is_upright_again(integrator):
    """30 degrees a second to the side, at 3 m/s; without its rider it lies down within two seconds."""
    alone = bicycle(3.0, 0.5)
    assert np.abs(lean_and_steer(simulate(alone, 2.0))[:, 0]).max() > math.radians(60.0)
    lean = lean_and_steer(simulate(ridden(3.0, 0.5), 4.0, integrator=integrator))[:, 0]
    assert math.radians(3.0) < np.abs(lean).max() < math.radians(20.0)
    assert np.abs(lean[-12:]).max() < math.radians(0.3)


def test_a_rider_who_is_shoved_on_the_way_recovers():
    made = ridden(4.0, 0.0, heading=0.0)
    shove = Table((1.0, 1.0 + 1e-6, 1.2, 1.2 + 1e-6), (0.0, 400.0, 400.0, 0.0))
    made.forces.append(Motor("shove", body="frame", point=(0.3, 0.0, 0.9), force=(0.0, shove, 0.0)))
    recording = simulate(made, 6.0)
    lean = lean_and_steer(recording)[:, 0]
    assert math.radians(5.0) < np.abs(lean).max() < math.radians(25.0)
    assert np.abs(lean[-12:]).max() < math.radians(0.5)
    assert abs(heading_of(recording)[-1]) < math.radians(2.0)


def test_it_rides_to_a_target_and_leans_no_more_than_it_may():
    most = math.radians(8.0)
    recording = simulate(ridden(4.0, 0.0, target=(20.0, 14.0, 1.0), max_lean=most), 6.5)
    place = recording.position[:, list(recording.body_names).index("frame"), :2]
    assert np.linalg.norm(place - (20.0, 14.0), axis=1).min() < 0.5
    assert np.abs(lean_and_steer(recording)[:, 0]).max() < 1.35 * most  # it overshoots
    free = simulate(ridden(4.0, 0.0, target=(20.0, 14.0, 1.0), max_lean=1.0), 1.5)
    assert np.abs(lean_and_steer(free)[:, 0]).max() > 1.5 * most


def test_a_target_straight_ahead_is_the_same_as_a_heading_to_it():
    by_target = simulate(ridden(4.0, 0.3, target=(4e7, 3e7, 0.0)), 2.0)
    by_heading = simulate(ridden(4.0, 0.3, heading=math.atan2(3.0, 4.0)), 2.0)
    assert by_target.position == pytest.approx(by_heading.position, abs=1e-5)


def test_arms_push_no_harder_than_they_can():
    """The torque that Inspect shows is that on the frame, and the whole of it is used after a blow."""
    made = ridden(4.0, 0.5, max_torque=4.0)
    found = inspect(made, simulate(made, 1.0))
    torque = np.linalg.norm(found.force[:, 0, 3:], axis=1)
    assert torque.max() == pytest.approx(4.0, rel=1e-12)
    assert np.abs(found.force[:, 0, :3]).max() == 0.0
    assert np.isnan(found.tension).all()


def test_actions_change_its_heading_and_switch_it_off():
    made = ridden(4.0, 0.0, heading=0.0)
    made.actions = [Action(time=0.5, target="rider", set={"heading": 0.4})]
    assert heading_of(simulate(made, 4.0))[-1] == pytest.approx(-0.4, abs=0.02)
    made = ridden(3.0, 0.1)
    made.actions = [Action(time=0.5, target="rider", set={"enabled": False})]
    assert np.abs(lean_and_steer(simulate(made, 3.0))[:, 0]).max() > math.radians(30.0)


def test_it_goes_by_the_gravity_that_there_is():
    """On the moon the bend that rights it is wider, and it stands there too."""
    made = ridden(2.0, 0.3)
    made.gravity = (0.0, 0.0, -1.62)
    lean = lean_and_steer(simulate(made, 6.0))[:, 0]
    assert np.abs(lean).max() > math.radians(1.0)
    assert np.abs(lean[-12:]).max() < math.radians(0.3)


def file_of(made: Mechanism) -> dict:
    return json.loads(json.dumps(made.to_dict()))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fork": "frame"}, "must not be the frame that it turns in"),
        ({"fork": "spoon"}, "names the body 'spoon', which there is not"),
        ({"heading": 1.0, "target": [1, 2, 3]}, "must be left out with a target"),
        ({"wheelbase": 0.0}, "wheelbase"),
        ({"heading_time": 0.0}, "heading_time"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes, words):
    data = file_of(ridden(4.0, 0.0))
    data["forces"][0] |= changes
    with pytest.raises(MechanismError, match=words):
        Mechanism.from_dict(data)


def test_a_file_gives_the_same_rider_again():
    made = ridden(4.0, 0.0, target=(Table((0.0, 1.0), (1.0, 2.0)), 0.0, 0.0), max_torque=30.0)
    data = file_of(made)
    again = Mechanism.from_dict(copy.deepcopy(data))
    assert again.forces == made.forces
    assert file_of(again) == data


def test_included_a_target_moves_along_and_a_heading_is_refused_where_its_frame_turns(tmp_path):
    quarter = [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]
    frame = {"file": "bicycle.json", "position": [1.0, 2.0, 0.0], "orientation": quarter, "prefix": "a "}
    (tmp_path / "all.json").write_text(json.dumps({"format": "ves-mechanism", "version": 1, "include": [frame]}))
    ridden(4.0, 0.0, target=(5.0, 0.0, 1.0)).save(tmp_path / "bicycle.json")
    force = Mechanism.load(tmp_path / "all.json").forces[0]
    assert (force.body, force.fork) == ("a frame", "a fork")
    assert force.target == pytest.approx((1.0, 7.0, 1.0))
    ridden(4.0, 0.0, heading=0.2).save(tmp_path / "bicycle.json")
    with pytest.raises(MechanismError, match="has a heading, which does not turn along"):
        Mechanism.load(tmp_path / "all.json")
