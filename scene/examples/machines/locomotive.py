# SPDX-License-Identifier: GPL-3.0-or-later
"""Walschaerts' valve gear (1844) on three coupled axles, drawn in mid gear with the valve in the middle of its travel.

The return crank swings the expansion link, in which the reversing arm lifts a die; the combination lever adds a part of
the piston's stroke to what the radius rod brings from there, and the valve takes the sum.
"""

from __future__ import annotations

import math

import numpy as np

from ..planar import meeting
from .machine import Machine
from .shapes import Plane, box, knob, rod, together

CRANK, ROD, WHEEL, AXLES = 0.33, 2.1, 0.75, (-1.7, 0.0, 1.7)
ECCENTRIC, LINK = 0.18, 0.42  # radius of the return crank's pin, and from the link's pivot to its foot
PIVOT = np.array([1.02, 0.52])  # of the expansion link
LAP = 0.09  # from the valve spindle up to the radius rod
LEVER = 0.62  # from the spindle down to the foot of the combination lever
RADIUS_ROD = 1.02
REVERSER = (0.62, 0.98)  # the axle of the reversing arm
FULL = math.radians(32.0)  # of the reversing arm, each way
SIDE, NEAR, FAR = (0.0, -1.0, 0.0), 0.0, 1.5  # axis of everything; y of both sides


def locomotive() -> Machine:
    """Wheels of both sides, rods, crosshead and valve gear of the near one; wheels and reversing arm lead."""
    near = Plane()
    angle = _middle_of_the_stroke()
    pin = CRANK * np.array([math.cos(angle), math.sin(angle)])
    crosshead = np.array([pin[0] + math.sqrt(ROD**2 - pin[1] ** 2), 0.0])
    eccentric = ECCENTRIC * np.array([math.cos(angle - 0.5 * math.pi), math.sin(angle - 0.5 * math.pi)])
    foot = meeting(eccentric, _eccentric_rod(), PIVOT, LINK, -1)
    top = PIVOT + (RADIUS_ROD, 0.0)  # of the combination lever
    spindle, bottom = top - (0.0, LAP), top - (0.0, LAP + LEVER)
    drop = np.array([bottom[0] - 0.34, bottom[1]])

    m = Machine()
    frame = _frame(m, near, crosshead)
    wheels = [_wheelset(m, near, x, i, pin) for i, x in enumerate(AXLES)]
    for wheel, x in zip(wheels, AXLES, strict=True):
        m.hinge(frame, wheel, near.at((x, 0.0)), SIDE, drives=wheel == wheels[1])
    _coupling_rods(m, near, wheels, pin, angle)

    head = m.part(
        "Crosshead",
        near.at(crosshead, 0.3),
        (
            "steel",
            together(
                near.prism(
                    [
                        (crosshead[0] - 0.16, -0.12),
                        (crosshead[0] + 0.16, -0.12),
                        (crosshead[0] + 0.16, 0.12),
                        (crosshead[0] - 0.16, 0.12),
                    ],
                    0.24,
                    0.38,
                ),
                rod(near.at(crosshead, 0.31), near.at(crosshead + (1.15, 0.0), 0.31), 0.035),
                near.bar([crosshead, drop], 0.03, 0.38, 0.42),
                near.disc(drop, 0.03, 0.34, 0.46),
            ),
        ),
    )
    m.slide(frame, head, near.at(crosshead, 0.3), (1.0, 0.0, 0.0))
    main = m.part(
        "Main Rod",
        near.at(pin, 0.27),
        (
            "steel",
            together(
                near.bar([pin, crosshead], 0.045, 0.24, 0.30),
                near.disc(pin, 0.09, 0.21, 0.33),
                near.disc(crosshead, 0.065, 0.21, 0.42),
            ),
        ),
    )
    m.hinge(wheels[1], main, near.at(pin, 0.27), SIDE)
    m.hinge(main, head, near.at(crosshead, 0.27), SIDE)

    rod_e = m.part("Eccentric Rod", near.at(eccentric, 0.45), ("brass", _rod(near, eccentric, foot, 0.03, 0.42, 0.47)))
    m.hinge(wheels[1], rod_e, near.at(eccentric, 0.45), SIDE)
    link = _expansion_link(m, near, frame, foot)
    m.hinge(rod_e, link, near.at(foot, 0.45), SIDE)

    die, centre = _die(m, near, foot)
    m.hinge(link, die, near.at(centre, 0.42), SIDE)
    lifted = PIVOT + (-0.30, 0.0)
    radius = m.part(
        "Radius Rod",
        near.at(PIVOT, 0.5),
        (
            "red",
            together(
                near.bar([lifted, top], 0.026, 0.49, 0.53),
                near.disc(PIVOT, 0.05, 0.44, 0.545),
                near.disc(top, 0.04, 0.40, 0.545),
                near.disc(lifted, 0.035, 0.47, 0.545),
            ),
        ),
    )
    m.hinge(die, radius, near.at(PIVOT, 0.5), SIDE)
    lever = m.part(
        "Combination Lever",
        near.at(spindle, 0.44),
        (
            "blue",
            together(
                near.bar([top, bottom], 0.028, 0.43, 0.47),
                *(near.disc(p, 0.042, 0.42, 0.48) for p in (top, spindle, bottom)),
            ),
        ),
    )
    m.hinge(radius, lever, near.at(top, 0.44), SIDE)
    union = m.part("Union Link", near.at(drop, 0.44), ("brass", _rod(near, drop, bottom, 0.024, 0.38, 0.42)))
    m.hinge(head, union, near.at(drop, 0.42), SIDE)
    m.hinge(union, lever, near.at(bottom, 0.42), SIDE)
    valve = m.part(
        "Valve Spindle",
        near.at(spindle, 0.4),
        (
            "steel",
            together(
                rod(near.at(spindle - (0.05, 0.0), 0.39), near.at(spindle + (0.75, 0.0), 0.39), 0.022),
                near.disc(spindle, 0.04, 0.36, 0.46),
            ),
        ),
    )
    m.slide(frame, valve, near.at(spindle, 0.4), (1.0, 0.0, 0.0))
    m.hinge(lever, valve, near.at(spindle, 0.44), SIDE)

    arm = np.array([lifted[0] - 0.0, REVERSER[1] + 0.0])
    reverser = m.part(
        "Reversing Arm",
        near.at(REVERSER, 0.5),
        (
            "red",
            together(
                near.bar([REVERSER, arm + (0.28, 0.0)], 0.032, 0.56, 0.60),
                near.bar([REVERSER, np.array(REVERSER) + (0.0, 0.34)], 0.03, 0.56, 0.60),
                near.disc(REVERSER, 0.055, 0.2, 0.62),
                near.disc(arm + (0.28, 0.0), 0.035, 0.55, 0.62),
            ),
        ),
    )
    m.hinge(frame, reverser, near.at(REVERSER, 0.5), SIDE, drives=True, limits=(-FULL, FULL))
    lifting = m.part(
        "Lifting Link", near.at(lifted, 0.55), ("brass", _rod(near, lifted, arm + (0.28, 0.0), 0.024, 0.53, 0.56))
    )
    m.hinge(reverser, lifting, near.at(arm + (0.28, 0.0), 0.55), SIDE)
    m.hinge(lifting, radius, near.at(lifted, 0.55), SIDE)
    return m


def _middle_of_the_stroke() -> float:
    """The crank's angle at which the crosshead is as far forward as half way between its ends."""
    return math.acos((CRANK**2) / (2.0 * CRANK * ROD))


def _eccentric_rod() -> float:
    """The length with which the link stands upright at both ends of the stroke, as nearly as one length can."""
    foot = PIVOT - (0.0, LINK)
    return float(np.sqrt(np.mean([np.sum((foot - (0.0, y)) ** 2) for y in (ECCENTRIC, -ECCENTRIC)])))


def _rod(near: Plane, a: np.ndarray, b: np.ndarray, radius: float, low: float, high: float):
    ends = [near.disc(p, 1.5 * radius, low - 0.005, high + 0.005) for p in (a, b)]
    return together(near.bar([a, b], radius, low, high), *ends)


def _frame(m: Machine, near: Plane, crosshead: np.ndarray) -> int:
    """The frame, cylinder and valve chest; it stands still."""
    x = crosshead[0]
    bars = box((-2.5, 0.62, -0.12), (x + 1.9, 0.88, 0.16))
    stay = box((x + 0.62, 0.05, -0.12), (x + 1.28, 0.75, 0.12))
    guides = [box((x - 0.55, -0.36, z), (x + 0.62, -0.26, z + 0.05)) for z in (-0.18, 0.13)]
    yoke = box((x - 0.58, -0.36, -0.18), (x - 0.53, 0.75, 0.18))
    chest = PIVOT[1] - LAP
    cylinder = rod(near.at((x + 0.62, 0.0), 0.31), near.at((x + 1.30, 0.0), 0.31), 0.25, segments=48)
    valve = rod(near.at((x + 0.58, chest), 0.39), near.at((x + 1.20, chest), 0.39), 0.14, segments=40)
    covers = [rod(near.at((x + at, 0.0), 0.31), near.at((x + at + 0.04, 0.0), 0.31), 0.27) for at in (0.58, 1.30)]
    bracket = box((PIVOT[0] - 0.03, -0.34, PIVOT[1] - 0.03), (PIVOT[0] + 0.03, 0.75, PIVOT[1] + 0.03))
    shaft = box((REVERSER[0] - 0.03, -0.5, REVERSER[1] - 0.03), (REVERSER[0] + 0.03, 0.75, REVERSER[1] + 0.03))
    posts = [box((at[0] - 0.05, 0.66, 0.0), (at[0] + 0.05, 0.84, at[1] + 0.03)) for at in (PIVOT, REVERSER)]
    rail = [box((-2.9, y - 0.06, -WHEEL - 0.14), (x + 1.9, y + 0.06, -WHEEL - 0.01)) for y in (NEAR, FAR)]
    boiler = rod((-2.4, 0.75, 1.05), (x + 1.5, 0.75, 1.05), 0.6, segments=64)
    smoke = [rod((x + 1.1, 0.75, 1.6), (x + 1.1, 0.75, 2.1), 0.16, 0.22), knob((0.3, 0.75, 1.62), 0.24)]
    return m.part(
        "Frame",
        (0.0, 0.75, 0.0),
        ("iron", together(bars, stay, yoke, bracket, shaft, *posts, *smoke, boiler)),
        ("green", together(cylinder, valve)),
        ("steel", together(*guides, *rail)),
        ("brass", together(*covers)),
        motion="FIXED",
    )


def _wheelset(m: Machine, near: Plane, x: float, number: int, pin: np.ndarray) -> int:
    """Two wheels on an axle; crank pins of the far side are a quarter turn on."""
    far = Plane((0.0, FAR, 0.0))
    other = np.array([-pin[1], pin[0]])
    wheels = [plane.wheel((x, 0.0), WHEEL, 0.12, 12) for plane in (near, far)]
    weights = [near.bar([(x, 0.0) - 0.62 * WHEEL / CRANK * pin * side for side in (0.8, 0.95)], 0.14, -0.05, 0.05)]
    long = 0.34 if number == 1 else 0.17
    pins = [near.disc((x, 0.0) + pin, 0.05, 0.03, long), far.disc((x, 0.0) + other, 0.05, -0.17, 0.0)]
    hubs = [near.bar([(x, 0.0), (x, 0.0) + pin], 0.11, 0.0, 0.07)]
    shapes = [
        ("red", together(*wheels, *weights, *hubs)),
        ("steel", together(*pins, rod(near.at((x, 0.0)), far.at((x, 0.0)), 0.08))),
    ]
    if number == 1:
        angle = math.atan2(pin[1], pin[0]) - 0.5 * math.pi
        end = ECCENTRIC * np.array([math.cos(angle), math.sin(angle)])
        crank = together(near.bar([pin, end], 0.05, 0.34, 0.41), near.disc(end, 0.04, 0.36, 0.5))
        shapes.append(("brass", crank))
    return m.part(("Rear Wheels", "Driving Wheels", "Front Wheels")[number], near.at((x, 0.0)), *shapes)


def _coupling_rods(m: Machine, near: Plane, wheels: list[int], pin: np.ndarray, angle: float) -> None:
    """One on each side, a quarter turn apart, so that one of them always holds the wheels in step."""
    for name, plane, place, low in (
        ("Near", near, pin, 0.10),
        ("Far", Plane((0.0, FAR, 0.0)), np.array([-pin[1], pin[0]]), -0.16),
    ):
        ends = [(x, 0.0) + place for x in AXLES]
        bosses = [plane.disc(end, 0.085, low - 0.02, low + 0.08) for end in ends]
        bars = [plane.bar(ends[i : i + 2], 0.045, low, low + 0.06) for i in (0, 1)]
        coupling = m.part(f"{name} Coupling Rod", plane.at(ends[1], low), ("steel", together(*bars, *bosses)))
        for wheel, end in zip(wheels, ends, strict=True):
            m.hinge(wheel, coupling, plane.at(end, low), SIDE)


def _slot(foot: np.ndarray) -> tuple[np.ndarray, float]:
    """Centre of the curved slot, and the angle at which it is seen from the pivot."""
    tilt = math.atan2(foot[1] - PIVOT[1], foot[0] - PIVOT[0]) + 0.5 * math.pi
    return PIVOT + RADIUS_ROD * np.array([math.cos(tilt), math.sin(tilt)]), tilt


def _expansion_link(m: Machine, near: Plane, frame: int, foot: np.ndarray) -> int:
    centre, tilt = _slot(foot)
    ends = (tilt + math.pi - 0.30, tilt + math.pi + 0.30)
    cheeks = [
        near.arc(centre, RADIUS_ROD + at + 0.035, RADIUS_ROD + at - 0.035, ends, 0.40, 0.46) for at in (-0.07, 0.07)
    ]
    caps = [
        near.bar(
            [centre + (RADIUS_ROD + at) * np.array([math.cos(end), math.sin(end)]) for at in (-0.07, 0.07)],
            0.045,
            0.40,
            0.46,
        )
        for end in ends
    ]
    low = centre + RADIUS_ROD * np.array([math.cos(ends[1]), math.sin(ends[1])])
    tail = near.bar([low, foot], 0.035, 0.40, 0.46)
    trunnions = near.bar(
        [PIVOT + 0.09 * np.array([math.cos(tilt), math.sin(tilt)]) * side for side in (-1, 1)], 0.05, 0.34, 0.40
    )
    link = m.part(
        "Expansion Link",
        near.at(PIVOT, 0.43),
        ("blue", together(*cheeks, *caps, tail, trunnions, near.disc(foot, 0.045, 0.40, 0.48))),
    )
    m.hinge(frame, link, near.at(PIVOT, 0.43), SIDE)
    return link


def _die(m: Machine, near: Plane, foot: np.ndarray) -> tuple[int, np.ndarray]:
    """The block in the slot: as that is round, it turns about the slot's centre."""
    centre, tilt = _slot(foot)
    ends = (tilt + math.pi - 0.07, tilt + math.pi + 0.07)
    block = near.arc(centre, RADIUS_ROD + 0.034, RADIUS_ROD - 0.034, ends, 0.395, 0.49)
    return m.part("Die", near.at(PIVOT, 0.43), ("brass", block)), centre
