# SPDX-License-Identifier: GPL-3.0-or-later
"""A million steps: what the variational integrator keeps, beside the classical Runge-Kutta method at the same step.

And what a step of it costs, beside one of Adams. Draws the energies to artefacts/benchmarks/energy.svg.
"""

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solver import Simulation
from solver.mechanism import Mechanism
from solver.model.poses import rotation_matrices
from solver.simulation.recording import Recording

from .classical_runge_kutta import march_classically
from .energy_picture import drawing
from .machine import Machine
from .perpetual_systems import System, systems
from .table import Row, Section

PICTURE = Path(__file__).resolve().parents[1] / "artefacts" / "benchmarks" / "energy.svg"
STEPS, FRAMES = 1_000_000, 1000
TIMED = 20.0  # s of motion, for what a step costs
REPEATS = 5
MOMENTUM = STEPS * 2.0**-53  # one rounding a step, all in one direction
GROWTH = 3.0  # swing of the last hundredth over that of the first


class Kept(NamedTuple):
    """Errors over the frames of a motion."""

    energy: np.ndarray  # (F,) as a part of the largest kinetic energy
    momentum: np.ndarray  # (F,) angular, about the vertical where there is weight, over the sum of the bodies' own


def measure(_machine: Machine) -> Section:
    """Three rows for each system: ours, Runge-Kutta, and the cost of a step."""
    section, panels = Section("Perpetual motion: a million steps"), []
    for system in systems():
        ours = kept(system.mechanism, perpetual(system))
        theirs = kept(system.mechanism, march_classically(system.mechanism, system.interval, STEPS, FRAMES))
        section.rows += [*_rows(system, ours, theirs), _cost(system)]
        title = f"{system.name}, h = {1e3 * system.interval:.3g} ms"
        panels.append((title, [ours.energy[1:], theirs.energy[1:]]))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawing(panels, STEPS), encoding="utf-8")
    section.remarks = [
        "energy: largest error in the first and in the last hundredth of the motion, of the largest kinetic energy",
        "momentum: largest error of the angular momentum (free) or of that about the vertical (hanging),",
        "of the largest sum of what the bodies have, each without its sign: rounding is in proportion to that",
        "others: classical Runge-Kutta of order 4 at the same step, on the same accelerations",
        f"cost of a step: least of {REPEATS} runs, against Adams at relative 1e-6, whose steps have no fixed length",
    ]
    return section


def perpetual(system: System) -> Recording:
    """A million steps of ours."""
    each = STEPS // FRAMES
    simulation = Simulation(
        system.mechanism, STEPS * system.interval, 1.0 / (each * system.interval), integrator="variational",
        substeps=each,
    )  # fmt: skip
    for _ in simulation.run():
        pass
    return simulation.recording


def kept(mechanism: Mechanism, recording: Recording) -> Kept:
    """Energy and angular momentum, as changes since the start."""
    energy = recording.kinetic_energy + recording.potential_energy
    mass = np.array([body.mass for body in mechanism.bodies])[:, None]
    own = np.array([np.diag(body.inertia) for body in mechanism.bodies])
    R = np.array([rotation_matrices(frame) for frame in recording.orientation])
    spin = np.einsum("fbij,bjk,fblk,fbl->fbi", R, own, R, recording.angular_velocity)
    each = spin + np.cross(recording.position, mass * recording.linear_velocity)
    if any(mechanism.gravity):
        each = each[..., 2:]
    total, summed = np.sum(each, axis=1), np.sum(np.linalg.norm(each, axis=2), axis=1)
    apart = np.linalg.norm(total - total[0], axis=1) / np.max(summed[: FRAMES // 10])
    return Kept(np.abs(energy - energy[0]) / np.nanmax(recording.kinetic_energy[: FRAMES // 10]), apart)


def _rows(system: System, ours: Kept, theirs: Kept) -> list[Row]:
    early, late = _swings(ours.energy)
    bounded = late < GROWTH * max(early, 1e-10)
    return [
        Row(
            f"{system.name}, energy",
            f"{early:.1e}, {late:.1e}",
            "{:.1e}, {:.1e}".format(*_swings(theirs.energy)),
            target=f"grows < {GROWTH:g} times",
            met=bool(bounded),
        ),
        Row(
            f"{system.name}, momentum",
            f"{ours.momentum.max():.1e}",
            f"{np.nanmax(theirs.momentum):.1e}",
            target=f"< {MOMENTUM:.1e}",
            met=bool(ours.momentum.max() < MOMENTUM),
        ),
    ]


def _swings(error: np.ndarray) -> tuple[float, float]:
    count = len(error) // 100
    return float(error[: count + 1].max()), float(error[-count:].max())


def _cost(system: System) -> Row:
    mechanism, rate = system.mechanism, 1.0 / (10 * system.interval)
    ways = {"variational": {"substeps": 10}, "adams": {}}
    least = dict.fromkeys(ways, np.inf)
    for _ in range(REPEATS):
        for integrator, options in ways.items():
            simulation = Simulation(mechanism, TIMED, rate, integrator=integrator, **options)
            for _ in simulation.warm_up():
                pass
            course, begun = simulation.start(), time.thread_time()
            for _ in course.advance(TIMED):
                pass
            taken = time.thread_time() - begun
            least[integrator] = min(least[integrator], taken / sum(run.steps for run in course.runs))
    ours, theirs = least["variational"], least["adams"]
    return Row(
        f"{system.name}, a step",
        f"{1e6 * ours:.2f} us",
        f"Adams: {1e6 * theirs:.2f} us",
        f"{theirs / ours:.2f}",
    )
