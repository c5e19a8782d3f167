# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds an axis lets go in the midst of a step that no error bounds, against a closed form and fine steps."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, simulate
from solver.integration.motion.release import SEARCH, begin_search, note_margin
from solver.mechanism import Body, Joint
from solver.model.arrays import records
from tests.truths.jumps import ShakenBlock

NONE = (0.0, 0.0, 0.0)
ALONG_X = (0.5**0.5, 0.0, 0.5**0.5, 0.0)  # turns local Z into world X
PULSE, ARM = 20.0, 0.1


@pytest.mark.fallback
def test_the_search_finds_the_first_moment_of_a_load_that_turns():
    """A load |cos| that passes what holds by 1e-4 to a third of it, looked at each 0.3 rad."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        way, begin, most = rng.uniform(0.3, 6.0), rng.uniform(0.0, 2.0 * np.pi), 1.0 - 10.0 ** rng.uniform(-4.0, -0.5)

        def margin(share, way=way, begin=begin, most=most):
            return 1.0 - abs(np.cos(begin + way * share)) / most

        shares = np.linspace(0.0, 1.0, 10001)
        truth = margin(shares)
        if min(truth[0], truth[-1]) < 0.0:
            continue
        search = records(1, SEARCH)[0]
        begin_search(search, int(way / 0.3), truth[0], truth[-1], 1e-10)
        while search.share >= 0.0:
            note_margin(search, margin(search.share))
        expected = shares[np.argmax(truth < 0.0)] if (truth < 0.0).any() else 1.0
        assert search.high == pytest.approx(expected, abs=2e-4)


def unbalanced_rotor(friction: float) -> Mechanism:
    """A rotor of 1 kg, 0.1 m off its pin, that a motor turns at 20 rad/s on a carriage of 2 kg: it pulls with 40 N."""
    carriage = Body("carriage", mass=2.0, inertia=(1, 1, 1))
    rotor = Body("rotor", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(ARM, 0, 0))
    rail = Joint("rail", type="prismatic", parent=None, child="carriage", position=NONE, orientation=ALONG_X)
    pin = Joint("pin", type="revolute", parent="carriage", child="rotor", position=NONE)
    rail.friction, pin.speeds = (friction,), (PULSE,)
    pin.motor = {"mode": "speed", "target": PULSE}
    return Mechanism(gravity=NONE, bodies=[carriage, rotor], joints=[rail, pin])


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
@pytest.mark.parametrize("friction", [38.0, 30.0])
def test_a_rotor_jerks_the_carriage_that_friction_holds(integrator, friction):
    """The turning has no error, so that steps would go over whole turns."""
    recording = simulate(unbalanced_rotor(friction), 1.0, 24.0, integrator=integrator)
    truth = ShakenBlock(3.0, PULSE**2 * ARM, PULSE, friction).at(recording.times)
    assert np.abs(truth).max() > 2e-4
    assert recording.position[:, 0, 0] == pytest.approx(truth, abs=1e-7)


@pytest.mark.parametrize("integrator", ["adams", "implicit"])
def test_a_slight_jerk_between_two_looks_is_not_missed(integrator):
    """Friction is passed for 0.14 rad of each half turn only, by 0.1 N; Runge-Kutta's steps are too short for looks."""
    recording = simulate(unbalanced_rotor(39.9), 1.0, 24.0, integrator=integrator)
    truth = ShakenBlock(3.0, PULSE**2 * ARM, PULSE, 39.9).at(recording.times)
    assert recording.position[:, 0, 0] == pytest.approx(truth, abs=2e-8)
    assert np.abs(truth).max() > 5e-7


def pendulum_with_friction() -> Mechanism:
    """A bar on a universal joint, one axis of which friction holds but for moments in which the other swings fast."""
    rng = np.random.default_rng(100)
    friction = 10 ** rng.uniform(-2.5, 0.3)
    bar = Body("bar", mass=1.0, inertia=(0.01, 0.01, 0.003), position=(0.25, 0, 0))
    joint = Joint("joint", type="universal", parent=None, child="bar", position=NONE)
    turn = rng.normal(size=4)
    joint.orientation, joint.friction = tuple(turn / np.linalg.norm(turn)), (friction, 0.0)
    return Mechanism(bodies=[bar], joints=[joint])


def test_long_implicit_steps_do_not_miss_friction_that_gives_way():
    fine = simulate(pendulum_with_friction(), 5.0, 24.0, integrator="adams", relative=1e-10)
    recording = simulate(pendulum_with_friction(), 5.0, 24.0, integrator="implicit", relative=1e-6)
    assert recording.position == pytest.approx(fine.position, abs=1e-6)
