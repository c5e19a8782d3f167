# SPDX-License-Identifier: GPL-3.0-or-later
"""Stiff motions: what the implicit integrator, `auto` and Adams take for them, beside Radau, LSODA and implicitfast.

Radau and LSODA are scipy's, on the very same accelerations. Draws work against precision to artefacts/benchmarks.
"""

import importlib.util
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from solver import Mechanism, simulate
from solver.simulation.recording import Recording

from .machine import Machine
from .precision_picture import Curve, drawing
from .scipy_rates import solve
from .stiff_scenes import (
    bars,
    box_on_supports,
    driven_rod,
    followers,
    oscillator,
    sprung_rods,
    tensegrity,
    tied,
    weight_on_links,
)
from .table import Row, Section

PICTURE = Path(__file__).resolve().parents[1] / "artefacts" / "benchmarks" / "precision.svg"
DURATION, RATE = 8.0, 24.0  # s, frames a second
ALLOWED = 5000  # evaluations, of the first two scenes
TWICE = 2.0  # times the evaluations of the softest
HEAVY_ALLOWED = 20_000
MOST = 200_000  # evaluations of scipy's methods, after which they are given up
SHORT = 0.1  # s: of the five bars by Adams
TOLERANCES = tuple(10.0**-power for power in range(3, 10))
PANELS = (("between stiff and soft: 1e3, 1e1", 1e3, 1e1), ("stiff: 1e5, 1e4", 1e5, 1e4))
HALVINGS = 10  # of MuJoCo's time step, from a frame on
FRAMES_A_PERIOD = (4, 6, 10, 20, 50, 100)
PERIODS = 20


class Cost(NamedTuple):
    """The cost of a motion, and the error of its bodies' places at the end."""

    evaluations: float
    seconds: float = np.nan  # of processor time
    error: float = np.nan  # m or rad

    def __str__(self) -> str:
        if np.isinf(self.evaluations):
            return f"given up after {MOST:,} evaluations, {self.seconds:.3g} s"
        words = f"{self.evaluations:,.0f} evaluations"
        if np.isfinite(self.seconds):
            words += f", {1e3 * self.seconds:.3g} ms"
        return words + (f", off by {self.error:.0e} m" if np.isfinite(self.error) else "")


def measure(_machine: Machine) -> Section:
    """The scenes; stiffness, mass and length without bound; work against precision; periods against loss."""
    section = Section("Stiff motions")
    section.rows += _scene("five bars, 8 s", bars(), ALLOWED, adams=SHORT)
    section.rows += _scene("box on four supports, 8 s", box_on_supports(), ALLOWED)
    section.rows += _scene("two rods that are springs, 2 s", sprung_rods(), duration=2.0)
    section.rows += _scene("tensegrity, strings 100 times as stiff, 8 s", tensegrity(100.0, 50.0))
    section.rows += _scene("tensegrity, 1000 times, 8 s", tensegrity(1000.0, 500.0))
    section.rows += [*_any_stiffness(), *_any_length()]
    section.rows += _work_against_precision()
    section.rows += _periods()
    section.remarks = [
        f"relative 1e-6 where nothing else is said, {RATE:.0f} frames a second; ours: the whole way from mechanism to "
        f"recording, processor time of one run; an implicit substep is an evaluation and a sweep",
        "Radau and LSODA: the same accelerations, their finite differences counted, asked from Python: so evaluations "
        "compare, times hardly; ratio: their evaluations / ours at the same tolerance, or in the rows of one tolerance "
        "each, Radau's at our error / ours; in the rows of Adams, Radau's as exact as auto / auto's",
        "off: of the bodies' centres at the end; of the five bars from Radau's at 1e-11, of others from Adams' at 1e-9",
        f"five bars by Adams: measured over {SHORT:g} s and multiplied up to {DURATION:g} s",
    ]
    return section


def _scene(
    case: str, mechanism: Mechanism, allowed: int | None = None, duration: float = DURATION, adams: float | None = None
) -> list[Row]:
    """A row each for implicit, auto and Adams; `adams`: s of motion that it is measured for, if not all."""
    truth = _truth(mechanism, duration, adams is None)
    ours = {name: _ours(mechanism, duration, name, truth) for name in ("implicit", "auto")}
    if adams is None:
        ours["adams"] = _ours(mechanism, duration, "adams", truth)
    else:
        short, share = _ours(mechanism, adams, "adams"), duration / adams
        ours["adams"] = Cost(share * short.evaluations, share * short.seconds)
    rows = {name: Row(f"{case}: {name}", str(cost)) for name, cost in ours.items()}
    for method, name in (("Radau", "implicit"), ("LSODA", "auto")):
        theirs = solve(mechanism, duration, method, most=MOST)
        error = float(np.abs(theirs.centers - truth).max())
        rows[name].others = f"{method}: {Cost(theirs.evaluations, theirs.seconds, error)}"
        if np.isfinite(theirs.evaluations):
            rows[name].ratio = f"{theirs.evaluations / ours[name].evaluations:.2f}"
    finest, theirs = _radau_as_exact(mechanism, duration, truth, ours["auto"].error)
    rows["adams"].others = f"Radau as exact as auto: {theirs}" + (f", at {finest:.0e}" if finest else "")
    if np.isfinite(theirs.evaluations):
        rows["adams"].ratio = f"{theirs.evaluations / ours['auto'].evaluations:.2f}"
    if allowed is not None:
        rows["auto"].target = f"< {allowed:,} evaluations"
        rows["auto"].met = bool(ours["auto"].evaluations < allowed)
    return list(rows.values())


def _radau_as_exact(mechanism: Mechanism, duration: float, truth: np.ndarray, error: float) -> tuple[float, Cost]:
    """(tolerance, cost): of the loosest of Radau's tolerances, by fifths of a decade, that is off by no more (m)."""
    for power in range(25, 51):
        relative = 10.0 ** (-power / 5)
        solved = solve(mechanism, duration, "Radau", relative, most=MOST)
        off = float(np.abs(solved.centers - truth).max())
        if not off > error:
            return (relative if np.isfinite(off) else 0.0), Cost(solved.evaluations, solved.seconds, off)
    return 0.0, Cost(np.nan)


def _truth(mechanism: Mechanism, duration: float, by_adams: bool) -> np.ndarray:
    """(n, 3) m: centres at the end, by Adams, which finds where forces jump, or where that takes too long, Radau."""
    if by_adams:
        return simulate(mechanism, duration, RATE, integrator="adams", relative=1e-9).position[-1]
    return solve(mechanism, duration, "Radau", 1e-11).centers


def _ours(mechanism: Mechanism, duration: float, integrator: str, truth: np.ndarray | None = None) -> Cost:
    simulate(mechanism, 1.0 / RATE, RATE, integrator=integrator)
    begun = time.thread_time()
    recording = simulate(mechanism, duration, RATE, integrator=integrator)
    seconds = time.thread_time() - begun
    if recording.times[-1] < int(duration * RATE) / RATE:  # it stopped on the way
        return Cost(np.nan)
    error = np.nan if truth is None else float(np.abs(recording.position[-1] - truth).max())
    return Cost(recording.evaluations, seconds, error)


def _any_stiffness() -> list[Row]:
    """Evaluations against dampers, springs and motors; and a heavy weight on light links."""
    dampers = {f"{damping:.0e}": bars(3, 0.0, damping) for damping in 10.0 ** np.arange(2, 11, 2)}
    springs = {f"{stiffness:.0e}": bars(3, stiffness, 0.1 * stiffness) for stiffness in 10.0 ** np.arange(3, 10, 2)}
    motors = {f"{hertz:g}": driven_rod(hertz) for hertz in (1.0, 10.0, 100.0, 1000.0)}
    waves = {f"{hertz:g}": followers(frequency=hertz) for hertz in (2.0, 20.0, 100.0, 1000.0)}
    waves["weight 1"] = followers(weight=1.0)
    behind = {
        name: {f"{stiffness:.0e}": tied(stiffness, name == "spring") for stiffness in 10.0 ** np.arange(2, 10)}
        for name in ("rail", "spring")
    }
    rows = [
        _sweep("dampers in two hinges, N m s/rad", dampers),
        _sweep("springs in two hinges, N m/rad, dampers a tenth", springs),
        _sweep("position motor, Hz", motors),
        _sweep("three links follow a wave, Hz", waves),
        *(_sweep(f"behind a keyed car, {name}, N/m", cars) for name, cars in behind.items()),
    ]
    return [*rows, _heavy()]


def _heavy() -> Row:
    """A tension that is far stiffer than the springs, and of which the implicit systems know nothing."""
    cost, theirs = _ours(weight_on_links(), 1.0, "implicit"), solve(weight_on_links(), 1.0, "Radau")
    return Row(
        "1e8 kg at the end of ten links of 0.1 kg, 1 s",
        str(cost),
        f"Radau: {Cost(theirs.evaluations, theirs.seconds)}",
        f"{theirs.evaluations / cost.evaluations:.2f}",
        f"< {HEAVY_ALLOWED:,} evaluations",
        bool(cost.evaluations < HEAVY_ALLOWED),
    )


def _sweep(case: str, mechanisms: dict[str, Mechanism]) -> Row:
    taken = {name: _ours(each, 4.0, "implicit").evaluations for name, each in mechanisms.items()}
    most, first = max(taken.values()), next(iter(taken.values()))
    return Row(
        f"{case}, 4 s",
        "; ".join(f"{name}: {evaluations:,.0f}" for name, evaluations in taken.items()),
        target=f"at most {TWICE:g} times the softest's",
        met=bool(most <= TWICE * first),
    )


def _any_length() -> list[Row]:
    """Time against the number of stiff hinges."""
    rows = []
    for count in (10, 100, 1000):
        cost = _ours(bars(count), 1.0, "implicit")
        each = 1e6 * cost.seconds / (cost.evaluations * count)
        rows.append(Row(f"{count} stiff hinges, 1 s", f"{cost}; {each:.3f} us an evaluation and link"))
    return rows


def _work_against_precision() -> list[Row]:
    """Evaluations against the error at the end of the five bars, and the picture of it; no frames on the way."""
    rows, panels = [], []
    for title, stiffness, damping in PANELS:
        mechanism = bars(5, stiffness, damping)
        truth = np.cumsum(solve(mechanism, DURATION, "Radau", 1e-12).coordinates)
        curves = {"implicit": _points_of_ours(mechanism, "implicit", truth)}
        if stiffness < 1e4:
            curves["Adams"] = _points_of_ours(mechanism, "adams", truth)
        for method in ("Radau", "LSODA"):
            curves[method] = _points_of_scipy(mechanism, method, truth)
        if importlib.util.find_spec("mujoco"):
            curves["MuJoCo implicitfast"] = _points_of_mujoco(mechanism, stiffness, damping, truth)
        panels.append((f"{title}", [Curve(name, points) for name, points in curves.items()]))
        rows += _precision_rows(title, curves)
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawing(panels), encoding="utf-8")
    return rows


def _angles(recording: Recording) -> np.ndarray:
    """(n,) rad: of the bars at the end, from the horizontal."""
    return 2.0 * np.arctan2(recording.orientation[-1, :, 2], recording.orientation[-1, :, 0])


def _off(angles: np.ndarray, truth: np.ndarray) -> float:
    """rad: the largest difference, whole turns aside."""
    return float(np.abs((angles - truth + np.pi) % (2.0 * np.pi) - np.pi).max())


def _points_of_ours(mechanism: Mechanism, integrator: str, truth: np.ndarray) -> list[Cost]:
    points = []
    for relative in TOLERANCES:
        recording = simulate(mechanism, DURATION, 1.0 / DURATION, integrator=integrator, relative=relative)
        points.append(Cost(recording.evaluations, error=_off(_angles(recording), truth)))
    return points


def _points_of_scipy(mechanism: Mechanism, method: str, truth: np.ndarray) -> list[Cost]:
    solved = [solve(mechanism, DURATION, method, relative) for relative in TOLERANCES]
    return [Cost(each.evaluations, error=_off(np.cumsum(each.coordinates), truth)) for each in solved]


def _points_of_mujoco(mechanism: Mechanism, stiffness: float, damping: float, truth: np.ndarray) -> list[Cost]:
    from .mujoco_stiff import step_through

    points = []
    for halvings in range(HALVINGS + 1):
        steps = round(DURATION * RATE) * 2**halvings
        angles = np.cumsum(step_through(mechanism, stiffness, damping, DURATION, steps))
        points.append(Cost(steps, error=_off(angles, truth)))
    return points


def _precision_rows(title: str, curves: dict[str, list[Cost]]) -> list[Row]:
    rows = []
    for k, relative in enumerate(TOLERANCES):
        ours, radau = curves["implicit"][k], curves["Radau"]
        others = [f"{name}: {_short(curves[name][k])}" for name in ("Radau", "LSODA", "Adams") if name in curves]
        work = _work_at(ours.error, radau)
        ratio = f"{work / ours.evaluations:.2f}" if np.isfinite(work) else ""
        rows.append(Row(f"five bars, {title}: {relative:.0e}", _short(ours), "; ".join(others), ratio))
    if "MuJoCo implicitfast" in curves:
        points = curves["MuJoCo implicitfast"]
        rows.append(Row(f"five bars, {title}", "", "MuJoCo: " + "; ".join(_short(each) for each in points[::2])))
    return rows


def _short(cost: Cost) -> str:
    error = f"{cost.error:.1e} rad" if np.isfinite(cost.error) else "unstable"
    return f"{cost.evaluations:,.0f}, {error}"


def _work_at(error: float, points: list[Cost]) -> float:
    """Evaluations at that error, between two measured ones; nan outside."""
    errors, work = (np.log([getattr(each, name) for each in points[::-1]]) for name in ("error", "evaluations"))
    order = np.argsort(errors)
    return float(np.exp(np.interp(np.log(error), errors[order], work[order], left=np.nan, right=np.nan)))


def _periods() -> list[Row]:
    """Amplitude that an undamped oscillator loses in a period, by the frames that see a period."""
    rows = []
    for count in FRAMES_A_PERIOD:
        period = count / RATE
        losses = []
        for relative in (1e-6, 1e-4):
            recording = simulate(oscillator(period), PERIODS * period, RATE, integrator="implicit", relative=relative)
            energy = recording.kinetic_energy + recording.potential_energy
            loss = 1.0 - (energy[-1] / energy[0]) ** (0.5 / PERIODS)
            losses.append(f"{loss:.1e} at {relative:.0e} ({recording.evaluations / PERIODS:.0f} evaluations)")
        rows.append(Row(f"{count} frames a period: loss of amplitude in one", "; ".join(losses)))
    return rows
