# SPDX-License-Identifier: GPL-3.0-or-later
"""Quasi-static posing: table 1 of Redon and Lin (2006), a molecule of 50,000 joints that 1 to 1,000 forces push.

The measure is the relative joint acceleration error, as there. Forces are constant along the world's axes and act on
neighbouring groups in the middle of the molecule. (With 100 and 1,000 forces the paper computes about 100 and 1,000
joints more than with one, which says as much; forces far apart would take some seventy each.) Beside every time stands
what it buys: how far bodies end from where exact steps lead them, as a part of the longest way, and the error of single
accelerations against all of them, in parts of what was allowed.
"""

from collections.abc import Sequence

import numpy as np

from solver import Mechanism, Posing
from solver.model.arrays import new_scratch
from solver.posing.engine import Engine

from .chains import evaluate_repeatedly
from .machine import Contestant, Machine
from .molecules import molecule
from .table import Row, Section

JOINTS = 50_000
FORCES = (1, 10, 100, 1000)
EXPONENTS = (3, 7, 11, 15, 19)
STEPS, CHECKED, INTERVAL = 100, 4, 0.02  # steps of a motion, of these compared with all accelerations, and s
STILL = 1e-7  # s: steps that are timed do not move anything to speak of
SPEED_UP = {1: 350.0, 1000: 17.0}  # over an exact evaluation, at the smallest error
MOST = 30e-6  # s a step with one force, at the smallest error
PAPER = {
    1: ("0.6 ms, 25", "0.9, 37", "1.4, 47", "1.9, 59", "2.4, 73"),
    10: ("0.9, 32", "1.3, 45", "1.8, 56", "2.6, 75", "3.1, 85"),
    100: ("2.7, 39", "4.1, 80", "6.4, 145", "7.8, 189", "8.4, 206"),
    1000: ("17.8, 41", "21.4, 149", "42.6, 830", "49.2, 1060", "49.9, 1086"),
}


def measure(machine: Machine) -> Section:
    """One row for each number of forces and error, and some with other molecules."""
    section = Section(f"Quasi-static posing: a step of a molecule of {JOINTS} joints")
    mechanism, place = molecule(JOINTS), int(np.random.default_rng(2).integers(JOINTS // 4, 3 * JOINTS // 4))
    for count in FORCES:
        section.rows += _rows(machine, mechanism, count, range(place, place + count), EXPONENTS, f"{count} forces")
    scattered = range(JOINTS // 2000, JOINTS, JOINTS // 1000)
    section.rows += _rows(machine, mechanism, 0, scattered, EXPONENTS[-1:], "1000 forces all over")
    branched = molecule(JOINTS, branches=0.2)
    for count in (1, 1000):
        name = f"a fifth begins branches, {count} forces"
        section.rows += _rows(machine, branched, 0, range(place, place + count), EXPONENTS[-1:], name)
    section.remarks = [
        "least / median of alternating rounds; ratio: an exact evaluation by the recursive method over ours",
        "others: the paper's time and joints, on a 2.8 GHz Pentium, where its exact evaluation took 875 ms",
        f"displacement: after {STEPS} steps, farthest body from where exact steps lead it over the longest way; arms "
        "are up to 73 m long. The paper gives averages of 4,000 steps, 6e-5 to 2e-9 for one force",
        f"error: largest acceleration left out in {CHECKED} poses, as a part of what was allowed",
    ]
    return section


def _rows(
    machine: Machine, mechanism: Mechanism, count: int, pushed: Sequence[int], exponents: Sequence[int], name: str
) -> list[Row]:
    posing = Posing(mechanism, error=0.0)
    rng = np.random.default_rng(3)
    for group in pushed:
        posing.push(f"group {group}", rng.normal(size=3))
    start, rest = posing.state(), posing.poses()[0]
    posing.advance(INTERVAL, STEPS)
    exact = posing.poses()[0] - rest
    rows = []
    for number, exponent in enumerate(exponents):
        posing.restore(start)
        posing.set_error(2.0**-exponent)
        left_out = _left_out(posing)
        posing.restore(start)
        posing.advance(INTERVAL, STEPS)
        way = posing.poses()[0] - rest
        displacement = np.linalg.norm(way - exact, axis=1).max() / np.linalg.norm(exact, axis=1).max()
        posing.restore(start)
        rows += _timed(machine, posing, count, exponent, f"{name}, 2^-{exponent}", left_out, displacement)
        if count:
            rows[-1 - (count == 1 and exponent == EXPONENTS[-1])].others = PAPER[count][number]
    return rows


def _left_out(posing: Posing) -> float:
    """The largest acceleration that a step leaves out, as a part of the largest one and of the error allowed."""
    worst, error = 0.0, posing.error
    (engine,) = posing._engines.values()
    for _ in range(CHECKED):
        here = posing.state()
        known = _accelerations(posing, engine)
        posing.restore(here)
        posing.set_error(0.0)
        everything = _accelerations(posing, engine)
        posing.restore(here)
        posing.set_error(error)
        posing.advance(INTERVAL, 10)
        missing = np.where(known == 0.0, everything, 0.0)
        worst = max(worst, float(np.abs(missing).max() / np.abs(everything).max() / error))
    return worst


def _accelerations(posing: Posing, engine: Engine) -> np.ndarray:
    """(A,) zero where the step computed nothing."""
    engine.linkage.accelerations[:] = 0.0
    posing.advance(STILL)
    return engine.linkage.accelerations.copy()


def _timed(
    machine: Machine, posing: Posing, count: int, exponent: int, name: str, left_out: float, displacement: float
) -> list[Row]:
    (engine,) = posing._engines.values()
    model, scratch = engine.model, new_scratch(engine.model)
    rates = np.zeros(2 * len(engine.state.speeds))

    def steps(number: int) -> None:
        posing.advance(STILL, number)

    def exact_evaluations(number: int) -> None:
        evaluate_repeatedly(model, engine.state, scratch, rates, number)

    steps(2)
    solved = posing.solved
    ours, theirs = machine.race(Contestant(steps), Contestant(exact_evaluations))
    ratio = theirs.over(ours)
    wanted = SPEED_UP.get(count) if exponent == EXPONENTS[-1] else None
    kept = left_out <= 1.0
    row = Row(
        name,
        f"{ours.microseconds} us, {solved} joints, displacement {displacement:.0e}, error {left_out:.3f}",
        ratio=f"{ratio:.0f}",
        target=f">= {wanted:.0f}, error <= 1" if wanted else "error <= 1",
        met=kept and (wanted is None or ratio >= wanted),
    )
    if wanted is None or count != 1:
        return [row]
    limit = Row("the same", f"{1e6 * ours.least:.1f} us", target=f"< {1e6 * MOST:.0f} us", met=ours.least < MOST)
    return [row, limit]
