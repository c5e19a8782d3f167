# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn together by no more than a largest force."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.mechanism import Body, Box, Contact, Curve, Ground, PointToPoint, Spring
from solver.simulation.live import LiveRun
from tests.solver.simulation.catches import NONE, START, act, seen_from_parent
from tests.solver.simulation.hurrying import assert_plays_again, count_pieces, go_on, work_in_small_pieces
from tests.solver.simulation.test_catching import pair
from tests.solver.simulation.test_catching_again import live_things


def drawn_by(force: float | None, tau: float = 0.1, gap: float = 1.0) -> Mechanism:
    """A ball of 2 kg at rest without gravity, which a hook draws along X from the start."""
    ball = Body("ball", mass=2.0, inertia=(0.1, 0.1, 0.1))
    hook = PointToPoint("hook", body_a="ball", point_a=NONE, point_b=(gap, 0, 0), tau=tau, force=force)
    return Mechanism(bodies=[ball], constraints=[hook], gravity=NONE)


@pytest.mark.fallback
@pytest.mark.parametrize("integrator", ["adams", "impulse"])
def test_a_largest_force_is_kept_and_it_goes_on_from_where_it_is(integrator):
    """Evenly accelerated by 40 N / 2 kg, until the course takes less: from there critically damped."""
    tau, pace = 0.1, 20.0
    recording = simulate(drawn_by(40.0), 2.5, 24.0, integrator=integrator, substeps=10)
    # 1 - a t^2 / 2 - 2 tau a t = a tau^2, for a gap that opens by -a t
    switch = -2.0 * tau + np.sqrt(2.0 * tau * tau + 2.0 / pace)
    left = 1.0 - recording.position[:, 0, 0]
    early, late = recording.times < switch, recording.times > switch
    assert early.sum() >= 4
    close = 1e-6 if integrator == "adams" else 5e-3
    assert left[early] == pytest.approx(1.0 - 0.5 * pace * recording.times[early] ** 2, abs=close)
    gap, rate, s = 1.0 - 0.5 * pace * switch**2, -pace * switch, (recording.times[late] - switch) / tau
    assert left[late] == pytest.approx((gap + (gap + tau * rate) * s) * np.exp(-s), abs=close)
    pull = recording.constraint_force[:, 0, :3]
    assert np.linalg.norm(pull, axis=1).max() <= 40.0 * (1 + 1e-12)
    assert pull[early][:, 0] == pytest.approx(40.0)
    assert np.abs(left[-1]) < 1e-6
    assert sum("have met" in note for note in recording.notes) == 1


def test_a_force_that_is_large_enough_changes_nothing():
    free, bound = (simulate(drawn_by(force), 2.5, 24.0, relative=1e-8) for force in (None, 1e3))
    assert bound.position == pytest.approx(free.position, abs=1e-6)


def test_once_met_it_holds_what_its_force_could_not():
    """A ball of 20 N is drawn up by 30 N and holds; then a spring pulls by 200 N."""
    mechanism = drawn_by(30.0, gap=0.2)
    mechanism.gravity = (0.0, 0.0, -10.0)
    mechanism.forces = [
        Spring("pull", body_a="ball", point_a=NONE, point_b=(0, 0, -1.0), stiffness=200.0, rest_length=0.1,
               enabled=False)
    ]  # fmt: skip
    recording = simulate(act(mechanism, (3.0, "pull", {"enabled": True})), 4.0, 24.0)
    assert np.abs(recording.position[80:, 0] - (0.2, 0, 0)).max() < 1e-9
    assert np.linalg.norm(recording.constraint_force[-1, 0, :3]) > 150.0


@pytest.mark.fallback
def test_a_force_that_is_too_small_is_said():
    mechanism = drawn_by(10.0)
    mechanism.gravity = (0.0, 0.0, -10.0)
    recording = simulate(mechanism, 1.0, 24.0)
    assert recording.position[-1, 0, 2] < -2.0
    assert any("drawn together by 10 N at most, are still" in note for note in recording.notes)


@pytest.mark.fallback
def test_what_stands_in_the_way_holds_up_a_limited_catch():
    """A box that is to be drawn through the ground lies on it, pressed by no more than the largest force."""
    shape = Box(half_size=(0.1, 0.1, 0.1))
    box = Body("box", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 0.2), shape=shape)
    hook = PointToPoint("hook", body_a="box", point_a=(0, 0, 0.2), point_b=(0, 0, -0.3), tau=0.1, force=25.0)
    mechanism = Mechanism(bodies=[box], constraints=[hook], contact=Contact(ground=Ground(friction=0.5)))
    recording = simulate(mechanism, 0.75, 24.0, substeps=4)
    assert recording.position[:, 0, 2].min() > 0.0995
    assert recording.position[-1, 0] == pytest.approx((0, 0, 0.1), abs=2e-4)
    assert recording.contact_force[-1, 0, 2] == pytest.approx(9.81 + 25.0, rel=1e-3)
    assert any("are still 0.4 m apart" in note for note in recording.notes)


def test_turns_have_a_largest_torque_of_the_same_number():
    mechanism = pair("fixed", force=0.8)
    mechanism.joints[0].tau = 0.1
    recording = simulate(mechanism, 6.0, 48.0)
    on_the_way = recording.times > START
    pull = recording.joint_force[on_the_way, 0]
    drawn = np.linalg.norm(pull[:10, :3], axis=1)
    assert drawn.max() <= 0.8 * (1 + 1e-9)
    away, relative, *_ = seen_from_parent(mechanism, recording, mechanism.joints[0])
    assert np.abs(away[-1]).max() < 1e-9
    assert relative[-1] == pytest.approx(np.eye(3), abs=1e-9)


@pytest.mark.parametrize("integrator", ["auto", "impulse"])
def test_a_live_run_with_limited_catches_plays_again_to_the_last_bit(monkeypatch, integrator):
    with monkeypatch.context() as hurried:
        count_pieces(hurried)
        work_in_small_pieces(hurried)
        live = LiveRun(live_things(), 24.0, integrator=integrator)
        go_on(live, 8, 3)
        live.act("hook", enabled=True, tau=0.05, force=20.0)
        go_on(live, 20, 3)
        live.act("joint 2", enabled=False)
        go_on(live, 24, 3)
        live.act("joint 2", enabled=True, tau=0.04, force=15.0)
        go_on(live, 70, 3)
        live.act("hook", enabled=False)
        go_on(live, 100, 3)
    assert_plays_again(live, live_things, integrator=integrator)
    assert sum("at most; the catch" in note for note in live.recording().notes) == 2


@pytest.mark.parametrize("force", [0.0, -1.0, np.inf, np.nan])
def test_a_largest_force_that_is_none_is_refused(force):
    with pytest.raises(MechanismError, match="force"):
        simulate(drawn_by(force), 0.1, 24.0)


def test_a_bead_has_no_largest_force():
    bead = Curve("bead", body="ball", point=NONE, points=(NONE, (1, 0, 0)), force=3.0)
    with pytest.raises(MechanismError, match="has no meaning for a curve"):
        simulate(Mechanism(bodies=[Body("ball", mass=1.0, inertia=(1, 1, 1))], constraints=[bead]), 0.1, 24.0)
