# SPDX-License-Identifier: GPL-3.0-or-later
"""What asks for too much ends in one sentence before memory or time is taken for it."""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from solver import FlyTogether, LiveRun, Mechanism, RunError, Script, Simulation, SimulationFailed, simulate
from solver.__main__ import main
from solver.integration.motion.observation import new_frames
from solver.mechanism import Body, Contact, Ground, Joint, Sphere
from solver.simulation import run_limits
from solver.simulation.recording_assembly import Stretch, assemble_recording

LINKS = Path(__file__).resolve().parents[2] / "reference" / "two_link_motors.json"
LITTLE = 10_000_000  # bytes


def falling(count: int = 1, touches: bool = False) -> Mechanism:
    """Balls that fall, on the ground or for ever."""
    bodies = [
        Body(name=f"ball {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k, 0.0, 9.0), shape=Sphere(radius=0.1))
        for k in range(count)
    ]
    return Mechanism(bodies=bodies, contact=Contact(ground=Ground()) if touches else None)


NONSENSE = [
    ({"duration": 1e300}, "run-number", "duration must be a positive number, from 0 to 1e+30, is 1e+300"),
    ({"duration": math.inf}, "run-number", "duration must be"),
    ({"duration": math.nan}, "run-number", "is nan"),
    ({"duration": 1e12}, "too-many-frames", "2.4e+13 frames of 1 body take"),
    ({"duration": 1.0, "frame_rate": 1e15}, "too-many-frames", "1e+15 frames of 1 body take"),
    ({"duration": 1.0, "frame_rate": 1e300}, "run-number", "frame_rate must be"),
    ({"duration": 1.0, "frame_rate": 1e-300}, "run-number", "frame_rate must be a positive number, from 1e-30 to"),
    ({"duration": 1.0, "relative": 1e-300}, "run-number", "relative must be"),
    ({"duration": 1.0, "absolute": -1.0}, "run-number", "absolute must be"),
    (
        {"duration": 1.0, "substeps": 10**12},
        "run-substeps",
        "substeps must be a whole number from 1 to 1000000, is 1000",
    ),
    ({"duration": 1.0, "substeps": 10**400}, "run-substeps", "is a number of more than 20 digits"),
    ({"duration": 1.0, "substeps": 2.5}, "run-substeps", "is 2.5"),
    ({"duration": 100.0, "substeps": 10**6}, "too-many-steps", "the run takes 2.4e+09 steps of one length, and 1e+09"),
    ({"duration": 1e12, "frame_rate": 1e-9}, "too-many-steps", "the run takes 4.8e+14 steps"),
    ({"duration": 1.0, "method": "best"}, "unknown-word", "method 'best' is unknown; use one of auto, "),
]


@pytest.mark.parametrize(("options", "code", "said"), NONSENSE)
def test_nonsense_is_refused_before_memory_is_taken(options, code, said):
    tracemalloc.start()
    try:
        with pytest.raises(RunError) as error:
            Simulation(falling(touches=True), **options)
        assert tracemalloc.get_traced_memory()[1] < LITTLE
    finally:
        tracemalloc.stop()
    (problem,) = error.value.problems
    assert problem.code == code
    assert said in problem


OF_ANY_RUN = [row for row in NONSENSE if row[0]["duration"] == 1.0 and "too-many" not in row[1]]


@pytest.mark.parametrize(("options", "code", "said"), OF_ANY_RUN)
def test_a_live_run_refuses_the_same(options, code, said):
    options = {name: value for name, value in options.items() if name != "duration"}
    with pytest.raises(RunError) as error:
        LiveRun(falling(touches=True), **{"frame_rate": 24.0} | options)
    assert error.value.problems[0].code == code
    assert said in error.value.problems[0]


def test_a_live_run_refuses_a_frame_of_endless_steps():
    with pytest.raises(RunError, match=r"the run takes 4\.8e"):
        LiveRun(falling(touches=True), frame_rate=1e-9)


def test_a_live_run_ends_where_memory_does(monkeypatch):
    """Room is doubled as it goes; what is done so far is kept."""
    monkeypatch.setattr(run_limits, "memory", lambda: 300 * run_limits.BYTES_PER_BODY)
    run = LiveRun(falling(), frame_rate=24.0)
    with pytest.raises(SimulationFailed, match=r"512 frames of 1 body take .* and this machine has") as error:
        run.advance(1000, math.inf)
    assert len(error.value.recording.times) > 250


def test_memory_bounds_frames_times_bodies(monkeypatch):
    monkeypatch.setattr(run_limits, "memory", lambda: 1000 * run_limits.BYTES_PER_BODY)
    run_limits.refuse_frames(100, 10)
    with pytest.raises(RunError, match="101 frames of 10 bodies take"):
        run_limits.refuse_frames(101, 10)
    with pytest.raises(RunError, match="100 frames of 10 bodies take"):
        run_limits.refuse_frames(100, 10, ties=1)
    with pytest.raises(RunError, match="1001 frames of 1 body"):
        FlyTogether(falling(), duration=1000.0, frame_rate=1.0)


@pytest.mark.parametrize("touches", [False, True])
def test_frames_take_what_is_reckoned(touches):
    """The bytes of a body are those that the arrays take at their most, to within a third."""
    frames, mechanism = 4000, falling(8, touches)
    (*linkages,) = Simulation(mechanism, 1.0).linkages
    tracemalloc.start()
    try:
        stretches = []
        for compiled in linkages:
            room = new_frames(compiled.model, frames, touches)
            room.orientation[...] = 1.0, 0.0, 0.0, 0.0
            stretches.append(Stretch(compiled, room))
        assemble_recording(mechanism, stretches, np.arange(frames) / 24.0)
        peak = tracemalloc.get_traced_memory()[1] / (8 * frames)
    finally:
        tracemalloc.stop()
    assert 0.66 * run_limits.BYTES_PER_BODY < peak < 1.1 * run_limits.BYTES_PER_BODY


def test_memory_is_that_of_the_machine(monkeypatch):
    assert 1e8 < run_limits.memory() < 1e15
    monkeypatch.setattr("os.sysconf", lambda name: (_ for _ in ()).throw(ValueError(name)))
    assert run_limits.memory.__wrapped__() == 16 << 30


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--duration", "1e300"], "duration must be a positive number"),
        (["--duration", "1e12"], "frames of 2 bodies take"),
        (["--duration", "1", "--frame-rate", "1e300"], "frame_rate must be"),
        (
            ["--duration", "1", "--substeps", "1000000000000"],
            "substeps must be a whole number from 1 to 1000000, is 10",
        ),
        (["--duration", "1000", "--substeps", "1000000", "--integrator", "impulse"], "the run takes 2.4e+10 steps"),
        (["--duration", "nan"], "duration must be"),
        ([], "--duration is missing"),
    ],
)
def test_the_command_line_says_one_sentence(arguments, said, tmp_path, capsys):
    assert main(["simulate", str(LINKS), "-o", str(tmp_path / "out.npz"), *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("python -m solver: error: ")
    assert said in line
    assert list(tmp_path.iterdir()) == []


def test_a_script_of_too_many_frames(tmp_path, capsys):
    """Steps of a second and of 1e-20 s: all frames are as far apart as the smallest."""
    script = tmp_path / "long.ves"
    script.write_text("ib ball\nsstepsize 1e-20\nstep 1\nsstepsize 1\nstep 999999\n")
    assert Script.load(script).duration == pytest.approx(999999.0)
    for command in (["check"], ["simulate", "-o", str(tmp_path / "out.npz")]):
        assert main([*command, str(script)]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert "9.99999e+25 frames of 1 body take" in line


def test_a_pendulum_of_a_million_frames_is_no_nonsense():
    joints = [Joint(name="hinge", type="revolute", parent=None, child="ball 0", position=(0.0, 0.0, 0.0))]
    assert len(Simulation(Mechanism(bodies=falling().bodies, joints=joints), 1e6 / 24).times) == 1_000_001
    assert len(simulate(falling(), 0.1, 20.0).times) == 3
