# SPDX-License-Identifier: GPL-3.0-or-later
"""No result holds what is no finite number, and masses too far apart for loops are refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from solver import LiveRun, Mechanism, MechanismError, SimulationFailed, evaluate, simulate
from solver.mechanism import Body, Joint
from solver.simulation import simulation, timeline

pytestmark = pytest.mark.fallback
ALONG_Y = (np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0)


def four_bar(rod: float) -> Mechanism:
    """Crank and rocker of 1 kg, and a rod (kg)."""
    parts = [("crank", 1.0, (0, 0, 0.25)), ("rod", rod, (0.5, 0, 0.75)), ("rocker", 1.0, (1, 0, 0.5))]
    bodies = [Body(name, mass=mass, inertia=(0.02 * mass,) * 3, position=place) for name, mass, place in parts]
    places = [(None, "crank", (0, 0, 0)), ("crank", "rod", (0, 0, 0.5)), ("rod", "rocker", (1, 0, 1))]
    joints = [
        Joint(f"hinge {k}", "revolute", *place, ALONG_Y)
        for k, place in enumerate([*places, (None, "rocker", (1, 0, 0))])
    ]
    return Mechanism(gravity=(0, 0, -9.81), bodies=bodies, joints=joints)


def chain(heavy: float) -> Mechanism:
    """Six links, every other one this heavy (kg)."""
    bodies, joints = [], []
    for k in range(6):
        mass = heavy if k % 2 else 1.0
        inner = f"link {k - 1}" if k else None
        bodies.append(Body(f"link {k}", mass=mass, inertia=(0.06 * mass,) * 3, position=(0.4 * k, 0, 0.3 * k)))
        joints.append(Joint(f"hinge {k}", "revolute", inner, f"link {k}", (0.4 * k - 0.2, 0, 0.3 * k - 0.2), ALONG_Y))
    return Mechanism(gravity=(0, 0, -9.81), bodies=bodies, joints=joints)


@pytest.mark.parametrize("rod", [1e12, 1e-12, 3e9])
@pytest.mark.parametrize("method", ["recursive", "composite", "propagation", "lagrange", "auto"])
def test_masses_too_far_apart_in_a_loop_are_refused(rod, method):
    with pytest.raises(MechanismError) as refused:
        evaluate(four_bar(rod), method)
    for problem, other in zip(refused.value.problems, ("crank", "rocker"), strict=True):
        heavy, light = ("rod", other) if rod > 1.0 else (other, "rod")
        assert problem.code == "mass-ratio"
        assert problem.parts == (("body", heavy), ("body", light))
        assert problem.values["ratio"] == f"{max(rod, 1.0 / rod):.3g}"


@pytest.mark.parametrize("rod", [1e8, 1e-8])
def test_up_to_there_all_methods_agree_on_forces(rod):
    """The limit is 1e9; forces of light bodies are as exact as 1e-16 times the ratio, moments aside."""
    truth = evaluate(four_bar(rod), "composite")
    for method in ("recursive", "propagation", "lagrange"):
        found = evaluate(four_bar(rod), method)
        assert found.joint_acceleration == pytest.approx(truth.joint_acceleration, rel=1e-9)
        assert np.abs(found.joint_force - truth.joint_force).max() < 1e-6 * np.abs(truth.joint_force).max()


def test_a_tree_may_be_as_uneven_as_it_likes_by_recursions():
    """At 1e12 the heavy links move as at 1e8: what the light ones do to them is below 1e-8."""
    expected = evaluate(chain(1e8), "recursive").joint_acceleration
    for method in ("recursive", "composite", "propagation", "auto"):
        assert evaluate(chain(1e12), method).joint_acceleration == pytest.approx(expected, rel=1e-6)
    for method in ("lagrange", "divide"):
        with pytest.raises(MechanismError, match="the masses of 'link 1', 'link 0' are as 1e\\+12 to 1"):
            evaluate(chain(1e12), method)


def test_an_evaluation_that_is_no_number_is_refused(monkeypatch):
    assembled = simulation.assemble_evaluation

    def spoilt(*arguments):
        result = assembled(*arguments)
        result.joint_force[2, 4] = np.nan
        return result

    monkeypatch.setattr(simulation, "assemble_evaluation", spoilt)
    with pytest.raises(MechanismError) as refused:
        evaluate(four_bar(1.0))
    (problem,) = refused.value.problems
    assert (problem.code, problem.parts) == ("not-finite", (("joint", "hinge 2"),))


@pytest.mark.parametrize(("array", "part"), [("position", "rod"), ("joint_force", "hinge 1"), ("kinetic_energy", None)])
def test_a_recording_ends_before_what_is_no_number(array, part, monkeypatch):
    recorded = simulation.Timeline.recording

    def spoilt(course):
        result = recorded(course)
        getattr(result, array)[(slice(3, None), 1) if part else slice(3, None)] = np.inf
        return result

    monkeypatch.setattr(simulation.Timeline, "recording", spoilt)
    with pytest.raises(SimulationFailed) as failure:
        simulate(four_bar(1.0), 0.25, 20.0)
    assert failure.value.time == pytest.approx(0.15)
    assert len(failure.value.recording.times) == 3
    assert part is None or f"'{part}'" in failure.value.reason
    assert failure.value.body_names == (["rod"] if part == "rod" else [])
    assert all(np.isfinite(getattr(failure.value.recording, name)).all() for name in ("position", "joint_force"))


def spoil(monkeypatch, array: str, frame: int) -> None:
    """Lets linkages write what is no number into a frame, of the second body."""
    advance = timeline.LinkageRun.advance

    def spoilt(run, until):
        yield from advance(run, until)
        numbers = getattr(run.frames, array)
        numbers[(slice(frame, None), 1) if numbers.ndim > 1 else slice(frame, None)] = np.nan

    monkeypatch.setattr(timeline.LinkageRun, "advance", spoilt)


@pytest.mark.parametrize("array", ["center", "linear", "potential"])
def test_a_live_run_ends_as_a_bake_does(array, monkeypatch):
    spoil(monkeypatch, array, 3)
    with pytest.raises(SimulationFailed) as baked:
        simulate(four_bar(1.0), 0.25, 20.0)
    live = LiveRun(four_bar(1.0), 20.0)
    assert live.advance(2, 60.0)
    with pytest.raises(SimulationFailed) as failure:
        live.advance(5, 60.0)
    assert (live.frame, failure.value.time) == (2, baked.value.time)
    assert failure.value.reason == baked.value.reason
    assert failure.value.reason.code == "not-finite"
    assert failure.value.body_names == baked.value.body_names
    assert len(failure.value.recording.times) == len(live.recording().times) == 3
    assert failure.value.recording.first_unreal() is None


def test_a_live_run_does_not_begin_with_what_is_no_number(monkeypatch):
    spoil(monkeypatch, "angular", 0)
    with pytest.raises(SimulationFailed, match="no finite numbers"):
        LiveRun(four_bar(1.0), 20.0)
