# SPDX-License-Identifier: GPL-3.0-or-later
"""The flight: critically damped courses that begin and end at rest, and an end that is assembled."""

import numpy as np
import pytest

from solver import FlyTogether, Mechanism, assemble, fly_together
from solver.mechanism import Body, Joint, PointToPoint
from tests.solver.assembly.loose_parts import chain, joint_gaps


def hooked(point) -> Mechanism:
    hook = PointToPoint("hook", body_a="a", point_a=point, point_b=[1.0, 2.0, 3.0])
    return Mechanism(bodies=[Body("a", mass=2.0, inertia=[0.1, 0.2, 0.25])], constraints=[hook])


def poses_at(flight: FlyTogether, frame: int) -> dict:
    parts = zip(flight.body_names, flight.positions[frame], flight.orientations[frame], strict=True)
    return {name: (position, orientation) for name, position, orientation in parts}


def test_a_free_body_follows_the_critically_damped_law():
    """C = C0 (1 + t/tau) exp(-t/tau), but for the thousandth that is left at the end and eased in."""
    flight = fly_together(hooked([0, 0, 0]), 2.0, 60.0)
    s = flight.times / flight.time_constant
    expected = np.outer(1.0 - (1.0 + s) * np.exp(-s), [1.0, 2.0, 3.0])
    assert flight.positions[:, 0] == pytest.approx(expected, abs=2e-3 * np.sqrt(14))
    assert flight.positions[-1, 0] == pytest.approx([1, 2, 3], abs=1e-12)
    assert flight.open == []


def test_nothing_overshoots_and_all_begins_and_ends_at_rest():
    flight = fly_together(hooked([0.4, 0.3, 0.1]), 2.0, 60.0)
    w, x, y, z = flight.orientations[:, 0].T
    point = np.array([0.4, 0.3, 0.1])
    u = np.column_stack([x, y, z])
    arm = point + 2 * w[:, None] * np.cross(u, point) + 2 * np.cross(u, np.cross(u, point))
    gap = np.linalg.norm(flight.positions[:, 0] + arm - [1, 2, 3], axis=1)
    assert (np.diff(gap) <= 1e-12).all()
    speed = np.linalg.norm(np.diff(flight.positions[:, 0], axis=0), axis=1)
    assert speed[0] < 0.2 * speed.max()
    assert speed[-1] < 1e-2 * speed.max()
    assert np.abs(np.diff(speed)).max() < 0.2 * speed.max()


@pytest.mark.parametrize("end", [[6.0, 0, 3.0], [8.0, 0, 0], [0, 0, -9.0]])
def test_a_chain_arrives_assembled(end):
    mechanism = chain(10, end)
    flight = fly_together(mechanism, 1.0, 24.0)
    assert flight.positions.shape == (25, 10, 3)
    assert flight.orientations.shape == (25, 10, 4)
    assert flight.positions[0] == pytest.approx(np.array([body.position for body in mechanism.bodies]), abs=0)
    assert flight.open == []
    assert max(joint_gaps(mechanism, poses_at(flight, -1))) < 1e-11
    assert np.linalg.norm(flight.orientations, axis=-1) == pytest.approx(np.ones((25, 10)), abs=1e-12)
    assert (np.sum(flight.orientations[1:] * flight.orientations[:-1], axis=-1) > 0).all()
    assert [tuple(body.position) for body in flight.mechanism.bodies] == [tuple(p) for p in flight.positions[-1]]


def test_what_cannot_meet_is_named_and_comes_to_rest_calmly():
    flight = fly_together(chain(10, [10, 0, -5]), 2.0, 24.0)
    assert [tie.name for tie in flight.open] == ["hook"]
    assert flight.open[0].gap == pytest.approx(np.hypot(10, 5) - 10, rel=1e-6)
    speed = np.linalg.norm(np.diff(flight.positions[:, -1], axis=0), axis=1)
    assert speed[-1] < 0.02 * speed.max()
    turns = np.diff(speed[speed.argmax() :])
    assert (turns < 1e-3 * speed.max()).all()


def test_loose_children_fly_into_their_joints():
    joint = Joint("j", "revolute", None, "a", [0, 0, 0])
    mechanism = Mechanism(bodies=[Body("a", mass=1.0, inertia=[1, 1, 1], position=[2, 0, 0])], joints=[joint])
    frame = [2.0, 0.0, 0.5], [np.cos(1.2), np.sin(1.2), 0, 0]
    flight = fly_together(mechanism, 1.0, 24.0, {"j": frame})
    assert flight.open == []
    assert joint_gaps(mechanism, poses_at(flight, -1), {"j": frame})[0] < 1e-12


def test_what_is_together_does_not_move():
    flight = fly_together(assemble(chain(4, [3, 0, 1])), 1.0, 24.0)
    assert np.abs(np.diff(flight.positions, axis=0)).max() == 0.0


def test_progress_only_grows_and_ends_at_one():
    flight = FlyTogether(chain(3, [2, 0, 1]), 1.0, 24.0)
    with pytest.raises(RuntimeError, match="has not run"):
        _ = flight.positions
    seen = [progress.fraction for progress in flight.run()]
    assert (np.diff(seen) >= 0).all()
    assert seen[-1] == pytest.approx(1.0)
    assert list(flight.run()) == []


@pytest.mark.parametrize("options", [{"duration": 0.0}, {"duration": np.nan}, {"duration": 1.0, "frame_rate": -1.0}])
def test_senseless_options_are_refused(options):
    with pytest.raises(ValueError, match="must be a positive number"):
        FlyTogether(hooked([0, 0, 0]), **options)
