# SPDX-License-Identifier: GPL-3.0-or-later
"""The cost of deciding the torques of a biped with two legs of six hinges, beside the paper's 7 ms.

(Wendlandt and Sastry 1996; on the workstations of that time.)
"""

import time

import numpy as np

from solver.control.balance import steer
from solver.kernel import entry
from solver.simulation.simulation import Simulation
from tests.solver.control.figures import biped, quadruped

from .machine import Machine
from .table import Row, Section

CALLS, REPEATS = 2000, 30
ALLOWED, PAPER = 20e-6, 7e-3  # s


@entry
def _steer_often(model, scratch, contact, steering, calls):
    for _ in range(calls):
        steer(model, scratch, contact, steering, 0.0, False)


def measure(_machine: Machine) -> Section:
    """A figure that stands, and one that is asked for more than its soles can bear."""
    section = Section("Balance: one decision of all torques")
    for case, mechanism in (("biped that stands", biped()), ("quadruped that stands", quadruped())):
        section.rows.append(_row(case, _seconds(mechanism, False)))
    section.rows.append(_row("biped that is pushed beyond its soles", _seconds(biped(), True)))
    section.remarks = ["one call of `control.balance.steer`, processor time, the least of 30 runs of 2000"]
    return section


def _row(case: str, seconds: float) -> Row:
    row = Row(case, f"{1e6 * seconds:.2f} us")
    row.others, row.ratio = f"paper: {1e3 * PAPER:.0f} ms", f"{PAPER / seconds:.0f}"
    row.target, row.met = f"under {1e6 * ALLOWED:.0f} us", seconds < ALLOWED
    return row


def _seconds(mechanism, is_pushed: bool) -> float:
    """s: of one call, when the figure has found its feet."""
    simulation = Simulation(mechanism, 1.0)
    for _ in simulation.warm_up():
        pass
    (run,) = simulation.start().runs
    for _ in run.advance(0.1):
        pass
    arrays = run.memory.arrays
    if is_pushed:
        run.scratch.bodies[run.compiled.figures.figures.body[0]].linear[0] += 1.0
    best = np.inf
    for _ in range(REPEATS):
        begun = time.process_time()
        _steer_often(run.compiled.model, run.scratch, arrays.contact, arrays.steering, CALLS)
        best = min(best, time.process_time() - begun)
    return best / CALLS
