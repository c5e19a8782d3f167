# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar linkages led through their poses, beside py-slvs, pylinkage and OndselSolver: success, flips, time.

Each walk is one turn and back by degrees, then 300 jumps to angles at random, as one scrubs; each pose starts from the
one before. A pose counts if all bars have their lengths to 1e-6 of the size and all points are within 1e-4 of the
closed form; where the bars fit but the points are elsewhere, it has flipped. After that each goes on from where it is.

py-slvs (SolveSpace's solver) and pylinkage take no jump in steps, as ours does: cut into degrees, theirs would flip
where the steps do. OndselSolver (FreeCAD's, by pyondsel) runs a turn as one simulation in a process of its own, whose
start is in its time: it is asked for one turn, no way back and no jumps.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from solver.kinematics import Kinematics
from tests.solver.kinematics.planar import JANSEN_BARS, Planar
from tests.truths.planar_linkages import freudenstein, jansen, meeting

from . import ondsel_kinematics
from .machine import Machine
from .table import Row, Section

FITS, NEAR = 1e-6, 1e-4  # of the size
JUMPS, ROUNDS = 300, 5
Places = dict[str, np.ndarray]


class Case(NamedTuple):
    """A linkage: places of all points at a crank angle, its bars, what the world holds, and circles to solve in turn.

    drawn: the crank's angle to begin with; reach: lowest and highest angle. dyads: a new point and the two that it is
    tied to, in an order in which each can be found from those before.
    """

    name: str
    points: Callable[[float], Places]
    bars: dict[str, tuple[str, str]]
    ground: str
    dyads: tuple[tuple[str, str, str], ...]
    drawn: float
    reach: tuple[float, float]
    crank: tuple[str, str] = ("A", "B")


def _way(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)])


def _four_bar(name: str, lengths: tuple[float, float, float, float]) -> Case:
    a, _, c, d = lengths

    def points(angle: float) -> Places:
        rocker = freudenstein(lengths, angle, 1)
        tip = np.array([d + c * np.cos(rocker), c * np.sin(rocker)])
        return {"A": np.zeros(2), "B": a * _way(angle), "C": tip, "D": np.array([d, 0.0])}

    bars = {"crank": ("A", "B"), "coupler": ("B", "C"), "rocker": ("C", "D")}
    return Case(name, points, bars, "AD", (("C", "B", "D"),), 0.7, (0.0, 2.0 * np.pi))


def _parallelogram() -> Case:
    def points(angle: float) -> Places:
        return {"A": np.zeros(2), "B": _way(angle), "C": _way(angle) + (3.0, 0.0), "D": np.array([3.0, 0.0])}

    bars = {"crank": ("A", "B"), "coupler": ("B", "C"), "rocker": ("C", "D")}
    return Case("parallelogram", points, bars, "AD", (("C", "B", "D"),), 0.7, (0.0, 2.0 * np.pi))


def _peaucellier() -> Case:
    arm, side, radius = 2.6, 1.4, 1.0

    def points(angle: float) -> Places:
        O, A = np.zeros(2), np.array([radius, 0.0])
        B = A + radius * _way(angle)
        P, Q = (meeting(O, arm, B, side, sign) for sign in (1, -1))
        return {"O": O, "A": A, "B": B, "P": P, "Q": Q, "R": P + Q - B}

    pairs = ("AB", "OP", "OQ", "PB", "QB", "PR", "QR")
    dyads = (("P", "O", "B"), ("Q", "O", "B"), ("R", "P", "Q"))
    bars = {pair: (pair[0], pair[1]) for pair in pairs}
    return Case("Peaucellier's cell", points, bars, "OA", dyads, 0.7, (-1.5, 1.5))


def _jansen() -> Case:
    dyads = (("X", "Z", "B"), ("E", "X", "B"), ("C", "Z", "B"), ("F", "E", "C"), ("foot", "F", "C"))
    return Case("Jansen's leg, 11 bars", jansen, JANSEN_BARS, "OB", dyads, 0.3, (0.0, 2.0 * np.pi), ("O", "Z"))


CASES = (
    _four_bar("crank and rocker", (1.0, 3.5, 2.5, 4.0)),
    _four_bar("nearly a change point", (1.0, 3.0, 2.02, 4.0)),
    _parallelogram(),
    _peaucellier(),
    _jansen(),
)


class Ours:
    """`Kinematics.lead`, called from Python for each pose."""

    name = "ours"

    def __init__(self, case: Case) -> None:
        places = case.points(case.drawn)
        ground = [point for point in places if point in case.ground]
        self._planar = Planar(places, case.bars, ground)
        crank = next(name for name, of in case.bars.items() if of == case.crank)
        self._kinematics = Kinematics(self._planar.mechanism, [f"{case.crank[0]} {crank}"])
        self._drawn = case.drawn

    def pose(self, angle: float, _pin: np.ndarray) -> bool:
        return self._kinematics.lead([angle - self._drawn]).reached == 1.0

    def places(self) -> Places:
        return self._planar.points(self._kinematics)


class PySlvs:
    """A sketch of points and distances, solved again from where it is after the crank's pin was moved."""

    name = "py-slvs"

    def __init__(self, case: Case) -> None:
        slvs = importlib.import_module("py_slvs.slvs")
        self._system = system = slvs.System()
        plane = system.addWorkplane(
            system.addPoint3dV(0, 0, 0, group=1), system.addNormal3dV(1, 0, 0, 0, group=1), group=1
        )
        known, points = {*case.ground, case.crank[1]}, {}
        self._numbers: dict[str, list[int]] = {}
        for name, place in case.points(case.drawn).items():
            group = 1 if name in known else 2
            numbers = [system.addParamV(float(x), group=group) for x in place]
            self._numbers[name], points[name] = numbers, system.addPoint2d(plane, *numbers, group=group)
        places = case.points(case.drawn)
        for a, b in case.bars.values():
            if not {a, b} <= known:
                system.addPointsDistance(
                    float(np.hypot(*(places[a] - places[b]))), points[a], points[b], wrkpln=plane, group=2
                )
        self._pin = self._numbers[case.crank[1]]

    def pose(self, _angle: float, pin: np.ndarray) -> bool:
        for number, x in zip(self._pin, pin, strict=True):
            self._system.getParam(number).val = float(x)
        return self._system.solve(group=2) == 0

    def places(self) -> Places:
        return {
            name: np.array([self._system.getParam(number).val for number in numbers])
            for name, numbers in self._numbers.items()
        }


class Pylinkage:
    """A crank and dyads of two hinged bars each, where circles meet nearest to where the point was."""

    name = "pylinkage"

    def __init__(self, case: Case) -> None:
        pylinkage = importlib.import_module("pylinkage")
        self._error = pylinkage.UnbuildableError
        places = case.points(case.drawn)
        centre, pin = case.crank
        self._parts = {name: pylinkage.Ground(*map(float, places[name])) for name in places if name in case.ground}
        radius = float(np.hypot(*(places[pin] - places[centre])))
        self._crank = self._parts[pin] = pylinkage.Crank(self._parts[centre], radius, 0.0, case.drawn)
        for name, a, b in case.dyads:
            spans = [float(np.hypot(*(places[name] - places[other]))) for other in (a, b)]
            x, y = map(float, places[name])
            self._parts[name] = pylinkage.RRRDyad(self._parts[a], self._parts[b], *spans, x, y)
        self._linkage = pylinkage.simulation.Linkage(list(self._parts.values()), order=list(self._parts.values()))

    def pose(self, _angle: float, pin: np.ndarray) -> bool:
        self._crank.x, self._crank.y = float(pin[0]), float(pin[1])
        try:
            next(self._linkage.step(iterations=1))
        except self._error:
            return False
        return True

    def places(self) -> Places:
        return {name: np.array(part.position) for name, part in self._parts.items()}


def measure(_machine: Machine) -> Section:
    """One row for each linkage."""
    rows = []
    engines, absent = [Ours], []
    for engine, module in ((PySlvs, "py_slvs"), (Pylinkage, "pylinkage")):
        try:
            importlib.import_module(module)
        except ImportError:
            absent.append(f"{engine.name} is not installed, so it is left out")
        else:
            engines.append(engine)
    has_ondsel = _is_there(ondsel_kinematics.NAME)
    if not has_ondsel:
        absent.append("pyondsel is not installed, so OndselSolver is left out")
    for case in CASES:
        told = {engine.name: _walked(case, engine) for engine in engines}
        times = _times(case, engines)
        cells = [f"{name}: {said}; {1e6 * times[name]:.1f} µs a pose" for name, said in told.items()]
        if has_ondsel:
            cells.append(f"OndselSolver: {_turned(case)}")
        rows.append(Row(case.name, cells[0].removeprefix("ours: "), "; ".join(cells[1:])))
    versions = [
        f"{name} {importlib.metadata.version(name)}"
        for name in ("py-slvs", "pylinkage", ondsel_kinematics.NAME)
        if _is_there(name)
    ]
    return Section(
        "Linkages led through their poses",
        rows,
        [*absent, ", ".join(versions), *(" ".join(part.split()) for part in __doc__.split("\n\n")[1:])],
    )


def _turned(case: Case) -> str:
    """In words: one turn of the crank in OndselSolver."""
    places = case.points(case.drawn)
    planar = Planar(places, case.bars, [point for point in places if point in case.ground])
    crank = next(name for name, of in case.bars.items() if of == case.crank)
    way = 2.0 * np.pi if case.reach[1] - case.reach[0] > 6.0 else case.reach[1] - case.drawn
    count, right, flips = round(np.degrees(way)), 0, 0
    turned = ondsel_kinematics.turn(planar.mechanism, f"{case.crank[0]} {crank}", way, count)
    for angle, at, turns in zip(turned.angles[1:], turned.places[1:], turned.turns[1:], strict=True):
        expected = case.points(case.drawn + angle)
        gaps, away = [0.0], 0.0
        found: Places = {}
        for place, own, of in zip(at, turns, planar.bars.values(), strict=True):
            c, s = np.cos(own), np.sin(own)
            for point in of:
                there = place + np.array([[c, -s], [s, c]]) @ (planar.drawn[point] - planar.drawn[of[0]])
                gaps.append(float(np.hypot(*(there - found.setdefault(point, there)))))
                away = max(away, float(np.hypot(*(there - expected[point]))))
        right += max(gaps) < FITS * planar.size and away < NEAR * planar.size
        flips += max(gaps) < FITS * planar.size and away >= NEAR * planar.size
    failed = count - right - flips
    bad = [f"{number} {word}" for number, word in ((flips, "flipped"), (failed, "failed")) if number]
    said = f"{right} of {count} steps{' (' + ', '.join(bad) + ')' if bad else ''}"
    return f"{said}; {1e6 * turned.seconds / max(len(turned.angles), 1):.0f} µs a pose"


def _is_there(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _angles(case: Case) -> list[np.ndarray]:
    """By degrees from the drawn angle all the way and back; then at random, with as many ways through dead centres."""
    low, high = case.reach
    if high - low > 6.0:
        steps = case.drawn + np.radians(np.arange(1, 361))
    else:
        steps = np.concatenate([np.arange(case.drawn, high, np.radians(1.0)), np.arange(high, low, -np.radians(1.0))])
    jumps = np.random.default_rng(3).uniform(low, high, JUMPS)
    return [np.concatenate([steps, steps[::-1]]), jumps]


def _pin(case: Case, angle: float) -> np.ndarray:
    return case.points(angle)[case.crank[1]]


def _walked(case: Case, engine: type) -> str:
    """In words: poses that are right, flips and failures, of the steps and of the jumps."""
    said = []
    for kind, angles in zip(("steps", "jumps"), _angles(case), strict=True):
        solver, right, flips, failed = engine(case), 0, 0, 0
        for angle in angles:
            expected = case.points(angle)
            size = float(np.ptp(np.array(list(expected.values())), axis=0).max())
            ended = solver.pose(float(angle), expected[case.crank[1]])
            found = solver.places()
            gaps = [
                abs(np.hypot(*(found[a] - found[b])) - np.hypot(*(expected[a] - expected[b])))
                for a, b in case.bars.values()
            ]
            away = max(float(np.hypot(*(found[name] - expected[name]))) for name in expected)
            fits = ended and max(gaps) < FITS * size
            right += fits and away < NEAR * size
            flips += fits and away >= NEAR * size
            failed += not fits
        bad = [f"{count} {word}" for count, word in ((flips, "flipped"), (failed, "failed")) if count]
        said.append(f"{right} of {len(angles)} {kind}{' (' + ', '.join(bad) + ')' if bad else ''}")
    return ", ".join(said)


def _times(case: Case, engines: list[type]) -> dict[str, float]:
    """s: least time a pose by degrees, the engines taking turns; those that fail are not stopped."""
    steps = _angles(case)[0]
    pins = [_pin(case, angle) for angle in steps]
    least = dict.fromkeys((engine.name for engine in engines), np.inf)
    for _ in range(ROUNDS):
        for engine in engines:
            solver = engine(case)
            began = time.thread_time()
            for angle, pin in zip(steps, pins, strict=True):
                solver.pose(float(angle), pin)
            least[engine.name] = min(least[engine.name], (time.thread_time() - began) / len(steps))
    return least
