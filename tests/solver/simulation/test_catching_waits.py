# SPDX-License-Identifier: GPL-3.0-or-later
"""Catches that wait until their ends have come near."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from solver import Mechanism, simulate
from solver.mechanism import (
    Body,
    Nail,
    Orientation,
    PointToPoint,
)
from tests.solver.simulation.catches import NONE, START, act, apart, matrix
from tests.truths.critical_damping import gap as critically_damped


def falling_past() -> tuple[Mechanism, float]:
    """What falls past a hook that catches within 0.2 m, and when (s) it comes so near."""
    body = Body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1.0), linear_velocity=(0.2, 0, 0))
    hook = PointToPoint("hook", body_a="bob", point_a=(0, 0, 1.0), point_b=(0.1, 0, 0), within=0.2, tau=0.05)
    when = brentq(lambda t: np.hypot(0.2 * t - 0.1, 1.0 - 0.5 * 9.81 * t * t) - 0.2, 0.1, 0.44, xtol=1e-14)
    return Mechanism(bodies=[body], constraints=[hook]), when


@pytest.mark.parametrize(("integrator", "close"), [("adams", 1e-8), ("runge-kutta", 1e-8), ("impulse", 1e-5)])
def test_what_waits_takes_hold_when_its_ends_come_near(integrator, close):
    """No step goes over it, though free fall lets Adams take long ones; from then on it follows the course."""
    mechanism, when = falling_past()
    recording = simulate(mechanism, 1.5, 48.0, integrator=integrator)
    later = recording.times > when
    found = recording.position[later, 0] - (0.1, 0, 0)
    start, rate = (0.2 * when - 0.1, 0.0, 1.0 - 0.5 * 9.81 * when**2), (0.2, 0.0, -9.81 * when)
    expected = critically_damped(recording.times[later] - when, np.array(start), np.array(rate), 0.05)
    assert found == pytest.approx(expected, abs=close)
    before = recording.times[~later]
    assert recording.position[~later, 0, 2] == pytest.approx(1.0 - 0.5 * 9.81 * before**2, abs=1e-9)


def test_two_bodies_that_nothing_ties_yet_wait_for_each_other():
    """An action lets a hand wait for a tool; one that never comes near is never held."""
    hand = Body("hand", mass=1.0, inertia=(0.1, 0.1, 0.1), position=NONE, linear_velocity=(1.0, 0, 0))
    tool = Body("tool", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0))
    grip = PointToPoint("grip", body_a="hand", point_a=NONE, body_b="tool", point_b=(1, 0.1, 0), enabled=False)
    mechanism = Mechanism(gravity=NONE, bodies=[hand, tool], constraints=[grip])
    act(mechanism, (0.25, "grip", {"enabled": True, "within": 0.3}))
    recording = simulate(mechanism, 5.0, 24.0)
    when = 1.0 - np.sqrt(0.3**2 - 0.1**2)
    assert any(f"from {when:.6g} s on" in note for note in recording.notes)
    assert recording.linear_velocity.sum(axis=1) == pytest.approx(np.tile((1.0, 0, 0), (121, 1)), abs=1e-9)
    act(mechanism, (0.25, "grip", {"enabled": True, "within": 0.09}))
    assert simulate(mechanism, 2.0, 24.0).linear_velocity[-1, 1] == pytest.approx(NONE, abs=1e-12)


@pytest.mark.parametrize("tau", [None, 0.1])
def test_a_tool_is_picked_up_as_it_is_found(tau):
    """A nail and an orientation to the hand hold the pose that the tool has then, and the momenta stay."""
    hand = Body("hand", mass=2.0, inertia=(0.1, 0.1, 0.1), position=NONE, linear_velocity=(0.5, 0, 0))
    tool = Body("tool", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1, 0, 0), angular_velocity=(0, 0.5, 1.0))
    mechanism = Mechanism(gravity=NONE, bodies=[hand, tool])
    mechanism.constraints = [
        Nail("grip", body="tool", point=(1, 0, 0), to="hand", enabled=False, tau=tau),
        Orientation("grip's turn", body="tool", to="hand", enabled=False, tau=tau),
    ]
    act(mechanism, (START, "grip", {"enabled": True}), (START, "grip's turn", {"enabled": True}))
    recording = simulate(mechanism, 6.0, 24.0)
    hands, tools = (np.array([matrix(q) for q in recording.orientation[:, i]]) for i in (0, 1))
    relative = np.einsum("fji,fjk->fik", hands, tools)
    place = np.einsum("fji,fj->fi", hands, recording.position[:, 1] - recording.position[:, 0])
    late = slice(13, None) if tau is None else slice(12 + 96, None)
    assert relative[late] == pytest.approx(np.broadcast_to(relative[12], relative[late].shape), abs=1e-9)
    assert place[late] == pytest.approx(np.broadcast_to(place[12], place[late].shape), abs=1e-9)
    assert np.abs(relative[12] - np.eye(3)).max() > 0.1
    momentum = 2.0 * recording.linear_velocity[:, 0] + recording.linear_velocity[:, 1]
    assert momentum == pytest.approx(np.tile((1.0, 0, 0), (len(momentum), 1)), abs=1e-9)
    assert any("velocities changed" in note for note in recording.notes) == (tau is None)


def test_a_thing_that_is_there_but_moves_is_stopped_evenly_if_it_says_how():
    """A nail without a time constant stops its point as an impact does; with one, evenly, and leads it back."""
    body = Body("block", mass=2.0, inertia=(0.3, 0.4, 0.5), linear_velocity=(1.0, 0, 0))
    mechanism = Mechanism(gravity=NONE, bodies=[body])
    mechanism.constraints = [Nail("nail", body="block", point=(0, 0.5, 0), enabled=False, tau=0.1)]
    act(mechanism, (START, "nail", {"enabled": True}))
    recording = simulate(mechanism, 5.0, 48.0)
    found = apart(recording, (0, 0.5, 0), (0.5, 0.5, 0))
    first = round(START * 48)
    expected = critically_damped(recording.times[first:] - START, NONE, (1.0, 0, 0), 0.1)
    assert found[first:] == pytest.approx(expected, abs=1e-9)
    assert not any("velocities changed" in note for note in recording.notes)
