# SPDX-License-Identifier: GPL-3.0-or-later
"""Ratios that actions change: of gears, racks and ropes; they hold for changes from then on, and nothing jumps."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Action, Body, Gear, Joint, Pulley, Rack, Table
from solver.simulation.live import LiveRun
from tests.solver.simulation.hurrying import assert_plays_again, go_on

NONE = (0.0, 0.0, 0.0)
LATER = 0.5123  # s: no frame is near it
INERTIA = 2.0, 3.0
G = 9.81
TOLERANCE = {"variational": 1e-5}  # rad: its steps are of second order, and as long here as that allows


def geared(ratio: float = -0.5, speed: float = 4.0, of: str = "gear") -> Mechanism:
    """Two wheels that turn about Z, or a wheel that drives a slider of 3 kg; the first at 4 rad/s."""
    bodies = [Body(f"wheel {i}", mass=3.0, inertia=(J, J, J), position=(i, 0, 0)) for i, J in enumerate(INERTIA)]
    kinds = "revolute", "revolute" if of == "gear" else "prismatic"
    joints = [
        Joint(f"axle {i}", kind, None, f"wheel {i}", (i, 0, 0), speeds=(speed * (ratio if i else 1.0),))
        for i, kind in enumerate(kinds)
    ]
    tie = {"gear": lambda: Gear("tie", joint_a="axle 0", joint_b="axle 1", ratio=ratio)}
    tie["rack"] = lambda: Rack("tie", joint_a="axle 0", joint_b="axle 1", radius=ratio)
    return Mechanism(gravity=NONE, bodies=bodies, joints=joints, constraints=[tie[of]()])


def set_to(mechanism: Mechanism, *values: tuple[float, float], key: str = "ratio") -> Mechanism:
    mechanism.actions = [Action(time, "tie", {key: value}) for time, value in values]
    return mechanism


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "impulse", "variational"])
@pytest.mark.parametrize("of", ["gear", "rack"])
def test_another_ratio_is_met_by_a_blow_and_no_angle_jumps(of, integrator):
    key = "ratio" if of == "gear" else "radius"
    mechanism = set_to(geared(of=of), (LATER, -2.0), key=key)
    recording = simulate(mechanism, 1.0, 24.0, integrator=integrator)
    first, second = INERTIA
    after = 4.0 * (first + -2.0 * -0.5 * second) / (first + 2.0**2 * second)  # momentum along what the gear allows
    later = np.maximum(0.0, recording.times - LATER)
    angle = 4.0 * np.minimum(recording.times, LATER) + after * later
    other = -2.0 * np.minimum(recording.times, LATER) - 2.0 * after * later
    assert recording.joint_coordinates == pytest.approx(
        np.stack([angle, other], axis=1), abs=TOLERANCE.get(integrator, 1e-9)
    )
    assert [note.code for note in recording.notes if note.code == "velocities-changed"]


def stepless(steps: int) -> np.ndarray:
    """Speed of the first wheel (rad/s) after its ratio has gone from -0.5 to -2 within a second, in steps."""
    times = (np.arange(steps) + 0.5) / steps
    mechanism = set_to(geared(), *zip(times, -0.5 - 1.5 * (np.arange(steps) + 1.0) / steps, strict=True))
    recording = simulate(mechanism, 1.0, 24.0)
    changed = [note for note in recording.notes if note.code == "velocities-changed"]
    assert len(changed) == 1
    assert f"and {steps - 1} times more until" in changed[0]
    return recording.joint_speeds[-1, 0]


def test_many_small_steps_are_a_stepless_gear_which_loses_no_energy():
    """With w2 = r(t) w1 and no force but the gear's, (I1 + r^2 I2) w1^2 stays: the gear does no work."""
    first, second = INERTIA
    exact = 4.0 * np.sqrt((first + 0.25 * second) / (first + 4.0 * second))
    coarse, fine = stepless(20) - exact, stepless(40) - exact
    assert abs(coarse) < 0.02 * exact
    assert coarse / fine == pytest.approx(2.0, abs=0.1), "of first order in the step"


def weights(ratio: float = 1.0, length: float | Table | None = None) -> Mechanism:
    """Two weights on a rope over two wheels 2 m above them."""
    inertia = (0.1, 0.1, 0.1)
    bodies = [Body(f"weight {i}", mass=m, inertia=inertia, position=(i, 0, 0)) for i, m in enumerate((2.0, 5.0))]
    ends = {"body_a": "weight 0", "point_a": (0, 0, 0), "body_b": "weight 1", "point_b": (1, 0, 0)}
    rope = Pulley("tie", **ends, wheel_a=(0, 0, 2), wheel_b=(1, 0, 2), ratio=ratio, length=length)
    return Mechanism(bodies=bodies, constraints=[rope])


@pytest.mark.parametrize("length", [None, 4.0])
def test_a_rope_with_another_ratio_does_not_jump_and_pulls_as_that_says(length):
    """The first side rises at first; the blow and the pull are those of Atwood's machine with a ratio."""
    recording = simulate(set_to(weights(length=length), (0.25, 2.0)), 0.5, 24.0)
    first, second = 2.0, 5.0

    def fall(r: float) -> float:
        """m/s2 of the second weight, downwards."""
        tension = G * (1.0 + r) / (1.0 / first + r**2 / second)
        return G - r * tension / second

    speed = 0.25 * fall(1.0)
    after = speed * (second + 1.0 * 2.0 * first) / (second + 2.0**2 * first)
    early, late = np.minimum(recording.times, 0.25), np.maximum(0.0, recording.times - 0.25)
    expected = 0.5 * fall(1.0) * early**2 + after * late + 0.5 * fall(2.0) * late**2
    assert -recording.position[:, 1, 2] == pytest.approx(expected, abs=1e-8)
    risen = 0.5 * fall(1.0) * early**2 + 2.0 * (after * late + 0.5 * fall(2.0) * late**2)
    assert recording.position[:, 0, 2] == pytest.approx(risen, abs=1e-8)


def test_a_rope_that_is_reeled_in_goes_on_so_with_another_ratio():
    reeled = Table((0.0, 0.2, 0.4, 0.6, 0.8), (4.0, 3.9, 3.8, 3.7, 3.6))
    recording = simulate(set_to(weights(length=reeled), (0.25, 2.0)), 0.5, 100.0)
    spans = 2.0 - recording.position[:, :, 2]
    ratio = np.where(recording.times < 0.25, 1.0, 2.0)
    kept = spans[:, 0] + ratio * spans[:, 1] + 0.5 * recording.times
    assert np.ptp(kept[:25]) < 1e-8
    assert np.ptp(kept[25:]) < 1e-8
    assert np.abs(np.diff(spans, axis=0)).max() < 0.05


def test_a_live_run_whose_ratio_is_changed_plays_again():
    run = LiveRun(geared(), 24.0)
    go_on(run, 12)
    run.act("tie", ratio=-2.0)
    go_on(run, 24)
    assert_plays_again(run, geared)


def test_a_ratio_of_nothing_is_refused_by_name():
    with pytest.raises(MechanismError, match=r"actions\[0\]: set\.ratio must not be 0: joint_b would stand still"):
        simulate(set_to(geared(), (LATER, 0.0)), 1.0, 24.0)
