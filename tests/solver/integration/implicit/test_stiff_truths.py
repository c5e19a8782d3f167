# SPDX-License-Identifier: GPL-3.0-or-later
"""Implicit steps against exact motions: between their ends, in their order, in loops, in what must not change."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Mechanism, MechanismError, simulate
from solver.integration import METHODS, local_tolerance
from solver.integration.motion.motion import Status
from solver.integration.motion.observation import new_frames
from solver.mechanism import Body, Joint, Keys, Spring, Support
from solver.model.arrays import new_scratch
from solver.model.linkage.compilation import compile_linkages
from solver.simulation import options
from tests.solver.integration.implicit.test_implicit import LYING, NONE, bars, box_on_supports, by_radau, turned


def follower(stiffness: float) -> tuple[Mechanism, float, float]:
    """A light disc that a stiff spring and damper lead along with a heavy one, which swings by a soft spring.

    Returns its pace (rad/s) and the factor of its amplitude too, of the slow mode in which both turn as one.
    """
    heavy, light = 1.0, 1e-3
    soft, start = 9.0, 0.3
    bodies = [
        Body("heavy", mass=1.0, inertia=(1, 1, heavy)),
        Body("light", mass=1.0, inertia=(1, 1, light), position=(0, 0, 1.0)),
    ]
    total = soft / heavy + stiffness / light + stiffness / heavy  # of the squares of both paces
    square = 2.0 * soft * stiffness / (heavy * light)
    square /= total + np.sqrt(total**2 - 2.0 * square)  # so that what is stiff takes no digits
    ratio = light * square / (stiffness - light * square)
    joints = [
        Joint("soft", type="revolute", parent=None, child="heavy", position=NONE, stiffness=(soft,),
              coordinates=(start,)),
        Joint(
            "stiff", type="revolute", parent="heavy", child="light", position=(0, 0, 1.0), stiffness=(stiffness,),
            coordinates=(start * ratio,),
        ),
    ]  # fmt: skip
    return Mechanism(gravity=NONE, bodies=bodies, joints=joints), float(np.sqrt(square)), ratio


def tied(stiffness: float, by_spring: bool) -> Mechanism:
    """1 kg beside a car that is keyed to drive to and fro, tied to it as stiffly (N/m), critically damped."""
    t = np.arange(97) / 48.0
    places = np.column_stack([0.3 * np.sin(7.0 * t), 0.0 * t, 0.0 * t])
    car = Body("car", motion="keyed", keys=Keys(t.tolist(), places, np.tile((1.0, 0.0, 0.0, 0.0), (97, 1))))
    start = {"position": (1.0, 0.0, 0.0), "linear_velocity": (2.1, 0.0, 0.0)}
    load = Body("load", mass=1.0, inertia=(0.1, 0.1, 0.1), **start)
    mechanism, damping = Mechanism(bodies=[car, load], gravity=(0.0, 0.0, 0.0)), 2.0 * stiffness**0.5
    if by_spring:
        ends = {"body_a": "car", "body_b": "load", "point_a": (0.0, 0.0, 0.0), "point_b": (1.0, 0.0, 0.0)}
        mechanism.forces = [Spring("rod", stiffness=stiffness, rest_length=1.0, damping=damping, **ends)]
    else:
        along_x = (0.5**0.5, 0.0, 0.5**0.5, 0.0)
        given = {"stiffness": (stiffness,), "damping": (damping,)}
        mechanism.joints = [Joint("rail", "prismatic", "car", "load", (0.0, 0.0, 0.0), along_x, **given)]
    return mechanism


@pytest.mark.parametrize("by_spring", [False, True], ids=["rail", "spring"])
def test_what_is_tied_to_a_keyed_body_costs_as_much_at_any_stiffness(by_spring):
    """By a spring of 1e9 N/m it took 1.8 million evaluations for 1.5 s, and on a rail of 1e7 N/m 39,000."""
    most = 6.0 * simulate(tied(1e2, by_spring), 1.5, integrator="implicit").evaluations
    for stiffness in (1e6, 1e7, 1e9):
        recording = simulate(tied(stiffness, by_spring), 1.5, integrator="implicit")
        assert recording.evaluations < most
        if stiffness == 1e6:
            truth = simulate(tied(stiffness, by_spring), 1.5, integrator="adams", relative=1e-9)
            assert np.abs(recording.position - truth.position).max() < 1e-7
            assert np.abs(recording.linear_velocity - truth.linear_velocity).max() < 1e-5


@pytest.mark.parametrize("stiffness", [1e1, 1e4, 1e7, 1e10])
def test_a_stiff_follower_loses_no_order(stiffness):
    """Prothero and Robinson's question: the slow motion alone, beside something stiff that it never stirs."""
    mechanism, pace, ratio = follower(stiffness)
    errors, evaluations = [], []
    for relative in (1e-4, 1e-6, 1e-8):
        recording = simulate(mechanism, 4.0, 24.0, integrator="implicit", relative=relative)
        angle = 0.3 * np.cos(pace * recording.times)
        truth = np.stack([angle, angle * (1.0 + ratio)], axis=1)
        errors.append(np.abs(2.0 * np.arcsin(recording.orientation[:, :, 3]) - truth).max())
        evaluations.append(recording.evaluations)
    assert np.all(np.array(errors) < [1e-4, 1e-6, 1e-8])
    assert evaluations[1] < 2500


@pytest.mark.parametrize("stiffness", [1e3, 1e5, 1e7])
def test_a_pendulum_with_a_stiff_hinge_keeps_every_tolerance(stiffness):
    mechanism = bars(2, stiffness, 0.1 * stiffness)
    truth = by_radau(mechanism, 1.5)[:2]
    for relative in (1e-4, 1e-6, 1e-8):
        recording = simulate(mechanism, 1.5, 24.0, integrator="implicit", relative=relative)
        assert turned(mechanism, recording) == pytest.approx(truth, abs=5.0 * relative)


def test_forces_are_right_at_frames_between_the_ends_of_steps():
    """A spring of 1e5 N m/rad turns an error of 1e-8 rad into 1e-3 N m."""
    mechanism = bars(3)
    frames = simulate(mechanism, 1.0, 480.0, integrator="implicit")
    assert frames.steps < 100
    exact = simulate(mechanism, 1.0, 480.0, integrator="implicit", relative=1e-9)
    forces = np.linalg.norm(exact.joint_force, axis=-1).max()
    assert frames.joint_force == pytest.approx(exact.joint_force, abs=1e-5 * forces)
    assert frames.position == pytest.approx(exact.position, abs=1e-6)


def test_more_frames_cost_hardly_more():
    few, many = (simulate(bars(3), 4.0, rate, integrator="implicit") for rate in (1.0, 48.0))
    assert many.steps == few.steps
    assert many.evaluations < few.evaluations + 2 * len(many.times)


def four_bar() -> Mechanism:
    """A level parallelogram under a pull of 3 m/s2 to the side, with 1e6 N m/rad between crank and coupler."""
    bodies = [
        Body(name, mass=1.0, inertia=(0.01, 0.01, 0.01), position=place)
        for name, place in (("crank", (0.0, 0, 0.1)), ("coupler", (0.25, 0, 0.2)), ("rocker", (0.5, 0, 0.1)))
    ]
    ends = [(None, "crank", (0, 0, 0)), ("crank", "coupler", (0, 0, 0.2)), ("coupler", "rocker", (0.5, 0, 0.2))]
    ends += [(None, "rocker", (0.5, 0, 0))]
    joints = [
        Joint(f"hinge {k}", type="revolute", parent=a, child=b, position=where, orientation=LYING,
              stiffness=(1e6,) if k == 1 else None, damping=(1e4,) if k == 1 else None)
        for k, (a, b, where) in enumerate(ends)
    ]  # fmt: skip
    return Mechanism(bodies=bodies, joints=joints, gravity=(3.0, 0.0, -9.81))


@pytest.mark.fallback
@pytest.mark.parametrize("duration", [0.5, 3.0])
def test_a_stiff_four_bar_stands_where_its_spring_says(duration):
    """Also in steps of seconds, in which its tree alone, without the closing hinge, would fall over."""
    recording = simulate(four_bar(), duration, 24.0, integrator="implicit")
    angle = 3.0 * (0.1 + 0.2 + 0.1) / (1e6 - 9.81 * 0.4)
    assert recording.position[6:, 0, 0] == pytest.approx(0.1 * angle, abs=1e-11)


def test_stiff_springs_inside_change_no_momentum():
    """Three balls on springs of 1e7 N/m, thrown and turning, without gravity."""
    places = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    bodies = [
        Body(
            f"ball {k}",
            mass=1.0 + k,
            inertia=(0.1, 0.1, 0.1),
            position=place,
            linear_velocity=(0.5, -place[0], 0.3 + place[1]),
        )
        for k, place in enumerate(places)
    ]
    forces = [
        Spring(f"spring {a}{b}", body_a=f"ball {a}", point_a=places[a], body_b=f"ball {b}", point_b=places[b],
               stiffness=1e7, damping=1e4, rest_length=float(np.linalg.norm(np.subtract(places[a], places[b]))))
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]  # fmt: skip
    recording = simulate(Mechanism(gravity=NONE, bodies=bodies, forces=forces), 1.0, 24.0, integrator="implicit")
    masses = np.array([1.0, 2.0, 3.0])[:, None]
    linear = (masses * recording.linear_velocity).sum(axis=1)
    spins = (0.1 * recording.angular_velocity).sum(axis=1)
    angular = np.cross(recording.position, masses * recording.linear_velocity).sum(axis=1) + spins
    assert linear == pytest.approx(np.tile(linear[0], (25, 1)), abs=1e-8)
    assert angular == pytest.approx(np.tile(angular[0], (25, 1)), abs=1e-5)


def test_it_rests_where_forces_say():
    """A box on four stiff supports: a quarter of its weight each."""
    recording = simulate(box_on_supports(), 8.0, 24.0, integrator="implicit")
    assert recording.position[-1, 0, 2] == pytest.approx(0.5 - 9.81 / 4e6, abs=1e-10)
    assert np.abs(recording.linear_velocity[-1, 0, 2]) < 1e-12


def test_more_rows_than_fit_are_refused_by_name(monkeypatch):
    monkeypatch.setattr(options, "MOST_ROWS", 2)
    first, second = (
        Body("one", mass=1.0, inertia=(1, 1, 1)),
        Body("two", mass=1.0, inertia=(1, 1, 1), position=(1, 0, 0)),
    )
    spring = Spring("tie", body_a="one", point_a=NONE, body_b="two", point_b=(1, 0, 0), stiffness=1e6, rest_length=1.0)
    mechanism = Mechanism(bodies=[first, second], forces=[spring])
    with pytest.raises(
        MechanismError, match=r"body 'one': integrator implicit .* 2 at most.* has 3; use adams or auto"
    ):
        simulate(mechanism, 1.0, integrator="implicit")
    assert simulate(mechanism, 0.1).times[-1] == pytest.approx(0.1, abs=1 / 24)


def test_a_run_that_ends_on_trial_says_that_it_was_at_work(monkeypatch):
    """A box comes to rest on its supports; what is left takes fewer steps than a trial has."""
    monkeypatch.setattr("solver.simulation.integrator_choice._TRIAL", 10**6)
    recording = simulate(box_on_supports(), 1.0, 24.0)
    (note,) = [note for note in recording.notes if getattr(note, "code", "") == "integrator-changed"]
    begun = float(note.values["when"].split()[1])
    assert 0.02 < begun < 0.06, "as its feet land; when exactly hangs on the last digits of steps"


@pytest.mark.parametrize("integrator", ["runge-kutta", "implicit"])
def test_a_step_that_is_taken_again_finds_its_gaps_as_they_were(integrator):
    """A ball that leaves the ground far too quickly for its step, whose end opens the gap before it is refused."""
    ball = Body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.01))
    foot = Support("foot", body="ball", point=(0, 0, -0.01), stiffness=1e5, damping=10.0, friction=0.0)
    (compiled,) = compile_linkages(Mechanism(bodies=[ball], forces=[foot]))
    model, scratch, method = compiled.model, new_scratch(compiled.model), METHODS[integrator]
    tolerance = local_tolerance(integrator, model, 1e-6, 1e-7)
    memory, times = method.new_memory(compiled, compiled.state, 0.0), np.array([1.0])
    frames, begin = new_frames(model, 1), True
    scratch.closed[:] = 1
    refused = 0
    for _ in range(60):
        status, _ = method.advance(model, scratch, memory, tolerance, begin, 1.0, 1.0, 1.0, times, 0, frames, 1)
        begin = False
        if status != Status.PAUSED or memory.clock[0].time > 1e-3:
            break
        if memory.counts[0].rejected > refused:
            refused = memory.counts[0].rejected
            assert scratch.closed[0] == 1
        memory.clock[0].step = max(memory.clock[0].step, 0.05) if refused < 3 else memory.clock[0].step
    assert refused > 0
