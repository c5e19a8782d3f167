# SPDX-License-Identifier: GPL-3.0-or-later
"""A car's running gear: double wishbones and a steering rack in front, trailing arms behind.

It goes along X, and its origin is on the ground below the middle of the rear axle, which is what follows a path: there
the steering angle d of a bend of curvature k is tan d = WHEELBASE k (Ackermann).
"""

from __future__ import annotations

import numpy as np

from .machine import Machine
from .shapes import Plane, box, knob, pipe, rod, together

WHEELBASE, RADIUS = 2.6, 0.33
ARM = (-0.16, -0.035)  # of an upright: from the kingpin back and inwards to the tie rod
RACK = 0.04  # of the rack's ends: how far before the front axle
TRAVEL = 0.085  # of the rack, each way
RACK_FOR_BEND = (-0.1844, 0.0900)
"""Travel of the rack is a t + b t^3 with t the wheelbase over the bend's radius, fitted to 0.3 mm."""
BUMP = 0.22  # rad, of a wishbone, each way
FORWARD, LEFT = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
CHASSIS = "Chassis"


def car() -> Machine:
    """The chassis is led from outside; rack, lower wishbones, trailing arms and the wheels' own turns lead the rest."""
    m = Machine()
    chassis = m.part(CHASSIS, (0.0, 0.0, 0.0), *_bodywork(), motion="KEYED")
    at = np.array([WHEELBASE + RACK, 0.0, 0.26])
    ends = [at + (0.0, side * 0.35, 0.0) for side in (1.0, -1.0)]
    rack = m.part("Rack", at, ("steel", together(rod(*ends, 0.016), *(knob(end, 0.026) for end in ends))))
    m.slide(chassis, rack, at, LEFT, drives=True, limits=(-TRAVEL, TRAVEL))
    for side, name, end in ((1.0, "Left", ends[0]), (-1.0, "Right", ends[1])):
        _front(m, (chassis, rack), side, name, end)
        _rear(m, chassis, side, name)
    return m


def _front(m: Machine, carriers: tuple[int, int], side: float, name: str, rack_end: np.ndarray) -> None:
    x = WHEELBASE
    low, high = np.array([x, side * 0.66, 0.20]), np.array([x, side * 0.63, 0.50])
    low_in, high_in = np.array([x, side * 0.28, 0.22]), np.array([x, side * 0.34, 0.47])
    hub, middle = np.array([x, side * 0.66, RADIUS]), np.array([x, side * 0.77, RADIUS])
    kingpin = low + (RADIUS - 0.07 - low[2]) / (high[2] - low[2]) * (high - low)
    arm = kingpin + (ARM[0], side * ARM[1], 0.0)
    chassis, rack = carriers
    bones = []
    for label, inner, outer, spread, paint in (
        ("Lower", low_in, low, 0.22, "blue"),
        ("Upper", high_in, high, 0.15, "blue"),
    ):
        feet = [inner + (s * spread, 0.0, 0.0) for s in (1.0, -1.0)]
        shape = together(
            *(rod(foot, outer, 0.016) for foot in feet), *(rod(f - (0.04, 0, 0), f + (0.04, 0, 0), 0.026) for f in feet)
        )
        bones.append(m.part(f"{name} {label} Wishbone", inner, (paint, shape), ("steel", knob(outer, 0.028))))
    lower, upper = bones
    upright = m.part(
        f"{name} Upright",
        hub,
        ("orange", together(pipe([low, hub, high], 0.026), pipe([kingpin, arm], 0.018), rod(hub, middle, 0.03))),
    )
    m.hinge(chassis, lower, low_in, FORWARD, drives=True, limits=(-BUMP, BUMP))
    m.hinge(chassis, upper, high_in, FORWARD)
    m.ball(lower, upright, low)
    m.ball(upper, upright, high)
    tie = m.part(f"{name} Tie Rod", rack_end, ("red", rod(rack_end, arm, 0.012)), ("steel", knob(arm, 0.022)))
    m.universal(rack, tie, rack_end, arm - rack_end)
    m.ball(tie, upright, arm)
    wheel = m.part(f"{name} Front Wheel", middle, *_wheel(middle))
    m.hinge(upright, wheel, middle, LEFT, drives=True)


def _rear(m: Machine, chassis: int, side: float, name: str) -> None:
    pivot, hub = np.array([0.48, side * 0.50, RADIUS]), np.array([0.0, side * 0.60, RADIUS])
    middle = np.array([0.0, side * 0.77, RADIUS])
    arm = m.part(
        f"{name} Trailing Arm",
        pivot,
        ("blue", pipe([pivot - (0, side * 0.14, 0), pivot + (0, side * 0.08, 0), hub, middle], 0.026)),
        ("steel", rod(hub, middle, 0.034)),
    )
    m.hinge(chassis, arm, pivot, LEFT, drives=True, limits=(-BUMP, BUMP))
    wheel = m.part(f"{name} Rear Wheel", middle, *_wheel(middle))
    m.hinge(arm, wheel, middle, LEFT, drives=True)


def _wheel(middle: np.ndarray) -> list:
    plane = Plane(middle)
    tyre = together(
        plane.ring((0, 0), RADIUS, 0.215, -0.08, 0.08), plane.ring((0, 0), RADIUS - 0.02, 0.215, -0.095, 0.095)
    )
    rim = together(plane.wheel((0, 0), 0.218, 0.13, 5, 0.08), plane.ring((0, 0), 0.15, 0.04, -0.03, 0.03))
    return [("rubber", tyre), ("steel", rim)]


def _bodywork() -> list:
    """An open two-seater: tub, nose, rear deck, roll hoops and lamps."""
    side = Plane()
    tub = [
        (0.30, 0.17),
        (2.05, 0.17),
        (2.05, 0.52),
        (1.55, 0.60),
        (1.42, 0.50),
        (0.75, 0.50),
        (0.62, 0.66),
        (0.30, 0.62),
    ]
    nose = [(2.05, 0.19), (3.02, 0.20), (3.06, 0.28), (2.95, 0.40), (2.05, 0.52)]
    tail = [(-0.42, 0.34), (0.30, 0.20), (0.30, 0.62), (-0.38, 0.60)]
    frame = [
        rod((WHEELBASE + s * 0.2, -0.36, z), (WHEELBASE + s * 0.2, 0.36, z), 0.02)
        for s in (1, -1)
        for z in (0.22, 0.47)
    ]
    frame += [rod((0.48, -0.55, RADIUS), (0.48, 0.55, RADIUS), 0.028)]
    hoops = [
        pipe([(0.52, y - 0.16, 0.6), (0.50, y - 0.14, 0.92), (0.50, y + 0.14, 0.92), (0.52, y + 0.16, 0.6)], 0.022)
        for y in (0.26, -0.26)
    ]
    seats = [box((0.70, y - 0.19, 0.50), (1.15, y + 0.19, 0.56)) for y in (0.26, -0.26)]
    steering = Plane((1.36, 0.26, 0.70), (0.0, 1.0, 0.0), (0.35, 0.0, 0.94)).ring((0, 0), 0.15, 0.125, -0.012, 0.012)
    column = rod((1.36, 0.26, 0.70), (1.60, 0.26, 0.55), 0.014)
    lamps = [knob((2.92, y, 0.36), (0.03, 0.06, 0.06)) for y in (0.20, -0.20)]
    return [
        ("green", together(side.prism(tub, -0.50, 0.50), side.prism(nose, -0.24, 0.24), side.prism(tail, -0.42, 0.42))),
        ("steel", together(*frame, *hoops)),
        ("wood", together(*seats)),
        ("iron", together(steering, column)),
        ("white", together(*lamps)),
    ]
