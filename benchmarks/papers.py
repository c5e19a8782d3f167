# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the papers that no other section has beside ours: Schroeder 1990, Wendlandt 1997, Redon and Lin 2006."""

import time
from pathlib import Path

import numpy as np

from solver import Posing, Script, Simulation, simulate
from solver.mechanism import Body, Joint, Mechanism, Nail, Orientation

from .energy_momentum import as_bodies, march
from .loops import thesis_bars
from .machine import Machine
from .molecules import molecule
from .table import Row, Section

TENSEGRITY = Path(__file__).resolve().parents[1] / "examples" / "tensegrity.ves"
# Schroeder 1990, section 7.2: stiffness, relative and absolute accuracy, damping: evaluations, steps. (The thesis has
# 1e-7 and 1e-6 in the fifth and sixth row, the other way round than in the first two.)
THESIS = {
    (20, 1e-6, 1e-7, 10): (23337, 14368), (20, 1e-6, 1e-7, 1): (16192, 14992),
    (20, 1e-4, 1e-3, 10): (20949, 11603), (20, 1e-4, 1e-3, 1): (16612, 9245),
    (40, 1e-7, 1e-6, 10): (41947, 40064), (40, 1e-7, 1e-6, 1): (34196, 31725),
    (40, 1e-4, 1e-3, 10): (48726, 26737), (40, 1e-4, 1e-3, 1): (38257, 21147),
}  # fmt: skip
# Section 7.4: order of the bars, and which hangs on which
WAYS = {
    "root left": ((0, 1, 2), ((0, 1), (1, 2))),
    "root right": ((2, 1, 0), ((2, 1), (1, 0))),
    "root in the middle, left first": ((1, 0, 2), ((1, 0), (1, 2))),
    "root in the middle, right first": ((1, 2, 0), ((1, 2), (1, 0))),
}
REDON = ("6E-05", "2E-06", "1E-07", "4E-09", "2E-09")  # table 1, displacement error with one force
EXPONENTS, THEIR_STEPS, JOINTS, PUSHED = (3, 7, 11, 15, 19), 4000, 50_000, 33_439
INTERVALS, TIMED = (1 / 30, 1 / 60, 1 / 240, 1 / 960), 1000.0  # s


def measure(_machine: Machine) -> Section:
    """A row for each line of their tables."""
    rows = [*_tensegrity(), *_three_bars(), *_held_bars(), *_pendulum(), *_displacements()]
    remarks = [
        "tensegrity: 8 s; the thesis does not say how long its runs were, but its figure shows 8 s",
        "three bars: spread of the four ways, in all components of the middle bar's velocities",
        f"pendulum: energy and momentum over {TIMED:g} s; correlation of the energy's error with the multipliers",
        "displacement: farthest body from where exact steps lead it, over the longest way, after 100 steps of 0.02 s",
    ]
    return Section("Tables of the papers", rows, remarks)


def _tensegrity() -> list[Row]:
    rows = []
    for (stiffness, relative, absolute, damping), (evaluations, steps) in THESIS.items():
        mechanism = Script.load(TENSEGRITY).mechanism
        for force in mechanism.forces:
            if force.type == "rubber":
                force.stiffness = float(stiffness)
            else:
                force.linear = force.angular = float(damping)
        recording = simulate(mechanism, 8.0, 24.0, relative=relative, absolute=absolute)
        rows.append(
            Row(
                f"tensegrity, k {stiffness}, relative {relative:.0e}, d {damping}",
                f"{recording.evaluations} evaluations, {recording.steps} steps",
                f"{evaluations}, {steps}",
                f"{evaluations / recording.evaluations:.1f}",
            )
        )
    return rows


def three_bars(order: tuple[int, ...], pairs: tuple[tuple[int, int], ...]) -> Mechanism:
    """Schroeder 1990, section 7.4: bars as in `thesis_bars`, of which the last turns about its joint at 0.1 rad/s."""
    bodies = [
        Body(f"bar {i}", mass=1.0, inertia=(1.25 / 12, 100.25 / 12, 101.0 / 12), position=(8.0 * i - 8.0, 0.0, 0.0))
        for i in order
    ]
    turned = bodies[order.index(2)]
    turned.angular_velocity, turned.linear_velocity = (0.0, 0.0, 0.1), (0.0, 0.4, 0.0)
    joints = [
        Joint(f"joint {i} {k}", "revolute", f"bar {i}", f"bar {k}", position=(4.0 * (i + k) - 8.0, 0.0, 0.0))
        for i, k in pairs
    ]
    return Mechanism(gravity=(0.0, 0.0, 0.0), bodies=bodies, joints=joints)


def _three_bars() -> list[Row]:
    rows = []
    for duration, theirs in ((1.0, "2e-5 to 2e-3 of w, 3e-4 of v"), (53.0, "visible"), (540.0, "clearly apart")):
        found = []
        for order, pairs in WAYS.values():
            recording = simulate(three_bars(order, pairs), duration, 24.0, relative=1e-6, absolute=1e-7)
            k = order.index(1)
            found.append((*recording.angular_velocity[-1, k], *recording.linear_velocity[-1, k]))
        apart, energy = np.ptp(found, axis=0).max(), recording.kinetic_energy
        kept = f"energy {np.ptp(energy) / energy[0]:.0e}"
        rows.append(Row(f"three bars, four ways, {duration:g} s", f"{apart:.0e}, {kept}", theirs))
    return rows


def _held_bars() -> list[Row]:
    rows = []
    for held, theirs in (("bar 0", "6.0e-3 m"), ("bar 3", "1.93e-2 m")):
        mechanism = thesis_bars()
        k = int(held[-1])
        place = mechanism.bodies[k].position
        mechanism.constraints = [Nail("held", body=held, point=place), Orientation("not turned", body=held)]
        way = simulate(mechanism, 15.0, 24.0).position[:, k]
        apart = np.linalg.norm(way - way[0], axis=1).max()
        rows.append(Row(f"four bars, {held} held, 15 s", f"moved {apart:.0e} m", theirs))
    return rows


def _pendulum() -> list[Row]:
    rows = []
    for interval in INTERVALS:
        steps, cells = round(TIMED / interval), []
        for is_variational in (True, False):
            march(is_variational, interval, 1)
            begun = time.thread_time()
            found = march(is_variational, interval, steps)
            taken = (time.thread_time() - begun) / steps
            error = np.abs(found.energy - found.energy[0])
            cells.append(
                f"energy {error.max():.0e} J, momentum {np.ptp(found.momentum):.0e}, "
                f"correlation {np.corrcoef(error, np.abs(found.multiplier))[0, 1]:.2f}, "
                f"{found.newton_steps:.1f} Newton steps, {1e6 * taken:.2f} us"
            )
        rows.append(Row(f"double pendulum, variational, h = {1e3 * interval:.2f} ms", cells[0]))
        rows.append(Row("the same, energy-momentum", cells[1]))
    return rows + [_off(interval) for interval in INTERVALS[:3]]


def _off(interval: float) -> Row:
    """Errors of places after a second: of ours, of theirs, and of the energy-momentum method."""
    truth = simulate(as_bodies(), 1.0, 24.0, relative=1e-11, absolute=1e-12).position[-1]
    simulation = Simulation(as_bodies(), 1.0, 1.0 / interval, integrator="variational", substeps=1)
    for _ in simulation.run():
        pass
    places = [simulation.recording.position[-1]]
    places += [march(kind, interval, round(1.0 / interval)).places for kind in (True, False)]
    ours, *theirs = (f"{np.abs(place - truth).max():.2e} m" for place in places)
    return Row(f"double pendulum, off after 1 s, h = {1e3 * interval:.2f} ms", ours, ", ".join(theirs))


def _displacements() -> list[Row]:
    rows = []
    for branches in (0.0, 0.2):
        for number, error in enumerate(displacement_errors(molecule(JOINTS, branches=branches))):
            name = f"displacement, {branches:g} branches, 2^-{EXPONENTS[number]}"
            theirs = f"{REDON[number]}, times {THEIR_STEPS}: {THEIR_STEPS * float(REDON[number]):.0e}"
            rows.append(Row(name, f"{error:.0e}", theirs))
    return rows


def displacement_errors(mechanism: Mechanism) -> list[float]:
    """Of one force, for each error allowed: Redon and Lin 2006, section 6.4."""
    posing = Posing(mechanism, error=0.0)
    posing.push(f"group {PUSHED}", np.random.default_rng(3).normal(size=3))
    start, rest = posing.state(), posing.poses()[0]
    posing.advance(0.02, 100)
    exact, found = posing.poses()[0] - rest, []
    for exponent in EXPONENTS:
        posing.restore(start)
        posing.set_error(2.0**-exponent)
        posing.advance(0.02, 100)
        apart = np.linalg.norm(posing.poses()[0] - rest - exact, axis=1).max()
        found.append(float(apart / np.linalg.norm(exact, axis=1).max()))
    return found
