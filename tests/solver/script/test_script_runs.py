# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts that run: what comes between steps happens when the clock says, and the examples do what they are for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from solver import Recording, Script, simulate
from solver.__main__ import main
from solver.script import parse
from tests.truths.car import Car

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def run(script: Script) -> Recording:
    """As the script says."""
    options = {"relative": script.relative or 1e-6, "absolute": script.absolute}
    return simulate(script.mechanism, script.duration, script.frame_rate, **options)


def test_a_motor_that_is_turned_and_switched_off():
    """1 m/s2 along X for a second, along Y for a second, then nothing, then both again at once."""
    got = run(
        parse("""
        ib a
        sb a -m 2 -if motor m
        sf a m -f 2 0 0 0 0 0
        sstepsize 1
        step 1
        sf a m -E 1 0 0 1
        step 1
        sb a -f m
        step 1
        sf a m -E 1 0 0 0 -f 4 0 0 0 0 0
        sb a -f m
        step 1
    """)
    )
    assert got.times.tolist() == [0, 1, 2, 3, 4]
    velocity = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0], [3, 1, 0]]
    assert got.linear_velocity[:, 0] == pytest.approx(np.array(velocity), abs=1e-6)
    position = [[0, 0, 0], [0.5, 0, 0], [1.5, 0.5, 0], [2.5, 1.5, 0], [4.5, 2.5, 0]]
    assert got.position[:, 0] == pytest.approx(np.array(position), abs=1e-6)


def test_a_motor_that_is_moved_on_its_body():
    """The force at 1 m from the centre of mass turns a body of 2 kg m2 by 0.5 rad/s in a second; then it is central."""
    got = run(
        parse("""
        ib a
        sb a -in 2 2 2 -if motor m
        sf a m -f 0 0 1 0 0 0 -t 1 0 0
        sstepsize .5
        step 2
        sf a m -t 0 0 0
        step 2
    """)
    )
    assert got.angular_velocity[:, 0, 1] == pytest.approx([0, -0.25, -0.5, -0.5, -0.5], abs=1e-6)


def test_damping_that_begins_later():
    text = "ib a\nsb a -vl 1 0 0 -vr 0 0 3\nstep 24\nsb a -if damping d\nsf a d -d 2\nstep 24\nsf a d -d 4\nstep 24"
    got = run(parse(text))
    share = np.exp(-np.interp(got.times, [0, 1, 2, 3], [0, 0, 2, 6]))
    assert got.linear_velocity[:, 0, 0] == pytest.approx(share, abs=1e-6)
    assert got.angular_velocity[:, 0, 2] == pytest.approx(3 * share, abs=3e-6)


@pytest.mark.parametrize("hold", ["nail", "move_to_point"])
def test_a_body_that_is_let_go_falls(hold):
    got = run(parse(f"ib a\nsb a -if gravity g\nilc a {hold}\nstep 24\nilc a free\nstep 24"))
    falling = np.maximum(got.times - 1, 0)
    assert got.position[:, 0, 2] == pytest.approx(-9.81 / 2 * falling**2, abs=1e-6)


def test_a_rubber_string_that_is_instanced_later():
    """Two bodies 2 m apart at rest; then a string of no rest length and no loss between them, over half a swing."""
    got = run(
        parse("""
        ib a
        ib b
        sb a -t -1 0 0
        sb b -t 1 0 0
        sacc -r 1e-8
        sstepsize .1
        step 5
        ir r a b -k 2
        step 7
    """)
    )
    swinging = np.maximum(got.times - 0.5, 0)
    assert got.position[:, 1, 0] == pytest.approx(np.cos(2 * swinging), abs=1e-6)
    assert got.position[:, 0, 0] == pytest.approx(-np.cos(2 * swinging), abs=1e-6)


def test_a_support_carries_a_ball_and_never_pulls():
    """At rest where k depth = m g; thrown up from there, it flies freely above the ground."""
    text = "ib a\nsb a -m 2 -t 0 0 {z} -vl 0 0 {v} -if gravity g -if support s\nsf a s -k 1962 -d 5 -s 0 0 -1\nstep 12"
    resting = run(parse(text.format(z=0.99, v=0)))
    assert resting.position[:, 0, 2] == pytest.approx(0.99, abs=1e-6)
    thrown = run(parse(text.format(z=1, v=3)))
    assert thrown.position[:, 0, 2] == pytest.approx(1 + 3 * thrown.times - 4.905 * thrown.times**2, abs=1e-6)


def test_the_tensegrity_of_7_2_snaps_together_and_comes_to_rest(tmp_path):
    """Thesis: final state after 8 s, by 23,337 evaluations at this accuracy."""
    out = tmp_path / "out.npz"
    assert main(["simulate", str(EXAMPLES / "tensegrity.ves"), "-o", str(out)]) == 0
    with np.load(out) as got:
        assert got["times"][-1] == pytest.approx(8)
        assert got["evaluations"] < 23_337
        assert got["kinetic_energy"][-1] < 1e-3 * got["kinetic_energy"].max()
        centers = got["position"][-1]
    spread = np.linalg.norm(centers - centers.mean(axis=0), axis=1)
    assert spread.max() < 5, "five sticks of 10 m lean on each other around one middle"


def test_the_car_skids_to_rest_across_its_course():
    """The script against Newton, Euler and scipy: about 100 degrees across, on its wheels, at rest."""
    script = Script.load(EXAMPLES / "skidding_car.ves")
    got = run(script)
    x, y, z = (1.95, -1.521), 0.897, -0.55
    wheels = np.array([[x[0], y, z], [x[0], -y, z], [x[1], y, z], [x[1], -y, z]])
    suspension, brakes = np.array([2500, 2500, 3500, 3500]), np.array([1000, 1000, 500, 500])
    car = Car(2000, np.array([867, 4493, 4707]), wheels, np.full(4, 50000), suspension, brakes)
    steering = 2 * np.arctan2(0.22495, 0.97437)
    pedals = [(4000, 0, False), (4000, steering, False), (4000, 0, False), (0, 0, True)]
    position, orientation, velocity = car.drive(0.452, [3, 3.5, 3.625, 9], pedals.__getitem__)
    assert got.position[-1, 0] == pytest.approx(position, abs=2e-3)
    assert got.linear_velocity[-1, 0] == pytest.approx(velocity, abs=1e-3)
    turn = Rotation.from_quat(np.roll(got.orientation[:, 0], -1, axis=1))
    assert (turn[-1].inv() * Rotation.from_quat(orientation)).magnitude() < 1e-3
    assert np.degrees(turn[-1].as_euler("ZYX")[0]) == pytest.approx(100, abs=5)
    assert turn.apply([0, 0, 1])[:, 2].min() > 0.99
    assert np.linalg.norm(velocity) < 0.1
