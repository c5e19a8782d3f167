# SPDX-License-Identifier: GPL-3.0-or-later
"""A drawing machine: two gears, a pin on each, and two arms that meet at a pen.

The small gear turns three times while the large one turns once, so the figure closes with each turn.
"""

from __future__ import annotations

import math

import numpy as np

from ..planar import meeting
from .machine import Machine
from .shapes import Plane, box, rod, together

UP = (0.0, 0.0, 1.0)
RADII, TEETH = (0.45, 0.15), (48, 16)
AXLES = (np.array([-0.30, 0.0]), np.array([0.30, 0.0]))
PINS = (0.26, 0.10)  # radii of the pins
ARMS = (1.05, 1.00)
START = (0.5, 1.9)  # rad, of the pins
REACH = 0.16  # from where the arms meet to the pen, along the first


def drawing_machine() -> Machine:
    """The large gear leads the small one by its teeth."""
    m, plane = Machine(), Plane(v=(0, 1, 0))
    pins = [axle + r * np.array([math.cos(t), math.sin(t)]) for axle, r, t in zip(AXLES, PINS, START, strict=True)]
    elbow = meeting(pins[0], ARMS[0], pins[1], ARMS[1], 1)
    pen = elbow + REACH * (elbow - pins[0]) / ARMS[0]
    table = m.part(
        "Table",
        (0.0, 0.5, 0.0),
        ("wood", box((-1.05, -0.6, -0.06), (1.05, 1.6, -0.02))),
        ("white", box((-0.75, 0.40, -0.02), (0.65, 1.5, -0.014))),
        motion="FIXED",
    )
    gears = []
    for name, paint, axle, radius, teeth, pin, turned in (
        ("Large Gear", "brass", AXLES[0], RADII[0], TEETH[0], pins[0], 0.0),
        ("Small Gear", "red", AXLES[1], RADII[1], TEETH[1], pins[1], math.pi + math.pi / TEETH[1]),
    ):
        disc = plane.gear(axle, radius, teeth, turned, 0.0, 0.03)
        peg = [plane.disc(pin, 0.018, 0.03, 0.105), plane.disc(axle, 0.03, -0.02, 0.05)]
        gears.append(m.part(name, plane.at(axle), (paint, disc), ("steel", together(*peg))))
    turns = [
        m.hinge(table, gear, plane.at(axle), UP, drives=gear == gears[0])
        for gear, axle in zip(gears, AXLES, strict=True)
    ]
    m.gears.append((turns[0], turns[1], -float(RADII[0] / RADII[1])))
    arms = []
    for name, places, low in (("Pen Arm", (pins[0], elbow, pen), 0.04), ("Arm", (pins[1], elbow), 0.07)):
        shapes = [("blue", together(plane.bar([places[0], places[-1]], 0.022, low, low + 0.022)))]
        if name == "Pen Arm":
            shapes.append(("steel", together(plane.disc(elbow, 0.018, 0.04, 0.105))))
            shapes.append(
                (
                    "iron",
                    together(
                        rod(plane.at(pen, 0.02), plane.at(pen, 0.24), 0.018),
                        rod(plane.at(pen, 0.02), plane.at(pen, -0.012), 0.018, 0.003),
                    ),
                )
            )
        arms.append(m.part(name, plane.at(places[0]), *shapes))
    m.hinge(gears[0], arms[0], plane.at(pins[0]), UP)
    m.hinge(gears[1], arms[1], plane.at(pins[1]), UP)
    m.hinge(arms[0], arms[1], plane.at(elbow), UP)
    return m
