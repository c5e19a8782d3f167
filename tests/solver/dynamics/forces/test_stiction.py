# SPDX-License-Identifier: GPL-3.0-or-later
"""Static friction of joints: what holds until it slips, and the fall to kinetic friction along Stribeck's curve."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, evaluate, simulate
from tests.truths.sliding import stopping_distance
from tests.truths.stick_slip import StickSlip

GRAVITY = 9.81
ALONG_X = [0.7071067811865476, 0.0, 0.7071067811865476, 0.0]
BLOCK = StickSlip(mass=1.0, stiffness=100.0, static=6.0, kinetic=4.0, belt=0.1)
EXACT = ("adams", "runge-kutta", "implicit")


def slider(static: object, kinetic: object, slope: float = 0.0, parent: str | None = None, **more: object) -> dict:
    """A body of 1 kg on a slider along X, which falls by `slope` rad."""
    joint = {"name": "slide", "type": "prismatic", "parent": parent, "child": "block", "position": [0.0, 0.0, 0.0]}
    joint |= {"orientation": ALONG_X, "friction": [kinetic], "static_friction": [static], **more}
    gravity = [GRAVITY * np.sin(slope), 0.0, -GRAVITY * np.cos(slope)]
    body = {"name": "block", "mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
    return {"format": "ves-mechanism", "version": 1, "gravity": gravity, "bodies": [body], "joints": [joint]}


def on_belt(stribeck: float) -> Mechanism:
    """`BLOCK`: a slider on a belt that is keyed, and a spring to the world."""
    made = slider(BLOCK.static, BLOCK.kinetic, parent="belt", stribeck_speed=[stribeck])
    times = [-1.0, 0.0, 20.0, 21.0]
    keys = {
        "times": times,
        "positions": [[BLOCK.belt * t, 0.0, 0.0] for t in times],
        "orientations": [[1, 0, 0, 0]] * 4,
    }
    made["bodies"][0]["linear_velocity"] = [BLOCK.belt, 0.0, 0.0]
    made["bodies"].insert(0, {"name": "belt", "motion": "keyed", "keys": keys})
    spring = {"name": "spring", "type": "spring", "body_a": "block", "body_b": None, "point_a": [0.0, 0.0, 0.0]}
    spring |= {"point_b": [-1.0, 0.0, 0.0], "stiffness": BLOCK.stiffness, "rest_length": 1.0}
    return Mechanism.from_dict(made | {"forces": [spring]})


def periods(mechanism: Mechanism, duration: float, **options: object) -> np.ndarray:
    """s: from one time at which the block is farthest to the next, by parabolas through three frames."""
    found = simulate(mechanism, duration, frame_rate=200.0, **options)
    x, t = found.position[:, 1, 0], found.times
    k = 1 + np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] >= x[2:]))
    tops = t[k] + 0.5 * (x[k - 1] - x[k + 1]) / (x[k - 1] - 2.0 * x[k] + x[k + 1]) * (t[1] - t[0])
    return np.diff(tops)


@pytest.mark.parametrize("integrator", [*EXACT, "impulse"])
def test_a_slope_holds_up_to_its_threshold(integrator: str) -> None:
    threshold = np.arcsin(5.0 / GRAVITY)
    held = simulate(Mechanism.from_dict(slider(5.0, 3.0, threshold - 1e-6)), 1.0, integrator=integrator)
    slides = simulate(Mechanism.from_dict(slider(5.0, 3.0, threshold + 1e-6)), 1.0, integrator=integrator)
    assert abs(held.position[-1, 0, 0]) < 1e-12
    assert slides.position[-1, 0, 0] > 4e-6  # g cos(threshold) 1e-6 t^2 / 2, and more as friction falls


def test_what_slides_stops_where_kinetic_friction_stops_it() -> None:
    """Of static friction it gets some in the last 1e-9 m/s alone."""
    made = slider(5.0, 3.0, speeds=[2.0], stribeck_speed=[1e-9])
    found = simulate(Mechanism.from_dict(made), 1.0, integrator="adams")
    assert found.position[-1, 0, 0] == pytest.approx(stopping_distance(2.0, 3.0 / GRAVITY), abs=1e-8)
    assert found.joint_speeds[-1, 0] == 0.0


@pytest.mark.parametrize("integrator", EXACT)
def test_the_period_on_a_belt_is_that_of_another_method(integrator: str) -> None:
    """Frames of 5 ms tell the tops of parabolas to 1e-6 s or so; a wrong moment of an event would be far worse."""
    found = periods(on_belt(0.01), 5.0, integrator=integrator, relative=1e-9)
    assert found == pytest.approx(BLOCK.period(0.01), rel=1e-5)


def test_steps_with_impulses_come_to_it_in_proportion_to_their_length() -> None:
    true = BLOCK.period(0.01)
    off = [abs(periods(on_belt(0.01), 3.0, integrator="impulse", substeps=n).mean() - true) for n in (2, 8)]
    assert off[0] < 0.01 * true
    assert off[1] < 0.4 * off[0]


def test_friction_without_a_static_one_holds_by_its_own() -> None:
    found = simulate(Mechanism.from_dict(slider(5.0, 5.0, 0.4)), 1.0)
    plain = slider(5.0, 5.0, 0.4)
    del plain["joints"][0]["static_friction"]
    assert np.array_equal(found.position, simulate(Mechanism.from_dict(plain), 1.0).position)


def test_derivatives_follow_the_curve() -> None:
    """Against differences of accelerations."""
    given, d = {"stribeck_speed": [0.5]}, 1e-6
    at = [
        evaluate(Mechanism.from_dict(slider(6.0, 2.0, speeds=[0.3 + way * d], **given))).joint_acceleration[0]
        for way in (-1.0, 1.0)
    ]
    found = evaluate(Mechanism.from_dict(slider(6.0, 2.0, speeds=[0.3], **given)), derivatives=True)
    assert found.derivatives.acceleration_by_speeds[0, 0] == pytest.approx((at[1] - at[0]) / (2.0 * d), rel=1e-6)


def test_static_friction_below_the_kinetic_one_is_refused_by_name() -> None:
    falling = {"times": [0.0, 2.0], "values": [5.0, 1.0]}
    for static, told in ((2.0, "at least friction, 3, is 2"), (falling, "at least friction, 3 at 2 s, is 1")):
        with pytest.raises(MechanismError, match=f"joint 'slide'.*static_friction.*{told}"):
            simulate(Mechanism.from_dict(slider(static, 3.0)), 0.1)


def test_an_action_lets_a_brake_go() -> None:
    made = slider(8.0, 2.0, 0.5)
    made["actions"] = [{"time": 0.5, "target": "slide", "set": {"static_friction": [2.0]}}]
    found = simulate(Mechanism.from_dict(made), 1.0)
    assert abs(found.position[12, 0, 0]) < 1e-12
    assert found.position[-1, 0, 0] == pytest.approx(0.5 * (GRAVITY * np.sin(0.5) - 2.0) * 0.25, rel=1e-6)


def test_actions_are_held_to_what_those_before_them_have_left() -> None:
    """Without a static friction of its own an axis is held by its friction, however large that becomes."""
    made = slider(5.0, 1.0, 0.4)
    steps = [(0.25, {"static_friction": None}), (0.5, {"friction": [50.0]})]
    made["actions"] = [{"time": time, "target": "slide", "set": values} for time, values in steps]
    found = simulate(Mechanism.from_dict(made), 1.0)
    pull = GRAVITY * np.sin(0.4) - 1.0
    stop = 0.25 * pull / (50.0 - GRAVITY * np.sin(0.4))
    assert found.position[-1, 0, 0] == pytest.approx(0.5 * pull * 0.25**2 + 0.5 * 0.25 * pull * stop, rel=1e-6)
    assert abs(found.joint_speeds[-1, 0]) < 1e-12
    made["actions"].reverse()
    made["actions"][1]["time"], made["actions"][0]["time"] = 0.5, 0.25
    with pytest.raises(MechanismError, match=r"static_friction\[0\] must be at least friction, 50, is 5"):
        simulate(Mechanism.from_dict(made), 1.0)
