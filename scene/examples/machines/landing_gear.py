# SPDX-License-Identifier: GPL-3.0-or-later
"""A landing gear: its drag brace stands just beyond its dead centre when the wheel is down, against a stop.

So no load on the wheel can fold it; the cylinder on the upper brace can, through the dead centre and up.
"""

from __future__ import annotations

import math

import numpy as np

from ..planar import meeting
from .machine import Machine
from .shapes import Plane, box, pipe, rod, together

SIDE = (0.0, -1.0, 0.0)
PIVOT, WHEEL = np.zeros(2), np.array([0.0, -1.45])  # of the strut, drawn down
BRACE, FOOT = np.array([1.05, 0.05]), np.array([0.05, -0.85])  # where the drag brace hangs, and holds the strut
UPPER = 0.55  # of the length between those
BEYOND = math.radians(3.0)  # past the dead centre
CYLINDER = np.array([0.28, 0.20])  # where the cylinder hangs
DOOR, HINGE = 1.05, np.array([-0.50, -0.12])  # length and hinge of the door behind the strut
STROKE = 0.25  # m, of the cylinder from down to up


def landing_gear() -> Machine:
    """Strut with wheels, brace in two parts, cylinder, and a door that the strut takes along; the cylinder leads."""
    plane, m = Plane(), Machine()
    way = FOOT - BRACE
    length = float(np.hypot(*way))
    first, bend = UPPER * length, math.pi - BEYOND
    second = -first * math.cos(math.pi - bend) + math.sqrt(length**2 - (first * math.sin(math.pi - bend)) ** 2)
    knee = meeting(BRACE, first, FOOT, second, 1)
    horn = math.atan2(way[1], way[0]) - math.radians(95.0)
    lug = BRACE + 0.20 * np.array([math.cos(horn), math.sin(horn)])
    strut_pin = np.array([-0.03, -0.55])
    door_pin = HINGE + strut_pin  # a parallelogram: the door turns as the strut does

    frame = m.part(
        "Bay",
        (0.0, 0.0, 0.1),
        (
            "white",
            together(box((-0.65, -0.36, 0.70), (1.45, 0.36, 0.76)), box((-0.65, 0.36, 0.10), (1.45, 0.40, 0.76))),
        ),
        (
            "steel",
            together(
                *(
                    box((p[0] - 0.05, y, p[1] - 0.04), (p[0] + 0.05, y + 0.03, 0.70))
                    for p, y in (
                        (PIVOT, -0.20),
                        (PIVOT, 0.17),
                        (BRACE, -0.15),
                        (BRACE, 0.12),
                        (HINGE, -0.32),
                        (HINGE, 0.29),
                    )
                ),
                *(plane.disc(p, 0.035, -half, half) for p, half in ((PIVOT, 0.2), (BRACE, 0.16), (HINGE, 0.33))),
                box((CYLINDER[0] - 0.05, -0.10, CYLINDER[1] - 0.05), (CYLINDER[0] + 0.05, -0.07, 0.70)),
            ),
        ),
        motion="FIXED",
    )
    tyres = [_tyre(Plane((0.0, y, 0.0))) for y in (-0.27, 0.27)]
    strut = m.part(
        "Strut",
        PIVOT_3,
        (
            "white",
            together(
                rod((0, 0, 0), (0, 0, -0.95), 0.085),
                rod((0, -0.16, 0), (0, 0.16, 0), 0.10),
                plane.bar([(0.0, FOOT[1]), FOOT], 0.06, -0.04, 0.04),
                plane.bar([(0.0, strut_pin[1]), strut_pin], 0.05, 0.10, 0.13),
            ),
        ),
        (
            "steel",
            together(
                rod((0, 0, -0.9), (0, 0, WHEEL[1]), 0.055),
                rod((0, -0.36, WHEEL[1]), (0, 0.36, WHEEL[1]), 0.05),
                pipe([(0.06, 0, -0.92), (0.26, 0, -1.16), (0.06, 0, WHEEL[1] + 0.06)], 0.026),
                plane.disc(FOOT, 0.03, -0.12, 0.12),
                plane.disc(strut_pin, 0.025, 0.06, 0.2),
            ),
        ),
        ("rubber", together(*(tyre for tyre, _ in tyres))),
        ("steel", together(*(rim for _, rim in tyres))),
    )
    m.hinge(frame, strut, PIVOT_3, SIDE)

    upper = m.part(
        "Upper Brace",
        plane.at(BRACE),
        (
            "orange",
            together(
                plane.bar([BRACE, knee], 0.045, -0.06, -0.02),
                plane.bar([BRACE, knee], 0.045, 0.02, 0.06),
                plane.bar([BRACE, lug, BRACE + 0.3 * (knee - BRACE)], 0.03, -0.06, -0.02),
            ),
        ),
        (
            "steel",
            together(
                plane.disc(BRACE, 0.06, -0.1, 0.1),
                plane.disc(knee, 0.055, -0.08, 0.08),
                plane.disc(lug, 0.03, -0.14, 0.0),
            ),
        ),
    )
    lower = m.part(
        "Lower Brace",
        plane.at(knee),
        ("orange", plane.bar([knee, FOOT], 0.045, -0.018, 0.018)),
        ("steel", together(plane.disc(FOOT, 0.06, -0.09, 0.09))),
    )
    m.hinge(frame, upper, plane.at(BRACE), SIDE)
    m.hinge(strut, lower, plane.at(FOOT), SIDE)
    m.hinge(upper, lower, plane.at(knee), SIDE, limits=(0.0, None))
    _cylinder(m, plane, frame, upper, lug)

    door = m.part(
        "Door",
        plane.at(HINGE),
        (
            "white",
            plane.prism(
                [HINGE + (-0.03, 0.0), HINGE + (-0.10, -DOOR), HINGE + (-0.06, -DOOR), HINGE + (0.01, 0.0)], -0.34, 0.34
            ),
        ),
        (
            "steel",
            together(
                plane.disc(HINGE, 0.03, -0.3, 0.3), plane.bar([door_pin, door_pin - (0.03, 0.0)], 0.03, 0.08, 0.16)
            ),
        ),
    )
    m.hinge(frame, door, plane.at(HINGE), SIDE)
    link = m.part(
        "Door Link", plane.at(strut_pin, 0.15), ("orange", plane.bar([strut_pin, door_pin], 0.022, 0.14, 0.18))
    )
    m.hinge(strut, link, plane.at(strut_pin, 0.15), SIDE)
    m.hinge(link, door, plane.at(door_pin, 0.15), SIDE)
    return m


PIVOT_3 = (0.0, 0.0, 0.0)


def _tyre(plane: Plane):
    """Rubber and rim of one wheel."""
    rubber = plane.ring(WHEEL, 0.31, 0.17, -0.085, 0.085)
    return rubber, together(plane.ring(WHEEL, 0.17, 0.06, -0.05, 0.05), plane.disc(WHEEL, 0.08, -0.09, 0.09))


def _cylinder(m: Machine, plane: Plane, frame: int, upper: int, lug: np.ndarray) -> None:
    a, b = plane.at(CYLINDER, 0.11), plane.at(lug, 0.11)
    barrel = m.part(
        "Cylinder", a, ("blue", together(rod(a, a + 0.74 * (b - a), 0.045), plane.disc(CYLINDER, 0.05, 0.06, 0.16)))
    )
    piston = m.part(
        "Piston", b, ("steel", together(rod(a + 0.05 * (b - a), b, 0.026), plane.disc(lug, 0.04, 0.08, 0.14)))
    )
    m.hinge(frame, barrel, a, SIDE)
    m.hinge(upper, piston, b, SIDE)
    m.slide(barrel, piston, b, b - a, drives=True, limits=(None, STROKE))
