# SPDX-License-Identifier: GPL-3.0-or-later
"""The integrators keep the order that their papers promise, on rotations too.

A chart whose rate misses its cross products is of first order (Schroeder 1990, eq. 3.11), so halving the step would
only halve or quarter the error; Runge-Kutta of order 8 must gain 2^8.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, Simulation, simulate
from solver.mechanism import Body, Joint
from tests.solver.comparison import turned_apart
from tests.truths.free_top import FreeTop

INERTIA = (1.0, 2.0, 3.0)
TILT = (0.9528748528860296, 0.14763625576652628, -0.2460604262775438, 0.09842417051101753)
DECADES = 10.0 ** -np.arange(4, 11)


def rotation_of(quaternion) -> np.ndarray:
    w, *v = quaternion
    x = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + 2 * w * x + 2 * x @ x


def top_and_truth(start, times) -> tuple[Mechanism, np.ndarray]:
    """A free top, its angular velocity `start` given along its own axes, and its true orientations (T, 3, 3)."""
    first = rotation_of(TILT)
    body = Body("top", mass=2.0, inertia=INERTIA, orientation=TILT, angular_velocity=first @ np.array(start))
    truth = FreeTop(np.array(INERTIA), np.array(start))
    return Mechanism(gravity=(0, 0, 0), bodies=[body]), truth.orientation(times, first)


def orientation_error(recording, truth) -> float:
    """rad"""
    got = np.array([rotation_of(q) for q in recording.orientation[:, 0]])
    # |R - S| of two rotations is 2 sqrt(2) sin(angle / 2)
    return float(np.linalg.norm(got - truth, axis=(1, 2)).max() / np.sqrt(2.0))


def slopes(errors, steps) -> np.ndarray:
    return np.diff(np.log(errors)) / np.diff(np.log(steps))


def with_fixed_steps(mechanism: Mechanism, duration: float, step: float):
    """Runge-Kutta with this step throughout: no tolerance refuses it, and none longer is allowed."""
    simulation = Simulation(mechanism, duration, 1.0 / duration, relative=1e6, integrator="runge-kutta")
    for compiled in simulation.linkages:
        compiled.longest_step = step
    for _ in simulation.run():
        pass
    assert simulation.recording.steps <= round(duration / step) + 10  # the first step may have to grow
    return simulation.recording


@pytest.mark.parametrize(("start", "counts"), [((0.3, 2.0, 0.4), (12, 24, 32)), ((0.2, 0.3, 6.0), (16, 32, 48))])
def test_runge_kutta_is_of_order_8_on_the_free_top(start, counts):
    """Errors from 1e-5 to 1e-10: above rounding, and below where the next order still counts (0.3)."""
    duration = 4.8
    mechanism, truth = top_and_truth(start, np.array([0.0, duration]))
    steps = duration / np.array(counts)
    errors = [orientation_error(with_fixed_steps(mechanism, duration, step), truth) for step in steps]
    assert slopes(errors, steps) == pytest.approx([8.0, 8.0], abs=0.3)


def spherical_tree() -> Mechanism:
    """Four bodies on ball joints, one of them hanging on the world, swinging and turning through large angles."""
    bodies = [
        Body(f"b{k}", mass=1.0 + 0.3 * k, inertia=(0.02, 0.03, 0.04), position=(0.4 * k + 0.2, 0.1 * k, 0.0))
        for k in range(4)
    ]
    ends = [(None, "b0"), ("b0", "b1"), ("b2", "b1"), ("b1", "b3")]
    places = [(0.0, 0.0, 0.0), (0.4, 0.05, 0.0), (0.8, 0.15, 0.0), (0.8, 0.1, 0.1)]
    joints = [
        Joint(f"j{k}", "spherical", *ends[k], places[k], speeds=(0.5 * k, -1.0, 2.0 - k)) for k in range(len(ends))
    ]
    return Mechanism(bodies=bodies, joints=joints)


def test_runge_kutta_is_of_order_8_on_ball_joints():
    mechanism, duration = spherical_tree(), 0.4
    truth = simulate(mechanism, duration, 1.0 / duration, relative=1e-13).orientation[-1]
    steps = duration / np.array([16, 32])  # errors of 1e-9 and 1e-12; at these steps order 9 still helps a little
    errors = [turned_apart(with_fixed_steps(mechanism, duration, h).orientation[-1], truth).max() for h in steps]
    assert slopes(errors, steps) == pytest.approx([8.0], abs=0.7)


@pytest.mark.parametrize(
    ("start", "growth", "truth_error"),
    [
        ((0.3, 2.0, 0.4), 70.0, 1e-12),  # the unstable axis: growth as in the README's case
        ((0.3, 0.2, 40.0), 10.0, 1e-10),  # the angle grows linearly, for 10 s; ellipj loses digits where sn is near 1
    ],
    ids=["tumbling", "64 turns"],
)
@pytest.mark.parametrize("integrator", ["adams", "runge-kutta"])
def test_errors_follow_the_tolerance_on_the_free_top(start, growth, truth_error, integrator):
    """Six decades of tolerance: the error falls in proportion, and the work grows as order 8 or more lets it.

    Order p needs steps in proportion to tolerance^(-1/p): 5.6 times as many over six decades at order 8, 32 at order
    4, and a million for a chart that has lost its order. Many turns must not change that.
    """
    times = np.arange(0, 10.0 + 1e-9, 0.5)
    mechanism, truth = top_and_truth(start, times)
    runs = [simulate(mechanism, 10.0, 2.0, relative=tolerance, integrator=integrator) for tolerance in DECADES]
    errors = np.array([orientation_error(run, truth) for run in runs])
    assert np.all(errors < growth * DECADES + truth_error)
    assert runs[-1].evaluations / runs[0].evaluations < 6.0
    above = errors > 2 * truth_error
    assert above.sum() >= 4
    slope = np.polyfit(np.log(DECADES[above]), np.log(errors[above]), 1)[0]
    assert slope == pytest.approx(1.0, abs=0.25)


def test_spherical_tree_agrees_over_six_decades():
    mechanism = spherical_tree()
    truth = simulate(mechanism, 2.0, 24.0, relative=1e-13, integrator="runge-kutta").orientation
    for integrator in ("adams", "runge-kutta"):
        runs = [simulate(mechanism, 2.0, 24.0, relative=tolerance, integrator=integrator) for tolerance in DECADES]
        errors = np.array([turned_apart(run.orientation, truth).max() for run in runs])
        assert np.all(errors < 10 * DECADES), integrator
        assert runs[-1].evaluations / runs[0].evaluations < 6.0
