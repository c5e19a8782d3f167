# SPDX-License-Identifier: GPL-3.0-or-later
"""An iris: blades on a ring that stands, each linked to a ring that turns.

A blade is an arc about the middle when the iris is open. Turned by an angle s about its pivot, its inner edge is
R - w/2 - 2 R sin(s/2) from the middle, R its mean radius and w its width.
"""

from __future__ import annotations

import math

import numpy as np

from ..planar import meeting
from .machine import Machine
from .shapes import Plane, together

Y = (0.0, -1.0, 0.0)
MIDDLE, BLADE = 1.0, 0.40  # m: mean radius of the blades and their width
RING = 1.33  # radius of the pins on the ring that turns
LUG, LINK = 0.36, 0.20  # from a blade's pivot to its lug, and the length of a link
DRAWN = math.radians(24.0)  # the blades' turn as drawn
WAY = (-0.105, 0.105)  # rad, of the ring: from open to nearly shut
THICK = 0.012  # of a blade
FEWEST, MOST = 6, 12


def iris(count: int = 9) -> Machine:
    """Six to twelve blades; the ring leads."""
    count, m = min(max(count, FEWEST), MOST), Machine()
    plane = Plane((0.0, 0.0, 1.6))
    top = count * THICK
    base = m.part(
        "Base",
        plane.at((0.0, 0.0)),
        (
            "iron",
            together(
                plane.ring((0, 0), 1.50, 0.84, -0.06, -0.005, 96),
                plane.ring((0, 0), 1.56, 1.50, -0.06, top + 0.06, 96),
                plane.bar([(-0.7, -1.52), (0.7, -1.52)], 0.06, -0.3, 0.3),
            ),
        ),
        motion="FIXED",
    )
    pins = [_blade_pins(2.0 * math.pi * k / count) for k in range(count)]
    low = top + 0.02
    ring = m.part(
        "Ring",
        plane.at((0.0, 0.0)),
        (
            "brass",
            together(
                plane.ring((0, 0), 1.42, 1.26, low + 0.015, low + 0.04, 96),
                plane.bar([(1.36, 0.0), (1.86, 0.0)], 0.035, low + 0.042, low + 0.065),
            ),
        ),
        ("steel", together(*(plane.disc(pin, 0.022, low - 0.005, low + 0.05) for _, _, pin in pins))),
    )
    m.hinge(base, ring, plane.at((0.0, 0.0)), Y, drives=True, limits=WAY)
    for k, (pivot, lug, pin) in enumerate(pins):
        turn, height = 2.0 * math.pi * k / count, k * THICK
        spot = np.array([math.cos(turn + DRAWN), math.sin(turn + DRAWN)])
        centre = pivot - MIDDLE * spot
        start = turn + DRAWN
        shape = plane.arc(
            centre, MIDDLE + 0.5 * BLADE, MIDDLE - 0.5 * BLADE, (start, start + 1.75), height, height + 0.7 * THICK
        )
        root = plane.bar([pivot, lug], 0.045, height + 0.1 * THICK, height + 0.6 * THICK)
        round_ = plane.disc(pivot, 0.5 * BLADE, height - 0.04 * THICK, height + 0.74 * THICK)
        blade = m.part(
            f"Blade {k + 1}",
            plane.at(pivot, height),
            (
                "steel",
                together(
                    shape,
                    round_,
                    root,
                    plane.disc(pivot, 0.03, -0.005, low),
                    plane.disc(lug, 0.02, height, low + 0.015),
                ),
            ),
        )
        link = m.part(f"Link {k + 1}", plane.at(lug, low), ("red", plane.bar([lug, pin], 0.03, low, low + 0.012)))
        m.hinge(base, blade, plane.at(pivot), Y)
        m.hinge(blade, link, plane.at(lug), Y)
        m.hinge(ring, link, plane.at(pin), Y)
    return m


def _blade_pins(turn: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(2,) each: a blade's pivot, its lug, and the pin of its link on the ring."""
    pivot = MIDDLE * np.array([math.cos(turn), math.sin(turn)])
    out = turn + DRAWN + math.radians(12.0)
    lug = pivot + LUG * np.array([math.cos(out), math.sin(out)])
    return pivot, lug, meeting(np.zeros(2), RING, lug, LINK, -1)


def aperture(turn: float) -> float:
    """m: radius of the opening when the blades are turned by so much from open."""
    return MIDDLE - 0.5 * BLADE - 2.0 * MIDDLE * math.sin(0.5 * turn)
