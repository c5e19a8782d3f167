# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a mechanism's run, and by a second method the truth of what it said."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from solver import Mechanism, MechanismError, SimulationFailed, simulate
from solver.assembly.bring_together import Assembly
from solver.assembly.gauss_newton import Solver
from solver.assembly.rigidity import closed_part
from solver.mechanism.keyed_motion import sample
from tests.solver.simulation.hard.generator import DURATION

FRAME_RATE = 24.0
STILL = 0.005  # m: what is locked moves by less when it is pushed by PUSH and closed again
PUSH = 0.02


@dataclass
class Outcome:
    """The end of a run: `trouble` is what is wrong with that, empty if nothing is."""

    seconds: float
    evaluations: int
    said: str
    trouble: str


def run(mechanism: Mechanism) -> Outcome:
    """Simulate, and judge how it ended."""
    began = time.process_time()
    try:
        recording = simulate(mechanism, DURATION, FRAME_RATE)
    except MechanismError as error:
        return Outcome(time.process_time() - began, 0, "refused: " + error.problems[0].code, "")
    except SimulationFailed as failed:
        said = getattr(failed.reason, "code", failed.reason)
        seconds, evaluations = time.process_time() - began, failed.recording.evaluations
        return Outcome(seconds, evaluations, "stopped: " + said, untrue(mechanism, [failed.reason]))
    seconds = time.process_time() - began
    codes = [note.code for note in recording.notes if note.code not in ("integrator", "redundant", "keys-end")]
    trouble = untrue(mechanism, recording.notes)
    scale = float(np.ptp(recording.position, axis=(0, 1)).max()) + 1e-3
    if not np.isfinite(recording.position).all():
        trouble = "a position that is no number"
    elif recording.constraint_error.max() > 1e-4 * scale and "not-met" not in codes:
        trouble = f"open by {recording.constraint_error.max():.2g} m, unsaid"
    return Outcome(seconds, recording.evaluations, ", ".join(sorted(set(codes))), trouble)


def untrue(mechanism: Mechanism, notes: list) -> str:
    """The objections of a second method to what was said."""
    for note in notes:
        code = getattr(note, "code", None)
        if code == "no-slack" and largest_way(mechanism) > STILL:
            return "said to have no slack, but it moves"
        if code == "cannot-follow" and can_follow(mechanism, float(note.values["time"])):
            return "said to be out of reach, but it can be closed"
    return ""


def largest_way(mechanism: Mechanism) -> float:
    """m: how far a centre of mass travels if all are pushed a little and closed again, at the least of some pushes.

    Bars on ball joints may turn about themselves.
    """
    assembly, random, least = Assembly(mechanism), np.random.default_rng(0), np.inf
    for linkage in assembly.linkages:
        part = closed_part(linkage, assembly.start)
        if part is None:
            continue
        for _ in range(4):
            solver = Solver(part, part.moved_by(assembly.start, PUSH * random.normal(size=(len(part.moved), 6))))
            for _ in solver.run():
                pass
            way = part.way(assembly.start, solver.poses)[:, 3:]
            least = min(least, np.abs(way).max())
    return 0.0 if least == np.inf else least


def can_follow(mechanism: Mechanism, moment: float) -> bool:
    """True if all loops can be closed with what is keyed where it is at a moment, from any of some starts."""
    assembly, random = Assembly(mechanism), np.random.default_rng(0)
    for linkage in assembly.linkages:
        part = closed_part(linkage, assembly.start)
        if part is None:
            continue
        poses = assembly.start
        for i, body in enumerate(mechanism.bodies):
            if body.motion == "keyed":
                (poses.position[i],), (poses.orientation[i],), _, _ = sample(body.keys, np.array([moment]))
        errors = []
        for size in (0.0, 0.01, 0.1, 0.3, 1.0):
            solver = Solver(part, part.moved_by(poses, size * random.normal(size=(len(part.moved), 6))))
            for _ in solver.run():
                pass
            errors.append(solver.error)
        if min(errors) > 1e-6:
            return False
    return True
