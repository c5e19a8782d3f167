# SPDX-License-Identifier: GPL-3.0-or-later
"""Forces that jump and stiff ones: evaluations and wall clock per second of motion.

Beside ours: LSODA, the descendant of the integrator of the thesis (Schroeder 1990, 6.4), on the very same accelerations
but without modes: it has to find its way over the jumps by shortening its steps.
"""

import dataclasses
import time
from pathlib import Path

import numpy as np

from solver import Mechanism, Script, simulate
from solver.mechanism import Body, Damping, Rubber

from .machine import Machine
from .scipy_rates import solve
from .table import Row, Section

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CAR = Path(__file__).resolve().parents[1] / "tests" / "reference" / "car_drop.json"
THESIS = 23337  # evaluations of the tensegrity in 8 s; and seconds it took in 1990
THESIS_SECONDS = 195.0
ALLOWED_SECONDS = 0.2
REPEATS = 3


def measure(_machine: Machine) -> Section:
    """One row for each scene."""
    section = Section("Forces: evaluations and wall clock per second of motion")
    tensegrity = Script.load(EXAMPLES / "tensegrity.ves").mechanism
    row, evaluations, seconds = _row("tensegrity of thesis 7.2, 8 s", tensegrity, 8.0)
    row.target = f"fewer than {THESIS} evaluations, under {ALLOWED_SECONDS} s"
    row.met = evaluations < THESIS and seconds < ALLOWED_SECONDS
    row.others += f"; thesis: {THESIS} evaluations, {THESIS_SECONDS:.0f} s in all"
    section.rows.append(row)
    section.rows.append(_row("100 rubbers between 40 sticks, 8 s", ring_of_rubbers(20), 8.0)[0])
    for factor in (1, 10, 100):
        section.rows.append(_row(f"car dropped on its suspension, {factor} times as stiff, 3 s", _car(factor), 3.0)[0])
    section.rows.append(_row("car that skids to rest (thesis 7.3), 9 s", _skid(), 9.0, with_lsoda=False)[0])
    section.remarks = [
        "default tolerances (relative 1e-6), compiled; wall clock is the least of three runs",
        "LSODA at the same tolerances asks Python for each evaluation, so only its evaluations compare; it integrates "
        "the same rates with the jumps in them, and keeps each step to the tolerance where ours keep the motion as a "
        "whole to it; ratio: its evaluations / ours",
    ]
    return section


def _row(case: str, mechanism: Mechanism, duration: float, with_lsoda: bool = True) -> tuple[Row, int, float]:
    simulate(mechanism, duration)
    seconds = np.inf
    for _ in range(REPEATS):
        begun = time.perf_counter()
        recording = simulate(mechanism, duration)
        seconds = min(seconds, time.perf_counter() - begun)
    evaluations = recording.evaluations
    row = Row(case, f"{evaluations / duration:.0f} evaluations, {1e3 * seconds / duration:.2f} ms")
    if with_lsoda:
        theirs = solve(mechanism, duration, "LSODA").evaluations
        row.others, row.ratio = f"LSODA: {theirs / duration:.0f} evaluations", f"{theirs / evaluations:.1f}"
    return row, evaluations, seconds


def _car(factor: float) -> Mechanism:
    """The reference's car with springs and dampers that are so many times stiffer."""
    mechanism = Mechanism.load(CAR)
    mechanism.forces = [
        dataclasses.replace(each, stiffness=factor * each.stiffness, damping=np.sqrt(factor) * each.damping)
        for each in mechanism.forces
    ]
    return mechanism


def _skid() -> Mechanism:
    return Script.load(EXAMPLES / "skidding_car.ves").mechanism


def ring_of_rubbers(count: int) -> Mechanism:
    """Two rings of sticks that stand in each other, drawn together by five rubbers a pair."""
    mechanism, radius = Mechanism(gravity=(0.0, 0.0, 0.0)), 0.4 * count
    bodies, forces = [], []
    for k in range(2 * count):
        angle = np.pi * k / count
        place = (radius * np.cos(angle), radius * np.sin(angle), 0.5 * (k % 2))
        bodies.append(Body(f"stick {k}", mass=1.0, inertia=(8.35, 8.35, 0.1), position=place))
        forces.append(Damping(f"air {k}", body=f"stick {k}", linear=10.0, angular=10.0))
    pairs = [(k, (k + 2) % (2 * count), end) for k in range(2 * count) for end in (-4.0, 4.0)]
    pairs += [(k, (k + 1) % (2 * count), 0.0) for k in range(0, 2 * count, 2)]
    for number, (a, b, end) in enumerate(pairs):
        ends = [np.array(bodies[k].position) + (0.0, 0.0, end) for k in (a, b)]
        rest = 0.7 * float(np.linalg.norm(ends[1] - ends[0]))
        forces.append(Rubber(f"rubber {number}", body_a=f"stick {a}", body_b=f"stick {b}", point_a=ends[0],
                             point_b=ends[1], stiffness=20.0, rest_length=rest, restitution=0.1))  # fmt: skip
    mechanism.bodies, mechanism.forces = bodies, forces
    return mechanism
