# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulation as a process: slices, progress, frames, independence, repetition, failure, and refusals."""

from __future__ import annotations

import statistics
import time

import numpy as np
import pytest

from solver import Mechanism, MechanismError, Simulation, SimulationFailed, evaluate, simulate
from solver.mechanism import (
    Body,
    Contact,
    Ground,
    Joint,
    Motor,
    Nail,
    Sphere,
    Spring,
    Support,
    Table,
)
from solver.simulation.recording import Recording

RECORDED = ("position", "orientation", "linear_velocity", "angular_velocity", "joint_force", "joint_coordinates")


def chain(count: int, name: str = "link", place: float = 0.0) -> tuple[list[Body], list[Joint]]:
    bodies = [
        Body(f"{name} {k}", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(k + 0.5, place, 0.0)) for k in range(count)
    ]
    parents = [None, *(body.name for body in bodies)]
    joints = [
        Joint(f"{name} joint {k}", "spherical", parents[k], bodies[k].name, (k, place, 0.0)) for k in range(count)
    ]
    return bodies, joints


def mechanism_of(*parts: tuple[list[Body], list[Joint]]) -> Mechanism:
    return Mechanism(
        bodies=[body for bodies, _ in parts for body in bodies], joints=[j for _, joints in parts for j in joints]
    )


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational"])
def test_slices_are_short_and_progress_only_grows(integrator):
    for _ in Simulation(mechanism_of(chain(2)), 0.1, integrator=integrator).run():
        pass  # so that everything is compiled
    # 4 ms are aimed at; a tick of the window must end within 50 ms. What else the machine does makes some longer, so
    # that one of three runs is enough
    whole = mechanism_of(chain(40), chain(3, "other", 5.0))
    runs = (_slices(Simulation(whole, 20.0, integrator=integrator)) for _ in range(3))
    assert any(statistics.median(slices) < 0.010 and max(slices) < 0.050 for slices in runs)


def _slices(simulation):
    """The processor time of each slice of a run whose progress only grows."""
    slices, fractions, before = [], [0.0], time.process_time()
    for progress in simulation.run():
        slices.append(time.process_time() - before)
        fractions.append(progress.fraction)
        assert 0.0 <= progress.time <= 20.0
        assert 0 <= progress.frames_done <= 481
        before = time.process_time()
    assert len(slices) > 10
    assert np.all(np.diff(fractions) >= 0.0)
    assert fractions[-1] == pytest.approx(1.0, abs=1e-12)
    return slices


@pytest.mark.fallback
@pytest.mark.parametrize(
    ("duration", "rate", "count"), [(0.0, 24.0, 1), (1.0, 24.0, 25), (0.99, 24.0, 24), (0.29, 100.0, 30), (0.1, 0.5, 1)]
)
def test_frames_as_format_counts_them(duration, rate, count):
    """F = floor(duration * rate + 1e-9) + 1; 0.29 * 100 is a little less than 29 in doubles."""
    body = Body("b", mass=1.0, inertia=(1, 1, 1), linear_velocity=(1, 0, 0))
    recording = simulate(Mechanism(bodies=[body]), duration, rate)
    assert recording.times == pytest.approx(np.arange(count) / rate, abs=1e-15)
    assert recording.position[:, 0, 0] == pytest.approx(recording.times, abs=1e-12)
    assert recording.position.shape == (count, 1, 3)


def test_the_frame_rate_does_not_change_the_motion():
    """Adams reads frames off its polynomials, so the steps, and with them every bit at common frames, are the same."""
    slow, fast = (simulate(mechanism_of(chain(3)), 1.0, rate) for rate in (10.0, 1000.0))
    assert fast.position[::100] == pytest.approx(slow.position, abs=1e-12)
    assert fast.steps == slow.steps


def test_unconnected_linkages_do_not_know_of_each_other():
    """DESIGN 4: a resting body cannot hide another's error, and unconnected linkages step by themselves."""
    alone = simulate(mechanism_of(chain(3)), 1.0)
    resting = [Body(f"resting {k}", mass=1e6, inertia=(1e6,) * 3, position=(0, 100.0 * k, 0)) for k in range(3)]
    spinning = Body("spinning", mass=1.0, inertia=(1, 2, 3), angular_velocity=(9, 1, 50), position=(0, 0, 1000.0))
    crowd = simulate(mechanism_of((resting[:2], []), chain(3), ([resting[2], spinning], [])), 1.0)
    for name in RECORDED:
        rows = slice(None) if name.startswith("joint") else slice(2, 5)
        assert np.array_equal(getattr(crowd, name)[:, rows], getattr(alone, name)), name


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational"])
def test_the_same_again_to_the_last_bit(integrator):
    first = simulate(mechanism_of(chain(5)), 1.0, integrator=integrator)
    simulate(mechanism_of(chain(2)), 0.3, integrator=integrator)
    second = simulate(mechanism_of(chain(5)), 1.0, integrator=integrator)
    for name in RECORDED:
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    assert (first.evaluations, first.steps) == (second.evaluations, second.steps)


def test_pauses_do_not_change_a_bit():
    """A slow machine gets other slices; the motion must not see them."""
    plain = simulate(mechanism_of(chain(5)), 0.5)
    simulation = Simulation(mechanism_of(chain(5)), 0.5)
    for _ in simulation.run():
        time.sleep(0.001)
    assert np.array_equal(simulation.recording.position, plain.position)


def exploding(at: float = 1.0) -> Mechanism:
    """A spring that gets as stiff as nothing can follow after a while, and beside it a body that falls in peace."""
    bodies = [
        Body("bystander", mass=1.0, inertia=(1, 1, 1), position=(5, 0, 0)),
        Body("victim", mass=1.0, inertia=(1, 1, 1), position=(0, 0, 1)),
    ]
    spring = Spring(
        "s", body_a="victim", point_a=(0, 0, 1), point_b=(0, 0, 3), rest_length=1.0,
        stiffness=Table((0.0, at, at + 0.5), (0.0, 0.0, 1e30)),
    )  # fmt: skip
    return Mechanism(bodies=bodies, forces=[spring])


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational"])
def test_a_failure_says_when_and_where_and_keeps_what_was_right(integrator):
    simulation = Simulation(exploding(), 2.0, 24.0, integrator=integrator)
    with pytest.raises(SimulationFailed) as caught:
        for _ in simulation.run():
            pass
    failure = caught.value
    assert failure.time == pytest.approx(1.0, abs=0.02)
    assert failure.body_names == ["victim"]
    assert "'victim'" in str(failure)
    assert f"{failure.time:.6g} s" in str(failure)
    kept: Recording = failure.recording
    assert len(kept.times) == 25
    for name in (*RECORDED, "kinetic_energy", "potential_energy", "constraint_error"):
        assert len(getattr(kept, name)) == 25
        assert np.all(np.isfinite(getattr(kept, name)))
    fallen = 1.0 - 0.5 * 9.81 * kept.times**2
    assert kept.position[:, 1, 2] == pytest.approx(fallen, abs=1e-6)
    with pytest.raises(RuntimeError):
        _ = simulation.recording


def test_a_failure_at_the_start_keeps_the_start():
    with pytest.raises(SimulationFailed) as caught:
        simulate(exploding(at=1e-9), 1.0)
    assert caught.value.time == pytest.approx(0.0, abs=1e-6)
    assert caught.value.body_names == ["victim"]
    assert len(caught.value.recording.times) == 1


def test_there_is_no_recording_before_the_end():
    simulation = Simulation(mechanism_of(chain(2)), 1.0)
    with pytest.raises(RuntimeError):
        _ = simulation.recording
    run = simulation.run()
    next(run)
    with pytest.raises(RuntimeError):
        _ = simulation.recording


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"duration": -1.0}, "duration"),
        ({"duration": float("nan")}, "duration"),
        ({"duration": float("inf")}, "duration"),
        ({"frame_rate": 0.0}, "frame_rate"),
        ({"frame_rate": -24.0}, "frame_rate"),
        ({"relative": 0.0}, "relative"),
        ({"relative": float("nan")}, "relative"),
        ({"absolute": -1e-7}, "absolute"),
        ({"method": "magic"}, "method 'magic' is unknown"),
        ({"integrator": "euler"}, "integrator 'euler' is unknown"),
        ({"substeps": 0}, "substeps"),
        ({"substeps": 2.5}, "substeps"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Simulation(mechanism_of(chain(1)), **({"duration": 1.0} | options))


def with_part(**parts) -> Mechanism:
    mechanism = mechanism_of(chain(2))
    for kind, part in parts.items():
        setattr(mechanism, kind, part)
    return mechanism


def with_joint(**given) -> Mechanism:
    bodies, _ = chain(1)
    return Mechanism(bodies=bodies, joints=[Joint("elbow", "revolute", None, "link 0", (0, 0, 0), **given)])


ON_LINK = {"body": "link 0", "point": (0, 0, 0)}


def touching() -> Mechanism:
    """Two balls that may touch each other."""
    mechanism = mechanism_of(chain(2))
    mechanism.joints, mechanism.contact = [], Contact()
    for body in mechanism.bodies:
        body.shape = Sphere(radius=0.1)
    return mechanism


def test_bodies_that_cannot_be_found_to_touch_are_named(monkeypatch):
    monkeypatch.setattr("solver.simulation.options.unavailable", lambda: "the package mujoco-core is needed")
    with pytest.raises(MechanismError) as error:
        Simulation(touching(), 1.0)
    (problem,) = error.value.problems
    assert "'link 0', 'link 1'" in problem
    assert "mujoco-core" in problem
    alone = touching()
    alone.contact = Contact(ground=Ground(-1.0), ignore=[("link 0", "link 1")])
    assert Simulation(alone, 0.1).notes == ["integrator: impulse"]


def test_the_integrator_that_knows_no_contact_refuses_it():
    with pytest.raises(MechanismError) as error:
        Simulation(touching(), 1.0, integrator="variational")
    (problem,) = error.value.problems
    assert "contact" in problem
    assert "variational" in problem


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit"])
def test_integrators_of_forces_take_soft_contact_and_say_so(integrator):
    assert "contact: soft (Hunt and Crossley)" in Simulation(touching(), 0.1, integrator=integrator).notes


def test_contact_takes_impulses_and_nothing_else_does():
    mechanism = touching()
    assert Simulation(mechanism, 0.1).notes == ["integrator: impulse"]
    mechanism.bodies[1].shape = None
    assert Simulation(mechanism, 0.1).notes == ["integrator: adams"]
    mechanism.contact = Contact(ground=Ground())
    (note,) = Simulation(mechanism, 0.1).notes
    assert "impulse" in note
    assert "adams" in note


def test_what_is_switched_off_or_asks_for_nothing_is_not_refused():
    mechanism = with_joint(friction=0.0, limits=((None, None),))
    mechanism.constraints = [Nail("nail", **ON_LINK, enabled=False)]
    mechanism.forces = [Support("foot", **ON_LINK, stiffness=1.0, damping=1.0, enabled=False)]
    mechanism.contact = Contact(enabled=False)
    assert evaluate(mechanism).joint_acceleration.shape == (1,)


def test_a_wrong_mechanism_is_refused_before_anything_runs():
    mechanism = mechanism_of(chain(2))
    mechanism.bodies[1].mass = -1.0
    with pytest.raises(MechanismError) as error:
        Simulation(mechanism, 1.0)
    assert any("'link 1'" in problem and "mass" in problem for problem in error.value.problems)


def test_nothing_to_move():
    """No body at all, and bodies that only stand: a recording all the same."""
    assert simulate(Mechanism(), 1.0).position.shape == (25, 0, 3)
    recording = simulate(Mechanism(bodies=[Body("wall", "fixed", position=(1, 2, 3))]), 1.0)
    assert np.array_equal(recording.position[:, 0], np.tile((1.0, 2.0, 3.0), (25, 1)))


@pytest.mark.parametrize("integrator", ["adams", "runge-kutta", "implicit", "variational"])
def test_an_animated_force_with_a_key_at_every_frame(integrator):
    """240 stops, each reached in less than a slice; x'' = the piecewise linear sin(t), within its sagitta of sin."""
    times = np.arange(241) / 24.0
    motor = Motor("m", body="b", point=(0, 0, 0), force=(Table(times, np.sin(times)), 0.0, 0.0))
    mechanism = Mechanism(bodies=[Body("b", mass=1.0, inertia=(1, 1, 1))], forces=[motor])
    recording = simulate(mechanism, 10.0, integrator=integrator)
    expected = recording.times - np.sin(recording.times)
    assert recording.position[:, 0, 0] == pytest.approx(expected, abs=10.0**2 / 2 * (1 / 24) ** 2 / 8)


def test_a_motor_that_starts_at_the_end_changes_nothing_before():
    motor = Motor("m", **ON_LINK, force=(Table((0.5, 0.5001), (0.0, 1e3)), 0.0, 0.0))
    driven, plain = (simulate(with_part(forces=forces), 0.5) for forces in ([motor], []))
    assert driven.position == pytest.approx(plain.position, abs=1e-9)


def test_a_stiff_joint_is_named():
    """A thin rod has next to no inertia about its own axis: damping there acts within microseconds."""
    rod = Body("rod", mass=0.1, inertia=(1e-3, 1e-3, 1e-8), position=(0, 0, -0.5))
    ball = Joint("ball", "spherical", None, "rod", (0, 0, 0), speeds=(1.0, 0.0, 3.0), damping=(1e-3,) * 3)
    stiff = simulate(Mechanism(bodies=[rod], joints=[ball]), 0.2, integrator="adams")
    assert any("'ball'" in note and "softer" in note for note in stiff.notes)
    ball.damping = (1e-3, 1e-3, 1e-9)
    soft = simulate(Mechanism(bodies=[rod], joints=[ball]), 0.2, integrator="adams")
    assert not any("'ball'" in note for note in soft.notes)
    assert soft.evaluations < 0.1 * stiff.evaluations
