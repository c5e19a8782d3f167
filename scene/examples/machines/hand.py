# SPDX-License-Identifier: GPL-3.0-or-later
"""A hand whose fingers curl by linkage: two crossed four-bars each, so that one hinge curls a finger.

A rod from the palm turns the middle phalanx while the proximal one turns, and a rod from the proximal one turns the
distal one.
"""

from __future__ import annotations

import math

import numpy as np

from .machine import Machine
from .shapes import Plane, knob, rod, together

FINGERS = {  # m, at ten times a hand's size: where a finger begins (x, z), how it is spread, its three phalanges
    "Index": ((-0.33, 0.90), 7.0, (0.45, 0.28, 0.22)),
    "Middle": ((-0.10, 0.96), 1.5, (0.50, 0.32, 0.23)),
    "Ring": ((0.13, 0.93), -4.0, (0.46, 0.30, 0.23)),
    "Little": ((0.35, 0.84), -11.0, (0.36, 0.22, 0.19)),
}
THUMB = ((-0.42, -0.02, 0.36), (0.36, 0.28))  # where it begins, and its two phalanges
UPPER, LOWER = (0.177, 0.33), (0.175, -0.811)
"""Levers of a rod on the bone before and on the one after, as parts of the bone between: lengths, and angles (rad) from
those bones. Of 60,000 tried at random the best-transmitting one that curls the next bone as far as the first."""
CURL = math.radians(85.0)  # of a drive, from where it is drawn
BENT = 0.25  # rad, of each joint as drawn
THICK = 0.066  # radius of a phalanx


def hand() -> Machine:
    """The palm stands still; the first hinge of each finger leads."""
    m = Machine()
    palm = m.part(
        "Palm",
        (0.0, 0.0, 0.4),
        ("white", together(*_palm())),
        ("steel", together(rod((0, 0, -0.45), (0, 0, 0.0), 0.15), rod((0, 0, -0.06), (0, 0, 0.02), 0.20))),
        motion="FIXED",
    )
    for name, ((x, z), spread, lengths) in FINGERS.items():
        tilt = math.radians(spread)
        along = np.array([-math.sin(tilt), 0.0, math.cos(tilt)])
        _finger(m, palm, name, Plane((x, 0.0, z), along, (0.0, 1.0, 0.0)), lengths)
    place, lengths = THUMB
    along = np.array([-0.72, -0.30, 0.62])
    along /= np.linalg.norm(along)
    towards = np.array([0.80, -0.25, 0.0])
    towards -= (towards @ along) * along
    _finger(m, palm, "Thumb", Plane(place, along, -towards / np.linalg.norm(towards)), lengths)
    return m


def _palm() -> list:
    bases = [(x, z) for (x, z), _, _ in FINGERS.values()]
    plate = Plane().bar([(-0.24, 0.02), (0.24, 0.02), (-0.33, 0.72), (0.33, 0.68), (0.1, 0.78)], 0.10, -0.09, 0.09)
    knuckles = [rod((x, 0.0, z - 0.24), (x, 0.0, z - 0.055), 0.065) for x, z in bases]
    ball = knob((-0.30, -0.02, 0.26), (0.16, 0.13, 0.20))
    return [plate, *knuckles, ball]


def _finger(m: Machine, palm: int, name: str, plane: Plane, lengths: tuple[float, ...]) -> None:
    """In a plane whose u points along the finger and v to the back of the hand; it curls towards -v."""
    axis, half = plane.normal, 0.062
    joints, angle = [np.zeros(2)], 0.0
    angles = []
    for length in lengths:
        angle -= BENT
        angles.append(angle)
        joints.append(joints[-1] + length * _way(angle))
    labels = ("Proximal", "Middle", "Distal") if len(lengths) == 3 else ("Proximal", "Distal")
    phalanges = []
    for i, (label, start, end, turn) in enumerate(zip(labels, joints, joints[1:], angles, strict=False)):
        radius = THICK * (1.0 - 0.12 * i)
        is_last = i == len(lengths) - 1
        bones = [
            rod(plane.at(start + 0.16 * (end - start)), plane.at(end - 0.12 * (end - start)), radius, 0.88 * radius)
        ]
        bones += [plane.disc(start, 0.75 * radius, -0.9 * radius, 0.9 * radius)]
        bones += [plane.bar([start, start + 0.3 * (end - start)], 0.45 * radius, -0.8 * radius, 0.8 * radius)]
        if is_last:
            bones.append(knob(plane.at(end - 0.12 * (end - start)), 0.9 * radius))
        else:
            bones.append(plane.bar([end - 0.3 * (end - start), end], 0.4 * radius, -0.5 * radius, 0.5 * radius))
        pegs = []
        if i:  # the lever that a rod turns
            low = start + LOWER[0] * lengths[i - 1] * _way(turn + LOWER[1])
            pegs = [plane.bar([start, low], 0.016, half, half + 0.02)]
        body = m.part(
            f"{name} {label}",
            plane.at(start),
            ("white", together(*bones)),
            *([("steel", together(*pegs))] if pegs else []),
        )
        phalanges.append(body)
    previous = [palm, *phalanges]
    for i, body in enumerate(phalanges):
        m.hinge(previous[i], body, plane.at(joints[i]), axis, drives=i == 0, limits=(-CURL, 0.3) if i == 0 else None)
    for i in range(1, len(phalanges)):
        before = 0.0 if i == 1 else angles[i - 2]
        high = joints[i - 1] + UPPER[0] * lengths[i - 1] * _way(before + UPPER[1])
        low = joints[i] + LOWER[0] * lengths[i - 1] * _way(angles[i] + LOWER[1])
        link = m.part(
            f"{name} Rod {i}", plane.at(high), ("red", plane.bar([high, low], 0.016, half + 0.022, half + 0.04))
        )
        m.hinge(previous[i - 1], link, plane.at(high, half), axis)
        m.hinge(phalanges[i], link, plane.at(low, half), axis)


def _way(angle: float) -> np.ndarray:
    return np.array([math.cos(angle), math.sin(angle)])
