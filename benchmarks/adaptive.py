# SPDX-License-Identifier: GPL-3.0-or-later
"""The adaptive integrator beside full dynamics: a molecule of 50,000 joints with springs, of which few or all move.

Integrators take turns in the same motions, from linkages that are ready to their last frames: what comes before and
after, reading and the recording, takes each the same.
"""

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from solver import Mechanism, Simulation
from solver.mechanism import Expression

from .machine import Machine
from .molecules import molecule
from .table import Row, Section

JOINTS = 50_000
STIFFNESS, DAMPING, PUSH = 2.0, 0.1, 20.0  # N m/rad, N m s/rad, N
DURATION, FRAME_RATE = 0.5, 24.0
BOUNDS = (1.0, 0.1, 0.01)  # rad/s2; the second alone where all moves
ROUNDS, ROUNDS_OF_ALL = 3, 1
TARGET = 3.0  # times as quick as Adams, where one group is pushed


def measure(machine: Machine) -> Section:
    """One row for each motion and integrator."""
    section = Section(f"Adaptive dynamics: half a second of a molecule of {JOINTS} joints with springs")
    middle, all_over = [JOINTS // 2], range(JOINTS // 2000, JOINTS, JOINTS // 1000)
    section.rows += _rows("one group is pushed at 3 Hz", pushed(middle, 3.0), TARGET)
    section.rows += _rows("one group is pushed at 30 Hz", pushed(middle, 30.0), TARGET)
    section.rows += _rows("1000 groups all over at 3 Hz", pushed(all_over, 3.0), None)
    heavy = replace(pushed([], 0.0), gravity=(0.0, 0.0, -9.81))
    section.rows += _rows("the whole turns about its root by its weight", heavy, None)
    section.remarks = [
        "ours: processor time of the motion alone, with its frames, least / median; joints simulated on average; how "
        "far bodies end off, as a part of the longest way",
        "others: Adams' method, by the recursion over all joints; ratio: its time over ours, medians",
        "where all moves, adaptive takes the steps of Runge-Kutta with all joints, and looks at both ends of each",
    ]
    return section


def pushed(groups: Iterable[int], rate: float) -> Mechanism:
    """A fifth of the bonds begins branches; these groups are pushed to and fro along X (Hz)."""
    mechanism = molecule(JOINTS, branches=0.2)
    for joint in mechanism.joints[1:]:
        joint.stiffness, joint.damping = (STIFFNESS,), (DAMPING,)
    way = (f"{PUSH} * sin({2.0 * np.pi * rate} * t)", "0", "0")
    bodies = [mechanism.bodies[k] for k in groups]
    forces = [Expression(f"push {each.name}", body=each.name, point=each.position, force=way) for each in bodies]
    return replace(mechanism, forces=forces)


def _rows(name: str, mechanism: Mechanism, target: float | None) -> list[Row]:
    is_local = target is not None
    bounds, count = (BOUNDS, ROUNDS) if is_local else (BOUNDS[1:2], ROUNDS_OF_ALL)
    chosen = {"adams": {"integrator": "adams"}}
    chosen |= {f"bound {bound:g} rad/s2": {"integrator": "adaptive", "error_bound": bound} for bound in bounds}
    simulations = {key: Simulation(mechanism, DURATION, FRAME_RATE, **more) for key, more in chosen.items()}
    for each in simulations.values():
        for _ in each.warm_up():
            pass
    rounds = [{key: _motion(each) for key, each in simulations.items()} for _ in range(count)]
    times = {key: np.array([each[key].taken for each in rounds]) for key in chosen}
    found = rounds[-1]
    way = np.abs(found["adams"].end - found["adams"].start).max()
    full, rows = times["adams"], []
    for key in list(chosen)[1:]:
        off, ratio = np.abs(found[key].end - found["adams"].end).max() / way, float(np.median(full / times[key]))
        ours = f"{_seconds(times[key])}, {found[key].joints:.0f} joints, off {off:.0e}"
        wanted, met = (f"> {target:g}", ratio > target) if is_local else ("", None)
        rows.append(Row(f"{name}, {key}", ours, _seconds(full), f"{ratio:.2g}", wanted, met))
    return rows


class Motion(NamedTuple):
    """Processor time (s), places of the bodies at first and in the end (m), and joints simulated on average."""

    taken: float
    start: np.ndarray
    end: np.ndarray
    joints: float


def _motion(simulation: Simulation) -> Motion:
    timeline = simulation.start()
    begun = time.process_time()
    for _ in timeline.advance(float(simulation.times[-1])):
        pass
    taken, run = time.process_time() - begun, timeline.runs[0]
    counts, joints = run.memory.counts[0], float(JOINTS)
    if run.integrator == "adaptive":
        joints = counts.simulated / counts.chosen
    return Motion(taken, run.frames.center[0].copy(), run.frames.center[-1].copy(), joints)


def _seconds(times: np.ndarray) -> str:
    return f"{times.min():.2f} / {np.median(times):.2f} s"
