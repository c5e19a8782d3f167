# SPDX-License-Identifier: GPL-3.0-or-later
"""From ten loops in one linkage to ten thousand: how evaluations grow, without contact and with it; hanging nets that
may touch themselves; and how long ten thousand loose bodies take to load.
"""

import time
from dataclasses import replace

import numpy as np

from solver.integration.impulse.memory import ImpulseMemory
from solver.mechanism import Body, Contact, Ground, Mechanism, Sphere
from solver.simulation.simulation import Simulation

from .chains import loaded_at_start
from .loops import four_bars, net
from .machine import Contestant, Machine
from .mujoco_loops import MujocoLoops
from .table import Row, Section

WINDOWS = (10, 100, 1000, 10_000)
SIDES = (4, 11, 33)  # of nets: 10, 101, 1025 loops
OTHERS_UP_TO = 1000  # loops: MuJoCo takes seconds for a step of more
MOVING = ((4, 1.0), (6, 1.0))  # sides of nets in motion, and s
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
    section.rows += [_motion(side, duration) for side, duration in MOVING]
    section.rows += [_loading(count) for count in LOOSE]
    section.remarks = [
        "least / median of alternating rounds; with contact: shapes that may touch, hence the method of steps with "
        "impulses, whose evaluation is timed; loops: joints beyond a tree of them",
        "others: MuJoCo's mj_step of a tree and a soft `connect` for each loop; ratio: theirs / ours without contact",
        "motion: nets held by two corners fall from level, balls may touch, 60 frames a second; a level net is a "
        "singular pose, and what is drawn straight between two corners stays near one",
        "loading: check, linkages, models, and what a first step needs; processor time",
    ]
    return section


def _loops(mechanism: Mechanism) -> int:
    return len(mechanism.joints) - len(mechanism.bodies)


def with_balls(mechanism: Mechanism, radius: float) -> Mechanism:
    """The same with a ball on each body, so that all may touch each other."""
    bodies = [replace(body, shape=Sphere(radius=radius)) for body in mechanism.bodies]
    return replace(mechanism, bodies=bodies, contact=Contact())


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
    runs = [loaded_at_start(mechanism, "auto"), loaded_at_start(with_balls(mechanism, radius), "auto")]
    others = [MujocoLoops(mechanism)] if loops <= OTHERS_UP_TO else []
    ours, touching, *theirs = machine.race(*(Contestant(each.run) for each in [*runs, *others]), rounds=ROUNDS)
    row = Row(f"{name}, {loops} loops", f"{ours.microseconds} us, with contact {touching.microseconds} us")
    for timing in theirs:
        row.others, row.ratio = f"MuJoCo {timing.microseconds} us", f"{timing.over(ours):.2f}"
    section.rows.append(row)
    return ours.least, touching.least


def _motion(side: int, duration: float) -> Row:
    simulation = Simulation(with_balls(net(side, side), 0.03), duration, 60.0)
    for _ in simulation.warm_up():
        pass
    begun = time.process_time()
    for _ in simulation.run():
        pass
    taken, recording = time.process_time() - begun, simulation.recording
    return Row(
        f"net of {side} x {side} with contact, {duration:g} s of motion",
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
