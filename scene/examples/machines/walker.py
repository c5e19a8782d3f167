# SPDX-License-Identifier: GPL-3.0-or-later
"""Four legs of Joe Klann's linkage (1994) on one crankshaft: a frame's pivots, a crank, two rockers, rod and leg.

Lengths are those that an optimiser found for it (boim.com/Walkin8r/Klann.html), in hundredths of a metre here.
"""

from __future__ import annotations

import math

import numpy as np

from ..planar import meeting
from .machine import Machine
from .shapes import Plane, box, knob, rod, together

UNIT = 0.01
KLANN = {
    "AC": 17.5,
    "Bx": -38.8,
    "By": -12.5,
    "Dx": -14.6,
    "Dy": 41.9,
    "BH": 23.7,
    "CF": 73.4,
    "CH": 38.8,
    "DE": 34.1,
    "EF": 57.7,
    "EG": 111.7,
    "FG": 59.0,
    "FH": 35.2,
}
"""A: crankshaft, B and D: pivots of the rockers, C: crank pin, H and E: ends of the rockers, F: knee, G: foot."""
SIDE, APART = (0.0, -1.0, 0.0), 0.42
PHASE = 0.9  # rad, of the first crank


def klann() -> Machine:
    """Two pairs of legs, half a turn apart; the crankshaft leads."""
    m, planes = Machine(), [Plane((0.0, y, 0.0)) for y in (0.0, APART)]
    a, b, d = (UNIT * np.array(p) for p in ((0, 0), (KLANN["Bx"], KLANN["By"]), (KLANN["Dx"], KLANN["Dy"])))
    mirrored = [np.array([-p[0], p[1]]) for p in (b, d)]
    tubes = [rod(planes[0].at(p, 0.12), planes[1].at(p, -0.12), 0.018) for p in (a, b, d, *mirrored)]
    sides = [
        plane.bar([p, q], 0.024, h - 0.001 * k, h + 0.02 + 0.001 * k)
        for plane, h in ((planes[0], 0.10), (planes[1], -0.12))
        for k, (p, q) in enumerate(((b, d), (d, mirrored[1]), (mirrored[1], mirrored[0]), (b, a), (a, mirrored[0])))
    ]
    deck = box((-0.14, 0.10, d[1] * 1.0 + 0.02), (0.14, APART - 0.10, d[1] + 0.04))
    frame = m.part(
        "Frame", (0.0, 0.5 * APART, 0.0), ("steel", together(*tubes, *sides)), ("wood", deck), motion="FIXED"
    )
    angles = (PHASE, PHASE + math.pi)
    pins = [UNIT * KLANN["AC"] * np.array([math.cos(t), math.sin(t)]) for t in angles]
    webs = [
        plane.bar([a, pin], 0.03, h, h + 0.025) for plane, pin in zip(planes, pins, strict=True) for h in (-0.075, 0.05)
    ]
    crank = m.part(
        "Crankshaft",
        (0.0, 0.0, 0.0),
        ("red", together(*webs)),
        (
            "steel",
            together(
                *(plane.disc(pin, 0.018, -0.075, 0.075) for plane, pin in zip(planes, pins, strict=True)),
                rod(planes[0].at(a, -0.075), planes[1].at(a, 0.075), 0.02),
            ),
        ),
    )
    m.hinge(frame, crank, (0.0, 0.0, 0.0), SIDE, drives=True)
    for k, (plane, angle) in enumerate(zip(planes, angles, strict=True)):
        _leg(m, plane, 1.0, angle, (frame, crank), f"Left {k + 1}")
        _leg(m, plane, -1.0, math.pi - angle, (frame, crank), f"Right {k + 1}")
    return m


def klann_points(crank: float) -> dict[str, np.ndarray]:
    """(2,) m: points of a left leg at a crank angle."""
    n = {name: UNIT * value for name, value in KLANN.items()}
    p = {"A": np.zeros(2), "B": np.array([n["Bx"], n["By"]]), "D": np.array([n["Dx"], n["Dy"]])}
    p["C"] = n["AC"] * np.array([math.cos(crank), math.sin(crank)])
    p["H"] = meeting(p["C"], n["CH"], p["B"], n["BH"], -1)
    p["F"] = meeting(p["C"], n["CF"], p["H"], n["FH"], 1)
    p["E"] = meeting(p["F"], n["EF"], p["D"], n["DE"], 1)
    p["G"] = meeting(p["E"], n["EG"], p["F"], n["FG"], 1)
    return p


def _leg(m: Machine, plane: Plane, sign: float, angle: float, carriers: tuple[int, int], name: str) -> None:
    p = {key: np.array([sign * x, y]) for key, (x, y) in klann_points(angle).items()}
    h = 0.0 if sign > 0.0 else 0.028  # two rods on one crank pin
    rod_ = m.part(
        f"{name} Rod", plane.at(p["C"]), ("steel", plane.bar([p["C"], p["H"], p["F"]], 0.022, h - 0.024, h - 0.004))
    )
    low = m.part(f"{name} Lower Rocker", plane.at(p["B"]), ("blue", plane.bar([p["B"], p["H"]], 0.02, h, h + 0.02)))
    high = m.part(
        f"{name} Upper Rocker", plane.at(p["D"]), ("blue", plane.bar([p["D"], p["E"]], 0.02, h - 0.024, h - 0.004))
    )
    shin = together(
        plane.bar([p["E"], p["F"]], 0.022, h, h + 0.02),
        plane.bar([p["F"], p["G"]], 0.02, h + 0.001, h + 0.019),
        plane.bar([p["E"], p["F"] + 0.35 * (p["G"] - p["F"])], 0.014, h + 0.002, h + 0.018),
    )
    leg = m.part(f"{name} Leg", plane.at(p["F"]), ("orange", shin), ("rubber", knob(plane.at(p["G"], h + 0.01), 0.03)))
    frame, crank = carriers
    for a, b, key in (
        (crank, rod_, "C"),
        (frame, low, "B"),
        (frame, high, "D"),
        (low, rod_, "H"),
        (high, leg, "E"),
        (rod_, leg, "F"),
    ):
        m.hinge(a, b, plane.at(p[key]), SIDE)
