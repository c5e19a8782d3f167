# SPDX-License-Identifier: GPL-3.0-or-later
"""Weight on single feet, and feet that are lifted once they bear none: statics, and what stays where it is."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.mechanism import Action, Table
from tests.solver.control.figures import HIP, biped, quadruped
from tests.solver.control.test_balance import G, place_of, pushed, run_to, tilt_of

TORQUE = 250.0  # N m
FEET = ("left foot", "right foot")


def borne_by(run, mechanism: Mechanism, name: str) -> float:
    """N: the upward force of all contacts of a foot."""
    names = [mechanism.bodies[i].name for i in run.compiled.linkage.bodies]
    contacts = run.memory.arrays.contact.contacts[: run.memory.arrays.contact.counts[0].contacts]
    return sum(each.force[2] for each in contacts if names[each.body[1] - run.compiled.model.driven] == name)


def on_one_leg(**more) -> Mechanism:
    """All weight goes to the left foot within a second; then the right one is lifted by 15 cm, and put down again."""
    weights = 1.0, Table((0.5, 1.5), (1.0, 0.0))
    lifts = 0.0, Table((2.0, 2.5, 3.5, 4.0), (0.0, 0.15, 0.15, 0.0))
    return biped(max_torque=TORQUE, weights=weights, lifts=lifts, **more)


@pytest.mark.parametrize("weights", [(1.0, 1.0), (3.0, 1.0), (0.2, 0.8)])
def test_feet_carry_the_shares_that_are_asked(weights):
    """And the centre of mass stands over them: sum of share times place."""
    mechanism = biped(max_torque=TORQUE, weights=weights)
    run = run_to(mechanism, 4.0)
    weight = G * sum(body.mass for body in mechanism.bodies)
    shares = np.array(weights) / sum(weights)
    assert [borne_by(run, mechanism, foot) / weight for foot in FEET] == pytest.approx(shares, abs=2e-3)
    bodies = run.scratch.bodies[run.compiled.model.driven :]
    mass = run.compiled.model.bodies.mass[run.compiled.model.driven :]
    assert mass @ bodies.center[:, 1] / mass.sum() == pytest.approx((shares[0] - shares[1]) * HIP, abs=1e-3)


def test_a_quadruped_takes_the_weight_off_a_foot():
    mechanism = quadruped(max_torque=80.0, weights=(1.0, 1.0, 1.0, 0.2))
    run = run_to(mechanism, 4.0)
    weight = G * sum(body.mass for body in mechanism.bodies)
    borne = [borne_by(run, mechanism, foot) / weight for foot in mechanism.forces[0].feet]
    assert borne == pytest.approx(np.array((1.0, 1.0, 1.0, 0.2)) / 3.2, abs=0.02)


def test_it_stands_on_one_leg_and_lifts_the_other():
    recording = simulate(on_one_leg(), 6.0, 48.0)
    foot, stands = place_of(recording, "right foot"), place_of(recording, "left foot")
    up = (recording.times > 3.0) & (recording.times < 3.5)
    assert foot[up, 2] - foot[0, 2] == pytest.approx(0.15, abs=2e-3)
    assert np.linalg.norm(stands - stands[0], axis=1).max() < 1e-3, "the other one stands"
    assert tilt_of(recording).max() < 0.05
    assert tilt_of(recording, "right foot")[up].max() < 0.03, "it is level"
    assert np.linalg.norm(foot[-1] - foot[0]) < 5e-3, "and comes down where it stood"
    assert np.abs(np.diff(recording.linear_velocity[:, 0], axis=0)).max() * 48.0 < 0.5 * G, "nothing jumps"


def test_a_foot_that_carries_weight_is_not_lifted():
    recording = simulate(biped(max_torque=TORQUE, lifts=(0.0, 0.2)), 1.0)
    assert np.abs(place_of(recording, "right foot") - place_of(recording, "right foot")[0]).max() < 1e-3


def test_a_lift_by_an_action_is_no_jerk():
    mechanism = biped(max_torque=TORQUE, weights=(1.0, Table((0.0, 1.0), (1.0, 0.0))))
    mechanism.actions.append(Action(time=1.5, target="balance", set={"lifts": [0.0, 0.15]}))
    recording = simulate(mechanism, 6.0)
    foot = place_of(recording, "right foot")[:, 2]
    assert foot[-1] - foot[0] == pytest.approx(0.15, abs=5e-3)
    assert np.diff(foot).max() * 24.0 < 0.6, "m/s"
    assert np.ptp(foot[recording.times > 3.0]) < 2e-3, "it stays there"
    assert tilt_of(recording).max() < 0.1


def test_on_one_leg_it_puts_its_foot_down_where_a_push_would_throw_it_over():
    """To the right, where no sole is while the foot is up."""
    mechanism = pushed(on_one_leg(), (0.0, -180.0, 0.0), start=3.0, duration=0.1)
    recording = simulate(mechanism, 6.0)
    height = place_of(recording, "right foot")[:, 2]
    assert height[recording.times > 3.1].min() < 0.06, "it came down at once"
    assert tilt_of(recording)[-1] < 0.1


def test_wrong_numbers_are_named():
    def problems(**keys) -> str:
        return "\n".join(biped(**keys).problems())

    assert problems(weights=(1.0, 0.5), lifts=(0.0, 0.1)) == ""
    assert "weights must have a number for each of the 2 feet, has 1" in problems(weights=(1.0,))
    assert "lifts must have a number for each of the 2 feet, has 3" in problems(lifts=(0.0, 0.0, 0.0))
    assert "weights must not all be 0: some foot has to carry the figure" in problems(weights=(0.0, 0.0))
    assert "weights[1] must be at least 0" in problems(weights=(1.0, -1.0))


def test_a_file_keeps_them(tmp_path):
    mechanism = on_one_leg(frequency=(1.0, 2.0, 3.0))
    mechanism.save(tmp_path / "biped.json")
    assert Mechanism.load(tmp_path / "biped.json").forces == mechanism.forces
