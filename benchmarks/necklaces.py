# SPDX-License-Identifier: GPL-3.0-or-later
"""Accelerations of closed necklaces: all our methods against Pinocchio's `constraintDynamics` and MuJoCo's `mj_step`.

All evaluate the same floating necklace in the same motion. What each makes of it is compared with Newton's and Euler's
laws before the clock starts. Both others are timed with the whole necklace as one arm of their tree, as one would
write it down, and with two arms of half the length, which is cheaper for them.
"""

import numpy as np

from .calls import answer_of_process, call_overheads
from .chains import loaded_at_start
from .loops import METHODS, necklace, solvable
from .machine import Contestant, Machine, Timing
from .mujoco_ring import MujocoRing
from .newton_euler import exact_accelerations
from .pinocchio_ring import PinocchioRing
from .table import Row, Section

COUNTS = (20, 40, 100, 1000)
LARGE = 1000  # pieces for which Pinocchio's data exceed the memory, and MuJoCo takes a second for a step
FEW = 3  # rounds for such a step
AGREEMENT = 1e-8  # of the largest acceleration
EXPONENT = 1.1
OTHERS = ("Pinocchio", "MuJoCo")
TWO_ARMS = "{}, two arms"


def measure(machine: Machine) -> Section:
    """For each length a row for `auto` and one for each method; then each method's growth."""
    section = Section("Necklaces: time of one evaluation of a closed ring of ball-jointed bodies")
    overheads = call_overheads(machine)
    contestants: dict[tuple[int, str], Contestant] = {}
    off: dict[tuple[int, str], float] = {}
    for count in COUNTS:
        _prepare(count, dict(zip(OTHERS, overheads, strict=True)), contestants, off)
    timings = dict(zip(contestants, machine.race(*contestants.values()), strict=True))
    for count in COUNTS:
        others = _beyond(machine) if count == LARGE else ""
        section.rows.append(_row(count, timings, off, others))
        section.rows += [_method_row(count, method, timings, off) for method in METHODS if (count, method) in timings]
    section.rows += [_growth(method, timings) for method in ("auto", *METHODS) if (LARGE, method) in timings]
    soft = _off(MujocoRing(necklace(COUNTS[0]), stiff=False), exact_accelerations(necklace(COUNTS[0])))
    section.remarks = [
        "least / median of alternating rounds; ratio: median over rounds of theirs / ours (above 1: ours is faster)",
        "others: the ring as one arm of their tree; in brackets as two arms of half the length, which helps them",
        f"taken off for calls from Python: Pinocchio {1e6 * overheads[0]:.2f} us, MuJoCo {1e6 * overheads[1]:.2f} us",
        "off: difference from Newton's and Euler's laws as one sparse system, over the largest acceleration; "
        f"more than {AGREEMENT:.0e} of ours or Pinocchio's would end the run",
        f"MuJoCo's constraints are soft by design, which leaves its accelerations off by {soft:.0e} with its own "
        f"settings and by {off[COUNTS[0], 'MuJoCo']:.0e} with the hardest, which are timed ({COUNTS[0]} pieces)",
        "growth: slope of the logarithms of the least times at 40, 100 and 1000 pieces",
    ]
    return section


def _prepare(count: int, overheads: dict[str, float], contestants: dict, off: dict) -> None:
    """Readies all who run with this many pieces, and notes how far off their accelerations are."""
    mechanism = necklace(count)
    engines = {method: loaded_at_start(mechanism, method) for method in ("auto", *solvable(mechanism))}
    if count != LARGE:
        for build, name in ((PinocchioRing, "Pinocchio"), (MujocoRing, "MuJoCo")):
            engines[name], engines[TWO_ARMS.format(name)] = build(mechanism), build(mechanism, count // 2)
    exact = exact_accelerations(mechanism)
    for name, engine in engines.items():
        off[count, name] = _off(engine, exact)
        if not off[count, name] <= AGREEMENT and not name.startswith("MuJoCo"):
            raise RuntimeError(f"{name} is off by {off[count, name]:.1e} with {count} pieces: nothing to time")
        contestants[count, name] = Contestant(engine.run, overheads.get(name.split(",")[0], 0.0))


def _off(engine, exact: np.ndarray) -> float:
    return float(np.abs(engine.body_accelerations() - exact).max() / np.abs(exact).max())


def _row(count: int, timings: dict, off: dict, others: str) -> Row:
    ours = timings[count, "auto"]
    row = Row(f"{count} pieces, auto", f"{ours.microseconds} us, off {off[count, 'auto']:.0e}", others)
    if count == LARGE:
        return row
    ratios = {name: timings[n, name].over(ours) for n, name in timings if n == count}
    row.others = ", ".join(
        f"{name} {timings[count, name].microseconds} ({1e6 * timings[count, TWO_ARMS.format(name)].least:.1f})"
        for name in OTHERS
    )
    row.others += f" us; Pinocchio off {off[count, 'Pinocchio']:.0e}"
    row.ratio = ", ".join(f"{ratios[name]:.1f} ({ratios[TWO_ARMS.format(name)]:.1f})" for name in OTHERS)
    if count == 20:
        row.target, row.met = "at least level with both", min(ratios[name] for name in OTHERS) >= 1.0
    if count == 100:
        row.target, row.met = ">= 10 x Pinocchio", ratios["Pinocchio"] >= 10.0
    return row


def _method_row(count: int, method: str, timings: dict, off: dict) -> Row:
    timing = timings[count, method]
    ratio = timing.over(timings[count, "auto"])
    words = f"{timing.microseconds} us, off {off[count, method]:.0e}"
    return Row(f"{count} pieces, {method}", words, ratio=f"{ratio:.2f} x auto's time")


def _growth(method: str, timings: dict[tuple[int, str], Timing]) -> Row:
    counts = COUNTS[1:]
    slope = np.polyfit(np.log(counts), np.log([timings[count, method].least for count in counts]), 1)[0]
    promised = method == "auto"
    others = ", ".join(f"{name} {_slope(name, timings):.2f} (40 to 100)" for name in OTHERS) if promised else ""
    return Row(
        f"growth, {method}",
        f"time ~ pieces^{slope:.2f}",
        others,
        target=f"exponent < {EXPONENT}" if promised else "",
        met=bool(slope < EXPONENT) if promised else None,
    )


def _slope(name: str, timings: dict[tuple[int, str], Timing]) -> float:
    return float(np.log(timings[100, name].least / timings[40, name].least) / np.log(100 / 40))


def _beyond(machine: Machine) -> str:
    """The others' answers to the longest necklace; MuJoCo with two arms, for it builds one in half a minute."""
    (step,) = machine.race(Contestant(MujocoRing(necklace(LARGE), LARGE // 2).run), rounds=FEW)
    refusal = answer_of_process(
        "from benchmarks.loops import necklace\nfrom benchmarks.pinocchio_ring import PinocchioRing\n"
        f"mechanism = necklace({LARGE})",
        "PinocchioRing(mechanism)",
    )
    return f"Pinocchio: {refusal}; MuJoCo, two arms: {1e6 * step.least:.0f} us"
