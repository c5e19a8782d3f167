# SPDX-License-Identifier: GPL-3.0-or-later
"""An umbrella: eight ribs on a crown, and stretchers from a runner that slides on the shaft, half open as drawn."""

from __future__ import annotations

import math

import numpy as np

from .machine import Machine
from .shapes import Plane, knob, pipe, rod, together

RIBS = 8
CROWN, HEIGHT = 0.03, 1.0  # radius and height of the hinges of the ribs
RUNNER = 0.035  # radius of the hinges of the stretchers
RIB, HELD, STRETCHER = 0.62, 0.26, 0.25  # length of a rib, from its hinge to the stretcher's, and of a stretcher
ANGLE = 1.0  # rad, of a rib from straight down, as drawn
OPEN, SHUT = 0.12, -0.21  # m: travel of the runner, up and down


def umbrella() -> Machine:
    """The shaft stands still; the runner leads."""
    m = Machine()
    joint = np.array([CROWN, HEIGHT]) + HELD * np.array([math.sin(ANGLE), -math.cos(ANGLE)])
    low = joint[1] - math.sqrt(STRETCHER**2 - (joint[0] - RUNNER) ** 2)
    hook = [(0.0, 0.0, 0.0)] + [
        (0.055 - 0.055 * math.cos(t), 0.0, -0.055 * math.sin(t)) for t in np.linspace(0.0, math.pi, 14)[1:]
    ]
    shaft = m.part(
        "Shaft",
        (0.0, 0.0, 0.0),
        (
            "steel",
            together(
                rod((0, 0, 0), (0, 0, HEIGHT + 0.10), 0.008), rod((0, 0, HEIGHT - 0.012), (0, 0, HEIGHT + 0.012), 0.026)
            ),
        ),
        ("wood", pipe(hook, 0.014)),
        motion="FIXED",
    )
    runner = m.part(
        "Runner",
        (0.0, 0.0, low),
        (
            "brass",
            together(
                rod((0, 0, low - 0.07), (0, 0, low + 0.004), 0.014),
                rod((0, 0, low - 0.012), (0, 0, low + 0.012), 0.031),
            ),
        ),
    )
    m.slide(shaft, runner, (0.0, 0.0, low), (0.0, 0.0, 1.0), drives=True, limits=(SHUT, OPEN))
    for k in range(RIBS):
        turn = 2.0 * math.pi * k / RIBS
        plane = Plane(u=(math.cos(turn), math.sin(turn), 0.0))
        _rib(m, plane, (shaft, runner), joint, low, k + 1)
    return m


def _rib(m: Machine, plane: Plane, carriers: tuple[int, int], joint: np.ndarray, low: float, number: int) -> None:
    top, foot = np.array([CROWN, HEIGHT]), np.array([RUNNER, low])
    along = np.array([math.sin(ANGLE), -math.cos(ANGLE)])
    across = np.array([along[1], -along[0]])
    line = [top + s * RIB * along + 0.10 * RIB * max(0.0, s - HELD / RIB) ** 1.5 * across for s in np.linspace(0, 1, 9)]
    rib = m.part(
        f"Rib {number}",
        plane.at(top),
        ("iron", pipe([plane.at(p) for p in line], 0.0045, 8)),
        ("orange", together(knob(plane.at(line[-1]), 0.010, 10), knob(plane.at(joint), 0.009, 10))),
    )
    stretcher = m.part(f"Stretcher {number}", plane.at(foot), ("steel", rod(plane.at(foot), plane.at(joint), 0.004)))
    axis = plane.normal
    m.hinge(carriers[0], rib, plane.at(top), axis)
    m.hinge(carriers[1], stretcher, plane.at(foot), axis)
    m.hinge(rib, stretcher, plane.at(joint), axis)
