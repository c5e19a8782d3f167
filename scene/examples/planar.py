# SPDX-License-Identifier: GPL-3.0-or-later
"""Planar linkages to drive live, as plans in the XZ plane: piston, Peaucellier, scissor lift, excavator, Strandbeest.

Lengths are in metres at a scale of 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..links.plan import WORLD, Plan, Slide

NORMAL = (0.0, -1.0, 0.0)
X = (1.0, 0.0, 0.0)

CRANK, ROD = 0.5, 1.6  # of the piston
ARM, SIDE, RADIUS = 2.6, 1.4, 1.0  # of Peaucellier's cell: long arms, rhombus, crank
BAR, STAGES = 2.0, 3  # of the scissor lift
JANSEN = {
    "a": 38.0, "b": 41.5, "c": 39.3, "d": 40.1, "e": 55.8, "f": 39.4, "g": 36.7,
    "h": 65.7, "i": 49.0, "j": 50.0, "k": 61.9, "l": 7.8, "m": 15.0,
}  # fmt: skip
"""Theo Jansen's holy numbers (1990)."""
UNIT, APART, CRANKS = (
    0.01,
    0.35,
    3,
)  # of the Strandbeest: m to a number of Jansen's, between cranks, and cranks a turn


def piston() -> Plan:
    """A crank about the origin, and a piston along X; the crank leads."""
    angle = 0.9
    pin = CRANK * np.array([math.cos(angle), math.sin(angle)])
    pivot = pin[0] + math.sqrt(ROD**2 - pin[1] ** 2)
    points = [(0.0, 0.0), pin, (pivot, 0.0), (pivot + 0.3, 0.0)]
    return Plan(
        _in_space(points), [(0, 1), (1, 2), (2, 3)], NORMAL, {0}, {3}, {(0, 0)}, [Slide(WORLD, 2, 2, X)],
        ["Crank", "Rod", "Piston"],
    )  # fmt: skip


def peaucellier() -> Plan:
    """Peaucellier's cell (1864): the crank P Q through the inversor's centre O draws a straight line at R."""
    angle = 0.7
    O, P = np.zeros(2), np.array([RADIUS, 0.0])
    Q = P + RADIUS * np.array([math.cos(angle), math.sin(angle)])
    A, B = (meeting(O, ARM, Q, SIDE, side) for side in (1, -1))
    points = [O, P, Q, A, B, A + B - Q]
    links = [(1, 2), (0, 3), (0, 4), (3, 2), (4, 2), (3, 5), (4, 5)]
    names = ["Crank", "Arm A", "Arm B", "Inner A", "Inner B", "Outer A", "Outer B"]
    return Plan(_in_space(points), links, NORMAL, {0, 1}, (), {(1, 0)}, (), names)


def scissor() -> Plan:
    """A lift of crossed bars on a pivot and a slider, which leads."""
    width = 0.8 * BAR
    height = math.sqrt(BAR**2 - width**2)
    points, links, names = [(0.0, 0.0), (width, 0.0)], [], []
    for stage in range(STAGES):
        left, right, middle = len(points) - 2, len(points) - 1, len(points)
        if stage:
            left, right = middle - 2, middle - 1
        top = (stage + 1) * height
        points += [(0.5 * width, top - 0.5 * height), (0.0, top), (width, top)]
        links += [(left, middle, middle + 2), (right, middle, middle + 1)]
        names += [f"Up {stage + 1}", f"Down {stage + 1}"]
    block = len(points)
    points.append((width + 0.25, 0.0))
    links.append((1, block))
    slide = Slide(WORLD, len(links) - 1, 1, X, True)
    return Plan(_in_space(points), links, NORMAL, {0}, {block}, (), [slide], [*names, "Slider"])


def excavator() -> Plan:
    """Boom, stick and bucket, each moved by a cylinder, whose travel leads."""
    points = [
        (0.0, 1.0), (3.6, 2.6), (1.7, 2.2), (1.9, 2.75),  # boom: foot, stick's pivot, cylinders' pins
        (4.3, 0.5), (3.25, 3.15), (4.05, 2.3),  # stick: bucket's pivot, cylinders' pins
        (4.6, 0.95), (3.65, -0.15),  # bucket: cylinder's pin, tip
        (0.5, 0.6),  # the boom cylinder's foot
    ]  # fmt: skip
    links, names = [(0, 1, 3, 2), (1, 4, 5, 6), (4, 7, 8)], ["Boom", "Stick", "Bucket"]
    free, slides = {8}, []
    for name, foot, end in (("Boom", 9, 2), ("Stick", 3, 5), ("Bucket", 6, 7)):
        a, b = np.array(points[foot]), np.array(points[end])
        number = len(points)
        points += [tuple(a + 0.55 * (b - a)), tuple(b - 0.6 * (b - a))]
        barrel = len(links)
        links += [(foot, number), (end, number + 1)]
        names += [f"{name} Cylinder", f"{name} Rod"]
        along = (b - a) / np.linalg.norm(b - a)
        slides.append(Slide(barrel, barrel + 1, end, (float(along[0]), 0.0, float(along[1])), True))
        free |= {number, number + 1}
    return Plan(_in_space(points), links, NORMAL, {0, 9}, free, (), slides, names)


def strandbeest(cranks: int = CRANKS) -> Plan:
    """Pairs of Jansen's legs on one crankshaft, which leads, each a third of a turn on: 37 bodies with three pairs."""
    places: list[tuple[float, float, float]] = []
    links, names, ground, free, shaft = [], [], set(), set(), []
    for k in range(cranks):
        phase, depth = 2.0 * math.pi * k / CRANKS, APART * k
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            own = _leg(phase if sign > 0.0 else math.pi - phase)
            number = {name: len(places) + i for i, name in enumerate(own)}
            places += [(sign * UNIT * x, depth, UNIT * z) for x, z in own.values()]
            if sign > 0.0:
                shaft += [number["O"], number["Z"]]
            else:
                number |= dict(zip("OZ", shaft[-2:], strict=True))
            n = number
            links += [
                (n["Z"], n["X"]), (n["Z"], n["C"]), (n["B"], n["X"], n["E"]), (n["B"], n["C"]), (n["E"], n["F"]),
                (n["C"], n["F"], n["foot"]),
            ]  # fmt: skip
            names += [f"{side} {k + 1} {part}" for part in ("Upper Rod", "Lower Rod", "Hip", "Link", "Shank", "Foot")]
            ground.add(n["B"])
            free.add(n["foot"])
    ground.add(shaft[0])
    links.insert(0, tuple(shaft))
    points = np.array(places)
    return Plan(points, links, NORMAL, ground, free, {(shaft[0], 0)}, (), ["Crank", *names])


def _leg(crank: float) -> dict[str, np.ndarray]:
    """(2,): points of a leg of Jansen's at a crank angle."""
    n = JANSEN
    points = {"O": np.zeros(2), "B": np.array([-n["a"], -n["l"]])}
    points["Z"] = n["m"] * np.array([math.cos(crank), math.sin(crank)])
    points["X"] = meeting(points["Z"], n["j"], points["B"], n["b"], -1)
    points["E"] = meeting(points["X"], n["e"], points["B"], n["d"], -1)
    points["C"] = meeting(points["Z"], n["k"], points["B"], n["c"], 1)
    points["F"] = meeting(points["E"], n["f"], points["C"], n["g"], -1)
    points["foot"] = meeting(points["F"], n["h"], points["C"], n["i"], -1)
    return points


def meeting(first: np.ndarray, radius: float, second: np.ndarray, other: float, side: int) -> np.ndarray:
    """(2,): where circles about two points meet, left (1) or right (-1) of the way from the first to the second."""
    way = np.asarray(second, float) - first
    distance = float(np.hypot(*way))
    along = (radius**2 - other**2 + distance**2) / (2.0 * distance)
    across = side * math.sqrt(radius**2 - along**2)
    return first + (along * way + across * np.array([-way[1], way[0]])) / distance


def _in_space(points: Sequence) -> np.ndarray:
    return np.array([(x, 0.0, z) for x, z in points], float)


PLANS = {
    "PISTON": piston,
    "EXCAVATOR": excavator,
    "SCISSOR": scissor,
    "PEAUCELLIER": peaucellier,
    "STRANDBEEST": strandbeest,
}
