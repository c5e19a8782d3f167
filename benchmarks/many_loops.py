# SPDX-License-Identifier: GPL-3.0-or-later
"""From ten loops in one linkage to ten thousand: how evaluations grow, without contact and with it; hanging nets that
may touch themselves, from a singular pose and from a regular one; and how long ten thousand loose bodies take to load.
"""

import time
from collections.abc import Callable

import numpy as np

from solver.integration.impulse.memory import ImpulseMemory
from solver.mechanism import Body, Contact, Ground, Mechanism, Sphere
from solver.simulation.simulation import Simulation

from .chains import Loaded, loaded_at_start
from .loops import four_bars, net, timed_motion, with_balls
from .machine import Contestant, Machine
from .mujoco_loops import MujocoLoops
from .pinocchio_loops import PinocchioLoops
from .table import Row, Section

WINDOWS = (10, 100, 1000, 10_000)
SIDES = (4, 11, 20, 33)  # of nets: 10, 101, 362, 1025 loops
OTHERS_UP_TO = 1000, 200  # loops: MuJoCo takes seconds for a step of more, and Pinocchio's data the memory
MOVING = ((net, 4, 1.0), (net, 6, 1.0))  # level ones: sides, and s; upright ones are in `nets`
AGREEMENT = 1e-8  # of the largest acceleration
LOOSE = (1000, 10_000)
ROUNDS = 3
EXPONENT = 1.3
STEPS_PER_SECOND = 480.0


def measure(machine: Machine) -> Section:
    """A row for each linkage, without contact and with it, their growth, motions of nets, and loading."""
    section = Section("Many loops: time of one evaluation of one linkage, of a motion, and of loading")
    rows = [(f"{count} windows", four_bars(count), 0.1) for count in WINDOWS]
    nets = [(f"net of {side} x {side}", net(side, side), 0.03) for side in SIDES]
    for family in (rows, nets):
        times = [_row(machine, section, *each) for each in family]
        loops = [_loops(mechanism) for _, mechanism, _ in family]
        for k, what in enumerate(("", ", with contact")):
            slope = np.polyfit(np.log(loops), np.log([each[k] for each in times]), 1)[0]
            case = f"growth from {family[0][0]} to {family[-1][0]}{what}"
            section.rows.append(Row(case, f"n^{slope:.2f}", "", "", f"<= n^{EXPONENT}", bool(slope <= EXPONENT)))
    section.rows += [_motion(*each) for each in MOVING]
    section.rows += [_loading(count) for count in LOOSE]
    section.remarks = [
        "least / median of alternating rounds; with contact: shapes that may touch, hence the method of steps with "
        "impulses, whose evaluation is timed; loops: joints beyond a tree of them",
        "others: MuJoCo's mj_step of a tree and a soft `connect` for each loop, and Pinocchio's constraintDynamics of "
        "a tree and a 3D contact for each; ratio: theirs / ours without contact",
        f"our accelerations and Pinocchio's must agree to {AGREEMENT:.0e} of the largest before the clock starts",
        "motion: nets held by two corners fall from level, balls may touch, 60 frames a second; a level net is a "
        "singular pose, and what is drawn straight between two corners stays near one; a curtain hangs bent",
        "loading: check, linkages, models, and what a first step needs; processor time",
    ]
    return section


def _loops(mechanism: Mechanism) -> int:
    return len(mechanism.joints) - len(mechanism.bodies)


def loose_bodies(count: int) -> Mechanism:
    """A heap of balls in the air, on a lattice, above a ground."""
    side = int(np.ceil(count ** (1.0 / 3.0)))
    bodies = [
        Body(
            f"ball {i}",
            mass=1.0,
            inertia=(0.004, 0.004, 0.004),
            position=(float(i % side), float(i // side % side), 1.0 + i // side**2),
            shape=Sphere(radius=0.1),
        )
        for i in range(count)
    ]
    return Mechanism(name=f"{count} loose bodies", bodies=bodies, contact=Contact(ground=Ground()))


def _row(machine: Machine, section: Section, name: str, mechanism: Mechanism, radius: float) -> tuple[float, float]:
    """Adds a row; returns the least times without contact and with it (s)."""
    loops = _loops(mechanism)
    ours = loaded_at_start(mechanism, "auto")
    runs = [ours, loaded_at_start(with_balls(mechanism, radius), "auto")]
    engines = ("MuJoCo", MujocoLoops), ("Pinocchio", PinocchioLoops)
    others = {
        engine: build(mechanism) for (engine, build), most in zip(engines, OTHERS_UP_TO, strict=True) if loops <= most
    }
    if "Pinocchio" in others:
        _agree(name, ours, others["Pinocchio"])
    contestants = [Contestant(each.run) for each in [*runs, *others.values()]]
    alone, touching, *theirs = machine.race(*contestants, rounds=ROUNDS)
    row = Row(f"{name}, {loops} loops", f"{alone.microseconds} us, with contact {touching.microseconds} us")
    row.others = ", ".join(f"{engine} {timing.microseconds} us" for engine, timing in zip(others, theirs, strict=True))
    row.ratio = ", ".join(f"{timing.over(alone):.2f}" for timing in theirs)
    section.rows.append(row)
    return alone.least, touching.least


def _agree(name: str, ours: Loaded, theirs: PinocchioLoops) -> None:
    """Raises RuntimeError if the bodies' accelerations differ."""
    expected = ours.body_accelerations()
    off = np.abs(theirs.body_accelerations() - expected).max() / np.abs(expected).max()
    if not off <= AGREEMENT:
        raise RuntimeError(f"{name}: Pinocchio and we disagree by {off:.1e} of the largest acceleration")


def _motion(family: Callable[[int, int], Mechanism], side: int, duration: float) -> Row:
    mechanism = family(side, side)
    taken, recording = timed_motion(with_balls(mechanism, 0.03), duration, 60.0)
    return Row(
        f"{mechanism.name} with contact, {duration:g} s of motion",
        f"{taken:.2f} s, {recording.evaluations} evaluations in {recording.steps} steps, "
        f"open by {recording.constraint_error.max():.0e} m",
    )


def _loading(count: int) -> Row:
    begun = time.process_time()
    simulation = Simulation(loose_bodies(count), 0.0)
    compiled = time.process_time()
    for each in simulation.linkages:
        ImpulseMemory(each, each.state, 1.0 / STEPS_PER_SECOND)
    ready = time.process_time()
    return Row(f"{count} loose bodies", f"model {compiled - begun:.2f} s, room for steps {ready - compiled:.2f} s")
