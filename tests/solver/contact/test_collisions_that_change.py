# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions on what touches: bodies that collide no more, contact that is switched, and ground that is another one."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Action, Body, Box, Contact, Ground, Material
from solver.simulation.live import LiveRun
from tests.solver.simulation.hurrying import assert_plays_again, go_on

G = 9.81
LATER = 0.5  # s
GROUND = Ground(friction=0.5, restitution=0.0)


def standing(**given) -> Mechanism:
    """A cube of 1 m that stands on the ground."""
    shape, material = Box(half_size=(0.5, 0.5, 0.5)), Material(0.5, 0.0)
    cube = Body("cube", mass=1.0, inertia=(1 / 6,) * 3, position=(0, 0, 0.5), shape=shape, material=material, **given)
    return Mechanism(bodies=[cube], contact=Contact(ground=GROUND))


def act(mechanism: Mechanism, *actions: tuple) -> Mechanism:
    mechanism.actions = [Action(time, target, settings) for time, target, settings in actions]
    return mechanism


def height(mechanism: Mechanism, duration: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    recording = simulate(mechanism, duration, 24.0)
    return recording.times, recording.position[:, 0, 2]


@pytest.mark.parametrize(
    ("target", "settings"),
    [
        ("cube", {"collides": False}),
        (None, {"contact": {"enabled": False}}),
        (None, {"contact": {"ground": None}}),
        (None, {"contact": {"ground": {"height": -9.0}}}),
    ],
)
def test_what_touches_no_more_falls_from_that_moment_on(target, settings):
    times, found = height(act(standing(), (LATER, target, settings)))
    fallen = 0.5 - 0.5 * G * np.maximum(0.0, times - LATER) ** 2
    assert found == pytest.approx(fallen, abs=1e-4)  # it stands to a tenth of a millimetre


def test_a_body_that_collides_again_lands():
    """It falls 1 m beside nothing, and then there is ground 1 m below."""
    lower = {"contact": {"ground": {"height": -1.0, "friction": 0.5, "restitution": 0.0}}}
    changes = (0.1, "cube", {"collides": False}), (0.2, None, lower), (0.3, "cube", {"collides": True})
    times, found = height(act(standing(), *changes), 1.5)
    assert found[times < 0.5] == pytest.approx(0.5 - 0.5 * G * np.maximum(0.0, times[times < 0.5] - 0.1) ** 2, abs=1e-4)
    assert found[-1] == pytest.approx(-0.5, abs=1e-3)


def test_one_that_is_not_to_collide_at_first_does_so_from_an_action_on():
    mechanism = act(standing(collides=False), (0.25, "cube", {"collides": True}))
    mechanism.bodies[0].position = (0.0, 0.0, 2.0)
    times, found = height(mechanism, 1.5)
    landed = np.sqrt(2.0 * 1.5 / G)
    assert found[times < landed] == pytest.approx(2.0 - 0.5 * G * times[times < landed] ** 2, abs=1e-3)
    assert found[-1] == pytest.approx(0.5, abs=1e-3)


def test_friction_of_the_ground_changes_and_the_rest_of_contact_stays():
    """A cube slides on ice, and from 0.5 s on Coulomb's law stops it."""
    mechanism = standing(linear_velocity=(3.0, 0.0, 0.0))
    mechanism.contact.ground = Ground(friction=0.0, restitution=0.0)
    grip = {"contact": {"ground": {"friction": 0.5, "restitution": 0.0}}}
    recording = simulate(act(mechanism, (LATER, None, grip)), 1.0, 24.0)
    speed = recording.linear_velocity[:, 0, 0]
    expected = 3.0 - 0.5 * G * np.maximum(0.0, recording.times - LATER)
    assert speed == pytest.approx(expected, abs=0.03)


def test_a_live_run_whose_contact_changes_plays_again():
    run = LiveRun(standing(), 24.0)
    go_on(run, 12)
    run.act("cube", collides=False)
    go_on(run, 18)
    run.act("cube", collides=True)
    run.act(None, contact={"ground": {"height": -3.0}})
    go_on(run, 30)
    assert_plays_again(run, standing)


def test_variational_refuses_what_touches_only_later():
    mechanism = act(standing(collides=False), (0.25, "cube", {"collides": True}))
    with pytest.raises(MechanismError, match="contact: integrator variational lets bodies with shapes pass"):
        simulate(mechanism, 1.0, 24.0, integrator="variational")
